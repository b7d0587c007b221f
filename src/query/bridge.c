/**
 * @file bridge.c
 * @brief Contacts on the bridge over a dent.
 *
 * A tapered surface may have a shallow dent about its equator; the body is the convex hull, which
 * spans the dent by a bridge: straight lines between two points of the surface that share a tangent
 * plane. Where the other body meets a bridge, the walk on the bare surface ends at a point whose
 * tangent plane cuts the hull. The contact then has three surface points, p1 and p2 above and below
 * the dent and p3 on the other body, and a place t between the first two. Newton's method on seven
 * equations, with n the normals, T the tangents of n1, P = p3 - (1-t) p1 - t p2:
 *
 *     T.n2 = 0, n1.(p2 - p1) = 0     a common tangent plane
 *     T.n3 = 0, T.P = 0              the contact conditions
 *
 * The bounds are those of a walk. The plane of n1 bounds the hull up to what p2 is above it, since
 * a profile with a dent about the equator has one maximum on each side (support_tapered.c).
 */
#include <stddef.h>

#include "walk_step.h"

enum { BRIDGE_STEPS = 16, UNKNOWNS = 7 };

/** An equation: seven coefficients and the right side, as numbers and as vectors. */
typedef union equation {
    double at[UNKNOWNS + 1];
    ovi_v4 half[2];
} equation;

/** Solves in place by elimination with row pivoting; false where singular. Whole rows are worked
 *  on, though the front is zero: that is two vector operations a row. */
OVI_INLINE bool eliminate(equation m[UNKNOWNS]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        int pivot = k;
        for (int i = k + 1; i < UNKNOWNS; i++) {
            pivot = fabs(m[i].at[k]) > fabs(m[pivot].at[k]) ? i : pivot;
        }
        if (!(fabs(m[pivot].at[k]) > 0.0)) {
            return false;
        }
        double inverse = 1.0 / m[pivot].at[k];
        ovi_v4 low = inverse * m[pivot].half[0], high = inverse * m[pivot].half[1];
        m[pivot] = m[k];
        m[k].half[0] = low;
        m[k].half[1] = high;
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double f = m[i].at[k];
            m[i].half[0] -= f * low;
            m[i].half[1] -= f * high;
        }
    }
    for (int k = UNKNOWNS - 1; k > 0; k--) {
        for (int i = 0; i < k; i++) {
            m[i].at[UNKNOWNS] -= m[i].at[k] * m[k].at[UNKNOWNS];
        }
    }
    return true;
}

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

OVI_INLINE void fill_rows(const trio *o, double scale, equation m[UNKNOWNS]) {
    ov_mat3 frame = ov_mat3_householder(ov_vec3_make(o->s1.n.x, o->s1.n.y, o->s1.n.z));
    const ovi_triple_1 tangents[2] = {{frame.cy.x, frame.cy.y, frame.cy.z},
                                      {frame.cz.x, frame.cz.y, frame.cz.z}};
    ovi_triple_1 along = ovi_minus_1(o->s2.p, o->s1.p);
    double t = o->t, phi = o->phi;
    for (int i = 0; i < 2; i++) {
        ovi_triple_1 e = tangents[i];
        double d11 = ovi_dot_1(e, o->s1.n1), d12 = ovi_dot_1(e, o->s1.n2);
        double scaled = scale * (1.0 - t);
        m[i] = (equation){{-d11, -d12, tilt(e, &o->s2, o->s2.n1), tilt(e, &o->s2, o->s2.n2), 0.0,
                           0.0, 0.0, -ovi_dot_1(e, o->s2.n)}};
        m[2 + i] = (equation){{d11, d12, 0.0, 0.0, 0.0, tilt(e, &o->s3, o->s3.n1),
                               tilt(e, &o->s3, o->s3.n2), -ovi_dot_1(e, o->s3.n)}};
        m[4 + i] =
            (equation){{-scaled * ovi_dot_1(e, o->s1.p1) - scale * phi * d11,
                        -scaled * ovi_dot_1(e, o->s1.p2) - scale * phi * d12,
                        -scale * t * ovi_dot_1(e, o->s2.p1), -scale * t * ovi_dot_1(e, o->s2.p2),
                        -scale * ovi_dot_1(e, along), scale * ovi_dot_1(e, o->s3.p1),
                        scale * ovi_dot_1(e, o->s3.p2), -scale * ovi_dot_1(e, o->p)}};
    }
    ovi_triple_1 n = o->s1.n;
    m[6] = (equation){{scale * tilt(along, &o->s1, o->s1.n1), scale * tilt(along, &o->s1, o->s1.n2),
                       scale * ovi_dot_1(n, o->s2.p1), scale * ovi_dot_1(n, o->s2.p2), 0.0, 0.0,
                       0.0, -scale * ovi_dot_1(n, along)}};
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

/**
 * Is a point, in the frame of its body, the maximum of its half of the profile along its normal?
 * Where the tangent plane passes above the equator, it is: a minimum is below it.
 */
static bool is_crest(const ov_shape *s, ov_vec3 point, ov_vec3 normal) {
    double u = s->a.x * normal.x, v = s->a.y * normal.y;
    ovi_norm2_parts parts = ovi_norm2_split(u, v, ovi_dual1(s));
    // the margin keeps out a minimum next to the equator, which is lower by rounding only
    double equator = ovi_norm2_gradient(u, v, &parts).value;
    return ov_vec3_dot(normal, point) >= equator + 1e-14 * (equator + fabs(s->a.z * normal.z));
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
    return p1.z * p2.z < 0.0 && is_crest(s, p1, n1) && is_crest(s, p2, n2);
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

/** How much of a step may be made: the tops change their height by half of it at most. */
OVI_INLINE double part_of_step(ovi_v2 rise, double dt) {
    double most = 0.5, up = fabs(rise[0]) > fabs(rise[1]) ? fabs(rise[0]) : fabs(rise[1]);
    up = up > fabs(dt) ? up : fabs(dt);
    return up > most ? most / up : 1.0;
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
        bool deep = opposed && o.phi < -0.5 * goal && o.phi - d.lower <= goal &&
                    d.aside2 <= 1e-14 * w->smaller * w->smaller;
        if ((met || deep) && spans_dent(pair, &o, body)) {
            end.verdict = met ? OVI_WALK_MET : OVI_WALK_DEEP;
            end.lower = d.lower;
            write_bridge(&o, body, &end);
            break;
        }
        equation m[UNKNOWNS];
        fill_rows(&o, w->inverse_size, m);
        if (!eliminate(m)) {
            break;
        }
        ovi_v2 d1 = {m[0].at[UNKNOWNS], m[2].at[UNKNOWNS]},
               d2 = {m[1].at[UNKNOWNS], m[3].at[UNKNOWNS]};
        ovi_v2 e1 = ovi_v2_of(m[5].at[UNKNOWNS]), e2 = ovi_v2_of(m[6].at[UNKNOWNS]);
        double part = part_of_step(d2 * rd / ud.z, m[4].at[UNKNOWNS]);
        ud = ovi_moved_2(&ud, rd, ovi_limit_step_2(part * d1), ovi_limit_step_2(part * d2));
        uo = ovi_moved_2(&uo, ro, ovi_limit_step_2(part * e1), ovi_limit_step_2(part * e2));
        o.t += part * m[4].at[UNKNOWNS];
    }
    return end;
}

OVI_DISPATCH(, ovi_walk_end, ovi_bridge_from, bridge_on,
             (const ovi_walk *w, const ovi_walk_end *from, int body, const ovi_triple_2 *crests),
             (w, from, body, crests))
