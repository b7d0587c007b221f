/**
 * @file test_motion_screw.c
 * @brief Screw motions against the exponential of their twist, by its series in long double.
 */
#include "check.h"
#include "taylor_oracle.h"

/* ---- the other way: exp of a 4x4 twist */

/** exp(x) - 1, so that doubling small turns loses nothing: E(2x) = E (E + 2). */
static matrix twist_exp(matrix x) {
    long double size = 0.0L;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            size += fabsl(x.m[i][j]);
        }
    }
    int halvings = 0;
    for (; size > 0.25L; size *= 0.5L) {
        halvings++;
    }
    matrix term, sum = {{{0.0L}}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            x.m[i][j] = ldexpl(x.m[i][j], -halvings);
            term.m[i][j] = i == j ? 1.0L : 0.0L;
        }
    }
    for (int k = 1; k <= 16; k++) {
        term = matrix_times(&term, &x);
        for (int i = 0; i < 16; i++) {
            term.m[i / 4][i % 4] /= (long double)k;
            sum.m[i / 4][i % 4] += term.m[i / 4][i % 4];
        }
    }
    for (int k = 0; k < halvings; k++) {
        matrix more = matrix_times(&sum, &sum);
        for (int i = 0; i < 16; i++) {
            sum.m[i / 4][i % 4] = 2.0L * sum.m[i / 4][i % 4] + more.m[i / 4][i % 4];
        }
    }
    for (int i = 0; i < 4; i++) {
        sum.m[i][i] += 1.0L;
    }
    return sum;
}

typedef struct screw_case {
    ov_pose first;
    ov_vec3 point, axis;
    double angle, travel, start, end;
    ov_motion *motion;
} screw_case;

static taylor_frame oracle_at(const screw_case *c, long double time) {
    long double w = (time - c->start) / ((long double)c->end - c->start);
    w = w < 0.0L ? 0.0L : w > 1.0L ? 1.0L : w;
    long double a[3] = {c->axis.x, c->axis.y, c->axis.z};
    long double length = sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    // about the first position, so that its own size does not matter: arms, not places, are turned
    long double arm[3] = {(long double)c->first.position.x - c->point.x,
                          (long double)c->first.position.y - c->point.y,
                          (long double)c->first.position.z - c->point.z};
    matrix x = {{{0.0L}}};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        x.m[k][j] = a[i] / length * w * c->angle;
        x.m[j][k] = -x.m[k][j];
        x.m[i][3] = (a[i] * c->travel + (a[j] * arm[k] - a[k] * arm[j]) * c->angle) / length * w;
    }
    matrix e = twist_exp(x);
    const long double q[4] = {c->first.rotation.w, c->first.rotation.x, c->first.rotation.y,
                              c->first.rotation.z};
    long double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    long double unit[4], r[3][3];
    for (int i = 0; i < 4; i++) {
        unit[i] = q[i] / sqrtl(square);
    }
    taylor_matrix(unit, r);
    taylor_frame f;
    const long double x0[3] = {c->first.position.x, c->first.position.y, c->first.position.z};
    for (int i = 0; i < 3; i++) {
        f.x[i] = x0[i] + e.m[i][3];
        for (int j = 0; j < 3; j++) {
            f.r[i][j] = e.m[i][0] * r[0][j] + e.m[i][1] * r[1][j] + e.m[i][2] * r[2][j];
        }
    }
    return f;
}

static ov_vec3 random_point(check_random *r, double size) {
    return ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, size));
}

/** Sizes, speeds and turns of all sorts; up to `turns` turns. */
static screw_case random_screw(check_random *r, double turns) {
    screw_case c;
    double size = check_log_uniform(r, 1e-3, 1e4), stretch = check_log_uniform(r, 0.1, 10.0);
    ov_quat q = check_rotation(r);
    c.first = (ov_pose){random_point(r, size),
                        {stretch * q.w, stretch * q.x, stretch * q.y, stretch * q.z}};
    c.point = ov_vec3_add(c.first.position, random_point(r, check_log_uniform(r, 1e-3, 1e3)));
    c.axis = ov_vec3_scale(check_unit_vector(r), check_log_uniform(r, 1e-3, 1e3));
    c.angle = check_uniform(r, -1.0, 1.0) * 2.0 * M_PI * check_log_uniform(r, 1e-9, turns);
    c.travel = check_uniform(r, -1.0, 1.0) * check_log_uniform(r, 1e-3, 1e3);
    c.start = check_uniform(r, -100.0, 100.0);
    c.end = c.start + check_log_uniform(r, 1e-2, 1e2);
    CHECK_OK(ov_motion_create_screw(c.first, c.point, c.axis, c.angle, c.travel, c.start, c.end,
                                    NULL, &c.motion));
    return c;
}

static void test_poses_match_the_exponential(void) {
    check_random r = check_random_make(6201);
    taylor_use worst = {0};
    for (int i = 0; i < 1500; i++) {
        screw_case c = random_screw(&r, i % 3 == 0 ? 1000.0 : 1.0);
        for (int j = 0; j < 5; j++) {
            double t = j == 0 ? c.start : j == 1 ? c.end : check_uniform(&r, c.start, c.end);
            ov_pose pose;
            ov_affine at;
            ovi_taylor taylor;
            CHECK_OK(ov_motion_pose(c.motion, t, &pose));
            CHECK_OK(ov_motion_at(c.motion, t, &at));
            ovi_motion_taylor(c.motion, t, 0.0, &taylor);
            ov_mat3 m = ov_mat3_from_quat(pose.rotation);
            CHECK(at.translation.x == pose.position.x && at.linear.cy.z == m.cy.z);
            CHECK(taylor.pose.position.y == pose.position.y &&
                  taylor.pose.rotation.z == pose.rotation.z);
            taylor_frame f = oracle_at(&c, t);
            taylor_check(&taylor, 0.0L, &f, &worst);
        }
        ov_motion_destroy(c.motion);
    }
    taylor_report(&worst);
}

/** A middle and a radius: tiny, long, across and beyond the ends. */
static void random_interval(check_random *r, const screw_case *c, double *middle, double *radius) {
    double length = c->end - c->start;
    uint64_t kind = check_random_bits(r) % 6;
    *middle = check_uniform(r, c->start, c->end);
    *radius = length * check_log_uniform(r, 1e-7, 0.5);
    if (kind == 0) {
        *middle = check_uniform(r, c->start - length, c->end + length);
        *radius = length * check_log_uniform(r, 1e-3, 3.0);
    } else if (kind == 1) {
        *middle = check_random_bits(r) % 2 == 0 ? c->start : c->end;
    } else if (kind == 2) { // the whole, to rounding or a little more
        *middle = c->start + 0.5 * length;
        *radius = 0.5 * length * (1.0 + check_log_uniform(r, 1e-16, 1e-2));
    } else if (kind == 3) { // just across an end
        *radius = (*middle - c->start) * (1.0 + check_log_uniform(r, 1e-12, 1.0));
    }
}

static void test_taylor_models_hold(void) {
    check_random r = check_random_make(6202);
    taylor_use worst = {0};
    for (int i = 0; i < 1500; i++) {
        screw_case c = random_screw(&r, i % 3 == 0 ? 1000.0 : 1.0);
        double middle, radius;
        random_interval(&r, &c, &middle, &radius);
        ovi_taylor taylor;
        ovi_motion_taylor(c.motion, middle, radius, &taylor);
        for (int j = 0; j <= 16; j++) {
            long double s = radius * (j / 8.0L - 1.0L);
            if (j % 5 == 2) {
                long double knot = (j % 2 == 0 ? c.start : c.end) - (long double)middle;
                s = fabsl(knot) <= radius ? knot : s;
            }
            long double t = middle + s; // rounded, so s is that of t
            taylor_frame f = oracle_at(&c, t);
            taylor_check(&taylor, t - middle, &f, &worst);
        }
        ov_motion_destroy(c.motion);
    }
    taylor_report(&worst);
}

/** Velocity and spin by differences, and how much is left open: second order, and no more. */
static void test_taylor_models_are_tight(void) {
    check_random r = check_random_make(6203);
    double worst = 0.0;
    for (int i = 0; i < 500; i++) {
        screw_case c = random_screw(&r, 3.0);
        double length = c.end - c.start, middle = check_uniform(&r, c.start, c.end);
        double radius = fmin(middle - c.start, c.end - middle) * 0.9;
        ovi_taylor taylor;
        ovi_motion_taylor(c.motion, middle, radius, &taylor);
        long double h = 1e-6L * length;
        taylor_frame a = oracle_at(&c, middle - h), b = oracle_at(&c, middle + h);
        ov_vec3 v = {(double)((b.x[0] - a.x[0]) / (2.0L * h)),
                     (double)((b.x[1] - a.x[1]) / (2.0L * h)),
                     (double)((b.x[2] - a.x[2]) / (2.0L * h))};
        double fast = fmax(ov_vec3_length(v), taylor.acceleration * length);
        double off = ov_vec3_length(ov_vec3_sub(v, taylor.velocity));
        // what the differences lose to rounding, of places and of times
        double lost = 1e-18 * (ov_vec3_length(c.first.position) / (double)h +
                               fast * (fabs(middle) + length) / (double)h);
        CHECK(off <= 1e-9 * fast + lost);
        worst = fmax(worst, (off - lost) / fast);
        // the axis and its distance from the frame's origin give what is left
        double omega = c.angle / length;
        ov_vec3 unit = ov_vec3_normalize(c.axis);
        CHECK(ov_vec3_length(ov_vec3_sub(taylor.spin, ov_vec3_scale(unit, omega))) <=
              1e-14 * fabs(omega));
        ov_vec3 arm = ov_vec3_sub(c.first.position, c.point);
        double away = ov_vec3_length(ov_vec3_cross(unit, arm));
        CHECK_NEAR(taylor.rotation_acceleration, omega * omega, 1e-12 * omega * omega);
        CHECK_NEAR(taylor.acceleration, omega * omega * away,
                   omega * omega * (1e-12 * away + 1e-14 * ov_vec3_length(arm)));
        CHECK(taylor.velocity_error <=
              1e-12 * (fabs(omega) * ov_vec3_length(arm) + ov_vec3_length(v)));
        CHECK(taylor.spin_error <= 1e-14 * fabs(omega) + 1e-300);
        ov_motion_destroy(c.motion);
    }
    check_worst("velocity by differences, relative", worst, 1e-9);
}

/** The whole motion, as pieces ask for it: a little beyond both ends, and still of second order. */
static void test_whole_span_keeps_its_velocity(void) {
    ov_motion *motion;
    ov_pose first = {{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    ov_vec3 origin = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 2.0};
    CHECK_OK(ov_motion_create_screw(first, origin, z, 1.0, 3.0, 0.0, 1.0, NULL, &motion));
    ovi_taylor c;
    ovi_motion_taylor(motion, 0.5, 0.5 * (1.0 + 1e-13), &c);
    CHECK_NEAR(c.velocity.z, 3.0, 1e-12);
    CHECK_NEAR(c.spin.z, 1.0, 1e-12);
    CHECK(c.velocity_error < 1e-11 && c.spin_error < 1e-11);
    // far beyond an end: the speeds alone
    ovi_motion_taylor(motion, 0.1, 0.5, &c);
    CHECK(c.velocity.z == 0.0 && c.spin.z == 0.0 && c.acceleration == 0.0);
    CHECK_NEAR(c.velocity_error, sqrt(10.0), 1e-12);
    CHECK_NEAR(c.spin_error, 1.0, 1e-12);
    // at rest before and after
    ovi_motion_taylor(motion, -2.0, 1.0, &c);
    CHECK(c.pose.position.x == 1.0 && c.velocity_error < 1e-13 && c.spin_error < 1e-13);
    ovi_motion_taylor(motion, 3.0, 1.5, &c);
    CHECK_NEAR(c.pose.position.z, 3.0, 1e-14);
    CHECK(c.velocity_error < 1e-13 && c.spin_error < 1e-13);
    CHECK(ov_motion_is_rigid(motion));
    CHECK(ov_motion_start(motion) == 0.0 && ov_motion_end(motion) == 1.0);
    // times outside, and none
    ov_pose a, b;
    CHECK_OK(ov_motion_pose(motion, 9.0, &a));
    CHECK_OK(ov_motion_pose(motion, 1.0, &b));
    CHECK(a.position.x == b.position.x && a.rotation.z == b.rotation.z);
    CHECK_OK(ov_motion_pose(motion, NAN, &a));
    CHECK(a.position.x == 1.0 && a.rotation.w == 1.0);
    ov_motion_destroy(motion);
    ov_motion_destroy(NULL);
}

/* ---- errors */

static void *no_memory(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    (void)block;
    (void)old_size;
    (void)size;
    return NULL;
}

static ov_status create(const screw_case *c, ov_motion **motion) {
    return ov_motion_create_screw(c->first, c->point, c->axis, c->angle, c->travel, c->start,
                                  c->end, NULL, motion);
}

static void test_bad_input_is_named(void) {
    const screw_case good = {
        ov_pose_identity(), {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 1.0, 1.0, 0.0, 1.0, NULL};
    ov_motion *m = NULL;
    CHECK_STATUS(create(&good, NULL), OV_ERROR_NULL);
#define BAD(change, status)                                                                        \
    do {                                                                                           \
        screw_case bad = good;                                                                     \
        ov_motion *none = (ov_motion *)&bad;                                                       \
        bad.change;                                                                                \
        CHECK_STATUS(create(&bad, &none), status);                                                 \
        CHECK(none == NULL);                                                                       \
    } while (0)
    BAD(first.position.x = NAN, OV_ERROR_NOT_FINITE);
    BAD(first.position.x = 2e100, OV_ERROR_SIZE_RANGE);
    BAD(first.rotation.w = 0.0, OV_ERROR_ZERO_DIRECTION);
    BAD(first.rotation.x = INFINITY, OV_ERROR_NOT_FINITE);
    BAD(point.z = NAN, OV_ERROR_NOT_FINITE);
    BAD(point.z = -2e100, OV_ERROR_SIZE_RANGE);
    BAD(axis.y = 0.0, OV_ERROR_ZERO_DIRECTION);
    BAD(axis.z = NAN, OV_ERROR_NOT_FINITE);
    BAD(angle = NAN, OV_ERROR_NOT_FINITE);
    BAD(angle = INFINITY, OV_ERROR_NOT_FINITE);
    BAD(travel = -INFINITY, OV_ERROR_NOT_FINITE);
    BAD(travel = 2e100, OV_ERROR_SIZE_RANGE);
    BAD(start = NAN, OV_ERROR_NOT_FINITE);
    BAD(end = INFINITY, OV_ERROR_NOT_FINITE);
    BAD(end = 0.0, OV_ERROR_TIME);
    BAD(start = 2.0, OV_ERROR_TIME);
    BAD(end = 1e-200, OV_ERROR_TIME); // a speed whose square is not a number
#undef BAD
    const ov_allocator empty = {no_memory, NULL};
    CHECK_STATUS(
        ov_motion_create_screw(good.first, good.point, good.axis, 1.0, 1.0, 0.0, 1.0, &empty, &m),
        OV_ERROR_MEMORY);
    CHECK(m == NULL);
    // the least that is allowed
    screw_case tiny = good;
    tiny.axis.y = 5e-324;
    CHECK_OK(create(&tiny, &m));
    ovi_taylor c;
    ovi_motion_taylor(m, 0.5, 0.1, &c);
    CHECK_NEAR(c.spin.y, 1.0, 1e-15);
    ov_motion_destroy(m);
}

int main(void) {
    check_suite = "motion_screw";
    RUN(test_poses_match_the_exponential);
    RUN(test_taylor_models_hold);
    RUN(test_taylor_models_are_tight);
    RUN(test_whole_span_keeps_its_velocity);
    RUN(test_bad_input_is_named);
    return check_finish();
}
