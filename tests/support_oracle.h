/**
 * @file support_oracle.h
 * @brief Slow, independent answers about the smooth family in long double, for its tests: gauge,
 * normal, surface points, support function, and where a tapered surface is bridged by its hull.
 *
 * Nothing here shares code or method with the library: powers are powl(), the maximum over the
 * height is a dense scan with golden-section refinement of every local maximum, and no derivative
 * is used to find one. What is shared is the definition of the surface (include/ovoid/shape.h), and
 * that the support of one horizontal section is the dual norm, which the scan of surface points in
 * test_superquadric_support.c checks by itself.
 *
 * Heights are told by rays: ray u in [-1, 1] meets the unit curve w^p2 + |zeta|^p2 = 1 at
 * (1 - |u|, u)/N, which resolves flats, edges and poles alike for every exponent; w formed from
 * zeta would lose its digits near a pole.
 *
 * Where not to trust it: values to about 1e-17, the place of a smooth maximum to the root of that;
 * for tapers beyond 0.9999 a maximum can hide between two scanned heights.
 */
#ifndef OVOID_TESTS_SUPPORT_ORACLE_H
#define OVOID_TESTS_SUPPORT_ORACLE_H

#include "check.h"

typedef long double so_real;

typedef struct so_vec {
    so_real x, y, z;
} so_vec;

static inline so_vec so_from(ov_vec3 v) { return (so_vec){v.x, v.y, v.z}; }

static inline so_real so_dot(so_vec a, so_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline so_real so_length(so_vec a) {
    so_real big = fmaxl(fabsl(a.x), fmaxl(fabsl(a.y), fabsl(a.z)));
    if (big == 0.0L) {
        return 0.0L;
    }
    so_vec b = {a.x / big, a.y / big, a.z / big};
    return big * sqrtl(so_dot(b, b));
}

/** sqrt(1 - cos^2) without its cancellation: the sine of the angle between two vectors. */
static inline so_real so_sine(so_vec a, so_vec b) {
    so_real la = so_length(a), lb = so_length(b);
    a = (so_vec){a.x / la, a.y / la, a.z / la};
    b = (so_vec){b.x / lb, b.y / lb, b.z / lb};
    so_vec c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return so_dot(a, b) > 0.0L ? so_length(c) : 1.0L;
}

/** (|u|^p + |v|^p)^(1/p) for p in [1, infinity]. */
static inline so_real so_norm(so_real u, so_real v, so_real p) {
    so_real big = fmaxl(fabsl(u), fabsl(v)), small = fminl(fabsl(u), fabsl(v));
    if (big == 0.0L || small == 0.0L || isinf(p)) {
        return big;
    }
    return big * powl(1.0L + powl(small / big, p), 1.0L / p);
}

static inline so_real so_primal(double e) { return 2.0L / (so_real)e; }

static inline so_real so_dual(double e) {
    return e == 2.0 ? (so_real)INFINITY : 2.0L / (2.0L - (so_real)e);
}

/* ---- maxima of one variable */

typedef so_real (*so_function)(so_real x, const void *context);

typedef struct so_peak {
    so_real x, value;
} so_peak;

/** By golden section: the maximum if there is one between lo and hi, else one of them. */
static inline so_peak so_golden_max(so_function f, const void *context, so_real lo, so_real hi,
                                    int steps) {
    const so_real golden = 0.61803398874989484820L;
    so_real x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    so_real fx = f(x, context), fy = f(y, context);
    for (int i = 0; i < steps; i++) {
        if (fx > fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = f(x, context);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = f(y, context);
        }
    }
    return fx > fy ? (so_peak){x, fx} : (so_peak){y, fy};
}

/* ---- the surface */

/** Point of the unit curve with exponent p on the ray (1 - |u|, u). */
typedef struct so_ray {
    so_real w, zeta;
} so_ray;

static inline so_ray so_on_ray(so_real u, so_real p) {
    so_real a = 1.0L - fabsl(u), n = so_norm(a, u, p);
    return (so_ray){a / n, u / n};
}

/** Surface point: `around` in [-2, 2] runs once about z, `up` in [-1, 1] from pole to pole. */
static inline so_vec so_surface(const ov_shape *s, so_real around, so_real up) {
    so_real u = remainderl(around, 4.0L); // quarters: [-1, 1] has x > 0, beyond is mirrored
    bool behind = fabsl(u) > 1.0L;
    so_ray section = so_on_ray(behind ? copysignl(2.0L, u) - u : u, so_primal(s->e1));
    so_ray profile = so_on_ray(up, so_primal(s->e2));
    so_real x = behind ? -section.w : section.w;
    return (so_vec){s->a.x * (1.0L + s->tx * profile.zeta) * profile.w * x,
                    s->a.y * (1.0L + s->ty * profile.zeta) * profile.w * section.zeta,
                    s->a.z * profile.zeta};
}

/** Gauge of a point with |z| <= a3. */
static inline so_real so_gauge(const ov_shape *s, so_vec p) {
    so_real zeta = p.z / s->a.z;
    so_real x = p.x / (s->a.x * (1.0L + s->tx * zeta));
    so_real y = p.y / (s->a.y * (1.0L + s->ty * zeta));
    return so_norm(so_norm(x, y, so_primal(s->e1)), zeta, so_primal(s->e2));
}

static inline so_real so_signed_power(so_real x, so_real power) {
    return x == 0.0L ? 0.0L : copysignl(powl(fabsl(x), power), x);
}

/** Direction of the gauge's gradient at a surface point, in units of the semi-axes: a_i G_i. */
static inline so_vec so_covector(const ov_shape *s, so_vec p) {
    so_real p1 = so_primal(s->e1), p2 = so_primal(s->e2), zeta = p.z / s->a.z;
    so_real f1 = 1.0L + s->tx * zeta, f2 = 1.0L + s->ty * zeta;
    so_real x = p.x / (s->a.x * f1), y = p.y / (s->a.y * f2), m = so_norm(x, y, p1);
    so_real slope = m > 0.0L ? powl(m, p2 - 1.0L) : 0.0L;
    so_real gx = m > 0.0L ? slope * so_signed_power(x / m, p1 - 1.0L) : 0.0L;
    so_real gy = m > 0.0L ? slope * so_signed_power(y / m, p1 - 1.0L) : 0.0L;
    return (so_vec){gx / f1, gy / f2,
                    so_signed_power(zeta, p2 - 1.0L) - gx * x * s->tx / f1 - gy * y * s->ty / f2};
}

/* ---- support: closed form without taper */

static inline so_real so_support_straight(const ov_shape *s, so_vec n) {
    so_real m = so_norm(s->a.x * n.x, s->a.y * n.y, so_dual(s->e1));
    return so_norm(m, s->a.z * n.z, so_dual(s->e2));
}

/* ---- support: scan over the height */

enum { SO_EVEN = 481, SO_CLOSE = 40, SO_NODES = SO_EVEN + 4 * SO_CLOSE };

/** Scanned heights of one shape: evenly spaced rays, and geometrically closer to equator and poles.
 */
typedef struct so_grid {
    so_real ray[SO_NODES];
    double w[SO_NODES], zeta[SO_NODES];
} so_grid;

static inline int so_compare(const void *a, const void *b) {
    so_real x = *(const so_real *)a, y = *(const so_real *)b;
    return (x > y) - (x < y);
}

static inline void so_make_grid(const ov_shape *s, so_grid *g) {
    int k = 0;
    for (int i = 0; i < SO_EVEN; i++) {
        g->ray[k++] = 2.0L * i / (SO_EVEN - 1) - 1.0L;
    }
    so_real gap = 0.6L * 2.0L / (SO_EVEN - 1);
    for (int i = 0; i < SO_CLOSE; i++, gap *= 0.6L) {
        g->ray[k++] = gap;
        g->ray[k++] = -gap;
        g->ray[k++] = 1.0L - gap;
        g->ray[k++] = gap - 1.0L;
    }
    qsort(g->ray, SO_NODES, sizeof g->ray[0], so_compare);
    for (int i = 0; i < SO_NODES; i++) {
        so_ray r = so_on_ray(g->ray[i], so_primal(s->e2));
        g->w[i] = (double)r.w;
        g->zeta[i] = (double)r.zeta;
    }
}

/** The height problem of one direction: phi = u3 zeta + w N_q(u1 f1, u2 f2). */
typedef struct so_profile {
    const ov_shape *s;
    so_real u1, u2, u3, q1, p2;
} so_profile;

static inline so_profile so_profile_of(const ov_shape *s, so_vec n) {
    return (so_profile){.s = s,
                        .u1 = fabsl(s->a.x * n.x),
                        .u2 = fabsl(s->a.y * n.y),
                        .u3 = s->a.z * n.z,
                        .q1 = so_dual(s->e1),
                        .p2 = so_primal(s->e2)};
}

static inline so_real so_phi(const so_profile *p, so_real ray) {
    so_ray r = so_on_ray(ray, p->p2);
    so_real m =
        so_norm(p->u1 * (1.0L + p->s->tx * r.zeta), p->u2 * (1.0L + p->s->ty * r.zeta), p->q1);
    return p->u3 * r.zeta + r.w * m;
}

/** Plain double, for the scan only. */
static inline void so_phi_nodes(const so_profile *p, const so_grid *g, double phi[SO_NODES]) {
    double u1 = (double)p->u1, u2 = (double)p->u2, u3 = (double)p->u3, q = (double)p->q1;
    for (int i = 0; i < SO_NODES; i++) {
        double u = u1 * (1.0 + p->s->tx * g->zeta[i]), v = u2 * (1.0 + p->s->ty * g->zeta[i]);
        double big = fmax(u, v), small = fmin(u, v), m = big;
        if (small > 0.0 && !isinf(q)) {
            m = big * pow(1.0 + pow(small / big, q), 1.0 / q);
        }
        phi[i] = u3 * g->zeta[i] + g->w[i] * m;
    }
}

static inline so_real so_phi_at(so_real ray, const void *profile) { return so_phi(profile, ray); }

static inline so_real so_minus_phi_at(so_real ray, const void *profile) {
    return -so_phi(profile, ray);
}

/** Smallest phi around a node that is lower than its neighbours. */
static inline so_real so_lowest(const so_profile *p, const so_grid *g, int node) {
    so_peak peak = so_golden_max(so_minus_phi_at, p, g->ray[node - 1], g->ray[node + 1], 40);
    return fminl(-peak.value, so_phi(p, g->ray[node]));
}

/** Best of the local maxima among the nodes first … last. */
static inline so_peak so_best_between(const so_profile *p, const so_grid *g,
                                      const double phi[SO_NODES], int first, int last) {
    double top = phi[first];
    for (int i = first; i <= last; i++) {
        top = fmax(top, phi[i]);
    }
    // how far a maximum between two nodes can rise above them is far below this
    double near = 0.01 * (double)(fabsl(p->u3) + p->u1 + p->u2);
    so_peak best = {0.0L, -(so_real)INFINITY};
    for (int i = first; i <= last; i++) {
        bool peak = phi[i] >= top - near && (i == first || phi[i] >= phi[i - 1]) &&
                    (i == last || phi[i] >= phi[i + 1]);
        if (!peak) {
            continue;
        }
        so_peak at = {g->ray[i], so_phi(p, g->ray[i])};
        so_peak refined = so_golden_max(so_phi_at, p, g->ray[i > first ? i - 1 : i],
                                        g->ray[i < last ? i + 1 : i], 72);
        at = refined.value > at.value ? refined : at;
        best = at.value > best.value ? at : best;
    }
    return best;
}

/** h(n), and the ray of the height where it is reached. */
static inline so_peak so_support(const ov_shape *s, const so_grid *g, so_vec n) {
    double phi[SO_NODES];
    so_profile p = so_profile_of(s, n);
    so_phi_nodes(&p, g, phi);
    return so_best_between(&p, g, phi, 0, SO_NODES - 1);
}

/* ---- bridges over a dent */

/** The deepest gap below the concave hull of w M, for one horizontal direction. */
typedef struct so_bridge {
    so_real depth; // in the units of phi, measured across the bridge
    so_real slope; // of the bridge, by zeta
    int split;     // node in the gap where it is deepest
} so_bridge;

/**
 * Of the sampled profile; depth 0 where it is concave. Across the bridge, not straight down: close
 * to a pole the profile is a wall, and zeta's rounding would look deep.
 */
static inline so_bridge so_find_bridge(const so_grid *g, const double phi[SO_NODES]) {
    int hull[SO_NODES], count = 0;
    for (int i = 0; i < SO_NODES; i++) {
        while (count >= 2) {
            int a = hull[count - 2], b = hull[count - 1];
            double rise = (phi[i] - phi[a]) * (g->zeta[b] - g->zeta[a]);
            if ((phi[b] - phi[a]) * (g->zeta[i] - g->zeta[a]) > rise) {
                break;
            }
            count--;
        }
        hull[count++] = i;
    }
    so_bridge out = {0.0L, 0.0L, -1};
    double width = phi[SO_NODES / 2];
    for (int k = 0; k + 1 < count; k++) {
        int a = hull[k], b = hull[k + 1];
        double run = g->zeta[b] - g->zeta[a], slope = run > 0.0 ? (phi[b] - phi[a]) / run : 0.0;
        double across = hypot(1.0, slope / width);
        for (int i = a + 1; i < b && run > 0.0; i++) {
            double below = (phi[a] + slope * (g->zeta[i] - g->zeta[a]) - phi[i]) / across;
            if (below > out.depth) {
                out = (so_bridge){below, slope, i};
            }
        }
    }
    return out;
}

/**
 * Where the two sides of a gap tie: the vertical component of the normal (n1, n2, n3) for which the
 * best maxima below and above the gap are equal, and the gap's depth under that plane. Newton on
 * the difference of the two maxima, whose derivative is the distance of their heights. False where
 * there is no gap deeper than `least` (in units of phi).
 */
static inline bool so_tie(const ov_shape *s, const so_grid *g, so_real n1, so_real n2,
                          so_real least, so_real *n3, so_real *depth) {
    double phi[SO_NODES];
    so_profile p = so_profile_of(s, (so_vec){n1, n2, 0.0L});
    so_phi_nodes(&p, g, phi);
    so_bridge bridge = so_find_bridge(g, phi);
    if (!(bridge.depth > least)) {
        return false;
    }
    p.u3 = -bridge.slope;
    for (int i = 0; i < 12; i++) {
        so_phi_nodes(&p, g, phi);
        so_peak below = so_best_between(&p, g, phi, 0, bridge.split);
        so_peak above = so_best_between(&p, g, phi, bridge.split, SO_NODES - 1);
        so_real apart = so_on_ray(above.x, p.p2).zeta - so_on_ray(below.x, p.p2).zeta;
        so_real miss = above.value - below.value;
        *n3 = p.u3 / s->a.z;
        *depth = fmaxl(above.value, below.value) - so_lowest(&p, g, bridge.split);
        if (!(apart > 0.0L) || fabsl(miss) <= 1e-17L * fabsl(above.value)) {
            break;
        }
        p.u3 -= miss / apart;
    }
    return true;
}

#endif
