/**
 * @file test_superquadric_support.c
 * @brief Support function and point of the smooth family over the whole domain of exponents, taper
 * and aspect ratio.
 *
 * Without taper: against the closed formula in long double, and against a scan of surface points
 * that knows nothing of dual norms. With taper: against a scan over the height (support_oracle.h),
 * on purpose also where two maxima around a dent tie, and there on either side down to 1e-12. The
 * point is checked by three facts that need no oracle: it reaches the value, it lies on the
 * surface, and the surface's normal there is the direction. test_superquadric_support_slow.c
 * repeats this with more draws.
 */
#include "support_cases.h"

/* ---- without taper */

static void test_straight(void) {
    check_random r = check_random_make(301);
    case_errors worst = {0};
    for (int i = 0; i < 4000; i += check_every()) {
        ov_shape s = case_straight(&r, i);
        for (int k = 0; k < CASE_DIRECTIONS; k++) {
            ov_vec3 n = case_direction(&r, &s, k);
            so_real expected = so_support_straight(&s, so_from(n));
            case_errors e = case_check(&s, n, expected, 1e-12, 1e-10);
            worst = case_worst(worst, e);
        }
    }
    check_worst("superellipsoid value against the closed form, relative", worst.value, 1e-12);
    check_worst("superellipsoid point: n . p = h, relative", worst.reach, 1e-12);
    check_worst("superellipsoid point: |G - 1|", worst.gauge, 1e-12);
    check_worst("superellipsoid point: sine between normal and n", worst.normal, 1e-10);
}

enum { SCAN_STEPS = 60 }; // 0.618^60 = 3e-13 of a quarter turn; the reach is flat or clipped there

/** n . p over the octant of n, at one height. */
typedef struct octant {
    const ov_shape *s;
    so_vec n;
    so_real up;
} octant;

static so_real reach_at(so_real around, const void *context) {
    const octant *o = context;
    return so_dot(o->n, so_surface(o->s, around, o->up));
}

static so_real best_with_ends(so_function f, const void *context) {
    so_real ends = fmaxl(f(0.0L, context), f(1.0L, context));
    return fmaxl(ends, so_golden_max(f, context, 0.0L, 1.0L, SCAN_STEPS).value);
}

static so_real reach_of_height(so_real up, const void *context) {
    octant o = *(const octant *)context;
    o.up = up;
    return best_with_ends(reach_at, &o);
}

/** Largest n . p over the surface points of the octant of n: it has one maximum there. */
static so_real scan_octant(const ov_shape *s, so_vec n) {
    octant o = {s, {fabsl(n.x), fabsl(n.y), fabsl(n.z)}, 0.0L};
    return best_with_ends(reach_of_height, &o);
}

static void test_straight_scan(void) {
    check_random r = check_random_make(302);
    double worst = 0.0;
    for (int i = 0; i < 20; i++) {
        ov_shape s = case_straight(&r, i);
        ov_vec3 n = case_direction(&r, &s, i);
        ov_support h;
        CHECK_OK(ov_shape_support(&s, n, &h));
        double error = (double)fabsl(scan_octant(&s, so_from(n)) / h.value - 1.0L);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-12);
    }
    check_worst("superellipsoid value against a scan of surface points, relative", worst, 1e-12);
}

/** Sizes to the ends of their range and directions of every length that a double can have. */
static void test_extreme_sizes(void) {
    const double sizes[] = {1e-60, 1e-50, 1e-20, 1.0, 1e20, 1e50, 1e60};
    const double lengths[] = {1e-300, 1e-200, 1e-110, 1e-99, 1e-90, 1.0,
                              1e90,   1e99,   1e110,  1e200, 1e300};
    check_random r = check_random_make(303);
    double worst = 0.0;
    for (int i = 0; i < 3 * 7 * 11; i += check_every()) {
        double size = sizes[i % 7], length = lengths[i / 7 % 11];
        if (size * length < 1e-300 || size * length > 1e300) {
            continue; // the answer itself is out of range
        }
        ov_vec3 a = {size, size * (size > 1.0 ? 0.7 : 1.3), size};
        ov_vec3 n = ov_vec3_scale(check_unit_vector(&r), length);
        ov_shape s;
        if (i / 77 == 0) {
            CHECK_OK(ov_shape_make_ellipsoid(a, &s));
        } else if (i / 77 == 1) {
            CHECK_OK(ov_shape_make_superellipsoid(a, 0.4, 1.6, &s));
        } else {
            CHECK_OK(ov_shape_make_superovoid(a, 0.9, 1.2, 0.3, 0.2, NULL, &s));
        }
        static so_grid grid;
        so_make_grid(&s, &grid);
        so_real expected = i / 77 == 2 ? so_support(&s, &grid, so_from(n)).value
                                       : so_support_straight(&s, so_from(n));
        worst = fmax(worst, case_check(&s, n, expected, 1e-12, 1e-9).value);
    }
    check_worst("sizes 1e-60 to 1e60, directions 1e-300 to 1e300, relative", worst, 1e-12);
}

/* ---- with taper */

static void test_tapered(void) { case_run_tapered(304, 250, 1e-9); }

static void test_ties(void) { case_run_ties(305, 120, 1e-9); }

/** Tapers up to the last number below one: the narrow end is next to a point. */
static void test_extreme_tapers(void) {
    const double tapers[] = {0.999, 0.999999, 0.999999999, 0x1.fffffffffffffp-1};
    const ov_shape_options any_dent = {1.0};
    check_random r = check_random_make(310);
    case_errors worst = {0};
    static so_grid grid;
    int made = 0;
    for (int i = 0; i < 80; i += check_every()) {
        double t = i % 8 < 4 ? tapers[i % 4] : -tapers[i % 4];
        double other = i % 3 == 0 ? t : t * check_uniform(&r, -1.0, 1.0);
        ov_shape s;
        double e1 = check_uniform(&r, 0.05, 2.0), e2 = check_uniform(&r, 0.05, 2.0);
        ov_vec3 a = {1.0, check_log_uniform(&r, 0.1, 1.0), check_log_uniform(&r, 0.1, 10.0)};
        if (ov_shape_make_superovoid(a, e1, e2, t, other, &any_dent, &s) != OV_OK) {
            continue; // deeper than the body is thin
        }
        made++;
        so_make_grid(&s, &grid);
        for (int k = 0; k < 5; k++) {
            ov_vec3 n = case_direction(&r, &s, k * 2);
            so_real expected = so_support(&s, &grid, so_from(n)).value;
            worst = case_worst(worst, case_check(&s, n, expected, 1e-9, INFINITY));
        }
    }
    CHECK(made > check_share(40));
    check_worst("tapers from 0.999 to next below 1, relative", worst.value, 1e-9);
}

/** Directions that once gave wrong answers. */
static void test_regressions(void) {
    double worst = 0.0;
    for (size_t i = 0; i < CASE_REGRESSIONS; i++) {
        const case_regression *c = &case_regressions[i];
        const ov_shape_options any_dent = {1.0};
        ov_shape s;
        CHECK_OK(ov_shape_make_superovoid(c->a, c->e1, c->e2, c->tx, c->ty, &any_dent, &s));
        static so_grid grid;
        so_make_grid(&s, &grid);
        so_real expected = so_support(&s, &grid, so_from(c->n)).value;
        worst = fmax(worst, case_check(&s, c->n, expected, 1e-9, INFINITY).value);
    }
    check_worst("tapered, directions that once failed, relative", worst, 1e-9);
}

/* ---- what holds for every support function */

static ov_support support_of(const ov_shape *s, ov_vec3 n) {
    ov_support h = {NAN, {NAN, NAN, NAN}};
    CHECK_OK(ov_shape_support(s, n, &h));
    return h;
}

static ov_shape any_shape(check_random *r, int i) {
    return i % 3 == 0 ? case_straight(r, i) : case_tapered(r, i, 1.0);
}

/** h(c n) = c h(n), h(n + m) <= h(n) + h(m), and the same question gets the same answer. */
static void test_laws(void) {
    check_random r = check_random_make(306);
    double worst_scaling = 0.0, worst_sum = 0.0;
    for (int i = 0; i < 1500; i += check_every()) {
        ov_shape s = any_shape(&r, i);
        ov_vec3 n = case_direction(&r, &s, i), m = case_direction(&r, &s, (int)(i * 7L % 10));
        n = ov_vec3_normalize(n);
        m = ov_vec3_normalize(m);
        ov_support h = support_of(&s, n);
        double c = check_log_uniform(&r, 1e-90, 1e90);
        double scaling = fabs(support_of(&s, ov_vec3_scale(n, c)).value / (c * h.value) - 1.0);
        worst_scaling = fmax(worst_scaling, scaling);
        CHECK_NEAR(scaling, 0.0, 1e-12);
        double sum = h.value + support_of(&s, m).value;
        ov_vec3 both = ov_vec3_add(n, m);
        if (ov_vec3_length(both) > 1e-3) {
            double excess = (support_of(&s, both).value - sum) / sum;
            worst_sum = fmax(worst_sum, excess);
            CHECK(excess <= 1e-12);
        }
        ov_support again = support_of(&s, n);
        CHECK(again.value == h.value && again.point.x == h.point.x && again.point.y == h.point.y &&
              again.point.z == h.point.z);
    }
    check_worst("h(c n) against c h(n), relative", worst_scaling, 1e-12);
    check_worst("h(n + m) above h(n) + h(m), relative", worst_sum, 1e-12);
}

/** No surface point lies beyond a support plane. */
static void test_containment(void) {
    check_random r = check_random_make(307);
    double worst = -1.0;
    for (int i = 0; i < 800; i += check_every()) {
        ov_shape s = any_shape(&r, i);
        so_vec points[40];
        for (int k = 0; k < 40; k++) {
            points[k] = so_surface(&s, check_uniform(&r, -2.0, 2.0), check_uniform(&r, -1.0, 1.0));
        }
        for (int k = 0; k < 10; k++) {
            ov_vec3 n = case_direction(&r, &s, k);
            double h = support_of(&s, n).value;
            for (int j = 0; j < 40; j++) {
                double beyond = (double)(so_dot(so_from(n), points[j]) / h - 1.0L);
                worst = fmax(worst, beyond);
                CHECK(beyond <= 1e-12);
            }
        }
    }
    check_worst("surface points beyond a support plane, relative", worst, 1e-12);
}

/** Mirrored in a coordinate plane of symmetry, swapped in x and y, turned upside down. */
static void test_symmetry(void) {
    check_random r = check_random_make(308);
    const ov_shape_options any_dent = {1.0};
    for (int i = 0; i < 400; i += check_every()) {
        ov_shape s = case_tapered(&r, i, 1.0), swapped, flipped;
        ov_vec3 n = case_direction(&r, &s, i), a = s.a;
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(a.y, a.x, a.z), s.e1, s.e2, s.ty, s.tx,
                                          &any_dent, &swapped));
        CHECK_OK(ov_shape_make_superovoid(a, s.e1, s.e2, -s.tx, -s.ty, &any_dent, &flipped));
        double h = support_of(&s, n).value, tolerance = 1e-12 * h;
        CHECK_NEAR(support_of(&s, ov_vec3_make(-n.x, n.y, n.z)).value, h, 0.0);
        CHECK_NEAR(support_of(&s, ov_vec3_make(n.x, -n.y, n.z)).value, h, 0.0);
        CHECK_NEAR(support_of(&swapped, ov_vec3_make(n.y, n.x, n.z)).value, h, tolerance);
        CHECK_NEAR(support_of(&flipped, ov_vec3_make(n.x, n.y, -n.z)).value, h, tolerance);
    }
}

/** A vanishing taper changes nothing: the tapered code meets the closed form. */
static void test_vanishing_taper(void) {
    check_random r = check_random_make(309);
    double worst = 0.0;
    for (int i = 0; i < 2000; i += check_every()) {
        ov_shape straight = case_straight(&r, i), tapered;
        double t = check_log_uniform(&r, 1e-300, 1e-14);
        ov_status made =
            ov_shape_make_superovoid(straight.a, straight.e1, straight.e2, t, -t, NULL, &tapered);
        CHECK_OK(made);
        ov_vec3 n = case_direction(&r, &straight, i);
        double error = fabs(support_of(&tapered, n).value / support_of(&straight, n).value - 1.0);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-12);
    }
    check_worst("taper below 1e-14 against none, relative", worst, 1e-12);
}

static void test_status(void) {
    ov_shape s, none = {0}, ring;
    ov_support h = {7.0, {7.0, 7.0, 7.0}};
    const ov_vec3 x = {1.0, 0.0, 0.0};
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 2.0, 3.0), 0.5, 0.7, 0.1, 0.2, NULL, &s));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 2.0, &ring));
    CHECK_STATUS(ov_shape_support(NULL, x, &h), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_support(&s, x, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_support(&none, x, &h), OV_ERROR_SHAPE);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0.0, -0.0, 0.0), &h), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(NAN, 0.0, 1.0), &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0.0, INFINITY, 1.0), &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, -INFINITY), &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_support(&ring, x, &h), OV_ERROR_UNSUPPORTED);
    CHECK(h.value == 7.0 && h.point.x == 7.0 && h.point.y == 7.0 && h.point.z == 7.0);
}

int main(void) {
    check_suite = "superquadric_support";
    RUN(test_straight);
    RUN(test_straight_scan);
    RUN(test_extreme_sizes);
    RUN(test_tapered);
    RUN(test_ties);
    RUN(test_extreme_tapers);
    RUN(test_regressions);
    RUN(test_laws);
    RUN(test_containment);
    RUN(test_symmetry);
    RUN(test_vanishing_taper);
    RUN(test_status);
    return check_finish();
}
