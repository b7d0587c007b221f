/**
 * @file family_make.c
 * @brief Constructors of the smooth family: sphere, ellipsoid, superellipsoid, superovoid.
 *
 * All four go through one function, which files the shape under its simplest kind: the meaning is
 * always that of the superovoid, the kind only selects the cheapest formulas.
 */
#include "../math/rounding_mode.h"
#include "shape_internal.h"

ov_shape_options ov_default_shape_options(void) {
    return (ov_shape_options){.dent_tolerance = 0.05};
}

static ov_shape_kind simplest_kind(const ov_shape *s) {
    if (s->tx != 0.0 || s->ty != 0.0) {
        return OV_SHAPE_KIND_SUPEROVOID;
    }
    if (s->e1 != 1.0 || s->e2 != 1.0) {
        return OV_SHAPE_KIND_SUPERELLIPSOID;
    }
    return s->a.x == s->a.y && s->a.y == s->a.z ? OV_SHAPE_KIND_SPHERE : OV_SHAPE_KIND_ELLIPSOID;
}

/** Everything but the dent. */
static ov_status make_smooth(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                             ov_shape *shape) {
    ov_shape s = {.a = semi_axes, .tx = tx, .ty = ty};
    ov_status status = ovi_check_sizes(semi_axes);
    if (status == OV_OK) {
        status = ovi_set_exponents(e1, e2, &s);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(tx);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(ty);
    }
    if (status == OV_OK) {
        s.kind = simplest_kind(&s);
        *shape = s;
    }
    return status;
}

ov_status ov_shape_make_sphere(double radius, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_sphere(radius, shape));
    return ov_shape_make_ellipsoid(ov_vec3_make(radius, radius, radius), shape);
}

ov_status ov_shape_make_ellipsoid(ov_vec3 semi_axes, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_ellipsoid(semi_axes, shape));
    return ov_shape_make_superellipsoid(semi_axes, 1.0, 1.0, shape);
}

ov_status ov_shape_make_superellipsoid(ov_vec3 semi_axes, double e1, double e2, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_superellipsoid(semi_axes, e1, e2, shape));
    return ov_shape_make_superovoid(semi_axes, e1, e2, 0.0, 0.0, NULL, shape);
}

ov_status ov_shape_make_superovoid(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                                   const ov_shape_options *options, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superovoid(semi_axes, e1, e2, tx, ty, options, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    double tolerance = options != NULL ? options->dent_tolerance : 0.0;
    tolerance = tolerance != 0.0 ? tolerance : ov_default_shape_options().dent_tolerance;
    if (!(tolerance >= 0.0 && tolerance <= 1.0)) {
        return OV_ERROR_OPTION;
    }
    ov_shape s;
    ov_status status = make_smooth(semi_axes, e1, e2, tx, ty, &s);
    if (status != OV_OK) {
        return status;
    }
    if (s.kind == OV_SHAPE_KIND_SUPEROVOID) {
        ovi_dent_measure(&s);
        if (s.dent > tolerance * fmin(semi_axes.x, fmin(semi_axes.y, semi_axes.z))) {
            return OV_ERROR_DENT;
        }
    }
    s.ball = ovi_family_ball(&s);
    *shape = s;
    return OV_OK;
}
