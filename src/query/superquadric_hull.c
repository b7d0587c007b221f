/**
 * @file superquadric_hull.c
 * @brief Contacts of bodies with a dent: the body is the convex hull of its surface.
 *
 * The bounds of a Newton iteration hold where the tangent planes at its end touch the hulls. A
 * tapered surface may have a shallow dent about its equator, which the hull spans by a *bridge*:
 * straight lines between two points of the surface that share a tangent plane. So of each end it is
 * asked:
 *
 *     1. Is the point of a dented body its maximum along the normal? Then the tangent plane there
 *        bounds the hull.
 *     2. If not, the contact may be on the bridge: another Newton iteration looks for it, or where
 *        both bodies meet with their bridges, one for the normal across both.
 *     3. Where only a bound is wanted, what the hull stands out by is taken off it.
 *
 * Along a direction a body with a dent about its equator has one maximum above and one below it, or
 * on one of the sides none but the equator (superquadric_support.c in src/shape, whose letters are
 * used here: heights zeta, widths w, the section's support M, phi = A_3 zeta + w M). Whether a
 * point is the maximum of both sides is answered by the cheapest of four:
 *
 *     1. a normal that leans well away from the equator
 *     2. chords of M show that the other side is below the equator, and the equator below the point
 *     3. both maxima, found by Newton's method in two lanes
 *     4. chords along the other side, from node to node, give a bound for it
 *
 * All are proofs, rounding included: that each side has one maximum is what the constructor has
 * shown (docs/theory/dent.md).
 */
#include <stddef.h>

#include "superquadric_newton.h"

/* ---- the maximum by a lean and by two chords */

static inline double tie_of(const ov_shape *s) { return OVI_HULL_TIE * s->ball.radius; }

/** The bodies of a pair with a point and a normal each, in their own frames, a lane for each. */
typedef struct both_points {
    ovi_form_2 form;
    ovi_dented_2 dented;
    ovi_triple_2 p, n;
} both_points;

/** One lane of it. */
OVI_INLINE void put_point(both_points *o, int lane, const ov_shape *s, ov_vec3 p, ov_vec3 n) {
    ovi_dent_kind dent = ovi_dent_kind_of(s);
    ovi_dent_cut cut = ovi_dent_cut_of(s);
    o->form.a1[lane] = s->a.x;
    o->form.a2[lane] = s->a.y;
    o->form.a3[lane] = s->a.z;
    o->form.tx[lane] = s->tx;
    o->form.ty[lane] = s->ty;
    o->dented.none[lane] = -(dent == OVI_DENT_KIND_NONE);
    o->dented.equator[lane] = -(dent == OVI_DENT_KIND_EQUATOR);
    o->dented.height[lane] = dent == OVI_DENT_KIND_EQUATOR ? cut.height : 0.5;
    o->dented.width[lane] = cut.width;
    o->dented.slope[lane] = cut.slope;
    o->dented.q1_minus_1[lane] = ovi_dual1(s).minus_1;
    o->dented.q1_inverse[lane] = ovi_dual1(s).inverse;
    o->dented.tie[lane] = tie_of(s);
    o->p.x[lane] = p.x;
    o->p.y[lane] = p.y;
    o->p.z[lane] = p.z;
    o->n.x[lane] = n.x;
    o->n.y[lane] = n.y;
    o->n.z[lane] = n.z;
}

/**
 * Are the points of an end the maxima of their profiles, so that the tangent planes touch the
 * hulls? By the lean of the normals, or else by the chords of the sections' supports.
 */
OVI_INLINE ovi_at_maximum are_maxima(const ov_shape *s[2], const ov_vec3 p[2], const ov_vec3 n[2]) {
    both_points o;
    put_point(&o, 0, s[0], p[0], n[0]);
    put_point(&o, 1, s[1], p[1], n[1]);
    ovi_i2 good = ovi_leans_well_2(&o.form, &o.dented, o.p, o.n);
    if (!(good[0] && good[1])) {
        ovi_v4 u = ovi_v4_abs((ovi_v4){n[0].x, n[1].x, n[0].x, n[1].x});
        ovi_v4 v = ovi_v4_abs((ovi_v4){n[0].y, n[1].y, n[0].y, n[1].y});
#define TWICE(x) __builtin_shufflevector(x, x, 0, 1, 0, 1)
        ovi_v4 a1 = u * TWICE(o.form.a1), a2 = v * TWICE(o.form.a2);
        ovi_v4 tx = TWICE(o.form.tx), ty = TWICE(o.form.ty);
        ovi_v4 q = TWICE(o.dented.q1_minus_1), inverse = TWICE(o.dented.q1_inverse);
#undef TWICE
        // at the equator and at h behind it, then at the pole behind it
        ovi_v2 behind = ovi_v2_select(o.p.z < 0.0, ovi_v2_of(1.0), ovi_v2_of(-1.0));
        ovi_v2 h = behind * o.dented.height;
        ovi_v4 near = {0.0, 0.0, h[0], h[1]}, far = {behind[0], behind[1], behind[0], behind[1]};
        ovi_v4 m = ovi_norms_4(a1 * (1.0 + tx * near), a2 * (1.0 + ty * near), q, inverse);
        ovi_v4 e = ovi_norms_4(a1 * (1.0 + tx * far), a2 * (1.0 + ty * far), q, inverse);
        good |= ovi_chords_fall_2(&o.form, &o.dented, (ovi_v2){m[0], m[1]}, (ovi_v2){m[2], m[3]},
                                  (ovi_v2){e[0], e[1]}, o.p, o.n);
    }
    return (ovi_at_maximum){good[0] != 0, good[1] != 0};
}

OVI_DISPATCH(static, ovi_at_maximum, maxima_of, are_maxima,
             (const ov_shape *s[2], const ov_vec3 p[2], const ov_vec3 n[2]), (s, p, n))

ovi_at_maximum ovi_hull_at_maximum(const ovi_pair *pair, const ovi_newton_end *e) {
    const ov_shape *s[2] = {pair->a, pair->b};
    if (s[0]->dent == 0.0 && s[1]->dent == 0.0) {
        return (ovi_at_maximum){true, true};
    }
    ov_vec3 p[2] = {e->point_a, ovi_to_b(pair, ov_vec3_sub(e->point_b, pair->offset))};
    ov_vec3 n[2] = {e->normal_a, ovi_to_b(pair, e->normal_b)};
    return maxima_of(s, p, n);
}

/* ---- the maxima of both sides */

enum { MAXIMUM_STEPS = 12 };
/** After a step that is shorter, the next place is as good as rounding allows. */
static const double last_step = 1e-6;
/** Square of the angle between normal and direction that the bound can do with. */
static const double last_twist = 1e-26;

/** Both sides of a dented body along one direction, a lane each. */
typedef struct sides {
    ovi_triple_2 place;
    ovi_surface_2 surface;
    bool converged;
} sides;

/**
 * Newton's method for the two places where the normal is along n, one on each side of the equator:
 * with T the tangents of n and m the covector, T.m = 0, two equations a lane.
 */
OVI_INLINE sides find_maxima_from(const ovi_newton *both, ovi_triple_2 u, ov_vec3 n) {
    ov_mat3 frame = ov_mat3_householder(n);
    sides o = {.place = u};
    double step = INFINITY;
    for (int i = 0; i < MAXIMUM_STEPS && !o.converged; i++) {
        ovi_v2 r = ovi_radius_2(&o.place);
        o.surface = ovi_surfaces_at(both, &o.place, r, false);
        ovi_triple_2 t = {ovi_v2_of(frame.cy.x), ovi_v2_of(frame.cy.y), ovi_v2_of(frame.cy.z)};
        ovi_triple_2 v = {ovi_v2_of(frame.cz.x), ovi_v2_of(frame.cz.y), ovi_v2_of(frame.cz.z)};
        ovi_v2 t1 = ovi_dot_2(t, o.surface.m1), t2 = ovi_dot_2(t, o.surface.m2);
        ovi_v2 v1 = ovi_dot_2(v, o.surface.m1), v2 = ovi_dot_2(v, o.surface.m2);
        ovi_v2 rt = ovi_dot_2(t, o.surface.m), rv = ovi_dot_2(v, o.surface.m);
        ovi_v2 off = (rt * rt + rv * rv) / ovi_dot_2(o.surface.m, o.surface.m);
        // a maximum next to the equator is narrower than the step
        o.converged = step <= last_step && off[0] <= last_twist && off[1] <= last_twist;
        ovi_v2 inverse = 1.0 / (t1 * v2 - t2 * v1);
        ovi_v2 d1 = ovi_limit_step_2((rv * t2 - rt * v2) * inverse);
        ovi_v2 d2 = ovi_limit_step_2((rt * v1 - rv * t1) * inverse);
        ovi_v2 square = d1 * d1 + d2 * d2;
        step = sqrt(square[0] > square[1] ? square[0] : square[1]);
        if (!o.converged) {
            o.place = ovi_moved_2(&o.place, r, d1, d2);
        }
    }
    return o;
}

/** Rounds of the search for a start. */
enum { START_ROUNDS = 4 };

/**
 * Places near the two maxima along n, or false where a side has none. The height of a maximum is
 * where the profile's slope r = (A3 + w M')/M, with M the section's support: repeated, that comes
 * down to the maximum from above, and away from a minimum.
 */
OVI_INLINE bool start_sides(const ov_shape *s, ov_vec3 n, ovi_triple_2 *place) {
    const ovi_v4 side = {1.0, -1.0, 1.0, -1.0};
    ovi_parametrisation section = {
        ovi_v4_of(ovi_dual1(s).minus_1), ovi_v4_of(-0.5 * s->e1), {0, 0, 0, 0}};
    ovi_parametrisation profile = {
        ovi_v4_of(ovi_dual2(s).minus_1), ovi_v4_of(-0.5 * s->e2), {0, 0, 0, 0}};
    double u = s->a.x * fabs(n.x), v = s->a.y * fabs(n.y);
    ovi_v4 w = ovi_v4_of(1.0), zeta = 0.5 * side;
    ovi_curve_4 at;
    for (int i = 0; i < START_ROUNDS; i++) {
        ovi_v4 x = u * (1.0 + s->tx * zeta), y = v * (1.0 + s->ty * zeta);
        at = ovi_curves_at_4(x, y, &section);
        ovi_v4 m = x * at.u + y * at.v, rise = u * s->tx * at.u + v * s->ty * at.v;
        ovi_v4 r = (s->a.z * n.z + w * rise) / m;
        if (!(r[0] > 1e-100 && r[1] < -1e-100)) {
            return false;
        }
        ovi_curve_4 up = ovi_curves_at_4(ovi_v4_of(1.0), r, &profile);
        w = up.u;
        zeta = up.v;
    }
    bool by_position = s->e1 <= 1.0;
    ovi_v4 cx = by_position ? at.u : at.gu, cy = by_position ? at.v : at.gv;
    cx = ovi_v4_copysign(cx, ovi_v4_of(n.x));
    cy = ovi_v4_copysign(cy, ovi_v4_of(n.y));
    ovi_v4 width = w / ovi_v4_sqrt(cx * cx + cy * cy),
           unit = 1.0 / ovi_v4_sqrt(w * w + zeta * zeta);
    cx *= width * unit;
    cy *= width * unit;
    zeta *= unit;
    *place = (ovi_triple_2){{cx[0], cx[1]}, {cy[0], cy[1]}, {zeta[0], zeta[1]}};
    return true;
}

OVI_DISPATCH(static, bool, start_of_sides, start_sides,
             (const ov_shape *s, ov_vec3 n, ovi_triple_2 *place), (s, n, place))

OVI_INLINE sides find_sides(const ovi_newton *both, const ov_shape *s, ov_vec3 n) {
    ovi_triple_2 u;
    return start_sides(s, n, &u) ? find_maxima_from(both, u, n) : (sides){.converged = false};
}

OVI_DISPATCH(static, sides, sides_along, find_sides,
             (const ovi_newton *both, const ov_shape *s, ov_vec3 n), (both, s, n))

/** Does the surface bend away from its tangent plane on all sides there? */
static bool is_convex_at(const ovi_surface_2 *s, int lane) {
    double p1x = s->p1x[lane], p1y = s->p1y[lane];
    ovi_triple_1 p2 = ovi_lane_of(s->p2, lane), m1 = ovi_lane_of(s->m1, lane);
    ovi_triple_1 m2 = ovi_lane_of(s->m2, lane);
    double a = p1x * m1.x + p1y * m1.y, b = p1x * m2.x + p1y * m2.y, c = ovi_dot_1(p2, m2);
    return a > 0.0 && c > 0.0 && a * c * (1.0 - 1e-9) > b * b;
}

/**
 * Is a point, in the frame of its body, the maximum of its half of the profile along its normal?
 * Where the tangent plane passes above the equator, it is: a minimum, or a straight stretch before
 * the profile rises again, is not above it.
 */
static bool is_side_maximum(const ov_shape *s, ov_vec3 point, ov_vec3 normal) {
    double u = s->a.x * normal.x, v = s->a.y * normal.y;
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_dual1(s));
    double equator = ovi_p_norm_gradient(u, v, &parts).value;
    return ov_vec3_dot(normal, point) >= equator + tie_of(s);
}

ovi_side_maxima ovi_hull_side_maxima(const ovi_newton *newton, const ovi_newton_end *end,
                                     int body) {
    const ov_shape *s = body == 0 ? newton->pair->a : newton->pair->b;
    ov_vec3 n = body == 0 ? end->normal_a : ovi_to_b(newton->pair, end->normal_b);
    ovi_side_maxima o = {.found = false};
    if (ovi_dent_kind_of(s) != OVI_DENT_KIND_EQUATOR) {
        return o;
    }
    ovi_newton both = ovi_newton_twin(newton, body);
    sides at = sides_along(&both, s, n);
    o.place = at.place;
    o.found = at.converged && at.place.z[0] > 0.0 && at.place.z[1] < 0.0;
    for (int i = 0; i < 2 && o.found; i++) {
        ov_vec3 m = ovi_vec_of(ovi_lane_of(at.surface.m, i)), normal = ov_vec3_normalize(m);
        o.point[i] = ovi_vec_of(ovi_lane_of(at.surface.p, i));
        double twist = ov_vec3_length(ov_vec3_sub(normal, n));
        o.value[i] = ov_vec3_dot(n, o.point[i]) + 2.0 * s->ball.radius * twist;
        o.found = is_convex_at(&at.surface, i);
    }
    return o;
}

bool ovi_hull_holds(const ovi_newton *newton, const ovi_newton_end *end, int body, ov_vec3 point,
                    double inside) {
    const ov_shape *s = body == 0 ? newton->pair->a : newton->pair->b;
    ovi_side_maxima c = ovi_hull_side_maxima(newton, end, body);
    if (!c.found) {
        return false;
    }
    // the bridge moved so that the point is on it: its ends are what is asked of
    ov_vec3 along = ov_vec3_sub(c.point[1], c.point[0]), from = ov_vec3_sub(point, c.point[0]);
    double t = ov_vec3_dot(from, along) / ov_vec3_dot(along, along);
    ov_vec3 below = ov_vec3_add_scaled(from, along, -fmax(0.0, fmin(1.0, t)));
    return ovi_family_gauge_value(s, ov_vec3_add(c.point[0], below)) < inside &&
           ovi_family_gauge_value(s, ov_vec3_add(c.point[1], below)) < inside;
}

/* ---- a bound for one side */

enum { NODES = 8 };

/** What is known at a node: a height, the profile there, and the section's support. */
typedef struct node {
    ovi_v4 w, zeta, r, m; // zeta counts from the equator outwards
} node;

/**
 * Bound of phi between two nodes. Its chord, psi = A zeta + w L with L the chord of M, is above it,
 * and concave, so it is below its tangents at both nodes. NaN where L falls so fast that psi might
 * not be concave.
 */
OVI_INLINE ovi_v4 bound_between(ovi_v4 a3, const node *near, const node *far) {
    ovi_v4 width = far->zeta - near->zeta, chord = (far->m - near->m) / width;
    ovi_v4 value = a3 * near->zeta + near->w * near->m, end = a3 * far->zeta + far->w * far->m;
    ovi_v4 up = a3 - near->r * near->m + near->w * chord;
    ovi_v4 down = a3 - far->r * far->m + far->w * chord;
    ovi_v4 meet = value + up * ((end - value - down * width) / (up - down));
    ovi_v4 bound = ovi_v4_select(down >= 0.0, end, meet);
    bound = ovi_v4_select(up <= 0.0, value, bound);
    // nodes that round to one height, next to the pole of a small exponent
    bound = ovi_v4_select(width > 0.0, bound, value);
    ovi_i4 bends = chord < -0.7 * (near->m - chord * near->zeta);
    return ovi_v4_select(bends, ovi_v4_of(NAN), bound);
}

OVI_INLINE double chord_bound_on(const ov_shape *s, ov_vec3 n, double side) {
    ovi_parametrisation profile = {
        ovi_v4_of(ovi_primal2(s).minus_1), ovi_v4_of(0.5 * s->e2 - 1.0), {-1, -1, -1, -1}};
    ovi_v4 u = ovi_v4_of(s->a.x * fabs(n.x)), v = ovi_v4_of(s->a.y * fabs(n.y));
    ovi_v4 q = ovi_v4_of(ovi_dual1(s).minus_1), inverse = ovi_v4_of(1.0 - 0.5 * s->e1);
    double tx = side * s->tx, ty = side * s->ty, a3 = side * s->a.z * n.z;
    ovi_v4 first = ovi_norms_4(u, v, q, inverse);
    node last = {ovi_v4_of(1.0), ovi_v4_of(0.0), ovi_v4_of(0.0), first};
    double bound = -INFINITY;
    for (int i = 0; i < NODES; i += 4) {
        // rays (1 - t, t): even steps for every exponent, from the equator to the pole
        ovi_v4 t = (i + (ovi_v4){1.0, 2.0, 3.0, 4.0}) * (1.0 / NODES);
        ovi_curve_4 k = ovi_curves_at_4(1.0 - t, t, &profile);
        node at = {k.u, k.v, k.gv / k.gu,
                   ovi_norms_4(u * (1.0 + tx * k.v), v * (1.0 + ty * k.v), q, inverse)};
        node before;
#define SHIFT(x) before.x = __builtin_shufflevector(last.x, at.x, 3, 4, 5, 6)
        SHIFT(w);
        SHIFT(zeta);
        SHIFT(r);
        SHIFT(m);
#undef SHIFT
        ovi_v4 b = bound_between(ovi_v4_of(a3), &before, &at);
        for (int lane = 0; lane < 4; lane++) {
            bound = bound > b[lane] ? bound : b[lane];
            bound = isnan(b[lane]) ? INFINITY : bound;
        }
        last = at;
    }
    return bound + 1e-14 * (fabs(a3) + first[0]);
}

OVI_DISPATCH(static, double, chord_bound, chord_bound_on,
             (const ov_shape *s, ov_vec3 n, double side), (s, n, side))

double ovi_hull_side_bound(const ov_shape *s, ov_vec3 normal, double side) {
    return ovi_dent_kind_of(s) == OVI_DENT_KIND_EQUATOR ? chord_bound(s, normal, side) : INFINITY;
}

/* ---- the bridge

   Where the other body meets a bridge, the iteration on the bare surface ends at a point whose
   tangent plane cuts the hull. The contact then has three surface points, p1 and p2 above and below
   the dent and p3 on the other body, and a place t between the first two. Newton's method on seven
   equations, which come down to three, with n the normals, T the tangents of n1,
   P = p3 - (1-t) p1 - t p2:

       T.n2 = 0, n1.(p2 - p1) = 0     a common tangent plane
       T.n3 = 0, T.P = 0              the contact conditions

   The bounds are those of the iteration on two surfaces. The plane of n1 bounds the hull up to what
   p2 is above it, since a profile with a dent about the equator has one maximum on each side. */

enum { BRIDGE_STEPS = 16 };
/** Normals that are opposed as well as that are those of the end, and the point on the bridge moves
 *  by less than its length times the other number. */
static const double bridge_opposed = 1e-4, bridge_overshoot = 0.02;

/* ---- small matrices */

typedef struct pair2 {
    double x, y;
} pair2;

typedef struct mat2 {
    double xx, xy, yx, yy;
} mat2;

OVI_INLINE pair2 apply(mat2 m, pair2 v) {
    return (pair2){m.xx * v.x + m.xy * v.y, m.yx * v.x + m.yy * v.y};
}
OVI_INLINE pair2 apply_transposed(mat2 m, pair2 v) {
    return (pair2){m.xx * v.x + m.yx * v.y, m.xy * v.x + m.yy * v.y};
}
OVI_INLINE mat2 product(mat2 a, mat2 b) {
    return (mat2){a.xx * b.xx + a.xy * b.yx, a.xx * b.xy + a.xy * b.yy, a.yx * b.xx + a.yy * b.yx,
                  a.yx * b.xy + a.yy * b.yy};
}
OVI_INLINE double determinant(mat2 m) { return m.xx * m.yy - m.xy * m.yx; }
OVI_INLINE mat2 adjugate(mat2 m) { return (mat2){m.yy, -m.xy, -m.yx, m.xx}; }
OVI_INLINE mat2 inverse_of(mat2 m) {
    double k = 1.0 / determinant(m);
    return (mat2){k * m.yy, -k * m.xy, -k * m.yx, k * m.xx};
}
OVI_INLINE double dot2(pair2 a, pair2 b) { return a.x * b.x + a.y * b.y; }

/** Three surface points: two of the dented body, one of the other. */
typedef struct trio {
    ovi_patch s1, s2, s3;
    double t;
    ovi_triple_1 p; // from the bridge to the other body
    double phi, distance;
} trio;

OVI_INLINE ovi_triple_1 between(ovi_triple_1 a, ovi_triple_1 b, double t) {
    return (ovi_triple_1){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

OVI_INLINE void set_gap(trio *o) {
    o->p = ovi_minus_1(o->s3.p, between(o->s1.p, o->s2.p, o->t));
    o->phi = ovi_dot_1(o->s1.n, o->p);
    o->distance = sqrt(ovi_dot_1(o->p, o->p));
}

/** Rate of T.n for one of the patch's two parameters, the part along n taken off. */
OVI_INLINE double tilt(ovi_triple_1 t, const ovi_patch *s, ovi_triple_1 dn) {
    return ovi_dot_1(t, dn) - ovi_dot_1(t, s->n) * ovi_dot_1(s->n, dn);
}

/** A surface point as the two tangents see it. */
typedef struct seen {
    mat2 turn;  // parameters that turn the normal by a vector of the tangents
    mat2 slide; // how far the point then moves: the radii of curvature
    pair2 off;  // the normal itself
} seen;

OVI_INLINE seen see(const ovi_patch *s, const ovi_triple_1 e[2]) {
    mat2 n = {tilt(e[0], s, s->n1), tilt(e[0], s, s->n2), tilt(e[1], s, s->n1),
              tilt(e[1], s, s->n2)};
    mat2 p = {ovi_dot_1(e[0], s->p1), ovi_dot_1(e[0], s->p2), ovi_dot_1(e[1], s->p1),
              ovi_dot_1(e[1], s->p2)};
    mat2 turn = inverse_of(n);
    return (seen){turn, product(p, turn), {ovi_dot_1(e[0], s->n), ovi_dot_1(e[1], s->n)}};
}

/** Moves of the parameters of the three points, and of t. */
typedef struct moves {
    pair2 x1, x2, x3;
    double dt;
} moves;

/**
 * The step. The unknowns of the three points follow from dn, the turn of the common normal: with
 * R = dp/dn the radii of curvature, o the normals' parts along T, K = (1-t) R1 + t R2 + R3 + phi,
 *
 *     K dn + T.(p2 - p1) dt = T.P + t R2 o2 - R3 o3       P is normal
 *     v.dn = -n1.(p2 - p1) + w.o2                         a common tangent plane
 *
 * where v and w are what the plane's equation has for p1 and p2.
 */
OVI_INLINE moves step_of(const trio *o) {
    ov_mat3 frame = ov_mat3_householder(ovi_vec_of(o->s1.n));
    const ovi_triple_1 e[2] = {{frame.cy.x, frame.cy.y, frame.cy.z},
                               {frame.cz.x, frame.cz.y, frame.cz.z}};
    seen a = see(&o->s1, e), b = see(&o->s2, e), c = see(&o->s3, e);
    ovi_triple_1 along = ovi_minus_1(o->s2.p, o->s1.p), n = o->s1.n;
    double t = o->t, s = 1.0 - t;
    mat2 k = {s * a.slide.xx + t * b.slide.xx + c.slide.xx + o->phi,
              s * a.slide.xy + t * b.slide.xy + c.slide.xy,
              s * a.slide.yx + t * b.slide.yx + c.slide.yx,
              s * a.slide.yy + t * b.slide.yy + c.slide.yy + o->phi};
    pair2 aim = {ovi_dot_1(e[0], along), ovi_dot_1(e[1], along)};
    pair2 by2 = apply(b.slide, b.off), by3 = apply(c.slide, c.off);
    pair2 right = {ovi_dot_1(e[0], o->p) + t * by2.x - by3.x,
                   ovi_dot_1(e[1], o->p) + t * by2.y - by3.y};
    pair2 l1 = {tilt(along, &o->s1, o->s1.n1), tilt(along, &o->s1, o->s1.n2)};
    pair2 l2 = {ovi_dot_1(n, o->s2.p1), ovi_dot_1(n, o->s2.p2)};
    pair2 v = apply_transposed(a.turn, l1), w = apply_transposed(b.turn, l2);
    v.x += w.x;
    v.y += w.y;
    double level = dot2(w, b.off) - ovi_dot_1(n, along), det = determinant(k);
    mat2 adj = adjugate(k);
    moves m;
    m.dt = (dot2(v, apply(adj, right)) - level * det) / dot2(v, apply(adj, aim));
    pair2 dn = apply(adj, (pair2){right.x - m.dt * aim.x, right.y - m.dt * aim.y});
    dn.x /= det;
    dn.y /= det;
    m.x1 = apply(a.turn, dn);
    m.x2 = apply(b.turn, (pair2){dn.x - b.off.x, dn.y - b.off.y});
    m.x3 = apply(c.turn, (pair2){-dn.x - c.off.x, -dn.y - c.off.y});
    return m;
}

/** How far the three points are from being a certified contact. */
typedef struct defect {
    double opposed, lower, lateral2;
    double uneven; // how far the tangent planes of p1 and p2 are from being one
} defect;

OVI_INLINE defect measure(const trio *o, double diameter, double other) {
    ovi_triple_1 sum = {o->s1.n.x + o->s3.n.x, o->s1.n.y + o->s3.n.y, o->s1.n.z + o->s3.n.z};
    ovi_triple_1 twist = ovi_minus_1(o->s1.n, o->s2.n);
    double rise = ovi_dot_1(o->s1.n, ovi_minus_1(o->s2.p, o->s1.p));
    double turned = diameter * sqrt(ovi_dot_1(twist, twist)), above = rise + turned;
    double opposed = sqrt(ovi_dot_1(sum, sum));
    double height = ovi_dot_1(o->s1.n, ovi_minus_1(o->s3.p, o->s1.p));
    double lateral2 = o->distance * o->distance - o->phi * o->phi;
    return (defect){opposed, height - fmax(0.0, above) - opposed * other, lateral2,
                    fabs(rise) + turned};
}

/** The end, with the bridge's point in place of a surface point. */
static void write_bridge(const trio *o, int body, ovi_newton_end *end) {
    ov_vec3 bridge = ovi_vec_of(between(o->s1.p, o->s2.p, o->t)), other = ovi_vec_of(o->s3.p);
    end->point_a = body == 0 ? bridge : other;
    end->point_b = body == 0 ? other : bridge;
    ov_vec3 n = ovi_vec_of(o->s1.n); // the lower bound is along it, so it stands for both
    end->normal_a = body == 0 ? n : ov_vec3_neg(n);
    end->normal_b = body == 0 ? ov_vec3_neg(n) : n;
    end->phi = o->phi;
    end->upper = o->distance;
}

/** Do the two points bound the hull: one on each side of the dent, each the maximum of its side? */
static bool spans_dent(const ovi_pair *p, const trio *o, int body) {
    ov_vec3 p1 = ovi_vec_of(o->s1.p), p2 = ovi_vec_of(o->s2.p), n1 = ovi_vec_of(o->s1.n),
            n2 = ovi_vec_of(o->s2.n);
    const ov_shape *s = body == 0 ? p->a : p->b;
    if (body == 1) {
        p1 = ovi_to_b(p, ov_vec3_sub(p1, p->offset));
        p2 = ovi_to_b(p, ov_vec3_sub(p2, p->offset));
        n1 = ovi_to_b(p, n1);
        n2 = ovi_to_b(p, n2);
    }
    return p1.z * p2.z < 0.0 && is_side_maximum(s, p1, n1) && is_side_maximum(s, p2, n2);
}

OVI_INLINE void evaluate(const ovi_newton *dented, const ovi_newton *other, const ovi_triple_2 *ud,
                         const ovi_triple_2 *uo, ovi_v2 rd, ovi_v2 ro, trio *o) {
    ovi_surface_2 pair = ovi_surfaces_at(dented, ud, rd, false);
    ovi_surface_2 single = ovi_surfaces_at(other, uo, ro, false);
    o->s1 = ovi_patch_of(dented, &pair, 0);
    o->s2 = ovi_patch_of(dented, &pair, 1);
    o->s3 = ovi_patch_of(other, &single, 0);
    set_gap(o);
}

/** Where on the bridge the other body's point is nearest. */
OVI_INLINE double opposite(const trio *o) {
    ovi_triple_1 along = ovi_minus_1(o->s2.p, o->s1.p), to = ovi_minus_1(o->s3.p, o->s1.p);
    double t = ovi_dot_1(to, along) / ovi_dot_1(along, along);
    return t > 0.0 ? t < 1.0 ? t : 1.0 : 0.0;
}

/** How much of a step may be made: p1 and p2 change their height by half of it at most. NaN where
 *  the step is none. */
OVI_INLINE double part_of_step(ovi_v2 rise, double dt) {
    double most = 0.5, up = fabs(rise[0]) + fabs(rise[1]) + fabs(dt);
    return up <= most ? 1.0 : most / up; // NaN where it is
}

OVI_INLINE ovi_newton_end bridge_on(const ovi_newton *newton, const ovi_newton_end *from, int body,
                                    const ovi_triple_2 *ends) {
    const ovi_pair *pair = newton->pair;
    const ovi_triple_2 *place = &from->place;
    ovi_newton dented = ovi_newton_twin(newton, body), other = ovi_newton_twin(newton, 1 - body);
    const ov_shape *shape = body == 0 ? pair->a : pair->b, *rest = body == 0 ? pair->b : pair->a;
    double diameter = 2.0 * shape->ball.radius, goal = newton->goals.gap;
    // where the other body is much larger, its goal would leave the bridge's point off the hull
    double even = pair->goal * newton->inverse_size * shape->ball.radius;
    ovi_triple_2 ud = *ends;
    ovi_triple_2 uo = {{place->x[1 - body], place->x[1 - body]},
                       {place->y[1 - body], place->y[1 - body]},
                       {place->z[1 - body], place->z[1 - body]}};
    ovi_newton_end end = {.verdict = OVI_NEWTON_FAILED, .least = true, .place = *place};
    trio o = {.t = 0.5};
    for (int i = 1; i <= BRIDGE_STEPS; i++) {
        ovi_v2 rd = ovi_radius_2(&ud);
        ovi_v2 ro = ovi_radius_2(&uo);
        evaluate(&dented, &other, &ud, &uo, rd, ro, &o);
        if (i == 1) {
            o.t = opposite(&o);
            set_gap(&o);
        }
        defect d = measure(&o, diameter, 2.0 * rest->ball.radius);
        end.iterations = i;
        bool opposed =
            d.opposed <= newton->goals.normal && o.t >= 0.0 && o.t <= 1.0 && d.uneven <= even;
        bool converged = opposed && o.distance - d.lower <= goal;
        bool deep = opposed && o.phi < -0.5 * goal && o.phi - d.lower <= goal &&
                    d.lateral2 <= newton->goals.lateral;
        if ((converged || deep) && spans_dent(pair, &o, body)) {
            end.verdict = converged ? OVI_NEWTON_CONVERGED : OVI_NEWTON_DEEP;
            end.lower = d.lower;
            write_bridge(&o, body, &end);
            break;
        }
        if (d.opposed <= bridge_opposed && fabs(o.t - 0.5) > 0.5 + bridge_overshoot) {
            break; // on its way to a contact beside the bridge
        }
        moves m = step_of(&o);
        ovi_v2 d1 = {m.x1.x, m.x2.x}, d2 = {m.x1.y, m.x2.y};
        double part = part_of_step(d2 * rd / ud.z, m.dt);
        if (!(part > 0.0)) {
            break; // a flat point, or a bridge of no length
        }
        ovi_v2 e1 = ovi_v2_of(part * m.x3.x), e2 = ovi_v2_of(part * m.x3.y);
        ud = ovi_moved_2(&ud, rd, ovi_limit_step_2(part * d1), ovi_limit_step_2(part * d2));
        uo = ovi_moved_2(&uo, ro, ovi_limit_step_2(e1), ovi_limit_step_2(e2));
        o.t += part * m.dt;
    }
    return end;
}

/**
 * Contact on the bridge over the dent of a body (0: A, 1: B), from where an iteration on the bare
 * surface ended. `ends` are the places of the bridge's ends, roughly.
 */
OVI_DISPATCH(static, ovi_newton_end, bridge_from, bridge_on,
             (const ovi_newton *newton, const ovi_newton_end *from, int body,
              const ovi_triple_2 *ends),
             (newton, from, body, ends))

/* ---- proofs */

/** A point of an end with its normal, in the frame of its body (0: A, 1: B). */
typedef struct body_point {
    const ov_shape *shape;
    ov_vec3 point, normal;
} body_point;

static body_point body_point_of(const ovi_pair *p, const ovi_newton_end *e, int body) {
    if (body == 0) {
        return (body_point){p->a, e->point_a, e->normal_a};
    }
    return (body_point){p->b, ovi_to_b(p, ov_vec3_sub(e->point_b, p->offset)),
                        ovi_to_b(p, e->normal_b)};
}

/** An excess that may be taken off the bound. */
static double little_of(const ovi_pair *p) { return 0.125 * p->goal; }

/** How far the hull of a body stands out over the tangent plane at a point, at most. */
static double excess_over(const ovi_pair *p, const body_point *f, const ovi_side_maxima *c) {
    double value = ov_vec3_dot(f->normal, f->point);
    if (c->found) {
        return fmax(0.0, fmax(c->value[0], c->value[1]) - value);
    }
    // the other side by its bound, where the point is the maximum of its own
    double bound = ovi_hull_side_bound(f->shape, f->normal, -copysign(1.0, f->point.z));
    if (bound - value <= little_of(p) && is_side_maximum(f->shape, f->point, f->normal)) {
        return fmax(0.0, bound - value);
    }
    return fmax(0.0, ovi_family_support(f->shape, f->normal).value - value);
}

static double excess(const ovi_newton *newton, const ovi_newton_end *end, int body) {
    body_point f = body_point_of(newton->pair, end, body);
    ovi_side_maxima c = ovi_hull_side_maxima(newton, end, body);
    return excess_over(newton->pair, &f, &c);
}

/** The contact on the bridge of a body between two places, with its proof. */
static bool find_on_bridge(const ovi_newton *newton, int body, const ovi_triple_2 *ends,
                           ovi_newton_end *end) {
    const ovi_pair *p = newton->pair;
    ovi_newton_end bridge = bridge_from(newton, end, body, ends);
    if (bridge.verdict == OVI_NEWTON_FAILED) {
        return false;
    }
    ovi_at_maximum at = ovi_hull_at_maximum(p, &bridge);
    bool other_at_maximum = body == 0 ? at.b : at.a;
    double other = other_at_maximum ? 0.0 : excess(newton, &bridge, 1 - body);
    if (other > little_of(p)) {
        return false;
    }
    bridge.lower -= other;
    bridge.iterations += end->iterations;
    *end = bridge;
    return true;
}

/** Rounds of the search for a contact between two bridges; three are usual. */
enum { CROSSING_ROUNDS = 8 };

/** Two bridges, one of each body, and the points of them that are nearest to each other. */
typedef struct crossing {
    ov_vec3 from_a, from_b, along_a, along_b; // in A's frame
    double s, t;                              // where the nearest points are, from 0 to 1
    double lower;                             // of the gap, by the supports along the normal
} crossing;

/** The bridges along a normal; false where one of the bodies has none. */
static bool cross_bridges(const ovi_newton *newton, ov_vec3 n, crossing *o) {
    const ovi_pair *p = newton->pair;
    const ovi_newton_end along = {.normal_a = n, .normal_b = ov_vec3_neg(n)};
    ovi_side_maxima a = ovi_hull_side_maxima(newton, &along, 0);
    if (!a.found) {
        return false;
    }
    ovi_side_maxima b = ovi_hull_side_maxima(newton, &along, 1);
    if (!b.found) {
        return false;
    }
    o->from_a = a.point[0];
    o->from_b = ovi_from_b(p, b.point[0]);
    o->along_a = ov_vec3_sub(a.point[1], a.point[0]);
    o->along_b = ovi_turn_from_b(p, ov_vec3_sub(b.point[1], b.point[0]));
    o->lower =
        ov_vec3_dot(n, p->offset) - fmax(a.value[0], a.value[1]) - fmax(b.value[0], b.value[1]);
    ov_vec3 d = ov_vec3_sub(o->from_b, o->from_a);
    double aa = ov_vec3_dot(o->along_a, o->along_a), bb = ov_vec3_dot(o->along_b, o->along_b);
    double ab = ov_vec3_dot(o->along_a, o->along_b), inverse = 1.0 / (aa * bb - ab * ab);
    double ad = ov_vec3_dot(o->along_a, d), bd = ov_vec3_dot(o->along_b, d);
    o->s = (ad * bb - bd * ab) * inverse;
    o->t = (ad * ab - bd * aa) * inverse;
    return true;
}

/**
 * The contact of two bridges, with its proof. Along its normal each body has two maxima that are
 * level, so the normal is across both bridges. Repeating that is Newton's method: the support of a
 * side has its point as the gradient.
 */
static bool find_between_bridges(const ovi_newton *newton, ovi_newton_end *end) {
    const double goal = newton->goals.gap;
    ov_vec3 n = ovi_newton_normal(newton, end);
    for (int i = 1; i <= CROSSING_ROUNDS && ovi_is_direction(n); i++) {
        crossing o;
        if (!cross_bridges(newton, n, &o)) {
            return false;
        }
        ov_vec3 a = ov_vec3_add_scaled(o.from_a, o.along_a, o.s);
        ov_vec3 b = ov_vec3_add_scaled(o.from_b, o.along_b, o.t), d = ov_vec3_sub(b, a);
        double phi = ov_vec3_dot(n, d), distance = ov_vec3_length(d);
        bool between = o.s >= 0.0 && o.s <= 1.0 && o.t >= 0.0 && o.t <= 1.0;
        bool converged = between && distance - o.lower <= goal;
        bool deep = between && phi < -0.5 * goal && phi - o.lower <= goal &&
                    distance * distance - phi * phi <= newton->goals.lateral;
        if (converged || deep) {
            *end = (ovi_newton_end){.verdict = converged ? OVI_NEWTON_CONVERGED : OVI_NEWTON_DEEP,
                                    .iterations = end->iterations + i,
                                    .lower = o.lower,
                                    .upper = distance,
                                    .phi = phi,
                                    .least = true,
                                    .point_a = a,
                                    .point_b = b,
                                    .normal_a = n,
                                    .normal_b = ov_vec3_neg(n),
                                    .place = end->place};
            return true;
        }
        ov_vec3 across = ov_vec3_normalize(ov_vec3_cross(o.along_a, o.along_b));
        n = ov_vec3_dot(across, n) < 0.0 ? ov_vec3_neg(across) : across;
    }
    return false;
}

/** The contact, after an iteration that ended early at a limit that the hulls do not keep to. */
static void prove_without_limit(const ovi_newton *newton, ovi_newton_end *end) {
    ovi_pair open = *newton->pair;
    ovi_newton on = *newton;
    open.limit = NAN;
    on.pair = &open;
    int iterations = end->iterations;
    *end = ovi_newton_run(&on, &end->place);
    end->iterations += iterations;
    if (end->verdict != OVI_NEWTON_FAILED) {
        ovi_hull_prove(&on, end);
    }
}

void ovi_hull_prove(const ovi_newton *newton, ovi_newton_end *end) {
    const ovi_pair *p = newton->pair;
    bool decided = end->verdict == OVI_NEWTON_DECIDED;
    if (decided && end->upper + p->rounding <= p->limit) {
        end->lower = -INFINITY; // two points are a proof, whatever the hulls are
        return;
    }
    ovi_at_maximum at = ovi_hull_at_maximum(p, end);
    double off = 0.0;
    for (int body = 0; body < 2; body++) {
        if (body == 0 ? at.a : at.b) {
            continue;
        }
        body_point f = body_point_of(p, end, body);
        ovi_triple_2 ends;
        // a point with a maximum on either side is seldom one of the hull
        if (!decided && ovi_dent_kind_of(f.shape) == OVI_DENT_KIND_EQUATOR &&
            start_of_sides(f.shape, f.normal, &ends) && find_on_bridge(newton, body, &ends, end)) {
            return;
        }
        ovi_side_maxima c = ovi_hull_side_maxima(newton, end, body);
        double above = excess_over(p, &f, &c);
        if (above > little_of(p) && !decided) {
            if (c.found && (find_on_bridge(newton, body, &c.place, end) ||
                            find_between_bridges(newton, end))) {
                return;
            }
            end->verdict = OVI_NEWTON_FAILED; // not a contact of the hulls
        }
        off += above;
    }
    end->lower -= off;
    if (decided && end->lower - p->rounding <= p->limit) {
        prove_without_limit(newton, end);
    }
}

bool ovi_hull_bridge_near(const ovi_newton *newton, const ovi_result *near, int body,
                          ovi_newton_end *end) {
    const ovi_pair *p = newton->pair;
    ovi_newton plain = *newton;
    *end = (ovi_newton_end){.point_a = near->point_a,
                            .point_b = near->point_b,
                            .normal_a = near->normal,
                            .normal_b = ov_vec3_neg(near->normal)};
    if (!ovi_newton_applies(p->a, p->b)) {
        return false;
    }
    end->place = ovi_newton_places_near(&plain, near);
    ovi_side_maxima c = ovi_hull_side_maxima(&plain, end, body);
    return c.found && find_on_bridge(&plain, body, &c.place, end);
}
