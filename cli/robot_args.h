/**
 * @file robot_args.h
 * @brief Robots that verbs read: from a file or standard input, with folders of packages.
 */
#ifndef OVOID_CLI_ROBOT_ARGS_H
#define OVOID_CLI_ROBOT_ARGS_H

#include <ovoid/io.h>

#include "cli.h"

/** Is this XML, or what '-' stands for? Looks at the beginning only; no file is none. */
bool robot_is_xml(const char *path);

/**
 * Reads a robot. `packages` is DIR[:DIR], or null; `how` has the other options. CLI_BAD_INPUT after
 * a message, the robot is then null.
 */
int robot_read(cli *c, const char *path, const char *packages, ov_robot_options how,
               ov_robot **robot);

#endif
