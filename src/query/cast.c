/**
 * @file cast.c
 * @brief Translation sweeps of one convex body towards another: when do they first meet?
 *
 * A moves by s T, s from 0 to 1, B rests; all is seen from A's frame, where B moves by -s T.
 *
 *     1. A unit n from A to B with the proven gap g at s proves the motion free as long as
 *
 *            g - (s' - s) n.T > 0
 *
 *        that is for all s' up to s + g/(n.T), or from there on for ever if n.T <= 0. The line of
 *        centres and the bodies' balls are the first such n, at no cost
 *     2. With n the normal of the contact at s this is Newton's method on the gap, which is convex
 *        in s: it comes from the left and never passes the first contact (conservative
 *        advancement). The gap after a step is as the square of the one before, so it can be told
 *        how closely the gap need be known now, and when the contact is reached
 *     3. An overlap at s proves the contact at or before s: it is looked for right behind the
 *        reached contact, and where it is not found there, farther on. Between the two, halving;
 *        each half is decided by the pair query itself
 *     4. A pass that nearly grazes converges slowly; then one query settles it: the volume that A
 *        sweeps is a convex body with the support h_A(n) + max(0, n.T), and where it is apart from
 *        B, nothing was met
 *
 * Bodies that only touch, at one moment or all the way, are not decided: `hit` is false, the
 * status OV_NOT_CONVERGED, and the motion is free up to `fraction_lower`.
 *
 * At most 2 MAX_ADVANCES + MAX_TRIALS + 1 pair queries and one for the contact; four or five are
 * usual.
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

/** The pair at s. */
static ovi_pair pair_at(const sweep *w, double s) {
    ovi_pair pair = w->pair;
    pair.offset = ov_vec3_add_scaled(pair.offset, w->t, -s);
    return pair;
}

/** Bounds and normal at s, to the goal. */
static ov_status measure_at(sweep *w, double s, double goal, ovi_result *r) {
    ovi_pair pair = pair_at(w, s);
    pair.goal = goal;
    pair.rough = true;
    return ovi_pair_solve(&pair, &w->warm, r);
}

/** Whether the bodies are apart at s, as sharply as possible. */
static ov_status decide_at(sweep *w, double s, ovi_result *r) {
    ovi_pair pair = pair_at(w, s);
    pair.limit = 0.0;
    pair.goal = 4.0 * pair.rounding;
    return ovi_pair_solve(&pair, &w->warm, r);
}

/** What a plane across the unit n proves that has the gap `gap` at s; true if it is more than
 *  before. */
static bool take_plane(sweep *w, double s, ov_vec3 n, double gap) {
    double speed = ov_vec3_dot(n, w->t) + 8.0 * DBL_EPSILON * w->length;
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

/** The way that the bodies' balls leave free: where they meet, or are next to each other. */
static void advance_balls(sweep *w) {
    const ovi_pair *p = &w->pair;
    double reach = p->a->ball.radius + p->b->ball.radius, speed2 = ov_vec3_dot(w->t, w->t);
    ov_vec3 d = ov_vec3_sub(ovi_from_b(p, p->b->ball.centre), p->a->ball.centre);
    double near = ov_vec3_dot(d, w->t) / speed2;
    if (!isfinite(reach) || !(near > 0.0)) {
        return;
    }
    ov_vec3 aside = ov_vec3_add_scaled(d, w->t, -near);
    double outer = (1.0 + 1e-6) * reach; // so that the plane is at a gap, whose sign is sure
    double chord2 = (outer * outer - ov_vec3_dot(aside, aside)) / speed2;
    double s = fmin(1.0, near - (chord2 > 0.0 ? sqrt(chord2) : 0.0));
    if (s > 0.0) {
        ov_vec3 line = ov_vec3_add_scaled(d, w->t, -s);
        double distance = ov_vec3_length(line);
        double gap = distance - reach - p->rounding;
        (void)take_plane(w, s, ov_vec3_scale(line, 1.0 / distance), gap);
    }
}

/** Looks for an overlap right behind the lower bound, which is expected to be next to the contact.
 */
static ov_status try_behind(sweep *w) {
    double s = fmin(1.0, w->lower + 0.2 * w->goal / w->length);
    ovi_result r;
    ov_status status = decide_at(w, s, &r);
    if (status == OV_OK && r.overlap) {
        w->upper = s;
    } else if (status == OV_OK) {
        (void)take_plane(w, s, r.normal, r.lower);
    }
    return status;
}

/** What Newton's method on the gap is expected to do. */
typedef struct forecast {
    double gap;  // the last one
    double bend; // a gap over the square of the one before
    double next; // the gap after the next step
} forecast;

/** Before the first step: a gap and a bend of bodies of that size, roughly. */
static forecast first_forecast(double size) { return (forecast){size, 0.1 / size, INFINITY}; }

static void learn(forecast *f, double gap) {
    // from where the balls meet the gap is not that of a step
    f->bend = isfinite(f->next) ? fmax(1e-3 * f->bend, gap / (f->gap * f->gap)) : f->bend;
    f->gap = gap;
    f->next = f->bend * gap * gap;
}

/** Conservative advancement, to the contact and an overlap right behind it, or next to it. */
static ov_status advance(sweep *w) {
    forecast f = first_forecast(w->pair.size);
    double fine = w->pair.goal, goal = 0.02 * w->pair.size;
    for (int i = 0; i < MAX_ADVANCES; i++) {
        ovi_result r;
        double before = w->lower;
        ov_status status = measure_at(w, before, fmax(goal, fine), &r);
        if (status != OV_OK) {
            return status;
        }
        if (r.overlap) {
            w->upper = before;
            return OV_OK;
        }
        bool further = take_plane(w, before, r.normal, r.lower);
        bool stalls = !further || (w->lower - before) * w->length <= 0.02 * w->goal;
        if (w->miss || (stalls && goal <= fine)) {
            return OV_OK;
        }
        learn(&f, isfinite(r.gap) ? r.gap : w->pair.size);
        bool arrived = f.next + (r.upper - r.lower) <= 0.1 * w->goal;
        if (further && arrived) {
            status = try_behind(w);
            if (status != OV_OK || w->miss || isfinite(w->upper)) {
                return status;
            }
        }
        // the next gap as closely as the one after it will be known; after a poor forecast, fully
        goal = stalls || arrived ? 0.0 : 0.3 * f.bend * f.next * f.next;
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
        ov_status status = decide_at(w, s, &r);
        if (status != OV_OK) {
            return status;
        }
        if (r.overlap) {
            w->upper = s;
        } else {
            // apart, or touching as far as anyone can tell
            bool further = take_plane(w, s, r.normal, r.lower);
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
        ov_status status = decide_at(w, 0.0, &r);
        w->miss = status == OV_OK && r.lower > 0.0;
        w->upper = status == OV_OK && r.overlap ? 0.0 : INFINITY;
        return status;
    }
    advance_balls(w);
    ov_status status = w->miss ? OV_OK : advance(w);
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
    ov_status at_contact = ov_pair_contact(a, met, b, pose_b, options, &w.warm, &hit->contact);
    if (at_contact < 0) {
        *hit = (ov_cast_hit){false, NAN, NAN, NAN, ovi_contact_none(at_contact)};
        return at_contact;
    }
    bool close = (w.upper - hit->fraction_lower) * w.length <= w.goal;
    return close ? OV_OK : OV_NOT_CONVERGED;
}
