/**
 * @file shape_internal.h
 * @brief What the files of src/shape/ share, and what they offer to the folders above: checks of
 * parameters, the constants that constructors derive, and one set of functions for each group of
 * kinds, among which shape.c chooses.
 *
 * The groups: the smooth *family* (sphere to superovoid; superquadric*.c), the *primitives*
 * (half-space to custom; primitive.c, polyhedron.c) and the *nonconvex* kinds, which are there for
 * modelling (hyperboloids, toroid, bent; nonconvex.c). The functions of a group take a valid shape
 * of that group, and finite points and directions.
 */
#ifndef OVI_SHAPE_INTERNAL_H
#define OVI_SHAPE_INTERNAL_H

#include <float.h>

#include <ovoid/shape.h>

#include "../math/p_norm.h"
#include "unit_superellipse.h"

/** Relative margin of the bounds: covers the rounding of the few operations that make them. */
#define OVI_BOUND_MARGIN 1e-14
/** Thinner than this, in units of its extent, a triangle or polyhedron is refused as flat. */
#define OVI_FLAT 1e-12
/** … and thinner than this in units of its largest coordinate: no more than their rounding. */
#define OVI_FLAT_ROUNDING (64.0 * DBL_EPSILON)
/** A point this close to a body, in units of the largest coordinate at hand, counts as in it. */
#define OVI_ON_SURFACE (8.0 * DBL_EPSILON)
/** So far, in the same units, corners of faces and points are taken to be off by rounding. */
#define OVI_FACE_SLACK (32.0 * DBL_EPSILON)

/* ---- vectors */

static inline double ovi_max_abs(ov_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/** Square of a length; for vectors whose components are between 1e-140 and 1e140, or zero. */
static inline double ovi_square(ov_vec3 v) { return ov_vec3_dot(v, v); }

/* ---- checks of parameters: every constructor refuses alike (shape.c) */

ov_status ovi_check_size(double size);
ov_status ovi_check_sizes(ov_vec3 sizes);
ov_status ovi_check_exponent(double e);
ov_status ovi_check_taper(double t);
/** Finite, and within OV_POSITION_MAX. */
ov_status ovi_check_point(ov_vec3 point);
/** Finite, and no coordinate beyond OV_SIZE_MAX. */
static inline ov_status ovi_check_position(ov_vec3 p) {
    if (!ov_vec3_is_finite(p)) {
        return OV_ERROR_NOT_FINITE;
    }
    return ovi_max_abs(p) > OV_SIZE_MAX ? OV_ERROR_SIZE_RANGE : OV_OK;
}
/** That there are a shape and a place for the answer, and the shape is of a kind; and, of the
 * second one, the point. */
ov_status ovi_check_shape(const ov_shape *shape, const void *out);
ov_status ovi_check_shape_at(const ov_shape *shape, ov_vec3 point, const void *out);
/** Checks and sets the exponents and the constants derived from them, without a dent. */
ov_status ovi_set_exponents(double e1, double e2, ov_shape *shape);

/* ---- constants that the constructors derive, in ov_shape.derived
 *
 * Of the smooth family and the nonconvex kinds: the exponents as norms take them. Of tapered
 * surfaces: where their profiles are concave, and what the support function needs where its point
 * can jump across a dent (superquadric_dent.c, docs/theory/dent.md).
 */

/** Slots of ov_shape.derived. */
enum {
    OVI_DERIVED_P1_MINUS_1, /**< primal exponents p = 2/e, less one */
    OVI_DERIVED_P2_MINUS_1,
    OVI_DERIVED_Q1_MINUS_1, /**< dual exponents q = 2/(2-e), less one; infinite at e = 2 */
    OVI_DERIVED_Q2_MINUS_1,
    OVI_DERIVED_DENT_KIND,   /**< an ovi_dent_kind */
    OVI_DERIVED_DENT_HEIGHT, /**< an ovi_dent_cut */
    OVI_DERIVED_DENT_WIDTH,
    OVI_DERIVED_DENT_SLOPE,
    OVI_DERIVED_COUNT
};
_Static_assert(OVI_DERIVED_COUNT == sizeof((ov_shape *)0)->derived / sizeof(double),
               "a slot for each constant");

static inline ovi_exponent ovi_primal1(const ov_shape *s) {
    return (ovi_exponent){s->derived.reserved[OVI_DERIVED_P1_MINUS_1], 0.5 * s->e1};
}
static inline ovi_exponent ovi_primal2(const ov_shape *s) {
    return (ovi_exponent){s->derived.reserved[OVI_DERIVED_P2_MINUS_1], 0.5 * s->e2};
}
static inline ovi_exponent ovi_dual1(const ov_shape *s) {
    return (ovi_exponent){s->derived.reserved[OVI_DERIVED_Q1_MINUS_1], 1.0 - 0.5 * s->e1};
}
static inline ovi_exponent ovi_dual2(const ov_shape *s) {
    return (ovi_exponent){s->derived.reserved[OVI_DERIVED_Q2_MINUS_1], 1.0 - 0.5 * s->e2};
}

/** Where the profiles of a tapered surface bend inwards: it decides how the maxima of a direction's
 *  profile are found. */
typedef enum ovi_dent_kind {
    OVI_DENT_KIND_NONE = 0, /**< nowhere: one maximum */
    OVI_DENT_KIND_EQUATOR,  /**< about z = 0 only: a maximum above it and one below it */
    OVI_DENT_KIND_ANYWHERE  /**< elsewhere too, or e2 is close to 2: a full search */
} ovi_dent_kind;

static inline ovi_dent_kind ovi_dent_kind_of(const ov_shape *s) {
    return (ovi_dent_kind)(int)s->derived.reserved[OVI_DERIVED_DENT_KIND];
}

/** A height between the equator and the pole, with the profile's width and slope -dw/dzeta there;
 *  where the dent is about the equator. */
typedef struct ovi_dent_cut {
    double height, width, slope;
} ovi_dent_cut;

static inline ovi_dent_cut ovi_dent_cut_of(const ov_shape *s) {
    return (ovi_dent_cut){s->derived.reserved[OVI_DERIVED_DENT_HEIGHT],
                          s->derived.reserved[OVI_DERIVED_DENT_WIDTH],
                          s->derived.reserved[OVI_DERIVED_DENT_SLOPE]};
}

/* ---- groups of kinds */

static inline bool ovi_is_kind(ov_shape_kind kind) {
    return kind > OV_SHAPE_KIND_NONE && kind < OV_SHAPE_KIND_COUNT;
}
static inline bool ovi_is_family(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_SPHERE && kind <= OV_SHAPE_KIND_SUPEROVOID;
}
static inline bool ovi_is_primitive(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_HALFSPACE && kind <= OV_SHAPE_KIND_CUSTOM;
}
static inline bool ovi_is_nonconvex(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_SUPERHYPERBOLOID_1 && kind <= OV_SHAPE_KIND_BENT;
}

/* ---- smooth family (superquadric*.c) */

ov_status ovi_family_gauge(const ov_shape *shape, ov_vec3 point, ov_field *field);
ov_status ovi_family_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field);
double ovi_family_gauge_value(const ov_shape *shape, ov_vec3 point);
ov_support ovi_family_support(const ov_shape *shape, ov_vec3 direction);
/** Depth and kind of the dent, and its cut; the shape's other fields are set already. */
void ovi_dent_measure(ov_shape *shape);
/** A ball about the origin that holds the body; not the smallest where it is tapered. */
ov_ball ovi_family_ball(const ov_shape *shape);
void ovi_family_bounding_ball(const ov_shape *shape, ov_ball *ball);
void ovi_family_inscribed_ball(const ov_shape *shape, ov_ball *ball);
/** At density one. */
void ovi_family_mass(const ov_shape *shape, ov_mass *out);

/* ---- primitives (primitive.c, polyhedron.c) */

ov_status ovi_primitive_support(const ov_shape *shape, ov_vec3 direction, ov_support *out);
ov_status ovi_primitive_contains(const ov_shape *shape, ov_vec3 point, bool *inside);
ov_status ovi_primitive_bounding_ball(const ov_shape *shape, ov_ball *ball);
ov_status ovi_primitive_inscribed_ball(const ov_shape *shape, ov_ball *ball);
/** At density one. */
ov_status ovi_primitive_mass(const ov_shape *shape, ov_mass *out);

/** Of a polyhedron with triangles; the balls without a margin for rounding. */
bool ovi_polyhedron_contains(const ov_shape *shape, ov_vec3 point);
ov_ball ovi_polyhedron_inscribed_ball(const ov_shape *shape);
ov_mass ovi_polyhedron_mass(const ov_shape *shape);
/** The smallest ball around points. */
ov_ball ovi_points_ball(const ov_vec3 *points, size_t count);

/** Vertices of a polyhedron, triangle, segment or point; 0 for the kinds without. */
size_t ovi_primitive_vertices(const ov_shape *shape, const ov_vec3 **vertices);

/** Coordinate of the end that a direction component points to; the middle where it is zero. */
static inline double ovi_end(double component, double half) {
    return component > 0.0 ? half : component < 0.0 ? -half : 0.0;
}

/* ---- bodies that are the hull of their vertices: box, polyhedron, triangle, segment, point
 * (vertices.c). Vertices are numbered from 1. */

static inline bool ovi_has_vertices(ov_shape_kind kind) {
    return kind == OV_SHAPE_KIND_BOX ||
           (kind >= OV_SHAPE_KIND_POLYHEDRON && kind <= OV_SHAPE_KIND_POINT);
}
/** Mean of points, by their differences from the first one in compensated sums [Kahan 1965]: off by
 *  a few ulp of the points, however many they are. */
typedef struct ovi_mean {
    ov_vec3 first, sum, lost;
    double count;
} ovi_mean;

static inline ovi_mean ovi_mean_start(ov_vec3 first) {
    return (ovi_mean){.first = first, .count = 1.0};
}

static inline void ovi_mean_add(ovi_mean *m, ov_vec3 point) {
    ov_vec3 d = ov_vec3_sub(ov_vec3_sub(point, m->first), m->lost), sum = ov_vec3_add(m->sum, d);
    m->lost = ov_vec3_sub(ov_vec3_sub(sum, m->sum), d);
    m->sum = sum;
    m->count += 1.0;
}

static inline ov_vec3 ovi_mean_of(const ovi_mean *m) {
    return ov_vec3_add_scaled(m->first, m->sum, 1.0 / m->count);
}

/** With the number of one of several vertices that are equally far. */
#define OVI_TIED ((uint32_t)1 << 31)
/** A table of vertices that are not all in a plane; null for want of memory. */
ov_support_table *ovi_support_table_make(const ov_vec3 *vertices, size_t count,
                                         const ov_allocator *allocator);
/** Support by a table, as ovi_vertices_support. */
uint32_t ovi_support_table_find(const ov_support_table *table, const ov_vec3 *direction,
                                ov_support *out);
/** Support by a look at every vertex, as ovi_vertices_support. */
uint32_t ovi_vertices_scan(const ov_shape *shape, const ov_vec3 *direction, ov_support *out);
/**
 * Support along a direction that is not zero; returns the number of the vertex that it is. Of
 * several vertices that are equally far it is their mean, and the number that of one of them +
 * OVI_TIED.
 */
static inline uint32_t ovi_vertices_support(const ov_shape *shape, const ov_vec3 *direction,
                                            ov_support *out) {
    return shape->kind == OV_SHAPE_KIND_POLYHEDRON && shape->u.polyhedron.table != NULL
               ? ovi_support_table_find(shape->u.polyhedron.table, direction, out)
               : ovi_vertices_scan(shape, direction, out);
}
/** The vertex of a number; false where there is none, whatever kind and number are. */
bool ovi_vertex_of(const ov_shape *shape, double number, ov_vec3 *vertex);

/* ---- faces: triangles with coordinates of their own plane (polyhedron.c) */

/**
 * A triangle in coordinates of its own plane: `u` along its longest edge, `w` across it towards the
 * third corner, and the normal u x w. With lengths measured one axis after the other, each part
 * taken off before the next is measured, heights above the plane carry no more than the rounding of
 * the corners, also for slivers; a cross product of two edges would lose all digits there.
 */
typedef struct ovi_face {
    ov_vec3 ends[2]; /**< of the longest edge, counter-clockwise with the apex from outside */
    ov_vec3 apex;
    ov_vec3 u, w,
        normal;          /**< orthonormal; w and normal are zero where the triangle has no height */
    double length;       /**< of the longest edge */
    double foot, height; /**< the apex along u and w, from the first end */
} ovi_face;

ovi_face ovi_face_make(ov_vec3 a, ov_vec3 b, ov_vec3 c);

/**
 * Signed height of a point above the plane; 0 where the triangle has no height.
 *
 * `spread` is the sum |l0| + |l1| + |l2| of the point's barycentric coordinates: corners that are
 * off by d each change the height by at most d times the spread. It is 1 over the triangle, and
 * large far from a small one.
 */
double ovi_face_height(const ovi_face *face, ov_vec3 p, double *spread);

/** Distance of a point from the triangle. */
double ovi_face_distance(const ovi_face *face, ov_vec3 p);

/** Winding number of closed triangles about a point: 1 inside, 0 outside, between them on a face.
 */
double ovi_winding(const ov_vec3 *vertices, const uint32_t (*triangles)[3], size_t triangle_count,
                   ov_vec3 point);

/** Distance of a point from a segment; for coordinates up to a few OV_SIZE_MAX. */
double ovi_segment_distance(ov_vec3 a, ov_vec3 b, ov_vec3 p);

/* ---- nonconvex kinds (nonconvex.c) */

ov_status ovi_nonconvex_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field);
ov_status ovi_nonconvex_contains(const ov_shape *shape, ov_vec3 point, bool *inside);
/** A box along the shape's own axes that holds the body. */
void ovi_nonconvex_box(const ov_shape *shape, ov_aabb *box);

/* ---- surfaces as the product of a section and a profile (superquadric_surface.c) */

/** Point, normal and tangents by two angles: smooth family and nonconvex kinds. */
ov_status ovi_superquadric_surface(const ov_shape *shape, ov_spacing spacing, double phi1,
                                   double phi2, ov_surface_point *out);

typedef struct ovi_profile_point {
    double m, z;   /**< scale of the section, and height as a length */
    double gm, gz; /**< outward covector; only its direction counts */
} ovi_profile_point;

/** Point, normal and tangents where the section and the profile meet; tapers and bends. */
void ovi_product_surface(const ov_shape *shape, const ovi_curve_point *section,
                         const ovi_profile_point *profile, ov_surface_point *out);

/** The point alone. */
ov_vec3 ovi_product_point(const ov_shape *shape, double u, double v, double m, double z);

/**
 * Widest section of a tapered superquadric before it is bent, in the direction (n1, n2) across z:
 * the largest value, over the height, of w N_q1(a1 f1 n1, a2 f2 n2).
 */
double ovi_section_reach(const ov_shape *shape, double n1, double n2);

/** One branch of |A|^p - |B|^p = 1 at B >= 0: A, and its slope dA/dB = (B/A)^(p-1). */
typedef struct ovi_branch {
    double a, slope;
} ovi_branch;

ovi_branch ovi_branch_at(ovi_exponent p, double b);

/** Scale m of a superhyperboloid's section at its cuts. */
double ovi_hyperboloid_rim(const ov_shape *shape);

/** A bent point before the bend, with the turn there. `regular` is false on the bend's own line,
 *  and on the half-plane behind it, where the two ways round meet. */
typedef struct ovi_unbent {
    ov_vec3 point;
    double c, s; /**< of the bending plane's angle */
    double cg, sg, w;
    bool regular;
} ovi_unbent;

ovi_unbent ovi_unbend_point(const ov_shape *shape, ov_vec3 bent);

#endif
