/**
 * @file model.h
 * @brief Articulated models: trees of links and joints, their kinematics, and checks of a model
 * against itself and against obstacles.
 *
 * Types that own memory are opaque, made by a create and freed by a destroy function, with the
 * caller's allocator if there is one.
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
 * Links and joints form a tree. The pose of a link is
 *     pose(child) = pose(parent) origin displacement(positions)
 * where the displacement rotates about, or translates along, the axis in the joint's frame. */

typedef enum ov_joint_kind {
    OV_JOINT_KIND_FIXED = 0,
    OV_JOINT_KIND_REVOLUTE,   /**< one angle in radians, with limits */
    OV_JOINT_KIND_CONTINUOUS, /**< one angle without limits */
    OV_JOINT_KIND_PRISMATIC,  /**< one length, with limits */
    OV_JOINT_KIND_PLANAR,     /**< two lengths across the axis, and an angle about it: see below */
    OV_JOINT_KIND_SPHERICAL,  /**< a quaternion w, x, y, z, of any length but zero */
    OV_JOINT_KIND_FLOATING,   /**< a position x, y, z, and a quaternion w, x, y, z */
    OV_JOINT_KIND_COUNT
} ov_joint_kind;

/* The lengths of a planar joint are along x and y, rotated by the smallest rotation that takes z to
 * the axis (by pi about x if the axis is -z). */

/** "fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "floating". */
const char *ov_joint_kind_name(ov_joint_kind kind);
/** Number of positions of such a joint: 0, 1, 1, 1, 3, 4, 7. */
size_t ov_joint_position_count(ov_joint_kind kind);
/** Number of its degrees of freedom: 0, 1, 1, 1, 3, 3, 6. */
size_t ov_joint_dof_count(ov_joint_kind kind);

/** Stands for "none" as an index of a link or joint. */
#define OV_NO_LINK UINT32_MAX

typedef struct ov_joint_def {
    const char *name; /**< unique; copied */
    ov_joint_kind kind;
    uint32_t parent, child; /**< indices of links */
    ov_pose origin;         /**< the joint's frame in the parent's; a rotation of zeros: none */
    ov_vec3 axis;           /**< in the joint's frame, any length; zero: x; not used by all kinds */
    /** Limits of a revolute or prismatic joint; may be infinite. Both 0: no limits. For a joint
     * that is held at zero use 0 and OV_ZERO. */
    double lower, upper;
    /**
     * A joint of one position may follow another one: position = multiplier position(mimic) +
     * offset. It then has no position and no degree of freedom of its own. OV_NO_LINK, or 0 with a
     * multiplier of 0: it follows none; to follow joint 0, set the multiplier.
     */
    uint32_t mimic;
    double multiplier, offset; /**< a multiplier of 0: 1; OV_ZERO: held at the offset */
} ov_joint_def;

/** Fixed, at the parent's frame, axis x, without limits, without mimic. */
ov_joint_def ov_default_joint_def(void);

typedef struct ov_link_def {
    const char *name; /**< unique; copied */
    const ov_part *parts;
    size_t part_count; /**< may be 0 */
} ov_link_def;

/** Largest number of links. */
#define OV_MODEL_LINKS_MAX ((size_t)100000)

/** A kinematic tree. Opaque; meshes and arrays that its parts refer to must outlive it. */
typedef struct ov_model ov_model;

/**
 * Checks that the links form one tree and makes a model. Joints may be in any order. Links that are
 * connected by a joint, or by fixed joints and one other, may overlap unless ov_model_allow changes
 * that. `allocator` and `fault` (a link or a joint) may be null. OV_ERROR_NULL, OV_ERROR_COUNT,
 * OV_ERROR_INDEX (a link or joint that does not exist), OV_ERROR_NOT_A_TREE (a loop, two parents,
 * two roots, a cycle of mimics), OV_ERROR_NAME (empty, longer than OV_MODEL_LINKS_MAX bytes, or
 * used twice), OV_ERROR_OPTION (a lower limit above the upper one, an unknown kind, a mimic of a
 * joint with several positions), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (an origin beyond
 * OV_POSITION_MAX), OV_ERROR_MEMORY, or an error of ov_geometry_create for the parts.
 */
ov_status ov_model_create(const ov_link_def *links, size_t link_count, const ov_joint_def *joints,
                          size_t joint_count, const ov_allocator *allocator, ov_model **model,
                          ov_fault *fault);
/** Null is allowed. */
void ov_model_destroy(ov_model *model);

size_t ov_model_link_count(const ov_model *model);
size_t ov_model_joint_count(const ov_model *model);
/** Total number of positions, and of degrees of freedom. */
size_t ov_model_position_count(const ov_model *model);
size_t ov_model_dof_count(const ov_model *model);
/** Index of the root. */
uint32_t ov_model_root(const ov_model *model);
const char *ov_model_link_name(const ov_model *model, size_t link);
/** The link's parts, or null if it has none. */
const ov_geometry *ov_model_link_geometry(const ov_model *model, size_t link);
/** The joint between a link and its parent, or OV_NO_LINK for the root. */
uint32_t ov_model_link_joint(const ov_model *model, size_t link);
/** The definition of a joint, with defaults filled in and a unit axis and quaternion; null beyond
 *  the last. */
const ov_joint_def *ov_model_joint(const ov_model *model, size_t joint);
/** Index of a joint's first position, and of its first degree of freedom; for a joint that follows
 *  another one, those of the other. */
size_t ov_model_joint_position(const ov_model *model, size_t joint);
size_t ov_model_joint_dof(const ov_model *model, size_t joint);
/** OV_NO_LINK if there is no such name. */
uint32_t ov_model_find_link(const ov_model *model, const char *name);
uint32_t ov_model_find_joint(const ov_model *model, const char *name);

/** The positions at rest: zero or the limit nearest to it, and identity quaternions. */
void ov_model_rest(const ov_model *model, double *positions);

/** A joint that is beyond one of its limits. */
typedef struct ov_joint_excess {
    uint32_t joint;  /**< OV_NO_LINK: all joints are within their limits */
    double position; /**< where the joint is */
    double limit;    /**< the limit that it exceeds */
} ov_joint_excess;

/**
 * Are all joints within their limits? `*excess` is the first joint that is beyond one by more than
 * 1e-9, if there is one; the status is then OV_OK, too. Joints that follow another one are checked
 * against their own limits. OV_ERROR_NULL; OV_ERROR_NOT_FINITE or OV_ERROR_ZERO_DIRECTION for
 * invalid positions, with the joint in `fault` (may be null).
 */
ov_status ov_model_check(const ov_model *model, const double *positions, ov_joint_excess *excess,
                         ov_fault *fault);

/** Poses of all links for a pose of the root, with unit quaternions. Errors as above; limits are
 * not checked. */
ov_status ov_model_poses(const ov_model *model, ov_pose root, const double *positions,
                         ov_pose *poses);

/**
 * Jacobian of a world point that is fixed to a link: `columns` has one velocity per degree of
 * freedom. Those of a planar, spherical or floating joint are along and about the axes of the
 * joint's frame (fixed to the parent), with rotations about the child's origin.
 */
ov_status ov_model_point_jacobian(const ov_model *model, const ov_pose *poses, uint32_t link,
                                  ov_vec3 point, ov_vec3 *columns);
/**
 * Derivative of a contact's gap by each degree of freedom. A is on link_a, B on link_b; either is
 * OV_NO_LINK for a body that does not move with the model. Valid if the contact is unique.
 */
ov_status ov_model_gap_gradient(const ov_model *model, const ov_pose *poses, uint32_t link_a,
                                uint32_t link_b, const ov_contact *contact, double *gradient);

/** Sets whether two links may overlap, in either order. OV_ERROR_OPTION for a link and itself,
 * which may always overlap. */
ov_status ov_model_allow(ov_model *model, uint32_t link_a, uint32_t link_b, bool allowed);
bool ov_model_is_allowed(const ov_model *model, uint32_t link_a, uint32_t link_b);

/* ---- checks of a model against itself and against obstacles --------------------------------- */

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
 * Checks a model, pose after pose: its links against each other, except those that may overlap
 * (ov_model_allow), and against the bodies of a world, which are the obstacles. It keeps what it
 * learned about the links from one pose to the next. Use one checker per thread; they may share
 * model and world. The model must outlive it; later calls of ov_model_allow do not affect it.
 * Opaque.
 */
typedef struct ov_checker ov_checker;

/**
 * `options` and `allocator` may be null. OV_ERROR_COUNT for more than 2^15 links with parts or 2^24
 * pairs of parts of links, OV_ERROR_UNBOUNDED for half-spaces on two links that may not overlap,
 * OV_ERROR_NULL, OV_ERROR_OPTION, OV_ERROR_MEMORY.
 */
ov_status ov_checker_create(const ov_model *model, const ov_pair_options *options,
                            const ov_allocator *allocator, ov_checker **checker);
/** Null is allowed. */
void ov_checker_destroy(ov_checker *checker);
/**
 * From now on a link is not checked against bodies whose group has a bit of `groups`: for example
 * the foot of an arm against the table that it is screwed to. OV_NO_LINK: this holds for all links.
 * At first nothing is ignored. OV_ERROR_NULL, OV_ERROR_INDEX.
 */
ov_status ov_checker_ignore(ov_checker *checker, uint32_t link, uint32_t groups);

/**
 * All pairs of parts that may not overlap and whose gap is not proven to be more than `limit` (not
 * negative, may be infinite): first pairs of two links, sorted by links and parts, then pairs of a
 * link and a body, sorted by link, part, body and its part. `poses` are those of ov_model_poses.
 * `obstacles` may be null: none. Masks, `fixed` and `no_pairs` of its bodies are ignored;
 * half-spaces are not checked against each other. The checker owns the array, which is valid until
 * its next call. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_SIZE_RANGE,
 * OV_ERROR_ZERO_DIRECTION, OV_ERROR_MEMORY, or the first error of a pair.
 */
ov_status ov_checker_contacts(ov_checker *checker, const ov_pose *poses, const ov_world *obstacles,
                              double limit, const ov_link_contact **contacts, size_t *count);
/**
 * Is the gap of any of these pairs `limit` or less? For a limit of zero: is anything in contact?
 * OV_ANSWER_YES as soon as this is proven for one pair, OV_ANSWER_NO if all pairs are proven to be
 * further apart. OV_ANSWER_UNKNOWN, with OV_NOT_CONVERGED, if some pair is too close to the limit
 * to decide and no other pair is proven to be within it. `found` (may be null) is the contact of
 * the pair that decided, or that could not be decided; for OV_ANSWER_NO its link_a is OV_NO_LINK.
 * Allocates nothing. Errors as above.
 */
ov_status ov_checker_collides(ov_checker *checker, const ov_pose *poses, const ov_world *obstacles,
                              double limit, ov_answer *answer, ov_link_contact *found);

#ifdef __cplusplus
}
#endif

#endif
