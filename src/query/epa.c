/**
 * @file epa.c
 * @brief Least depth of two overlapping convex bodies by a polytope that grows inside their
 * Minkowski difference, with proofs of both bounds.
 *
 * The expanding polytope algorithm of [van den Bergen 2001], on the cores of the bodies
 * (support_solver.h). The depth is the distance from the origin to the nearest point of the
 * difference's boundary:
 *
 *     1. The tetrahedron that GJK ended with, or one of own supports, is the first polytope. It
 * lies in the difference, so it has no boundary farther out than the difference: its face nearest
 * to the origin bounds the depth from below.
 *     2. The support w of the difference along that face's outward normal m separates the bodies by
 *        a move of m.w: the depth is no more.
 *     3. Where both agree, that is the depth. Else w replaces all faces that it sees by the cone
 *        over their border, the horizon, and the next face is the nearest.
 *
 * Of polyhedra this ends in finitely many steps. Towards curved bodies it is slow: where the depth
 * need not be proven, Newton's method on their pieces goes on from the nearest faces (see below).
 * Other bodies may use up the vertices first: then the upper bound is what it is, and the best
 * direction is where an ascent of the separation begins (support_refine.c).
 *
 * The proof does not trust the polytope to be convex, which rounding may prevent. Let S be a closed
 * surface of triangles with corners in a convex body, that winds round the origin, and let every
 * triangle be at least r away from the origin. Then the ball of radius r lies in the body:
 *   1. otherwise a unit n and a number c < r exist with n.p <= c for all points p of the body;
 *   2. the ray from the origin along n meets S in some t n, as S winds round the origin;
 *   3. t >= r by the distances, and t = n.(t n) <= c < r, since S lies in the body: impossible.
 * The surface is closed by its construction: each step replaces a disc of faces by the cone over
 * its horizon (or one face, where the faces seen are no disc). A tetrahedron that is proven to hold
 * the origin winds round it, and a step does not change that where all faces that it removes have
 * the origin on their inner side: old and new faces bound tetrahedra over the old ones, which are
 * on the outer side. Else how often it winds is counted where a bound is claimed, by a ray whose
 * crossings are all clear of rounding. A triangle's distance is at least the smallest n.w of its
 * corners, for any unit n, however badly its normal is known.
 *
 * The polytope need not hold the origin at first: its nearest face is the one that has the origin
 * farthest on its outer side, and grows towards it. So the same loop separates bodies that GJK
 * could not tell apart.
 *
 * At most VERTICES_MAX + SUPPORTS_EXTRA supports, and those of the ascent; about 55 kB of stack.
 */
#include "support_solver.h"

#include <stdint.h>

enum {
    VERTICES_MAX = 256,
    FACES_MAX = 2 * VERTICES_MAX,
    SUPPORTS_EXTRA = 64,
    NONE = 0xffff,
    ATTEMPTS_MAX = 12
};

typedef struct face {
    ov_vec3 m;        /**< unit, outward */
    double key;       /**< the smallest m.w of its corners */
    uint16_t v[3];    /**< corners, counter-clockwise from outside */
    uint16_t next[3]; /**< face across the edge from v[i] to v[i+1] */
    bool in_use, seen, refined;
} face;

/** Where Newton's method was begun, if it did not end, or else where it ended. */
typedef struct attempt {
    ov_vec3 n;
    double error; /**< how far the support was above the face that it was begun from; or zero */
    double depth; /**< at the end */
} attempt;

/** The least depths that Newton's method found so far. */
typedef struct search {
    bool able;       /**< the bodies have curved pieces, and the depth need not be proven */
    bool found;      /**< the best direction so far is the end of Newton's method */
    ovi_touch touch; /**< that end */
    attempt tried[ATTEMPTS_MAX];
    int count;
} search;

typedef struct polytope {
    const ovi_minkowski *core;
    ovi_vertex v[VERTICES_MAX];
    face f[FACES_MAX];
    double open[FACES_MAX];    /**< key of each face, infinite where it is not in use or settled */
    uint16_t spare[FACES_MAX]; /**< faces not in use below face_end */
    int vertex_count, face_end, spare_count;
    uint16_t best[3]; /**< corners of the face whose direction gave the best lower bound */
    bool has_best;
    bool winds; /**< round the origin: proven from step to step */
    int supports;
    search depths;
} polytope;

/* ---- faces */

// fmin() is a call; no number here is NaN
static inline double smaller(double a, double b) { return a < b ? a : b; }

static double least_along(const polytope *p, const face *f, ov_vec3 m) {
    return smaller(ov_vec3_dot(m, p->v[f->v[0]].w),
                   smaller(ov_vec3_dot(m, p->v[f->v[1]].w), ov_vec3_dot(m, p->v[f->v[2]].w)));
}

/** Nearest point to the origin of three vertices. */
static ovi_foot triangle_foot(const polytope *p, const uint16_t v[3]) {
    ov_vec3 w[3] = {p->v[v[0]].w, p->v[v[1]].w, p->v[v[2]].w};
    return ovi_simplex_nearest(w, 3);
}

static double most_along(const polytope *p, const face *f, ov_vec3 m) {
    return -least_along(p, f, ov_vec3_neg(m));
}

/**
 * Takes the direction of the nearest point instead of the normal, where it proves more: for faces
 * too thin to have a good normal. Not where the origin is on the outer side; that must stay known.
 */
static void refine_face(const polytope *p, face *f) {
    f->refined = true;
    if (most_along(p, f, f->m) < 0.0) {
        return;
    }
    ovi_foot foot = triangle_foot(p, f->v);
    double key = least_along(p, f, foot.n);
    if (ovi_is_direction(foot.n) && key > f->key) {
        f->m = foot.n;
        f->key = key;
    }
}

/** A unit vector across corners that are on a line or in a point, and so have no normal. */
static ov_vec3 across_corners(const polytope *p, const face *f) {
    ov_vec3 longest = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        ov_vec3 e = ov_vec3_sub(p->v[f->v[(k + 1) % 3]].w, p->v[f->v[k]].w);
        longest = ov_vec3_dot(e, e) > ov_vec3_dot(longest, longest) ? e : longest;
    }
    return ov_mat3_householder(longest).cy;
}

static void shape_face(const polytope *p, face *f) {
    ov_vec3 a = p->v[f->v[0]].w, b = p->v[f->v[1]].w, c = p->v[f->v[2]].w;
    ov_vec3 m = ov_vec3_cross(ov_vec3_sub(b, a), ov_vec3_sub(c, a));
    double square = ov_vec3_dot(m, m);
    f->m = square > 1e-60 ? ov_vec3_scale(m, 1.0 / sqrt(square)) : ov_vec3_normalize(m);
    // no bound holds along zero, so a face is never left without a direction
    bool thin = !ovi_is_direction(f->m);
    if (thin) {
        f->m = across_corners(p, f);
    }
    double at_a = ov_vec3_dot(f->m, a), at_b = ov_vec3_dot(f->m, b), at_c = ov_vec3_dot(f->m, c);
    f->key = smaller(at_a, smaller(at_b, at_c));
    f->seen = f->refined = false;
    f->in_use = true;
    // the corners tell how good the normal is: all should be as far along it
    double level = f->key + 16.0 * DBL_EPSILON;
    bool poor = at_a > level || at_b > level || at_c > level;
    if (poor || thin) {
        refine_face(p, f);
    }
}

static double height_over(const polytope *p, const face *f, ov_vec3 w) {
    return ov_vec3_dot(f->m, ov_vec3_sub(w, p->v[f->v[0]].w));
}

/** Of the faces that are not settled. */
static uint16_t nearest_open_face(const polytope *p) {
    uint16_t best = NONE;
    double least = INFINITY;
    for (int i = 0; i < p->face_end; i++) {
        if (p->open[i] < least) {
            least = p->open[i];
            best = (uint16_t)i;
        }
    }
    return best;
}

static uint16_t nearest_face(const polytope *p) {
    uint16_t best = NONE;
    double least = INFINITY;
    for (int i = 0; i < p->face_end; i++) {
        if (p->f[i].in_use && p->f[i].key < least) {
            least = p->f[i].key;
            best = (uint16_t)i;
        }
    }
    return best;
}

/* ---- growing */

/** Edge between a face that is seen and one that is not. */
typedef struct horizon_edge {
    uint16_t from, to, outside;
} horizon_edge;

/** Faces seen from w, found from neighbour to neighbour, face `first` being one; their horizon.
 * Returns its length. */
static int find_horizon(polytope *p, uint16_t first, ov_vec3 w, double slack, uint16_t *seen,
                        int *seen_count, horizon_edge *horizon) {
    int horizon_count = 0;
    seen[0] = first;
    *seen_count = 1;
    p->f[first].seen = true;
    for (int i = 0; i < *seen_count; i++) {
        const face *f = &p->f[seen[i]];
        for (int e = 0; e < 3; e++) {
            uint16_t g = f->next[e];
            if (p->f[g].seen) {
                continue;
            }
            if (height_over(p, &p->f[g], w) > slack) {
                p->f[g].seen = true;
                seen[(*seen_count)++] = g;
            } else {
                horizon[horizon_count++] = (horizon_edge){f->v[e], f->v[(e + 1) % 3], g};
            }
        }
    }
    return horizon_count;
}

/** Puts the edges of a horizon one behind the other; false where it is not a single simple loop. */
static bool order_horizon(horizon_edge *horizon, int count) {
    for (int i = 0; i + 1 < count; i++) {
        int follower = -1;
        for (int j = i + 1; j < count; j++) {
            if (horizon[j].from == horizon[i].to) {
                if (follower >= 0) {
                    return false;
                }
                follower = j;
            }
        }
        if (follower < 0) {
            return false;
        }
        horizon_edge edge = horizon[i + 1];
        horizon[i + 1] = horizon[follower];
        horizon[follower] = edge;
    }
    return count >= 3 && horizon[count - 1].to == horizon[0].from;
}

static void replace_neighbour(face *f, uint16_t from, uint16_t to, uint16_t other) {
    for (int e = 0; e < 3; e++) {
        if (f->v[e] == from && f->v[(e + 1) % 3] == to) {
            f->next[e] = other;
        }
    }
}

/** Replaces the faces seen by the cone over their horizon; the vertex is the last one. */
static void build_cone(polytope *p, const uint16_t *seen, int seen_count,
                       const horizon_edge *horizon, int horizon_count) {
    uint16_t made[FACES_MAX], tip = (uint16_t)(p->vertex_count - 1);
    for (int i = 0; i < seen_count; i++) {
        p->winds = p->winds && p->f[seen[i]].key > 8.0 * DBL_EPSILON;
        p->f[seen[i]].in_use = false;
        p->open[seen[i]] = INFINITY;
        p->spare[p->spare_count++] = seen[i];
    }
    for (int i = 0; i < horizon_count; i++) {
        made[i] = p->spare_count > 0 ? p->spare[--p->spare_count] : (uint16_t)p->face_end++;
    }
    for (int i = 0; i < horizon_count; i++) {
        face *f = &p->f[made[i]];
        f->v[0] = horizon[i].from;
        f->v[1] = horizon[i].to;
        f->v[2] = tip;
        f->next[0] = horizon[i].outside;
        f->next[1] = made[(i + 1) % horizon_count];
        f->next[2] = made[(i + horizon_count - 1) % horizon_count];
        replace_neighbour(&p->f[horizon[i].outside], horizon[i].to, horizon[i].from, made[i]);
        shape_face(p, f);
        p->open[made[i]] = f->key;
    }
}

static void add_vertex(polytope *p, uint16_t nearest, const ovi_vertex *vertex, double slack) {
    uint16_t seen[FACES_MAX];
    horizon_edge horizon[FACES_MAX];
    int seen_count;
    int horizon_count = find_horizon(p, nearest, vertex->w, slack, seen, &seen_count, horizon);
    if (!order_horizon(horizon, horizon_count)) {
        for (int i = 0; i < seen_count; i++) {
            p->f[seen[i]].seen = false;
        }
        seen_count = 1;
        horizon_count = 3;
        const face *f = &p->f[nearest];
        for (int e = 0; e < 3; e++) {
            horizon[e] = (horizon_edge){f->v[e], f->v[(e + 1) % 3], f->next[e]};
        }
    }
    p->v[p->vertex_count++] = *vertex;
    build_cone(p, seen, seen_count, horizon, horizon_count);
}

/* ---- proof */

static double determinant(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    return ov_vec3_dot(a, ov_vec3_cross(b, c));
}

typedef enum crossing { CROSSES_NOT, CROSSES_OUT, CROSSES_IN, CROSSES_UNCLEAR } crossing;

/** Sign of det(u, a, b) for a unit u; zero where rounding could turn it. */
static int side_of(ov_vec3 u, ov_vec3 a, ov_vec3 b) {
    double d = determinant(u, a, b), square = ov_vec3_dot(a, a) * ov_vec3_dot(b, b);
    return d * d <= 256.0 * DBL_EPSILON * DBL_EPSILON * square ? 0 : d > 0.0 ? 1 : -1;
}

/**
 * Where the ray from the origin along u meets a face whose key is positive. The line of the ray
 * does where det(u, w_i, w_j) has the same sign for all three edges. It meets it at t u with
 * t (m.u) = m.(t u) >= key > 0, so the sign of m.u tells the ray from its opposite.
 */
static crossing cross_face(const polytope *p, const face *f, ov_vec3 u) {
    const double slack = 16.0 * DBL_EPSILON;
    ov_vec3 a = p->v[f->v[0]].w, b = p->v[f->v[1]].w, c = p->v[f->v[2]].w;
    ov_vec3 e = ov_vec3_sub(b, a), g = ov_vec3_sub(c, a), off = ov_vec3_cross(u, a);
    double reach = fmax(ov_vec3_dot(e, e), ov_vec3_dot(g, g)), ahead = ov_vec3_dot(f->m, u);
    // behind, or farther from the ray than the face is wide
    if (ahead < -slack || ov_vec3_dot(off, off) > 2.0 * reach + slack * slack) {
        return CROSSES_NOT;
    }
    int side[3] = {side_of(u, a, b), side_of(u, b, c), side_of(u, c, a)};
    bool left = side[0] > 0 || side[1] > 0 || side[2] > 0;
    bool right = side[0] < 0 || side[1] < 0 || side[2] < 0;
    if (left && right) {
        return CROSSES_NOT;
    }
    if (ahead <= slack || side[0] == 0 || side[1] == 0 || side[2] == 0) {
        return CROSSES_UNCLEAR;
    }
    return left ? CROSSES_OUT : CROSSES_IN;
}

/** How often a ray leaves through the surface, less how often it enters; false if unclear. */
static bool count_crossings(const polytope *p, ov_vec3 u, int *winding) {
    *winding = 0;
    for (int i = 0; i < p->face_end; i++) {
        crossing way = p->f[i].in_use ? cross_face(p, &p->f[i], u) : CROSSES_NOT;
        if (way == CROSSES_UNCLEAR) {
            return false;
        }
        *winding += way == CROSSES_OUT ? 1 : way == CROSSES_IN ? -1 : 0;
    }
    return true;
}

/** Several rays, as any one may hit an edge. */
enum { RAYS = 6 };

static ov_vec3 ray_of(int i) {
    double t = 0.7 + 1.3 * i;
    return ov_vec3_normalize(ov_vec3_make(sin(t), cos(1.7 * t), sin(2.3 * t + 0.4)));
}

/** Does the surface, all of whose keys are positive, wind round the origin? */
static bool winds_round(const polytope *p) {
    for (int i = 0; i < RAYS; i++) {
        int winding;
        if (count_crossings(p, ray_of(i), &winding)) {
            return winding != 0;
        }
    }
    return false;
}

/* ---- the first tetrahedron */

static ov_status support_vertex(polytope *p, ov_vec3 n, ovi_vertex *vertex, ovi_result *r) {
    double separation;
    ov_status status = ovi_minkowski_support(p->core, n, vertex, &separation);
    if (status == OV_OK) {
        ovi_note_lower(p->core, n, separation, r);
        p->supports++;
        r->iterations++;
    }
    return status;
}

/** Distance of w from the span of up to three points. */
static double distance_from(const ovi_vertex *v, int count, ov_vec3 w) {
    ov_vec3 d = ov_vec3_sub(w, v[0].w);
    if (count == 1) {
        return ov_vec3_length(d);
    }
    ov_vec3 e = ov_vec3_normalize(ov_vec3_sub(v[1].w, v[0].w));
    if (count == 2) {
        return ov_vec3_length(ov_vec3_cross(e, d));
    }
    return fabs(ov_vec3_dot(ov_vec3_normalize(ov_vec3_cross(e, ov_vec3_sub(v[2].w, v[0].w))), d));
}

/** Moves the candidate that is farthest from the vertices so far to them; its distance. */
static double take_farthest(polytope *p, const ovi_vertex *candidate, int count) {
    int best = 0;
    double farthest = -1.0;
    for (int i = 0; i < count; i++) {
        double distance = distance_from(p->v, p->vertex_count, candidate[i].w);
        if (distance > farthest) {
            farthest = distance;
            best = i;
        }
    }
    p->v[p->vertex_count++] = candidate[best];
    return farthest;
}

static void link_tetrahedron(polytope *p) {
    static const uint16_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}};
    static const uint16_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {0, 2, 1}};
    ov_vec3 o = p->v[0].w;
    if (determinant(ov_vec3_sub(p->v[1].w, o), ov_vec3_sub(p->v[2].w, o),
                    ov_vec3_sub(p->v[3].w, o)) > 0.0) {
        ovi_vertex swap = p->v[1];
        p->v[1] = p->v[2];
        p->v[2] = swap;
    }
    p->face_end = 4;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            p->f[i].v[k] = corner[i][k];
            p->f[i].next[k] = across[i][k];
        }
        shape_face(p, &p->f[i]);
        p->open[i] = p->f[i].key;
    }
}

/**
 * Is Newton's method to search for depths? Not those of superquadrics: on their flat sides and
 * sharp edges close depths are many, and it would take one of them for the least.
 */
static bool is_searched(const ovi_pair *pair) {
    return pair->depth != OV_DEPTH_PROVEN && !ovi_has_powers(pair) && ovi_has_pieces(pair);
}

/** Nothing in it yet; the arrays are written before they are read. */
static void start(polytope *p, const ovi_minkowski *core) {
    p->core = core;
    p->vertex_count = p->face_end = p->spare_count = p->supports = 0;
    p->has_best = p->winds = false;
    p->depths.able = is_searched(core->pair);
    p->depths.found = false;
    p->depths.count = 0;
}

/** Supports along a direction and against it. */
static ov_status support_both(polytope *p, ov_vec3 n, ovi_vertex *candidate, int *count,
                              ovi_result *r) {
    ov_status status = support_vertex(p, n, &candidate[*count], r);
    if (status == OV_OK) {
        status = support_vertex(p, ov_vec3_neg(n), &candidate[*count + 1], r);
        *count += 2;
    }
    return status;
}

/**
 * Four supports that span a volume: along the axes, then across the longest line, then across the
 * widest triangle. `flat` where the difference is thinner than rounding in some direction; both
 * sides of it have been measured then, so the lower bound is as good as it gets.
 */
static ov_status make_tetrahedron(polytope *p, ovi_result *r, bool *flat) {
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double thin = 4.0 * p->core->pair->rounding * p->core->scale;
    ovi_vertex c[12];
    int count = 0;
    ov_status status = OV_OK;
    *flat = true;
    for (int k = 0; k < 3 && status == OV_OK; k++) {
        status = support_both(p, axes[k], c, &count, r);
    }
    if (status != OV_OK) {
        return status;
    }
    p->v[0] = c[0];
    p->vertex_count = 1;
    if (take_farthest(p, c, count) <= thin) {
        return OV_OK;
    }
    ov_mat3 frame = ov_mat3_householder(ov_vec3_sub(p->v[1].w, p->v[0].w));
    status = support_both(p, frame.cy, c, &count, r);
    status = status == OV_OK ? support_both(p, frame.cz, c, &count, r) : status;
    if (status != OV_OK || take_farthest(p, c, count) <= thin) {
        return status;
    }
    ov_vec3 m = ov_vec3_cross(ov_vec3_sub(p->v[1].w, p->v[0].w), ov_vec3_sub(p->v[2].w, p->v[0].w));
    status = support_both(p, ov_vec3_normalize(m), c, &count, r);
    if (status != OV_OK || take_farthest(p, c, count) <= thin) {
        return status;
    }
    *flat = false;
    link_tetrahedron(p);
    return OV_OK;
}

/* ---- the loop */

/** Two points of the cores. */
typedef struct points {
    ov_vec3 a, b;
} points;

/** A mean of three vertices. */
static points mean_of(const polytope *p, const uint16_t v[3], const ovi_foot *foot) {
    points mean = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < foot->count; i++) {
        const ovi_vertex *corner = &p->v[v[foot->index[i]]];
        mean.a = ov_vec3_add_scaled(mean.a, corner->a, foot->share[i]);
        mean.b = ov_vec3_add_scaled(mean.b, corner->b, foot->share[i]);
    }
    return mean;
}

/** The origin may be outside: the face's nearest point bounds the distance from above. */
static void note_outside(const polytope *p, const face *f, ovi_result *r) {
    ovi_foot foot = triangle_foot(p, f->v);
    double upper = foot.length / p->core->scale - p->core->skin + p->core->pair->rounding;
    if (upper >= r->upper) {
        return;
    }
    r->upper = upper;
    points mean = mean_of(p, f->v, &foot);
    r->point_a = mean.a;
    r->point_b = mean.b;
}

/**
 * Where a ray from the origin leaves the surface: t u = s_0 w_0 + s_1 w_1 + s_2 w_2, with shares
 * s_i that are in the ratio of det(u, w_j, w_k). Its points of the cores, and t; false where it
 * leaves through no face clearly.
 */
static bool leave_along(const polytope *p, ov_vec3 u, points *at, double *t) {
    for (int i = 0; i < p->face_end; i++) {
        const face *f = &p->f[i];
        if (!f->in_use || cross_face(p, f, u) != CROSSES_OUT) {
            continue;
        }
        ovi_foot foot = {.count = 3, .index = {0, 1, 2}};
        ov_vec3 w[3] = {p->v[f->v[0]].w, p->v[f->v[1]].w, p->v[f->v[2]].w};
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            foot.share[k] = determinant(u, w[(k + 1) % 3], w[(k + 2) % 3]);
            sum += foot.share[k];
        }
        *t = 0.0;
        for (int k = 0; k < 3; k++) {
            foot.share[k] /= sum;
            *t += foot.share[k] * ov_vec3_dot(u, w[k]);
        }
        *at = mean_of(p, f->v, &foot);
        return *t > 0.0;
    }
    return false;
}

/**
 * The surface winds round the origin, so the cores have a common point: a line through the origin
 * leaves the surface on both sides, and the mean of the two places is there. The upper bound that
 * the nearest face proves comes with these points, or not at all.
 */
static void note_common(const polytope *p, double upper, ovi_result *r) {
    for (int i = 0; i < RAYS; i++) {
        points ahead, behind;
        double to, from;
        if (!leave_along(p, ray_of(i), &ahead, &to) ||
            !leave_along(p, ov_vec3_neg(ray_of(i)), &behind, &from)) {
            continue;
        }
        double share = to / (to + from);
        ov_vec3 a = ov_vec3_add_scaled(ov_vec3_scale(ahead.a, 1.0 - share), behind.a, share);
        ov_vec3 b = ov_vec3_add_scaled(ov_vec3_scale(ahead.b, 1.0 - share), behind.b, share);
        double distance = ov_vec3_length(ov_vec3_sub(b, a)) - p->core->skin;
        if (fmax(upper, distance) < r->upper) {
            r->upper = fmax(upper, distance);
            r->point_a = a;
            r->point_b = b;
        }
        if (r->upper == upper) {
            return;
        }
    }
}

/** Upper bound that the nearest face would prove. */
static double upper_of(const polytope *p, const face *f) {
    return p->core->pair->rounding - p->core->skin - f->key / p->core->scale;
}

static bool is_corner(const polytope *p, const face *f, ov_vec3 w) {
    for (int k = 0; k < 3; k++) {
        ov_vec3 d = ov_vec3_sub(w, p->v[f->v[k]].w);
        if (ov_vec3_dot(d, d) <= 64.0 * DBL_EPSILON * DBL_EPSILON) {
            return true;
        }
    }
    return false;
}

/* ---- least depths by Newton's method

   Towards a curved boundary the polytope comes closer only slowly, but it tells where the depth may
   be the least; Newton's method on the pieces of the bodies (support_pieces.c) goes on from there.
   The search ends when each face is farther out than the best depth, less a part of it: a small one
   where the normal is another one, a larger one near the best normal, and where any local least
   depth will do. What is not proven by that is that the depth is the least, and the upper bound
   says how far it is. */

/** Support over face, and over the best one, that Newton's method is begun for in any case. */
static const double close_by = 0.002;
/** Parts of the best depth that a face may be nearer than it. */
static const double far_part = 1e-4, near_part = 0.03, near_cosine = 0.999, local_part = 0.5;

/** Was Newton's method begun near here, from no much worse a face, or did it end here? */
static bool was_tried(const search *s, ov_vec3 n, double error) {
    for (int i = 0; i < s->count; i++) {
        if (ov_vec3_dot(s->tried[i].n, n) > near_cosine && error > 0.25 * s->tried[i].error) {
            return true;
        }
    }
    return false;
}

/** A place for one more attempt: that of the first which failed, where there is no other. */
static attempt *next_attempt(search *s) {
    if (s->count < ATTEMPTS_MAX) {
        return &s->tried[s->count++];
    }
    int oldest = 0;
    while (oldest < ATTEMPTS_MAX - 1 && s->tried[oldest].error == 0.0) {
        oldest++;
    }
    for (int i = oldest; i < ATTEMPTS_MAX - 1; i++) {
        s->tried[i] = s->tried[i + 1];
    }
    return &s->tried[ATTEMPTS_MAX - 1];
}

/**
 * Newton's method from a face, whose support is `vertex`. Where it ends at a depth that is no worse
 * than the best so far, the support there takes the place of `vertex`, if the face sees it well.
 */
static ov_status find_depth(polytope *p, const face *f, ovi_vertex *vertex, ovi_result *r) {
    search *s = &p->depths;
    ov_vec3 n = ov_vec3_neg(f->m);
    double depth = ov_vec3_dot(f->m, vertex->w), error = depth - f->key;
    double best = -(r->lower + p->core->skin) * p->core->scale;
    if (!(error < 0.05 * depth + close_by) || depth > 1.02 * best + close_by ||
        was_tried(s, n, error)) {
        return OV_OK;
    }
    ov_vec3 w[3] = {p->v[f->v[0]].w, p->v[f->v[1]].w, p->v[f->v[2]].w};
    ovi_vertex corner[3] = {p->v[f->v[0]], p->v[f->v[1]], p->v[f->v[2]]};
    double share[3] = {0.0, 0.0, 0.0};
    ovi_foot foot = ovi_simplex_nearest(w, 3);
    for (int i = 0; i < foot.count; i++) {
        share[foot.index[i]] = foot.share[i];
    }
    attempt *this = next_attempt(s);
    *this = (attempt){n, error, INFINITY};
    ovi_touch touch;
    if (!ovi_newton_on_pieces(p->core, corner, share, 3, n, &touch)) {
        return OV_OK;
    }
    double before = r->lower, separation;
    ovi_vertex at;
    ov_status status = ovi_minkowski_support(p->core, touch.n, &at, &separation);
    if (status != OV_OK) {
        return status;
    }
    p->supports++;
    r->iterations++;
    ovi_note_lower(p->core, touch.n, separation, r);
    double along = ov_vec3_dot(touch.n, ov_vec3_sub(touch.b, touch.a));
    double close = 0.25 * p->core->pair->goal;
    if (along - separation > close) {
        // other pieces reach farther; a direction that is better than what was found is no end yet
        s->found = s->found && r->lower - before <= close;
        return OV_OK;
    }
    *this = (attempt){touch.n, 0.0, -along * p->core->scale};
    double lower = separation - p->core->skin - p->core->pair->rounding;
    if (lower >= before - close) {
        s->found = true;
        s->touch = touch;
        r->lower = lower;
        r->normal = touch.n;
        *vertex = height_over(p, f, at.w) > 0.5 * error ? at : *vertex;
    }
    return OV_OK;
}

/** Has a face nothing to do with the search for a depth less than the best one? */
static bool is_settled(const polytope *p, const face *f, const ovi_result *r) {
    const search *s = &p->depths;
    if (!s->found) {
        return false;
    }
    double depth = -(r->lower + p->core->skin) * p->core->scale;
    bool local = p->core->pair->depth == OV_DEPTH_LOCAL;
    if (f->key >= depth * (1.0 - (local ? local_part : far_part))) {
        return true;
    }
    for (int i = 0; i < s->count; i++) {
        if (-ov_vec3_dot(f->m, s->tried[i].n) > near_cosine &&
            f->key >= s->tried[i].depth * (1.0 - near_part)) {
            return true;
        }
    }
    return false;
}

/** Is the question answered, were the nearest face's bound proven? */
static bool would_do(const polytope *p, const face *f, bool only_prove, const ovi_result *r) {
    if (only_prove && f->key > p->core->pair->rounding * p->core->scale) {
        return true;
    }
    double upper = f->key > 0.0 ? smaller(r->upper, upper_of(p, f)) : r->upper;
    const ovi_pair *pair = p->core->pair;
    return upper - r->lower <= pair->goal || r->lower > pair->limit || upper <= pair->limit;
}

/** The support along a face's normal, or along a better one that Newton's method found from it. */
static ov_status expand(polytope *p, const face *f, ovi_vertex *vertex, ovi_result *r) {
    double before = r->lower;
    ov_status status = support_vertex(p, ov_vec3_neg(f->m), vertex, r);
    if (status == OV_OK && r->lower > before) {
        p->has_best = true;
        p->depths.found = p->depths.found && r->lower - before <= 0.25 * p->core->pair->goal;
        for (int k = 0; k < 3; k++) {
            p->best[k] = f->v[k];
        }
    }
    return status == OV_OK && p->depths.able ? find_depth(p, f, vertex, r) : status;
}

/**
 * Expands the nearest face until the bounds meet, or (`only_prove`) until the overlap is certain.
 * Leaves in `r` what is proven.
 */
static ov_status grow(polytope *p, bool only_prove, ovi_result *r) {
    double slack = fmax(8.0 * DBL_EPSILON, 0.01 * p->core->pair->goal * p->core->scale);
    uint16_t nearest = nearest_open_face(p);
    while (nearest != NONE && p->supports < VERTICES_MAX + SUPPORTS_EXTRA) {
        face *f = &p->f[nearest];
        if (f->key <= p->core->pair->rounding * p->core->scale) {
            note_outside(p, f, r);
        }
        if (would_do(p, f, only_prove, r)) {
            break;
        }
        if (is_settled(p, f, r)) {
            p->open[nearest] = INFINITY;
            nearest = nearest_open_face(p);
            continue;
        }
        ovi_vertex vertex;
        ov_status status = expand(p, f, &vertex, r);
        if (status != OV_OK) {
            return status;
        }
        bool higher = ov_vec3_dot(f->m, vertex.w) - f->key > 8.0 * DBL_EPSILON;
        if (would_do(p, f, only_prove, r) || p->vertex_count == VERTICES_MAX) {
            break;
        }
        if (!higher || is_corner(p, f, vertex.w)) {
            if (f->refined) {
                break;
            }
            refine_face(p, f);
            p->open[nearest] = f->key;
        } else {
            add_vertex(p, nearest, &vertex, slack);
        }
        nearest = nearest_open_face(p);
    }
    const face *f = &p->f[nearest_face(p)];
    if (f->key > 8.0 * DBL_EPSILON && (p->winds || winds_round(p))) {
        double upper = upper_of(p, f);
        r->overlap = r->overlap || f->key / p->core->scale > p->core->pair->rounding;
        if (r->overlap) { // its points are those of the depth
            r->upper = smaller(r->upper, upper);
        } else {
            note_common(p, upper, r);
        }
    }
    return OV_OK;
}

ov_status ovi_epa_decide(const ovi_minkowski *core, ovi_result *result) {
    polytope p;
    start(&p, core);
    bool flat;
    ov_status status = make_tetrahedron(&p, result, &flat);
    return status == OV_OK && !flat ? grow(&p, true, result) : status;
}

/* ---- depth */

/** Of two combinations of corners, the one nearer to where the best direction leaves the body. */
static void keep_nearer(const polytope *p, const uint16_t v[3], ov_vec3 target, double *nearest,
                        points *best) {
    ovi_foot foot = triangle_foot(p, v);
    double distance = ov_vec3_length(ov_vec3_sub(foot.v, target));
    if (distance < *nearest) {
        *nearest = distance;
        *best = mean_of(p, v, &foot);
    }
}

/**
 * Witness points. Of all faces across the best direction (those of a polytope may be cut into many
 * triangles) the one that its ray passes nearest to gives the points by its corners.
 */
static ov_status find_witness(const polytope *p, ovi_result *r) {
    const ovi_minkowski *core = p->core;
    ov_vec3 n = r->normal;
    ov_vec3 target = ov_vec3_scale(n, (r->lower + core->skin) * core->scale);
    double nearest = INFINITY, separation;
    points best = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (p->has_best) {
        keep_nearer(p, p->best, target, &nearest, &best);
    }
    for (int i = 0; i < p->face_end; i++) {
        if (p->f[i].in_use && ov_vec3_dot(p->f[i].m, n) < -0.99) {
            keep_nearer(p, p->f[i].v, target, &nearest, &best);
        }
    }
    ovi_vertex on;
    ov_status status = ovi_minkowski_support(core, n, &on, &separation);
    if (status != OV_OK) {
        return status;
    }
    // at a smooth maximum the supports themselves face one another
    if (ov_vec3_length(ov_vec3_sub(on.w, target)) < nearest) {
        best = (points){on.a, on.b};
    }
    return ovi_witness_points(core, best.a, best.b, r);
}

/** Witness points of bodies whose cores only touch: as they were, if they still fit the normal. */
static ov_status keep_points(const ovi_minkowski *core, ovi_result *r) {
    double along = ov_vec3_dot(r->normal, ov_vec3_sub(r->point_b, r->point_a));
    if (isfinite(r->upper) && along <= fmin(r->upper, r->lower + core->pair->goal)) {
        r->gap = along;
        return OV_OK;
    }
    ovi_vertex on;
    double separation;
    ov_status status = ovi_minkowski_support(core, r->normal, &on, &separation);
    return status == OV_OK ? ovi_witness_points(core, on.a, on.b, r) : status;
}

enum { ASCENT_SUPPORTS = 60 };

/** A polytope that is as large as it gets: the result's bounds get closer, and witness points. */
static ov_status finish(const polytope *p, const ovi_result *grown, ovi_result *result) {
    const ovi_minkowski *core = p->core;
    const ovi_pair *pair = core->pair;
    result->iterations += grown->iterations;
    bool better_upper = grown->upper < result->upper;
    bool found = p->depths.found && grown->lower >= result->lower - 0.25 * pair->goal;
    if (found || grown->lower >= result->lower) {
        result->lower = grown->lower;
        result->normal = grown->normal;
    }
    result->upper = fmin(result->upper, grown->upper);
    result->overlap =
        result->overlap || grown->overlap || (core->skin > 0.0 && result->upper < 0.0);
    if (grown->overlap && !found && !ovi_is_enough(pair, result)) {
        ov_status status = ovi_separation_ascent(core, ASCENT_SUPPORTS, result);
        if (status != OV_OK) {
            return status;
        }
    }
    result->solved = found || result->upper - result->lower <= pair->goal;
    if (found) {
        return ovi_witness_points(core, p->depths.touch.a, p->depths.touch.b, result);
    }
    if (grown->overlap) {
        return find_witness(p, result);
    }
    return better_upper ? ovi_witness_points(core, grown->point_a, grown->point_b, result)
                        : keep_points(core, result);
}

/** Grows a polytope from a tetrahedron of its own. */
static ov_status grow_anew(polytope *p, const ovi_minkowski *core, ovi_result *r) {
    start(p, core);
    bool flat;
    ov_status status = make_tetrahedron(p, r, &flat);
    return status == OV_OK && !flat ? grow(p, false, r) : status;
}

/** Grows a polytope from a tetrahedron that holds the origin. */
static ov_status grow_from(polytope *p, const ovi_minkowski *core, const ovi_vertex *tetrahedron,
                           ovi_result *r) {
    start(p, core);
    for (int i = 0; i < 4; i++) {
        p->v[i] = tetrahedron[i];
    }
    p->vertex_count = 4;
    link_tetrahedron(p);
    p->winds = r->overlap = true;
    return grow(p, false, r);
}

/** The result is what ovi_gjk_distance left, or unknown; its bounds only get closer. */
ov_status ovi_epa_depth(const ovi_pair *pair, const ovi_vertex *tetrahedron, ovi_result *result) {
    ovi_minkowski core = ovi_minkowski_make(pair);
    polytope p;
    ovi_result r = ovi_result_unknown();
    ov_status status;
    if (tetrahedron == NULL) {
        status = grow_anew(&p, &core, &r);
        return status == OV_OK ? finish(&p, &r, result) : status;
    }
    r.lower = result->lower;
    r.normal = result->normal;
    status = grow_from(&p, &core, tetrahedron, &r);
    // a thin tetrahedron may come to an end early
    if (status == OV_OK && !p.depths.found && !ovi_is_enough(pair, &r) &&
        p.vertex_count < VERTICES_MAX) {
        status = grow_anew(&p, &core, &r);
    }
    return status == OV_OK ? finish(&p, &r, result) : status;
}
