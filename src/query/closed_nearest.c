/**
 * @file closed_nearest.c
 * @brief The nearest surface point of a box, cylinder or cone, from inside and outside.
 *
 * The signed distance of a point c from a convex body is the largest value of n.c - h(n) over the
 * unit directions n, h being the support function: the distance outside, minus the least way out
 * inside. For these bodies it is reached in one of a few directions: a face's normal, or the
 * direction from the nearest edge or corner. What a formula here makes of the point as it is given,
 * rounded into the body's frame, is right to some ulp of that point's coordinates: coordinates are
 * compared with the sizes before anything is multiplied, so that the direction stays in the normal
 * cone of the surface point also where the two are an ulp apart.
 */
#include "closed_internal.h"

/** Outward step and coordinate of a slab |x| <= half, seen from x. */
static double beyond(double x, double half) { return fabs(x) - half; }

static ovi_nearest nearest_box(const ov_shape *s, ov_vec3 c) {
    const double x[3] = {c.x, c.y, c.z}, half[3] = {s->a.x, s->a.y, s->a.z};
    double out[3], foot[3], n[3] = {0.0, 0.0, 0.0};
    int face = 0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        out[i] = beyond(x[i], half[i]);
        inside = inside && !(out[i] > 0.0);
        face = out[i] > out[face] ? i : face;
        foot[i] = fmin(fmax(x[i], -half[i]), half[i]);
    }
    if (inside) {
        n[face] = copysign(1.0, x[face]);
        foot[face] = copysign(half[face], x[face]);
        return (ovi_nearest){out[face], ov_vec3_make(foot[0], foot[1], foot[2]),
                             ov_vec3_make(n[0], n[1], n[2])};
    }
    for (int i = 0; i < 3; i++) {
        n[i] = copysign(fmax(out[i], 0.0), x[i]);
    }
    ov_vec3 away = ov_vec3_make(n[0], n[1], n[2]);
    return (ovi_nearest){ov_vec3_length(away), ov_vec3_make(foot[0], foot[1], foot[2]),
                         ov_vec3_normalize(away)};
}

/* ---- bodies of revolution: the half-plane of the point, radius rho >= 0 and height z */

typedef struct meridian {
    double rho, z;
    double cos, sin; /**< of the azimuth; any where the point is on the axis */
} meridian;

static meridian meridian_of(ov_vec3 c) {
    double rho = ov_vec3_length(ov_vec3_make(c.x, c.y, 0.0));
    ov_vec3 unit = ov_vec3_normalize(ov_vec3_make(c.x, c.y, 0.0));
    return (meridian){rho, c.z, rho > 0.0 ? unit.x : 1.0, rho > 0.0 ? unit.y : 0.0};
}

static ov_vec3 from_meridian(const meridian *m, double rho, double z) {
    return ov_vec3_make(m->cos * rho, m->sin * rho, z);
}

static ovi_nearest nearest_cylinder(const ov_shape *s, ov_vec3 c) {
    meridian m = meridian_of(c);
    double radius = s->a.x, half = s->a.z, end = copysign(1.0, m.z);
    double side = m.rho - radius, cap = beyond(m.z, half);
    if (side > 0.0 && cap > 0.0) {
        ov_vec3 away = from_meridian(&m, side, end * cap);
        return (ovi_nearest){ov_vec3_length(away), from_meridian(&m, radius, end * half),
                             ov_vec3_normalize(away)};
    }
    if (side > cap) {
        return (ovi_nearest){side, from_meridian(&m, radius, m.z), from_meridian(&m, 1.0, 0.0)};
    }
    return (ovi_nearest){cap, from_meridian(&m, m.rho, end * half), ov_vec3_make(0.0, 0.0, end)};
}

/** The direction from a corner of the section, which the point must not be. */
static ovi_nearest nearest_ring(const meridian *m, ov_vec2 from_corner, ov_vec2 corner) {
    ov_vec3 away = from_meridian(m, from_corner.x, from_corner.y);
    return (ovi_nearest){ov_vec3_length(away), from_meridian(m, corner.x, corner.y),
                         ov_vec3_normalize(away)};
}

/**
 * Base, slant, tip or rim. Which of them is nearest from outside, is told by the signs of the
 * point's coordinates along the slant as measured from the tip and from the rim: the same numbers
 * that say whether the direction from there is in the normal cone.
 */
static ovi_nearest nearest_cone(const ov_shape *s, ov_vec3 c) {
    meridian m = meridian_of(c);
    double radius = s->a.x, half = s->a.z;
    double slant = ov_vec3_length(ov_vec3_make(radius, 2.0 * half, 0.0));
    double across = radius / slant, along = 2.0 * half / slant; // the slant runs (across, -along)
    ov_vec2 from_tip = {m.rho, m.z - half}, from_rim = {m.rho - radius, m.z + half};
    double side = from_tip.x * along + from_tip.y * across, base = -from_rim.y;
    bool inside = side <= 0.0 && base <= 0.0;
    if (inside ? base >= side : base > 0.0 && from_rim.x <= 0.0) {
        return (ovi_nearest){base, from_meridian(&m, m.rho, -half), ov_vec3_make(0.0, 0.0, -1.0)};
    }
    if (!inside && from_tip.x * across - from_tip.y * along < 0.0) {
        return nearest_ring(&m, from_tip, (ov_vec2){0.0, half});
    }
    if (!inside && from_rim.x * across - from_rim.y * along > 0.0) {
        return nearest_ring(&m, from_rim, (ov_vec2){radius, -half});
    }
    return (ovi_nearest){side, from_meridian(&m, m.rho - side * along, m.z - side * across),
                         from_meridian(&m, along, across)};
}

bool ovi_body_nearest(const ov_shape *shape, ov_vec3 point, ovi_nearest *out) {
    ovi_core core;
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *out = nearest_box(shape, point);
        return true;
    case OV_SHAPE_KIND_CYLINDER:
        *out = nearest_cylinder(shape, point);
        return true;
    case OV_SHAPE_KIND_CONE:
        *out = nearest_cone(shape, point);
        return true;
    default:
        if (!ovi_core_of(shape, &core)) {
            return false;
        }
        *out = ovi_core_nearest(&core, point);
        return true;
    }
}
