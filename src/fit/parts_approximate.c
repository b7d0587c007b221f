/**
 * @file parts_approximate.c
 * @brief Parts whose union is as near to the solid as possible: refitting, and breathing.
 *
 * The cost is the number of cells in which union and solid differ. Given a number of parts:
 *
 *     1. parts grow from the deepest cells (parts_search.c), and are refitted one after another
 *        to what the others leave, as long as a part or what is about it still changes;
 *     2. a breath in: some more parts than asked for, where the most is gained, by halving parts
 *        or by growing others in what is missing; all are refitted;
 *     3. a breath out: the parts go that the others can best do without, once these are refitted;
 *     4. what costs less than the best so far is kept; otherwise the next breath is shallower.
 *
 * Only cells near the surface of a part are counted when it is refitted: the others stay inside or
 * outside of it. What is found is held against the whole field before it is taken.
 *
 * A feature that is thin has few cells, and would be the first to go. So points of the surface that
 * are far from all parts cost too (stray_cost); and at the end thin features that are lost all the
 * same get parts, as long as that costs little (keep_features).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts_internal.h"

/** Most cells that one refit counts; least gain that is one, as a share of the solid. */
enum { NEIGHBOURS = 3, CANDIDATES = 4, HALVED = 4, BREATHS = 40, IN_VAIN = 10 };
static const double worth_a_refit = 1e-4;

static double least_gain(const ovi_model *m) {
    return worth_a_refit * (double)m->field->inside_count;
}

/* ---- thin features */

/** Points of the surface that are farther from all parts than this (of the longest side) cost. */
static const double far_away = 0.02;

enum { FAR_SPOTS = 1500 };

/** The corners of a facet of the surface; its area, along its normal. */
static ov_vec3 facet_area(const ovi_field *f, size_t i, ov_vec3 p[3]) {
    const ovi_samples *s = &f->surface;
    for (int n = 0; n < 3; n++) {
        size_t c = f->facets[i][n];
        p[n] = ov_vec3_make((double)s->x[c], (double)s->y[c], (double)s->z[c]);
    }
    return ov_vec3_scale(ov_vec3_cross(ov_vec3_sub(p[1], p[0]), ov_vec3_sub(p[2], p[0])), 0.5);
}

/** Asked whether a point of the surface, where this is the normal or its opposite, is wanted. */
typedef bool (*spot_wanted)(const ovi_model *m, ov_vec3 point, ov_vec3 normal);

/** Spreads `most` points over the surface, one in each equal share of the area, and adds those that
 *  are wanted; the share. */
static double spread_spots(ovi_model *m, size_t most, spot_wanted wanted, ovi_samples *spots) {
    const ovi_field *f = m->field;
    double whole = 0.0, done = 0.0, share = 0.0;
    size_t next = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < f->facet_count && !m->out_of_memory; i++) {
            ov_vec3 p[3], normal = facet_area(f, i, p);
            double area = ov_vec3_length(normal);
            whole += pass == 0 ? area : 0.0;
            done += pass == 1 ? area : 0.0;
            ov_vec3 middle = ov_vec3_scale(ov_vec3_add(p[0], ov_vec3_add(p[1], p[2])), 1.0 / 3.0);
            if (pass == 1 && done > share * ((double)next + 0.5)) {
                next++;
                m->out_of_memory =
                    (wanted == NULL || wanted(m, middle, ov_vec3_scale(normal, 1.0 / area))) &&
                    !ovi_samples_add(spots, (float)middle.x, (float)middle.y, (float)middle.z);
            }
        }
        share = whole / (double)most;
    }
    return share;
}

/** Distances of points from a part, less than nothing inside: along rays from its centre. */
static void part_distances(const ovi_part *part, const float *x, const float *y, const float *z,
                           size_t count, float *d) {
    ovi_part_constants p = ovi_part_prepare(part);
    float lg[OVI_BLOCK], rho[OVI_BLOCK];
    for (size_t at = 0; at < count; at += OVI_BLOCK) {
        size_t n = count - at < OVI_BLOCK ? count - at : OVI_BLOCK;
        ovi_gauge_values(&p, x + at, y + at, z + at, n, lg, rho);
        for (size_t i = 0; i < n; i++) {
            d[at + i] = rho[i] * (1.0f - ovi_fast_exp(-lg[i]));
        }
    }
}

/** Which part, other than `but`, each of a block of points is nearest to; how far it is. */
static void find_nearest(const ovi_model *m, size_t but, const float *x, const float *y,
                         const float *z, size_t count, uint32_t *nearest, float *least) {
    float d[OVI_BLOCK];
    for (size_t i = 0; i < count; i++) {
        least[i] = 1.0f;
        nearest[i] = 0;
    }
    for (size_t k = 0; k < m->count; k++) {
        if (k == but) {
            continue;
        }
        part_distances(&m->members[k].part, x, y, z, count, d);
        for (size_t i = 0; i < count; i++) {
            nearest[i] = d[i] < least[i] ? (uint32_t)k : nearest[i];
            least[i] = d[i] < least[i] ? d[i] : least[i];
        }
    }
}

/** What a sample at this distance costs: the volume between it and what is near, about. */
static double stray_price(const ovi_model *m, float distance) {
    return m->spot_area * fmax(0.0, (double)distance - far_away) / m->field->h;
}

/** What all these points cost, with all parts but one; the farthest of them. */
static double stray_cost(const ovi_model *m, size_t but, size_t *farthest) {
    const ovi_samples *s = &m->spots;
    double cost = 0.0, most = 0.0;
    for (size_t at = 0; at < s->count; at += OVI_BLOCK) {
        size_t n = s->count - at < OVI_BLOCK ? s->count - at : OVI_BLOCK;
        float least[OVI_BLOCK];
        uint32_t nearest[OVI_BLOCK];
        find_nearest(m, but, s->x + at, s->y + at, s->z + at, n, nearest, least);
        for (size_t i = 0; i < n; i++) {
            cost += stray_price(m, least[i]);
            if ((double)least[i] > most && farthest != NULL) {
                most = (double)least[i];
                *farthest = at + i;
            }
        }
    }
    return cost;
}

static double whole_cost(const ovi_model *m) {
    return ovi_model_cost(m) + stray_cost(m, SIZE_MAX, NULL);
}

/** Points of the surface that all parts but one are far from, and how far. */
typedef struct alone {
    ovi_samples at;
    float others[FAR_SPOTS + 1];
} alone;

/** Those about part k. */
static bool find_alone(const ovi_model *m, size_t k, double reach, alone *out) {
    const ovi_samples *s = &m->spots;
    float x[OVI_BLOCK], y[OVI_BLOCK], z[OVI_BLOCK], least[OVI_BLOCK];
    uint32_t nearest[OVI_BLOCK];
    double lo[3], hi[3];
    size_t count = 0;
    ovi_part_box(&m->members[k].part, reach, lo, hi);
    for (size_t i = 0; i < s->count; i++) {
        if (s->x[i] >= (float)lo[0] && s->x[i] <= (float)hi[0] && s->y[i] >= (float)lo[1] &&
            s->y[i] <= (float)hi[1] && s->z[i] >= (float)lo[2] && s->z[i] <= (float)hi[2]) {
            x[count] = s->x[i];
            y[count] = s->y[i];
            z[count++] = s->z[i];
        }
        if (count < OVI_BLOCK && i + 1 < s->count) {
            continue;
        }
        find_nearest(m, k, x, y, z, count, nearest, least);
        for (size_t n = 0; n < count && out->at.count < FAR_SPOTS; n++) {
            if ((double)least[n] > far_away) {
                out->others[out->at.count] = least[n];
                if (!ovi_samples_add(&out->at, x[n], y[n], z[n])) {
                    return false;
                }
            }
        }
        count = 0;
    }
    return true;
}

/** What these points cost with the part. With `draw`, those that are far from it too are added to
 *  the task: they draw it. */
static double alone_cost(ovi_model *m, const alone *a, const ovi_part *part, bool draw) {
    double cost = 0.0;
    for (size_t at = 0; at < a->at.count; at += OVI_BLOCK) {
        size_t n = a->at.count - at < OVI_BLOCK ? a->at.count - at : OVI_BLOCK;
        float d[OVI_BLOCK];
        part_distances(part, a->at.x + at, a->at.y + at, a->at.z + at, n, d);
        for (size_t i = 0; i < n; i++) {
            cost += stray_price(m, d[i] < a->others[at + i] ? d[i] : a->others[at + i]);
            if (draw && (double)d[i] > far_away) {
                m->out_of_memory =
                    m->out_of_memory || !ovi_task_count(&m->task, a->at.x[at + i], a->at.y[at + i],
                                                        a->at.z[at + i], (float)-m->spot_area);
            }
        }
    }
    return cost;
}

/* ---- thin features that are lost */

/**
 * Shares of the diagonal: where a line through the solid is no longer than this it is thin; what is
 * farther than this from all parts is lost; and how far apart the points of one feature may be.
 */
static const double thin = 0.04, lost_beyond = 0.01, linked_within = 0.02;

/** What all thin surface is worth, as a share of the solid. */
static const double worth_of_all = 0.15;

/** Points that are looked at, all over the surface; fewest that are a feature. */
enum { THIN_SPOTS = 6000, FEWEST = 4 };

/** Points on thin features, and which of them are lost. */
typedef struct thin_set {
    ovi_samples at;
    double worth;     // of one of them, in cells
    bool *lost;       // from all parts
    uint8_t *holders; // how many parts are near,
    uint32_t *holder; // and one of these
    bool *given_up;   // nothing was found that pays
    bool *open;       // scratch of the search for features
    size_t *stack;
} thin_set;

static double diagonal_of(const ovi_model *m) {
    const double *lo = m->task.box_lo, *hi = m->task.box_hi;
    return ov_vec3_length(ov_vec3_make(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]));
}

/** Is the cell in which this point is inside? */
static bool is_inside(const ovi_field *f, ov_vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    int cell[3];
    for (int a = 0; a < 3; a++) {
        cell[a] = (int)floor((at[a] - f->origin[a]) / f->h);
        if (cell[a] < 0 || cell[a] >= f->n[a]) {
            return false;
        }
    }
    return f->inside[ovi_field_index(f, cell[0], cell[1], cell[2])];
}

/** Does a line through the solid from here leave it soon? */
static bool is_thin(const ovi_model *m, ov_vec3 point, ov_vec3 normal) {
    const ovi_field *f = m->field;
    bool before = is_inside(f, ov_vec3_add_scaled(point, normal, f->h));
    bool behind = is_inside(f, ov_vec3_add_scaled(point, normal, -f->h));
    if (before == behind) {
        return !before; // thinner than a cell, or within the solid
    }
    for (double way = 1.5 * f->h; way < thin * diagonal_of(m); way += 0.5 * f->h) {
        if (!is_inside(f, ov_vec3_add_scaled(point, normal, before ? way : -way))) {
            return true;
        }
    }
    return false;
}

static bool find_thin(ovi_model *m, thin_set *t) {
    spread_spots(m, THIN_SPOTS, is_thin, &t->at);
    size_t n = t->at.count + 1;
    t->lost = calloc(n, sizeof *t->lost);
    t->holders = calloc(n, sizeof *t->holders);
    t->holder = calloc(n, sizeof *t->holder);
    t->given_up = calloc(n, sizeof *t->given_up);
    t->open = calloc(n, sizeof *t->open);
    t->stack = calloc(n, sizeof *t->stack);
    // (where next to nothing is thin, that is not worth as much as where a tenth is)
    t->worth = worth_of_all * (double)m->field->inside_count / fmax((double)n, 0.1 * THIN_SPOTS);
    bool made = t->lost != NULL && t->holders != NULL && t->holder != NULL && t->given_up != NULL &&
                t->open != NULL && t->stack != NULL;
    m->out_of_memory = m->out_of_memory || !made;
    return !m->out_of_memory;
}

static void free_thin(thin_set *t) {
    ovi_samples_free(&t->at);
    free(t->lost);
    free(t->holders);
    free(t->holder);
    free(t->given_up);
    free(t->open);
    free(t->stack);
}

/** Notes for which of these points part k is near. */
static void note_holder(const ovi_model *m, size_t k, thin_set *t) {
    ovi_part_constants p = ovi_part_prepare(&m->members[k].part);
    const ovi_samples *s = &t->at;
    float limit = (float)(lost_beyond * diagonal_of(m));
    ovi_gauge_block b;
    for (size_t at = 0; at < s->count; at += OVI_BLOCK) {
        size_t n = s->count - at < OVI_BLOCK ? s->count - at : OVI_BLOCK;
        ovi_gauge_block_fill(&p, s->x + at, s->y + at, s->z + at, n, &b);
        for (size_t i = 0; i < n; i++) {
            // along the slope: along a ray it is much farther to the side of what is long
            float dx = b.d[0][i], dy = b.d[1][i], dz = b.d[2][i];
            if (b.log_g[i] <= limit * sqrtf(dx * dx + dy * dy + dz * dz)) {
                t->holder[at + i] = (uint32_t)k;
                t->holders[at + i]++;
            }
        }
    }
}

/** Finds which of these points are lost; how many. */
static size_t find_lost(const ovi_model *m, thin_set *t) {
    size_t count = 0;
    memset(t->holders, 0, t->at.count * sizeof *t->holders);
    for (size_t k = 0; k < m->count; k++) {
        note_holder(m, k, t);
    }
    for (size_t i = 0; i < t->at.count; i++) {
        t->lost[i] = t->holders[i] == 0;
        count += t->lost[i];
    }
    return count;
}

/** What the model costs, with what is lost. */
static double cost_with_lost(const ovi_model *m, thin_set *t) {
    return ovi_model_cost(m) + t->worth * (double)find_lost(m, t);
}

/** Is it this near? */
static bool is_near(const ovi_samples *a, size_t i, const ovi_samples *b, size_t j, double reach) {
    double x = (double)(a->x[i] - b->x[j]), y = (double)(a->y[i] - b->y[j]);
    double z = (double)(a->z[i] - b->z[j]);
    return x * x + y * y + z * z <= reach * reach;
}

/** How many open points are connected with this one: on the stack afterwards, and not open. */
static size_t connect(const ovi_model *m, thin_set *t, size_t first) {
    double link = linked_within * diagonal_of(m);
    size_t count = 0;
    t->stack[count++] = first;
    t->open[first] = false;
    for (size_t next = 0; next < count; next++) {
        for (size_t j = 0; j < t->at.count; j++) {
            if (t->open[j] && is_near(&t->at, t->stack[next], &t->at, j, link)) {
                t->open[j] = false;
                t->stack[count++] = j;
            }
        }
    }
    return count;
}

static void open_lost(thin_set *t) {
    for (size_t i = 0; i < t->at.count; i++) {
        t->open[i] = t->lost[i] && !t->given_up[i];
    }
}

/** The largest connected feature of lost points that are not given up: they are, from now on. */
static bool find_feature(ovi_model *m, thin_set *t, ovi_samples *feature) {
    const ovi_samples *s = &t->at;
    size_t most = 0, first = 0;
    open_lost(t);
    for (size_t i = 0; i < s->count; i++) {
        size_t count = t->open[i] ? connect(m, t, i) : 0;
        first = count > most ? i : first;
        most = count > most ? count : most;
    }
    if (most < FEWEST) {
        return false;
    }
    // (with what has been given up: its fate may have changed)
    memcpy(t->open, t->lost, s->count * sizeof *t->open);
    most = connect(m, t, first);
    feature->count = 0;
    for (size_t n = 0; n < most && !m->out_of_memory; n++) {
        size_t i = t->stack[n];
        t->given_up[i] = true;
        m->out_of_memory = !ovi_samples_add(feature, s->x[i], s->y[i], s->z[i]);
    }
    return !m->out_of_memory;
}

/* ---- refitting one part */

/** Drops samples of the task, by chance, until about `most` are left; they count for the others. */
static void thin_out(ovi_model *m, size_t most) {
    ovi_task *t = &m->task;
    ovi_samples *s = &t->counted;
    if (s->count <= most) {
        return;
    }
    double share = (double)most / (double)s->count;
    uint32_t limit = (uint32_t)(share * 4294967295.0), seed = (uint32_t)m->random;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (((uint32_t)i + seed) * 2654435761u <= limit) {
            s->x[kept] = s->x[i];
            s->y[kept] = s->y[i];
            s->z[kept] = s->z[i];
            t->weight[kept++] = t->weight[i] / (float)share;
        }
    }
    s->count = kept;
}

/** Cells of a row that are near the surface and in no part of the model. */
static bool count_row(ovi_model *m, const ovi_part_constants *p, const ovi_row_walk *w,
                      float reach) {
    const ovi_field *f = m->field;
    float x[OVI_BLOCK], y[OVI_BLOCK], z[OVI_BLOCK], lg[OVI_BLOCK], rho[OVI_BLOCK];
    size_t row = ovi_field_index(f, 0, w->j, w->k), at[OVI_BLOCK];
    double line_y, line_z;
    ovi_field_line(f, w->j, w->k, &line_y, &line_z);
    for (int from = w->from; from <= w->to; from += OVI_BLOCK) {
        int n = w->to - from + 1 < OVI_BLOCK ? w->to - from + 1 : OVI_BLOCK;
        size_t first = row + (size_t)from, count = 0;
        ovi_field_xs(f, from, first, (size_t)n, x);
        for (size_t i = 0; i < (size_t)n; i++) {
            // (what is kept is never ahead of what is looked at)
            x[count] = x[i];
            y[count] = (float)line_y;
            z[count] = (float)line_z;
            at[count] = first + i;
            count += m->cover[first + i] == 0;
        }
        ovi_gauge_values(p, x, y, z, count, lg, rho);
        for (size_t i = 0; i < count; i++) {
            float d = rho[i] * (1.0f - ovi_fast_exp(-lg[i]));
            if (!(fabsf(d) < reach)) {
                continue;
            }
            float weight = f->inside[at[i]] ? -(float)m->weight : (float)ovi_model_excess(m, at[i]);
            if (!ovi_task_count(&m->task, x[i], y[i], z[i], weight)) {
                return false;
            }
        }
    }
    return true;
}

/** Cells near the surface of a part that is not in the model. */
static bool count_shell(ovi_model *m, const ovi_part *part, double reach, size_t most) {
    ovi_part_constants p = ovi_part_prepare(part);
    ovi_task_clear(&m->task);
    for (ovi_row_walk w = ovi_rows_of(part, reach, m->field); ovi_rows_next(&w);) {
        if (!count_row(m, &p, &w, (float)reach)) {
            return false;
        }
    }
    thin_out(m, most);
    return true;
}

/** What a lifted part's own points cost. */
static double own_cost(const ovi_model *m, size_t k) {
    const ovi_list *points = &m->members[k].points;
    double cost = 0.0;
    for (size_t i = 0; i < points->count; i++) {
        uint32_t at = points->at[i] & ~OVI_DEEP;
        cost += m->cover[at] == 0 ? ovi_model_change(m, at) : 0.0;
    }
    return cost;
}

/** How closely a part is fitted: softness, how far its surface may get, iterations. */
typedef struct effort {
    double tau, reach; // in cells
    int iterations;
    size_t samples;
} effort;

static const effort wide = {0.8, 4.5, 15, 2500}, usual = {0.5, 3.5, 40, 4000};
static const effort growing = {1.0, 5.0, 20, 2500};
static const effort close = {0.4, 3.0, 40, 20000};

/** Fits a part to what the task counts. */
static bool fit_counted(ovi_model *m, effort how, ovi_part *part) {
    double value;
    m->task.tau = how.tau * m->field->h;
    m->task.beta = 1.0 / m->task.tau;
    m->task.sense = OVI_BOUND_NONE;
    return ovi_task_minimise(&m->task, &m->limits, how.iterations, part, &value);
}

/** Fits part k to what the others leave; by how much the cost falls. */
static double refit(ovi_model *m, size_t k, effort how) {
    double h = m->field->h;
    alone only = {.at = {.count = 0}};
    ovi_model_lift(m, k);
    ovi_part part = m->members[k].part;
    bool good =
        find_alone(m, k, how.reach * h, &only) && count_shell(m, &part, how.reach * h, how.samples);
    double before = own_cost(m, k) + alone_cost(m, &only, &part, true), after = INFINITY;
    ov_shape shape;
    good = good && fit_counted(m, how, &part);
    m->out_of_memory = m->out_of_memory || !good;
    if (good) {
        after = ovi_model_part_cost(m, &part) + alone_cost(m, &only, &part, false);
    }
    // a dent takes long to find: it is only looked for in what would be kept
    if (after < before && ovi_part_may_dent(&part)) {
        bool convex = ovi_part_shape(&part, 1.0, &shape) == OV_OK;
        after =
            convex ? ovi_model_part_cost(m, &part) + alone_cost(m, &only, &part, false) : INFINITY;
    }
    ovi_samples_free(&only.at);
    if (!(after < before)) {
        ovi_model_drop(m, k);
        return 0.0;
    }
    ovi_model_replace(m, k, &part);
    return before - after;
}

/** Part k has changed so much that the cost fell, or can fall, by this: its neighbours may too. */
static void disturb(ovi_model *m, size_t k, double change) {
    m->members[k].stale += change;
    for (size_t i = 0; i < m->count; i++) {
        if (i != k && ovi_model_boxes_meet(m, i, k)) {
            m->members[i].stale += change;
        }
    }
}

/** Refits what has changed, the most disturbed first, `rounds` times each part at most on average.
 */
static void settle(ovi_model *m, effort how, size_t rounds) {
    for (size_t turn = 0; turn < rounds * m->count && !ovi_model_must_stop(m); turn++) {
        size_t k = 0;
        for (size_t i = 1; i < m->count; i++) {
            k = m->members[i].stale > m->members[k].stale ? i : k;
        }
        if (!(m->members[k].stale > 2.0 * least_gain(m))) {
            break;
        }
        double gain = refit(m, k, how);
        m->members[k].stale = 0.0;
        // a fit ends where it gains little, not where nothing is to be gained
        disturb(m, k, 0.5 * gain);
    }
}

static void disturb_all(ovi_model *m) {
    for (size_t i = 0; i < m->count; i++) {
        m->members[i].stale = (double)m->field->inside_count;
    }
}

/** Takes a part out. */
static void take_out(ovi_model *m, size_t k) {
    ovi_model_lift(m, k);
    ovi_model_remove(m, k);
}

/* ---- halving a part */

/** The two halves of a part along one of its axes. */
static void halve(const ovi_part *part, int axis, ovi_part two[2]) {
    ov_mat3 r = ov_mat3_from_quat(part->rotation);
    ov_vec3 axes[3] = {r.cx, r.cy, r.cz};
    double a = exp(part->log_a[axis]), limit = ovi_taper_max(part->e[1]);
    for (int side = 0; side < 2; side++) {
        double z = side == 0 ? -0.5 : 0.5;
        two[side] = *part;
        two[side].centre = ov_vec3_add_scaled(part->centre, axes[axis], z * a);
        two[side].log_a[axis] += log(0.55);
        for (int i = 0; i < 2 && axis == 2; i++) {
            two[side].log_a[i] += log1p(z * limit * part->t[i]);
            two[side].t[i] *= 0.5;
        }
    }
}

static void fit_two(ovi_model *m, effort how, double *cost) {
    *cost -= refit(m, m->count - 2, how);
    *cost -= refit(m, m->count - 1, how);
}

/** Adds the two, which cost so much once they are fitted to each other and to the rest. */
static double add_two(ovi_model *m, const ovi_part two[2], effort how) {
    double cost = 0.0;
    for (int side = 0; side < 2 && !m->out_of_memory; side++) {
        cost += ovi_model_part_cost(m, &two[side]);
        ovi_model_add(m, &two[side]);
    }
    if (!m->out_of_memory) {
        fit_two(m, how, &cost);
    }
    return m->out_of_memory ? INFINITY : cost;
}

/** The last two parts go out of the model again. */
static void take_two(ovi_model *m, ovi_part two[2]) {
    for (int side = 1; side >= 0 && !m->out_of_memory; side--) {
        two[side] = m->members[m->count - 1].part;
        take_out(m, m->count - 1);
    }
}

/** By how much two parts for k cost less; the two. */
static double try_halves(ovi_model *m, size_t k, ovi_part best[2]) {
    const effort rough = {0.8, 5.0, 12, 2000}, better = {0.6, 4.0, 20, 3000};
    ovi_model_lift(m, k);
    double before = own_cost(m, k), least = INFINITY;
    for (int axis = 0; axis < 3 && !ovi_model_must_stop(m); axis++) {
        ovi_part two[2];
        halve(&m->members[k].part, axis, two);
        double cost = add_two(m, two, rough);
        take_two(m, two);
        if (cost < least) {
            least = cost;
            best[0] = two[0];
            best[1] = two[1];
        }
    }
    if (least < INFINITY) {
        least = add_two(m, best, better);
        take_two(m, best);
    }
    ovi_model_drop(m, k);
    return before - least;
}

/* ---- a breath in */

/** Error of each part: cells that it has outside of the solid, and those missing next to it. */
static void share_errors(ovi_model *m, double *share) {
    const ovi_field *f = m->field;
    float p[3][OVI_BLOCK], least[OVI_BLOCK];
    uint32_t nearest[OVI_BLOCK];
    size_t count = 0, cells = ovi_field_count(f);
    for (size_t k = 0; k < m->count; k++) {
        share[k] = 0.0;
    }
    for (size_t at = 0; at < cells; at++) {
        if (f->inside[at] != (m->cover[at] > 0)) {
            float point[3];
            ovi_model_point(m, (uint32_t)at, point);
            for (int a = 0; a < 3; a++) {
                p[a][count] = point[a];
            }
            count++;
        }
        if (count == OVI_BLOCK || at + 1 == cells) {
            find_nearest(m, SIZE_MAX, p[0], p[1], p[2], count, nearest, least);
            for (size_t i = 0; i < count; i++) {
                share[nearest[i]] += 1.0;
            }
            count = 0;
        }
    }
}

/** The part to halve; false if none gains. Gains once found are remembered. */
static bool find_halves(ovi_model *m, size_t *where, ovi_part best[2], double *gain) {
    double *share = malloc((m->count + 1) * sizeof *share);
    if (share == NULL) {
        m->out_of_memory = true;
        return false;
    }
    share_errors(m, share);
    *gain = 0.0;
    for (int tried = 0; tried < HALVED && !ovi_model_must_stop(m);) {
        size_t k = 0;
        for (size_t i = 1; i < m->count; i++) {
            k = share[i] > share[k] ? i : k;
        }
        // two parts can do no better than to have no error at all, and seldom halve it
        if (0.6 * share[k] <= *gain) {
            break;
        }
        share[k] = -1.0;
        ovi_part two[2];
        if (m->members[k].split_known && m->members[k].split_gain <= *gain) {
            continue;
        }
        tried++;
        m->members[k].split_gain = try_halves(m, k, two);
        m->members[k].split_known = true;
        if (m->members[k].split_gain > *gain) {
            *gain = m->members[k].split_gain;
            *where = k;
            best[0] = two[0];
            best[1] = two[1];
        }
    }
    free(share);
    return *gain > 0.0 && !m->out_of_memory;
}

/** Adds to each number of a line the numbers up to `reach` away from it. */
static void blur_line(float *line, size_t stride, int n, int reach, float *row) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        row[i] = line[(size_t)i * stride];
    }
    for (int i = -reach; i < n; i++) {
        sum += i + reach < n ? row[i + reach] : 0.0f;
        sum -= i - reach - 1 >= 0 ? row[i - reach - 1] : 0.0f;
        if (i >= 0) {
            line[(size_t)i * stride] = sum;
        }
    }
}

enum { SPOTS = 3, SPOT_REACH = 2 };

/** Of each cell: how many cells about it are missing. Null: no memory. */
static float *missing_density(const ovi_model *m) {
    const ovi_field *f = m->field;
    size_t nx = (size_t)f->n[0], ny = (size_t)f->n[1], nz = (size_t)f->n[2], cells = nx * ny * nz;
    float *density = malloc(cells * sizeof *density);
    float *row = malloc((nx + ny + nz) * sizeof *row);
    for (size_t i = 0; i < cells && density != NULL && row != NULL; i++) {
        density[i] = f->inside[i] && m->cover[i] == 0 ? 1.0f : 0.0f;
    }
    for (size_t i = 0; i < ny * nz && density != NULL && row != NULL; i++) {
        blur_line(density + i * nx, 1, f->n[0], SPOT_REACH, row);
    }
    for (size_t i = 0; i < nx * nz && density != NULL && row != NULL; i++) {
        blur_line(density + (i / nx) * nx * ny + i % nx, nx, f->n[1], SPOT_REACH, row);
    }
    for (size_t i = 0; i < nx * ny && density != NULL && row != NULL; i++) {
        blur_line(density + i, nx * ny, f->n[2], SPOT_REACH, row);
    }
    if (row == NULL) {
        free(density);
        density = NULL;
    }
    free(row);
    return density;
}

/** A part with the moments of what is missing about a cell; the density there becomes 0. */
static bool start_at(ovi_model *m, float *density, size_t cell, ovi_part *part) {
    const ovi_field *f = m->field;
    const int reach = 2 * SPOT_REACH;
    size_t row = cell / (size_t)f->n[0];
    int at[3] = {(int)(cell % (size_t)f->n[0]), (int)(row % (size_t)f->n[1]),
                 (int)(row / (size_t)f->n[1])};
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = at[a] > reach ? at[a] - reach : 0;
        hi[a] = at[a] + reach < f->n[a] ? at[a] + reach : f->n[a] - 1;
    }
    m->corner.count = 0;
    for (int k = lo[2]; k <= hi[2]; k++) {
        for (int j = lo[1]; j <= hi[1]; j++) {
            for (int i = lo[0]; i <= hi[0]; i++) {
                size_t n = ovi_field_index(f, i, j, k);
                float p[3];
                density[n] = 0.0f;
                ovi_model_point(m, (uint32_t)n, p);
                if (f->inside[n] && m->cover[n] == 0 &&
                    !ovi_samples_add(&m->corner, p[0], p[1], p[2])) {
                    return false;
                }
            }
        }
    }
    *part = ovi_search_moments(m);
    return true;
}

/** A part with the moments of the surface about a point that is far from all parts. */
static bool start_at_spot(ovi_model *m, size_t spot, ovi_part *part) {
    const ovi_samples *s = &m->field->surface, *o = &m->spots;
    float reach = (float)fmax(2.0 * SPOT_REACH * m->field->h, 2.0 * far_away);
    m->corner.count = 0;
    for (size_t i = 0; i < s->count; i++) {
        float x = s->x[i] - o->x[spot], y = s->y[i] - o->y[spot], z = s->z[i] - o->z[spot];
        if (x * x + y * y + z * z < reach * reach &&
            !ovi_samples_add(&m->corner, s->x[i], s->y[i], s->z[i])) {
            return false;
        }
    }
    *part = ovi_search_moments(m);
    return true;
}

/** What a new part gains when it has grown from here; the part. */
static double grow_from(ovi_model *m, double strays, ovi_part *part) {
    size_t last = m->count;
    if (!ovi_model_add(m, part)) {
        return 0.0;
    }
    for (int round = 0; round < 4 && refit(m, last, growing) > 0.0;) {
        round++;
    }
    ovi_model_lift(m, last);
    double gain = strays - stray_cost(m, SIZE_MAX, NULL) - own_cost(m, last);
    *part = m->members[last].part;
    ovi_model_remove(m, last);
    return gain;
}

/** The best part that grows in what is missing, or where parts are far; what it gains. */
static double grow_another(ovi_model *m, ovi_part *best) {
    float *density = missing_density(m);
    size_t farthest = SIZE_MAX;
    double best_gain = 0.0, strays = stray_cost(m, SIZE_MAX, &farthest);
    m->out_of_memory = m->out_of_memory || density == NULL;
    for (int spot = 0; spot <= SPOTS && !ovi_model_must_stop(m); spot++) {
        ovi_part part;
        bool good = true;
        if (spot == SPOTS && (strays <= 0.0 || farthest == SIZE_MAX)) {
            break;
        } else if (spot == SPOTS) {
            good = start_at_spot(m, farthest, &part);
        } else {
            size_t most = 0;
            for (size_t i = 0; i < ovi_field_count(m->field); i++) {
                most = density[i] > density[most] ? i : most;
            }
            good = start_at(m, density, most, &part);
        }
        m->out_of_memory = m->out_of_memory || !good;
        double gain = good ? grow_from(m, strays, &part) : 0.0;
        if (gain > best_gain) {
            best_gain = gain;
            *best = part;
        }
    }
    free(density);
    return best_gain;
}

/** One part more: the better of half a part and of one that grows where the most is missing. */
static bool add_one(ovi_model *m, double least) {
    double gain;
    size_t where = 0;
    ovi_part two[2], other = {.log_a = {0.0}};
    double grown = grow_another(m, &other);
    bool halves = find_halves(m, &where, two, &gain) && gain > grown;
    if (m->out_of_memory || fmax(grown, halves ? gain : 0.0) <= least) {
        return false;
    }
    if (halves) {
        ovi_model_lift(m, where);
        ovi_model_replace(m, where, &two[0]);
        ovi_model_rename(m, where);
        disturb(m, where, gain);
    }
    if (ovi_model_add(m, halves ? &two[1] : &other)) {
        disturb(m, m->count - 1, halves ? gain : grown);
    }
    return !m->out_of_memory;
}

/* ---- a breath out */

/** Parts that were changed in a trial, as they were. */
typedef struct trial {
    size_t index[NEIGHBOURS];
    ovi_part before[NEIGHBOURS];
    size_t count;
} trial;

/** Neighbours of a part, those that share the most cells with its box first. */
static size_t find_neighbours(const ovi_model *m, size_t k, size_t found[NEIGHBOURS]) {
    double lo[3], hi[3], most[NEIGHBOURS];
    size_t count = 0;
    ovi_part_box(&m->members[k].part, m->field->h, lo, hi);
    for (size_t i = 0; i < m->count; i++) {
        double l[3], u[3], volume = 1.0;
        ovi_part_box(&m->members[i].part, m->field->h, l, u);
        for (int a = 0; a < 3; a++) {
            volume *= fmax(0.0, fmin(u[a], hi[a]) - fmax(l[a], lo[a]));
        }
        if (i == k || volume <= 0.0) {
            continue;
        }
        size_t at = count < NEIGHBOURS ? count++ : NEIGHBOURS;
        for (; at > 0 && volume > most[at - 1]; at--) {
            if (at < NEIGHBOURS) {
                most[at] = most[at - 1];
                found[at] = found[at - 1];
            }
        }
        if (at < NEIGHBOURS) {
            most[at] = volume;
            found[at] = i;
        }
    }
    return count;
}

/** What the loss of part k costs once its neighbours are refitted. It is lifted and put out of the
 *  way, and they are changed. */
static double lose(ovi_model *m, size_t k, trial *t) {
    t->count = find_neighbours(m, k, t->index);
    ovi_model_lift(m, k);
    double loss = -own_cost(m, k) - stray_cost(m, SIZE_MAX, NULL) + stray_cost(m, k, NULL);
    m->members[k].part.centre = ov_vec3_make(100.0, 100.0, 100.0);
    for (size_t i = 0; i < t->count; i++) {
        t->before[i] = m->members[t->index[i]].part;
        loss -= refit(m, t->index[i], wide);
    }
    return loss;
}

/** The same, with what is then lost of thin features (may be null); the model stays as it is. */
static double try_loss(ovi_model *m, size_t k, thin_set *features) {
    trial t;
    ovi_part part = m->members[k].part;
    double loss = lose(m, k, &t);
    loss += features != NULL ? features->worth * (double)find_lost(m, features) : 0.0;
    for (size_t i = 0; i < t.count; i++) {
        ovi_model_lift(m, t.index[i]);
        ovi_model_replace(m, t.index[i], &t.before[i]);
    }
    m->members[k].part = part;
    ovi_model_drop(m, k);
    return loss;
}

/** What each part alone has, of cells and of thin features (may be null). */
static void find_uses(ovi_model *m, thin_set *features, double *use) {
    for (size_t k = 0; k < m->count; k++) {
        ovi_model_lift(m, k);
        use[k] = -own_cost(m, k);
        ovi_model_drop(m, k);
    }
    if (features == NULL) {
        return;
    }
    find_lost(m, features);
    for (size_t i = 0; i < features->at.count; i++) {
        use[features->holder[i]] += features->holders[i] == 1 ? features->worth : 0.0;
    }
}

/** The part whose loss costs the least, among the first `among`: of some that alone have the least.
 */
static size_t find_needless(ovi_model *m, size_t among, int candidates, thin_set *features) {
    double *use = malloc((m->count + 1) * sizeof *use), least = INFINITY;
    size_t best = 0;
    if (use == NULL) {
        m->out_of_memory = true;
        return 0;
    }
    find_uses(m, features, use);
    for (int turn = 0; turn < candidates && !ovi_model_must_stop(m); turn++) {
        size_t k = 0;
        for (size_t i = 1; i < among; i++) {
            k = use[i] < use[k] ? i : k;
        }
        if (use[k] == INFINITY) {
            break;
        }
        use[k] = INFINITY;
        double loss = try_loss(m, k, features);
        if (loss < least) {
            least = loss;
            best = k;
        }
    }
    free(use);
    return best;
}

static void remove_one(ovi_model *m, size_t among, int candidates, thin_set *features) {
    trial t;
    size_t k = find_needless(m, among, candidates, features);
    if (m->out_of_memory) {
        return;
    }
    double loss = lose(m, k, &t);
    for (size_t i = 0; i < t.count; i++) {
        m->members[t.index[i]].stale += fabs(loss) + least_gain(m);
        m->members[t.index[i]].split_known = false;
    }
    ovi_model_remove(m, k);
}

/* ---- sets of parts */

/** The best set so far. */
typedef struct best_set {
    ovi_member *members; // without points
    size_t count;
    double cost;
} best_set;

static bool keep(ovi_model *m, best_set *best) {
    ovi_member *grown = realloc(best->members, (m->count + 1) * sizeof *grown);
    if (grown == NULL) {
        m->out_of_memory = true;
        return false;
    }
    best->members = grown;
    best->count = m->count;
    best->cost = whole_cost(m);
    for (size_t i = 0; i < m->count; i++) {
        best->members[i] = (ovi_member){.part = m->members[i].part,
                                        .split_known = m->members[i].split_known,
                                        .split_gain = m->members[i].split_gain};
    }
    return true;
}

static void bring_back(ovi_model *m, const best_set *best) {
    while (m->count > 0) {
        take_out(m, m->count - 1);
    }
    for (size_t i = 0; i < best->count && !m->out_of_memory; i++) {
        ovi_model_add(m, &best->members[i].part);
        m->members[i].split_known = best->members[i].split_known;
        m->members[i].split_gain = best->members[i].split_gain;
    }
}

/* ---- keeping thin features */

/** By how much of itself the error may grow for thin features. */
static const double dearer = 0.05;

enum { RESCUES = 24, SPARED = 8 };

/** Fits part k once more, with points that draw it as much as so many cells would. */
static void refit_drawn(ovi_model *m, size_t k, effort how, const ovi_samples *feature,
                        double weight) {
    ovi_model_lift(m, k);
    ovi_part part = m->members[k].part;
    ov_shape shape;
    bool good = count_shell(m, &part, how.reach * m->field->h, how.samples);
    for (size_t i = 0; i < feature->count && good; i++) {
        good =
            ovi_task_count(&m->task, feature->x[i], feature->y[i], feature->z[i], (float)-weight);
    }
    good = good && fit_counted(m, how, &part);
    m->out_of_memory = m->out_of_memory || !good;
    if (good && ovi_part_is_finite(&part) && ovi_part_shape(&part, 1.0, &shape) == OV_OK) {
        ovi_model_replace(m, k, &part);
    } else {
        ovi_model_drop(m, k);
    }
}

static void draw(ovi_model *m, size_t k, const ovi_samples *feature, double weight) {
    refit_drawn(m, k, growing, feature, weight);
    refit_drawn(m, k, usual, feature, weight);
}

/** The part that most of a feature is nearest to. */
static size_t nearest_to(const ovi_model *m, const ovi_samples *feature) {
    float least[OVI_BLOCK];
    uint32_t nearest[OVI_BLOCK];
    size_t n = feature->count < OVI_BLOCK ? feature->count : OVI_BLOCK, best = 0, most = 0;
    find_nearest(m, SIZE_MAX, feature->x, feature->y, feature->z, n, nearest, least);
    for (size_t k = 0; k < m->count; k++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            count += nearest[i] == k;
        }
        best = count > most ? k : best;
        most = count > most ? count : most;
    }
    return best;
}

/** A part with the moments of a feature, and of the thin surface that is as near to it as this. */
static ovi_part start_about(ovi_model *m, const thin_set *t, const ovi_samples *feature,
                            double reach) {
    const ovi_samples *s = &t->at;
    m->corner.count = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool near = false;
        for (size_t j = 0; j < feature->count && !near; j++) {
            near = is_near(s, i, feature, j, reach);
        }
        m->out_of_memory =
            m->out_of_memory || (near && !ovi_samples_add(&m->corner, s->x[i], s->y[i], s->z[i]));
    }
    return ovi_search_moments(m);
}

/** Adds a part for a feature: the best of four that grew in different ways. */
static bool add_for(ovi_model *m, thin_set *t, const ovi_samples *feature) {
    ovi_part best = {.log_a = {0.0}};
    double least = INFINITY;
    size_t last = m->count;
    for (int way = 0; way < 4 && !ovi_model_must_stop(m); way++) {
        double reach = way < 2 ? 0.0 : 1.5 * linked_within * diagonal_of(m);
        ovi_part part = start_about(m, t, feature, reach);
        if (m->out_of_memory || !ovi_model_add(m, &part)) {
            return false;
        }
        draw(m, last, feature, way % 2 == 0 ? t->worth : 0.0);
        double cost = cost_with_lost(m, t);
        if (cost < least) {
            least = cost;
            best = m->members[last].part;
        }
        take_out(m, last);
    }
    return least < INFINITY && ovi_model_add(m, &best);
}

/** A part more for a feature; another goes, if there are too many. */
static void exchange_for(ovi_model *m, thin_set *t, const ovi_samples *feature, size_t parts) {
    if (!add_for(m, t, feature)) {
        return;
    }
    if (m->count > parts) {
        remove_one(m, m->count - 1, SPARED, t);
    }
    settle(m, usual, 1);
}

/** Keeps the feature in the cheaper of two ways, if that pays: the part that is nearest is drawn to
 *  it, or it gets a part of its own. */
static bool keep_feature(ovi_model *m, thin_set *t, const ovi_samples *feature, size_t parts,
                         double limit) {
    best_set before = {.count = 0}, better = {.count = 0};
    size_t lost = find_lost(m, t);
    double least = cost_with_lost(m, t);
    keep(m, &before);
    for (int way = 0; way < 2 && !ovi_model_must_stop(m); way++) {
        if (way == 0) {
            draw(m, nearest_to(m, feature), feature, t->worth);
        } else {
            exchange_for(m, t, feature, parts);
        }
        double cost = cost_with_lost(m, t);
        if (!ovi_model_must_stop(m) && m->count <= parts && cost < least &&
            find_lost(m, t) <= lost && ovi_model_cost(m) <= limit) {
            least = cost;
            keep(m, &better);
        }
        bring_back(m, &before);
    }
    bool kept = better.count > 0;
    if (kept) {
        bring_back(m, &better);
    }
    free(before.members);
    free(better.members);
    return kept;
}

/**
 * The least error leaves out what has few cells: half a tail, an ear, a foot. So when the search is
 * done each of these, the largest first, draws a part that is near, or gets one, and the part goes
 * that is the least missed: as long as the error grows by little, for what that keeps.
 */
static void keep_features(ovi_model *m, size_t parts) {
    thin_set t = {.at = {.count = 0}};
    ovi_samples feature = {.count = 0};
    bool progress = false, found = find_thin(m, &t);
    double limit = (1.0 + dearer) * ovi_model_cost(m);
    for (int round = 0; found && round < RESCUES && !ovi_model_must_stop(m); round++) {
        find_lost(m, &t);
        found = find_feature(m, &t, &feature);
        if (!found && progress) {
            // what did not pay may do so now
            memset(t.given_up, 0, t.at.count * sizeof *t.given_up);
            progress = false;
            found = find_feature(m, &t, &feature);
        }
        progress = (found && keep_feature(m, &t, &feature, parts, limit)) || progress;
    }
    ovi_samples_free(&feature);
    free_thin(&t);
}

/* ---- the search */

static void breathe(ovi_model *m, size_t parts, size_t depth) {
    while (m->count < parts + depth && !ovi_model_must_stop(m) && add_one(m, 0.0)) {
    }
    settle(m, usual, 3);
    while (m->count > parts && !ovi_model_must_stop(m)) {
        remove_one(m, m->count, CANDIDATES, NULL);
    }
    settle(m, usual, 3);
}

static void prepare(ovi_model *m) {
    m->cells_only = true;
    // what is thinner than a cell can stand out between the cells, unseen
    m->limits.least = 0.5 * m->field->h;
    m->spot_area = spread_spots(m, FAR_SPOTS, NULL, &m->spots) / (m->field->h * m->field->h);
}

void ovi_approximate_search(ovi_model *m, size_t parts, ovi_search_report report) {
    best_set best = {.count = 0};
    prepare(m);
    ovi_search_grow(m, parts, 0.75);
    if (m->out_of_memory) {
        return;
    }
    disturb_all(m);
    settle(m, usual, 3);
    report(m->user, 0.15);
    while (m->count < parts && !ovi_model_must_stop(m) && add_one(m, 0.0)) {
        settle(m, usual, 1);
    }
    settle(m, usual, 3);
    keep(m, &best);
    size_t depth = parts / 5 + 1;
    for (int round = 0, vain = 0; round < BREATHS && vain < IN_VAIN && !ovi_model_must_stop(m);
         round++) {
        report(m->user, 0.15 + 0.65 * round / BREATHS);
        breathe(m, parts, depth);
        if (m->count <= parts && whole_cost(m) < best.cost - 3.0 * least_gain(m)) {
            keep(m, &best);
            vain = 0;
        } else {
            bring_back(m, &best);
            vain++;
            // other samples, and another depth (Knuth's multiplier)
            m->random = m->random * 6364136223846793005u + 1442695040888963407u;
            depth = 1 + (size_t)(m->random >> 33) % (parts / 4 + 1);
        }
    }
    if (m->out_of_memory || (m->count > parts && best.count > 0)) {
        bring_back(m, &best);
    }
    free(best.members);
    keep_features(m, parts);
}

void ovi_approximate_polish(ovi_model *m) {
    prepare(m);
    if (m->out_of_memory) {
        return;
    }
    disturb_all(m);
    settle(m, usual, 2);
    disturb_all(m);
    settle(m, close, 3);
}
