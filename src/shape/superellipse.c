/**
 * @file superellipse.c
 * @brief The superellipse in the plane: gauge, support, points with curvature, area.
 *
 * It is the section and the profile of every superquadric, useful on its own for drawings and as
 * the smallest example of the formulas. The gauge is the norm N_p(x/a1, y/a2), the support function
 * the dual norm N_q(a1 dx, a2 dy). Both are homogeneous, so input is first scaled by a power of
 * two: points and directions of every length are treated alike, and exactly.
 */
#include "../math/rounding_mode.h"
#include "shape_internal.h"
#include "unit_superellipse.h"

static ov_status check_curve(const ov_superellipse *curve) {
    if (curve == NULL) {
        return OV_ERROR_NULL;
    }
    bool made = ovi_check_size(curve->a1) == OV_OK && ovi_check_size(curve->a2) == OV_OK &&
                ovi_check_exponent(curve->e) == OV_OK;
    return made ? OV_OK : OV_ERROR_SHAPE;
}

ov_status ov_superellipse_make(double a1, double a2, double e, ov_superellipse *curve) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_superellipse_make(a1, a2, e, curve));
    if (curve == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_size(a1);
    if (status == OV_OK) {
        status = ovi_check_size(a2);
    }
    if (status == OV_OK) {
        status = ovi_check_exponent(e);
    }
    if (status == OV_OK) {
        *curve = (ov_superellipse){a1, a2, fmax(e, OV_EXPONENT_MIN)};
    }
    return status;
}

/** Vector times 2^-exponent, so that its larger component is in [1, 2); zero stays zero. */
static ov_vec2 scale_down(ov_vec2 v, int *exponent) {
    double big = fmax(fabs(v.x), fabs(v.y));
    *exponent = big > 0.0 ? ilogb(big) : 0;
    return (ov_vec2){scalbn(v.x, -*exponent), scalbn(v.y, -*exponent)};
}

ov_status ov_superellipse_gauge(const ov_superellipse *curve, ov_vec2 point, double *value,
                                ov_vec2 *gradient, double hessian[3]) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_superellipse_gauge(curve, point, value, gradient, hessian));
    ov_status status = check_curve(curve);
    if (status != OV_OK) {
        return status;
    }
    if (!isfinite(point.x) || !isfinite(point.y)) {
        return OV_ERROR_NOT_FINITE;
    }
    int exponent;
    ov_vec2 near = scale_down(point, &exponent);
    double u = near.x / curve->a1, v = near.y / curve->a2;
    ovi_exponent p = ovi_primal(curve->e);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, p);
    ovi_p_norm n = ovi_p_norm_gradient(u, v, &parts);
    bool corner = parts.big == 0.0 || (curve->e == 2.0 && parts.r == 0.0);
    if (value != NULL) {
        *value = scalbn(n.value, exponent);
    }
    if (gradient != NULL) {
        *gradient = (ov_vec2){n.du / curve->a1, n.dv / curve->a2};
        status = corner ? OV_NOT_SMOOTH : status;
    }
    if (hessian != NULL) {
        ovi_p_norm_hessian h = ovi_p_norm_second(u, v, p, &parts);
        hessian[0] = scalbn(h.uu / curve->a1 / curve->a1, -exponent);
        hessian[1] = scalbn(h.uv / curve->a1 / curve->a2, -exponent);
        hessian[2] = scalbn(h.vv / curve->a2 / curve->a2, -exponent);
        status = h.edge ? OV_NOT_SMOOTH : status;
    }
    return status;
}

ov_status ov_superellipse_support(const ov_superellipse *curve, ov_vec2 direction, double *value,
                                  ov_vec2 *point) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_superellipse_support(curve, direction, value, point));
    ov_status status = check_curve(curve);
    if (status != OV_OK) {
        return status;
    }
    if (!isfinite(direction.x) || !isfinite(direction.y)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (direction.x == 0.0 && direction.y == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    int exponent;
    ov_vec2 near = scale_down(direction, &exponent);
    double u = curve->a1 * near.x, v = curve->a2 * near.y;
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_dual(curve->e));
    ovi_p_norm n = ovi_p_norm_gradient(u, v, &parts);
    if (value != NULL) {
        *value = scalbn(n.value, exponent);
    }
    if (point != NULL) {
        *point = (ov_vec2){curve->a1 * n.du, curve->a2 * n.dv};
    }
    return OV_OK;
}

/**
 * Curvature of the level set N_p(x/a1, y/a2) = 1 at a point of it. The Hessian of a norm of two
 * numbers has rank one: with M, m the larger and smaller of |u|, |v|, r = m/M and the symbols of
 * p_norm.h, N'' = (p-1) (s/r) W/(M (1+t)) b b^T, b = (-r, 1). Along the unit tangent
 * (-N_y, N_x)/|N'| the two parts of b add up to W (1+t)/(A_M A_m), so
 *
 *     curvature = (p-1) (s/r) W^3 (1+t) / (M A_M^2 A_m^2 |N'|^3)
 *
 * where A_M, A_m are the semi-axes of M and m: a product of positive factors only.
 */
static double curvature_at(const ov_superellipse *curve, double u, double v, ov_vec2 gradient) {
    ovi_exponent p = ovi_primal(curve->e);
    ovi_p_norm_parts n = ovi_p_norm_split(u, v, p);
    double ratio; // s/r = r^(p-2)
    if (n.r > 0.0) {
        ratio = n.s / n.r;
    } else if (curve->e == 1.0) {
        ratio = 1.0;
    } else {
        return curve->e > 1.0 ? (double)INFINITY : 0.0;
    }
    if (ratio == 0.0 || p.minus_1 == 0.0) {
        return 0.0;
    }
    // dividing by |N'| in between keeps the product in range, whatever the sizes
    double slope = hypot(gradient.x, gradient.y);
    double along_1 = 1.0 / (curve->a1 * slope), along_2 = 1.0 / (curve->a2 * slope);
    double k = p.minus_1 * ratio * n.w * n.w * n.w * (1.0 + n.t) / n.big;
    return k * along_1 * along_1 * along_2 * along_2 * slope;
}

ov_status ov_superellipse_curve(const ov_superellipse *curve, ov_spacing spacing, double phi,
                                ov_vec2 *point, ov_vec2 *normal, double *curvature) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_superellipse_curve(curve, spacing, phi, point, normal, curvature));
    ov_status status = check_curve(curve);
    if (status != OV_OK) {
        return status;
    }
    if (!isfinite(phi)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (spacing != OV_SPACING_ANGLE_CENTRE && spacing != OV_SPACING_EQUAL) {
        return OV_ERROR_OPTION;
    }
    ovi_curve_point c =
        ovi_unit_curve(curve->e, ovi_primal(curve->e), spacing, ovi_cos_sin_of_angle(phi));
    ov_vec2 gradient = {c.gu / curve->a1, c.gv / curve->a2};
    if (point != NULL) {
        *point = (ov_vec2){curve->a1 * c.u, curve->a2 * c.v};
    }
    if (normal != NULL) {
        double length = hypot(gradient.x, gradient.y);
        *normal = (ov_vec2){gradient.x / length, gradient.y / length};
    }
    if (curvature != NULL) {
        *curvature = curvature_at(curve, c.u, c.v, gradient);
    }
    return OV_OK;
}

/**
 * By Dirichlet's integral, with g(x) = Gamma(1 + x):
 * area = 4 a1 a2 g(e/2)^2/g(e), and the integral of x^2 is (4/3) a1^3 a2 g(3e/2) g(e/2)/g(2e).
 */
ov_status ov_superellipse_area(const ov_superellipse *curve, double *area, ov_vec2 *second_moment) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_superellipse_area(curve, area, second_moment));
    ov_status status = check_curve(curve);
    if (status != OV_OK) {
        return status;
    }
    double a1 = curve->a1, a2 = curve->a2, e = curve->e;
    double g = tgamma(1.0 + 0.5 * e);
    if (area != NULL) {
        *area = 4.0 * a1 * a2 * g * g / tgamma(1.0 + e);
    }
    if (second_moment != NULL) {
        double shape = 4.0 / 3.0 * g * tgamma(1.0 + 1.5 * e) / tgamma(1.0 + 2.0 * e);
        *second_moment = (ov_vec2){shape * a1 * a1 * a1 * a2, shape * a2 * a2 * a2 * a1};
    }
    return OV_OK;
}
