/**
 * @file pong.c
 * @brief Duper Bowl Pong [Thesis, Appendix B]: the whole game but for its picture and sound.
 *
 * A superelliptical ball, two paddles that move along a line and turn, two walls, two goal lines.
 * Deterministic: the same seed, settings and inputs give the same game, bit by bit.
 *
 * Nothing passes anything, whatever the speed. Within a step everything moves at constant speed, so
 * each pair is two rigid motions, and ov_sweep_pair_first proves up to when it is free. The game
 * advances to that time and no further; there the ball bounces, and the rest of the step is swept
 * again. A proof keeps a clearance: half of what the pair has at the start, at most CLEARANCE, so
 * that a ball that has just bounced can be shown to leave. Where a step has too many bounces (a
 * ball squeezed between a paddle and a wall), everything rests until the next step, which is free
 * of contact without a proof. The ball changes its shape between steps, and only where the new
 * shape is proven to be clear of everything.
 *
 * Bodies are solids of height, but move in the plane z = 0 of their symmetry: so do the normals.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>

#include "export.h"

static const double FIELD_X = 16.0, FIELD_Y = 9.0; // goal lines and walls, from the centre
static const double PADDLE_X = 13.6, PADDLE_REACH = 7.6;
static const double PADDLE_A1 = 0.34, PADDLE_A2 = 1.9, PADDLE_A3 = 0.7, PADDLE_E = 0.35;
static const double BALL_SIZE = 0.72;
static const double CLEARANCE = 1e-3;    // of a proof, at most
static const double GRIP_GAP = 1e-6;     // a paddle closer than this does not move towards the ball
static const double PART_SPEED = 0.5;    // least speed at which a bounce separates
static const double TURN_PER_STEP = 1.0; // rad; slerp takes the shortest way below pi
static const double FRICTION = 0.2;

enum { BOUNCES_MAX = 12, TRACE_ROW = 15, PLAYERS = 2 };

/** What the ball can meet. */
enum { PADDLE_LEFT, PADDLE_RIGHT, WALL_LOW, WALL_HIGH, GOAL_LEFT, GOAL_RIGHT, OBSTACLES };

/** Where the page finds what; core/pong.ts has the same list. */
enum {
    OUT_BALL_X,
    OUT_BALL_Y,
    OUT_BALL_ANGLE,
    OUT_BALL_VX,
    OUT_BALL_VY,
    OUT_BALL_SPIN,
    OUT_BALL_A1,
    OUT_BALL_A2,
    OUT_BALL_A3,
    OUT_BALL_E1,
    OUT_BALL_E2,
    OUT_PADDLES, // y, angle, speed, turning speed of each
    OUT_SCORE = OUT_PADDLES + 4 * PLAYERS,
    OUT_HITS = OUT_SCORE + PLAYERS,
    OUT_PAUSE,     // seconds until the serve
    OUT_EVENTS,    // bits: what the ball met in the last step, by obstacle
    OUT_IMPACT,    // largest speed of a bounce in the last step
    OUT_RALLIES,   // that have ended
    OUT_RESTS,     // steps that ended at rest, since the start
    OUT_SERVES_TO, // -1: left, 1: right
    OUT_COUNT
};

typedef struct paddle {
    double y, angle; // now
    double vy, w;    // during the step
    double to_y, to_angle;
    int level;                            // of the computer: 1 to 3; 0: a person
    bool automatic;                       // turns by itself
    double plan_y, plan_angle, plan_left; // of the computer, and seconds until it looks again
} paddle;

typedef struct settings {
    double speed, speed_max, growth; // of the ball: at the serve, at most, per hit
    double paddle_speed, paddle_turn;
    double pause; // before a serve, s
    double morph; // of the ball's shape, 1/s
} settings;

typedef struct pong {
    settings set;
    uint64_t random;
    struct {
        double x, y, angle, vx, vy, w;
        double stretch, e1, e2;          // now
        double to_stretch, to_e1, to_e2; // where the shape goes
        ov_shape shape;
        double mass, inertia;
    } ball;
    paddle paddles[PLAYERS];
    ov_shape paddle_shape, halfspaces[4];
    double pause;
    double spin_max; // of the ball in this step: see TURN_PER_STEP
    int score[PLAYERS], hits, serves_to;
    unsigned events;
    double impact;
    double rallies, rests;
    double out[OUT_COUNT];
    double trace[BOUNCES_MAX + 1][TRACE_ROW];
    int trace_count;
} pong;

/* ---- chance -----------------------------------------------------------------------------------
 */

/** splitmix64: from 0 to 1, without 1. */
static double chance(pong *p) {
    uint64_t z = (p->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static double between(pong *p, double low, double high) { return low + (high - low) * chance(p); }

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double towards(double x, double goal, double most) {
    return x + clamp(goal - x, -most, most);
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

static ov_pose pose_at(double x, double y, double angle) {
    ov_pose pose = ov_pose_identity();
    pose.position = ov_vec3_make(x, y, 0.0);
    pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), angle);
    return pose;
}

static bool make_ball_shape(double stretch, double e1, double e2, ov_shape *shape) {
    ov_vec3 a = ov_vec3_make(BALL_SIZE * stretch, BALL_SIZE / stretch, 0.8 * BALL_SIZE);
    return ov_shape_make_superellipsoid(a, e1, e2, shape) == OV_OK;
}

static double paddle_x(int k) { return k == 0 ? -PADDLE_X : PADDLE_X; }

static const ov_shape *obstacle_shape(const pong *p, int k) {
    return k <= PADDLE_RIGHT ? &p->paddle_shape : &p->halfspaces[k - WALL_LOW];
}

static ov_pose obstacle_pose(const pong *p, int k) {
    if (k > PADDLE_RIGHT) {
        return ov_pose_identity();
    }
    return pose_at(paddle_x(k), p->paddles[k].y, p->paddles[k].angle);
}

/**
 * Could the ball come within CLEARANCE of an obstacle in `time`? By the balls around both, and how
 * far they go; false is certain.
 */
static bool is_near(const pong *p, int k, double time) {
    double r = BALL_SIZE * 2.3; // the longest half diagonal: stretch up to 1.6, sqrt(2) of a box
    double reach = r + 2.0 * CLEARANCE;
    double dx = fabs(p->ball.vx) * time, dy = fabs(p->ball.vy) * time;
    switch (k) {
    case WALL_LOW:
        return p->ball.y - dy - reach < -FIELD_Y;
    case WALL_HIGH:
        return p->ball.y + dy + reach > FIELD_Y;
    case GOAL_LEFT:
        return p->ball.x - dx - reach < -FIELD_X;
    case GOAL_RIGHT:
        return p->ball.x + dx + reach > FIELD_X;
    default:
        return fabs(p->ball.x - paddle_x(k)) < dx + reach + PADDLE_A2 + PADDLE_A1;
    }
}

/** Proven lower bound of the gap of a ball of some shape to an obstacle, where both are now. */
static double gap_to(const pong *p, const ov_shape *ball, int k) {
    ov_contact contact;
    ov_status status =
        ov_pair_contact(ball, pose_at(p->ball.x, p->ball.y, p->ball.angle), obstacle_shape(p, k),
                        obstacle_pose(p, k), NULL, NULL, &contact);
    return status < 0 ? -1.0 : contact.gap_lower;
}

/** The next shape of the ball, unless it is not proven to be clear. */
static void morph(pong *p, double dt) {
    double most = p->set.morph * dt;
    double stretch = towards(p->ball.stretch, p->ball.to_stretch, most);
    double e1 = towards(p->ball.e1, p->ball.to_e1, most);
    double e2 = towards(p->ball.e2, p->ball.to_e2, most);
    if (stretch == p->ball.stretch && e1 == p->ball.e1 && e2 == p->ball.e2) {
        return;
    }
    ov_shape shape;
    if (!make_ball_shape(stretch, e1, e2, &shape)) {
        return;
    }
    for (int k = 0; k < OBSTACLES; k++) {
        if (is_near(p, k, 0.0) && !(gap_to(p, &shape, k) > CLEARANCE)) {
            return;
        }
    }
    p->ball.shape = shape;
    p->ball.stretch = stretch;
    p->ball.e1 = e1;
    p->ball.e2 = e2;
    p->ball.inertia = 0.25 * p->ball.mass * BALL_SIZE * BALL_SIZE *
                      (stretch * stretch + 1.0 / (stretch * stretch));
}

static void choose_shape(pong *p) {
    // the longer the rally, the further from round
    double far = clamp(0.25 + 0.08 * p->hits, 0.25, 1.0);
    p->ball.to_stretch = exp(between(p, -0.42, 0.42) * far);
    p->ball.to_e1 = clamp(1.0 + between(p, -0.8, 0.8) * far, 0.2, 1.8);
    p->ball.to_e2 = clamp(1.0 + between(p, -0.7, 0.5) * far, 0.3, 1.5);
}

/* ---- a step -----------------------------------------------------------------------------------
 */

typedef struct meeting {
    int obstacle; // -1: none
    double time;  // proven free up to here
    ov_contact contact;
} meeting;

/** Motion at constant speed, as the sweep and `advance` have it alike. */
static ov_motion *line_motion(double x, double y, double angle, double vx, double vy, double w,
                              double time) {
    ov_pose poses[2] = {pose_at(x, y, angle),
                        pose_at(x + vx * time, y + vy * time, angle + w * time)};
    double times[2] = {0.0, time};
    ov_motion *motion = NULL;
    if (ov_motion_create_keys(poses, times, 2, OV_SPLINE_LINEAR, NULL, &motion) != OV_OK) {
        return NULL;
    }
    return motion;
}

/** When the ball meets obstacle k within `time`: in `found` if that is before what is there. A
 * sweep that gives no answer counts as a meeting at once: then nothing moves. */
static void sweep_obstacle(const pong *p, int k, const ov_motion *ball, double time,
                           meeting *found) {
    double gap = gap_to(p, &p->ball.shape, k);
    ov_sweep_pair pair = {.a = &p->ball.shape, .b = obstacle_shape(p, k), .motion_a = ball};
    ov_motion *other = NULL;
    if (k <= PADDLE_RIGHT) {
        const paddle *q = &p->paddles[k];
        other = line_motion(paddle_x(k), q->y, q->angle, 0.0, q->vy, q->w, time);
        pair.motion_b = other;
    }
    ov_sweep_options options = ov_default_sweep_options();
    options.clearance = fmin(CLEARANCE, 0.5 * gap);
    options.epsilon = 0.05 * options.clearance;
    ov_first_contact first = {.answer = OV_SWEEP_ANSWER_UNDECIDED};
    ov_status status = OV_ERROR_NULL;
    if (gap > 0.0 && (k > PADDLE_RIGHT || other)) {
        status = ov_sweep_pair_first(&pair, 0.0, time, &options, &first);
    }
    ov_motion_destroy(other);
    if (status >= 0 && first.answer == OV_SWEEP_ANSWER_FREE) {
        return;
    }
    double free_until = status >= 0 ? clamp(first.lower, 0.0, time) : 0.0;
    if (found->obstacle < 0 || free_until < found->time) {
        found->obstacle = k;
        found->time = free_until;
    }
}

static meeting first_meeting(const pong *p, double time) {
    meeting found = {.obstacle = -1, .time = time};
    ov_motion *ball =
        line_motion(p->ball.x, p->ball.y, p->ball.angle, p->ball.vx, p->ball.vy, p->ball.w, time);
    for (int k = 0; k < OBSTACLES; k++) {
        if (!is_near(p, k, time)) {
            continue;
        }
        if (!ball) {
            found = (meeting){.obstacle = k, .time = 0.0};
            break;
        }
        sweep_obstacle(p, k, ball, time, &found);
    }
    ov_motion_destroy(ball);
    return found;
}

static void write_trace_half(const pong *p, double *row) {
    const double now[7] = {p->ball.x,          p->ball.y,           p->ball.angle,
                           p->paddles[0].y,    p->paddles[0].angle, p->paddles[1].y,
                           p->paddles[1].angle};
    memcpy(row, now, sizeof now);
}

/** Everything moves for `time`; the way is kept for who wants to check it. */
static void advance(pong *p, double time) {
    double *row = p->trace[p->trace_count++];
    row[0] = time;
    write_trace_half(p, row + 1);
    p->ball.x += p->ball.vx * time;
    p->ball.y += p->ball.vy * time;
    p->ball.angle += p->ball.w * time;
    for (int k = 0; k < PLAYERS; k++) {
        p->paddles[k].y += p->paddles[k].vy * time;
        p->paddles[k].angle += p->paddles[k].w * time;
    }
    write_trace_half(p, row + 8);
}

/** Gives the ball an impulse at `r` from its centre. */
static void push_ball(pong *p, ov_vec3 r, ov_vec3 impulse) {
    p->ball.vx += impulse.x / p->ball.mass;
    p->ball.vy += impulse.y / p->ball.mass;
    p->ball.w += (r.x * impulse.y - r.y * impulse.x) / p->ball.inertia;
}

/** Velocity of the ball's point at r against that of the obstacle there. */
static ov_vec3 slip_at(const pong *p, ov_vec3 r, ov_vec3 other) {
    return ov_vec3_make(p->ball.vx - p->ball.w * r.y - other.x,
                        p->ball.vy + p->ball.w * r.x - other.y, 0.0);
}

static double give_along(const pong *p, ov_vec3 r, ov_vec3 d) {
    double arm = r.x * d.y - r.y * d.x;
    return 1.0 / p->ball.mass + arm * arm / p->ball.inertia;
}

/** Elastic bounce with some friction, off something that the ball does not move. */
static void bounce(pong *p, int k) {
    ov_contact contact;
    ov_pose other = obstacle_pose(p, k);
    if (ov_pair_contact(&p->ball.shape, pose_at(p->ball.x, p->ball.y, p->ball.angle),
                        obstacle_shape(p, k), other, NULL, NULL, &contact) < 0) {
        return;
    }
    ov_vec3 n = ov_vec3_normalize(ov_vec3_make(contact.normal.x, contact.normal.y, 0.0));
    ov_vec3 t = ov_vec3_make(-n.y, n.x, 0.0);
    ov_vec3 r = ov_vec3_make(contact.point_a.x - p->ball.x, contact.point_a.y - p->ball.y, 0.0);
    ov_vec3 v = ov_vec3_make(0.0, 0.0, 0.0);
    if (k <= PADDLE_RIGHT) {
        ov_vec3 arm = ov_vec3_sub(contact.point_b, other.position);
        v = ov_vec3_make(-p->paddles[k].w * arm.y, p->paddles[k].vy + p->paddles[k].w * arm.x, 0.0);
    }
    double approach = ov_vec3_dot(slip_at(p, r, v), n);
    p->impact = fmax(p->impact, approach);
    double wanted = -fmax(approach, PART_SPEED);
    double j = (approach - wanted) / give_along(p, r, n);
    push_ball(p, r, ov_vec3_scale(n, -j));
    double along = ov_vec3_dot(slip_at(p, r, v), t);
    double jt = clamp(-along / give_along(p, r, t), -FRICTION * j, FRICTION * j);
    push_ball(p, r, ov_vec3_scale(t, jt));
    // friction and the limit of the spin change the speed along the normal: they must part
    p->ball.w = clamp(p->ball.w, -p->spin_max, p->spin_max);
    double left = ov_vec3_dot(slip_at(p, r, v), n);
    if (left > -PART_SPEED) {
        p->ball.vx -= (left + PART_SPEED) * n.x;
        p->ball.vy -= (left + PART_SPEED) * n.y;
    }
}

static void count_hit(pong *p, int k) {
    if (k <= PADDLE_RIGHT && !(p->events & (1u << k))) {
        p->hits++;
        choose_shape(p);
    }
    p->events |= 1u << k;
}

static void serve(pong *p) {
    double angle = between(p, -0.6, 0.6);
    p->ball.x = p->ball.y = p->ball.angle = 0.0;
    p->ball.w = between(p, -2.0, 2.0);
    p->ball.vx = p->serves_to * p->set.speed * cos(angle);
    p->ball.vy = p->set.speed * sin(angle);
    p->hits = 0;
    p->pause = p->set.pause;
    p->paddles[0].plan_left = p->paddles[1].plan_left = 0.0;
    choose_shape(p);
}

static void end_rally(pong *p, int goal) {
    int winner = goal == GOAL_LEFT ? 1 : 0;
    p->score[winner]++;
    p->rallies += 1.0;
    p->serves_to = winner == 0 ? 1 : -1;
    serve(p);
}

/** Moves through a step: to each meeting, bounce, on. */
static void move_through(pong *p, double dt) {
    double left = dt;
    for (int n = 0; n < BOUNCES_MAX && left > 1e-9 * dt; n++) {
        meeting found = first_meeting(p, left);
        advance(p, found.time);
        left -= found.time;
        if (found.obstacle < 0) {
            return;
        }
        count_hit(p, found.obstacle);
        if (found.obstacle >= GOAL_LEFT) {
            end_rally(p, found.obstacle);
            return;
        }
        bounce(p, found.obstacle);
    }
    if (left > 1e-9 * dt) {
        p->rests += 1.0;
    }
}

/** Between steps the ball is led back to the game's speed, spin, and a way across the field. */
static void regulate(pong *p, double dt) {
    double speed = hypot(p->ball.vx, p->ball.vy);
    double goal = fmin(p->set.speed * pow(p->set.growth, p->hits), p->set.speed_max);
    double rate = fmin(1.0, 6.0 * dt);
    double angle = speed > 0.0 ? atan2(p->ball.vy, fabs(p->ball.vx)) : 0.0;
    double side = p->ball.vx < 0.0 ? -1.0 : 1.0;
    speed += (goal - speed) * rate;
    speed = fmin(speed, 2.0 * p->set.speed_max);
    angle += (clamp(angle, -1.0, 1.0) - angle) * rate;
    p->ball.vx = side * speed * cos(angle);
    p->ball.vy = speed * sin(angle);
    p->spin_max = TURN_PER_STEP / dt;
    p->ball.w += (clamp(p->ball.w, -3.0, 3.0) - p->ball.w) * fmin(1.0, 4.0 * dt);
    p->ball.w = clamp(p->ball.w, -p->spin_max, p->spin_max);
}

/* ---- players ----------------------------------------------------------------------------------
 */

/** Where the ball will be at a paddle, by straight ways and mirrors: the players' view, no proof.
 */
static double foresee(const pong *p, int k, bool mirrors) {
    double side = paddle_x(k);
    if (p->ball.vx * side <= 0.0) {
        return 0.0;
    }
    double face = side - copysign(PADDLE_A1 + BALL_SIZE, side);
    double time = fmax(0.0, (face - p->ball.x) / p->ball.vx);
    double y = p->ball.y + p->ball.vy * time;
    if (!mirrors) {
        return clamp(y, -FIELD_Y, FIELD_Y);
    }
    double span = 2.0 * (FIELD_Y - BALL_SIZE);
    double folded = fmod(y + 0.5 * span, 2.0 * span);
    if (folded < 0.0) {
        folded += 2.0 * span;
    }
    return (folded <= span ? folded : 2.0 * span - folded) - 0.5 * span;
}

/** Angle at which a paddle sends the ball that comes towards `aim_y` on the other side. */
static double angle_for(const pong *p, int k, double aim_y) {
    double side = k == 0 ? 1.0 : -1.0; // the way the ball is to leave
    double in = atan2(p->ball.vy, fmax(fabs(p->ball.vx), 1e-9));
    double out = atan2(aim_y - p->paddles[k].y, 2.0 * PADDLE_X);
    // the normal is half way between where the ball goes and where it came from
    return side * 0.5 * (out - in);
}

static void plan_computer(pong *p, int k, double dt) {
    static const struct {
        double look, error, speed, tilt;
        bool mirrors;
    } skills[3] = {
        {0.36, 2.6, 7.0, 0.0, false}, {0.24, 2.0, 10.5, 0.35, true}, {0.12, 1.25, 15.0, 0.8, true}};
    paddle *q = &p->paddles[k];
    int level = q->level < 1 ? 1 : q->level > 3 ? 3 : q->level;
    q->plan_left -= dt;
    if (q->plan_left <= 0.0) {
        q->plan_left = skills[level - 1].look * between(p, 0.7, 1.3);
        double error = skills[level - 1].error;
        q->plan_y = foresee(p, k, skills[level - 1].mirrors) + between(p, -error, error);
        double aim = p->paddles[1 - k].y > 0.0 ? -5.5 : 5.5;
        bool comes = p->ball.vx * paddle_x(k) > 0.0;
        q->plan_angle = comes ? skills[level - 1].tilt * angle_for(p, k, aim) : 0.0;
    }
    double most = skills[level - 1].speed * dt;
    q->to_y = towards(q->y, q->plan_y, most);
    q->to_angle = towards(q->angle, clamp(q->plan_angle, -0.7, 0.7), 4.0 * dt);
}

static void plan_paddle(pong *p, int k, double dt) {
    paddle *q = &p->paddles[k];
    if (q->level > 0) {
        plan_computer(p, k, dt);
    } else if (q->automatic) {
        double comes = p->ball.vx * paddle_x(k);
        q->to_angle = comes > 0.0 ? clamp(angle_for(p, k, 0.0), -0.7, 0.7) : 0.0;
    }
    double speed = p->set.paddle_speed, turn = fmin(p->set.paddle_turn, TURN_PER_STEP / dt);
    q->vy = clamp((clamp(q->to_y, -PADDLE_REACH, PADDLE_REACH) - q->y) / dt, -speed, speed);
    q->w = clamp((q->to_angle - q->angle) / dt, -turn, turn);
    // a ball that is held between this paddle and a wall is let go
    if ((q->vy != 0.0 || q->w != 0.0) && is_near(p, k, 0.0) &&
        !(gap_to(p, &p->ball.shape, k) > GRIP_GAP)) {
        q->vy = q->w = 0.0;
    }
}

/* ---- what the page calls ----------------------------------------------------------------------
 */

STUDIO_EXPORT(pong_create) pong *pong_create(double seed) {
    pong *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->set = (settings){12.0, 42.0, 1.045, 40.0, 9.0, 0.9, 0.35};
    p->random = isfinite(seed) && fabs(seed) < 9e15 ? (uint64_t)(int64_t)seed : 1;
    p->ball.stretch = p->ball.e1 = p->ball.e2 = 1.0;
    p->ball.mass = 1.0;
    p->ball.inertia = 0.5 * BALL_SIZE * BALL_SIZE;
    p->serves_to = chance(p) < 0.5 ? -1 : 1;
    bool made = make_ball_shape(1.0, 1.0, 1.0, &p->ball.shape);
    made = made && ov_shape_make_superellipsoid(ov_vec3_make(PADDLE_A1, PADDLE_A2, PADDLE_A3),
                                                PADDLE_E, PADDLE_E, &p->paddle_shape) == OV_OK;
    const ov_vec3 outward[4] = {{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    for (int k = 0; k < 4 && made; k++) {
        double far = k < 2 ? FIELD_Y : FIELD_X;
        made = ov_shape_make_halfspace(ov_vec3_neg(outward[k]), -far, &p->halfspaces[k]) == OV_OK;
    }
    if (!made) {
        free(p);
        return NULL;
    }
    serve(p);
    return p;
}

STUDIO_EXPORT(pong_destroy) void pong_destroy(pong *p) { free(p); }

/** Settings of zero or below, and such that are not numbers, stay as they are. */
STUDIO_EXPORT(pong_set)
void pong_set(pong *p, double speed, double speed_max, double growth, double paddle_speed,
              double paddle_turn, double pause, double morph_rate) {
    const double given[7] = {speed,       speed_max, growth,    paddle_speed,
                             paddle_turn, pause,     morph_rate};
    double *fields[7] = {&p->set.speed,        &p->set.speed_max,   &p->set.growth,
                         &p->set.paddle_speed, &p->set.paddle_turn, &p->set.pause,
                         &p->set.morph};
    for (int i = 0; i < 7; i++) {
        if (given[i] > 0.0 && given[i] < 1e5) {
            *fields[i] = given[i];
        }
    }
}

/** Who holds a paddle: level 0 a person, 1 to 3 the computer; automatic: it turns by itself. */
STUDIO_EXPORT(pong_player) void pong_player(pong *p, int k, int level, int automatic) {
    if (k >= 0 && k < PLAYERS) {
        p->paddles[k].level = level;
        p->paddles[k].automatic = automatic != 0;
    }
}

/** Where a person wants a paddle to be. */
STUDIO_EXPORT(pong_lead) void pong_lead(pong *p, int k, double y, double angle) {
    if (k >= 0 && k < PLAYERS && isfinite(y) && isfinite(angle) && fabs(angle) < 1e6) {
        p->paddles[k].to_y = clamp(y, -PADDLE_REACH, PADDLE_REACH);
        p->paddles[k].to_angle = angle;
    }
}

/** Starts the match again, nil to nil, without a new seed. */
STUDIO_EXPORT(pong_restart) void pong_restart(pong *p) {
    p->score[0] = p->score[1] = 0;
    serve(p);
}

/** A ball at rest between steps, and a serve by who waited: for rallies that go on for ever. */
STUDIO_EXPORT(pong_let) void pong_let(pong *p) {
    p->rallies += 1.0;
    p->serves_to = -p->serves_to;
    serve(p);
}

STUDIO_EXPORT(pong_state) const double *pong_state(pong *p) {
    double *o = p->out;
    o[OUT_BALL_X] = p->ball.x;
    o[OUT_BALL_Y] = p->ball.y;
    o[OUT_BALL_ANGLE] = p->ball.angle;
    o[OUT_BALL_VX] = p->ball.vx;
    o[OUT_BALL_VY] = p->ball.vy;
    o[OUT_BALL_SPIN] = p->ball.w;
    o[OUT_BALL_A1] = p->ball.shape.a.x;
    o[OUT_BALL_A2] = p->ball.shape.a.y;
    o[OUT_BALL_A3] = p->ball.shape.a.z;
    o[OUT_BALL_E1] = p->ball.e1;
    o[OUT_BALL_E2] = p->ball.e2;
    for (int k = 0; k < PLAYERS; k++) {
        const paddle *q = &p->paddles[k];
        const double row[4] = {q->y, q->angle, q->vy, q->w};
        memcpy(o + OUT_PADDLES + 4 * k, row, sizeof row);
        o[OUT_SCORE + k] = p->score[k];
    }
    o[OUT_HITS] = p->hits;
    o[OUT_PAUSE] = p->pause;
    o[OUT_EVENTS] = p->events;
    o[OUT_IMPACT] = p->impact;
    o[OUT_RALLIES] = p->rallies;
    o[OUT_RESTS] = p->rests;
    o[OUT_SERVES_TO] = p->serves_to;
    return o;
}

/** One step of `dt` seconds, up to 0.1. */
STUDIO_EXPORT(pong_step) void pong_step(pong *p, double dt) {
    p->events = 0;
    p->impact = 0.0;
    p->trace_count = 0;
    if (!(dt > 0.0 && dt <= 0.1)) {
        return;
    }
    plan_paddle(p, 0, dt);
    plan_paddle(p, 1, dt);
    if (p->pause > 0.0) { // paddles take their places, far from the ball
        p->pause -= dt;
        double vx = p->ball.vx, vy = p->ball.vy, w = p->ball.w;
        p->ball.vx = p->ball.vy = p->ball.w = 0.0;
        morph(p, dt);
        advance(p, dt);
        p->ball.vx = vx;
        p->ball.vy = vy;
        p->ball.w = w;
        return;
    }
    morph(p, dt);
    regulate(p, dt);
    move_through(p, dt);
}

/** Rows of the last step: time, then ball x, y, angle and both paddles' y, angle at the start and
 * at the end of a piece; everything moves at constant speed in between. */
STUDIO_EXPORT(pong_trace) const double *pong_trace(pong *p) { return &p->trace[0][0]; }
STUDIO_EXPORT(pong_trace_count) int pong_trace_count(const pong *p) { return p->trace_count; }
