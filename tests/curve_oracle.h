/**
 * @file curve_oracle.h
 * @brief Bézier curves in long double, straight from the definition, as the truth for the tests of
 * motions.
 */
#ifndef OVOID_TESTS_CURVE_ORACLE_H
#define OVOID_TESTS_CURVE_ORACLE_H

#include "check.h"

typedef long double curve_real;

/** Bernstein polynomial i of a degree at u. */
static inline curve_real curve_bernstein(size_t degree, size_t i, curve_real u) {
    curve_real b = 1.0L;
    for (size_t j = 1; j <= i; j++) {
        b *= u * (curve_real)(degree - i + j) / (curve_real)j;
    }
    for (size_t j = i; j < degree; j++) {
        b *= 1.0L - u;
    }
    return b;
}

/** Parameter of a time, with the frame at rest before the start and after the end. */
static inline curve_real curve_parameter(double start, double end, double time) {
    curve_real u = ((curve_real)time - start) / ((curve_real)end - start);
    return u < 0.0L ? 0.0L : u > 1.0L ? 1.0L : u;
}

#endif
