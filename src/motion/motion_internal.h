/**
 * @file motion_internal.h
 * @brief What the files of src/motion/ share: how a motion is asked where its frame is during an
 * interval of time, and how a piece of it is measured.
 *
 * A sweep asks a motion in one of two ways. Smooth bodies and meshes want a *Taylor model*: the
 * pose at the middle of an interval, the velocities there, and how far from these the frame can
 * get. Polygons want a *piece*: a centre in the space of affine displacements and a few
 * displacements whose hull, made wider, holds the motion; any metric can then measure how far it
 * goes from the centre. All bounds hold for the motion as given, rounding included.
 */
#ifndef OVI_MOTION_INTERNAL_H
#define OVI_MOTION_INTERNAL_H

#include <float.h>
#include <math.h>

#include <ovoid/motion.h>

#include "../world/geometry.h"

/**
 * Taylor model of a frame during |t - middle| <= radius; s = t - middle. Its true place x(t), R(t)
 * obeys
 *     |x(t) - position - s velocity| <= position_error + |s| velocity_error + s^2 acceleration / 2
 *     |R(t) - (1 + s [spin]x) R|    <= rotation_error + |s| spin_error
 *                                      + s^2 rotation_acceleration / 2
 * (the largest singular value), with R the rotation of the pose. Where a motion has a continuous
 * derivative, the errors of velocity and spin are zero but for rounding; where it jumps within the
 * interval, they bound the speeds, and velocity and spin are zero. More than that: the motion is
 * within position_error + |s| velocity_error (rotation_error + |s| spin_error) of a curve with a
 * continuous derivative that has this pose and these velocities at the middle, and a second
 * derivative of no more than acceleration (rotation_acceleration).
 */
typedef struct ovi_taylor {
    ov_pose pose; /**< at the middle; a unit quaternion, to rounding */
    ov_vec3 velocity, spin;
    double position_error, rotation_error;
    double velocity_error, spin_error;
    double acceleration, rotation_acceleration;
} ovi_taylor;

/** Of a frame that rests. */
static inline ovi_taylor ovi_taylor_at_rest(ov_pose pose) { return (ovi_taylor){.pose = pose}; }

/** Rounding error of a unit quaternion's matrix, and of a product of a few rotations. */
#define OVI_ROTATION_ROUNDING (64.0 * DBL_EPSILON)

/** Most displacements that a piece is held by: those of a curve of the largest degree. */
enum { OVI_PIECE_HULL = OV_MOTION_DEGREE_MAX + 1 };

/**
 * A piece of a motion: every displacement of it is centre + (a point of the hull of the offsets) +
 * something that moves the frame's origin by no more than translation_error, and whose linear part
 * has no singular value above linear_error. Where the kind of motion makes its own pieces, their
 * offsets are the control points, in order, of a rational Bézier curve with positive weights.
 */
typedef struct ovi_piece {
    ov_affine centre;
    bool rigid; /**< the centre is, to rounding */
    size_t count;
    ov_affine offsets[OVI_PIECE_HULL];
    double translation_error, linear_error;
} ovi_piece;

/** What a kind of motion can do. Times are within the motion. */
typedef struct ovi_motion_kind {
    void (*at)(const ov_motion *motion, double time, ov_affine *displacement);
    /** Null for motions that are not rigid. */
    void (*taylor)(const ov_motion *motion, double middle, double radius, ovi_taylor *taylor);
    /** Null: made from the Taylor model. */
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

/** Of a rigid motion; the interval may reach beyond start or end, where the frame rests. */
static inline void ovi_motion_taylor(const ov_motion *motion, double middle, double radius,
                                     ovi_taylor *taylor) {
    motion->kind->taylor(motion, middle, radius, taylor);
}

/**
 * Of a link along a trajectory (trajectory_bound.c): in the frame of the link `base`, which it
 * hangs on by some joints, or for OV_NO_LINK in the world, with the model's root at `root`.
 */
void ovi_trajectory_taylor(const ov_trajectory *trajectory, ov_pose root, uint32_t base,
                           uint32_t link, double middle, double radius, ovi_taylor *taylor);

/** Bounds are made larger by this part: more than the rounding of a few dozen operations. */
#define OVI_MOTION_MARGIN (64.0 * DBL_EPSILON)

/**
 * How far the smaller of two parts, of this size, may move in a piece of a contact that lasts: such
 * a piece is not divided. Contact is proven at its ends and middle, so that dividing it down to
 * epsilon would only repeat that; 64 epsilons, or 2 % of the size, bound what could be missed.
 */
static inline double ovi_lasting_move(double epsilon, double size) {
    return fmax(64.0 * epsilon, 0.02 * size);
}

/* ---- how far things get (motion_bound.c) */

/** A piece of any motion. */
void ovi_motion_piece(const ov_motion *motion, double from, double to, ovi_piece *piece);

/** A part of a geometry, and what carries it. */
typedef struct ovi_moving_part {
    ovi_part part;                   /**< its frame is the shape's own, its pose the identity */
    const ov_motion *motion;         /**< null, and no trajectory: it rests */
    const ov_trajectory *trajectory; /**< with `root`, `base` and `link` */
    ov_pose root;
    uint32_t base, link;
    ov_pose local;         /**< in the frame that is carried */
    bool at_origin;        /**< `local` is the identity */
    ovi_taylor still;      /**< of a part that rests */
    double reach;          /**< no point of it is further from the frame's origin; 0 if unbounded */
    double position_error; /**< rounding of `local`, and how far off the part itself may be */
} ovi_moving_part;

/** Nothing carries it yet: at rest at the pose `at` after `local`. */
ov_status ovi_moving_part_make(const ov_part *part, ov_pose at, ovi_moving_part *moving);
static inline bool ovi_moving_part_rests(const ovi_moving_part *m) {
    return m->motion == NULL && m->trajectory == NULL;
}
/** Of the part's own frame. */
void ovi_moving_part_taylor(const ovi_moving_part *moving, double middle, double radius,
                            ovi_taylor *taylor);
/** The time at which step i of so many begins, or the one before it ends. */
static inline double ovi_step_time(double from, double to, int i, int steps) {
    return i == steps ? to : from + (to - from) * ((double)i / steps);
}
/** Balls that hold the part during each of so many steps of time; of infinite radius if unbounded.
 */
void ovi_moving_part_balls(const ovi_moving_part *moving, double from, double to, int steps,
                           ov_ball *balls);

#endif
