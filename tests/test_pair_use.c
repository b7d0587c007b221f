/**
 * @file test_pair_use.c
 * @brief The pair query in use: extreme sizes and distances, motions and scales, tolerances, warm
 * starts with any content, early outs, witness points; and that it keeps no state.
 */
#include "pair_cases.h"

static po_body body_a, body_b;

/** A quaternion of any length is that rotation. */
static void test_long_quaternion(void) {
    check_random r = check_random_make(4101);
    static pc_pool pool;
    pc_pair p;
    pc_domain(&r, &pool, &p, &body_a, &body_b);
    ov_contact c = pc_query(&p);
    const double lengths[] = {1e-100, 0.5, 3.0, 1e100};
    for (int i = 0; i < 4; i++) {
        pc_pair q = p;
        ov_quat *t = &q.pose_b.rotation;
        *t = (ov_quat){t->w * lengths[i], t->x * lengths[i], t->y * lengths[i], t->z * lengths[i]};
        ov_contact d = pc_query(&q);
        CHECK(d.gap_lower <= c.gap_upper && c.gap_lower <= d.gap_upper);
        CHECK(d.relation == c.relation);
    }
}

/* ---- extremes: right, or honestly undecided */

static ov_shape extreme_shape(check_random *r, double size, double aspect) {
    ov_shape s;
    ov_vec3 a = {size, size * check_log_uniform(r, aspect, 1.0), size * aspect};
    double e1 = check_uniform(r, 0.05, 2.0), e2 = check_uniform(r, 0.05, 2.0);
    CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
    return s;
}

/** Pairs with a known gap; false answers fail, and how many say that they do not know is counted.
 */
static void run_extremes(const char *what, double ratio, double aspect, double far, uint64_t seed) {
    check_random r = check_random_make(seed);
    long unsolved = 0, pairs = 0;
    for (int i = 0; i < 400; i++) {
        pc_pair p;
        p.a = extreme_shape(&r, i % 2 == 0 ? 1.0 : ratio, aspect);
        p.b = extreme_shape(&r, i % 2 == 0 ? ratio : 1.0, aspect);
        const double gaps[] = {1e-12, 1e-6, 1e-2, 1.0, -1e-12, -1e-6, -1e-2, far};
        po_make(&p.a, &body_a);
        po_make(&p.b, &body_b);
        pc_place(&r, &p, gaps[i % 8], &body_a, &body_b);
        ov_contact c = pc_query(&p);
        double goal = pc_goal(1e-9, p.size, p.reach);
        bool good = CHECK(c.status >= 0) && pc_check_sense(&c, goal) && pc_check_known(&p, &c);
        if (good && c.status == OV_OK && !isinf(p.upper)) {
            good = CHECK(c.gap >= p.lower - goal && c.gap <= p.upper + goal);
        }
        if (good && c.relation == OV_RELATION_SEPARATED && isinf(p.upper)) {
            good = CHECK(c.gap_lower <=
                         po_gjk(&body_a, &body_b, 1e-16L * p.size).upper + 1e-16L * p.reach);
        }
        pairs++;
        unsolved += c.status != OV_OK;
        if (!good && check_may_print()) {
            pc_print(&p, &c);
        }
    }
    printf("%s: %s: %ld of %ld not solved\n", check_suite, what, unsolved, pairs);
    CHECK(unsolved * 20 <= pairs);
}

static void test_extremes(void) {
    run_extremes("sizes 1e6:1", 1e-6, 0.1, 100.0, 4111);
    run_extremes("1e9 sizes apart", 1.0, 0.1, 1e9, 4112);
    run_extremes("thin 1:1000", 1.0, 1e-3, 10.0, 4113);
}

/* ---- motions, scales, tolerances */

static ov_shape scaled_shape(const ov_shape *s, double f) {
    ov_shape out;
    const ov_shape_options any = {1.0};
    CHECK_OK(
        ov_shape_make_superovoid(ov_vec3_scale(s->a, f), s->e1, s->e2, s->tx, s->ty, &any, &out));
    return out;
}

/** A rigid motion and a scaling of both bodies change the answer within the bounds only. */
static void test_invariance(void) {
    check_random r = check_random_make(4121);
    static pc_pool pool;
    double worst = 0.0;
    for (int i = 0; i < 400; i += check_every()) {
        pc_pair p;
        pc_domain(&r, &pool, &p, &body_a, &body_b);
        ov_contact c = pc_query(&p), d;
        ov_pose move = {ov_vec3_scale(check_unit_vector(&r), p.size), check_rotation(&r)};
        pc_pair q = p;
        q.pose_a = (ov_pose){ov_pose_apply(move, p.pose_a.position),
                             ov_quat_mul(move.rotation, p.pose_a.rotation)};
        q.pose_b = (ov_pose){ov_pose_apply(move, p.pose_b.position),
                             ov_quat_mul(move.rotation, p.pose_b.rotation)};
        d = pc_query(&q);
        double slack = 32.0 * 0x1p-53 * p.reach; // of the moved poses themselves
        bool good = CHECK(pc_meet(&c, &d, 1.0, slack));
        double f = i % 2 == 0 ? 8.0 : check_log_uniform(&r, 0.1, 10.0);
        q = p;
        q.a = scaled_shape(&p.a, f);
        q.b = scaled_shape(&p.b, f);
        q.pose_a.position = ov_vec3_scale(p.pose_a.position, f);
        q.pose_b.position = ov_vec3_scale(p.pose_b.position, f);
        ov_contact e = pc_query(&q);
        good = CHECK(pc_meet(&c, &e, f, slack * f)) && good;
        if (c.status == OV_OK && d.status == OV_OK && e.status == OV_OK) {
            double off = fmax(fabs(c.gap - d.gap), fabs(c.gap - e.gap / f)) / p.size;
            worst = fmax(worst, off);
            good =
                CHECK(off <= (c.relation == OV_RELATION_OVERLAPPING ? 2e-8 : 2e-9) + slack) && good;
        }
        if (!good && check_may_print()) {
            pc_print(&p, &c);
            pc_print(&p, &d);
            pc_print(&p, &e);
        }
    }
    check_worst("motion and scaling: change of the gap, of the size", worst, 2e-9);
}

static void test_tolerances(void) {
    check_random r = check_random_make(4122);
    long unsolved = 0, pairs = 0;
    for (int i = 0; i < 300; i += check_every()) {
        pc_pair p;
        pc_battery(&r, &p, &body_a, &body_b);
        p.pose_b.position.y = 2.6;
        pc_finish(&p);
        po_move(&body_b, p.pose_b);
        po_distance d = po_gjk(&body_a, &body_b, 1e-15L * p.size);
        for (int k = 3; k <= 12; k++) {
            ov_pair_options options = ov_default_pair_options();
            options.tolerance = pow(10.0, -k);
            ov_contact c;
            CHECK(ov_pair_contact(&p.a, p.pose_a, &p.b, p.pose_b, &options, NULL, &c) >= 0);
            bool good = pc_check_sense(&c, pc_goal(options.tolerance, p.size, p.reach));
            if (!d.overlap && d.lower > 0.0L) {
                good = CHECK(c.gap_lower <= d.upper && c.gap_upper >= d.lower) && good;
                unsolved += c.status != OV_OK;
                pairs++;
            }
            if (!good && check_may_print()) {
                fprintf(stderr, "  tolerance 1e-%d\n", k);
                pc_print(&p, &c);
            }
        }
    }
    printf("%s: tolerances 1e-3 to 1e-12: %ld of %ld not solved\n", check_suite, unsolved, pairs);
    CHECK(pairs > check_share(1000) && unsolved * 1000 <= pairs);
}

/* ---- warm starts and early outs */

static ov_warm_start garbage(check_random *r, int i) {
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, 1e-308, -1.0, 0.0, 0.7};
    double v[9];
    for (int k = 0; k < 9; k++) {
        v[k] = i % 2 == 0 ? odd[check_random_bits(r) % 8] : check_uniform(r, -2.0, 2.0);
    }
    return (ov_warm_start){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}};
}

static void test_warm_starts(void) {
    check_random r = check_random_make(4131);
    static pc_pool pool;
    for (int i = 0; i < 1500; i += check_every()) {
        pc_pair p;
        if (i % 3 == 0) {
            pc_battery(&r, &p, &body_a, &body_b);
        } else {
            pc_domain(&r, &pool, &p, &body_a, &body_b);
        }
        ov_contact cold = pc_query(&p), warm;
        ov_warm_start start = garbage(&r, i);
        ov_warm_start good_start = {0};
        ov_pair_contact(&p.a, p.pose_a, &p.b, p.pose_b, NULL, &good_start, &warm);
        for (int k = 0; k < 2; k++) {
            ov_pair_contact(&p.a, p.pose_a, &p.b, p.pose_b, NULL, k == 0 ? &start : &good_start,
                            &warm);
            bool good = CHECK(warm.status >= 0) &&
                        pc_check_sense(&warm, pc_goal(1e-9, p.size, p.reach)) &&
                        CHECK(pc_meet(&cold, &warm, 1.0, 0.0)) && pc_check_known(&p, &warm);
            good = good && CHECK(warm.status == OV_OK || cold.status != OV_OK);
            if (good && cold.relation == OV_RELATION_OVERLAPPING &&
                warm.relation == OV_RELATION_OVERLAPPING) {
                good = CHECK_NEAR(warm.gap, cold.gap, 2e-8 * p.size);
            }
            if (!good && check_may_print()) {
                fprintf(stderr, "  %s warm start; cold, then warm:\n", k == 0 ? "odd" : "good");
                pc_print(&p, &cold);
                pc_print(&p, &warm);
            }
        }
    }
}

static void test_exceeds(void) {
    check_random r = check_random_make(4132);
    static pc_pool pool;
    long unknown = 0;
    for (int i = 0; i < 1000; i += check_every()) {
        pc_pair p;
        pc_domain(&r, &pool, &p, &body_a, &body_b);
        ov_contact c = pc_query(&p);
        const double limits[] = {0.0,         0.5 * c.gap,    0.999 * c.gap, 1.001 * c.gap,
                                 2.0 * c.gap, c.gap + p.size, c.gap,         1e300};
        for (int k = 0; k < 8; k++) {
            double limit = fmax(limits[k], 0.0);
            ov_answer answer;
            ov_status status =
                ov_pair_exceeds(&p.a, p.pose_a, &p.b, p.pose_b, limit, NULL, NULL, &answer);
            bool good = CHECK(status >= 0) &&
                        CHECK((answer == OV_ANSWER_UNKNOWN) == (status == OV_NOT_CONVERGED)) &&
                        CHECK(answer != OV_ANSWER_YES || limit < p.upper + 1e-17L * p.reach) &&
                        CHECK(answer != OV_ANSWER_NO || limit > p.lower - 1e-17L * p.reach);
            bool clear = fabs(limit - c.gap) > 4.0 * pc_goal(1e-9, p.size, p.reach);
            unknown += answer == OV_ANSWER_UNKNOWN && clear && c.status == OV_OK;
            good = good && CHECK(answer != OV_ANSWER_YES || limit <= c.gap_upper) &&
                   CHECK(answer != OV_ANSWER_NO || limit >= c.gap_lower);
            if (!good && check_may_print()) {
                fprintf(stderr, "  limit %.17g, answer %d\n", limit, answer);
                pc_print(&p, &c);
            }
        }
    }
    printf("%s: %ld limits that are clear of the gap were not decided\n", check_suite, unknown);
    CHECK(unknown == 0);
}

/* ---- limits next to the gap of bodies whose normal is the line of their centres

   Both bodies have one rotation, of a quaternion of any length near one, and lie on the z axis of
   it: along that axis one ends and the other begins, so that the gap is what is left between, which
   is computed here in long double from the numbers as given. */

static ov_status make_centred(check_random *r, int kind, double size, ov_shape *shape,
                              double *end) {
    ov_vec3 a = {check_uniform(r, 0.3, 1.5) * size, check_uniform(r, 0.3, 1.5) * size,
                 check_uniform(r, 0.3, 1.5) * size};
    *end = a.z;
    switch (kind) {
    case 0:
        return ov_shape_make_sphere(a.z, shape);
    case 1:
        return ov_shape_make_ellipsoid(a, shape);
    case 2:
        return ov_shape_make_box(a, shape);
    case 3:
        *end = a.x;
        return ov_shape_make_capsule(a.x, a.z, shape);
    default:
        return ov_shape_make_cylinder(a.x, a.z, shape);
    }
}

/** The z axis of the rotation of a quaternion. */
static void axis_of(ov_quat q, long double z[3]) {
    long double w = q.w, x = q.x, y = q.y, k = q.z, square = w * w + x * x + y * y + k * k;
    z[0] = 2.0L * (x * k + w * y) / square;
    z[1] = 2.0L * (y * k - w * x) / square;
    z[2] = 1.0L - 2.0L * (x * x + y * y) / square;
}

static void test_line_of_centres(void) {
    check_random r = check_random_make(4133);
    long yes = 0, no = 0;
    for (int i = 0; i < 20000; i += check_every()) {
        double size = i % 2 == 0 ? 1.0 : check_log_uniform(&r, 1e-3, 1e3), end_a, end_b;
        ov_shape a, b;
        CHECK_OK(make_centred(&r, i % 5, size, &a, &end_a));
        CHECK_OK(make_centred(&r, i / 5 % 5, size, &b, &end_b));
        // the axis of a capsule ends where its half ball begins
        long double ends = (long double)end_a + end_b;
        ends += a.kind == OV_SHAPE_KIND_CAPSULE ? (long double)a.a.z : 0.0L;
        ends += b.kind == OV_SHAPE_KIND_CAPSULE ? (long double)b.a.z : 0.0L;
        ov_quat q = check_rotation(&r);
        double scale = check_uniform(&r, 0.8, 1.3);
        q = (ov_quat){scale * q.w, scale * q.x, scale * q.y, scale * q.z};
        long double z[3], away = ends + check_uniform(&r, 0.0, 1.0) * size;
        axis_of(q, z);
        ov_vec3 at = {(double)(away * z[0]), (double)(away * z[1]), (double)(away * z[2])};
        long double gap = at.x * z[0] + at.y * z[1] + at.z * z[2] - ends;
        for (int k = 0; k < 9; k++) {
            double off = k == 4 ? 0.0 : check_log_uniform(&r, 1e-18, 1e-11) * size;
            double limit = fmax((double)gap + (k < 4 ? -off : off), 0.0);
            ov_answer answer;
            ov_pose from = {{0.0, 0.0, 0.0}, q}, to = {at, q};
            ov_status status = ov_pair_exceeds(&a, from, &b, to, limit, NULL, NULL, &answer);
            yes += answer == OV_ANSWER_YES;
            no += answer == OV_ANSWER_NO;
            bool good = CHECK(status >= 0) &&
                        CHECK(answer != OV_ANSWER_YES || limit < gap + 1e-18L * size) &&
                        CHECK(answer != OV_ANSWER_NO || limit > gap - 1e-18L * size);
            if (!good && check_may_print()) {
                fprintf(stderr, "  kinds %d %d, gap %.20Lg, limit %.17g, answer %d\n", (int)a.kind,
                        (int)b.kind, gap, limit, (int)answer);
            }
        }
    }
    CHECK(yes > 0 && no > 0);
}

/* ---- witness points, and what a query does not keep */

static void test_witnesses(void) {
    check_random r = check_random_make(4141);
    double gauge = 0.0, sine = 0.0;
    for (int i = 0; i < 2000; i += check_every()) {
        pc_pair p;
        pc_battery(&r, &p, &body_a, &body_b);
        ov_contact c = pc_query(&p);
        CHECK(c.status >= 0);
        so_vec n = po_unit(so_from(c.normal));
        pc_witness both[2] = {pc_witness_of(&body_a, c.point_a, n, p.reach),
                              pc_witness_of(&body_b, c.point_b, po_neg(n), p.reach)};
        bool good = pc_check_sense(&c, pc_goal(1e-9, p.size, p.reach));
        for (int k = 0; k < 2 && c.status == OV_OK; k++) {
            good = CHECK(pc_is_on_surface(&both[k])) && good;
            good = CHECK(pc_is_on_normal(&both[k])) && good;
            gauge = fmax(gauge, (double)pc_surface_error(&both[k]));
            sine = fmax(sine, (double)pc_normal_error(&both[k]));
            if (!good && check_may_print()) {
                fprintf(stderr, "  |G - 1| %.3Lg, sine %.3Lg, short of the plane %.3Lg\n",
                        both[k].gauge, both[k].sine, both[k].reach);
            }
        }
        if (!good && check_may_print()) {
            pc_print(&p, &c);
        }
    }
    check_worst("battery: witness |G - 1|", gauge, 1e-9);
    check_worst("battery: sine between the normals", sine, 1e-7);
}

static void test_no_state(void) {
    check_random r = check_random_make(4142);
    static pc_pool pool;
    for (int i = 0; i < 200; i += check_every()) {
        pc_pair p, other;
        pc_domain(&r, &pool, &p, &body_a, &body_b);
        pc_domain(&r, &pool, &other, &body_a, &body_b);
        ov_contact first = pc_query(&p);
        pc_query(&other);
        ov_contact again = pc_query(&p);
        CHECK(first.gap == again.gap && first.gap_lower == again.gap_lower &&
              first.gap_upper == again.gap_upper && first.normal.x == again.normal.x &&
              first.point_a.y == again.point_a.y && first.iterations == again.iterations);
    }
}

int main(void) {
    check_suite = "pair_use";
    RUN(test_long_quaternion);
    RUN(test_extremes);
    RUN(test_invariance);
    RUN(test_tolerances);
    RUN(test_warm_starts);
    RUN(test_exceeds);
    RUN(test_line_of_centres);
    RUN(test_witnesses);
    RUN(test_no_state);
    return check_finish();
}
