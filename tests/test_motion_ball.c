/**
 * @file test_motion_ball.c
 * @brief Balls of displacements about pieces of motions hold what dense samples find, by all
 * methods and for all kinds of motions, and are not much larger than need be.
 *
 * The samples are the oracle. Beside the real motions there is one of this file's own, along arcs
 * of circles and straight lines that follow each other smoothly: the curves that are as bent as
 * their bounds allow, and for which the balls by arc and chord have the least to spare.
 */
#include "check.h"

#include "motion/metric.h"

enum { SAMPLES = 48, ARCS = 4, METHODS = 3 };

/* ---- a motion along arcs */

typedef struct winding {
    ov_motion head;
    double speed;
    double begins[ARCS + 1];         /**< arc lengths */
    ov_vec3 from[ARCS], along[ARCS]; /**< where an arc begins, and its tangent there */
    ov_vec3 across[ARCS];            /**< unit, to its centre */
    double curvatures[ARCS];
} winding;

static size_t arc_at(const winding *w, double length) {
    size_t i = 0;
    while (i + 1 < ARCS && length >= w->begins[i + 1]) {
        i++;
    }
    return i;
}

static ov_vec3 winding_point(const winding *w, double length, ov_vec3 *tangent) {
    size_t i = arc_at(w, length);
    double a = length - w->begins[i], k = w->curvatures[i];
    double sine = k > 0.0 ? sin(a * k) / k : a;
    double rest = k > 0.0 ? 2.0 * sin(0.5 * a * k) * sin(0.5 * a * k) / k : 0.0;
    *tangent = ov_vec3_add_scaled(ov_vec3_scale(w->along[i], cos(a * k)), w->across[i], sin(a * k));
    return ov_vec3_add_scaled(ov_vec3_add_scaled(w->from[i], w->along[i], sine), w->across[i],
                              rest);
}

static void winding_at(const ov_motion *motion, double time, ov_affine *displacement) {
    const winding *w = (const winding *)motion;
    ov_vec3 tangent;
    *displacement = ov_affine_from_pose(ov_pose_identity());
    displacement->translation = winding_point(w, (time - motion->start) * w->speed, &tangent);
}

static void winding_taylor(const ov_motion *motion, double middle, double radius,
                           ovi_taylor *taylor) {
    const winding *w = (const winding *)motion;
    double first = (middle - radius - motion->start) * w->speed, bend = 0.0;
    double last = (middle + radius - motion->start) * w->speed;
    for (size_t i = arc_at(w, first); i <= arc_at(w, last); i++) {
        bend = fmax(bend, w->curvatures[i]);
    }
    *taylor = ovi_taylor_at_rest(ov_pose_identity());
    taylor->pose.position =
        winding_point(w, (middle - motion->start) * w->speed, &taylor->velocity);
    taylor->velocity = ov_vec3_scale(taylor->velocity, w->speed);
    taylor->position_error = 1e-14;
    taylor->acceleration = w->speed * w->speed * bend * (1.0 + 1e-13);
}

static const ovi_motion_kind winding_kind = {.at = winding_at, .taylor = winding_taylor};

/** Arcs of curvature no more than 1, or as much as that; lengths of `length` together. */
static ov_motion *make_winding(check_random *r, double length) {
    ov_status status;
    winding *w = ovi_motion_new(&winding_kind, sizeof *w, 1.0, 3.0, NULL, &status);
    CHECK_OK(status);
    w->speed = 0.5 * length;
    ov_vec3 at = ov_vec3_make(1.0, -2.0, 0.5), tangent = check_unit_vector(r);
    bool planar = check_random_bits(r) % 2 == 0;
    for (size_t i = 0; i < ARCS; i++) {
        w->from[i] = at;
        w->along[i] = tangent;
        ov_mat3 frame = ov_mat3_householder(tangent);
        double turn = planar ? 0.0 : check_uniform(r, -M_PI, M_PI);
        w->across[i] = ov_vec3_add_scaled(ov_vec3_scale(frame.cy, cos(turn)), frame.cz, sin(turn));
        w->curvatures[i] = (double)(check_random_bits(r) % 3) * 0.5;
        w->begins[i + 1] =
            i + 1 == ARCS ? length : length * check_uniform(r, 0.0, 1.0) * 0.3 + w->begins[i];
        double a = w->begins[i + 1] - w->begins[i], k = w->curvatures[i];
        at = ov_vec3_add_scaled(w->from[i], w->along[i], k > 0.0 ? sin(a * k) / k : a);
        at = ov_vec3_add_scaled(at, w->across[i], k > 0.0 ? (1.0 - cos(a * k)) / k : 0.0);
        tangent =
            ov_vec3_add_scaled(ov_vec3_scale(w->along[i], cos(a * k)), w->across[i], sin(a * k));
        tangent = ov_vec3_normalize(tangent);
    }
    return &w->head;
}

/* ---- real motions */

static ov_vec3 random_vector(check_random *r, double size) {
    return ov_vec3_make(check_uniform(r, -size, size), check_uniform(r, -size, size),
                        check_uniform(r, -size, size));
}

static ov_pose random_pose(check_random *r) {
    return (ov_pose){random_vector(r, 2.0), check_rotation(r)};
}

typedef enum kind { WINDING, SCREW, KEYS_LINEAR, KEYS_CUBIC, RATIONAL, BEZIER, KINDS } kind;
static const char *const kind_names[KINDS] = {"arcs",       "screws",   "linear keys",
                                              "cubic keys", "rational", "affine Bezier"};

static const double key_times[5] = {1.0, 1.3, 2.0, 2.25, 3.0};

static ov_motion *random_motion(check_random *r, kind k) {
    ov_motion *motion = NULL;
    ov_pose poses[5];
    ov_vec3 positions[5];
    ov_affine controls[5];
    ov_quat rotations[4], base = check_rotation(r);
    double weights[5];
    for (int i = 0; i < 5; i++) {
        poses[i] = random_pose(r);
        positions[i] = random_vector(r, 2.0);
        controls[i] = ov_affine_from_pose(poses[i]);
        weights[i] = check_log_uniform(r, 0.3, 3.0);
    }
    for (int i = 0; i < 4; i++) {
        ov_quat by = ov_quat_from_axis_angle(check_unit_vector(r), check_uniform(r, -2.0, 2.0));
        rotations[i] = ov_quat_mul(by, base);
    }
    switch (k) {
    case WINDING:
        motion = make_winding(r, check_uniform(r, 0.1, 6.0));
        break;
    case SCREW:
        CHECK_OK(ov_motion_create_screw(poses[0], positions[0], check_unit_vector(r),
                                        check_uniform(r, -7.0, 7.0), check_uniform(r, -3.0, 3.0),
                                        1.0, 3.0, NULL, &motion));
        break;
    case KEYS_LINEAR:
    case KEYS_CUBIC:
        CHECK_OK(ov_motion_create_keys(poses, key_times, 5,
                                       k == KEYS_CUBIC ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL,
                                       &motion));
        break;
    case RATIONAL:
        CHECK_OK(ov_motion_create_rational(rotations, 4, positions, weights, 3, 1.0, 3.0, NULL,
                                           &motion));
        break;
    default:
        CHECK_OK(ov_motion_create_bezier(controls, weights, 5, 1.0, 3.0, NULL, &motion));
    }
    return motion;
}

static ov_metric random_metric(check_random *r) {
    ov_vec3 points[6], middle = random_vector(r, 1.0);
    ov_metric metric;
    double size = check_log_uniform(r, 0.1, 3.0);
    for (int i = 0; i < 6; i++) {
        points[i] = ov_vec3_add(middle, random_vector(r, size));
    }
    CHECK_OK(ov_metric_from_points(points, NULL, 6, &metric));
    return metric;
}

/** Whole, short, long; beginning or ending at keys and at the ends. */
static void random_interval(check_random *r, double *from, double *to) {
    double length = check_log_uniform(r, 1e-5, 2.0);
    *from = check_uniform(r, 1.0, 3.0 - length);
    *to = *from + length;
    switch (check_random_bits(r) % 6) {
    case 0:
        *from = 1.0;
        *to = 1.0 + length;
        break;
    case 1:
        *to = 3.0;
        *from = 3.0 - length;
        break;
    case 2: {
        size_t i = check_random_bits(r) % 4;
        *from = key_times[i];
        *to = fmin(key_times[i + 1], *from + length);
        break;
    }
    case 3: // a key just inside
        *from = key_times[1] - check_log_uniform(r, 1e-14, 1e-3) * length;
        *to = fmin(*from + length, 3.0);
        break;
    default:
        break;
    }
    *to = fmin(*to, 3.0);
}

/* ---- what must hold */

/** Sums over intervals: of radii over half the largest distance that was sampled. */
typedef struct tally {
    long intervals, given[METHODS];
    double ratios[METHODS];
    long all;     /**< intervals with a ball by every method: the ratios are of these */
    long smaller; /**< intervals for which the best is smaller than that by the hull */
    double gain;  /**< least radius of the best over that by the hull */
} tally;

static void check_interval(const ov_motion *motion, const ov_metric *metric, double from, double to,
                           tally *t, double *worst) {
    ov_displacement_ball balls[METHODS];
    ov_affine samples[SAMPLES];
    bool given[METHODS];
    for (int m = 0; m < METHODS; m++) {
        ov_status status = ov_motion_ball(motion, metric, from, to, (ov_ball_method)m, &balls[m]);
        given[m] = status == OV_OK;
        CHECK(given[m] || (m == OV_BALL_METHOD_ARC && status == OV_ERROR_UNSUPPORTED));
        t->given[m] += given[m];
    }
    double spread = 0.0, scale = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double time = i + 1 < SAMPLES ? from + (to - from) * i / (SAMPLES - 1) : to;
        CHECK_OK(ov_motion_at(motion, time, &samples[i]));
        for (int j = 0; j < i; j += 5) {
            spread = fmax(spread, ov_metric_distance(metric, &samples[i], &samples[j]));
        }
        scale = fmax(scale,
                     ovi_metric_length_upper(metric, ov_vec3_length(samples[i].translation), 1.0));
    }
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; given[m] && i < SAMPLES; i++) {
            // the samples are rounded too
            double distance = ov_metric_distance(metric, &balls[m].centre, &samples[i]);
            double over = (distance - balls[m].radius) / scale;
            CHECK(over <= 1e-14);
            worst[m] = fmax(worst[m], over);
        }
    }
    CHECK(balls[OV_BALL_METHOD_BEST].radius <= balls[OV_BALL_METHOD_HULL].radius);
    CHECK(!given[OV_BALL_METHOD_ARC] ||
          balls[OV_BALL_METHOD_BEST].radius <= balls[OV_BALL_METHOD_ARC].radius);
    t->intervals++;
    t->smaller += balls[OV_BALL_METHOD_BEST].radius < balls[OV_BALL_METHOD_HULL].radius;
    t->gain = fmin(t->gain, balls[OV_BALL_METHOD_BEST].radius / balls[OV_BALL_METHOD_HULL].radius);
    bool all = given[0] && given[1] && given[2];
    for (int m = 0; all && m < METHODS; m++) {
        t->ratios[m] += balls[m].radius / (0.5 * spread);
    }
    t->all += all;
}

static void test_samples_inside(void) {
    check_random r = check_random_make(6201);
    double worst[METHODS] = {-1.0, -1.0, -1.0};
    for (int k = 0; k < KINDS; k++) {
        tally t = {.gain = 1.0};
        for (int i = 0; i < 120; i++) {
            ov_motion *motion = random_motion(&r, (kind)k);
            ov_metric metric = random_metric(&r);
            for (int j = 0; j < 12; j++) {
                double from, to;
                random_interval(&r, &from, &to);
                check_interval(motion, &metric, from, to, &t, worst);
            }
            ov_motion_destroy(motion);
        }
        // an arc is short enough for its curvature often enough to be worth something
        CHECK(t.given[OV_BALL_METHOD_ARC] > t.intervals / 4 || k == BEZIER);
        printf("motion_ball: %s: ball by arc for %ld of %ld intervals", kind_names[k],
               t.given[OV_BALL_METHOD_ARC], t.intervals);
        if (t.all > 0) {
            double n = (double)t.all;
            printf("; mean radius over half the extent: hull %.3f, arc %.3f, best %.3f",
                   t.ratios[0] / n, t.ratios[1] / n, t.ratios[2] / n);
        }
        printf("; best below hull for %ld, at least %.3f of it\n", t.smaller, t.gain);
        CHECK(t.smaller > t.intervals / 10);
    }
    check_worst("samples outside of a ball by hull", worst[0], 1e-14);
    check_worst("samples outside of a ball by arc", worst[1], 1e-14);
    check_worst("samples outside of the best ball", worst[2], 1e-14);
}

/** A turn about a line: balls in closed form. */
static void test_turn(void) {
    ov_motion *motion;
    ov_pose first = ov_pose_identity();
    ov_shape shape;
    ov_metric metric;
    CHECK_OK(ov_shape_make_sphere(1.0, &shape));
    CHECK_OK(ov_metric_from_shape(&shape, &metric));
    // a circle: of the centre, with radius 2, and of the body about it, 2/5 across the axis
    double radius = sqrt(4.0 + 0.4), turn = 1.0;
    CHECK_OK(ov_motion_create_screw(first, ov_vec3_make(2.0, 0.0, 0.0), ov_vec3_make(0, 0, 3), turn,
                                    0.0, 0.0, 1.0, NULL, &motion));
    ov_displacement_ball ball;
    double worst = 0.0;
    for (double to = 1e-3; to <= 1.0; to *= 1.5) {
        double half = 0.5 * turn * to;
        CHECK_OK(ov_motion_ball(motion, &metric, 0.0, to, OV_BALL_METHOD_BEST, &ball));
        // over the chord of the circle
        worst = fmax(worst, fabs(ball.radius / (radius * sin(half)) - 1.0));
        CHECK_OK(ov_motion_ball(motion, &metric, 0.0, to, OV_BALL_METHOD_HULL, &ball));
        CHECK(ball.radius > 2.0 * radius * sin(0.5 * half));
        CHECK(ball.radius < radius * (half + half * half) * (1.0 + 1e-6));
    }
    CHECK(worst < 1e-9);
    check_worst("ball over the chord of a turn", worst, 1e-9);
    // r tan(l/2r), but for bounds that are no better than 1 + 5 half
    for (double to = 1e-4; to <= 0.01; to *= 3.0) {
        double half = 0.5 * turn * to, k = radius * tan(half);
        CHECK_OK(ov_motion_ball(motion, &metric, 0.2, 0.2 + to, OV_BALL_METHOD_ARC, &ball));
        CHECK(ball.radius > k && ball.radius < k * (1.0 + 5.0 * half));
    }
    ov_motion_destroy(motion);
    // half a turn is too much for an arc
    CHECK_OK(ov_motion_create_screw(first, ov_vec3_make(2.0, 0.0, 0.0), ov_vec3_make(0, 0, 3), M_PI,
                                    0.0, 0.0, 1.0, NULL, &motion));
    CHECK_STATUS(ov_motion_ball(motion, &metric, 0.0, 1.0, OV_BALL_METHOD_ARC, &ball),
                 OV_ERROR_UNSUPPORTED);
    CHECK_OK(ov_motion_ball(motion, &metric, 0.0, 1.0, OV_BALL_METHOD_BEST, &ball));
    CHECK(ball.radius >= radius);
    ov_motion_destroy(motion);
}

/** Control points in a row: the ball over the chord, though the motion has no taylor. */
static void test_straight_curve(void) {
    check_random r = check_random_make(6202);
    ov_metric metric = random_metric(&r);
    ov_affine controls[4];
    for (int i = 0; i < 4; i++) {
        controls[i] = ov_affine_from_pose(ov_pose_identity());
        controls[i].translation = ov_vec3_make(i * i, 2.0 * i, 0.1 * (i % 2));
    }
    ov_motion *motion;
    CHECK_OK(ov_motion_create_bezier(controls, NULL, 4, 0.0, 1.0, NULL, &motion));
    ov_displacement_ball hull, best;
    CHECK_OK(ov_motion_ball(motion, &metric, 0.0, 1.0, OV_BALL_METHOD_HULL, &hull));
    CHECK_OK(ov_motion_ball(motion, &metric, 0.0, 1.0, OV_BALL_METHOD_BEST, &best));
    double chord = ov_metric_distance(&metric, &controls[0], &controls[3]);
    CHECK_NEAR(best.radius, 0.5 * chord, 1e-12);
    CHECK(hull.radius > 1.05 * best.radius);
    CHECK_STATUS(ov_motion_ball(motion, &metric, 0.0, 1.0, OV_BALL_METHOD_ARC, &hull),
                 OV_ERROR_UNSUPPORTED);
    ov_motion_destroy(motion);
}

static void test_instants_and_rest(void) {
    check_random r = check_random_make(6203);
    ov_metric metric = random_metric(&r);
    for (int k = 0; k < KINDS; k++) {
        ov_motion *motion = random_motion(&r, (kind)k);
        for (int i = 0; i < 5; i++) {
            ov_displacement_ball ball;
            ov_affine at;
            CHECK_OK(ov_motion_at(motion, key_times[i], &at));
            for (int m = 0; m < METHODS; m += 2) {
                CHECK_OK(ov_motion_ball(motion, &metric, key_times[i], key_times[i],
                                        (ov_ball_method)m, &ball));
                CHECK(ov_metric_distance(&metric, &at, &ball.centre) <= ball.radius + 1e-14);
                CHECK(ball.radius < 1e-11);
            }
        }
        ov_motion_destroy(motion);
    }
    ov_pose poses[2] = {random_pose(&r)};
    poses[1] = poses[0];
    ov_motion *rest;
    ov_displacement_ball ball;
    CHECK_OK(ov_motion_create_keys(poses, key_times, 2, OV_SPLINE_CUBIC, NULL, &rest));
    CHECK_OK(ov_motion_ball(rest, &metric, 1.0, 1.3, OV_BALL_METHOD_BEST, &ball));
    CHECK(ball.radius < 1e-12);
    CHECK_STATUS(ov_motion_ball(rest, &metric, 1.0, 1.3, OV_BALL_METHOD_ARC, &ball),
                 OV_ERROR_UNSUPPORTED);
    ov_motion_destroy(rest);
}

static void test_errors(void) {
    check_random r = check_random_make(6204);
    ov_motion *motion = random_motion(&r, SCREW);
    ov_metric metric = random_metric(&r), bad = metric;
    ov_displacement_ball ball;
    CHECK_STATUS(ov_motion_ball(NULL, &metric, 1.0, 2.0, OV_BALL_METHOD_HULL, &ball),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_ball(motion, NULL, 1.0, 2.0, OV_BALL_METHOD_HULL, &ball), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_ball(motion, &metric, 1.0, 2.0, OV_BALL_METHOD_HULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_ball(motion, &metric, 1.0, 2.0, OV_BALL_METHOD_COUNT, &ball),
                 OV_ERROR_OPTION);
    static const double times[6][2] = {{2.0, 1.5}, {0.9, 2.0},      {2.0, 3.1},
                                       {NAN, 2.0}, {2.0, INFINITY}, {2.0, NAN}};
    for (int i = 0; i < 6; i++) {
        for (int m = 0; m < METHODS; m++) {
            CHECK_STATUS(
                ov_motion_ball(motion, &metric, times[i][0], times[i][1], (ov_ball_method)m, &ball),
                OV_ERROR_TIME);
        }
    }
    bad.mass = NAN;
    CHECK_STATUS(ov_motion_ball(motion, &bad, 1.0, 2.0, OV_BALL_METHOD_HULL, &ball),
                 OV_ERROR_NOT_FINITE);
    bad = metric;
    bad.moments.x = 0.0;
    CHECK_STATUS(ov_motion_ball(motion, &bad, 1.0, 2.0, OV_BALL_METHOD_HULL, &ball),
                 OV_ERROR_SIZE_NOT_POSITIVE);
    bad = metric;
    bad.axes.cy = bad.axes.cx;
    CHECK_STATUS(ov_motion_ball(motion, &bad, 1.0, 2.0, OV_BALL_METHOD_HULL, &ball),
                 OV_ERROR_OPTION);
    ov_motion_destroy(motion);
}

int main(void) {
    check_suite = "motion_ball";
    RUN(test_samples_inside);
    RUN(test_turn);
    RUN(test_straight_curve);
    RUN(test_instants_and_rest);
    RUN(test_errors);
    return check_finish();
}
