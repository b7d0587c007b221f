/**
 * @file cast.c
 * @brief Translation sweeps of one convex body towards another: when do they first meet?
 *
 * A moves by s T, s from 0 to 1, B rests; all is seen from A's frame, where B moves by -s T.
 *
 *     1. A unit n from A to B with the separation g at s (ovi_pair_separation) proves the motion
 *        free as long as
 *
 *            g - (s' - s) n.T > 0
 *
 *        that is for all s' up to s + g/(n.T), or from there on for ever if n.T <= 0
 *     2. With n the normal of the contact at s this is Newton's method on the gap, which is convex
 *        in s: it comes from the left and never passes the first contact (conservative advancement)
 *     3. An overlap at s proves the contact at or before s. Between the two, halving; each half is
 *        decided by the pair query itself
 *     4. A pass that nearly grazes converges slowly; then one query settles it: the volume that A
 *        sweeps is a convex body with the support h_A(n) + max(0, n.T), and where it is apart from
 *        B, nothing was met
 *
 * Bodies that only touch, at one moment or all the way, are not decided: `hit` is false, the
 * status OV_NOT_CONVERGED, and the motion is free up to `fraction_lower`.
 *
 * At most MAX_ADVANCES + MAX_TRIALS + 1 pair queries and one for the contact.
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "query_internal.h"

enum { MAX_ADVANCES = 40, MAX_TRIALS = 100 };

typedef struct sweep {
    ovi_pair pair; // at s = 0
    ov_vec3 t;     // the translation in A's frame
    double length; // of it
    double goal;   // for the bracket, as a length
    ov_warm_start warm;
    double lower, upper; // free before, contact at; infinite: not proven
    bool miss;
} sweep;

/** The pair at s; `decide`: only whether the bodies are apart, but that as sharply as possible. */
static ov_status solve_at(sweep *w, double s, bool decide, ovi_result *r) {
    ovi_pair pair = w->pair;
    pair.offset = ov_vec3_add_scaled(pair.offset, w->t, -s);
    pair.limit = decide ? 0.0 : NAN;
    pair.goal = decide ? 4.0 * pair.rounding : pair.goal;
    return ovi_pair_solve(&pair, &w->warm, r);
}

/** Lower bound of the gap at s along n: of the result, or by supports of its own. */
static double gap_along(const sweep *w, double s, const ovi_result *r) {
    // a half-space has one direction only, in which the result is exact
    if (isinf(w->pair.a->ball.radius) || isinf(w->pair.b->ball.radius)) {
        return r->lower;
    }
    ovi_pair pair = w->pair;
    pair.offset = ov_vec3_add_scaled(pair.offset, w->t, -s);
    ovi_separation at;
    return ovi_pair_separation(&pair, r->normal, &at) == OV_OK ? at.gap - pair.rounding : -INFINITY;
}

/** What the plane of a result at s proves; true if it is more than before. */
static bool take_plane(sweep *w, double s, const ovi_result *r) {
    double gap = gap_along(w, s, r);
    double speed = ov_vec3_dot(r->normal, w->t) + 8.0 * DBL_EPSILON * w->length;
    if (!(gap > 0.0)) {
        return false;
    }
    if (speed <= 0.0) {
        // apart from s + gap/speed on, which is before s
        w->miss = s <= w->lower || s + gap / speed <= w->lower;
        return w->miss;
    }
    // apart up to s + gap/speed: at s and before it, as A came from behind
    double next = s + gap / speed;
    bool further = next > w->lower;
    w->lower = fmax(w->lower, next);
    w->miss = next > 1.0;
    return further;
}

static ov_status advance(sweep *w) {
    for (int i = 0; i < MAX_ADVANCES; i++) {
        ovi_result r;
        double before = w->lower;
        ov_status status = solve_at(w, before, false, &r);
        if (status != OV_OK) {
            return status;
        }
        if (r.overlap) {
            w->upper = before;
            return OV_OK;
        }
        bool further = take_plane(w, before, &r);
        if (w->miss || !further || (w->lower - before) * w->length <= 0.02 * w->goal) {
            return OV_OK;
        }
    }
    return OV_OK;
}

/** Looks for an overlap behind the lower bound in growing steps, then halves what is between. */
static ov_status find_overlap(sweep *w) {
    double step = 0.1 * w->goal / w->length, open = w->lower;
    for (int i = 0; i < MAX_TRIALS && !w->miss; i++) {
        bool found = isfinite(w->upper);
        if (found && (w->upper - w->lower) * w->length <= 0.5 * w->goal) {
            return OV_OK;
        }
        double s = found ? 0.5 * (open + w->upper) : fmin(1.0, fmax(open, w->lower) + step);
        if (found && !(s > open && s < w->upper)) {
            return OV_OK;
        }
        ovi_result r;
        ov_status status = solve_at(w, s, true, &r);
        if (status != OV_OK) {
            return status;
        }
        if (r.overlap) {
            w->upper = s;
        } else {
            // apart, or touching as far as anyone can tell
            bool further = take_plane(w, s, &r);
            open = fmax(s, w->lower);
            if (!found && (s >= 1.0 || (!further && ov_vec3_dot(r.normal, w->t) <= 0.0))) {
                return OV_OK;
            }
            step *= 2.0;
        }
    }
    return OV_OK;
}

/* ---- the swept volume */

static ov_vec3 swept_support(const void *user, ov_vec3 direction) {
    const ovi_swept *v = user;
    ov_support h;
    if (ovi_support_point(v->shape, direction, &h) != OV_OK) {
        return ov_vec3_make(NAN, NAN, NAN);
    }
    return ov_vec3_dot(direction, v->t) > 0.0 ? ov_vec3_add(h.point, v->t) : h.point;
}

ov_status ovi_swept_volume(const ovi_swept *swept, ov_shape *volume) {
    ov_ball ball = swept->shape->ball;
    ball.centre = ov_vec3_add_scaled(ball.centre, swept->t, 0.5);
    ball.radius = (ball.radius + 0.5 * ov_vec3_length(swept->t)) * (1.0 + OVI_BOUND_MARGIN);
    return ov_shape_make_custom(swept_support, swept, ball, volume);
}

/** Is all that A sweeps after the lower bound apart from B? */
static bool swept_is_free(const sweep *w) {
    if (isinf(w->pair.a->ball.radius) || isinf(w->pair.b->ball.radius)) {
        return false;
    }
    const ovi_swept swept = {w->pair.a, ov_vec3_scale(w->t, 1.0 - w->lower)};
    ovi_pair pair = w->pair;
    ov_shape volume;
    if (ovi_swept_volume(&swept, &volume) != OV_OK) {
        return false;
    }
    pair.a = &volume;
    pair.offset = ov_vec3_add_scaled(pair.offset, w->t, -w->lower);
    pair.limit = 0.0;
    ovi_result r;
    return ovi_pair_solve(&pair, NULL, &r) == OV_OK && r.lower > 0.0;
}

/* ---- the query */

static ov_status find_first(sweep *w) {
    if (w->length == 0.0) {
        ovi_result r;
        ov_status status = solve_at(w, 0.0, true, &r);
        w->miss = status == OV_OK && r.lower > 0.0;
        w->upper = status == OV_OK && r.overlap ? 0.0 : INFINITY;
        return status;
    }
    ov_status status = advance(w);
    if (status == OV_OK && !w->miss && isinf(w->upper)) {
        status = find_overlap(w);
    }
    if (status == OV_OK && !w->miss && isinf(w->upper)) {
        w->miss = swept_is_free(w);
    }
    return status;
}

static ov_status make_sweep(const ov_shape *a, ov_pose pose_a, ov_vec3 translation,
                            const ov_shape *b, ov_pose pose_b, const ov_pair_options *options,
                            sweep *w) {
    ovi_frame frame;
    *w = (sweep){.upper = INFINITY};
    ov_status status = ovi_pair_place(a, pose_a, b, pose_b, options, &w->pair, &frame);
    status = status == OV_OK ? ovi_check_point(translation) : status;
    if (status != OV_OK) {
        return status;
    }
    w->t = ov_mat3_tmul_vec3(&frame.turn, translation);
    w->length = ov_vec3_length(w->t);
    // the offset gets as large as the whole motion makes it
    w->pair.rounding += 32.0 * DBL_EPSILON * w->length;
    w->goal = w->pair.goal + 4.0 * w->pair.rounding;
    w->pair.goal = 0.05 * w->pair.goal + 4.0 * w->pair.rounding;
    w->pair.depth = OV_DEPTH_LOCAL;
    return OV_OK;
}

ov_status ov_shape_cast(const ov_shape *a, ov_pose pose_a, ov_vec3 translation, const ov_shape *b,
                        ov_pose pose_b, const ov_pair_options *options, ov_cast_hit *hit) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_cast(a, pose_a, translation, b, pose_b, options, hit));
    if (hit == NULL) {
        return OV_ERROR_NULL;
    }
    sweep w;
    ov_status status = make_sweep(a, pose_a, translation, b, pose_b, options, &w);
    status = status == OV_OK ? find_first(&w) : status;
    *hit = (ov_cast_hit){false, NAN, NAN, NAN, ovi_contact_none(status)};
    if (status != OV_OK) {
        return status;
    }
    hit->hit = isfinite(w.upper) && !w.miss;
    hit->fraction = hit->fraction_lower = hit->fraction_upper = INFINITY;
    if (w.miss) {
        return OV_OK;
    }
    hit->fraction_lower = w.lower;
    if (!hit->hit) {
        hit->contact.status = OV_NOT_CONVERGED;
        return OV_NOT_CONVERGED;
    }
    hit->fraction_lower = fmin(w.lower, w.upper);
    hit->fraction_upper = w.upper;
    hit->fraction = 0.5 * (hit->fraction_lower + w.upper);
    ov_pose met = pose_a;
    met.position = ov_vec3_add_scaled(pose_a.position, translation, hit->fraction);
    ov_status at_contact = ov_pair_contact(a, met, b, pose_b, options, NULL, &hit->contact);
    if (at_contact < 0) {
        return at_contact;
    }
    bool close = (w.upper - hit->fraction_lower) * w.length <= w.goal;
    return close ? OV_OK : OV_NOT_CONVERGED;
}
