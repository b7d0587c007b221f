/**
 * @file obb.c
 * @brief Are two oriented boxes further apart than a limit? Fifteen axes, with a proof.
 *
 * The separating axes of [Portal, Table 1]: the normals of three faces of each box, and the nine
 * cross products of their edges. (In the table as printed the extent of A on x_A x x_B is wrong and
 * the absolute values are lost; the terms here are derived anew.) Departures: the gap on an axis is
 * compared with a limit instead of zero, which needs the length of a cross product; for a limit
 * above zero the gaps on the three axes of one box are combined, which decides most pairs whose
 * nearest points are corners; and the answer "apart" is a proof, rounding included.
 *
 * Derivation, with a_i, b_j the unit axes, h and k the half extents, d = cB - cA, t = A^T d, and
 * c_ij = a_i . b_j:
 *
 * 1. On a_i the boxes are apart by |t_i| - h_i - sum_j k_j |c_ij|; on b_j by
 *    |d . b_j| - k_j - sum_i h_i |c_ij|. The largest of these is at most the gap. In the frame of A
 *    the box B lies within a box along the axes, so the length of the vector of the three gaps
 *    (negative ones as zero) is at most the gap, too.
 * 2. On l = a_i x b_j, of length |l| = sqrt(c_i'j^2 + c_i"j^2) with i, i', i" in cyclic order,
 *    l . d = t_i" c_i'j - t_i' c_i"j, the extent of A is h_i' |c_i"j| + h_i" |c_i'j|, that of B
 *    k_j' |c_ij"| + k_j" |c_ij'|. Apart by more than the limit: |l . d| - extents > limit |l|.
 *
 * Rounding, to first order, with u = 2^-53 and the axes known to e in each entry, so to s = sqrt 3
 * e as vectors:
 *
 * 3. c_ij is known to 2 s + 3 u, t_i and d . b_j to (s + 4 u) |d|. With H the sum of all half
 *    extents, a gap of step 1 is known to (s + 6 u) |d| + (2 s + 9 u) H: products and sums
 * included.
 * 4. Step 2: l . d is known to (sqrt 2 (3 s + 7 u) + 2 u) |d|, the extents to (2 s + 7 u) H, limit
 *    |l| to (sqrt 2 (2 s + 3 u) + 5 u) limit, and the two subtractions add 2 u (|d| + H).
 * 5. All of that is below (7.5 e + 14 u) (|d| + H + limit), and one margin serves all axes; terms
 * of second order are below the slack of step 6 for e < 1e-3. Nearly parallel edges have a short l:
 *    the margin is not scaled with it, so they prove nothing false and are passed over by
 *    themselves; the gap that is lost by that is at most about sqrt(u) sizes.
 * 6. The sum and the margin are rounded too: the margin is 1 % larger. What underflows is less than
 *    the smallest normal number. Comparing squares spares the roots; it adds 7 roundings at most to
 *    both sides together, and 16 are allowed for.
 */
#include <float.h>
#include <math.h>

#include <ovoid/world.h>

#include "../math/lanes.h"
#include "../math/rounding_mode.h"
#include "obb.h"

/** Half a unit in the last place of 1. */
#define UNIT (0.5 * DBL_EPSILON)
/** No square of what is below overflows, nor does a sum of products. */
#define SCALE_MAX 1e150
/** Error of each entry of the axes of ovi_box_place, step by step in that function. */
#define PLACE_ERROR (10.0 * UNIT)

bool ovi_box_place(const ov_obb *box, ovi_placed_box *placed) {
    ov_quat q = box->pose.rotation;
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    // a quaternion that is not nearly a unit is brought there by way of its largest component
    if (!(square > 0.5 && square < 2.0)) {
        double scale = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
        int exponent;
        if (!(scale > 0.0) || isinf(scale) || isnan(square)) {
            return false;
        }
        (void)frexp(scale, &exponent);
        q = (ov_quat){ldexp(q.w, -exponent), ldexp(q.x, -exponent), ldexp(q.y, -exponent),
                      ldexp(q.z, -exponent)};
        square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    }
    // 4 roundings of the square, 1 of the quotient and 1 of the product, of an entry that is at
    // most 1; the factor in brackets has 2 of |q|^2 / 2 or, on the diagonal, 3 of |q|^2: 9 in all
    double inverse = 1.0 / square, twice = 2.0 * inverse;
    double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    placed->axes.cx =
        ov_vec3_make(inverse * ((ww + xx) - (yy + zz)), twice * (xy + wz), twice * (xz - wy));
    placed->axes.cy =
        ov_vec3_make(twice * (xy - wz), inverse * ((ww + yy) - (xx + zz)), twice * (yz + wx));
    placed->axes.cz =
        ov_vec3_make(twice * (xz + wy), twice * (yz - wx), inverse * ((ww + zz) - (xx + yy)));
    placed->centre = box->pose.position;
    placed->half = box->half;
    return true;
}

OVI_INLINE ovi_v4 lanes_of(ov_vec3 v) { return (ovi_v4){v.x, v.y, v.z, 0.0}; }

/** Entries that follow, and that precede, in cyclic order. */
#define NEXT(v) __builtin_shufflevector(v, v, 1, 2, 0, 3)
#define PREVIOUS(v) __builtin_shufflevector(v, v, 2, 0, 1, 3)

/** A matrix by rows, to multiply the transposed one with vectors. */
typedef struct rows {
    ovi_v4 x, y, z;
} rows;

OVI_INLINE rows rows_of(const ov_mat3 *m) {
    return (rows){{m->cx.x, m->cy.x, m->cz.x, 0.0},
                  {m->cx.y, m->cy.y, m->cz.y, 0.0},
                  {m->cx.z, m->cy.z, m->cz.z, 0.0}};
}

OVI_INLINE ovi_v4 transposed_times(const rows *m, ov_vec3 v) {
    return v.x * m->x + v.y * m->y + v.z * m->z;
}

/** Gaps on the three axes of one box, step 1, less the margin: are they together above the limit,
 *  whose square, rounded up, is `square`? */
OVI_INLINE bool faces_apart(ovi_v4 offset, ovi_v4 own, ovi_v4 other, double margin, double square) {
    ovi_v4 gap = ovi_v4_abs(offset) - (own + other) - margin;
    gap = ovi_v4_select(gap > 0.0, gap, ovi_v4_of(0.0));
    ovi_v4 g = gap * gap;
    return g[0] + g[1] + g[2] > square + DBL_MIN;
}

/**
 * The axes a_i x b_j for all j, step 2: above zero where the gap is more than the limit. `t1`,
 * `t2`, `h1`, `h2` are the entries i' and i" of offset and half extents of A; `c`, `c1`, `c2` the
 * rows i, i' and i" of c_ij.
 */
OVI_INLINE ovi_v4 edges(double t1, double t2, double h1, double h2, ovi_v4 c, ovi_v4 c1, ovi_v4 c2,
                        ovi_v4 k, double margin, double square) {
    ovi_v4 p = ovi_v4_abs(c);
    ovi_v4 extent_a = h1 * ovi_v4_abs(c2) + h2 * ovi_v4_abs(c1);
    ovi_v4 extent_b = NEXT(k) * PREVIOUS(p) + PREVIOUS(k) * NEXT(p);
    ovi_v4 gap = ovi_v4_abs(t2 * c1 - t1 * c2) - (extent_a + extent_b) - margin;
    // squares spare the roots: gap |gap| > limit^2 |l|^2
    return gap * ovi_v4_abs(gap) - (square * (c1 * c1 + c2 * c2) + DBL_MIN);
}

OVI_INLINE bool apart(const ovi_placed_box *a, const ovi_placed_box *b, double limit,
                      double axes_error) {
    ov_vec3 h = a->half, d = ov_vec3_sub(b->centre, a->centre);
    ovi_v4 h4 = lanes_of(h), k = lanes_of(b->half);
    ovi_v4 sizes = ovi_v4_abs(lanes_of(d)) + (h4 + k);
    double scale = sizes[0] + sizes[1] + sizes[2] + limit;
    ovi_i4 extents = (h4 >= 0.0) & (k >= 0.0);
    // whatever is not a number, infinite or negative proves nothing
    if (!(scale < SCALE_MAX) || (extents[0] & extents[1] & extents[2]) == 0 || !(limit >= 0.0)) {
        return false;
    }
    double margin = 1.01 * (7.5 * axes_error + 14.0 * UNIT) * scale + DBL_MIN;
    double square = limit * limit * (1.0 + 16.0 * UNIT);

    rows in_a = rows_of(&a->axes), in_b = rows_of(&b->axes);
    ovi_v4 t = transposed_times(&in_a, d);
    ovi_v4 c0 = transposed_times(&in_b, a->axes.cx), p0 = ovi_v4_abs(c0);
    ovi_v4 c1 = transposed_times(&in_b, a->axes.cy), p1 = ovi_v4_abs(c1);
    ovi_v4 c2 = transposed_times(&in_b, a->axes.cz), p2 = ovi_v4_abs(c2);
    ovi_v4 q0 = p0 * k, q1 = p1 * k, q2 = p2 * k;
    ovi_v4 extent_b = {q0[0] + q0[1] + q0[2], q1[0] + q1[1] + q1[2], q2[0] + q2[1] + q2[2], 0.0};
    if (faces_apart(t, h4, extent_b, margin, square) ||
        faces_apart(transposed_times(&in_b, d), k, h.x * p0 + h.y * p1 + h.z * p2, margin,
                    square)) {
        return true;
    }
    ovi_v4 x = edges(t[1], t[2], h.y, h.z, c0, c1, c2, k, margin, square);
    ovi_v4 y = edges(t[2], t[0], h.z, h.x, c1, c2, c0, k, margin, square);
    ovi_v4 z = edges(t[0], t[1], h.x, h.y, c2, c0, c1, k, margin, square);
    ovi_i4 any = (x > 0.0) | (y > 0.0) | (z > 0.0);
    return (any[0] | any[1] | any[2]) != 0;
}

OVI_DISPATCH(, bool, ovi_placed_boxes_apart, apart,
             (const ovi_placed_box *a, const ovi_placed_box *b, double limit, double axes_error),
             (a, b, limit, axes_error))

bool ov_obb_apart(const ov_obb *a, const ov_obb *b, double limit) {
    OVI_ROUND_TO_NEAREST(bool, ov_obb_apart(a, b, limit));
    ovi_placed_box placed_a, placed_b;
    if (a == NULL || b == NULL || !ovi_box_place(a, &placed_a) || !ovi_box_place(b, &placed_b)) {
        return false;
    }
    return ovi_placed_boxes_apart(&placed_a, &placed_b, limit, PLACE_ERROR);
}
