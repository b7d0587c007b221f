/**
 * @file touch_field.c
 * @brief Makes the brick field of a mesh: samples, where to divide, and bounds of the error.
 *
 * 1. Cubes of the grid are sampled at the corners of their cells, and tested at the middles. The
 *    octants that miss the error there become cubes of half the size, level by level.
 * 2. Where that takes more memory than there is, the divisions with the least errors are undone.
 * 3. What is missed in a cell is mostly missed on one side, as where two faces meet at an edge. The
 *    samples about it are moved by as much as it takes to share the miss out to both sides.
 * 4. Bricks are written from the coarse to the fine. A sample on the side of a coarser brick takes
 *    the value that is interpolated there, so that the field has no steps but those of its numbers.
 * 5. The error of every cell is bounded for the numbers as they were written
 *    (touch_field_bounds.c).
 */
#include <stdlib.h>

#include "touch_field_internal.h"

enum {
    ROOTS = 8,         // along the diagonal of the mesh's box
    LISTED_MAX = 4096, // triangles of a cube that are told apart by its octants
    BRUTE = 512,       // so many triangles are looked at one by one, without the tree
    LISTS = 10,        // of all triangles: one of a cube, eight of its octants, one as it is made
    BOUNDED_MAX = 768, // with more of them in reach an octant is bounded by proof a alone
    MARGIN_CELLS = 3,  // of a root, around the box of the mesh
    CELLS = OVI_BRICK_CELLS * OVI_BRICK_CELLS * OVI_BRICK_CELLS,
    TOO_LOW_STEPS = 16,
    BATCHES = 16, // of cubes of a level that are sampled before it is seen what room there is
    BATCH_MIN = 64,
    BOUND_EXCESS = 8, // what is proven may be so many times what is allowed
    CERTAIN = 2       // and what misses by this is divided, if anything is
};
static const double outward_growth = 1.0; // of the error allowed, by the distance beyond the band
static const double slight = 0.6;         // of it: what misses no more at a few points is good
/** A miss on one side only is halved where samples are free to move; those that lie on the side of
 * a coarser brick are not, so that some more than a half is counted. */
static const double shared_out = 0.6;
/** Of scores: tells apart those that are alike by their bounds. */
static const double tie_break = 0.05;
/** In steps: samples that were written this near to what they are keep their bounds. */
static const double rounded = 0.6;

/* ---- distances of many points */

OVI_INLINE double largest_lane(ovi_v4 v) {
    return ovi_larger(ovi_larger(v[0], v[1]), ovi_larger(v[2], v[3]));
}

static double inverse_or_zero(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

static ovi_ball_facet facet_with_ball(const ovi_facet *f) {
    const ov_vec3 c[3] = {f->a, ov_vec3_add(f->a, f->ab), ov_vec3_add(f->a, f->ac)};
    ovi_ball_facet t = {.facet = *f};
    t.centre = ov_vec3_scale(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    for (int i = 0; i < 3; i++) {
        t.radius = fmax(t.radius, ov_vec3_length(ov_vec3_sub(c[i], t.centre)) * (1.0 + 1e-9));
    }
    t.per_bb = inverse_or_zero(f->bb);
    t.per_cc = inverse_or_zero(f->cc);
    t.per_ee = inverse_or_zero(f->bb + f->cc - 2.0 * f->bc);
    t.per_det = inverse_or_zero(f->det);
    t.sliver = !(f->det > 0.0) && ovi_facet_axes(f, &t.u, &t.v);
    return t;
}

/** Is all of a triangle further from a point than this? The ball is a little wide. */
OVI_INLINE bool is_beyond(const ovi_ball_facet *t, ov_vec3 p, double reach) {
    ov_vec3 away = ov_vec3_sub(p, t->centre);
    double most = reach + t->radius;
    return ov_vec3_dot(away, away) > most * most;
}

OVI_DISPATCH(static, void, least_distances, ovi_least_inline,
             (const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
              const ovi_octet *points, double *out),
             (facets, list, count, points, out))

/** Distances of eight points of a cell to the nearest of its triangles. How far these are from its
 *  middle is known, and by that what cannot be nearest to four of the points. */
OVI_INLINE void near_inline(const ovi_cell *c, const ovi_octet *points, double *out) {
    for (int half = 0; half < OVI_OCTET; half += OVI_LANES) {
        ovi_lanes3 p = ovi_load_points(points, half), away;
        ovi_lanes3 off = {p.x - c->middle.x, p.y - c->middle.y, p.z - c->middle.z};
        ovi_v4 least = ovi_squares_to_facet(&c->facets[c->list[c->first]], p, &away);
        double reach = (sqrt(largest_lane(least)) + sqrt(largest_lane(ovi_square_lanes(off)))) *
                           (1.0 + 1e-12) +
                       c->unsure;
        for (uint32_t i = 0; i < c->count; i++) {
            if (c->distances[i] > reach) {
                continue;
            }
            ovi_v4 square = ovi_squares_to_facet(&c->facets[c->list[i]], p, &away);
            least = ovi_v4_select(square < least, square, least);
        }
        least = ovi_v4_sqrt(least);
        memcpy(out + half, &least, sizeof least);
    }
}
OVI_DISPATCH(static, void, least_near, near_inline,
             (const ovi_cell *c, const ovi_octet *points, double *out), (c, points, out))

/** A row for every triangle. */
OVI_INLINE void rows_inline(const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
                            const ovi_octet *points, ovi_facet_row *rows) {
    for (int half = 0; half < OVI_OCTET; half += OVI_LANES) {
        ovi_lanes3 p = ovi_load_points(points, half), away;
        for (uint32_t i = 0; i < count; i++) {
            ovi_v4 distance = ovi_v4_sqrt(ovi_squares_to_facet(&facets[list[i]], p, &away));
            memcpy(rows[i].distance + half, &distance, sizeof distance);
            memcpy(rows[i].away.x + half, &away.x, sizeof away.x);
            memcpy(rows[i].away.y + half, &away.y, sizeof away.y);
            memcpy(rows[i].away.z + half, &away.z, sizeof away.z);
        }
    }
}
OVI_DISPATCH(static, void, rows_of, rows_inline,
             (const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
              const ovi_octet *points, ovi_facet_row *rows),
             (facets, list, count, points, rows))

/** Only the distances, eight for every triangle. */
OVI_INLINE void each_inline(const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
                            const ovi_octet *points, double *out) {
    for (int half = 0; half < OVI_OCTET; half += OVI_LANES) {
        ovi_lanes3 p = ovi_load_points(points, half), away;
        for (uint32_t i = 0; i < count; i++) {
            ovi_v4 distance = ovi_v4_sqrt(ovi_squares_to_facet(&facets[list[i]], p, &away));
            memcpy(out + OVI_OCTET * (size_t)i + half, &distance, sizeof distance);
        }
    }
}
OVI_DISPATCH(static, void, facet_distances, each_inline,
             (const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
              const ovi_octet *points, double *out),
             (facets, list, count, points, out))

/* ---- what a field is made in */

/** How far the distance is above what is interpolated, at least and at most; zero is within. */
typedef struct span {
    float lo, hi;
} span;

typedef struct cube {
    uint32_t level, x, y, z; // in units of its own size
    uint32_t child[8];       // of each octant; 0: none
    float score[8];          // of each octant: the error found, in units of that allowed
    float near[8];           // the distance of the surface, at least
    float worth;             // the score of the octant that it is
    bool there;              // in the tree as it is being counted
    float f[OVI_BRICK_SAMPLES];
    span miss[CELLS];   // of each cell
    float bound[CELLS]; // of each cell: proven for the samples; 0: not looked for
} cube;

/** What a thread works in. */
typedef struct scratch {
    uint32_t *list;      // of a cube, then of its octants
    uint32_t *near;      // of a cell
    ovi_facet_row *rows; // of the octant's triangles, seen from the middles of its eight cells
    uint32_t *kept;      // which of them are a cell's
    double *from_middle; // and how far these are from its middle
    double *distances;   // of the cube's triangles from the middles of its octants
} scratch;

typedef struct maker {
    const ovi_field_task *task;
    const ov_trimesh *mesh;
    ovi_ball_facet *facets;
    ovi_field_made *made;
    cube *cubes;
    size_t cube_count, cube_room;
    uint32_t *leaves; // the cube of each brick
    uint8_t *used;    // and its octants that are not divided, as bits
    scratch *scratches;
    unsigned scratch_count;
    double unsure;      // rounding of distances, slivers included
    float limit;        // of the scores: what is above is divided
    float too_low;      // a limit that leaves too little room, or 1
    size_t first;       // of the range that is worked on
    size_t level_first; // of the finest level
} maker;

static double cube_width(const maker *m, uint32_t level) {
    return ldexp(m->made->field.width, -(int)level);
}

static ov_vec3 cube_corner(const maker *m, const cube *c) {
    double w = cube_width(m, c->level);
    ov_vec3 o = m->made->field.origin;
    return ov_vec3_make(o.x + w * c->x, o.y + w * c->y, o.z + w * c->z);
}

static int at(int i, int j, int k) { return (k * OVI_BRICK_SIDE + j) * OVI_BRICK_SIDE + i; }

/* ---- samples */

/** The facets, by their places in the tree, whose boxes are within reach, to `list` with room for
 *  all. */
static uint32_t facets_within(const ovi_touch_tree *tree, ov_vec3 p, double reach, uint32_t *list) {
    uint32_t stack[OVI_BVH_DEPTH + 2], count = 0;
    int top = 0;
    double square = reach * reach;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_touch_node *node = &tree->nodes[at];
        if (ovi_node_square(node, p) > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            list[count++] = node->first + i;
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = at + 1;
        }
    }
    return count;
}

/** The triangles that can be nearest in a cube, or in an octant of it. Where they are many,
 * distances are found by the tree. */
typedef struct vicinity {
    const maker *m;
    uint32_t *list;
    uint32_t count;
    double to_middle; // the distance of the surface
} vicinity;

/** What is nearest somewhere in a ball is so far from its middle at most, and the ball's own
 *  distance is `to_middle`. */
static double reach_of(const maker *m, double to_middle, double radius) {
    return to_middle + 2.0 * radius * 1.001 + m->unsure;
}

/** Of a cube whose triangles go to `list`. `radius`: that of a ball around it; `known`: the
 * distance of its middle as a sample, or infinite. */
static vicinity vicinity_of(const maker *m, uint32_t *list, ov_vec3 middle, double radius,
                            double known) {
    vicinity v = {.m = m, .list = list, .to_middle = known};
    if (!isfinite(known)) {
        v.to_middle = ovi_touch_nearest(m->task->tree, middle, INFINITY).distance;
    }
    double reach = reach_of(m, v.to_middle, radius);
    uint32_t found = facets_within(m->task->tree, middle, reach, list);
    for (uint32_t i = 0; i < found; i++) {
        if (!is_beyond(&m->facets[list[i]], middle, reach)) {
            list[v.count++] = list[i];
        }
    }
    // a few too many do no harm, and cost less than to tell them apart
    found = v.count > BOUNDED_MAX ? v.count : 0;
    v.count -= found;
    for (uint32_t i = 0; i < found; i++) {
        const ovi_facet *f = &m->facets[list[i]].facet;
        if (ovi_distance_of(middle, ovi_facet_nearest(f, middle)) <= reach) {
            list[v.count++] = list[i];
        }
    }
    return v;
}

/** The middles of the eight octants of a cube. */
static ovi_octet octant_middles(ov_vec3 corner, double width) {
    ovi_octet p;
    for (int o = 0; o < 8; o++) {
        p.x[o] = corner.x + (o & 1 ? 0.75 : 0.25) * width;
        p.y[o] = corner.y + (o & 2 ? 0.75 : 0.25) * width;
        p.z[o] = corner.z + (o & 4 ? 0.75 : 0.25) * width;
    }
    return p;
}

/** Of a cube that has the sample at its middle, and the distances of its triangles from the middles
 * of its octants. */
static vicinity cube_vicinity(const maker *m, const scratch *s, const cube *c) {
    double width = cube_width(m, c->level);
    ov_vec3 corner = cube_corner(m, c);
    ov_vec3 middle = ov_vec3_add_scaled(corner, ov_vec3_make(0.5, 0.5, 0.5), width);
    double known = fabs((double)c->f[at(2, 2, 2)]);
    vicinity v = vicinity_of(m, s->list, middle, 0.8661 * width, known);
    ovi_octet middles = octant_middles(corner, width);
    if (v.count <= LISTED_MAX) {
        facet_distances(m->facets, v.list, v.count, &middles, s->distances);
    }
    return v;
}

/** Of an octant of a cube; its triangles go to `list`. */
static vicinity octant_vicinity(const vicinity *v, const scratch *s, const cube *c, int octant,
                                uint32_t *list) {
    const maker *m = v->m;
    double width = cube_width(m, c->level), radius = 0.5 * 0.8661 * width;
    if (v->count > LISTED_MAX) {
        ovi_octet middles = octant_middles(cube_corner(m, c), width);
        return vicinity_of(m, list, ovi_octet_point(&middles, octant), radius, INFINITY);
    }
    vicinity part = {.m = m, .list = list, .to_middle = INFINITY};
    const double *distances = s->distances + octant;
    for (uint32_t i = 0; i < v->count; i++) {
        part.to_middle =
            distances[8 * (size_t)i] < part.to_middle ? distances[8 * (size_t)i] : part.to_middle;
    }
    double reach = reach_of(m, part.to_middle, radius);
    for (uint32_t i = 0; i < v->count; i++) {
        if (distances[8 * (size_t)i] <= reach) {
            part.list[part.count++] = v->list[i];
        }
    }
    return part;
}

/** Distances of eight points of an octant. */
static void distances_at(const vicinity *v, const ovi_octet *p, double *out) {
    if (v->count <= BRUTE) {
        least_distances(v->m->facets, v->list, v->count, p, out);
        return;
    }
    for (int n = 0; n < OVI_OCTET; n++) {
        out[n] = ovi_touch_nearest(v->m->task->tree, ovi_octet_point(p, n), INFINITY).distance;
    }
}

/** 1 outside, -1 inside; on the surface it does not matter. */
static double side_of(const maker *m, ov_vec3 p) {
    return ovi_trimesh_side(m->mesh, p, 0.0) == OVI_INSIDE ? -1.0 : 1.0;
}

/** The sign of a sample: of one before it, if there is no surface on the way. */
static double sample_sign(const maker *m, const float *f, int i, int j, int k, double d, double h,
                          ov_vec3 p) {
    const int before[3] = {i > 0 ? at(i - 1, j, k) : -1, j > 0 ? at(i, j - 1, k) : -1,
                           k > 0 ? at(i, j, k - 1) : -1};
    for (int n = 0; n < 3; n++) {
        if (before[n] >= 0 && fmax(d, fabs((double)f[before[n]])) > h * 1.0001 + m->unsure) {
            return f[before[n]] < 0.0f ? -1.0 : 1.0;
        }
    }
    return side_of(m, p);
}

/** Interpolates between eight corners, x first. */
static double blend(const double *f, double u, double v, double w) {
    double low[2];
    for (int n = 0; n < 2; n++) {
        const double *s = &f[4 * n];
        double a = s[0] + u * (s[1] - s[0]), b = s[2] + u * (s[3] - s[2]);
        low[n] = a + v * (b - a);
    }
    return low[0] + w * (low[1] - low[0]);
}

/** A cell of a brick. */
typedef struct place {
    int i, j, k;
} place;

/** Cell 0 to 7 of an octant. */
static place place_of(int octant, int n) {
    return (place){.i = 2 * (octant & 1) + (n & 1),
                   .j = 2 * (octant >> 1 & 1) + (n >> 1 & 1),
                   .k = 2 * (octant >> 2) + (n >> 2)};
}

/** The triangles of an octant, seen from the middles of its cells. */
static void fill_rows(const vicinity *v, const scratch *s, const cube *c, int octant) {
    double width = 0.5 * cube_width(v->m, c->level);
    ov_vec3 corner = ov_vec3_add_scaled(
        cube_corner(v->m, c), ov_vec3_make(octant & 1, octant >> 1 & 1, octant >> 2), width);
    ovi_octet middles = octant_middles(corner, width);
    rows_of(v->m->facets, v->list, v->count, &middles, s->rows);
}

/** Of the triangles near an octant, of which there are rows, those that may be nearest in a cell.
 */
static void cell_list(ovi_cell *c, const vicinity *v, const scratch *s) {
    double more = reach_of(v->m, 0.0, c->radius);
    uint32_t *list = s->near;
    c->nearest = INFINITY;
    for (uint32_t n = 0; n < v->count; n++) {
        double d = s->rows[n].distance[c->number];
        c->nearest = d < c->nearest ? d : c->nearest;
    }
    c->count = 0;
    for (uint32_t n = 0; n < v->count; n++) {
        double d = s->rows[n].distance[c->number];
        if (d <= c->nearest + more) {
            c->first = d <= c->nearest ? c->count : c->first;
            list[c->count] = v->list[n];
            s->from_middle[c->count] = d;
            s->kept[c->count++] = n;
        }
    }
    c->list = list;
    c->kept = s->kept;
    c->distances = s->from_middle;
    c->rows = s->rows;
}

/** Cell 0 to 7 of an octant of a cube, with the values `g` written. */
static ovi_cell cell_of(const maker *m, const cube *whole, const float *g, int octant, int number) {
    double h = cube_width(m, whole->level) / OVI_BRICK_CELLS;
    ov_vec3 corner = cube_corner(m, whole);
    place p = place_of(octant, number);
    ovi_cell c = {.h = h,
                  .radius = 0.86603 * h,
                  .number = number,
                  .unsure = m->unsure,
                  .solid = ov_trimesh_is_solid(m->mesh),
                  .facets = m->facets,
                  .brick_corner = corner,
                  .samples = whole->f};
    for (int o = 0; o < OVI_CORNERS; o++) {
        int a = p.i + (o & 1), b = p.j + (o >> 1 & 1), d = p.k + (o >> 2);
        c.corners[o] = ov_vec3_add(corner, ov_vec3_make(h * a, h * b, h * d));
        c.f[o] = whole->f[at(a, b, d)];
        c.g[o] = g[at(a, b, d)];
    }
    c.middle = ov_vec3_scale(ov_vec3_add(c.corners[0], c.corners[OVI_CORNERS - 1]), 0.5);
    return c;
}

/* ---- sampling, and how good it is */

/** The distance of the surface from an octant, at least. */
static double octant_near(const cube *c, int o, double h) {
    int i = 2 * (o & 1), j = 2 * (o >> 1 & 1), k = 2 * (o >> 2);
    double least = INFINITY;
    for (int n = 0; n < 27; n++) {
        least = fmin(least, fabs((double)c->f[at(i + n % 3, j + n / 3 % 3, k + n / 9)]));
    }
    return fmax(0.0, least - 0.8661 * h);
}

static void include(span *miss, double e) {
    miss->lo = (float)e < miss->lo ? (float)e : miss->lo;
    miss->hi = (float)e > miss->hi ? (float)e : miss->hi;
}

/** What is missed at eight points of a cell, given as shares of its edge. Returns the number of the
 *  point that is missed most. */
static int miss_at(const vicinity *v, const ovi_cell *c, const double at3[3][OVI_OCTET],
                   double allowed, span *miss) {
    ovi_octet p;
    double d[OVI_OCTET], most = -1.0;
    int worst = 0;
    for (int i = 0; i < OVI_OCTET; i++) {
        p.x[i] = c->corners[0].x + c->h * at3[0][i];
        p.y[i] = c->corners[0].y + c->h * at3[1][i];
        p.z[i] = c->corners[0].z + c->h * at3[2][i];
    }
    if (c->list != NULL) {
        least_near(c, &p, d);
    } else {
        distances_at(v, &p, d);
    }
    for (int i = 0; i < OVI_OCTET; i++) {
        double g = blend(c->g, at3[0][i], at3[1][i], at3[2][i]);
        double side = g < 0.0 ? -1.0 : 1.0;
        // the side that fits better is taken to be the right one, unless it does not fit well
        if (fabs(side * d[i] - g) > slight * allowed && c->nearest <= c->radius) {
            side = c->solid ? side_of(v->m, ovi_octet_point(&p, i)) : 1.0;
        }
        float e = (float)(side * d[i] - g);
        include(miss, (double)e);
        worst = fabsf(e) > most ? i : worst;
        most = fabsf(e) > most ? fabsf(e) : most;
    }
    return worst;
}

static float size_of(const span *miss) { return miss->hi > -miss->lo ? miss->hi : -miss->lo; }

/** What is missed along an edge of a triangle, as far as it is in a cell. On it the distance is
 *  zero. */
static void miss_on_edge(const ovi_cell *c, ov_vec3 from, ov_vec3 along, span *miss) {
    const double a[3] = {from.x, from.y, from.z}, d[3] = {along.x, along.y, along.z};
    double first = 0.0, last = 1.0;
    for (int i = 0; i < 3; i++) {
        if (d[i] == 0.0) {
            last = a[i] < 0.0 || a[i] > 1.0 ? -1.0 : last;
            continue;
        }
        double per = 1.0 / d[i], s = -a[i] * per, t = (1.0 - a[i]) * per;
        first = ovi_larger(first, s < t ? s : t);
        t = s < t ? t : s;
        last = t < last ? t : last;
    }
    enum { STEPS = 4 };
    for (int n = 0; n <= STEPS && first <= last; n++) {
        double s = first + (last - first) * n / STEPS;
        include(miss, -blend(c->g, a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]));
    }
}

/** What is missed on the edges of the triangles in a cell: where a surface is sharp, it is so
 *  there. */
static void miss_on_edges(const ovi_cell *c, span *miss) {
    double per = 1.0 / c->h;
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->distances[n] > c->radius) {
            continue;
        }
        const ovi_facet *f = &c->facets[c->list[n]].facet;
        ov_vec3 a = ov_vec3_scale(ov_vec3_sub(f->a, c->corners[0]), per);
        ov_vec3 ab = ov_vec3_scale(f->ab, per), ac = ov_vec3_scale(f->ac, per);
        miss_on_edge(c, a, ab, miss);
        miss_on_edge(c, a, ac, miss);
        miss_on_edge(c, ov_vec3_add(a, ab), ov_vec3_sub(ac, ab), miss);
    }
}

/** What is missed in a cell: at the middle, in the middles of its sides and at points between, as
 *  surfaces that meet at an angle have it there; where it is much, also in the middles of edges,
 * and about the worst of all these. */
static span miss_of(const vicinity *v, const ovi_cell *c, double allowed) {
    static const double points[3][3][OVI_OCTET] = {
        {{0.5, 0.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25},
         {0.5, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5, 0.25},
         {0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 1.0, 0.25}},
        {{0.75, 0.75, 0.25, 0.75, 0.75, 0.25, 0.25, 0.5},
         {0.75, 0.25, 0.75, 0.75, 0.25, 0.75, 0.25, 0.0},
         {0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75, 0.0}},
        {{0.5, 0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0},
         {0.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.0, 0.5},
         {0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0}}};
    span miss = {0.0f, 0.0f};
    if (c->list != NULL && c->nearest <= c->radius) {
        miss_on_edges(c, &miss);
    }
    int worst = 0;
    const double(*group)[OVI_OCTET] = points[0];
    for (int n = 0; n < 3; n++) {
        float before = size_of(&miss);
        int here = miss_at(v, c, points[n], allowed, &miss);
        if (n == 0 || size_of(&miss) > before) {
            worst = here;
            group = points[n];
        }
        if (size_of(&miss) < (n == 0 ? slight : 1.0) * allowed ||
            size_of(&miss) > 2.0 * CERTAIN * allowed) {
            return miss;
        }
    }
    double around[3][OVI_OCTET];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < OVI_OCTET; i++) {
            around[a][i] = ovi_held(group[a][worst] + (i >> a & 1 ? 0.125 : -0.125));
        }
    }
    (void)miss_at(v, c, around, allowed, &miss);
    return miss;
}

static int octant_of(place p) { return (p.i >> 1) + 2 * (p.j >> 1) + 4 * (p.k >> 1); }

static int number_of(place p) { return (p.k * OVI_BRICK_CELLS + p.j) * OVI_BRICK_CELLS + p.i; }

/** The score of an octant, by what is proven, or else by what is found; and what is found. */
static void rate(const vicinity *v, const scratch *s, cube *c, int octant, double allowed) {
    const maker *m = v->m;
    double worst = 0.0;
    bool seen = false, near = c->near[octant] <= m->task->band;
    // what misses by a lot is to be divided, whatever else there is
    for (int n = 0; n < 8 && worst <= CERTAIN * allowed; n++) {
        int number = number_of(place_of(octant, n));
        ovi_cell e = cell_of(m, c, c->f, octant, n);
        double bound = ovi_by_moves(&e) + 4.0 * m->unsure;
        if (bound > allowed && v->count <= BOUNDED_MAX) {
            if (!seen) {
                fill_rows(v, s, c, octant);
                seen = true;
            }
            cell_list(&e, v, s);
            bound = ovi_cell_proven(&e);
        }
        c->bound[number] = (float)(bound * (1.0 + 1e-6));
        if (bound > allowed) {
            span miss = miss_of(v, &e, allowed);
            // what is written can be moved towards the middle of the span
            double both = (double)miss.hi - (double)miss.lo;
            double found = fmax(shared_out * (double)size_of(&miss), 0.5 * both);
            worst = fmax(worst, fmax(found, bound / BOUND_EXCESS) + tie_break * both);
            if (near) {
                c->miss[number] = miss;
            }
        }
    }
    c->score[octant] = (float)(worst / allowed);
}

/** Samples of an octant; those on the sides between two are the first one's. */
static void sample_octant(const vicinity *v, cube *c, int octant, double sign) {
    const maker *m = v->m;
    double h = cube_width(m, c->level) / OVI_BRICK_CELLS;
    ov_vec3 corner = cube_corner(m, c);
    int first[3], size[3];
    for (int a = 0; a < 3; a++) {
        first[a] = octant >> a & 1 ? 3 : 0;
        size[a] = octant >> a & 1 ? 2 : 3;
    }
    int count = size[0] * size[1] * size[2];
    for (int start = 0; start < count; start += OVI_OCTET) {
        ovi_octet p;
        double d[OVI_OCTET];
        int place[OVI_OCTET][3];
        for (int n = 0; n < OVI_OCTET; n++) {
            int number = start + n < count ? start + n : count - 1;
            place[n][0] = first[0] + number % size[0];
            place[n][1] = first[1] + number / size[0] % size[1];
            place[n][2] = first[2] + number / size[0] / size[1];
            p.x[n] = corner.x + h * place[n][0];
            p.y[n] = corner.y + h * place[n][1];
            p.z[n] = corner.z + h * place[n][2];
        }
        distances_at(v, &p, d);
        for (int n = 0; n < OVI_OCTET && start + n < count; n++) {
            const int *at3 = place[n];
            double side = sign != 0.0 ? sign
                                      : sample_sign(m, c->f, at3[0], at3[1], at3[2], d[n], h,
                                                    ovi_octet_point(&p, n));
            c->f[at(at3[0], at3[1], at3[2])] = (float)(side * d[n]);
        }
    }
}

static void sample_cube(const maker *m, const scratch *s, cube *c) {
    double width = cube_width(m, c->level);
    ov_vec3 middle = ov_vec3_add_scaled(cube_corner(m, c), ov_vec3_make(0.5, 0.5, 0.5), width);
    vicinity v = cube_vicinity(m, s, c);
    // one sign, or 0 where every sample has its own
    double sign = !ov_trimesh_is_solid(m->mesh)              ? 1.0
                  : v.to_middle > 0.8661 * width + m->unsure ? side_of(m, middle)
                                                             : 0.0;
    vicinity parts[8];
    uint32_t *end = v.list + v.count;
    for (int o = 0; o < 8; o++) {
        parts[o] = octant_vicinity(&v, s, c, o, end);
        end += parts[o].count;
        sample_octant(&parts[o], c, o, sign);
    }
    for (int o = 0; o < 8; o++) { // with the samples of the whole cube
        c->near[o] = (float)octant_near(c, o, width / OVI_BRICK_CELLS);
        double allowed = m->task->error + outward_growth * fmax(0.0, c->near[o] - m->task->band);
        rate(&parts[o], s, c, o, allowed);
    }
}

static void sample_range(void *context, unsigned index, size_t begin, size_t end) {
    maker *m = context;
    for (size_t n = begin; n < end; n++) {
        sample_cube(m, &m->scratches[index], &m->cubes[m->first + n]);
    }
}

/* ---- division */

static bool more_cubes(maker *m, size_t count) {
    size_t needed = m->cube_count + count;
    if (needed > OVI_NODE_NUMBER) {
        return false;
    }
    if (needed > m->cube_room) {
        cube *more =
            ovi_more_room(m->task->allocator, m->cubes, &m->cube_room, needed, sizeof *more);
        if (more == NULL) {
            return false;
        }
        m->cubes = more;
    }
    return true;
}

static bool make_roots(maker *m) {
    const uint32_t *dims = m->made->field.dims;
    size_t count = (size_t)dims[0] * dims[1] * dims[2];
    if (!more_cubes(m, count)) {
        return false;
    }
    for (uint32_t n = 0; n < count; n++) {
        m->cubes[n] =
            (cube){.x = n % dims[0], .y = n / dims[0] % dims[1], .z = n / dims[0] / dims[1]};
        m->cubes[n].f[at(2, 2, 2)] = INFINITY; // nothing is known yet
    }
    m->cube_count = count;
    return true;
}

/** Which octants of a cube are divided where scores above a limit are. */
static unsigned divided(const cube *c, float limit) {
    unsigned mask = 0;
    for (int o = 0; o < 8; o++) {
        mask |= (unsigned)(c->child[o] != 0 && c->score[o] > limit) << o;
    }
    return mask;
}

/** Those of a cube of the finest level so far, whose octants are no cubes yet. */
static unsigned wanted(const cube *c, float limit) {
    unsigned mask = 0;
    for (int o = 0; o < 8; o++) {
        mask |= (unsigned)(c->score[o] > limit) << o;
    }
    return mask;
}

static unsigned ones_of(unsigned mask) {
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

/** Bricks and nodes of the tree in which octants with a score above the limit are divided, those of
 *  cubes from `finest` on too. A cube with all octants divided needs no brick. */
static void count_up(const maker *m, float limit, size_t finest, size_t *bricks, size_t *nodes) {
    const uint32_t *dims = m->made->field.dims;
    size_t roots = (size_t)dims[0] * dims[1] * dims[2];
    *bricks = 0;
    *nodes = roots;
    // a child comes behind its parent, so that it is marked before it is looked at
    for (size_t n = 0; n < m->cube_count; n++) {
        cube *c = &m->cubes[n];
        c->there = n < roots || c->there;
        unsigned mask = !c->there ? 0 : n < finest ? divided(c, limit) : wanted(c, limit);
        for (int o = 0; o < 8; o++) {
            if (c->child[o] != 0) {
                m->cubes[c->child[o]].there = mask >> o & 1;
            }
        }
        *nodes += mask != 0 ? 8 : 0;
        *bricks += c->there && mask != 255;
        *bricks += n < finest ? 0 : ones_of(mask);
    }
}

static size_t field_size(size_t bricks, size_t nodes) {
    return bricks * sizeof(ovi_brick) + nodes * sizeof(uint32_t);
}

/** Does the tree have room where octants with scores above a limit are divided? */
static bool has_room(const maker *m, float limit, size_t finest) {
    size_t bricks, nodes;
    count_up(m, limit, finest, &bricks, &nodes);
    return field_size(bricks, nodes) <= m->task->memory;
}

/** Halves the range of limits from one that memory does not allow to one that it does. */
static void narrow_limits(const maker *m, size_t finest, int steps, float *low, float *high) {
    for (int n = 0; n < steps; n++) {
        float middle = sqrtf(*low * *high);
        *(has_room(m, middle, finest) ? high : low) = middle;
    }
}

static const float limit_most = 1e9f;

/** The least limit of scores that memory allows; 1 is what the error asks for. */
static float choose_limit(const maker *m) {
    float low = m->too_low, high = limit_most;
    if (has_room(m, low, m->cube_count)) {
        return low;
    }
    narrow_limits(m, m->cube_count, 40, &low, &high);
    return high;
}

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

/**
 * The score above which octants of a level are divided: 1, or as many of the worst as may be of
 * use. Some more than memory has room for, as divisions of this level compete with those of the
 * next. Further divisions only take room, so that a limit that leaves too little now is too low in
 * the end as well, and what is below it need not be looked at. Negative for want of memory.
 */
static float division_limit(maker *m, size_t first, size_t end) {
    size_t count = 8 * (end - first), wanted = 0,
           most = 3 * (m->task->memory / sizeof(ovi_brick)) / 2;
    float *scores = ovi_resize(m->task->allocator, NULL, 0, count, sizeof *scores), limit = 1.0f;
    if (scores == NULL) {
        return -1.0f;
    }
    for (size_t n = 0; n < count; n++) {
        float score = m->cubes[first + n / 8].score[n % 8];
        scores[wanted] = score;
        wanted += score > 1.0f;
    }
    size_t room = most > m->cube_count ? most - m->cube_count : 0;
    if (wanted > room) {
        qsort(scores, wanted, sizeof *scores, by_size);
        limit = room > 0 ? scores[room - 1] : INFINITY;
    }
    ovi_release(m->task->allocator, scores, count, sizeof *scores);
    float high = limit_most;
    if (!has_room(m, m->too_low, first)) {
        narrow_limits(m, first, TOO_LOW_STEPS, &m->too_low, &high);
    }
    return limit > m->too_low ? limit : m->too_low;
}

/** An octant that is to be a cube. */
typedef struct division {
    float score;
    uint32_t cube, octant;
} division;

static int by_worth(const void *a, const void *b) {
    const division *x = a, *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    if (x->cube != y->cube) {
        return x->cube < y->cube ? -1 : 1;
    }
    return x->octant < y->octant ? -1 : x->octant > y->octant;
}

static void make_child(maker *m, const division *d) {
    cube *c = &m->cubes[d->cube], *made = &m->cubes[m->cube_count];
    uint32_t o = d->octant;
    c->child[o] = (uint32_t)m->cube_count++;
    *made = (cube){.level = c->level + 1,
                   .x = 2 * c->x + (o & 1),
                   .y = 2 * c->y + (o >> 1 & 1),
                   .z = 2 * c->z + (o >> 2),
                   .worth = d->score};
    made->f[at(2, 2, 2)] = c->f[at(o & 1 ? 3 : 1, o & 2 ? 3 : 1, o & 4 ? 3 : 1)];
}

/** Makes cubes of the octants of a level that need it, those with the largest errors first. */
static bool divide(maker *m, size_t first, size_t end) {
    float limit = division_limit(m, first, end);
    size_t room = 8 * (end - first), count = 0;
    division *all = ovi_resize(m->task->allocator, NULL, 0, room, sizeof *all);
    for (size_t n = 0; n < room && limit >= 0.0f && all != NULL; n++) {
        float score = m->cubes[first + n / 8].score[n % 8];
        if (score > limit) {
            all[count++] = (division){score, (uint32_t)(first + n / 8), (uint32_t)(n % 8)};
        }
    }
    bool good = limit >= 0.0f && all != NULL && more_cubes(m, count);
    if (good) {
        qsort(all, count, sizeof *all, by_worth);
    }
    for (size_t n = 0; n < count && good; n++) {
        make_child(m, &all[n]);
    }
    ovi_release(m->task->allocator, all, room, sizeof *all);
    return good;
}

/** Takes back the cubes from one on, which are of the octants of a level. */
static void take_back(maker *m, size_t from, size_t first, size_t end) {
    for (size_t n = first; n < end; n++) {
        for (int o = 0; o < 8; o++) {
            uint32_t *child = &m->cubes[n].child[o];
            *child = *child < from ? *child : 0;
        }
    }
    m->cube_count = from;
}

/**
 * Samples the cubes from `first` on, which are octants of the level that begins at `above`. What
 * those with large errors want divided further may leave no room for the others: then these are
 * taken back before they are sampled.
 */
static void sample_level(maker *m, size_t above, size_t first) {
    size_t some = (m->cube_count - first) / BATCHES + BATCH_MIN;
    while (first < m->cube_count) {
        size_t left = m->cube_count - first, count = left < some ? left : some;
        m->first = first;
        ovi_ranges_run(sample_range, m, count, 4, m->task->threads);
        first += count;
        float next = first < m->cube_count ? m->cubes[first].worth : 0.0f;
        if (next > m->too_low && above < m->level_first && !has_room(m, next, m->level_first)) {
            m->too_low = next;
            take_back(m, first, above, m->level_first);
        }
    }
}

/** All levels, each as far as the error asks for it. */
static bool sample_levels(maker *m) {
    bool good = make_roots(m);
    size_t above = 0;
    m->level_first = 0;
    for (uint32_t level = 0; good && m->level_first < m->cube_count; level++) {
        sample_level(m, above, m->level_first);
        size_t end = m->cube_count;
        m->made->field.level_count = level + 1;
        if (level + 1 == OVI_FIELD_LEVELS) {
            break;
        }
        good = divide(m, m->level_first, end);
        above = m->level_first;
        m->level_first = end;
    }
    return good;
}

/** Nodes of the tree, and which cube each brick is of; coarse ones first. */
static void lay_out(maker *m, float limit, size_t roots) {
    uint32_t *all = m->made->nodes;
    size_t bricks = 0, nodes = roots;
    // the queue is the array of nodes itself: until its turn an entry is the number of its cube
    for (uint32_t n = 0; n < roots; n++) {
        all[n] = n;
    }
    for (size_t n = 0; n < nodes; n++) {
        if (all[n] & OVI_NODE_BRICK) {
            continue; // the brick of its parent
        }
        uint32_t number = all[n], brick = OVI_NODE_BRICK | (uint32_t)bricks;
        const cube *c = &m->cubes[number];
        unsigned mask = divided(c, limit);
        if (mask != 255) {
            m->used[bricks] = (uint8_t)~mask;
            m->leaves[bricks++] = number;
        }
        all[n] = mask != 0 ? (uint32_t)nodes : brick;
        for (int o = 0; o < 8 && mask != 0; o++) {
            all[nodes++] = mask >> o & 1 ? c->child[o] : brick | OVI_NODE_PARENT;
        }
    }
}

/* ---- writing bricks */

/** The brick that holds a cube of a level, if it is as large or larger; else null. */
static const cube *holder(const maker *m, uint32_t level, int64_t x, int64_t y, int64_t z,
                          uint32_t *brick) {
    const ovi_field *f = &m->made->field;
    if (x < 0 || y < 0 || z < 0 || x >> level >= f->dims[0] || y >> level >= f->dims[1] ||
        z >> level >= f->dims[2]) {
        return NULL;
    }
    size_t root = ((size_t)(z >> level) * f->dims[1] + (size_t)(y >> level)) * f->dims[0] +
                  (size_t)(x >> level);
    uint32_t node = m->made->nodes[root];
    for (uint32_t l = level; !(node & OVI_NODE_BRICK); l--) {
        if (l == 0) {
            return NULL;
        }
        uint32_t s = l - 1;
        node =
            m->made->nodes[node + (uint32_t)((x >> s & 1) + 2 * (y >> s & 1) + 4 * (z >> s & 1))];
    }
    *brick = node & OVI_NODE_NUMBER;
    return &m->cubes[m->leaves[*brick]];
}

/** A brick as numbers. */
static void decode(const maker *m, const ovi_brick *b, uint32_t level, float *g) {
    double step = m->made->field.steps[level];
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        g[n] = (float)(step * (b->base + b->v[n]));
    }
}

/** A sample of a finer cube in a coarser one: the cell, and the place in it. */
typedef struct coarse_place {
    place cell;
    double u, v, w;
} coarse_place;

static coarse_place place_in_coarse(const cube *from, const cube *c, int i, int j, int k) {
    double scale = ldexp(1.0, -(int)(c->level - from->level));
    double x = (c->x * 4.0 + i) * scale - from->x * 4.0,
           y = (c->y * 4.0 + j) * scale - from->y * 4.0,
           z = (c->z * 4.0 + k) * scale - from->z * 4.0;
    place p = {x < 3.0 ? (int)x : 3, y < 3.0 ? (int)y : 3, z < 3.0 ? (int)z : 3};
    return (coarse_place){p, x - p.i, y - p.j, z - p.k};
}

/** What is interpolated there from the samples of the coarser one. */
static double coarse_value(const coarse_place *at_coarse, const float *g) {
    double f[OVI_CORNERS];
    place p = at_coarse->cell;
    for (int o = 0; o < OVI_CORNERS; o++) {
        f[o] = g[at(p.i + (o & 1), p.j + (o >> 1 & 1), p.k + (o >> 2))];
    }
    return blend(f, at_coarse->u, at_coarse->v, at_coarse->w);
}

static bool touches(int i, int d) { return d == 0 || (d < 0 ? i == 0 : i == OVI_BRICK_CELLS); }

/** A sample of a cube that lies on a side of a coarser neighbour. */
typedef struct side_sample {
    int number;
    coarse_place place;
} side_sample;

/** The samples of a cube on the side of a neighbour, 0 to 26, if that is in a brick of a coarser
 *  level; 0 if it is not. */
static int samples_on_side(const maker *m, const cube *c, int neighbour, uint32_t level,
                           uint32_t *brick, side_sample *out) {
    int dx = neighbour % 3 - 1, dy = neighbour / 3 % 3 - 1, dz = neighbour / 9 - 1, count = 0;
    const cube *from =
        holder(m, c->level, (int64_t)c->x + dx, (int64_t)c->y + dy, (int64_t)c->z + dz, brick);
    for (int s = 0; s < OVI_BRICK_SAMPLES && from != NULL && from->level == level; s++) {
        int i = s % OVI_BRICK_SIDE, j = s / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
            k = s / (OVI_BRICK_SIDE * OVI_BRICK_SIDE);
        if (touches(i, dx) && touches(j, dy) && touches(k, dz)) {
            out[count++] = (side_sample){s, place_in_coarse(from, c, i, j, k)};
        }
    }
    return count;
}

/** The samples that lie on sides of a coarser neighbour, from the finer to the coarsest. */
static void take_over(const maker *m, const cube *c, float *f) {
    float g[OVI_BRICK_SAMPLES];
    side_sample samples[OVI_BRICK_SAMPLES];
    for (uint32_t level = c->level; level-- > 0;) {
        for (int n = 0; n < 27; n++) {
            uint32_t brick = 0;
            int count = samples_on_side(m, c, n, level, &brick, samples);
            if (count > 0) {
                decode(m, &m->made->bricks[brick], level, g);
            }
            for (int i = 0; i < count; i++) {
                f[samples[i].number] = (float)coarse_value(&samples[i].place, g);
            }
        }
    }
}

/** What coarser bricks miss at the samples of finer ones beside them is known for nothing. */
static void look_at_sides(maker *m, size_t bricks) {
    side_sample samples[OVI_BRICK_SAMPLES];
    for (size_t number = 0; number < bricks; number++) {
        const cube *c = &m->cubes[m->leaves[number]];
        for (int n = 0; n < 27 * (int)c->level; n++) {
            uint32_t brick = 0;
            int count = samples_on_side(m, c, n % 27, (uint32_t)(n / 27), &brick, samples);
            cube *from = count > 0 ? &m->cubes[m->leaves[brick]] : NULL;
            for (int i = 0; i < count; i++) {
                place p = samples[i].place.cell;
                if (from->near[octant_of(p)] <= m->task->band) {
                    include(&from->miss[number_of(p)],
                            (double)c->f[samples[i].number] -
                                coarse_value(&samples[i].place, from->f));
                }
            }
        }
    }
}

/** The cube of a level at a place, if it is in the tree; else null. */
static const cube *cube_at(const maker *m, uint32_t level, int64_t x, int64_t y, int64_t z) {
    const uint32_t *dims = m->made->field.dims;
    if (x < 0 || y < 0 || z < 0 || x >> level >= dims[0] || y >> level >= dims[1] ||
        z >> level >= dims[2]) {
        return NULL;
    }
    const cube *c = &m->cubes[((size_t)(z >> level) * dims[1] + (size_t)(y >> level)) * dims[0] +
                              (size_t)(x >> level)];
    for (uint32_t s = level; s-- > 0;) {
        int o = (int)((x >> s & 1) + 2 * (y >> s & 1) + 4 * (z >> s & 1));
        if (!(divided(c, m->limit) >> o & 1)) {
            return NULL;
        }
        c = &m->cubes[c->child[o]];
    }
    return c;
}

enum { AROUND = OVI_BRICK_CELLS + 2 }; // cells along an edge of a cube with one more at each end

/** What is missed in the cells of a cube and in those of its size around it. */
static void gather_misses(const maker *m, const cube *c, span *all) {
    const cube *near[27];
    for (int n = 0; n < 27; n++) {
        near[n] = cube_at(m, c->level, (int64_t)c->x + n % 3 - 1, (int64_t)c->y + n / 3 % 3 - 1,
                          (int64_t)c->z + n / 9 - 1);
    }
    for (int n = 0; n < AROUND * AROUND * AROUND; n++) {
        int i = n % AROUND - 1, j = n / AROUND % AROUND - 1, k = n / AROUND / AROUND - 1;
        int a = (i + OVI_BRICK_CELLS) >> OVI_BRICK_BITS,
            b = (j + OVI_BRICK_CELLS) >> OVI_BRICK_BITS,
            d = (k + OVI_BRICK_CELLS) >> OVI_BRICK_BITS;
        const cube *from = near[(d * 3 + b) * 3 + a];
        place p = {i & (OVI_BRICK_CELLS - 1), j & (OVI_BRICK_CELLS - 1), k & (OVI_BRICK_CELLS - 1)};
        bool used = from != NULL && !(divided(from, m->limit) >> octant_of(p) & 1);
        all[n] = used ? from->miss[number_of(p)] : (span){0.0f, 0.0f};
    }
}

/**
 * Moves samples so that what the cells about them miss is shared out to both sides. A ridge is
 * missed on one side only: by half as much then. What is within a part of the error allowed stays.
 * Neighbours see the same cells about a sample that they share, so they move it alike.
 */
static void balance(const maker *m, const cube *c, float *f) {
    span all[AROUND * AROUND * AROUND];
    gather_misses(m, c, all);
    float fine = (float)((double)m->limit * m->task->error);
    for (int s = 0; s < OVI_BRICK_SAMPLES; s++) {
        int i = s % OVI_BRICK_SIDE, j = s / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
            k = s / OVI_BRICK_SIDE / OVI_BRICK_SIDE;
        span e = {0.0f, 0.0f};
        for (int n = 0; n < 8; n++) {
            const span *near =
                &all[((k + (n >> 2)) * AROUND + j + (n >> 1 & 1)) * AROUND + i + (n & 1)];
            e.lo = near->lo < e.lo ? near->lo : e.lo;
            e.hi = near->hi > e.hi ? near->hi : e.hi;
        }
        float up = e.hi - fine, down = e.lo + fine; // moves from `up` to `down` do for both
        if (up > down) {
            f[s] += 0.5f * (e.hi + e.lo);
        } else {
            f[s] += up > 0.0f ? up : down < 0.0f ? down : 0.0f;
        }
    }
}

static void write_brick(const maker *m, size_t number) {
    const cube *c = &m->cubes[m->leaves[number]];
    ovi_brick *b = &m->made->bricks[number];
    double step = m->made->field.steps[c->level];
    float f[OVI_BRICK_SAMPLES];
    memcpy(f, c->f, sizeof f);
    balance(m, c, f);
    take_over(m, c, f);
    double least = INFINITY;
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        least = fmin(least, rint(f[n] / step));
    }
    *b = (ovi_brick){.base = (int32_t)least};
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        b->v[n] = (uint8_t)fmin(255.0, rint(f[n] / step) - least);
    }
}

static void write_range(void *context, unsigned index, size_t begin, size_t end) {
    maker *m = context;
    (void)index;
    for (size_t n = begin; n < end; n++) {
        write_brick(m, m->first + n);
    }
}

static void write_bricks(maker *m, size_t bricks) {
    for (size_t first = 0, end; first < bricks; first = end) {
        uint32_t level = m->cubes[m->leaves[first]].level;
        for (end = first; end < bricks && m->cubes[m->leaves[end]].level == level; end++) {
        }
        m->first = first;
        ovi_ranges_run(write_range, m, end - first, 64, m->task->threads);
    }
}

/* ---- bounds of bricks */

/** How far the samples at the corners of a cell are from those that were written, at most. */
static double moved(const ovi_cell *c) {
    double most = 0.0;
    for (int i = 0; i < OVI_CORNERS; i++) {
        most = ovi_larger(most, fabs(c->f[i] - c->g[i]));
    }
    return most;
}

/** What there is of an octant's surroundings, once it is needed. */
typedef struct surroundings {
    vicinity cube, octant; // without a maker: not yet
} surroundings;

/** Bound of a cell for the values as written. */
static double prove_anew(surroundings *near, const scratch *s, const cube *whole, ovi_cell *c,
                         int octant, const maker *m) {
    if (near->octant.m == NULL) {
        near->cube = near->cube.m == NULL ? cube_vicinity(m, s, whole) : near->cube;
        near->octant =
            octant_vicinity(&near->cube, s, whole, octant, near->cube.list + near->cube.count);
        if (near->octant.count <= BOUNDED_MAX) {
            fill_rows(&near->octant, s, whole, octant);
        }
    }
    if (near->octant.count > BOUNDED_MAX) {
        return ovi_by_moves(c) + 4.0 * m->unsure;
    }
    cell_list(c, &near->octant, s);
    return ovi_cell_proven(c);
}

/** Bound of an octant of a brick whose values are `g`: the largest of its cells. What was proven
 *  for the samples holds for those that were written but for the difference; where that is more
 *  than rounding it may be proven anew, from the largest on, until no other takes more steps. */
static double bound_octant(surroundings *near, const scratch *s, const cube *whole, const float *g,
                           int octant, const maker *m) {
    double worst = 0.0, step = m->made->field.steps[whole->level], bounds[8];
    ovi_cell cells[8];
    for (int n = 0; n < 8; n++) {
        cells[n] = cell_of(m, whole, g, octant, n);
        double known = (double)whole->bound[number_of(place_of(octant, n))];
        bounds[n] = known > 0.0 ? known + moved(&cells[n]) + m->unsure : INFINITY;
        bool good = known > 0.0 && moved(&cells[n]) <= rounded * step;
        worst = good ? fmax(worst, bounds[n]) : worst;
    }
    near->octant.m = NULL;
    for (int tried = 0; tried < 8; tried++) {
        int largest = 0;
        for (int n = 1; n < 8; n++) {
            largest = bounds[n] > bounds[largest] ? n : largest;
        }
        if (!(ceil(bounds[largest] / step) > ceil(worst / step))) {
            return fmax(worst, bounds[largest]); // they are stored as the same
        }
        double anew = prove_anew(near, s, whole, &cells[largest], octant, m);
        worst = fmax(worst, fmin(anew, bounds[largest]));
        bounds[largest] = 0.0;
    }
    return worst;
}

static void bound_brick(const maker *m, const scratch *s, size_t number) {
    const cube *whole = &m->cubes[m->leaves[number]];
    ovi_brick *b = &m->made->bricks[number];
    double step = m->made->field.steps[whole->level];
    float g[OVI_BRICK_SAMPLES];
    decode(m, b, whole->level, g);
    surroundings near = {.cube = {.m = NULL}};
    for (int o = 0; o < 8; o++) {
        b->bounds[o] = OVI_BOUND_UNKNOWN; // of what is divided
        if (m->used[number] >> o & 1) {
            double bound = bound_octant(&near, s, whole, g, o, m);
            bound = ceil(bound / step * (1.0 + 1e-12));
            b->bounds[o] = (uint8_t)fmin(OVI_BOUND_UNKNOWN, bound);
        }
    }
}

static void bound_range(void *context, unsigned index, size_t begin, size_t end) {
    const maker *m = context;
    for (size_t n = begin; n < end; n++) {
        bound_brick(m, &m->scratches[index], n);
    }
}

static void sum_bounds(maker *m) {
    ovi_field_made *made = m->made;
    double sum = 0.0;
    size_t count = 0;
    for (size_t n = 0; n < made->brick_count; n++) {
        const cube *c = &m->cubes[m->leaves[n]];
        for (int o = 0; o < 8; o++) {
            if (!(m->used[n] >> o & 1) || c->near[o] > m->task->band) {
                continue;
            }
            double bound = made->field.steps[c->level] * made->bricks[n].bounds[o];
            made->bound_worst = fmax(made->bound_worst, bound);
            sum += bound;
            count++;
        }
    }
    made->bound_mean = count > 0 ? sum / (double)count : 0.0;
}

/* ---- the whole */

static void place_grid(const maker *m, ovi_field *f) {
    ov_aabb box = ov_trimesh_box(m->mesh);
    f->width = m->task->diagonal / ROOTS;
    double margin = f->width / OVI_BRICK_CELLS * MARGIN_CELLS / 2;
    ov_vec3 size = ov_vec3_sub(box.max, box.min);
    const double extents[3] = {size.x, size.y, size.z};
    double around[3];
    for (int i = 0; i < 3; i++) {
        f->dims[i] = (uint32_t)ceil((extents[i] + 2.0 * margin) / f->width);
        around[i] = 0.5 * (f->dims[i] * f->width - extents[i]);
    }
    f->origin = ov_vec3_sub(box.min, ov_vec3_make(around[0], around[1], around[2]));
    for (int l = 0; l < OVI_FIELD_LEVELS; l++) {
        f->steps[l] = ovi_field_step(f->width, l);
    }
}

static bool make_scratches(maker *m) {
    const ov_allocator *memory = m->task->allocator;
    size_t count = m->mesh->triangle_count;
    m->scratches = ovi_resize(memory, NULL, 0, m->scratch_count, sizeof *m->scratches);
    if (m->scratches == NULL) {
        return false;
    }
    memset(m->scratches, 0, m->scratch_count * sizeof *m->scratches);
    bool good = true;
    for (unsigned i = 0; i < m->scratch_count; i++) {
        scratch *s = &m->scratches[i];
        s->list = ovi_resize(memory, NULL, 0, (size_t)LISTS * count, sizeof *s->list);
        s->near = ovi_resize(memory, NULL, 0, BOUNDED_MAX, sizeof *s->near);
        s->rows = ovi_resize(memory, NULL, 0, BOUNDED_MAX, sizeof *s->rows);
        s->kept = ovi_resize(memory, NULL, 0, BOUNDED_MAX, sizeof *s->kept);
        s->from_middle = ovi_resize(memory, NULL, 0, BOUNDED_MAX, sizeof *s->from_middle);
        s->distances = ovi_resize(memory, NULL, 0, 8 * LISTED_MAX, sizeof *s->distances);
        good = good && s->from_middle != NULL && s->list != NULL && s->near != NULL &&
               s->rows != NULL && s->kept != NULL && s->distances != NULL;
    }
    m->facets = ovi_resize(memory, NULL, 0, count, sizeof *m->facets);
    for (uint32_t i = 0; i < count && m->facets != NULL; i++) {
        m->facets[i] = facet_with_ball(&m->task->tree->facets[i]);
    }
    return good && m->facets != NULL;
}

static void free_maker(maker *m) {
    const ov_allocator *memory = m->task->allocator;
    size_t count = m->mesh->triangle_count;
    for (unsigned i = 0; i < m->scratch_count && m->scratches != NULL; i++) {
        ovi_release(memory, m->scratches[i].list, (size_t)LISTS * count, sizeof(uint32_t));
        ovi_release(memory, m->scratches[i].near, BOUNDED_MAX, sizeof(uint32_t));
        ovi_release(memory, m->scratches[i].rows, BOUNDED_MAX, sizeof(ovi_facet_row));
        ovi_release(memory, m->scratches[i].kept, BOUNDED_MAX, sizeof(uint32_t));
        ovi_release(memory, m->scratches[i].from_middle, BOUNDED_MAX, sizeof(double));
        ovi_release(memory, m->scratches[i].distances, 8 * LISTED_MAX, sizeof(double));
    }
    ovi_release(memory, m->scratches, m->scratch_count, sizeof *m->scratches);
    ovi_release(memory, m->facets, count, sizeof *m->facets);
    ovi_release(memory, m->cubes, m->cube_room, sizeof *m->cubes);
    ovi_release(memory, m->leaves, m->made->brick_count, sizeof *m->leaves);
    ovi_release(memory, m->used, m->made->brick_count, sizeof *m->used);
}

/** Bricks and nodes, once all cubes are there. */
static bool finish_field(maker *m) {
    ovi_field_made *made = m->made;
    const ov_allocator *memory = m->task->allocator;
    m->limit = choose_limit(m);
    count_up(m, m->limit, m->cube_count, &made->brick_count, &made->node_count);
    if (made->node_count > OVI_NODE_NUMBER) {
        made->brick_count = made->node_count = 0;
        return false; // nodes have no more bits for a number
    }
    made->nodes = ovi_resize(memory, NULL, 0, made->node_count, sizeof *made->nodes);
    made->bricks = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *made->bricks);
    m->leaves = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *m->leaves);
    m->used = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *m->used);
    if (made->nodes == NULL || made->bricks == NULL || m->leaves == NULL || m->used == NULL) {
        return false;
    }
    const uint32_t *dims = made->field.dims;
    lay_out(m, m->limit, (size_t)dims[0] * dims[1] * dims[2]);
    made->field.nodes = made->nodes;
    made->field.bricks = made->bricks;
    look_at_sides(m, made->brick_count);
    write_bricks(m, made->brick_count);
    ovi_ranges_run(bound_range, m, made->brick_count, 16, m->task->threads);
    sum_bounds(m);
    return true;
}

ov_status ovi_touch_field_make(const ovi_field_task *task, ovi_field_made *made) {
    maker m = {.task = task, .mesh = task->mesh, .made = made, .too_low = 1.0f};
    memset(made, 0, sizeof *made);
    ov_aabb box = ov_trimesh_box(task->mesh);
    double reach = ovi_larger(ov_vec3_length(box.min), ov_vec3_length(box.max)) + task->diagonal;
    // nearest points of slivers, and samples in single precision
    m.unsure = 4e-7 * task->diagonal + ovi_touch_rounding(reach);
    place_grid(&m, &made->field);
    made->field.slack = ovi_touch_rounding(reach);
    m.scratch_count = ovi_threads_for(SIZE_MAX / 2, 1, task->threads);
    bool good = make_scratches(&m) && sample_levels(&m) && finish_field(&m);
    free_maker(&m);
    if (!good) {
        ovi_touch_field_free(task->allocator, made);
        return OV_ERROR_MEMORY;
    }
    return OV_OK;
}
