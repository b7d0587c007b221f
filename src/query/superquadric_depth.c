/**
 * @file superquadric_depth.c
 * @brief The least depth of two overlapping superquadrics, over all directions.
 *
 *     1. The depth along n is s(n) = hA(n) + hB(-n) - n.d, with several local minima over the
 *        sphere. Newton's method ends at one of them. Where balls that roll inside the bodies show
 *        it to be the least (see below), nothing is searched.
 *     2. The minima lie where the bodies are flat or meet edge to edge, so the directions worth an
 *        iteration are known beforehand: the middles of the faces, edges and octants of both
 *        bodies, tilted by their tapers, where an edge of each meets one of the other, and the line
 *        of centres.
 *     3. An estimate of s without powers ranks them: the norms in h are interpolated between the
 *        sum, the root and the maximum. Those whose estimate is not far above the least depth known
 *        so far are starts of Newton's method, several at a time; an iteration that is about to end
 *        at a greater depth is given up.
 *     4. This finds the least depth of ordinary pairs. For bodies with nearly flat faces, sharp
 *        edges or slender forms, whose minima are many and narrow, and where the least depth may be
 *        on bridges over dents, a polytope inside the Minkowski difference of the bodies (epa.c)
 *        finds the region and proves that no other one has a lesser depth, and Newton's method from
 *        there finds the value.
 */
#include <stddef.h>

#include "superquadric_newton.h"
#include "support_solver.h"

/* ---- balls that roll inside smooth bodies: what makes a shallow local depth the least of all

   A ball whose radius is no more than any radius of curvature of a convex body rolls everywhere
   inside its surface (Blaschke): it touches there at each point and is held by the body. So two
   witness points p with their normals n give a ball of each body, about c = p - rho n, and as the
   depth of bodies is no less than that of what they hold,

       gap(A, B) <= |cB - cA| - rhoA - rhoB

   At a stationary depth d <= rhoA + rhoB the right side is -d: the depth found is the least of all
   directions, and no search is needed. A surface with a dent is bounded by its hull, which
   bends no more than the surface does where they meet, and not at all elsewhere.

   The radius. For unit axes and no taper it is next to that of the flatter exponent's superellipse
   at its diagonal, (the largest curvature of |u|^(2/e) + |v|^(2/e) = 1, e <= 1),

       r(e) = 2^((1-e)/2) e/(2-e) >= (1 + (1-e) ln 2/2) e/(2-e)

   and no less than 0.99 of it, by a sweep over both exponents (tests/test_superquadric_depth.c); a
   margin of a tenth is taken off. That is no proof: only for ellipsoids, whose least radius is
   known exactly, the bound is handed out as one. For e > 1 there are edges, and no ball.

   With axes and taper: let J be the derivative of (X, Y, zeta) = (x/(a1 f1), y/(a2 f2), z/a3), and
   F half the square of the gauge as a function of these. Along a straight line X'' = -2 alpha zeta'
   X' with alpha = tx/f1, and likewise Y'' with beta. So for a unit tangent t and T = J t, the
   curvature is

       (T.F''T - 2 zeta' (alpha F_X X' + beta F_Y Y')) / |J^T F'|

   Its first term is at most |T|^2 |F'|/r. In the second, F_X X' + F_Y Y' = -F_zeta zeta' for a
   tangent, so the mean of alpha and beta makes 2 mean zeta'^2 F_zeta of it, which is positive on
   the wide side only, and their half difference no more than |alpha - beta|/2 |T|^2 |F'|. Hence

       curvature <= (1/r + 2 max(0, alpha sgn(zeta), beta sgn(zeta)) + |alpha - beta|/2)
                    |J|^2 |J^-1|

   which is taken for the lower and the upper half of the body, each with its own range of f1, f2.
 */

/** Least radius of curvature for unit axes and no taper; e <= 1. */
static double unit_radius(double e) { return 0.9 * (1.0 + 0.34 * (1.0 - e)) * e / (2.0 - e); }

/** Largest eigenvalue of a symmetric matrix: the square of a norm. */
static double norm_square(double xx, double xy, double yy) {
    double half = 0.5 * (xx - yy);
    return 0.5 * (xx + yy) + sqrt(half * half + xy * xy);
}

/** A bound of the curvature above (side 1) or below (-1) the equator; `radius` as if unit axes. */
static double half_curvature(const ov_shape *s, double radius, double side) {
    double tx = side * s->tx, ty = side * s->ty, a3 = s->a.z;
    // least and largest factors of this half
    double x0 = 1.0 + (tx < 0.0 ? tx : 0.0), x1 = 1.0 + (tx > 0.0 ? tx : 0.0);
    double y0 = 1.0 + (ty < 0.0 ? ty : 0.0), y1 = 1.0 + (ty > 0.0 ? ty : 0.0);
    double thin = s->a.x * x0 < s->a.y * y0 ? s->a.x * x0 : s->a.y * y0;
    double wide = s->a.x * x1 > s->a.y * y1 ? s->a.x * x1 : s->a.y * y1;
    double alpha = fabs(tx) / x0, beta = fabs(ty) / y0, rise = tx > ty ? tx : ty;
    // |(X alpha, Y beta)|, the chord of 2^((1-e)/2) for the largest |(X, Y)|
    double shear = (alpha > beta ? alpha : beta) * (1.4143 - 0.4142 * s->e1);
    double bend = 1.0 / radius + 2.0 * (rise > 0.0 ? rise : 0.0) + 0.5 * fabs(tx - ty) / (x0 * y0);
    double i = 1.0 / thin, k = 1.0 / a3, w = wide * wide, more = 1.0 + shear * shear;
    double there = norm_square(i * i, shear * i * k, more * k * k);
    double back = norm_square(w, shear * w, shear * shear * w + a3 * a3);
    return bend * there * sqrt(back);
}

double ovi_rolling_radius(const ov_shape *s) {
    double e = s->e1 > s->e2 ? s->e1 : s->e2;
    if (e > 1.0) {
        return 0.0;
    }
    double least = s->a.x < s->a.y ? s->a.x : s->a.y, most = s->a.x < s->a.y ? s->a.y : s->a.x;
    least = least < s->a.z ? least : s->a.z;
    most = most > s->a.z ? most : s->a.z;
    if (s->kind <= OV_SHAPE_KIND_ELLIPSOID) {
        return (1.0 - 1e-14) * least * least / most;
    }
    double radius = unit_radius(s->e1 < s->e2 ? s->e1 : s->e2);
    if (s->kind == OV_SHAPE_KIND_SUPERELLIPSOID) {
        return radius * least * least / most;
    }
    double below = half_curvature(s, radius, -1.0), above = half_curvature(s, radius, 1.0);
    return 1.0 / (below > above ? below : above);
}

double ovi_rolling_gap(const ovi_pair *p, const ovi_newton_end *e) {
    double ra = ovi_rolling_radius(p->a), rb = ovi_rolling_radius(p->b);
    ov_vec3 d = ov_vec3_sub(e->point_b, e->point_a);
    d = ov_vec3_add_scaled(ov_vec3_add_scaled(d, e->normal_b, -rb), e->normal_a, ra);
    return sqrt(ov_vec3_dot(d, d)) - ra - rb + p->rounding;
}

double ovi_rolling_bound(const ovi_pair *p, double rolling_gap) {
    bool proven = p->a->kind <= OV_SHAPE_KIND_ELLIPSOID && p->b->kind <= OV_SHAPE_KIND_ELLIPSOID;
    return proven ? rolling_gap : INFINITY;
}

/* ---- directions to start from */

enum { DIRECTIONS = 1 + 12 + 18 + 16 + 24, GROUPS = (DIRECTIONS + 3) / 4 };
/** Most starts of a search; more where tapered bodies have their middles close to each other. */
enum { STARTS_MAX = 16, STARTS_MAX_DEEP = 32 };

/** A number of each direction, by itself or four at a time. */
typedef union numbers {
    double at[4 * GROUPS];
    ovi_v4 four[GROUPS];
} numbers;

/** All directions, A's outward: of any length at first, then unit vectors. */
typedef struct directions {
    numbers x, y, z;
    int count;
} directions;

static bool is_tapered(const ov_shape *s) { return s->tx != 0.0 || s->ty != 0.0; }

static void add(directions *c, ov_vec3 v) {
    c->x.at[c->count] = v.x;
    c->y.at[c->count] = v.y;
    c->z.at[c->count] = v.z;
    c->count++;
}

/**
 * Normals in the middle of a body's faces, edges and octants, A's outward, which a taper tilts: the
 * covectors (superquadric_newton.h) at places with the given signs, half way between their ends.
 */
static void add_middles(directions *c, const ovi_pair *p, const ov_shape *s, bool of_b) {
    const double half = 0.7; // of width and height: that of a circle
    double outward = of_b ? -1.0 : 1.0, ix = outward / s->a.x, iy = outward / s->a.y;
    double iz = outward / s->a.z;
    for (int up = -1; up <= 1; up++) {
        double i1 = 1.0 / (1.0 + half * up * s->tx), i2 = 1.0 / (1.0 + half * up * s->ty);
        double w = up != 0 ? half : 1.0, lean_x = w * s->tx * i1, lean_y = w * s->ty * i2;
        for (int i = 0; i < 9; i++) {
            int x = i % 3 - 1, y = i / 3 - 1;
            double lean = x != 0 && y != 0 ? 0.5 * (lean_x + lean_y)
                          : x != 0         ? lean_x
                          : y != 0         ? lean_y
                                           : 0.0;
            ov_vec3 v = {x * ix * i1, y * iy * i2, (up - lean) * iz};
            if (x != 0 || y != 0 || up != 0) {
                add(c, of_b ? ovi_turn_from_b(p, v) : v);
            }
        }
    }
}

/** How much a section's support grows with the height, over the height's semi-axis, roughly; the
 *  same for a direction and its opposite. */
static double lean_of(const ov_shape *s, ov_vec3 n) {
    double x = s->a.x * n.x, y = s->a.y * n.y, xx = x * x, yy = y * y;
    return (s->tx * xx + s->ty * yy) / (s->a.z * sqrt(xx + yy + 1e-280));
}

/**
 * Where an edge of A across its axis a meets one of B across b: along the product of the axes. A
 * taper moves the edge about the equator, across z, out of its plane: n.z = -lean for the outward
 * normals of both, which is made up for to first order.
 */
static void add_meeting_edges(directions *c, const ovi_pair *p, ov_vec3 a, ov_vec3 b, bool level_a,
                              bool level_b) {
    ov_vec3 n = ov_vec3_cross(a, b), shift = {0.0, 0.0, 0.0};
    double ab = ov_vec3_dot(a, b), square = 1.0 - ab * ab;
    if (square > 0.05 && ((level_a && is_tapered(p->a)) || (level_b && is_tapered(p->b)))) {
        // n + x a + y b with n.a = -off_a, n.b = off_b; lean is of degree one, as n is
        double off_a = level_a ? lean_of(p->a, n) : 0.0;
        double off_b = level_b ? lean_of(p->b, ovi_to_b(p, n)) : 0.0;
        double x = -(off_a + ab * off_b) / square, y = (off_b + ab * off_a) / square;
        shift = ov_vec3_add_scaled(ov_vec3_scale(a, x), b, y);
    }
    add(c, ov_vec3_add(shift, n));
    add(c, ov_vec3_sub(shift, n));
}

static void list_directions(const ovi_pair *p, directions *c) {
    const ov_vec3 a[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const ov_vec3 b[3] = {p->turn.cx, p->turn.cy, p->turn.cz};
    c->count = 0;
    add(c, p->offset);
    for (int i = 0; i < 9; i++) {
        add_meeting_edges(c, p, a[i % 3], b[i / 3], i % 3 == 2, i / 3 == 2);
    }
    add_middles(c, p, p->a, false);
    add_middles(c, p, p->b, true);
    while (c->count < 4 * GROUPS) {
        add(c, ov_vec3_make(0.0, 0.0, 0.0));
    }
}

/** A norm of two numbers that are not negative, interpolated between the sum (e = 0), the root (1)
 *  and the maximum (2), and its derivatives; four at a time. */
typedef struct blend {
    ovi_v4 value, du, dv;
} blend;

OVI_INLINE blend blend_of(ovi_v4 u, ovi_v4 v, double e) {
    ovi_v4 inverse = 1.0 / ovi_v4_sqrt(u * u + v * v + 1e-280), one = ovi_v4_of(1.0);
    ovi_v4 none = ovi_v4_of(0.0), larger = ovi_v4_select(u > v, one, none);
    double round =
        e <= 1.0 ? e : 2.0 - e; // the root's share; the rest is the sum's, or the maximum's
    double rest = 1.0 - round;
    blend b;
    b.du = round * inverse * u + rest * (e <= 1.0 ? one : larger);
    b.dv = round * inverse * v + rest * (e <= 1.0 ? one : one - larger);
    b.value = b.du * u + b.dv * v; // of degree one
    return b;
}

/**
 * Support of a body, roughly; the direction in its frame. With m the support of the section and k
 * what it gains by the taper a unit of height, the profile has the support
 *
 *     max w (m + k zeta) + z zeta,    w zeta = w0 zeta + zeta0 w - w0 zeta0 nearly
 *
 * from where the profile without taper has its maximum (w0, zeta0).
 */
OVI_INLINE ovi_v4 estimate_support(const ov_shape *s, ovi_v4 nx, ovi_v4 ny, ovi_v4 nz) {
    ovi_v4 x = s->a.x * ovi_v4_abs(nx), y = s->a.y * ovi_v4_abs(ny), z = s->a.z * nz;
    blend section = blend_of(x, y, s->e1), peak = blend_of(section.value, ovi_v4_abs(z), s->e2);
    if (!is_tapered(s)) {
        return peak.value;
    }
    ovi_v4 k = s->tx * x * section.du + s->ty * y * section.dv, w0 = peak.du;
    ovi_v4 zeta0 = ovi_v4_copysign(peak.dv, z), lean = z + k * w0;
    peak = blend_of(section.value + k * zeta0, ovi_v4_abs(lean), s->e2);
    return peak.value - k * w0 * zeta0;
}

/** Makes unit vectors of the directions and estimates the depth along each. */
OVI_INLINE int estimate_all(const ovi_pair *p, directions *c, numbers *depth) {
    const ov_mat3 *m = &p->turn;
    for (int i = 0; i < GROUPS; i++) {
        ovi_v4 x = c->x.four[i], y = c->y.four[i], z = c->z.four[i], square = x * x + y * y + z * z;
        ovi_i4 none = ~(square > 0.0);
        ovi_v4 unit = 1.0 / ovi_v4_sqrt(ovi_v4_select(none, ovi_v4_of(1.0), square));
        c->x.four[i] = x *= unit;
        c->y.four[i] = y *= unit;
        c->z.four[i] = z *= unit;
        ovi_v4 bx = m->cx.x * x + m->cx.y * y + m->cx.z * z;
        ovi_v4 by = m->cy.x * x + m->cy.y * y + m->cy.z * z;
        ovi_v4 bz = m->cz.x * x + m->cz.y * y + m->cz.z * z;
        ovi_v4 along = x * p->offset.x + y * p->offset.y + z * p->offset.z;
        ovi_v4 s = estimate_support(p->a, x, y, z) + estimate_support(p->b, -bx, -by, -bz) - along;
        depth->four[i] = ovi_v4_select(none, ovi_v4_of(INFINITY), s);
    }
    return c->count;
}

OVI_DISPATCH(static, int, estimate_depths, estimate_all,
             (const ovi_pair *p, directions *c, numbers *depth), (p, c, depth))

typedef struct candidate {
    ov_vec3 normal; // A's outward
    double estimate;
} candidate;

/** The directions whose estimate is below the threshold, in no order. */
static int list_candidates(const ovi_pair *p, double threshold, candidate *list) {
    directions c;
    numbers depth;
    list_directions(p, &c);
    int all = estimate_depths(p, &c, &depth), count = 0;
    for (int i = 0; i < all; i++) {
        list[count] = (candidate){{c.x.at[i], c.y.at[i], c.z.at[i]}, depth.at[i]};
        count += depth.at[i] < threshold;
    }
    return count;
}

/** Takes the lowest estimate below the threshold off the list; false where there is none. */
static bool take_lowest(candidate *list, int *count, double threshold, candidate *lowest) {
    int least = 0;
    for (int i = 1; i < *count; i++) {
        least = list[i].estimate < list[least].estimate ? i : least;
    }
    if (*count == 0 || !(list[least].estimate < threshold)) {
        return false;
    }
    *lowest = list[least];
    list[least] = list[--*count];
    return true;
}

/* ---- iterations */

typedef struct search {
    const ovi_newton *newton;
    bool tapered;
    double margin; // how far above the least depth the estimate of its best start may be: a factor
    candidate list[4 * GROUPS + 1];
    int count, starts; // candidates left, iterations begun
    ovi_newton_end best;
    bool any;
    double denied; // the least depth of the surfaces that the hulls do not have
    int iterations;
} search;

/** Takes the end of an iteration, if it is less deep than the best so far. */
static void consider(search *s, const ovi_newton_end *end) {
    s->iterations += end->iterations;
    bool stationary = end->verdict == OVI_NEWTON_DEEP || end->verdict == OVI_NEWTON_CONVERGED;
    if (!stationary) {
        return;
    }
    if (!(end->phi < 0.0) || (s->any && end->lower <= s->best.lower)) {
        return;
    }
    ovi_newton_end proven = *end;
    ovi_hull_prove(s->newton, &proven);
    if (proven.verdict == OVI_NEWTON_FAILED) {
        s->denied = fmax(s->denied, end->lower);
    } else if (!s->any || proven.lower > s->best.lower) {
        s->best = proven;
        s->any = true;
    }
}

/** The best depth in units of the size. */
static double depth_of(const search *s) { return -s->best.phi * s->newton->inverse_size; }

/** Estimates that are above it are not worth a start; they are less good for deep overlaps. */
static double threshold_of(const search *s) {
    return s->any ? -(s->margin + 0.05 * depth_of(s)) * s->best.phi : INFINITY;
}

/** Begins an iteration from the best candidate left, if it is worth one. */
static bool begin(search *s, ovi_newtons *lanes, int lane) {
    bool deep = s->any && s->tapered && depth_of(s) > 0.8;
    int most = deep ? STARTS_MAX_DEEP : STARTS_MAX;
    candidate next;
    if (s->starts >= most || !take_lowest(s->list, &s->count, threshold_of(s), &next)) {
        return false;
    }
    ovi_triple_2 place = ovi_newton_places_along(s->newton, next.normal);
    ovi_newtons_load(lanes, lane, s->newton, &place);
    s->starts++;
    return true;
}

/** Newton's method from the candidates, several at a time: where one has ended, the next begins. */
static void try_candidates(search *s) {
    s->count = list_candidates(s->newton->pair, threshold_of(s), s->list);
    ovi_newtons lanes = {.ellipsoids = s->newton->ellipsoids};
    int left = 0;
    while (left < OVI_STARTS && begin(s, &lanes, left)) {
        left++;
    }
    ovi_newton_end ends[OVI_STARTS];
    while (left > 0) {
        lanes.floor = OVI_STARTS_NUM(of)(s->any ? s->best.phi : -INFINITY);
        int done = ovi_newtons_run(&lanes, ends);
        for (int lane = 0; lane < OVI_STARTS; lane++) {
            if (done >> lane & 1) {
                consider(s, &ends[lane]);
                left -= !begin(s, &lanes, lane);
            }
        }
    }
}

/* ---- the search */

/** Flat faces, sharp edges or slender: where the candidates are not enough. */
static bool is_hard(const ov_shape *s) {
    double least = fmin(s->a.x, fmin(s->a.y, s->a.z)), most = fmax(s->a.x, fmax(s->a.y, s->a.z));
    return fmin(s->e1, s->e2) < 0.25 || fmax(s->e1, s->e2) > 1.3 || most > 6.0 * least;
}

static double taper_of(const ov_shape *s) { return fmax(fabs(s->tx), fabs(s->ty)); }

/** How sharp the edges of a body are. */
static double edge_of(const ov_shape *s) { return fmax(0.0, fmax(s->e1, s->e2) - 1.0); }

/**
 * The best start of the least depth has an estimate close above it. How close was measured over
 * 210,000 pairs of the kinds that are not hard: a twentieth for round bodies, more for tapered
 * ones, and for those with edges, whose minima are narrow.
 */
static void set_margin(search *s) {
    const ov_shape *a = s->newton->pair->a, *b = s->newton->pair->b;
    double taper = fmax(taper_of(a), taper_of(b));
    s->tapered = taper > 0.0;
    s->margin = 1.05 + 0.12 * taper + 0.5 * fmax(edge_of(a), edge_of(b));
}

static void write_best(const search *s, ovi_result *r) {
    const ovi_newton_end *e = &s->best;
    r->lower = e->lower - s->newton->pair->rounding;
    r->upper = fmax(r->upper, e->phi); // at loose tolerances the points may be behind the bound
    r->gap = e->phi;
    r->point_a = e->point_a;
    r->point_b = e->point_b;
    r->normal = ovi_newton_normal(s->newton, e);
}

/** Is no direction close by less deep, by more than the goal? */
static bool is_least_nearby(const ovi_pair *pair, const ovi_result *r) {
    ov_mat3 frame = ov_mat3_householder(r->normal);
    const double angles[] = {1e-6, 1e-4, 1e-2};
    for (int i = 0; i < 24; i++) {
        double turn = 0.25 * (i % 8) * 3.14159265358979, angle = angles[i / 8];
        ov_vec3 n = ov_vec3_add_scaled(r->normal, frame.cy, angle * cos(turn));
        n = ov_vec3_normalize(ov_vec3_add_scaled(n, frame.cz, angle * sin(turn)));
        ovi_separation at;
        if (ovi_pair_separation(pair, n, &at) != OV_OK || at.gap > r->lower + pair->goal) {
            return false;
        }
    }
    return true;
}

/** Region and proof by the polytope, the value by Newton's method from there. */
static void search_all(search *s, ovi_result *r) {
    const ovi_pair *pair = s->newton->pair;
    ovi_result epa = ovi_result_unknown();
    epa.overlap = true;
    if (ovi_epa_depth(pair, NULL, &epa) != OV_OK) {
        return;
    }
    s->iterations += epa.iterations;
    r->upper = fmin(r->upper, epa.upper);
    for (int attempt = 0; attempt < OVI_RETRIES; attempt++) {
        ovi_newton_end end = ovi_newton_retry(s->newton, &epa, attempt);
        consider(s, &end);
        if (s->any && s->best.lower >= epa.lower - pair->goal) {
            break;
        }
    }
    if (!s->any || epa.lower > s->best.lower + pair->goal) {
        int iterations = r->iterations;
        double upper = r->upper;
        *r = epa;
        r->iterations = iterations;
        r->upper = upper;
        if (!ovi_refine_by_cuts(pair, r)) {
            ovi_witness_by_supports(pair, r);
        }
        r->solved |= pair->depth != OV_DEPTH_PROVEN && is_least_nearby(pair, r);
        s->any = false;
    }
}

void ovi_depth_search(const ovi_newton *newton, const ovi_newton_end *found, ovi_result *result,
                      ovi_triple_2 *place) {
    search s;
    s.newton = newton;
    set_margin(&s);
    s.any = found != NULL;
    s.starts = s.iterations = 0;
    s.denied = -INFINITY;
    if (found != NULL) {
        s.best = *found;
    }
    bool hard = is_hard(newton->pair->a) || is_hard(newton->pair->b);
    if (ovi_newton_applies(newton->pair->a, newton->pair->b)) {
        try_candidates(&s);
    }
    bool proven = newton->pair->depth == OV_DEPTH_PROVEN, settled = false;
    if (s.any) {
        double rolling = ovi_rolling_gap(newton->pair, &s.best);
        result->upper = fmin(result->upper, ovi_rolling_bound(newton->pair, rolling));
        double known = proven ? result->upper : fmin(result->upper, rolling);
        settled = known - s.best.lower <= newton->pair->goal - newton->pair->rounding;
    }
    // a least depth of the surfaces that is none of the hulls: theirs is on bridges over dents
    bool astray = found == NULL && newton->pair->depth != OV_DEPTH_LOCAL && isfinite(s.denied) &&
                  (!s.any || s.denied > s.best.lower);
    if (!settled && (hard || astray || !s.any || proven)) {
        search_all(&s, result);
    }
    if (s.any) {
        write_best(&s, result);
        result->solved = !proven || result->upper - result->lower <= newton->pair->goal;
        if (place != NULL) {
            *place = s.best.place;
        }
    }
    result->iterations += s.iterations;
}
