/**
 * @file smooth.c
 * @brief The smooth solver: Newton's method on the surfaces of two bodies of the family.
 *
 * The unknowns are two unit vectors, one a body (surface.h); the equations say that the normals are
 * opposed and that the line between the points is along them (newton_lanes.h). The same equations
 * hold for the nearest points of separated bodies and for the ends of a local depth, so one walk
 * serves both. Every place on the walk gives bounds: the points' distance from above, and the
 * tangent plane of one body against the ball of the other from below,
 *
 *     gap >= nA.(pB - pA) - |nA + nB| diam(B)
 *
 * which holds where the tangent planes touch the hulls: always for convex surfaces, else checked
 * at the end of the walk. Both bounds meet at the solution with the square of the error, so the end
 * is certified at no cost. A walk has at most 24 steps; about 5 are needed.
 *
 * The four curves of a pair are four lanes of a vector, the two bodies two lanes.
 */
#include <stddef.h>

#include "walk_step.h"

/** Exponents whose curves change too fast for steps: left to the net. */
static const double least_exponent = 0.02;

static bool is_walkable(const ov_shape *s) {
    return fmin(s->e1, s->e2) >= least_exponent && fmax(s->e1, s->e2) <= 2.0 - least_exponent;
}

bool ovi_smooth_is_walkable(const ovi_pair *pair) {
    return is_walkable(pair->a) && is_walkable(pair->b);
}

/* ---- the problem in lanes */

static void set_run(ovi_runs *runs, int lane, double e) {
    bool by_position = e <= 1.0;
    ovi_exponent x = by_position ? ovi_primal(e) : ovi_dual(e);
    runs->minus_1[lane] = x.minus_1;
    runs->inverse_minus_1[lane] = x.inverse - 1.0;
    runs->by_position[lane] = by_position ? -1 : 0;
}

static bool is_round(const ov_shape *s) { return s->e1 == 1.0 && s->e2 == 1.0; }

ovi_walk ovi_walk_make(const ovi_pair *pair) {
    const ov_shape *a = pair->a, *b = pair->b;
    const ov_mat3 *r = &pair->turn;
    ovi_walk w = {.pair = pair, .round = is_round(a) && is_round(b)};
    set_run(&w.runs, 0, a->e1);
    set_run(&w.runs, 1, b->e1);
    set_run(&w.runs, 2, a->e2);
    set_run(&w.runs, 3, b->e2);
    w.form = (ovi_form_2){
        {a->a.x, b->a.x}, {a->a.y, b->a.y}, {a->a.z, b->a.z}, {a->tx, b->tx}, {a->ty, b->ty}};
    w.turn[0] = (ovi_triple_2){{1.0, r->cx.x}, {0.0, r->cy.x}, {0.0, r->cz.x}};
    w.turn[1] = (ovi_triple_2){{0.0, r->cx.y}, {1.0, r->cy.y}, {0.0, r->cz.y}};
    w.turn[2] = (ovi_triple_2){{0.0, r->cx.z}, {0.0, r->cy.z}, {1.0, r->cz.z}};
    w.offset = (ovi_triple_2){{0.0, pair->offset.x}, {0.0, pair->offset.y}, {0.0, pair->offset.z}};
    double ra = a->ball.radius, rb = b->ball.radius;
    w.inverse_size = 1.0 / pair->size;
    w.smaller = fmin(ra, rb);
    w.over_a = rb <= ra;
    w.normal_goal = fmax(1e-8, pair->goal * w.inverse_size);
    return w;
}

/**
 * First place for a normal: where the untapered body has it, or nearly so. A norm that only sets
 * the proportion of width and height is interpolated between the sum, the root and the maximum.
 */
ovi_triple_2 ovi_walk_place(const ovi_walk *w, ov_vec3 n) {
    ov_vec3 nb = ov_vec3_neg(ovi_to_b(w->pair, n));
    ovi_v2 x = w->form.a1 * (ovi_v2){n.x, nb.x}, y = w->form.a2 * (ovi_v2){n.y, nb.y};
    ovi_v2 z = w->form.a3 * (ovi_v2){n.z, nb.z};
    ovi_v4 m;
    for (int i = 0; i < 2; i++) {
        double ax = fabs(x[i]), ay = fabs(y[i]), root = sqrt(ax * ax + ay * ay);
        double e = (i == 0 ? w->pair->a : w->pair->b)->e1;
        m[i] = root + (1.0 - e) * (e <= 1.0 ? ax + ay - root : root - fmax(ax, ay));
    }
    // by the normal, the ray is the covector; by the position, its components to the power q - 1
    ovi_v4 c = {x[0], x[1], m[0], m[1]}, s = {y[0], y[1], z[0], z[1]};
    ovi_v4 ac = ovi_v4_abs(c), as = ovi_v4_abs(s);
    ovi_i4 swapped = as > ac;
    ovi_v4 ratio = ovi_v4_select(swapped, ac / as, as / ac);
    ratio = ovi_v4_select(ratio > 1e-200, ratio, ovi_v4_of(1e-200));
    // (p - 1)(q - 1) = 1
    ovi_v4 power = ovi_v4_select(w->runs.by_position, 1.0 / w->runs.minus_1, ovi_v4_of(1.0));
    ovi_v4 raised = w->round ? ratio : ovi_v4_exp2(power * ovi_v4_log2(ratio));
    ovi_v4 rc = ovi_v4_copysign(ovi_v4_select(swapped, raised, ovi_v4_of(1.0)), c);
    ovi_v4 rs = ovi_v4_copysign(ovi_v4_select(swapped, ovi_v4_of(1.0), raised), s);
    ovi_v4 unit = 1.0 / ovi_v4_sqrt(rc * rc + rs * rs);
    rc *= unit;
    rs *= unit;
    return (ovi_triple_2){
        {rc[0] * rc[2], rc[1] * rc[3]}, {rs[0] * rc[2], rs[1] * rc[3]}, {rs[2], rs[3]}};
}

ov_vec3 ovi_place_near(const ov_shape *s, ov_vec3 p, ov_vec3 n) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    double b1 = s->a.x * f1, b2 = s->a.y * f2, x = p.x / b1, y = p.y / b2;
    double gx = n.x * b1, gy = n.y * b2; // gw gX, gw gY, up to a factor
    ovi_norm2_parts across = ovi_norm2_split(x, y, ovi_primal1(s));
    double w = ovi_norm2_gradient(x, y, &across).value;
    ovi_norm2_parts dual = ovi_norm2_split(gx, gy, ovi_dual1(s));
    double gw = ovi_norm2_gradient(gx, gy, &dual).value;
    double gz = n.z * s->a.z + gx * x * s->tx / f1 + gy * y * s->ty / f2;
    ov_vec3 section = s->e1 <= 1.0 ? ov_vec3_make(x, y, 0.0) : ov_vec3_make(gx, gy, 0.0);
    ov_vec3 profile = s->e2 <= 1.0 ? ov_vec3_make(w, zeta, 0.0) : ov_vec3_make(gw, gz, 0.0);
    section = ov_vec3_normalize(section);
    profile = ov_vec3_normalize(profile);
    return ov_vec3_make(profile.x * section.x, profile.x * section.y, profile.y);
}

ovi_triple_2 ovi_walk_place_near(const ovi_walk *w, ov_vec3 point_a, ov_vec3 point_b,
                                 ov_vec3 normal) {
    const ovi_pair *p = w->pair;
    ov_vec3 a = ovi_place_near(p->a, point_a, normal);
    ov_vec3 b = ovi_place_near(p->b, ovi_to_b(p, ov_vec3_sub(point_b, p->offset)),
                               ov_vec3_neg(ovi_to_b(p, normal)));
    return (ovi_triple_2){{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
}

/* ---- the walk */

OVI_INLINE ovi_walk_end walk_on(const ovi_walk *w, ovi_triple_2 u, bool round) {
    const ovi_pair *pair = w->pair;
    const double diameter = 2.0 * w->smaller, aside_goal = 1e-14 * w->smaller * w->smaller;
    // bounds are compared before their rounding errors are taken off
    const double goal = pair->goal - 2.0 * pair->rounding;
    ovi_walk_end end = {.verdict = OVI_WALK_LOST};
    for (int i = 1; i <= OVI_WALK_STEPS; i++) {
        ovi_v2 r = ovi_v2_sqrt(u.x * u.x + u.y * u.y);
        ovi_spot_2 s = ovi_spots_at(w, &u, r, round);
        ovi_spot_1 a = ovi_spot_of(&s, 0), b = ovi_spot_of(&s, 1);
        ovi_newton_1 k = ovi_newton_at_1(&a, &b, w->inverse_size);
        double phi = w->over_a ? k.phi_a : k.phi_b;
        end.lower = phi - k.mismatch * diameter;
        end.upper = k.distance;
        end.phi = phi;
        end.iterations = i;
        bool opposed = k.mismatch <= w->normal_goal;
        bool met = opposed && end.upper - end.lower <= goal;
        bool deep = opposed && phi < 0.0 && k.mismatch * diameter <= goal && k.aside <= aside_goal;
        bool decided = end.lower - pair->rounding > pair->limit;
        if (met || deep || decided) {
            end.verdict = deep && !met ? OVI_WALK_DEEP : met ? OVI_WALK_MET : OVI_WALK_DECIDED;
            end.point_a = (ov_vec3){a.p.x, a.p.y, a.p.z};
            end.point_b = (ov_vec3){b.p.x, b.p.y, b.p.z};
            end.normal_a = (ov_vec3){a.n.x, a.n.y, a.n.z};
            end.normal_b = (ov_vec3){b.n.x, b.n.y, b.n.z};
            break;
        }
        if (!(fabs(k.determinant) > 0.0)) {
            break;
        }
        ovi_v2 d1 = ovi_limit_step_2((ovi_v2){k.x1, k.y1}),
               d2 = ovi_limit_step_2((ovi_v2){k.x2, k.y2});
        u = ovi_moved_2(&u, r, d1, d2);
    }
    end.place = u;
    return end;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static ovi_walk_end walk_avx2(const ovi_walk *w,
                                                                  const ovi_triple_2 *u) {
    return w->round ? walk_on(w, *u, true) : walk_on(w, *u, false);
}
#endif

static ovi_walk_end walk_plain(const ovi_walk *w, const ovi_triple_2 *u) {
    return w->round ? walk_on(w, *u, true) : walk_on(w, *u, false);
}

ovi_walk_end ovi_walk_from(const ovi_walk *w, const ovi_triple_2 *u) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return walk_avx2(w, u);
    }
#endif
    return walk_plain(w, u);
}

/* ---- proofs */

/** How far the hull of a body stands out over the tangent plane at a point; in its own frame. */
static double excess(const ov_shape *s, ov_vec3 point, ov_vec3 normal) {
    if (s->dent == 0.0 || ovi_tapered_is_top(s, normal, point.z / s->a.z)) {
        return 0.0;
    }
    return fmax(0.0, ovi_family_support(s, normal).value - ov_vec3_dot(normal, point));
}

static double excess_a(const ovi_pair *p, const ovi_walk_end *e) {
    return excess(p->a, e->point_a, e->normal_a);
}

static double excess_b(const ovi_pair *p, const ovi_walk_end *e) {
    return excess(p->b, ovi_to_b(p, ov_vec3_sub(e->point_b, p->offset)), ovi_to_b(p, e->normal_b));
}

void ovi_walk_prove(const ovi_walk *w, ovi_walk_end *end) {
    const ovi_pair *p = w->pair;
    double a = excess_a(p, end), b = excess_b(p, end), little = 0.125 * p->goal;
    if ((a > little) != (b > little)) {
        int body = a > little ? 0 : 1;
        ovi_walk_end bridge = ovi_bridge_from(w, end, body);
        bridge.iterations += end->iterations;
        if (bridge.verdict != OVI_WALK_LOST) {
            bridge.lower -= body == 0 ? excess_b(p, &bridge) : excess_a(p, &bridge);
            *end = bridge;
            return;
        }
    }
    end->lower -= a + b;
}

bool ovi_is_common_point(const ovi_pair *p, ov_vec3 point) {
    const double inside = 1.0 - 1e-13;
    return ovi_family_gauge_value(p->a, point) < inside &&
           ovi_family_gauge_value(p->b, ovi_to_b(p, ov_vec3_sub(point, p->offset))) < inside;
}
