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
 * which holds where the tangent planes touch the hulls: always for convex surfaces, else proven
 * afterwards (prove.c). Both bounds meet at the solution with the square of the error, so the end
 * is certified at no cost. A walk has at most 24 steps, a careful one 80; about 5 are needed.
 *
 * The four curves of a pair are four lanes of a vector, the two bodies two lanes.
 */
#include <stddef.h>

#include "walk_step.h"

/** Exponents whose curves change too fast for steps: left to the net. */
static const double least_exponent = 0.02;

static bool is_walkable(const ov_shape *s) {
    const double least = least_exponent, most = 2.0 - least_exponent;
    return s->e1 >= least && s->e2 >= least && s->e1 <= most && s->e2 <= most;
}

/** Exponents for which one way to run a curve is as good as the other. */
static bool is_mild(const ov_shape *s) {
    return fmin(s->e1, s->e2) >= 0.25 && fmax(s->e1, s->e2) <= 1.4;
}

bool ovi_smooth_is_walkable(const ovi_pair *pair) {
    return is_walkable(pair->a) && is_walkable(pair->b);
}

/* ---- the problem in lanes */

/** The curves of a section or profile of A and B, by their exponents. */
static ovi_runs runs_of(const ov_shape *a, const ov_shape *b) {
    ovi_v4 e = {a->e1, b->e1, a->e2, b->e2};
    ovi_i4 by_position = e <= 1.0;
    ovi_v4 p = {ovi_primal1(a).minus_1, ovi_primal1(b).minus_1, ovi_primal2(a).minus_1,
                ovi_primal2(b).minus_1};
    ovi_v4 q = {ovi_dual1(a).minus_1, ovi_dual1(b).minus_1, ovi_dual2(a).minus_1,
                ovi_dual2(b).minus_1};
    return (ovi_runs){ovi_v4_select(by_position, p, q),
                      ovi_v4_select(by_position, 0.5 * e - 1.0, -0.5 * e), by_position};
}

/** A sphere or an ellipsoid: no powers, and no taper. */
static bool is_round(const ov_shape *s) { return s->kind <= OV_SHAPE_KIND_ELLIPSOID; }

static ovi_form_2 form_of(const ov_shape *a, const ov_shape *b) {
    ovi_form_2 f = {.a1 = {a->a.x, b->a.x},
                    .a2 = {a->a.y, b->a.y},
                    .a3 = {a->a.z, b->a.z},
                    .tx = {a->tx, b->tx},
                    .ty = {a->ty, b->ty}};
    // scaled so that the largest is 1
    ovi_v2 third = f.a1 * f.a2 / f.a3, most = ovi_v2_select(f.a1 > f.a2, f.a1, f.a2);
    ovi_v2 scale = 1.0 / ovi_v2_select(most > third, most, third);
    f.r1 = scale * f.a1;
    f.r2 = scale * f.a2;
    f.r3 = scale * third;
    return f;
}

ovi_walk ovi_walk_make(const ovi_pair *pair) {
    const ov_shape *a = pair->a, *b = pair->b;
    const ov_mat3 *r = &pair->turn;
    ovi_walk w = {.pair = pair, .round = is_round(a) && is_round(b), .runs = runs_of(a, b)};
    w.form = form_of(a, b);
    w.turn[0] = (ovi_triple_2){{1.0, r->cx.x}, {0.0, r->cy.x}, {0.0, r->cz.x}};
    w.turn[1] = (ovi_triple_2){{0.0, r->cx.y}, {1.0, r->cy.y}, {0.0, r->cz.y}};
    w.turn[2] = (ovi_triple_2){{0.0, r->cx.z}, {0.0, r->cy.z}, {1.0, r->cz.z}};
    w.offset = (ovi_triple_2){{0.0, pair->offset.x}, {0.0, pair->offset.y}, {0.0, pair->offset.z}};
    double ra = a->ball.radius, rb = b->ball.radius;
    w.inverse_size = 1.0 / pair->size;
    w.over_a = rb <= ra;
    w.smaller = w.over_a ? rb : ra;
    double tolerance = pair->goal * w.inverse_size;
    w.normal_goal = tolerance > 1e-8 ? tolerance : 1e-8;
    // a hundred tolerances, but where its square would count; of far bodies the offset's rounding
    double aside = tolerance < 1e-6 ? 100.0 * tolerance : 0.1 * sqrt(tolerance);
    aside = (aside > 1e-7 ? aside : 1e-7) * w.smaller + 64.0 * pair->rounding;
    w.aside_goal = aside * aside;
    return w;
}

ovi_walk ovi_walk_twin(const ovi_walk *w, int body) {
    ovi_walk t = *w;
#define BOTH(field) t.field = (ovi_v2){w->field[body], w->field[body]}
    BOTH(form.a1);
    BOTH(form.a2);
    BOTH(form.a3);
    BOTH(form.tx);
    BOTH(form.ty);
    BOTH(form.r1);
    BOTH(form.r2);
    BOTH(form.r3);
    for (int i = 0; i < 3; i++) {
        BOTH(turn[i].x);
        BOTH(turn[i].y);
        BOTH(turn[i].z);
    }
    BOTH(offset.x);
    BOTH(offset.y);
    BOTH(offset.z);
#undef BOTH
#define FOUR(field)                                                                                \
    for (int i = 0; i < 4; i++) {                                                                  \
        t.runs.field[i] = w->runs.field[(i & 2) + body];                                           \
    }
    FOUR(minus_1)
    FOUR(inverse_minus_1)
    FOUR(by_position)
#undef FOUR
    t.round = false;
    return t;
}

/**
 * First place for a normal: where the body has it, or nearly so. A norm that only sets the
 * proportion of width and height is interpolated between the sum, the root and the maximum.
 */
OVI_INLINE ovi_triple_2 place_along(const ovi_walk *w, ov_vec3 n) {
    ov_vec3 nb = ov_vec3_neg(ovi_to_b(w->pair, n));
    ovi_v2 x = w->form.a1 * (ovi_v2){n.x, nb.x}, y = w->form.a2 * (ovi_v2){n.y, nb.y};
    ovi_v2 z = w->form.a3 * (ovi_v2){n.z, nb.z};
    ovi_v2 m = {ovi_blend(x[0], y[0], w->pair->a->e1), ovi_blend(x[1], y[1], w->pair->b->e1)};
    // a section that grows with the height leans outwards: by its share of both tapers, roughly
    ovi_v2 xx = x * x, yy = y * y, all = xx + yy;
    all = ovi_v2_select(all > 0.0, all, ovi_v2_of(1.0));
    z += m * ((w->form.tx * xx + w->form.ty * yy) / all);
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

OVI_DISPATCH(, ovi_triple_2, ovi_walk_place, place_along, (const ovi_walk *w, ov_vec3 n), (w, n))

/** A curve's point and covector as rays, each with the one that belongs to the other. */
typedef struct rays {
    double position, normal; // angles in the first quadrant
    double normal_of_position, position_of_normal;
} rays;

static rays rays_of(double u, double v, double gu, double gv, ovi_exponent primal,
                    ovi_exponent dual) {
    u = fabs(u);
    v = fabs(v);
    gu = fabs(gu);
    gv = fabs(gv);
    return (rays){atan2(v, u), atan2(gv, gu), atan(pow(v / u, primal.minus_1)),
                  atan(pow(gv / gu, dual.minus_1))};
}

/** Is the curve better run by position there? It is where that misses the other one by less. */
static bool is_run_by_position(const rays *r) {
    return !(fabs(r->normal_of_position - r->normal) > fabs(r->position_of_normal - r->position));
}

/** A body's place near a point with a normal, and how its section and profile are best run. */
typedef struct seat {
    ov_vec3 place;
    bool by_position[2];
} seat;

/** A component of a point whose sign is not that of its normal is off by rounding: zero. */
static double agree(double u, double g) { return copysign(u * g > 0.0 ? fabs(u) : 0.0, g); }

/** How the curves of a place are run. */
typedef enum run_choice { BY_EXPONENT, BY_FIT, BY_FIT_BUT_SECTION, BY_FIT_BUT_PROFILE } run_choice;

static seat seat_near(const ov_shape *s, ov_vec3 p, ov_vec3 n, run_choice choice) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    double b1 = s->a.x * f1, b2 = s->a.y * f2, x = p.x / b1, y = p.y / b2;
    double gx = n.x * b1, gy = n.y * b2; // gw gX, gw gY, up to a factor
    ovi_norm2_parts across = ovi_norm2_split(x, y, ovi_primal1(s));
    double w = ovi_norm2_gradient(x, y, &across).value;
    ovi_norm2_parts dual = ovi_norm2_split(gx, gy, ovi_dual1(s));
    double gw = ovi_norm2_gradient(gx, gy, &dual).value;
    double gz = n.z * s->a.z + gx * x * s->tx / f1 + gy * y * s->ty / f2;
    seat out = {.by_position = {s->e1 <= 1.0, s->e2 <= 1.0}};
    if (choice != BY_EXPONENT) {
        x = agree(x, gx);
        y = agree(y, gy);
        zeta = agree(zeta, gz);
        rays section = rays_of(x, y, gx, gy, ovi_primal1(s), ovi_dual1(s));
        rays profile = rays_of(w, zeta, gw, gz, ovi_primal2(s), ovi_dual2(s));
        out.by_position[0] = is_run_by_position(&section) != (choice == BY_FIT_BUT_SECTION);
        out.by_position[1] = is_run_by_position(&profile) != (choice == BY_FIT_BUT_PROFILE);
    }
    ov_vec3 section = out.by_position[0] ? ov_vec3_make(x, y, 0.0) : ov_vec3_make(gx, gy, 0.0);
    ov_vec3 profile = out.by_position[1] ? ov_vec3_make(w, zeta, 0.0) : ov_vec3_make(gw, gz, 0.0);
    section = ov_vec3_normalize(section);
    profile = ov_vec3_normalize(profile);
    out.place = ov_vec3_make(profile.x * section.x, profile.x * section.y, profile.y);
    return out;
}

static void set_run(ovi_runs *runs, int lane, double e, bool by_position) {
    ovi_exponent x = by_position ? ovi_primal(e) : ovi_dual(e);
    runs->minus_1[lane] = fmin(x.minus_1, 1e300);
    runs->inverse_minus_1[lane] = x.inverse - 1.0;
    runs->by_position[lane] = by_position ? -1 : 0;
}

/** Places near the points of a result, and the walk's curves run as chosen. */
static ovi_triple_2 settle(ovi_walk *w, const ovi_result *near, run_choice choice_a,
                           run_choice choice_b) {
    const ovi_pair *p = w->pair;
    seat a = seat_near(p->a, near->point_a, near->normal, choice_a);
    seat b = seat_near(p->b, ovi_to_b(p, ov_vec3_sub(near->point_b, p->offset)),
                       ov_vec3_neg(ovi_to_b(p, near->normal)), choice_b);
    set_run(&w->runs, 0, p->a->e1, a.by_position[0]);
    set_run(&w->runs, 1, p->b->e1, b.by_position[0]);
    set_run(&w->runs, 2, p->a->e2, a.by_position[1]);
    set_run(&w->runs, 3, p->b->e2, b.by_position[1]);
    w->round = false;
    return (ovi_triple_2){{a.place.x, b.place.x}, {a.place.y, b.place.y}, {a.place.z, b.place.z}};
}

ovi_triple_2 ovi_places_near(ovi_walk *w, const ovi_result *near) {
    return settle(w, near, BY_EXPONENT, BY_EXPONENT);
}

ovi_walk_end ovi_walk_again(const ovi_walk *w, const ovi_result *near, int attempt) {
    const run_choice choices[OVI_WALK_ATTEMPTS][2] = {
        {BY_EXPONENT, BY_EXPONENT},   {BY_FIT, BY_FIT},
        {BY_EXPONENT, BY_EXPONENT},   {BY_FIT_BUT_SECTION, BY_FIT},
        {BY_FIT_BUT_PROFILE, BY_FIT}, {BY_FIT, BY_FIT_BUT_SECTION},
        {BY_FIT, BY_FIT_BUT_PROFILE},
    };
    ovi_walk again = *w;
    again.careful = true;
    again.round = false;
    bool plain = choices[attempt][0] == BY_EXPONENT;
    bool fits =
        plain ? ovi_smooth_is_walkable(w->pair) : !is_mild(w->pair->a) || !is_mild(w->pair->b);
    if (!fits) {
        return (ovi_walk_end){.verdict = OVI_WALK_LOST};
    }
    ovi_triple_2 place = attempt == OVI_WALK_BY_NORMAL
                             ? ovi_walk_place(w, near->normal)
                             : settle(&again, near, choices[attempt][0], choices[attempt][1]);
    ovi_walk_end end = ovi_walk_from(&again, &place);
    if (!plain) {
        end.place = (ovi_triple_2){{0}, {0}, {0}}; // no place to start from again
    }
    return end;
}

/* ---- the walk */

/** Derivatives of a spot's point and normal along two tangents; rows are tangents. */
typedef struct bend {
    double p[2][2], n[2][2], det; // det: of n
} bend;

static bend bend_of(const ovi_patch *s, const ov_mat3 *frame) {
    const ov_vec3 along[2] = {frame->cy, frame->cz};
    bend o;
    for (int i = 0; i < 2; i++) {
        ovi_triple_1 t = {along[i].x, along[i].y, along[i].z};
        o.p[i][0] = ovi_dot_1(t, s->p1);
        o.p[i][1] = ovi_dot_1(t, s->p2);
        o.n[i][0] = ovi_dot_1(t, s->n1);
        o.n[i][1] = ovi_dot_1(t, s->n2);
    }
    o.det = o.n[0][0] * o.n[1][1] - o.n[0][1] * o.n[1][0];
    return o;
}

/**
 * With the radii of curvature R = dp/dn of both bodies, the depth's second derivative over the
 * normals is R_A + R_B + phi; here times both determinants of dn, so that nothing is divided.
 */
bool ovi_is_least_depth(const ovi_patch *a, const ovi_patch *b) {
    ovi_triple_1 d = {b->p.x - a->p.x, b->p.y - a->p.y, b->p.z - a->p.z};
    ov_mat3 frame = ov_mat3_householder(ov_vec3_make(a->n.x, a->n.y, a->n.z));
    bend f = bend_of(a, &frame), g = bend_of(b, &frame);
    double both = f.det * g.det, flat = ovi_dot_1(a->n, d) * both, m[2][2];
    for (int i = 0; i < 2; i++) {
        m[i][0] = g.det * (f.p[i][0] * f.n[1][1] - f.p[i][1] * f.n[1][0]) +
                  f.det * (g.p[i][0] * g.n[1][1] - g.p[i][1] * g.n[1][0]);
        m[i][1] = g.det * (f.p[i][1] * f.n[0][0] - f.p[i][0] * f.n[0][1]) +
                  f.det * (g.p[i][1] * g.n[0][0] - g.p[i][0] * g.n[0][1]);
        m[i][i] += flat;
    }
    double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0], trace = (m[0][0] + m[1][1]) * both;
    return !(determinant < 0.0 || trace < 0.0);
}

OVI_INLINE ovi_walk_end walk_on(const ovi_walk *w, ovi_triple_2 u, bool round, bool careful) {
    const ovi_pair *pair = w->pair;
    const double diameter = 2.0 * w->smaller;
    // bounds are compared before their rounding errors are taken off
    const double goal = pair->goal - 2.0 * pair->rounding;
    ovi_walk_end end = {.verdict = OVI_WALK_LOST};
    const int steps = careful ? OVI_CAREFUL_STEPS : OVI_WALK_STEPS;
    double last_defect = INFINITY;
    ovi_triple_2 last_place = u;
    ovi_v2 last_d1 = {0.0, 0.0}, last_d2 = last_d1;
    for (int i = 1; i <= steps; i++) {
        ovi_v2 r = ovi_v2_sqrt(u.x * u.x + u.y * u.y);
        ovi_spot_2 s = ovi_spots_at(w, &u, r, round);
        ovi_view v = ovi_view_of(w, &s);
        ovi_stand_1 k = ovi_stand_of_1(&v.facing);
        double phi = w->over_a ? k.phi_a : k.phi_b;
        end.lower = phi - k.mismatch * diameter;
        end.upper = k.distance;
        end.phi = phi;
        end.iterations = i;
        bool opposed = k.mismatch <= w->normal_goal;
        bool close = end.upper - end.lower <= goal;
        bool deep = phi < -0.5 * goal && k.mismatch * diameter <= goal;
        bool opposite = opposed && (close || deep) && ovi_aside_1(&v.facing, &k) <= w->aside_goal;
        bool met = opposite && close;
        deep = opposite && deep;
        bool decided =
            end.lower - pair->rounding > pair->limit || end.upper + pair->rounding <= pair->limit;
        if (met || deep || decided) {
            end.verdict = deep && !met ? OVI_WALK_DEEP : met ? OVI_WALK_MET : OVI_WALK_DECIDED;
            if (end.verdict == OVI_WALK_DEEP && pair->depth == OV_DEPTH_LOCAL) {
                ovi_patch at_a = ovi_patch_of(w, &s, 0), at_b = ovi_patch_of(w, &s, 1);
                end.least = ovi_is_least_depth(&at_a, &at_b);
            }
            end.point_a = (ov_vec3){v.pa.x, v.pa.y, v.pa.z};
            end.point_b = (ov_vec3){v.pb.x, v.pb.y, v.pb.z};
            end.normal_a = (ov_vec3){k.na.x, k.na.y, k.na.z};
            end.normal_b = (ov_vec3){k.nb.x, k.nb.y, k.nb.z};
            break;
        }
        if (careful) {
            double defect = ovi_aside_1(&v.facing, &k) * w->inverse_size * w->inverse_size +
                            k.mismatch * k.mismatch;
            if (!(defect < last_defect)) { // back, and a shorter step
                r = ovi_v2_sqrt(last_place.x * last_place.x + last_place.y * last_place.y);
                last_d1 *= 0.25;
                last_d2 *= 0.25;
                u = ovi_moved_2(&last_place, r, last_d1, last_d2);
                continue;
            }
            last_defect = defect;
            last_place = u;
        }
        ovi_step_1 step = ovi_step_of(w, &s, &v);
        if (!(fabs(step.determinant) > 0.0)) {
            break;
        }
        ovi_v2 d1 = ovi_limit_step_2((ovi_v2){step.x1, step.y1});
        ovi_v2 d2 = ovi_limit_step_2((ovi_v2){step.x2, step.y2});
        u = ovi_moved_2(&u, r, d1, d2);
        if (careful) {
            last_d1 = d1;
            last_d2 = d2;
        }
    }
    end.place = u;
    return end;
}

OVI_INLINE ovi_walk_end walk_any(const ovi_walk *w, const ovi_triple_2 *u) {
    return w->careful ? walk_on(w, *u, false, true)
           : w->round ? walk_on(w, *u, true, false)
                      : walk_on(w, *u, false, false);
}

OVI_DISPATCH(, ovi_walk_end, ovi_walk_from, walk_any, (const ovi_walk *w, const ovi_triple_2 *u),
             (w, u))
