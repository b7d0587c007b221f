/**
 * @file check_joints.h
 * @brief Joint trajectories from comma-separated values.
 */
#ifndef OVOID_CLI_CHECK_JOINTS_H
#define OVOID_CLI_CHECK_JOINTS_H

#include <ovoid/world.h>

#include "cli.h"

/** Poses of a model, one after another. All zero: none. */
typedef struct trajectory {
    size_t count, width; /**< poses, and the model's positions of each */
    double *positions;   /**< count * width */
    double *times;       /**< one a pose, or null */
    /** Poses that are beyond a joint's limits: how many, the first one, and the joint there. */
    size_t beyond, beyond_row;
    uint32_t beyond_joint;
} trajectory;

/**
 * Reads a file: a header of joint names in any order, then a pose a line. Joints without a column
 * are at rest. A joint of several positions has a column for each, NAME.x for one. A column `time`
 * is kept. Prints a line where a column is of no use, or something is wrong: then CLI_BAD_INPUT.
 */
int trajectory_read(cli *c, const char *path, const ov_model *model, trajectory *t);
/** One pose: that at rest. CLI_BAD_INPUT for want of memory. */
int trajectory_rest(cli *c, const ov_model *model, trajectory *t);
void trajectory_free(trajectory *t);

#endif
