/**
 * @file lanes4.c
 * @brief Four walks at once (lanes4.h): the same steps as in smooth.c, with a problem in each lane.
 *
 * A lane whose walk is over is handed back at once, so that its place can be filled again; the
 * others keep their state. Nothing depends on what the neighbouring lanes hold.
 */
#include <stddef.h>

#include "lanes4.h"

static void put(ovi_triple_4 *to, int lane, const ovi_triple_2 *from, int body) {
    to->x[lane] = from->x[body];
    to->y[lane] = from->y[body];
    to->z[lane] = from->z[body];
}

static void put_run(ovi_runs *to, int lane, const ovi_runs *from, int curve) {
    to->minus_1[lane] = from->minus_1[curve];
    to->inverse_minus_1[lane] = from->inverse_minus_1[curve];
    to->by_position[lane] = from->by_position[curve];
}

void ovi_lanes4_load(ovi_lanes4 *l, int lane, const ovi_walk *w, const ovi_triple_2 *place) {
    for (int body = 0; body < 2; body++) {
        l->form[body].a1[lane] = w->form.a1[body];
        l->form[body].a2[lane] = w->form.a2[body];
        l->form[body].a3[lane] = w->form.a3[body];
        l->form[body].tx[lane] = w->form.tx[body];
        l->form[body].ty[lane] = w->form.ty[body];
        l->form[body].r1[lane] = w->form.r1[body];
        l->form[body].r2[lane] = w->form.r2[body];
        l->form[body].r3[lane] = w->form.r3[body];
        put_run(&l->section[body], lane, &w->runs, body);
        put_run(&l->profile[body], lane, &w->runs, 2 + body);
        put(&l->place[body], lane, place, body);
    }
    for (int row = 0; row < 3; row++) {
        put(&l->turn[row], lane, &w->turn[row], 1);
    }
    put(&l->offset, lane, &w->offset, 1);
    l->inverse_size[lane] = w->inverse_size;
    l->diameter[lane] = 2.0 * w->smaller;
    l->goal[lane] = w->pair->goal - 2.0 * w->pair->rounding;
    l->normal_goal[lane] = w->normal_goal;
    l->aside_goal[lane] = w->aside_goal;
    l->floor[lane] = -INFINITY;
    l->over_a[lane] = w->over_a ? -1 : 0;
    l->active[lane] = -1;
    l->local = w->pair->depth == OV_DEPTH_LOCAL;
    l->steps[lane] = 0;
}

OVI_INLINE ovi_triple_4 turn_4(const ovi_triple_4 m[3], ovi_triple_4 v) {
    return (ovi_triple_4){ovi_dot_4(m[0], v), ovi_dot_4(m[1], v), ovi_dot_4(m[2], v)};
}

OVI_INLINE ovi_spot_4 spot_4(const ovi_lanes4 *l, int body, ovi_v4 r, bool round) {
    const ovi_triple_4 *u = &l->place[body];
    if (round) {
        return ovi_ellipsoid_at_4(&l->form[body], u, r);
    }
    ovi_v4 c = ovi_v4_select(r > 1e-140, u->x, ovi_v4_of(1.0));
    ovi_curve_4 section = ovi_curves_at(c, u->y, &l->section[body]);
    ovi_curve_4 profile = ovi_curves_at(r, u->z, &l->profile[body]);
    return ovi_spot_at_4(&l->form[body], &section, &profile);
}

/** Vectors of A's frame in B's. */
OVI_INLINE ovi_triple_4 turn_back_4(const ovi_triple_4 m[3], ovi_triple_4 v) {
    return (ovi_triple_4){m[0].x * v.x + m[1].x * v.y + m[2].x * v.z,
                          m[0].y * v.x + m[1].y * v.y + m[2].y * v.z,
                          m[0].z * v.x + m[1].z * v.y + m[2].z * v.z};
}

OVI_INLINE ovi_facing_4 facing_4(const ovi_lanes4 *l, const ovi_spot_4 *a, const ovi_spot_4 *b) {
    ovi_triple_4 p = turn_4(l->turn, b->p);
    return (ovi_facing_4){
        {p.x + l->offset.x - a->p.x, p.y + l->offset.y - a->p.y, p.z + l->offset.z - a->p.z},
        a->m,
        turn_4(l->turn, b->m)};
}

OVI_INLINE ovi_step_4 step_4(const ovi_lanes4 *l, const ovi_spot_4 *a, const ovi_spot_4 *b,
                             const ovi_facing_4 *f) {
    ovi_tangents_4 e = ovi_tangents_of_4(f->ma);
    ovi_triple_4 t = {e.tx, e.ty, ovi_v4_of(0.0)};
    ovi_slopes_4 sa = ovi_slopes_of_4(a, t, e.u);
    ovi_slopes_4 sb = ovi_slopes_of_4(b, turn_back_4(l->turn, t), turn_back_4(l->turn, e.u));
    ovi_rows_4 rows = ovi_rows_of_4(f, &e, &sa, &sb, l->inverse_size);
    return ovi_solve_4(&rows);
}

OVI_INLINE ovi_v4 radius_4(const ovi_triple_4 *u) { return ovi_v4_sqrt(u->x * u->x + u->y * u->y); }

OVI_INLINE bool any(ovi_i4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

OVI_INLINE ov_vec3 vec_of(const ovi_triple_4 *t, int lane) {
    return (ov_vec3){t->x[lane], t->y[lane], t->z[lane]};
}

/** What became of a lane at this step, if its walk is over. */
typedef struct masks {
    ovi_i4 met, deep, stuck;
    ovi_v4 lower, phi;
} masks;

OVI_INLINE masks judge(const ovi_lanes4 *l, const ovi_stand_4 *k, ovi_v4 aside,
                       ovi_v4 determinant) {
    masks m;
    m.phi = ovi_v4_select(l->over_a, k->phi_a, k->phi_b);
    ovi_v4 slack = k->mismatch * l->diameter;
    m.lower = m.phi - slack;
    ovi_i4 opposite = (k->mismatch <= l->normal_goal) & (aside <= l->aside_goal);
    m.met = opposite & (k->distance - m.lower <= l->goal);
    m.deep = opposite & (m.phi < -0.5 * l->goal) & (slack <= l->goal) & ~m.met;
    // neither turning the normals to each other nor moving the points will lift it to the floor
    ovi_i4 low = m.phi + slack + ovi_v4_sqrt(aside) < l->floor;
    m.stuck = ~(ovi_v4_abs(determinant) > 0.0) | low;
    return m;
}

OVI_INLINE ovi_triple_1 lane_of(const ovi_triple_4 *t, int lane) {
    return (ovi_triple_1){t->x[lane], t->y[lane], t->z[lane]};
}

/** One lane as the tests of depths look at it: in A's frame, with a unit normal. */
OVI_INLINE ovi_patch patch_of(const ovi_spot_4 *s, const ovi_triple_4 turn[3], int lane) {
    ovi_triple_4 p1 = {s->p1x, s->p1y, ovi_v4_of(0.0)};
    ovi_triple_4 t[6] = {s->p, s->m, p1, s->p2, s->m1, s->m2};
    ovi_triple_1 v[6];
    for (int i = 0; i < 6; i++) {
        ovi_triple_4 turned = turn != NULL ? turn_4(turn, t[i]) : t[i];
        v[i] = lane_of(&turned, lane);
    }
    double scale = 1.0 / sqrt(ovi_dot_1(v[1], v[1]));
    return (ovi_patch){v[0], ovi_times_1(v[1], scale), v[2],
                       v[3], ovi_times_1(v[4], scale), ovi_times_1(v[5], scale)};
}

/** Is the depth of a lane the least of those close by? */
static bool is_least(const ovi_lanes4 *l, int lane, const ovi_spot_4 *a, const ovi_spot_4 *b) {
    ovi_patch at_a = patch_of(a, NULL, lane), at_b = patch_of(b, l->turn, lane);
    at_b.p.x += l->offset.x[lane];
    at_b.p.y += l->offset.y[lane];
    at_b.p.z += l->offset.z[lane];
    return ovi_is_least_depth(&at_a, &at_b);
}

/** Everything about one step of four pairs. */
typedef struct stage {
    ovi_spot_4 a, b;
    ovi_facing_4 facing;
    ovi_stand_4 stand;
    masks masks;
} stage;

OVI_INLINE void take_out(ovi_lanes4 *l, int lane, const stage *s, ovi_ends4 *ends) {
    const masks *m = &s->masks;
    ovi_walk_end *e = &ends->end[lane];
    e->verdict = m->met[lane] ? OVI_WALK_MET : m->deep[lane] ? OVI_WALK_DEEP : OVI_WALK_LOST;
    e->iterations = l->steps[lane];
    e->lower = m->lower[lane];
    e->upper = s->stand.distance[lane];
    e->phi = m->phi[lane];
    e->least = e->verdict != OVI_WALK_DEEP || !l->local || is_least(l, lane, &s->a, &s->b);
    e->point_a = vec_of(&s->a.p, lane);
    ov_vec3 d = vec_of(&s->facing.p, lane);
    e->point_b = ov_vec3_add(e->point_a, d);
    e->normal_a = vec_of(&s->stand.na, lane);
    e->normal_b = vec_of(&s->stand.nb, lane);
    e->place = (ovi_triple_2){{l->place[0].x[lane], l->place[1].x[lane]},
                              {l->place[0].y[lane], l->place[1].y[lane]},
                              {l->place[0].z[lane], l->place[1].z[lane]}};
    l->active[lane] = 0;
    ends->done |= 1 << lane;
}

OVI_INLINE void run(ovi_lanes4 *l, ovi_ends4 *ends, bool round) {
    ends->done = 0;
    while (ends->done == 0) {
        ovi_v4 ra = radius_4(&l->place[0]), rb = radius_4(&l->place[1]);
        stage s;
        s.a = spot_4(l, 0, ra, round);
        s.b = spot_4(l, 1, rb, round);
        s.facing = facing_4(l, &s.a, &s.b);
        ovi_step_4 k = step_4(l, &s.a, &s.b, &s.facing);
        s.stand = ovi_stand_of_4(&s.facing);
        s.masks = judge(l, &s.stand, ovi_aside_4(&s.facing, &s.stand), k.determinant);
        ovi_i4 over = (s.masks.met | s.masks.deep | s.masks.stuck) & l->active;
        bool late = false;
        for (int lane = 0; lane < 4; lane++) {
            late |= ++l->steps[lane] >= OVI_WALK_STEPS;
        }
        if (any(over) || late) {
            for (int lane = 0; lane < 4; lane++) {
                bool out = over[lane] || l->steps[lane] >= OVI_WALK_STEPS;
                if (l->active[lane] && out) {
                    take_out(l, lane, &s, ends);
                }
            }
        }
        l->place[0] = ovi_moved_4(&l->place[0], ra, ovi_limit_step_4(k.x1), ovi_limit_step_4(k.x2));
        l->place[1] = ovi_moved_4(&l->place[1], rb, ovi_limit_step_4(k.y1), ovi_limit_step_4(k.y2));
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void run_avx2(ovi_lanes4 *l, ovi_ends4 *ends) {
    if (l->round) {
        run(l, ends, true);
    } else {
        run(l, ends, false);
    }
}
#endif

static void run_plain(ovi_lanes4 *l, ovi_ends4 *ends) {
    if (l->round) {
        run(l, ends, true);
    } else {
        run(l, ends, false);
    }
}

void ovi_lanes4_run(ovi_lanes4 *l, ovi_ends4 *ends) {
#if defined(__x86_64__)
    if (ovi_has_avx2()) {
        run_avx2(l, ends);
        return;
    }
#endif
    run_plain(l, ends);
}
