/**
 * @file sweep.h
 * @brief What the sweeps share: the cover of one pair of parts in time, the plan of a sweep of many
 * parts, its run, and what it found.
 */
#ifndef OVI_SWEEP_H
#define OVI_SWEEP_H

#include "motion_internal.h"

/* ---- one pair (sweep_pair.c) */

/** What is asked of a pair, and how exactly. */
typedef struct ovi_cover_goal {
    double epsilon, clearance; /**< lengths, not negative */
    double shortest;           /**< times: a piece is no shorter */
    bool first_only;
    double resolution; /**< a time */
    /** Told now and then which part of the time is done; may be null. */
    void (*progress)(void *user, double done);
    void *progress_user;
} ovi_cover_goal;

/** Takes an interval that a cover found; false ends the cover. Whoever takes it sets the bodies,
 *  and the parts of geometries. */
typedef struct ovi_interval_sink {
    bool (*take)(void *user, const ov_sweep_interval *interval);
    void *user;
} ovi_interval_sink;

typedef struct ovi_cover_result {
    double lower; /**< free up to here */
    double upper; /**< contact, proven; infinite: none */
    size_t pieces, tests, queries;
    double shortest; /**< piece that was looked at */
    double closest;  /**< where the least gap was seen, or `upper` */
} ovi_cover_result;

/**
 * Covers the time from `start` to `end`. Both parts are convex shapes or meshes; `sink` may be
 * null. With first_only the sink gets nothing and the cover ends when lower and upper are within
 * the resolution. OV_ERROR_MEMORY where the sink had no room.
 */
ov_status ovi_cover_pair(const ovi_moving_part *a, const ovi_moving_part *b, double start,
                         double end, const ovi_cover_goal *goal, const ovi_interval_sink *sink,
                         ovi_cover_result *result);

/* ---- a sweep before it runs, and the run (sweep.c, sweep_run.c) */

/** A part of the plan with the names that intervals give it. */
typedef struct ovi_sweep_part {
    ovi_moving_part moving;
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
    uint32_t first_body; /**< what intervals call body 0 of the call: links come before it */
} ovi_sweep_plan;

/** An array of `*room` elements with room for `needed`: as it is, or larger. Null: no memory. */
static inline void *ovi_room_for(const ov_allocator *allocator, void *block, size_t *room,
                                 size_t needed, size_t size) {
    return needed <= *room ? block : ovi_more_room(allocator, block, room, needed, size);
}

/** Checks times and options, and starts a plan without parts. */
ov_status ovi_plan_make(double start, double end, const ov_sweep_options *options,
                        ovi_sweep_plan *plan);
/** Says that body `index` of the call is to blame. */
ov_status ovi_plan_blame(ov_fault *fault, ov_status status, size_t index);
/** Runs it (sweep_run.c); `fault` is filled in any case. */
ov_status ovi_plan_run(const ovi_sweep_plan *plan, ov_sweep **sweep, ov_fault *fault);

/** Epsilon as given, or from the smaller one of two parts that has a size. */
double ovi_sweep_epsilon(const ov_sweep_options *options, const ovi_moving_part *a,
                         const ovi_moving_part *b);
/** Does a motion (null: rest) reach from start to end? */
bool ovi_motion_covers(const ov_motion *motion, double start, double end);

/* ---- what was found */

struct ov_sweep {
    ov_allocator allocator;
    ov_sweep_summary summary;
    ov_sweep_interval *intervals;
    size_t count, room;
};

#endif
