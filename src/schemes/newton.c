/**
 * @file newton.c
 * @brief The four Newton schemes: the iteration, new starts where it fails, and the way from guess
 * to answer.
 */
#include <float.h>
#include <math.h>

#ifdef OVOID_HAVE_LAPACKE
#include <lapacke.h>
#endif

#include <ovoid/query.h>

#include "systems.h"

/* ==== new starts ==============================================================================
 *
 * New starts where Newton's method failed: bisection and regula falsi of vectors, the
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
static bool solve_four(double m[COORDINATES][COORDINATES], double x[COORDINATES]) {
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
        if (!secants(p, &at, s) || !solve_four(s, u)) {
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

#ifdef OVOID_HAVE_LAPACKE

/* ==== the iteration ===========================================================================
 *
 * Newton-Raphson (17) on a system of equations of the common normal [Benchmark, 4.2; Thesis,
 * Appendix A, Table 6], the linear system by LAPACK.
 *
 *     1. phi = Phi(q), J = its Jacobian;  2. solve J x = phi;  3. q := q - x;  4. stop at |x| small
 *
 * J comes from forward differences, as published, or from the formulas of the system, which share
 * the powers of the residual, so that a step costs about one evaluation instead of seven (five).
 *
 * As published: the last step is compared with the tolerance as it is, in whatever units the
 * unknowns have; so a body in millimetres is solved a thousand times as well as the same body in
 * metres, and for angles the tolerance is one of angles. The papers do not say how wide their
 * differences are: here sqrt(eps) max(1, |q|). There is no damping. Table 6 prints the condition of
 * its loop the wrong way round, and tells only that a step "may not converge": here a step that is
 * not finite, or a matrix that is singular, ends the attempt, and q keeps its last finite value.
 *
 * Mended: tolerance and differences are relative to the larger body where the unknowns are lengths.
 */

enum { MOST = OVI_SCHEME_UNKNOWNS_MAX, BAND_MOST = (3 * (MOST - 1) + 1) * MOST };

typedef void (*evaluation)(const ovi_scheme_pair *pair, const double *q, double *phi,
                           double *jacobian);

/** The function that gives residual and Jacobian at once; null for a system from elsewhere. */
static evaluation evaluation_of(const ovi_scheme_system *system) {
    return system == &ovi_scheme_system_implicit     ? ovi_scheme_evaluate_implicit
           : system == &ovi_scheme_system_parametric ? ovi_scheme_evaluate_parametric
           : system == &ovi_scheme_system_ntb        ? ovi_scheme_evaluate_ntb
                                                     : NULL;
}

static void by_differences(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                           const double *q, double unit, double *phi, double *jacobian) {
    const double width = sqrt(DBL_EPSILON);
    int n = system->unknowns;
    double moved[MOST], there[MOST];
    system->residual(pair, q, phi);
    for (int i = 0; i < n; i++) {
        moved[i] = q[i];
    }
    for (int k = 0; k < n; k++) {
        moved[k] = q[k] + width * fmax(unit, fabs(q[k]));
        double step = moved[k] - q[k];
        system->residual(pair, moved, there);
        for (int i = 0; i < n; i++) {
            jacobian[k * n + i] = (there[i] - phi[i]) / step;
        }
        moved[k] = q[k];
    }
}

static void by_formulas(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                        const double *q, double *phi, double *jacobian) {
    evaluation evaluate = evaluation_of(system);
    if (evaluate != NULL) {
        evaluate(pair, q, phi, jacobian);
    } else {
        system->residual(pair, q, phi);
        system->jacobian(pair, q, jacobian);
    }
}

static bool all_finite(const double *x, int count) {
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

/** What a length of one is to the stopping rule. */
static double unit_of(const ovi_scheme_system *system, const ovi_scheme_pair *pair) {
    bool lengths = system->unknowns == 6;
    return pair->options->mended && lengths ? fmax(pair->a->ball.radius, pair->b->ball.radius)
                                            : 1.0;
}

/**
 * Solves J x = phi, x in place of phi. J goes to LAPACK as a band matrix that is as wide as itself:
 * for so few unknowns the routine for full matrices takes twice the time, since it splits them as
 * if they were large. Column j of a band matrix with k diagonals above and below begins 2k - j
 * places into a column of 3k + 1.
 */
static bool solve(int n, const double *jacobian, double *phi) {
    int k = n - 1, rows = 3 * k + 1;
    double band[BAND_MOST];
    lapack_int pivots[MOST];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            band[2 * k + i - j + j * rows] = jacobian[j * n + i];
        }
    }
    return LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, n, k, k, 1, band, rows, pivots, phi, n) == 0;
}

/** Newton-Raphson (17) from q, in place; true where the last step was below the tolerance. Adds to
 *  *iterations. */
static bool newton(const ovi_scheme_system *system, const ovi_scheme_pair *pair, double *q,
                   int *iterations) {
    const ov_scheme_options *options = pair->options;
    int n = system->unknowns;
    double unit = unit_of(system, pair), jacobian[MOST * MOST], x[MOST];
    for (int k = 0; k < options->iterations; k++) {
        if (options->jacobian == OV_JACOBIAN_ANALYTIC) {
            by_formulas(system, pair, q, x, jacobian);
        } else {
            by_differences(system, pair, q, unit, x, jacobian);
        }
        ++*iterations;
        if (!all_finite(x, n) || !all_finite(jacobian, n * n) || !solve(n, jacobian, x)) {
            return false;
        }
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            square += x[i] * x[i];
        }
        if (!isfinite(square)) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            q[i] -= x[i];
        }
        if (sqrt(square) < options->tolerance * unit) {
            return true;
        }
    }
    return false;
}

/* ==== from guess to answer ====================================================================
 *
 * The four Newton schemes from guess to answer: octImplicit, quadImplicit, quadParametric
 * and ntbParametric [Benchmark, 4, 5.1; Thesis, 3.4, Appendix A, Table 5].
 *
 *     1. start: the last answer where there is one, else the quadtree or octree [Benchmark, 4.4]
 *     2. Newton
 *     3. where that failed from the last answer: the tree after all, and Newton again [Thesis,
 *        Table 5]
 *     4. where it still failed, what the options ask for of [Thesis, 1.4.1 and 3.4.1], in this
 *        order: a start by bisection, by regula falsi, from deeper trees; Newton after each
 *
 * Every start after the first counts as a restart. Where all failed, the answer is the attempt with
 * the smallest residual, and the status says that it did not converge.
 *
 * As published, an answer is taken for what Newton converged to: the common normal of the far
 * sides, or of near and far, is as good as that of the near sides [Benchmark, 4.1, Fig. 4]. Mended:
 * an answer counts as converged only where the two bodies face each other there, that is where the
 * normals are opposite, and each point is outside the other body with the normals towards each
 * other, or each inside with the normals away from each other.
 */

/** Octrees are not made deeper than OCTREE_DEEPEST: the same start again would be no other. */
enum { DEEPER_STARTS = 3, QUADTREE_MORE = 2, OCTREE_COARSE = 2, OCTREE_DEEPEST = 7 };

typedef struct attempts {
    const ovi_scheme_system *system;
    const ovi_scheme_pair *pair;
    bool octree;
    double first[OVI_SCHEME_UNKNOWNS_MAX]; /**< the tree's guess, or else the last answer */
    double best[OVI_SCHEME_UNKNOWNS_MAX];
    double residual; /**< of the best */
    int iterations, restarts;
    double made_seconds; /**< making octrees */
} attempts;

static const ovi_scheme_system *system_of(ov_scheme scheme) {
    switch (scheme) {
    case OV_SCHEME_QUAD_PARAMETRIC:
        return &ovi_scheme_system_parametric;
    case OV_SCHEME_NTB_PARAMETRIC:
        return &ovi_scheme_system_ntb;
    default:
        return &ovi_scheme_system_implicit;
    }
}

static double residual_of(const attempts *t, const double *q) {
    double phi[OVI_SCHEME_UNKNOWNS_MAX], square = 0.0;
    t->system->residual(t->pair, q, phi);
    for (int i = 0; i < t->system->unknowns; i++) {
        square += phi[i] * phi[i];
    }
    return square <= HUGE_VAL ? sqrt(square) : INFINITY; // NaN too
}

/** Are these the near sides of the two bodies? */
static bool faces(const attempts *t, const double *q) {
    const ovi_scheme_pair *pair = t->pair;
    ov_vec3 a, b, gradient_a, gradient_b;
    t->system->points(pair, q, &a, &b);
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    ov_vec3 a_in_b = ov_vec3_add(ov_mat3_mul_vec3(&place.turn, a), place.offset);
    ov_vec3 b_in_a = ov_mat3_tmul_vec3(&place.turn, ov_vec3_sub(b, place.offset));
    ovi_scheme_field(pair->a, a, &gradient_a, NULL);
    ovi_scheme_field(pair->b, b, &gradient_b, NULL);
    gradient_a = ov_mat3_mul_vec3(&place.turn, gradient_a);
    if (!(ov_vec3_dot(gradient_a, gradient_b) < 0.0)) {
        return false;
    }
    bool b_inside = ovi_scheme_inside(pair->a, b_in_a) < 0.0;
    bool a_inside = ovi_scheme_inside(pair->b, a_in_b) < 0.0;
    double towards = ov_vec3_dot(gradient_a, ov_vec3_sub(b, a_in_b));
    // where the bodies just touch, the signs are those of rounding errors
    double size = fmax(pair->a->ball.radius, pair->b->ball.radius);
    bool touching = ov_vec3_length(ov_vec3_sub(b, a_in_b)) < 1e-9 * size;
    return touching || (a_inside == b_inside && (towards < 0.0) == a_inside);
}

static void copy(const attempts *t, const double *from, double *to) {
    for (int i = 0; i < t->system->unknowns; i++) {
        to[i] = from[i];
    }
}

/** Newton from q; true where that is the answer. Keeps the best that was seen. */
static bool attempt(attempts *t, double *q) {
    bool good = newton(t->system, t->pair, q, &t->iterations);
    if (good && t->pair->options->mended) {
        good = faces(t, q);
    }
    double residual = residual_of(t, q);
    if (good || !(residual >= t->residual)) {
        t->residual = residual;
        copy(t, q, t->best);
    }
    return good;
}

static bool attempt_again(attempts *t, double *q) {
    t->restarts++;
    return attempt(t, q);
}

/** The tree's guess, from more levels where `deeper` is not zero; false where there are no more. */
static bool guess_by_tree(attempts *t, int deeper, double *q) {
    ovi_scheme_guess guess = {.made_seconds = 0.0};
    const ov_scheme_options *options = t->pair->options;
    if (t->octree) {
        int levels = options->octree_levels;
        if (deeper > 0) {
            levels = (levels > OCTREE_COARSE ? levels : OCTREE_COARSE) + deeper;
        }
        if (levels > OCTREE_DEEPEST) {
            return false;
        }
        ovi_scheme_guess_octree(t->pair, levels, &guess);
    } else {
        ovi_scheme_guess_quadtree(t->pair, options->quadtree_levels + QUADTREE_MORE * deeper,
                                  &guess);
    }
    t->made_seconds += guess.made_seconds;
    t->system->start(&guess, q);
    return true;
}

/** Temporal coherence: true where the last answer gave a start. */
static bool guess_by_last(const attempts *t, double *q) {
    const ov_scheme_result *last = t->pair->options->last;
    if (last == NULL || last->status < 0 || !ov_vec3_is_finite(last->point_a) ||
        !ov_vec3_is_finite(last->point_b)) {
        return false;
    }
    ovi_scheme_guess guess;
    ovi_scheme_guess_last(t->pair, last, &guess);
    t->system->start(&guess, q);
    bool good = true;
    for (int i = 0; i < t->system->unknowns; i++) {
        good = good && isfinite(q[i]);
    }
    return good;
}

/** [Thesis, 1.4.1 and 3.4.1] */
static bool rescue(attempts *t) {
    unsigned wanted = t->pair->options->rescue;
    double q[OVI_SCHEME_UNKNOWNS_MAX];
    copy(t, t->first, q);
    if ((wanted & OV_RESCUE_BISECTION) != 0 && ovi_scheme_bisection(t->system, t->pair, q) &&
        attempt_again(t, q)) {
        return true;
    }
    copy(t, t->first, q);
    if ((wanted & OV_RESCUE_REGULA_FALSI) != 0 && ovi_scheme_regula_falsi(t->system, t->pair, q) &&
        attempt_again(t, q)) {
        return true;
    }
    for (int i = 1; (wanted & OV_RESCUE_DEEPER) != 0 && i <= DEEPER_STARTS; i++) {
        if (!guess_by_tree(t, i, q)) {
            return false;
        }
        if (attempt_again(t, q)) {
            return true;
        }
    }
    return false;
}

void ovi_scheme_newton_contact(ov_scheme scheme, const ovi_scheme_pair *pair,
                               ov_scheme_result *result) {
    attempts t = {.system = system_of(scheme),
                  .pair = pair,
                  .octree = scheme == OV_SCHEME_OCT_IMPLICIT,
                  .residual = INFINITY};
    double q[OVI_SCHEME_UNKNOWNS_MAX] = {0.0};
    double begin = ovi_scheme_clock();
    bool warm = guess_by_last(&t, q);
    if (!warm) {
        guess_by_tree(&t, 0, q);
    }
    result->start_seconds = ovi_scheme_clock() - begin - t.made_seconds;
    copy(&t, q, t.first);
    copy(&t, q, t.best);
    bool good = attempt(&t, q);
    if (!good && warm) {
        guess_by_tree(&t, 0, q);
        copy(&t, q, t.first);
        good = attempt_again(&t, q);
    }
    good = good || rescue(&t);
    result->status = good ? OV_OK : OV_NOT_CONVERGED;
    result->iterations = t.iterations;
    result->restarts = t.restarts;
    result->residual = t.residual;
    ov_vec3 a, b;
    t.system->points(pair, t.best, &a, &b);
    ovi_scheme_finish(pair, a, b, result);
    result->total_seconds = ovi_scheme_clock() - begin - t.made_seconds;
}

#endif
