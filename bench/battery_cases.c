/**
 * @file battery_cases.c
 * @brief The random pairs of the batteries, and their references.
 *
 * Superovoids [Benchmark, 5.1]: semi-axes 1, centres (0,0,0) and (0,2.21,0), uniformly random
 * orientations, exponents in [0.3, 1.1], taper in [-0.4, 0.4]. The paper takes all of these as
 * convex; a shape whose dent is above the default tolerance (5 % of the semi-axis) has no convex
 * body to speak of, and is drawn again.
 *
 * Ellipsoids: semi-axes in [0.3, 1.5], and exactly half of the pairs overlapping. Along a random
 * direction u from A to B, centres further apart than the supports of both reach are separated;
 * centres nearer than the two radii along u together overlap.
 */
#include "battery.h"

#include <math.h>
#include <stdlib.h>

#define TURN 6.283185307179586477

double battery_uniform(battery_random *r, double lo, double hi) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

ov_vec3 battery_direction(battery_random *r) {
    double z = battery_uniform(r, -1.0, 1.0), phi = battery_uniform(r, 0.0, TURN);
    double s = sqrt(1.0 - z * z);
    return ov_vec3_make(s * cos(phi), s * sin(phi), z);
}

ov_quat battery_rotation(battery_random *r) {
    // two random circles of the 3-sphere, with the shares that make it uniform
    double share = battery_uniform(r, 0.0, 1.0);
    double alpha = battery_uniform(r, 0.0, TURN), beta = battery_uniform(r, 0.0, TURN);
    double s = sqrt(1.0 - share), t = sqrt(share);
    return (ov_quat){t * cos(beta), s * sin(alpha), s * cos(alpha), t * sin(beta)};
}

void battery_show(const battery_progress *progress, const char *what, size_t done, size_t all) {
    if (progress != NULL && progress->show != NULL) {
        progress->show(progress->user, what, done, all);
    }
}

/* ---- drawing */

static size_t draw_superovoid(battery_random *r, ov_shape *shape) {
    enum { TRIES = 1000 };
    size_t redrawn = 0;
    for (;; redrawn++) {
        double e1 = battery_uniform(r, 0.3, 1.1), e2 = battery_uniform(r, 0.3, 1.1);
        double tx = battery_uniform(r, -0.4, 0.4), ty = battery_uniform(r, -0.4, 0.4);
        ov_vec3 a = {1.0, 1.0, 1.0};
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, shape) == OV_OK || redrawn > TRIES) {
            return redrawn;
        }
    }
}

static size_t draw_superovoids(battery_random *r, battery_pair *p) {
    size_t redrawn = draw_superovoid(r, &p->a);
    redrawn += draw_superovoid(r, &p->b);
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, battery_rotation(r)};
    p->pose_b = (ov_pose){{0.0, 2.21, 0.0}, battery_rotation(r)};
    return redrawn;
}

static ov_vec3 draw_axes(battery_random *r) {
    double x = battery_uniform(r, 0.3, 1.5), y = battery_uniform(r, 0.3, 1.5);
    return ov_vec3_make(x, y, battery_uniform(r, 0.3, 1.5));
}

/** Support and radius of a turned ellipsoid along u. */
static void reaches(const ov_shape *shape, ov_quat rotation, ov_vec3 u, double *support,
                    double *radius) {
    ov_vec3 n = ov_quat_rotate(ov_quat_conjugate(rotation), u), a = shape->a;
    *support = ov_vec3_length(ov_vec3_mul(a, n));
    *radius = 1.0 / ov_vec3_length(ov_vec3_make(n.x / a.x, n.y / a.y, n.z / a.z));
}

static void draw_ellipsoids(battery_random *r, bool overlapping, battery_pair *p) {
    ov_shape_make_ellipsoid(draw_axes(r), &p->a);
    ov_shape_make_ellipsoid(draw_axes(r), &p->b);
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, battery_rotation(r)};
    p->pose_b.rotation = battery_rotation(r);
    ov_vec3 u = battery_direction(r);
    double support_a, support_b, radius_a, radius_b;
    reaches(&p->a, p->pose_a.rotation, u, &support_a, &radius_a);
    reaches(&p->b, p->pose_b.rotation, u, &support_b, &radius_b);
    double share = battery_uniform(r, 0.0, 1.0);
    double apart = overlapping ? (0.5 + 0.5 * share) * (radius_a + radius_b)
                               : support_a + support_b + 0.5 * share;
    p->pose_b.position = ov_vec3_scale(u, apart);
}

/** Moved by 1 %: of the larger bounding ball's radius, and by as many radians. */
static ov_pose move(battery_random *r, ov_pose pose, double size) {
    ov_vec3 step = ov_vec3_scale(battery_direction(r), 0.01 * size);
    ov_quat turn = ov_quat_from_axis_angle(battery_direction(r), 0.01);
    return (ov_pose){ov_vec3_add(pose.position, step), ov_quat_mul(turn, pose.rotation)};
}

/* ---- references */

bool battery_refer(battery_pair *p) {
    oracle_body a, b;
    oracle_place(&p->a, p->pose_a, &a);
    oracle_place(&p->b, p->pose_b, &b);
    // a good first direction saves half the time; the bounds do not depend on it
    ov_contact guess;
    ov_vec3 start = {0.0, 0.0, 0.0};
    if (ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &guess) >= 0) {
        start = guess.normal;
    }
    oracle_gap gap = oracle_measure(&a, &b, start);
    p->gap = 0.5L * (gap.lower + gap.upper);
    // the bounds are but for the rounding of long double
    p->gap_error = 0.5L * fmaxl(0.0L, gap.upper - gap.lower) + 1e-18L;
    p->part = gap.lower > 0.0L ? BATTERY_SEPARATED : BATTERY_OVERLAPPING;
    return gap.lower > 0.0L || gap.upper < 0.0L;
}

bool battery_draw(battery_set set, size_t count, uint64_t seed, const battery_progress *progress,
                  battery_cases *cases) {
    battery_random r = {seed * 2u + (set == BATTERY_ELLIPSOIDS)};
    *cases = (battery_cases){.set = set, .seed = seed, .count = count};
    cases->pairs = calloc(count, sizeof *cases->pairs);
    if (cases->pairs == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        battery_pair *p = &cases->pairs[i];
        if (set == BATTERY_SUPEROVOIDS) {
            cases->redrawn += draw_superovoids(&r, p);
        } else {
            draw_ellipsoids(&r, i % 2 == 1, p);
        }
        double size = fmax(p->a.ball.radius, p->b.ball.radius);
        p->before_a = move(&r, p->pose_a, size);
        p->before_b = move(&r, p->pose_b, size);
        cases->unsure += !battery_refer(p);
        cases->part_count[p->part]++;
        cases->reference_error[p->part] =
            fmax(cases->reference_error[p->part], (double)p->gap_error);
        battery_show(progress, "references", i + 1, count);
    }
    return true;
}

void battery_cases_free(battery_cases *cases) {
    free(cases->pairs);
    *cases = (battery_cases){0};
}
