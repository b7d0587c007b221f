/**
 * @file obb_oracle.h
 * @brief Boxes for the tests of ov_obb_apart, and their gap without any separating axis.
 *
 * The oracle: two boxes are as far apart as the nearest of the twelve edges of one is from the
 * other one, over both. (Boxes that meet have a common corner of their intersection: on an edge of
 * one and within the other. Nearest points of others are a corner and a point, or points of two
 * edges.) The distance of a segment from a box, squared, is convex and piecewise quadratic along
 * the segment; its least value is found in closed form. All in long double, so to about 1e-18 of
 * all sizes; what it finds is the distance of two points, so from above but for that.
 */
#ifndef OVOID_TESTS_OBB_ORACLE_H
#define OVOID_TESTS_OBB_ORACLE_H

#include "check.h"

#include <ovoid/world.h>

typedef long double ob_real;

/** The exact rotation of a quaternion of any length, entry [row][column]. */
static inline void ob_axes(ov_quat q, ob_real m[3][3]) {
    ob_real w = q.w, x = q.x, y = q.y, z = q.z, s = 2.0L / (w * w + x * x + y * y + z * z);
    m[0][0] = 1.0L - s * (y * y + z * z);
    m[1][1] = 1.0L - s * (x * x + z * z);
    m[2][2] = 1.0L - s * (x * x + y * y);
    m[0][1] = s * (x * y - w * z);
    m[1][0] = s * (x * y + w * z);
    m[0][2] = s * (x * z + w * y);
    m[2][0] = s * (x * z - w * y);
    m[1][2] = s * (y * z - w * x);
    m[2][1] = s * (y * z + w * x);
}

/** Slope of half the squared distance from the box, at p + s v. */
static inline ob_real ob_slope(const ob_real p[3], const ob_real v[3], const ob_real h[3],
                               ob_real s) {
    ob_real sum = 0.0L;
    for (int i = 0; i < 3; i++) {
        ob_real x = p[i] + s * v[i], over = fabsl(x) - h[i];
        if (over > 0.0L) {
            sum += copysignl(over, x) * v[i];
        }
    }
    return sum;
}

static inline ob_real ob_square(const ob_real p[3], const ob_real v[3], const ob_real h[3],
                                ob_real s) {
    ob_real sum = 0.0L;
    for (int i = 0; i < 3; i++) {
        ob_real over = fabsl(p[i] + s * v[i]) - h[i];
        sum += over > 0.0L ? over * over : 0.0L;
    }
    return sum;
}

/** Squared distance of the segment from p to p + v from the box of half extents h. */
static inline ob_real ob_segment(const ob_real p[3], const ob_real v[3], const ob_real h[3]) {
    ob_real lo = 0.0L, hi = 1.0L, slope_lo = ob_slope(p, v, h, lo), slope_hi;
    if (slope_lo >= 0.0L) {
        return ob_square(p, v, h, lo);
    }
    slope_hi = ob_slope(p, v, h, hi);
    if (slope_hi <= 0.0L) {
        return ob_square(p, v, h, hi);
    }
    // the slope is linear between the crossings of the planes of the faces
    for (int i = 0; i < 6; i++) {
        ob_real face = i < 3 ? h[i] : -h[i - 3], s = (face - p[i % 3]) / v[i % 3];
        if (s > lo && s < hi) {
            ob_real slope = ob_slope(p, v, h, s);
            if (slope < 0.0L) {
                lo = s;
                slope_lo = slope;
            } else {
                hi = s;
                slope_hi = slope;
            }
        }
    }
    ob_real s = lo - slope_lo * (hi - lo) / (slope_hi - slope_lo);
    return fminl(ob_square(p, v, h, s), fminl(ob_square(p, v, h, lo), ob_square(p, v, h, hi)));
}

/** Least squared distance of the edges of b from a. */
static inline ob_real ob_edges(const ov_obb *a, const ov_obb *b) {
    ob_real ra[3][3], rb[3][3], c[3][3], t[3], least = INFINITY;
    ob_real h[3] = {a->half.x, a->half.y, a->half.z}, k[3] = {b->half.x, b->half.y, b->half.z};
    ov_vec3 pa = a->pose.position, pb = b->pose.position;
    ob_real d[3] = {(ob_real)pb.x - pa.x, (ob_real)pb.y - pa.y, (ob_real)pb.z - pa.z};
    ob_axes(a->pose.rotation, ra);
    ob_axes(b->pose.rotation, rb);
    for (int i = 0; i < 3; i++) {
        t[i] = ra[0][i] * d[0] + ra[1][i] * d[1] + ra[2][i] * d[2];
        for (int j = 0; j < 3; j++) {
            c[i][j] = ra[0][i] * rb[0][j] + ra[1][i] * rb[1][j] + ra[2][i] * rb[2][j];
        }
    }
    for (int e = 0; e < 12; e++) {
        int j = e / 4, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        ob_real s1 = (e & 1) != 0 ? k[j1] : -k[j1], s2 = (e & 2) != 0 ? k[j2] : -k[j2];
        ob_real p[3], v[3];
        for (int i = 0; i < 3; i++) {
            p[i] = t[i] + c[i][j1] * s1 + c[i][j2] * s2 - c[i][j] * k[j];
            v[i] = 2.0L * c[i][j] * k[j];
        }
        least = fminl(least, ob_segment(p, v, h));
    }
    return least;
}

/** Gap of two boxes, zero where they meet. */
static inline ob_real ob_gap(const ov_obb *a, const ov_obb *b) {
    return sqrtl(fminl(ob_edges(a, b), ob_edges(b, a)));
}

/** All lengths of a pair together: what rounding is measured by. */
static inline double ob_scale(const ov_obb *a, const ov_obb *b) {
    ov_vec3 d = ov_vec3_sub(b->pose.position, a->pose.position), h = ov_vec3_add(a->half, b->half);
    return fabs(d.x) + fabs(d.y) + fabs(d.z) + h.x + h.y + h.z;
}

/** Error of the oracle: some dozen roundings of long double. */
#define OB_ERROR 1e-17

/* ---- random pairs */

typedef enum ob_class {
    OB_PLAIN,    /**< half extents and offsets of one size */
    OB_PARALLEL, /**< axes equal, or nearly: 1e-17 to 1e-2 */
    OB_FLAT,     /**< half extents of 0 or 1e-12 */
    OB_LONG,     /**< half extents of 1e-6 to 1e3 */
    OB_TOUCH,    /**< on one of the fifteen axes apart by a few roundings, or by 1e-3 */
    OB_SIZES,    /**< of sizes 1e-50 to 1e50 */
    OB_CLASSES
} ob_class;

static const char *const ob_class_names[OB_CLASSES] = {"plain", "parallel", "flat",
                                                       "long",  "touch",    "sizes"};

static inline ov_vec3 ob_half(check_random *r, ob_class kind) {
    double h[3];
    for (int i = 0; i < 3; i++) {
        uint64_t bits = check_random_bits(r) >> 8;
        h[i] = kind == OB_LONG ? check_log_uniform(r, 1e-6, 1e3) : check_uniform(r, 0.1, 1.0);
        if (kind == OB_FLAT && bits % 2 == 0) {
            h[i] = bits % 4 == 0 ? 0.0 : 1e-12;
        }
    }
    return ov_vec3_make(h[0], h[1], h[2]);
}

/** Half the width of a box along a direction. */
static inline double ob_width(const ov_obb *box, ov_vec3 n) {
    ov_mat3 m = ov_mat3_from_quat(box->pose.rotation);
    ov_vec3 c = ov_mat3_tmul_vec3(&m, n);
    return box->half.x * fabs(c.x) + box->half.y * fabs(c.y) + box->half.z * fabs(c.z);
}

/** Moves b to where the boxes just touch, or nearly, on one of the axes. */
static inline void ob_touch(check_random *r, const ov_obb *a, ov_obb *b) {
    ov_mat3 ra = ov_mat3_from_quat(a->pose.rotation), rb = ov_mat3_from_quat(b->pose.rotation);
    const ov_vec3 ax[3] = {ra.cx, ra.cy, ra.cz}, bx[3] = {rb.cx, rb.cy, rb.cz};
    uint64_t pick = check_random_bits(r) >> 8;
    int i = (int)(pick % 3), j = (int)(pick / 3 % 3);
    ov_vec3 n = pick / 9 % 3 == 0 ? ax[i] : pick / 9 % 3 == 1 ? bx[j] : ov_vec3_cross(ax[i], bx[j]);
    n = ov_vec3_normalize(n);
    double along = ob_width(a, n) + ob_width(b, n);
    along *= 1.0 + 0x1p-53 * round(check_uniform(r, -8.0, 200.0));
    if (pick / 27 % 3 == 0) {
        along += check_log_uniform(r, 1e-17, 1e-3);
    }
    ov_vec3 side = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 0.5));
    side = ov_vec3_add_scaled(side, n, -ov_vec3_dot(side, n));
    b->pose.position = ov_vec3_add(a->pose.position, ov_vec3_add_scaled(side, n, along));
}

static inline ov_obb ob_scaled(ov_obb box, double s) {
    box.pose.position = ov_vec3_scale(box.pose.position, s);
    box.half = ov_vec3_scale(box.half, s);
    return box;
}

static inline void ob_random_pair(check_random *r, ob_class kind, ov_obb *a, ov_obb *b) {
    a->half = ob_half(r, kind);
    b->half = ob_half(r, kind);
    a->pose = (ov_pose){{0.0, 0.0, 0.0}, check_rotation(r)};
    b->pose.rotation = check_rotation(r);
    uint64_t bits = check_random_bits(r) >> 8;
    if (kind == OB_PARALLEL || bits % 4 == 0) {
        ov_quat turn = bits % 3 == 0 ? ov_quat_identity()
                                     : ov_quat_from_axis_angle(check_unit_vector(r),
                                                               check_log_uniform(r, 1e-17, 1e-2));
        // a part of them shares one axis only
        ov_vec3 axis = {bits / 3 % 2 == 0 ? 1.0 : 0.0, 0.0, 1.0};
        b->pose.rotation =
            ov_quat_mul(ov_quat_mul(a->pose.rotation, turn),
                        bits / 3 % 4 == 1 ? ov_quat_from_axis_angle(axis, check_uniform(r, 0, 1))
                                          : ov_quat_identity());
        (void)ov_quat_normalize(b->pose.rotation, &b->pose.rotation);
    }
    double reach = kind == OB_LONG ? fmax(ob_scale(a, a), ob_scale(b, b)) : 2.5;
    b->pose.position = ov_vec3_scale(check_unit_vector(r), reach * check_uniform(r, 0.0, 1.0));
    if (kind == OB_TOUCH || (kind != OB_LONG && bits / 12 % 4 == 0)) {
        ob_touch(r, a, b);
    }
    if (kind == OB_SIZES) {
        double s = check_log_uniform(r, 1e-50, 1e50);
        *a = ob_scaled(*a, s);
        *b = ob_scaled(*b, s);
    }
    // some far from the origin, some with quaternions that are no units
    if (bits / 48 % 4 == 0) {
        ov_vec3 far = ov_vec3_scale(check_unit_vector(r), 1e6 * ob_scale(a, b));
        a->pose.position = ov_vec3_add(a->pose.position, far);
        b->pose.position = ov_vec3_add(b->pose.position, far);
    }
    if (bits / 192 % 8 == 0) {
        double s = check_log_uniform(r, 1e-3, 1e3);
        ov_quat q = a->pose.rotation;
        a->pose.rotation = (ov_quat){s * q.w, s * q.x, s * q.y, s * q.z};
    }
}

/** A limit for a pair of known gap: 0, at the gap to some roundings, or of any size. */
static inline double ob_random_limit(check_random *r, ob_real gap, double size) {
    switch (check_random_bits(r) >> 8 & 3) {
    case 0:
        return (double)gap * (1.0 + 0x1p-52 * round(check_uniform(r, -300.0, 8.0)));
    case 1:
        return size * check_log_uniform(r, 1e-12, 10.0);
    case 2:
        return check_uniform(r, 0.0, 1.2) * (double)gap;
    default:
        return 0.0;
    }
}

/** The pair as initialisers, at full precision. */
static inline void ob_print(const ov_obb *a, const ov_obb *b, double limit) {
    const ov_obb *boxes[2] = {a, b};
    for (int i = 0; i < 2 && check_may_print(); i++) {
        const ov_obb *o = boxes[i];
        fprintf(stderr, "{{{%a, %a, %a}, {%a, %a, %a, %a}}, {%a, %a, %a}}, limit %a\n",
                o->pose.position.x, o->pose.position.y, o->pose.position.z, o->pose.rotation.w,
                o->pose.rotation.x, o->pose.rotation.y, o->pose.rotation.z, o->half.x, o->half.y,
                o->half.z, limit);
    }
}

#endif
