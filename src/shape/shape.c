/**
 * @file shape.c
 * @brief Kinds and their names, checks of parameters, and the public functions of shape.h that
 * serve several groups of kinds: they check the input, then hand over to the group
 * (shape_internal.h).
 */
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- kinds */

static const char *const kind_names[OV_SHAPE_KIND_COUNT] = {
    [OV_SHAPE_KIND_NONE] = "none",
    [OV_SHAPE_KIND_SPHERE] = "sphere",
    [OV_SHAPE_KIND_ELLIPSOID] = "ellipsoid",
    [OV_SHAPE_KIND_SUPERELLIPSOID] = "superellipsoid",
    [OV_SHAPE_KIND_SUPEROVOID] = "superovoid",
    [OV_SHAPE_KIND_HALFSPACE] = "halfspace",
    [OV_SHAPE_KIND_BOX] = "box",
    [OV_SHAPE_KIND_CAPSULE] = "capsule",
    [OV_SHAPE_KIND_CYLINDER] = "cylinder",
    [OV_SHAPE_KIND_CONE] = "cone",
    [OV_SHAPE_KIND_POLYHEDRON] = "polyhedron",
    [OV_SHAPE_KIND_TRIANGLE] = "triangle",
    [OV_SHAPE_KIND_SEGMENT] = "segment",
    [OV_SHAPE_KIND_POINT] = "point",
    [OV_SHAPE_KIND_CUSTOM] = "custom",
    [OV_SHAPE_KIND_SUPERHYPERBOLOID_1] = "superhyperboloid-1",
    [OV_SHAPE_KIND_SUPERHYPERBOLOID_2] = "superhyperboloid-2",
    [OV_SHAPE_KIND_SUPERTOROID] = "supertoroid",
    [OV_SHAPE_KIND_BENT] = "bent",
};

const char *ov_shape_kind_name(ov_shape_kind kind) {
    return ovi_is_kind(kind) ? kind_names[kind] : kind_names[OV_SHAPE_KIND_NONE];
}

ov_shape_kind ov_shape_kind_from_name(const char *name) {
    int kind = name != NULL ? OV_SHAPE_KIND_COUNT - 1 : OV_SHAPE_KIND_NONE;
    while (kind > OV_SHAPE_KIND_NONE && strcmp(kind_names[kind], name) != 0) {
        kind--;
    }
    return (ov_shape_kind)kind;
}

bool ov_shape_is_convex(ov_shape_kind kind) {
    return ovi_is_family(kind) || ovi_is_primitive(kind);
}

/* ---- checks of single parameters, in one place so that every constructor refuses alike */

ov_status ovi_check_size(double size) {
    if (!isfinite(size)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (size <= 0.0) {
        return OV_ERROR_SIZE_NOT_POSITIVE;
    }
    return size < OV_SIZE_MIN || size > OV_SIZE_MAX ? OV_ERROR_SIZE_RANGE : OV_OK;
}

ov_status ovi_check_sizes(ov_vec3 sizes) {
    const double each[3] = {sizes.x, sizes.y, sizes.z};
    for (int i = 0; i < 3; i++) {
        ov_status status = ovi_check_size(each[i]);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

ov_status ovi_check_exponent(double e) {
    if (!isfinite(e)) {
        return OV_ERROR_NOT_FINITE;
    }
    return e > 0.0 && e <= 2.0 ? OV_OK : OV_ERROR_EXPONENT;
}

ov_status ovi_check_taper(double t) {
    if (!isfinite(t)) {
        return OV_ERROR_NOT_FINITE;
    }
    return t > -1.0 && t < 1.0 ? OV_OK : OV_ERROR_TAPER;
}

ov_status ovi_check_point(ov_vec3 p) {
    if (!ov_vec3_is_finite(p)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool good = fabs(p.x) <= OV_POSITION_MAX && fabs(p.y) <= OV_POSITION_MAX &&
                fabs(p.z) <= OV_POSITION_MAX;
    return good ? OV_OK : OV_ERROR_SIZE_RANGE;
}

ov_status ovi_set_exponents(double e1, double e2, ov_shape *shape) {
    ov_status status = ovi_check_exponent(e1);
    if (status == OV_OK) {
        status = ovi_check_exponent(e2);
    }
    if (status != OV_OK) {
        return status;
    }
    shape->e1 = fmax(e1, OV_EXPONENT_MIN);
    shape->e2 = fmax(e2, OV_EXPONENT_MIN);
    double *derived = shape->derived.reserved;
    memset(derived, 0, sizeof shape->derived);
    derived[OVI_DERIVED_P1_MINUS_1] = ovi_primal(shape->e1).minus_1;
    derived[OVI_DERIVED_P2_MINUS_1] = ovi_primal(shape->e2).minus_1;
    derived[OVI_DERIVED_Q1_MINUS_1] = ovi_dual(shape->e1).minus_1;
    derived[OVI_DERIVED_Q2_MINUS_1] = ovi_dual(shape->e2).minus_1;
    return OV_OK;
}

ov_status ovi_check_shape(const ov_shape *shape, const void *out) {
    if (shape == NULL || out == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_is_kind(shape->kind) ? OV_OK : OV_ERROR_SHAPE;
}

ov_status ovi_check_shape_at(const ov_shape *shape, ov_vec3 point, const void *out) {
    ov_status status = ovi_check_shape(shape, out);
    return status == OV_OK ? ovi_check_point(point) : status;
}

/* ---- evaluation */

ov_status ov_shape_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_implicit(shape, point, field));
    ov_status status = ovi_check_shape_at(shape, point, field);
    if (status != OV_OK) {
        return status;
    }
    if (ovi_is_family(shape->kind)) {
        return ovi_family_implicit(shape, point, field);
    }
    return ovi_is_nonconvex(shape->kind) ? ovi_nonconvex_implicit(shape, point, field)
                                         : OV_ERROR_UNSUPPORTED;
}

ov_status ov_shape_contains(const ov_shape *shape, ov_vec3 point, bool *inside) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_contains(shape, point, inside));
    ov_status status = ovi_check_shape_at(shape, point, inside);
    if (status != OV_OK) {
        return status;
    }
    if (ovi_is_family(shape->kind)) {
        *inside = ovi_family_gauge_value(shape, point) <= 1.0 + 16.0 * DBL_EPSILON;
        return OV_OK;
    }
    return ovi_is_primitive(shape->kind) ? ovi_primitive_contains(shape, point, inside)
                                         : ovi_nonconvex_contains(shape, point, inside);
}

ov_status ov_shape_surface(const ov_shape *shape, ov_spacing spacing, double phi1, double phi2,
                           ov_surface_point *out) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_surface(shape, spacing, phi1, phi2, out));
    ov_status status = ovi_check_shape(shape, out);
    if (status != OV_OK) {
        return status;
    }
    if (!isfinite(phi1) || !isfinite(phi2)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (spacing != OV_SPACING_ANGLE_CENTRE && spacing != OV_SPACING_EQUAL) {
        return OV_ERROR_OPTION;
    }
    return ovi_is_primitive(shape->kind)
               ? OV_ERROR_UNSUPPORTED
               : ovi_superquadric_surface(shape, spacing, phi1, phi2, out);
}

ov_status ov_shape_support(const ov_shape *shape, ov_vec3 direction, ov_support *out) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_support(shape, direction, out));
    ov_status status = ovi_check_shape(shape, out);
    if (status != OV_OK) {
        return status;
    }
    if (!ov_vec3_is_finite(direction)) {
        return OV_ERROR_NOT_FINITE;
    }
    double reach = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    if (reach == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    if (ovi_is_nonconvex(shape->kind)) {
        return OV_ERROR_UNSUPPORTED;
    }
    // lengths whose squares, times a size, could leave the range are brought near 1, and back at
    // the end; by a power of two, so that ties stay ties
    double scale = reach > 1e60 || reach < 1e-60 ? scalbn(1.0, ilogb(reach)) : 1.0;
    ov_vec3 n = direction;
    if (scale != 1.0) {
        n = ov_vec3_make(n.x / scale, n.y / scale, n.z / scale);
    }
    if (ovi_is_family(shape->kind)) {
        *out = ovi_family_support(shape, n);
    } else {
        status = ovi_primitive_support(shape, n, out);
    }
    if (status == OV_OK) {
        out->value *= scale;
    }
    return status;
}

/* ---- bounds */

static double reach_of(ov_vec3 p) { return fabs(p.x) + fabs(p.y) + fabs(p.z); }

/** What a support value may be short by: some units of itself, or what a search leaves, which is
 *  5e-14 (|A_3| + M(0)), neither of the two being above the value (superquadric_support.c). */
static double support_margin(const ov_shape *shape, double value) {
    return (shape->kind == OV_SHAPE_KIND_SUPEROVOID ? 1.2e-13 : OVI_BOUND_MARGIN) * fabs(value);
}

/**
 * Extent of the body along +-axis (given in the shape's frame), rounded outwards. An axis that is
 * itself rounded, by `axis_error`, moves the value by its share of the support point.
 */
static ov_status extent(const ov_shape *shape, ov_vec3 axis, double axis_error, double *lo,
                        double *hi) {
    ov_support up, down;
    ov_status status = ov_shape_support(shape, axis, &up);
    if (status == OV_OK) {
        status = ov_shape_support(shape, ov_vec3_neg(axis), &down);
    }
    if (status == OV_OK) {
        *hi = up.value + support_margin(shape, up.value) + axis_error * reach_of(up.point);
        *lo = -down.value - support_margin(shape, down.value) - axis_error * reach_of(down.point);
    }
    return status;
}

/** Box along three orthonormal axes, given in the shape's frame. */
static ov_status box_along(const ov_shape *shape, const ov_vec3 axes[3], double axis_error,
                           double lo[3], double hi[3]) {
    if (shape->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    }
    ov_aabb model = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (ovi_is_nonconvex(shape->kind)) {
        ovi_nonconvex_box(shape, &model);
    }
    for (int i = 0; i < 3; i++) {
        if (ovi_is_nonconvex(shape->kind)) {
            ov_vec3 c = ov_vec3_scale(ov_vec3_add(model.max, model.min), 0.5);
            ov_vec3 h = ov_vec3_scale(ov_vec3_sub(model.max, model.min), 0.5);
            double mid = ov_vec3_dot(axes[i], c);
            double half = fabs(axes[i].x) * h.x + fabs(axes[i].y) * h.y + fabs(axes[i].z) * h.z;
            half += OVI_BOUND_MARGIN * (half + fabs(mid));
            lo[i] = mid - half;
            hi[i] = mid + half;
            continue;
        }
        ov_status status = extent(shape, axes[i], axis_error, &lo[i], &hi[i]);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

static ov_vec3 vec3_of(const double v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

ov_status ov_shape_aabb(const ov_shape *shape, ov_pose pose, ov_aabb *box) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_aabb(shape, pose, box));
    ov_status status = ovi_check_shape_at(shape, pose.position, box);
    ov_quat unit;
    if (status == OV_OK) {
        status = ov_quat_normalize(pose.rotation, &unit);
    }
    if (status != OV_OK) {
        return status;
    }
    // a world axis, seen from the shape, is a row of the rotation
    ov_mat3 back = ov_mat3_from_quat(ov_quat_conjugate(unit));
    const ov_vec3 axes[3] = {back.cx, back.cy, back.cz};
    double lo[3], hi[3];
    status = box_along(shape, axes, 4.0 * DBL_EPSILON, lo, hi);
    if (status == OV_OK) {
        ov_vec3 p = pose.position;
        ov_vec3 margin =
            ov_vec3_scale(ov_vec3_make(fabs(p.x), fabs(p.y), fabs(p.z)), OVI_BOUND_MARGIN);
        box->min = ov_vec3_sub(ov_vec3_add(vec3_of(lo), p), margin);
        box->max = ov_vec3_add(ov_vec3_add(vec3_of(hi), p), margin);
    }
    return status;
}

ov_status ov_shape_obb(const ov_shape *shape, ov_obb *box) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_obb(shape, box));
    ov_status status = ovi_check_shape(shape, box);
    if (status != OV_OK) {
        return status;
    }
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double lo[3], hi[3];
    status = box_along(shape, axes, 0.0, lo, hi);
    if (status == OV_OK) {
        ov_vec3 centre = ov_vec3_scale(ov_vec3_add(vec3_of(lo), vec3_of(hi)), 0.5);
        ov_vec3 half = ov_vec3_scale(ov_vec3_sub(vec3_of(hi), vec3_of(lo)), 0.5);
        box->pose = ov_pose_identity();
        box->pose.position = centre;
        ov_vec3 away = ov_vec3_make(fabs(centre.x), fabs(centre.y), fabs(centre.z));
        box->half = ov_vec3_add_scaled(half, ov_vec3_add(half, away), OVI_BOUND_MARGIN);
    }
    return status;
}

ov_status ov_shape_bounding_ball(const ov_shape *shape, ov_ball *ball) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_bounding_ball(shape, ball));
    ov_status status = ovi_check_shape(shape, ball);
    if (status != OV_OK) {
        return status;
    }
    if (ovi_is_family(shape->kind)) {
        ovi_family_bounding_ball(shape, ball);
        return OV_OK;
    }
    if (ovi_is_primitive(shape->kind)) {
        return ovi_primitive_bounding_ball(shape, ball);
    }
    ov_obb box;
    status = ov_shape_obb(shape, &box);
    if (status == OV_OK) {
        ball->centre = box.pose.position;
        ball->radius = ov_vec3_length(box.half) * (1.0 + OVI_BOUND_MARGIN);
    }
    return status;
}

ov_status ov_shape_inscribed_ball(const ov_shape *shape, ov_ball *ball) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_inscribed_ball(shape, ball));
    ov_status status = ovi_check_shape(shape, ball);
    if (status != OV_OK) {
        return status;
    }
    if (ovi_is_family(shape->kind)) {
        ovi_family_inscribed_ball(shape, ball);
        return OV_OK;
    }
    return ovi_is_primitive(shape->kind) ? ovi_primitive_inscribed_ball(shape, ball)
                                         : OV_ERROR_UNSUPPORTED;
}

/* ---- mass */

ov_status ov_shape_mass(const ov_shape *shape, double density, ov_mass *out) {
    ov_status status = ovi_check_shape(shape, out);
    if (status != OV_OK) {
        return status;
    }
    if (!isfinite(density)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (density < 0.0 || density > OV_SIZE_MAX) {
        return OV_ERROR_OPTION;
    }
    if (ovi_is_family(shape->kind)) {
        ovi_family_mass(shape, out);
    } else if (ovi_is_primitive(shape->kind)) {
        status = ovi_primitive_mass(shape, out);
    } else {
        status = OV_ERROR_UNSUPPORTED;
    }
    if (status != OV_OK) {
        return status;
    }
    out->mass = density * out->volume;
    out->inertia.cx = ov_vec3_scale(out->inertia.cx, density);
    out->inertia.cy = ov_vec3_scale(out->inertia.cy, density);
    out->inertia.cz = ov_vec3_scale(out->inertia.cz, density);
    bool in_range = ov_vec3_is_finite(out->inertia.cx) && ov_vec3_is_finite(out->inertia.cy) &&
                    ov_vec3_is_finite(out->inertia.cz);
    return in_range ? OV_OK : OV_ERROR_SIZE_RANGE;
}
