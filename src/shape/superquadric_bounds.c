/**
 * @file superquadric_bounds.c
 * @brief Smallest enclosing and largest inscribed ball of the smooth family.
 *
 * By symmetry both balls are centred on the z axis. The squared distance of a surface point from
 * the point c of the axis is (a3 zeta - c)^2 + w^2 (A^2 s + B^2 t), where A, B are the section's
 * semi-axes at that height and s^(1/e1) + t^(1/e1) = 1. Hölder's inequality gives the extreme over
 * the section in closed form:
 *
 *     largest, e1 < 1:    the dual norm of (A^2, B^2) with exponent 1/(1-e1)
 *     largest, e1 >= 1:   max(A^2, B^2)
 *     smallest, e1 > 1:   (A^(2k) + B^(2k))^(1/k) with k = 1/(1-e1) < 0
 *     smallest, e1 <= 1:  min(A^2, B^2)
 *
 * Without taper the same step once more over the height gives the radius about the centre. With
 * taper the extreme over the height is searched, and the centre too: the largest distance is convex
 * in c, and the smallest is quasi-concave as far as the inscribed radius goes. That the ball found
 * encloses the body is then proven by a branch and bound over the height; that the other one is
 * inside is not.
 */
#include "../math/golden.h"
#include "shape_internal.h"

/** Extreme of a x + b y on x^(1/e) + y^(1/e) = 1, x, y >= 0, for a, b > 0. */
static double extreme_on_curve(double a, double b, double e, bool largest) {
    double big = fmax(a, b), small = fmin(a, b);
    if (largest) {
        if (e >= 1.0) {
            return big;
        }
        return big * pow(1.0 + pow(small / big, 1.0 / (1.0 - e)), 1.0 - e);
    }
    if (e <= 1.0) {
        return small;
    }
    // exponent k = -1/(e-1): (a^k + b^k)^(1/k) = small (1 + (small/big)^(1/(e-1)))^-(e-1)
    return small * pow(1.0 + pow(small / big, 1.0 / (e - 1.0)), 1.0 - e);
}

static double section_reach2(const ov_shape *s, double zeta, bool largest) {
    double a = s->a.x * (1.0 + s->tx * zeta), b = s->a.y * (1.0 + s->ty * zeta);
    return extreme_on_curve(a * a, b * b, s->e1, largest);
}

static double straight_radius(const ov_shape *s, bool largest) {
    double reach2 = section_reach2(s, 0.0, largest);
    return sqrt(extreme_on_curve(reach2, s->a.z * s->a.z, s->e2, largest));
}

/* ---- with taper */

enum { HEIGHTS = 129, EXTREMES = 16, ROUNDS = 6, CENTRE_STEPS = 60, HEIGHT_STEPS = 50 };

static bool has_branches(const ov_shape *s, bool largest) {
    return largest ? s->e1 >= 1.0 : s->e1 <= 1.0;
}

/** A height, and the squared extreme of its section. */
typedef struct level {
    double z, reach2;
} level;

/**
 * The height on a ray of the profile. Where the section's extreme is the longer or the shorter of
 * its axes, each axis is a branch of its own: together they have kinks.
 */
static level level_on_ray(const ov_shape *s, double ray, bool largest, int branch) {
    ovi_ray_point q = ovi_on_ray(ovi_primal2(s), ray);
    double reach2 = section_reach2(s, q.zeta, largest);
    if (has_branches(s, largest)) {
        double axis =
            branch == 0 ? s->a.x * (1.0 + s->tx * q.zeta) : s->a.y * (1.0 + s->ty * q.zeta);
        reach2 = axis * axis;
    }
    return (level){s->a.z * q.zeta, q.w * q.w * reach2};
}

/** Squared distance from (0, 0, c), negated where the smallest is wanted. */
static double score(level at, double c, bool largest) {
    double up = at.z - c, d2 = up * up + at.reach2;
    return largest ? d2 : -d2;
}

static double ray_of(int i) { return 2.0 * i / (HEIGHTS - 1) - 1.0; }

/** One search: over the centre on known heights, then over the height for one centre, in turns. */
typedef struct ball_search {
    const ov_shape *shape;
    bool largest;
    int branches, branch; // how many there are, and the one being refined
    double centre;
    level sampled[2][HEIGHTS];      // by branch
    level found[ROUNDS * EXTREMES]; // extremes between the sampled heights
    int found_count;
} ball_search;

static double best_score(const ball_search *b, double c) {
    double best = -INFINITY;
    for (int branch = 0; branch < b->branches; branch++) {
        for (int i = 0; i < HEIGHTS; i++) {
            best = fmax(best, score(b->sampled[branch][i], c, b->largest));
        }
    }
    for (int i = 0; i < b->found_count; i++) {
        best = fmax(best, score(b->found[i], c, b->largest));
    }
    return best;
}

static double centre_merit(double c, const void *context) { return -best_score(context, c); }

static double height_merit(double ray, const void *context) {
    const ball_search *b = context;
    return score(level_on_ray(b->shape, ray, b->largest, b->branch), b->centre, b->largest);
}

/** Is the i-th sampled height a local extreme of the distance from the present centre? */
static bool is_extreme(const ball_search *b, int i) {
    const level *levels = b->sampled[b->branch];
    double here = score(levels[i], b->centre, b->largest);
    return (i == 0 || here >= score(levels[i - 1], b->centre, b->largest)) &&
           (i == HEIGHTS - 1 || here >= score(levels[i + 1], b->centre, b->largest));
}

/** The extreme near a sampled height; each side apart, for the height itself may be a kink. */
static ovi_peak refine_extreme(const ball_search *b, int i) {
    ovi_peak best = {ray_of(i), height_merit(ray_of(i), b)};
    for (int side = 0; side < 2; side++) {
        int from = i - 1 + side;
        if (from >= 0 && from + 1 < HEIGHTS) {
            ovi_peak peak =
                ovi_golden_max(height_merit, b, ray_of(from), ray_of(from + 1), HEIGHT_STEPS);
            best = peak.value > best.value ? peak : best;
        }
    }
    return best;
}

/**
 * The smallest enclosing ball with its centre on the axis. Each round finds the best centre for the
 * heights known so far, then adds the heights that are extreme from there; it converges like
 * Newton's method.
 */
static ov_ball enclosing_ball(ball_search *b) {
    double reach = b->shape->a.z;
    for (int round = 0; round < ROUNDS; round++) {
        b->centre = ovi_golden_max(centre_merit, b, -reach, reach, CENTRE_STEPS).x;
        for (b->branch = 0; b->branch < b->branches; b->branch++) {
            for (int i = 0; i < HEIGHTS && b->found_count < ROUNDS * EXTREMES; i++) {
                if (is_extreme(b, i)) {
                    double ray = refine_extreme(b, i).x;
                    b->found[b->found_count++] = level_on_ray(b->shape, ray, b->largest, b->branch);
                }
            }
        }
    }
    return (ov_ball){{0.0, 0.0, b->centre}, sqrt(best_score(b, b->centre))};
}

/**
 * Best score abreast of the centre. There a slender body is nearest, in a stretch of heights that
 * may be far shorter than the step of the samples: intervals about it that shrink by eight each.
 */
static double score_abreast(const ball_search *b) {
    double zeta = fmax(-1.0, fmin(1.0, b->centre / b->shape->a.z));
    double ray = ovi_ray_of_height(b->shape->e2, zeta), best = height_merit(ray, b);
    for (double half = ray_of(1) - ray_of(0); half > 1e-7; half *= 0.125) {
        double lo = fmax(-1.0, ray - half), hi = fmin(1.0, ray + half);
        best = fmax(best, ovi_golden_max(height_merit, b, lo, hi, HEIGHT_STEPS).value);
    }
    return best;
}

/** Squared distance of the surface from a centre, to full accuracy. */
static double clearance2(double c, const void *context) {
    ball_search b = *(const ball_search *)context;
    b.centre = c;
    double best = best_score(&b, c);
    for (b.branch = 0; b.branch < b.branches; b.branch++) {
        best = fmax(best, score_abreast(&b));
        for (int i = 0; i < HEIGHTS; i++) {
            if (is_extreme(&b, i)) {
                best = fmax(best, refine_extreme(&b, i).value);
            }
        }
    }
    return -best;
}

/**
 * The largest inscribed ball with its centre on the axis. The distance of the surface is a concave
 * function of the centre, but that from a few of its points is not: each centre is measured in
 * full.
 */
static ov_ball inscribed_ball(ball_search *b) {
    double reach = b->shape->a.z;
    ovi_peak peak = ovi_golden_max(clearance2, b, -reach, reach, CENTRE_STEPS);
    return (ov_ball){{0.0, 0.0, peak.x}, sqrt(peak.value)};
}

static ov_ball best_ball(const ov_shape *s, bool enclosing) {
    ball_search b = {.shape = s, .largest = enclosing};
    b.branches = has_branches(s, enclosing) ? 2 : 1;
    for (int branch = 0; branch < b.branches; branch++) {
        for (int i = 0; i < HEIGHTS; i++) {
            b.sampled[branch][i] = level_on_ray(s, ray_of(i), enclosing, branch);
        }
    }
    return enclosing ? enclosing_ball(&b) : inscribed_ball(&b);
}

/* ---- proof that a ball encloses */

/** An end of a cell of heights. */
typedef struct cell_end {
    double ray, w, z, left; // left: 1 - |zeta| to its own last digits
    double r;               // -dw/dzeta
    double reach2;          // of the section without its factor w^2
} cell_end;

static cell_end end_at(const ov_shape *s, double ray) {
    ovi_profile_node q = ovi_node_on_ray(ovi_primal2(s), ray);
    return (cell_end){ray, q.w, s->a.z * q.zeta, q.left, q.r, section_reach2(s, q.zeta, true)};
}

/** Most of g^2 + v^2 l over an interval at whose ends the linear g, v, l are as given: the largest
 *  of the cubic's Bernstein coefficients. */
static double cubic_most(const double g[2], const double v[2], const double l[2]) {
    double at_0 = g[0] * g[0] + v[0] * v[0] * l[0], at_1 = g[1] * g[1] + v[1] * v[1] * l[1];
    double g_mixed = 2.0 * g[0] * g[1], v_mixed = 2.0 * v[0] * v[1];
    double near_0 = (g[0] * g[0] + g_mixed + v[0] * v[0] * l[1] + v_mixed * l[0]) / 3.0;
    double near_1 = (g[1] * g[1] + g_mixed + v[1] * v[1] * l[0] + v_mixed * l[1]) / 3.0;
    return fmax(fmax(at_0, at_1), fmax(near_0, near_1));
}

/**
 * No point between two heights of one half is farther from (0, 0, c): the width is below its
 * tangents at both ends, the section's squared reach, a norm of two squares of linear functions, is
 * convex and below its chord.
 */
static double farthest2_between(const cell_end *in, const cell_end *out, double a3, double c) {
    ovi_tangents t = ovi_tangents_of(in->left, in->w, in->r, out->left, out->w, out->r);
    double meet = 1.0 - t.before, step = copysign(a3 * t.width, in->z + out->z);
    double z_meet = in->z + meet * step - c,
           l_meet = in->reach2 + meet * (out->reach2 - in->reach2);
    const double g1[2] = {in->z - c, z_meet}, v1[2] = {in->w, in->w - meet * t.fall_in};
    const double l1[2] = {in->reach2, l_meet}, l2[2] = {l_meet, out->reach2};
    double most = cubic_most(g1, v1, l1);
    if (t.before == 0.0) {
        return most;
    }
    const double g2[2] = {z_meet, out->z - c}, v2[2] = {out->w + t.before * t.fall_out, out->w};
    return fmax(most, cubic_most(g2, v2, l2));
}

enum { BALL_STACK = 64, BALL_CELLS = 20000 };

/** A bound of the squared distance of the surface from (0, 0, c), as close to `known`, which is
 *  reached, as 1e-12 of it, or as the cells allow. */
static double farthest2(const ov_shape *s, double c, double known) {
    cell_end stack[BALL_STACK][2];
    double most = known, enough = known * (1.0 + 1e-12);
    int depth = 0, cells = 0;
    for (int side = -1; side <= 1; side += 2) {
        stack[depth][0] = end_at(s, 0.0);
        stack[depth++][1] = end_at(s, side);
    }
    while (depth > 0) {
        cell_end in = stack[--depth][0], out = stack[depth][1];
        double bound = farthest2_between(&in, &out, s->a.z, c);
        if (bound <= enough || depth + 2 > BALL_STACK || cells == BALL_CELLS) {
            most = fmax(most, bound);
            continue;
        }
        cells++;
        cell_end middle = end_at(s, 0.5 * (in.ray + out.ray));
        stack[depth][0] = in;
        stack[depth++][1] = middle;
        stack[depth][0] = middle;
        stack[depth++][1] = out;
    }
    return most;
}

/** The search over heights is good to about 1e-12; the margin covers it. */
static const double search_margin = 1e-11;

void ovi_family_bounding_ball(const ov_shape *s, ov_ball *ball) {
    if (s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        *ball = best_ball(s, true);
        double square = farthest2(s, ball->centre.z, ball->radius * ball->radius);
        ball->radius = sqrt(square) * (1.0 + search_margin);
        return;
    }
    ball->centre = ov_vec3_make(0.0, 0.0, 0.0);
    ball->radius = straight_radius(s, true) * (1.0 + OVI_BOUND_MARGIN);
}

ov_ball ovi_family_ball(const ov_shape *s) {
    ov_shape widest = *s; // without taper, and as wide as the widest section
    widest.a.x *= 1.0 + fabs(s->tx);
    widest.a.y *= 1.0 + fabs(s->ty);
    widest.tx = widest.ty = 0.0;
    return (ov_ball){.radius = straight_radius(&widest, true) * (1.0 + OVI_BOUND_MARGIN)};
}

void ovi_family_inscribed_ball(const ov_shape *s, ov_ball *ball) {
    if (s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        *ball = best_ball(s, false);
        ball->radius *= 1.0 - search_margin;
        return;
    }
    ball->centre = ov_vec3_make(0.0, 0.0, 0.0);
    ball->radius = straight_radius(s, false) * (1.0 - OVI_BOUND_MARGIN);
}
