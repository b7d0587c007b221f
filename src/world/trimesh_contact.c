/**
 * @file trimesh_contact.c
 * @brief Contacts of the surfaces of meshes: with a convex shape, and with each other; the
 * triangles with the least gap, and all triangles within a limit.
 *
 * B, a shape or a mesh, is placed in A's frame once. The trees are descended nearer child first;
 * what is proven to be beyond what matters is dropped, nodes and triangles by bounds, two triangles
 * at last by the pair query itself, which ends as soon as its lower bound says so. What is left is
 * solved, starting from the normal of the best one. The gap of a mesh is the least of the gaps of
 * its triangles; the proof of its bounds is at `least_gap`.
 *
 * A shape is held against nodes and triangles by its box, its ball and some planes that it lies
 * behind: a plane across a unit n, with the shape's least n.p as its height, bounds the gap of
 * whatever lies below it, overlapping or not. That of the nearest triangle so far is the one that
 * tells: a mesh that is convex there lies below it altogether, and each better triangle adds its
 * plane.
 *
 * Of two meshes both trees are descended together, the larger node of a pair being divided. The
 * boxes of B are rotated into A's frame. Two boxes are at least as far apart as along the axes of
 * either, and as in a frame with the normal of the best pair so far, which serves as planes do for
 * a shape. Two triangles are first held against these, then along the normals of their planes and
 * across pairs of their edges: every direction bounds the gap from below, and for triangles that
 * cross, the best of these is their depth, as they are the normals of the faces of the Minkowski
 * difference of the two. So of the many crossing pairs of two meshes that overlap, only those are
 * solved that are deeper than all before them.
 *
 * A descent keeps at most one sibling for each level of a tree, so its stack is as deep as the
 * trees.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

/* ---- what is known about the least gap */

/**
 * What is known about the least gap of all triangles.
 *
 * 1. `lower` is the least bound of all triangles that were looked at and of all nodes that were
 *    dropped: so it bounds all of them.
 * 2. Dropped is what is proven to be beyond `cut`: beyond the limit of the query, or no more than
 *    half a tolerance below the best lower bound. A triangle is solved to the other half. So the
 *    bounds at the end are a tolerance apart.
 */
typedef struct least_gap {
    bool found;
    uint32_t triangle_a, triangle_b;
    ovi_result result;
    double goal, share; /**< tolerance and half of it, as lengths, of the best pair */
    double lower, upper, cut;
    int improvements;              /**< how often there was a better one */
    uint32_t dropped_a, dropped_b; /**< nodes: where the least bound of the dropped ones is */
    double dropped;
    int iterations;
} least_gap;

/** Nodes that are dropped, or triangles whose leaves they are, with their bound. */
static void drop(least_gap *best, double bound, uint32_t a, uint32_t b) {
    best->lower = bound < best->lower ? bound : best->lower;
    if (bound < best->dropped) {
        best->dropped = bound;
        best->dropped_a = a;
        best->dropped_b = b;
    }
}

/** What the searches of a mesh with a shape (B) and of two meshes have in common. */
typedef struct gap_search {
    ovi_pair pair; /**< its shapes are set for each triangle */
    ovi_frame frame;
    double tolerance, limit;
    ov_warm_start warm;
    least_gap best;
    ov_trimesh_visit visit; /**< null: the least gap only */
    void *user;
    bool ended; /**< by the visitor */
} gap_search;

/** Two triangles, or OV_NO_TRIANGLE for a shape, and the leaves that they come from. */
typedef struct triangle_pair {
    uint32_t node_a, node_b, triangle_a, triangle_b;
} triangle_pair;

/** Beyond this nothing is looked at. */
static double cut_of(const gap_search *s) { return s->visit != NULL ? s->limit : s->best.cut; }

/* ---- book-keeping of a search */

static least_gap best_make(double limit) {
    return (least_gap){.triangle_a = OV_NO_TRIANGLE,
                       .triangle_b = OV_NO_TRIANGLE,
                       .lower = INFINITY,
                       .upper = INFINITY,
                       .cut = limit,
                       .dropped = INFINITY};
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
static bool take(least_gap *best, const ovi_pair *pair, double tolerance, const triangle_pair *at,
                 const ovi_result *r) {
    double share = 0.5 * tolerance * pair->size;
    best->lower = fmin(best->lower, r->lower);
    best->upper = fmin(best->upper, r->upper);
    best->goal = fmax(best->goal, pair->goal + share);
    if (best->found && !(key_of(r) < key_of(&best->result))) {
        return false;
    }
    best->found = true;
    best->improvements++;
    best->triangle_a = at->triangle_a;
    best->triangle_b = at->triangle_b;
    best->result = *r;
    double gap = isfinite(r->gap) ? r->gap : r->upper;
    best->cut = fmin(best->cut, r->solved ? r->lower - share : gap);
    return true;
}

/** Checks the input and looks at the pair from A, with proxies for meshes. */
static ov_status place_search(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              double limit, const ov_pair_options *options, gap_search *s) {
    s->tolerance = ovi_pair_options_of(options).tolerance;
    s->limit = limit;
    s->best = best_make(limit);
    ov_status status = ovi_pair_place(a, pose_a, b, pose_b, options, &s->pair, &s->frame);
    return status == OV_OK ? ovi_check_limit(limit) : status;
}

/**
 * Solves two triangles that the bounds did not drop, for the least gap or for the visitor. Where
 * they are the best so far, `*better` is true and `*normal` theirs.
 */
static ov_status solve_triangles(gap_search *s, const ov_shape *a, const ov_shape *b,
                                 const triangle_pair *at, ov_vec3 *normal, bool *better) {
    ovi_pair pair = s->pair;
    ovi_result r;
    bool beyond;
    *better = false;
    pair.a = a;
    pair.b = b;
    ovi_trimesh_lengths(&pair, s->tolerance, s->visit == NULL);
    ov_status status = solve(&pair, cut_of(s), &s->warm, &r, &beyond);
    if (status != OV_OK) {
        return status;
    }
    s->best.iterations += r.iterations;
    if (beyond) {
        drop(&s->best, r.lower, at->node_a, at->node_b);
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

static ov_trimesh_contact contact_of(const least_gap *best, ovi_pair *pair,
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

/** Two points of the shapes and their distance, where all was dropped. */
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
    ovi_separation along;
    ov_status status = ovi_pair_separation(pair, r->normal, &along);
    if (status == OV_OK) {
        r->point_a = along.point_a;
        r->point_b = along.point_b;
        r->lower = along.gap - pair->rounding;
        r->gap = ov_vec3_length(ov_vec3_sub(along.point_b, along.point_a));
        r->upper = r->gap + pair->rounding;
        r->solved = true; // as far as the bounds say
        r->iterations = 1;
    }
    return status;
}

/** Some triangle below a node: where all was dropped, the contact is of such. */
static uint32_t some_triangle(const ov_trimesh *mesh, uint32_t node) {
    while (mesh->nodes[node].count == 0) {
        node++;
    }
    return mesh->order[mesh->nodes[node].first];
}

/** The contact at the end, with the shapes of the best triangles, or of any if none. */
static ov_status finish_search(gap_search *s, const ov_shape *a, const ov_shape *b,
                               ov_trimesh_contact *contact) {
    least_gap *best = &s->best;
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

/* ---- the nearest point of a mesh: where searches begin
 *
 * It proves nothing and has no care for rounding; the pair query has that. */

/** The point of a mesh that is nearest to a point, and the triangle that it is on. */
typedef struct nearest_point {
    double square; /**< of the distance */
    ov_vec3 point;
    uint32_t triangle;
} nearest_point;

static double square_of(ov_vec3 v) { return ov_vec3_dot(v, v); }

static void keep_nearer(ov_vec3 p, ov_vec3 candidate, uint32_t triangle, nearest_point *foot) {
    double square = square_of(ov_vec3_sub(candidate, p));
    if (square < foot->square) {
        *foot = (nearest_point){square, candidate, triangle};
    }
}

static ov_vec3 nearest_of_edge(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 edge = ov_vec3_sub(b, a);
    double length = square_of(edge), t = ov_vec3_dot(ov_vec3_sub(p, a), edge);
    t = t <= 0.0 ? 0.0 : t >= length ? 1.0 : t / length;
    return ov_vec3_add_scaled(a, edge, t);
}

/** Over the face if the point is there, else at the nearest edge. */
static void look_for_nearest(const ov_trimesh *mesh, uint32_t triangle, ov_vec3 p,
                             nearest_point *foot) {
    ov_vec3 c[3];
    ovi_trimesh_corners(mesh, triangle, c);
    ov_vec3 e = ov_vec3_sub(c[1], c[0]), f = ov_vec3_sub(c[2], c[0]), n = ov_vec3_cross(e, f);
    ov_vec3 from = ov_vec3_sub(p, c[0]);
    double square = square_of(n), height = ov_vec3_dot(n, from);
    if (square > 0.0 && height * height >= foot->square * square) {
        return; // the whole plane is further off
    }
    double u = ov_vec3_dot(ov_vec3_cross(from, f), n) / square;
    double v = ov_vec3_dot(ov_vec3_cross(e, from), n) / square;
    if (u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
        ov_vec3 at = ov_vec3_add_scaled(ov_vec3_add_scaled(c[0], e, u), f, v);
        keep_nearer(p, at, triangle, foot);
        return;
    }
    for (int i = 0; i < 3; i++) {
        keep_nearer(p, nearest_of_edge(c[i], c[(i + 1) % 3], p), triangle, foot);
    }
}

/** How far a coordinate is outside an interval. */
static double outside(double x, double lo, double hi) {
    return x < lo ? lo - x : x > hi ? x - hi : 0.0;
}

static double box_square(const ov_aabb *box, ov_vec3 p) {
    return square_of(ov_vec3_make(outside(p.x, box->min.x, box->max.x),
                                  outside(p.y, box->min.y, box->max.y),
                                  outside(p.z, box->min.z, box->max.z)));
}

/**
 * Looks for a point that is nearer than it is known already; nothing is proven by it but that the
 * point is on the mesh, to rounding.
 */
static void find_nearest(const ov_trimesh *mesh, ov_vec3 p, nearest_point *foot) {
    struct item {
        uint32_t node;
        double square;
    } stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = mesh->nodes;
    int top = 0;
    stack[top++] = (struct item){0, 0.0};
    while (top > 0) {
        struct item at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        if (at.square >= foot->square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_for_nearest(mesh, mesh->order[node->first + i], p, foot);
        }
        if (node->count == 0) {
            struct item left = {at.node + 1, box_square(&nodes[at.node + 1].box, p)};
            struct item right = {node->first, box_square(&nodes[node->first].box, p)};
            bool left_first = left.square <= right.square;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
}

/* ---- a convex shape as a mesh sees it */

static void widen(ov_aabb *box, double by) {
    const ov_vec3 all = {by, by, by};
    box->min = ov_vec3_sub(box->min, all);
    box->max = ov_vec3_add(box->max, all);
}

static void add_plane(ovi_target *t, ov_vec3 n, double height) {
    t->planes[t->next] = (ovi_plane){n, height};
    t->next = (t->next + 1) % OVI_TARGET_PLANES;
    t->plane_count = t->plane_count < OVI_TARGET_PLANES ? t->plane_count + 1 : t->plane_count;
}

void ovi_target_make(const ovi_pair *pair, ov_quat rotation, ovi_target *t) {
    const ov_shape *shape = pair->b;
    *t = (ovi_target){.bounded = shape->kind != OV_SHAPE_KIND_HALFSPACE};
    if (!t->bounded) {
        ov_vec3 n = ov_vec3_neg(ovi_turn_from_b(pair, shape->u.halfspace.normal));
        add_plane(t, n, ov_vec3_dot(n, pair->offset) - shape->u.halfspace.offset - pair->rounding);
        return;
    }
    t->centre = ovi_from_b(pair, shape->ball.centre);
    t->radius = shape->ball.radius + pair->rounding;
    t->box = (ov_aabb){t->centre, t->centre};
    widen(&t->box, t->radius);
    // a caller's own body is asked by the pair query only, which looks at what it answers
    if (shape->kind == OV_SHAPE_KIND_SPHERE || shape->kind == OV_SHAPE_KIND_CUSTOM) {
        return;
    }
    // bodies at opposite ends of what is allowed are too far apart for a pose: the ball's box does
    ov_aabb tight;
    if (ov_shape_aabb(shape, (ov_pose){pair->offset, rotation}, &tight) == OV_OK) {
        widen(&tight, pair->rounding);
        t->box = tight;
    }
}

void ovi_target_add(ovi_target *t, const ovi_pair *pair, ov_vec3 n) {
    ov_support lowest;
    n = ov_vec3_normalize(n);
    if (!t->bounded || !ovi_is_direction(n) ||
        ovi_support_point(pair->b, ov_vec3_neg(ovi_to_b(pair, n)), &lowest) != OV_OK) {
        return;
    }
    add_plane(t, n, ov_vec3_dot(n, pair->offset) - lowest.value - pair->rounding);
}

static double interval_gap(double lo, double hi, double other_lo, double other_hi) {
    double above = other_lo - hi, below = lo - other_hi;
    return above > below ? above : below;
}

static double aabbs_bound(const ov_aabb *a, const ov_aabb *b) {
    return ovi_axes_bound(interval_gap(a->min.x, a->max.x, b->min.x, b->max.x),
                          interval_gap(a->min.y, a->max.y, b->min.y, b->max.y),
                          interval_gap(a->min.z, a->max.z, b->min.z, b->max.z));
}

static double box_bound(const ovi_target *t, const ov_aabb *box) {
    if (!t->bounded) {
        return -INFINITY;
    }
    const ov_aabb centre = {t->centre, t->centre};
    double ball = aabbs_bound(box, &centre) - t->radius, own = aabbs_bound(box, &t->box);
    return ball > own ? ball : own;
}

/** By the slab of a node: how far the shape reaches along its axis, as box and ball know. */
static double slab_bound(const ovi_target *t, const ovi_trimesh_node *node) {
    ov_vec3 half = ovi_box_half(&t->box), from = ovi_box_centre(&node->box);
    ov_vec3 to_box = ov_vec3_sub(ovi_box_centre(&t->box), from);
    double box = ov_vec3_dot(node->axis, to_box);
    double ball = ov_vec3_dot(node->axis, ov_vec3_sub(t->centre, from));
    double reach = ovi_box_reach(half, node->axis);
    double lo = ovi_larger(box - reach, ball - t->radius);
    double hi = -ovi_larger(-box - reach, -ball - t->radius);
    return interval_gap(node->lo, node->hi, lo, hi);
}

/** Lower bound of the gap of what is in a node to the shape, by the shape's planes. */
static double planes_bound(const ovi_target *t, const ovi_trimesh_node *node) {
    double bound = -INFINITY;
    ov_vec3 c = ovi_box_centre(&node->box), h = ovi_box_half(&node->box);
    for (int i = 0; i < t->plane_count; i++) {
        ov_vec3 n = t->planes[i].n;
        double d = t->planes[i].height - ov_vec3_dot(n, c) - ovi_node_reach(node, h, n);
        bound = d > bound ? d : bound;
    }
    return bound;
}

/** ... and by boxes, ball and slab. */
static double target_bound(const ovi_target *t, const ovi_trimesh_node *node) {
    double bound = planes_bound(t, node);
    if (t->bounded) {
        bound = ovi_larger(bound, box_bound(t, &node->box));
        bound = ovi_larger(bound, slab_bound(t, node));
    }
    return bound;
}

/** ... of a triangle. */
static double target_corners(const ovi_target *t, const ov_vec3 corners[3]) {
    ov_aabb box = ovi_corners_box(corners);
    double bound = box_bound(t, &box);
    for (int i = 0; i < t->plane_count; i++) {
        double d = t->planes[i].height - ovi_corners_top(corners, t->planes[i].n);
        bound = d > bound ? d : bound;
    }
    return bound;
}

/* ---- mesh against shape */

/** A node that is still to be looked at. */
typedef struct shape_item {
    uint32_t node;
    double bound;
    int improvements; // better triangles found before, each with a plane
} shape_item;

enum { SHAPE_ROUNDS = 2 };

typedef struct shape_search {
    const ov_trimesh *mesh;
    const ov_shape *shape;
    ov_shape proxy;
    gap_search base;
    ovi_target target;
} shape_search;

static ov_status place_shape(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                             ov_pose shape_pose, double limit, const ov_pair_options *options,
                             shape_search *s) {
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    s->mesh = mesh;
    s->shape = shape;
    s->proxy = ovi_trimesh_proxy(mesh);
    ov_status status =
        place_search(&s->proxy, mesh_pose, shape, shape_pose, limit, options, &s->base);
    if (status == OV_OK) {
        ovi_target_make(&s->base.pair, ovi_relative_rotation(mesh_pose, shape_pose), &s->target);
    }
    return status;
}

/** Solves a triangle unless its bound drops it. */
static ov_status look_at_triangle(shape_search *s, uint32_t leaf, uint32_t triangle) {
    ov_vec3 corners[3], normal;
    ovi_trimesh_corners(s->mesh, triangle, corners);
    double bound = target_corners(&s->target, corners);
    if (bound > cut_of(&s->base)) {
        drop(&s->base.best, bound, leaf, 0);
        return OV_OK;
    }
    const triangle_pair at = {leaf, 0, triangle, OV_NO_TRIANGLE};
    ovi_trimesh_triangle t;
    bool better;
    ovi_trimesh_triangle_at(s->mesh, triangle, &t);
    ov_status status = solve_triangles(&s->base, &t.shape, s->shape, &at, &normal, &better);
    if (better) {
        ovi_target_add(&s->target, &s->base.pair, normal);
    }
    return status;
}

static ov_status look_at_leaf(shape_search *s, uint32_t index) {
    const ovi_trimesh_node *leaf = &s->mesh->nodes[index];
    for (uint32_t i = 0; i < leaf->count && !s->base.ended; i++) {
        ov_status status = look_at_triangle(s, index, s->mesh->order[leaf->first + i]);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

static shape_item shape_item_make(const shape_search *s, uint32_t node) {
    return (shape_item){node, target_bound(&s->target, &s->mesh->nodes[node]),
                        s->base.best.improvements};
}

static ov_status descend_shape(shape_search *s) {
    shape_item stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = s->mesh->nodes;
    int top = 0;
    stack[top++] = shape_item_make(s, 0);
    while (top > 0 && !s->base.ended) {
        shape_item at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        double cut = cut_of(&s->base);
        if (!(at.bound > cut) && at.improvements < s->base.best.improvements) {
            at.bound = ovi_larger(at.bound, planes_bound(&s->target, node));
        }
        if (at.bound > cut) {
            drop(&s->base.best, at.bound, at.node, 0);
            continue;
        }
        if (node->count > 0) {
            ov_status status = look_at_leaf(s, at.node);
            if (status != OV_OK) {
                return status;
            }
            continue;
        }
        shape_item left = shape_item_make(s, at.node + 1), right = shape_item_make(s, node->first);
        bool left_first = s->base.visit != NULL || left.bound <= right.bound;
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
    return OV_OK;
}

/**
 * A triangle to begin with: the nearest to the middle of the shape, then to its point that is
 * nearest along the normal. The closer it comes, the fewer others have to be solved.
 */
static ov_status begin_shape(shape_search *s) {
    nearest_point foot = {.square = INFINITY};
    if (!s->target.bounded || shape_item_make(s, 0).bound > s->base.best.cut) {
        return OV_OK;
    }
    ov_vec3 at = s->target.centre;
    for (int i = 0; i < SHAPE_ROUNDS; i++) {
        find_nearest(s->mesh, at, &foot);
        ov_vec3 n = ov_vec3_normalize(ov_vec3_sub(at, foot.point));
        ov_support lowest;
        if (!ovi_is_direction(n) ||
            ovi_support_point(s->base.pair.b, ov_vec3_neg(ovi_to_b(&s->base.pair, n)), &lowest) !=
                OV_OK) {
            break;
        }
        at = ovi_from_b(&s->base.pair, lowest.point);
        s->base.warm.normal = n;
        foot.square = INFINITY;
    }
    // should it be dropped, the root stands for its leaf
    return look_at_triangle(s, 0, foot.triangle);
}

static ov_status finish_shape(shape_search *s, ov_trimesh_contact *contact) {
    least_gap *best = &s->base.best;
    ovi_trimesh_triangle t;
    if (!best->found) {
        best->triangle_a = some_triangle(s->mesh, best->dropped_a);
    }
    ovi_trimesh_triangle_at(s->mesh, best->triangle_a, &t);
    return finish_search(&s->base, &t.shape, s->shape, contact);
}

ov_status ovi_trimesh_shape_surface(const ovi_trimesh_query *q, double limit,
                                    ov_trimesh_contact *contact, ovi_trimesh_placed *placed) {
    shape_search s = {.mesh = NULL};
    ov_status status = place_shape(q->a, q->pose_a, q->shape, q->pose_b, limit, q->options, &s);
    status = status == OV_OK ? begin_shape(&s) : status;
    status = status == OV_OK ? descend_shape(&s) : status;
    status = status == OV_OK ? finish_shape(&s, contact) : status;
    if (status < 0) {
        *contact = ovi_trimesh_no_contact(status);
        return status;
    }
    *placed = (ovi_trimesh_placed){s.base.pair, s.base.frame};
    placed->pair.a = NULL; // a triangle of this search
    placed->pair.b = q->shape;
    return status;
}

ov_status ov_trimesh_shape_contacts(const ov_trimesh *mesh, ov_pose mesh_pose,
                                    const ov_shape *shape, ov_pose shape_pose, double limit,
                                    const ov_pair_options *options, ov_trimesh_visit visit,
                                    void *user) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trimesh_shape_contacts(mesh, mesh_pose, shape, shape_pose,
                                                              limit, options, visit, user));
    if (visit == NULL) {
        return OV_ERROR_NULL;
    }
    shape_search s = {.base = {.visit = visit, .user = user}};
    ov_status status = place_shape(mesh, mesh_pose, shape, shape_pose, limit, options, &s);
    return status == OV_OK ? descend_shape(&s) : status;
}

/* ---- mesh against mesh */

typedef struct mesh_item {
    uint32_t a, b;
    double bound;
    int improvements; // better pairs found before
} mesh_item;

enum { MESH_ROUNDS = 8, STACK = 2 * OVI_BVH_DEPTH + 2 };

/** An orthonormal frame as either mesh sees it; the first axis is the normal of a pair. */
typedef struct normal_frame {
    ov_mat3 in_a, in_b;
} normal_frame;

typedef struct mesh_search {
    const ov_trimesh *a, *b;
    ov_shape proxy_a, proxy_b;
    gap_search base;
    ov_vec3 rows[3]; // absolute values of the rotation, by rows
    bool has_normal; // of the best pair so far, from A to B
    normal_frame normal;
} mesh_search;

static ov_vec3 absolute(ov_vec3 v) { return ov_vec3_make(fabs(v.x), fabs(v.y), fabs(v.z)); }

static ov_status place_meshes(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                              ov_pose pose_b, double limit, const ov_pair_options *options,
                              mesh_search *s) {
    if (a == NULL || b == NULL) {
        return OV_ERROR_NULL;
    }
    s->a = a;
    s->b = b;
    s->proxy_a = ovi_trimesh_proxy(a);
    s->proxy_b = ovi_trimesh_proxy(b);
    ov_status status =
        place_search(&s->proxy_a, pose_a, &s->proxy_b, pose_b, limit, options, &s->base);
    if (status != OV_OK) {
        return status;
    }
    const ov_mat3 *m = &s->base.pair.turn;
    s->rows[0] = absolute(ov_vec3_make(m->cx.x, m->cy.x, m->cz.x));
    s->rows[1] = absolute(ov_vec3_make(m->cx.y, m->cy.y, m->cz.y));
    s->rows[2] = absolute(ov_vec3_make(m->cx.z, m->cy.z, m->cz.z));
    return OV_OK;
}

static void take_normal(mesh_search *s, ov_vec3 n) {
    if (ovi_is_direction(n)) {
        n = ov_vec3_normalize(n);
        ov_mat3 a = ov_mat3_householder(n);
        a.cx = n;
        s->normal = (normal_frame){a,
                                   {ovi_to_b(&s->base.pair, a.cx), ovi_to_b(&s->base.pair, a.cy),
                                    ovi_to_b(&s->base.pair, a.cz)}};
        s->has_normal = true;
    }
}

/* ---- bounds of two nodes */

/** Two nodes, and what all their bounds need. */
typedef struct node_pair {
    const ovi_trimesh_node *a, *b;
    ov_vec3 half_a, half_b; // each in its own frame
    ov_vec3 between;        // from the middle of A's box to that of B's
} node_pair;

static node_pair node_pair_of(const mesh_search *s, uint32_t a, uint32_t b) {
    node_pair d = {.a = &s->a->nodes[a], .b = &s->b->nodes[b]};
    d.half_a = ovi_box_half(&d.a->box);
    d.half_b = ovi_box_half(&d.b->box);
    d.between = ov_vec3_sub(ovi_from_b(&s->base.pair, ovi_box_centre(&d.b->box)),
                            ovi_box_centre(&d.a->box));
    return d;
}

/** Along the normal of the best pair, and in the two directions across it. */
static double normal_bound(const mesh_search *s, const node_pair *d) {
    const normal_frame *f = &s->normal;
    if (!s->has_normal) {
        return -INFINITY;
    }
    double n = ov_vec3_dot(f->in_a.cx, d->between) - ovi_node_reach(d->a, d->half_a, f->in_a.cx) -
               ovi_node_reach(d->b, d->half_b, ov_vec3_neg(f->in_b.cx));
    double y = fabs(ov_vec3_dot(f->in_a.cy, d->between)) - ovi_box_reach(d->half_a, f->in_a.cy) -
               ovi_box_reach(d->half_b, f->in_b.cy);
    double z = fabs(ov_vec3_dot(f->in_a.cz, d->between)) - ovi_box_reach(d->half_a, f->in_a.cz) -
               ovi_box_reach(d->half_b, f->in_b.cz);
    return ovi_axes_bound(n, y, z) - s->base.pair.rounding;
}

/** Along the axes of the two slabs, the way that points from A to B. */
static double slabs_bound(const mesh_search *s, const node_pair *d) {
    ov_vec3 n = d->a->axis;
    double along = ov_vec3_dot(n, d->between), own = along < 0.0 ? -d->a->lo : d->a->hi;
    ov_vec3 n_b = ovi_to_b(&s->base.pair, n);
    own = fabs(along) - own - ovi_node_reach(d->b, d->half_b, along < 0.0 ? n_b : ov_vec3_neg(n_b));
    n = ovi_turn_from_b(&s->base.pair, d->b->axis);
    along = ov_vec3_dot(n, d->between);
    double other = along < 0.0 ? d->b->hi : -d->b->lo;
    other = fabs(along) - other - ovi_node_reach(d->a, d->half_a, along < 0.0 ? ov_vec3_neg(n) : n);
    return (own > other ? own : other) - s->base.pair.rounding;
}

/** By the boxes, along the axes of either. */
static double axes_bound(const mesh_search *s, const node_pair *w) {
    const ov_mat3 *m = &s->base.pair.turn;
    ov_vec3 d = absolute(w->between), a = w->half_a, b = w->half_b;
    double own = ovi_axes_bound(d.x - a.x - ov_vec3_dot(s->rows[0], b),
                                d.y - a.y - ov_vec3_dot(s->rows[1], b),
                                d.z - a.z - ov_vec3_dot(s->rows[2], b));
    d = absolute(ov_mat3_tmul_vec3(m, w->between));
    double other =
        ovi_axes_bound(d.x - b.x - ovi_box_reach(a, m->cx), d.y - b.y - ovi_box_reach(a, m->cy),
                       d.z - b.z - ovi_box_reach(a, m->cz));
    return (own > other ? own : other) - s->base.pair.rounding;
}

/** A pair of nodes with its bound, as far as it takes to be beyond the cut. */
static mesh_item mesh_item_make(const mesh_search *s, uint32_t a, uint32_t b) {
    node_pair d = node_pair_of(s, a, b);
    double cut = cut_of(&s->base), bound = normal_bound(s, &d);
    bound = bound > cut ? bound : ovi_larger(bound, axes_bound(s, &d));
    bound = bound > cut ? bound : ovi_larger(bound, slabs_bound(s, &d));
    return (mesh_item){a, b, bound, s->base.best.improvements};
}

/* ---- bounds of two triangles */

/** How far two triangles in one frame are apart along n or against it, n of any length. */
static double apart_along(const ov_vec3 a[3], const ov_vec3 b[3], ov_vec3 n) {
    double square = ov_vec3_dot(n, n);
    if (!(square > 1e-280)) {
        return -INFINITY; // no direction
    }
    // from a corner: coordinates may be much larger than the triangles
    double a1 = ov_vec3_dot(n, ov_vec3_sub(a[1], a[0])),
           a2 = ov_vec3_dot(n, ov_vec3_sub(a[2], a[0]));
    double b0 = ov_vec3_dot(n, ov_vec3_sub(b[0], a[0])),
           b1 = ov_vec3_dot(n, ov_vec3_sub(b[1], a[0]));
    double b2 = ov_vec3_dot(n, ov_vec3_sub(b[2], a[0]));
    double a_lo = a1 < a2 ? a1 : a2, a_hi = a1 < a2 ? a2 : a1;
    double b_lo = b0 < b1 ? b0 : b1, b_hi = b0 < b1 ? b1 : b0;
    a_lo = a_lo < 0.0 ? a_lo : 0.0;
    a_hi = a_hi > 0.0 ? a_hi : 0.0;
    b_lo = b_lo < b2 ? b_lo : b2;
    b_hi = b_hi > b2 ? b_hi : b2;
    double above = b_lo - a_hi, below = a_lo - b_hi;
    return (above > below ? above : below) / sqrt(square);
}

/** Lower bound of the gap, as far as it takes to be beyond the cut. */
static double triangles_bound(const mesh_search *s, const ov_vec3 a[3], const ov_vec3 b[3],
                              double cut) {
    double bound = -INFINITY, enough = cut + s->base.pair.rounding;
    if (s->has_normal) {
        bound = apart_along(a, b, s->normal.in_a.cx);
    }
    ov_vec3 edges_a[3], edges_b[3];
    for (int i = 0; i < 3; i++) {
        edges_a[i] = ov_vec3_sub(a[(i + 1) % 3], a[i]);
        edges_b[i] = ov_vec3_sub(b[(i + 1) % 3], b[i]);
    }
    if (!(bound > enough)) {
        bound = ovi_larger(bound, apart_along(a, b, ov_vec3_cross(edges_a[0], edges_a[1])));
        bound = ovi_larger(bound, apart_along(a, b, ov_vec3_cross(edges_b[0], edges_b[1])));
    }
    for (int i = 0; i < 9 && !(bound > enough); i++) {
        ov_vec3 n = ov_vec3_cross(edges_a[i / 3], edges_b[i % 3]);
        bound = ovi_larger(bound, apart_along(a, b, n));
    }
    return bound - s->base.pair.rounding;
}

/* ---- the search */

/** Solves two triangles unless their bound drops them. */
static ov_status look_at_triangles(mesh_search *s, const triangle_pair *at) {
    ov_vec3 own[3], other[3], normal;
    ovi_trimesh_corners(s->a, at->triangle_a, own);
    ovi_trimesh_corners(s->b, at->triangle_b, other);
    double cut = cut_of(&s->base);
    for (int i = 0; i < 3; i++) {
        other[i] = ovi_from_b(&s->base.pair, other[i]);
    }
    double bound = triangles_bound(s, own, other, cut);
    if (bound > cut) {
        drop(&s->base.best, bound, at->node_a, at->node_b);
        return OV_OK;
    }
    ovi_trimesh_triangle a, b;
    bool better;
    ovi_trimesh_triangle_at(s->a, at->triangle_a, &a);
    ovi_trimesh_triangle_at(s->b, at->triangle_b, &b);
    ov_status status = solve_triangles(&s->base, &a.shape, &b.shape, at, &normal, &better);
    if (better) {
        take_normal(s, normal);
    }
    return status;
}

static ov_status look_at_leaves(mesh_search *s, const mesh_item *pair) {
    const ovi_trimesh_node *a = &s->a->nodes[pair->a], *b = &s->b->nodes[pair->b];
    for (uint32_t i = 0; i < a->count; i++) {
        triangle_pair at = {.node_a = pair->a, .node_b = pair->b};
        at.triangle_a = s->a->order[a->first + i];
        for (uint32_t k = 0; k < b->count && !s->base.ended; k++) {
            at.triangle_b = s->b->order[b->first + k];
            ov_status status = look_at_triangles(s, &at);
            if (status != OV_OK) {
                return status;
            }
        }
    }
    return OV_OK;
}

static double extent(const ovi_trimesh_node *n) {
    ov_vec3 d = ov_vec3_sub(n->box.max, n->box.min);
    return d.x + d.y + d.z;
}

/** The two halves of a pair of nodes, of which one at least is no leaf. */
static void divide(const mesh_search *s, const mesh_item *at, mesh_item out[2]) {
    const ovi_trimesh_node *a = &s->a->nodes[at->a], *b = &s->b->nodes[at->b];
    bool by_a = b->count > 0 || (a->count == 0 && extent(a) >= extent(b));
    out[0] = mesh_item_make(s, by_a ? at->a + 1 : at->a, by_a ? at->b : at->b + 1);
    out[1] = mesh_item_make(s, by_a ? a->first : at->a, by_a ? at->b : b->first);
}

static ov_status descend_meshes(mesh_search *s) {
    mesh_item stack[STACK];
    int top = 0;
    stack[top++] = mesh_item_make(s, 0, 0);
    while (top > 0 && !s->base.ended) {
        mesh_item at = stack[--top];
        double cut = cut_of(&s->base);
        if (!(at.bound > cut) && at.improvements < s->base.best.improvements) {
            node_pair d = node_pair_of(s, at.a, at.b);
            at.bound = ovi_larger(at.bound, normal_bound(s, &d));
        }
        if (at.bound > cut) {
            drop(&s->base.best, at.bound, at.a, at.b);
            continue;
        }
        if (s->a->nodes[at.a].count > 0 && s->b->nodes[at.b].count > 0) {
            ov_status status = look_at_leaves(s, &at);
            if (status != OV_OK) {
                return status;
            }
            continue;
        }
        mesh_item half[2];
        divide(s, &at, half);
        int first = s->base.visit != NULL || half[0].bound <= half[1].bound ? 0 : 1;
        stack[top++] = half[1 - first];
        stack[top++] = half[first];
    }
    return OV_OK;
}

/**
 * A pair to begin with: from a point of one mesh to the nearest of the other, to and fro. It ends
 * near where the distance is least, so that the descent has a good cut from the start.
 */
static ov_status begin_meshes(mesh_search *s) {
    nearest_point a = {.square = INFINITY}, b = a;
    if (mesh_item_make(s, 0, 0).bound > s->base.best.cut) {
        return OV_OK;
    }
    ov_vec3 from = ovi_from_b(&s->base.pair, s->b->ball.centre);
    find_nearest(s->a, from, &a);
    for (int i = 0; i < MESH_ROUNDS; i++) {
        double before = b.square;
        ov_vec3 seen = ovi_to_b(&s->base.pair, ov_vec3_sub(a.point, s->base.pair.offset));
        b.square = i > 0 ? a.square : INFINITY;
        find_nearest(s->b, seen, &b);
        a.square = b.square;
        find_nearest(s->a, ovi_from_b(&s->base.pair, b.point), &a);
        if (!(a.square < 0.98 * before)) {
            break;
        }
    }
    const triangle_pair at = {0, 0, a.triangle, b.triangle};
    return look_at_triangles(s, &at);
}

static ov_status finish_meshes(mesh_search *s, ov_trimesh_contact *contact) {
    least_gap *best = &s->base.best;
    ovi_trimesh_triangle a, b;
    if (!best->found) {
        best->triangle_a = some_triangle(s->a, best->dropped_a);
        best->triangle_b = some_triangle(s->b, best->dropped_b);
    }
    ovi_trimesh_triangle_at(s->a, best->triangle_a, &a);
    ovi_trimesh_triangle_at(s->b, best->triangle_b, &b);
    return finish_search(&s->base, &a.shape, &b.shape, contact);
}

ov_status ovi_trimesh_pair_surface(const ovi_trimesh_query *q, double limit,
                                   ov_trimesh_contact *contact, ovi_trimesh_placed *placed) {
    mesh_search s = {.a = NULL};
    ov_status status = place_meshes(q->a, q->pose_a, q->b, q->pose_b, limit, q->options, &s);
    status = status == OV_OK ? begin_meshes(&s) : status;
    status = status == OV_OK ? descend_meshes(&s) : status;
    status = status == OV_OK ? finish_meshes(&s, contact) : status;
    if (status < 0) {
        *contact = ovi_trimesh_no_contact(status);
        return status;
    }
    *placed = (ovi_trimesh_placed){s.base.pair, s.base.frame};
    placed->pair.a = placed->pair.b = NULL; // triangles of this search
    return status;
}

ov_status ov_trimesh_pair_contacts(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                   ov_pose pose_b, double limit, const ov_pair_options *options,
                                   ov_trimesh_visit visit, void *user) {
    OVI_ROUND_TO_NEAREST(
        ov_status, ov_trimesh_pair_contacts(a, pose_a, b, pose_b, limit, options, visit, user));
    if (visit == NULL) {
        return OV_ERROR_NULL;
    }
    mesh_search s = {.base = {.visit = visit, .user = user}};
    ov_status status = place_meshes(a, pose_a, b, pose_b, limit, options, &s);
    return status == OV_OK ? descend_meshes(&s) : status;
}
