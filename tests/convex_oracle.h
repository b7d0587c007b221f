/**
 * @file convex_oracle.h
 * @brief Farthest points of convex bodies and distances between them, in double: fast enough for
 * many thousands of samples of a motion.
 *
 * Nothing here shares code or method with the library. Distances are a plain GJK (pair_oracle.h has
 * one in long double, which is sharper and a hundred times slower). Points of the bodies come from
 * the dual norms, or with taper from a search over the height, so they are true points: `upper`,
 * and an overlap, can be relied on to some 1e-14 of the size. `lower` is a support plane, as good
 * as the search.
 */
#ifndef OVOID_TESTS_CONVEX_ORACLE_H
#define OVOID_TESTS_CONVEX_ORACLE_H

#include "check.h"

/* ---- points of bodies, farthest along a direction */

enum { MO_EVEN = 33, MO_CLOSE = 14, MO_NODES = MO_EVEN + 2 * MO_CLOSE };

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

static inline int mo_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Closer at the poles, and geometrically so at the equator: a shallow dent has its maxima there.
 */
static inline void mo_heights_make(const ov_shape *s, mo_heights *h) {
    for (int i = 0; i < MO_EVEN; i++) {
        double t = 2.0 * i / (MO_EVEN - 1) - 1.0;
        h->ray[i] = t * (1.5 - 0.5 * t * t);
    }
    double close = 0.045;
    for (int i = 0; i < MO_CLOSE; i++, close *= 0.5) {
        h->ray[MO_EVEN + 2 * i] = close;
        h->ray[MO_EVEN + 2 * i + 1] = -close;
    }
    qsort(h->ray, MO_NODES, sizeof h->ray[0], mo_compare);
    for (int i = 0; i < MO_NODES; i++) {
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

/** Where the profile has one maximum: uphill from the last one until it is between two rays. */
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
        case OV_SHAPE_KIND_BOX:
            return ov_vec3_make(copysign(s->a.x, n.x), copysign(s->a.y, n.y),
                                copysign(s->a.z, n.z));
        case OV_SHAPE_KIND_CAPSULE:
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

#endif
