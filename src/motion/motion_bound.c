/**
 * @file motion_bound.c
 * @brief How far things get during a piece of time: frames, parts that are fixed to them, and whole
 * motions as curves in the space of displacements.
 *
 * A kind of motion gives a Taylor model (motion_internal.h). Here it is carried over to a part, and
 * made into a piece, a box about a part, and a ball of displacements.
 */
#include "../math/rounding_mode.h"
#include "metric.h"
#include "motion_internal.h"

/* ---- frames: Taylor models and pieces */

/** Of something with a constant pose in the frame. */
static ovi_taylor carried(const ovi_taylor *frame, ov_pose local) {
    ovi_taylor c = *frame;
    ov_vec3 arm = ov_quat_rotate(frame->pose.rotation, local.position);
    double reach = ov_vec3_length(local.position) * (1.0 + OVI_MOTION_MARGIN);
    double lengths = reach + ov_vec3_length(frame->pose.position);
    c.pose = ovi_pose_mul(frame->pose, local);
    c.velocity = ov_vec3_add(frame->velocity, ov_vec3_cross(frame->spin, arm));
    c.position_error =
        frame->position_error + frame->rotation_error * reach + OVI_ROTATION_ROUNDING * lengths;
    c.rotation_error = frame->rotation_error + OVI_ROTATION_ROUNDING;
    // What the rounding of the velocity adds goes with time, as a speed.
    c.velocity_error = frame->velocity_error + frame->spin_error * reach +
                       OVI_ROTATION_ROUNDING *
                           (ov_vec3_length(frame->velocity) + ov_vec3_length(frame->spin) * reach);
    c.spin_error = frame->spin_error + OVI_ROTATION_ROUNDING * ov_vec3_length(frame->spin);
    c.acceleration = frame->acceleration + frame->rotation_acceleration * reach;
    return c;
}

/** The derivative, as a displacement, at the middle. */
static ov_affine rate_of(const ovi_taylor *c) {
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

/** Straight there and back through the middle, and what the Taylor model leaves open. */
static void piece_of_taylor(const ovi_taylor *c, double radius, ovi_piece *piece) {
    piece->centre = ov_affine_from_pose(c->pose);
    piece->rigid = true;
    piece->count = 2;
    ov_affine rate = rate_of(c);
    piece->offsets[0] = scaled(&rate, radius);
    piece->offsets[1] = scaled(&rate, -radius);
    double shift = ov_vec3_length(piece->offsets[0].translation);
    double turn = ov_vec3_length(c->spin) * radius;
    piece->translation_error =
        (c->position_error + c->velocity_error * radius + 0.5 * c->acceleration * radius * radius) *
            (1.0 + OVI_MOTION_MARGIN) +
        OVI_MOTION_MARGIN * shift;
    piece->linear_error = (c->rotation_error + c->spin_error * radius +
                           0.5 * c->rotation_acceleration * radius * radius) *
                              (1.0 + OVI_MOTION_MARGIN) +
                          OVI_MOTION_MARGIN * turn + OVI_ROTATION_ROUNDING;
}

void ovi_motion_piece(const ov_motion *motion, double from, double to, ovi_piece *piece) {
    if (motion->kind->piece != NULL) {
        motion->kind->piece(motion, from, to, piece);
        return;
    }
    double middle = from + 0.5 * (to - from);
    double radius = fmax(to - middle, middle - from) * (1.0 + OVI_MOTION_MARGIN);
    ovi_taylor taylor;
    ovi_motion_taylor(motion, middle, radius, &taylor);
    piece_of_taylor(&taylor, radius, piece);
}

/* ---- parts that move */

ov_status ovi_moving_part_make(const ov_part *part, ov_pose at, ovi_moving_part *moving) {
    ov_part own = *part;
    own.pose = ov_pose_identity();
    ov_pose place = part->pose;
    *moving = (ovi_moving_part){.base = OV_NO_LINK, .link = OV_NO_LINK, .root = ov_pose_identity()};
    ov_status status = ovi_part_make(&own, &moving->part);
    status = status == OV_OK ? ovi_pose_normalize(&at) : status;
    status = status == OV_OK ? ovi_pose_normalize(&place) : status;
    if (status != OV_OK) {
        return status;
    }
    const ov_pose none = ov_pose_identity();
    ov_pose local = ovi_pose_mul(at, place);
    double lengths = ov_vec3_length(at.position) + ov_vec3_length(place.position);
    ov_vec3 p = local.position;
    ov_quat q = local.rotation;
    moving->local = local;
    moving->at_origin =
        p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    moving->position_error = moving->at_origin ? 0.0 : OVI_ROTATION_ROUNDING * lengths;
    moving->still = ovi_taylor_at_rest(moving->at_origin ? none : local);
    moving->still.position_error = moving->position_error;
    moving->still.rotation_error = moving->at_origin ? 0.0 : OVI_ROTATION_ROUNDING;
    if (moving->part.bounded) {
        ov_ball ball = moving->part.ball;
        moving->reach = (ov_vec3_length(ball.centre) + ball.radius) * (1.0 + OVI_MOTION_MARGIN);
    }
    return OV_OK;
}

void ovi_moving_part_taylor(const ovi_moving_part *m, double middle, double radius,
                            ovi_taylor *taylor) {
    if (ovi_moving_part_rests(m)) {
        *taylor = m->still;
        return;
    }
    if (m->motion != NULL) {
        ovi_motion_taylor(m->motion, middle, radius, taylor);
    } else {
        ovi_trajectory_taylor(m->trajectory, m->root, m->base, m->link, middle, radius, taylor);
    }
    if (!m->at_origin) {
        *taylor = carried(taylor, m->local);
    }
    taylor->position_error += m->position_error;
}

/** The ball about the part during an interval about its middle. */
static ov_ball ball_during(const ovi_moving_part *m, double from, double to) {
    double middle = from + 0.5 * (to - from);
    double radius = fmax(to - middle, middle - from) * (1.0 + OVI_MOTION_MARGIN);
    ovi_taylor c;
    ovi_moving_part_taylor(m, middle, radius, &c);
    ov_vec3 arm = ov_quat_rotate(c.pose.rotation, m->part.ball.centre);
    ov_vec3 v = ov_vec3_add(c.velocity, ov_vec3_cross(c.spin, arm));
    double away = ov_vec3_length(m->part.ball.centre);
    // a turn of the ball about its own centre moves nothing
    double speed = ov_vec3_length(v) + c.velocity_error + c.spin_error * away;
    double acceleration = c.acceleration + c.rotation_acceleration * away;
    ov_ball ball = {ov_vec3_add(c.pose.position, arm), 0.0};
    double lengths = ov_vec3_length(c.pose.position) + m->reach;
    ball.radius = (m->part.ball.radius + c.position_error + c.rotation_error * m->reach +
                   radius * speed + 0.5 * acceleration * radius * radius) *
                      (1.0 + OVI_MOTION_MARGIN) +
                  OVI_ROTATION_ROUNDING * lengths;
    return ball;
}

void ovi_moving_part_balls(const ovi_moving_part *m, double from, double to, int steps,
                           ov_ball *balls) {
    const ov_ball anywhere = {{0.0, 0.0, 0.0}, INFINITY};
    bool rests = ovi_moving_part_rests(m);
    for (int i = 0; i < steps; i++) {
        if (i > 0 && rests) {
            balls[i] = balls[0];
            continue;
        }
        double start = ovi_step_time(from, to, i, steps),
               end = ovi_step_time(from, to, i + 1, steps);
        balls[i] = m->part.bounded ? ball_during(m, start, end) : anywhere;
        if (!(balls[i].radius < INFINITY)) { // or not a number
            balls[i] = anywhere;
        }
    }
}

/* ---- balls of displacements */

/*
 * Balls of displacements about pieces of motions [Toleranced, 5].
 *
 * Three ways; c is the motion as a curve in the space of displacements, all lengths by the metric.
 *
 * HULL. About the middle: the farthest of the displacements that hold the piece (metric.c).
 *
 * ARC, Proposition 2: a curve of length l and curvature no more than 1/r is in the ball of radius
 * k = r tan(l/2r) about c(from) + k e1, e1 the unit tangent at `from`. The paper shows it for
 * l < r pi/2, by involutes. A shorter proof, for any dimension and every l < r pi:
 *
 *     1. take r = 1. At arc length a the tangent makes an angle of a or less with e1; so with a
 *        unit vector n at an angle th from e1 it makes one of th - a or more, and
 *        (c - c(from)).n <= h(th) = integral over a from 0 to l of cos(max(th - a, 0))
 *     2. the ball holds what is below k (1 + cos th) along every such n
 *     3. th >= l: h = sin th - sin(th - l), and h / tan(l/2) = cos th + cos(th - l) <= cos th + 1
 *     4. th <= l: h = sin th + l - th, and tan(l/2)(1 + cos th) - h has the derivative
 *        sin th (tan(th/2) - tan(l/2)) <= 0 up to th = l, where it is 0 by 3; so it is >= 0
 *     5. a shorter part of the curve has a smaller k, and the ball holds that of a smaller k
 *
 * Bounds come from a Taylor model about the middle m, half an interval h to both sides. What it
 * says is taken as: the motion is within D = position_error + h velocity_error (rotation_error + h
 * spin_error) of a *smooth* curve, which has the pose and velocities V of the model at m, and a
 * second derivative of no more than A (acceleration, rotation_acceleration). Jumps of the velocity
 * and rounding are in D. Of the smooth curve |c' - V| <= |t - m| A; so l <= 2 h |V| + h^2 A,
 * |c'| >= |V| - h A = v, and the curvature is at most A/v^2. Its tangent at `from` is that of
 * another model, over a short interval of half length d from there on, with D2, A2, V2: the
 * difference of both smooth curves is no more than D + D2 and its second derivative no more than A
 * + A2, so by Taylor's formula from end to end of the short interval the derivatives at `from`
 * differ by no more than (D + D2)/d + (A + A2) d, and V2 is within A2 d of the second. All of that
 * is added to the radius. Beyond l = 2 r the ball is of no use: from 2.33 r on it is larger than
 * the one of radius l about the start.
 *
 * The paper hopes for less: that the ball over the chord as its diameter is enough. CHORD: so it
 * is, wherever no two derivatives make an obtuse angle. With x on the curve, p and q its ends,
 *
 *     (x - p).(q - x) = integral of c'(a).c'(b) over a before x and b after x >= 0
 *
 * which says that the angle at x is not acute, by Thales that x is in the ball. It is enough that
 * every derivative is within 45 degrees of V, |c' - V| <= |V|/sqrt 2. (With curvature bounded by
 * 1/r, the integral of cos(b - a) shows the same for every l <= r pi, which cannot be more: half a
 * circle.) Its radius is no more than l/2, and l A <= 2 v^2 implies h A <= 0.36 |V|: Proposition 2
 * never wins against it. The derivative of a rational Bézier curve with positive weights is a sum
 * of its legs with factors that are not negative, so for such a curve it is enough that all legs
 * are within 45 degrees of the chord.
 */

/** Sine of 45 degrees, or less; and its cosine, or more. */
static const double SINE_45 = 0.7071, COSINE_45 = 0.7072;
/** Longest arc for its curvature, l/r. */
static const double ARC_MOST = 2.0;
/** Tangents must be known to this angle. */
static const double TANGENT_MOST = 1e-3;

/** a + s b, and no less than the length of what is rounded off. */
static ov_affine stepped(const ov_metric *metric, const ov_affine *a, const ov_affine *b, double s,
                         double *rounding) {
    ov_affine sum = {{ov_vec3_add_scaled(a->linear.cx, b->linear.cx, s),
                      ov_vec3_add_scaled(a->linear.cy, b->linear.cy, s),
                      ov_vec3_add_scaled(a->linear.cz, b->linear.cz, s)},
                     ov_vec3_add_scaled(a->translation, b->translation, s)};
    // of components of both: lengths of columns are no less, their sum no less than |linear|
    double translation = ov_vec3_length(a->translation) + fabs(s) * ov_vec3_length(b->translation);
    double linear = ov_vec3_length(a->linear.cx) + ov_vec3_length(a->linear.cy) +
                    ov_vec3_length(a->linear.cz) +
                    fabs(s) * (ov_vec3_length(b->linear.cx) + ov_vec3_length(b->linear.cy) +
                               ov_vec3_length(b->linear.cz));
    *rounding = ovi_metric_length_upper(metric, 2.0 * DBL_EPSILON * translation,
                                        2.0 * DBL_EPSILON * linear);
    return sum;
}

/** What a metric makes of a Taylor model; see above. */
typedef struct pace {
    double half;        /**< h */
    double least, most; /**< bounds of |V| */
    double bending;     /**< A */
    double off;         /**< D */
} pace;

static pace pace_of(const ov_metric *metric, const ovi_taylor *c, double half) {
    ov_affine v = rate_of(c);
    double error, length = ovi_metric_length(metric, &v, &error);
    // the matrix that the model means is that of the quaternion; this one is a rounded one
    error += ovi_metric_length_upper(metric, 0.0, OVI_ROTATION_ROUNDING * ov_vec3_length(c->spin));
    return (pace){
        half, length - error, length + error,
        ovi_metric_length_upper(metric, c->acceleration, c->rotation_acceleration),
        ovi_metric_length_upper(metric, c->position_error + half * c->velocity_error,
                                c->rotation_error + OVI_ROTATION_ROUNDING + half * c->spin_error)};
}

/** Half length of an interval, made so much longer that rounding cannot have made it too short. */
static double half_of(double from, double middle, double to) {
    return fmax(to - middle, middle - from) * (1.0 + OVI_MOTION_MARGIN);
}

static pace pace_between(const ov_motion *motion, const ov_metric *metric, double from, double to) {
    double middle = from + 0.5 * (to - from), half = half_of(from, middle, to);
    ovi_taylor taylor;
    ovi_motion_taylor(motion, middle, half, &taylor);
    return pace_of(metric, &taylor, half);
}

/** Where a Taylor model says that a frame is at its middle. */
static ov_affine place_of(const ov_metric *metric, const ovi_taylor *c, double *error) {
    *error = ovi_metric_length_upper(metric, c->position_error,
                                     c->rotation_error + OVI_ROTATION_ROUNDING);
    return ov_affine_from_pose(c->pose);
}

/* ---- balls by arc and chord */

/** Half the length of the short interval at the beginning: where both errors of its tangent
 * balance. */
static double short_half(const pace *p) {
    double balanced = p->bending > 0.0 ? sqrt(p->off / p->bending) : p->half;
    return fmax(fmin(balanced, p->half / 16.0), p->half * 0x1p-40);
}

static ov_status ball_by_arc(const ov_motion *motion, const ov_metric *metric, double from,
                             double to, ov_displacement_ball *ball) {
    if (motion->kind->taylor == NULL) {
        return OV_ERROR_UNSUPPORTED;
    }
    const pace between = pace_between(motion, metric, from, to), *p = &between;
    double slowest = p->least - p->half * p->bending;
    if (!(slowest > 0.0)) {
        return OV_ERROR_UNSUPPORTED;
    }
    double length = p->half * (2.0 * p->most + p->half * p->bending);
    double angle = length * (p->bending / slowest) / slowest * (1.0 + OVI_MOTION_MARGIN);
    if (!(angle <= ARC_MOST)) {
        return OV_ERROR_UNSUPPORTED;
    }
    double middle = from + short_half(p), half = half_of(from, middle, middle);
    ovi_taylor first, start;
    ovi_motion_taylor(motion, middle, half, &first);
    pace at = pace_of(metric, &first, half);
    double lost =
        at.most - at.least + (p->off + at.off) / half + (p->bending + 2.0 * at.bending) * half;
    if (!(at.least > 0.0) || !(lost <= TANGENT_MOST * at.least)) {
        return OV_ERROR_UNSUPPORTED;
    }
    double half_angle = 0.5 * angle;
    double k = 0.5 * length * (half_angle > 0.0 ? tan(half_angle) / half_angle : 1.0);
    double error, rounding;
    ovi_motion_taylor(motion, from, 0.0, &start);
    ov_affine place = place_of(metric, &start, &error), tangent = rate_of(&first);
    ball->centre = stepped(metric, &place, &tangent, k / at.least, &rounding);
    // the smooth curve is off by `off` at its beginning, and again anywhere else
    double more = 2.0 * k * (lost / at.least) + 2.0 * p->off + error + rounding;
    ball->radius = (k + more) * (1.0 + OVI_MOTION_MARGIN);
    return OV_OK;
}

/** The ball over a chord, whose ends are off by no more than `error` together. */
static void ball_over(const ov_metric *metric, const ov_affine *p, const ov_affine *chord,
                      double error, ov_displacement_ball *ball) {
    double loss, rounding, length = ovi_metric_length(metric, chord, &loss);
    ball->centre = stepped(metric, p, chord, 0.5, &rounding);
    ball->radius = (0.5 * (length + loss) + error + rounding) * (1.0 + OVI_MOTION_MARGIN);
}

static bool ball_by_chord(const ov_motion *motion, const ov_metric *metric, double from, double to,
                          ov_displacement_ball *ball) {
    pace p = pace_between(motion, metric, from, to);
    if (!(p.half * p.bending <= SINE_45 * p.least)) {
        return false;
    }
    ovi_taylor start, end;
    ovi_motion_taylor(motion, from, 0.0, &start);
    ovi_motion_taylor(motion, to, 0.0, &end);
    double error_p, error_q, rounding;
    ov_affine first = place_of(metric, &start, &error_p), last = place_of(metric, &end, &error_q);
    ov_affine chord = stepped(metric, &last, &first, -1.0, &rounding);
    // the ends of the smooth curve are off, and the motion from the curve
    double error = error_p + error_q + rounding + 3.0 * p.off;
    ball_over(metric, &first, &chord, error, ball);
    return true;
}

/** Are all legs of a control polygon within 45 degrees of its chord? */
static bool is_straight(const ov_metric *metric, const ovi_piece *piece) {
    double points[OVI_PIECE_HULL][OVI_DISPLACEMENT], chord[OVI_DISPLACEMENT], off = 0.0;
    for (size_t i = 0; i < piece->count; i++) {
        off = fmax(off, ovi_metric_flatten(metric, &piece->offsets[i], points[i]));
    }
    off *= 2.0; // of a difference
    double square = 0.0;
    for (int c = 0; c < OVI_DISPLACEMENT; c++) {
        chord[c] = points[piece->count - 1][c] - points[0][c];
        square += chord[c] * chord[c];
    }
    double length = sqrt(square);
    bool straight = true;
    for (size_t i = 1; i < piece->count; i++) {
        double dot = 0.0, leg = 0.0;
        for (int c = 0; c < OVI_DISPLACEMENT; c++) {
            double d = points[i][c] - points[i - 1][c];
            dot += d * chord[c];
            leg += d * d;
        }
        leg = sqrt(leg);
        straight = straight && dot >= COSINE_45 * leg * length + 2.0 * off * (leg + length + off);
    }
    return straight;
}

/** For motions with pieces of their own: these are control polygons, in order, of rational curves
 *  with positive weights that are within the piece's errors of the motion. */
static bool ball_by_legs(const ov_metric *metric, const ovi_piece *piece,
                         ov_displacement_ball *ball) {
    if (piece->count < 2 || !is_straight(metric, piece)) {
        return false;
    }
    double rounding, placed;
    const ov_affine *first = &piece->offsets[0], *last = &piece->offsets[piece->count - 1];
    ov_affine chord = stepped(metric, last, first, -1.0, &rounding);
    ov_affine from = stepped(metric, &piece->centre, first, 1.0, &placed);
    double error = ovi_metric_length_upper(metric, piece->translation_error, piece->linear_error) +
                   rounding + placed;
    ball_over(metric, &from, &chord, error, ball);
    return true;
}

/* ---- the choice */

ov_status ov_motion_ball(const ov_motion *motion, const ov_metric *metric, double from, double to,
                         ov_ball_method method, ov_displacement_ball *ball) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_motion_ball(motion, metric, from, to, method, ball));
    if (motion == NULL || metric == NULL || ball == NULL) {
        return OV_ERROR_NULL;
    }
    if ((int)method < 0 || method >= OV_BALL_METHOD_COUNT) {
        return OV_ERROR_OPTION;
    }
    ov_status status = ovi_metric_check(metric);
    if (status != OV_OK) {
        return status;
    }
    if (!(from >= motion->start && from <= to && to <= motion->end)) {
        return OV_ERROR_TIME;
    }
    if (method == OV_BALL_METHOD_ARC) {
        return ball_by_arc(motion, metric, from, to, ball);
    }
    ovi_piece piece;
    ovi_motion_piece(motion, from, to, &piece);
    *ball = (ov_displacement_ball){piece.centre, ovi_piece_radius(&piece, metric)};
    if (method == OV_BALL_METHOD_HULL) {
        return OV_OK;
    }
    // wherever there is a ball by arc there is one over the chord, and it is smaller
    ov_displacement_ball other;
    bool over = motion->kind->piece != NULL && ball_by_legs(metric, &piece, &other);
    if (!over && motion->kind->taylor != NULL) {
        over = ball_by_chord(motion, metric, from, to, &other);
    }
    if (over && other.radius < ball->radius) {
        *ball = other;
    }
    return OV_OK;
}
