/**
 * @file shape.h
 * @brief Shapes: constructors, evaluation, support functions, bounds, mass and tessellation.
 *
 * A shape is an open value struct in its own frame, centred on the origin unless its constructor
 * says otherwise. Only the constructors fill it. All other functions here take it as valid and
 * const, keep no state and allocate nothing, so threads may share shapes.
 *
 * Exponents, everywhere in Ovoid: `e1` is the squareness of the cross-section in xy, `e2` the
 * squareness along z. Near 0 the shape is square, at 1 it is round, at 2 it is bevelled. The
 * functions at the end of this file convert other conventions.
 *
 *     zeta = z/a3,  f1 = 1 + tx zeta,  f2 = 1 + ty zeta,  p1 = 2/e1,  p2 = 2/e2
 *     m = (|x/(a1 f1)|^p1 + |y/(a2 f2)|^p1)^(1/p1)
 *     G = (m^p2 + |zeta|^p2)^(1/p2)              the gauge: 1 on the surface, below 1 inside
 *     F = G^p2                                   the inside-outside function of the papers
 */
#ifndef OVOID_SHAPE_H
#define OVOID_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/status.h>
#include <ovoid/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes must lie in [OV_SIZE_MIN, OV_SIZE_MAX], so that volumes and inertias stay in range. */
#define OV_SIZE_MIN 1e-60
#define OV_SIZE_MAX 1e60
/** Largest absolute value of a coordinate. */
#define OV_POSITION_MAX 1e100
/** Smaller exponents count as this one: the body is the same box to the last digit. */
#define OV_EXPONENT_MIN 1e-15

/**
 * Kinds of shape. Members of the smooth family get their simplest kind: a superovoid without taper
 * is a superellipsoid, one with e1 = e2 = 1 an ellipsoid, and an ellipsoid with equal semi-axes a
 * sphere. The formulas agree; the simpler kind is faster.
 */
typedef enum ov_shape_kind {
    OV_SHAPE_KIND_NONE = 0,
    OV_SHAPE_KIND_SPHERE,             /**< smooth family */
    OV_SHAPE_KIND_ELLIPSOID,          /**< smooth family */
    OV_SHAPE_KIND_SUPERELLIPSOID,     /**< smooth family */
    OV_SHAPE_KIND_SUPEROVOID,         /**< smooth family */
    OV_SHAPE_KIND_HALFSPACE,          /**< convex, unbounded */
    OV_SHAPE_KIND_BOX,                /**< convex */
    OV_SHAPE_KIND_CAPSULE,            /**< convex */
    OV_SHAPE_KIND_CYLINDER,           /**< convex */
    OV_SHAPE_KIND_CONE,               /**< convex */
    OV_SHAPE_KIND_POLYHEDRON,         /**< convex; refers to the caller's vertices */
    OV_SHAPE_KIND_TRIANGLE,           /**< convex, no volume */
    OV_SHAPE_KIND_SEGMENT,            /**< convex, no volume */
    OV_SHAPE_KIND_POINT,              /**< convex, no volume */
    OV_SHAPE_KIND_CUSTOM,             /**< convex; the caller's own support function */
    OV_SHAPE_KIND_SUPERHYPERBOLOID_1, /**< modelling only: one sheet, cut at |z| = height */
    OV_SHAPE_KIND_SUPERHYPERBOLOID_2, /**< modelling only: two sheets, cut at |z| = height */
    OV_SHAPE_KIND_SUPERTOROID,        /**< modelling only */
    OV_SHAPE_KIND_BENT,               /**< modelling only: tapered, then bent superellipsoid */
    OV_SHAPE_KIND_COUNT
} ov_shape_kind;

/** Lower-case name of a kind as the command spells it ("superovoid"); "none" where there is none.
 */
const char *ov_shape_kind_name(ov_shape_kind kind);

/** The kind of a name; OV_SHAPE_KIND_NONE if there is none, or if the name is null. */
ov_shape_kind ov_shape_kind_from_name(const char *name);

/** Is this kind convex? Pair queries accept these kinds. */
bool ov_shape_is_convex(ov_shape_kind kind);

typedef struct ov_ball {
    ov_vec3 centre;
    double radius;
} ov_ball;

typedef struct ov_support {
    double value;  /**< max over the body of direction . p */
    ov_vec3 point; /**< a point where it is reached */
} ov_support;

/**
 * Support function of a convex body of your own: returns a point p of the body with the largest
 * direction . p. The direction is a unit vector in the body's frame. Any thread that runs a query
 * may call it.
 */
typedef ov_vec3 (*ov_support_function)(const void *user, ov_vec3 direction);

typedef struct ov_shape {
    ov_shape_kind kind;
    /**
     * Semi-axes a1, a2, a3 of superquadrics; half extents of a box. Sphere: three times the radius.
     * Capsule, cylinder, cone: radius, radius, half-length along z.
     */
    ov_vec3 a;
    double e1, e2; /**< exponents (superquadrics) */
    double tx, ty; /**< taper along z (superovoid, bent) */
    /**
     * Depth of the deepest hollow of a tapered surface below its convex hull, as a length, accurate
     * to a few per cent; zero if the surface is convex. Support function, bounds and all queries
     * are those of the hull; gauge, parametric points, mass and mesh those of the surface itself.
     */
    double dent;
    /** A ball that contains the body, not always the smallest. Half-space: infinite. Convex kinds.
     */
    ov_ball ball;
    /** Constants that the constructor derives, for the library only. */
    struct {
        double reserved[8];
    } derived;
    union {
        struct {
            ov_vec3 normal; /**< unit, outward */
            double offset;  /**< the body is normal . p <= offset */
        } halfspace;
        struct {
            const ov_vec3 *vertices;
            const uint32_t (*triangles)[3]; /**< outward counter-clockwise; null if not given */
            size_t vertex_count, triangle_count;
            const struct ov_support_table *table; /**< null where there is none */
        } polyhedron;
        ov_vec3 vertices[3]; /**< point: 1, segment: 2, triangle: 3 */
        struct {
            ov_support_function support;
            const void *user;
        } custom;
        struct {
            double height; /**< of the two cuts, at z = +-height */
        } hyperboloid;
        struct {
            double hole; /**< distance of the tube's centre line, in units of the semi-axes */
        } toroid;
        struct {
            double curvature; /**< of the bent axis, 1/length; zero is straight */
            double angle_rad; /**< of the bending plane about z, from x */
        } bent;
    } u;
} ov_shape;

/* ---- constructors ---------------------------------------------------------------------------
 * Each validates everything and writes the shape only on success. */

ov_status ov_shape_make_sphere(double radius, ov_shape *shape);
ov_status ov_shape_make_ellipsoid(ov_vec3 semi_axes, ov_shape *shape);
ov_status ov_shape_make_superellipsoid(ov_vec3 semi_axes, double e1, double e2, ov_shape *shape);

typedef struct ov_shape_options {
    /** Largest allowed dent, in units of the smallest semi-axis, up to 1; 0: 0.05, OV_ZERO: none.
     */
    double dent_tolerance;
} ov_shape_options;

/** A dent of up to 5 % of the smallest semi-axis is allowed. */
ov_shape_options ov_default_shape_options(void);

/**
 * Tapered superellipsoid: the convex hull of G = 1.
 *
 * |tx| and |ty| are below 1; the section is scaled by (1 + tx z/a3, 1 + ty z/a3). OV_ERROR_DENT if
 * the dent is deeper than the tolerance. `options` may be null.
 */
ov_status ov_shape_make_superovoid(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                                   const ov_shape_options *options, ov_shape *shape);

/** The points with normal . p <= offset for the unit normal; `normal` has any length but zero. */
ov_status ov_shape_make_halfspace(ov_vec3 normal, double offset, ov_shape *shape);
ov_status ov_shape_make_box(ov_vec3 half_extents, ov_shape *shape);
/** All points within `radius` of the segment from z = -half_length to +half_length (0 allowed). */
ov_status ov_shape_make_capsule(double radius, double half_length, ov_shape *shape);
/** Axis z, from -half_length to +half_length. */
ov_status ov_shape_make_cylinder(double radius, double half_length, ov_shape *shape);
/** Axis z, base at -half_length, tip at +half_length. */
ov_status ov_shape_make_cone(double radius, double half_length, ov_shape *shape);

/**
 * Convex hull of at least four points, not all in a plane.
 *
 * The shape refers to the caller's arrays, which must outlive it. With `triangles` (outward
 * counter-clockwise, closed, covering the surface once) the constructor checks that every vertex
 * lies on or below every face; mass, mesh and containment are then available. Without them (null,
 * 0) the shape has support function and bounds only. `ov_hull_create` in `ovoid/io_mesh.h` makes
 * the triangles of a point cloud.
 */
ov_status ov_shape_make_polyhedron(const ov_vec3 *vertices, size_t vertex_count,
                                   const uint32_t (*triangles)[3], size_t triangle_count,
                                   ov_shape *shape);

/**
 * The vertices of a polyhedron, sorted by the directions in which they can be the farthest. Without
 * a table every support looks at every vertex, with one at about ten; the answers are the same.
 * Hulls, scenes and robots of `ovoid/io.h` come with tables. Opaque; it never changes, so shapes
 * and threads may share it.
 */
typedef struct ov_support_table ov_support_table;

/**
 * Makes a table of a polyhedron's vertices, and lets the shape refer to it: the table must outlive
 * the shape and its copies. It takes about 150 bytes for each vertex, at most 800. `allocator` may
 * be null. OV_ERROR_UNSUPPORTED for other kinds, OV_ERROR_MEMORY; `*table` is then null, and the
 * shape is as it was.
 */
ov_status ov_support_table_create(ov_shape *shape, const ov_allocator *allocator,
                                  ov_support_table **table);
/** Null is allowed. Do not use shapes that refer to it any more. */
void ov_support_table_destroy(ov_support_table *table);

ov_status ov_shape_make_triangle(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_shape *shape);
ov_status ov_shape_make_segment(ov_vec3 a, ov_vec3 b, ov_shape *shape);
ov_status ov_shape_make_point(ov_vec3 a, ov_shape *shape);

/**
 * Any convex body, by its support function; `ball` must contain the body. The shape refers to
 * `user`, which must outlive it and is passed to the function. If the function returns a point
 * outside the ball, or one that is not finite, the query ends with OV_ERROR_SIZE_RANGE or
 * OV_ERROR_NOT_FINITE. Support function, boxes, ball and all pair queries are available.
 */
ov_status ov_shape_make_custom(ov_support_function support, const void *user, ov_ball ball,
                               ov_shape *shape);

/** m^p2 - |zeta|^p2 <= 1 and |z| <= height: a waisted column, open along z before the cut. */
ov_status ov_shape_make_superhyperboloid_1(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape);
/** |zeta|^p2 - m^p2 >= 1 and |z| <= height: two bowls, tips at z = +-a3; height > a3. */
ov_status ov_shape_make_superhyperboloid_2(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape);
/** |m - hole|^p2 + |zeta|^p2 <= 1: a ring about z; hole > 1. */
ov_status ov_shape_make_supertoroid(ov_vec3 semi_axes, double e1, double e2, double hole,
                                    ov_shape *shape);
/**
 * Superellipsoid, tapered, then bent along z to a circle of the given curvature, in the plane at
 * `angle_rad` about z [SQMap, eq. 2]. The bend must not fold the body: |curvature| times the extent
 * of the section must be below 1, and |curvature| a3 below pi.
 */
ov_status ov_shape_make_bent(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                             double curvature, double angle_rad, ov_shape *shape);

/* ---- evaluation ----------------------------------------------------------------------------- */

/** Value and derivatives of a scalar field at a point. */
typedef struct ov_field {
    double value;
    ov_vec3 gradient;
    ov_mat3 hessian; /**< symmetric */
} ov_field;

/**
 * Gauge G with gradient and Hessian; smooth family.
 *
 * Above and below the body (|z| > a3) the taper keeps its end value, so G is finite for every
 * point; its slope along z jumps there. A coordinate below 1e-130 semi-axes counts as zero.
 * OV_NOT_SMOOTH at the centre; on the coordinate planes where e > 1; and on the z axis if e2 = 1
 * and e1 is not 1. Value and gradient then hold (at a corner the gradient is a member of the normal
 * cone), and infinite or undefined second derivatives are set to zero.
 */
ov_status ov_shape_gauge(const ov_shape *shape, ov_vec3 point, ov_field *field);

/** Gauge alone. */
ov_status ov_shape_gauge_value(const ov_shape *shape, ov_vec3 point, double *value);

/**
 * The papers' inside-outside function F with gradient and Hessian: below 1 inside, 1 on the
 * surface, above 1 outside; smooth family and modelling kinds. It ignores the cuts of hyperboloids.
 * OV_NOT_SMOOTH as in ov_shape_gauge. F is infinite if it is too large for a double.
 */
ov_status ov_shape_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field);

/** Is the point inside or on the surface, up to rounding? Every kind. */
ov_status ov_shape_contains(const ov_shape *shape, ov_vec3 point, bool *inside);

/** How the two surface angles are defined. */
typedef enum ov_spacing {
    OV_SPACING_ANGLE_CENTRE, /**< [Benchmark, eq. 9-10]: dense at edges, sparse on flats */
    OV_SPACING_EQUAL         /**< [SQMap, eq. 9-10]: nearly equal spacing */
} ov_spacing;

typedef struct ov_surface_point {
    ov_vec3 point;
    ov_vec3 normal;   /**< unit, outward */
    ov_vec3 tangent1; /**< unit, direction of growing phi1 */
    ov_vec3 tangent2; /**< unit, direction of growing phi2 */
} ov_surface_point;

/**
 * Surface point at phi1 in [-pi, pi] about z and phi2 in [-pi/2, pi/2] from the equator up; smooth
 * family, supertoroid (phi2 in [-pi, pi]), bent, and superhyperboloids (phi2 in (-pi/2, pi/2); two
 * sheets: the sign of phi2 names the sheet, the tip is at 0 from either side; angle-centre only).
 * Tangents are the directions of the derivatives, finite even where the derivatives are not; at a
 * corner they are orthogonal to the normal that is returned there.
 */
ov_status ov_shape_surface(const ov_shape *shape, ov_spacing spacing, double phi1, double phi2,
                           ov_surface_point *out);

/**
 * Angles (angle-centre) of a surface point: the inverse of ov_shape_surface; smooth family. For
 * small exponents most of a flat has angles within rounding of a multiple of pi/2, so the inverse
 * is inaccurate there.
 */
ov_status ov_shape_angles(const ov_shape *shape, ov_vec3 point, double *phi1, double *phi2);

/**
 * Support function and support point in a direction of any length but zero: convex kinds. For the
 * smooth family this is also the surface point of a normal [Thesis, eq. 9]. A half-space has
 * support along its own normal only (OV_ERROR_UNBOUNDED elsewhere). If the maximum is reached on a
 * face or edge, the point is one of its points.
 */
ov_status ov_shape_support(const ov_shape *shape, ov_vec3 direction, ov_support *out);

typedef struct ov_curvature {
    double k_min, k_max;      /**< principal curvatures, 1/length, positive where convex */
    ov_vec3 dir_min, dir_max; /**< unit tangents */
    ov_vec3 normal;           /**< unit, outward */
} ov_curvature;

/**
 * Principal curvatures at a surface point, or of the level set G = const through any other point
 * but the centre; smooth family. On an edge (e > 1) the curvature across it is infinite, and the
 * status is OV_NOT_SMOOTH. The status is the same on the z axis if e2 = 1 and e1 is not 1, because
 * the curvature depends on the direction there.
 */
ov_status ov_shape_curvature(const ov_shape *shape, ov_vec3 point, ov_curvature *out);

/**
 * Smallest and largest principal curvature over the whole surface; smooth family. Exact where it is
 * zero (flats, e < 1), infinite (edges, e > 1) or a closed form (ellipsoids). Otherwise found by a
 * search of some milliseconds, accurate to about 1e-6 of the largest.
 */
ov_status ov_shape_curvature_range(const ov_shape *shape, double *k_min, double *k_max);

/* ---- bounds ---------------------------------------------------------------------------------
 * Every box and bounding ball is rounded outwards, so it contains the body in exact arithmetic.
 */

typedef struct ov_aabb {
    ov_vec3 min, max;
} ov_aabb;

/** Box along the axes of its pose. */
typedef struct ov_obb {
    ov_pose pose;
    ov_vec3 half;
} ov_obb;

/** Tight axis-aligned box of the shape at a pose; convex kinds except the half-space, and modelling
 *  kinds (not tight for these). */
ov_status ov_shape_aabb(const ov_shape *shape, ov_pose pose, ov_aabb *box);
/** Tight box along the shape's own axes, in the shape's frame. */
ov_status ov_shape_obb(const ov_shape *shape, ov_obb *box);
/** A ball that contains the body; the smallest one for the smooth family and the simple kinds. */
ov_status ov_shape_bounding_ball(const ov_shape *shape, ov_ball *ball);
/** A ball inside the body; the largest one for convex surfaces of the smooth family. For tapered
 *  shapes it comes from a search of the surface, which is not a proof. */
ov_status ov_shape_inscribed_ball(const ov_shape *shape, ov_ball *ball);

/* ---- mass ----------------------------------------------------------------------------------- */

typedef struct ov_mass {
    double volume;
    double mass;      /**< density times volume */
    ov_vec3 centroid; /**< in the shape's frame */
    ov_mat3 inertia;  /**< about the centroid, in the shape's axes */
} ov_mass;

/** Closed forms for the smooth family and the simple solids; exact sums for polyhedra. */
ov_status ov_shape_mass(const ov_shape *shape, double density, ov_mass *out);

/* ---- meshes ---------------------------------------------------------------------------------
 * Two steps, so that the caller owns all memory: plan computes the sizes, fill writes the mesh. */

typedef struct ov_mesh_options {
    size_t vertices; /**< largest number of vertices, if chord_error is zero; 0: 1,000 */
    /** Largest distance between mesh and surface, as a length; 0: use `vertices`. */
    double chord_error;
} ov_mesh_options;

/** 1,000 vertices. */
ov_mesh_options ov_default_mesh_options(void);

typedef struct ov_mesh_plan {
    size_t vertex_count, triangle_count;
    uint32_t around, along; /**< steps about z and from pole to pole */
    ov_spacing spacing;
} ov_mesh_plan;

/**
 * Layout of a closed, outward oriented manifold mesh. Smooth family, box, capsule, cylinder, cone,
 * polyhedron with triangles, and modelling kinds. OV_ERROR_OPTION if the number of vertices is too
 * small for any mesh, or if the chord error needs more than 2^26 vertices.
 */
ov_status ov_shape_mesh_plan(const ov_shape *shape, const ov_mesh_options *options,
                             ov_mesh_plan *plan);

/** Writes plan->vertex_count vertices and unit normals (may be null), and the triangles. */
ov_status ov_shape_mesh_fill(const ov_shape *shape, const ov_mesh_plan *plan, ov_vec3 *vertices,
                             ov_vec3 *normals, uint32_t (*triangles)[3]);

/* ---- superellipse, in the plane --------------------------------------------------------------
 * |x/a1|^(2/e) + |y/a2|^(2/e) = 1 */

typedef struct ov_superellipse {
    double a1, a2, e;
} ov_superellipse;

ov_status ov_superellipse_make(double a1, double a2, double e, ov_superellipse *curve);
/** Gauge, its gradient and Hessian entries xx, xy, yy (each may be null). */
ov_status ov_superellipse_gauge(const ov_superellipse *curve, ov_vec2 point, double *value,
                                ov_vec2 *gradient, double hessian[3]);
ov_status ov_superellipse_support(const ov_superellipse *curve, ov_vec2 direction, double *value,
                                  ov_vec2 *point);
/** Point, unit outward normal and curvature (infinite at a corner) at an angle in [-pi, pi]. */
ov_status ov_superellipse_curve(const ov_superellipse *curve, ov_spacing spacing, double phi,
                                ov_vec2 *point, ov_vec2 *normal, double *curvature);
/** Area, and second moments about the axes: the integrals of x^2 and y^2. */
ov_status ov_superellipse_area(const ov_superellipse *curve, double *area, ov_vec2 *second_moment);

/* ---- exponent conventions --------------------------------------------------------------------
 * Conversion to and from Ovoid's convention (e1 in xy, e2 along z). */

typedef struct ov_exponents {
    double e1, e2;
} ov_exponents;

typedef enum ov_convention {
    OV_CONVENTION_OVOID, /**< first: xy, second: z, as in [Thesis] and [Benchmark] */
    OV_CONVENTION_BARR,  /**< first: z, second: xy, as Barr, Solina, [Portal] and [SQMap] */
    OV_CONVENTION_BLOCKY /**< n1 = 2/e2 along z, n2 = 2/e1 in xy, as LAMMPS and LIGGGHTS */
} ov_convention;

/** From the numbers of a convention, in its own order; OV_ERROR_EXPONENT outside the domain. */
ov_status ov_exponents_import(ov_convention from, double first, double second, ov_exponents *out);
/** To the numbers of a convention, in its own order. */
ov_status ov_exponents_export(ov_exponents exponents, ov_convention to, double *first,
                              double *second);

#ifdef __cplusplus
}
#endif

#endif
