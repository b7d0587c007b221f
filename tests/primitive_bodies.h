/**
 * @file primitive_bodies.h
 * @brief Random boxes, capsules, cylinders and cones, for the suites of the solids.
 */
#ifndef OVOID_TESTS_PRIMITIVE_BODIES_H
#define OVOID_TESTS_PRIMITIVE_BODIES_H

#include <string.h>

#include "check.h"

static const ov_shape_kind simple_kinds[] = {OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CAPSULE,
                                             OV_SHAPE_KIND_CYLINDER, OV_SHAPE_KIND_CONE};
enum { SIMPLE_KINDS = 4 };

/** A simple kind of the given sizes; radius a, half-length c. */
static inline ov_shape make_simple(ov_shape_kind kind, double a, double b, double c) {
    ov_shape s;
    memset(&s, 0, sizeof s);
    if (kind == OV_SHAPE_KIND_BOX) {
        CHECK_OK(ov_shape_make_box(ov_vec3_make(a, b, c), &s));
    } else if (kind == OV_SHAPE_KIND_CAPSULE) {
        CHECK_OK(ov_shape_make_capsule(a, c, &s));
    } else if (kind == OV_SHAPE_KIND_CYLINDER) {
        CHECK_OK(ov_shape_make_cylinder(a, c, &s));
    } else {
        CHECK_OK(ov_shape_make_cone(a, c, &s));
    }
    return s;
}

static inline ov_shape random_simple(check_random *r, ov_shape_kind kind, double lo, double hi) {
    double a = check_log_uniform(r, lo, hi), b = check_log_uniform(r, lo, hi);
    return make_simple(kind, a, b, check_log_uniform(r, lo, hi));
}

#endif
