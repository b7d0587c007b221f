/**
 * @file motions.h
 * @brief Motions of the hunt, each twice: the library's, and in long double from the definition.
 */
#ifndef OVOID_HUNT_MOTIONS_H
#define OVOID_HUNT_MOTIONS_H

#include "hunt.h"

enum { MOTION_CASE_KEYS = 5 };

typedef enum motion_case_kind {
    MOTION_CASE_REST,
    MOTION_CASE_SCREW,
    MOTION_CASE_LINEAR, /**< keys, straight */
    MOTION_CASE_CUBIC,  /**< keys, cubic */
    MOTION_CASE_RATIONAL,
    MOTION_CASE_AFFINE /**< Bézier curve of displacements: polygons only */
} motion_case_kind;

typedef struct motion_case {
    motion_case_kind kind;
    size_t count, turns; /**< keys or controls; quaternions of a rational motion */
    ov_pose poses[MOTION_CASE_KEYS];
    double times[MOTION_CASE_KEYS], weights[MOTION_CASE_KEYS];
    ov_affine controls[MOTION_CASE_KEYS];
    ov_vec3 point, axis;
    double angle, travel;
    real moments[3][MOTION_CASE_KEYS]; /**< slopes of the cubic spline at the keys */
    ov_motion *motion;
} motion_case;

typedef struct frame {
    rmat linear;
    rvec origin;
} frame;

/** From time 0 to 1, about a size; false where the library refuses (`*status` tells why). */
bool draw_motion_case(stream *r, motion_case_kind kind, double size, motion_case *m,
                      ov_status *status);
void motion_case_end(motion_case *m);
frame motion_case_at(const motion_case *m, real time);
void motion_case_print(FILE *out, const char *name, const motion_case *m);

/** Pose in a frame; a zero quaternion is the identity. */
frame frame_of(ov_pose pose);
frame frame_after(frame outer, frame inner);
rmat rm_axis_angle(rvec unit, real angle);

/** Slopes of the cubic spline through values that rests at both ends. */
void spline_slopes(const double *times, const double *values, size_t count, real *slopes);
/** Its value, or of the straight one where there are no slopes. */
real spline_at(const double *times, const double *values, const real *slopes, size_t count,
               real time);

#endif
