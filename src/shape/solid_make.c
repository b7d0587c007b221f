/**
 * @file solid_make.c
 * @brief Constructors of the kinds that are not superquadrics, but for the polyhedron.
 *
 * All checks that a query would otherwise repeat are made here, once. Kinds given by points may lie
 * anywhere up to OV_SIZE_MAX from the origin; those without volume (triangle, segment, point) are
 * there for pair queries against the solid ones.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "shape_internal.h"

/** Fills a shape with zeros, padding and the unused parts of the union too: equal shapes are equal
 *  as bytes. */
static ov_shape blank(ov_shape_kind kind) {
    ov_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.kind = kind;
    return shape;
}

ov_status ov_shape_make_halfspace(ov_vec3 normal, double offset, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_halfspace(normal, offset, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_vec3_is_finite(normal) || !isfinite(offset)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (ovi_max_abs(normal) == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    if (fabs(offset) > OV_SIZE_MAX) {
        return OV_ERROR_SIZE_RANGE;
    }
    *shape = blank(OV_SHAPE_KIND_HALFSPACE);
    shape->u.halfspace.normal = ov_vec3_normalize(normal);
    shape->u.halfspace.offset = offset;
    shape->ball.radius = INFINITY;
    return OV_OK;
}

ov_status ov_shape_make_box(ov_vec3 half_extents, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_box(half_extents, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_sizes(half_extents);
    if (status != OV_OK) {
        return status;
    }
    *shape = blank(OV_SHAPE_KIND_BOX);
    shape->a = half_extents;
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}

/** Capsule, cylinder and cone: radius and half the length along z. */
static ov_status make_round(ov_shape_kind kind, double radius, double half_length,
                            ov_shape *shape) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    // what is not finite is said first, whichever number it is
    if (!isfinite(radius) || !isfinite(half_length)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ovi_check_size(radius);
    bool ball = kind == OV_SHAPE_KIND_CAPSULE && half_length == 0.0;
    if (status == OV_OK && !ball) {
        status = ovi_check_size(half_length);
    }
    if (status != OV_OK) {
        return status;
    }
    *shape = blank(kind);
    // a capsule of length -0 is one of length 0
    shape->a = ov_vec3_make(radius, radius, ball ? 0.0 : half_length);
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}

ov_status ov_shape_make_capsule(double radius, double half_length, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_capsule(radius, half_length, shape));
    return make_round(OV_SHAPE_KIND_CAPSULE, radius, half_length, shape);
}

ov_status ov_shape_make_cylinder(double radius, double half_length, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_cylinder(radius, half_length, shape));
    return make_round(OV_SHAPE_KIND_CYLINDER, radius, half_length, shape);
}

ov_status ov_shape_make_cone(double radius, double half_length, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_cone(radius, half_length, shape));
    return make_round(OV_SHAPE_KIND_CONE, radius, half_length, shape);
}

/** Checks up to three positions; what is not finite is said first, whichever it is. */
static ov_status check_positions(const ov_vec3 *points, int count) {
    ov_status worst = OV_OK;
    for (int i = 0; i < count; i++) {
        ov_status status = ovi_check_position(points[i]);
        if (status == OV_ERROR_NOT_FINITE) {
            return status;
        }
        worst = status != OV_OK ? status : worst;
    }
    return worst;
}

ov_status ov_shape_make_triangle(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_triangle(a, b, c, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_vec3 corners[3] = {a, b, c};
    ov_status status = check_positions(corners, 3);
    if (status != OV_OK) {
        return status;
    }
    ovi_face face = ovi_face_make(a, b, c);
    double reach = fmax(ovi_max_abs(a), fmax(ovi_max_abs(b), ovi_max_abs(c)));
    if (face.height <= OVI_FLAT * face.length || face.height <= OVI_FLAT_ROUNDING * reach) {
        return OV_ERROR_DEGENERATE;
    }
    if (face.height < OV_SIZE_MIN) {
        return OV_ERROR_SIZE_RANGE;
    }
    *shape = blank(OV_SHAPE_KIND_TRIANGLE);
    memcpy(shape->u.vertices, corners, sizeof corners);
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}

ov_status ov_shape_make_segment(ov_vec3 a, ov_vec3 b, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_segment(a, b, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_vec3 ends[2] = {a, b};
    ov_status status = check_positions(ends, 2);
    if (status != OV_OK) {
        return status;
    }
    double length = ov_vec3_length(ov_vec3_sub(b, a));
    if (length < OV_SIZE_MIN) {
        return length == 0.0 ? OV_ERROR_DEGENERATE : OV_ERROR_SIZE_RANGE;
    }
    *shape = blank(OV_SHAPE_KIND_SEGMENT);
    memcpy(shape->u.vertices, ends, sizeof ends);
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}

ov_status ov_shape_make_point(ov_vec3 a, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_point(a, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_position(a);
    if (status != OV_OK) {
        return status;
    }
    *shape = blank(OV_SHAPE_KIND_POINT);
    shape->u.vertices[0] = a;
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}

ov_status ov_shape_make_custom(ov_support_function support, const void *user, ov_ball ball,
                               ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_custom(support, user, ball, shape));
    if (shape == NULL || support == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_position(ball.centre);
    if (status == OV_OK) {
        status = ovi_check_size(ball.radius);
    }
    if (status != OV_OK) {
        return status;
    }
    *shape = blank(OV_SHAPE_KIND_CUSTOM);
    shape->ball = ball;
    shape->u.custom.support = support;
    shape->u.custom.user = user;
    return OV_OK;
}
