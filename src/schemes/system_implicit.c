/**
 * @file system_implicit.c
 * @brief The common normal of two implicit surfaces: six equations (15) in the six coordinates (16)
 * of two points, each in the frame of its body [Benchmark, 4.1, 4.2; Thesis, eq. 21, 22].
 *
 *     n_P . t_Q,  n_P . b_Q,  d . t_Q,  d . b_Q,  F_A(P),  F_B(Q)          d = Q - P
 *
 * n_P is the gradient of F_A at P, as long as it comes; t_Q and b_Q are the Householder tangents of
 * B's gradient at Q. All are looked at in the frame of B, where t_Q and b_Q are made: products do
 * not depend on the frame, and so only n_P and P have to be turned.
 *
 * The analytic Jacobian, which [Thesis, 1.4.1] asks for. With R the turn from A's frame to B's, H
 * the two Hessians, and D(v) the derivative of v . t_Q by B's gradient (ovi_scheme_frame_by_t):
 *
 *     1. by P:  n_P . t_Q = (R grad F_A) . t_Q  gives  H_A (R' t_Q);  d . t_Q gives  -R' t_Q
 *     2. by Q:  n_P . t_Q  gives  H_B D(n_P);   d . t_Q  gives  t_Q + H_B D(d)
 *     3. the same with b_Q; the last two rows are the gradients
 *
 * Weak points of the system, as published: every pair of points with a common normal solves it, the
 * furthest points as well as the nearest (newton_contact.c can look at the answer); the equations
 * are in mixed units, and F grows like the 2/e2-th power of the distance, so that steps from
 * outside are short for square bodies; near a normal along -x of B's frame the Householder frame
 * turns ever faster (bodies.c; mended there with another sign).
 */
#include "systems.h"

ovi_scheme_place ovi_scheme_place_of(const ovi_scheme_pair *pair) {
    ov_quat back = ov_quat_conjugate(pair->pose_b.rotation);
    ov_vec3 apart = ov_vec3_sub(pair->pose_a.position, pair->pose_b.position);
    ov_quat turn = ov_quat_mul(back, pair->pose_a.rotation);
    return (ovi_scheme_place){ov_mat3_from_quat(turn), ov_quat_rotate(back, apart)};
}

static ov_vec3 times(const double h[3][3], ov_vec3 v) {
    return ov_vec3_make(h[0][0] * v.x + h[0][1] * v.y + h[0][2] * v.z,
                        h[1][0] * v.x + h[1][1] * v.y + h[1][2] * v.z,
                        h[2][0] * v.x + h[2][1] * v.y + h[2][2] * v.z);
}

void ovi_scheme_common_normal_at(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b,
                                 bool derivatives, ovi_scheme_common_normal *out) {
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    double ha[3][3], hb[3][3];
    out->inside_a = ovi_scheme_field(pair->a, a, &out->gradient_a, derivatives ? ha : NULL);
    out->inside_b = ovi_scheme_field(pair->b, b, &out->gradient_b, derivatives ? hb : NULL);
    ovi_scheme_frame frame = ovi_scheme_frame_of(out->gradient_b, pair->options->mended);
    ov_vec3 t = ovi_scheme_frame_tangent(&frame), s = ovi_scheme_frame_bitangent(&frame);
    ov_vec3 n = ov_mat3_mul_vec3(&place.turn, out->gradient_a);
    ov_vec3 p = ov_vec3_add(ov_mat3_mul_vec3(&place.turn, a), place.offset);
    ov_vec3 d = ov_vec3_sub(b, p);
    out->phi[0] = ov_vec3_dot(n, t);
    out->phi[1] = ov_vec3_dot(n, s);
    out->phi[2] = ov_vec3_dot(d, t);
    out->phi[3] = ov_vec3_dot(d, s);
    if (!derivatives) {
        return;
    }
    ov_vec3 ta = ov_mat3_tmul_vec3(&place.turn, t), sa = ov_mat3_tmul_vec3(&place.turn, s);
    out->by_a[0] = times(ha, ta);
    out->by_a[1] = times(ha, sa);
    out->by_a[2] = ov_vec3_neg(ta);
    out->by_a[3] = ov_vec3_neg(sa);
    out->by_b[0] = times(hb, ovi_scheme_frame_by_t(&frame, n));
    out->by_b[1] = times(hb, ovi_scheme_frame_by_b(&frame, n));
    out->by_b[2] = ov_vec3_add(t, times(hb, ovi_scheme_frame_by_t(&frame, d)));
    out->by_b[3] = ov_vec3_add(s, times(hb, ovi_scheme_frame_by_b(&frame, d)));
}

static void start(const ovi_scheme_guess *guess, double *q) {
    q[0] = guess->a.x;
    q[1] = guess->a.y;
    q[2] = guess->a.z;
    q[3] = guess->b.x;
    q[4] = guess->b.y;
    q[5] = guess->b.z;
}

static void points(const ovi_scheme_pair *pair, const double *q, ov_vec3 *a, ov_vec3 *b) {
    (void)pair;
    *a = ov_vec3_make(q[0], q[1], q[2]);
    *b = ov_vec3_make(q[3], q[4], q[5]);
}

/** Row of a column-major 6 x 6 matrix from the derivatives by the two points. */
static void set_row(double *jacobian, int row, ov_vec3 by_a, ov_vec3 by_b) {
    double *j = jacobian + row;
    j[0] = by_a.x;
    j[6] = by_a.y;
    j[12] = by_a.z;
    j[18] = by_b.x;
    j[24] = by_b.y;
    j[30] = by_b.z;
}

void ovi_scheme_evaluate_implicit(const ovi_scheme_pair *pair, const double *q, double *phi,
                                  double *jacobian) {
    ov_vec3 a, b;
    points(pair, q, &a, &b);
    ovi_scheme_common_normal at;
    ovi_scheme_common_normal_at(pair, a, b, jacobian != NULL, &at);
    for (int i = 0; i < 4; i++) {
        phi[i] = at.phi[i];
    }
    phi[4] = at.inside_a;
    phi[5] = at.inside_b;
    if (jacobian == NULL) {
        return;
    }
    ov_vec3 zero = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        set_row(jacobian, i, at.by_a[i], at.by_b[i]);
    }
    set_row(jacobian, 4, at.gradient_a, zero);
    set_row(jacobian, 5, zero, at.gradient_b);
}

static void residual(const ovi_scheme_pair *pair, const double *q, double *phi) {
    ovi_scheme_evaluate_implicit(pair, q, phi, NULL);
}

static void jacobian_of(const ovi_scheme_pair *pair, const double *q, double *jacobian) {
    double phi[6];
    ovi_scheme_evaluate_implicit(pair, q, phi, jacobian);
}

const ovi_scheme_system ovi_scheme_system_implicit = {
    .unknowns = 6, .start = start, .residual = residual, .jacobian = jacobian_of, .points = points};
