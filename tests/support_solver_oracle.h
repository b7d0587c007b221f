/**
 * @file support_solver_oracle.h
 * @brief What the suites of the support-based solver share: pairs in A's frame, the checks that
 * every answer has to pass, and the gap of two polytopes by brute force.
 *
 * The oracle, in long double and without the library's code: a polytope, or the core of a sphere or
 * capsule, is a list of corners, triangles and edges. The depth is the best of all separating axes
 * (faces of both, and every edge of one across every edge of the other), the distance the least of
 * all pairs of features. Where not to trust it: edges that are parallel to 1e-12 count as parallel.
 */
#ifndef OVOID_TESTS_SUPPORT_SOLVER_ORACLE_H
#define OVOID_TESTS_SUPPORT_SOLVER_ORACLE_H

#include "query/support_solver.h"
#include "support_oracle.h"

/* ---- pairs */

static inline ovi_pair make_pair(const ov_shape *a, const ov_shape *b, ov_quat q, ov_vec3 offset,
                                 double tolerance) {
    ovi_pair p = {.a = a, .b = b, .turn = ov_mat3_from_quat(q), .offset = offset, .limit = NAN};
    p.depth = OV_DEPTH_PROVEN;
    double reach = a->ball.radius + ov_vec3_length(a->ball.centre) + b->ball.radius +
                   ov_vec3_length(b->ball.centre);
    p.size = fmax(a->ball.radius, b->ball.radius);
    p.rounding = 1e-13 * reach + 32.0 * DBL_EPSILON * ov_vec3_length(offset);
    p.goal = tolerance * p.size + 4.0 * p.rounding;
    return p;
}

static inline ovi_pair swapped(const ovi_pair *p) {
    ovi_pair s = *p;
    const ov_mat3 *t = &p->turn;
    s.a = p->b;
    s.b = p->a;
    s.turn = (ov_mat3){
        {t->cx.x, t->cy.x, t->cz.x}, {t->cx.y, t->cy.y, t->cz.y}, {t->cx.z, t->cy.z, t->cz.z}};
    s.offset = ov_vec3_neg(ovi_to_b(p, p->offset));
    return s;
}

/** B moved along d to where the separation along d is `gap`: the true gap is that or somewhat more.
 */
static inline ov_vec3 offset_for(const ov_shape *a, const ov_shape *b, ov_quat q, ov_vec3 d,
                                 double gap) {
    ovi_pair p = make_pair(a, b, q, ov_vec3_make(0.0, 0.0, 0.0), 1e-9);
    ovi_separation along;
    CHECK_OK(ovi_pair_separation(&p, d, &along));
    return ov_vec3_scale(d, gap - along.gap);
}

static inline ovi_result query(const ovi_pair *p) {
    ovi_result r;
    CHECK_OK(ovi_gjk_distance(p, p->offset, NULL, &r));
    if (r.overlap && !r.solved) {
        double lower = r.lower, upper = r.upper;
        CHECK_OK(ovi_epa_depth(p, NULL, &r));
        CHECK(r.lower >= lower && r.upper <= upper && r.overlap);
    }
    CHECK(r.lower <= r.gap && r.gap <= r.upper);
    CHECK(!r.overlap || r.upper < 0.0);
    CHECK(r.solved == (r.upper - r.lower <= p->goal));
    CHECK_NEAR(ov_vec3_length(r.normal), 1.0, 1e-14);
    CHECK(ov_vec3_is_finite(r.point_a) && ov_vec3_is_finite(r.point_b));
    return r;
}

/** How far a point is outside a body along a direction, by the body's support. */
static inline double beyond(const ov_shape *s, ov_vec3 point, ov_vec3 n) {
    ov_support h;
    CHECK_OK(ovi_support_point(s, n, &h));
    return ov_vec3_dot(n, point) - h.value;
}

/** The points of a solved answer: on their bodies, across the gap from one another. */
static inline void check_points(const ovi_pair *p, const ovi_result *r, check_random *random) {
    ov_vec3 across = ov_vec3_add_scaled(ov_vec3_sub(r->point_b, r->point_a), r->normal, -r->gap);
    // where the bodies touch flatly, points of the same value may lie apart by the root of the goal
    CHECK(ov_vec3_dot(across, r->normal) <= p->goal && ov_vec3_dot(across, r->normal) >= -p->goal);
    ov_vec3 n = r->normal, m = ov_vec3_neg(ovi_to_b(p, n));
    ov_vec3 in_b = ovi_to_b(p, ov_vec3_sub(r->point_b, p->offset));
    CHECK_NEAR(beyond(p->a, r->point_a, n), 0.0, 2.0 * p->goal);
    CHECK_NEAR(beyond(p->b, in_b, m), 0.0, 2.0 * p->goal);
    for (int i = 0; i < 8; i++) {
        ov_vec3 u = check_unit_vector(random);
        CHECK(beyond(p->a, r->point_a, u) <= 2.0 * p->goal);
        CHECK(beyond(p->b, in_b, u) <= 2.0 * p->goal);
    }
}

/* ---- oracle: polytopes */

static inline so_vec sub(so_vec a, so_vec b) { return (so_vec){a.x - b.x, a.y - b.y, a.z - b.z}; }

static inline so_vec along(so_vec a, so_vec d, so_real t) {
    return (so_vec){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static inline so_vec cross(so_vec a, so_vec b) {
    return (so_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

enum { HULL_MAX = 32 };

/** Corners in A's frame, faces as triangles, edges (diagonals too, they do no harm). */
typedef struct hull {
    so_vec v[HULL_MAX];
    int t[2 * HULL_MAX][3], e[6 * HULL_MAX][2];
    int nv, nt, ne;
    double radius; // of the skin
} hull;

static inline void add_face(hull *h, int i, int j, int k) {
    const int v[3] = {i, j, k};
    for (int c = 0; c < 3; c++) {
        h->t[h->nt][c] = v[c];
        h->e[h->ne][0] = v[c];
        h->e[h->ne++][1] = v[(c + 1) % 3];
    }
    h->nt++;
}

static inline void add_edge(hull *h, int i, int j) {
    h->e[h->ne][0] = i;
    h->e[h->ne++][1] = j;
}

static inline hull hull_of(const ov_shape *s) {
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    hull h = {.nv = 0};
    if (s->kind == OV_SHAPE_KIND_BOX) {
        for (unsigned k = 0; k < 8; k++) {
            h.v[h.nv++] = (so_vec){k & 1 ? s->a.x : -s->a.x, k & 2 ? s->a.y : -s->a.y,
                                   k & 4 ? s->a.z : -s->a.z};
        }
        for (int q = 0; q < 6; q++) {
            add_face(&h, quads[q][0], quads[q][1], quads[q][2]);
            add_face(&h, quads[q][0], quads[q][2], quads[q][3]);
        }
    } else if (s->kind == OV_SHAPE_KIND_POLYHEDRON) {
        for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
            h.v[h.nv++] = so_from(s->u.polyhedron.vertices[i]);
        }
        for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
            const uint32_t *t = s->u.polyhedron.triangles[i];
            add_face(&h, (int)t[0], (int)t[1], (int)t[2]);
        }
    } else if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        h.v[0].z = s->a.z;
        h.v[1].z = -s->a.z;
        h.nv = 2;
        h.radius = s->a.x;
    } else if (s->kind == OV_SHAPE_KIND_SPHERE) {
        h.nv = 1;
        h.radius = s->a.x;
    } else {
        h.nv = s->kind == OV_SHAPE_KIND_TRIANGLE ? 3 : s->kind == OV_SHAPE_KIND_SEGMENT ? 2 : 1;
        for (int i = 0; i < h.nv; i++) {
            h.v[i] = so_from(s->u.vertices[i]);
        }
    }
    if (h.nv <= 2) {
        add_edge(&h, 0, h.nv - 1);
    } else if (h.nv == 3) {
        add_face(&h, 0, 1, 2);
    }
    return h;
}

static inline void place_hull(hull *h, const ovi_pair *p) {
    for (int i = 0; i < h->nv; i++) {
        so_vec w = so_from(p->offset);
        w = along(w, so_from(p->turn.cx), h->v[i].x);
        w = along(w, so_from(p->turn.cy), h->v[i].y);
        h->v[i] = along(w, so_from(p->turn.cz), h->v[i].z);
    }
}

/** Least n.(b - a) for a direction that need not be unit; minus infinity where it has no length. */
static inline so_real axis_gap(const hull *a, const hull *b, so_vec n, so_real unit) {
    so_real length = so_length(n);
    if (length <= 1e-12L * unit) {
        return -(so_real)INFINITY;
    }
    so_real low[2] = {INFINITY, INFINITY}, high[2] = {-(so_real)INFINITY, -(so_real)INFINITY};
    for (int side = 0; side < 2; side++) {
        const hull *h = side == 0 ? a : b;
        for (int i = 0; i < h->nv; i++) {
            // from a corner of A, so that large coordinates do not cost digits
            so_real x = so_dot(n, sub(h->v[i], a->v[0])) / length;
            low[side] = fminl(low[side], x);
            high[side] = fmaxl(high[side], x);
        }
    }
    return fmaxl(low[1] - high[0], low[0] - high[1]);
}

static inline so_vec edge(const hull *h, int i) { return sub(h->v[h->e[i][1]], h->v[h->e[i][0]]); }

static inline so_real best_axis(const hull *a, const hull *b) {
    so_real best = -(so_real)INFINITY;
    for (int side = 0; side < 2; side++) {
        const hull *h = side == 0 ? a : b;
        for (int i = 0; i < h->nt; i++) {
            so_vec e = sub(h->v[h->t[i][1]], h->v[h->t[i][0]]);
            so_vec f = sub(h->v[h->t[i][2]], h->v[h->t[i][0]]);
            best = fmaxl(best, axis_gap(a, b, cross(e, f), so_length(e) * so_length(f)));
        }
    }
    for (int i = 0; i < a->ne; i++) {
        for (int j = 0; j < b->ne; j++) {
            so_vec e = edge(a, i), f = edge(b, j);
            best = fmaxl(best, axis_gap(a, b, cross(e, f), so_length(e) * so_length(f)));
        }
    }
    return best;
}

static inline so_real point_segment(so_vec p, so_vec a, so_vec b) {
    so_vec e = sub(b, a);
    so_real square = so_dot(e, e), t = square > 0.0L ? so_dot(sub(p, a), e) / square : 0.0L;
    return so_length(sub(p, along(a, e, fminl(1.0L, fmaxl(0.0L, t)))));
}

static inline so_real segment_segment(so_vec a, so_vec b, so_vec c, so_vec d) {
    so_real best = fminl(fminl(point_segment(a, c, d), point_segment(b, c, d)),
                         fminl(point_segment(c, a, b), point_segment(d, a, b)));
    so_vec e = sub(b, a), f = sub(d, c), n = cross(e, f), r = sub(c, a);
    so_real square = so_dot(n, n);
    if (square > 1e-24L * so_dot(e, e) * so_dot(f, f)) {
        so_real s = so_dot(cross(r, f), n) / square, t = so_dot(cross(r, e), n) / square;
        if (s > 0.0L && s < 1.0L && t > 0.0L && t < 1.0L) {
            best = fminl(best, so_length(sub(along(c, f, t), along(a, e, s))));
        }
    }
    return best;
}

/** Infinite where the foot on the plane is outside the triangle: its edges have it then. */
static inline so_real point_triangle(so_vec p, so_vec a, so_vec b, so_vec c) {
    so_vec e = sub(b, a), f = sub(c, a), n = cross(e, f), r = sub(p, a);
    so_real square = so_dot(n, n);
    so_real s = so_dot(cross(r, f), n) / square, t = so_dot(cross(e, r), n) / square;
    return s >= 0.0L && t >= 0.0L && s + t <= 1.0L ? fabsl(so_dot(r, n)) / sqrtl(square)
                                                   : (so_real)INFINITY;
}

static inline so_real feature_distance(const hull *a, const hull *b) {
    so_real best = INFINITY;
    for (int i = 0; i < a->ne; i++) {
        for (int j = 0; j < b->ne; j++) {
            best = fminl(best, segment_segment(a->v[a->e[i][0]], a->v[a->e[i][1]], b->v[b->e[j][0]],
                                               b->v[b->e[j][1]]));
        }
    }
    for (int side = 0; side < 2; side++) {
        const hull *h = side == 0 ? a : b, *o = side == 0 ? b : a;
        for (int i = 0; i < h->nv; i++) {
            for (int j = 0; j < o->nt; j++) {
                best = fminl(best, point_triangle(h->v[i], o->v[o->t[j][0]], o->v[o->t[j][1]],
                                                  o->v[o->t[j][2]]));
            }
        }
    }
    return best;
}

static inline int dimension(const hull *h) { return h->nv > 3 ? 3 : h->nv - 1; }

/** Gap of two polytopes with skins. A difference without volume has no depth. */
static inline so_real polytope_gap(const ovi_pair *p) {
    hull a = hull_of(p->a), b = hull_of(p->b);
    place_hull(&b, p);
    so_real axis = best_axis(&a, &b), skin = (so_real)a.radius + b.radius;
    bool flat = dimension(&a) + dimension(&b) <= 2;
    return (flat || axis > 0.0L ? feature_distance(&a, &b) : axis) - skin;
}

#endif
