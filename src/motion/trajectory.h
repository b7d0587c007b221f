/**
 * @file trajectory.h
 * @brief Joint trajectories as they are kept: a spline of all plain numbers, slerp for all
 * quaternions, and the joints in a form that suits a chain of them.
 */
#ifndef OVI_TRAJECTORY_H
#define OVI_TRAJECTORY_H

#include "../world/model_internal.h"
#include "motion_internal.h"
#include "slerp.h"
#include "spline.h"

/** No derivative of a joint may be larger: what Taylor models are made of then stays in range. */
#define OVI_JOINT_RATE_MAX 1e50

/** The joint that a link hangs on, ready for use; directions are in the parent link's frame. */
typedef struct ovi_link_joint {
    ov_joint_kind kind;
    uint32_t parent;      /**< link; OV_NO_LINK for the root, which has no joint */
    bool led;             /**< its position is multiplier number + offset */
    size_t scalar, slerp; /**< where its numbers begin in the spline; its quaternion */
    double multiplier, offset;
    ov_vec3 position; /**< of the joint's frame */
    double length;    /**< of `position` */
    ov_quat origin;   /**< of the joint's frame */
    ov_quat swung;    /**< origin (0, axis): cos(a/2) origin + sin(a/2) swung turns by a */
    ov_vec3 axes[3];  /**< turning: about the first. Lengths: prismatic along the first, planar
                         along the other two, floating along all three. */
} ovi_link_joint;

struct ov_trajectory {
    ov_allocator allocator;
    const ov_model *model;
    size_t count;       /**< rows */
    ovi_spline scalars; /**< groups of one number */
    ovi_slerp *slerps;  /**< one for each quaternion */
    size_t slerp_count;
    /**
     * Of maxima over segments, as in spline.h. For each number of a cubic spline the size of its
     * third derivative; of others the largest of a derivative and of minus that: the second one of
     * a spline of given velocities, the first one of a linear one. Rounding is in them.
     */
    double *tree;
    double *block; /**< the numbers of all of these */
    size_t doubles;
    ovi_link_joint *joints; /**< by links */
};

/** Numbers of a segment in the tree, for each number of the spline. */
static inline size_t ovi_trajectory_entries(ovi_spline_kind kind) {
    return kind == OVI_SPLINE_CUBIC ? 1 : 2;
}
/** Fills the tree in, after the spline has been finished (trajectory_bound.c). */
void ovi_trajectory_build_tree(ov_trajectory *trajectory);

#endif
