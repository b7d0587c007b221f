/**
 * @file motion.h
 * @brief Motions, and proofs that they are free of collision.
 *
 * A *sweep* divides the time of a motion into pieces and proves for each piece that the bodies stay
 * apart during all of it. What it calls free is free at every time, for the bodies and motions as
 * given, rounding included. Otherwise it says between which times, and for which bodies, it could
 * not prove that.
 *
 * For polygons this follows [Toleranced]: a motion is a curve in the twelve-dimensional space of
 * affine displacements, a metric made from the moving body is the distance of two displacements,
 * and a ball about a piece of the curve bounds where each point of the body can be. Smooth bodies,
 * compounds, meshes and whole robots are proven free by the certified bounds of ovoid/query.h.
 *
 * Types that own memory are opaque, made by a create and freed by a destroy function. Motions,
 * trajectories and polygons never change, so threads may share them.
 */
#ifndef OVOID_MOTION_H
#define OVOID_MOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/model.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- displacements and their metric [Toleranced, 2 and 3] ------------------------------------ */

/**
 * Metric of displacements: the mass of a body, its barycentre b, and the second moments about it,
 * sum of w (x - b)(x - b)', by their eigenvectors and eigenvalues (all above zero). The squared
 * distance of two displacements is the sum of w |alpha(x) - beta(x)|^2 over the mass.
 */
typedef struct ov_metric {
    double mass;
    ov_vec3 centre;
    ov_mat3 axes;    /**< unit, a right-handed frame */
    ov_vec3 moments; /**< along the axes, each > 0 */
} ov_metric;

/**
 * From points with weights (null: all 1). OV_ERROR_NULL, OV_ERROR_COUNT (fewer than four),
 * OV_ERROR_NOT_FINITE, OV_ERROR_WEIGHT (not positive), OV_ERROR_DEGENERATE (all points in a plane,
 * to 1e-7 of their extent), OV_ERROR_SIZE_RANGE (also for a mass or an extent outside [OV_SIZE_MIN,
 * OV_SIZE_MAX]).
 */
ov_status ov_metric_from_points(const ov_vec3 *points, const double *weights, size_t count,
                                ov_metric *metric);
/** From a shape filled with mass 1. OV_ERROR_UNSUPPORTED if it has no volume,
 *  OV_ERROR_DEGENERATE if it is thinner than 1e-6 of its length. */
ov_status ov_metric_from_shape(const ov_shape *shape, ov_metric *metric);
/**
 * For a flat polygon: equal masses at its vertices, and one above their centroid, at `height` times
 * the polygon's radius (0: 0.25) [Toleranced, 7.1]; the total is 1. Errors as for points, and
 * OV_ERROR_OPTION for a negative height.
 */
ov_status ov_metric_from_polygon(const ov_vec3 *vertices, size_t count, double height,
                                 ov_metric *metric);

/** Scalar product of two displacements, or of differences of displacements. */
double ov_metric_dot(const ov_metric *metric, const ov_affine *a, const ov_affine *b);
double ov_metric_distance(const ov_metric *metric, const ov_affine *a, const ov_affine *b);

/**
 * Distortion rate rho(x) [Toleranced, (4)]: a ball of displacements of radius R about g maps the
 * point x to the ball of radius R rho(x) about g(x).
 */
double ov_metric_distortion(const ov_metric *metric, ov_vec3 point);
/** Largest distortion rate on the convex hull of points; R times it bounds how far any point moves
 *  (11). Rounded upwards, as are the numbers of lines and planes below. */
double ov_metric_distortion_max(const ov_metric *metric, const ov_vec3 *points, size_t count);

/** Along a line the squared distortion is rho^2 + t^2 / nu^2, t the length from the origin (5). */
typedef struct ov_metric_line {
    ov_vec3 origin, direction; /**< unit */
    double rho, nu;
} ov_metric_line;
/** OV_ERROR_DEGENERATE if the points are equal. */
ov_status ov_metric_line_of(const ov_metric *metric, ov_vec3 p, ov_vec3 q, ov_metric_line *line);

/** In a plane it is rho^2 + s^2 / nu1^2 + t^2 / nu2^2 along orthonormal b1, b2; nu1 <= nu2 (7). */
typedef struct ov_metric_plane {
    ov_vec3 origin, b1, b2;
    double rho, nu1, nu2;
} ov_metric_plane;
/** The plane through p with a normal of any length but zero (OV_ERROR_ZERO_DIRECTION). */
ov_status ov_metric_plane_of(const ov_metric *metric, ov_vec3 p, ov_vec3 normal,
                             ov_metric_plane *plane);

/** All displacements at a distance of at most `radius` from `centre`. */
typedef struct ov_displacement_ball {
    ov_affine centre;
    double radius;
} ov_displacement_ball;

/* ---- motions --------------------------------------------------------------------------------- */

/** A motion of one frame from a start to an end time. Opaque. */
typedef struct ov_motion ov_motion;

/** Largest degree of a curve, and largest number of key poses of a motion. */
#define OV_MOTION_DEGREE_MAX 32
#define OV_MOTION_KEYS_MAX ((size_t)1 << 20)

/* Besides what is said below, all of these return OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE (a position beyond OV_POSITION_MAX), OV_ERROR_TIME (the end is not after the
 * start, times do not ascend, or the motion takes less than 1e-100 or more than 1e100),
 * OV_ERROR_MEMORY; `*motion` is then null. `allocator` may be null.
 */

/**
 * Rational Bézier curve of displacements: sum of B_i(u) w_i controls[i] over the sum of B_i(u) w_i,
 * u from 0 at the start to 1 at the end. It need not be rigid. `weights` may be null: all 1.
 * OV_ERROR_COUNT (fewer than two, or too many), OV_ERROR_WEIGHT (not positive, or less than 1e-100
 * of the largest). OV_POSITION_MAX limits the linear parts, too.
 */
ov_status ov_motion_create_bezier(const ov_affine *controls, const double *weights, size_t count,
                                  double start, double end, const ov_allocator *allocator,
                                  ov_motion **motion);
/**
 * Rigid rational motion. The rotation is that of the quaternion polynomial sum of B_i(u)
 * rotations[i], which need not be units. The position is a rational Bézier curve (weights null: all
 * 1). In the space of displacements this is a rational curve of degree 2 (rotation_count - 1) +
 * position_count - 1, which is at most OV_MOTION_DEGREE_MAX (OV_ERROR_COUNT). A single rotation or
 * position is constant. OV_ERROR_WEIGHT; OV_ERROR_ZERO_DIRECTION if the polynomial is zero
 * somewhere, or too close to zero to exclude that.
 */
ov_status ov_motion_create_rational(const ov_quat *rotations, size_t rotation_count,
                                    const ov_vec3 *positions, const double *weights,
                                    size_t position_count, double start, double end,
                                    const ov_allocator *allocator, ov_motion **motion);
/**
 * Screw motion: from a pose, rotated by `angle_rad` about the axis through `point` along `axis`
 * (any length but zero: OV_ERROR_ZERO_DIRECTION) and translated by `travel` along it, both at
 * constant speed. OV_ERROR_SIZE_RANGE also for an angle or travel beyond OV_POSITION_MAX,
 * OV_ERROR_TIME if the speeds are beyond 1e150.
 */
ov_status ov_motion_create_screw(ov_pose first, ov_vec3 point, ov_vec3 axis, double angle_rad,
                                 double travel, double start, double end,
                                 const ov_allocator *allocator, ov_motion **motion);

/** How positions of frames or joints are interpolated between keys. */
typedef enum ov_spline {
    OV_SPLINE_LINEAR = 0, /**< linear, with a jump of the velocity at each key */
    OV_SPLINE_CUBIC,      /**< cubic with continuous second derivative, at rest at both ends */
    OV_SPLINE_COUNT
} ov_spline;
/** "linear", "cubic". */
const char *ov_spline_name(ov_spline spline);

/**
 * Through key poses at ascending times: positions by a spline, rotations by slerp, along the
 * shortest arc between neighbours at constant speed. OV_ERROR_COUNT (fewer than two, or too many),
 * OV_ERROR_ZERO_DIRECTION, OV_ERROR_OPTION.
 */
ov_status ov_motion_create_keys(const ov_pose *poses, const double *times, size_t count,
                                ov_spline spline, const ov_allocator *allocator,
                                ov_motion **motion);
/** Null is allowed. */
void ov_motion_destroy(ov_motion *motion);

double ov_motion_start(const ov_motion *motion);
double ov_motion_end(const ov_motion *motion);
/** Is every displacement rigid? True for all motions but Bézier curves. */
bool ov_motion_is_rigid(const ov_motion *motion);
/** Displacement of the frame at a time, which is clamped to start and end (NaN: the start). */
ov_status ov_motion_at(const ov_motion *motion, double time, ov_affine *displacement);
/** The same as a pose; OV_ERROR_UNSUPPORTED if the motion is not rigid. */
ov_status ov_motion_pose(const ov_motion *motion, double time, ov_pose *pose);

/** How to compute a ball about a piece of a motion. */
typedef enum ov_ball_method {
    OV_BALL_METHOD_HULL =
        0, /**< about the middle, by the farthest control point or by the speeds there */
    OV_BALL_METHOD_ARC,  /**< by length and curvature of the arc [Toleranced, Proposition 2] */
    OV_BALL_METHOD_BEST, /**< the smaller of the hull's ball and, if the motion is nearly straight,
                            the ball over the chord */
    OV_BALL_METHOD_COUNT
} ov_ball_method;
/**
 * A ball that contains the motion from one time to another, in the metric of a body; its radius
 * includes rounding. OV_BALL_METHOD_ARC gives OV_ERROR_UNSUPPORTED where Proposition 2 does not
 * apply: an arc too long for its curvature, a jump of the velocity, rest, an instant, and Bézier
 * curves of displacements. OV_ERROR_TIME if the times are not within the motion in this order,
 * OV_ERROR_OPTION for an unknown method or if the axes of the metric are not orthonormal; otherwise
 * the errors of the constructors of a metric.
 */
ov_status ov_motion_ball(const ov_motion *motion, const ov_metric *metric, double from, double to,
                         ov_ball_method method, ov_displacement_ball *ball);

/* ---- joint trajectories ---------------------------------------------------------------------- */

/** Positions of all joints of a model over time: piecewise polynomials, and slerp for quaternions.
 *  Opaque; the model must outlive it. */
typedef struct ov_trajectory ov_trajectory;

/**
 * Through rows of positions (ov_model_position_count numbers each) at ascending times. `velocities`
 * (null, or as many numbers as positions; those of quaternions are ignored) makes it a cubic
 * Hermite spline, whatever `spline` is. OV_ERROR_COUNT (fewer than two, or more than
 * OV_MOTION_KEYS_MAX), OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_TIME,
 * OV_ERROR_SIZE_RANGE (a number beyond OV_POSITION_MAX, or derivatives beyond 1e50),
 * OV_ERROR_OPTION. `fault` (may be null) names the first row to blame. Limits are not checked here.
 */
ov_status ov_trajectory_create(const ov_model *model, const double *times, const double *positions,
                               const double *velocities, size_t count, ov_spline spline,
                               const ov_allocator *allocator, ov_trajectory **trajectory,
                               ov_fault *fault);
/** Null is allowed. */
void ov_trajectory_destroy(ov_trajectory *trajectory);
double ov_trajectory_start(const ov_trajectory *trajectory);
double ov_trajectory_end(const ov_trajectory *trajectory);
/** Positions (ov_model_position_count numbers) and, unless null, their derivatives. Quaternions are
 *  units, and their derivatives are set to zero. */
ov_status ov_trajectory_at(const ov_trajectory *trajectory, double time, double *positions,
                           double *velocities, double *accelerations);

/** Where a trajectory first exceeds a limit. */
typedef struct ov_trajectory_excess {
    uint32_t joint; /**< OV_NO_LINK: nowhere */
    int derivative; /**< 0: position, 1: speed, 2: acceleration */
    double time;    /**< a time at which it does */
    double value;   /**< the extreme value near that time */
    double limit;
} ov_trajectory_excess;
/**
 * Checks a whole trajectory, not samples of it, against the position limits of the model and
 * against limits of speed and acceleration (arrays of one number per degree of freedom,
 * ov_model_dof_count; null or an infinite number: none). The answer is in `excess`: its joint is
 * OV_NO_LINK if the trajectory stays within the limits to 1e-9. A jump of the velocity is an
 * infinite acceleration. The angular speed of a spherical or floating joint is compared with the
 * least of its three limits. OV_ERROR_NULL, OV_ERROR_NOT_FINITE for a limit that is NaN; `fault`
 * (may be null) names its joint.
 */
ov_status ov_trajectory_check(const ov_trajectory *trajectory, const double *speed_limits,
                              const double *acceleration_limits, ov_trajectory_excess *excess,
                              ov_fault *fault);

/* ---- polygons -------------------------------------------------------------------------------- */

/** Largest number of polygons, and of corners of all polygons; largest number of corners of one. */
#define OV_POLYGONS_MAX ((size_t)1 << 24)
#define OV_POLYGON_CORNERS_MAX 1024

/** A surface of flat, convex polygons: a polyhedron, or a part of one. If it is closed and
 *  consistently oriented, its inside is solid, as for ov_trimesh. Opaque. */
typedef struct ov_polygons ov_polygons;

/**
 * Polygon i has sizes[i] corners, which are indices of vertices, in order; `corners` has those of
 * all polygons one after the other. A corner may be off the plane of its polygon by 1e-6 of the
 * polygon's radius; the proofs account for it. `fault` (may be null) names a polygon.
 * OV_ERROR_NULL, OV_ERROR_COUNT, OV_ERROR_INDEX, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE,
 * OV_ERROR_DEGENERATE (no area, or equal corners), OV_ERROR_NOT_FLAT, OV_ERROR_NOT_CONVEX,
 * OV_ERROR_MEMORY.
 */
ov_status ov_polygons_create(const ov_vec3 *vertices, size_t vertex_count, const uint32_t *corners,
                             const uint32_t *sizes, size_t count, const ov_allocator *allocator,
                             ov_polygons **polygons, ov_fault *fault);
/** Null is allowed. */
void ov_polygons_destroy(ov_polygons *polygons);
size_t ov_polygons_count(const ov_polygons *polygons);
/** Do they have an inside, that is at least one closed shell? */
bool ov_polygons_is_solid(const ov_polygons *polygons);
size_t ov_polygons_vertex_count(const ov_polygons *polygons);
const ov_vec3 *ov_polygons_vertices(const ov_polygons *polygons);
/** Corners of a polygon, `*size` of them; null beyond the last. */
const uint32_t *ov_polygons_corners(const ov_polygons *polygons, size_t index, size_t *size);

/* ---- sweeps ---------------------------------------------------------------------------------- */

/** Which mass defines the metric of a moving polygon [Toleranced, 7.2]. */
typedef enum ov_mass_use {
    OV_MASS_USE_INDIVIDUAL = 0, /**< that of each polygon */
    OV_MASS_USE_GLOBAL,         /**< that of the whole body */
    OV_MASS_USE_COUNT
} ov_mass_use;

typedef struct ov_sweep_options {
    /**
     * A length: pieces in which no point moves by more than this relative to the other body are not
     * divided further. Not negative; 0: 1e-4 of the radius of the smaller body of a pair.
     *
     * Bodies that stay apart by more than twice this are proven free, within these limits. Beyond
     * them the answer is OV_SWEEP_ANSWER_UNDECIDED.
     * - Rounding: epsilon counts as at least 1e-12 of the coordinates and sizes of both bodies
     *   together, and as at least the motion of a point during 8 DBL_EPSILON of the times (at 1e9
     *   seconds the times are coarse). For polygons it also counts as at least their deviation from
     *   a plane.
     * - `depth`.
     * - Work: 2^20 pieces per pair, 2^17 with a mesh, 2^28 tests of polygons. A piece is at least
     * as long as points take to move by the gap. So this limit concerns bodies that rotate (other
     * than about an axis of symmetry) while they pass each other at a gap of less than a millionth
     * of the distance that they cover.
     */
    double epsilon;
    double clearance; /**< free means a gap larger than this; not negative */
    int depth;        /**< pieces of at most 2^-depth of the time are not divided; 1 to 60; 0: 60 */
    ov_threads threads; /**< results do not depend on it */
    bool first_only;    /**< search for the first contact only, to `resolution` of the time */
    double resolution;  /**< of the first contact, as a fraction of the time, 1e-12 to 1; 0: 1e-6 */
    bool every_pair;    /**< polygons: test every pair, as in the paper; false: use BVHs */
    ov_mass_use mass;   /**< polygons */
    /** Largest number of intervals to keep; ov_sweep_summary.intervals counts all. 0: 2^20. */
    size_t intervals;
    ov_allocator allocator; /**< resize null: realloc and free */
    /** Called now and then with the fraction of the work that is done, from 0 to 1, never
     *  decreasing. One thread at a time calls it: the calling thread, unless `threads` has a
     *  callback. May be null. Not called for single pairs. */
    void (*progress)(void *user, double done);
    void *progress_user;
} ov_sweep_options;

/** Epsilon and clearance 0, depth 60, as many threads as the machine has, all contacts, resolution
 *  1e-6, BVHs, individual masses, 2^20 intervals. */
ov_sweep_options ov_default_sweep_options(void);

/** Two shapes in motion; a null motion: at rest at the pose. */
typedef struct ov_sweep_pair {
    const ov_shape *a, *b;                /**< convex; a half-space only if it is at rest */
    const ov_motion *motion_a, *motion_b; /**< rigid; they move the frames of the poses */
    ov_pose pose_a, pose_b;               /**< a rotation of zeros: none */
} ov_sweep_pair;

/** How a sweep ended. */
typedef enum ov_sweep_answer {
    OV_SWEEP_ANSWER_FREE = 0, /**< proven: no contact at any time */
    OV_SWEEP_ANSWER_CONTACT,  /**< proven: there is a contact */
    OV_SWEEP_ANSWER_UNDECIDED /**< the bodies come too close to decide */
} ov_sweep_answer;
/** "free", "contact", "undecided". */
const char *ov_sweep_answer_name(ov_sweep_answer answer);

typedef struct ov_first_contact {
    ov_sweep_answer answer;
    double lower;       /**< proven free up to this time; the end if the motion is free */
    double upper;       /**< contact is proven at this time; infinite: no such time */
    ov_contact contact; /**< at `lower`; if there is no contact, at the closest approach found */
    size_t pieces, tests, queries; /**< see ov_sweep_summary */
} ov_first_contact;

/**
 * First contact of two shapes between two times; allocates nothing. OV_NOT_CONVERGED if `upper -
 * lower` is more than `resolution` of the time. OV_ERROR_NULL, OV_ERROR_TIME (the end is not after
 * the start, or a motion does not cover both), OV_ERROR_OPTION, OV_ERROR_SHAPE,
 * OV_ERROR_UNSUPPORTED, OV_ERROR_UNBOUNDED (a half-space that moves, or two). `options` may be
 * null.
 */
ov_status ov_sweep_pair_first(const ov_sweep_pair *pair, double start, double end,
                              const ov_sweep_options *options, ov_first_contact *first);

/** A body of a sweep: a geometry or polygons; the other one is null. */
typedef struct ov_sweep_body {
    const ov_geometry *geometry;
    const ov_polygons *polygons;
    const ov_motion *motion; /**< null: at rest */
    ov_pose pose;            /**< in the moving frame, or at rest; a rotation of zeros: none */
    uint32_t group, mask;    /**< as in ov_body_def: 0 is the default */
    bool no_pairs;           /**< no pair with any other body */
} ov_sweep_body;
/** Empty, at rest at the origin, group 1, mask of all bits. */
ov_sweep_body ov_default_sweep_body(void);

/** Which elements of two bodies could touch. */
typedef enum ov_sweep_element {
    OV_SWEEP_ELEMENT_PARTS = 0, /**< parts of geometries; for polygons, one body inside the other */
    OV_SWEEP_ELEMENT_VERTEX_FACE, /**< vertex of A and face of B; the others likewise */
    OV_SWEEP_ELEMENT_EDGE_EDGE,
    OV_SWEEP_ELEMENT_FACE_VERTEX,
    OV_SWEEP_ELEMENT_EDGE_FACE, /**< an edge of one passes through a face of the other */
    OV_SWEEP_ELEMENT_COUNT
} ov_sweep_element;
/** "parts", "vertex-face", "edge-edge", "face-vertex", "edge-face". */
const char *ov_sweep_element_name(ov_sweep_element element);

/** An interval of time during which contact of two parts could not be excluded. */
typedef struct ov_sweep_interval {
    double start, end;
    double contact;          /**< a time in it at which contact is proven; NaN: none */
    uint32_t body_a, body_b; /**< indices of bodies, A before B; for a model see ov_sweep_model */
    uint32_t part_a, part_b; /**< parts of the geometries, or polygons */
    ov_sweep_element element;
    uint32_t index_a, index_b; /**< polygons: vertex or edge in its polygon; 0 for a face */
} ov_sweep_interval;

typedef struct ov_sweep_summary {
    ov_sweep_answer answer;
    double lower;     /**< proven free up to this time; the end if the motion is free */
    double upper;     /**< earliest time of a proven contact; infinite: none */
    size_t intervals; /**< found; the options limit how many are kept */
    size_t pairs;     /**< of parts or polygons whose boxes overlap in a slice of time */
    size_t pieces;    /**< of time, of all pairs together */
    size_t tests;     /**< bounds evaluated: of balls, directions and offset polygons */
    size_t queries;   /**< pair queries */
    int depth;        /**< of the shortest piece: log2(time / piece), rounded up */
} ov_sweep_summary;

/** The result of a sweep. Opaque. */
typedef struct ov_sweep ov_sweep;
/** Null is allowed. */
void ov_sweep_destroy(ov_sweep *sweep);
ov_sweep_summary ov_sweep_summary_of(const ov_sweep *sweep);
/** Sorted by start, then by bodies and parts; adjacent intervals of the same parts are merged. */
const ov_sweep_interval *ov_sweep_intervals(const ov_sweep *sweep, size_t *count);

/**
 * Sweeps all pairs of bodies of which at least one moves. Errors as above, and OV_ERROR_COUNT;
 * `fault` (may be null) names the body to blame. Affine motions are only for polygons against
 * polygons (OV_ERROR_UNSUPPORTED; the body with such a motion is to blame).
 */
ov_status ov_sweep_bodies(const ov_sweep_body *bodies, size_t count, double start, double end,
                          const ov_sweep_options *options, ov_sweep **sweep, ov_fault *fault);

/**
 * Sweeps a robot along a trajectory, against obstacles and itself. Intervals name links by their
 * index, and obstacle i as ov_model_link_count + i; the robot's link is A. Links that may overlap
 * (ov_model_is_allowed) are no pairs, nor are links that fixed joints connect. The root is tested
 * against the obstacles although it does not move; obstacles are not tested against each other.
 * `fault` (may be null) names a link, or an obstacle as a body.
 */
ov_status ov_sweep_model(const ov_model *model, ov_pose root, const ov_trajectory *trajectory,
                         const ov_sweep_body *obstacles, size_t obstacle_count, double start,
                         double end, const ov_sweep_options *options, ov_sweep **sweep,
                         ov_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
