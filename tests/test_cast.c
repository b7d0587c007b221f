/**
 * @file test_cast.c
 * @brief Translation sweeps: closed forms, an exact oracle for pairs of like bodies, and the pair
 * query along the way for all kinds.
 *
 * The oracle: if B is r2 K and A is -r1 K, for any convex K, the two meet exactly when the centre
 * of A is in (r1 + r2) K about the centre of B. So the first contact of a sweep is the entry of a
 * ray into one body, by halving on its gauge in long double. A superovoid's mirror image is the one
 * with its tapers reversed.
 */
#include <string.h>

#include "check.h"
#include "oracle.h"
#include "support_oracle.h"

static long double gauge_on_way(const ov_shape *k, so_vec from, so_vec along, long double s) {
    so_vec x = {from.x + s * along.x, from.y + s * along.y, from.z + s * along.z};
    return fabsl(x.z) > k->a.z ? 2.0L : so_gauge(k, x);
}

/** First s in [0, 1] inside K, by a scan and halving; infinity where the scan finds none. */
static long double entry(const ov_shape *k, so_vec from, so_vec along, long double *least) {
    enum { STEPS = 4000 };
    *least = INFINITY;
    for (int i = 0; i <= STEPS; i++) {
        long double s = (long double)i / STEPS, g = gauge_on_way(k, from, along, s);
        *least = fminl(*least, g);
        if (g >= 1.0L) {
            continue;
        }
        long double out = i == 0 ? 0.0L : s - 1.0L / STEPS, in = s;
        for (int n = 0; i > 0 && n < 80; n++) {
            long double mid = 0.5L * (out + in);
            if (gauge_on_way(k, from, along, mid) < 1.0L) {
                in = mid;
            } else {
                out = mid;
            }
        }
        return in;
    }
    return INFINITY;
}

static bool make_like_pair(check_random *r, ov_shape *a, ov_shape *b, ov_shape *sum) {
    double e1 = oracle_random_exponent(r), e2 = oracle_random_exponent(r);
    double t = check_random_bits(r) % 2 == 0 ? 0.0 : check_uniform(r, -0.5, 0.5);
    ov_vec3 k = ov_vec3_make(check_log_uniform(r, 0.2, 1.0), check_log_uniform(r, 0.2, 1.0),
                             check_log_uniform(r, 0.2, 1.0));
    double r1 = check_log_uniform(r, 0.2, 2.0), r2 = check_log_uniform(r, 0.2, 2.0);
    return ov_shape_make_superovoid(ov_vec3_scale(k, r1), e1, e2, -t, -t, NULL, a) == OV_OK &&
           ov_shape_make_superovoid(ov_vec3_scale(k, r2), e1, e2, t, t, NULL, b) == OV_OK &&
           ov_shape_make_superovoid(ov_vec3_scale(k, r1 + r2), e1, e2, t, t, NULL, sum) == OV_OK &&
           sum->dent == 0.0;
}

static void like_bodies(void) {
    check_random r = check_random_make(601);
    int hits = 0, misses = 0, unsolved = 0, asked = 0;
    double worst = 0.0;
    while (asked < 300) {
        ov_shape a, b, sum;
        if (!make_like_pair(&r, &a, &b, &sum)) {
            continue;
        }
        asked++;
        // a common turn of both, and the way in the frame of the bodies
        ov_quat q = check_rotation(&r);
        ov_vec3 from =
            ov_vec3_scale(check_unit_vector(&r), sum.ball.radius * check_uniform(&r, 1.0, 4.0));
        ov_vec3 to =
            ov_vec3_scale(check_unit_vector(&r), sum.ball.radius * check_uniform(&r, 0.0, 1.2));
        ov_vec3 along = ov_vec3_scale(ov_vec3_sub(to, from), check_uniform(&r, 0.8, 2.0));
        ov_vec3 place = ov_vec3_scale(check_unit_vector(&r), 5.0);
        ov_pose pose_b = {place, q}, pose_a = {ov_vec3_add(place, ov_quat_rotate(q, from)), q};
        ov_cast_hit h;
        ov_status status =
            ov_shape_cast(&a, pose_a, ov_quat_rotate(q, along), &b, pose_b, NULL, &h);
        CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
        unsolved += status != OV_OK;
        long double least;
        double expected = (double)entry(&sum, so_from(from), so_from(along), &least);
        double slack = 1e-13 * (10.0 + ov_vec3_length(from)) / ov_vec3_length(along);
        if (isinf(expected)) {
            CHECK(!h.hit || least < 1.001L);
            misses += !h.hit && status == OV_OK;
            continue;
        }
        hits += h.hit;
        CHECK(h.hit || status == OV_NOT_CONVERGED);
        CHECK(h.fraction_lower <= expected + slack);
        if (h.hit) {
            CHECK(h.fraction_upper >= expected - slack);
            CHECK(h.fraction >= h.fraction_lower && h.fraction <= h.fraction_upper);
        }
        if (h.hit && status == OV_OK) {
            double off = fabs(h.fraction - expected) * ov_vec3_length(along) / sum.ball.radius;
            CHECK_NEAR(off, 0.0, 2e-9);
            worst = fmax(worst, off);
            CHECK(fabs(h.contact.gap) <= 1e-8 * sum.ball.radius);
        }
    }
    printf("test_cast: like bodies: %d hits, %d misses, %d not solved\n", hits, misses, unsolved);
    CHECK(hits > 120 && misses > 30 && unsolved <= 3);
    check_worst("way to contact, in sizes", worst, 2e-9);
}

/* ---- all kinds, by the pair query along the way */

static ov_shape any_shape(check_random *r, uint64_t kind) {
    static const ov_vec3 tetra[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    double a = check_log_uniform(r, 0.3, 1.5), b = check_log_uniform(r, 0.3, 1.5);
    double c = check_log_uniform(r, 0.3, 1.5);
    switch (kind % 9) {
    case 0:
        CHECK_OK(ov_shape_make_sphere(a, &s));
        break;
    case 1:
        CHECK_OK(ov_shape_make_box(ov_vec3_make(a, b, c), &s));
        break;
    case 2:
        CHECK_OK(ov_shape_make_capsule(a, b, &s));
        break;
    case 3:
        CHECK_OK(ov_shape_make_cylinder(a, b, &s));
        break;
    case 4:
        CHECK_OK(ov_shape_make_cone(a, b, &s));
        break;
    case 5:
        CHECK_OK(ov_shape_make_polyhedron(tetra, 4, NULL, 0, &s));
        break;
    case 6:
        CHECK_OK(ov_shape_make_triangle(check_unit_vector(r), check_unit_vector(r),
                                        check_unit_vector(r), &s));
        break;
    case 7:
        CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(a, b, c), &s));
        break;
    default:
        while (s.kind == OV_SHAPE_KIND_NONE) {
            (void)ov_shape_make_superovoid(ov_vec3_make(a, b, c), check_uniform(r, 0.2, 1.8),
                                           check_uniform(r, 0.2, 1.8), check_uniform(r, -0.3, 0.3),
                                           check_uniform(r, -0.3, 0.3), NULL, &s);
        }
        break;
    }
    return s;
}

static ov_relation relation_at(const ov_shape *a, ov_pose pose_a, ov_vec3 t, double s,
                               const ov_shape *b, ov_pose pose_b, double *gap) {
    ov_contact c;
    pose_a.position = ov_vec3_add_scaled(pose_a.position, t, s);
    CHECK(ov_pair_contact(a, pose_a, b, pose_b, NULL, NULL, &c) >= 0);
    *gap = c.gap;
    return c.relation;
}

static void all_kinds(void) {
    check_random r = check_random_make(602);
    int hits = 0, misses = 0, unsolved = 0;
    enum { CASES = 200 };
    for (int i = 0; i < CASES; i++) {
        ov_shape a = any_shape(&r, check_random_bits(&r)), b = any_shape(&r, check_random_bits(&r));
        if (a.kind == OV_SHAPE_KIND_TRIANGLE && b.kind == OV_SHAPE_KIND_TRIANGLE) {
            CHECK_OK(ov_shape_make_sphere(0.5, &a)); // two flat bodies have no common inside
        }
        ov_pose pose_a = {ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 3.0, 8.0)),
                          check_rotation(&r)};
        ov_pose pose_b = {ov_vec3_scale(check_unit_vector(&r), 0.5), check_rotation(&r)};
        ov_vec3 aim = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 3.0)), t;
        t = ov_vec3_scale(ov_vec3_sub(aim, pose_a.position), check_uniform(&r, 0.7, 2.0));
        ov_cast_hit h, back;
        ov_status status = ov_shape_cast(&a, pose_a, t, &b, pose_b, NULL, &h);
        CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
        unsolved += status != OV_OK;
        hits += h.hit;
        misses += !h.hit && status == OV_OK;
        double until = h.hit || status != OV_OK ? h.fraction_lower : 1.0, gap;
        for (int k = 0; k <= 12; k++) {
            double s = until * k / 12.0;
            CHECK(relation_at(&a, pose_a, t, s, &b, pose_b, &gap) != OV_RELATION_OVERLAPPING ||
                  gap > -1e-8);
        }
        if (h.hit && status == OV_OK) {
            double s = fmin(1.0, h.fraction_upper + 1e-7);
            ov_relation there = relation_at(&a, pose_a, t, s, &b, pose_b, &gap);
            CHECK(there == OV_RELATION_OVERLAPPING || there == OV_RELATION_TOUCHING ||
                  h.fraction_upper > 1.0 - 1e-6);
            CHECK(fabs(h.contact.gap) < 1e-7);
        }
        // B against A, the other way
        ov_status other = ov_shape_cast(&b, pose_b, ov_vec3_neg(t), &a, pose_a, NULL, &back);
        if (status == OV_OK && other == OV_OK) {
            CHECK(h.hit == back.hit);
            if (h.hit && back.hit) {
                CHECK_NEAR(h.fraction, back.fraction, 1e-8);
            }
        }
    }
    printf("test_cast: all kinds: %d hits, %d misses, %d not solved\n", hits, misses, unsolved);
    CHECK(hits > CASES / 4 && misses > CASES / 8 && unsolved <= CASES / 50);
}

static void closed_forms(void) {
    ov_shape one, two, ground, box;
    ov_cast_hit h;
    CHECK_OK(ov_shape_make_sphere(1.0, &one));
    CHECK_OK(ov_shape_make_sphere(2.0, &two));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 2.0, 3.0), &box));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground));
    ov_pose id = ov_pose_identity(), start = {{-10.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    CHECK_OK(ov_shape_cast(&one, start, ov_vec3_make(20.0, 0.0, 0.0), &two, id, NULL, &h));
    CHECK(h.hit);
    CHECK_NEAR(h.fraction, 0.35, 1e-9);
    CHECK_NEAR(h.contact.normal.x, 1.0, 1e-8);
    CHECK(h.fraction_lower <= 0.35 && h.fraction_upper >= 0.35);
    // too short, past it, away from it
    CHECK_OK(ov_shape_cast(&one, start, ov_vec3_make(6.99, 0.0, 0.0), &two, id, NULL, &h));
    CHECK(!h.hit && isinf(h.fraction));
    start.position.y = 3.01;
    CHECK_OK(ov_shape_cast(&one, start, ov_vec3_make(20.0, 0.0, 0.0), &two, id, NULL, &h));
    CHECK(!h.hit);
    CHECK_OK(ov_shape_cast(&one, start, ov_vec3_make(-20.0, 0.0, 0.0), &two, id, NULL, &h));
    CHECK(!h.hit);
    // close passes: a billionth of the size apart, and into it by as much
    start.position.y = 3.0 + 3e-9;
    CHECK_OK(ov_shape_cast(&one, start, ov_vec3_make(20.0, 0.0, 0.0), &two, id, NULL, &h));
    CHECK(!h.hit);
    start.position.y = 3.0 - 3e-9;
    CHECK(ov_shape_cast(&one, start, ov_vec3_make(20.0, 0.0, 0.0), &two, id, NULL, &h) >= 0);
    double expected = (10.0 - sqrt(9.0 - start.position.y * start.position.y)) / 20.0;
    CHECK(h.hit && h.fraction_lower <= expected && h.fraction_upper >= expected);
    // touching at one moment only: not decided, and free until just before
    start.position.y = 3.0;
    CHECK_STATUS(ov_shape_cast(&one, start, ov_vec3_make(20.0, 0.0, 0.0), &two, id, NULL, &h),
                 OV_NOT_CONVERGED);
    CHECK(!h.hit && h.fraction_lower <= 0.5 && h.fraction_lower > 0.4);
    // onto the ground, and the ground onto the box
    start.position = ov_vec3_make(0.0, 0.0, 5.0);
    CHECK_OK(ov_shape_cast(&box, start, ov_vec3_make(1.0, 1.0, -4.0), &ground, id, NULL, &h));
    CHECK(h.hit);
    CHECK_NEAR(h.fraction, 0.5, 1e-9);
    CHECK_OK(ov_shape_cast(&ground, id, ov_vec3_make(1.0, 1.0, 4.0), &box, start, NULL, &h));
    CHECK(h.hit);
    CHECK_NEAR(h.fraction, 0.5, 1e-9);
    // overlapping at the start, and no motion at all
    start.position = ov_vec3_make(0.5, 0.0, 0.0);
    CHECK_OK(ov_shape_cast(&box, start, ov_vec3_make(1.0, 1.0, 4.0), &one, id, NULL, &h));
    CHECK(h.hit && h.fraction == 0.0 && h.fraction_upper == 0.0);
    CHECK_OK(ov_shape_cast(&box, start, ov_vec3_make(0.0, 0.0, 0.0), &one, id, NULL, &h));
    CHECK(h.hit && h.fraction == 0.0);
    start.position = ov_vec3_make(5.0, 0.0, 0.0);
    CHECK_OK(ov_shape_cast(&box, start, ov_vec3_make(0.0, 0.0, 0.0), &one, id, NULL, &h));
    CHECK(!h.hit);
}

static void bad_input(void) {
    ov_shape s, ground;
    ov_cast_hit h;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground));
    const ov_pose id = ov_pose_identity();
    const ov_vec3 t = {1.0, 0.0, 0.0}, bad = {0.0, NAN, 0.0}, far = {1e200, 0.0, 0.0};
    CHECK_STATUS(ov_shape_cast(NULL, id, t, &s, id, NULL, &h), OV_ERROR_NULL);
    CHECK(!h.hit && isnan(h.fraction) && isnan(h.contact.gap));
    CHECK_STATUS(ov_shape_cast(&s, id, t, NULL, id, NULL, &h), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_cast(&s, id, t, &s, id, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_cast(&s, id, bad, &s, id, NULL, &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_cast(&s, id, far, &s, id, NULL, &h), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_cast(&ground, id, t, &ground, id, NULL, &h), OV_ERROR_UNBOUNDED);
    ov_pair_options options = ov_default_pair_options();
    options.tolerance = 1.0;
    CHECK_STATUS(ov_shape_cast(&s, id, t, &s, id, &options, &h), OV_ERROR_OPTION);
}

/** A ball by its support function, which can be called so many times before it fails. */
static ov_vec3 support_that_fails(const void *user, ov_vec3 direction) {
    int *const *left = user;
    if ((**left)-- <= 0) {
        return ov_vec3_make(NAN, 0.0, 0.0);
    }
    return ov_vec3_normalize(direction);
}

/** Wherever in the cast the support function fails, there is an error and no hit. */
static void failing_support(void) {
    int left = 0, *counter = &left, errors = 0;
    ov_shape custom, box;
    const ov_ball ball = {{0.0, 0.0, 0.0}, 1.001};
    const ov_pose id = ov_pose_identity();
    CHECK_OK(ov_shape_make_custom(support_that_fails, &counter, ball, &custom));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.6, 0.7), &box));
    const ov_pose start = {{-4.0, 0.3, 0.2}, {1.0, 0.0, 0.0, 0.0}};
    ov_status status = OV_ERROR_NULL;
    for (int calls = 0; calls < 10000 && status < 0; calls++) {
        ov_cast_hit h;
        left = calls;
        status = ov_shape_cast(&custom, start, ov_vec3_make(6.0, 0.0, 0.0), &box, id, NULL, &h);
        if (status < 0) {
            errors++;
            CHECK_STATUS(status, OV_ERROR_NOT_FINITE);
            CHECK(!h.hit && isnan(h.fraction) && isnan(h.fraction_lower) && isnan(h.contact.gap));
        } else {
            CHECK(h.hit && h.fraction_lower <= h.fraction_upper);
        }
    }
    CHECK(status >= 0 && errors > 0);
}

int main(void) {
    check_suite = "test_cast";
    RUN(closed_forms);
    RUN(like_bodies);
    RUN(all_kinds);
    RUN(bad_input);
    RUN(failing_support);
    return check_finish();
}
