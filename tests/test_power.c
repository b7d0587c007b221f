/**
 * @file test_power.c
 * @brief The library's own power, the p-norm of two numbers made from it, and the golden section.
 *
 * Every entry of the tables is recomputed; values are compared with powl() and with the norm's
 * printed derivatives in long double, to the error bounds that the headers state.
 */
#include <float.h>

#include "check.h"
#include "math/golden.h"
#include "math/p_norm.h"
#include "math/power.h"

/* ---- tables */

static void test_log2_table(void) {
    const uint64_t offset = ovi_bits(0x1.69555p-1), width = (uint64_t)1 << 45;
    double worst = 0.0;
    CHECK(offset == 0x3fe6955500000000u);
    for (uint64_t i = 0; i < 128; i++) {
        const ovi_log2_entry *t = &ovi_log2_table[i];
        CHECK(t->c * 1024.0 == floor(t->c * 1024.0));
        CHECK(t->inverse == (double)(1.0L / t->c));
        CHECK(t->log2 == (double)log2l(t->c));
        // both ends of the interval: no further from c than the polynomial allows, difference exact
        const double ends[2] = {ovi_from_bits(offset + i * width),
                                ovi_from_bits(offset + (i + 1) * width - 1)};
        for (int k = 0; k < 2; k++) {
            CHECK((long double)(ends[k] - t->c) == (long double)ends[k] - t->c);
            worst = fmax(worst, fabs((ends[k] - t->c) / t->c));
        }
        CHECK(!(ends[0] <= 1.0 && 1.0 <= ends[1]) || (t->c == 1.0 && t->log2 == 0.0));
    }
    CHECK(worst < exp2(-7.5));
    check_worst("distance from a table entry, relative", worst, exp2(-7.5));
}

static void test_exp2_table(void) {
    for (int i = 0; i < 64; i++) {
        CHECK(ovi_exp2_table[i] == (double)exp2l(i / 64.0L));
    }
}

/* ---- logarithm and power */

static void check_log2(double x, double *worst) {
    long double exact = log2l(x);
    double error = exact == 0.0L ? fabs(ovi_log2(x)) : (double)fabsl(ovi_log2(x) / exact - 1.0L);
    *worst = fmax(*worst, error);
    CHECK_NEAR(error, 0.0, exp2(-50.6));
}

static void test_log2(void) {
    check_random r = check_random_make(601);
    double worst = 0.0, worst_near = 0.0;
    for (int i = 0; i < 200000; i++) {
        check_log2(check_uniform(&r, 0.5, 2.0), &worst);
        check_log2(exp2(check_uniform(&r, -1073.9, 1.0)), &worst);
        double near = check_log_uniform(&r, 0x1p-52, 0.01);
        check_log2(1.0 + near, &worst_near);
        check_log2(1.0 - 0.5 * near, &worst_near);
    }
    CHECK(ovi_log2(1.0) == 0.0);
    CHECK(ovi_log2(0x1p-1074) == -1074.0 && ovi_log2(0x1p-1022) == -1022.0);
    check_worst("log2, relative", worst, exp2(-50.6));
    check_worst("log2 near one, relative", worst_near, exp2(-50.6));
}

/** The error in units of its stated bound, (3 + 2 |y log2 x|) 2^-52. */
static double power_error(double x, double y) {
    long double exact = powl(x, y), e = (long double)y * log2l(x);
    double error = (double)fabsl(ovi_pow(x, y) / exact - 1.0L);
    return error / ((3.0 + 2.0 * (double)fabsl(e)) * 0x1p-52);
}

static void test_power(void) {
    check_random r = check_random_make(602);
    double worst_unit = 0.0, worst_fading = 0.0, worst_small = 0.0;
    for (int i = 0; i < 100000; i++) {
        // results around one
        double x = check_uniform(&r, 0.25, 2.0), y = check_uniform(&r, -2.0, 2.0);
        double error = power_error(x, y);
        worst_unit = fmax(worst_unit, error);
        CHECK(error <= 1.0);
        // down to the smallest normal number, from near and from far bases
        x = i % 2 == 0 ? check_uniform(&r, 1e-3, 1.0) : 1.0 - check_log_uniform(&r, 1e-9, 0.5);
        y = -check_uniform(&r, 0.0, 1021.9) / log2(x);
        error = power_error(x, y);
        worst_fading = fmax(worst_fading, error);
        CHECK(error <= 1.0);
        // tiny and subnormal bases
        x = exp2(check_uniform(&r, -1074.0, -10.0));
        y = check_uniform(&r, -0.9, 0.9);
        error = power_error(x, y);
        worst_small = fmax(worst_small, error);
        CHECK(error <= 1.0);
    }
    check_worst("power around one, in units of its bound", worst_unit, 1.0);
    check_worst("power down to 2^-1022, in units of its bound", worst_fading, 1.0);
    check_worst("power of tiny numbers, in units of its bound", worst_small, 1.0);
}

/** At the ends of the table's intervals, where its logarithm and the polynomial cancel most. */
static void test_interval_ends(void) {
    check_random r = check_random_make(607);
    const uint64_t offset = ovi_bits(0x1.69555p-1), width = (uint64_t)1 << 45;
    double worst = 0.0, worst_log2 = 0.0;
    for (uint64_t i = 0; i < 128 * 1000; i++) {
        uint64_t inward = check_random_bits(&r) % (width / 64);
        uint64_t at = i % 2 == 0 ? inward : width - 1 - inward;
        double x = ovi_from_bits(offset + i / 1000 * width + at);
        check_log2(x, &worst_log2);
        if (x < 1.0) {
            double error = power_error(x, -check_uniform(&r, 100.0, 1021.9) / log2(x));
            worst = fmax(worst, error);
            CHECK(error <= 1.0);
        }
    }
    // the worst of forty million
    check_log2(0.99868604167890818, &worst_log2);
    check_log2(0.99868811549492342, &worst_log2);
    worst = fmax(worst, power_error(0.99868712468024134, 305568.10501420737));
    CHECK(worst <= 1.0);
    check_worst("log2 at the ends of the table's intervals, relative", worst_log2, exp2(-50.6));
    check_worst("power there, in units of its bound", worst, 1.0);
}

static void test_power_ends(void) {
    check_random r = check_random_make(603);
    const double x[4] = {0x1p-1074, 1e-3, 0.9999999999999999, 2.0};
    for (int i = 0; i < 4; i++) {
        CHECK(ovi_pow(x[i], 0.0) == 1.0);
        CHECK(ovi_pow(1.0, x[i] * 1e300) == 1.0);
        CHECK(ovi_pow(0.0, x[i]) == 0.0);
        CHECK(ovi_pow(x[i], INFINITY) == (x[i] < 1.0 ? 0.0 : INFINITY));
        CHECK_NEAR(ovi_pow(x[i], 1.0) / x[i], 1.0, x[i] < DBL_MIN ? 1.0 : 1e-12);
    }
    CHECK(ovi_pow(0.0, 0.0) == 1.0 && ovi_pow(1.0, INFINITY) == 1.0);
    CHECK(isinf(ovi_pow(0.0, -1.0)) && isinf(ovi_pow(0.0, -0.5)));
    CHECK(ovi_pow(0.0, INFINITY) == 0.0);
    CHECK(isinf(ovi_pow(2.0, 1e300)));
    // below the normal range the result is zero, never less than that or undefined
    for (int i = 0; i < 20000; i++) {
        double base = check_uniform(&r, 0.0, 1.0), e = check_log_uniform(&r, 1022.1, 1e300);
        CHECK(ovi_pow(base, -e / log2(base)) == 0.0);
    }
    CHECK(ovi_exp2(-INFINITY) == 0.0 && isinf(ovi_exp2(INFINITY)));
    CHECK_NEAR(ovi_exp2(-1021.999999) / exp2(-1021.999999), 1.0, 1e-15);
    CHECK_NEAR(ovi_exp2(1022.999999) / exp2(1022.999999), 1.0, 1e-15);
}

/* ---- the norm of two */

static const double squareness[] = {1e-3, 0.05, 0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 1.9, 1.9999};
enum { SQUARENESS = sizeof squareness / sizeof squareness[0] };

/** Error relative to the exact value; what fades below 1e-280 only has to fade as well. */
static double norm_error(double actual, long double exact) {
    if (fabsl(exact) < 1e-280L) {
        return fabs(actual) < 2e-280 ? 0.0 : 1.0;
    }
    return (double)fabsl(actual / exact - 1.0L);
}

/**
 * N = (|u|^p + |v|^p)^(1/p), N_u = (|u|/N)^(p-1), N_uv = -(p-1) |uv|^(p-1) N^(1-2p) and
 * N_uu = (p-1) |u|^(p-2) |v|^p N^(1-2p), with signs; in units of the larger number.
 */
static void check_norm(double u, double v, double e, double worst[3]) {
    long double p = 2.0L / e, p1 = (2.0L - e) / e;
    long double big = fmaxl(fabsl(u), fabsl(v)), a = fabsl(u) / big, b = fabsl(v) / big;
    long double n = powl(powl(a, p) + powl(b, p), 1.0L / p);
    long double nu = copysignl(powl(a / n, p1), u), nv = copysignl(powl(b / n, p1), v);
    long double outer = p1 / (n * big);
    long double uu = outer * powl(a / n, p - 2.0L) * powl(b / n, p);
    long double vv = outer * powl(b / n, p - 2.0L) * powl(a / n, p);
    long double uv = -copysignl(outer * powl(a / n, p1) * powl(b / n, p1), u * v);

    double size = fmax(fabs(u), fabs(v));
    ovi_exponent exponent = ovi_primal(e);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, exponent);
    ovi_p_norm norm = ovi_p_norm_gradient(u, v, &parts);
    ovi_p_norm_hessian h = ovi_p_norm_second(u, v, exponent, &parts);
    // what goes with r^p has the error of that power, and p times that of the rounded ratio
    double fading = 0x1p-52 * (double)(p * (1.0L + 3.0L * fabsl(log2l(fminl(a, b)))));
    double errors[3] = {
        norm_error(norm.value, n * big), fmax(norm_error(norm.du, nu), norm_error(norm.dv, nv)),
        fmax(norm_error(h.uv * size, uv * big),
             fmax(norm_error(h.uu * size, uu * big), norm_error(h.vv * size, vv * big)))};
    CHECK(!h.edge);
    CHECK_NEAR(errors[0], 0.0, 4.0 * 0x1p-52);
    CHECK_NEAR(errors[1], 0.0, 1e-15 + fading);
    CHECK_NEAR(errors[2], 0.0, 2e-15 + fading);
    worst[0] = fmax(worst[0], errors[0]);
    worst[1] = fmax(worst[1], errors[1] / (1e-15 + fading));
    worst[2] = fmax(worst[2], errors[2] / (2e-15 + fading));
}

static void test_norm(void) {
    check_random r = check_random_make(604);
    double worst[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 40000; i++) {
        double e = i % 2 == 0 ? squareness[i / 2 % SQUARENESS] : check_uniform(&r, 0.05, 1.999);
        double size = check_log_uniform(&r, 1e-8, 1e8);
        double ratio = i % 3 == 0 ? check_uniform(&r, 0.5, 1.0) : check_log_uniform(&r, 1e-12, 1.0);
        uint64_t bits = check_random_bits(&r);
        double u = bits & 1u ? size : -size, v = ratio * (bits & 2u ? size : -size);
        check_norm(bits & 4u ? u : v, bits & 4u ? v : u, e, worst);
    }
    check_worst("norm of two, relative", worst[0], 4.0 * 0x1p-52);
    check_worst("its gradient, in units of the power's bound", worst[1], 1.0);
    check_worst("its Hessian, in units of the power's bound", worst[2], 1.0);
}

typedef struct full_norm {
    ovi_p_norm g;
    ovi_p_norm_hessian h;
} full_norm;

static full_norm norm_of(double u, double v, ovi_exponent e) {
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, e);
    return (full_norm){ovi_p_norm_gradient(u, v, &parts), ovi_p_norm_second(u, v, e, &parts)};
}

static bool no_bend(const ovi_p_norm_hessian *h) {
    return h->uu == 0.0 && h->uv == 0.0 && h->vv == 0.0;
}

/** p = 1: the sum. p = infinity: the larger, and at a tie the mean of the two gradients. */
static void test_norm_limits(void) {
    const ovi_exponent one = ovi_primal(2.0), infinite = {INFINITY, 0.0}, dual = ovi_dual(2.0);
    CHECK(one.minus_1 == 0.0 && one.inverse == 1.0);
    CHECK(isinf(dual.minus_1) && dual.inverse == 0.0);
    check_random r = check_random_make(605);
    for (int i = 0; i < 2000; i++) {
        double u = check_uniform(&r, -2.0, 2.0), v = check_uniform(&r, -2.0, 2.0);
        full_norm n = norm_of(u, v, one);
        CHECK_NEAR(n.g.value, fabs(u) + fabs(v), 1e-15);
        CHECK_NEAR(n.g.du, copysign(1.0, u), 1e-15);
        CHECK_NEAR(n.g.dv, copysign(1.0, v), 1e-15);
        CHECK(no_bend(&n.h) && !n.h.edge);
        n = norm_of(u, v, infinite);
        CHECK(n.g.value == fmax(fabs(u), fabs(v)));
        CHECK(n.g.du == (fabs(u) > fabs(v) ? copysign(1.0, u) : 0.0));
        CHECK(n.g.dv == (fabs(v) > fabs(u) ? copysign(1.0, v) : 0.0));
        CHECK(no_bend(&n.h) && !n.h.edge);
        n = norm_of(u, -u, infinite);
        CHECK_NEAR(n.g.value, fabs(u), 1e-16 * fabs(u));
        CHECK_NEAR(n.g.du, copysign(0.5, u), 1e-16);
        CHECK_NEAR(n.g.dv, copysign(0.5, -u), 1e-16);
        CHECK(no_bend(&n.h) && n.h.edge);
    }
}

/** On an axis: flat for p > 2, round at 2, an edge below; at zero nothing but the value. */
static void test_norm_axes(void) {
    for (int i = 0; i <= SQUARENESS; i++) {
        double e = i == SQUARENESS ? 2.0 : squareness[i], bend = e == 1.0 ? 0.25 : 0.0;
        full_norm n = norm_of(-4.0, 0.0, ovi_primal(e));
        CHECK(n.g.value == 4.0 && n.g.du == -1.0 && n.g.dv == 0.0);
        CHECK(n.h.uu == 0.0 && n.h.uv == 0.0 && n.h.vv == bend && n.h.edge == (e > 1.0));
        n = norm_of(-0.0, 4.0, ovi_primal(e));
        CHECK(n.g.value == 4.0 && n.g.du == 0.0 && n.g.dv == 1.0);
        CHECK(n.h.vv == 0.0 && n.h.uv == 0.0 && n.h.uu == bend && n.h.edge == (e > 1.0));
        n = norm_of(0.0, -0.0, ovi_primal(e));
        CHECK(n.g.value == 0.0 && n.g.du == 0.0 && n.g.dv == 0.0);
        CHECK(no_bend(&n.h) && n.h.edge);
        // so unlike that their ratio is zero
        n = norm_of(1e-200, 1e200, ovi_primal(e));
        CHECK(n.g.value == 1e200 && n.g.dv == 1.0 && n.g.du >= 0.0);
        CHECK(isfinite(n.h.uu) && isfinite(n.h.uv) && isfinite(n.h.vv));
    }
}

static void test_exponents(void) {
    for (int i = 0; i < SQUARENESS; i++) {
        double e = squareness[i];
        ovi_exponent p = ovi_primal(e), q = ovi_dual(e);
        CHECK_NEAR(p.inverse + q.inverse, 1.0, 1e-15);
        CHECK_NEAR(p.minus_1 * q.minus_1, 1.0, 4e-16);
        CHECK_NEAR((p.minus_1 + 1.0) * p.inverse, 1.0, 4e-16);
    }
    CHECK(ovi_select(true, 1.5, -2.5) == 1.5 && ovi_select(false, 1.5, -2.5) == -2.5);
}

/* ---- golden section */

typedef struct probe {
    double at; // where the peak is
    long calls;
    double best; // largest value handed out
} probe;

static double note(probe *p, double value) {
    p->calls++;
    p->best = fmax(p->best, value);
    return value;
}

/* the searched functions take a const context: the notes go through a pointer in it */
typedef struct noted {
    probe *p;
} noted;

static double parabola(double x, const void *context) {
    probe *p = ((const noted *)context)->p;
    return note(p, 3.0 - (x - p->at) * (x - p->at));
}

static double cusp(double x, const void *context) {
    probe *p = ((const noted *)context)->p;
    return note(p, -sqrt(fabs(x - p->at)));
}

static double slope(double x, const void *context) { return note(((const noted *)context)->p, x); }

static double waves(double x, const void *context) {
    return note(((const noted *)context)->p, sin(20.0 * x) + 0.1 * x);
}

static void test_golden(void) {
    check_random r = check_random_make(606);
    for (int i = 0; i < 500; i++) {
        double at = check_uniform(&r, -1.0, 2.0), left = pow(0.6180339887498949, 50.0) * 3.0;
        probe p = {.at = at, .best = -INFINITY};
        noted n = {&p};
        ovi_peak peak = ovi_golden_max(parabola, &n, -1.0, 2.0, 30);
        CHECK(p.calls == 32);
        // flat at the top: 3 * 0.618^30, as far as values tell places apart
        CHECK_NEAR(peak.x, at, 2e-6);
        CHECK_NEAR(peak.value, 3.0, 1e-11);
        CHECK(peak.value == p.best);
        p = (probe){.at = at, .best = -INFINITY};
        peak = ovi_golden_max(cusp, &n, -1.0, 2.0, 50);
        CHECK_NEAR(peak.x, at, left);
        CHECK(peak.value == p.best && peak.value == -sqrt(fabs(peak.x - at)));
        p = (probe){.best = -INFINITY};
        peak = ovi_golden_max(slope, &n, -1.0, 2.0, 50);
        CHECK_NEAR(peak.x, 2.0, left);
        CHECK(peak.value == p.best);
        // several peaks: one of them, and the best that was met
        p = (probe){.best = -INFINITY};
        peak = ovi_golden_max(waves, &n, at, at + 2.0, 40);
        CHECK(peak.value == p.best && peak.x >= at && peak.x <= at + 2.0);
    }
}

int main(void) {
    check_suite = "power";
    RUN(test_log2_table);
    RUN(test_exp2_table);
    RUN(test_log2);
    RUN(test_power);
    RUN(test_interval_ends);
    RUN(test_power_ends);
    RUN(test_norm);
    RUN(test_norm_limits);
    RUN(test_norm_axes);
    RUN(test_exponents);
    RUN(test_golden);
    return check_finish();
}
