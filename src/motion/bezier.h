/**
 * @file bezier.h
 * @brief Bézier curves with several numbers a control point, and what rounding does to them.
 *
 * Shared by the motions that are rational curves. A curve is a flat array of (degree + 1) * lanes
 * doubles; `lanes` is a constant wherever these are called, so that the inner loops become a few
 * vector instructions.
 *
 * Rounding. Everything here is a sum of control points with factors that are products of u, 1 - u
 * and binomials, none of them negative. So each term gets its own small relative error, and the sum
 * an error of at most that part of the sum of the terms' sizes. Counting roundings of
 * DBL_EPSILON / 2: 3 n + 3 for a value (a power of u or 1 - u, with the rounding of 1 - u itself, a
 * binomial that is exact, product and sum), and 3 n for each of the two cuts. The constants below
 * are larger, which leaves room for how control points were made and for a quotient.
 */
#ifndef OVI_BEZIER_H
#define OVI_BEZIER_H

#include "motion_internal.h"

/**
 * Weights (null: all 1) times a power of two, so that none is above 1. OV_ERROR_WEIGHT where one is
 * not positive, or less than 1e-100 of the largest: then it is as good as zero (motion_bezier.c).
 */
ov_status ovi_weights_scale(const double *weights, size_t count, double *scaled);

/** Parameter of a time: 0 at the start, 1 at the end. */
static inline double ovi_bezier_parameter(const ov_motion *motion, double time) {
    double u = (time - motion->start) / (motion->end - motion->start);
    return !(u > 0.0) ? 0.0 : u < 1.0 ? u : 1.0;
}

/** Rounding of a value of a curve, as a part of the largest control point. */
static inline double ovi_bezier_value_rounding(size_t degree) {
    return (2.0 * (double)degree + 12.0) * DBL_EPSILON;
}

/** Rounding of control points of a part of a curve, as a part of the largest control point. */
static inline double ovi_bezier_cut_rounding(size_t degree) {
    return (4.0 * (double)degree + 20.0) * DBL_EPSILON;
}

/** Lengths are found from squares; those below this are taken as this long. */
#define OVI_BEZIER_TINY 1e-150

/** What a parameter in [0, 1] may be off by, with some room: 3 roundings, and one of a cut. */
#define OVI_BEZIER_PARAMETER (4.0 * DBL_EPSILON)

/** Control points of the part from 0 to u. */
static inline void ovi_bezier_left(double *points, size_t degree, size_t lanes, double u) {
    double v = 1.0 - u;
    for (size_t level = 1; level <= degree; level++) {
        for (size_t i = degree; i >= level; i--) {
            double *to = points + i * lanes;
            const double *from = to - lanes;
            for (size_t c = 0; c < lanes; c++) {
                to[c] = v * from[c] + u * to[c];
            }
        }
    }
}

/** Control points of the part from u to 1. */
static inline void ovi_bezier_right(double *points, size_t degree, size_t lanes, double u) {
    double v = 1.0 - u;
    for (size_t level = degree; level >= 1; level--) {
        for (size_t i = 0; i < level; i++) {
            double *to = points + i * lanes;
            const double *from = to + lanes;
            for (size_t c = 0; c < lanes; c++) {
                to[c] = v * to[c] + u * from[c];
            }
        }
    }
}

/**
 * Control points of the part from u0 to u1, 0 <= u0 < u1 <= 1. That the quotient of both is rounded
 * moves the beginning by no more than DBL_EPSILON / 2: see ovi_bezier_widen.
 */
static inline void ovi_bezier_cut(double *points, size_t degree, size_t lanes, double u0,
                                  double u1) {
    if (u1 < 1.0) {
        ovi_bezier_left(points, degree, lanes, u1);
    }
    if (u0 > 0.0) {
        ovi_bezier_right(points, degree, lanes, u0 / u1);
    }
}

/** Makes a part of a curve so much longer that rounding cannot have made it too short. */
static inline void ovi_bezier_widen(double *u0, double *u1) {
    double from = *u0 - OVI_BEZIER_PARAMETER, to = *u1 + OVI_BEZIER_PARAMETER;
    *u0 = from > 0.0 ? from : 0.0;
    *u1 = to < 1.0 ? to : 1.0;
}

/** Value of the curve, by nested products. */
static inline void ovi_bezier_value(const double *points, size_t degree, size_t lanes, double u,
                                    double *value) {
    double v = 1.0 - u, power = 1.0, binomial = 1.0;
    for (size_t c = 0; c < lanes; c++) {
        value[c] = points[c];
    }
    for (size_t i = 1; i <= degree; i++) {
        power *= u;
        // exact: both the product and the quotient are integers below 2^53
        binomial = binomial * (double)(degree - i + 1) / (double)i;
        double factor = power * binomial;
        for (size_t c = 0; c < lanes; c++) {
            value[c] = value[c] * v + factor * points[i * lanes + c];
        }
    }
}

/** Control points of the derivative, one fewer; those of a constant are one zero. */
static inline void ovi_bezier_derivative(const double *points, size_t degree, size_t lanes,
                                         double *derivative) {
    for (size_t c = 0; degree == 0 && c < lanes; c++) {
        derivative[c] = 0.0;
    }
    for (size_t i = 0; i < degree * lanes; i++) {
        derivative[i] = (double)degree * (points[i + lanes] - points[i]);
    }
}

/** Binomials of a degree. */
static inline void ovi_bezier_binomials(size_t degree, double *row) {
    row[0] = 1.0;
    for (size_t i = 1; i <= degree; i++) {
        row[i] = row[i - 1] * (double)(degree - i + 1) / (double)i;
    }
}

/** A point of the middle of a curve times a number: the sum of control points by binomials. */
static inline void ovi_bezier_middle(const double *points, size_t degree, size_t lanes,
                                     const double *binomials, double *sum) {
    for (size_t c = 0; c < lanes; c++) {
        sum[c] = 0.0;
    }
    for (size_t i = 0; i <= degree; i++) {
        for (size_t c = 0; c < lanes; c++) {
            sum[c] += binomials[i] * points[i * lanes + c];
        }
    }
}

#endif
