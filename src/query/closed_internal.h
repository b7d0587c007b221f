/**
 * @file closed_internal.h
 * @brief What the closed forms share: the nearest surface point of a body as seen from a point, and
 * bodies that are a point, segment or triangle with a round skin.
 */
#ifndef OVI_CLOSED_INTERNAL_H
#define OVI_CLOSED_INTERNAL_H

#include "query_internal.h"

/** What a point sees of a convex body, in the body's frame. */
typedef struct ovi_nearest {
    double distance; /**< signed, negative inside: the least way out */
    ov_vec3 point;   /**< of the surface */
    ov_vec3 normal;  /**< unit, outward there, from the body to the point where that is outside */
} ovi_nearest;

/** A point, segment or triangle, and all points within `radius` of it. */
typedef struct ovi_core {
    ov_vec3 corners[3];
    int count;
    double radius;
} ovi_core;

/** Sphere, capsule, triangle, segment and point as cores, in their frames; false for others. */
bool ovi_core_of(const ov_shape *shape, ovi_core *core);

/** The skin's nearest point; where the point lies in the core, the normal is one across it. */
ovi_nearest ovi_core_nearest(const ovi_core *core, ov_vec3 point);

/**
 * Two cores in one frame. False where the directions tried do not settle it to `slack`: cores that
 * pierce each other, a triangle being one of them. Else the distance of the *skins* in `result`,
 * its bounds widened by `slack`.
 */
bool ovi_core_pair(const ovi_core *a, const ovi_core *b, double slack, ovi_result *result);

/** Box, cylinder, cone, and all cores; false for others. */
bool ovi_body_nearest(const ov_shape *shape, ov_vec3 point, ovi_nearest *out);

/** Writes what a closed form has found: the bounds are the gap, give or take the slack. */
static inline void ovi_closed_result(double gap, double slack, ov_vec3 point_a, ov_vec3 point_b,
                                     ov_vec3 normal, ovi_result *result) {
    *result = (ovi_result){.lower = gap - slack,
                           .upper = gap + slack,
                           .gap = gap,
                           .point_a = point_a,
                           .point_b = point_b,
                           .normal = normal,
                           .overlap = gap + slack < 0.0,
                           .solved = true};
}

#endif
