/**
 * @file superquadric_pair.c
 * @brief Contact of two superquadrics (the smooth family): Newton's method on the surfaces first,
 * the support-based solver where it fails.
 *
 *     1. Newton's method from the warm start, or from where two ellipsoids would touch. Its end is
 *        certified by itself (superquadric_newton.c), for hulls over dents after a proof
 *        (superquadric_hull.c), and in more than 99 of 100 ordinary pairs that is all.
 *     2. An end at a stationary depth is confirmed by balls inside the bodies, which show shallow
 *        depths to be the least of all, or by a common interior point, half way between the witness
 *        points; then the least depth is searched (superquadric_depth.c), or is the local one.
 *     3. An iteration that went round in circles is made once more from where a short ascent of the
 *        separation leads (support_refine.c), and then with damped steps.
 *     4. Whatever did not end so goes to GJK, whose answer needs no start and no smoothness; from
 *        there Newton's method, damped and in other parametrisations, or else cutting planes, bring
 *        normal and witness points to their last digits.
 */
#include <stddef.h>

#include "superquadric_newton.h"
#include "support_solver.h"

/** What a gauge below one may be short of it by rounding: of its powers, and of 1 + t zeta. */
static double gauge_margin(const ov_shape *s) {
    double taper = fmax(fabs(s->tx), fabs(s->ty));
    return 1e-13 + 4.0 * DBL_EPSILON / (1.0 - taper);
}

/** Is a point inside both bodies? In A's frame; half way between the points of an end, if there is
 *  one, it may be below the bridges over dents. */
static bool is_common_point(const ovi_newton *newton, const ovi_newton_end *e, ov_vec3 point) {
    const ovi_pair *p = newton->pair;
    // B's point is off by the rounding of the offset, which counts most across a thin body
    double least = fmin(p->b->a.x * (1.0 - fabs(p->b->tx)), p->b->a.y * (1.0 - fabs(p->b->ty)));
    double off = 8.0 * DBL_EPSILON * (ov_vec3_length(p->offset) + ov_vec3_length(point));
    double inside_a = 1.0 - gauge_margin(p->a);
    double inside_b = 1.0 - gauge_margin(p->b) - off / fmin(least, p->b->a.z);
    ov_vec3 of_b = ovi_to_b(p, ov_vec3_sub(point, p->offset));
    return (ovi_family_gauge_value(p->a, point) < inside_a ||
            (e != NULL && ovi_hull_holds(newton, e, 0, point, inside_a))) &&
           (ovi_family_gauge_value(p->b, of_b) < inside_b ||
            (e != NULL && ovi_hull_holds(newton, e, 1, of_b, inside_b)));
}

/** Writes an end into the result: gap, points, normal, and the bounds, where they are closer. */
static void write_to_result(const ovi_newton *newton, const ovi_newton_end *e, ovi_result *r) {
    const ovi_pair *pair = newton->pair;
    double lower = e->lower - pair->rounding, upper = e->upper + pair->rounding;
    r->lower = lower > r->lower ? lower : r->lower; // cheaper than fmax() and fmin()
    r->upper = upper < r->upper ? upper : r->upper;
    r->gap = e->phi < 0.0 ? e->phi : e->upper;
    r->point_a = e->point_a;
    r->point_b = e->point_b;
    r->normal = ovi_newton_normal(newton, e);
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
static bool is_least(const ovi_pair *p, const ovi_newton_end *e, double rolling) {
    if (p->depth == OV_DEPTH_PROVEN) {
        return ovi_rolling_bound(p, rolling) - (e->lower - p->rounding) <= p->goal;
    }
    return rolling - e->phi <= p->goal;
}

/** Overlap with a stationary depth: true where it is proven, and then the result is complete. */
static bool finish_overlap(const ovi_newton *newton, const ovi_newton_end *e, ov_warm_start *warm,
                           ovi_result *r) {
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(e->point_a, e->point_b), 0.5);
    double rolling = ovi_rolling_gap(newton->pair, e);
    double upper = ovi_rolling_bound(newton->pair, rolling);
    if (!r->overlap && upper >= 0.0 && !is_common_point(newton, e, middle)) {
        return false;
    }
    if (newton->pair->depth == OV_DEPTH_LOCAL && !e->least && isnan(newton->pair->limit)) {
        return false; // a saddle or a greatest depth: the search finds a least one
    }
    if (e->lower - newton->pair->rounding < r->lower - newton->pair->goal) {
        return false; // a lesser depth is known
    }
    r->overlap = true;
    r->upper = fmin(r->upper, fmin(upper, 0.0));
    ovi_triple_2 place = e->place;
    bool least = is_least(newton->pair, e, rolling);
    if (newton->pair->depth == OV_DEPTH_LOCAL || least || ovi_is_enough(newton->pair, r)) {
        double proven = r->upper;
        r->lower = -INFINITY; // what another solver's normal showed is not mixed in
        write_to_result(newton, e, r);
        r->upper = fmax(proven, e->phi); // the balls may know it better than a loose end's points
        r->solved = true;
    } else {
        ovi_depth_search(newton, e, r, &place);
    }
    keep_warm(warm, &place, r->normal);
    return true;
}

/** Takes a proven end as the result; false where it is none, and nothing is changed then. */
static bool take_end(const ovi_newton *newton, const ovi_newton_end *e, ov_warm_start *warm,
                     ovi_result *r) {
    const ovi_pair *pair = newton->pair;
    if (e->verdict == OVI_NEWTON_DEEP) {
        return finish_overlap(newton, e, warm, r);
    }
    ovi_result sure = *r;
    // points, normal and bounds belong together: those of another solver are not mixed in
    sure.lower = -INFINITY;
    sure.upper = sure.overlap ? sure.upper : INFINITY;
    write_to_result(newton, e, &sure);
    if (!ovi_is_enough(pair, &sure)) {
        return false; // the tangent plane cuts the hull of a dented body
    }
    if ((r->lower > 0.0 && !(sure.lower > 0.0)) || !(sure.gap <= sure.upper)) {
        return false; // within the goal, but the solver knows better
    }
    sure.solved = true;
    *r = sure;
    keep_warm(warm, &e->place, r->normal);
    return true;
}

/** Proves an end for the hulls too, and takes it as the result; false where that fails. */
static bool prove_and_take(const ovi_newton *newton, ovi_newton_end *e, ov_warm_start *warm,
                           ovi_result *r) {
    r->iterations += e->iterations;
    if (e->verdict == OVI_NEWTON_FAILED) {
        return false;
    }
    ovi_hull_prove(newton, e);
    return e->verdict != OVI_NEWTON_FAILED && take_end(newton, e, warm, r);
}

/**
 * Newton's method from the support-based solver's answer; false, and only iterations counted, where
 * that is no better. Where the bodies just touch, it may end at a stationary depth instead of a
 * distance; that is the same contact if the depth is within the bounds.
 */
static bool refine_by_newton(const ovi_newton *newton, ov_warm_start *warm, ovi_result *r) {
    ovi_result known = *r;
    for (int body = 0; body < 2; body++) {
        ovi_newton_end e;
        bool found = ovi_hull_bridge_near(newton, &known, body, &e);
        r->iterations += e.iterations;
        if (found && take_end(newton, &e, warm, r)) {
            return true;
        }
    }
    for (int attempt = 0; attempt < OVI_RETRIES; attempt++) {
        ovi_newton_end e = ovi_newton_retry(newton, &known, attempt);
        bool deep = e.verdict == OVI_NEWTON_DEEP;
        if (!deep && prove_and_take(newton, &e, warm, r)) {
            return true;
        }
        if (deep && known.solved && e.phi >= known.lower && e.phi <= known.upper) {
            ovi_result sure = known;
            ovi_hull_prove(newton, &e);
            if (e.verdict == OVI_NEWTON_FAILED) {
                continue;
            }
            sure.lower = -INFINITY; // what the new normal shows
            write_to_result(newton, &e, &sure);
            sure.iterations = r->iterations + e.iterations;
            if (ovi_is_enough(newton->pair, &sure)) {
                *r = sure;
                return true;
            }
        }
    }
    known.iterations = r->iterations;
    *r = known;
    return false;
}

/** Runs GJK on, as far as rounding allows: the bounds are close enough, the normal is not. */
static void refine_by_gjk(const ovi_pair *pair, ovi_result *r) {
    ovi_pair fine = *pair;
    fine.goal = fmin(pair->goal, 6.0 * pair->rounding);
    ovi_result finer = ovi_result_unknown();
    if (ovi_gjk_distance(&fine, r->normal, NULL, &finer) == OV_OK && !isnan(finer.gap) &&
        finer.upper - finer.lower < r->upper - r->lower) {
        finer.solved = r->solved;
        finer.overlap |= r->overlap;
        finer.iterations += r->iterations;
        *r = finer;
    }
}

/** Brings the answer of bodies that do not overlap, or hardly so, to the surfaces. */
static void refine_answer(const ovi_newton *newton, ov_warm_start *warm, ovi_result *r) {
    if (refine_by_newton(newton, warm, r) || ovi_refine_by_cuts(newton->pair, r)) {
        return;
    }
    refine_by_gjk(newton->pair, r);
    if (!refine_by_newton(newton, warm, r)) {
        ovi_witness_by_supports(newton->pair, r);
    }
}

/** Completes GJK's answer: brings it to the surfaces, or, of bodies that overlap, searches the
 * least depth, beginning with the end of an iteration if there is one. */
static void complete_gjk(const ovi_newton *newton, const ovi_newton_end *end, ov_warm_start *warm,
                         ovi_result *r) {
    if (warm != NULL) {
        warm->normal = r->normal;
    }
    if (r->overlap && !r->solved) {
        if (!ovi_is_enough(newton->pair, r)) {
            // its points were not found to overlap: over a dent the point between them is outside
            bool deep = end != NULL && end->verdict == OVI_NEWTON_DEEP;
            ovi_depth_search(newton, deep && newton->pair->depth != OV_DEPTH_LOCAL ? end : NULL, r,
                             NULL);
        }
    } else if (!isnan(r->gap)) {
        refine_answer(newton, warm, r);
    }
}

/** Unit vector along the line of centres; some direction where they coincide. */
static ov_vec3 line_of_centres(const ovi_pair *p) {
    ov_vec3 n = ov_vec3_normalize(p->offset);
    return ovi_is_direction(n) ? n : ov_vec3_make(1.0, 0.0, 0.0);
}

/** Are both bodies as long as wide and high? */
static bool are_even(const ovi_pair *p) {
    const ov_vec3 a = p->a->a, b = p->b->a;
    return a.x == a.y && a.x == a.z && b.x == b.y && b.x == b.z;
}

static ovi_triple_1 triple_of(ov_vec3 v) { return (ovi_triple_1){v.x, v.y, v.z}; }

static ov_vec3 first_normal(const ovi_pair *p) {
    if (are_even(p)) {
        return line_of_centres(p); // that is what it comes to
    }
    const ov_mat3 *m = &p->turn;
    const ovi_triple_1 turn[3] = {
        {m->cx.x, m->cy.x, m->cz.x}, {m->cx.y, m->cy.y, m->cz.y}, {m->cx.z, m->cy.z, m->cz.z}};
    return ov_vec3_normalize(ovi_vec_of(ovi_first_normal_1(
        triple_of(p->a->a), triple_of(p->b->a), turn, triple_of(p->offset), 1.0 / p->size)));
}

ovi_triple_2 ovi_newton_start(const ovi_newton *newton, const ov_warm_start *warm) {
    if (warm != NULL && ovi_is_direction(warm->a) && ovi_is_direction(warm->b)) {
        return (ovi_triple_2){
            {warm->a.x, warm->b.x}, {warm->a.y, warm->b.y}, {warm->a.z, warm->b.z}};
    }
    ov_vec3 n = first_normal(newton->pair);
    return ovi_newton_places_along(newton, ovi_is_direction(n) ? n : line_of_centres(newton->pair));
}

/**
 * Bodies that overlap as deep as that a point on the line of their centres is in both: there is no
 * contact to look for, and the least depth is searched at once. False, and nothing changed, where
 * that is not so, or something else is asked for.
 */
static bool finish_deep(const ovi_newton *newton, ov_warm_start *warm, ovi_result *r) {
    const ovi_pair *p = newton->pair;
    if (p->depth == OV_DEPTH_LOCAL || p->rough || !isnan(p->limit)) {
        return false;
    }
    double ga = ovi_family_gauge_value(p->a, p->offset);
    double gb = ovi_family_gauge_value(p->b, ov_vec3_neg(ovi_to_b(p, p->offset)));
    ov_vec3 between = ov_vec3_scale(p->offset, ga > 0.0 ? gb / (ga + gb) : 0.5);
    ovi_result deep = *r;
    ovi_triple_2 place;
    if (!is_common_point(newton, NULL, between)) {
        return false;
    }
    deep.overlap = true;
    deep.upper = fmin(deep.upper, 0.0);
    ovi_depth_search(newton, NULL, &deep, &place);
    if (deep.solved) {
        *r = deep;
        keep_warm(warm, &place, r->normal);
    }
    return deep.solved;
}

/** Supports of an ascent that gives an iteration its start. */
enum { ASCENT_SUPPORTS = 16 };

/** Where to begin after an iteration that went round in circles: at the end of a short ascent. */
static ovi_triple_2 place_after_ascent(const ovi_newton *newton, ovi_result *r) {
    ovi_result best = ovi_result_unknown();
    best.normal = line_of_centres(newton->pair);
    ovi_minkowski core = ovi_minkowski_make(newton->pair);
    (void)ovi_separation_ascent(&core, ASCENT_SUPPORTS,
                                &best); // the best direction so far serves in any case
    r->iterations += best.iterations;
    return ovi_newton_places_along(newton, best.normal);
}

ov_status ovi_superquadric_finish(const ovi_newton *newton, ovi_newton_end *end,
                                  ov_warm_start *warm, ovi_result *result) {
    if (end != NULL && prove_and_take(newton, end, warm, result)) {
        return OV_OK;
    }
    if (end != NULL && end->iterations >= OVI_NEWTON_STEPS) {
        if (finish_deep(newton, warm, result)) {
            return OV_OK;
        }
        ovi_triple_2 higher = place_after_ascent(newton, result);
        *end = ovi_newton_run(newton, &higher);
        if (prove_and_take(newton, end, warm, result)) {
            return OV_OK;
        }
        ovi_newton again = *newton;
        again.damped = true;
        again.steps = OVI_DAMPED_STEPS;
        ovi_triple_2 place = ovi_newton_start(newton, NULL);
        *end = ovi_newton_run(&again, &place);
        if (prove_and_take(newton, end, warm, result)) {
            return OV_OK;
        }
    }
    int iterations = result->iterations;
    // an end that met no hull is still a good direction
    bool near = end != NULL && end->phi > 0.0 && ovi_is_direction(end->normal_a);
    ov_vec3 first = near ? end->normal_a : line_of_centres(newton->pair);
    *result = ovi_result_unknown();
    ov_status status = ovi_gjk_distance(newton->pair, first, NULL, result);
    result->iterations += iterations;
    if (status == OV_OK && !newton->pair->rough) {
        complete_gjk(newton, end, warm, result);
    }
    return status;
}

ov_status ovi_superquadric_contact(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result) {
    ovi_newton newton = ovi_newton_make(pair);
    if (!ovi_newton_applies(pair->a, pair->b)) {
        return ovi_superquadric_finish(&newton, NULL, warm, result);
    }
    ovi_triple_2 place = ovi_newton_start(&newton, warm);
    ovi_newton_end end = ovi_newton_run(&newton, &place);
    return ovi_superquadric_finish(&newton, &end, warm, result);
}
