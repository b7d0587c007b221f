/**
 * @file parametric.c
 * @brief Surface points of the smooth family by two angles, and the way back.
 *
 * The point is a product of two unit superellipses, section (X, Y) and profile (w, zeta), scaled by
 * the taper [Benchmark, eq. 10]. The derivatives by the angles [Benchmark, eq. 11-12] vanish or
 * blow up on the coordinate planes (factors |cos|^(e-1)); multiplied by |cos sin|^(1-e) they keep
 * their direction and become, with (m_X, m_Y) and (G_w, G_z) the covectors of the two curves,
 *
 *     t1 ~ (-a1 f1 m_Y,  a2 f2 m_X,  0)
 *     t2 ~ (a1 X (tx G_w w - f1 G_z),  a2 Y (ty G_w w - f2 G_z),  a3 G_w)
 *     n  ~ (G_w m_X/(a1 f1),  G_w m_Y/(a2 f2),  (G_z - G_w w (m_X X tx/f1 + m_Y Y ty/f2))/a3)
 *
 * finite and non-zero everywhere. n is the gradient of the gauge.
 */
#include "shape_internal.h"
#include "unit_superellipse.h"

void ovi_family_surface(const ov_shape *s, ov_spacing spacing, double phi1, double phi2,
                        ov_surface_point *out) {
    ovi_curve_point section =
        ovi_unit_curve(s->e1, ovi_primal1(s), spacing, ovi_cos_sin_of_angle(phi1));
    ovi_curve_point profile =
        ovi_unit_curve(s->e2, ovi_primal2(s), spacing, ovi_cos_sin_of_angle(phi2));
    ovi_family_compose(s, &section, &profile, out);
}

void ovi_family_compose(const ov_shape *s, const ovi_curve_point *section,
                        const ovi_curve_point *profile, ov_surface_point *out) {
    double w = profile->u, zeta = profile->v, gw = profile->gu, gz = profile->gv;
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    double a1 = s->a.x * f1, a2 = s->a.y * f2;
    double x = section->u, y = section->v, mx = section->gu, my = section->gv;
    out->point = ov_vec3_make(a1 * w * x, a2 * w * y, s->a.z * zeta);
    out->tangent1 = ov_vec3_normalize(ov_vec3_make(-a1 * my, a2 * mx, 0.0));
    out->tangent2 =
        ov_vec3_normalize(ov_vec3_make(s->a.x * x * (s->tx * gw * w - f1 * gz),
                                       s->a.y * y * (s->ty * gw * w - f2 * gz), s->a.z * gw));
    double lean = gw * w * (mx * x * s->tx / f1 + my * y * s->ty / f2);
    out->normal = ov_vec3_normalize(ov_vec3_make(gw * mx / a1, gw * my / a2, (gz - lean) / s->a.z));
}

/** Angle whose cosine and sine are as |u|^(1/e) to |v|^(1/e), with the signs of u and v. */
static double angle_of(double u, double v, double e) {
    double au = fabs(u), av = fabs(v), big = fmax(au, av);
    if (big == 0.0) {
        return 0.0;
    }
    double c = pow(au / big, 1.0 / e), s = pow(av / big, 1.0 / e);
    return atan2(copysign(s, v), copysign(c, u));
}

ov_status ov_shape_angles(const ov_shape *s, ov_vec3 point, double *phi1, double *phi2) {
    if (s == NULL || phi1 == NULL || phi2 == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_is_family(s->kind)) {
        return s->kind > OV_SHAPE_KIND_NONE && s->kind < OV_SHAPE_KIND_COUNT ? OV_ERROR_UNSUPPORTED
                                                                             : OV_ERROR_SHAPE;
    }
    ov_status status = ovi_check_point(point);
    if (status != OV_OK) {
        return status;
    }
    double zeta = fmax(-1.0, fmin(1.0, point.z / s->a.z));
    double x = point.x / (s->a.x * (1.0 + s->tx * zeta));
    double y = point.y / (s->a.y * (1.0 + s->ty * zeta));
    ovi_norm2_parts parts = ovi_norm2_split(x, y, ovi_primal1(s));
    double m = ovi_norm2_gradient(x, y, &parts).value;
    *phi1 = angle_of(x, y, s->e1);
    *phi2 = angle_of(m, zeta, s->e2);
    return OV_OK;
}
