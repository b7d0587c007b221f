/**
 * @file prove.c
 * @brief What the end of a walk is worth: proofs for dented bodies, common points.
 *
 * The bounds of a walk hold where the tangent planes touch the hulls. Where a body is dented, that
 * is shown here, or the contact is looked for on the bridge over the dent (bridge.c), or what the
 * hull stands out by is taken off the lower bound.
 */
#include <stddef.h>

#include "smooth.h"

/** A point of a walk's end with its normal, in the frame of its body (0: A, 1: B). */
typedef struct foot {
    const ov_shape *shape;
    ov_vec3 point, normal;
} foot;

static foot foot_of(const ovi_pair *p, const ovi_walk_end *e, int body) {
    if (body == 0) {
        return (foot){p->a, e->point_a, e->normal_a};
    }
    return (foot){p->b, ovi_to_b(p, ov_vec3_sub(e->point_b, p->offset)), ovi_to_b(p, e->normal_b)};
}

/** An excess that may be taken off the bound. */
static double little_of(const ovi_pair *p) { return 0.125 * p->goal; }

/** How far the hull of a body stands out over the tangent plane at a point, at most. */
static double excess_over(const ovi_pair *p, const foot *f, const ovi_crests *c) {
    double value = ov_vec3_dot(f->normal, f->point);
    if (c->found) {
        return fmax(0.0, fmax(c->top[0], c->top[1]) - value);
    }
    // the other side by its bound, where the point is the top of its own
    double bound = ovi_side_bound(f->shape, f->normal, -copysign(1.0, f->point.z));
    if (bound - value <= little_of(p) && ovi_is_crest(f->shape, f->point, f->normal)) {
        return fmax(0.0, bound - value);
    }
    return fmax(0.0, ovi_family_support(f->shape, f->normal).value - value);
}

static double excess(const ovi_walk *w, const ovi_walk_end *end, int body) {
    foot f = foot_of(w->pair, end, body);
    ovi_crests c = ovi_find_crests(w, end, body);
    return excess_over(w->pair, &f, &c);
}

/** The contact on the bridge of a body between two places, with its proof. */
static bool cross(const ovi_walk *w, int body, const ovi_triple_2 *crests, ovi_walk_end *end) {
    const ovi_pair *p = w->pair;
    ovi_walk_end bridge = ovi_bridge_from(w, end, body, crests);
    if (bridge.verdict == OVI_WALK_LOST) {
        return false;
    }
    ovi_tops at = ovi_ends_at_tops(p, &bridge);
    bool other_at_top = body == 0 ? at.b : at.a;
    double other = other_at_top ? 0.0 : excess(w, &bridge, 1 - body);
    if (other > little_of(p)) {
        return false;
    }
    bridge.lower -= other;
    bridge.iterations += end->iterations;
    *end = bridge;
    return true;
}

void ovi_walk_prove(const ovi_walk *w, ovi_walk_end *end) {
    const ovi_pair *p = w->pair;
    bool decided = end->verdict == OVI_WALK_DECIDED;
    if (decided && end->upper + p->rounding <= p->limit) {
        end->lower = -INFINITY; // two points are a proof, whatever the hulls are
        return;
    }
    ovi_tops at = ovi_ends_at_tops(p, end);
    double off = 0.0;
    for (int body = 0; body < 2; body++) {
        if (body == 0 ? at.a : at.b) {
            continue;
        }
        foot f = foot_of(p, end, body);
        ovi_crests c = ovi_find_crests(w, end, body);
        double above = excess_over(p, &f, &c);
        if (above > little_of(p) && !decided) {
            if (c.found && cross(w, body, &c.place, end)) {
                return;
            }
            end->verdict = OVI_WALK_LOST; // not a contact of the hulls
        }
        off += above;
    }
    end->lower -= off;
}

bool ovi_walk_bridge_near(const ovi_walk *w, const ovi_result *near, int body, ovi_walk_end *end) {
    const ovi_pair *p = w->pair;
    ovi_walk plain = *w;
    *end = (ovi_walk_end){.point_a = near->point_a,
                          .point_b = near->point_b,
                          .normal_a = near->normal,
                          .normal_b = ov_vec3_neg(near->normal)};
    if (!ovi_smooth_is_walkable(p)) {
        return false;
    }
    end->place = ovi_places_near(&plain, near);
    ovi_crests c = ovi_find_crests(&plain, end, body);
    return c.found && cross(&plain, body, &c.place, end);
}

/** What a gauge below one may be short of it by rounding: of its powers, and of 1 + t zeta. */
static double gauge_margin(const ov_shape *s) {
    double taper = fmax(fabs(s->tx), fabs(s->ty));
    return 1e-13 + 4.0 * DBL_EPSILON / (1.0 - taper);
}

bool ovi_is_common_point(const ovi_pair *p, ov_vec3 point) {
    // B's point is off by the rounding of the offset, which counts most across a thin body
    double least = fmin(p->b->a.x * (1.0 - fabs(p->b->tx)), p->b->a.y * (1.0 - fabs(p->b->ty)));
    double off = 8.0 * DBL_EPSILON * (ov_vec3_length(p->offset) + ov_vec3_length(point));
    double inside = 1.0 - gauge_margin(p->b) - off / fmin(least, p->b->a.z);
    return ovi_family_gauge_value(p->a, point) < 1.0 - gauge_margin(p->a) &&
           ovi_family_gauge_value(p->b, ovi_to_b(p, ov_vec3_sub(point, p->offset))) < inside;
}
