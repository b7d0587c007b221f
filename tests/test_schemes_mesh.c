/**
 * @file test_schemes_mesh.c
 * @brief The mesh scheme: FCL's distance of tessellations against the certified gap, from few
 * vertices to many; overlap, nesting, sizes, and what it refuses.
 */
#include "scheme_pairs.h"

/** A pair of the battery with its centres `apart`. */
static void pair_apart(check_random *r, double apart, pair_case *c) {
    battery_case(r, c);
    c->pair.pose_b.position = ov_vec3_make(0.0, apart, 0.0);
}

static ov_scheme_result mesh(const pair_case *c, size_t vertices, bool mended) {
    ov_scheme_options options = ov_default_scheme_options();
    options.mesh_vertices = vertices;
    options.mended = mended;
    ov_scheme_result result;
    CHECK_OK(ov_scheme_contact(OV_SCHEME_MESH, &c->a, c->pair.pose_a, &c->b, c->pair.pose_b,
                               &options, &result));
    return result;
}

static ov_contact exact_of(const pair_case *c) {
    ov_contact exact = {.gap = NAN};
    CHECK(ov_pair_contact(&c->a, c->pair.pose_a, &c->b, c->pair.pose_b, NULL, NULL, &exact) >= 0);
    return exact;
}

static double gauge_of(const ov_shape *s, ov_pose pose, ov_vec3 world) {
    double gauge = NAN;
    CHECK(ov_shape_gauge_value(s, ov_pose_apply_inverse(pose, world), &gauge) >= 0);
    return gauge;
}

/** Points, normal and gap of one answer belong together. */
static void check_together(const pair_case *c, const ov_scheme_result *x, double dent) {
    ov_vec3 apart = ov_vec3_sub(x->point_b, x->point_a);
    CHECK_NEAR(ov_vec3_length(x->normal), 1.0, 1e-12);
    CHECK_NEAR(ov_vec3_length(apart), fabs(x->gap), 1e-12);
    CHECK_NEAR(ov_vec3_dot(apart, x->normal), x->gap, 1e-10);
    CHECK(x->start_seconds == 0.0 && x->total_seconds >= 0.0 && x->iterations == 0);
    // meshes lie in the hulls of their bodies
    double slack = 1e-9 + 3.0 * dent;
    CHECK(x->gap < 0.0 || gauge_of(&c->a, c->pair.pose_a, x->point_a) <= 1.0 + slack);
    CHECK(x->gap < 0.0 || gauge_of(&c->b, c->pair.pose_b, x->point_b) <= 1.0 + slack);
}

/** Never less than the certified gap, and nearer to it with every more vertex. */
static void test_converges(void) {
    enum { STEPS = 4, PAIRS = 24 };
    const size_t vertices[STEPS] = {50, 200, 800, 3200};
    double mean[STEPS] = {0.0}, below = 0.0;
    check_random r = check_random_make(501);
    int pairs = 0;
    for (int i = 0; i < PAIRS; i++) {
        pair_case c;
        pair_apart(&r, 2.8, &c);
        ov_contact exact = exact_of(&c);
        if (exact.gap < 0.05) {
            continue;
        }
        pairs++;
        for (int k = 0; k < STEPS; k++) {
            ov_scheme_result x = mesh(&c, vertices[k], false);
            check_together(&c, &x, fmax(c.a.dent, c.b.dent));
            CHECK(x.gap >= exact.gap_lower - 1e-9);
            below = fmax(below, exact.gap_lower - x.gap);
            mean[k] += x.gap - exact.gap;
        }
    }
    CHECK(pairs > 12);
    for (int k = 0; k < STEPS; k++) {
        mean[k] /= pairs;
        printf("%s: %zu vertices: mean error of the gap %.3g\n", check_suite, vertices[k], mean[k]);
        // four times the vertices are half the width of a triangle: a quarter of the error, but for
        // the bridges over dents, which the meshes do not have
        CHECK(k == 0 || mean[k] < 0.5 * mean[k - 1]);
    }
    check_worst("mesh nearer than the bodies", below, 1e-9);
}

/** Spheres: the answer is known, and the error is that of an inscribed mesh. */
static void test_spheres(void) {
    check_random r = check_random_make(502);
    double worst = 0.0;
    for (int i = 0; i < 10; i++) {
        pair_case c;
        CHECK_OK(ov_shape_make_sphere(1.0, &c.a));
        CHECK_OK(ov_shape_make_sphere(0.5, &c.b));
        c.pair.pose_a = (ov_pose){check_unit_vector(&r), check_rotation(&r)};
        ov_vec3 along = check_unit_vector(&r);
        c.pair.pose_b =
            (ov_pose){ov_vec3_add_scaled(c.pair.pose_a.position, along, 2.0), check_rotation(&r)};
        ov_scheme_result x = mesh(&c, 5000, false);
        worst = fmax(worst, fabs(x.gap - 0.5));
        CHECK(x.gap >= 0.5 - 1e-12);
        CHECK(ov_vec3_dot(x.normal, along) > 0.99);
    }
    CHECK(worst <= 2e-3);
    check_worst("spheres of 5,000 vertices", worst, 2e-3);
}

/** The sign is right where the overlap is deeper than the meshes are coarse. */
static void test_overlap(void) {
    check_random r = check_random_make(503);
    int pairs = 0, towards = 0;
    double ratio = 0.0;
    for (int i = 0; i < 30; i++) {
        pair_case c;
        pair_apart(&r, 1.9, &c);
        ov_contact exact = exact_of(&c);
        if (exact.gap > -0.1) {
            continue;
        }
        ov_scheme_result x = mesh(&c, 800, false);
        CHECK(x.gap < 0.0);
        check_together(&c, &x, 0.0);
        pairs++;
        towards += ov_vec3_dot(x.normal,
                               ov_vec3_sub(c.pair.pose_b.position, c.pair.pose_a.position)) > 0.0;
        ratio += x.gap / exact.gap;
    }
    CHECK(pairs > 12);
    printf("%s: depth of FCL over the least depth, mean of %d: %.3g; normals towards B: %d\n",
           check_suite, pairs, ratio / pairs, towards);
}

/** One inside the other: surfaces do not meet. */
static void test_nested(void) {
    pair_case c;
    CHECK_OK(ov_shape_make_sphere(2.0, &c.a));
    CHECK_OK(ov_shape_make_sphere(0.5, &c.b));
    c.pair.pose_a = ov_pose_identity();
    c.pair.pose_b = (ov_pose){ov_vec3_make(0.7, 0.0, 0.0), ov_quat_identity()};
    ov_scheme_result plain = mesh(&c, 5000, false), mended = mesh(&c, 5000, true);
    CHECK_NEAR(plain.gap, 0.8, 0.01);
    CHECK_NEAR(mended.gap, -plain.gap, 0.0);
    CHECK_NEAR(ov_vec3_dot(mended.normal, plain.normal), -1.0, 1e-12);
}

/** Lengths are taken relative to the bodies. */
static void test_sizes(void) {
    check_random r = check_random_make(504);
    for (int i = 0; i < 10; i++) {
        pair_case c, d;
        pair_apart(&r, i % 2 == 0 ? 2.8 : 1.9, &c);
        double scale = i % 4 < 2 ? 0x1p180 : 0x1p-180;
        scaled_case(&c, scale, &d);
        ov_scheme_result x = mesh(&c, 290, false), y = mesh(&d, 290, false);
        CHECK_NEAR(y.gap / scale, x.gap, 1e-9);
    }
    pair_case far;
    pair_apart(&r, 1e90, &far);
    ov_scheme_result x = mesh(&far, 290, false);
    CHECK_NEAR(x.gap / 1e90, 1.0, 1e-9);
}

/** Two pairs of very unlike size of which FCL's distance says that they meet, and its collision
 *  query that they do not: a touch, with a normal all the same. */
static void test_disagreement(void) {
    const double bodies[4][14] = {
        {29.984449393251751, 19.418031272161922, 325.56063027113066, 0.11977899467582188,
         1.6558048541225967, 0.0, 0.0, -64.142332481051241, 109.02913973267607, 58.590591157526688,
         0.98114025865561416, 0.012559019047374026, 0.11555163222536345, 0.15444702708636568},
        {0.007732078396502925, 0.0034665003481621909, 0.064036666393722727, 1.6037793899120854,
         0.050000000000000003, 0.0, 0.0, 10.958691819063633, 112.6061126995582, 375.35400177475935,
         0.48084577518488381, 0.085841367105707139, -0.64135413923272655, -0.59167851766759272},
        {134.73987493346496, 3.669719289548258, 7.0065703680996858, 1.0122824246851732, 2.0,
         0.034189293443732338, -0.21314030024607875, 20.241716422697344, 7.3870326076284254,
         26.90519205365732, 0.16305614092405896, -0.66581723251153213, -0.70237253344734385,
         0.19176269724948591},
        {0.00052610726647546674, 0.010916200812777744, 0.00096373364807535026, 1.0588026990594541,
         0.19539386991107699, 0.20797625235546677, 0.20797625235546677, 16.8470865071574,
         7.0195029626534735, 20.781385142701172, 0.76070638303413451, 0.64722184801233573,
         -0.026273578914407916, -0.041705842727965244}};
    const size_t vertices[2] = {33, 290};
    for (int i = 0; i < 2; i++) {
        pair_case c;
        ov_shape *both[2] = {&c.a, &c.b};
        ov_pose *poses[2] = {&c.pair.pose_a, &c.pair.pose_b};
        const ov_shape_options any = {1.0};
        for (int k = 0; k < 2; k++) {
            const double *v = bodies[2 * i + k];
            CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5],
                                              v[6], &any, both[k]));
            *poses[k] = (ov_pose){ov_vec3_make(v[7], v[8], v[9]), {v[10], v[11], v[12], v[13]}};
        }
        ov_scheme_result x = mesh(&c, vertices[i], false);
        CHECK_NEAR(ov_vec3_length(x.normal), 1.0, 1e-12);
        CHECK_NEAR(x.gap, 0.0, 0.1);
        CHECK(ov_vec3_is_finite(x.point_a) && ov_vec3_is_finite(x.point_b));
    }
}

static void test_refused(void) {
    check_random r = check_random_make(505);
    pair_case c;
    pair_apart(&r, 2.8, &c);
    ov_scheme_options options = ov_default_scheme_options();
    ov_scheme_result x;
    options.mesh_vertices = 8; // no mesh of this family is so small, if the plan says so
    ov_mesh_plan plan;
    ov_mesh_options few = {8, 0.0};
    ov_status expected = ov_shape_mesh_plan(&c.a, &few, &plan);
    CHECK_STATUS(
        ov_scheme_contact(OV_SCHEME_MESH, &c.a, c.pair.pose_a, &c.b, c.pair.pose_b, &options, &x),
        expected);
    CHECK(expected == OV_OK || isnan(x.gap));
    options.mesh_vertices = 1;
    CHECK_STATUS(
        ov_scheme_contact(OV_SCHEME_MESH, &c.a, c.pair.pose_a, &c.b, c.pair.pose_b, &options, &x),
        OV_ERROR_OPTION);
    CHECK(isnan(x.gap) && isnan(x.point_a.x) && isnan(x.normal.z));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &c.b));
    CHECK_STATUS(
        ov_scheme_contact(OV_SCHEME_MESH, &c.a, c.pair.pose_a, &c.b, c.pair.pose_b, NULL, &x),
        OV_ERROR_UNSUPPORTED);
}

int main(void) {
    check_suite = "schemes_mesh";
    const char *missing = ov_scheme_missing(OV_SCHEME_MESH);
    if (missing != NULL) {
        printf("%s: skipped: the mesh scheme was built without %s\n", check_suite, missing);
        return EXIT_SUCCESS;
    }
    RUN(test_converges);
    RUN(test_spheres);
    RUN(test_overlap);
    RUN(test_nested);
    RUN(test_sizes);
    RUN(test_disagreement);
    RUN(test_refused);
    return check_finish();
}
