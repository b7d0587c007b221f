/* Included by surface.h once for single pairs and once for four at a time.
 *
 * One step of Newton's method on the contact conditions. With P = pB - pA, T the two tangents of
 * A's normal, phi = nA.P, and moves x of A's parameters, y of B's:
 *
 *     P is normal:         -T.dpA x + (T.dpB + phi T.dnB) y = -T.P - phi T.nB
 *     normals are opposed:  T.dnA x + T.dnB y               = -T.nB
 *
 * The first pair has been freed of dnA by adding phi times the second. The four equations are
 * solved by Laplace's expansion along row pairs: no pivoting, no branch, one division.
 */

/** Where a pair stands: everything that the bounds need, and the step. */
typedef struct OVI_NAME(ovi_newton) {
    OVI_NUM phi_a, phi_b; // heights of B's point over A's tangent plane, and of A's over B's
    OVI_NUM distance;     // of the points
    OVI_NUM mismatch;     // |nA + nB|
    OVI_NUM aside;        // |P - phi nA|^2
    OVI_NUM x1, x2, y1, y2;
    OVI_NUM determinant;
} OVI_NAME(ovi_newton);

OVI_INLINE OVI_NAME(ovi_newton)
    OVI_NAME(ovi_newton_at)(const OVI_NAME(ovi_spot) * a, const OVI_NAME(ovi_spot) * b,
                            OVI_NUM inverse_size) {
    typedef OVI_NAME(ovi_triple) triple;
    OVI_NAME(ovi_newton) o;
    triple p = {b->p.x - a->p.x, b->p.y - a->p.y, b->p.z - a->p.z};
    triple sum = {a->n.x + b->n.x, a->n.y + b->n.y, a->n.z + b->n.z};
    o.phi_a = OVI_NAME(ovi_dot)(a->n, p);
    o.phi_b = -OVI_NAME(ovi_dot)(b->n, p);
    o.distance = OVI_SQRT(OVI_NAME(ovi_dot)(p, p));
    o.mismatch = OVI_SQRT(OVI_NAME(ovi_dot)(sum, sum));
    // tangents of A's normal by a Householder reflection, its sign chosen without cancellation
    OVI_NUM nx = a->n.x, ny = a->n.y, nz = a->n.z;
    OVI_NUM sign = OVI_COPYSIGN(nx * 0.0 + 1.0, nx), k = 1.0 / (1.0 + OVI_ABS(nx));
    OVI_NUM hx = nx + sign;
    triple t = {-k * ny * hx, 1.0 - k * ny * ny, -k * ny * nz};
    triple u = {-k * nz * hx, -k * ny * nz, 1.0 - k * nz * nz};
    OVI_NUM phi = o.phi_a * inverse_size, i = inverse_size;
    OVI_NUM tp = OVI_NAME(ovi_dot)(t, p), up = OVI_NAME(ovi_dot)(u, p);
    o.aside = tp * tp + up * up;
    OVI_NUM tn = OVI_NAME(ovi_dot)(t, b->n), un = OVI_NAME(ovi_dot)(u, b->n);
    // B's derivatives of the unit normal: the part along the normal itself is taken off
    OVI_NUM along1 = OVI_NAME(ovi_dot)(b->n, b->n1), along2 = OVI_NAME(ovi_dot)(b->n, b->n2);
    OVI_NUM c20 = OVI_NAME(ovi_dot)(t, a->n1), c21 = OVI_NAME(ovi_dot)(t, a->n2);
    OVI_NUM c30 = OVI_NAME(ovi_dot)(u, a->n1), c31 = OVI_NAME(ovi_dot)(u, a->n2);
    OVI_NUM c22 = OVI_NAME(ovi_dot)(t, b->n1) - tn * along1;
    OVI_NUM c23 = OVI_NAME(ovi_dot)(t, b->n2) - tn * along2;
    OVI_NUM c32 = OVI_NAME(ovi_dot)(u, b->n1) - un * along1;
    OVI_NUM c33 = OVI_NAME(ovi_dot)(u, b->n2) - un * along2;
    OVI_NUM c00 = -i * OVI_NAME(ovi_dot)(t, a->p1), c01 = -i * OVI_NAME(ovi_dot)(t, a->p2);
    OVI_NUM c10 = -i * OVI_NAME(ovi_dot)(u, a->p1), c11 = -i * OVI_NAME(ovi_dot)(u, a->p2);
    OVI_NUM c02 = i * OVI_NAME(ovi_dot)(t, b->p1) + phi * c22;
    OVI_NUM c03 = i * OVI_NAME(ovi_dot)(t, b->p2) + phi * c23;
    OVI_NUM c12 = i * OVI_NAME(ovi_dot)(u, b->p1) + phi * c32;
    OVI_NUM c13 = i * OVI_NAME(ovi_dot)(u, b->p2) + phi * c33;
    OVI_NUM r0 = -i * tp - phi * tn, r1 = -i * up - phi * un, r2 = -tn, r3 = -un;
    // minors of the first two rows, of the last two, and of each with the right side
    OVI_NUM s01 = c00 * c11 - c01 * c10, s02 = c00 * c12 - c02 * c10, s03 = c00 * c13 - c03 * c10;
    OVI_NUM s12 = c01 * c12 - c02 * c11, s13 = c01 * c13 - c03 * c11, s23 = c02 * c13 - c03 * c12;
    OVI_NUM m01 = c20 * c31 - c21 * c30, m02 = c20 * c32 - c22 * c30, m03 = c20 * c33 - c23 * c30;
    OVI_NUM m12 = c21 * c32 - c22 * c31, m13 = c21 * c33 - c23 * c31, m23 = c22 * c33 - c23 * c32;
    OVI_NUM a0 = r0 * c10 - r1 * c00, a1 = r0 * c11 - r1 * c01;
    OVI_NUM a2 = r0 * c12 - r1 * c02, a3 = r0 * c13 - r1 * c03;
    OVI_NUM b0 = r2 * c30 - r3 * c20, b1 = r2 * c31 - r3 * c21;
    OVI_NUM b2 = r2 * c32 - r3 * c22, b3 = r2 * c33 - r3 * c23;
    o.determinant = (s01 * m23 - s02 * m13 + s03 * m12) + (s12 * m03 - s13 * m02 + s23 * m01);
    OVI_NUM d = 1.0 / o.determinant;
    o.x1 = d * ((a1 * m23 - a2 * m13 + a3 * m12) + (s12 * b3 - s13 * b2 + s23 * b1));
    o.x2 = d * ((a2 * m03 - a0 * m23 - a3 * m02) + (s03 * b2 - s02 * b3 - s23 * b0));
    o.y1 = d * ((a0 * m13 - a1 * m03 + a3 * m01) + (s01 * b3 - s03 * b1 + s13 * b0));
    o.y2 = d * ((a1 * m02 - a0 * m12 - a2 * m01) + (s02 * b1 - s01 * b2 - s12 * b0));
    return o;
}
