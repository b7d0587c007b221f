/**
 * @file pair_box.c
 * @brief Box against box or capsule by the axes and features of the boxes, without iterations of a
 * general solver. A capsule is a box of no width and no height in a round skin, which only shifts
 * the gap; below, *blocks* are boxes and the axes of capsules.
 *
 * A is |x_i| <= a_i, B is t + R y with |y_j| <= b_j, both in A's frame; R_j is B's axis j. For any
 * unit n the separation along n,
 *
 *     g(n) = n.t - sum a_i |n_i| - sum b_j |n.R_j|,
 *
 * is a lower bound of the gap.
 *
 * Overlap [Gottschalk, Lin, Manocha 1996]:
 *     1. The difference of the blocks is a polytope. The normals of its faces are those of A, those
 *        of B, and the directions across an edge of each, e_i x R_j: 15 axes. Where the blocks
 *        overlap, the least way out is along one of them: the gap is the largest g of all.
 *     2. That is proven from both sides: from below by g along the axis, and from above because no
 *        other axis is left. For that every g must be right to rounding, also across edges that are
 *        nearly parallel. With l = |e_i x R_j|, all three products of l g (the offset, and the
 *        reach of A and of B) are sums of terms of order l: B's reach is taken from the
 *        determinants (R_j x R_k)_i rather than from the entries of R that they would equal if R
 *        were exact. So l cancels, however small it is. Where l is below 1e-18, e_i x R_j is left
 *        out: turning R_j into e_i moves B by less than rounding does.
 *     3. Where the blocks are apart, their distance is at most sqrt(3) times the largest g of all:
 *        the best n is a sum of axes that lie with it in the octant of a box's nearest corner, with
 *        weights of sum |n|_1 <= sqrt(3), and g is linear over them. So what rounding does to the
 *        axes of blocks that touch costs no more than that, and the axes alone show that they
 * touch. docs/theory/rounding.md adds the errors up.
 *
 * Distance:
 *     4. It is that from B's nearest point p = t + R y to A, whose nearest point is x = clamp(p).
 *        With w = p - x and the slopes w.R_j, y is the nearest where
 *            sum b_j |w.R_j| + y_j w.R_j = 0:
 *        this sum over |w| is what g(w/|w|) lacks to |w|. So the answer is proven by evaluation.
 *     5. The best axis that separates tells where to begin. Then the features that x lies nearest
 *        to on B are taken for B's: a corner, an edge along which y moves to the nearest place
 *        (where it leaves the slab of a face of A, once more), or a face, on which A's nearest
 *        corner is looked for. A few steps of that end at the nearest features, or it is left to
 *        GJK.
 *     6. Where |w| is small beside the blocks, w is noise, but the direction of the features is
 *        known: across the edges, or along the normal of the face.
 */
#include "query_internal.h"

/** Two blocks as seen from the first. */
typedef struct blocks {
    double a[3], b[3]; /**< half extents */
    double r[3][3];    /**< r[i][j]: B's axis j along A's axis i */
    double t[3];       /**< B's centre along A's axes */
    double back[3];    /**< the same along B's */
} blocks;

static const int next_axis[3] = {1, 2, 0}, last_axis[3] = {2, 0, 1};

static inline double radius_of(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_CAPSULE ? s->a.x : 0.0;
}

static inline void set_half(const ov_shape *s, double half[3]) {
    bool box = s->kind == OV_SHAPE_KIND_BOX;
    half[0] = box ? s->a.x : 0.0;
    half[1] = box ? s->a.y : 0.0;
    half[2] = s->a.z;
}

static inline blocks blocks_of(const ovi_pair *p) {
    const ov_mat3 *m = &p->turn;
    ov_vec3 d = p->offset, back = ov_mat3_tmul_vec3(m, d);
    blocks k = {.r = {{m->cx.x, m->cy.x, m->cz.x},
                      {m->cx.y, m->cy.y, m->cz.y},
                      {m->cx.z, m->cy.z, m->cz.z}},
                .t = {d.x, d.y, d.z},
                .back = {back.x, back.y, back.z}};
    set_half(p->a, k.a);
    set_half(p->b, k.b);
    return k;
}

/** The same blocks as seen from B. */
static blocks blocks_swapped(const blocks *k) {
    blocks s;
    for (int i = 0; i < 3; i++) {
        s.a[i] = k->b[i];
        s.b[i] = k->a[i];
        s.t[i] = -k->back[i];
        s.back[i] = -k->t[i];
        for (int j = 0; j < 3; j++) {
            s.r[i][j] = k->r[j][i];
        }
    }
    return s;
}

static inline double dot3(const double u[3], const double v[3]) {
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

/** n.R_j */
static inline double along_b(const blocks *k, const double n[3], int j) {
    return n[0] * k->r[0][j] + n[1] * k->r[1][j] + n[2] * k->r[2][j];
}

/** A's reach along n. */
static inline double reach_a(const blocks *k, const double n[3]) {
    return k->a[0] * fabs(n[0]) + k->a[1] * fabs(n[1]) + k->a[2] * fabs(n[2]);
}

/** l g(n) for a vector of length l. */
static double separation(const blocks *k, const double n[3]) {
    const double m[3] = {along_b(k, n, 0), along_b(k, n, 1), along_b(k, n, 2)};
    double reach_b = k->b[0] * fabs(m[0]) + k->b[1] * fabs(m[1]) + k->b[2] * fabs(m[2]);
    return dot3(n, k->t) - reach_a(k, n) - reach_b;
}

/** B's point of the coordinates y. */
static inline void point_b(const blocks *k, const double y[3], double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = k->t[i] + dot3(k->r[i], y);
    }
}

/** A's point x in coordinates of B. */
static inline void seen_from_b(const blocks *k, const double x[3], double y[3]) {
    const double d[3] = {x[0] - k->t[0], x[1] - k->t[1], x[2] - k->t[2]};
    for (int j = 0; j < 3; j++) {
        y[j] = along_b(k, d, j);
    }
}

static inline void clamp_all(double x[3], const double half[3]) {
    for (int i = 0; i < 3; i++) {
        x[i] = ovi_clamp(x[i], half[i]);
    }
}

/* ---- the axes */

enum { NONE = -1 };

/** An axis: of a face of A (j is none) or of B (i is none), or across an edge of each. */
typedef struct axis {
    double gap; /**< g along it */
    int i, j;
} axis;

static inline void keep_larger(axis *best, double gap, int i, int j) {
    if (gap > best->gap) {
        *best = (axis){gap, i, j};
    }
}

static inline void try_faces(const blocks *k, bool of_a, bool of_b, axis *best) {
    for (int i = 0; i < 3 && of_a; i++) {
        const double *r = k->r[i];
        double reach = k->b[0] * fabs(r[0]) + k->b[1] * fabs(r[1]) + k->b[2] * fabs(r[2]);
        keep_larger(best, fabs(k->t[i]) - k->a[i] - reach, i, NONE);
    }
    for (int j = 0; j < 3 && of_b; j++) {
        const double n[3] = {k->r[0][j], k->r[1][j], k->r[2][j]};
        keep_larger(best, fabs(k->back[j]) - k->b[j] - reach_a(k, n), NONE, j);
    }
}

/** (R_j x R_k)_i, with j, k, l in turn. */
static inline double minor(const blocks *k, int i, int j) {
    int u = next_axis[i], v = last_axis[i], m = next_axis[j];
    return k->r[u][j] * k->r[v][m] - k->r[v][j] * k->r[u][m];
}

/** Across A's edge i and B's edge j; a separation of no more than `best` need not be divided. */
static inline void try_edge_pair(const blocks *k, int i, int j, axis *best) {
    int u = next_axis[i], v = last_axis[i], m = next_axis[j], q = last_axis[j];
    double ru = k->r[u][j], rv = k->r[v][j];
    double reach = k->a[u] * fabs(rv) + k->a[v] * fabs(ru) + k->b[m] * fabs(minor(k, i, j)) +
                   k->b[q] * fabs(minor(k, i, q));
    double gap = fabs(ru * k->t[v] - rv * k->t[u]) - reach; // l times
    double square = ru * ru + rv * rv;
    // l is no more than one: where l times the gap is below zero, the gap is no more than that
    double least = best->gap > 0.0 ? best->gap * sqrt(square) : best->gap;
    if (gap > least && square > 1e-36) {
        keep_larger(best, gap / sqrt(square), i, j);
    }
}

static inline void try_edges(const blocks *k, int first_a, int first_b, axis *best) {
    for (int i = first_a; i < 3; i++) {
        for (int j = first_b; j < 3; j++) {
            try_edge_pair(k, i, j, best);
        }
    }
}

/** The axis as a unit vector from A to B. */
static void direction_of(const blocks *k, const axis *at, double n[3]) {
    n[0] = n[1] = n[2] = 0.0;
    if (at->j == NONE) {
        n[at->i] = copysign(1.0, k->t[at->i]);
        return;
    }
    double scale = 1.0;
    if (at->i == NONE) {
        scale = copysign(1.0, k->back[at->j]);
        for (int i = 0; i < 3; i++) {
            n[i] = scale * k->r[i][at->j];
        }
        return;
    }
    int u = next_axis[at->i], v = last_axis[at->i];
    double ru = k->r[u][at->j], rv = k->r[v][at->j];
    scale = copysign(1.0 / sqrt(ru * ru + rv * rv), ru * k->t[v] - rv * k->t[u]);
    n[u] = -rv * scale;
    n[v] = ru * scale;
}

/* ---- points that belong to an axis */

/** Corners of a convex polygon in the plane of a face. */
enum { POLYGON_MAX = 12 };
typedef struct polygon {
    double at[POLYGON_MAX][2];
    int count;
} polygon;

/** Cuts off what is beyond `half` in a coordinate, times `sign`. */
static void cut(polygon *p, int along, double sign, double half) {
    polygon out = {.count = 0};
    for (int i = 0; i < p->count; i++) {
        const double *c = p->at[i], *d = p->at[(i + 1) % p->count];
        double from = half - sign * c[along], to = half - sign * d[along];
        if (from >= 0.0 && out.count < POLYGON_MAX) {
            out.at[out.count][0] = c[0];
            out.at[out.count++][1] = c[1];
        }
        if ((from < 0.0) != (to < 0.0) && out.count < POLYGON_MAX) {
            double share = from / (from - to);
            out.at[out.count][0] = c[0] + share * (d[0] - c[0]);
            out.at[out.count++][1] = c[1] + share * (d[1] - c[1]);
        }
    }
    *p = out;
}

/**
 * The middle of what a feature of B has in common with a face of A, along the two axes u and v of
 * the face; false where that is nothing. The feature is the parallelogram of the edges e and f
 * about `centre`, one or both of which may have no length.
 */
static bool common_middle(const double centre[2], const double e[2], const double f[2],
                          double half_u, double half_v, double out[2]) {
    static const double corners[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    polygon p = {.count = 4};
    for (int i = 0; i < 4; i++) {
        for (int m = 0; m < 2; m++) {
            p.at[i][m] = centre[m] + corners[i][0] * e[m] + corners[i][1] * f[m];
        }
    }
    cut(&p, 0, 1.0, half_u);
    cut(&p, 0, -1.0, half_u);
    cut(&p, 1, 1.0, half_v);
    cut(&p, 1, -1.0, half_v);
    out[0] = out[1] = 0.0;
    for (int i = 0; i < p.count; i++) {
        out[0] += p.at[i][0] / p.count;
        out[1] += p.at[i][1] / p.count;
    }
    return p.count > 0;
}

/**
 * Points for the normal of A's face i: B's lowest corner, edge or face, as a place y; where it is
 * not a corner, the middle of what lies over A's face. What is level to a part of `slack` counts as
 * level.
 */
static void lowest_place(const blocks *k, int i, double slack, double y[3]) {
    double sign = copysign(1.0, k->t[i]), level[2][3] = {{0.0}}, e[2][2] = {{0.0}};
    int u = next_axis[i], v = last_axis[i], levels = 0;
    for (int j = 0; j < 3; j++) {
        double rise = sign * k->r[i][j] * k->b[j];
        y[j] = rise > 0.0 ? -k->b[j] : k->b[j];
        if (fabs(rise) <= 0.25 * slack && k->b[j] > 0.0 && levels < 2) {
            y[j] = 0.0;
            level[levels][j] = k->b[j];
            e[levels][0] = k->r[u][j] * k->b[j];
            e[levels++][1] = k->r[v][j] * k->b[j];
        }
    }
    if (levels == 0) {
        return;
    }
    double p[3], middle[2];
    point_b(k, y, p);
    const double centre[2] = {p[u], p[v]};
    if (!common_middle(centre, e[0], e[1], k->a[u], k->a[v], middle)) {
        // beside the face: the place that is nearest to its middle
        middle[0] = middle[1] = 0.0;
    }
    const double du = middle[0] - centre[0], dv = middle[1] - centre[1];
    for (int m = 0; m < levels; m++) {
        double square = e[m][0] * e[m][0] + e[m][1] * e[m][1];
        double share = square > 0.0 ? (e[m][0] * du + e[m][1] * dv) / square : 0.0;
        share = ovi_clamp(share, 1.0);
        for (int j = 0; j < 3; j++) {
            y[j] += share * level[m][j];
        }
    }
}

/** The places on A's edge i and B's edge j where these are nearest. */
static void edge_places(const blocks *k, const axis *at, const double n[3], double x[3],
                        double y[3]) {
    int i = at->i, j = at->j, u = next_axis[i], v = last_axis[i];
    for (int m = 0; m < 3; m++) {
        x[m] = m == i ? 0.0 : copysign(k->a[m], n[m]);
        y[m] = m == j ? 0.0 : -copysign(k->b[m], along_b(k, n, m));
    }
    double p[3];
    point_b(k, y, p);
    double ru = k->r[u][j], rv = k->r[v][j];
    double along = -((p[u] - x[u]) * ru + (p[v] - x[v]) * rv) / (ru * ru + rv * rv);
    y[j] = ovi_clamp(along, k->b[j]);
    x[i] = ovi_clamp(p[i] + y[j] * k->r[i][j], k->a[i]);
}

/** Places on both blocks that belong to an axis, opposite each other where they overlap. */
static void places_of(const blocks *k, const axis *at, const double n[3], double slack, double x[3],
                      double y[3]) {
    if (at->j == NONE) {
        lowest_place(k, at->i, slack, y);
        point_b(k, y, x);
        clamp_all(x, k->a);
        x[at->i] = copysign(k->a[at->i], k->t[at->i]);
    } else if (at->i == NONE) {
        blocks swapped = blocks_swapped(k);
        lowest_place(&swapped, at->j, slack, x);
        point_b(&swapped, x, y);
        clamp_all(y, k->b);
        y[at->j] = -copysign(k->b[at->j], k->back[at->j]);
    } else {
        edge_places(k, at, n, x, y);
    }
}

/* ---- the distance */

/** A place on B, the vector w from A's nearest point to it, and the slopes w.R_j. */
typedef struct nearest {
    double y[3], x[3], w[3], slope[3];
    double distance; /**< |w| */
    double lack;     /**< by which g along w is short of |w|, times |w| */
} nearest;

static inline void look_at(const blocks *k, nearest *s) {
    double p[3];
    point_b(k, s->y, p);
    s->lack = 0.0;
    for (int i = 0; i < 3; i++) {
        s->x[i] = ovi_clamp(p[i], k->a[i]);
        s->w[i] = p[i] - s->x[i];
    }
    for (int j = 0; j < 3; j++) {
        s->slope[j] = along_b(k, s->w, j);
        s->lack += k->b[j] * fabs(s->slope[j]) + s->y[j] * s->slope[j];
    }
    s->distance = sqrt(dot3(s->w, s->w));
}

/** Moves y along B's edge j to where it is nearest to A. */
static void slide_along(const blocks *k, int j, nearest *s) {
    for (int slabs = 0; slabs < 3; slabs++) {
        double square = 0.0, p[3], along = 0.0;
        point_b(k, s->y, p);
        for (int i = 0; i < 3; i++) {
            double w = p[i] - ovi_clamp(p[i], k->a[i]);
            square += w != 0.0 ? k->r[i][j] * k->r[i][j] : 0.0;
            along += w * k->r[i][j];
        }
        double before = s->y[j];
        s->y[j] = square > 1e-36 ? ovi_clamp(before - along / square, k->b[j]) : before;
        if (fabs(s->y[j] - before) <= 1e-15 * k->b[j]) {
            return;
        }
    }
}

/** From a face of B that is nearest to x, at y, to A's corner that is lowest over it. */
static void to_lowest_corner(const blocks *k, int face, nearest *s) {
    double p[3], x[3];
    point_b(k, s->y, p);
    for (int i = 0; i < 3; i++) {
        double w = p[i] - s->x[i];
        x[i] = fabs(k->r[i][face]) > 1e-15 && s->w[i] == 0.0 ? copysign(k->a[i], w) : s->x[i];
    }
    seen_from_b(k, x, s->y);
    clamp_all(s->y, k->b);
}

/** One step to the features that are nearest to x; false inside B. */
static bool step(const blocks *k, nearest *s) {
    int inside = 0, edge = 0, face = 0;
    for (int j = 0; j < 3; j++) {
        double y = s->y[j] - s->slope[j];
        bool within = fabs(y) < k->b[j];
        s->y[j] = within ? y : copysign(k->b[j], y);
        inside += within;
        edge = within ? j : edge;
        face = within ? face : j;
    }
    if (inside == 1) {
        slide_along(k, edge, s);
    } else if (inside == 2 && (s->w[0] == 0.0 || s->w[1] == 0.0 || s->w[2] == 0.0)) {
        to_lowest_corner(k, face, s);
    }
    return inside < 3;
}

/**
 * The direction of the features that x and y lie on, where w itself is noise: across an edge of
 * each, across one edge, or along the normal of B's face. A's face gives itself.
 */
static bool feature_direction(const blocks *k, const nearest *s, double n[3]) {
    int edges_a = 0, i = 0, edges_b = 0, j = 0, face = 0;
    for (int m = 0; m < 3; m++) {
        bool along_a = s->w[m] == 0.0, along_b = fabs(s->y[m]) < k->b[m];
        edges_a += along_a;
        i = along_a ? m : i;
        edges_b += along_b;
        j = along_b ? m : j;
        face = along_b ? face : m;
    }
    if (edges_b == 2) {
        direction_of(k, &(axis){0.0, NONE, face}, n);
        return true;
    }
    if (edges_b == 1 && edges_a == 1) {
        direction_of(k, &(axis){0.0, i, j}, n);
        return true;
    }
    if (edges_b != 1 || edges_a != 0) {
        return false;
    }
    double part = s->slope[j], square = 0.0;
    for (int m = 0; m < 3; m++) {
        n[m] = s->w[m] - part * k->r[m][j];
        square += n[m] * n[m];
    }
    for (int m = 0; m < 3; m++) {
        n[m] /= sqrt(square);
    }
    return true;
}

/** An answer in the frame of A. */
typedef struct solution {
    double lower, upper; /**< of the blocks' gap, before rounding */
    double gap;          /**< that of the places */
    double n[3], x[3], y[3];
} solution;

/** Is a vector along a unit n, to `slack`? */
static bool is_along(const double w[3], const double n[3], double slack) {
    double part = dot3(w, n), off = 0.0;
    for (int i = 0; i < 3; i++) {
        off += fabs(w[i] - part * n[i]);
    }
    return off <= slack;
}

/** Is the place proven to be the nearest, to `slack`? `noise` is what rounding leaves of `lack`. */
static inline bool is_proven(const blocks *k, const nearest *s, double slack, double noise,
                             solution *out) {
    if (s->lack <= 0.5 * slack * s->distance && s->distance > 1e-140) {
        double inverse = 1.0 / s->distance;
        for (int i = 0; i < 3; i++) {
            out->n[i] = s->w[i] * inverse;
        }
    } else if (!(s->lack <= noise) || !feature_direction(k, s, out->n) ||
               !is_along(s->w, out->n, slack)) {
        return false;
    }
    out->upper = out->gap = s->distance;
    out->lower = separation(k, out->n);
    return out->upper - out->lower <= slack;
}

enum { STEPS = 8 };

/** From a place on B; false where a few steps did not come to an end. */
static bool solve_distance(const blocks *k, double slack, double noise, solution *out) {
    nearest s;
    for (int j = 0; j < 3; j++) {
        s.y[j] = out->y[j];
    }
    for (int steps = 0; steps < STEPS; steps++) {
        look_at(k, &s);
        if (is_proven(k, &s, slack, noise, out)) {
            for (int i = 0; i < 3; i++) {
                out->x[i] = s.x[i];
                out->y[i] = s.y[i];
            }
            return true;
        }
        if (!step(k, &s)) {
            return false;
        }
    }
    return false;
}

/* ---- the pair */

static inline ov_vec3 vector_of(const double v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

/** The answer with its skins, in terms of the pair. */
static void write_solution(const ovi_pair *p, const solution *s, ovi_result *result) {
    double radius_a = radius_of(p->a), radius_b = radius_of(p->b), radii = radius_a + radius_b;
    ov_vec3 n = vector_of(s->n);
    result->lower = s->lower - radii - p->rounding;
    result->upper = s->upper - radii + p->rounding;
    result->gap = s->gap - radii;
    result->point_a = ov_vec3_add_scaled(vector_of(s->x), n, radius_a);
    result->point_b = ov_vec3_add_scaled(ovi_from_b(p, vector_of(s->y)), n, -radius_b);
    result->normal = n;
    result->overlap = result->upper < 0.0;
    result->solved = true;
    result->iterations = 0;
}

/** What a question about a limit is answered by: a separation, and no points. */
static void write_lower(const ovi_pair *p, const blocks *k, const axis *at, ovi_result *result) {
    double n[3];
    *result = ovi_result_unknown();
    direction_of(k, at, n);
    result->normal = vector_of(n);
    result->gap = at->gap - radius_of(p->a) - radius_of(p->b);
    result->lower = result->gap - p->rounding;
    result->iterations = 1;
}

/** Do the places lie opposite each other along the normal? */
static bool are_opposite(const blocks *k, const solution *s, double slack) {
    double w[3];
    point_b(k, s->y, w);
    for (int i = 0; i < 3; i++) {
        w[i] -= s->x[i];
    }
    return is_along(w, s->n, slack);
}

/** The depth along an axis, with the places that belong to it. */
static void take_axis(const blocks *k, const axis *at, double slack, solution *s) {
    direction_of(k, at, s->n);
    places_of(k, at, s->n, slack, s->x, s->y);
    s->lower = s->gap = at->j == NONE ? at->gap : separation(k, s->n);
}

/**
 * Blocks that overlap by the axis `best` of all, or touch; false where rounding does not let it be
 * shown.
 */
static bool solve_depth(const blocks *k, const axis *face, const axis *best, double slack,
                        solution *s) {
    // an edge that is no better than a face is part of that face, or beside it
    bool tie = best->gap - face->gap <= 0.25 * slack;
    take_axis(k, tie ? face : best, slack, s);
    bool opposite = are_opposite(k, s, slack);
    if (tie && best->i != NONE && best->j != NONE && !opposite) {
        solution across = *s;
        take_axis(k, best, slack, &across);
        opposite = are_opposite(k, &across, slack);
        *s = opposite ? across : *s;
    }
    s->upper = best->gap > 0.0 ? sqrt(3.0) * best->gap : best->gap; // see 3
    // a gap above zero is the distance of the places, which these do not have
    if (s->gap > 0.0 && !opposite) {
        s->gap = 0.0;
        return s->lower <= 0.5 * slack && s->upper - s->lower <= slack;
    }
    return s->upper - s->lower <= slack;
}

/** From the places of an axis that separates the blocks. */
static bool solve_apart(const ovi_pair *p, const blocks *k, const axis *at, solution *s) {
    double scale = p->a->ball.radius + p->b->ball.radius;
    direction_of(k, at, s->n);
    places_of(k, at, s->n, p->rounding, s->x, s->y);
    return solve_distance(k, p->rounding, 1e-14 * scale * scale, s);
}

bool ovi_box_form(const ovi_pair *p, ovi_result *result) {
    int first_a = p->a->kind == OV_SHAPE_KIND_BOX ? 0 : 2;
    int first_b = p->b->kind == OV_SHAPE_KIND_BOX ? 0 : 2;
    blocks k = blocks_of(p);
    axis face = {-INFINITY, NONE, NONE}, across = face, best;
    try_faces(&k, first_a == 0, first_b == 0, &face);
    best = face;
    if (!(face.gap > 0.0)) {
        try_edges(&k, first_a, first_b, &best);
    }
    if (best.gap - radius_of(p->a) - radius_of(p->b) - p->rounding > p->limit) {
        write_lower(p, &k, &best, result);
        return true;
    }
    solution s;
    bool solved = best.gap > 0.0 && solve_apart(p, &k, &best, &s);
    if (!solved && best.gap > 0.0) {
        // once more from the edges, unless all axes say that the blocks touch
        try_edges(&k, first_a, first_b, &across);
        solved = across.i != NONE && solve_apart(p, &k, &across, &s);
        best = across.gap > best.gap ? across : best;
    }
    if (!solved && !solve_depth(&k, &face, &best, p->rounding, &s)) {
        return false;
    }
    write_solution(p, &s, result);
    return true;
}
