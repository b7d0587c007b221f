/**
 * @file rotation.h
 * @brief Rotations by quaternions of any length, for queries that are too short for calls.
 */
#ifndef OVI_ROTATION_H
#define OVI_ROTATION_H

#include <ovoid/math.h>

static inline double ovi_quat_square(ov_quat q) {
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

/** a after b. */
static inline ov_quat ovi_quat_product(ov_quat a, ov_quat b) {
    ov_quat c;
    c.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    c.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    c.y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
    c.z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
    return c;
}

/** A vector turned by a unit quaternion. */
static inline ov_vec3 ovi_quat_turn(ov_quat q, ov_vec3 v) {
    // v + 2w (u x v) + 2 u x (u x v), u the vector part
    ov_vec3 u = ov_vec3_make(q.x, q.y, q.z);
    ov_vec3 t = ov_vec3_scale(ov_vec3_cross(u, v), 2.0);
    return ov_vec3_add(ov_vec3_add_scaled(v, t, q.w), ov_vec3_cross(u, t));
}

/** The rotation of a quaternion; `s` is two over the square of its length. */
static inline ov_mat3 ovi_mat3_of_quat(ov_quat q, double s) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    ov_mat3 m;
    m.cx = ov_vec3_make(1.0 - s * (yy + zz), s * (xy + wz), s * (xz - wy));
    m.cy = ov_vec3_make(s * (xy - wz), 1.0 - s * (xx + zz), s * (yz + wx));
    m.cz = ov_vec3_make(s * (xz + wy), s * (yz - wx), 1.0 - s * (xx + yy));
    return m;
}

/** The quaternion of a right-handed frame. */
static inline ov_quat ovi_quat_of_frame(ov_vec3 x, ov_vec3 y, ov_vec3 z) {
    // the largest of the four entries first, so that nothing is divided by a small one
    double trace[4] = {x.x + y.y + z.z, x.x - y.y - z.z, y.y - x.x - z.z, z.z - x.x - y.y};
    int k = 0;
    for (int i = 1; i < 4; i++) {
        k = trace[i] > trace[k] ? i : k;
    }
    double big = 0.5 * sqrt(1.0 + trace[k]), i = 0.25 / big;
    ov_vec3 odd = {y.z - z.y, z.x - x.z, x.y - y.x}, even = {y.z + z.y, z.x + x.z, x.y + y.x};
    ov_quat q = {big, odd.x * i, odd.y * i, odd.z * i};
    if (k == 1) {
        q = (ov_quat){odd.x * i, big, even.z * i, even.y * i};
    } else if (k == 2) {
        q = (ov_quat){odd.y * i, even.z * i, big, even.x * i};
    } else if (k == 3) {
        q = (ov_quat){odd.z * i, even.y * i, even.x * i, big};
    }
    (void)ov_quat_normalize(q, &q);
    return q;
}

#endif
