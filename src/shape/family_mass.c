/**
 * @file family_mass.c
 * @brief Volume, centroid and inertia of the smooth family in closed form, taper included.
 *
 * A section at height zeta is the superellipse with semi-axes w f1 a1, w f2 a2, so every moment is
 * an integral over zeta of a power of w times a polynomial, and those are beta functions:
 *
 *     1. over the section:   area = A w^2 f1 f2,   A = 4 a1 a2 Gamma(1+1/p)^2 / Gamma(1+2/p)
 *                            int x^2 = X w^4 f1^3 f2,  int y^2 = Y w^4 f1 f2^3
 *                            X = a1^3 a2 (4/3) Gamma(1+3/p) Gamma(1+1/p) / Gamma(1+4/p), p = p1
 *     2. over the height:    I(k, j) = int w^k zeta^j = 2/(j+1) Gamma(1+(j+1)/p) Gamma(1+k/p)
 *                                      / Gamma(1+(j+1+k)/p), j even, p = p2;  0 for odd j
 *     3. f1 f2 and f1^3 f2 are polynomials in zeta: sums of I
 *
 * Published closed forms stop at the untapered body; this one does not need to.
 */
#include "shape_internal.h"

/** int over [-1, 1] of w^k zeta^j; half_e2 is 1/p2. */
static double height_moment(int k, int j, double half_e2) {
    if (j % 2 != 0) {
        return 0.0;
    }
    double i = j + 1;
    return 2.0 / i * tgamma(1.0 + i * half_e2) * tgamma(1.0 + k * half_e2) /
           tgamma(1.0 + (i + k) * half_e2);
}

/** int of w^k zeta^j (c0 + c1 zeta + … + c4 zeta^4). */
static double polynomial_moment(int k, int j, const double c[5], double half_e2) {
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        sum += c[i] == 0.0 ? 0.0 : c[i] * height_moment(k, i + j, half_e2);
    }
    return sum;
}

/** Coefficients of (1 + s zeta)^3 (1 + t zeta). */
static void cube_times_line(double s, double t, double c[5]) {
    c[0] = 1.0;
    c[1] = 3.0 * s + t;
    c[2] = 3.0 * s * (s + t);
    c[3] = s * s * (s + 3.0 * t);
    c[4] = s * s * s * t;
}

void ovi_family_mass(const ov_shape *s, ov_mass *out) {
    double g1 = 0.5 * s->e1, g2 = 0.5 * s->e2; // 1/p1, 1/p2
    double a1 = s->a.x, a2 = s->a.y, a3 = s->a.z;
    double unit = tgamma(1.0 + g1);
    double area = 4.0 * a1 * a2 * unit * unit / tgamma(1.0 + 2.0 * g1);
    double square = 4.0 / 3.0 * a1 * a2 * tgamma(1.0 + 3.0 * g1) * unit / tgamma(1.0 + 4.0 * g1);

    const double plain[5] = {1.0, s->tx + s->ty, s->tx * s->ty, 0.0, 0.0};
    double x_poly[5], y_poly[5];
    cube_times_line(s->tx, s->ty, x_poly);
    cube_times_line(s->ty, s->tx, y_poly);
    double volume = area * a3 * polynomial_moment(2, 0, plain, g2);
    double z_mean = a3 * polynomial_moment(2, 1, plain, g2) / polynomial_moment(2, 0, plain, g2);
    double xx = square * a1 * a1 * a3 * polynomial_moment(4, 0, x_poly, g2);
    double yy = square * a2 * a2 * a3 * polynomial_moment(4, 0, y_poly, g2);
    double zz = area * a3 * a3 * a3 * polynomial_moment(2, 2, plain, g2);
    zz -= volume * z_mean * z_mean;

    *out = (ov_mass){.volume = volume, .mass = volume, .centroid = {0.0, 0.0, z_mean}};
    out->inertia.cx.x = yy + zz;
    out->inertia.cy.y = xx + zz;
    out->inertia.cz.z = xx + yy;
}
