/**
 * @file systems.c
 * @brief The equations of the common normal [Benchmark, 3.2 to 4.3]: the bodies as the papers write
 * them, and the systems (15) and (18) with their Jacobians. Every Newton scheme is made of these.
 */
#include "systems.h"

/* ==== the bodies ==============================================================================
 *
 * Superellipsoids and superovoids as the papers write them [Benchmark, 3.2, 3.3, 4.2]: the
 * inside-outside function (5) with gradient (6) and Hessian, the angle-centre parametrisation (10)
 * with tangents (11), (12) and second derivatives, and the Householder frame (13), (14). Every
 * Newton scheme is made of these.
 *
 * The field, in numbered steps. X = x/(a1 f1), Y = y/(a2 f2), Z = z/a3, f1 = 1 + tx Z, f2 = 1 + ty
 * Z, p1 = 2/e1, p2 = 2/e2:
 *
 *     1. S = |X|^p1 + |Y|^p1,  M = S^(e1/e2),  F = M + |Z|^p2 - 1
 *     2. shares u = |X|^p1/S, v = |Y|^p1/S; gx = X dF/dX = p2 M u, gy = p2 M v
 *     3. dF/dx = gx/x, dF/dy = gy/y, and as X falls by alpha = tx/(a3 f1) of itself along z, Y by
 *        beta = ty/(a3 f2):  dF/dz = p2 |Z|^p2/z - alpha gx - beta gy
 *     4. X^2 d2F/dX2 = gx (p2 u + p1 (1 - u) - 1) =: gx cx, X Y d2F/dXdY = gx v (p2 - p1) =: gxy,
 *        and alpha falls by alpha of itself along z, hence
 *        Fxx = gx cx/x^2, Fxy = gxy/(x y), Fxz = -(alpha gx (cx + 1) + beta gxy)/x,
 *        Fzz = alpha^2 gx (cx + 2) + 2 alpha beta gxy + beta^2 gy (cy + 2) + p2 (p2 - 1) |Z|^p2/z^2
 *
 * So four powers give the value and both derivatives. Quotients by a coordinate that is zero are
 * replaced by their limits; a second derivative that is infinite there (exponents above 1: edges)
 * is taken over a width of 1e-8 of the semi-axis instead, which is what differences see.
 *
 * Departures from the print:
 *  - (5) lacks its -1, without which F = 0 is no surface; it is there in (3).
 *  - (4) gives powers the sign of their base. That is right in (6) and (9) to (12), but in (5) and
 *    in the sums of (6) and (7) it makes bodies open: there the powers are those of |x|.
 *  - (7) is infinite on the z axis where e1 < e2, and (6) is then 0 times infinity. The quotients
 *    above are its limits.
 *  - the second component of (11) has the wrong sign.
 *  - (14) leaves the sign open; [Thesis, eq. 19] takes the larger of the two candidates, which is
 *    always the sum n_x + |n|. So it is here, but computed without cancellation. It vanishes for
 *    n along -x, where the frame turns ever faster; below 1e-16 |n| (where the plain sum would
 *    round to zero) the difference is taken instead, as (14) asks. Mended: the sum where n_x >= 0
 *    and the difference elsewhere, so that the frame turns slowly everywhere, with one jump.
 */

/** Relative width over which an infinite second derivative is taken. */
#define EDGE_WIDTH 1e-8

/* ---- the field (5), (6) */

typedef struct terms {
    double p1, p2;
    double ix, iy, iz; /**< dX/dx, dY/dy, dZ/dz */
    double x, y, z;    /**< X, Y, Z */
    double alpha, beta;
    double s, m, b; /**< S, M, |Z|^p2 */
    double u, v;    /**< shares of S; zero where S is */
} terms;

static terms terms_at(const ov_shape *shape, ov_vec3 p) {
    terms t = {.p1 = 2.0 / shape->e1, .p2 = 2.0 / shape->e2, .iz = 1.0 / shape->a.z};
    t.z = p.z * t.iz;
    double f1 = 1.0 + shape->tx * t.z, f2 = 1.0 + shape->ty * t.z;
    t.ix = 1.0 / (shape->a.x * f1);
    t.iy = 1.0 / (shape->a.y * f2);
    t.alpha = shape->tx * t.iz / f1;
    t.beta = shape->ty * t.iz / f2;
    t.x = p.x * t.ix;
    t.y = p.y * t.iy;
    double px = pow(fabs(t.x), t.p1), py = pow(fabs(t.y), t.p1);
    t.s = px + py;
    t.m = pow(t.s, shape->e1 / shape->e2);
    t.b = pow(fabs(t.z), t.p2);
    if (t.s != 0.0) {
        t.u = px / t.s;
        t.v = py / t.s;
    }
    return t;
}

static inline double over(double a, double b) { return b != 0.0 ? a / b : 0.0; }

static ov_vec3 gradient_of(const terms *t, ov_vec3 p) {
    double gx = t->p2 * t->m * t->u, gy = t->p2 * t->m * t->v;
    return ov_vec3_make(over(gx, p.x), over(gy, p.y),
                        t->p2 * over(t->b, p.z) - t->alpha * gx - t->beta * gy);
}

/** g/x^2 for g = weight |X|^p, with its limit or its value over the edge's width near zero. */
static double over_square(double g, double x, double ix, double p, double weight) {
    if (p < 2.0 && fabs(x * ix) < EDGE_WIDTH) {
        return weight * pow(EDGE_WIDTH, p - 2.0) * ix * ix;
    }
    if (p == 2.0) {
        return weight * ix * ix;
    }
    return over(over(g, x), x);
}

static void hessian_of(const terms *t, ov_vec3 p, double h[3][3]) {
    double weight = t->p2 * over(t->m, t->s);
    double gx = t->p2 * t->m * t->u, gy = t->p2 * t->m * t->v;
    double cx = t->p2 * t->u + t->p1 * t->v - 1.0, cy = t->p2 * t->v + t->p1 * t->u - 1.0;
    double gxy = gx * t->v * (t->p2 - t->p1), alpha = t->alpha, beta = t->beta;
    h[0][0] = cx * over_square(gx, p.x, t->ix, t->p1, weight);
    h[1][1] = cy * over_square(gy, p.y, t->iy, t->p1, weight);
    h[0][1] = h[1][0] = over(over(gxy, p.x), p.y);
    h[0][2] = h[2][0] = -over(alpha * gx * (cx + 1.0) + beta * gxy, p.x);
    h[1][2] = h[2][1] = -over(beta * gy * (cy + 1.0) + alpha * gxy, p.y);
    h[2][2] = alpha * alpha * gx * (cx + 2.0) + 2.0 * alpha * beta * gxy +
              beta * beta * gy * (cy + 2.0) +
              (t->p2 - 1.0) * over_square(t->p2 * t->b, p.z, t->iz, t->p2, t->p2);
}

double ovi_scheme_field(const ov_shape *shape, ov_vec3 p, ov_vec3 *gradient, double hessian[3][3]) {
    terms t = terms_at(shape, p);
    if (gradient != NULL) {
        *gradient = gradient_of(&t, p);
    }
    if (hessian != NULL && t.s != 0.0) {
        hessian_of(&t, p, hessian);
    } else if (hessian != NULL) {
        // on the z axis second derivatives may depend on the direction: look a little beside it
        ov_vec3 beside = ov_vec3_make(EDGE_WIDTH / t.ix, EDGE_WIDTH / t.iy, p.z);
        terms off = terms_at(shape, beside);
        hessian_of(&off, beside, hessian);
    }
    return t.m + t.b - 1.0;
}

double ovi_scheme_inside(const ov_shape *shape, ov_vec3 p) {
    return ovi_scheme_field(shape, p, NULL, NULL);
}

ov_vec3 ovi_scheme_gradient(const ov_shape *shape, ov_vec3 p, double hessian[3][3]) {
    ov_vec3 gradient;
    ovi_scheme_field(shape, p, &gradient, hessian);
    return gradient;
}

/* ---- the parametric surface (9) to (12) */

/** A signed power (4) of a cosine or sine, and its derivatives by the angle. */
typedef struct wave {
    double v, d1, d2;
} wave;

/** u^e where du/dphi = w and dw/dphi = -u. Zero has no second derivative unless e is 1. */
static wave wave_of(double u, double w, double e) {
    if (u == 0.0) {
        return (wave){0.0, w * (e == 1.0 ? 1.0 : e < 1.0 ? INFINITY : 0.0), 0.0};
    }
    double v = copysign(pow(fabs(u), e), u), slope = e * (v / u);
    return (wave){v, slope * w, slope * ((e - 1.0) * (w / u) * w - u)};
}

static void patch_at(const ov_shape *shape, const double phi[2], bool second,
                     ovi_scheme_patch *patch) {
    double c1 = cos(phi[0]), s1 = sin(phi[0]), c2 = cos(phi[1]), s2 = sin(phi[1]);
    wave c = wave_of(c1, -s1, shape->e1), s = wave_of(s1, c1, shape->e1);
    wave w = wave_of(c2, -s2, shape->e2), z = wave_of(s2, c2, shape->e2);
    double a1 = shape->a.x, a2 = shape->a.y, a3 = shape->a.z, tx = shape->tx, ty = shape->ty;
    double f1 = 1.0 + tx * z.v, f2 = 1.0 + ty * z.v;
    // the profile w, tapered along x and along y
    wave u = {f1 * w.v, f1 * w.d1 + tx * z.d1 * w.v, 0.0};
    wave v = {f2 * w.v, f2 * w.d1 + ty * z.d1 * w.v, 0.0};
    patch->point = ov_vec3_make(a1 * c.v * u.v, a2 * s.v * v.v, a3 * z.v);
    patch->d1 = ov_vec3_make(a1 * c.d1 * u.v, a2 * s.d1 * v.v, 0.0);
    patch->d2 = ov_vec3_make(a1 * c.v * u.d1, a2 * s.v * v.d1, a3 * z.d1);
    if (!second) {
        return;
    }
    u.d2 = f1 * w.d2 + 2.0 * tx * z.d1 * w.d1 + tx * z.d2 * w.v;
    v.d2 = f2 * w.d2 + 2.0 * ty * z.d1 * w.d1 + ty * z.d2 * w.v;
    patch->d11 = ov_vec3_make(a1 * c.d2 * u.v, a2 * s.d2 * v.v, 0.0);
    patch->d12 = ov_vec3_make(a1 * c.d1 * u.d1, a2 * s.d1 * v.d1, 0.0);
    patch->d22 = ov_vec3_make(a1 * c.v * u.d2, a2 * s.v * v.d2, a3 * z.d2);
}

static double signed_power(double u, double e) { return copysign(pow(fabs(u), e), u); }

ovi_scheme_ray ovi_scheme_ray_of(double angle, double e) {
    return (ovi_scheme_ray){signed_power(cos(angle), e), signed_power(sin(angle), e)};
}

ov_vec3 ovi_scheme_point_on(const ov_shape *shape, ovi_scheme_ray section, ovi_scheme_ray profile) {
    double w = profile.c, zeta = profile.s;
    return ov_vec3_make(shape->a.x * (1.0 + shape->tx * zeta) * section.c * w,
                        shape->a.y * (1.0 + shape->ty * zeta) * section.s * w, shape->a.z * zeta);
}

ov_vec3 ovi_scheme_point(const ov_shape *shape, const double phi[2]) {
    return ovi_scheme_point_on(shape, ovi_scheme_ray_of(phi[0], shape->e1),
                               ovi_scheme_ray_of(phi[1], shape->e2));
}

void ovi_scheme_tangents(const ov_shape *shape, const double phi[2], ov_vec3 *t, ov_vec3 *b) {
    ovi_scheme_patch patch;
    patch_at(shape, phi, false, &patch);
    *t = patch.d1;
    *b = patch.d2;
}

void ovi_scheme_angles(const ov_shape *shape, ov_vec3 p, double phi[2]) {
    if (ov_shape_angles(shape, p, &phi[0], &phi[1]) != OV_OK) {
        phi[0] = phi[1] = NAN;
    }
}

/* ---- the Householder frame (13), (14) */

ovi_scheme_frame ovi_scheme_frame_of(ov_vec3 normal, bool mended) {
    ovi_scheme_frame f = {.length = ov_vec3_length(normal), .s = 1.0};
    f.n = ov_vec3_normalize(normal);
    // 1 + n_x without cancellation
    double sum = f.n.x >= 0.0 ? 1.0 + f.n.x : (f.n.y * f.n.y + f.n.z * f.n.z) / (1.0 - f.n.x);
    if (sum < 1e-16 || (mended && f.n.x < 0.0)) {
        f.s = -1.0;
        sum = 1.0 - f.n.x;
    }
    f.w = 1.0 / sum;
    return f;
}

ov_vec3 ovi_scheme_frame_tangent(const ovi_scheme_frame *f) {
    double wy = f->w * f->n.y;
    return ov_vec3_make(-f->s * f->n.y, 1.0 - wy * f->n.y, -wy * f->n.z);
}

ov_vec3 ovi_scheme_frame_bitangent(const ovi_scheme_frame *f) {
    double wz = f->w * f->n.z;
    return ov_vec3_make(-f->s * f->n.z, -wz * f->n.y, 1.0 - wz * f->n.z);
}

/** Derivative by the unit normal to derivative by the normal that was given. */
static ov_vec3 by_normal(const ovi_scheme_frame *f, ov_vec3 by_unit) {
    double along = ov_vec3_dot(f->n, by_unit);
    return ov_vec3_scale(ov_vec3_add_scaled(by_unit, f->n, -along), 1.0 / f->length);
}

/** Derivative of v . t by the normal that was given, for a fixed v; of v . b below. */
static ov_vec3 frame_by_t(const ovi_scheme_frame *f, ov_vec3 v) {
    double k = f->n.y * v.y + f->n.z * v.z, wy = f->w * f->n.y;
    return by_normal(
        f, ov_vec3_make(f->s * f->w * wy * k, -f->s * v.x - f->w * k - wy * v.y, -wy * v.z));
}

static ov_vec3 frame_by_b(const ovi_scheme_frame *f, ov_vec3 v) {
    double k = f->n.y * v.y + f->n.z * v.z, wz = f->w * f->n.z;
    return by_normal(
        f, ov_vec3_make(f->s * f->w * wz * k, -wz * v.y, -f->s * v.x - f->w * k - wz * v.z));
}

void ovi_scheme_householder(ov_vec3 n, ov_vec3 *t, ov_vec3 *b) {
    ovi_scheme_frame frame = ovi_scheme_frame_of(n, false);
    *t = ovi_scheme_frame_tangent(&frame);
    *b = ovi_scheme_frame_bitangent(&frame);
}

/* ==== implicit: six equations (15) ============================================================
 *
 * The common normal of two implicit surfaces: six equations (15) in the six coordinates (16)
 * of two points, each in the frame of its body [Benchmark, 4.1, 4.2; Thesis, eq. 21, 22].
 *
 *     n_P . t_Q,  n_P . b_Q,  d . t_Q,  d . b_Q,  F_A(P),  F_B(Q)          d = Q - P
 *
 * n_P is the gradient of F_A at P, as long as it comes; t_Q and b_Q are the Householder tangents of
 * B's gradient at Q. All are looked at in the frame of B, where t_Q and b_Q are made: products do
 * not depend on the frame, and so only n_P and P have to be turned.
 *
 * The analytic Jacobian, which [Thesis, 1.4.1] asks for. With R the turn from A's frame to B's, H
 * the two Hessians, and D(v) the derivative of v . t_Q by B's gradient (frame_by_t):
 *
 *     1. by P:  n_P . t_Q = (R grad F_A) . t_Q  gives  H_A (R' t_Q);  d . t_Q gives  -R' t_Q
 *     2. by Q:  n_P . t_Q  gives  H_B D(n_P);   d . t_Q  gives  t_Q + H_B D(d)
 *     3. the same with b_Q; the last two rows are the gradients
 *
 * Weak points of the system, as published: every pair of points with a common normal solves it, the
 * furthest points as well as the nearest (newton.c can look at the answer); the equations
 * are in mixed units, and F grows like the 2/e2-th power of the distance, so that steps from
 * outside are short for square bodies; near a normal along -x of B's frame the Householder frame
 * turns ever faster (above; mended there with another sign).
 */

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

static void common_normal_at(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b, bool derivatives,
                             ovi_scheme_common_normal *out) {
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
    out->by_b[0] = times(hb, frame_by_t(&frame, n));
    out->by_b[1] = times(hb, frame_by_b(&frame, n));
    out->by_b[2] = ov_vec3_add(t, times(hb, frame_by_t(&frame, d)));
    out->by_b[3] = ov_vec3_add(s, times(hb, frame_by_b(&frame, d)));
}

static void start_implicit(const ovi_scheme_guess *guess, double *q) {
    q[0] = guess->a.x;
    q[1] = guess->a.y;
    q[2] = guess->a.z;
    q[3] = guess->b.x;
    q[4] = guess->b.y;
    q[5] = guess->b.z;
}

static void points_implicit(const ovi_scheme_pair *pair, const double *q, ov_vec3 *a, ov_vec3 *b) {
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
    points_implicit(pair, q, &a, &b);
    ovi_scheme_common_normal at;
    common_normal_at(pair, a, b, jacobian != NULL, &at);
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

const ovi_scheme_system ovi_scheme_system_implicit = {.unknowns = 6,
                                                      .start = start_implicit,
                                                      .residual = residual,
                                                      .jacobian = jacobian_of,
                                                      .points = points_implicit};

/* ==== parametric: four equations (18) =========================================================
 *
 * The common normal of two parametric surfaces: four equations (18) in the angles (19) of a
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
 *     3. ntbParametric: the rows of (15), derivatives by the points (above), times sk
 *
 * Weak points, as published: the derivatives (11), (12) are zero or infinite wherever a sine or a
 * cosine vanishes and the exponent is not 1, and so the matrix is singular on the coordinate planes
 * and at the poles, where flat bodies like to touch. At a pole of A, (11) is zero for every
 * exponent, and with it the normal: there the first two equations of quadParametric hold wherever B
 * is, and Newton may converge to what is no common normal. Angles outside the range (9) are let
 * be: the signed powers (4) bring them back to the surface.
 */

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
    patch_at(pair->a, q, jacobian != NULL, &a);
    patch_at(pair->b, q + 2, jacobian != NULL, &b);
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
        common_normal_at(pair, a, b, false, &at);
    } else {
        ovi_scheme_patch a, b;
        patch_at(pair->a, q, false, &a);
        patch_at(pair->b, q + 2, false, &b);
        common_normal_at(pair, a.point, b.point, true, &at);
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

static void start_parametric(const ovi_scheme_guess *guess, double *q) {
    q[0] = guess->phi_a[0];
    q[1] = guess->phi_a[1];
    q[2] = guess->phi_b[0];
    q[3] = guess->phi_b[1];
}

static void points_parametric(const ovi_scheme_pair *pair, const double *q, ov_vec3 *a,
                              ov_vec3 *b) {
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
                                                        .start = start_parametric,
                                                        .residual = residual_parametric,
                                                        .jacobian = jacobian_parametric,
                                                        .points = points_parametric};

const ovi_scheme_system ovi_scheme_system_ntb = {.unknowns = 4,
                                                 .start = start_parametric,
                                                 .residual = residual_ntb,
                                                 .jacobian = jacobian_ntb,
                                                 .points = points_parametric};
