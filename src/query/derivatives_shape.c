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
 * Where the point moves faster than the covector (flats) a place on the curve is read from the
 * witness point, else (edges) from the normal: the other way a rounding error of 1e-16 could become
 * one of 1e-3 (p near 1 or large).
 *
 * Other kinds are told by their features: vertex, edge, face, rim, side. A feature is accepted only
 * where point and normal agree about it, and the point is not at its border.
 */
#include <stddef.h>

#include "../shape/solid_internal.h"
#include "derivatives_internal.h"

/** Angles below this are zero: no contact's normal is known better than the root of its gap. */
static const double angle_tolerance = 1e-6;
/** Distances below this share of a body's size are zero. */
static const double place_tolerance = 1e-7;

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

/**
 * Does the point move faster than the covector, each weighted? So close to a corner that a point is
 * there but for rounding, no: at e = 2, where the sides are straight, nothing else would tell.
 */
static bool point_leads(const curve *c, double e, double point_weight, double normal_weight) {
    double point = fmax(fabs(c->du), fabs(c->dv)), normal = fmax(fabs(c->dgu), fabs(c->dgv));
    bool corner = e > 1.0 && fmin(c->u, fabs(c->v)) < 1e-9;
    return !corner && point_weight * point > normal_weight * normal;
}

/** -(c ln c + s ln s) of the two shares. */
static double share_entropy(const curve *c) {
    double s = fmin(c->u * c->gu, c->v * c->gv);
    return s > 0.0 ? -s * log(s) - (1.0 - s) * log1p(-s) : 0.0;
}

/* ---- smooth family */

/** A witness point of the family, taken apart; x and y are mirrored to be positive. */
typedef struct family_place {
    curve section, profile;
    double sx, sy;      // signs of x and y
    double f1, f2;      // taper factors
    double alpha, beta; // tx/f1, ty/f2
    double mu;          // alpha X gX + beta Y gY
    double per_slope;   // 1/|grad G|
    ov_vec3 gradient;   // of the gauge
} family_place;

static curve pick_section(const ov_shape *s, ov_vec2 at, ov_vec2 g, double w, double gw) {
    bool has_point = at.x > 0.0 || at.y > 0.0, has_normal = g.x > 0.0 || g.y > 0.0;
    if (!has_point && !has_normal) {
        // the pole: flat or sharp alike in all directions, any will do
        return curve_of_point(1.0, 1.0, s->e1);
    }
    curve c = has_point ? curve_of_point(at.x, at.y, s->e1) : curve_of_normal(g.x, g.y, s->e1);
    // at a sharp pole the point has no direction but rounding
    bool pole = s->e2 > 1.0 && w < 1e-9;
    if (!has_point || !has_normal || (!pole && point_leads(&c, s->e1, w, gw))) {
        return c;
    }
    return curve_of_normal(g.x, g.y, s->e1);
}

/** The gradient is that of ovi_family_gauge, in the terms of the two curves. */
static void set_gradient(const ov_shape *s, family_place *f) {
    const curve *sec = &f->section, *pro = &f->profile;
    f->gradient =
        ov_vec3_make(pro->gu * sec->gu / (s->a.x * f->f1), pro->gu * sec->gv / (s->a.y * f->f2),
                     (pro->gv - pro->gu * pro->u * f->mu) / s->a.z);
    f->per_slope = 1.0 / ov_vec3_length(f->gradient);
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

/** Is the place that was taken apart the witness point that was given, with its normal? */
static bool place_agrees(const ov_shape *s, const family_place *f, ov_vec3 p, ov_vec3 n,
                         double slack) {
    const curve *sec = &f->section, *pro = &f->profile;
    ov_vec3 point = {f->sx * s->a.x * f->f1 * pro->u * sec->u,
                     f->sy * s->a.y * f->f2 * pro->u * sec->v, s->a.z * pro->v};
    ov_vec3 normal = {f->sx * f->gradient.x, f->sy * f->gradient.y, f->gradient.z};
    normal = ov_vec3_scale(normal, f->per_slope);
    double off = ov_vec3_length(ov_vec3_sub(point, p));
    double turned = ov_vec3_length(ov_vec3_sub(normal, n));
    // a contact may be as rough as its tolerance allows; this is for contacts of other bodies
    const double far = 0.1;
    return off <= far * s->ball.radius + slack && turned <= far &&
           (s->dent == 0.0 || is_off_bridges(s, f, p, n, slack));
}

static bool take_apart(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, family_place *f) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    f->f1 = 1.0 + s->tx * zeta;
    f->f2 = 1.0 + s->ty * zeta;
    f->alpha = s->tx / f->f1;
    f->beta = s->ty / f->f2;
    // near a plane of symmetry rounding may put point and normal on different sides of it
    f->sx = copysign(1.0, p.x / s->a.x + n.x);
    f->sy = copysign(1.0, p.y / s->a.y + n.y);
    ov_vec2 at = {fabs(p.x) / (s->a.x * f->f1), fabs(p.y) / (s->a.y * f->f2)};
    ov_vec2 g = {s->a.x * f->f1 * fabs(n.x), s->a.y * f->f2 * fabs(n.y)};
    ovi_norm2_parts at_parts = ovi_norm2_split(at.x, at.y, ovi_primal1(s));
    ovi_norm2_parts g_parts = ovi_norm2_split(g.x, g.y, ovi_dual1(s));
    double width = ovi_norm2_gradient(at.x, at.y, &at_parts).value;
    double m = ovi_norm2_gradient(g.x, g.y, &g_parts).value;
    if (width == 0.0 && zeta == 0.0) {
        return false; // the centre
    }
    curve by_point = curve_of_point(width, zeta, s->e2);
    double gw = curve_of_normal(m, s->a.z * n.z, s->e2).gu;
    f->section = pick_section(s, at, g, by_point.u, gw);
    f->mu = f->alpha * f->section.u * f->section.gu + f->beta * f->section.v * f->section.gv;
    f->profile = by_point;
    if (!point_leads(&by_point, s->e2, 1.0, 1.0)) {
        f->profile = curve_of_normal(m, s->a.z * n.z + m * by_point.u * f->mu, s->e2);
    }
    set_gradient(s, f);
    return place_agrees(s, f, p, n, slack);
}

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

/**
 * Does the surface bend outwards along every tangent? The form point . normal, in units of the
 * body's size and of the larger of each pair, may be below zero by rounding only.
 */
static bool is_convex_here(const ov_shape *s, const ovi_roll *r) {
    double size = s->ball.radius, scale[2];
    for (int i = 0; i < 2; i++) {
        scale[i] = fmax(ov_vec3_length(r->point[i]) / size, ov_vec3_length(r->normal[i]));
    }
    double unit0 = 1.0 / (size * scale[0] * scale[0]), unit1 = 1.0 / (size * scale[1] * scale[1]);
    double mixed = ov_vec3_dot(r->point[0], r->normal[1]) / (size * scale[0] * scale[1]);
    double form0 = ov_vec3_dot(r->point[0], r->normal[0]) * unit0;
    double form1 = ov_vec3_dot(r->point[1], r->normal[1]) * unit1;
    const double rounding = 1e-9;
    return form0 >= -rounding && form1 >= -rounding && form0 * form1 - mixed * mixed >= -rounding;
}

static bool family_roll(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, ovi_roll *roll) {
    family_place f;
    if (!take_apart(s, p, n, slack, &f)) {
        return false;
    }
    // the curvature of such a pole depends on the direction from which it is reached
    if (s->e2 == 1.0 && s->e1 != 1.0 && f.profile.u <= place_tolerance) {
        return false;
    }
    roll_around(s, &f, roll);
    roll_along(s, &f, roll);
    const ov_vec3 mirror = {f.sx, f.sy, 1.0};
    for (int i = 0; i < 2; i++) {
        roll->point[i] = ov_vec3_mul(mirror, roll->point[i]);
        roll->normal[i] = ov_vec3_mul(mirror, roll->normal[i]);
    }
    return s->dent == 0.0 || is_convex_here(s, roll);
}

bool ovi_support_by_parameters(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack,
                               double by[OV_PARAMETERS]) {
    family_place f;
    if (!take_apart(s, p, n, slack, &f)) {
        return false;
    }
    double zeta = f.profile.v, across = n.x * p.x + n.y * p.y;
    by[OV_PARAMETER_A1] = n.x * (p.x / s->a.x);
    by[OV_PARAMETER_A2] = n.y * (p.y / s->a.y);
    by[OV_PARAMETER_A3] = n.z * zeta;
    by[OV_PARAMETER_E1] = -0.5 * across * share_entropy(&f.section);
    by[OV_PARAMETER_E2] = -0.5 * f.per_slope * share_entropy(&f.profile);
    by[OV_PARAMETER_TX] = n.x * p.x * zeta / f.f1;
    by[OV_PARAMETER_TY] = n.y * p.y * zeta / f.f2;
    return true;
}

/* ---- features of the other kinds */

/** Rates along two tangents: point rates as lengths, normal rates as angles. */
static void set_roll(ovi_roll *roll, ov_vec3 t, double point_t, double normal_t, ov_vec3 b,
                     double point_b, double normal_b) {
    roll->point[0] = ov_vec3_scale(t, point_t);
    roll->normal[0] = ov_vec3_scale(t, normal_t);
    roll->point[1] = ov_vec3_scale(b, point_b);
    roll->normal[1] = ov_vec3_scale(b, normal_b);
}

static void roll_vertex(ov_vec3 n, ovi_roll *roll) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_roll(roll, frame.cy, 0.0, 1.0, frame.cz, 0.0, 1.0);
}

static void roll_flat(ov_vec3 n, ovi_roll *roll) {
    ov_mat3 frame = ov_mat3_householder(n);
    set_roll(roll, frame.cy, 1.0, 0.0, frame.cz, 1.0, 0.0);
}

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
    *out = (carriers){.here = false};
    for (size_t i = 0; i < count; i++) {
        ov_vec3 d = ov_vec3_sub(v[i], p);
        int side = vertex_side(d, n, near);
        if (side == 2) {
            return false;
        }
        out->here = out->here || side == 0;
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

/**
 * The carriers, as angles from the tangent t about the point: is it inside of an edge (all along t,
 * on both sides) or of a face (no half-plane free of them)?
 */
static bool roll_edge_or_face(const ov_vec3 *v, size_t count, ov_vec3 p, ov_vec3 n, double near,
                              ov_vec3 t, ovi_roll *roll) {
    ov_vec3 b = ov_vec3_cross(n, t);
    double left = 0.0, right = 0.0; // largest angles to either side, short of pi
    bool behind = false;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 d = ov_vec3_sub(v[i], p);
        if (vertex_side(d, n, near) != 1) {
            continue;
        }
        double angle = atan2(ov_vec3_dot(b, d), ov_vec3_dot(t, d));
        if (OVI_PI - fabs(angle) <= angle_tolerance) {
            behind = true;
        } else if (angle > angle_tolerance) {
            left = fmax(left, angle);
        } else if (angle < -angle_tolerance) {
            right = fmax(right, -angle);
        }
    }
    if (left == 0.0 && right == 0.0) {
        set_roll(roll, t, 1.0, 0.0, b, 0.0, 1.0);
        return behind;
    }
    roll_flat(n, roll);
    return left > 0.0 && right > 0.0 && (behind || left + right > OVI_PI + angle_tolerance);
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
    ov_vec3 t = ov_vec3_add_scaled(c.farthest, n, -ov_vec3_dot(n, c.farthest));
    return roll_edge_or_face(v, count, p, n, near, ov_vec3_normalize(t), roll);
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
    if (!roll_vertices(ends, 2, ov_vec3_add_scaled(p, n, -s->a.x), n, near, roll)) {
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

bool ovi_shape_roll(const ov_shape *s, ov_vec3 p, ov_vec3 n, double slack, ovi_roll *roll) {
    if (ovi_is_family(s->kind)) {
        return family_roll(s, p, n, slack, roll);
    }
    double near = place_tolerance * s->ball.radius + slack;
    switch (s->kind) {
    case OV_SHAPE_HALFSPACE:
        roll_flat(n, roll);
        return true;
    case OV_SHAPE_POINT:
        roll_vertex(n, roll);
        return true;
    case OV_SHAPE_BOX:
        return roll_box(s, p, n, near, roll);
    case OV_SHAPE_CAPSULE:
        return roll_capsule(s, p, n, near, roll);
    case OV_SHAPE_CYLINDER:
        return roll_cylinder(s, p, n, near, roll);
    case OV_SHAPE_CONE:
        return roll_cone(s, p, n, near, roll);
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_solid_vertices(s, &vertices);
    return count > 0 && roll_vertices(vertices, count, p, n, near, roll);
}
