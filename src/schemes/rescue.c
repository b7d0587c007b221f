/**
 * @file rescue.c
 * @brief New starts where Newton's method failed: bisection and regula falsi of vectors, the
 * thesis's objective 1.4.1 ("in case of failure, vector-valued multivariate bisection or regula
 * falsi methods to provide a proper initial approximation").
 *
 * The thesis names the methods and gives none; this is a reading. In one dimension both keep an
 * interval, look at the sign of the equation at a point inside (the middle, or the zero of the
 * secant through the ends), and keep the part on the side of the root. Here:
 *
 *     1. Two coordinates on each surface, x in R^4: the plane across the line from the centre to
 *        the start, in the body scaled to unit semi-axes, projected from the centre onto the
 *        surface. Unlike the angles of (9) they have no poles, and flats are not shrunk to nothing.
 *        Points are on the surfaces, so that the four equations (18) are left of (15) too.
 *     2. r(x) = (n_P . t, n_P . b, d . t, d . b), the equations (18) with a unit normal and with
 *        tangents at Q that turn with Q as little as can be: no Householder frame, which may jump,
 *        and no derivatives by the angles, which may vanish. The zeros are the same.
 *     3. The bracket is a box, middle m and half widths h. The secants between the middles of
 *        opposite faces are the columns of a matrix S, r(m + h u) ~ r(m) + S u. Then
 *        u = -S^-1 r(m) is where they vanish, and each u_k speaks of one coordinate, as a single
 *        equation does in one dimension.
 *     4. Bisection: the sign of u_k says which half of the box to keep along k, for all four k at
 *        once. The half is kept with a fifth of it added beyond the middle, since the signs are
 *        those of the secants and not of the equations themselves.
 *        Regula falsi: the next box has its middle at the zero of the secants, m + h u, or where it
 *        leaves the box on the box's side, and half the width. So it may slide, which in one
 *        dimension it may not; without a proof that a root is inside, nothing is lost.
 *     5. Twelve boxes at most, nine residuals each. The best middle of all is the new start.
 *
 * Both return the same kinds of solutions as Newton's method does: common normals near the start.
 */
#include <ovoid/query.h>

#include "systems.h"

enum { COORDINATES = 4, BOXES = 12 };

/** First half width, in units of the distance from the centre: about 27 degrees;
 *  the start of a quadtree may be so far off on a flat. */
static const double first_half = 0.5;
/** Kept beyond the middle, as a share of the half that is kept. */
static const double bisection_margin = 0.2;

/* ---- coordinates on a surface */

typedef struct chart {
    const ov_shape *shape;
    ov_vec3 base, u, v; /**< in the body scaled to unit semi-axes; u and v as long as the base */
} chart;

/** Along the line from the centre; false at the centre itself. */
static bool project(const ov_shape *shape, ov_vec3 p, ov_vec3 *on) {
    double distance;
    return ov_point_radial(shape, ov_pose_identity(), p, &distance, on) == OV_OK;
}

static bool make_chart(const ov_shape *shape, ov_vec3 start, chart *c) {
    ov_vec3 on;
    if (!project(shape, start, &on)) {
        return false;
    }
    c->shape = shape;
    c->base = ov_vec3_make(on.x / shape->a.x, on.y / shape->a.y, on.z / shape->a.z);
    ov_mat3 frame = ov_mat3_householder(c->base);
    double length = ov_vec3_length(c->base);
    c->u = ov_vec3_scale(frame.cy, length);
    c->v = ov_vec3_scale(frame.cz, length);
    return true;
}

static bool chart_point(const chart *c, const double x[2], ov_vec3 *p) {
    ov_vec3 scaled = ov_vec3_add_scaled(ov_vec3_add_scaled(c->base, c->u, x[0]), c->v, x[1]);
    return project(c->shape, ov_vec3_mul(scaled, c->shape->a), p);
}

/* ---- the equations */

typedef struct problem {
    const ovi_scheme_pair *pair;
    ovi_scheme_place place;
    chart a, b;
    ov_vec3 t, s; /**< tangents at the start on B, in B's frame */
    double unit;  /**< of lengths */
} problem;

static bool make_problem(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b, problem *p) {
    if (!make_chart(pair->a, a, &p->a) || !make_chart(pair->b, b, &p->b)) {
        return false;
    }
    p->pair = pair;
    p->place = ovi_scheme_place_of(pair);
    ov_vec3 on_b = ov_vec3_mul(p->b.base, pair->b->a);
    ov_mat3 frame = ov_mat3_householder(ovi_scheme_gradient(pair->b, on_b, NULL));
    p->t = frame.cy;
    p->s = frame.cz;
    p->unit = fmin(pair->a->ball.radius, pair->b->ball.radius);
    return true;
}

/** v without its part along the unit n. */
static ov_vec3 across(ov_vec3 v, ov_vec3 n) { return ov_vec3_add_scaled(v, n, -ov_vec3_dot(v, n)); }

static bool residual(const problem *p, const double x[COORDINATES], double r[COORDINATES]) {
    ov_vec3 a, b;
    if (!chart_point(&p->a, x, &a) || !chart_point(&p->b, x + 2, &b)) {
        return false;
    }
    ov_vec3 normal_a = ov_vec3_normalize(ovi_scheme_gradient(p->pair->a, a, NULL));
    ov_vec3 normal_b = ov_vec3_normalize(ovi_scheme_gradient(p->pair->b, b, NULL));
    ov_vec3 n = ov_mat3_mul_vec3(&p->place.turn, normal_a);
    ov_vec3 seen = ov_vec3_add(ov_mat3_mul_vec3(&p->place.turn, a), p->place.offset);
    ov_vec3 d = ov_vec3_scale(ov_vec3_sub(b, seen), 1.0 / p->unit);
    ov_vec3 t = across(p->t, normal_b), s = across(p->s, normal_b);
    r[0] = ov_vec3_dot(n, t);
    r[1] = ov_vec3_dot(n, s);
    r[2] = ov_vec3_dot(d, t);
    r[3] = ov_vec3_dot(d, s);
    return isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]) && isfinite(r[3]);
}

static double norm(const double r[COORDINATES]) {
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
}

/* ---- boxes */

typedef struct box {
    double middle[COORDINATES], half[COORDINATES];
} box;

/** Secants between opposite faces: column k is half the change of r along k. */
static bool secants(const problem *p, const box *at, double s[COORDINATES][COORDINATES]) {
    for (int k = 0; k < COORDINATES; k++) {
        double x[COORDINATES], above[COORDINATES], below[COORDINATES];
        for (int i = 0; i < COORDINATES; i++) {
            x[i] = at->middle[i];
        }
        x[k] = at->middle[k] + at->half[k];
        if (!residual(p, x, above)) {
            return false;
        }
        x[k] = at->middle[k] - at->half[k];
        if (!residual(p, x, below)) {
            return false;
        }
        for (int i = 0; i < COORDINATES; i++) {
            s[i][k] = 0.5 * (above[i] - below[i]);
        }
    }
    return true;
}

/** x := m^-1 x with row pivots; false where m is singular or the answer not finite. */
static bool solve(double m[COORDINATES][COORDINATES], double x[COORDINATES]) {
    for (int k = 0; k < COORDINATES; k++) {
        int pivot = k;
        for (int i = k + 1; i < COORDINATES; i++) {
            pivot = fabs(m[i][k]) > fabs(m[pivot][k]) ? i : pivot;
        }
        if (!(fabs(m[pivot][k]) > 0.0)) {
            return false;
        }
        for (int j = 0; j < COORDINATES; j++) {
            double swap = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = swap;
        }
        double swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        for (int i = k + 1; i < COORDINATES; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k; j < COORDINATES; j++) {
                m[i][j] -= factor * m[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = COORDINATES - 1; k >= 0; k--) {
        for (int j = k + 1; j < COORDINATES; j++) {
            x[k] -= m[k][j] * x[j];
        }
        x[k] /= m[k][k];
    }
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite(x[3]);
}

/** How the next box comes from this one; u: where the secants vanish, in half widths. */
typedef void (*narrowing)(box *at, const double u[COORDINATES]);

static void bisect(box *at, const double u[COORDINATES]) {
    for (int k = 0; k < COORDINATES; k++) {
        double half = 0.5 * (1.0 + bisection_margin) * at->half[k], off = at->half[k] - half;
        at->middle[k] += u[k] < 0.0 ? -off : off;
        at->half[k] = half;
    }
}

static void move_to_zero(box *at, const double u[COORDINATES]) {
    for (int k = 0; k < COORDINATES; k++) {
        at->middle[k] += at->half[k] * fmax(-1.0, fmin(1.0, u[k]));
        at->half[k] *= 0.5;
    }
}

/** The middle with the least residual; false where there is none. */
static bool search(const problem *p, narrowing narrow, double best[COORDINATES]) {
    box at = {{0.0}, {first_half, first_half, first_half, first_half}};
    double least = INFINITY;
    for (int i = 0; i < BOXES; i++) {
        double u[COORDINATES], s[COORDINATES][COORDINATES];
        if (!residual(p, at.middle, u)) {
            break;
        }
        if (norm(u) < least) {
            least = norm(u);
            for (int k = 0; k < COORDINATES; k++) {
                best[k] = at.middle[k];
            }
        }
        if (!secants(p, &at, s) || !solve(s, u)) {
            break;
        }
        for (int k = 0; k < COORDINATES; k++) {
            u[k] = -u[k];
        }
        narrow(&at, u);
    }
    return least < INFINITY;
}

static bool new_start(const ovi_scheme_system *system, const ovi_scheme_pair *pair, double *q,
                      narrowing narrow) {
    problem p;
    ov_vec3 a, b;
    double best[COORDINATES];
    ovi_scheme_guess guess;
    system->points(pair, q, &a, &b);
    if (!make_problem(pair, a, b, &p) || !search(&p, narrow, best) ||
        !chart_point(&p.a, best, &guess.a) || !chart_point(&p.b, best + 2, &guess.b)) {
        return false;
    }
    ovi_scheme_angles(pair->a, guess.a, guess.phi_a);
    ovi_scheme_angles(pair->b, guess.b, guess.phi_b);
    system->start(&guess, q);
    return true;
}

bool ovi_scheme_bisection(const ovi_scheme_system *system, const ovi_scheme_pair *pair, double *q) {
    return new_start(system, pair, q, bisect);
}

bool ovi_scheme_regula_falsi(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                             double *q) {
    return new_start(system, pair, q, move_to_zero);
}
