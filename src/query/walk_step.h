/**
 * @file walk_step.h
 * @brief Two surfaces at their places, as the walks look at them.
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

#endif
