/**
 * @file sweep_internal.h
 * @brief What sweeps of bodies and of robots share: parts that move, the cover of one pair of them
 * in time, and the list of jobs that becomes an ov_sweep.
 */
#ifndef OVI_SWEEP_INTERNAL_H
#define OVI_SWEEP_INTERNAL_H

#include "motion_internal.h"

/* ---- movers (mover.c) */

/** A part, and what carries it. */
typedef struct ovi_mover {
    ovi_part part;                   /**< its frame is the shape's own, its pose the identity */
    const ov_motion *motion;         /**< null, and no trajectory: it rests */
    const ov_trajectory *trajectory; /**< with `root`, `base` and `link` */
    ov_pose root;
    uint32_t base, link;
    ov_pose local;    /**< in the frame that is carried */
    bool at_origin;   /**< that is the part's own frame */
    ovi_course still; /**< of a part that rests */
    double reach;     /**< no point of it is further from the frame's origin; 0 if unbounded */
    double slip;      /**< rounding of `local`, and what the part itself is not known better by */
} ovi_mover;

/** Nothing carries it yet: at rest at the pose `at` after `local`. */
ov_status ovi_mover_make(const ov_part *part, ov_pose at, ovi_mover *mover);
static inline bool ovi_mover_rests(const ovi_mover *m) {
    return m->motion == NULL && m->trajectory == NULL;
}
/** Course of the part's own frame. */
void ovi_mover_course(const ovi_mover *mover, double middle, double radius, ovi_course *course);
/** A box along the axes that holds the part from one time to another, by balls about so many parts
 *  of the way; infinite if unbounded. */
ov_aabb ovi_mover_box(const ovi_mover *mover, double from, double to, int steps);

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

/** Takes a span of time during which contact is not excluded; false: no room, the cover ends. */
typedef struct ovi_span_sink {
    bool (*take)(void *user, double start, double end, double contact);
    void *user;
} ovi_span_sink;

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
ov_status ovi_cover_pair(const ovi_mover *a, const ovi_mover *b, double start, double end,
                         const ovi_cover_goal *goal, const ovi_span_sink *sink,
                         ovi_cover_result *result);

#endif
