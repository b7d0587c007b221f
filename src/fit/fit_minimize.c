/**
 * @file fit_minimize.c
 * @brief Levenberg-Marquardt for the unknowns of a body, with bounds.
 *
 * Each iteration solves (H + lambda D) step = -g for the unknowns that are not held at a bound,
 * with D the diagonal of H, and takes the step, cut to the bounds, if the function falls; lambda
 * shrinks after a success and grows after a failure. Unknowns that a kind does not have are left
 * out, and those that it ties to one another (the semi-axes of a sphere, the radius of a cylinder
 * in x and y, tapers that are to be the same) are one.
 *
 * A body that keeps to a guide starts in accordance with it. Then the centre moves along those
 * directions of the guide only that are normal to no plane of symmetry, for which the sums are
 * brought to the guide's frame; the body turns about the one axis that the guide has, if at all;
 * and tapers along the normal of a plane stay zero.
 */
#include <math.h>
#include <string.h>

#include "fit_shape_internal.h"

enum { N = OVI_FIT_UNKNOWNS, FIRST_NUMBER = OVI_FIT_UNKNOWNS - OVI_FIT_NUMBERS };

/* ---- guides */

/** Unknowns that the guide leaves no freedom; those of the centre are in the guide's frame. */
static void fix_unknowns(const ovi_fit_guide *guide, const int axes[3], bool fixed[N]) {
    memset(fixed, 0, N * sizeof fixed[0]);
    for (int k = 0; k < guide->count; k++) {
        fixed[k] = guide->plane[k];
        for (int i = 0; i < 3; i++) {
            fixed[3 + i] = fixed[3 + i] || i != axes[k];
        }
        if (guide->plane[k] && axes[k] == 2) {
            fixed[FIRST_NUMBER + 5] = fixed[FIRST_NUMBER + 6] = true;
        }
    }
}

/** The frame in which the centre moves: the guide's, completed. Rows. */
static void centre_frame(const ovi_fit_guide *guide, ov_vec3 rows[3]) {
    const ov_vec3 own[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++) {
        rows[i] = guide->count == 3 ? guide->axes[i] : own[i];
    }
    if (guide->count == 1) {
        ov_vec3 n = guide->axes[0];
        int least = fabs(n.x) <= fabs(n.y) ? (fabs(n.x) <= fabs(n.z) ? 0 : 2)
                                           : (fabs(n.y) <= fabs(n.z) ? 1 : 2);
        rows[0] = n;
        rows[1] = ov_vec3_normalize(ov_vec3_cross(n, own[least]));
        rows[2] = ov_vec3_cross(n, rows[1]);
    }
}

/** g and the symmetric h, with the centre in a frame. */
static void turn_centre(const ov_vec3 rows[3], ovi_fit_sum *s) {
    const double f[3][3] = {{rows[0].x, rows[0].y, rows[0].z},
                            {rows[1].x, rows[1].y, rows[1].z},
                            {rows[2].x, rows[2].y, rows[2].z}};
    double g[3] = {0.0}, h[N][3] = {{0.0}}, own[3][3] = {{0.0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            g[i] += f[i][k] * s->g[k];
            // the rows below the centre's block, and the block times the frame
            for (int r = 0; r < N; r++) {
                h[r][i] += f[i][k] * (r >= k ? s->h[r][k] : s->h[k][r]);
            }
        }
    }
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            own[i / 3][i % 3] += f[i / 3][k] * h[k][i % 3];
        }
    }
    for (int i = 0; i < 3; i++) {
        s->g[i] = g[i];
        for (int r = i; r < N; r++) {
            s->h[r][i] = r < 3 ? own[r][i] : h[r][i];
        }
    }
}

/* ---- unknowns */

/** For each unknown of a body the one of the problem, or -1; returns how many these are. */
static int map_unknowns(ov_shape_kind kind, bool even, int map[N]) {
    bool round = kind == OV_SHAPE_KIND_CAPSULE || kind == OV_SHAPE_KIND_CYLINDER;
    bool super = kind == OV_SHAPE_KIND_SUPERELLIPSOID || kind == OV_SHAPE_KIND_SUPEROVOID ||
                 kind == OV_SHAPE_KIND_BENT;
    bool tapered = kind == OV_SHAPE_KIND_SUPEROVOID || kind == OV_SHAPE_KIND_BENT;
    int count = 0;
    for (int i = 0; i < N; i++) {
        map[i] = -1;
    }
    for (int i = 0; i < 3; i++) {
        map[i] = count++;
    }
    if (kind == OV_SHAPE_KIND_SPHERE) {
        map[6] = map[7] = map[8] = count++;
        return count;
    }
    for (int i = 3; i < 7; i++) {
        map[i] = count++;
    }
    map[7] = round ? map[6] : count++;
    map[8] = count++;
    for (int i = 9; i < N; i++) {
        if (i < 11 ? super : i < 13 ? tapered : kind == OV_SHAPE_KIND_BENT) {
            map[i] = count++;
        }
    }
    if (even && kind == OV_SHAPE_KIND_SUPEROVOID) {
        map[FIRST_NUMBER + 6] = map[FIRST_NUMBER + 5];
        count--; // they are its last two
    }
    return count;
}

/** The sums in the problem's own unknowns. */
typedef struct reduced {
    double g[N], h[N][N];
} reduced;

static void reduce(const ovi_fit_sum *s, const int map[N], reduced *out) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < N; i++) {
        if (map[i] < 0) {
            continue;
        }
        out->g[map[i]] += s->g[i];
        for (int j = 0; j < N; j++) {
            if (map[j] >= 0) {
                out->h[map[i]][map[j]] += i > j ? s->h[i][j] : s->h[j][i];
            }
        }
    }
}

/** Cholesky's method on (H + lambda D) x = -g for the free unknowns; zero for the others. */
static bool solve(const reduced *s, int n, const bool held[N], double lambda, double floor,
                  double x[N]) {
    double l[N][N];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = held[i] || held[j] ? 0.0 : s->h[i][j];
            if (i == j) {
                sum = held[i] ? 1.0 : sum + lambda * (sum + floor);
            }
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            if (i > j) {
                l[i][j] = sum / l[j][j];
            } else if (!(sum > 0.0) || !isfinite(sum)) {
                return false;
            } else {
                l[i][i] = sqrt(sum);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        double sum = held[i] ? 0.0 : -s->g[i];
        for (int k = 0; k < i; k++) {
            sum -= l[i][k] * x[k];
        }
        x[i] = sum / l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++) {
            sum -= l[k][i] * x[k];
        }
        x[i] = sum / l[i][i];
    }
    return true;
}

/** Where an unknown is fixed, or at a bound and the function falls beyond it. */
static void hold(const ovi_fit_problem *p, const ovi_fit_body *b, const int map[N],
                 const bool fixed[N], const reduced *s, bool held[N]) {
    memset(held, 0, N * sizeof held[0]);
    for (int i = 0; i < N; i++) {
        if (fixed[i] && map[i] >= 0) {
            held[map[i]] = true;
        }
    }
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        int k = map[FIRST_NUMBER + i];
        if (k < 0) {
            continue;
        }
        held[k] = held[k] || (b->v[i] <= p->lower[i] && s->g[k] > 0.0) ||
                  (b->v[i] >= p->upper[i] && s->g[k] < 0.0);
    }
}

/** The part of a step that goes no further than a turn of half a radian, a factor of two, and the
 *  like: beyond that the derivatives say nothing. */
static double trusted(const double step[N], const int map[N]) {
    double most = 0.0;
    for (int i = 0; i < N; i++) {
        double limit = i < 6 ? 0.5 : i < 9 ? 0.7 : 0.4;
        most = map[i] < 0 ? most : fmax(most, fabs(step[map[i]]) / limit);
    }
    return most > 1.0 ? 1.0 / most : 1.0;
}

/** A bend may not fold the body: curvature times the section's extent stays below 1, and times the
 *  half-length below pi. */
static void limit_bend(ovi_fit_body *b) {
    ovi_fit_ready r = ovi_fit_make_ready(b);
    double wide = hypot(r.a.x * (1.0 + fabs(r.tx)), r.a.y * (1.0 + fabs(r.ty)));
    double k = hypot(b->v[7], b->v[8]), most = fmin(0.95 / wide, 3.0 / r.a.z);
    if (k > most) {
        b->v[7] *= most / k;
        b->v[8] *= most / k;
    }
}

/** Returns the largest change of an unknown. */
static double move(const ovi_fit_problem *p, const ov_vec3 rows[3], const double step[N],
                   const int map[N], double share, ovi_fit_body *b) {
    double full[N], moved = 0.0;
    for (int i = 0; i < N; i++) {
        full[i] = map[i] < 0 ? 0.0 : share * step[map[i]];
    }
    for (int i = 0; i < 3; i++) {
        b->centre = ov_vec3_add_scaled(b->centre, rows[i], full[i]);
    }
    ov_vec3 turn = ov_vec3_make(full[3], full[4], full[5]);
    ov_quat q = ov_quat_mul(b->rotation, ov_quat_from_axis_angle(turn, ov_vec3_length(turn)));
    (void)ov_quat_normalize(q, &b->rotation);
    for (int i = 0; i < 6; i++) {
        moved = fmax(moved, fabs(full[i]));
    }
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        double was = b->v[i];
        b->v[i] = fmax(p->lower[i], fmin(p->upper[i], was + full[FIRST_NUMBER + i]));
        moved = fmax(moved, fabs(b->v[i] - was));
    }
    if (b->kind == OV_SHAPE_KIND_BENT) {
        limit_bend(b);
    }
    return moved;
}

/** The sums, with the centre in its frame. */
static void evaluate_in(const ovi_fit_problem *p, const ov_vec3 rows[3], const ovi_fit_body *body,
                        ovi_fit_sum *out) {
    p->evaluate(p->context, body, out);
    if (p->guide.count > 0) {
        turn_centre(rows, out);
    }
}

ovi_fit_end ovi_fit_minimize(const ovi_fit_problem *p, ovi_fit_body *body) {
    int map[N], n = map_unknowns(body->kind, p->even, map), weak = 0;
    ovi_fit_sum sum, trial_sum;
    reduced s;
    bool fixed[N];
    ov_vec3 rows[3];
    int axes[3] = {-1, -1, -1};
    if (p->even) {
        body->v[5] = body->v[6] = 0.5 * (body->v[5] + body->v[6]);
    }
    if (!ovi_fit_obey(&p->guide, body, axes)) {
        return (ovi_fit_end){.f = INFINITY};
    }
    fix_unknowns(&p->guide, axes, fixed);
    centre_frame(&p->guide, rows);
    evaluate_in(p, rows, body, &sum);
    reduce(&sum, map, &s);
    ovi_fit_end end = {.f = sum.f};
    double lambda = 1e-3, factor = 2.0;
    const double least_step = 1e-13, most_lambda = 1e12;
    while (end.iterations < p->iterations && !end.converged) {
        end.iterations++;
        bool held[N];
        double step[N], largest = 0.0;
        hold(p, body, map, fixed, &s, held);
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, s.h[i][i]);
        }
        // unknowns that change nothing, as the turn of a cylinder about its axis, stay where they
        // are
        double floor = p->plain ? 1.0 : 1e-9 * largest + 1e-300;
        ovi_fit_body trial = *body;
        double moved = 0.0, gain = -1.0;
        if (solve(&s, n, held, lambda, floor, step)) {
            moved = move(p, rows, step, map, trusted(step, map), &trial);
            evaluate_in(p, rows, &trial, &trial_sum);
            gain = sum.f - trial_sum.f;
        }
        if (gain >= 0.0) {
            weak = gain <= p->least_gain * fabs(p->plain ? 1.0 : sum.f) ? weak + 1 : 0;
            end.converged = weak >= 2 || moved < least_step;
            *body = trial;
            sum = trial_sum;
            reduce(&sum, map, &s);
            lambda = fmax(lambda * 0.1, 1e-15);
            factor = 2.0;
        } else {
            // no way down, as far as the rounding of the function can tell
            end.converged = lambda > most_lambda || (moved > 0.0 && moved < least_step);
            lambda *= factor;
            factor = fmin(2.0 * factor, 64.0);
        }
    }
    end.f = sum.f;
    return end;
}
