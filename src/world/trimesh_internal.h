/**
 * @file trimesh_internal.h
 * @brief What the files of the triangle meshes share: the mesh with its tree, a triangle as a
 * shape, contacts of surfaces and of solids, and a convex shape as a mesh sees it.
 *
 * Boxes of the tree are minima and maxima of given numbers, so they are exact; all rounding of a
 * query is that of placing one body in the frame of the other, for which ovi_pair.rounding, made
 * for the whole mesh, has room.
 */
#ifndef OVI_TRIMESH_INTERNAL_H
#define OVI_TRIMESH_INTERNAL_H

#include "../query/query_internal.h"
#include "bvh.h"
#include "geometry.h"

/** Triangles of a leaf, at most. */
enum { OVI_TRIMESH_LEAF = 2 };

/**
 * A box, and a slab across some direction: boxes along fixed axes are as thick as they are wide
 * over a piece of a surface that lies askew, and a slab along the mean normal is not. The left
 * child of an inner node is the next node.
 */
typedef struct ovi_trimesh_node {
    ov_aabb box;
    ov_vec3 axis;   /**< unit */
    double lo, hi;  /**< of the triangles along it, from the middle of the box */
    uint32_t first; /**< leaf: the first of its triangles in `order`; else the right child */
    uint32_t count; /**< of the triangles of a leaf; 0: an inner node */
} ovi_trimesh_node;

struct ov_trimesh {
    ov_allocator allocator;
    size_t vertex_count, triangle_count, node_count;
    ov_vec3 *vertices;
    uint32_t (*triangles)[3]; /**< as given */
    uint8_t *kinds;           /**< of each triangle, as a shape */
    uint32_t *order;          /**< triangles in the order of the tree */
    ovi_trimesh_node *nodes;
    ov_ball ball;
    uint8_t *walls;    /**< of each triangle: part of a closed shell; null: there are none */
    uint32_t *anchors; /**< a vertex of each connected piece */
    size_t anchor_count;
    size_t open_count; /**< triangles with area that are no walls; all of a surface */
    bool surface;      /**< was asked for, closed or not */
};

static inline bool ovi_same_point(ov_vec3 a, ov_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* ---- triangles as shapes (trimesh.c) */

/** A triangle of a mesh in the mesh's frame. The shape may refer to the corners: do not copy. */
typedef struct ovi_trimesh_triangle {
    ov_vec3 corners[3];
    ov_shape shape;
} ovi_trimesh_triangle;

void ovi_trimesh_triangle_at(const ov_trimesh *mesh, uint32_t index, ovi_trimesh_triangle *out);

static inline void ovi_trimesh_corners(const ov_trimesh *mesh, size_t index, ov_vec3 corners[3]) {
    const uint32_t *t = mesh->triangles[index];
    for (int i = 0; i < 3; i++) {
        corners[i] = mesh->vertices[t[i]];
    }
}

/** A shape with the mesh's ball, for ovi_pair_place: its rounding is enough for all triangles. */
ov_shape ovi_trimesh_proxy(const ov_trimesh *mesh);

static inline ov_aabb ovi_corners_box(const ov_vec3 c[3]) {
    ov_aabb box = {c[0], c[0]};
    for (int i = 1; i < 3; i++) {
        box.min = ov_vec3_make(c[i].x < box.min.x ? c[i].x : box.min.x,
                               c[i].y < box.min.y ? c[i].y : box.min.y,
                               c[i].z < box.min.z ? c[i].z : box.min.z);
        box.max = ov_vec3_make(c[i].x > box.max.x ? c[i].x : box.max.x,
                               c[i].y > box.max.y ? c[i].y : box.max.y,
                               c[i].z > box.max.z ? c[i].z : box.max.z);
    }
    return box;
}

/** The larger of two numbers, in line, for the bounds that are asked most. */
static inline double ovi_larger(double a, double b) { return a > b ? a : b; }

/** Largest n.p of the corners. */
static inline double ovi_corners_top(const ov_vec3 c[3], ov_vec3 n) {
    double x = ov_vec3_dot(n, c[0]), y = ov_vec3_dot(n, c[1]), z = ov_vec3_dot(n, c[2]);
    x = x > y ? x : y;
    return x > z ? x : z;
}

/**
 * Largest n.(p - centre) of what is in a node with half extents h, at most: by its box, or by its
 * slab with the box for the rest of n.
 */
static inline double ovi_node_reach(const ovi_trimesh_node *node, ov_vec3 h, ov_vec3 n) {
    double along = ov_vec3_dot(n, node->axis);
    ov_vec3 rest = ov_vec3_add_scaled(n, node->axis, -along);
    double box = ovi_box_reach(h, n);
    double slab = along * (along > 0.0 ? node->hi : node->lo) + ovi_box_reach(h, rest);
    return slab < box ? slab : box;
}

/* ---- contacts of surfaces (trimesh_contact.c) */

/** What is handed back with an error. */
static inline ov_trimesh_contact ovi_trimesh_no_contact(ov_status status) {
    return (ov_trimesh_contact){OV_NO_TRIANGLE, OV_NO_TRIANGLE, ovi_contact_none(status)};
}

/** Lengths of a pair for two shapes, the rest of which is set; half the tolerance where `shared`.
 */
void ovi_trimesh_lengths(ovi_pair *pair, double tolerance, bool shared);

/* ---- solids (trimesh_solid.c) */

/** A mesh (A) against another, or against a shape. */
typedef struct ovi_trimesh_query {
    const ov_trimesh *a, *b; /**< b null: the shape */
    const ov_shape *shape;
    ov_pose pose_a, pose_b;
    const ov_pair_options *options; /**< may be null */
    bool rough; /**< where they are not apart, any lower bound of the gap will do */
} ovi_trimesh_query;

/** The pair in A's frame; `pair.goal` is that of the contact. */
typedef struct ovi_trimesh_placed {
    ovi_pair pair;
    ovi_frame frame;
} ovi_trimesh_placed;

/** The contact of the surfaces alone (trimesh_contact.c). */
ov_status ovi_trimesh_shape_surface(const ovi_trimesh_query *query, double limit,
                                    ov_trimesh_contact *contact, ovi_trimesh_placed *placed);
ov_status ovi_trimesh_pair_surface(const ovi_trimesh_query *query, double limit,
                                   ov_trimesh_contact *contact, ovi_trimesh_placed *placed);
/** The contact of the bodies: of their surfaces, and of what is inside closed shells. What all
 *  contacts of meshes begin with. */
ov_status ovi_trimesh_contact(const ovi_trimesh_query *query, double limit,
                              ov_trimesh_contact *contact);

/** Where something is that does not touch the surface of a mesh, or not proven so (trimesh_ray.c).
 */
typedef enum ovi_side { OVI_OUTSIDE = 0, OVI_INSIDE, OVI_UNSURE } ovi_side;
/** ... a point in the mesh's frame, known up to `error`. */
ovi_side ovi_trimesh_side(const ov_trimesh *mesh, ov_vec3 point, double error);
/** ... a point of the shape (B) of a pair; unbounded ones are outside. An error of its support. */
ov_status ovi_trimesh_shape_side(const ov_trimesh *mesh, const ovi_pair *pair, ovi_side *side);

/* ---- a convex shape seen from a mesh (trimesh_contact.c) */

/** The shape is where n.p >= height. */
typedef struct ovi_plane {
    ov_vec3 n;
    double height;
} ovi_plane;

enum { OVI_TARGET_PLANES = 4 };

/** Bounds of the shape in the mesh's frame, all of them widened by rounding. */
typedef struct ovi_target {
    bool bounded; /**< not a half-space, which is nothing but a plane */
    ov_aabb box;
    ov_vec3 centre;
    double radius;
    int plane_count, next; /**< the plane that the next one replaces when there are enough */
    ovi_plane planes[OVI_TARGET_PLANES];
} ovi_target;

/** `pair` is placed, with the proxy of a mesh as A; `rotation` is that from B's frame to A's. */
void ovi_target_make(const ovi_pair *pair, ov_quat rotation, ovi_target *target);
/** Adds the plane across n (unit, towards the shape); nothing for a half-space. */
void ovi_target_add(ovi_target *target, const ovi_pair *pair, ov_vec3 n);
/** Rotation of B as seen from A, of checked poses. */
static inline ov_quat ovi_relative_rotation(ov_pose pose_a, ov_pose pose_b) {
    ov_quat a = ov_quat_identity(), b = a;
    (void)ov_quat_normalize(pose_a.rotation, &a);
    (void)ov_quat_normalize(pose_b.rotation, &b);
    return ov_quat_mul(ov_quat_conjugate(a), b);
}

#endif
