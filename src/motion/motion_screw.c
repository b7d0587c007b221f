/**
 * @file motion_screw.c
 * @brief Screw motions: a turn about a fixed axis with a travel along it, at constant speeds.
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
 * turn, and its matrix by 7 times the former and twice the latter (see turns.c).
 */
#include "../math/rounding_mode.h"
#include "motion_internal.h"
#include "spline.h"

typedef struct screw {
    ov_motion motion;
    ov_pose first;
    ov_vec3 axis, tau, rho;
    double angle, travel;
    double omega, pace; /**< speeds of turn and travel, with their signs */
    double arm;         /**< no less than |arm|, and the following than what they are of */
    double speed;       /**< of the frame's origin */
    double acceleration, twisting;
} screw;

/** Where the frame is, and sine and cosine of half the angle. */
typedef struct moment {
    double angle, travel;
    double sine, cosine;
} moment;

static moment moment_at(const screw *s, double time) {
    double start = s->motion.start, end = s->motion.end;
    double w = time > start ? time < end ? (time - start) / (end - start) : 1.0 : 0.0;
    double angle = w * s->angle;
    return (moment){angle, w * s->travel, sin(0.5 * angle), cos(0.5 * angle)};
}

static ov_pose pose_of(const screw *s, const moment *m) {
    ov_vec3 x = ov_vec3_scale(s->axis, m->travel);
    x = ov_vec3_add_scaled(x, s->tau, 2.0 * m->sine * m->cosine);
    x = ov_vec3_add_scaled(x, s->rho, -2.0 * m->sine * m->sine);
    ov_quat turn = {m->cosine, m->sine * s->axis.x, m->sine * s->axis.y, m->sine * s->axis.z};
    return (ov_pose){ov_vec3_add(s->first.position, x), ov_quat_mul(turn, s->first.rotation)};
}

static void pose_at(const ov_motion *motion, double time, ov_pose *pose) {
    const screw *s = (const screw *)motion;
    moment m = moment_at(s, time);
    *pose = pose_of(s, &m);
}

static void displacement_at(const ov_motion *motion, double time, ov_affine *displacement) {
    ov_pose pose;
    pose_at(motion, time, &pose);
    *displacement = ov_affine_from_pose(pose);
}

/** Velocities at a time within the motion, their rounding and the bounds of what follows. */
static void add_velocities(const screw *s, const moment *m, ovi_course *c) {
    const double eps = DBL_EPSILON;
    ov_vec3 along = ov_vec3_scale(s->tau, 1.0 - 2.0 * m->sine * m->sine);
    ov_vec3 across = ov_vec3_add_scaled(along, s->rho, -2.0 * m->sine * m->cosine);
    c->velocity = ov_vec3_add_scaled(ov_vec3_scale(s->axis, s->pace), across, s->omega);
    c->spin = ov_vec3_scale(s->axis, s->omega);
    c->speed =
        eps * (fabs(s->omega) * s->arm * (80.0 + 3.0 * fabs(m->angle)) + 8.0 * fabs(s->pace)) +
        DBL_MIN;
    c->turning = 8.0 * eps * fabs(s->omega) + DBL_MIN;
    c->acceleration = s->acceleration;
    c->twisting = s->twisting;
}

static void course_about(const ov_motion *motion, double middle, double radius,
                         ovi_course *course) {
    const screw *s = (const screw *)motion;
    const double eps = DBL_EPSILON, grown = 1.0 + OVI_MOTION_MARGIN;
    moment m = moment_at(s, middle);
    ov_vec3 x0 = s->first.position;
    *course = (ovi_course){.pose = pose_of(s, &m)};
    course->slip = eps * (s->arm * (80.0 + 3.0 * fabs(m.angle)) + 8.0 * fabs(m.travel) +
                          2.0 * (fabs(x0.x) + fabs(x0.y) + fabs(x0.z))) +
                   DBL_MIN;
    course->twist = eps * (128.0 + 4.0 * fabs(m.angle));
    double begins = ovi_spline_beyond(middle, radius, motion->start);
    double ends = ovi_spline_beyond(middle, radius, motion->end);
    if (middle < motion->start || middle > motion->end) {
        // at rest here; from the end that is nearer on, which is passed first, no faster than this
        double part = middle < motion->start ? begins : ends;
        course->speed = s->speed * part * grown;
        course->turning = fabs(s->omega) * part * grown + DBL_MIN;
        return;
    }
    double jump = begins > ends ? begins : ends;
    if (1.0 + jump > OVI_JUMP_PATIENCE) {
        course->speed = s->speed;
        course->turning = fabs(s->omega) * grown + DBL_MIN;
        return;
    }
    add_velocities(s, &m, course);
    course->speed += s->speed * jump * grown;
    course->turning += fabs(s->omega) * jump * grown;
}

static const ovi_motion_kind screw_kind = {
    .at = displacement_at, .course = course_about, .pose = pose_at};

static ov_status check_screw(ov_pose *first, ov_vec3 point, ov_vec3 axis, double angle,
                             double travel) {
    ov_status status = ovi_pose_check(first);
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
static bool set_bounds(screw *s, ov_vec3 arm) {
    const double grown = 1.0 + OVI_MOTION_MARGIN;
    double length = s->motion.end - s->motion.start, omega = fabs(s->angle / length) * grown;
    s->omega = s->angle / length;
    s->pace = s->travel / length;
    s->arm = ov_vec3_length(arm) * grown;
    // the distance from the axis, with the rounding of rho
    double distance = ov_vec3_length(s->rho) * grown + 16.0 * DBL_EPSILON * s->arm;
    s->speed = (hypot(omega * distance, s->pace) + DBL_MIN) * grown;
    s->twisting = (omega * omega + DBL_MIN) * grown;
    s->acceleration = (s->twisting * distance + DBL_MIN) * grown;
    return isfinite(s->speed * s->speed) && isfinite(s->twisting) && isfinite(s->acceleration);
}

ov_status ov_motion_create_screw(ov_pose first, ov_vec3 point, ov_vec3 axis, double angle_rad,
                                 double travel, double start, double end,
                                 const ov_allocator *allocator, ov_motion **motion) {
    OVI_NEAREST(ov_status, ov_motion_create_screw(first, point, axis, angle_rad, travel, start, end,
                                                  allocator, motion));
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
    if (!set_bounds(s, arm)) {
        ov_motion_destroy(&s->motion);
        return OV_ERROR_TIME; // too short for so much motion
    }
    *motion = &s->motion;
    return OV_OK;
}
