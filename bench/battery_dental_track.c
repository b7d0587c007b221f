/**
 * @file battery_dental_track.c
 * @brief The least gap of two bodies of several parts, frame after frame, with public calls only:
 * how a user of the library would follow a bite.
 *
 * The least gap over all pairs of parts needs few of them to be asked:
 *
 * 1. A gap is the signed distance of two convex bodies, also where they overlap. When no point of
 *    one body moves by more than d, it changes by no more than d. So what was proven about a pair
 *    in some frame holds for later ones, less the way that the tooth went since.
 * 2. The same holds for larger bodies: the gap of the bounding balls is a lower bound, also where
 *    the balls overlap.
 * 3. The pair that was nearest in the last frame is asked first. All pairs whose lower bound by 1
 *    or 2 is above its gap need not be asked.
 *
 * Every pair is thus either asked or proven to be further apart: the answer is exact, and does not
 * jump when boxes begin to overlap, as that of [Benchmark, Fig. 14] does.
 */
#include "battery_dental.h"

#include <math.h>

/** Bounds that were added up many times are off by rounding: far more than by that. */
#define SLACK 1e-11

ov_pose dental_place(ov_pose body, ov_pose part) {
    return (ov_pose){ov_pose_apply(body, part.position), ov_quat_mul(body.rotation, part.rotation)};
}

static double reach_of(const dental_tooth *tooth) {
    double reach = 0.0;
    for (size_t i = 0; i < tooth->count; i++) {
        const ov_part *part = &tooth->parts[i];
        ov_vec3 centre = ov_pose_apply(part->pose, part->shape.ball.centre);
        reach = fmax(reach, ov_vec3_length(centre) + part->shape.ball.radius);
    }
    return reach;
}

void dental_track_begin(dental_track *t, const dental_tooth teeth[DENTAL_TEETH], ov_depth depth) {
    t->teeth = teeth;
    t->options = ov_default_pair_options();
    t->options.depth = depth;
    t->count = teeth[DENTAL_LOWER].count * teeth[DENTAL_UPPER].count;
    t->reach = reach_of(&teeth[DENTAL_UPPER]);
    for (int k = 0; k < DENTAL_TEETH; k++) {
        for (size_t i = 0; i < teeth[k].count; i++) {
            const ov_part *part = &teeth[k].parts[i];
            ov_ball ball = part->shape.ball;
            ball.centre = ov_pose_apply(part->pose, ball.centre);
            t->balls[k][i] = ball;
        }
    }
    dental_track_forget(t);
}

void dental_track_forget(dental_track *t) {
    t->begun = false;
    t->travel = 0.0;
    for (size_t k = 0; k < t->count; k++) {
        t->known[k] = -INFINITY;
        t->warm[k] = (ov_warm_start){0};
    }
}

/** No point of a tooth with this reach moves by more than this between two poses. */
static double motion(double reach, ov_pose from, ov_pose to) {
    ov_quat turn = ov_quat_mul(ov_quat_conjugate(from.rotation), to.rotation);
    // the chord of a turn by an angle is twice the sine of half of it
    double chord = 2.0 * ov_vec3_length(ov_vec3_make(turn.x, turn.y, turn.z)) * reach;
    return ov_vec3_length(ov_vec3_sub(to.position, from.position)) + chord;
}

/** One frame at work. */
typedef struct frame {
    dental_track *track;
    ov_pose upper;
    size_t uppers; /**< parts of the upper tooth */
    dental_least *least;
    double lower; /**< least of all proven bounds */
} frame;

static double ball_gap(const frame *f, size_t pair) {
    const ov_ball *a = &f->track->balls[DENTAL_LOWER][pair / f->uppers];
    const ov_ball *b = &f->track->balls[DENTAL_UPPER][pair % f->uppers];
    ov_vec3 offset = ov_vec3_sub(ov_pose_apply(f->upper, b->centre), a->centre);
    return ov_vec3_length(offset) - a->radius - b->radius;
}

static ov_status ask(frame *f, size_t pair) {
    dental_track *t = f->track;
    size_t i = pair / f->uppers, j = pair % f->uppers;
    const ov_part *a = &t->teeth[DENTAL_LOWER].parts[i], *b = &t->teeth[DENTAL_UPPER].parts[j];
    ov_contact contact;
    ov_status status =
        ov_pair_contact(&a->shape, a->pose, &b->shape, dental_place(f->upper, b->pose), &t->options,
                        &t->warm[pair], &contact);
    f->least->queries++;
    if (status < 0) {
        f->least->contact = contact;
        return status;
    }
    t->known[pair] = contact.gap_lower + t->travel - SLACK;
    f->lower = fmin(f->lower, contact.gap_lower);
    if (f->least->queries == 1 || contact.gap < f->least->contact.gap) {
        f->least->contact = contact;
        f->least->part_a = i;
        f->least->part_b = j;
        t->nearest = pair;
    }
    return OV_OK;
}

/** Without a frame before, the pair with the nearest balls is asked first. */
static size_t nearest_balls(frame *f) {
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t k = 0; k < f->track->count; k++) {
        double gap = ball_gap(f, k);
        f->track->known[k] = gap - SLACK;
        if (gap < least) {
            least = gap;
            nearest = k;
        }
    }
    return nearest;
}

ov_status dental_track_step(dental_track *t, ov_pose upper, dental_least *least) {
    frame f = {t, upper, t->teeth[DENTAL_UPPER].count, least, INFINITY};
    least->queries = 0;
    if (t->begun) {
        t->travel += motion(t->reach, t->pose, upper);
    } else {
        t->nearest = nearest_balls(&f);
        t->begun = true;
    }
    t->pose = upper;
    size_t first = t->nearest;
    ov_status status = ask(&f, first);
    for (size_t k = 0; k < t->count && status >= 0; k++) {
        if (t->known[k] - t->travel > least->contact.gap || k == first) {
            continue;
        }
        t->known[k] = fmax(t->known[k], ball_gap(&f, k) + t->travel - SLACK);
        if (t->known[k] - t->travel <= least->contact.gap) {
            status = ask(&f, k);
        }
    }
    if (status >= 0) {
        least->contact.gap_lower = f.lower;
        status = least->contact.status;
    }
    return status;
}

/* ---- the same by a world */

bool dental_world_begin(dental_world *w, const dental_tooth teeth[DENTAL_TEETH]) {
    *w = (dental_world){.teeth = teeth, .reach = reach_of(&teeth[DENTAL_UPPER])};
    bool good = ov_world_create(NULL, &w->world) == OV_OK;
    for (int k = 0; k < DENTAL_TEETH && good; k++) {
        ov_body_def def = ov_default_body_def();
        good = ov_geometry_create(teeth[k].parts, teeth[k].count, NULL, &w->geometries[k]) == OV_OK;
        def.geometry = w->geometries[k];
        def.fixed = k == DENTAL_LOWER;
        good = good && ov_world_add(w->world, &def, &w->bodies[k]) == OV_OK;
    }
    return good;
}

void dental_world_end(dental_world *w) {
    ov_world_destroy(w->world);
    ov_geometry_destroy(w->geometries[DENTAL_LOWER]);
    ov_geometry_destroy(w->geometries[DENTAL_UPPER]);
    *w = (dental_world){0};
}

ov_status dental_world_step(dental_world *w, ov_pose upper, dental_least *least) {
    const ov_world_contact *contacts = NULL;
    ov_world_contact nearest;
    size_t count = 0;
    ov_status status = ov_world_move(w->world, w->bodies[DENTAL_UPPER], upper);
    if (status >= 0 && !w->begun) {
        status = ov_world_nearest(w->world, &nearest);
        w->gap = status >= 0 ? nearest.contact.gap : 0.0;
        w->pose = upper;
    }
    double limit = fmax(0.0, w->gap + motion(w->reach, w->pose, upper) + SLACK);
    if (status >= 0) {
        status = ov_world_contacts(w->world, limit, &contacts, &count);
    }
    if (status < 0 || count == 0) {
        return status < 0 ? status : OV_NOT_CONVERGED;
    }
    size_t best = 0;
    double lower = INFINITY;
    for (size_t k = 0; k < count; k++) {
        lower = fmin(lower, contacts[k].contact.gap_lower);
        best = contacts[k].contact.gap < contacts[best].contact.gap ? k : best;
    }
    *least =
        (dental_least){contacts[best].part_a, contacts[best].part_b, contacts[best].contact, count};
    least->contact.gap_lower = lower;
    w->gap = least->contact.gap;
    w->pose = upper;
    w->begun = true;
    return least->contact.status;
}
