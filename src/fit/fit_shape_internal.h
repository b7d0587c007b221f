/**
 * @file fit_shape_internal.h
 * @brief What the files about one fitted body share: proven containment, the distances that are
 * minimized with their derivatives, and the minimizer.
 */
#ifndef OVI_FIT_SHAPE_INTERNAL_H
#define OVI_FIT_SHAPE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>

/* ---- proven containment (fit_hold.c) */

/**
 * True only if it is proven that the body at the pose holds the point: for the numbers as they are
 * in the structs, in exact arithmetic. The rounding of the pose and of the gauge is accounted for,
 * so a point within some 1e-14 of its distance from the centre below the surface may be missed.
 *
 * Spheres, ellipsoids, superellipsoids, superovoids, boxes, capsules and cylinders; false for all
 * other kinds, and for what is not finite. The quaternion of the pose may have any length but zero:
 * its rotation is that of the unit quaternion. All these bodies are convex, so that one holds a
 * triangle iff it holds the three corners. A dented superovoid is the hull of its surface; here it
 * counts what is inside of the surface, so points in the dent are missed.
 */
bool ovi_fit_holds_point(const ov_shape *shape, ov_pose pose, ov_vec3 point);

/**
 * The least scale of the body about its own centre, up to some 1e-14, such that the point is inside
 * or on it: below 1 for points inside. A capsule grows by radius and half-length. NaN for kinds
 * that ovi_fit_holds_point does not know, and for what is not finite.
 */
double ovi_fit_scale_of_point(const ov_shape *shape, ov_pose pose, ov_vec3 point);

/**
 * Scales the body about its own centre, up or down, to the least size at which ovi_fit_holds_point
 * is true of every point: `*grown` (may be `shape` itself), and the factor `*scale` (may be null).
 * The factor exceeds the exact one by some 1e-14 where the points are no farther from the origin
 * than from the body's centre, and by more where the rounding of coordinates demands it.
 *
 * OV_ERROR_UNSUPPORTED for other kinds; OV_ERROR_COUNT without points; OV_ERROR_NOT_FINITE;
 * OV_ERROR_DEGENERATE where all points are the centre; the constructor's status where the new sizes
 * are out of range.
 */
ov_status ovi_fit_grow_to_hold(const ov_shape *shape, ov_pose pose, const ov_vec3 *points,
                               size_t count, ov_shape *grown, double *scale);

#endif
