/**
 * @file cloth_internal.h
 * @brief What the files of the cloth share.
 *
 * Arrays of vertices hold four doubles each, x, y, z and a zero, aligned to 32 bytes, so that a
 * vertex is one vector register. docs/theory/cloth.md derives what is computed.
 */
#ifndef OVI_CLOTH_INTERNAL_H
#define OVI_CLOTH_INTERNAL_H

#include <ovoid/sim_cloth.h>

#include "../math/lanes.h"
#include "../math/system.h"
#include "../world/bvh.h"

/* ---- constraints */

/**
 * Four edges that share no vertex: |a - b| = rest, with compliance. `mu` is the multiplier over the
 * length, so that a - b times it is the correction; it is kept as the start of the next substep.
 */
typedef struct ovi_cloth_edges {
    uint32_t a[4], b[4];
    ovi_v4 rest;
    ovi_v4 wa, wb;     /**< inverse masses */
    ovi_v4 compliance; /**< m/N */
    ovi_v4 soft;       /**< compliance over h squared */
    ovi_v4 inverse;    /**< 1/(wa + wb + soft) */
    ovi_v4 mu;
    float width[4];  /**< of the cloth that the edge stands for, m */
    uint32_t thread; /**< bit i: edge i is along a thread, not a diagonal; bit 4 + i: it is none */
} ovi_cloth_edges;

/** Two triangles that share an edge: k . x = 0, four weights of cotangents, by a compliance. */
typedef struct ovi_cloth_hinge {
    ovi_v4 multiplier;
    double k[4], w[4];
    double compliance, soft, inverse;
    uint32_t v[4];
    double unused;
} ovi_cloth_hinge;

/* ---- contacts with bodies */

typedef enum ovi_solid_path {
    OVI_SOLID_ELLIPSOID, /**< closed form in the space where it is the unit ball */
    OVI_SOLID_GAUGE,     /**< Newton's method on the gauge, which is homogeneous */
    OVI_SOLID_TAPERED,   /**< Newton's method on the gauge, planes by the support */
    OVI_SOLID_PLANE,     /**< half-space: vertices */
    OVI_SOLID_BOX,       /**< separating axes and clipping */
    OVI_SOLID_SUPPORT,   /**< the pair query */
    OVI_SOLID_MESH       /**< as layers of the cloth: cloth_self.c */
} ovi_solid_path;

/** A part of a collider. */
typedef struct ovi_cloth_solid {
    const ov_shape *shape;
    const ov_trimesh *mesh;
    ov_pose part;   /**< in the collider's frame */
    ov_pose pose;   /**< in the world, at the end of the current step */
    ov_mat3 turn;   /**< of `pose` */
    ov_affine back; /**< takes points at the end of the current step to its start */
    bool moves;     /**< in the current step */
    ovi_solid_path path;
    double inner; /**< radius of a ball inside; 0: not known */
    double outer; /**< radius of a ball outside about the part's origin */
    double drift; /**< path of the farthest point since the candidates were found */
    uint32_t collider;
    uint32_t stamp;      /**< of the step in which it moved last */
    size_t first, count; /**< of its candidates */
} ovi_cloth_solid;

/** A triangle near a body, with a plane of the body and the point of the triangle nearest to it. */
typedef struct ovi_cloth_candidate {
    ov_vec3 normal; /**< unit, outward, in the world */
    double offset;  /**< the body, thickened, is below it */
    double b[3];    /**< barycentric coordinates of the point */
    uint32_t triangle;
    uint32_t place; /**< of the triangle in the order of the tree */
    uint32_t stamp; /**< of the step that it was evaluated in; 0: never */
    uint32_t below; /**< a corner is below the plane, in this step */
} ovi_cloth_candidate;

/** A candidate that is in contact, in this step; a vertex in contact with a half-space that it
 *  bounces off. */
typedef struct ovi_cloth_touch {
    size_t candidate; /**< or vertex */
    uint32_t solid;
    double approach; /**< speed along the normal before the step */
} ovi_cloth_touch;

/** What pushes a vertex, in one round of corrections. */
typedef struct ovi_cloth_press {
    ov_vec3 normal;    /**< of the first body */
    uint32_t clock;    /**< of the round */
    uint32_t squeezed; /**< of the round in which another body pushed against the first */
} ovi_cloth_press;

/* ---- contacts of layers */

/** Two features, vertex and triangle or edge and edge, of the cloth or of a mesh: the sum of the
 *  weighted vertices along the normal stays above the thickness. Vertices from `vertex_count` on
 * are those of meshes (outside). */
typedef struct ovi_cloth_layer {
    uint32_t v[4];
    double weight[4];
    ov_vec3 normal;
    double target;     /**< distance that repulsion asks for; 0: too far apart for that */
    double allowed;    /**< what vertices of one may come closer to those of the other */
    uint32_t collider; /**< of a mesh; OV_NO_COLLIDER: none */
    uint32_t first;    /**< number of vertices of the first feature: 1 or 2 */
    double friction;
} ovi_cloth_layer;

/** A vertex that is held. */
typedef struct ovi_cloth_hold {
    uint32_t vertex;
    uint32_t collider; /**< OV_NO_COLLIDER: the world */
    ov_vec3 point;     /**< in the collider's frame or the world */
    double stiffness;  /**< of a spring; 0: rigid */
} ovi_cloth_hold;

typedef struct ovi_cloth_node {
    ov_aabb box;
    uint32_t first; /**< leaf: the first of its triangles in `order`; else the second child */
    uint32_t count; /**< of the triangles of a leaf; 0: an inner node. The first child is next. */
} ovi_cloth_node;

struct ov_cloth {
    ov_allocator allocator;
    ov_cloth_options options; /**< with defaults filled in */
    double thickness;
    double least_height; /**< of a triangle at rest */
    double edge, across; /**< length of a thread's edge, and how many there are from end to end */
    double last_h;       /**< of the multipliers */
    double drift;        /**< largest sum of displacements since candidates were found */
    double slack;        /**< what drifts may add up to */
    double fastest;      /**< largest speed after the last step */
    double tolerance;    /**< motion that leaves a plane as good as it was */
    double time, frame;  /**< of the frame: what is over of it, and its length, s */
    double share;        /**< of the substep that is over: where the colliders are */
    unsigned sweeps;     /**< over edges and hinges, of a step */
    uint32_t clock;      /**< steps so far, for stamps */
    bool adopt;          /**< candidates came with a snapshot: the next colliders are theirs */
    bool unchecked;      /**< a position was set: crossings are to be looked for */
    bool stale;          /**< inverse masses changed */
    bool measured;       /**< displacement bounds hold for `anchor` */
    size_t contacts, self_contacts, steps, tears;

    size_t vertex_count, vertex_room; /**< the arrays have four more, for edges that are none */
    ovi_v4 *x, *prev, *v, *rest, *reference;
    ovi_v4 *anchor; /**< positions at the last search for layers */
    double *mass, *w, *bound;
    uint32_t *stamps;
    ovi_cloth_press *press;

    size_t triangle_count;
    uint32_t (*triangles)[3];
    uint8_t *owns; /**< bits 0 to 2: vertices, 3 to 5: edges (i, i+1), each of one triangle only */
    uint32_t *order;
    ovi_cloth_node *nodes;
    size_t node_count;

    ovi_cloth_edges *edges;
    size_t edge_count, edge_room;
    ovi_cloth_hinge *hinges;
    size_t hinge_count, hinge_room;
    ovi_cloth_hold *holds;
    size_t hold_count, hold_room;

    ovi_cloth_solid *solids;
    size_t solid_count, solid_room;
    ovi_cloth_candidate *candidates, *spare;
    size_t candidate_count, candidate_room, spare_room;
    ovi_cloth_touch *touches;
    size_t touch_count, touch_room;
    ovi_cloth_layer *layers;
    size_t layer_count, layer_room;
    ov_vec3 *outside, *outside_start; /**< vertices of meshes, at the step's end and start */
    size_t outside_count, outside_room, outside_start_room;
    ov_cloth_collider *stage;
    size_t stage_room;
    ov_vec3 *push; /**< displacement and turn of each collider by the cloth, in the step */
    size_t push_room;
};

static inline ov_vec3 ovi_cloth_at(const ovi_v4 *array, size_t i) {
    return ov_vec3_make(array[i][0], array[i][1], array[i][2]);
}

/** How far a triangle and a body may go in a step, so that it stays on its side. */
static inline double ovi_cloth_stride(const ovi_cloth_solid *s) {
    return 0.5 * (s->inner > 0.0 ? s->inner : 0.1 * s->outer);
}

static inline ovi_v4 ovi_cloth_pack(ov_vec3 p) { return (ovi_v4){p.x, p.y, p.z, 0.0}; }

/* ---- cloth_mesh.c */

/** Arrays that are aligned to 32 bytes, resized with their contents; false for want of memory. */
bool ovi_cloth_resize(const ov_allocator *allocator, void **array, size_t old_count, size_t count,
                      size_t size);
void ovi_cloth_release(const ov_allocator *allocator, void *array, size_t count, size_t size);
/** Masses, edges, hinges and tree from the triangles and the rest positions. */
ov_status ovi_cloth_build(ov_cloth *cloth);
/** Inverse masses of the constraints, where what is held has changed; compliance for a step. */
void ovi_cloth_prepare(ov_cloth *cloth, double h);
/** Boxes of the tree, or of a copy of its nodes, for the current positions. */
void ovi_cloth_refit(const ov_cloth *cloth, ovi_cloth_node *nodes);
/** Splits a vertex of the edge that is pulled hardest, if that is too hard. */
ov_status ovi_cloth_tear(ov_cloth *cloth);

/* ---- cloth_solve.c */

void ovi_cloth_predict(ov_cloth *cloth, double h, ov_vec3 gravity);
/** Edges and hinges, so many times, from the multipliers of the last step. */
void ovi_cloth_relax(ov_cloth *cloth, double h);
/** Velocities from positions; keeps the largest displacement and speed. */
void ovi_cloth_advance(ov_cloth *cloth, double h);
void ovi_cloth_damp(ov_cloth *cloth, double dt);

/* ---- cloth_collider.c */

/** The parts of the colliders; drops what was known about others. */
ov_status ovi_cloth_take_colliders(ov_cloth *cloth, const ov_cloth_collider *colliders,
                                   size_t count);
/** A pose between two, at constant speed. */
ov_pose ovi_cloth_pose_between(ov_pose start, ov_pose end, double t);
/** Places the parts at a share of the way from start to end, and the one before. */
void ovi_cloth_place(ov_cloth *cloth, const ov_cloth_collider *colliders, double before,
                     double after);

/* ---- cloth_contact.c */

/** Triangles near bodies, where what was found may be out of date. */
ov_status ovi_cloth_find_candidates(ov_cloth *cloth, double step);
/** The published way: forces on vertices, as a change of their speed. */
void ovi_cloth_radial_forces(ov_cloth *cloth, ov_cloth_collider *colliders, double h);
/** Contacts of the current positions, and their correction with friction. */
ov_status ovi_cloth_collide(ov_cloth *cloth, ov_cloth_collider *colliders, double h);
/** Restitution, after velocities are known. */
void ovi_cloth_bounce(ov_cloth *cloth, const ov_cloth_collider *colliders, double h);
/** Pushes a collider by an impulse over h at a point, and notes what it does to its pose. */
void ovi_cloth_push(ov_cloth *cloth, ov_cloth_collider *colliders, uint32_t collider, ov_vec3 point,
                    ov_vec3 impulse, double h);
/** How far the cloth has pushed the collider at a point, in this step. */
ov_vec3 ovi_cloth_pushed(const ov_cloth *cloth, const ov_cloth_collider *colliders,
                         uint32_t collider, ov_vec3 point);
/** Point of a triangle nearest to the origin, and its barycentric coordinates. */
ov_vec3 ovi_cloth_nearest_to_origin(const ov_vec3 p[3], double b[3]);
/** Inverse mass of a collider at a point along a direction. */
double ovi_cloth_inverse_mass(const ov_cloth_collider *c, ov_vec3 point, ov_vec3 n);

/* ---- cloth_self.c */

/** OV_ERROR_CROSSING where triangles cross or touch: what touches could never be told apart. */
ov_status ovi_cloth_check_layers(ov_cloth *cloth);
/** Features of the cloth and of meshes that are close, and how far each vertex may go; without
 *  colliders those of the cloth. */
ov_status ovi_cloth_find_layers(ov_cloth *cloth, const ov_cloth_collider *colliders);
void ovi_cloth_separate_layers(ov_cloth *cloth, ov_cloth_collider *colliders, double h);
/** Holds vertices back as far as layers would meet otherwise. */
void ovi_cloth_limit(ov_cloth *cloth, ov_cloth_collider *colliders, double h);
/** Does a triangle of a vertex cross another one? */
bool ovi_cloth_crosses_at(const ov_cloth *cloth, uint32_t vertex);

#endif
