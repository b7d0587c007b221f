/**
 * @file superquadric_newton.h
 * @brief Newton's method on the surfaces of two superquadrics, and what begins at its end: proofs
 * for hulls over dents, the search for the least depth, the answer of a query.
 *
 * An iteration runs in the lanes of vectors: of one pair (ovi_newton), with a body in each of two
 * lanes, or from several places (ovi_newtons), one in each lane. Step and stop test are the same
 * source for both (superquadric_lanes.h, included here for one, two, four and eight lanes, and by
 * superquadric_batch.c for four of floats, where it needs them).
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
#define OVI_WIDTH 1
#include "superquadric_lanes.h"
// the bodies of a pair, or two pairs
#define OVI_WIDTH 2
#include "superquadric_lanes.h"
// the curves of a pair, or four pairs
#define OVI_WIDTH 4
#include "superquadric_lanes.h"
#define OVI_WIDTH 8
#include "superquadric_lanes.h"

typedef ovi_parametrisation_4 ovi_parametrisation;

/** Starts of one search run side by side: four, or as many as a vector of WebAssembly holds, which
 *  has too few registers for more. */
#if defined(__wasm__)
#define OVI_STARTS 2
#else
#define OVI_STARTS 4
#endif
/** A name of the template for so many lanes; a function of lanes.h for them. */
#define OVI_OF_STARTS(name) OVI_JOIN(name, OVI_STARTS)
#define OVI_STARTS_NUM(name) OVI_JOIN(OVI_OF_STARTS(ovi_v), _##name)

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
    int steps;       // most of them
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
bool ovi_newton_applies(const ov_shape *a, const ov_shape *b);
ovi_newton ovi_newton_make(const ovi_pair *pair);
/** Both lanes set to one body (0: A, 1: B). */
ovi_newton ovi_newton_twin(const ovi_newton *newton, int body);
/** First places for a normal, A's outward: where the untapered bodies have it, or nearly so. */
ovi_triple_2 ovi_newton_places_along(const ovi_newton *newton, ov_vec3 normal);
/** Places near the points of a result, the curves parametrised as the exponents say. */
ovi_triple_2 ovi_newton_places_near(ovi_newton *newton, const ovi_result *near);
/** Where the iteration of a query begins: the warm start (may be null), if it is one, or a guess
 * from the semi-axes (superquadric_pair.c). */
ovi_triple_2 ovi_newton_start(const ovi_newton *newton, const ov_warm_start *warm);
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

/* ---- several at once: one pair from as many places (superquadric_newton.c) */

/** A problem in each lane. */
typedef struct ovi_newtons {
    OVI_OF_STARTS(ovi_bodies_) bodies;
    OVI_OF_STARTS(ovi_triple_) place[2]; // of A and of B
    // iterations that come to gaps below it are given up; -infinity when loaded
    OVI_OF_STARTS(ovi_v) floor;
    OVI_OF_STARTS(ovi_i) active;
    int steps[OVI_STARTS];
    bool ellipsoids; // all are pairs of ellipsoids
    bool local;      // local depths are asked for
} ovi_newtons;

/** Puts a pair into a lane, to start from two places. */
void ovi_newtons_load(ovi_newtons *lanes, int lane, const ovi_newton *newton,
                      const ovi_triple_2 *place);
/** Steps all active lanes until the iteration of at least one is over, writes the ends of those,
 *  and returns their lanes as bits. */
int ovi_newtons_run(ovi_newtons *lanes, ovi_newton_end ends[OVI_STARTS]);

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

/**
 * Heights of a profile along a normal that differ by less are not told apart, in units of the
 * body's radius. The normal of a computed point is that of the point to 2e-13
 * (docs/theory/rounding.md), which shifts a height by that times the radius, however flat the
 * profile: along the straight side of a bevelled, slender body a point is stationary to rounding
 * anywhere, and the maximum may be at the far end.
 */
#define OVI_HULL_TIE 1e-12

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

/** Makes a result of an end, with the support-based solver below it; null: the iteration does not
 *  apply. */
ov_status ovi_superquadric_finish(const ovi_newton *newton, ovi_newton_end *end,
                                  ov_warm_start *warm, ovi_result *result);

/* ---- many pairs (superquadric_batch.c) */

enum { OVI_GROUP_MAX = 8 };

/** How many pairs go side by side on this machine. */
static inline int ovi_group_lanes(void) {
#if defined(__x86_64__)
    return ovi_has_avx512() ? 8 : 4;
#else
    return 4;
#endif
}

/** As many pairs that Newton's method applies to as there are lanes, or fewer. */
typedef struct ovi_group {
    int lanes; // 4, or 8 where the machine has them
    int count;
    bool ellipsoids; // all are pairs of ellipsoids
    const ov_pair_options *options;
    const ov_pair *pairs[OVI_GROUP_MAX]; // beyond the count, any of them again
    ov_warm_start *warm[OVI_GROUP_MAX];  // null, all of them, where there are none
    ov_contact *contacts[OVI_GROUP_MAX];
} ovi_group;

/** Writes contacts, and returns those lanes as bits that are left to the single query. */
unsigned ovi_superquadric_group(const ovi_group *in);
/** The same for eight lanes (superquadric_batch_avx512.c). */
unsigned ovi_superquadric_group_8(const ovi_group *in);

/* ---- two surfaces at their places, a body in each of two lanes */

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
    ovi_curve_4 k = ovi_curves_at_4(c4, s4, &newton->by);
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
