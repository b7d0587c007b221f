/**
 * @file test_sim.c
 * @brief Rigid bodies and joints against the formulas of textbooks, and what must always hold.
 */
#include "sim_cases.h"

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
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 1, false);
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

/** A brick turning about its intermediate axis turns over again and again, at intervals of
 *  2 K(k) / rate; the angular momentum stays. */
static void test_tumbling(void) {
    // moments 1, 2, 3 (kg m^2)
    ov_mass mass = {.mass = 1.0, .inertia = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}};
    ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 10, false);
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

/** A double pendulum of two points against its equations of motion, by Runge-Kutta with small
 *  steps. */
static void double_rates(const double y[4], double d[4]) {
    // unit masses and lengths; angles from the vertical
    double a = y[0], b = y[1], wa = y[2], wb = y[3], g = 9.81, c = cos(a - b), s = sin(a - b);
    double den = 2.0 - c * c;
    d[0] = wa, d[1] = wb;
    d[2] = (-s * (c * wa * wa + wb * wb) - g * (2.0 * sin(a) - sin(b) * c)) / den;
    d[3] = (s * (2.0 * wa * wa + c * wb * wb) - 2.0 * g * (sin(b) - sin(a) * c)) / den;
}

static void double_reference(double y[4], double time, int steps) {
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][4], at[4];
        const double part[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; s++) {
            for (int c = 0; c < 4; c++) {
                at[c] = y[c] + (s > 0 ? h * part[s] * k[s - 1][c] : 0.0);
            }
            double_rates(at, k[s]);
        }
        for (int c = 0; c < 4; c++) {
            y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
    }
}

static double double_pendulum_error(int substeps) {
    // points: their own inertia is small beside that of the rods' length, and taken out by it
    double tiny = 1e-9;
    ov_mass point = {.mass = 1.0, .inertia = {{tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}}};
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, substeps, false);
    ov_sim_body a = add(sim, (ov_sim_body_def){.mass = point, .pose.position = {1, 0, 0}});
    ov_sim_body b = add(sim, (ov_sim_body_def){.mass = point, .pose.position = {2, 0, 0}});
    join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_CONTINUOUS,
                                 .b = a,
                                 .frame_b.position = {-1, 0, 0},
                                 .axis = {0, 1, 0}});
    join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_CONTINUOUS,
                                 .a = a,
                                 .b = b,
                                 .frame_b.position = {-1, 0, 0},
                                 .axis = {0, 1, 0}});
    run_for(sim, 120, 1.0 / 60.0);
    double y[4] = {M_PI / 2.0, M_PI / 2.0, 0.0, 0.0};
    double_reference(y, 2.0, 40000);
    ov_vec3 tip = state_of(sim, b).centre;
    double error = hypot(tip.x - sin(y[0]) - sin(y[1]), tip.z + cos(y[0]) + cos(y[1]));
    ov_sim_summary s = summary_of(sim);
    CHECK(s.joint_error < 1e-10);
    ov_sim_destroy(sim);
    return error;
}

static void test_double_pendulum(void) {
    double coarse = double_pendulum_error(10), fine = double_pendulum_error(20);
    check_worst("double pendulum after 2 s", coarse, 1e-4);
    CHECK(coarse < 1e-4);
    CHECK(fine < 0.3 * coarse); // second order
}

/** A heavy top with its tip held: slow precession at the rate that solves
 *  I1 W^2 cos(a) - L W + m g l = 0, L the momentum of its spin. */
static void test_top(void) {
    double i1 = 0.6, i3 = 0.2, mass = 1.0, l = 0.5, tilt = 0.5, spin = 200.0;
    ov_mass m = {.mass = mass, .inertia = {{i1, 0, 0}, {0, i1, 0}, {0, 0, i3}}};
    double about = i1 + mass * l * l; // about the tip
    // steady precession W: (I3 s - (I1 - I3) W cos a) W = m g l, s the spin in the body
    double c = cos(tilt), qa = -(about - i3) * c, qb = i3 * spin, qc = -mass * 9.81 * l;
    double rate = 2.0 * -qc / (qb + sqrt(qb * qb - 4.0 * qa * qc));
    ov_vec3 axis = {sin(tilt), 0.0, c};
    ov_vec3 w = {spin * axis.x, 0.0, spin * axis.z + rate};
    ov_vec3 centre = ov_vec3_scale(axis, l);
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 10, false);
    ov_sim_body top = add(
        sim, (ov_sim_body_def){.mass = m,
                               .pose = {centre, ov_quat_from_axis_angle((ov_vec3){0, 1, 0}, tilt)},
                               .angular_velocity = w,
                               .velocity = ov_vec3_cross((ov_vec3){0, 0, rate}, centre)});
    join(sim, (ov_sim_joint_def){
                  .kind = OV_JOINT_KIND_SPHERICAL, .b = top, .frame_b.position = {0, 0, -l}});
    run_for(sim, 300, 1.0 / 60.0);
    ov_vec3 at = state_of(sim, top).centre;
    double angle = atan2(at.y, at.x), expected = remainder(rate * 5.0, 2.0 * M_PI);
    check_worst("angle of precession", fabs(remainder(angle - expected, 2.0 * M_PI)) / (5.0 * rate),
                1e-3);
    CHECK(fabs(remainder(angle - expected, 2.0 * M_PI)) < 1e-3 * 5.0 * rate);
    CHECK_NEAR(at.z, l * c, 1e-3 * l);
    ov_sim_destroy(sim);
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

int main(void) {
    check_suite = "test_sim";
    RUN(test_pendulum);
    RUN(test_tumbling);
    RUN(test_bounce);
    RUN(test_double_pendulum);
    RUN(test_top);
    RUN(test_momentum);
    RUN(test_cradle);
    RUN(test_tunnel);
    return check_finish();
}
