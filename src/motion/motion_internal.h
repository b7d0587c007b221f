/**
 * @file motion_internal.h
 * @brief What the files of src/motion/ share: how a motion is asked where its frame is during a
 * span of time, and how a piece of it is measured.
 *
 * A sweep asks a motion in one of two ways. Smooth bodies and meshes want a *course*: the pose at
 * the middle of a span, the velocities there, and how far from these the frame can get. Polygons
 * want a *piece*: a centre in the space of affine displacements and a few displacements whose hull,
 * made wider, holds the motion; any metric can then measure how far it goes from the centre. All
 * bounds hold for the motion as given, rounding included.
 */
#ifndef OVI_MOTION_INTERNAL_H
#define OVI_MOTION_INTERNAL_H

#include <float.h>
#include <math.h>

#include <ovoid/motion.h>

#include "../world/world_internal.h"

/**
 * A frame during |t - middle| <= radius; s = t - middle. Its true place x(t), R(t) obeys
 *     |x(t) - position - s velocity| <= slip + |s| speed + s^2 acceleration / 2
 *     |R(t) - (1 + s [spin]x) R|    <= twist + |s| turning + s^2 twisting / 2
 * (the largest singular value), with R the rotation of the pose. Where a motion has a continuous
 * derivative, speed and turning are zero but for rounding; where it jumps within the span, they
 * bound the speeds and velocity and spin are zero. More than that: the motion is within slip + |s|
 * speed (twist + |s| turning) of a curve with a continuous derivative that has this pose and these
 * velocities at the middle, and a second derivative of no more than acceleration (twisting).
 */
typedef struct ovi_course {
    ov_pose pose; /**< at the middle; a unit quaternion, to rounding */
    ov_vec3 velocity, spin;
    double slip, twist;
    double speed, turning;
    double acceleration, twisting;
} ovi_course;

/** The course of a frame that rests. */
static inline ovi_course ovi_course_at_rest(ov_pose pose) { return (ovi_course){.pose = pose}; }

/** Rounding error of a unit quaternion's matrix, and of a product of a few rotations. */
#define OVI_TURN_ROUNDING (64.0 * DBL_EPSILON)

/** Most displacements that a piece is held by: those of a curve of the largest degree. */
enum { OVI_PIECE_HULL = OV_MOTION_DEGREE_MAX + 1 };

/**
 * A piece of a motion: every displacement of it is centre + (a point of the hull of the offsets) +
 * something that moves the frame's origin by no more than slip and turns or stretches it by no more
 * than twist (largest singular value). A piece of a kind's own has for offsets the control points,
 * in order, of a rational Bézier curve with positive weights.
 */
typedef struct ovi_piece {
    ov_affine centre;
    bool rigid; /**< the centre is, to rounding */
    size_t count;
    ov_affine offsets[OVI_PIECE_HULL];
    double slip, twist;
} ovi_piece;

/** What a kind of motion can do. Times are within the motion. */
typedef struct ovi_motion_kind {
    void (*at)(const ov_motion *motion, double time, ov_affine *displacement);
    /** Null for motions that are not rigid. */
    void (*course)(const ov_motion *motion, double middle, double radius, ovi_course *course);
    /** Null: made from the course. */
    void (*piece)(const ov_motion *motion, double from, double to, ovi_piece *piece);
    /** Rigid motions: the pose, with a unit quaternion. Null for others. */
    void (*pose)(const ov_motion *motion, double time, ov_pose *pose);
} ovi_motion_kind;

/** Every motion begins like this; the rest is its kind's, in the same block of `bytes` bytes. */
struct ov_motion {
    const ovi_motion_kind *kind;
    ov_allocator allocator;
    size_t bytes;
    double start, end;
};

/**
 * Checks start and end and makes a block of `bytes` bytes, all zero but for its head. Null, with
 * the reason in `*status`, where that is not possible.
 */
void *ovi_motion_new(const ovi_motion_kind *kind, size_t bytes, double start, double end,
                     const ov_allocator *allocator, ov_status *status);

/** Course of a rigid motion; the span may reach beyond start or end, where the frame rests. */
static inline void ovi_motion_course(const ov_motion *motion, double middle, double radius,
                                     ovi_course *course) {
    motion->kind->course(motion, middle, radius, course);
}

/** A piece of any motion (motion_bound.c). */
void ovi_motion_piece(const ov_motion *motion, double from, double to, ovi_piece *piece);

/** No displacement of the piece is further from its centre than this (metric.c). */
double ovi_piece_radius(const ovi_piece *piece, const ov_metric *metric);

/** The derivative of a motion, as a displacement, at the middle of a course. */
ov_affine ovi_course_rate(const ovi_course *c);

/** The course of something with a constant pose in the frame of another course. */
ovi_course ovi_course_carry(const ovi_course *frame, ov_pose local);

/**
 * Course of a link along a trajectory (trajectory_bound.c): in the frame of the link `base`, which
 * it hangs on by some joints, or for OV_NO_LINK in the world, with the model's root at `root`.
 */
void ovi_trajectory_course(const ov_trajectory *trajectory, ov_pose root, uint32_t base,
                           uint32_t link, double middle, double radius, ovi_course *course);
const ov_model *ovi_trajectory_model(const ov_trajectory *trajectory);

/* ---- parts that move (motion_bound.c) */

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

/** Bounds are made larger by this part: more than the rounding of a few dozen operations. */
#define OVI_MOTION_MARGIN (64.0 * DBL_EPSILON)

#endif
