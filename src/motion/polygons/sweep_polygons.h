/**
 * @file sweep_polygons.h
 * @brief The sweep of two bodies made of polygons: Listings 1 and 2 of [Toleranced], for both
 * bodies in motion, with trees over them.
 */
#ifndef OVI_SWEEP_POLYGONS_H
#define OVI_SWEEP_POLYGONS_H

#include "../sweep.h"

/** Two bodies of polygons; at least one of them should move. */
typedef struct ovi_polygon_pair {
    const ov_polygons *a, *b;
    const ov_motion *motion_a, *motion_b; /**< null: at rest */
    ov_pose pose_a, pose_b;               /**< in the frame that moves; unit quaternions */
    double epsilon;                       /**< above zero */
} ovi_polygon_pair;

/**
 * All times between start and end during which contact of two polygons could not be excluded, in no
 * particular order; what touches in time is one interval more often than not. `counts` gets added
 * to: pairs, pieces, tests, and its depth made larger. Both motions reach from start to end.
 * OV_ERROR_MEMORY; what the sink took by then is right, but not all.
 */
ov_status ovi_sweep_polygons(const ovi_polygon_pair *pair, double start, double end,
                             const ov_sweep_options *options, const ovi_interval_sink *sink,
                             ov_sweep_summary *counts);

/* ---- one body inside the other */

/**
 * During a time in which the surfaces are proven apart: is one body, or a piece of it, not proven
 * to be outside the other? `*contact` is a time at which it is inside, or NaN.
 */
bool ovi_polygons_inside(const ovi_polygon_pair *pair, double start, double end, double *contact);

#endif
