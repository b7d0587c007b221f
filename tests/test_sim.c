/**
 * @file test_sim.c
 * @brief Rigid bodies and joints against the formulas of textbooks, and what must always hold.
 */
#include "../bench/sim_motions.h"
#include "sim_cases.h"

static void test_pendulum(void) {
    const ov_joint_kind kinds[2] = {OV_JOINT_KIND_SPHERICAL, OV_JOINT_KIND_CONTINUOUS};
    for (int i = 0; i < 2; i++) {
        double energy, error = motion_pendulum(kinds[i], 10, &energy);
        check_worst("period of a pendulum", error, 1e-5);
        CHECK(error < 1e-5);
        CHECK(energy < 1e-4);
    }
}

/** Dropped on the floor: each bounce is half as fast as the one before, and then it rests. */
static void test_bounce(void) {
    ov_geometry *g = ball_of(0.1), *floor = ground((ov_vec3){0, 0, 1});
    ov_sim *sim = sim_of(down, OV_SIM_MODE_ACCURATE, 0, true);
    add(sim, (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED});
    ov_sim_body ball =
        add(sim,
            (ov_sim_body_def){.geometry = g, .pose.position = {0.0, 0.0, 1.1}, .restitution = 0.5});
    double top = 0.0, z = 1.1;
    bool risen = false;
    for (int i = 0; i < 60; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        double next = state_of(sim, ball).centre.z;
        risen = risen || next > z;
        top = risen ? fmax(top, next) : top;
        z = next;
    }
    CHECK_NEAR(top, 0.35, 0.005); // a quarter of the height
    run_for(sim, 180, 1.0 / 60.0);
    CHECK_NEAR(state_of(sim, ball).centre.z, 0.1, 1e-5);
    CHECK(state_of(sim, ball).asleep);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
    ov_geometry_destroy(floor);
}

static void test_tumbling(void) {
    double momentum, error = motion_tumbling(10, &momentum);
    check_worst("interval between flips", error, 1e-4);
    check_worst("length of the angular momentum", momentum, 1e-13);
    CHECK(error < 1e-4);
    CHECK(momentum < 1e-13);
}

/** A chain of joints that nobody touches keeps what it has; a tenth of what `ovoid-bench sim` does.
 */
static void test_chain(void) {
    motion_band flies = motion_chain(false, check_share(10000));
    motion_band hangs = motion_chain(true, check_share(10000));
    check_worst("energy of a flying chain", flies.energy, 1e-6);
    check_worst("momenta of a flying chain", fmax(flies.momentum, flies.angular), 1e-12);
    check_worst("energy of a chain that is hung up", hangs.energy, 0.005);
    CHECK(flies.energy < 1e-6 && flies.momentum < 1e-12 && flies.angular < 1e-12);
    CHECK(hangs.energy < 0.005 && flies.joints < 1e-10 && hangs.joints < 1e-10);
}

static void test_double_pendulum(void) {
    double coarse = motion_double_pendulum(10), fine = motion_double_pendulum(20);
    check_worst("double pendulum after 2 s", coarse, 1e-4);
    CHECK(coarse < 1e-4);
    CHECK(fine < 0.3 * coarse); // second order
}

static void test_top(void) {
    double error = motion_top(10);
    check_worst("precession of a top", error, 1e-6);
    CHECK(error < 1e-6);
}

/** Bodies and joints that drift, turn and collide without outer forces keep both momenta. */
static void test_momentum(void) {
    check_random r = check_random_make(17);
    ov_shape shape;
    CHECK_OK(ov_shape_make_ellipsoid((ov_vec3){0.3, 0.2, 0.15}, &shape));
    ov_geometry *g = geometry_of(shape);
    ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 0, false);
    ov_sim_body bodies[24];
    double scale = 0.0, turn_scale = 0.0;
    for (int i = 0; i < 24; i++) {
        ov_vec3 at = {(i % 3) * 0.62, (i / 3 % 3) * 0.62, (i / 9) * 0.62};
        ov_vec3 v = ov_vec3_scale(check_unit_vector(&r), 2.0);
        bodies[i] = add(sim, (ov_sim_body_def){.geometry = g,
                                               .pose.position = at,
                                               .velocity = v,
                                               .angular_velocity = ov_vec3_scale(v, 3.0),
                                               .restitution = i % 2 ? 0.7 : 0.0});
        scale += 2.0 * 37.7;
        turn_scale += 2.0 * 37.7 * (1.0 + ov_vec3_length(at));
    }
    for (int i = 0; i + 1 < 9; i++) { // a chain of hinges and balls among them
        ov_sim_body_state a = state_of(sim, bodies[i]), b = state_of(sim, bodies[i + 1]);
        ov_vec3 half = ov_vec3_scale(ov_vec3_sub(b.centre, a.centre), 0.5);
        join(sim,
             (ov_sim_joint_def){.kind = i % 2 ? OV_JOINT_KIND_SPHERICAL : OV_JOINT_KIND_REVOLUTE,
                                .a = bodies[i],
                                .b = bodies[i + 1],
                                .frame_a.position = half,
                                .frame_b.position = ov_vec3_neg(half),
                                .lower = -0.3,
                                .upper = 0.2,
                                .swing = i % 2 ? 0.3 : 0.0});
    }
    ov_sim_summary before = summary_of(sim), after;
    double worst = 0.0, energy = before.kinetic;
    for (int i = 0; i < 300; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        after = summary_of(sim);
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(after.momentum, before.momentum)) / scale);
        worst = fmax(worst,
                     ov_vec3_length(ov_vec3_sub(after.angular_momentum, before.angular_momentum)) /
                         turn_scale);
        CHECK(after.kinetic <= energy * 1.001);
        energy = fmin(energy, after.kinetic);
    }
    check_worst("momenta without outer forces", worst, 1e-12);
    CHECK(worst < 1e-12);
    CHECK(after.joint_error < 1e-9);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
}

/** Five balls on strings: what comes in on one side leaves on the other. */
static void test_cradle(void) {
    double radius = 0.1, length = 1.0;
    ov_geometry *g = ball_of(radius);
    ov_sim *sim = sim_of(down, OV_SIM_MODE_ACCURATE, 0, false);
    ov_sim_body balls[5];
    for (int i = 0; i < 5; i++) {
        double angle = i == 0 ? 0.5 : 0.0, x = i * 2.0 * radius * 1.00001;
        ov_quat turn = ov_quat_from_axis_angle((ov_vec3){0, 1, 0}, angle);
        ov_vec3 arm = ov_quat_rotate(turn, (ov_vec3){0, 0, -length});
        balls[i] = add(sim, (ov_sim_body_def){.geometry = g,
                                              .pose = {{x + arm.x, 0.0, arm.z}, turn},
                                              .restitution = 1.0,
                                              .friction = OV_ZERO});
        join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_CONTINUOUS,
                                     .b = balls[i],
                                     .frame_a.position = {x, 0, 0},
                                     .frame_b.position = {0, 0, length},
                                     .axis = {0, 1, 0}});
    }
    double start = summary_of(sim).kinetic + summary_of(sim).potential, highest = 0.0, others = 0.0;
    for (int i = 0; i < 75; i++) { // over the swing of the last ball
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        highest = fmax(highest, length + state_of(sim, balls[4]).centre.z);
        for (int k = 1; k < 4; k++) {
            others = fmax(others, length + state_of(sim, balls[k]).centre.z);
        }
    }
    double height = length * (1.0 - cos(0.5));
    check_worst("height of the last ball of a cradle", fabs(highest / height - 1.0), 0.01);
    CHECK_NEAR(highest, height, 0.01 * height);
    CHECK(others < 0.01 * height);
    double end = summary_of(sim).kinetic + summary_of(sim).potential;
    CHECK_NEAR(end, start, 1e-3 * height * 9.81 * 4.19);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
}

/** Balls, bricks and rods at 100 sizes per frame, turning, never pass a thin plate. */
static void test_tunnel(void) {
    check_random r = check_random_make(5);
    ov_shape shapes[3], plate;
    CHECK_OK(ov_shape_make_sphere(0.1, &shapes[0]));
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.1, 0.08, 0.05}, 0.2, 0.4, &shapes[1]));
    CHECK_OK(ov_shape_make_capsule(0.02, 0.15, &shapes[2]));
    CHECK_OK(ov_shape_make_box((ov_vec3){5.0, 5.0, 0.001}, &plate));
    ov_geometry *wall = geometry_of(plate);
    size_t swept = 0;
    for (int i = 0; i < check_share(120); i++) {
        ov_geometry *g = geometry_of(shapes[i % 3]);
        ov_sim *sim = sim_of(weightless, i % 2 ? OV_SIM_MODE_ACCURATE : OV_SIM_MODE_FAST, 0, false);
        add(sim, (ov_sim_body_def){.geometry = wall, .kind = OV_SIM_BODY_KIND_FIXED});
        double speed = 100.0 * 0.2 * 60.0;
        ov_vec3 to = {check_uniform(&r, -3, 3), check_uniform(&r, -3, 3), 0.0};
        ov_vec3 from = {check_uniform(&r, -3, 3), check_uniform(&r, -3, 3),
                        check_uniform(&r, 1.0, 20.0)};
        ov_vec3 way = ov_vec3_normalize(ov_vec3_sub(to, from));
        ov_vec3 turn = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 100.0));
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = g,
                                                      .pose.position = from,
                                                      .velocity = ov_vec3_scale(way, speed),
                                                      .angular_velocity = turn,
                                                      .restitution = i % 5 == 0 ? 0.5 : 0.0});
        for (int k = 0; k < 10; k++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            CHECK(state_of(sim, body).centre.z > 0.0 || fabs(state_of(sim, body).centre.x) > 5.0 ||
                  fabs(state_of(sim, body).centre.y) > 5.0);
            swept += summary_of(sim).swept;
        }
        ov_sim_destroy(sim);
        ov_geometry_destroy(g);
    }
    CHECK(swept > 0);
    ov_geometry_destroy(wall);
}

/** A mass of 2 kg on a spring of 50 N/m along a slider, for 16 of its periods: when it passes the
 *  middle, how far it still goes, and the energy that the summary tells. */
static void test_slider(void) {
    const double mass = 2.0, stiffness = 50.0, far = 0.2,
                 period = 2.0 * M_PI * sqrt(mass / stiffness);
    for (int mode = 0; mode < 2; mode++) {
        ov_sim *sim = sim_of(weightless, (ov_sim_mode)mode, 0, false);
        ov_sim_body body = add(
            sim,
            (ov_sim_body_def){.mass = {.mass = mass, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                              .pose.position = {far, 0, 0}});
        join(sim, (ov_sim_joint_def){
                      .kind = OV_JOINT_KIND_PRISMATIC, .b = body, .stiffness = stiffness});
        double last = far, first_pass = 0.0, pass = 0.0, energy = 0.0, most = 0.0;
        int passes = 0;
        for (int i = 1; i <= 1200; i++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            double x = state_of(sim, body).centre.x;
            ov_sim_summary s = summary_of(sim);
            energy = fmax(energy, fabs(s.kinetic + s.potential - 0.5 * stiffness * far * far));
            most = i > 1100 ? fmax(most, fabs(x)) : 0.0;
            if (last < 0.0 && x >= 0.0) {
                pass = (i - x / (x - last)) / 60.0;
                first_pass = passes++ == 0 ? pass : first_pass;
            }
            last = x;
        }
        double found = (pass - first_pass) / (passes - 1);
        CHECK_NEAR(found, period, 1e-4 * period);
        CHECK_NEAR(most, far, 1e-3);
        CHECK(energy < 1e-9);
        ov_sim_destroy(sim);
    }
}

/** A ball joint with a spring keeps the energy of what it holds; one that is too stiff for the
 *  substeps takes it away, and nothing blows up. */
static void test_stiff_springs(void) {
    for (int i = 0; i < 16; i++) {
        double stiffness = pow(100.0, i / 2);
        ov_sim *sim = sim_of(weightless, (ov_sim_mode)(i % 2), 0, false);
        ov_sim_body body = add(
            sim,
            (ov_sim_body_def){.mass = {.mass = 1, .inertia = {{1, 0, 0}, {0, 2, 0}, {0, 0, 2.5}}},
                              .angular_velocity = {0.5, 0.3, -0.2}});
        join(sim, (ov_sim_joint_def){
                      .kind = OV_JOINT_KIND_SPHERICAL, .b = body, .stiffness = stiffness});
        double start = summary_of(sim).kinetic, most = 0.0, least = INFINITY;
        for (int k = 0; k < 600; k++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            ov_sim_summary s = summary_of(sim);
            most = fmax(most, s.kinetic + s.potential);
            least = fmin(least, s.kinetic + s.potential);
        }
        CHECK(most < 1.02 * start);
        CHECK(least > 0.98 * start || i >= 4);
        ov_sim_destroy(sim);
    }
}

int main(void) {
    check_suite = "test_sim";
    RUN(test_pendulum);
    RUN(test_tumbling);
    RUN(test_bounce);
    RUN(test_chain);
    RUN(test_double_pendulum);
    RUN(test_top);
    RUN(test_momentum);
    RUN(test_cradle);
    RUN(test_tunnel);
    RUN(test_slider);
    RUN(test_stiff_springs);
    return check_finish();
}
