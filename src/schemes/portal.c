/**
 * @file portal.c
 * @brief The contact of two bodies as a constrained minimum [Portal, 4]: the problem itself, apart
 * from the optimisers that solve it (portal_ipopt.c, portal_nlopt.c).
 *
 * Variables are the two points rA, rB in the world; the objective (19) is |rB - rA|^2; the
 * constraints, all equalities, are put together to the sets a to h of section 5:
 *
 *     h1, h2  (21), (22)   F = 0 at each point, F the inside-outside function less 1
 *     cross   (24)-(26)    nA x nB = 0, three components
 *     dot     (28)         nA . nB + 1 = 0
 *     h4      (29)         nA . u - 1 = 0, u = (rB - rA)/|rB - rA|
 *     h5      (30), (31)   nB . u + 1 = 0
 *
 *     a: h1 h2    b: a + cross    c: b + h4    d: b + h5
 *                 e: a + dot      f: e + h4    g: e + h5    h: a + h4 h5
 *
 * The start is where the line of the centres leaves each surface (32)-(34). The sign of the answer
 * is that of nA . (rB - rA), the contact condition (20).
 *
 * How the paper is read. Its (16)-(18) give the gradient of F as the normal, but (27), (29) and
 * (30) speak of unit vectors, and so do the results of its Tables 4 and 5: the normals here are
 * unit vectors. (30) has nB . u = 1, (31) has -1; no contact can meet the former, and the printed
 * results meet the latter. (10)-(12) and (16)-(18) have slips in their factors, which do not matter
 * here. Its first exponent is the one along z: e2 of Ovoid. Lengths are in units of the larger
 * bounding radius, so that the tolerances of the optimisers mean the same for bodies of any size;
 * the paper's own bodies are of size 1 to 2. Where the centres coincide the paper has no start; the
 * x axis is taken. Where the points coincide u is taken as zero. Tapered bodies, which the paper
 * does not have, need no change.
 *
 * What is wrong with the problem as published, and how `mended` goes about it:
 *
 *  1. The paper calls the problem convex. It is not: a surface is no convex set, and the far sides
 *     of the bodies are stationary as well. Mended: set a asks for F <= 0, which is convex, and has
 *     the distance as its only minimum. (Of bodies that overlap, set a finds common points:
 * distance zero, as the paper says itself. No mending changes that.)
 *  2. Where dot, h4 or h5 hold, their left side is at its extreme, so that their gradients vanish:
 *     there are no multipliers, and a linearisation only halves the distance. Of the gradients of
 *     cross one depends on the other two where cross holds, but not close by, where a multiplier
 *     that grows without limit balances whatever is left of the objective: an optimiser takes any
 *     point with parallel normals for the minimum. That is what happened in the paper's 7.b and
 *     8.b, and happens here. Mended: two equations of full rank each. For nA = -nB both normals are
 *     projected stereographically from the far end of the line of the centres, and the two pairs of
 *     plane coordinates must agree; for n parallel to rB - rA two components of the cross product
 *     must vanish, those across the line of the centres.
 *  3. cross holds also for nA = +nB, which is no contact. The mended equations exclude it.
 *  4. h4 and h5 ask for nA . u = +1, while a penetration has -1 by (20): sets c, d, f, g, h have no
 *     feasible point in an overlap, and the paper's results there are none. The mended ones hold
 *     for both signs. Set h then still lets the points meet in an overlap, as set a does.
 *  5. u is undefined where the points meet. Mended: it is not used.
 *  6. F is a power 2/e2 of a function that grows linearly: far off the surface its linearisation is
 *     of no use. Mended: the gauge itself less 1.
 *
 * With two equations each the mended sets e, f, g are the same as b, c, d. With antiparallel
 * normals rB - rA runs over the surface of the Minkowski difference, so the minima of the mended
 * set b are those of the distance from the origin to that surface: the distance of bodies apart,
 * and a least depth, if not the least of all, of bodies that overlap.
 */
#include <string.h>

#include "portal.h"

#include <ovoid/query.h>

#include <math.h>

#include "bodies.h"

enum { SURFACES = 2 };

/* ---- the problem */

static bool has_cross(char set) { return set >= 'b' && set <= 'd'; }
static bool has_dot(char set) { return set >= 'e' && set <= 'g'; }
static bool has_h4(char set) { return set == 'c' || set == 'f' || set == 'h'; }
static bool has_h5(char set) { return set == 'd' || set == 'g' || set == 'h'; }

static int count_constraints(char set, bool mended) {
    int count = SURFACES;
    count += has_cross(set) ? (mended ? 2 : 3) : 0;
    count += has_dot(set) ? (mended ? 2 : 1) : 0;
    count += has_h4(set) ? (mended ? 2 : 1) : 0;
    count += has_h5(set) ? (mended ? 2 : 1) : 0;
    return count;
}

void ovi_portal_make(const ovi_scheme_pair *pair, ovi_portal *problem) {
    const ov_scheme_options *options = pair->options;
    double unit = fmax(pair->a->ball.radius, pair->b->ball.radius);
    ov_vec3 apart = ov_vec3_sub(pair->pose_b.position, pair->pose_a.position);
    *problem = (ovi_portal){.pair = pair,
                            .set = options->constraint_set,
                            .mended = options->mended,
                            .inequality = options->mended && options->constraint_set == 'a',
                            .unit = unit,
                            .turn_a = ov_mat3_from_quat(pair->pose_a.rotation),
                            .turn_b = ov_mat3_from_quat(pair->pose_b.rotation),
                            .offset = ov_vec3_scale(apart, 1.0 / unit)};
    problem->constraints = count_constraints(problem->set, problem->mended);
    problem->along = ov_vec3_normalize(apart);
    if (ov_vec3_dot(problem->along, problem->along) < 0.5) {
        problem->along = ov_vec3_make(1.0, 0.0, 0.0);
    }
    ov_mat3 frame = ov_mat3_householder(problem->along);
    problem->across_1 = frame.cy;
    problem->across_2 = frame.cz;
}

/* ---- start */

static void put(double *x, ov_vec3 v) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static ov_vec3 get(const double *x) { return ov_vec3_make(x[0], x[1], x[2]); }

/** Where the ray from the body's centre along a direction of the world leaves it, from the centre,
 *  in units: delta of (33), (34) times the direction. */
static ov_vec3 leave(const ov_shape *shape, const ov_mat3 *turn, ov_vec3 direction, double unit) {
    ov_vec3 far = ov_vec3_scale(ov_mat3_tmul_vec3(turn, direction), 4.0 * shape->ball.radius);
    ov_vec3 on = far;
    double distance;
    if (ov_point_radial(shape, ov_pose_identity(), far, &distance, &on) < 0) {
        on = far;
    }
    return ov_vec3_scale(ov_mat3_mul_vec3(turn, on), 1.0 / unit);
}

void ovi_portal_start(const ovi_portal *problem, double x[OVI_PORTAL_VARIABLES]) {
    const ovi_scheme_pair *pair = problem->pair;
    ov_vec3 a = leave(pair->a, &problem->turn_a, problem->along, problem->unit);
    ov_vec3 b = leave(pair->b, &problem->turn_b, ov_vec3_neg(problem->along), problem->unit);
    if (pair->options->last != NULL) {
        ovi_scheme_guess guess;
        ovi_scheme_guess_last(pair, pair->options->last, &guess);
        if (ov_vec3_is_finite(guess.a) && ov_vec3_is_finite(guess.b)) {
            a = ov_vec3_scale(ov_mat3_mul_vec3(&problem->turn_a, guess.a), 1.0 / problem->unit);
            b = ov_vec3_scale(ov_mat3_mul_vec3(&problem->turn_b, guess.b), 1.0 / problem->unit);
        }
    }
    put(x, a);
    put(x + 3, ov_vec3_add(problem->offset, b));
}

/* ---- objective */

double ovi_portal_objective(const double x[OVI_PORTAL_VARIABLES],
                            double gradient[OVI_PORTAL_VARIABLES]) {
    ov_vec3 r = ov_vec3_sub(get(x + 3), get(x));
    if (gradient != NULL) {
        put(gradient, ov_vec3_scale(r, -2.0));
        put(gradient + 3, ov_vec3_scale(r, 2.0));
    }
    return ov_vec3_dot(r, r);
}

/* ---- one body at its point */

/** Value, gradient and unit normal along the world's axes; the Hessian stays in the body's. */
typedef struct side {
    const ov_mat3 *turn;
    double value;
    ov_vec3 gradient, normal;
    double slope; /**< length of the gradient */
    double hessian[3][3];
} side;

static void look(const ovi_portal *problem, const ov_shape *shape, const ov_mat3 *turn, ov_vec3 r,
                 bool derivatives, side *s) {
    ov_vec3 p = ov_vec3_scale(ov_mat3_tmul_vec3(turn, r), problem->unit);
    ov_vec3 g;
    if (problem->mended) {
        ov_field f = {0};
        ov_shape_gauge(shape, p, &f);
        const ov_vec3 *columns[3] = {&f.hessian.cx, &f.hessian.cy, &f.hessian.cz};
        for (int j = 0; j < 3; j++) {
            s->hessian[0][j] = columns[j]->x;
            s->hessian[1][j] = columns[j]->y;
            s->hessian[2][j] = columns[j]->z;
        }
        s->value = f.value - 1.0;
        g = f.gradient;
    } else {
        s->value = ovi_scheme_field(shape, p, &g, derivatives ? s->hessian : NULL);
    }
    s->turn = turn;
    s->gradient = ov_vec3_scale(ov_mat3_mul_vec3(turn, g), problem->unit);
    s->slope = ov_vec3_length(s->gradient);
    s->normal = ov_vec3_normalize(s->gradient);
    for (int i = 0; i < 3 && derivatives; i++) {
        for (int j = 0; j < 3; j++) {
            s->hessian[i][j] *= problem->unit * problem->unit;
        }
    }
}

/**
 * Gradient of v . n by the point, v held: with n = g/|g| it is H (v - n (n . v))/|g|, H being the
 * Hessian of the body's function. Every constraint is linear in each of the normals, so this is all
 * that their derivatives need.
 */
static ov_vec3 pull(const side *s, ov_vec3 v) {
    if (!(s->slope > 0.0)) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    ov_vec3 tangent = ov_vec3_add_scaled(v, s->normal, -ov_vec3_dot(s->normal, v));
    ov_vec3 t = ov_mat3_tmul_vec3(s->turn, ov_vec3_scale(tangent, 1.0 / s->slope));
    ov_vec3 h;
    h.x = s->hessian[0][0] * t.x + s->hessian[0][1] * t.y + s->hessian[0][2] * t.z;
    h.y = s->hessian[1][0] * t.x + s->hessian[1][1] * t.y + s->hessian[1][2] * t.z;
    h.z = s->hessian[2][0] * t.x + s->hessian[2][1] * t.y + s->hessian[2][2] * t.z;
    return ov_mat3_mul_vec3(s->turn, h);
}

/* ---- constraints */

typedef struct rows {
    double *values, *jacobian; /**< the latter may be null */
    int count;
} rows;

static void add_row(rows *out, double value, ov_vec3 by_a, ov_vec3 by_b) {
    out->values[out->count] = value;
    if (out->jacobian != NULL) {
        put(out->jacobian + out->count * OVI_PORTAL_VARIABLES, by_a);
        put(out->jacobian + out->count * OVI_PORTAL_VARIABLES + 3, by_b);
    }
    out->count++;
}

/** (24) to (26): axis . (nA x nB) = nA . (nB x axis) = nB . (axis x nA). */
static void add_cross(rows *out, const side *a, const side *b) {
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        ov_vec3 va = ov_vec3_cross(b->normal, axes[k]), vb = ov_vec3_cross(axes[k], a->normal);
        add_row(out, ov_vec3_dot(a->normal, va), pull(a, va), pull(b, vb));
    }
}

/** (28) */
static void add_dot(rows *out, const side *a, const side *b) {
    add_row(out, ov_vec3_dot(a->normal, b->normal) + 1.0, pull(a, b->normal), pull(b, a->normal));
}

/** (29) with sign 1 and n that of A, (30) with sign -1 and n that of B. */
static void add_along(rows *out, const side *s, bool of_a, ov_vec3 r) {
    double length = ov_vec3_length(r);
    ov_vec3 u = ov_vec3_normalize(r), zero = {0.0, 0.0, 0.0};
    double c = ov_vec3_dot(s->normal, u);
    ov_vec3 by_r = zero;
    if (length > 0.0) {
        by_r = ov_vec3_scale(ov_vec3_add_scaled(s->normal, u, -c), 1.0 / length);
    }
    ov_vec3 by_n = pull(s, u);
    ov_vec3 by_a = ov_vec3_add(ov_vec3_neg(by_r), of_a ? by_n : zero);
    ov_vec3 by_b = ov_vec3_add(by_r, of_a ? zero : by_n);
    add_row(out, of_a ? c - 1.0 : c + 1.0, by_a, by_b);
}

/** Plane coordinate of a unit normal, projected from -along: (n . t)/(1 + n . along); `v` receives
 *  its derivative by n. */
static double project(ov_vec3 n, ov_vec3 along, ov_vec3 t, ov_vec3 *v) {
    double below = fmax(1.0 + ov_vec3_dot(n, along), 1e-12); // held off the pole of projection
    double value = ov_vec3_dot(n, t) / below;
    *v = ov_vec3_scale(ov_vec3_add_scaled(t, along, -value), 1.0 / below);
    return value;
}

/** nA = -nB, mended. */
static void add_opposite(rows *out, const ovi_portal *problem, const side *a, const side *b) {
    const ov_vec3 across[2] = {problem->across_1, problem->across_2};
    for (int k = 0; k < 2; k++) {
        ov_vec3 va, vb;
        double value_a = project(a->normal, problem->along, across[k], &va);
        double value_b = project(ov_vec3_neg(b->normal), problem->along, across[k], &vb);
        add_row(out, value_a - value_b, pull(a, va), pull(b, vb));
    }
}

/** n parallel to r, mended: (r . t)(n . along) - (r . along)(n . t) for two t. */
static void add_parallel(rows *out, const ovi_portal *problem, const side *s, bool of_a,
                         ov_vec3 r) {
    const ov_vec3 across[2] = {problem->across_1, problem->across_2};
    const ov_vec3 along = problem->along, zero = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        ov_vec3 t = across[k];
        ov_vec3 v = ov_vec3_sub(ov_vec3_scale(along, ov_vec3_dot(r, t)),
                                ov_vec3_scale(t, ov_vec3_dot(r, along)));
        ov_vec3 by_r = ov_vec3_sub(ov_vec3_scale(t, ov_vec3_dot(s->normal, along)),
                                   ov_vec3_scale(along, ov_vec3_dot(s->normal, t)));
        ov_vec3 by_n = pull(s, v);
        add_row(out, ov_vec3_dot(s->normal, v), ov_vec3_add(ov_vec3_neg(by_r), of_a ? by_n : zero),
                ov_vec3_add(by_r, of_a ? zero : by_n));
    }
}

static void add_line(rows *out, const ovi_portal *problem, const side *s, bool of_a, ov_vec3 r) {
    if (problem->mended) {
        add_parallel(out, problem, s, of_a, r);
    } else {
        add_along(out, s, of_a, r);
    }
}

bool ovi_portal_constraints(const ovi_portal *problem, const double x[OVI_PORTAL_VARIABLES],
                            double *values, double *jacobian) {
    const ovi_scheme_pair *pair = problem->pair;
    const ov_vec3 zero = {0.0, 0.0, 0.0}, point_a = get(x), point_b = get(x + 3);
    const ov_vec3 r = ov_vec3_sub(point_b, point_a);
    const char set = problem->set;
    rows out = {.values = values, .jacobian = jacobian};
    side a = {.slope = 0.0}, b = {.slope = 0.0};
    bool derivatives = jacobian != NULL;
    look(problem, pair->a, &problem->turn_a, point_a, derivatives, &a);
    look(problem, pair->b, &problem->turn_b, ov_vec3_sub(point_b, problem->offset), derivatives,
         &b);
    add_row(&out, a.value, a.gradient, zero);
    add_row(&out, b.value, zero, b.gradient);
    if (problem->mended && (has_cross(set) || has_dot(set))) {
        add_opposite(&out, problem, &a, &b);
    } else if (has_cross(set)) {
        add_cross(&out, &a, &b);
    } else if (has_dot(set)) {
        add_dot(&out, &a, &b);
    }
    if (has_h4(set)) {
        add_line(&out, problem, &a, true, r);
    }
    if (has_h5(set)) {
        add_line(&out, problem, &b, false, r);
    }
    bool finite = true;
    for (int i = 0; i < out.count; i++) {
        finite = finite && isfinite(values[i]);
    }
    for (int i = 0; i < out.count * OVI_PORTAL_VARIABLES && derivatives; i++) {
        finite = finite && isfinite(jacobian[i]);
    }
    return finite;
}

/* ---- answer */

/** Largest violation of a constraint. */
static double violation(const ovi_portal *problem, const double x[OVI_PORTAL_VARIABLES]) {
    double values[OVI_PORTAL_CONSTRAINTS_MAX], worst = 0.0;
    if (!ovi_portal_constraints(problem, x, values, NULL)) {
        return HUGE_VAL;
    }
    for (int i = 0; i < problem->constraints; i++) {
        worst = fmax(worst, problem->inequality ? values[i] : fabs(values[i]));
    }
    return worst;
}

/** Points, normal, residual, and the gap with its sign by the contact condition (20). */
static void finish(const ovi_portal *problem, const double x[OVI_PORTAL_VARIABLES],
                   ov_scheme_result *result) {
    const ovi_scheme_pair *pair = problem->pair;
    ov_vec3 point_a = get(x), r = ov_vec3_sub(get(x + 3), point_a);
    side a = {.slope = 0.0};
    look(problem, pair->a, &problem->turn_a, point_a, false, &a);
    double sign = ov_vec3_dot(a.normal, r) > 0.0 ? 1.0 : -1.0; // (20)
    ov_vec3 normal = ov_vec3_scale(ov_vec3_normalize(r), sign);
    if (ov_vec3_dot(normal, normal) < 0.5) {
        normal = a.normal; // the points meet
    }
    if (!(ov_vec3_dot(normal, normal) > 0.5)) {
        normal = problem->along; // at the very centre
    }
    ov_vec3 origin = pair->pose_a.position;
    result->gap = sign * problem->unit * ov_vec3_length(r);
    result->point_a = ov_vec3_add_scaled(origin, point_a, problem->unit);
    result->point_b = ov_vec3_add_scaled(origin, get(x + 3), problem->unit);
    result->normal = normal;
    result->residual = violation(problem, x);
}

void ovi_portal_run(const ovi_scheme_pair *pair, ovi_portal_solver solve,
                    ov_scheme_result *result) {
    ovi_portal problem;
    double start[OVI_PORTAL_VARIABLES], x[OVI_PORTAL_VARIABLES];
    double began = ovi_scheme_clock();
    ovi_portal_make(pair, &problem);
    ovi_portal_start(&problem, start);
    result->start_seconds = ovi_scheme_clock() - began;
    memcpy(x, start, sizeof x);
    result->iterations = 0;
    result->restarts = 0;
    bool good = solve(&problem, x, &result->iterations), finite = true;
    for (int i = 0; i < OVI_PORTAL_VARIABLES; i++) {
        finite = finite && isfinite(x[i]);
    }
    result->status = good && finite ? OV_OK : OV_NOT_CONVERGED;
    finish(&problem, finite ? x : start, result);
}
