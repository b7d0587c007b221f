/**
 * @file touch_field.c
 * @brief Makes the brick field of a mesh: samples, where to divide, and bounds of the error.
 *
 * 1. Cubes of the grid are sampled at the corners of their cells, and tested at the middles. The
 *    octants that miss the error there become cubes of half the size, level by level.
 * 2. Where that takes more memory than there is, the divisions with the least errors are undone.
 * 3. Bricks are written from the coarse to the fine. A sample on the side of a coarser brick takes
 *    the value that is interpolated there, so that the field has no steps but those of its numbers.
 * 4. The error of every cell is bounded for the numbers as they were written, by the best of three
 *    proofs. Let f be the distance, g_i the samples at the corners c_i of a cell with edge h and
 *    middle m, and g what is interpolated from them. A function that is linear or of one such
 *    interpolation is largest and least at corners.
 *      a. f changes by no more than a point moves: |f - g| <= max |f(c_i) - g_i| + sqrt(3)/2 h.
 *      b. No surface in the cell: |f| is the least of the distances d_T of triangles, and each of
 *         these is convex. So it is above the plane u.(x - T) of any unit vector u, and below what
 *         is interpolated from its own values at the corners: |f| - |g| is at least the least of
 *         u_T.(c_i - T) - |g_i| over all triangles that can be nearest, and at most the largest of
 *         d_T(c_i) - |g_i|, for any of them or for the mean of two.
 *      c. The surface near the cell, in a ball of radius R about m, is in a slab |L| <= delta, L
 *         linear with a unit gradient n: above and below the slab the sign does not change, and one
 *         sample in each of them tells what it is. From x above the slab the surface is at least
 *         L(x) - delta away; going down by L(x) + delta the sign changes. So |f - L| <= delta,
 *         and |f - g| <= delta + max |L(c_i) - g_i|.
 */
#include <stdlib.h>

#include "touch_internal.h"

enum {
    ROOTS = 16,        // along the diagonal of the mesh's box
    BRUTE = 256,       // so many triangles are looked at one by one, without the tree
    BOUNDED_MAX = 768, // with more of them in reach a brick is bounded by proof a alone
    MARGIN_CELLS = 6,  // of a root, around the box of the mesh
    CORNERS = 8,
    BOUND_EXCESS = 6, // what is proven may be so many times what is allowed
    CERTAIN = 4       // and what misses by this is divided, if anything is
};
static const double outward_growth = 1.0; // of the error allowed, by the distance beyond the band

typedef struct cube {
    uint32_t level, x, y, z; // in units of its own size
    uint32_t child[8];       // of each octant; 0: none
    float score[8];          // of each octant: the error found, in units of that allowed
    float near[8];           // the distance of the surface, at least
    bool there;              // in the tree as it is being counted
    float f[OVI_BRICK_SAMPLES];
} cube;

/** What a thread works in. */
typedef struct scratch {
    uint32_t *list;
    double *distances; // of those in the list from the middle of a cell
    ov_vec3 *feet;
} scratch;

/** A triangle, and a ball around it. */
typedef struct ball_facet {
    ovi_facet facet;
    ov_vec3 centre;
    double radius;
} ball_facet;

typedef struct maker {
    const ovi_field_task *task;
    const ov_trimesh *mesh;
    ball_facet *facets;
    ovi_field_made *made;
    cube *cubes;
    size_t cube_count, cube_room;
    uint32_t *leaves; // the cube of each brick
    uint8_t *used;    // and its octants that are not divided, as bits
    scratch *scratches;
    unsigned scratch_count;
    double unsure; // rounding of distances, slivers included
    size_t first;  // of the range that is worked on
} maker;

static double cube_width(const maker *m, uint32_t level) {
    return ldexp(m->made->field.width, -(int)level);
}

static ov_vec3 cube_corner(const maker *m, const cube *c) {
    double w = cube_width(m, c->level);
    ov_vec3 o = m->made->field.origin;
    return ov_vec3_make(o.x + w * c->x, o.y + w * c->y, o.z + w * c->z);
}

static double distance_of(ov_vec3 a, ov_vec3 b) {
    ov_vec3 d = ov_vec3_sub(a, b);
    return sqrt(ov_vec3_dot(d, d));
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

/** Distances near a cube: by a list of all triangles that matter, or where that is long by the
 * tree.
 */
typedef struct vicinity {
    const maker *m;
    const uint32_t *list;
    uint32_t count;
    bool listed;
    double to_middle;
} vicinity;

/** Is all of a triangle further from a point than this? The ball is a little wide. */
static bool is_beyond(const ball_facet *t, ov_vec3 p, double reach) {
    ov_vec3 away = ov_vec3_sub(p, t->centre);
    double most = reach + t->radius;
    return ov_vec3_dot(away, away) > most * most;
}

static double list_distance(const vicinity *v, ov_vec3 p, double hint) {
    double least = hint, square = hint * hint;
    for (uint32_t i = 0; i < v->count; i++) {
        const ball_facet *t = &v->m->facets[v->list[i]];
        if (is_beyond(t, p, least)) {
            continue;
        }
        ov_vec3 away = ov_vec3_sub(p, ovi_facet_nearest(&t->facet, p));
        double d = ov_vec3_dot(away, away);
        if (d < square) {
            square = d;
            least = sqrt(d);
        }
    }
    return least;
}

/** `hint`: the distance is no more. */
static double distance_at(const vicinity *v, ov_vec3 p, double hint) {
    double reach = hint * (1.0 + 1e-9) + v->m->unsure;
    if (v->listed) {
        return list_distance(v, p, reach);
    }
    return ovi_touch_nearest(v->m->task->tree, p, reach).distance;
}

static vicinity vicinity_of(const maker *m, const scratch *s, ov_vec3 middle, double radius) {
    vicinity v = {.m = m, .list = s->list};
    v.to_middle = ovi_touch_nearest(m->task->tree, middle, INFINITY).distance;
    double reach = v.to_middle + 2.0 * radius * 1.001 + m->unsure;
    uint32_t found = facets_within(m->task->tree, middle, reach, s->list);
    for (uint32_t i = 0; i < found; i++) {
        ov_vec3 q = ovi_facet_nearest(&m->facets[s->list[i]].facet, middle);
        if (distance_of(middle, q) <= reach) {
            s->list[v.count++] = s->list[i];
        }
    }
    v.listed = v.count <= BRUTE;
    return v;
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

static double blend(const float *f, int i, int j, int k, double u, double v, double w) {
    double low[2];
    for (int n = 0; n < 2; n++) {
        const float *s = &f[at(i, j, k + n)], *t = &f[at(i, j + 1, k + n)];
        double a = s[0] + u * (s[1] - s[0]), b = t[0] + u * (t[1] - t[0]);
        low[n] = a + v * (b - a);
    }
    return low[0] + w * (low[1] - low[0]);
}

/** A cell of a brick, and a place in it. */
typedef struct place {
    int i, j, k;
    double u, v, w;
} place;

static int octant_of(int i, int j, int k) { return (i >> 1) + 2 * (j >> 1) + 4 * (k >> 1); }

/* ---- how far what is interpolated is off */

/** A cell: exact samples, those written, and the triangles that may be nearest in it. */
typedef struct cell {
    ov_vec3 middle, corners[CORNERS];
    double h, radius;
    double f[CORNERS], g[CORNERS];
    double nearest; // from the middle
    const maker *m;
    const uint32_t *list;
    uint32_t count;
    const double *distances;
    const ov_vec3 *feet;
} cell;

static double by_moves(const cell *c) {
    double miss = 0.0;
    for (int i = 0; i < CORNERS; i++) {
        miss = fmax(miss, fabs(c->f[i] - c->g[i]));
    }
    return miss + c->radius;
}

/** Unit vector from a triangle to the middle of the cell; zero where that is on it. */
static ov_vec3 from_triangle(const cell *c, uint32_t n) {
    if (!(c->distances[n] > c->m->unsure)) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    return ov_vec3_scale(ov_vec3_sub(c->middle, c->feet[n]), 1.0 / c->distances[n]);
}

/** How far |g| is above |f|, at most, or something above `most`; sets `clear` to false where there
 *  may be surface in the cell. */
static double above(const cell *c, double sign, double most, bool *clear) {
    double worst = 0.0;
    for (uint32_t n = 0; n < c->count && worst <= most; n++) {
        ov_vec3 u = from_triangle(c, n);
        const ovi_facet *t = &c->m->facets[c->list[n]].facet;
        for (int i = 0; i < CORNERS; i++) {
            double ahead = ovi_facet_ahead(t, c->corners[i], u);
            *clear = *clear && ahead > c->m->unsure;
            worst = ovi_larger(worst, sign * c->g[i] - ahead);
        }
    }
    *clear = *clear && worst <= most;
    return worst;
}

/** What a triangle is further away from the corners than is written there. */
static void excess(const cell *c, uint32_t n, double sign, double *out) {
    const ovi_facet *t = &c->m->facets[c->list[n]].facet;
    for (int i = 0; i < CORNERS; i++) {
        ov_vec3 q = ovi_facet_nearest(t, c->corners[i]);
        out[i] = distance_of(c->corners[i], q) - sign * c->g[i];
    }
}

static double largest(const double *a, const double *b) {
    double most = 0.0;
    for (int i = 0; i < CORNERS; i++) {
        most = fmax(most, 0.5 * (a[i] + b[i]));
    }
    return most;
}

/** How far |f| is above |g|, at most: by the triangle nearest to the middle, and by that nearest to
 *  the corner where this one does worst. */
static double below(const cell *c, double sign) {
    double a[CORNERS], b[CORNERS], least = INFINITY;
    uint32_t first = 0, second = 0;
    for (uint32_t n = 0; n < c->count; n++) {
        first = c->distances[n] < c->distances[first] ? n : first;
    }
    excess(c, first, sign, a);
    int worst = 0;
    for (int i = 1; i < CORNERS; i++) {
        worst = a[i] > a[worst] ? i : worst;
    }
    for (uint32_t n = 0; n < c->count; n++) {
        ov_vec3 q = ovi_facet_nearest(&c->m->facets[c->list[n]].facet, c->corners[worst]);
        double d = distance_of(c->corners[worst], q);
        second = d < least ? n : second;
        least = fmin(least, d);
    }
    excess(c, second, sign, b);
    return fmin(fmin(largest(a, a), largest(b, b)), largest(a, b));
}

/** The slab of proof c: from lo to hi along n from the middle. */
typedef struct slab {
    ov_vec3 n;
    double lo, hi, radius;
} slab;

/** Extends a slab by the part of a triangle that is in the ball. */
static void slab_add(slab *s, const cell *c, const ovi_facet *t) {
    double a = ov_vec3_dot(s->n, ov_vec3_sub(t->a, c->middle));
    double b = a + ov_vec3_dot(s->n, t->ab), d = a + ov_vec3_dot(s->n, t->ac);
    double lo = fmin(a, fmin(b, d)), hi = fmax(a, fmax(b, d));
    ov_vec3 normal = ov_vec3_cross(t->ab, t->ac);
    double area = ov_vec3_length(normal);
    // of a triangle that is no sliver: the disc in which its plane meets the ball
    if (area > 1e-6 * (t->bb + t->cc)) {
        normal = ov_vec3_scale(normal, 1.0 / area);
        double away = ov_vec3_dot(normal, ov_vec3_sub(c->middle, t->a));
        double cosine = ov_vec3_dot(normal, s->n);
        double sine = ov_vec3_length(ov_vec3_cross(normal, s->n));
        double disc = sqrt(fmax(0.0, s->radius * s->radius - away * away)) * sine;
        lo = fmax(lo, -away * cosine - disc);
        hi = fmin(hi, -away * cosine + disc);
    }
    s->lo = fmin(s->lo, lo);
    s->hi = fmax(s->hi, hi);
}

/** Gradient of what is interpolated, at the middle. */
static ov_vec3 cell_gradient(const cell *c) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (int i = 0; i < CORNERS; i++) {
        x += i & 1 ? c->g[i] : -c->g[i];
        y += i & 2 ? c->g[i] : -c->g[i];
        z += i & 4 ? c->g[i] : -c->g[i];
    }
    return ov_vec3_normalize(ov_vec3_make(x, y, z));
}

/** Proof c; infinite where it fails. `cube_f` are the exact samples of the brick. */
static double by_slab(const cell *c, const cube *whole, ov_vec3 corner) {
    slab s = {.n = cell_gradient(c), .lo = INFINITY, .hi = -INFINITY};
    s.radius = 2.0 * c->radius * 1.0001 + c->nearest;
    if (!(ov_vec3_dot(s.n, s.n) > 0.5)) {
        return INFINITY;
    }
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->distances[n] <= s.radius + c->m->unsure) {
            slab_add(&s, c, &c->m->facets[c->list[n]].facet);
        }
    }
    double delta = 0.5 * (s.hi - s.lo) + c->m->unsure, level = 0.5 * (s.hi + s.lo);
    bool up = false, down = false;
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        ov_vec3 p = ov_vec3_make(n % OVI_BRICK_SIDE, n / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
                                 n / (OVI_BRICK_SIDE * OVI_BRICK_SIDE));
        p = ov_vec3_sub(ov_vec3_add_scaled(corner, p, c->h), c->middle);
        double height = ov_vec3_dot(s.n, p) - level;
        if (fabs(height) <= delta || ov_vec3_dot(p, p) > s.radius * s.radius) {
            continue;
        }
        if ((height > 0.0) != (whole->f[n] > 0.0f)) {
            return INFINITY; // a thin wall, or the inside above
        }
        up = up || height > 0.0;
        down = down || height < 0.0;
    }
    double fall = delta + fabs(level), miss = 0.0;
    if (!up || !down || !(c->radius * c->radius + fall * fall < s.radius * s.radius)) {
        return INFINITY;
    }
    for (int i = 0; i < CORNERS; i++) {
        double height = ov_vec3_dot(s.n, ov_vec3_sub(c->corners[i], c->middle)) - level;
        // surface beyond the ball is further away than this
        if (fabs(height) - delta > s.radius - c->radius) {
            return INFINITY;
        }
        miss = fmax(miss, fabs(height - c->g[i]));
    }
    return delta + miss;
}

/** Do the samples at the corners have both signs? */
static bool changes_sign(const cell *c) {
    bool inside = false, outside = false;
    for (int i = 0; i < CORNERS; i++) {
        inside = inside || c->f[i] < 0.0;
        outside = outside || c->f[i] >= 0.0;
    }
    return inside && outside;
}

static double cell_bound(const cell *c, const cube *whole, ov_vec3 corner) {
    bool solid = ov_trimesh_is_solid(c->m->mesh), clear = !(solid && changes_sign(c));
    double sign = solid && c->f[0] < 0.0 ? -1.0 : 1.0, bound = by_moves(c), over = INFINITY;
    if (clear) {
        over = above(c, sign, bound, &clear);
    }
    if (over <= bound && (!solid || clear || c->nearest > c->radius + c->m->unsure)) {
        bound = fmin(bound, fmax(over, below(c, sign)));
    } else if (solid && !(c->nearest > c->radius + c->m->unsure)) {
        bound = fmin(bound, by_slab(c, whole, corner));
    }
    return bound + 4.0 * c->m->unsure;
}

/** Of the triangles near a brick, those that may be nearest in a cell, behind that list. `hint`:
 * the surface is no further from the middle. */
static void cell_list(cell *c, const vicinity *v, const scratch *s, double hint) {
    double more = 2.0 * c->radius * 1.001 + c->m->unsure;
    uint32_t *kept = s->list + v->count; // there is room for twice the list
    uint32_t found = 0;
    c->nearest = hint;
    for (uint32_t n = 0; n < v->count; n++) {
        const ball_facet *t = &c->m->facets[v->list[n]];
        if (is_beyond(t, c->middle, c->nearest + more)) {
            continue;
        }
        ov_vec3 q = ovi_facet_nearest(&t->facet, c->middle), away = ov_vec3_sub(c->middle, q);
        kept[found] = v->list[n];
        s->feet[found] = q;
        s->distances[found] = sqrt(ov_vec3_dot(away, away));
        c->nearest = fmin(c->nearest, s->distances[found]);
        found++;
    }
    c->count = 0;
    for (uint32_t n = 0; n < found; n++) {
        if (s->distances[n] <= c->nearest + more) {
            kept[c->count] = kept[n];
            s->distances[c->count] = s->distances[n];
            s->feet[c->count++] = s->feet[n];
        }
    }
    c->list = kept;
    c->distances = s->distances;
    c->feet = s->feet;
}

static cell cell_of(const maker *m, const cube *whole, const float *g, ov_vec3 corner, double h,
                    int i, int j, int k) {
    cell c = {.m = m, .h = h, .radius = 0.86603 * h};
    for (int o = 0; o < CORNERS; o++) {
        int a = i + (o & 1), b = j + (o >> 1 & 1), d = k + (o >> 2);
        c.corners[o] = ov_vec3_add(corner, ov_vec3_make(h * a, h * b, h * d));
        c.f[o] = whole->f[at(a, b, d)];
        c.g[o] = g[at(a, b, d)];
    }
    c.middle = ov_vec3_scale(ov_vec3_add(c.corners[0], c.corners[CORNERS - 1]), 0.5);
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

/** The miss at a point of a cell. */
static double miss_at(const vicinity *v, const cell *c, const float *f, place p) {
    ov_vec3 x = ov_vec3_add_scaled(c->corners[0], ov_vec3_make(p.u, p.v, p.w), c->h);
    double g = fabs(blend(f, p.i, p.j, p.k, p.u, p.v, p.w));
    return fabs(distance_at(v, x, c->nearest + c->radius) - g);
}

/** The largest miss at the middle of a cell, or if that is small in the middles of its sides and at
 *  points between: surfaces that meet at an angle have it there. */
static double miss_of(const vicinity *v, const cell *c, const float *f, place p, double allowed) {
    static const double points[][3] = {{0.5, 0.5, 0.5},    {0.0, 0.5, 0.5},    {1.0, 0.5, 0.5},
                                       {0.5, 0.0, 0.5},    {0.5, 1.0, 0.5},    {0.5, 0.5, 0.0},
                                       {0.5, 0.5, 1.0},    {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25},
                                       {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}, {0.75, 0.75, 0.75}};
    double worst = 0.0;
    for (size_t n = 0; n < sizeof points / sizeof points[0] && worst <= 2.0 * allowed; n++) {
        p.u = points[n][0];
        p.v = points[n][1];
        p.w = points[n][2];
        worst = fmax(worst, miss_at(v, c, f, p));
    }
    return worst;
}

/** Scores by what is proven, or else by what is found. */
static void rate(const vicinity *v, const scratch *s, cube *c, ov_vec3 corner, double h) {
    const maker *m = v->m;
    double worst[8] = {0.0}, allowed[8];
    for (int o = 0; o < 8; o++) {
        c->near[o] = (float)octant_near(c, o, h);
        allowed[o] = m->task->error + outward_growth * fmax(0.0, c->near[o] - m->task->band);
    }
    for (int n = 0; n < OVI_BRICK_CELLS * OVI_BRICK_CELLS * OVI_BRICK_CELLS; n++) {
        int i = n % OVI_BRICK_CELLS, j = n / OVI_BRICK_CELLS % OVI_BRICK_CELLS,
            k = n / (OVI_BRICK_CELLS * OVI_BRICK_CELLS), o = octant_of(i, j, k);
        if (worst[o] > CERTAIN * allowed[o]) {
            continue; // it is to be divided, whatever else there is
        }
        cell e = cell_of(m, c, c->f, corner, h, i, j, k);
        double bound = by_moves(&e);
        if (bound > allowed[o] && v->count <= BOUNDED_MAX) {
            cell_list(&e, v, s, fabs(e.f[0]) + e.radius * 1.001 + m->unsure);
            bound = cell_bound(&e, c, corner);
        } else {
            e.nearest = fabs(e.f[0]) + e.radius;
        }
        if (bound > allowed[o]) {
            double miss = miss_of(v, &e, c->f, (place){.i = i, .j = j, .k = k}, allowed[o]);
            worst[o] = fmax(worst[o], fmax(miss, bound / BOUND_EXCESS));
        }
    }
    for (int o = 0; o < 8; o++) {
        c->score[o] = (float)(worst[o] / allowed[o]);
    }
}

static void sample_cube(const maker *m, const scratch *s, cube *c) {
    double width = cube_width(m, c->level), h = width / OVI_BRICK_CELLS;
    double radius = 0.8661 * width;
    ov_vec3 corner = cube_corner(m, c);
    ov_vec3 middle = ov_vec3_add(corner, ov_vec3_make(0.5 * width, 0.5 * width, 0.5 * width));
    vicinity v = vicinity_of(m, s, middle, radius);
    bool solid = ov_trimesh_is_solid(m->mesh), clear = v.to_middle > radius + m->unsure;
    double sign = solid && clear ? side_of(m, middle) : 1.0;
    double hint = v.to_middle + radius;
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        int i = n % OVI_BRICK_SIDE, j = n / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
            k = n / (OVI_BRICK_SIDE * OVI_BRICK_SIDE);
        ov_vec3 p = ov_vec3_add(corner, ov_vec3_make(h * i, h * j, h * k));
        double d = distance_at(&v, p, i > 0 ? fabs((double)c->f[n - 1]) + h : hint);
        if (solid && !clear) {
            sign = sample_sign(m, c->f, i, j, k, d, h, p);
        }
        c->f[n] = (float)(sign * d);
    }
    rate(&v, s, c, corner, h);
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
    }
    m->cube_count = count;
    return true;
}

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

/**
 * The score above which octants of a level are divided: 1, or as many of the worst as may be of
 * use. Some more than memory has room for, as divisions of this level compete with those of the
 * next. Negative for want of memory.
 */
static float division_limit(const maker *m, size_t first, size_t end) {
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
    return limit;
}

/** Makes cubes of the octants of a level that need it. */
static bool divide(maker *m, size_t first, size_t end) {
    float limit = division_limit(m, first, end);
    for (size_t n = first; n < end && limit >= 0.0f; n++) {
        if (!more_cubes(m, 8)) {
            return false;
        }
        for (uint32_t o = 0; o < 8; o++) {
            cube *c = &m->cubes[n];
            if (!(c->score[o] > limit)) {
                continue;
            }
            c->child[o] = (uint32_t)m->cube_count;
            m->cubes[m->cube_count++] = (cube){.level = c->level + 1,
                                               .x = 2 * c->x + (o & 1),
                                               .y = 2 * c->y + (o >> 1 & 1),
                                               .z = 2 * c->z + (o >> 2)};
        }
    }
    return limit >= 0.0f;
}

/** All levels, each as far as the error asks for it. */
static bool sample_levels(maker *m) {
    bool good = make_roots(m);
    size_t first = 0;
    for (uint32_t level = 0; good && first < m->cube_count; level++) {
        size_t end = m->cube_count;
        m->first = first;
        ovi_ranges_run(sample_range, m, end - first, 4, m->task->threads);
        m->made->field.level_count = level + 1;
        if (level + 1 == OVI_FIELD_LEVELS) {
            break;
        }
        good = divide(m, first, end);
        first = end;
    }
    return good;
}

/** Which octants of a cube are divided where scores above a limit are. */
static unsigned divided(const cube *c, float limit) {
    unsigned mask = 0;
    for (int o = 0; o < 8; o++) {
        mask |= (unsigned)(c->child[o] != 0 && c->score[o] > limit) << o;
    }
    return mask;
}

/** Bricks and nodes of the tree in which octants with a score above the limit are divided. A cube
 *  with all octants divided needs no brick. */
static void count_up(const maker *m, float limit, size_t *bricks, size_t *nodes) {
    const uint32_t *dims = m->made->field.dims;
    size_t roots = (size_t)dims[0] * dims[1] * dims[2];
    *bricks = 0;
    *nodes = roots;
    // a child comes behind its parent, so that it is marked before it is looked at
    for (size_t n = 0; n < m->cube_count; n++) {
        cube *c = &m->cubes[n];
        c->there = n < roots || c->there;
        unsigned mask = c->there ? divided(c, limit) : 0;
        for (int o = 0; o < 8; o++) {
            if (c->child[o] != 0) {
                m->cubes[c->child[o]].there = mask >> o & 1;
            }
        }
        *nodes += mask != 0 ? 8 : 0;
        *bricks += c->there && mask != 255;
    }
}

static size_t field_size(size_t bricks, size_t nodes) {
    return bricks * sizeof(ovi_brick) + nodes * sizeof(uint32_t);
}

/** The least limit of scores that memory allows; 1 is what the error asks for. */
static float choose_limit(const maker *m, size_t *bricks, size_t *nodes) {
    float low = 1.0f, high = 1e9f;
    count_up(m, low, bricks, nodes);
    if (field_size(*bricks, *nodes) <= m->task->memory) {
        return low;
    }
    for (int n = 0; n < 40; n++) {
        float middle = sqrtf(low * high);
        count_up(m, middle, bricks, nodes);
        bool fits = field_size(*bricks, *nodes) <= m->task->memory;
        *(fits ? &high : &low) = middle;
    }
    count_up(m, high, bricks, nodes);
    return high;
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
                          const ovi_brick **brick) {
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
    *brick = &m->made->bricks[node & OVI_NODE_NUMBER];
    return &m->cubes[m->leaves[node & OVI_NODE_NUMBER]];
}

/** A brick as numbers. */
static void decode(const maker *m, const ovi_brick *b, uint32_t level, float *g) {
    double step = m->made->field.steps[level];
    for (int n = 0; n < OVI_BRICK_SAMPLES; n++) {
        g[n] = (float)(step * (b->base + b->v[n]));
    }
}

/** What a coarser brick says at a sample of a finer one. */
static double coarse_value(const cube *from, const float *g, const cube *c, int i, int j, int k) {
    double scale = ldexp(1.0, -(int)(c->level - from->level));
    double x = (c->x * 4.0 + i) * scale - from->x * 4.0,
           y = (c->y * 4.0 + j) * scale - from->y * 4.0,
           z = (c->z * 4.0 + k) * scale - from->z * 4.0;
    int a = x < 3.0 ? (int)x : 3, b = y < 3.0 ? (int)y : 3, d = z < 3.0 ? (int)z : 3;
    return blend(g, a, b, d, x - a, y - b, z - d);
}

static bool touches(int i, int d) { return d == 0 || (d < 0 ? i == 0 : i == OVI_BRICK_CELLS); }

/** The samples that lie on sides of a coarser neighbour, from the finer to the coarsest. */
static void take_over(const maker *m, const cube *c, float *f) {
    float g[OVI_BRICK_SAMPLES];
    for (uint32_t level = c->level; level-- > 0;) {
        for (int n = 0; n < 27; n++) {
            int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
            const ovi_brick *brick = NULL;
            const cube *from = holder(m, c->level, (int64_t)c->x + dx, (int64_t)c->y + dy,
                                      (int64_t)c->z + dz, &brick);
            if (from == NULL || from->level != level) {
                continue;
            }
            decode(m, brick, level, g);
            for (int s = 0; s < OVI_BRICK_SAMPLES; s++) {
                int i = s % OVI_BRICK_SIDE, j = s / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
                    k = s / (OVI_BRICK_SIDE * OVI_BRICK_SIDE);
                if (touches(i, dx) && touches(j, dy) && touches(k, dz)) {
                    f[s] = (float)coarse_value(from, g, c, i, j, k);
                }
            }
        }
    }
}

static void write_brick(const maker *m, size_t number) {
    const cube *c = &m->cubes[m->leaves[number]];
    ovi_brick *b = &m->made->bricks[number];
    double step = m->made->field.steps[c->level];
    float f[OVI_BRICK_SAMPLES];
    memcpy(f, c->f, sizeof f);
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

static void bound_brick(const maker *m, const scratch *s, size_t number) {
    const cube *whole = &m->cubes[m->leaves[number]];
    ovi_brick *b = &m->made->bricks[number];
    double width = cube_width(m, whole->level), h = width / OVI_BRICK_CELLS;
    double step = m->made->field.steps[whole->level], bounds[8] = {0.0};
    float g[OVI_BRICK_SAMPLES];
    decode(m, b, whole->level, g);
    ov_vec3 corner = cube_corner(m, whole);
    ov_vec3 middle = ov_vec3_add(corner, ov_vec3_make(0.5 * width, 0.5 * width, 0.5 * width));
    vicinity v = vicinity_of(m, s, middle, 0.8661 * width);
    for (int n = 0; n < OVI_BRICK_CELLS * OVI_BRICK_CELLS * OVI_BRICK_CELLS; n++) {
        int i = n % OVI_BRICK_CELLS, j = n / OVI_BRICK_CELLS % OVI_BRICK_CELLS,
            k = n / (OVI_BRICK_CELLS * OVI_BRICK_CELLS);
        int octant = octant_of(i, j, k);
        if (!(m->used[number] >> octant & 1)) {
            bounds[octant] = INFINITY;
            continue;
        }
        cell c = cell_of(m, whole, g, corner, h, i, j, k);
        double bound = by_moves(&c) + 4.0 * m->unsure;
        if (v.count <= BOUNDED_MAX) {
            cell_list(&c, &v, s, fabs(c.f[0]) + c.radius * 1.001 + m->unsure);
            bound = cell_bound(&c, whole, corner);
        }
        bounds[octant] = fmax(bounds[octant], bound);
    }
    for (int o = 0; o < 8; o++) {
        b->bounds[o] = (uint8_t)fmin(OVI_BOUND_UNKNOWN, ceil(bounds[o] / step * (1.0 + 1e-12)));
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

static ball_facet facet_with_ball(const ovi_facet *f) {
    const ov_vec3 c[3] = {f->a, ov_vec3_add(f->a, f->ab), ov_vec3_add(f->a, f->ac)};
    ball_facet t = {.facet = *f};
    t.centre = ov_vec3_scale(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    for (int i = 0; i < 3; i++) {
        t.radius = fmax(t.radius, ov_vec3_length(ov_vec3_sub(c[i], t.centre)) * (1.0 + 1e-9));
    }
    return t;
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
        s->list = ovi_resize(memory, NULL, 0, 2 * count, sizeof *s->list);
        s->distances = ovi_resize(memory, NULL, 0, count, sizeof *s->distances);
        s->feet = ovi_resize(memory, NULL, 0, count, sizeof *s->feet);
        good = good && s->list != NULL && s->distances != NULL && s->feet != NULL;
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
        ovi_release(memory, m->scratches[i].list, 2 * count, sizeof(uint32_t));
        ovi_release(memory, m->scratches[i].distances, count, sizeof(double));
        ovi_release(memory, m->scratches[i].feet, count, sizeof(ov_vec3));
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
    float limit = choose_limit(m, &made->brick_count, &made->node_count);
    made->nodes = ovi_resize(memory, NULL, 0, made->node_count, sizeof *made->nodes);
    made->bricks = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *made->bricks);
    m->leaves = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *m->leaves);
    m->used = ovi_resize(memory, NULL, 0, made->brick_count, sizeof *m->used);
    if (made->nodes == NULL || made->bricks == NULL || m->leaves == NULL || m->used == NULL) {
        return false;
    }
    const uint32_t *dims = made->field.dims;
    lay_out(m, limit, (size_t)dims[0] * dims[1] * dims[2]);
    made->field.nodes = made->nodes;
    made->field.bricks = made->bricks;
    write_bricks(m, made->brick_count);
    ovi_ranges_run(bound_range, m, made->brick_count, 16, m->task->threads);
    sum_bounds(m);
    return true;
}

ov_status ovi_touch_field_make(const ovi_field_task *task, ovi_field_made *made) {
    maker m = {.task = task, .mesh = task->mesh, .made = made};
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
