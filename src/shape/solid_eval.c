/**
 * @file solid_eval.c
 * @brief Support and containment of the solids, in closed form.
 *
 * Directions come in any length, from the smallest double to the largest. Every closed form here is
 * a sum of non-negative terms times the largest component of the direction, which is taken out
 * first: nothing overflows before the answer does, and nothing cancels. Polyhedra, triangles and
 * segments are a maximum over their vertices, exact up to the rounding of the scalar products.
 *
 * Containment counts a point as in the body when it is inside or off it by no more than the
 * rounding of its own coordinates, so that points computed to be on the surface are in.
 */
#include "shape_internal.h"

size_t ovi_primitive_vertices(const ov_shape *shape, const ov_vec3 **vertices) {
    *vertices = shape->u.vertices;
    switch (shape->kind) {
    case OV_SHAPE_KIND_POLYHEDRON:
        *vertices = shape->u.polyhedron.vertices;
        return shape->u.polyhedron.vertex_count;
    case OV_SHAPE_KIND_TRIANGLE:
        return 3;
    case OV_SHAPE_KIND_SEGMENT:
        return 2;
    case OV_SHAPE_KIND_POINT:
        return 1;
    default:
        *vertices = NULL;
        return 0;
    }
}

/* ---- support */

/** Coordinate of the side that a direction component points to; the middle where it is zero. */
static double side(double component, double half) {
    return component > 0.0 ? half : component < 0.0 ? -half : 0.0;
}

static ov_support support_box(const ov_shape *s, ov_vec3 d) {
    ov_support out;
    out.value = fabs(d.x) * s->a.x + fabs(d.y) * s->a.y + fabs(d.z) * s->a.z;
    out.point = ov_vec3_make(side(d.x, s->a.x), side(d.y, s->a.y), side(d.z, s->a.z));
    return out;
}

static ov_support support_capsule(const ov_shape *s, ov_vec3 d) {
    double scale = ovi_max_abs(d), radius = s->a.x, half = s->a.z;
    ov_vec3 u = ov_vec3_make(d.x / scale, d.y / scale, d.z / scale);
    double length = sqrt(ovi_square(u));
    ov_support out;
    out.value = scale * (radius * length + half * fabs(u.z));
    out.point = ov_vec3_scale(u, radius / length);
    out.point.z += side(d.z, half);
    return out;
}

/** Part of a direction across z: its length over `scale`, and its unit vector (zero if none). */
static double radial(ov_vec3 d, double scale, ov_vec2 *unit) {
    // a scale of its own, so that the unit vector is right however small this part is
    double own = fmax(fabs(d.x), fabs(d.y));
    *unit = (ov_vec2){0.0, 0.0};
    if (own == 0.0) {
        return 0.0;
    }
    double x = d.x / own, y = d.y / own, length = sqrt(x * x + y * y);
    *unit = (ov_vec2){x / length, y / length};
    return own / scale * length;
}

static ov_support support_cylinder(const ov_shape *s, ov_vec3 d) {
    double scale = ovi_max_abs(d), radius = s->a.x, half = s->a.z;
    ov_vec2 unit;
    double rho = radial(d, scale, &unit);
    ov_support out;
    out.value = scale * (radius * rho + half * fabs(d.z / scale));
    out.point = ov_vec3_make(radius * unit.x, radius * unit.y, side(d.z, half));
    return out;
}

/** Tip, base, or exactly between them the slant edge: the larger of half dz and R rho - half dz. */
static ov_support support_cone(const ov_shape *s, ov_vec3 d) {
    double scale = ovi_max_abs(d), radius = s->a.x, half = s->a.z;
    ov_vec2 unit;
    double across = radius * radial(d, scale, &unit), along = half * (d.z / scale);
    ov_support out;
    if (2.0 * along > across) {
        out.value = scale * along;
        out.point = ov_vec3_make(0.0, 0.0, half);
    } else if (2.0 * along < across) {
        // no cancellation: across - along is at least half of across
        out.value = scale * (across - along);
        out.point = ov_vec3_make(radius * unit.x, radius * unit.y, -half);
    } else {
        out.value = scale * along;
        out.point = ov_vec3_make(0.5 * radius * unit.x, 0.5 * radius * unit.y, 0.0);
    }
    return out;
}

static ov_status support_halfspace(const ov_shape *s, ov_vec3 d, ov_support *out) {
    ov_vec3 normal = s->u.halfspace.normal;
    ov_vec3 off = ov_vec3_sub(ov_vec3_normalize(d), normal);
    if (ovi_max_abs(off) > OVI_ON_SURFACE) {
        return OV_ERROR_UNBOUNDED;
    }
    double scale = ovi_max_abs(d);
    ov_vec3 u = ov_vec3_make(d.x / scale, d.y / scale, d.z / scale);
    out->value = scale * (s->u.halfspace.offset * sqrt(ovi_square(u)));
    out->point = ov_vec3_scale(normal, s->u.halfspace.offset);
    return OV_OK;
}

/** Farthest vertex; of several that are equally far, their mean. */
static ov_support support_vertices(const ov_vec3 *vertices, size_t count, ov_vec3 d) {
    // a power of two leaves ties as they are, and coordinates of up to OV_SIZE_MAX in range
    int exponent = 0;
    double scale = ovi_max_abs(d);
    if (scale < 1e-200 || scale > 1e200) {
        (void)frexp(scale, &exponent);
        d = ov_vec3_make(ldexp(d.x, -exponent), ldexp(d.y, -exponent), ldexp(d.z, -exponent));
    }
    double best = ov_vec3_dot(d, vertices[0]), tied = 1.0;
    ov_vec3 sum = vertices[0];
    for (size_t i = 1; i < count; i++) {
        double value = ov_vec3_dot(d, vertices[i]);
        if (value > best) {
            best = value;
            sum = vertices[i];
            tied = 1.0;
        } else if (value == best) {
            sum = ov_vec3_add(sum, vertices[i]);
            tied += 1.0;
        }
    }
    ov_support out;
    out.value = ldexp(best, exponent);
    out.point = tied == 1.0 ? sum : ov_vec3_scale(sum, 1.0 / tied);
    return out;
}

/** The caller's function; what is not finite, or outside of its ball, is refused. */
static ov_status support_custom(const ov_shape *s, ov_vec3 d, ov_support *out) {
    ov_vec3 point = s->u.custom.support(s->u.custom.user, ov_vec3_normalize(d));
    if (!ov_vec3_is_finite(point)) {
        return OV_ERROR_NOT_FINITE;
    }
    // bounds rest on the ball, so a point outside of it is refused; some rounding is allowed for
    double away = ov_vec3_length(ov_vec3_sub(point, s->ball.centre));
    if (away > (1.0 + 1e-6) * s->ball.radius) {
        return OV_ERROR_SIZE_RANGE;
    }
    *out = (ov_support){ov_vec3_dot(d, point), point};
    return OV_OK;
}

ov_status ovi_primitive_support(const ov_shape *shape, ov_vec3 direction, ov_support *out) {
    if (ovi_max_abs(direction) == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    switch (shape->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return support_halfspace(shape, direction, out);
    case OV_SHAPE_KIND_BOX:
        *out = support_box(shape, direction);
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *out = support_capsule(shape, direction);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *out = support_cylinder(shape, direction);
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *out = support_cone(shape, direction);
        return OV_OK;
    case OV_SHAPE_KIND_CUSTOM:
        return support_custom(shape, direction, out);
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(shape, &vertices);
    if (count == 0) {
        return OV_ERROR_UNSUPPORTED;
    }
    *out = support_vertices(vertices, count, direction);
    return OV_OK;
}

/* ---- containment */

/** Triangle, segment, point: no farther off than the rounding of the largest coordinate. */
static bool contains_flat(const ov_shape *s, ov_vec3 p) {
    const ov_vec3 *v;
    size_t count = ovi_primitive_vertices(s, &v);
    double reach = ovi_max_abs(p), distance;
    for (size_t i = 0; i < count; i++) {
        reach = fmax(reach, ovi_max_abs(v[i]));
    }
    if (count == 3) {
        ovi_face face = ovi_face_make(v[0], v[1], v[2]);
        distance = ovi_face_distance(&face, p);
    } else if (count == 2) {
        distance = ovi_segment_distance(v[0], v[1], p);
    } else {
        distance = ov_vec3_length(ov_vec3_sub(p, v[0]));
    }
    return distance <= OVI_ON_SURFACE * reach;
}

static bool contains_halfspace(const ov_shape *s, ov_vec3 p) {
    double offset = s->u.halfspace.offset, reach = fmax(ovi_max_abs(p), fabs(offset));
    if (reach > 1e300) {
        p = ov_vec3_scale(p, 0x1p-8);
        offset *= 0x1p-8;
        reach *= 0x1p-8;
    }
    return ov_vec3_dot(s->u.halfspace.normal, p) - offset <= OVI_ON_SURFACE * reach;
}

/** Box, capsule, cylinder, cone: each side in units of its own size. */
static bool contains_simple(const ov_shape *s, ov_vec3 p) {
    const double one = 1.0 + OVI_ON_SURFACE;
    ov_vec3 a = s->a;
    if (s->kind == OV_SHAPE_KIND_BOX) {
        return fabs(p.x) <= a.x * one && fabs(p.y) <= a.y * one && fabs(p.z) <= a.z * one;
    }
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        // the end's height may be large against the radius, and its rounding with it
        double beyond = fmax(fabs(p.z) * (1.0 - OVI_ON_SURFACE) - a.z, 0.0);
        return ov_vec3_length(ov_vec3_make(p.x, p.y, beyond)) <= a.x * one;
    }
    double rho = ov_vec3_length(ov_vec3_make(p.x, p.y, 0.0));
    if (s->kind == OV_SHAPE_KIND_CYLINDER) {
        return rho <= a.x * one && fabs(p.z) <= a.z * one;
    }
    // the cone's section shrinks from R at the base to 0 at the tip; a.z - p.z is rounded once
    double share = (a.z - p.z) / (2.0 * a.z);
    return p.z >= -a.z * one && rho / a.x <= share + OVI_ON_SURFACE;
}

/**
 * On or below every face. For a point near the body, faces that are badly known do not decide:
 * their slack grows with the distance, and their neighbours, which meet along them, are the nearer
 * ones.
 */
static bool contains_polyhedron(const ov_shape *s, ov_vec3 p) {
    // the constructor took the faces with the rounding of the largest coordinate, so that one
    // counts
    double reach = ovi_max_abs(p);
    for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
        reach = fmax(reach, ovi_max_abs(s->u.polyhedron.vertices[i]));
    }
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        ovi_face face = ovi_polyhedron_face(s, i);
        if (!ovi_face_is_below(&face, p, reach)) {
            return false;
        }
    }
    return true;
}

ov_status ovi_primitive_contains(const ov_shape *shape, ov_vec3 point, bool *inside) {
    // beyond all bounded bodies, and where differences and squares might overflow
    bool remote = ovi_max_abs(point) > 8.0 * OV_SIZE_MAX;
    switch (shape->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        *inside = contains_halfspace(shape, point);
        return OV_OK;
    case OV_SHAPE_KIND_BOX:
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE:
        *inside = !remote && contains_simple(shape, point);
        return OV_OK;
    case OV_SHAPE_KIND_POLYHEDRON:
        if (shape->u.polyhedron.triangle_count == 0) {
            return OV_ERROR_UNSUPPORTED;
        }
        *inside = !remote && contains_polyhedron(shape, point);
        return OV_OK;
    case OV_SHAPE_KIND_TRIANGLE:
    case OV_SHAPE_KIND_SEGMENT:
    case OV_SHAPE_KIND_POINT:
        *inside = !remote && contains_flat(shape, point);
        return OV_OK;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}
