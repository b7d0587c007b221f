/**
 * @file test_schemes_discrete.c
 * @brief The discrete method against its own nodes, found here once more, and against dense
 * sampling; mended, where the bodies may change places; and bodies far out, nested and unlike.
 */
#include "scheme_pairs.h"

/** The least F of B over the vertices of A's mesh, made here. */
static double least_field(const pair_case *c, size_t vertices, ov_vec3 *node) {
    ov_mesh_options options = {vertices, 0.0};
    ov_mesh_plan plan;
    CHECK_OK(ov_shape_mesh_plan(&c->a, &options, &plan));
    ov_vec3 *points = malloc(plan.vertex_count * sizeof *points);
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    double least = INFINITY;
    if (CHECK(points != NULL && triangles != NULL)) {
        CHECK_OK(ov_shape_mesh_fill(&c->a, &plan, points, NULL, triangles));
        for (size_t i = 0; i < plan.vertex_count; i++) {
            ov_vec3 world = ov_pose_apply(c->pair.pose_a, points[i]);
            ov_field f = {.value = INFINITY};
            CHECK(ov_shape_implicit(&c->b, ov_pose_apply_inverse(c->pair.pose_b, world), &f) >= 0);
            if (f.value < least) {
                least = f.value;
                *node = world;
            }
        }
    }
    free(points);
    free(triangles);
    return least;
}

static ov_scheme_result discrete(const pair_case *c) {
    ov_scheme_result result;
    CHECK_OK(ov_scheme_contact(OV_SCHEME_DISCRETE, &c->a, c->pair.pose_a, &c->b, c->pair.pose_b,
                               &c->options, &result));
    return result;
}

/** Node, surface point, sign and length as the file's head says. */
static void check_discrete(const pair_case *c, double *worst, int *contacts) {
    ov_scheme_result result = discrete(c);
    double size = c->a.ball.radius + c->b.ball.radius;
    ov_vec3 node = {NAN, NAN, NAN};
    double least = least_field(c, c->options.mesh_vertices, &node);
    CHECK((least < 1.0) == (result.gap < 0.0));
    *contacts += least < 1.0;
    ov_vec3 seen = ov_pose_apply_inverse(c->pair.pose_b, result.point_a);
    ov_vec3 surface = ov_pose_apply_inverse(c->pair.pose_b, result.point_b);
    ov_field at_node, at_surface;
    CHECK(ov_shape_implicit(&c->b, seen, &at_node) >= 0);
    CHECK(ov_shape_gauge(&c->b, surface, &at_surface) >= 0);
    // equal values of two nodes are decided by rounding
    CHECK_NEAR(at_node.value, least, 1e-9 * fmax(1.0, least));
    double off = fabs(at_surface.value - 1.0);
    off = fmax(off, fabs(distance_of(result.point_a, result.point_b) - fabs(result.gap)) / size);
    // the way goes along the normal from inside, along the line to the centre from outside
    ov_vec3 way = ov_vec3_sub(surface, seen);
    ov_vec3 line = result.gap < 0.0 ? ov_vec3_normalize(at_node.gradient)
                                    : ov_vec3_neg(ov_vec3_normalize(seen));
    off = fmax(off, ov_vec3_length(ov_vec3_cross(way, line)) / size);
    CHECK(ov_vec3_dot(way, line) >= 0.0);
    ov_vec3 outward = ov_quat_rotate(c->pair.pose_b.rotation, at_surface.gradient);
    off = fmax(off, distance_of(ov_vec3_normalize(outward), ov_vec3_neg(result.normal)));
    *worst = fmax(*worst, off);
    CHECK(off <= 1e-9);
}

static void test_discrete(void) {
    check_random r = check_random_make(409);
    double worst = 0.0;
    int contacts = 0;
    for (int i = 0; i < 200; i += check_every()) {
        pair_case c;
        if (i % 2 == 0) {
            battery_case(&r, &c);
        } else {
            random_case(&r, &c);
        }
        c.options.mesh_vertices = i % 3 == 0 ? 60 : 290;
        check_discrete(&c, &worst, &contacts);
    }
    CHECK(contacts > check_share(20) && contacts < 180);
    check_worst("discrete: node, line and normal", worst, 1e-9);
}

/** Random surface points find no deeper place than the nodes, but for what lies between nodes; and
 *  the answer obeys the true gap and the true depth of its node. */
static void test_discrete_dense(void) {
    check_random r = check_random_make(410);
    double worst = 0.0;
    int wrong_sign = 0, signs = 0;
    for (int i = 0; i < 40; i++) {
        pair_case c;
        battery_case(&r, &c);
        c.options.mesh_vertices = 5000;
        ov_scheme_result result = discrete(&c);
        double least = INFINITY, mine = NAN;
        for (int k = 0; k < 20000; k++) {
            ov_surface_point s = {.point = {NAN, NAN, NAN}};
            CHECK_OK(ov_shape_surface(&c.a, OV_SPACING_EQUAL, check_uniform(&r, -M_PI, M_PI),
                                      check_uniform(&r, -0.5 * M_PI, 0.5 * M_PI), &s));
            ov_vec3 world = ov_pose_apply(c.pair.pose_a, s.point);
            double gauge = INFINITY;
            CHECK(ov_shape_gauge_value(&c.b, ov_pose_apply_inverse(c.pair.pose_b, world), &gauge) >=
                  0);
            least = fmin(least, gauge);
        }
        CHECK(ov_shape_gauge_value(&c.b, ov_pose_apply_inverse(c.pair.pose_b, result.point_a),
                                   &mine) >= 0);
        worst = fmax(worst, fabs(mine - least));
        ov_contact exact, depth;
        CHECK(ov_pair_contact(&c.a, c.pair.pose_a, &c.b, c.pair.pose_b, NULL, NULL, &exact) >= 0);
        CHECK(ov_point_contact(&c.b, c.pair.pose_b, result.point_a, NULL, &depth) >= 0);
        if (exact.gap > 0.0) {
            CHECK(result.gap >= exact.gap_lower - 1e-9);
        } else if (result.gap < 0.0) {
            CHECK(result.gap <= depth.gap + 1e-9 + c.b.dent); // no way out is shorter
        }
        if (exact.gap < -0.05) {
            signs++;
            wrong_sign += result.gap >= 0.0;
        }
    }
    CHECK(worst <= 0.05); // the spacing of 5,000 nodes on a body of size one
    CHECK(signs > 5 && wrong_sign == 0);
    check_worst("discrete: nodes against random surface points, gauge", worst, 0.05);
}

/** Mended, the two bodies may change places. */
static void test_discrete_mended(void) {
    check_random r = check_random_make(411);
    int better = 0;
    for (int i = 0; i < 100; i += check_every()) {
        pair_case c, d;
        battery_case(&r, &c);
        d = c;
        finish_case(&c);
        finish_case(&d);
        ov_scheme_result plain = discrete(&c);
        d.a = c.b;
        d.b = c.a;
        d.pair.pose_a = c.pair.pose_b;
        d.pair.pose_b = c.pair.pose_a;
        c.options.mended = d.options.mended = true;
        ov_scheme_result x = discrete(&c), y = discrete(&d);
        CHECK_NEAR(x.gap, y.gap, 1e-12);
        CHECK(distance_of(x.point_a, y.point_b) <= 1e-12);
        CHECK(distance_of(x.normal, ov_vec3_neg(y.normal)) <= 1e-9);
        CHECK(x.gap <= plain.gap + 1e-12);
        better += x.gap < plain.gap;
    }
    CHECK(better > check_share(20));
}

static void test_discrete_bad(void) {
    pair_case c;
    check_random r = check_random_make(412);
    battery_case(&r, &c);
    ov_scheme_result result;
    c.options.mesh_vertices = 8; // fewer than any closed mesh of this kind has
    ov_status status = ov_scheme_contact(OV_SCHEME_DISCRETE, &c.a, c.pair.pose_a, &c.b,
                                         c.pair.pose_b, &c.options, &result);
    ov_mesh_plan plan;
    ov_mesh_options few = {8, 0.0};
    CHECK_STATUS(status, ov_shape_mesh_plan(&c.a, &few, &plan));
    CHECK(status == OV_OK || isnan(result.gap));
    // one body far from the other, concentric bodies, and bodies of very unlike size
    finish_case(&c);
    c.pair.pose_b.position = ov_vec3_make(1e90, -1e90, 3.0);
    result = discrete(&c);
    CHECK(result.gap > 1e90 && ov_vec3_is_finite(result.point_b));
    c.pair.pose_b.position = c.pair.pose_a.position;
    result = discrete(&c);
    CHECK(result.gap <= 0.0 || result.gap < 2.0);
    CHECK_OK(ov_shape_make_sphere(1e-50, &c.a));
    result = discrete(&c); // at B's centre to rounding
    CHECK_NEAR(ov_vec3_length(result.normal), 1.0, 1e-9);
    CHECK(result.gap < 0.0 && result.gap > -2.0);
    CHECK_OK(ov_shape_make_sphere(1e50, &c.a));
    result = discrete(&c);
    CHECK(ov_vec3_is_finite(result.point_b) && result.gap > 0.0);
}

int main(void) {
    check_suite = "schemes_discrete";
    RUN(test_discrete);
    RUN(test_discrete_dense);
    RUN(test_discrete_mended);
    RUN(test_discrete_bad);
    return check_finish();
}
