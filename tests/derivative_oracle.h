/**
 * @file derivative_oracle.h
 * @brief Contacts of two superovoids in long double, and their derivatives by differences alone.
 *
 * The surface is run over by the logarithms of its shares: c = 1/(1 + exp(-s)) of the section and
 * of the profile, X = c^(e/2), its covector c^(1 - e/2). Within an octant point and normal are
 * smooth in s for every exponent, flats and edges being far away at large s. A contact is found by
 * Newton from a near one, whose matrix is made of differences; no curvature is formed anywhere, and
 * no code is shared with the library.
 *
 * Where not to trust it: on the coordinate planes (s infinite), and where the Newton matrix is
 * close to singular; do_solve says so.
 *
 * For the special places, on and near the planes, do_nearest finds the point of a surface that is
 * nearest to a point outside, by bisection alone.
 */
#ifndef OVOID_TESTS_DERIVATIVE_ORACLE_H
#define OVOID_TESTS_DERIVATIVE_ORACLE_H

#include "check.h"

/* ---- what the suites of the derivatives share */

static inline double largest_of(ov_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

static inline double off_by(ov_vec3 a, ov_vec3 b) { return largest_of(ov_vec3_sub(a, b)); }

static inline ov_contact solved(double gap, ov_vec3 a, ov_vec3 b, ov_vec3 n) {
    return (ov_contact){.gap = gap,
                        .gap_lower = gap,
                        .gap_upper = gap,
                        .point_a = a,
                        .point_b = b,
                        .normal = n,
                        .relation = gap > 0.0 ? OV_RELATION_SEPARATED : OV_RELATION_OVERLAPPING};
}

/* Draws one after the other: in one list of initialisers their order would be the compiler's. */

static inline ov_pose draw_pose(check_random *r, double reach) {
    ov_pose pose;
    pose.position = ov_vec3_scale(check_unit_vector(r), reach);
    pose.rotation = check_rotation(r);
    return pose;
}

static inline ov_vec3 draw_sizes(check_random *r, double lo, double hi) {
    ov_vec3 a;
    a.x = check_log_uniform(r, lo, hi);
    a.y = check_log_uniform(r, lo, hi);
    a.z = check_log_uniform(r, lo, hi);
    return a;
}

/* ---- vectors and turns in long double */

typedef long double do_real;

typedef struct do_vec {
    do_real v[3];
} do_vec;

static inline do_vec do_from(ov_vec3 a) { return (do_vec){{a.x, a.y, a.z}}; }
static inline ov_vec3 do_to(do_vec a) {
    return ov_vec3_make((double)a.v[0], (double)a.v[1], (double)a.v[2]);
}
static inline do_real do_dot(do_vec a, do_vec b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}
static inline do_vec do_add(do_vec a, do_vec b, do_real s) {
    return (do_vec){{a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2]}};
}
static inline do_vec do_cross(do_vec a, do_vec b) {
    return (do_vec){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}
static inline do_real do_length(do_vec a) { return sqrtl(do_dot(a, a)); }
static inline do_vec do_unit(do_vec a) {
    return do_add((do_vec){{0.0L, 0.0L, 0.0L}}, a, 1.0L / do_length(a));
}

/** Columns of a rotation. */
typedef struct do_turn {
    do_vec c[3];
} do_turn;

static inline do_vec do_apply(const do_turn *t, do_vec p) {
    do_vec out = {{0.0L, 0.0L, 0.0L}};
    for (int i = 0; i < 3; i++) {
        out = do_add(out, t->c[i], p.v[i]);
    }
    return out;
}

static inline do_vec do_apply_inverse(const do_turn *t, do_vec p) {
    return (do_vec){{do_dot(t->c[0], p), do_dot(t->c[1], p), do_dot(t->c[2], p)}};
}

static inline do_turn do_turn_of(ov_quat q) {
    do_real n =
        2.0L / ((do_real)q.w * q.w + (do_real)q.x * q.x + (do_real)q.y * q.y + (do_real)q.z * q.z);
    do_real w = q.w, x = q.x, y = q.y, z = q.z;
    return (do_turn){{{{1.0L - n * (y * y + z * z), n * (x * y + w * z), n * (x * z - w * y)}},
                      {{n * (x * y - w * z), 1.0L - n * (x * x + z * z), n * (y * z + w * x)}},
                      {{n * (x * z + w * y), n * (y * z - w * x), 1.0L - n * (x * x + y * y)}}}};
}

/** A vector turned about world axis k. */
static inline do_vec do_turn_about(do_vec p, int k, do_real angle_rad) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    do_real c = cosl(angle_rad), s = sinl(angle_rad);
    do_vec out = p;
    out.v[i] = c * p.v[i] - s * p.v[j];
    out.v[j] = s * p.v[i] + c * p.v[j];
    return out;
}

/** A placed body: a1 a2 a3 e1 e2 tx ty, and an octant of its surface. */
typedef struct do_body {
    do_real parameter[OV_PARAMETER_COUNT];
    do_real sign[3];
    do_vec position;
    do_turn turn;
} do_body;

static inline do_body do_body_of(const ov_shape *s, ov_pose pose) {
    return (do_body){.parameter = {s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty},
                     .sign = {1.0L, 1.0L, 1.0L},
                     .position = do_from(pose.position),
                     .turn = do_turn_of(pose.rotation)};
}

/** Moved along, or turned about, a world axis. */
static inline void do_move(do_body *b, int motion, do_real by) {
    if (motion < 3) {
        b->position.v[motion] += by;
        return;
    }
    for (int i = 0; i < 3; i++) {
        b->turn.c[i] = do_turn_about(b->turn.c[i], motion - 3, by);
    }
}

typedef struct do_point {
    do_vec point, normal;
} do_point;

/** A place on a unit curve |u|^p + |v|^p = 1, with its covector. */
typedef struct do_curve {
    do_real u, v, gu, gv;
} do_curve;

/** From the logarithm of the ratio of the shares, v's to u's; any number will do. */
static inline do_curve do_curve_at(do_real t, do_real e) {
    do_real more = log1pl(expl(-fabsl(t))), log_u = -more, log_v = -more;
    *(t > 0.0L ? &log_u : &log_v) -= fabsl(t);
    do_real f = 0.5L * e, g = 1.0L - f;
    return (do_curve){expl(f * log_u), expl(f * log_v), expl(g * log_u), expl(g * log_v)};
}

/** Point and outward normal of two places, on the octant that the signs name. */
static inline do_point do_surface(const do_real p[OV_PARAMETER_COUNT], const do_real sign[3],
                                  do_curve sec, do_curve pro) {
    do_real zeta = sign[2] * pro.v, tx = p[OV_PARAMETER_TX], ty = p[OV_PARAMETER_TY];
    do_real f1 = 1.0L + tx * zeta, f2 = 1.0L + ty * zeta;
    do_real mu = sec.u * sec.gu * tx / f1 + sec.v * sec.gv * ty / f2;
    do_point out = {.point = {{sign[0] * p[0] * f1 * pro.u * sec.u,
                               sign[1] * p[1] * f2 * pro.u * sec.v, p[2] * zeta}}};
    out.normal = do_unit(
        (do_vec){{sign[0] * pro.gu * sec.gu / (p[0] * f1), sign[1] * pro.gu * sec.gv / (p[1] * f2),
                  (sign[2] * pro.gv - pro.gu * pro.u * mu) / p[2]}});
    return out;
}

/** In the body's frame, from the logarithms of the shares of section and profile. */
static inline do_point do_local(const do_body *b, const do_real s[2]) {
    const do_real *par = b->parameter;
    return do_surface(par, b->sign, do_curve_at(-s[0], par[OV_PARAMETER_E1]),
                      do_curve_at(-s[1], par[OV_PARAMETER_E2]));
}

static inline do_point do_in_world(const do_body *b, const do_real s[2]) {
    do_point p = do_local(b, s);
    p.point = do_add(do_apply(&b->turn, p.point), b->position, 1.0L);
    p.normal = do_apply(&b->turn, p.normal);
    return p;
}

/** Two bodies, where on them the contact is, and a frame to measure in. */
typedef struct do_pair {
    do_body body[2];
    do_real s[4];
    do_vec t1, t2;
    do_real size;
    do_real inverse[4][4]; // of the Newton matrix at the solved place
} do_pair;

typedef struct do_contact {
    do_real gap;
    do_vec point_a, point_b, normal;
} do_contact;

static inline do_contact do_contact_of(const do_pair *p) {
    do_point a = do_in_world(&p->body[0], &p->s[0]), b = do_in_world(&p->body[1], &p->s[2]);
    do_vec apart = do_add(b.point, a.point, -1.0L);
    return (do_contact){do_dot(apart, a.normal), a.point, b.point, a.normal};
}

static inline void do_residual(const do_pair *p, do_real r[4]) {
    do_point a = do_in_world(&p->body[0], &p->s[0]), b = do_in_world(&p->body[1], &p->s[2]);
    do_vec sum = do_add(a.normal, b.normal, 1.0L), apart = do_add(b.point, a.point, -1.0L);
    apart = do_add(apart, a.normal, -do_dot(apart, a.normal));
    r[0] = do_dot(p->t1, sum);
    r[1] = do_dot(p->t2, sum);
    r[2] = do_dot(p->t1, apart) / p->size;
    r[3] = do_dot(p->t2, apart) / p->size;
}

/** Inverse by elimination; false where a pivot is lost against the largest entry of its row. */
static inline bool do_invert(const do_real a[4][4], do_real inverse[4][4]) {
    do_real m[4][8];
    for (int i = 0; i < 4; i++) {
        do_real big = 0.0L;
        for (int j = 0; j < 4; j++) {
            big = fmaxl(big, fabsl(a[i][j]));
        }
        for (int j = 0; j < 4; j++) {
            m[i][j] = a[i][j] / big;
            m[i][j + 4] = i == j ? 1.0L / big : 0.0L;
        }
    }
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++) {
            pivot = fabsl(m[i][k]) > fabsl(m[pivot][k]) ? i : pivot;
        }
        if (!(fabsl(m[pivot][k]) > 1e-12L)) {
            return false;
        }
        for (int j = 0; j < 8; j++) {
            do_real swap = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = swap;
        }
        for (int i = 0; i < 4; i++) {
            do_real f = i == k ? 0.0L : m[i][k] / m[k][k];
            for (int j = k; j < 8; j++) {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            inverse[i][j] = m[i][j + 4] / m[i][i];
        }
    }
    return true;
}

/** The Newton matrix, by differences, and its inverse. */
static inline bool do_prepare(do_pair *p) {
    const do_real step = 1e-6L;
    do_real m[4][4];
    for (int j = 0; j < 4; j++) {
        do_pair q = *p;
        do_real up[4], down[4];
        q.s[j] = p->s[j] + step;
        do_residual(&q, up);
        q.s[j] = p->s[j] - step;
        do_residual(&q, down);
        for (int i = 0; i < 4; i++) {
            m[i][j] = (up[i] - down[i]) / (2.0L * step);
        }
    }
    return do_invert((const do_real(*)[4])m, p->inverse);
}

/** To the last digits, with a new matrix each time or that of a near contact; false if not. */
static inline bool do_iterate(do_pair *p, bool renew) {
    do_real last = 1.0L;
    for (int i = 0; i < 40; i++) {
        do_real r[4], largest = 0.0L;
        if (renew && !do_prepare(p)) {
            return false;
        }
        do_residual(p, r);
        for (int k = 0; k < 4; k++) {
            do_real move = 0.0L;
            for (int j = 0; j < 4; j++) {
                move += p->inverse[k][j] * r[j];
            }
            p->s[k] -= move;
            largest = fmaxl(largest, fabsl(move));
        }
        if (!(largest < 2.0L)) {
            return false;
        }
        if (largest < 1e-17L || (largest < 1e-12L && largest >= 0.5L * last)) {
            return true;
        }
        last = largest;
    }
    return false;
}

/** A contact from a rough place, ready to be followed. */
static inline bool do_solve(do_pair *p) { return do_iterate(p, true) && do_prepare(p); }

/** A change of the problem: motion 0 … 5 or parameter 6 … 12 of one of the bodies. */
enum { DO_CHANGES = OV_DOF_COUNT + OV_PARAMETER_COUNT };

static inline void do_change(do_pair *p, int body, int change, do_real by) {
    if (change < OV_DOF_COUNT) {
        do_move(&p->body[body], change, by);
    } else {
        p->body[body].parameter[change - OV_DOF_COUNT] += by;
    }
}

/** a + f b, number by number. */
static inline do_contact do_combine(do_contact a, do_contact b, do_real fa, do_real fb) {
    const do_vec zero = {{0.0L, 0.0L, 0.0L}};
    return (do_contact){fa * a.gap + fb * b.gap, do_add(do_add(zero, a.point_a, fa), b.point_a, fb),
                        do_add(do_add(zero, a.point_b, fa), b.point_b, fb),
                        do_add(do_add(zero, a.normal, fa), b.normal, fb)};
}

static inline bool do_difference(const do_pair *p, int body, int change, do_real step,
                                 do_contact *out) {
    do_pair up = *p, down = *p;
    do_change(&up, body, change, step);
    do_change(&down, body, change, -step);
    if (!do_iterate(&up, false) || !do_iterate(&down, false)) {
        return false;
    }
    do_real f = 0.5L / step;
    *out = do_combine(do_contact_of(&up), do_contact_of(&down), f, -f);
    return true;
}

/** Central differences, once extrapolated; the step moves the place on the surfaces by 5e-4. */
static inline bool do_derivative(const do_pair *p, int body, int change, do_real unit,
                                 do_contact *out) {
    do_real tiny = 1e-8L * unit, r[4], fastest = 0.0L;
    do_pair q = *p;
    do_change(&q, body, change, tiny);
    do_residual(&q, r);
    for (int k = 0; k < 4; k++) {
        do_real move = 0.0L;
        for (int j = 0; j < 4; j++) {
            move += p->inverse[k][j] * r[j];
        }
        fastest = fmaxl(fastest, fabsl(move) / tiny);
    }
    do_real step = fminl(1e-3L * unit, 5e-4L / fastest);
    do_contact wide, narrow;
    if (!do_difference(p, body, change, step, &wide) ||
        !do_difference(p, body, change, 0.5L * step, &narrow)) {
        return false;
    }
    *out = do_combine(narrow, wide, 4.0L / 3.0L, -1.0L / 3.0L);
    return true;
}

/* ---- nearest points, also on planes of symmetry, edges, corners and flats */

/** From a small coordinate of the point, or of the covector: v or gv, u or gu the other one. */
static inline do_curve do_curve_near(do_real small, do_real e, bool by_point, bool is_v) {
    do_real log_ratio = (by_point ? 2.0L / e : 2.0L / (2.0L - e)) * logl(small);
    do_curve c = e == 2.0L && !by_point ? (do_curve){1.0L, 0.0L, 1.0L, 1.0L - small}
                                        : do_curve_at(log_ratio, e);
    return is_v ? c : (do_curve){c.v, c.u, c.gv, c.gu};
}

/** Bisection from -60 to 60 of a number that is stretched: +-1e26, and fine about zero. */
enum { DO_HALVINGS = 80 };
static inline do_real do_stretch(do_real q) { return copysignl(expm1l(fabsl(q)), q); }

/**
 * Of a slice (semi-axes w a, w b) nearest to (x, y), both not negative. False where (x, y) is
 * inside of the slice.
 */
static inline bool do_nearest_on_slice(do_real a, do_real b, do_real w, do_real e, do_real x,
                                       do_real y, do_curve *c) {
    do_real rx = x / (w * a), ry = y / (w * b), most = fmaxl(rx, ry), ratio = fminl(rx, ry) / most;
    if (w > 0.0L && (most == 0.0L || most * expl(0.5L * e * log1pl(powl(ratio, 2.0L / e))) <= 1)) {
        return false;
    }
    do_real low = -60.0L, high = 60.0L;
    for (int i = 0; i < DO_HALVINGS; i++) {
        do_real mid = 0.5L * (low + high);
        *c = do_curve_at(do_stretch(mid), e);
        do_real up = (y - w * b * c->v) * b * c->gu - (x - w * a * c->u) * a * c->gv;
        *(up > 0.0L ? &low : &high) = mid;
    }
    if (x == 0.0L || y == 0.0L) {
        *c = x == 0.0L ? (do_curve){0.0L, 1.0L, 0.0L, 1.0L} : (do_curve){1.0L, 0.0L, 1.0L, 0.0L};
    }
    return true;
}

/**
 * Point of a convex superovoid surface nearest to y, which is outside, in the body's frame. Slice
 * by slice: the distance to the slice at a height is convex in the height, and which way it falls
 * is told by the tangent along the profile.
 */
static inline do_vec do_nearest(const do_real p[OV_PARAMETER_COUNT], do_vec y) {
    do_real ax = fabsl(y.v[0]), ay = fabsl(y.v[1]), low = -120.0L, high = 120.0L;
    do_vec x = y;
    for (int i = 0; i < DO_HALVINGS; i++) {
        do_real mid = 0.5L * (low + high), side = mid < 0.0L ? -1.0L : 1.0L, up;
        do_curve pro = do_curve_at(do_stretch(fabsl(mid) - 60.0L), p[OV_PARAMETER_E2]), sec;
        do_real zeta = side * pro.v, gz = side * pro.gv, w = pro.u, gw = pro.gu;
        do_real tx = p[OV_PARAMETER_TX], ty = p[OV_PARAMETER_TY];
        do_real f1 = 1.0L + tx * zeta, f2 = 1.0L + ty * zeta;
        x = (do_vec){{ax, ay, p[2] * zeta}};
        up = y.v[2] - x.v[2];
        if (do_nearest_on_slice(p[0] * f1, p[1] * f2, w, p[OV_PARAMETER_E1], ax, ay, &sec)) {
            x.v[0] = p[0] * f1 * w * sec.u;
            x.v[1] = p[1] * f2 * w * sec.v;
            up = up * p[2] * gw + (ax - x.v[0]) * p[0] * sec.u * (tx * w * gw - f1 * gz) +
                 (ay - x.v[1]) * p[1] * sec.v * (ty * w * gw - f2 * gz);
        }
        *(up > 0.0L ? &low : &high) = mid;
    }
    x.v[0] = copysignl(x.v[0], y.v[0]);
    x.v[1] = copysignl(x.v[1], y.v[1]);
    return x;
}

#endif
