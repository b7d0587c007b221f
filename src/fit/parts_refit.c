/**
 * @file parts_refit.c
 * @brief Fits one part to samples: BFGS on a soft count, with the scale solved for.
 *
 * The part's numbers except its scale are free. With S the largest log G over the samples that the
 * part must hold (the least, over those that it must avoid), a body scaled by e^S meets the bound,
 * and a sample at distance rho from its centre is about rho (1 - e^S/G) outside it: exactly so
 * along the ray from the centre, where there is no taper. Minimised is
 *
 *     E = sum_i w_i / (1 + exp(d_i/tau)),      d_i = rho_i (1 - exp(S - ln G_i)),
 *
 * with S replaced by (1/beta) ln sum_j exp(beta ln G_j). So the value counts, softly, the volume
 * that the part takes from where it should not be; volume that it shares with other parts has no
 * sample, and costs nothing.
 *
 * The unknowns are scaled to lengths: a step of one moves some of the surface by about one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts_internal.h"

enum { N = OVI_PART_NUMBERS };

/* ---- samples of a task */

bool ovi_task_count(ovi_task *task, float x, float y, float z, float weight) {
    if (task->counted.count == task->weight_capacity) {
        size_t capacity = 2 * task->weight_capacity + 1024;
        float *grown = realloc(task->weight, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        task->weight = grown;
        task->weight_capacity = capacity;
    }
    task->weight[task->counted.count] = weight;
    return ovi_samples_add(&task->counted, x, y, z);
}

void ovi_task_clear(ovi_task *task) {
    task->counted.count = 0;
    task->bound.count = 0;
}

void ovi_task_free(ovi_task *task) {
    ovi_samples_free(&task->counted);
    ovi_samples_free(&task->bound);
    free(task->weight);
    free(task->blocks);
    *task = (ovi_task){0};
}

/* ---- sums over blocks: ten derivatives, the turning moment, and what the centre's distance adds
 */

enum { SUM_WEIGHT = 10, SUM_TURN = 11, SUM_RHO = 14, SUMS = 17, LANES = 16 };

OVI_INLINE void add_up(const ovi_gauge_block *restrict b, const float *restrict by_log,
                       const float *restrict by_rho, size_t count, double *restrict sums) {
    float lanes[SUMS][LANES] = {{0.0f}};
    for (size_t i = 0; i < count; i += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            size_t k = i + j;
            float c = by_log[k];
            for (int n = 0; n < 10; n++) {
                lanes[n][j] += c * b->d[n][k];
            }
            lanes[SUM_WEIGHT][j] += c;
            lanes[SUM_TURN][j] += c * (b->d[1][k] * b->z[k] - b->d[2][k] * b->y[k]);
            lanes[SUM_TURN + 1][j] += c * (b->d[2][k] * b->x[k] - b->d[0][k] * b->z[k]);
            lanes[SUM_TURN + 2][j] += c * (b->d[0][k] * b->y[k] - b->d[1][k] * b->x[k]);
            lanes[SUM_RHO][j] += by_rho[k] * b->x[k];
            lanes[SUM_RHO + 1][j] += by_rho[k] * b->y[k];
            lanes[SUM_RHO + 2][j] += by_rho[k] * b->z[k];
        }
    }
    for (int n = 0; n < SUMS; n++) {
        for (int j = 0; j < LANES; j++) {
            sums[n] += (double)lanes[n][j];
        }
    }
}

OVI_DISPATCH_WIDE(static, void, add_block, add_up,
                  (const ovi_gauge_block *b, const float *by_log, const float *by_rho, size_t count,
                   double *sums),
                  (b, by_log, by_rho, count, sums))

/** Gradient by the part's numbers of a function with these sums. */
static void gather(const ovi_part *part, const double sums[SUMS], double gradient[N]) {
    ov_mat3 r = ov_mat3_from_quat(part->rotation);
    ov_vec3 local = ov_vec3_make(sums[0] + sums[SUM_RHO], sums[1] + sums[SUM_RHO + 1],
                                 sums[2] + sums[SUM_RHO + 2]);
    ov_vec3 centre = ov_vec3_neg(ov_mat3_mul_vec3(&r, local));
    double e1 = part->e[0], e2 = part->e[1];
    double limit = ovi_taper_max(e2), step = 1e-6;
    double slope = (ovi_taper_max(e2 + step) - ovi_taper_max(e2 - step)) / (2.0 * step);
    gradient[0] = centre.x;
    gradient[1] = centre.y;
    gradient[2] = centre.z;
    for (int i = 0; i < 3; i++) {
        gradient[3 + i] = sums[SUM_TURN + i];
        gradient[6 + i] = sums[3 + i];
    }
    gradient[9] = -2.0 / (e1 * e1) * sums[8];
    gradient[10] =
        -2.0 / (e2 * e2) * sums[9] + slope * (part->t[0] * sums[6] + part->t[1] * sums[7]);
    gradient[11] = limit * sums[6];
    gradient[12] = limit * sums[7];
}

/* ---- the bound: a soft largest or least log G */

static size_t blocks_of(size_t count) { return (count + OVI_BLOCK - 1) / OVI_BLOCK; }

static size_t block_size(size_t count, size_t block) {
    size_t left = count - block * OVI_BLOCK;
    return left < OVI_BLOCK ? left : OVI_BLOCK;
}

/** The part's constants; a task of ellipsoids asks for no other derivatives. */
static ovi_part_constants prepare(const ovi_task *task, const ovi_part *part) {
    ovi_part_constants p = ovi_part_prepare(part);
    p.stays_round = task->round && p.round;
    return p;
}

/** Gauges and their derivatives of a block of samples. */
static void fill_block(const ovi_part_constants *p, const ovi_samples *s, size_t b,
                       ovi_gauge_block *out) {
    size_t at = b * OVI_BLOCK;
    ovi_gauge_block_fill(p, s->x + at, s->y + at, s->z + at, block_size(s->count, b), out);
}

/** S; with `gradient`, fills the task's blocks first, and adds up its gradient. */
static double soft_bound(ovi_task *task, const ovi_part *part, double *gradient) {
    const ovi_samples *s = &task->bound;
    if (task->sense == OVI_BOUND_NONE || s->count == 0) {
        return 0.0;
    }
    ovi_part_constants p = prepare(task, part);
    double sign = task->sense == OVI_BOUND_HOLD ? 1.0 : -1.0, most = -INFINITY;
    for (size_t b = 0; b < blocks_of(s->count); b++) {
        size_t n = block_size(s->count, b);
        fill_block(&p, s, b, &task->blocks[b]);
        for (size_t i = 0; i < n; i++) {
            float *lg = &task->blocks[b].log_g[i];
            *lg += (float)(sign * task->margin) / (task->blocks[b].rho[i] + 1e-9f);
            most = fmax(most, sign * (double)*lg);
        }
    }
    double sum = 0.0, sums[SUMS] = {0.0};
    for (size_t b = 0; b < blocks_of(s->count); b++) {
        float share[OVI_BLOCK] = {0.0f}, none[OVI_BLOCK] = {0.0f};
        size_t n = block_size(s->count, b);
        for (size_t i = 0; i < n; i++) {
            double lg = sign * (double)task->blocks[b].log_g[i];
            share[i] = (float)exp(task->beta * (lg - most));
            sum += (double)share[i];
        }
        if (gradient != NULL) {
            for (size_t i = n; i < OVI_BLOCK && n % LANES != 0; i++) {
                for (int d = 0; d < 10; d++) {
                    task->blocks[b].d[d][i] = 0.0f;
                }
                task->blocks[b].x[i] = task->blocks[b].y[i] = task->blocks[b].z[i] = 0.0f;
            }
            add_block(&task->blocks[b], share, none, n, sums);
        }
    }
    if (gradient != NULL) {
        for (int i = 0; i < SUMS; i++) {
            sums[i] /= sum;
        }
        gather(part, sums, gradient);
    }
    return sign * (most + log(sum) / task->beta - task->bias);
}

/** The largest log G (times -1: least), over samples to be held or avoided by a margin. */
static double worst_log(const ovi_part *part, const ovi_samples *s, double sign, double margin) {
    ovi_part_constants p = ovi_part_prepare(part);
    double most = -INFINITY;
    for (size_t at = 0; at < s->count; at += OVI_BLOCK) {
        float lg[OVI_BLOCK], rho[OVI_BLOCK];
        size_t n = block_size(s->count, at / OVI_BLOCK);
        ovi_gauge_values(&p, s->x + at, s->y + at, s->z + at, n, lg, rho);
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, sign * (double)lg[i] + margin / ((double)rho[i] + 1e-9));
        }
    }
    return most;
}

/** No semi-axis shrinks below e to this: some 1/160,000 of the longest side of the mesh's box. */
#define LOG_SMALLEST (-12.0)

void ovi_part_rescale(ovi_part *part, ovi_bound_sense sense, const ovi_samples *s, double margin) {
    if (sense == OVI_BOUND_NONE || s->count == 0) {
        return;
    }
    double sign = sense == OVI_BOUND_HOLD ? 1.0 : -1.0, before = 0.0, factor = 1.0;
    // tapered gauges are not homogeneous: a scaled part is looked at again
    for (int round = 0; round < 30; round++) {
        double most = worst_log(part, s, sign, margin);
        bool swings = most * before < 0.0;
        factor = swings ? 0.5 * factor : factor;
        before = most;
        if (fabs(most) < 1e-5 || (most < 0.0 && round > 20)) {
            break;
        }
        double step = round > 20 ? most : factor * most;
        if (sign * step < 0.0) {
            // points at the very centre are held by any size
            double least = fmin(part->log_a[0], fmin(part->log_a[1], part->log_a[2]));
            step = sign * fmax(sign * step, fmin(0.0, LOG_SMALLEST - least));
        }
        for (int i = 0; i < 3; i++) {
            part->log_a[i] += sign * step;
        }
    }
    // none may be left on the wrong side, not even by rounding: nobody would ask for it again
    double rest = fmax(0.0, worst_log(part, s, sign, margin));
    for (int i = 0; i < 3; i++) {
        part->log_a[i] += sign * (2.0 * rest + 4e-6);
    }
}

/* ---- value and gradient */

typedef struct soft_count {
    float by_log[OVI_BLOCK], by_rho[OVI_BLOCK], value[OVI_BLOCK];
} soft_count;

/** Soft counts of a block and their derivatives by log G and, over rho, by rho. */
OVI_INLINE void count_inner(const ovi_gauge_block *restrict b, const float *restrict weight,
                            size_t count, float scale, float sharp, soft_count *restrict out) {
    for (size_t i = 0; i < count; i++) {
        float g = ovi_fast_exp(scale - b->log_g[i]);
        float d = b->rho[i] * (1.0f - g) * sharp;
        float o = 1.0f / (1.0f + ovi_fast_exp(d));
        float slope = (o * o - o) * sharp * weight[i];
        out->value[i] = weight[i] * o;
        out->by_log[i] = slope * b->rho[i] * g;
        out->by_rho[i] = slope * (1.0f - g) / (b->rho[i] + 1e-12f);
    }
}

OVI_DISPATCH_WIDE(static, void, count_block, count_inner,
                  (const ovi_gauge_block *b, const float *weight, size_t count, float scale,
                   float sharp, soft_count *out),
                  (b, weight, count, scale, sharp, out))

/** A reach along n, in the part's frame, and its derivatives by rotation and log a. */
typedef struct reach {
    double length, turn[3], by_log_a[3];
} reach;

/** That of the ellipsoid with the part's axes, scaled: about that of the part, and smooth. */
static reach reach_along(const double a[3], ov_vec3 n) {
    ov_vec3 v = ov_vec3_make(a[0] * a[0] * n.x, a[1] * a[1] * n.y, a[2] * a[2] * n.z);
    double length = sqrt(ov_vec3_dot(v, n)) + 1e-30;
    ov_vec3 turn = ov_vec3_scale(ov_vec3_cross(v, n), 1.0 / length);
    return (reach){length,
                   {turn.x, turn.y, turn.z},
                   {v.x * n.x / length, v.y * n.y / length, v.z * n.z / length}};
}

/**
 * Samples are counted near the mesh only, so what a part takes elsewhere is told by how far it
 * reaches beyond their box, scaled by e^S. Adds up the gradient; that of S is `of_bound`.
 */
static double box_cost(const ovi_task *task, const ovi_part *part, double scale,
                       const double of_bound[N], double *gradient) {
    ov_mat3 r = ov_mat3_from_quat(part->rotation);
    const ov_vec3 rows[3] = {
        {r.cx.x, r.cy.x, r.cz.x}, {r.cx.y, r.cy.y, r.cz.y}, {r.cx.z, r.cy.z, r.cz.z}};
    const double centre[3] = {part->centre.x, part->centre.y, part->centre.z};
    double a[3], cost = 0.0;
    for (int i = 0; i < 3; i++) {
        a[i] = exp(part->log_a[i] + scale);
    }
    for (int k = 0; k < 6 && task->box_weight > 0.0; k++) {
        int axis = k % 3;
        double sign = k < 3 ? 1.0 : -1.0;
        reach out = reach_along(a, rows[axis]);
        double over = out.length + (k < 3 ? centre[axis] - task->box_hi[axis]
                                          : task->box_lo[axis] - centre[axis]);
        if (!(over > 0.0)) {
            continue;
        }
        double slope = 2.0 * task->box_weight * over;
        cost += task->box_weight * over * over;
        for (int i = 0; gradient != NULL && i < N; i++) {
            gradient[i] += slope * out.length * of_bound[i];
        }
        for (int i = 0; gradient != NULL && i < 3; i++) {
            gradient[i] += i == axis ? slope * sign : 0.0;
            gradient[3 + i] += slope * out.turn[i];
            gradient[6 + i] += slope * out.by_log_a[i];
        }
    }
    return cost;
}

double ovi_task_value(ovi_task *task, const ovi_part *part, double *gradient) {
    double of_bound[N] = {0.0}, sums[SUMS] = {0.0}, value = 0.0;
    double scale = soft_bound(task, part, gradient != NULL ? of_bound : NULL);
    task->work += (double)(task->counted.count + task->bound.count);
    ovi_part_constants p = prepare(task, part);
    ovi_gauge_block block = {0};
    soft_count soft = {0};
    const ovi_samples *s = &task->counted;
    for (size_t b = 0; b < blocks_of(s->count); b++) {
        size_t at = b * OVI_BLOCK, n = block_size(s->count, b);
        fill_block(&p, s, b, &block);
        count_block(&block, task->weight + at, n, (float)scale, (float)(1.0 / task->tau), &soft);
        float sum = 0.0f;
        for (size_t i = 0; i < n; i++) {
            sum += soft.value[i];
        }
        value += (double)sum;
        for (size_t i = n; i < OVI_BLOCK && i < n + LANES; i++) {
            soft.by_log[i] = soft.by_rho[i] = 0.0f;
        }
        if (gradient != NULL) {
            add_block(&block, soft.by_log, soft.by_rho, n, sums);
        }
    }
    if (gradient != NULL) {
        gather(part, sums, gradient);
        for (int i = 0; i < N && task->sense != OVI_BOUND_NONE; i++) {
            gradient[i] -= sums[SUM_WEIGHT] * of_bound[i];
        }
    }
    return value + box_cost(task, part, scale, of_bound, gradient);
}

/* ---- minimising */

/** Where a search is: the part that it began with, and how its unknowns change it. */
typedef struct chart {
    ovi_part base;
    const ovi_part_limits *limits;
    double unit[N];  // change of the number per unit of the unknown
    double angle[4]; // of e and t at the start: they are sines, within their limits
} chart;

/** Semi-axes: 1/400 and 3 times the longest side of the mesh's box. */
#define LOG_LEAST (-6.0)
#define LOG_MOST 1.1

static double e_middle(const ovi_part_limits *l) { return 0.5 * (l->e_min + l->e_max); }
static double e_half(const ovi_part_limits *l) { return 0.5 * (l->e_max - l->e_min); }

static chart chart_make(const ovi_part *part, const ovi_part_limits *limits) {
    chart c = {.base = *part, .limits = limits};
    double a[3], mean = 0.0;
    for (int i = 0; i < 3; i++) {
        a[i] = exp(part->log_a[i]);
        mean += a[i] / 3.0;
    }
    bool tapered = limits->kind == OV_SHAPE_KIND_SUPEROVOID && limits->taper_max > 0.0;
    bool square = tapered || limits->kind == OV_SHAPE_KIND_SUPERELLIPSOID;
    for (int i = 0; i < 3; i++) {
        c.unit[i] = 1.0;
        c.unit[3 + i] = limits->kind == OV_SHAPE_KIND_SPHERE ? 0.0 : 1.0 / mean;
        c.unit[6 + i] = 1.0 / a[i];
    }
    for (int i = 0; i < 2; i++) {
        c.unit[9 + i] = square ? 3.0 / mean : 0.0;
        c.unit[11 + i] = tapered ? 2.0 / mean : 0.0;
        double e = square ? (part->e[i] - e_middle(limits)) / e_half(limits) : 0.0;
        double t = tapered ? part->t[i] / limits->taper_max : 0.0;
        // not at the very limits, where the sine has no slope
        c.angle[i] = asin(fmax(-0.98, fmin(0.98, e)));
        c.angle[2 + i] = asin(fmax(-0.98, fmin(0.98, t)));
    }
    return c;
}

static ovi_part chart_part(const chart *c, const double y[N]) {
    ovi_part p = c->base;
    p.centre = ov_vec3_add(p.centre, ov_vec3_make(y[0], y[1], y[2]));
    ov_vec3 turn = ov_vec3_scale(ov_vec3_make(y[3], y[4], y[5]), c->unit[3]);
    double angle = ov_vec3_length(turn);
    if (angle > 0.0) {
        p.rotation = ov_quat_mul(p.rotation, ov_quat_from_axis_angle(turn, angle));
    }
    double least = fmax(LOG_LEAST, log(c->limits->least + 1e-300));
    double same = (y[6] * c->unit[6] + y[7] * c->unit[7] + y[8] * c->unit[8]) / 3.0;
    for (int i = 0; i < 3; i++) {
        bool sphere = c->limits->kind == OV_SHAPE_KIND_SPHERE;
        p.log_a[i] += sphere ? same : y[6 + i] * c->unit[6 + i];
        // neither nothing nor much more than the whole mesh
        p.log_a[i] = fmax(least, fmin(LOG_MOST, p.log_a[i]));
    }
    for (int i = 0; i < 2; i++) {
        if (c->unit[9] > 0.0) {
            p.e[i] = e_middle(c->limits) +
                     e_half(c->limits) * sin(c->angle[i] + y[9 + i] * c->unit[9 + i]);
        }
        if (c->unit[11] > 0.0) {
            p.t[i] = c->limits->taper_max * sin(c->angle[2 + i] + y[11 + i] * c->unit[11 + i]);
        }
    }
    return p;
}

/**
 * The gradient by the unknowns, at y. Rotations after the first are taken about turned axes; for
 * the small turns of one search that difference does not matter.
 */
static double chart_value(ovi_task *task, const chart *c, const double y[N], double g[N]) {
    ovi_part p = chart_part(c, y);
    double by[N];
    double value = ovi_task_value(task, &p, by);
    double same = (by[6] + by[7] + by[8]) / 3.0;
    for (int i = 0; i < 9; i++) {
        bool sphere = c->limits->kind == OV_SHAPE_KIND_SPHERE && i >= 6;
        g[i] = c->unit[i] * (sphere ? same : by[i]);
    }
    for (int i = 0; i < 2; i++) {
        double e = c->angle[i] + y[9 + i] * c->unit[9 + i];
        double t = c->angle[2 + i] + y[11 + i] * c->unit[11 + i];
        g[9 + i] = by[9 + i] * e_half(c->limits) * cos(e) * c->unit[9 + i];
        g[11 + i] = by[11 + i] * c->limits->taper_max * cos(t) * c->unit[11 + i];
    }
    return value;
}

static double dot(const double a[N], const double b[N]) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/** h += the BFGS update of the inverse Hessian, for a step s that changed the gradient by y. */
static void update_inverse(double h[N][N], const double s[N], const double y[N]) {
    double sy = dot(s, y), hy[N];
    if (!(sy > 1e-12 * sqrt(dot(s, s) * dot(y, y)))) {
        return;
    }
    for (int i = 0; i < N; i++) {
        hy[i] = dot(h[i], y);
    }
    double factor = (1.0 + dot(y, hy) / sy) / sy;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            h[i][j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

static void inverse_start(double h[N][N], double diagonal) {
    memset(h, 0, N * sizeof h[0]);
    for (int i = 0; i < N; i++) {
        h[i][i] = diagonal;
    }
}

/** A step along -h g that lowers the value enough; false if there is none. */
static bool search_line(ovi_task *task, const chart *c, double h[N][N], double y[N], double g[N],
                        double *value) {
    double step[N], next[N], by[N];
    for (int i = 0; i < N; i++) {
        step[i] = -dot(h[i], g);
    }
    double slope = dot(step, g), length = sqrt(dot(step, step));
    if (!(slope < 0.0) || !isfinite(slope)) {
        return false;
    }
    double longest = 6.0 * task->tau, t = length > longest ? longest / length : 1.0;
    for (int trial = 0; trial < 10; trial++, t *= trial < 3 ? 0.5 : 0.2) {
        for (int i = 0; i < N; i++) {
            next[i] = y[i] + t * step[i];
        }
        double v = chart_value(task, c, next, by);
        if (v <= *value + 1e-4 * t * slope) {
            double s[N], change[N];
            for (int i = 0; i < N; i++) {
                s[i] = next[i] - y[i];
                change[i] = by[i] - g[i];
            }
            update_inverse(h, s, change);
            memcpy(y, next, N * sizeof y[0]);
            memcpy(g, by, N * sizeof g[0]);
            *value = v;
            return true;
        }
    }
    return false;
}

bool ovi_task_minimise(ovi_task *task, const ovi_part_limits *limits, int iterations,
                       ovi_part *part, double *value) {
    size_t blocks = blocks_of(task->bound.count);
    if (blocks > task->block_capacity) {
        ovi_gauge_block *grown = realloc(task->blocks, 2 * blocks * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        task->blocks = grown;
        task->block_capacity = 2 * blocks;
    }
    task->round = limits->kind == OV_SHAPE_KIND_SPHERE || limits->kind == OV_SHAPE_KIND_ELLIPSOID;
    chart c = chart_make(part, limits);
    double y[N] = {0.0}, g[N], h[N][N];
    // at the start the part shall count as large as it is
    task->bias = 0.0;
    ovi_part exact = *part;
    ovi_part_rescale(&exact, task->sense, &task->bound, task->margin);
    task->bias = fabs(soft_bound(task, part, NULL) - (exact.log_a[0] - part->log_a[0]));
    *value = chart_value(task, &c, y, g);
    inverse_start(h, task->tau / (sqrt(dot(g, g)) + 1e-30));
    // no part could do better than to hold all that is to be held and nothing else
    double least = 0.0;
    for (size_t i = 0; i < task->counted.count; i++) {
        least += fmin(0.0, (double)task->weight[i]);
    }
    int resets = 0;
    double since = *value;
    for (int i = 0; i < iterations; i++) {
        if (!search_line(task, &c, h, y, g, value)) {
            // the quadratic model has gone wrong: begin again from the gradient, twice at most
            if (++resets > 2) {
                break;
            }
            inverse_start(h, 0.3 * task->tau / (sqrt(dot(g, g)) + 1e-30));
        }
        if (i % 10 == 9) {
            if (since - *value < 2e-3 * (*value - least) + 1e-9) {
                break;
            }
            since = *value;
        }
    }
    ovi_part found = chart_part(&c, y);
    ovi_part_rescale(&found, task->sense, &task->bound, task->margin);
    if (ovi_part_is_finite(&found)) {
        *part = found;
    }
    return true;
}
