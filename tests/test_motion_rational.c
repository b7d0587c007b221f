/**
 * @file test_motion_rational.c
 * @brief Rigid rational motions against their definition in long double: poses, velocities by
 * finite differences, Taylor models and pieces that hold the motion over any interval, how tight
 * these are, and bad input.
 */
#include <string.h>

#include "curve_oracle.h"
#include "taylor_oracle.h"

enum { ROTATIONS = OV_MOTION_DEGREE_MAX / 2 + 1, POSITIONS = OV_MOTION_DEGREE_MAX + 1 };

typedef struct curve {
    ov_quat rotations[ROTATIONS];
    ov_vec3 positions[POSITIONS];
    double weights[POSITIONS];
    size_t rotation_count, position_count;
    double start, end;
    double reach; /**< length of the farthest position */
} curve;

static taylor_frame place_at(const curve *c, curve_real u) {
    taylor_frame at = {.x = {0.0L}};
    curve_real q[4] = {0.0L}, weight = 0.0L;
    for (size_t i = 0; i < c->rotation_count; i++) {
        curve_real b = curve_bernstein(c->rotation_count - 1, i, u);
        q[0] += b * c->rotations[i].w;
        q[1] += b * c->rotations[i].x;
        q[2] += b * c->rotations[i].y;
        q[3] += b * c->rotations[i].z;
    }
    for (size_t i = 0; i < c->position_count; i++) {
        curve_real b = curve_bernstein(c->position_count - 1, i, u) * c->weights[i];
        at.x[0] += b * c->positions[i].x;
        at.x[1] += b * c->positions[i].y;
        at.x[2] += b * c->positions[i].z;
        weight += b;
    }
    for (int i = 0; i < 3; i++) {
        at.x[i] /= weight;
    }
    curve_real length = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
    taylor_matrix(q, at.r);
    return at;
}

static taylor_frame true_place(const curve *c, double time) {
    return place_at(c, curve_parameter(c->start, c->end, time));
}

static curve_real length3(const curve_real v[3]) {
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- random motions */

/** A quaternion that is near one or anything, and of any length. */
static ov_quat random_quaternion(check_random *r, ov_quat near, double change, double spread) {
    ov_quat q = check_rotation(r);
    double s = check_log_uniform(r, 1.0 / spread, spread);
    return (ov_quat){s * (near.w + change * q.w), s * (near.x + change * q.x),
                     s * (near.y + change * q.y), s * (near.z + change * q.z)};
}

/** All kinds: wild and gentle, and such that nearly pass through zero, which spin very fast. */
static curve random_curve(check_random *r, size_t m, size_t k, double spread) {
    curve c = {.rotation_count = m + 1, .position_count = k + 1};
    ov_quat base = check_rotation(r);
    double change = check_log_uniform(r, 1e-3, 1e3), size = check_log_uniform(r, 1e-3, 1e3);
    double distance = check_log_uniform(r, 1e-3, 1e5);
    ov_vec3 away = ov_vec3_scale(check_unit_vector(r), distance);
    double lengths = check_log_uniform(r, 1.0, spread);
    for (size_t i = 0; i <= m; i++) {
        c.rotations[i] = random_quaternion(r, base, change, lengths);
    }
    if (check_random_bits(r) % 4 == 0) {
        double small = check_log_uniform(r, 1e-4, 1.0);
        for (size_t i = 0; i <= m; i++) {
            double s = m > 0 ? 1.0 - 2.0 * (double)i / (double)m : 1.0;
            ov_quat by = {s * base.w, s * base.x, s * base.y, s * base.z};
            c.rotations[i] = random_quaternion(r, by, small, 1.0);
        }
    }
    for (size_t i = 0; i <= k; i++) {
        c.positions[i] = ov_vec3_add(away, ov_vec3_scale(check_unit_vector(r), size));
        c.weights[i] = check_log_uniform(r, 1.0 / spread, spread);
        c.reach = fmax(c.reach, ov_vec3_length(c.positions[i]));
    }
    c.start = check_uniform(r, -3.0, 3.0);
    c.start *= check_log_uniform(r, 1e-3, 1e6);
    c.end = c.start + check_log_uniform(r, 1e-3, 1e3);
    return c;
}

static curve random_any(check_random *r) {
    size_t m = check_random_bits(r) % 5, k = check_random_bits(r) % 9;
    if (check_random_bits(r) % 8 == 0) {
        m = check_random_bits(r) % ROTATIONS;
        k = check_random_bits(r) % (POSITIONS - 2 * m);
    }
    return random_curve(r, m, k, check_random_bits(r) % 2 ? 1.0 : 1e3);
}

static ov_status create(const curve *c, ov_motion **motion) {
    return ov_motion_create_rational(c->rotations, c->rotation_count, c->positions, c->weights,
                                     c->position_count, c->start, c->end, NULL, motion);
}

/** Some random motion that can be made; those that come too close to zero are drawn again. */
static ov_motion *random_motion(check_random *r, curve *c) {
    ov_motion *motion = NULL;
    ov_status status = OV_ERROR_ZERO_DIRECTION;
    for (int i = 0; i < 10 && status == OV_ERROR_ZERO_DIRECTION; i++) {
        *c = random_any(r);
        status = create(c, &motion);
    }
    CHECK_OK(status);
    return motion;
}

/** Of degree eight in the space of displacements: a quadratic quaternion and a rational quartic. */
static curve degree_eight(void) {
    curve c = {.rotation_count = 3, .position_count = 5, .start = 0.0, .end = 1.0, .reach = 5.0};
    const ov_quat rotations[3] = {
        {1.0, 0.0, 0.0, 0.0}, {0.9, 0.4, 0.1, -0.2}, {0.5, 0.3, 0.8, 0.1}};
    memcpy(c.rotations, rotations, sizeof rotations);
    for (size_t i = 0; i < 5; i++) {
        double x = (double)i;
        c.positions[i] = ov_vec3_make(x, 0.5 * x * (4.0 - x), 0.2 * x);
        c.weights[i] = 1.0 + 0.1 * x;
    }
    return c;
}

/* ---- poses */

static void test_poses(void) {
    check_random r = check_random_make(6201);
    double worst_x = 0.0, worst_turn = 0.0, worst_unit = 0.0;
    for (int n = 0; n < 2000; n++) {
        curve c;
        ov_motion *motion = random_motion(&r, &c);
        CHECK(ov_motion_is_rigid(motion));
        for (int i = 0; i < 4; i++) {
            double time = i == 0 ? c.start : i == 1 ? c.end : check_uniform(&r, c.start, c.end);
            ov_affine at;
            ov_pose pose;
            ovi_taylor taylor;
            CHECK_OK(ov_motion_at(motion, time, &at));
            CHECK_OK(ov_motion_pose(motion, time, &pose));
            ovi_motion_taylor(motion, time, 0.0, &taylor);
            CHECK(memcmp(&pose, &taylor.pose, sizeof pose) == 0);
            taylor_frame truth = true_place(&c, time);
            const double *numbers = &at.linear.cx.x;
            for (int j = 0; j < 9; j++) {
                // the rounding of the Taylor model includes how near to zero the quaternion is
                double off = fabs((double)(numbers[j] - truth.r[j % 3][j / 3]));
                worst_turn = fmax(worst_turn, off / taylor.rotation_error);
            }
            curve_real x[3] = {at.translation.x - truth.x[0], at.translation.y - truth.x[1],
                               at.translation.z - truth.x[2]};
            worst_x = fmax(worst_x, (double)length3(x) / taylor.position_error);
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    double dot = numbers[3 * a] * numbers[3 * b] +
                                 numbers[3 * a + 1] * numbers[3 * b + 1] +
                                 numbers[3 * a + 2] * numbers[3 * b + 2];
                    worst_unit = fmax(worst_unit, fabs(dot - (a == b)));
                }
            }
        }
        ov_motion_destroy(motion);
    }
    CHECK(worst_x <= 1.0 && worst_turn <= 1.0);
    check_worst("position, of its rounding", worst_x, 1.0);
    check_worst("rotation, of its rounding", worst_turn, 1.0);
    CHECK(worst_unit < 4e-15);
    check_worst("R'R - 1", worst_unit, 4e-15);
}

/* ---- Taylor models */

/** Long, short, tiny; inside, up to the ends, across them, and beyond. */
static void random_interval(check_random *r, const curve *c, double *middle, double *radius) {
    double time = c->end - c->start;
    *radius = 0.5 * time * check_log_uniform(r, 1e-11, 1.0);
    *middle = check_uniform(r, c->start, c->end);
    switch (check_random_bits(r) % 8) {
    case 0:
        *middle = c->start + *radius;
        break;
    case 1:
        *middle = c->end - *radius;
        break;
    case 2:
        *middle = c->start + 0.5 * time;
        *radius = 0.5 * time;
        break;
    case 3:
        *middle += check_uniform(r, -2.0, 2.0) * time;
        break;
    case 4:
        *middle = c->start + *radius * check_uniform(r, -1.5, 1.5);
        break;
    case 5:
        *middle = c->start + 0.5 * time;
        *radius = 0.5 * time * (1.0 + OVI_MOTION_MARGIN);
        break;
    default:
        break;
    }
}

static bool taylor_is_finite(const ovi_taylor *c) {
    double sum = c->position_error + c->rotation_error + c->velocity_error + c->spin_error +
                 c->acceleration + c->rotation_acceleration;
    return isfinite(sum) && c->position_error >= 0.0 && c->rotation_error >= 0.0 &&
           c->velocity_error >= 0.0 && c->spin_error >= 0.0 && c->acceleration >= 0.0 &&
           c->rotation_acceleration >= 0.0 && ov_vec3_is_finite(c->velocity) &&
           ov_vec3_is_finite(c->spin) && ov_vec3_is_finite(c->pose.position);
}

static void test_taylor_models_hold(void) {
    check_random r = check_random_make(6202);
    double worst[2] = {0.0, 0.0};
    long intervals = 0, second_order = 0;
    for (int n = 0; n < 4000; n++) {
        curve c;
        ov_motion *motion = random_motion(&r, &c);
        for (int k = 0; k < 4; k++, intervals++) {
            double middle, radius;
            random_interval(&r, &c, &middle, &radius);
            ovi_taylor taylor;
            ovi_motion_taylor(motion, middle, radius, &taylor);
            CHECK(taylor_is_finite(&taylor));
            second_order += taylor.rotation_acceleration > 0.0 && taylor.acceleration > 0.0;
            for (int i = 0; i < 6; i++) {
                double s = i == 0 ? -1.0 : i == 1 ? 1.0 : check_uniform(&r, -1.0, 1.0);
                double time = middle + s * (i == 2 ? 0.01 : 1.0) * radius;
                if (fabs(time - middle) > radius) { // by rounding, at the ends
                    continue;
                }
                taylor_frame truth = true_place(&c, time);
                taylor_use use = taylor_against(&taylor, (curve_real)time - middle, &truth);
                worst[0] = fmax(worst[0], use.place);
                worst[1] = fmax(worst[1], use.turn);
                if (!(use.place <= 1.0 && use.turn <= 1.0)) {
                    printf("degrees %zu %zu, interval %g of %g, use %g %g\n", c.rotation_count - 1,
                           c.position_count - 1, radius, c.end - c.start, use.place, use.turn);
                }
            }
        }
        ov_motion_destroy(motion);
    }
    CHECK(worst[0] <= 1.0 && worst[1] <= 1.0);
    CHECK(2 * second_order > intervals);
    check_worst("position off its Taylor model, of what is allowed", worst[0], 1.0);
    check_worst("rotation off its Taylor model, of what is allowed", worst[1], 1.0);
    printf("motion_rational: %ld intervals, %ld with bounds of second order\n", intervals,
           second_order);
}

/** Second derivatives by finite differences; first ones by the way. */
typedef struct rates {
    curve_real velocity[3], spin[3];
    double acceleration, rotation_acceleration;
} rates;

static rates true_rates(const curve *c, double u, double time) {
    const curve_real h = 1e-4L;
    taylor_frame a = place_at(c, u - h), b = place_at(c, u), d = place_at(c, u + h);
    rates t;
    curve_real bend[3], turn_bend[3][3], change[3][3] = {{0.0L}}; // change: R' R^T
    for (int i = 0; i < 3; i++) {
        t.velocity[i] = (d.x[i] - a.x[i]) / (2.0L * h * time);
        bend[i] = (d.x[i] - 2.0L * b.x[i] + a.x[i]) / (h * h * time * time);
        for (int j = 0; j < 3; j++) {
            turn_bend[i][j] = (d.r[i][j] - 2.0L * b.r[i][j] + a.r[i][j]) / (h * h * time * time);
            for (int n = 0; n < 3; n++) {
                change[i][j] += (d.r[i][n] - a.r[i][n]) / (2.0L * h * time) * b.r[j][n];
            }
        }
    }
    t.spin[0] = 0.5L * (change[2][1] - change[1][2]);
    t.spin[1] = 0.5L * (change[0][2] - change[2][0]);
    t.spin[2] = 0.5L * (change[1][0] - change[0][1]);
    t.acceleration = (double)length3(bend);
    t.rotation_acceleration = (double)matrix_norm(turn_bend);
    return t;
}

/** Velocity and spin are right, and bounds of short intervals go to the true second derivatives. */
static void test_taylor_models_are_tight(void) {
    check_random r = check_random_make(6203);
    const double parts[3] = {1e-2, 1e-4, 1e-8};
    double off[2] = {0.0, 0.0}, most[3][2] = {{0.0}}, mean[3][2] = {{0.0}};
    int cases = 600;
    for (int n = 0; n < cases; n++) {
        size_t m = 1 + check_random_bits(&r) % 4, k = 2 + check_random_bits(&r) % 7;
        curve c = random_curve(&r, m, k, n % 2 ? 1.0 : 3.0);
        ov_quat base = check_rotation(&r);
        for (size_t i = 0; i <= m; i++) { // not near zero: rates without far higher derivatives
            c.rotations[i] = random_quaternion(&r, base, 0.6, 1.2);
        }
        c.start = 0.0;
        c.end = 2.0;
        ov_motion *motion = NULL;
        CHECK_OK(create(&c, &motion));
        double u = check_uniform(&r, 0.1, 0.9);
        rates t = true_rates(&c, u, 2.0);
        for (int p = 0; p < 3; p++) {
            ovi_taylor taylor;
            ovi_motion_taylor(motion, 2.0 * u, parts[p], &taylor);
            const double *v = &taylor.velocity.x, *w = &taylor.spin.x;
            curve_real dv[3], dw[3];
            for (int i = 0; i < 3; i++) {
                dv[i] = v[i] - t.velocity[i];
                dw[i] = w[i] - t.spin[i];
            }
            off[0] = fmax(off[0], (double)(length3(dv) / c.reach));
            off[1] = fmax(off[1], (double)length3(dw));
            double ratio[2] = {taylor.acceleration / t.acceleration,
                               taylor.rotation_acceleration / t.rotation_acceleration};
            for (int i = 0; i < 2; i++) {
                most[p][i] = fmax(most[p][i], ratio[i]);
                mean[p][i] += ratio[i] / cases;
            }
        }
        ov_motion_destroy(motion);
    }
    CHECK(off[0] < 1e-5 && off[1] < 1e-5);
    check_worst("velocity against differences, of the size", off[0], 1e-5);
    check_worst("spin against differences", off[1], 1e-5);
    for (int p = 0; p < 3; p++) {
        printf(
            "motion_rational: interval %g: acceleration by the true one %.3g at most, %.3g in the "
            "mean; rotation %.3g, %.3g\n",
            parts[p], most[p][0], mean[p][0], most[p][1], mean[p][1]);
        CHECK(p == 0 || (most[p][0] < 1.5 && most[p][1] < 1.5));
        CHECK(mean[p][0] < 1.3 && mean[p][1] < 1.5);
    }
}

/** Half a turn along a straight line: long intervals too have bounds that are of use. */
static void test_half_turn(void) {
    curve c = {.rotation_count = 2, .position_count = 2, .end = 1.0, .reach = 10.0};
    c.rotations[0].w = c.rotations[1].z = 1.0;
    c.positions[1].x = 10.0;
    c.weights[0] = c.weights[1] = 1.0;
    ov_motion *motion = NULL;
    CHECK_OK(create(&c, &motion));
    ovi_taylor taylor;
    ovi_motion_taylor(motion, 0.5, 0.25, &taylor);
    // tan(angle / 2) = u / (1 - u): at the middle the rate is 4, and nothing bends
    CHECK_NEAR(taylor.spin.z, 4.0, 1e-14);
    CHECK_NEAR(taylor.velocity.x, 10.0, 1e-13);
    CHECK(taylor.acceleration < 1e-11 && taylor.position_error < 1e-12);
    CHECK(taylor.rotation_acceleration >= 16.0 && taylor.rotation_acceleration < 1.25 * 16.0);
    check_worst("second derivative of a quarter turn, of the true one",
                taylor.rotation_acceleration / 16.0, 1.25);
    ov_motion_destroy(motion);
}

/** Across an end the frame stops: a speed, and no more than that of the motion. */
static void test_ends(void) {
    curve c = degree_eight();
    ov_motion *motion = NULL;
    CHECK_OK(create(&c, &motion));
    ovi_taylor inside, across, beyond, edge;
    ovi_motion_taylor(motion, 0.01, 0.01, &inside);
    ovi_motion_taylor(motion, 0.01, 0.01 * (1.0 + OVI_MOTION_MARGIN), &edge);
    ovi_motion_taylor(motion, 0.0, 0.01, &across);
    ovi_motion_taylor(motion, -1.0, 0.5, &beyond);
    double v = ov_vec3_length(inside.velocity), w = ov_vec3_length(inside.spin);
    CHECK(v > 0.0 && w > 0.0 && inside.velocity_error < 1e-11 * v && inside.spin_error < 1e-11 * w);
    CHECK_NEAR(edge.acceleration, inside.acceleration, 1e-9 * inside.acceleration);
    CHECK(edge.velocity_error < 1e-11 * v && edge.position_error < 1e-11);
    CHECK(ov_vec3_length(across.velocity) == 0.0 && ov_vec3_length(across.spin) == 0.0);
    CHECK(across.velocity_error >= v - inside.acceleration * 0.01 && across.spin_error > 0.0);
    CHECK(across.acceleration == 0.0 && across.rotation_acceleration == 0.0);
    CHECK(ov_vec3_length(beyond.velocity) == 0.0 && beyond.velocity_error == 0.0 &&
          beyond.spin_error == 0.0);
    CHECK(beyond.position_error < 1e-12 * c.reach && beyond.rotation_error < 1e-12);
    ov_motion_destroy(motion);
    // the longest and shortest times still have a Taylor model
    const double times[] = {1e-100, 1e-80, 1e80, 1e100};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        c.end = times[i];
        CHECK_OK(create(&c, &motion));
        double middle = 0.5 * times[i];
        ovi_motion_taylor(motion, middle, times[i] - middle, &inside);
        taylor_frame truth = true_place(&c, times[i]);
        taylor_use use = taylor_against(&inside, (curve_real)times[i] - middle, &truth);
        CHECK(taylor_is_finite(&inside) && use.place <= 1.0 && use.turn <= 1.0);
        ovi_motion_taylor(motion, 0.0, 1e308, &inside);
        CHECK(taylor_is_finite(&inside));
        ov_motion_destroy(motion);
    }
    const double beyond_all[] = {1e-320, 1e-120, 1e120, 1e300};
    for (size_t i = 0; i < sizeof beyond_all / sizeof *beyond_all; i++) {
        c.end = beyond_all[i];
        CHECK_STATUS(create(&c, &motion), OV_ERROR_TIME);
    }
}

/* ---- pieces */

/** How far a place is outside of a piece along g, as a part of what is allowed: 1 is the limit. */
static double outside(const ovi_piece *piece, const curve_real point[12], const double g[12]) {
    const double *centre = &piece->centre.linear.cx.x;
    curve_real farthest = -HUGE_VALL, along = 0.0L;
    double turn = 0.0, move = 0.0;
    for (size_t j = 0; j < 12; j++) {
        along += g[j] * (point[j] - centre[j]);
        *(j < 9 ? &turn : &move) += g[j] * g[j];
    }
    for (size_t l = 0; l < piece->count; l++) {
        const double *offset = &piece->offsets[l].linear.cx.x;
        curve_real sum = 0.0L;
        for (size_t j = 0; j < 12; j++) {
            sum += (curve_real)g[j] * offset[j];
        }
        farthest = sum > farthest ? sum : farthest;
    }
    // any rotation (an error of 2) may take the whole sum of singular values, up to sqrt(3) times
    // this
    double room = piece->linear_error > 1.0 ? sqrt(3.0) : 1.0;
    return (double)(along - farthest) /
           (piece->translation_error * sqrt(move) + room * piece->linear_error * sqrt(turn));
}

static double worst_outside(check_random *r, const ovi_piece *piece, const curve *c,
                            const taylor_frame *truth) {
    curve_real point[12];
    for (int j = 0; j < 12; j++) {
        point[j] = j < 9 ? truth->r[j % 3][j / 3] : truth->x[j - 9];
    }
    const double *centre = &piece->centre.linear.cx.x;
    double worst = -1.0, g[12];
    for (int n = 0; n < 8; n++) {
        size_t only = check_random_bits(r) % 12;
        for (size_t j = 0; j < 12; j++) {
            double unit = j < 9 ? 1.0 : 1.0 / c->reach;
            double way = (double)(point[j] - centre[j]);
            g[j] = n == 0   ? way * unit * unit
                   : n == 1 ? (j < 9 ? 0.0 : way)
                   : n == 2 ? (j < 9 ? way : 0.0)
                   : n < 6  ? (j == only ? (n < 5 ? 1.0 : -1.0) : 0.0)
                            : check_uniform(r, -1.0, 1.0) * unit;
        }
        double off = outside(piece, point, g);
        worst = isfinite(off) ? fmax(worst, off) : worst;
    }
    return worst;
}

static void test_pieces_hold(void) {
    check_random r = check_random_make(6205);
    double worst[2] = {-1.0, -1.0};
    long pieces = 0, hulls = 0;
    for (int n = 0; n < 5000; n++) {
        curve c;
        ov_motion *motion = random_motion(&r, &c);
        for (int k = 0; k < 3; k++, pieces++) {
            double length = (c.end - c.start) * (k == 0 ? 0.0 : check_log_uniform(&r, 1e-10, 1.0));
            double from = c.start + check_uniform(&r, 0.0, 1.0) * (c.end - c.start - length);
            double to = fmin(from + length, c.end);
            ovi_piece piece;
            ovi_motion_piece(motion, from, to, &piece);
            bool any_turn = piece.linear_error > 1.0;
            hulls += !any_turn;
            CHECK(piece.rigid);
            for (int i = 0; i < 5; i++) {
                double time = i == 0 ? from : i == 1 ? to : check_uniform(&r, from, to);
                taylor_frame truth = true_place(&c, time);
                double off = worst_outside(&r, &piece, &c, &truth);
                worst[any_turn] = fmax(worst[any_turn], off);
            }
        }
        ov_motion_destroy(motion);
    }
    CHECK(worst[0] <= 1.0 && worst[1] <= 1.0);
    check_worst("place outside of its control points, of the rounding allowed", worst[0], 1.0);
    check_worst("place outside of a piece of any turn, of what is allowed", worst[1], 1.0);
    CHECK(10 * hulls > 9 * pieces);
    printf("motion_rational: %ld pieces, %ld by control points\n", pieces, hulls);
}

/** Nine control points, that begin and end on the curve, and are near it. */
static void test_degree_eight(void) {
    curve c = degree_eight();
    ov_motion *motion = NULL;
    CHECK_OK(create(&c, &motion));
    ovi_piece piece;
    ovi_motion_piece(motion, 0.0, 1.0, &piece);
    CHECK(piece.count == 9 && piece.rigid && piece.linear_error < 1e-12 &&
          piece.translation_error < 1e-12);
    // the control polygon begins and ends on the curve
    ov_affine first, last;
    CHECK_OK(ov_motion_at(motion, 0.0, &first));
    CHECK_OK(ov_motion_at(motion, 1.0, &last));
    for (size_t j = 0; j < 12; j++) {
        double centre = (&piece.centre.linear.cx.x)[j];
        CHECK_NEAR(centre + (&piece.offsets[0].linear.cx.x)[j], (&first.linear.cx.x)[j], 1e-14);
        CHECK_NEAR(centre + (&piece.offsets[8].linear.cx.x)[j], (&last.linear.cx.x)[j], 1e-14);
    }
    // the hull of a short piece is hardly wider than the curve
    double hull = 0.0, way = 0.0;
    ovi_motion_piece(motion, 0.25, 0.28125, &piece);
    for (size_t l = 0; l < piece.count; l++) {
        hull = fmax(hull, ov_vec3_length(piece.offsets[l].linear.cy));
    }
    for (int i = 0; i <= 32; i++) {
        taylor_frame at = place_at(&c, 0.25L + 0.03125L * i / 32.0L);
        curve_real d[3] = {at.r[0][1] - piece.centre.linear.cy.x,
                           at.r[1][1] - piece.centre.linear.cy.y,
                           at.r[2][1] - piece.centre.linear.cy.z};
        way = fmax(way, (double)length3(d));
    }
    CHECK(hull < 1.1 * way);
    check_worst("hull by the curve's own reach, 1/32 of the time", hull / way, 1.1);
    ov_motion_destroy(motion);
}

/* ---- bad input */

static void *no_memory(void *user, void *block, size_t old_size, size_t size) {
    (void)user, (void)block, (void)old_size, (void)size;
    return NULL;
}

/** Frees what it makes. */
static ov_status status_of(const curve *c) {
    ov_motion *motion = (ov_motion *)(uintptr_t)8;
    ov_status status = create(c, &motion);
    CHECK(status == OV_OK || motion == NULL);
    if (status == OV_OK) {
        ov_motion_destroy(motion);
    }
    return status;
}

/** A quaternion polynomial that goes through zero, or nearly. */
static void test_zero_quaternion(void) {
    check_random r = check_random_make(6206);
    curve c = random_curve(&r, 1, 2, 1.0);
    ov_quat q = check_rotation(&r);
    const double parts[] = {0.5, 0.3, 1.0 / 3.0, 0.999, 1e-3, 0.0, 1.0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double a = parts[i], b = 1.0 - parts[i]; // zero at u = parts[i]
        c.rotations[0] = (ov_quat){a * q.w, a * q.x, a * q.y, a * q.z};
        c.rotations[1] = (ov_quat){-b * q.w, -b * q.x, -b * q.y, -b * q.z};
        CHECK_STATUS(status_of(&c), OV_ERROR_ZERO_DIRECTION);
        ov_quat across = ov_quat_mul(q, (ov_quat){0.0, 1.0, 0.0, 0.0});
        for (int k = 0; k < 2; k++) { // past zero, at a distance
            double by = k == 0 ? 1e-9 : 1e-4;
            curve d = c;
            for (int j = 0; j < 2; j++) {
                d.rotations[j].w += by * across.w;
                d.rotations[j].x += by * across.x;
                d.rotations[j].y += by * across.y;
                d.rotations[j].z += by * across.z;
            }
            CHECK_STATUS(status_of(&d), k == 0 ? OV_ERROR_ZERO_DIRECTION : OV_OK);
        }
    }
    // all zero; zero controls that the curve does not go through; tiny and huge ones
    c = random_curve(&r, 2, 2, 1.0);
    memset(c.rotations, 0, sizeof c.rotations);
    CHECK_STATUS(status_of(&c), OV_ERROR_ZERO_DIRECTION);
    c.rotations[0] = q;
    c.rotations[2] = q;
    CHECK_OK(status_of(&c));
    c.rotations[2] = (ov_quat){-q.w, -q.x, -q.y, -q.z};
    CHECK_STATUS(status_of(&c), OV_ERROR_ZERO_DIRECTION);
    // a double zero: (1 - 2 u)^2 q
    c.rotations[1] = c.rotations[2];
    c.rotations[2] = q;
    CHECK_STATUS(status_of(&c), OV_ERROR_ZERO_DIRECTION);
    for (int i = 0; i < 3; i++) {
        c.rotations[i] = (ov_quat){1e308, i * 1e307, 0.0, 0.0};
    }
    CHECK_OK(status_of(&c));
    for (int i = 0; i < 3; i++) {
        c.rotations[i] = (ov_quat){1e-308, i * 1e-309, 0.0, 0.0};
    }
    CHECK_OK(status_of(&c));
}

static void test_errors(void) {
    check_random r = check_random_make(6207);
    curve good = random_curve(&r, 0, 4, 10.0), c = good;
    CHECK_OK(status_of(&good));
    const double bad[] = {0.0, -1.0, NAN, INFINITY, 1e-320};
    for (size_t i = 0; i < 5; i++) {
        c = good;
        c.weights[i] = bad[i];
        CHECK_STATUS(status_of(&c), OV_ERROR_WEIGHT);
    }
    c = good;
    c.rotations[0].y = NAN;
    CHECK_STATUS(status_of(&c), OV_ERROR_NOT_FINITE);
    c = good;
    c.positions[3].z = -INFINITY;
    CHECK_STATUS(status_of(&c), OV_ERROR_NOT_FINITE);
    c.positions[3].z = -2.0 * OV_POSITION_MAX;
    CHECK_STATUS(status_of(&c), OV_ERROR_SIZE_RANGE);
    const double ends[3] = {good.start, good.start - 1.0, -INFINITY};
    for (int i = 0; i < 3; i++) {
        c = good;
        c.end = ends[i];
        CHECK_STATUS(status_of(&c), i < 2 ? OV_ERROR_TIME : OV_ERROR_NOT_FINITE);
    }
    const size_t counts[][2] = {{0, 5}, {1, 0}, {1, 34}, {2, 32}, {17, 2}, {18, 1}, {SIZE_MAX, 3}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        c = good;
        c.rotation_count = counts[i][0];
        c.position_count = counts[i][1];
        CHECK_STATUS(status_of(&c), OV_ERROR_COUNT);
    }
    const size_t degrees[][2] = {{0, 0}, {0, 32}, {16, 0}, {1, 30}, {8, 16}};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        c = random_curve(&r, degrees[i][0], degrees[i][1], 1.0);
        for (size_t j = 0; j < c.rotation_count; j++) {
            c.rotations[j].w = 3e3;
        }
        CHECK_OK(status_of(&c));
    }
    ov_motion *motion = NULL;
    CHECK_STATUS(
        ov_motion_create_rational(NULL, 1, good.positions, NULL, 5, 0.0, 1.0, NULL, &motion),
        OV_ERROR_NULL);
    CHECK_STATUS(
        ov_motion_create_rational(good.rotations, 1, NULL, NULL, 5, 0.0, 1.0, NULL, &motion),
        OV_ERROR_NULL);
    CHECK_STATUS(
        ov_motion_create_rational(good.rotations, 1, good.positions, NULL, 5, 0.0, 1.0, NULL, NULL),
        OV_ERROR_NULL);
    ov_allocator none = {no_memory, NULL};
    CHECK_STATUS(ov_motion_create_rational(good.rotations, 1, good.positions, NULL, 5, 0.0, 1.0,
                                           &none, &motion),
                 OV_ERROR_MEMORY);
    CHECK(motion == NULL);
}

int main(void) {
    check_suite = "motion_rational";
    RUN(test_poses);
    RUN(test_taylor_models_hold);
    RUN(test_taylor_models_are_tight);
    RUN(test_half_turn);
    RUN(test_ends);
    RUN(test_pieces_hold);
    RUN(test_degree_eight);
    RUN(test_zero_quaternion);
    RUN(test_errors);
    return check_finish();
}
