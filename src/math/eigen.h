/**
 * @file eigen.h
 * @brief Eigenvectors of symmetric 3x3 matrices.
 */
#ifndef OVOID_MATH_EIGEN_H
#define OVOID_MATH_EIGEN_H

#include <math.h>
#include <string.h>

/** Jacobi's rotations: the symmetric matrix becomes diagonal, its eigenvectors the columns of v. */
static inline void ovi_diagonalize(double m[3][3], double v[3][3]) {
    memset(v, 0, 9 * sizeof(double));
    v[0][0] = v[1][1] = v[2][2] = 1.0;
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int k = 0; k < 3; k++) {
            int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            double angle = 0.5 * atan2(2.0 * m[p][q], m[p][p] - m[q][q]);
            double c = cos(angle), s = sin(angle);
            for (int i = 0; i < 3; i++) {
                double a = m[i][p], b = m[i][q], d = v[i][p], e = v[i][q];
                m[i][p] = c * a + s * b;
                m[i][q] = c * b - s * a;
                v[i][p] = c * d + s * e;
                v[i][q] = c * e - s * d;
            }
            for (int i = 0; i < 3; i++) {
                double a = m[p][i], b = m[q][i];
                m[p][i] = c * a + s * b;
                m[q][i] = c * b - s * a;
            }
        }
    }
}

#endif
