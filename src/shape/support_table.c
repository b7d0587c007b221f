/**
 * @file support_table.c
 * @brief The vertices of a polyhedron, sorted by the directions in which they can be the farthest.
 *
 * Directions are divided into the cells of a cube map. Each cell lists the vertices that can be the
 * farthest in one of its directions, so that a support looks at one short list:
 *
 *     1. With coordinates in units of the body's extents, v'_i = v_i/D_i, and m_i = D_i d_i, values
 *        stay what they are, d.v = m.v'. So needles and plates spread over the cells as balls do.
 *        The units are powers of two, and nothing is rounded.
 *     2. A cell is (1, s, t) for s0 <= s <= s1, t0 <= t <= t1, up to a permutation and signs. Its
 *        directions are means of the four corners, so a vertex whose value at every corner is less
 *        than that of one other vertex is less everywhere in the cell: it is left out.
 *     3. Such others are the farthest vertices at the corners and at the middles of the edges.
 *     4. Cells are divided into four, and a cell's list comes from that of the one it was part of.
 *
 * The margin in step 2 covers the rounding of the values, there and in a query, and that of the
 * cell's number. So what is left out never is the answer of a scan of all vertices, nor a part of a
 * tie: nothing is assumed of the body, neither convexity nor edges, and the support is as exact as
 * the scan.
 *
 * Time and memory. A cell's list is looked at once per level, and the lists of a level hold each
 * vertex a few times, so n log n. Where many vertices are equally far (a prism's caps, a cluster of
 * points closer than rounding) lists do not become shorter; ENTRIES_MAX ends the division there.
 */
#include <stddef.h>
#include <string.h>

#include "../math/lanes.h"
#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "shape_internal.h"

/** So many entries of lists for each vertex, and no more. */
enum { ENTRIES_MAX = 24 };
/** Up to so many vertices there is one list; beyond, so many vertices for each cell at least. */
enum { SINGLE_MAX = 24, VERTICES_PER_CELL = 1 };
enum { SIDE_MAX = 1 << 10 };

/** Four vertices; in the last one of a list some may be there twice. */
typedef struct block {
    double x[4], y[4], z[4];
} block;

OVI_INLINE size_t in_blocks(size_t count) { return (count + 3) / 4; }

typedef struct cell {
    uint32_t first, count; /**< of its blocks; entries in all of them */
} cell;

struct ov_support_table {
    ov_allocator allocator;
    ov_vec3 unit;           /**< from a direction to one of the cells: D */
    double half_side, last; /**< side/2 and side - 1 */
    uint32_t side;          /**< cells along each side of the cube's faces; 0: one cell for all */
    size_t cell_count, block_count;
    cell *cells;
    block *blocks;
    uint32_t (*numbers)[4]; /**< of the vertices in the blocks, from 1 */
};

/* ---- lookup */

OVI_INLINE ovi_v4 load(const double *v) {
    ovi_v4 out;
    memcpy(&out, v, sizeof out);
    return out;
}

OVI_INLINE ovi_v4 values_of(const block *b, const ov_vec3 *d) {
    return load(b->x) * d->x + load(b->y) * d->y + load(b->z) * d->z;
}

/** Number of a cell along one side, whose direction is s. */
OVI_INLINE uint32_t column(const ov_support_table *t, double s) {
    double at = (s + 1.0) * t->half_side;
    return (uint32_t)(int32_t)(at < t->last ? at : t->last); // not a number: the last one
}

OVI_INLINE uint32_t cell_of(const ov_support_table *t, const ov_vec3 *d) {
    if (t->side == 0) {
        return 0;
    }
    double mx = d->x * t->unit.x, my = d->y * t->unit.y, mz = d->z * t->unit.z;
    double x = fabs(mx), y = fabs(my), z = fabs(mz);
    const double m[5] = {mx, my, mz, mx, my};
    // without branches, as all six faces are equally likely
    unsigned second = y > x, third = z > (y > x ? y : x);
    unsigned axis = (second & ~third) | third << 1;
    double inverse = 1.0 / fabs(m[axis]);
    uint32_t i = column(t, m[axis + 1] * inverse), j = column(t, m[axis + 2] * inverse);
    return ((2 * axis + (m[axis] < 0.0)) * t->side + i) * t->side + j;
}

/** Mean of all entries of a list that have the largest value. */
OVI_INLINE uint32_t mean_inline(const ov_support_table *t, const cell *c, const ov_vec3 *d,
                                double value, ov_support *out) {
    ovi_mean mean = {.count = 0.0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < c->count; i += 4) {
        const block *b = &t->blocks[c->first + i / 4];
        ovi_v4 values = values_of(b, d);
        for (uint32_t k = 0; k < 4 && i + k < c->count; k++) {
            if (values[k] == value) {
                ov_vec3 vertex = {b->x[k], b->y[k], b->z[k]};
                if (number == 0) {
                    mean = ovi_mean_start(vertex);
                } else {
                    ovi_mean_add(&mean, vertex);
                }
                number = t->numbers[c->first + i / 4][k];
            }
        }
    }
    *out = (ov_support){value, ovi_mean_of(&mean)};
    return mean.count > 1.0 ? number | OVI_TIED : number;
}

OVI_DISPATCH(static, uint32_t, mean_of_ties, mean_inline,
             (const ov_support_table *t, const cell *c, const ov_vec3 *d, double value,
              ov_support *out),
             (t, c, d, value, out))

/** Lanes 2, 3, 0, 1; and 1, 0, 3, 2. */
OVI_INLINE ovi_v4 swap_halves(ovi_v4 a) { return __builtin_shufflevector(a, a, 2, 3, 0, 1); }
OVI_INLINE ovi_v4 swap_pairs(ovi_v4 a) { return __builtin_shufflevector(a, a, 1, 0, 3, 2); }

OVI_INLINE ovi_v4 larger(ovi_v4 a, ovi_v4 b) { return ovi_v4_select(a > b, a, b); }

/** One entry in the upper half of a number, whose lower half has its place in the list. */
#define ONE ((int64_t)1 << 32)

OVI_INLINE uint32_t find(const ov_support_table *t, const ov_vec3 *d, ov_support *out) {
    const cell *c = &t->cells[cell_of(t, d)];
    const block *b = &t->blocks[c->first];
    ovi_v4 best = values_of(b, d);
    ovi_i4 place = {0, 1, 2, 3}, where = place, tie = {0, 0, 0, 0};
    const block *end = b + in_blocks(c->count);
    for (const block *next = b + 1; next < end; next++) {
        ovi_v4 value = values_of(next, d);
        ovi_i4 higher = value > best;
        place += 4;
        tie = (tie & ~higher) | (value == best);
        best = ovi_v4_select(higher, value, best);
        where = (higher & place) | (~higher & where);
    }
    ovi_v4 top = larger(best, swap_halves(best));
    top = larger(top, swap_pairs(top));
    // the lanes with the largest value, each with its place, and one more where it was there before
    ovi_i4 found = (best == top) & (where + ONE + (tie & ONE));
    int64_t sum = found[0] + found[1] + found[2] + found[3];
    if (sum >= 2 * ONE) {
        return mean_of_ties(t, c, d, top[0], out);
    }
    uint32_t at = (uint32_t)(sum - ONE), lane = at % 4;
    b += at / 4;
    *out = (ov_support){top[0], {b->x[lane], b->y[lane], b->z[lane]}};
    return t->numbers[c->first + at / 4][lane];
}

OVI_DISPATCH(, uint32_t, ovi_support_table_find, find,
             (const ov_support_table *table, const ov_vec3 *direction, ov_support *out),
             (table, direction, out))

/* ---- lists of vertices by cells */

typedef struct list {
    size_t first;
    uint32_t count;
} list;

/** The cells of one level. */
typedef struct level {
    uint32_t side;
    list *lists; /**< of each cell */
    size_t room; /**< of entries */
    size_t used;
    uint32_t *entries; /**< indices of vertices */
} level;

typedef struct builder {
    const ov_allocator *allocator;
    const ov_vec3 *vertices;
    size_t count;
    ov_vec3 unit, inverse; /**< D and 1/D */
    double margin;         /**< of values, in the units */
} builder;

static size_t cells_of(uint32_t side) { return side == 0 ? 1 : (size_t)6 * side * side; }

static void release_level(const builder *b, level *l) {
    ovi_release(b->allocator, l->lists, cells_of(l->side), sizeof *l->lists);
    ovi_release(b->allocator, l->entries, l->room, sizeof *l->entries);
    l->lists = NULL;
    l->entries = NULL;
}

/** Of the cell's direction (1, s, t), a vertex' value is c0 + s c1 + t c2. */
typedef struct view {
    double c[3];
} view;

OVI_INLINE view view_of(const builder *b, unsigned face, uint32_t vertex) {
    ov_vec3 v = b->vertices[vertex];
    double x = v.x * b->inverse.x, y = v.y * b->inverse.y, z = v.z * b->inverse.z;
    double c0 = face < 2 ? x : face < 4 ? y : z;
    return (view){{face % 2 == 0 ? c0 : -c0,
                   face < 2   ? y
                   : face < 4 ? z
                              : x,
                   face < 2   ? z
                   : face < 4 ? x
                              : y}};
}

/** A cell's directions are (1, s, t) with s and t each between the first and the last. */
typedef struct range {
    unsigned face;
    double s[3], t[3];
} range;

static range range_of(uint32_t side, size_t cell_index) {
    size_t i = cell_index / side % side, j = cell_index % side;
    range r = {.face = (unsigned)(cell_index / ((size_t)side * side))};
    for (int k = 0; k < 3; k++) {
        r.s[k] = ((double)i + 0.5 * k) * (2.0 / side) - 1.0;
        r.t[k] = ((double)j + 0.5 * k) * (2.0 / side) - 1.0;
    }
    return r;
}

/** Four places of a cell: its corners, or the middles of its edges. */
typedef struct places {
    ovi_v4 s, t;
} places;

OVI_INLINE places corners_of(const range *r) {
    return (places){{r->s[0], r->s[0], r->s[2], r->s[2]}, {r->t[0], r->t[2], r->t[0], r->t[2]}};
}

OVI_INLINE places middles_of(const range *r) {
    return (places){{r->s[0], r->s[1], r->s[1], r->s[2]}, {r->t[1], r->t[0], r->t[2], r->t[1]}};
}

OVI_INLINE ovi_v4 values_at(const places *p, const view *v) {
    return v->c[0] + p->s * v->c[1] + p->t * v->c[2];
}

enum { CHAMPIONS = 8 };

/** The farthest vertices of a list at the corners and the middles of a cell's edges, by their
 * values at the corners; how many. */
OVI_INLINE int find_champions(const builder *b, const range *r, const uint32_t *entries,
                              uint32_t count, ovi_v4 champions[CHAMPIONS]) {
    places corners = corners_of(r), middles = middles_of(r);
    ovi_v4 best[2] = {ovi_v4_of(-INFINITY), ovi_v4_of(-INFINITY)};
    ovi_i4 at[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (uint32_t i = 0; i < count; i++) {
        view v = view_of(b, r->face, entries[i]);
        const ovi_v4 values[2] = {values_at(&corners, &v), values_at(&middles, &v)};
        for (int k = 0; k < 2; k++) {
            ovi_i4 higher = values[k] > best[k];
            best[k] = ovi_v4_select(higher, values[k], best[k]);
            at[k] = (higher & (int64_t)entries[i]) | (~higher & at[k]);
        }
    }
    int found = 0;
    for (int k = 0; k < CHAMPIONS; k++) {
        bool known = false;
        for (int j = 0; j < k; j++) {
            known = known || at[j / 4][j % 4] == at[k / 4][k % 4];
        }
        if (!known) {
            view v = view_of(b, r->face, (uint32_t)at[k / 4][k % 4]);
            champions[found++] = values_at(&corners, &v);
        }
    }
    return found;
}

/** Those entries of a list that can be the farthest in a cell; how many. */
OVI_INLINE uint32_t filter_inline(const builder *b, const range *r, const uint32_t *entries,
                                  uint32_t count, uint32_t *out) {
    ovi_v4 champions[CHAMPIONS];
    int found = find_champions(b, r, entries, count, champions);
    places corners = corners_of(r);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        view v = view_of(b, r->face, entries[i]);
        ovi_v4 high = values_at(&corners, &v) + b->margin;
        bool less = false;
        for (int k = 0; k < found && !less; k++) {
            ovi_i4 below = high < champions[k];
            less = (below[0] & below[1] & below[2] & below[3]) != 0;
        }
        out[left] = entries[i];
        left += !less;
    }
    return left;
}

OVI_DISPATCH(static, uint32_t, filter, filter_inline,
             (const builder *b, const range *r, const uint32_t *entries, uint32_t count,
              uint32_t *out),
             (b, r, entries, count, out))

typedef enum step { STEP_DONE, STEP_TOO_MANY, STEP_NO_MEMORY } step;

/** Adds a list of what is left of another one. */
static step add_list(const builder *b, const range *r, const uint32_t *entries, uint32_t count,
                     level *l, list *out) {
    if (l->used + count > l->room) {
        uint32_t *larger =
            ovi_more_room(b->allocator, l->entries, &l->room, l->used + count, sizeof *larger);
        if (larger == NULL) {
            return STEP_NO_MEMORY;
        }
        l->entries = larger;
    }
    *out = (list){l->used, filter(b, r, entries, count, l->entries + l->used)};
    l->used += out->count;
    bool too_many = l->used > (size_t)ENTRIES_MAX * b->count || l->used > UINT32_MAX;
    return too_many ? STEP_TOO_MANY : STEP_DONE;
}

/** A level of so many cells; each takes its list from the cell of the coarser level that it is part
 *  of. */
static step make_level(const builder *b, const level *coarse, uint32_t side, level *out) {
    *out = (level){.side = side};
    out->lists = ovi_resize(b->allocator, NULL, 0, cells_of(side), sizeof *out->lists);
    step done = out->lists != NULL ? STEP_DONE : STEP_NO_MEMORY;
    for (size_t c = 0; c < cells_of(side) && done == STEP_DONE; c++) {
        size_t face = c / ((size_t)side * side), i = c / side % side, j = c % side;
        size_t from = (face * (side / 2) + i / 2) * (side / 2) + j / 2;
        range r = range_of(side, c);
        const list *whole = &coarse->lists[side == 1 ? 0 : from];
        done = add_list(b, &r, coarse->entries + whole->first, whole->count, out, &out->lists[c]);
    }
    if (done != STEP_DONE) {
        release_level(b, out);
    }
    return done;
}

/** One list of all vertices, as a level without cells. */
static bool make_root(const builder *b, level *root) {
    *root = (level){.side = 0};
    root->lists = ovi_resize(b->allocator, NULL, 0, 1, sizeof *root->lists);
    root->entries = ovi_resize(b->allocator, NULL, 0, b->count, sizeof *root->entries);
    root->room = root->used = b->count;
    if (root->lists == NULL || root->entries == NULL) {
        release_level(b, root);
        return false;
    }
    root->lists[0] = (list){0, (uint32_t)b->count};
    for (size_t i = 0; i < b->count; i++) {
        root->entries[i] = (uint32_t)i;
    }
    return true;
}

/* ---- the table */

/** The smallest power of two above a length. */
static double power_above(double length) {
    int exponent;
    (void)frexp(length, &exponent);
    return ldexp(1.0, exponent);
}

static double larger_abs(double a, double b) { return fmax(fabs(a), fabs(b)); }

static builder builder_of(const ov_vec3 *v, size_t count, const ov_allocator *allocator) {
    builder b = {.allocator = allocator, .vertices = v, .count = count};
    ov_vec3 min = v[0], max = v[0];
    for (size_t i = 1; i < count; i++) {
        min = ov_vec3_make(fmin(min.x, v[i].x), fmin(min.y, v[i].y), fmin(min.z, v[i].z));
        max = ov_vec3_make(fmax(max.x, v[i].x), fmax(max.y, v[i].y), fmax(max.z, v[i].z));
    }
    b.unit = ov_vec3_make(power_above(max.x - min.x), power_above(max.y - min.y),
                          power_above(max.z - min.z));
    b.inverse = ov_vec3_make(1.0 / b.unit.x, 1.0 / b.unit.y, 1.0 / b.unit.z);
    // values are sums of three products with rounding errors of up to 3/2 ulp of these; the margin
    // is for two of them here, two in a query, and for a direction that is 2 ulp beyond its cell
    double reach = larger_abs(min.x, max.x) * b.inverse.x + larger_abs(min.y, max.y) * b.inverse.y +
                   larger_abs(min.z, max.z) * b.inverse.z;
    b.margin = 64.0 * DBL_EPSILON * reach;
    return b;
}

/** The finest level that the number of vertices is good for; false for want of memory. */
static bool make_lists(const builder *b, level *l) {
    if (!make_root(b, l)) {
        return false;
    }
    step done = STEP_DONE;
    for (uint32_t side = 1; done == STEP_DONE && b->count > SINGLE_MAX && side <= SIDE_MAX &&
                            (side == 1 || cells_of(side) * VERTICES_PER_CELL <= b->count);
         side *= 2) {
        level finer;
        done = make_level(b, l, side, &finer);
        if (done == STEP_DONE) {
            release_level(b, l);
            *l = finer;
        }
    }
    if (done == STEP_NO_MEMORY) {
        release_level(b, l);
    }
    return done != STEP_NO_MEMORY;
}

/** A list as blocks; what is left of the last one gets the vertex that is the least likely. */
static void fill_blocks(const builder *b, const range *r, const uint32_t *entries, uint32_t count,
                        block *blocks, uint32_t (*numbers)[4]) {
    uint32_t least = entries[0];
    double lowest = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        view v = view_of(b, r->face, entries[i]);
        double value = v.c[0] + r->s[1] * v.c[1] + r->t[1] * v.c[2];
        least = value < lowest ? entries[i] : least;
        lowest = fmin(lowest, value);
    }
    for (uint32_t i = 0; i < 4 * in_blocks(count); i++) {
        uint32_t index = i < count ? entries[i] : least;
        blocks[i / 4].x[i % 4] = b->vertices[index].x;
        blocks[i / 4].y[i % 4] = b->vertices[index].y;
        blocks[i / 4].z[i % 4] = b->vertices[index].z;
        numbers[i / 4][i % 4] = index + 1;
    }
}

static bool allocate(ov_support_table *t) {
    t->cells = ovi_resize(&t->allocator, NULL, 0, t->cell_count, sizeof *t->cells);
    t->blocks = ovi_resize(&t->allocator, NULL, 0, t->block_count, sizeof *t->blocks);
    t->numbers = ovi_resize(&t->allocator, NULL, 0, t->block_count, sizeof *t->numbers);
    return t->cells != NULL && t->blocks != NULL && t->numbers != NULL;
}

static ov_support_table *make_table(const builder *b, const level *l) {
    ov_support_table *t = ovi_resize(b->allocator, NULL, 0, 1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    *t = (ov_support_table){.allocator = *b->allocator, .unit = b->unit, .side = l->side};
    t->half_side = 0.5 * l->side;
    t->last = (double)l->side - 1.0;
    t->cell_count = cells_of(l->side);
    for (size_t c = 0; c < t->cell_count; c++) {
        t->block_count += in_blocks(l->lists[c].count);
    }
    if (!allocate(t)) {
        ov_support_table_destroy(t);
        return NULL;
    }
    size_t first = 0;
    for (size_t c = 0; c < t->cell_count; c++) {
        const list *from = &l->lists[c];
        range r = range_of(l->side > 0 ? l->side : 1, c);
        t->cells[c] = (cell){(uint32_t)first, from->count};
        fill_blocks(b, &r, l->entries + from->first, from->count, &t->blocks[first],
                    &t->numbers[first]);
        first += in_blocks(from->count);
    }
    return t;
}

ov_support_table *ovi_support_table_make(const ov_vec3 *vertices, size_t count,
                                         const ov_allocator *allocator) {
    ov_allocator used = ovi_allocator_of(allocator);
    builder b = builder_of(vertices, count, &used);
    level l;
    if (!make_lists(&b, &l)) {
        return NULL;
    }
    ov_support_table *table = make_table(&b, &l);
    release_level(&b, &l);
    return table;
}

ov_status ov_support_table_create(ov_shape *shape, const ov_allocator *allocator,
                                  ov_support_table **table) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_support_table_create(shape, allocator, table));
    if (table == NULL) {
        return OV_ERROR_NULL;
    }
    *table = NULL;
    ov_status status = ovi_check_shape(shape, table);
    if (status != OV_OK) {
        return status;
    }
    if (shape->kind != OV_SHAPE_KIND_POLYHEDRON) {
        return OV_ERROR_UNSUPPORTED;
    }
    *table = ovi_support_table_make(shape->u.polyhedron.vertices, shape->u.polyhedron.vertex_count,
                                    allocator);
    if (*table == NULL) {
        return OV_ERROR_MEMORY;
    }
    shape->u.polyhedron.table = *table;
    return OV_OK;
}

void ov_support_table_destroy(ov_support_table *table) {
    if (table == NULL) {
        return;
    }
    ov_allocator allocator = table->allocator;
    ovi_release(&allocator, table->cells, table->cell_count, sizeof *table->cells);
    ovi_release(&allocator, table->blocks, table->block_count, sizeof *table->blocks);
    ovi_release(&allocator, table->numbers, table->block_count, sizeof *table->numbers);
    ovi_release(&allocator, table, 1, sizeof *table);
}
