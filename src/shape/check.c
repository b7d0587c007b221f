/**
 * @file check.c
 * @brief Checks of single parameters, in one place so that every constructor refuses alike.
 */
#include <string.h>

#include "shape_internal.h"

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
