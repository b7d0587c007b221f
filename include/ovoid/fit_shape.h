/**
 * @file fit_shape.h
 * @brief One body for a mesh or a point cloud: by least squares, in spite of outliers, or
 * enclosing.
 *
 * Part of `libovoid_fit`.
 */
#ifndef OVOID_FIT_SHAPE_H
#define OVOID_FIT_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include <ovoid/fit_input.h>
#include <ovoid/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a fit makes least. */
typedef enum ov_fit_objective {
    /** The sum of squared distances, to first order: (G - 1)/|grad G| for the smooth family, the
     *  distance itself for spheres, boxes, capsules and cylinders. */
    OV_FIT_OBJECTIVE_DISTANCE = 0,
    /** The same for the points that belong to a body, others being told apart by their distance:
     *  for clouds with outliers, or of which a part is missing. */
    OV_FIT_OBJECTIVE_ROBUST,
    /** The volume, with every point inside. Proven, in exact arithmetic, for the numbers of the
     *  result; a mesh is inside with its corners, since the body is convex. */
    OV_FIT_OBJECTIVE_ENCLOSE,
    /** [SQMap, eq. 3], sqrt(a1 a2 a3) (F - 1)^2 with F = G^2, for comparison. It is ill posed: a
     *  body without thickness has no cost. Smooth family and bent. */
    OV_FIT_OBJECTIVE_PUBLISHED,
    /** The sum of the distances themselves, rounded off below 1 % of the input's half extent: where
     *  a body of the kind cannot follow the input everywhere, it follows most of it. */
    OV_FIT_OBJECTIVE_MEAN,
    OV_FIT_OBJECTIVE_COUNT
} ov_fit_objective;

typedef struct ov_fit_shape_options {
    ov_fit_objective objective; /**< 0: distance */
    /** Least and largest exponent, in (0, 2]; 0: 0.1 and 1.9. */
    double exponent_min, exponent_max;
    /** Largest taper, below 1; 0: 0.95, OV_ZERO: none. Tapers are also kept to what leaves the
     *  profile convex, (1 - e2/2) 2^(e2/2), and smaller where the dent is still too deep. */
    double taper_max;
    /** As in ov_shape_options; 0: 0.05, OV_ZERO: none, and both tapers of a superovoid are the
     * same: different ones nearly always dent it. */
    double dent_tolerance;
    /** Least semi-axis, radius and half-length, in units of half the largest side of the input's
     *  box; 0: 1e-3. It keeps bodies about flat input from having no thickness. Of robust fits: of
     * a box that has the most of the points, where others are far from it. */
    double size_min;
    /** The largest, likewise, from 1 to 100; 0: 2. A patch of a surface alone does not say how far
     *  a body goes on behind it. Not of enclosing bodies. */
    double size_max;
    /** How many points of the input are fitted to: area-weighted samples of a mesh, points of a
     *  cloud; 0: 400. An enclosing fit looks at all points in any case. */
    size_t samples;
    size_t iterations; /**< largest number for each start; 0: 100 */
    uint64_t seed;     /**< of the samples */
    /** Planes of symmetry of the input are looked for, and the body is made symmetric about them: a
     *  plane counts if no mirror image of a point of the surface is further from it than this share
     *  of the diagonal, up to 0.5. 0: they are not. Not of the bent superellipsoid. */
    double symmetry;
    /** One of the body's axes is parallel to this direction, of any length, as of a joint; zero:
     *  none need be. Planes of symmetry are then parallel to it, or at right angles. Not of the
     *  bent superellipsoid. */
    ov_vec3 axis;
} ov_fit_shape_options;

/** All as documented above. */
ov_fit_shape_options ov_default_fit_shape_options(void);

typedef struct ov_fit_shape_result {
    ov_shape shape;
    ov_pose pose;
    double size; /**< diagonal of the input's box: errors are often given as a share of it */
    /** Mean, root mean square and maximum of the samples' distances from the surface, to first
     *  order, as lengths. With outliers: of all samples, those included. */
    double error_mean, error_rms, error_max;
    double inliers;    /**< robust: share of the samples that belong to the body; else 1 */
    double volume;     /**< of the body; 0 if it is bent */
    size_t iterations; /**< of all starts */
    int planes;        /**< of symmetry, that were found and kept: 0 to 3 */
} ov_fit_shape_result;

/**
 * Fits a body of a kind: sphere, ellipsoid, superellipsoid, superovoid, box, capsule, cylinder, or
 * bent superellipsoid. The shape may be of a simpler kind of the smooth family. `options` may be
 * null. The same input, options and seed give the same bits.
 *
 * OV_NOT_CONVERGED: the limit of iterations came first; the body is usable, and an enclosing one
 * encloses. Errors, with which the result is all zero: those of ov_fit_input_check;
 * OV_ERROR_OPTION; OV_ERROR_UNSUPPORTED for other kinds, for the enclosing bent superellipsoid,
 * which is not convex, and for the published objective of kinds without a gauge;
 * OV_ERROR_DEGENERATE where all points are the same, or, unless enclosing is asked for, are all in
 * a plane or on a line, as those of one triangle are; OV_ERROR_SIZE_RANGE where the body would have
 * a size that no shape has; OV_ERROR_MEMORY.
 */
ov_status ov_fit_shape(const ov_fit_input *input, ov_shape_kind kind,
                       const ov_fit_shape_options *options, ov_fit_shape_result *result);

#ifdef __cplusplus
}
#endif

#endif
