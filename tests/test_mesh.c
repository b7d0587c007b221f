/**
 * @file test_mesh.c
 * @brief Meshes of every kind: closed, manifold, outward, on the surface, within their vertices.
 */
#include "mesh_check.h"

static void test_by_vertices(void) {
    quality q = {1.0, 0.0, 1.0};
    double worst_convex = 0.0, least_use = 1.0;
    ov_shape s;
    int i = 0;
    for (; make_shape(i, &s); i++) {
        size_t budget = i % 7 == 0 ? 1000 : (size_t)(60 + 37 * (i % 11));
        mesh m;
        if (!mesh_make(&s, budget, 0.0, &m)) {
            continue;
        }
        CHECK(m.plan.vertex_count <= budget);
        if (s.kind != OV_SHAPE_KIND_BOX) {
            double use = (double)m.plan.vertex_count / (double)budget;
            least_use = fmin(least_use, use);
            CHECK(use > (budget < 1000 ? 0.5 : 0.85));
        }
        if (check_topology(&m, euler_of(&s))) {
            check_geometry(&s, &m, &q);
        }
        // cells that twist have edges of their own: no choice of diagonals makes them convex
        if (is_convex_surface(&s) && s.tx == s.ty && budget < 1000) {
            check_convex(&m, &worst_convex);
        }
        mesh_free(&m);
    }
    CHECK(i == 8 * EXPONENTS * EXPONENTS * ASPECTS + 13); // all of them
    check_worst("vertices off the surface", q.on_surface, 1e-14);
    check_worst("vertex above a face of a convex mesh, relative", worst_convex, 1e-13);
    printf(
        "mesh: thinnest triangle by vertices %.3g, least cosine of normals %.3g, least use %.3g\n",
        q.flat, q.lean, least_use);
}

/** All counts of vertices from the least on. */
static void test_small_budgets(void) {
    const int numbers[] = {0,   12,  24,   31,   160,  320,  470,  610,
                           760, 910, 1060, 1200, 1201, 1203, 1205, 1208};
    quality q = {1.0, 0.0, 1.0};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        ov_shape s;
        CHECK(make_shape(numbers[k], &s));
        size_t least = 0;
        for (size_t budget = 1; budget < 120; budget++) {
            ov_mesh_options o = {budget, 0.0};
            ov_mesh_plan plan;
            ov_status status = ov_shape_mesh_plan(&s, &o, &plan);
            if (status == OV_ERROR_OPTION && least == 0) {
                continue;
            }
            if (!CHECK_STATUS(status, OV_OK) || !CHECK(plan.vertex_count <= budget)) {
                continue;
            }
            least = least == 0 ? budget : least;
            mesh m;
            if (budget % 5 == 0 || budget == least) {
                if (mesh_make(&s, budget, 0.0, &m) && check_topology(&m, euler_of(&s))) {
                    check_geometry(&s, &m, &q);
                }
                mesh_free(&m);
            }
        }
        CHECK(least >= 5 && least <= 26);
    }
}

/**
 * With unequal tapers the four corners of a cell are not in a plane: the diagonal that is taken
 * lies outside of the other. The two triangles of a cell follow one another.
 */
static void test_diagonals(void) {
    const double tapers[][2] = {{0.3, -0.2}, {0.5, 0.1}, {-0.6, 0.4}};
    double worst = 0.0;
    long cells = 0, twisted = 0;
    for (int i = 0; i < 3; i++) {
        ov_shape s;
        mesh m;
        CHECK_OK(ov_shape_make_superovoid((ov_vec3){1, 2, 1.5}, 0.8, 1.1, tapers[i][0],
                                          tapers[i][1], &(ov_shape_options){1.0}, &s));
        if (!mesh_make(&s, 500, 0.0, &m)) {
            continue;
        }
        // the fans about the two ends are no cells
        for (size_t t = m.plan.around; t + m.plan.around < m.plan.triangle_count; t += 2) {
            const uint32_t *v = m.triangles[t], *w = m.triangles[t + 1];
            for (int k = 0; k < 3; k++) {
                if (w[k] != v[0] && w[k] != v[1] && w[k] != v[2]) {
                    ov_vec3 other = ov_vec3_sub(m.vertices[w[k]], m.vertices[v[0]]);
                    double above = ov_vec3_dot(m.faces[t], other);
                    worst = fmax(worst, above);
                    twisted += above < -1e-6;
                    cells++;
                }
            }
        }
        mesh_free(&m);
    }
    CHECK(cells > 1000 && twisted > cells / 2);
    CHECK_NEAR(worst, 0.0, 1e-12);
    check_worst("corner of a cell above the triangle of the other three", worst, 1e-12);
}

/** Mirror images of vertices are vertices, to the last bit. */
static void test_symmetry(void) {
    for (int i = 0; i < EXPONENTS * EXPONENTS; i++) {
        ov_shape s;
        mesh m;
        CHECK(make_shape(i, &s));
        CHECK(mesh_make(&s, 300, i % 2 ? 0.02 : 0.0, &m));
        size_t found = 0;
        for (size_t k = 0; k < m.plan.vertex_count; k++) {
            ov_vec3 v = m.vertices[k];
            const ov_vec3 images[3] = {{-v.x, v.y, v.z}, {v.x, -v.y, v.z}, {v.x, v.y, -v.z}};
            for (int side = 0; side < 3; side++) {
                bool there = false;
                for (size_t j = 0; j < m.plan.vertex_count && !there; j++) {
                    ov_vec3 w = m.vertices[j], image = images[side];
                    there = w.x == image.x && w.y == image.y && w.z == image.z;
                }
                found += there;
            }
        }
        CHECK(found == 3 * m.plan.vertex_count);
        mesh_free(&m);
    }
}

/* ---- volume */

/** Meshes of convex surfaces lie inside: their volume grows towards that of the body. */
static void test_volume(void) {
    double worst = 0.0, worst_over = -1.0;
    ov_shape s;
    for (int i = 0; make_shape(i, &s); i += i < 1200 ? 7 : 1) {
        ov_mass mass;
        if (!is_convex_surface(&s) || s.tx != s.ty || s.kind == OV_SHAPE_KIND_BOX) {
            continue;
        }
        CHECK_OK(ov_shape_mass(&s, 1.0, &mass));
        double missing[2];
        for (int k = 0; k < 2; k++) {
            mesh m;
            CHECK(mesh_make(&s, k == 0 ? 160 : 2560, 0.0, &m));
            missing[k] = 1.0 - mesh_volume(&m) / mass.volume;
            worst_over = fmax(worst_over, -missing[k]);
            CHECK(missing[k] >= -1e-12);
            mesh_free(&m);
        }
        // sixteen times the vertices: about a sixteenth of what is missing, more at corners
        worst = fmax(worst, missing[1]);
        CHECK(missing[1] <= 0.4 * missing[0] + 1e-12);
    }
    check_worst("volume above that of the body, relative", worst_over, 1e-12);
    printf("mesh: volume missing at 2,560 vertices: at most %.3g\n", worst);
}

/* ---- extremes */

static void check_mesh(const ov_shape *s, size_t vertices, double chord_error, double flat) {
    mesh m;
    if (mesh_make(s, vertices, chord_error, &m) && check_topology(&m, euler_of(s))) {
        size_t good = 0;
        for (size_t t = 0; t < m.plan.triangle_count; t++) {
            good += flatness(&m, t) > flat;
        }
        CHECK(good == m.plan.triangle_count);
        for (size_t i = 0; i < m.plan.vertex_count; i++) {
            good -= ov_vec3_is_finite(m.vertices[i]) &&
                    fabs(ov_vec3_length(m.normals[i]) - 1.0) < 1e-14;
        }
        CHECK(good == m.plan.triangle_count - m.plan.vertex_count);
        CHECK(mesh_volume(&m) > 0.0);
    }
    mesh_free(&m);
}

/** Exponents down to nothing, sizes at both ends of their range. */
static void test_extremes(void) {
    const double tiny[] = {1e-3, 1e-6, 1e-12, 1e-300, 2.0}, sizes[] = {1e-60, 1.0, 1e60};
    for (int i = 0; i < 75; i++) {
        double e1 = tiny[i % 5], e2 = tiny[i / 5 % 5], a = sizes[i / 25];
        ov_vec3 axes = {a, a, a};
        ov_shape s[5];
        CHECK_OK(ov_shape_make_superellipsoid(axes, e1, e2, &s[0]));
        CHECK_OK(ov_shape_make_bent(axes, e1, e2, 0.1, 0.1, 0.3 / a, 1.0, &s[1]));
        ov_vec3 small = ov_vec3_scale(axes, a > 1.0 ? 0.1 : 1.0);
        small.z *= a < 1.0 ? 2.0 : 1.0;
        CHECK_OK(ov_shape_make_superhyperboloid_1(small, e1, e2, 1.5 * small.z, &s[2]));
        CHECK_OK(ov_shape_make_superhyperboloid_2(small, e1, e2, 1.5 * small.z, &s[3]));
        CHECK_OK(ov_shape_make_supertoroid(small, e1, e2, 2.0, &s[4]));
        for (int k = 0; k < 5; k++) {
            check_mesh(&s[k], 300, 0.0, 1e-4);
            check_mesh(&s[k], 0, 0.05 * a, 1e-6);
        }
    }
    ov_shape s;
    const double lengths[] = {1e-60, 1e-3, 1.0, 1e3, 1e60};
    for (int i = 0; i < 25; i++) {
        double radius = lengths[i % 5], half = lengths[i / 5];
        CHECK_OK(ov_shape_make_capsule(radius, half, &s));
        ov_mesh_options o = {500, 0.0};
        ov_mesh_plan plan;
        CHECK_OK(ov_shape_mesh_plan(&s, &o, &plan));
        CHECK_OK(ov_shape_make_cylinder(radius, half, &s));
        CHECK_OK(ov_shape_mesh_plan(&s, &o, &plan));
        CHECK_OK(ov_shape_make_cone(radius, half, &s));
        CHECK_OK(ov_shape_mesh_plan(&s, &o, &plan));
    }
    // a hyperboloid cut just above its tip, a ring with almost no hole, a bend that is hardly one
    CHECK_OK(ov_shape_make_superhyperboloid_2((ov_vec3){1, 1, 1}, 1.0, 1.0, 1.0 + 1e-9, &s));
    check_mesh(&s, 200, 0.0, 1e-3);
    CHECK_OK(ov_shape_make_superhyperboloid_1((ov_vec3){1, 1, 1}, 1.0, 0.3, 1e4, &s));
    check_mesh(&s, 400, 0.0, 1e-5);
    check_mesh(&s, 0, 1.0, 1e-9);
    CHECK_OK(ov_shape_make_supertoroid((ov_vec3){1, 1, 1}, 1.0, 1.0, 1.0 + 1e-6, &s));
    check_mesh(&s, 400, 0.0, 1e-7);
    CHECK_OK(ov_shape_make_bent((ov_vec3){1, 1, 1}, 1.0, 1.0, 0.0, 0.0, 1e-300, 0.0, &s));
    check_mesh(&s, 400, 0.0, 1e-3);
}

/* ---- sharp kinds */

static void test_sharp_normals(void) {
    ov_shape s;
    mesh m;
    CHECK_OK(ov_shape_make_box((ov_vec3){1, 2, 3}, &s));
    if (mesh_make(&s, 8, 0.0, &m)) {
        CHECK(m.plan.vertex_count == 8 && m.plan.triangle_count == 12);
        check_topology(&m, 2);
        double worst = 0.0;
        check_convex(&m, &worst);
        CHECK_NEAR(mesh_volume(&m), 48.0, 1e-12);
        for (int i = 0; i < 8; i++) {
            CHECK_NEAR(m.normals[i].x, copysign(sqrt(1.0 / 3.0), m.vertices[i].x), 1e-15);
            CHECK_NEAR(m.normals[i].y, copysign(sqrt(1.0 / 3.0), m.vertices[i].y), 1e-15);
            CHECK_NEAR(m.normals[i].z, copysign(sqrt(1.0 / 3.0), m.vertices[i].z), 1e-15);
        }
        mesh_free(&m);
    }
    CHECK_OK(ov_shape_make_cylinder(2.0, 1.0, &s));
    if (mesh_make(&s, 100, 0.0, &m)) {
        for (size_t i = 0; i < m.plan.vertex_count; i++) {
            ov_vec3 v = m.vertices[i], n = m.normals[i];
            bool rim = fabs(v.z) == 1.0 && hypot(v.x, v.y) > 1.0;
            CHECK_NEAR(n.z, fabs(v.z) < 1.0 ? 0.0 : v.z * (rim ? sqrt(0.5) : 1.0), 1e-15);
        }
        mesh_free(&m);
    }
    CHECK_OK(ov_shape_make_cone(1.0, 0.5, &s));
    if (mesh_make(&s, 100, 0.0, &m)) {
        for (size_t i = 0; i < m.plan.vertex_count; i++) {
            ov_vec3 v = m.vertices[i], n = m.normals[i];
            // the side leans by 45 degrees, so on the base's rim the mean is at 22.5 below
            double expected = v.z == 0.5               ? 1.0
                              : v.z > -0.5             ? sqrt(0.5)
                              : hypot(v.x, v.y) == 0.0 ? -1.0
                                                       : -sin(M_PI / 8.0);
            CHECK_NEAR(n.z, expected, 1e-14);
        }
        mesh_free(&m);
    }
}

/** A polyhedron keeps its vertices and triangles; normals are weighted by angles. */
static void test_polyhedron(void) {
    const ov_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t faces[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    ov_shape s;
    mesh m;
    CHECK_OK(ov_shape_make_polyhedron(points, 4, faces, 4, &s));
    if (mesh_make(&s, 4, 0.0, &m)) {
        check_topology(&m, 2);
        for (int i = 0; i < 4; i++) {
            CHECK(ov_vec3_length(ov_vec3_sub(m.vertices[i], points[i])) == 0.0);
        }
        CHECK(memcmp(m.triangles, faces, sizeof faces) == 0);
        CHECK_NEAR(mesh_volume(&m), 1.0 / 6.0, 1e-16);
        // three right angles at the origin; at (1, 0, 0) two of 45 degrees and one of 60
        CHECK_NEAR(m.normals[0].x, -sqrt(1.0 / 3.0), 1e-15);
        ov_vec3 mean = ov_vec3_scale(ov_vec3_make(1.0, 1.0, 1.0), M_PI / 3.0 / sqrt(3.0));
        mean = ov_vec3_normalize(ov_vec3_add(mean, ov_vec3_make(0.0, -M_PI_4, -M_PI_4)));
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(m.normals[1], mean)), 0.0, 1e-15);
        mesh_free(&m);
    }
    ov_mesh_options o = {3, 0.0};
    ov_mesh_plan plan;
    CHECK_STATUS(ov_shape_mesh_plan(&s, &o, &plan), OV_ERROR_OPTION);
    CHECK_OK(ov_shape_make_polyhedron(points, 4, NULL, 0, &s));
    CHECK_STATUS(ov_shape_mesh_plan(&s, NULL, &plan), OV_ERROR_UNSUPPORTED);
}

/* ---- bad input */

static void test_options(void) {
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e-17};
    ov_shape s;
    ov_mesh_plan plan = {.vertex_count = 77};
    CHECK_OK(ov_shape_make_superovoid((ov_vec3){1, 1, 1}, 0.7, 1.2, 0.1, 0.1, NULL, &s));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ov_mesh_options o = {1000, bad[i]};
        CHECK_STATUS(ov_shape_mesh_plan(&s, &o, &plan), OV_ERROR_OPTION);
    }
    const size_t counts[] = {1, 5, ((size_t)1 << 26) + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ov_mesh_options o = {counts[i], 0.0};
        CHECK_STATUS(ov_shape_mesh_plan(&s, &o, &plan), OV_ERROR_OPTION);
    }
    CHECK(plan.vertex_count == 77);
    ov_mesh_options most = {(size_t)1 << 26, 0.0};
    CHECK_OK(ov_shape_mesh_plan(&s, &most, &plan));
    CHECK(plan.vertex_count <= most.vertices && plan.vertex_count > most.vertices / 10 * 9);
    CHECK(ov_default_mesh_options().vertices == 1000 &&
          ov_default_mesh_options().chord_error == 0.0);
    CHECK_OK(ov_shape_mesh_plan(&s, NULL, &plan));
    CHECK(plan.vertex_count <= 1000 && plan.vertex_count > 950);
    CHECK_STATUS(ov_shape_mesh_plan(NULL, &most, &plan), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mesh_plan(&s, &most, NULL), OV_ERROR_NULL);

    ov_shape other = {.kind = OV_SHAPE_KIND_NONE};
    CHECK_STATUS(ov_shape_mesh_plan(&other, NULL, &plan), OV_ERROR_SHAPE);
    other.kind = OV_SHAPE_KIND_COUNT;
    CHECK_STATUS(ov_shape_mesh_plan(&other, NULL, &plan), OV_ERROR_SHAPE);
    CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 0, 1}, 0.0, &other));
    CHECK_STATUS(ov_shape_mesh_plan(&other, NULL, &plan), OV_ERROR_UNSUPPORTED);
    CHECK_OK(ov_shape_make_point((ov_vec3){0, 0, 1}, &other));
    CHECK_STATUS(ov_shape_mesh_plan(&other, NULL, &plan), OV_ERROR_UNSUPPORTED);
}

/** A plan that is not the shape's own is refused before anything is written. */
static void test_foreign_plans(void) {
    ov_shape s, box;
    ov_mesh_plan plan, changed;
    ov_vec3 vertices[100];
    uint32_t triangles[200][3];
    ov_mesh_options o = {100, 0.0};
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_OK(ov_shape_make_box((ov_vec3){1, 1, 1}, &box));
    CHECK_OK(ov_shape_mesh_plan(&s, &o, &plan));
    CHECK_OK(ov_shape_mesh_fill(&s, &plan, vertices, NULL, triangles));
    CHECK_STATUS(ov_shape_mesh_fill(&box, &plan, vertices, NULL, triangles), OV_ERROR_OPTION);
    CHECK_STATUS(ov_shape_mesh_fill(NULL, &plan, vertices, NULL, triangles), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mesh_fill(&s, NULL, vertices, NULL, triangles), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mesh_fill(&s, &plan, NULL, NULL, triangles), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mesh_fill(&s, &plan, vertices, NULL, NULL), OV_ERROR_NULL);
    for (int i = 0; i < 8; i++) {
        changed = plan;
        changed.around = i == 0 ? 0 : i == 1 ? 7 : i == 2 ? UINT32_MAX - 3 : plan.around;
        changed.along = i == 3 ? 0 : i == 4 ? 1 : i == 5 ? UINT32_MAX - 1 : plan.along;
        changed.vertex_count += i == 6;
        changed.spacing = i == 7 ? (ov_spacing)5 : plan.spacing;
        CHECK_STATUS(ov_shape_mesh_fill(&s, &changed, vertices, NULL, triangles), OV_ERROR_OPTION);
    }
}

int main(void) {
    check_suite = "mesh";
    RUN(test_by_vertices);
    RUN(test_small_budgets);
    RUN(test_diagonals);
    RUN(test_symmetry);
    RUN(test_volume);
    RUN(test_extremes);
    RUN(test_sharp_normals);
    RUN(test_polyhedron);
    RUN(test_options);
    RUN(test_foreign_plans);
    return check_finish();
}
