/* Included by superquadric_newton.h once for each width of vectors: the surface of a superquadric,
 * the step of Newton's method on two of them, and the test that ends the iteration.
 */
#include "../math/lane_names.h"

// What counts as nothing: ratios of a ray's components, logarithms of powers, |(u1, u2)| at a pole,
// and the square of a covector's distance from the axis.
#undef OVI_LEAST_RATIO
#undef OVI_LEAST_LOG2
#undef OVI_LEAST_RADIUS
#undef OVI_LEAST_SQUARE
#if defined(OVI_SINGLE)
#define OVI_LEAST_RATIO 1e-30f
#define OVI_LEAST_LOG2 (-120.0f)
#define OVI_LEAST_RADIUS 1e-15f
#define OVI_LEAST_SQUARE 1e-30f
#else
#define OVI_LEAST_RATIO 1e-200
#define OVI_LEAST_LOG2 (-1000.0)
#define OVI_LEAST_RADIUS OVI_POLE_RADIUS
#define OVI_LEAST_SQUARE 1e-280
#endif

/* ---- surface: see the head of superquadric_newton.h */

/** Semi-axes and tapers, and what the covector needs of them, up to a common factor. */
typedef struct OVI_NAME(ovi_form) {
    OVI_NUM a1, a2, a3, tx, ty;
    OVI_NUM r1, r2, r3; // a1, a2, a1 a2/a3
} OVI_NAME(ovi_form);

/** The covector's factors are scaled so that the largest is 1. */
OVI_INLINE OVI_NAME(ovi_form)
    OVI_NAME(ovi_form_of)(OVI_NUM a1, OVI_NUM a2, OVI_NUM a3, OVI_NUM tx, OVI_NUM ty) {
    OVI_NUM third = a1 * a2 / a3, most = OVI_WHERE(a1 > a2, a1, a2);
    OVI_NUM scale = 1.0 / OVI_WHERE(most > third, most, third);
    return (OVI_NAME(ovi_form)){a1, a2, a3, tx, ty, scale * a1, scale * a2, scale * third};
}

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
typedef struct OVI_NAME(ovi_surface) {
    OVI_NAME(ovi_triple) p, m, p2, m1, m2;
    OVI_NUM p1x, p1y;
} OVI_NAME(ovi_surface);

OVI_INLINE OVI_NUM OVI_NAME(ovi_dot)(OVI_NAME(ovi_triple) a, OVI_NAME(ovi_triple) b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

OVI_INLINE OVI_NAME(ovi_triple) OVI_NAME(ovi_times)(OVI_NAME(ovi_triple) a, OVI_NUM s) {
    return (OVI_NAME(ovi_triple)){a.x * s, a.y * s, a.z * s};
}

/** The product of a matrix, given by its rows, and a vector. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_turn)(const OVI_NAME(ovi_triple) m[3], OVI_NAME(ovi_triple) v) {
    return (OVI_NAME(ovi_triple)){OVI_NAME(ovi_dot)(m[0], v), OVI_NAME(ovi_dot)(m[1], v),
                                  OVI_NAME(ovi_dot)(m[2], v)};
}

/** … and that of its transpose. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_turn_back)(const OVI_NAME(ovi_triple) m[3], OVI_NAME(ovi_triple) v) {
    return (OVI_NAME(ovi_triple)){m[0].x * v.x + m[1].x * v.y + m[2].x * v.z,
                                  m[0].y * v.x + m[1].y * v.y + m[2].y * v.z,
                                  m[0].z * v.x + m[1].z * v.y + m[2].z * v.z};
}

#ifdef OVI_LANES

/** How curves are parametrised: by position or by normal, and the exponent of that norm. */
typedef struct OVI_NAME(ovi_parametrisation) {
    OVI_NUM minus_1;         // p - 1
    OVI_NUM inverse_minus_1; // 1/p - 1
    OVI_MASK by_position;
} OVI_NAME(ovi_parametrisation);

#if !defined(OVI_CURVES) // a file may have its own
#define OVI_CURVES OVI_SHARED
#endif

/** Curves at rays of any length. */
OVI_CURVES OVI_NAME(ovi_curve)
    OVI_NAME(ovi_curves_at)(OVI_NUM c, OVI_NUM s, const OVI_NAME(ovi_parametrisation) * by) {
    OVI_NUM ac = OVI_LANES(abs)(c), as = OVI_LANES(abs)(s);
    OVI_MASK swapped = as > ac;
    OVI_NUM big = OVI_WHERE(swapped, as, ac), small = OVI_WHERE(swapped, ac, as);
    OVI_NUM inverse_big = 1.0 / big, ratio = small * inverse_big;
    ratio = OVI_WHERE(ratio > OVI_LEAST_RATIO, ratio, OVI_OF(OVI_LEAST_RATIO));
    OVI_NUM y = by->minus_1 * OVI_LANES(log2)(ratio);
    OVI_MASK seen = y > OVI_LEAST_LOG2; // a power that is less counts as zero
    OVI_NUM power = OVI_LANES(exp2)(OVI_WHERE(seen, y, OVI_OF(OVI_LEAST_LOG2)));
    power = OVI_WHERE(seen, power, OVI_OF(0.0));
    OVI_NUM t = ratio * power, t1 = 1.0 + t;
    OVI_NUM grad_big = OVI_LANES(root)(t1, by->inverse_minus_1);
    // the norm is big t1 W, its gradient (W, power W), its second derivatives as in p_norm.h
    OVI_NUM grad_small = power * grad_big, inverse_norm = 1.0 / (t1 * grad_big);
    OVI_NUM inverse_t1 = grad_big * inverse_norm;
    OVI_NUM steep = power * (1.0 / ratio), k = by->minus_1 * grad_big * inverse_big * inverse_t1;
    OVI_NUM big_big = k * t, small_small = k * steep, mixed = -k * power;
    OVI_NUM gu = OVI_LANES(copysign)(OVI_WHERE(swapped, grad_small, grad_big), c);
    OVI_NUM gv = OVI_LANES(copysign)(OVI_WHERE(swapped, grad_big, grad_small), s);
    OVI_NUM huu = OVI_WHERE(swapped, small_small, big_big);
    OVI_NUM hvv = OVI_WHERE(swapped, big_big, small_small);
    OVI_NUM huv = OVI_LANES(copysign)(mixed, mixed * c * s); // mixed has the sign of -c s
    OVI_NUM slope = gv * c - gu * s;
    OVI_NUM inverse = inverse_big * inverse_norm, pu = c * inverse, pv = s * inverse;
    OVI_NUM dpu = -(s + pu * slope) * inverse, dpv = (c - pv * slope) * inverse;
    OVI_NUM dgu = huv * c - huu * s, dgv = hvv * c - huv * s;
    OVI_NUM gu_c = inverse_big * grad_big * OVI_WHERE(swapped, steep, OVI_OF(1.0));
    OVI_MASK m = by->by_position;
    return (OVI_NAME(ovi_curve)){OVI_WHERE(m, pu, gu),        OVI_WHERE(m, pv, gv),
                                 OVI_WHERE(m, gu, pu),        OVI_WHERE(m, gv, pv),
                                 OVI_WHERE(m, dpu, dgu),      OVI_WHERE(m, dpv, dgv),
                                 OVI_WHERE(m, dgu, dpu),      OVI_WHERE(m, dgv, dpv),
                                 OVI_WHERE(m, inverse, gu_c), OVI_WHERE(m, gu_c, inverse)};
}

#endif

/** The surface of a section `s` and a profile `k`. */
OVI_INLINE OVI_NAME(ovi_surface)
    OVI_NAME(ovi_surface_at)(const OVI_NAME(ovi_form) * f, const OVI_NAME(ovi_curve) * s,
                             const OVI_NAME(ovi_curve) * k) {
    OVI_NUM tx = f->tx, ty = f->ty, f1 = 1.0 + tx * k->v, f2 = 1.0 + ty * k->v;
    OVI_NUM w = k->u, gw = k->gu, dz = k->dv, b1 = f->a1 * f1, b2 = f->a2 * f2;
    OVI_NAME(ovi_surface) o;
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
OVI_INLINE OVI_NAME(ovi_surface)
    OVI_NAME(ovi_ellipsoid_at)(const OVI_NAME(ovi_form) * f, const OVI_NAME(ovi_triple) * u,
                               OVI_NUM r) {
    OVI_NUM one = 0.0 * r + 1.0, inverse = 1.0 / OVI_WHERE(r > OVI_LEAST_RADIUS, r, one);
    OVI_NUM c = OVI_WHERE(r > OVI_LEAST_RADIUS, u->x * inverse, one), s = u->y * inverse;
    OVI_NUM unit = 1.0 / OVI_SQRT(u->x * u->x + u->y * u->y + u->z * u->z);
    OVI_NUM x = u->x * unit, y = u->y * unit, z = u->z * unit, w = r * unit;
    OVI_NUM cx = c * unit, cy = s * unit, zx = z * c, zy = z * s;
    return (OVI_NAME(ovi_surface)){.p = {f->a1 * x, f->a2 * y, f->a3 * z},
                                   .m = {f->r2 * x, f->r1 * y, f->r3 * z},
                                   .p1x = -f->a1 * cy,
                                   .p1y = f->a2 * cx,
                                   .p2 = {-f->a1 * zx, -f->a2 * zy, f->a3 * w},
                                   .m1 = {-f->r2 * cy, f->r1 * cx, 0.0 * w},
                                   .m2 = {-f->r2 * zx, -f->r1 * zy, f->r3 * w}};
}

/** |(u1, u2)| of a place. */
OVI_INLINE OVI_NUM OVI_NAME(ovi_radius)(const OVI_NAME(ovi_triple) * u) {
    return OVI_SQRT(u->x * u->x + u->y * u->y);
}

OVI_INLINE OVI_NUM OVI_NAME(ovi_limit_step)(OVI_NUM d) {
    d = OVI_WHERE(d > OVI_NEWTON_STEP_MAX, OVI_OF(OVI_NEWTON_STEP_MAX), d);
    return OVI_WHERE(d < -OVI_NEWTON_STEP_MAX, OVI_OF(-OVI_NEWTON_STEP_MAX), d);
}

/** u moved by d1 about the axis and d2 towards the pole, over the pole if need be. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_moved)(const OVI_NAME(ovi_triple) * u, OVI_NUM r, OVI_NUM d1, OVI_NUM d2) {
    OVI_NUM inverse = 1.0 / OVI_WHERE(r > OVI_LEAST_RADIUS, r, OVI_OF(1.0));
    OVI_NUM c = OVI_WHERE(r > OVI_LEAST_RADIUS, u->x * inverse, OVI_OF(1.0)), s = u->y * inverse;
    OVI_NUM radial = r - d2 * u->z;
    OVI_NAME(ovi_triple) v = {radial * c - d1 * s, radial * s + d1 * c, u->z + d2 * r};
    // u is not quite a unit vector, and need not be; |v|^2 is known before v
    OVI_NUM square = (r * r + u->z * u->z) * (1.0 + d2 * d2) + d1 * d1;
    return OVI_NAME(ovi_times)(v, 1.5 - 0.5 * square);
}

/* ---- where to start */

/**
 * A first guess of the normal. With the semi-axes of both bodies as those of ellipsoids A and B, d
 * the line of centres, a = |A d| and b = |B d|, the ellipsoid of the matrix
 * (a + b) (A^2/a + B^2/b) holds their sum, and closely so along d. Where the nearest point of an
 * ellipsoid M to d is, the normal is along (M + t)^-1 d, t being the radius times the gap. Both
 * times a b/(a + b):
 *
 *     (b A^2 + a B^2 + a b max(0, 1 - (a + b)/d.d))^-1 d
 *
 * The result has any length.
 */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_first_normal)(OVI_NAME(ovi_triple) sa, OVI_NAME(ovi_triple) sb,
                               const OVI_NAME(ovi_triple) turn[3], OVI_NAME(ovi_triple) offset,
                               OVI_NUM inverse_size) {
    OVI_NAME(ovi_triple) d = OVI_NAME(ovi_times)(offset, inverse_size);
    OVI_NAME(ovi_triple) e = OVI_NAME(ovi_turn_back)(turn, d);
    sa = OVI_NAME(ovi_times)(sa, inverse_size);
    sb = OVI_NAME(ovi_times)(sb, inverse_size);
    OVI_NAME(ovi_triple) ad = {sa.x * d.x, sa.y * d.y, sa.z * d.z};
    OVI_NAME(ovi_triple) be = {sb.x * e.x, sb.y * e.y, sb.z * e.z};
    OVI_NUM a = OVI_SQRT(OVI_NAME(ovi_dot)(ad, ad)), b = OVI_SQRT(OVI_NAME(ovi_dot)(be, be));
    OVI_NUM room = 1.0 - (a + b) / OVI_NAME(ovi_dot)(d, d);
    OVI_NUM t = a * b * OVI_WHERE(room > 0.0, room, OVI_OF(0.0));
    // the matrix, by the columns of the turn
    OVI_NUM kx = a * sb.x * sb.x, ky = a * sb.y * sb.y, kz = a * sb.z * sb.z;
    const OVI_NAME(ovi_triple) *r = turn;
    OVI_NAME(ovi_triple) r0 = {kx * r[0].x, ky * r[0].y, kz * r[0].z};
    OVI_NAME(ovi_triple) r1 = {kx * r[1].x, ky * r[1].y, kz * r[1].z};
    OVI_NUM mxx = b * sa.x * sa.x + t + OVI_NAME(ovi_dot)(r0, r[0]);
    OVI_NUM myy = b * sa.y * sa.y + t + OVI_NAME(ovi_dot)(r1, r[1]);
    OVI_NUM mzz =
        b * sa.z * sa.z + t + (kx * r[2].x * r[2].x + ky * r[2].y * r[2].y) + kz * r[2].z * r[2].z;
    OVI_NUM mxy = OVI_NAME(ovi_dot)(r0, r[1]), mxz = OVI_NAME(ovi_dot)(r0, r[2]);
    OVI_NUM myz = OVI_NAME(ovi_dot)(r1, r[2]);
    // its adjugate
    OVI_NUM xx = myy * mzz - myz * myz, yy = mxx * mzz - mxz * mxz, zz = mxx * myy - mxy * mxy;
    OVI_NUM xy = mxz * myz - mxy * mzz, xz = mxy * myz - mxz * myy, yz = mxy * mxz - mxx * myz;
    return (OVI_NAME(ovi_triple)){xx * d.x + xy * d.y + xz * d.z, xy * d.x + yy * d.y + yz * d.z,
                                  xz * d.x + yz * d.y + zz * d.z};
}

/** Between the sum (e = 0), the root (1) and the maximum (2) of two numbers: a norm, roughly. */
OVI_INLINE OVI_NUM OVI_NAME(ovi_blend_norm)(OVI_NUM x, OVI_NUM y, OVI_NUM e) {
    x = OVI_WHERE(x < 0.0, -x, x);
    y = OVI_WHERE(y < 0.0, -y, y);
    OVI_NUM root = OVI_SQRT(x * x + y * y), most = OVI_WHERE(x > y, x, y);
    return root + (1.0 - e) * OVI_WHERE(e <= 1.0, x + y - root, root - most);
}

/** The covectors of section and profile that a normal in the body's frame has, nearly. */
typedef struct OVI_NAME(ovi_heading) {
    OVI_NUM x, y; // of the section
    OVI_NUM m, z; // of the profile
} OVI_NAME(ovi_heading);

/** The section's norm only sets the proportion of width and height. */
OVI_INLINE OVI_NAME(ovi_heading)
    OVI_NAME(ovi_heading_of)(const OVI_NAME(ovi_form) * f, OVI_NUM e1, OVI_NAME(ovi_triple) n) {
    OVI_NUM x = f->a1 * n.x, y = f->a2 * n.y, m = OVI_NAME(ovi_blend_norm)(x, y, e1);
    // a section that grows with the height leans outwards: by its share of both tapers, roughly
    OVI_NUM xx = x * x, yy = y * y, all = xx + yy;
    all = OVI_WHERE(all > 0.0, all, OVI_OF(1.0));
    return (OVI_NAME(ovi_heading)){x, y, m, f->a3 * n.z + m * ((f->tx * xx + f->ty * yy) / all)};
}

/** The place of an ellipsoid with a normal, exactly. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_ellipsoid_along)(const OVI_NAME(ovi_form) * f, OVI_NAME(ovi_triple) n) {
    OVI_NAME(ovi_triple) u = {f->a1 * n.x, f->a2 * n.y, f->a3 * n.z};
    return OVI_NAME(ovi_times)(u, 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(u, u)));
}

#ifdef OVI_LANES

/** A unit ray. */
typedef struct OVI_NAME(ovi_ray) {
    OVI_NUM c, s;
} OVI_NAME(ovi_ray);

/** The ray of a curve with a covector: by the normal it is the covector, by the position its
 *  components to the power q - 1. */
OVI_INLINE OVI_NAME(ovi_ray)
    OVI_NAME(ovi_ray_of)(OVI_NUM c, OVI_NUM s, const OVI_NAME(ovi_parametrisation) * by) {
    OVI_NUM ac = OVI_LANES(abs)(c), as = OVI_LANES(abs)(s);
    OVI_MASK swapped = as > ac;
    OVI_NUM ratio = OVI_WHERE(swapped, ac, as) / OVI_WHERE(swapped, as, ac);
    ratio = OVI_WHERE(ratio > OVI_LEAST_RATIO, ratio, OVI_OF(OVI_LEAST_RATIO));
    // (p - 1)(q - 1) = 1
    OVI_NUM power = OVI_WHERE(by->by_position, 1.0 / by->minus_1, OVI_OF(1.0));
    OVI_NUM raised = OVI_LANES(exp2)(power * OVI_LANES(log2)(ratio));
    OVI_NUM rc = OVI_LANES(copysign)(OVI_WHERE(swapped, raised, OVI_OF(1.0)), c);
    OVI_NUM rs = OVI_LANES(copysign)(OVI_WHERE(swapped, OVI_OF(1.0), raised), s);
    OVI_NUM unit = 1.0 / OVI_SQRT(rc * rc + rs * rs);
    return (OVI_NAME(ovi_ray)){rc * unit, rs * unit};
}

/** The place of a heading. */
OVI_INLINE OVI_NAME(ovi_triple)
    OVI_NAME(ovi_place_along)(const OVI_NAME(ovi_heading) * h,
                              const OVI_NAME(ovi_parametrisation) * section,
                              const OVI_NAME(ovi_parametrisation) * profile) {
    OVI_NAME(ovi_ray) s = OVI_NAME(ovi_ray_of)(h->x, h->y, section);
    OVI_NAME(ovi_ray) k = OVI_NAME(ovi_ray_of)(h->m, h->z, profile);
    return (OVI_NAME(ovi_triple)){s.c * k.c, s.s * k.c, k.s};
}

/** About as long as a unit vector, and no NaN: a place, or a normal. */
OVI_INLINE OVI_MASK OVI_NAME(ovi_are_directions)(OVI_NAME(ovi_triple) v) {
    OVI_NUM square = OVI_NAME(ovi_dot)(v, v);
    return (square > 0.5) & (square < 2.0);
}

#endif

/* ---- the step of Newton's method on the contact conditions
 *
 * 1. With P = pB - pA, m the covectors and T two tangents of A's, the points are those of a contact
 *    where P is along the normals and the normals are opposed: T.P = 0 and T.mB = 0.
 * 2. Moves x of A's parameters and y of B's change P by dpB y - dpA x and mB by dmB y. T moves with
 *    mA: what it does to a vector along mA follows from T.mA = 0, what it does across it is left
 *    out, being of second order. With g = -mA.mB, h = mA.P, k = mA.mA:
 *
 *        P is normal:         -g T.dpA x + (g T.dpB + h T.dmB) y = -g T.P - h T.mB
 *        normals are opposed:  g T.dmA x +              k T.dmB y = -k T.mB
 *
 *    The first pair has been freed of dmA by adding a multiple of the second.
 * 3. Nothing needs unit vectors, so no root and no division stands between the surfaces and the
 *    step but the last one. The four equations are solved by Laplace's expansion along row pairs:
 *    no pivoting, no branch.
 */

/** The four equations: coefficients of x1, x2, y1, y2, and the right side. */
typedef struct OVI_NAME(ovi_rows) {
    OVI_NUM c00, c01, c02, c03, c10, c11, c12, c13, c20, c21, c22, c23, c30, c31, c32, c33;
    OVI_NUM r0, r1, r2, r3;
} OVI_NAME(ovi_rows);

typedef struct OVI_NAME(ovi_step) {
    OVI_NUM x1, x2, y1, y2, determinant;
} OVI_NAME(ovi_step);

OVI_INLINE OVI_NAME(ovi_step) OVI_NAME(ovi_solve)(const OVI_NAME(ovi_rows) * c) {
    OVI_NAME(ovi_step) o;
    // minors of the first two rows, of the last two, and of each with the right side
    OVI_NUM s01 = c->c00 * c->c11 - c->c01 * c->c10, s02 = c->c00 * c->c12 - c->c02 * c->c10;
    OVI_NUM s03 = c->c00 * c->c13 - c->c03 * c->c10, s12 = c->c01 * c->c12 - c->c02 * c->c11;
    OVI_NUM s13 = c->c01 * c->c13 - c->c03 * c->c11, s23 = c->c02 * c->c13 - c->c03 * c->c12;
    OVI_NUM m01 = c->c20 * c->c31 - c->c21 * c->c30, m02 = c->c20 * c->c32 - c->c22 * c->c30;
    OVI_NUM m03 = c->c20 * c->c33 - c->c23 * c->c30, m12 = c->c21 * c->c32 - c->c22 * c->c31;
    OVI_NUM m13 = c->c21 * c->c33 - c->c23 * c->c31, m23 = c->c22 * c->c33 - c->c23 * c->c32;
    OVI_NUM a0 = c->r0 * c->c10 - c->r1 * c->c00, a1 = c->r0 * c->c11 - c->r1 * c->c01;
    OVI_NUM a2 = c->r0 * c->c12 - c->r1 * c->c02, a3 = c->r0 * c->c13 - c->r1 * c->c03;
    OVI_NUM b0 = c->r2 * c->c30 - c->r3 * c->c20, b1 = c->r2 * c->c31 - c->r3 * c->c21;
    OVI_NUM b2 = c->r2 * c->c32 - c->r3 * c->c22, b3 = c->r2 * c->c33 - c->r3 * c->c23;
    o.determinant = (s01 * m23 - s02 * m13 + s03 * m12) + (s12 * m03 - s13 * m02 + s23 * m01);
    OVI_NUM d = 1.0 / o.determinant;
    o.x1 = d * ((a1 * m23 - a2 * m13 + a3 * m12) + (s12 * b3 - s13 * b2 + s23 * b1));
    o.x2 = d * ((a2 * m03 - a0 * m23 - a3 * m02) + (s03 * b2 - s02 * b3 - s23 * b0));
    o.y1 = d * ((a0 * m13 - a1 * m03 + a3 * m01) + (s01 * b3 - s03 * b1 + s13 * b0));
    o.y2 = d * ((a1 * m02 - a0 * m12 - a2 * m01) + (s02 * b1 - s01 * b2 - s12 * b0));
    return o;
}

/** Products of the two tangents with a body's derivatives, in its frame. */
typedef struct OVI_NAME(ovi_slopes) {
    OVI_NUM tp1, tp2, up1, up2, tm1, tm2, um1, um2;
} OVI_NAME(ovi_slopes);

OVI_INLINE OVI_NAME(ovi_slopes)
    OVI_NAME(ovi_slopes_of)(const OVI_NAME(ovi_surface) * s, OVI_NAME(ovi_triple) t,
                            OVI_NAME(ovi_triple) u) {
    return (OVI_NAME(ovi_slopes)){t.x * s->p1x + t.y * s->p1y, OVI_NAME(ovi_dot)(t, s->p2),
                                  u.x * s->p1x + u.y * s->p1y, OVI_NAME(ovi_dot)(u, s->p2),
                                  OVI_NAME(ovi_dot)(t, s->m1), OVI_NAME(ovi_dot)(t, s->m2),
                                  OVI_NAME(ovi_dot)(u, s->m1), OVI_NAME(ovi_dot)(u, s->m2)};
}

/** Two surfaces against each other, in A's frame. */
typedef struct OVI_NAME(ovi_facing) {
    OVI_NAME(ovi_triple) p;  // from A's point to B's
    OVI_NAME(ovi_triple) ma; // covectors
    OVI_NAME(ovi_triple) mb;
} OVI_NAME(ovi_facing);

/** Two tangents of A's covector: across the axis, with no z, and up. On the axis itself, any. */
typedef struct OVI_NAME(ovi_tangents) {
    OVI_NUM tx, ty;
    OVI_NAME(ovi_triple) u;
} OVI_NAME(ovi_tangents);

OVI_INLINE OVI_NAME(ovi_tangents) OVI_NAME(ovi_tangents_of)(OVI_NAME(ovi_triple) m) {
    OVI_NUM q = m.x * m.x + m.y * m.y, x = OVI_WHERE(q > OVI_LEAST_SQUARE, m.x, q * 0.0 + 1.0);
    return (OVI_NAME(ovi_tangents)){-m.y, x, {-x * m.z, -m.y * m.z, q}};
}

OVI_INLINE OVI_NAME(ovi_rows)
    OVI_NAME(ovi_rows_of)(const OVI_NAME(ovi_facing) * f, const OVI_NAME(ovi_tangents) * e,
                          const OVI_NAME(ovi_slopes) * a, const OVI_NAME(ovi_slopes) * b,
                          OVI_NUM inverse_size) {
    OVI_NUM g = -OVI_NAME(ovi_dot)(f->ma, f->mb), k = OVI_NAME(ovi_dot)(f->ma, f->ma);
    OVI_NUM h = OVI_NAME(ovi_dot)(f->ma, f->p) * inverse_size, gi = g * inverse_size;
    OVI_NUM tp = e->tx * f->p.x + e->ty * f->p.y, up = OVI_NAME(ovi_dot)(e->u, f->p);
    OVI_NUM tm = e->tx * f->mb.x + e->ty * f->mb.y, um = OVI_NAME(ovi_dot)(e->u, f->mb);
    return (OVI_NAME(ovi_rows)){.c00 = -gi * a->tp1,
                                .c01 = -gi * a->tp2,
                                .c02 = gi * b->tp1 + h * b->tm1,
                                .c03 = gi * b->tp2 + h * b->tm2,
                                .c10 = -gi * a->up1,
                                .c11 = -gi * a->up2,
                                .c12 = gi * b->up1 + h * b->um1,
                                .c13 = gi * b->up2 + h * b->um2,
                                .c20 = g * a->tm1,
                                .c21 = g * a->tm2,
                                .c22 = k * b->tm1,
                                .c23 = k * b->tm2,
                                .c30 = g * a->um1,
                                .c31 = g * a->um2,
                                .c32 = k * b->um1,
                                .c33 = k * b->um2,
                                .r0 = -(gi * tp + h * tm),
                                .r1 = -(gi * up + h * um),
                                .r2 = -k * tm,
                                .r3 = -k * um};
}

#ifndef OVI_SINGLE

/* ---- the end of the iteration */

/** What is left to reach, and what the bounds need. */
typedef struct OVI_NAME(ovi_residual) {
    OVI_NAME(ovi_triple) na, nb; // unit normals
    OVI_NUM phi_a, phi_b;        // heights of B's point over A's tangent plane, and of A's over B's
    OVI_NUM distance;            // of the points
    OVI_NUM mismatch;            // |nA + nB|
} OVI_NAME(ovi_residual);

OVI_INLINE OVI_NAME(ovi_residual) OVI_NAME(ovi_residual_of)(const OVI_NAME(ovi_facing) * f) {
    OVI_NAME(ovi_residual) o;
    o.na = OVI_NAME(ovi_times)(f->ma, 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(f->ma, f->ma)));
    o.nb = OVI_NAME(ovi_times)(f->mb, 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(f->mb, f->mb)));
    OVI_NAME(ovi_triple) sum = {o.na.x + o.nb.x, o.na.y + o.nb.y, o.na.z + o.nb.z};
    o.phi_a = OVI_NAME(ovi_dot)(o.na, f->p);
    o.phi_b = -OVI_NAME(ovi_dot)(o.nb, f->p);
    o.distance = OVI_SQRT(OVI_NAME(ovi_dot)(f->p, f->p));
    o.mismatch = OVI_SQRT(OVI_NAME(ovi_dot)(sum, sum));
    return o;
}

/** |P - phi nA|^2: how far the points are from lying opposite each other. */
OVI_INLINE OVI_NUM OVI_NAME(ovi_lateral_square)(const OVI_NAME(ovi_facing) * f,
                                                const OVI_NAME(ovi_residual) * o) {
    OVI_NAME(ovi_triple)
    d = {f->p.x - o->phi_a * o->na.x, f->p.y - o->phi_a * o->na.y, f->p.z - o->phi_a * o->na.z};
    return OVI_NAME(ovi_dot)(d, d);
}

/** What an iteration is to reach. */
typedef struct OVI_NAME(ovi_goals) {
    OVI_NUM gap;      // the bounds are close when they are no farther apart, before rounding
    OVI_NUM normal;   // the normals are opposed when |nA + nB| is no more
    OVI_NUM lateral;  // the points are opposite when |P - phi nA|^2 is no more
    OVI_NUM diameter; // of the smaller body
    OVI_MASK over_a;  // B is the smaller: bound by A's tangent plane
} OVI_NAME(ovi_goals);

/** Of bodies with balls of these radii; the tolerance is relative to the pair's size. */
OVI_INLINE OVI_NAME(ovi_goals) OVI_NAME(ovi_goals_of)(OVI_NUM ra, OVI_NUM rb, OVI_NUM goal,
                                                      OVI_NUM rounding, OVI_NUM tolerance) {
    OVI_MASK over_a = rb <= ra;
    OVI_NUM smaller = OVI_WHERE(over_a, rb, ra);
    // a hundred tolerances, but where its square would count; of far bodies the offset's rounding
    OVI_NUM lateral = OVI_WHERE(tolerance < 1e-6, 100.0 * tolerance, 0.1 * OVI_SQRT(tolerance));
    lateral = OVI_WHERE(lateral > 1e-7, lateral, OVI_OF(1e-7)) * smaller + 64.0 * rounding;
    // the rounding errors of both bounds are taken off later
    return (OVI_NAME(ovi_goals)){.gap = goal - 2.0 * rounding,
                                 .normal = OVI_WHERE(tolerance > 1e-8, tolerance, OVI_OF(1e-8)),
                                 .lateral = lateral * lateral,
                                 .diameter = 2.0 * smaller,
                                 .over_a = over_a};
}

/** How far an iteration has come. */
typedef struct OVI_NAME(ovi_progress) {
    OVI_NUM phi, lower;       // height over the tangent plane; lower bound of the gap
    OVI_MASK converged, deep; // a contact with close bounds; a stationary depth
} OVI_NAME(ovi_progress);

/**
 * The test that ends an iteration. Normals are opposed and points opposite each other, and
 *
 *     |P| - lower <= gap          the bounds meet, or
 *     phi < -gap/2 and phi - lower <= gap     the points are as far behind each other's planes
 *
 * with lower = phi - |nA + nB| diameter, the tangent plane of one body against the ball of the
 * other (superquadric_newton.c).
 */
OVI_INLINE OVI_NAME(ovi_progress)
    OVI_NAME(ovi_progress_of)(const OVI_NAME(ovi_goals) * g, const OVI_NAME(ovi_residual) * r,
                              OVI_NUM lateral_square) {
    OVI_NAME(ovi_progress) o;
    o.phi = OVI_WHERE(g->over_a, r->phi_a, r->phi_b);
    OVI_NUM slack = r->mismatch * g->diameter;
    o.lower = o.phi - slack;
    OVI_MASK opposite = (r->mismatch <= g->normal) & (lateral_square <= g->lateral);
    o.converged = opposite & (r->distance - o.lower <= g->gap);
    o.deep = opposite & (o.phi < -0.5 * g->gap) & (slack <= g->gap);
    return o;
}

/**
 * May the iteration end here? A test without roots, true where in doubt: the sine of the angle
 * between nA and -nB is no more than |nA + nB|. The margin is for rounding; NaN ends nothing.
 */
OVI_INLINE OVI_MASK OVI_NAME(ovi_may_end)(const OVI_NAME(ovi_goals) * g,
                                          const OVI_NAME(ovi_facing) * f) {
    OVI_NAME(ovi_triple) a = f->ma, b = f->mb;
    OVI_NAME(ovi_triple)
    c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    OVI_NUM both = OVI_NAME(ovi_dot)(a, a) * OVI_NAME(ovi_dot)(b, b);
    return OVI_NAME(ovi_dot)(c, c) <= 4.0 * g->normal * g->normal * both;
}

/* ---- bodies with a dent: is a point with its normal, in the body's frame, the maximum of the
 * hull along it? (superquadric_hull.c) */

/** What is known of dents; masks say where they are. */
typedef struct OVI_NAME(ovi_dented) {
    OVI_MASK none, equator;         // nowhere; about the equator only
    OVI_NUM height, width, slope;   // an ovi_dent_cut, for those about the equator
    OVI_NUM q1_minus_1, q1_inverse; // dual exponent of the section
    OVI_NUM tie;                    // heights along a normal that differ by less are not told apart
} OVI_NAME(ovi_dented);

/**
 * The test without powers, for normals that lean well away from the equator. With T the steeper
 * taper towards the other side, M there grows by T M(0) zeta at most, and falls on the point's side
 * by no more: where A_3 >= T M(0), the other side is below the equator, and phi rises from there to
 * the one maximum of the point's side, which the point is. M(0) is bounded from the point itself:
 * W = w M is what it and its normal show, w >= sqrt(1 - zeta^2) since e2 <= 1, and the sections
 * shrink from the equator by f at most. True is a proof, false is none.
 */
OVI_INLINE OVI_MASK OVI_NAME(ovi_leans_well)(const OVI_NAME(ovi_form) * s,
                                             const OVI_NAME(ovi_dented) * d, OVI_NAME(ovi_triple) p,
                                             OVI_NAME(ovi_triple) n) {
    OVI_NUM side = OVI_WHERE(p.z < 0.0, OVI_OF(-1.0), OVI_OF(1.0));
    OVI_NUM zeta = p.z / s->a3, left = 1.0 - zeta * zeta;
    OVI_NUM f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta, f = OVI_WHERE(f1 < f2, f1, f2);
    OVI_NUM tx = -side * s->tx, ty = -side * s->ty, taper = OVI_WHERE(tx > ty, tx, ty);
    OVI_NUM lean = side * s->a3 * n.z, wide = n.x * p.x + n.y * p.y;
    OVI_MASK inside = left > 1e-3;
    OVI_NUM most = wide / (f * OVI_SQRT(OVI_WHERE(inside, left, OVI_OF(1.0))));
    // the margin is far above the rounding of all this
    OVI_NUM need = 1e-9 * (s->a3 + most) + OVI_WHERE(taper > 0.0, taper, OVI_OF(0.0)) * most;
    return d->none | (d->equator & inside & (lean > need));
}

/**
 * The test by two chords. With M(zeta) the section's support, and the half behind the equator as
 * seen from the point, the chords of M over [-h, 0] and [-1, -h] show that the half is no higher
 * than the equator; and the point is the maximum of its own half, since the profile rises from the
 * equator. `m0`, `mh` and `m1` are M at the equator and, behind it, at h and at the pole. True is a
 * proof, false is none.
 */
OVI_INLINE OVI_MASK OVI_NAME(ovi_chords_fall)(const OVI_NAME(ovi_form) * s,
                                              const OVI_NAME(ovi_dented) * d, OVI_NUM m0,
                                              OVI_NUM mh, OVI_NUM m1, OVI_NAME(ovi_triple) p,
                                              OVI_NAME(ovi_triple) n) {
    OVI_NUM a3 = OVI_WHERE(p.z < 0.0, -s->a3, s->a3) * n.z;
    OVI_NUM at_equator = a3 * d->height + (m0 - mh);
    OVI_NUM at_h = a3 + d->slope * mh + d->width * (mh - m1) / (1.0 - d->height);
    OVI_MASK falls = (at_equator >= d->tie) & (at_h >= d->tie);
    return d->none | (d->equator & falls & (OVI_NAME(ovi_dot)(n, p) >= m0 - d->tie));
}

#ifdef OVI_LANES // but of single precision

/** Norms of pairs of positive numbers. */
OVI_INLINE OVI_NUM OVI_NAME(ovi_norms)(OVI_NUM u, OVI_NUM v, OVI_NUM minus_1, OVI_NUM inverse) {
    OVI_MASK swapped = v > u;
    OVI_NUM big = OVI_WHERE(swapped, v, u), small = OVI_WHERE(swapped, u, v);
    OVI_NUM ratio = small / big;
    ratio = OVI_WHERE(ratio > OVI_LEAST_RATIO, ratio, OVI_OF(OVI_LEAST_RATIO));
    OVI_NUM y = minus_1 * OVI_LANES(log2)(ratio);
    OVI_NUM t1 =
        1.0 + ratio * OVI_LANES(exp2)(OVI_WHERE(y > OVI_LEAST_LOG2, y, OVI_OF(OVI_LEAST_LOG2)));
    return big * t1 * OVI_LANES(root)(t1, inverse - 1.0);
}

#endif

#endif

#ifdef OVI_LANES

/* ---- a pair in each lane */

/** Two bodies in each lane; index 0 is A, 1 is B. */
typedef struct OVI_NAME(ovi_bodies) {
    OVI_NAME(ovi_form) form[2];
    OVI_NAME(ovi_parametrisation) section[2], profile[2];
    OVI_NAME(ovi_triple) turn[3]; // rows of B's rotation to A's frame
    OVI_NAME(ovi_triple) offset;
    OVI_NUM inverse_size;
#ifndef OVI_SINGLE
    OVI_NAME(ovi_goals) goals;
#endif
} OVI_NAME(ovi_bodies);

/** Everything about one step. */
typedef struct OVI_NAME(ovi_stage) {
    OVI_NUM radius_a, radius_b; // |(u1, u2)| of the places
    OVI_NAME(ovi_surface) a, b; // in the bodies' own frames
    OVI_NAME(ovi_facing) facing;
#ifndef OVI_SINGLE
    OVI_NAME(ovi_residual) residual;
    OVI_NUM lateral; // its square
    OVI_NAME(ovi_progress) progress;
#endif
} OVI_NAME(ovi_stage);

OVI_INLINE OVI_NAME(ovi_surface)
    OVI_NAME(ovi_body_at)(const OVI_NAME(ovi_bodies) * l, int body, const OVI_NAME(ovi_triple) * u,
                          OVI_NUM r, bool ellipsoids) {
    if (ellipsoids) {
        return OVI_NAME(ovi_ellipsoid_at)(&l->form[body], u, r);
    }
    OVI_NUM c = OVI_WHERE(r > OVI_LEAST_RADIUS, u->x, OVI_OF(1.0));
    OVI_NAME(ovi_curve) section = OVI_NAME(ovi_curves_at)(c, u->y, &l->section[body]);
    OVI_NAME(ovi_curve) profile = OVI_NAME(ovi_curves_at)(r, u->z, &l->profile[body]);
    return OVI_NAME(ovi_surface_at)(&l->form[body], &section, &profile);
}

/** Both surfaces at two places, as they face each other; what is left to reach is not measured. */
OVI_INLINE OVI_NAME(ovi_stage)
    OVI_NAME(ovi_stage_faced)(const OVI_NAME(ovi_bodies) * l, const OVI_NAME(ovi_triple) place[2],
                              bool ellipsoids) {
    OVI_NAME(ovi_stage) s;
    s.radius_a = OVI_NAME(ovi_radius)(&place[0]);
    s.radius_b = OVI_NAME(ovi_radius)(&place[1]);
#if defined(OVI_SINGLE)
    // one body after the other: both at once are more than the sixteen registers can hold
    const OVI_NUM radius[2] = {s.radius_a, s.radius_b};
    OVI_NAME(ovi_surface) both[2];
#pragma clang loop unroll(disable)
    for (int body = 0; body < 2; body++) {
        both[body] = OVI_NAME(ovi_body_at)(l, body, &place[body], radius[body], ellipsoids);
    }
    s.a = both[0];
    s.b = both[1];
#else
    s.a = OVI_NAME(ovi_body_at)(l, 0, &place[0], s.radius_a, ellipsoids);
    s.b = OVI_NAME(ovi_body_at)(l, 1, &place[1], s.radius_b, ellipsoids);
#endif
    OVI_NAME(ovi_triple) pa = s.a.p, pb = OVI_NAME(ovi_turn)(l->turn, s.b.p);
    s.facing = (OVI_NAME(ovi_facing)){
        {pb.x + l->offset.x - pa.x, pb.y + l->offset.y - pa.y, pb.z + l->offset.z - pa.z},
        s.a.m,
        OVI_NAME(ovi_turn)(l->turn, s.b.m)};
    return s;
}

#ifndef OVI_SINGLE

OVI_INLINE void OVI_NAME(ovi_stage_measure)(const OVI_NAME(ovi_bodies) * l,
                                            OVI_NAME(ovi_stage) * s) {
    s->residual = OVI_NAME(ovi_residual_of)(&s->facing);
    s->lateral = OVI_NAME(ovi_lateral_square)(&s->facing, &s->residual);
    s->progress = OVI_NAME(ovi_progress_of)(&l->goals, &s->residual, s->lateral);
}

/** How things are at two places. */
OVI_INLINE OVI_NAME(ovi_stage)
    OVI_NAME(ovi_stage_at)(const OVI_NAME(ovi_bodies) * l, const OVI_NAME(ovi_triple) place[2],
                           bool ellipsoids) {
    OVI_NAME(ovi_stage) s = OVI_NAME(ovi_stage_faced)(l, place, ellipsoids);
    OVI_NAME(ovi_stage_measure)(l, &s);
    return s;
}

#endif

/** The step from there. */
OVI_INLINE OVI_NAME(ovi_step)
    OVI_NAME(ovi_step_of)(const OVI_NAME(ovi_bodies) * l, const OVI_NAME(ovi_stage) * s) {
    OVI_NAME(ovi_tangents) e = OVI_NAME(ovi_tangents_of)(s->facing.ma);
    OVI_NAME(ovi_triple) t = {e.tx, e.ty, OVI_OF(0.0)};
    OVI_NAME(ovi_slopes) a = OVI_NAME(ovi_slopes_of)(&s->a, t, e.u);
    OVI_NAME(ovi_slopes)
    b = OVI_NAME(ovi_slopes_of)(&s->b, OVI_NAME(ovi_turn_back)(l->turn, t),
                                OVI_NAME(ovi_turn_back)(l->turn, e.u));
    OVI_NAME(ovi_rows) rows = OVI_NAME(ovi_rows_of)(&s->facing, &e, &a, &b, l->inverse_size);
    return OVI_NAME(ovi_solve)(&rows);
}

/** Makes the step, no longer than it may be. */
OVI_INLINE void OVI_NAME(ovi_make_step)(const OVI_NAME(ovi_stage) * s, const OVI_NAME(ovi_step) * k,
                                        OVI_NAME(ovi_triple) place[2]) {
    place[0] = OVI_NAME(ovi_moved)(&place[0], s->radius_a, OVI_NAME(ovi_limit_step)(k->x1),
                                   OVI_NAME(ovi_limit_step)(k->x2));
    place[1] = OVI_NAME(ovi_moved)(&place[1], s->radius_b, OVI_NAME(ovi_limit_step)(k->y1),
                                   OVI_NAME(ovi_limit_step)(k->y2));
}

#endif

#undef OVI_WIDTH
#undef OVI_SINGLE
