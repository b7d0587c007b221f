/**
 * @file pair_supports.h
 * @brief Convex bodies of every kind, placed in the world, with their supports in long double: the
 * ground of pair_oracle.h.
 *
 * Nothing here shares code or method with the library. Without taper the support is the dual norm.
 * With taper it is the root of a bracketed secant where the profile has one maximum, which is
 * tested by the sign of its second derivative over a table of heights, and otherwise the best of
 * all maxima that two nested tables show. Values are good to about 1e-17 of the body, points to the
 * surface's own rounding; a rough value in plain double serves searches.
 */
#ifndef OVOID_TESTS_PAIR_SUPPORTS_H
#define OVOID_TESTS_PAIR_SUPPORTS_H

#include "support_oracle.h"

/* ---- vectors and placed bodies */

static inline so_vec po_add(so_vec a, so_vec b) {
    return (so_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline so_vec po_sub(so_vec a, so_vec b) {
    return (so_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline so_vec po_scale(so_vec a, so_real f) { return (so_vec){a.x * f, a.y * f, a.z * f}; }
static inline so_vec po_neg(so_vec a) { return (so_vec){-a.x, -a.y, -a.z}; }
static inline so_vec po_cross(so_vec a, so_vec b) {
    return (so_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline so_vec po_unit(so_vec a) {
    so_real length = so_length(a);
    return length > 0.0L ? po_scale(a, 1.0L / length) : (so_vec){0.0L, 0.0L, 1.0L};
}
static inline ov_vec3 po_round(so_vec a) {
    return ov_vec3_make((double)a.x, (double)a.y, (double)a.z);
}

/** x^p for x > 0; four times as fast as powl(), to |p ln x| 1e-19. */
static inline so_real po_power(so_real x, so_real p) { return x > 0.0L ? expl(p * logl(x)) : 0.0L; }

/** (|u|^p + |v|^p)^(1/p) for p in [1, infinity]. */
static inline so_real po_norm(so_real u, so_real v, so_real p) {
    so_real big = fmaxl(fabsl(u), fabsl(v)), small = fminl(fabsl(u), fabsl(v));
    if (small == 0.0L || isinf(p)) {
        return big;
    }
    return big * expl(log1pl(po_power(small / big, p)) / p);
}

static inline double po_rough_norm(double u, double v, double p) {
    double big = fmax(fabs(u), fabs(v)), small = fmin(fabs(u), fabs(v));
    return small == 0.0 || isinf(p) ? big : big * pow(1.0 + pow(small / big, p), 1.0 / p);
}

/* ---- placed bodies */

enum { PO_EVEN = 257, PO_CLOSE = 24, PO_NODES = PO_EVEN + 4 * PO_CLOSE, PO_ROUGH_STEP = 6 };

typedef struct po_body {
    const ov_shape *s;
    so_vec axis[3]; // of the body, in the world
    so_vec centre;
    bool tapered, one_maximum;
    double ray[PO_NODES], w[PO_NODES], zeta[PO_NODES]; // heights of a tapered body
} po_body;

/**
 * Does w M bend inwards at a height, for some horizontal direction? Its second derivative over w M,
 * times w^(2 p), is a parabola in the share s of the first axis; the largest value over s counts.
 */
static inline bool po_bends_inwards(const ov_shape *s, double w, double zeta) {
    double p = 2.0 / s->e2, k = (double)so_dual(s->e1) - 1.0, h = fabs(zeta), wp = pow(w, p);
    double alpha = s->tx / (1.0 + s->tx * zeta), beta = s->ty / (1.0 + s->ty * zeta);
    double apart = alpha - beta, slope = -2.0 * copysign(pow(h, p - 1.0), zeta) * wp;
    double fixed = h > 0.0 ? -(p - 1.0) * pow(h, p - 2.0) : p > 2.0 ? 0.0 : -1.0;
    if (apart == 0.0) {
        return fixed + slope * beta > 0.0;
    }
    if (isinf(k)) {
        return w > 0.0;
    }
    k *= wp * wp * apart * apart;
    double linear = slope * apart + k;
    double share = k > 0.0 ? fmax(0.0, fmin(1.0, linear / (2.0 * k))) : linear > 0.0;
    return fixed + slope * beta + share * linear - k * share * share > 0.0;
}

static inline int po_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Heights: evenly spaced rays, and geometrically closer to equator and poles. */
static inline void po_make_heights(po_body *body) {
    const ov_shape *s = body->s;
    int k = 0;
    for (int i = 0; i < PO_EVEN; i++) {
        body->ray[k++] = 2.0 * i / (PO_EVEN - 1) - 1.0;
    }
    double gap = 1.0 / (PO_EVEN - 1);
    for (int i = 0; i < PO_CLOSE; i++, gap *= 0.5) {
        body->ray[k++] = gap;
        body->ray[k++] = -gap;
        body->ray[k++] = 1.0 - gap;
        body->ray[k++] = gap - 1.0;
    }
    qsort(body->ray, PO_NODES, sizeof body->ray[0], po_compare);
    body->one_maximum = true;
    for (int i = 0; i < PO_NODES; i++) {
        double a = 1.0 - fabs(body->ray[i]), n = po_rough_norm(a, body->ray[i], 2.0 / s->e2);
        body->w[i] = a / n;
        body->zeta[i] = body->ray[i] / n;
        body->one_maximum = body->one_maximum && !po_bends_inwards(s, body->w[i], body->zeta[i]);
    }
}

/** The body at the origin. */
static inline void po_make(const ov_shape *s, po_body *body) {
    body->s = s;
    body->tapered = s->kind == OV_SHAPE_KIND_SUPEROVOID && (s->tx != 0.0 || s->ty != 0.0);
    body->one_maximum = true;
    if (body->tapered) {
        po_make_heights(body);
    }
}

static inline void po_move(po_body *body, ov_pose pose) {
    so_real w = pose.rotation.w, x = pose.rotation.x, y = pose.rotation.y, z = pose.rotation.z;
    so_real f = 1.0L / sqrtl(w * w + x * x + y * y + z * z);
    w *= f, x *= f, y *= f, z *= f;
    body->centre = so_from(pose.position);
    body->axis[0] =
        (so_vec){1.0L - 2.0L * (y * y + z * z), 2.0L * (x * y + w * z), 2.0L * (x * z - w * y)};
    body->axis[1] =
        (so_vec){2.0L * (x * y - w * z), 1.0L - 2.0L * (x * x + z * z), 2.0L * (y * z + w * x)};
    body->axis[2] =
        (so_vec){2.0L * (x * z + w * y), 2.0L * (y * z - w * x), 1.0L - 2.0L * (x * x + y * y)};
}

static inline void po_place(const ov_shape *s, ov_pose pose, po_body *body) {
    po_make(s, body);
    po_move(body, pose);
}

static inline so_vec po_turn(const po_body *b, so_vec v) {
    return po_add(po_scale(b->axis[0], v.x),
                  po_add(po_scale(b->axis[1], v.y), po_scale(b->axis[2], v.z)));
}
static inline so_vec po_turn_back(const po_body *b, so_vec v) {
    return (so_vec){so_dot(b->axis[0], v), so_dot(b->axis[1], v), so_dot(b->axis[2], v)};
}
static inline so_vec po_to_body(const po_body *b, ov_vec3 world) {
    return po_turn_back(b, po_sub(so_from(world), b->centre));
}

/* ---- supports in the body's frame */

typedef struct po_support {
    so_real value;
    so_vec point;
} po_support;

/** Gradient of (|u|^q + |v|^q)^(1/q), the larger side where q is infinite. */
static inline so_ray po_norm_gradient(so_real u, so_real v, so_real q, so_real *norm) {
    so_real n = *norm = po_norm(u, v, q);
    if (n == 0.0L) {
        return (so_ray){0.0L, 0.0L};
    }
    if (isinf(q)) {
        bool first = fabsl(u) >= fabsl(v);
        return (so_ray){first ? copysignl(1.0L, u) : 0.0L, first ? 0.0L : copysignl(1.0L, v)};
    }
    return (so_ray){copysignl(po_power(fabsl(u) / n, q - 1.0L), u),
                    copysignl(po_power(fabsl(v) / n, q - 1.0L), v)};
}

static inline po_support po_straight(const ov_shape *s, so_vec n) {
    so_vec u = {s->a.x * n.x, s->a.y * n.y, s->a.z * n.z};
    so_real m, h;
    so_ray in = po_norm_gradient(u.x, u.y, so_dual(s->e1), &m);
    so_ray out = po_norm_gradient(m, u.z, so_dual(s->e2), &h);
    return (po_support){h, {s->a.x * out.w * in.w, s->a.y * out.w * in.zeta, s->a.z * out.zeta}};
}

/** The section of a tapered body at a height of the unit curve, reached along n. */
static inline po_support po_section(const ov_shape *s, so_vec n, so_ray at) {
    so_real f1 = s->a.x * (1.0L + s->tx * at.zeta), f2 = s->a.y * (1.0L + s->ty * at.zeta), m;
    so_ray in = po_norm_gradient(f1 * n.x, f2 * n.y, so_dual(s->e1), &m);
    return (po_support){at.w * m + s->a.z * n.z * at.zeta,
                        {f1 * at.w * in.w, f2 * at.w * in.zeta, s->a.z * at.zeta}};
}

/** Height of the unit curve by r = +-(|zeta|/w)^(p - 1), which is its slope. */
static inline so_ray po_of_slope(so_real r, so_real p) {
    so_real t = po_power(fabsl(r), 1.0L / (p - 1.0L));
    if (t <= 1.0L) {
        so_real w = expl(-log1pl(po_power(t, p)) / p);
        return (so_ray){w, copysignl(t * w, r)};
    }
    so_real zeta = expl(-log1pl(po_power(t, -p)) / p);
    return (so_ray){zeta / t, copysignl(zeta, r)};
}

/** r less what it should be at the maximum: rising in r where there is only one. */
static inline so_real po_slope_miss(const so_profile *p, so_real r) {
    so_ray at = po_of_slope(r, p->p2);
    so_real f1 = 1.0L + p->s->tx * at.zeta, f2 = 1.0L + p->s->ty * at.zeta;
    so_real u = p->u1 * f1, v = p->u2 * f2, m = po_norm(u, v, p->q1);
    so_real share = isinf(p->q1) ? u >= v : po_power(u / m, p->q1);
    return r - p->u3 / m - at.w * (share * p->s->tx / f1 + (1.0L - share) * p->s->ty / f2);
}

/** The same in double. */
static inline double po_rough_miss(const so_profile *p, double r) {
    double e = (double)p->p2, q = (double)p->q1, t = pow(fabs(r), 1.0 / (e - 1.0)), w, zeta;
    if (t <= 1.0) {
        w = pow(1.0 + pow(t, e), -1.0 / e);
        zeta = copysign(t * w, r);
    } else {
        zeta = copysign(pow(1.0 + pow(t, -e), -1.0 / e), r);
        w = fabs(zeta) / t;
    }
    double f1 = 1.0 + p->s->tx * zeta, f2 = 1.0 + p->s->ty * zeta;
    double u = (double)p->u1 * f1, v = (double)p->u2 * f2, m = po_rough_norm(u, v, q);
    double share = isinf(q) ? u >= v : pow(u / m, q);
    return r - (double)p->u3 / m - w * (share * p->s->tx / f1 + (1.0 - share) * p->s->ty / f2);
}

/**
 * Slope of the maximum between two slopes, the miss below zero at the first, in double: steps of
 * the fixed point r = r - miss first, as what r should be hardly depends on r, then false position
 * that halves the weight of an end that stays, and a bisection now and then.
 */
static inline double po_rough_top_slope(const so_profile *p, double lo, double hi) {
    double flo = po_rough_miss(p, lo), fhi = po_rough_miss(p, hi), x = 0.5 * (lo + hi), f = x;
    for (int i = 0; i < 120; i++) {
        double guess = i < 4 ? x - f : lo - flo * (hi - lo) / (fhi - flo);
        guess = i == 0 || i % 8 == 7 ? 0.5 * (lo + hi) : guess;
        x = guess > lo && guess < hi ? guess : 0.5 * (lo + hi);
        f = po_rough_miss(p, x);
        if (fabs(f) <= 1e-13 * fabs(x) || hi - lo <= 1e-13 * (fabs(lo) + fabs(hi))) {
            break;
        }
        if (f < 0.0) {
            lo = x;
            flo = f;
            fhi *= 0.5;
        } else {
            hi = x;
            fhi = f;
            flo *= 0.5;
        }
    }
    return x;
}

/** Two more steps in long double; what is left of the error counts by its square only. */
static inline so_real po_top_slope(const so_profile *p, double lo, double hi) {
    so_real r = po_rough_top_slope(p, lo, hi);
    for (int i = 0; i < 2; i++) {
        so_real f = po_slope_miss(p, r), step = 1e-6L * fabsl(r) + 1e-30L;
        so_real rise = (po_slope_miss(p, r + step) - f) / step;
        so_real move = rise > 0.0L ? f / rise : 0.0L;
        r -= fabsl(move) <= 1e-3L * fabsl(r) ? move : 0.0L;
    }
    return r;
}

/** Beyond this slope the miss has the sign of the slope itself. */
static inline double po_slope_limit(const so_profile *p) {
    double strong = fmax(fabs(p->s->tx), fabs(p->s->ty));
    double least = (double)fmaxl(p->u1, p->u2) * (1.0 - strong);
    return fmin(1.01 * ((double)fabsl(p->u3) / least + strong / (1.0 - strong)) + 1e-30, 1e300);
}

static inline double po_slope_of_ray(const so_profile *p, double ray) {
    double steep = pow(fabs(ray) / fmax(1.0 - fabs(ray), 1e-18), (double)p->p2 - 1.0);
    return copysign(fmin(steep, 1e300), ray);
}

/** The best height of a bracket of rays with one maximum; a golden section where e2 is close to 2.
 */
static inline po_support po_refine(const so_profile *p, so_vec n, double lo, double hi) {
    if (p->p2 <= 1.05L) {
        so_peak top = so_golden_max(so_phi_at, p, lo, hi, 80);
        return po_section(p->s, n, so_on_ray(top.x, p->p2));
    }
    double a = po_slope_of_ray(p, lo), b = po_slope_of_ray(p, hi);
    if (po_rough_miss(p, a) >= 0.0 || po_rough_miss(p, b) <= 0.0) {
        return (po_support){-(so_real)INFINITY, {0.0L, 0.0L, 0.0L}};
    }
    return po_section(p->s, n, po_of_slope(po_top_slope(p, a, b), p->p2));
}

static inline double po_rough_phi(const so_profile *p, double w, double zeta) {
    double f1 = 1.0 + p->s->tx * zeta, f2 = 1.0 + p->s->ty * zeta, q = (double)p->q1;
    return (double)p->u3 * zeta + w * po_rough_norm((double)p->u1 * f1, (double)p->u2 * f2, q);
}

static inline void po_keep_higher(po_support *best, po_support other) {
    *best = other.value > best->value ? other : *best;
}

/** Several maxima: all that the table shows are refined, each within a finer table of its own. */
static inline po_support po_highest(const po_body *b, const so_profile *p, so_vec n) {
    enum { FINE = 16 };
    double phi[PO_NODES], top = -INFINITY, scale = (double)(fabsl(p->u3) + p->u1 + p->u2);
    for (int i = 0; i < PO_NODES; i++) {
        phi[i] = po_rough_phi(p, b->w[i], b->zeta[i]);
        top = fmax(top, phi[i]);
    }
    po_support best = {-(so_real)INFINITY, {0.0L, 0.0L, 0.0L}};
    for (int i = 0; i < PO_NODES; i++) {
        int below = i > 0 ? i - 1 : i, above = i < PO_NODES - 1 ? i + 1 : i;
        if (phi[i] < top - 0.002 * scale || phi[i] < phi[below] || phi[i] < phi[above]) {
            continue;
        }
        double lo = b->ray[below], hi = b->ray[above], fine[FINE + 1], value[FINE + 1];
        for (int k = 0; k <= FINE; k++) {
            fine[k] = k == FINE ? hi : lo + (hi - lo) * k / FINE;
            so_ray at = so_on_ray(fine[k], p->p2);
            value[k] = po_rough_phi(p, (double)at.w, (double)at.zeta);
        }
        po_keep_higher(&best, po_section(p->s, n, so_on_ray(b->ray[i], p->p2)));
        for (int k = 0; k <= FINE; k++) {
            int down = k > 0 ? k - 1 : k, up = k < FINE ? k + 1 : k;
            if (value[k] >= value[down] && value[k] >= value[up]) {
                po_keep_higher(&best, po_section(p->s, n, so_on_ray(fine[k], p->p2)));
                po_keep_higher(&best, po_refine(p, n, fine[down], fine[up]));
            }
        }
    }
    return best;
}

static inline po_support po_tapered(const po_body *b, so_vec n) {
    const ov_shape *s = b->s;
    so_profile p = so_profile_of(s, n);
    if (p.u1 == 0.0L && p.u2 == 0.0L) {
        return (po_support){fabsl(p.u3), {0.0L, 0.0L, copysignl(s->a.z, n.z)}};
    }
    if (isinf(p.q1) && p.u1 > 0.0L && p.u2 > 0.0L) {
        // M is the larger of two lines: no kink is left where each is looked at alone
        po_support first = po_tapered(b, (so_vec){n.x, 0.0L, n.z});
        po_keep_higher(&first, po_tapered(b, (so_vec){0.0L, n.y, n.z}));
        return first;
    }
    if (!b->one_maximum || p.p2 <= 1.05L) {
        return po_highest(b, &p, n);
    }
    double limit = po_slope_limit(&p);
    return po_section(s, n, po_of_slope(po_top_slope(&p, -limit, limit), p.p2));
}

static inline po_support po_best_vertex(const ov_vec3 *v, size_t count, so_vec n) {
    po_support best = {-(so_real)INFINITY, {0.0L, 0.0L, 0.0L}};
    for (size_t i = 0; i < count; i++) {
        so_real value = so_dot(so_from(v[i]), n);
        if (value > best.value) {
            best = (po_support){value, so_from(v[i])};
        }
    }
    return best;
}

/** Box, capsule, cylinder, cone: radius a.x, half-length a.z. */
static inline po_support po_simple(const ov_shape *s, so_vec n) {
    so_real flat = so_length((so_vec){n.x, n.y, 0.0L}), end = copysignl(s->a.z, n.z);
    so_vec rim = flat > 0.0L ? po_scale((so_vec){n.x, n.y, 0.0L}, s->a.x / flat)
                             : (so_vec){s->a.x, 0.0L, 0.0L};
    so_vec p = {copysignl(s->a.x, n.x), copysignl(s->a.y, n.y), end};
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        p = po_add(po_scale(po_unit(n), s->a.x), (so_vec){0.0L, 0.0L, end});
    } else if (s->kind == OV_SHAPE_KIND_CYLINDER) {
        p = (so_vec){rim.x, rim.y, end};
    } else if (s->kind == OV_SHAPE_KIND_CONE) {
        so_vec base = {rim.x, rim.y, -s->a.z}, tip = {0.0L, 0.0L, s->a.z};
        p = so_dot(base, n) > so_dot(tip, n) ? base : tip;
    }
    return (po_support){so_dot(p, n), p};
}

/** In the body's frame; every bounded convex kind. */
static inline po_support po_local_support(const po_body *b, so_vec n) {
    const ov_shape *s = b->s;
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_SUPERELLIPSOID:
    case OV_SHAPE_KIND_SUPEROVOID:
        return b->tapered ? po_tapered(b, n) : po_straight(s, n);
    case OV_SHAPE_KIND_POLYHEDRON:
        return po_best_vertex(s->u.polyhedron.vertices, s->u.polyhedron.vertex_count, n);
    case OV_SHAPE_KIND_TRIANGLE:
        return po_best_vertex(s->u.vertices, 3, n);
    case OV_SHAPE_KIND_SEGMENT:
        return po_best_vertex(s->u.vertices, 2, n);
    case OV_SHAPE_KIND_POINT:
        return po_best_vertex(s->u.vertices, 1, n);
    case OV_SHAPE_KIND_CUSTOM: {
        so_vec p = so_from(s->u.custom.support(s->u.custom.user, po_round(n)));
        return (po_support){so_dot(p, n), p};
    }
    default:
        return po_simple(s, n);
    }
}

/** In the world. */
static inline po_support po_world_support(const po_body *b, so_vec n) {
    po_support local = po_local_support(b, po_turn_back(b, n));
    return (po_support){local.value + so_dot(b->centre, n),
                        po_add(b->centre, po_turn(b, local.point))};
}

/** A's farthest point along a unit n, B's along -n, and the gap between their planes. */
typedef struct po_separation {
    so_real gap;
    so_vec pa, pb;
} po_separation;

static inline po_separation po_separation_along(const po_body *a, const po_body *b, so_vec n) {
    po_support pa = po_local_support(a, po_turn_back(a, n)),
               pb = po_local_support(b, po_turn_back(b, po_neg(n)));
    so_vec apart = po_sub(b->centre, a->centre);
    return (po_separation){so_dot(apart, n) - pa.value - pb.value,
                           po_add(a->centre, po_turn(a, pa.point)),
                           po_add(b->centre, po_turn(b, pb.point))};
}

/* ---- rough values in double */

/** The maximum of a bracket of rays, in double; a parabola where e2 is close to 2. */
static inline double po_rough_refine(const po_body *b, const so_profile *p, const double *phi,
                                     int below, int top, int above) {
    double lo = po_slope_of_ray(p, b->ray[below]), hi = po_slope_of_ray(p, b->ray[above]);
    if (p->p2 > 1.05L) {
        if (!(po_rough_miss(p, lo) < 0.0 && po_rough_miss(p, hi) > 0.0)) {
            return phi[top];
        }
        so_ray at = po_of_slope(po_rough_top_slope(p, lo, hi), p->p2);
        return fmax(phi[top], po_rough_phi(p, (double)at.w, (double)at.zeta));
    }
    double h1 = b->ray[top] - b->ray[below], h2 = b->ray[above] - b->ray[top];
    double s1 = (phi[top] - phi[below]) / h1, s2 = (phi[above] - phi[top]) / h2;
    double bend = (s1 - s2) / (h1 + h2), slope = (s1 * h2 + s2 * h1) / (h1 + h2);
    return phi[top] + (bend > 0.0 ? 0.25 * slope * slope / bend : 0.0);
}

static inline double po_rough_highest(const po_body *b, const so_profile *p) {
    enum { STEP = PO_ROUGH_STEP, LAST = (PO_NODES - 1) / STEP * STEP };
    double phi[PO_NODES], top = -INFINITY, best;
    for (int i = 0; i <= LAST; i += STEP) {
        phi[i] = po_rough_phi(p, b->w[i], b->zeta[i]);
        top = fmax(top, phi[i]);
    }
    best = top;
    double near = 0.01 * (double)(fabsl(p->u3) + p->u1 + p->u2);
    for (int i = STEP; i < LAST; i += STEP) {
        if (phi[i] >= top - near && phi[i] >= phi[i - STEP] && phi[i] >= phi[i + STEP]) {
            best = fmax(best, po_rough_refine(b, p, phi, i - STEP, i, i + STEP));
        }
    }
    return best;
}

/** Support value in double: to rounding, or to about 1e-6 where e2 is close to 2. */
static inline double po_rough_support(const po_body *b, so_vec n) {
    const ov_shape *s = b->s;
    if (s->kind > OV_SHAPE_KIND_SUPEROVOID) {
        return (double)po_local_support(b, n).value;
    }
    double u = s->a.x * (double)n.x, v = s->a.y * (double)n.y, t = s->a.z * (double)n.z;
    if (!b->tapered) {
        return po_rough_norm(po_rough_norm(u, v, (double)so_dual(s->e1)), t,
                             (double)so_dual(s->e2));
    }
    so_profile p = so_profile_of(s, n);
    if (p.u1 + p.u2 <= 1e-200L * fabsl(p.u3)) {
        return (double)fabsl(p.u3);
    }
    if (isinf(p.q1) && p.u1 > 0.0L && p.u2 > 0.0L) {
        return fmax(po_rough_support(b, (so_vec){n.x, 0.0L, n.z}),
                    po_rough_support(b, (so_vec){0.0L, n.y, n.z}));
    }
    if (!b->one_maximum || p.p2 <= 1.05L) {
        return po_rough_highest(b, &p);
    }
    double limit = po_slope_limit(&p);
    so_ray at = po_of_slope(po_rough_top_slope(&p, -limit, limit), p.p2);
    return po_rough_phi(&p, (double)at.w, (double)at.zeta);
}

#endif
