/**
 * @file gjk.c
 * @brief Distance of any two bounded convex bodies by their support functions.
 *
 * The solver below every pair query: GJK [Gilbert, Johnson, Keerthi 1988] on the Minkowski
 * difference of the bodies, with the exact supports:
 *
 *     1. The support of the difference along a unit n is the point w with the least n.w. No point
 *        of the difference is nearer along n, so n.w is a lower bound of the distance, its
 *        separation along n.
 *     2. w joins the simplex of points found so far, at most four. The simplex lies in the
 *        difference, so its point v nearest to the origin proves the upper bound |v|.
 *     3. Points that v does not need are dropped, and the next direction is v's. If the simplex
 *        holds the origin, the bodies overlap.
 *     4. At the solution w is no nearer along v than v itself, and both bounds are equal.
 *
 * The answer is the best lower bound and the last upper one, so it is right whatever rounding does
 * to the way there.
 *
 * Departures from the paper:
 *  - the nearest point of the simplex is chosen by its duality gap, and the next direction is the
 *    normal of its triangle rather than v where that is known better (see below);
 *  - round skins (sphere, capsule) are taken off first and added to the answer: what is left of
 *    them is a polytope, and the answer is exact also for skins that overlap;
 *  - overlap counts only with a proof: the origin lies inside a tetrahedron of points, farther from
 *    its faces than rounding can reach, or a point is inside both bodies;
 *  - where a step brings nothing, the normals of the other faces of the last tetrahedron are tried;
 *    what is still open then, and bodies that meet without a proof, goes to the polytope of epa.c,
 *    which forgets no point.
 *
 * At most ITERATIONS_MAX supports here, and those of the polytope. The points that gave the upper
 * bound become the witness points (support_refine.c).
 */
#include "support_solver.h"

enum { ITERATIONS_MAX = 200, ALTERNATIVES = 4, EQUAL_MAX = 16, NEWTON_FIRST = 3, NEWTON_LATE = 8 };

/** Duality gap of a simplex's nearest point that is rounding. */
#define DEFECT_MAX (4.0 * DBL_EPSILON)

/* ---- separations along a direction */

ov_status ovi_pair_separation(const ovi_pair *pair, ov_vec3 n, ovi_separation *out) {
    ov_support a, b;
    ov_status status = ovi_support_point(pair->a, n, &a);
    if (status != OV_OK) {
        return status;
    }
    status = ovi_support_point(pair->b, ov_vec3_neg(ovi_to_b(pair, n)), &b);
    if (status != OV_OK) {
        return status;
    }
    out->point_a = a.point;
    out->point_b = ovi_from_b(pair, b.point);
    // a support point that is slightly off has too small a support, its value need not
    double by_points = ov_vec3_dot(n, ov_vec3_sub(out->point_b, out->point_a));
    out->gap = fmin(by_points, ov_vec3_dot(n, pair->offset) - a.value - b.value);
    return OV_OK;
}

static double skin_of(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_CAPSULE ? s->a.x : 0.0;
}

/**
 * Support of a core: a sphere's centre, a capsule's segment, all other bodies as they are. `number`
 * is that of the vertex which it is, 0 where it is none.
 */
static ov_status core_support(const ov_shape *s, const ov_vec3 *d, ov_support *out,
                              uint32_t *number) {
    if (ovi_has_vertices(s->kind)) {
        *number = ovi_vertices_support(s, d, out);
        return OV_OK;
    }
    *number = 0;
    if (s->kind == OV_SHAPE_KIND_SPHERE) {
        *number = 1;
        *out = (ov_support){0.0, {0.0, 0.0, 0.0}};
        return OV_OK;
    }
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        double z = d->z > 0.0 ? s->a.z : d->z < 0.0 ? -s->a.z : 0.0;
        *number = d->z > 0.0 ? 1 : d->z < 0.0 ? 2 : 1 | OVI_TIED;
        *out = (ov_support){d->z * z, {0.0, 0.0, z}};
        return OV_OK;
    }
    return ovi_support_point(s, *d, out);
}

bool ovi_core_vertex(const ov_shape *s, double number, ov_vec3 *point) {
    if (s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_CAPSULE) {
        bool capsule = s->kind == OV_SHAPE_KIND_CAPSULE;
        *point = ov_vec3_make(0.0, 0.0, !capsule ? 0.0 : number == 1.0 ? s->a.z : -s->a.z);
        return number == 1.0 || (capsule && number == 2.0);
    }
    return ovi_vertex_of(s, number, point);
}

// fmin() and fmax() are calls; no number here is NaN
static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

static inline double max_abs(ov_vec3 v) { return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z))); }

ovi_minkowski ovi_minkowski_make(const ovi_pair *pair) {
    ovi_minkowski core = {.pair = pair, .skin_a = skin_of(pair->a), .skin_b = skin_of(pair->b)};
    core.skin = core.skin_a + core.skin_b;
    const ov_ball *a = &pair->a->ball, *b = &pair->b->ball;
    double reach = max_abs(pair->offset) + max_abs(a->centre) + max_abs(b->centre);
    reach += isfinite(a->radius) ? a->radius : 0.0;
    reach += isfinite(b->radius) ? b->radius : 0.0;
    int exponent = 0;
    (void)frexp(reach, &exponent);
    core.scale = reach > 0.0 ? ldexp(1.0, -exponent) : 1.0;
    return core;
}

/** Sets the point of the difference by the points of the cores, each in its frame; b - a. */
static ov_vec3 place_vertex(const ovi_minkowski *core, ov_vec3 a, ov_vec3 b, ovi_vertex *vertex) {
    vertex->a = a;
    vertex->b = ovi_from_b(core->pair, b);
    ov_vec3 w = ov_vec3_sub(vertex->b, vertex->a);
    vertex->w = ov_vec3_scale(w, core->scale);
    return w;
}

ov_status ovi_minkowski_support(const ovi_minkowski *core, ov_vec3 n, ovi_vertex *vertex,
                                double *separation) {
    const ovi_pair *pair = core->pair;
    ov_support a, b;
    ov_status status = ovi_is_direction(n) ? OV_OK : OV_ERROR_ZERO_DIRECTION;
    status = status == OV_OK ? core_support(pair->a, &n, &a, &vertex->number_a) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 n_b = ov_vec3_neg(ovi_to_b(pair, n));
    status = core_support(pair->b, &n_b, &b, &vertex->number_b);
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 w = place_vertex(core, a.point, b.point, vertex);
    *separation = smaller(ov_vec3_dot(n, w), ov_vec3_dot(n, pair->offset) - a.value - b.value);
    // only a caller's own support function can leave its ball
    return max_abs(vertex->w) < 1e6 ? OV_OK : OV_ERROR_SIZE_RANGE;
}

/* ---- the point of a simplex that is nearest to the origin

   Of each subset of up to three points the foot of the origin on its line or plane is computed;
   where it lies inside, it is a candidate. All candidates are convex combinations, whatever the
   rounding, so each is a true upper bound of the distance. Which of them is the nearest is where
   the recursive tests of GJK [Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic, Barbieri 2017]
   are known to go wrong on flat simplices; here the candidates are compared by their own duality
   gap, which is zero for the right one: with its direction n, the largest lower bound min n.w over
   all points of the simplex.

   Directions. The foot v itself is a poor direction where it is short against the simplex: its
   error is that of the points over |v|. Its line or plane is known with the error of the points
   over their mutual distance; so a triangle gives its normal, a line makes v perpendicular to it,
   as long as they are larger than v.

   The subset that the signs of the usual regions of vertices, edges and faces point to is tried
   first, and is nearly always the one without a duality gap; the others only where it is not. */

/** Length of a vector of the difference, in its units: squares are in range, or as good as zero. */
static inline double length_of(ov_vec3 v) { return sqrt(ov_vec3_dot(v, v)); }

/** A unit vector along v; without a call where the square is in range. */
static inline ov_vec3 unit_of(ov_vec3 v) {
    double square = ov_vec3_dot(v, v);
    return square > 1e-200 ? ov_vec3_scale(v, 1.0 / sqrt(square)) : ov_vec3_normalize(v);
}

static inline bool foot_of_point(const ov_vec3 *w, int i, ovi_foot *out) {
    out->share[0] = 1.0;
    out->index[0] = i;
    out->count = 1;
    out->v = w[i];
    out->length = length_of(w[i]);
    out->n = unit_of(w[i]);
    return true;
}

/** False where the foot on the line lies beyond its ends. */
static inline bool foot_of_edge(const ov_vec3 *w, int i, int j, ovi_foot *out) {
    ov_vec3 e = ov_vec3_sub(w[j], w[i]);
    double square = ov_vec3_dot(e, e), inverse = 1.0 / square;
    double t = -ov_vec3_dot(w[i], e) * inverse;
    if (!(t > 0.0 && t < 1.0)) {
        return false;
    }
    out->share[0] = 1.0 - t;
    out->share[1] = t;
    out->index[0] = i;
    out->index[1] = j;
    out->count = 2;
    out->v = ov_vec3_add_scaled(w[i], e, t);
    out->length = length_of(out->v);
    out->n = unit_of(out->v);
    if (square > out->length * out->length) {
        double off = ov_vec3_dot(out->n, e) * inverse;
        ov_vec3 n = unit_of(ov_vec3_add_scaled(out->n, e, -off));
        out->n = ovi_is_direction(n) ? n : out->n;
    }
    return true;
}

/** False where the foot on the plane is not inside the triangle, or there is no plane. */
static inline bool foot_of_triangle(const ov_vec3 *w, int i, int j, int k, ovi_foot *out) {
    ov_vec3 e = ov_vec3_sub(w[j], w[i]), f = ov_vec3_sub(w[k], w[i]);
    ov_vec3 m = ov_vec3_cross(e, f);
    double square = ov_vec3_dot(m, m), inverse = 1.0 / square;
    if (!(square > 0.0)) {
        return false;
    }
    // shares of p: s = (p x f).m/|m|^2 = p.(f x m)/|m|^2, t likewise
    ov_vec3 for_s = ov_vec3_cross(f, m), for_t = ov_vec3_cross(m, e);
    double s = -ov_vec3_dot(w[i], for_s) * inverse, t = -ov_vec3_dot(w[i], for_t) * inverse;
    // a second step from where the first one ended takes off what the distance to the origin cost
    ov_vec3 p = ov_vec3_add_scaled(ov_vec3_add_scaled(w[i], e, s), f, t);
    s -= ov_vec3_dot(p, for_s) * inverse;
    t -= ov_vec3_dot(p, for_t) * inverse;
    if (!(s > 0.0 && t > 0.0 && s + t < 1.0)) {
        return false;
    }
    out->share[0] = 1.0 - s - t;
    out->share[1] = s;
    out->share[2] = t;
    out->index[0] = i;
    out->index[1] = j;
    out->index[2] = k;
    out->count = 3;
    out->v = ov_vec3_add_scaled(ov_vec3_add_scaled(w[i], e, s), f, t);
    out->length = length_of(out->v);
    // least height of the triangle against |v|: which of the two directions is known better
    ov_vec3 g = ov_vec3_sub(f, e);
    double longest = larger(ov_vec3_dot(e, e), larger(ov_vec3_dot(f, f), ov_vec3_dot(g, g)));
    bool wide = square > longest * out->length * out->length;
    out->n = unit_of(!wide ? out->v : ov_vec3_dot(m, w[i]) < 0.0 ? ov_vec3_neg(m) : m);
    return true;
}

/** Points of a subset that is given as bits: how many, and which. */
static const int8_t subset_points[16][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 1, 0},
                                            {1, 2, 0, 0}, {2, 0, 2, 0}, {2, 1, 2, 0}, {3, 0, 1, 2},
                                            {1, 3, 0, 0}, {2, 0, 3, 0}, {2, 1, 3, 0}, {3, 0, 1, 3},
                                            {2, 2, 3, 0}, {3, 0, 2, 3}, {3, 1, 2, 3}, {4, 0, 0, 0}};

/** Foot of a subset, given as bits. */
static inline bool foot_of(const ov_vec3 *w, unsigned subset, ovi_foot *out) {
    const int8_t *index = subset_points[subset];
    return index[0] == 1   ? foot_of_point(w, index[1], out)
           : index[0] == 2 ? foot_of_edge(w, index[1], index[2], out)
                           : foot_of_triangle(w, index[1], index[2], index[3], out);
}

/** |v| - min n.w: zero where no point of the simplex is nearer along n than v is. */
static inline double foot_defect(const ov_vec3 *w, int count, const ovi_foot *foot) {
    double least = ov_vec3_dot(foot->n, w[0]);
    for (int i = 1; i < count; i++) {
        least = smaller(least, ov_vec3_dot(foot->n, w[i]));
    }
    return foot->length - least;
}

/**
 * Edges e from the last point p of a simplex to the others, with e_i.p and the squares of e_i:
 * with products of two edges, all that tells which part of a triangle is the nearest.
 */
typedef struct fan {
    ov_vec3 p, e[3];
    double along[3], square[3];
} fan;

static inline fan fan_of(const ov_vec3 *w, int count) {
    fan a = {.p = w[count - 1]};
    for (int i = 0; i < count - 1; i++) {
        a.e[i] = ov_vec3_sub(w[i], a.p);
        a.along[i] = ov_vec3_dot(a.e[i], a.p);
        a.square[i] = ov_vec3_dot(a.e[i], a.e[i]);
    }
    return a;
}

/** Of the triangle of p, w_i and w_j, with e = e_i, f = e_j, the part that the origin is nearest
 *  to, as bits [Ericson 2005]. */
static inline unsigned region_of(const fan *a, int i, int j, double product, unsigned at_p) {
    double ep = -a->along[i], fp = -a->along[j];
    double ei = ep - a->square[i], fi = fp - product, ej = ep - product, fj = fp - a->square[j];
    unsigned at_i = 1u << i, at_j = 1u << j;
    if (ep <= 0.0 && fp <= 0.0) {
        return at_p;
    }
    if (ei >= 0.0 && fi <= ei) {
        return at_i;
    }
    if (fj >= 0.0 && ej <= fj) {
        return at_j;
    }
    // twice the areas that the foot of the origin spans with the edges, in units of the triangle's
    if (ep * fi - ei * fp <= 0.0 && ep >= 0.0 && ei <= 0.0) {
        return at_p | at_i;
    }
    if (ej * fp - ep * fj <= 0.0 && fp >= 0.0 && fj <= 0.0) {
        return at_p | at_j;
    }
    if (ei * fj - ej * fi <= 0.0 && fi - ei >= 0.0 && ej - fj >= 0.0) {
        return at_i | at_j;
    }
    return at_p | at_i | at_j;
}

/** Square of the distance of a subset's span. */
static inline double square_distance(const ov_vec3 *w, unsigned subset) {
    const int8_t *index = subset_points[subset];
    ov_vec3 p = w[index[1]];
    if (index[0] == 1) {
        return ov_vec3_dot(p, p);
    }
    ov_vec3 e = ov_vec3_sub(w[index[2]], p);
    if (index[0] == 2) {
        ov_vec3 c = ov_vec3_cross(e, p);
        return ov_vec3_dot(c, c) / ov_vec3_dot(e, e);
    }
    ov_vec3 m = ov_vec3_cross(e, ov_vec3_sub(w[index[3]], p));
    double along = ov_vec3_dot(m, p);
    return along * along / ov_vec3_dot(m, m);
}

/** Of a tetrahedron: the nearest of the parts of those faces with the last point that have the
 *  origin on their outer side, or in their plane. */
static inline unsigned likely_of_four(const ov_vec3 *w) {
    fan a = fan_of(w, 4);
    ov_vec3 m[3];
    for (int i = 0; i < 3; i++) {
        int j = i == 2 ? 0 : i + 1;
        m[i] = ov_vec3_cross(a.e[i], a.e[j]);
    }
    double volume = ov_vec3_dot(a.e[2], m[0]), nearest = -1.0;
    unsigned best = 15u;
    for (int i = 0; i < 3; i++) {
        int j = i == 2 ? 0 : i + 1;
        if (ov_vec3_dot(m[i], a.p) * volume < 0.0) {
            continue;
        }
        unsigned subset = region_of(&a, i, j, ov_vec3_dot(a.e[i], a.e[j]), 8u);
        if (best != 15u && subset != best) {
            nearest = nearest < 0.0 ? square_distance(w, best) : nearest;
            double square = square_distance(w, subset);
            best = square < nearest ? subset : best;
            nearest = smaller(nearest, square);
        }
        best = best == 15u ? subset : best;
    }
    return best;
}

/**
 * The subset that holds the nearest point, if rounding does not tell otherwise: 15 where a
 * tetrahedron holds the origin. The last point is new and part of it.
 */
static inline unsigned likely_subset(const ov_vec3 *w, int count) {
    if (count == 2) {
        ov_vec3 e = ov_vec3_sub(w[1], w[0]);
        return ov_vec3_dot(e, w[1]) <= 0.0 ? 2u : ov_vec3_dot(e, w[0]) >= 0.0 ? 1u : 3u;
    }
    if (count == 3) {
        fan a = fan_of(w, 3);
        return region_of(&a, 0, 1, ov_vec3_dot(a.e[0], a.e[1]), 4u);
    }
    return count == 1 ? 1u : likely_of_four(w);
}

/** Of all subsets the one with the least duality gap; those of the last point come first. */
static ovi_foot exhaustive_nearest(const ov_vec3 *w, int count) {
    ovi_foot best = {.count = 0}, nearest, foot;
    double best_defect = INFINITY;
    (void)foot_of_point(w, count - 1, &best);
    nearest = best;
    for (unsigned s = (1u << count) - 1u; s > 0 && best_defect > DEFECT_MAX; s--) {
        if (s == 15u || !foot_of(w, s, &foot)) {
            continue;
        }
        double defect = foot_defect(w, count, &foot);
        if (defect < best_defect) {
            best_defect = defect;
            best = foot;
        }
        if (foot.length < nearest.length) {
            nearest = foot;
        }
    }
    // next to a face, but inside by less than what proves an overlap, every foot has a defect
    return best_defect > DEFECT_MAX && nearest.length < 0.9 * best.length ? nearest : best;
}

/** The nearest point, once the likely subset is known; not of a tetrahedron that holds the origin.
 */
static inline void nearest_of(const ov_vec3 *w, int count, unsigned likely, ovi_foot *foot) {
    bool good =
        likely != 15u && foot_of(w, likely, foot) && foot_defect(w, count, foot) <= DEFECT_MAX;
    if (!good) {
        *foot = exhaustive_nearest(w, count);
    }
}

ovi_foot ovi_simplex_nearest(const ov_vec3 *w, int count) {
    ovi_foot foot;
    nearest_of(w, count, likely_subset(w, count), &foot);
    return foot;
}

/* ---- the simplex */

typedef struct simplex {
    ovi_vertex p[4];
    int count;
    int equal;       /**< how often it was no nearer than before */
    ovi_foot foot;   /**< nearest point; all points are part of it */
    bool full;       /**< with the fourth point it holds the origin: proven */
    bool touches;    /**< the best direction is where Newton's method ended */
    ovi_touch touch; /**< there */
} simplex;

static double determinant(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    return ov_vec3_dot(a, ov_vec3_cross(b, c));
}

/**
 * How far inside a tetrahedron the origin lies, from its nearest face; zero where that is not
 * certain. 1. With the shares s_i of the origin, the point q = sum s_i w_i of the tetrahedron is
 * s_i h_i away from face i, h_i being the height over it; |q| is rounding only, and taken off.
 * 2. h_i is the volume over the area of the face; both are off by no more than some ulp of the
 * longest edge to the third and second power.
 */
static double inside_margin(const simplex *s) {
    ov_vec3 w[4], q = {0.0, 0.0, 0.0};
    double share[4], longest = 0.0, margin = INFINITY;
    for (int i = 0; i < 4; i++) {
        w[i] = s->p[i].w;
    }
    ov_vec3 e = ov_vec3_sub(w[1], w[0]), f = ov_vec3_sub(w[2], w[0]), g = ov_vec3_sub(w[3], w[0]);
    ov_vec3 o = ov_vec3_neg(w[0]);
    double volume = determinant(e, f, g);
    share[1] = determinant(o, f, g) / volume;
    share[2] = determinant(e, o, g) / volume;
    share[3] = determinant(e, f, o) / volume;
    share[0] = 1.0 - share[1] - share[2] - share[3];
    for (int i = 0; i < 4; i++) {
        if (!(share[i] > 0.0)) {
            return 0.0;
        }
        q = ov_vec3_add_scaled(q, w[i], share[i]);
        longest = fmax(longest, ov_vec3_length(ov_vec3_sub(w[i], w[(i + 1) % 4])));
    }
    longest = 2.0 * fmax(longest, ov_vec3_length(ov_vec3_sub(w[0], w[2])));
    double slack = 64.0 * DBL_EPSILON * longest * longest;
    for (int i = 0; i < 4; i++) {
        ov_vec3 a = w[(i + 1) % 4], b = w[(i + 2) % 4], c = w[(i + 3) % 4];
        ov_vec3 face = ov_vec3_cross(ov_vec3_sub(b, a), ov_vec3_sub(c, a));
        double height = (fabs(volume) - slack * longest) / (ov_vec3_length(face) + slack);
        margin = fmin(margin, share[i] * height);
    }
    margin -= ov_vec3_length(q) + 64.0 * DBL_EPSILON;
    return margin > 0.0 ? margin : 0.0;
}

/** Keeps of some points, of which the simplex' own may be some, those that are part of their foot.
 */
static void keep_foot(simplex *s, const ovi_vertex *p, const ovi_foot *foot) {
    s->foot = *foot;
    s->count = foot->count;
    for (int i = 0; i < foot->count; i++) {
        // indices ascend, so none is overwritten before it is read
        if (p != s->p || foot->index[i] != i) {
            s->p[i] = p[foot->index[i]];
        }
        s->foot.index[i] = i;
    }
}

/**
 * Takes one more point, the last in `w` and of `p`; false where that brings the simplex no nearer
 * to the origin. The length of a long v does not tell of small turns, which the lower bound needs:
 * some equal ones pass.
 */
static bool simplex_add(simplex *s, const ov_vec3 *w, unsigned likely) {
    ovi_foot foot;
    nearest_of(w, s->count + 1, likely, &foot);
    if (s->count > 0 && !(foot.length < s->foot.length)) {
        bool equal = foot.length <= s->foot.length * (1.0 + 4.0 * DBL_EPSILON);
        if (!equal || s->equal == EQUAL_MAX) {
            return false;
        }
        s->equal++;
    }
    keep_foot(s, s->p, &foot);
    return true;
}

/* ---- warm starts: the vertices of the last simplex, by their numbers */

/** The simplex of the last query where the bodies are now; empty where it is not known. */
static void simplex_recall(const ovi_minkowski *core, const ov_warm_start *warm, simplex *s) {
    s->count = s->equal = 0;
    s->full = s->touches = false;
    if (warm == NULL || ovi_has_pieces(core->pair)) {
        return;
    }
    const double a[3] = {warm->a.x, warm->a.y, warm->a.z}, b[3] = {warm->b.x, warm->b.y, warm->b.z};
    ovi_vertex p[3];
    ov_vec3 w[3], at_a, at_b;
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (ovi_core_vertex(core->pair->a, a[i], &at_a) &&
            ovi_core_vertex(core->pair->b, b[i], &at_b)) {
            p[count].number_a = (uint32_t)a[i];
            p[count].number_b = (uint32_t)b[i];
            (void)place_vertex(core, at_a, at_b, &p[count]);
            w[count] = p[count].w;
            count++;
        }
    }
    if (count > 0) {
        ovi_foot foot = ovi_simplex_nearest(w, count);
        if (ovi_is_direction(foot.n)) {
            keep_foot(s, p, &foot);
        }
    }
}

/**
 * A mean of several vertices becomes one of them. As the only point of a simplex the mean is the
 * better one, in the middle of a face or an edge; beside others it is less than what it is a mean
 * of.
 */
static void pick_vertex(const ovi_minkowski *core, ovi_vertex *p) {
    if (((p->number_a | p->number_b) & OVI_TIED) == 0) {
        return;
    }
    ov_vec3 a = p->a, b = p->b;
    if ((p->number_a & OVI_TIED) != 0) {
        p->number_a &= ~OVI_TIED;
        (void)ovi_core_vertex(core->pair->a, p->number_a, &a);
    }
    if ((p->number_b & OVI_TIED) != 0) {
        p->number_b &= ~OVI_TIED;
        (void)ovi_core_vertex(core->pair->b, p->number_b, &b);
        b = ovi_from_b(core->pair, b);
    }
    p->a = a;
    p->b = b;
    p->w = ov_vec3_scale(ov_vec3_sub(b, a), core->scale);
}

/**
 * Numbers of the pieces that Newton's method ended on; or of the simplex' vertices, if all of them
 * have some, but not of a mean that is all of it, which the normal finds again.
 */
static void simplex_remember(const simplex *s, ov_warm_start *warm) {
    if (s->touches) {
        const uint32_t *a = s->touch.number_a, *b = s->touch.number_b;
        warm->a = ov_vec3_make(a[0], a[1], a[2]);
        warm->b = ov_vec3_make(b[0], b[1], b[2]);
        return;
    }
    double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
    bool all = s->count != 1 || ((s->p[0].number_a | s->p[0].number_b) & OVI_TIED) == 0;
    for (int i = 0; i < s->count && i < 3; i++) {
        a[i] = s->p[i].number_a & ~OVI_TIED;
        b[i] = s->p[i].number_b & ~OVI_TIED;
        all = all && a[i] > 0.0 && b[i] > 0.0;
    }
    const ov_vec3 none = {0.0, 0.0, 0.0};
    warm->a = all ? ov_vec3_make(a[0], a[1], a[2]) : none;
    warm->b = all ? ov_vec3_make(b[0], b[1], b[2]) : none;
}

/** Directions to try when the last support brought nothing: v as it is, then normals of faces. */
static bool alternative(const simplex *s, const ovi_vertex *last, int which, ov_vec3 *n) {
    *n = ov_vec3_normalize(s->foot.v);
    if (which > 0) {
        if (s->count < 2 || which > s->count) {
            return false;
        }
        ov_vec3 a = s->p[which - 1].w, b = s->p[which % s->count].w;
        ov_vec3 m = ov_vec3_cross(ov_vec3_sub(a, last->w), ov_vec3_sub(b, last->w));
        *n = ov_vec3_normalize(ov_vec3_dot(m, s->foot.v) < 0.0 ? ov_vec3_neg(m) : m);
    }
    return ov_vec3_dot(*n, *n) > 0.5;
}

/* ---- the loop */

/** Witness points of the cores: the foot's combination of the vertices that it comes from. */
static void set_points(const ovi_vertex *p, const ovi_foot *foot, ovi_result *r) {
    r->point_a = r->point_b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < foot->count; i++) {
        const ovi_vertex *vertex = &p[foot->index[i]];
        r->point_a = ov_vec3_add_scaled(r->point_a, vertex->a, foot->share[i]);
        r->point_b = ov_vec3_add_scaled(r->point_b, vertex->b, foot->share[i]);
    }
}

static void note_upper(const ovi_minkowski *core, const simplex *s, ovi_result *r) {
    double upper = s->foot.length / core->scale - core->skin + core->pair->rounding;
    if (upper < r->upper) {
        r->upper = upper;
        set_points(s->p, &s->foot, r);
    }
}

/** A full simplex whose origin is well inside proves the overlap. */
static bool note_overlap(const ovi_minkowski *core, simplex *s, ovi_result *r) {
    double margin = inside_margin(s) / core->scale - core->pair->rounding;
    if (margin <= 0.0) {
        return false;
    }
    s->full = r->overlap = true;
    r->upper = smaller(r->upper, -margin - core->skin);
    return true;
}

/** Where the overlap is all there is to know about the depth: points of the face that the best
 *  direction goes through. */
static void set_overlap_points(const ovi_minkowski *core, const simplex *s, ovi_result *r) {
    ov_vec3 w[4] = {s->p[0].w, s->p[1].w, s->p[2].w, s->p[3].w};
    ov_vec3 target = ov_vec3_scale(r->normal, (r->lower + core->skin) * core->scale);
    double nearest = INFINITY;
    for (unsigned left_out = 0; left_out < 4; left_out++) {
        ovi_foot foot;
        if (!foot_of(w, 15u & ~(1u << left_out), &foot)) {
            continue;
        }
        double distance = length_of(ov_vec3_sub(foot.v, target));
        if (distance < nearest) {
            nearest = distance;
            set_points(s->p, &foot, r);
        }
    }
}

static bool is_done(const ovi_minkowski *core, const ovi_result *r) {
    return ovi_is_enough(core->pair, r) || r->upper - r->lower <= 2.5 * core->pair->rounding;
}

/**
 * Bodies that overlap where Newton's method ended have a common point half way between its points,
 * if that is inside both by more than rounding: all there is to know where no depth is asked for.
 * One of them is a box, capsule, cylinder or cone (ovi_has_pieces), whose level is a distance: a
 * ball of the rounding error about the point is in it, and in that ball is the other's point.
 */
static void note_common_point(const ovi_minkowski *core, const ovi_touch *touch, ovi_result *r) {
    const ovi_pair *pair = core->pair;
    bool asked = pair->rough || pair->limit >= 0.0;
    if (!asked || !ovi_has_level(pair->a) || !ovi_has_level(pair->b) ||
        ov_vec3_dot(touch->n, ov_vec3_sub(touch->b, touch->a)) >= core->skin) {
        return;
    }
    ov_vec3 a = ov_vec3_add_scaled(touch->a, touch->n, core->skin_a);
    ov_vec3 b = ov_vec3_add_scaled(touch->b, touch->n, -core->skin_b);
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(a, b), 0.5);
    ovi_level on_a = ovi_level_at(pair->a, middle, pair->rounding);
    ovi_level on_b =
        ovi_level_at(pair->b, ovi_to_b(pair, ov_vec3_sub(middle, pair->offset)), pair->rounding);
    if (on_a.value < -on_a.noise && on_b.value < -on_b.noise) {
        r->overlap = true;
        r->upper = smaller(r->upper, 0.0);
    }
}

/** Where Newton's method ended: a direction to try, and two points of the bodies. */
static void take_touch(const ovi_minkowski *core, const ovi_touch *touch, simplex *s, ov_vec3 *n,
                       ovi_result *r) {
    double upper = length_of(ov_vec3_sub(touch->b, touch->a)) - core->skin + core->pair->rounding;
    if (upper < r->upper) {
        r->upper = upper;
        r->point_a = touch->a;
        r->point_b = touch->b;
    }
    s->touches = true;
    s->touch = *touch;
    *n = touch->n;
    note_common_point(core, touch, r);
}

/**
 * Newton's method from the simplex, once that has settled somewhat: after NEWTON_FIRST supports of
 * cores that are apart or nearly so, NEWTON_LATE of others, and then after every other one. What it
 * ends with is only a direction to try, and two points of the bodies.
 */
static void try_newton(const ovi_minkowski *core, simplex *s, int *due, ov_vec3 *n, ovi_result *r) {
    ovi_touch touch;
    *due = r->iterations + 2;
    if (ovi_newton_on_pieces(core, s->p, s->foot.share, s->count, s->foot.n, &touch)) {
        take_touch(core, &touch, s, n, r);
    }
}

/** Next of the alternatives; false where there is none left. */
static bool next_alternative(const simplex *s, const ovi_vertex *last, int *tried, ov_vec3 *n) {
    while (*tried < ALTERNATIVES) {
        if (alternative(s, last, (*tried)++, n)) {
            return true;
        }
    }
    return false;
}

/**
 * Direction after the first support w along n. A turn of n by d takes w aside by R d, for a
 * difference whose radius of curvature is R, so w is along n after d = w'/(R + |w|), with w' the
 * part of w across n: the direction of w + R n. Along w itself, as if R were zero, n would turn too
 * far. R is some part of the radii.
 */
static ov_vec3 second_direction(const ovi_minkowski *core, const simplex *s, ov_vec3 n) {
    const ovi_pair *pair = core->pair;
    double radii = pair->a->ball.radius + pair->b->ball.radius - core->skin;
    ov_vec3 next = unit_of(ov_vec3_add_scaled(s->foot.v, n, 0.7 * core->scale * radii));
    return s->count == 1 && ovi_is_direction(next) ? next : s->foot.n;
}

/** Until the bounds are close enough, the overlap is proven, or nothing brings them closer. */
static ov_status iterate(const ovi_minkowski *core, ov_vec3 n, simplex *s, ovi_result *r) {
    ovi_vertex p = {.w = {0.0, 0.0, 0.0}}, last = p;
    // the polytope finds the depths of superquadrics, best from a wide tetrahedron
    bool powers = ovi_has_powers(core->pair);
    int tried = 0, due = ovi_has_pieces(core->pair) ? NEWTON_FIRST : ITERATIONS_MAX;
    while (r->iterations < ITERATIONS_MAX) {
        double separation;
        ov_status status = ovi_minkowski_support(core, n, &p, &separation);
        if (status != OV_OK) {
            return status;
        }
        r->iterations++;
        ovi_note_lower(core, n, separation, r);
        if (is_done(core, r)) {
            return OV_OK;
        }
        if (s->count > 0) {
            pick_vertex(core, &p);
        }
        s->p[s->count] = p;
        ov_vec3 w[4];
        for (int i = 0; i <= s->count; i++) {
            w[i] = s->p[i].w;
        }
        unsigned likely = likely_subset(w, s->count + 1);
        if (likely == 15u && note_overlap(core, s, r)) {
            return OV_OK;
        }
        if (simplex_add(s, w, likely)) {
            tried = 0;
            note_upper(core, s, r);
            if (is_done(core, r) || s->foot.length / core->scale <= core->pair->rounding) {
                return OV_OK;
            }
            n = r->iterations == 1 && !powers ? second_direction(core, s, n) : s->foot.n;
            bool apart = r->lower + core->skin > -0.03 * core->pair->size;
            apart = apart || (r->iterations >= NEWTON_LATE && !powers);
            if (apart && r->iterations >= due) {
                try_newton(core, s, &due, &n, r);
            }
            if (r->overlap) {
                return OV_OK;
            }
            continue;
        }
        last = tried == 0 ? p : last;
        if (!next_alternative(s, &last, &tried, &n)) {
            return OV_OK;
        }
    }
    return OV_OK;
}

/** Witness points and the best value of the gap, where more was asked for than its bounds. */
static ov_status finish(const ovi_minkowski *core, const simplex *s, ovi_result *r) {
    const ovi_pair *pair = core->pair;
    if (s->full) {
        set_overlap_points(core, s, r);
    }
    if (core->skin > 0.0) {
        r->overlap = r->overlap || r->upper < 0.0;
    }
    ov_status status = OV_OK;
    if (isnan(pair->limit) && !pair->rough && !ovi_is_beyond(pair, r)) {
        status = ovi_witness_points(core, r->point_a, r->point_b, r);
    } else {
        r->point_a = ov_vec3_add_scaled(r->point_a, r->normal, core->skin_a);
        r->point_b = ov_vec3_add_scaled(r->point_b, r->normal, -core->skin_b);
        r->gap = 0.5 * (r->lower + r->upper);
    }
    r->solved = r->upper - r->lower <= pair->goal;
    return status;
}

/** Bounds of the distance, or proof of the overlap, from a first direction or the warm start. */
static ov_status search(const ovi_minkowski *core, ov_vec3 first, ov_warm_start *warm, simplex *s,
                        ovi_result *result) {
    *result = ovi_result_unknown();
    ov_vec3 n = ov_vec3_normalize(first);
    if (!(ov_vec3_dot(n, n) > 0.5)) {
        n = ov_vec3_make(1.0, 0.0, 0.0);
    }
    simplex_recall(core, warm, s);
    if (s->count > 0) {
        n = s->foot.n;
        note_upper(core, s, result);
    }
    ovi_touch touch;
    if (warm != NULL && ovi_has_pieces(core->pair) && ovi_newton_recall(core, warm, &touch)) {
        take_touch(core, &touch, s, &n, result);
    }
    result->normal = n;
    ov_status status = iterate(core, n, s, result);
    if (warm != NULL) {
        simplex_remember(s, warm);
    }
    bool open = !result->overlap && !(core->skin > 0.0 && result->upper < 0.0);
    if (status == OV_OK && open && !is_done(core, result)) {
        status = ovi_epa_decide(core, result);
    }
    return status;
}

ov_status ovi_gjk_distance(const ovi_pair *pair, ov_vec3 first, ov_warm_start *warm,
                           ovi_result *result) {
    ovi_minkowski core = ovi_minkowski_make(pair);
    simplex s;
    ov_status status = search(&core, first, warm, &s, result);
    return status == OV_OK ? finish(&core, &s, result) : status;
}

ov_status ovi_gjk_contact(const ovi_pair *pair, ov_vec3 first, ov_warm_start *warm,
                          ovi_result *result) {
    ovi_minkowski core = ovi_minkowski_make(pair);
    simplex s;
    ov_status status = search(&core, first, warm, &s, result);
    if (status != OV_OK) {
        return status;
    }
    bool deep = result->overlap && !pair->rough && !ovi_is_enough(pair, result);
    if (deep && s.full) {
        return ovi_epa_depth(pair, s.p, result);
    }
    status = finish(&core, &s, result);
    deep = result->overlap && !result->solved && !pair->rough && !ovi_is_enough(pair, result);
    return status == OV_OK && deep ? ovi_epa_depth(pair, NULL, result) : status;
}
