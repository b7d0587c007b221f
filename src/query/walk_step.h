/**
 * @file walk_step.h
 * @brief The pieces of a step that the walks share: two surfaces at their places, and the move.
 */
#ifndef OVI_WALK_STEP_H
#define OVI_WALK_STEP_H

#include "smooth.h"

OVI_INLINE ovi_triple_2 ovi_turn_2(const ovi_triple_2 m[3], ovi_triple_2 v) {
    return (ovi_triple_2){ovi_dot_2(m[0], v), ovi_dot_2(m[1], v), ovi_dot_2(m[2], v)};
}

OVI_INLINE ovi_triple_1 ovi_lane_of(ovi_triple_2 v, int lane) {
    return (ovi_triple_1){v.x[lane], v.y[lane], v.z[lane]};
}

OVI_INLINE ovi_spot_1 ovi_spot_of(const ovi_spot_2 *s, int lane) {
    return (ovi_spot_1){ovi_lane_of(s->p, lane),  ovi_lane_of(s->n, lane),
                        ovi_lane_of(s->p1, lane), ovi_lane_of(s->p2, lane),
                        ovi_lane_of(s->n1, lane), ovi_lane_of(s->n2, lane)};
}

/** Both surfaces in A's frame at the places u; `r` is |(u1, u2)|. */
OVI_INLINE ovi_spot_2 ovi_spots_at(const ovi_walk *w, const ovi_triple_2 *u, ovi_v2 r, bool round) {
    // at a pole any section will do
    ovi_v2 c = ovi_v2_select(r > 1e-140, u->x, ovi_v2_of(1.0));
    ovi_v4 c4 = __builtin_shufflevector(c, r, 0, 1, 2, 3);
    ovi_v4 s4 = __builtin_shufflevector(u->y, u->z, 0, 1, 2, 3);
    ovi_curve_4 k = round ? ovi_circles_at(c4, s4) : ovi_curves_at(c4, s4, &w->runs);
#define HALF(field, i, j) __builtin_shufflevector(k.field, k.field, i, j)
#define CURVE(i, j)                                                                                \
    {HALF(u, i, j),  HALF(v, i, j),   HALF(gu, i, j),  HALF(gv, i, j),  HALF(du, i, j),            \
     HALF(dv, i, j), HALF(dgu, i, j), HALF(dgv, i, j), HALF(u_c, i, j), HALF(gu_c, i, j)}
    ovi_curve_2 section = CURVE(0, 1), profile = CURVE(2, 3);
#undef CURVE
#undef HALF
    ovi_spot_2 s = round ? ovi_ellipsoid_at_2(&w->form, &section, &profile)
                         : ovi_spot_at_2(&w->form, &section, &profile);
    ovi_triple_2 p = ovi_turn_2(w->turn, s.p);
    return (ovi_spot_2){{p.x + w->offset.x, p.y + w->offset.y, p.z + w->offset.z},
                        ovi_turn_2(w->turn, s.n),
                        ovi_turn_2(w->turn, s.p1),
                        ovi_turn_2(w->turn, s.p2),
                        ovi_turn_2(w->turn, s.n1),
                        ovi_turn_2(w->turn, s.n2)};
}

OVI_INLINE ovi_v2 ovi_limit_step_2(ovi_v2 d) {
    d = ovi_v2_select(d > OVI_WALK_STRIDE, ovi_v2_of(OVI_WALK_STRIDE), d);
    return ovi_v2_select(d < -OVI_WALK_STRIDE, ovi_v2_of(-OVI_WALK_STRIDE), d);
}

/** u moved by d1 about the axis and d2 towards the pole, over the pole if need be. */
OVI_INLINE ovi_triple_2 ovi_moved_2(const ovi_triple_2 *u, ovi_v2 r, ovi_v2 d1, ovi_v2 d2) {
    ovi_i2 off_pole = r > 1e-140;
    ovi_v2 inverse = 1.0 / ovi_v2_select(off_pole, r, ovi_v2_of(1.0));
    ovi_v2 c = ovi_v2_select(off_pole, u->x * inverse, ovi_v2_of(1.0)), s = u->y * inverse;
    ovi_v2 radial = r - d2 * u->z;
    ovi_triple_2 v = {radial * c - d1 * s, radial * s + d1 * c, u->z + d2 * r};
    // u is not quite a unit vector, and need not be
    ovi_v2 square = v.x * v.x + v.y * v.y + v.z * v.z;
    return ovi_times_2(v, 1.5 - 0.5 * square);
}

#endif
