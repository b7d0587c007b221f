/**
 * @file touch_field_internal.h
 * @brief What making a field and proving its bounds share: distances of eight points at once, and
 * cells with the triangles near them.
 */
#ifndef OVI_TOUCH_FIELD_INTERNAL_H
#define OVI_TOUCH_FIELD_INTERNAL_H

#include "touch_internal.h"

/* ---- distances of eight points at once

   The eight are samples of a brick, middles of its octants or of the cells of one, or corners of a
   cell. A triangle's nearest point is that of its plane, where it is inside, or the nearest one of
   the three edges; all four are computed, so that no lane waits for another. */

enum { OVI_OCTET = 8, OVI_LANES = 4 };

/** Eight points. */
typedef struct ovi_octet {
    double x[OVI_OCTET], y[OVI_OCTET], z[OVI_OCTET];
} ovi_octet;

/** A triangle, a ball around it, and inverses of its squares; those of nothing are zero. */
typedef struct ovi_ball_facet {
    ovi_facet facet;
    ov_vec3 centre;
    double radius;
    double per_bb, per_cc, per_ee, per_det; /**< e = c - b, the third edge */
    ov_vec3 u, v;                           /**< of a sliver: ovi_facet_axes */
    bool sliver;
} ovi_ball_facet;

/** Where a triangle is from eight points: the distances, and the ways from its nearest points. */
typedef struct ovi_facet_row {
    double distance[OVI_OCTET];
    ovi_octet away;
} ovi_facet_row;

typedef struct ovi_lanes3 {
    ovi_v4 x, y, z;
} ovi_lanes3;

OVI_INLINE ovi_lanes3 ovi_load_points(const ovi_octet *p, int first) {
    return (ovi_lanes3){ovi_load_lanes(p->x + first), ovi_load_lanes(p->y + first),
                        ovi_load_lanes(p->z + first)};
}

OVI_INLINE ovi_v4 ovi_dot_lanes(ovi_lanes3 a, ov_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

OVI_INLINE ovi_v4 ovi_square_lanes(ovi_lanes3 a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

OVI_INLINE ovi_lanes3 ovi_less_scaled(ovi_lanes3 a, ov_vec3 b, ovi_v4 s) {
    return (ovi_lanes3){a.x - b.x * s, a.y - b.y * s, a.z - b.z * s};
}

OVI_INLINE ovi_v4 ovi_held_lanes(ovi_v4 x) {
    x = ovi_v4_select(x > 0.0, x, ovi_v4_of(0.0));
    return ovi_v4_select(x < 1.0, x, ovi_v4_of(1.0));
}

/** Keeps the shorter ones of two ways. */
OVI_INLINE void ovi_keep_shorter(ovi_lanes3 way, ovi_lanes3 *best, ovi_v4 *least) {
    ovi_v4 square = ovi_square_lanes(way);
    ovi_i4 nearer = square < *least;
    *least = ovi_v4_select(nearer, square, *least);
    best->x = ovi_v4_select(nearer, way.x, best->x);
    best->y = ovi_v4_select(nearer, way.y, best->y);
    best->z = ovi_v4_select(nearer, way.z, best->z);
}

/** Squares of the distances of eight points, and the ways from the nearest points. */
OVI_INLINE ovi_v4 ovi_squares_to_facet(const ovi_ball_facet *t, ovi_lanes3 p, ovi_lanes3 *away) {
    const ovi_facet *f = &t->facet;
    ovi_lanes3 ap = {p.x - f->a.x, p.y - f->a.y, p.z - f->a.z};
    ovi_v4 d1 = ovi_dot_lanes(ap, f->ab), d2 = ovi_dot_lanes(ap, f->ac);
    *away = ovi_less_scaled(ap, f->ab, ovi_held_lanes(d1 * t->per_bb));
    ovi_v4 least = ovi_square_lanes(*away);
    ovi_keep_shorter(ovi_less_scaled(ap, f->ac, ovi_held_lanes(d2 * t->per_cc)), away, &least);
    ovi_lanes3 bp = {ap.x - f->ab.x, ap.y - f->ab.y, ap.z - f->ab.z};
    ovi_v4 along = ovi_held_lanes((d2 - d1 + (f->bb - f->bc)) * t->per_ee);
    ovi_keep_shorter(ovi_less_scaled(bp, ov_vec3_sub(f->ac, f->ab), along), away, &least);
    ovi_v4 s = (f->cc * d1 - f->bc * d2) * t->per_det, u = (f->bb * d2 - f->bc * d1) * t->per_det;
    if (t->sliver) {
        s = ovi_dot_lanes(ap, t->u);
        u = ovi_dot_lanes(ap, t->v);
    }
    ovi_i4 inside =
        (s >= 0.0) & (u >= 0.0) & (s + u <= 1.0) & -(int64_t)(f->det > 0.0 || t->sliver);
    // outside, the plane's point is not the triangle's
    ovi_lanes3 face = ovi_less_scaled(ovi_less_scaled(ap, f->ab, s), f->ac, u);
    const ovi_v4 far = ovi_v4_of(INFINITY);
    face.x = ovi_v4_select(inside, face.x, far);
    ovi_keep_shorter(face, away, &least);
    return least;
}

/** Distances of eight points to the nearest of some triangles. */
OVI_INLINE void ovi_least_inline(const ovi_ball_facet *facets, const uint32_t *list, uint32_t count,
                                 const ovi_octet *points, double *out) {
    for (int half = 0; half < OVI_OCTET; half += OVI_LANES) {
        ovi_lanes3 p = ovi_load_points(points, half), away;
        ovi_v4 least = ovi_v4_of(INFINITY);
        for (uint32_t i = 0; i < count; i++) {
            ovi_v4 square = ovi_squares_to_facet(&facets[list[i]], p, &away);
            least = ovi_v4_select(square < least, square, least);
        }
        least = ovi_v4_sqrt(least);
        memcpy(out + half, &least, sizeof least);
    }
}

static inline ov_vec3 ovi_octet_point(const ovi_octet *p, int n) {
    return ov_vec3_make(p->x[n], p->y[n], p->z[n]);
}

/* ---- cells */

enum { OVI_CORNERS = 8 };

/** A cell of a brick: exact samples, those written, and the triangles that may be nearest in it. */
typedef struct ovi_cell {
    ov_vec3 middle, corners[OVI_CORNERS];
    double h, radius; /**< edge, and of the ball around it */
    double f[OVI_CORNERS], g[OVI_CORNERS];
    double nearest; /**< from the middle */
    double unsure;  /**< rounding of distances, slivers included */
    bool solid;     /**< the mesh has an inside */
    const ovi_ball_facet *facets;
    const uint32_t *list, *kept; /**< triangles, and their rows */
    const double *distances;     /**< from the middle */
    uint32_t count, first;       /**< first: the one nearest to the middle */
    const ovi_facet_row *rows;   /**< of the octant */
    int number;                  /**< of the cell in its octant */
    ov_vec3 brick_corner;
    const float *samples; /**< exact ones of the whole brick */
} ovi_cell;

/** Bound of the error by proof 1, for which no triangle is looked at. */
static inline double ovi_by_moves(const ovi_cell *c) {
    double miss = 0.0;
    for (int i = 0; i < OVI_CORNERS; i++) {
        miss = fmax(miss, fabs(c->f[i] - c->g[i]));
    }
    return miss + c->radius;
}

/** Bound of the error by the best of three proofs (touch_field_bounds.c). `list` and `rows` are
 * filled in. */
double ovi_cell_proven(const ovi_cell *c);

#endif
