/**
 * @file allow_args.h
 * @brief Pairs of things that may touch, as the verbs take them: `--allow A,B[:C,D]`.
 */
#ifndef OVOID_CLI_ALLOW_ARGS_H
#define OVOID_CLI_ALLOW_ARGS_H

#include <stdint.h>

#include <ovoid/io.h>

#include "cli.h"

/** The names that can be given. */
typedef struct allow_names {
    const char *(*name_of)(const void *subject, size_t thing);
    const void *subject;
    size_t count;
} allow_names;

/**
 * The pairs of an option, as numbers of things; none where it is not given. `*pairs` is to be freed
 * in any case. CLI_BAD_INPUT after a message, with the nearest name for a misspelt one.
 */
int allow_read(cli *c, const args *a, size_t option, const allow_names *names,
               uint32_t (**pairs)[2], size_t *count);

/** Tells a robot's model of those pairs that are links of it; a null robot has none. */
int allow_links(cli *c, const args *a, const ov_robot *robot, const uint32_t (*pairs)[2],
                size_t count);

/** Both: the pairs of links of a robot that an option names, if it is given. */
int allow_robot(cli *c, const args *a, size_t option, const ov_robot *robot);

#endif
