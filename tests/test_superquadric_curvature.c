/**
 * @file test_superquadric_curvature.c
 * @brief Principal curvatures of the smooth family.
 *
 * Against closed forms (spheres, ellipsoids by the classical formulas for the sum and the product),
 * against the bend of the level set itself, found point by point in long double, and, for the range
 * over the whole surface, against dense scans by two parametrisations.
 */
#include "oracle.h"

static ov_shape make(ov_vec3 a, double e1, double e2, double tx, double ty) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
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
        double sum = (double)((a2 + b2 + c2 - x2 - y2 - z2) / (volume2 * d * sqrtl(d)) / c.k_max);
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
    c.slope =
        (section_gauge(&c, 0.0L, -1e-3L * t) - section_gauge(&c, 0.0L, 1e-3L * t)) / (2e-3L * t);
    long double unit = t / 16.0L;
    for (int k = 1; k <= 4; k++) {
        second +=
            even[k - 1] * (section_sink(&c, k * unit, guess) + section_sink(&c, -k * unit, guess));
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

/* ---- flats, edges, poles */

/** e < 1 on a coordinate plane of an untapered body: no curvature across it, and OV_OK. */
static void test_flats(void) {
    check_random r = check_random_make(405);
    for (int i = 0; i < 3000; i++) {
        double e1 = check_uniform(&r, 0.05, 0.99), e2 = check_uniform(&r, 0.05, 0.99);
        ov_shape s = make(oracle_random_axes(&r), e1, e2, 0.0, 0.0);
        ov_vec3 p = oracle_random_point(&r, &s, 0.05, 2.0);
        *(i % 3 == 0 ? &p.x : i % 3 == 1 ? &p.y : &p.z) = 0.0;
        ov_curvature c;
        CHECK_OK(ov_shape_curvature(&s, p, &c));
        check_frame(&c);
        CHECK_NEAR(c.k_min, 0.0, 1e-15 * c.k_max);
        ov_vec3 across = i % 3 == 0   ? ov_vec3_make(1.0, 0.0, 0.0)
                         : i % 3 == 1 ? ov_vec3_make(0.0, 1.0, 0.0)
                                      : ov_vec3_make(0.0, 0.0, 1.0);
        if (c.k_max > 0.0) {
            CHECK_NEAR(fabs(ov_vec3_dot(c.dir_min, across)), 1.0, 1e-14);
        }
    }
}

/**
 * On an edge: infinite across it, and along it the curvature of the edge, a plane curve, times the
 * cosine between its own normal and the surface's (Meusnier).
 */
static void test_edges(void) {
    check_random r = check_random_make(406);
    double worst = 0.0;
    int edges = 0;
    while (edges < 1500) {
        ov_shape s = oracle_random_shape(&r);
        ov_vec3 p = oracle_random_point(&r, &s, 0.1, 2.0);
        int axis = edges % 3;
        if ((axis == 2 ? s.e2 : s.e1) <= 1.0) {
            continue;
        }
        edges++;
        ov_vec3 across = {0.0, 0.0, 0.0};
        *(axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z) = 0.0;
        *(axis == 0 ? &across.x : axis == 1 ? &across.y : &across.z) = 1.0;
        ov_curvature c;
        CHECK_STATUS(ov_shape_curvature(&s, p, &c), OV_NOT_SMOOTH);
        check_frame(&c);
        CHECK(isinf(c.k_max) && isfinite(c.k_min));
        // the edge runs in its plane
        CHECK_NEAR(ov_vec3_dot(c.dir_min, across), 0.0, 1e-15);
        ov_vec3 in_plane = c.normal;
        *(axis == 0 ? &in_plane.x : axis == 1 ? &in_plane.y : &in_plane.z) = 0.0;
        double cosine = ov_vec3_length(in_plane), noise;
        double bend = bend_of_level_set(&s, p, ov_vec3_normalize(in_plane), c.dir_min,
                                        c.k_min / cosine, &noise);
        // where it fades, relative to the curvature of a ball through the point
        double size = fmax(fabs(c.k_min), 1e-3 / ov_vec3_length(p));
        double error = fmax(0.0, fabs(bend * cosine - c.k_min) - noise * cosine);
        worst = fmax(worst, error / size);
        CHECK_NEAR(error, 0.0, 1e-6 * size);
    }
    check_worst("bend of edges, relative", worst, 1e-6);
}

/** Round along the edge: the rim of a lens has the curvature of its circle. */
static void test_known_edges(void) {
    ov_curvature c;
    // upright edges at x = 0, the profile a circle
    ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), 1.5, 1.0, 0.0, 0.0);
    CHECK_STATUS(ov_shape_curvature(&s, ov_vec3_make(0.0, 1.0, 0.0), &c), OV_NOT_SMOOTH);
    CHECK(isinf(c.k_max));
    CHECK_NEAR(c.k_min, 1.0, 1e-15);
    CHECK_NEAR(fabs(c.dir_max.x), 1.0, 1e-15);
    CHECK_NEAR(fabs(c.dir_min.z), 1.0, 1e-15);
    // a rim about z, of radius 2
    s = make(ov_vec3_make(2.0, 2.0, 0.5), 1.0, 1.7, 0.0, 0.0);
    CHECK_STATUS(ov_shape_curvature(&s, ov_vec3_make(1.2, -1.6, 0.0), &c), OV_NOT_SMOOTH);
    CHECK(isinf(c.k_max));
    CHECK_NEAR(c.k_min, 0.5, 1e-15);
    CHECK_NEAR(fabs(c.dir_max.z), 1.0, 1e-15);
    // a coordinate too small to count lies on the plane as well
    CHECK_STATUS(ov_shape_curvature(&s, ov_vec3_make(1.2, -1.6, 1e-300), &c), OV_NOT_SMOOTH);
    CHECK(isinf(c.k_max));
    CHECK_NEAR(c.k_min, 0.5, 1e-15);
    // the edge of an octahedron is straight
    s = make(ov_vec3_make(1.0, 2.0, 3.0), 2.0, 2.0, 0.0, 0.0);
    CHECK_STATUS(ov_shape_curvature(&s, ov_vec3_make(0.0, 1.0, 1.5), &c), OV_NOT_SMOOTH);
    CHECK(isinf(c.k_max));
    CHECK_NEAR(c.k_min, 0.0, 1e-15);
    // and its faces are flat
    CHECK_OK(ov_shape_curvature(&s, ov_vec3_make(0.25, 1.0, 0.75), &c));
    check_frame(&c);
    CHECK(c.k_min == 0.0 && c.k_max == 0.0);
}

/** Where two edges cross, and at a sharp pole, every direction is infinitely curved. */
static void test_corners(void) {
    const ov_vec3 a = {1.0, 2.0, 3.0};
    for (int i = 0; i < ORACLE_EXPONENTS * ORACLE_EXPONENTS; i++) {
        double e1 = oracle_exponents[i % ORACLE_EXPONENTS];
        double e2 = oracle_exponents[i / ORACLE_EXPONENTS];
        ov_shape s = make(a, e1, e2, 0.0, 0.0);
        ov_curvature c;
        bool round = e1 == 1.0 && e2 == 1.0;
        ov_status status = ov_shape_curvature(&s, ov_vec3_make(0.0, -a.y, 0.0), &c);
        CHECK_STATUS(status, e1 > 1.0 || e2 > 1.0 ? OV_NOT_SMOOTH : OV_OK);
        check_frame(&c);
        // across x the section's bend, across z the profile's
        double across_x = e1 > 1.0 ? INFINITY : e1 < 1.0 ? 0.0 : a.y / (a.x * a.x);
        double across_z = e2 > 1.0 ? INFINITY : e2 < 1.0 ? 0.0 : a.y / (a.z * a.z);
        CHECK_NEAR(c.k_min, fmin(across_x, across_z), 1e-15);
        CHECK_NEAR(c.k_max, fmax(across_x, across_z), 1e-14);

        status = ov_shape_curvature(&s, ov_vec3_make(0.0, 0.0, -a.z), &c);
        CHECK_STATUS(status, round || e2 < 1.0 ? OV_OK : OV_NOT_SMOOTH);
        check_frame(&c);
        CHECK_NEAR(c.normal.z, -1.0, 1e-15);
        if (e2 > 1.0) {
            CHECK(isinf(c.k_min) && isinf(c.k_max));
        } else if (e2 < 1.0) {
            CHECK(c.k_min == 0.0 && c.k_max == 0.0);
        } else {
            // along x and y the profile is an ellipse, whatever the section
            CHECK(c.k_min <= a.z / (a.y * a.y) * (1.0 + 1e-14));
            CHECK(c.k_max >= a.z / (a.x * a.x) * (1.0 - 1e-14));
            CHECK(c.k_min >= 0.0);
        }
    }
}

/** Pole of an ovoid, where both tapers have their end values. */
static void test_ovoid_pole(void) {
    ov_shape s = make(ov_vec3_make(2.0, 1.0, 3.0), 1.0, 1.0, 0.4, -0.3);
    ov_curvature c;
    CHECK_OK(ov_shape_curvature(&s, ov_vec3_make(0.0, 0.0, 3.0), &c));
    check_frame(&c);
    CHECK_NEAR(c.k_min, 3.0 / (2.8 * 2.8), 1e-15);
    CHECK_NEAR(c.k_max, 3.0 / (0.7 * 0.7), 1e-14);
    CHECK_NEAR(fabs(c.dir_max.y), 1.0, 1e-15);
}

/** Finite input, nothing undefined: sizes at both ends of their range, any exponents, any place. */
static void test_range_of_numbers(void) {
    static const double sizes[] = {1e-60, 1.0, 1e60};
    static const double places[] = {0.0, 1e-300, 1e-140, 1e-3, 0.7, 1.0};
    check_random r = check_random_make(407);
    for (int i = 0; i < 27 * 216; i++) {
        ov_vec3 a = {sizes[i % 3], sizes[i / 3 % 3], sizes[i / 9 % 3]};
        double e1 = i % 5 == 0 ? 1e-300 : oracle_random_exponent(&r);
        double e2 = i % 7 == 0 ? 1e-300 : oracle_random_exponent(&r);
        ov_shape s = make(a, e1, e2, 0.0, 0.0);
        ov_vec3 p = {places[i / 27 % 6] * a.x, places[i / 162 % 6] * a.y, places[i / 972] * a.z};
        ov_curvature c;
        ov_status status = ov_shape_curvature(&s, p, &c);
        if (i / 27 % 6 < 3 && i / 162 % 6 < 3 && i / 972 < 3) {
            CHECK_STATUS(status, OV_ERROR_ZERO_DIRECTION);
            continue;
        }
        CHECK(status >= OV_OK);
        CHECK(!isnan(c.k_min) && !isnan(c.k_max) && c.k_min <= c.k_max);
        CHECK(ov_vec3_is_finite(c.normal) && ov_vec3_is_finite(c.dir_min) &&
              ov_vec3_is_finite(c.dir_max));
        CHECK_NEAR(ov_vec3_length(c.dir_max), 1.0, 1e-14);
        CHECK_NEAR(ov_vec3_dot(c.normal, c.dir_max), 0.0, 1e-14);
    }
}

/* ---- range over the surface */

typedef struct scan_place {
    double phi1, phi2, k;
} scan_place;

/** By the normal, or by the angles of the surface; larger is wanted, where there is a curvature. */
static double scanned(const ov_shape *s, double phi1, double phi2, bool largest, bool by_normal) {
    ov_surface_point at;
    ov_support support;
    ov_curvature c;
    if (by_normal) {
        // cosines of right angles are cut off: the planes themselves are to be met
        double x = cos(phi1) * cos(phi2), y = sin(phi1) * cos(phi2), z = sin(phi2);
        ov_vec3 n = {fabs(x) < 1e-15 ? 0.0 : x, fabs(y) < 1e-15 ? 0.0 : y, z};
        CHECK_OK(ov_shape_support(s, n, &support));
        at.point = support.point;
    } else {
        CHECK_OK(ov_shape_surface(s, OV_SPACING_ANGLE_CENTRE, phi1, phi2, &at));
    }
    if (ov_shape_curvature(s, at.point, &c) != OV_OK) {
        return -INFINITY;
    }
    return largest ? c.k_max : -c.k_min;
}

/** Best of a grid over half an octant pair, each of its best few followed by random steps. */
static double scan_range(const ov_shape *s, check_random *r, bool largest, bool by_normal) {
    enum { SCAN = 56, KEPT = 5, STEPS = 250 };
    scan_place kept[KEPT];
    double step = 0.5 * M_PI / SCAN, best = -INFINITY;
    for (int i = 0; i < KEPT; i++) {
        kept[i] = (scan_place){10.0, 10.0, -INFINITY};
    }
    for (int m = 0; m < (SCAN + 1) * (2 * SCAN + 1); m++) {
        scan_place p = {step * (m / (2 * SCAN + 1)), step * (m % (2 * SCAN + 1) - SCAN), 0.0};
        p.k = scanned(s, p.phi1, p.phi2, largest, by_normal);
        // one of each neighbourhood, the worst of the list going out
        int out = 0;
        for (int i = 0; i < KEPT; i++) {
            if (hypot(p.phi1 - kept[i].phi1, p.phi2 - kept[i].phi2) < 4.0 * step) {
                out = i;
                break;
            }
            out = kept[i].k < kept[out].k ? i : out;
        }
        kept[out] = p.k > kept[out].k ? p : kept[out];
    }
    for (int i = 0; i < KEPT; i++) {
        double reach = step;
        for (int k = 0; k < STEPS && kept[i].k > -INFINITY; k++) {
            scan_place p = {kept[i].phi1 + check_uniform(r, -reach, reach),
                            kept[i].phi2 + check_uniform(r, -reach, reach), 0.0};
            p.k = scanned(s, p.phi1, p.phi2, largest, by_normal);
            reach *= p.k > kept[i].k ? 1.5 : 0.93;
            kept[i] = p.k > kept[i].k ? p : kept[i];
        }
        best = fmax(best, kept[i].k);
    }
    return largest ? best : -best;
}

/**
 * Round and square bodies, to 1:1000 and tapered: the library may not miss what a scan finds, by
 * 1e-6 of the largest curvature (which is finite for e <= 1), nor report more than there is.
 */
static void test_range_scan(void) {
    check_random r = check_random_make(408);
    double worst_max = 0.0, worst_min = 0.0;
    int scanned_shapes = 0;
    for (int i = 0; i < 40; i++) {
        double e1 = i % 5 == 0 ? 1.0 : check_uniform(&r, 0.05, 1.0);
        double e2 = i % 7 == 0 ? 1.0 : check_uniform(&r, 0.05, 1.0);
        double spread = i % 4 == 0 ? 1.0 : i % 4 == 1 ? sqrt(10.0) : sqrt(1000.0), hi, lo;
        ov_vec3 a = {check_log_uniform(&r, 1.0 / spread, spread),
                     check_log_uniform(&r, 1.0 / spread, spread),
                     check_log_uniform(&r, 1.0 / spread, spread)};
        double tx = i % 2 == 0 ? 0.0 : check_uniform(&r, -0.5, 0.5);
        double ty = i % 2 == 0 ? 0.0 : check_uniform(&r, -0.5, 0.5);
        const ov_shape_options any_dent = {.dent_tolerance = 1.0};
        ov_shape s;
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s) == OV_ERROR_DENT) {
            continue; // deeper than the smallest semi-axis
        }
        scanned_shapes++;
        CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
        double top = fmax(scan_range(&s, &r, true, true), scan_range(&s, &r, true, false));
        double bottom = scan_range(&s, &r, false, false);
        worst_max = fmax(worst_max, 1.0 - hi / top);
        worst_min = fmax(worst_min, (lo - bottom) / top);
        // the random steps may stop a little short of a peak, the library must not
        CHECK(hi >= top * (1.0 - 1e-6));
        CHECK(hi <= top * (1.0 + 1e-3));
        CHECK(lo <= bottom + 1e-6 * top);
        CHECK(lo >= bottom - 0.05 * fabs(bottom) - 1e-6 * top);
        if (s.dent == 0.0 && (e1 < 1.0 || e2 < 1.0)) {
            CHECK(lo == 0.0);
        }
    }
    CHECK(scanned_shapes > 30);
    check_worst("largest curvature below that of dense scans, relative", worst_max, 1e-6);
    check_worst("smallest curvature above that of a scan, relative to the largest", worst_min,
                1e-6);
}

/** Slender bodies whose largest curvature sits in a strip a hundredth as wide as a grid's step. */
static void test_range_slender(void) {
    // largest of the mean curvature plus the root of its square less the product, from jets in long
    // double, on grids of two million points refined around their best
    static const struct {
        ov_vec3 a;
        double e1, e2, tx, ty, k_max;
    } cases[] = {{{20.0, 0.069, 1.59}, 0.94, 1.0, 0.0, 0.0, 1959.29136},
                 {{10.8, 0.207, 0.121}, 1.0, 0.42, 0.85, 0.38, 4600.76536},
                 {{3.47, 12.1, 0.0672}, 1.0, 0.41, 0.21, 0.31, 5826.12957}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ov_shape s = make(cases[i].a, cases[i].e1, cases[i].e2, cases[i].tx, cases[i].ty);
        double lo, hi;
        CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
        CHECK_NEAR(hi, cases[i].k_max, 1e-6 * cases[i].k_max);
    }
}

static void test_range_closed(void) {
    check_random r = check_random_make(409);
    for (int i = 0; i < 1000; i++) {
        ov_vec3 a = oracle_random_axes(&r);
        double small = fmin(a.x, fmin(a.y, a.z)), large = fmax(a.x, fmax(a.y, a.z)), lo, hi;
        ov_shape s = make(a, 1.0, 1.0, 0.0, 0.0);
        CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
        CHECK_NEAR(hi * (small * small) / large, 1.0, 1e-15);
        CHECK_NEAR(lo * (large * large) / small, 1.0, 1e-15);
        if (i < 20) {
            // edges are infinite; beside them a square section leaves flats
            double e1 = check_uniform(&r, 1.01, 2.0), e2 = check_uniform(&r, 0.05, 0.99);
            s = i % 2 == 0 ? make(a, e1, e2, 0.0, 0.0) : make(a, e2, e1, 0.0, 0.0);
            CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
            CHECK(isinf(hi) && lo == 0.0);
        }
    }
    ov_shape s = make(ov_vec3_make(1.0, 2.0, 3.0), 2.0, 2.0, 0.0, 0.0);
    double lo, hi;
    CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
    CHECK(lo == 0.0 && isinf(hi));
}

/**
 * Between edges, without flats: the least curvature is that of some face, and what rounding makes
 * of it beside an edge, where the other one has no bound, is not.
 */
static void test_range_between_edges(void) {
    check_random r = check_random_make(410);
    for (int i = 0; i < 40; i++) {
        ov_vec3 a = oracle_random_axes(&r);
        double e1 = check_uniform(&r, 1.0, 1.95), e2 = check_uniform(&r, 1.0, 1.95), lo, hi;
        if (i == 0) {
            a = ov_vec3_make(0.426, 0.0342, 27.5);
            e1 = 1.5302;
            e2 = 1.0398;
        }
        ov_shape s = make(a, e1, e2, 0.0, 0.0);
        CHECK_OK(ov_shape_curvature_range(&s, &lo, &hi));
        CHECK(isinf(hi) && lo >= 0.0);
        // smallest at random places where both curvatures have their digits
        double least = INFINITY;
        for (int k = 0; k < 4000; k++) {
            ov_surface_point p;
            ov_curvature c;
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, check_uniform(&r, 0.0, 1.57),
                                      check_uniform(&r, 0.0, 1.57), &p));
            CHECK_OK(ov_shape_curvature(&s, p.point, &c));
            least = c.k_min > 1e-7 * c.k_max ? fmin(least, c.k_min) : least;
        }
        CHECK(lo <= least * (1.0 + 1e-5));
        CHECK(lo >= 0.2 * least);
    }
}

/* ---- bad input */

static void test_bad_input(void) {
    ov_shape s = make(ov_vec3_make(1.0, 2.0, 3.0), 0.5, 1.5, 0.1, 0.1), box;
    const ov_vec3 p = {1.0, 0.5, 0.0}, far = {0.0, 0.0, 1.1e100}, origin = {0.0, 0.0, 0.0};
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    ov_curvature c;
    double lo, hi;
    for (int i = 0; i < 9; i++) {
        ov_vec3 q = {i % 3 == 0 ? bad[i / 3] : 1.0, i % 3 == 1 ? bad[i / 3] : 1.0,
                     i % 3 == 2 ? bad[i / 3] : 1.0};
        CHECK_STATUS(ov_shape_curvature(&s, q, &c), OV_ERROR_NOT_FINITE);
    }
    CHECK_STATUS(ov_shape_curvature(&s, far, &c), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_curvature(&s, origin, &c), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_shape_curvature(&s, p, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_curvature(NULL, p, &c), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_curvature_range(&s, NULL, &hi), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_curvature_range(&s, &lo, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_curvature_range(NULL, &lo, &hi), OV_ERROR_NULL);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &box));
    CHECK_STATUS(ov_shape_curvature(&box, p, &c), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_curvature_range(&box, &lo, &hi), OV_ERROR_UNSUPPORTED);
    for (int kind = 0; kind < 100; kind += 99) {
        s.kind = (ov_shape_kind)kind;
        CHECK_STATUS(ov_shape_curvature(&s, p, &c), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_curvature_range(&s, &lo, &hi), OV_ERROR_SHAPE);
    }
}

int main(void) {
    check_suite = "superquadric_curvature";
    RUN(test_spheres);
    RUN(test_ellipsoid_axes);
    RUN(test_ellipsoids);
    RUN(test_level_sets);
    RUN(test_flats);
    RUN(test_edges);
    RUN(test_known_edges);
    RUN(test_corners);
    RUN(test_ovoid_pole);
    RUN(test_range_of_numbers);
    RUN(test_range_scan);
    RUN(test_range_slender);
    RUN(test_range_closed);
    RUN(test_range_between_edges);
    RUN(test_bad_input);
    return check_finish();
}
