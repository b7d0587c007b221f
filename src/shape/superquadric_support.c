/**
 * @file superquadric_support.c
 * @brief Support function of the smooth family: a closed form without taper, one maximum over the
 * height with it.
 *
 * Without taper the support function is the gauge of the polar body, whose exponents are the dual
 * ones: h(n) = N_q2(N_q1(a1 n1, a2 n2), a3 n3), and the support point is its gradient. That is
 * [Thesis, eq. 9] without the angles, and without their division by small cosines.
 *
 * With taper every horizontal section is a superellipse, whose support is closed; so with A_i =
 * |a_i n_i|, A_3 = a_3 n_3 and heights zeta in [-1, 1]
 *
 *     1. h(n) = max over zeta of  phi(zeta) = A_3 zeta + w(zeta) M(zeta)
 *        w = (1 - |zeta|^p2)^(1/p2),  M = N_q1(A_1 f_1(zeta), A_2 f_2(zeta))
 *     2. (w, zeta) is the point of the unit p2-circle with normal (1, r), that is the gradient of
 *        N_q2 at (1, r); r in R is the unknown, dw/dzeta = -r
 *     3. slope: phi' = A_3 - r M + w M'
 *     4. Newton in r: d(phi')/dr = -M + (w M'' - 2 r M') dzeta/dr, dzeta/dr = N_q2's second
 *        derivative; four powers per iteration, two where M is linear in zeta
 *
 * Where the surface is convex, phi is concave and phi' has one zero. Around a dent
 * (superquadric_dent.c) phi has several maxima, and the largest has to be proven. The tool: M is
 * convex, so on an interval phi lies below psi = A_3 zeta + w L, L the chord of M there. Where no
 * taper is above 1/sqrt(2) and e2 is no more than 1, psi is concave, so it lies below its tangents
 * at the ends (docs/theory/dent.md).
 *
 *     5. dent about the equator only: one maximum per side. If psi on [-h, 0] rises at 0, and psi
 *        on [-1, -h] rises at -h, then phi(0) is the most of the lower half, and the maximum of the
 *        upper half, where phi rises from 0, is the answer; and the other way round
 *     6. where that is not so, but the dent is about the equator only: the maxima of both sides
 *     7. else a branch and bound over the height. Whatever the shape, w is concave and below its
 *        tangents at the ends of an interval, so phi is below A_3 zeta + L times either: two
 *        quadratics, the first up to where the tangents meet, the second from there
 */
#include <stddef.h>

#include "shape_internal.h"

/* ---- the profile of one direction */

/** The problem: the largest phi over the height. */
typedef struct profile {
    ovi_exponent p2, q1, q2;
    double u1, u2, u3; // A_1, A_2, A_3
    double tx, ty;
    bool linear; // M = m0 (1 + tx zeta)
    double m0;
} profile;

/** M with two derivatives by zeta, and its gradient by (A_1 f_1, A_2 f_2) with one. */
typedef struct section {
    double m, m1, m2;
    double d1, d2;
    double d1_zeta, d2_zeta;
} section;

/** A height, given by r, with all that is known there. */
typedef struct height {
    double r, zeta, w;
    double left; // 1 - |zeta| to its own last digits; of the search only
    double dzeta_dr;
    section m;
    double value; // phi
    double slope; // phi'
} height;

static section section_at(const profile *p, double zeta, double d1, double d2) {
    if (p->linear) {
        return (section){
            .m = p->m0 * (1.0 + p->tx * zeta), .m1 = p->m0 * p->tx, .d1 = d1, .d2 = d2};
    }
    double u = p->u1 * (1.0 + p->tx * zeta), v = p->u2 * (1.0 + p->ty * zeta);
    double du = p->u1 * p->tx, dv = p->u2 * p->ty;
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, p->q1);
    ovi_p_norm n = ovi_p_norm_gradient(u, v, &parts);
    ovi_p_norm_hessian h = ovi_p_norm_second(u, v, p->q1, &parts);
    double d1_zeta = h.uu * du + h.uv * dv, d2_zeta = h.uv * du + h.vv * dv;
    return (section){
        n.value, n.du * du + n.dv * dv, d1_zeta * du + d2_zeta * dv, n.du, n.dv, d1_zeta, d2_zeta};
}

static height finish_height(const profile *p, height h, double d1, double d2) {
    h.m = section_at(p, h.zeta, d1, d2);
    h.value = p->u3 * h.zeta + h.w * h.m.m;
    // at a pole r is infinite, and so is the slope towards the equator
    h.slope = isinf(h.r) ? -h.r : p->u3 - h.r * h.m.m + h.w * h.m.m1;
    return h;
}

static height height_at_r(const profile *p, double r, double d1, double d2) {
    height h = {.r = r};
    ovi_p_norm_parts parts = ovi_p_norm_split(1.0, r, p->q2);
    ovi_p_norm n = ovi_p_norm_gradient(1.0, r, &parts);
    h.w = n.du;
    h.zeta = n.dv;
    h.dzeta_dr = ovi_p_norm_second(1.0, r, p->q2, &parts).vv;
    return finish_height(p, h, d1, d2);
}

/** The height met by the ray (1 - |u|, u) of the (w, zeta) plane: even steps for every p2. */
static height height_at_ray(const profile *p, double u, double d1, double d2) {
    ovi_profile_node q = ovi_node_on_ray(p->p2, u);
    height h = {.r = q.r, .zeta = q.zeta, .w = q.w, .left = q.left};
    return finish_height(p, h, d1, d2);
}

/* ---- Newton iteration for a zero of the slope */

/** Slopes below this are rounding noise. */
static double slope_noise(const profile *p, const height *h) {
    return 4e-16 * (fabs(p->u3) + fabs(h->r) * h->m.m + fabs(h->w * h->m.m1));
}

/** The middle of two slopes r that works for far apart and for infinite ones. */
static double middle_r(double lo, double hi) {
    return fabs(lo) <= 1.0 && fabs(hi) <= 1.0 ? 0.5 * (lo + hi) : tan(0.5 * (atan(lo) + atan(hi)));
}

/**
 * The height a very small step away, to first order: what is left out is the square of a step that
 * the caller keeps below 1e-8.
 */
static height step_aside(height h, double dr) {
    double dzeta = h.dzeta_dr * dr;
    h.w -= (h.r + 0.5 * dr) * dzeta; // dw = -r dzeta
    h.r += dr;
    h.zeta += dzeta;
    h.m.d1 += h.m.d1_zeta * dzeta;
    h.m.d2 += h.m.d2_zeta * dzeta;
    h.value += 0.5 * h.slope * dzeta; // the slope falls to zero over the step
    return h;
}

enum { MAX_NEWTON = 80 };
/** A step of Newton's method that is shorter ends it, with the square of its error. */
static const double last_step = 1e-8;

/**
 * Zero of the slope between lo (slope >= 0) and hi (slope <= 0), from `start`: Newton, as long as
 * its steps stay inside and each halves the slope, else the middle of the bracket. It ends when
 * Newton's next step is below 1e-8 (its error is the square of that, docs/theory/dent.md), or the
 * slope is noise, or the bracket is two neighbouring numbers.
 */
static height slope_zero(const profile *p, double lo, double hi, double start, double d1,
                         double d2) {
    height h = height_at_r(p, start, d1, d2);
    double last_slope = INFINITY;
    for (int i = 0; i < MAX_NEWTON && fabs(h.slope) > slope_noise(p, &h); i++) {
        lo = h.slope > 0.0 ? h.r : lo;
        hi = h.slope > 0.0 ? hi : h.r;
        double turn = -h.m.m + (h.w * h.m.m2 - 2.0 * h.r * h.m.m1) * h.dzeta_dr;
        double r = turn < 0.0 ? h.r - h.slope / turn : NAN;
        bool newton = r > lo && r < hi && fabs(h.slope) <= 0.5 * last_slope;
        if (newton && fabs(r - h.r) <= last_step * fabs(r) &&
            fabs(r - h.r) * h.dzeta_dr <= last_step) {
            return step_aside(h, r - h.r);
        }
        double next = newton ? r : middle_r(lo, hi);
        if (!(next > lo && next < hi)) {
            break;
        }
        last_slope = newton ? fabs(h.slope) : INFINITY;
        h = height_at_r(p, next, d1, d2);
    }
    return h;
}

/** The maximum on the side of the equator to which phi rises. */
static height maximum_ahead(const profile *p, const height *from) {
    // for a section that did not change with height, this would be the answer
    double start = from->r + from->slope / from->m.m;
    double d1 = from->m.d1, d2 = from->m.d2;
    return from->slope > 0.0 ? slope_zero(p, from->r, INFINITY, start, d1, d2)
                             : slope_zero(p, -INFINITY, from->r, start, d1, d2);
}

/* ---- branch and bound, where there may be several maxima */

typedef struct cell {
    double lo_ray, hi_ray;
    height lo, hi;
} cell;

/** Most of c + b t + a t^2 for t in [0, to]. */
static double quadratic_most(double a, double b, double c, double to) {
    double top = -0.5 * b / a;
    return a < 0.0 && top > 0.0 && top < to ? c + 0.5 * b * top : fmax(c, c + to * (b + a * to));
}

/**
 * Upper bound of phi over a cell, which the equator does not divide: step 7 in the head of this
 * file. Each quadratic is taken from the end that its tangent belongs to.
 */
static double cell_bound(const profile *p, const cell *c) {
    bool north = c->lo_ray >= 0.0;
    const height *in = north ? &c->lo : &c->hi, *out = north ? &c->hi : &c->lo;
    ovi_tangents t = ovi_tangents_of(in->left, in->w, in->r, out->left, out->w, out->r);
    double rise = north ? p->u3 * t.width : -p->u3 * t.width, grow = out->m.m - in->m.m;
    double top = quadratic_most(-grow * t.fall_in, rise + grow * in->w - in->m.m * t.fall_in,
                                p->u3 * in->zeta + in->m.m * in->w, 1.0 - t.before);
    if (t.before == 0.0) {
        return top;
    }
    double slope = out->m.m * t.fall_out - grow * out->w - rise;
    return fmax(top, quadratic_most(-grow * t.fall_out, slope,
                                    p->u3 * out->zeta + out->m.m * out->w, t.before));
}

enum { MAX_STACK = 64, MAX_CELLS = 20000 };

typedef struct found {
    double ray;
    height height;
    double most; // no phi is above it, up to the accuracy of the search
} found;

/**
 * Largest phi over all heights, from the best one that is known, if any. `side` is 0, or 1 where
 * the known one is the most of the upper half, and only the lower one is left to search, or -1 the
 * other way round. No phi is above `most`, which exceeds the best by 5e-14 of the profile's own
 * size, or by more where the cells run out; depth-first, the stack holds one cell per level.
 */
static found search(const profile *p, const height *known, double side, double d1, double d2) {
    cell stack[MAX_STACK];
    height south = height_at_ray(p, -1.0, d1, d2), middle = height_at_ray(p, 0.0, d1, d2);
    height north = height_at_ray(p, 1.0, d1, d2);
    found best = middle.value > south.value ? (found){0.0, middle, 0.0} : (found){-1.0, south, 0.0};
    best = north.value > best.height.value ? (found){1.0, north, 0.0} : best;
    if (known != NULL && known->value >= best.height.value) {
        best = (found){known->zeta / (known->w + fabs(known->zeta)), *known, 0.0};
    }
    double enough = 5e-14 * (fabs(p->u3) + middle.m.m), most = -INFINITY;
    int depth = 0, cells = 0;
    if (side >= 0.0) {
        stack[depth++] = (cell){-1.0, 0.0, south, middle};
    }
    if (side <= 0.0) {
        stack[depth++] = (cell){0.0, 1.0, middle, north};
    }
    while (depth > 0) {
        cell c = stack[--depth];
        double bound = cell_bound(p, &c);
        if (bound <= best.height.value + enough || depth + 2 > MAX_STACK || cells == MAX_CELLS) {
            most = fmax(most, bound);
            continue;
        }
        cells++;
        double ray = 0.5 * (c.lo_ray + c.hi_ray);
        height h = height_at_ray(p, ray, d1, d2);
        if (h.value > best.height.value) {
            best = (found){ray, h, 0.0};
        }
        stack[depth++] = (cell){c.lo_ray, ray, c.lo, h};
        stack[depth++] = (cell){ray, c.hi_ray, h, c.hi};
    }
    best.most = most <= best.height.value + enough ? best.height.value : most;
    return best;
}

enum { MAX_WIDEN = 12, MAX_BISECT = 60 };

/**
 * Zero of the slope between two rays by bisection, for e2 close to 2, where r hardly moves. Next to
 * the zero all values are the same but for rounding, so the place is told by the slope.
 */
static found bisect_rays(const profile *p, found best, double lo, double hi, double d1, double d2) {
    found last = best;
    for (int i = 0; i < MAX_BISECT && hi - lo > 1e-16; i++) {
        double ray = 0.5 * (lo + hi);
        height h = height_at_ray(p, ray, d1, d2);
        last = (found){ray, h, 0.0};
        if (h.value > best.height.value) {
            best = last;
        }
        if (h.slope > 0.0) {
            lo = ray;
        } else {
            hi = ray;
        }
    }
    double noise = 1e-15 * fabs(best.height.value);
    return last.height.value >= best.height.value - noise ? last : best;
}

/**
 * The winner of the search brought to full accuracy: the values of the search are good to 1e-13, so
 * its place only to about the root of that. Two rays with the slope's zero between them, then
 * Newton between their slopes r.
 */
static height polish(const profile *p, found best, double d1, double d2) {
    double reach = 1e-7;
    height lo = best.height, hi = best.height;
    for (int i = 0; i < MAX_WIDEN && (lo.slope < 0.0 || hi.slope > 0.0); i++, reach *= 4.0) {
        if (lo.slope < 0.0) {
            lo = height_at_ray(p, fmax(-1.0, best.ray - reach), d1, d2);
        }
        if (hi.slope > 0.0) {
            hi = height_at_ray(p, fmin(1.0, best.ray + reach), d1, d2);
        }
    }
    if (lo.slope < 0.0 || hi.slope > 0.0 || lo.r >= hi.r) {
        return best.height; // a pole, or a kink at which nothing is left to gain
    }
    if (p->p2.inverse > 0.999) {
        double from = fmax(-1.0, best.ray - reach), to = fmin(1.0, best.ray + reach);
        return bisect_rays(p, best, from, to, d1, d2).height;
    }
    height h = slope_zero(p, lo.r, hi.r, middle_r(lo.r, hi.r), d1, d2);
    return h.value >= best.height.value - 1e-15 * fabs(h.value) ? h : best.height;
}

static height search_and_polish(const profile *p, const height *known, double side, double d1,
                                double d2) {
    found best = search(p, known, side, d1, d2);
    bool same = known != NULL && best.height.r == known->r;
    height h = same ? *known : polish(p, best, d1, d2);
    h.value = fmax(h.value, best.most); // never too small, if the cells ran out
    return h;
}

/* ---- support of a tapered body */

static profile make_profile(const ov_shape *s, ov_vec3 n) {
    return (profile){.p2 = ovi_primal2(s),
                     .q1 = ovi_dual1(s),
                     .q2 = ovi_dual2(s),
                     .u1 = s->a.x * fabs(n.x),
                     .u2 = s->a.y * fabs(n.y),
                     .u3 = s->a.z * n.z,
                     .tx = s->tx,
                     .ty = s->ty};
}

/** Where the section keeps its direction over the height, its support is linear in zeta. */
static void straighten(profile *p, double *d1, double *d2) {
    bool one = p->u1 == 0.0 || p->u2 == 0.0;
    if (!one && p->tx != p->ty) {
        return;
    }
    ovi_p_norm_parts parts = ovi_p_norm_split(p->u1, p->u2, p->q1);
    ovi_p_norm n = ovi_p_norm_gradient(p->u1, p->u2, &parts);
    p->linear = true;
    p->m0 = n.value;
    p->tx = p->u1 == 0.0 ? p->ty : p->tx;
    *d1 = n.du;
    *d2 = n.dv;
}

/**
 * Is phi at the equator the most of the half behind it? `side` is 1 where phi rises upwards, so
 * that the half in question is the lower one, and -1 the other way round. Step 5 in the head of
 * this file; the margin covers the rounding of the sums.
 */
static bool half_is_lower(const profile *p, ovi_dent_cut cut, const height *equator, double side,
                          double d1, double d2) {
    double h = cut.height, m0 = equator->m.m;
    double mh = section_at(p, -side * h, d1, d2).m, m1 = section_at(p, -side, d1, d2).m;
    double a3 = side * p->u3, margin = 1e-14 * (fabs(a3) + m0 + mh + m1);
    double at_equator = a3 + (m0 - mh) / h;
    double at_h = a3 + cut.slope * mh + cut.width * (mh - m1) / (1.0 - h);
    return at_equator >= margin / h && at_h >= margin;
}

/**
 * The maximum of the half behind the equator, where phi first falls and then rises to it: a height
 * at which it rises is found by trial about the mirror image of the maximum on the other side.
 * False where none is found.
 */
static bool maximum_behind(const profile *p, double side, double r_ahead, double d1, double d2,
                           height *maximum) {
    const double trials[] = {1.0, 0.5, 0.25, 2.0, 0.1};
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        height h = height_at_r(p, -r_ahead * trials[i], d1, d2);
        if (side * h.slope < 0.0) {
            *maximum = side > 0.0 ? slope_zero(p, -INFINITY, h.r, 1.5 * h.r, d1, d2)
                                  : slope_zero(p, h.r, INFINITY, 1.5 * h.r, d1, d2);
            return true;
        }
    }
    return false;
}

static height best_height(const ov_shape *s, profile *p) {
    double d1 = 0.0, d2 = 0.0;
    straighten(p, &d1, &d2);
    ovi_dent_kind dent = ovi_dent_kind_of(s);
    if (dent == OVI_DENT_KIND_ANYWHERE) {
        return search_and_polish(p, NULL, 0.0, d1, d2);
    }
    height equator = finish_height(p, (height){.w = 1.0}, d1, d2);
    if (dent == OVI_DENT_KIND_EQUATOR && !p->linear) {
        double side = equator.slope > 0.0 ? 1.0 : -1.0;
        if (!half_is_lower(p, ovi_dent_cut_of(s), &equator, side, d1, d2)) {
            height behind, ahead = equator.slope == 0.0 ? equator : maximum_ahead(p, &equator);
            if (!maximum_behind(p, side, ahead.r, d1, d2, &behind)) {
                return search_and_polish(p, &ahead, equator.slope == 0.0 ? 0.0 : side, d1, d2);
            }
            return ahead.value >= behind.value ? ahead : behind;
        }
    }
    return equator.slope == 0.0 ? equator : maximum_ahead(p, &equator);
}

static ov_support support_at(const ov_shape *s, ov_vec3 n, const height *h) {
    double x = s->a.x * (1.0 + s->tx * h->zeta) * h->w * h->m.d1;
    double y = s->a.y * (1.0 + s->ty * h->zeta) * h->w * h->m.d2;
    return (ov_support){
        .value = h->value,
        .point = {n.x == 0.0 ? 0.0 : copysign(x, n.x), n.y == 0.0 ? 0.0 : copysign(y, n.y),
                  s->a.z * h->zeta},
    };
}

/** e1 = 2: the section is a rhombus, and the body the hull of the two curves of its corners. */
static ov_support rhombic_support(const ov_shape *s, ov_vec3 n, const profile *p) {
    profile px = *p, py = *p;
    px.u2 = 0.0;
    py.u1 = 0.0;
    height hx = best_height(s, &px), hy = best_height(s, &py);
    return hx.value >= hy.value ? support_at(s, n, &hx) : support_at(s, n, &hy);
}

static ov_support tapered_support(const ov_shape *s, ov_vec3 n) {
    profile p = make_profile(s, n);
    if (p.u1 == 0.0 && p.u2 == 0.0) {
        return (ov_support){fabs(p.u3), {0.0, 0.0, copysign(s->a.z, n.z)}};
    }
    if (s->e1 == 2.0 && p.u1 > 0.0 && p.u2 > 0.0 && p.tx != p.ty) {
        return rhombic_support(s, n, &p);
    }
    height h = best_height(s, &p);
    return support_at(s, n, &h);
}

/* ---- without taper, and the choice by kind */

static ov_support ellipsoid_support(const ov_shape *s, ov_vec3 n) {
    ov_vec3 u = ov_vec3_mul(s->a, n);
    ov_support out;
    out.value = sqrt(ov_vec3_dot(u, u));
    out.point = ov_vec3_scale(ov_vec3_mul(s->a, u), 1.0 / out.value);
    return out;
}

static ov_support superellipsoid_support(const ov_shape *s, ov_vec3 n) {
    ov_vec3 u = ov_vec3_mul(s->a, n);
    ovi_p_norm_parts in = ovi_p_norm_split(u.x, u.y, ovi_dual1(s));
    ovi_p_norm m = ovi_p_norm_gradient(u.x, u.y, &in);
    ovi_p_norm_parts out = ovi_p_norm_split(m.value, u.z, ovi_dual2(s));
    ovi_p_norm h = ovi_p_norm_gradient(m.value, u.z, &out);
    return (ov_support){
        .value = h.value,
        .point = {s->a.x * h.du * m.du, s->a.y * h.du * m.dv, s->a.z * h.dv},
    };
}

ov_support ovi_family_support(const ov_shape *s, ov_vec3 n) {
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
        return ellipsoid_support(s, n);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return superellipsoid_support(s, n);
    default:
        return tapered_support(s, n);
    }
}
