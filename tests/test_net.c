/**
 * @file test_net.c
 * @brief The support-based net below the pair queries (src/query/gjk.c, epa.c) against independent
 * answers.
 *
 * Oracles, all in long double and without the library's code:
 *  - polytopes and what has one for a core (box, polyhedron, triangle, segment, point; sphere,
 *    capsule): every separating axis for the depth, every pair of features for the distance;
 *  - point and ellipsoid: the one-dimensional root of the nearest point, inside and outside;
 *  - the smooth family, separated: the answer's own certificate, checked with the printed formulas
 *    (so_*): the normal must prove the lower bound, the witness points the upper one;
 *  - the smooth family, overlapping: a scan of directions, the best of them refined. It can miss a
 *    deep narrow maximum of g, so it counts only as a lower bound of the gap.
 */
#include "query/query_internal.h"
#include "support_oracle.h"

/* ---- pairs */

static ovi_pair make_pair(const ov_shape *a, const ov_shape *b, ov_quat q, ov_vec3 offset,
                          double tolerance) {
    ovi_pair p = {.a = a, .b = b, .turn = ov_mat3_from_quat(q), .offset = offset, .limit = NAN};
    double reach = a->ball.radius + ov_vec3_length(a->ball.centre) + b->ball.radius +
                   ov_vec3_length(b->ball.centre);
    p.size = fmax(a->ball.radius, b->ball.radius);
    p.rounding = 1e-13 * reach + 32.0 * DBL_EPSILON * ov_vec3_length(offset);
    p.goal = tolerance * p.size + 4.0 * p.rounding;
    return p;
}

static ovi_pair swapped(const ovi_pair *p) {
    ovi_pair s = *p;
    const ov_mat3 *t = &p->turn;
    s.a = p->b;
    s.b = p->a;
    s.turn = (ov_mat3){{t->cx.x, t->cy.x, t->cz.x},
                       {t->cx.y, t->cy.y, t->cz.y},
                       {t->cx.z, t->cy.z, t->cz.z}};
    s.offset = ov_vec3_neg(ovi_to_b(p, p->offset));
    return s;
}

/** B moved along d to where the span along d is `gap`: the true gap is that or somewhat more. */
static ov_vec3 offset_for(const ov_shape *a, const ov_shape *b, ov_quat q, ov_vec3 d, double gap) {
    ovi_pair p = make_pair(a, b, q, ov_vec3_make(0.0, 0.0, 0.0), 1e-9);
    ovi_span span;
    CHECK_OK(ovi_pair_span(&p, d, &span));
    return ov_vec3_scale(d, gap - span.gap);
}

static ovi_result query(const ovi_pair *p) {
    ovi_result r;
    CHECK_OK(ovi_gjk_distance(p, p->offset, &r));
    if (r.overlap && !r.solved) {
        double lower = r.lower, upper = r.upper;
        CHECK_OK(ovi_epa_depth(p, &r));
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
static double beyond(const ov_shape *s, ov_vec3 point, ov_vec3 n) {
    ov_support h;
    CHECK_OK(ovi_support_point(s, n, &h));
    return ov_vec3_dot(n, point) - h.value;
}

/** The points of a solved answer: on their bodies, across the gap from one another. */
static void check_points(const ovi_pair *p, const ovi_result *r, check_random *random) {
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

static so_vec sub(so_vec a, so_vec b) { return (so_vec){a.x - b.x, a.y - b.y, a.z - b.z}; }

static so_vec along(so_vec a, so_vec d, so_real t) {
    return (so_vec){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static so_vec cross(so_vec a, so_vec b) {
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

static void add_face(hull *h, int i, int j, int k) {
    const int v[3] = {i, j, k};
    for (int c = 0; c < 3; c++) {
        h->t[h->nt][c] = v[c];
        h->e[h->ne][0] = v[c];
        h->e[h->ne++][1] = v[(c + 1) % 3];
    }
    h->nt++;
}

static void add_edge(hull *h, int i, int j) {
    h->e[h->ne][0] = i;
    h->e[h->ne++][1] = j;
}

static hull hull_of(const ov_shape *s) {
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    hull h = {.nv = 0};
    if (s->kind == OV_SHAPE_BOX) {
        for (unsigned k = 0; k < 8; k++) {
            h.v[h.nv++] = (so_vec){k & 1 ? s->a.x : -s->a.x, k & 2 ? s->a.y : -s->a.y,
                                   k & 4 ? s->a.z : -s->a.z};
        }
        for (int q = 0; q < 6; q++) {
            add_face(&h, quads[q][0], quads[q][1], quads[q][2]);
            add_face(&h, quads[q][0], quads[q][2], quads[q][3]);
        }
    } else if (s->kind == OV_SHAPE_POLYHEDRON) {
        for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
            h.v[h.nv++] = so_from(s->u.polyhedron.vertices[i]);
        }
        for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
            const uint32_t *t = s->u.polyhedron.triangles[i];
            add_face(&h, (int)t[0], (int)t[1], (int)t[2]);
        }
    } else if (s->kind == OV_SHAPE_CAPSULE) {
        h.v[0].z = s->a.z;
        h.v[1].z = -s->a.z;
        h.nv = 2;
        h.radius = s->a.x;
    } else if (s->kind == OV_SHAPE_SPHERE) {
        h.nv = 1;
        h.radius = s->a.x;
    } else {
        h.nv = s->kind == OV_SHAPE_TRIANGLE ? 3 : s->kind == OV_SHAPE_SEGMENT ? 2 : 1;
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

static void place_hull(hull *h, const ovi_pair *p) {
    for (int i = 0; i < h->nv; i++) {
        so_vec w = so_from(p->offset);
        w = along(w, so_from(p->turn.cx), h->v[i].x);
        w = along(w, so_from(p->turn.cy), h->v[i].y);
        h->v[i] = along(w, so_from(p->turn.cz), h->v[i].z);
    }
}

/** Least n.(b - a) for a direction that need not be unit; minus infinity where it has no length. */
static so_real axis_gap(const hull *a, const hull *b, so_vec n, so_real unit) {
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

static so_vec edge(const hull *h, int i) { return sub(h->v[h->e[i][1]], h->v[h->e[i][0]]); }

static so_real best_axis(const hull *a, const hull *b) {
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

static so_real point_segment(so_vec p, so_vec a, so_vec b) {
    so_vec e = sub(b, a);
    so_real square = so_dot(e, e), t = square > 0.0L ? so_dot(sub(p, a), e) / square : 0.0L;
    return so_length(sub(p, along(a, e, fminl(1.0L, fmaxl(0.0L, t)))));
}

static so_real segment_segment(so_vec a, so_vec b, so_vec c, so_vec d) {
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
static so_real point_triangle(so_vec p, so_vec a, so_vec b, so_vec c) {
    so_vec e = sub(b, a), f = sub(c, a), n = cross(e, f), r = sub(p, a);
    so_real square = so_dot(n, n);
    so_real s = so_dot(cross(r, f), n) / square, t = so_dot(cross(e, r), n) / square;
    return s >= 0.0L && t >= 0.0L && s + t <= 1.0L ? fabsl(so_dot(r, n)) / sqrtl(square)
                                                   : (so_real)INFINITY;
}

static so_real feature_distance(const hull *a, const hull *b) {
    so_real best = INFINITY;
    for (int i = 0; i < a->ne; i++) {
        for (int j = 0; j < b->ne; j++) {
            best = fminl(best, segment_segment(a->v[a->e[i][0]], a->v[a->e[i][1]],
                                               b->v[b->e[j][0]], b->v[b->e[j][1]]));
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

static int dimension(const hull *h) { return h->nv > 3 ? 3 : h->nv - 1; }

/** Gap of two polytopes with skins. A difference without volume has no depth. */
static so_real polytope_gap(const ovi_pair *p) {
    hull a = hull_of(p->a), b = hull_of(p->b);
    place_hull(&b, p);
    so_real axis = best_axis(&a, &b), skin = (so_real)a.radius + b.radius;
    bool flat = dimension(&a) + dimension(&b) <= 2;
    return (flat || axis > 0.0L ? feature_distance(&a, &b) : axis) - skin;
}

/* ---- polytopes */

static const ov_shape_kind polytope_kinds[] = {
    OV_SHAPE_BOX,      OV_SHAPE_POLYHEDRON, OV_SHAPE_SPHERE,  OV_SHAPE_CAPSULE,
    OV_SHAPE_TRIANGLE, OV_SHAPE_SEGMENT,    OV_SHAPE_POINT,   OV_SHAPE_BOX,
};
enum { POLYTOPE_KINDS = 8 };

typedef struct corners {
    ov_vec3 v[8];
    uint32_t t[12][3];
} corners;

static ov_vec3 random_in_box(check_random *r, ov_vec3 half) {
    return ov_vec3_make(check_uniform(r, -half.x, half.x), check_uniform(r, -half.y, half.y),
                        check_uniform(r, -half.z, half.z));
}

/** A tetrahedron, or a twisted box of eight corners on a sheared frame. */
static ov_shape random_polyhedron(check_random *r, ov_vec3 half, corners *c) {
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    ov_shape s;
    do {
        for (int i = 0; i < 4; i++) {
            c->v[i] = random_in_box(r, half);
        }
        ov_vec3 e = ov_vec3_sub(c->v[1], c->v[0]), f = ov_vec3_sub(c->v[2], c->v[0]);
        ov_vec3 g = ov_vec3_sub(c->v[3], c->v[0]);
        if (ov_vec3_dot(ov_vec3_cross(e, f), g) < 0.0) {
            ov_vec3 swap = c->v[0];
            c->v[0] = c->v[1];
            c->v[1] = swap;
        }
        for (int i = 0; i < 12; i++) {
            c->t[i / 3][i % 3] = faces[i / 3][i % 3];
        }
    } while (ov_shape_make_polyhedron(c->v, 4, (const uint32_t(*)[3])c->t, 4, &s) != OV_OK);
    return s;
}

static ov_shape random_polytope(check_random *r, ov_shape_kind kind, double size, corners *c) {
    ov_shape s;
    ov_vec3 half = ov_vec3_make(size * check_log_uniform(r, 1e-3, 1.0),
                                size * check_log_uniform(r, 1e-3, 1.0),
                                size * check_log_uniform(r, 1e-3, 1.0));
    switch (kind) {
    case OV_SHAPE_BOX:
        CHECK_OK(ov_shape_make_box(half, &s));
        return s;
    case OV_SHAPE_POLYHEDRON:
        return random_polyhedron(r, half, c);
    case OV_SHAPE_SPHERE:
        CHECK_OK(ov_shape_make_sphere(half.x, &s));
        return s;
    case OV_SHAPE_CAPSULE:
        CHECK_OK(ov_shape_make_capsule(half.x, half.y, &s));
        return s;
    case OV_SHAPE_POINT:
        CHECK_OK(ov_shape_make_point(random_in_box(r, half), &s));
        return s;
    case OV_SHAPE_SEGMENT:
        CHECK_OK(ov_shape_make_segment(random_in_box(r, half), random_in_box(r, half), &s));
        return s;
    default:
        while (ov_shape_make_triangle(random_in_box(r, half), random_in_box(r, half),
                                      random_in_box(r, half), &s) != OV_OK) {
        }
        return s;
    }
}

/** A gap in sizes: deep, shallow, nearly none, wide, far. */
static double random_gap(check_random *r) {
    switch (check_random_bits(r) % 6) {
    case 0:
    case 1:
        return -check_uniform(r, 0.0, 1.0);
    case 2:
        return -check_log_uniform(r, 1e-9, 1e-3);
    case 3:
        return check_log_uniform(r, 1e-9, 1e-3);
    case 4:
        return check_log_uniform(r, 1e-3, 100.0);
    default:
        return check_log_uniform(r, 100.0, 1e9);
    }
}

/** Bounds hold the truth, the goal is met, and the overlap is told where there is one. */
static void check_against(const ovi_pair *p, const ovi_result *r, so_real truth) {
    CHECK(r->lower <= truth);
    CHECK(r->upper >= truth);
    CHECK(r->solved);
    CHECK_NEAR(r->gap, (double)truth, p->goal);
    if (truth < -(so_real)p->goal) {
        CHECK(r->overlap);
    }
    if (truth >= 0.0L) {
        CHECK(!r->overlap);
    }
}

static void test_polytopes(void) {
    check_random r = check_random_make(101);
    corners ca, cb;
    double worst = 0.0, spans = 0.0;
    const int pairs = 12000;
    for (int i = 0; i < pairs; i++) {
        double ratio = i % 3 == 0 ? check_log_uniform(&r, 1.0, 1e6) : 1.0;
        ov_shape a = random_polytope(&r, polytope_kinds[i % POLYTOPE_KINDS], 1.0, &ca);
        ov_shape b =
            random_polytope(&r, polytope_kinds[i / POLYTOPE_KINDS % POLYTOPE_KINDS], ratio, &cb);
        bool straight = i % 4 == 1;
        ov_quat q = straight ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 d = check_unit_vector(&r);
        d = straight ? ov_vec3_make(0.0, 1.0, 0.0) : d;
        double size = fmax(a.ball.radius, b.ball.radius);
        ov_vec3 offset = offset_for(&a, &b, q, d, random_gap(&r) * fmax(size, 1e-3));
        ovi_pair p = make_pair(&a, &b, q, offset, i % 2 == 0 ? 1e-9 : 1e-12);
        so_real truth = polytope_gap(&p);
        ovi_result result = query(&p), turned;
        check_against(&p, &result, truth);
        check_points(&p, &result, &r);
        ovi_pair other = swapped(&p);
        turned = query(&other);
        check_against(&other, &turned, truth);
        worst = fmax(worst, (double)fabsl(result.gap - truth) / p.rounding);
        spans += result.iterations;
    }
    check_worst("polytopes, error in units of the rounding", worst, 1.0);
    CHECK(worst <= 1.0);
    printf("%s: polytopes: %.1f spans a pair\n", check_suite, spans / pairs);
}

int main(void) {
    check_suite = "test_net";
    RUN(test_polytopes);
    return check_finish();
}
