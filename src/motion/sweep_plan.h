/**
 * @file sweep_plan.h
 * @brief What a sweep of bodies or of a robot is made of before it runs, and the run.
 */
#ifndef OVI_SWEEP_PLAN_H
#define OVI_SWEEP_PLAN_H

#include "sweep_internal.h"

/** A part of the plan with the names that intervals give it. */
typedef struct ovi_sweep_part {
    ovi_mover mover;
    uint32_t body, part;
    uint32_t group, mask;
    const ov_polygons *polygons; /**< null: a part of a geometry */
    ov_pose pose;                /**< polygons: in the frame that moves, or where they rest */
} ovi_sweep_part;

/** Parts, and which of them are pairs. */
typedef struct ovi_sweep_plan {
    ov_allocator allocator;
    ovi_sweep_part *parts;
    size_t count, room;
    /**
     * Are the bodies of two parts to be kept apart? Groups and masks have been looked at, and one
     * of them moves. `*base`: the link from which both are to be seen, or OV_NO_LINK for the world.
     */
    bool (*is_pair)(const void *user, const ovi_sweep_part *a, const ovi_sweep_part *b,
                    uint32_t *base);
    const void *user;
    ov_sweep_options options;
    double start, end;
    uint32_t first_body; /**< intervals name body 0 of the call so: links are before it */
} ovi_sweep_plan;

/** An array of `*room` elements with room for `needed`: as it is, or larger. Null: no memory. */
static inline void *ovi_room_for(const ov_allocator *allocator, void *block, size_t *room,
                                 size_t needed, size_t size) {
    return needed <= *room ? block : ovi_more_room(allocator, block, room, needed, size);
}

/** Checks times and options, and starts a plan without parts. */
ov_status ovi_plan_make(double start, double end, const ov_sweep_options *options,
                        ovi_sweep_plan *plan);
/** Adds a part that is yet to be filled in: OV_ERROR_COUNT, OV_ERROR_MEMORY. */
ov_status ovi_plan_add(ovi_sweep_plan *plan, ovi_sweep_part **part);
/** Adds all parts of body `index` of the call. */
ov_status ovi_plan_add_body(ovi_sweep_plan *plan, const ov_sweep_body *body, size_t index);
/** Says that body `index` of the call is to blame. */
ov_status ovi_plan_blame(ov_fault *fault, ov_status status, size_t index);
void ovi_plan_free(ovi_sweep_plan *plan);
/** Runs it (sweep_run.c); `fault` is filled in any case. */
ov_status ovi_plan_run(const ovi_sweep_plan *plan, ov_sweep **sweep, ov_fault *fault);

/** Epsilon as given, or from the smaller one of two parts that has a size. */
double ovi_sweep_epsilon(const ov_sweep_options *options, const ovi_mover *a, const ovi_mover *b);
/** Does a motion (null: rest) reach from start to end? */
bool ovi_motion_covers(const ov_motion *motion, double start, double end);

/* ---- the report (sweep_report.c) */

struct ov_sweep {
    ov_allocator allocator;
    ov_sweep_summary summary;
    ov_sweep_interval *intervals;
    size_t count, room;
};

/** Puts intervals in order, joins those of the same parts that touch, and keeps `most`. */
void ovi_sweep_settle(ov_sweep *sweep, size_t most);

#endif
