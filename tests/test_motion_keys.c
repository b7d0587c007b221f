/**
 * @file test_motion_keys.c
 * @brief Motions through key poses against long double: rotations by halving arcs, without any
 * angle, and positions by another formulation of the spline.
 */
#include <string.h>

#include "check.h"
#include "spline_oracle.h"
#include "taylor_oracle.h"

typedef struct keys_case {
    size_t count;
    ov_spline spline;
    ov_pose poses[SPLINE_ORACLE_KNOTS];
    double times[SPLINE_ORACLE_KNOTS];
    double positions[3 * SPLINE_ORACLE_KNOTS];
    long double bends[3][SPLINE_ORACLE_KNOTS];
    ov_motion *motion;
} keys_case;

/* ---- the other way */

static void unit_of(ov_quat q, long double u[4]) {
    const long double given[4] = {q.w, q.x, q.y, q.z};
    long double square = 0.0L;
    for (int i = 0; i < 4; i++) {
        square += given[i] * given[i];
    }
    for (int i = 0; i < 4; i++) {
        u[i] = given[i] / sqrtl(square);
    }
}

/** Slerp by halves: the middle of an arc is the sum of its ends, as a unit. */
static void oracle_slerp(ov_quat from, ov_quat to, long double w, long double q[4]) {
    long double a[4], b[4], dot = 0.0L;
    unit_of(from, a);
    unit_of(to, b);
    for (int i = 0; i < 4; i++) {
        dot += a[i] * b[i];
    }
    for (int i = 0; i < 4 && dot < 0.0L; i++) {
        b[i] = -b[i];
    }
    for (int bit = 0; bit < 66; bit++) {
        long double m[4], square = 0.0L;
        for (int i = 0; i < 4; i++) {
            m[i] = a[i] + b[i];
            square += m[i] * m[i];
        }
        w *= 2.0L;
        for (int i = 0; i < 4; i++) {
            (w < 1.0L ? b : a)[i] = m[i] / sqrtl(square);
        }
        w = w < 1.0L ? w : w - 1.0L;
    }
    memcpy(q, a, 4 * sizeof *q);
}

static taylor_frame oracle_at(const keys_case *c, long double time) {
    // only what the oracle looks at
    ovi_spline s = {.kind = c->spline == OV_SPLINE_CUBIC ? OVI_SPLINE_CUBIC : OVI_SPLINE_LINEAR,
                    .count = c->count,
                    .numbers = 3,
                    .times = (double *)c->times,
                    .values = (double *)c->positions};
    taylor_frame f;
    for (size_t k = 0; k < 3; k++) {
        f.x[k] = spline_oracle_at(&s, k, c->bends[k], time).value;
    }
    size_t i = 0, last = c->count - 1;
    while (i + 2 < c->count && time >= c->times[i + 1]) {
        i++;
    }
    long double h = (long double)c->times[i + 1] - c->times[i], w = (time - c->times[i]) / h, q[4];
    if (time <= c->times[0] || time >= c->times[last]) {
        unit_of(c->poses[time <= c->times[0] ? 0 : last].rotation, q);
    } else {
        oracle_slerp(c->poses[i].rotation, c->poses[i + 1].rotation, w, q);
    }
    taylor_matrix(q, f.r);
    return f;
}

/* ---- motions */

static ov_quat stretched(ov_quat q, double f) {
    return (ov_quat){f * q.w, f * q.x, f * q.y, f * q.z};
}

/** From the rotation before: anything, the same, nearly the same, or nearly half a turn away. */
static ov_quat next_rotation(check_random *r, ov_quat before) {
    ov_quat q = check_rotation(r);
    double angle = check_log_uniform(r, 1e-12, 1e-3);
    switch (check_random_bits(r) % 6) {
    case 0:
        q = ov_quat_mul(ov_quat_from_axis_angle(check_unit_vector(r), angle), before);
        break;
    case 1:
        q = ov_quat_mul(ov_quat_from_axis_angle(check_unit_vector(r), M_PI - angle), before);
        break;
    case 2:
        q = before;
        break;
    default:
        break;
    }
    double sign = check_random_bits(r) % 2 == 0 ? 1.0 : -1.0;
    return stretched(q, sign * check_log_uniform(r, 0.1, 10.0));
}

static void create(keys_case *c) {
    for (size_t i = 0; i < c->count; i++) {
        c->positions[3 * i] = c->poses[i].position.x;
        c->positions[3 * i + 1] = c->poses[i].position.y;
        c->positions[3 * i + 2] = c->poses[i].position.z;
    }
    for (size_t k = 0; k < 3; k++) {
        spline_oracle_bends(c->times, c->positions + k, 3, c->count, c->bends[k]);
    }
    CHECK_OK(ov_motion_create_keys(c->poses, c->times, c->count, c->spline, NULL, &c->motion));
}

static void make_random(check_random *r, keys_case *c) {
    c->count = 2 + check_random_bits(r) % 8;
    c->spline = check_random_bits(r) % 2 == 0 ? OV_SPLINE_LINEAR : OV_SPLINE_CUBIC;
    double size = check_log_uniform(r, 1e-3, 1e3), t = check_uniform(r, -10.0, 10.0);
    ov_vec3 offset = ov_vec3_scale(check_unit_vector(r), check_log_uniform(r, 1e-3, 1e4));
    ov_quat before = check_rotation(r);
    for (size_t i = 0; i < c->count; i++) {
        ov_vec3 x = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, size));
        ov_quat q = i == 0 ? before : next_rotation(r, before);
        c->poses[i] = (ov_pose){ov_vec3_add(offset, x), q};
        (void)ov_quat_normalize(q, &before);
        c->times[i] = t;
        t += check_log_uniform(r, 0.03, 30.0);
    }
    create(c);
}

static void test_poses_match(void) {
    check_random r = check_random_make(6301);
    taylor_use worst = {0};
    for (int i = 0; i < 2000; i++) {
        keys_case c;
        make_random(&r, &c);
        for (int j = 0; j < 6; j++) {
            double t = j < 2 ? c.times[check_random_bits(&r) % c.count]
                             : check_uniform(&r, c.times[0], c.times[c.count - 1]);
            ov_pose pose;
            ov_affine at;
            ovi_taylor taylor;
            CHECK_OK(ov_motion_pose(c.motion, t, &pose));
            CHECK_OK(ov_motion_at(c.motion, t, &at));
            ovi_motion_taylor(c.motion, t, 0.0, &taylor);
            ov_mat3 m = ov_mat3_from_quat(pose.rotation);
            CHECK(at.translation.x == pose.position.x && at.linear.cy.z == m.cy.z);
            taylor_frame f = oracle_at(&c, t);
            taylor_check(&taylor, 0.0L, &f, &worst);
            // the pose asked for by itself is as good
            taylor.pose = pose;
            taylor_check(&taylor, 0.0L, &f, &worst);
        }
        ov_motion_destroy(c.motion);
    }
    taylor_report(&worst);
}

/* ---- Taylor models */

static void random_interval(check_random *r, const keys_case *c, double *middle, double *radius) {
    double start = c->times[0], end = c->times[c->count - 1], length = end - start;
    size_t i = check_random_bits(r) % (c->count - 1);
    *middle = check_uniform(r, start, end);
    *radius = length * check_log_uniform(r, 1e-8, 0.5);
    switch (check_random_bits(r) % 6) {
    case 0: // beyond the ends
        *middle = check_uniform(r, start - length, end + length);
        *radius = length * check_log_uniform(r, 1e-3, 3.0);
        break;
    case 1: // about a key
        *middle = c->times[i + check_random_bits(r) % 2];
        break;
    case 2: // a segment, to rounding or a little more
        *middle = c->times[i] + 0.5 * (c->times[i + 1] - c->times[i]);
        *radius = 0.5 * (c->times[i + 1] - c->times[i]) * (1.0 + check_log_uniform(r, 1e-16, 1e-2));
        break;
    case 3: // just across a key
        *middle = check_uniform(r, c->times[i], c->times[i + 1]);
        *radius = (*middle - c->times[i]) * (1.0 + check_log_uniform(r, 1e-12, 1.0));
        break;
    default:
        break;
    }
}

static void test_taylor_models_hold(void) {
    check_random r = check_random_make(6302);
    taylor_use worst = {0};
    for (int i = 0; i < 2000; i++) {
        keys_case c;
        make_random(&r, &c);
        double middle, radius;
        random_interval(&r, &c, &middle, &radius);
        ovi_taylor taylor;
        ovi_motion_taylor(c.motion, middle, radius, &taylor);
        for (int j = 0; j <= 16; j++) {
            long double t = (long double)middle + radius * (j / 8.0L - 1.0L);
            double key = c.times[check_random_bits(&r) % c.count];
            if (j % 3 == 1 && fabsl((long double)key - middle) <= radius) {
                t = key;
            }
            taylor_frame f = oracle_at(&c, t);
            taylor_check(&taylor, t - middle, &f, &worst);
        }
        ov_motion_destroy(c.motion);
    }
    taylor_report(&worst);
}

/** Between two keys: velocity and spin as differences have them, and only second order is open. */
static void test_taylor_models_within_segments_are_tight(void) {
    check_random r = check_random_make(6303);
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < 800; i++) {
        keys_case c;
        make_random(&r, &c);
        size_t k = check_random_bits(&r) % (c.count - 1);
        double length = c.times[k + 1] - c.times[k];
        double middle = check_uniform(&r, c.times[k] + 0.1 * length, c.times[k + 1] - 0.1 * length);
        ovi_taylor taylor;
        ovi_motion_taylor(c.motion, middle, 0.01 * length, &taylor);
        long double h = 1e-5L * length, m[3];
        taylor_frame a = oracle_at(&c, middle - h), b = oracle_at(&c, middle + h);
        taylor_frame o = oracle_at(&c, middle);
        double size = 0.0, off = 0.0;
        for (int j = 0; j < 3; j++) {
            m[j] = (b.x[j] - a.x[j]) / (2.0L * h);
            size += fabs((double)o.x[j]);
        }
        ov_vec3 v = {(double)m[0], (double)m[1], (double)m[2]};
        off = ov_vec3_length(ov_vec3_sub(v, taylor.velocity));
        // differences are of third order, and places in long double are off
        double may =
            1e-9 * (ov_vec3_length(v) + taylor.acceleration * length) + 1e-13 * size / length;
        CHECK(off <= may);
        worst[0] = fmax(worst[0], off / may);
        // R' R' = [spin]x
        for (int j = 0; j < 3; j++) {
            int p = (j + 1) % 3, q = (j + 2) % 3;
            m[j] = 0.0L;
            for (int l = 0; l < 3; l++) {
                m[j] += (b.r[q][l] - a.r[q][l]) * o.r[p][l] / (2.0L * h);
            }
        }
        ov_vec3 spin = {(double)m[0], (double)m[1], (double)m[2]};
        off = ov_vec3_length(ov_vec3_sub(spin, taylor.spin));
        CHECK(off <= 1e-9 / length);
        worst[1] = fmax(worst[1], off * length);
        double omega = ov_vec3_length(spin);
        CHECK(taylor.rotation_acceleration <=
              omega * omega * 1.0000001 + 1e-12 / (length * length));
        CHECK(taylor.spin_error <= 1e-13 / length && taylor.rotation_error < 1e-13);
        CHECK(taylor.velocity_error <=
              1e-11 * (ov_vec3_length(v) + taylor.acceleration * length + size / length));
        if (c.spline == OV_SPLINE_LINEAR) {
            CHECK(taylor.acceleration == 0.0);
        }
        ov_motion_destroy(c.motion);
    }
    check_worst("velocity by differences, part of what these are off", worst[0], 1.0);
    check_worst("spin by differences, turns a segment", worst[1], 1e-9);
}

/** Two keys and a corner between: what a Taylor model says as its interval grows over the corner.
 */
static void test_intervals_across_a_key(void) {
    keys_case c = {.count = 3, .spline = OV_SPLINE_LINEAR, .times = {0.0, 1.0, 2.0}};
    ov_vec3 z = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0};
    c.poses[0] = ov_pose_identity();
    c.poses[1] = (ov_pose){{1.0, 0.0, 0.0}, ov_quat_from_axis_angle(z, 1.0)};
    c.poses[2] = (ov_pose){{1.0, 2.0, 0.0},
                           ov_quat_mul(ov_quat_from_axis_angle(x, 2.0), c.poses[1].rotation)};
    create(&c);
    ovi_taylor k;
    ovi_motion_taylor(c.motion, 0.5, 0.5, &k);
    CHECK_NEAR(k.velocity.x, 1.0, 1e-14);
    CHECK_NEAR(k.spin.z, 1.0, 1e-14);
    CHECK(k.velocity_error < 1e-12 && k.spin_error < 1e-12);
    CHECK_NEAR(k.rotation_acceleration, 1.0, 1e-12);
    // by a tenth of the radius beyond: a tenth of the jump
    ovi_motion_taylor(c.motion, 0.55, 0.5, &k);
    CHECK_NEAR(k.velocity.x, 1.0, 1e-14);
    CHECK_NEAR(k.velocity_error, 0.1 * sqrt(5.0), 1e-12);
    CHECK_NEAR(k.spin_error, 0.1 * sqrt(5.0), 1e-12);
    // with the key in the middle: the larger of the speeds
    ovi_motion_taylor(c.motion, 0.95, 0.5, &k);
    CHECK(ov_vec3_length(k.velocity) == 0.0 && ov_vec3_length(k.spin) == 0.0);
    CHECK_NEAR(k.velocity_error, 2.0, 1e-12);
    CHECK_NEAR(k.spin_error, 2.0, 1e-12);
    CHECK(k.acceleration == 0.0 && k.rotation_acceleration == 0.0);
    // at rest, and from the rest over an end by half of the radius
    ovi_motion_taylor(c.motion, -1.0, 0.5, &k);
    CHECK(k.velocity_error == 0.0 && k.spin_error == 0.0 && k.acceleration == 0.0);
    ovi_motion_taylor(c.motion, -0.5, 1.0, &k);
    CHECK_NEAR(k.velocity_error, 0.5, 1e-12);
    CHECK_NEAR(k.spin_error, 0.5, 1e-12);
    ov_motion_destroy(c.motion);
    // a cubic one keeps its velocity, also over the ends
    c.spline = OV_SPLINE_CUBIC;
    create(&c);
    ovi_motion_taylor(c.motion, 0.95, 0.5, &k);
    CHECK(ov_vec3_length(k.velocity) > 0.5 && k.velocity_error < 1e-11 && k.acceleration > 1.0);
    ovi_motion_taylor(c.motion, 0.0, 0.5, &k);
    CHECK(ov_vec3_length(k.velocity) == 0.0 && k.velocity_error < 1e-11);
    ov_motion_destroy(c.motion);
}

/** Many keys: long intervals are as the largest of all speeds in them says. */
static void test_many_keys(void) {
    enum { MANY = 5000 };
    check_random r = check_random_make(6304);
    ov_pose *poses = malloc(MANY * sizeof *poses);
    double *times = malloc(MANY * sizeof *times), t = 0.0;
    for (size_t i = 0; i < MANY; i++) {
        poses[i] = (ov_pose){check_unit_vector(&r), check_rotation(&r)};
        times[i] = t;
        t += check_uniform(&r, 0.5, 1.5);
    }
    ov_motion *motion;
    CHECK_OK(ov_motion_create_keys(poses, times, MANY, OV_SPLINE_LINEAR, NULL, &motion));
    for (int i = 0; i < 60; i++) {
        double middle = check_uniform(&r, 0.0, t), radius = check_log_uniform(&r, 5.0, t);
        ovi_taylor c;
        ovi_motion_taylor(motion, middle, radius, &c);
        double speed = 0.0, turning = 0.0;
        for (size_t k = 0; k + 1 < MANY; k++) {
            if (times[k + 1] > middle - radius && times[k] < middle + radius) {
                double h = times[k + 1] - times[k];
                ov_vec3 way = ov_vec3_sub(poses[k + 1].position, poses[k].position);
                ov_quat a = poses[k].rotation, b = poses[k + 1].rotation;
                double dot = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
                speed = fmax(speed, ov_vec3_length(way) / h);
                turning = fmax(turning, 2.0 * acos(fmin(dot, 1.0)) / h);
            }
        }
        CHECK_NEAR(c.velocity_error, speed, 1e-12 * speed);
        CHECK_NEAR(c.spin_error, turning, 1e-7 * turning);
    }
    ov_motion_destroy(motion);
    free(poses);
    free(times);
}

/* ---- which way round */

static ov_quat middle_of(ov_quat a, ov_quat b) {
    const ov_pose poses[2] = {{{0.0, 0.0, 0.0}, a}, {{0.0, 0.0, 0.0}, b}};
    const double times[2] = {0.0, 1.0};
    ov_motion *motion;
    ov_pose pose = ov_pose_identity();
    CHECK_OK(ov_motion_create_keys(poses, times, 2, OV_SPLINE_LINEAR, NULL, &motion));
    CHECK_OK(ov_motion_pose(motion, 0.5, &pose));
    ov_motion_destroy(motion);
    return pose.rotation;
}

/** Do two quaternions turn alike, to a few units of rounding? */
static bool alike(ov_quat a, ov_quat b) {
    return fabs(fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z) - 1.0) < 1e-14;
}

static void test_ways_of_half_a_turn(void) {
    const double h = sqrt(0.5), e = 0x1p-30;
    const ov_quat one = {1.0, 0.0, 0.0, 0.0}, x = {0.0, 1.0, 0.0, 0.0},
                  back = {0.0, -1.0, 0.0, 0.0};
    // exactly half a turn: the arc on which the quaternions lie
    CHECK(alike(middle_of(one, x), (ov_quat){h, h, 0.0, 0.0}));
    CHECK(alike(middle_of(one, back), (ov_quat){h, -h, 0.0, 0.0}));
    CHECK(alike(middle_of(one, (ov_quat){-3.0, 0.0, 0.0, 0.0}), one));
    // a hair less than half a turn, one way and the other
    CHECK(alike(middle_of(one, (ov_quat){1e-300, 1.0, 0.0, 0.0}), (ov_quat){h, h, 0.0, 0.0}));
    CHECK(alike(middle_of(one, (ov_quat){-1e-300, 1.0, 0.0, 0.0}), (ov_quat){h, -h, 0.0, 0.0}));
    // a scalar product of -2^-60, which rounds to zero
    const ov_quat a = {1.0 + e, 1.0, 0.0, 0.0}, b = {1.0 - e, -1.0, 0.0, 0.0};
    double product = a.w * b.w;
    CHECK(product == 1.0);
    CHECK(alike(middle_of(a, b), (ov_quat){e, 1.0, 0.0, 0.0}));
    CHECK(alike(middle_of(a, stretched(b, -4.0)), (ov_quat){e, 1.0, 0.0, 0.0}));
    CHECK(alike(middle_of(b, a), (ov_quat){-e, -1.0, 0.0, 0.0}));
    // huge and tiny ones
    CHECK(alike(middle_of(stretched(a, 1e150), stretched(b, 1e150)), (ov_quat){e, 1.0, 0.0, 0.0}));
    CHECK(alike(middle_of(stretched(one, 1e-300), stretched(x, 1e300)), (ov_quat){h, h, 0.0, 0.0}));
}

/** Signs and lengths of quaternions say nothing about a rotation. */
static void test_signs_do_not_matter(void) {
    check_random r = check_random_make(6305);
    for (int i = 0; i < 300; i++) {
        keys_case c;
        make_random(&r, &c);
        ov_motion *other;
        for (size_t k = 0; k < c.count; k++) {
            c.poses[k].rotation = stretched(c.poses[k].rotation, k % 3 == 1 ? -2.0 : 1.0);
        }
        CHECK_OK(ov_motion_create_keys(c.poses, c.times, c.count, c.spline, NULL, &other));
        for (int j = 0; j < 5; j++) {
            double t = check_uniform(&r, c.times[0], c.times[c.count - 1]);
            ov_pose a, b;
            CHECK_OK(ov_motion_pose(c.motion, t, &a));
            CHECK_OK(ov_motion_pose(other, t, &b));
            CHECK(alike(a.rotation, b.rotation));
        }
        ov_motion_destroy(c.motion);
        ov_motion_destroy(other);
    }
}

/* ---- errors */

static void *no_memory(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    (void)block;
    (void)old_size;
    (void)size;
    return NULL;
}

static void test_bad_input_is_named(void) {
    const ov_pose pose = ov_pose_identity(),
                  good[3] = {pose, pose, {{1.0, 0.0, 0.0}, pose.rotation}};
    const double times[3] = {0.0, 1.0, 2.0};
    ov_motion *m = NULL;
    const ov_spline line = OV_SPLINE_LINEAR;
    CHECK_STATUS(ov_motion_create_keys(good, times, 3, line, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_create_keys(NULL, times, 3, line, NULL, &m), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_create_keys(good, NULL, 3, line, NULL, &m), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_create_keys(good, times, 1, line, NULL, &m), OV_ERROR_COUNT);
    CHECK_STATUS(ov_motion_create_keys(good, times, 0, line, NULL, &m), OV_ERROR_COUNT);
    CHECK_STATUS(ov_motion_create_keys(good, times, OV_MOTION_KEYS_MAX + 1, line, NULL, &m),
                 OV_ERROR_COUNT);
    CHECK_STATUS(ov_motion_create_keys(good, times, 3, OV_SPLINE_COUNT, NULL, &m), OV_ERROR_OPTION);
    CHECK_STATUS(ov_motion_create_keys(good, times, 3, (ov_spline)-1, NULL, &m), OV_ERROR_OPTION);
    const ov_allocator empty = {no_memory, NULL};
    CHECK_STATUS(ov_motion_create_keys(good, times, 3, line, &empty, &m), OV_ERROR_MEMORY);
    CHECK(m == NULL);
#define BAD(place, value, status)                                                                  \
    do {                                                                                           \
        ov_pose poses[3] = {good[0], good[1], good[2]};                                            \
        double time[3] = {0.0, 1.0, 2.0};                                                          \
        place = value;                                                                             \
        for (int kind = 0; kind < OV_SPLINE_COUNT; kind++) {                                       \
            m = (ov_motion *)&time;                                                                \
            CHECK_STATUS(ov_motion_create_keys(poses, time, 3, (ov_spline)kind, NULL, &m),         \
                         status);                                                                  \
            CHECK(m == NULL);                                                                      \
        }                                                                                          \
        (void)poses;                                                                               \
    } while (0)
    BAD(poses[1].position.y, NAN, OV_ERROR_NOT_FINITE);
    BAD(poses[2].position.y, INFINITY, OV_ERROR_NOT_FINITE);
    BAD(poses[2].position.z, 1.1e100, OV_ERROR_SIZE_RANGE);
    BAD(poses[1].rotation.w, 0.0, OV_ERROR_ZERO_DIRECTION);
    BAD(poses[1].rotation.w, NAN, OV_ERROR_NOT_FINITE);
    BAD(poses[0].rotation.x, INFINITY, OV_ERROR_NOT_FINITE);
    BAD(time[1], NAN, OV_ERROR_NOT_FINITE);
    BAD(time[2], INFINITY, OV_ERROR_NOT_FINITE);
    BAD(time[1], 0.0, OV_ERROR_TIME);
    BAD(time[1], 2.0, OV_ERROR_TIME);
    BAD(time[2], 0.5, OV_ERROR_TIME);
    BAD(time[0], 7.0, OV_ERROR_TIME);
    BAD(time[2], nextafter(1e-200, 1.0); time[1] = 1e-200, OV_ERROR_TIME); // infinitely fast
#undef BAD
    // long times, too long ones, and too short ones
    ov_motion *motion;
    const double wide[3] = {-4e99, 0.0, 4e99}, wider[3] = {-1e200, 0.0, 1e200};
    const double narrow[3] = {0.0, 5e-324, 1.0};
    CHECK_OK(ov_motion_create_keys(good, wide, 3, OV_SPLINE_CUBIC, NULL, &motion));
    ov_motion_destroy(motion);
    CHECK_STATUS(ov_motion_create_keys(good, wider, 3, line, NULL, &motion), OV_ERROR_TIME);
    CHECK_STATUS(ov_motion_create_keys(good, narrow, 3, line, NULL, &motion), OV_ERROR_TIME);
}

int main(void) {
    check_suite = "motion_keys";
    RUN(test_poses_match);
    RUN(test_taylor_models_hold);
    RUN(test_taylor_models_within_segments_are_tight);
    RUN(test_intervals_across_a_key);
    RUN(test_many_keys);
    RUN(test_ways_of_half_a_turn);
    RUN(test_signs_do_not_matter);
    RUN(test_bad_input_is_named);
    return check_finish();
}
