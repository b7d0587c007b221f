/**
 * @file test_motion_sweep_pair.c
 * @brief First contact of two shapes in motion: against closed forms for balls, planes and edges,
 * and against dense samples of the pair query for superovoids.
 */
#include "check.h"

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static ov_vec3 some_vector(check_random *r, double most) {
    return ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, most));
}

static ov_motion *screw(ov_pose first, ov_vec3 point, ov_vec3 axis, double angle, double travel) {
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_screw(first, point, axis, angle, travel, 0.0, 1.0, NULL, &motion));
    return motion;
}

static ov_motion *straight(ov_pose from, ov_pose to) {
    const ov_pose poses[2] = {from, to};
    const double times[2] = {0.0, 1.0};
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_keys(poses, times, 2, OV_SPLINE_LINEAR, NULL, &motion));
    return motion;
}

static ov_shape ball(double radius) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(radius, &shape));
    return shape;
}

/* ---- closed forms */

/** When two balls on straight ways first come within r of each other; infinite: never. */
static double balls_meet(ov_vec3 d, ov_vec3 v, double r) {
    double a = ov_vec3_dot(v, v), b = ov_vec3_dot(d, v), c = ov_vec3_dot(d, d) - r * r;
    double under = b * b - a * c;
    if (c <= 0.0) {
        return 0.0;
    }
    double t = under >= 0.0 ? (-b - sqrt(under)) / a : INFINITY;
    return t >= 0.0 && t <= 1.0 ? t : INFINITY;
}

static void test_balls(void) {
    check_random r = check_random_make(61);
    double worst = 0.0;
    long met = 0, free = 0;
    for (int i = 0; i < 400; i++) {
        double ra = check_uniform(&r, 0.1, 1.0), rb = check_uniform(&r, 0.1, 1.0);
        ov_shape a = ball(ra), b = ball(rb);
        ov_vec3 pa = some_vector(&r, 5.0), qa = some_vector(&r, 5.0);
        ov_vec3 pb = some_vector(&r, 5.0), qb = some_vector(&r, 5.0);
        ov_motion *ma =
            straight((ov_pose){pa, check_rotation(&r)}, (ov_pose){qa, check_rotation(&r)});
        ov_motion *mb =
            straight((ov_pose){pb, check_rotation(&r)}, (ov_pose){qb, check_rotation(&r)});
        ov_sweep_options options = ov_default_sweep_options();
        options.clearance = i % 2 == 0 ? 0.0 : check_uniform(&r, 0.0, 0.3);
        ov_vec3 d = ov_vec3_sub(pb, pa);
        ov_vec3 v = ov_vec3_sub(ov_vec3_sub(qb, qa), d);
        double expected = balls_meet(d, v, ra + rb + options.clearance);
        ov_sweep_pair pair = {&a, &b, ma, mb, origin, origin};
        ov_first_contact first;
        ov_status status = ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first);
        if (isfinite(expected)) {
            met++;
            CHECK_OK(status);
            CHECK(first.answer == OV_SWEEP_ANSWER_CONTACT);
            CHECK(first.lower <= expected + 1e-13 && first.upper >= expected - 1e-13);
            CHECK(first.upper - first.lower <= 1e-6);
            worst = fmax(worst, fmax(expected - first.lower, first.upper - expected));
        } else {
            free++;
            CHECK(first.answer == OV_SWEEP_ANSWER_FREE);
            CHECK(first.lower == 1.0);
        }
        ov_motion_destroy(ma);
        ov_motion_destroy(mb);
    }
    CHECK(met > 40 && free > 40);
    check_worst("first contact of balls", worst, 1e-6);
}

/** A ball that passes a point at a distance: how close may it be for a proof? */
static void test_graze(void) {
    ov_shape a = ball(1.0), b = ball(0.5);
    for (int k = 0; k < 24; k++) {
        double beyond = (k % 2 == 0 ? 1.0 : -1.0) * pow(10.0, -1.0 - k / 2 * 0.75);
        double y = 1.5 + beyond;
        ov_motion *m = straight((ov_pose){{-5.0, y, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                                (ov_pose){{5.0, y, 0.0}, {0.0, 1.0, 0.0, 0.0}});
        ov_sweep_pair pair = {&a, &b, m, NULL, origin, origin};
        ov_first_contact first;
        (void)ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first);
        double expected =
            balls_meet(ov_vec3_make(5.0, -y, 0.0), ov_vec3_make(-10.0, 0.0, 0.0), 1.5);
        if (beyond > 0.0) {
            CHECK(first.answer != OV_SWEEP_ANSWER_CONTACT);
            CHECK(beyond < 1e-7 || first.answer == OV_SWEEP_ANSWER_FREE);
        } else {
            CHECK(first.answer != OV_SWEEP_ANSWER_FREE);
            CHECK(first.lower <= expected + 1e-13);
            CHECK(beyond > -1e-7 || first.answer == OV_SWEEP_ANSWER_CONTACT);
        }
        ov_motion_destroy(m);
    }
}

/** A ball off the middle of a spinning frame comes down on a floor. */
static void test_floor(void) {
    check_random r = check_random_make(62);
    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        ov_shape a = ball(0.2), floor;
        ov_vec3 n = check_unit_vector(&r);
        double offset = check_uniform(&r, -1.0, 1.0), way = check_uniform(&r, 1.0, 20.0);
        CHECK_OK(ov_shape_make_halfspace(n, offset, &floor));
        // turns about the normal, so the height falls evenly, from 3 above the floor
        ov_pose first_pose = {ov_vec3_scale(n, offset + 3.0), check_rotation(&r)};
        ov_motion *m = screw(first_pose, ov_vec3_make(0.0, 0.0, 0.0), n, 40.0, -way);
        ov_vec3 arm = some_vector(&r, 1.0);
        double height = 3.0 + ov_vec3_dot(n, ov_quat_rotate(first_pose.rotation, arm));
        ov_sweep_pair pair = {&a, &floor, m, NULL, {arm, {1.0, 0.0, 0.0, 0.0}}, origin};
        double expected = (height - 0.2) / way;
        ov_first_contact first;
        CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first));
        CHECK(first.answer == (expected <= 1.0 ? OV_SWEEP_ANSWER_CONTACT : OV_SWEEP_ANSWER_FREE));
        if (expected <= 1.0) {
            CHECK(first.lower <= expected + 1e-12 && first.upper >= expected - 1e-12);
            worst = fmax(worst, first.upper - first.lower);
        }
        ov_motion_destroy(m);
    }
    check_worst("first contact with a floor", worst, 1e-6);
}

/** A thin rod spins a thousand times while a ball stands just outside, or inside, of its tips. */
static void test_fast_spin(void) {
    ov_shape rod, b = ball(0.1);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 0.01, 0.01), &rod));
    ov_motion *m =
        screw(origin, ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(0.0, 0.0, 1.0), 2000.0 * M_PI, 0.0);
    double tip = sqrt(1.0 + 1e-4); // of the section in which it spins
    for (int k = 0; k < 2; k++) {
        double gap = k == 0 ? 1e-3 : -1e-3;
        ov_pose at = {{0.0, tip + 0.1 + gap, 0.0}, {1.0, 0.0, 0.0, 0.0}};
        ov_sweep_pair pair = {&rod, &b, m, NULL, origin, at};
        ov_first_contact first;
        CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first));
        CHECK(first.answer == (k == 0 ? OV_SWEEP_ANSWER_FREE : OV_SWEEP_ANSWER_CONTACT));
        CHECK(k == 0 || first.upper < 0.001); // within the first half turn
    }
    ov_motion_destroy(m);
}

/** A small ball crosses a thin plate within a ten-thousandth of the time. */
static void test_thin_plate(void) {
    ov_shape plate, b = ball(0.01);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(2.0, 2.0, 0.001), &plate));
    ov_motion *m = straight((ov_pose){{0.3, 0.2, -200.0}, {1.0, 0.0, 0.0, 0.0}},
                            (ov_pose){{0.3, 0.2, 300.0}, {1.0, 0.0, 0.0, 0.0}});
    ov_sweep_options options = ov_default_sweep_options();
    options.resolution = 1e-9;
    ov_sweep_pair pair = {&b, &plate, m, NULL, origin, origin};
    ov_first_contact first;
    CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first));
    double expected = (200.0 - 0.011) / 500.0;
    CHECK(first.answer == OV_SWEEP_ANSWER_CONTACT);
    CHECK(first.lower <= expected + 1e-15 && first.upper >= expected - 1e-15);
    CHECK_NEAR(first.lower, expected, 1e-9);
    CHECK_NEAR(first.contact.normal.z, 1.0, 1e-9);
    ov_motion_destroy(m);
}

/** Sizes and times at the ends of what is allowed: squares of speeds do not fit into a number. */
static void test_ends_of_range(void) {
    ov_first_contact first;
    // half a turn of a huge ball on a long arm, through another one, in no time
    ov_shape a = ball(1e59), b = a;
    ov_motion *m = NULL;
    CHECK_OK(ov_motion_create_screw(origin, origin.position, ov_vec3_make(0.0, 0.0, 1.0), 6.0, 0.0,
                                    0.0, 1e-100, NULL, &m));
    ov_sweep_pair pair = {&a, &b, m, NULL, origin, origin};
    pair.pose_a.position.x = 1e60;
    pair.pose_b.position.x = -1e60;
    (void)ov_sweep_pair_first(&pair, 0.0, 1e-100, NULL, &first);
    double expected = (M_PI - 2.0 * asin(0.1)) / 6.0 * 1e-100; // when the middles are 2e59 apart
    CHECK(first.answer != OV_SWEEP_ANSWER_FREE);
    CHECK(first.lower <= expected * (1.0 + 1e-9) && first.upper >= expected * (1.0 - 1e-9));
    ov_motion_destroy(m);
    // a tiny ball creeps towards a tiny box for ever
    a = ball(1e-60);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1e-60, 1e-60, 1e-60), &b));
    for (int k = 0; k < 4; k++) {
        double travel = pow(10.0, -60.0 - k);
        CHECK_OK(ov_motion_create_screw(origin, origin.position, ov_vec3_make(1.0, 0.0, 0.0), 0.0,
                                        travel, 0.0, 1e100, NULL, &m));
        pair = (ov_sweep_pair){&a, &b, m, NULL, origin, origin};
        pair.pose_b.position.x = 2e-60 + 0.6 * travel;
        (void)ov_sweep_pair_first(&pair, 0.0, 1e100, NULL, &first);
        CHECK(first.answer != OV_SWEEP_ANSWER_FREE);
        CHECK(first.lower <= 0.6e100 * (1.0 + 1e-9) && first.upper >= 0.6e100 * (1.0 - 1e-9));
        ov_motion_destroy(m);
    }
}

/** A clock that counts seconds since long ago has few digits for a moment. */
static void test_late_clock(void) {
    ov_shape a = ball(1.0);
    double start = 1.7e9, end = start + 0.1;
    ov_motion *m = NULL;
    CHECK_OK(ov_motion_create_screw(origin, origin.position, ov_vec3_make(1.0, 0.0, 0.0), 0.0, 10.0,
                                    start, end, NULL, &m));
    ov_sweep_pair pair = {&a, &a, m, NULL, origin, origin};
    pair.pose_b.position.x = 5.0;
    ov_sweep_options options = ov_default_sweep_options();
    options.resolution = 1e-9;
    ov_first_contact first;
    (void)ov_sweep_pair_first(&pair, start, end, &options, &first);
    CHECK(first.answer == OV_SWEEP_ANSWER_CONTACT);
    CHECK_NEAR(first.lower, start + 0.03, 1e-5);
    CHECK(first.pieces < 1000);
    ov_motion_destroy(m);
}

/* ---- superovoids against dense samples */

static ov_shape random_superovoid(check_random *r) {
    ov_shape shape;
    for (;;) {
        ov_vec3 a = {check_uniform(r, 0.3, 1.0), check_uniform(r, 0.3, 1.0),
                     check_uniform(r, 0.3, 1.0)};
        double e1 = check_uniform(r, 0.2, 1.3), e2 = check_uniform(r, 0.2, 1.3);
        double tx = check_uniform(r, -0.5, 0.5), ty = check_uniform(r, -0.5, 0.5);
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &shape) == OV_OK) {
            return shape;
        }
    }
}

static ov_contact contact_at(const ov_sweep_pair *pair, double time, ov_warm_start *warm) {
    ov_pose a, b;
    ov_contact contact;
    const ov_pair_options options = {.tolerance = 1e-9, .depth = OV_DEPTH_LOCAL};
    CHECK_OK(ov_motion_pose(pair->motion_a, time, &a));
    CHECK_OK(ov_motion_pose(pair->motion_b, time, &b));
    (void)ov_pair_contact(pair->a, a, pair->b, b, &options, warm, &contact);
    return contact;
}

/** No sample of what is called free is in contact, and where contact is claimed, there is one. */
static void check_answer(const ov_sweep_pair *pair, const ov_first_contact *first, int samples) {
    ov_warm_start warm = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double least = INFINITY;
    for (int k = 0; k <= samples; k++) {
        double t = (double)k / samples;
        if (t > first->lower || (t == first->lower && first->answer != OV_SWEEP_ANSWER_FREE)) {
            break;
        }
        least = fmin(least, contact_at(pair, t, &warm).gap_upper);
    }
    CHECK(least > 0.0);
    if (first->answer == OV_SWEEP_ANSWER_CONTACT) {
        CHECK(contact_at(pair, first->upper, NULL).gap <= 1e-9);
        CHECK(first->contact.gap < 0.01);
    }
}

static void test_superovoids(void) {
    check_random r = check_random_make(63);
    long counts[3] = {0, 0, 0};
    for (int i = 0; i < 120; i++) {
        ov_shape a = random_superovoid(&r), b = random_superovoid(&r);
        ov_vec3 d = check_unit_vector(&r), aside = ov_vec3_cross(d, check_unit_vector(&r));
        ov_pose first_pose = {ov_vec3_scale(d, -5.0), check_rotation(&r)};
        first_pose.position = ov_vec3_add_scaled(first_pose.position, aside, 2.0);
        double turns = i % 3 == 0 ? 20.0 : 0.5;
        ov_motion *ma =
            screw(first_pose, first_pose.position, check_unit_vector(&r), turns * 2.0 * M_PI, 0.0);
        ov_motion *mb = straight((ov_pose){ov_vec3_scale(d, -10.0), check_rotation(&r)},
                                 (ov_pose){{0.0, 0.0, 0.0}, check_rotation(&r)});
        ov_sweep_pair pair = {&a, &b, ma, mb, origin, origin};
        ov_first_contact first;
        CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first));
        counts[first.answer]++;
        check_answer(&pair, &first, 1000);
        ov_motion_destroy(ma);
        ov_motion_destroy(mb);
    }
    CHECK(counts[OV_SWEEP_ANSWER_FREE] > 20 && counts[OV_SWEEP_ANSWER_CONTACT] > 20);
}

/* ---- bad input */

static void test_errors(void) {
    ov_shape a = ball(1.0), floor, none = {.kind = OV_SHAPE_KIND_NONE};
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &floor));
    ov_motion *m = straight(origin, (ov_pose){{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
    ov_sweep_pair pair = {&a, &a, m, NULL, origin, {{9.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    ov_first_contact first;
    ov_sweep_options options = ov_default_sweep_options();
    CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first));
    CHECK_STATUS(ov_sweep_pair_first(NULL, 0.0, 1.0, NULL, &first), OV_ERROR_NULL);
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_sweep_pair_first(&pair, 1.0, 0.0, NULL, &first), OV_ERROR_TIME);
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 2.0, NULL, &first), OV_ERROR_TIME);
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, NAN, NULL, &first), OV_ERROR_NOT_FINITE);
    const double bad[] = {-1.0, 1e300};
    for (int i = 0; i < 2; i++) {
        options.epsilon = bad[i];
        CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first), OV_ERROR_OPTION);
        options = ov_default_sweep_options();
        options.clearance = bad[i];
        CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first), OV_ERROR_OPTION);
        options = ov_default_sweep_options();
    }
    options.depth = 61;
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first), OV_ERROR_OPTION);
    options = ov_default_sweep_options();
    options.resolution = NAN;
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first), OV_ERROR_NOT_FINITE);
    pair.a = &floor;
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first), OV_ERROR_UNBOUNDED);
    pair.a = &none;
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first), OV_ERROR_SHAPE);
    pair.a = &a;
    pair.pose_a.rotation = (ov_quat){0.0, 0.0, INFINITY, 0.0};
    CHECK_STATUS(ov_sweep_pair_first(&pair, 0.0, 1.0, NULL, &first), OV_ERROR_NOT_FINITE);
    ov_motion_destroy(m);
}

int main(void) {
    check_suite = "motion_sweep_pair";
    RUN(test_balls);
    RUN(test_graze);
    RUN(test_floor);
    RUN(test_fast_spin);
    RUN(test_thin_plate);
    RUN(test_ends_of_range);
    RUN(test_late_clock);
    RUN(test_superovoids);
    RUN(test_errors);
    return check_finish();
}
