/* Included by surface.h once for single pairs and once for four at a time.
 *
 * One step of Newton's method on the contact conditions. With P = pB - pA, m the covectors, T two
 * tangents of A's, and moves x of A's parameters, y of B's, the conditions are T.P = 0 and
 * T.mB = 0. T moves with mA: what it does to a vector along mA follows from T.mA = 0, what it does
 * across it is left out, being of second order. With g = -mA.mB, h = mA.P, k = mA.mA:
 *
 *     P is normal:         -g T.dpA x + (g T.dpB + h T.dmB) y = -g T.P - h T.mB
 *     normals are opposed:  g T.dmA x +              k T.dmB y = -k T.mB
 *
 * The first pair has been freed of dmA by adding a multiple of the second. Nothing needs unit
 * vectors, so no root and no division stands between the surfaces and the step but the last one.
 * The four equations are solved by Laplace's expansion along row pairs: no pivoting, no branch.
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
    OVI_NAME(ovi_slopes_of)(const OVI_NAME(ovi_spot) * s, OVI_NAME(ovi_triple) t,
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

/** Where a pair stands: what the bounds need. */
typedef struct OVI_NAME(ovi_stand) {
    OVI_NAME(ovi_triple) na, nb; // unit normals
    OVI_NUM phi_a, phi_b;        // heights of B's point over A's tangent plane, and of A's over B's
    OVI_NUM distance;            // of the points
    OVI_NUM mismatch;            // |nA + nB|
} OVI_NAME(ovi_stand);

OVI_INLINE OVI_NAME(ovi_stand) OVI_NAME(ovi_stand_of)(const OVI_NAME(ovi_facing) * f) {
    OVI_NAME(ovi_stand) o;
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
OVI_INLINE OVI_NUM OVI_NAME(ovi_aside)(const OVI_NAME(ovi_facing) * f,
                                       const OVI_NAME(ovi_stand) * o) {
    OVI_NAME(ovi_triple)
    d = {f->p.x - o->phi_a * o->na.x, f->p.y - o->phi_a * o->na.y, f->p.z - o->phi_a * o->na.z};
    return OVI_NAME(ovi_dot)(d, d);
}
