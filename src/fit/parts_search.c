/**
 * @file parts_search.c
 * @brief Moves that make a set of parts better: growing, refitting, merging, splitting.
 *
 * Every move takes the parts that it changes out of the model, fits parts to what no other part
 * covers, counts only space that no other part takes, and keeps the result if the set costs less.
 */
#include <math.h>
#include <stdlib.h>

#include "parts_internal.h"

/** Most samples that a fit, and a quick one, count; and most that it holds. */
enum { COUNTED_QUICK = 700, DIRECTIONS = 160 };

static uint64_t next_random(ovi_model *m) {
    uint64_t z = (m->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool must_stop(ovi_model *m) { return ovi_model_must_stop(m); }

/* ---- samples for a fit */

/** Cells about the part that no other part covers and that count become m->near. */
static bool find_near(ovi_model *m, const ovi_part *part, double reach) {
    const ovi_field *f = m->field;
    bool counts[2] = {m->mode != OV_FIT_MODE_INSIDE, m->mode != OV_FIT_MODE_ENCLOSE};
    m->near.count = 0;
    for (ovi_row_walk w = ovi_rows_of(part, reach, f); ovi_rows_next(&w);) {
        size_t width = (size_t)(w.to - w.from) + 1, count = m->near.count;
        if (!ovi_list_reserve(&m->near, width)) {
            return false;
        }
        size_t first = ovi_field_index(f, w.from, w.j, w.k);
        for (size_t at = first; at < first + width; at++) {
            m->near.at[count] = (uint32_t)at;
            count += (size_t)(m->cover[at] == 0) & (size_t)counts[f->inside[at]];
        }
        m->near.count = count;
    }
    return true;
}

/** Counts about `room` of the cells near the part, which weigh as much as all. */
static bool gather_counted(ovi_model *m, const ovi_part *part, double reach) {
    if (!find_near(m, part, reach)) {
        return false;
    }
    // (cells inside count with their whole weight: there have to be more of them)
    double room = m->mode == OV_FIT_MODE_ENCLOSE ? m->room : 3.0 * m->room;
    double share = fmin(1.0, room / ((double)m->near.count + 1.0));
    m->task.work += (double)m->near.count;
    uint32_t limit = (uint32_t)(share * 4294967295.0);
    size_t kept = 0;
    for (size_t i = 0; i < m->near.count; i++) {
        // evenly over the list, in an order that no row of cells repeats
        m->near.at[kept] = m->near.at[i];
        kept += (uint32_t)i * 2654435761u <= limit;
    }
    for (size_t i = 0; i < kept; i++) {
        float p[3];
        uint32_t at = m->near.at[i];
        ovi_model_point(m, at, p);
        double weight = (m->field->inside[at] ? -m->weight : 1.0) / share;
        if (!ovi_task_count(&m->task, p[0], p[1], p[2], (float)weight)) {
            return false;
        }
    }
    return true;
}

/** Facets that no part covers count too where the weight is large. */
static bool gather_surface(ovi_model *m, const ovi_part *part, double reach) {
    size_t cells = ovi_field_count(m->field);
    double lo[3], hi[3];
    ovi_part_box(part, reach, lo, hi);
    bool counts = m->mode == OV_FIT_MODE_APPROXIMATE && m->weight > 1.0;
    for (size_t i = cells; i < m->point_count && counts; i++) {
        float p[3];
        if (m->cover[i] != 0) {
            continue;
        }
        ovi_model_point(m, (uint32_t)i, p);
        bool near = p[0] >= (float)lo[0] && p[0] <= (float)hi[0] && p[1] >= (float)lo[1] &&
                    p[1] <= (float)hi[1] && p[2] >= (float)lo[2] && p[2] <= (float)hi[2];
        if (near && !ovi_task_count(&m->task, p[0], p[1], p[2], (float)(-0.15 * m->weight))) {
            return false;
        }
    }
    return true;
}

static bool add_cell_corner(ovi_model *m, uint32_t index) {
    float p[3];
    ovi_model_point(m, index, p);
    return ovi_samples_add(&m->corner, p[0], p[1], p[2]);
}

/** Corners of a facet, each only once for the same m->look. */
static bool add_facet_corners(ovi_model *m, size_t facet) {
    const ovi_samples *s = &m->field->surface;
    for (int n = 0; n < 3; n++) {
        uint32_t at = m->field->facets[facet][n];
        if (m->seen[at] != m->look && !ovi_samples_add(&m->corner, s->x[at], s->y[at], s->z[at])) {
            return false;
        }
        m->seen[at] = m->look;
    }
    return true;
}

/** Of the points that a part has to hold, those that can be corners of their hull. */
static bool find_corners(ovi_model *m, const ovi_list *list) {
    size_t cells = ovi_field_count(m->field), width = (size_t)m->field->n[0];
    m->corner.count = 0;
    m->extreme_known = false;
    m->look++;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t at = list->at[i];
        // within a row of cells only the first and the last
        bool middle = at < cells && i > 0 && i + 1 < list->count && list->at[i + 1] < cells &&
                      list->at[i - 1] / width == at / width &&
                      list->at[i + 1] / width == at / width;
        if (at >= cells ? !add_facet_corners(m, at - cells) : !middle && !add_cell_corner(m, at)) {
            return false;
        }
    }
    return true;
}

enum { FAR_LANES = 16 };

/** The farthest sample in a direction: of the first largest in each of 16 lanes, the largest. */
OVI_INLINE size_t farthest_inner(const ovi_samples *restrict s, float x, float y, float z) {
    float most[FAR_LANES];
    int32_t at[FAR_LANES] = {0};
    for (int j = 0; j < FAR_LANES; j++) {
        most[j] = -INFINITY;
    }
    const float *restrict px = s->x, *restrict py = s->y, *restrict pz = s->z;
    size_t whole = s->count - s->count % FAR_LANES, best = 0;
    for (size_t i = 0; i < whole; i += FAR_LANES) {
        for (int j = 0; j < FAR_LANES; j++) {
            float v = x * px[i + (size_t)j] + y * py[i + (size_t)j] + z * pz[i + (size_t)j];
            at[j] = v > most[j] ? (int32_t)i : at[j];
            most[j] = v > most[j] ? v : most[j];
        }
    }
    float largest = -INFINITY;
    for (int j = 0; j < FAR_LANES && whole > 0; j++) {
        best = most[j] > largest ? (size_t)(at[j] + j) : best;
        largest = most[j] > largest ? most[j] : largest;
    }
    for (size_t i = whole; i < s->count; i++) {
        float v = x * px[i] + y * py[i] + z * pz[i];
        best = v > largest ? i : best;
        largest = v > largest ? v : largest;
    }
    return best;
}

OVI_DISPATCH(static, size_t, farthest, farthest_inner,
             (const ovi_samples *s, float x, float y, float z), (s, x, y, z))

/** Of m->corner, those that are the farthest in some direction become m->extreme. */
static bool find_extremes(ovi_model *m) {
    const ovi_samples *s = &m->corner;
    size_t last = SIZE_MAX;
    bool all = s->count <= DIRECTIONS;
    m->extreme.count = 0;
    m->extreme_known = true;
    for (size_t d = 0; d < (all ? s->count : DIRECTIONS); d++) {
        float z = 1.0f - 2.0f * ((float)d + 0.5f) / DIRECTIONS, r = sqrtf(1.0f - z * z);
        float turn = 2.39996323f * (float)d;
        size_t at = all ? d : farthest(s, r * cosf(turn), r * sinf(turn), z);
        if (at != last && !ovi_samples_add(&m->extreme, s->x[at], s->y[at], s->z[at])) {
            return false;
        }
        last = at;
    }
    return true;
}

/** The part shall hold m->extreme. */
static bool bound_extremes(ovi_model *m) {
    const ovi_samples *s = &m->extreme;
    if (!m->extreme_known && !find_extremes(m)) {
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (!ovi_samples_add(&m->task.bound, s->x[i], s->y[i], s->z[i])) {
            return false;
        }
    }
    return true;
}

/** Surface samples about the part: it shall hold none of them. */
static bool bound_surface(ovi_model *m, const ovi_part *part, double reach) {
    const ovi_samples *s = &m->field->surface;
    double lo[3], hi[3];
    ovi_part_box(part, reach, lo, hi);
    for (size_t i = 0; i < s->count; i++) {
        bool near = s->x[i] >= (float)lo[0] && s->x[i] <= (float)hi[0] && s->y[i] >= (float)lo[1] &&
                    s->y[i] <= (float)hi[1] && s->z[i] >= (float)lo[2] && s->z[i] <= (float)hi[2];
        if (near && !ovi_samples_add(&m->task.bound, s->x[i], s->y[i], s->z[i])) {
            return false;
        }
    }
    return true;
}

/* ---- one fit */

/** Fits the part, which begins near, to the required points (enclose) or to the space about it. */
static bool fit_part(ovi_model *m, double tau, int iterations, ovi_part *part) {
    double reach = 4.0 * m->field->h + 2.0 * tau, value;
    ovi_task *task = &m->task;
    ovi_task_clear(task);
    task->tau = tau;
    task->beta = 1.0 / tau;
    task->sense = OVI_BOUND_NONE;
    task->margin = 0.0;
    bool good = gather_counted(m, part, reach) && gather_surface(m, part, reach);
    if (m->mode == OV_FIT_MODE_ENCLOSE) {
        task->sense = OVI_BOUND_HOLD;
        good = good && bound_extremes(m);
    } else if (m->mode == OV_FIT_MODE_INSIDE) {
        task->sense = OVI_BOUND_AVOID;
        good = good && bound_surface(m, part, reach);
    }
    good = good && ovi_task_minimise(task, &m->limits, iterations, part, &value);
    if (good && task->sense == OVI_BOUND_HOLD) {
        ovi_part_rescale(part, OVI_BOUND_HOLD, &m->corner, 1e-6);
    }
    m->out_of_memory = m->out_of_memory || !good;
    return good;
}

/**
 * Less taper for a part that no shape can be made of: it has a dent. To find that out takes as long
 * as half a fit: only what is to stay is looked at, not what is tried.
 */
static void remove_dent(ovi_model *m, ovi_part *part) {
    ov_shape shape;
    double t[2] = {part->t[0], part->t[1]};
    if (!ovi_part_may_dent(part)) {
        return;
    }
    (void)ovi_part_shape(part, 1.0, &shape);
    if (m->mode == OV_FIT_MODE_ENCLOSE && (t[0] != part->t[0] || t[1] != part->t[1])) {
        ovi_part_rescale(part, OVI_BOUND_HOLD, &m->corner, 1e-6);
    }
}

/* ---- starts from the moments of points */

/** Turns the axes so that the covariance c becomes diagonal: Jacobi's rotations. */
static ov_quat principal_axes(double c[3][3]) {
    ov_quat q = ov_quat_identity();
    for (int sweep = 0; sweep < 8; sweep++) {
        for (int n = 0; n < 3; n++) {
            int i = n, j = (n + 1) % 3, k = (n + 2) % 3;
            // about axis k, from i to j
            double angle = 0.5 * atan2(2.0 * c[i][j], c[i][i] - c[j][j]);
            double cs = cos(angle), sn = sin(angle);
            double ii = c[i][i], jj = c[j][j], ij = c[i][j], ik = c[i][k], jk = c[j][k];
            c[i][i] = cs * cs * ii + 2.0 * cs * sn * ij + sn * sn * jj;
            c[j][j] = sn * sn * ii - 2.0 * cs * sn * ij + cs * cs * jj;
            c[i][j] = c[j][i] = 0.0;
            c[i][k] = c[k][i] = cs * ik + sn * jk;
            c[j][k] = c[k][j] = cs * jk - sn * ik;
            ov_vec3 axis = ov_vec3_make(k == 0, k == 1, k == 2);
            q = ov_quat_mul(q, ov_quat_from_axis_angle(axis, angle));
        }
    }
    return q;
}

/** Another of the three axes becomes z: 0 leaves them, 1 and 2 turn them round. */
static void turn_axes(ovi_part *p, int times) {
    const double third = 2.0943951023931953;
    for (int i = 0; i < times; i++) {
        p->rotation =
            ov_quat_mul(p->rotation, ov_quat_from_axis_angle(ov_vec3_make(1.0, 1.0, 1.0), third));
        double first = p->log_a[0];
        p->log_a[0] = p->log_a[1];
        p->log_a[1] = p->log_a[2];
        p->log_a[2] = first;
    }
}

/** An ellipsoid with the moments of m->corner. */
static ovi_part moment_part(const ovi_model *m) {
    const ovi_samples *s = &m->corner;
    double mean[3] = {0.0}, c[3][3] = {{0.0}}, n = fmax(1.0, (double)s->count);
    for (size_t i = 0; i < s->count; i++) {
        mean[0] += (double)s->x[i] / n;
        mean[1] += (double)s->y[i] / n;
        mean[2] += (double)s->z[i] / n;
    }
    for (size_t i = 0; i < s->count; i++) {
        double d[3] = {(double)s->x[i] - mean[0], (double)s->y[i] - mean[1],
                       (double)s->z[i] - mean[2]};
        for (int a = 0; a < 9; a++) {
            c[a / 3][a % 3] += d[a / 3] * d[a % 3] / n;
        }
    }
    bool square = m->limits.kind == OV_SHAPE_KIND_SUPERELLIPSOID ||
                  m->limits.kind == OV_SHAPE_KIND_SUPEROVOID;
    double e = square ? fmax(m->limits.e_min, fmin(m->limits.e_max, 0.6)) : 1.0;
    ovi_part p = {.centre = ov_vec3_make(mean[0], mean[1], mean[2]), .e = {e, e}};
    p.rotation = principal_axes(c);
    double largest = fmax(c[0][0], fmax(c[1][1], c[2][2]));
    for (int i = 0; i < 3; i++) {
        double least = 0.3 * m->field->h;
        p.log_a[i] = 0.5 * log(fmax(c[i][i], least * least)) + 0.5;
        p.log_a[i] = m->limits.kind == OV_SHAPE_KIND_SPHERE ? 0.5 * log(largest) : p.log_a[i];
    }
    return p;
}

/** The axis, of three, with the largest (least) semi-axis is made z. */
static void choose_z(ovi_part *p, bool longest) {
    int z = 0;
    for (int i = 1; i < 3; i++) {
        bool better = longest ? p->log_a[i] > p->log_a[z] : p->log_a[i] < p->log_a[z];
        z = better ? i : z;
    }
    turn_axes(p, (z + 1) % 3);
}

ovi_part ovi_search_moments(const ovi_model *m) {
    ovi_part p = moment_part(m);
    choose_z(&p, true);
    return p;
}

/** The best part that holds m->required, from several starts; its cost. */
static double fit_anew(ovi_model *m, int starts, int iterations, ovi_part *best) {
    double least = INFINITY, h = m->field->h;
    if (!find_corners(m, &m->required)) {
        m->out_of_memory = true;
    }
    for (int start = 0; start < starts && !m->out_of_memory; start++) {
        ovi_part p = moment_part(m);
        choose_z(&p, start == 0);
        ovi_part_rescale(&p, OVI_BOUND_HOLD, &m->corner, 0.0);
        fit_part(m, 1.2 * h, iterations, &p);
        fit_part(m, 0.6 * h, iterations, &p);
        double cost = ovi_model_part_cost(m, &p);
        if (cost < least) {
            least = cost;
            *best = p;
        }
    }
    return least;
}

/* ---- refitting */

/** What a lifted part alone covers of the targets; the cost of it. */
static double find_required(ovi_model *m, const ovi_list *points, ovi_list *required) {
    double cost = 0.0;
    required->count = 0;
    for (size_t i = 0; i < points->count; i++) {
        uint32_t at = points->at[i] & ~OVI_DEEP;
        cost += m->cover[at] == 0 ? ovi_model_change(m, at) : 0.0;
        bool alone = m->mode == OV_FIT_MODE_ENCLOSE ? m->deep[at] == 0 : m->cover[at] == 0;
        if (alone && ovi_model_is_target(m, at) && !ovi_list_add(required, at)) {
            m->out_of_memory = true;
            break;
        }
    }
    return cost;
}

/** Refits part k if that pays. */
static void refit(ovi_model *m, size_t k, double tau, int iterations) {
    ovi_model_lift(m, k);
    find_required(m, &m->members[k].points, &m->required);
    ovi_part part = m->members[k].part;
    double before = ovi_model_part_cost(m, &part);
    bool empty = m->mode == OV_FIT_MODE_ENCLOSE && m->required.count == 0;
    bool good = !empty && find_corners(m, &m->required) && fit_part(m, tau, iterations, &part);
    double after = good ? ovi_model_part_cost(m, &part) : INFINITY;
    if (after < before) {
        remove_dent(m, &part);
        after = ovi_model_part_cost(m, &part);
    }
    if (after < before) {
        ovi_model_replace(m, k, &part);
    } else {
        ovi_model_drop(m, k);
    }
}

/** Makes sure that a shape can be made of part k. */
static void straighten(ovi_model *m, size_t k) {
    ovi_part part = m->members[k].part;
    if (ovi_part_may_dent(&part)) {
        ovi_model_lift(m, k);
        find_required(m, &m->members[k].points, &m->required);
        m->out_of_memory = m->out_of_memory || !find_corners(m, &m->required);
        remove_dent(m, &part);
        ovi_model_replace(m, k, &part);
    }
}

/** Removes parts that hold no point alone, or whose loss is none (where holding is no duty). */
static void prune(ovi_model *m) {
    for (size_t k = m->count; k > 0 && m->count > 1; k--) {
        ovi_model_lift(m, k - 1);
        find_required(m, &m->members[k - 1].points, &m->required);
        bool encloses = m->mode == OV_FIT_MODE_ENCLOSE;
        if (encloses ? m->required.count == 0
                     : ovi_model_part_cost(m, &m->members[k - 1].part) >= 0.0) {
            ovi_model_remove(m, k - 1);
        } else {
            ovi_model_drop(m, k - 1);
        }
    }
}

double ovi_search_sweep(ovi_model *m, double tau, int iterations) {
    prune(m);
    double before = ovi_model_cost(m);
    uint32_t *order = malloc((m->count + 1) * sizeof *order);
    if (order == NULL) {
        m->out_of_memory = true;
        return 0.0;
    }
    for (size_t i = 0; i < m->count; i++) {
        size_t j = (size_t)(next_random(m) % (i + 1));
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
    for (size_t i = 0; i < m->count && !must_stop(m); i++) {
        refit(m, order[i], tau, iterations);
    }
    free(order);
    return before - ovi_model_cost(m);
}

/* ---- relaxing */

/** Copies of the model's parts, to come back to. Null: no memory. */
static ovi_part *save_parts(ovi_model *m) {
    ovi_part *saved = malloc((m->count + 1) * sizeof *saved);
    for (size_t k = 0; k < m->count && saved != NULL; k++) {
        saved[k] = m->members[k].part;
    }
    m->out_of_memory = m->out_of_memory || saved == NULL;
    return saved;
}

static void restore_parts(ovi_model *m, const ovi_part *saved, size_t count) {
    while (m->count > 0) {
        ovi_model_lift(m, m->count - 1);
        ovi_model_remove(m, m->count - 1);
    }
    for (size_t k = 0; k < count; k++) {
        ovi_model_add(m, &saved[k]);
    }
}

/* ---- growing */

/** Lowers `left`, the depth of what is not covered, by what the part covers. */
static void cut_depth(const ovi_model *m, const ovi_part *part, float *left) {
    const ovi_field *f = m->field;
    double lo[3], hi[3];
    ovi_part_box(part, 8.0 * f->h, lo, hi);
    ovi_part_constants p = ovi_part_prepare(part);
    for (int k = 0; k < f->n[2]; k++) {
        for (int j = 0; j < f->n[1]; j++) {
            double y, z;
            ovi_field_line(f, j, k, &y, &z);
            if (y < lo[1] || y > hi[1] || z < lo[2] || z > hi[2]) {
                continue;
            }
            for (int i = 0; i < f->n[0]; i++) {
                size_t at = ovi_field_index(f, i, j, k);
                float fx = ovi_field_x(f, i, at), fy = (float)y, fz = (float)z;
                if (left[at] <= 0.0f || fx < (float)lo[0] || fx > (float)hi[0]) {
                    continue;
                }
                float lg, rho;
                ovi_gauge_values(&p, &fx, &fy, &fz, 1, &lg, &rho);
                float d = rho * (1.0f - expf(-lg));
                left[at] = d < left[at] ? d : left[at];
            }
        }
    }
}

static ovi_part sphere_at(const ovi_model *m, size_t index, double radius) {
    float p[3];
    ovi_model_point(m, (uint32_t)index, p);
    ovi_part part = {.centre = ov_vec3_make((double)p[0], (double)p[1], (double)p[2]),
                     .rotation = ov_quat_identity(),
                     .e = {1.0, 1.0}};
    for (int i = 0; i < 3; i++) {
        part.log_a[i] = log(radius);
    }
    return part;
}

/** Lets a part grow where it is: fits in larger and larger surroundings while that pays. */
static void grow_part(ovi_model *m, ovi_part *part) {
    double value = INFINITY, h = m->field->h;
    for (int round = 0; round < 8; round++) {
        ovi_part next = *part;
        if (!fit_part(m, round < 5 ? h : 0.6 * h, 20, &next)) {
            return;
        }
        double now = ovi_model_part_cost(m, &next);
        if (!(now < value - 0.01 * fabs(value)) && round > 1) {
            break;
        }
        value = now;
        *part = next;
        if (round == 0) {
            // the taper goes along the longest axis, as seen so far
            part->e[0] = part->e[1] = 1.0;
            part->t[0] = part->t[1] = 0.0;
            choose_z(part, true);
        }
    }
}

void ovi_search_mode(ovi_model *m, ov_fit_mode mode, double weight) {
    m->mode = mode;
    m->weight = weight;
    for (size_t k = 0; k < m->count; k++) {
        ovi_model_lift(m, k);
        ovi_part part = m->members[k].part;
        ovi_model_replace(m, k, &part);
    }
}

bool ovi_search_grow(ovi_model *m, size_t most, double least) {
    const ovi_field *f = m->field;
    size_t cells = ovi_field_count(f);
    float *left = malloc(cells * sizeof *left);
    if (left == NULL) {
        m->out_of_memory = true;
        return false;
    }
    memcpy(left, f->depth, cells * sizeof *left);
    for (size_t k = 0; k < m->count; k++) {
        cut_depth(m, &m->members[k].part, left);
    }
    ov_fit_mode mode = m->mode;
    // the first answer is not cut short: no parts would be none (parts that enclose have another)
    size_t uncut = mode == OV_FIT_MODE_ENCLOSE ? 0 : OVI_FIRST_PARTS;
    // (a part that shall not stand out grows so from the start: it would not come back)
    ovi_search_mode(m, mode == OV_FIT_MODE_INSIDE ? mode : OV_FIT_MODE_APPROXIMATE, 1.0);
    while (m->count < most && (m->count < uncut || !must_stop(m))) {
        size_t deepest = 0;
        for (size_t i = 0; i < cells; i++) {
            deepest = left[i] > left[deepest] ? i : deepest;
        }
        if (left[deepest] < (float)(least * f->h) && (m->count > 0 || left[deepest] <= 0.0f)) {
            break;
        }
        ovi_part part = sphere_at(m, deepest, fmax((double)left[deepest], 0.5 * f->h));
        grow_part(m, &part);
        remove_dent(m, &part);
        cut_depth(m, &part, left);
        left[deepest] = 0.0f; // whatever came of it
        double cost = ovi_model_part_cost(m, &part);
        if ((cost < -8.0 || m->count == 0) && !ovi_model_add(m, &part)) {
            break;
        }
    }
    free(left);
    ovi_search_mode(m, mode, 1.0);
    return !m->out_of_memory;
}

/* ---- covering what is not covered */

/** A point that no part covers: the nearest part, and how far it is. */
typedef struct stray {
    uint32_t index, nearest;
    float distance;
} stray;

/** Distances of the strays to part k, where it is the nearest so far. */
static void measure_strays(const ovi_model *m, size_t k, stray *strays, size_t count) {
    ovi_part_constants c = ovi_part_prepare(&m->members[k].part);
    for (size_t at = 0; at < count; at += OVI_BLOCK) {
        float x[OVI_BLOCK], y[OVI_BLOCK], z[OVI_BLOCK], lg[OVI_BLOCK], rho[OVI_BLOCK];
        size_t n = count - at < OVI_BLOCK ? count - at : OVI_BLOCK;
        for (size_t i = 0; i < n; i++) {
            float p[3];
            ovi_model_point(m, strays[at + i].index, p);
            x[i] = p[0];
            y[i] = p[1];
            z[i] = p[2];
        }
        ovi_gauge_values(&c, x, y, z, n, lg, rho);
        for (size_t i = 0; i < n; i++) {
            float d = rho[i] * (1.0f - expf(-lg[i]));
            stray *s = &strays[at + i];
            if (d < s->distance) {
                s->distance = d;
                s->nearest = (uint32_t)k;
            }
        }
    }
}

/** All points that no part covers. Null: no memory. */
static stray *find_strays(ovi_model *m, size_t *count) {
    stray *strays = malloc((m->point_count + 1) * sizeof *strays);
    *count = 0;
    if (strays == NULL) {
        m->out_of_memory = true;
        return NULL;
    }
    for (uint32_t i = 0; i < m->point_count; i++) {
        if (ovi_model_is_target(m, i) && m->cover[i] == 0) {
            strays[(*count)++] = (stray){.index = i, .nearest = 0, .distance = INFINITY};
        }
    }
    for (size_t k = 0; k < m->count; k++) {
        measure_strays(m, k, strays, *count);
    }
    return strays;
}

/** Lists of the points that no part covers by the part that is the nearest. */
static bool share_out(ovi_model *m, ovi_list *lists) {
    size_t count;
    stray *strays = find_strays(m, &count);
    bool good = strays != NULL;
    for (size_t i = 0; i < count && good; i++) {
        good = ovi_list_add(&lists[strays[i].nearest], strays[i].index);
    }
    free(strays);
    return good;
}

/** The cell of a point. */
static size_t cell_of(const ovi_model *m, uint32_t index) {
    const ovi_field *f = m->field;
    float p[3];
    int at[3];
    ovi_model_point(m, index, p);
    for (int a = 0; a < 3; a++) {
        double cell = floor(((double)p[a] - f->origin[a]) / f->h);
        at[a] = (int)fmax(0.0, fmin((double)f->n[a] - 1.0, cell));
    }
    return ovi_field_index(f, at[0], at[1], at[2]);
}

/** Marks the connected piece of marked cells about `seed` with `name`; cells count at corners too.
 */
static bool flood(const ovi_field *f, uint32_t *marks, size_t seed, uint32_t name,
                  ovi_list *stack) {
    stack->count = 0;
    marks[seed] = name;
    bool good = ovi_list_add(stack, (uint32_t)seed);
    while (stack->count > 0 && good) {
        size_t at = stack->at[--stack->count], row = at / (size_t)f->n[0];
        int c[3] = {(int)(at % (size_t)f->n[0]), (int)(row % (size_t)f->n[1]),
                    (int)(row / (size_t)f->n[1])};
        for (int n = 0; n < 27 && good; n++) {
            int i = c[0] + n % 3 - 1, j = c[1] + n / 3 % 3 - 1, k = c[2] + n / 9 - 1;
            if (i < 0 || j < 0 || k < 0 || i >= f->n[0] || j >= f->n[1] || k >= f->n[2]) {
                continue;
            }
            size_t next = ovi_field_index(f, i, j, k);
            if (marks[next] == 1) {
                marks[next] = name;
                good = ovi_list_add(stack, (uint32_t)next);
            }
        }
    }
    return good;
}

/** Points on either side of a plane across `axis`: so far between their least and largest. */
static bool cut_points(const ovi_model *m, const ovi_list *points, ov_vec3 axis, double share,
                       ovi_list half[2]) {
    double lo = INFINITY, hi = -INFINITY;
    half[0].count = half[1].count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < points->count; i++) {
            float p[3];
            ovi_model_point(m, points->at[i], p);
            double at = ov_vec3_dot(axis, ov_vec3_make((double)p[0], (double)p[1], (double)p[2]));
            if (pass == 1) {
                if (!ovi_list_add(&half[at > lo + share * (hi - lo)], points->at[i])) {
                    return false;
                }
            } else {
                lo = fmin(lo, at);
                hi = fmax(hi, at);
            }
        }
    }
    return true;
}

/**
 * Parts for a set of points: one, or two for the halves across its longest axis if it would cost
 * more than `worth`, and so on.
 */
static bool add_parts(ovi_model *m, const ovi_list *points, double worth, int depth) {
    ovi_list half[2] = {{0}, {0}};
    ovi_part part;
    find_required(m, points, &m->required);
    if (m->required.count < 4 || m->out_of_memory) {
        return !m->out_of_memory;
    }
    double cost = fit_anew(m, 2, 30, &part);
    if (!(cost < INFINITY)) {
        return false;
    }
    if (depth == 0 || cost <= worth) {
        remove_dent(m, &part);
        return ovi_model_add(m, &part);
    }
    part = moment_part(m);
    choose_z(&part, true);
    ov_mat3 r = ov_mat3_from_quat(part.rotation);
    bool good = cut_points(m, points, r.cz, 0.5, half) &&
                add_parts(m, &half[0], worth, depth - 1) &&
                add_parts(m, &half[1], worth, depth - 1);
    ovi_list_free(&half[0]);
    ovi_list_free(&half[1]);
    return good;
}

/** Parts for the strays with this mark, if they are more than a few. */
static bool add_cluster(ovi_model *m, const stray *strays, size_t count, const uint32_t *marks,
                        uint32_t name) {
    ovi_list points = {0};
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        if (marks[cell_of(m, strays[i].index)] == name) {
            good = ovi_list_add(&points, strays[i].index);
        }
    }
    good = good && add_parts(m, &points, 0.004 * (double)m->field->inside_count + 10.0, 5);
    ovi_list_free(&points);
    return good;
}

bool ovi_search_one(ovi_model *m) {
    m->required.count = 0;
    for (uint32_t i = 0; i < m->point_count && !m->out_of_memory; i++) {
        if (ovi_model_is_target(m, i) || m->field->inside_count == 0) {
            m->out_of_memory = !ovi_list_add(&m->required, i);
        }
    }
    if (m->out_of_memory || !find_corners(m, &m->required)) {
        m->out_of_memory = true;
        return false;
    }
    ovi_part part = moment_part(m);
    choose_z(&part, true);
    ovi_part_rescale(&part, OVI_BOUND_HOLD, &m->corner, 1e-6);
    return ovi_model_add(m, &part);
}

bool ovi_search_clusters(ovi_model *m, double far) {
    size_t count, cells = ovi_field_count(m->field);
    stray *strays = find_strays(m, &count);
    uint32_t *marks = calloc(cells, sizeof *marks), name = 1;
    ovi_list stack = {0};
    bool good = strays != NULL && marks != NULL;
    for (size_t i = 0; i < count && good; i++) {
        if ((double)strays[i].distance > far) {
            marks[cell_of(m, strays[i].index)] = 1;
        }
    }
    for (size_t i = 0; i < count && good && !must_stop(m); i++) {
        size_t cell = cell_of(m, strays[i].index);
        if (marks[cell] == 1) {
            good = flood(m->field, marks, cell, ++name, &stack) &&
                   add_cluster(m, strays, count, marks, name);
        }
    }
    free(strays);
    free(marks);
    ovi_list_free(&stack);
    m->out_of_memory = m->out_of_memory || !good;
    return good;
}

/** Both lists ascend; so does what becomes of them. */
static bool unite(const ovi_list *a, const ovi_list *b, ovi_list *out) {
    size_t i = 0, j = 0;
    out->count = 0;
    while (i < a->count || j < b->count) {
        bool first =
            j == b->count || (i < a->count && (a->at[i] & ~OVI_DEEP) <= (b->at[j] & ~OVI_DEEP));
        uint32_t at = (first ? a->at[i] : b->at[j]) & ~OVI_DEEP;
        i += i < a->count && (a->at[i] & ~OVI_DEEP) == at;
        j += j < b->count && (b->at[j] & ~OVI_DEEP) == at;
        if (!ovi_list_add(out, at)) {
            return false;
        }
    }
    return true;
}

bool ovi_search_cover(ovi_model *m, bool may_add) {
    size_t count = m->count;
    ovi_list *lists = calloc(count + 1, sizeof *lists), own = {0};
    double worth = 0.002 * (double)m->field->inside_count + 5.0;
    bool good = lists != NULL && share_out(m, lists);
    for (size_t k = 0; k < count && good; k++) {
        if (lists[k].count == 0) {
            continue;
        }
        ovi_part part = m->members[k].part;
        ovi_model_lift(m, k);
        find_required(m, &m->members[k].points, &own);
        good = unite(&own, &lists[k], &m->required) && find_corners(m, &m->required);
        ovi_part_rescale(&part, OVI_BOUND_HOLD, &m->corner, 1e-6);
        if (good && !must_stop(m)) {
            good = fit_part(m, m->field->h, 40, &part) && fit_part(m, 0.5 * m->field->h, 40, &part);
        }
        remove_dent(m, &part);
        double grown = ovi_model_part_cost(m, &part);
        double before = ovi_model_part_cost(m, &m->members[k].part);
        if (good && may_add && grown - before > worth && !must_stop(m)) {
            // it would have to grow too much: what it does not hold gets parts of its own
            ovi_model_drop(m, k);
            good = add_parts(m, &lists[k], worth, 3);
        } else {
            good = ovi_model_replace(m, k, &part) && good;
        }
    }
    for (size_t k = 0; k < count && lists != NULL; k++) {
        ovi_list_free(&lists[k]);
    }
    free(lists);
    ovi_list_free(&own);
    m->out_of_memory = m->out_of_memory || !good;
    return good;
}

/* ---- merging */

/** A factor about 1 by which what a move would bring is misjudged on purpose. */
static double shaken(const ovi_model *m, uint32_t name) {
    double at = (double)ovi_scatter(name * 2654435761u + m->shake_number);
    return m->shake > 0.0 ? exp(m->shake * (2.0 * at - 1.0)) : 1.0;
}

/** A quick fit to m->required, with few samples: about what a better one would cost. */
static double guess_anew(ovi_model *m) {
    if (!find_corners(m, &m->required)) {
        m->out_of_memory = true;
        return INFINITY;
    }
    ovi_part part = moment_part(m);
    choose_z(&part, true);
    ovi_part_rescale(&part, OVI_BOUND_HOLD, &m->corner, 0.0);
    double room = m->room;
    m->room = COUNTED_QUICK;
    fit_part(m, m->field->h, 25, &part);
    m->room = room;
    return 0.8 * ovi_model_part_cost(m, &part);
}

/** What one part instead of i and j would cost more; the part. Both stay in the model. Without
 *  starts: a guess, mostly too low. */
static double merge_cost(ovi_model *m, size_t i, size_t j, int starts, ovi_part *part) {
    ovi_list both = {0};
    ovi_model_lift(m, i);
    ovi_model_lift(m, j);
    double gain = INFINITY;
    if (unite(&m->members[i].points, &m->members[j].points, &both)) {
        double before = find_required(m, &both, &m->required);
        gain = (starts > 0 ? fit_anew(m, starts, 30, part) : guess_anew(m)) - before;
    } else {
        m->out_of_memory = true;
    }
    ovi_list_free(&both);
    ovi_model_drop(m, j);
    ovi_model_drop(m, i);
    return gain;
}

/** What is known of the merge of two parts; null: nothing. */
static ovi_merge *known_merge(ovi_model *m, size_t i, size_t j) {
    ovi_member *member = &m->members[i];
    for (size_t n = 0; n < member->merge_count; n++) {
        if (member->merges[n].other == m->members[j].name) {
            return &member->merges[n];
        }
    }
    return NULL;
}

static void note_merge(ovi_model *m, size_t i, size_t j, double cost, bool fitted) {
    ovi_member *member = &m->members[i];
    ovi_merge *known = known_merge(m, i, j);
    if (known != NULL) {
        known->cost = cost;
        known->fitted = fitted;
        return;
    }
    if (member->merge_count == member->merge_capacity) {
        size_t capacity = 2 * member->merge_capacity + 16;
        ovi_merge *grown = realloc(member->merges, capacity * sizeof *grown);
        if (grown == NULL) {
            m->out_of_memory = true;
            return;
        }
        member->merges = grown;
        member->merge_capacity = capacity;
    }
    member->merges[member->merge_count++] =
        (ovi_merge){.other = m->members[j].name, .cost = cost, .fitted = fitted};
}

/** How far a part reaches along n, about: as the ellipsoid with its axes does. */
static double reach_along(const ovi_part *p, ov_vec3 n) {
    ov_mat3 r = ov_mat3_from_quat(p->rotation);
    return ov_vec3_length(ov_vec3_make(exp(p->log_a[0]) * ov_vec3_dot(r.cx, n),
                                       exp(p->log_a[1]) * ov_vec3_dot(r.cy, n),
                                       exp(p->log_a[2]) * ov_vec3_dot(r.cz, n)));
}

/** Are two parts so near each other that one may take the place of both? */
static bool may_merge(const ovi_model *m, size_t i, size_t j) {
    const ovi_part *a = &m->members[i].part, *b = &m->members[j].part;
    ov_vec3 d = ov_vec3_sub(b->centre, a->centre);
    double apart = ov_vec3_length(d);
    ov_vec3 n = ov_vec3_scale(d, 1.0 / (apart + 1e-30));
    // (bodies reach further than ellipsoids where they are square)
    return apart <= 1.2 * (reach_along(a, n) + reach_along(b, n)) && ovi_model_boxes_meet(m, i, j);
}

/** The cheapest merge of two parts, as far as known or guessed, without `not`; null: none. */
static const ovi_merge *best_merge(ovi_model *m, size_t not_a, size_t *at_i, size_t *at_j) {
    const ovi_merge *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < m->count; i++) {
        for (size_t j = i + 1; j < m->count && !must_stop(m); j++) {
            if (i == not_a || j == not_a || !may_merge(m, i, j)) {
                continue;
            }
            ovi_part part;
            ovi_merge *known = known_merge(m, i, j);
            if (known == NULL) {
                note_merge(m, i, j, merge_cost(m, i, j, 0, &part), false);
                known = known_merge(m, i, j);
            }
            if (known == NULL) {
                continue;
            }
            double cost = known->cost * shaken(m, m->members[i].name ^ (known->other << 16));
            if (cost < least) {
                least = cost;
                *at_i = i;
                *at_j = j;
            }
        }
    }
    best = least < INFINITY ? known_merge(m, *at_i, *at_j) : NULL;
    return best;
}

/** Finds the cheapest merge as things are now; false if there is none, or no time. */
static bool find_merge(ovi_model *m, size_t not_a, size_t *i, size_t *j, ovi_part *part,
                       double *cost) {
    for (int checks = 0; checks < 20;) {
        const ovi_merge *best = best_merge(m, not_a, i, j);
        if (best == NULL || m->stopped) {
            return false;
        }
        // guesses are replaced by fits as they come up; of fits, neighbours may have changed since
        double known = best->cost;
        bool fitted = best->fitted;
        *cost = merge_cost(m, *i, *j, fitted ? 2 : 1, part);
        note_merge(m, *i, *j, *cost, true);
        if (fitted && *cost <= known + 0.1 * fabs(known) + 1.0) {
            return true;
        }
        checks += fitted;
    }
    return *cost < INFINITY; // or there is no part
}

/** Pair i, j becomes one part in the place of i; the last part moves to j. */
static void merge_pair(ovi_model *m, size_t i, size_t j, const ovi_part *part) {
    ovi_model_lift(m, i);
    ovi_model_lift(m, j);
    ovi_model_replace(m, i, part);
    ovi_model_rename(m, i);
    ovi_model_remove(m, j);
    refit(m, i, 0.6 * m->field->h, 30);
    straighten(m, i);
}

bool ovi_search_merge(ovi_model *m, size_t count, double worth) {
    while (m->count > count && m->count > 1 && !must_stop(m)) {
        size_t i = 0, j = 0;
        ovi_part part;
        double cost;
        if (!find_merge(m, SIZE_MAX, &i, &j, &part, &cost) || cost > worth) {
            break;
        }
        merge_pair(m, i, j, &part);
    }
    return !m->out_of_memory;
}

/** Volume of a part, up to a factor that is about the same for all. */
static double rough_size(const ovi_part *p) { return p->log_a[0] + p->log_a[1] + p->log_a[2]; }

static size_t smallest_part(const ovi_model *m) {
    size_t least = 0;
    for (size_t i = 1; i < m->count; i++) {
        if (rough_size(&m->members[i].part) < rough_size(&m->members[least].part)) {
            least = i;
        }
    }
    return least;
}

static size_t nearest_part(const ovi_model *m, size_t i) {
    double least = INFINITY;
    size_t nearest = i;
    for (size_t j = 0; j < m->count; j++) {
        ov_vec3 d = ov_vec3_sub(m->members[j].part.centre, m->members[i].part.centre);
        if (j != i && ov_vec3_dot(d, d) < least) {
            least = ov_vec3_dot(d, d);
            nearest = j;
        }
    }
    return nearest;
}

bool ovi_search_reduce(ovi_model *m, size_t count) {
    bool (*stop)(void *user) = m->stop;
    m->stop = NULL;
    m->stopped = false;
    while (m->count > count && m->count > 1 && !m->out_of_memory) {
        size_t i = smallest_part(m), j = nearest_part(m, i);
        ovi_part part;
        if (m->mode != OV_FIT_MODE_ENCLOSE) {
            ovi_model_lift(m, i);
            ovi_model_remove(m, i);
        } else if (merge_cost(m, i, j, 1, &part) < INFINITY) {
            merge_pair(m, i < j ? i : j, i < j ? j : i, &part);
        } else {
            break;
        }
    }
    m->stop = stop;
    return !m->out_of_memory;
}

/* ---- splitting */

/** Fits two parts to two sets of points that no part of the model covers; what they cost. */
static double fit_two(ovi_model *m, const ovi_list half[2], ovi_part two[2]) {
    double cost = 0.0;
    size_t added = 0;
    for (int side = 0; side < 2; side++) {
        find_required(m, &half[side], &m->required);
        cost += m->required.count > 0 ? fit_anew(m, 1, 30, &two[side]) : INFINITY;
        if (m->out_of_memory || cost == INFINITY || !ovi_model_add(m, &two[side])) {
            cost = INFINITY;
            break;
        }
        added++;
    }
    for (; added > 0; added--) {
        ovi_model_lift(m, m->count - 1);
        ovi_model_remove(m, m->count - 1);
    }
    return cost;
}

/** A plane that points may be cut by; about how much the halves would fill. */
typedef struct cut {
    int axis;
    double share, volume;
} cut;

/** Volume of the ellipsoid with the moments of the points that holds them. */
static double rough_volume(ovi_model *m, const ovi_list *points) {
    if (points->count == 0 || !find_corners(m, points)) {
        return INFINITY;
    }
    ovi_part p = moment_part(m);
    choose_z(&p, true);
    ovi_part_rescale(&p, OVI_BOUND_HOLD, &m->corner, 0.0);
    return exp(p.log_a[0] + p.log_a[1] + p.log_a[2]);
}

enum { CUTS = 9, CUTS_TRIED = 3 };

/** Cuts across the axes, those that leave the least volume first. */
static void rank_cuts(ovi_model *m, const ovi_list *own, const ov_vec3 axes[3], ovi_list half[2],
                      cut cuts[CUTS]) {
    for (int n = 0; n < CUTS; n++) {
        cut c = {.axis = n / 3, .share = 0.3 + 0.2 * (n % 3), .volume = INFINITY};
        if (cut_points(m, own, axes[c.axis], c.share, half)) {
            c.volume = rough_volume(m, &half[0]) + rough_volume(m, &half[1]);
        } else {
            m->out_of_memory = true;
        }
        int at = n;
        for (; at > 0 && cuts[at - 1].volume > c.volume; at--) {
            cuts[at] = cuts[at - 1];
        }
        cuts[at] = c;
    }
}

/** The best two parts for part k by cuts across its axes; by how much they cost less. */
static double split_gain(ovi_model *m, size_t k, ovi_part two[2]) {
    ovi_list own = {0}, half[2] = {{0}, {0}};
    double best = -INFINITY;
    ov_mat3 r = ov_mat3_from_quat(m->members[k].part.rotation);
    ov_vec3 axes[3] = {r.cx, r.cy, r.cz};
    cut cuts[CUTS];
    ovi_model_lift(m, k);
    double before = find_required(m, &m->members[k].points, &own);
    rank_cuts(m, &own, axes, half, cuts);
    for (int n = 0; n < CUTS_TRIED && !must_stop(m); n++) {
        ovi_part parts[2];
        bool good = cut_points(m, &own, axes[cuts[n].axis], cuts[n].share, half);
        m->out_of_memory = m->out_of_memory || !good;
        double cost = fit_two(m, half, parts);
        if (before - cost > best) {
            best = before - cost;
            two[0] = parts[0];
            two[1] = parts[1];
        }
    }
    ovi_model_drop(m, k);
    ovi_list_free(&own);
    ovi_list_free(&half[0]);
    ovi_list_free(&half[1]);
    return best;
}

/** Finds the split with the most to gain, as things are now; false if there is none, or no time. */
static bool find_split(ovi_model *m, size_t *where, ovi_part two[2], double *gain) {
    for (int trial = 0; trial < 20; trial++) {
        double known = -INFINITY, most = -INFINITY;
        for (size_t k = 0; k < m->count && !must_stop(m); k++) {
            if (!m->members[k].split_known) {
                // trying a split adds a part, and the members may move
                double found = split_gain(m, k, two);
                m->members[k].split_gain = found;
                m->members[k].split_known = true;
            }
            double seen = m->members[k].split_gain * shaken(m, m->members[k].name);
            if (seen > most) {
                most = seen;
                known = m->members[k].split_gain;
                *where = k;
            }
        }
        if (known == -INFINITY || m->stopped) {
            return false;
        }
        *gain = split_gain(m, *where, two);
        m->members[*where].split_gain = *gain;
        if (*gain >= known - 0.1 * fabs(known) - 1.0) {
            return true;
        }
    }
    return true;
}

static void split_part(ovi_model *m, size_t k, const ovi_part two[2]) {
    ovi_model_lift(m, k);
    ovi_model_replace(m, k, &two[0]);
    ovi_model_rename(m, k);
    if (ovi_model_add(m, &two[1])) {
        refit(m, k, 0.6 * m->field->h, 30);
        refit(m, m->count - 1, 0.6 * m->field->h, 30);
        straighten(m, k);
        straighten(m, m->count - 1);
    }
}

bool ovi_search_split(ovi_model *m, size_t count, double worth) {
    double gain;
    size_t where;
    ovi_part two[2];
    while (m->count < count && find_split(m, &where, two, &gain) && gain > worth) {
        split_part(m, where, two);
    }
    return !m->out_of_memory;
}

bool ovi_search_exchange(ovi_model *m, int rounds) {
    for (int round = 0; round < rounds && !must_stop(m); round++) {
        size_t where, i, j;
        ovi_part two[2], one;
        double gain, cost;
        if (!find_split(m, &where, two, &gain) || !find_merge(m, where, &i, &j, &one, &cost) ||
            !(gain > cost)) {
            break;
        }
        split_part(m, where, two);
        merge_pair(m, i, j, &one);
    }
    return !m->out_of_memory;
}

/* ---- changes that are kept if they are better */

/** Parts that enclose, to go back to. */
typedef struct attempt {
    ovi_part *saved;
    size_t count;
    double cost;
} attempt;

/** False in another mode, and without memory: nothing is to be tried. */
static bool begin_attempt(ovi_model *m, attempt *a) {
    *a = (attempt){.count = m->count, .cost = ovi_model_cost(m)};
    a->saved = m->mode == OV_FIT_MODE_ENCLOSE ? save_parts(m) : NULL;
    return a->saved != NULL;
}

/** Keeps the parts as they are now if that is better. */
static bool end_attempt(ovi_model *m, attempt *a) {
    bool better =
        ovi_model_uncovered(m) == 0 && m->count <= a->count && ovi_model_cost(m) < a->cost;
    if (!better) {
        restore_parts(m, a->saved, a->count);
    }
    free(a->saved);
    return better;
}

/* ---- breathing */

/** Splits as many parts as this share of them, and merges as many others: not quite those that
 *  promise most, so that another time others come up. Keeps what comes of it if that is better. */
static bool breathe(ovi_model *m, double share) {
    double h = m->field->h;
    size_t count = m->count, more = (size_t)fmax(2.0, share * (double)count);
    attempt a;
    if (!begin_attempt(m, &a)) {
        return false;
    }
    // other splits and merges than the last time
    m->shake_number = (uint32_t)next_random(m);
    m->shake = 0.8;
    ovi_search_split(m, count + more < OV_FIT_PARTS_MAX ? count + more : OV_FIT_PARTS_MAX, 0.0);
    ovi_search_sweep(m, 0.5 * h, 30);
    ovi_search_merge(m, count, INFINITY);
    m->shake = 0.0;
    ovi_search_sweep(m, 0.5 * h, 30);
    ovi_search_sweep(m, 0.5 * h, 30);
    for (int i = 0; i < 3 && ovi_model_uncovered(m) > 0; i++) {
        ovi_search_cover(m, false);
    }
    return end_attempt(m, &a);
}

/* ---- relaxing */

/** Lets the parts leave out a little, less and less, and then nothing again. */
static void relax_parts(ovi_model *m, double weight) {
    double h = m->field->h;
    for (; weight < 15.0 && !must_stop(m); weight *= 2.0) {
        ovi_search_mode(m, OV_FIT_MODE_APPROXIMATE, weight);
        ovi_search_sweep(m, 0.6 * h, 30);
    }
    ovi_search_mode(m, OV_FIT_MODE_ENCLOSE, 1.0);
    for (int i = 0; i < 6 && ovi_model_uncovered(m) > 0; i++) {
        ovi_search_cover(m, false);
    }
    ovi_search_sweep(m, 0.5 * h, 30);
    ovi_search_sweep(m, 0.5 * h, 30);
}

bool ovi_search_relax(ovi_model *m, double weight, double share) {
    attempt a;
    if (!begin_attempt(m, &a)) {
        return false;
    }
    relax_parts(m, weight);
    ovi_search_split(m, a.count, 0.0);
    ovi_search_sweep(m, 0.5 * m->field->h, 30);
    ovi_search_sweep(m, 0.5 * m->field->h, 30);
    bool better = end_attempt(m, &a);
    return (share > 0.0 && breathe(m, share)) || better;
}
