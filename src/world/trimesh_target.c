/**
 * @file trimesh_target.c
 * @brief A convex shape as a mesh sees it: box, ball and planes in the mesh's frame, against which
 * nodes and triangles are held before anything dearer is asked.
 *
 * A plane across a unit n, with the shape's least n.p as its height, bounds the gap of whatever
 * lies below it, overlapping or not. That of the nearest triangle so far is the one that tells: a
 * mesh that is convex there lies below it altogether.
 */
#include "trimesh_internal.h"

ov_quat ovi_relative_turn(ov_pose pose_a, ov_pose pose_b) {
    ov_quat a = ov_quat_identity(), b = a;
    (void)ov_quat_normalize(pose_a.rotation, &a);
    (void)ov_quat_normalize(pose_b.rotation, &b);
    return ov_quat_mul(ov_quat_conjugate(a), b);
}

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

void ovi_target_make(const ovi_pair *pair, ov_quat turn, ovi_target *t) {
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
    if (ov_shape_aabb(shape, (ov_pose){pair->offset, turn}, &tight) == OV_OK) {
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

static double apart(double lo, double hi, double other_lo, double other_hi) {
    double above = other_lo - hi, below = lo - other_hi;
    return above > below ? above : below;
}

static double boxes_bound(const ov_aabb *a, const ov_aabb *b) {
    return ovi_axes_bound(apart(a->min.x, a->max.x, b->min.x, b->max.x),
                          apart(a->min.y, a->max.y, b->min.y, b->max.y),
                          apart(a->min.z, a->max.z, b->min.z, b->max.z));
}

static double solid_bound(const ovi_target *t, const ov_aabb *box) {
    if (!t->bounded) {
        return -INFINITY;
    }
    const ov_aabb centre = {t->centre, t->centre};
    double ball = boxes_bound(box, &centre) - t->radius, own = boxes_bound(box, &t->box);
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
    return apart(node->lo, node->hi, lo, hi);
}

double ovi_target_bound(const ovi_target *t, const ovi_trimesh_node *node) {
    double bound = ovi_target_planes(t, node);
    if (t->bounded) {
        bound = ovi_larger(bound, solid_bound(t, &node->box));
        bound = ovi_larger(bound, slab_bound(t, node));
    }
    return bound;
}

double ovi_target_corners(const ovi_target *t, const ov_vec3 corners[3]) {
    ov_aabb box = ovi_corners_box(corners);
    double bound = solid_bound(t, &box);
    for (int i = 0; i < t->plane_count; i++) {
        double d = t->planes[i].height - ovi_corners_top(corners, t->planes[i].n);
        bound = d > bound ? d : bound;
    }
    return bound;
}
