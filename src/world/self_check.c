/**
 * @file self_check.c
 * @brief A model against itself, pose after pose.
 *
 * The pairs of parts to look at do not depend on the pose and are listed beforehand. A pose then
 * goes through layers, each of which proves of most pairs that reach it that they are further apart
 * than the limit [Portal, 2]:
 *
 * 1. Balls.
 * 2. What is known. A query proves a lower bound of a gap. Since then each point of a part has
 *    moved by no more than its odometer says, so the gap is no less than the bound less the motion
 *    of both parts. From one pose to the next the centre c of a part's ball moves, and a point at r
 *    from it is turned by at most 2 sin(angle/2) r:
 *        step = |c' - c| + 2 sin(angle/2) radius
 *    An odometer grows by no less than the steps, rounding included, so the difference of two
 *    readings bounds all the motion between them. (A part that goes to and fro moves on. What would
 *    be won by comparing poses instead would cost a pose a pair.)
 * 3. Oriented boxes.
 * 4. The pair queries, several at a time where the shapes are smooth, started from where the last
 *    one of the pair ended unless the parts have moved too far since.
 *
 * Where a part is in the world is rounded: its `error` is more than that, and is added to its ball,
 * to its steps, and to the limit of the box test.
 */
#include <float.h>

#include "../math/rounding_mode.h"
#include "articulated.h"
#include "self_check.h"

/** A start from the last query is better than a guess up to this motion, in radii. */
#define WARM_REACH 0.5

/** Some roundings, as a factor: of a sum of positive numbers, a square, a root. */
#define MORE (1.0 + 8.0 * DBL_EPSILON)

/* ---- where the parts are */

/** Errors of a rotated and moved point of a part, for a position of its link. */
static double error_at(ov_vec3 p, const ovi_checked_part *part) {
    return 32.0 * DBL_EPSILON * (fabs(p.x) + fabs(p.y) + fabs(p.z) + part->reach);
}

/** 2 sin(angle/2) of the turn between two unit quaternions, rounded up. */
static double chord_between(ov_quat a, ov_quat b) {
    // the vector part of the conjugate of a times b: small where the turn is, without cancellation
    ov_vec3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z}, w = ov_vec3_cross(u, v);
    ov_vec3 s = ov_vec3_sub(ov_vec3_sub(ov_vec3_scale(v, a.w), ov_vec3_scale(u, b.w)), w);
    return 2.0 * sqrt(ov_vec3_dot(s, s)) + 64.0 * DBL_EPSILON;
}

static bool is_same_pose(const ov_pose *a, const ov_pose *b) {
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.w == b->rotation.w &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y &&
           a->rotation.z == b->rotation.z;
}

/** Makes sure that a pose is one. Those of ov_model_poses are, and are left as they are. */
static ov_status check_pose(ov_pose *pose) {
    ov_vec3 p = pose->position;
    ov_quat q = pose->rotation;
    const double most = OV_POSITION_MAX;
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    bool is_good = fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most &&
                   fabs(square - 1.0) <= 8.0 * DBL_EPSILON;
    return is_good ? OV_OK : ovi_pose_check(pose);
}

/** Moves the parts of a link to a pose. */
static void move_carrier(ov_self_check *s, ovi_carrier *carrier, const ov_pose *pose) {
    double chord = chord_between(carrier->pose.rotation, pose->rotation);
    ov_mat3 turn = ov_mat3_from_quat(pose->rotation);
    for (uint32_t i = carrier->first; i < carrier->first + carrier->count; i++) {
        ovi_checked_part *part = &s->parts[i];
        const ov_ball *own = &part->part->ball;
        ov_vec3 centre = ov_vec3_add(ov_mat3_mul_vec3(&turn, own->centre), pose->position);
        ov_vec3 way = ov_vec3_sub(centre, s->balls[i].centre);
        double error = error_at(pose->position, part);
        if (s->has_run) {
            double step = sqrt(ov_vec3_dot(way, way)) + chord * own->radius;
            // the factor is more than the rounding of the sum, so that no step is lost in it
            s->odometers[i] = (s->odometers[i] + step * MORE + part->error + error) * MORE;
        }
        part->error = error;
        part->ready = false;
        s->balls[i] = (ov_ball){centre, (own->radius + error) * MORE};
    }
    carrier->pose = *pose;
}

/** Moves all parts; where a pose is not one, nothing is moved. */
static ov_status move_parts(ov_self_check *s, const ov_pose *poses) {
    for (size_t i = 0; i < s->carrier_count; i++) {
        ov_pose pose = poses[s->carriers[i].link];
        ov_status status = check_pose(&pose);
        if (status != OV_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < s->carrier_count; i++) {
        ovi_carrier *carrier = &s->carriers[i];
        ov_pose pose = poses[carrier->link];
        (void)check_pose(&pose);
        if (!s->has_run || !is_same_pose(&carrier->pose, &pose)) {
            move_carrier(s, carrier, &pose);
        }
    }
    s->has_run = true;
    return OV_OK;
}

/* ---- layers */

/** Both odometers together, rounded up. */
static inline double reading(const ov_self_check *s, const uint32_t pair[2]) {
    return (s->odometers[pair[0]] + s->odometers[pair[1]]) * MORE;
}

/** Pairs that neither their balls nor what is known prove to be apart. */
static size_t sift_by_balls(ov_self_check *s, double limit) {
    size_t left = 0, known = 0;
    const double least = limit * MORE;
    for (size_t k = 0; k < s->pair_count; k++) {
        const uint32_t *pair = s->pairs[k];
        const ov_ball *a = &s->balls[pair[0]], *b = &s->balls[pair[1]];
        ov_vec3 d = ov_vec3_sub(b->centre, a->centre);
        double reach = (a->radius + b->radius + limit) * MORE;
        if (ov_vec3_dot(d, d) > reach * reach) {
            continue;
        }
        const ovi_pair_memory *m = &s->memories[k];
        if (m->lower - (reading(s, pair) - m->mark) > least) {
            known++;
        } else {
            s->left[left++] = (uint32_t)k;
        }
    }
    s->counts.rejected_kept = known;
    s->counts.rejected_ball = s->pair_count - known - left;
    return left;
}

/** Pose and box of a part, where they have not been made for this pose of its link yet. */
static const ovi_checked_part *ready_part(ov_self_check *s, uint32_t index) {
    ovi_checked_part *part = &s->parts[index];
    if (!part->ready) {
        ov_pose body = s->carriers[part->carrier].pose;
        const ov_obb *box = &part->part->box;
        part->pose = ovi_part_pose(part->part, body);
        ov_quat turn =
            part->box_along ? part->pose.rotation : ov_quat_mul(body.rotation, box->pose.rotation);
        part->box = (ovi_placed_box){ov_mat3_from_quat(turn),
                                     ov_pose_apply(body, box->pose.position), part->half};
        part->ready = true;
    }
    return part;
}

static size_t sift_by_boxes(ov_self_check *s, size_t count, double limit) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *pair = s->pairs[s->left[i]];
        const ovi_checked_part *a = ready_part(s, pair[0]), *b = ready_part(s, pair[1]);
        double reach = (limit + a->skin + b->skin + a->error + b->error) * MORE;
        // twice, for the turn of a part in its link is a product already
        if (!ovi_placed_boxes_apart(&a->box, &b->box, reach, 2.0 * OVI_AXES_ERROR)) {
            s->left[left++] = s->left[i];
        }
    }
    s->counts.rejected_obb = count - left;
    return left;
}

/* ---- queries */

static bool is_shape_pair(const ovi_checked_part *a, const ovi_checked_part *b) {
    return a->part->part.mesh == NULL && b->part->part.mesh == NULL;
}

/** Where the last query ended, if that is worth something still. */
static ov_warm_start start_of(const ov_self_check *s, uint32_t k) {
    const uint32_t *pair = s->pairs[k];
    double moved = reading(s, pair) - s->memories[k].mark;
    bool near = moved <= WARM_REACH * (s->balls[pair[0]].radius + s->balls[pair[1]].radius);
    return near ? s->warm[k] : (ov_warm_start){0};
}

/** Asks for the pairs of shapes of a chunk, all at once. */
static ov_status ask_shapes(ov_self_check *s, const uint32_t *left, size_t count) {
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *pair = s->pairs[left[i]];
        const ovi_checked_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
        if (is_shape_pair(a, b)) {
            s->queries[asked] =
                (ov_pair){&a->part->part.shape, &b->part->part.shape, a->pose, b->pose};
            s->starts[asked] = start_of(s, left[i]);
            asked++;
        }
    }
    const ov_threads alone = {.count = 1};
    return ov_pair_contact_batch(s->queries, asked, &s->options, &alone, s->starts, s->answers);
}

static bool has_room(ov_self_check *s, size_t count) {
    if (count < s->contact_room) {
        return true;
    }
    void *larger = ovi_more_room(&s->allocator, s->contacts, &s->contact_room, 2 * s->contact_room,
                                 sizeof *s->contacts);
    if (larger == NULL) {
        return false;
    }
    s->contacts = larger;
    return true;
}

/** Rounding of the pose that a query was given. */
static double rounding_of(const ovi_checked_part *part) {
    return part->part->at_origin ? 0.0 : part->error;
}

/** Keeps what an answer proves, and the answer itself where it is not beyond the limit. */
static ov_status take_answer(ov_self_check *s, uint32_t k, const ov_trimesh_contact *answer,
                             double limit, size_t *found) {
    const uint32_t *pair = s->pairs[k];
    const ovi_checked_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
    ov_contact contact = answer->contact;
    if (contact.status < 0) {
        return contact.status;
    }
    ovi_contact_widen(&contact, rounding_of(a) + rounding_of(b));
    double lower = contact.gap_lower;
    s->memories[k].lower = lower - 4.0 * DBL_EPSILON * fabs(lower);
    s->memories[k].mark = (s->odometers[pair[0]] + s->odometers[pair[1]]) / MORE;
    if (lower > limit) {
        s->counts.rejected_query++;
        return OV_OK;
    }
    if (!has_room(s, *found)) {
        return OV_ERROR_MEMORY;
    }
    s->counts.overlapping += contact.relation == OV_RELATION_OVERLAPPING;
    const ovi_carrier *ca = &s->carriers[a->carrier], *cb = &s->carriers[b->carrier];
    s->contacts[(*found)++] = (ov_link_contact){.link_a = ca->link,
                                                .link_b = cb->link,
                                                .part_a = pair[0] - ca->first,
                                                .part_b = pair[1] - cb->first,
                                                .triangle_a = answer->triangle_a,
                                                .triangle_b = answer->triangle_b,
                                                .contact = contact};
    return OV_OK;
}

static ov_status ask(ov_self_check *s, const uint32_t *left, size_t count, double limit,
                     size_t *found) {
    ov_status status = ask_shapes(s, left, count);
    size_t answered = 0;
    for (size_t i = 0; status == OV_OK && i < count; i++) {
        const uint32_t *pair = s->pairs[left[i]];
        const ovi_checked_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
        ov_trimesh_contact answer = {.triangle_a = OV_NO_TRIANGLE, .triangle_b = OV_NO_TRIANGLE};
        if (is_shape_pair(a, b)) {
            s->warm[left[i]] = s->starts[answered];
            answer.contact = s->answers[answered++];
        } else {
            double reach = (limit + rounding_of(a) + rounding_of(b)) * MORE;
            (void)ovi_parts_contact(&a->part->part, a->pose, &b->part->part, b->pose, reach,
                                    &s->options, NULL, &answer);
        }
        status = take_answer(s, left[i], &answer, limit, found);
    }
    return status;
}

ov_status ov_self_check_run(ov_self_check *s, const ov_pose *poses, double limit,
                            const ov_link_contact **contacts, size_t *count) {
    OVI_NEAREST(ov_status, ov_self_check_run(s, poses, limit, contacts, count));
    if (s == NULL || poses == NULL || contacts == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    *contacts = s->contacts;
    *count = 0;
    if (!(limit >= 0.0)) {
        return isnan(limit) ? OV_ERROR_NOT_FINITE : OV_ERROR_OPTION;
    }
    ov_status status = move_parts(s, poses);
    if (status != OV_OK) {
        return status;
    }
    s->counts = (ovi_self_check_counts){.pairs = s->pair_count};
    size_t left = sift_by_balls(s, limit), found = 0;
    left = sift_by_boxes(s, left, limit);
    s->counts.queries = left;
    for (size_t i = 0; status == OV_OK && i < left; i += OVI_SELF_CHECK_CHUNK) {
        size_t chunk = left - i < OVI_SELF_CHECK_CHUNK ? left - i : OVI_SELF_CHECK_CHUNK;
        status = ask(s, s->left + i, chunk, limit, &found);
    }
    if (status != OV_OK) {
        return status;
    }
    s->counts.contacts = found;
    *contacts = s->contacts;
    *count = found;
    return OV_OK;
}

void ovi_self_check_add_counts(const ov_self_check *s, ovi_self_check_counts *sum) {
    const ovi_self_check_counts *c = &s->counts;
    sum->pairs += c->pairs;
    sum->rejected_kept += c->rejected_kept;
    sum->rejected_ball += c->rejected_ball;
    sum->rejected_obb += c->rejected_obb;
    sum->queries += c->queries;
    sum->rejected_query += c->rejected_query;
    sum->contacts += c->contacts;
    sum->overlapping += c->overlapping;
}
