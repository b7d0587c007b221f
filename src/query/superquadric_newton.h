/**
 * @file superquadric_newton.h
 * @brief Newton's method on the surfaces of two superquadrics, and what begins at its end: proofs
 * for hulls over dents, the search for the least depth, the answer of a query.
 *
 * An iteration runs in the lanes of vectors: of one pair (ovi_newton), with a body in each of two
 * lanes, or of four (ovi_newton4), with a pair in each of four. Step and stop test are the same
 * source for both (superquadric_lanes.h, included here for one, two and four lanes).
 */
#ifndef OVI_SUPERQUADRIC_NEWTON_H
#define OVI_SUPERQUADRIC_NEWTON_H

#include "../math/lanes.h"
#include "query_internal.h"

/* ---- point and normal of a superquadric with their first derivatives, for every exponent

   A surface is a section (curve in xy, squareness e1) carried along a profile (curve of width w and
   height zeta, squareness e2). The place on both is a unit vector u of R^3: the section's ray is
   (u1, u2), the profile's ray (|(u1, u2)|, u3). A curve with e <= 1 has flats, where the normal
   hardly moves: its ray is the direction of the *position*. One with e > 1 has edges, where the
   position hardly moves: its ray is the direction of the *normal*. So position and normal are both
   smooth functions of u, whatever the exponents. With N the p-norm (or its dual), ray (c, s):

       by position:  point (c, s)/N,  covector grad N
       by normal:    covector (c, s)/N_dual,  point grad N_dual

   and with X, Y the section's point, gX, gY its covector, w, zeta, gw, gz those of the profile,
   f1 = 1 + tx zeta, f2 = 1 + ty zeta, and since gX X + gY Y = 1:

       point     (a1 f1 w X, a2 f2 w Y, a3 zeta)
       covector  (a2 f2 gw gX, a1 f1 gw gY, (gz f1 f2 - gw w (ty f1 + (tx - ty) gX X)) a1 a2/a3)

   The covector is the gradient of the gauge times a1 a2 f1 f2, so nothing is divided, and its
   derivatives are those of this product: along the covector itself they mean nothing.

   Parameter 1 moves u along (-u2, u1, 0)/|(u1, u2)|, parameter 2 towards the pole, both at unit
   speed on the sphere; so the derivatives stay finite at the poles. */

/** No step of Newton's method on the sphere of places is longer. */
#define OVI_NEWTON_STEP_MAX 0.5
/** Closer to a pole than this, |(u1, u2)|, any section will do. */
#define OVI_POLE_RADIUS 1e-140

// one number, for single pairs
#define OVI_NUM double
#define OVI_MASK int
#define OVI_NAME(x) x##_1
#define OVI_SQRT sqrt
#define OVI_WHERE(mask, a, b) ((mask) ? (a) : (b))
#define OVI_OF(x) (x)
#include "superquadric_lanes.h"
// two: the bodies of a pair
#define OVI_NUM ovi_v2
#define OVI_MASK ovi_i2
#define OVI_NAME(x) x##_2
#define OVI_SQRT ovi_v2_sqrt
#define OVI_WHERE ovi_v2_select
#define OVI_OF ovi_v2_of
#include "superquadric_lanes.h"
// four pairs
#define OVI_NUM ovi_v4
#define OVI_MASK ovi_i4
#define OVI_NAME(x) x##_4
#define OVI_SQRT ovi_v4_sqrt
#define OVI_WHERE ovi_v4_select
#define OVI_OF ovi_v4_of
#include "superquadric_lanes.h"

/** How four curves are parametrised: by position or by normal, and the exponent of that norm. */
typedef struct ovi_parametrisation {
    ovi_v4 minus_1;         // p - 1
    ovi_v4 inverse_minus_1; // 1/p - 1
    ovi_i4 by_position;
} ovi_parametrisation;

/** Four curves at once, at rays of any length. */
OVI_INLINE ovi_curve_4 ovi_curves_at(ovi_v4 c, ovi_v4 s, const ovi_parametrisation *by) {
    ovi_v4 ac = ovi_v4_abs(c), as = ovi_v4_abs(s);
    ovi_i4 swapped = as > ac;
    ovi_v4 big = ovi_v4_select(swapped, as, ac), small = ovi_v4_select(swapped, ac, as);
    ovi_v4 inverse_big = 1.0 / big, ratio = small * inverse_big;
    ratio = ovi_v4_select(ratio > 1e-200, ratio, ovi_v4_of(1e-200));
    ovi_v4 y = by->minus_1 * ovi_v4_log2(ratio);
    ovi_i4 seen = y > -1000.0; // a power that is less counts as zero
    ovi_v4 power = ovi_v4_exp2(ovi_v4_select(seen, y, ovi_v4_of(-1000.0)));
    power = ovi_v4_select(seen, power, ovi_v4_of(0.0));
    ovi_v4 t = ratio * power, t1 = 1.0 + t;
    ovi_v4 grad_big = ovi_v4_exp2(by->inverse_minus_1 * ovi_v4_log2(t1));
    // the norm is big t1 W, its gradient (W, power W), its second derivatives as in p_norm.h
    ovi_v4 grad_small = power * grad_big, inverse_t1 = 1.0 / t1;
    ovi_v4 steep = power * (1.0 / ratio), k = by->minus_1 * grad_big * inverse_big * inverse_t1;
    ovi_v4 big_big = k * t, small_small = k * steep, mixed = -k * power;
    ovi_v4 gu = ovi_v4_copysign(ovi_v4_select(swapped, grad_small, grad_big), c);
    ovi_v4 gv = ovi_v4_copysign(ovi_v4_select(swapped, grad_big, grad_small), s);
    ovi_v4 huu = ovi_v4_select(swapped, small_small, big_big);
    ovi_v4 hvv = ovi_v4_select(swapped, big_big, small_small);
    ovi_v4 huv = ovi_v4_copysign(mixed, mixed * c * s); // mixed has the sign of -c s
    ovi_v4 slope = gv * c - gu * s;
    ovi_v4 inverse = inverse_big * inverse_t1 / grad_big, pu = c * inverse, pv = s * inverse;
    ovi_v4 dpu = -(s + pu * slope) * inverse, dpv = (c - pv * slope) * inverse;
    ovi_v4 dgu = huv * c - huu * s, dgv = hvv * c - huv * s;
    ovi_v4 gu_c = inverse_big * grad_big * ovi_v4_select(swapped, steep, ovi_v4_of(1.0));
    ovi_i4 m = by->by_position;
    return (ovi_curve_4){ovi_v4_select(m, pu, gu),        ovi_v4_select(m, pv, gv),
                         ovi_v4_select(m, gu, pu),        ovi_v4_select(m, gv, pv),
                         ovi_v4_select(m, dpu, dgu),      ovi_v4_select(m, dpv, dgv),
                         ovi_v4_select(m, dgu, dpu),      ovi_v4_select(m, dgv, dpv),
                         ovi_v4_select(m, inverse, gu_c), ovi_v4_select(m, gu_c, inverse)};
}

/* ---- the iteration: its layout and its end */

/** Most steps of an iteration, and of a damped one. */
enum { OVI_NEWTON_STEPS = 24, OVI_DAMPED_STEPS = 80 };

/** A pair laid out in lanes: A in lane 0, B in lane 1. */
typedef struct ovi_newton {
    const ovi_pair *pair;
    ovi_parametrisation by; // sections of A and B, profiles of A and B
    ovi_form_2 form;
    ovi_triple_2 turn[3]; // rows of the rotation to A's frame
    ovi_triple_2 offset;
    double inverse_size;
    ovi_goals_1 goals;
    bool ellipsoids; // both are: no powers
    bool damped;     // no step that makes the defect larger
} ovi_newton;

typedef enum ovi_verdict {
    OVI_NEWTON_FAILED = 0, // no convergence
    OVI_NEWTON_CONVERGED,  // both bounds within the goal
    OVI_NEWTON_DEEP,       // a stationary depth
    OVI_NEWTON_DECIDED     // the gap is above the limit, or not
} ovi_verdict;

/** Where an iteration ended. */
typedef struct ovi_newton_end {
    ovi_verdict verdict;
    int iterations;
    double lower, upper; // bounds of the gap, before rounding
    double phi;          // n.(pB - pA), n the normal of the larger body: below zero it is a depth
    bool least;          // the depth is no less along any normal close by; for local depths only
    ov_vec3 point_a, point_b, normal_a, normal_b;
    ovi_triple_2 place; // to start from again
} ovi_newton_end;

/* ---- one pair (superquadric_newton.c) */

/** Are the exponents of both bodies far enough from 0 and 2 for steps on the surfaces? */
bool ovi_newton_applies(const ovi_pair *pair);
ovi_newton ovi_newton_make(const ovi_pair *pair);
/** Both lanes set to one body (0: A, 1: B). */
ovi_newton ovi_newton_twin(const ovi_newton *newton, int body);
/** First places for a normal, A's outward: where the untapered bodies have it, or nearly so. */
ovi_triple_2 ovi_newton_places_along(const ovi_newton *newton, ov_vec3 normal);
/** Places near the points of a result, the curves parametrised as the exponents say. */
ovi_triple_2 ovi_newton_places_near(ovi_newton *newton, const ovi_result *near);
/** The iteration from two places. */
ovi_newton_end ovi_newton_run(const ovi_newton *newton, const ovi_triple_2 *place);
/**
 * Another one, damped, from points and normal that are nearly right, as the support-based solver
 * finds them. The attempts differ in how the curves are parametrised: as the exponents say, from
 * the points (0) or the normal alone (2), or each by what is better determined there, position or
 * normal (1), or with one curve the other way (3 …). So contacts on the facets, edges and tips of
 * bodies whose exponents are next to 2, or to 0, are reached too.
 */
enum { OVI_RETRY_BY_NORMAL = 2, OVI_RETRIES = 7 };
ovi_newton_end ovi_newton_retry(const ovi_newton *newton, const ovi_result *near, int attempt);

/** The normal that the end's lower bound is along: that of the larger body. */
static inline ov_vec3 ovi_newton_normal(const ovi_newton *newton, const ovi_newton_end *end) {
    return newton->goals.over_a ? end->normal_a : ov_vec3_neg(end->normal_b);
}

/* ---- four at once: of four pairs, or of one pair from four places (superquadric_newton.c) */

/** Four problems, a lane each; index 0 is body A, 1 body B. */
typedef struct ovi_newton4 {
    ovi_form_4 form[2];
    ovi_parametrisation section[2], profile[2];
    ovi_triple_4 turn[3]; // rows of B's rotation to A's frame
    ovi_triple_4 offset;
    ovi_triple_4 place[2];
    ovi_v4 inverse_size;
    ovi_goals_4 goals;
    ovi_v4 floor; // iterations that come to gaps below it are given up; -infinity when loaded
    ovi_i4 active;
    int steps[4];
    bool ellipsoids; // all four are pairs of ellipsoids
    bool local;      // local depths are asked for
} ovi_newton4;

/** Puts a pair into a lane, to start from two places. */
void ovi_newton4_load(ovi_newton4 *lanes, int lane, const ovi_newton *newton,
                      const ovi_triple_2 *place);
/** Steps all active lanes until the iteration of at least one is over, writes the ends of those,
 *  and returns their lanes as bits. */
int ovi_newton4_run(ovi_newton4 *lanes, ovi_newton_end ends[4]);

/* ---- bodies with a dent (superquadric_hull.c) */

/**
 * Makes the lower bound of an end a proven one for dented bodies too, whose hull may stand out over
 * the tangent plane: then the contact is looked for on the bridge over the dent, or the bound is
 * lowered.
 */
void ovi_hull_prove(const ovi_newton *newton, ovi_newton_end *end);
/** A proven contact on the bridge of a body, from what the support-based solver found. */
bool ovi_hull_bridge_near(const ovi_newton *newton, const ovi_result *near, int body,
                          ovi_newton_end *end);

/** For which bodies the point of an end is proven to be the maximum along its normal. */
typedef struct ovi_at_maximum {
    bool a, b;
} ovi_at_maximum;
ovi_at_maximum ovi_hull_at_maximum(const ovi_pair *pair, const ovi_newton_end *end);

/** The maxima of a dented body above and below its equator, along the normal of an end. */
typedef struct ovi_side_maxima {
    bool found;
    ovi_triple_2 place; // a lane each
    ov_vec3 point[2];   // in the frame of the body
    double value[2];    // no less than the support of its side
} ovi_side_maxima;
ovi_side_maxima ovi_hull_side_maxima(const ovi_newton *newton, const ovi_newton_end *end, int body);

/**
 * Is a point of a body's frame, next to the body's point of an end, inside its hull by a bridge
 * over its dent? `inside` is what the gauge of the bridge's ends must be below. True is a proof.
 */
bool ovi_hull_holds(const ovi_newton *newton, const ovi_newton_end *end, int body, ov_vec3 point,
                    double inside);

/** A bound of the body's support along a normal, taken above (1) or below (-1) its equator only. */
double ovi_hull_side_bound(const ov_shape *shape, ov_vec3 normal, double side);

/* ---- depth (superquadric_depth.c) */

/** Radius of a ball that fits into the body at each point of its surface; zero where there are
 *  edges. */
double ovi_rolling_radius(const ov_shape *shape);
/**
 * An upper bound of the gap, from the balls that touch the bodies inside at the end of an
 * iteration. Of ellipsoids it is proven; of other bodies the radius of the balls rests on a sweep,
 * so it may tell that a search is not worth its time, but is not to be handed out as a bound.
 */
double ovi_rolling_gap(const ovi_pair *pair, const ovi_newton_end *end);
/** The same where it is proven, else infinite. */
double ovi_rolling_bound(const ovi_pair *pair, double rolling_gap);

/**
 * Least depth of two overlapping bodies; `found` is a stationary depth to begin with, or null.
 * Fills lower, gap, points and normal, and `solved`; `place` (may be null) gets where a later query
 * may start.
 */
void ovi_depth_search(const ovi_newton *newton, const ovi_newton_end *found, ovi_result *result,
                      ovi_triple_2 *place);

/* ---- the query (superquadric_pair.c) */

/** Where to begin: the warm start, if it is one, or a guess from the semi-axes. */
ovi_triple_2 ovi_superquadric_start(const ovi_newton *newton, const ov_warm_start *warm);
/** Makes a result of an end, with the support-based solver below it; null: the iteration does not
 *  apply. */
ov_status ovi_superquadric_finish(const ovi_newton *newton, ovi_newton_end *end,
                                  ov_warm_start *warm, ovi_result *result);

/* ---- two surfaces at their places, a body in each of two lanes */

/** Vectors of the bodies' frames in A's. */
OVI_INLINE ovi_triple_2 ovi_turn_2(const ovi_triple_2 m[3], ovi_triple_2 v) {
    return (ovi_triple_2){ovi_dot_2(m[0], v), ovi_dot_2(m[1], v), ovi_dot_2(m[2], v)};
}

OVI_INLINE ovi_triple_1 ovi_lane_of(ovi_triple_2 v, int lane) {
    return (ovi_triple_1){v.x[lane], v.y[lane], v.z[lane]};
}

OVI_INLINE ov_vec3 ovi_vec_of(ovi_triple_1 t) { return (ov_vec3){t.x, t.y, t.z}; }

OVI_INLINE ovi_triple_1 ovi_minus_1(ovi_triple_1 a, ovi_triple_1 b) {
    return (ovi_triple_1){a.x - b.x, a.y - b.y, a.z - b.z};
}

/** Both surfaces at the places u, in their own frames; `r` is |(u1, u2)|. */
OVI_INLINE ovi_surface_2 ovi_surfaces_at(const ovi_newton *newton, const ovi_triple_2 *u, ovi_v2 r,
                                         bool ellipsoids) {
    if (ellipsoids) {
        return ovi_ellipsoid_at_2(&newton->form, u, r);
    }
    // at a pole any section will do
    ovi_v2 c = ovi_v2_select(r > OVI_POLE_RADIUS, u->x, ovi_v2_of(1.0));
    ovi_v4 c4 = __builtin_shufflevector(c, r, 0, 1, 2, 3);
    ovi_v4 s4 = __builtin_shufflevector(u->y, u->z, 0, 1, 2, 3);
    ovi_curve_4 k = ovi_curves_at(c4, s4, &newton->by);
#define HALF(field, i, j) __builtin_shufflevector(k.field, k.field, i, j)
#define CURVE(i, j)                                                                                \
    {HALF(u, i, j),  HALF(v, i, j),   HALF(gu, i, j),  HALF(gv, i, j),  HALF(du, i, j),            \
     HALF(dv, i, j), HALF(dgu, i, j), HALF(dgv, i, j), HALF(u_c, i, j), HALF(gu_c, i, j)}
    ovi_curve_2 section = CURVE(0, 1), profile = CURVE(2, 3);
#undef CURVE
#undef HALF
    return ovi_surface_at_2(&newton->form, &section, &profile);
}

/** Point, unit normal and both by the two parameters, in A's frame; the normals' derivatives may
 *  have a part along the normal. */
typedef struct ovi_patch {
    ovi_triple_1 p, n, p1, p2, n1, n2;
} ovi_patch;

/** What one lane looks like from A. */
OVI_INLINE ovi_patch ovi_patch_of(const ovi_newton *newton, const ovi_surface_2 *s, int lane) {
    ovi_v2 none = {0.0, 0.0};
    ovi_triple_2 m = ovi_turn_2(newton->turn, s->m), p = ovi_turn_2(newton->turn, s->p);
    ovi_triple_2 p1 = ovi_turn_2(newton->turn, (ovi_triple_2){s->p1x, s->p1y, none});
    ovi_v2 scale = 1.0 / ovi_v2_sqrt(ovi_dot_2(m, m));
    return (ovi_patch){{p.x[lane] + newton->offset.x[lane], p.y[lane] + newton->offset.y[lane],
                        p.z[lane] + newton->offset.z[lane]},
                       ovi_lane_of(ovi_times_2(m, scale), lane),
                       ovi_lane_of(p1, lane),
                       ovi_lane_of(ovi_turn_2(newton->turn, s->p2), lane),
                       ovi_lane_of(ovi_times_2(ovi_turn_2(newton->turn, s->m1), scale), lane),
                       ovi_lane_of(ovi_times_2(ovi_turn_2(newton->turn, s->m2), scale), lane)};
}

#endif
