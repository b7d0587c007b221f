/**
 * @file trimesh_query.c
 * @brief Mesh against convex shape: the triangle with the least gap, and all triangles within a
 * limit.
 *
 * The shape is placed in the mesh's frame once. The tree is descended nearer child first; a node is
 * dropped where box, ball or one of the shape's planes prove it to be beyond what matters
 * (trimesh_target.c), a triangle likewise, and then by the pair query itself, which ends as soon as
 * its lower bound says so. What is left is solved, starting from the normal of the best one, and
 * each better one adds its plane. The mesh's gap is the least of the triangles' gaps; the proof of
 * its bounds is at ovi_trimesh_best.
 *
 * A descent keeps at most one sibling a level, so the stack is as deep as the tree.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

/** A node that is still to be looked at. */
typedef struct item {
    uint32_t node;
    double bound;
    int takes; // better triangles found before, each with a plane
} item;

enum { ROUNDS = 2 };

typedef struct search {
    const ov_trimesh *mesh;
    const ov_shape *shape;
    ov_shape proxy;
    ovi_trimesh_search base;
    ovi_target target;
} search;

static ov_status place(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                       ov_pose shape_pose, double limit, const ov_pair_options *options,
                       search *s) {
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    s->mesh = mesh;
    s->shape = shape;
    s->proxy = ovi_trimesh_proxy(mesh);
    ov_status status =
        ovi_trimesh_place(&s->proxy, mesh_pose, shape, shape_pose, limit, options, &s->base);
    if (status == OV_OK) {
        ovi_target_make(&s->base.pair, ovi_relative_turn(mesh_pose, shape_pose), &s->target);
    }
    return status;
}

/** Solves a triangle unless its bound drops it. */
static ov_status look_at(search *s, uint32_t leaf, uint32_t triangle) {
    ov_vec3 corners[3], normal;
    ovi_trimesh_corners(s->mesh, triangle, corners);
    double bound = ovi_target_corners(&s->target, corners);
    if (bound > ovi_trimesh_cut(&s->base)) {
        ovi_trimesh_drop(&s->base.best, bound, leaf, 0);
        return OV_OK;
    }
    const ovi_trimesh_leaves at = {leaf, 0, triangle, OV_NO_TRIANGLE};
    ovi_trimesh_triangle t;
    bool better;
    ovi_trimesh_triangle_at(s->mesh, triangle, &t);
    ov_status status = ovi_trimesh_look(&s->base, &t.shape, s->shape, &at, &normal, &better);
    if (better) {
        ovi_target_add(&s->target, &s->base.pair, normal);
    }
    return status;
}

static ov_status look_at_leaf(search *s, uint32_t index) {
    const ovi_trimesh_node *leaf = &s->mesh->nodes[index];
    for (uint32_t i = 0; i < leaf->count && !s->base.ended; i++) {
        ov_status status = look_at(s, index, s->mesh->order[leaf->first + i]);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

static item item_make(const search *s, uint32_t node) {
    return (item){node, ovi_target_bound(&s->target, &s->mesh->nodes[node]), s->base.best.takes};
}

static ov_status descend(search *s) {
    item stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = s->mesh->nodes;
    int top = 0;
    stack[top++] = item_make(s, 0);
    while (top > 0 && !s->base.ended) {
        item at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        double cut = ovi_trimesh_cut(&s->base);
        if (!(at.bound > cut) && at.takes < s->base.best.takes) {
            at.bound = ovi_larger(at.bound, ovi_target_planes(&s->target, node));
        }
        if (at.bound > cut) {
            ovi_trimesh_drop(&s->base.best, at.bound, at.node, 0);
            continue;
        }
        if (node->count > 0) {
            ov_status status = look_at_leaf(s, at.node);
            if (status != OV_OK) {
                return status;
            }
            continue;
        }
        item left = item_make(s, at.node + 1), right = item_make(s, node->first);
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
static ov_status begin(search *s) {
    ovi_trimesh_foot foot = {.square = INFINITY};
    if (!s->target.bounded || item_make(s, 0).bound > s->base.best.cut) {
        return OV_OK;
    }
    ov_vec3 at = s->target.centre;
    for (int i = 0; i < ROUNDS; i++) {
        ovi_trimesh_nearest(s->mesh, at, &foot);
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
    return look_at(s, 0, foot.triangle);
}

static ov_status finish(search *s, ov_trimesh_contact *contact) {
    ovi_trimesh_best *best = &s->base.best;
    ovi_trimesh_triangle t;
    if (!best->found) {
        best->triangle_a = ovi_trimesh_any(s->mesh, best->near_a);
    }
    ovi_trimesh_triangle_at(s->mesh, best->triangle_a, &t);
    return ovi_trimesh_finish(&s->base, &t.shape, s->shape, contact);
}

ov_status ovi_trimesh_shape_surface(const ovi_trimesh_asked *q, double limit,
                                    ov_trimesh_contact *contact, ovi_trimesh_seen *seen) {
    search s = {.mesh = NULL};
    ov_status status = place(q->a, q->pose_a, q->shape, q->pose_b, limit, q->options, &s);
    status = status == OV_OK ? begin(&s) : status;
    status = status == OV_OK ? descend(&s) : status;
    status = status == OV_OK ? finish(&s, contact) : status;
    if (status < 0) {
        *contact = ovi_trimesh_no_contact(status);
        return status;
    }
    *seen = (ovi_trimesh_seen){s.base.pair, s.base.frame};
    seen->pair.a = NULL; // a triangle of this search
    seen->pair.b = q->shape;
    return status;
}

ov_status ov_trimesh_shape_contacts(const ov_trimesh *mesh, ov_pose mesh_pose,
                                    const ov_shape *shape, ov_pose shape_pose, double limit,
                                    const ov_pair_options *options, ov_trimesh_visit visit,
                                    void *user) {
    OVI_NEAREST(ov_status, ov_trimesh_shape_contacts(mesh, mesh_pose, shape, shape_pose, limit,
                                                     options, visit, user));
    if (visit == NULL) {
        return OV_ERROR_NULL;
    }
    search s = {.base = {.visit = visit, .user = user}};
    ov_status status = place(mesh, mesh_pose, shape, shape_pose, limit, options, &s);
    return status == OV_OK ? descend(&s) : status;
}
