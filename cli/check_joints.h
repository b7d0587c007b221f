/**
 * @file check_joints.h
 * @brief The poses of a robot for `ovoid check` and `ovoid convert`, with the messages of a
 * command.
 */
#ifndef OVOID_CLI_CHECK_JOINTS_H
#define OVOID_CLI_CHECK_JOINTS_H

#include <ovoid/io.h>

#include "cli.h"

/** Poses of a model, one after another. All zero: none. */
typedef ov_joints trajectory;

/**
 * Reads a file of joints, "-" from standard input. Prints a line for each column of no use, or the
 * one for what is wrong: then CLI_BAD_INPUT.
 */
int trajectory_read(cli *c, const char *path, const ov_model *model, trajectory *t);
/** One pose: that at rest. CLI_BAD_INPUT for want of memory. */
int trajectory_rest(cli *c, const ov_model *model, trajectory *t);
void trajectory_free(trajectory *t);

#endif
