/**
 * @file test_pair_witness.c
 * @brief Witness points of all kinds of pairs belong to the gap, the normal and the bounds that
 * they come with, at tight and loose tolerances, of tiny against huge bodies, far from the origin;
 * and answers about limits agree with them.
 */
#include "kind_cases.h"

/** Gap between the planes along some direction, in sizes of the smaller body. */
static double random_gap(check_random *r) {
    switch (check_random_bits(r) % 5) {
    case 0:
        return -check_uniform(r, 0.0, 1.0);
    case 1:
        return -check_log_uniform(r, 1e-9, 1e-1);
    case 2:
        return check_log_uniform(r, 1e-9, 1e-2);
    case 3:
        return check_uniform(r, 0.01, 3.0);
    default:
        return check_log_uniform(r, 1.0, 1e4);
    }
}

/** A anywhere, B beside it. */
static void place_beside(check_random *r, kc_body *a, kc_body *b) {
    double ra = a->shape.ball.radius, rb = b->shape.ball.radius;
    double smaller = fmin(ra, rb) > 0.0 ? fmin(ra, rb) : fmax(ra, rb) > 0.0 ? fmax(ra, rb) : 1.0;
    double far = check_random_bits(r) % 4 == 0 ? check_log_uniform(r, 1.0, 1e6) : 0.0;
    ov_pose pose_a = {ov_vec3_scale(check_unit_vector(r), far * fmax(ra, rb)), kc_rotation(r)};
    ov_pose pose_b = {pose_a.position, kc_rotation(r)};
    kc_place(a, pose_a, b, pose_b);
    so_vec n = po_unit(so_from(check_unit_vector(r)));
    so_vec pa = po_world_support(&a->oracle, n).point;
    so_vec pb = po_world_support(&b->oracle, po_neg(n)).point;
    so_vec move = po_add(po_sub(pa, pb), po_scale(n, random_gap(r) * smaller));
    pose_b.position = ov_vec3_add(pose_a.position, po_round(move));
    kc_place(a, pose_a, b, pose_b);
}

/**
 * Answers about limits, next to the gap too: none above the separation along the contact's normal
 * by the oracle, none below the proven distance; and one wherever the gap is clear of it.
 */
static bool check_limits(const kc_body *a, const kc_body *b, so_real own, const ov_contact *c) {
    const double limits[] = {0.0, 0.999 * c->gap, 1.001 * c->gap, kc_size(a, b)};
    bool good = true;
    for (int i = 0; i < 4; i++) {
        double limit = fmax(limits[i], 0.0);
        ov_answer answer = OV_ANSWER_UNKNOWN;
        (void)ov_pair_exceeds(&a->shape, a->pose, &b->shape, b->pose, limit, NULL, NULL, &answer);
        good = CHECK(answer != OV_ANSWER_NO || -own <= limit) && good;
        good = CHECK(answer != OV_ANSWER_YES || c->gap_upper > limit) && good;
        bool clear = fabs(limit - c->gap) > 4e-9 * kc_size(a, b) + 16.0 * kc_ulps(a, b);
        good = CHECK(answer != OV_ANSWER_UNKNOWN || !clear) && good;
    }
    return good;
}

static void check_pair(check_random *r, const kc_body *a, const kc_body *b) {
    for (int i = 0; i < 3; i++) {
        ov_pair_options options = {check_log_uniform(r, 1e-12, 1e-3), OV_DEPTH_GLOBAL};
        options.tolerance = i == 0 ? 1e-9 : i == 1 ? OV_TOLERANCE_MAX : options.tolerance;
        options.depth = i == 2 ? (ov_depth)(check_random_bits(r) % 3) : options.depth;
        ov_contact c;
        (void)ov_pair_contact(&a->shape, a->pose, &b->shape, b->pose, &options, NULL, &c);
        so_real own = po_depth_along(&a->oracle, &b->oracle, kc_normal(&c));
        bool good = kc_check_form(&c) && kc_check_bounds(a, b, own, &c);
        good = kc_check_points(a, b, options.tolerance, &c) && good;
        good = (i > 0 || c.status != OV_OK || check_limits(a, b, own, &c)) && good;
        if (!good) {
            if (check_may_print()) {
                fprintf(stderr, "  tolerance %.3g\n", options.tolerance);
            }
            kc_print(a, b, &c);
        }
    }
}

static void test_all_kinds(void) {
    check_random r = check_random_make(815);
    static kc_body a, b;
    const int each = 8;
    for (int i = 0; i < KC_KINDS * KC_KINDS; i++) {
        for (int k = 0; k < check_share(each); k++) {
            double size = check_random_bits(&r) % 2 == 0 ? 1.0 : check_log_uniform(&r, 1e-6, 1e6);
            double ratio = k % 4 == 0 ? check_log_uniform(&r, 1e-7, 1e7) : 1.0;
            kc_shape(&r, kc_kinds[i / KC_KINDS], size, &a);
            kc_shape(&r, kc_kinds[i % KC_KINDS], size * ratio, &b);
            for (int times = 0; times < 4; times++) {
                place_beside(&r, &a, &b);
                check_pair(&r, &a, &b);
            }
        }
    }
}

/** Next to the tip of a steep taper a point may not leave the body on its way to the surface. */
static void test_steep_tips(void) {
    const ov_shape_options any = {1.0};
    ov_shape box, tip, line, ridge;
    ov_contact c;
    ov_support h;
    CHECK_OK(ov_shape_make_box(
        ov_vec3_make(2.7392428241338687e-08, 5.807347243895688e-06, 0.0075976914088894216), &box));
    CHECK_OK(ov_shape_make_superovoid(
        ov_vec3_make(2.7994789807189739e-05, 0.0066498121163747212, 0.0013937951189682122),
        1.9998876009793074, 0.19043748538934746, 0.99999999999999989, 0.0, &any, &tip));
    ov_pose there = {{0.0, 0.0, 0.0},
                     {9.7897695614258508e-06, -0.001304064384046136, -0.00039256601578309462,
                      -0.0011924378673929656}};
    CHECK_OK(ov_pair_contact(&tip, ov_pose_identity(), &box, there, NULL, NULL, &c));
    CHECK_OK(ov_shape_support(&tip, c.normal, &h));
    CHECK(ov_vec3_dot(c.normal, c.point_a) <= h.value + 2e-13 * tip.ball.radius);
    ov_pose tilted = {{0.0, 0.0, 0.0}, {-0.5, 0.5, -0.5, 0.5}};
    CHECK_OK(ov_pair_contact(&tip, tilted, &box, there, NULL, NULL, &c));
    ov_quat back = ov_quat_conjugate(tilted.rotation);
    ov_vec3 n = ov_quat_rotate(back, c.normal);
    CHECK_OK(ov_shape_support(&tip, n, &h));
    CHECK(ov_vec3_dot(n, ov_quat_rotate(back, c.point_a)) <= h.value + 2e-13 * tip.ball.radius);

    ov_vec3 end = {0.00022805887760474965, 0.0022203922728955229, 0.00079689377744436238};
    CHECK_OK(ov_shape_make_segment(end, ov_vec3_neg(end), &line));
    CHECK_OK(ov_shape_make_superovoid(
        ov_vec3_make(1.898294120762376, 0.55551659022619981, 0.51595139552494018),
        0.99999999999994271, 6.4580049077603711e-05, -0.99999999999999778, 0.99999999999999778,
        &any, &ridge));
    ov_pose here = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}};
    there = (ov_pose){
        {0.015047676724095219, 0.546263255900168, 0.95896687628524946},
        {-0.9439368539516394, 0.29528498702391676, -0.0092921578523908789, 0.14732158019995883}};
    CHECK_OK(ov_pair_contact(&line, here, &ridge, there, NULL, NULL, &c));
    CHECK(c.gap_lower <= 0.58807402730970257 && 0.58807402730970254 <= c.gap_upper);
}

/** Bodies that touch within rounding: points that have the distance, not some that were nearest
 *  before the touch was proven. */
static void check_touch(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b) {
    ov_contact c;
    CHECK_OK(ov_pair_contact(a, pose_a, b, pose_b, NULL, NULL, &c));
    double size = fmax(a->ball.radius, b->ball.radius);
    CHECK(c.relation == OV_RELATION_TOUCHING && c.gap_upper - c.gap_lower <= 1e-9 * size);
    double apart = ov_vec3_length(ov_vec3_sub(c.point_b, c.point_a));
    CHECK_NEAR(apart, fabs(c.gap), 1e-12 * size);
}

static void test_touch(void) {
    ov_shape box, line, ovoid;
    CHECK_OK(ov_shape_make_box(
        ov_vec3_make(0.21738155215923899, 0.26877493422677401, 0.26877493422677401), &box));
    ov_vec3 end = {-2.6827810279827781e-05, -1.4186637540364833e-05, 1.5355725732516171e-05};
    CHECK_OK(ov_shape_make_segment(end, ov_vec3_neg(end), &line));
    ov_pose pose_box = {
        {0.038633829732285151, 0.02182623052586824, -0.04527820705345062},
        {-0.94453566594067517, -0.21306212833143937, -0.24302781235765958, 0.058261373632388015}};
    ov_pose pose_line = {
        {0.22888490053087884, 0.020413109798790751, -0.15048722202254772},
        {-0.40564643368319608, -0.8792008107384921, -0.10164181094427344, 0.22831085717690056}};
    check_touch(&line, pose_line, &box, pose_box);

    const ov_shape_options any = {1.0};
    CHECK_OK(ov_shape_make_box(
        ov_vec3_make(4.2749089400971885, 2.7464389174304511, 5.6550219747269876), &box));
    CHECK_OK(ov_shape_make_superovoid(
        ov_vec3_make(2.5654850476296809, 6.7761575854194822, 2.670858378521523), 1.0,
        1.0000000000000001e-15, -0.0010341658251590666, -0.0010341658251590666, &any, &ovoid));
    pose_box = (ov_pose){
        {0.0, 0.0, 0.0},
        {0.10132019834168046, -0.96935065711293389, -0.14700091526759038, 0.16877278179024116}};
    ov_pose pose_ovoid = {
        {2.3366285550535002, 0.2725872488029899, -10.022525203378374},
        {0.05420378132733869, 0.97312302877236057, 0.17198166756458833, -0.14323347019614194}};
    check_touch(&ovoid, pose_ovoid, &box, pose_box);
}

int main(void) {
    check_suite = "pair_witness";
    RUN(test_all_kinds);
    RUN(test_steep_tips);
    RUN(test_touch);
    return check_finish();
}
