/**
 * @file test_lanes.c
 * @brief Vectors of doubles and the surfaces made of them: src/math/lanes.h,
 * src/query/superquadric_newton.h.
 *
 * Oracles: log2l, exp2l and powl in long double for the powers, with the errors that the head of
 * lanes.h claims; central differences for the derivatives of points and normals; the gauge, which
 * shares no code with superquadric_newton.h, for where the points lie and where the normals point;
 * and Gaussian elimination with pivoting for the step of Newton's method.
 */
#include <float.h>
#include <string.h>

#include "query/superquadric_newton.h"

#include "check.h"

/* ---- bits and signs */

static double bits_to_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/** Any double but NaN, whose sign and payload nobody promises. */
static double any_double(check_random *r) {
    static const double edges[] = {0.0,     -0.0,     1.0,       -1.0,   DBL_MIN, -DBL_MIN,
                                   DBL_MAX, INFINITY, -INFINITY, 5e-324, -5e-324, 0.5};
    uint64_t bits = check_random_bits(r);
    double x = bits % 4 == 0 ? edges[(bits >> 8) % 12] : bits_to_double(check_random_bits(r));
    return isnan(x) ? 1.5 : x;
}

static void test_parts(void) {
    check_random r = check_random_make(101);
    for (int i = 0; i < 20000; i += check_every()) {
        ovi_v4 a, b;
        for (int k = 0; k < 4; k++) {
            a[k] = any_double(&r);
            b[k] = any_double(&r);
        }
        ovi_v4 least = ovi_v4_select(a < b, a, b), size = ovi_v4_abs(a);
        ovi_v4 sign = ovi_v4_copysign(a, b), root = ovi_v4_sqrt(size);
        ovi_v2 a2 = {a[0], a[1]}, b2 = {b[0], b[1]};
        ovi_v2 least2 = ovi_v2_select(a2 < b2, a2, b2), root2 = ovi_v2_sqrt(ovi_v2_of(size[2]));
        bool good = same_bits(root2[0], sqrt(fabs(a[2]))) && same_bits(root2[0], root2[1]);
        for (int k = 0; k < 4; k++) {
            good = good && same_bits(least[k], a[k] < b[k] ? a[k] : b[k]);
            good = good && same_bits(size[k], fabs(a[k]));
            good = good && same_bits(sign[k], copysign(a[k], b[k]));
            good = good && same_bits(root[k], sqrt(fabs(a[k])));
            good = good && same_bits(ovi_v4_of(a[k])[3 - k], a[k]);
        }
        good = good && same_bits(least2[0], least[0]) && same_bits(least2[1], least[1]);
        CHECK(good);
    }
}

/** Eight lanes are two times four, or four times two: the same source, so the same bits. */
static void test_widths(void) {
    check_random r = check_random_make(112);
    for (int i = 0; i < 20000; i += check_every()) {
        ovi_v8 a, b, x, y;
        for (int k = 0; k < 8; k++) {
            a[k] = any_double(&r);
            b[k] = any_double(&r);
            x[k] = check_log_uniform(&r, 1e-300, 1e300);
            y[k] = check_uniform(&r, -1022.0, 1023.0);
        }
        ovi_v8 out[6] = {ovi_v8_select(a < b, a, b), ovi_v8_abs(a),  ovi_v8_copysign(a, b),
                         ovi_v8_sqrt(ovi_v8_abs(a)), ovi_v8_log2(x), ovi_v8_exp2(y)};
        bool good = true;
        for (int k = 0; k < 8; k += 4) {
            ovi_v4 a4, b4, x4, y4;
            for (int lane = 0; lane < 4; lane++) {
                a4[lane] = a[k + lane];
                b4[lane] = b[k + lane];
                x4[lane] = x[k + lane];
                y4[lane] = y[k + lane];
            }
            ovi_v4 four[6] = {
                ovi_v4_select(a4 < b4, a4, b4), ovi_v4_abs(a4),  ovi_v4_copysign(a4, b4),
                ovi_v4_sqrt(ovi_v4_abs(a4)),    ovi_v4_log2(x4), ovi_v4_exp2(y4)};
            for (int j = 0; j < 24; j++) {
                good = good && same_bits(out[j / 4][k + j % 4], four[j / 4][j % 4]);
            }
        }
        for (int k = 0; k < 8; k += 2) {
            ovi_v2 a2 = {a[k], a[k + 1]}, b2 = {b[k], b[k + 1]};
            ovi_v2 two[6] = {ovi_v2_select(a2 < b2, a2, b2),
                             ovi_v2_abs(a2),
                             ovi_v2_copysign(a2, b2),
                             ovi_v2_sqrt(ovi_v2_abs(a2)),
                             ovi_v2_log2((ovi_v2){x[k], x[k + 1]}),
                             ovi_v2_exp2((ovi_v2){y[k], y[k + 1]})};
            for (int j = 0; j < 12; j++) {
                good = good && same_bits(out[j / 2][k + j % 2], two[j / 2][j % 2]);
            }
        }
        CHECK(good && same_bits(ovi_v8_of(x[3])[i & 7], x[3]));
    }
}

/* ---- powers, with the errors that lanes.h claims */

static const double claimed = 4e-16;

static void look_at_log2(const double *x, double *worst) {
    ovi_v4 y = ovi_v4_log2((ovi_v4){x[0], x[1], x[2], x[3]});
    for (int k = 0; k < 4; k++) {
        long double exact = log2l((long double)x[k]);
        double error = (double)(fabsl((long double)y[k] - exact) / (1.0L + fabsl(exact)));
        *worst = fmax(*worst, isnan(error) ? INFINITY : error);
    }
}

static void test_log2(void) {
    check_random r = check_random_make(102);
    double worst = 0.0, x[4];
    for (int i = 0; i < 500000; i += check_every()) {
        for (int k = 0; k < 4; k++) {
            // all normal numbers; near 1 and near the seam at sqrt 1/2; the ends of the range
            uint64_t bits = check_random_bits(&r);
            switch (bits % 4) {
            case 0:
                x[k] = 1.0 + ldexp(check_uniform(&r, -1.0, 1.0), -(int)(bits >> 8 & 63));
                x[k] = x[k] > 0.0 ? x[k] : 1.0;
                break;
            case 1:
                x[k] =
                    ldexp(0.70710678118654752 * (1.0 + 1e-15 * (double)((bits >> 8) % 9) - 4e-15),
                          (int)(bits >> 16) % 500);
                break;
            default:
                x[k] = fmax(DBL_MIN, bits_to_double(bits >> 2 & 0x7fefffffffffffff));
            }
        }
        look_at_log2(x, &worst);
    }
    const double edges[4] = {DBL_MIN, DBL_MAX, 1.0, 1e-200};
    look_at_log2(edges, &worst);
    check_worst("log2", worst, claimed);
    CHECK(worst <= claimed);
    for (int k = -1022; k < 1024; k++) {
        CHECK(ovi_v4_log2(ovi_v4_of(ldexp(1.0, k)))[k & 3] == k);
    }
}

static void test_exp2(void) {
    check_random r = check_random_make(103);
    double worst = 0.0;
    for (int i = 0; i < 500000; i += check_every()) {
        ovi_v4 y;
        for (int k = 0; k < 4; k++) {
            uint64_t bits = check_random_bits(&r);
            double small = ldexp(check_uniform(&r, -1.0, 1.0), -(int)(bits >> 8 & 63));
            // anywhere; near a whole number; near a half, where the polynomial is at its end
            y[k] = bits % 3 == 0   ? check_uniform(&r, -1022.0, 1023.0)
                   : bits % 3 == 1 ? (double)((int)(bits >> 20 & 1023) - 500) + small
                                   : 0.5 + (double)((int)(bits >> 20 & 1023) - 500) + small;
        }
        ovi_v4 x = ovi_v4_exp2(y);
        for (int k = 0; k < 4; k++) {
            long double exact = exp2l((long double)y[k]);
            double error = (double)(fabsl((long double)x[k] - exact) / exact);
            worst = fmax(worst, isnan(error) ? INFINITY : error);
        }
    }
    check_worst("exp2", worst, claimed);
    CHECK(worst <= claimed);
    for (int k = -1022; k < 1024; k++) {
        CHECK(ovi_v4_exp2(ovi_v4_of(k))[k & 3] == ldexp(1.0, k));
    }
}

static void test_powers(void) {
    check_random r = check_random_make(104);
    double worst = 0.0;
    for (int i = 0; i < 300000; i += check_every()) {
        ovi_v4 x, y;
        for (int k = 0; k < 4; k++) {
            x[k] = check_log_uniform(&r, 1e-200, 1e10);
            double most = fmin(40.0, 1000.0 / fabs(log2(x[k])));
            y[k] = check_uniform(&r, -most, most);
        }
        ovi_v4 power = ovi_v4_exp2(y * ovi_v4_log2(x));
        for (int k = 0; k < 4; k++) {
            long double l = log2l((long double)x[k]), exact = powl((long double)x[k], y[k]);
            double allowed = (double)(1.0L + fabsl((long double)y[k]) + fabsl(y[k] * l));
            double error = (double)(fabsl((long double)power[k] - exact) / exact) / allowed;
            worst = fmax(worst, isnan(error) ? INFINITY : error);
        }
    }
    check_worst("powers", worst, claimed);
    CHECK(worst <= claimed);
}

/* ---- floats, with the errors that lanes.h claims for them */

static const double claimed_single = 4e-7;

/** Error of one lane of a power over what is allowed, relative to the claim. */
static double single_error(double value, long double exact, long double allowed) {
    double error = (double)(fabsl((long double)value - exact) / (exact * allowed));
    return isnan(error) ? INFINITY : error;
}

static void test_single_powers(void) {
    check_random r = check_random_make(113);
    double worst_log2 = 0.0, worst_exp2 = 0.0, worst_root = 0.0;
    for (int i = 0; i < 200000; i += check_every()) {
        ovi_vf4 x, y, z, w;
        for (int k = 0; k < 4; k++) {
            x[k] = (float)(i % 2 == 0 ? check_log_uniform(&r, 1e-37, 1e37)
                                      : check_uniform(&r, 0.7, 1.42));
            y[k] = (float)check_uniform(&r, -126.0, 127.0);
            z[k] = (float)check_uniform(&r, 1.0, 2.0);
            w[k] = (float)check_uniform(&r, -1.0, 0.0);
        }
        ovi_vf4 log2_x = ovi_vf4_log2(x), exp2_y = ovi_vf4_exp2(y), root = ovi_vf4_root(z, w);
        for (int k = 0; k < 4; k++) {
            long double l = log2l((long double)x[k]);
            double off = (double)(fabsl((long double)log2_x[k] - l) / (1.0L + fabsl(l)));
            worst_log2 = fmax(worst_log2, isnan(off) ? INFINITY : off);
            worst_exp2 = fmax(worst_exp2, single_error(exp2_y[k], exp2l((long double)y[k]), 1.0L));
            long double exact = powl((long double)z[k], (long double)w[k]);
            long double allowed = 1.0L + fabsl((long double)w[k] * (1.0L + log2l(z[k])));
            worst_root = fmax(worst_root, single_error(root[k], exact, allowed));
        }
    }
    check_worst("log2 of floats", worst_log2, claimed_single);
    check_worst("exp2 of floats", worst_exp2, claimed_single);
    check_worst("root of floats", worst_root, claimed_single);
    CHECK(worst_log2 <= claimed_single && worst_exp2 <= claimed_single);
    CHECK(worst_root <= claimed_single);
}

static void test_single_parts(void) {
    check_random r = check_random_make(114);
    for (int i = 0; i < 2000; i += check_every()) {
        ovi_v2 low = {check_uniform(&r, -9.0, 9.0), check_uniform(&r, -9.0, 9.0)},
               high = -low - 1.0;
        ovi_vf4 a = ovi_vf4_round(low, high), b = ovi_vf4_of(0.5f), root = ovi_vf4_sqrt(a * a);
        ovi_vf4 less = ovi_vf4_select(a < b, a, b), size = ovi_vf4_abs(a);
        ovi_vf4 sign = ovi_vf4_copysign(b, a);
        ovi_if4 mask = ovi_vf4_mask(low < 0.5, high < 0.5);
        for (int k = 0; k < 4; k++) {
            float x = (float)(k < 2 ? low[k] : high[k - 2]);
            CHECK(a[k] == x && less[k] == (x < 0.5f ? x : 0.5f) && size[k] == fabsf(x));
            CHECK(sign[k] == copysignf(0.5f, x) && root[k] == sqrtf(x * x));
            CHECK((mask[k] != 0) == ((k < 2 ? low[k] : high[k - 2]) < 0.5));
            CHECK(ovi_vf4_widen(a, k >= 2)[k & 1] == (double)x);
        }
    }
}

/** The second power of a norm: of numbers from 1 to 2, with exponents from -1 to 0. */
static void test_root(void) {
    check_random r = check_random_make(113);
    const double most = 9e-16;
    double worst = 0.0;
    for (int i = 0; i < 300000; i += check_every()) {
        ovi_v4 x, y;
        for (int k = 0; k < 4; k++) {
            uint64_t bits = check_random_bits(&r);
            double small = ldexp(check_uniform(&r, 0.0, 1.0), -(int)(bits >> 8 & 63));
            x[k] = bits % 3 == 0 ? check_uniform(&r, 1.0, 2.0) : bits % 3 == 1 ? 1.0 + small : 2.0;
            y[k] = bits >> 20 & 3 ? check_uniform(&r, -1.0, 0.0) : -(double)(bits >> 22 & 1);
        }
        ovi_v4 power = ovi_v4_root(x, y);
        for (int k = 0; k < 4; k++) {
            long double exact = powl((long double)x[k], y[k]);
            double error = (double)(fabsl((long double)power[k] - exact) / exact);
            worst = fmax(worst, isnan(error) ? INFINITY : error);
        }
    }
    check_worst("root", worst, most);
    CHECK(worst <= most);
}

/* ---- surfaces */

typedef struct body {
    ov_shape shape;
    ovi_parametrisation by; // section in lane 0, profile in lane 1
    ovi_form_1 form;
} body;

static body make_body(check_random *r, double e1, double e2, bool tapered) {
    body b;
    ov_vec3 a = {check_log_uniform(r, 0.3, 3.0), check_log_uniform(r, 0.3, 3.0),
                 check_log_uniform(r, 0.3, 3.0)};
    double tx = tapered ? check_uniform(r, -0.15, 0.15) : 0.0;
    double ty = tapered ? check_uniform(r, -0.15, 0.15) : 0.0;
    ov_shape_options options = {1.0};
    CHECK_OK(ov_shape_make_superovoid(a, e1, e2, tx, ty, &options, &b.shape));
    const double e[2] = {e1, e2};
    b.by = (ovi_parametrisation){ovi_v4_of(1.0), ovi_v4_of(-0.5), {0, 0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        bool position = e[i] <= 1.0;
        double p = position ? 2.0 / e[i] : 2.0 / (2.0 - e[i]); // the norm's, or its dual's
        b.by.minus_1[i] = p - 1.0;
        b.by.inverse_minus_1[i] = 1.0 / p - 1.0;
        b.by.by_position[i] = position ? -1 : 0;
    }
    b.form = (ovi_form_1){a.x, a.y, a.z, tx, ty, a.x, a.y, a.x * a.y / a.z};
    return b;
}

static ovi_curve_1 lane_of(const ovi_curve_4 *c, int k) {
    return (ovi_curve_1){c->u[k],  c->v[k],   c->gu[k],  c->gv[k],  c->du[k],
                         c->dv[k], c->dgu[k], c->dgv[k], c->u_c[k], c->gu_c[k]};
}

/** The surface at a unit vector; off the poles, or with a section's ray of its own on them. */
static ovi_surface_1 surface_of(const body *b, ov_vec3 u, double c, double s) {
    double radius = sqrt(u.x * u.x + u.y * u.y);
    ovi_curve_4 four =
        ovi_curves_at_4((ovi_v4){c, radius, 1.0, 1.0}, (ovi_v4){s, u.z, 1.0, 1.0}, &b->by);
    ovi_curve_1 section = lane_of(&four, 0), profile = lane_of(&four, 1);
    return ovi_surface_at_1(&b->form, &section, &profile);
}

static ovi_surface_1 surface_at(const body *b, ov_vec3 u) { return surface_of(b, u, u.x, u.y); }

static ov_vec3 vec(ovi_triple_1 t) { return ov_vec3_make(t.x, t.y, t.z); }

/** Unit normal of a surface, and its first tangent. */
static ov_vec3 normal_of(const ovi_surface_1 *s) { return ov_vec3_normalize(vec(s->m)); }
static ov_vec3 first_of(const ovi_surface_1 *s) { return ov_vec3_make(s->p1x, s->p1y, 0.0); }

/** The part of a vector across a unit normal. */
static ov_vec3 across(ov_vec3 v, ov_vec3 n) { return ov_vec3_add_scaled(v, n, -ov_vec3_dot(v, n)); }

static double distance(ov_vec3 a, ov_vec3 b) { return ov_vec3_length(ov_vec3_sub(a, b)); }

/** u moved by t along a unit tangent of the sphere. */
static ov_vec3 moved(ov_vec3 u, ov_vec3 along, double t) {
    return ov_vec3_add_scaled(ov_vec3_scale(u, cos(t)), along, sin(t));
}

/** Central difference with one step of Richardson's extrapolation, of point and normal. */
static void differences(const body *b, ov_vec3 u, ov_vec3 along, ov_vec3 *dp, ov_vec3 *dn) {
    ov_vec3 p[2], n[2];
    const double h = 1e-4;
    for (int i = 0; i < 2; i++) {
        double t = i == 0 ? h : 0.5 * h;
        ovi_surface_1 plus = surface_at(b, moved(u, along, t)),
                      minus = surface_at(b, moved(u, along, -t));
        p[i] = ov_vec3_scale(ov_vec3_sub(vec(plus.p), vec(minus.p)), 0.5 / t);
        n[i] = ov_vec3_scale(ov_vec3_sub(normal_of(&plus), normal_of(&minus)), 0.5 / t);
    }
    *dp = ov_vec3_scale(ov_vec3_sub(ov_vec3_scale(p[1], 4.0), p[0]), 1.0 / 3.0);
    *dn = ov_vec3_scale(ov_vec3_sub(ov_vec3_scale(n[1], 4.0), n[0]), 1.0 / 3.0);
}

static const double exponents[] = {0.05, 0.1, 0.3, 0.6, 0.9, 1.0, 1.1, 1.4, 1.7, 1.9, 1.95};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

/** Off the seams of the curves, across which differences of high powers say little. */
static ov_vec3 place_off_seams(check_random *r) {
    for (;;) {
        ov_vec3 u = check_unit_vector(r);
        double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z), m = sqrt(x * x + y * y);
        if (x > 0.02 && y > 0.02 && z > 0.02 && m > 0.02) {
            return u;
        }
    }
}

static void test_surface_derivatives(void) {
    check_random r = check_random_make(105);
    double worst = 0.0;
    const double tolerance = 1e-6;
    for (int i = 0; i < 60 * EXPONENTS * EXPONENTS; i += check_every()) {
        body b = make_body(&r, exponents[i % EXPONENTS], exponents[i / EXPONENTS % EXPONENTS],
                           i % 3 != 0);
        ov_vec3 u = place_off_seams(&r);
        double m = sqrt(u.x * u.x + u.y * u.y);
        ov_vec3 along[2] = {{-u.y / m, u.x / m, 0.0}, {-u.z * u.x / m, -u.z * u.y / m, m}};
        ovi_surface_1 s = surface_at(&b, u);
        ov_vec3 n = normal_of(&s);
        double length = ov_vec3_length(vec(s.m));
        ov_vec3 given[4] = {first_of(&s), ov_vec3_scale(across(vec(s.m1), n), 1.0 / length),
                            vec(s.p2), ov_vec3_scale(across(vec(s.m2), n), 1.0 / length)};
        for (int k = 0; k < 2; k++) {
            ov_vec3 dp, dn;
            differences(&b, u, along[k], &dp, &dn);
            double scale_p = ov_vec3_length(b.shape.a);
            double error_p = distance(dp, given[2 * k]) / (scale_p + ov_vec3_length(dp));
            double error_n = distance(dn, given[2 * k + 1]) / (1.0 + ov_vec3_length(dn));
            worst = fmax(worst, fmax(error_p, error_n));
            CHECK_NEAR(error_p, 0.0, tolerance);
            CHECK_NEAR(error_n, 0.0, tolerance);
        }
    }
    check_worst("derivatives of points and normals", worst, tolerance);
}

/** At a pole the first parameter moves along the section's tangent, the second along its ray. */
static void test_poles(void) {
    check_random r = check_random_make(106);
    double worst = 0.0;
    const double tolerance = 1e-12;
    for (int i = 0; i < 20 * EXPONENTS * EXPONENTS; i += check_every()) {
        body b = make_body(&r, exponents[i % EXPONENTS], exponents[i / EXPONENTS % EXPONENTS],
                           i % 2 == 0);
        double phi = check_uniform(&r, 0.1, 1.4), c = cos(phi), s = sin(phi);
        double up = i % 4 < 2 ? 1.0 : -1.0;
        ovi_surface_1 pole = surface_of(&b, ov_vec3_make(0.0, 0.0, up), c, s);
        ov_vec3 parts[6] = {vec(pole.p),  normal_of(&pole), first_of(&pole),
                            vec(pole.p2), vec(pole.m1),     vec(pole.m2)};
        bool finite = true;
        for (int k = 0; k < 6; k++) {
            finite = finite && ov_vec3_is_finite(parts[k]);
        }
        CHECK(finite);
        // the limit along the meridian, where all is smooth
        double t = 1e-100;
        ovi_surface_1 near = surface_at(&b, ov_vec3_make(t * c, t * s, up));
        ov_vec3 others[4] = {vec(near.p), normal_of(&near), first_of(&near), vec(near.p2)};
        for (int k = 0; k < 4; k++) {
            double error = distance(parts[k], others[k]);
            worst = fmax(worst, error);
            CHECK_NEAR(error, 0.0, tolerance);
        }
        CHECK_NEAR(pole.p.z, up * b.form.a3, 1e-15 * b.form.a3);
    }
    check_worst("poles against their neighbourhood", worst, tolerance);
}

static void test_gauge_of_surface(void) {
    check_random r = check_random_make(107);
    double worst_on = 0.0, worst_normal = 0.0;
    const double on = 1e-13, aside = 1e-11;
    for (int i = 0; i < 200 * EXPONENTS * EXPONENTS; i += check_every()) {
        body b = make_body(&r, exponents[i % EXPONENTS], exponents[i / EXPONENTS % EXPONENTS],
                           i % 3 != 0);
        ovi_surface_1 s = surface_at(&b, check_unit_vector(&r));
        ov_field f;
        CHECK(ov_shape_gauge(&b.shape, vec(s.p), &f) >= 0);
        double off = fabs(f.value - 1.0);
        ov_vec3 n = normal_of(&s);
        double turn = distance(ov_vec3_normalize(f.gradient), n);
        worst_on = fmax(worst_on, off);
        CHECK_NEAR(off, 0.0, on);
        // by the normal (e > 1) the point's last digit decides the gradient next to an edge
        bool sharp = b.shape.e1 > 1.0 || b.shape.e2 > 1.0;
        if (!sharp) {
            worst_normal = fmax(worst_normal, turn);
            CHECK_NEAR(turn, 0.0, aside);
        } else {
            // then the support says it: no point of the body is further along the normal
            ov_support h;
            CHECK_OK(ov_shape_support(&b.shape, n, &h));
            double slack = 1e-13 * ov_vec3_length(b.shape.a);
            if (b.shape.dent == 0.0) {
                CHECK_NEAR(h.value, ov_vec3_dot(n, vec(s.p)), slack);
            }
        }
    }
    check_worst("gauge at the surface", worst_on, on);
    check_worst("normals against the gauge's gradient", worst_normal, aside);
}

/** An ellipsoid is a surface whose curves have the exponent 2. */
static void test_ellipsoids(void) {
    check_random r = check_random_make(108);
    double worst = 0.0;
    for (int i = 0; i < 5000; i += check_every()) {
        body b = make_body(&r, 1.0, 1.0, false);
        double length = check_uniform(&r, 0.5, 2.0); // places need not be unit vectors
        ov_vec3 u = ov_vec3_scale(check_unit_vector(&r), length);
        u = i % 10 == 0 ? ov_vec3_make(0.0, 0.0, u.z) : u;
        double radius = sqrt(u.x * u.x + u.y * u.y);
        ovi_surface_1 x = i % 10 == 0 ? surface_of(&b, u, 1.0, 0.0) : surface_at(&b, u);
        ovi_triple_1 place = {u.x, u.y, u.z};
        ovi_surface_1 y = ovi_ellipsoid_at_1(&b.form, &place, radius);
        double size = ov_vec3_length(b.shape.a), off = distance(vec(x.p), vec(y.p));
        off += distance(first_of(&x), first_of(&y)) + distance(vec(x.p2), vec(y.p2));
        off += distance(vec(x.m), vec(y.m)) + distance(vec(x.m1), vec(y.m1)) +
               distance(vec(x.m2), vec(y.m2));
        off /= size * (1.0 + size);
        if (i % 10 == 0) {
            CHECK_NEAR(off, 0.0, 1e-10); // the curves have powers of 1e-200 there, without digits
        } else {
            worst = fmax(worst, off);
            CHECK_NEAR(off, 0.0, 1e-14);
        }
    }
    check_worst("ellipsoids", worst, 1e-14);
}

/* ---- Newton's step */

enum { EQUATIONS = 4 };

/** Gaussian elimination with pivoting; returns the smallest pivot against the largest. */
static double solve(double m[EQUATIONS][EQUATIONS + 1], double x[EQUATIONS]) {
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < EQUATIONS; k++) {
        int best = k;
        for (int i = k + 1; i < EQUATIONS; i++) {
            best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
        }
        for (int j = 0; j <= EQUATIONS; j++) {
            double t = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = t;
        }
        least = fmin(least, fabs(m[k][k]));
        most = fmax(most, fabs(m[k][k]));
        for (int i = k + 1; i < EQUATIONS; i++) {
            double f = m[i][k] / m[k][k];
            for (int j = k; j <= EQUATIONS; j++) {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    for (int k = EQUATIONS - 1; k >= 0; k--) {
        x[k] = m[k][EQUATIONS];
        for (int j = k + 1; j < EQUATIONS; j++) {
            x[k] -= m[k][j] * x[j];
        }
        x[k] /= m[k][k];
    }
    return least / most;
}

static ovi_triple_1 random_triple(check_random *r) {
    ov_vec3 v = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.2, 2.0));
    return (ovi_triple_1){v.x, v.y, v.z};
}

static ovi_surface_1 random_surface(check_random *r) {
    return (ovi_surface_1){.p = random_triple(r),
                           .m = random_triple(r),
                           .p2 = random_triple(r),
                           .m1 = random_triple(r),
                           .m2 = random_triple(r),
                           .p1x = check_uniform(r, -2.0, 2.0),
                           .p1y = check_uniform(r, -2.0, 2.0)};
}

/**
 * The equations with unit tangents, and with dmA left in the first pair: T.(P - (P.mA/mA.mA) mA)
 * vanishes with P and mA moving, and the same for mB in place of P. Both surfaces in one frame.
 */
static double solve_newton(const ovi_surface_1 *a, const ovi_surface_1 *b, double x[EQUATIONS]) {
    ov_vec3 ma = vec(a->m), mb = vec(b->m), p = ov_vec3_sub(vec(b->p), vec(a->p));
    ov_mat3 frame = ov_mat3_householder(ov_vec3_normalize(ma));
    ov_vec3 tangent[2] = {frame.cy, frame.cz};
    double k = ov_vec3_dot(ma, ma), along_p = ov_vec3_dot(ma, p) / k;
    double along_m = ov_vec3_dot(ma, mb) / k, m[EQUATIONS][EQUATIONS + 1];
    for (int i = 0; i < 2; i++) {
        ov_vec3 t = tangent[i];
        double m1 = ov_vec3_dot(t, vec(a->m1)), m2 = ov_vec3_dot(t, vec(a->m2));
        double row[2][EQUATIONS + 1] = {{-ov_vec3_dot(t, first_of(a)) - along_p * m1,
                                         -ov_vec3_dot(t, vec(a->p2)) - along_p * m2,
                                         ov_vec3_dot(t, first_of(b)), ov_vec3_dot(t, vec(b->p2)),
                                         -ov_vec3_dot(t, p)},
                                        {-along_m * m1, -along_m * m2, ov_vec3_dot(t, vec(b->m1)),
                                         ov_vec3_dot(t, vec(b->m2)), -ov_vec3_dot(t, mb)}};
        for (int j = 0; j <= EQUATIONS; j++) {
            m[i][j] = row[0][j];
            m[2 + i][j] = row[1][j];
        }
    }
    return solve(m, x);
}

static ovi_facing_1 facing_of(const ovi_surface_1 *a, const ovi_surface_1 *b) {
    ov_vec3 p = ov_vec3_sub(vec(b->p), vec(a->p));
    return (ovi_facing_1){{p.x, p.y, p.z}, a->m, b->m};
}

static ovi_step_1 step_of(const ovi_surface_1 *a, const ovi_surface_1 *b, double inverse_size) {
    ovi_facing_1 f = facing_of(a, b);
    ovi_tangents_1 e = ovi_tangents_of_1(f.ma);
    ovi_triple_1 t = {e.tx, e.ty, 0.0};
    ovi_slopes_1 sa = ovi_slopes_of_1(a, t, e.u), sb = ovi_slopes_of_1(b, t, e.u);
    ovi_rows_1 rows = ovi_rows_of_1(&f, &e, &sa, &sb, inverse_size);
    return ovi_solve_1(&rows);
}

static void check_stand(const ovi_surface_1 *a, const ovi_surface_1 *b) {
    ovi_facing_1 f = facing_of(a, b);
    ovi_residual_1 o = ovi_residual_of_1(&f);
    ov_vec3 na = normal_of(a), nb = normal_of(b), p = vec(f.p);
    CHECK_NEAR(distance(vec(o.na), na) + distance(vec(o.nb), nb), 0.0, 1e-15);
    CHECK_NEAR(o.phi_a, ov_vec3_dot(na, p), 1e-14);
    CHECK_NEAR(o.phi_b, -ov_vec3_dot(nb, p), 1e-14);
    CHECK_NEAR(o.distance, ov_vec3_length(p), 1e-14);
    CHECK_NEAR(o.mismatch, ov_vec3_length(ov_vec3_add(na, nb)), 1e-14);
    double side = ov_vec3_length(across(p, na));
    CHECK_NEAR(ovi_lateral_square_1(&f, &o), side * side, 1e-13);
}

static void test_newton(void) {
    check_random r = check_random_make(109);
    double worst = 0.0;
    const double tolerance = 1e-9;
    int seen = 0;
    for (int i = 0; i < 20000; i += check_every()) {
        ovi_surface_1 a = random_surface(&r), b = random_surface(&r);
        if (i % 50 == 0) {
            a.m.x = a.m.y = 0.0; // at a pole any tangents will do
        }
        check_stand(&a, &b);
        double x[EQUATIONS];
        if (solve_newton(&a, &b, x) < 1e-4) {
            continue;
        }
        seen++;
        ovi_step_1 n = step_of(&a, &b, check_log_uniform(&r, 0.2, 5.0));
        const double y[EQUATIONS] = {n.x1, n.x2, n.y1, n.y2};
        double scale = 1.0;
        for (int k = 0; k < EQUATIONS; k++) {
            scale = fmax(scale, fabs(x[k]));
        }
        for (int k = 0; k < EQUATIONS; k++) {
            worst = fmax(worst, fabs(x[k] - y[k]) / scale);
            CHECK_NEAR(y[k], x[k], tolerance * scale);
        }
    }
    CHECK(seen > check_share(10000));
    check_worst("Newton's step against elimination", worst, tolerance);
}

int main(void) {
    check_suite = "lanes";
    RUN(test_parts);
    RUN(test_widths);
    RUN(test_log2);
    RUN(test_exp2);
    RUN(test_powers);
    RUN(test_single_powers);
    RUN(test_single_parts);
    RUN(test_root);
    RUN(test_surface_derivatives);
    RUN(test_poles);
    RUN(test_gauge_of_surface);
    RUN(test_ellipsoids);
    RUN(test_newton);
    return check_finish();
}
