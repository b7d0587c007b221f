/**
 * @file oracle.h
 * @brief The smooth family a second time, for the tests to compare with: the formulas as the papers
 * print them, in long double, and two ways to differentiate them.
 *
 * Nothing here shares a line with the library. Values are the printed formulas, with powl() for
 * every power. Derivatives come in two unlike kinds:
 *
 *     differences   of order eight, good to about 1e-9 where the step can be a fair part of the
 *                   coordinates; near a coordinate plane the rounding of the values shows, and
 *                   `noise` tells by how much
 *     jets          value, gradient and Hessian carried through each operation by the product and
 *                   chain rules, good to about 1e-17 everywhere but on the planes themselves
 *
 * All derivatives are by the scaled coordinates x/a1, y/a2, z/a3, in which the entries of a Hessian
 * can be compared with one another. long double must be wider than double: on x86 it has 64 bits of
 * mantissa and exponents to 4932.
 */
#ifndef OVOID_TESTS_ORACLE_H
#define OVOID_TESTS_ORACLE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <ovoid/ovoid.h>

#include "check.h"

_Static_assert(LDBL_MANT_DIG > DBL_MANT_DIG, "the oracles need a long double that is wider");

/* ---- values */

/** (|u|^p + |v|^p)^(1/p); the larger is taken out, as p may be 1e300. */
static inline long double oracle_norm(long double u, long double v, long double p) {
    long double big = fmaxl(fabsl(u), fabsl(v)), small = fminl(fabsl(u), fabsl(v));
    return big == 0.0L ? 0.0L : big * powl(1.0L + powl(small / big, p), 1.0L / p);
}

/** Height in units of a3, held at the ends of the body. */
static inline long double oracle_held(long double zeta) { return fmaxl(-1.0L, fminl(1.0L, zeta)); }

/** Gauge at the scaled point (x/a1, y/a2, z/a3). */
static inline long double oracle_gauge(const ov_shape *s, long double x, long double y,
                                       long double z) {
    long double f1 = 1.0L + s->tx * oracle_held(z), f2 = 1.0L + s->ty * oracle_held(z);
    long double m = oracle_norm(x / f1, y / f2, 2.0L / s->e1);
    return oracle_norm(m, z, 2.0L / s->e2);
}

/** [Benchmark, eq. 5] at the scaled point, the taper held beyond the ends. */
static inline long double oracle_implicit(const ov_shape *s, long double x, long double y,
                                          long double z) {
    long double f1 = 1.0L + s->tx * oracle_held(z), f2 = 1.0L + s->ty * oracle_held(z);
    long double e1 = s->e1, e2 = s->e2;
    long double section = powl(fabsl(x / f1), 2.0L / e1) + powl(fabsl(y / f2), 2.0L / e1);
    return powl(section, e1 / e2) + powl(fabsl(z), 2.0L / e2);
}

/** A point of the shape's frame in scaled coordinates. */
static inline void oracle_scaled(const ov_shape *s, ov_vec3 point, long double u[3]) {
    u[0] = (long double)point.x / s->a.x;
    u[1] = (long double)point.y / s->a.y;
    u[2] = (long double)point.z / s->a.z;
}

static inline long double oracle_gauge_at(const ov_shape *s, ov_vec3 point) {
    long double u[3];
    oracle_scaled(s, point, u);
    return oracle_gauge(s, u[0], u[1], u[2]);
}

/** sign(x) |x|^e, the power of [Benchmark, eq. 4]. */
static inline long double oracle_signed_power(long double x, long double e) {
    return x == 0.0L ? 0.0L : copysignl(powl(fabsl(x), e), x);
}

/**
 * Cosine and sine of the angle, or of the one that [SQMap, eq. 9] puts in its place: with
 * T = |tan phi|^(1/e), they are 1/sqrt(1 + T^2) and T/sqrt(1 + T^2), in the quadrant of phi.
 */
static inline void oracle_turn(ov_spacing spacing, long double phi, long double e, long double *c,
                               long double *s) {
    *c = cosl(phi);
    *s = sinl(phi);
    if (spacing == OV_SPACING_EQUAL) {
        long double t = powl(fabsl(*s / *c), 1.0L / e), secant = sqrtl(1.0L + t * t);
        *c = copysignl(1.0L / secant, *c);
        *s = copysignl(t / secant, *s);
    }
}

/** Surface point, scaled; [Benchmark, eq. 10], with [SQMap, eq. 9-10] for the other spacing. */
static inline void oracle_surface(const ov_shape *s, ov_spacing spacing, long double phi1,
                                  long double phi2, long double u[3]) {
    long double c1, s1, c2, s2;
    oracle_turn(spacing, phi1, s->e1, &c1, &s1);
    oracle_turn(spacing, phi2, s->e2, &c2, &s2);
    long double w = oracle_signed_power(c2, s->e2);
    u[2] = oracle_signed_power(s2, s->e2);
    u[0] = (1.0L + s->tx * u[2]) * w * oracle_signed_power(c1, s->e1);
    u[1] = (1.0L + s->ty * u[2]) * w * oracle_signed_power(s1, s->e1);
}

/* ---- differences */

typedef long double (*oracle_field)(const ov_shape *s, long double x, long double y, long double z);

/** Gradient and Hessian by the scaled coordinates: xx, yy, zz, xy, xz, yz. */
typedef struct oracle_derivatives {
    long double value;
    long double g[3], h[6];
    long double noise_g[3], noise_h[6]; /**< what rounding may have added; zero for jets */
} oracle_derivatives;

static const int oracle_pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/** First and second derivative along a line through u, by the step: central, order eight. */
static inline void oracle_along(oracle_field f, const ov_shape *s, const long double u[3],
                                const long double step[3], long double middle, long double *first,
                                long double *second) {
    static const long double odd[4] = {672.0L / 840, -168.0L / 840, 32.0L / 840, -3.0L / 840};
    static const long double even[4] = {8064.0L / 5040, -1008.0L / 5040, 128.0L / 5040,
                                        -9.0L / 5040};
    *first = 0.0L;
    *second = -14350.0L / 5040 * middle;
    for (int k = 1; k <= 4; k++) {
        long double t = k;
        long double up = f(s, u[0] + t * step[0], u[1] + t * step[1], u[2] + t * step[2]);
        long double down = f(s, u[0] - t * step[0], u[1] - t * step[1], u[2] - t * step[2]);
        *first += odd[k - 1] * (up - down);
        *second += even[k - 1] * (up + down);
    }
}

/**
 * Steps in the scaled coordinates: a tenth of the length over which the sharpest power changes, so
 * that the error of order eight is about 1e-11, and on one side of the ends |zeta| = 1.
 */
static inline void oracle_steps(const ov_shape *s, const long double u[3], long double step[3]) {
    long double p = fmaxl(5.0L, fmaxl(2.0L / s->e1, 2.0L / s->e2)), reach = fabsl(u[2]);
    if (reach < 1.0L && s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        reach = fminl(reach, (1.0L + s->tx * u[2]) / fmaxl(fabsl(s->tx), 1e-30L));
        reach = fminl(reach, (1.0L + s->ty * u[2]) / fmaxl(fabsl(s->ty), 1e-30L));
    }
    step[0] = 0.1L * fabsl(u[0]) / p;
    step[1] = 0.1L * fabsl(u[1]) / p;
    step[2] = fminl(0.1L * reach / p, fabsl(fabsl(u[2]) - 1.0L) / 5.0L);
}

/** `rounding` is the relative error of the values of f. */
static inline oracle_derivatives oracle_differences(oracle_field f, const ov_shape *s,
                                                    const long double u[3], long double rounding) {
    oracle_derivatives d = {.value = f(s, u[0], u[1], u[2])};
    long double h[3], ignored;
    oracle_steps(s, u, h);
    for (int i = 0; i < 6; i++) {
        int a = oracle_pair[i][0], b = oracle_pair[i][1];
        long double noise = rounding * fabsl(d.value) / (h[a] * h[b]);
        long double up[3] = {0.0L}, down[3] = {0.0L}, second, other;
        up[a] = down[a] = h[a];
        if (a == b) {
            oracle_along(f, s, u, up, d.value, &d.g[a], &second);
            d.g[a] /= h[a];
            d.h[i] = second / (h[a] * h[a]);
            d.noise_g[a] = 2.0L * rounding * fabsl(d.value) / h[a];
            d.noise_h[i] = 7.0L * noise;
            continue;
        }
        // the two diagonals: their second derivatives differ by four times the mixed one
        up[b] = h[b];
        down[b] = -h[b];
        oracle_along(f, s, u, up, d.value, &ignored, &second);
        oracle_along(f, s, u, down, d.value, &ignored, &other);
        d.h[i] = (second - other) / (4.0L * h[a] * h[b]);
        d.noise_h[i] = 4.0L * noise;
    }
    return d;
}

/* ---- jets */

typedef struct oracle_jet {
    long double v, g[3], h[6];
} oracle_jet;

static inline oracle_jet oracle_variable(long double x, int axis) {
    oracle_jet j = {.v = x};
    j.g[axis] = 1.0L;
    return j;
}

/** a j + b */
static inline oracle_jet oracle_line(oracle_jet j, long double a, long double b) {
    j.v = a * j.v + b;
    for (int i = 0; i < 3; i++) {
        j.g[i] *= a;
    }
    for (int i = 0; i < 6; i++) {
        j.h[i] *= a;
    }
    return j;
}

static inline oracle_jet oracle_sum(oracle_jet a, oracle_jet b) {
    a.v += b.v;
    for (int i = 0; i < 3; i++) {
        a.g[i] += b.g[i];
    }
    for (int i = 0; i < 6; i++) {
        a.h[i] += b.h[i];
    }
    return a;
}

static inline oracle_jet oracle_product(oracle_jet a, oracle_jet b) {
    oracle_jet c = {.v = a.v * b.v};
    for (int i = 0; i < 3; i++) {
        c.g[i] = a.v * b.g[i] + b.v * a.g[i];
    }
    for (int i = 0; i < 6; i++) {
        int k = oracle_pair[i][0], l = oracle_pair[i][1];
        c.h[i] = a.v * b.h[i] + b.v * a.h[i] + a.g[k] * b.g[l] + a.g[l] * b.g[k];
    }
    return c;
}

/** |j|^p; j must not be zero. */
static inline oracle_jet oracle_power(oracle_jet j, long double p) {
    long double size = fabsl(j.v), value = powl(size, p);
    long double slope = p * value / j.v, bend = p * (p - 1.0L) * value / (size * size);
    oracle_jet out = {.v = value};
    for (int i = 0; i < 3; i++) {
        out.g[i] = slope * j.g[i];
    }
    for (int i = 0; i < 6; i++) {
        out.h[i] = slope * j.h[i] + bend * j.g[oracle_pair[i][0]] * j.g[oracle_pair[i][1]];
    }
    return out;
}

/** Section coordinate x/f as a jet. */
static inline oracle_jet oracle_tapered(long double x, int axis, long double z, long double taper) {
    if (fabsl(z) > 1.0L) {
        return oracle_line(oracle_variable(x, axis), 1.0L / (1.0L + taper * copysignl(1.0L, z)),
                           0.0L);
    }
    oracle_jet f = oracle_line(oracle_variable(z, 2), taper, 1.0L);
    return oracle_product(oracle_variable(x, axis), oracle_power(f, -1.0L));
}

/** Norm of two jets, neither of them zero: big (1 + ratio^p)^(1/p), which keeps small entries. */
static inline oracle_jet oracle_norm_jet(oracle_jet a, oracle_jet b, long double p) {
    if (p == 1.0L) {
        return oracle_sum(oracle_power(a, 1.0L), oracle_power(b, 1.0L));
    }
    oracle_jet big = fabsl(a.v) > fabsl(b.v) ? a : b, small = fabsl(a.v) > fabsl(b.v) ? b : a;
    oracle_jet ratio = oracle_product(small, oracle_power(big, -1.0L));
    oracle_jet sum = oracle_line(oracle_power(ratio, p), 1.0L, 1.0L);
    return oracle_product(oracle_power(big, 1.0L), oracle_power(sum, 1.0L / p));
}

static inline oracle_jet oracle_section_jet(const ov_shape *s, const long double u[3]) {
    oracle_jet x = oracle_tapered(u[0], 0, u[2], s->tx), y = oracle_tapered(u[1], 1, u[2], s->ty);
    return oracle_norm_jet(x, y, 2.0L / s->e1);
}

/** Gauge at a scaled point off the coordinate planes. */
static inline oracle_jet oracle_gauge_jet(const ov_shape *s, const long double u[3]) {
    return oracle_norm_jet(oracle_section_jet(s, u), oracle_variable(u[2], 2), 2.0L / s->e2);
}

/** F at a scaled point off the coordinate planes. */
static inline oracle_jet oracle_implicit_jet(const ov_shape *s, const long double u[3]) {
    return oracle_sum(oracle_power(oracle_section_jet(s, u), 2.0L / s->e2),
                      oracle_power(oracle_variable(u[2], 2), 2.0L / s->e2));
}

/* ---- random shapes and points */

static const double oracle_exponents[] = {0.05, 0.1, 0.25, 0.5, 0.75, 1.0,
                                          1.25, 1.5, 1.75, 1.9, 1.99, 2.0};
enum { ORACLE_EXPONENTS = sizeof oracle_exponents / sizeof oracle_exponents[0] };

static inline double oracle_random_exponent(check_random *r) {
    uint64_t bits = check_random_bits(r);
    return bits % 3 == 0 ? oracle_exponents[(bits >> 8) % ORACLE_EXPONENTS]
                         : check_uniform(r, 0.05, 2.0);
}

/** Semi-axes of a size between 1e-3 and 1e3 (one shape in twenty: 1e-50 or 1e50), to 1:1000. */
static inline ov_vec3 oracle_random_axes(check_random *r) {
    uint64_t bits = check_random_bits(r);
    double size = check_log_uniform(r, 1e-3, 1e3);
    if (bits % 20 == 0) {
        size = (bits >> 8) % 2 == 0 ? 1e-50 : 1e50;
    }
    double spread = sqrt(1000.0);
    return ov_vec3_make(size * check_log_uniform(r, 1.0 / spread, spread),
                        size * check_log_uniform(r, 1.0 / spread, spread),
                        size * check_log_uniform(r, 1.0 / spread, spread));
}

/**
 * A shape from the whole domain, tapered to |T| = 0.95 in two cases of three; dents are allowed up
 * to the smallest semi-axis, and deeper ones drawn again.
 */
static inline ov_shape oracle_random_shape(check_random *r) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    for (int attempt = 0; attempt < 100; attempt++) {
        uint64_t bits = check_random_bits(r) % 6;
        double tx = bits < 2 ? 0.0 : check_uniform(r, -0.95, 0.95);
        double ty = bits < 2 ? 0.0 : bits == 2 ? tx : check_uniform(r, -0.95, 0.95);
        double e1 = oracle_random_exponent(r), e2 = oracle_random_exponent(r);
        ov_status status =
            ov_shape_make_superovoid(oracle_random_axes(r), e1, e2, tx, ty, &any_dent, &s);
        if (status != OV_ERROR_DENT) {
            CHECK_OK(status);
            return s;
        }
    }
    bool drawn = false;
    CHECK(drawn);
    return s;
}

/** Inside, on or outside: scaled coordinates up to `reach`, none below `nearest` times the largest.
 */
static inline ov_vec3 oracle_random_point(check_random *r, const ov_shape *s, double nearest,
                                          double reach) {
    double size = check_log_uniform(r, 0.1, reach), u[3];
    for (int i = 0; i < 3; i++) {
        double sign = check_random_bits(r) % 2 == 0 ? 1.0 : -1.0;
        u[i] = sign * size * check_log_uniform(r, nearest, 1.0);
    }
    double held = fmax(-1.0, fmin(1.0, u[2]));
    return ov_vec3_make(u[0] * s->a.x * (1.0 + s->tx * held), u[1] * s->a.y * (1.0 + s->ty * held),
                        u[2] * s->a.z);
}

/* ---- comparisons in scaled coordinates */

static inline void oracle_scale_field(const ov_shape *s, const ov_field *f, double g[3],
                                      double h[6]) {
    ov_vec3 a = s->a;
    g[0] = f->gradient.x * a.x;
    g[1] = f->gradient.y * a.y;
    g[2] = f->gradient.z * a.z;
    h[0] = f->hessian.cx.x * a.x * a.x;
    h[1] = f->hessian.cy.y * a.y * a.y;
    h[2] = f->hessian.cz.z * a.z * a.z;
    h[3] = f->hessian.cx.y * a.x * a.y;
    h[4] = f->hessian.cx.z * a.x * a.z;
    h[5] = f->hessian.cy.z * a.y * a.z;
}

static inline bool oracle_is_finite(const ov_field *f) {
    return isfinite(f->value) && ov_vec3_is_finite(f->gradient) &&
           ov_vec3_is_finite(f->hessian.cx) && ov_vec3_is_finite(f->hessian.cy) &&
           ov_vec3_is_finite(f->hessian.cz);
}

static inline bool oracle_has_nan(const ov_field *f) {
    const double all[10] = {f->value,        f->gradient.x,   f->gradient.y,   f->gradient.z,
                            f->hessian.cx.x, f->hessian.cx.y, f->hessian.cx.z, f->hessian.cy.y,
                            f->hessian.cy.z, f->hessian.cz.z};
    for (int i = 0; i < 10; i++) {
        if (isnan(all[i])) {
            return true;
        }
    }
    return false;
}

#endif
