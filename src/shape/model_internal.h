/**
 * @file model_internal.h
 * @brief What the modelling kinds and the mesher share: surfaces as the product of a section and a
 * profile, and the bend.
 *
 * Every superquadric here is swept by a section in xy, the unit superellipse with e1, along a
 * profile of pairs (m, z): x = a1 f1(z) m u, y = a2 f2(z) m v. So are capsule, cylinder and cone,
 * with a circle as the section. The profile's covector (gm, gz) is the derivative, by m and z, of
 * any function that grows outwards across it.
 */
#ifndef OVI_MODEL_INTERNAL_H
#define OVI_MODEL_INTERNAL_H

#include "shape_internal.h"
#include "unit_superellipse.h"

typedef struct ovi_profile_point {
    double m, z;   /**< scale of the section, and height as a length */
    double gm, gz; /**< outward covector; only its direction counts */
} ovi_profile_point;

/** Point, normal and tangents where the section and the profile meet; tapers and bends. */
void ovi_product_surface(const ov_shape *shape, const ovi_curve_point *section,
                         const ovi_profile_point *profile, ov_surface_point *out);

/** The point alone. */
ov_vec3 ovi_product_point(const ov_shape *shape, double u, double v, double m, double z);

/**
 * Widest section of a tapered superquadric before it is bent, in the direction (n1, n2) across z:
 * the largest value, over the height, of w N_q1(a1 f1 n1, a2 f2 n2).
 */
double ovi_section_reach(const ov_shape *shape, double n1, double n2);

/** One branch of |A|^p - |B|^p = 1 at B >= 0: A, and its slope dA/dB = (B/A)^(p-1). */
typedef struct ovi_branch {
    double a, slope;
} ovi_branch;

ovi_branch ovi_branch_at(ovi_exponent p, double b);

/** Scale m of a superhyperboloid's section at its cuts. */
double ovi_hyperboloid_rim(const ov_shape *shape);

/**
 * The bend, in the plane of r = x cos(angle) + y sin(angle) and z, about the line r = 1/k:
 *
 *     gamma = k z,  w = 1 - k r,  R = 1/k - (w/k) cos(gamma),  Z = (w/k) sin(gamma)
 *
 * in a form without 1/k, so that k = 0 is the straight body and small k loses nothing:
 *
 *     R = r + w (k/2) (z sinc(gamma/2))^2,  Z = w z sinc(gamma)
 */
ov_vec3 ovi_bend_point(const ov_shape *shape, ov_vec3 straight);

/** A bent point before the bend, with the turn there. `regular` is false on the bend's own line,
 *  and on the half-plane behind it, where the two ways round meet. */
typedef struct ovi_unbent {
    ov_vec3 point;
    double c, s; /**< of the bending plane's angle */
    double cg, sg, w;
    bool regular;
} ovi_unbent;

ovi_unbent ovi_unbend_point(const ov_shape *shape, ov_vec3 bent);

#endif
