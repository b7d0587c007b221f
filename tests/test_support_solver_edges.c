/**
 * @file test_support_solver_edges.c
 * @brief The support-based solver where it is hard or special: touching, contained, flat, far too
 * small or large, all kinds against all, questions about a limit, and bad callers.
 */
#include "support_solver_oracle.h"

static ov_vec3 vec(double x, double y, double z) { return ov_vec3_make(x, y, z); }

/* ---- touching: bodies along z, tip to tip, whose gap is that along z */

static void touching_pair(const ov_shape *a, const ov_shape *b, ov_quat q, double reach,
                          double gap) {
    double at = reach + gap;
    ovi_pair p = make_pair(a, b, q, vec(0.0, 0.0, at), 1e-9);
    so_real truth = (so_real)at - (so_real)reach; // what is left of the gap in a double
    ovi_result r = query(&p);
    // two cones that overlap by their tips are less deep sideways
    bool tips = a->e2 == 2.0 && b->e2 == 2.0 && truth < 0.0L;
    CHECK(r.upper >= truth && (tips || r.lower <= truth));
    CHECK(r.solved);
    CHECK(!r.overlap || truth < 0.0L);
    CHECK(r.lower <= 0.0 || truth > 0.0L);
    // a relation that the rounding allows to prove is proven
    CHECK(truth <= 4.0L * p.goal || r.lower > 0.0);
    CHECK(truth >= -4.0L * p.goal || r.overlap);
}

static void test_touching(void) {
    check_random random = check_random_make(201);
    const double gaps[] = {0.0,    1e-13, -1e-13, 1e-12, -1e-12, 1e-11, -1e-11,
                           -1e-10, 1e-9,  -1e-9,  1e-8,  -1e-8,  1e-7,  -1e-7};
    const double exponents[] = {0.05, 0.3, 1.0, 1.5, 2.0};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            ov_shape a, b, box;
            CHECK_OK(
                ov_shape_make_superellipsoid(vec(1.0, 0.5, 0.75), exponents[i], exponents[j], &a));
            CHECK_OK(
                ov_shape_make_superellipsoid(vec(0.25, 2.0, 1.25), exponents[j], exponents[i], &b));
            CHECK_OK(ov_shape_make_box(vec(1.0, 0.5, 0.75), &box));
            for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++) {
                double turn = check_uniform(&random, -3.0, 3.0);
                ov_quat q = ov_quat_from_axis_angle(vec(0.0, 0.0, 1.0), turn);
                touching_pair(&a, &b, q, 2.0, gaps[k]);
                touching_pair(&box, &b, q, 2.0, gaps[k]);
                touching_pair(&a, &a, ov_quat_identity(), 1.5, gaps[k]);
                touching_pair(&box, &box, q, 1.5, gaps[k]);
            }
        }
    }
}

/* ---- contained, concentric, identical */

static void expect_gap(const ov_shape *a, const ov_shape *b, ov_quat q, ov_vec3 offset,
                       double truth) {
    ovi_pair p = make_pair(a, b, q, offset, 1e-9);
    ovi_result r = query(&p);
    CHECK(r.lower <= truth && r.upper >= truth);
    CHECK_NEAR(r.gap, truth, p.goal);
    CHECK(r.overlap == (truth < 0.0));
}

static void test_contained(void) {
    ov_quat one = ov_quat_identity();
    ov_vec3 zero = vec(0.0, 0.0, 0.0);
    ov_shape box, ball, egg, capsule, cylinder, cube, small, point;
    CHECK_OK(ov_shape_make_box(vec(1.0, 2.0, 3.0), &box));
    CHECK_OK(ov_shape_make_box(vec(1.0, 1.0, 1.0), &cube));
    CHECK_OK(ov_shape_make_box(vec(1e-6, 1e-6, 1e-6), &small));
    CHECK_OK(ov_shape_make_sphere(0.5, &ball));
    CHECK_OK(ov_shape_make_ellipsoid(vec(3.0, 2.0, 0.25), &egg));
    CHECK_OK(ov_shape_make_capsule(0.25, 1.0, &capsule));
    CHECK_OK(ov_shape_make_cylinder(0.25, 1.0, &cylinder));
    CHECK_OK(ov_shape_make_point(zero, &point));
    expect_gap(&box, &box, one, zero, -2.0);
    expect_gap(&cube, &cube, one, zero, -2.0);
    expect_gap(&egg, &egg, one, zero, -0.5);
    expect_gap(&ball, &ball, one, zero, -1.0);
    expect_gap(&capsule, &capsule, one, zero, -0.5);
    expect_gap(&cylinder, &capsule, one, zero, -0.5);
    expect_gap(&box, &ball, one, zero, -1.5);
    expect_gap(&box, &ball, one, vec(0.25, 0.5, 0.0), -1.25);
    expect_gap(&box, &egg, one, vec(0.0, 0.0, 2.0), -1.25);
    expect_gap(&box, &small, one, vec(0.5, 1.0, 1.0), -0.5 - 1e-6);
    expect_gap(&box, &point, one, vec(0.0, 1.75, 0.0), -0.25);
    expect_gap(&capsule, &point, one, vec(0.0, 0.125, 0.5), -0.125);
    expect_gap(&capsule, &point, one, vec(0.0, 0.0, 0.5), -0.25);
    // two crossing cores: both skins deep, whichever way
    ov_quat quarter = {sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    expect_gap(&capsule, &capsule, quarter, vec(0.0, 0.5, 0.25), -0.5);
    expect_gap(&capsule, &capsule, one, vec(0.0, 0.0, 1.5), -0.5);
    expect_gap(&capsule, &capsule, one, vec(0.0, 0.25, 0.0), -0.25);
}

/* ---- flat bodies */

/** Bounds hold zero and are as close as the goal: touching, not overlapping. */
static void expect_touch(const ov_shape *a, const ov_shape *b, ov_vec3 offset) {
    ovi_pair p = make_pair(a, b, ov_quat_identity(), offset, 1e-9);
    ovi_result r = query(&p);
    CHECK(r.lower <= 0.0 && r.upper >= 0.0 && r.solved && !r.overlap);
}

static void test_flat(void) {
    ov_shape along_x, along_y, triangle, point;
    ov_vec3 zero = vec(0.0, 0.0, 0.0);
    CHECK_OK(ov_shape_make_segment(vec(-1.0, 0.0, 0.0), vec(2.0, 0.0, 0.0), &along_x));
    CHECK_OK(ov_shape_make_segment(vec(0.0, -1.0, 0.0), vec(0.0, 2.0, 0.0), &along_y));
    CHECK_OK(ov_shape_make_triangle(vec(-1.0, -1.0, 0.0), vec(2.0, -1.0, 0.0), vec(0.0, 2.0, 0.0),
                                    &triangle));
    CHECK_OK(ov_shape_make_point(zero, &point));
    expect_touch(&along_x, &along_y, zero);
    expect_touch(&along_x, &along_x, vec(0.5, 0.0, 0.0));
    expect_touch(&along_x, &along_x, vec(3.0, 0.0, 0.0));
    expect_touch(&triangle, &triangle, vec(0.25, 0.25, 0.0));
    expect_touch(&triangle, &along_x, vec(0.0, 0.0, 0.0));
    expect_touch(&triangle, &point, vec(0.1, 0.2, 0.0));
    expect_touch(&point, &point, zero);
    expect_gap(&point, &point, ov_quat_identity(), vec(3.0, 4.0, 0.0), 5.0);
    expect_gap(&triangle, &point, ov_quat_identity(), vec(0.1, 0.2, 1e-3), 1e-3);
    expect_gap(&along_x, &along_y, ov_quat_identity(), vec(0.0, 0.0, 1e-6), 1e-6);
    expect_gap(&triangle, &triangle, ov_quat_identity(), vec(0.25, 0.25, 0.5), 0.5);
    // a segment through a triangle has a depth: the way out at its nearer end
    ov_shape needle;
    CHECK_OK(ov_shape_make_segment(vec(0.0, 0.0, -0.25), vec(0.0, 0.0, 3.0), &needle));
    expect_gap(&triangle, &needle, ov_quat_identity(), zero, -0.25);
}

/* ---- all kinds */

static ov_vec3 egg_support(const void *user, ov_vec3 d) {
    const ov_shape *egg = user;
    ov_support out;
    return ov_shape_support(egg, d, &out) == OV_OK ? out.point : vec(NAN, NAN, NAN);
}

enum { KINDS = 12 };

/** One of each bounded kind; the custom one is the ellipsoid by a callback. */
static void make_kinds(ov_shape s[KINDS]) {
    static const ov_vec3 corner[] = {
        {0.0, 0.0, 1.5}, {1.0, 0.0, -0.5}, {-0.5, 0.9, -0.5}, {-0.5, -0.9, -0.5}};
    CHECK_OK(ov_shape_make_sphere(0.7, &s[0]));
    CHECK_OK(ov_shape_make_ellipsoid(vec(1.0, 0.4, 0.2), &s[1]));
    CHECK_OK(ov_shape_make_superellipsoid(vec(1.0, 0.5, 0.8), 0.2, 1.6, &s[2]));
    CHECK_OK(ov_shape_make_superovoid(vec(0.6, 0.6, 0.9), 1.0, 0.8, 0.3, 0.3, NULL, &s[3]));
    CHECK_OK(ov_shape_make_box(vec(0.5, 0.6, 0.7), &s[4]));
    CHECK_OK(ov_shape_make_capsule(0.3, 0.9, &s[5]));
    CHECK_OK(ov_shape_make_cylinder(0.5, 0.8, &s[6]));
    CHECK_OK(ov_shape_make_cone(0.8, 0.6, &s[7]));
    CHECK_OK(ov_shape_make_polyhedron(corner, 4, NULL, 0, &s[8]));
    CHECK_OK(ov_shape_make_triangle(corner[0], corner[1], corner[2], &s[9]));
    CHECK_OK(ov_shape_make_segment(corner[1], corner[3], &s[10]));
    CHECK_OK(ov_shape_make_custom(egg_support, &s[1], s[1].ball, &s[11]));
}

/** No oracle: the certificate by supports, the swap, and for the custom body its twin. */
static void test_kinds(void) {
    check_random r = check_random_make(202);
    ov_shape s[KINDS];
    make_kinds(s);
    int solved = 0, pairs = 0;
    for (int i = 0; i < 20 * KINDS * KINDS; i++) {
        const ov_shape *a = &s[i % KINDS], *b = &s[i / KINDS % KINDS];
        ov_quat q = check_rotation(&r);
        double gap = i % 3 == 0   ? check_log_uniform(&r, 1e-9, 1e3)
                     : i % 3 == 1 ? -check_log_uniform(&r, 1e-9, 1.0)
                                  : check_uniform(&r, -1.0, 1.0);
        ov_vec3 offset = offset_for(a, b, q, check_unit_vector(&r), gap);
        ovi_pair p = make_pair(a, b, q, offset, 1e-9), other = swapped(&p);
        ovi_result result = query(&p), turned = query(&other);
        ovi_separation along;
        CHECK_OK(ovi_pair_separation(&p, result.normal, &along));
        CHECK_NEAR(along.gap, result.lower, 2.0 * p.rounding);
        CHECK(result.upper >= gap);
        CHECK(turned.lower <= result.upper && result.lower <= turned.upper);
        if (result.solved) {
            check_points(&p, &result, &r);
        }
        if (b == &s[11]) {
            ovi_pair twin = p;
            twin.b = &s[1];
            ovi_result same = query(&twin);
            CHECK(same.lower <= result.upper && result.lower <= same.upper);
        }
        solved += result.solved;
        pairs++;
    }
    printf("%s: all kinds: %d of %d solved\n", check_suite, solved, pairs);
    CHECK(solved >= pairs * 99 / 100);
}

/* ---- thin as paper and needles, from sharp to flat, of unlike sizes, often aligned */

static ov_shape random_extreme(check_random *r, double aspect, double size) {
    static const double exponents[] = {1e-15, 0.05, 0.3, 1.0, 1.5, 1.999, 2.0};
    ov_vec3 v = {size * check_log_uniform(r, 1.0 / aspect, 1.0),
                 size * check_log_uniform(r, 1.0 / aspect, 1.0),
                 size * check_log_uniform(r, 1.0 / aspect, 1.0)};
    double e1 = exponents[check_random_bits(r) % 7], e2 = exponents[check_random_bits(r) % 7];
    ov_shape s;
    for (;;) {
        ov_status status = OV_OK;
        switch (check_random_bits(r) % 7) {
        case 0:
            status = ov_shape_make_box(v, &s);
            break;
        case 1:
            status = ov_shape_make_cylinder(v.x, v.z, &s);
            break;
        case 2:
            status = ov_shape_make_cone(v.x, v.z, &s);
            break;
        case 3:
            status = ov_shape_make_capsule(v.x, v.z, &s);
            break;
        case 4:
            status = ov_shape_make_triangle(v, vec(-v.x, v.y, 0.5 * v.z),
                                            vec(v.x / 3.0, -v.y, -v.z), &s);
            break;
        case 5: // refused where the taper leaves a dent
            status = ov_shape_make_superovoid(v, e1, e2, 0.3, 0.3, NULL, &s);
            break;
        default:
            status = ov_shape_make_superellipsoid(v, e1, e2, &s);
        }
        if (status == OV_OK) {
            return s;
        }
    }
}

/** All are decided; the separation that the pair was placed by is a lower bound that upper must
 * obey. */
static void test_extreme(void) {
    check_random r = check_random_make(206);
    int overlapping = 0, proven = 0;
    for (int i = 0; i < 6000; i++) {
        double aspect = i % 2 == 0 ? 1e3 : 1e6, u = check_uniform(&r, 0.0, 1.0);
        ov_shape a = random_extreme(&r, aspect, 1.0);
        ov_shape b = random_extreme(&r, aspect, check_log_uniform(&r, 1e-3, 1e3));
        double large = fmax(a.ball.radius, b.ball.radius);
        double gap = u < 0.4   ? -check_log_uniform(&r, 1e-12, 1.0) * fmin(a.ball.radius, 0.01)
                     : u < 0.6 ? check_log_uniform(&r, 1e-13, 1e-6) * large
                               : check_log_uniform(&r, 1e-6, 1e6) * large;
        ov_quat q = i % 3 == 0 ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 d = i % 6 == 0 ? vec(1.0, 0.0, 0.0) : check_unit_vector(&r);
        ovi_pair p = make_pair(&a, &b, q, offset_for(&a, &b, q, d, gap), 1e-9);
        ovi_pair other = swapped(&p);
        ovi_result result = query(&p), turned = query(&other);
        CHECK(result.upper >= gap - p.rounding);
        CHECK(turned.lower <= result.upper && result.lower <= turned.upper);
        CHECK(result.overlap || result.solved);
        overlapping += result.overlap;
        proven += result.overlap && result.solved;
    }
    printf("%s: extreme: %d of %d depths proven to 1e-9\n", check_suite, proven, overlapping);
    CHECK(proven >= overlapping * 95 / 100);
}

/* ---- scales: powers of two change nothing but the unit */

static void test_scales(void) {
    check_random r = check_random_make(203);
    for (int i = 0; i < 300; i++) {
        ov_vec3 axes = {check_uniform(&r, 0.1, 1.0), check_uniform(&r, 0.1, 1.0),
                        check_uniform(&r, 0.1, 1.0)};
        double e = check_uniform(&r, 0.1, 1.9), unit = i % 2 == 0 ? 0x1p-180 : 0x1p180;
        ov_quat q = check_rotation(&r);
        ov_shape a, b, scaled_a, scaled_b;
        CHECK_OK(ov_shape_make_superellipsoid(axes, e, 1.0, &a));
        CHECK_OK(ov_shape_make_box(axes, &b));
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_scale(axes, unit), e, 1.0, &scaled_a));
        CHECK_OK(ov_shape_make_box(ov_vec3_scale(axes, unit), &scaled_b));
        double gap = i % 3 == 0 ? -0.1 : check_log_uniform(&r, 1e-9, 1e9);
        ov_vec3 offset = offset_for(&a, &b, q, check_unit_vector(&r), gap);
        ovi_pair p = make_pair(&a, &b, q, offset, 1e-9);
        ovi_pair scaled = make_pair(&scaled_a, &scaled_b, q, ov_vec3_scale(offset, unit), 1e-9);
        ovi_result result = query(&p), same = query(&scaled);
        CHECK(same.solved == result.solved && same.overlap == result.overlap);
        CHECK_NEAR(same.gap / unit, result.gap, p.goal);
        CHECK(same.lower / unit <= result.upper && result.lower <= same.upper / unit);
    }
    // as far apart as positions can be, of the smallest and the largest bodies
    ov_shape tiny, huge;
    CHECK_OK(ov_shape_make_superellipsoid(vec(1e-60, 2e-60, 1e-60), 0.5, 1.5, &tiny));
    CHECK_OK(ov_shape_make_superellipsoid(vec(1e60, 1e60, 5e59), 1.5, 0.5, &huge));
    ovi_pair p = make_pair(&tiny, &huge, ov_quat_identity(), vec(1e100, 1e100, 1e100), 1e-9);
    ovi_result far = query(&p);
    CHECK(far.solved && far.lower > 0.0 && far.upper >= far.lower);
    CHECK_NEAR(far.gap / 1e100, sqrt(3.0), 1e-12);
    p = make_pair(&tiny, &huge, ov_quat_identity(), vec(0.0, 0.0, 0.0), 1e-9);
    CHECK(query(&p).overlap);
}

/* ---- a limit, and bad callers */

static void test_limit(void) {
    check_random r = check_random_make(204);
    long with = 0, without = 0;
    for (int i = 0; i < 1000; i++) {
        ov_shape a, b;
        CHECK_OK(ov_shape_make_superellipsoid(vec(1.0, 0.5, 0.75), 0.5, 1.2, &a));
        CHECK_OK(ov_shape_make_cone(0.5, 0.5, &b));
        ov_quat q = check_rotation(&r);
        double gap = check_uniform(&r, -0.3, 1.0);
        ov_vec3 offset = offset_for(&a, &b, q, check_unit_vector(&r), gap);
        ovi_pair p = make_pair(&a, &b, q, offset, 1e-9);
        ovi_result whole, asked;
        CHECK_OK(ovi_gjk_distance(&p, p.offset, NULL, &whole));
        p.limit = check_uniform(&r, 0.0, 0.5);
        CHECK_OK(ovi_gjk_distance(&p, p.offset, NULL, &asked));
        CHECK(asked.lower > p.limit || asked.upper <= p.limit);
        CHECK(asked.lower > p.limit ? whole.upper > p.limit : whole.lower <= p.limit);
        CHECK(asked.iterations <= whole.iterations);
        with += asked.iterations;
        without += whole.iterations;
    }
    CHECK(2 * with < without);
}

static ov_vec3 not_finite(const void *user, ov_vec3 d) {
    (void)user;
    return vec(d.x, NAN, d.z);
}

static ov_vec3 too_far(const void *user, ov_vec3 d) {
    (void)user;
    return ov_vec3_scale(d, 1e200);
}

/** No support function at all: pseudo-random points of the ball. */
static ov_vec3 liar(const void *user, ov_vec3 d) {
    (void)user;
    return vec(sin(1e5 * d.x + d.y), 0.5 * cos(1e5 * d.y), 0.3 * sin(1e5 * d.z));
}

/** A face through the origin, to rounding: the simplex holds it by less than what proves that. */
static void test_face_through_origin(void) {
    ov_shape line, box;
    ov_vec3 end = {0.0092554392768037525, -0.0099390076919955248, 0.0055755997448535414};
    CHECK_OK(ov_shape_make_segment(end, ov_vec3_neg(end), &line));
    CHECK_OK(ov_shape_make_box(
        ov_vec3_make(0.032277121240058798, 0.034585257378850841, 0.01337621475314512), &box));
    ov_pose here = {
        {0.0, 0.0, 0.0},
        {-0.029783350014545087, -0.39184169518468126, 0.074687472580831762, 0.91651231274663947}};
    ov_pose there = {
        {-0.00017532398771390737, -0.04394854259217159, 0.0071347771950077124},
        {-0.074687472580831762, -0.91651231274663947, -0.029783350014545084, -0.3918416951846812}};
    for (int i = 0; i < 3; i++) {
        ov_answer answer;
        CHECK_OK(ov_pair_exceeds(&line, here, &box, there, 0.0004561248787900464 * pow(0.01, i),
                                 NULL, NULL, &answer));
        CHECK(answer == OV_ANSWER_NO);
    }
}

static void test_bad_callers(void) {
    ov_shape box, half, bad;
    ov_ball ball = {{0.0, 0.0, 0.0}, 2.0};
    ovi_result r;
    CHECK_OK(ov_shape_make_box(vec(1.0, 1.0, 1.0), &box));
    CHECK_OK(ov_shape_make_halfspace(vec(0.0, 0.0, 1.0), 0.0, &half));
    ovi_pair p = make_pair(&box, &box, ov_quat_identity(), vec(0.3, 0.0, 5.0), 1e-9);
    p.b = &half;
    CHECK_STATUS(ovi_gjk_distance(&p, vec(0.0, 1.0, 0.0), NULL, &r), OV_ERROR_UNBOUNDED);
    r = ovi_result_unknown();
    CHECK_STATUS(ovi_epa_depth(&p, NULL, &r), OV_ERROR_UNBOUNDED);
    p.b = &bad;
    CHECK_OK(ov_shape_make_custom(not_finite, NULL, ball, &bad));
    CHECK_STATUS(ovi_gjk_distance(&p, p.offset, NULL, &r), OV_ERROR_NOT_FINITE);
    CHECK_OK(ov_shape_make_custom(too_far, NULL, ball, &bad));
    CHECK_STATUS(ovi_gjk_distance(&p, p.offset, NULL, &r), OV_ERROR_SIZE_RANGE);
    // nothing true can be said about a body that lies, but it ends, and in numbers
    CHECK_OK(ov_shape_make_custom(liar, NULL, ball, &bad));
    check_random random = check_random_make(205);
    for (int i = 0; i < 500; i++) {
        p.offset = ov_vec3_scale(check_unit_vector(&random), check_uniform(&random, 0.0, 4.0));
        CHECK_OK(ovi_gjk_distance(&p, p.offset, NULL, &r));
        CHECK(!isnan(r.lower) && !isnan(r.upper) && !isnan(r.gap));
        r = ovi_result_unknown();
        CHECK_OK(ovi_epa_depth(&p, NULL, &r));
        CHECK(!isnan(r.lower) && !isnan(r.upper));
    }
    // a first direction that is none
    p = make_pair(&box, &box, ov_quat_identity(), vec(0.0, 0.0, 5.0), 1e-9);
    CHECK_OK(ovi_gjk_distance(&p, vec(0.0, 0.0, 0.0), NULL, &r));
    CHECK_NEAR(r.gap, 3.0, p.goal);
}

int main(void) {
    check_suite = "test_support_solver_edges";
    RUN(test_touching);
    RUN(test_contained);
    RUN(test_flat);
    RUN(test_kinds);
    RUN(test_extreme);
    RUN(test_scales);
    RUN(test_limit);
    RUN(test_face_through_origin);
    RUN(test_bad_callers);
    return check_finish();
}
