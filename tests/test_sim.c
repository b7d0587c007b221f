/**
 * @file test_sim.c
 * @brief Rigid bodies and joints against the formulas of textbooks, and what must always hold.
 */
#include <string.h>

#include "check.h"

static ov_geometry *geometry_of(ov_shape shape) {
    ov_part part = {.shape = shape};
    ov_geometry *g = NULL;
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

static ov_geometry *ball_of(double radius) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(radius, &shape));
    return geometry_of(shape);
}

static ov_geometry *ground(ov_vec3 normal) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_halfspace(normal, 0.0, &shape));
    return geometry_of(shape);
}

static ov_sim *sim_of(ov_vec3 gravity, ov_sim_mode mode, int substeps) {
    ov_sim_options options = {.gravity = gravity, .mode = mode, .substeps = substeps};
    options.threads.count = 1;
    ov_sim *sim = NULL;
    CHECK_OK(ov_sim_create(&options, &sim));
    return sim;
}

static const ov_vec3 down = {0.0, 0.0, -9.81};
static const ov_vec3 weightless = {0.0, 0.0, OV_ZERO};

static ov_sim_body add(ov_sim *sim, ov_sim_body_def def) {
    ov_sim_body body = 0;
    CHECK_OK(ov_sim_add_body(sim, &def, &body));
    return body;
}

static ov_sim_joint join(ov_sim *sim, ov_sim_joint_def def) {
    ov_sim_joint joint = 0;
    CHECK_OK(ov_sim_add_joint(sim, &def, &joint));
    return joint;
}

static ov_sim_body_state state_of(const ov_sim *sim, ov_sim_body body) {
    ov_sim_body_state state;
    CHECK_OK(ov_sim_body_get(sim, body, &state));
    return state;
}

static ov_sim_summary summary_of(const ov_sim *sim) {
    ov_sim_summary summary;
    CHECK_OK(ov_sim_summarize(sim, &summary));
    return summary;
}

static void run_for(ov_sim *sim, int frames, double dt) {
    for (int i = 0; i < frames; i++) {
        if (!CHECK_OK(ov_sim_step(sim, dt))) {
            return;
        }
    }
}

/** Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic_k(double k) {
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * M_PI / a;
}

/** A ball on a rod, let go at 90 degrees: 4 K(sin 45) sqrt(I / (m g l)). */
static void pendulum(ov_joint_kind kind) {
    ov_geometry *g = ball_of(0.1);
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 1);
    ov_sim_body bob = add(sim, (ov_sim_body_def){.geometry = g, .pose.position = {1.0, 0.0, 0.0}});
    join(sim, (ov_sim_joint_def){
                  .kind = kind, .b = bob, .frame_b.position = {-1.0, 0.0, 0.0}, .axis = {0, 1, 0}});
    double expected = 4.0 * elliptic_k(sin(M_PI / 4.0)) * sqrt((0.4 * 0.01 + 1.0) / 9.81);
    double first = 0.0, last = 0.0, x = 1.0;
    int passes = 0;
    for (int i = 0; i < 6000; i++) { // a substep each: as 10 of 1/60 s
        CHECK_OK(ov_sim_step(sim, 1.0 / 600.0));
        double next = state_of(sim, bob).centre.x;
        if (x > 0.0 && next <= 0.0) {
            last = (i + x / (x - next)) / 600.0;
            first = passes++ == 0 ? last : first;
        }
        x = next;
    }
    double period = (last - first) / (passes - 1);
    check_worst("period of a pendulum", fabs(period / expected - 1.0), 1e-5);
    CHECK_NEAR(period, expected, 1e-5 * expected);
    ov_sim_summary s = summary_of(sim);
    CHECK_NEAR(s.kinetic + s.potential, 0.0, 1e-4 * 9.81 * 4.19);
    CHECK(s.joint_error < 1e-12);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
}

static void test_pendulum(void) {
    pendulum(OV_JOINT_KIND_SPHERICAL);
    pendulum(OV_JOINT_KIND_CONTINUOUS);
}

/** Dropped on the floor: each bounce is half as fast as the one before, and then it rests. */
static void test_bounce(void) {
    ov_geometry *g = ball_of(0.1), *floor = ground((ov_vec3){0, 0, 1});
    ov_sim *sim = sim_of(down, OV_SIM_MODE_ACCURATE, 0);
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

/** A brick turning about its intermediate axis turns over again and again, at intervals of
 *  2 K(k) / rate; the angular momentum stays. */
static void test_tumbling(void) {
    // moments 1, 2, 3 (kg m^2)
    ov_mass mass = {.mass = 1.0, .inertia = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}};
    ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 10);
    const ov_vec3 w = {0.01, 5.0, 0.0};
    ov_sim_body body = add(sim, (ov_sim_body_def){.mass = mass, .angular_velocity = w});
    // Euler's equations: with 2T = I.w^2, L^2 = (I w)^2, and I2 between, L^2 > 2 T I2 or not
    double energy2 = w.x * w.x + 2.0 * w.y * w.y, l2 = w.x * w.x + 4.0 * w.y * w.y;
    // here L^2 < 2 T I2, so that the roles of the axes 1 and 3 change places
    double i1 = 3.0, i2 = 2.0, i3 = 1.0;
    double rate = sqrt((i3 - i2) * (l2 - energy2 * i1) / (i1 * i2 * i3));
    double k2 = (i2 - i1) * (energy2 * i3 - l2) / ((i3 - i2) * (l2 - energy2 * i1));
    double interval = 2.0 * elliptic_k(sqrt(k2)) / rate;
    double first = 0.0, last = 0.0, y = 5.0, worst = 0.0;
    int flips = 0;
    for (int i = 0; i < 3600; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        ov_sim_body_state s = state_of(sim, body);
        double next = ov_quat_rotate(ov_quat_conjugate(s.pose.rotation), s.angular_velocity).y;
        if (y * next < 0.0) {
            last = (i + y / (y - next)) / 60.0;
            first = flips++ == 0 ? last : first;
        }
        y = next;
        worst = fmax(worst, fabs(ov_vec3_length(s.angular_momentum) / sqrt(l2) - 1.0));
    }
    double measured = (last - first) / (flips - 1);
    check_worst("interval between flips", fabs(measured / interval - 1.0), 1e-4);
    check_worst("length of the angular momentum", worst, 1e-13);
    CHECK(flips > 5);
    CHECK_NEAR(measured, interval, 1e-4 * interval);
    CHECK(worst < 1e-13);
    ov_sim_summary s = summary_of(sim);
    CHECK_NEAR(2.0 * s.kinetic, energy2, 1e-4 * energy2);
    ov_sim_destroy(sim);
}

int main(void) {
    check_suite = "test_sim";
    RUN(test_pendulum);
    RUN(test_tumbling);
    RUN(test_bounce);
    return check_finish();
}
