/**
 * @file closed_oracle.h
 * @brief Slow, independent gaps in long double for the pairs that have a closed form.
 *
 * Methods, none of them the library's: cores (point, segment, triangle) by the shortest vector of
 * the hull of all corner differences, over all its simplices; the distance from a box, cylinder or
 * cone by golden section over its horizontal sections; the way out of one by a scan of all
 * directions with refinement; boxes and capsules by all triples of corners of their difference;
 * planes by support functions written anew, or a scan
 * (support_oracle.h) for the smooth family.
 *
 * Where not to trust it: simplices that are flat to 1e-15 are passed over, being told by their
 * sides; the scan of directions is good to about 1e-15 of the size.
 */
#ifndef OVOID_TESTS_CLOSED_ORACLE_H
#define OVOID_TESTS_CLOSED_ORACLE_H

#include "query/query_internal.h"
#include "support_oracle.h"

static inline so_vec co_add(so_vec a, so_vec b, so_real s) {
    return (so_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline so_vec co_sub(so_vec a, so_vec b) { return co_add(a, b, -1.0L); }

/** Vector of B's frame in A's; points need the offset too. */
static inline so_vec co_turn(const ovi_pair *p, so_vec v) {
    so_vec out = {0.0L, 0.0L, 0.0L};
    out = co_add(out, so_from(p->turn.cx), v.x);
    out = co_add(out, so_from(p->turn.cy), v.y);
    return co_add(out, so_from(p->turn.cz), v.z);
}

static inline so_vec co_turn_back(const ovi_pair *p, so_vec v) {
    return (so_vec){so_dot(so_from(p->turn.cx), v), so_dot(so_from(p->turn.cy), v),
                    so_dot(so_from(p->turn.cz), v)};
}

/* ---- cores */

typedef struct co_core {
    so_vec corners[3];
    int count;
    so_real radius;
} co_core;

/** Sphere, capsule and the flat kinds; count 0 for all others. */
static inline co_core co_core_of(const ov_shape *s) {
    co_core c = {.count = 0, .radius = 0.0L};
    if (s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_CAPSULE) {
        c.radius = s->a.x;
        c.count = s->kind == OV_SHAPE_KIND_CAPSULE ? 2 : 1;
        c.corners[0] = (so_vec){0.0L, 0.0L, c.count == 2 ? -(so_real)s->a.z : 0.0L};
        c.corners[1] = (so_vec){0.0L, 0.0L, s->a.z};
    } else if (s->kind >= OV_SHAPE_KIND_TRIANGLE && s->kind <= OV_SHAPE_KIND_POINT) {
        c.count = 3 - (int)(s->kind - OV_SHAPE_KIND_TRIANGLE);
        for (int i = 0; i < c.count; i++) {
            c.corners[i] = so_from(s->u.vertices[i]);
        }
    }
    return c;
}

/**
 * Shortest vector of the affine hull of p[0] … p[n-1], n <= 4, where it lies in their simplex: p[0]
 * less its parts along orthonormal axes q made from the edges in turn (e_k = sum of r[i][k] q_i),
 * its weights by substitution from the last edge back. -1 where it does not.
 */
static inline so_real co_simplex(const so_vec *p, int n) {
    so_vec q[3], at = p[0];
    so_real r[3][3] = {{0.0L}}, part[3], weight[4] = {1.0L};
    for (int k = 0; k + 1 < n; k++) {
        so_vec e = co_sub(p[k + 1], p[0]);
        so_real length = so_length(e);
        for (int i = 0; i < 2 * k; i++) {
            // every axis twice: what rounding left the first time is gone the second
            so_real along = so_dot(e, q[i % k]);
            e = co_add(e, q[i % k], -along);
            r[i % k][k] += along;
        }
        r[k][k] = so_length(e);
        if (!(r[k][k] > 1e-15L * length)) {
            return -1.0L;
        }
        q[k] = (so_vec){e.x / r[k][k], e.y / r[k][k], e.z / r[k][k]};
        part[k] = -so_dot(at, q[k]);
        at = co_add(at, q[k], part[k]);
    }
    for (int k = n - 2; k >= 0; k--) {
        so_real rest = part[k];
        for (int i = k + 1; i + 1 < n; i++) {
            rest -= r[k][i] * weight[i + 1];
        }
        weight[k + 1] = rest / r[k][k];
        weight[0] -= weight[k + 1];
    }
    for (int i = 0; i < n; i++) {
        if (weight[i] < 0.0L) {
            return -1.0L;
        }
    }
    return so_length(at);
}

/** Distance of two cores in A's frame; `pierced` where a simplex of four holds the origin. */
static inline so_real co_core_distance(const co_core *a, const co_core *b, bool *pierced) {
    so_vec d[9];
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++) {
            d[count++] = co_sub(b->corners[k], a->corners[i]);
        }
    }
    so_real best = INFINITY;
    *pierced = false;
    for (int set = 1; set < 1 << count; set++) {
        so_vec p[9] = {{0}};
        int n = 0;
        for (int i = 0; i < count && n <= 4; i++) {
            if ((set >> i & 1) == 1) {
                p[n++] = d[i];
            }
        }
        so_real value = n <= 4 ? co_simplex(p, n) : -1.0L;
        if (value >= 0.0L && n < 4) {
            best = fminl(best, value);
        }
        *pierced = *pierced || (value >= 0.0L && n == 4);
    }
    return best;
}

/* ---- support functions, written anew */

static inline so_real co_support(const ov_shape *s, so_vec n) {
    so_real rho = sqrtl(n.x * n.x + n.y * n.y), a = s->a.x, h = s->a.z, best = -(so_real)INFINITY;
    co_core core = co_core_of(s);
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        return fabsl(n.x) * s->a.x + fabsl(n.y) * s->a.y + fabsl(n.z) * s->a.z;
    case OV_SHAPE_KIND_CYLINDER:
        return rho * a + fabsl(n.z) * h;
    case OV_SHAPE_KIND_CONE:
        return fmaxl(n.z * h, rho * a - n.z * h);
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return so_support_straight(s, n);
    case OV_SHAPE_KIND_SUPEROVOID: {
        so_grid grid;
        so_make_grid(s, &grid);
        return so_support(s, &grid, n).value;
    }
    case OV_SHAPE_KIND_POLYHEDRON:
        for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
            best = fmaxl(best, so_dot(n, so_from(s->u.polyhedron.vertices[i])));
        }
        return best;
    default:
        for (int i = 0; i < core.count; i++) {
            best = fmaxl(best, so_dot(n, core.corners[i]));
        }
        return best + core.radius * so_length(n);
    }
}

/** n.(lowest of B - highest of A), for a direction n in A's frame. */
static inline so_real co_span(const ovi_pair *p, so_vec n) {
    so_vec back = co_turn_back(p, (so_vec){-n.x, -n.y, -n.z});
    return so_dot(n, so_from(p->offset)) - co_support(p->b, back) - co_support(p->a, n);
}

/* ---- a point and a box, cylinder or cone, in the body's frame */

typedef struct co_view {
    const ov_shape *s;
    so_vec c;
} co_view;

/** Minus the distance of the point from the horizontal section at height z. */
static inline so_real co_section(so_real z, const void *context) {
    const co_view *v = context;
    const ov_shape *s = v->s;
    so_real away;
    if (s->kind == OV_SHAPE_KIND_BOX) {
        so_real x = fmaxl(fabsl(v->c.x) - s->a.x, 0.0L), y = fmaxl(fabsl(v->c.y) - s->a.y, 0.0L);
        away = hypotl(x, y);
    } else {
        so_real share = s->kind == OV_SHAPE_KIND_CONE ? (s->a.z - z) / (2.0L * s->a.z) : 1.0L;
        away = fmaxl(hypotl(v->c.x, v->c.y) - share * s->a.x, 0.0L);
    }
    return -hypotl(away, v->c.z - z);
}

/** Distance from outside; 0 inside. Convex in z, so golden section finds the least. */
static inline so_real co_outside(const ov_shape *s, so_vec c) {
    co_view v = {s, c};
    so_real h = s->a.z, best = so_golden_max(co_section, &v, -h, h, 110).value;
    best = fmaxl(best, fmaxl(co_section(h, &v), co_section(-h, &v)));
    return -fmaxl(best, co_section(fminl(fmaxl(c.z, -h), h), &v));
}

/** The value n.c - h(n) in the direction of two angles. */
typedef struct co_angles {
    const co_view *view;
    so_real tilt, around, step;
} co_angles;

static inline so_real co_by_around(so_real around, const void *context) {
    const co_angles *a = context;
    so_vec n = {sinl(a->tilt) * cosl(around), sinl(a->tilt) * sinl(around), cosl(a->tilt)};
    return so_dot(n, a->view->c) - co_support(a->view->s, n);
}

static inline so_real co_by_tilt(so_real tilt, const void *context) {
    co_angles a = *(const co_angles *)context;
    a.tilt = tilt;
    return so_golden_max(co_by_around, &a, a.around - a.step, a.around + a.step, 70).value;
}

/**
 * Minus the least way out, from inside. On rings of equal tilt the local maxima of a grid are
 * refined around; where such a maximum is no smaller than those of the rings beside it, by tilt
 * too.
 */
static inline so_real co_inside(const ov_shape *s, so_vec c) {
    enum { TILTS = 33, TURNS = 32 };
    const so_real pi = 3.14159265358979323846L;
    const so_real near = pi / (TILTS - 1), step = 2.0L * pi / TURNS;
    co_view v = {s, c};
    so_real peaks[TILTS][TURNS], tops[TILTS], best = -(so_real)INFINITY;
    for (int i = 0; i < TILTS; i++) {
        co_angles a = {&v, near * i, 0.0L, step};
        so_real row[TURNS];
        tops[i] = -(so_real)INFINITY;
        for (int k = 0; k < TURNS; k++) {
            row[k] = co_by_around(step * k, &a);
        }
        for (int k = 0; k < TURNS; k++) {
            // where all are equal (the point is on the axis), the first stands for them
            so_real same = 1e-16L * fabsl(row[k]);
            bool peak = row[k] >= row[(k + 1) % TURNS] - same &&
                        (row[k] > row[(k + TURNS - 1) % TURNS] + same || k == 0);
            a.around = step * k;
            peaks[i][k] = peak ? co_by_tilt(a.tilt, &a) : -(so_real)INFINITY;
            tops[i] = fmaxl(tops[i], peaks[i][k]);
        }
        best = fmaxl(best, tops[i]);
    }
    for (int i = 0; i < TILTS; i++) {
        bool low = (i > 0 && tops[i] < tops[i - 1]) || (i < TILTS - 1 && tops[i] < tops[i + 1]);
        // a pole is one direction for all turns: which way it goes up, the ring beside it tells
        int ring = i == 0 ? 1 : i == TILTS - 1 ? TILTS - 2 : i;
        for (int k = 0; k < TURNS && !low; k++) {
            if (peaks[ring][k] == tops[ring]) {
                co_angles a = {&v, 0.0L, step * k, step};
                so_real value =
                    so_golden_max(co_by_tilt, &a, near * (i - 1), near * (i + 1), 70).value;
                best = fmaxl(best, value);
            }
        }
    }
    return best;
}

/** Signed distance of a point from a solid. */
static inline so_real co_point_solid(const ov_shape *s, so_vec c) {
    so_real outside = co_outside(s, c);
    return outside > 0.0L ? outside : co_inside(s, c);
}

/* ---- boxes and capsules */

/** Corners of a box, or the ends of a capsule's axis; 0 for all others. */
static inline int co_corners(const ov_shape *s, so_vec corners[8]) {
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        corners[0] = (so_vec){0.0L, 0.0L, -(so_real)s->a.z};
        corners[1] = (so_vec){0.0L, 0.0L, s->a.z};
        return 2;
    }
    for (int i = 0; i < 8 && s->kind == OV_SHAPE_KIND_BOX; i++) {
        corners[i] = (so_vec){(i & 1) != 0 ? s->a.x : -s->a.x, (i & 2) != 0 ? s->a.y : -s->a.y,
                              (i & 4) != 0 ? s->a.z : -s->a.z};
    }
    return s->kind == OV_SHAPE_KIND_BOX ? 8 : 0;
}

static inline so_vec co_cross(so_vec a, so_vec b) {
    return (so_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/** The least n.d over all points, or some value below `best` where it is no more than that. */
static inline so_real co_least(const so_vec *d, int count, so_vec n, so_real best) {
    so_real least = (so_real)INFINITY;
    for (int i = 0; i < count && least > best; i++) {
        least = fminl(least, so_dot(n, d[i]));
    }
    return least;
}

/** Largest least n.d over the normals of all triples: minus the way out of their hull. */
static inline so_real co_way_out(const so_vec *d, int count) {
    so_real best = -(so_real)INFINITY;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = j + 1; k < count; k++) {
                so_vec e = co_sub(d[j], d[i]), f = co_sub(d[k], d[i]), n = co_cross(e, f);
                so_real length = so_length(n);
                if (length > 1e-17L * so_length(e) * so_length(f)) {
                    n = (so_vec){n.x / length, n.y / length, n.z / length};
                    best = fmaxl(best, co_least(d, count, n, best));
                    n = (so_vec){-n.x, -n.y, -n.z};
                    best = fmaxl(best, co_least(d, count, n, best));
                }
            }
        }
    }
    return best;
}

/** Distance of the hull of the points from the origin, outside of it. */
static inline so_real co_hull_distance(const so_vec *d, int count) {
    so_real best = (so_real)INFINITY;
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            for (int k = j; k < count; k++) {
                so_vec p[3] = {d[i], d[j], d[k]};
                so_real value = co_simplex(p, 1 + (j > i) + (k > j && j > i));
                best = value >= 0.0L ? fminl(best, value) : best;
            }
        }
    }
    return best;
}

/** Two boxes, or a box and a capsule. */
static inline so_real co_block_gap(const ovi_pair *p) {
    so_vec a[8], b[8], d[64];
    int corners_a = co_corners(p->a, a), corners_b = co_corners(p->b, b), count = 0;
    for (int i = 0; i < corners_a; i++) {
        for (int k = 0; k < corners_b; k++) {
            so_vec at = co_add(co_turn(p, b[k]), so_from(p->offset), 1.0L);
            d[count++] = co_sub(at, a[i]);
        }
    }
    so_real gap = co_way_out(d, count);
    gap = gap > 0.0L ? co_hull_distance(d, count) : gap;
    return gap - co_core_of(p->a).radius - co_core_of(p->b).radius;
}

/* ---- pairs */

/** The gap of a pair with a closed form; `pierced` where it has none. */
static inline so_real co_gap(const ovi_pair *p, bool *pierced) {
    *pierced = false;
    if (p->a->kind == OV_SHAPE_KIND_HALFSPACE) {
        so_vec m = so_from(p->a->u.halfspace.normal);
        so_vec back = co_turn_back(p, (so_vec){-m.x, -m.y, -m.z});
        return so_dot(m, so_from(p->offset)) - co_support(p->b, back) - p->a->u.halfspace.offset;
    }
    if (p->b->kind == OV_SHAPE_KIND_HALFSPACE) {
        so_vec m = co_turn(p, so_from(p->b->u.halfspace.normal));
        return -co_support(p->a, (so_vec){-m.x, -m.y, -m.z}) - so_dot(m, so_from(p->offset)) -
               p->b->u.halfspace.offset;
    }
    bool box_a = p->a->kind == OV_SHAPE_KIND_BOX, box_b = p->b->kind == OV_SHAPE_KIND_BOX;
    so_vec corners[8];
    if ((box_a && co_corners(p->b, corners) > 0) || (box_b && co_corners(p->a, corners) > 0)) {
        *pierced = true; // it may be left to the support-based solver
        return co_block_gap(p);
    }
    co_core a = co_core_of(p->a), b = co_core_of(p->b);
    if (a.count == 0) {
        so_vec c = co_add(co_turn(p, b.corners[0]), so_from(p->offset), 1.0L);
        return co_point_solid(p->a, c) - b.radius;
    }
    if (b.count == 0) {
        so_vec c = co_turn_back(p, co_sub(a.corners[0], so_from(p->offset)));
        return co_point_solid(p->b, c) - a.radius;
    }
    for (int i = 0; i < b.count; i++) {
        b.corners[i] = co_add(co_turn(p, b.corners[i]), so_from(p->offset), 1.0L);
    }
    return co_core_distance(&a, &b, pierced) - a.radius - b.radius;
}

/** Distance of a point from a bounded body, in its frame; 0 inside. */
static inline so_real co_off_body(const ov_shape *s, so_vec c) {
    co_core core = co_core_of(s), point = {.corners = {c}, .count = 1};
    bool pierced;
    if (core.count == 0) {
        return co_outside(s, c);
    }
    return fmaxl(co_core_distance(&core, &point, &pierced) - core.radius, 0.0L);
}

#endif
