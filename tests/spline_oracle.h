/**
 * @file spline_oracle.h
 * @brief Splines once more, in long double and by other formulas: the cubic one by its second
 * derivatives, from a full linear system with pivots; the Hermite one by its basis functions.
 */
#ifndef OVOID_TESTS_SPLINE_ORACLE_H
#define OVOID_TESTS_SPLINE_ORACLE_H

#include <math.h>
#include <stddef.h>

#include "../src/motion/spline.h"

enum { SPLINE_ORACLE_KNOTS = 24 };

/** Solves a x = b by elimination with pivots; both are overwritten, b by x. */
static void spline_oracle_solve(long double a[][SPLINE_ORACLE_KNOTS], long double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t r = i + 1; r < n; r++) {
            best = fabsl(a[r][i]) > fabsl(a[best][i]) ? r : best;
        }
        for (size_t c = 0; c < n; c++) {
            long double swap = a[i][c];
            a[i][c] = a[best][c];
            a[best][c] = swap;
        }
        long double swap = b[i];
        b[i] = b[best];
        b[best] = swap;
        for (size_t r = i + 1; r < n; r++) {
            long double f = a[r][i] / a[i][i];
            for (size_t c = i; c < n; c++) {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t c = i + 1; c < n; c++) {
            b[i] -= a[i][c] * b[c];
        }
        b[i] /= a[i][i];
    }
}

/** Second derivatives at the knots of the cubic spline of one number that begins and ends at rest.
 */
static void spline_oracle_bends(const double *times, const double *values, size_t stride, size_t n,
                                long double *bends) {
    long double a[SPLINE_ORACLE_KNOTS][SPLINE_ORACLE_KNOTS] = {{0.0L}};
    for (size_t i = 0; i < n; i++) {
        bends[i] = 0.0L;
        for (size_t side = 0; side < 2; side++) {
            if ((side == 0 && i == 0) || (side == 1 && i == n - 1)) {
                continue;
            }
            size_t j = side == 0 ? i - 1 : i + 1, low = side == 0 ? j : i;
            long double h = (long double)times[low + 1] - times[low];
            long double slope =
                ((long double)values[(low + 1) * stride] - values[low * stride]) / h;
            a[i][i] += 2.0L * h;
            a[i][j] += h;
            bends[i] += side == 0 ? -6.0L * slope : 6.0L * slope;
        }
    }
    spline_oracle_solve(a, bends, n);
}

/** Value and derivatives of one number of a finished spline at a time that is within it. */
typedef struct spline_oracle_point {
    long double value, rate, bend;
} spline_oracle_point;

/** `bends`: of that number, for OVI_SPLINE_CUBIC. Beyond the ends it rests. */
static inline spline_oracle_point spline_oracle_at(const ovi_spline *s, size_t number,
                                                   const long double *bends, long double time) {
    size_t last = s->count - 1, i = 0;
    const double *x = s->values + number;
    if (time < s->times[0] || time > s->times[last]) {
        return (spline_oracle_point){x[(time < s->times[0] ? 0 : last) * s->numbers], 0.0L, 0.0L};
    }
    while (i + 1 < last && time >= s->times[i + 1]) {
        i++;
    }
    long double h = (long double)s->times[i + 1] - s->times[i];
    long double p0 = x[i * s->numbers], p1 = x[(i + 1) * s->numbers];
    long double a = time - s->times[i], b = s->times[i + 1] - time;
    if (s->kind == OVI_SPLINE_LINEAR) {
        return (spline_oracle_point){b == 0.0L ? p1 : p0 + (p1 - p0) * a / h, (p1 - p0) / h, 0.0L};
    }
    if (s->kind == OVI_SPLINE_CUBIC) {
        long double m0 = bends[i], m1 = bends[i + 1];
        long double end = b == 0.0L ? p1 : p0; // at a knot exactly what was given
        return (spline_oracle_point){
            a == 0.0L || b == 0.0L
                ? end
                : (m0 * b * b * b + m1 * a * a * a) / (6.0L * h) + (p0 / h - m0 * h / 6.0L) * b +
                      (p1 / h - m1 * h / 6.0L) * a,
            (m1 * a * a - m0 * b * b) / (2.0L * h) + (p1 - p0) / h - (m1 - m0) * h / 6.0L,
            (m0 * b + m1 * a) / h};
    }
    long double v0 = s->velocities[i * s->numbers + number];
    long double v1 = s->velocities[(i + 1) * s->numbers + number];
    long double w = a / h, y = b / h;
    return (spline_oracle_point){
        p0 * y * y * (1.0L + 2.0L * w) + p1 * w * w * (3.0L - 2.0L * w) + h * (v0 * w * y * y) -
            h * (v1 * w * w * y),
        (p1 - p0) / h * 6.0L * w * y + v0 * y * (1.0L - 3.0L * w) + v1 * w * (3.0L * w - 2.0L),
        ((p1 - p0) / h * (6.0L - 12.0L * w) + v0 * (6.0L * w - 4.0L) + v1 * (6.0L * w - 2.0L)) / h};
}

#endif
