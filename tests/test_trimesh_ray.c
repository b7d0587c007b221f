/**
 * @file test_trimesh_ray.c
 * @brief Rays against triangle meshes.
 *
 * Oracle: all triangles in turn by the formula of Moeller and Trumbore in long double. Rays through
 * edges and corners, which that formula decides by luck, are aimed at points of convex meshes from
 * outside, so that the distance is known.
 */
#include "trimesh_cases.h"

static long double exact_ray(const soup *s, ov_pose pose, ov_vec3 origin, ov_vec3 direction) {
    lvec d = lv_of(direction);
    long double first = INFINITY, length = lv_length(d);
    for (size_t k = 0; k < s->triangle_count; k++) {
        lvec c[3];
        lv_triangle(s, k, pose, c);
        first = fminl(first, ray_triangle(lv_of(origin), d, c));
    }
    return first * length;
}

static void refuses_bad_input(void) {
    soup s = soup_terrain(2, 1.0, 0.1);
    ov_trimesh *mesh = soup_mesh(&s);
    ov_pose at = ov_pose_identity();
    const ov_vec3 o = {0, 0, 1}, d = {0, 0, -1}, none = {0, 0, 0}, bad = {0, NAN, 0};
    ov_ray_hit hit;
    uint32_t triangle = 7;
    CHECK_STATUS(ov_trimesh_ray_cast(NULL, at, o, d, 1, &hit, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, o, d, 1, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, o, none, 1, &hit, NULL), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, o, bad, 1, &hit, NULL), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, bad, d, 1, &hit, NULL), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, o, d, NAN, &hit, NULL), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, o, d, -1, &hit, &triangle), OV_ERROR_OPTION);
    CHECK(!hit.hit && isnan(hit.distance) && triangle == OV_NO_TRIANGLE);
    CHECK_OK(ov_trimesh_ray_cast(mesh, at, o, d, 0.5, &hit, &triangle));
    CHECK(!hit.hit && isinf(hit.distance) && isinf(hit.distance_lower));
    CHECK_OK(ov_trimesh_ray_cast(mesh, at, o, d, 2.0, &hit, &triangle));
    CHECK(hit.hit && triangle < 8);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

static void agrees_with_all_triangles(void) {
    check_random r = check_random_make(31);
    long hits = 0, misses = 0, open = 0;
    double off = 0.0;
    for (int round = 0; round < 60; round++) {
        double size = round % 6 == 4 ? 1e30 : round % 6 == 5 ? 1e-30 : 1.0;
        bool flat = round % 2 == 1;
        soup s = flat ? soup_terrain(10, 1.0, 0.3) : soup_random(&r, 80, size, true);
        size = flat ? 1.0 : size;
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 100; i++) {
            ov_pose pose = random_pose(&r, check_uniform(&r, 0.0, 3.0 * size));
            ov_vec3 o = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 8.0 * size));
            ov_vec3 to = ov_vec3_add_scaled(pose.position, check_unit_vector(&r), 0.7 * size);
            ov_vec3 d = ov_vec3_scale(ov_vec3_sub(to, o), check_log_uniform(&r, 1e-3, 1e3));
            long double exact = exact_ray(&s, pose, o, d);
            double reach = i % 4 == 0 ? check_uniform(&r, 0.0, 8.0 * size) : INFINITY;
            exact = exact > reach ? (long double)INFINITY : exact;
            ov_ray_hit hit;
            uint32_t triangle;
            ov_status status = ov_trimesh_ray_cast(mesh, pose, o, d, reach, &hit, &triangle);
            CHECK(status >= 0);
            if (status != OV_OK) {
                open++;
                CHECK(hit.distance_lower <= (double)exact);
                continue;
            }
            CHECK(hit.hit == isfinite((double)exact));
            hits += hit.hit;
            misses += !hit.hit;
            if (hit.hit) {
                CHECK(hit.distance_lower <= exact && exact <= hit.distance_upper);
                CHECK(hit.distance_lower <= hit.distance && hit.distance <= hit.distance_upper);
                off = fmax(off, fabs((double)(hit.distance - exact)) / size);
                lvec c[3];
                lv_triangle(&s, triangle, pose, c);
                CHECK_NEAR((double)point_triangle(lv_of(hit.point), c), 0.0, 1e-12 * size);
                CHECK(ov_vec3_dot(hit.normal, d) <= 0.0);
                CHECK_NEAR(ov_vec3_length(hit.normal), 1.0, 1e-12);
            }
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    check_worst("distance of a ray, in sizes", off, 1e-10);
    printf("%s: rays: %ld hits, %ld misses, %ld open\n", check_suite, hits, misses, open);
    CHECK(off <= 1e-10 && hits > 500 && misses > 500 && open < 10);
}

/** Every triangle gets corners of its own, as files in STL have it. */
static soup unweld(const soup *s) {
    soup out = soup_make(3 * s->triangle_count, s->triangle_count);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            out.vertices[3 * i + k] = s->vertices[s->triangles[i][k]];
            out.triangles[i][k] = 3 * i + k;
        }
    }
    return out;
}

/** Rays at corners and edges of closed convex meshes do not slip through. */
static void hits_edges_and_corners(void) {
    check_random r = check_random_make(32);
    long aimed = 0, open = 0;
    double off = 0.0;
    for (int round = 0; round < 6; round++) {
        ov_shape shape;
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 0.8, 1.2), 0.5 + 0.1 * round, 0.7,
                                              &shape));
        soup welded = soup_of_shape(&shape, 200), s = welded;
        if (round % 2 == 1) {
            s = unweld(&welded);
        }
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 400; i++) {
            ov_pose pose = i % 3 == 0 ? ov_pose_identity() : random_pose(&r, 2.0);
            const uint32_t *t = s.triangles[check_random_bits(&r) % s.triangle_count];
            double share = i % 2 == 0 ? 0.0 : i % 4 == 1 ? 0.5 : check_uniform(&r, 0.0, 1.0);
            ov_vec3 a = s.vertices[t[0]], b = s.vertices[t[1]];
            ov_vec3 at = ov_vec3_add_scaled(a, ov_vec3_sub(b, a), share);
            // outwards from the middle, which every face of a convex mesh sees from behind
            lvec goal = lv_place(pose, at), from = lv_place(pose, ov_vec3_scale(at, 3.0));
            ov_vec3 o = ov_vec3_make((double)from.x, (double)from.y, (double)from.z);
            ov_vec3 g = ov_vec3_make((double)goal.x, (double)goal.y, (double)goal.z);
            ov_ray_hit hit;
            uint32_t triangle;
            ov_status status =
                ov_trimesh_ray_cast(mesh, pose, o, ov_vec3_sub(g, o), INFINITY, &hit, &triangle);
            CHECK(status >= 0);
            aimed++;
            open += status != OV_OK;
            double exact = ov_vec3_length(ov_vec3_sub(g, o));
            CHECK(hit.distance_lower <= exact + 1e-14);
            if (status == OV_OK && CHECK(hit.hit)) {
                CHECK(exact <= hit.distance_upper + 1e-14);
                off = fmax(off, fabs(hit.distance - exact));
            }
        }
        ov_trimesh_destroy(mesh);
        if (round % 2 == 1) {
            soup_free(&s);
        }
        soup_free(&welded);
    }
    check_worst("distance of a ray at edges and corners", off, 1e-11);
    printf("%s: %ld rays at edges and corners, %ld open\n", check_suite, aimed, open);
    CHECK(off <= 1e-11 && open == 0);
}

/** What cannot be proven is not claimed. */
static void leaves_grazes_open(void) {
    const ov_vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t one[1][3] = {{0, 1, 2}}, two[2][3] = {{0, 1, 2}, {1, 3, 2}};
    const uint32_t line[1][3] = {{0, 1, 1}};
    ov_pose at = ov_pose_identity();
    const ov_vec3 down = {0, 0, -1}, along = {1, 0, 0};
    ov_trimesh *mesh;
    ov_ray_hit hit;
    uint32_t triangle;
    // the open edge of a single triangle, and its corner
    CHECK_OK(ov_trimesh_create(v, 4, one, 1, NULL, &mesh));
    const ov_vec3 edge = {0.5, 0.5, 1}, corner = {0, 0, 1}, side = {-1, 0.25, 0};
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, edge, down, 9, &hit, &triangle), OV_NOT_CONVERGED);
    CHECK(!hit.hit && hit.distance_lower <= 1.0 && hit.distance_upper >= 1.0);
    CHECK_NEAR(hit.distance_lower, 1.0, 1e-11);
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, corner, down, 9, &hit, &triangle), OV_NOT_CONVERGED);
    // in its plane
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, side, along, 9, &hit, &triangle), OV_NOT_CONVERGED);
    CHECK(!hit.hit && hit.distance_lower <= 1.0 && hit.distance_upper >= 1.75);
    // past it by little
    const ov_vec3 past = {0.5, 0.5 + 1e-9, 1};
    CHECK_OK(ov_trimesh_ray_cast(mesh, at, past, down, 9, &hit, &triangle));
    CHECK(!hit.hit);
    // from a point of it
    const ov_vec3 on = {0.25, 0.25, 0};
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, on, down, 9, &hit, &triangle), OV_NOT_CONVERGED);
    CHECK(hit.distance_lower == 0.0);
    ov_trimesh_destroy(mesh);
    // two triangles: their common edge is closed
    CHECK_OK(ov_trimesh_create(v, 4, two, 2, NULL, &mesh));
    CHECK_OK(ov_trimesh_ray_cast(mesh, at, edge, down, 9, &hit, &triangle));
    CHECK(hit.hit && triangle < 2);
    CHECK_NEAR(hit.distance, 1.0, 1e-14);
    CHECK_NEAR(hit.normal.z, 1.0, 1e-15);
    ov_trimesh_destroy(mesh);
    // a segment is never hit for certain
    CHECK_OK(ov_trimesh_create(v, 4, line, 1, NULL, &mesh));
    const ov_vec3 above = {0.5, 0, 1};
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, at, above, down, 9, &hit, &triangle), OV_NOT_CONVERGED);
    CHECK_OK(ov_trimesh_ray_cast(mesh, at, past, down, 9, &hit, &triangle));
    ov_trimesh_destroy(mesh);
}

/** A fan of more triangles than are kept: nothing is claimed, nothing is lost. */
static void bears_crowded_corners(void) {
    enum { FAN = 200 };
    soup s = soup_make(FAN + 1, FAN);
    for (uint32_t i = 0; i < FAN; i++) {
        double phi = 2.0 * M_PI * i / FAN;
        s.vertices[i + 1] = ov_vec3_make(cos(phi), sin(phi), 0.0);
        s.triangles[i][1] = i + 1;
        s.triangles[i][2] = (i + 1) % FAN + 1;
    }
    ov_trimesh *mesh = soup_mesh(&s);
    ov_ray_hit hit;
    const ov_vec3 o = {0, 0, 2}, down = {0, 0, -1}, aside = {0.31, 0.17, 2};
    CHECK_STATUS(ov_trimesh_ray_cast(mesh, ov_pose_identity(), o, down, 9, &hit, NULL),
                 OV_NOT_CONVERGED);
    CHECK(hit.distance_lower <= 2.0 && hit.distance_upper >= 2.0);
    CHECK_OK(ov_trimesh_ray_cast(mesh, ov_pose_identity(), aside, down, 9, &hit, NULL));
    CHECK(hit.hit);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

int main(void) {
    check_suite = "test_trimesh_ray";
    RUN(refuses_bad_input);
    RUN(agrees_with_all_triangles);
    RUN(hits_edges_and_corners);
    RUN(leaves_grazes_open);
    RUN(bears_crowded_corners);
    return check_finish();
}
