/* Included by surface.h once for each width of vectors: OVI_NUM is the type, OVI_NAME(x) names. */

/** Semi-axes and tapers. */
typedef struct OVI_NAME(ovi_form) {
    OVI_NUM a1, a2, a3, tx, ty;
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

/** Point, unit normal, and both by the two parameters; normals' derivatives before projection. */
typedef struct OVI_NAME(ovi_spot) {
    OVI_NAME(ovi_triple) p, n, p1, p2, n1, n2;
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
    OVI_NUM f1 = 1.0 + f->tx * k->v, f2 = 1.0 + f->ty * k->v;
    OVI_NUM b1 = f->a1 * f1, b2 = f->a2 * f2;                    // the section's semi-axes
    OVI_NUM i12 = 1.0 / (b1 * b2), i1 = b2 * i12, i2 = b1 * i12; // one division for both
    OVI_NUM i3 = 1.0 / f->a3, w = k->u, gw = k->gu;
    OVI_NUM alpha = f->tx * f->a1 * i1, beta = f->ty * f->a2 * i2;
    OVI_NUM lx = s->gu * s->u * alpha, ly = s->gv * s->v * beta, l = lx + ly;
    OVI_NUM l1 = (s->dgu * s->u + s->gu * s->du) * alpha + (s->dgv * s->v + s->gv * s->dv) * beta;
    OVI_NAME(ovi_spot) o;
    o.p = (OVI_NAME(ovi_triple)){b1 * w * s->u, b2 * w * s->v, f->a3 * k->v};
    o.p1 = (OVI_NAME(ovi_triple)){b1 * k->u_c * s->du, b2 * k->u_c * s->dv, 0.0 * w};
    OVI_NUM turn1 = f->tx * k->dv * w + f1 * k->du, turn2 = f->ty * k->dv * w + f2 * k->du;
    o.p2 = (OVI_NAME(ovi_triple)){f->a1 * s->u * turn1, f->a2 * s->v * turn2, f->a3 * k->dv};
    OVI_NAME(ovi_triple) m = {gw * s->gu * i1, gw * s->gv * i2, (k->gv - gw * w * l) * i3};
    OVI_NUM length = OVI_SQRT(OVI_NAME(ovi_dot)(m, m)), scale = 1.0 / length;
    OVI_NUM dgw = k->dgu * w + gw * k->du;
    OVI_NAME(ovi_triple)
    m1 = {k->gu_c * s->dgu * i1, k->gu_c * s->dgv * i2, -k->gu_c * w * l1 * i3};
    OVI_NAME(ovi_triple)
    m2 = {(k->dgu - gw * alpha * k->dv) * s->gu * i1, (k->dgu - gw * beta * k->dv) * s->gv * i2,
          (k->dgv - dgw * l + gw * w * (lx * alpha + ly * beta) * k->dv) * i3};
    o.n = OVI_NAME(ovi_times)(m, scale);
    o.n1 = OVI_NAME(ovi_times)(m1, scale);
    o.n2 = OVI_NAME(ovi_times)(m2, scale);
    return o;
}

/** The same for ellipsoids: circles, and no taper. */
OVI_INLINE OVI_NAME(ovi_spot)
    OVI_NAME(ovi_ellipsoid_at)(const OVI_NAME(ovi_form) * f, const OVI_NAME(ovi_curve) * s,
                               const OVI_NAME(ovi_curve) * k) {
    typedef OVI_NAME(ovi_triple) triple;
    OVI_NUM i12 = 1.0 / (f->a1 * f->a2), i1 = f->a2 * i12, i2 = f->a1 * i12, i3 = 1.0 / f->a3;
    OVI_NUM x = s->u, y = s->v, w = k->u, z = k->v;
    OVI_NUM wx = w * x, wy = w * y, zx = z * x, zy = z * y, cx = k->u_c * x, cy = k->u_c * y;
    triple m = {wx * i1, wy * i2, z * i3};
    OVI_NUM none = 0.0 * w;
    OVI_NUM scale = 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(m, m));
    OVI_NUM j1 = i1 * scale, j2 = i2 * scale, j3 = i3 * scale;
    return (OVI_NAME(ovi_spot)){
        {f->a1 * wx, f->a2 * wy, f->a3 * z}, {wx * j1, wy * j2, z * j3},
        {-f->a1 * cy, f->a2 * cx, none},     {-f->a1 * zx, -f->a2 * zy, f->a3 * w},
        {-cy * j1, cx * j2, none},           {-zx * j1, -zy * j2, w * j3}};
}

#ifdef OVI_SELECT
OVI_INLINE OVI_NUM OVI_NAME(ovi_limit_step)(OVI_NUM d) {
    d = OVI_SELECT(d > OVI_WALK_STRIDE, OVI_OF(OVI_WALK_STRIDE), d);
    return OVI_SELECT(d < -OVI_WALK_STRIDE, OVI_OF(-OVI_WALK_STRIDE), d);
}

/** u moved by d1 about the axis and d2 towards the pole, over the pole if need be. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_moved)(const OVI_NAME(ovi_triple) * u, OVI_NUM r, OVI_NUM d1, OVI_NUM d2) {
    OVI_NUM inverse = 1.0 / OVI_SELECT(r > 1e-140, r, OVI_OF(1.0));
    OVI_NUM c = OVI_SELECT(r > 1e-140, u->x * inverse, OVI_OF(1.0)), s = u->y * inverse;
    OVI_NUM radial = r - d2 * u->z;
    OVI_NAME(ovi_triple) v = {radial * c - d1 * s, radial * s + d1 * c, u->z + d2 * r};
    // u is not quite a unit vector, and need not be
    return OVI_NAME(ovi_times)(v, 1.5 - 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z));
}
#endif

#ifdef OVI_ABS
#include "newton_lanes.h"
#endif
