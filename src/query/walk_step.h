/**
 * @file walk_step.h
 * @brief Two surfaces at their places, as the walks look at them: a body in each of two lanes.
 */
#ifndef OVI_WALK_STEP_H
#define OVI_WALK_STEP_H

#include "smooth.h"

/** Vectors of the bodies' frames in A's. */
OVI_INLINE ovi_triple_2 ovi_turn_2(const ovi_triple_2 m[3], ovi_triple_2 v) {
    return (ovi_triple_2){ovi_dot_2(m[0], v), ovi_dot_2(m[1], v), ovi_dot_2(m[2], v)};
}

OVI_INLINE ovi_triple_1 ovi_lane_of(ovi_triple_2 v, int lane) {
    return (ovi_triple_1){v.x[lane], v.y[lane], v.z[lane]};
}

OVI_INLINE ov_vec3 ovi_vec_of(ovi_triple_1 t) { return (ov_vec3){t.x, t.y, t.z}; }

OVI_INLINE ovi_triple_1 ovi_minus_1(ovi_triple_1 a, ovi_triple_1 b) {
    return (ovi_triple_1){a.x - b.x, a.y - b.y, a.z - b.z};
}

/** Both surfaces at the places u, in their own frames; `r` is |(u1, u2)|. */
OVI_INLINE ovi_spot_2 ovi_spots_at(const ovi_walk *w, const ovi_triple_2 *u, ovi_v2 r, bool round) {
    if (round) {
        return ovi_ellipsoid_at_2(&w->form, u, r);
    }
    // at a pole any section will do
    ovi_v2 c = ovi_v2_select(r > 1e-140, u->x, ovi_v2_of(1.0));
    ovi_v4 c4 = __builtin_shufflevector(c, r, 0, 1, 2, 3);
    ovi_v4 s4 = __builtin_shufflevector(u->y, u->z, 0, 1, 2, 3);
    ovi_curve_4 k = ovi_curves_at(c4, s4, &w->runs);
#define HALF(field, i, j) __builtin_shufflevector(k.field, k.field, i, j)
#define CURVE(i, j)                                                                                \
    {HALF(u, i, j),  HALF(v, i, j),   HALF(gu, i, j),  HALF(gv, i, j),  HALF(du, i, j),            \
     HALF(dv, i, j), HALF(dgu, i, j), HALF(dgv, i, j), HALF(u_c, i, j), HALF(gu_c, i, j)}
    ovi_curve_2 section = CURVE(0, 1), profile = CURVE(2, 3);
#undef CURVE
#undef HALF
    return ovi_spot_at_2(&w->form, &section, &profile);
}

/** Both points and covectors, in A's frame. */
typedef struct ovi_view {
    ovi_triple_1 pa, pb;
    ovi_facing_1 facing;
} ovi_view;

OVI_INLINE ovi_view ovi_view_of(const ovi_walk *w, const ovi_spot_2 *s) {
    ovi_triple_2 p = ovi_turn_2(w->turn, s->p), m = ovi_turn_2(w->turn, s->m);
    ovi_view v = {ovi_lane_of(p, 0), ovi_lane_of(p, 1), {.ma = ovi_lane_of(m, 0)}};
    v.pb.x += w->offset.x[1];
    v.pb.y += w->offset.y[1];
    v.pb.z += w->offset.z[1];
    v.facing.mb = ovi_lane_of(m, 1);
    v.facing.p = ovi_minus_1(v.pb, v.pa);
    return v;
}

/** A lane of the slopes. */
OVI_INLINE ovi_slopes_1 ovi_slopes_in(const ovi_slopes_2 *s, int lane) {
    return (ovi_slopes_1){s->tp1[lane], s->tp2[lane], s->up1[lane], s->up2[lane],
                          s->tm1[lane], s->tm2[lane], s->um1[lane], s->um2[lane]};
}

/** A's tangents in both frames, and what they make of the derivatives. */
OVI_INLINE ovi_slopes_2 ovi_slopes_along(const ovi_walk *w, const ovi_spot_2 *s,
                                         const ovi_tangents_1 *e) {
    const ovi_triple_2 *m = w->turn;
    ovi_triple_2 t = {m[0].x * e->tx + m[1].x * e->ty, m[0].y * e->tx + m[1].y * e->ty,
                      m[0].z * e->tx + m[1].z * e->ty};
    ovi_triple_2 u = {m[0].x * e->u.x + m[1].x * e->u.y + m[2].x * e->u.z,
                      m[0].y * e->u.x + m[1].y * e->u.y + m[2].y * e->u.z,
                      m[0].z * e->u.x + m[1].z * e->u.y + m[2].z * e->u.z};
    return ovi_slopes_of_2(s, t, u);
}

/** The step of Newton's method: moves of A's parameters, then of B's. */
OVI_INLINE ovi_step_1 ovi_step_of(const ovi_walk *w, const ovi_spot_2 *s, const ovi_view *v) {
    ovi_tangents_1 e = ovi_tangents_of_1(v->facing.ma);
    ovi_slopes_2 both = ovi_slopes_along(w, s, &e);
    ovi_slopes_1 a = ovi_slopes_in(&both, 0), b = ovi_slopes_in(&both, 1);
    ovi_rows_1 rows = ovi_rows_of_1(&v->facing, &e, &a, &b, w->inverse_size);
    return ovi_solve_1(&rows);
}

/** What one lane looks like from A. */
OVI_INLINE ovi_patch ovi_patch_of(const ovi_walk *w, const ovi_spot_2 *s, int lane) {
    ovi_v2 none = {0.0, 0.0};
    ovi_triple_2 m = ovi_turn_2(w->turn, s->m), p = ovi_turn_2(w->turn, s->p);
    ovi_triple_2 p1 = ovi_turn_2(w->turn, (ovi_triple_2){s->p1x, s->p1y, none});
    ovi_v2 scale = 1.0 / ovi_v2_sqrt(ovi_dot_2(m, m));
    return (ovi_patch){{p.x[lane] + w->offset.x[lane], p.y[lane] + w->offset.y[lane],
                        p.z[lane] + w->offset.z[lane]},
                       ovi_lane_of(ovi_times_2(m, scale), lane),
                       ovi_lane_of(p1, lane),
                       ovi_lane_of(ovi_turn_2(w->turn, s->p2), lane),
                       ovi_lane_of(ovi_times_2(ovi_turn_2(w->turn, s->m1), scale), lane),
                       ovi_lane_of(ovi_times_2(ovi_turn_2(w->turn, s->m2), scale), lane)};
}

#endif
