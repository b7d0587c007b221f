/**
 * @file matrix_oracle.h
 * @brief Displacements as 4x4 matrices in long double: the truth for the suites of kinematic trees
 * and motions.
 */
#ifndef OVOID_TESTS_MATRIX_ORACLE_H
#define OVOID_TESTS_MATRIX_ORACLE_H

#include <math.h>
#include <ovoid/math.h>

typedef struct matrix {
    long double m[4][4];
} matrix;

static inline matrix matrix_identity(void) {
    matrix o = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    return o;
}

static inline matrix matrix_times(const matrix *a, const matrix *b) {
    matrix o;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            o.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] +
                        a->m[i][2] * b->m[2][j] + a->m[i][3] * b->m[3][j];
        }
    }
    return o;
}

static inline matrix matrix_shift(long double x, long double y, long double z) {
    matrix o = matrix_identity();
    o.m[0][3] = x;
    o.m[1][3] = y;
    o.m[2][3] = z;
    return o;
}

/** I + sin K + (1 - cos) K^2, K the cross product with the unit axis; none without an axis. */
static inline matrix matrix_turn(const long double axis[3], long double angle) {
    long double x = axis[0], y = axis[1], z = axis[2], n = sqrtl(x * x + y * y + z * z);
    if (n == 0.0L) {
        return matrix_identity();
    }
    matrix k = {{{0, -z / n, y / n, 0}, {z / n, 0, -x / n, 0}, {-y / n, x / n, 0, 0}, {0}}};
    matrix kk = matrix_times(&k, &k), o = matrix_identity();
    long double s = sinl(angle), h = sinl(0.5L * angle);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            o.m[i][j] += s * k.m[i][j] + 2.0L * h * h * kk.m[i][j];
        }
    }
    return o;
}

/** Of a quaternion w, x, y, z of any length, by its angle and axis. */
static inline matrix matrix_of_quaternion(const long double q[4]) {
    const long double *axis = q + 1;
    long double n = sqrtl(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    return matrix_turn(axis, 2.0L * atan2l(n, q[0]));
}

static inline matrix matrix_of_pose(const ov_pose *pose) {
    const long double q[4] = {pose->rotation.w, pose->rotation.x, pose->rotation.y,
                              pose->rotation.z};
    matrix a = matrix_shift(pose->position.x, pose->position.y, pose->position.z);
    matrix b = matrix_of_quaternion(q);
    return matrix_times(&a, &b);
}

/** Largest singular value of 3 rows: the root of the largest eigenvalue of d'd, by Jacobi's
 *  rotations. */
static inline long double matrix_norm(const long double d[3][3]) {
    long double a[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = d[0][i] * d[0][j] + d[1][i] * d[1][j] + d[2][i] * d[2][j];
        }
    }
    for (int step = 0; step < 24; step++) {
        int p = step % 3, q = (p + 1) % 3;
        if (a[p][q] == 0.0L) {
            continue;
        }
        long double f = 0.5L * atan2l(2.0L * a[p][q], a[q][q] - a[p][p]), c = cosl(f), s = sinl(f);
        for (int k = 0; k < 3; k++) {
            long double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - s * y;
            a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            long double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - s * y;
            a[q][k] = s * x + c * y;
        }
    }
    return sqrtl(fmaxl(a[0][0], fmaxl(a[1][1], a[2][2])));
}

#endif
