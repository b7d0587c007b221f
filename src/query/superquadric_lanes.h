/* Included by superquadric_newton.h once for each width of vectors: the surface of a superquadric,
 * the step of Newton's method on two of them, and the test that ends the iteration.
 *
 * OVI_NUM is the type of numbers, OVI_MASK that of comparisons, OVI_NAME(x) makes names,
 * OVI_WHERE(mask, a, b) chooses, OVI_OF(x) is a constant, OVI_SQRT the root; all are undefined at
 * the end.
 */

/* ---- surface: see the head of superquadric_newton.h */

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
    OVI_NUM one = 0.0 * r + 1.0, inverse = 1.0 / OVI_WHERE(r > OVI_POLE_RADIUS, r, one);
    OVI_NUM c = OVI_WHERE(r > OVI_POLE_RADIUS, u->x * inverse, one), s = u->y * inverse;
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
    OVI_NUM inverse = 1.0 / OVI_WHERE(r > OVI_POLE_RADIUS, r, OVI_OF(1.0));
    OVI_NUM c = OVI_WHERE(r > OVI_POLE_RADIUS, u->x * inverse, OVI_OF(1.0)), s = u->y * inverse;
    OVI_NUM radial = r - d2 * u->z;
    OVI_NAME(ovi_triple) v = {radial * c - d1 * s, radial * s + d1 * c, u->z + d2 * r};
    // u is not quite a unit vector, and need not be; |v|^2 is known before v
    OVI_NUM square = (r * r + u->z * u->z) * (1.0 + d2 * d2) + d1 * d1;
    return OVI_NAME(ovi_times)(v, 1.5 - 0.5 * square);
}

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
    OVI_NUM q = m.x * m.x + m.y * m.y, x = OVI_WHERE(q > 1e-280, m.x, q * 0.0 + 1.0);
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

#undef OVI_NUM
#undef OVI_MASK
#undef OVI_NAME
#undef OVI_SQRT
#undef OVI_WHERE
#undef OVI_OF
