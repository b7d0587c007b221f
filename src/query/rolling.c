/**
 * @file rolling.c
 * @brief Balls that roll inside smooth bodies: what makes a shallow local depth the least of all.
 *
 * A ball whose radius is no more than any radius of curvature of a convex body rolls everywhere
 * inside its surface (Blaschke): it touches there at each point and is held by the body. So two
 * witness points p with their normals n give a ball of each body, about c = p - rho n, and as the
 * depth of bodies is no less than that of what they hold,
 *
 *     gap(A, B) <= |cB - cA| - rhoA - rhoB
 *
 * At a stationary depth d <= rhoA + rhoB the right side is -d: the depth found is the least of all
 * directions, and no search is needed. A surface with a dent is bounded by its hull, which
 * bends no more than the surface does where they meet, and not at all elsewhere.
 *
 * The radius. For unit axes and no taper it is next to that of the flatter exponent's superellipse
 * at its diagonal, (the largest curvature of |u|^(2/e) + |v|^(2/e) = 1, e <= 1),
 *
 *     r(e) = 2^((1-e)/2) e/(2-e) >= (1 + (1-e) ln 2/2) e/(2-e)
 *
 * and no less than 0.99 of it, by a sweep over both exponents (tests/test_rolling.c); a margin of a
 * tenth is taken off. That is no proof: only for ellipsoids, whose least radius is known exactly,
 * the bound is handed out as one. For e > 1 there are edges, and no ball.
 *
 * With axes and taper: let J be the derivative of (X, Y, zeta) = (x/(a1 f1), y/(a2 f2), z/a3), and
 * F half the square of the gauge as a function of these. Along a straight line X'' = -2 alpha zeta'
 * X' with alpha = tx/f1, and likewise Y'' with beta. So for a unit tangent t and T = J t, the
 * curvature is
 *
 *     (T.F''T - 2 zeta' (alpha F_X X' + beta F_Y Y')) / |J^T F'|
 *
 * Its first term is at most |T|^2 |F'|/r. In the second, F_X X' + F_Y Y' = -F_zeta zeta' for a
 * tangent, so the mean of alpha and beta makes 2 mean zeta'^2 F_zeta of it, which is positive on
 * the wide side only, and their half difference no more than |alpha - beta|/2 |T|^2 |F'|. Hence
 *
 *     curvature <= (1/r + 2 max(0, alpha sgn(zeta), beta sgn(zeta)) + |alpha - beta|/2)
 *                  |J|^2 |J^-1|
 *
 * which is taken for the lower and the upper half of the body, each with its own range of f1, f2.
 */
#include "smooth.h"

/** Least radius of curvature for unit axes and no taper; e <= 1. */
static double unit_radius(double e) { return 0.9 * (1.0 + 0.34 * (1.0 - e)) * e / (2.0 - e); }

/** Largest eigenvalue of a symmetric matrix: the square of a norm. */
static double norm_square(double xx, double xy, double yy) {
    double half = 0.5 * (xx - yy);
    return 0.5 * (xx + yy) + sqrt(half * half + xy * xy);
}

/** A bound of the curvature above (side 1) or below (-1) the equator; `radius` as if unit axes. */
static double half_curvature(const ov_shape *s, double radius, double side) {
    double tx = side * s->tx, ty = side * s->ty, a3 = s->a.z;
    // least and largest factors of this half
    double x0 = 1.0 + (tx < 0.0 ? tx : 0.0), x1 = 1.0 + (tx > 0.0 ? tx : 0.0);
    double y0 = 1.0 + (ty < 0.0 ? ty : 0.0), y1 = 1.0 + (ty > 0.0 ? ty : 0.0);
    double narrow = s->a.x * x0 < s->a.y * y0 ? s->a.x * x0 : s->a.y * y0;
    double wide = s->a.x * x1 > s->a.y * y1 ? s->a.x * x1 : s->a.y * y1;
    double alpha = fabs(tx) / x0, beta = fabs(ty) / y0, rise = tx > ty ? tx : ty;
    // |(X alpha, Y beta)|, the chord of 2^((1-e)/2) for the largest |(X, Y)|
    double shear = (alpha > beta ? alpha : beta) * (1.4143 - 0.4142 * s->e1);
    double bend = 1.0 / radius + 2.0 * (rise > 0.0 ? rise : 0.0) + 0.5 * fabs(tx - ty) / (x0 * y0);
    double i = 1.0 / narrow, k = 1.0 / a3, w = wide * wide, more = 1.0 + shear * shear;
    double there = norm_square(i * i, shear * i * k, more * k * k);
    double back = norm_square(w, shear * w, shear * shear * w + a3 * a3);
    return bend * there * sqrt(back);
}

double ovi_rolling_radius(const ov_shape *s) {
    double e = s->e1 > s->e2 ? s->e1 : s->e2;
    if (e > 1.0) {
        return 0.0;
    }
    double least = s->a.x < s->a.y ? s->a.x : s->a.y, most = s->a.x < s->a.y ? s->a.y : s->a.x;
    least = least < s->a.z ? least : s->a.z;
    most = most > s->a.z ? most : s->a.z;
    if (s->kind <= OV_SHAPE_KIND_ELLIPSOID) {
        return (1.0 - 1e-14) * least * least / most;
    }
    double radius = unit_radius(s->e1 < s->e2 ? s->e1 : s->e2);
    if (s->kind == OV_SHAPE_KIND_SUPERELLIPSOID) {
        return radius * least * least / most;
    }
    double below = half_curvature(s, radius, -1.0), above = half_curvature(s, radius, 1.0);
    return 1.0 / (below > above ? below : above);
}

double ovi_rolling_gap(const ovi_pair *p, const ovi_walk_end *e) {
    double ra = ovi_rolling_radius(p->a), rb = ovi_rolling_radius(p->b);
    ov_vec3 d = ov_vec3_sub(e->point_b, e->point_a);
    d = ov_vec3_add_scaled(ov_vec3_add_scaled(d, e->normal_b, -rb), e->normal_a, ra);
    return sqrt(ov_vec3_dot(d, d)) - ra - rb + p->rounding;
}

double ovi_rolling_bound(const ovi_pair *p, double rolling_gap) {
    bool proven = p->a->kind <= OV_SHAPE_KIND_ELLIPSOID && p->b->kind <= OV_SHAPE_KIND_ELLIPSOID;
    return proven ? rolling_gap : INFINITY;
}
