/**
 * @file pair_oracle.h
 * @brief Slow, independent answers about two placed convex bodies in long double, for the tests of
 * the pair queries: distance between two bounds, and depth by a search of all directions.
 *
 * Nothing here shares code or method with the library. The distance is a plain GJK, whose two
 * bounds tell how far it can be trusted: `lower` is a support plane between the bodies, `upper` the
 * distance of two of their points. The depth is the least of
 *
 *     s(n) = hA(n) + hB(-n) - n . (cB - cA)
 *
 * over three grids of directions, even on the sphere and even on either surface, the axes of both
 * bodies, their diagonals and their cross products, the best of which a downhill simplex refines.
 *
 * Where not to trust it: each s(n) is a true upper bound of the depth, but the least of them can be
 * missed where two valleys are closer than the grids. A test must therefore accept a direction that
 * is better than the oracle's, by s(n) of its own.
 */
#ifndef OVOID_TESTS_PAIR_ORACLE_H
#define OVOID_TESTS_PAIR_ORACLE_H

#include <float.h>

#include "pair_supports.h"

/* ---- distance: GJK */

/**
 * Up to four points of B - A, and the point of what they span that is nearest to the origin. Its
 * distance is formed from a mean of the points, which is one of B - A whatever the rounding; its
 * direction from the normal of the triangle, which keeps its digits close to the origin.
 */
typedef struct po_simplex {
    int count;
    so_vec w[4], towards;
    so_real distance;
} po_simplex;

typedef struct po_distance {
    so_real lower, upper; // lower also where the bodies overlap: the best plane seen
    so_vec n;             // of the best lower bound
    bool overlap;         // the origin lies inside a tetrahedron of B - A
    int iterations;
} po_distance;

static inline void po_keep_nearest(po_simplex *best, const po_simplex *other) {
    if (other->distance < best->distance) {
        *best = *other;
    }
}

static inline void po_nearest_on_edge(so_vec p, so_vec q, po_simplex *best) {
    so_vec d = po_sub(q, p);
    so_real dd = so_dot(d, d), t = dd > 0.0L ? -so_dot(p, d) / dd : 0.0L;
    so_vec end = t >= 1.0L ? q : p;
    po_simplex s = {.count = 1, .w = {end}, .towards = end, .distance = so_length(end)};
    if (t > 0.0L && t < 1.0L) {
        so_vec v = po_add(p, po_scale(d, t));
        s = (po_simplex){.count = 2, .w = {p, q}, .distance = so_length(v)};
        s.towards = po_sub(v, po_scale(d, so_dot(v, d) / dd)); // perpendicular once more
    }
    po_keep_nearest(best, &s);
}

static inline void po_nearest_on_triangle(so_vec p, so_vec q, so_vec r, po_simplex *best) {
    po_nearest_on_edge(p, q, best);
    po_nearest_on_edge(q, r, best);
    po_nearest_on_edge(r, p, best);
    so_vec d1 = po_sub(q, p), d2 = po_sub(r, p), n = po_cross(d1, d2);
    so_real nn = so_dot(n, n);
    if (!(nn > 0.0L)) {
        return;
    }
    so_vec foot = po_scale(n, so_dot(p, n) / nn), at = po_sub(foot, p);
    so_real y = so_dot(po_cross(at, d2), n) / nn, z = so_dot(po_cross(d1, at), n) / nn;
    if (y > 0.0L && z > 0.0L && y + z < 1.0L) {
        so_vec mean = po_add(p, po_add(po_scale(d1, y), po_scale(d2, z)));
        po_simplex s = {.count = 3, .w = {p, q, r}, .towards = foot, .distance = so_length(mean)};
        po_keep_nearest(best, &s);
    }
}

/**
 * Is the origin beyond doubt on the side of the plane p, q, r where s is? The volumes of a
 * tetrahedron that is flat to rounding have no sign: the points themselves are known to some 1e-18
 * of their size.
 */
static inline bool po_same_side(so_vec p, so_vec q, so_vec r, so_vec s) {
    so_vec d1 = po_sub(q, p), d2 = po_sub(r, p), n = po_cross(d1, d2);
    so_real other = so_dot(n, po_sub(s, p)), origin = -so_dot(n, p);
    so_real largest = fmaxl(fmaxl(so_length(p), so_length(q)), fmaxl(so_length(r), so_length(s)));
    so_real doubt = 256.0L * LDBL_EPSILON * largest * largest * fmaxl(so_length(d1), so_length(d2));
    return (other > doubt && origin > doubt) || (other < -doubt && origin < -doubt);
}

/** Reduces the simplex to the part that is nearest to the origin; true where that is inside. */
static inline bool po_reduce(po_simplex *s) {
    const so_vec *w = s->w;
    po_simplex best = {.distance = (so_real)INFINITY};
    if (s->count == 4) {
        if (po_same_side(w[0], w[1], w[2], w[3]) && po_same_side(w[1], w[2], w[3], w[0]) &&
            po_same_side(w[2], w[3], w[0], w[1]) && po_same_side(w[3], w[0], w[1], w[2])) {
            return true;
        }
        for (int skip = 0; skip < 4; skip++) {
            po_nearest_on_triangle(w[skip == 0 ? 1 : 0], w[skip <= 1 ? 2 : 1], w[skip <= 2 ? 3 : 2],
                                   &best);
        }
    } else if (s->count == 3) {
        po_nearest_on_triangle(w[0], w[1], w[2], &best);
    } else if (s->count == 2) {
        po_nearest_on_edge(w[0], w[1], &best);
    } else {
        best = (po_simplex){.count = 1, .w = {w[0]}, .towards = w[0], .distance = so_length(w[0])};
    }
    *s = best;
    return false;
}

/** `goal` is the difference of the bounds to stop at, as a length. */
static inline po_distance po_gjk(const po_body *a, const po_body *b, so_real goal) {
    so_vec v = po_sub(b->centre, a->centre);
    v = so_length(v) > 0.0L ? v : (so_vec){1.0L, 0.0L, 0.0L};
    po_distance out = {-(so_real)INFINITY, (so_real)INFINITY, po_unit(v), false, 0};
    po_simplex s = {0};
    for (int i = 0; i < 600; i++) {
        out.iterations = i + 1;
        so_vec n = po_unit(v);
        po_separation along = po_separation_along(a, b, n);
        if (along.gap > out.lower) {
            out.lower = along.gap;
            out.n = n;
        }
        if (out.upper - out.lower <= goal) {
            break;
        }
        s.w[s.count++] = po_sub(along.pb, along.pa);
        if (po_reduce(&s)) {
            out.overlap = true;
            out.upper = 0.0L;
            break;
        }
        if (!(s.distance < out.upper)) {
            break;
        }
        out.upper = s.distance;
        v = s.towards;
    }
    return out;
}

/* ---- depth: a search of all directions */

enum { PO_GRID = 640, PO_NEAR = 8, PO_SPECIAL = 96, PO_STARTS = 36, PO_FINAL = 6 };

/** Even directions, and for each the nearest of the others: filled once. */
typedef struct po_grid {
    bool ready;
    so_vec u[PO_GRID];
    int near[PO_GRID][PO_NEAR];
} po_grid;

static inline void po_grid_make(po_grid *grid) {
    for (int i = 0; i < PO_GRID; i++) {
        so_real z = 1.0L - (2.0L * i + 1.0L) / PO_GRID, r = sqrtl(1.0L - z * z);
        so_real turn = 2.39996322972865332L * i;
        grid->u[i] = (so_vec){r * cosl(turn), r * sinl(turn), z};
    }
    for (int i = 0; i < PO_GRID; i++) {
        so_real dots[PO_NEAR];
        int count = 0;
        for (int j = 0; j < PO_GRID; j++) {
            so_real dot = so_dot(grid->u[i], grid->u[j]);
            if (j == i || (count == PO_NEAR && dot <= dots[PO_NEAR - 1])) {
                continue;
            }
            int k = count < PO_NEAR ? count++ : PO_NEAR - 1;
            for (; k > 0 && dots[k - 1] < dot; k--) {
                dots[k] = dots[k - 1];
                grid->near[i][k] = grid->near[i][k - 1];
            }
            dots[k] = dot;
            grid->near[i][k] = j;
        }
    }
    grid->ready = true;
}

typedef struct po_start {
    so_vec n;
    so_real s;
} po_start;

typedef struct po_depth {
    so_real depth;
    so_vec n;
} po_depth;

static inline so_real po_depth_along(const po_body *a, const po_body *b, so_vec n) {
    return -po_separation_along(a, b, n).gap;
}

static inline double po_rough_depth(const po_body *a, const po_body *b, so_vec n) {
    return po_rough_support(a, po_turn_back(a, n)) +
           po_rough_support(b, po_turn_back(b, po_neg(n))) -
           (double)so_dot(po_sub(b->centre, a->centre), n);
}

/** Keeps the list sorted and short. */
static inline void po_start_add(po_start *list, int *count, po_start start) {
    if (*count == PO_STARTS && start.s >= list[PO_STARTS - 1].s) {
        return;
    }
    int k = *count < PO_STARTS ? (*count)++ : PO_STARTS - 1;
    for (; k > 0 && list[k - 1].s > start.s; k--) {
        list[k] = list[k - 1];
    }
    list[k] = start;
}

/** The grid seen through semi-axes: even on the sphere (null) or on a body's own surface. */
static inline so_vec po_grid_direction(const po_body *scaled, so_vec u, bool back) {
    if (scaled == NULL) {
        return u;
    }
    ov_vec3 a = scaled->s->a;
    if (!(a.x > 0.0 && a.y > 0.0 && a.z > 0.0)) {
        a = ov_vec3_make(1.0, 1.0, 1.0);
    }
    so_vec n = po_unit(po_turn(scaled, (so_vec){u.x / a.x, u.y / a.y, u.z / a.z}));
    return back ? po_neg(n) : n;
}

static inline void po_start_from_grid(const po_body *a, const po_body *b, const po_body *scaled,
                                      const po_grid *grid, po_start *list, int *count) {
    static so_vec n[PO_GRID];
    static double s[PO_GRID];
    for (int i = 0; i < PO_GRID; i++) {
        n[i] = po_grid_direction(scaled, grid->u[i], scaled == b);
        s[i] = po_rough_depth(a, b, n[i]);
    }
    for (int i = 0; i < PO_GRID; i++) {
        bool lowest = true;
        for (int k = 0; k < PO_NEAR && lowest; k++) {
            lowest = s[i] <= s[grid->near[i][k]];
        }
        if (lowest) {
            po_start_add(list, count, (po_start){n[i], s[i]});
        }
    }
}

static inline int po_special_directions(const po_body *a, const po_body *b, so_vec n[PO_SPECIAL]) {
    int k = 0;
    const po_body *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            n[k++] = both[i]->axis[j];
            n[k++] = po_neg(both[i]->axis[j]);
            n[k++] = po_unit(po_cross(a->axis[j], b->axis[(j + i) % 3]));
            n[k] = po_neg(n[k - 1]);
            k++;
        }
        for (int j = 0; j < 8; j++) {
            so_vec u = {j & 1 ? 1.0L : -1.0L, j & 2 ? 1.0L : -1.0L, j & 4 ? 1.0L : -1.0L};
            n[k++] = po_grid_direction(both[i], u, false);
        }
    }
    for (int j = 0; j < 3; j++) {
        n[k++] = po_unit(po_cross(a->axis[j], b->axis[(j + 2) % 3]));
        n[k] = po_neg(n[k - 1]);
        k++;
    }
    n[k++] = po_unit(po_sub(b->centre, a->centre));
    n[k] = po_neg(n[k - 1]);
    return k + 1;
}

/** Downhill simplex (Nelder and Mead) in the plane that touches the sphere at `from`. */
typedef struct po_chart {
    const po_body *a, *b;
    so_vec n, t1, t2;
    bool rough;
} po_chart;

static inline so_vec po_chart_direction(const po_chart *c, const so_real x[2]) {
    return po_unit(po_add(c->n, po_add(po_scale(c->t1, x[0]), po_scale(c->t2, x[1]))));
}

typedef struct po_vertex {
    so_real x[2], s;
} po_vertex;

static inline po_vertex po_vertex_at(const po_chart *c, so_real x, so_real y) {
    po_vertex v = {{x, y}, 0.0L};
    so_vec n = po_chart_direction(c, v.x);
    v.s = c->rough ? (so_real)po_rough_depth(c->a, c->b, n) : po_depth_along(c->a, c->b, n);
    return v;
}

static inline void po_sort3(po_vertex v[3]) {
    for (int i = 0; i < 3; i++) {
        int k = i % 2;
        if (v[k + 1].s < v[k].s) {
            po_vertex t = v[k];
            v[k] = v[k + 1];
            v[k + 1] = t;
        }
    }
}

static inline po_start po_downhill(const po_body *a, const po_body *b, po_start from, so_real step,
                                   int steps, so_real goal, bool rough) {
    so_vec side = fabsl(from.n.x) < 0.6L ? (so_vec){1.0L, 0.0L, 0.0L} : (so_vec){0.0L, 1.0L, 0.0L};
    po_chart c = {a, b, from.n, po_unit(po_cross(from.n, side)), {0.0L, 0.0L, 0.0L}, rough};
    c.t2 = po_cross(from.n, c.t1);
    po_vertex v[3] = {po_vertex_at(&c, 0.0L, 0.0L), po_vertex_at(&c, step, 0.3L * step),
                      po_vertex_at(&c, -0.3L * step, step)};
    for (int i = 0; i < steps; i++) {
        po_sort3(v);
        so_real wide = fmaxl(fabsl(v[2].x[0] - v[0].x[0]), fabsl(v[2].x[1] - v[0].x[1]));
        if (v[2].s - v[0].s <= goal && (wide < 1e-7L || v[2].s == v[0].s)) {
            break;
        }
        so_real mx = 0.5L * (v[0].x[0] + v[1].x[0]), my = 0.5L * (v[0].x[1] + v[1].x[1]);
        so_real dx = mx - v[2].x[0], dy = my - v[2].x[1];
        po_vertex r = po_vertex_at(&c, mx + dx, my + dy);
        if (r.s < v[0].s) {
            po_vertex far = po_vertex_at(&c, mx + 2.0L * dx, my + 2.0L * dy);
            v[2] = far.s < r.s ? far : r;
        } else if (r.s < v[1].s) {
            v[2] = r;
        } else {
            so_real f = r.s < v[2].s ? 0.5L : -0.5L;
            po_vertex in = po_vertex_at(&c, mx + f * dx, my + f * dy);
            if (in.s < fminl(r.s, v[2].s)) {
                v[2] = in;
            } else {
                for (int k = 1; k < 3; k++) {
                    v[k] = po_vertex_at(&c, 0.5L * (v[0].x[0] + v[k].x[0]),
                                        0.5L * (v[0].x[1] + v[k].x[1]));
                }
            }
        }
    }
    po_sort3(v);
    return (po_start){po_chart_direction(&c, v[0].x), v[0].s};
}

/** Of distinct valleys, the best few; `list` is sorted. */
static inline int po_distinct(const po_start *list, int count, po_start *out) {
    int kept = 0;
    for (int i = 0; i < count && kept < PO_FINAL; i++) {
        bool fresh = true;
        for (int k = 0; k < kept && fresh; k++) {
            fresh = so_sine(list[i].n, out[k].n) > 1e-3L;
        }
        if (fresh) {
            out[kept++] = list[i];
        }
    }
    return kept;
}

/** The least s(n) over the whole sphere. */
static inline po_depth po_least_depth(const po_body *a, const po_body *b) {
    static po_grid grid;
    if (!grid.ready) {
        po_grid_make(&grid);
    }
    po_start rough[PO_STARTS], better[PO_STARTS], last[PO_FINAL];
    so_vec special[PO_SPECIAL];
    int count = 0, more = 0, specials = po_special_directions(a, b, special);
    po_start_from_grid(a, b, NULL, &grid, rough, &count);
    po_start_from_grid(a, b, a, &grid, rough, &count);
    po_start_from_grid(a, b, b, &grid, rough, &count);
    for (int i = 0; i < specials; i++) {
        po_start_add(rough, &count, (po_start){special[i], po_rough_depth(a, b, special[i])});
    }
    so_real size = fmaxl(a->s->ball.radius, b->s->ball.radius);
    so_real most = rough[0].s + fabsl(rough[0].s) + 1e-2L * size;
    for (int i = 0; i < count && rough[i].s <= most; i++) {
        po_start_add(better, &more, po_downhill(a, b, rough[i], 0.03L, 80, 1e-9L * size, true));
    }
    int finals = po_distinct(better, more, last);
    po_start best = {{0.0L, 0.0L, 1.0L}, (so_real)INFINITY};
    for (int i = 0; i < finals && last[i].s <= last[0].s + 1e-4L * size; i++) {
        po_start at = last[i];
        so_real step = 1e-2L;
        for (int round = 0; round < 4; round++, step *= 0.02L) {
            at = po_downhill(a, b, at, step, 200, 1e-15L * size, true);
        }
        at.s = po_depth_along(a, b, at.n);
        best = at.s < best.s ? at : best;
    }
    if (!a->one_maximum || !b->one_maximum) { // the rough values may have missed a maximum
        best = po_downhill(a, b, best, 1e-4L, 60, 1e-15L * size, false);
    }
    return (po_depth){best.s, best.n};
}

#endif
