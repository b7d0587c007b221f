/**
 * @file test_curvature.c
 * @brief Principal curvatures of the smooth family.
 *
 * Against closed forms (spheres, ellipsoids by the classical formulas for the sum and the product),
 * against the bend of the level set itself, found point by point in long double, and, for the range
 * over the whole surface, against dense scans by two parametrisations.
 */
#include "oracle.h"

static ov_shape make(ov_vec3 a, double e1, double e2, double tx, double ty) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_shape s = {.kind = OV_SHAPE_NONE};
    CHECK_OK(ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s));
    return s;
}

/** Three unit vectors at right angles, and curvatures in order. */
static void check_frame(const ov_curvature *c) {
    CHECK(c->k_min <= c->k_max);
    CHECK_NEAR(ov_vec3_length(c->normal), 1.0, 1e-15);
    CHECK_NEAR(ov_vec3_length(c->dir_min), 1.0, 2e-15);
    CHECK_NEAR(ov_vec3_length(c->dir_max), 1.0, 2e-15);
    CHECK_NEAR(ov_vec3_dot(c->normal, c->dir_min), 0.0, 2e-15);
    CHECK_NEAR(ov_vec3_dot(c->normal, c->dir_max), 0.0, 2e-15);
    CHECK_NEAR(ov_vec3_dot(c->dir_min, c->dir_max), 0.0, 2e-15);
}

/* ---- closed forms */

static void test_spheres(void) {
    check_random r = check_random_make(401);
    double worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        double radius = check_log_uniform(&r, 1e-60, 1e60);
        ov_shape s = make(ov_vec3_make(radius, radius, radius), 1.0, 1.0, 0.0, 0.0);
        ov_vec3 n = check_unit_vector(&r);
        ov_curvature c;
        CHECK_OK(ov_shape_curvature(&s, ov_vec3_scale(n, radius), &c));
        check_frame(&c);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(c.normal, n)), 0.0, 1e-15);
        double error = fmax(fabs(c.k_min * radius - 1.0), fabs(c.k_max * radius - 1.0));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-14);
    }
    check_worst("spheres, relative", worst, 1e-14);
}

static void test_ellipsoid_axes(void) {
    check_random r = check_random_make(402);
    double worst = 0.0;
    for (int i = 0; i < 999; i++) {
        ov_vec3 v = oracle_random_axes(&r);
        double a[3] = {v.x, v.y, v.z}, p[3] = {0.0, 0.0, 0.0};
        ov_shape s = make(v, 1.0, 1.0, 0.0, 0.0);
        // at the end of axis k, in the planes of the other two
        int k = i % 3, l = (k + 1) % 3, m = (k + 2) % 3;
        p[k] = i % 2 == 0 ? a[k] : -a[k];
        double kl = a[k] / (a[l] * a[l]), km = a[k] / (a[m] * a[m]);
        ov_curvature c;
        CHECK_OK(ov_shape_curvature(&s, ov_vec3_make(p[0], p[1], p[2]), &c));
        check_frame(&c);
        double error = fmax(fabs(c.k_max / fmax(kl, km) - 1.0), fabs(c.k_min / fmin(kl, km) - 1.0));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-9); // the smaller of the two, which may be 1e6 times smaller
        CHECK_NEAR(c.k_max / fmax(kl, km), 1.0, 1e-14);
        const double d[3] = {c.dir_max.x, c.dir_max.y, c.dir_max.z};
        CHECK_NEAR(fabs(d[kl > km ? l : m]), 1.0, 1e-14);
    }
    check_worst("ends of ellipsoids, relative", worst, 1e-9);
}

/** With D = sum x^2/a^4: k1 k2 = 1/((abc)^2 D^2), k1 + k2 = (a^2+b^2+c^2 - r^2)/((abc)^2 D^1.5). */
static void test_ellipsoids(void) {
    check_random r = check_random_make(403);
    double worst_sum = 0.0, worst_product = 0.0;
    for (int i = 0; i < 5000; i++) {
        ov_vec3 a = oracle_random_axes(&r);
        ov_shape s = make(a, 1.0, 1.0, 0.0, 0.0);
        ov_vec3 p = ov_vec3_mul(a, check_unit_vector(&r));
        ov_curvature c;
        CHECK_OK(ov_shape_curvature(&s, p, &c));
        check_frame(&c);
        long double a2 = (long double)a.x * a.x, b2 = (long double)a.y * a.y;
        long double c2 = (long double)a.z * a.z, volume2 = a2 * b2 * c2;
        long double x2 = (long double)p.x * p.x, y2 = (long double)p.y * p.y;
        long double z2 = (long double)p.z * p.z;
        long double d = x2 / (a2 * a2) + y2 / (b2 * b2) + z2 / (c2 * c2);
        double product = (double)(1.0L / (volume2 * d * d) / ((long double)c.k_max * c.k_max));
        double sum =
            (double)((a2 + b2 + c2 - x2 - y2 - z2) / (volume2 * d * sqrtl(d)) / c.k_max);
        double sum_error = fabs((c.k_min + c.k_max) / c.k_max - sum);
        double product_error = fabs(c.k_min / c.k_max - product);
        worst_sum = fmax(worst_sum, sum_error);
        worst_product = fmax(worst_product, product_error);
        CHECK_NEAR(sum_error, 0.0, 1e-12);
        CHECK_NEAR(product_error, 0.0, 1e-12);
    }
    check_worst("sum of an ellipsoid's curvatures, relative to the larger", worst_sum, 1e-12);
    check_worst("product, relative to the larger squared", worst_product, 1e-12);
}

/* ---- the bend of the level set */

/** Point p + t d - sink n, in scaled coordinates. */
typedef struct section {
    const ov_shape *s;
    long double u[3], d[3], n[3]; // all divided by the semi-axes
    long double level, slope;     // G at p, and its derivative along n
} section;

static long double section_gauge(const section *c, long double t, long double sink) {
    long double v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = c->u[i] + t * c->d[i] - sink * c->n[i];
    }
    return oracle_gauge(c->s, v[0], v[1], v[2]);
}

/** How far the level set lies below its tangent at t: secant steps from a parabola. */
static long double section_sink(const section *c, long double t, long double curvature) {
    long double s0 = 0.5L * curvature * t * t, g0 = section_gauge(c, t, s0) - c->level;
    long double s1 = s0 + g0 / c->slope;
    for (int i = 0; i < 12 && s1 != s0; i++) {
        long double g1 = section_gauge(c, t, s1) - c->level;
        if (g1 == g0) {
            break;
        }
        long double s2 = s1 - g1 * (s1 - s0) / (g1 - g0);
        s0 = s1;
        g0 = g1;
        s1 = s2;
    }
    return s1;
}

static long double component(ov_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

/**
 * Curvature of the section of the level set through p along d and n, by differences of order eight
 * of its sink; `noise` is what the rounding of the gauge may have added.
 */
static double bend_of_level_set(const ov_shape *s, ov_vec3 p, ov_vec3 n, ov_vec3 d, double guess,
                                double *noise) {
    static const long double even[4] = {8064.0L / 5040, -1008.0L / 5040, 128.0L / 5040,
                                        -9.0L / 5040};
    section c = {.s = s};
    long double steps[3], t = 0.2L / (fabsl((long double)guess) + 1e-300L), second = 0.0L;
    oracle_scaled(s, p, c.u);
    oracle_steps(s, c.u, steps);
    c.level = oracle_gauge(s, c.u[0], c.u[1], c.u[2]);
    for (int i = 0; i < 3; i++) {
        c.d[i] = component(d, i) / component(s->a, i);
        c.n[i] = component(n, i) / component(s->a, i);
        // neither the way along d nor the sink at its end exceeds a step, nor is it a large angle
        t = c.d[i] != 0.0L ? fminl(t, steps[i] / fabsl(c.d[i])) : t;
        long double sink = steps[i] / (fabsl(c.n[i]) * (fabsl((long double)guess) + 1e-300L));
        t = c.n[i] != 0.0L ? fminl(t, sqrtl(2.0L * sink)) : t;
    }
    // derivative along n, roughly: it starts the secants and scales the noise
    c.slope = (section_gauge(&c, 0.0L, -1e-3L * t) - section_gauge(&c, 0.0L, 1e-3L * t)) /
              (2e-3L * t);
    long double unit = t / 8.0L;
    for (int k = 1; k <= 4; k++) {
        second += even[k - 1] * (section_sink(&c, k * unit, guess) +
                                 section_sink(&c, -k * unit, guess));
    }
    *noise = (double)(30.0L * LDBL_EPSILON * c.level / (fabsl(c.slope) * unit * unit));
    return (double)(second / (unit * unit));
}

/** Along both directions the bend is the curvature, and half-way between their mean. */
static void test_level_sets(void) {
    check_random r = check_random_make(404);
    double worst = 0.0;
    long sharp = 0, points = 0;
    for (int i = 0; i < 600; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 8; k++) {
            ov_vec3 p = oracle_random_point(&r, &s, 0.01, 2.0);
            ov_curvature c;
            CHECK_OK(ov_shape_curvature(&s, p, &c));
            check_frame(&c);
            ov_vec3 between = ov_vec3_normalize(ov_vec3_add(c.dir_min, c.dir_max));
            const ov_vec3 dirs[3] = {c.dir_min, c.dir_max, between};
            const double expected[3] = {c.k_min, c.k_max, 0.5 * (c.k_min + c.k_max)};
            double size = fmax(fabs(c.k_min), fabs(c.k_max));
            for (int m = 0; m < 3; m++) {
                double noise, bend;
                bend = bend_of_level_set(&s, p, c.normal, dirs[m], expected[m], &noise);
                double error = fmax(0.0, fabs(bend - expected[m]) - noise);
                worst = fmax(worst, size > 0.0 ? error / size : error);
                CHECK_NEAR(error, 0.0, 1e-6 * size);
                sharp += noise < 1e-7 * size;
                points++;
            }
        }
    }
    CHECK(sharp > points / 2);
    check_worst("bend of the level set, relative to the larger curvature", worst, 1e-6);
}
int main(void){check_suite="curvature";RUN(test_spheres);RUN(test_ellipsoid_axes);RUN(test_ellipsoids);RUN(test_level_sets);return check_finish();}
