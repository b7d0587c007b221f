/**
 * @file world.h
 * @brief Bodies of one or more parts, and worlds of many bodies that find all contacts.
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
#include <ovoid/system.h>
#include <ovoid/trimesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- oriented boxes -------------------------------------------------------------------------- */

/**
 * Are two boxes certainly further apart than `limit` (not negative)? The test of fifteen axes
 * [Portal, Table 1]: true is a proof, rounding included; false means that no axis separates them
 * that far, which for a limit of zero means that they meet, to about 1e-14 of their size and
 * distance (boxes with nearly parallel edges to 1e-8).
 */
bool ov_obb_apart(const ov_obb *a, const ov_obb *b, double limit);

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

/** A contact between parts of two bodies. */
typedef struct ov_part_contact {
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< of the nearest triangle; OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} ov_part_contact;

/**
 * Two placed geometries: the pair of parts with the least gap, the first one of several. The gap of
 * two bodies is the least of the gaps of their parts, also where several parts overlap: then it
 * takes at least that translation to separate the bodies. Bounds and relation hold for the bodies
 * as a whole. The tolerance is in units of the larger one of the pairs of parts that were solved;
 * where the bounds of the whole are further apart than that, the status is OV_NOT_CONVERGED. Bodies
 * of one part each, at the origin of the body's frame, have the contact of ov_pair_contact.
 *
 * `limit` (may be infinite): where the gap is proven to be more, the query may end early; the
 * contact is then OV_RELATION_SEPARATED with gap_lower > limit, and parts, points, gap and
 * gap_upper are of some pair of parts.
 *
 * Finds its way by trees over the parts of both, takes no memory, and may be asked by any number of
 * threads. `options` may be null. Returns contact->contact.status; where that is negative, all
 * numbers of the contact are NaN. OV_ERROR_UNBOUNDED where each of the two has a half-space.
 */
ov_status ov_geometry_contact(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b,
                              ov_pose pose_b, double limit, const ov_pair_options *options,
                              ov_part_contact *contact);

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
    ov_threads threads;     /**< for all calls that change the world or look for contacts */
    ov_allocator allocator; /**< resize null: malloc and its like */
} ov_world_options;

/** Margin 0.1, as many threads as the machine has, default pair options: depths are local ones
 *  (OV_DEPTH_LOCAL), which the contacts of the step before lead to, and which cost a fraction of
 *  the least of all. */
ov_world_options ov_default_world_options(void);

/** `options` may be null. OV_ERROR_NULL, OV_ERROR_OPTION, OV_ERROR_MEMORY. */
ov_status ov_world_create(const ov_world_options *options, ov_world **world);
/** Null is allowed. */
void ov_world_destroy(ov_world *world);
/** Other threads from now on; null: as many as the machine has. OV_ERROR_OPTION for more than
 *  OV_THREADS_MAX. No result depends on it. */
ov_status ov_world_set_threads(ov_world *world, const ov_threads *threads);

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
 * body that is named twice ends at the later pose.
 */
ov_status ov_world_move_all(ov_world *world, const ov_body *bodies, const ov_pose *poses,
                            size_t count, size_t *done);

size_t ov_world_count(const ov_world *world);
bool ov_world_has(const ov_world *world, ov_body body);
/** What a body was made from, defaults filled in, with its pose now, as a unit quaternion.
 *  OV_ERROR_INDEX. */
ov_status ov_world_get(const ov_world *world, ov_body body, ov_body_def *def);

/** A contact between parts of two bodies. */
typedef struct ov_world_contact {
    ov_body a, b; /**< a < b; `b` is 0 where a body's contact is with a caller's own shape */
    void *user_a, *user_b; /**< of the two bodies (ov_body_def); null for a caller's own shape */
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
 * OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION (a limit that is negative or beyond
 * OV_POSITION_MAX), OV_ERROR_MEMORY.
 */
ov_status ov_world_update(ov_world *world, double limit);

/**
 * All pairs of parts whose gap is not proven to be more than `limit`, in an order that does not
 * depend on the number of threads. The array is the world's, and stays until the next call that
 * changes the world or asks for contacts. OV_OK also where single contacts have a weaker status of
 * their own, or an error (then without numbers: of such a pair nothing is known, but it is not left
 * out). OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_MEMORY.
 */
ov_status ov_world_contacts(ov_world *world, double limit, const ov_world_contact **contacts,
                            size_t *count);

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
    void *user;   /**< of the body */
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
    void *user;   /**< of the body */
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

#ifdef __cplusplus
}
#endif

#endif
