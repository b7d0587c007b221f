/**
 * @file fit_shape_internal.h
 * @brief What the files about one fitted body share: proven containment, the distances that are
 * minimized with their derivatives, and the minimizer.
 */
#ifndef OVI_FIT_SHAPE_INTERNAL_H
#define OVI_FIT_SHAPE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <ovoid/fit_input.h>
#include <ovoid/math.h>
#include <ovoid/shape.h>

/* ---- proven containment (fit_hold.c) */

/**
 * True only if it is proven that the body at the pose holds the point: for the numbers as they are
 * in the structs, in exact arithmetic. The rounding of the pose and of the gauge is accounted for,
 * so a point within some 1e-14 of its distance from the centre below the surface may be missed.
 *
 * Spheres, ellipsoids, superellipsoids, superovoids, boxes, capsules and cylinders; false for all
 * other kinds, and for what is not finite. The quaternion of the pose may have any length but zero:
 * its rotation is that of the unit quaternion. All these bodies are convex, so that one holds a
 * triangle iff it holds the three corners. A dented superovoid is the hull of its surface; here it
 * counts what is inside of the surface, so points in the dent are missed.
 */
bool ovi_fit_holds_point(const ov_shape *shape, ov_pose pose, ov_vec3 point);

/**
 * The least scale of the body about its own centre, up to some 1e-14, such that the point is inside
 * or on it: below 1 for points inside. A capsule grows by radius and half-length. NaN for kinds
 * that ovi_fit_holds_point does not know, and for what is not finite.
 */
double ovi_fit_scale_of_point(const ov_shape *shape, ov_pose pose, ov_vec3 point);

/**
 * Scales the body about its own centre, up or down, to the least size at which ovi_fit_holds_point
 * is true of every point: `*grown` (may be `shape` itself), and the factor `*scale` (may be null).
 * The factor exceeds the exact one by some 1e-14 where the points are no farther from the origin
 * than from the body's centre, and by more where the rounding of coordinates demands it.
 *
 * OV_ERROR_UNSUPPORTED for other kinds; OV_ERROR_COUNT without points; OV_ERROR_NOT_FINITE;
 * OV_ERROR_DEGENERATE where all points are the centre; the constructor's status where the new sizes
 * are out of range.
 */
ov_status ovi_fit_grow_to_hold(const ov_shape *shape, ov_pose pose, const ov_vec3 *points,
                               size_t count, ov_shape *grown, double *scale);

/* ---- bodies while they are fitted, and what is minimized (fit_field.c)
 *
 * Everything is in units of the input's extent, about its middle.
 */

enum {
    OVI_FIT_NUMBERS = 9,  /**< log a1, log a2, log a3, e1, e2, two tapers, two of the bend */
    OVI_FIT_UNKNOWNS = 15 /**< centre, rotation vector in the body's frame, the numbers */
};

typedef struct ovi_fit_body {
    ov_shape_kind kind;
    ov_vec3 centre;
    ov_quat rotation;
    /** Capsule and cylinder: log radius twice, log half-length. Tapers are shares of the largest
     *  one, between -1 and 1. The bend is curvature times (cos, sin) of its angle. */
    double v[OVI_FIT_NUMBERS];
    double taper_max;   /**< in any case */
    double taper_share; /**< of the largest taper whose profile is convex, (1 - e2/2) 2^(e2/2) */
} ovi_fit_body;

/** A body made ready for many points. */
typedef struct ovi_fit_ready {
    ov_shape_kind kind;
    ov_vec3 centre;
    ov_mat3 turn;
    ov_vec3 a;
    int unknowns; /**< those that may have derivatives are before this one */
    double e1, e2, tx, ty;
    double bend[2];
    double share[2];                /**< of the largest taper */
    double taper_most, taper_slope; /**< the largest taper, and its derivative by e2 */
} ovi_fit_ready;

ovi_fit_ready ovi_fit_make_ready(const ovi_fit_body *body);

/** A number at a point of the body's frame, with its derivatives by the point and the numbers. */
typedef struct ovi_fit_value {
    double value;
    ov_vec3 at;
    double by[OVI_FIT_NUMBERS];
} ovi_fit_value;

typedef enum ovi_fit_measure {
    OVI_FIT_MEASURE_DISTANCE,  /**< to first order, positive outside */
    OVI_FIT_MEASURE_PUBLISHED, /**< (a1 a2 a3)^(1/4) (G^2 - 1) */
    /** Logarithm of the scale at which the point is on the surface. Boxes and cylinders have one
     *  for each pair of faces; the largest counts. Minus infinity at the centre. Not of bent
     *  bodies. */
    OVI_FIT_MEASURE_SCALE
} ovi_fit_measure;

/** Writes one to three values, and returns how many. */
int ovi_fit_measure_at(const ovi_fit_ready *body, ovi_fit_measure what, ov_vec3 local,
                       ovi_fit_value out[3]);

/** Logarithm of the volume; of `at` nothing is set. Not of bent bodies. */
ovi_fit_value ovi_fit_log_volume(const ovi_fit_ready *body);

/* ---- directions that a body keeps to (fit_symmetry.c) */

/** Orthonormal directions, none, one or all three, to which axes of the body are parallel. */
typedef struct ovi_fit_guide {
    int count;
    ov_vec3 axes[3];
    bool plane[3]; /**< and the body is symmetric about the plane at right angles, */
    double at[3];  /**< so far along the direction */
} ovi_fit_guide;

/**
 * The planes of symmetry of an input, to a tolerance (0: they are not looked for), and an axis that
 * is asked for (zero: none). Samples, tolerance and planes are in the unit, about the origin.
 * OV_ERROR_MEMORY, and what ov_trimesh_create_surface returns.
 */
ov_status ovi_fit_find_guide(const ov_fit_input *in, ov_vec3 origin, double unit,
                             const ov_vec3 *samples, size_t sample_count, double symmetry,
                             ov_vec3 axis, ovi_fit_guide *guide);

/** Brings a body to its guide: the centre to the planes, and no taper across one. `axes` (may be
 *  null) are the body's axes along the directions. False where one has none. */
bool ovi_fit_obey(const ovi_fit_guide *guide, ovi_fit_body *body, int axes[3]);

/* ---- minimizer (fit_minimize.c) */

/** A function of the unknowns, its gradient, and a matrix in place of its Hessian, which is
 *  positive semidefinite. */
typedef struct ovi_fit_sum {
    double f;
    double g[OVI_FIT_UNKNOWNS];
    double h[OVI_FIT_UNKNOWNS][OVI_FIT_UNKNOWNS]; /**< the lower triangle */
} ovi_fit_sum;

/** Derivatives by the unknowns, of a value at a local point. */
void ovi_fit_row(const ovi_fit_ready *body, ov_vec3 local, const ovi_fit_value *value,
                 double row[OVI_FIT_UNKNOWNS]);

/** What a distance r costs: r^2/2, or less where it is large. */
typedef struct ovi_fit_loss {
    bool mean; /**< s^2 (sqrt(1 + r^2/s^2) - 1): the distance, but below the scale s its square */
    double scale; /**< of that; or of Geman and McClure's r^2 s^2/(r^2 + s^2)/2; 0: plain squares */
} ovi_fit_loss;

/* ---- the same for many points at once (fit_lanes.c) */

/**
 * Of points of the input's frame the mean cost of their distances (OVI_FIT_MEASURE_DISTANCE), its
 * gradient and Gauss and Newton's matrix into `*sum`, which is zero at first, and the distances
 * themselves; each may be null. False, and nothing is written, for bodies that it does not serve:
 * it is for the smooth family but the sphere.
 */
bool ovi_fit_lanes(const ovi_fit_ready *body, const ovi_fit_loss *loss, const ov_vec3 *points,
                   size_t count, ovi_fit_sum *sum, double *distances);

typedef struct ovi_fit_problem {
    void (*evaluate)(const void *context, const ovi_fit_body *body, ovi_fit_sum *out);
    const void *context;
    double lower[OVI_FIT_NUMBERS], upper[OVI_FIT_NUMBERS];
    ovi_fit_guide guide; /**< what the body keeps to */
    bool plain;          /**< the damping is absolute: where the matrix is of no known scale */
    bool even;           /**< of a superovoid: both tapers are the same, which leaves no dent */
    int iterations;      /**< largest number */
    double least_gain;   /**< relative; two steps that gain less end it */
} ovi_fit_problem;

typedef struct ovi_fit_end {
    double f;
    int iterations;
    bool converged;
} ovi_fit_end;

/** Levenberg-Marquardt with bounds: `*body` becomes the best one found. A body that cannot be
 *  brought to the guide stays as it is; f is then infinite. */
ovi_fit_end ovi_fit_minimize(const ovi_fit_problem *problem, ovi_fit_body *body);

/* ---- the ellipsoid of least volume (fit_round.c) */

/** Centre, rotation and semi-axes of a body become those of the ellipsoid of least volume about the
 *  points, up to some 1e-7; the rest stays. False where they are in a plane, or nearly, or for want
 *  of memory. */
bool ovi_fit_least_ellipsoid(const ov_vec3 *points, size_t count, ovi_fit_body *body);

/* ---- enclosing (fit_enclose.c) */

/** Points that an enclosing body has to hold. */
typedef struct ovi_fit_cloud {
    const ov_vec3 *points;
    size_t count;
} ovi_fit_cloud;

/**
 * Least volume: `*body` becomes the best one from several starts, up to a common scale of its
 * semi-axes. Of `frame` bounds and iterations count. The end's `f` is the logarithm of the volume
 * that the points need, but for outliers among those not looked at; NaN for want of memory.
 */
ovi_fit_end ovi_fit_enclose(const ovi_fit_problem *frame, const ovi_fit_cloud *cloud,
                            const ovi_fit_body *starts, int start_count, ovi_fit_body *body);

#endif
