/**
 * @file fit_input.h
 * @brief What is fitted to: a triangle mesh or a point cloud.
 *
 * Part of `libovoid_fit`.
 */
#ifndef OVOID_FIT_INPUT_H
#define OVOID_FIT_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest numbers of points and of triangles. */
#define OV_FIT_MAX ((size_t)1 << 27)

/**
 * Points, and triangles between them. Without triangles it is a point cloud, with triangles the
 * points that no triangle uses do not count. The arrays stay the caller's.
 */
typedef struct ov_fit_input {
    const ov_vec3 *points;
    size_t point_count;
    const uint32_t (*triangles)[3]; /**< indices of points; null for a cloud */
    size_t triangle_count;          /**< 0 for a cloud */
} ov_fit_input;

/**
 * Can it be fitted to? OV_ERROR_NULL, OV_ERROR_COUNT (no points, or more than OV_FIT_MAX points or
 * triangles), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX),
 * OV_ERROR_INDEX (a triangle of points that do not exist). `*fault` (may be null) says which point
 * or triangle it is, from 0, in its text.
 */
ov_status ov_fit_input_check(const ov_fit_input *input, ov_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
