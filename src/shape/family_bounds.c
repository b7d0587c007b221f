/**
 * @file family_bounds.c
 * @brief Smallest enclosing and largest inscribed ball of the smooth family.
 *
 * By symmetry both balls are centred on the z axis. The squared distance of a surface point from
 * the point c of the axis is (a3 zeta - c)^2 + w^2 (A^2 s + B^2 t), where A, B are the section's
 * semi-axes at that height and s^(1/e1) + t^(1/e1) = 1. Hölder's inequality gives the extreme over
 * the section in closed form:
 *
 *     largest:   e1 < 1: the dual norm of (A^2, B^2) with exponent 1/(1-e1);  e1 >= 1: max(A^2,
 * B^2) smallest:  e1 > 1: (A^(2k) + B^(2k))^(1/k) with k = 1/(1-e1) < 0;       e1 <= 1: min(A^2,
 * B^2)
 *
 * Without taper the same step once more over the height gives the radius about the centre. With
 * taper the extreme over the height is searched, and the centre too: the largest distance is convex
 * in c, and the smallest is quasi-concave as far as the inscribed radius goes.
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

enum { HEIGHTS = 129, CENTRE_STEPS = 40, HEIGHT_STEPS = 50 };

/** A height, and the squared extreme of its section. */
typedef struct level {
    double z, reach2;
} level;

/** The height on the ray (1 - |u|, u) of the plane of width and height. */
static level level_on_ray(const ov_shape *s, double ray, bool largest) {
    double a = 1.0 - fabs(ray);
    ovi_norm2_parts parts = ovi_norm2_split(a, ray, ovi_primal2(s));
    double n = ovi_norm2_gradient(a, ray, &parts).value, w = a / n, zeta = ray / n;
    return (level){s->a.z * zeta, w * w * section_reach2(s, zeta, largest)};
}

/** Squared distance from (0, 0, c), negated where the smallest is wanted. */
static double score(level at, double c, bool largest) {
    double up = at.z - c, d2 = up * up + at.reach2;
    return largest ? d2 : -d2;
}

static double ray_of(int i) { return 2.0 * i / (HEIGHTS - 1) - 1.0; }

/** One search: over the centre on sampled heights, then over the height for one centre. */
typedef struct ball_search {
    const ov_shape *shape;
    bool largest;
    double centre;
    level levels[HEIGHTS];
} ball_search;

static double best_score(const ball_search *b, double c) {
    double best = -INFINITY;
    for (int i = 0; i < HEIGHTS; i++) {
        best = fmax(best, score(b->levels[i], c, b->largest));
    }
    return best;
}

static double centre_merit(double c, const void *context) { return -best_score(context, c); }

static double height_merit(double ray, const void *context) {
    const ball_search *b = context;
    return score(level_on_ray(b->shape, ray, b->largest), b->centre, b->largest);
}

/** Best score over all heights: every local extreme of the sampled ones, refined. */
static double refined_score(const ball_search *b) {
    double best = best_score(b, b->centre);
    for (int i = 0; i < HEIGHTS; i++) {
        int before = i > 0 ? i - 1 : 0, after = i < HEIGHTS - 1 ? i + 1 : i;
        double here = score(b->levels[i], b->centre, b->largest);
        if (here >= score(b->levels[before], b->centre, b->largest) &&
            here >= score(b->levels[after], b->centre, b->largest)) {
            double lo = ray_of(before), hi = ray_of(after);
            best = fmax(best, ovi_golden_max(height_merit, b, lo, hi, HEIGHT_STEPS).value);
        }
    }
    return best;
}

/** The centre on the axis with the smallest enclosing, or the largest inscribed ball. */
static ov_ball best_ball(const ov_shape *s, bool enclosing) {
    ball_search b = {.shape = s, .largest = enclosing};
    for (int i = 0; i < HEIGHTS; i++) {
        b.levels[i] = level_on_ray(s, ray_of(i), enclosing);
    }
    b.centre = ovi_golden_max(centre_merit, &b, -s->a.z, s->a.z, CENTRE_STEPS).x;
    return (ov_ball){{0.0, 0.0, b.centre}, sqrt(fabs(refined_score(&b)))};
}

/** The search over heights is good to about 1e-12; the margin covers it. */
static const double search_margin = 1e-11;

void ovi_family_bounding_ball(const ov_shape *s, ov_ball *ball) {
    if (s->kind == OV_SHAPE_SUPEROVOID) {
        *ball = best_ball(s, true);
        ball->radius *= 1.0 + search_margin;
        return;
    }
    ball->centre = ov_vec3_make(0.0, 0.0, 0.0);
    ball->radius = straight_radius(s, true) * (1.0 + OVI_BOUND_MARGIN);
}

void ovi_family_inscribed_ball(const ov_shape *s, ov_ball *ball) {
    if (s->kind == OV_SHAPE_SUPEROVOID) {
        *ball = best_ball(s, false);
        ball->radius *= 1.0 - search_margin;
        return;
    }
    ball->centre = ov_vec3_make(0.0, 0.0, 0.0);
    ball->radius = straight_radius(s, false) * (1.0 - OVI_BOUND_MARGIN);
}
