/**
 * @file family.c
 * @brief Contact of two bodies of the smooth family: the walk first, the net where it fails.
 *
 *     1. A walk from the warm start, or from where two ellipsoids would touch. Its end is certified
 *        by itself (smooth.c), and in more than 99 of 100 ordinary pairs that is all.
 *     2. A walk that ends at a stationary depth is confirmed by balls inside the bodies, which show
 *        shallow depths to be the least of all (rolling.c), or by a common interior point, half way
 *        between the witness points; then the depth is searched (depth.c), or is the local one.
 *     3. A walk that went round in circles is made once more from where a short climb of the span
 *        leads (climb.c), and then with steps that may not make things worse.
 *     4. Whatever did not end so goes to the net (gjk.c), whose answer needs no start and no
 *        smoothness; further walks from there bring the witness points to the surfaces.
 */
#include <stddef.h>

#include "smooth.h"
#include "support_solver.h"

static void write_end(const ovi_walk *w, const ovi_walk_end *e, ovi_result *r) {
    const ovi_pair *pair = w->pair;
    double lower = e->lower - pair->rounding, upper = e->upper + pair->rounding;
    r->lower = lower > r->lower ? lower : r->lower; // no calls of fmax() and fmin()
    r->upper = upper < r->upper ? upper : r->upper;
    r->gap = e->phi < 0.0 ? e->phi : e->upper;
    r->point_a = e->point_a;
    r->point_b = e->point_b;
    r->normal = ovi_walk_normal(w, e);
}

static ov_vec3 lane_vector(const ovi_triple_2 *t, int lane) {
    return ov_vec3_make(t->x[lane], t->y[lane], t->z[lane]);
}

static void keep_warm(ov_warm_start *warm, const ovi_triple_2 *place, ov_vec3 normal) {
    if (warm != NULL) {
        warm->a = lane_vector(place, 0);
        warm->b = lane_vector(place, 1);
        warm->normal = normal;
    }
}

/** Is a depth the least of all, by the balls in the bodies, as surely as the options ask? */
static bool is_least(const ovi_pair *p, const ovi_walk_end *e, double rolling) {
    if (p->depth == OV_DEPTH_PROVEN) {
        return ovi_rolling_bound(p, rolling) - (e->lower - p->rounding) <= p->goal;
    }
    return rolling - e->phi <= p->goal;
}

/** Overlap with a stationary depth: true where it is proven, and then the result is complete. */
static bool finish_overlap(const ovi_walk *w, const ovi_walk_end *e, ov_warm_start *warm,
                           ovi_result *r) {
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(e->point_a, e->point_b), 0.5);
    double rolling = ovi_rolling_gap(w->pair, e), upper = ovi_rolling_bound(w->pair, rolling);
    if (!r->overlap && upper >= 0.0 && !ovi_is_common_point(w->pair, middle)) {
        return false;
    }
    if (w->pair->depth == OV_DEPTH_LOCAL && !e->least && isnan(w->pair->limit)) {
        return false; // a saddle or a greatest depth: the search finds a least one
    }
    r->overlap = true;
    r->upper = fmin(r->upper, fmin(upper, 0.0));
    ovi_triple_2 place = e->place;
    bool least = is_least(w->pair, e, rolling);
    if (w->pair->depth == OV_DEPTH_LOCAL || least || ovi_is_enough(w->pair, r)) {
        double proven = r->upper;
        write_end(w, e, r);
        r->upper = fmax(proven, e->phi); // the balls may know it better than a loose walk's points
        r->solved = true;
    } else {
        ovi_depth_search(w, e, r, &place);
    }
    keep_warm(warm, &place, r->normal);
    return true;
}

/** A proven end of a walk as the result, where it is one. */
static bool take(const ovi_walk *w, const ovi_walk_end *e, ov_warm_start *warm, ovi_result *r) {
    const ovi_pair *pair = w->pair;
    if (e->verdict == OVI_WALK_DEEP) {
        return finish_overlap(w, e, warm, r);
    }
    ovi_result sure = *r;
    // points, normal and bounds belong together: what the net proved is not mixed with the walk's
    sure.lower = -INFINITY;
    sure.upper = sure.overlap ? sure.upper : INFINITY;
    write_end(w, e, &sure);
    if (!ovi_is_enough(pair, &sure)) {
        return false; // the tangent plane cuts the hull of a dented body
    }
    if ((r->lower > 0.0 && !(sure.lower > 0.0)) || !(sure.gap <= sure.upper)) {
        return false; // within the goal, but the net knows better
    }
    sure.solved = true;
    *r = sure;
    keep_warm(warm, &e->place, r->normal);
    return true;
}

/** The end of a walk as the result, where it is one. */
static bool accept(const ovi_walk *w, ovi_walk_end *e, ov_warm_start *warm, ovi_result *r) {
    r->iterations += e->iterations;
    if (e->verdict == OVI_WALK_LOST) {
        return false;
    }
    ovi_walk_prove(w, e);
    return e->verdict != OVI_WALK_LOST && take(w, e, warm, r);
}

/**
 * Walks from the net's answer. Where the bodies just touch, a walk may end at a stationary depth
 * instead of a distance; it is the same place if its depth is within the bounds.
 */
static bool finish_by_walk(const ovi_walk *w, ov_warm_start *warm, ovi_result *r) {
    ovi_result net = *r;
    for (int body = 0; body < 2; body++) {
        ovi_walk_end e;
        bool found = ovi_walk_bridge_near(w, &net, body, &e);
        r->iterations += e.iterations;
        if (found && take(w, &e, warm, r)) {
            return true;
        }
    }
    for (int attempt = 0; attempt < OVI_WALK_ATTEMPTS; attempt++) {
        ovi_walk_end e = ovi_walk_again(w, &net, attempt);
        bool deep = e.verdict == OVI_WALK_DEEP;
        if (!deep && accept(w, &e, warm, r)) {
            return true;
        }
        if (deep && net.solved && e.phi >= net.lower && e.phi <= net.upper) {
            ovi_result sure = net;
            ovi_walk_prove(w, &e);
            if (e.verdict == OVI_WALK_LOST) {
                continue;
            }
            sure.lower = -INFINITY; // what the new normal shows
            write_end(w, &e, &sure);
            sure.iterations = r->iterations + e.iterations;
            if (ovi_is_enough(w->pair, &sure)) {
                *r = sure;
                return true;
            }
        }
    }
    net.iterations = r->iterations;
    *r = net;
    return false;
}

/** Runs the net on, as far as rounding allows: the bounds are close enough, the normal is not. */
static void refine_net(const ovi_pair *pair, ovi_result *r) {
    ovi_pair fine = *pair;
    fine.goal = fmin(pair->goal, 6.0 * pair->rounding);
    ovi_result finer = ovi_result_unknown();
    if (ovi_gjk_distance(&fine, r->normal, &finer) == OV_OK && !isnan(finer.gap) &&
        finer.upper - finer.lower < r->upper - r->lower) {
        finer.solved = r->solved;
        finer.overlap |= r->overlap;
        finer.iterations += r->iterations;
        *r = finer;
    }
}

/** The net's answer brought to the surfaces. */
static void finish_touch(const ovi_walk *w, ov_warm_start *warm, ovi_result *r) {
    if (finish_by_walk(w, warm, r) || ovi_refine_by_cuts(w->pair, r)) {
        return;
    }
    refine_net(w->pair, r);
    if (!finish_by_walk(w, warm, r)) {
        ovi_witness_by_supports(w->pair, r);
    }
}

/** What the net found, brought to the surfaces, or to the least depth from a walk's end, if any. */
static void finish_net(const ovi_walk *w, const ovi_walk_end *end, ov_warm_start *warm,
                       ovi_result *r) {
    if (warm != NULL) {
        warm->normal = r->normal;
    }
    if (r->overlap && !r->solved) {
        if (!ovi_is_enough(w->pair, r)) {
            // its points were not found to overlap: over a dent the point between them is outside
            bool deep = end != NULL && end->verdict == OVI_WALK_DEEP;
            ovi_depth_search(w, deep && w->pair->depth != OV_DEPTH_LOCAL ? end : NULL, r, NULL);
        }
    } else if (!isnan(r->gap)) {
        finish_touch(w, warm, r);
    }
}

/** Unit vector along the line of centres; some direction where they coincide. */
static ov_vec3 line_of_centres(const ovi_pair *p) {
    ov_vec3 n = ov_vec3_normalize(p->offset);
    return ovi_is_direction(n) ? n : ov_vec3_make(1.0, 0.0, 0.0);
}

/** A symmetric matrix. */
typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

/** Adds k u u^T. */
static inline void add_square(sym3 *m, double k, ov_vec3 u) {
    ov_vec3 v = ov_vec3_scale(u, k);
    m->xx += v.x * u.x;
    m->yy += v.y * u.y;
    m->zz += v.z * u.z;
    m->xy += v.x * u.y;
    m->xz += v.x * u.z;
    m->yz += v.y * u.z;
}

/** The direction of the vector v that solves m v = d. */
static inline ov_vec3 solve_direction(const sym3 *m, ov_vec3 d) {
    double xx = m->yy * m->zz - m->yz * m->yz, yy = m->xx * m->zz - m->xz * m->xz;
    double zz = m->xx * m->yy - m->xy * m->xy, xy = m->xz * m->yz - m->xy * m->zz;
    double xz = m->xy * m->yz - m->xz * m->yy, yz = m->xy * m->xz - m->xx * m->yz;
    return ov_vec3_make(xx * d.x + xy * d.y + xz * d.z, xy * d.x + yy * d.y + yz * d.z,
                        xz * d.x + yz * d.y + zz * d.z);
}

/** Are both bodies as long as wide and high? */
static bool are_even(const ovi_pair *p) {
    const ov_vec3 a = p->a->a, b = p->b->a;
    return a.x == a.y && a.x == a.z && b.x == b.y && b.x == b.z;
}

/**
 * A first guess of the normal. With the semi-axes of both bodies as those of ellipsoids A and B, d
 * the line of centres, a = |A d| and b = |B d|, the ellipsoid of the matrix
 * (a + b) (A^2/a + B^2/b) holds their sum, and closely so along d. Where the nearest point of an
 * ellipsoid M to d is, the normal is along (M + t)^-1 d, t being the radius times the gap. Both
 * times a b/(a + b):
 *
 *     (b A^2 + a B^2 + a b max(0, 1 - (a + b)/d.d))^-1 d
 */
static ov_vec3 first_normal(const ovi_pair *p) {
    if (are_even(p)) {
        return line_of_centres(p); // that is what it comes to
    }
    double i = 1.0 / p->size;
    ov_vec3 d = ov_vec3_scale(p->offset, i), e = ovi_to_b(p, d);
    ov_vec3 sa = ov_vec3_scale(p->a->a, i), sb = ov_vec3_scale(p->b->a, i);
    ov_vec3 ad = ov_vec3_mul(sa, d), be = ov_vec3_mul(sb, e);
    double a = sqrt(ov_vec3_dot(ad, ad)), b = sqrt(ov_vec3_dot(be, be));
    double free = 1.0 - (a + b) / ov_vec3_dot(d, d), t = a * b * (free > 0.0 ? free : 0.0);
    sa = ov_vec3_mul(sa, sa);
    sb = ov_vec3_mul(sb, sb);
    sym3 m = {b * sa.x + t, b * sa.y + t, b * sa.z + t, 0.0, 0.0, 0.0};
    add_square(&m, a * sb.x, p->turn.cx);
    add_square(&m, a * sb.y, p->turn.cy);
    add_square(&m, a * sb.z, p->turn.cz);
    return ov_vec3_normalize(solve_direction(&m, d));
}

ovi_triple_2 ovi_walk_first(const ovi_walk *w, const ov_warm_start *warm) {
    if (warm != NULL && ovi_is_direction(warm->a) && ovi_is_direction(warm->b)) {
        return (ovi_triple_2){
            {warm->a.x, warm->b.x}, {warm->a.y, warm->b.y}, {warm->a.z, warm->b.z}};
    }
    ov_vec3 n = first_normal(w->pair);
    return ovi_walk_place(w, ovi_is_direction(n) ? n : line_of_centres(w->pair));
}

/** Spans of a climb that gives a walk its start. */
enum { CLIMB_SPANS = 16 };

/** Where to begin after a walk that went round in circles: at the end of a short climb. */
static ovi_triple_2 place_after_climb(const ovi_walk *w, ovi_result *r) {
    ovi_result best = ovi_result_unknown();
    best.normal = line_of_centres(w->pair);
    ovi_minkowski net = ovi_minkowski_make(w->pair);
    (void)ovi_separation_ascent(&net, CLIMB_SPANS,
                                &best); // the best direction so far serves in any case
    r->iterations += best.iterations;
    return ovi_walk_place(w, best.normal);
}

ov_status ovi_smooth_finish(const ovi_walk *w, ovi_walk_end *end, ov_warm_start *warm,
                            ovi_result *result) {
    if (end != NULL && accept(w, end, warm, result)) {
        return OV_OK;
    }
    if (end != NULL && end->iterations >= OVI_WALK_STEPS) {
        ovi_triple_2 higher = place_after_climb(w, result);
        *end = ovi_walk_from(w, &higher);
        if (accept(w, end, warm, result)) {
            return OV_OK;
        }
        ovi_walk again = *w;
        again.careful = true;
        ovi_triple_2 place = ovi_walk_first(w, NULL);
        *end = ovi_walk_from(&again, &place);
        if (accept(w, end, warm, result)) {
            return OV_OK;
        }
    }
    int iterations = result->iterations;
    // the end of a walk that met no hull is still a good direction
    bool near = end != NULL && end->phi > 0.0 && ovi_is_direction(end->normal_a);
    ov_vec3 first = near ? end->normal_a : line_of_centres(w->pair);
    *result = ovi_result_unknown();
    ov_status status = ovi_gjk_distance(w->pair, first, result);
    result->iterations += iterations;
    if (status == OV_OK && !w->pair->rough) {
        finish_net(w, end, warm, result);
    }
    return status;
}

ov_status ovi_smooth_contact(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result) {
    ovi_walk w = ovi_walk_make(pair);
    if (!ovi_smooth_is_walkable(pair)) {
        return ovi_smooth_finish(&w, NULL, warm, result);
    }
    ovi_triple_2 place = ovi_walk_first(&w, warm);
    ovi_walk_end end = ovi_walk_from(&w, &place);
    return ovi_smooth_finish(&w, &end, warm, result);
}
