/**
 * @file superquadric_surface.h
 * @brief Point and normal of a superquadric with their first derivatives, for every exponent; for
 * one, two and four bodies at once (superquadric_lanes.h).
 *
 * A surface is a section (curve in xy, squareness e1) carried along a profile (curve of width w and
 * height zeta, squareness e2). The place on both is a unit vector u of R^3: the section's ray is
 * (u1, u2), the profile's ray (|(u1, u2)|, u3). A curve with e <= 1 has flats, where the normal
 * hardly moves: its ray is the direction of the *position*. One with e > 1 has edges, where the
 * position hardly moves: its ray is the direction of the *normal*. So position and normal are both
 * smooth functions of u, whatever the exponents. With N the p-norm (or its dual), ray (c, s):
 *
 *     by position:  point (c, s)/N,  covector grad N
 *     by normal:    covector (c, s)/N_dual,  point grad N_dual
 *
 * and with X, Y the section's point, gX, gY its covector, w, zeta, gw, gz those of the profile,
 * f1 = 1 + tx zeta, f2 = 1 + ty zeta, and since gX X + gY Y = 1:
 *
 *     point     (a1 f1 w X, a2 f2 w Y, a3 zeta)
 *     covector  (a2 f2 gw gX, a1 f1 gw gY, (gz f1 f2 - gw w (ty f1 + (tx - ty) gX X)) a1 a2/a3)
 *
 * The covector is the gradient of the gauge times a1 a2 f1 f2, so nothing is divided, and its
 * derivatives are those of this product: along the covector itself they mean nothing.
 *
 * Parameter 1 moves u along (-u2, u1, 0)/|(u1, u2)|, parameter 2 towards the pole, both at unit
 * speed on the sphere; so the derivatives stay finite at the poles.
 */
#ifndef OVI_SUPERQUADRIC_SURFACE_H
#define OVI_SUPERQUADRIC_SURFACE_H

#include "../math/lanes.h"

/** No step of Newton's method on the sphere of places is longer. */
#define OVI_NEWTON_STEP_MAX 0.5
/** Closer to a pole than this, |(u1, u2)|, any section will do. */
#define OVI_POLE_RADIUS 1e-140

#define OVI_NUM double
#define OVI_MASK int
#define OVI_NAME(x) x##_1
#define OVI_SQRT sqrt
#define OVI_WHERE(mask, a, b) ((mask) ? (a) : (b))
#include "superquadric_lanes.h"
#undef OVI_NUM
#undef OVI_MASK
#undef OVI_NAME
#undef OVI_SQRT
#undef OVI_WHERE
#define OVI_NUM ovi_v2
#define OVI_MASK ovi_i2
#define OVI_NAME(x) x##_2
#define OVI_SQRT ovi_v2_sqrt
#define OVI_WHERE ovi_v2_select
#define OVI_OF ovi_v2_of
#include "superquadric_lanes.h"
#undef OVI_NUM
#undef OVI_MASK
#undef OVI_NAME
#undef OVI_SQRT
#undef OVI_WHERE
#undef OVI_OF
#define OVI_NUM ovi_v4
#define OVI_MASK ovi_i4
#define OVI_NAME(x) x##_4
#define OVI_SQRT ovi_v4_sqrt
#define OVI_WHERE ovi_v4_select
#define OVI_OF ovi_v4_of
#include "superquadric_lanes.h"
#undef OVI_NUM
#undef OVI_MASK
#undef OVI_NAME
#undef OVI_SQRT
#undef OVI_WHERE
#undef OVI_OF

/** How four curves are parametrised: by position or by normal, and the exponent of that norm. */
typedef struct ovi_parametrisation {
    ovi_v4 minus_1;         // p - 1
    ovi_v4 inverse_minus_1; // 1/p - 1
    ovi_i4 by_position;
} ovi_parametrisation;

/** Four curves at once, at rays of any length. */
OVI_INLINE ovi_curve_4 ovi_curves_at(ovi_v4 c, ovi_v4 s, const ovi_parametrisation *by) {
    ovi_v4 ac = ovi_v4_abs(c), as = ovi_v4_abs(s);
    ovi_i4 swapped = as > ac;
    ovi_v4 big = ovi_v4_select(swapped, as, ac), small = ovi_v4_select(swapped, ac, as);
    ovi_v4 inverse_big = 1.0 / big, ratio = small * inverse_big;
    ratio = ovi_v4_select(ratio > 1e-200, ratio, ovi_v4_of(1e-200));
    ovi_v4 y = by->minus_1 * ovi_v4_log2(ratio);
    ovi_i4 seen = y > -1000.0; // a power that is less counts as zero
    ovi_v4 power = ovi_v4_exp2(ovi_v4_select(seen, y, ovi_v4_of(-1000.0)));
    power = ovi_v4_select(seen, power, ovi_v4_of(0.0));
    ovi_v4 t = ratio * power, t1 = 1.0 + t;
    ovi_v4 grad_big = ovi_v4_exp2(by->inverse_minus_1 * ovi_v4_log2(t1));
    // the norm is big t1 W, its gradient (W, power W), its second derivatives as in p_norm.h
    ovi_v4 grad_small = power * grad_big, inverse_t1 = 1.0 / t1;
    ovi_v4 steep = power * (1.0 / ratio), k = by->minus_1 * grad_big * inverse_big * inverse_t1;
    ovi_v4 big_big = k * t, small_small = k * steep, mixed = -k * power;
    ovi_v4 gu = ovi_v4_copysign(ovi_v4_select(swapped, grad_small, grad_big), c);
    ovi_v4 gv = ovi_v4_copysign(ovi_v4_select(swapped, grad_big, grad_small), s);
    ovi_v4 huu = ovi_v4_select(swapped, small_small, big_big);
    ovi_v4 hvv = ovi_v4_select(swapped, big_big, small_small);
    ovi_v4 huv = ovi_v4_copysign(mixed, mixed * c * s); // mixed has the sign of -c s
    ovi_v4 slope = gv * c - gu * s;
    ovi_v4 inverse = inverse_big * inverse_t1 / grad_big, pu = c * inverse, pv = s * inverse;
    ovi_v4 dpu = -(s + pu * slope) * inverse, dpv = (c - pv * slope) * inverse;
    ovi_v4 dgu = huv * c - huu * s, dgv = hvv * c - huv * s;
    ovi_v4 gu_c = inverse_big * grad_big * ovi_v4_select(swapped, steep, ovi_v4_of(1.0));
    ovi_i4 m = by->by_position;
    return (ovi_curve_4){ovi_v4_select(m, pu, gu),        ovi_v4_select(m, pv, gv),
                         ovi_v4_select(m, gu, pu),        ovi_v4_select(m, gv, pv),
                         ovi_v4_select(m, dpu, dgu),      ovi_v4_select(m, dpv, dgv),
                         ovi_v4_select(m, dgu, dpu),      ovi_v4_select(m, dgv, dpv),
                         ovi_v4_select(m, inverse, gu_c), ovi_v4_select(m, gu_c, inverse)};
}

#endif
