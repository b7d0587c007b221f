/**
 * @file support_solver.h
 * @brief The support-based solver below every pair query: any two bounded convex bodies, by their
 * support functions alone.
 *
 * gjk.c finds the distance, epa.c the least depth; support_refine.c brings the normal of either to
 * its last digits and its witness points to the surfaces. All of them work on the Minkowski
 * difference of the bodies, the set of all w = b - a with a in A and b in B. It is seen in units in
 * which it is of order one (a power of two, so nothing is rounded), and without the round skins of
 * spheres and capsules: their cores are a point and a segment, and a skin only shifts the gap.
 */
#ifndef OVI_SUPPORT_SOLVER_H
#define OVI_SUPPORT_SOLVER_H

#include "query_internal.h"

/** The Minkowski difference of two bodies without their skins. */
typedef struct ovi_minkowski {
    const ovi_pair *pair;
    double skin_a, skin_b; /**< radii taken off */
    double skin;           /**< their sum */
    double scale;          /**< from lengths to the units of the difference: a power of two */
} ovi_minkowski;

/** Point of the difference, and the points of the two cores that it comes from. */
typedef struct ovi_vertex {
    ov_vec3 w;                   /**< b - a, scaled */
    ov_vec3 a, b;                /**< in A's frame, not scaled */
    uint32_t number_a, number_b; /**< of the cores' vertices (shape_internal.h); 0: none */
} ovi_vertex;

/* ---- distance (gjk.c) */

ovi_minkowski ovi_minkowski_make(const ovi_pair *pair);

/**
 * Support of the difference: the vertex with the least n.w for a unit n, and that least value as a
 * length, the cores' separation along n. Along zero the value would be zero, whatever the bodies:
 * that is an error, never a bound.
 */
ov_status ovi_minkowski_support(const ovi_minkowski *core, ov_vec3 n, ovi_vertex *vertex,
                                double *separation);

/** A direction gave a lower bound of the gap: keeps the best, with its direction. */
static inline void ovi_note_lower(const ovi_minkowski *core, ov_vec3 n, double separation,
                                  ovi_result *result) {
    double lower = separation - core->skin - core->pair->rounding;
    if (lower > result->lower) {
        result->lower = lower;
        result->normal = n;
    }
}

/** A core's vertex by its number; any number is safe, and most are none. */
bool ovi_core_vertex(const ov_shape *s, double number, ov_vec3 *point);

/** Is one of the bodies a superellipsoid or superovoid? */
static inline bool ovi_has_powers(const ovi_pair *pair) {
    ov_shape_kind a = pair->a->kind, b = pair->b->kind;
    return a == OV_SHAPE_KIND_SUPERELLIPSOID || a == OV_SHAPE_KIND_SUPEROVOID ||
           b == OV_SHAPE_KIND_SUPERELLIPSOID || b == OV_SHAPE_KIND_SUPEROVOID;
}

/** Does ovi_level_at() know the body? */
static inline bool ovi_has_level(const ov_shape *s) {
    return ovi_is_family(s->kind) ||
           (s->kind >= OV_SHAPE_KIND_BOX && s->kind <= OV_SHAPE_KIND_CONE);
}

/** Convex combination of up to three points, and a direction of it. */
typedef struct ovi_foot {
    ov_vec3 v;       /**< the combination */
    ov_vec3 n;       /**< unit, along v as well as can be told; zero where v is */
    double length;   /**< |v| */
    double share[3]; /**< positive, sum one */
    int index[3];    /**< which points */
    int count;       /**< how many of them */
} ovi_foot;

/** Nearest point to the origin on the boundary of the simplex of up to four points. */
ovi_foot ovi_simplex_nearest(const ov_vec3 *w, int count);

/**
 * Distance by GJK, from a first direction (A to B; any length but zero). Separated bodies get
 * bounds, witness points and normal; overlapping ones `overlap`, with upper <= 0, and no depth.
 * Where the cores do not meet, the result is final for bodies whose skins overlap too.
 *
 * `warm` may be null. Where both cores have vertices it keeps the numbers of those that the last
 * simplex was made of, where they have curved pieces the numbers of the pieces on which Newton's
 * method ended, and the next query begins with them.
 */
ov_status ovi_gjk_distance(const ovi_pair *pair, ov_vec3 first, ov_warm_start *warm,
                           ovi_result *result);

/** The same, and the depth of bodies that overlap, where that is asked for (epa.c). */
ov_status ovi_gjk_contact(const ovi_pair *pair, ov_vec3 first, ov_warm_start *warm,
                          ovi_result *result);

/* ---- depth (epa.c) */

/**
 * Proof that the cores overlap or that they do not, by a growing polytope; for what
 * ovi_gjk_distance could not decide, with what it knows in `result`.
 */
ov_status ovi_epa_decide(const ovi_minkowski *core, ovi_result *result);

/**
 * Least depth of bodies that ovi_gjk_distance found to overlap, by a polytope inside the Minkowski
 * difference that grows towards its nearest face: both bounds are proven, and global. `tetrahedron`
 * is null, or four points of the difference that are proven to hold the origin. Bodies with curved
 * pieces, unless OV_DEPTH_PROVEN is asked for, get the least of the depths that Newton's method
 * finds from the faces; the upper bound is as good as the polytope is then.
 */
ov_status ovi_epa_depth(const ovi_pair *pair, const ovi_vertex *tetrahedron, ovi_result *result);

/* ---- Newton's method (support_pieces.c) */

enum { OVI_PIECES_MAX = 3 };

/** A normal, and points of the cores that face each other along it. */
typedef struct ovi_touch {
    ov_vec3 n, a, b; /**< in A's frame, not scaled */
    /** Of the pieces that they are on: for warm starts; 0: none. */
    uint32_t number_a[OVI_PIECES_MAX], number_b[OVI_PIECES_MAX];
} ovi_touch;

/** Has a pair curved pieces whose curvature is known? Else Newton's method has nothing to do. Not
 *  two bodies of the smooth family, which have a solver of their own. */
bool ovi_has_pieces(const ovi_pair *pair);

/**
 * From up to three points of the difference with their shares, and the normal of their nearest
 * point: the normal and the points that the pieces of the two bodies which they are on would end
 * with. False where Newton's method does not end; nothing is proven.
 */
bool ovi_newton_on_pieces(const ovi_minkowski *core, const ovi_vertex *vertex, const double *share,
                          int count, ov_vec3 n, ovi_touch *end);

/**
 * The same from the pieces that a warm start remembers (ovi_touch), at its normal. False also where
 * it remembers none.
 */
bool ovi_newton_recall(const ovi_minkowski *core, const ov_warm_start *warm, ovi_touch *end);

/* ---- normal and witness points (support_refine.c) */

/**
 * Quasi-Newton ascent of the separation from the best direction so far, which gets better or stays.
 * After so many supports no new line search is begun.
 */
ov_status ovi_separation_ascent(const ovi_minkowski *core, int supports, ovi_result *result);

/**
 * Normal and witness points of two bodies of the smooth family to their last digits, from the
 * solver's answer, by cutting planes. False, and nothing changed, where that is no better.
 */
bool ovi_refine_by_cuts(const ovi_pair *pair, ovi_result *result);

/**
 * From two points of the cores, whose difference gives the upper bound or, of bodies that overlap,
 * lies along the normal, to points of the surfaces that belong to the gap. Sets them and the gap,
 * and may lower the upper bound of bodies that are apart.
 */
ov_status ovi_witness_points(const ovi_minkowski *core, ov_vec3 a, ov_vec3 b, ovi_result *result);

/** Takes the support points of the normal for witness points, where they agree with the gap. */
void ovi_witness_by_supports(const ovi_pair *pair, ovi_result *result);

#endif
