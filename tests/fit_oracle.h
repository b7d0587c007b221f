/**
 * @file fit_oracle.h
 * @brief Does a placed body hold a point? The formulas as printed, in long double, for the tests of
 * fits: nothing here is the library's.
 */
#ifndef OVOID_TESTS_FIT_ORACLE_H
#define OVOID_TESTS_FIT_ORACLE_H

#include "oracle.h"

/** The world point in the body's frame. */
static inline void fo_local(ov_pose pose, ov_vec3 point, long double p[3]) {
    long double w = pose.rotation.w, x = pose.rotation.x, y = pose.rotation.y, z = pose.rotation.z;
    long double s = 2.0L / (w * w + x * x + y * y + z * z);
    long double r[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                           {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                           {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    long double d[3] = {(long double)point.x - pose.position.x,
                        (long double)point.y - pose.position.y,
                        (long double)point.z - pose.position.z};
    for (int i = 0; i < 3; i++) {
        p[i] = r[0][i] * d[0] + r[1][i] * d[1] + r[2][i] * d[2];
    }
}

/** Gauge of the body scaled by s about its centre; infinite above and below a tapered body. */
static inline long double fo_gauge(const ov_shape *b, const long double p[3], long double s) {
    long double x = p[0] / (s * b->a.x), y = p[1] / (s * b->a.y), z = p[2] / (s * b->a.z);
    if (b->kind == OV_SHAPE_KIND_BOX) {
        return fmaxl(fabsl(x), fmaxl(fabsl(y), fabsl(z)));
    }
    if (b->kind == OV_SHAPE_KIND_CYLINDER) {
        return fmaxl(hypotl(x, y), fabsl(z));
    }
    if (b->kind == OV_SHAPE_KIND_CAPSULE) {
        long double beyond = fmaxl(fabsl(p[2]) - s * b->a.z, 0.0L);
        return sqrtl(p[0] * p[0] + p[1] * p[1] + beyond * beyond) / (s * b->a.x);
    }
    return fabsl(z) > 1.0L && b->tx * b->tx + b->ty * b->ty > 0.0 ? INFINITY
                                                                  : oracle_gauge(b, x, y, z);
}

/** Gauge at a world point. */
static inline long double fo_gauge_at(const ov_shape *b, ov_pose pose, ov_vec3 point) {
    long double p[3];
    fo_local(pose, point, p);
    return fo_gauge(b, p, 1.0L);
}

#endif
