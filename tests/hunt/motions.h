/**
 * @file motions.h
 * @brief Motions of the hunt, each twice: the library's, and in long double from the definition.
 */
#ifndef OVOID_HUNT_MOTIONS_H
#define OVOID_HUNT_MOTIONS_H

#include "hunt.h"

enum { MOVER_KEYS = 5 };

typedef enum mover_kind {
    MOVER_REST,
    MOVER_SCREW,
    MOVER_LINEAR, /**< keys, straight */
    MOVER_CUBIC,  /**< keys, cubic */
    MOVER_RATIONAL,
    MOVER_AFFINE /**< Bézier curve of displacements: polygons only */
} mover_kind;

typedef struct mover {
    mover_kind kind;
    size_t count, turns; /**< keys or controls; quaternions of a rational motion */
    ov_pose poses[MOVER_KEYS];
    double times[MOVER_KEYS], weights[MOVER_KEYS];
    ov_affine controls[MOVER_KEYS];
    ov_vec3 point, axis;
    double angle, travel;
    real moments[3][MOVER_KEYS]; /**< slopes of the cubic spline at the keys */
    ov_motion *motion;
} mover;

typedef struct frame {
    rmat linear;
    rvec origin;
} frame;

/** From time 0 to 1, about a size; false where the library refuses (`*status` tells why). */
bool draw_mover(stream *r, mover_kind kind, double size, mover *m, ov_status *status);
void mover_end(mover *m);
frame mover_at(const mover *m, real time);
void mover_print(FILE *out, const char *name, const mover *m);

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
