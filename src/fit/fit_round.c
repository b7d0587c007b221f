/**
 * @file fit_round.c
 * @brief The ellipsoid of least volume about points, by itself.
 *
 * It is the one problem of its kind that is convex, and has a method of its own: Khachiyan's, with
 * the steps away of Todd and Yildirim (2007). With weights u_i, and q_i the points with a 1 behind,
 * let X = sum u_i q_i q_i' and s_i = q_i' X^-1 q_i; at the optimum s_i is 4 where u_i is not 0, and
 * nowhere more. So weight moves to the point with the largest s_i, or away from the one of those
 * that count with the least, by the step that makes det X largest, until no s_i is off by more than
 * a share. Then the ellipsoid has the points' weighted mean as its centre and three times their
 * weighted covariance as its matrix, and its volume is the least up to twice that share.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../math/eigen.h"
#include "../math/rotation.h"
#include "fit_shape_internal.h"

enum { ITERATIONS = 2000, AGAIN = 50 };
static const double near_enough = 1e-7;

typedef struct rounding {
    const ov_vec3 *points;
    size_t count;
    double *weights, *heights; // u_i, s_i
    double inverse[4][4];      // of X
} rounding;

static void lift(ov_vec3 p, double q[4]) {
    q[0] = p.x;
    q[1] = p.y;
    q[2] = p.z;
    q[3] = 1.0;
}

/** X^-1 q, and q' X^-1 q. */
static double solve(const rounding *r, const double q[4], double w[4]) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        w[i] = 0.0;
        for (int k = 0; k < 4; k++) {
            w[i] += r->inverse[i][k] * q[k];
        }
        sum += w[i] * q[i];
    }
    return sum;
}

/** X^-1 and all s_i anew, without the rounding of updates; false where X is singular. */
static bool restart(rounding *r) {
    double x[4][4] = {{0.0}}, (*inverse)[4] = r->inverse;
    memset(r->inverse, 0, sizeof r->inverse);
    for (size_t i = 0; i < r->count; i++) {
        double q[4];
        lift(r->points[i], q);
        for (int k = 0; k < 16 && r->weights[i] > 0.0; k++) {
            x[k / 4][k % 4] += r->weights[i] * q[k / 4] * q[k % 4];
        }
    }
    // Gauss and Jordan's method; the matrix is positive definite, so that any order would do
    for (int k = 0; k < 4; k++) {
        inverse[k][k] = 1.0;
    }
    for (int k = 0; k < 4; k++) {
        double pivot = x[k][k];
        if (!(pivot > 1e-14)) { // in units of the extent
            return false;
        }
        for (int i = 0; i < 4; i++) {
            double share = i == k ? 0.0 : x[i][k] / pivot;
            for (int n = 0; n < 4; n++) {
                x[i][n] = i == k ? x[i][n] : x[i][n] - share * x[k][n];
                inverse[i][n] = i == k ? inverse[i][n] : inverse[i][n] - share * inverse[k][n];
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int n = 0; n < 4; n++) {
            inverse[k][n] /= x[k][k];
        }
    }
    for (size_t i = 0; i < r->count; i++) {
        double q[4], w[4];
        lift(r->points[i], q);
        r->heights[i] = solve(r, q, w);
    }
    return true;
}

/** A share t of all weight moves to a point, or away from it where t is negative. */
static void move_weight(rounding *r, size_t at, double t) {
    double q[4], w[4];
    lift(r->points[at], q);
    double s = solve(r, q, w), factor = t / (1.0 - t + t * s), rest = 1.0 / (1.0 - t);
    for (size_t i = 0; i < r->count; i++) {
        double p[4], along = 0.0;
        lift(r->points[i], p);
        for (int k = 0; k < 4; k++) {
            along += p[k] * w[k];
        }
        r->heights[i] = (r->heights[i] - factor * along * along) * rest;
        r->weights[i] *= 1.0 - t;
    }
    for (int k = 0; k < 16; k++) {
        double *entry = &r->inverse[k / 4][k % 4];
        *entry = (*entry - factor * w[k / 4] * w[k % 4]) * rest;
    }
    r->weights[at] = fmax(r->weights[at] + t, 0.0);
}

/** One step, to the point that stands out most or away from the one that is furthest inside of
 *  those that count; false where neither is off by more than is near enough. */
static bool improve(rounding *r) {
    size_t out = 0, in = SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        out = r->heights[i] > r->heights[out] ? i : out;
        if (r->weights[i] > 0.0 && (in == SIZE_MAX || r->heights[i] < r->heights[in])) {
            in = i;
        }
    }
    double most = r->heights[out], least = r->heights[in];
    if (most - 4.0 <= 4.0 * near_enough && 4.0 - least <= 4.0 * near_enough) {
        return false;
    }
    if (most - 4.0 >= 4.0 - least) {
        move_weight(r, out, (most - 4.0) / (4.0 * (most - 1.0)));
        return true;
    }
    double all = r->weights[in] / (1.0 - r->weights[in]);
    bool drop = least <= 1.0 || (4.0 - least) / (4.0 * (least - 1.0)) >= all;
    move_weight(r, in, drop ? -all : (least - 4.0) / (4.0 * (least - 1.0)));
    r->weights[in] = drop ? 0.0 : r->weights[in];
    return true;
}

/** The points that are furthest along a direction and against it get weight; their difference. */
static ov_vec3 take_extremes(rounding *r, ov_vec3 direction) {
    size_t lo = 0, hi = 0;
    for (size_t i = 0; i < r->count; i++) {
        double h = ov_vec3_dot(direction, r->points[i]);
        lo = h < ov_vec3_dot(direction, r->points[lo]) ? i : lo;
        hi = h > ov_vec3_dot(direction, r->points[hi]) ? i : hi;
    }
    r->weights[lo] += 1.0 / 6.0;
    r->weights[hi] += 1.0 / 6.0;
    return ov_vec3_sub(r->points[hi], r->points[lo]);
}

/** A few points that are not in a plane, if there are such [Kumar and Yildirim, 2005]. */
static void start(rounding *r) {
    ov_vec3 first = take_extremes(r, ov_vec3_make(1.0, 0.0, 0.0));
    bool upright = fabs(first.z) > fabs(first.x) && fabs(first.z) > fabs(first.y);
    ov_vec3 other = upright ? ov_vec3_make(1.0, 0.0, 0.0) : ov_vec3_make(0.0, 0.0, 1.0);
    ov_vec3 second = take_extremes(r, ov_vec3_cross(first, other));
    (void)take_extremes(r, ov_vec3_cross(first, second));
}

/** Centre, axes and semi-axes, from the weights. */
static void take_ellipsoid(const rounding *r, ovi_fit_body *body) {
    ov_vec3 centre = {0.0, 0.0, 0.0};
    double m[3][3] = {{0.0}}, v[3][3];
    for (size_t i = 0; i < r->count; i++) {
        centre = ov_vec3_add_scaled(centre, r->points[i], r->weights[i]);
    }
    for (size_t i = 0; i < r->count; i++) {
        ov_vec3 d = ov_vec3_sub(r->points[i], centre);
        const double x[3] = {d.x, d.y, d.z};
        for (int k = 0; k < 9; k++) {
            m[k / 3][k % 3] += r->weights[i] * x[k / 3] * x[k % 3];
        }
    }
    ovi_diagonalize(m, v);
    ov_vec3 x = ov_vec3_make(v[0][0], v[1][0], v[2][0]), y = {v[0][1], v[1][1], v[2][1]};
    body->centre = centre;
    body->rotation = ovi_quat_of_frame(x, y, ov_vec3_cross(x, y));
    for (int k = 0; k < 3; k++) {
        body->v[k] = 0.5 * log(3.0 * fmax(m[k][k], 1e-300));
    }
}

bool ovi_fit_least_ellipsoid(const ov_vec3 *points, size_t count, ovi_fit_body *body) {
    double *numbers = calloc(2 * count + 1, sizeof *numbers);
    rounding r = {.points = points, .count = count, .weights = numbers};
    if (numbers == NULL) {
        return false;
    }
    r.heights = numbers + count;
    start(&r);
    bool good = restart(&r);
    for (int i = 1; good && i <= ITERATIONS && improve(&r); i++) {
        good = i % AGAIN != 0 || restart(&r);
    }
    if (good) {
        take_ellipsoid(&r, body);
    }
    free(numbers);
    return good;
}
