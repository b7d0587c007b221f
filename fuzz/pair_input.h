/**
 * @file pair_input.h
 * @brief Numbers, poses and convex shapes from the bytes of a fuzz input, for fuzz_pair.c.
 *
 * An input is either wild, with raw bits and delicate numbers anywhere, or sensible, so that most
 * of its shapes exist and the queries behind the constructors are reached. Callbacks of custom
 * shapes are honest bodies or liars: what a liar gets need not be true, but must still be safe.
 */
#ifndef OVOID_FUZZ_PAIR_INPUT_H
#define OVOID_FUZZ_PAIR_INPUT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <ovoid/shape.h>

#include "source.h"

/** Between the bounds; in a wild input also any double at all, or a delicate one. */
static double take_number(source *s, double low, double high) {
    static const double delicate[] = {
        0.0,     -0.0,    1.0,      -1.0, 2.0,  0.5,   1e-60,    1e60,      1e-61,     1e100,
        DBL_MIN, DBL_MAX, 5e-324,   NAN,  1e-9, 1e-16, INFINITY, -INFINITY, 1e-3,      1.000001,
        1.9999,  1e-300,  -DBL_MAX, 1e30, 0.05, 1e3,   1e-30,    -0.5,      0.0200001, 1.98};
    unsigned mode = s->wild ? take_byte(s) : 255;
    if (mode < 24) {
        return take_raw(s);
    }
    if (mode < 96) {
        return delicate[mode % (sizeof delicate / sizeof delicate[0])];
    }
    return low + (high - low) * take_unit(s);
}

/** Four sizes in five are of everyday proportions. */
static double take_size(source *s) {
    unsigned mode = take_byte(s);
    double v = mode < 205 ? take_number(s, -0.7, 0.7) : take_number(s, -3.0, 3.0);
    return s->wild && mode % 8 == 0 ? v : pow(10.0, v);
}

static ov_vec3 take_sizes(source *s) {
    double x = take_size(s), y = take_size(s);
    return take_byte(s) % 4 == 0 ? ov_vec3_make(x, x, y) : ov_vec3_make(x, y, take_size(s));
}

static ov_vec3 take_vector(source *s, double reach) {
    double x = take_number(s, -reach, reach), y = take_number(s, -reach, reach);
    return ov_vec3_make(x, y, take_number(s, -reach, reach));
}

/** A direction of moderate length, never zero; often on an axis or a coordinate plane. */
static ov_vec3 take_direction(source *s) {
    double x = 2.0 * take_unit(s) - 1.0, y = 2.0 * take_unit(s) - 1.0;
    double z = 2.0 * take_unit(s) - 1.0;
    unsigned mask = take_byte(s);
    ov_vec3 d = {mask & 1 ? 0.0 : x, mask & 2 ? 0.0 : y, mask & 4 ? 0.0 : z};
    if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) {
        d.z = mask & 8 ? 1.0 : -1.0;
    }
    return d;
}

static ov_quat take_rotation(source *s) {
    unsigned mode = take_byte(s);
    if (s->wild && mode % 4 == 0) {
        double w = take_number(s, -1.0, 1.0);
        ov_vec3 v = take_vector(s, 1.0);
        return (ov_quat){w, v.x, v.y, v.z};
    }
    // quarter turns keep flats parallel
    double angle = mode % 3 == 0 ? 1.5707963267948966 * (mode % 4) : 6.3 * take_unit(s);
    return ov_quat_from_axis_angle(take_direction(s), angle);
}

/* ---- the caller's own shapes */

typedef enum own_kind {
    OWN_BOX,
    OWN_ELLIPSOID,
    OWN_POINT, /**< the last that tells the truth */
    OWN_NAN,
    OWN_INFINITE,
    OWN_HUGE,
    OWN_BACKWARDS,
    OWN_NOISE,
    OWN_KINDS
} own_kind;

typedef struct own_shape {
    own_kind kind;
    ov_vec3 half;
} own_shape;

/** Another point for every direction, of any bits at all. */
static ov_vec3 noise_of(ov_vec3 d) {
    double v[3] = {d.x, d.y, d.z};
    uint64_t bits, mixed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; i++) {
        memcpy(&bits, &v[i], sizeof bits);
        mixed = (mixed ^ bits) * 0xbf58476d1ce4e5b9u;
        mixed ^= mixed >> 29;
    }
    for (int i = 0; i < 3; i++) {
        bits = mixed * (uint64_t)(2 * i + 3);
        memcpy(&v[i], &bits, sizeof bits);
        v[i] = mixed % 3 != 0 ? (double)(bits >> 40) * 0x1p-23 - 1.0 : v[i];
    }
    return ov_vec3_make(v[0], v[1], v[2]);
}

static ov_vec3 support_own(const void *user, ov_vec3 d) {
    const own_shape *own = user;
    ov_vec3 h = own->half;
    switch (own->kind) {
    case OWN_BOX:
        return ov_vec3_make(copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z));
    case OWN_ELLIPSOID: {
        ov_vec3 w = ov_vec3_mul(h, d);
        double length = ov_vec3_length(w);
        return length > 0.0 ? ov_vec3_mul(h, ov_vec3_scale(w, 1.0 / length)) : h;
    }
    case OWN_POINT:
        return h;
    case OWN_NAN:
        return ov_vec3_make(h.x, d.y > 0.5 ? NAN : h.y, h.z);
    case OWN_INFINITE:
        return ov_vec3_make(d.x * INFINITY, h.y, h.z);
    case OWN_HUGE:
        return ov_vec3_scale(d, DBL_MAX);
    case OWN_BACKWARDS:
        return ov_vec3_mul(h, ov_vec3_neg(d));
    default:
        return noise_of(d);
    }
}

static ov_status make_own(source *s, own_shape *own, ov_shape *shape) {
    unsigned mode = take_byte(s);
    own->kind = mode < 128 ? (own_kind)(mode % 3) : (own_kind)(mode % OWN_KINDS);
    own->half = take_sizes(s);
    ov_ball ball = {.radius = ov_vec3_length(own->half) * (1.0 + 1e-14)};
    return ov_shape_make_custom(support_own, own, ball, shape);
}

static bool is_liar(const ov_shape *shape) {
    return shape->kind == OV_SHAPE_KIND_CUSTOM &&
           ((const own_shape *)shape->u.custom.user)->kind > OWN_POINT;
}

/* ---- shapes of all convex kinds */

enum { CORNERS_MAX = 10 };

/** What a shape refers to. */
typedef struct room {
    own_shape own;
    ov_vec3 corners[CORNERS_MAX];
} room;

static ov_status make_polyhedron(source *s, room *r, ov_shape *shape) {
    static const uint32_t closed[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    size_t count = 4 + take_byte(s) % (CORNERS_MAX - 3);
    for (size_t i = 0; i < count; i++) {
        r->corners[i] = take_vector(s, 1.5);
    }
    if (count == 4 && ov_shape_make_polyhedron(r->corners, 4, closed, 4, shape) == OV_OK) {
        return OV_OK;
    }
    return ov_shape_make_polyhedron(r->corners, count, NULL, 0, shape);
}

static ov_status make_family(source *s, ov_shape_kind kind, ov_shape *shape) {
    ov_vec3 a = take_sizes(s);
    if (kind == OV_SHAPE_KIND_ELLIPSOID) {
        return ov_shape_make_ellipsoid(a, shape);
    }
    double e1 = take_number(s, 0.01, 2.0), e2 = take_number(s, 0.01, 2.0);
    if (kind == OV_SHAPE_KIND_SUPERELLIPSOID) {
        return ov_shape_make_superellipsoid(a, e1, e2, shape);
    }
    double tx = take_number(s, -0.6, 0.6), ty = take_number(s, -0.6, 0.6);
    ov_shape_options options = {take_number(s, 0.0, 1.0)};
    ov_status status = ov_shape_make_superovoid(a, e1, e2, tx, ty, &options, shape);
    // a taper too strong for the exponents is common; a weaker one is still of use
    return status == OV_ERROR_DENT
               ? ov_shape_make_superovoid(a, e1, e2, 0.2 * tx, 0.2 * ty, NULL, shape)
               : status;
}

static ov_status make_shape(source *s, room *r, ov_shape *shape) {
    ov_shape_kind kind = (ov_shape_kind)(1 + take_byte(s) % OV_SHAPE_KIND_CUSTOM);
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(take_size(s), shape);
    case OV_SHAPE_KIND_HALFSPACE: {
        ov_vec3 normal = take_direction(s);
        return ov_shape_make_halfspace(normal, take_number(s, -2.0, 2.0), shape);
    }
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(take_sizes(s), shape);
    case OV_SHAPE_KIND_CAPSULE: {
        double radius = take_size(s);
        return ov_shape_make_capsule(radius, take_byte(s) % 8 == 0 ? 0.0 : take_size(s), shape);
    }
    case OV_SHAPE_KIND_CYLINDER: {
        double radius = take_size(s);
        return ov_shape_make_cylinder(radius, take_size(s), shape);
    }
    case OV_SHAPE_KIND_CONE: {
        double radius = take_size(s);
        return ov_shape_make_cone(radius, take_size(s), shape);
    }
    case OV_SHAPE_KIND_POLYHEDRON:
        return make_polyhedron(s, r, shape);
    case OV_SHAPE_KIND_TRIANGLE: {
        ov_vec3 a = take_vector(s, 2.0), b = take_vector(s, 2.0);
        return ov_shape_make_triangle(a, b, take_vector(s, 2.0), shape);
    }
    case OV_SHAPE_KIND_SEGMENT: {
        ov_vec3 a = take_vector(s, 2.0);
        return ov_shape_make_segment(a, take_vector(s, 2.0), shape);
    }
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(take_vector(s, 2.0), shape);
    case OV_SHAPE_KIND_CUSTOM:
        return make_own(s, &r->own, shape);
    default:
        return make_family(s, kind, shape);
    }
}

#endif
