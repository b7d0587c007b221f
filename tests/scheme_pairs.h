/**
 * @file scheme_pairs.h
 * @brief Pairs of bodies that the suites of the published schemes share: random ones, those of the
 * papers' battery, and the same at another scale.
 */
#ifndef OVOID_TESTS_SCHEME_PAIRS_H
#define OVOID_TESTS_SCHEME_PAIRS_H

#include "check.h"

#include <ovoid/schemes.h>

#include "schemes/schemes_internal.h"

typedef struct pair_case {
    ov_shape a, b;
    ov_scheme_options options;
    ovi_scheme_pair pair;
} pair_case;

static inline double exponent(check_random *r) {
    const double special[] = {0.2, 1.0, 1.5, 2.0};
    uint64_t draw = check_random_bits(r) % 12;
    return draw < 4 ? special[draw] : check_uniform(r, 0.3, 1.1);
}

/** Superovoids with a dent, if any, as the default options allow; the others superellipsoids. */
static inline ov_shape shape_of(check_random *r, double size) {
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    ov_vec3 a =
        ov_vec3_make(size, size * check_uniform(r, 0.3, 1.0), size * check_uniform(r, 0.3, 1.0));
    double e1 = exponent(r), e2 = exponent(r);
    double tx = check_uniform(r, -0.4, 0.4), ty = check_uniform(r, -0.4, 0.4);
    if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &s) != OV_OK) {
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
    }
    return s;
}

static inline ov_quat turn_of(check_random *r) {
    switch (check_random_bits(r) % 5) {
    case 0: // parallel boxes: faces and edges in ties
        return ov_quat_identity();
    case 1:
        return ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), 0.25 * M_PI);
    default:
        return check_rotation(r);
    }
}

static inline void finish_case(pair_case *c) {
    c->options = ov_default_scheme_options();
    c->pair.a = &c->a;
    c->pair.b = &c->b;
    c->pair.options = &c->options;
}

/** Centres up to a few sizes apart: overlapping, close, apart. */
static inline void random_case(check_random *r, pair_case *c) {
    double size = check_log_uniform(r, 0.1, 10.0);
    c->a = shape_of(r, size);
    c->b = shape_of(r, size * check_log_uniform(r, 0.3, 3.0));
    double reach = c->a.ball.radius + c->b.ball.radius;
    c->pair.pose_a = (ov_pose){ov_vec3_scale(check_unit_vector(r), size), turn_of(r)};
    ov_vec3 apart = ov_vec3_scale(check_unit_vector(r), reach * check_uniform(r, 0.2, 2.0));
    c->pair.pose_b = (ov_pose){ov_vec3_add(c->pair.pose_a.position, apart), turn_of(r)};
    finish_case(c);
}

/** [Benchmark, 5.1] */
static inline void battery_case(check_random *r, pair_case *c) {
    const ov_shape_options any = {1.0};
    ov_shape *both[2] = {&c->a, &c->b};
    for (int i = 0; i < 2; i++) {
        double e1 = check_uniform(r, 0.3, 1.1), e2 = check_uniform(r, 0.3, 1.1);
        double tx = check_uniform(r, -0.4, 0.4), ty = check_uniform(r, -0.4, 0.4);
        CHECK_OK(
            ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, tx, ty, &any, both[i]));
    }
    c->pair.pose_a = (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), check_rotation(r)};
    c->pair.pose_b = (ov_pose){ov_vec3_make(0.0, 2.21, 0.0), check_rotation(r)};
    finish_case(c);
}

/** The same pair with all lengths times a power of two: no digit may change. */
static inline void scaled_case(const pair_case *from, double scale, pair_case *to) {
    const ov_shape_options any = {1.0};
    const ov_shape *old[2] = {&from->a, &from->b};
    ov_shape *both[2] = {&to->a, &to->b};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_scale(old[i]->a, scale), old[i]->e1, old[i]->e2,
                                          old[i]->tx, old[i]->ty, &any, both[i]));
    }
    to->pair = from->pair;
    to->pair.pose_a.position = ov_vec3_scale(from->pair.pose_a.position, scale);
    to->pair.pose_b.position = ov_vec3_scale(from->pair.pose_b.position, scale);
    finish_case(to);
}

static inline double distance_of(ov_vec3 a, ov_vec3 b) { return ov_vec3_length(ov_vec3_sub(a, b)); }

static inline double world_distance(const pair_case *c, ov_vec3 a, ov_vec3 b) {
    return distance_of(ov_pose_apply(c->pair.pose_a, a), ov_pose_apply(c->pair.pose_b, b));
}

#endif
