/**
 * @file articulated.h
 * @brief What the files of a kinematic tree share: its links and joints as they are kept, names
 * that can be looked up, and the table of links that may overlap.
 */
#ifndef OVI_ARTICULATED_H
#define OVI_ARTICULATED_H

#include <ovoid/model.h>

#include "world_internal.h"

/** A name and what it names; an array of these is sorted by the names. */
typedef struct ovi_name {
    const char *text;
    uint32_t index;
} ovi_name;

/** Sorts by the names, and by the indices where names are equal; takes no memory. */
void ovi_names_sort(ovi_name *names, size_t count);
/** Second one of two equal names, or OV_NO_LINK where all are unlike. */
uint32_t ovi_names_twice(const ovi_name *names, size_t count);
uint32_t ovi_names_find(const ovi_name *names, size_t count, const char *text);

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
    size_t position, motion;   /**< where they begin; of the joint that it follows in the end */
    double multiplier, offset; /**< by the position of the joint that it follows in the end */
    uint32_t leader;           /**< that joint, or itself */
    ov_quat across;            /**< planar: the least turn that brings z to the axis */
} ovi_joint;

struct ov_model {
    ov_allocator allocator;
    ovi_link *links;
    ovi_joint *joints;
    uint32_t *order; /**< joints, each after the one that its parent hangs on */
    ovi_name *link_names, *joint_names;
    char *text; /**< all names */
    size_t link_count, joint_count, text_size;
    size_t position_count, motion_count;
    uint32_t root;
    ovi_exceptions exceptions;
};

/** Where a joint of one position stands, also one that follows another. */
static inline double ovi_joint_position(const ovi_joint *joint, const double *positions) {
    double own = positions[joint->position];
    return joint->leader == OV_NO_LINK ? own : joint->multiplier * own + joint->offset;
}

#endif
