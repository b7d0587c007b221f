/**
 * @file world.h
 * @brief Scenes of many bodies: triangle meshes, compound bodies, worlds that find all contacts,
 * and articulated models.
 *
 * What owns memory here is opaque, made by a create and freed by a destroy function, by the
 * caller's allocator if one is given. All answers keep the promises of ovoid/query.h: bounds hold
 * for the bodies as given, rounding included, and no contact within the limit of a query is lost on
 * the way to the pair query.
 */
#ifndef OVOID_WORLD_H
#define OVOID_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory comes from. It is asked by one thread at a time only. */
typedef struct ov_allocator {
    /**
     * Makes a block larger or smaller and keeps what it held, as realloc does: `block` is null for
     * a new one, `size` is 0 to free it (the answer is then not used). `old_size` is what was asked
     * for last time. Null where there is no memory; the old block then stays as it was.
     */
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} ov_allocator;

/* ---- oriented boxes -------------------------------------------------------------------------- */

/**
 * Are two boxes certainly further apart than `limit` (not negative)? The test of fifteen axes
 * [Portal, Table 1]: true is a proof, rounding included; false means that no axis separates them
 * that far, which for a limit of zero means that they meet, to about 1e-14 of their size and
 * distance (boxes with nearly parallel edges to 1e-8).
 */
bool ov_obb_apart(const ov_obb *a, const ov_obb *b, double limit);

/* ---- triangle meshes ------------------------------------------------------------------------- */

/** Largest numbers of vertices and of triangles. */
#define OV_TRIMESH_MAX ((size_t)1 << 27)
/** "None" where an index of a triangle stands. */
#define OV_NO_TRIANGLE UINT32_MAX

/**
 * Triangles with a tree of boxes over them. They need not be closed, oriented or connected; whether
 * they are is found out when the mesh is made. Never changes, so it may be shared by bodies, worlds
 * and threads. Opaque.
 *
 * A *closed shell* is a set of triangles that hang together by their edges (vertices with equal
 * coordinates are one), each edge of which is run through as often one way as the other: closed,
 * and oriented consistently. Its inside is solid: what is there is in contact. All other triangles
 * are a surface, which has no inside.
 *
 * Several shells make one solid of the points that they wind round, in all, a number of times other
 * than zero. So a mesh that is turned inside out is the same solid; a shell within another that is
 * turned the other way round is a cavity, in which there is room; one that is turned the same way
 * changes nothing. What winds round nothing, as a sheet with two sides, is a surface.
 */
typedef struct ov_trimesh ov_trimesh;

/**
 * Copies vertices and triangles, builds the tree and looks for closed shells. Triangles without
 * area are allowed: they are segments or points. OV_ERROR_NULL, OV_ERROR_COUNT (none, or too many),
 * OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX), OV_ERROR_INDEX,
 * OV_ERROR_MEMORY; `*mesh` is then null. `allocator` may be null.
 */
ov_status ov_trimesh_create(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count,
                            const ov_allocator *allocator, ov_trimesh **mesh);
/** The same, but all of it is a surface, closed or not. */
ov_status ov_trimesh_create_surface(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_allocator *allocator, ov_trimesh **mesh);
/** Null is allowed. */
void ov_trimesh_destroy(ov_trimesh *mesh);

size_t ov_trimesh_vertex_count(const ov_trimesh *mesh);
size_t ov_trimesh_triangle_count(const ov_trimesh *mesh);
const ov_vec3 *ov_trimesh_vertices(const ov_trimesh *mesh);
const uint32_t (*ov_trimesh_triangles(const ov_trimesh *mesh))[3];
/** Has the mesh an inside: a closed shell at least? */
bool ov_trimesh_is_solid(const ov_trimesh *mesh);
/** Was it made by ov_trimesh_create_surface? */
bool ov_trimesh_is_surface(const ov_trimesh *mesh);
/**
 * Number of triangles that are a surface only; those that have equal corners do not count. 0 for a
 * mesh that is closed altogether.
 */
size_t ov_trimesh_open_count(const ov_trimesh *mesh);
/** Box along the axes of the mesh's frame, and a ball; both hold the mesh. */
ov_aabb ov_trimesh_box(const ov_trimesh *mesh);
ov_ball ov_trimesh_ball(const ov_trimesh *mesh);

/** A contact of a mesh: of which triangle, and of which one of the other mesh, if it is one. */
typedef struct ov_trimesh_contact {
    uint32_t triangle_a, triangle_b; /**< OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} ov_trimesh_contact;

/** Takes a contact; false ends the query, which then returns OV_OK. */
typedef bool (*ov_trimesh_visit)(void *user, const ov_trimesh_contact *contact);

/**
 * Mesh (A) against a convex shape (B): the triangle with the least gap. `limit` (may be infinite):
 * where the gap is proven to be more, the query may end early; the contact is then
 * OV_RELATION_SEPARATED with gap_lower > limit, triangle and points are of some triangle, gap and
 * gap_upper are of that triangle, and the status is OV_NOT_CONVERGED if the bounds are further
 * apart than the tolerance.
 *
 * Solids: a shape that crosses the surface of a closed shell, or is wholly inside, overlaps.
 * gap_lower is proven: the translation by -gap_lower along the normal does separate. It is the
 * shortest of those that were tried, past the nearest wall and out of the hull of the mesh; there
 * may be a shorter one. gap_upper is proven from the other side: no less than the distance to the
 * surface, for a shape inside. With OV_DEPTH_PROVEN the status is OV_NOT_CONVERGED where the two
 * are further apart than the tolerance. Points are on the surfaces, triangle_a is where the
 * shape leaves; unlike those of convex pairs they are where the surfaces are nearest after that
 * translation, so that normal.(point_b - point_a) need not be the gap. Where a shape is too near to
 * the surface to tell the side that it is on, the relation is OV_RELATION_UNDECIDED. Half-spaces
 * are asked by the corners of the mesh, solid or not.
 *
 * Surfaces: where several triangles are penetrated, the gap is that of the deepest, the least
 * translation out of that triangle alone.
 */
ov_status ov_trimesh_shape_contact(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                                   ov_pose shape_pose, double limit, const ov_pair_options *options,
                                   ov_trimesh_contact *contact);
/** Mesh against mesh, by the same rules. Triangles of surfaces that cross have the gap of their
 *  pair. A piece of one mesh that is wholly inside of the other is found, too. */
ov_status ov_trimesh_pair_contact(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                  ov_pose pose_b, double limit, const ov_pair_options *options,
                                  ov_trimesh_contact *contact);

/** All triangles whose gap to the shape is not proven to be more than `limit`, in the order of the
 *  tree. Each is asked by itself, so these are contacts of the surface, of solids too. */
ov_status ov_trimesh_shape_contacts(const ov_trimesh *mesh, ov_pose mesh_pose,
                                    const ov_shape *shape, ov_pose shape_pose, double limit,
                                    const ov_pair_options *options, ov_trimesh_visit visit,
                                    void *user);
/** All pairs of triangles, by the same rules. */
ov_status ov_trimesh_pair_contacts(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                   ov_pose pose_b, double limit, const ov_pair_options *options,
                                   ov_trimesh_visit visit, void *user);

/** As ov_ray_cast; the normal is that of the triangle, against the ray. `triangle` may be null. A
 *  ray that begins inside of a solid hits at 0, and no triangle. */
ov_status ov_trimesh_ray_cast(const ov_trimesh *mesh, ov_pose pose, ov_vec3 origin,
                              ov_vec3 direction, double reach, ov_ray_hit *hit, uint32_t *triangle);

/** As ov_shape_cast: the shape (A) moved along `translation` against the resting mesh (B). The
 *  contact is that with the triangle; where the shape overlaps a solid at the start, that with the
 *  solid. */
ov_status ov_trimesh_shape_cast(const ov_shape *shape, ov_pose shape_pose, ov_vec3 translation,
                                const ov_trimesh *mesh, ov_pose mesh_pose,
                                const ov_pair_options *options, ov_cast_hit *hit,
                                uint32_t *triangle);

/* ---- geometry: what a body is made of ---------------------------------------------------------
 */

/** One part of a body. */
typedef struct ov_part {
    ov_shape shape;         /**< of a convex kind; not looked at where there is a mesh */
    const ov_trimesh *mesh; /**< null: a shape */
    ov_pose pose;           /**< in the body's frame; a rotation of zeros: none */
} ov_part;

/** Largest number of parts of a geometry. */
#define OV_PARTS_MAX ((size_t)1 << 20)

/**
 * One or more parts, shared by as many bodies as one likes. Shapes are copied; meshes, the vertices
 * of polyhedra and the user data of custom shapes are referred to. Never changes. Opaque.
 */
typedef struct ov_geometry ov_geometry;

/**
 * OV_ERROR_NULL, OV_ERROR_COUNT (no parts, or too many), OV_ERROR_SHAPE, OV_ERROR_UNSUPPORTED (a
 * modelling kind), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a part beyond OV_POSITION_MAX),
 * OV_ERROR_MEMORY.
 */
ov_status ov_geometry_create(const ov_part *parts, size_t count, const ov_allocator *allocator,
                             ov_geometry **geometry);
/** No body may use it any more. Null is allowed. */
void ov_geometry_destroy(ov_geometry *geometry);
size_t ov_geometry_count(const ov_geometry *geometry);
/** A part, with a unit quaternion, or null beyond the last. */
const ov_part *ov_geometry_part(const ov_geometry *geometry, size_t index);

/* ---- worlds -----------------------------------------------------------------------------------
 */

/**
 * Bodies of a world, and what was found out about their pairs. Half-spaces are no pairs among
 * themselves: two of them overlap without end, or lie back to back, and have no gap to tell.
 * Opaque.
 */
typedef struct ov_world ov_world;

/** Names a body in its world, also when others come and go; 0 is none. Never used twice. */
typedef uint64_t ov_body;

typedef struct ov_world_options {
    /**
     * By how much the boxes of the tree are larger than the bodies, in units of a body's radius, up
     * to 10: a body that moves by less need not be looked for anew, but has more neighbours. 0:
     * 0.1; OV_ZERO: not at all.
     */
    double margin;
    ov_pair_options pair;
    ov_allocator allocator; /**< resize null: malloc and its like */
} ov_world_options;

/** Margin 0.1, default pair options. */
ov_world_options ov_default_world_options(void);

/** `options` may be null. OV_ERROR_NULL, OV_ERROR_OPTION, OV_ERROR_MEMORY. */
ov_status ov_world_create(const ov_world_options *options, ov_world **world);
/** Null is allowed. */
void ov_world_destroy(ov_world *world);

typedef struct ov_body_def {
    const ov_geometry *geometry; /**< must outlive the body */
    ov_pose pose;                /**< a rotation of zeros: none */
    /** Two bodies are a pair if each one's mask has a bit of the other's group. 0: group 1, mask of
     *  all bits; for a body that meets nothing there is `no_pairs`. */
    uint32_t group, mask;
    bool fixed; /**< fixed bodies are no pairs among themselves; they may be moved all the same */
    void *user; /**< the caller's */
    bool no_pairs; /**< no pair with any other; rays, shapes and boxes see it by its group */
} ov_body_def;

/** At the origin, group 1, mask of all bits, not fixed. */
ov_body_def ov_default_body_def(void);

/** Largest number of parts of all bodies of a world together. */
#define OV_WORLD_PARTS_MAX ((size_t)1 << 28)

/**
 * Adds a body. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a position beyond
 * OV_POSITION_MAX), OV_ERROR_COUNT, OV_ERROR_MEMORY; the world is then as before.
 */
ov_status ov_world_add(ov_world *world, const ov_body_def *def, ov_body *body);
/** Removes a body; OV_ERROR_INDEX where it is not there (any more). */
ov_status ov_world_remove(ov_world *world, ov_body body);
/** Moves a body; errors as above and OV_ERROR_ZERO_DIRECTION, the body then stays. */
ov_status ov_world_move(ov_world *world, ov_body body, ov_pose pose);
/**
 * Moves bodies[i] to poses[i]; the first error ends it, `*done` (may be null) have been moved. A
 * body that is named twice ends at the later pose. `threads` as in ov_world_contacts; what comes
 * out does not depend on it. OV_ERROR_OPTION beyond OV_THREADS_MAX.
 */
ov_status ov_world_move_all(ov_world *world, const ov_body *bodies, const ov_pose *poses,
                            size_t count, unsigned threads, size_t *done);

size_t ov_world_count(const ov_world *world);
bool ov_world_has(const ov_world *world, ov_body body);
/** What a body was made from, defaults filled in, with its pose now, as a unit quaternion.
 *  OV_ERROR_INDEX. */
ov_status ov_world_get(const ov_world *world, ov_body body, ov_body_def *def);

/** A contact between parts of two bodies. */
typedef struct ov_world_contact {
    ov_body a, b; /**< a < b; `b` is 0 where a body's contact is with a caller's own shape */
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< of the nearest triangle; OV_NO_TRIANGLE for a shape */
    /** Bodies that hang together by contacts, fixed ones aside, have the same number, from 0. */
    uint32_t island;
    ov_contact contact;
} ov_world_contact;

/**
 * What each layer did in the last search for contacts, counted in pairs of parts: pairs =
 * rejected_kept + rejected_ball + rejected_obb + queries, and queries = rejected_query + contacts.
 */
typedef struct ov_world_counts {
    size_t parts;          /**< in the world */
    size_t moved;          /**< parts that had left their box in the tree since the last search */
    size_t filtered;       /**< met by these, but not to be asked for: groups, fixed, same body */
    size_t pairs;          /**< neighbours that can come within the limit before the next look */
    size_t rejected_kept;  /**< further apart than the limit by what was known before */
    size_t rejected_ball;  /**< ... by their balls */
    size_t rejected_obb;   /**< ... by their oriented boxes */
    size_t queries;        /**< pair queries: the rest */
    size_t rejected_query; /**< proven to be further apart than the limit */
    size_t contacts;       /**< the others */
    size_t undecided;      /**< contacts without a relation */
    size_t not_converged;  /**< contacts with a status of OV_NOT_CONVERGED */
    size_t memory;         /**< bytes held by the world */
} ov_world_counts;

/**
 * The broad phase: brings the pairs of neighbours up to date for contacts up to `limit` (a length,
 * not negative). ov_world_contacts does this by itself; apart, it can be timed, or done earlier.
 * `threads` as there. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION (a limit that is negative
 * or beyond OV_POSITION_MAX, threads beyond OV_THREADS_MAX), OV_ERROR_MEMORY.
 */
ov_status ov_world_update(ov_world *world, double limit, unsigned threads);

/**
 * All pairs of parts whose gap is not proven to be more than `limit`, in an order that does not
 * depend on the number of threads (1: none, 0: as many as the machine has). The array is the
 * world's, and stays until the next call that changes the world or asks for contacts. OV_OK also
 * where single contacts have a weaker status of their own, or an error (then without numbers: of
 * such a pair nothing is known, but it is not left out). OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 * OV_ERROR_OPTION, OV_ERROR_MEMORY.
 */
ov_status ov_world_contacts(ov_world *world, double limit, unsigned threads,
                            const ov_world_contact **contacts, size_t *count);

/** What the last ov_world_contacts (or ov_world_update) did. */
ov_world_counts ov_world_last_counts(const ov_world *world);

/* The following ask only: they change nothing, and several threads may ask at once. Bodies are seen
 * whose group has a bit of `mask` (0: all). Where an array is filled, `*count` is how many there
 * are, and no more than `room` are written. */

/** The pair of bodies with the least gap, with a status of its own; OV_ERROR_COUNT where there is
 * no pair. */
ov_status ov_world_nearest(const ov_world *world, ov_world_contact *contact);
/** Contacts of one body with all others that it is a pair with, up to `limit` (may be infinite). */
ov_status ov_world_body_contacts(const ov_world *world, ov_body body, double limit,
                                 ov_world_contact *contacts, size_t room, size_t *count);
/** Contacts of the bodies with a convex shape that is not in the world: `b` is 0. */
ov_status ov_world_shape_contacts(const ov_world *world, const ov_shape *shape, ov_pose pose,
                                  double limit, uint32_t mask, ov_world_contact *contacts,
                                  size_t room, size_t *count);

typedef struct ov_world_ray_hit {
    ov_body body; /**< 0: none */
    uint32_t part, triangle;
    ov_ray_hit ray;
} ov_world_ray_hit;
/**
 * First body on a ray; see ov_ray_cast. OV_NOT_CONVERGED also where a graze before the hit could
 * not be decided; distance_lower is then where that may be.
 */
ov_status ov_world_ray_cast(const ov_world *world, ov_vec3 origin, ov_vec3 direction, double reach,
                            uint32_t mask, ov_world_ray_hit *hit);

typedef struct ov_world_cast_hit {
    ov_body body; /**< 0: none */
    uint32_t part, triangle;
    ov_cast_hit cast; /**< A is the moving shape */
} ov_world_cast_hit;
/** First body that a convex shape meets when it is moved along `translation`; see ov_shape_cast.
 *  OV_ERROR_UNBOUNDED for a half-space. */
ov_status ov_world_shape_cast(const ov_world *world, const ov_shape *shape, ov_pose pose,
                              ov_vec3 translation, uint32_t mask, ov_world_cast_hit *hit);

/** Bodies that are not proven to be outside of a box along the world's axes, which may be flat.
 *  OV_ERROR_NOT_FINITE, OV_ERROR_OPTION (a minimum above its maximum), OV_ERROR_SIZE_RANGE. */
ov_status ov_world_box_overlaps(const ov_world *world, ov_aabb box, uint32_t mask, ov_body *bodies,
                                size_t room, size_t *count);

/* ---- articulated models ------------------------------------------------------------------------
 *
 * Links joined to a tree. The pose of a link is
 *     pose(child) = pose(parent) origin motion(positions)
 * where the motion turns about, or moves along, the axis in the joint's frame. */

typedef enum ov_joint_kind {
    OV_JOINT_KIND_FIXED = 0,
    OV_JOINT_KIND_REVOLUTE,   /**< one angle in radians, with limits */
    OV_JOINT_KIND_CONTINUOUS, /**< one angle without limits */
    OV_JOINT_KIND_PRISMATIC,  /**< one length, with limits */
    OV_JOINT_KIND_PLANAR,     /**< two lengths across the axis, and an angle about it: see below */
    OV_JOINT_KIND_SPHERICAL,  /**< a quaternion w, x, y, z (need not be a unit) */
    OV_JOINT_KIND_FLOATING,   /**< a position x, y, z, and a quaternion w, x, y, z */
    OV_JOINT_KIND_COUNT
} ov_joint_kind;

/* The lengths of a planar joint are along x and y, turned by the least rotation that takes z to the
 * axis (about x by pi where the axis is -z). */

/** "fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "floating". */
const char *ov_joint_kind_name(ov_joint_kind kind);
/** Numbers that the position of such a joint takes: 0, 1, 1, 1, 3, 4, 7. */
size_t ov_joint_position_count(ov_joint_kind kind);
/** Its degrees of freedom: 0, 1, 1, 1, 3, 3, 6. */
size_t ov_joint_dof_count(ov_joint_kind kind);

/** "None" where an index of a link or joint stands. */
#define OV_NO_LINK UINT32_MAX

typedef struct ov_joint_def {
    const char *name; /**< copied; unlike all others */
    ov_joint_kind kind;
    uint32_t parent, child; /**< links */
    ov_pose origin;         /**< the joint's frame in the parent's; a rotation of zeros: none */
    ov_vec3 axis;           /**< in the joint's frame, any length; zero: x; not for all kinds */
    /** Limits of a revolute or prismatic joint; may be infinite. Both 0: none. A joint that is held
     *  at zero has 0 and OV_ZERO. */
    double lower, upper;
    /**
     * A joint of one position may follow another one: position = multiplier position(mimic) +
     * offset. It then takes no position and no motion of its own. OV_NO_LINK, or 0 with a
     * multiplier of 0: it does not; to follow joint 0, say by which multiplier.
     */
    uint32_t mimic;
    double multiplier, offset; /**< a multiplier of 0: 1; OV_ZERO: held at the offset */
} ov_joint_def;

/** Fixed, at the parent's frame, axis x, without limits, following no other. */
ov_joint_def ov_default_joint_def(void);

typedef struct ov_link_def {
    const char *name; /**< copied; unlike all others */
    const ov_part *parts;
    size_t part_count; /**< may be 0 */
} ov_link_def;

/** Largest number of links. */
#define OV_MODEL_LINKS_MAX ((size_t)100000)

/** A kinematic tree. Opaque; what its parts refer to must outlive it. */
typedef struct ov_model ov_model;

/** What is wrong with a model: with which link and which joint; OV_NO_LINK: none in particular. */
typedef struct ov_model_error {
    uint32_t link, joint;
    const char *text; /**< a constant: one line of plain English */
} ov_model_error;

/**
 * Checks that the links are one tree and makes a model. Joints come in any order. Links that a
 * joint joins, or that are joined by fixed joints and one other, are allowed to overlap at first
 * (ov_model_allow). `error` and `allocator` may be null. OV_ERROR_NULL, OV_ERROR_COUNT,
 * OV_ERROR_INDEX (a link or joint that is not there), OV_ERROR_NOT_CLOSED (no tree: a loop, two
 * parents, two roots, mimics in a circle), OV_ERROR_FILE_FORMAT (a name that is empty or used
 * twice), OV_ERROR_OPTION (limits the wrong way round, an unknown kind, a mimic of a joint of more
 * positions), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (an origin beyond OV_POSITION_MAX),
 * OV_ERROR_MEMORY, or what ov_geometry_create says of the parts.
 */
ov_status ov_model_create(const ov_link_def *links, size_t link_count, const ov_joint_def *joints,
                          size_t joint_count, const ov_allocator *allocator, ov_model **model,
                          ov_model_error *error);
/** Null is allowed. */
void ov_model_destroy(ov_model *model);

size_t ov_model_link_count(const ov_model *model);
size_t ov_model_joint_count(const ov_model *model);
/** All positions, and all degrees of freedom, together. */
size_t ov_model_position_count(const ov_model *model);
size_t ov_model_dof_count(const ov_model *model);
/** The root's index. */
uint32_t ov_model_root(const ov_model *model);
const char *ov_model_link_name(const ov_model *model, size_t link);
/** The link's parts, or null where it has none. */
const ov_geometry *ov_model_link_geometry(const ov_model *model, size_t link);
/** The joint that a link hangs on, or OV_NO_LINK for the root. */
uint32_t ov_model_link_joint(const ov_model *model, size_t link);
/** A joint as it was given, defaults filled in, with a unit axis and quaternion; null beyond the
 *  last. */
const ov_joint_def *ov_model_joint(const ov_model *model, size_t joint);
/** Where a joint's positions, and its motions, begin; those of the joint that it follows. */
size_t ov_model_joint_position(const ov_model *model, size_t joint);
size_t ov_model_joint_dof(const ov_model *model, size_t joint);
/** OV_NO_LINK where there is no such name. */
uint32_t ov_model_find_link(const ov_model *model, const char *name);
uint32_t ov_model_find_joint(const ov_model *model, const char *name);

/** Zero, or the limit nearest to it, and unit quaternions. */
void ov_model_rest(const ov_model *model, double *positions);
/**
 * OV_OK; OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION; OV_ERROR_OPTION where a position is beyond a
 * limit by more than rounding (1e-9). Joints that follow another are held against their own limits,
 * too. `*joint` (may be null) is the first to blame.
 */
ov_status ov_model_check(const ov_model *model, const double *positions, uint32_t *joint);

/** Poses of all links for a pose of the root; quaternions are units. Errors of the input as above,
 *  but limits are not looked at. */
ov_status ov_model_poses(const ov_model *model, ov_pose root, const double *positions,
                         ov_pose *poses);

/**
 * Velocity of a world point that is fixed to a link, by each motion: `columns` has one vector for
 * each. Motions of a planar, spherical or floating joint are along and about the axes of the
 * joint's frame (fixed to the parent), the turns through the child's origin.
 */
ov_status ov_model_point_jacobian(const ov_model *model, const ov_pose *poses, uint32_t link,
                                  ov_vec3 point, ov_vec3 *columns);
/**
 * Derivative of a contact's gap by each motion: A on link_a, B on link_b, either of them OV_NO_LINK
 * for a body that does not move with the model. Holds where the contact is unique.
 */
ov_status ov_model_gap_gradient(const ov_model *model, const ov_pose *poses, uint32_t link_a,
                                uint32_t link_b, const ov_contact *contact, double *gradient);

/** May two links overlap? A table, symmetric; a link may always overlap itself (OV_ERROR_OPTION).
 */
ov_status ov_model_allow(ov_model *model, uint32_t link_a, uint32_t link_b, bool allowed);
bool ov_model_is_allowed(const ov_model *model, uint32_t link_a, uint32_t link_b);

/** A contact between parts of two links. */
typedef struct ov_link_contact {
    uint32_t link_a, link_b; /**< link_a < link_b */
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b;
    ov_contact contact;
} ov_link_contact;

/**
 * Checks a model against itself, pose after pose; keeps what it learned from one to the next. One a
 * thread; the model must outlive it, and ov_model_allow after its making is not seen.
 * OV_ERROR_COUNT for more than 2^15 links with parts or 2^24 pairs of parts, OV_ERROR_UNBOUNDED for
 * two half-spaces on links that may not overlap, OV_ERROR_OPTION, OV_ERROR_MEMORY. Opaque.
 */
typedef struct ov_self_check ov_self_check;
ov_status ov_self_check_create(const ov_model *model, const ov_pair_options *options,
                               const ov_allocator *allocator, ov_self_check **check);
/** Null is allowed. */
void ov_self_check_destroy(ov_self_check *check);
/**
 * All pairs of parts of links that may not overlap and whose gap is not proven to be more than
 * `limit`, by links and parts in ascending order. `poses` is what ov_model_poses gave. The array is
 * the checker's, until the next call.
 */
ov_status ov_self_check_run(ov_self_check *check, const ov_pose *poses, double limit,
                            const ov_link_contact **contacts, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
