/**
 * @file test_touch_map_published.c
 * @brief The published map against closed forms: a ball in an ellipsoid's sphere, where its
 * distance is known; the number of evaluations; pruning between two parts; bad input.
 */
#include <string.h>

#include "touch_cases.h"

static touch_mesh mesh;

/** A ball by rings, with its poles on the axis. */
static void add_ball(touch_mesh *m, ov_vec3 centre, double radius, size_t rings, size_t columns) {
    size_t first = m->vertex_count;
    m->vertices[m->vertex_count++] = ov_vec3_make(centre.x, centre.y, centre.z - radius);
    for (size_t i = 1; i < rings; i++) {
        double a = M_PI * ((double)i / (double)rings - 0.5);
        for (size_t j = 0; j < columns; j++) {
            double b = 2.0 * M_PI * (double)j / (double)columns;
            m->vertices[m->vertex_count++] =
                ov_vec3_make(centre.x + radius * cos(a) * cos(b),
                             centre.y + radius * cos(a) * sin(b), centre.z + radius * sin(a));
        }
    }
    size_t last = m->vertex_count;
    m->vertices[m->vertex_count++] = ov_vec3_make(centre.x, centre.y, centre.z + radius);
    for (size_t j = 0; j < columns; j++) {
        size_t k = (j + 1) % columns;
        touch_add_triangle(m, first, first + 1 + k, first + 1 + j);
        for (size_t i = 0; i + 2 < rings; i++) {
            size_t a = first + 1 + i * columns, b = a + columns;
            touch_add_triangle(m, a + j, a + k, b + k);
            touch_add_triangle(m, a + j, b + k, b + j);
        }
        size_t top = last - columns;
        touch_add_triangle(m, top + j, top + k, last);
    }
}

static ov_touch_published *make_map(const ov_touch_part *parts, size_t count,
                                    const ov_touch_published_options *options) {
    ov_touch_published *map = NULL;
    CHECK_OK(ov_touch_published_create(mesh.vertices, mesh.vertex_count,
                                       (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count,
                                       parts, count, options, NULL, &map));
    return map;
}

/** Layer 1 is the sphere, layers 2 and 3 the ball in it; 8 N_L + 1 evaluations, N_L = 2 and 3. */
static void test_ball(void) {
    mesh.vertex_count = mesh.triangle_count = 0;
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    add_ball(&mesh, zero, 1.0, 40, 80);
    ov_touch_part part = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.2, 1.2, 1.2), 1.0, 1.0, &part.shape));
    ov_touch_published_options options = {.eta_count = 64, .omega_count = 128};
    ov_touch_published *map = make_map(&part, 1, &options);
    ov_touch_published_report report = ov_touch_published_describe(map);
    CHECK(report.samples == 64 * 128 && report.pruned == 0 && report.fine_parts == 1);
    CHECK(report.bytes == (64 * 128 + 4 * 64 * 128) * 7 * sizeof(float));
    CHECK(report.projected > 1000 && report.hidden == 0);
    ov_touch_published_grid grid = ov_touch_published_part(map, 0);
    CHECK(grid.eta_count == 64 && grid.omega_count == 128 && grid.shape.a.x == 1.2);
    for (size_t i = 0; i < 64 * 128; i++) {
        // facets are up to 0.004 below the ball, and the sphere's normals go through its centre
        CHECK(grid.depths[i] > 0.2f - 1e-6f && grid.depths[i] < 0.205f);
    }
    CHECK(ov_touch_published_part(map, 1).depths == NULL);
    CHECK(ov_touch_published_part(NULL, 0).depths == NULL);
    check_random random = check_random_make(2);
    double worst[4] = {0.0};
    for (int i = 0; i < check_share(3000); i++) {
        double r = check_uniform(&random, 0.7, 1.3);
        ov_vec3 p = ov_vec3_scale(check_unit_vector(&random), r);
        for (int layer = 1; layer <= 3; layer++) {
            ov_touch_published_answer a;
            CHECK_OK(ov_touch_published_point(map, p, layer, &a));
            CHECK(a.inside == (r <= 1.2) && a.part == (r <= 1.2 ? 0u : OV_NO_PART));
            if (layer == 1 || r > 1.2) {
                CHECK(a.contact == (layer == 1 && r <= 1.2) && isnan(a.distance));
                continue;
            }
            CHECK(a.evaluations == (layer == 2 ? 17u : 25u));
            // right below the superquadric eq. 19 prefers samples far away to the nearest one
            if (r < 1.05) {
                worst[layer] = fmax(worst[layer], fabs(a.distance - (r - 1.0)));
            }
        }
    }
    // a sample is up to 0.04 beside the foot and 0.15 above the point; facets are 0.004 deep
    CHECK(worst[2] < 0.02 && worst[3] < 0.02);
    check_worst("layer 2 on a ball", worst[2], 0.02);
    check_worst("layer 3 on a ball", worst[3], 0.02);
    ov_touch_published_destroy(map);
}

/** Two balls apart in two spheres that overlap: samples of one do not speak for the other. */
static void test_pruning(void) {
    mesh.vertex_count = mesh.triangle_count = 0;
    ov_touch_part parts[2];
    for (int i = 0; i < 2; i++) {
        ov_vec3 centre = {i == 0 ? -0.6 : 0.6, 0.0, 0.0};
        add_ball(&mesh, centre, 0.5, 16, 32);
        parts[i] = (ov_touch_part){.pose = {centre, ov_quat_identity()}};
        CHECK_OK(
            ov_shape_make_superellipsoid(ov_vec3_make(0.8, 0.8, 0.8), 1.0, 1.0, &parts[i].shape));
    }
    ov_touch_published *map = make_map(parts, 2, NULL);
    size_t pruned = 0;
    for (size_t i = 0; i < 2; i++) {
        ov_touch_published_grid grid = ov_touch_published_part(map, i);
        CHECK(grid.pose.position.x == parts[i].pose.position.x);
        for (size_t k = 0; k < (size_t)grid.eta_count * grid.omega_count; k++) {
            pruned += isnan(grid.depths[k]) ? 1 : 0;
        }
    }
    CHECK(pruned > 0 && pruned <= ov_touch_published_describe(map).pruned);
    ov_touch_published_answer a;
    CHECK_OK(ov_touch_published_point(map, ov_vec3_make(-0.6, 0.0, 0.3), 2, &a));
    CHECK(a.contact && a.part == 0);
    CHECK_OK(ov_touch_published_point(map, ov_vec3_make(-0.6, 0.0, 0.6), 2, &a));
    CHECK(a.inside && !a.contact);
    ov_touch_published_destroy(map);
}

static void test_bad_input(void) {
    mesh.vertex_count = mesh.triangle_count = 0;
    add_ball(&mesh, ov_vec3_make(0.0, 0.0, 0.0), 1.0, 8, 16);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])mesh.triangles;
    ov_touch_part part = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &part.shape));
    ov_touch_published *map = NULL;
    CHECK_STATUS(ov_touch_published_create(mesh.vertices, mesh.vertex_count, triangles,
                                           mesh.triangle_count, &part, 1, NULL, NULL, &map),
                 OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_touch_published_create(mesh.vertices, mesh.vertex_count, triangles,
                                           mesh.triangle_count, NULL, 1, NULL, NULL, &map),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_published_create(mesh.vertices, mesh.vertex_count, triangles,
                                           mesh.triangle_count, &part, 0, NULL, NULL, &map),
                 OV_ERROR_COUNT);
    ov_touch_published_options few = {.eta_count = 2};
    CHECK_STATUS(ov_touch_published_create(mesh.vertices, mesh.vertex_count, triangles,
                                           mesh.triangle_count, &part, 1, &few, NULL, &map),
                 OV_ERROR_OPTION);
    CHECK(map == NULL);
    CHECK_OK(ov_shape_make_sphere(1.1, &part.shape));
    few.eta_count = 16;
    few.omega_count = 32;
    map = make_map(&part, 1, &few);
    ov_touch_published_answer a;
    CHECK_STATUS(ov_touch_published_point(NULL, part.shape.a, 1, &a), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_published_point(map, ov_vec3_make(NAN, 0.0, 0.0), 1, &a),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_published_point(map, part.shape.a, 4, &a), OV_ERROR_OPTION);
    CHECK(isnan(a.distance) && !a.contact);
    ov_touch_published_destroy(map);
    ov_touch_published_destroy(NULL);
}

int main(void) {
    check_suite = "touch_map_published";
    RUN(test_ball);
    RUN(test_pruning);
    RUN(test_bad_input);
    return check_finish();
}
