/* Included by surface.h once for each width of vectors: OVI_NUM is the type, OVI_NAME(x) names. */

/** Semi-axes and tapers, and what the covector needs of them, up to a common factor. */
typedef struct OVI_NAME(ovi_form) {
    OVI_NUM a1, a2, a3, tx, ty;
    OVI_NUM r1, r2, r3; // a1, a2, a1 a2/a3
} OVI_NAME(ovi_form);

/** A section's and a profile's point, as curves of their own. */
typedef struct OVI_NAME(ovi_curve) {
    OVI_NUM u, v, gu, gv;     // position and covector
    OVI_NUM du, dv, dgu, dgv; // by the angle
    OVI_NUM u_c, gu_c;        // u and gu over the ray's first component
} OVI_NAME(ovi_curve);

typedef struct OVI_NAME(ovi_triple) {
    OVI_NUM x, y, z;
} OVI_NAME(ovi_triple);

/** Point and covector of a body in its frame, and both by the two parameters; p1 has no z. The
 *  covector is the normal times a positive number, which differs from place to place. */
typedef struct OVI_NAME(ovi_spot) {
    OVI_NAME(ovi_triple) p, m, p2, m1, m2;
    OVI_NUM p1x, p1y;
} OVI_NAME(ovi_spot);

OVI_INLINE OVI_NUM OVI_NAME(ovi_dot)(OVI_NAME(ovi_triple) a, OVI_NAME(ovi_triple) b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

OVI_INLINE OVI_NAME(ovi_triple) OVI_NAME(ovi_times)(OVI_NAME(ovi_triple) a, OVI_NUM s) {
    return (OVI_NAME(ovi_triple)){a.x * s, a.y * s, a.z * s};
}

/** The surface of a section `s` and a profile `k`: see the head of surface.h. */
OVI_INLINE OVI_NAME(ovi_spot)
    OVI_NAME(ovi_spot_at)(const OVI_NAME(ovi_form) * f, const OVI_NAME(ovi_curve) * s,
                          const OVI_NAME(ovi_curve) * k) {
    OVI_NUM tx = f->tx, ty = f->ty, f1 = 1.0 + tx * k->v, f2 = 1.0 + ty * k->v;
    OVI_NUM w = k->u, gw = k->gu, dz = k->dv, b1 = f->a1 * f1, b2 = f->a2 * f2;
    OVI_NAME(ovi_spot) o;
    o.p = (OVI_NAME(ovi_triple)){b1 * w * s->u, b2 * w * s->v, f->a3 * k->v};
    o.p1x = b1 * k->u_c * s->du;
    o.p1y = b2 * k->u_c * s->dv;
    OVI_NUM dw1 = tx * dz * w + f1 * k->du, dw2 = ty * dz * w + f2 * k->du; // of f1 w, f2 w
    o.p2 = (OVI_NAME(ovi_triple)){f->a1 * s->u * dw1, f->a2 * s->v * dw2, f->a3 * dz};
    OVI_NUM g1 = f->r1 * f1, g2 = f->r2 * f2, f12 = f1 * f2, skew = tx - ty;
    OVI_NUM l = ty * f1 + skew * (s->gu * s->u), gww = gw * w;
    o.m = (OVI_NAME(ovi_triple)){g2 * gw * s->gu, g1 * gw * s->gv, f->r3 * (k->gv * f12 - gww * l)};
    OVI_NUM l1 = skew * (s->dgu * s->u + s->gu * s->du);
    o.m1 = (OVI_NAME(ovi_triple)){g2 * k->gu_c * s->dgu, g1 * k->gu_c * s->dgv,
                                  -f->r3 * (k->gu_c * w * l1)};
    OVI_NUM d12 = dz * (tx * f2 + ty * f1), dgww = k->dgu * w + gw * k->du;
    o.m2 = (OVI_NAME(ovi_triple)){
        f->r2 * s->gu * (f2 * k->dgu + gw * ty * dz), f->r1 * s->gv * (f1 * k->dgu + gw * tx * dz),
        f->r3 * (k->dgv * f12 + k->gv * d12 - dgww * l - gww * (tx * ty * dz))};
    return o;
}

/** The same for ellipsoids, from the place itself: with u1 = r c, u2 = r s, all is closed. */
OVI_INLINE OVI_NAME(ovi_spot)
    OVI_NAME(ovi_ellipsoid_at)(const OVI_NAME(ovi_form) * f, const OVI_NAME(ovi_triple) * u,
                               OVI_NUM r) {
    OVI_NUM one = 0.0 * r + 1.0, inverse = 1.0 / OVI_WHERE(r > 1e-140, r, one);
    OVI_NUM c = OVI_WHERE(r > 1e-140, u->x * inverse, one), s = u->y * inverse;
    OVI_NUM unit = 1.0 / OVI_SQRT(u->x * u->x + u->y * u->y + u->z * u->z);
    OVI_NUM x = u->x * unit, y = u->y * unit, z = u->z * unit, w = r * unit;
    OVI_NUM cx = c * unit, cy = s * unit, zx = z * c, zy = z * s;
    return (OVI_NAME(ovi_spot)){.p = {f->a1 * x, f->a2 * y, f->a3 * z},
                                .m = {f->r2 * x, f->r1 * y, f->r3 * z},
                                .p1x = -f->a1 * cy,
                                .p1y = f->a2 * cx,
                                .p2 = {-f->a1 * zx, -f->a2 * zy, f->a3 * w},
                                .m1 = {-f->r2 * cy, f->r1 * cx, 0.0 * w},
                                .m2 = {-f->r2 * zx, -f->r1 * zy, f->r3 * w}};
}

#ifdef OVI_OF
OVI_INLINE OVI_NUM OVI_NAME(ovi_limit_step)(OVI_NUM d) {
    d = OVI_WHERE(d > OVI_WALK_STRIDE, OVI_OF(OVI_WALK_STRIDE), d);
    return OVI_WHERE(d < -OVI_WALK_STRIDE, OVI_OF(-OVI_WALK_STRIDE), d);
}

/** u moved by d1 about the axis and d2 towards the pole, over the pole if need be. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_moved)(const OVI_NAME(ovi_triple) * u, OVI_NUM r, OVI_NUM d1, OVI_NUM d2) {
    OVI_NUM inverse = 1.0 / OVI_WHERE(r > 1e-140, r, OVI_OF(1.0));
    OVI_NUM c = OVI_WHERE(r > 1e-140, u->x * inverse, OVI_OF(1.0)), s = u->y * inverse;
    OVI_NUM radial = r - d2 * u->z;
    OVI_NAME(ovi_triple) v = {radial * c - d1 * s, radial * s + d1 * c, u->z + d2 * r};
    // u is not quite a unit vector, and need not be; |v|^2 is known before v
    OVI_NUM square = (r * r + u->z * u->z) * (1.0 + d2 * d2) + d1 * d1;
    return OVI_NAME(ovi_times)(v, 1.5 - 0.5 * square);
}
#endif

#include "newton_lanes.h"
