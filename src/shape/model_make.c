/**
 * @file model_make.c
 * @brief Constructors of the modelling kinds: superhyperboloids, supertoroid, bent superellipsoid.
 *
 * They are the other members of the superquadrics of [Portal, section 3 and Fig. 4], and the
 * deformed superellipsoid of [SQMap, eq. 2]. None is convex, so none takes part in pair queries;
 * what a constructor has to rule out is a surface that crosses itself or leaves the range of sizes.
 */
#include "../math/rounding_mode.h"
#include "model_internal.h"

/** Sizes and exponents; all else is zero. */
static ov_status make_model(ov_shape_kind kind, ov_vec3 semi_axes, double e1, double e2,
                            ov_shape *s) {
    *s = (ov_shape){.kind = kind, .a = semi_axes};
    ov_status status = ovi_check_sizes(semi_axes);
    return status != OV_OK ? status : ovi_set_exponents(e1, e2, s);
}

/** The widest section is m times the semi-axes: it has to be in range, too. */
static ov_status check_width(const ov_shape *s, double m) {
    return fmax(s->a.x, s->a.y) * m <= OV_SIZE_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

static ov_status make_hyperboloid(ov_shape_kind kind, ov_vec3 semi_axes, double e1, double e2,
                                  double height, ov_shape *shape) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_model(kind, semi_axes, e1, e2, &s);
    if (status == OV_OK) {
        status = ovi_check_size(height);
    }
    if (status == OV_OK && kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2 && height <= semi_axes.z) {
        status = OV_ERROR_HEIGHT;
    }
    if (status == OV_OK) {
        s.u.hyperboloid.height = height;
        status = check_width(&s, ovi_hyperboloid_rim(&s));
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}

ov_status ov_shape_make_superhyperboloid_1(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superhyperboloid_1(semi_axes, e1, e2, height, shape));
    return make_hyperboloid(OV_SHAPE_KIND_SUPERHYPERBOLOID_1, semi_axes, e1, e2, height, shape);
}

ov_status ov_shape_make_superhyperboloid_2(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superhyperboloid_2(semi_axes, e1, e2, height, shape));
    return make_hyperboloid(OV_SHAPE_KIND_SUPERHYPERBOLOID_2, semi_axes, e1, e2, height, shape);
}

ov_status ov_shape_make_supertoroid(ov_vec3 semi_axes, double e1, double e2, double hole,
                                    ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_supertoroid(semi_axes, e1, e2, hole, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_model(OV_SHAPE_KIND_SUPERTOROID, semi_axes, e1, e2, &s);
    if (status == OV_OK && !isfinite(hole)) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status == OV_OK && hole <= 1.0) {
        status = OV_ERROR_HOLE;
    }
    if (status == OV_OK) {
        s.u.toroid.hole = hole;
        status = check_width(&s, hole + 1.0);
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}

/**
 * Sections turn about the line r = 1/k. They stay apart if the body does not reach that line, and
 * if its two ends, at the angles +-k a3, do not meet behind it.
 */
static ov_status check_bend(const ov_shape *s) {
    double k = fabs(s->u.bent.curvature), angle_rad = s->u.bent.angle_rad;
    if (k * s->a.z >= OVI_PI || k * ovi_section_reach(s, cos(angle_rad), sin(angle_rad)) >= 1.0) {
        return OV_ERROR_BEND;
    }
    return OV_OK;
}

ov_status ov_shape_make_bent(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                             double curvature, double angle_rad, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(
        ov_status, ov_shape_make_bent(semi_axes, e1, e2, tx, ty, curvature, angle_rad, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_model(OV_SHAPE_KIND_BENT, semi_axes, e1, e2, &s);
    if (status == OV_OK) {
        status = ovi_check_taper(tx);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(ty);
    }
    if (status == OV_OK && !(isfinite(curvature) && isfinite(angle_rad))) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status == OV_OK) {
        s.tx = tx;
        s.ty = ty;
        s.u.bent.curvature = curvature;
        s.u.bent.angle_rad = angle_rad;
        status = check_bend(&s);
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}
