/**
 * @file kinds.h
 * @brief A shape from words: `KIND PARAMETERS…`, the same for every verb that takes one.
 *
 * Parameters come by position or, all of them, by name (`a1=1 e1=0.5`). One table has the kinds,
 * their parameters and the rule of each; parser, messages, help and completion all read it.
 */
#ifndef OVOID_CLI_KINDS_H
#define OVOID_CLI_KINDS_H

#include <stdio.h>

#include <ovoid/io.h>
#include <ovoid/shape.h>

#include "../src/shape/shape_numbers.h"
#include "args.h"

/** The options of a verb that takes a shape. */
// clang-format off
#define SHARED_CONVENTION \
    {"--convention", 0, 1, "NAME", "meaning of the exponents: ovoid, barr or blocky (ovoid)", \
     "ovoid barr blocky"}
#define SHARED_DENT_TOLERANCE \
    {"--dent-tolerance", 0, 1, "T", \
     "deepest dent of a superovoid, 0 to 1 of its least semi-axis (0.05)", NULL}
// clang-format on

typedef struct shape_args {
    bool in_plane; /**< a superellipse: `curve` holds, `shape` does not */
    ov_shape shape;
    ov_superellipse curve;
    ov_hull *hull; /**< owns what a polyhedron refers to; null for all others */
} shape_args;

/**
 * Makes the shape that the words of a verb describe; all words must be used up.
 * CLI_OK, or CLI_BAD_INPUT after a message that names the parameter. Free with shape_args_free.
 */
int shape_args_make(cli *c, const args *a, shape_args *out);
void shape_args_free(shape_args *s);

/** Name of the kind as filed: a superovoid without taper is a superellipsoid, and so on. */
const char *shape_args_kind_name(const shape_args *s);

/** Parameters of the kind as filed, exponents in Ovoid's own convention; returns their number. */
size_t shape_args_parameters(const shape_args *s, const char *const **names,
                             double values[OVI_NUMBERS_MAX]);

/** Is the first word that names a kind the one of a curve in the plane? */
bool shape_args_wants_plane(int argc, char **argv);

/** The table of kinds, for the help. */
void kinds_print(FILE *out);
/** The names alone, a line each, for completion. */
void kinds_list(FILE *out);

#endif
