/**
 * @file test_sim_mesh.c
 * @brief Simulated bodies on triangle meshes: they stand, roll and slide as on a plane, whatever
 * the triangles are, and come to rest in a bowl.
 */
#include <string.h>

#include "sim_cases.h"

enum { CELLS_MAX = 24, VERTICES_MAX = (CELLS_MAX + 1) * (CELLS_MAX + 1), TRIANGLES_MAX = 2500 };

/** A mesh and the geometry of it. */
typedef struct body_of_mesh {
    ov_trimesh *mesh;
    ov_geometry *geometry;
} body_of_mesh;

static void free_mesh(body_of_mesh *m) {
    ov_geometry_destroy(m->geometry);
    ov_trimesh_destroy(m->mesh);
}

static body_of_mesh mesh_of(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count) {
    body_of_mesh m = {NULL, NULL};
    CHECK_OK(ov_trimesh_create(vertices, vertex_count, triangles, triangle_count, NULL, &m.mesh));
    const ov_part part = {.mesh = m.mesh};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &m.geometry));
    return m;
}

typedef double (*height)(double x, double y);
static double flat(double x, double y) { return 0.0 * (x + y); }
static double bowl(double x, double y) { return 0.3 * (x * x + y * y); }

/** A sheet of 8 m over the origin, of cells whose corners are moved a little. */
static body_of_mesh sheet(int cells, height z) {
    static ov_vec3 vertices[VERTICES_MAX];
    static uint32_t triangles[TRIANGLES_MAX][3];
    size_t count = 0;
    check_random r = check_random_make(5);
    for (int j = 0; j <= cells; j++) {
        for (int i = 0; i <= cells; i++) {
            double x = 8.0 * (i + check_uniform(&r, -0.2, 0.2)) / cells - 4.0;
            double y = 8.0 * (j + check_uniform(&r, -0.2, 0.2)) / cells - 4.0;
            vertices[j * (cells + 1) + i] = (ov_vec3){x, y, z(x, y)};
        }
    }
    for (int j = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            uint32_t a = (uint32_t)(j * (cells + 1) + i), b = a + 1, c = a + (uint32_t)cells + 1;
            const uint32_t two[2][3] = {{a, b, c + 1}, {a, c + 1, c}};
            memcpy(triangles[count], two, sizeof two);
            count += 2;
        }
    }
    return mesh_of(vertices, (size_t)(cells + 1) * (size_t)(cells + 1),
                   (const uint32_t(*)[3])triangles, count);
}

/** A closed block below z = 0, or a cube about the origin. */
static body_of_mesh block(ov_vec3 half, ov_vec3 centre) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    ov_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        ov_vec3 d = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        corners[i] = ov_vec3_add(centre, d);
    }
    return mesh_of(corners, 8, faces, 12);
}

static ov_geometry *thing(int kind) {
    ov_shape shape;
    switch (kind) {
    case 0:
        CHECK_OK(ov_shape_make_box((ov_vec3){0.3, 0.3, 0.3}, &shape));
        break;
    case 1:
        CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.3, 0.3, 0.3}, 0.1, 0.1, &shape));
        break;
    case 2:
        CHECK_OK(ov_shape_make_cylinder(0.3, 0.3, &shape));
        break;
    default:
        CHECK_OK(ov_shape_make_sphere(0.3, &shape));
    }
    return geometry_of(shape);
}

/** Two bodies on each other stand where they were put, on floors of large and small triangles, open
 *  and closed ones. */
static void check_stands(const ov_geometry *geometry, const ov_geometry *floor, ov_sim_mode mode) {
    ov_sim *sim = sim_of(down, mode, 0, true);
    add(sim, (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED});
    ov_sim_body low =
        add(sim, (ov_sim_body_def){.geometry = geometry, .pose.position = {0.13, 0.21, 0.32}});
    ov_sim_body high =
        add(sim, (ov_sim_body_def){.geometry = geometry, .pose.position = {0.13, 0.21, 0.95}});
    run_for(sim, 240, 1.0 / 60.0);
    ov_vec3 a = state_of(sim, low).centre, b = state_of(sim, high).centre;
    CHECK_NEAR(a.z, 0.3, 5e-4);
    CHECK_NEAR(b.z, 0.9, 1e-3);
    CHECK(hypot(a.x - 0.13, a.y - 0.21) < 0.01 && hypot(b.x - 0.13, b.y - 0.21) < 0.01);
    CHECK(state_of(sim, low).asleep && state_of(sim, high).asleep);
    ov_sim_destroy(sim);
}

static void test_stands(void) {
    body_of_mesh floors[4] = {sheet(1, flat),
                              sheet(CELLS_MAX, flat),
                              block((ov_vec3){3, 3, 0.1}, (ov_vec3){0, 0, -0.1}),
                              {NULL, NULL}};
    body_of_mesh cube = block((ov_vec3){0.3, 0.3, 0.3}, (ov_vec3){0, 0, 0});
    ov_geometry *plane = ground((ov_vec3){0, 0, 1});
    for (int kind = 0; kind <= 4; kind++) {
        ov_geometry *own = kind < 4 ? thing(kind) : NULL;
        for (int i = 0; i < 4; i++) {
            const ov_geometry *floor = i < 3 ? floors[i].geometry : plane;
            check_stands(own != NULL ? own : cube.geometry, floor, OV_SIM_MODE_ACCURATE);
            if (i < 3 || kind == 4) {
                check_stands(own != NULL ? own : cube.geometry, floor, OV_SIM_MODE_FAST);
            }
        }
        ov_geometry_destroy(own);
    }
    for (int i = 0; i < 3; i++) {
        free_mesh(&floors[i]);
    }
    free_mesh(&cube);
    ov_geometry_destroy(plane);
}

/** Edges within a flat floor are none: what rolls or slides over them goes as over a plane. */
static void check_moves(int kind, ov_vec3 velocity, ov_vec3 angular_velocity, ov_sim_mode mode) {
    body_of_mesh floor = sheet(CELLS_MAX, flat);
    ov_geometry *geometry = thing(kind), *plane = ground((ov_vec3){0, 0, 1});
    ov_vec3 end[2];
    for (int i = 0; i < 2; i++) {
        ov_sim *sim = sim_of(down, mode, 0, false);
        add(sim, (ov_sim_body_def){.geometry = i == 0 ? plane : floor.geometry,
                                   .kind = OV_SIM_BODY_KIND_FIXED});
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = geometry,
                                                      .pose.position = {-2.0, -1.5, 0.3},
                                                      .velocity = velocity,
                                                      .angular_velocity = angular_velocity});
        double highest = 0.0, lowest = 1.0;
        for (int k = 0; k < 120; k++) {
            CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
            ov_vec3 x = state_of(sim, body).centre;
            highest = fmax(highest, x.z);
            lowest = fmin(lowest, x.z);
        }
        CHECK(highest < 0.302 && lowest > 0.298);
        end[i] = state_of(sim, body).centre;
        ov_sim_destroy(sim);
    }
    CHECK(ov_vec3_length(ov_vec3_sub(end[1], end[0])) < 0.02);
    ov_geometry_destroy(geometry);
    ov_geometry_destroy(plane);
    free_mesh(&floor);
}

static void test_moves(void) {
    const ov_vec3 roll = {1.5, 1.2, 0.0}, turn = {-1.2 / 0.3, 1.5 / 0.3, 0.0}, none = {0, 0, 0};
    check_moves(3, roll, turn, OV_SIM_MODE_ACCURATE);
    check_moves(3, roll, turn, OV_SIM_MODE_FAST);
    check_moves(0, (ov_vec3){3.0, 2.4, 0.0}, none, OV_SIM_MODE_ACCURATE);
    check_moves(2, (ov_vec3){3.0, 2.4, 0.0}, none, OV_SIM_MODE_ACCURATE);
}

/** A cube of triangles slides where a slope is steeper than its friction by 1 %, as fast as it
 * should, and not where it is less steep: the same corners have the same names, in the same order.
 */
static void test_slips(void) {
    const double friction = 0.3;
    body_of_mesh cube = block((ov_vec3){0.1, 0.1, 0.1}, (ov_vec3){0, 0, 0});
    body_of_mesh floor = block((ov_vec3){9, 9, 1}, (ov_vec3){0, 0, -1});
    ov_geometry *plane = ground((ov_vec3){0, 0, 1});
    double worst = 0.0, furthest = 0.0;
    for (int i = 0; i < 8; i++) {
        double slope = atan(friction * (i % 2 == 0 ? 1.01 : 0.99));
        ov_vec3 gravity = {9.81 * sin(slope), 0.0, -9.81 * cos(slope)};
        ov_sim *sim = sim_of(gravity, (ov_sim_mode)(i / 4), 0, false);
        add(sim, (ov_sim_body_def){.geometry = i / 2 % 2 == 0 ? plane : floor.geometry,
                                   .kind = OV_SIM_BODY_KIND_FIXED,
                                   .friction = friction});
        ov_sim_body body = add(sim, (ov_sim_body_def){.geometry = cube.geometry,
                                                      .friction = friction,
                                                      .pose.position = {0, 0, 0.1}});
        run_for(sim, 60, 1.0 / 60.0);
        double before = state_of(sim, body).velocity.x;
        run_for(sim, 60, 1.0 / 60.0);
        ov_sim_body_state s = state_of(sim, body);
        double wanted = gravity.x + friction * gravity.z;
        if (i % 2 == 0) {
            worst = fmax(worst, fabs((s.velocity.x - before) / wanted - 1.0));
        } else {
            furthest = fmax(furthest, fabs(s.centre.x));
        }
        CHECK(fabs(s.centre.y) < 1e-4 && fabs(s.centre.z - 0.1) < 1e-3);
        ov_sim_destroy(sim);
    }
    check_worst("acceleration of a cube that slides", worst, 0.01);
    check_worst("way of one that does not, m", furthest, 2e-4);
    CHECK(worst < 0.01 && furthest < 2e-4);
    ov_geometry_destroy(plane);
    free_mesh(&cube);
    free_mesh(&floor);
}

/** Bodies poured into a bowl of triangles come to rest in it, against walls of several directions:
 *  none of them is deep in anything, by the contact of the geometries. */
static void test_bowl(void) {
    enum { BODIES = 12 };
    body_of_mesh floor = sheet(CELLS_MAX, bowl);
    body_of_mesh cube = block((ov_vec3){0.2, 0.3, 0.25}, (ov_vec3){0, 0, 0});
    ov_geometry *things[4] = {thing(0), thing(1), thing(2), cube.geometry};
    ov_sim *sim = sim_of(down, OV_SIM_MODE_ACCURATE, 0, true);
    add(sim, (ov_sim_body_def){.geometry = floor.geometry, .kind = OV_SIM_BODY_KIND_FIXED});
    ov_sim_body bodies[BODIES];
    for (int i = 0; i < BODIES; i++) {
        ov_pose pose = {{0.8 * cos(2.4 * i), 0.8 * sin(2.4 * i), 1.0 + 0.35 * i},
                        ov_quat_from_axis_angle((ov_vec3){1, 0.3 * i, 0.5}, 0.7 * i)};
        bodies[i] = add(sim, (ov_sim_body_def){.geometry = things[i % 4], .pose = pose});
    }
    run_for(sim, 480, 1.0 / 60.0);
    double deepest = 0.0, fastest = 0.0;
    for (int i = 0; i < BODIES; i++) {
        ov_sim_body_state s = state_of(sim, bodies[i]);
        ov_part_contact found;
        CHECK(ov_geometry_contact(floor.geometry, ov_pose_identity(), things[i % 4], s.pose, 0.0,
                                  NULL, &found) >= 0);
        deepest = fmax(deepest, -found.contact.gap);
        fastest = fmax(fastest, ov_vec3_length(s.velocity));
        CHECK(s.centre.z > bowl(s.centre.x, s.centre.y));
        for (int k = 0; k < i; k++) {
            CHECK(ov_geometry_contact(things[k % 4], state_of(sim, bodies[k]).pose, things[i % 4],
                                      s.pose, 0.0, NULL, &found) >= 0);
            deepest = fmax(deepest, -found.contact.gap);
        }
    }
    check_worst("depth in a bowl of triangles, m", deepest, 1e-3);
    check_worst("speed in it, m/s", fastest, 0.05);
    CHECK(deepest < 1e-3 && fastest < 0.05);
    ov_sim_destroy(sim);
    for (int i = 0; i < 3; i++) {
        ov_geometry_destroy(things[i]);
    }
    free_mesh(&cube);
    free_mesh(&floor);
}

int main(void) {
    check_suite = "test_sim_mesh";
    RUN(test_stands);
    RUN(test_moves);
    RUN(test_slips);
    RUN(test_bowl);
    return check_finish();
}
