/**
 * @file test_superquadric_gauge.c
 * @brief Gauge and inside-outside function of the smooth family: value, gradient and Hessian.
 *
 * Over the whole domain against the papers' formula in long double, differentiated twice over: by
 * differences and by jets (oracle.h). Then the places where a derivative vanishes or does not
 * exist, by what must hold there; and the ends of the number range.
 */
#include "oracle.h"

static ov_shape make(ov_vec3 a, double e1, double e2, double tx, double ty) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    CHECK_OK(ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s));
    return s;
}

static double largest(const double *v, int n) {
    double out = 0.0;
    for (int i = 0; i < n; i++) {
        out = fmax(out, fabs(v[i]));
    }
    return out;
}

/* ---- the whole domain */

static void test_value(void) {
    check_random r = check_random_make(301);
    double worst = 0.0;
    for (int i = 0; i < 900; i += check_every()) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 20; k++) {
            ov_vec3 p = oracle_random_point(&r, &s, k % 2 == 0 ? 1e-2 : 1e-12, 1e3);
            double value = NAN;
            ov_field f;
            CHECK_OK(ov_shape_gauge_value(&s, p, &value));
            CHECK_OK(ov_shape_gauge(&s, p, &f));
            double error = (double)fabsl(value / oracle_gauge_at(&s, p) - 1.0L);
            worst = fmax(worst, error);
            CHECK_NEAR(error, 0.0, 1e-12);
            CHECK_NEAR(f.value, value, 1e-15 * value);
        }
    }
    check_worst("gauge against long double, relative", worst, 1e-12);
}

typedef ov_status (*field_function)(const ov_shape *, ov_vec3, ov_field *);

/** Largest errors met, relative to the largest entry. */
typedef struct worst_errors {
    double value, gradient, hessian;
    long points, sharp; // sharp: those where the oracle is surely better than a tenth of the limit
} worst_errors;

/** Checks a field against derivatives by the scaled coordinates, to `tolerance` and their noise. */
static void compare(const ov_shape *s, const ov_field *f, const oracle_derivatives *d,
                    double tolerance, worst_errors *w) {
    double g[3], h[6], g_error = 0.0, h_error = 0.0, h_noise = 0.0;
    oracle_scale_field(s, f, g, h);
    for (int i = 0; i < 3; i++) {
        g_error = fmax(g_error, (double)(fabsl(g[i] - d->g[i]) - d->noise_g[i]));
    }
    for (int i = 0; i < 6; i++) {
        h_error = fmax(h_error, (double)(fabsl(h[i] - d->h[i]) - d->noise_h[i]));
        h_noise = fmax(h_noise, (double)d->noise_h[i]);
    }
    double g_size = largest(g, 3), h_size = largest(h, 6),
           reach = fmax(s->a.x, fmax(s->a.y, s->a.z));
    // an entry that is subnormal in the shape's own units
    h_error = fmax(0.0, h_error - DBL_MIN * reach * reach);
    CHECK_NEAR((double)(f->value / d->value), 1.0, 1e-12);
    CHECK_NEAR(g_error, 0.0, tolerance * g_size);
    CHECK_NEAR(h_error, 0.0, tolerance * h_size);
    w->value = fmax(w->value, fabs((double)(f->value / d->value) - 1.0));
    w->gradient = fmax(w->gradient, g_error / g_size);
    w->hessian = fmax(w->hessian, h_size > 0.0 ? h_error / h_size : 0.0);
    w->points++;
    w->sharp += h_noise < 0.1 * tolerance * h_size;
}

static void check_differences(field_function field, oracle_field oracle, bool is_power,
                              uint64_t seed, const char *what[2]) {
    check_random r = check_random_make(seed);
    worst_errors w = {0};
    for (int i = 0; i < 450; i++) {
        ov_shape s = oracle_random_shape(&r);
        long double rounding = 4.0L * LDBL_EPSILON * (is_power ? 1.0L + 2.0L / s.e2 : 1.0L);
        for (int k = 0; k < 10; k++) {
            ov_vec3 p = oracle_random_point(&r, &s, 3e-3, 10.0);
            long double u[3];
            oracle_scaled(&s, p, u);
            oracle_derivatives d = oracle_differences(oracle, &s, u, rounding);
            ov_field f;
            CHECK_OK(field(&s, p, &f));
            compare(&s, &f, &d, 1e-6, &w);
        }
    }
    // the noise of the oracle must not be what makes the test pass
    CHECK(w.sharp > w.points / 2);
    check_worst(what[0], w.gradient, 1e-6);
    check_worst(what[1], w.hessian, 1e-6);
}

static void test_gauge_differences(void) {
    const char *what[2] = {"gradient of G against differences", "Hessian of G against differences"};
    check_differences(ov_shape_gauge, oracle_gauge, false, 302, what);
}

static void test_implicit_differences(void) {
    const char *what[2] = {"gradient of F against differences", "Hessian of F against differences"};
    check_differences(ov_shape_implicit, oracle_implicit, true, 303, what);
}

typedef oracle_jet (*jet_function)(const ov_shape *, const long double u[3]);

static void check_jets(field_function field, jet_function jets, uint64_t seed,
                       const char *what[3]) {
    check_random r = check_random_make(seed);
    worst_errors w = {0};
    for (int i = 0; i < 900; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 10; k++) {
            ov_vec3 p = oracle_random_point(&r, &s, 1e-8, 10.0);
            long double u[3];
            oracle_scaled(&s, p, u);
            oracle_jet j = jets(&s, u);
            if (j.v < 1e-150L || j.v > 1e150L) {
                continue; // F to the power of 40: its derivatives leave the range of a double
            }
            oracle_derivatives d = {.value = j.v};
            for (int m = 0; m < 6; m++) {
                d.g[m % 3] = j.g[m % 3];
                d.h[m] = j.h[m];
            }
            ov_field f;
            CHECK_OK(field(&s, p, &f));
            compare(&s, &f, &d, 1e-12, &w);
        }
    }
    check_worst(what[0], w.value, 1e-12);
    check_worst(what[1], w.gradient, 1e-12);
    check_worst(what[2], w.hessian, 1e-12);
}

static void test_gauge_jets(void) {
    const char *what[3] = {"G near planes", "gradient of G near planes against jets",
                           "Hessian of G near planes against jets"};
    check_jets(ov_shape_gauge, oracle_gauge_jet, 304, what);
}

static void test_implicit_jets(void) {
    const char *what[3] = {"F near planes", "gradient of F near planes against jets",
                           "Hessian of F near planes against jets"};
    check_jets(ov_shape_implicit, oracle_implicit_jet, 305, what);
}

/* ---- places where derivatives vanish or do not exist */

static void check_symmetric(const ov_field *f) {
    CHECK(f->hessian.cx.y == f->hessian.cy.x && f->hessian.cx.z == f->hessian.cz.x &&
          f->hessian.cy.z == f->hessian.cz.y);
}

/** Value, gradient and status at a place that has a closed form; the rest must be finite. */
static void check_place(const ov_shape *s, ov_vec3 p, ov_status status, ov_vec3 gradient,
                        ov_field *f) {
    CHECK_STATUS(ov_shape_gauge(s, p, f), status);
    CHECK(oracle_is_finite(f));
    check_symmetric(f);
    CHECK_NEAR(f->value, 1.0, 4e-16);
    CHECK_NEAR(f->gradient.x * s->a.x, gradient.x, 1e-15);
    CHECK_NEAR(f->gradient.y * s->a.y, gradient.y, 1e-15);
    CHECK_NEAR(f->gradient.z * s->a.z, gradient.z, 1e-15);
}

/** Second derivative of a norm across its axis, scaled: none where flat, 1 where round. */
static double bend_across(double e) { return e == 1.0 ? 1.0 : 0.0; }

/** The ends of the semi-axes for every pair of exponents. */
static void test_axes(void) {
    const ov_vec3 a = {2.0, 0.5, 3.0};
    const double tx = 0.3, ty = -0.2;
    for (int i = 0; i < ORACLE_EXPONENTS * ORACLE_EXPONENTS * 2; i += check_every()) {
        double e1 = oracle_exponents[i % ORACLE_EXPONENTS];
        double e2 = oracle_exponents[i / ORACLE_EXPONENTS % ORACLE_EXPONENTS];
        double sign = i < ORACLE_EXPONENTS * ORACLE_EXPONENTS ? 1.0 : -1.0;
        ov_shape s = make(a, e1, e2, tx, ty);
        ov_status side = e1 > 1.0 || e2 > 1.0 ? OV_NOT_SMOOTH : OV_OK;
        ov_status pole = e2 < 1.0 || (e1 == 1.0 && e2 == 1.0) ? OV_OK : OV_NOT_SMOOTH;
        double h[6], g[3];
        ov_field f;

        check_place(&s, ov_vec3_make(sign * a.x, 0.0, 0.0), side, ov_vec3_make(sign, 0.0, -tx), &f);
        oracle_scale_field(&s, &f, g, h);
        CHECK_NEAR(h[0], 0.0, 1e-15);
        CHECK_NEAR(h[1], bend_across(e1), 1e-15);
        // G = |X| (1 - tx z + (tx z)^2 ...) beside the profile's own bend
        CHECK_NEAR(h[2], bend_across(e2) + 2.0 * tx * tx, 1e-15);
        CHECK_NEAR(h[4], -sign * tx, 1e-15);

        check_place(&s, ov_vec3_make(0.0, sign * a.y, 0.0), side, ov_vec3_make(0.0, sign, -ty), &f);
        oracle_scale_field(&s, &f, g, h);
        CHECK_NEAR(h[0], bend_across(e1), 1e-15);
        CHECK_NEAR(h[1], 0.0, 1e-15);
        CHECK_NEAR(h[2], bend_across(e2) + 2.0 * ty * ty, 1e-15);
        CHECK_NEAR(h[5], -sign * ty, 1e-15);

        check_place(&s, ov_vec3_make(0.0, 0.0, sign * a.z), pole, ov_vec3_make(0.0, 0.0, sign), &f);
        oracle_scale_field(&s, &f, g, h);
        double round = e1 == 1.0 && e2 == 1.0 ? 1.0 : 0.0;
        double f1 = 1.0 + sign * tx, f2 = 1.0 + sign * ty;
        CHECK_NEAR(h[0], round / (f1 * f1), 4e-15);
        CHECK_NEAR(h[1], round / (f2 * f2), 4e-15);
        CHECK(h[2] == 0.0 && h[3] == 0.0 && h[4] == 0.0 && h[5] == 0.0);

        CHECK_STATUS(ov_shape_gauge(&s, ov_vec3_make(0.0, 0.0, 0.0), &f), OV_NOT_SMOOTH);
        CHECK(oracle_is_finite(&f) && f.value == 0.0);
        CHECK(ov_vec3_length(f.gradient) == 0.0);
    }
}

/** In the plane u[axis] = 0, the field of the other two coordinates is smooth: its differences. */
static void check_in_plane(const ov_shape *s, const ov_field *f, const long double u[3], int axis,
                           double *worst) {
    long double h[3], first[3], second[6], value = oracle_gauge(s, u[0], u[1], u[2]);
    double g[3], hessian[6];
    oracle_steps(s, u, h);
    oracle_scale_field(s, f, g, hessian);
    double size = largest(hessian, 6) + 1.0 / f->value;
    for (int i = 0; i < 6; i++) {
        int a = oracle_pair[i][0], b = oracle_pair[i][1];
        if (a == axis || b == axis) {
            continue;
        }
        long double up[3] = {0.0L}, down[3] = {0.0L}, ignored, other;
        up[a] = down[a] = h[a];
        up[b] = h[b];
        down[b] = a == b ? h[b] : -h[b];
        oracle_along(oracle_gauge, s, u, up, value, &first[a], &second[i]);
        if (a == b) {
            second[i] /= h[a] * h[a];
            CHECK_NEAR(g[a], (double)(first[a] / h[a]), 1e-9);
        } else {
            oracle_along(oracle_gauge, s, u, down, value, &ignored, &other);
            second[i] = (second[i] - other) / (4.0L * h[a] * h[b]);
        }
        double error = fabs((double)(hessian[i] - second[i])) / size;
        *worst = fmax(*worst, error);
        CHECK_NEAR(error, 0.0, 1e-6);
    }
}

/**
 * On a coordinate plane: the status tells an edge, the gradient across is zero (the middle of the
 * edge's normals, before the taper leans it), what does not cross the plane is right, and across it
 * a flat has no second derivative.
 */
static void test_planes(void) {
    check_random r = check_random_make(306);
    double worst = 0.0;
    for (int i = 0; i < 1500; i += check_every()) {
        ov_shape s = oracle_random_shape(&r);
        ov_vec3 p = oracle_random_point(&r, &s, 0.05, 3.0);
        int axis = i % 3;
        double e = axis == 2 ? s.e2 : s.e1;
        *(axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z) = i % 2 == 0 ? 0.0 : -0.0;
        ov_field f;
        CHECK_STATUS(ov_shape_gauge(&s, p, &f), e > 1.0 ? OV_NOT_SMOOTH : OV_OK);
        CHECK(oracle_is_finite(&f));
        check_symmetric(&f);
        long double u[3];
        double g[3], h[6];
        oracle_scaled(&s, p, u);
        CHECK_NEAR((double)(f.value / oracle_gauge_at(&s, p)), 1.0, 1e-14);
        check_in_plane(&s, &f, u, axis, &worst);
        oracle_scale_field(&s, &f, g, h);
        if (axis < 2) {
            CHECK(g[axis] == 0.0);
            CHECK(e == 1.0 || h[axis] == 0.0);
            CHECK(h[3] == 0.0 && h[4 + axis] == 0.0);
        } else if (s.kind != OV_SHAPE_KIND_SUPEROVOID) {
            CHECK(g[2] == 0.0 && h[4] == 0.0 && h[5] == 0.0);
            CHECK(e == 1.0 || h[2] == 0.0);
        }
    }
    check_worst("in-plane Hessian on coordinate planes", worst, 1e-6);
}

/** Of an untapered body: G is convex, so its gradient, on edges and corners too, lies below it. */
static void test_subgradient(void) {
    check_random r = check_random_make(307);
    double worst = 0.0;
    for (int i = 0; i < 2000; i += check_every()) {
        double e1 = oracle_random_exponent(&r), e2 = oracle_random_exponent(&r);
        ov_shape s = make(oracle_random_axes(&r), e1, e2, 0.0, 0.0);
        ov_vec3 p = oracle_random_point(&r, &s, 0.01, 2.0);
        unsigned zeros = (unsigned)i % 7; // not all three
        p.x *= zeros & 1u ? 0.0 : 1.0;
        p.y *= zeros & 2u ? 0.0 : 1.0;
        p.z *= zeros & 4u ? 0.0 : 1.0;
        ov_field f;
        CHECK(ov_shape_gauge(&s, p, &f) >= OV_OK);
        for (int k = 0; k < 10; k++) {
            ov_vec3 q = oracle_random_point(&r, &s, 1e-3, 3.0);
            double above = (double)oracle_gauge_at(&s, q);
            double below = f.value + ov_vec3_dot(f.gradient, ov_vec3_sub(q, p));
            worst = fmax(worst, (below - above) / (above + f.value));
            CHECK(below <= above + 1e-14 * (above + f.value));
        }
    }
    check_worst("tangent plane of a convex body above the gauge", worst, 1e-14);
}

/** e = 2: G = |X| + |Y| + |Z|, without a bend inside the octants. */
static void test_octahedron(void) {
    check_random r = check_random_make(308);
    for (int i = 0; i < 1000; i += check_every()) {
        ov_shape s = make(oracle_random_axes(&r), 2.0, 2.0, 0.0, 0.0);
        ov_vec3 p = oracle_random_point(&r, &s, 1e-6, 10.0);
        ov_field f;
        double g[3], h[6];
        CHECK_OK(ov_shape_gauge(&s, p, &f));
        oracle_scale_field(&s, &f, g, h);
        double sum = fabs(p.x / s.a.x) + fabs(p.y / s.a.y) + fabs(p.z / s.a.z);
        CHECK_NEAR(f.value, sum, 1e-15 * sum);
        CHECK_NEAR(g[0], copysign(1.0, p.x), 1e-15);
        CHECK_NEAR(g[1], copysign(1.0, p.y), 1e-15);
        CHECK_NEAR(g[2], copysign(1.0, p.z), 1e-15);
        CHECK(largest(h, 6) == 0.0);
    }
}

/** Exponents so small that the powers are 0 or 1, or p itself overflows: boxes, to rounding. */
static void test_tiny_exponents(void) {
    static const double tiny[] = {1e-3, 1e-12, 1e-300, 4.9406564584124654e-324};
    static const double places[] = {0.0, 1.0, -1.0, 0.5, 1e-10, 0.999999};
    check_random r = check_random_make(309);
    double worst = 0.0;
    for (int i = 0; i < 4 * 4 * 6 * 6 * 6 * 2; i += check_every()) {
        double e1 = tiny[i % 4], e2 = i / 4 % 4 == 3 ? 1.3 : tiny[i / 4 % 4];
        double t = i < 4 * 4 * 6 * 6 * 6 ? 0.0 : 0.4;
        ov_vec3 a = {check_log_uniform(&r, 1e-5, 1e5), 2.0, 1.0};
        ov_shape s = make(a, e1, e2, t, t);
        double z = places[i / 576 % 6], f1 = 1.0 + t * z;
        ov_vec3 p = {places[i / 16 % 6] * a.x * f1, places[i / 96 % 6] * a.y * f1, z};
        ov_field f;
        double value;
        CHECK(ov_shape_gauge(&s, p, &f) >= OV_OK);
        CHECK_OK(ov_shape_gauge_value(&s, p, &value));
        double exact = (double)oracle_gauge_at(&s, p), error = fabs(f.value - exact);
        worst = fmax(worst, exact > 0.0 ? error / exact : error);
        CHECK_NEAR(f.value, exact, 1e-14 * exact);
        CHECK(value == f.value);
        if (e1 < 1e-15 && e2 < 1e-15) {
            double box = fmax(fabs(z), fmax(fabs(p.x / (a.x * f1)), fabs(p.y / (a.y * f1))));
            CHECK_NEAR(f.value, box, 4e-15 * box);
        }
        CHECK(oracle_is_finite(&f));
        CHECK(ov_shape_implicit(&s, p, &f) >= OV_OK);
        CHECK(!oracle_has_nan(&f) && f.value >= 0.0);
    }
    check_worst("gauge at exponents down to 5e-324, relative", worst, 1e-14);
}

/* ---- beyond the body, and the ends of the number range */

/** Where the taper is held the value goes on without a jump, and so does the gradient across z. */
static void test_beyond_the_ends(void) {
    check_random r = check_random_make(310);
    for (int i = 0; i < 1000; i += check_every()) {
        ov_shape s = oracle_random_shape(&r);
        ov_vec3 p = oracle_random_point(&r, &s, 0.05, 1.0);
        double end = copysign(s.a.z, p.z);
        ov_field below, at, above;
        p.z = end * (1.0 - 1e-9);
        CHECK_OK(ov_shape_gauge(&s, p, &below));
        p.z = end;
        CHECK_OK(ov_shape_gauge(&s, p, &at));
        p.z = end * (1.0 + 1e-9);
        CHECK_OK(ov_shape_gauge(&s, p, &above));
        // slopes are at most 1/f in X times T/f in z: 20 * 19
        CHECK_NEAR(below.value, at.value, 4e-7 * at.value);
        CHECK_NEAR(above.value, at.value, 4e-9 * at.value);
        CHECK_NEAR(above.gradient.x * s.a.x, below.gradient.x * s.a.x, 1e-4);
        CHECK_NEAR(above.gradient.y * s.a.y, below.gradient.y * s.a.y, 1e-4);
        // far out the section's scale is that of the end
        p.z = end * check_log_uniform(&r, 2.0, 1e40);
        CHECK_OK(ov_shape_gauge(&s, p, &above));
        CHECK(oracle_is_finite(&above));
        CHECK_NEAR((double)(above.value / oracle_gauge_at(&s, p)), 1.0, 1e-14);
        CHECK(above.value >= fabs(p.z / s.a.z) * (1.0 - 1e-15));
    }
}

/** Points from 1e-300 to 1e100 on bodies from 1e-60 to 1e60: the value is that of the formula. */
static void test_range(void) {
    static const double sizes[] = {1e-60, 1e-50, 1.0, 1e50, 1e60};
    static const double reaches[] = {0.0, 1e-300, 1e-200, 1e-100, 1.0, 1e99, 1e100};
    check_random r = check_random_make(311);
    double worst = 0.0;
    for (int i = 0; i < 5 * 5 * 5 * 7 * 7; i += check_every()) {
        ov_vec3 a = {sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25 % 5]};
        bool round = i % 3 == 0;
        double e1 = round ? 1.0 : oracle_random_exponent(&r);
        double e2 = round ? 1.0 : oracle_random_exponent(&r);
        ov_shape s = make(a, e1, e2, 0.0, 0.0);
        ov_vec3 p = {reaches[i / 125 % 7], -reaches[i / 875 % 7], reaches[(i / 125 + i) % 7]};
        ov_field f;
        double value;
        CHECK(ov_shape_gauge(&s, p, &f) >= OV_OK);
        CHECK_OK(ov_shape_gauge_value(&s, p, &value));
        long double exact = oracle_gauge_at(&s, p);
        CHECK(oracle_is_finite(&f));
        // what is smaller than 1e-130 semi-axes may count as on the plane
        double error = (double)fmaxl(0.0L, fabsl(f.value - exact) - 3e-130L);
        worst = fmax(worst, exact > 0.0L ? (double)(error / exact) : error);
        CHECK_NEAR(error, 0.0, (double)(1e-14L * exact));
        CHECK_NEAR(value, f.value, 1e-15 * f.value);
        CHECK(ov_shape_implicit(&s, p, &f) >= OV_OK);
        CHECK(!oracle_has_nan(&f));
    }
    check_worst("gauge over the range of numbers, relative", worst, 1e-14);
}

/* ---- F, containment */

/** F = G^p2 has derivatives at the centre that G has not. */
static void test_implicit_at_centre(void) {
    const ov_vec3 a = {2.0, 0.5, 4.0}, centre = {0.0, 0.0, 0.0};
    for (int i = 0; i < ORACLE_EXPONENTS * ORACLE_EXPONENTS; i += check_every()) {
        double e1 = oracle_exponents[i % ORACLE_EXPONENTS];
        double e2 = oracle_exponents[i / ORACLE_EXPONENTS];
        ov_shape s = make(a, e1, e2, i % 2 == 0 ? 0.2 : 0.0, 0.0);
        bool round = e1 == 1.0 && e2 == 1.0;
        ov_field f;
        CHECK_STATUS(ov_shape_implicit(&s, centre, &f), round || e2 < 1.0 ? OV_OK : OV_NOT_SMOOTH);
        CHECK(oracle_is_finite(&f));
        CHECK(f.value == 0.0 && ov_vec3_length(f.gradient) == 0.0);
        double g[3], h[6];
        oracle_scale_field(&s, &f, g, h);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(h[k], round && k < 3 ? 2.0 : 0.0, 1e-15);
        }
    }
}

/** Too large for a double: infinite, as documented, and nowhere undefined. */
static void test_implicit_overflow(void) {
    ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), 0.5, 0.05, 0.2, -0.2);
    const ov_vec3 far[3] = {{1e20, 0.0, 0.0}, {0.0, 0.0, 1e20}, {1e20, 1e20, -1e20}};
    for (int i = 0; i < 3; i++) {
        ov_field f;
        CHECK_OK(ov_shape_implicit(&s, far[i], &f));
        CHECK(isinf(f.value) && f.value > 0.0);
        CHECK(!oracle_has_nan(&f));
    }
}

static void test_contains(void) {
    check_random r = check_random_make(312);
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    int inside_count = 0;
    for (int i = 0; i < 5000; i += check_every()) {
        if (i % 10 == 0) {
            s = oracle_random_shape(&r);
        }
        ov_vec3 p = oracle_random_point(&r, &s, 1e-3, 10.0);
        if (s.kind != OV_SHAPE_KIND_SUPEROVOID && i % 2 == 0) {
            // along the ray to within 1e-12 of the surface, on a known side
            double side = i % 4 == 0 ? 1.0 - 1e-12 : 1.0 + 1e-12;
            p = ov_vec3_scale(p, side / (double)oracle_gauge_at(&s, p));
        }
        bool expected = oracle_gauge_at(&s, p) <= 1.0L, inside = !expected;
        CHECK_OK(ov_shape_contains(&s, p, &inside));
        CHECK(inside == expected);
        inside_count += inside;
    }
    CHECK(inside_count > check_share(1000) && inside_count < 4000);
}

/* ---- bad input */

static void check_bad_shape(const ov_shape *s, ov_status expected) {
    const ov_vec3 p = {1.0, 0.0, 0.0};
    ov_field f;
    double value;
    bool inside;
    CHECK_STATUS(ov_shape_gauge(s, p, &f), expected);
    CHECK_STATUS(ov_shape_gauge_value(s, p, &value), expected);
    CHECK_STATUS(ov_shape_implicit(s, p, &f), expected);
    if (expected != OV_ERROR_UNSUPPORTED) {
        CHECK_STATUS(ov_shape_contains(s, p, &inside), expected);
    }
}

static void test_bad_input(void) {
    ov_shape s = make(ov_vec3_make(1.0, 2.0, 3.0), 0.5, 1.5, 0.1, 0.1), box;
    ov_field f;
    double value;
    bool inside;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; i++) {
        ov_vec3 p = {i % 3 == 0 ? bad[i / 3] : 0.0, i % 3 == 1 ? bad[i / 3] : 0.0,
                     i % 3 == 2 ? bad[i / 3] : 0.0};
        CHECK_STATUS(ov_shape_gauge(&s, p, &f), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_shape_gauge_value(&s, p, &value), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_shape_implicit(&s, p, &f), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_shape_contains(&s, p, &inside), OV_ERROR_NOT_FINITE);
    }
    const ov_vec3 far = {0.0, -1.1e100, 0.0}, origin = {0.0, 0.0, 0.0};
    CHECK_STATUS(ov_shape_gauge(&s, far, &f), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_gauge_value(&s, far, &value), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_implicit(&s, far, &f), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_contains(&s, far, &inside), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_gauge(&s, origin, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_gauge_value(&s, origin, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_implicit(&s, origin, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_contains(&s, origin, NULL), OV_ERROR_NULL);
    check_bad_shape(NULL, OV_ERROR_NULL);
    s.kind = OV_SHAPE_KIND_NONE;
    check_bad_shape(&s, OV_ERROR_SHAPE);
    s.kind = (ov_shape_kind)99;
    check_bad_shape(&s, OV_ERROR_SHAPE);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &box));
    check_bad_shape(&box, OV_ERROR_UNSUPPORTED);
}

int main(void) {
    check_suite = "superquadric_gauge";
    RUN(test_value);
    RUN(test_gauge_differences);
    RUN(test_implicit_differences);
    RUN(test_gauge_jets);
    RUN(test_implicit_jets);
    RUN(test_axes);
    RUN(test_planes);
    RUN(test_subgradient);
    RUN(test_octahedron);
    RUN(test_tiny_exponents);
    RUN(test_beyond_the_ends);
    RUN(test_range);
    RUN(test_implicit_at_centre);
    RUN(test_implicit_overflow);
    RUN(test_contains);
    RUN(test_bad_input);
    return check_finish();
}
