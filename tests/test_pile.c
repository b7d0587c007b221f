/**
 * @file test_pile.c
 * @brief What is built must stand: a tower of bricks, an arch of tapered ones, and an egg that
 * comes to rest on its own axis.
 */
#include <ovoid/sim.h>

#include "check.h"

enum { TOWER = 20, ARCH = 11, FRAMES = 3600 };
#define FRAME (1.0 / 60.0)

static ov_sim *make_sim(void) {
    ov_sim *sim = NULL;
    ov_sim_options options = {.mode = OV_SIM_MODE_ACCURATE, .threads = {.count = 1}};
    CHECK_OK(ov_sim_create(&options, &sim));
    return sim;
}

static ov_geometry *geometry_of(ov_shape shape) {
    ov_geometry *geometry = NULL;
    ov_part part = {.shape = shape};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &geometry));
    return geometry;
}

static ov_geometry *add_floor(ov_sim *sim) {
    ov_shape plane;
    ov_sim_body body;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &plane));
    ov_geometry *geometry = geometry_of(plane);
    ov_sim_body_def def = {.geometry = geometry, .kind = OV_SIM_BODY_KIND_FIXED};
    CHECK_OK(ov_sim_add_body(sim, &def, &body));
    return geometry;
}

static ov_sim_body add(ov_sim *sim, const ov_geometry *geometry, ov_pose pose, double friction) {
    ov_sim_body body = 0;
    ov_sim_body_def def = {.geometry = geometry, .pose = pose, .friction = friction};
    CHECK_OK(ov_sim_add_body(sim, &def, &body));
    return body;
}

static ov_sim_body_state state_of(const ov_sim *sim, ov_sim_body body) {
    ov_sim_body_state state = {.asleep = false};
    CHECK_OK(ov_sim_body_get(sim, body, &state));
    return state;
}

/** Angle between a body's axis z and where it was at the start. */
static double lean(const ov_sim *sim, ov_sim_body body, ov_quat start) {
    ov_vec3 z = {0.0, 0.0, 1.0};
    ov_vec3 now = ov_quat_rotate(state_of(sim, body).pose.rotation, z);
    return acos(fmin(1.0, ov_vec3_dot(now, ov_quat_rotate(start, z))));
}

static double fastest(const ov_sim *sim, const ov_sim_body *bodies, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        ov_sim_body_state s = state_of(sim, bodies[i]);
        most = fmax(most, ov_vec3_length(s.velocity));
    }
    return most;
}

/** Steps for a minute; the largest speed in the last second. */
static double run_minute(ov_sim *sim, const ov_sim_body *bodies, int count) {
    double most = 0.0;
    for (int frame = 0; frame < FRAMES; frame++) {
        CHECK_OK(ov_sim_step(sim, FRAME));
        if (frame >= FRAMES - 60) {
            most = fmax(most, fastest(sim, bodies, count));
        }
    }
    return most;
}

/** Twenty bricks with nearly sharp edges, one on the other. */
static void tower(void) {
    ov_sim *sim = make_sim();
    ov_geometry *ground = add_floor(sim);
    ov_shape brick;
    ov_sim_body bodies[TOWER];
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.5, 0.3, 0.2), 0.1, 0.1, &brick));
    ov_geometry *geometry = geometry_of(brick);
    for (int i = 0; i < TOWER; i++) {
        ov_pose pose = {{0.0, 0.0, 0.2 + 0.4 * i}, {1.0, 0.0, 0.0, 0.0}};
        bodies[i] = add(sim, geometry, pose, 0.0);
    }
    double speed = run_minute(sim, bodies, TOWER), aside = 0.0, down = 0.0, most = 0.0;
    for (int i = 0; i < TOWER; i++) {
        ov_vec3 x = state_of(sim, bodies[i]).pose.position;
        aside = fmax(aside, sqrt(x.x * x.x + x.y * x.y));
        down = fmax(down, fabs(x.z - (0.2 + 0.4 * i)));
        most = fmax(most, lean(sim, bodies[i], ov_quat_identity()));
    }
    printf("%s: tower: %.2g m aside, %.2g m down, %.2g rad, %.2g m/s after a minute\n", check_suite,
           aside, down, most, speed);
    CHECK(aside < 0.01);
    CHECK(down < 0.02);
    CHECK(most < 0.01);
    CHECK(speed < 0.01);
    ov_sim_destroy(sim);
    ov_geometry_destroy(geometry);
    ov_geometry_destroy(ground);
}

/**
 * Half a ring of tapered bricks about the y axis, on two fixed feet. A brick spans an angle of
 * pi/ARCH; its section is a trapezium: z points outwards, where it is wider.
 */
static void arch(void) {
    ov_sim *sim = make_sim();
    ov_geometry *ground = add_floor(sim);
    ov_shape brick;
    ov_sim_body bodies[ARCH];
    const double radius = 3.0, half = 0.4, angle = M_PI / ARCH;
    double width = radius * tan(0.5 * angle), taper = half / radius;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(width, 0.5, half), 0.1, 0.1, taper, 0.0, NULL,
                                      &brick));
    ov_geometry *geometry = geometry_of(brick);
    ov_quat starts[ARCH];
    for (int i = 0; i < ARCH; i++) {
        double at = angle * (i + 0.5) - 0.5 * M_PI; // from the vertical
        starts[i] = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), at);
        ov_pose pose = {{radius * sin(at), 0.0, radius * cos(at)}, starts[i]};
        bodies[i] = add(sim, geometry, pose, 0.8);
    }
    double speed = run_minute(sim, bodies, ARCH), down = 0.0, most = 0.0;
    for (int i = 0; i < ARCH; i++) {
        double at = angle * (i + 0.5) - 0.5 * M_PI;
        ov_vec3 x = state_of(sim, bodies[i]).pose.position;
        ov_vec3 off = ov_vec3_sub(x, ov_vec3_make(radius * sin(at), 0.0, radius * cos(at)));
        down = fmax(down, ov_vec3_length(off));
        most = fmax(most, lean(sim, bodies[i], starts[i]));
    }
    printf("%s: arch: %.2g m off, %.2g rad, %.2g m/s after a minute\n", check_suite, down, most,
           speed);
    CHECK(down < 0.1);
    CHECK(most < 0.1);
    CHECK(speed < 0.01);
    ov_sim_destroy(sim);
    ov_geometry_destroy(geometry);
    ov_geometry_destroy(ground);
}

/** An egg lies down on its side: its axis of revolution is then at the angle at which the height of
 *  the centre of mass above the floor is least, which a scan of supports finds. */
static double rest_angle(const ov_shape *egg, double *height) {
    ov_mass mass;
    double best = INFINITY, angle = 0.0;
    CHECK_OK(ov_shape_mass(egg, 1.0, &mass));
    for (int i = 0; i <= 20000; i++) {
        double a = M_PI * i / 20000.0;
        ov_vec3 down = {sin(a), 0.0, cos(a)}; // a: between the axis and the downward vertical
        ov_support s;
        CHECK_OK(ov_shape_support(egg, down, &s));
        double h = s.value - ov_vec3_dot(down, mass.centroid);
        if (h < best) {
            best = h;
            angle = a;
        }
    }
    *height = best;
    return angle;
}

static void egg(void) {
    ov_sim *sim = NULL;
    ov_sim_options options = {.no_sleep = true, .threads = {.count = 1}};
    CHECK_OK(ov_sim_create(&options, &sim));
    ov_geometry *ground = add_floor(sim);
    ov_shape shape;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(0.35, 0.35, 0.5), 1.0, 1.0, -0.2, -0.2, NULL,
                                      &shape));
    ov_geometry *geometry = geometry_of(shape);
    double height, angle = rest_angle(&shape, &height);
    ov_sim_body body = 0;
    ov_sim_body_def def = {.geometry = geometry, .pose = {{0.0, 0.0, 0.55}, {0}}, .rolling = 0.003};
    def.pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 1.2);
    CHECK_OK(ov_sim_add_body(sim, &def, &body));
    int rocks = 0;
    double last = 0.0, speed = 0.0;
    for (int frame = 0; frame < FRAMES / 2; frame++) {
        CHECK_OK(ov_sim_step(sim, FRAME));
        ov_sim_body_state s = state_of(sim, body);
        double turn = s.angular_velocity.y;
        rocks += fabs(turn) > 0.01 && turn * last < 0.0;
        last = fabs(turn) > 0.01 ? turn : last;
        speed = ov_vec3_length(s.velocity) + ov_vec3_length(s.angular_velocity);
    }
    ov_sim_body_state s = state_of(sim, body);
    ov_vec3 axis = ov_quat_rotate(s.pose.rotation, ov_vec3_make(0.0, 0.0, 1.0));
    double at = acos(-axis.z);
    printf("%s: egg: rocked %d times, axis at %.4f rad of %.4f, centre at %.5f of %.5f, %.2g m/s\n",
           check_suite, rocks, at, angle, s.centre.z, height, speed);
    CHECK(rocks >= 2);
    CHECK_NEAR(at, angle, 0.03);
    CHECK_NEAR(s.centre.z, height, 0.001);
    CHECK(speed < 0.01);
    ov_sim_destroy(sim);
    ov_geometry_destroy(geometry);
    ov_geometry_destroy(ground);
}

/** Half a minute of a few bodies on each other, as a simulation with no options does it. */
static void check_stack(ov_shape shape, int count) {
    ov_sim *sim = NULL;
    ov_sim_options options = {.no_sleep = true, .threads = {.count = 1}};
    CHECK_OK(ov_sim_create(&options, &sim));
    ov_geometry *floor = add_floor(sim), *geometry = geometry_of(shape);
    ov_sim_body bodies[5];
    for (int i = 0; i < count; i++) {
        ov_pose pose = {{0.0, 0.0, 0.3 + 0.606 * i}, ov_quat_identity()};
        bodies[i] = add(sim, geometry, pose, 0.5);
    }
    for (int i = 0; i < 1800; i++) {
        if (!CHECK_OK(ov_sim_step(sim, FRAME))) {
            break;
        }
    }
    for (int i = 0; i < count; i++) {
        ov_vec3 c = state_of(sim, bodies[i]).centre;
        CHECK_NEAR(c.z, 0.3 + 0.6 * i, 0.004);
        CHECK(hypot(c.x, c.y) < 0.005);
        CHECK(lean(sim, bodies[i], ov_quat_identity()) < 2e-3);
    }
    CHECK(fastest(sim, bodies, count) < 0.02);
    ov_sim_destroy(sim);
    ov_geometry_destroy(floor);
    ov_geometry_destroy(geometry);
}

/** Bodies with flat sides do not begin to rock by themselves. */
static void test_small_stacks(void) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.3, 0.3, 0.3), 0.5, 0.5, &shape));
    check_stack(shape, 1);
    for (int count = 2; count <= 5; count++) {
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.3, 0.3, 0.3), 0.1, 0.1, &shape));
        check_stack(shape, count);
        CHECK_OK(ov_shape_make_box(ov_vec3_make(0.3, 0.3, 0.3), &shape));
        check_stack(shape, count);
    }
    CHECK_OK(ov_shape_make_cylinder(0.3, 0.3, &shape));
    check_stack(shape, 2);
}

/** A slab with rounded edges that is dropped askew lies flat in the end, and nothing of it in the
 *  floor but what its weight presses in: in the fast mode some 0.1 mm with 4 substeps. */
static void check_dropped(double width, double height, double e, int substeps) {
    ov_sim_options options = {.no_sleep = true, .substeps = substeps, .threads = {.count = 1}};
    ov_sim *sim = NULL;
    ov_shape shape;
    CHECK_OK(ov_sim_create(&options, &sim));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(width, width, height), e, e, &shape));
    ov_geometry *floor = add_floor(sim), *geometry = geometry_of(shape);
    ov_pose pose = {{0.0, 0.0, height + 0.1 * width},
                    ov_quat_from_axis_angle(ov_vec3_make(1.0, 1.0, 0.0), 0.05)};
    ov_sim_body body = add(sim, geometry, pose, 0.5);
    for (int k = 0; k < 240; k++) {
        CHECK_OK(ov_sim_step(sim, FRAME));
    }
    CHECK_NEAR(state_of(sim, body).centre.z, height, 3e-4);
    CHECK(lean(sim, body, ov_quat_identity()) < 0.02);
    CHECK(fastest(sim, &body, 1) < 0.01);
    ov_sim_destroy(sim);
    ov_geometry_destroy(floor);
    ov_geometry_destroy(geometry);
}

/** In the fast mode contacts are followed only while the other side of a flat cannot come down, and
 *  a flat that is sunk in is held on all of its side. */
static void test_dropped_slabs(void) {
    static const int substeps[5] = {4, 6, 13, 28, 63};
    for (int i = 0; i < 5; i++) {
        check_dropped(0.1, 0.05, 0.1, substeps[i]);
        check_dropped(0.1, 0.05, 0.3, substeps[i]);
        check_dropped(0.05, 0.01, 0.1, substeps[i]);
        check_dropped(0.05, 0.003, 0.1, substeps[i]);
        check_dropped(0.005, 0.0025, 0.1, substeps[i]);
    }
}

int main(void) {
    check_suite = "test_pile";
    RUN(tower);
    RUN(arch);
    RUN(egg);
    RUN(test_small_stacks);
    RUN(test_dropped_slabs);
    return check_finish();
}
