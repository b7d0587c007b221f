/**
 * @file fit_enclose.c
 * @brief The enclosing body of least volume.
 *
 * With s_i the scale of the body at which point i is on its surface, the body scaled by the largest
 * of them encloses, and its volume is V max s_i^3: the logarithm of that is minimized, without
 * constraints. The maximum is smoothed,
 *
 *     f = log V + 3 (1/beta) log sum exp(beta log s_i)
 *
 * with beta growing from stage to stage. With p_i the weights exp(beta log s_i) over their sum, and
 * g_i the gradients of log s_i, the gradient of the second term is 3 sum p_i g_i, and its Hessian,
 * but for those of log s_i, 3 beta times the covariance of the g_i: what Levenberg-Marquardt needs.
 *
 * A few points decide. So the first stages look at the extreme points of a few directions only, and
 * points that stand out of the result are added.
 *
 * About few points, or long and thin ones, this may end far from the least volume. The least
 * ellipsoid is known (fit_round.c): it is the answer for ellipsoids, and a start for what else may
 * be round where it is better than what was found.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit_shape_internal.h"

enum {
    N = OVI_FIT_UNKNOWNS,
    DIRECTIONS = 160,
    ACTIVE_MAX = 480,
    ROUNDS = 5,
    KEPT = 3,
    ROUND_ROUNDS = 20
};

typedef struct enclosing {
    const ov_vec3 *points;
    size_t count;
    double beta;
} enclosing;

static void add_outer(const double row[N], int count, double weight, ovi_fit_sum *s) {
    for (int i = 0; i < count; i++) {
        double w = weight * row[i];
        for (int j = 0; j <= i; j++) {
            s->h[i][j] += w * row[j];
        }
    }
}

/** log V and its derivatives; those of the numbers only. */
static void start_with_volume(const ovi_fit_ready *b, ovi_fit_sum *s) {
    memset(s, 0, sizeof *s);
    ovi_fit_value v = ovi_fit_log_volume(b);
    s->f = v.value;
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        s->g[N - OVI_FIT_NUMBERS + i] = v.by[i];
    }
}

static void evaluate(const void *context, const ovi_fit_body *body, ovi_fit_sum *out) {
    const enclosing *e = context;
    ovi_fit_ready b = ovi_fit_make_ready(body);
    start_with_volume(&b, out);
    // the sum relative to its largest term so far, which is not known beforehand
    double most = -INFINITY, total = 0.0, mean[N] = {0};
    ovi_fit_sum outer = {0};
    for (size_t i = 0; i < e->count; i++) {
        ov_vec3 local = ov_mat3_tmul_vec3(&b.turn, ov_vec3_sub(e->points[i], b.centre));
        ovi_fit_value v[3];
        int count = ovi_fit_measure_at(&b, OVI_FIT_MEASURE_SCALE, local, v);
        for (int k = 0; k < count; k++) {
            if (!isfinite(v[k].value) || e->beta * (v[k].value - most) < -40.0) {
                continue;
            }
            if (v[k].value > most) {
                double shrink = exp(e->beta * (most - v[k].value));
                most = v[k].value;
                total *= shrink;
                for (int r = 0; r < N; r++) {
                    mean[r] *= shrink;
                    for (int c = 0; c <= r; c++) {
                        outer.h[r][c] *= shrink;
                    }
                }
            }
            double row[N], weight = exp(e->beta * (v[k].value - most));
            ovi_fit_row(&b, local, &v[k], row);
            total += weight;
            for (int r = 0; r < N; r++) {
                mean[r] += weight * row[r];
            }
            add_outer(row, b.unknowns, weight, &outer);
        }
    }
    double inverse = 1.0 / total;
    out->f += 3.0 * (most + log(total) / e->beta);
    for (int r = 0; r < N; r++) {
        mean[r] *= inverse;
        out->g[r] += 3.0 * mean[r];
        for (int c = 0; c <= r; c++) {
            out->h[r][c] = 3.0 * e->beta * (outer.h[r][c] * inverse - mean[r] * mean[c]);
        }
    }
}

/** The points that are farthest in directions all around, each once; returns how many. */
static size_t extreme_points(const ovi_fit_cloud *cloud, ov_vec3 *out, bool *taken) {
    size_t count = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        // directions along a spiral, evenly spread by the golden angle
        double z = 1.0 - (2.0 * k + 1.0) / DIRECTIONS, phi = 2.399963229728653 * k;
        double rho = sqrt(1.0 - z * z);
        ov_vec3 d = ov_vec3_make(rho * cos(phi), rho * sin(phi), z);
        size_t best = 0;
        double most = -INFINITY;
        for (size_t i = 0; i < cloud->count; i++) {
            double h = ov_vec3_dot(d, cloud->points[i]);
            if (h > most) {
                most = h;
                best = i;
            }
        }
        if (!taken[best]) {
            taken[best] = true;
            out[count++] = cloud->points[best];
        }
    }
    return count;
}

static double scale_of(const ovi_fit_ready *b, ov_vec3 point) {
    ov_vec3 local = ov_mat3_tmul_vec3(&b->turn, ov_vec3_sub(point, b->centre));
    ovi_fit_value v[3];
    int count = ovi_fit_measure_at(b, OVI_FIT_MEASURE_SCALE, local, v);
    double most = v[0].value;
    for (int k = 1; k < count; k++) {
        most = fmax(most, v[k].value);
    }
    return most;
}

/** Adds points that need a larger scale than those taken, the worst of several stretches of the
 *  cloud each; returns how many. */
static size_t add_outstanding(const ovi_fit_cloud *cloud, const ovi_fit_body *body, ov_vec3 *active,
                              size_t count, bool *taken) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    double inside = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        inside = fmax(inside, scale_of(&b, active[i]));
    }
    enum { STRETCHES = 48 };
    size_t added = 0;
    for (size_t k = 0; k < STRETCHES && count + added < ACTIVE_MAX; k++) {
        size_t end = cloud->count * (k + 1) / STRETCHES, best = SIZE_MAX;
        double most = inside + 1e-9;
        for (size_t i = cloud->count * k / STRETCHES; i < end; i++) {
            double s = taken[i] ? -INFINITY : scale_of(&b, cloud->points[i]);
            if (s > most) {
                most = s;
                best = i;
            }
        }
        if (best != SIZE_MAX) {
            taken[best] = true;
            active[count + added++] = cloud->points[best];
        }
    }
    return added;
}

static ovi_fit_end run_stage(const ovi_fit_problem *frame, const ov_vec3 *points, size_t count,
                             double beta, int iterations, ovi_fit_body *body) {
    enclosing e = {points, count, beta};
    ovi_fit_problem p = *frame;
    p.evaluate = evaluate;
    p.context = &e;
    p.plain = true;
    p.iterations = iterations;
    p.least_gain = 1e-3 / beta;
    return ovi_fit_minimize(&p, body);
}

/** Volume after the growth that the points taken need, as a logarithm. */
static double score(const ovi_fit_body *body, const ov_vec3 *points, size_t count) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, scale_of(&b, points[i]));
    }
    return ovi_fit_log_volume(&b).value + 3.0 * most;
}

/** A few iterations from each start, some more from the best of them. Returns how many it were. */
static int choose_start(const ovi_fit_problem *frame, const ov_vec3 *active, size_t count,
                        const ovi_fit_body *starts, int start_count, ovi_fit_body *body) {
    ovi_fit_body best[KEPT];
    double least[KEPT];
    int kept = 0, iterations = 0;
    for (int i = 0; i < start_count; i++) {
        ovi_fit_body trial = starts[i];
        iterations += run_stage(frame, active, count, 20.0, 12, &trial).iterations;
        double f = score(&trial, active, count);
        int at = kept < KEPT ? kept++ : KEPT;
        // into its place among those kept; what falls off the end was the worst
        for (; at > 0 && f < least[at - 1]; at--) {
            if (at < KEPT) {
                best[at] = best[at - 1];
                least[at] = least[at - 1];
            }
        }
        if (at < KEPT) {
            best[at] = trial;
            least[at] = f;
        }
    }
    double lowest = INFINITY;
    for (int i = 0; i < kept; i++) {
        iterations += run_stage(frame, active, count, 60.0, 30, &best[i]).iterations;
        double f = score(&best[i], active, count);
        if (f < lowest) {
            lowest = f;
            *body = best[i];
        }
    }
    return iterations;
}

static const double betas[ROUNDS] = {200.0, 600.0, 2000.0, 6000.0, 20000.0};

/** May a body of the problem be any ellipsoid? */
static bool may_be_round(const ovi_fit_problem *frame, ov_shape_kind kind) {
    bool round = kind == OV_SHAPE_KIND_ELLIPSOID;
    bool super = kind == OV_SHAPE_KIND_SUPERELLIPSOID || kind == OV_SHAPE_KIND_SUPEROVOID;
    for (int i = 3; i < 5; i++) {
        super = super && frame->lower[i] <= 1.0 && frame->upper[i] >= 1.0;
    }
    return (round || super) && frame->guide.count == 0;
}

/** The least ellipsoid about all points, by those that stand out of the one about fewer. */
static bool find_round(const ovi_fit_problem *frame, const ovi_fit_cloud *cloud, ov_vec3 *active,
                       size_t *count, bool *taken, ovi_fit_body *body) {
    body->v[3] = body->v[4] = 1.0;
    for (int i = 5; i < OVI_FIT_NUMBERS; i++) {
        body->v[i] = 0.0;
    }
    bool good = true;
    for (int i = 0; i < ROUND_ROUNDS && good; i++) {
        good = ovi_fit_least_ellipsoid(active, *count, body);
        for (int k = 0; k < 3; k++) {
            body->v[k] = fmax(frame->lower[k], body->v[k]);
        }
        size_t added = good ? add_outstanding(cloud, body, active, *count, taken) : 0;
        *count += added;
        if (added == 0) {
            break;
        }
    }
    return good;
}

/** The least ellipsoid, or what comes of it, in place of a body that is larger. */
static void try_round(const ovi_fit_problem *frame, const ovi_fit_cloud *cloud, ov_vec3 *active,
                      size_t *count, bool *taken, ovi_fit_body *body, ovi_fit_end *end) {
    ovi_fit_body round = *body;
    if (!may_be_round(frame, body->kind) ||
        !find_round(frame, cloud, active, count, taken, &round)) {
        return;
    }
    // what stands out of the other counts as well
    *count += add_outstanding(cloud, body, active, *count, taken);
    if (score(&round, active, *count) >= score(body, active, *count)) {
        return;
    }
    *body = round;
    end->converged = true;
    for (int i = 0; i < ROUNDS && body->kind != OV_SHAPE_KIND_ELLIPSOID; i++) {
        ovi_fit_end stage = run_stage(frame, active, *count, betas[i], frame->iterations, &round);
        end->iterations += stage.iterations;
        end->converged = stage.converged;
        if (score(&round, active, *count) < score(body, active, *count)) {
            *body = round;
        }
        *count += add_outstanding(cloud, body, active, *count, taken);
    }
}

ovi_fit_end ovi_fit_enclose(const ovi_fit_problem *frame, const ovi_fit_cloud *cloud,
                            const ovi_fit_body *starts, int start_count, ovi_fit_body *body) {
    ovi_fit_end end = {.f = INFINITY};
    ov_vec3 *active = malloc(ACTIVE_MAX * sizeof *active);
    bool *taken = calloc(cloud->count, sizeof *taken);
    if (active == NULL || taken == NULL) {
        free(active);
        free(taken);
        return (ovi_fit_end){.f = NAN};
    }
    size_t count = extreme_points(cloud, active, taken);
    end.iterations = choose_start(frame, active, count, starts, start_count, body);
    for (int i = 0; i < ROUNDS; i++) {
        ovi_fit_body trial = *body;
        ovi_fit_end stage = run_stage(frame, active, count, betas[i], frame->iterations, &trial);
        end.iterations += stage.iterations;
        end.converged = stage.converged;
        if (score(&trial, active, count) <= score(body, active, count)) {
            *body = trial;
        }
        count += add_outstanding(cloud, body, active, count, taken);
    }
    try_round(frame, cloud, active, &count, taken, body, &end);
    end.f = score(body, active, count);
    free(active);
    free(taken);
    return end;
}
