/**
 * @file derivatives_internal.h
 * @brief What derivatives.c needs to know of a shape: how its surface rolls at a witness point, and
 * how its support value answers to the shape's parameters.
 */
#ifndef OVI_DERIVATIVES_INTERNAL_H
#define OVI_DERIVATIVES_INTERNAL_H

#include "query_internal.h"

/**
 * Two independent ways to slide along a surface: rates of the point and of the outward unit normal,
 * each pair (point[i], normal[i]) up to a factor of its own. The shape operator W maps one to the
 * other, normal = W point; as pairs it may be zero (a flat: normal = 0), infinite (a corner:
 * point = 0) or each along one direction (an edge). Only tangential parts count.
 */
typedef struct ovi_roll {
    ov_vec3 point[2], normal[2];
    double miss; /**< angle by which the surface nearby leaves the plane of the pairs */
} ovi_roll;

/** Over less than this, in sizes of a body and radians, a roll need not hold. */
#define OVI_LEAST_REACH 1e-7

/**
 * At a witness point with its outward unit normal, in the shape's frame. `slack` is a length that
 * covers the rounding of the point. False where there is no such thing: the shape's kind has no
 * curvature, the point is not on the surface, or within `reach` (in sizes and radians) the surface
 * does otherwise, as at the border between two features.
 */
bool ovi_shape_roll(const ov_shape *shape, ov_vec3 point, ov_vec3 normal, double slack,
                    double reach, ovi_roll *roll);

/**
 * Derivatives of the support value by a1 a2 a3 e1 e2 tx ty at fixed direction, and which of them
 * are the same to both sides; smooth family. False where the witness point is not on the surface:
 * on the hull's bridge over a dent.
 */
bool ovi_support_by_parameters(const ov_shape *shape, ov_vec3 point, ov_vec3 normal, double slack,
                               double by[OV_PARAMETER_COUNT], bool smooth[OV_PARAMETER_COUNT]);

#endif
