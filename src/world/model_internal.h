/**
 * @file model_internal.h
 * @brief What the files of a kinematic tree share: its links and joints as they are kept, and what
 * a checker did.
 */
#ifndef OVI_MODEL_INTERNAL_H
#define OVI_MODEL_INTERNAL_H

#include <ovoid/model.h>

#include "geometry.h"

/** A name and what it names; an array of these is sorted by the names. */
typedef struct ovi_name {
    const char *text;
    uint32_t index;
} ovi_name;

/**
 * Pairs of links for which the caller has said whether they may overlap: a set of keys with open
 * addressing, so that a model of a hundred thousand links costs what was said about it, and not the
 * square of its size.
 */
typedef struct ovi_exceptions {
    uint64_t *slots; /**< 0: free */
    size_t room;     /**< a power of two, or 0 */
    size_t used;
} ovi_exceptions;

typedef struct ovi_link {
    const char *name;
    ov_geometry *geometry; /**< null: no parts */
    uint32_t parent;       /**< OV_NO_LINK for the root */
    uint32_t joint;        /**< that it hangs on */
    uint32_t depth;        /**< joints between it and the root */
    uint32_t body;         /**< uppermost link of those that fixed joints hold together */
} ovi_link;

typedef struct ovi_joint {
    ov_joint_def def;
    size_t position, dof;      /**< where they begin; of the joint that it follows in the end */
    double multiplier, offset; /**< by the position of the joint that it follows in the end */
    uint32_t leader;           /**< that joint, or itself */
    ov_quat across;            /**< planar: the least rotation that takes z to the axis */
} ovi_joint;

struct ov_model {
    ov_allocator allocator;
    ovi_link *links;
    ovi_joint *joints;
    uint32_t *order; /**< joints, each after the one that its parent hangs on */
    ovi_name *link_names, *joint_names;
    char *text; /**< all names */
    size_t link_count, joint_count, text_size;
    size_t position_count, dof_count;
    uint32_t root;
    ovi_exceptions exceptions;
};

/** Position of a joint that has one, also one that follows another. */
static inline double ovi_joint_position(const ovi_joint *joint, const double *positions) {
    double own = positions[joint->position];
    return joint->leader == OV_NO_LINK ? own : joint->multiplier * own + joint->offset;
}

/* ---- checker.c, for benchmarks and tests */

/** What the layers did, in pairs of parts; each is counted by the layer that is done with it. */
typedef struct ovi_checker_counts {
    size_t pairs;          /**< of links that may not overlap */
    size_t rejected_kept;  /**< by the last known gap, less what the parts have moved since */
    size_t rejected_ball;  /**< by their balls */
    size_t rejected_obb;   /**< by their oriented boxes */
    size_t queries;        /**< the rest */
    size_t rejected_query; /**< ... proven to be further apart than the limit */
    size_t contacts;       /**< ... the others */
    size_t overlapping;    /**< contacts that are proven to overlap */
} ovi_checker_counts;

/** Adds the counts of the last run; obstacles are not counted. */
void ovi_checker_add_counts(const ov_checker *checker, ovi_checker_counts *sum);

#endif
