/**
 * @file simplex.h
 * @brief What gjk.c and epa.c share: points of the difference of two bodies, and the point of a
 * simplex that is nearest to the origin.
 *
 * The difference of the bodies is the set of all w = b - a. It is seen in units in which it is of
 * order one (a power of two, so nothing is rounded), and without the round skins of spheres and
 * capsules: their cores are a point and a segment, and a skin only shifts the gap.
 *
 * Nearest point. Of each subset of up to three points the foot of the origin on its line or plane
 * is computed; where it lies inside, it is a candidate. All candidates are convex combinations,
 * whatever the rounding, so each is a true upper bound of the distance. Which of them is the
 * nearest is where the recursive tests of GJK [Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic,
 * Barbieri 2017] are known to go wrong on flat simplices; here the candidates are compared by their
 * own duality gap, which is zero for the right one: with its direction n, the largest lower bound
 * min n.w over all points of the simplex.
 *
 * Directions. The foot v itself is a poor direction where it is short against the simplex: its
 * error is that of the points over |v|. Its line or plane is known with the error of the points
 * over their mutual distance; so a triangle gives its normal, a line makes v perpendicular to it,
 * as long as they are larger than v.
 */
#ifndef OVI_SIMPLEX_H
#define OVI_SIMPLEX_H

#include "query_internal.h"

/** What the net works on: the bodies without their skins. */
typedef struct ovi_net {
    const ovi_pair *pair;
    double skin_a, skin_b; /**< radii taken off */
    double skin;           /**< their sum */
    double scale;          /**< from lengths to the units of the simplex: a power of two */
} ovi_net;

/** Point of the difference, and the points of the two cores that it comes from. */
typedef struct ovi_vertex {
    ov_vec3 w;    /**< b - a, scaled */
    ov_vec3 a, b; /**< in A's frame, not scaled */
} ovi_vertex;

ovi_net ovi_net_make(const ovi_pair *pair);

/**
 * Vertex with the least n.w for a unit n, and that least value as a length: the cores' gap. Along
 * zero the value would be zero, whatever the bodies: that is an error, never a bound.
 */
ov_status ovi_net_vertex(const ovi_net *core, ov_vec3 n, ovi_vertex *vertex, double *gap);

/** A direction gave a lower bound of the gap: keeps the best, with its direction. */
static inline void ovi_note_lower(const ovi_net *core, ov_vec3 n, double core_gap,
                                  ovi_result *result) {
    double lower = core_gap - core->skin - core->pair->rounding;
    if (lower > result->lower) {
        result->lower = lower;
        result->normal = n;
    }
}

/**
 * Proof that the cores overlap or that they do not, by a growing polytope; for what
 * ovi_gjk_distance could not decide, with what it knows in `result`.
 */
ov_status ovi_polytope_decide(const ovi_net *core, ovi_result *result);

/**
 * From two points of the cores, whose difference gives the upper bound or, of bodies that overlap,
 * lies along the normal, to points of the surfaces that belong to the gap (witness.c). Sets them
 * and the gap, and may lower the upper bound of bodies that are apart.
 */
ov_status ovi_net_points(const ovi_net *core, ov_vec3 a, ov_vec3 b, ovi_result *result);

/** Climbs the span from the best direction so far, which gets better or stays (climb.c); looks at
 *  some more spans than the number given at most, where the last line search ends. */
ov_status ovi_climb(const ovi_net *core, int spans, ovi_result *result);

/* ---- nearest point */

/** Convex combination of up to three points, and a direction of it. */
typedef struct ovi_foot {
    ov_vec3 v;       /**< the combination */
    ov_vec3 n;       /**< unit, along v as well as can be told; zero where v is */
    double length;   /**< |v| */
    double share[3]; /**< positive, sum one */
    int index[3];    /**< which points */
    int count;       /**< how many of them */
} ovi_foot;

static inline bool ovi_foot_of_point(const ov_vec3 *w, int i, ovi_foot *out) {
    *out = (ovi_foot){.v = w[i], .share = {1.0}, .index = {i}, .count = 1};
    out->length = ov_vec3_length(out->v);
    out->n = ov_vec3_normalize(out->v);
    return true;
}

/** False where the foot on the line lies beyond its ends. */
static inline bool ovi_foot_of_edge(const ov_vec3 *w, int i, int j, ovi_foot *out) {
    ov_vec3 e = ov_vec3_sub(w[j], w[i]);
    double square = ov_vec3_dot(e, e);
    double t = -ov_vec3_dot(w[i], e) / square;
    if (!(t > 0.0 && t < 1.0)) {
        return false;
    }
    *out = (ovi_foot){.share = {1.0 - t, t}, .index = {i, j}, .count = 2};
    out->v = ov_vec3_add_scaled(w[i], e, t);
    out->length = ov_vec3_length(out->v);
    out->n = ov_vec3_normalize(out->v);
    if (square > out->length * out->length) {
        double off = ov_vec3_dot(out->n, e) / square;
        ov_vec3 n = ov_vec3_normalize(ov_vec3_add_scaled(out->n, e, -off));
        out->n = ovi_is_direction(n) ? n : out->n;
    }
    return true;
}

/** False where the foot on the plane is not inside the triangle, or there is no plane. */
static inline bool ovi_foot_of_triangle(const ov_vec3 *w, int i, int j, int k, ovi_foot *out) {
    ov_vec3 e = ov_vec3_sub(w[j], w[i]), f = ov_vec3_sub(w[k], w[i]);
    ov_vec3 m = ov_vec3_cross(e, f), p = ov_vec3_neg(w[i]);
    double square = ov_vec3_dot(m, m);
    if (!(square > 0.0)) {
        return false;
    }
    double s = ov_vec3_dot(ov_vec3_cross(p, f), m) / square;
    double t = ov_vec3_dot(ov_vec3_cross(e, p), m) / square;
    // a second step from where the first one ended takes off what the distance to the origin cost
    p = ov_vec3_neg(ov_vec3_add_scaled(ov_vec3_add_scaled(w[i], e, s), f, t));
    s += ov_vec3_dot(ov_vec3_cross(p, f), m) / square;
    t += ov_vec3_dot(ov_vec3_cross(e, p), m) / square;
    if (!(s > 0.0 && t > 0.0 && s + t < 1.0)) {
        return false;
    }
    *out = (ovi_foot){.share = {1.0 - s - t, s, t}, .index = {i, j, k}, .count = 3};
    out->v = ov_vec3_add_scaled(ov_vec3_add_scaled(w[i], e, s), f, t);
    out->length = ov_vec3_length(out->v);
    // least height of the triangle against |v|: which of the two directions is known better
    ov_vec3 g = ov_vec3_sub(f, e);
    double longest = fmax(ov_vec3_dot(e, e), fmax(ov_vec3_dot(f, f), ov_vec3_dot(g, g)));
    if (square > longest * out->length * out->length) {
        out->n = ov_vec3_normalize(ov_vec3_dot(m, w[i]) < 0.0 ? ov_vec3_neg(m) : m);
    } else {
        out->n = ov_vec3_normalize(out->v);
    }
    return true;
}

/** Foot of a subset, given as bits. */
static inline bool ovi_foot_of(const ov_vec3 *w, unsigned subset, ovi_foot *out) {
    int index[3], count = 0;
    for (int i = 0; i < 4 && count < 3; i++) {
        if (subset >> i & 1u) {
            index[count++] = i;
        }
    }
    return count == 1   ? ovi_foot_of_point(w, index[0], out)
           : count == 2 ? ovi_foot_of_edge(w, index[0], index[1], out)
                        : ovi_foot_of_triangle(w, index[0], index[1], index[2], out);
}

/** |v| - min n.w: zero where no point of the simplex is nearer along n than v is. */
static inline double ovi_foot_defect(const ov_vec3 *w, int count, const ovi_foot *foot) {
    double least = ov_vec3_dot(foot->n, w[0]);
    for (int i = 1; i < count; i++) {
        least = fmin(least, ov_vec3_dot(foot->n, w[i]));
    }
    return foot->length - least;
}

/**
 * Nearest point of the boundary of up to four points. The last one is the newest and most likely
 * part of the answer, so its subsets come first, and the first without a defect ends the search.
 */
static inline ovi_foot ovi_simplex_nearest(const ov_vec3 *w, int count) {
    ovi_foot best, foot;
    double best_defect = INFINITY;
    (void)ovi_foot_of_point(w, count - 1, &best);
    for (unsigned s = (1u << count) - 1u; s > 0 && best_defect > 4.0 * DBL_EPSILON; s--) {
        if (s == 15u || !ovi_foot_of(w, s, &foot)) {
            continue;
        }
        double defect = ovi_foot_defect(w, count, &foot);
        if (defect < best_defect) {
            best_defect = defect;
            best = foot;
        }
    }
    return best;
}

#endif
