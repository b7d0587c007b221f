/**
 * @file motion_keys.c
 * @brief Motions through key poses: positions by a spline, rotations along shortest arcs.
 *
 * Both parts know their bounds (spline.c, turns.c) and share the times of the keys; here they are
 * put into one block. The position of a cubic one is at rest at both ends, so there only its
 * rotation jumps in speed at keys.
 */
#include "../math/rounding_mode.h"
#include "motion_internal.h"
#include "turns.h"

typedef struct keys {
    ov_motion motion;
    ovi_spline positions; /**< one group of three */
    ovi_turns rotations;
    double block[];
} keys;

static void pose_at(const ov_motion *motion, double time, ov_pose *pose) {
    const keys *k = (const keys *)motion;
    double p[3];
    ovi_spline_at(&k->positions, time, p, NULL, NULL);
    pose->position = ov_vec3_make(p[0], p[1], p[2]);
    pose->rotation = ovi_turns_at(&k->rotations, ovi_spline_segment(&k->positions, time), time);
}

static void displacement_at(const ov_motion *motion, double time, ov_affine *displacement) {
    ov_pose pose;
    pose_at(motion, time, &pose);
    *displacement = ov_affine_from_pose(pose);
}

static void course_about(const ov_motion *motion, double middle, double radius,
                         ovi_course *course) {
    const keys *k = (const keys *)motion;
    ovi_spline_span span = ovi_spline_span_about(&k->positions, middle, radius);
    ovi_spline_line x;
    ovi_turns_line r;
    ovi_spline_line_of(&k->positions, &span, 0, &x);
    ovi_turns_line_of(&k->rotations, &span, &r);
    *course = (ovi_course){.pose = {{x.value[0], x.value[1], x.value[2]}, r.rotation},
                           .velocity = ov_vec3_make(x.velocity[0], x.velocity[1], x.velocity[2]),
                           .spin = r.spin,
                           .slip = x.slip,
                           .twist = r.twist,
                           .speed = x.speed,
                           .turning = r.turning,
                           .acceleration = x.acceleration,
                           .twisting = r.twisting};
}

static const ovi_motion_kind keys_kind = {
    .at = displacement_at, .course = course_about, .pose = pose_at};

static ov_status check_keys(const ov_pose *poses, const double *times, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ov_pose pose = poses[i];
        ov_status status = ovi_pose_check(&pose);
        if (status != OV_OK) {
            return status;
        }
        if (!isfinite(times[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (i > 0 && !(times[i] > times[i - 1])) {
            return OV_ERROR_TIME;
        }
    }
    return OV_OK;
}

/** Fills in the keys as given; false where they are too close in time for what is between them. */
static bool fill(keys *k, const ov_pose *poses, const double *times, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *p = k->positions.values + 3 * i;
        k->positions.times[i] = times[i];
        p[0] = poses[i].position.x;
        p[1] = poses[i].position.y;
        p[2] = poses[i].position.z;
        k->rotations.rotations[i] = poses[i].rotation;
    }
    return ovi_spline_finish(&k->positions) && ovi_turns_finish(&k->rotations, NULL) == OV_OK;
}

ov_status ov_motion_create_keys(const ov_pose *poses, const double *times, size_t count,
                                ov_spline spline, const ov_allocator *allocator,
                                ov_motion **motion) {
    OVI_NEAREST(ov_status, ov_motion_create_keys(poses, times, count, spline, allocator, motion));
    if (motion == NULL) {
        return OV_ERROR_NULL;
    }
    *motion = NULL;
    if (poses == NULL || times == NULL) {
        return OV_ERROR_NULL;
    }
    if (count < 2 || count > OV_MOTION_KEYS_MAX) {
        return OV_ERROR_COUNT;
    }
    if (spline != OV_SPLINE_LINEAR && spline != OV_SPLINE_CUBIC) {
        return OV_ERROR_OPTION;
    }
    ov_status status = check_keys(poses, times, count);
    if (status != OV_OK) {
        return status;
    }
    ovi_spline_kind kind = spline == OV_SPLINE_CUBIC ? OVI_SPLINE_CUBIC : OVI_SPLINE_LINEAR;
    // the largest count is far from where sizes overflow, on machines of 32 bits too
    size_t first = ovi_spline_doubles(kind, count, 3, 1, false), second = ovi_turns_doubles(count);
    if (first == 0 || second == 0) {
        return OV_ERROR_MEMORY;
    }
    keys *k = ovi_motion_new(&keys_kind, sizeof(keys) + (first + second) * sizeof(double), times[0],
                             times[count - 1], allocator, &status);
    if (k == NULL) {
        return status;
    }
    ovi_spline_place(&k->positions, kind, count, 3, 1, false, k->block);
    ovi_turns_place(&k->rotations, count, k->positions.times, k->block + first);
    if (!fill(k, poses, times, count)) {
        ov_motion_destroy(&k->motion);
        return OV_ERROR_TIME;
    }
    *motion = &k->motion;
    return OV_OK;
}
