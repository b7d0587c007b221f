/**
 * @file world.h
 * @brief Bodies of one or more parts, and worlds of many bodies that find all contacts.
 *
 * Types that own memory are opaque, made by a create and freed by a destroy function, with the
 * caller's allocator if there is one. All answers keep the promises of ovoid/query.h: bounds hold
 * for the bodies as given, rounding included, and the broad phase loses no contact within the limit
 * of a query.
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
#include <ovoid/system.h>
#include <ovoid/trimesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- oriented boxes -------------------------------------------------------------------------- */

/**
 * Are two boxes certainly further apart than `limit` (not negative)? The separating axis test with
 * fifteen axes [Portal, Table 1]. True is a proof, rounding included. False means that no axis
 * separates them by more than `limit`. For a limit of zero they then overlap, to about 1e-14 of
 * their size and distance (to 1e-8 for boxes with nearly parallel edges).
 */
bool ov_obb_apart(const ov_obb *a, const ov_obb *b, double limit);

/* ---- geometry: what a body is made of ---------------------------------------------------------
 */

/** One part of a body. */
typedef struct ov_part {
    ov_shape shape;         /**< of a convex kind; ignored if there is a mesh */
    const ov_trimesh *mesh; /**< null: the part is the shape */
    ov_pose pose;           /**< in the body's frame; a rotation of zeros: none */
} ov_part;

/** Largest number of parts of a geometry. */
#define OV_PARTS_MAX ((size_t)1 << 20)

/**
 * One or more parts; any number of bodies may share them. Shapes are copied. Meshes, the vertices
 * of polyhedra and the user data of custom shapes are referred to. A geometry never changes.
 * Opaque.
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

/** A contact between parts of two bodies. */
typedef struct ov_part_contact {
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< of the nearest triangle; OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} ov_part_contact;

/**
 * Contact of two placed geometries: the pair of parts with the least gap, the first one of several.
 * The gap of two bodies is the least gap of their parts. If several parts overlap, separating the
 * bodies takes a translation of at least that depth. Bounds and relation hold for the whole bodies.
 * The tolerance is in units of the largest size among the pairs of parts that were solved; if the
 * bounds of the whole are further apart than that, the status is OV_NOT_CONVERGED. Bodies of one
 * part each, at the origin of the body's frame, have the contact of ov_pair_contact.
 *
 * `limit` (may be infinite): if the gap is proven to be larger, the query may end early. The
 * contact is then OV_RELATION_SEPARATED with gap_lower > limit, and parts, points, gap and
 * gap_upper are those of some pair of parts.
 *
 * The query traverses the BVHs of both geometries and allocates no memory; any number of threads
 * may run it. `options` may be null. Returns contact->contact.status; if that is negative, all
 * numbers of the contact are NaN. OV_ERROR_UNBOUNDED if both geometries have a half-space.
 */
ov_status ov_geometry_contact(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b,
                              ov_pose pose_b, double limit, const ov_pair_options *options,
                              ov_part_contact *contact);

/* ---- worlds -----------------------------------------------------------------------------------
 */

/**
 * Bodies, and what is known about their pairs. Two half-spaces are never a pair: either they
 * overlap in an unbounded region or they face away from each other, so they have no gap. Opaque.
 */
typedef struct ov_world ov_world;

/** Handle of a body in its world; 0 means none. A world never uses a handle twice. */
typedef uint64_t ov_body;

typedef struct ov_world_options {
    /**
     * By how much the boxes in the BVH are larger than the parts, in units of the radius of the
     * body's largest part, up to 10. A body that moves by less needs no new search for neighbours,
     * but it has more of them. 0: 0.1; OV_ZERO: none.
     */
    double margin;
    ov_pair_options pair;
    ov_threads threads;     /**< for all calls that change the world or search for contacts */
    ov_allocator allocator; /**< resize null: realloc and free */
} ov_world_options;

/** Margin 0.1, as many threads as the machine has, default pair options. The default depth of a
 *  world is local (OV_DEPTH_LOCAL): the minimum near that of the previous step, at a fraction of
 * the cost of the global depth. */
ov_world_options ov_default_world_options(void);

/** `options` may be null. OV_ERROR_NULL, OV_ERROR_OPTION, OV_ERROR_MEMORY. */
ov_status ov_world_create(const ov_world_options *options, ov_world **world);
/** Null is allowed. */
void ov_world_destroy(ov_world *world);
/** A copy, with the same handles, geometries and memory of earlier steps: given the same calls,
 *  both return the same bits. It uses the same allocator. OV_ERROR_NULL, OV_ERROR_MEMORY. */
ov_status ov_world_copy(const ov_world *world, ov_world **copy);
/** Changes the threads; null: as many as the machine has. OV_ERROR_OPTION for more than
 *  OV_THREADS_MAX. No result depends on it. */
ov_status ov_world_set_threads(ov_world *world, const ov_threads *threads);

typedef struct ov_body_def {
    const ov_geometry *geometry; /**< must outlive the body */
    ov_pose pose;                /**< a rotation of zeros: none */
    /** Two bodies are a pair if each body's mask has a bit of the other's group. 0: group 1, mask
     * of all bits. */
    uint32_t group, mask;
    bool fixed;    /**< two fixed bodies are not a pair; they may still be moved */
    void *user;    /**< the caller's own */
    bool no_pairs; /**< no pair with any other body; rays, casts and boxes still see its group */
} ov_body_def;

/** At the origin, group 1, mask of all bits, not fixed. */
ov_body_def ov_default_body_def(void);

/** Largest number of parts in a world. */
#define OV_WORLD_PARTS_MAX ((size_t)1 << 28)

/**
 * Adds a body. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a position beyond
 * OV_POSITION_MAX), OV_ERROR_COUNT, OV_ERROR_MEMORY; the world is then unchanged.
 */
ov_status ov_world_add(ov_world *world, const ov_body_def *def, ov_body *body);
/** Removes a body; OV_ERROR_INDEX if it does not exist (any more). */
ov_status ov_world_remove(ov_world *world, ov_body body);
/** Moves a body; errors as above and OV_ERROR_ZERO_DIRECTION; the body then stays where it is. */
ov_status ov_world_move(ov_world *world, ov_body body, ov_pose pose);
/**
 * Moves bodies[i] to poses[i]. Stops at the first error; `*done` (may be null) is the number of
 * bodies moved. A body that occurs twice ends at the later pose.
 */
ov_status ov_world_move_all(ov_world *world, const ov_body *bodies, const ov_pose *poses,
                            size_t count, size_t *done);

size_t ov_world_count(const ov_world *world);
bool ov_world_has(const ov_world *world, ov_body body);
/** The definition of a body, with defaults filled in, its current pose, and a unit quaternion.
 *  OV_ERROR_INDEX. */
ov_status ov_world_get(const ov_world *world, ov_body body, ov_body_def *def);

/** A contact between parts of two bodies. */
typedef struct ov_world_contact {
    ov_body a, b; /**< a < b; `b` is 0 for a contact with a shape that is not in the world */
    void *user_a, *user_b; /**< of the two bodies (ov_body_def); null for such a shape */
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< of the nearest triangle; OV_NO_TRIANGLE for a shape */
    /** Number, from 0, of the group of bodies connected by contacts; fixed bodies do not connect.
     */
    uint32_t island;
    ov_contact contact;
} ov_world_contact;

/**
 * What each phase of the last search for contacts did, counted in pairs of parts: pairs =
 * rejected_kept + rejected_ball + rejected_obb + queries, and queries = rejected_query + contacts.
 */
typedef struct ov_world_counts {
    size_t parts;          /**< in the world */
    size_t moved;          /**< parts that are new or have left their box since the last search */
    size_t filtered;       /**< neighbours of these that are no pairs: groups, fixed, same body */
    size_t pairs;          /**< neighbours that can come within the limit before the next search */
    size_t rejected_kept;  /**< further apart than the limit by bounds kept from before */
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
 * The broad phase: updates the pairs of neighbours for contacts up to `limit` (a length, not
 * negative). ov_world_contacts does this by itself; call it separately to time it or to run it
 * early. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION (a limit that is negative or beyond
 * OV_POSITION_MAX), OV_ERROR_MEMORY.
 */
ov_status ov_world_update(ov_world *world, double limit);

/**
 * All pairs of parts whose gap is not proven to be more than `limit`, in an order that does not
 * depend on the number of threads. The world owns the array; it is valid until the next call that
 * changes the world or computes contacts. The status is OV_OK even if single contacts have a weaker
 * status, or an error: such a pair is not left out, but its numbers are NaN. OV_ERROR_NULL,
 * OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_MEMORY.
 */
ov_status ov_world_contacts(ov_world *world, double limit, const ov_world_contact **contacts,
                            size_t *count);

/** Contacts of a world with their points: contacts[i] has points[first[i]] to points[first[i + 1]
 *  - 1]. */
typedef struct ov_manifold_set {
    const ov_world_contact *contacts;
    size_t count;        /**< of contacts */
    const size_t *first; /**< count + 1 numbers */
    const ov_manifold_point *points;
    size_t point_count;
    /** Of the points, unit, from A towards B; null if no contact is with a mesh: then each point
     * has the normal of its contact. */
    const ov_vec3 *normals;
} ov_manifold_set;

/**
 * ov_world_contacts, and of each contact up to eight points of the region in which the parts are
 * within the limit: see ov_pair_manifold. The points of a pair with a mesh are of several
 * triangles, each along its own normal. Contacts whose gap is above the limit, and those with an
 * error, have none. The world owns the arrays, as those of ov_world_contacts, and the same errors
 * are returned; the set is then empty.
 */
ov_status ov_world_manifolds(ov_world *world, double limit, ov_manifold_set *set);

/** What the last ov_world_contacts (or ov_world_update) did. */
ov_world_counts ov_world_last_counts(const ov_world *world);

/* The following queries change nothing, so several threads may run them at once. They see the
 * bodies whose group has a bit of `mask` (0: all). Where they fill an array, `*count` is the number
 * of results, and no more than `room` are written. */

/** The pair of bodies with the least gap, with its own status; OV_ERROR_COUNT if there is no pair.
 */
ov_status ov_world_nearest(const ov_world *world, ov_world_contact *contact);
/** Contacts of one body with all others that it is paired with, up to `limit` (may be infinite). */
ov_status ov_world_body_contacts(const ov_world *world, ov_body body, double limit,
                                 ov_world_contact *contacts, size_t room, size_t *count);
/** Contacts of the bodies with a convex shape that is not in the world: `b` is 0. */
ov_status ov_world_shape_contacts(const ov_world *world, const ov_shape *shape, ov_pose pose,
                                  double limit, uint32_t mask, ov_world_contact *contacts,
                                  size_t room, size_t *count);

typedef struct ov_world_ray_hit {
    ov_body body; /**< 0: none */
    void *user;   /**< of the body */
    uint32_t part, triangle;
    ov_ray_hit ray;
} ov_world_ray_hit;
/**
 * First body on a ray; see ov_ray_cast. OV_NOT_CONVERGED also if a grazing hit before this one
 * could not be decided; distance_lower is then where that may be.
 */
ov_status ov_world_ray_cast(const ov_world *world, ov_vec3 origin, ov_vec3 direction, double reach,
                            uint32_t mask, ov_world_ray_hit *hit);

typedef struct ov_world_cast_hit {
    ov_body body; /**< 0: none */
    void *user;   /**< of the body */
    uint32_t part, triangle;
    ov_cast_hit cast; /**< A is the moving shape */
} ov_world_cast_hit;
/** First body that a convex shape touches when it is translated along `translation`; see
 *  ov_shape_cast. OV_ERROR_UNBOUNDED for a half-space. */
ov_status ov_world_shape_cast(const ov_world *world, const ov_shape *shape, ov_pose pose,
                              ov_vec3 translation, uint32_t mask, ov_world_cast_hit *hit);

/** Bodies that are not proven to be outside a box along the world's axes, which may be flat.
 *  OV_ERROR_NOT_FINITE, OV_ERROR_OPTION (a minimum above its maximum), OV_ERROR_SIZE_RANGE. */
ov_status ov_world_box_overlaps(const ov_world *world, ov_aabb box, uint32_t mask, ov_body *bodies,
                                size_t room, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
