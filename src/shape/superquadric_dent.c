/**
 * @file superquadric_dent.c
 * @brief How far a tapered superellipsoid is from convex.
 *
 * The papers call every superovoid convex; most are not, by a little. Horizontal sections are
 * convex, so the body is convex iff for every horizontal direction the profile g(zeta) = w(zeta)
 * M(zeta) (superquadric_support.c) is concave. With s the share of the x axis in M^q1, alpha =
 * tx/f1, beta = ty/f2
 *
 *     g''/g = w''/w + 2 (w'/w) (s alpha + (1-s) beta) + (q1-1) s (1-s) (alpha-beta)^2
 *
 * and, times (1 - |zeta|^p2)^2, each term is finite:
 *
 *     C = -(p2-1) |zeta|^(p2-2) - 2 sgn(zeta) |zeta|^(p2-1) (1-|zeta|^p2) (s alpha + (1-s) beta)
 *         + (q1-1) s (1-s) (alpha-beta)^2 (1-|zeta|^p2)^2
 *
 * C is quadratic in s with its vertex a maximum, so the test over all directions is a search over
 * the height alone. Two causes of C > 0: a strong taper (on the narrow side, the second term) and
 * an unequal one (the third; for e2 < 1 always at the equator, where the others vanish).
 *
 * The depth is that of the deepest point of a profile below its concave hull, measured along the
 * normal of the bridging plane. Profiles are sampled evenly, and densely about the three places
 * where a bend may hide: the equator, the place of the worst C, and the height where the two axes
 * have equal shares (a kink as e1 nears 2). Directions are sampled, the deepest one is refined.
 *
 * For the support function (superquadric_support.c) the shape is also told where its profiles bend
 * inwards: nowhere, about the equator only, or possibly elsewhere. The first two are proven, for
 * all heights and directions, by a branch and bound with interval bounds (the section on proofs
 * below; the mathematics is in docs/theory/dent.md); what is not proven counts as the third. The
 * samples only say how deep a dent is, and where a proof is not worth its time.
 */
#include <float.h>
#include <stddef.h>
#include <stdlib.h>

#include "../math/golden.h"
#include "shape_internal.h"

enum {
    SCAN = 96,    // heights of the convexity test, on each side of the equator
    EVEN = 41,    // even heights of a sampled profile
    CLUSTER = 12, // heights on each side of a place where a bend may hide
    NODES = EVEN + 4 * (2 * CLUSTER + 1),
    INNER = 13, // horizontal directions in which the axes compete
    OUTER = 6,  // and on each side of them, where the longer axis makes up for a smaller share
    DIRECTIONS = INNER + 2 * OUTER,
    BEND_STEPS = 36,  // golden-section steps to the sharpest bend: 0.618^36 = 3e-8
    TOUCH_STEPS = 16, // to where the bridge touches: 5e-4 of a cell, and the profile is flat there
    DEPTH_STEPS = 10, // to the deepest direction: 1e-2 of a step, and the depth is flat there
};

/** Depths below this share of the section's width are rounding. */
static const double negligible = 1e-15;
/** And depths below this one are not worth the refinement of their direction. */
static const double not_refined = 1e-9;

/* ---- test of convexity */

/** max over s of C; see the head of this file. */
static double worst_bend(const ov_shape *s, double zeta) {
    double p2_minus_1 = ovi_primal2(s).minus_1, z = fabs(zeta);
    double z_p1 = ovi_pow(z, p2_minus_1), z_p = z * z_p1;
    double rest = 1.0 - z_p;
    double z_p2 = z > 0.0 ? z_p1 / z : s->e2 < 1.0 ? 0.0 : s->e2 == 1.0 ? 1.0 : INFINITY;
    double flat = p2_minus_1 == 0.0 ? 0.0 : -p2_minus_1 * z_p2;
    double tilt = -2.0 * copysign(z_p1, zeta) * rest;
    double alpha = s->tx / (1.0 + s->tx * zeta), beta = s->ty / (1.0 + s->ty * zeta);
    double spread = alpha - beta;
    double arch = spread == 0.0 ? 0.0 : ovi_dual1(s).minus_1 * spread * spread * rest * rest;
    double at_0 = flat + tilt * beta, at_1 = flat + tilt * alpha;
    double ends = fmax(at_0, at_1);
    if (!(arch > 0.0) || !isfinite(flat)) {
        return ends;
    }
    if (isinf(arch)) {
        return INFINITY;
    }
    double t = 0.5 + 0.5 * tilt * spread / arch;
    return t <= 0.0 || t >= 1.0
               ? ends
               : flat + tilt * (t * alpha + (1.0 - t) * beta) + arch * t * (1.0 - t);
}

/** The largest C, and where. */
typedef struct bend_scan {
    double worst, worst_ray;
} bend_scan;

static double bend_on_ray(double ray, const void *shape) {
    return worst_bend(shape, ovi_on_ray(ovi_primal2(shape), ray).zeta);
}

static bend_scan scan_bend(const ov_shape *s) {
    bend_scan b = {-INFINITY, 0.0};
    const double step = 1.0 / SCAN;
    for (int i = -SCAN; i <= SCAN; i++) {
        double ray = i * step, bend = bend_on_ray(ray, s);
        if (bend > b.worst) {
            b.worst = bend;
            b.worst_ray = ray;
        }
    }
    ovi_peak peak = ovi_golden_max(bend_on_ray, s, fmax(-1.0, b.worst_ray - step),
                                   fmin(1.0, b.worst_ray + step), BEND_STEPS);
    if (peak.value > b.worst) {
        b.worst = peak.value;
        b.worst_ray = peak.x;
    }
    return b;
}

/* ---- proofs, for all heights and directions
 *
 * On the half of the profile with sign sigma = sgn(zeta), z = |zeta|, let P = z^p2, W = 1 - P, M
 * the section's support along a direction, y = -(dM/dz)/M and v = M''/M. Then g'' has the sign of
 *
 *     D = -(p2-1) + 2 X y + v Y,   X = z W,   Y = z^(2-p2) W^2
 *
 *     y = s a + (1-s) b,  a = -sigma alpha,  b = -sigma beta,  v = (q1-1) s (1-s) (alpha-beta)^2
 *
 * The profile is concave where D < 0. It bends inwards about the equator only, with at most one
 * maximum per half whatever is added to it linearly, if D falls with z wherever it is not negative:
 * then D changes its sign at most once, from + to -. Since dy/dz = y^2 - v and
 * dv/dz = v (sigma q1 (1-2s) (alpha-beta) + 2 (a+b)),
 *
 *     dD/dz = 2 X' y + 2 X (y^2 - v) + v Y B,   X' = 1 - (p2+1) P
 *     B = sigma q1 (1-2s) (alpha-beta) + 2 (a+b) - (p2-2)/z - 2 p2 P/(z W)
 *
 * and where D >= 0, v Y >= E = (p2-1) - 2 X y; so with B < 0 and E >= 0
 *
 *     dD/dz <= G = 2 X' y + 2 X y^2 + E B
 *
 * D and G are bounded over cells of (z, s) from the ranges of their terms; a cell that shows
 * neither D < 0 nor G < 0 is divided. Every term is evaluated with a relative error far below
 * `margin`, by which the sum of their sizes is widened.
 */

typedef enum claim { PROVE_CONVEX, PROVE_EQUATORIAL } claim;

typedef struct range {
    double lo, hi;
} range;

/** A height of one half, as the ray (1 - u, u) meets it. */
typedef struct level {
    double u, z, power, rest; // z^p2 and 1 - z^p2, each with its own relative accuracy
} level;

typedef struct bend_cell {
    level in, out; // towards the equator, and towards the pole
    range share;   // s
} bend_cell;

enum { PROOF_CELLS = 3000, PROOF_DEPTH = 64 };
/** The terms' relative errors are below 1e-12, for powers down to 2^-1022 (a cell with a lesser one
 *  has no bound of its arch) and tapers to 0.999. */
static const double margin = 1e-11;
static const double steepest_proven = 0.999;
/** Steeper bodies are asked for their support anyway: normals there are less exact. */
static const double steepest_equatorial = 0.7;

static level level_at(const ov_shape *s, double u) {
    ovi_p_norm_parts n = ovi_p_norm_split(1.0 - u, u, ovi_primal2(s));
    double large = 1.0 / (1.0 + n.t), small = n.t / (1.0 + n.t);
    return (level){u, ovi_on_ray(ovi_primal2(s), u).zeta, n.swapped ? large : small,
                   n.swapped ? small : large};
}

/** Range of s x + (1-s) y, x in a, y in b: linear in s, so that its ends count. */
static range share_out(range a, range b, range s) {
    double low_1 = s.lo * a.lo + (1.0 - s.lo) * b.lo, low_2 = s.hi * a.lo + (1.0 - s.hi) * b.lo;
    double high_1 = s.lo * a.hi + (1.0 - s.lo) * b.hi, high_2 = s.hi * a.hi + (1.0 - s.hi) * b.hi;
    return (range){fmin(low_1, low_2), fmax(high_1, high_2)};
}

/** Most of x y, x and y in ranges. */
static double most_of(range x, range y) {
    return fmax(fmax(x.lo * y.lo, x.lo * y.hi), fmax(x.hi * y.lo, x.hi * y.hi));
}

/** -sigma t/f over a cell: how fast the section shrinks, as a share of itself; monotonic in z. */
static range shrinking(const bend_cell *c, double t) {
    double at_in = -t / (1.0 + t * c->in.z), at_out = -t / (1.0 + t * c->out.z);
    return (range){fmin(at_in, at_out), fmax(at_in, at_out)};
}

/** Most of s x + (1-s) y + arch s (1-s), s in a range. */
static double most_shared(double x, double y, double arch, range s) {
    double at_lo = s.lo * x + (1.0 - s.lo) * y + arch * s.lo * (1.0 - s.lo);
    double at_hi = s.hi * x + (1.0 - s.hi) * y + arch * s.hi * (1.0 - s.hi);
    double top = 0.5 + 0.5 * (x - y) / arch, most = fmax(at_lo, at_hi);
    return top > s.lo && top < s.hi ? top * x + (1.0 - top) * y + arch * top * (1.0 - top) : most;
}

/** G < 0 all over a cell, from the bound `tilt` of 2 X y and the largest alpha - beta. */
static bool is_falling(const ov_shape *s, const bend_cell *c, range a, range b, double tilt,
                       double spread) {
    const level *in = &c->in, *out = &c->out;
    double p_1 = ovi_primal2(s).minus_1;
    double lean = most_of((range){1.0 - 2.0 * c->share.hi, 1.0 - 2.0 * c->share.lo},
                          (range){fmin(spread, 0.0), fmax(spread, 0.0)});
    double away = (p_1 - 1.0) / out->z;
    double pole = in->z > 0.0 ? 2.0 * (p_1 + 1.0) * in->power / (in->z * in->rest) : 0.0;
    double grown = (1.0 + ovi_dual1(s).minus_1) * lean + 2.0 * (a.hi + b.hi);
    double fall = grown - away - pole + margin * (fabs(grown) + away + pole);
    double least = p_1 - tilt - margin * (p_1 + fabs(tilt));
    if (!(fall < 0.0 && least > 0.0)) {
        return false;
    }
    range y = share_out(a, b, c->share);
    range turn = {1.0 - (p_1 + 2.0) * out->power, 1.0 - (p_1 + 2.0) * in->power};
    double steepest = fmax(fabs(y.lo), fabs(y.hi)),
           bend = 2.0 * out->z * in->rest * steepest * steepest;
    double size = 2.0 * (fabs(turn.lo) + fabs(turn.hi) + 2.0) * steepest + bend - least * fall;
    return 2.0 * most_of(turn, y) + bend + least * fall < -margin * size;
}

/** Is D < 0, or, for the second claim, G < 0, all over the cell? `sigma` is the half. */
static bool is_settled(const ov_shape *s, const bend_cell *c, double sigma, claim claim) {
    const level *in = &c->in, *out = &c->out;
    double p_1 = ovi_primal2(s).minus_1, tx = sigma * s->tx, ty = sigma * s->ty;
    range a = shrinking(c, tx), b = shrinking(c, ty), x = {in->z * out->rest, out->z * in->rest};
    // z^(2-p2) = z^2/P falls outwards for p2 > 2, grows for p2 < 2
    const level *wide = p_1 > 1.0 ? in : out;
    double power = wide->power >= DBL_MIN ? wide->power : 0.0; // less has lost its digits
    double scale = p_1 == 1.0 ? 1.0 : wide->z * wide->z / power;
    // f1 f2 is least at an end: a product of two that fall, or grow, together, or concave
    double spread = (tx - ty) / fmin((1.0 + tx * in->z) * (1.0 + ty * in->z),
                                     (1.0 + tx * out->z) * (1.0 + ty * out->z));
    double arch = ovi_dual1(s).minus_1 * spread * spread * scale * in->rest * in->rest;
    double by_a = 2.0 * most_of(x, a), by_b = 2.0 * most_of(x, b);
    double most = most_shared(by_a, by_b, arch, c->share);
    // an infinite or undefined arch, as at the equator, fails the comparison
    if (most - p_1 < -margin * (p_1 + fabs(by_a) + fabs(by_b) + arch)) {
        return true;
    }
    double tilt = most_shared(by_a, by_b, 0.0, c->share);
    return claim == PROVE_EQUATORIAL && is_falling(s, c, a, b, tilt, spread);
}

/** Branch and bound over one half. */
static bool is_half_proven(const ov_shape *s, double sigma, claim claim) {
    bend_cell stack[PROOF_DEPTH];
    int depth = 0, cells = 0;
    stack[depth++] = (bend_cell){level_at(s, 0.0), level_at(s, 1.0), {0.0, 1.0}};
    while (depth > 0) {
        bend_cell c = stack[--depth];
        if (is_settled(s, &c, sigma, claim)) {
            continue;
        }
        if (++cells > PROOF_CELLS || depth + 2 > PROOF_DEPTH) {
            return false;
        }
        bend_cell one = c, two = c;
        bool by_share = claim == PROVE_EQUATORIAL && c.share.hi - c.share.lo > c.out.u - c.in.u;
        if (by_share) {
            one.share.hi = two.share.lo = 0.5 * (c.share.lo + c.share.hi);
        } else {
            one.out = two.in = level_at(s, 0.5 * (c.in.u + c.out.u));
        }
        stack[depth++] = two;
        stack[depth++] = one;
    }
    return true;
}

/**
 * Up to this taper a profile under a section that grows or shrinks linearly is concave: then M'' =
 * 0, y <= T/(1 - T z), and D <= 0 is z (p2+1 - 2 z^p2) <= (p2-1)/T, whose left side is most at z^p2
 * = 1/2.
 */
static double linear_limit(const ov_shape *s) {
    double inverse = 0.5 * s->e2;
    return (1.0 - inverse) * exp2(inverse) * (1.0 - 1e-14);
}

static bool is_proven(const ov_shape *s, claim claim) {
    double taper = fmax(fabs(s->tx), fabs(s->ty));
    if (taper > linear_limit(s)) {
        return false; // the axis of that taper alone bends inwards
    }
    if (s->tx == s->ty) {
        return claim == PROVE_CONVEX;
    }
    bool possible = claim == PROVE_CONVEX ? s->e2 >= 1.0 && taper <= steepest_proven
                                          : s->e2 < 1.0 && taper <= steepest_equatorial;
    return possible && is_half_proven(s, 1.0, claim) && is_half_proven(s, -1.0, claim);
}

/* ---- depth */

/** A horizontal direction by its weights A_1, A_2; the log of their ratio is its coordinate. */
typedef struct direction {
    double u1, u2;
} direction;

static direction direction_of(double log_ratio) {
    double u1 = exp(-0.5 * log_ratio);
    return (direction){u1, 1.0 / u1};
}

static double section_width(const ov_shape *s, direction d, double zeta) {
    double u = d.u1 * (1.0 + s->tx * zeta), v = d.u2 * (1.0 + s->ty * zeta);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_dual1(s));
    return ovi_p_norm_gradient(u, v, &parts).value;
}

/** Heights at which profiles are sampled, in growing order. */
typedef struct height_grid {
    double ray[NODES];
    ovi_ray_point at[NODES];
    int count;
} height_grid;

static void insert_ray(const ov_shape *s, height_grid *g, double ray) {
    if (!(ray > -1.0 && ray < 1.0) || g->count == NODES) {
        return;
    }
    int i = g->count;
    while (i > 0 && g->ray[i - 1] > ray) {
        i--;
    }
    ovi_ray_point at = ovi_on_ray(ovi_primal2(s), ray);
    bool same_before = i > 0 && !(g->at[i - 1].zeta < at.zeta);
    bool same_after = i < g->count && !(at.zeta < g->at[i].zeta);
    if (same_before || same_after) {
        return;
    }
    for (int k = g->count++; k > i; k--) {
        g->ray[k] = g->ray[k - 1];
        g->at[k] = g->at[k - 1];
    }
    g->ray[i] = ray;
    g->at[i] = at;
}

/** A ray, and others on both sides at distances 0.35, 0.35/1.8, 0.35/1.8^2 … */
static void insert_cluster(const ov_shape *s, height_grid *g, double ray) {
    insert_ray(s, g, ray);
    double distance = 0.35;
    for (int i = 0; i < CLUSTER; i++, distance /= 1.8) {
        insert_ray(s, g, ray - distance);
        insert_ray(s, g, ray + distance);
    }
}

/** Even rays from pole to pole, and clusters about the equator and another ray, on both sides. */
static height_grid common_grid(const ov_shape *s, double worst_ray) {
    height_grid g = {.count = 2};
    g.ray[0] = -1.0;
    g.at[0] = (ovi_ray_point){0.0, -1.0};
    g.ray[1] = 1.0;
    g.at[1] = (ovi_ray_point){0.0, 1.0};
    for (int i = 1; i + 1 < EVEN; i++) {
        insert_ray(s, &g, 2.0 * i / (EVEN - 1) - 1.0);
    }
    insert_cluster(s, &g, 0.0);
    insert_cluster(s, &g, worst_ray);
    insert_cluster(s, &g, -worst_ray);
    return g;
}

/** Ray of the height at which both axes have equal shares: u1 f1 = u2 f2; NaN if there is none. */
static double balance_ray(const ov_shape *s, direction d) {
    double zeta = (d.u2 - d.u1) / (d.u1 * s->tx - d.u2 * s->ty);
    return fabs(zeta) < 1.0 ? ovi_ray_of_height(s->e2, zeta) : NAN;
}

/** The deepest hollow between a sampled profile and its concave hull. */
typedef struct hollow {
    double depth; // below the bridge, times the length of the bridging plane's normal
    int lo, hi;   // nodes that the bridge rests on
    int deepest;
    double slope; // of the bridge
} hollow;

/** Upper hull of the samples; returns how many of them it keeps. */
static int upper_hull(const height_grid *grid, const double g[NODES], int hull[NODES]) {
    int count = 0;
    for (int i = 0; i < grid->count; i++) {
        while (count >= 2) {
            int a = hull[count - 2], b = hull[count - 1];
            double left = (g[b] - g[a]) * (grid->at[i].zeta - grid->at[a].zeta);
            if (left > (g[i] - g[a]) * (grid->at[b].zeta - grid->at[a].zeta)) {
                break;
            }
            count--;
        }
        hull[count++] = i;
    }
    return count;
}

/** Length of the normal of the bridging plane: what turns a depth into a distance. */
static double normal_length(const ov_shape *s, direction d, double slope) {
    double n1 = d.u1 / s->a.x, n2 = d.u2 / s->a.y, n3 = slope / s->a.z;
    return sqrt(n1 * n1 + n2 * n2 + n3 * n3);
}

/** Hollows are compared as distances: next to a pole, where heights are the same but for rounding,
 * a depth below the bridge may be large and its bridge upright. */
static hollow find_hollow(const ov_shape *s, const height_grid *grid, direction d) {
    double g[NODES];
    int hull[NODES];
    for (int i = 0; i < grid->count; i++) {
        g[i] = grid->at[i].w * section_width(s, d, grid->at[i].zeta);
    }
    int count = upper_hull(grid, g, hull);
    hollow worst = {0};
    double farthest = 0.0;
    for (int k = 0; k + 1 < count; k++) {
        int a = hull[k], b = hull[k + 1], deepest = a;
        double slope = (g[b] - g[a]) / (grid->at[b].zeta - grid->at[a].zeta), depth = 0.0;
        for (int i = a + 1; i < b; i++) {
            double below = g[a] + slope * (grid->at[i].zeta - grid->at[a].zeta) - g[i];
            if (below > depth) {
                depth = below;
                deepest = i;
            }
        }
        double distance = depth / normal_length(s, d, slope);
        if (distance > farthest) {
            farthest = distance;
            worst = (hollow){depth, a, b, deepest, slope};
        }
    }
    return worst;
}

/* ---- from the samples to the touching points between them */

typedef struct tilted_profile {
    const ov_shape *shape;
    direction d;
    double slope, sign;
} tilted_profile;

static double above_line(double ray, const void *context) {
    const tilted_profile *t = context;
    ovi_ray_point q = ovi_on_ray(ovi_primal2(t->shape), ray);
    return t->sign * (q.w * section_width(t->shape, t->d, q.zeta) - t->slope * q.zeta);
}

static ovi_peak peak_between(const tilted_profile *t, double lo, double middle, double hi) {
    ovi_peak peak = ovi_golden_max(above_line, t, lo, hi, TOUCH_STEPS);
    double here = above_line(middle, t);
    return peak.value > here ? peak : (ovi_peak){middle, here};
}

static ovi_peak peak_near(const tilted_profile *t, const height_grid *grid, int node) {
    int before = node > 0 ? node - 1 : 0, after = node + 1 < grid->count ? node + 1 : node;
    return peak_between(t, grid->ray[before], grid->ray[node], grid->ray[after]);
}

/** Depth as a length: the bridge laid on the profile itself, then the lowest point below it. */
static double exact_depth(const ov_shape *s, const height_grid *grid, direction d) {
    hollow g = find_hollow(s, grid, d);
    if (g.depth == 0.0) {
        return 0.0;
    }
    tilted_profile t = {s, d, g.slope, 1.0};
    double middle = grid->ray[g.deepest];
    ovi_peak left = {0}, right = {0};
    for (int i = 0; i < 3; i++) {
        left = peak_near(&t, grid, g.lo);
        right = peak_near(&t, grid, g.hi);
        if (!(left.x < middle && middle < right.x)) {
            return g.depth / normal_length(s, d, g.slope); // a straight stretch, and rounding
        }
        double width =
            ovi_on_ray(ovi_primal2(s), right.x).zeta - ovi_on_ray(ovi_primal2(s), left.x).zeta;
        t.slope += (right.value - left.value) / width;
    }
    double level = above_line(left.x, &t);
    t.sign = -1.0;
    double lo = fmax(left.x, grid->ray[g.deepest - 1]),
           hi = fmin(right.x, grid->ray[g.deepest + 1]);
    double lowest = -peak_between(&t, lo, middle, hi).value;
    return fmax(0.0, level - lowest) / normal_length(s, d, t.slope);
}

typedef struct depth_search {
    const ov_shape *shape;
    const height_grid *grid; // without the cluster about the balance
} depth_search;

static height_grid grid_for(const ov_shape *s, const height_grid *common, direction d) {
    height_grid g = *common;
    insert_cluster(s, &g, balance_ray(s, d));
    return g;
}

static double depth_towards(double log_ratio, const void *context) {
    const depth_search *search = context;
    direction d = direction_of(log_ratio);
    height_grid g = grid_for(search->shape, search->grid, d);
    return exact_depth(search->shape, &g, d);
}

/* ---- all directions together */

typedef struct survey {
    double depth;
    int deepest; // sampled direction of that depth
    int upright; // the bridge turns from one side of upright to the other after it; -1: nowhere
} survey;

/** Coordinate of the i-th sampled direction. */
static double sampled_direction(const ov_shape *s, int i) {
    double top = log((1.0 + s->tx) / (1.0 + s->ty)), bottom = log((1.0 - s->tx) / (1.0 - s->ty));
    double inner = fmax(fabs(top), fabs(bottom)) + 5.0 * (1.0 - 0.5 * s->e1);
    double outer = fabs(log(s->a.x / s->a.y)) + 1.0;
    int from_middle = i - DIRECTIONS / 2, half = INNER / 2;
    int beyond = abs(from_middle) - half;
    double reach = beyond <= 0 ? inner * abs(from_middle) / half : inner + outer * beyond / OUTER;
    return from_middle < 0 ? -reach : reach;
}

static survey survey_directions(const ov_shape *s, const height_grid *common) {
    survey v = {.upright = -1};
    double last_slope = 0.0, most = 0.0;
    for (int i = 0; i < DIRECTIONS; i++) {
        direction d = direction_of(sampled_direction(s, i));
        height_grid grid = grid_for(s, common, d);
        hollow g = find_hollow(s, &grid, d);
        double depth = g.depth / normal_length(s, d, g.slope);
        if (depth > v.depth) {
            v.depth = depth;
            v.deepest = i;
        }
        // of a flat body an upright bridge is far deeper than those that are not
        double upright = g.depth / normal_length(s, d, 0.0);
        if (last_slope * g.slope < 0.0 && upright > most) {
            most = upright;
            v.upright = i - 1;
        }
        last_slope = depth > 4.0 * negligible * fmin(s->a.x, s->a.y) ? g.slope : 0.0;
    }
    return v;
}

static double deepest_between(const depth_search *search, int from, int to) {
    double before = sampled_direction(search->shape, from > 0 ? from : 0);
    double after = sampled_direction(search->shape, to < DIRECTIONS ? to : DIRECTIONS - 1);
    return ovi_golden_max(depth_towards, search, before, after, DEPTH_STEPS).value;
}

static double deepest_dent(const ov_shape *s, const height_grid *common, const survey *v) {
    depth_search search = {s, common};
    double depth = depth_towards(sampled_direction(s, v->deepest), &search);
    depth = fmax(depth, exact_depth(s, common, (direction){1.0, 0.0}));
    depth = fmax(depth, exact_depth(s, common, (direction){0.0, 1.0}));
    if (v->upright >= 0) {
        depth = fmax(depth, deepest_between(&search, v->upright, v->upright + 1));
    }
    if (depth < not_refined * fmin(s->a.x, s->a.y)) {
        return depth;
    }
    return fmax(depth, deepest_between(&search, v->deepest - 1, v->deepest + 1));
}

/** A height at which the profile's own bend has outgrown that of the section. */
static void choose_cut(ov_shape *s) {
    double p_1 = ovi_primal2(s).minus_1, spread = s->tx - s->ty;
    double k = 0.25 * ovi_dual1(s).minus_1 * spread * spread / p_1;
    double zeta = fmax(0.02, fmin(0.8, pow(k, 1.0 / (p_1 - 1.0))));
    ovi_ray_point q = ovi_on_ray(ovi_primal2(s), ovi_ray_of_height(s->e2, zeta));
    ovi_p_norm_parts parts = ovi_p_norm_split(q.w, q.zeta, ovi_primal2(s));
    ovi_p_norm n = ovi_p_norm_gradient(q.w, q.zeta, &parts);
    s->derived.reserved[OVI_DERIVED_DENT_HEIGHT] = q.zeta;
    s->derived.reserved[OVI_DERIVED_DENT_WIDTH] = q.w;
    s->derived.reserved[OVI_DERIVED_DENT_SLOPE] = n.dv / n.du;
}

void ovi_dent_measure(ov_shape *s) {
    double *kind = &s->derived.reserved[OVI_DERIVED_DENT_KIND];
    // close to e2 = 2 the height is a poor function of the slope: a full search is the better way
    *kind = s->e2 > 1.9 ? OVI_DENT_KIND_ANYWHERE : OVI_DENT_KIND_NONE;
    // of equal tapers the limit is known, and a scan may err by rounding next to it
    if (s->tx == s->ty && is_proven(s, PROVE_CONVEX)) {
        return;
    }
    bend_scan b = scan_bend(s);
    if (s->tx != s->ty && b.worst <= 0.0 && is_proven(s, PROVE_CONVEX)) {
        return;
    }
    *kind = OVI_DENT_KIND_ANYWHERE;
    height_grid common = common_grid(s, b.worst_ray);
    survey v = survey_directions(s, &common);
    // the test is sharper than the depth: not known to be convex is not convex
    s->dent = fmax(deepest_dent(s, &common, &v), negligible * fmin(s->a.x, s->a.y));
    if (is_proven(s, PROVE_EQUATORIAL)) {
        *kind = OVI_DENT_KIND_EQUATOR;
        choose_cut(s);
    }
}
