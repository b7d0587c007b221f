/**
 * @file test_math.c
 * @brief Vectors, rotations, poses and the Householder frame, against long double; the words for
 * statuses; the version.
 */
#include <limits.h>
#include <string.h>

#include "check.h"

/** Largest difference of two vectors. */
static double apart(ov_vec3 a, ov_vec3 b) {
    ov_vec3 d = ov_vec3_sub(a, b);
    return fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
}

static ov_vec3 random_vector(check_random *r, double scale) {
    return ov_vec3_make(scale * check_uniform(r, -1.0, 1.0), scale * check_uniform(r, -1.0, 1.0),
                        scale * check_uniform(r, -1.0, 1.0));
}

/* ---- vectors */

static void test_vectors(void) {
    const ov_vec3 a = {1.0, -2.0, 3.0}, b = {4.0, 5.0, -6.0};
    CHECK(apart(ov_vec3_add(a, b), ov_vec3_make(5.0, 3.0, -3.0)) == 0.0);
    CHECK(apart(ov_vec3_sub(a, b), ov_vec3_make(-3.0, -7.0, 9.0)) == 0.0);
    CHECK(apart(ov_vec3_neg(a), ov_vec3_make(-1.0, 2.0, -3.0)) == 0.0);
    CHECK(apart(ov_vec3_scale(a, 2.0), ov_vec3_make(2.0, -4.0, 6.0)) == 0.0);
    CHECK(apart(ov_vec3_add_scaled(a, b, 2.0), ov_vec3_make(9.0, 8.0, -9.0)) == 0.0);
    CHECK(apart(ov_vec3_mul(a, b), ov_vec3_make(4.0, -10.0, -18.0)) == 0.0);
    CHECK(ov_vec3_dot(a, b) == -24.0);
    CHECK(apart(ov_vec3_cross(a, b), ov_vec3_make(-3.0, 18.0, 13.0)) == 0.0);
    // right-handed: x cross y is z
    ov_vec3 z = ov_vec3_cross(ov_vec3_make(1.0, 0.0, 0.0), ov_vec3_make(0.0, 1.0, 0.0));
    CHECK(apart(z, ov_vec3_make(0.0, 0.0, 1.0)) == 0.0);
    const ov_mat3 m = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}};
    CHECK(apart(ov_mat3_mul_vec3(&m, a), ov_vec3_make(14.0, 16.0, 18.0)) == 0.0);
    CHECK(apart(ov_mat3_tmul_vec3(&m, a), ov_vec3_make(6.0, 12.0, 18.0)) == 0.0);
}

static void test_lengths(void) {
    static const double scales[] = {1e-320, 1e-310, 1e-200, 1e-140, 1e-100,
                                    1.0,    1e100,  1e140,  1e200,  1e307};
    check_random r = check_random_make(701);
    double worst = 0.0;
    for (int i = 0; i < 20000; i++) {
        double scale = scales[i % 10];
        ov_vec3 v = random_vector(&r, scale);
        v.y *= i % 3 == 0 ? 1e-9 : 1.0;
        long double exact =
            sqrtl((long double)v.x * v.x + (long double)v.y * v.y + (long double)v.z * v.z);
        double length = ov_vec3_length(v), error = (double)fabsl(length / exact - 1.0L);
        // a subnormal length has few bits
        CHECK_NEAR(length, (double)exact, 4e-16 * (double)exact + 0x1p-1074);
        ov_vec3 n = ov_vec3_normalize(v);
        CHECK_NEAR(ov_vec3_length(n), 1.0, 4e-16);
        if (scale > 1e-300) {
            worst = fmax(worst, error);
            CHECK_NEAR((double)(n.x * exact / v.x), 1.0, 1e-15);
            CHECK_NEAR((double)(n.z * exact / v.z), 1.0, 1e-15);
        }
    }
    check_worst("length from 1e-200 to 1e307, relative", worst, 4e-16);
    const ov_vec3 zero = {0.0, -0.0, 0.0};
    CHECK(ov_vec3_length(zero) == 0.0);
    CHECK(apart(ov_vec3_normalize(zero), zero) == 0.0);
    CHECK(ov_vec3_length(ov_vec3_make(3e-200, -4e-200, 0.0)) == 5e-200);
    CHECK(apart(ov_vec3_normalize(ov_vec3_make(0.0, 0.0, -1e-320)), ov_vec3_make(0.0, 0.0, -1.0)) ==
          0.0);
}

/** What is not finite passes through as IEEE arithmetic has it. */
static void test_not_finite(void) {
    for (int i = 0; i < 3; i++) {
        for (int big = 0; big < 2; big++) {
            double rest = big ? 1e200 : 0.0;
            ov_vec3 nan = {i == 0 ? NAN : rest, i == 1 ? NAN : rest, i == 2 ? NAN : rest};
            ov_vec3 inf = {i == 0 ? -INFINITY : rest, i == 1 ? -INFINITY : rest,
                           i == 2 ? -INFINITY : rest};
            CHECK(isnan(ov_vec3_length(nan)));
            CHECK(isinf(ov_vec3_length(inf)) && ov_vec3_length(inf) > 0.0);
            CHECK(!ov_vec3_is_finite(nan) && !ov_vec3_is_finite(inf));
            CHECK(!ov_vec3_is_finite(ov_vec3_normalize(nan)));
        }
    }
    CHECK(ov_vec3_is_finite(ov_vec3_make(1e308, -1e308, 0.0)));
}

/* ---- rotations and poses */

/** Rodrigues' formula in long double. */
static ov_vec3 rodrigues(ov_vec3 axis, double angle_rad, ov_vec3 v) {
    long double a[3] = {axis.x, axis.y, axis.z}, w[3] = {v.x, v.y, v.z}, out[3];
    long double length = sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) {
        a[i] /= length;
    }
    long double c = cosl(angle_rad), s = sinl(angle_rad);
    long double along = a[0] * w[0] + a[1] * w[1] + a[2] * w[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * w[i] + s * (a[j] * w[k] - a[k] * w[j]) + (1.0L - c) * along * a[i];
    }
    return ov_vec3_make((double)out[0], (double)out[1], (double)out[2]);
}

static void test_rotations(void) {
    static const double scales[] = {1e-320, 1e-200, 1.0, 1e200};
    check_random r = check_random_make(702);
    double worst = 0.0;
    for (int i = 0; i < 20000; i++) {
        ov_vec3 axis = random_vector(&r, scales[1 + i % 3]), v = random_vector(&r, 1.0);
        double angle_rad = check_uniform(&r, -7.0, 7.0);
        ov_quat q = ov_quat_from_axis_angle(axis, angle_rad);
        ov_mat3 m = ov_mat3_from_quat(q);
        ov_vec3 exact = rodrigues(axis, angle_rad, v), turned = ov_quat_rotate(q, v);
        double error = fmax(apart(turned, exact), apart(ov_mat3_mul_vec3(&m, v), exact));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 4e-15);
        // back by the conjugate and by the transposed matrix
        CHECK_NEAR(apart(ov_quat_rotate(ov_quat_conjugate(q), turned), v), 0.0, 4e-15);
        CHECK_NEAR(apart(ov_mat3_tmul_vec3(&m, turned), v), 0.0, 4e-15);
        // one rotation after another
        ov_quat p = check_rotation(&r);
        CHECK_NEAR(apart(ov_quat_rotate(ov_quat_mul(p, q), v), ov_quat_rotate(p, turned)), 0.0,
                   4e-15);
    }
    check_worst("rotation against Rodrigues' formula", worst, 4e-15);
    // a quarter about z takes x to y
    ov_quat q = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, scales[0]), 0.5 * M_PI);
    ov_vec3 y = ov_quat_rotate(q, ov_vec3_make(1.0, 0.0, 0.0));
    CHECK_NEAR(apart(y, ov_vec3_make(0.0, 1.0, 0.0)), 0.0, 1e-15);
    ov_quat none = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 0.0), 1.0);
    CHECK(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
    none = ov_quat_identity();
    CHECK(apart(ov_quat_rotate(none, y), y) == 0.0);
}

static void test_quat_normalize(void) {
    static const double scales[] = {1e-320, 1e-200, 1e-3, 1.0, 1e200, 1.7e308};
    check_random r = check_random_make(703);
    for (int i = 0; i < 6000; i++) {
        ov_quat q = check_rotation(&r), unit = {0.0, 0.0, 0.0, 0.0};
        double s = scales[i % 6], few_bits = s < 1e-300 ? 1e-3 : 4e-16;
        ov_quat scaled = {s * q.w, s * q.x, s * q.y, s * q.z};
        CHECK_OK(ov_quat_normalize(scaled, &unit));
        CHECK_NEAR(unit.w, q.w, few_bits);
        CHECK_NEAR(unit.x, q.x, few_bits);
        CHECK_NEAR(unit.y, q.y, few_bits);
        CHECK_NEAR(unit.z, q.z, few_bits);
        double norm = unit.w * unit.w + unit.x * unit.x + unit.y * unit.y + unit.z * unit.z;
        CHECK_NEAR(norm, 1.0, 1e-15);
    }
    ov_quat unit;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 12; i++) {
        ov_quat q = {i % 4 == 0 ? bad[i / 4] : 0.0, i % 4 == 1 ? bad[i / 4] : 0.0,
                     i % 4 == 2 ? bad[i / 4] : 0.0, i % 4 == 3 ? bad[i / 4] : 0.0};
        CHECK_STATUS(ov_quat_normalize(q, &unit), OV_ERROR_NOT_FINITE);
    }
    CHECK_STATUS(ov_quat_normalize((ov_quat){0.0, -0.0, 0.0, 0.0}, &unit), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_quat_normalize(ov_quat_identity(), NULL), OV_ERROR_NULL);
}

static void test_poses(void) {
    check_random r = check_random_make(704);
    for (int i = 0; i < 5000; i++) {
        ov_vec3 v = random_vector(&r, 1.0);
        ov_pose pose = {random_vector(&r, 10.0), check_rotation(&r)};
        ov_vec3 there = ov_pose_apply(pose, v);
        // rotated first, then moved
        ov_vec3 expected = ov_vec3_add(ov_quat_rotate(pose.rotation, v), pose.position);
        CHECK_NEAR(apart(there, expected), 0.0, 1e-14);
        CHECK_NEAR(apart(ov_pose_apply_inverse(pose, there), v), 0.0, 2e-14);
        CHECK(apart(ov_pose_apply(ov_pose_identity(), v), v) == 0.0);
        CHECK(apart(ov_pose_apply_inverse(ov_pose_identity(), v), v) == 0.0);
    }
}

static void test_affine(void) {
    check_random r = check_random_make(706);
    for (int i = 0; i < 5000; i++) {
        ov_vec3 v = random_vector(&r, 1.0);
        ov_pose pose = {random_vector(&r, 10.0), check_rotation(&r)};
        ov_affine a = ov_affine_from_pose(pose);
        CHECK_NEAR(apart(ov_affine_apply(&a, v), ov_pose_apply(pose, v)), 0.0, 1e-14);
        const ov_affine any[2] = {
            {{random_vector(&r, 1.0), random_vector(&r, 1.0), random_vector(&r, 1.0)},
             random_vector(&r, 10.0)},
            {{random_vector(&r, 1.0), random_vector(&r, 1.0), random_vector(&r, 1.0)},
             random_vector(&r, 10.0)}};
        ov_affine both = ov_affine_mul(&any[0], &any[1]);
        ov_vec3 expected = ov_affine_apply(&any[0], ov_affine_apply(&any[1], v));
        CHECK_NEAR(apart(ov_affine_apply(&both, v), expected), 0.0, 1e-13);
    }
}

/* ---- the Householder frame */

/** Orthonormal, symmetric and its own inverse, the first column along +-n. */
static double check_householder(ov_vec3 n) {
    ov_mat3 m = ov_mat3_householder(n);
    ov_vec3 unit = ov_vec3_normalize(n);
    const ov_vec3 c[3] = {m.cx, m.cy, m.cz};
    double error = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            error = fmax(error, fabs(ov_vec3_dot(c[i], c[j]) - (i == j ? 1.0 : 0.0)));
        }
    }
    error = fmax(error, fabs(m.cx.y - m.cy.x));
    error = fmax(error, fmax(fabs(m.cx.z - m.cz.x), fabs(m.cy.z - m.cz.y)));
    double along = ov_vec3_dot(m.cx, unit) > 0.0 ? 1.0 : -1.0;
    error = fmax(error, apart(m.cx, ov_vec3_scale(unit, along)));
    CHECK_NEAR(error, 0.0, 2e-15);
    return error;
}

static void test_householder(void) {
    static const double scales[] = {1e-320, 1e-300, 1e-9, 1.0, 1e300};
    check_random r = check_random_make(705);
    double worst = 0.0;
    for (int i = 0; i < 20000; i++) {
        worst = fmax(worst, check_householder(random_vector(&r, scales[1 + i % 4])));
        // close to the axes, where the other reflector would cancel
        ov_vec3 n = random_vector(&r, check_log_uniform(&r, 1e-20, 1e-3));
        *(i % 3 == 0 ? &n.x : i % 3 == 1 ? &n.y : &n.z) = i % 2 == 0 ? 1.0 : -1.0;
        worst = fmax(worst, check_householder(n));
    }
    for (int i = 0; i < 5 * 27; i++) {
        double s = scales[i / 27];
        ov_vec3 n = {s * (i % 3 - 1), s * (i / 3 % 3 - 1), s * (i / 9 % 3 - 1)};
        if (ov_vec3_dot(ov_vec3_normalize(n), ov_vec3_normalize(n)) > 0.0) {
            worst = fmax(worst, check_householder(n));
        }
    }
    check_worst("Householder frame", worst, 2e-15);
    ov_mat3 m = ov_mat3_householder(ov_vec3_make(0.0, 0.0, 0.0));
    CHECK(apart(m.cx, ov_vec3_make(1.0, 0.0, 0.0)) == 0.0);
    CHECK(apart(m.cy, ov_vec3_make(0.0, 1.0, 0.0)) == 0.0);
    CHECK(apart(m.cz, ov_vec3_make(0.0, 0.0, 1.0)) == 0.0);
}

/* ---- words */

static bool is_word(const char *text) {
    return text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(text);
}

/** Each status has a word and a sentence of its own; other numbers say that they are none. */
static void test_status_text(void) {
    for (int i = OV_ERROR_CROSSING; i <= OV_NOT_CONVERGED; i++) {
        const char *word = ov_status_name((ov_status)i), *text = ov_status_message((ov_status)i);
        CHECK(word != NULL && is_word(word) && strcmp(word, "unknown") != 0);
        CHECK(text != NULL && text[0] != '\0' && strcmp(text, "not a status") != 0);
        CHECK(strchr(text, '\n') == NULL);
        for (int k = OV_ERROR_CROSSING; k < i; k++) {
            CHECK(strcmp(word, ov_status_name((ov_status)k)) != 0);
            CHECK(strcmp(text, ov_status_message((ov_status)k)) != 0);
        }
    }
    CHECK(strcmp(ov_status_name(OV_OK), "solved") == 0);
    CHECK(strcmp(ov_status_name(OV_ERROR_NOT_FINITE), "not_finite") == 0);
    CHECK(strcmp(ov_status_name(OV_ERROR_EXPONENT), "exponent") == 0);
    const int none[] = {OV_NOT_CONVERGED + 1, OV_ERROR_CROSSING - 1, 99, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; i++) {
        CHECK(strcmp(ov_status_message((ov_status)none[i]), "not a status") == 0);
        CHECK(strcmp(ov_status_name((ov_status)none[i]), "unknown") == 0);
    }
}

static void test_version(void) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", OV_VERSION_MAJOR, OV_VERSION_MINOR, OV_VERSION_PATCH);
    CHECK(strcmp(ov_version_string(), text) == 0);
}

int main(void) {
    check_suite = "math";
    RUN(test_vectors);
    RUN(test_lengths);
    RUN(test_not_finite);
    RUN(test_rotations);
    RUN(test_quat_normalize);
    RUN(test_poses);
    RUN(test_affine);
    RUN(test_householder);
    RUN(test_status_text);
    RUN(test_version);
    return check_finish();
}
