/**
 * @file model.h
 * @brief Articulated models: links joined to a tree, their kinematics, and checks of a model
 * against itself and against obstacles.
 *
 * Opaque, made by a create and freed by a destroy function, by the caller's allocator if one is
 * given.
 */
#ifndef OVOID_MODEL_H
#define OVOID_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- articulated models ------------------------------------------------------------------------
 *
 * Links joined to a tree. The pose of a link is
 *     pose(child) = pose(parent) origin displacement(positions)
 * where the displacement turns about, or moves along, the axis in the joint's frame. */

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
     * offset. It then takes no position and no degree of freedom of its own. OV_NO_LINK, or 0 with a
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

/**
 * Checks that the links are one tree and makes a model. Joints come in any order. Links that a
 * joint joins, or that are joined by fixed joints and one other, are allowed to overlap at first
 * (ov_model_allow). `allocator` and `fault` (a link or a joint) may be null. OV_ERROR_NULL,
 * OV_ERROR_COUNT, OV_ERROR_INDEX (a link or joint that is not there), OV_ERROR_NOT_A_TREE (a loop,
 * two parents, two roots, mimics in a circle), OV_ERROR_NAME (empty, longer than OV_MODEL_LINKS_MAX
 * bytes, or used twice), OV_ERROR_OPTION (limits the wrong way round, an unknown kind, a mimic of a
 * joint of more positions), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (an origin beyond
 * OV_POSITION_MAX), OV_ERROR_MEMORY, or what ov_geometry_create says of the parts.
 */
ov_status ov_model_create(const ov_link_def *links, size_t link_count, const ov_joint_def *joints,
                          size_t joint_count, const ov_allocator *allocator, ov_model **model,
                          ov_fault *fault);
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
/** Where a joint's positions, and its degrees of freedom, begin; those of the joint that it
 *  follows. */
size_t ov_model_joint_position(const ov_model *model, size_t joint);
size_t ov_model_joint_dof(const ov_model *model, size_t joint);
/** OV_NO_LINK where there is no such name. */
uint32_t ov_model_find_link(const ov_model *model, const char *name);
uint32_t ov_model_find_joint(const ov_model *model, const char *name);

/** Zero, or the limit nearest to it, and unit quaternions. */
void ov_model_rest(const ov_model *model, double *positions);

/** A joint that is beyond one of its limits. */
typedef struct ov_joint_excess {
    uint32_t joint;  /**< OV_NO_LINK: all joints are within their limits */
    double position; /**< where the joint is */
    double limit;    /**< the one that it is beyond */
} ov_joint_excess;

/**
 * Are all joints within their limits? `*excess` is the first that is beyond one by more than
 * rounding (1e-9); joints that follow another are held against their own limits, too. That is an
 * answer, with OV_OK. OV_ERROR_NULL, and OV_ERROR_NOT_FINITE or OV_ERROR_ZERO_DIRECTION where the
 * positions are none, with the joint in `fault` (may be null).
 */
ov_status ov_model_check(const ov_model *model, const double *positions, ov_joint_excess *excess,
                         ov_fault *fault);

/** Poses of all links for a pose of the root; quaternions are units. Errors of the input as above,
 *  but limits are not looked at. */
ov_status ov_model_poses(const ov_model *model, ov_pose root, const double *positions,
                         ov_pose *poses);

/**
 * Velocity of a world point that is fixed to a link, by each degree of freedom: `columns` has one
 * vector for each. Those of a planar, spherical or floating joint are along and about the axes of
 * the joint's frame (fixed to the parent), the rotations through the child's origin.
 */
ov_status ov_model_point_jacobian(const ov_model *model, const ov_pose *poses, uint32_t link,
                                  ov_vec3 point, ov_vec3 *columns);
/**
 * Derivative of a contact's gap by each degree of freedom: A on link_a, B on link_b, either of them
 * OV_NO_LINK for a body that does not move with the model. Holds where the contact is unique.
 */
ov_status ov_model_gap_gradient(const ov_model *model, const ov_pose *poses, uint32_t link_a,
                                uint32_t link_b, const ov_contact *contact, double *gradient);

/** May two links overlap? A table, symmetric; a link may always overlap itself (OV_ERROR_OPTION).
 */
ov_status ov_model_allow(ov_model *model, uint32_t link_a, uint32_t link_b, bool allowed);
bool ov_model_is_allowed(const ov_model *model, uint32_t link_a, uint32_t link_b);

/* ---- checks of a model against itself and its surroundings ---------------------------------- */

/** A contact between parts of two links, or of a link (A) and a body of a world (B). */
typedef struct ov_link_contact {
    uint32_t link_a, link_b; /**< link_a < link_b; OV_NO_LINK for a body of a world */
    ov_body body;            /**< that body; 0 for two links */
    void *user;              /**< of the body (ov_body_def) */
    uint32_t part_a, part_b;
    uint32_t triangle_a, triangle_b;
    ov_contact contact;
} ov_link_contact;

/**
 * Checks a model, pose after pose: its links against each other, but for those that may overlap
 * (ov_model_allow), and against the bodies of a world, which are its obstacles. It keeps what it
 * learned about the links from one pose to the next. One for each thread; they may share model and
 * world. The model must outlive it, and ov_model_allow after its making is not seen. Opaque.
 */
typedef struct ov_checker ov_checker;

/**
 * `options` and `allocator` may be null. OV_ERROR_COUNT for more than 2^15 links with parts or 2^24
 * pairs of parts of links, OV_ERROR_UNBOUNDED for two half-spaces on links that may not overlap,
 * OV_ERROR_NULL, OV_ERROR_OPTION, OV_ERROR_MEMORY.
 */
ov_status ov_checker_create(const ov_model *model, const ov_pair_options *options,
                            const ov_allocator *allocator, ov_checker **checker);
/** Null is allowed. */
void ov_checker_destroy(ov_checker *checker);
/**
 * From now on a link is not checked against bodies whose group has a bit of `groups`, as the foot
 * of an arm against the table that it is screwed to. OV_NO_LINK: no link is. At first nothing is
 * left out. OV_ERROR_NULL, OV_ERROR_INDEX.
 */
ov_status ov_checker_ignore(ov_checker *checker, uint32_t link, uint32_t groups);

/**
 * All pairs of parts that may not overlap and whose gap is not proven to be more than `limit` (not
 * negative, may be infinite): first of two links, by links and parts in ascending order, then of a
 * link and a body, by link, part, body and its part. `poses` is what ov_model_poses gave.
 * `obstacles` may be null: none. Its bodies are seen whatever their masks, `fixed` and `no_pairs`
 * say; half-spaces are not checked against each other. The array is the checker's, until the next
 * call. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_SIZE_RANGE,
 * OV_ERROR_ZERO_DIRECTION, OV_ERROR_MEMORY, or the first error of a pair.
 */
ov_status ov_checker_contacts(ov_checker *checker, const ov_pose *poses, const ov_world *obstacles,
                              double limit, const ov_link_contact **contacts, size_t *count);
/**
 * Is the gap of any of these pairs `limit` or less? For a limit of zero: is anything in contact?
 * OV_ANSWER_YES as soon as that is proven of one pair, OV_ANSWER_NO where all are proven to be
 * further apart. OV_ANSWER_UNKNOWN, with OV_NOT_CONVERGED, where some pair is too close to the
 * limit to tell, and no other one is proven to be within it. `found` (may be null) is the contact
 * of the pair that decided, or that could not be told; for OV_ANSWER_NO its link_a is OV_NO_LINK.
 * Takes no memory. Errors as above.
 */
ov_status ov_checker_collides(ov_checker *checker, const ov_pose *poses, const ov_world *obstacles,
                              double limit, ov_answer *answer, ov_link_contact *found);

#ifdef __cplusplus
}
#endif

#endif
