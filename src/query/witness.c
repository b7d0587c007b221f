/**
 * @file witness.c
 * @brief Witness points of what the support-based net found: on the surfaces, and of the gap that
 * they come with.
 *
 * The net knows points a, b of the bodies by their supports: a mean of some, so they may lie inside
 * curved bodies, or be points of a core without its skin. Let n be the normal, g its span.
 *
 *     1. Apart, |b - a| gave the upper bound. Along the line from a to b the last point of A and
 *        the first one of B are on the surfaces, and no farther apart than a and b. Their distance
 *        is the gap; as points of the bodies they have n.(pB - pA) >= g, so the normal is along
 *        them as closely as the bounds are close
 *     2. Overlapping, or touching, a goes out of A along n, b out of B along -n. No point of the
 *        bodies is beyond the planes of the supports, so g <= n.(pB - pA) <= n.(b - a). That is the
 *        gap, or their distance where it is above zero, which is no more than |b - a|. Where an
 *        overlap is worse than g by more than the goal, the supports themselves take their place:
 *        they have g, but need not be opposite each other
 *
 * The way out is a root of the body's own function (ovi_level_at) in a bracket. Bodies that have a
 * support and no more (polyhedra, custom bodies) keep their points: inside them, by no more than
 * the bounds are apart.
 */
#include <stddef.h>

#include "simplex.h"
#include "smooth.h"

enum { WAY_OUT_STEPS = 60 };

/**
 * Way along a unit u from a point of a body to its surface, but no more than `reach`; never past
 * the surface by more than the rounding of F. Newton's method in a bracket, which comes from
 * outside where F bends upwards: from there it steps back until it is inside.
 */
static double way_out(const ov_shape *s, ov_vec3 p, ov_vec3 u, double reach) {
    bool known =
        ovi_is_family(s->kind) || (s->kind >= OV_SHAPE_KIND_BOX && s->kind <= OV_SHAPE_KIND_CONE);
    if (!known) {
        return 0.0;
    }
    double ulps = 2.0 * DBL_EPSILON * s->ball.radius, lo = 0.0, hi = reach, t = 0.0, back = ulps;
    ovi_level f = ovi_level_at(s, p, ulps);
    if (!(f.value < -f.noise)) {
        return 0.0; // there already; or on the bridge over a dent, outside of the bare surface
    }
    for (int i = 0; i < WAY_OUT_STEPS && hi - lo > ulps; i++) {
        double next = t - f.value / ov_vec3_dot(f.slope, u);
        if (f.value > 0.0 && f.value <= f.noise) {
            next = t - back;
            back *= 2.0;
        }
        t = next > lo && next < hi ? next : 0.5 * (lo + hi);
        f = ovi_level_at(s, ov_vec3_add_scaled(p, u, t), ulps);
        if (f.value <= 0.0 && f.value >= -f.noise) {
            return t;
        }
        lo = f.value < 0.0 ? t : lo;
        hi = f.value < 0.0 ? hi : t;
    }
    return lo;
}

/** Skins put on along a unit vector. */
static void add_skins(const ovi_net *core, ov_vec3 u, ov_vec3 *a, ov_vec3 *b) {
    *a = ov_vec3_add_scaled(*a, u, core->skin_a);
    *b = ov_vec3_add_scaled(*b, u, -core->skin_b);
}

/** From two points of the bodies out to their surfaces along a unit vector; `room` for both. */
static void go_out(const ovi_pair *p, ov_vec3 u, double room, ovi_result *r) {
    ov_vec3 back = ov_vec3_neg(u);
    double out = way_out(p->a, r->point_a, u, fmin(room, 2.0 * p->a->ball.radius));
    r->point_a = ov_vec3_add_scaled(r->point_a, u, out);
    room = fmin(room - out, 2.0 * p->b->ball.radius);
    out = way_out(p->b, ovi_to_b(p, ov_vec3_sub(r->point_b, p->offset)), ovi_to_b(p, back), room);
    r->point_b = ov_vec3_add_scaled(r->point_b, back, out);
}

/** The supports as witness points. */
static ov_status take_supports(const ovi_pair *p, ovi_result *r) {
    ovi_span span;
    ov_status status = ovi_pair_span(p, r->normal, &span);
    if (status == OV_OK) {
        r->point_a = span.point_a;
        r->point_b = span.point_b;
        r->gap = span.gap;
    }
    return status;
}

ov_status ovi_net_points(const ovi_net *core, ov_vec3 a, ov_vec3 b, ovi_result *r) {
    const ovi_pair *p = core->pair;
    ov_vec3 n = r->normal, u = ov_vec3_normalize(ov_vec3_sub(b, a));
    u = r->overlap || !ovi_is_direction(u) ? n : u;
    add_skins(core, u, &a, &b);
    r->point_a = a;
    r->point_b = b;
    bool apart = !r->overlap && r->lower > 0.0;
    go_out(p, apart ? u : n, apart ? ov_vec3_length(ov_vec3_sub(b, a)) : INFINITY, r);
    ov_vec3 d = ov_vec3_sub(r->point_b, r->point_a);
    double along = ov_vec3_dot(n, d), distance = ov_vec3_length(d);
    if (r->overlap) {
        r->gap = along;
        return along <= fmin(r->upper, r->lower + p->goal) ? OV_OK : take_supports(p, r);
    }
    r->gap = apart || along > 0.0 ? distance : along;
    r->upper = r->gap > 0.0 ? fmin(r->upper, distance + p->rounding) : r->upper;
    return OV_OK;
}

/* ---- the smooth family */

/**
 * Support points have the normal exactly; they are right where they lie opposite each other, or the
 * one opposite the other's point. The upper bound of bodies that are apart is raised to the
 * distance of the points where it is less, if it is close enough then.
 */
void ovi_project_witnesses(const ovi_pair *p, ovi_result *r) {
    ov_vec3 n_b = ov_vec3_neg(ovi_to_b(p, r->normal));
    ov_vec3 a[2] = {ovi_family_support(p->a, r->normal).point, r->point_a};
    ov_vec3 b[2] = {ovi_from_b(p, ovi_family_support(p->b, n_b).point), r->point_b};
    bool apart = r->gap > 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 d = ov_vec3_sub(b[i >> 1], a[i & 1]);
        double along = ov_vec3_dot(d, r->normal), distance = ov_vec3_length(d);
        double aside2 = distance * distance - along * along, gap = apart ? distance : along;
        double miss = apart ? distance - r->gap : fabs(along - r->gap) + aside2 / p->size;
        double upper = apart && distance > r->upper ? distance : r->upper;
        bool close = upper == r->upper || upper - r->lower <= p->goal;
        if (miss <= 0.5 * p->goal && gap <= upper && close) {
            r->point_a = a[i & 1];
            r->point_b = b[i >> 1];
            r->gap = gap;
            r->upper = upper;
            return;
        }
    }
}
