/**
 * @file touch_field_bounds.c
 * @brief Proofs of how far what a brick says is from the distance, cell by cell.
 *
 * Let f be the distance, negative inside; g_i the numbers written at the corners c_i of a cell with
 * edge h and middle m; and g what is interpolated from them. A bound of |f - g| over the cell is
 * wanted. A function that is linear, or interpolated in this way, is largest and least at corners,
 * and so is the difference of two such. Why in more words: docs/theory/touch.md.
 *
 * Proof 1, by moves.
 *   1. f changes by no more than a point moves, and no point is further than sqrt(3)/2 h from the
 *      mean place of the corners that it is interpolated from.
 *   2. So |f - g| <= max |f(c_i) - g_i| + sqrt(3)/2 h.
 *
 * Proof 2, where there is no surface in the cell.
 *   3. Then the sign is one, and |f| is the least of the distances d_T of the triangles that may be
 *      nearest: those within |f(m)| + sqrt(3) h of m. Each d_T is convex.
 *   4. From below: d_T is above the plane u.(x - T) of any unit vector u, T's foremost corner
 *      counting, so that |f| - |g| is at least the least of u_T.(c_i - T) - |g_i| over all T and i.
 *      u_T points from T to m. Planes that are positive at all corners also show that there is no
 *      surface.
 *   5. From above: a convex function is below what is interpolated from its own values, so that
 *      |f| - |g| is at most the largest of d_T(c_i) - |g_i|, for any T, or for the mean of two.
 *
 * Proof 3, where there is surface in the cell.
 *   6. All surface in a ball of radius R about m is in a slab |L| <= delta, L linear with a unit
 *      gradient n. Above and below the slab the sign does not change; one sample in each tells it.
 *   7. From x above the slab the surface is at least L(x) - delta away. Going down by
 *      L(x) + delta, within the ball, the sign changes. Below it is the same with the signs
 *      changed, and in the slab both hold. So |f - L| <= delta.
 *   8. So |f - g| <= delta + max |L(c_i) - g_i|.
 *
 * All distances that are used may be wrong by `unsure`, which is added at the end.
 */
#include "touch_field_internal.h"

OVI_DISPATCH(static, void, least_distances, ovi_least_inline,
             (const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
              const ovi_octet *points, double *out),
             (facets, list, count, points, out))

/* ---- no surface in the cell */

/** Unit vector from a triangle to the middle of the cell; zero where that is on it. */
static ov_vec3 from_triangle(const ovi_cell *c, uint32_t n) {
    double distance = c->distances[n];
    if (!(distance > c->unsure)) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    return ov_vec3_scale(ovi_octet_point(&c->rows[c->kept[n]].away, c->number), 1.0 / distance);
}

OVI_INLINE double largest_of(ovi_v4 v) {
    return ovi_larger(ovi_larger(v[0], v[1]), ovi_larger(v[2], v[3]));
}

OVI_INLINE double above_inline(const ovi_cell *c, double sign, double most, bool *clear) {
    const double rounding = c->unsure;
    ovi_v4 low = sign * ovi_load_lanes(c->g), high = sign * ovi_load_lanes(c->g + 4);
    double worst = 0.0, largest = ovi_larger(largest_of(low), largest_of(high));
    for (uint32_t n = 0; n < c->count && worst <= most; n++) {
        // at a corner a triangle is ahead by the distance of the middle less the way there
        double least = c->distances[n] - c->radius * 1.001 - rounding;
        if (least > rounding && largest - least < worst) {
            continue;
        }
        ov_vec3 u = from_triangle(c, n);
        double base = ovi_facet_ahead(&c->facets[c->list[n]].facet, c->corners[0], u);
        double x = c->h * u.x, y = c->h * u.y, z = c->h * u.z;
        const ovi_v4 ahead = {base, base + x, base + y, base + x + y}, ahead_high = ahead + z;
        *clear = *clear &&
                 largest_of(ovi_v4_select(ahead < ahead_high, -ahead, -ahead_high)) < -rounding;
        ovi_v4 a = low - ahead, b = high - ahead_high;
        worst = ovi_larger(worst, largest_of(ovi_v4_select(a > b, a, b)));
    }
    *clear = *clear && worst <= most;
    return worst;
}
/** How far |g| is above |f|, at most, or something above `most`; sets `clear` to false where there
 *  may be surface in the cell. */
OVI_DISPATCH(static, double, above, above_inline,
             (const ovi_cell *c, double sign, double most, bool *clear), (c, sign, most, clear))

/** What a triangle is further away from the corners than is written there. */
static void excess(const ovi_cell *c, uint32_t n, double sign, double *out) {
    ovi_octet corners;
    for (int i = 0; i < OVI_CORNERS; i++) {
        corners.x[i] = c->corners[i].x;
        corners.y[i] = c->corners[i].y;
        corners.z[i] = c->corners[i].z;
    }
    least_distances(c->facets, &c->list[n], 1, &corners, out);
    for (int i = 0; i < OVI_CORNERS; i++) {
        out[i] -= sign * c->g[i];
    }
}

static double largest(const double *a, const double *b) {
    double most = 0.0;
    for (int i = 0; i < OVI_CORNERS; i++) {
        most = ovi_larger(most, 0.5 * (a[i] + b[i]));
    }
    return most;
}

/** The triangle nearest to a corner; `first` is near to it. */
static uint32_t nearest_to_corner(const ovi_cell *c, ov_vec3 corner, uint32_t first) {
    double least = INFINITY;
    uint32_t best = first;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t n = i == 0 ? first : i == first ? 0 : i;
        if (c->distances[n] - c->radius * 1.001 > least) {
            continue;
        }
        ov_vec3 q = ovi_facet_nearest(&c->facets[c->list[n]].facet, corner);
        double d = ovi_distance_of(corner, q);
        best = d < least ? n : best;
        least = d < least ? d : least;
    }
    return best;
}

/** How far |f| is above |g|, at most: by the triangle nearest to the middle, and by that nearest to
 *  the corner where this one does worst. What is below `enough` needs no search. */
static double below(const ovi_cell *c, double sign, double enough) {
    double a[OVI_CORNERS], b[OVI_CORNERS];
    uint32_t first = 0;
    for (uint32_t n = 0; n < c->count; n++) {
        first = c->distances[n] < c->distances[first] ? n : first;
    }
    excess(c, first, sign, a);
    if (largest(a, a) <= enough) {
        return largest(a, a);
    }
    int worst = 0;
    for (int i = 1; i < OVI_CORNERS; i++) {
        worst = a[i] > a[worst] ? i : worst;
    }
    uint32_t second = nearest_to_corner(c, c->corners[worst], first);
    if (second == first) {
        return largest(a, a);
    }
    excess(c, second, sign, b);
    return fmin(fmin(largest(a, a), largest(b, b)), largest(a, b));
}

/* ---- surface in the cell */

/** The slab of proof 3: from lo to hi along n from the middle. */
typedef struct slab {
    ov_vec3 n;
    double lo, hi, radius;
} slab;

/** Extends a slab by the part of a triangle that is in the ball. */
static void slab_add(slab *s, const ovi_cell *c, const ovi_facet *t) {
    double a = ov_vec3_dot(s->n, ov_vec3_sub(t->a, c->middle));
    double b = a + ov_vec3_dot(s->n, t->ab), d = a + ov_vec3_dot(s->n, t->ac);
    double lo = fmin(a, fmin(b, d)), hi = fmax(a, fmax(b, d));
    ov_vec3 normal = ov_vec3_cross(t->ab, t->ac);
    double area = ov_vec3_length(normal);
    // of a triangle that is no sliver: the disc in which its plane meets the ball
    if (area > 1e-6 * (t->bb + t->cc)) {
        normal = ov_vec3_scale(normal, 1.0 / area);
        double away = ov_vec3_dot(normal, ov_vec3_sub(c->middle, t->a));
        double cosine = ov_vec3_dot(normal, s->n);
        double sine = ov_vec3_length(ov_vec3_cross(normal, s->n));
        double disc = sqrt(fmax(0.0, s->radius * s->radius - away * away)) * sine;
        lo = fmax(lo, -away * cosine - disc);
        hi = fmin(hi, -away * cosine + disc);
    }
    s->lo = fmin(s->lo, lo);
    s->hi = fmax(s->hi, hi);
}

/** Gradient of what is interpolated, at the middle. */
static ov_vec3 cell_gradient(const ovi_cell *c) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (int i = 0; i < OVI_CORNERS; i++) {
        x += i & 1 ? c->g[i] : -c->g[i];
        y += i & 2 ? c->g[i] : -c->g[i];
        z += i & 4 ? c->g[i] : -c->g[i];
    }
    return ov_vec3_normalize(ov_vec3_make(x, y, z));
}

/** Is the ball outside above the slab and inside below it? One sample in each of them tells: there
 * is no surface in either. */
static bool sides_agree(const ovi_cell *c, const slab *s, double level, double delta) {
    ov_vec3 corner = c->brick_corner;
    bool up = false, down = false;
    for (int n = 0; n < OVI_BRICK_SAMPLES && !(up && down); n++) {
        ov_vec3 p = ov_vec3_make(n % OVI_BRICK_SIDE, n / OVI_BRICK_SIDE % OVI_BRICK_SIDE,
                                 n / (OVI_BRICK_SIDE * OVI_BRICK_SIDE));
        p = ov_vec3_sub(ov_vec3_add_scaled(corner, p, c->h), c->middle);
        double height = ov_vec3_dot(s->n, p) - level;
        if (fabs(height) <= delta || ov_vec3_dot(p, p) > s->radius * s->radius) {
            continue;
        }
        if ((height > 0.0) != (c->samples[n] > 0.0f)) {
            return false; // a thin wall, or the inside above
        }
        up = up || height > 0.0;
        down = down || height < 0.0;
    }
    return up && down;
}

/** Proof 3; infinite where it fails. */
static double by_slab(const ovi_cell *c) {
    slab s = {.n = cell_gradient(c), .lo = INFINITY, .hi = -INFINITY};
    s.radius = 2.0 * c->radius * 1.0001 + c->nearest;
    if (!(ov_vec3_dot(s.n, s.n) > 0.5)) {
        return INFINITY;
    }
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->distances[n] <= s.radius + c->unsure) {
            slab_add(&s, c, &c->facets[c->list[n]].facet);
        }
    }
    double delta = 0.5 * (s.hi - s.lo) + c->unsure, level = 0.5 * (s.hi + s.lo);
    double fall = delta + fabs(level), miss = 0.0;
    if (!(c->radius * c->radius + fall * fall < s.radius * s.radius) ||
        !sides_agree(c, &s, level, delta)) {
        return INFINITY;
    }
    for (int i = 0; i < OVI_CORNERS; i++) {
        double height = ov_vec3_dot(s.n, ov_vec3_sub(c->corners[i], c->middle)) - level;
        // surface beyond the ball is further away than this
        if (fabs(height) - delta > s.radius - c->radius) {
            return INFINITY;
        }
        miss = fmax(miss, fabs(height - c->g[i]));
    }
    return delta + miss;
}

/** Do the samples at the corners have both signs? */
static bool changes_sign(const ovi_cell *c) {
    bool inside = false, outside = false;
    for (int i = 0; i < OVI_CORNERS; i++) {
        inside = inside || c->f[i] < 0.0;
        outside = outside || c->f[i] >= 0.0;
    }
    return inside && outside;
}

/* ---- the best of all */

double ovi_cell_proven(const ovi_cell *c) {
    bool solid = c->solid, clear = !(solid && changes_sign(c));
    double sign = solid && c->f[0] < 0.0 ? -1.0 : 1.0, bound = ovi_by_moves(c), over = INFINITY;
    if (clear) {
        over = above(c, sign, bound, &clear);
    }
    if (over <= bound && (!solid || clear || c->nearest > c->radius + c->unsure)) {
        bound = fmin(bound, fmax(over, below(c, sign, over)));
    } else if (solid && !(c->nearest > c->radius + c->unsure)) {
        bound = fmin(bound, by_slab(c));
    }
    return bound + 4.0 * c->unsure;
}
