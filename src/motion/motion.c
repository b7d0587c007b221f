/**
 * @file motion.c
 * @brief What all motions have in common: making, asking, and pieces made from courses.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "motion_internal.h"

/* ---- displacements */

ov_affine ov_affine_from_pose(ov_pose pose) {
    return (ov_affine){ov_mat3_from_quat(pose.rotation), pose.position};
}

ov_vec3 ov_affine_apply(const ov_affine *map, ov_vec3 point) {
    return ov_vec3_add(ov_mat3_mul_vec3(&map->linear, point), map->translation);
}

const char *ov_spline_name(ov_spline spline) {
    return spline == OV_SPLINE_LINEAR ? "linear" : spline == OV_SPLINE_CUBIC ? "cubic" : "unknown";
}

/* ---- making and freeing */

void *ovi_motion_new(const ovi_motion_kind *kind, size_t bytes, double start, double end,
                     const ov_allocator *allocator, ov_status *status) {
    if (!isfinite(start) || !isfinite(end)) {
        *status = OV_ERROR_NOT_FINITE;
        return NULL;
    }
    // rates are divided by the time, squared
    if (!(end - start >= 1e-100 && end - start <= 1e100)) {
        *status = OV_ERROR_TIME;
        return NULL;
    }
    ov_allocator used = ovi_allocator_of(allocator);
    ov_motion *motion = ovi_resize(&used, NULL, 0, 1, bytes);
    if (motion == NULL) {
        *status = OV_ERROR_MEMORY;
        return NULL;
    }
    memset(motion, 0, bytes);
    motion->kind = kind;
    motion->allocator = used;
    motion->bytes = bytes;
    motion->start = start;
    motion->end = end;
    *status = OV_OK;
    return motion;
}

void ov_motion_destroy(ov_motion *motion) {
    if (motion != NULL) {
        ov_allocator used = motion->allocator;
        ovi_release(&used, motion, 1, motion->bytes);
    }
}

/* ---- asking */

double ov_motion_start(const ov_motion *motion) { return motion != NULL ? motion->start : NAN; }

double ov_motion_end(const ov_motion *motion) { return motion != NULL ? motion->end : NAN; }

bool ov_motion_is_rigid(const ov_motion *motion) {
    return motion != NULL && motion->kind->course != NULL;
}

static double clamped(const ov_motion *motion, double time) {
    return !(time > motion->start) ? motion->start : time < motion->end ? time : motion->end;
}

ov_status ov_motion_at(const ov_motion *motion, double time, ov_affine *displacement) {
    OVI_NEAREST(ov_status, ov_motion_at(motion, time, displacement));
    if (motion == NULL || displacement == NULL) {
        return OV_ERROR_NULL;
    }
    motion->kind->at(motion, clamped(motion, time), displacement);
    return OV_OK;
}

ov_status ov_motion_pose(const ov_motion *motion, double time, ov_pose *pose) {
    OVI_NEAREST(ov_status, ov_motion_pose(motion, time, pose));
    if (motion == NULL || pose == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_motion_is_rigid(motion)) {
        return OV_ERROR_UNSUPPORTED;
    }
    motion->kind->pose(motion, clamped(motion, time), pose);
    return OV_OK;
}

/* ---- courses and pieces */

ovi_course ovi_course_carry(const ovi_course *frame, ov_pose local) {
    ovi_course c = *frame;
    ov_vec3 arm = ov_quat_rotate(frame->pose.rotation, local.position);
    double reach = ov_vec3_length(local.position) * (1.0 + OVI_MOTION_MARGIN);
    double lengths = reach + ov_vec3_length(frame->pose.position);
    c.pose = ovi_pose_mul(frame->pose, local);
    c.velocity = ov_vec3_add(frame->velocity, ov_vec3_cross(frame->spin, arm));
    c.slip = frame->slip + frame->twist * reach + OVI_TURN_ROUNDING * lengths;
    c.twist = frame->twist + OVI_TURN_ROUNDING;
    // What the rounding of the velocity adds goes with time, as a speed.
    c.speed =
        frame->speed + frame->turning * reach +
        OVI_TURN_ROUNDING * (ov_vec3_length(frame->velocity) + ov_vec3_length(frame->spin) * reach);
    c.turning = frame->turning + OVI_TURN_ROUNDING * ov_vec3_length(frame->spin);
    c.acceleration = frame->acceleration + frame->twisting * reach;
    return c;
}

ov_affine ovi_course_rate(const ovi_course *c) {
    ov_mat3 turn = ov_mat3_from_quat(c->pose.rotation);
    return (ov_affine){{ov_vec3_cross(c->spin, turn.cx), ov_vec3_cross(c->spin, turn.cy),
                        ov_vec3_cross(c->spin, turn.cz)},
                       c->velocity};
}

static ov_affine scaled(const ov_affine *a, double s) {
    return (ov_affine){{ov_vec3_scale(a->linear.cx, s), ov_vec3_scale(a->linear.cy, s),
                        ov_vec3_scale(a->linear.cz, s)},
                       ov_vec3_scale(a->translation, s)};
}

/** A straight way there and back through the middle, and what the course leaves open. */
static void piece_of_course(const ovi_course *c, double radius, ovi_piece *piece) {
    piece->centre = ov_affine_from_pose(c->pose);
    piece->rigid = true;
    piece->count = 2;
    ov_affine rate = ovi_course_rate(c);
    piece->offsets[0] = scaled(&rate, radius);
    piece->offsets[1] = scaled(&rate, -radius);
    double way = ov_vec3_length(piece->offsets[0].translation);
    double turn = ov_vec3_length(c->spin) * radius;
    piece->slip = (c->slip + c->speed * radius + 0.5 * c->acceleration * radius * radius) *
                      (1.0 + OVI_MOTION_MARGIN) +
                  OVI_MOTION_MARGIN * way;
    piece->twist = (c->twist + c->turning * radius + 0.5 * c->twisting * radius * radius) *
                       (1.0 + OVI_MOTION_MARGIN) +
                   OVI_MOTION_MARGIN * turn + OVI_TURN_ROUNDING;
}

void ovi_motion_piece(const ov_motion *motion, double from, double to, ovi_piece *piece) {
    if (motion->kind->piece != NULL) {
        motion->kind->piece(motion, from, to, piece);
        return;
    }
    double middle = from + 0.5 * (to - from);
    double radius = fmax(to - middle, middle - from) * (1.0 + OVI_MOTION_MARGIN);
    ovi_course course;
    ovi_motion_course(motion, middle, radius, &course);
    piece_of_course(&course, radius, piece);
}
