/**
 * @file test_sim_contact.c
 * @brief Contacts of simulated bodies: friction, rolling, stacks, limits, chains and a puppet.
 */
#include "../bench/puppet.h"
#include "../bench/sim_motions.h"
#include <ovoid/sim_cloth.h>

#include "sim_cases.h"

/** A slope: gravity tilted about y, so that the ground stays level. */
static ov_vec3 tilted(double angle) {
    return (ov_vec3){9.81 * sin(angle), 0.0, -9.81 * cos(angle)};
}

static ov_sim *on_slope(double angle, ov_geometry *floor, double friction) {
    ov_sim *sim = sim_of(tilted(angle), OV_SIM_MODE_ACCURATE, 0, angle == 0.0);
    add(sim,
        (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED, .friction = friction});
    return sim;
}

/** A block rests up to tan(angle) = mu and slips beyond, to 1 %. */
static void test_slip(void) {
    ov_geometry *floor = ground((ov_vec3){0, 0, 1});
    ov_shape shape;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.2, 0.2, 0.1}, &shape));
    ov_geometry *block = geometry_of(shape);
    double friction = 0.4;
    for (int side = -1; side <= 1; side += 2) {
        double angle = atan(friction * (1.0 + 0.01 * side));
        ov_sim *sim = on_slope(angle, floor, friction);
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = block,
                                                      .pose.position = {0.0, 0.0, 0.1},
                                                      .friction = friction});
        run_for(sim, 120, 1.0 / 60.0);
        double way = state_of(sim, body).centre.x;
        // slipping: (sin - mu cos) g t^2 / 2
        double expected = 0.5 * 9.81 * (sin(angle) - friction * cos(angle)) * 4.0;
        if (side < 0) {
            CHECK(fabs(way) < 1e-3);
        } else {
            CHECK_NEAR(way, expected, 0.05 * expected);
        }
        ov_sim_destroy(sim);
    }
    ov_geometry_destroy(block);
    ov_geometry_destroy(floor);
}

static void test_rolling(void) {
    for (int ellipsoid = 0; ellipsoid < 2; ellipsoid++) {
        double error = motion_rolling(ellipsoid == 1, 10);
        check_worst("way of a rolling body", error, 1e-4);
        CHECK(error < 1e-4);
    }
}

/** Rolling resistance stops a ball after v^2 / (2 a), a = 5/7 g arm / r. */
static void test_rolling_resistance(void) {
    ov_geometry *floor = ground((ov_vec3){0, 0, 1}), *g = ball_of(0.1);
    ov_sim *sim = on_slope(0.0, floor, 0.5);
    ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = g,
                                                  .pose.position = {0.0, 0.0, 0.1},
                                                  .velocity = {1.0, 0.0, 0.0},
                                                  .angular_velocity = {0.0, 10.0, 0.0},
                                                  .rolling = 0.005});
    run_for(sim, 300, 1.0 / 60.0);
    double expected = 1.0 / (2.0 * 9.81 * 0.05 / 1.4);
    CHECK_NEAR(state_of(sim, body).centre.x, expected, 0.03 * expected);
    CHECK(state_of(sim, body).asleep);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
    ov_geometry_destroy(floor);
}

/** A hanging chain comes to rest along the catenary y = c cosh(x / c) of its length and span. */
static void test_catenary(void) {
    enum { LINKS = 40 };
    double length = 4.0, span = 3.0, each = length / LINKS, tiny = 1e-4;
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 4, false);
    ov_mass rod = {.mass = each,
                   .inertia = {{tiny, 0, 0},
                               {0, each * each * each / 12.0 + tiny, 0},
                               {0, 0, each * each * each / 12.0 + tiny}}};
    ov_sim_body links[LINKS], last = 0;
    // it begins as a V
    double rise = sqrt(0.25 * length * length - 0.25 * span * span), tilt = atan2(rise, 0.5 * span);
    for (int i = 0; i < LINKS; i++) {
        double s = (i + 0.5) * each, part = s < 0.5 * length ? s : length - s;
        double x = s < 0.5 * length ? part * cos(tilt) : span - part * cos(tilt);
        double angle = s < 0.5 * length ? tilt : -tilt;
        links[i] =
            add(sim, (ov_sim_body_def){.mass = rod,
                                       .pose = {{x, 0.0, -part * sin(tilt)},
                                                ov_quat_from_axis_angle((ov_vec3){0, 1, 0}, angle)},
                                       .damping = 1.0,
                                       .angular_damping = 1.0});
        join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_SPHERICAL,
                                     .a = last,
                                     .b = links[i],
                                     .frame_a.position = {last != 0 ? 0.5 * each : 0.0, 0, 0},
                                     .frame_b.position = {-0.5 * each, 0, 0}});
        last = links[i];
    }
    join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_SPHERICAL,
                                 .a = last,
                                 .frame_a.position = {0.5 * each, 0, 0},
                                 .frame_b.position = {span, 0, 0}});
    run_for(sim, 900, 1.0 / 60.0);
    double low = 0.1, high = 100.0; // length = 2 c sinh(span / 2c)
    for (int i = 0; i < 200; i++) {
        double c = 0.5 * (low + high);
        *(2.0 * c * sinh(0.5 * span / c) > length ? &low : &high) = c;
    }
    double sag = low * (cosh(0.5 * span / low) - 1.0), deepest = 0.0;
    for (int i = 0; i < LINKS; i++) {
        deepest = fmax(deepest, -state_of(sim, links[i]).centre.z);
    }
    check_worst("sag of a chain", fabs(deepest / sag - 1.0), 0.005);
    CHECK_NEAR(deepest, sag, 0.005 * sag);
    check_worst("joints of a chain held at both ends", summary_of(sim).joint_error, 1e-3 * length);
    CHECK(summary_of(sim).joint_error < 1e-3 * length); // a loop, solved by iteration
    ov_sim_destroy(sim);
}

/** A weight of a thousand times the mass at the end of a chain. Light links under tension T are
 *  strings, which swing at w^2 = 4 T / (m l): the substeps must follow that. */
static double chain_error(int links, int substeps) {
    ov_geometry *g = ball_of(0.05);
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, substeps, false);
    ov_sim_body last = 0;
    for (int i = 0; i < links; i++) {
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = g,
                                                      .mass.mass = i == links - 1 ? 1000.0 : 1.0,
                                                      .no_contacts = true,
                                                      .pose.position = {0.1 * (i + 1), 0.0, 0.0}});
        join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_SPHERICAL,
                                     .a = last,
                                     .b = body,
                                     .frame_b.position = {-0.1, 0, 0}});
        last = body;
    }
    double worst = 0.0;
    for (int i = 0; i < 120; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        worst = fmax(worst, summary_of(sim).joint_error);
    }
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
    return worst;
}

static void test_mass_ratio(void) {
    double two = chain_error(2, 4), ten = chain_error(10, 100);
    check_worst("joints under a thousandfold mass, two links", two, 1e-4);
    check_worst("joints under a thousandfold mass, ten links", ten, 1e-4);
    CHECK(two < 1e-4 && ten < 1e-4);
}

/** Thrown down stairs. The study `ovoid-bench sim` does it a thousand times. */
static void test_puppet(void) {
    check_random r = check_random_make(3);
    puppet_parts parts = puppet_parts_make();
    puppet_worst worst = {0};
    for (int k = 0; k < check_share(3); k++) {
        ov_sim *sim = sim_of(down, OV_SIM_MODE_ACCURATE, 30, false);
        puppet p;
        CHECK_OK(stairs_add(sim, &parts));
        ov_pose pose = {{check_uniform(&r, -0.5, 0.5), 0.0, 2.6},
                        ov_quat_from_axis_angle(check_unit_vector(&r), check_uniform(&r, 0, 0.8))};
        ov_vec3 v = {0.0, check_uniform(&r, 0.0, 4.0), 0.0};
        CHECK_OK(puppet_add(sim, &parts, pose, v, check_unit_vector(&r), &p));
        for (int i = 0; i < 90; i++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            puppet_measure(sim, &p, &worst);
        }
        ov_sim_destroy(sim);
    }
    check_worst("joints of a puppet, of its height", worst.joint, 1e-3);
    check_worst("limits of a puppet, degrees", worst.limit, 1.0);
    check_worst("depth of a puppet, of its height", worst.depth, 1e-3);
    CHECK(worst.joint < 1e-3 && worst.limit < 1.0 && worst.depth < 1e-3 && worst.speed < 30.0);
    puppet_parts_free(&parts);
}

static double weight_of(const ov_sim *sim, const puppet *p) {
    double mass = 0.0;
    for (int i = 0; i < PUPPET_BODIES; i++) {
        ov_sim_body_def def;
        CHECK_OK(ov_sim_body_def_of(sim, p->bodies[i], &def));
        mass += def.mass.mass;
    }
    return 9.81 * mass;
}

/** Throws the puppet of a seed; the most energy that it gains over the least before, in joules, but
 *  for what it takes to lift it out of what it has sunk into: limbs are 16 m/s fast, and in the
 *  fast mode go in by 2 % of its height for a frame or two. */
static double throw_gain(ov_sim_mode mode, uint64_t seed, double speed, double fall, int frames,
                         puppet_worst *worst) {
    check_random r = check_random_make(seed);
    puppet_parts parts = puppet_parts_make();
    ov_sim *sim = sim_of(down, mode, 0, false);
    puppet p;
    CHECK_OK(stairs_add(sim, &parts));
    ov_pose pose = {{check_uniform(&r, -0.5, 0.5), 0.0, 2.6},
                    ov_quat_from_axis_angle(check_unit_vector(&r), check_uniform(&r, 0, 0.8))};
    ov_vec3 v = {0.0, check_uniform(&r, 0.0, speed), -fall};
    CHECK_OK(puppet_add(sim, &parts, pose, v, check_unit_vector(&r), &p));
    double least = INFINITY, gain = 0.0, weight = weight_of(sim, &p);
    for (int i = 0; i < frames; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        puppet_measure(sim, &p, worst);
        double energy = summary_of(sim).kinetic + summary_of(sim).potential;
        least = fmin(least, energy);
        gain = fmax(gain, energy - least - weight * worst->depth * puppet_height);
    }
    ov_sim_destroy(sim);
    puppet_parts_free(&parts);
    return gain;
}

/** Throws that once blew up: limbs held by their contacts while gravity went on (gentle ones), and
 *  contacts and joints that pushed against each other without end (hard ones). */
static void test_throws_that_blew_up(void) {
    puppet_worst gentle = {0}, hard = {0};
    double gain = fmax(throw_gain(OV_SIM_MODE_FAST, 12, 4.0, 0.0, 180, &gentle),
                       throw_gain(OV_SIM_MODE_FAST, 64, 4.0, 0.0, 180, &gentle));
    check_worst("energy that thrown puppets gain, J", gain, 20.0);
    CHECK(gain < 20.0 && gentle.speed < 25.0);
    gain = fmax(throw_gain(OV_SIM_MODE_FAST, 3, 15.0, 15.0, 90, &hard),
                throw_gain(OV_SIM_MODE_ACCURATE, 3, 15.0, 15.0, 90, &hard));
    check_worst("energy that puppets thrown hard gain, J", gain, 20.0);
    CHECK(gain < 20.0 && hard.speed < 60.0 && hard.joint < 0.05);
}

/** Joints that run into their limits while they are put right keep their positions. */
static void test_limits_hold(void) {
    puppet_worst worst = {0};
    throw_gain(OV_SIM_MODE_ACCURATE, 11, 4.0, 0.0, 120, &worst);
    throw_gain(OV_SIM_MODE_ACCURATE, 14, 4.0, 0.0, 120, &worst);
    check_worst("joints that run into limits, of the height", worst.joint, 1e-6);
    CHECK(worst.joint < 1e-6);
}

/** Elastic bodies without friction in a closed box keep their energy, bounce after bounce. */
static void test_elastic_energy(void) {
    check_random r = check_random_make(8);
    ov_geometry *g = ball_of(0.1), *walls[6];
    ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 1, false);
    const ov_vec3 normals[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int i = 0; i < 6; i++) {
        walls[i] = ground(normals[i]);
        add(sim, (ov_sim_body_def){.geometry = walls[i],
                                   .kind = OV_SIM_BODY_KIND_FIXED,
                                   .friction = OV_ZERO,
                                   .pose.position = ov_vec3_scale(normals[i], -0.6)});
    }
    for (int i = 0; i < 8; i++) {
        ov_vec3 at = {i & 1 ? 0.3 : -0.3, i & 2 ? 0.3 : -0.3, i & 4 ? 0.3 : -0.3};
        add(sim, (ov_sim_body_def){.geometry = g,
                                   .pose.position = at,
                                   .velocity = check_unit_vector(&r),
                                   .friction = OV_ZERO,
                                   .restitution = 1.0});
    }
    double start = summary_of(sim).kinetic, worst = 0.0;
    int steps = check_share(100000);
    for (int i = 0; i < steps; i++) {
        if (!CHECK_OK(ov_sim_step(sim, 1.0 / 600.0))) {
            break;
        }
        worst = i % 100 == 0 ? fmax(worst, fabs(summary_of(sim).kinetic / start - 1.0)) : worst;
    }
    check_worst("energy of elastic balls", worst, 0.01);
    CHECK(worst < 0.01);
    ov_sim_destroy(sim);
    for (int i = 0; i < 6; i++) {
        ov_geometry_destroy(walls[i]);
    }
    ov_geometry_destroy(g);
}

/** Heights of a ball's bounces against e^2n, until they are no bounces any more. */
static void test_heights(void) {
    const double e[4] = {0.2, 0.5, 0.7, 0.9}, start = 1.0, radius = 0.2;
    double worst = 0.0;
    ov_geometry *ball = ball_of(radius), *floor = ground((ov_vec3){0, 0, 1});
    for (int i = 0; i < 8; i++) {
        ov_sim *sim = sim_of(down, i < 4 ? OV_SIM_MODE_FAST : OV_SIM_MODE_ACCURATE, 0, false);
        add(sim, (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED});
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = ball,
                                                      .restitution = e[i % 4],
                                                      .pose.position = {0, 0, start + radius}});
        double before = -1.0, wanted = start;
        for (int k = 0; k < 300; k++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            ov_sim_body_state s = state_of(sim, body);
            if (s.velocity.z > 0.0 && before <= 0.0) {
                wanted *= e[i % 4] * e[i % 4];
                double top = s.centre.z - radius + 0.5 * s.velocity.z * s.velocity.z / 9.81;
                if (wanted < 0.02) {
                    break;
                }
                worst = fmax(worst, fabs(top / wanted - 1.0));
            }
            before = s.velocity.z;
        }
        CHECK(wanted < 0.05 || e[i % 4] > 0.8);
        ov_sim_destroy(sim);
    }
    check_worst("heights of bounces, relative", worst, 1e-9);
    CHECK(worst < 1e-9);
    ov_geometry_destroy(ball);
    ov_geometry_destroy(floor);
}

/**
 * A ball that does not turn hits a floor aslant. Friction takes mu (1 + e) of its speed down from
 * the one along the floor, at the arm of the radius; where that is enough to stop its slip, it
 * rolls on at 5/7 of that speed. The bounce begins a little above the floor, which makes the arm
 * longer.
 */
static void test_aslant(void) {
    static const double cases[4][4] = {// restitution, friction, speed along and down
                                       {0.5, 0.3, 5.0, 1.0},
                                       {0.8, 0.05, 2.0, 3.0},
                                       {1.0, 1.0, 2.0, 3.0},
                                       {0.7, 0.4, 1.0, 2.0}};
    const double radius = 0.1;
    double worst = 0.0;
    ov_geometry *ball = ball_of(radius), *floor = ground((ov_vec3){0, 0, 1});
    for (int i = 0; i < 8; i++) {
        const double e = cases[i % 4][0], mu = cases[i % 4][1], u = cases[i % 4][2],
                     down_speed = cases[i % 4][3];
        ov_sim *sim = sim_of(weightless, i < 4 ? OV_SIM_MODE_FAST : OV_SIM_MODE_ACCURATE, 0, false);
        add(sim,
            (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED, .friction = mu});
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = ball,
                                                      .friction = mu,
                                                      .restitution = e,
                                                      .pose.position = {0, 0, 0.52},
                                                      .velocity = {u, 0, -down_speed}});
        run_for(sim, 40, 1.0 / 60.0);
        ov_sim_body_state s = state_of(sim, body);
        double along = fmax(u - mu * (1.0 + e) * down_speed, 5.0 / 7.0 * u);
        CHECK_NEAR(s.velocity.z, e * down_speed, 1e-12);
        worst = fmax(worst, fabs(s.velocity.x - along) / u);
        worst = fmax(worst, fabs(radius * s.angular_velocity.y - 2.5 * (u - along)) / u);
        ov_sim_destroy(sim);
    }
    check_worst("friction of bounces, of the speed", worst, 1e-9);
    CHECK(worst < 1e-9);
    ov_geometry_destroy(ball);
    ov_geometry_destroy(floor);
}

/** Balls of unequal masses that hit each other aslant, without friction: velocities by the formula,
 *  to the angle by which the normal turns in a substep. In the fast mode it is found anew for it.
 */
static void test_billiards(void) {
    static const double cases[4][4] = {// masses, restitution, how far aside
                                       {1.0, 1.0, 1.0, 0.05},
                                       {1.0, 3.0, 0.7, 0.1},
                                       {1.0, 1000.0, 0.9, 0.15},
                                       {1000.0, 1.0, 0.5, 0.05}};
    const double radius = 0.1, speed = 3.0;
    double worst = 0.0;
    ov_geometry *ball = ball_of(radius);
    for (int i = 0; i < 8; i++) {
        const double m1 = cases[i % 4][0], m2 = cases[i % 4][1], e = cases[i % 4][2],
                     aside = cases[i % 4][3];
        ov_sim *sim = sim_of(weightless, (ov_sim_mode)(i / 4), 0, false);
        ov_sim_body_def def = {
            .geometry = ball, .friction = OV_ZERO, .restitution = e, .mass.mass = m2};
        ov_sim_body b = add(sim, def);
        def.mass.mass = m1;
        def.pose.position = (ov_vec3){-1.0, aside, 0.0};
        def.velocity = (ov_vec3){speed, 0.0, 0.0};
        ov_sim_body a = add(sim, def);
        run_for(sim, 40, 1.0 / 60.0);
        double sine = 0.5 * aside / radius, cosine = sqrt(1.0 - sine * sine);
        double impulse = (1.0 + e) * speed * cosine / (1.0 / m1 + 1.0 / m2);
        ov_vec3 n = {cosine, -sine, 0.0};
        ov_vec3 va = ov_vec3_add_scaled(def.velocity, n, -impulse / m1);
        ov_vec3 vb = ov_vec3_scale(n, impulse / m2);
        double off_a = ov_vec3_length(ov_vec3_sub(state_of(sim, a).velocity, va));
        double off_b = ov_vec3_length(ov_vec3_sub(state_of(sim, b).velocity, vb));
        worst = fmax(worst, fmax(off_a, off_b) / speed);
        ov_sim_destroy(sim);
    }
    check_worst("speeds of billiard balls", worst, 0.045);
    CHECK(worst < 0.045);
    ov_geometry_destroy(ball);
}

/** Frames of any length follow each other: three boxes on each other stay where they are. */
static void test_lengths(void) {
    static const double frames[9] = {1e-6,       1.0 / 60.0, 1e-3, 0.1,       1e-5,
                                     1.0 / 60.0, 1e-9,       1e-4, 1.0 / 30.0};
    ov_shape shape;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.1, 0.1, 0.1}, &shape));
    ov_geometry *box = geometry_of(shape), *floor = ground((ov_vec3){0, 0, 1});
    for (int mode = 0; mode < 2; mode++) {
        ov_sim *sim = sim_of(down, (ov_sim_mode)mode, 0, false);
        ov_sim_body bodies[3];
        add(sim, (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED});
        for (int i = 0; i < 3; i++) {
            bodies[i] = add(
                sim, (ov_sim_body_def){.geometry = box, .pose.position = {0, 0, 0.1 + 0.2 * i}});
        }
        run_for(sim, 60, 1.0 / 60.0);
        for (int k = 0; k < 45; k++) {
            CHECK_OK(ov_sim_step(sim, frames[k / 5]));
            for (int i = 0; i < 3; i++) {
                ov_sim_body_state s = state_of(sim, bodies[i]);
                CHECK_NEAR(s.centre.z, 0.1 + 0.2 * i, 0.01);
                CHECK(ov_vec3_length(s.velocity) < 0.15);
            }
        }
        ov_sim_destroy(sim);
    }
    ov_geometry_destroy(box);
    ov_geometry_destroy(floor);
}

/** Flat discs at 50 to 1,000 of their sizes per frame, askew, against thin plates: friction makes
 *  them spin by thousands of turns per second, but not go through edge first. */
static void test_discs(void) {
    enum { THROWS = 100 };
    ov_shape disc, plate;
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.05, 0.05, 0.01}, 0.2, 0.9, &disc));
    CHECK_OK(ov_shape_make_box((ov_vec3){5.0, 5.0, 0.005}, &plate));
    ov_geometry *flat = geometry_of(disc), *wall = geometry_of(plate);
    check_random r = check_random_make(11);
    int passed = 0;
    for (int i = 0; i < THROWS; i++) {
        ov_sim *sim =
            sim_of(weightless, i % 2 == 0 ? OV_SIM_MODE_FAST : OV_SIM_MODE_ACCURATE, 0, false);
        add(sim, (ov_sim_body_def){.geometry = wall, .kind = OV_SIM_BODY_KIND_FIXED});
        ov_vec3 from = {check_uniform(&r, -3, 3), check_uniform(&r, -3, 3),
                        check_uniform(&r, 0.3, 4)};
        ov_vec3 to = {check_uniform(&r, -3, 3), check_uniform(&r, -3, 3), 0.0};
        ov_vec3 way = ov_vec3_normalize(ov_vec3_sub(to, from));
        ov_vec3 axis = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                        check_uniform(&r, -1, 1)};
        double speed = 6.0 * pow(10.0, check_uniform(&r, 1.7, 3.0));
        ov_sim_body body =
            add(sim, (ov_sim_body_def){.geometry = flat,
                                       .pose = {from, ov_quat_from_axis_angle(axis, 2.0)},
                                       .velocity = ov_vec3_scale(way, speed),
                                       .angular_velocity = ov_vec3_scale(axis, 500.0 * (i % 4))});
        for (int k = 0; k < 30; k++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            ov_vec3 c = state_of(sim, body).centre;
            if (c.z < 0.0 && fabs(c.x) < 5.0 && fabs(c.y) < 5.0) {
                passed++;
                break;
            }
        }
        ov_sim_destroy(sim);
    }
    CHECK(passed == 0);
    ov_geometry_destroy(flat);
    ov_geometry_destroy(wall);
}

/** Light bodies at 50 to 1,000 of their sizes per frame against a cloth held at two sides: each is
 *  caught or thrown back, and is on its own side of the cloth some frames later. */
static void test_cloth_catches(void) {
    enum { CELLS = 12, ROW = CELLS + 1, THROWS = 24 };
    ov_vec3 x[ROW * ROW];
    uint32_t t[2 * CELLS * CELLS][3];
    ov_shape shapes[2];
    CHECK_OK(ov_shape_make_sphere(0.05, &shapes[0]));
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.05, 0.03, 0.02}, 0.3, 0.8, &shapes[1]));
    ov_geometry *things[2] = {geometry_of(shapes[0]), geometry_of(shapes[1])};
    check_random r = check_random_make(3);
    for (int i = 0; i < THROWS; i++) {
        CHECK_OK(ov_cloth_grid_fill((ov_vec3){-1, -1, 0}, (ov_vec3){2, 0, 0}, (ov_vec3){0, 2, 0},
                                    CELLS, CELLS, x, t));
        ov_cloth_options options = {.gravity = {OV_ZERO, OV_ZERO, OV_ZERO}, .threads.count = 1};
        ov_cloth *cloth = NULL;
        CHECK_OK(ov_cloth_create(x, ROW * ROW, (const uint32_t(*)[3])t, 2 * CELLS * CELLS, &options,
                                 &cloth));
        for (uint32_t k = 0; k < ROW; k++) {
            CHECK_OK(ov_cloth_pin(cloth, k, x[k]));
            CHECK_OK(ov_cloth_pin(cloth, CELLS * ROW + k, x[CELLS * ROW + k]));
        }
        ov_sim *sim = sim_of(weightless, (ov_sim_mode)(i % 2), 0, false);
        double speed = 6.0 * pow(10.0, check_uniform(&r, 1.7, 3.0));
        ov_sim_body body = add(
            sim, (ov_sim_body_def){.geometry = things[i / 2 % 2],
                                   .density = 20.0,
                                   .pose.position = {check_uniform(&r, -0.5, 0.5),
                                                     check_uniform(&r, -0.5, 0.5), 0.3},
                                   .velocity = {0, 0, -speed},
                                   .angular_velocity = {check_uniform(&r, -100, 100), 50, -30}});
        for (int k = 0; k < 6; k++) {
            CHECK_OK(ov_sim_step_cloths(sim, &cloth, 1, 1.0 / 60.0));
        }
        ov_sim_body_state s = state_of(sim, body);
        CHECK(s.velocity.z > -0.05 * speed && s.centre.z > -1.0);
        ov_sim_destroy(sim);
        ov_cloth_destroy(cloth);
    }
    ov_geometry_destroy(things[0]);
    ov_geometry_destroy(things[1]);
}

int main(void) {
    check_suite = "test_sim_contact";
    RUN(test_slip);
    RUN(test_rolling);
    RUN(test_rolling_resistance);
    RUN(test_catenary);
    RUN(test_mass_ratio);
    RUN(test_puppet);
    RUN(test_throws_that_blew_up);
    RUN(test_limits_hold);
    RUN(test_elastic_energy);
    RUN(test_heights);
    RUN(test_aslant);
    RUN(test_billiards);
    RUN(test_lengths);
    RUN(test_discs);
    RUN(test_cloth_catches);
    return check_finish();
}
