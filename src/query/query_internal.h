/**
 * @file query_internal.h
 * @brief What the files of src/query/ share: a pair seen from A, and what is known about its gap.
 *
 * The way of a query: pair.c checks the input and looks at the pair from A's frame (ovi_pair); a
 * closed form (pair_closed.c, pair_box.c), the solver for superquadrics (superquadric_pair.c) or
 * the support-based one (gjk.c, epa.c) fills an ovi_result; pair.c turns it into a contact in the
 * world. All bounds in an ovi_result hold for the bodies as given: whoever writes one takes off
 * `rounding` first.
 */
#ifndef OVI_QUERY_INTERNAL_H
#define OVI_QUERY_INTERNAL_H

#include <float.h>
#include <stdbool.h>

#include <ovoid/query.h>

#include "../shape/shape_internal.h"

/**
 * What rounding does to a body: the most by which a computed support value is off, or by which the
 * body sticks out over the computed tangent plane of a surface point. In units of the body's reach,
 * the largest distance of its points from the origin of its frame (docs/theory/rounding.md).
 */
#define OVI_ERROR_SUPEROVOID 2e-13
#define OVI_ERROR_PLAIN 6e-14
/** The same for the offset of the bodies, in units of its length. */
#define OVI_ERROR_OFFSET (32.0 * DBL_EPSILON)

/** Two bodies in A's frame: A lies as its shape does, B is turned and moved. */
typedef struct ovi_pair {
    const ov_shape *a, *b;
    ov_mat3 turn;    /**< B's axes */
    ov_vec3 offset;  /**< B's origin */
    double size;     /**< the larger radius of the two balls that is finite */
    double goal;     /**< the tolerance as a length: stop when upper - lower is no more */
    double rounding; /**< more than the rounding error of any bound at hand */
    double limit;    /**< stop as soon as lower > limit or upper <= limit; NaN: no such question */
    double beyond; /**< gaps above it are of no interest: stop as soon as lower > beyond; zero: all
                      are */
    ov_depth depth;
    bool rough; /**< asked for: bounds and normal of bodies that are apart, of others only that they
                   overlap; no depth, no witness points on the surfaces */
} ovi_pair;

/** What is known of the gap, in A's frame. */
typedef struct ovi_result {
    double lower, upper;      /**< proven; -infinity and infinity at first */
    double gap;               /**< best value */
    ov_vec3 point_a, point_b; /**< witness points */
    ov_vec3 normal;           /**< unit, from A to B */
    bool overlap;             /**< proven by a common interior point */
    bool solved;              /**< gap, points and normal meet the goal */
    int iterations;
} ovi_result;

static inline ovi_result ovi_result_unknown(void) {
    return (ovi_result){.lower = -INFINITY, .upper = INFINITY, .gap = NAN};
}

/** Support point of a shape in a unit direction, in its frame; bounded convex kinds. */
static inline ov_status ovi_support_point(const ov_shape *shape, ov_vec3 direction,
                                          ov_support *out) {
    if (ovi_is_family(shape->kind)) {
        *out = ovi_family_support(shape, direction);
        return OV_OK;
    }
    return ovi_primitive_support(shape, direction, out);
}

/** A direction from A's frame to B's. A point takes the offset off first. */
static inline ov_vec3 ovi_to_b(const ovi_pair *p, ov_vec3 direction) {
    return ov_mat3_tmul_vec3(&p->turn, direction);
}
/** A direction from B's frame to A's. */
static inline ov_vec3 ovi_turn_from_b(const ovi_pair *p, ov_vec3 direction) {
    return ov_mat3_mul_vec3(&p->turn, direction);
}
/** A point from B's frame to A's. */
static inline ov_vec3 ovi_from_b(const ovi_pair *p, ov_vec3 point) {
    return ov_vec3_add(ovi_turn_from_b(p, point), p->offset);
}

/** A unit vector, or nearly so; what a caller left in a warm start may be anything. */
static inline bool ovi_is_direction(ov_vec3 v) {
    double square = ov_vec3_dot(v, v);
    return square > 0.5 && square < 2.0;
}

/** Supports of both bodies along a unit n: A's farthest point along n, B's along -n. */
typedef struct ovi_separation {
    ov_vec3 point_a, point_b;
    double gap; /**< n.(point_b - point_a): a lower bound of the gap, before rounding */
} ovi_separation;
ov_status ovi_pair_separation(const ovi_pair *pair, ov_vec3 n, ovi_separation *out);

/** Is the gap proven to be of no interest? */
static inline bool ovi_is_beyond(const ovi_pair *p, const ovi_result *r) {
    return p->beyond > 0.0 && r->lower > p->beyond;
}

/** Has enough been proven? The goal is met, or the question about the limit is answered. */
static inline bool ovi_is_enough(const ovi_pair *p, const ovi_result *r) {
    return r->upper - r->lower <= p->goal || r->lower > p->limit || r->upper <= p->limit ||
           ovi_is_beyond(p, r);
}

/* ---- closed forms (pair_closed.c) */

/** True where the pair has a closed form: then the result is filled in, and the goal is met, or
 *  `*status` is an error. */
bool ovi_closed_form(const ovi_pair *pair, ov_status *status, ovi_result *result);

/** The number in [-half, half] that is nearest to x. */
static inline double ovi_clamp(double x, double half) {
    return x > half ? half : x < -half ? -half : x;
}

/** Box against box or capsule (pair_box.c); false where it is left to the support-based solver. */
bool ovi_box_form(const ovi_pair *pair, ovi_result *result);

/* ---- superquadrics (superquadric_pair.c): two bodies of the smooth family */

ov_status ovi_superquadric_contact(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result);

/* ---- pair.c */

/** A's frame in the world, and B's origin there: what the contact is brought back to the world by.
 */
typedef struct ovi_frame {
    ov_mat3 turn;
    ov_vec3 position, position_b;
} ovi_frame;

#define OVI_TOLERANCE_DEFAULT 1e-9
ov_status ovi_check_pair_options(const ov_pair_options *options);
/** Options with the defaults of a pair query for null and for zeros. */
static inline ov_pair_options ovi_pair_options_of(const ov_pair_options *given) {
    ov_pair_options o = {OVI_TOLERANCE_DEFAULT, OV_DEPTH_GLOBAL};
    if (given != NULL && given->tolerance != 0.0) {
        o.tolerance = given->tolerance;
    }
    if (given != NULL && given->depth != OV_DEPTH_DEFAULT) {
        o.depth = given->depth;
    }
    return o;
}
/** Checks the input and sees the pair from A's frame; `options` may be null. */
ov_status ovi_pair_place(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                         const ov_pair_options *options, ovi_pair *pair, ovi_frame *frame);
/** The same without the way back to the world. */
ov_status ovi_pair_make(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                        const ov_pair_options *options, ovi_pair *pair);
/** The whole query in A's frame; `pair->limit` is the caller's to set. */
ov_status ovi_pair_solve(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result);
/** The result in the world, with relation and status. */
ov_contact ovi_contact_of(const ovi_pair *pair, const ovi_frame *frame, const ovi_result *result);
/** ov_pair_contact for options that are filled in and were checked; `beyond` as in ovi_pair. What
 * is beyond it comes with a lower bound, and need not be solved. */
ov_status ovi_pair_contact_below(const ov_pair *given, double beyond,
                                 const ov_pair_options *options, ov_warm_start *warm,
                                 ov_contact *contact);
/**
 * Do two bodies overlap by a ball of a radius above `margin`, as is shown by a point of the line of
 * their centres or after some steps inwards from there? False: not known, or other kinds than the
 * smooth family, boxes, cylinders and capsules.
 */
bool ovi_pair_overlaps(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                       double margin, int steps);

/** ov_pair_contact_batch on this thread, with a `beyond` for each pair, or null; pairs that go in
 *  lanes are solved all the same. */
ov_status ovi_pair_contact_batch(const ov_pair *pairs, size_t count, const double *beyond,
                                 const ov_pair_options *options, ov_warm_start *warm,
                                 ov_contact *contacts);
/** What is handed back with an error: all numbers NaN. */
ov_contact ovi_contact_none(ov_status status);

/* ---- what queries about meshes (src/world/) use as well */

/** Support of the hull of three points (point.c), for triangles too thin to be a shape. */
ov_vec3 ovi_corners_support(const void *corners, ov_vec3 direction);

/** A shape and a translation t, in the shape's frame (cast.c). */
typedef struct ovi_swept {
    const ov_shape *shape;
    ov_vec3 t;
} ovi_swept;

/** What a bounded shape sweeps on its way along t, as a shape; it refers to `swept`. */
ov_status ovi_swept_volume(const ovi_swept *swept, ov_shape *volume);

/** F at a point, with a subgradient and what rounding may have done to it. */
typedef struct ovi_level {
    double value, noise;
    ov_vec3 slope;
} ovi_level;

/**
 * A function F <= 0 in the body and above zero outside (ray.c): of the smooth family, where it is
 * the gauge less one, half-space, box, capsule, cylinder and cone. The point is known to
 * `rounding`.
 */
ovi_level ovi_level_at(const ov_shape *shape, ov_vec3 point, double rounding);

/** No hit, so no point and no normal; `distance` is NaN before the input is checked, then infinite.
 */
static inline ov_ray_hit ovi_ray_hit_none(double distance) {
    const ov_vec3 none = {NAN, NAN, NAN};
    return (ov_ray_hit){false, distance, distance, distance, none, none};
}

/** A ray as seen from a body (ray.c). */
typedef struct ovi_ray {
    ovi_frame frame;
    ov_vec3 o, u;          /**< origin and unit direction, in the body's frame */
    double goal, rounding; /**< lengths of the pair of body and origin */
} ovi_ray;

/** OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_OPTION for a reach below zero. */
ov_status ovi_check_ray(ov_vec3 direction, double reach, ov_vec3 *unit);
/** Checks the input and looks at the ray from the shape. */
ov_status ovi_ray_place(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                        double reach, ovi_ray *ray);

#endif
