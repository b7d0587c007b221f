/**
 * @file bridge.c
 * @brief Contacts on the bridge over a dent.
 *
 * A tapered surface may have a shallow dent about its equator; the body is the convex hull, which
 * spans the dent by a bridge: straight lines between two points of the surface that share a tangent
 * plane. Where the other body meets a bridge, the walk on the bare surface ends at a point whose
 * tangent plane cuts the hull. The contact then has three surface points, p1 and p2 above and below
 * the dent and p3 on the other body, and a place t between the first two. Newton's method on seven
 * equations, which come down to three, with n the normals, T the tangents of n1,
 * P = p3 - (1-t) p1 - t p2:
 *
 *     T.n2 = 0, n1.(p2 - p1) = 0     a common tangent plane
 *     T.n3 = 0, T.P = 0              the contact conditions
 *
 * The bounds are those of a walk. The plane of n1 bounds the hull up to what p2 is above it, since
 * a profile with a dent about the equator has one maximum on each side (support_tapered.c).
 */
#include <stddef.h>

#include "walk_step.h"

enum { BRIDGE_STEPS = 16 };

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

/** Rate of T.n for one of the spot's two parameters, the part along n taken off. */
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
 * where v and w are what the plane's equation has for the two tops.
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
    double opposed, lower, aside2;
    double uneven; // how far the tangent planes of p1 and p2 are from being one
} defect;

OVI_INLINE defect measure(const trio *o, double diameter, double other) {
    ovi_triple_1 sum = {o->s1.n.x + o->s3.n.x, o->s1.n.y + o->s3.n.y, o->s1.n.z + o->s3.n.z};
    ovi_triple_1 twist = ovi_minus_1(o->s1.n, o->s2.n);
    double rise = ovi_dot_1(o->s1.n, ovi_minus_1(o->s2.p, o->s1.p));
    double turned = diameter * sqrt(ovi_dot_1(twist, twist)), above = rise + turned;
    double opposed = sqrt(ovi_dot_1(sum, sum));
    double height = ovi_dot_1(o->s1.n, ovi_minus_1(o->s3.p, o->s1.p));
    double aside2 = o->distance * o->distance - o->phi * o->phi;
    return (defect){opposed, height - fmax(0.0, above) - opposed * other, aside2,
                    fabs(rise) + turned};
}

/** The end of a walk, with the bridge's point in place of a surface point. */
static void write_bridge(const trio *o, int body, ovi_walk_end *end) {
    ov_vec3 bridge = ovi_vec_of(between(o->s1.p, o->s2.p, o->t)), other = ovi_vec_of(o->s3.p);
    end->point_a = body == 0 ? bridge : other;
    end->point_b = body == 0 ? other : bridge;
    ov_vec3 n = ovi_vec_of(o->s1.n); // the lower bound is along it, so it stands for both
    end->normal_a = body == 0 ? n : ov_vec3_neg(n);
    end->normal_b = body == 0 ? ov_vec3_neg(n) : n;
    end->phi = o->phi;
    end->upper = o->distance;
}

/** Do the two points bound the hull: one on each side of the dent, each the top of its side? */
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
    return p1.z * p2.z < 0.0 && ovi_is_crest(s, p1, n1) && ovi_is_crest(s, p2, n2);
}

OVI_INLINE void look(const ovi_walk *dented, const ovi_walk *other, const ovi_triple_2 *ud,
                     const ovi_triple_2 *uo, ovi_v2 rd, ovi_v2 ro, trio *o) {
    ovi_spot_2 pair = ovi_spots_at(dented, ud, rd, false);
    ovi_spot_2 single = ovi_spots_at(other, uo, ro, false);
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

/** How much of a step may be made: the tops change their height by half of it at most. NaN where
 *  the step is none. */
OVI_INLINE double part_of_step(ovi_v2 rise, double dt) {
    double most = 0.5, up = fabs(rise[0]) + fabs(rise[1]) + fabs(dt);
    return up <= most ? 1.0 : most / up; // NaN where it is
}

OVI_INLINE ovi_walk_end bridge_on(const ovi_walk *w, const ovi_walk_end *from, int body,
                                  const ovi_triple_2 *crests) {
    const ovi_pair *pair = w->pair;
    const ovi_triple_2 *place = &from->place;
    ovi_walk dented = ovi_walk_twin(w, body), other = ovi_walk_twin(w, 1 - body);
    const ov_shape *shape = body == 0 ? pair->a : pair->b, *rest = body == 0 ? pair->b : pair->a;
    double diameter = 2.0 * shape->ball.radius, goal = pair->goal - 2.0 * pair->rounding;
    // where the other body is much larger, its goal would leave the bridge's point off the hull
    double even = pair->goal * w->inverse_size * shape->ball.radius;
    ovi_triple_2 ud = *crests;
    ovi_triple_2 uo = {{place->x[1 - body], place->x[1 - body]},
                       {place->y[1 - body], place->y[1 - body]},
                       {place->z[1 - body], place->z[1 - body]}};
    ovi_walk_end end = {.verdict = OVI_WALK_LOST, .least = true, .place = *place};
    trio o = {.t = 0.5};
    for (int i = 1; i <= BRIDGE_STEPS; i++) {
        ovi_v2 rd = ovi_v2_sqrt(ud.x * ud.x + ud.y * ud.y);
        ovi_v2 ro = ovi_v2_sqrt(uo.x * uo.x + uo.y * uo.y);
        look(&dented, &other, &ud, &uo, rd, ro, &o);
        if (i == 1) {
            o.t = opposite(&o);
            set_gap(&o);
        }
        defect d = measure(&o, diameter, 2.0 * rest->ball.radius);
        end.iterations = i;
        bool opposed = d.opposed <= w->normal_goal && o.t >= 0.0 && o.t <= 1.0 && d.uneven <= even;
        bool met = opposed && o.distance - d.lower <= goal;
        bool deep =
            opposed && o.phi < -0.5 * goal && o.phi - d.lower <= goal && d.aside2 <= w->aside_goal;
        if ((met || deep) && spans_dent(pair, &o, body)) {
            end.verdict = met ? OVI_WALK_MET : OVI_WALK_DEEP;
            end.lower = d.lower;
            write_bridge(&o, body, &end);
            break;
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

OVI_DISPATCH(, ovi_walk_end, ovi_bridge_from, bridge_on,
             (const ovi_walk *w, const ovi_walk_end *from, int body, const ovi_triple_2 *crests),
             (w, from, body, crests))
