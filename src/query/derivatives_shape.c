/**
 * @file derivatives_shape.c
 * @brief How a surface rolls at a witness point, and how a support value answers to the parameters.
 *
 * Curvature is kept as pairs (rate of the point, rate of the normal) throughout, never as a
 * quotient: flats, edges and corners are then ordinary values. The formulas are derived in
 * docs/theory/derivatives.md.
 *
 * Smooth family. Section (X, Y) and profile (w, zeta) are points of unit curves |u|^p + |v|^p = 1
 * with covectors (gu, gv) = (u^(p-1), v^(p-1)), which lie on the dual unit curve. Along a curve,
 * free of division by small numbers for either side of e = 1:
 *
 *     e <= 1:  (u, v)'   = e (-gv, gu)       (gu, gv)' = (2-e) (-gv gu/u, gu gv/v)
 *     e >= 1:  (gu, gv)' = (2-e) (-v, u)     (u, v)'   = e (-v u/gu, u v/gv)
 *
 * A roll is handed out only where the surface about the contact does what it says.
 *
 * Other kinds are told by their features: vertex, edge, face, rim, side. A feature is accepted only
 * where point and normal agree about it, and the point is not at its border.
 */
#include <stddef.h>

#include "../shape/shape_internal.h"
#include "derivatives_internal.h"

/** Angles below this are zero: no contact's normal is known better than the root of its gap. */
static const double angle_tolerance = 1e-6;
/** Distances below this share of a body's size are zero. */
static const double place_tolerance = 1e-7;

/* ---- the simplest rolls */

/** Rates along two tangents: point rates as lengths, normal rates as angles. */
static void set_roll(ovi_roll *roll, ov_vec3 t, double point_t, double normal_t, ov_vec3 b,
                     double point_b, double normal_b) {
    roll->point[0] = ov_vec3_scale(t, point_t);
    roll->normal[0] = ov_vec3_scale(t, normal_t);
    roll->point[1] = ov_vec3_scale(b, point_b);
    roll->normal[1] = ov_vec3_scale(b, normal_b);
    roll->miss = 0.0;
}

static void roll_vertex(ov_vec3 n, ovi_roll *roll) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_roll(roll, frame.cy, 0.0, 1.0, frame.cz, 0.0, 1.0);
}

static void roll_flat(ov_vec3 n, ovi_roll *roll) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_roll(roll, frame.cy, 1.0, 0.0, frame.cz, 1.0, 0.0);
}

/* ---- unit curves */

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
    ovi_norm2_parts parts = ovi_norm2_split(u, v, ovi_primal(e));
    ovi_norm2 n = ovi_norm2_gradient(u, v, &parts);
    return with_rates((curve){.u = u / n.value, .v = v / n.value, .gu = n.du, .gv = n.dv}, e);
}

/** Of a direction of the covector; not both zero. */
static curve curve_of_normal(double gu, double gv, double e) {
    ovi_norm2_parts parts = ovi_norm2_split(gu, gv, ovi_dual(e));
    ovi_norm2 n = ovi_norm2_gradient(gu, gv, &parts);
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
    double reach; // how far about it the roll must hold, in sizes and radians
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

/** A point in sizes, and a normal. */
typedef struct spot {
    ov_vec3 p, n;
} spot;

/** The tangential part of the way between two places. */
static spot spot_between(const ov_shape *s, const family_place *from, const family_place *to) {
    ov_vec3 way = ov_vec3_scale(ov_vec3_sub(to->point, from->point), 1.0 / s->ball.radius);
    return (spot){off_normal(way, from->normal),
                  off_normal(ov_vec3_sub(to->normal, from->normal), from->normal)};
}

static double spot_dot(const spot *a, const spot *b) {
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
    ovi_norm2_parts at_parts = ovi_norm2_split(at.x, at.y, ovi_primal1(s));
    ovi_norm2_parts g_parts = ovi_norm2_split(g.x, g.y, ovi_dual1(s));
    double width = ovi_norm2_gradient(at.x, at.y, &at_parts).value;
    double m = ovi_norm2_gradient(g.x, g.y, &g_parts).value;
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
static void roll_around(const ov_shape *s, const family_place *f, ovi_roll *roll) {
    const curve *sec = &f->section, *pro = &f->profile;
    // both rates shrink towards a pole, as w and gw; the larger of the two is divided out
    bool flat = s->e2 <= 1.0;
    double w = flat ? 1.0 : slope_at(pro->u, pro->gu, s->e2);
    double gw = flat ? slope_at(pro->gu, pro->u, s->e2) : 1.0;
    double share = sec->du * sec->gu + sec->u * sec->dgu;
    double scale = gw * f->per_slope;
    roll->point[0] = ov_vec3_make(w * s->a.x * f->f1 * sec->du, w * s->a.y * f->f2 * sec->dv, 0.0);
    roll->normal[0] =
        ov_vec3_make(scale * sec->dgu / (s->a.x * f->f1), scale * sec->dgv / (s->a.y * f->f2),
                     -scale * pro->u * (f->alpha - f->beta) * share / s->a.z);
}

/** Rates along the profile, from pole to pole. */
static void roll_along(const ov_shape *s, const family_place *f, ovi_roll *roll) {
    const curve *sec = &f->section, *pro = &f->profile;
    double w = pro->u, dw = pro->du, dz = pro->dv, gw = pro->gu, dgw = pro->dgu;
    double dmu = -(f->alpha * f->alpha * sec->u * sec->gu + f->beta * f->beta * sec->v * sec->gv);
    double dnz = pro->dgv - (dgw * w + gw * dw) * f->mu - gw * w * dmu * dz;
    roll->point[1] = ov_vec3_make(s->a.x * sec->u * (f->f1 * dw + s->tx * w * dz),
                                  s->a.y * sec->v * (f->f2 * dw + s->ty * w * dz), s->a.z * dz);
    roll->normal[1] =
        ov_vec3_make(f->per_slope * sec->gu * (dgw - gw * f->alpha * dz) / (s->a.x * f->f1),
                     f->per_slope * sec->gv * (dgw - gw * f->beta * dz) / (s->a.y * f->f2),
                     f->per_slope * dnz / s->a.z);
}

/** The pair i of a roll in sizes, its length one. */
static spot unit_pair(const ov_shape *s, const ovi_roll *roll, int i, ov_vec3 n) {
    spot u = {off_normal(ov_vec3_scale(roll->point[i], 1.0 / s->ball.radius), n),
              off_normal(roll->normal[i], n)};
    double largest = fmax(ovi_max_abs(u.p), ovi_max_abs(u.n));
    if (!(largest > 0.0 && isfinite(largest))) {
        return (spot){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    u = (spot){ov_vec3_scale(u.p, 1.0 / largest), ov_vec3_scale(u.n, 1.0 / largest)};
    double length = sqrt(spot_dot(&u, &u));
    return (spot){ov_vec3_scale(u.p, 1.0 / length), ov_vec3_scale(u.n, 1.0 / length)};
}

/**
 * Does the surface bend outwards along every tangent? The form point . normal, in units of the
 * body's size and of the larger of each pair, may be below zero by rounding only.
 */
static bool is_convex_here(const spot pair[2]) {
    double mixed = ov_vec3_dot(pair[0].p, pair[1].n);
    double form0 = ov_vec3_dot(pair[0].p, pair[0].n), form1 = ov_vec3_dot(pair[1].p, pair[1].n);
    const double rounding = 1e-9;
    return form0 >= -rounding && form1 >= -rounding && form0 * form1 - mixed * mixed >= -rounding;
}

/* ---- smooth family: is the roll that of the neighbourhood?

   Rates at a single point may say little: on an edge that ends in a flat pole the normal turns
   without a slide, but by no more than 1e-9 so close to the pole; beside a plane of symmetry of
   e = 1 - 1e-9 the surface is round, on it, for less than the smallest number, flat. So the roll
   is compared with what the surface does over a distance that a contact and a difference can see.
   Neighbours lie on either side; what they do alike (even) is curvature of the second order, or a
   kink; the rest (odd) is the roll's to tell. */

/** How much of the distance of neighbours may lie outside of the roll's plane. */
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
typedef struct neighbour_spot {
    spot at;
    bool on_hull;
} neighbour_spot;

/** Of two neighbours, by a shift of the point and of the normal, the one about `reach` away. */
static neighbour_spot fitting(const ov_shape *s, const family_place *f,
                              const family_place next[2]) {
    spot by[2] = {spot_between(s, f, &next[0]), spot_between(s, f, &next[1])};
    double a = sqrt(spot_dot(&by[0], &by[0])), b = sqrt(spot_dot(&by[1], &by[1]));
    // a shift that goes with a jump of the other goes too far, one that moves nothing not at all
    const double least = 0.125 * f->reach;
    bool far_enough = fmin(a, b) >= least;
    int i = (a < b) == far_enough ? 0 : 1;
    neighbour_spot out = {by[i], true};
    if (s->dent > 0.0) {
        double below = ovi_family_support(s, next[i].normal).value -
                       ov_vec3_dot(next[i].normal, next[i].point);
        out.on_hull = below <= 1e-12 * s->ball.radius;
    }
    return out;
}

/** What lies beside a place, along the section (i = 0) or the profile (1), on the side `sign`. */
static neighbour_spot neighbour(const ov_shape *s, const family_place *f, int i, double sign) {
    family_place rates = *f;
    ovi_roll roll;
    double factor = 1.0;
    if (i == 0) {
        rates.section = with_shift_rates(f->section);
        roll_around(s, &rates, &roll);
        factor = s->e2 <= 1.0 ? fabs(f->profile.u) : fabs(f->profile.gu);
    } else {
        rates.profile = with_shift_rates(f->profile);
        roll_along(s, &rates, &roll);
    }
    const double most = 0.5;
    double slide = factor * ov_vec3_length(off_normal(roll.point[i], f->normal)) / s->ball.radius;
    double turn = factor * ov_vec3_length(off_normal(roll.normal[i], f->normal));
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
static neighbour_spot pole_neighbour(const ov_shape *s, const family_place *f, ov_vec2 direction,
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
        ovi_norm2_parts parts =
            ovi_norm2_split(at.x, at.y, by_point ? ovi_primal1(s) : ovi_dual1(s));
        double w = fmin(0.5, ovi_norm2_gradient(at.x, at.y, &parts).value);
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

/** Length of what is not in the plane of two orthonormal spots. */
static double out_of_plane(spot d, const spot unit[2]) {
    for (int i = 0; i < 2; i++) {
        double along = spot_dot(&d, &unit[i]);
        d.p = ov_vec3_add_scaled(d.p, unit[i].p, -along);
        d.n = ov_vec3_add_scaled(d.n, unit[i].n, -along);
    }
    return sqrt(spot_dot(&d, &d));
}

/** Two neighbours on opposite sides against the roll's plane; `miss` becomes the worst of all. */
static bool agrees_with(neighbour_spot up, neighbour_spot down, const spot unit[2], double *miss) {
    spot odd = {ov_vec3_scale(ov_vec3_sub(up.at.p, down.at.p), 0.5),
                ov_vec3_scale(ov_vec3_sub(up.at.n, down.at.n), 0.5)};
    spot even = {ov_vec3_scale(ov_vec3_add(up.at.p, down.at.p), 0.5),
                 ov_vec3_scale(ov_vec3_add(up.at.n, down.at.n), 0.5)};
    double length = sqrt(spot_dot(&odd, &odd));
    double off = out_of_plane(odd, unit);
    *miss = fmax(*miss, length > 0.0 ? off / length : 0.0);
    return up.on_hull && down.on_hull && off <= odd_tolerance * length &&
           out_of_plane(even, unit) <= even_tolerance * length;
}

static bool holds_around(const ov_shape *s, const family_place *f, const spot pair[2],
                         double *miss) {
    *miss = 0.0;
    spot unit[2] = {pair[0], pair[1]};
    double along = spot_dot(&pair[0], &pair[1]);
    unit[1].p = ov_vec3_add_scaled(pair[1].p, pair[0].p, -along);
    unit[1].n = ov_vec3_add_scaled(pair[1].n, pair[0].n, -along);
    double length = sqrt(spot_dot(&unit[1], &unit[1]));
    if (!(length > 0.0)) {
        return false;
    }
    unit[1] =
        (spot){ov_vec3_scale(unit[1].p, 1.0 / length), ov_vec3_scale(unit[1].n, 1.0 / length)};
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

static bool family_roll(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, double reach,
                        ovi_roll *roll) {
    family_place f;
    if (!take_apart(s, p, n, slack, &f)) {
        return false;
    }
    f.reach = reach;
    bool pole = is_pole(s, &f);
    if (pole && s->e2 == 1.0 && s->e1 != 1.0) {
        return false; // round, by a radius that depends on the direction
    }
    roll_around(s, &f, roll);
    roll_along(s, &f, roll);
    spot pair[2] = {unit_pair(s, roll, 0, f.normal), unit_pair(s, roll, 1, f.normal)};
    bool holds = holds_around(s, &f, pair, &roll->miss);
    if (!holds && s->e2 != 1.0 && (pole || has_no_section(s, &f))) {
        // in its limit flat or sharp alike in all directions, whatever the section
        if (s->e2 < 1.0) {
            roll_flat(f.normal, roll);
        } else {
            roll_vertex(f.normal, roll);
        }
        pair[0] = unit_pair(s, roll, 0, f.normal);
        pair[1] = unit_pair(s, roll, 1, f.normal);
        holds = holds_around(s, &f, pair, &roll->miss);
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
        double near = i == 0 ? fmin(2.0, e + OVI_LEAST_REACH) : fmax(0.5 * e, e - OVI_LEAST_REACH);
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
static bool taper_is_smooth(const ov_shape *s, const family_place *f, const spot pair[2], bool y) {
    taper_field t = taper_field_of(s, f, y);
    const double rounding = 1e-15;
    double h[3], p[3], unit[3];
    for (int k = 0; k < 3; k++) {
        const spot *a = &pair[k == 2], *b = &pair[k > 0]; // 00, 01, 11
        h[k] = 0.5 * (ov_vec3_dot(a->p, b->n) + ov_vec3_dot(b->p, a->n));
        unit[k] = ov_vec3_dot(a->p, b->p);
        p[k] = taper_form(&t, a->p, b->p);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        double m[3];
        for (int k = 0; k < 3; k++) {
            m[k] = h[k] + OVI_LEAST_REACH * (gain_tolerance * unit[k] + sign * p[k]);
        }
        if (m[0] < -rounding || m[2] < -rounding ||
            m[0] * m[2] - m[1] * m[1] < -rounding * rounding) {
            return false;
        }
    }
    return true;
}

bool ovi_support_by_parameters(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack,
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
    ovi_roll roll;
    roll_around(s, &f, &roll);
    roll_along(s, &f, &roll);
    const spot pair[2] = {unit_pair(s, &roll, 0, f.normal), unit_pair(s, &roll, 1, f.normal)};
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
 * Is the point inside of an edge (all carriers along t, on both sides), or of a face, off its
 * border by more than what counts as nothing?
 */
static bool roll_edge_or_face(const vertex_place *f, ovi_roll *roll) {
    view here = view_from(f, f->p);
    if (here.left == 0.0 && here.right == 0.0) {
        set_roll(roll, f->t, 1.0, 0.0, f->b, 0.0, 1.0);
        return here.behind;
    }
    roll_flat(f->n, roll);
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

static bool roll_vertices(const ov_vec3 *v, size_t count, ov_vec3 p, ov_vec3 n, double near,
                          ovi_roll *roll) {
    carriers c;
    if (!find_carriers(v, count, p, n, near, &c)) {
        return false;
    }
    if (c.here) {
        roll_vertex(n, roll);
        return true;
    }
    ov_vec3 t = ov_vec3_normalize(off_normal(c.farthest, n));
    return roll_edge_or_face(&(vertex_place){v, count, p, n, t, ov_vec3_cross(n, t), near}, roll);
}

static bool roll_box(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near, ovi_roll *roll) {
    ov_vec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ov_vec3_make(i & 1 ? s->a.x : -s->a.x, i & 2 ? s->a.y : -s->a.y,
                            i & 4 ? s->a.z : -s->a.z);
    }
    return roll_vertices(v, 8, p, n, near, roll);
}

/** The core's vertex or edge, under a skin: the point moves by radius times the normal more. */
static bool roll_capsule(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near, ovi_roll *roll) {
    const ov_vec3 ends[2] = {{0.0, 0.0, -s->a.z}, {0.0, 0.0, s->a.z}};
    // a core too short to tell its ends apart is a point
    size_t count = 2.0 * s->a.z <= near ? 1 : 2;
    if (!roll_vertices(ends, count, ov_vec3_add_scaled(p, n, -s->a.x), n, near, roll)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        roll->point[i] = ov_vec3_add_scaled(roll->point[i], roll->normal[i], s->a.x);
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
static void roll_ring(const meridian *m, ov_vec3 n, double rho, bool sharp, ovi_roll *roll) {
    set_roll(roll, m->around, rho, m->n_rho, ov_vec3_cross(n, m->around), sharp ? 0.0 : 1.0,
             sharp ? 1.0 : 0.0);
}

static bool roll_cylinder(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near, ovi_roll *roll) {
    meridian m = meridian_of(p, n);
    double radius = s->a.x, half = s->a.z;
    if (m.n_rho <= angle_tolerance) {
        roll_flat(n, roll);
        return m.rho < radius - near;
    }
    bool side = fabs(m.n_z) <= angle_tolerance;
    roll_ring(&m, n, radius, !side, roll);
    bool on_end = fabs(m.z - copysign(half, m.n_z)) <= near;
    return fabs(m.rho - radius) <= near && (side ? fabs(m.z) < half - near : on_end);
}

static bool roll_cone(const ov_shape *s, ov_vec3 p, ov_vec3 n, double near, ovi_roll *roll) {
    meridian m = meridian_of(p, n);
    double radius = s->a.x, half = s->a.z;
    // sine of the angle by which the normal is above that of the slant side
    double above = (2.0 * half * m.n_z - radius * m.n_rho) / hypot(2.0 * half, radius);
    if (above > angle_tolerance) {
        roll_vertex(n, roll);
        return fmax(m.rho, fabs(m.z - half)) <= near;
    }
    if (m.n_rho <= angle_tolerance) {
        roll_flat(n, roll);
        return m.rho < radius - near;
    }
    bool side = above >= -angle_tolerance;
    roll_ring(&m, n, side ? m.rho : radius, !side, roll);
    bool on_rim = fabs(m.rho - radius) <= near && fabs(m.z + half) <= near;
    return side ? m.rho > near && m.rho < radius - near : on_rim;
}

bool ovi_shape_roll(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, double reach,
                    ovi_roll *roll) {
    if (ovi_is_family(s->kind)) {
        return family_roll(s, p, n, slack, reach, roll);
    }
    double near = fmax(place_tolerance, reach) * s->ball.radius + slack;
    switch (s->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        roll_flat(n, roll);
        return true;
    case OV_SHAPE_KIND_POINT:
        roll_vertex(n, roll);
        return true;
    case OV_SHAPE_KIND_BOX:
        return roll_box(s, p, n, near, roll);
    case OV_SHAPE_KIND_CAPSULE:
        return roll_capsule(s, p, n, near, roll);
    case OV_SHAPE_KIND_CYLINDER:
        return roll_cylinder(s, p, n, near, roll);
    case OV_SHAPE_KIND_CONE:
        return roll_cone(s, p, n, near, roll);
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(s, &vertices);
    return count > 0 && roll_vertices(vertices, count, p, n, near, roll);
}
