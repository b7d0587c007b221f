/**
 * @file systems.h
 * @brief Bodies and equations of the Newton schemes with everything that is needed at one point,
 * computed in one go: values with first and second derivatives cost hardly more than the values,
 * since the powers are the same.
 */
#ifndef OVOID_SCHEMES_SYSTEMS_H
#define OVOID_SCHEMES_SYSTEMS_H

#include "schemes_internal.h"

/* ---- bodies */

/** F of (5) at a point in the body's frame, with its gradient and, where not null, its Hessian. */
double ovi_scheme_field(const ov_shape *shape, ov_vec3 p, ov_vec3 *gradient, double hessian[3][3]);

/** Cosine and sine to the power of an exponent, signed: what the point of (10) is made of. */
typedef struct ovi_scheme_ray {
    double c, s;
} ovi_scheme_ray;

ovi_scheme_ray ovi_scheme_ray_of(double angle, double e);
/** The point (10) of the rays of its two angles, e1 and e2. */
ov_vec3 ovi_scheme_point_on(const ov_shape *shape, ovi_scheme_ray section, ovi_scheme_ray profile);

/** The parametric surface at two angles: the point (10) and its derivatives by the angles. */
typedef struct ovi_scheme_patch {
    ov_vec3 point;
    ov_vec3 d1, d2;        /**< (11) and (12) */
    ov_vec3 d11, d12, d22; /**< set where second derivatives were asked for */
} ovi_scheme_patch;

/**
 * Householder frame of a normal. With the unit normal (x, y, z) and s the sign chosen in (14), the
 * second and third column of (13) become, w being 1/(1 + s x),
 *
 *     t = (-s y, 1 - w y y, -w y z),   b = (-s z, -w y z, 1 - w z z)
 */
typedef struct ovi_scheme_frame {
    ov_vec3 n;     /**< unit */
    double length; /**< of the normal that was given */
    double s, w;
} ovi_scheme_frame;

/** `mended`: the sign of (14) that does not cancel, instead of plus wherever that is not zero. */
ovi_scheme_frame ovi_scheme_frame_of(ov_vec3 normal, bool mended);
ov_vec3 ovi_scheme_frame_tangent(const ovi_scheme_frame *frame);
ov_vec3 ovi_scheme_frame_bitangent(const ovi_scheme_frame *frame);

/* ---- the systems of equations of the common normal */

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

/** Residual, and Jacobian (column-major) where that is not null, of the three systems. */
void ovi_scheme_evaluate_implicit(const ovi_scheme_pair *pair, const double *q, double *phi,
                                  double *jacobian);
void ovi_scheme_evaluate_parametric(const ovi_scheme_pair *pair, const double *q, double *phi,
                                    double *jacobian);
void ovi_scheme_evaluate_ntb(const ovi_scheme_pair *pair, const double *q, double *phi,
                             double *jacobian);

#endif
