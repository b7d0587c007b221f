/**
 * @file support.c
 * @brief Support function of the smooth family: closed forms without taper.
 *
 * The support function is the gauge of the polar body, whose exponents are the dual ones:
 * h(n) = N_q2(N_q1(a1 n1, a2 n2), a3 n3), and the support point is its gradient. That is [Thesis,
 * eq. 9] without the angles, and without their division by small cosines.
 */
#include "shape_internal.h"

static ov_support ellipsoid_support(const ov_shape *s, ov_vec3 n) {
    ov_vec3 u = ov_vec3_mul(s->a, n);
    ov_support out;
    out.value = sqrt(ov_vec3_dot(u, u));
    out.point = ov_vec3_scale(ov_vec3_mul(s->a, u), 1.0 / out.value);
    return out;
}

static ov_support superellipsoid_support(const ov_shape *s, ov_vec3 n) {
    ov_vec3 u = ov_vec3_mul(s->a, n);
    ovi_norm2_parts in = ovi_norm2_split(u.x, u.y, ovi_dual1(s));
    ovi_norm2 m = ovi_norm2_gradient(u.x, u.y, &in);
    ovi_norm2_parts out = ovi_norm2_split(m.value, u.z, ovi_dual2(s));
    ovi_norm2 h = ovi_norm2_gradient(m.value, u.z, &out);
    return (ov_support){
        .value = h.value,
        .point = {s->a.x * h.du * m.du, s->a.y * h.du * m.dv, s->a.z * h.dv},
    };
}

ov_support ovi_family_support(const ov_shape *s, ov_vec3 n) {
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
        return ellipsoid_support(s, n);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return superellipsoid_support(s, n);
    default:
        return ovi_tapered_support(s, n);
    }
}
