/**
 * @file geometry.c
 * @brief What a body is made of: parts with the bounds that the layers of a search need, a tree
 * over them, the contact of two parts of any kind, and the contact of two such bodies.
 *
 * The gap of two bodies is the least of the gaps of their parts. Both trees are descended together,
 * nearer children first; B is seen from A's frame. What is proven to be beyond `cut` is dropped,
 * and all that is left is solved:
 *
 * 1. `cut` is the limit of the query, or the least gap g of a pair of parts so far where that is
 *    less. Boxes bound also how deep their parts can overlap, so this goes on below zero.
 * 2. The lower bound of the bodies is the least one of all pairs that were solved, and of all that
 *    were dropped. The latter are above the g of that time, so above the lower bound of its pair:
 *    they matter only where it is the limit that they were beyond.
 * 3. The upper bound is the least one of all pairs that were solved: the gap of the bodies is at
 *    most that of any pair.
 * 4. Where all was dropped, by the limit, points, gap and upper bound are those of a pair of parts
 *    where the least of the bounds was found.
 */
#include <float.h>
#include <math.h>

#include "../math/rounding_mode.h"
#include "../query/query_internal.h"
#include "bvh.h"
#include "geometry.h"
#include "trimesh_internal.h"

/** Bounds are made larger by this part of all lengths that went into them. */
#define MARGIN (16.0 * DBL_EPSILON)

ov_status ovi_pose_normalize(ov_pose *pose) {
    ov_status status = ovi_check_point(pose->position);
    return status == OV_OK ? ov_quat_normalize(pose->rotation, &pose->rotation) : status;
}

static ov_ball ball_in_body(ov_ball ball, ov_pose pose) {
    double lengths = ov_vec3_length(ball.centre) + ov_vec3_length(pose.position) + ball.radius;
    return (ov_ball){ov_pose_apply(pose, ball.centre), ball.radius + MARGIN * lengths};
}

static ov_obb box_in_body(ov_obb box, ov_pose pose) {
    double lengths = ov_vec3_length(box.pose.position) + ov_vec3_length(pose.position) +
                     ov_vec3_length(box.half);
    double more = MARGIN * lengths;
    return (ov_obb){ovi_pose_mul(pose, box.pose),
                    ov_vec3_add(box.half, (ov_vec3){more, more, more})};
}

static ov_obb box_of_mesh(const ov_trimesh *mesh) {
    ov_aabb b = ov_trimesh_box(mesh);
    ov_vec3 centre = ov_vec3_scale(ov_vec3_add(b.min, b.max), 0.5);
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(b.max, b.min), 0.5);
    ov_vec3 away = {fabs(centre.x), fabs(centre.y), fabs(centre.z)};
    half = ov_vec3_add_scaled(half, ov_vec3_add(half, away), MARGIN);
    return (ov_obb){{centre, ov_quat_identity()}, half};
}

static ov_status check_shape(const ov_shape *shape) {
    if (shape->kind <= OV_SHAPE_KIND_NONE || shape->kind >= OV_SHAPE_KIND_COUNT) {
        return OV_ERROR_SHAPE;
    }
    return ov_shape_is_convex(shape->kind) ? OV_OK : OV_ERROR_UNSUPPORTED;
}

ov_status ovi_part_make(const ov_part *given, ovi_part *part) {
    part->part = *given;
    part->part.pose = ov_pose_default(given->pose);
    ov_status status = ovi_pose_normalize(&part->part.pose);
    if (status == OV_OK && given->mesh == NULL) {
        status = check_shape(&given->shape);
    }
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 p = part->part.pose.position;
    ov_quat q = part->part.pose.rotation;
    part->at_origin =
        p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    part->bounded = given->mesh != NULL || given->shape.kind != OV_SHAPE_KIND_HALFSPACE;
    part->ball = (ov_ball){p, INFINITY};
    part->obb = (ov_obb){ov_pose_identity(), {INFINITY, INFINITY, INFINITY}};
    if (!part->bounded) {
        return OV_OK;
    }
    ov_obb box;
    ov_ball ball;
    if (given->mesh != NULL) {
        part->part.shape = (ov_shape){.kind = OV_SHAPE_KIND_NONE};
        box = box_of_mesh(given->mesh);
        ball = ov_trimesh_ball(given->mesh);
    } else {
        ball = given->shape.ball;
        status = ov_shape_obb(&given->shape, &box);
    }
    part->ball = ball_in_body(ball, part->part.pose);
    part->obb = box_in_body(box, part->part.pose);
    return status;
}

/* ---- bounds in the world */

double ovi_bounds_rounding(const ovi_part *part, ov_pose body) {
    ov_vec3 p = body.position, c = part->ball.centre;
    return 32.0 * DBL_EPSILON *
           (fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(c.x) + fabs(c.y) + fabs(c.z) +
            part->ball.radius);
}

ovi_placed_box ovi_part_obb(const ovi_part *part, ov_pose body) {
    ov_pose pose = ovi_pose_mul(body, part->obb.pose);
    return (ovi_placed_box){ovi_mat3_of_quat(pose.rotation, 2.0), pose.position, part->obb.half};
}

/** Box of an oriented box. */
static ov_aabb box_of_placed(const ovi_placed_box *b) {
    const ov_mat3 *m = &b->axes;
    ov_vec3 h = b->half, c = b->centre;
    ov_vec3 e = {fabs(m->cx.x) * h.x + fabs(m->cy.x) * h.y + fabs(m->cz.x) * h.z,
                 fabs(m->cx.y) * h.x + fabs(m->cy.y) * h.y + fabs(m->cz.y) * h.z,
                 fabs(m->cx.z) * h.x + fabs(m->cy.z) * h.y + fabs(m->cz.z) * h.z};
    return (ov_aabb){ov_vec3_sub(c, e), ov_vec3_add(c, e)};
}

static ov_aabb box_of_ball(ov_vec3 c, double r) {
    return (ov_aabb){{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
}

static ov_aabb intersection(const ov_aabb *a, const ov_aabb *b) {
    return (ov_aabb){
        {fmax(a->min.x, b->min.x), fmax(a->min.y, b->min.y), fmax(a->min.z, b->min.z)},
        {fmin(a->max.x, b->max.x), fmin(a->max.y, b->max.y), fmin(a->max.z, b->max.z)}};
}

ovi_part_bounds ovi_part_bounds_of(const ovi_part *part, ov_pose body) {
    ovi_part_bounds b = {.placed = ovi_part_obb(part, body),
                         .centre = ov_pose_apply(body, part->ball.centre),
                         .rounding = ovi_bounds_rounding(part, body)};
    ov_aabb box = box_of_placed(&b.placed), round = box_of_ball(b.centre, part->ball.radius);
    b.box = ovi_box_grow(intersection(&box, &round), b.rounding);
    return b;
}

/* ---- making */

/** Box of a bounded part along the axes of the body's frame. */
static ov_aabb aabb_in_body(const ovi_part *part) {
    return ovi_part_aabb(part, ov_pose_identity());
}

static void take_node(void *user, const ovi_bvh_made *made) {
    ov_geometry *g = user;
    g->nodes[made->index] = (ovi_part_node){.box = made->box, .second = OVI_NO_NODE};
    if (made->second) {
        g->nodes[made->parent].second = made->index;
    }
}

/** The tree over the bounded parts, which come first in g->order; these are put in its order. False
 *  for want of memory. */
static bool build_tree(ov_geometry *g) {
    if (g->bounded == 0) {
        return true;
    }
    // boxes, what they are of, and the order of the tree
    size_t size = sizeof(ov_aabb) + 2 * sizeof(uint32_t);
    ov_aabb *boxes = ovi_resize(&g->allocator, NULL, 0, g->bounded, size);
    if (boxes == NULL) {
        return false;
    }
    uint32_t *order = (uint32_t *)(boxes + g->bounded), *parts = order + g->bounded;
    for (size_t i = 0; i < g->bounded; i++) {
        parts[i] = g->order[i];
        boxes[i] = aabb_in_body(&g->parts[parts[i]]);
    }
    ovi_bvh_build(boxes, (uint32_t)g->bounded, 1, order, take_node, g);
    size_t leaf = 0;
    for (size_t i = 0; i < 2 * g->bounded - 1; i++) {
        if (g->nodes[i].second == OVI_NO_NODE) {
            g->nodes[i].part = g->order[leaf] = parts[order[leaf]];
            leaf++;
        }
    }
    ovi_release(&g->allocator, boxes, g->bounded, size);
    return true;
}

/** Bytes of a geometry with its tree. */
static size_t size_of(size_t count) {
    return sizeof(ov_geometry) +
           count * (sizeof(ovi_part) + 2 * sizeof(ovi_part_node) + sizeof(uint32_t));
}

static ov_status take_parts(ov_geometry *g, const ov_part *parts) {
    size_t unbounded = g->count;
    for (size_t i = 0; i < g->count; i++) {
        ovi_part *part = &g->parts[i];
        ov_status status = ovi_part_make(&parts[i], part);
        if (status != OV_OK) {
            return status;
        }
        if (part->bounded) {
            double reach = (ov_vec3_length(part->ball.centre) + part->ball.radius) * (1.0 + MARGIN);
            g->reach = reach > g->reach ? reach : g->reach;
            g->radius = part->ball.radius > g->radius ? part->ball.radius : g->radius;
            g->order[g->bounded++] = (uint32_t)i;
        } else {
            g->order[--unbounded] = (uint32_t)i;
        }
    }
    return OV_OK;
}

ov_status ov_geometry_create(const ov_part *parts, size_t count, const ov_allocator *allocator,
                             ov_geometry **geometry) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_geometry_create(parts, count, allocator, geometry));
    if (geometry == NULL) {
        return OV_ERROR_NULL;
    }
    *geometry = NULL;
    if (parts == NULL) {
        return OV_ERROR_NULL;
    }
    if (count == 0 || count > OV_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    ov_allocator used = ovi_allocator_of(allocator);
    ov_geometry *g = ovi_resize(&used, NULL, 0, 1, size_of(count));
    if (g == NULL) {
        return OV_ERROR_MEMORY;
    }
    *g = (ov_geometry){.allocator = used, .count = count};
    g->nodes = (ovi_part_node *)(g->parts + count);
    g->order = (uint32_t *)(g->nodes + 2 * count);
    ov_status status = take_parts(g, parts);
    if (status == OV_OK && !build_tree(g)) {
        status = OV_ERROR_MEMORY;
    }
    if (status != OV_OK) {
        ov_geometry_destroy(g);
        return status;
    }
    *geometry = g;
    return OV_OK;
}

void ov_geometry_destroy(ov_geometry *geometry) {
    if (geometry != NULL) {
        ov_allocator used = geometry->allocator;
        ovi_release(&used, geometry, 1, size_of(geometry->count));
    }
}

size_t ov_geometry_count(const ov_geometry *geometry) {
    return geometry != NULL ? geometry->count : 0;
}

const ov_part *ov_geometry_part(const ov_geometry *geometry, size_t index) {
    return index < ov_geometry_count(geometry) ? &geometry->parts[index].part : NULL;
}

/* ---- the contact of two parts, whatever they are */

/** At least one is a mesh. */
static ov_status mesh_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                              double limit, const ov_pair_options *options, bool rough,
                              ov_trimesh_contact *contact) {
    bool swap = a->mesh == NULL;
    const ovi_trimesh_query q = {.a = swap ? b->mesh : a->mesh,
                                 .b = swap ? NULL : b->mesh,
                                 .shape = swap ? &a->shape : &b->shape,
                                 .pose_a = swap ? pose_b : pose_a,
                                 .pose_b = swap ? pose_a : pose_b,
                                 .options = options,
                                 .rough = rough};
    ov_status status = ovi_trimesh_contact(&q, limit, contact);
    if (swap) {
        *contact = (ov_trimesh_contact){contact->triangle_b, contact->triangle_a,
                                        ovi_contact_swap(&contact->contact)};
    }
    return status;
}

ov_status ovi_parts_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ov_warm_start *warm,
                            ov_trimesh_contact *contact) {
    contact->triangle_a = contact->triangle_b = OV_NO_TRIANGLE;
    if (a->mesh == NULL && b->mesh == NULL) {
        return ov_pair_contact(&a->shape, pose_a, &b->shape, pose_b, options, warm,
                               &contact->contact);
    }
    return mesh_contact(a, pose_a, b, pose_b, limit, options, false, contact);
}

ov_status ovi_meshes_meet(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options,
                          ov_trimesh_contact *contact) {
    return mesh_contact(a, pose_a, b, pose_b, limit, options, true, contact);
}

double ovi_part_pose_rounding(const ovi_part *part, ov_pose body) {
    if (part->at_origin) {
        return 0.0;
    }
    double lengths = ov_vec3_length(body.position) + ov_vec3_length(part->part.pose.position);
    lengths += part->bounded ? part->ball.radius : 0.0;
    return 16.0 * DBL_EPSILON * lengths;
}

void ovi_contact_widen(ov_contact *contact, double by) {
    if (!(by > 0.0) || contact->status < 0) {
        return;
    }
    bool overlaps = contact->relation == OV_RELATION_OVERLAPPING;
    contact->gap_upper += by;
    if (overlaps && contact->gap + by < 0.0) {
        contact->gap_upper = fmin(contact->gap_upper, 0.0); // the overlap stays proven
    } else if (overlaps) {
        contact->relation = OV_RELATION_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
    ovi_contact_lower(contact, contact->gap_lower - by);
}

/* ---- the contact of two bodies */

/** Two placed geometries, and what is known about the least gap of their parts. */
typedef struct parts_search {
    const ov_geometry *a, *b;
    ov_pose given_a, given_b; /**< as they came, for parts at the body's origin */
    ov_pose pose_a, pose_b;   /**< with unit quaternions */
    ov_mat3 rotation;         /**< of B, seen from A */
    ov_vec3 rows[3];          /**< absolute values of the rotation, by rows */
    ov_vec3 offset;           /**< of B's origin, seen from A */
    double rounding;          /**< more than the rounding error of a bound */
    double limit;
    ov_pair_options options;
    bool found, overlap;
    ov_part_contact best;
    double cut, lower, upper;      /**< see the head of the file */
    double goal;                   /**< how far bounds may be apart */
    double dropped;                /**< least bound of what was dropped ... */
    uint32_t dropped_a, dropped_b; /**< ... and a pair of parts of it */
    int iterations;
} parts_search;

/** Checks the input and sees B from A's frame. */
static ov_status place_b(parts_search *s) {
    ov_status status = s->a == NULL || s->b == NULL ? OV_ERROR_NULL : OV_OK;
    status = status == OV_OK ? ovi_pose_normalize(&s->pose_a) : status;
    status = status == OV_OK ? ovi_pose_normalize(&s->pose_b) : status;
    status = status == OV_OK ? ovi_check_pair_options(&s->options) : status;
    status = status == OV_OK ? ovi_check_limit(s->limit) : status;
    if (status != OV_OK) {
        return status;
    }
    if (s->a->bounded < s->a->count && s->b->bounded < s->b->count) {
        return OV_ERROR_UNBOUNDED;
    }
    ov_quat back = ov_quat_conjugate(s->pose_a.rotation);
    ov_vec3 p = s->pose_a.position, q = s->pose_b.position;
    s->rotation = ov_mat3_from_quat(ov_quat_mul(back, s->pose_b.rotation));
    s->offset = ov_quat_rotate(back, ov_vec3_sub(q, p));
    const ov_mat3 *m = &s->rotation;
    s->rows[0] = ov_vec3_make(fabs(m->cx.x), fabs(m->cy.x), fabs(m->cz.x));
    s->rows[1] = ov_vec3_make(fabs(m->cx.y), fabs(m->cy.y), fabs(m->cz.y));
    s->rows[2] = ov_vec3_make(fabs(m->cx.z), fabs(m->cy.z), fabs(m->cz.z));
    s->rounding =
        64.0 * DBL_EPSILON * (ov_vec3_length(p) + ov_vec3_length(q) + s->a->reach + s->b->reach);
    return OV_OK;
}

static ov_vec3 from_b(const parts_search *s, ov_vec3 point) {
    return ov_vec3_add(ov_mat3_mul_vec3(&s->rotation, point), s->offset);
}

/** Lower bound of the gap of what is in two boxes, each along the axes of its own geometry. */
static double boxes_bound(const parts_search *s, const ov_aabb *a, const ov_aabb *b) {
    const ov_mat3 *m = &s->rotation;
    ov_vec3 h = ovi_box_half(a), k = ovi_box_half(b);
    ov_vec3 between = ov_vec3_sub(from_b(s, ovi_box_centre(b)), ovi_box_centre(a));
    double own = ovi_axes_bound(fabs(between.x) - h.x - ov_vec3_dot(s->rows[0], k),
                                fabs(between.y) - h.y - ov_vec3_dot(s->rows[1], k),
                                fabs(between.z) - h.z - ov_vec3_dot(s->rows[2], k));
    ov_vec3 d = ov_mat3_tmul_vec3(m, between);
    double other = ovi_axes_bound(fabs(d.x) - k.x - ovi_box_reach(h, m->cx),
                                  fabs(d.y) - k.y - ovi_box_reach(h, m->cy),
                                  fabs(d.z) - k.z - ovi_box_reach(h, m->cz));
    return fmax(own, other) - s->rounding;
}

static uint32_t some_part(const ov_geometry *g, uint32_t node) {
    while (g->nodes[node].second != OVI_NO_NODE) {
        node++;
    }
    return g->nodes[node].part;
}

/** Takes note of what is passed over: a bound beyond the cut, and two of the parts that it is of.
 */
static void drop(parts_search *s, double bound, uint32_t part_a, uint32_t part_b) {
    if (bound < s->dropped) {
        s->dropped = bound;
        s->dropped_a = part_a;
        s->dropped_b = part_b;
    }
}

/* ---- two parts */

/** Is the gap of two bounded parts proven to be beyond the cut, by balls or oriented boxes? */
static bool is_beyond(parts_search *s, uint32_t i, uint32_t k) {
    const ovi_part *a = &s->a->parts[i], *b = &s->b->parts[k];
    ov_vec3 d = ov_vec3_sub(from_b(s, b->ball.centre), a->ball.centre);
    double bound =
        ov_vec3_length(d) * (1.0 - MARGIN) - a->ball.radius - b->ball.radius - s->rounding;
    // oriented boxes tell how far parts are apart, but not how deep they overlap
    double within = fmax(ovi_limit_up(s->cut), DBL_MIN);
    if (!(bound > s->cut) && s->cut >= 0.0 && isfinite(within)) {
        ovi_placed_box p = ovi_part_obb(a, s->pose_a), q = ovi_part_obb(b, s->pose_b);
        bool apart = ovi_placed_boxes_apart(&p, &q, within + s->rounding, OVI_AXES_ERROR);
        bound = apart ? within : bound;
    }
    if (bound > s->cut) {
        drop(s, bound, i, k);
    }
    return bound > s->cut;
}

/** The contact of two parts, for the bodies as given. A part at the body's origin is asked with the
 *  pose as it came, for the very contact of ov_pair_contact. */
static ov_status ask(const parts_search *s, uint32_t i, uint32_t k, double limit,
                     ov_part_contact *out) {
    const ovi_part *a = &s->a->parts[i], *b = &s->b->parts[k];
    double error = ovi_part_pose_rounding(a, s->pose_a) + ovi_part_pose_rounding(b, s->pose_b);
    ov_trimesh_contact c;
    ov_status status =
        ovi_parts_contact(&a->part, ovi_part_pose(a, a->at_origin ? s->given_a : s->pose_a),
                          &b->part, ovi_part_pose(b, b->at_origin ? s->given_b : s->pose_b),
                          ovi_limit_up(limit) + error, &s->options, NULL, &c);
    *out = (ov_part_contact){i, k, c.triangle_a, c.triangle_b, c.contact};
    out->contact.status = status;
    ovi_contact_widen(&out->contact, error);
    return status;
}

/** Length that the tolerance of a pair of parts stands for; no less than its bounds are apart. */
static double goal_of(const parts_search *s, const ov_part_contact *c) {
    const ovi_part *a = &s->a->parts[c->part_a], *b = &s->b->parts[c->part_b];
    double size = fmax(a->bounded ? a->ball.radius : 0.0, b->bounded ? b->ball.radius : 0.0);
    const ov_contact *k = &c->contact;
    double from = k->relation == OV_RELATION_OVERLAPPING ? k->gap : k->gap_upper;
    bool close = k->status == OV_OK || k->relation == OV_RELATION_TOUCHING;
    double apart = close ? from - k->gap_lower : 0.0;
    return fmax(s->options.tolerance * size, apart);
}

static bool is_better(const ov_part_contact *c, const ov_part_contact *than) {
    if (c->contact.gap != than->contact.gap) {
        return c->contact.gap < than->contact.gap;
    }
    return c->part_a != than->part_a ? c->part_a < than->part_a : c->part_b < than->part_b;
}

/** Solves two parts unless their bounds drop them. */
static ov_status look_at(parts_search *s, uint32_t i, uint32_t k) {
    if (s->a->parts[i].bounded && s->b->parts[k].bounded && is_beyond(s, i, k)) {
        return OV_OK;
    }
    ov_part_contact c;
    ov_status status = ask(s, i, k, fmax(s->cut, 0.0), &c);
    if (status < 0) {
        return status;
    }
    s->iterations += c.contact.iterations;
    s->lower = fmin(s->lower, c.contact.gap_lower);
    s->upper = fmin(s->upper, c.contact.gap_upper);
    s->goal = fmax(s->goal, goal_of(s, &c));
    s->overlap = s->overlap || c.contact.relation == OV_RELATION_OVERLAPPING;
    if (!s->found || is_better(&c, &s->best)) {
        s->best = c;
        s->cut = fmin(s->cut, c.contact.gap);
    }
    s->found = true;
    return OV_OK;
}

/* ---- bounded parts: both trees */

/** Two nodes that are still to be looked at. */
typedef struct item {
    uint32_t a, b; // nodes
    double bound;
} item;

static item item_make(const parts_search *s, uint32_t a, uint32_t b) {
    return (item){a, b, boxes_bound(s, &s->a->nodes[a].box, &s->b->nodes[b].box)};
}

static double extent(const ov_aabb *b) {
    return b->max.x - b->min.x + (b->max.y - b->min.y) + (b->max.z - b->min.z);
}

/** The two halves of a pair of nodes, of which one at least is no leaf: the larger is divided. */
static void divide(const parts_search *s, const item *at, item out[2]) {
    const ovi_part_node *a = &s->a->nodes[at->a], *b = &s->b->nodes[at->b];
    bool by_a = b->second == OVI_NO_NODE ||
                (a->second != OVI_NO_NODE && extent(&a->box) >= extent(&b->box));
    out[0] = item_make(s, by_a ? at->a + 1 : at->a, by_a ? at->b : at->b + 1);
    out[1] = item_make(s, by_a ? a->second : at->a, by_a ? at->b : b->second);
}

static ov_status descend(parts_search *s) {
    item stack[2 * OVI_BVH_DEPTH + 2];
    int top = 0;
    stack[top++] = item_make(s, 0, 0);
    ov_status status = OV_OK;
    while (top > 0 && status == OV_OK) {
        item at = stack[--top], half[2];
        const ovi_part_node *a = &s->a->nodes[at.a], *b = &s->b->nodes[at.b];
        if (at.bound > s->cut) {
            drop(s, at.bound, some_part(s->a, at.a), some_part(s->b, at.b));
        } else if (a->second == OVI_NO_NODE && b->second == OVI_NO_NODE) {
            status = look_at(s, a->part, b->part);
        } else {
            divide(s, &at, half);
            int first = half[0].bound <= half[1].bound ? 0 : 1;
            stack[top++] = half[1 - first];
            stack[top++] = half[first];
        }
    }
    return status;
}

/* ---- half-spaces: A's against the tree of B, or B's against that of A */

static ov_status descend_halfspace(parts_search *s, uint32_t halfspace, bool of_a) {
    const ov_geometry *own = of_a ? s->a : s->b, *other = of_a ? s->b : s->a;
    const ov_part *part = &own->parts[halfspace].part;
    // the half-space is n.p <= height, in the frame of the other geometry
    ov_vec3 n = ov_quat_rotate(part->pose.rotation, part->shape.u.halfspace.normal);
    double height = part->shape.u.halfspace.offset + ov_vec3_dot(n, part->pose.position);
    double away = ov_vec3_length(part->pose.position) + fabs(part->shape.u.halfspace.offset);
    if (of_a) {
        height -= ov_vec3_dot(n, s->offset);
        n = ov_mat3_tmul_vec3(&s->rotation, n);
    } else {
        n = ov_mat3_mul_vec3(&s->rotation, n);
        height += ov_vec3_dot(n, s->offset);
    }
    double rounding = s->rounding + 64.0 * DBL_EPSILON * away;
    uint32_t stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    stack[top++] = 0;
    ov_status status = OV_OK;
    while (top > 0 && status == OV_OK) {
        uint32_t at = stack[--top];
        const ovi_part_node *node = &other->nodes[at];
        double bound = ov_vec3_dot(n, ovi_box_centre(&node->box)) -
                       ovi_box_reach(ovi_box_half(&node->box), n) - height - rounding;
        uint32_t some = bound > s->cut ? some_part(other, at) : node->part;
        if (bound > s->cut) {
            drop(s, bound, of_a ? halfspace : some, of_a ? some : halfspace);
        } else if (node->second == OVI_NO_NODE) {
            status = look_at(s, of_a ? halfspace : some, of_a ? some : halfspace);
        } else {
            stack[top++] = node->second;
            stack[top++] = at + 1;
        }
    }
    return status;
}

static ov_status descend_halfspaces(parts_search *s) {
    ov_status status = OV_OK;
    for (size_t i = s->a->bounded; i < s->a->count && status == OV_OK; i++) {
        status = descend_halfspace(s, s->a->order[i], true);
    }
    for (size_t i = s->b->bounded; i < s->b->count && status == OV_OK; i++) {
        status = descend_halfspace(s, s->b->order[i], false);
    }
    return status;
}

/* ---- the answer */

/** Bounds, relation and status of the whole. */
static void settle(parts_search *s) {
    ov_contact *c = &s->best.contact;
    bool solved = c->status == OV_OK;
    double from = s->overlap ? c->gap_lower : s->upper;
    s->lower = fmin(s->lower, s->dropped); // what was dropped by the limit may be nearer
    c->gap_lower = s->lower;
    c->gap_upper = s->upper;
    c->iterations = s->iterations;
    bool close = from - s->lower <= s->goal;
    c->status = solved && close ? OV_OK : OV_NOT_CONVERGED;
    c->relation = s->overlap       ? OV_RELATION_OVERLAPPING
                  : s->lower > 0.0 ? OV_RELATION_SEPARATED
                  : close          ? OV_RELATION_TOUCHING
                                   : OV_RELATION_UNDECIDED;
}

ov_status ov_geometry_contact(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b,
                              ov_pose pose_b, double limit, const ov_pair_options *options,
                              ov_part_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_geometry_contact(a, pose_a, b, pose_b, limit, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    parts_search s = {.a = a,
                      .b = b,
                      .given_a = pose_a,
                      .given_b = pose_b,
                      .pose_a = pose_a,
                      .pose_b = pose_b,
                      .limit = limit,
                      .options = ovi_pair_options_of(options),
                      .cut = limit,
                      .lower = INFINITY,
                      .upper = INFINITY,
                      .dropped = INFINITY};
    ov_status status = place_b(&s);
    if (status == OV_OK && a->bounded > 0 && b->bounded > 0) {
        status = descend(&s);
    }
    status = status == OV_OK ? descend_halfspaces(&s) : status;
    if (status == OV_OK && !s.found) {
        // all was dropped: some pair of parts, and the bound of all
        status = ask(&s, s.dropped_a, s.dropped_b, limit, &s.best);
        s.upper = s.best.contact.gap_upper;
        s.iterations = s.best.contact.iterations;
        s.goal = status >= 0 ? goal_of(&s, &s.best) : 0.0;
    }
    if (status < 0) {
        *contact =
            (ov_part_contact){0, 0, OV_NO_TRIANGLE, OV_NO_TRIANGLE, ovi_contact_none(status)};
        return status;
    }
    settle(&s);
    *contact = s.best;
    return contact->contact.status;
}
