/**
 * @file motion.c
 * @brief Motions: what all kinds have in common, and the kinds that are no rational curves: screws,
 * and key poses joined by splines and slerp.
 *
 * Rational curves are in motion_rational.c, bounds of how far a motion gets in motion_bound.c.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "motion_internal.h"
#include "slerp.h"
#include "spline.h"

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
    return motion != NULL && motion->kind->taylor != NULL;
}

static double clamped(const ov_motion *motion, double time) {
    return !(time > motion->start) ? motion->start : time < motion->end ? time : motion->end;
}

ov_status ov_motion_at(const ov_motion *motion, double time, ov_affine *displacement) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_motion_at(motion, time, displacement));
    if (motion == NULL || displacement == NULL) {
        return OV_ERROR_NULL;
    }
    motion->kind->at(motion, clamped(motion, time), displacement);
    return OV_OK;
}

ov_status ov_motion_pose(const ov_motion *motion, double time, ov_pose *pose) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_motion_pose(motion, time, pose));
    if (motion == NULL || pose == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_motion_is_rigid(motion)) {
        return OV_ERROR_UNSUPPORTED;
    }
    motion->kind->pose(motion, clamped(motion, time), pose);
    return OV_OK;
}

/* ---- screws */

/*
 * Screw motions: a turn about a fixed axis with a travel along it, at constant speeds.
 *
 * With the unit axis a, arm = x0 - point, tau = a x arm and rho = -a x tau (the part of the arm
 * across the axis), at the angle f and the travel d
 *
 *     x = x0 + d a + sin f tau - (1 - cos f) rho      R = exp(f [a]x) R0
 *
 * from sine and cosine of f / 2, so that small turns keep their digits. Beyond the ends the frame
 * rests.
 *
 * Rounding, in units of eps: a 2.5; tau 6 |arm|; rho 12 |arm|; f 2 |f|; sine and cosine 4 ulp each,
 * so 9 for their products. Then x is off by at most (6 + 9 + 24 + 18) |arm| from the two products,
 * 2 |f| |rho| from f, 5 |d| from the travel and 2 (|x0| + |d| + 4 |arm|) from the sums; the
 * velocity by as much times the angular speed; a quaternion by 14 + |f|, of which |f| is along the
 * turn, and its matrix by 7 times the former and twice the latter (see slerp.c).
 */

typedef struct screw {
    ov_motion motion;
    ov_pose first;
    ov_vec3 axis, tau, rho;
    double angle, travel;
    double omega, pace; /**< speeds of turn and travel, with their signs */
    double arm;         /**< no less than |arm|, and the following than what they are of */
    double speed;       /**< of the frame's origin */
    double acceleration, omega_square;
} screw;

/** Where the frame is, and sine and cosine of half the angle. */
typedef struct moment {
    double angle, travel;
    double sine, cosine;
} moment;

static moment screw_moment_at(const screw *s, double time) {
    double start = s->motion.start, end = s->motion.end;
    double w = time > start ? time < end ? (time - start) / (end - start) : 1.0 : 0.0;
    double angle = w * s->angle;
    return (moment){angle, w * s->travel, sin(0.5 * angle), cos(0.5 * angle)};
}

static ov_pose screw_pose_of(const screw *s, const moment *m) {
    ov_vec3 x = ov_vec3_scale(s->axis, m->travel);
    x = ov_vec3_add_scaled(x, s->tau, 2.0 * m->sine * m->cosine);
    x = ov_vec3_add_scaled(x, s->rho, -2.0 * m->sine * m->sine);
    ov_quat turn = {m->cosine, m->sine * s->axis.x, m->sine * s->axis.y, m->sine * s->axis.z};
    return (ov_pose){ov_vec3_add(s->first.position, x), ov_quat_mul(turn, s->first.rotation)};
}

static void screw_pose_at(const ov_motion *motion, double time, ov_pose *pose) {
    const screw *s = (const screw *)motion;
    moment m = screw_moment_at(s, time);
    *pose = screw_pose_of(s, &m);
}

static void screw_displacement_at(const ov_motion *motion, double time, ov_affine *displacement) {
    ov_pose pose;
    screw_pose_at(motion, time, &pose);
    *displacement = ov_affine_from_pose(pose);
}

/** Velocities at a time within the motion, their rounding and the bounds of what follows. */
static void add_velocities(const screw *s, const moment *m, ovi_taylor *c) {
    const double eps = DBL_EPSILON;
    ov_vec3 along = ov_vec3_scale(s->tau, 1.0 - 2.0 * m->sine * m->sine);
    ov_vec3 across = ov_vec3_add_scaled(along, s->rho, -2.0 * m->sine * m->cosine);
    c->velocity = ov_vec3_add_scaled(ov_vec3_scale(s->axis, s->pace), across, s->omega);
    c->spin = ov_vec3_scale(s->axis, s->omega);
    c->velocity_error =
        eps * (fabs(s->omega) * s->arm * (80.0 + 3.0 * fabs(m->angle)) + 8.0 * fabs(s->pace)) +
        DBL_MIN;
    c->spin_error = 8.0 * eps * fabs(s->omega) + DBL_MIN;
    c->acceleration = s->acceleration;
    c->rotation_acceleration = s->omega_square;
}

static void screw_taylor(const ov_motion *motion, double middle, double radius,
                         ovi_taylor *taylor) {
    const screw *s = (const screw *)motion;
    const double eps = DBL_EPSILON, grown = 1.0 + OVI_MOTION_MARGIN;
    moment m = screw_moment_at(s, middle);
    ov_vec3 x0 = s->first.position;
    *taylor = (ovi_taylor){.pose = screw_pose_of(s, &m)};
    taylor->position_error = eps * (s->arm * (80.0 + 3.0 * fabs(m.angle)) + 8.0 * fabs(m.travel) +
                                    2.0 * (fabs(x0.x) + fabs(x0.y) + fabs(x0.z))) +
                             DBL_MIN;
    taylor->rotation_error = eps * (128.0 + 4.0 * fabs(m.angle));
    double begins = ovi_spline_beyond(middle, radius, motion->start);
    double ends = ovi_spline_beyond(middle, radius, motion->end);
    if (middle < motion->start || middle > motion->end) {
        // at rest here; from the end that is nearer on, which is passed first, no faster than this
        double part = middle < motion->start ? begins : ends;
        taylor->velocity_error = s->speed * part * grown;
        taylor->spin_error = fabs(s->omega) * part * grown + DBL_MIN;
        return;
    }
    double jump = begins > ends ? begins : ends;
    if (1.0 + jump > OVI_JUMP_PATIENCE) {
        taylor->velocity_error = s->speed;
        taylor->spin_error = fabs(s->omega) * grown + DBL_MIN;
        return;
    }
    add_velocities(s, &m, taylor);
    taylor->velocity_error += s->speed * jump * grown;
    taylor->spin_error += fabs(s->omega) * jump * grown;
}

static const ovi_motion_kind screw_kind = {
    .at = screw_displacement_at, .taylor = screw_taylor, .pose = screw_pose_at};

static ov_status check_screw(ov_pose *first, ov_vec3 point, ov_vec3 axis, double angle,
                             double travel) {
    ov_status status = ovi_pose_normalize(first);
    if (status != OV_OK) {
        return status;
    }
    if (!ov_vec3_is_finite(point) || !ov_vec3_is_finite(axis) || !isfinite(angle) ||
        !isfinite(travel)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (axis.x == 0.0 && axis.y == 0.0 && axis.z == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    double far = fmax(fmax(fabs(point.x), fabs(point.y)), fabs(point.z));
    far = fmax(far, fmax(fabs(angle), fabs(travel)));
    return far <= OV_POSITION_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

/** False where the square of a speed is not finite. */
static bool set_screw_bounds(screw *s, ov_vec3 arm) {
    const double grown = 1.0 + OVI_MOTION_MARGIN;
    double length = s->motion.end - s->motion.start, omega = fabs(s->angle / length) * grown;
    s->omega = s->angle / length;
    s->pace = s->travel / length;
    s->arm = ov_vec3_length(arm) * grown;
    // the distance from the axis, with the rounding of rho
    double distance = ov_vec3_length(s->rho) * grown + 16.0 * DBL_EPSILON * s->arm;
    s->speed = (hypot(omega * distance, s->pace) + DBL_MIN) * grown;
    s->omega_square = (omega * omega + DBL_MIN) * grown;
    s->acceleration = (s->omega_square * distance + DBL_MIN) * grown;
    return isfinite(s->speed * s->speed) && isfinite(s->omega_square) && isfinite(s->acceleration);
}

ov_status ov_motion_create_screw(ov_pose first, ov_vec3 point, ov_vec3 axis, double angle_rad,
                                 double travel, double start, double end,
                                 const ov_allocator *allocator, ov_motion **motion) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_motion_create_screw(first, point, axis, angle_rad, travel,
                                                           start, end, allocator, motion));
    if (motion == NULL) {
        return OV_ERROR_NULL;
    }
    *motion = NULL;
    ov_status status = check_screw(&first, point, axis, angle_rad, travel);
    if (status != OV_OK) {
        return status;
    }
    screw *s = ovi_motion_new(&screw_kind, sizeof(screw), start, end, allocator, &status);
    if (s == NULL) {
        return status;
    }
    ov_vec3 arm = ov_vec3_sub(first.position, point);
    s->first = first;
    s->axis = ov_vec3_normalize(axis);
    s->tau = ov_vec3_cross(s->axis, arm);
    s->rho = ov_vec3_cross(s->tau, s->axis);
    s->angle = angle_rad;
    s->travel = travel;
    if (!set_screw_bounds(s, arm)) {
        ov_motion_destroy(&s->motion);
        return OV_ERROR_TIME; // too short for so much motion
    }
    *motion = &s->motion;
    return OV_OK;
}

/* ---- key poses */

/*
 * Motions through key poses: positions by a spline, rotations along shortest arcs.
 *
 * Both parts know their bounds (spline.c, slerp.c) and share the times of the keys; here they are
 * put into one block. The position of a cubic one is at rest at both ends, so there only its
 * rotation jumps in speed at keys.
 */

typedef struct keys {
    ov_motion motion;
    ovi_spline positions; /**< one group of three */
    ovi_slerp rotations;
    double block[];
} keys;

static void keys_pose_at(const ov_motion *motion, double time, ov_pose *pose) {
    const keys *k = (const keys *)motion;
    double p[3];
    ovi_spline_at(&k->positions, time, p, NULL, NULL);
    pose->position = ov_vec3_make(p[0], p[1], p[2]);
    pose->rotation = ovi_slerp_at(&k->rotations, ovi_spline_segment(&k->positions, time), time);
}

static void keys_displacement_at(const ov_motion *motion, double time, ov_affine *displacement) {
    ov_pose pose;
    keys_pose_at(motion, time, &pose);
    *displacement = ov_affine_from_pose(pose);
}

static void keys_taylor(const ov_motion *motion, double middle, double radius, ovi_taylor *taylor) {
    const keys *k = (const keys *)motion;
    ovi_spline_interval interval = ovi_spline_interval_about(&k->positions, middle, radius);
    ovi_spline_taylor x;
    ovi_slerp_taylor r;
    ovi_spline_taylor_of(&k->positions, &interval, 0, &x);
    ovi_slerp_taylor_of(&k->rotations, &interval, &r);
    *taylor = (ovi_taylor){.pose = {{x.value[0], x.value[1], x.value[2]}, r.rotation},
                           .velocity = ov_vec3_make(x.velocity[0], x.velocity[1], x.velocity[2]),
                           .spin = r.spin,
                           .position_error = x.value_error,
                           .rotation_error = r.rotation_error,
                           .velocity_error = x.velocity_error,
                           .spin_error = r.spin_error,
                           .acceleration = x.acceleration,
                           .rotation_acceleration = r.rotation_acceleration};
}

static const ovi_motion_kind keys_kind = {
    .at = keys_displacement_at, .taylor = keys_taylor, .pose = keys_pose_at};

static ov_status check_keys(const ov_pose *poses, const double *times, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ov_pose pose = poses[i];
        ov_status status = ovi_pose_normalize(&pose);
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
static bool fill_keys(keys *k, const ov_pose *poses, const double *times, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *p = k->positions.values + 3 * i;
        k->positions.times[i] = times[i];
        p[0] = poses[i].position.x;
        p[1] = poses[i].position.y;
        p[2] = poses[i].position.z;
        k->rotations.rotations[i] = poses[i].rotation;
    }
    return ovi_spline_finish(&k->positions) && ovi_slerp_finish(&k->rotations, NULL) == OV_OK;
}

ov_status ov_motion_create_keys(const ov_pose *poses, const double *times, size_t count,
                                ov_spline spline, const ov_allocator *allocator,
                                ov_motion **motion) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_motion_create_keys(poses, times, count, spline, allocator, motion));
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
    size_t first = ovi_spline_doubles(kind, count, 3, 1), second = ovi_slerp_doubles(count);
    if (first == 0 || second == 0) {
        return OV_ERROR_MEMORY;
    }
    keys *k = ovi_motion_new(&keys_kind, sizeof(keys) + (first + second) * sizeof(double), times[0],
                             times[count - 1], allocator, &status);
    if (k == NULL) {
        return status;
    }
    ovi_spline_place(&k->positions, kind, count, 3, 1, k->block);
    ovi_slerp_place(&k->rotations, count, k->positions.times, k->block + first);
    if (!fill_keys(k, poses, times, count)) {
        ov_motion_destroy(&k->motion);
        return OV_ERROR_TIME;
    }
    *motion = &k->motion;
    return OV_OK;
}
