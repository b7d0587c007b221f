/**
 * @file guess.c
 * @brief First guesses of the Newton schemes [Benchmark, 4.4]: from the two parameter domains, from
 * octrees of the two bodies, and from the last answer.
 */
#include <stdint.h>
#include <stdlib.h>

#include "systems.h"

/* ==== quadtree ================================================================================
 *
 * First guesses from the two parameter domains [Benchmark, 4.4], [Thesis, Table 7], and from
 * the last answer.
 *
 * The domain of the angles (9) of each body is split in four; of the 16 pairs of cell centres the
 * one whose points are nearest to each other is kept, and its two cells are split next. The centres
 * of the last level are the guess.
 *
 * Known defects, kept, for they are the method:
 *  - it is greedy: a cell that is left is never looked at again, so the result need not be the
 *    nearest pair of the finest grid, and [Thesis, 3.4.1]'s "converge globally" does not hold;
 *  - where the bodies overlap it runs to a point where the surfaces cross, not to the points of the
 *    common normal [Benchmark, 6.1];
 *  - the angle-centre parametrisation crowds at edges. On a body with e = 0.3 no centre of six
 *    levels comes closer than 0.4 semi-axes to the middle of a flat.
 *
 * Departures: the four points of a level and body are computed once and not once a pair, from the
 * powers of their two times two angles, and distances are taken in B's frame and not in the world;
 * the guess is the same to rounding.
 */

#define PI 3.14159265358979323846

/** A cell of a parameter domain. */
typedef struct cell {
    double centre[2], half[2];
} cell;

/** Quarter i: its bits choose the sides of the two angles. */
static cell quarter(const cell *c, int i) {
    cell q;
    for (int k = 0; k < 2; k++) {
        q.half[k] = 0.5 * c->half[k];
        q.centre[k] = c->centre[k] + ((i >> k & 1) != 0 ? q.half[k] : -q.half[k]);
    }
    return q;
}

/** The quarters of a cell and their centres' points, which have two angles of each kind only. */
static void quarters_of(const ov_shape *shape, const cell *c, cell quarters[4], ov_vec3 points[4]) {
    ovi_scheme_ray section[2], profile[2];
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? -0.5 : 0.5;
        section[i] = ovi_scheme_ray_of(c->centre[0] + side * c->half[0], shape->e1);
        profile[i] = ovi_scheme_ray_of(c->centre[1] + side * c->half[1], shape->e2);
    }
    for (int i = 0; i < 4; i++) {
        quarters[i] = quarter(c, i);
        points[i] = ovi_scheme_point_on(shape, section[i & 1], profile[i >> 1]);
    }
}

/** The nearest of the 16 pairs; of equal ones the first. */
static void split(const ovi_scheme_pair *pair, const ovi_scheme_place *place, cell *cell_a,
                  cell *cell_b) {
    cell quarters_a[4], quarters_b[4];
    ov_vec3 points_a[4], points_b[4];
    quarters_of(pair->a, cell_a, quarters_a, points_a);
    quarters_of(pair->b, cell_b, quarters_b, points_b);
    for (int i = 0; i < 4; i++) {
        points_a[i] = ov_vec3_add(ov_mat3_mul_vec3(&place->turn, points_a[i]), place->offset);
    }
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < 16; i++) {
        ov_vec3 d = ov_vec3_sub(points_b[i % 4], points_a[i / 4]);
        double square = ov_vec3_dot(d, d);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    *cell_a = quarters_a[best / 4];
    *cell_b = quarters_b[best % 4];
}

void ovi_scheme_guess_quadtree(const ovi_scheme_pair *pair, int levels, ovi_scheme_guess *guess) {
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    cell a = {{0.0, 0.0}, {PI, 0.5 * PI}}, b = a;
    for (int i = 0; i < levels; i++) {
        split(pair, &place, &a, &b);
    }
    for (int k = 0; k < 2; k++) {
        guess->phi_a[k] = a.centre[k];
        guess->phi_b[k] = b.centre[k];
    }
    guess->a = ovi_scheme_point(pair->a, a.centre);
    guess->b = ovi_scheme_point(pair->b, b.centre);
}

/** The bodies may have moved since: their points then are near the surfaces' contact only. */
void ovi_scheme_guess_last(const ovi_scheme_pair *pair, const ov_scheme_result *last,
                           ovi_scheme_guess *guess) {
    guess->a = ov_pose_apply_inverse(pair->pose_a, last->point_a);
    guess->b = ov_pose_apply_inverse(pair->pose_b, last->point_b);
    ovi_scheme_angles(pair->a, guess->a, guess->phi_a);
    ovi_scheme_angles(pair->b, guess->b, guess->phi_b);
}

/* ==== octree ==================================================================================
 *
 * First guess from octrees of the two bodies: the nearest points of their filled cells
 * [Benchmark, 4.4], [Thesis, 3.4.1].
 *
 * The box of each body, along its own axes, is cut into 5 x 5 x 5 cells (the papers' figures) or,
 * with a number of levels, into 2^levels along each axis. A cell is filled where F < 0 at its
 * centre. Pairs of nodes are then searched from the roots down, the larger node split first, and
 * only those nearer than the best pair so far; the points of the nearest pair of cells are the
 * guess. They lie near the surfaces and not on them, which the system (15) does not ask for.
 *
 * Readings and departures:
 *  - The papers leave distances to FCL and OctoMap; here they are this file's own. A pair of nodes
 *    is bounded from below by box to box distances along either box's axes; pairs of cells get
 *    their exact distance. Children are visited nearest first.
 *  - 5 is no power of two: the upper cells of its tree cover what is left of the grid.
 *  - The cells are boxes of the body's proportions. OctoMap's are cubes, which for bodies as long
 *    as wide, those of the papers, is the same.
 *  - Where filled cells of both bodies meet, their distance is zero and nearest points are not
 *    unique; the papers do not say what the start is then. Here the search ends at the first such
 *    pair, as FCL's does, and both bodies start from the point midway between the two centres.
 *  - A grid too coarse to have any centre inside (levels 1 on a bevelled body) is made finer until
 *    one is.
 *  - Without memory for the cells the guess is that of the quadtree.
 */

/** Cells along an axis: of the papers, and at most (2 million evaluations of F, 2 MB). */
enum { PAPER_CELLS = 5, LEVELS_MAX = 7, CELLS_MAX = 1 << LEVELS_MAX };

/** Directions whose sine is below this count as parallel: their normal is rounding. */
static const double parallel_sine = 1e-6;

/* ---- cells of one body */

/** Layers of nodes, 1 where a cell below is filled; a node of layer k covers 2^k cells an axis. */
typedef struct grid {
    int cells, layers;
    ov_vec3 corner, size; /**< least corner, and size of one cell */
    uint8_t *filled;
    size_t first[LEVELS_MAX + 2]; /**< of each layer */
} grid;

static int across(const grid *g, int layer) { return (g->cells + (1 << layer) - 1) >> layer; }

static size_t node_index(const grid *g, int layer, const int at[3]) {
    size_t n = (size_t)across(g, layer);
    return g->first[layer] + ((size_t)at[2] * n + (size_t)at[1]) * n + (size_t)at[0];
}

/** Fills the cells and marks what is above them. */
static bool fill(grid *g, const ov_shape *shape) {
    bool any = false;
    int at[3];
    for (at[2] = 0; at[2] < g->cells; at[2]++) {
        for (at[1] = 0; at[1] < g->cells; at[1]++) {
            for (at[0] = 0; at[0] < g->cells; at[0]++) {
                ov_vec3 steps = ov_vec3_make(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5);
                ov_vec3 centre = ov_vec3_add(g->corner, ov_vec3_mul(g->size, steps));
                if (!(ovi_scheme_inside(shape, centre) < 0.0)) {
                    continue;
                }
                any = true;
                for (int layer = 0; layer < g->layers; layer++) {
                    int above[3] = {at[0] >> layer, at[1] >> layer, at[2] >> layer};
                    g->filled[node_index(g, layer, above)] = 1;
                }
            }
        }
    }
    return any;
}

static bool make_grid_of(grid *g, const ov_shape *shape, const ov_obb *box, int cells) {
    *g = (grid){.cells = cells};
    size_t total = 0;
    do {
        size_t n = (size_t)across(g, g->layers);
        g->first[g->layers++] = total;
        total += n * n * n;
    } while (across(g, g->layers - 1) > 1);
    g->corner = ov_vec3_sub(box->pose.position, box->half);
    g->size = ov_vec3_scale(box->half, 2.0 / cells);
    g->filled = calloc(total, 1);
    return g->filled != NULL && fill(g, shape);
}

/** False without memory; g->filled is the caller's in any case. */
static bool make_grid(grid *g, const ov_shape *shape, int levels) {
    ov_obb box;
    *g = (grid){0};
    if (ov_shape_obb(shape, &box) < 0) {
        return false;
    }
    int cells = levels <= 0 ? PAPER_CELLS : 1 << (levels < LEVELS_MAX ? levels : LEVELS_MAX);
    while (!make_grid_of(g, shape, &box, cells)) {
        if (g->filled == NULL || cells >= CELLS_MAX) {
            return false;
        }
        free(g->filled);
        cells *= 2;
    }
    return true;
}

/** A node with its box in the body's frame. */
typedef struct node {
    int layer, at[3];
    ov_vec3 centre, half;
} node;

static node make_node(const grid *g, int layer, int x, int y, int z) {
    node n = {.layer = layer, .at = {x, y, z}};
    double from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = n.at[k] << layer;
        to[k] = fmin((n.at[k] + 1) << layer, g->cells);
    }
    ov_vec3 lo = ov_vec3_mul(g->size, ov_vec3_make(from[0], from[1], from[2]));
    ov_vec3 hi = ov_vec3_mul(g->size, ov_vec3_make(to[0], to[1], to[2]));
    n.centre = ov_vec3_add(g->corner, ov_vec3_scale(ov_vec3_add(lo, hi), 0.5));
    n.half = ov_vec3_scale(ov_vec3_sub(hi, lo), 0.5);
    return n;
}

/* ---- distance of two boxes, all in the frame of A with A's box at the origin */

/** B's box: its axes are the columns of `turn`, seen from A's axes. */
typedef struct boxes {
    const double (*turn)[3];
    double ha[3], hb[3];
    double c[3]; /**< centre of B */
} boxes;

static void store(ov_vec3 v, double out[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/** Coordinate of v along B's axis j. */
static double along_b(const boxes *x, const double v[3], int j) {
    return v[0] * x->turn[0][j] + v[1] * x->turn[1][j] + v[2] * x->turn[2][j];
}

/** At least so far apart: the distance of either box to the other's box along its axes. */
static double lower_bound(const boxes *x) {
    double in_a = 0.0, in_b = 0.0;
    for (int i = 0; i < 3; i++) {
        double reach_a = x->ha[i], reach_b = x->hb[i];
        for (int j = 0; j < 3; j++) {
            reach_a += fabs(x->turn[i][j]) * x->hb[j];
            reach_b += fabs(x->turn[j][i]) * x->ha[j];
        }
        double gap_a = fmax(0.0, fabs(x->c[i]) - reach_a);
        double gap_b = fmax(0.0, fabs(along_b(x, x->c, i)) - reach_b);
        in_a += gap_a * gap_a;
        in_b += gap_b * gap_b;
    }
    return sqrt(fmax(in_a, in_b));
}

/** Normal of A's axis i and B's axis j; false where these are parallel. */
static bool cross_axis(const boxes *x, int i, int j, double n[3]) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    n[i] = 0.0;
    n[k] = -x->turn[l][j];
    n[l] = x->turn[k][j];
    return n[k] * n[k] + n[l] * n[l] > parallel_sine * parallel_sine;
}

/** No axis separates them; touching counts. */
static bool boxes_meet(const boxes *x) {
    if (lower_bound(x) > 0.0) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double n[3], reach = 0.0, offset = 0.0;
            if (!cross_axis(x, i, j, n)) {
                continue;
            }
            for (int k = 0; k < 3; k++) {
                reach += x->ha[k] * fabs(n[k]) + x->hb[k] * fabs(along_b(x, n, k));
                offset += n[k] * x->c[k];
            }
            if (fabs(offset) > reach) {
                return false;
            }
        }
    }
    return true;
}

/** The nearest two points so far. */
typedef struct nearest {
    double square;
    double a[3], b[3];
} nearest;

static void consider(nearest *best, const double a[3], const double b[3]) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    if (square < best->square) {
        best->square = square;
        for (int k = 0; k < 3; k++) {
            best->a[k] = a[k];
            best->b[k] = b[k];
        }
    }
}

static double clamp(double v, double most) { return fmax(-most, fmin(most, v)); }

static void consider_corners(const boxes *x, nearest *best) {
    for (int corner = 0; corner < 8; corner++) {
        double side[3], b[3], a[3], rest[3], near_b[3];
        for (int k = 0; k < 3; k++) {
            side[k] = (corner >> k & 1) != 0 ? 1.0 : -1.0;
        }
        // B's corner and the point of A's box that is nearest to it
        for (int k = 0; k < 3; k++) {
            b[k] = x->c[k];
            for (int j = 0; j < 3; j++) {
                b[k] += x->turn[k][j] * side[j] * x->hb[j];
            }
            a[k] = clamp(b[k], x->ha[k]);
        }
        consider(best, a, b);
        // and the other way about
        for (int k = 0; k < 3; k++) {
            a[k] = side[k] * x->ha[k];
            rest[k] = a[k] - x->c[k];
            near_b[k] = x->c[k];
        }
        for (int j = 0; j < 3; j++) {
            double t = clamp(along_b(x, rest, j), x->hb[j]);
            for (int k = 0; k < 3; k++) {
                near_b[k] += x->turn[k][j] * t;
            }
        }
        consider(best, a, near_b);
    }
}

/** A's edge along axis i with these sides against B's edge along j, not parallel. */
static void consider_edges(const boxes *x, int i, int j, const double side_a[3],
                           const double side_b[3], nearest *best) {
    double a[3], b[3], w[3];
    for (int k = 0; k < 3; k++) {
        a[k] = k == i ? 0.0 : side_a[k] * x->ha[k];
        b[k] = x->c[k];
        for (int l = 0; l < 3; l++) {
            b[k] += l == j ? 0.0 : x->turn[k][l] * side_b[l] * x->hb[l];
        }
        w[k] = b[k] - a[k];
    }
    double cosine = x->turn[i][j], wb = along_b(x, w, j), sine2 = 0.0;
    for (int k = 0; k < 3; k++) {
        sine2 += k == i ? 0.0 : x->turn[k][j] * x->turn[k][j];
    }
    double s = clamp((w[i] - cosine * wb) / sine2, x->ha[i]);
    double t = clamp((cosine * w[i] - wb) / sine2, x->hb[j]);
    a[i] += s;
    for (int k = 0; k < 3; k++) {
        b[k] += x->turn[k][j] * t;
    }
    consider(best, a, b);
}

/**
 * Two edges are nearest within both only along their common normal n, from A to B, so only the
 * edges farthest along n on A and along -n on B count. Where n has no part along another axis, the
 * edges of both sides of that axis are alike, and all are taken.
 */
static void consider_edge_pairs(const boxes *x, nearest *best) {
    for (int pair = 0; pair < 9; pair++) {
        int i = pair / 3, j = pair % 3;
        double n[3];
        if (!cross_axis(x, i, j, n)) {
            continue;
        }
        bool away = n[0] * x->c[0] + n[1] * x->c[1] + n[2] * x->c[2] < 0.0;
        for (int sides = 0; sides < 16; sides++) {
            double side_a[3] = {0.0}, side_b[3] = {0.0};
            bool outer = true;
            for (int k = 0; k < 2; k++) {
                int ka = (i + 1 + k) % 3, kb = (j + 1 + k) % 3;
                side_a[ka] = (sides >> k & 1) != 0 ? 1.0 : -1.0;
                side_b[kb] = (sides >> (2 + k) & 1) != 0 ? 1.0 : -1.0;
                double out_a = side_a[ka] * n[ka], out_b = -side_b[kb] * along_b(x, n, kb);
                outer =
                    outer && (away ? -out_a : out_a) >= -1e-12 && (away ? -out_b : out_b) >= -1e-12;
            }
            if (outer) {
                consider_edges(x, i, j, side_a, side_b, best);
            }
        }
    }
}

/** Of boxes that do not meet. */
static nearest nearest_points(const boxes *x) {
    nearest best = {.square = INFINITY};
    consider_corners(x, &best);
    consider_edge_pairs(x, &best);
    return best;
}

/* ---- the search */

typedef struct search {
    grid a, b;
    ovi_scheme_place place; /**< of A in B's frame */
    double turn[3][3];      /**< B's axes in A's frame, as columns */
    double least;           /**< distance of the nearest cells so far */
    ov_vec3 point_a, point_b;
} search;

static ov_vec3 to_a(const search *s, ov_vec3 b) {
    return ov_mat3_tmul_vec3(&s->place.turn, ov_vec3_sub(b, s->place.offset));
}

static ov_vec3 to_b(const search *s, ov_vec3 a) {
    return ov_vec3_add(ov_mat3_mul_vec3(&s->place.turn, a), s->place.offset);
}

static boxes boxes_of(const search *s, const node *a, const node *b) {
    boxes x = {.turn = s->turn};
    ov_vec3 centre = to_a(s, b->centre);
    store(a->half, x.ha);
    store(b->half, x.hb);
    store(ov_vec3_sub(centre, a->centre), x.c);
    return x;
}

static void compare_cells(search *s, const node *a, const node *b) {
    boxes x = boxes_of(s, a, b);
    nearest best = {.square = 0.0};
    if (boxes_meet(&x)) {
        for (int k = 0; k < 3; k++) {
            best.a[k] = best.b[k] = 0.5 * x.c[k];
        }
    } else {
        best = nearest_points(&x);
    }
    double distance = sqrt(best.square);
    if (distance < s->least) {
        s->least = distance;
        s->point_a = ov_vec3_add(a->centre, ov_vec3_make(best.a[0], best.a[1], best.a[2]));
        ov_vec3 in_a = ov_vec3_add(a->centre, ov_vec3_make(best.b[0], best.b[1], best.b[2]));
        s->point_b = to_b(s, in_a);
    }
}

/** A child with its distance from the other body's node: the bound, then that of the centres. */
typedef struct child {
    node node;
    double bound, centres;
} child;

static bool is_before(const child *x, const child *y) {
    return x->bound != y->bound ? x->bound < y->bound : x->centres < y->centres;
}

/** Filled children of a node, nearest to the other body's node first. */
static int list_children(const search *s, bool of_a, const node *a, const node *b, child out[8]) {
    const grid *g = of_a ? &s->a : &s->b;
    const node *parent = of_a ? a : b;
    int layer = parent->layer - 1, most = across(g, layer) - 1, count = 0;
    for (int i = 0; i < 8; i++) {
        int at[3];
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            at[k] = 2 * parent->at[k] + (i >> k & 1);
            inside = inside && at[k] <= most;
        }
        if (!inside || g->filled[node_index(g, layer, at)] == 0) {
            continue;
        }
        child c = {.node = make_node(g, layer, at[0], at[1], at[2])};
        boxes x = boxes_of(s, of_a ? &c.node : a, of_a ? b : &c.node);
        c.bound = lower_bound(&x);
        c.centres = x.c[0] * x.c[0] + x.c[1] * x.c[1] + x.c[2] * x.c[2];
        int place = count++;
        for (; place > 0 && is_before(&c, &out[place - 1]); place--) {
            out[place] = out[place - 1];
        }
        out[place] = c;
    }
    return count;
}

/** At most 2 LEVELS_MAX deep. Once cells have met, no bound is below zero: the search ends. */
static void descend(search *s, const node *a, const node *b) {
    if (a->layer == 0 && b->layer == 0) {
        compare_cells(s, a, b);
        return;
    }
    double size_a = ov_vec3_dot(a->half, a->half), size_b = ov_vec3_dot(b->half, b->half);
    bool split_a = b->layer == 0 || (a->layer > 0 && size_a >= size_b);
    child children[8];
    int count = list_children(s, split_a, a, b, children);
    for (int i = 0; i < count && children[i].bound < s->least; i++) {
        descend(s, split_a ? &children[i].node : a, split_a ? b : &children[i].node);
    }
}

void ovi_scheme_guess_octree(const ovi_scheme_pair *pair, int levels, ovi_scheme_guess *guess) {
    search s = {.place = ovi_scheme_place_of(pair), .least = INFINITY};
    store(s.place.turn.cx, s.turn[0]);
    store(s.place.turn.cy, s.turn[1]);
    store(s.place.turn.cz, s.turn[2]);
    double begin = ovi_scheme_clock();
    bool made_a = make_grid(&s.a, pair->a, levels), made_b = make_grid(&s.b, pair->b, levels);
    double made = ovi_scheme_clock() - begin;
    if (made_a && made_b) {
        node root_a = make_node(&s.a, s.a.layers - 1, 0, 0, 0);
        node root_b = make_node(&s.b, s.b.layers - 1, 0, 0, 0);
        descend(&s, &root_a, &root_b);
    }
    free(s.a.filled);
    free(s.b.filled);
    if (!(s.least < INFINITY)) {
        ovi_scheme_guess_quadtree(pair, pair->options->quadtree_levels, guess);
        return;
    }
    guess->made_seconds = made;
    guess->a = s.point_a;
    guess->b = s.point_b;
    ovi_scheme_angles(pair->a, guess->a, guess->phi_a);
    ovi_scheme_angles(pair->b, guess->b, guess->phi_b);
}
