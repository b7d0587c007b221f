/**
 * @file query.h
 * @brief Queries of placed shapes: the certified gap of a pair, batches, manifolds, derivatives,
 * and points, rays, casts, segments and triangles against a body.
 *
 * Every answer has bounds that hold for the bodies as given, rounding included, and a relation that
 * is set only where it is proven. docs/theory/rounding.md derives the bounds and lists what is
 * trusted. They hold in every rounding mode, and where small results are flushed to zero. A query
 * that did not reach the tolerance says so by its status; its bounds still hold. Queries allocate
 * nothing, keep no state and have bounded loops, so they may run on any number of threads.
 *
 * Words: the *gap* is the signed distance. Where the bodies overlap it is minus the *depth*, the
 * length of the shortest translation that separates them. *Witness points* are the two surface
 * points that realise the gap; the *normal* is a unit vector from A towards B. The *size* of a pair
 * is the larger radius of the two bounding balls (`ov_shape.ball`); a half-space does not count.
 */
#ifndef OVOID_QUERY_H
#define OVOID_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Are two bodies separated, touching or overlapping? */
typedef enum ov_relation {
    OV_RELATION_UNDECIDED = 0, /**< zero is within the bounds, which exceed the tolerance */
    OV_RELATION_SEPARATED,     /**< proven: gap_lower > 0 */
    OV_RELATION_TOUCHING,      /**< zero is within the bounds, which are within the tolerance */
    OV_RELATION_OVERLAPPING    /**< proven by a common interior point: gap_upper <= 0 */
} ov_relation;

/** "separated", "touching", "overlapping", "undecided". */
const char *ov_relation_name(ov_relation relation);

/** What to compute where the bodies overlap. */
typedef enum ov_depth {
    OV_DEPTH_DEFAULT = 0, /**< pair queries: global; worlds: local */
    OV_DEPTH_GLOBAL,      /**< the least depth over a search of all directions */
    OV_DEPTH_LOCAL,       /**< a local minimum, near the warm start or the line of centres */
    OV_DEPTH_PROVEN       /**< the least depth, with both bounds proven to the tolerance; slower */
} ov_depth;

/** "default", "global", "local", "proven". */
const char *ov_depth_name(ov_depth depth);

/** Tolerances must lie in [OV_TOLERANCE_MIN, OV_TOLERANCE_MAX], or be 0. */
#define OV_TOLERANCE_MIN 1e-12
#define OV_TOLERANCE_MAX 1e-3

typedef struct ov_pair_options {
    double tolerance; /**< goal for gap_upper - gap_lower, in units of the pair's size; 0: 1e-9 */
    ov_depth depth;
} ov_pair_options;

/** Tolerance 1e-9, depth OV_DEPTH_DEFAULT. */
ov_pair_options ov_default_pair_options(void);

typedef struct ov_contact {
    double gap;                  /**< the best estimate, between the bounds */
    double gap_lower, gap_upper; /**< proven bounds of the gap */
    ov_vec3 point_a, point_b;    /**< witness points, in the world: see ov_pair_contact */
    ov_vec3 normal;              /**< unit, from A towards B, in the world */
    ov_relation relation;
    ov_status status;
    int iterations; /**< of all solvers together */
} ov_contact;

/**
 * Where the last query of a pair ended, as a start for the next one. The caller keeps one per pair,
 * zero-initialised. Any content is safe; a poor one only costs time.
 */
typedef struct ov_warm_start {
    /**
     * The place on each surface, in its frame; of two bodies that are hulls of vertices, with or
     * without a round skin, the numbers of up to three of them, from 1; where one of them has
     * a rim, a tip or a smooth surface, the numbers of these.
     */
    ov_vec3 a, b;
    ov_vec3 normal; /**< in A's frame; zero: nothing known */
} ov_warm_start;

/**
 * Gap, witness points and normal of two convex bodies, with bounds.
 *
 * Separated bodies: the bounds are within the tolerance, or the status is OV_NOT_CONVERGED. A few
 * times the rounding error of the bodies and of their offset is added to the tolerance (about 1e-12
 * of the size for superovoids; for bodies 1e9 sizes apart, the spacing of doubles there).
 *
 * Overlapping bodies: the overlap is proven, and so is `gap_lower`: the translation by -gap_lower
 * along the normal separates the bodies. With OV_DEPTH_GLOBAL the depth is the least over a search
 * of all directions; `gap_upper` is proven from the other side, and may be as weak as zero for
 * curved bodies. With OV_DEPTH_PROVEN both bounds are within the tolerance, or the status is
 * OV_NOT_CONVERGED.
 *
 * Points, normal, gap and bounds belong together, up to rounding (that of the bounds, and the
 * spacing of doubles at the points):
 *  - The points lie on the surfaces of the bodies. Points of polyhedra, of custom bodies and of
 *    bodies with a dent may lie below the surface, by at most the width of the bounds. Points on
 * the bridge over a dent are on the convex hull.
 *  - A gap above zero is the distance between the points: gap = |point_b - point_a| <= gap_upper.
 *  - Any other gap is normal . (point_b - point_a). For overlapping bodies this is minus the depth
 *    along the normal, to the tolerance. The points are opposite each other if such points were
 *    found, else they are the support points along the normal.
 *  - The normal proves gap_lower: the supporting planes of A and B across the normal are at least
 *    gap_lower apart. So gap_lower <= normal . (point_b - point_a) <= gap_upper.
 *
 * All convex kinds; at most one of the two may be a half-space (two give OV_ERROR_UNBOUNDED).
 * Quaternions need not be normalised. `options` and `warm` may be null. Returns contact->status; if
 * that is negative, all numbers of the contact are NaN.
 */
ov_status ov_pair_contact(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                          const ov_pair_options *options, ov_warm_start *warm, ov_contact *contact);

/** Answer to a yes/no question that may be too close to decide. */
typedef enum ov_answer { OV_ANSWER_NO = 0, OV_ANSWER_YES = 1, OV_ANSWER_UNKNOWN = 2 } ov_answer;

/**
 * Is the gap larger than `limit` (a length, not negative)? Stops as soon as a bound decides.
 * OV_ANSWER_UNKNOWN, with status OV_NOT_CONVERGED, if the gap is too close to the limit to decide.
 */
ov_status ov_pair_exceeds(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options, ov_warm_start *warm,
                          ov_answer *answer);

/* ---- batches --------------------------------------------------------------------------------- */

/** Two placed shapes. */
typedef struct ov_pair {
    const ov_shape *a, *b;
    ov_pose pose_a, pose_b; /**< a rotation of zeros: none */
} ov_pair;

/**
 * ov_pair_contact over an array: contacts[i], with its own status, is that of pairs[i]. Several
 * smooth pairs are solved at once with vector instructions, chosen at run time. The bounds are as
 * good as those of the single query; the last digits may differ. `warm` is null or an array of
 * `count`. `threads` may be null: as many as the machine has; the contacts do not depend on it.
 * Returns OV_OK, or an error of the call itself (null, options), which every contact gets too.
 */
ov_status ov_pair_contact_batch(const ov_pair *pairs, size_t count, const ov_pair_options *options,
                                const ov_threads *threads, ov_warm_start *warm,
                                ov_contact *contacts);

/* ---- manifolds ------------------------------------------------------------------------------- */

/** Largest number of points of a manifold. */
enum { OV_MANIFOLD_POINTS_MAX = 8 };

/** A point of the region of contact, in the world. */
typedef struct ov_manifold_point {
    ov_vec3 point_a, point_b; /**< on the two surfaces, opposite each other along the normal */
    double gap;               /**< normal . (point_b - point_a) */
    /**
     * Which features of the two bodies the point is of: corners, edges, ends of a side, parts of a
     * rounded flat. While these are in contact the id stays; within a manifold it occurs once. 0:
     * the witness points.
     */
    uint64_t id;
} ov_manifold_point;

/** Points of the region of contact; the normal of all of them is that of the contact. */
typedef struct ov_manifold {
    ov_contact contact; /**< that of the pair, as ov_pair_contact has it */
    int count;          /**< 0 if the gap is larger than the reach */
    ov_manifold_point points[OV_MANIFOLD_POINTS_MAX];
} ov_manifold;

/**
 * Where two bodies touch, for a simulation: one point is enough for a gap, but not for a body that
 * stands. Looked at along the normal, the distance g(u, v) between the two surfaces is convex over
 * the tangent plane; its least value is the gap, and the region of contact is where it is no more
 * than `reach` (a length, finite, not negative). The manifold has up to eight points of it: corners
 * of what the two faces, edges, sides or caps have in common; of smooth bodies the four places
 * where the normal is tilted by 0.001 rad, or, in bodies that are deeper in each other than 0.02 of
 * the smaller one's size, by that share, up to 0.1; and the witness points if they are deeper than
 * the others. Points closer together than 0.05 of the smaller body's size are one, so round bodies
 * have one point.
 *
 *  - `gap` of a point is g there: the distance along the normal between the bodies' surfaces.
 *    Both points are on the line along the normal. This holds to about 1e-12 of the size, to 1e-6
 *    for a polyhedron (faces that are level to this count as one), and to 1e-9 where a ray is
 *    needed: custom bodies and polyhedra without triangles, which are also slower. Places over the
 *    dent of a body are left out.
 *  - If the witness points of the contact are opposite each other (see ov_pair_contact), one point
 *    has the gap of the contact, to 1e-4 of the smaller body's size. If there is one point only, it
 *    is the witness points themselves.
 *
 * Kinds, `options`, `warm` and statuses are those of ov_pair_contact. OV_ERROR_NOT_FINITE or
 * OV_ERROR_OPTION for a bad reach. If the status is negative, there are no points.
 */
ov_status ov_pair_manifold(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                           double reach, const ov_pair_options *options, ov_warm_start *warm,
                           ov_manifold *manifold);

/** The manifold of a contact of these bodies that was found before, as by a world. Returns the
 *  contact's status, or an error; OV_ERROR_NOT_FINITE if the contact has no points or normal. */
ov_status ov_contact_manifold(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              const ov_contact *contact, double reach, ov_manifold *manifold);

/* ---- derivatives ----------------------------------------------------------------------------- */

/** Degrees of freedom of a body: three translations along the world's axes, then three rotations
 *  about the world's axes through the body's position. */
enum { OV_DOF_COUNT = 6 };
/** Parameters of a superovoid, in this order. */
enum {
    OV_PARAMETER_A1,
    OV_PARAMETER_A2,
    OV_PARAMETER_A3,
    OV_PARAMETER_E1,
    OV_PARAMETER_E2,
    OV_PARAMETER_TX,
    OV_PARAMETER_TY,
    OV_PARAMETER_COUNT
};

/**
 * Derivatives by the degrees of freedom of A (first index 0) and B (1), and by the parameters of
 * each. If one of the flags is false, its numbers are no derivatives, and the status is
 * OV_NOT_SMOOTH:
 *
 *  - `gap_smooth`: normal and witness points are unique, so `gap` holds on both sides. If not (flat
 *    on flat, an edge along a flat, corner on corner), it is a slope between those of the two
 * sides: an element of the generalised derivative.
 *  - `contact_smooth`: `point_a`, `point_b` and `normal` exist. If not, they are zero.
 *  - `shape_smooth`: `gap_shape` holds on both sides. If not, it is the slope towards one side
 * only, as for the taper of a straight profile (an exponent of 2); or an element as above; or zero
 * on the bridge over a dent. False for kinds without parameters, which do not affect the status.
 *
 * At an exponent of 2, the end of its range, the derivative by it is the one from below.
 */
typedef struct ov_contact_derivatives {
    double gap[2][OV_DOF_COUNT];
    ov_vec3 point_a[2][OV_DOF_COUNT];
    ov_vec3 point_b[2][OV_DOF_COUNT];
    ov_vec3 normal[2][OV_DOF_COUNT];
    double gap_shape[2][OV_PARAMETER_COUNT]; /**< by the parameters of A and B; smooth family, else
                                                0 */
    bool gap_smooth;
    bool contact_smooth;
    bool shape_smooth[2][OV_PARAMETER_COUNT];
} ov_contact_derivatives;

/**
 * Derivatives of a solved contact. Returns contact->status, or OV_NOT_SMOOTH if some of them do not
 * exist; the flags say which.
 *
 * Those of the gap exist wherever the contact is unique. Those of witness points and normal need
 * curvatures that are the same on all sides of the contact, over 1e-7 of a body's size or 1e-7
 * radians and to 1e-4. They do not exist where a flat touches a flat, or where an edge touches a
 * flat or a parallel edge; at the border of a face, edge, rim or seam; on a superovoid's plane of
 * symmetry if an exponent is within about 0.2 of 1 but not 1; at a pole with e2 = 1 and e1 not 1;
 * on the bridge over a dent; and for custom bodies. docs/theory/derivatives.md has the table.
 */
ov_status ov_pair_derivatives(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              const ov_contact *contact, ov_contact_derivatives *out);

/* ---- points ---------------------------------------------------------------------------------- */

/**
 * Signed distance of a point, negative inside: A is the body, B the point. `point_a` is the nearest
 * surface point, the normal points outwards there. Inside, the depth is that of ov_pair_contact.
 */
ov_status ov_point_contact(const ov_shape *shape, ov_pose pose, ov_vec3 point,
                           const ov_pair_options *options, ov_contact *contact);

/**
 * Radial distance: from the surface to the point, along the line from the body's centre through the
 * point, negative inside [Thesis, 3.3]. It bounds the distance from above and costs only a few
 * powers; smooth family. OV_NOT_SMOOTH at the centre itself, with the distance to the nearest end
 * of an axis.
 */
ov_status ov_point_radial(const ov_shape *shape, ov_pose pose, ov_vec3 point, double *distance,
                          ov_vec3 *surface_point);

/* ---- rays and casts -------------------------------------------------------------------------- */

typedef struct ov_ray_hit {
    bool hit;
    double distance; /**< along the unit direction; infinite if there is no hit */
    double distance_lower, distance_upper; /**< proven */
    ov_vec3 point, normal;                 /**< where it enters; the normal is outward */
} ov_ray_hit;

/**
 * First point of a convex body on the ray from `origin` along `direction` (any length but zero), up
 * to `reach` (a length, may be infinite). A ray that begins inside hits at distance 0, with the
 * normal opposite to the ray. OV_NOT_CONVERGED if a grazing hit could not be decided (`hit` is
 * false, and the bounds say where it may be), or if the distance of a proven hit is less accurate
 * than 1e-9 of the size (`hit` is true).
 */
ov_status ov_ray_cast(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                      double reach, ov_ray_hit *hit);

typedef struct ov_cast_hit {
    bool hit;
    double fraction; /**< of the translation, 0 to 1; infinite if there is no hit */
    double fraction_lower, fraction_upper; /**< proven: free up to lower, in contact at upper */
    ov_contact contact;                    /**< at `fraction` */
} ov_cast_hit;

/**
 * First contact of A, translated along `translation`, with the resting B. The motion is proven free
 * up to `fraction_lower`. Bodies that overlap at the start hit at 0.
 */
ov_status ov_shape_cast(const ov_shape *a, ov_pose pose_a, ov_vec3 translation, const ov_shape *b,
                        ov_pose pose_b, const ov_pair_options *options, ov_cast_hit *hit);

/* ---- segments and triangles, in the world -----------------------------------------------------
 */

/** Body (A) against the segment from p to q (B). */
ov_status ov_segment_contact(const ov_shape *shape, ov_pose pose, ov_vec3 p, ov_vec3 q,
                             const ov_pair_options *options, ov_contact *contact);
/** Body (A) against the triangle p, q, r (B). */
ov_status ov_triangle_contact(const ov_shape *shape, ov_pose pose, ov_vec3 p, ov_vec3 q, ov_vec3 r,
                              const ov_pair_options *options, ov_contact *contact);

/* ---- superellipse and segment, in the plane [Thesis, Appendix B] ------------------------------
 */

typedef struct ov_contact2 {
    double gap, gap_lower, gap_upper;
    ov_vec2 point_a, point_b; /**< on the curve, on the segment */
    ov_vec2 normal;           /**< unit, from the curve towards the segment */
    ov_relation relation;
    ov_status status;
    int iterations;
} ov_contact2;

/** Superellipse at a position and angle (counter-clockwise) against the segment from p to q. */
ov_status ov_superellipse_segment(const ov_superellipse *curve, ov_vec2 position, double angle_rad,
                                  ov_vec2 p, ov_vec2 q, const ov_pair_options *options,
                                  ov_contact2 *contact);

#ifdef __cplusplus
}
#endif

#endif
