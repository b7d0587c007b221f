/**
 * @file study_shape.c
 * @brief Cost of the basic evaluations, in nanoseconds and in calls of pow(): `ovoid-bench
 * shape`.
 *
 * Random members of the family (e 0.3-1.1, taper up to 0.4 for the superovoids, axes 0.5-2), random
 * directions and points; the best of many rounds over a thousand of them. The functions are chains
 * of powers, each waiting for the one before, so the unit is a pow() that waits for its argument
 * too; the time of a pow() among independent ones is shown as well. Each time comes with the worst
 * error against long double arithmetic and a hash of the results.
 */
#include <math.h>

#include "bench.h"

enum { COUNT = 1000, ROUNDS = 300 };

typedef struct bench_case {
    ov_shape superellipsoid, superovoid, ellipsoid;
    ov_vec3 direction, point;
    double base, exponent;
} bench_case;

static bench_random draws;
static bench_case cases[COUNT];
static volatile double sink;

static void make_cases(void) {
    for (int i = 0; i < COUNT;) {
        bench_case *c = &cases[i];
        ov_vec3 a = {bench_uniform(&draws, 0.5, 2.0), bench_uniform(&draws, 0.5, 2.0),
                     bench_uniform(&draws, 0.5, 2.0)};
        double e1 = bench_uniform(&draws, 0.3, 1.1), e2 = bench_uniform(&draws, 0.3, 1.1);
        double tx = bench_uniform(&draws, -0.4, 0.4), ty = bench_uniform(&draws, -0.4, 0.4);
        double z = bench_uniform(&draws, -1.0, 1.0), phi = bench_uniform(&draws, -3.14159, 3.14159),
               s = sqrt(1.0 - z * z);
        c->direction = ov_vec3_make(s * cos(phi), s * sin(phi), z);
        c->point = ov_vec3_scale(c->direction, bench_uniform(&draws, 0.5, 2.0));
        c->base = bench_uniform(&draws, 0.0, 1.0);
        c->exponent = bench_uniform(&draws, 0.1, 4.0);
        bool made = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &c->superovoid) == OV_OK &&
                    ov_shape_make_superellipsoid(a, e1, e2, &c->superellipsoid) == OV_OK &&
                    ov_shape_make_ellipsoid(a, &c->ellipsoid) == OV_OK;
        i += made; // a superovoid with too deep a dent is drawn again
    }
}

/* ---- what is timed: one call on case i, given the result of the call before */

static double pow_apart(const bench_case *c, double before) {
    (void)before;
    return pow(c->base, c->exponent);
}

static double pow_chained(const bench_case *c, double before) {
    return pow(0.5 * (c->base + before), c->exponent);
}

static double support_of(const ov_shape *shape, ov_vec3 direction) {
    ov_support s = {0};
    ov_shape_support(shape, direction, &s);
    return s.value;
}

static double support_ellipsoid(const bench_case *c, double before) {
    (void)before;
    return support_of(&c->ellipsoid, c->direction);
}

static double support_superellipsoid(const bench_case *c, double before) {
    (void)before;
    return support_of(&c->superellipsoid, c->direction);
}

static double support_superovoid(const bench_case *c, double before) {
    (void)before;
    return support_of(&c->superovoid, c->direction);
}

static double gauge_of(const ov_shape *shape, ov_vec3 point) {
    ov_field f = {0};
    ov_shape_gauge(shape, point, &f);
    return f.value + f.gradient.x + f.hessian.cx.z;
}

static double gauge_superellipsoid(const bench_case *c, double before) {
    (void)before;
    return gauge_of(&c->superellipsoid, c->point);
}

static double gauge_superovoid(const bench_case *c, double before) {
    (void)before;
    return gauge_of(&c->superovoid, c->point);
}

static double make_superovoid(const bench_case *c, double before) {
    (void)before;
    const ov_shape *s = &c->superovoid;
    ov_shape made = {0};
    ov_shape_make_superovoid(s->a, s->e1, s->e2, s->tx, s->ty, NULL, &made);
    return made.dent;
}

typedef double (*timed_call)(const bench_case *, double);

static double best_ns(timed_call call, int count, int rounds) {
    double best = INFINITY;
    for (int r = 0; r < rounds; r++) {
        double value = 0.5, start = bench_now_ns();
        for (int i = 0; i < count; i++) {
            value = call(&cases[i], value);
        }
        best = fmin(best, (bench_now_ns() - start) / count);
        sink = value;
    }
    return best;
}

/** Hash of all results: the same numbers on the same machine and compiler, run after run. */
static uint64_t result_hash(timed_call call) {
    uint64_t hash = BENCH_HASH_START;
    for (int i = 0; i < COUNT; i++) {
        bench_hash_gap(&hash, call(&cases[i], 0.5));
    }
    return hash;
}

/* ---- errors, by direct formulas in long double */

static long double norm(long double u, long double v, long double p) {
    u = fabsl(u);
    v = fabsl(v);
    long double big = fmaxl(u, v), small = fminl(u, v);
    return big > 0.0L ? big * powl(1.0L + powl(small / big, p), 1.0L / p) : 0.0L;
}

static double superellipsoid_error(void) {
    double worst = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const ov_shape *s = &cases[i].superellipsoid;
        ov_vec3 n = cases[i].direction;
        long double m =
            norm(s->a.x * (long double)n.x, s->a.y * (long double)n.y, 2.0L / (2.0L - s->e1));
        long double h = norm(m, s->a.z * (long double)n.z, 2.0L / (2.0L - s->e2));
        worst = fmax(worst, fabs((double)(support_of(s, n) / h - 1.0L)));
    }
    return worst;
}

/** What a tapered body reaches along n at the height of the ray (1 - |u|, u). */
static long double reach_at(const ov_shape *s, ov_vec3 n, long double u) {
    long double a = 1.0L - fabsl(u), ray = norm(a, u, 2.0L / s->e2), zeta = u / ray;
    long double f1 = 1.0L + s->tx * zeta, f2 = 1.0L + s->ty * zeta;
    long double m = norm(s->a.x * f1 * n.x, s->a.y * f2 * n.y, 2.0L / (2.0L - s->e1));
    return s->a.z * n.z * zeta + a / ray * m;
}

/** Against the best of 2,000 heights, then of thirds of the interval around it. */
static double superovoid_error(void) {
    enum { HEIGHTS = 2000, THIRDS = 60 };
    double worst = 0.0;
    for (int i = 0; i < COUNT; i += 10) {
        const ov_shape *s = &cases[i].superovoid;
        ov_vec3 n = cases[i].direction;
        long double best = 0.0L, at = 0.0L;
        for (int k = 0; k <= HEIGHTS; k++) {
            long double u = 2.0L * k / HEIGHTS - 1.0L, reach = reach_at(s, n, u);
            at = reach > best ? u : at;
            best = fmaxl(best, reach);
        }
        long double lo = fmaxl(-1.0L, at - 1.0L / HEIGHTS), hi = fminl(1.0L, at + 1.0L / HEIGHTS);
        for (int k = 0; k < THIRDS; k++) {
            long double x = lo + (hi - lo) / 3.0L, y = hi - (hi - lo) / 3.0L;
            long double fx = reach_at(s, n, x), fy = reach_at(s, n, y);
            best = fmaxl(best, fmaxl(fx, fy));
            lo = fx < fy ? x : lo;
            hi = fx < fy ? hi : y;
        }
        worst = fmax(worst, fabs((double)(support_of(s, n) / best - 1.0L)));
    }
    return worst;
}

static double gauge_error(void) {
    double worst = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const ov_shape *s = &cases[i].superellipsoid;
        ov_vec3 p = cases[i].point;
        long double m = norm(p.x / (long double)s->a.x, p.y / (long double)s->a.y, 2.0L / s->e1);
        long double g = norm(m, p.z / (long double)s->a.z, 2.0L / s->e2);
        double value = 0.0;
        ov_shape_gauge_value(s, p, &value);
        worst = fmax(worst, fabs((double)(value / g - 1.0L)));
    }
    return worst;
}

static void row(FILE *out, const char *name, timed_call call, double unit, double target,
                double error) {
    double ns = best_ns(call, COUNT, ROUNDS);
    fprintf(out, "%-34s %9.1f %9.2f", name, ns, ns / unit);
    if (target > 0.0) {
        fprintf(out, " %9g", target);
    } else {
        fprintf(out, " %9s", "-");
    }
    if (error >= 0.0) {
        fprintf(out, " %12.1e", error);
    } else {
        fprintf(out, " %12s", "-");
    }
    fprintf(out, "  %016llx\n", (unsigned long long)result_hash(call));
}

int study_shape(cli *c, const bench_job *job) {
    FILE *out = c->out;
    (void)job;
    draws = (bench_random){20260101};
    make_cases();
    double chained = best_ns(pow_chained, COUNT, ROUNDS), apart = best_ns(pow_apart, COUNT, ROUNDS);
    fprintf(out,
            "pow(): %.1f ns where each waits for the one before, %.1f ns among independent ones\n",
            chained, apart);
    fprintf(out, "%-34s %9s %9s %9s %12s  %s\n", "call", "ns", "in pow()", "target", "worst error",
            "result hash");
    row(out, "support, ellipsoid", support_ellipsoid, chained, 0.0, -1.0);
    row(out, "support, superellipsoid", support_superellipsoid, chained, 7.0,
        superellipsoid_error());
    row(out, "support, superovoid", support_superovoid, chained, 25.0, superovoid_error());
    row(out, "gauge + gradient + Hessian", gauge_superellipsoid, chained, 7.0, gauge_error());
    row(out, "the same, superovoid", gauge_superovoid, chained, 0.0, -1.0);
    fprintf(out, "%-34s %9.0f ns (with the measure of its dent)\n", "constructor, superovoid",
            best_ns(make_superovoid, 100, 3));
    return CLI_OK;
}
