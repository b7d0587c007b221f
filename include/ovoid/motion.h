/**
 * @file motion.h
 * @brief Motions, and proofs that they are free of collision.
 *
 * A *sweep* covers a motion with pieces of time and shows for each that the bodies stay apart
 * during all of it. What it calls free is free at every time, for the bodies and motions as given,
 * rounding included. Where it cannot show that, it says between which times, and which bodies.
 *
 * After [Toleranced], which does this for polygons: a motion is a curve in the twelve-dimensional
 * space of affine displacements, a metric made from the moving body says how far apart two
 * displacements are, and a ball about a piece of the curve bounds where each point of the body
 * gets. Smooth bodies, compounds, meshes and whole robots are shown to be free by the certified
 * bounds of ovoid/query.h.
 *
 * What owns memory is opaque, made by a create and freed by a destroy function. Motions,
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
 * What makes lengths of displacements: the mass of a body, its barycentre b, and the second moments
 * about it, sum of w (x - b)(x - b)', by their eigenvectors and eigenvalues (all above zero). The
 * squared distance of two displacements is the sum of w |alpha(x) - beta(x)|^2 over the mass.
 */
typedef struct ov_metric {
    double mass;
    ov_vec3 centre;
    ov_mat3 axes;    /**< unit, a right-handed frame */
    ov_vec3 moments; /**< along the axes, each > 0 */
} ov_metric;

/**
 * From points with weights (null: all 1). OV_ERROR_NULL, OV_ERROR_COUNT, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_WEIGHT (not positive), OV_ERROR_DEGENERATE (all points within a
 * plane, or to 1e-7 of their extent). OV_ERROR_COUNT: fewer than four.
 * OV_ERROR_SIZE_RANGE also for a mass or an extent outside of OV_SIZE_MIN to OV_SIZE_MAX.
 */
ov_status ov_metric_from_points(const ov_vec3 *points, const double *weights, size_t count,
                                ov_metric *metric);
/** From a shape filled with mass 1. OV_ERROR_UNSUPPORTED where it has no volume,
 *  OV_ERROR_DEGENERATE where it is thinner than 1e-6 of its length. */
ov_status ov_metric_from_shape(const ov_shape *shape, ov_metric *metric);
/**
 * For a flat polygon: equal masses at its vertices, and one over their middle, at `height` times
 * the polygon's radius (0: 0.25) [Toleranced, 7.1]; all together 1. Errors as from points, and
 * OV_ERROR_OPTION for a negative height.
 */
ov_status ov_metric_from_polygon(const ov_vec3 *vertices, size_t count, double height,
                                 ov_metric *metric);

/** Scalar product of two displacements, or of differences of such. */
double ov_metric_dot(const ov_metric *metric, const ov_affine *a, const ov_affine *b);
double ov_metric_distance(const ov_metric *metric, const ov_affine *a, const ov_affine *b);

/**
 * Distortion rate [Toleranced, (4)]: a ball of displacements of radius R about g takes the point x
 * to the ball of radius R times this about g(x).
 */
double ov_metric_distortion(const ov_metric *metric, ov_vec3 point);
/** Largest distortion rate on the hull of points; R times it bounds how far any point moves (11).
 *  Rounded upwards, as are the numbers of lines and planes below. */
double ov_metric_distortion_max(const ov_metric *metric, const ov_vec3 *points, size_t count);

/** Along a line the squared distortion is rho^2 + t^2 / nu^2, t the length from the origin (5). */
typedef struct ov_metric_line {
    ov_vec3 origin, direction; /**< unit */
    double rho, nu;
} ov_metric_line;
/** OV_ERROR_DEGENERATE where the points are one. */
ov_status ov_metric_line_of(const ov_metric *metric, ov_vec3 p, ov_vec3 q, ov_metric_line *line);

/** In a plane it is rho^2 + s^2 / nu1^2 + t^2 / nu2^2 along orthonormal b1, b2; nu1 <= nu2 (7). */
typedef struct ov_metric_plane {
    ov_vec3 origin, b1, b2;
    double rho, nu1, nu2;
} ov_metric_plane;
/** The plane through p across a normal (any length but zero: OV_ERROR_ZERO_DIRECTION). */
ov_status ov_metric_plane_of(const ov_metric *metric, ov_vec3 p, ov_vec3 normal,
                             ov_metric_plane *plane);

/** All displacements that are no further from `centre` than `radius`. */
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

/* All of these return, besides what is said: OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE (a position beyond OV_POSITION_MAX), OV_ERROR_TIME (the end is not after the
 * start, times do not ascend, or all of it takes less than 1e-100 or more than 1e100),
 * OV_ERROR_MEMORY; `*motion` is then null. `allocator` may be null.
 */

/**
 * Rational Bézier curve of displacements: sum of B_i(u) w_i controls[i] over the sum of B_i(u) w_i,
 * u from 0 at the start to 1 at the end. It need not be rigid. `weights` may be null: all 1.
 * OV_ERROR_COUNT (fewer than two, or too many), OV_ERROR_WEIGHT (not positive, or less than 1e-100
 * of the largest); linear parts are held to OV_POSITION_MAX too.
 */
ov_status ov_motion_create_bezier(const ov_affine *controls, const double *weights, size_t count,
                                  double start, double end, const ov_allocator *allocator,
                                  ov_motion **motion);
/**
 * Rigid rational motion. The rotation is that of the quaternion polynomial sum of B_i(u)
 * rotations[i], which need not be units; the position is a rational Bézier curve (weights null: all
 * 1). In the space of displacements that is a rational curve of degree 2 (rotation_count - 1) +
 * position_count - 1, at most OV_MOTION_DEGREE_MAX: OV_ERROR_COUNT. One rotation, or one position,
 * is constant. OV_ERROR_WEIGHT; OV_ERROR_ZERO_DIRECTION where the polynomial is zero, or too close
 * to it to be told from it.
 */
ov_status ov_motion_create_rational(const ov_quat *rotations, size_t rotation_count,
                                    const ov_vec3 *positions, const double *weights,
                                    size_t position_count, double start, double end,
                                    const ov_allocator *allocator, ov_motion **motion);
/**
 * Screw: from a pose, turned by `angle_rad` about the axis through `point` along `axis` (any length
 * but zero: OV_ERROR_ZERO_DIRECTION) and moved by `travel` along it, both at constant speed.
 * OV_ERROR_SIZE_RANGE also for an angle or travel beyond OV_POSITION_MAX, OV_ERROR_TIME where the
 * speeds are beyond 1e150.
 */
ov_status ov_motion_create_screw(ov_pose first, ov_vec3 point, ov_vec3 axis, double angle_rad,
                                 double travel, double start, double end,
                                 const ov_allocator *allocator, ov_motion **motion);

/** How positions, of frames or joints, go from one key to the next. */
typedef enum ov_spline {
    OV_SPLINE_LINEAR = 0, /**< straight, with a jump of speed at each key */
    OV_SPLINE_CUBIC,      /**< cubic with continuous second derivative, at rest at both ends */
    OV_SPLINE_COUNT
} ov_spline;
/** "linear", "cubic". */
const char *ov_spline_name(ov_spline spline);

/**
 * Through key poses at ascending times: positions by a spline, rotations along the shortest arc
 * between neighbours at constant speed (slerp). OV_ERROR_COUNT (fewer than two, or too many),
 * OV_ERROR_ZERO_DIRECTION, OV_ERROR_OPTION.
 */
ov_status ov_motion_create_keys(const ov_pose *poses, const double *times, size_t count,
                                ov_spline spline, const ov_allocator *allocator,
                                ov_motion **motion);
/** Null is allowed. */
void ov_motion_destroy(ov_motion *motion);

double ov_motion_start(const ov_motion *motion);
double ov_motion_end(const ov_motion *motion);
/** Is every displacement of it a rigid one? True for all but Bézier curves. */
bool ov_motion_is_rigid(const ov_motion *motion);
/** Where the frame is; times before the start and after the end are as these (NaN: the start). */
ov_status ov_motion_at(const ov_motion *motion, double time, ov_affine *displacement);
/** The same as a pose; OV_ERROR_UNSUPPORTED where the motion is not rigid. */
ov_status ov_motion_pose(const ov_motion *motion, double time, ov_pose *pose);

/** How a ball about a piece of a motion is found. */
typedef enum ov_ball_method {
    OV_BALL_METHOD_HULL =
        0,               /**< about the middle: the farthest control point, or the speeds there */
    OV_BALL_METHOD_ARC,  /**< by length and curvature of the arc [Toleranced, Proposition 2] */
    OV_BALL_METHOD_BEST, /**< the hull's, or that over the chord, where the motion is straight
                            enough */
    OV_BALL_METHOD_COUNT
} ov_ball_method;
/**
 * A ball that holds the motion from one time to another, by the metric of a body; rounding is in
 * its radius. OV_BALL_METHOD_ARC gives OV_ERROR_UNSUPPORTED where Proposition 2 does not apply: an
 * arc too long for its curvature, a jump of the velocity, rest, an instant, and Bézier curves of
 * displacements. OV_ERROR_TIME where the times are not within the motion in this order,
 * OV_ERROR_OPTION for another method or axes of the metric that are no frame, and what the making
 * of a metric returns for its other numbers.
 */
ov_status ov_motion_ball(const ov_motion *motion, const ov_metric *metric, double from, double to,
                         ov_ball_method method, ov_displacement_ball *ball);

/* ---- joint trajectories ---------------------------------------------------------------------- */

/** Positions of all joints of a model over time: piecewise polynomials, and slerp for quaternions.
 *  Opaque; the model must outlive it. */
typedef struct ov_trajectory ov_trajectory;

/**
 * Through rows of positions (ov_model_position_count numbers each) at ascending times. `velocities`
 * (null, or as many numbers as positions; those of quaternions are not looked at) makes it a cubic
 * Hermite spline, whatever `spline` says. OV_ERROR_COUNT (fewer than two, or more than
 * OV_MOTION_KEYS_MAX), OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_TIME,
 * OV_ERROR_SIZE_RANGE (a number beyond OV_POSITION_MAX, or derivatives beyond 1e50),
 * OV_ERROR_OPTION. `fault` (may be null) names the first row to blame. Limits are not looked at
 * here.
 */
ov_status ov_trajectory_create(const ov_model *model, const double *times, const double *positions,
                               const double *velocities, size_t count, ov_spline spline,
                               const ov_allocator *allocator, ov_trajectory **trajectory,
                               ov_fault *fault);
/** Null is allowed. */
void ov_trajectory_destroy(ov_trajectory *trajectory);
double ov_trajectory_start(const ov_trajectory *trajectory);
double ov_trajectory_end(const ov_trajectory *trajectory);
/** Positions (ov_model_position_count numbers) and, unless null, their derivatives; quaternions are
 *  units, and their derivatives zero here. */
ov_status ov_trajectory_at(const ov_trajectory *trajectory, double time, double *positions,
                           double *velocities, double *accelerations);

/** Where a trajectory first leaves what is allowed. */
typedef struct ov_trajectory_excess {
    uint32_t joint; /**< OV_NO_LINK: nowhere */
    int derivative; /**< 0: position, 1: speed, 2: acceleration */
    double time;    /**< a time where it does so */
    double value;   /**< the most of it, near that time */
    double limit;
} ov_trajectory_excess;
/**
 * Holds a whole trajectory, not samples of it, against the position limits of the model and limits
 * of speed and acceleration (arrays of one number per degree of freedom, ov_model_dof_count; null
 * or an infinite number: none). The answer is in `excess`: its joint is OV_NO_LINK where all stays
 * within the limits to 1e-9. A jump of the velocity is an infinite acceleration. Of a spherical or
 * floating joint the angular speed is held against the least of its three limits. OV_ERROR_NULL,
 * OV_ERROR_NOT_FINITE for a limit that is NaN; `fault` (may be null) names its joint.
 */
ov_status ov_trajectory_check(const ov_trajectory *trajectory, const double *speed_limits,
                              const double *acceleration_limits, ov_trajectory_excess *excess,
                              ov_fault *fault);

/* ---- polygons -------------------------------------------------------------------------------- */

/** Largest number of polygons, of all their corners together, and of corners of one. */
#define OV_POLYGONS_MAX ((size_t)1 << 24)
#define OV_POLYGON_CORNERS_MAX 1024

/** A surface of flat, convex polygons: a polyhedron, or a part of one. Where it is closed and
 *  oriented consistently its inside is solid, as that of an ov_trimesh. Opaque. */
typedef struct ov_polygons ov_polygons;

/**
 * Polygon i has sizes[i] corners, which are indices of vertices, in order; all follow each other in
 * `corners`. A corner may be out of the plane of its polygon by 1e-6 of the polygon's radius; what
 * there is of that is allowed for. `fault` (may be null) names a polygon. OV_ERROR_NULL,
 * OV_ERROR_COUNT, OV_ERROR_INDEX, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE, OV_ERROR_DEGENERATE (no
 * area, or corners that are the same), OV_ERROR_NOT_FLAT, OV_ERROR_NOT_CONVEX, OV_ERROR_MEMORY.
 */
ov_status ov_polygons_create(const ov_vec3 *vertices, size_t vertex_count, const uint32_t *corners,
                             const uint32_t *sizes, size_t count, const ov_allocator *allocator,
                             ov_polygons **polygons, ov_fault *fault);
/** Null is allowed. */
void ov_polygons_destroy(ov_polygons *polygons);
size_t ov_polygons_count(const ov_polygons *polygons);
/** Have they an inside: a closed shell at least? */
bool ov_polygons_is_solid(const ov_polygons *polygons);
size_t ov_polygons_vertex_count(const ov_polygons *polygons);
const ov_vec3 *ov_polygons_vertices(const ov_polygons *polygons);
/** Corners of a polygon, `*size` of them; null beyond the last. */
const uint32_t *ov_polygons_corners(const ov_polygons *polygons, size_t index, size_t *size);

/* ---- sweeps ---------------------------------------------------------------------------------- */

/** From which mass a moving polygon has its metric [Toleranced, 7.2]. */
typedef enum ov_mass_use {
    OV_MASS_USE_INDIVIDUAL = 0, /**< each polygon its own */
    OV_MASS_USE_GLOBAL,         /**< one for all of the body */
    OV_MASS_USE_COUNT
} ov_mass_use;

typedef struct ov_sweep_options {
    /**
     * A length: pieces in which no point moves by more than this against the other body are not
     * divided further. Not negative; 0: 1e-4 of the radius of the smaller one of a pair.
     *
     * What stays clear by more than twice this is shown to be free, within these limits, beyond
     * which the answer is OV_SWEEP_ANSWER_UNDECIDED:
     * - rounding: here epsilon counts as no less than 1e-12 of the coordinates and sizes of both
     *   bodies together, and as what a point moves in 8 DBL_EPSILON of the time's own numbers (a
     *   motion at 1e9 seconds has a coarse clock); polygons also as what they are out of flat;
     * - `depth`;
     * - 2^20 pieces for a pair, 2^17 with a mesh, 2^28 tests of polygons. A piece is
     *   as long as points take to move by the gap, or longer: so this limit is met by bodies that
     *   turn, otherwise than onto themselves, while they pass each other at a gap of less than a
     *   millionth of the distance.
     */
    double epsilon;
    double clearance; /**< free means a gap of more than this; not negative */
    int depth; /**< pieces of 2^-depth of the time, or less, are not divided; 1 to 60; 0: 60 */
    ov_threads threads; /**< results do not depend on it */
    bool first_only;    /**< only what comes first is looked for, to `resolution` of the time */
    double resolution;  /**< of the first contact, as a part of the time, 1e-12 to 1; 0: 1e-6 */
    bool every_pair;    /**< polygons: every pair, as in the paper; false: trees over both bodies */
    ov_mass_use mass;   /**< polygons */
    /** Most intervals to keep; there may be more: ov_sweep_summary.intervals. 0: 2^20. */
    size_t intervals;
    ov_allocator allocator; /**< resize null: malloc and its like */
    /** Told now and then, by one thread at a time (the calling one, unless `threads` has a
     *  callback), which part of the work is done: from 0 to 1, and never less than before; null:
     *  nobody. Not for single pairs. */
    void (*progress)(void *user, double done);
    void *progress_user;
} ov_sweep_options;

/** Epsilon and clearance 0, depth 60, as many threads as the machine has, all contacts, resolution
 *  1e-6, trees, individual masses, 2^20 intervals. */
ov_sweep_options ov_default_sweep_options(void);

/** Two shapes in motion; a null motion: at rest at the pose. */
typedef struct ov_sweep_pair {
    const ov_shape *a, *b;                /**< convex; a half-space only where it is at rest */
    const ov_motion *motion_a, *motion_b; /**< rigid; of the frames that the poses are in */
    ov_pose pose_a, pose_b;               /**< a rotation of zeros: none */
} ov_sweep_pair;

/** How a sweep ended. */
typedef enum ov_sweep_answer {
    OV_SWEEP_ANSWER_FREE = 0, /**< proven: no contact at any time */
    OV_SWEEP_ANSWER_CONTACT,  /**< proven: there is a contact */
    OV_SWEEP_ANSWER_UNDECIDED /**< they come too close to tell */
} ov_sweep_answer;
/** "free", "contact", "undecided". */
const char *ov_sweep_answer_name(ov_sweep_answer answer);

typedef struct ov_first_contact {
    ov_sweep_answer answer;
    double lower; /**< proven free up to here: all of the time where it is free */
    double upper; /**< proven to be in contact at the pose of this time; infinite: no such time */
    ov_contact contact; /**< at `lower`, or at the closest place found where there is no contact */
    size_t pieces, tests, queries; /**< see ov_sweep_summary */
} ov_first_contact;

/**
 * First contact of two shapes between two times; allocates nothing. OV_NOT_CONVERGED where `upper -
 * lower` is more than `resolution` of the time. OV_ERROR_NULL, OV_ERROR_TIME (the end is not after
 * the start, or a motion does not reach from one to the other), OV_ERROR_OPTION, OV_ERROR_SHAPE,
 * OV_ERROR_UNSUPPORTED, OV_ERROR_UNBOUNDED (a half-space that moves, or two). `options` may be
 * null.
 */
ov_status ov_sweep_pair_first(const ov_sweep_pair *pair, double start, double end,
                              const ov_sweep_options *options, ov_first_contact *first);

/** A body of a sweep: a geometry, or polygons; one of them is null. */
typedef struct ov_sweep_body {
    const ov_geometry *geometry;
    const ov_polygons *polygons;
    const ov_motion *motion; /**< null: at rest */
    ov_pose pose;            /**< in the frame that moves, or where it rests; zeros as in ov_part */
    uint32_t group, mask;    /**< as in ov_body_def: 0 is the default */
    bool no_pairs;           /**< no pair with any other */
} ov_sweep_body;
/** Nothing, at rest at the origin, group 1, mask of all bits. */
ov_sweep_body ov_default_sweep_body(void);

/** What of two bodies could meet. */
typedef enum ov_sweep_element {
    OV_SWEEP_ELEMENT_PARTS =
        0, /**< parts of geometries; of polygons, one body inside of the other */
    OV_SWEEP_ELEMENT_VERTEX_FACE, /**< vertex of A and face of B; see below */
    OV_SWEEP_ELEMENT_EDGE_EDGE,
    OV_SWEEP_ELEMENT_FACE_VERTEX,
    OV_SWEEP_ELEMENT_EDGE_FACE, /**< an edge of either through a face of the other: they do meet */
    OV_SWEEP_ELEMENT_COUNT
} ov_sweep_element;
/** "parts", "vertex-face", "edge-edge", "face-vertex", "edge-face". */
const char *ov_sweep_element_name(ov_sweep_element element);

/** A time during which contact of two parts could not be excluded. */
typedef struct ov_sweep_interval {
    double start, end;
    double contact;          /**< a time between at which contact is proven; NaN: none */
    uint32_t body_a, body_b; /**< indices of bodies, A before B; for a model see below */
    uint32_t part_a, part_b; /**< parts of the geometries, or polygons */
    ov_sweep_element element;
    uint32_t index_a, index_b; /**< polygons: vertex or edge in its polygon; 0 for a face */
} ov_sweep_interval;

typedef struct ov_sweep_summary {
    ov_sweep_answer answer;
    double lower;     /**< proven free up to here: the end where it is free */
    double upper;     /**< earliest time of a proven contact; infinite: none */
    size_t intervals; /**< found; kept are no more than the options say */
    size_t pairs;     /**< of parts or polygons that boxes do not keep apart, by slices of time */
    size_t pieces;    /**< of time, of all pairs together */
    size_t tests;     /**< bounds that were looked at: of balls, directions and offset polygons */
    size_t queries;   /**< pair queries */
    int depth;        /**< of the shortest piece: log2(time / piece), rounded up */
} ov_sweep_summary;

/** What a sweep found. Opaque. */
typedef struct ov_sweep ov_sweep;
/** Null is allowed. */
void ov_sweep_destroy(ov_sweep *sweep);
ov_sweep_summary ov_sweep_summary_of(const ov_sweep *sweep);
/** By start, then by bodies and parts; touching intervals of the same parts are one. */
const ov_sweep_interval *ov_sweep_intervals(const ov_sweep *sweep, size_t *count);

/**
 * All pairs of bodies of which one moves. Errors as above, and OV_ERROR_COUNT; `fault` (may be
 * null) names the body to blame. Affine motions are for polygons against polygons; with anything
 * else OV_ERROR_UNSUPPORTED, for which the body with such a motion is to blame.
 */
ov_status ov_sweep_bodies(const ov_sweep_body *bodies, size_t count, double start, double end,
                          const ov_sweep_options *options, ov_sweep **sweep, ov_fault *fault);

/**
 * A robot along a trajectory, against obstacles and itself. Intervals name links by their index,
 * and obstacle i as ov_model_link_count + i; the robot's link is A. Links that may overlap
 * (ov_model_is_allowed) are no pairs; those joined by fixed joints neither. The root is held
 * against the obstacles too, though it does not move; obstacles among themselves are not. `fault`
 * (may be null) names a link, or an obstacle as a body.
 */
ov_status ov_sweep_model(const ov_model *model, ov_pose root, const ov_trajectory *trajectory,
                         const ov_sweep_body *obstacles, size_t obstacle_count, double start,
                         double end, const ov_sweep_options *options, ov_sweep **sweep,
                         ov_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
