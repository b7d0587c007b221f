/**
 * @file solid_internal.h
 * @brief What the files of the solids share: checks of positions, the vertices of a shape, and the
 * plane of a face with the rounding error that goes with it.
 */
#ifndef OVI_SOLID_INTERNAL_H
#define OVI_SOLID_INTERNAL_H

#include <float.h>

#include "shape_internal.h"

/** Thinner than this, in units of its extent, a triangle or polyhedron is refused as flat. */
#define OVI_FLAT 1e-12
/** … and thinner than this in units of its largest coordinate: no more than their rounding. */
#define OVI_FLAT_ROUNDING (64.0 * DBL_EPSILON)
/** A point this close to a body, in units of the largest coordinate at hand, counts as in it. */
#define OVI_ON_SURFACE (8.0 * DBL_EPSILON)
/** So far, in the same units, corners of faces and points are taken to be off by rounding. */
#define OVI_FACE_SLACK (32.0 * DBL_EPSILON)

static inline double ovi_max_abs(ov_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/** Square of a length; for vectors whose components are between 1e-140 and 1e140, or zero. */
static inline double ovi_square(ov_vec3 v) { return ov_vec3_dot(v, v); }

/** Finite, and no coordinate beyond OV_SIZE_MAX. */
static inline ov_status ovi_check_position(ov_vec3 p) {
    if (!ov_vec3_is_finite(p)) {
        return OV_ERROR_NOT_FINITE;
    }
    return ovi_max_abs(p) > OV_SIZE_MAX ? OV_ERROR_SIZE_RANGE : OV_OK;
}

/** Vertices of a polyhedron, triangle, segment or point; 0 for the kinds without. */
size_t ovi_solid_vertices(const ov_shape *shape, const ov_vec3 **vertices);

/**
 * A triangle in coordinates of its own plane: `u` along its longest edge, `w` across it towards the
 * third corner, and the normal u x w. With lengths measured one axis after the other, each part
 * taken off before the next is measured, heights above the plane carry no more than the rounding of
 * the corners, also for slivers; a cross product of two edges would lose all digits there.
 */
typedef struct ovi_face {
    ov_vec3 ends[2]; /**< of the longest edge, counter-clockwise with the apex from outside */
    ov_vec3 apex;
    ov_vec3 u, w,
        normal;          /**< orthonormal; w and normal are zero where the triangle has no height */
    double length;       /**< of the longest edge */
    double foot, height; /**< the apex along u and w, from the first end */
} ovi_face;

ovi_face ovi_face_make(ov_vec3 a, ov_vec3 b, ov_vec3 c);

/**
 * Signed height of a point above the plane; 0 where the triangle has no height.
 *
 * `spread` is the sum |l0| + |l1| + |l2| of the point's barycentric coordinates: corners that are
 * off by d each change the height by at most d times the spread. It is 1 over the triangle, and
 * large far from a small one.
 */
double ovi_face_height(const ovi_face *face, ov_vec3 p, double *spread);

/** On or below the plane, or above it by no more than rounding of coordinates up to `reach`. */
bool ovi_face_is_below(const ovi_face *face, ov_vec3 p, double reach);

/** Distance of a point from the triangle. */
double ovi_face_distance(const ovi_face *face, ov_vec3 p);

/** Face `index` of a polyhedron. */
static inline ovi_face ovi_polyhedron_face(const ov_shape *shape, size_t index) {
    const ov_vec3 *v = shape->u.polyhedron.vertices;
    const uint32_t *t = shape->u.polyhedron.triangles[index];
    return ovi_face_make(v[t[0]], v[t[1]], v[t[2]]);
}

/** How often closed triangles wrap around a point: 1 inside, 0 outside, between them on a face. */
double ovi_winding(const ov_vec3 *vertices, const uint32_t (*triangles)[3], size_t triangle_count,
                   ov_vec3 point);

/** Distance of a point from a segment; for coordinates up to a few OV_SIZE_MAX. */
double ovi_segment_distance(ov_vec3 a, ov_vec3 b, ov_vec3 p);

#endif
