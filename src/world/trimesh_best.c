/**
 * @file trimesh_best.c
 * @brief Book-keeping of a search for the least gap over the triangles of meshes: what is known,
 * what may be dropped, and the contact at the end. Why the bounds hold is said at
 * ovi_trimesh_best.
 */
#include "trimesh_internal.h"

/** OV_ERROR_NOT_FINITE for NaN, OV_ERROR_OPTION below zero. */
static ov_status check_limit(double limit) {
    return isnan(limit) ? OV_ERROR_NOT_FINITE : limit < 0.0 ? OV_ERROR_OPTION : OV_OK;
}

ov_trimesh_contact ovi_trimesh_no_contact(ov_status status) {
    return (ov_trimesh_contact){OV_NO_TRIANGLE, OV_NO_TRIANGLE, ovi_contact_none(status)};
}

static ovi_trimesh_best best_make(double limit) {
    return (ovi_trimesh_best){.triangle_a = OV_NO_TRIANGLE,
                              .triangle_b = OV_NO_TRIANGLE,
                              .lower = INFINITY,
                              .upper = INFINITY,
                              .cut = limit,
                              .near = INFINITY};
}

void ovi_trimesh_lengths(ovi_pair *pair, double tolerance, bool shared) {
    double a = pair->a->ball.radius, b = pair->b->ball.radius;
    pair->size = isfinite(b) ? fmax(a, b) : a;
    pair->goal = (shared ? 0.5 : 1.0) * tolerance * pair->size + 4.0 * pair->rounding;
}

/**
 * Solves a pair of shapes unless it is proven to be beyond `cut`; then `*beyond` is true and the
 * result holds its lower bound only.
 */
static ov_status solve(ovi_pair *pair, double cut, ov_warm_start *warm, ovi_result *result,
                       bool *beyond) {
    pair->limit = isfinite(cut) ? cut : NAN;
    ov_status status = ovi_pair_solve(pair, warm, result);
    *beyond = status == OV_OK && result->lower > cut;
    // a closed form knows no limits, and separated bodies are solved or not
    bool final =
        isnan(pair->limit) || result->iterations == 0 || (result->solved && !result->overlap);
    if (status != OV_OK || *beyond || final) {
        return status;
    }
    int before = result->iterations;
    pair->limit = NAN;
    status = ovi_pair_solve(pair, warm, result);
    result->iterations += before;
    return status;
}

/** What the best is chosen by. The smallest upper bound keeps the bounds of all close together. */
static double key_of(const ovi_result *r) { return r->overlap ? r->gap : r->upper; }

/** Takes a solved pair into account; true if it is the best so far. */
static bool take(ovi_trimesh_best *best, const ovi_pair *pair, double tolerance,
                 const ovi_trimesh_leaves *at, const ovi_result *r) {
    double share = 0.5 * tolerance * pair->size;
    best->lower = fmin(best->lower, r->lower);
    best->upper = fmin(best->upper, r->upper);
    best->goal = fmax(best->goal, pair->goal + share);
    if (best->found && !(key_of(r) < key_of(&best->result))) {
        return false;
    }
    best->found = true;
    best->takes++;
    best->triangle_a = at->triangle_a;
    best->triangle_b = at->triangle_b;
    best->result = *r;
    double gap = isfinite(r->gap) ? r->gap : r->upper;
    best->cut = fmin(best->cut, r->solved ? r->lower - share : gap);
    return true;
}

ov_status ovi_trimesh_place(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ovi_trimesh_search *s) {
    s->tolerance = ovi_pair_options_of(options).tolerance;
    s->limit = limit;
    s->best = best_make(limit);
    ov_status status = ovi_pair_place(a, pose_a, b, pose_b, options, &s->pair, &s->frame);
    return status == OV_OK ? check_limit(limit) : status;
}

ov_status ovi_trimesh_look(ovi_trimesh_search *s, const ov_shape *a, const ov_shape *b,
                           const ovi_trimesh_leaves *at, ov_vec3 *normal, bool *better) {
    ovi_pair pair = s->pair;
    ovi_result r;
    bool beyond;
    *better = false;
    pair.a = a;
    pair.b = b;
    ovi_trimesh_lengths(&pair, s->tolerance, s->visit == NULL);
    ov_status status = solve(&pair, ovi_trimesh_cut(s), &s->warm, &r, &beyond);
    if (status != OV_OK) {
        return status;
    }
    s->best.iterations += r.iterations;
    if (beyond) {
        ovi_trimesh_drop(&s->best, r.lower, at->node_a, at->node_b);
    } else if (s->visit == NULL) {
        *better = take(&s->best, &pair, s->tolerance, at, &r);
        *normal = r.normal;
    } else {
        ov_trimesh_contact contact = {at->triangle_a, at->triangle_b,
                                      ovi_contact_of(&pair, &s->frame, &r)};
        s->ended = contact.contact.gap_lower <= s->limit && !s->visit(s->user, &contact);
    }
    return OV_OK;
}

static ov_trimesh_contact contact_of(const ovi_trimesh_best *best, ovi_pair *pair,
                                     const ovi_frame *frame) {
    ovi_result r = best->result;
    pair->goal = fmax(best->goal, pair->goal);
    // where all was dropped, the result is of some triangle, and the bound is of all
    r.lower = best->found ? fmin(r.lower, best->lower) : best->lower;
    r.upper = fmin(r.upper, best->upper);
    r.iterations = best->iterations;
    bool close = (r.overlap ? best->result.lower : r.upper) - r.lower <= pair->goal;
    r.solved = r.solved && close;
    return (ov_trimesh_contact){best->triangle_a, best->triangle_b,
                                ovi_contact_of(pair, frame, &r)};
}

/** Two points of the shapes and their distance, where all was dropped; one span. */
static ov_status some_points(const ovi_pair *pair, ovi_result *r) {
    if (isinf(pair->b->ball.radius)) {
        return ovi_pair_solve(pair, NULL, r);
    }
    *r = ovi_result_unknown();
    ov_vec3 between = ov_vec3_sub(ovi_from_b(pair, pair->b->ball.centre), pair->a->ball.centre);
    r->normal = ov_vec3_normalize(between);
    if (!(ov_vec3_dot(r->normal, r->normal) > 0.5)) {
        r->normal = ov_vec3_make(1.0, 0.0, 0.0);
    }
    ovi_separation span;
    ov_status status = ovi_pair_separation(pair, r->normal, &span);
    if (status == OV_OK) {
        r->point_a = span.point_a;
        r->point_b = span.point_b;
        r->lower = span.gap - pair->rounding;
        r->gap = ov_vec3_length(ov_vec3_sub(span.point_b, span.point_a));
        r->upper = r->gap + pair->rounding;
        r->solved = true; // as far as the bounds say
        r->iterations = 1;
    }
    return status;
}

uint32_t ovi_trimesh_any(const ov_trimesh *mesh, uint32_t node) {
    while (mesh->nodes[node].count == 0) {
        node++;
    }
    return mesh->order[mesh->nodes[node].first];
}

ov_status ovi_trimesh_finish(ovi_trimesh_search *s, const ov_shape *a, const ov_shape *b,
                             ov_trimesh_contact *contact) {
    ovi_trimesh_best *best = &s->best;
    s->pair.a = a;
    s->pair.b = b;
    ovi_trimesh_lengths(&s->pair, s->tolerance, false);
    if (!best->found) {
        ov_status status = some_points(&s->pair, &best->result);
        if (status != OV_OK) {
            return status;
        }
        best->iterations += best->result.iterations;
    }
    *contact = contact_of(best, &s->pair, &s->frame);
    return contact->contact.status;
}
