/**
 * @file test_nonconvex.c
 * @brief Modelling kinds: superhyperboloids, supertoroid, bent superellipsoid.
 *
 * Oracles: the definitions written out in long double, the bend of Solina and Bajcsy in its
 * original form with the radius 1/k, finite differences in long double, and random points.
 */
#include "check.h"

static const double exponents[] = {0.05, 0.3, 1.0, 1.7, 2.0};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

/* ---- the definitions, in long double */

typedef struct point_l {
    long double x, y, z;
} point_l;

static point_l widen(ov_vec3 p) { return (point_l){p.x, p.y, p.z}; }

static long double section_norm(const ov_shape *s, long double u, long double v) {
    long double p = 2.0L / s->e1, big = fmaxl(fabsl(u), fabsl(v)),
                small = fminl(fabsl(u), fabsl(v));
    return big == 0.0L ? 0.0L : big * powl(1.0L + powl(small / big, p), 1.0L / p);
}

/** [Solina and Bajcsy]: gamma = atan2(Z, 1/k - R), r = 1/k - sign(k) sqrt(Z^2 + (1/k - R)^2). */
static point_l direct_unbend(const ov_shape *s, point_l q) {
    long double k = s->u.bent.curvature, c = cosl(s->u.bent.angle_rad),
                sn = sinl(s->u.bent.angle_rad);
    if (k == 0.0L) {
        return q;
    }
    long double side = k > 0.0L ? 1.0L : -1.0L;
    long double R = q.x * c + q.y * sn, d = 1.0L / k - R;
    long double gamma = atan2l(side * q.z, side * d), r = 1.0L / k - side * hypotl(q.z, d);
    return (point_l){q.x - c * (R - r), q.y - sn * (R - r), gamma / k};
}

static point_l direct_bend(const ov_shape *s, point_l q) {
    long double k = s->u.bent.curvature, c = cosl(s->u.bent.angle_rad),
                sn = sinl(s->u.bent.angle_rad);
    if (k == 0.0L) {
        return q;
    }
    long double r = q.x * c + q.y * sn, radius = 1.0L / k - r, gamma = k * q.z;
    long double R = 1.0L / k - radius * cosl(gamma);
    return (point_l){q.x + c * (R - r), q.y + sn * (R - r), radius * sinl(gamma)};
}

static long double direct_implicit(const ov_shape *s, point_l q) {
    long double p2 = 2.0L / s->e2, f1 = 1.0L, f2 = 1.0L;
    if (s->kind == OV_SHAPE_KIND_BENT) {
        q = direct_unbend(s, q);
        long double held = fmaxl(-1.0L, fminl(1.0L, q.z / s->a.z));
        f1 += s->tx * held;
        f2 += s->ty * held;
    }
    long double m = section_norm(s, q.x / (s->a.x * f1), q.y / (s->a.y * f2));
    long double zeta = fabsl(q.z / s->a.z);
    switch (s->kind) {
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return powl(m, p2) - powl(zeta, p2);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return 2.0L + powl(m, p2) - powl(zeta, p2);
    case OV_SHAPE_KIND_SUPERTOROID:
        return powl(fabsl(m - s->u.toroid.hole), p2) + powl(zeta, p2);
    default:
        return powl(m, p2) + powl(zeta, p2);
    }
}

/* ---- shapes to try */

enum { KINDS = 4 };

/** A random one of the four kinds; every third has exponents from the list. */
static ov_shape random_shape(check_random *r, int i) {
    ov_shape s;
    double e1 = i % 3 ? check_uniform(r, 0.1, 2.0) : exponents[i / 3 % EXPONENTS];
    double e2 = i % 3 ? check_uniform(r, 0.1, 2.0) : exponents[i / 15 % EXPONENTS];
    double size = check_log_uniform(r, 1e-2, 1e2);
    ov_vec3 a = {size * check_uniform(r, 0.3, 2.0), size * check_uniform(r, 0.3, 2.0),
                 size * check_uniform(r, 0.3, 2.0)};
    double height = a.z * check_uniform(r, 1.05, 3.0);
    switch (i % KINDS) {
    case 0:
        height = a.z * check_log_uniform(r, 0.1, 3.0);
        CHECK_OK(ov_shape_make_superhyperboloid_1(a, e1, e2, height, &s));
        break;
    case 1:
        CHECK_OK(ov_shape_make_superhyperboloid_2(a, e1, e2, height, &s));
        break;
    case 2:
        CHECK_OK(ov_shape_make_supertoroid(a, e1, e2, check_uniform(r, 1.1, 4.0), &s));
        break;
    default: {
        double reach = 2.0 * (a.x + a.y), most = fmin(0.95 / reach, 3.0 / a.z);
        double k = most * check_uniform(r, -1.0, 1.0);
        CHECK_OK(ov_shape_make_bent(a, e1, e2, check_uniform(r, -0.6, 0.6),
                                    check_uniform(r, -0.6, 0.6), k, check_uniform(r, -4.0, 4.0),
                                    &s));
    }
    }
    return s;
}

static ov_vec3 random_point(check_random *r, const ov_shape *s) {
    double reach = s->kind == OV_SHAPE_KIND_SUPERTOROID ? 1.0 + s->u.toroid.hole : 1.6;
    ov_vec3 p = ov_vec3_make(check_uniform(r, -reach, reach) * s->a.x,
                             check_uniform(r, -reach, reach) * s->a.y,
                             check_uniform(r, -1.6, 1.6) * s->a.z);
    if (s->kind == OV_SHAPE_KIND_BENT) {
        // within what the bend reaches: the points of a thick straight body, bent
        p.z *= 0.8;
        point_l q = direct_bend(s, widen(p));
        p = ov_vec3_make((double)q.x, (double)q.y, (double)q.z);
    }
    return p;
}

/* ---- value and derivatives */

static void test_implicit_value(void) {
    check_random r = check_random_make(301);
    double worst[KINDS] = {0.0};
    for (int i = 0; i < 8000; i++) {
        ov_shape s = random_shape(&r, i);
        ov_vec3 p = random_point(&r, &s);
        ov_field f;
        CHECK(ov_shape_implicit(&s, p, &f) >= 0);
        long double direct = direct_implicit(&s, widen(p));
        // a power of what is rounded: the point itself is worth 1/e2 units in the last place
        double size = 1.0 + fabs((double)direct), zeta = pow(fabs(p.z) / s.a.z, 2.0 / s.e2);
        size += s.kind == OV_SHAPE_KIND_BENT ? 0.0 : zeta;
        double hole = s.kind == OV_SHAPE_KIND_SUPERTOROID ? s.u.toroid.hole : 1.0;
        double error = fabs((double)(f.value - direct)) / (size / s.e2 * (1.0 + hole));
        worst[i % KINDS] = fmax(worst[i % KINDS], error);
        CHECK_NEAR(error, 0.0, 1e-13);
    }
    check_worst("F of one sheet against long double", worst[0], 1e-13);
    check_worst("F of two sheets against long double", worst[1], 1e-13);
    check_worst("F of supertoroids against long double", worst[2], 1e-13);
    check_worst("F of bent bodies against long double", worst[3], 1e-13);
}

static point_l moved(ov_vec3 p, int axis, long double step) {
    point_l q = widen(p);
    (axis == 0 ? &q.x : axis == 1 ? &q.y : &q.z)[0] += step;
    return q;
}

static double component(ov_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static double matrix_scale(const ov_mat3 *m) {
    return ov_vec3_length(m->cx) + ov_vec3_length(m->cy) + ov_vec3_length(m->cz);
}

/** Distance of a point from the places where F has no third derivative, in units of the axes. */
static double clearance(const ov_shape *s, ov_vec3 p) {
    point_l q = widen(p);
    if (s->kind == OV_SHAPE_KIND_BENT) {
        q = direct_unbend(s, q);
    }
    double u = fabs((double)q.x / s->a.x), v = fabs((double)q.y / s->a.y),
           w = fabs((double)q.z / s->a.z);
    double clear = fmin(u, fmin(v, w));
    if (s->kind == OV_SHAPE_KIND_SUPERTOROID) {
        double m = (double)section_norm(s, q.x / s->a.x, q.y / s->a.y);
        clear = fmin(clear, fabs(m - s->u.toroid.hole));
    }
    return s->kind == OV_SHAPE_KIND_BENT ? fmin(clear, fabs(w - 1.0)) : clear;
}

/**
 * Central differences: of F in long double for the gradient, of the gradient for the Hessian, so
 * that neither loses more than half of its digits.
 */
static void test_implicit_derivatives(void) {
    check_random r = check_random_make(302);
    double worst_1[KINDS] = {0.0}, worst_2[KINDS] = {0.0};
    int tried[KINDS] = {0};
    for (int i = 0; i < 6000; i++) {
        ov_shape s = random_shape(&r, i);
        ov_vec3 p = random_point(&r, &s);
        double clear = clearance(&s, p);
        if (clear < 0.02) {
            continue;
        }
        tried[i % KINDS]++;
        ov_field f;
        CHECK_OK(ov_shape_implicit(&s, p, &f));
        double size = fmin(s.a.x, fmin(s.a.y, s.a.z)),
               step = 1e-4 * size * clear * fmin(1.0, s.e1) * fmin(1.0, s.e2);
        double scale_1 = ov_vec3_length(f.gradient),
               scale_2 = matrix_scale(&f.hessian) + scale_1 / size;
        for (int axis = 0; axis < 3; axis++) {
            long double up = direct_implicit(&s, moved(p, axis, step));
            long double down = direct_implicit(&s, moved(p, axis, -step));
            double slope = (double)((up - down) / (2.0L * step));
            double noise = 1e-19 * fabs(f.value) / (step * scale_1); // of the differences
            double error = fabs(slope - component(f.gradient, axis)) / scale_1 - noise;
            worst_1[i % KINDS] = fmax(worst_1[i % KINDS], error);
            CHECK(error <= 1e-6);
            double wide = 10.0 * step;
            point_l hi = moved(p, axis, wide), lo = moved(p, axis, -wide);
            ov_field fh, fl;
            CHECK(ov_shape_implicit(&s, ov_vec3_make((double)hi.x, (double)hi.y, (double)hi.z),
                                    &fh) == 0);
            CHECK(ov_shape_implicit(&s, ov_vec3_make((double)lo.x, (double)lo.y, (double)lo.z),
                                    &fl) == 0);
            ov_vec3 bend = ov_vec3_scale(ov_vec3_sub(fh.gradient, fl.gradient), 0.5 / wide);
            ov_vec3 column = axis == 0 ? f.hessian.cx : axis == 1 ? f.hessian.cy : f.hessian.cz;
            error = ov_vec3_length(ov_vec3_sub(bend, column)) / scale_2;
            worst_2[i % KINDS] = fmax(worst_2[i % KINDS], error);
            CHECK_NEAR(error, 0.0, 1e-6);
        }
        CHECK(f.hessian.cx.y == f.hessian.cy.x ||
              fabs(f.hessian.cx.y - f.hessian.cy.x) <= 1e-12 * scale_2);
    }
    const char *gradients[KINDS] = {"gradient of one sheet", "gradient of two sheets",
                                    "gradient of supertoroids", "gradient of bent bodies"};
    const char *hessians[KINDS] = {"Hessian of one sheet", "Hessian of two sheets",
                                   "Hessian of supertoroids", "Hessian of bent bodies"};
    for (int k = 0; k < KINDS; k++) {
        CHECK(tried[k] > 500);
        check_worst(gradients[k], worst_1[k], 1e-6);
        check_worst(hessians[k], worst_2[k], 1e-6);
    }
}

/** On coordinate planes, axes and centres: the right status, the right limits, never a NaN. */
static void test_not_smooth(void) {
    const ov_vec3 a = {1.0, 2.0, 0.5};
    for (int i = 0; i < EXPONENTS * EXPONENTS; i++) {
        double e1 = exponents[i % EXPONENTS], e2 = exponents[i / EXPONENTS];
        ov_shape s[KINDS];
        CHECK_OK(ov_shape_make_superhyperboloid_1(a, e1, e2, 1.0, &s[0]));
        CHECK_OK(ov_shape_make_superhyperboloid_2(a, e1, e2, 1.0, &s[1]));
        CHECK_OK(ov_shape_make_supertoroid(a, e1, e2, 2.0, &s[2]));
        CHECK_OK(ov_shape_make_bent(a, e1, e2, 0.2, -0.2, 0.1, 0.3, &s[3]));
        for (int k = 0; k < KINDS; k++) {
            for (int zeros = 0; zeros < 8; zeros++) {
                ov_vec3 p = {zeros & 1 ? 0.0 : 0.4, zeros & 2 ? 0.0 : -0.7, zeros & 4 ? 0.0 : 0.3};
                ov_field f;
                ov_status status = ov_shape_implicit(&s[k], p, &f);
                CHECK(status == OV_OK || status == OV_NOT_SMOOTH);
                CHECK(isfinite(f.value) && ov_vec3_is_finite(f.gradient));
                CHECK(ov_vec3_is_finite(f.hessian.cx) && ov_vec3_is_finite(f.hessian.cy) &&
                      ov_vec3_is_finite(f.hessian.cz));
                if (k < 3) {
                    bool across = e1 > 1.0 && (zeros & 3) != 0 && (zeros & 3) != 3;
                    bool flat = e2 > 1.0 && (zeros & 4) != 0;
                    // m^p2 on the axis z is a quadratic, flat, or has no second derivative
                    bool axis =
                        (zeros & 3) == 3 && (k == 2 || (e2 >= 1.0 && !(e1 == 1.0 && e2 == 1.0)));
                    CHECK_STATUS(status, across || flat || axis ? OV_NOT_SMOOTH : OV_OK);
                }
            }
        }
    }
    // the round hyperboloid is a quadratic, on its axis too
    ov_shape s;
    ov_field f;
    CHECK_OK(ov_shape_make_superhyperboloid_1(a, 1.0, 1.0, 1.0, &s));
    CHECK_OK(ov_shape_implicit(&s, ov_vec3_make(0.0, 0.0, 0.0), &f));
    CHECK(f.hessian.cx.x == 2.0 && f.hessian.cy.y == 0.5 && f.hessian.cz.z == -8.0);
    // the line that a body is bent about
    CHECK_OK(ov_shape_make_bent(a, 1.0, 1.0, 0.0, 0.0, 0.25, 0.0, &s));
    CHECK_STATUS(ov_shape_implicit(&s, ov_vec3_make(4.0, 0.3, 0.0), &f), OV_NOT_SMOOTH);
    CHECK_STATUS(ov_shape_implicit(&s, ov_vec3_make(9.0, 0.3, 0.0), &f), OV_NOT_SMOOTH);
    CHECK(f.value > 1.0 && isfinite(f.value));
}

/** Far away, where the powers overflow: infinite of the right sign, and no NaN. */
static void test_overflow(void) {
    const ov_vec3 far[] = {{1e99, 1e90, 0.0},
                           {0.0, -1e99, 1e99},
                           {0.0, 0.0, 1e99},
                           {1e99, 1e99, 1e99},
                           {-1e99, 0.0, 1e98}};
    check_random r = check_random_make(303);
    for (int i = 0; i < 2000; i++) {
        ov_shape s = random_shape(&r, i);
        for (int k = 0; k < 5; k++) {
            ov_field f;
            bool inside = true;
            CHECK(ov_shape_implicit(&s, far[k], &f) >= 0);
            CHECK(!isnan(f.value));
            CHECK(!isnan(f.gradient.x) && !isnan(f.gradient.y) && !isnan(f.gradient.z));
            CHECK(!isnan(f.hessian.cx.x) && !isnan(f.hessian.cy.y) && !isnan(f.hessian.cz.z) &&
                  !isnan(f.hessian.cx.y) && !isnan(f.hessian.cx.z) && !isnan(f.hessian.cy.z));
            CHECK_OK(ov_shape_contains(&s, far[k], &inside));
            CHECK(!inside);
        }
    }
}

/* ---- surface */

static void test_surface(void) {
    check_random r = check_random_make(304);
    double worst_on = 0.0, worst_normal = 0.0, worst_tangent = 0.0;
    for (int i = 0; i < 8000; i++) {
        ov_shape s = random_shape(&r, i);
        bool hyperboloid = i % KINDS < 2;
        ov_spacing spacing = hyperboloid || i % 8 < 4 ? OV_SPACING_ANGLE_CENTRE : OV_SPACING_EQUAL;
        double limit = hyperboloid ? 1.2 : (s.kind == OV_SHAPE_KIND_SUPERTOROID ? M_PI : M_PI_2);
        double phi1 = check_uniform(&r, -M_PI, M_PI), phi2 = check_uniform(&r, -limit, limit);
        ov_surface_point q;
        CHECK_OK(ov_shape_surface(&s, spacing, phi1, phi2, &q));
        // on the surface: F is off by no more than its slope times the rounding of the point
        ov_field f;
        CHECK(ov_shape_implicit(&s, q.point, &f) >= 0);
        double slope = ov_vec3_length(f.gradient),
               size = ov_vec3_length(q.point) + s.a.x + s.a.y + s.a.z;
        double off =
            (double)fabsl(direct_implicit(&s, widen(q.point)) - 1.0L) / (slope * size + 1.0);
        worst_on = fmax(worst_on, off);
        CHECK_NEAR(off, 0.0, 1e-14);
        // unit frame, normal across both tangents, and the normal that of F
        CHECK_NEAR(ov_vec3_length(q.normal), 1.0, 1e-14);
        CHECK_NEAR(ov_vec3_length(q.tangent1), 1.0, 1e-14);
        CHECK_NEAR(ov_vec3_length(q.tangent2), 1.0, 1e-14);
        double lean =
            fmax(fabs(ov_vec3_dot(q.normal, q.tangent1)), fabs(ov_vec3_dot(q.normal, q.tangent2)));
        worst_tangent = fmax(worst_tangent, lean);
        CHECK_NEAR(lean, 0.0, 1e-13);
        CHECK(ov_vec3_dot(ov_vec3_cross(q.tangent1, q.tangent2), q.normal) > 0.0);
        double turn = ov_vec3_length(ov_vec3_sub(q.normal, ov_vec3_scale(f.gradient, 1.0 / slope)));
        // at sharp corners the normal turns with the rounding of the point
        double allowed = 1e-13 * (1.0 + size * matrix_scale(&f.hessian) / slope);
        worst_normal = fmax(worst_normal, turn / allowed * 1e-13);
        CHECK_NEAR(turn, 0.0, allowed);
        bool inside;
        CHECK_OK(ov_shape_contains(&s, q.point, &inside));
        CHECK(inside || (hyperboloid && fabs(q.point.z) > s.u.hyperboloid.height));
    }
    check_worst("surface points off the surface", worst_on, 1e-14);
    check_worst("normal against the gradient of F", worst_normal, 1e-13);
    check_worst("tangents against the normal", worst_tangent, 1e-13);
}

/** Tangents by differences of the surface itself. */
static void test_tangents(void) {
    check_random r = check_random_make(305);
    double worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        ov_shape s = random_shape(&r, i);
        double phi1 = check_uniform(&r, 0.2, 1.3) + M_PI_2 * (i / KINDS % 4 - 2);
        double phi2 = check_uniform(&r, 0.2, 1.2) * (i / 16 % 2 ? 1.0 : -1.0), h = 1e-6;
        ov_surface_point q, up, down;
        for (int k = 0; k < 2; k++) {
            double d1 = k == 0 ? h : 0.0, d2 = k == 1 ? h : 0.0;
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, phi1, phi2, &q));
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, phi1 + d1, phi2 + d2, &up));
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, phi1 - d1, phi2 - d2, &down));
            ov_vec3 t = ov_vec3_sub(up.point, down.point);
            double length = ov_vec3_length(t), size = ov_vec3_length(q.point);
            double error = ov_vec3_length(
                ov_vec3_sub(ov_vec3_scale(t, 1.0 / length), k == 0 ? q.tangent1 : q.tangent2));
            // at e = 0.05 points move so little that the difference is mostly rounding
            double noise = 4e-16 * size / length;
            worst = fmax(worst, error - noise);
            CHECK_NEAR(error, 0.0, 1e-7 + noise);
        }
    }
    check_worst("tangents against differences", worst, 1e-7);
}

static void test_surface_limits(void) {
    ov_shape s;
    ov_surface_point q;
    const ov_vec3 a = {2.0, 1.0, 0.5};
    for (int i = 0; i < EXPONENTS * EXPONENTS; i++) {
        double e1 = exponents[i % EXPONENTS], e2 = exponents[i / EXPONENTS];
        CHECK_OK(ov_shape_make_superhyperboloid_2(a, e1, e2, 1.0, &s));
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, 0.3, 0.0, &q));
        CHECK(q.point.x == 0.0 && q.point.y == 0.0 && q.point.z == 0.5 && q.normal.z == -1.0);
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, 0.3, -0.0, &q));
        CHECK(q.point.z == -0.5 && q.normal.z == 1.0);
        CHECK_STATUS(ov_shape_surface(&s, OV_SPACING_EQUAL, 0.3, 0.1, &q), OV_ERROR_UNSUPPORTED);
        CHECK_STATUS(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, 0.3, M_PI_2, &q),
                     OV_ERROR_OPTION);
        CHECK_OK(ov_shape_make_superhyperboloid_1(a, e1, e2, 1.0, &s));
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, M_PI_2, 0.0, &q));
        CHECK(q.point.x == 0.0 && q.point.y == 1.0 && q.point.z == 0.0 && q.normal.y == 1.0);
        CHECK(q.tangent1.x == -1.0 && q.tangent2.z == 1.0);
        CHECK_OK(ov_shape_make_supertoroid(a, e1, e2, 3.0, &s));
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_EQUAL, -M_PI, M_PI, &q));
        CHECK(q.point.x == -4.0 && q.point.y == 0.0 && q.point.z == 0.0 && q.normal.x == 1.0);
    }
}

/* ---- the bend */

static void test_bend(void) {
    check_random r = check_random_make(306);
    double worst = 0.0, worst_length = 0.0;
    for (int i = 0; i < 3000; i++) {
        // 3 is the bent kind in random_shape
        ov_shape s = random_shape(&r, 4 * i + 3), straight = s;
        straight.u.bent.curvature = 0.0;
        double phi1 = check_uniform(&r, -M_PI, M_PI), phi2 = check_uniform(&r, -M_PI_2, M_PI_2);
        ov_surface_point q, before;
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_EQUAL, phi1, phi2, &q));
        CHECK_OK(ov_shape_surface(&straight, OV_SPACING_EQUAL, phi1, phi2, &before));
        point_l back = direct_unbend(&s, widen(q.point)),
                there = direct_bend(&s, widen(before.point));
        double size = ov_vec3_length(before.point) + ov_vec3_length(q.point);
        double error = (double)(fabsl(back.x - before.point.x) + fabsl(back.y - before.point.y) +
                                fabsl(back.z - before.point.z) + fabsl(there.x - q.point.x) +
                                fabsl(there.y - q.point.y) + fabsl(there.z - q.point.z)) /
                       size;
        // a bend that leaves 1 - k r of the thickness also magnifies rounding by its inverse
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-13);
        // the axis keeps its length: its ends are at the angle k a3 of a circle of radius 1/k
        ov_surface_point pole;
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_EQUAL, 0.0, M_PI_2, &pole));
        double k = s.u.bent.curvature, chord = fabs(2.0 * sin(0.5 * k * s.a.z) / k);
        worst_length = fmax(worst_length, fabs(ov_vec3_length(pole.point) / chord - 1.0));
        CHECK_NEAR(ov_vec3_length(pole.point) / chord, 1.0, 1e-13);
    }
    check_worst("bend and unbend against 1/k formulas, relative", worst, 1e-13);
    check_worst("chord of the bent axis, relative", worst_length, 1e-13);
}

/** Towards k = 0 all goes to the straight body, with the first term of the bend as k z^2/2. */
static void test_small_bend(void) {
    const double curvatures[] = {0.0, 5e-324, 1e-310, 1e-200, 1e-30, 1e-17, 1e-12, 1e-9, 1e-7};
    check_random r = check_random_make(307);
    double worst = 0.0;
    for (int i = 0; i < 900; i++) {
        double k = curvatures[i % 9] * (i % 2 ? 1.0 : -1.0), angle = check_uniform(&r, -3.0, 3.0);
        double e1 = check_uniform(&r, 0.2, 1.9), e2 = check_uniform(&r, 0.2, 1.9);
        ov_shape bent, straight;
        ov_vec3 a = {1.0, 0.7, 2.0};
        CHECK_OK(ov_shape_make_bent(a, e1, e2, 0.2, 0.1, k, angle, &bent));
        CHECK_OK(
            ov_shape_make_superovoid(a, e1, e2, 0.2, 0.1, &(ov_shape_options){1.0}, &straight));
        double phi1 = check_uniform(&r, -M_PI, M_PI), phi2 = check_uniform(&r, -M_PI_2, M_PI_2);
        ov_surface_point p, q;
        CHECK_OK(ov_shape_surface(&bent, OV_SPACING_EQUAL, phi1, phi2, &p));
        CHECK_OK(ov_shape_surface(&straight, OV_SPACING_EQUAL, phi1, phi2, &q));
        double z = q.point.z, rr = q.point.x * cos(angle) + q.point.y * sin(angle),
               shift = 0.5 * k * z * z;
        ov_vec3 expected = {q.point.x + cos(angle) * shift, q.point.y + sin(angle) * shift,
                            z - k * rr * z};
        double error = ov_vec3_length(ov_vec3_sub(p.point, expected)) / (1.0 + 1e16 * k * k);
        error =
            fmax(error, ov_vec3_length(ov_vec3_sub(p.normal, q.normal)) / (1.0 + 1e16 * fabs(k)));
        ov_field f, g;
        CHECK_OK(ov_shape_implicit(&bent, p.point, &f));
        CHECK_OK(ov_shape_implicit(&straight, q.point, &g));
        error = fmax(error, ov_vec3_length(ov_vec3_sub(f.gradient, g.gradient)) /
                                (ov_vec3_length(g.gradient) + matrix_scale(&g.hessian)) /
                                (1.0 + 1e16 * fabs(k)));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 4e-15);
    }
    check_worst("small bends against their first term", worst, 4e-15);
}

/* ---- containment and boxes */

static void test_contains(void) {
    check_random r = check_random_make(308);
    long inside_count = 0, tried = 0;
    for (int i = 0; i < 20000; i++) {
        ov_shape s = random_shape(&r, i);
        ov_vec3 p = random_point(&r, &s);
        long double f = direct_implicit(&s, widen(p));
        if (fabsl(f - 1.0L) < 1e-9L) {
            continue;
        }
        bool inside, expected = f < 1.0L;
        if (i % KINDS < 2) {
            expected = expected && fabs(p.z) <= s.u.hyperboloid.height;
        }
        CHECK_OK(ov_shape_contains(&s, p, &inside));
        CHECK(inside == expected);
        inside_count += inside;
        tried++;
    }
    CHECK(inside_count > tried / 20 && inside_count < tried);
    // the centre of a ring is outside, that of a waisted column inside, between two bowls outside
    ov_shape s;
    bool inside;
    ov_vec3 a = {1.0, 1.0, 1.0}, centre = {0.0, 0.0, 0.0};
    CHECK_OK(ov_shape_make_supertoroid(a, 1.0, 1.0, 1.5, &s));
    CHECK_OK(ov_shape_contains(&s, centre, &inside));
    CHECK(!inside);
    CHECK_OK(ov_shape_make_superhyperboloid_1(a, 1.0, 1.0, 2.0, &s));
    CHECK_OK(ov_shape_contains(&s, centre, &inside));
    CHECK(inside);
    CHECK_OK(ov_shape_contains(&s, ov_vec3_make(0.0, 0.0, 2.0), &inside));
    CHECK(inside);
    CHECK_OK(ov_shape_contains(&s, ov_vec3_make(0.0, 0.0, 2.0 + 1e-9), &inside));
    CHECK(!inside);
    CHECK_OK(ov_shape_make_superhyperboloid_2(a, 1.0, 1.0, 2.0, &s));
    CHECK_OK(ov_shape_contains(&s, centre, &inside));
    CHECK(!inside);
    CHECK_OK(ov_shape_contains(&s, ov_vec3_make(0.0, 0.0, -1.5), &inside));
    CHECK(inside);
}

/** Largest phi2 of the body's surface: for hyperboloids just below the cut. */
static double box_limit(const ov_shape *s) {
    double h = s->u.hyperboloid.height / s->a.z, below = 1.0 - 1e-12;
    switch (s->kind) {
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return below * atan(pow(h, 1.0 / s->e2));
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return below * acos(pow(h, -1.0 / s->e2));
    default:
        return s->kind == OV_SHAPE_KIND_SUPERTOROID ? M_PI : M_PI_2;
    }
}

/** Every surface point within the box, at random poses too, and the box not much too large. */
static void test_box(void) {
    check_random r = check_random_make(309);
    for (int i = 0; i < 400; i++) {
        ov_shape s = random_shape(&r, i);
        ov_pose pose = {check_unit_vector(&r), check_rotation(&r)};
        ov_aabb own, box;
        CHECK_OK(ov_shape_aabb(&s, ov_pose_identity(), &own));
        CHECK_OK(ov_shape_aabb(&s, pose, &box));
        ov_vec3 lo = {1e300, 1e300, 1e300}, hi = {-1e300, -1e300, -1e300};
        double limit = box_limit(&s);
        for (int k = 0; k < 200; k++) {
            // every fourth at an end, where the rims of hyperboloids are
            double phi2 = k % 4 ? check_uniform(&r, -limit, limit) : (k % 8 ? limit : -limit);
            ov_surface_point q;
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, check_uniform(&r, -M_PI, M_PI),
                                      phi2, &q));
            ov_vec3 p = q.point;
            if (i % KINDS < 2 && fabs(p.z) > s.u.hyperboloid.height) {
                continue;
            }
            ov_vec3 w = ov_pose_apply(pose, p);
            CHECK(w.x >= box.min.x && w.y >= box.min.y && w.z >= box.min.z && w.x <= box.max.x &&
                  w.y <= box.max.y && w.z <= box.max.z);
            CHECK(p.x >= own.min.x && p.y >= own.min.y && p.z >= own.min.z && p.x <= own.max.x &&
                  p.y <= own.max.y && p.z <= own.max.z);
            lo = ov_vec3_make(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
            hi = ov_vec3_make(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
        }
        ov_vec3 tight = ov_vec3_sub(hi, lo), given = ov_vec3_sub(own.max, own.min);
        CHECK(given.x < 3.0 * tight.x && given.y < 3.0 * tight.y && given.z < 3.0 * tight.z);
    }
}

/* ---- constructors */

static void test_bad_input(void) {
    const double inf = (double)INFINITY, nan = (double)NAN;
    const ov_vec3 a = {1.0, 2.0, 3.0};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    for (int k = 0; k < KINDS; k++) {
#define MAKE(axes, e1, e2, out)                                                                    \
    (k == 0   ? ov_shape_make_superhyperboloid_1(axes, e1, e2, 4.0, out)                           \
     : k == 1 ? ov_shape_make_superhyperboloid_2(axes, e1, e2, 4.0, out)                           \
     : k == 2 ? ov_shape_make_supertoroid(axes, e1, e2, 2.0, out)                                  \
              : ov_shape_make_bent(axes, e1, e2, 0.1, 0.1, 0.1, 0.0, out))
        CHECK_STATUS(MAKE(a, 1.0, 1.0, NULL), OV_ERROR_NULL);
        CHECK_STATUS(MAKE(((ov_vec3){nan, 1, 1}), 1.0, 1.0, &s), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(MAKE(((ov_vec3){1, -1, 1}), 1.0, 1.0, &s), OV_ERROR_SIZE_NOT_POSITIVE);
        CHECK_STATUS(MAKE(((ov_vec3){1, 1, 0}), 1.0, 1.0, &s), OV_ERROR_SIZE_NOT_POSITIVE);
        CHECK_STATUS(MAKE(((ov_vec3){1e70, 1, 1}), 1.0, 1.0, &s), OV_ERROR_SIZE_RANGE);
        CHECK_STATUS(MAKE(((ov_vec3){1, 1e-70, 1}), 1.0, 1.0, &s), OV_ERROR_SIZE_RANGE);
        CHECK_STATUS(MAKE(a, 0.0, 1.0, &s), OV_ERROR_EXPONENT);
        CHECK_STATUS(MAKE(a, 1.0, 2.5, &s), OV_ERROR_EXPONENT);
        CHECK_STATUS(MAKE(a, -1.0, 1.0, &s), OV_ERROR_EXPONENT);
        CHECK_STATUS(MAKE(a, 1.0, nan, &s), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(MAKE(a, inf, 1.0, &s), OV_ERROR_NOT_FINITE);
#undef MAKE
    }
    CHECK_STATUS(ov_shape_make_superhyperboloid_1(a, 1, 1, nan, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_superhyperboloid_1(a, 1, 1, 0.0, &s), OV_ERROR_SIZE_NOT_POSITIVE);
    CHECK_STATUS(ov_shape_make_superhyperboloid_2(a, 1, 1, -4.0, &s), OV_ERROR_SIZE_NOT_POSITIVE);
    CHECK_STATUS(ov_shape_make_superhyperboloid_2(a, 1, 1, 3.0, &s), OV_ERROR_HEIGHT);
    CHECK_STATUS(ov_shape_make_superhyperboloid_2(a, 1, 1, 2.0, &s), OV_ERROR_HEIGHT);
    CHECK_STATUS(ov_shape_make_superhyperboloid_2(a, 1, 1, inf, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_superhyperboloid_1((ov_vec3){1e50, 1, 1e-30}, 1, 1, 1.0, &s),
                 OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_make_supertoroid(a, 1, 1, 1.0, &s), OV_ERROR_HOLE);
    CHECK_STATUS(ov_shape_make_supertoroid(a, 1, 1, -5.0, &s), OV_ERROR_HOLE);
    CHECK_STATUS(ov_shape_make_supertoroid(a, 1, 1, nan, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_supertoroid(a, 1, 1, 1e61, &s), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 1.0, 0, 0.1, 0, &s), OV_ERROR_TAPER);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, -1.5, 0.1, 0, &s), OV_ERROR_TAPER);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, nan, 0.1, 0, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, 0, inf, 0, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, 0, 0.1, nan, &s), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, 0, 1.0, 0, &s), OV_ERROR_BEND);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, 0, -1.001, 0, &s), OV_ERROR_BEND);
    CHECK_STATUS(ov_shape_make_bent(a, 1, 1, 0, 0, 0.501, M_PI_2, &s), OV_ERROR_BEND);
    CHECK_STATUS(ov_shape_make_bent((ov_vec3){1, 1, 40}, 1, 1, 0, 0, 0.08, 0, &s), OV_ERROR_BEND);
    CHECK(s.kind == OV_SHAPE_KIND_NONE);
    CHECK_OK(ov_shape_make_bent(a, 1, 1, 0, 0, 0.999, 0, &s));
    CHECK_OK(ov_shape_make_bent((ov_vec3){1, 1, 40}, 1, 1, 0, 0, -0.078, 0, &s));
    // what pair queries and convex bodies have, these have not
    ov_support support;
    ov_mass mass;
    double value;
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0, 0, 1), &support), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_gauge_value(&s, a, &value), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mass(&s, 1.0, &mass), OV_ERROR_UNSUPPORTED);
    CHECK(!ov_shape_is_convex(s.kind));
}

/** The reach that the bend is held against, by a dense scan of the straight surface. */
static void test_bend_limit(void) {
    check_random r = check_random_make(310);
    for (int i = 0; i < 300; i++) {
        ov_vec3 a = {check_uniform(&r, 0.2, 1.0), check_uniform(&r, 0.2, 1.0), 0.1};
        double e1 = check_uniform(&r, 0.1, 2.0), e2 = check_uniform(&r, 0.1, 2.0);
        double tx = check_uniform(&r, -0.9, 0.9), ty = check_uniform(&r, -0.9, 0.9);
        double angle = check_uniform(&r, -M_PI, M_PI), reach = 0.0;
        ov_shape straight, s;
        CHECK_OK(ov_shape_make_bent(a, e1, e2, tx, ty, 0.0, angle, &straight));
        for (int k = 0; k < 4000; k++) {
            ov_surface_point q;
            CHECK_OK(ov_shape_surface(&straight, OV_SPACING_EQUAL, check_uniform(&r, -M_PI, M_PI),
                                      check_uniform(&r, -M_PI_2, M_PI_2), &q));
            reach = fmax(reach, q.point.x * cos(angle) + q.point.y * sin(angle));
        }
        CHECK_STATUS(ov_shape_make_bent(a, e1, e2, tx, ty, 1.0 / reach, angle, &s), OV_ERROR_BEND);
        CHECK_OK(ov_shape_make_bent(a, e1, e2, tx, ty, 0.9 / reach, angle, &s));
    }
}

int main(void) {
    check_suite = "nonconvex";
    RUN(test_implicit_value);
    RUN(test_implicit_derivatives);
    RUN(test_not_smooth);
    RUN(test_overflow);
    RUN(test_surface);
    RUN(test_tangents);
    RUN(test_surface_limits);
    RUN(test_bend);
    RUN(test_small_bend);
    RUN(test_contains);
    RUN(test_box);
    RUN(test_bad_input);
    RUN(test_bend_limit);
    return check_finish();
}
