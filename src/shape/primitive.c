/**
 * @file primitive.c
 * @brief Half-space, box, capsule, cylinder, cone, triangle, segment, point and the caller's own
 * support function: constructors, support, containment, balls and mass in closed form. Polyhedra
 * have a file of their own (polyhedron.c), and are chosen from here.
 *
 * All checks that a query would otherwise repeat are made by the constructors, once. Kinds given by
 * points may lie anywhere up to OV_SIZE_MAX from the origin; those without volume (triangle,
 * segment, point) are there for pair queries against the solid ones.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- constructors */

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

/* ---- support
 *
 * Directions come in lengths whose squares, times a size, stay in range (ov_shape_support sees to
 * that). Every closed form here is a sum of non-negative terms, so nothing cancels. Bodies that are
 * the hull of their vertices are in vertices.c.
 */

static ov_support support_capsule(const ov_shape *s, ov_vec3 d) {
    double radius = s->a.x, half = s->a.z, length = sqrt(ovi_square(d));
    ov_support out;
    out.value = radius * length + half * fabs(d.z);
    out.point = ov_vec3_scale(d, radius / length);
    out.point.z += ovi_end(d.z, half);
    return out;
}

/** Part of a direction across z: its length, and its unit vector (zero if none). */
static double radial(ov_vec3 d, ov_vec2 *unit) {
    double square = d.x * d.x + d.y * d.y;
    if (square > 1e-200) {
        double length = sqrt(square), inverse = 1.0 / length;
        *unit = (ov_vec2){d.x * inverse, d.y * inverse};
        return length;
    }
    // a scale of its own, so that the unit vector is right however small this part is
    double own = fmax(fabs(d.x), fabs(d.y));
    *unit = (ov_vec2){0.0, 0.0};
    if (own == 0.0) {
        return 0.0;
    }
    double x = d.x / own, y = d.y / own, length = sqrt(x * x + y * y);
    *unit = (ov_vec2){x / length, y / length};
    return own * length;
}

static ov_support support_cylinder(const ov_shape *s, ov_vec3 d) {
    double radius = s->a.x, half = s->a.z;
    ov_vec2 unit;
    double rho = radial(d, &unit);
    ov_support out;
    out.value = radius * rho + half * fabs(d.z);
    out.point = ov_vec3_make(radius * unit.x, radius * unit.y, ovi_end(d.z, half));
    return out;
}

/** Tip, base, or exactly between them the slant edge: the larger of half dz and R rho - half dz. */
static ov_support support_cone(const ov_shape *s, ov_vec3 d) {
    double radius = s->a.x, half = s->a.z;
    ov_vec2 unit;
    double across = radius * radial(d, &unit), along = half * d.z;
    ov_support out;
    if (2.0 * along > across) {
        out.value = along;
        out.point = ov_vec3_make(0.0, 0.0, half);
    } else if (2.0 * along < across) {
        // no cancellation: across - along is at least half of across
        out.value = across - along;
        out.point = ov_vec3_make(radius * unit.x, radius * unit.y, -half);
    } else {
        out.value = along;
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

/** The caller's function; what is not finite, or outside of its ball, is refused. */
static ov_status support_custom(const ov_shape *s, ov_vec3 d, ov_support *out) {
    ov_vec3 point = s->u.custom.support(s->u.custom.user, ov_vec3_normalize(d));
    if (!ov_vec3_is_finite(point)) {
        return OV_ERROR_NOT_FINITE;
    }
    // bounds rest on the ball, so a point outside it is refused; some rounding is allowed for
    double away = ov_vec3_length(ov_vec3_sub(point, s->ball.centre));
    if (away > (1.0 + 1e-6) * s->ball.radius) {
        return OV_ERROR_SIZE_RANGE;
    }
    *out = (ov_support){ov_vec3_dot(d, point), point};
    return OV_OK;
}

ov_status ovi_primitive_support(const ov_shape *shape, ov_vec3 direction, ov_support *out) {
    if (!(ovi_square(direction) > 0.0)) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    switch (shape->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return support_halfspace(shape, direction, out);
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
    if (!ovi_has_vertices(shape->kind)) {
        return OV_ERROR_UNSUPPORTED;
    }
    (void)ovi_vertices_support(shape, &direction, out);
    return OV_OK;
}

/* ---- containment
 *
 * A point counts as in the body when it is inside or off it by no more than the rounding of its own
 * coordinates, so that points computed to be on the surface are in.
 */

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
        *inside = !remote && ovi_polyhedron_contains(shape, point);
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

/* ---- bounding and inscribed balls: the best ones */

static ov_ball outward(ov_vec3 centre, double radius) {
    return (ov_ball){centre, radius * (1.0 + OVI_BOUND_MARGIN)};
}

static ov_ball inward(ov_vec3 centre, double radius) {
    return (ov_ball){centre, radius * (1.0 - OVI_BOUND_MARGIN)};
}

/** Through the tip and the rim, or about the base's centre where the cone is flat. */
static ov_ball bound_cone(const ov_shape *s) {
    double radius = s->a.x, half = s->a.z;
    if (radius >= 2.0 * half) {
        return outward(ov_vec3_make(0.0, 0.0, -half), radius);
    }
    double below = radius * (radius / (4.0 * half));
    return outward(ov_vec3_make(0.0, 0.0, -below), half + below);
}

ov_status ovi_primitive_bounding_ball(const ov_shape *shape, ov_ball *ball) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    const ov_vec3 a = shape->a;
    switch (shape->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return OV_ERROR_UNBOUNDED;
    case OV_SHAPE_KIND_BOX:
        *ball = outward(zero, ov_vec3_length(a));
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *ball = outward(zero, a.x + a.z);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *ball = outward(zero, ov_vec3_length(ov_vec3_make(a.x, 0.0, a.z)));
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *ball = bound_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CUSTOM:
        *ball = shape->ball;
        return OV_OK;
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(shape, &vertices);
    if (count == 0) {
        return OV_ERROR_UNSUPPORTED;
    }
    ov_ball around = ovi_points_ball(vertices, count);
    *ball = outward(around.centre, around.radius);
    return OV_OK;
}

/** Incircle of the section; measured anew from its rounded centre. */
static ov_ball inscribe_cone(const ov_shape *s) {
    double radius = s->a.x, half = s->a.z;
    double slant = ov_vec3_length(ov_vec3_make(radius, 2.0 * half, 0.0));
    double z = -half + 2.0 * half * (radius / (radius + slant));
    double r = fmin(z + half, (half - z) * (radius / slant));
    // in a needle the rounding of z may be all of the height above the base: look one step up
    double up = nextafter(z, half), r_up = fmin(up + half, (half - up) * (radius / slant));
    return r_up > r ? inward(ov_vec3_make(0.0, 0.0, up), r_up)
                    : inward(ov_vec3_make(0.0, 0.0, z), r);
}

ov_status ovi_primitive_inscribed_ball(const ov_shape *shape, ov_ball *ball) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    const ov_vec3 a = shape->a;
    ov_ball inside;
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *ball = inward(zero, fmin(a.x, fmin(a.y, a.z)));
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *ball = inward(zero, a.x);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *ball = inward(zero, fmin(a.x, a.z));
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *ball = inscribe_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_POLYHEDRON:
        if (shape->u.polyhedron.triangle_count == 0) {
            return OV_ERROR_UNSUPPORTED;
        }
        inside = ovi_polyhedron_inscribed_ball(shape);
        if (!(inside.radius > 0.0)) {
            return OV_ERROR_DEGENERATE;
        }
        *ball = inward(inside.centre, inside.radius);
        return OV_OK;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

/* ---- mass */

/** Body of revolution about z, or box: a diagonal tensor. */
static ov_mass diagonal(double volume, double centre_z, double xx, double yy, double zz) {
    ov_mass m;
    memset(&m, 0, sizeof m);
    m.volume = m.mass = volume;
    m.centroid.z = centre_z;
    m.inertia.cx.x = xx;
    m.inertia.cy.y = yy;
    m.inertia.cz.z = zz;
    return m;
}

static ov_mass mass_box(const ov_shape *s) {
    double volume = 8.0 * s->a.x * s->a.y * s->a.z, third = volume / 3.0;
    double x2 = s->a.x * s->a.x, y2 = s->a.y * s->a.y, z2 = s->a.z * s->a.z;
    return diagonal(volume, 0.0, third * (y2 + z2), third * (z2 + x2), third * (x2 + y2));
}

/** A cylinder and two half balls, whose centroids are 3/8 R beyond its ends. */
static ov_mass mass_capsule(const ov_shape *s) {
    double r = s->a.x, h = s->a.z, r2 = r * r;
    double tube = 2.0 * OVI_PI * r2 * h, ball = 4.0 / 3.0 * OVI_PI * r2 * r;
    double zz = tube * r2 / 2.0 + ball * 0.4 * r2;
    double xx = tube * (r2 / 4.0 + h * h / 3.0) + ball * (0.4 * r2 + h * h + 0.75 * h * r);
    return diagonal(tube + ball, 0.0, xx, xx, zz);
}

static ov_mass mass_cylinder(const ov_shape *s) {
    double r2 = s->a.x * s->a.x, h = s->a.z, volume = 2.0 * OVI_PI * r2 * h;
    double xx = volume * (r2 / 4.0 + h * h / 3.0);
    return diagonal(volume, 0.0, xx, xx, volume * r2 / 2.0);
}

/** The centroid is at a quarter of the height, which is 2h, above the base. */
static ov_mass mass_cone(const ov_shape *s) {
    double r2 = s->a.x * s->a.x, h = s->a.z, volume = 2.0 / 3.0 * OVI_PI * r2 * h;
    double xx = 0.15 * volume * (r2 + h * h);
    return diagonal(volume, -0.5 * h, xx, xx, 0.3 * volume * r2);
}

ov_status ovi_primitive_mass(const ov_shape *shape, ov_mass *out) {
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *out = mass_box(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *out = mass_capsule(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *out = mass_cylinder(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *out = mass_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_POLYHEDRON:
        if (shape->u.polyhedron.triangle_count == 0) {
            return OV_ERROR_UNSUPPORTED;
        }
        *out = ovi_polyhedron_mass(shape);
        return OV_OK;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}
