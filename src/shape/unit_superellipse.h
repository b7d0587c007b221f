/**
 * @file unit_superellipse.h
 * @brief The unit superellipse |u|^p + |v|^p = 1: section and profile of every superquadric.
 *
 * By angle there are two ways to run along it. Angle-centre [Benchmark, eq. 9]: (u, v) = (c^e, s^e)
 * with c, s the cosine and sine of the angle. Nearly equal spacing [SQMap, eq. 9-10]: tan^(1/e)
 * inside c^e, s^e makes the angle that of the ray from the centre, so the point is (c, s)/N_p(c,
 * s); this form has no quadrant to add or subtract and no pole of the tangent.
 *
 * Cosine and sine come from the angle with pi taken as the double that is nearest to it. Without
 * that the cosine of "pi/2" would be 6e-17, and its power at e = 0.05 a coordinate of 0.15.
 *
 * By ray: searches over the height of a profile take even steps of the ray (1 - |u|, u), u from -1
 * to 1, which are fine enough at the poles and at the equator for every exponent.
 */
#ifndef OVI_UNIT_SUPERELLIPSE_H
#define OVI_UNIT_SUPERELLIPSE_H

#include <ovoid/shape.h>

#include "../math/p_norm.h"

#define OVI_PI 3.14159265358979323846

/* ---- by angle */

/** Cosine and sine of an angle. */
typedef struct ovi_cos_sin {
    double c, s;
} ovi_cos_sin;

/** By `quarters` times 90 degrees further; 0 - x, so that zeros stay positive. */
static inline ovi_cos_sin ovi_cos_sin_quarters(ovi_cos_sin t, unsigned quarters) {
    switch (quarters % 4) {
    case 1:
        return (ovi_cos_sin){0.0 - t.s, t.c};
    case 2:
        return (ovi_cos_sin){0.0 - t.c, 0.0 - t.s};
    case 3:
        return (ovi_cos_sin){t.s, 0.0 - t.c};
    default:
        return t;
    }
}

/** Of any finite angle; multiples of pi/2, as doubles, give exact zeros and ones. */
static inline ovi_cos_sin ovi_cos_sin_of_angle(double angle_rad) {
    double within = remainder(angle_rad, 2.0 * OVI_PI);
    double quarters = nearbyint(within / (0.5 * OVI_PI));
    double rest = within - quarters * (0.5 * OVI_PI);
    return ovi_cos_sin_quarters((ovi_cos_sin){cos(rest), sin(rest)}, (unsigned)((int)quarters + 4));
}

/**
 * Of step i out of n in a full turn, n a multiple of four. Mirror images are equal to the last bit,
 * on the axes and on the diagonals too.
 */
static inline ovi_cos_sin ovi_cos_sin_of_step(size_t i, size_t n) {
    size_t quarter = n / 4, within = i % quarter;
    ovi_cos_sin t = {1.0, 0.0};
    if (2 * within == quarter) {
        t.c = t.s = sqrt(0.5);
    } else if (2 * within < quarter) {
        double angle_rad = 2.0 * OVI_PI * (double)within / (double)n;
        t = (ovi_cos_sin){cos(angle_rad), sin(angle_rad)};
    } else {
        double angle_rad = 2.0 * OVI_PI * (double)(quarter - within) / (double)n;
        t = (ovi_cos_sin){sin(angle_rad), cos(angle_rad)};
    }
    return ovi_cos_sin_quarters(t, (unsigned)((i / quarter) % 4));
}

/** Point of the unit superellipse, and the gradient of its norm there: the outward covector. */
typedef struct ovi_curve_point {
    double u, v;
    double gu, gv;
} ovi_curve_point;

/** sign(x) |x|^power, zero at zero for every power: at a corner the covector has no share across.
 */
static inline double ovi_signed_power(double x, double power) {
    return x == 0.0 ? 0.0 : copysign(ovi_pow(fabs(x), power), x);
}

/** `p` is the primal exponent 2/e. */
static inline ovi_curve_point ovi_unit_curve(double e, ovi_exponent p, ov_spacing spacing,
                                             ovi_cos_sin t) {
    if (spacing == OV_SPACING_ANGLE_CENTRE) {
        return (ovi_curve_point){ovi_signed_power(t.c, e), ovi_signed_power(t.s, e),
                                 ovi_signed_power(t.c, 2.0 - e), ovi_signed_power(t.s, 2.0 - e)};
    }
    ovi_p_norm_parts parts = ovi_p_norm_split(t.c, t.s, p);
    ovi_p_norm n = ovi_p_norm_gradient(t.c, t.s, &parts);
    return (ovi_curve_point){t.c / n.value, t.s / n.value, n.du, n.dv};
}

/* ---- by ray: the profile of width w and height zeta */

typedef struct ovi_ray_point {
    double w, zeta;
} ovi_ray_point;

/** Where the ray (1 - |u|, u) meets the profile, u from -1 to 1: even steps for every exponent. */
static inline ovi_ray_point ovi_on_ray(ovi_exponent p2, double u) {
    double a = 1.0 - fabs(u);
    ovi_p_norm_parts parts = ovi_p_norm_split(a, u, p2);
    double n = ovi_p_norm_gradient(a, u, &parts).value;
    return (ovi_ray_point){a / n, u / n};
}

/** The same with what bounds over an interval of heights need. */
typedef struct ovi_profile_node {
    double w, zeta;
    double left; // 1 - |zeta| to its own last digits
    double r;    // -dw/dzeta, infinite at a pole
} ovi_profile_node;

static inline ovi_profile_node ovi_node_on_ray(ovi_exponent p2, double u) {
    double a = 1.0 - fabs(u);
    ovi_p_norm_parts parts = ovi_p_norm_split(a, u, p2);
    ovi_p_norm n = ovi_p_norm_gradient(a, u, &parts);
    double zeta = u / n.value;
    // zeta = (1 + t)^(-1/p2) on the pole's side
    double left = parts.swapped ? -expm1(-p2.inverse * log1p(parts.t)) : 1.0 - fabs(zeta);
    return (ovi_profile_node){a / n.value, zeta, left,
                              n.du > 0.0 ? n.dv / n.du : copysign(INFINITY, u)};
}

/**
 * Tangents of the profile at the two ends of a cell of heights, of one half: how far they fall over
 * the cell, and how far before its outer end they meet, as a share of it. The falls are rounded to
 * the safe side, the inner one down and the outer one up (docs/theory/dent.md). The tangent at a
 * pole is upright: there the inner one counts all along.
 */
typedef struct ovi_tangents {
    double width;             // of the cell
    double fall_in, fall_out; // of w
    double before;
} ovi_tangents;

static inline ovi_tangents ovi_tangents_of(double in_left, double in_w, double in_r,
                                           double out_left, double out_w, double out_r) {
    ovi_tangents t = {.width = in_left - out_left};
    if (!(t.width > 0.0)) {
        return (ovi_tangents){0.0, 0.0, 0.0, 0.0}; // one height but for rounding: the wider end
    }
    t.fall_in = fmax(0.0, fabs(in_r) * t.width - 4e-15);
    t.fall_out = fabs(out_r) * t.width * (1.0 + 1e-12) + 4e-15;
    t.before = fmax(0.0, fmin(1.0, (in_w - t.fall_in - out_w) / (t.fall_out - t.fall_in)));
    return t;
}

/** The ray of a height in [-1, 1], on the profile of squareness e2. */
static inline double ovi_ray_of_height(double e2, double zeta) {
    double w = ovi_pow(1.0 - ovi_pow(fabs(zeta), 2.0 / e2), 0.5 * e2);
    return zeta / (w + fabs(zeta));
}

#endif
