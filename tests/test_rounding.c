/**
 * @file test_rounding.c
 * @brief The error analysis of docs/theory/rounding.md, carried out: every constant of it is made
 * here from the constants before it, and the last ones must be below those that the library uses.
 *
 * The errors of the kernels (logarithm and power of two) come from coverings of their domains: the
 * polynomials differ from the functions by series whose coefficients are known, bounded cell by
 * cell, and the rounding of each operation is added up. Everything after that is sums of errors in
 * units of u = 2^-53, half a unit in the last place. Then the errors of surface points with their
 * normals are measured in long double: they must be within what was derived. Last, answers must be
 * the same to the bit in every rounding mode.
 */
#include <fenv.h>
#include <float.h>
#include <string.h>

#include "check.h"
#include "math/lanes.h"
#include "math/power.h"
#include "query/query_internal.h"
#include "query/superquadric_newton.h"
#include "support_oracle.h"

static const double u = 0x1p-53;
static const long double ln2 = 0.693147180559945309417232121458L;

static double derived(const char *what, double units) {
    printf("rounding: %-58s %8.2f u\n", what, units);
    return units;
}

/* ---- how far a polynomial is from a power series, over a covering */

enum { TERMS = 40, CELLS = 4096 };

/**
 * Most of |sum (c_k - a_k) x^k| over |x| <= most, with the polynomial's coefficients c (the first
 * `count`, zero after that) and the series' a; the series' terms after TERMS are below `tail`. In a
 * cell the middle's value and a bound of the derivative count.
 */
static long double series_gap(const double *c, int count, const long double *a, long double most,
                              bool both_signs, long double tail) {
    long double difference[TERMS], worst = 0.0L, half = 0.5L * most / CELLS;
    for (int k = 0; k < TERMS; k++) {
        difference[k] = (k < count ? c[k] : 0.0L) - a[k];
    }
    for (int i = both_signs ? -CELLS : 0; i < CELLS; i++) {
        long double x = (2 * i + 1) * half, value = 0.0L, slope = 0.0L, far = fabsl(x) + half;
        for (int k = TERMS - 1; k >= 0; k--) {
            value = value * x + difference[k];
            slope = slope * far + (k + 1 < TERMS ? (k + 1) * fabsl(difference[k + 1]) : 0.0L);
        }
        worst = fmaxl(worst, fabsl(value) + slope * half);
    }
    return worst + tail;
}

/* ---- kernels */

typedef struct kernel_errors {
    double log2;      // relative, scalar
    double exp2;      // relative, scalar
    double log2_lane; // absolute, over 1 + |log2 x|
    double exp2_lane; // relative
    double root_lane; // relative
} kernel_errors;

/**
 * power.h: log2 x = (k + l) + r P(r), l the table's logarithm of c. Rounding: u |l| of the table,
 * u |k + l| of the sum; r by 2 u (its difference is exact, see test_power.c), P by a unit for each
 * of its three outer sums and one for its coefficients and inner terms, r P one more; the last sum
 * u |log2 x|, none where c = 1.
 */
static double scalar_log2(void) {
    const double c[] = {0x1.71547652b82fep+0,  -0x1.71547652b82fep-1, 0x1.ec709dc3a03fdp-2,
                        -0x1.71547652b82fep-2, 0x1.2776c50ef9bfep-2,  -0x1.ec709dc3a03fdp-3,
                        0x1.a61762a7aded9p-3};
    long double a[TERMS];
    for (int k = 0; k < TERMS; k++) {
        a[k] = (k % 2 == 0 ? 1.0L : -1.0L) / ((k + 1) * ln2);
    }
    long double most = exp2l(-7.5L), off = series_gap(c, 7, a, most, true, 1e-80L);
    double polynomial = (double)(off / (1.42L * u)) + 2.0 + 4.0 + 1.0;
    const uint64_t offset = 0x3fe6955500000000u, width = (uint64_t)1 << 45;
    double worst = polynomial;
    for (uint64_t i = 0; i < 128; i++) {
        const ovi_log2_entry *t = &ovi_log2_table[i];
        if (t->c == 1.0) {
            continue; // k = 0: r P is all there is; other k: below
        }
        for (int end = 0; end < 2; end++) {
            double z = ovi_from_bits(offset + (i + (uint64_t)end) * width - (uint64_t)end);
            double result = fabs(log2(z)), part = fabs(log2(z) - t->log2);
            // the quotient is monotonic between the ends, or least where the part is zero
            double sum = 2.0 * fabs(t->log2) + polynomial * part + result;
            worst = fmax(worst, sum / result);
        }
    }
    // k != 0: |log2 x| >= 0.49, |l| <= 0.51, |k + l| <= |log2 x| + 0.009
    double others = 1.0 + 0.51 / 0.49 + 1.0 + (1.0 + polynomial) * 0.009 / 0.49;
    return derived("scalar log2, relative", fmax(worst, others) + 0.1);
}

/** power.h: scale + scale p, scale from the table (u), |p| <= 0.0055 with some units, one sum. */
static double scalar_exp2(void) {
    const double c[] = {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0cp-5,
                        0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6731p-10};
    long double a[TERMS], term = ln2;
    for (int k = 0; k < TERMS; k++, term *= ln2 / (k + 1)) {
        a[k] = term;
    }
    long double most = 1.0L / 128.0L, off = series_gap(c, 5, a, most, true, 1e-80L) * most;
    return derived("scalar exp2, relative", 2.0 + 8.0 * 0.0055 + (double)(off / u) + 0.1);
}

/**
 * lanes.h: log2 x = k + s Q(s^2), s = (z-1)/(z+1). z - 1 is exact, so s is good to 2 u and its
 * square to 5 u; Q by four units (three sums, its second term); s Q by 2 + 4 + 1 units of at most
 * 1/2, and the last sum by one of the result, none for k = 0.
 */
static double lane_log2(void) {
    const double c[] = {0x1.71547652b82fep+1, 0x1.ec709dc3a047dp-1, 0x1.2776c50ee39dcp-1,
                        0x1.a61762d693934p-2, 0x1.484afb7a67652p-2, 0x1.0ca160627dbfcp-2,
                        0x1.c46e1440404d7p-3, 0x1.b592d3c48c41cp-3};
    long double a[TERMS], most = (3.0L - 2.0L * sqrtl(2.0L));
    most = most * most * 1.000001L; // s^2 at z = sqrt 2
    for (int k = 0; k < TERMS; k++) {
        a[k] = 2.0L / ((2 * k + 1) * ln2);
    }
    long double off = series_gap(c, 8, a, most, false, 1e-50L) * sqrtl(most);
    for (double z = 0.71; z < 1.41; z += 0.0007) { // these are the kernel's own coefficients
        double s = (z - 1.0) / (z + 1.0), w = s * s, q = 0.0;
        for (int k = 7; k >= 0; k--) {
            q = q * w + c[k];
        }
        CHECK_NEAR(ovi_v4_log2(ovi_v4_of(z))[0], s * q, 12.0 * u * fabs(s * q));
    }
    return derived("log2 in lanes, over 1 + |log2 x|", 3.5 + (double)(off / u) + 0.05);
}

/** lanes.h: scale + scale (f P(f)), |f| <= 1/2: P by 4 u, f P one more; one sum. */
static double lane_exp2(void) {
    const double c[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,
                        0x1.3b2ab6fba1ddap-7,  0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13,
                        0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20, 0x1.b524fae627834p-24,
                        0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32};
    long double a[TERMS], term = ln2;
    for (int k = 0; k < TERMS; k++, term *= ln2 / (k + 1)) {
        a[k] = term;
    }
    long double off = series_gap(c, 11, a, 0.5L, true, 1e-50L) * 0.5L;
    for (double f = -0.499; f < 0.5; f += 0.001) {
        double p = 0.0;
        for (int k = 10; k >= 0; k--) {
            p = p * f + c[k];
        }
        CHECK_NEAR(ovi_v4_exp2(ovi_v4_of(f))[0], 1.0 + f * p, 6.0 * u);
    }
    // |f P| over 2^f: 0.415 at -1/2, 0.293 at 1/2
    return derived("exp2 in lanes, relative", 5.0 * 0.415 + 1.0 + (double)(off / (0.7L * u)) + 0.1);
}

/**
 * lanes.h: x^y = h + h (f P(f)) with f = 1/2 + y/2 + y s Q(s^2), s = (x-r)/(x+r), where h and r are
 * the roots of 1/2 and 2. x - r is exact, so s Q is as good as in the logarithm; r itself counts as
 * log2 r does. The product with y and both sums are at most 1/2. Then the power of two, whose
 * product with h is rounded, and h.
 */
static double lane_root(double log2_lane, double exp2_lane) {
    const long double exact = sqrtl(2.0L), r = 0x1.6a09e667f3bcdp+0;
    double constant = (double)(fabsl(r - exact) / (exact * u));
    double power = (double)ln2 * (log2_lane + 3.0 * 0.5) + constant;
    return derived("root in lanes, relative", power + exp2_lane + 0.415 + constant);
}

static kernel_errors kernels(void) {
    double log2_lane = lane_log2(), exp2_lane = lane_exp2();
    return (kernel_errors){scalar_log2(), scalar_exp2(), log2_lane, exp2_lane,
                           lane_root(log2_lane, exp2_lane)};
}

/* ---- norms, curves, surfaces: in units of u, the letters of docs/theory/rounding.md */

/** sup of t |log2 t| over (0, 1]. */
static const double fading = 0.5308;
static const double ln_2 = 0.6932;

/** Value of a p-norm of two numbers, relative; and so n.p of its gradient and the gradient's norm.
 */
static double norm_error(kernel_errors k) {
    const double ratio = 1.0, exponent = 2.0, product = 1.0;
    double logarithm = ln_2 * (k.log2 + product + exponent); // times |log2 t|
    double power = 0.5 * (ratio + k.exp2 + ratio + 1.0) + 0.25 * fading * logarithm + 1.0;
    double root = ln_2 * (k.log2 + product + 1.0) + k.exp2;
    return derived("p-norm of two, relative", power + root + 2.0);
}

typedef struct curve_error {
    double near, far; // of what is the gradient of the norm, and of what is the ray over the norm
} curve_error;

/** A unit curve of superquadric_newton.h: position and covector belong to one ray, up to these. */
static curve_error curve(kernel_errors k) {
    const double ratio = 2.0;
    double shift = ratio + ln_2 * k.log2_lane;       // of the ray, relative
    double faded = ln_2 * (k.log2_lane + 1.0 + 2.0); // and times |log2 of the ratio|
    double power = 0.5 * (shift + ratio + k.exp2_lane + 1.0) + fading * faded;
    // by log2 and exp2, as in a curve of any exponent; the root without reduction is no worse
    double by_both = ln_2 * (2.0 * k.log2_lane + 2.0) + k.exp2_lane;
    CHECK(k.root_lane <= by_both);
    double root = power + 1.0 + by_both;
    double gradient = root + k.exp2_lane + 1.0;
    double over_norm = power + 1.0 + root + 4.0;
    curve_error e = {gradient, over_norm + shift + fading * faded};
    derived("curve: gradient of the norm", e.near);
    derived("curve: ray over the norm", e.far);
    return e;
}

/** How far the hull may stand out over the tangent plane of a computed point and normal. */
static double untapered_plane(curve_error c) {
    double both = c.near > c.far ? c.near : c.far;
    double position = 2.0 * both + 4.0, covector = 2.0 * both + 4.0;
    return derived("untapered body: over its tangent plane, reaches", 2.0 * covector + position);
}

/** The same for the tapers that are not checked by supports: see the document. */
static double tapered_plane(curve_error c) {
    double both = c.near > c.far ? c.near : c.far;
    const double taper = 0.7, least = 0.3, spread = 2.8;
    double position = 2.0 * both + 6.0 + taper / least * both;
    double share = c.near + c.far + 3.0;
    double covector = 2.0 * both + 6.0 + 2.0 * 2.0 / least;
    return derived("tapered body: over its tangent plane, reaches",
                   2.0 * covector + 2.0 * spread * share + position);
}

/** Equal tapers up to those that are convex for e2 >= 0.02. */
static double equally_tapered_plane(curve_error c) {
    double both = c.near > c.far ? c.near : c.far;
    const double least = 0.003, widest = 2.0;
    double position = sqrt(3.0) * (widest * 2.0 * both + both + 5.0);
    double covector = 2.0 * both + 6.0, direction = 0.5 * 2.0 / least;
    return derived("equally tapered body: the same", 2.0 * (covector + direction) + position);
}

/** Error of the matrix by which B is looked at from A. */
static double turn_error(void) {
    // of the product of two quaternions, and of two over its square, which the matrix is made with
    const double direction = 10.0, scale = 6.0;
    return 2.0 * direction + 2.0 * scale + 6.0;
}

/** Position and normal of B as seen from A, in reaches. */
static double placing(void) {
    return derived("placing: three times the turn's error", 3.0 * turn_error());
}

/**
 * Axes of two boxes that overlap: B's corners and face normals, and the sums of each separation,
 * over at most two reaches of both; and blocks that are apart by less than that.
 */
static double box_axes(void) {
    double axes = turn_error() + 2.0 * (2.0 * turn_error()) + 2.0 * 10.0;
    return derived("axes of boxes: depth from above, reaches", sqrt(3.0) * axes);
}

static void test_analysis(void) {
    kernel_errors k = kernels();
    double norm = norm_error(k);
    curve_error c = curve(k);
    double others = placing() + 20.0; // sums of the bounds themselves: products of three, a root
    double plain = untapered_plane(c) + others, support = 2.0 * norm + 1.0 + others;
    double hull = 300.0; // of superquadric_hull.c: its margins and what they may lack
    double tapered = fmax(tapered_plane(c), equally_tapered_plane(c)) + others + hull;
    double search = 7.1e-14 / u + 4.0 * norm + others;
    derived("sum for untapered bodies", plain);
    derived("sum for supports of untapered bodies", support);
    derived("sum for superovoids", tapered);
    derived("sum for supports of superovoids", search);
    CHECK(fmax(plain, support) * u <= OVI_ERROR_PLAIN);
    CHECK(box_axes() * u <= OVI_ERROR_PLAIN);
    CHECK(fmax(tapered, search) * u <= OVI_ERROR_SUPEROVOID);
    // the offset: a difference, and a turn by one quaternion, with sums of three
    CHECK(1.0 + (2.0 * 6.0 + 6.0) + 3.0 <= OVI_ERROR_OFFSET / u);
}

/* ---- what is seen */

/** The surface of a shape at a place, by the kernels of Newton's method. */
static ovi_surface_1 surface_of(const ov_shape *s, ov_vec3 place) {
    bool flat1 = s->e1 <= 1.0, flat2 = s->e2 <= 1.0;
    double m1 = flat1 ? ovi_primal1(s).minus_1 : ovi_dual1(s).minus_1;
    double m2 = flat2 ? ovi_primal2(s).minus_1 : ovi_dual2(s).minus_1;
    double i1 = flat1 ? 0.5 * s->e1 - 1.0 : -0.5 * s->e1;
    double i2 = flat2 ? 0.5 * s->e2 - 1.0 : -0.5 * s->e2;
    double r = sqrt(place.x * place.x + place.y * place.y);
    ovi_parametrisation by = {{m1, m2, m1, m2},
                              {i1, i2, i1, i2},
                              {-(int64_t)flat1, -(int64_t)flat2, -(int64_t)flat1, -(int64_t)flat2}};
    ovi_curve_4 k = ovi_curves_at_4((ovi_v4){place.x, r, place.x, r},
                                    (ovi_v4){place.y, place.z, place.y, place.z}, &by);
    ovi_curve_1 section = {.u = k.u[0], .v = k.v[0], .gu = k.gu[0], .gv = k.gv[0]};
    ovi_curve_1 profile = {.u = k.u[1], .v = k.v[1], .gu = k.gu[1], .gv = k.gv[1]};
    ovi_form_1 form = {s->a.x, s->a.y, s->a.z, s->tx,
                       s->ty,  s->a.x, s->a.y, s->a.x * s->a.y / s->a.z};
    return ovi_surface_at_1(&form, &section, &profile);
}

/** h(m) - m.p over |m| and the reach: zero for a point and its normal without errors. */
static void test_planes(void) {
    check_random r = check_random_make(341);
    double worst = 0.0;
    for (int i = 0; i < 20000; i += check_every()) {
        ov_shape s;
        double e1 = i % 3 == 0 ? check_log_uniform(&r, 0.02, 1.98) : check_uniform(&r, 0.02, 1.98);
        double e2 = i % 2 == 0 ? check_log_uniform(&r, 0.02, 1.98) : check_uniform(&r, 0.02, 1.98);
        ov_vec3 a = {check_log_uniform(&r, 0.01, 1.0), check_log_uniform(&r, 0.01, 1.0), 1.0};
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
        ov_vec3 place = check_unit_vector(&r);
        if (i % 4 == 0) {
            place.y *= check_log_uniform(&r, 1e-12, 1.0);
        }
        ovi_surface_1 p = surface_of(&s, place);
        so_vec m = {p.m.x, p.m.y, p.m.z}, point = {p.p.x, p.p.y, p.p.z};
        so_real off = (so_support_straight(&s, m) - so_dot(m, point)) / so_length(m);
        double units = (double)fabsl(off) / s.ball.radius / u;
        worst = fmax(worst, units);
        CHECK(units <= 400.0);
    }
    check_worst("seen: untapered body over its tangent plane, in u", worst, 400.0);
}

/* ---- in every rounding mode the same bits */

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
enum { MODES = sizeof modes / sizeof modes[0] };

/** Back to nearest, after a call that must have left the mode alone. */
static void leave(int mode) {
    CHECK(fegetround() == mode);
    (void)fesetround(FE_TONEAREST);
}

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/** All fields; the bytes between them mean nothing. */
static bool same_contact(const ov_contact *a, const ov_contact *b) {
    return same_bits(&a->gap, &b->gap, sizeof a->gap) &&
           same_bits(&a->gap_lower, &b->gap_lower, sizeof a->gap_lower) &&
           same_bits(&a->gap_upper, &b->gap_upper, sizeof a->gap_upper) &&
           same_bits(&a->point_a, &b->point_a, sizeof a->point_a) &&
           same_bits(&a->point_b, &b->point_b, sizeof a->point_b) &&
           same_bits(&a->normal, &b->normal, sizeof a->normal) && a->relation == b->relation &&
           a->status == b->status && a->iterations == b->iterations;
}

static bool same_shape(const ov_shape *a, const ov_shape *b) {
    return a->kind == b->kind && same_bits(&a->a, &b->a, sizeof a->a) &&
           same_bits(&a->dent, &b->dent, sizeof a->dent) &&
           same_bits(&a->ball, &b->ball, sizeof a->ball) &&
           same_bits(&a->derived, &b->derived, sizeof a->derived);
}

typedef struct parameters {
    int kind;
    ov_vec3 a;
    double e1, e2, tx, ty;
} parameters;

static ov_status make(const parameters *p, ov_shape *s) {
    memset(s, 0, sizeof *s);
    switch (p->kind) {
    case 0:
        return ov_shape_make_ellipsoid(p->a, s);
    case 1:
        return ov_shape_make_superellipsoid(p->a, p->e1, p->e2, s);
    case 2:
        return ov_shape_make_box(p->a, s);
    case 3:
        return ov_shape_make_cylinder(p->a.x, p->a.y, s);
    case 4:
        return ov_shape_make_capsule(p->a.x, p->a.y, s);
    case 5:
        return ov_shape_make_cone(p->a.x, p->a.y, s);
    default:
        return ov_shape_make_superovoid(p->a, p->e1, p->e2, p->tx, p->ty, NULL, s);
    }
}

static parameters random_parameters(check_random *r) {
    parameters p = {.kind = (int)(check_random_bits(r) % 8)};
    p.a = ov_vec3_make(check_uniform(r, 0.1, 1.0), check_uniform(r, 0.1, 1.0),
                       check_uniform(r, 0.1, 1.0));
    p.e1 = check_uniform(r, 0.05, 1.95);
    p.e2 = check_uniform(r, 0.05, 1.95);
    p.tx = check_uniform(r, -0.4, 0.4);
    p.ty = check_uniform(r, -0.4, 0.4);
    return p;
}

static void test_modes_of_pairs(void) {
    check_random r = check_random_make(342);
    for (int i = 0; i < 1500; i += check_every()) {
        parameters p[2] = {random_parameters(&r), random_parameters(&r)};
        ov_pose here = {check_unit_vector(&r), check_rotation(&r)};
        ov_pose there = {check_unit_vector(&r), check_rotation(&r)};
        double limit = check_uniform(&r, 0.0, 0.5);
        ov_shape shape[MODES][2];
        ov_contact contact[MODES];
        ov_answer answer[MODES];
        ov_aabb box[MODES];
        ov_support support[MODES];
        for (int k = 0; k < MODES; k++) {
            memset(&contact[k], 0, sizeof contact[k]);
            (void)fesetround(modes[k]);
            ov_status made = make(&p[0], &shape[k][0]);
            made = made == OV_OK ? make(&p[1], &shape[k][1]) : made;
            if (made != OV_OK) {
                leave(modes[k]);
                break; // too deep a dent, in every mode
            }
            const ov_shape *a = &shape[k][0], *b = &shape[k][1];
            ov_status status = ov_pair_contact(a, here, b, there, NULL, NULL, &contact[k]);
            (void)ov_pair_exceeds(a, here, b, there, limit, NULL, NULL, &answer[k]);
            (void)ov_shape_aabb(a, there, &box[k]);
            (void)ov_shape_support(a, here.position, &support[k]);
            leave(modes[k]);
            CHECK(status >= OV_OK);
            CHECK(same_shape(&shape[k][0], &shape[0][0]) && same_shape(&shape[k][1], &shape[0][1]));
            CHECK(same_contact(&contact[k], &contact[0]) && answer[k] == answer[0]);
            CHECK(same_bits(&box[k], &box[0], sizeof box[k]));
            CHECK(same_bits(&support[k], &support[0], sizeof support[k]));
        }
    }
}

static ov_first_contact first_contact(int mode, const ov_shape *a, const ov_shape *b) {
    ov_first_contact first;
    memset(&first, 0, sizeof first);
    ov_motion *motion = NULL;
    (void)fesetround(mode);
    ov_status status = ov_motion_create_screw(
        (ov_pose){{-2.0, 0.1, 0.0}, ov_quat_identity()}, ov_vec3_make(0.1, 0.0, 0.3),
        ov_vec3_make(0.3, 1.0, 0.2), 2.0, 0.7, 0.0, 1.0, NULL, &motion);
    ov_sweep_pair pair = {.a = a,
                          .b = b,
                          .motion_a = motion,
                          .pose_a = ov_pose_identity(),
                          .pose_b = ov_pose_identity()};
    ov_sweep_options options = ov_default_sweep_options();
    status = status == OV_OK ? ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first) : status;
    ov_motion_destroy(motion);
    leave(mode);
    CHECK(status >= OV_OK);
    return first;
}

static void test_modes_of_sweeps(void) {
    check_random r = check_random_make(343);
    for (int i = 0; i < 12; i++) {
        parameters p = random_parameters(&r), q = random_parameters(&r);
        ov_shape a, b;
        if (make(&p, &a) != OV_OK || make(&q, &b) != OV_OK) {
            continue;
        }
        ov_first_contact nearest = first_contact(FE_TONEAREST, &a, &b);
        for (int k = 1; k < MODES; k++) {
            ov_first_contact other = first_contact(modes[k], &a, &b);
            CHECK(nearest.answer == other.answer && same_contact(&nearest.contact, &other.contact));
            CHECK(same_bits(&nearest.lower, &other.lower, sizeof other.lower));
            CHECK(same_bits(&nearest.upper, &other.upper, sizeof other.upper));
        }
    }
}

int main(void) {
    check_suite = "rounding";
    RUN(test_analysis);
    RUN(test_planes);
    RUN(test_modes_of_pairs);
    RUN(test_modes_of_sweeps);
    return check_finish();
}
