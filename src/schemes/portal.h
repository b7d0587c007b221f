/**
 * @file portal.h
 * @brief The minimum distance problem of [Portal, 4], for whichever optimiser: variables,
 * objective, constraints with their derivatives, start, and what the answer means.
 */
#ifndef OVOID_SCHEMES_PORTAL_H
#define OVOID_SCHEMES_PORTAL_H

#include "schemes_internal.h"

enum { OVI_PORTAL_VARIABLES = 6, OVI_PORTAL_CONSTRAINTS_MAX = 6 };

/** The problem. A point is where it is from A's centre, along the world's axes, in units of length
 *  of the pair; the variables are the point of A, then that of B. */
typedef struct ovi_portal {
    const ovi_scheme_pair *pair;
    char set;        /**< 'a' to 'h' */
    bool mended;     /**< the mended form of the set */
    bool inequality; /**< all constraints are g <= 0 (mended set a), else all are g = 0 */
    int constraints; /**< how many */
    double unit;     /**< of length: the larger radius of the two bounding balls */
    ov_mat3 turn_a, turn_b;
    ov_vec3 offset;                    /**< of B's centre */
    ov_vec3 along, across_1, across_2; /**< the line of the centres, and a frame with it */
} ovi_portal;

void ovi_portal_make(const ovi_scheme_pair *pair, ovi_portal *problem);

/** Start (32) to (34), or the points of the last answer where the options have one. */
void ovi_portal_start(const ovi_portal *problem, double x[OVI_PORTAL_VARIABLES]);

/** Objective (19), and where `gradient` is not null its gradient. */
double ovi_portal_objective(const double x[OVI_PORTAL_VARIABLES],
                            double gradient[OVI_PORTAL_VARIABLES]);

/** Constraints of the set, and where `jacobian` is not null their derivatives, a row of six each.
 *  False where a number is not finite. */
bool ovi_portal_constraints(const ovi_portal *problem, const double x[OVI_PORTAL_VARIABLES],
                            double *values, double *jacobian);

/** An optimiser: from x, in place; true where it stopped by its own rule. */
typedef bool (*ovi_portal_solver)(const ovi_portal *problem, double x[OVI_PORTAL_VARIABLES],
                                  int *iterations);

/** The whole scheme with an optimiser: start, solution, answer. A solution that is not finite
 *  counts as none, and the start stands for it. */
void ovi_portal_run(const ovi_scheme_pair *pair, ovi_portal_solver solve, ov_scheme_result *result);

#endif
