/**
 * @file reference.h
 * @brief The reference of the benchmarks: gap of two bodies of the smooth family in long double.
 *
 * It shares nothing with the library: supports of its own from the formulas, GJK for separated
 * bodies and EPA for overlapping ones, both with bounds from either side. Slow, by some ten
 * thousand times.
 */
#ifndef OVOID_BENCH_REFERENCE_H
#define OVOID_BENCH_REFERENCE_H

#include <stdbool.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>

typedef struct oracle_vec {
    long double x, y, z;
} oracle_vec;

/** Heights at which the profile of a tapered body is looked at before the search is refined. */
enum { ORACLE_SAMPLES = 65 };

/** A placed body, with what its support function needs. */
typedef struct oracle_body {
    long double a1, a2, a3, p2, q1, q2, tx, ty;
    bool tapered;
    oracle_vec position, cx, cy, cz; /**< columns of the rotation */
    struct {
        long double u; /**< the ray (1 - |u|, u) that meets the profile at this height */
        double w_power, zeta_power, f1, f2, f1_power, f2_power, w;
    } samples[ORACLE_SAMPLES];
} oracle_body;

/** The shape is of the smooth family; its quaternion need not be normalised. */
void oracle_place(const ov_shape *shape, ov_pose pose, oracle_body *body);

/** Largest n . p over the body and where it is reached, in the world; n of any length but zero. */
long double oracle_support(const oracle_body *body, oracle_vec n, oracle_vec *point);

typedef struct oracle_gap {
    long double lower, upper; /**< bounds, but for the rounding of long double */
    int supports;             /**< how many pairs of support points it took */
} oracle_gap;

/**
 * Bounds of the signed distance, negative where the bodies overlap. Where they overlap the depth is
 * the least translation of all: EPA bounds it over every direction at once. `start` is a guess of
 * the normal from A to B, which saves time and changes no bound.
 */
oracle_gap oracle_measure(const oracle_body *a, const oracle_body *b, ov_vec3 start);

#endif
