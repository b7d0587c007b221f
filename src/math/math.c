/**
 * @file math.c
 * @brief The parts of ovoid/math.h that are more than one line.
 */
#include <stdbool.h>
#include <stddef.h>

#include "rotation.h"

/** Largest absolute component: the scale that keeps squares in range. */
static double largest(ov_vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z), xy = x > y ? x : y;
    return xy > z ? xy : z; // fmax() is a call, and a NaN need not be dropped
}

double ov_vec3_length(ov_vec3 a) {
    double scale = largest(a);
    if (scale == 0.0 || !isfinite(scale)) {
        // not the scale itself: it may have dropped a NaN
        return fabs(a.x) + fabs(a.y) + fabs(a.z);
    }
    // squares of normal components are exact enough as they are; others are scaled first
    if (scale > 1e-140 && scale < 1e140) {
        return sqrt(ov_vec3_dot(a, a));
    }
    ov_vec3 b = ov_vec3_make(a.x / scale, a.y / scale, a.z / scale);
    return scale * sqrt(ov_vec3_dot(b, b));
}

/** Squares that neither overflowed nor underflowed. */
static bool is_safe(double square) { return square > 1e-200 && square < 1e200; }

ov_vec3 ov_vec3_normalize(ov_vec3 a) {
    double square = ov_vec3_dot(a, a);
    if (is_safe(square)) {
        return ov_vec3_scale(a, 1.0 / sqrt(square));
    }
    double scale = largest(a);
    if (scale == 0.0 || !isfinite(scale)) {
        return a;
    }
    ov_vec3 b = ov_vec3_make(a.x / scale, a.y / scale, a.z / scale);
    return ov_vec3_scale(b, 1.0 / sqrt(ov_vec3_dot(b, b)));
}

ov_quat ov_quat_from_axis_angle(ov_vec3 axis, double angle_rad) {
    ov_vec3 u = ov_vec3_normalize(axis);
    if (ov_vec3_dot(u, u) == 0.0) {
        return ov_quat_identity();
    }
    double s = sin(0.5 * angle_rad);
    return (ov_quat){cos(0.5 * angle_rad), s * u.x, s * u.y, s * u.z};
}

ov_status ov_quat_normalize(ov_quat q, ov_quat *unit) {
    if (unit == NULL) {
        return OV_ERROR_NULL;
    }
    double square = ovi_quat_square(q);
    if (is_safe(square)) {
        double inverse = 1.0 / sqrt(square);
        *unit = (ov_quat){q.w * inverse, q.x * inverse, q.y * inverse, q.z * inverse};
        return OV_OK;
    }
    double scale = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    if (!(isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z))) {
        return OV_ERROR_NOT_FINITE;
    }
    if (scale == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    ov_quat s = {q.w / scale, q.x / scale, q.y / scale, q.z / scale};
    double inverse = 1.0 / sqrt(s.w * s.w + s.x * s.x + s.y * s.y + s.z * s.z);
    *unit = (ov_quat){s.w * inverse, s.x * inverse, s.y * inverse, s.z * inverse};
    return OV_OK;
}

ov_quat ov_quat_mul(ov_quat a, ov_quat b) { return ovi_quat_product(a, b); }

ov_vec3 ov_quat_rotate(ov_quat q, ov_vec3 v) { return ovi_quat_turn(q, v); }

ov_mat3 ov_mat3_from_quat(ov_quat q) { return ovi_mat3_of_quat(q, 2.0); }

ov_vec3 ov_pose_apply(ov_pose pose, ov_vec3 point) {
    return ov_vec3_add(ov_quat_rotate(pose.rotation, point), pose.position);
}

ov_vec3 ov_pose_apply_inverse(ov_pose pose, ov_vec3 point) {
    return ov_quat_rotate(ov_quat_conjugate(pose.rotation), ov_vec3_sub(point, pose.position));
}

ov_affine ov_affine_mul(const ov_affine *a, const ov_affine *b) {
    return (ov_affine){{ov_mat3_mul_vec3(&a->linear, b->linear.cx),
                        ov_mat3_mul_vec3(&a->linear, b->linear.cy),
                        ov_mat3_mul_vec3(&a->linear, b->linear.cz)},
                       ov_affine_apply(a, b->translation)};
}

ov_mat3 ov_mat3_householder(ov_vec3 normal) {
    ov_vec3 n = ov_vec3_normalize(normal);
    if (ov_vec3_dot(n, n) == 0.0) {
        return (ov_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    }
    // h = n + sign(n_x) e_x: its first component only grows, so h.h >= 1
    ov_vec3 h = ov_vec3_make(n.x + copysign(1.0, n.x), n.y, n.z);
    double c = 2.0 / ov_vec3_dot(h, h);
    ov_mat3 m;
    m.cx = ov_vec3_make(1.0 - c * h.x * h.x, -c * h.x * h.y, -c * h.x * h.z);
    m.cy = ov_vec3_make(-c * h.y * h.x, 1.0 - c * h.y * h.y, -c * h.y * h.z);
    m.cz = ov_vec3_make(-c * h.z * h.x, -c * h.z * h.y, 1.0 - c * h.z * h.z);
    return m;
}
