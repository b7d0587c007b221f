/**
 * @file trimesh_cast.c
 * @brief Casts of a convex shape, which is translated, towards a mesh.
 *
 * The first contact with the mesh is the first of those with its triangles, each of which is a
 * cast of two convex bodies (ov_shape_cast). The tree is descended in the order in which the
 * moving box of the shape comes upon the nodes; no box of a node, nor what is in it, is met before
 * that, nor before the planes of the shape that were found on the way get there. Of a triangle it
 * is first asked whether the volume that the shape sweeps before the best contact so far is clear
 * of it: a convex body again, with the support h(n) + max(0, n.t), so that one query tells, and
 * leaves a plane that is of use for the neighbours too. Only the others are cast towards.
 *
 * `lower` is the least fraction that any triangle is free up to, so the whole mesh is free up to
 * it; what was dropped is free for longer. On the way into a solid the surface is met first, so
 * only the start is asked for.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

enum { ROUNDS = 4 };

typedef struct search {
    const ov_trimesh *mesh;
    const ov_shape *shape;
    ov_pose shape_pose, mesh_pose;
    ov_vec3 translation;
    const ov_pair_options *options;
    ov_shape proxy;
    ovi_pair pair; // the shape (B) as seen from the mesh
    ov_vec3 t;     // the translation in the mesh's frame
    double length; // of it
    double rounding, tolerance;
    ovi_target target;
    ov_warm_start warm;
    ov_cast_hit best;
    bool found;
    uint32_t triangle;
    double lower, goal;
} search;

static ov_status place(search *s) {
    ovi_frame frame;
    if (s->mesh == NULL) {
        return OV_ERROR_NULL;
    }
    s->proxy = ovi_trimesh_proxy(s->mesh);
    ov_status status = ovi_pair_place(&s->proxy, s->mesh_pose, s->shape, s->shape_pose, s->options,
                                      &s->pair, &frame);
    status = status == OV_OK ? ovi_check_point(s->translation) : status;
    if (status != OV_OK) {
        return status;
    }
    s->tolerance = ovi_pair_options_of(s->options).tolerance;
    s->t = ov_mat3_tmul_vec3(&frame.turn, s->translation);
    s->length = ov_vec3_length(s->t);
    s->rounding = s->pair.rounding + 32.0 * DBL_EPSILON * s->length;
    s->lower = INFINITY;
    s->best.fraction_upper = INFINITY;
    ovi_target_make(&s->pair, ovi_relative_rotation(s->mesh_pose, s->shape_pose), &s->target);
    return OV_OK;
}

/* ---- when a box may be met */

/** Narrows the time in which two intervals may meet, the first one moving; empty: first > last. */
static void meet(double lo, double hi, double speed, double other_lo, double other_hi, double slack,
                 double *first, double *last) {
    double ahead = other_lo - hi - slack,
           behind = other_hi - lo + slack; // meet at ahead <= st <= behind
    if (speed == 0.0) {
        *last = ahead > 0.0 || behind < 0.0 ? -INFINITY : *last;
        return;
    }
    double enter = (speed > 0.0 ? ahead : behind) / speed;
    double leave = (speed > 0.0 ? behind : ahead) / speed;
    *first = enter > *first ? enter : *first;
    *last = leave < *last ? leave : *last;
}

/** The fraction before which the shape's box does not meet another; infinite where it never does.
 */
static double box_met(const search *s, const ov_aabb *box) {
    const ov_aabb *own = &s->target.box;
    // the corner of the box moves by rounding more, and so does its way
    double first = 0.0, last = 1.0, slack = 2.0 * s->rounding;
    if (!s->target.bounded) {
        return 0.0;
    }
    meet(own->min.x, own->max.x, s->t.x, box->min.x, box->max.x, slack, &first, &last);
    meet(own->min.y, own->max.y, s->t.y, box->min.y, box->max.y, slack, &first, &last);
    meet(own->min.z, own->max.z, s->t.z, box->min.z, box->max.z, slack, &first, &last);
    return first <= last ? first : INFINITY;
}

/** The fraction before which a plane of the shape does not get down to a height. */
static double plane_met(const search *s, const ovi_plane *plane, double top) {
    double gap = plane->height - top - s->rounding;
    double down = 8.0 * DBL_EPSILON * s->length - ov_vec3_dot(plane->n, s->t);
    if (!(gap > 0.0)) {
        return 0.0;
    }
    return down > 0.0 && gap / down <= 1.0 ? gap / down : INFINITY;
}

static double node_met(const search *s, uint32_t index) {
    const ovi_trimesh_node *node = &s->mesh->nodes[index];
    double met = box_met(s, &node->box);
    ov_vec3 c = ovi_box_centre(&node->box), h = ovi_box_half(&node->box);
    for (int i = 0; i < s->target.plane_count; i++) {
        const ovi_plane *plane = &s->target.planes[i];
        double top = ov_vec3_dot(plane->n, c) + ovi_node_reach(node, h, plane->n);
        met = ovi_larger(met, plane_met(s, plane, top));
    }
    return met;
}

static double corners_met(const search *s, const ov_vec3 corners[3]) {
    ov_aabb box = ovi_corners_box(corners);
    double met = box_met(s, &box);
    for (int i = 0; i < s->target.plane_count; i++) {
        const ovi_plane *plane = &s->target.planes[i];
        met = ovi_larger(met, plane_met(s, plane, ovi_corners_top(corners, plane->n)));
    }
    return met;
}

/* ---- the search */

/** Beyond this nothing matters any more: it changes no bound. */
static double cut_of(const search *s) { return s->found ? s->best.fraction_lower : 1.0; }

/** Is the shape clear of a triangle on a share of the way, beyond doubt? */
static bool is_clear(search *s, const ov_shape *triangle, double share) {
    if (!s->target.bounded) {
        return false; // its plane has told already
    }
    const ovi_swept swept = {s->shape, ovi_to_b(&s->pair, ov_vec3_scale(s->t, share))};
    ov_shape volume;
    if (ovi_swept_volume(&swept, &volume) != OV_OK) {
        return false;
    }
    ovi_pair pair = s->pair;
    ovi_result r;
    pair.a = triangle;
    pair.b = &volume;
    pair.rounding = s->rounding;
    pair.limit = 0.0;
    ovi_trimesh_lengths(&pair, s->tolerance, false);
    if (ovi_pair_solve(&pair, &s->warm, &r) != OV_OK || !(r.lower > 0.0)) {
        return false;
    }
    ovi_target_add(&s->target, &s->pair, r.normal);
    return true;
}

/** Takes the sweep towards a triangle, over a share of the way, into account. */
static void take(search *s, uint32_t triangle, double share, ov_cast_hit hit) {
    // the way was rounded
    hit.fraction_lower *= share * (1.0 - 4.0 * DBL_EPSILON);
    hit.fraction_upper *= share * (1.0 + 4.0 * DBL_EPSILON);
    hit.fraction *= share;
    s->lower = fmin(s->lower, hit.fraction_lower);
    if (!hit.hit || !(hit.fraction_upper < s->best.fraction_upper)) {
        return;
    }
    hit.fraction_upper = fmin(hit.fraction_upper, 1.0);
    s->best = hit;
    s->found = true;
    s->triangle = triangle;
    // from the mesh to the shape, in the mesh's frame
    ov_quat rotation = ov_quat_identity();
    (void)ov_quat_normalize(s->mesh_pose.rotation, &rotation);
    ov_vec3 n = ov_quat_rotate(ov_quat_conjugate(rotation), ov_vec3_neg(hit.contact.normal));
    ovi_target_add(&s->target, &s->pair, ov_vec3_normalize(n));
}

static ov_status look_at(search *s, uint32_t triangle) {
    ov_vec3 corners[3];
    ovi_trimesh_corners(s->mesh, triangle, corners);
    double met = corners_met(s, corners);
    if (isinf(met) || met > cut_of(s)) {
        return OV_OK;
    }
    ovi_trimesh_triangle t;
    ovi_trimesh_triangle_at(s->mesh, triangle, &t);
    if (is_clear(s, &t.shape, cut_of(s))) {
        return OV_OK;
    }
    double share = s->found ? s->best.fraction_upper : 1.0;
    ov_cast_hit hit;
    ov_status status = ov_shape_cast(s->shape, s->shape_pose, ov_vec3_scale(s->translation, share),
                                     &t.shape, s->mesh_pose, s->options, &hit);
    if (status < 0) {
        return status;
    }
    double size = isfinite(s->shape->ball.radius) ? s->shape->ball.radius : 0.0;
    size = fmax(size, t.shape.ball.radius);
    s->goal = fmax(s->goal, s->tolerance * size + 8.0 * s->rounding);
    if (hit.hit || status == OV_NOT_CONVERGED) {
        take(s, triangle, share, hit);
    }
    return OV_OK;
}

static ov_status descend(search *s) {
    struct item {
        uint32_t node;
        double met;
    } stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    stack[top++] = (struct item){0, node_met(s, 0)};
    // nothing comes before a contact at the start
    while (top > 0 && s->best.fraction_upper > 0.0) {
        struct item at = stack[--top];
        const ovi_trimesh_node *node = &s->mesh->nodes[at.node];
        if (isinf(at.met) || at.met > cut_of(s)) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            ov_status status = look_at(s, s->mesh->order[node->first + i]);
            if (status != OV_OK) {
                return status;
            }
        }
        if (node->count == 0) {
            struct item left = {at.node + 1, node_met(s, at.node + 1)};
            struct item right = {node->first, node_met(s, node->first)};
            bool left_first = left.met <= right.met;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
    return OV_OK;
}

/**
 * A triangle to begin with: the nearest one, after the shape has moved on by the distance of the
 * nearest a few times, which takes it close to where it hits.
 */
static ov_status begin(search *s) {
    double at = 0.0;
    uint32_t triangle = OV_NO_TRIANGLE;
    for (int i = 0; i < ROUNDS && at <= 1.0; i++) {
        ov_pose moved = s->shape_pose;
        ov_trimesh_contact c;
        moved.position = ov_vec3_add_scaled(moved.position, s->translation, at);
        if (ov_trimesh_shape_contact(s->mesh, s->mesh_pose, s->shape, moved, (1.0 - at) * s->length,
                                     NULL, &c) < 0) {
            break; // whatever it is, the sweep will say so
        }
        triangle = c.triangle_a;
        if (!(c.contact.gap_lower > 0.0)) {
            break;
        }
        at += c.contact.gap_lower / s->length;
    }
    return triangle != OV_NO_TRIANGLE && at <= 1.0 ? look_at(s, triangle) : OV_OK;
}

/** The contact with the solid where the shape begins, as that of the shape (A) with the mesh. */
static ov_contact contact_at_start(const search *s, uint32_t *triangle) {
    ov_trimesh_contact c;
    (void)ov_trimesh_shape_contact(s->mesh, s->mesh_pose, s->shape, s->shape_pose, 0.0, s->options,
                                   &c);
    *triangle = c.triangle_a;
    return ovi_contact_swap(&c.contact);
}

/**
 * A shape that begins inside closed shells has hit before it meets a triangle; where that cannot
 * be told, no part of the way is free.
 */
static ov_status begin_inside(search *s) {
    ovi_side side;
    ov_status status = ovi_trimesh_shape_side(s->mesh, &s->pair, &side);
    if (status == OV_OK && side == OVI_INSIDE) {
        s->found = true;
        s->lower = 0.0;
        s->best = (ov_cast_hit){.hit = true};
    } else if (status == OV_OK && side == OVI_UNSURE) {
        s->lower = 0.0;
    }
    return status;
}

ov_status ov_trimesh_shape_cast(const ov_shape *shape, ov_pose shape_pose, ov_vec3 translation,
                                const ov_trimesh *mesh, ov_pose mesh_pose,
                                const ov_pair_options *options, ov_cast_hit *hit,
                                uint32_t *triangle) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trimesh_shape_cast(shape, shape_pose, translation, mesh,
                                                          mesh_pose, options, hit, triangle));
    if (hit == NULL) {
        return OV_ERROR_NULL;
    }
    search s = {.mesh = mesh,
                .shape = shape,
                .shape_pose = shape_pose,
                .mesh_pose = mesh_pose,
                .translation = translation,
                .options = options};
    ov_status status = place(&s);
    status = status == OV_OK ? begin_inside(&s) : status;
    status = status == OV_OK && !s.found && !isinf(node_met(&s, 0)) ? begin(&s) : status;
    status = status == OV_OK ? descend(&s) : status;
    if (status == OV_OK && s.found && mesh->walls != NULL && !(s.best.fraction_upper > 0.0)) {
        s.best.contact = contact_at_start(&s, &s.triangle);
        status = s.best.contact.status < 0 ? s.best.contact.status : status;
    }
    if (triangle != NULL) {
        *triangle = status == OV_OK && s.found ? s.triangle : OV_NO_TRIANGLE;
    }
    *hit = (ov_cast_hit){false, NAN, NAN, NAN, ovi_contact_none(status)};
    if (status != OV_OK) {
        return status;
    }
    if (!s.found) {
        bool open = isfinite(s.lower);
        hit->fraction = hit->fraction_upper = INFINITY;
        hit->fraction_lower = s.lower;
        hit->contact.status = open ? OV_NOT_CONVERGED : OV_OK;
        return hit->contact.status;
    }
    *hit = s.best;
    hit->fraction_lower = fmin(s.lower, hit->fraction_upper);
    bool close = (hit->fraction_upper - hit->fraction_lower) * s.length <= s.goal;
    return close ? OV_OK : OV_NOT_CONVERGED;
}
