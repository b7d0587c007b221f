/**
 * @file slerp.h
 * @brief Rotations through keys, along the shortest arc between neighbours at constant speed
 * (slerp), with bounds over intervals: of key poses, and of joints that are given by quaternions.
 *
 * They share times and intervals with a spline (spline.h; one of 0 groups has times alone). Before
 * the first and after the last key the rotation rests. Two keys that are exactly half a turn apart
 * are joined by the arc that their quaternions, with the signs given, lie on.
 *
 * To make them: ovi_slerp_doubles, then ovi_slerp_place into a block of as many doubles, fill in
 * the rotations, then ovi_slerp_finish.
 */
#ifndef OVI_SLERP_H
#define OVI_SLERP_H

#include <ovoid/math.h>

#include "spline.h"

/** The arc between two keys. */
typedef struct ovi_arc {
    double half; /**< of its angle */
    ov_vec3 axis;
} ovi_arc;

typedef struct ovi_slerp {
    size_t count;        /**< keys, at least 2 */
    const double *times; /**< the spline's */
    ov_quat *rotations;  /**< any length but zero; `finish` makes them units */
    ovi_arc *arcs;       /**< of each segment */
    double *tree;        /**< of maxima, of the angular speeds */
} ovi_slerp;

/** Doubles that the block needs; 0 where that is no number of bytes of an object. */
size_t ovi_slerp_doubles(size_t count);
/** `times` must stay; they are first looked at by `finish`. */
void ovi_slerp_place(ovi_slerp *slerp, size_t count, const double *times, double *block);
/**
 * OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_TIME (the square of an angular speed is
 * not finite); `*key` (may be null) is the first to blame.
 */
ov_status ovi_slerp_finish(ovi_slerp *slerp, size_t *key);

/** The rotation at a time of the segment (ovi_spline_segment) that it is in. */
ov_quat ovi_slerp_at(const ovi_slerp *slerp, ptrdiff_t segment, double time);

/**
 * A rotation during an interval about a middle (ovi_spline_interval_about); with s = t - middle
 *     |R(t) - (1 + s [spin]x) R| <= rotation_error + |s| spin_error
 *                                   + s^2 rotation_acceleration / 2
 * in the largest singular value. Jumps of the spin are in `spin_error`, as those of a spline's
 * velocity are in its error.
 */
typedef struct ovi_slerp_taylor {
    ov_quat rotation;
    ov_vec3 spin;
    double rotation_error, spin_error, rotation_acceleration;
} ovi_slerp_taylor;
void ovi_slerp_taylor_of(const ovi_slerp *slerp, const ovi_spline_interval *interval,
                         ovi_slerp_taylor *taylor);
/** Largest angular speed in an interval. */
double ovi_slerp_rate(const ovi_slerp *slerp, const ovi_spline_interval *interval);

#endif
