/**
 * @file unit_curve.h
 * @brief The unit superellipse |u|^p + |v|^p = 1 by angle: section and profile of every
 * superquadric.
 *
 * Two ways to run along it. Angle-centre [Benchmark, eq. 9]: (u, v) = (c^e, s^e) with c, s the
 * cosine and sine of the angle. Nearly equal spacing [SQMap, eq. 9-10]: tan^(1/e) inside c^e, s^e
 * makes the angle that of the ray from the centre, so the point is (c, s)/N_p(c, s); this form has
 * no quadrant to add or subtract and no pole of the tangent.
 *
 * Cosine and sine come from the angle with pi taken as the double that is nearest to it. Without
 * that the cosine of "pi/2" would be 6e-17, and its power at e = 0.05 a coordinate of 0.15.
 */
#ifndef OVI_UNIT_CURVE_H
#define OVI_UNIT_CURVE_H

#include <ovoid/shape.h>

#include "../math/norm2.h"

#define OVI_PI 3.14159265358979323846

/** Cosine and sine of an angle. */
typedef struct ovi_turn {
    double c, s;
} ovi_turn;

/** By `quarters` times 90 degrees further; 0 - x, so that zeros stay positive. */
static inline ovi_turn ovi_turn_quarters(ovi_turn t, unsigned quarters) {
    switch (quarters % 4) {
    case 1:
        return (ovi_turn){0.0 - t.s, t.c};
    case 2:
        return (ovi_turn){0.0 - t.c, 0.0 - t.s};
    case 3:
        return (ovi_turn){t.s, 0.0 - t.c};
    default:
        return t;
    }
}

/** Of any finite angle; multiples of pi/2, as doubles, give exact zeros and ones. */
static inline ovi_turn ovi_turn_of_angle(double angle_rad) {
    double within = remainder(angle_rad, 2.0 * OVI_PI);
    double quarters = nearbyint(within / (0.5 * OVI_PI));
    double rest = within - quarters * (0.5 * OVI_PI);
    return ovi_turn_quarters((ovi_turn){cos(rest), sin(rest)}, (unsigned)((int)quarters + 4));
}

/**
 * Of step i out of n in a full turn, n a multiple of four. Mirror images are equal to the last bit,
 * on the axes and on the diagonals too.
 */
static inline ovi_turn ovi_turn_of_step(size_t i, size_t n) {
    size_t quarter = n / 4, within = i % quarter;
    ovi_turn t = {1.0, 0.0};
    if (2 * within == quarter) {
        t.c = t.s = sqrt(0.5);
    } else if (2 * within < quarter) {
        double angle_rad = 2.0 * OVI_PI * (double)within / (double)n;
        t = (ovi_turn){cos(angle_rad), sin(angle_rad)};
    } else {
        double angle_rad = 2.0 * OVI_PI * (double)(quarter - within) / (double)n;
        t = (ovi_turn){sin(angle_rad), cos(angle_rad)};
    }
    return ovi_turn_quarters(t, (unsigned)((i / quarter) % 4));
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
                                             ovi_turn t) {
    if (spacing == OV_SPACING_ANGLE_CENTRE) {
        return (ovi_curve_point){ovi_signed_power(t.c, e), ovi_signed_power(t.s, e),
                                 ovi_signed_power(t.c, 2.0 - e), ovi_signed_power(t.s, 2.0 - e)};
    }
    ovi_norm2_parts parts = ovi_norm2_split(t.c, t.s, p);
    ovi_norm2 n = ovi_norm2_gradient(t.c, t.s, &parts);
    return (ovi_curve_point){t.c / n.value, t.s / n.value, n.du, n.dv};
}

#endif
