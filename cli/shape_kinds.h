/**
 * @file shape_kinds.h
 * @brief The table of kinds of shape: names, parameters, rules, constructors.
 */
#ifndef OVOID_CLI_SHAPE_KINDS_H
#define OVOID_CLI_SHAPE_KINDS_H

#include "shape_args.h"

/** What a parameter may be; the letters of `shape_kind.rules`. */
enum {
    RULE_SIZE = 's',      /**< above 0 */
    RULE_LENGTH = 'l',    /**< 0 or above */
    RULE_EXPONENT = 'e',  /**< in (0, 2] */
    RULE_TAPER = 't',     /**< in (-1, 1) */
    RULE_CURVATURE = 'c', /**< a bend that does not fold the body */
    RULE_HEIGHT = 'h',    /**< where a hyperboloid of two sheets is cut */
    RULE_HOLE = 'o',      /**< above 1 */
    RULE_ANY = 'x'        /**< finite */
};

typedef struct shape_kind {
    const char *name;
    ov_shape_kind kind; /**< OV_SHAPE_KIND_NONE: the curve in the plane */
    const char *what;   /**< for the help */
    const char *const *parameters;
    const char *rules; /**< a letter for each parameter that is a number */
    /** Null for a polyhedron, which comes from a file. */
    ov_status (*make)(const double *v, const ov_shape_options *options, shape_args *out);
} shape_kind;

enum { SHAPE_KIND_COUNT = 18 };
extern const shape_kind shape_kinds[SHAPE_KIND_COUNT];

/** The kind of that name, or null. */
const shape_kind *shape_kind_find(const char *name);

#endif
