/**
 * @file dent.c
 * @brief How far a tapered superellipsoid is from convex.
 *
 * The papers call every superovoid convex; most are not, by a little. Horizontal sections are
 * convex, so the body is convex iff for every horizontal direction the profile g(zeta) = w(zeta)
 * M(zeta) (support_tapered.c) is concave. With s the share of the x axis in M^q1, alpha = tx/f1,
 * beta = ty/f2
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
 * normal of the bridging plane: directions on a grid, then refined.
 *
 * The window for the support function: a direction's profile has one maximum left and one right of
 * its gap, and the right one wins iff A_3 exceeds minus the slope of the bridge. Told by the slope
 * at one height inside all gaps, the tie lies between dent_lo and dent_hi for all directions. Where
 * the gaps have no height in common, the window is infinite, and every support is a full search.
 */
#include <stddef.h>

#include "../math/golden.h"
#include "shape_internal.h"

enum {
    SCAN = 96,        // heights of the convexity test, a side
    NODES = 65,       // heights of a sampled profile
    DIRECTIONS = 17,  // horizontal directions sampled
    BEND_STEPS = 36,  // golden-section steps to the sharpest bend: 0.618^36 = 3e-8
    DEPTH_STEPS = 14, // and to the deepest direction: 1e-3, and the depth is flat there
};

/** Depths below this share of the section's width are rounding. */
static const double negligible = 1e-15;

/** Height on the ray (1 - |u|, u) of the plane of w and zeta. */
typedef struct ray_point {
    double w, zeta;
} ray_point;

static ray_point on_ray(const ov_shape *s, double u) {
    double a = 1.0 - fabs(u);
    ovi_norm2_parts parts = ovi_norm2_split(a, u, ovi_primal2(s));
    double n = ovi_norm2_gradient(a, u, &parts).value;
    return (ray_point){a / n, u / n};
}

/* ---- test of convexity */

/** max over s of C; see the head of this file. */
static double worst_bend(const ov_shape *s, double zeta) {
    double p2_minus_1 = s->family.p2_minus_1, z = fabs(zeta);
    double z_p1 = ovi_pow(z, p2_minus_1), z_p = z * z_p1;
    double rest = 1.0 - z_p;
    double z_p2 = z > 0.0 ? z_p1 / z : s->e2 < 1.0 ? 0.0 : s->e2 == 1.0 ? 1.0 : INFINITY;
    double flat = p2_minus_1 == 0.0 ? 0.0 : -p2_minus_1 * z_p2;
    double tilt = -2.0 * copysign(z_p1, zeta) * rest;
    double alpha = s->tx / (1.0 + s->tx * zeta), beta = s->ty / (1.0 + s->ty * zeta);
    double spread = alpha - beta;
    double arch = spread == 0.0 ? 0.0 : s->family.q1_minus_1 * spread * spread * rest * rest;
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

typedef struct bend_scan {
    double worst, worst_ray; // largest C and where
    double lo_ray, hi_ray;   // the hull of all places with C > 0
} bend_scan;

static double bend_on_ray(double ray, const void *shape) {
    return worst_bend(shape, on_ray(shape, ray).zeta);
}

static bend_scan scan_bend(const ov_shape *s) {
    bend_scan b = {-INFINITY, 0.0, 1.0, -1.0};
    const double step = 1.0 / SCAN;
    for (int i = -SCAN; i <= SCAN; i++) {
        double ray = i * step, bend = bend_on_ray(ray, s);
        if (bend > b.worst) {
            b.worst = bend;
            b.worst_ray = ray;
        }
        if (bend > 0.0) {
            b.lo_ray = fmin(b.lo_ray, ray - step);
            b.hi_ray = fmax(b.hi_ray, ray + step);
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

/** Bound of (w (1 + t zeta))'' over all heights and over t between the two tapers. */
static double worst_rise(const ov_shape *s) {
    double p2_minus_1 = s->family.p2_minus_1, rise = 0.0;
    double taper = fmax(fabs(s->tx), fabs(s->ty));
    for (int i = 1; i < 4 * SCAN; i++) {
        ray_point q = on_ray(s, (double)i / (4 * SCAN));
        double z_p1 = ovi_pow(q.zeta, p2_minus_1), rest = 1.0 - q.zeta * z_p1;
        double e = 2.0 * taper * q.zeta * rest - p2_minus_1 * (1.0 - taper * q.zeta);
        if (e > 0.0 && rest > 0.0) {
            rise = fmax(rise, e * z_p1 / q.zeta * q.w / (rest * rest));
        }
    }
    // between two of the heights it is larger by far less than this
    return 1.1 * rise;
}

/* ---- depth */

/** Heights at which profiles are sampled: the middle one is a ray of the caller's choice. */
typedef struct height_grid {
    double ray[NODES];
    ray_point at[NODES];
} height_grid;

enum { MIDDLE = NODES / 2 };

static height_grid make_grid(const ov_shape *s, double lo_ray, double middle, double hi_ray) {
    height_grid g;
    for (int i = 0; i < NODES; i++) {
        double t = (double)(i - MIDDLE) / MIDDLE;
        g.ray[i] = middle + t * (i < MIDDLE ? middle - lo_ray : hi_ray - middle);
        g.at[i] = on_ray(s, g.ray[i]);
    }
    return g;
}

/** The deepest gap between a sampled profile and its concave hull. */
typedef struct gap {
    double depth; // along the bridging plane's normal, as a length
    int lo, hi;   // nodes that the bridge rests on
    int deepest;
    double slope; // of the bridge
    int count;    // gaps seen
} gap;

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
    ovi_norm2_parts parts = ovi_norm2_split(u, v, ovi_dual1(s));
    return ovi_norm2_gradient(u, v, &parts).value;
}

/** Upper hull of points with growing zeta; returns how many of them it keeps. */
static int upper_hull(const height_grid *grid, const double g[NODES], int hull[NODES]) {
    int count = 0;
    for (int i = 0; i < NODES; i++) {
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

/**
 * How far the profile rises above the line through node i between its neighbours: the top of the
 * parabola through the three. The bridge rests there, not on the node itself.
 */
static double overshoot(const height_grid *grid, const double g[NODES], int i, double slope) {
    if (i == 0 || i == NODES - 1) {
        return 0.0;
    }
    double before = g[i - 1] - g[i] + slope * (grid->at[i].zeta - grid->at[i - 1].zeta);
    double after = g[i + 1] - g[i] - slope * (grid->at[i + 1].zeta - grid->at[i].zeta);
    double sum = before + after;
    return sum < 0.0 ? -(after - before) * (after - before) / (8.0 * sum) : 0.0;
}

static gap find_gap(const ov_shape *s, const height_grid *grid, direction d) {
    double g[NODES];
    int hull[NODES];
    for (int i = 0; i < NODES; i++) {
        g[i] = grid->at[i].w * section_width(s, d, grid->at[i].zeta);
    }
    int count = upper_hull(grid, g, hull);
    gap worst = {0};
    double n1 = d.u1 / s->a.x, n2 = d.u2 / s->a.y;
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
        worst.count += depth > 4.0 * negligible * g[a];
        // where the samples resolve the gap, the lift is a small share of the depth
        double lift = fmax(overshoot(grid, g, a, slope), overshoot(grid, g, b, slope));
        double n3 = slope / s->a.z, length = sqrt(n1 * n1 + n2 * n2 + n3 * n3);
        depth = (depth + fmin(lift, 0.25 * depth)) / length;
        if (depth > worst.depth) {
            worst = (gap){depth, a, b, deepest, slope, worst.count};
        }
    }
    return worst;
}

/** Range of directions in which the two axes compete at some height. */
static double direction_reach(const ov_shape *s) {
    double top = log((1.0 + s->tx) / (1.0 + s->ty)), bottom = log((1.0 - s->tx) / (1.0 - s->ty));
    double inverse_q = 1.0 - 0.5 * s->e1;
    return fmax(fabs(top), fabs(bottom)) + 5.0 * inverse_q;
}

/** What the sampled directions say together. */
typedef struct survey {
    double depth, log_ratio; // the deepest
    double tie_lo, tie_hi;   // slopes at the common height when the two sides tie
    bool common;             // all gaps share the height of the middle node
} survey;

/** Slope of the profile at the middle node when the bridge is level, in units of the width. */
static double tie_slope(const ov_shape *s, const height_grid *grid, direction d, double bridge) {
    const double eps = 1e-6;
    double zeta = grid->at[MIDDLE].zeta, w = grid->at[MIDDLE].w;
    double m = section_width(s, d, zeta);
    double rise = section_width(s, d, zeta + eps) - section_width(s, d, zeta - eps);
    ovi_norm2_parts parts = ovi_norm2_split(w, zeta, ovi_primal2(s));
    ovi_norm2 n = ovi_norm2_gradient(w, zeta, &parts);
    return (w * rise / (2.0 * eps) - bridge) / m - n.dv / n.du;
}

static survey survey_directions(const ov_shape *s, const height_grid *grid, double reach,
                                int directions) {
    survey v = {0.0, 0.0, 0.0, 0.0, true};
    for (int i = 0; i < directions; i++) {
        double log_ratio = directions == 1 ? 0.0 : reach * (2.0 * i / (directions - 1) - 1.0);
        direction d = direction_of(log_ratio);
        gap g = find_gap(s, grid, d);
        if (g.depth > v.depth) {
            v.depth = g.depth;
            v.log_ratio = log_ratio;
        }
        if (g.count > 0) {
            v.common = v.common && g.count == 1 && g.lo < MIDDLE && MIDDLE < g.hi;
            double tie = tie_slope(s, grid, d, g.slope);
            v.tie_lo = fmin(v.tie_lo, tie);
            v.tie_hi = fmax(v.tie_hi, tie);
        }
    }
    return v;
}

typedef struct depth_search {
    const ov_shape *shape;
    const height_grid *grid;
} depth_search;

static double depth_towards(double log_ratio, const void *context) {
    const depth_search *d = context;
    return find_gap(d->shape, d->grid, direction_of(log_ratio)).depth;
}

/** Deepest dent near a sampled direction, on a grid that is fitted to its gap. */
static double refine_depth(const ov_shape *s, const height_grid *grid, double log_ratio,
                           double step) {
    gap g = find_gap(s, grid, direction_of(log_ratio));
    int lo_node = g.lo > 1 ? g.lo - 2 : 0, hi_node = g.hi < NODES - 2 ? g.hi + 2 : NODES - 1;
    height_grid fine = make_grid(s, grid->ray[lo_node], grid->ray[g.deepest], grid->ray[hi_node]);
    depth_search search = {s, &fine};
    double depth = depth_towards(log_ratio, &search);
    if (step == 0.0) {
        return depth;
    }
    ovi_peak peak =
        ovi_golden_max(depth_towards, &search, log_ratio - step, log_ratio + step, DEPTH_STEPS);
    return fmax(depth, peak.value);
}

/** The bridges reach beyond the places where the profile bends up: the stretch to sample. */
static height_grid grid_around(const ov_shape *s, const bend_scan *b, double middle) {
    double reach = 2.0 * (b->hi_ray - b->lo_ray);
    return make_grid(s, fmax(-1.0, b->lo_ray - reach), middle, fmin(1.0, b->hi_ray + reach));
}

/**
 * The window of the slope at `ray`, if there is one. Directions between the sampled ones may tie a
 * little outside of what these say, hence the margin: too wide a window costs time only.
 */
static void set_window(ov_family *f, const survey *v, double ray) {
    if (!v->common) {
        return;
    }
    double margin = 0.5 * (v->tie_hi - v->tie_lo) + 1e-9;
    f->dent_ray = ray;
    f->dent_lo = v->tie_lo - margin;
    f->dent_hi = v->tie_hi + margin;
}

void ovi_dent_measure(ov_shape *s) {
    ov_family *f = &s->family;
    s->dent = 0.0;
    f->dent_ray = f->dent_lo = f->dent_hi = f->dent_rise = 0.0;
    bend_scan b = scan_bend(s);
    // close to e2 = 2 the height is a poor function of the slope: a full search is the better way
    bool bevelled = s->e2 > 1.9;
    if (b.worst <= 0.0 && !bevelled) {
        return;
    }
    f->dent_lo = -INFINITY;
    f->dent_hi = INFINITY;
    f->dent_rise = worst_rise(s);
    if (b.worst <= 0.0) {
        return;
    }
    if (b.lo_ray > b.hi_ray) { // the bend hides between two of the scanned rays
        b.lo_ray = fmax(-1.0, b.worst_ray - 1.0 / SCAN);
        b.hi_ray = fmin(1.0, b.worst_ray + 1.0 / SCAN);
    }
    bool equal = s->tx == s->ty;
    double reach = equal ? 0.0 : direction_reach(s);
    int directions = equal ? 1 : DIRECTIONS;
    // unequal tapers bend up at the equator in every direction if e2 < 1
    double middle = !equal && s->e2 < 1.0 ? 0.0 : b.worst_ray;
    height_grid grid = grid_around(s, &b, middle);
    survey v = survey_directions(s, &grid, reach, directions);
    s->dent = refine_depth(s, &grid, v.log_ratio, equal ? 0.0 : 2.0 * reach / (directions - 1));
    // the test is sharper than the depth: not convex is not convex
    s->dent = fmax(s->dent, negligible * fmin(s->a.x, s->a.y));
    if (!bevelled) {
        set_window(f, &v, middle);
    }
}
