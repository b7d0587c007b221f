/**
 * @file systems.h
 * @brief What the systems of equations of the common normal share, and how Newton's method gets
 * residual and Jacobian of one in a single evaluation.
 */
#ifndef OVOID_SCHEMES_SYSTEMS_H
#define OVOID_SCHEMES_SYSTEMS_H

#include "bodies.h"

/** Where A is, seen from B. */
typedef struct ovi_scheme_place {
    ov_mat3 turn;   /**< vectors of A's frame to B's */
    ov_vec3 offset; /**< A's origin */
} ovi_scheme_place;

ovi_scheme_place ovi_scheme_place_of(const ovi_scheme_pair *pair);

/** The first four equations of (15) with normals from the gradients, and their derivatives. */
typedef struct ovi_scheme_common_normal {
    double phi[4];
    ov_vec3 by_a[4], by_b[4]; /**< by the two points; set where derivatives were asked for */
    double inside_a, inside_b;
    ov_vec3 gradient_a, gradient_b;
} ovi_scheme_common_normal;

void ovi_scheme_common_normal_at(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b,
                                 bool derivatives, ovi_scheme_common_normal *out);

/** Residual, and Jacobian (column-major) where that is not null, of the three systems. */
void ovi_scheme_evaluate_implicit(const ovi_scheme_pair *pair, const double *q, double *phi,
                                  double *jacobian);
void ovi_scheme_evaluate_parametric(const ovi_scheme_pair *pair, const double *q, double *phi,
                                    double *jacobian);
void ovi_scheme_evaluate_ntb(const ovi_scheme_pair *pair, const double *q, double *phi,
                             double *jacobian);

#endif
