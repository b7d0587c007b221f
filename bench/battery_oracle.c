/**
 * @file battery_oracle.c
 * @brief Bounds of the gap in long double: GJK where the bodies are separated, EPA where they
 * overlap.
 *
 * With the set S of all b - a (b in B, a in A), the signed distance is the greatest over unit n of
 * the least n . s over S.
 *
 * GJK (separated): v is the point nearest to the origin of a simplex of points of S; |v| bounds the
 * distance from above, and the support point s in direction n = v/|v| bounds it by n . s from
 * below. EPA (overlapping): a polytope inside -S; once it holds the origin, the nearest of its
 * faces bounds the depth from below, and the support in any direction bounds it from above. The
 * nearest face is pushed out until the two meet. As it always works on the nearest face, of all
 * faces, the depth it closes in on is the global one.
 */
#include "battery_oracle.h"

#include <math.h>
#include <string.h>

/** Where the bounds are close enough, in units of the sum of semi-axes; far below any double. */
#define ORACLE_GOAL 2e-17L

enum { GJK_STEPS = 400, EPA_STEPS = 700, EPA_FACES = 2048, EPA_EDGES = 512 };

/* ---- vectors */

static oracle_vec sub(oracle_vec a, oracle_vec b) {
    return (oracle_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static oracle_vec scale(oracle_vec a, long double s) {
    return (oracle_vec){a.x * s, a.y * s, a.z * s};
}
static long double dot(oracle_vec a, oracle_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static oracle_vec cross(oracle_vec a, oracle_vec b) {
    return (oracle_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static long double length(oracle_vec a) { return sqrtl(dot(a, a)); }

typedef struct pair {
    const oracle_body *a, *b;
    int supports;
} pair;

/** The point of S that is least along n. */
static oracle_vec least_along(pair *p, oracle_vec n) {
    oracle_vec pa, pb;
    oracle_support(p->a, n, &pa);
    oracle_support(p->b, scale(n, -1.0L), &pb);
    p->supports++;
    return sub(pb, pa);
}

static long double size_of(const pair *p) {
    return p->a->a1 + p->a->a2 + p->a->a3 + p->b->a1 + p->b->a2 + p->b->a3;
}

/* ---- GJK */

typedef struct simplex {
    oracle_vec points[4];
    int count;
} simplex;

/** Solves a symmetric system of up to 3 unknowns by elimination with pivots; false: singular. */
static bool solve(int n, long double m[3][4]) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++) {
            pivot = fabsl(m[r][c]) > fabsl(m[pivot][c]) ? r : pivot;
        }
        if (m[pivot][c] == 0.0L) {
            return false;
        }
        for (int k = 0; k <= n; k++) {
            long double t = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = t;
        }
        for (int r = 0; r < n; r++) {
            long double f = r == c ? 0.0L : m[r][c] / m[c][c];
            for (int k = c; k <= n; k++) {
                m[r][k] -= f * m[c][k];
            }
        }
    }
    for (int c = 0; c < n; c++) {
        m[c][n] /= m[c][c];
    }
    return true;
}

/** The point of the span of some corners that is nearest to the origin; false where outside. */
static bool nearest_of_span(const simplex *s, unsigned corners, oracle_vec *nearest) {
    oracle_vec points[4];
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        if (corners & 1u << i) {
            points[count++] = s->points[i];
        }
    }
    long double m[3][4];
    oracle_vec edges[3];
    for (int i = 1; i < count; i++) {
        edges[i - 1] = sub(points[i], points[0]);
    }
    for (int i = 0; i + 1 < count; i++) {
        for (int k = 0; k + 1 < count; k++) {
            m[i][k] = dot(edges[i], edges[k]);
        }
        m[i][count - 1] = -dot(edges[i], points[0]);
    }
    if (count > 1 && !solve(count - 1, m)) {
        return false;
    }
    *nearest = points[0];
    long double rest = 1.0L;
    for (int i = 0; i + 1 < count; i++) {
        long double t = m[i][count - 1];
        if (!(t >= 0.0L)) {
            return false;
        }
        rest -= t;
        nearest->x += t * edges[i].x;
        nearest->y += t * edges[i].y;
        nearest->z += t * edges[i].z;
    }
    return rest >= 0.0L;
}

/** The nearest point of a simplex, over all its faces; the corners that do not carry it go. */
static oracle_vec reduce(simplex *s) {
    unsigned best = 1;
    oracle_vec nearest = s->points[0];
    for (unsigned corners = 1; corners < 1u << s->count; corners++) {
        oracle_vec v;
        if (nearest_of_span(s, corners, &v) && dot(v, v) < dot(nearest, nearest)) {
            nearest = v;
            best = corners;
        }
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (best & 1u << i) {
            s->points[kept++] = s->points[i];
        }
    }
    s->count = kept;
    return nearest;
}

/** Bounds of the distance; the upper one is tiny, the lower one zero where the bodies meet. */
static oracle_gap gjk(pair *p, oracle_vec n) {
    oracle_gap gap = {0.0L, INFINITY, 0};
    simplex s = {{least_along(p, n)}, 1};
    long double first = dot(n, s.points[0]) / length(n);
    gap.lower = fmaxl(0.0L, first);
    for (int i = 0; i < GJK_STEPS; i++) {
        oracle_vec v = reduce(&s);
        long double distance = length(v);
        bool nearer = distance < gap.upper;
        gap.upper = fminl(gap.upper, distance);
        if (s.count == 4 || distance < ORACLE_GOAL * size_of(p)) {
            return (oracle_gap){0.0L, 0.0L, 0}; // the simplex holds the origin
        }
        oracle_vec w = least_along(p, scale(v, 1.0L / distance));
        gap.lower = fmaxl(gap.lower, dot(v, w) / distance);
        if (gap.upper - gap.lower <= ORACLE_GOAL * size_of(p) || (!nearer && i > 0)) {
            break;
        }
        s.points[s.count++] = w;
    }
    return gap;
}

/* ---- EPA */

typedef struct face {
    oracle_vec corners[3], normal;
    long double offset;
} face;

typedef struct polytope {
    face faces[EPA_FACES];
    int count;
    oracle_vec inside;
} polytope;

typedef struct edge {
    oracle_vec from, to;
} edge;

static bool same(oracle_vec a, oracle_vec b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** Adds a face; false where it is degenerate, turned inwards, or one too many. */
static bool add_face(polytope *t, oracle_vec a, oracle_vec b, oracle_vec c) {
    if (t->count == EPA_FACES) {
        return false;
    }
    face *f = &t->faces[t->count];
    oracle_vec n = cross(sub(b, a), sub(c, a));
    long double size = length(n);
    if (!(size > 0.0L)) {
        return false;
    }
    *f = (face){{a, b, c}, scale(n, 1.0L / size), 0.0L};
    f->offset = dot(f->normal, a);
    t->count++;
    return f->offset > dot(f->normal, t->inside);
}

static bool first_polytope(pair *p, polytope *t) {
    static const oracle_vec directions[4] = {
        {1.0L, 1.0L, 1.0L}, {1.0L, -1.0L, -1.0L}, {-1.0L, 1.0L, -1.0L}, {-1.0L, -1.0L, 1.0L}};
    oracle_vec c[4], sum = {0.0L, 0.0L, 0.0L};
    for (int i = 0; i < 4; i++) {
        c[i] = scale(least_along(p, directions[i]), -1.0L);
        sum = sub(sum, scale(c[i], -1.0L));
    }
    t->count = 0;
    t->inside = scale(sum, 0.25L);
    bool left_handed = dot(cross(sub(c[1], c[0]), sub(c[2], c[0])), sub(c[3], c[0])) > 0.0L;
    int k = left_handed ? 2 : 1, l = left_handed ? 1 : 2;
    return add_face(t, c[0], c[k], c[l]) && add_face(t, c[0], c[l], c[3]) &&
           add_face(t, c[0], c[3], c[k]) && add_face(t, c[k], c[3], c[l]);
}

/** Notes an edge of a face that goes; the same edge from its neighbour cancels it. */
static bool note_edge(edge *edges, int *count, oracle_vec from, oracle_vec to) {
    for (int i = 0; i < *count; i++) {
        if (same(edges[i].from, to) && same(edges[i].to, from)) {
            edges[i] = edges[--*count];
            return true;
        }
    }
    if (*count == EPA_EDGES) {
        return false;
    }
    edges[(*count)++] = (edge){from, to};
    return true;
}

/** Takes the faces away that the new point sees, and closes the hole with it. */
static bool push_out(polytope *t, oracle_vec w) {
    edge edges[EPA_EDGES];
    int count = 0, kept = 0;
    for (int i = 0; i < t->count; i++) {
        const face f = t->faces[i];
        if (!(dot(f.normal, w) - f.offset > 0.0L)) {
            t->faces[kept++] = f;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            if (!note_edge(edges, &count, f.corners[k], f.corners[(k + 1) % 3])) {
                return false;
            }
        }
    }
    t->count = kept;
    for (int i = 0; i < count; i++) {
        if (!add_face(t, edges[i].from, edges[i].to, w)) {
            return false;
        }
    }
    return true;
}

/** Bounds of the gap of bodies that meet. Where rounding ends it, the bounds so far hold. */
static oracle_gap epa(pair *p, oracle_vec start) {
    polytope t;
    oracle_vec w = scale(least_along(p, start), -1.0L);
    long double depth_lower = 0.0L, depth_upper = dot(w, start) / length(start);
    bool good = first_polytope(p, &t);
    for (int i = 0; i < EPA_STEPS && good; i++) {
        int nearest = 0;
        for (int k = 1; k < t.count; k++) {
            nearest = t.faces[k].offset < t.faces[nearest].offset ? k : nearest;
        }
        // before the origin is inside, the nearest face is one that it lies beyond
        const face f = t.faces[nearest];
        depth_lower = fmaxl(depth_lower, f.offset);
        w = scale(least_along(p, f.normal), -1.0L);
        long double reach = dot(w, f.normal);
        depth_upper = fminl(depth_upper, reach);
        if (depth_upper - depth_lower <= ORACLE_GOAL * size_of(p)) {
            break;
        }
        // a face that cannot be pushed out is one of the body itself, to rounding
        good = reach > f.offset && push_out(&t, w);
    }
    return (oracle_gap){-depth_upper, -fminl(depth_lower, depth_upper), 0};
}

oracle_gap oracle_measure(const oracle_body *a, const oracle_body *b, ov_vec3 start) {
    pair p = {a, b, 0};
    oracle_vec n = {start.x, start.y, start.z};
    long double size = length(n);
    if (!(size > 0.5L && size < 2.0L)) {
        n = sub(b->position, a->position);
        n = length(n) > 0.0L ? n : (oracle_vec){1.0L, 0.0L, 0.0L};
    }
    oracle_gap gap = gjk(&p, n);
    if (!(gap.lower > 0.0L)) {
        gap = epa(&p, n);
    }
    gap.supports = p.supports;
    return gap;
}
