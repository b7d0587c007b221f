/**
 * @file test_pair_centre.c
 * @brief Bodies of all kinds that have one centre, or nearly so: what is degenerate there is the
 * difference of the bodies as seen from the origin, on an edge or corner of which it may lie.
 */
#include "kind_cases.h"

/** Distances of the centres: none, denormal, tiny, small; in sizes. */
static double centre_distance(check_random *r, double size) {
    switch (check_random_bits(r) % 8) {
    case 2:
        return check_log_uniform(r, 5e-324, 1e-300);
    case 3:
        return check_log_uniform(r, 1e-300, 1e-10) * size;
    case 4:
        return check_log_uniform(r, 1e-18, 1e-10) * size;
    case 5:
        return check_log_uniform(r, 1e-10, 1e-3) * size;
    default:
        return 0.0;
    }
}

/** What a careless caller may leave in a warm start. */
static ov_warm_start garbage(check_random *r) {
    const double some[] = {NAN, INFINITY, -INFINITY, 0.0, 5e-324, -1e300, 1.0, -1.0, 1e-160, 0.7};
    ov_warm_start w;
    double x[9];
    for (int i = 0; i < 9; i++) {
        x[i] = some[check_random_bits(r) % 10];
    }
    w.a = ov_vec3_make(x[0], x[1], x[2]);
    w.b = ov_vec3_make(x[3], x[4], x[5]);
    w.normal = ov_vec3_make(x[6], x[7], x[8]);
    return w;
}

static void place_at_centre(check_random *r, kc_body *a, kc_body *b) {
    double d = centre_distance(r, fmin(a->shape.ball.radius, b->shape.ball.radius));
    ov_vec3 o = check_random_bits(r) % 4 == 0 ? ov_vec3_scale(check_unit_vector(r), 3.0)
                                              : ov_vec3_make(0.0, 0.0, 0.0);
    kc_place(a, (ov_pose){o, kc_rotation(r)}, b,
             (ov_pose){ov_vec3_add_scaled(o, check_unit_vector(r), d), kc_rotation(r)});
}

/** Answers about limits must not contradict any g(n), nor the distance of two common points. */
static void check_limits(check_random *r, const kc_body *a, const kc_body *b, so_real depth,
                         double nearest) {
    double size = kc_size(a, b);
    const double limits[] = {0.0, nearest, check_log_uniform(r, 1e-12, 1.0) * size};
    ov_warm_start warm = garbage(r);
    for (int i = 0; i < 3; i++) {
        ov_answer answer = OV_ANSWER_UNKNOWN;
        ov_status status = ov_pair_exceeds(&a->shape, a->pose, &b->shape, b->pose, limits[i], NULL,
                                           &warm, &answer);
        CHECK(status >= OV_OK);
        CHECK(answer != OV_ANSWER_YES || limits[i] < nearest);
        CHECK(answer != OV_ANSWER_NO || -depth <= limits[i]);
    }
}

static void check_pair(check_random *r, const kc_body *a, const kc_body *b) {
    po_start best = kc_best_span(a, b, 12, 20);
    ov_vec3 apart = ov_vec3_sub(b->pose.position, a->pose.position);
    bool common = a->holds_centre && b->holds_centre;
    double nearest = common ? ov_vec3_length(apart) : INFINITY;
    ov_pair pair = {&a->shape, &b->shape, a->pose, b->pose};
    for (int i = 0; i < 4; i++) {
        ov_pair_options options = {check_log_uniform(r, 1e-12, 1e-3), (ov_depth)(i % 3)};
        options.tolerance = i == 0 ? 1e-9 : options.tolerance;
        ov_warm_start warm = garbage(r);
        ov_contact c;
        if (i < 3) {
            (void)ov_pair_contact(&a->shape, a->pose, &b->shape, b->pose, &options,
                                  i == 1 ? &warm : NULL, &c);
        } else {
            CHECK_OK(
                ov_pair_contact_batch(&pair, 1, &options, &(ov_threads){.count = 1}, &warm, &c));
        }
        bool good = kc_check_form(&c) && kc_check_bounds(a, b, best.s, &c);
        if (good && check_random_bits(r) % 8 == 0) {
            good = kc_check_points(a, b, options.tolerance, &c);
        }
        good = good && CHECK(c.gap_lower <= nearest);
        good = good &&
               CHECK(c.relation != OV_RELATION_OVERLAPPING || nearest < INFINITY || best.s > 0.0L);
        if (!good) {
            kc_print(a, b, &c);
        }
    }
    if (common) {
        check_limits(r, a, b, best.s, nearest);
    }
}

static void test_all_kinds(void) {
    check_random r = check_random_make(4711);
    static kc_body a, b;
    const int each = 8;
    for (int i = 0; i < KC_KINDS * KC_KINDS; i++) {
        for (int k = 0; k < each; k++) {
            double size = check_random_bits(&r) % 2 == 0 ? 1.0 : check_log_uniform(&r, 1e-6, 1e6);
            kc_shape(&r, kc_kinds[i / KC_KINDS], size, &a);
            kc_shape(&r, kc_kinds[i % KC_KINDS],
                     k % 4 == 0 ? size * check_log_uniform(&r, 1e-6, 1.0) : size, &b);
            for (int times = 0; times < check_share(12); times++) {
                place_at_centre(&r, &a, &b);
                check_pair(&r, &a, &b);
            }
        }
    }
}

/** A contact of one of the calls for points, segments and triangles; B is placed as it is told. */
static void check_small(const kc_body *a, kc_body *b, ov_vec3 at, const ov_contact *c) {
    static kc_body placed;
    placed = *a;
    po_make(&b->shape, &b->oracle);
    kc_place(&placed, a->pose, b, (ov_pose){at, ov_quat_identity()});
    po_start best = kc_best_span(&placed, b, 4, 10);
    bool good = kc_check_form(c) && kc_check_bounds(&placed, b, best.s, c);
    if (!good || !kc_check_points(&placed, b, 1e-9, c)) {
        kc_print(&placed, b, c);
    }
}

/** Points, segments and triangles about the centre of a body, by their own calls. */
static void test_small_bodies(void) {
    check_random r = check_random_make(4713);
    static kc_body a, b;
    for (int i = 0; i < 40 * KC_KINDS; i += check_every()) {
        kc_shape(&r, kc_kinds[i % KC_KINDS], 1.0, &a);
        for (int k = 0; k < 6; k++) {
            double d = centre_distance(&r, a.shape.ball.radius);
            ov_vec3 o = k % 2 == 0 ? ov_vec3_make(0.0, 0.0, 0.0) : check_unit_vector(&r);
            ov_vec3 p = ov_vec3_add_scaled(o, check_unit_vector(&r), d);
            ov_vec3 half = ov_vec3_scale(check_unit_vector(&r), check_log_uniform(&r, 1e-9, 1.0));
            ov_vec3 q = ov_vec3_add(p, half), s = ov_vec3_sub(p, half), zero = {0.0, 0.0, 0.0};
            a.pose = (ov_pose){o, kc_rotation(&r)};
            ov_contact c;
            (void)ov_point_contact(&a.shape, a.pose, p, NULL, &c);
            CHECK_OK(ov_shape_make_point(zero, &b.shape));
            check_small(&a, &b, p, &c);
            (void)ov_segment_contact(&a.shape, a.pose, s, q, NULL, &c);
            CHECK_OK(ov_shape_make_segment(zero, ov_vec3_sub(q, s), &b.shape));
            check_small(&a, &b, s, &c);
            ov_vec3 t = ov_vec3_add(s, ov_vec3_mul(half, check_unit_vector(&r)));
            (void)ov_triangle_contact(&a.shape, a.pose, s, q, t, NULL, &c);
            if (ov_shape_make_triangle(zero, ov_vec3_sub(q, s), ov_vec3_sub(t, s), &b.shape) ==
                OV_OK) {
                check_small(&a, &b, s, &c);
            }
        }
    }
}

/** A half-space whose border passes through the centre of a body: the depth is a support. */
static void test_halfspaces(void) {
    check_random r = check_random_make(4714);
    static kc_body a, b;
    for (int i = 0; i < 100 * KC_KINDS; i += check_every()) {
        kc_shape(&r, kc_kinds[i % KC_KINDS], 1.0, &a);
        CHECK_OK(ov_shape_make_halfspace(check_unit_vector(&r), 0.0, &b.shape));
        double d = centre_distance(&r, a.shape.ball.radius);
        ov_pose pose_a = {ov_vec3_scale(check_unit_vector(&r), d), kc_rotation(&r)};
        ov_pose pose_b = {{0.0, 0.0, 0.0}, kc_rotation(&r)};
        kc_place(&a, pose_a, &b, pose_b);
        so_vec out = po_turn(&b.oracle, so_from(b.shape.u.halfspace.normal));
        so_real gap = -po_local_support(&a.oracle, po_turn_back(&a.oracle, po_neg(out))).value -
                      so_dot(b.oracle.centre, out);
        ov_contact c;
        ov_status status =
            i % 2 == 0 ? ov_pair_contact(&a.shape, pose_a, &b.shape, pose_b, NULL, NULL, &c)
                       : ov_pair_contact(&b.shape, pose_b, &a.shape, pose_a, NULL, NULL, &c);
        CHECK_OK(status);
        bool good = kc_check_form(&c) && CHECK(c.gap_lower <= gap && gap <= c.gap_upper);
        so_vec n = i % 2 == 0 ? po_neg(kc_normal(&c)) : kc_normal(&c);
        good = good && CHECK(so_length(po_sub(n, out)) <= 1e-14L);
        if (!good) {
            kc_print(&a, &b, &c);
        }
    }
}

/** A sphere on a thin disc with edges: the disc is the shallower way out, by its half height. */
static void test_sphere_and_disc(void) {
    static kc_body a, b;
    check_random r = check_random_make(4712);
    CHECK_OK(ov_shape_make_sphere(0.5, &a.shape));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 0.01), 1.0, 1.5, &b.shape));
    po_make(&a.shape, &a.oracle);
    po_make(&b.shape, &b.oracle);
    a.holds_centre = b.holds_centre = true;
    ov_pose pose_a = {{0.0, 0.0, 0.0}, {5.0, -3.0, 2.0, 1.0}};
    ov_pose pose_b = {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5, 0.5}};
    kc_place(&a, pose_a, &b, pose_b);
    check_pair(&r, &a, &b);
    ov_contact c;
    CHECK_OK(ov_pair_contact(&a.shape, pose_a, &b.shape, pose_b, NULL, NULL, &c));
    CHECK_NEAR(c.gap, -0.51, 1e-9);
    CHECK(c.relation == OV_RELATION_OVERLAPPING);
}

int main(void) {
    check_suite = "pair_centre";
    RUN(test_sphere_and_disc);
    RUN(test_small_bodies);
    RUN(test_halfspaces);
    RUN(test_all_kinds);
    return check_finish();
}
