/**
 * @file spline_segment.h
 * @brief One segment of one group of a spline: its polynomial, and bounds of it.
 *
 * On a segment of length h, with w = (t - t_i) / h, slope m = (p1 - p0) / h and velocities v0, v1,
 *
 *     x(w)   = p0 + h w (v0 + w (B + w C / 3))    B = 3 m - 2 v0 - v1
 *     x'(w)  = v0 + w (2 B + w C)                 C = 3 (v0 + v1 - 2 m)
 *     x''(w) = 2 (B + w C) / h
 *
 * and a straight segment has v0 = m, B = C = 0. x'' is linear, so the largest length of it is at an
 * end; x' of one number is largest at an end or at its vertex, and of three is held by the control
 * points of its two halves.
 *
 * Rounding. Knots are exact as given; differences, slopes and w have relative errors. With S = |m|
 * + |v0| + |v1| and u = eps / 2, counting operations and multiplying by the largest that each
 * intermediate can be gives errors below 34 eps h S + eps |p0| in x, 99 eps S in x' and 120 eps S /
 * h in x''; the constants below are larger. Velocities at the knots that are off by e change x by
 * at most h e / 4, x' by e and x'' by 6 e / h.
 */
#ifndef OVI_SPLINE_SEGMENT_H
#define OVI_SPLINE_SEGMENT_H

#include <float.h>
#include <math.h>

#include <ovoid/math.h>

#include "spline.h"

#define OVI_VALUE_ROUNDING (64.0 * DBL_EPSILON)
#define OVI_RATE_ROUNDING (256.0 * DBL_EPSILON)
/** Of lengths and quotients of what has been bounded already. */
#define OVI_SPLINE_GROWTH (1.0 + 16.0 * DBL_EPSILON)

static inline double ovi_larger(double a, double b) { return a > b ? a : b; }

/** Rate and bend of each group; then of each number, if asked for, minus the least and the largest.
 */
static inline size_t ovi_spline_stride(const ovi_spline *s) {
    return 2 * s->groups + (s->ranges ? 2 * s->numbers : 0);
}

typedef struct ovi_segment {
    double time, h;
    double p[3], v[3], b[3], c[3];
    double size;  /**< S: how large its velocities are, all numbers together */
    double drift; /**< how far velocities at its knots are off */
    bool straight;
} ovi_segment;

static inline void ovi_segment_of(const ovi_spline *s, size_t i, size_t group, ovi_segment *g) {
    const double *p0 = s->values + i * s->numbers + group * s->width, *p1 = p0 + s->numbers;
    g->time = s->times[i];
    g->h = s->times[i + 1] - s->times[i];
    g->size = 0.0;
    g->drift = DBL_MIN;
    g->straight = s->kind == OVI_SPLINE_LINEAR;
    if (g->straight) {
        for (size_t k = 0; k < s->width; k++) {
            g->p[k] = p0[k];
            g->v[k] = (p1[k] - p0[k]) / g->h;
            g->b[k] = g->c[k] = 0.0;
            g->size += fabs(g->v[k]);
        }
        return;
    }
    const double *v0 = s->velocities + i * s->numbers + group * s->width, *v1 = v0 + s->numbers;
    for (size_t k = 0; k < s->width; k++) {
        double m = (p1[k] - p0[k]) / g->h, middle = 3.0 * m - v0[k] - v1[k];
        g->p[k] = p0[k];
        g->v[k] = v0[k];
        g->b[k] = middle - v0[k];
        g->c[k] = (v0[k] - middle) + (v1[k] - middle);
        g->size += fabs(m) + fabs(v0[k]) + fabs(v1[k]);
    }
    if (s->errors != NULL) {
        const double *e = s->errors + i * s->groups + group;
        g->drift += ovi_larger(e[0], e[s->groups]);
    }
}

static inline double ovi_segment_value(const ovi_segment *g, size_t k, double w) {
    return g->p[k] + g->h * (w * (g->v[k] + w * (g->b[k] + w * (g->c[k] * (1.0 / 3.0)))));
}

static inline double ovi_segment_rate(const ovi_segment *g, size_t k, double w) {
    return g->v[k] + w * (2.0 * g->b[k] + w * g->c[k]);
}

static inline double ovi_segment_bend(const ovi_segment *g, size_t k, double w) {
    return 2.0 * (g->b[k] + w * g->c[k]) / g->h;
}

static inline double ovi_length_of(const double *x, size_t width) {
    return width == 1 ? fabs(x[0]) : ov_vec3_length(ov_vec3_make(x[0], x[1], x[2]));
}

/** Largest length of the second derivative on a part of a segment. */
static inline double ovi_segment_most_bend(const ovi_segment *g, size_t width, double wa,
                                           double wb) {
    double a[3], b[3];
    for (size_t k = 0; k < width; k++) {
        a[k] = ovi_segment_bend(g, k, wa);
        b[k] = ovi_segment_bend(g, k, wb);
    }
    double most = ovi_larger(ovi_length_of(a, width), ovi_length_of(b, width));
    return (most + (OVI_RATE_ROUNDING * g->size + 6.0 * g->drift) / g->h) * OVI_SPLINE_GROWTH;
}

/** Largest length of the first derivative on a part of a segment. */
static inline double ovi_segment_most_rate(const ovi_segment *g, size_t width, double wa,
                                           double wb) {
    double most = 0.0, half = 0.5 * (wb - wa);
    if (g->straight) {
        return (ovi_length_of(g->v, width) + OVI_RATE_ROUNDING * g->size + g->drift) *
               OVI_SPLINE_GROWTH;
    }
    // control points of the two halves: ends, middle, and those between
    double points[5][3];
    for (size_t k = 0; k < width; k++) {
        double way = half * (g->b[k] + wa * g->c[k]), turn = half * half * g->c[k];
        points[0][k] = ovi_segment_rate(g, k, wa);
        points[1][k] = points[0][k] + way;
        points[2][k] = points[1][k] + way + turn;
        points[3][k] = points[2][k] + way + turn;
        points[4][k] = ovi_segment_rate(g, k, wb);
    }
    if (width == 1) {
        double top = g->c[0] != 0.0 ? -g->b[0] / g->c[0] : wa;
        top = top > wa && top < wb ? top : wa;
        most = ovi_larger(ovi_larger(fabs(points[0][0]), fabs(points[4][0])),
                          fabs(ovi_segment_rate(g, 0, top)));
    } else {
        for (size_t i = 0; i < 5; i++) {
            most = ovi_larger(most, ovi_length_of(points[i], width));
        }
    }
    return (most + OVI_RATE_ROUNDING * g->size + g->drift) * OVI_SPLINE_GROWTH;
}

/** How far a computed value of a group may be off. */
static inline double ovi_segment_error(const ovi_segment *g, size_t width) {
    double far = 0.0;
    for (size_t k = 0; k < width; k++) {
        far += fabs(g->p[k]);
    }
    return (OVI_VALUE_ROUNDING * g->h * g->size + 2.0 * DBL_EPSILON * far + g->h * g->drift +
            DBL_MIN) *
           OVI_SPLINE_GROWTH;
}

/** Least and largest value of one number on a part of a segment; the number is the group's k-th. */
static inline void ovi_segment_range(const ovi_segment *g, size_t width, size_t k, double wa,
                                     double wb, double *low, double *high) {
    double v = g->v[k], b = g->b[k], c = g->c[k];
    double at[4] = {wa, wb, wa, wa};
    // Where x' = v + 2 b w + c w^2 is zero. That a root is off matters little: x' is small there.
    double square = b * b - v * c, q = -(b + copysign(sqrt(ovi_larger(square, 0.0)), b));
    at[2] = c != 0.0 ? q / c : wa;
    at[3] = q != 0.0 ? v / q : wa;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < 4; i++) {
        double w = at[i] > wa ? at[i] < wb ? at[i] : wb : wa;
        double x = ovi_segment_value(g, k, w);
        least = x < least ? x : least;
        most = ovi_larger(most, x);
    }
    double error = 2.0 * ovi_segment_error(g, width) + OVI_RATE_ROUNDING * g->h * g->size;
    *low = least - error;
    *high = most + error;
}

#endif
