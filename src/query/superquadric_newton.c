/**
 * @file superquadric_newton.c
 * @brief Newton's method on the surfaces of two superquadrics: one start, or several at once.
 *
 *     1. The unknowns are two unit vectors, one for each body: its place (superquadric_newton.h).
 *     2. The equations say that the normals are opposed and that the line between the points is
 *        along them (superquadric_lanes.h). They hold for the nearest points of separated bodies
 *        and for the ends of a local depth, so one iteration serves both.
 *     3. Every place gives bounds: the points' distance from above, and the tangent plane of one
 *        body against the ball of the other from below,
 *
 *            gap >= nA.(pB - pA) - |nA + nB| diam(B)
 *
 *        which holds where the tangent planes touch the hulls: always for convex surfaces, else
 *        proven afterwards (superquadric_hull.c).
 *     4. Both bounds meet at the solution with the square of the error, so the end is certified at
 *        no cost.
 *
 * An iteration has at most 24 steps, a damped one 80; about 5 are needed.
 */
#include <stddef.h>

#include "superquadric_newton.h"

/** Below it, or as close to 2, curves bend too fast for steps: left to the support-based solver. */
static const double least_exponent = 0.02;

static bool suits_newton(const ov_shape *s) {
    const double least = least_exponent, most = 2.0 - least_exponent;
    return s->e1 >= least && s->e2 >= least && s->e1 <= most && s->e2 <= most;
}

/** Exponents for which one way to parametrise a curve is as good as the other. */
static bool is_mild(const ov_shape *s) {
    return fmin(s->e1, s->e2) >= 0.25 && fmax(s->e1, s->e2) <= 1.4;
}

bool ovi_newton_applies(const ov_shape *a, const ov_shape *b) {
    return suits_newton(a) && suits_newton(b);
}

/* ---- the problem in lanes */

/** Sections and profiles of A and B, each by position or by normal as its exponent says. */
static ovi_parametrisation by_exponents(const ov_shape *a, const ov_shape *b) {
    ovi_v4 e = {a->e1, b->e1, a->e2, b->e2};
    ovi_i4 by_position = e <= 1.0;
    ovi_v4 p = {ovi_primal1(a).minus_1, ovi_primal1(b).minus_1, ovi_primal2(a).minus_1,
                ovi_primal2(b).minus_1};
    ovi_v4 q = {ovi_dual1(a).minus_1, ovi_dual1(b).minus_1, ovi_dual2(a).minus_1,
                ovi_dual2(b).minus_1};
    return (ovi_parametrisation){ovi_v4_select(by_position, p, q),
                                 ovi_v4_select(by_position, 0.5 * e - 1.0, -0.5 * e), by_position};
}

/** A sphere or an ellipsoid: no powers, and no taper. */
static bool is_ellipsoid(const ov_shape *s) { return s->kind <= OV_SHAPE_KIND_ELLIPSOID; }

static ovi_form_2 form_of(const ov_shape *a, const ov_shape *b) {
    return ovi_form_of_2((ovi_v2){a->a.x, b->a.x}, (ovi_v2){a->a.y, b->a.y},
                         (ovi_v2){a->a.z, b->a.z}, (ovi_v2){a->tx, b->tx}, (ovi_v2){a->ty, b->ty});
}

ovi_newton ovi_newton_make(const ovi_pair *pair) {
    const ov_shape *a = pair->a, *b = pair->b;
    const ov_mat3 *r = &pair->turn;
    ovi_newton n = {.pair = pair,
                    .ellipsoids = is_ellipsoid(a) && is_ellipsoid(b),
                    .by = by_exponents(a, b),
                    .form = form_of(a, b),
                    .steps = OVI_NEWTON_STEPS,
                    .inverse_size = 1.0 / pair->size};
    n.turn[0] = (ovi_triple_2){{1.0, r->cx.x}, {0.0, r->cy.x}, {0.0, r->cz.x}};
    n.turn[1] = (ovi_triple_2){{0.0, r->cx.y}, {1.0, r->cy.y}, {0.0, r->cz.y}};
    n.turn[2] = (ovi_triple_2){{0.0, r->cx.z}, {0.0, r->cy.z}, {1.0, r->cz.z}};
    n.offset = (ovi_triple_2){{0.0, pair->offset.x}, {0.0, pair->offset.y}, {0.0, pair->offset.z}};
    n.goals = ovi_goals_of_1(a->ball.radius, b->ball.radius, pair->goal, pair->rounding,
                             pair->goal * n.inverse_size);
    return n;
}

ovi_newton ovi_newton_twin(const ovi_newton *newton, int body) {
    ovi_newton t = *newton;
#define BOTH(field) t.field = (ovi_v2){newton->field[body], newton->field[body]}
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
        t.by.field[i] = newton->by.field[(i & 2) + body];                                          \
    }
    FOUR(minus_1)
    FOUR(inverse_minus_1)
    FOUR(by_position)
#undef FOUR
    t.ellipsoids = false;
    return t;
}

/* ---- where to start */

/** The places with a normal. */
OVI_INLINE ovi_triple_2 places_along(const ovi_newton *newton, ov_vec3 n) {
    ov_vec3 nb = ov_vec3_neg(ovi_to_b(newton->pair, n));
    ovi_triple_2 both = {{n.x, nb.x}, {n.y, nb.y}, {n.z, nb.z}};
    if (newton->ellipsoids) {
        return ovi_ellipsoid_along_2(&newton->form, both);
    }
    ovi_v2 e1 = {newton->pair->a->e1, newton->pair->b->e1};
    ovi_heading_2 h = ovi_heading_of_2(&newton->form, e1, both);
    ovi_v4 c = {h.x[0], h.x[1], h.m[0], h.m[1]}, s = {h.y[0], h.y[1], h.z[0], h.z[1]};
    ovi_ray_4 r = ovi_ray_of_4(c, s, &newton->by);
    return (ovi_triple_2){
        {r.c[0] * r.c[2], r.c[1] * r.c[3]}, {r.s[0] * r.c[2], r.s[1] * r.c[3]}, {r.s[2], r.s[3]}};
}

OVI_DISPATCH(, ovi_triple_2, ovi_newton_places_along, places_along,
             (const ovi_newton *newton, ov_vec3 n), (newton, n))

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

/** Is the curve better parametrised by position there? Where that misses the other by less. */
static bool fits_by_position(const rays *r) {
    return !(fabs(r->normal_of_position - r->normal) > fabs(r->position_of_normal - r->position));
}

/** A body's place near a point with a normal, and how its section and profile are parametrised. */
typedef struct body_place {
    ov_vec3 place;
    bool by_position[2];
} body_place;

/** A component of a point whose sign is not that of its normal is off by rounding: zero. */
static double agree(double u, double g) { return copysign(u * g > 0.0 ? fabs(u) : 0.0, g); }

/** How the curves of a place are parametrised. */
typedef enum choice { BY_EXPONENT, BY_FIT, BY_FIT_BUT_SECTION, BY_FIT_BUT_PROFILE } choice;

static body_place place_near(const ov_shape *s, ov_vec3 p, ov_vec3 n, choice chosen) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    double b1 = s->a.x * f1, b2 = s->a.y * f2, x = p.x / b1, y = p.y / b2;
    double gx = n.x * b1, gy = n.y * b2; // gw gX, gw gY, up to a factor
    ovi_p_norm_parts across = ovi_p_norm_split(x, y, ovi_primal1(s));
    double w = ovi_p_norm_gradient(x, y, &across).value;
    ovi_p_norm_parts dual = ovi_p_norm_split(gx, gy, ovi_dual1(s));
    double gw = ovi_p_norm_gradient(gx, gy, &dual).value;
    double gz = n.z * s->a.z + gx * x * s->tx / f1 + gy * y * s->ty / f2;
    body_place out = {.by_position = {s->e1 <= 1.0, s->e2 <= 1.0}};
    if (chosen != BY_EXPONENT) {
        x = agree(x, gx);
        y = agree(y, gy);
        zeta = agree(zeta, gz);
        rays section = rays_of(x, y, gx, gy, ovi_primal1(s), ovi_dual1(s));
        rays profile = rays_of(w, zeta, gw, gz, ovi_primal2(s), ovi_dual2(s));
        out.by_position[0] = fits_by_position(&section) != (chosen == BY_FIT_BUT_SECTION);
        out.by_position[1] = fits_by_position(&profile) != (chosen == BY_FIT_BUT_PROFILE);
    }
    ov_vec3 section = out.by_position[0] ? ov_vec3_make(x, y, 0.0) : ov_vec3_make(gx, gy, 0.0);
    ov_vec3 profile = out.by_position[1] ? ov_vec3_make(w, zeta, 0.0) : ov_vec3_make(gw, gz, 0.0);
    section = ov_vec3_normalize(section);
    profile = ov_vec3_normalize(profile);
    out.place = ov_vec3_make(profile.x * section.x, profile.x * section.y, profile.y);
    return out;
}

static void set_curve(ovi_parametrisation *by, int lane, double e, bool by_position) {
    ovi_exponent x = by_position ? ovi_primal(e) : ovi_dual(e);
    by->minus_1[lane] = fmin(x.minus_1, 1e300);
    by->inverse_minus_1[lane] = x.inverse - 1.0;
    by->by_position[lane] = by_position ? -1 : 0;
}

/** Places near the points of a result, and the curves parametrised as chosen. */
static ovi_triple_2 places_near(ovi_newton *newton, const ovi_result *near, choice choice_a,
                                choice choice_b) {
    const ovi_pair *p = newton->pair;
    body_place a = place_near(p->a, near->point_a, near->normal, choice_a);
    body_place b = place_near(p->b, ovi_to_b(p, ov_vec3_sub(near->point_b, p->offset)),
                              ov_vec3_neg(ovi_to_b(p, near->normal)), choice_b);
    set_curve(&newton->by, 0, p->a->e1, a.by_position[0]);
    set_curve(&newton->by, 1, p->b->e1, b.by_position[0]);
    set_curve(&newton->by, 2, p->a->e2, a.by_position[1]);
    set_curve(&newton->by, 3, p->b->e2, b.by_position[1]);
    newton->ellipsoids = false;
    return (ovi_triple_2){{a.place.x, b.place.x}, {a.place.y, b.place.y}, {a.place.z, b.place.z}};
}

ovi_triple_2 ovi_newton_places_near(ovi_newton *newton, const ovi_result *near) {
    return places_near(newton, near, BY_EXPONENT, BY_EXPONENT);
}

/* ---- one pair: the two bodies in two lanes of a vector, their four curves in four */

/** Both points and covectors, in A's frame. */
typedef struct pair_view {
    ovi_triple_1 pa, pb;
    ovi_facing_1 facing;
} pair_view;

OVI_INLINE pair_view view_of(const ovi_newton *newton, const ovi_surface_2 *s) {
    ovi_triple_2 p = ovi_turn_2(newton->turn, s->p), m = ovi_turn_2(newton->turn, s->m);
    pair_view v = {ovi_lane_of(p, 0), ovi_lane_of(p, 1), {.ma = ovi_lane_of(m, 0)}};
    v.pb.x += newton->offset.x[1];
    v.pb.y += newton->offset.y[1];
    v.pb.z += newton->offset.z[1];
    v.facing.mb = ovi_lane_of(m, 1);
    v.facing.p = ovi_minus_1(v.pb, v.pa);
    return v;
}

/** A lane of the slopes. */
OVI_INLINE ovi_slopes_1 slopes_in(const ovi_slopes_2 *s, int lane) {
    return (ovi_slopes_1){s->tp1[lane], s->tp2[lane], s->up1[lane], s->up2[lane],
                          s->tm1[lane], s->tm2[lane], s->um1[lane], s->um2[lane]};
}

/** A's tangents in both frames, and what they make of the derivatives. */
OVI_INLINE ovi_slopes_2 slopes_along(const ovi_newton *newton, const ovi_surface_2 *s,
                                     const ovi_tangents_1 *e) {
    const ovi_triple_2 *m = newton->turn;
    ovi_triple_2 t = {m[0].x * e->tx + m[1].x * e->ty, m[0].y * e->tx + m[1].y * e->ty,
                      m[0].z * e->tx + m[1].z * e->ty};
    ovi_triple_2 u = {m[0].x * e->u.x + m[1].x * e->u.y + m[2].x * e->u.z,
                      m[0].y * e->u.x + m[1].y * e->u.y + m[2].y * e->u.z,
                      m[0].z * e->u.x + m[1].z * e->u.y + m[2].z * e->u.z};
    return ovi_slopes_of_2(s, t, u);
}

/** The step of Newton's method: moves of A's parameters, then of B's. */
OVI_INLINE ovi_step_1 step_of(const ovi_newton *newton, const ovi_surface_2 *s,
                              const pair_view *v) {
    ovi_tangents_1 e = ovi_tangents_of_1(v->facing.ma);
    ovi_slopes_2 both = slopes_along(newton, s, &e);
    ovi_slopes_1 a = slopes_in(&both, 0), b = slopes_in(&both, 1);
    ovi_rows_1 rows = ovi_rows_of_1(&v->facing, &e, &a, &b, newton->inverse_size);
    return ovi_solve_1(&rows);
}

/** Derivatives of a patch's point and normal along two tangents; rows are tangents. */
typedef struct tangent_rates {
    double p[2][2], n[2][2], det; // det: of n
} tangent_rates;

static tangent_rates rates_of(const ovi_patch *s, const ov_mat3 *frame) {
    const ov_vec3 along[2] = {frame->cy, frame->cz};
    tangent_rates o;
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
 * Is the depth at two opposed points the least of those close by, and not a saddle or the most?
 * With the radii of curvature R = dp/dn of both bodies, the depth's second derivative over the
 * normals is R_A + R_B + phi; here times both determinants of dn, so that nothing is divided.
 */
static bool is_least_depth(const ovi_patch *a, const ovi_patch *b) {
    ovi_triple_1 d = {b->p.x - a->p.x, b->p.y - a->p.y, b->p.z - a->p.z};
    ov_mat3 frame = ov_mat3_householder(ov_vec3_make(a->n.x, a->n.y, a->n.z));
    tangent_rates f = rates_of(a, &frame), g = rates_of(b, &frame);
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

/** What a damped step must not make larger: both residuals, squared. */
OVI_INLINE double defect_of(const ovi_newton *newton, const ovi_residual_1 *r, double lateral) {
    return lateral * newton->inverse_size * newton->inverse_size + r->mismatch * r->mismatch;
}

/** Why the iteration ends here, or OVI_NEWTON_FAILED where it goes on. */
OVI_INLINE ovi_verdict verdict_of(const ovi_pair *pair, const ovi_progress_1 *at, double distance) {
    bool decided =
        at->lower - pair->rounding > pair->limit || distance + pair->rounding <= pair->limit;
    return at->converged ? OVI_NEWTON_CONVERGED
           : at->deep    ? OVI_NEWTON_DEEP
           : decided     ? OVI_NEWTON_DECIDED
                         : OVI_NEWTON_FAILED;
}

/** Writes what the end has beside its bounds. */
OVI_INLINE void write_end(const ovi_newton *newton, const ovi_surface_2 *s, const pair_view *v,
                          const ovi_residual_1 *r, ovi_newton_end *end) {
    if (end->verdict == OVI_NEWTON_DEEP && newton->pair->depth == OV_DEPTH_LOCAL) {
        ovi_patch at_a = ovi_patch_of(newton, s, 0), at_b = ovi_patch_of(newton, s, 1);
        end->least = is_least_depth(&at_a, &at_b);
    }
    end->point_a = ovi_vec_of(v->pa);
    end->point_b = ovi_vec_of(v->pb);
    end->normal_a = ovi_vec_of(r->na);
    end->normal_b = ovi_vec_of(r->nb);
}

OVI_INLINE ovi_newton_end iterate(const ovi_newton *newton, ovi_triple_2 u, bool ellipsoids,
                                  bool damped) {
    ovi_newton_end end = {.verdict = OVI_NEWTON_FAILED};
    const int steps = newton->steps;
    double last_defect = INFINITY;
    ovi_triple_2 last_place = u;
    ovi_v2 last_d1 = {0.0, 0.0}, last_d2 = last_d1;
    for (int i = 1; i <= steps; i++) {
        // where it is
        ovi_v2 r = ovi_radius_2(&u);
        ovi_surface_2 s = ovi_surfaces_at(newton, &u, r, ellipsoids);
        pair_view v = view_of(newton, &s);
        ovi_residual_1 rest = ovi_residual_of_1(&v.facing);
        double lateral = ovi_lateral_square_1(&v.facing, &rest);
        ovi_progress_1 at = ovi_progress_of_1(&newton->goals, &rest, lateral);
        end.lower = at.lower;
        end.upper = rest.distance;
        end.phi = at.phi;
        end.iterations = i;
        end.verdict = verdict_of(newton->pair, &at, rest.distance);
        if (end.verdict != OVI_NEWTON_FAILED) {
            write_end(newton, &s, &v, &rest, &end);
            break;
        }
        // a damped one goes back, and takes a shorter step, where the last one was no good
        if (damped) {
            double defect = defect_of(newton, &rest, lateral);
            if (!(defect < last_defect)) {
                r = ovi_radius_2(&last_place);
                last_d1 *= 0.25;
                last_d2 *= 0.25;
                u = ovi_moved_2(&last_place, r, last_d1, last_d2);
                continue;
            }
            last_defect = defect;
            last_place = u;
        }
        // the step
        ovi_step_1 step = step_of(newton, &s, &v);
        if (!(fabs(step.determinant) > 0.0)) {
            break;
        }
        ovi_v2 d1 = ovi_limit_step_2((ovi_v2){step.x1, step.y1});
        ovi_v2 d2 = ovi_limit_step_2((ovi_v2){step.x2, step.y2});
        u = ovi_moved_2(&u, r, d1, d2);
        if (damped) {
            last_d1 = d1;
            last_d2 = d2;
        }
    }
    end.place = u;
    return end;
}

OVI_INLINE ovi_newton_end iterate_any(const ovi_newton *newton, const ovi_triple_2 *u) {
    return newton->damped       ? iterate(newton, *u, false, true)
           : newton->ellipsoids ? iterate(newton, *u, true, false)
                                : iterate(newton, *u, false, false);
}

OVI_DISPATCH(, ovi_newton_end, ovi_newton_run, iterate_any,
             (const ovi_newton *newton, const ovi_triple_2 *u), (newton, u))

ovi_newton_end ovi_newton_retry(const ovi_newton *newton, const ovi_result *near, int attempt) {
    const choice choices[OVI_RETRIES][2] = {
        {BY_EXPONENT, BY_EXPONENT},   {BY_FIT, BY_FIT},
        {BY_EXPONENT, BY_EXPONENT},   {BY_FIT_BUT_SECTION, BY_FIT},
        {BY_FIT_BUT_PROFILE, BY_FIT}, {BY_FIT, BY_FIT_BUT_SECTION},
        {BY_FIT, BY_FIT_BUT_PROFILE},
    };
    ovi_newton again = *newton;
    again.damped = true;
    again.steps = OVI_DAMPED_STEPS;
    again.ellipsoids = false;
    bool plain = choices[attempt][0] == BY_EXPONENT;
    bool fits = plain ? ovi_newton_applies(newton->pair->a, newton->pair->b)
                      : !is_mild(newton->pair->a) || !is_mild(newton->pair->b);
    if (!fits) {
        return (ovi_newton_end){.verdict = OVI_NEWTON_FAILED};
    }
    ovi_triple_2 place = attempt == OVI_RETRY_BY_NORMAL
                             ? ovi_newton_places_along(newton, near->normal)
                             : places_near(&again, near, choices[attempt][0], choices[attempt][1]);
    ovi_newton_end end = ovi_newton_run(&again, &place);
    if (!plain) {
        end.place = (ovi_triple_2){{0}, {0}, {0}}; // no place to start from again
    }
    return end;
}

/* ---- several starts: the same steps, with a problem in each lane

   A lane whose iteration is over is handed back at once, so that its place can be filled again; the
   others keep their state. Nothing depends on what the neighbouring lanes hold. */

typedef OVI_OF_STARTS(ovi_v) numbers;
typedef OVI_OF_STARTS(ovi_i) masks;
typedef OVI_OF_STARTS(ovi_triple_) triples;
typedef OVI_OF_STARTS(ovi_parametrisation_) parametrisations;
typedef OVI_OF_STARTS(ovi_surface_) surfaces;
typedef OVI_OF_STARTS(ovi_stage_) stages;

static void put(triples *to, int lane, const ovi_triple_2 *from, int body) {
    to->x[lane] = from->x[body];
    to->y[lane] = from->y[body];
    to->z[lane] = from->z[body];
}

static void put_curve(parametrisations *to, int lane, const ovi_parametrisation *from, int curve) {
    to->minus_1[lane] = from->minus_1[curve];
    to->inverse_minus_1[lane] = from->inverse_minus_1[curve];
    to->by_position[lane] = from->by_position[curve];
}

void ovi_newtons_load(ovi_newtons *l, int lane, const ovi_newton *newton,
                      const ovi_triple_2 *place) {
    for (int body = 0; body < 2; body++) {
        l->bodies.form[body].a1[lane] = newton->form.a1[body];
        l->bodies.form[body].a2[lane] = newton->form.a2[body];
        l->bodies.form[body].a3[lane] = newton->form.a3[body];
        l->bodies.form[body].tx[lane] = newton->form.tx[body];
        l->bodies.form[body].ty[lane] = newton->form.ty[body];
        l->bodies.form[body].r1[lane] = newton->form.r1[body];
        l->bodies.form[body].r2[lane] = newton->form.r2[body];
        l->bodies.form[body].r3[lane] = newton->form.r3[body];
        put_curve(&l->bodies.section[body], lane, &newton->by, body);
        put_curve(&l->bodies.profile[body], lane, &newton->by, 2 + body);
        put(&l->place[body], lane, place, body);
    }
    for (int row = 0; row < 3; row++) {
        put(&l->bodies.turn[row], lane, &newton->turn[row], 1);
    }
    put(&l->bodies.offset, lane, &newton->offset, 1);
    l->bodies.inverse_size[lane] = newton->inverse_size;
    l->bodies.goals.gap[lane] = newton->goals.gap;
    l->bodies.goals.normal[lane] = newton->goals.normal;
    l->bodies.goals.lateral[lane] = newton->goals.lateral;
    l->bodies.goals.diameter[lane] = newton->goals.diameter;
    l->bodies.goals.over_a[lane] = newton->goals.over_a ? -1 : 0;
    l->floor[lane] = -INFINITY;
    l->active[lane] = -1;
    l->local = newton->pair->depth == OV_DEPTH_LOCAL;
    l->steps[lane] = 0;
}

OVI_INLINE bool any(masks mask) {
    int64_t bits = 0;
    for (int lane = 0; lane < OVI_STARTS; lane++) {
        bits |= mask[lane];
    }
    return bits != 0;
}

OVI_INLINE ov_vec3 vec_of(const triples *t, int lane) {
    return (ov_vec3){t->x[lane], t->y[lane], t->z[lane]};
}

/**
 * Lanes that will come to nothing: the equations have no solution, or turning the normals to each
 * other and moving the points, which counts with the square, will not lift the gap to the floor.
 */
OVI_INLINE masks is_stuck(const ovi_newtons *l, const stages *s, numbers determinant) {
    numbers mismatch = s->residual.mismatch;
    numbers slack =
        mismatch * mismatch * l->bodies.goals.diameter + s->lateral * l->bodies.inverse_size;
    masks low = s->progress.phi + slack < l->floor;
    return ~(OVI_STARTS_NUM(abs)(determinant) > 0.0) | low;
}

OVI_INLINE ovi_triple_1 lane_of(const triples *t, int lane) {
    return (ovi_triple_1){t->x[lane], t->y[lane], t->z[lane]};
}

/** One lane as the tests of depths look at it: in A's frame, with a unit normal. */
OVI_INLINE ovi_patch patch_of(const surfaces *s, const triples turn[3], int lane) {
    triples p1 = {s->p1x, s->p1y, OVI_STARTS_NUM(of)(0.0)};
    triples t[6] = {s->p, s->m, p1, s->p2, s->m1, s->m2};
    ovi_triple_1 v[6];
    for (int i = 0; i < 6; i++) {
        triples turned = turn != NULL ? OVI_OF_STARTS(ovi_turn_)(turn, t[i]) : t[i];
        v[i] = lane_of(&turned, lane);
    }
    double scale = 1.0 / sqrt(ovi_dot_1(v[1], v[1]));
    return (ovi_patch){v[0], ovi_times_1(v[1], scale), v[2],
                       v[3], ovi_times_1(v[4], scale), ovi_times_1(v[5], scale)};
}

/** Is the depth of a lane the least of those close by? */
static bool is_least_in(const ovi_newtons *l, int lane, const stages *s) {
    ovi_patch at_a = patch_of(&s->a, NULL, lane), at_b = patch_of(&s->b, l->bodies.turn, lane);
    at_b.p.x += l->bodies.offset.x[lane];
    at_b.p.y += l->bodies.offset.y[lane];
    at_b.p.z += l->bodies.offset.z[lane];
    return is_least_depth(&at_a, &at_b);
}

OVI_INLINE void take_out(ovi_newtons *l, int lane, const stages *s, ovi_newton_end *e) {
    const OVI_OF_STARTS(ovi_progress_) *at = &s->progress;
    e->verdict = at->converged[lane] ? OVI_NEWTON_CONVERGED
                 : at->deep[lane]    ? OVI_NEWTON_DEEP
                                     : OVI_NEWTON_FAILED;
    e->iterations = l->steps[lane];
    e->lower = at->lower[lane];
    e->upper = s->residual.distance[lane];
    e->phi = at->phi[lane];
    e->least = e->verdict != OVI_NEWTON_DEEP || !l->local || is_least_in(l, lane, s);
    e->point_a = vec_of(&s->a.p, lane);
    ov_vec3 d = vec_of(&s->facing.p, lane);
    e->point_b = ov_vec3_add(e->point_a, d);
    e->normal_a = vec_of(&s->residual.na, lane);
    e->normal_b = vec_of(&s->residual.nb, lane);
    e->place = (ovi_triple_2){{l->place[0].x[lane], l->place[1].x[lane]},
                              {l->place[0].y[lane], l->place[1].y[lane]},
                              {l->place[0].z[lane], l->place[1].z[lane]}};
    l->active[lane] = 0;
}

OVI_INLINE int iterate_all(ovi_newtons *l, ovi_newton_end *ends, bool ellipsoids) {
    int done = 0;
    while (done == 0) {
        stages s = OVI_OF_STARTS(ovi_stage_at_)(&l->bodies, l->place, ellipsoids);
        OVI_OF_STARTS(ovi_step_) k = OVI_OF_STARTS(ovi_step_of_)(&l->bodies, &s);
        masks stuck = is_stuck(l, &s, k.determinant);
        masks over = (s.progress.converged | s.progress.deep | stuck) & l->active;
        bool late = false;
        for (int lane = 0; lane < OVI_STARTS; lane++) {
            late |= ++l->steps[lane] >= OVI_NEWTON_STEPS;
        }
        if (any(over) || late) {
            for (int lane = 0; lane < OVI_STARTS; lane++) {
                bool out = over[lane] || l->steps[lane] >= OVI_NEWTON_STEPS;
                if (l->active[lane] && out) {
                    take_out(l, lane, &s, &ends[lane]);
                    done |= 1 << lane;
                }
            }
        }
        OVI_OF_STARTS(ovi_make_step_)(&s, &k, l->place);
    }
    return done;
}

OVI_INLINE int iterate_either(ovi_newtons *l, ovi_newton_end *ends) {
    return l->ellipsoids ? iterate_all(l, ends, true) : iterate_all(l, ends, false);
}

OVI_DISPATCH(, int, ovi_newtons_run, iterate_either,
             (ovi_newtons * l, ovi_newton_end ends[OVI_STARTS]), (l, ends))
