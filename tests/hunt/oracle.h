/**
 * @file oracle.h
 * @brief Convex bodies in long double from their textbook definitions, and what can be proven about
 * two of them: shares no code with the library, not even its headers.
 *
 * Every number here is a bound by witness. A point of a body is a convex combination of surface
 * points, so a distance of two such points is an upper bound of the gap whatever the search did; a
 * direction n gives the lower bound g(n) = n.d - hA(n) - hB(-n). What the searches miss makes the
 * bounds weaker, never false.
 *
 * Error of the oracle itself: supports of all kinds are sums and products of positive terms and
 * powers whose logarithms are below 50 in size where they matter, about 40 roundings of 2^-64 or
 * 3e-18 of the reach; the maximum over the height of a tapered body is found to the square of 1e-9.
 * ORACLE_ERROR is thirty times that. What differs by less is unsure.
 */
#ifndef OVOID_HUNT_ORACLE_H
#define OVOID_HUNT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#define ORACLE_ERROR 1e-16L
/** Of the offset of two bodies: a difference of two doubles, a few roundings of 2^-64. */
#define ORACLE_OFFSET_ERROR 1e-18L

typedef long double real;
typedef struct rvec {
    real x, y, z;
} rvec;
/** By rows. */
typedef struct rmat {
    rvec x, y, z;
} rmat;

rvec rv(real x, real y, real z);
rvec rv_add(rvec a, rvec b);
rvec rv_sub(rvec a, rvec b);
rvec rv_scale(rvec a, real s);
real rv_dot(rvec a, rvec b);
rvec rv_cross(rvec a, rvec b);
real rv_length(rvec a);
/** The zero vector stays zero. */
rvec rv_unit(rvec a);
rvec rm_apply(const rmat *m, rvec v);
rvec rm_apply_transposed(const rmat *m, rvec v);
/** a after b. */
rmat rm_mul(const rmat *a, const rmat *b);
/** Quaternion of any length but zero. */
rmat rm_quaternion(real w, real x, real y, real z);

typedef enum body_kind {
    BODY_SMOOTH,    /**< superellipsoid and what is a case of it */
    BODY_TAPERED,   /**< convex hull of a tapered superellipsoid's surface */
    BODY_HALFSPACE, /**< normal . p <= offset */
    BODY_BOX,       /**< within half extents a, plus a ball of `radius` */
    BODY_CAPSULE,
    BODY_CYLINDER,
    BODY_CONE,
    BODY_POINTS, /**< hull of points */
    BODY_DROP    /**< hull of a ball about the origin and the point (0, 0, half) */
} body_kind;

enum { BODY_POINTS_MAX = 2048, BODY_NODES_MAX = 600 };

/** A height of a tapered body: t = 1 - |zeta| resolves the poles, side is the sign of zeta. */
typedef struct body_node {
    real t;
    double zeta, width, f1, f2, log_ratio;
    int side;
    bool at_pole; /**< its coordinate is log t, else log |zeta| */
} body_node;

typedef struct body {
    body_kind kind;
    rvec a;
    real e1, e2, tx, ty;
    real radius, half;
    rvec normal;
    real offset;
    size_t count;
    rvec points[BODY_POINTS_MAX];
    real reach; /**< no point is farther from the frame's origin; half-space: |offset| */
    size_t node_count;
    const body_node *nodes; /**< of a tapered body */
} body;

/** Fills what follows from the parameters: the reach, and the nodes of a tapered body, for which
 *  there is room for BODY_NODES_MAX; null for other kinds. */
void body_finish(body *b, body_node *nodes);

/** Largest n.p over the body and a point that has it; n need not be a unit. */
real body_support(const body *b, rvec n, rvec *point);
/** A point of a tapered body's surface, at a height and a direction of the section's normal. */
rvec body_tapered_point(const body *b, int side, real t, real n1, real n2);
/** n . p of the highest point of the section at a height. */
real body_tapered_height(const body *b, rvec n, int side, real t);
/** Is a point in the body? Exact tests only: BODY_POINTS and BODY_DROP say no. */
bool body_holds(const body *b, rvec p);

typedef struct placed {
    const body *body;
    rmat turn;
    rvec position;
} placed;

/** Bounds of the gap of a pair, with where they come from. */
typedef struct gap_bounds {
    real lower, upper;
    rvec normal; /**< of the lower bound */
    bool common; /**< a common point was found; upper is 0 or below */
} gap_bounds;

/** g(n) and the difference b - a that is lowest along n; n a unit vector from A to B. */
real pair_height(const placed *a, const placed *b, rvec n, rvec *difference);

/** The same with far more heights of tapered bodies, for where a missed top would be to blame. */
real pair_height_careful(const placed *a, const placed *b, rvec n);

/**
 * Both bounds by GJK from a start direction (zero: the line of centres); ends early once the lower
 * bound is above or the upper one at or below `enough` (infinite: goes to the end). Not for
 * half-spaces.
 */
gap_bounds pair_gap(const placed *a, const placed *b, rvec start, real enough);

/** Raises bounds->lower by climbs of g from the best of many directions; `hard`: more of them. */
void pair_climb(const placed *a, const placed *b, bool hard, gap_bounds *bounds);

/** Gap with a half-space, exact: one height. */
gap_bounds pair_halfspace(const placed *a, const placed *b);

/** How far a point of the world is outside of a body: proven above `enough`, else up to it. */
real point_outside(const placed *b, rvec point, real enough);

#endif
