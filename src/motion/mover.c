/**
 * @file mover.c
 * @brief Parts that move: by a motion of their body, or by the joints of a robot, or not at all.
 */
#include "sweep_internal.h"

ov_status ovi_mover_make(const ov_part *part, ov_pose at, ovi_mover *mover) {
    ov_part own = *part;
    own.pose = ov_pose_identity();
    ov_pose place = part->pose;
    *mover = (ovi_mover){.base = OV_NO_LINK, .link = OV_NO_LINK, .root = ov_pose_identity()};
    ov_status status = ovi_part_make(&own, &mover->part);
    status = status == OV_OK ? ovi_pose_check(&at) : status;
    status = status == OV_OK ? ovi_pose_check(&place) : status;
    if (status != OV_OK) {
        return status;
    }
    const ov_pose none = ov_pose_identity();
    ov_pose local = ovi_pose_mul(at, place);
    double lengths = ov_vec3_length(at.position) + ov_vec3_length(place.position);
    ov_vec3 p = local.position;
    ov_quat q = local.rotation;
    mover->local = local;
    mover->at_origin =
        p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    mover->slip = mover->at_origin ? 0.0 : OVI_TURN_ROUNDING * lengths;
    mover->still = ovi_course_at_rest(mover->at_origin ? none : local);
    mover->still.slip = mover->slip;
    mover->still.twist = mover->at_origin ? 0.0 : OVI_TURN_ROUNDING;
    if (mover->part.bounded) {
        ov_ball ball = mover->part.ball;
        mover->reach = (ov_vec3_length(ball.centre) + ball.radius) * (1.0 + OVI_MOTION_MARGIN);
    }
    return OV_OK;
}

void ovi_mover_course(const ovi_mover *m, double middle, double radius, ovi_course *course) {
    if (ovi_mover_rests(m)) {
        *course = m->still;
        return;
    }
    if (m->motion != NULL) {
        ovi_motion_course(m->motion, middle, radius, course);
    } else {
        ovi_trajectory_course(m->trajectory, m->root, m->base, m->link, middle, radius, course);
    }
    if (!m->at_origin) {
        *course = ovi_course_carry(course, m->local);
    }
    course->slip += m->slip;
}

/** The ball about the part during a span about its middle. */
static ov_ball ball_during(const ovi_mover *m, double from, double to) {
    double middle = from + 0.5 * (to - from);
    double radius = fmax(to - middle, middle - from) * (1.0 + OVI_MOTION_MARGIN);
    ovi_course c;
    ovi_mover_course(m, middle, radius, &c);
    ov_vec3 arm = ov_quat_rotate(c.pose.rotation, m->part.ball.centre);
    ov_vec3 v = ov_vec3_add(c.velocity, ov_vec3_cross(c.spin, arm));
    double away = ov_vec3_length(m->part.ball.centre);
    // the ball turns about its own middle for nothing
    double way = ov_vec3_length(v) + c.speed + c.turning * away;
    double bend = c.acceleration + c.twisting * away;
    ov_ball ball = {ov_vec3_add(c.pose.position, arm), 0.0};
    double lengths = ov_vec3_length(c.pose.position) + m->reach;
    ball.radius = (m->part.ball.radius + c.slip + c.twist * m->reach + radius * way +
                   0.5 * bend * radius * radius) *
                      (1.0 + OVI_MOTION_MARGIN) +
                  OVI_TURN_ROUNDING * lengths;
    return ball;
}

ov_aabb ovi_mover_box(const ovi_mover *m, double from, double to, int steps) {
    ov_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (!m->part.bounded) {
        return (ov_aabb){box.max, box.min};
    }
    steps = ovi_mover_rests(m) ? 1 : steps;
    double last = from;
    for (int i = 1; i <= steps; i++) {
        double next = i == steps ? to : from + (to - from) * ((double)i / steps);
        ov_ball ball = ball_during(m, last, next);
        if (!(ball.radius < INFINITY)) { // or not a number: anywhere
            return (ov_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        }
        ov_vec3 r = {ball.radius, ball.radius, ball.radius};
        ov_vec3 low = ov_vec3_sub(ball.centre, r), high = ov_vec3_add(ball.centre, r);
        box.min = (ov_vec3){fmin(box.min.x, low.x), fmin(box.min.y, low.y), fmin(box.min.z, low.z)};
        box.max =
            (ov_vec3){fmax(box.max.x, high.x), fmax(box.max.y, high.y), fmax(box.max.z, high.z)};
        last = next;
    }
    return box;
}
