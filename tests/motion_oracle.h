/**
 * @file motion_oracle.h
 * @brief The gap of two moving bodies over a whole motion, by dense samples: the truth that sweeps
 * are held against.
 *
 * Nothing here shares code or method with the library but ov_motion_at, which says where a frame
 * is. Distances are a plain GJK in double (pair_oracle.h has one in long double, which is sharper
 * and a hundred times slower). Points of the bodies come from the dual norms, or with taper from a
 * search over the height, so they are true points: `upper`, and an overlap, can be relied on to
 * some 1e-14 of the size. `lower` is a support plane, as good as the search.
 *
 * A motion is sampled at the middles of MO_SAMPLES equal cells. A cell, or three, nine ... of them
 * together, is left out where the gap at its middle and the speed of the bodies show that it cannot
 * hold what is looked for. The speed is that of the fastest point, by differences of many places,
 * times 1.5. The cells that come closest are searched by golden section.
 */
#ifndef OVOID_TESTS_MOTION_ORACLE_H
#define OVOID_TESTS_MOTION_ORACLE_H

#include <string.h>

#include "check.h"

/* ---- points of bodies, farthest along a direction */

enum { MO_NODES = 33, MO_CORNERS = 64 };

/** Heights of a tapered body at which its profile is looked at first. */
typedef struct mo_heights {
    double ray[MO_NODES], w[MO_NODES], zeta[MO_NODES];
    double last; // ray that was best the last time
} mo_heights;

/** A convex body: a shape, or the hull of some points. */
typedef struct mo_convex {
    const ov_shape *shape;
    mo_heights *heights; // of a tapered shape
    const ov_vec3 *points;
    size_t count;
} mo_convex;

/** (u^q + v^q)^(1/q) for u, v >= 0, and its derivatives by u and v. */
typedef struct mo_norm {
    double value, by_u, by_v;
} mo_norm;

static inline mo_norm mo_norm_of(double u, double v, double e) {
    double big = fmax(u, v), small = fmin(u, v);
    mo_norm n = {big, 1.0, 0.0};
    if (small > 0.0 && e < 2.0) {
        double q = 2.0 / (2.0 - e), ratio = small / big, part = pow(ratio, q - 1.0);
        double sum = pow(1.0 + part * ratio, 1.0 / q);
        n.value = big * sum;
        n.by_u = sum / (1.0 + part * ratio); // sum^(1 - q)
        n.by_v = part * n.by_u;
    }
    if (v > u) {
        double swap = n.by_u;
        n.by_u = n.by_v;
        n.by_v = swap;
    }
    return n;
}

/** The unit curve with exponent 2/e on the ray (1 - |u|, u). */
static inline void mo_on_ray(double u, double e, double *w, double *zeta) {
    double a = 1.0 - fabs(u), b = fabs(u), big = fmax(a, b), p = 2.0 / e;
    double length = big * pow(1.0 + pow(fmin(a, b) / big, p), 1.0 / p);
    *w = a / length;
    *zeta = u / length;
}

static inline void mo_heights_make(const ov_shape *s, mo_heights *h) {
    for (int i = 0; i < MO_NODES; i++) {
        double t = 2.0 * i / (MO_NODES - 1) - 1.0;
        h->ray[i] = t * (1.5 - 0.5 * t * t); // closer at the poles
        mo_on_ray(h->ray[i], s->e2, &h->w[i], &h->zeta[i]);
    }
    h->last = 0.0;
}

/** How far a tapered body reaches along n at a height: what the search makes largest. */
typedef struct mo_profile {
    const ov_shape *s;
    double u, v, n3;
    double even; // dual norm of (u, v) where both tapers are the same
} mo_profile;

static inline double mo_reach_at(const mo_profile *p, double w, double zeta) {
    const ov_shape *s = p->s;
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    double m = s->tx == s->ty ? p->even * f1 : mo_norm_of(p->u * f1, p->v * f2, s->e1).value;
    return p->n3 * zeta + w * m;
}

static inline double mo_reach_on(const mo_profile *p, double ray) {
    double w, zeta;
    mo_on_ray(ray, p->s->e2, &w, &zeta);
    return mo_reach_at(p, w, zeta);
}

/** Brent's search of a maximum between lo and hi, from x with the value fx. */
static inline double mo_peak(const mo_profile *p, double lo, double hi, double x, double *fx) {
    double v = x, w = x, fv = *fx, fw = *fx, step = 0.0, last = 0.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (lo + hi), tol = 1e-8;
        if (fabs(x - middle) <= 2.0 * tol - 0.5 * (hi - lo)) {
            break;
        }
        double r = (x - w) * (*fx - fv), q = (x - v) * (*fx - fw), t = (x - v) * q - (x - w) * r;
        double by = 2.0 * (q - r), before = last;
        last = step;
        bool fits = fabs(t) < fabs(0.5 * by * before) && by != 0.0;
        double at = fits ? x - t / by : x;
        if (fits && at > lo + tol && at < hi - tol) {
            step = -t / by;
        } else {
            last = x < middle ? hi - x : lo - x;
            step = 0.381966011250105 * last;
        }
        at = x + (fabs(step) >= tol ? step : copysign(tol, step));
        double f = mo_reach_on(p, at);
        if (f >= *fx) {
            *(at >= x ? &lo : &hi) = x;
            v = w, fv = fw;
            w = x, fw = *fx;
            x = at, *fx = f;
        } else {
            *(at < x ? &lo : &hi) = at;
            if (f >= fw || w == x) {
                v = w, fv = fw;
                w = at, fw = f;
            } else if (f >= fv || v == x || v == w) {
                v = at, fv = f;
            }
        }
    }
    return x;
}

/** Where the profile has one top: uphill from the last one until it is between two rays. */
static inline double mo_only_ray(const mo_profile *p, double x) {
    double step = 1e-3, lo = fmax(-1.0, x - step), hi = fmin(1.0, x + step);
    double f = mo_reach_on(p, x), f_lo = mo_reach_on(p, lo), f_hi = mo_reach_on(p, hi);
    while (f_lo > f && lo > -1.0) {
        hi = x;
        x = lo, f = f_lo;
        lo = fmax(-1.0, lo - (step *= 4.0));
        f_lo = mo_reach_on(p, lo);
    }
    while (f_hi > f && hi < 1.0) {
        lo = x;
        x = hi, f = f_hi;
        hi = fmin(1.0, hi + (step *= 4.0));
        f_hi = mo_reach_on(p, hi);
    }
    return mo_peak(p, lo, hi, x, &f);
}

static inline double mo_best_ray(const mo_profile *p, const mo_heights *h) {
    double f[MO_NODES], top = -INFINITY, best = 0.0, most = -INFINITY;
    for (int i = 0; i < MO_NODES; i++) {
        f[i] = mo_reach_at(p, h->w[i], h->zeta[i]);
        top = fmax(top, f[i]);
    }
    double near = top - 0.05 * (fabs(p->n3) + p->u + p->v);
    for (int i = 0; i < MO_NODES; i++) {
        bool is_peak =
            f[i] >= near && (i == 0 || f[i] >= f[i - 1]) && (i == MO_NODES - 1 || f[i] > f[i + 1]);
        if (is_peak) {
            double value = f[i];
            double ray = mo_peak(p, h->ray[i > 0 ? i - 1 : 0], h->ray[i < MO_NODES - 1 ? i + 1 : i],
                                 h->ray[i], &value);
            best = value > most ? ray : best;
            most = fmax(most, value);
        }
    }
    return best;
}

static inline ov_vec3 mo_smooth_point(const ov_shape *s, mo_heights *h, ov_vec3 n) {
    double u = fabs(s->a.x * n.x), v = fabs(s->a.y * n.y), w, zeta;
    mo_norm section;
    if (h == NULL) {
        section = mo_norm_of(u, v, s->e1);
        mo_norm whole = mo_norm_of(section.value, fabs(s->a.z * n.z), s->e2);
        w = whole.by_u;
        zeta = copysign(whole.by_v, n.z);
    } else {
        mo_profile p = {s, u, v, s->a.z * n.z, mo_norm_of(u, v, s->e1).value};
        h->last = s->dent > 0.0 ? mo_best_ray(&p, h) : mo_only_ray(&p, h->last);
        mo_on_ray(h->last, s->e2, &w, &zeta);
        section = mo_norm_of(u * (1.0 + s->tx * zeta), v * (1.0 + s->ty * zeta), s->e1);
    }
    double f1 = h != NULL ? 1.0 + s->tx * zeta : 1.0, f2 = h != NULL ? 1.0 + s->ty * zeta : 1.0;
    return ov_vec3_make(copysign(s->a.x * f1 * w * section.by_u, n.x),
                        copysign(s->a.y * f2 * w * section.by_v, n.y), s->a.z * zeta);
}

static inline ov_vec3 mo_capsule_point(const ov_shape *s, ov_vec3 n) {
    double length = sqrt(ov_vec3_dot(n, n));
    ov_vec3 p = ov_vec3_scale(n, length > 0.0 ? s->a.x / length : 0.0);
    p.z += copysign(s->a.z, n.z);
    return p;
}

static inline ov_vec3 mo_support(const mo_convex *c, ov_vec3 n) {
    if (c->shape != NULL) {
        const ov_shape *s = c->shape;
        switch (s->kind) {
        case OV_SHAPE_BOX:
            return ov_vec3_make(copysign(s->a.x, n.x), copysign(s->a.y, n.y),
                                copysign(s->a.z, n.z));
        case OV_SHAPE_CAPSULE:
            return mo_capsule_point(s, n);
        default:
            return mo_smooth_point(s, c->heights, n);
        }
    }
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        double reach = ov_vec3_dot(n, c->points[i]);
        best = reach > most ? i : best;
        most = fmax(most, reach);
    }
    return c->points[best];
}

/* ---- distance of two placed bodies: GJK */

/** Up to four points of B - A, and the point of what they span that is nearest to the origin. */
typedef struct mo_simplex {
    int count;
    ov_vec3 w[4], towards;
    double distance;
} mo_simplex;

typedef struct mo_gap {
    double lower, upper;
    ov_vec3 n;    // from A to B
    double depth; // overlap: a lower bound; else negative
} mo_gap;

static inline double mo_length(ov_vec3 a) { return sqrt(ov_vec3_dot(a, a)); }

static inline void mo_near_point(ov_vec3 p, mo_simplex *best) {
    double d = mo_length(p);
    if (d < best->distance) {
        *best = (mo_simplex){.count = 1, .w = {p}, .towards = p, .distance = d};
    }
}

static inline void mo_near_edge(ov_vec3 p, ov_vec3 q, mo_simplex *best) {
    ov_vec3 d = ov_vec3_sub(q, p);
    double dd = ov_vec3_dot(d, d), t = dd > 0.0 ? -ov_vec3_dot(p, d) / dd : 0.0;
    if (!(t > 0.0 && t < 1.0)) {
        return; // its ends are looked at by themselves
    }
    ov_vec3 at = ov_vec3_add_scaled(p, d, t);
    double distance = mo_length(at);
    if (distance < best->distance) {
        *best = (mo_simplex){.count = 2, .w = {p, q}, .distance = distance};
        best->towards = ov_vec3_add_scaled(at, d, -ov_vec3_dot(at, d) / dd);
    }
}

static inline void mo_near_triangle(ov_vec3 p, ov_vec3 q, ov_vec3 r, mo_simplex *best) {
    ov_vec3 d1 = ov_vec3_sub(q, p), d2 = ov_vec3_sub(r, p), n = ov_vec3_cross(d1, d2);
    double nn = ov_vec3_dot(n, n);
    if (!(nn > 0.0)) {
        return;
    }
    ov_vec3 foot = ov_vec3_scale(n, ov_vec3_dot(p, n) / nn), at = ov_vec3_sub(foot, p);
    double y = ov_vec3_dot(ov_vec3_cross(at, d2), n) / nn;
    double z = ov_vec3_dot(ov_vec3_cross(d1, at), n) / nn;
    if (!(y > 0.0 && z > 0.0 && y + z < 1.0)) {
        return;
    }
    ov_vec3 mean = ov_vec3_add_scaled(ov_vec3_add_scaled(p, d1, y), d2, z);
    double distance = mo_length(mean);
    if (distance < best->distance) {
        *best = (mo_simplex){.count = 3, .w = {p, q, r}, .towards = foot, .distance = distance};
    }
}

/** Height of the origin over the plane p, q, r on the side where s is; negative: beyond. */
static inline double mo_inside_by(ov_vec3 p, ov_vec3 q, ov_vec3 r, ov_vec3 s) {
    ov_vec3 n = ov_vec3_cross(ov_vec3_sub(q, p), ov_vec3_sub(r, p));
    double other = ov_vec3_dot(n, ov_vec3_sub(s, p)), origin = -ov_vec3_dot(n, p);
    double length = mo_length(n);
    return length > 0.0 && other != 0.0 ? copysign(1.0, other) * origin / length : -INFINITY;
}

/**
 * Reduces the simplex to what is nearest to the origin; returns how far that is inside of it. Where
 * a plane is known to be between, a flat tetrahedron only looks as if it held the origin.
 */
static inline double mo_reduce(mo_simplex *s, bool apart) {
    const ov_vec3 *w = s->w;
    mo_simplex best = {.distance = INFINITY};
    if (s->count == 4 && !apart) {
        double inside =
            fmin(fmin(mo_inside_by(w[0], w[1], w[2], w[3]), mo_inside_by(w[1], w[2], w[3], w[0])),
                 fmin(mo_inside_by(w[2], w[3], w[0], w[1]), mo_inside_by(w[3], w[0], w[1], w[2])));
        if (inside > 0.0) {
            return inside;
        }
    }
    for (int i = 0; i < s->count; i++) {
        mo_near_point(w[i], &best);
        for (int j = 0; j < i; j++) {
            mo_near_edge(w[i], w[j], &best);
            for (int k = 0; k < j; k++) {
                mo_near_triangle(w[i], w[j], w[k], &best);
            }
        }
    }
    *s = best;
    return -1.0;
}

/** A convex body and where it is. */
typedef struct mo_placed {
    const mo_convex *body;
    const ov_affine *map;
} mo_placed;

static inline ov_vec3 mo_placed_point(mo_placed p, ov_vec3 n) {
    ov_vec3 own = ov_mat3_tmul_vec3(&p.map->linear, n);
    return ov_vec3_add(ov_mat3_mul_vec3(&p.map->linear, mo_support(p.body, own)),
                       p.map->translation);
}

/**
 * From the direction n on, until the bounds are no more than `goal` apart, or the lower one reaches
 * `enough`.
 */
static inline mo_gap mo_gjk(mo_placed a, mo_placed b, ov_vec3 n, double goal, double enough) {
    mo_gap out = {-INFINITY, INFINITY, n, -1.0};
    mo_simplex s = {0};
    for (int i = 0; i < 200; i++) {
        ov_vec3 pa = mo_placed_point(a, n), pb = mo_placed_point(b, ov_vec3_neg(n));
        ov_vec3 w = ov_vec3_sub(pb, pa);
        double along = ov_vec3_dot(n, w);
        if (along > out.lower) {
            out.lower = along;
            out.n = n;
        }
        if (out.lower >= enough || out.upper - out.lower <= goal) {
            break;
        }
        s.w[s.count++] = w;
        double inside = mo_reduce(&s, out.lower > 0.0);
        if (inside > 0.0) {
            out.upper = 0.0;
            out.depth = inside;
            break;
        }
        if (!(s.distance < out.upper)) {
            break;
        }
        out.upper = s.distance;
        double length = mo_length(s.towards);
        if (!(length > 0.0)) {
            break;
        }
        n = ov_vec3_scale(s.towards, 1.0 / length);
    }
    return out;
}

/* ---- moving bodies */

/** A body of an ov_sweep_body, or of an ov_sweep_pair, and what it is made of. */
typedef struct mo_body {
    const ov_motion *motion;
    ov_pose pose;
    mo_convex whole;             // its hull
    bool hollow;                 // made of the polygons below: only they meet
    bool closed;                 // hollow, but the boundary of its hull
    mo_convex faces[MO_CORNERS]; // polygons
    size_t face_count;
    ov_vec3 centres[MO_CORNERS]; // of balls about the faces
    double radii[MO_CORNERS];
    ov_vec3 corners[MO_CORNERS][8];
    mo_heights heights;
    ov_vec3 centre; // of a ball about it
    double size;    // radius of that ball
} mo_body;

static inline void mo_body_set(mo_body *b, const ov_shape *s, ov_pose pose,
                               const ov_motion *motion) {
    b->motion = motion;
    b->pose = pose;
    b->hollow = b->closed = false;
    b->whole = (mo_convex){.shape = s};
    b->size = s->ball.radius;
    if (s->kind == OV_SHAPE_POLYHEDRON) {
        b->whole =
            (mo_convex){.points = s->u.polyhedron.vertices, .count = s->u.polyhedron.vertex_count};
    } else if (s->kind == OV_SHAPE_SUPEROVOID) {
        mo_heights_make(s, &b->heights);
        b->whole.heights = &b->heights;
    }
    b->centre = s->ball.centre;
}

/** At most MO_CORNERS polygons of at most 8 corners each. */
static inline void mo_body_set_polygons(mo_body *b, const ov_polygons *polygons, bool closed,
                                        ov_pose pose, const ov_motion *motion) {
    b->motion = motion;
    b->pose = pose;
    b->hollow = true;
    b->closed = closed;
    b->whole = (mo_convex){.points = ov_polygons_vertices(polygons),
                           .count = ov_polygons_vertex_count(polygons)};
    b->face_count = ov_polygons_count(polygons);
    CHECK(b->face_count <= MO_CORNERS);
    b->size = 0.0;
    b->centre = ov_vec3_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < b->face_count && i < MO_CORNERS; i++) {
        size_t count;
        const uint32_t *c = ov_polygons_corners(polygons, i, &count);
        CHECK(count <= 8);
        b->centres[i] = ov_vec3_make(0.0, 0.0, 0.0);
        for (size_t k = 0; k < count; k++) {
            b->corners[i][k] = b->whole.points[c[k]];
            b->centres[i] =
                ov_vec3_add_scaled(b->centres[i], b->corners[i][k], 1.0 / (double)count);
            b->size = fmax(b->size, mo_length(b->corners[i][k]));
        }
        b->radii[i] = 0.0;
        for (size_t k = 0; k < count; k++) {
            b->radii[i] =
                fmax(b->radii[i], mo_length(ov_vec3_sub(b->corners[i][k], b->centres[i])));
        }
        b->faces[i] = (mo_convex){.points = b->corners[i], .count = count};
    }
}

static inline ov_affine mo_frame_at(const mo_body *b, double time) {
    ov_affine f = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
    if (b->motion != NULL) {
        if (ov_motion_at(b->motion, time, &f) != OV_OK) {
            CHECK(!"ov_motion_at fails");
        }
    }
    return f;
}

static inline ov_affine mo_place_at(const mo_body *b, double time) {
    ov_affine f = mo_frame_at(b, time);
    ov_mat3 own = ov_mat3_from_quat(b->pose.rotation);
    ov_affine out = {{ov_mat3_mul_vec3(&f.linear, own.cx), ov_mat3_mul_vec3(&f.linear, own.cy),
                      ov_mat3_mul_vec3(&f.linear, own.cz)},
                     ov_vec3_add(ov_mat3_mul_vec3(&f.linear, b->pose.position), f.translation)};
    return out;
}

/* ---- the gap at a time */

enum { MO_BLOCKS = 32, MO_LEVELS = 6, MO_STEPS = 16, MO_SAMPLES = 32 * 729, MO_MINIMA = 3 };

/** Two bodies during some time, and how fast they are. */
typedef struct mo_pair {
    mo_body a, b;
    double start, end;
    double size;             // of the smaller body
    double speed[MO_BLOCKS]; // of any point against the other body
    ov_vec3 normal;          // that served last
    long gaps;               // that were computed
} mo_pair;

/** No length grows by more under a displacement. */
static inline double mo_stretch(const ov_affine *f) {
    const ov_mat3 *m = &f->linear;
    return sqrt(ov_vec3_dot(m->cx, m->cx) + ov_vec3_dot(m->cy, m->cy) + ov_vec3_dot(m->cz, m->cz));
}

/** The least over all faces of both; what is further than the nearest so far is left out. */
static inline mo_gap mo_faces_gap(const mo_pair *p, const ov_affine *at_a, const ov_affine *at_b,
                                  double goal, double enough) {
    mo_gap best = {enough, INFINITY, p->normal, -1.0};
    size_t count_a = p->a.hollow ? p->a.face_count : 1, count_b = p->b.hollow ? p->b.face_count : 1;
    double wide_a = mo_stretch(at_a), wide_b = mo_stretch(at_b);
    for (size_t i = 0; i < count_a; i++) {
        const mo_convex *fa = p->a.hollow ? &p->a.faces[i] : &p->a.whole;
        for (size_t k = 0; k < count_b; k++) {
            const mo_convex *fb = p->b.hollow ? &p->b.faces[k] : &p->b.whole;
            if (p->a.hollow && p->b.hollow) {
                ov_vec3 ca = ov_affine_apply(at_a, p->a.centres[i]);
                ov_vec3 cb = ov_affine_apply(at_b, p->b.centres[k]);
                double off = mo_length(ov_vec3_sub(cb, ca)) - wide_a * p->a.radii[i] -
                             wide_b * p->b.radii[k];
                if (off >= fmin(best.upper, enough)) {
                    continue;
                }
            }
            mo_gap g = mo_gjk((mo_placed){fa, at_a}, (mo_placed){fb, at_b}, p->normal, goal,
                              fmin(best.upper, enough));
            best.lower = fmin(best.lower, g.lower);
            if (g.upper < best.upper || g.depth > best.depth) {
                best.upper = g.upper;
                best.n = g.n;
                best.depth = g.depth;
            }
        }
    }
    return best;
}

/** To `goal`, or until it is known to be `enough`. */
static inline mo_gap mo_gap_at(mo_pair *p, double time, double goal, double enough) {
    ov_affine at_a = mo_place_at(&p->a, time), at_b = mo_place_at(&p->b, time);
    p->gaps++;
    mo_gap g = mo_gjk((mo_placed){&p->a.whole, &at_a}, (mo_placed){&p->b.whole, &at_b}, p->normal,
                      goal, enough);
    bool solid_a = !p->a.hollow || p->a.closed, solid_b = !p->b.hollow || p->b.closed;
    bool exact = (!p->a.hollow && !p->b.hollow) || (solid_a && solid_b && g.lower > goal);
    if (g.lower < enough && !exact) {
        g = mo_faces_gap(p, &at_a, &at_b, goal, enough);
    }
    p->normal = g.n;
    return g;
}

/** How far a displacement turns, or changes shape, to another one: the largest way of a point at
 *  length 1 from the middle, or more. */
static inline double mo_turn_between(const ov_affine *f, const ov_affine *g, bool rigid) {
    ov_vec3 x = ov_vec3_sub(g->linear.cx, f->linear.cx),
            y = ov_vec3_sub(g->linear.cy, f->linear.cy);
    ov_vec3 z = ov_vec3_sub(g->linear.cz, f->linear.cz);
    double sum = ov_vec3_dot(x, x) + ov_vec3_dot(y, y) + ov_vec3_dot(z, z);
    return sqrt(rigid ? 0.5 * sum : sum); // of rotations two singular values are the same, one is 0
}

/** How much the gap can change between two places of both bodies: what moves both alike does not.
 */
static inline double mo_change(const mo_pair *p, const ov_affine from[2], const ov_affine to[2]) {
    const mo_body *bodies[2] = {&p->a, &p->b};
    ov_vec3 way[2];
    double turns = 0.0;
    for (int i = 0; i < 2; i++) {
        const mo_body *b = bodies[i];
        bool rigid = b->motion == NULL || ov_motion_is_rigid(b->motion);
        way[i] =
            ov_vec3_sub(ov_affine_apply(&to[i], b->centre), ov_affine_apply(&from[i], b->centre));
        turns += b->size * mo_turn_between(&from[i], &to[i], rigid);
    }
    return mo_length(ov_vec3_sub(way[1], way[0])) + turns;
}

static inline void mo_find_speeds(mo_pair *p) {
    double raw[MO_BLOCKS] = {0.0}, step = (p->end - p->start) / (MO_BLOCKS * MO_STEPS);
    ov_affine from[2] = {mo_place_at(&p->a, p->start), mo_place_at(&p->b, p->start)};
    for (int i = 0; i < MO_BLOCKS * MO_STEPS; i++) {
        double time = p->start + (i + 1) * step;
        ov_affine to[2] = {mo_place_at(&p->a, time), mo_place_at(&p->b, time)};
        raw[i / MO_STEPS] = fmax(raw[i / MO_STEPS], mo_change(p, from, to) / step);
        memcpy(from, to, sizeof to);
    }
    for (int i = 0; i < MO_BLOCKS; i++) {
        double before = raw[i > 0 ? i - 1 : i], after = raw[i < MO_BLOCKS - 1 ? i + 1 : i];
        p->speed[i] = 1.5 * fmax(raw[i], 0.5 * fmax(before, after));
    }
}

static inline void mo_pair_ready(mo_pair *p, double start, double end) {
    p->start = start;
    p->end = end;
    p->size = fmin(p->a.size, p->b.size);
    p->normal = ov_vec3_make(1.0, 0.0, 0.0);
    mo_find_speeds(p);
}

/* ---- the least gap over time */

typedef struct mo_least {
    double time, gap;
    double depth; // overlap: at least so deep
    ov_vec3 n;
} mo_least;

/** A search for the least gap, or for any that is `level` or less. */
typedef struct mo_search {
    mo_pair *pair;
    double level;               // -infinity: the least is looked for
    double slack;               // of the least that does not matter
    bool all;                   // leave nothing out
    bool done;                  // contact was found
    mo_least best;              // so far
    mo_least minima[MO_MINIMA]; // cells, the least first
    int count;
    double cell;
} mo_search;

static inline void mo_note(mo_search *s, double time, const mo_gap *g) {
    if (g->upper < s->best.gap || g->depth > s->best.depth) {
        s->best = (mo_least){time, g->upper, g->depth, g->n};
    }
    s->done =
        s->done || g->depth > 1e-9 * s->pair->size || g->upper < s->level - 1e-9 * s->pair->size;
}

static inline double mo_limit(const mo_search *s) {
    return isfinite(s->level) ? s->level : s->best.gap - s->slack;
}

/** Keeps the closest cells, of neighbours the closer one. */
static inline void mo_keep_cell(mo_search *s, mo_least cell) {
    int at = s->count;
    for (int i = 0; i < s->count; i++) {
        if (fabs(s->minima[i].time - cell.time) < 1.6 * s->cell) {
            if (s->minima[i].gap <= cell.gap) {
                return;
            }
            at = i;
            break;
        }
    }
    if (at == MO_MINIMA) {
        at = MO_MINIMA - 1;
        if (s->minima[at].gap <= cell.gap) {
            return;
        }
    } else if (at == s->count) {
        s->count++;
    }
    for (; at > 0 && s->minima[at - 1].gap > cell.gap; at--) {
        s->minima[at] = s->minima[at - 1];
    }
    s->minima[at] = cell;
}

/** A span about its middle, whose gap was found to be `g` (lower -infinity: not yet). */
static inline void mo_visit(mo_search *s, double middle, double half, double speed, int level,
                            mo_gap g) {
    double goal = 1e-11 * s->pair->size;
    double enough = s->all ? INFINITY : mo_limit(s) + speed * half;
    if (s->done) {
        return;
    }
    if (!(g.lower >= enough || g.upper - g.lower <= 2.0 * goal)) {
        g = mo_gap_at(s->pair, middle, goal, enough);
        mo_note(s, middle, &g);
        enough = s->all ? INFINITY : mo_limit(s) + speed * half;
    }
    if (g.lower >= enough) {
        return;
    }
    if (level == 0) {
        s->cell = 2.0 * half;
        mo_keep_cell(s, (mo_least){middle, g.upper, g.depth, g.n});
        return;
    }
    const mo_gap unknown = {.lower = -INFINITY, .upper = INFINITY, .depth = -1.0};
    double third = half / 3.0;
    mo_visit(s, middle, third, speed, level - 1, g);
    mo_visit(s, middle - 2.0 * third, third, speed, level - 1, unknown);
    mo_visit(s, middle + 2.0 * third, third, speed, level - 1, unknown);
}

static inline double mo_golden(mo_search *s, double time) {
    mo_gap g = mo_gap_at(s->pair, time, 1e-12 * s->pair->size, INFINITY);
    mo_note(s, time, &g);
    return g.depth > 0.0 ? -g.depth : g.upper;
}

static inline void mo_refine(mo_search *s, double lo, double hi, int steps) {
    const double golden = 0.6180339887498949;
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    double fx = mo_golden(s, x), fy = mo_golden(s, y);
    for (int i = 0; i < steps && !s->done; i++) {
        if (fx < fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = mo_golden(s, x);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = mo_golden(s, y);
        }
    }
}

/**
 * Between two times: the least gap, or with a finite level any gap that is less than that. An
 * overlap ends it.
 */
static inline mo_least mo_search_between(mo_pair *p, double from, double to, double level,
                                         bool all) {
    mo_search s = {.pair = p, .level = level, .all = all};
    s.slack = 1e-7 * p->size;
    s.best = (mo_least){from, INFINITY, -1.0, {1.0, 0.0, 0.0}};
    double block = (p->end - p->start) / MO_BLOCKS;
    const mo_gap unknown = {.lower = -INFINITY, .upper = INFINITY, .depth = -1.0};
    mo_gap first[MO_BLOCKS];
    for (int round = 0; round < 2; round++) { // all middles first: what is least counts at once
        for (int i = 0; i < MO_BLOCKS && !s.done; i++) {
            double lo = fmax(from, p->start + i * block), hi = fmin(to, p->start + (i + 1) * block);
            double middle = lo + 0.5 * (hi - lo);
            if (!(hi > lo)) {
                continue;
            }
            if (round == 0) {
                first[i] =
                    isfinite(level) ? unknown : mo_gap_at(p, middle, 1e-11 * p->size, INFINITY);
                mo_note(&s, middle, &first[i]);
            } else {
                mo_visit(&s, middle, 0.5 * (hi - lo), p->speed[i], MO_LEVELS, first[i]);
            }
        }
    }
    // a short span between two contacts is closest at its ends
    bool is_short = to - from < block;
    for (int i = 0; i < (is_short ? s.count > 0 : s.count) && !s.done; i++) {
        double at = s.minima[i].time, wide = block / 729.0;
        mo_refine(&s, fmax(from, at - wide), fmin(to, at + wide), is_short ? 12 : 32);
    }
    return s.best;
}

#endif
