/**
 * @file derivatives.c
 * @brief Derivatives of a contact by the motions of both bodies and by the shapes' parameters.
 *
 * A body moves with a velocity field v(x) = t + omega x (x - position). With the unit normal n from
 * A to B, witness points pA, pB = pA + gap n, and everything else taken in the tangent plane:
 *
 *     1. gap' = n.(vB(pB) - vA(pA)): the normal's own change does not count, for separated bodies n
 *        is where n.d - hA(n) - hB(-n) is largest, for overlapping ones a local maximum
 *     2. witness points are carried along and slide: pA' = vA(pA) + sA, pB' = vB(pB) + sB
 *     3. so do the normals: n' = wA + mA = wB - mB, with w = omega x n, and m the turn of the
 *        outward normal that belongs to the slide s (m = W s, W the shape operator)
 *     4. pB' - pA' = gap' n + gap n' in the tangent plane: u + sB - sA = gap n', with u the
 *        tangential part of vB(pB) - vA(pA)
 *
 * Each (s, m) is a combination of the two pairs of a body's surface, which may be flat or sharp;
 * the four factors y follow from the four equations
 *
 *     5. mA + mB = wB - wA,     sB - (sA + gap mA) = gap wA - u
 *
 * For finite curvatures that is [WA + WB + gap WB WA] sA = …, the tangent-plane system of the
 * smooth solver, and for finite radii [RA + RB + gap] n' = …. Lengths are in units of the pair's
 * size. The pairs of one body span a plane in the space of the four equations; the system is solved
 * by orthonormal bases, each vector of which carries the slides and turns that it stands for. The
 * sine of the smallest angle between the planes of A and B says whether derivatives exist.
 *
 *     6. the gap by a parameter: minus that of the support value h(n) at fixed n, for the same
 *        reason as in 1
 *
 * Curvature is kept as pairs (rate of the point, rate of the normal) throughout, never as a
 * quotient: flats, edges and corners are then ordinary values. The pairs of the smooth family come
 * from the two curves of its surface, those of the other kinds from their features: vertex, edge,
 * face, rim, side. The formulas are derived in docs/theory/derivatives.md.
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "query_internal.h"

/**
 * Two independent ways to slide along a surface: rates of the point and of the outward unit normal,
 * each pair (point[i], normal[i]) up to a factor of its own. The shape operator W maps one to the
 * other, normal = W point; as pairs it may be zero (a flat: normal = 0), infinite (a corner:
 * point = 0) or each along one direction (an edge). Only tangential parts count.
 */
typedef struct curvature_pairs {
    ov_vec3 point[2], normal[2];
    double miss; /**< angle by which the surface nearby leaves the plane of the pairs */
} curvature_pairs;

/** Over less than this, in sizes of a body and radians, the pairs need not hold. */
static const double least_reach = 1e-7;
/** Angles below this are zero: no contact's normal is known better than the root of its gap. */
static const double angle_tolerance = 1e-6;
/** Distances below this share of a body's size are zero. */
static const double place_tolerance = 1e-7;

/* ---- the simplest pairs */

/** Rates along two tangents: point rates as lengths, normal rates as angles. */
static void set_pairs(curvature_pairs *pairs, ov_vec3 t, double point_t, double normal_t, ov_vec3 b,
                      double point_b, double normal_b) {
    pairs->point[0] = ov_vec3_scale(t, point_t);
    pairs->normal[0] = ov_vec3_scale(t, normal_t);
    pairs->point[1] = ov_vec3_scale(b, point_b);
    pairs->normal[1] = ov_vec3_scale(b, normal_b);
    pairs->miss = 0.0;
}

static void vertex_pairs(ov_vec3 n, curvature_pairs *pairs) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_pairs(pairs, frame.cy, 0.0, 1.0, frame.cz, 0.0, 1.0);
}

static void flat_pairs(ov_vec3 n, curvature_pairs *pairs) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_pairs(pairs, frame.cy, 1.0, 0.0, frame.cz, 1.0, 0.0);
}

/* ---- unit curves

   Section (X, Y) and profile (w, zeta) of the smooth family are points of unit curves
   |u|^p + |v|^p = 1 with covectors (gu, gv) = (u^(p-1), v^(p-1)), which lie on the dual unit curve.
   Along a curve, free of division by small numbers for either side of e = 1:

       e <= 1:  (u, v)'   = e (-gv, gu)       (gu, gv)' = (2-e) (-gv gu/u, gu gv/v)
       e >= 1:  (gu, gv)' = (2-e) (-v, u)     (u, v)'   = e (-v u/gu, u v/gv) */

/** Point and covector, their rates along the curve, and the shares u gu + v gv = 1. */
typedef struct curve {
    double u, v, gu, gv;
    double du, dv, dgu, dgv;
} curve;

/** g/u, the slope of u -> u^(p-1), in its limit at zero. */
static double slope_at(double g, double u, double e) {
    return e == 1.0 ? 1.0 : u == 0.0 ? 0.0 : g / u;
}

static curve with_rates(curve c, double e) {
    if (e <= 1.0) {
        c.du = -e * c.gv;
        c.dv = e * c.gu;
        c.dgu = -(2.0 - e) * c.gv * slope_at(c.gu, c.u, e);
        c.dgv = (2.0 - e) * c.gu * slope_at(c.gv, c.v, e);
        return c;
    }
    c.du = -e * c.v * slope_at(c.u, c.gu, e);
    c.dv = e * c.u * slope_at(c.v, c.gv, e);
    // at e = 2 the covector rests on the sides and turns in the corners, where the point rests
    double turn = e == 2.0 && c.du == 0.0 && c.dv == 0.0 ? 1.0 : 2.0 - e;
    c.dgu = -turn * c.v;
    c.dgv = turn * c.u;
    return c;
}

/** Of a direction (u, v) of the point; not both zero. */
static curve curve_of_point(double u, double v, double e) {
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_primal(e));
    ovi_p_norm n = ovi_p_norm_gradient(u, v, &parts);
    return with_rates((curve){.u = u / n.value, .v = v / n.value, .gu = n.du, .gv = n.dv}, e);
}

/** Of a direction of the covector; not both zero. */
static curve curve_of_normal(double gu, double gv, double e) {
    ovi_p_norm_parts parts = ovi_p_norm_split(gu, gv, ovi_dual(e));
    ovi_p_norm n = ovi_p_norm_gradient(gu, gv, &parts);
    return with_rates((curve){.u = n.du, .v = n.dv, .gu = gu / n.value, .gv = gv / n.value}, e);
}

/** -(c ln c + s ln s) of the two shares. */
static double share_entropy(const curve *c) {
    double s = fmin(c->u * c->gu, c->v * c->gv);
    return s > 0.0 ? -s * log(s) - (1.0 - s) * log1p(-s) : 0.0;
}

/* ---- smooth family: places */

/** A surface point of the family with its normal, as places on its two curves. */
typedef struct family_place {
    curve section, profile;
    bool section_by_point, profile_by_point; // what they were read from; else the normal
    double f1, f2;                           // taper factors
    double alpha, beta;                      // tx/f1, ty/f2
    double mu;                               // alpha X gX + beta Y gY
    double per_slope;                        // 1/|grad G|
    ov_vec3 point, normal;
    double reach; // how far about it the pairs must hold, in sizes and radians
} family_place;

/** The gradient is that of ovi_family_gauge, in the terms of the two curves. */
static void compose_place(const ov_shape *s, family_place *f) {
    const curve *sec = &f->section, *pro = &f->profile;
    f->f1 = 1.0 + s->tx * pro->v;
    f->f2 = 1.0 + s->ty * pro->v;
    f->alpha = s->tx / f->f1;
    f->beta = s->ty / f->f2;
    f->mu = f->alpha * sec->u * sec->gu + f->beta * sec->v * sec->gv;
    f->point = ov_vec3_make(s->a.x * f->f1 * pro->u * sec->u, s->a.y * f->f2 * pro->u * sec->v,
                            s->a.z * pro->v);
    ov_vec3 gradient =
        ov_vec3_make(pro->gu * sec->gu / (s->a.x * f->f1), pro->gu * sec->gv / (s->a.y * f->f2),
                     (pro->gv - pro->gu * pro->u * f->mu) / s->a.z);
    f->per_slope = 1.0 / ov_vec3_length(gradient);
    f->normal = ov_vec3_scale(gradient, f->per_slope);
}

static ov_vec3 off_normal(ov_vec3 v, ov_vec3 n) {
    return ov_vec3_add_scaled(v, n, -ov_vec3_dot(v, n));
}

/** A slide in sizes, and the turn of the normal that goes with it. */
typedef struct slide_turn {
    ov_vec3 p, n;
} slide_turn;

/** From one place to another, the tangential parts. */
static slide_turn slide_turn_between(const ov_shape *s, const family_place *from,
                                     const family_place *to) {
    ov_vec3 way = ov_vec3_scale(ov_vec3_sub(to->point, from->point), 1.0 / s->ball.radius);
    return (slide_turn){off_normal(way, from->normal),
                        off_normal(ov_vec3_sub(to->normal, from->normal), from->normal)};
}

static double slide_turn_dot(const slide_turn *a, const slide_turn *b) {
    return ov_vec3_dot(a->p, b->p) + ov_vec3_dot(a->n, b->n);
}

/**
 * Of a direction of the point, g being one of the covector: in the corners of e = 2 the point does
 * not tell the covector.
 */
static curve curve_of_both(ov_vec2 at, ov_vec2 g, double e) {
    const double tie = 1.0 - 1e-12; // a covector at the border may be beyond it by rounding
    bool on_u = at.y == 0.0 && at.x * g.x > 0.0 && fabs(g.x) >= tie * fabs(g.y);
    bool on_v = at.x == 0.0 && at.y * g.y > 0.0 && fabs(g.y) >= tie * fabs(g.x);
    if (e < 2.0 || !(on_u || on_v)) {
        return curve_of_point(at.x, at.y, e);
    }
    double most = on_u ? fabs(g.x) : fabs(g.y);
    curve c = {.gu = copysign(fmin(1.0, fabs(g.x) / most), g.x),
               .gv = copysign(fmin(1.0, fabs(g.y) / most), g.y)};
    c.u = on_u ? c.gu : 0.0;
    c.v = on_u ? 0.0 : c.gv;
    return with_rates(c, e);
}

/**
 * The place of a point with its normal. Each curve may be read from either of the two; of the four
 * ways, the one that comes closest to both is taken. That reads a flat from the point and an edge
 * from the normal: the other way a rounding error of 1e-16 could become one of 1e-3 and more.
 */
static bool closest_place(const ov_shape *s, ov_vec3 p, ov_vec3 n, family_place *best) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z)), least = INFINITY;
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    ov_vec2 at = {p.x / (s->a.x * f1), p.y / (s->a.y * f2)};
    ov_vec2 g = {s->a.x * f1 * n.x, s->a.y * f2 * n.y};
    ovi_p_norm_parts at_parts = ovi_p_norm_split(at.x, at.y, ovi_primal1(s));
    ovi_p_norm_parts g_parts = ovi_p_norm_split(g.x, g.y, ovi_dual1(s));
    double width = ovi_p_norm_gradient(at.x, at.y, &at_parts).value;
    double m = ovi_p_norm_gradient(g.x, g.y, &g_parts).value;
    if (width == 0.0 && zeta == 0.0) {
        return false; // the centre
    }
    double w = curve_of_point(width, zeta, s->e2).u;
    for (int i = 0; i < 2; i++) {
        ov_vec2 from = i == 0 ? at : g;
        if (from.x == 0.0 && from.y == 0.0) {
            from = (ov_vec2){1.0, 1.0}; // the pole itself: no direction is better than another
        }
        curve section =
            i == 0 ? curve_of_both(from, g, s->e1) : curve_of_normal(from.x, from.y, s->e1);
        double mu = section.u * section.gu * s->tx / f1 + section.v * section.gv * s->ty / f2;
        ov_vec2 slope = {m, s->a.z * n.z + m * w * mu};
        for (int j = 0; j < 2; j++) {
            family_place f = {section, .section_by_point = i == 0, .profile_by_point = j == 0};
            f.profile = j == 0 ? curve_of_both((ov_vec2){width, zeta}, slope, s->e2)
                               : curve_of_normal(slope.x, slope.y, s->e2);
            compose_place(s, &f);
            double distance = ov_vec3_length(ov_vec3_sub(f.point, p)) / s->ball.radius +
                              ov_vec3_length(ov_vec3_sub(f.normal, n));
            if (distance < least) {
                least = distance;
                *best = f;
            }
        }
    }
    return isfinite(least);
}

/**
 * Is a point of the hull of a dented surface, with its normal, on the surface, not on a bridge?
 * Over a shallow dent a bridge is hardly off the surface, but it is outside, where no point of the
 * surface is but by rounding.
 */
static bool is_off_bridges(const ov_shape *s, const family_place *f, ov_vec3 p, ov_vec3 n,
                           double slack) {
    double near = place_tolerance * s->ball.radius + slack;
    double outside = ovi_family_gauge_value(s, p) - 1.0;
    double below = ovi_family_support(s, n).value - ov_vec3_dot(n, p);
    return fabs(outside) * s->ball.radius <= near && below <= near &&
           outside * f->per_slope <= 1e-12 * s->ball.radius + slack;
}

static bool take_apart(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, family_place *f) {
    if (!closest_place(s, p, n, f)) {
        return false;
    }
    // a contact may be as rough as its tolerance allows; this is for contacts of other bodies
    const double far = 0.1;
    return ov_vec3_length(ov_vec3_sub(f->point, p)) <= far * s->ball.radius + slack &&
           ov_vec3_length(ov_vec3_sub(f->normal, n)) <= far &&
           (s->dent == 0.0 || is_off_bridges(s, f, p, n, slack));
}

/* ---- smooth family: rates */

/** Rates along the section, at a constant height. */
static void pair_around(const ov_shape *s, const family_place *f, curvature_pairs *pairs) {
    const curve *sec = &f->section, *pro = &f->profile;
    // both rates shrink towards a pole, as w and gw; the larger of the two is divided out
    bool flat = s->e2 <= 1.0;
    double w = flat ? 1.0 : slope_at(pro->u, pro->gu, s->e2);
    double gw = flat ? slope_at(pro->gu, pro->u, s->e2) : 1.0;
    double share = sec->du * sec->gu + sec->u * sec->dgu;
    double scale = gw * f->per_slope;
    pairs->point[0] = ov_vec3_make(w * s->a.x * f->f1 * sec->du, w * s->a.y * f->f2 * sec->dv, 0.0);
    pairs->normal[0] =
        ov_vec3_make(scale * sec->dgu / (s->a.x * f->f1), scale * sec->dgv / (s->a.y * f->f2),
                     -scale * pro->u * (f->alpha - f->beta) * share / s->a.z);
}

/** Rates along the profile, from pole to pole. */
static void pair_along(const ov_shape *s, const family_place *f, curvature_pairs *pairs) {
    const curve *sec = &f->section, *pro = &f->profile;
    double w = pro->u, dw = pro->du, dz = pro->dv, gw = pro->gu, dgw = pro->dgu;
    double dmu = -(f->alpha * f->alpha * sec->u * sec->gu + f->beta * f->beta * sec->v * sec->gv);
    double dnz = pro->dgv - (dgw * w + gw * dw) * f->mu - gw * w * dmu * dz;
    pairs->point[1] = ov_vec3_make(s->a.x * sec->u * (f->f1 * dw + s->tx * w * dz),
                                   s->a.y * sec->v * (f->f2 * dw + s->ty * w * dz), s->a.z * dz);
    pairs->normal[1] =
        ov_vec3_make(f->per_slope * sec->gu * (dgw - gw * f->alpha * dz) / (s->a.x * f->f1),
                     f->per_slope * sec->gv * (dgw - gw * f->beta * dz) / (s->a.y * f->f2),
                     f->per_slope * dnz / s->a.z);
}

/** Pair i in sizes, its length one. */
static slide_turn unit_pair(const ov_shape *s, const curvature_pairs *pairs, int i, ov_vec3 n) {
    slide_turn u = {off_normal(ov_vec3_scale(pairs->point[i], 1.0 / s->ball.radius), n),
                    off_normal(pairs->normal[i], n)};
    double largest = fmax(ovi_max_abs(u.p), ovi_max_abs(u.n));
    if (!(largest > 0.0 && isfinite(largest))) {
        return (slide_turn){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    u = (slide_turn){ov_vec3_scale(u.p, 1.0 / largest), ov_vec3_scale(u.n, 1.0 / largest)};
    double length = sqrt(slide_turn_dot(&u, &u));
    return (slide_turn){ov_vec3_scale(u.p, 1.0 / length), ov_vec3_scale(u.n, 1.0 / length)};
}

/**
 * Does the surface bend outwards along every tangent? The form point . normal, in units of the
 * body's size and of the larger of each pair, may be below zero by rounding only.
 */
static bool is_convex_here(const slide_turn pair[2]) {
    double mixed = ov_vec3_dot(pair[0].p, pair[1].n);
    double form0 = ov_vec3_dot(pair[0].p, pair[0].n), form1 = ov_vec3_dot(pair[1].p, pair[1].n);
    const double rounding = 1e-9;
    return form0 >= -rounding && form1 >= -rounding && form0 * form1 - mixed * mixed >= -rounding;
}

/* ---- smooth family: are the pairs those of the neighbourhood?

   Rates at a single point may say little: on an edge that ends in a flat pole the normal turns
   without a slide, but by no more than 1e-9 so close to the pole; beside a plane of symmetry of
   e = 1 - 1e-9 the surface is round, on it, for less than the smallest number, flat. So the
   pairs are compared with what the surface does over a distance that a contact and a difference can
   see, and handed out only where they agree.
   Neighbours lie on either side; what they do alike (even) is curvature of the second order, or a
   kink; the rest (odd) is what the pairs tell. */

/** How much of the distance of neighbours may lie outside the plane of the pairs. */
static const double odd_tolerance = 1e-4, even_tolerance = 1e-2;

/** A unit curve moved on: the smaller coordinate of the point, or of the covector, by a shift. */
static curve shifted(const curve *c, double e, bool by_point, double shift) {
    if (by_point) {
        return fabs(c->u) <= fabs(c->v) ? curve_of_point(c->u + shift, c->v, e)
                                        : curve_of_point(c->u, c->v + shift, e);
    }
    bool first = fabs(c->gu) == fabs(c->gv) ? fabs(c->u) <= fabs(c->v) : fabs(c->gu) < fabs(c->gv);
    return first ? curve_of_normal(c->gu + shift, c->gv, e)
                 : curve_of_normal(c->gu, c->gv + shift, e);
}

/** Rates of a curve as its shifts have them: one of the smaller coordinates, along the tangents. */
static curve with_shift_rates(curve c) {
    bool point_u = fabs(c.u) <= fabs(c.v);
    bool normal_u = fabs(c.gu) == fabs(c.gv) ? point_u : fabs(c.gu) < fabs(c.gv);
    c.du = point_u ? 1.0 : -c.gv / c.gu;
    c.dv = point_u ? -c.gu / c.gv : 1.0;
    c.dgu = normal_u ? 1.0 : -c.v / c.u;
    c.dgv = normal_u ? -c.u / c.v : 1.0;
    return c;
}

/** Where a neighbour is as seen from the place, and whether it is on the hull. */
typedef struct neighbour_at {
    slide_turn at;
    bool on_hull;
} neighbour_at;

/** Of two neighbours, by a shift of the point and of the normal, the one about `reach` away. */
static neighbour_at fitting(const ov_shape *s, const family_place *f, const family_place next[2]) {
    slide_turn by[2] = {slide_turn_between(s, f, &next[0]), slide_turn_between(s, f, &next[1])};
    double a = sqrt(slide_turn_dot(&by[0], &by[0])), b = sqrt(slide_turn_dot(&by[1], &by[1]));
    // a shift that goes with a jump of the other goes too far, one that moves nothing not at all
    const double least = 0.125 * f->reach;
    bool far_enough = fmin(a, b) >= least;
    int i = (a < b) == far_enough ? 0 : 1;
    neighbour_at out = {by[i], true};
    if (s->dent > 0.0) {
        double below = ovi_family_support(s, next[i].normal).value -
                       ov_vec3_dot(next[i].normal, next[i].point);
        out.on_hull = below <= 1e-12 * s->ball.radius;
    }
    return out;
}

/** What lies beside a place, along the section (i = 0) or the profile (1), on the side `sign`. */
static neighbour_at neighbour(const ov_shape *s, const family_place *f, int i, double sign) {
    family_place rates = *f;
    curvature_pairs pairs;
    double factor = 1.0;
    if (i == 0) {
        rates.section = with_shift_rates(f->section);
        pair_around(s, &rates, &pairs);
        factor = s->e2 <= 1.0 ? fabs(f->profile.u) : fabs(f->profile.gu);
    } else {
        rates.profile = with_shift_rates(f->profile);
        pair_along(s, &rates, &pairs);
    }
    const double most = 0.5;
    double slide = factor * ov_vec3_length(off_normal(pairs.point[i], f->normal)) / s->ball.radius;
    double turn = factor * ov_vec3_length(off_normal(pairs.normal[i], f->normal));
    family_place next[2] = {*f, *f};
    for (int way = 0; way < 2; way++) {
        bool by_point = way == 0;
        double shift = sign * fmin(most, f->reach / (by_point ? slide : turn));
        if (i == 0) {
            next[way].section = shifted(&f->section, s->e1, by_point, shift);
        } else {
            next[way].profile = shifted(&f->profile, s->e2, by_point, shift);
        }
        compose_place(s, &next[way]);
    }
    return fitting(s, f, next);
}

/** What lies about a pole, in a direction from it, of the body or (scaled) of its section. */
static neighbour_at pole_neighbour(const ov_shape *s, const family_place *f, ov_vec2 direction,
                                   bool scaled) {
    double top = copysign(1.0, f->profile.v), far = 4.0 * f->reach;
    ov_vec2 scale = {s->a.x * (1.0 + s->tx * top), s->a.y * (1.0 + s->ty * top)};
    family_place next[2] = {*f, *f};
    for (int way = 0; way < 2; way++) {
        bool by_point = way == 0;
        // the section's own coordinates, and how long they are on the body
        ov_vec2 per = by_point ? scale : (ov_vec2){1.0 / scale.x, 1.0 / scale.y};
        ov_vec2 at = scaled ? direction : (ov_vec2){direction.x / per.x, direction.y / per.y};
        double unit = by_point ? s->ball.radius : 1.0 / s->a.z;
        double shift = far * unit / hypot(at.x * per.x, at.y * per.y);
        at = (ov_vec2){shift * at.x, shift * at.y};
        ovi_p_norm_parts parts =
            ovi_p_norm_split(at.x, at.y, by_point ? ovi_primal1(s) : ovi_dual1(s));
        double w = fmin(0.5, ovi_p_norm_gradient(at.x, at.y, &parts).value);
        next[way].section =
            by_point ? curve_of_point(at.x, at.y, s->e1) : curve_of_normal(at.x, at.y, s->e1);
        next[way].profile =
            by_point ? curve_of_point(w, top, s->e2) : curve_of_normal(w, top, s->e2);
        compose_place(s, &next[way]);
    }
    return fitting(s, f, next);
}

static bool is_pole(const ov_shape *s, const family_place *f) {
    return hypot(f->point.x, f->point.y) <= 2.0 * f->reach * s->ball.radius &&
           hypot(f->normal.x, f->normal.y) <= 2.0 * f->reach;
}

/** Is the section lost in rounding: by its turn on a flat cap, by its width at a sharp tip? */
static bool has_no_section(const ov_shape *s, const family_place *f) {
    const double rounding = 1e-12;
    return s->e2 < 1.0 ? hypot(f->normal.x, f->normal.y) <= rounding
                       : hypot(f->point.x, f->point.y) <= rounding * s->ball.radius;
}

/** Length of what is not in the plane of two orthonormal pairs. */
static double out_of_plane(slide_turn d, const slide_turn unit[2]) {
    for (int i = 0; i < 2; i++) {
        double along = slide_turn_dot(&d, &unit[i]);
        d.p = ov_vec3_add_scaled(d.p, unit[i].p, -along);
        d.n = ov_vec3_add_scaled(d.n, unit[i].n, -along);
    }
    return sqrt(slide_turn_dot(&d, &d));
}

/** Two neighbours on opposite sides against the plane of the pairs; `miss` becomes the worst of
 * all. */
static bool agrees_with(neighbour_at up, neighbour_at down, const slide_turn unit[2],
                        double *miss) {
    slide_turn odd = {ov_vec3_scale(ov_vec3_sub(up.at.p, down.at.p), 0.5),
                      ov_vec3_scale(ov_vec3_sub(up.at.n, down.at.n), 0.5)};
    slide_turn even = {ov_vec3_scale(ov_vec3_add(up.at.p, down.at.p), 0.5),
                       ov_vec3_scale(ov_vec3_add(up.at.n, down.at.n), 0.5)};
    double length = sqrt(slide_turn_dot(&odd, &odd));
    double off = out_of_plane(odd, unit);
    *miss = fmax(*miss, length > 0.0 ? off / length : 0.0);
    return up.on_hull && down.on_hull && off <= odd_tolerance * length &&
           out_of_plane(even, unit) <= even_tolerance * length;
}

static bool holds_around(const ov_shape *s, const family_place *f, const slide_turn pair[2],
                         double *miss) {
    *miss = 0.0;
    slide_turn unit[2] = {pair[0], pair[1]};
    double along = slide_turn_dot(&pair[0], &pair[1]);
    unit[1].p = ov_vec3_add_scaled(pair[1].p, pair[0].p, -along);
    unit[1].n = ov_vec3_add_scaled(pair[1].n, pair[0].n, -along);
    double length = sqrt(slide_turn_dot(&unit[1], &unit[1]));
    if (!(length > 0.0)) {
        return false;
    }
    unit[1] = (slide_turn){ov_vec3_scale(unit[1].p, 1.0 / length),
                           ov_vec3_scale(unit[1].n, 1.0 / length)};
    if (!is_pole(s, f)) {
        return agrees_with(neighbour(s, f, 0, 1.0), neighbour(s, f, 0, -1.0), unit, miss) &&
               agrees_with(neighbour(s, f, 1, 1.0), neighbour(s, f, 1, -1.0), unit, miss);
    }
    // directions of no symmetry
    const ov_vec2 about[4] = {{0.96, 0.28}, {0.6, 0.8}, {-0.352, 0.936}, {-0.8, 0.6}};
    bool good = true;
    for (int i = 0; i < 8 && good; i++) {
        ov_vec2 there = about[i / 2], back = {-there.x, -there.y};
        good = agrees_with(pole_neighbour(s, f, there, i % 2 == 0),
                           pole_neighbour(s, f, back, i % 2 == 0), unit, miss);
    }
    return good;
}

static bool family_pairs(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, double reach,
                         curvature_pairs *pairs) {
    family_place f;
    if (!take_apart(s, p, n, slack, &f)) {
        return false;
    }
    f.reach = reach;
    bool pole = is_pole(s, &f);
    if (pole && s->e2 == 1.0 && s->e1 != 1.0) {
        return false; // round, by a radius that depends on the direction
    }
    pair_around(s, &f, pairs);
    pair_along(s, &f, pairs);
    slide_turn pair[2] = {unit_pair(s, pairs, 0, f.normal), unit_pair(s, pairs, 1, f.normal)};
    bool holds = holds_around(s, &f, pair, &pairs->miss);
    if (!holds && s->e2 != 1.0 && (pole || has_no_section(s, &f))) {
        // in its limit flat or sharp alike in all directions, whatever the section
        if (s->e2 < 1.0) {
            flat_pairs(f.normal, pairs);
        } else {
            vertex_pairs(f.normal, pairs);
        }
        pair[0] = unit_pair(s, pairs, 0, f.normal);
        pair[1] = unit_pair(s, pairs, 1, f.normal);
        holds = holds_around(s, &f, pair, &pairs->miss);
    }
    return holds && (s->dent == 0.0 || is_convex_here(pair));
}

/* ---- smooth family: parameters */

/** A gap may miss its derivative by so much of a change of the parameter. */
static const double gain_tolerance = 1e-3;

/**
 * Is the entropy of a curve's shares the same for an exponent nearby? Close to the ends of the
 * exponent's range the shares go from 0 to 1 within less than a contact can see.
 */
static bool entropy_is_steady(const curve *c, double e, bool by_point, double weight) {
    double here = share_entropy(c);
    for (int i = 0; i < 2; i++) {
        double near = i == 0 ? fmin(2.0, e + least_reach) : fmax(0.5 * e, e - least_reach);
        curve other =
            by_point ? curve_of_point(c->u, c->v, near) : curve_of_normal(c->gu, c->gv, near);
        if (!(weight * fabs(share_entropy(&other) - here) <= gain_tolerance)) {
            return false;
        }
    }
    return true;
}

/** A taper moves x (or y) by x z/(a3 f): the part of its second derivative along the normal. */
typedef struct taper_field {
    bool y;
    double n, along, bend;
} taper_field;

static taper_field taper_field_of(const ov_shape *s, const family_place *f, bool y) {
    double slope = y ? s->ty : s->tx, factor = y ? f->f2 : f->f1, size = s->ball.radius;
    double along = size / (s->a.z * factor * factor);
    return (taper_field){y, y ? f->normal.y : f->normal.x, along,
                         -2.0 * slope / (s->a.z * factor) * along * (y ? f->point.y : f->point.x)};
}

static double taper_form(const taper_field *t, ov_vec3 a, ov_vec3 b) {
    double across_a = t->y ? a.y : a.x, across_b = t->y ? b.y : b.x;
    return t->n * (t->along * (across_a * b.z + across_b * a.z) + t->bend * a.z * b.z);
}

/**
 * Has the gap a derivative by a taper, the same to both sides? The body is the hull. Where the
 * surface is straight (e = 2), a taper that hollows it out does not count, one that swells it does.
 * With H the curvature, P the taper's second derivative, d a small taper and t the tolerance,
 * H + d t +- d P >= 0 says that no bridge over a hollow is higher than d t above the surface.
 */
static bool taper_is_smooth(const ov_shape *s, const family_place *f, const slide_turn pair[2],
                            bool y) {
    taper_field t = taper_field_of(s, f, y);
    const double rounding = 1e-15;
    double h[3], p[3], unit[3];
    for (int k = 0; k < 3; k++) {
        const slide_turn *a = &pair[k == 2], *b = &pair[k > 0]; // 00, 01, 11
        h[k] = 0.5 * (ov_vec3_dot(a->p, b->n) + ov_vec3_dot(b->p, a->n));
        unit[k] = ov_vec3_dot(a->p, b->p);
        p[k] = taper_form(&t, a->p, b->p);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        double m[3];
        for (int k = 0; k < 3; k++) {
            m[k] = h[k] + least_reach * (gain_tolerance * unit[k] + sign * p[k]);
        }
        if (m[0] < -rounding || m[2] < -rounding ||
            m[0] * m[2] - m[1] * m[1] < -rounding * rounding) {
            return false;
        }
    }
    return true;
}

/**
 * Derivatives of the support value by a1 a2 a3 e1 e2 tx ty at fixed direction, and which of them
 * are the same to both sides; smooth family. False where the witness point is not on the surface:
 * on the hull's bridge over a dent.
 */
static bool support_by_parameters(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack,
                                  double by[OV_PARAMETER_COUNT], bool smooth[OV_PARAMETER_COUNT]) {
    family_place f;
    if (!take_apart(s, p, n, slack, &f)) {
        return false;
    }
    double zeta = f.profile.v, across = n.x * p.x + n.y * p.y, size = s->ball.radius;
    by[OV_PARAMETER_A1] = n.x * (p.x / s->a.x);
    by[OV_PARAMETER_A2] = n.y * (p.y / s->a.y);
    by[OV_PARAMETER_A3] = n.z * zeta;
    by[OV_PARAMETER_E1] = -0.5 * across * share_entropy(&f.section);
    by[OV_PARAMETER_E2] = -0.5 * f.per_slope * share_entropy(&f.profile);
    by[OV_PARAMETER_TX] = n.x * p.x * zeta / f.f1;
    by[OV_PARAMETER_TY] = n.y * p.y * zeta / f.f2;
    curvature_pairs pairs;
    pair_around(s, &f, &pairs);
    pair_along(s, &f, &pairs);
    const slide_turn pair[2] = {unit_pair(s, &pairs, 0, f.normal),
                                unit_pair(s, &pairs, 1, f.normal)};
    smooth[OV_PARAMETER_A1] = smooth[OV_PARAMETER_A2] = smooth[OV_PARAMETER_A3] = true;
    smooth[OV_PARAMETER_E1] =
        entropy_is_steady(&f.section, s->e1, f.section_by_point, across / size);
    smooth[OV_PARAMETER_E2] =
        entropy_is_steady(&f.profile, s->e2, f.profile_by_point, f.per_slope / size);
    smooth[OV_PARAMETER_TX] = taper_is_smooth(s, &f, pair, false);
    smooth[OV_PARAMETER_TY] = taper_is_smooth(s, &f, pair, true);
    return true;
}

/* ---- features of the other kinds */

/** The vertices that carry a witness point, seen from it. */
typedef struct carriers {
    bool here;        // one is at the point itself
    bool elsewhere;   // others are in the tangent plane
    ov_vec3 farthest; // of those, seen from the point
} carriers;

/** -1 below the tangent plane, 0 at the point itself, 1 in the plane; 2 above: not a support. */
static int vertex_side(ov_vec3 d, ov_vec3 n, double near) {
    double length = ov_vec3_length(d), height = ov_vec3_dot(n, d);
    if (length <= near) {
        return 0;
    }
    return height > angle_tolerance * length ? 2 : height < -angle_tolerance * length ? -1 : 1;
}

static bool find_carriers(const ov_vec3 *v, size_t count, ov_vec3 p, ov_vec3 n, double near,
                          carriers *out) {
    double farthest = 0.0;
    ov_vec3 first = p;
    *out = (carriers){.here = false};
    for (size_t i = 0; i < count; i++) {
        ov_vec3 d = ov_vec3_sub(v[i], p);
        int side = vertex_side(d, n, near);
        if (side == 2) {
            return false;
        }
        if (side == 0 && out->here && ov_vec3_length(ov_vec3_sub(v[i], first)) > 0.0) {
            return false; // two that are closer to each other than a contact can tell
        }
        if (side == 0) {
            first = v[i];
            out->here = true;
        }
        double length = ov_vec3_length(d);
        if (side == 1 && length > farthest) {
            farthest = length;
            out->farthest = d;
            out->elsewhere = true;
        }
    }
    // either a vertex by itself, or the inside of an edge or face
    return out->here != out->elsewhere;
}

/** Vertices with a witness point, its tangent plane, and two tangents. */
typedef struct vertex_place {
    const ov_vec3 *v;
    size_t count;
    ov_vec3 p, n, t, b;
    double near;
} vertex_place;

/** The largest angles from t, to either side and short of pi, at which carriers are seen. */
typedef struct view {
    double left, right;
    bool behind;
} view;

/** From a point of the tangent plane. */
static view view_from(const vertex_place *f, ov_vec3 from) {
    view out = {0.0, 0.0, false};
    for (size_t i = 0; i < f->count; i++) {
        if (vertex_side(ov_vec3_sub(f->v[i], f->p), f->n, f->near) != 1) {
            continue;
        }
        ov_vec3 d = ov_vec3_sub(f->v[i], from);
        double angle = atan2(ov_vec3_dot(f->b, d), ov_vec3_dot(f->t, d));
        if (OVI_PI - fabs(angle) <= angle_tolerance) {
            out.behind = true;
        } else if (angle > angle_tolerance) {
            out.left = fmax(out.left, angle);
        } else if (angle < -angle_tolerance) {
            out.right = fmax(out.right, -angle);
        }
    }
    return out;
}

/** No half-plane is free of carriers. */
static bool is_surrounded(view w) {
    return w.left > 0.0 && w.right > 0.0 &&
           (w.behind || w.left + w.right > OVI_PI + angle_tolerance);
}

/**
 * Is the point inside an edge (all carriers along t, on both sides) or a face, off its
 * border by more than what counts as nothing?
 */
static bool edge_or_face_pairs(const vertex_place *f, curvature_pairs *pairs) {
    view here = view_from(f, f->p);
    if (here.left == 0.0 && here.right == 0.0) {
        set_pairs(pairs, f->t, 1.0, 0.0, f->b, 0.0, 1.0);
        return here.behind;
    }
    flat_pairs(f->n, pairs);
    // the corners of an octagon that holds the circle of radius `near`
    const double far = 1.1 * f->near, half = sqrt(0.5);
    const double ring[8][2] = {{1.0, 0.0},  {half, half},   {0.0, 1.0},  {-half, half},
                               {-1.0, 0.0}, {-half, -half}, {0.0, -1.0}, {half, -half}};
    bool inside = is_surrounded(here);
    for (int i = 0; i < 8 && inside; i++) {
        ov_vec3 from = ov_vec3_add_scaled(f->p, f->t, far * ring[i][0]);
        inside = is_surrounded(view_from(f, ov_vec3_add_scaled(from, f->b, far * ring[i][1])));
    }
    return inside;
}

static bool vertices_pairs(const ov_vec3 *v, size_t count, ov_vec3 p, ov_vec3 n, double near,
                           curvature_pairs *pairs) {
    carriers c;
    if (!find_carriers(v, count, p, n, near, &c)) {
        return false;
    }
    if (c.here) {
        vertex_pairs(n, pairs);
        return true;
    }
    ov_vec3 t = ov_vec3_normalize(off_normal(c.farthest, n));
    return edge_or_face_pairs(&(vertex_place){v, count, p, n, t, ov_vec3_cross(n, t), near}, pairs);
}

static bool box_pairs(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near,
                      curvature_pairs *pairs) {
    ov_vec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ov_vec3_make(i & 1 ? s->a.x : -s->a.x, i & 2 ? s->a.y : -s->a.y,
                            i & 4 ? s->a.z : -s->a.z);
    }
    return vertices_pairs(v, 8, p, n, near, pairs);
}

/** The core's vertex or edge, under a skin: the point moves by radius times the normal more. */
static bool capsule_pairs(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near,
                          curvature_pairs *pairs) {
    const ov_vec3 ends[2] = {{0.0, 0.0, -s->a.z}, {0.0, 0.0, s->a.z}};
    // a core too short to tell its ends apart is a point
    size_t count = 2.0 * s->a.z <= near ? 1 : 2;
    if (!vertices_pairs(ends, count, ov_vec3_add_scaled(p, n, -s->a.x), n, near, pairs)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        pairs->point[i] = ov_vec3_add_scaled(pairs->point[i], pairs->normal[i], s->a.x);
    }
    return true;
}

/** Distance from the z axis, height, and the same of the normal. */
typedef struct meridian {
    double rho, z, n_rho, n_z;
    ov_vec3 around; // unit tangent about z
} meridian;

static meridian meridian_of(ov_vec3 p, ov_vec3 n) {
    meridian m = {hypot(p.x, p.y), p.z, hypot(n.x, n.y), n.z, {0.0, 0.0, 0.0}};
    m.around = ov_vec3_normalize(ov_vec3_make(-n.y, n.x, 0.0));
    return m;
}

/** A circle about z of radius rho, sharp or with a straight line across it. */
static void ring_pairs(const meridian *m, ov_vec3 n, double rho, bool sharp,
                       curvature_pairs *pairs) {
    set_pairs(pairs, m->around, rho, m->n_rho, ov_vec3_cross(n, m->around), sharp ? 0.0 : 1.0,
              sharp ? 1.0 : 0.0);
}

static bool cylinder_pairs(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near,
                           curvature_pairs *pairs) {
    meridian m = meridian_of(p, n);
    double radius = s->a.x, half = s->a.z;
    if (m.n_rho <= angle_tolerance) {
        flat_pairs(n, pairs);
        return m.rho < radius - near;
    }
    bool side = fabs(m.n_z) <= angle_tolerance;
    ring_pairs(&m, n, radius, !side, pairs);
    bool on_end = fabs(m.z - copysign(half, m.n_z)) <= near;
    return fabs(m.rho - radius) <= near && (side ? fabs(m.z) < half - near : on_end);
}

static bool cone_pairs(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near,
                       curvature_pairs *pairs) {
    meridian m = meridian_of(p, n);
    double radius = s->a.x, half = s->a.z;
    // sine of the angle by which the normal is above that of the slant side
    double above = (2.0 * half * m.n_z - radius * m.n_rho) / hypot(2.0 * half, radius);
    if (above > angle_tolerance) {
        vertex_pairs(n, pairs);
        return fmax(m.rho, fabs(m.z - half)) <= near;
    }
    if (m.n_rho <= angle_tolerance) {
        flat_pairs(n, pairs);
        return m.rho < radius - near;
    }
    bool side = above >= -angle_tolerance;
    ring_pairs(&m, n, side ? m.rho : radius, !side, pairs);
    bool on_rim = fabs(m.rho - radius) <= near && fabs(m.z + half) <= near;
    return side ? m.rho > near && m.rho < radius - near : on_rim;
}

/**
 * At a witness point with its outward unit normal, in the shape's frame. `slack` is a length that
 * covers the rounding of the point. False where there is no such thing: the shape's kind has no
 * curvature, the point is not on the surface, or within `reach` (in sizes and radians) the surface
 * does otherwise, as at the border between two features.
 */
static bool pairs_of(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, double reach,
                     curvature_pairs *pairs) {
    if (ovi_is_family(s->kind)) {
        return family_pairs(s, p, n, slack, reach, pairs);
    }
    double near = fmax(place_tolerance, reach) * s->ball.radius + slack;
    switch (s->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        flat_pairs(n, pairs);
        return true;
    case OV_SHAPE_KIND_POINT:
        vertex_pairs(n, pairs);
        return true;
    case OV_SHAPE_KIND_BOX:
        return box_pairs(s, p, n, near, pairs);
    case OV_SHAPE_KIND_CAPSULE:
        return capsule_pairs(s, p, n, near, pairs);
    case OV_SHAPE_KIND_CYLINDER:
        return cylinder_pairs(s, p, n, near, pairs);
    case OV_SHAPE_KIND_CONE:
        return cone_pairs(s, p, n, near, pairs);
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(s, &vertices);
    return count > 0 && vertices_pairs(vertices, count, p, n, near, pairs);
}

/* ==== the contact of two bodies */

/** Planes closer than this are taken as touching: slides of 1e7 sizes a radian have no meaning. */
static const double least_sine = 1e-7;
/** A motion by this much, in sizes and radians, must leave a contact where its pairs hold. */
static const double least_motion = 1e-8;
/** Farther than this, in sizes, no pairs are asked to hold. */
static const double most_reach = 0.01;
/** What pairs may miss, as a share of that sine: so much the rates may be off nearby. */
static const double most_miss = 0.03;
/** A gap or radius, in sizes, at which a contact is no longer a unique one. */
static const double nearly_nothing = 1e-7;
/** A body's two pairs are independent by construction; closer than this only rounding is left. */
static const double least_spread = 1e-12;

/** One body with its witness point, in the world and in its own frame. */
typedef struct touched {
    const ov_shape *shape;
    ov_vec3 position, point;
    ov_mat3 turn;
    ov_vec3 local_point, local_normal; // outward
    curvature_pairs pairs;
    bool has_pairs; // the pairs are known
} touched;

/** The rows of an equation's column, and of what it carries. */
enum { EQUATIONS = 4, TURN_A = 4, SLIDE_A = 6, TURN_B = 8, SLIDE_B = 10, ROWS = 12 };

typedef struct column {
    double row[ROWS];
} column;

/** The contact as the linear system sees it. */
typedef struct contact_system {
    ov_vec3 n, t1, t2;
    double size, gap; // gap in units of size
    column basis[4];
    double sine; // between the planes of A and B
} contact_system;

/* ---- the linear system */

static double column_dot(const column *a, const column *b) {
    double sum = 0.0;
    for (int i = 0; i < EQUATIONS; i++) {
        sum += a->row[i] * b->row[i];
    }
    return sum;
}

static double normalise(column *c) {
    double length = sqrt(column_dot(c, c));
    for (int i = 0; i < ROWS && length > 0.0; i++) {
        c->row[i] /= length;
    }
    return length;
}

/** Takes the part along a unit column off another; twice, for the rounding of the first time. */
static void take_off(column *c, const column *unit) {
    for (int pass = 0; pass < 2; pass++) {
        double along = column_dot(c, unit);
        for (int i = 0; i < ROWS; i++) {
            c->row[i] -= along * unit->row[i];
        }
    }
}

static ov_vec2 tangential(const contact_system *s, ov_vec3 v) {
    return (ov_vec2){ov_vec3_dot(s->t1, v), ov_vec3_dot(s->t2, v)};
}

static ov_vec3 in_world(const contact_system *s, const double t[2]) {
    return ov_vec3_add_scaled(ov_vec3_scale(s->t1, t[0]), s->t2, t[1]);
}

/** Columns of a body: its pairs as they enter the equations of step 5. */
static bool body_columns(const contact_system *s, const touched *body, bool is_a, column out[2]) {
    const curvature_pairs *pairs = &body->pairs;
    for (int i = 0; i < 2; i++) {
        ov_vec2 m = tangential(s, ov_mat3_mul_vec3(&body->turn, pairs->normal[i]));
        ov_vec2 p = tangential(s, ov_mat3_mul_vec3(&body->turn, pairs->point[i]));
        p = (ov_vec2){p.x / s->size, p.y / s->size};
        int turn = is_a ? TURN_A : TURN_B, slide = is_a ? SLIDE_A : SLIDE_B;
        double largest = fmax(fmax(fabs(m.x), fabs(m.y)), fmax(fabs(p.x), fabs(p.y)));
        if (!(largest > 0.0) || isinf(largest)) {
            return false;
        }
        // near 1 first, so that no square leaves the range
        double scale = 1.0 / largest;
        m = (ov_vec2){m.x * scale, m.y * scale};
        p = (ov_vec2){p.x * scale, p.y * scale};
        double f = is_a ? -1.0 : 1.0, g = is_a ? -s->gap : 0.0;
        column c = {{m.x, m.y, f * p.x + g * m.x, f * p.y + g * m.y}};
        c.row[turn] = m.x;
        c.row[turn + 1] = m.y;
        c.row[slide] = p.x;
        c.row[slide + 1] = p.y;
        normalise(&c);
        out[i] = c;
    }
    take_off(&out[1], &out[0]);
    return normalise(&out[1]) > least_spread;
}

/**
 * Is a body round by itself: are its radii of curvature finite, and with the gap more than nothing?
 * Then normal and points of a contact with it are unique, whatever the other body does.
 */
static bool is_round(const contact_system *s, const column c[2], bool is_a) {
    const int m = is_a ? TURN_A : TURN_B, p = is_a ? SLIDE_A : SLIDE_B;
    double det = c[0].row[m] * c[1].row[m + 1] - c[1].row[m] * c[0].row[m + 1], r[2][2];
    for (int i = 0; i < 2; i++) {
        // slides by turns, times the determinant
        r[i][0] = c[0].row[p + i] * c[1].row[m + 1] - c[1].row[p + i] * c[0].row[m + 1];
        r[i][1] = c[1].row[p + i] * c[0].row[m] - c[0].row[p + i] * c[1].row[m];
    }
    const double most = 100.0; // so that no motion to speak of leaves where the pairs hold
    double half = 0.5 * (r[0][0] + r[1][1]) / det, mixed = 0.5 * (r[0][1] + r[1][0]) / det;
    double spread = hypot(0.5 * (r[0][0] - r[1][1]) / det, mixed);
    return half + spread <= most && half - spread + s->gap >= nearly_nothing;
}

/** Orthonormal basis of all four columns; false where the two planes have a line in common, as
 *  far as their bodies' pairs can tell. */
static bool join_columns(contact_system *s, double miss) {
    column *b = s->basis;
    for (int j = 2; j < 4; j++) {
        take_off(&b[j], &b[0]);
        take_off(&b[j], &b[1]);
    }
    if (column_dot(&b[3], &b[3]) > column_dot(&b[2], &b[2])) {
        column swap = b[2];
        b[2] = b[3];
        b[3] = swap;
    }
    const double least = fmax(least_sine, miss / most_miss);
    if (!(normalise(&b[2]) > least)) {
        return false;
    }
    take_off(&b[3], &b[2]);
    s->sine = normalise(&b[3]);
    return s->sine > least;
}

static void set_pairs_of(touched *t, double slack, double reach) {
    t->has_pairs = pairs_of(t->shape, t->local_point, t->local_normal, slack, reach, &t->pairs);
}

/**
 * The system, where there is one; `unique` says whether the contact is, also where not. The worse
 * its condition, the farther a motion takes the contact, and the farther the pairs must hold.
 */
static bool make_system(contact_system *s, touched *a, touched *b, double slack, bool *unique) {
    double reach = least_reach;
    *unique = false;
    for (int pass = 0; pass < 2; pass++) {
        set_pairs_of(a, slack, reach);
        set_pairs_of(b, slack, reach);
        bool has_a = a->has_pairs && body_columns(s, a, true, &s->basis[0]);
        bool has_b = b->has_pairs && body_columns(s, b, false, &s->basis[2]);
        *unique = *unique || (has_a && is_round(s, &s->basis[0], true)) ||
                  (has_b && is_round(s, &s->basis[2], false));
        if (!has_a || !has_b || !join_columns(s, a->pairs.miss + b->pairs.miss)) {
            return false;
        }
        reach = fmin(most_reach, least_motion / s->sine);
        if (reach <= least_reach) {
            break;
        }
    }
    *unique = true;
    return true;
}

/* ---- motions */

/** Velocity of the witness point and turn of a fixed normal, for one of the six motions. */
typedef struct motion {
    ov_vec3 velocity, turn;
} motion;

static motion motion_of(const touched *body, int k, ov_vec3 n) {
    ov_vec3 axis = ov_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    if (k < 3) {
        return (motion){axis, ov_vec3_make(0.0, 0.0, 0.0)};
    }
    return (motion){ov_vec3_cross(axis, ov_vec3_sub(body->point, body->position)),
                    ov_vec3_cross(axis, n)};
}

/** Steps 2 to 5: `a` and `b` are what moves them, one of the two being at rest. */
static void solve_motion(const contact_system *s, motion a, motion b, ov_vec3 *point_a,
                         ov_vec3 *point_b, ov_vec3 *normal) {
    ov_vec2 wa = tangential(s, a.turn), wb = tangential(s, b.turn);
    ov_vec2 u = tangential(s, ov_vec3_sub(b.velocity, a.velocity));
    column right = {
        {wb.x - wa.x, wb.y - wa.y, s->gap * wa.x - u.x / s->size, s->gap * wa.y - u.y / s->size}};
    double sum[ROWS] = {0.0};
    for (int j = 0; j < 4; j++) {
        double y = column_dot(&s->basis[j], &right);
        for (int i = EQUATIONS; i < ROWS; i++) {
            sum[i] += y * s->basis[j].row[i];
        }
    }
    *point_a = ov_vec3_add_scaled(a.velocity, in_world(s, &sum[SLIDE_A]), s->size);
    *point_b = ov_vec3_add_scaled(b.velocity, in_world(s, &sum[SLIDE_B]), s->size);
    // of the two ways to the normal's rate, the one by the body at rest, or that turns less
    ov_vec3 by_a = ov_vec3_add(in_world(s, &sum[TURN_A]), a.turn);
    ov_vec3 by_b = ov_vec3_sub(b.turn, in_world(s, &sum[TURN_B]));
    *normal = ov_vec3_dot(a.turn, a.turn) <= ov_vec3_dot(b.turn, b.turn) ? by_a : by_b;
}

static bool is_finite(const ov_contact_derivatives *d) {
    bool good = true;
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        good = good && ov_vec3_is_finite(d->point_a[body][k]) &&
               ov_vec3_is_finite(d->point_b[body][k]) && ov_vec3_is_finite(d->normal[body][k]);
    }
    return good;
}

static bool set_motions(const contact_system *s, const touched *a, const touched *b,
                        ov_contact_derivatives *out) {
    const motion rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    ov_contact_derivatives d = *out;
    for (int k = 0; k < OV_DOF_COUNT; k++) {
        solve_motion(s, motion_of(a, k, s->n), rest, &d.point_a[0][k], &d.point_b[0][k],
                     &d.normal[0][k]);
        solve_motion(s, rest, motion_of(b, k, s->n), &d.point_a[1][k], &d.point_b[1][k],
                     &d.normal[1][k]);
    }
    if (!is_finite(&d)) {
        return false;
    }
    *out = d;
    return true;
}

static void set_gap(const touched *a, const touched *b, ov_vec3 n, ov_contact_derivatives *out) {
    for (int k = 0; k < OV_DOF_COUNT; k++) {
        out->gap[0][k] = -ov_vec3_dot(n, motion_of(a, k, n).velocity);
        out->gap[1][k] = ov_vec3_dot(n, motion_of(b, k, n).velocity);
    }
}

/* ---- parameters */

/** Whether all of them are derivatives; nothing to set for the kinds that have no parameters. */
static bool set_parameters(const touched *body, double slack, bool unique,
                           double by[OV_PARAMETER_COUNT], bool smooth[OV_PARAMETER_COUNT]) {
    if (!ovi_is_family(body->shape->kind)) {
        return true;
    }
    double h[OV_PARAMETER_COUNT];
    if (!support_by_parameters(body->shape, body->local_point, body->local_normal, slack, h,
                               smooth)) {
        return false;
    }
    bool all = true;
    for (int i = 0; i < OV_PARAMETER_COUNT; i++) {
        by[i] = 0.0 - h[i];
        smooth[i] = smooth[i] && unique;
        all = all && smooth[i];
    }
    return all;
}

/* ---- in and out */

static touched touch(const ov_shape *shape, ov_pose pose, ov_vec3 point, ov_vec3 outward) {
    touched t = {.shape = shape, .position = pose.position, .point = point};
    ov_quat unit = pose.rotation;
    (void)ov_quat_normalize(pose.rotation, &unit); // was checked
    t.turn = ov_mat3_from_quat(unit);
    t.local_point = ov_mat3_tmul_vec3(&t.turn, ov_vec3_sub(point, pose.position));
    t.local_normal = ov_mat3_tmul_vec3(&t.turn, outward);
    return t;
}

static ov_status check_contact(const ov_contact *c) {
    if (c->status < OV_OK) {
        return c->status;
    }
    if (!isfinite(c->gap)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ovi_check_point(c->point_a);
    status = status == OV_OK ? ovi_check_point(c->point_b) : status;
    status = status == OV_OK ? ovi_check_point(c->normal) : status;
    if (status != OV_OK) {
        return status;
    }
    return ov_vec3_dot(c->normal, c->normal) > 0.5 ? OV_OK : OV_ERROR_ZERO_DIRECTION;
}

/** A length to measure in: the pair's size, or what there is where both are points. */
static double unit_length(const ovi_pair *pair, double gap) {
    return pair->size > 0.0 ? pair->size : gap != 0.0 ? fabs(gap) : 1.0;
}

ov_status ov_pair_derivatives(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              const ov_contact *contact, ov_contact_derivatives *out) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_pair_derivatives(a, pose_a, b, pose_b, contact, out));
    if (contact == NULL || out == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_pair pair;
    ov_status status = ovi_pair_make(a, pose_a, b, pose_b, NULL, &pair);
    status = status == OV_OK ? check_contact(contact) : status;
    if (status != OV_OK) {
        return status;
    }
    if (a->kind == OV_SHAPE_KIND_HALFSPACE && b->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    }
    contact_system s = {.n = ov_vec3_normalize(contact->normal)};
    ov_mat3 frame = ov_mat3_householder(s.n);
    s.t1 = frame.cy;
    s.t2 = frame.cz;
    s.size = unit_length(&pair, contact->gap);
    s.gap = contact->gap / s.size;
    double slack =
        pair.rounding +
        8.0 * DBL_EPSILON * (ov_vec3_length(contact->point_a) + ov_vec3_length(contact->point_b));
    touched ta = touch(a, pose_a, contact->point_a, s.n);
    touched tb = touch(b, pose_b, contact->point_b, ov_vec3_neg(s.n));
    *out = (ov_contact_derivatives){0};
    set_gap(&ta, &tb, s.n, out);
    out->contact_smooth =
        make_system(&s, &ta, &tb, slack, &out->gap_smooth) && set_motions(&s, &ta, &tb, out);
    bool smooth = out->contact_smooth && out->gap_smooth;
    for (int i = 0; i < 2; i++) {
        smooth = set_parameters(i == 0 ? &ta : &tb, slack, out->gap_smooth, out->gap_shape[i],
                                out->shape_smooth[i]) &&
                 smooth;
    }
    return smooth ? contact->status : OV_NOT_SMOOTH;
}
