/**
 * @file reference.c
 * @brief The reference in long double: support functions, and bounds of the gap.
 *
 * Supports, from the formulas of the shapes. Superellipsoid: u_i = |a_i n_i|,
 * M = (u1^q1 + u2^q1)^(1/q1), h = (M^q2 + u3^q2)^(1/q2), and the support point is the gradient of
 * h. Superovoid: the greatest over all heights zeta of
 *
 *     n3 a3 zeta + w(zeta) M(zeta),   w = (1 - |zeta|^p2)^(1/p2),
 *     M(zeta) = (|a1 f1 n1|^q1 + |a2 f2 n2|^q1)^(1/q1),   f1 = 1 + Tx zeta, f2 = 1 + Ty zeta.
 *
 * Along the profile, whose tangent (dw, dzeta) is (-sgn(zeta)|zeta|^(p2-1), w^(p2-1)), the slope is
 *
 *     D = w^(p2-1) (n3 a3 + w M') - sgn(zeta) |zeta|^(p2-1) M.
 *
 * Every change of its sign from plus to minus is a maximum; a dent makes several. They are found
 * among fixed heights in double, refined in long double, and the highest is taken: the support
 * function of the convex hull.
 *
 * Gaps: with the set S of all b - a (b in B, a in A), the signed distance is the greatest over unit
 * n of the least n . s over S. GJK (separated): v is the point nearest to the origin of a simplex
 * of points of S; |v| bounds the distance from above, and the support point s in direction n =
 * v/|v| bounds it by n . s from below. EPA (overlapping): a polytope inside -S; once it holds the
 * origin, the nearest of its faces bounds the depth from below, and the support in any direction
 * bounds it from above. The nearest face is pushed out until the two meet. As it always works on
 * the nearest face, of all faces, the depth it closes in on is the global one.
 */
#include "reference.h"

#include <math.h>
#include <string.h>

/* ==== support functions ======================================================================= */

static oracle_vec vec_of(ov_vec3 v) { return (oracle_vec){v.x, v.y, v.z}; }

static long double power(long double x, long double p) { return x > 0.0L ? powl(x, p) : 0.0L; }

/** (u^q + v^q)^(1/q) for u, v >= 0. */
static long double norm(long double u, long double v, long double q) {
    long double big = fmaxl(u, v), small = fminl(u, v);
    if (!(big > 0.0L)) {
        return 0.0L;
    }
    long double ratio = small / big;
    return big * (q == 2.0L ? sqrtl(1.0L + ratio * ratio) : powl(1.0L + power(ratio, q), 1.0L / q));
}

/* ---- placing */

static void place_rotation(ov_quat rotation, oracle_body *body) {
    long double w = rotation.w, x = rotation.x, y = rotation.y, z = rotation.z;
    long double s = 2.0L / (w * w + x * x + y * y + z * z);
    body->cx = (oracle_vec){1.0L - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
    body->cy = (oracle_vec){s * (x * y - w * z), 1.0L - s * (x * x + z * z), s * (y * z + w * x)};
    body->cz = (oracle_vec){s * (x * z + w * y), s * (y * z - w * x), 1.0L - s * (x * x + y * y)};
}

typedef struct profile_point {
    long double w, zeta;
} profile_point;

static profile_point on_ray(const oracle_body *body, long double u) {
    long double w = 1.0L - fabsl(u), length = norm(w, fabsl(u), body->p2);
    return (profile_point){w / length, u / length};
}

void oracle_place(const ov_shape *shape, ov_pose pose, oracle_body *body) {
    body->a1 = shape->a.x;
    body->a2 = shape->a.y;
    body->a3 = shape->a.z;
    body->p2 = 2.0L / shape->e2;
    body->q1 = 2.0L / (2.0L - shape->e1);
    body->q2 = 2.0L / (2.0L - shape->e2);
    body->tx = shape->tx;
    body->ty = shape->ty;
    body->tapered = shape->tx != 0.0 || shape->ty != 0.0;
    body->position = vec_of(pose.position);
    place_rotation(pose.rotation, body);
    if (!body->tapered) {
        return;
    }
    for (int k = 0; k < ORACLE_SAMPLES; k++) {
        // closer together at the equator, where the dents of tapered bodies are
        long double t = 2.0L * k / (ORACLE_SAMPLES - 1) - 1.0L, u = t * fabsl(t);
        profile_point p = on_ray(body, u);
        long double f1 = 1.0L + body->tx * p.zeta, f2 = 1.0L + body->ty * p.zeta;
        body->samples[k].u = u;
        body->samples[k].w = (double)p.w;
        body->samples[k].w_power = (double)power(p.w, body->p2 - 1.0L);
        body->samples[k].zeta_power =
            (double)copysignl(power(fabsl(p.zeta), body->p2 - 1.0L), p.zeta);
        body->samples[k].f1 = (double)f1;
        body->samples[k].f2 = (double)f2;
        body->samples[k].f1_power = (double)powl(f1, body->q1);
        body->samples[k].f2_power = (double)powl(f2, body->q1);
    }
}

/* ---- superellipsoids */

static oracle_vec untapered_support(const oracle_body *b, oracle_vec n) {
    long double u1 = b->a1 * fabsl(n.x), u2 = b->a2 * fabsl(n.y), u3 = b->a3 * fabsl(n.z);
    long double m = norm(u1, u2, b->q1), h = norm(m, u3, b->q2);
    long double section = power(m / h, b->q2 - 1.0L);
    oracle_vec p = {0.0L, 0.0L, b->a3 * power(u3 / h, b->q2 - 1.0L)};
    if (m > 0.0L) {
        p.x = b->a1 * section * power(u1 / m, b->q1 - 1.0L);
        p.y = b->a2 * section * power(u2 / m, b->q1 - 1.0L);
    }
    return (oracle_vec){copysignl(p.x, n.x), copysignl(p.y, n.y), copysignl(p.z, n.z)};
}

/* ---- superovoids */

/** The section at one height: where it reaches farthest, and the slope D of the profile there. */
typedef struct section {
    oracle_vec point;
    long double reach, slope;
} section;

static section section_at(const oracle_body *b, oracle_vec n, long double u) {
    profile_point at = on_ray(b, u);
    long double f1 = 1.0L + b->tx * at.zeta, f2 = 1.0L + b->ty * at.zeta;
    long double u1 = b->a1 * f1 * fabsl(n.x), u2 = b->a2 * f2 * fabsl(n.y);
    long double m = norm(u1, u2, b->q1);
    section s = {{0.0L, 0.0L, b->a3 * at.zeta}, 0.0L, 0.0L};
    long double growth = 0.0L; // M'
    if (m > 0.0L) {
        long double x = power(u1 / m, b->q1 - 1.0L), y = power(u2 / m, b->q1 - 1.0L);
        growth = x * u1 * b->tx / f1 + y * u2 * b->ty / f2;
        s.point.x = copysignl(at.w * b->a1 * f1 * x, n.x);
        s.point.y = copysignl(at.w * b->a2 * f2 * y, n.y);
    }
    s.reach = b->a3 * n.z * at.zeta + at.w * m;
    s.slope = power(at.w, b->p2 - 1.0L) * (b->a3 * n.z + at.w * growth) -
              copysignl(power(fabsl(at.zeta), b->p2 - 1.0L), at.zeta) * m;
    return s;
}

/** The zero of the slope between two rays where it goes from plus to minus: Illinois' method. */
static section maximum_between(const oracle_body *b, oracle_vec n, long double lo, long double hi) {
    enum { STEPS = 80 };
    section at_lo = section_at(b, n, lo), at_hi = section_at(b, n, hi);
    section best = at_lo.reach > at_hi.reach ? at_lo : at_hi;
    long double slope_lo = at_lo.slope, slope_hi = at_hi.slope;
    int side = 0;
    for (int i = 0; i < STEPS && slope_lo > 0.0L && slope_hi < 0.0L; i++) {
        long double u = (lo * slope_hi - hi * slope_lo) / (slope_hi - slope_lo);
        // near a corner of the profile the secant creeps: halve now and then
        u = i % 8 == 7 || !(u > lo && u < hi) ? 0.5L * (lo + hi) : u;
        if (!(u > lo && u < hi)) {
            break;
        }
        section s = section_at(b, n, u);
        best = s.reach >= best.reach ? s : best;
        if (s.slope > 0.0L) {
            lo = u;
            slope_lo = s.slope;
            slope_hi *= side == 1 ? 0.5L : 1.0L;
            side = 1;
        } else {
            hi = u;
            slope_hi = s.slope;
            slope_lo *= side == -1 ? 0.5L : 1.0L;
            side = -1;
        }
        if (hi - lo < 1e-19L || s.slope == 0.0L) {
            break;
        }
    }
    return best;
}

static oracle_vec tapered_support(const oracle_body *b, oracle_vec n) {
    double q1 = (double)b->q1, n3 = (double)(b->a3 * n.z);
    double x = pow((double)(b->a1 * fabsl(n.x)), q1), y = pow((double)(b->a2 * fabsl(n.y)), q1);
    section best = section_at(b, n, n.z < 0.0L ? -1.0L : 1.0L);
    bool rising = true;
    for (int k = 0; k < ORACLE_SAMPLES; k++) {
        double share_x = x * b->samples[k].f1_power, share_y = y * b->samples[k].f2_power;
        double sum = share_x + share_y, m = pow(sum, 1.0 / q1), growth = 0.0;
        if (sum > 0.0) {
            growth = m / sum *
                     (share_x * (double)b->tx / b->samples[k].f1 +
                      share_y * (double)b->ty / b->samples[k].f2);
        }
        double slope =
            b->samples[k].w_power * (n3 + b->samples[k].w * growth) - b->samples[k].zeta_power * m;
        bool still = k == 0 || slope > 0.0;
        if (rising && !still) {
            // one height more on either side: the sign may be rounding
            int below = k >= 2 ? k - 2 : 0, above = k + 1 < ORACLE_SAMPLES ? k + 1 : k;
            long double lo = b->samples[k - 1].u, hi = b->samples[k].u;
            lo = section_at(b, n, lo).slope > 0.0L ? lo : b->samples[below].u;
            hi = section_at(b, n, hi).slope < 0.0L ? hi : b->samples[above].u;
            section highest = maximum_between(b, n, lo, hi);
            best = highest.reach > best.reach ? highest : best;
        }
        rising = still;
    }
    return best.point;
}

long double oracle_support(const oracle_body *b, oracle_vec n, oracle_vec *point) {
    oracle_vec local = {n.x * b->cx.x + n.y * b->cx.y + n.z * b->cx.z,
                        n.x * b->cy.x + n.y * b->cy.y + n.z * b->cy.z,
                        n.x * b->cz.x + n.y * b->cz.y + n.z * b->cz.z};
    oracle_vec p = b->tapered ? tapered_support(b, local) : untapered_support(b, local);
    point->x = b->position.x + b->cx.x * p.x + b->cy.x * p.y + b->cz.x * p.z;
    point->y = b->position.y + b->cx.y * p.x + b->cy.y * p.y + b->cz.y * p.z;
    point->z = b->position.z + b->cx.z * p.x + b->cy.z * p.y + b->cz.z * p.z;
    return n.x * point->x + n.y * point->y + n.z * point->z;
}

/* ==== bounds of the gap ======================================================================= */

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
