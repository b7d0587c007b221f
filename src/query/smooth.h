/**
 * @file smooth.h
 * @brief The walk of the smooth solver, for the files that start it from several places.
 */
#ifndef OVI_SMOOTH_H
#define OVI_SMOOTH_H

#include "query_internal.h"
#include "surface.h"

enum { OVI_WALK_STEPS = 24, OVI_CAREFUL_STEPS = 80 };

/** Point, unit normal and both by the two parameters, in A's frame; the normals' derivatives may
 *  have a part along the normal. */
typedef struct ovi_patch {
    ovi_triple_1 p, n, p1, p2, n1, n2;
} ovi_patch;

/** A pair of smooth bodies laid out in lanes: A in lane 0, B in lane 1. */
typedef struct ovi_walk {
    const ovi_pair *pair;
    ovi_runs runs; // sections of A and B, profiles of A and B
    ovi_form_2 form;
    ovi_triple_2 turn[3]; // rows of the turn to A's frame
    ovi_triple_2 offset;
    double inverse_size;
    double smaller;     // radius of the smaller ball
    double normal_goal; // normals are opposed when |nA + nB| is no more
    double aside_goal;  // points are opposite when |P - phi nA|^2 is no more
    bool over_a;        // B is the smaller: bound by A's tangent plane
    bool round;         // two ellipsoids: no powers
    bool careful;       // no step that makes the defect larger
} ovi_walk;

typedef enum ovi_verdict {
    OVI_WALK_LOST = 0, // no convergence
    OVI_WALK_MET,      // both bounds within the goal
    OVI_WALK_DEEP,     // a stationary depth
    OVI_WALK_DECIDED   // the gap is above the limit, or not
} ovi_verdict;

typedef struct ovi_walk_end {
    ovi_verdict verdict;
    int iterations;
    double lower, upper, phi; // before rounding
    bool least; // the depth is no less along any normal close by; for local depths only
    ov_vec3 point_a, point_b, normal_a, normal_b;
    ovi_triple_2 place;
} ovi_walk_end;

/** Between the sum (e = 0), the root (1) and the maximum (2) of two numbers: a norm, roughly. */
static inline double ovi_blend(double x, double y, double e) {
    x = fabs(x);
    y = fabs(y);
    double root = sqrt(x * x + y * y);
    return root + (1.0 - e) * (e <= 1.0 ? x + y - root : root - (x > y ? x : y));
}

bool ovi_smooth_is_walkable(const ovi_pair *pair);
ovi_walk ovi_walk_make(const ovi_pair *pair);
/** Both lanes set to one body (0: A, 1: B). */
ovi_walk ovi_walk_twin(const ovi_walk *walk, int body);
/** First places for a normal, A's outward: where the untapered bodies have it, or nearly so. */
ovi_triple_2 ovi_walk_place(const ovi_walk *walk, ov_vec3 normal);
/** Places near the points of a result, the curves run as the exponents say; sets the runs. */
ovi_triple_2 ovi_places_near(ovi_walk *walk, const ovi_result *near);
/**
 * Another walk from points and normal that are nearly right, as the net finds them. The attempts
 * differ in how the curves are run: as the exponents say, from the points (0) or the normal alone
 * (2), or each by what is better determined there, position or normal (1), or with one curve run
 * the other way (3 …). So contacts on the facets, edges and tips of bodies whose exponents are next
 * to 2, or to 0, are reached too.
 */
enum { OVI_WALK_BY_NORMAL = 2, OVI_WALK_ATTEMPTS = 7 };
ovi_walk_end ovi_walk_again(const ovi_walk *walk, const ovi_result *near, int attempt);
ovi_walk_end ovi_walk_from(const ovi_walk *walk, const ovi_triple_2 *place);

/**
 * Makes the lower bound of a walk's end a proven one for dented bodies too, whose hull may stand
 * out over the tangent plane: then the contact is looked for on the bridge over the dent, or the
 * bound is lowered.
 */
void ovi_walk_prove(const ovi_walk *walk, ovi_walk_end *end);

/** A proven contact on the bridge of a body, from what the net found. */
bool ovi_walk_bridge_near(const ovi_walk *walk, const ovi_result *near, int body,
                          ovi_walk_end *end);

/** Is the depth at two opposed points the least of those close by, and not a saddle or the most? */
bool ovi_is_least_depth(const ovi_patch *a, const ovi_patch *b);

/** The normal that the end's lower bound is along: that of the larger body. */
static inline ov_vec3 ovi_walk_normal(const ovi_walk *walk, const ovi_walk_end *end) {
    return walk->over_a ? end->normal_a : ov_vec3_neg(end->normal_b);
}

/** For which bodies the end of a walk is proven to be the top along its normal. */
typedef struct ovi_tops {
    bool a, b;
} ovi_tops;
ovi_tops ovi_ends_at_tops(const ovi_pair *pair, const ovi_walk_end *end);

/** The tops of a dented body above and below its equator, along the normal of a walk's end. */
typedef struct ovi_crests {
    bool found;
    ovi_triple_2 place; // a lane each
    ov_vec3 point[2];   // in the frame of the body
    double top[2];      // no less than the support of its side
} ovi_crests;
ovi_crests ovi_find_crests(const ovi_walk *walk, const ovi_walk_end *end, int body);

/** A bound of the body's support along a normal, taken above (1) or below (-1) its equator only. */
double ovi_side_bound(const ov_shape *shape, ov_vec3 normal, double side);

/**
 * Is a point, in the frame of its body, the maximum of its half of the profile along its normal?
 * Where the tangent plane passes above the equator, it is: a minimum is below it.
 */
bool ovi_is_crest(const ov_shape *shape, ov_vec3 point, ov_vec3 normal);

/**
 * Contact on the bridge over the dent of a body (0: A, 1: B), from where a walk on the bare surface
 * ended. `crests` are the places of the bridge's ends, roughly.
 */
ovi_walk_end ovi_bridge_from(const ovi_walk *walk, const ovi_walk_end *from, int body,
                             const ovi_triple_2 *crests);

/** Where to begin: the warm start, if it is one, or a guess from the semi-axes. */
ovi_triple_2 ovi_walk_first(const ovi_walk *walk, const ov_warm_start *warm);
/** Makes a result of a walk's end, with the net below it; null: the bodies cannot be walked on. */
ov_status ovi_smooth_finish(const ovi_walk *walk, ovi_walk_end *end, ov_warm_start *warm,
                            ovi_result *result);

/** Radius of a ball that rolls inside the body's surface; zero where it has edges. */
double ovi_rolling_radius(const ov_shape *shape);
/**
 * An upper bound of the gap, from the balls that touch the bodies inside at the end of a walk. Of
 * ellipsoids it is proven; of other bodies the radius of the balls rests on a sweep, so it may tell
 * that a search is not worth its time, but is not to be handed out as a bound.
 */
double ovi_rolling_gap(const ovi_pair *pair, const ovi_walk_end *end);
/** The same where it is proven, else infinite. */
double ovi_rolling_bound(const ovi_pair *pair, double rolling_gap);

/** Is a point inside both bodies? In A's frame. */
bool ovi_is_common_point(const ovi_pair *pair, ov_vec3 point);

/**
 * Least depth of two overlapping smooth bodies; `found` is a stationary depth to begin with, or
 * null. Fills lower, gap, points and normal, and `solved`.
 */
void ovi_depth_search(const ovi_walk *walk, const ovi_walk_end *found, ovi_result *result,
                      ovi_triple_2 *place);

#endif
