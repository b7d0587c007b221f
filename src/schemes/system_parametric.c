/**
 * @file system_parametric.c
 * @brief The common normal of two parametric surfaces: four equations (18) in the angles (19) of a
 * point on each [Benchmark, 4.3; Thesis, eq. 23]. The points are on the surfaces by construction,
 * so the two equations of (15) that say so are not needed.
 *
 *     n_P . t_Q,  n_P . b_Q,  d . t_Q,  d . b_Q          d = Q - P
 *
 * Two systems, which differ in where the vectors come from [Benchmark, 5]:
 *  - quadParametric: t and b are the derivatives (11), (12) of the point, n their cross product;
 *  - ntbParametric: n is the gradient (6) at the point, t_Q and b_Q are its Householder tangents.
 *
 * The analytic Jacobians. With s the surface, s1 and s2 its derivatives by the angles, s11, s12,
 * s22 its second ones, all in the frame of B:
 *
 *     1. quadParametric, by an angle k of A:  n_P . t_Q  gives  (s1k x s2 + s1 x s2k) . t_Q, and
 *        d . t_Q  gives  -sk . t_Q
 *     2. by an angle k of B:  n_P . t_Q  gives  n_P . s1k, and  d . t_Q  gives  sk . t_Q + d . s1k
 *     3. ntbParametric: the rows of (15), derivatives by the points (system_implicit.c), times sk
 *
 * Weak points, as published: the derivatives (11), (12) are zero or infinite wherever a sine or a
 * cosine vanishes and the exponent is not 1, and so the matrix is singular on the coordinate planes
 * and at the poles, where flat bodies like to touch. At a pole of A, (11) is zero for every
 * exponent, and with it the normal: there the first two equations of quadParametric hold wherever B
 * is, and Newton may converge to what is no common normal. Angles outside of the range (9) are let
 * be: the signed powers (4) bring them back to the surface.
 */
#include "systems.h"

/** Column of a column-major 4 x 4 matrix. */
static void set_column(double *jacobian, int column, double r0, double r1, double r2, double r3) {
    double *j = jacobian + (size_t)column * 4;
    j[0] = r0;
    j[1] = r1;
    j[2] = r2;
    j[3] = r3;
}

/* ---- quadParametric */

void ovi_scheme_evaluate_parametric(const ovi_scheme_pair *pair, const double *q, double *phi,
                                    double *jacobian) {
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    ovi_scheme_patch a, b;
    ovi_scheme_patch_at(pair->a, q, jacobian != NULL, &a);
    ovi_scheme_patch_at(pair->b, q + 2, jacobian != NULL, &b);
    ov_vec3 n = ov_mat3_mul_vec3(&place.turn, ov_vec3_cross(a.d1, a.d2));
    ov_vec3 p = ov_vec3_add(ov_mat3_mul_vec3(&place.turn, a.point), place.offset);
    ov_vec3 d = ov_vec3_sub(b.point, p);
    phi[0] = ov_vec3_dot(n, b.d1);
    phi[1] = ov_vec3_dot(n, b.d2);
    phi[2] = ov_vec3_dot(d, b.d1);
    phi[3] = ov_vec3_dot(d, b.d2);
    if (jacobian == NULL) {
        return;
    }
    // A's columns in A's frame: only B's two tangents have to be turned
    ov_vec3 t = ov_mat3_tmul_vec3(&place.turn, b.d1), s = ov_mat3_tmul_vec3(&place.turn, b.d2);
    ov_vec3 n1 = ov_vec3_add(ov_vec3_cross(a.d11, a.d2), ov_vec3_cross(a.d1, a.d12));
    ov_vec3 n2 = ov_vec3_add(ov_vec3_cross(a.d12, a.d2), ov_vec3_cross(a.d1, a.d22));
    set_column(jacobian, 0, ov_vec3_dot(n1, t), ov_vec3_dot(n1, s), -ov_vec3_dot(a.d1, t),
               -ov_vec3_dot(a.d1, s));
    set_column(jacobian, 1, ov_vec3_dot(n2, t), ov_vec3_dot(n2, s), -ov_vec3_dot(a.d2, t),
               -ov_vec3_dot(a.d2, s));
    double cross = ov_vec3_dot(b.d1, b.d2);
    set_column(jacobian, 2, ov_vec3_dot(n, b.d11), ov_vec3_dot(n, b.d12),
               ov_vec3_dot(b.d1, b.d1) + ov_vec3_dot(d, b.d11), cross + ov_vec3_dot(d, b.d12));
    set_column(jacobian, 3, ov_vec3_dot(n, b.d12), ov_vec3_dot(n, b.d22),
               cross + ov_vec3_dot(d, b.d12), ov_vec3_dot(b.d2, b.d2) + ov_vec3_dot(d, b.d22));
}

/* ---- ntbParametric */

void ovi_scheme_evaluate_ntb(const ovi_scheme_pair *pair, const double *q, double *phi,
                             double *jacobian) {
    ovi_scheme_common_normal at;
    if (jacobian == NULL) {
        ov_vec3 a = ovi_scheme_point(pair->a, q), b = ovi_scheme_point(pair->b, q + 2);
        ovi_scheme_common_normal_at(pair, a, b, false, &at);
    } else {
        ovi_scheme_patch a, b;
        ovi_scheme_patch_at(pair->a, q, false, &a);
        ovi_scheme_patch_at(pair->b, q + 2, false, &b);
        ovi_scheme_common_normal_at(pair, a.point, b.point, true, &at);
        for (int i = 0; i < 4; i++) {
            jacobian[i] = ov_vec3_dot(at.by_a[i], a.d1);
            jacobian[4 + i] = ov_vec3_dot(at.by_a[i], a.d2);
            jacobian[8 + i] = ov_vec3_dot(at.by_b[i], b.d1);
            jacobian[12 + i] = ov_vec3_dot(at.by_b[i], b.d2);
        }
    }
    for (int i = 0; i < 4; i++) {
        phi[i] = at.phi[i];
    }
}

/* ---- both as systems */

static void start(const ovi_scheme_guess *guess, double *q) {
    q[0] = guess->phi_a[0];
    q[1] = guess->phi_a[1];
    q[2] = guess->phi_b[0];
    q[3] = guess->phi_b[1];
}

static void points(const ovi_scheme_pair *pair, const double *q, ov_vec3 *a, ov_vec3 *b) {
    *a = ovi_scheme_point(pair->a, q);
    *b = ovi_scheme_point(pair->b, q + 2);
}

static void residual_parametric(const ovi_scheme_pair *pair, const double *q, double *phi) {
    ovi_scheme_evaluate_parametric(pair, q, phi, NULL);
}

static void jacobian_parametric(const ovi_scheme_pair *pair, const double *q, double *jacobian) {
    double phi[4];
    ovi_scheme_evaluate_parametric(pair, q, phi, jacobian);
}

static void residual_ntb(const ovi_scheme_pair *pair, const double *q, double *phi) {
    ovi_scheme_evaluate_ntb(pair, q, phi, NULL);
}

static void jacobian_ntb(const ovi_scheme_pair *pair, const double *q, double *jacobian) {
    double phi[4];
    ovi_scheme_evaluate_ntb(pair, q, phi, jacobian);
}

const ovi_scheme_system ovi_scheme_system_parametric = {.unknowns = 4,
                                                        .start = start,
                                                        .residual = residual_parametric,
                                                        .jacobian = jacobian_parametric,
                                                        .points = points};

const ovi_scheme_system ovi_scheme_system_ntb = {.unknowns = 4,
                                                 .start = start,
                                                 .residual = residual_ntb,
                                                 .jacobian = jacobian_ntb,
                                                 .points = points};
