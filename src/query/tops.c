/**
 * @file tops.c
 * @brief Is a point of a dented body the top of the body along its normal?
 *
 * Along a direction a body with a dent about its equator has one maximum above and one below it, or
 * on one of the sides none but the equator (support_tapered.c, whose letters are used here: heights
 * zeta, widths w, the section's support M, phi = A_3 zeta + w M). Three answers, the cheapest
 * first:
 *
 *     1. chords of M show that the other side is below the equator, and the equator below the point
 *     2. both maxima, found by Newton's method in two lanes
 *     3. a fence of chords along the other side gives a bound for it
 *
 * All are proofs, rounding included: that each side has one maximum is what dent.c has shown.
 */
#include <stddef.h>

#include "walk_step.h"

/* ---- by two chords */

/** Norms of four pairs of positive numbers. */
OVI_INLINE ovi_v4 norms_of(ovi_v4 u, ovi_v4 v, ovi_v4 minus_1, ovi_v4 inverse) {
    ovi_i4 swapped = v > u;
    ovi_v4 big = ovi_v4_select(swapped, v, u), small = ovi_v4_select(swapped, u, v);
    ovi_v4 ratio = small / big;
    ratio = ovi_v4_select(ratio > 1e-200, ratio, ovi_v4_of(1e-200));
    ovi_v4 y = minus_1 * ovi_v4_log2(ratio);
    ovi_v4 t1 = 1.0 + ratio * ovi_v4_exp2(ovi_v4_select(y > -1000.0, y, ovi_v4_of(-1000.0)));
    return big * ovi_v4_exp2(inverse * ovi_v4_log2(t1));
}

/**
 * Are the points of a walk's end the tops of their profiles, so that the tangent planes touch the
 * hulls? The test of support_tapered.c for a dent about the equator, here for two bodies at once:
 * with M(zeta) the section's support, and the half behind the equator as seen from the point, the
 * chords of M over [-h, 0] and [-1, -h] show that the half is no higher than the equator; and the
 * point is the top of its own half if it is no lower than that. True is a proof, false is none.
 */
OVI_INLINE ovi_tops are_tops(const ov_shape *s[2], const ov_vec3 p[2], const ov_vec3 n[2]) {
    double side[2], h[2], u[2], v[2];
    for (int i = 0; i < 2; i++) {
        side[i] = copysign(1.0, p[i].z);
        h[i] = ovi_dent_kind_of(s[i]) == OVI_DENT_KIND_EQUATOR ? ovi_dent_cut_of(s[i]).height : 0.5;
        u[i] = s[i]->a.x * fabs(n[i].x);
        v[i] = s[i]->a.y * fabs(n[i].y);
    }
    ovi_v4 a1 = {u[0], u[1], u[0], u[1]}, a2 = {v[0], v[1], v[0], v[1]};
    ovi_v4 tx = {s[0]->tx, s[1]->tx, s[0]->tx, s[1]->tx};
    ovi_v4 ty = {s[0]->ty, s[1]->ty, s[0]->ty, s[1]->ty};
    double q0 = ovi_dual1(s[0]).minus_1, q1 = ovi_dual1(s[1]).minus_1;
    double i0 = 1.0 - 0.5 * s[0]->e1, i1 = 1.0 - 0.5 * s[1]->e1;
    ovi_v4 minus_1 = {q0, q1, q0, q1}, inverse = {i0, i1, i0, i1};
    ovi_v4 near = {0.0, 0.0, -side[0] * h[0], -side[1] * h[1]};
    ovi_v4 far = {-side[0], -side[1], -side[0], -side[1]};
    ovi_v4 m = norms_of(a1 * (1.0 + tx * near), a2 * (1.0 + ty * near), minus_1, inverse);
    ovi_v4 e = norms_of(a1 * (1.0 + tx * far), a2 * (1.0 + ty * far), minus_1, inverse);
    bool good[2];
    for (int i = 0; i < 2; i++) {
        ovi_dent_kind dent = ovi_dent_kind_of(s[i]);
        ovi_dent_cut cut = ovi_dent_cut_of(s[i]);
        double m0 = m[i], mh = m[2 + i], a3 = side[i] * s[i]->a.z * n[i].z;
        double margin = 1e-14 * (fabs(a3) + m0 + mh + e[i]);
        double at_equator = a3 * h[i] + (m0 - mh);
        double at_h = a3 + cut.slope * mh + cut.width * (mh - e[i]) / (1.0 - h[i]);
        bool top = at_equator >= margin && at_h >= margin && ov_vec3_dot(n[i], p[i]) >= m0 - margin;
        good[i] = dent == OVI_DENT_KIND_NONE || (dent == OVI_DENT_KIND_EQUATOR && top);
    }
    return (ovi_tops){good[0], good[1]};
}

OVI_DISPATCH(static, ovi_tops, tops_of, are_tops,
             (const ov_shape *s[2], const ov_vec3 p[2], const ov_vec3 n[2]), (s, p, n))

/**
 * The same without powers, for normals that lean well away from the equator. With T the steeper
 * taper towards the other side, M there grows by T M(0) zeta at most, and falls on the point's side
 * by no more: where A_3 >= T M(0), the other side is below the equator, and phi rises from there to
 * the one maximum of the point's side, which the point is. M(0) is bounded from the point itself:
 * W = w M is what it and its normal show, w >= sqrt(1 - zeta^2) since e2 <= 1, and the sections
 * shrink from the equator by f at most.
 */
static bool leans_well(const ov_shape *s, ov_vec3 p, ov_vec3 n) {
    if (ovi_dent_kind_of(s) != OVI_DENT_KIND_EQUATOR) {
        return ovi_dent_kind_of(s) == OVI_DENT_KIND_NONE;
    }
    double side = copysign(1.0, p.z), zeta = p.z / s->a.z, left = 1.0 - zeta * zeta;
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta, f = f1 < f2 ? f1 : f2;
    double tx = -side * s->tx, ty = -side * s->ty, taper = tx > ty ? tx : ty;
    double lean = side * s->a.z * n.z, wide = n.x * p.x + n.y * p.y;
    if (!(left > 1e-3)) {
        return false;
    }
    double most = wide / (f * sqrt(left));
    // the margin is far above the rounding of all this
    return lean > 1e-9 * (s->a.z + most) + (taper > 0.0 ? taper * most : 0.0);
}

ovi_tops ovi_ends_at_tops(const ovi_pair *pair, const ovi_walk_end *e) {
    const ov_shape *s[2] = {pair->a, pair->b};
    if (s[0]->dent == 0.0 && s[1]->dent == 0.0) {
        return (ovi_tops){true, true};
    }
    ov_vec3 p[2] = {e->point_a, ovi_to_b(pair, ov_vec3_sub(e->point_b, pair->offset))};
    ov_vec3 n[2] = {e->normal_a, ovi_to_b(pair, e->normal_b)};
    if (leans_well(s[0], p[0], n[0]) && leans_well(s[1], p[1], n[1])) {
        return (ovi_tops){true, true};
    }
    return tops_of(s, p, n);
}

/* ---- the tops of both sides */

enum { CREST_STEPS = 12 };
/** After a step that is shorter, the next place is as good as rounding allows. */
static const double last_step = 1e-6;
/** Square of the angle between normal and direction that the bound can do with. */
static const double last_twist = 1e-26;

/** Both sides of a dented body along one direction, a lane each. */
typedef struct sides {
    ovi_triple_2 place;
    ovi_spot_2 spot;
    bool settled;
} sides;

/**
 * Newton's method for the two places where the normal is along n, one on each side of the equator:
 * with T the tangents of n and m the covector, T.m = 0, two equations a lane.
 */
OVI_INLINE sides settle_sides(const ovi_walk *both, ovi_triple_2 u, ov_vec3 n) {
    ov_mat3 frame = ov_mat3_householder(n);
    sides o = {.place = u};
    double step = INFINITY;
    for (int i = 0; i < CREST_STEPS && !o.settled; i++) {
        ovi_v2 r = ovi_v2_sqrt(o.place.x * o.place.x + o.place.y * o.place.y);
        o.spot = ovi_spots_at(both, &o.place, r, false);
        ovi_triple_2 t = {ovi_v2_of(frame.cy.x), ovi_v2_of(frame.cy.y), ovi_v2_of(frame.cy.z)};
        ovi_triple_2 v = {ovi_v2_of(frame.cz.x), ovi_v2_of(frame.cz.y), ovi_v2_of(frame.cz.z)};
        ovi_v2 t1 = ovi_dot_2(t, o.spot.m1), t2 = ovi_dot_2(t, o.spot.m2);
        ovi_v2 v1 = ovi_dot_2(v, o.spot.m1), v2 = ovi_dot_2(v, o.spot.m2);
        ovi_v2 rt = ovi_dot_2(t, o.spot.m), rv = ovi_dot_2(v, o.spot.m);
        ovi_v2 off = (rt * rt + rv * rv) / ovi_dot_2(o.spot.m, o.spot.m);
        // a crest next to the equator is narrower than the step
        o.settled = step <= last_step && off[0] <= last_twist && off[1] <= last_twist;
        ovi_v2 inverse = 1.0 / (t1 * v2 - t2 * v1);
        ovi_v2 d1 = ovi_limit_step_2((rv * t2 - rt * v2) * inverse);
        ovi_v2 d2 = ovi_limit_step_2((rt * v1 - rv * t1) * inverse);
        ovi_v2 square = d1 * d1 + d2 * d2;
        step = sqrt(square[0] > square[1] ? square[0] : square[1]);
        if (!o.settled) {
            o.place = ovi_moved_2(&o.place, r, d1, d2);
        }
    }
    return o;
}

/** Rounds of the search for a start. */
enum { LEAN_ROUNDS = 4 };

/**
 * Places near the two tops along n, or false where a side has none. The height of a top is where
 * the profile's slope r = (A3 + w M')/M, with M the section's support: repeated, that comes down to
 * the top from above, and away from a minimum. See support_tapered.c for the letters.
 */
OVI_INLINE bool lean_out(const ov_shape *s, ov_vec3 n, ovi_triple_2 *place) {
    const ovi_v4 side = {1.0, -1.0, 1.0, -1.0};
    ovi_runs section = {ovi_v4_of(ovi_dual1(s).minus_1), ovi_v4_of(-0.5 * s->e1), {0, 0, 0, 0}};
    ovi_runs profile = {ovi_v4_of(ovi_dual2(s).minus_1), ovi_v4_of(-0.5 * s->e2), {0, 0, 0, 0}};
    double u = s->a.x * fabs(n.x), v = s->a.y * fabs(n.y);
    ovi_v4 w = ovi_v4_of(1.0), zeta = 0.5 * side;
    ovi_curve_4 at;
    for (int i = 0; i < LEAN_ROUNDS; i++) {
        ovi_v4 x = u * (1.0 + s->tx * zeta), y = v * (1.0 + s->ty * zeta);
        at = ovi_curves_at(x, y, &section);
        ovi_v4 m = x * at.u + y * at.v, rise = u * s->tx * at.u + v * s->ty * at.v;
        ovi_v4 r = (s->a.z * n.z + w * rise) / m;
        if (!(r[0] > 1e-100 && r[1] < -1e-100)) {
            return false;
        }
        ovi_curve_4 up = ovi_curves_at(ovi_v4_of(1.0), r, &profile);
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

OVI_INLINE sides find_sides(const ovi_walk *both, const ov_shape *s, ov_vec3 n) {
    ovi_triple_2 u;
    return lean_out(s, n, &u) ? settle_sides(both, u, n) : (sides){.settled = false};
}

OVI_DISPATCH(static, sides, sides_along, find_sides,
             (const ovi_walk *both, const ov_shape *s, ov_vec3 n), (both, s, n))

/** Does the surface bend away from its tangent plane on all sides there? */
static bool is_convex_at(const ovi_spot_2 *s, int lane) {
    double p1x = s->p1x[lane], p1y = s->p1y[lane];
    ovi_triple_1 p2 = ovi_lane_of(s->p2, lane), m1 = ovi_lane_of(s->m1, lane);
    ovi_triple_1 m2 = ovi_lane_of(s->m2, lane);
    double a = p1x * m1.x + p1y * m1.y, b = p1x * m2.x + p1y * m2.y, c = ovi_dot_1(p2, m2);
    return a > 0.0 && c > 0.0 && a * c * (1.0 - 1e-9) > b * b;
}

ovi_crests ovi_find_crests(const ovi_walk *w, const ovi_walk_end *end, int body) {
    const ov_shape *s = body == 0 ? w->pair->a : w->pair->b;
    ov_vec3 n = body == 0 ? end->normal_a : ovi_to_b(w->pair, end->normal_b);
    ovi_crests o = {.found = false};
    if (ovi_dent_kind_of(s) != OVI_DENT_KIND_EQUATOR) {
        return o;
    }
    ovi_walk both = ovi_walk_twin(w, body);
    sides at = sides_along(&both, s, n);
    o.place = at.place;
    o.found = at.settled && at.place.z[0] > 0.0 && at.place.z[1] < 0.0;
    for (int i = 0; i < 2 && o.found; i++) {
        ov_vec3 m = ovi_vec_of(ovi_lane_of(at.spot.m, i)), normal = ov_vec3_normalize(m);
        o.point[i] = ovi_vec_of(ovi_lane_of(at.spot.p, i));
        double twist = ov_vec3_length(ov_vec3_sub(normal, n));
        o.top[i] = ov_vec3_dot(n, o.point[i]) + 2.0 * s->ball.radius * twist;
        o.found = is_convex_at(&at.spot, i);
    }
    return o;
}

/* ---- a bound for one side */

enum { POSTS = 8 };

/** What is known at a post of the fence: a height, the profile there, and the section's support. */
typedef struct post {
    ovi_v4 w, zeta, r, m; // zeta counts from the equator outwards
} post;

/**
 * Bound of phi between two posts. Its chord, psi = A zeta + w L with L the chord of M, is above it,
 * and concave, so it is below its tangents at both posts. NaN where L falls so fast that psi might
 * not be concave.
 */
OVI_INLINE ovi_v4 bound_between(ovi_v4 a3, const post *near, const post *far) {
    ovi_v4 width = far->zeta - near->zeta, chord = (far->m - near->m) / width;
    ovi_v4 value = a3 * near->zeta + near->w * near->m, end = a3 * far->zeta + far->w * far->m;
    ovi_v4 up = a3 - near->r * near->m + near->w * chord;
    ovi_v4 down = a3 - far->r * far->m + far->w * chord;
    ovi_v4 meet = value + up * ((end - value - down * width) / (up - down));
    ovi_v4 bound = ovi_v4_select(down >= 0.0, end, meet);
    bound = ovi_v4_select(up <= 0.0, value, bound);
    // posts that round to one height, next to the pole of a small exponent
    bound = ovi_v4_select(width > 0.0, bound, value);
    ovi_i4 bends = chord < -0.7 * (near->m - chord * near->zeta);
    return ovi_v4_select(bends, ovi_v4_of(NAN), bound);
}

OVI_INLINE double fence_on(const ov_shape *s, ov_vec3 n, double side) {
    ovi_runs profile = {
        ovi_v4_of(ovi_primal2(s).minus_1), ovi_v4_of(0.5 * s->e2 - 1.0), {-1, -1, -1, -1}};
    ovi_v4 u = ovi_v4_of(s->a.x * fabs(n.x)), v = ovi_v4_of(s->a.y * fabs(n.y));
    ovi_v4 q = ovi_v4_of(ovi_dual1(s).minus_1), inverse = ovi_v4_of(1.0 - 0.5 * s->e1);
    double tx = side * s->tx, ty = side * s->ty, a3 = side * s->a.z * n.z;
    ovi_v4 first = norms_of(u, v, q, inverse);
    post last = {ovi_v4_of(1.0), ovi_v4_of(0.0), ovi_v4_of(0.0), first};
    double bound = -INFINITY;
    for (int i = 0; i < POSTS; i += 4) {
        // rays (1 - t, t): even steps for every exponent, from the equator to the pole
        ovi_v4 t = (i + (ovi_v4){1.0, 2.0, 3.0, 4.0}) * (1.0 / POSTS);
        ovi_curve_4 k = ovi_curves_at(1.0 - t, t, &profile);
        post at = {k.u, k.v, k.gv / k.gu,
                   norms_of(u * (1.0 + tx * k.v), v * (1.0 + ty * k.v), q, inverse)};
        post before;
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

OVI_DISPATCH(static, double, fence, fence_on, (const ov_shape *s, ov_vec3 n, double side),
             (s, n, side))

double ovi_side_bound(const ov_shape *s, ov_vec3 normal, double side) {
    return ovi_dent_kind_of(s) == OVI_DENT_KIND_EQUATOR ? fence(s, normal, side) : INFINITY;
}

bool ovi_is_crest(const ov_shape *s, ov_vec3 point, ov_vec3 normal) {
    double u = s->a.x * normal.x, v = s->a.y * normal.y;
    ovi_norm2_parts parts = ovi_norm2_split(u, v, ovi_dual1(s));
    // the margin keeps out a minimum next to the equator, which is lower by rounding only
    double equator = ovi_norm2_gradient(u, v, &parts).value;
    return ov_vec3_dot(normal, point) >= equator + 1e-14 * (equator + fabs(s->a.z * normal.z));
}
