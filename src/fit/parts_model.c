/**
 * @file parts_model.c
 * @brief A set of parts over a field: which points each part holds, and what the set costs.
 */
#include <math.h>
#include <stdlib.h>

#include "parts_internal.h"

/* ---- lists */

bool ovi_list_reserve(ovi_list *list, size_t more) {
    if (list->count + more > list->capacity) {
        size_t capacity = 2 * list->capacity + 256 + more;
        uint32_t *grown = realloc(list->at, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->at = grown;
        list->capacity = capacity;
    }
    return true;
}

bool ovi_list_add(ovi_list *list, uint32_t index) {
    if (!ovi_list_reserve(list, 1)) {
        return false;
    }
    list->at[list->count++] = index;
    return true;
}

void ovi_list_free(ovi_list *list) {
    free(list->at);
    *list = (ovi_list){0};
}

/* ---- points */

ov_status ovi_model_make(const ovi_field *field, ov_fit_mode mode, const ovi_part_limits *limits,
                         ovi_model *model) {
    *model = (ovi_model){.field = field, .mode = mode, .limits = *limits};
    model->margin = 0.5 * field->h;
    model->weight = 1.0;
    // a tenth of the longest side costs as much as a tenth of the mesh
    model->task.box_weight = 10.0 * (1.0 + (double)field->inside_count);
    for (int a = 0; a < 3; a++) {
        double border = (OVI_FIELD_BORDER - 1) * field->h;
        model->task.box_lo[a] = field->origin[a] + border;
        model->task.box_hi[a] = field->origin[a] + field->h * field->n[a] - border;
    }
    model->room = OVI_COUNTED_MAX;
    model->point_count = ovi_field_count(field) + field->facet_count;
    model->held = calloc(field->surface.count + 1, sizeof *model->held);
    model->seen = calloc(field->surface.count + 1, sizeof *model->seen);
    model->cover = calloc(model->point_count, sizeof *model->cover);
    model->deep = calloc(model->point_count, sizeof *model->deep);
    bool made =
        model->cover != NULL && model->deep != NULL && model->held != NULL && model->seen != NULL;
    return made ? OV_OK : OV_ERROR_MEMORY;
}

void ovi_model_free(ovi_model *model) {
    for (size_t i = 0; i < model->count; i++) {
        ovi_list_free(&model->members[i].points);
        free(model->members[i].merges);
    }
    free(model->members);
    free(model->cover);
    free(model->deep);
    free(model->held);
    free(model->seen);
    ovi_samples_free(&model->spots);
    ovi_task_free(&model->task);
    ovi_list_free(&model->near);
    ovi_list_free(&model->required);
    ovi_samples_free(&model->corner);
    ovi_samples_free(&model->extreme);
    *model = (ovi_model){0};
}

void ovi_model_point(const ovi_model *m, uint32_t index, float p[3]) {
    const ovi_field *f = m->field;
    size_t cells = ovi_field_count(f);
    if (index >= cells) {
        const ovi_samples *s = &f->surface;
        const uint32_t *c = f->facets[index - cells];
        p[0] = (s->x[c[0]] + s->x[c[1]] + s->x[c[2]]) / 3.0f;
        p[1] = (s->y[c[0]] + s->y[c[1]] + s->y[c[2]]) / 3.0f;
        p[2] = (s->z[c[0]] + s->z[c[1]] + s->z[c[2]]) / 3.0f;
        return;
    }
    size_t row = index / (size_t)f->n[0];
    size_t at[3] = {index % (size_t)f->n[0], row % (size_t)f->n[1], row / (size_t)f->n[1]};
    double y, z;
    ovi_field_line(f, (int)at[1], (int)at[2], &y, &z);
    p[0] = ovi_field_x(f, (int)at[0], index);
    p[1] = (float)y;
    p[2] = (float)z;
}

/* ---- which points a part holds */

/** A block of points on its way through the gauge. */
typedef struct point_block {
    float x[OVI_BLOCK], y[OVI_BLOCK], z[OVI_BLOCK];
    uint32_t index[OVI_BLOCK];
    size_t count;
} point_block;

/** Of each point: 1 if it is in the part, 3 if it is deeper in it than the margin. */
OVI_INLINE void sides_inner(const float *restrict lg, const float *restrict rho, size_t count,
                            float margin, uint8_t *restrict sides) {
    for (size_t i = 0; i < count; i++) {
        float d = rho[i] * (1.0f - ovi_fast_exp(-lg[i]));
        int in = lg[i] < 0.0f, deep = d < -margin;
        sides[i] = (uint8_t)(in + 2 * (in & deep));
    }
}

OVI_DISPATCH_WIDE(static, void, tell_sides, sides_inner,
                  (const float *lg, const float *rho, size_t count, float margin, uint8_t *sides),
                  (lg, rho, count, margin, sides))

static bool flush_points(const ovi_model *m, const ovi_part_constants *p, point_block *b,
                         ovi_list *list) {
    float lg[OVI_BLOCK], rho[OVI_BLOCK];
    uint8_t sides[OVI_BLOCK];
    ovi_gauge_values(p, b->x, b->y, b->z, b->count, lg, rho);
    // (one place more: what is not kept is written behind what is)
    if (!ovi_list_reserve(list, b->count + 1)) {
        return false;
    }
    tell_sides(lg, rho, b->count, (float)m->margin, sides);
    size_t count = list->count;
    for (size_t i = 0; i < b->count; i++) {
        list->at[count] = b->index[i] + (sides[i] > 1 ? OVI_DEEP : 0);
        count += sides[i] > 0;
    }
    list->count = count;
    b->count = 0;
    return true;
}

/** Cells of a row that may matter to the cost: those that no part covers and that are on a side
 *  that counts. */
static bool push_uncovered(const ovi_model *m, const ovi_part_constants *p, point_block *b,
                           const ovi_row_walk *w, const bool counts[2], ovi_list *list) {
    const ovi_field *f = m->field;
    double y, z;
    ovi_field_line(f, w->j, w->k, &y, &z);
    size_t row = ovi_field_index(f, 0, w->j, w->k);
    int from = w->from, to = w->to;
    while (from <= to) {
        float x[OVI_BLOCK];
        int room = (int)(OVI_BLOCK - b->count), n = to - from + 1 < room ? to - from + 1 : room;
        size_t first = row + (size_t)from, count = b->count;
        ovi_field_xs(f, from, first, (size_t)n, x);
        for (int i = 0; i < n; i++) {
            size_t at = first + (size_t)i;
            b->x[count] = x[i];
            b->y[count] = (float)y;
            b->z[count] = (float)z;
            b->index[count] = (uint32_t)at;
            count += (size_t)(m->cover[at] == 0) & (size_t)counts[f->inside[at]];
        }
        b->count = count;
        from += n;
        if (b->count == OVI_BLOCK && !flush_points(m, p, b, list)) {
            return false;
        }
    }
    return true;
}

/** Which samples of the surface a block of them has in the part. */
static void flush_samples(const ovi_model *m, const ovi_part_constants *p, point_block *b) {
    float lg[OVI_BLOCK], rho[OVI_BLOCK];
    ovi_gauge_values(p, b->x, b->y, b->z, b->count, lg, rho);
    for (size_t i = 0; i < b->count; i++) {
        m->held[b->index[i]] = lg[i] < 0.0f;
    }
    b->count = 0;
}

/** Cells of a row, from one to the other. */
static bool push_row(const ovi_model *m, const ovi_part_constants *p, point_block *b,
                     const ovi_row_walk *w, ovi_list *list) {
    const ovi_field *f = m->field;
    double y, z;
    ovi_field_line(f, w->j, w->k, &y, &z);
    size_t row = ovi_field_index(f, 0, w->j, w->k);
    int from = w->from, to = w->to;
    while (from <= to) {
        int room = (int)(OVI_BLOCK - b->count), n = to - from + 1 < room ? to - from + 1 : room;
        size_t first = row + (size_t)from;
        ovi_field_xs(f, from, first, (size_t)n, b->x + b->count);
        for (int i = 0; i < n; i++) {
            size_t at = b->count + (size_t)i;
            b->y[at] = (float)y;
            b->z[at] = (float)z;
            b->index[at] = (uint32_t)(first + (size_t)i);
        }
        b->count += (size_t)n;
        from += n;
        if (b->count == OVI_BLOCK && !flush_points(m, p, b, list)) {
            return false;
        }
    }
    return true;
}

/** Facets whose three corners are in the part. */
static bool find_facets(const ovi_model *m, const ovi_part_constants *p, const double lo[3],
                        const double hi[3], ovi_list *list) {
    const ovi_samples *s = &m->field->surface;
    size_t cells = ovi_field_count(m->field);
    point_block block = {.count = 0};
    bool good = true;
    for (size_t i = 0; i < s->count; i++) {
        float at[3] = {s->x[i], s->y[i], s->z[i]};
        bool near = at[0] >= (float)lo[0] && at[0] <= (float)hi[0] && at[1] >= (float)lo[1] &&
                    at[1] <= (float)hi[1] && at[2] >= (float)lo[2] && at[2] <= (float)hi[2];
        m->held[i] = 0;
        block.x[block.count] = at[0];
        block.y[block.count] = at[1];
        block.z[block.count] = at[2];
        block.index[block.count] = (uint32_t)i;
        block.count += near;
        if (block.count == OVI_BLOCK) {
            flush_samples(m, p, &block);
        }
    }
    flush_samples(m, p, &block);
    for (size_t i = 0; i < m->field->facet_count && good; i++) {
        const uint32_t *c = m->field->facets[i];
        if (m->held[c[0]] & m->held[c[1]] & m->held[c[2]]) {
            good = ovi_list_add(list, (uint32_t)(cells + i) + OVI_DEEP);
        }
    }
    return good;
}

/** How far a part reaches beyond the field; 0 where it does not. */
static double overshoot_of(const ovi_field *f, const ovi_part *part) {
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double centre[3] = {part->centre.x, part->centre.y, part->centre.z};
    ovi_part copy = *part;
    ov_shape shape;
    double most = 0.0;
    if (ovi_part_shape(&copy, 1.0, &shape) < OV_OK) {
        return 0.0;
    }
    for (int a = 0; a < 6; a++) {
        double sign = a < 3 ? 1.0 : -1.0, end = f->origin[a % 3] + (a < 3 ? f->h * f->n[a] : 0.0);
        ov_vec3 n = ov_vec3_scale(axes[a % 3], sign);
        ov_support s;
        if (ov_shape_support(&shape, ov_quat_rotate(ov_quat_conjugate(part->rotation), n), &s) ==
            OV_OK) {
            most = fmax(most, s.value + sign * (centre[a % 3] - end));
        }
    }
    return most;
}

/**
 * What of a part is beyond the field: its volume less the cells that were counted, in cells, and
 * how far it reaches. Without it a thin plate through the mesh could grow there at no cost.
 */
static ovi_beyond find_beyond(const ovi_field *f, const ovi_part *part, size_t counted) {
    ovi_beyond beyond = {.reach = overshoot_of(f, part)};
    ovi_part copy = *part;
    ov_shape shape;
    ov_mass mass;
    if (beyond.reach > 0.0 && ovi_part_shape(&copy, 1.0, &shape) >= OV_OK &&
        ov_shape_mass(&shape, 1.0, &mass) >= OV_OK) {
        beyond.cells = fmax(0.0, mass.volume / (f->h * f->h * f->h) - (double)counted);
    }
    return beyond;
}

/** Do facets of the surface count? They are part of thin things that have no cell inside. */
static bool facets_cost(const ovi_model *m) {
    return m->mode == OV_FIT_MODE_APPROXIMATE && m->weight > 1.0 && !m->cells_only;
}

/** What is asked about the points in a part. */
typedef enum points_asked {
    POINTS_CELLS,    /**< cells */
    POINTS_ALL,      /**< cells and facets */
    POINTS_THAT_COST /**< those in no part of the model that count, and facets if they do */
} points_asked;

/** Is the box within the field? */
static bool is_within(const ovi_field *f, const double lo[3], const double hi[3]) {
    bool within = true;
    for (int a = 0; a < 3; a++) {
        within = within && lo[a] >= f->origin[a] && hi[a] <= f->origin[a] + f->h * f->n[a];
    }
    return within;
}

/** Lists the points in a part, and tells how much of it is beyond the field. */
static bool find_points(const ovi_model *m, const ovi_part *part, points_asked asked,
                        ovi_list *list, ovi_beyond *beyond) {
    const ovi_field *f = m->field;
    double lo[3], hi[3];
    ovi_part_box(part, 0.0, lo, hi);
    ovi_part_constants p = ovi_part_prepare(part);
    point_block block = {.count = 0};
    list->count = 0;
    // (how much is beyond the field is told by how many cells there are in it)
    bool within = is_within(f, lo, hi), some = asked == POINTS_THAT_COST && within, good = true;
    // (parts that enclose have to hold what is inside, which costs nothing)
    const bool counts[2] = {true, m->mode != OV_FIT_MODE_ENCLOSE};
    for (ovi_row_walk w = ovi_rows_of(part, 0.0, f); good && ovi_rows_next(&w);) {
        good = some ? push_uncovered(m, &p, &block, &w, counts, list)
                    : push_row(m, &p, &block, &w, list);
    }
    good = good && flush_points(m, &p, &block, list);
    *beyond = within ? (ovi_beyond){0.0, 0.0} : find_beyond(f, part, list->count);
    bool facets = asked == POINTS_ALL || (asked == POINTS_THAT_COST && facets_cost(m));
    return good && (!facets || find_facets(m, &p, lo, hi, list));
}

/* ---- changes */

void ovi_model_lift(ovi_model *m, size_t k) {
    const ovi_list *list = &m->members[k].points;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t at = list->at[i] & ~OVI_DEEP;
        m->cover[at]--;
        m->deep[at] = (uint8_t)(m->deep[at] - (list->at[i] >= OVI_DEEP));
    }
}

void ovi_model_drop(ovi_model *m, size_t k) {
    const ovi_list *list = &m->members[k].points;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t at = list->at[i] & ~OVI_DEEP;
        m->cover[at]++;
        m->deep[at] = (uint8_t)(m->deep[at] + (list->at[i] >= OVI_DEEP));
    }
}

bool ovi_model_replace(ovi_model *m, size_t k, const ovi_part *part) {
    m->members[k].part = *part;
    bool good = find_points(m, part, m->cells_only ? POINTS_CELLS : POINTS_ALL,
                            &m->members[k].points, &m->members[k].beyond);
    if (!good) {
        m->members[k].points.count = 0;
        m->out_of_memory = true;
    }
    m->task.work += (double)m->members[k].points.count;
    ovi_model_drop(m, k);
    return good;
}

void ovi_model_rename(ovi_model *m, size_t k) {
    ovi_member *member = &m->members[k];
    member->name = ++m->names;
    member->split_known = false;
    member->merge_count = 0;
}

bool ovi_model_add(ovi_model *m, const ovi_part *part) {
    if (m->count == m->capacity) {
        size_t capacity = 2 * m->capacity + 16;
        ovi_member *grown = realloc(m->members, capacity * sizeof *grown);
        if (grown == NULL) {
            m->out_of_memory = true;
            return false;
        }
        m->members = grown;
        m->capacity = capacity;
    }
    m->members[m->count] = (ovi_member){.part = *part};
    ovi_model_rename(m, m->count);
    m->count++;
    return ovi_model_replace(m, m->count - 1, part);
}

void ovi_model_remove(ovi_model *m, size_t k) {
    ovi_list_free(&m->members[k].points);
    free(m->members[k].merges);
    m->members[k] = m->members[--m->count];
}

/* ---- costs */

double ovi_model_excess(const ovi_model *m, size_t cell) {
    // a spike has little volume, however far it stands out
    double away = -(double)m->field->depth[cell] / m->field->h;
    return m->cells_only ? 1.0 + 0.5 * fmax(0.0, away - 2.0) : 1.0;
}

/** A point's share in the cost if it is in no part, or what it adds if it is. */
static double cost_of(const ovi_model *m, uint32_t index, bool covered) {
    size_t cells = ovi_field_count(m->field);
    if (index >= cells) {
        return facets_cost(m) && !covered ? 0.15 * m->weight : 0.0;
    }
    bool inside = m->field->inside[index];
    if (m->mode == OV_FIT_MODE_ENCLOSE) {
        return !inside && covered ? 1.0 : 0.0;
    }
    if (m->mode == OV_FIT_MODE_INSIDE) {
        // what stands out must not pay, or no part would ever be refitted to stand out less
        return inside != covered ? (inside ? 1.0 : 20.0) : 0.0;
    }
    return inside && !covered ? m->weight : !inside && covered ? ovi_model_excess(m, index) : 0.0;
}

double ovi_model_change(const ovi_model *m, uint32_t index) {
    return cost_of(m, index, true) - cost_of(m, index, false);
}

double ovi_model_part_cost(ovi_model *m, const ovi_part *part) {
    ovi_list list = {0};
    ovi_beyond beyond = {0.0, 0.0};
    if (!ovi_part_is_finite(part)) {
        return INFINITY;
    }
    if (!find_points(m, part, POINTS_THAT_COST, &list, &beyond)) {
        m->out_of_memory = true;
    }
    m->task.work += (double)list.count;
    double cost = beyond.cells;
    for (size_t i = 0; i < list.count; i++) {
        uint32_t at = list.at[i] & ~OVI_DEEP;
        cost += m->cover[at] == 0 ? ovi_model_change(m, at) : 0.0;
    }
    ovi_list_free(&list);
    return cost;
}

double ovi_model_cost(const ovi_model *m) {
    double cost = 0.0;
    for (uint32_t i = 0; i < m->point_count; i++) {
        cost += cost_of(m, i, m->cover[i] > 0);
    }
    for (size_t k = 0; k < m->count; k++) {
        cost += m->members[k].beyond.cells;
    }
    return cost;
}

size_t ovi_model_uncovered(const ovi_model *m) {
    size_t count = 0;
    for (uint32_t i = 0; i < m->point_count; i++) {
        count += ovi_model_is_target(m, i) && m->cover[i] == 0;
    }
    return count;
}

bool ovi_model_boxes_meet(const ovi_model *m, size_t i, size_t j) {
    double lo[2][3], hi[2][3];
    ovi_part_box(&m->members[i].part, m->field->h, lo[0], hi[0]);
    ovi_part_box(&m->members[j].part, m->field->h, lo[1], hi[1]);
    for (int a = 0; a < 3; a++) {
        if (lo[0][a] > hi[1][a] || lo[1][a] > hi[0][a]) {
            return false;
        }
    }
    return true;
}

bool ovi_model_must_stop(ovi_model *m) {
    m->stopped = m->stopped || m->out_of_memory || (m->stop != NULL && m->stop(m->user));
    return m->stopped;
}
