/**
 * @file test_study_reference.c
 * @brief The reference of the benchmarks against closed forms and scans, and the rules by which
 * the benchmarks judge: a benchmark whose reference or judge is wrong proves nothing.
 */
#include "check.h"

#include "battery.h"
#include "reference.h"

#include <string.h>

enum { DIRECTIONS = 20000 };

static ov_vec3 fibonacci(int i) {
    double z = 1.0 - 2.0 * (i + 0.5) / DIRECTIONS, s = sqrt(1.0 - z * z);
    double phi = i * M_PI * (3.0 - sqrt(5.0));
    return ov_vec3_make(s * cos(phi), s * sin(phi), z);
}

static ov_shape draw_superovoid(check_random *r) {
    ov_shape shape = {.kind = OV_SHAPE_KIND_NONE};
    for (int i = 0; i < 100 && shape.kind == OV_SHAPE_KIND_NONE; i++) {
        ov_vec3 a = {check_uniform(r, 0.5, 2.0), check_uniform(r, 0.5, 2.0),
                     check_uniform(r, 0.5, 2.0)};
        double e1 = check_uniform(r, 0.2, 1.8), e2 = check_uniform(r, 0.2, 1.5);
        double tx = check_uniform(r, -0.4, 0.4), ty = check_uniform(r, -0.4, 0.4);
        ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &shape);
    }
    return shape;
}

static oracle_gap measure(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b) {
    oracle_body body_a, body_b;
    oracle_place(a, pose_a, &body_a);
    oracle_place(b, pose_b, &body_b);
    return oracle_measure(&body_a, &body_b, ov_vec3_make(0.0, 0.0, 0.0));
}

/* ---- the reference */

/** Against the library's support, and against points of the surface, none of which may be beyond.
 */
static void supports(void) {
    check_random r = check_random_make(1);
    double worst = 0.0, beyond = 0.0;
    for (int i = 0; i < 200; i++) {
        ov_shape shape = draw_superovoid(&r);
        oracle_body body;
        oracle_place(&shape, ov_pose_identity(), &body);
        for (int k = 0; k < 20; k++) {
            ov_vec3 d = check_unit_vector(&r);
            oracle_vec point;
            long double h = oracle_support(&body, (oracle_vec){d.x, d.y, d.z}, &point);
            ov_support s = {0};
            CHECK_OK(ov_shape_support(&shape, d, &s));
            worst = fmax(worst, fabs((double)(h - s.value)));
            ov_surface_point p;
            ov_status status =
                ov_shape_surface(&shape, OV_SPACING_EQUAL, check_uniform(&r, -M_PI, M_PI),
                                 check_uniform(&r, -0.5 * M_PI, 0.5 * M_PI), &p);
            CHECK(status >= 0);
            beyond = fmax(beyond, (double)(ov_vec3_dot(d, p.point) - h));
        }
    }
    CHECK_NEAR(worst, 0.0, 1e-13);
    CHECK(beyond <= 1e-14);
    check_worst("long-double support against the library's", worst, 1e-13);
}

static void spheres(void) {
    check_random r = check_random_make(2);
    double worst = 0.0;
    for (int i = 0; i < 200; i++) {
        ov_shape a, b;
        double ra = check_uniform(&r, 0.3, 2.0), rb = check_uniform(&r, 0.3, 2.0);
        // from nearly concentric to far away: a sphere may be inside the other one
        double apart = check_uniform(&r, 0.05, 2.0) * (ra + rb);
        CHECK_OK(ov_shape_make_sphere(ra, &a));
        CHECK_OK(ov_shape_make_sphere(rb, &b));
        ov_pose pose_a = {check_unit_vector(&r), check_rotation(&r)};
        ov_pose pose_b = {ov_vec3_add_scaled(pose_a.position, check_unit_vector(&r), apart),
                          check_rotation(&r)};
        oracle_gap gap = measure(&a, pose_a, &b, pose_b);
        ov_vec3 d = ov_vec3_sub(pose_b.position, pose_a.position);
        double expected = ov_vec3_length(d) - ra - rb;
        CHECK(gap.lower <= gap.upper + 1e-17L);
        CHECK_NEAR((double)gap.lower, expected, 1e-14);
        CHECK((double)gap.upper >= expected - 1e-14);
        // nearly concentric, every direction is almost as good as any other: EPA has to stop
        CHECK((double)gap.upper <= expected + (apart > 0.3 * (ra + rb) ? 1e-14 : 1e-6));
        worst = fmax(worst, fabs((double)gap.lower - expected));
    }
    check_worst("gap of two spheres", worst, 1e-14);
}

/** No direction separates better than the reference says, and the best of many is near to it. */
static void scans(void) {
    check_random r = check_random_make(3);
    for (int i = 0; i < 12; i++) {
        ov_shape a = draw_superovoid(&r), b = draw_superovoid(&r);
        ov_pose pose_a = {check_unit_vector(&r), check_rotation(&r)};
        double apart = check_uniform(&r, 0.5, 5.0);
        ov_pose pose_b = {ov_vec3_add_scaled(pose_a.position, check_unit_vector(&r), apart),
                          check_rotation(&r)};
        oracle_gap gap = measure(&a, pose_a, &b, pose_b), swapped = measure(&b, pose_b, &a, pose_a);
        CHECK((gap.lower > 0.0L) == (swapped.lower > 0.0L));
        CHECK_NEAR((double)gap.upper, (double)swapped.upper, 1e-13);
        double best = -INFINITY;
        ov_vec3 d = ov_vec3_sub(pose_b.position, pose_a.position);
        for (int k = 0; k < DIRECTIONS; k++) {
            ov_vec3 n = fibonacci(k);
            ov_support sa = {0}, sb = {0};
            ov_shape_support(&a, ov_quat_rotate(ov_quat_conjugate(pose_a.rotation), n), &sa);
            ov_shape_support(&b, ov_quat_rotate(ov_quat_conjugate(pose_b.rotation), ov_vec3_neg(n)),
                             &sb);
            best = fmax(best, ov_vec3_dot(n, d) - sa.value - sb.value);
        }
        CHECK(best <= (double)gap.upper + 1e-13);
        // directions are 0.02 apart, and a gap changes by no more than the reach times the angle
        CHECK(best >= (double)gap.lower - 0.02 * 8.0);
    }
}

/* ---- the pairs */

static void draws(void) {
    battery_cases one, two;
    enum { PAIRS = 40 };
    CHECK(battery_draw(BATTERY_ELLIPSOIDS, PAIRS, 5, NULL, &one));
    CHECK(battery_draw(BATTERY_ELLIPSOIDS, PAIRS, 5, NULL, &two));
    CHECK(one.part_count[BATTERY_OVERLAPPING] == PAIRS / 2);
    CHECK(one.unsure == 0);
    for (size_t i = 0; i < PAIRS; i++) {
        CHECK(one.pairs[i].gap == two.pairs[i].gap);
        CHECK((one.pairs[i].part == BATTERY_OVERLAPPING) == (i % 2 == 1));
        CHECK((double)one.pairs[i].gap_error < 1e-15);
    }
    battery_cases_free(&two);
    CHECK(battery_draw(BATTERY_ELLIPSOIDS, PAIRS, 6, NULL, &two));
    CHECK(one.pairs[0].gap != two.pairs[0].gap);
    battery_cases_free(&one);
    battery_cases_free(&two);
    CHECK(battery_draw(BATTERY_SUPEROVOIDS, PAIRS, 5, NULL, &one));
    CHECK(one.unsure == 0 && one.part_count[0] > 0 && one.part_count[1] > 0);
    for (size_t i = 0; i < PAIRS; i++) {
        const ov_shape *s = &one.pairs[i].a;
        CHECK(s->e1 >= 0.3 && s->e1 <= 1.1 && s->e2 >= 0.3 && s->e2 <= 1.1);
        CHECK(fabs(s->tx) <= 0.4 && fabs(s->ty) <= 0.4 && s->dent <= 0.05);
        CHECK((double)one.pairs[i].gap_error < 1e-13);
    }
    battery_cases_free(&one);
}

/* ---- the judge */

static void judgement(void) {
    battery_pair pair = {.gap = 0.5L, .gap_error = 1e-16L, .part = BATTERY_SEPARATED};
    ov_contact c = {.gap = 0.5,
                    .gap_lower = 0.5 - 1e-10,
                    .gap_upper = 0.5 + 1e-10,
                    .relation = OV_RELATION_SEPARATED,
                    .status = OV_OK};
    CHECK(battery_judge(&pair, &c) == VERDICT_RIGHT);
    c.status = OV_NOT_CONVERGED;
    CHECK(battery_judge(&pair, &c) == VERDICT_UNDECIDED);
    c.status = OV_OK;
    c.relation = OV_RELATION_OVERLAPPING;
    CHECK(battery_judge(&pair, &c) == VERDICT_WRONG);
    c.relation = OV_RELATION_SEPARATED;
    c.gap_lower = 0.5 + 1e-11; // a bound that does not hold
    c.gap = c.gap_upper;
    CHECK(battery_judge(&pair, &c) == VERDICT_WRONG);
    c.gap = NAN;
    CHECK(battery_judge(&pair, &c) == VERDICT_NONE);
    c.gap = 0.5;
    c.status = OV_ERROR_SHAPE;
    CHECK(battery_judge(&pair, &c) == VERDICT_NONE);
}

static void figures(void) {
    battery_pair pairs[5];
    memset(pairs, 0, sizeof pairs);
    battery_result results[5];
    for (int i = 0; i < 5; i++) {
        pairs[i].gap = i;
        pairs[i].part = i < 4 ? BATTERY_SEPARATED : BATTERY_OVERLAPPING;
        results[i] = (battery_result){100.0 * (i + 1), i + 0.125 * i, VERDICT_RIGHT};
    }
    results[1].verdict = VERDICT_WRONG;
    results[2].verdict = VERDICT_UNDECIDED;
    results[3].gap = NAN;
    results[3].verdict = VERDICT_NONE;
    battery_cases cases = {.pairs = pairs, .count = 5};
    battery_table table = {.cases = &cases, .row_count = 1};
    table.rows[0].results = results;
    battery_figures f = battery_figure(&table, 0, BATTERY_SEPARATED);
    CHECK(f.count == 4 && f.failed == 2 && f.undecided == 1 && f.gaps == 3);
    CHECK_NEAR(f.mean, 250.0, 0.0);
    CHECK_NEAR(f.p99, 400.0, 0.0);
    CHECK_NEAR(f.mean_error, 0.125, 1e-15);
    CHECK_NEAR(f.worst_error, 0.25, 1e-15);
}

/* ---- calls that end the process */

static bool troublesome(size_t index, void *context) {
    (void)context;
    if (index == 2 || index == 5) {
        abort();
    }
    return index != 3;
}

static void guard(void) {
    unsigned char fates[7];
    static const unsigned char expected[7] = {CALL_GOOD, CALL_GOOD, CALL_DIED, CALL_FAILED,
                                              CALL_GOOD, CALL_DIED, CALL_GOOD};
    bench_guard(7, troublesome, NULL, false, fates);
    CHECK(memcmp(fates, expected, sizeof fates) == 0);
    bench_guard(7, troublesome, NULL, true, fates);
    CHECK(fates[1] == CALL_GOOD && fates[2] == CALL_DIED && fates[4] == CALL_UNTRIED);
}

int main(void) {
    check_suite = "study_reference";
    RUN(supports);
    RUN(spheres);
    RUN(scans);
    RUN(draws);
    RUN(judgement);
    RUN(figures);
    RUN(guard);
    return check_finish();
}
