/**
 * @file shape_internal.h
 * @brief What the files of src/shape/ share: checks of parameters, and one set of functions for
 * each group of kinds, among which shape.c chooses.
 *
 * The groups: *family* (sphere to superovoid), *solid* (half-space, box, capsule, cylinder, cone,
 * polyhedron, and the flat triangle, segment, point) and *model* (hyperboloids, toroid, bent). The
 * functions of a group take a valid shape of that group, and finite points and directions.
 */
#ifndef OVI_SHAPE_INTERNAL_H
#define OVI_SHAPE_INTERNAL_H

#include <ovoid/shape.h>

#include "../math/norm2.h"
#include "unit_curve.h"

/** Relative margin of the bounds: covers the rounding of the few operations that make them. */
#define OVI_BOUND_MARGIN 1e-14

/* ---- checks of single parameters (check.c) */

ov_status ovi_check_size(double size);
ov_status ovi_check_sizes(ov_vec3 sizes);
ov_status ovi_check_exponent(double e);
ov_status ovi_check_taper(double t);
/** Finite, and within OV_POSITION_MAX. */
ov_status ovi_check_point(ov_vec3 point);
/** Checks and sets the exponents and the constants derived from them, without a dent. */
ov_status ovi_set_exponents(double e1, double e2, ov_shape *shape);

/* ---- exponents of a superquadric */

static inline ovi_exponent ovi_primal1(const ov_shape *s) {
    return (ovi_exponent){s->family.p1_minus_1, 0.5 * s->e1};
}
static inline ovi_exponent ovi_primal2(const ov_shape *s) {
    return (ovi_exponent){s->family.p2_minus_1, 0.5 * s->e2};
}
static inline ovi_exponent ovi_dual1(const ov_shape *s) {
    return (ovi_exponent){s->family.q1_minus_1, 1.0 - 0.5 * s->e1};
}
static inline ovi_exponent ovi_dual2(const ov_shape *s) {
    return (ovi_exponent){s->family.q2_minus_1, 1.0 - 0.5 * s->e2};
}

/* ---- profile of a superquadric: the unit curve of width w and height zeta */

typedef struct ovi_ray_point {
    double w, zeta;
} ovi_ray_point;

/** Where the ray (1 - |u|, u) meets the profile, u from -1 to 1: even steps for every exponent. */
static inline ovi_ray_point ovi_on_ray(const ov_shape *s, double u) {
    double a = 1.0 - fabs(u);
    ovi_norm2_parts parts = ovi_norm2_split(a, u, ovi_primal2(s));
    double n = ovi_norm2_gradient(a, u, &parts).value;
    return (ovi_ray_point){a / n, u / n};
}

/** The same with what bounds over an interval of heights need. */
typedef struct ovi_profile_node {
    double w, zeta;
    double left; // 1 - |zeta| to its own last digits
    double r;    // -dw/dzeta, infinite at a pole
} ovi_profile_node;

static inline ovi_profile_node ovi_node_of_ray(ovi_exponent p2, double u) {
    double a = 1.0 - fabs(u);
    ovi_norm2_parts parts = ovi_norm2_split(a, u, p2);
    ovi_norm2 n = ovi_norm2_gradient(a, u, &parts);
    double zeta = u / n.value;
    // zeta = (1 + t)^(-1/p2) on the pole's side
    double left = parts.swapped ? -expm1(-p2.inverse * log1p(parts.t)) : 1.0 - fabs(zeta);
    return (ovi_profile_node){a / n.value, zeta, left,
                              n.du > 0.0 ? n.dv / n.du : copysign(INFINITY, u)};
}

static inline ovi_profile_node ovi_node_on_ray(const ov_shape *s, double u) {
    return ovi_node_of_ray(ovi_primal2(s), u);
}

/**
 * Tangents of the profile at the two ends of a cell of heights, of one half: how far they fall over
 * the cell, and how far before its outer end they meet, as a share of it. The falls are rounded to
 * the safe side, the inner one down and the outer one up (docs/theory/dent.md). The tangent at a
 * pole is upright: there the inner one counts all along.
 */
typedef struct ovi_tangents {
    double width;             // of the cell
    double fall_in, fall_out; // of w
    double before;
} ovi_tangents;

static inline ovi_tangents ovi_tangents_of(double in_left, double in_w, double in_r,
                                           double out_left, double out_w, double out_r) {
    ovi_tangents t = {.width = in_left - out_left};
    if (!(t.width > 0.0)) {
        return (ovi_tangents){0.0, 0.0, 0.0, 0.0}; // one height but for rounding: the wider end
    }
    t.fall_in = fmax(0.0, fabs(in_r) * t.width - 4e-15);
    t.fall_out = fabs(out_r) * t.width * (1.0 + 1e-12) + 4e-15;
    t.before = fmax(0.0, fmin(1.0, (in_w - t.fall_in - out_w) / (t.fall_out - t.fall_in)));
    return t;
}

/** The ray of a height in [-1, 1]. */
static inline double ovi_ray_of_height(const ov_shape *s, double zeta) {
    double w = ovi_pow(1.0 - ovi_pow(fabs(zeta), 2.0 / s->e2), 0.5 * s->e2);
    return zeta / (w + fabs(zeta));
}

static inline bool ovi_is_family(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_SPHERE && kind <= OV_SHAPE_KIND_SUPEROVOID;
}
static inline bool ovi_is_solid(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_HALFSPACE && kind <= OV_SHAPE_KIND_CUSTOM;
}
static inline bool ovi_is_model(ov_shape_kind kind) {
    return kind >= OV_SHAPE_KIND_SUPERHYPERBOLOID_1 && kind <= OV_SHAPE_KIND_BENT;
}

/* ---- smooth family (gauge.c, support.c, support_tapered.c, dent.c, parametric.c, …) */

/** Which of the planes x = 0, y = 0, z = 0 a point lies on, as far as the gauge can tell. */
typedef struct ovi_planes {
    bool x, y, z;
} ovi_planes;
ovi_planes ovi_family_planes(const ov_shape *shape, ov_vec3 point);

ov_status ovi_family_gauge(const ov_shape *shape, ov_vec3 point, ov_field *field);
ov_status ovi_family_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field);
double ovi_family_gauge_value(const ov_shape *shape, ov_vec3 point);
ov_support ovi_family_support(const ov_shape *shape, ov_vec3 direction);
ov_support ovi_tapered_support(const ov_shape *shape, ov_vec3 direction);
/** Depth of the dent and the constants of the window; the shape's other fields are set already. */
void ovi_dent_measure(ov_shape *shape);
void ovi_family_surface(const ov_shape *shape, ov_spacing spacing, double phi1, double phi2,
                        ov_surface_point *out);
/** The surface point of a section and a profile; their covectors make its normal and tangents. */
void ovi_family_compose(const ov_shape *shape, const ovi_curve_point *section,
                        const ovi_curve_point *profile, ov_surface_point *out);
ov_status ovi_family_curvature(const ov_shape *shape, ov_vec3 point, ov_curvature *out);
void ovi_family_curvature_range(const ov_shape *shape, double *k_min, double *k_max);
/** A ball about the origin that holds the body; not the smallest where it is tapered. */
ov_ball ovi_family_ball(const ov_shape *shape);
void ovi_family_bounding_ball(const ov_shape *shape, ov_ball *ball);
void ovi_family_inscribed_ball(const ov_shape *shape, ov_ball *ball);
/** At density one. */
void ovi_family_mass(const ov_shape *shape, ov_mass *out);

/* ---- solids (solid_*.c) */

ov_status ovi_solid_support(const ov_shape *shape, ov_vec3 direction, ov_support *out);
ov_status ovi_solid_contains(const ov_shape *shape, ov_vec3 point, bool *inside);
ov_status ovi_solid_bounding_ball(const ov_shape *shape, ov_ball *ball);
ov_status ovi_solid_inscribed_ball(const ov_shape *shape, ov_ball *ball);
/** At density one. */
ov_status ovi_solid_mass(const ov_shape *shape, ov_mass *out);

/* ---- modelling kinds (model_*.c) */

ov_status ovi_model_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field);
ov_status ovi_model_contains(const ov_shape *shape, ov_vec3 point, bool *inside);
ov_status ovi_model_surface(const ov_shape *shape, ov_spacing spacing, double phi1, double phi2,
                            ov_surface_point *out);
/** A box along the shape's own axes that holds the body. */
void ovi_model_box(const ov_shape *shape, ov_aabb *box);

#endif
