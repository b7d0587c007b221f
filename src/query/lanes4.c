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
    l->aside_goal[lane] = 1e-14 * w->smaller * w->smaller;
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
    ovi_v4 c = ovi_v4_select(r > 1e-140, u->x, ovi_v4_of(1.0));
    ovi_curve_4 section =
        round ? ovi_circles_at(c, u->y) : ovi_curves_at(c, u->y, &l->section[body]);
    ovi_curve_4 profile =
        round ? ovi_circles_at(r, u->z) : ovi_curves_at(r, u->z, &l->profile[body]);
    return round ? ovi_ellipsoid_at_4(&l->form[body], &section, &profile)
                 : ovi_spot_at_4(&l->form[body], &section, &profile);
}

OVI_INLINE void to_frame_of_a(const ovi_lanes4 *l, ovi_spot_4 *s) {
    ovi_triple_4 p = turn_4(l->turn, s->p);
    s->p = (ovi_triple_4){p.x + l->offset.x, p.y + l->offset.y, p.z + l->offset.z};
    s->n = turn_4(l->turn, s->n);
    s->p1 = turn_4(l->turn, s->p1);
    s->p2 = turn_4(l->turn, s->p2);
    s->n1 = turn_4(l->turn, s->n1);
    s->n2 = turn_4(l->turn, s->n2);
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

OVI_INLINE masks judge(const ovi_lanes4 *l, const ovi_newton_4 *k) {
    masks m;
    m.phi = ovi_v4_select(l->over_a, k->phi_a, k->phi_b);
    ovi_v4 slack = k->mismatch * l->diameter;
    m.lower = m.phi - slack;
    ovi_i4 opposed = k->mismatch <= l->normal_goal;
    m.met = opposed & (k->distance - m.lower <= l->goal);
    m.deep = opposed & (m.phi < -0.5 * l->goal) & (slack <= l->goal) & (k->aside <= l->aside_goal) &
             ~m.met;
    m.stuck = ~(ovi_v4_abs(k->determinant) > 0.0);
    return m;
}

OVI_INLINE ovi_triple_1 lane_of(const ovi_triple_4 *t, int lane) {
    return (ovi_triple_1){t->x[lane], t->y[lane], t->z[lane]};
}

OVI_INLINE ovi_spot_1 spot_of(const ovi_spot_4 *s, int lane) {
    return (ovi_spot_1){lane_of(&s->p, lane),  lane_of(&s->n, lane),  lane_of(&s->p1, lane),
                        lane_of(&s->p2, lane), lane_of(&s->n1, lane), lane_of(&s->n2, lane)};
}

OVI_INLINE void take_out(ovi_lanes4 *l, int lane, const masks *m, const ovi_newton_4 *k,
                         const ovi_spot_4 *a, const ovi_spot_4 *b, ovi_ends4 *ends) {
    ovi_walk_end *e = &ends->end[lane];
    e->verdict = m->met[lane] ? OVI_WALK_MET : m->deep[lane] ? OVI_WALK_DEEP : OVI_WALK_LOST;
    e->iterations = l->steps[lane];
    e->lower = m->lower[lane];
    e->upper = k->distance[lane];
    e->phi = m->phi[lane];
    e->least = true;
    if (e->verdict == OVI_WALK_DEEP && l->local) {
        ovi_spot_1 at_a = spot_of(a, lane), at_b = spot_of(b, lane);
        e->least = ovi_is_least_depth(&at_a, &at_b);
    }
    e->point_a = vec_of(&a->p, lane);
    e->point_b = vec_of(&b->p, lane);
    e->normal_a = vec_of(&a->n, lane);
    e->normal_b = vec_of(&b->n, lane);
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
        ovi_spot_4 a = spot_4(l, 0, ra, round), b = spot_4(l, 1, rb, round);
        to_frame_of_a(l, &b);
        ovi_newton_4 k = ovi_newton_at_4(&a, &b, l->inverse_size);
        masks m = judge(l, &k);
        ovi_i4 over = (m.met | m.deep | m.stuck) & l->active;
        bool late = false;
        for (int lane = 0; lane < 4; lane++) {
            late |= ++l->steps[lane] >= OVI_WALK_STEPS;
        }
        if (any(over) || late) {
            for (int lane = 0; lane < 4; lane++) {
                bool out = over[lane] || l->steps[lane] >= OVI_WALK_STEPS;
                if (l->active[lane] && out) {
                    take_out(l, lane, &m, &k, &a, &b, ends);
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
