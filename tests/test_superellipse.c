/**
 * @file test_superellipse.c
 * @brief The superellipse in the plane, against its definition in long double, against finite
 * differences, a dense scan and quadrature.
 */
#include "check.h"

static const double exponents[] = {1e-3, 0.05, 0.3, 0.5, 1.0, 1.3, 1.7, 1.99, 2.0};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

static long double direct_gauge(const ov_superellipse *c, long double x, long double y) {
    long double p = 2.0L / c->e, u = fabsl(x) / c->a1, v = fabsl(y) / c->a2;
    long double big = fmaxl(u, v), small = fminl(u, v);
    return big == 0.0L ? 0.0L : big * powl(1.0L + powl(small / big, p), 1.0L / p);
}

static ov_superellipse random_curve(check_random *r, int i) {
    ov_superellipse c;
    double e = i % 3 == 0 ? exponents[i / 3 % EXPONENTS] : check_uniform(r, 0.05, 2.0);
    double size = check_log_uniform(r, 1e-3, 1e3);
    CHECK_OK(ov_superellipse_make(size, size * check_log_uniform(r, 1e-3, 1e3), e, &c));
    return c;
}

/** A point whose two scaled coordinates are within a factor of a hundred. */
static ov_vec2 random_point(check_random *r, const ov_superellipse *c) {
    double angle = check_uniform(r, -M_PI, M_PI), size = check_log_uniform(r, 1e-2, 1e2);
    return (ov_vec2){c->a1 * size * cos(angle), c->a2 * size * sin(angle)};
}

static void test_gauge(void) {
    check_random r = check_random_make(201);
    double worst = 0.0;
    for (int i = 0; i < 5000; i++) {
        ov_superellipse c = random_curve(&r, i);
        ov_vec2 p = random_point(&r, &c);
        double value;
        CHECK_OK(ov_superellipse_gauge(&c, p, &value, NULL, NULL));
        double error = (double)fabsl(value / direct_gauge(&c, p.x, p.y) - 1.0L);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-14);
    }
    check_worst("gauge against long double, relative", worst, 1e-14);
}

/** Central differences of the definition in long double, in units of the semi-axes. */
static void test_derivatives(void) {
    check_random r = check_random_make(202);
    double worst_1 = 0.0, worst_2 = 0.0;
    for (int i = 0; i < 5000; i++) {
        ov_superellipse c = random_curve(&r, i);
        ov_vec2 p = random_point(&r, &c), g;
        double value, h[3];
        double u = p.x / c.a1, v = p.y / c.a2, small = fmin(fabs(u), fabs(v));
        CHECK_OK(ov_superellipse_gauge(&c, p, &value, &g, h));
        // steps far smaller than the distance from the axes, where the powers bend, and than their
        // own scale of bending, M/p
        long double s = 1e-4L * fminl(small, fmaxl(fabs(u), fabs(v)) * fminl(1.0L, c.e));
        long double sx = s * c.a1, sy = s * c.a2;
        long double xp = direct_gauge(&c, p.x + sx, p.y), xm = direct_gauge(&c, p.x - sx, p.y);
        long double yp = direct_gauge(&c, p.x, p.y + sy), ym = direct_gauge(&c, p.x, p.y - sy);
        long double mid = direct_gauge(&c, p.x, p.y);
        long double cross =
            direct_gauge(&c, p.x + sx, p.y + sy) - direct_gauge(&c, p.x + sx, p.y - sy) -
            direct_gauge(&c, p.x - sx, p.y + sy) + direct_gauge(&c, p.x - sx, p.y - sy);
        double slope = fmax(fabs((double)((xp - xm) / (2.0L * s)) - g.x * c.a1),
                            fabs((double)((yp - ym) / (2.0L * s)) - g.y * c.a2));
        worst_1 = fmax(worst_1, slope);
        CHECK_NEAR(slope, 0.0, 1e-7);
        double xx = h[0] * c.a1 * c.a1, xy = h[1] * c.a1 * c.a2, yy = h[2] * c.a2 * c.a2;
        double size = fmax(fabs(xx), fmax(fabs(xy), fabs(yy)));
        // the rounding of the differences themselves
        double noise = 1e-18 * value / (double)(s * s);
        double bend = fmax(fabs((double)((xp - 2.0L * mid + xm) / (s * s)) - xx),
                           fabs((double)((yp - 2.0L * mid + ym) / (s * s)) - yy));
        bend = fmax(bend, fabs((double)(cross / (4.0L * s * s)) - xy));
        worst_2 = fmax(worst_2, (bend - noise) / (size + 1.0 / value));
        CHECK_NEAR(bend, 0.0, 1e-6 * (size + 1.0 / value) + noise);
    }
    check_worst("gradient against differences", worst_1, 1e-7);
    check_worst("Hessian against differences, relative", worst_2, 1e-6);
}

static void test_axes(void) {
    for (int i = 0; i < EXPONENTS; i++) {
        double e = exponents[i], value, h[3];
        ov_superellipse c;
        ov_vec2 g;
        CHECK_OK(ov_superellipse_make(2.0, 0.5, e, &c));
        ov_status status = ov_superellipse_gauge(&c, (ov_vec2){-3.0, 0.0}, &value, &g, h);
        CHECK_STATUS(status, e > 1.0 ? OV_NOT_SMOOTH : OV_OK);
        CHECK_NEAR(value, 1.5, 0.0);
        CHECK_NEAR(g.x, -0.5, 0.0);
        CHECK_NEAR(g.y, 0.0, 0.0);
        CHECK_NEAR(h[0], 0.0, 0.0);
        CHECK_NEAR(h[2], e == 1.0 ? 1.0 / (1.5 * 0.25) : 0.0, 1e-14);
        // the gradient alone exists up to e = 2, the value always
        status = ov_superellipse_gauge(&c, (ov_vec2){0.0, 1.0}, NULL, &g, NULL);
        CHECK_STATUS(status, e == 2.0 ? OV_NOT_SMOOTH : OV_OK);
        CHECK_OK(ov_superellipse_gauge(&c, (ov_vec2){0.0, 1.0}, &value, NULL, NULL));
        CHECK_NEAR(value, 2.0, 0.0);
        status = ov_superellipse_gauge(&c, (ov_vec2){0.0, 0.0}, &value, &g, h);
        CHECK_STATUS(status, OV_NOT_SMOOTH);
        CHECK(value == 0.0 && g.x == 0.0 && g.y == 0.0 && h[0] == 0.0 && h[2] == 0.0);
    }
}

/** Points at the ends of the range of doubles: the gauge is homogeneous. */
static void test_range(void) {
    check_random r = check_random_make(203);
    for (int i = 0; i < 600; i++) {
        ov_superellipse c = random_curve(&r, i);
        ov_vec2 p = random_point(&r, &c), g0, g1;
        int shift = i % 2 == 0 ? 900 : -900;
        ov_vec2 far = {scalbn(p.x, shift), scalbn(p.y, shift)};
        double v0, v1, h0[3], h1[3];
        CHECK_OK(ov_superellipse_gauge(&c, p, &v0, &g0, h0));
        CHECK_OK(ov_superellipse_gauge(&c, far, &v1, &g1, h1));
        CHECK(v1 == scalbn(v0, shift) && g0.x == g1.x && g0.y == g1.y);
        double bend = scalbn(h0[1], -shift);
        CHECK(h1[1] == bend || fabs(bend) < 1e-290); // below that digits are lost
        CHECK_OK(ov_superellipse_support(&c, p, &v0, &g0));
        CHECK_OK(ov_superellipse_support(&c, far, &v1, &g1));
        CHECK(v1 == scalbn(v0, shift) && g0.x == g1.x && g0.y == g1.y);
    }
}

static void test_support(void) {
    check_random r = check_random_make(204);
    double worst = 0.0, worst_scan = 0.0;
    for (int i = 0; i < 3000; i++) {
        ov_superellipse c = random_curve(&r, i);
        double angle = check_uniform(&r, -M_PI, M_PI), value, gauge;
        ov_vec2 d = {cos(angle) / c.a1, sin(angle) / c.a2}, p;
        CHECK_OK(ov_superellipse_support(&c, d, &value, &p));
        // its own definition in long double: the dual norm
        ov_superellipse dual = {1.0 / c.a1, 1.0 / c.a2, 2.0 - c.e};
        long double direct =
            c.e < 2.0 ? direct_gauge(&dual, d.x, d.y)
                      : fmaxl(fabsl((long double)c.a1 * d.x), fabsl((long double)c.a2 * d.y));
        double error = (double)fabsl(value / direct - 1.0L);
        CHECK_OK(ov_superellipse_gauge(&c, p, &gauge, NULL, NULL));
        error = fmax(error, fabs(gauge - 1.0));
        error = fmax(error, fabs((d.x * p.x + d.y * p.y) / value - 1.0));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-14);
        // no point of the curve reaches further
        double reach = 0.0;
        for (int k = 0; k < 64; k++) {
            ov_vec2 q;
            double phi = check_uniform(&r, -M_PI, M_PI);
            CHECK_OK(ov_superellipse_curve(&c, k % 2 ? OV_SPACING_EQUAL : OV_SPACING_ANGLE_CENTRE,
                                           phi, &q, NULL, NULL));
            reach = fmax(reach, (d.x * q.x + d.y * q.y) / value);
        }
        worst_scan = fmax(worst_scan, reach - 1.0);
        CHECK(reach <= 1.0 + 1e-14);
    }
    check_worst("support, its point, and the dual norm in long double", worst, 1e-14);
    check_worst("a curve point beyond the support", worst_scan, 1e-14);
    // where an edge is reached, its middle
    ov_superellipse diamond = {2.0, 1.0, 2.0};
    ov_vec2 p;
    double value;
    CHECK_OK(ov_superellipse_support(&diamond, (ov_vec2){0.5, -1.0}, &value, &p));
    CHECK(value == 1.0 && p.x == 1.0 && p.y == -0.5);
    ov_superellipse square = {2.0, 1.0, 1e-3};
    CHECK_OK(ov_superellipse_support(&square, (ov_vec2){0.0, 3.0}, &value, &p));
    CHECK(value == 3.0 && p.x == 0.0 && p.y == 1.0);
}

/** Point and normal at an angle, and that both spacings run as their formulas say. */
static void test_curve(void) {
    check_random r = check_random_make(205);
    double worst = 0.0, worst_angle = 0.0;
    for (int i = 0; i < 4000; i++) {
        ov_superellipse c = random_curve(&r, i);
        ov_spacing spacing = i % 2 ? OV_SPACING_EQUAL : OV_SPACING_ANGLE_CENTRE;
        double phi = check_uniform(&r, -M_PI, M_PI), value;
        ov_vec2 p, n, g;
        CHECK_OK(ov_superellipse_curve(&c, spacing, phi, &p, &n, NULL));
        CHECK_OK(ov_superellipse_gauge(&c, p, &value, &g, NULL));
        double length = hypot(g.x, g.y);
        worst = fmax(worst, fabs(value - 1.0));
        CHECK_NEAR(value, 1.0, 1e-14);
        CHECK_NEAR(hypot(n.x, n.y), 1.0, 1e-15);
        // at small e the normal turns on a tiny arc of the corner: rounding of the point counts
        double turn = 1e-14 * fmax(1.0, 2.0 / c.e);
        CHECK_NEAR(n.x, g.x / length, turn);
        CHECK_NEAR(n.y, g.y / length, turn);
        double u = p.x / c.a1, v = p.y / c.a2;
        if (spacing == OV_SPACING_EQUAL) {
            double error = fabs(atan2(v, u) - phi);
            worst_angle = fmax(worst_angle, error);
            CHECK_NEAR(error, 0.0, 1e-15);
        } else {
            // angles are taken with pi as a double, which moves them by up to 2e-16
            double cu = fabs(cos(phi)), cv = fabs(sin(phi));
            double expected_u = (double)powl(cu, c.e), expected_v = (double)powl(cv, c.e);
            CHECK_NEAR(u, copysign(expected_u, cos(phi)), 1e-14 + 2e-16 * c.e * expected_u / cu);
            CHECK_NEAR(v, copysign(expected_v, sin(phi)), 1e-14 + 2e-16 * c.e * expected_v / cv);
        }
    }
    check_worst("points on the curve", worst, 1e-14);
    check_worst("angle of the ray at equal spacing", worst_angle, 1e-15);
    // quarter turns are exact for every exponent, and angles may go round
    const double quarter[5][3] = {
        {-M_PI, -1, 0}, {-M_PI_2, 0, -1}, {0, 1, 0}, {M_PI_2, 0, 1}, {M_PI, -1, 0}};
    for (int i = 0; i < 5 * EXPONENTS; i++) {
        ov_superellipse c = {2.0, 3.0, exponents[i % EXPONENTS]};
        ov_vec2 p, n;
        for (int k = 0; k < 2; k++) {
            const double *q = quarter[i / EXPONENTS];
            CHECK_OK(ov_superellipse_curve(&c, (ov_spacing)k, q[0], &p, &n, NULL));
            CHECK(p.x == 2.0 * q[1] && p.y == 3.0 * q[2] && n.x == q[1] && n.y == q[2]);
        }
        CHECK_OK(ov_superellipse_curve(&c, OV_SPACING_EQUAL, 0.3 + 20.0 * M_PI, &p, NULL, NULL));
        CHECK_NEAR(atan2(p.y / 3.0, p.x / 2.0), 0.3, 1e-13);
    }
}

/** Second difference of the gauge over steps of (dx, dy), of fourth order. */
static long double second_difference(const ov_superellipse *c, ov_vec2 p, long double dx,
                                     long double dy) {
    long double sum = -2.5L * direct_gauge(c, p.x, p.y);
    for (int i = 1; i <= 2; i++) {
        long double both = direct_gauge(c, p.x + i * dx, p.y + i * dy) +
                           direct_gauge(c, p.x - i * dx, p.y - i * dy);
        sum += both * (i == 1 ? 4.0L / 3.0L : -1.0L / 12.0L);
    }
    return sum;
}

/** Curvature by differences of the gauge's definition: kappa = g_tt/|g'| along the tangent. */
static void test_curvature(void) {
    check_random r = check_random_make(206);
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        double e = check_uniform(&r, 0.1, 1.95), kappa;
        ov_superellipse c = {1.0, check_log_uniform(&r, 0.1, 10.0), e};
        ov_vec2 p, n;
        double phi = check_uniform(&r, 0.2, M_PI_2 - 0.2);
        CHECK_OK(ov_superellipse_curve(&c, OV_SPACING_EQUAL, phi, &p, &n, &kappa));
        long double s = 1e-4L * e * fmin(c.a1, c.a2), nx = n.x * s, ny = n.y * s;
        long double slope =
            (direct_gauge(&c, p.x + nx, p.y + ny) - direct_gauge(&c, p.x - nx, p.y - ny)) / 2.0L;
        double expected = (double)(second_difference(&c, p, -ny, nx) / (s * slope));
        double error = fabs(kappa - expected) / (1.0 + fabs(expected));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-6);
    }
    check_worst("curvature against differences, relative", worst, 1e-6);
    // ellipse: a1 a2/(a1^2 s^2 + a2^2 c^2)^(3/2), on its axes a1/a2^2
    double worst_ellipse = 0.0;
    for (int i = 0; i < 1000; i++) {
        ov_superellipse c = {check_log_uniform(&r, 1e-3, 1e3), check_log_uniform(&r, 1e-3, 1e3),
                             1.0};
        double phi = i < 4 ? M_PI_2 * (i - 1) : check_uniform(&r, -M_PI, M_PI), kappa;
        CHECK_OK(ov_superellipse_curve(&c, OV_SPACING_ANGLE_CENTRE, phi, NULL, NULL, &kappa));
        double root = hypot(c.a1 * sin(phi), c.a2 * cos(phi));
        double expected = c.a1 * c.a2 / root / root / root;
        worst_ellipse = fmax(worst_ellipse, fabs(kappa / expected - 1.0));
        CHECK_NEAR(kappa / expected, 1.0, 1e-12);
    }
    check_worst("curvature of ellipses, relative", worst_ellipse, 1e-12);
    // flat below e = 1, a corner above, straight at 2
    for (int i = 0; i < EXPONENTS; i++) {
        double e = exponents[i], kappa;
        ov_superellipse c = {1.0, 2.0, e};
        CHECK_OK(ov_superellipse_curve(&c, OV_SPACING_EQUAL, M_PI_2, NULL, NULL, &kappa));
        CHECK_NEAR(kappa, e < 1.0 ? 0.0 : (e == 1.0 ? 2.0 : (double)INFINITY), 1e-15);
        CHECK_OK(ov_superellipse_curve(&c, OV_SPACING_EQUAL, 0.7, NULL, NULL, &kappa));
        CHECK(e == 2.0 ? kappa == 0.0 : kappa >= 0.0 && isfinite(kappa));
    }
}

/** Integral over (0, 1) of t^k (1 - t^p)^(1/p) by the tanh-sinh rule, singular ends included. */
static long double quadrature(int k, double e) {
    const long double h = 1.0L / 64.0L, half_pi = 1.5707963267948966192L;
    long double sum = 0.0L, p = 2.0L / e;
    for (int i = -300; i <= 300; i++) {
        long double s = half_pi * sinhl(i * h), c = half_pi * coshl(i * h);
        long double rest = 1.0L / (1.0L + expl(2.0L * s)), weight = c / (coshl(s) * coshl(s));
        // t^p is taken from 1 - t where t is near 1, from t where it is near 0
        long double log_t = s > 0.0L ? log1pl(-rest) : -log1pl(expl(-2.0L * s));
        long double w = powl(-expm1l(p * log_t), 1.0L / p);
        sum += weight * expl((long double)k * log_t) * w;
    }
    return 0.5L * h * sum;
}

static void test_area(void) {
    check_random r = check_random_make(207);
    double worst = 0.0;
    for (int i = 0; i < 60; i++) {
        ov_superellipse c = random_curve(&r, i);
        double area;
        ov_vec2 moment;
        CHECK_OK(ov_superellipse_area(&c, &area, &moment));
        double expected = 4.0 * c.a1 * c.a2 * (double)quadrature(0, c.e);
        double m = 4.0 * (double)quadrature(2, c.e);
        double error = fabs(area / expected - 1.0);
        error = fmax(error, fabs(moment.x / (m * pow(c.a1, 3) * c.a2) - 1.0));
        error = fmax(error, fabs(moment.y / (m * pow(c.a2, 3) * c.a1) - 1.0));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-13);
    }
    check_worst("area and moments against quadrature, relative", worst, 1e-13);
    ov_superellipse circle = {2.0, 2.0, 1.0}, diamond = {2.0, 3.0, 2.0};
    double area;
    CHECK_OK(ov_superellipse_area(&circle, &area, NULL));
    CHECK_NEAR(area, 4.0 * M_PI, 1e-14);
    CHECK_OK(ov_superellipse_area(&diamond, &area, NULL));
    CHECK_NEAR(area, 12.0, 1e-14);
}

static void test_bad_input(void) {
    const double inf = (double)INFINITY, nan = (double)NAN;
    ov_superellipse c = {7.0, 7.0, 7.0};
    CHECK_STATUS(ov_superellipse_make(1.0, 1.0, 1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_make(0.0, 1.0, 1.0, &c), OV_ERROR_SIZE_NOT_POSITIVE);
    CHECK_STATUS(ov_superellipse_make(1.0, -1.0, 1.0, &c), OV_ERROR_SIZE_NOT_POSITIVE);
    CHECK_STATUS(ov_superellipse_make(nan, 1.0, 1.0, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_make(1.0, inf, 1.0, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_make(1e61, 1.0, 1.0, &c), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_superellipse_make(1.0, 1e-61, 1.0, &c), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_superellipse_make(1.0, 1.0, 0.0, &c), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_superellipse_make(1.0, 1.0, 2.0000001, &c), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_superellipse_make(1.0, 1.0, nan, &c), OV_ERROR_NOT_FINITE);
    CHECK(c.a1 == 7.0 && c.a2 == 7.0 && c.e == 7.0);
    double value;
    ov_vec2 p;
    CHECK_STATUS(ov_superellipse_gauge(NULL, (ov_vec2){1, 1}, &value, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_gauge(&c, (ov_vec2){1, 1}, &value, NULL, NULL), OV_ERROR_SHAPE);
    CHECK_OK(ov_superellipse_make(1.0, 2.0, 0.5, &c));
    CHECK_STATUS(ov_superellipse_gauge(&c, (ov_vec2){nan, 1}, &value, NULL, NULL),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_support(&c, (ov_vec2){0, 0}, &value, &p), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_superellipse_support(&c, (ov_vec2){0, inf}, &value, &p), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_support(NULL, (ov_vec2){0, 1}, &value, &p), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_curve(&c, OV_SPACING_EQUAL, nan, &p, NULL, NULL),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_curve(&c, (ov_spacing)9, 0.0, &p, NULL, NULL), OV_ERROR_OPTION);
    CHECK_STATUS(ov_superellipse_curve(NULL, OV_SPACING_EQUAL, 0.0, &p, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_area(NULL, &value, NULL), OV_ERROR_NULL);
}

int main(void) {
    check_suite = "superellipse";
    RUN(test_gauge);
    RUN(test_derivatives);
    RUN(test_axes);
    RUN(test_range);
    RUN(test_support);
    RUN(test_curve);
    RUN(test_curvature);
    RUN(test_area);
    RUN(test_bad_input);
    return check_finish();
}
