/**
 * @file world_query.c
 * @brief Questions to a world that change nothing: contacts of one body or shape, the nearest pair,
 * rays, casts, and what is in a box.
 *
 * All of them go through the tree by the boxes of its nodes and leave out what cannot matter:
 * boxes hold the bodies, so a box that is further away than the best answer so far holds no better
 * one. Half-spaces have no box and are asked one by one.
 */
#include <float.h>
#include <math.h>

#include "../math/rounding_mode.h"
#include "../query/query_internal.h"
#include "world_internal.h"

/** Boxes are taken to be nearer by this part of the coordinates, against rounding. */
#define BOX_ROUNDING (8.0 * DBL_EPSILON)

static double outside(double a_min, double a_max, double b_min, double b_max) {
    double d = b_min - a_max > a_min - b_max ? b_min - a_max : a_min - b_max;
    return d > 0.0 ? d : 0.0;
}

/** Square of the distance of two boxes; 0 where they meet. */
static double box_distance2(const ov_aabb *a, const ov_aabb *b) {
    double x = outside(a->min.x, a->max.x, b->min.x, b->max.x);
    double y = outside(a->min.y, a->max.y, b->min.y, b->max.y);
    double z = outside(a->min.z, a->max.z, b->min.z, b->max.z);
    return x * x + y * y + z * z;
}

/* ---- what is near to a part */

static double near_key(void *user, const ov_aabb *box) {
    const ovi_near_search *s = user;
    double square = box_distance2(&s->bounds.box, box);
    // most boxes are beyond by far: no root for these; tiny squares are not accurate
    if (square > 1e-280 && square * (1.0 - 4.0 * BOX_ROUNDING) > s->limit * s->limit) {
        return INFINITY;
    }
    double distance = sqrt(square) * (1.0 - BOX_ROUNDING);
    return distance > s->limit ? INFINITY : distance;
}

/** Is a part proven to be beyond the limit, by its ball or its oriented box? */
static bool is_beyond(const ovi_near_search *s, const ovi_part *part, ov_pose body) {
    if (!s->part->bounded || !part->bounded || !isfinite(s->limit)) {
        return false;
    }
    double error = s->bounds.rounding + ovi_bounds_rounding(part, body);
    ov_vec3 centre = ov_pose_apply(body, part->ball.centre);
    if (ovi_ball_bound(s->bounds.centre, s->part->ball.radius + error, centre, part->ball.radius) >
        s->limit) {
        return true;
    }
    ovi_placed_box placed = ovi_part_obb(part, body);
    return ovi_placed_boxes_apart(&s->bounds.placed, &placed, ovi_limit_up(s->limit) + error,
                                  OVI_AXES_ERROR);
}

static bool near_leaf(void *user, uint32_t node, uint32_t leaf) {
    (void)node;
    const ovi_near_search *s = user;
    const ovi_leaf *l = &s->world->leaves[leaf];
    const ovi_body *b = &s->world->bodies[l->body];
    return is_beyond(s, &b->geometry->parts[l->part], b->pose) || s->visit(s->user, l);
}

/** The half-spaces, which are not in the tree; false where the visitor ended it. */
static bool visit_halfspaces(const ov_world *world, ovi_bvh_visit visit, void *user) {
    for (size_t i = 0; i < world->halfspaces.count; i++) {
        if (!visit(user, OVI_NO_NODE, world->halfspaces.items[i])) {
            return false;
        }
    }
    return true;
}

bool ovi_world_search_near(ovi_near_search *s) {
    const double all = INFINITY;
    if (s->part->bounded) {
        s->bounds = ovi_part_bounds_of(s->part, s->pose);
    } else {
        s->bounds.box = (ov_aabb){{-all, -all, -all}, {all, all, all}};
    }
    return ovi_bvh_search(&s->world->tree, near_key, near_leaf, s) &&
           (!s->part->bounded || visit_halfspaces(s->world, near_leaf, s));
}

/* ---- one part against the world */

/** A part whose contacts with the world are asked for, and what is done with them. */
typedef struct part_query {
    ovi_near_search near; /**< whose limit shrinks where the nearest is looked for */
    const ovi_body *body; /**< null: a shape that is not in the world */
    uint32_t index;       /**< of the part */
    uint32_t mask;
    bool nearest; /**< keep only the contact with the least gap ... */
    double lower; /**< ... and this: no gap of those asked is less */
    ov_world_contact *contacts;
    size_t room, count;
    ov_status status;
} part_query;

static bool is_wanted(const part_query *q, const ovi_body *other) {
    return q->body != NULL ? ovi_is_pair(q->body, other) : (other->group & q->mask) != 0;
}

static void keep(part_query *q, const ov_world_contact *c) {
    if (q->nearest) {
        q->lower = fmin(q->lower, c->contact.gap_lower);
        if (q->count == 0 || c->contact.gap < q->contacts[0].contact.gap) {
            q->contacts[0] = *c;
            q->near.limit = fmax(c->contact.gap_upper, 0.0);
        }
        q->count = 1;
    } else if (q->count++ < q->room) {
        q->contacts[q->count - 1] = *c;
    }
}

/** Asks for the contact with a leaf. */
static bool ask_leaf(void *user, const ovi_leaf *l) {
    part_query *q = user;
    const ov_world *w = q->near.world;
    const ovi_body *other = &w->bodies[l->body];
    if (!is_wanted(q, other)) {
        return true;
    }
    // 0 is the leaf and 1 the asker; A is the one with the smaller id, and the leaf if only that
    // has one
    bool asker_is_a = q->body != NULL && ovi_is_before(q->body, other);
    const ovi_part *parts[2] = {&other->geometry->parts[l->part], q->near.part};
    ov_pose poses[2] = {other->pose, q->near.pose};
    ov_trimesh_contact c;
    int a = asker_is_a, b = !asker_is_a;
    c.contact.status = ovi_parts_contact(&parts[a]->part, ovi_part_pose(parts[a], poses[a]),
                                         &parts[b]->part, ovi_part_pose(parts[b], poses[b]),
                                         ovi_limit_up(q->near.limit), &w->options.pair, NULL, &c);
    if (c.contact.status < 0) {
        q->status = q->status == OV_OK ? c.contact.status : q->status;
        return true;
    }
    ovi_contact_widen(&c.contact, ovi_part_pose_rounding(parts[0], poses[0]) +
                                      ovi_part_pose_rounding(parts[1], poses[1]));
    if (c.contact.gap_lower > q->near.limit) {
        return true;
    }
    ov_body ids[2] = {ovi_body_id(w, other), q->body != NULL ? ovi_body_id(w, q->body) : 0};
    void *users[2] = {other->user, q->body != NULL ? q->body->user : NULL};
    uint32_t indices[2] = {l->part, q->index};
    ov_world_contact contact = {.a = ids[a],
                                .b = ids[b],
                                .user_a = users[a],
                                .user_b = users[b],
                                .part_a = indices[a],
                                .part_b = indices[b],
                                .triangle_a = c.triangle_a,
                                .triangle_b = c.triangle_b,
                                .contact = c.contact};
    keep(q, &contact);
    return true;
}

/** Asks all leaves that may be within the limit: those of the tree and the half-spaces. */
static void ask_world(part_query *q) {
    q->near.visit = ask_leaf;
    q->near.user = q;
    (void)ovi_world_search_near(&q->near);
}

ov_status ov_world_body_contacts(const ov_world *world, ov_body body, double limit,
                                 ov_world_contact *contacts, size_t room, size_t *count) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_world_body_contacts(world, body, limit, contacts, room, count));
    if (world == NULL || count == NULL || (contacts == NULL && room > 0)) {
        return OV_ERROR_NULL;
    }
    *count = 0;
    const ovi_body *b = ovi_body_of(world, body);
    if (b == NULL) {
        return OV_ERROR_INDEX;
    }
    ov_status status = ovi_check_limit(limit);
    if (status != OV_OK) {
        return status;
    }
    part_query q = {.near = {.world = world, .pose = b->pose, .limit = limit},
                    .body = b,
                    .contacts = contacts,
                    .room = room};
    for (uint32_t i = 0; i < b->geometry->count; i++) {
        q.near.part = &b->geometry->parts[i];
        q.index = i;
        ask_world(&q);
    }
    *count = q.count;
    return q.status;
}

/** A shape of the caller's as a part, checked and with bounds. */
static ov_status make_probe(const ov_shape *shape, ov_pose *pose, ovi_part *part) {
    ov_status status = ovi_pose_normalize(pose);
    if (status != OV_OK) {
        return status;
    }
    return ovi_part_make(&(ov_part){.shape = *shape, .pose = ov_pose_identity()}, part);
}

ov_status ov_world_shape_contacts(const ov_world *world, const ov_shape *shape, ov_pose pose,
                                  double limit, uint32_t mask, ov_world_contact *contacts,
                                  size_t room, size_t *count) {
    OVI_ROUND_TO_NEAREST(
        ov_status, ov_world_shape_contacts(world, shape, pose, limit, mask, contacts, room, count));
    if (world == NULL || shape == NULL || count == NULL || (contacts == NULL && room > 0)) {
        return OV_ERROR_NULL;
    }
    *count = 0;
    ovi_part part;
    ov_status status = make_probe(shape, &pose, &part);
    status = status == OV_OK ? ovi_check_limit(limit) : status;
    if (status != OV_OK) {
        return status;
    }
    part_query q = {.near = {.world = world, .part = &part, .pose = pose, .limit = limit},
                    .mask = ovi_mask_of(mask),
                    .contacts = contacts,
                    .room = room};
    ask_world(&q);
    *count = q.count;
    return q.status;
}

ov_status ov_world_nearest(const ov_world *world, ov_world_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_nearest(world, contact));
    if (world == NULL || contact == NULL) {
        return OV_ERROR_NULL;
    }
    part_query q = {.near = {.world = world, .limit = INFINITY},
                    .nearest = true,
                    .lower = INFINITY,
                    .contacts = contact,
                    .room = 1};
    for (size_t i = 0; i < world->count; i++) {
        q.body = &world->bodies[i];
        q.near.pose = q.body->pose;
        for (uint32_t k = 0; k < q.body->geometry->count; k++) {
            q.near.part = &q.body->geometry->parts[k];
            q.index = k;
            if (q.near.part
                    ->bounded) { // half-spaces are met by what asks, and are no pair themselves
                ask_world(&q);
            }
        }
    }
    if (q.status != OV_OK || q.count == 0) {
        return q.status != OV_OK ? q.status : OV_ERROR_COUNT;
    }
    // another pair may be nearer by as much as its bounds are apart
    ovi_contact_lower(&contact->contact, q.lower);
    return OV_OK;
}

/* ---- what a ray or a cast meets first */

/** Status and bounds of the first hit of several parts, of which some may be neither hit nor
 * missed.
 */
typedef struct first_hit {
    ov_status error, best; /**< the first error; the status of the best hit */
    double lower;          /**< no part that is hit is hit before */
    double undecided;      /**< no part that may be hit is hit before */
} first_hit;

static first_hit no_hit_yet(void) { return (first_hit){OV_OK, OV_OK, INFINITY, INFINITY}; }

/** Takes the answer of one part; true where it is the nearest hit so far. */
static bool take_hit(first_hit *f, ov_status status, bool hit, double at, double lower,
                     double best) {
    if (status < 0) {
        f->error = f->error == OV_OK ? status : f->error;
        return false;
    }
    if (!hit) {
        f->undecided = status != OV_OK ? fmin(f->undecided, lower) : f->undecided;
        return false;
    }
    f->lower = fmin(f->lower, lower);
    if (at >= best) {
        return false;
    }
    f->best = status;
    return true;
}

/** The status of all. A part that may be hit before the best hit lowers the bound of that. */
static ov_status end_hits(const first_hit *f, double best, double *lower) {
    bool decided = !(f->undecided < best);
    *lower = fmin(*lower, decided ? f->lower : fmin(f->lower, f->undecided));
    return f->error != OV_OK ? f->error : decided ? f->best : OV_NOT_CONVERGED;
}

/**
 * By how much a hit moves along a direction where the part is off by `error`: the part is behind
 * the plane across the normal, which moves by no more than that; the hit does to first order.
 */
static double shift(ov_vec3 normal, ov_vec3 direction, double error) {
    return error > 0.0 ? error / fabs(ov_vec3_dot(normal, direction)) : 0.0;
}

/* ---- rays */

typedef struct ray_query {
    const ov_world *world;
    ov_vec3 origin, direction; /**< unit */
    double reach;              /**< to the best hit so far */
    uint32_t mask;
    ov_world_ray_hit *hit;
    first_hit first;
} ray_query;

/** Cuts the stretch [near, far] of a ray down to what is between two planes across an axis. */
static void clip(double origin, double direction, double min, double max, double *near,
                 double *far) {
    double error = BOX_ROUNDING * (fabs(origin) + fabs(min) + fabs(max));
    min -= error;
    max += error;
    if (direction == 0.0) {
        if (origin < min || origin > max) {
            *far = -INFINITY;
        }
        return;
    }
    double t1 = (min - origin) / direction, t2 = (max - origin) / direction;
    double first = t1 < t2 ? t1 : t2, second = t1 < t2 ? t2 : t1;
    first -= BOX_ROUNDING * fabs(first);
    second += BOX_ROUNDING * fabs(second);
    *near = first > *near ? first : *near;
    *far = second < *far ? second : *far;
}

/** Where a line enters a box, from 0 to `reach`; infinite where it does not. */
static double enter_box(ov_vec3 origin, ov_vec3 direction, double reach, const ov_aabb *box) {
    double near = 0.0, far = reach;
    clip(origin.x, direction.x, box->min.x, box->max.x, &near, &far);
    clip(origin.y, direction.y, box->min.y, box->max.y, &near, &far);
    clip(origin.z, direction.z, box->min.z, box->max.z, &near, &far);
    return near <= far ? near : INFINITY;
}

static double ray_key(void *user, const ov_aabb *box) {
    const ray_query *q = user;
    return enter_box(q->origin, q->direction, q->reach, box);
}

static bool ray_leaf(void *user, uint32_t node, uint32_t leaf) {
    (void)node;
    ray_query *q = user;
    const ovi_leaf *l = &q->world->leaves[leaf];
    const ovi_body *b = &q->world->bodies[l->body];
    if ((b->group & q->mask) == 0) {
        return true;
    }
    const ovi_part *part = &b->geometry->parts[l->part];
    ov_pose pose = ovi_part_pose(part, b->pose);
    ov_ray_hit hit;
    uint32_t triangle = OV_NO_TRIANGLE;
    ov_status status =
        part->part.mesh != NULL
            ? ov_trimesh_ray_cast(part->part.mesh, pose, q->origin, q->direction, q->reach, &hit,
                                  &triangle)
            : ov_ray_cast(&part->part.shape, pose, q->origin, q->direction, q->reach, &hit);
    if (status >= 0 && hit.hit && hit.distance > 0.0) {
        double by = shift(hit.normal, q->direction, ovi_part_pose_rounding(part, b->pose));
        hit.distance_lower = fmax(hit.distance_lower - by, 0.0);
        hit.distance_upper += by;
    }
    if (take_hit(&q->first, status, hit.hit, hit.distance, hit.distance_lower,
                 q->hit->ray.distance)) {
        *q->hit = (ov_world_ray_hit){ovi_body_id(q->world, b), b->user, l->part, triangle, hit};
        q->reach = hit.distance;
    }
    return true;
}

ov_status ov_world_ray_cast(const ov_world *world, ov_vec3 origin, ov_vec3 direction, double reach,
                            uint32_t mask, ov_world_ray_hit *hit) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_ray_cast(world, origin, direction, reach, mask, hit));
    if (world == NULL || hit == NULL) {
        return OV_ERROR_NULL;
    }
    *hit = (ov_world_ray_hit){.triangle = OV_NO_TRIANGLE, .ray = ovi_ray_hit_none(INFINITY)};
    ov_vec3 unit;
    ov_status status = ovi_check_point(origin);
    status = status == OV_OK ? ovi_check_ray(direction, reach, &unit) : status;
    if (status != OV_OK) {
        return status;
    }
    ray_query q = {world, origin, unit, reach, ovi_mask_of(mask), hit, no_hit_yet()};
    (void)ovi_bvh_search(&world->tree, ray_key, ray_leaf, &q);
    (void)visit_halfspaces(world, ray_leaf, &q);
    return end_hits(&q.first, hit->ray.distance, &hit->ray.distance_lower);
}

/* ---- casts */

typedef struct cast_query {
    const ov_world *world;
    const ovi_part *part;
    ov_pose pose;
    ov_vec3 translation;
    ov_aabb box;     /**< of the shape where it starts */
    double fraction; /**< of the best hit so far */
    uint32_t mask;
    ov_world_cast_hit *hit;
    first_hit first;
} cast_query;

/** Two boxes, of which one moves, meet when its first corner is in the other one grown by its size.
 */
static double cast_key(void *user, const ov_aabb *box) {
    const cast_query *q = user;
    ov_vec3 size = ov_vec3_sub(q->box.max, q->box.min);
    ov_aabb grown = {ov_vec3_sub(box->min, size), box->max};
    return enter_box(q->box.min, q->translation, q->fraction, &grown);
}

static bool cast_leaf(void *user, uint32_t node, uint32_t leaf) {
    (void)node;
    cast_query *q = user;
    const ovi_leaf *l = &q->world->leaves[leaf];
    const ovi_body *b = &q->world->bodies[l->body];
    if ((b->group & q->mask) == 0) {
        return true;
    }
    const ovi_part *part = &b->geometry->parts[l->part];
    ov_pose pose = ovi_part_pose(part, b->pose);
    const ov_pair_options *options = &q->world->options.pair;
    ov_cast_hit hit;
    uint32_t triangle = OV_NO_TRIANGLE;
    ov_status status = part->part.mesh != NULL
                           ? ov_trimesh_shape_cast(&q->part->part.shape, q->pose, q->translation,
                                                   part->part.mesh, pose, options, &hit, &triangle)
                           : ov_shape_cast(&q->part->part.shape, q->pose, q->translation,
                                           &part->part.shape, pose, options, &hit);
    if (status >= 0 && hit.hit && hit.fraction > 0.0) {
        double error = ovi_part_pose_rounding(part, b->pose);
        double by = shift(hit.contact.normal, q->translation, error);
        hit.fraction_lower = fmax(hit.fraction_lower - by, 0.0);
        hit.fraction_upper += by;
        ovi_contact_widen(&hit.contact, error);
    }
    if (take_hit(&q->first, status, hit.hit, hit.fraction, hit.fraction_lower,
                 q->hit->cast.fraction)) {
        *q->hit = (ov_world_cast_hit){ovi_body_id(q->world, b), b->user, l->part, triangle, hit};
        q->fraction = hit.fraction;
    }
    return true;
}

ov_status ov_world_shape_cast(const ov_world *world, const ov_shape *shape, ov_pose pose,
                              ov_vec3 translation, uint32_t mask, ov_world_cast_hit *hit) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_world_shape_cast(world, shape, pose, translation, mask, hit));
    if (world == NULL || shape == NULL || hit == NULL) {
        return OV_ERROR_NULL;
    }
    *hit = (ov_world_cast_hit){
        .triangle = OV_NO_TRIANGLE,
        .cast = {.fraction = INFINITY, .fraction_lower = INFINITY, .fraction_upper = INFINITY}};
    ovi_part part;
    ov_status status = make_probe(shape, &pose, &part);
    status = status == OV_OK ? ovi_check_point(translation) : status;
    if (status != OV_OK) {
        return status;
    }
    cast_query q = {.world = world,
                    .part = &part,
                    .pose = pose,
                    .translation = translation,
                    .fraction = 1.0,
                    .mask = ovi_mask_of(mask),
                    .hit = hit,
                    .first = no_hit_yet()};
    if (!part.bounded) {
        return OV_ERROR_UNBOUNDED;
    }
    q.box = ovi_part_aabb(&part, pose);
    (void)ovi_bvh_search(&world->tree, cast_key, cast_leaf, &q);
    (void)visit_halfspaces(world, cast_leaf, &q);
    return end_hits(&q.first, hit->cast.fraction, &hit->cast.fraction_lower);
}

/* ---- boxes */

typedef struct box_query {
    const ov_world *world;
    ov_aabb box;
    ovi_part part; /**< the box as a part */
    ov_pose pose;
    uint32_t mask;
    ov_body *bodies;
    size_t room, count;
    ov_status status;
} box_query;

/** Is a part not proven to be outside the box? */
static bool meets_box(box_query *q, const ovi_part *part, ov_pose body) {
    ov_pose pose = ovi_part_pose(part, body);
    double error = ovi_part_pose_rounding(part, body);
    const ov_pair_options *options = &q->world->options.pair;
    ov_answer apart = OV_ANSWER_UNKNOWN;
    ov_status status;
    if (part->part.mesh == NULL) {
        status = ov_pair_exceeds(&q->part.part.shape, q->pose, &part->part.shape, pose, error,
                                 options, NULL, &apart);
    } else {
        ov_trimesh_contact c;
        status = ov_trimesh_shape_contact(part->part.mesh, pose, &q->part.part.shape, q->pose,
                                          ovi_limit_up(error), options, &c);
        apart = status >= 0 && c.contact.gap_lower > error ? OV_ANSWER_YES : OV_ANSWER_UNKNOWN;
    }
    if (status < 0) {
        q->status = q->status == OV_OK ? status : q->status;
        return false;
    }
    return apart != OV_ANSWER_YES;
}

/** Does the search visit a leaf? Half-spaces it always does. */
static bool is_visited(const box_query *q, const ovi_leaf *l) {
    return l->node == OVI_NO_NODE || ovi_boxes_meet(&q->world->tree.nodes[l->node].box, &q->box);
}

/** A body is looked at once: when the first of those of its parts that are visited is. */
static bool is_first_part(const box_query *q, const ovi_body *b, uint32_t part) {
    for (uint32_t i = b->leaf; i != OVI_NONE; i = q->world->leaves[i].next) {
        const ovi_leaf *l = &q->world->leaves[i];
        if (l->part < part && is_visited(q, l)) {
            return false;
        }
    }
    return true;
}

static bool body_meets_box(box_query *q, const ovi_body *b) {
    for (uint32_t i = b->leaf; i != OVI_NONE; i = q->world->leaves[i].next) {
        const ovi_leaf *l = &q->world->leaves[i];
        if (is_visited(q, l) && meets_box(q, &b->geometry->parts[l->part], b->pose)) {
            return true;
        }
    }
    return false;
}

static bool box_leaf(void *user, uint32_t node, uint32_t leaf) {
    (void)node;
    box_query *q = user;
    const ovi_leaf *l = &q->world->leaves[leaf];
    const ovi_body *b = &q->world->bodies[l->body];
    if ((b->group & q->mask) == 0 || !is_first_part(q, b, l->part) || !body_meets_box(q, b)) {
        return true;
    }
    if (q->count++ < q->room) {
        q->bodies[q->count - 1] = ovi_body_id(q->world, b);
    }
    return true;
}

ov_status ov_world_box_overlaps(const ov_world *world, ov_aabb box, uint32_t mask, ov_body *bodies,
                                size_t room, size_t *count) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_box_overlaps(world, box, mask, bodies, room, count));
    if (world == NULL || count == NULL || (bodies == NULL && room > 0)) {
        return OV_ERROR_NULL;
    }
    *count = 0;
    ov_status status = ovi_check_point(box.min);
    status = status == OV_OK ? ovi_check_point(box.max) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 centre = ov_vec3_scale(ov_vec3_add(box.min, box.max), 0.5);
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box.max, box.min), 0.5);
    if (half.x < 0.0 || half.y < 0.0 || half.z < 0.0) {
        return OV_ERROR_OPTION;
    }
    // what the rounding of the centre takes off is added to the half extents; boxes may be flat
    half.x = fmax(half.x + BOX_ROUNDING * (half.x + fabs(centre.x)), OV_SIZE_MIN);
    half.y = fmax(half.y + BOX_ROUNDING * (half.y + fabs(centre.y)), OV_SIZE_MIN);
    half.z = fmax(half.z + BOX_ROUNDING * (half.z + fabs(centre.z)), OV_SIZE_MIN);
    ov_shape shape;
    box_query q = {
        .world = world, .box = box, .mask = ovi_mask_of(mask), .bodies = bodies, .room = room};
    q.pose = (ov_pose){centre, ov_quat_identity()};
    status = ov_shape_make_box(half, &shape);
    status = status == OV_OK ? make_probe(&shape, &q.pose, &q.part) : status;
    if (status != OV_OK) {
        return status;
    }
    (void)ovi_bvh_meet(&world->tree, &box, box_leaf, &q);
    (void)visit_halfspaces(world, box_leaf, &q);
    *count = q.count;
    return q.status;
}
