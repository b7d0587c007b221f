/**
 * @file test_touch_map.c
 * @brief Distance maps: bounds against all triangles one by one in long double, under poses and at
 * every level; the error that was asked for; bytes of maps, also cut off and changed; bad input.
 */
#include <float.h>
#include <string.h>

#include "touch_cases.h"

static touch_mesh mesh;

static ov_touch_map *make_map(const touch_mesh *m, double error, size_t memory) {
    ov_touch_map_options options = {.error = error, .memory = memory};
    ov_touch_map *map = NULL;
    CHECK_OK(ov_touch_map_create(m->vertices, m->vertex_count, (const uint32_t(*)[3])m->triangles,
                                 m->triangle_count, &options, NULL, &map));
    return map;
}

static ov_pose random_pose(check_random *r, double size) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, size)),
                     check_rotation(r)};
}

/* ---- answers */

typedef struct tally {
    double worst_field, worst_exact, widest_exact;
    long wrong_signs, off_surface;
} tally;

static void check_point(const ov_touch_map *map, const touch_mesh *m, ov_pose pose, ov_vec3 p,
                        double diagonal, tally *t) {
    double truth = touch_oracle(m, p);
    // the pose is rounded too, and the oracle is asked in the map's frame
    double slack =
        64.0 * DBL_EPSILON * (ov_vec3_length(p) + ov_vec3_length(pose.position) + 4.0 * diagonal);
    for (int level = OV_TOUCH_LEVEL_FIELD; level <= OV_TOUCH_LEVEL_EXACT; level++) {
        ov_touch_distance d;
        ov_vec3 world = ov_pose_apply(pose, p);
        ov_status status = ov_touch_map_point(map, pose, world, (ov_touch_level)level, &d);
        CHECK(status == OV_OK || (status == OV_NOT_CONVERGED && fabs(truth) <= slack));
        CHECK(d.distance_lower <= truth + slack && d.distance_upper >= truth - slack);
        CHECK(d.distance_lower <= d.distance && d.distance <= d.distance_upper);
        double length = ov_vec3_length(d.normal);
        CHECK(length == 0.0 || fabs(length - 1.0) < 1e-12);
        if (level == OV_TOUCH_LEVEL_EXACT) {
            t->worst_exact = fmax(t->worst_exact, fabs(d.distance - truth));
            t->widest_exact = fmax(t->widest_exact, d.distance_upper - d.distance_lower);
            ov_vec3 near = ov_pose_apply_inverse(pose, d.nearest);
            t->off_surface += !(fabs(touch_oracle(m, near)) <= slack);
            CHECK_NEAR(ov_vec3_length(ov_vec3_sub(near, p)), fabs(truth), 4.0 * slack);
            CHECK(d.triangle < m->triangle_count);
        } else if (level == OV_TOUCH_LEVEL_DECIDED) {
            t->wrong_signs += (d.distance < 0.0) != (truth < 0.0) && fabs(truth) > slack;
        } else if (fabs(truth) <= 0.01 * diagonal) {
            t->worst_field = fmax(t->worst_field, fabs(d.distance - truth) / diagonal);
        }
    }
}

/** Bounds hold at every level, signs are right where they are told, the field is as good as asked.
 */
static void test_bounds(void) {
    static const double errors[TOUCH_CASES] = {4e-3, 2e-3, 4e-3, 2e-3, 2e-3};
    check_random random = check_random_make(18);
    for (int which = 0; which < TOUCH_CASES; which++) {
        touch_mesh_make(which, &mesh);
        double diagonal = touch_diagonal(&mesh);
        ov_touch_map *map = make_map(&mesh, errors[which], (size_t)1 << 24);
        tally t = {0};
        long count = check_count(which == 0 ? 600 : 4000);
        for (long i = 0; i < count && map != NULL; i++) {
            ov_vec3 p = touch_point(&random, &mesh, diagonal);
            check_point(map, &mesh, random_pose(&random, diagonal), p, diagonal, &t);
        }
        CHECK(t.wrong_signs == 0 && t.off_surface == 0);
        CHECK(t.worst_exact <= 1e-12 * diagonal);
        CHECK(t.widest_exact <= 1e-10 * diagonal);
        check_worst("exact distances", t.worst_exact / diagonal, 1e-12);
        check_worst("width of exact bounds", t.widest_exact / diagonal, 1e-10);
        CHECK(t.worst_field <= 2.0 * errors[which]);
        check_worst(mesh.name, t.worst_field, 2.0 * errors[which]);
        ov_touch_map_destroy(map);
    }
}

/** On vertices, edges and faces themselves, where the sign is not to be known. */
/** Plates so thin that their sides are needles, of which the determinant is all rounding. */
static void test_needles(void) {
    check_random random = check_random_make(31);
    for (int k = 2; k <= 9; k++) {
        static touch_mesh plate;
        double thin = pow(10.0, -k), worst = 0.0;
        plate.vertex_count = plate.triangle_count = 0;
        touch_add_box(&plate, ov_vec3_make(0.1, -0.2, 0.3), ov_vec3_make(1.0, 0.8, thin));
        double diagonal = touch_diagonal(&plate);
        ov_touch_map *map = NULL;
        const ov_touch_map_options options = {.error = 0.02, .memory = 100000};
        CHECK_OK(ov_touch_map_create(plate.vertices, plate.vertex_count,
                                     (const uint32_t(*)[3])plate.triangles, plate.triangle_count,
                                     &options, NULL, &map));
        for (int i = 0; i < check_share(400); i++) {
            // about the sides
            double along = check_uniform(&random, -1.0, 1.0), s = i & 1 ? 1.0 : -1.0;
            ov_vec3 p =
                i & 2 ? ov_vec3_make(along, 0.8 * s, 0.0) : ov_vec3_make(s, 0.8 * along, 0.0);
            p = ov_vec3_add(p, ov_vec3_make(0.1, -0.2, 0.3));
            p.z += thin * check_uniform(&random, -1.5, 1.5);
            p = ov_vec3_add_scaled(p, check_unit_vector(&random),
                                   pow(10.0, check_uniform(&random, -11.0, -1.0)));
            double truth = touch_oracle(&plate, p);
            for (int level = OV_TOUCH_LEVEL_FIELD; level <= OV_TOUCH_LEVEL_EXACT; level++) {
                ov_touch_distance d;
                CHECK(ov_touch_map_point(map, ov_pose_identity(), p, (ov_touch_level)level, &d) >=
                      OV_OK);
                CHECK(d.distance_lower <= truth + 1e-13 && d.distance_upper >= truth - 1e-13);
                worst = level == OV_TOUCH_LEVEL_EXACT
                            ? fmax(worst, fabs(fabs(d.distance) - fabs(truth)))
                            : worst;
            }
        }
        // the determinant of what is just no sliver: 2e-16 over 1e-8
        CHECK_NEAR(worst, 0.0, 1e-7 * diagonal);
        ov_touch_map_destroy(map);
    }
}

static void test_surface_points(void) {
    touch_mesh_make(1, &mesh);
    ov_touch_map *map = make_map(&mesh, 4e-3, 0);
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        const uint32_t *t = mesh.triangles[i];
        ov_vec3 middle = ov_vec3_scale(ov_vec3_add(mesh.vertices[t[0]], mesh.vertices[t[1]]), 0.5);
        const ov_vec3 points[2] = {mesh.vertices[t[2]], middle};
        for (int k = 0; k < 2; k++) {
            ov_touch_distance d;
            ov_status status =
                ov_touch_map_point(map, ov_pose_identity(), points[k], OV_TOUCH_LEVEL_EXACT, &d);
            CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
            CHECK(d.distance_lower <= 0.0 && d.distance_upper >= 0.0);
            CHECK(d.distance_upper - d.distance_lower < 1e-12);
        }
    }
    ov_touch_map_destroy(map);
}

/** The field has no steps but those of its numbers, also where fine bricks meet coarse ones. */
static void test_continuity(void) {
    touch_mesh_make(2, &mesh);
    double diagonal = touch_diagonal(&mesh), h = 1e-7 * diagonal, worst = 0.0;
    ov_touch_map *map = make_map(&mesh, 2e-3, 0);
    double step = ov_touch_map_describe(map).cell_max / 30.0;
    check_random random = check_random_make(7);
    for (long i = check_count(20000); i > 0; i--) {
        ov_vec3 p = touch_point(&random, &mesh, 0.3 * diagonal);
        ov_vec3 q = ov_vec3_add_scaled(p, check_unit_vector(&random), h);
        ov_touch_distance a, b;
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), p, OV_TOUCH_LEVEL_FIELD, &a));
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), q, OV_TOUCH_LEVEL_FIELD, &b));
        if (ov_vec3_length(p) < 0.5 * diagonal) {
            worst = fmax(worst, fabs(a.distance - b.distance));
        }
    }
    CHECK(worst <= step);
    check_worst("step of the field", worst / diagonal, step / diagonal);
    ov_touch_map_destroy(map);
}

/** The same bytes on any number of threads, and within the memory that was given. */
static void test_threads_and_memory(void) {
    touch_mesh_make(0, &mesh);
    size_t sizes[2];
    const void *bytes[2];
    ov_touch_map *maps[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        ov_touch_map_options o = {.error = 2e-3, .memory = 300000, .threads = {.count = 1 + 2 * i}};
        CHECK_OK(ov_touch_map_create(mesh.vertices, mesh.vertex_count,
                                     (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count, &o,
                                     NULL, &maps[i]));
        bytes[i] = ov_touch_map_bytes(maps[i], &sizes[i]);
    }
    CHECK(sizes[0] == sizes[1] && sizes[0] <= 300000 && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    ov_touch_map_destroy(maps[0]);
    ov_touch_map_destroy(maps[1]);
}

/** An open mesh is refused, or taken as a surface: all distances are positive. */
static void test_open(void) {
    touch_mesh_make(1, &mesh);
    mesh.triangle_count -= 2;
    ov_touch_map *map = NULL;
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, mesh.vertex_count,
                                     (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count,
                                     NULL, NULL, &map),
                 OV_ERROR_NOT_CLOSED);
    CHECK(map == NULL);
    ov_touch_map_options options = {.error = 4e-3, .surface = true};
    CHECK_OK(ov_touch_map_create(mesh.vertices, mesh.vertex_count,
                                 (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count,
                                 &options, NULL, &map));
    check_random random = check_random_make(3);
    for (long i = check_count(3000); i > 0 && map != NULL; i--) {
        ov_vec3 p = touch_point(&random, &mesh, 2.0);
        double truth = fabs(touch_oracle(&mesh, p));
        ov_touch_distance d;
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), p, OV_TOUCH_LEVEL_FIELD, &d));
        CHECK(d.distance_lower <= truth + 1e-13 && d.distance_upper >= truth - 1e-13);
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), p, OV_TOUCH_LEVEL_EXACT, &d));
        CHECK_NEAR(d.distance, truth, 1e-13 * (1.0 + ov_vec3_length(p)));
    }
    ov_touch_map_destroy(map);
}

/* ---- bytes */

static int releases;

static void count_release(void *user, const void *bytes, size_t size) {
    (void)user;
    (void)size;
    releases += bytes != NULL;
}

static void test_views(void) {
    // a thin rod has a small map, so that every byte can be changed in turn
    mesh.vertex_count = mesh.triangle_count = 0;
    touch_add_box(&mesh, ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1.0, 0.01, 0.02));
    ov_touch_map *map = make_map(&mesh, 0.1, 1), *view = NULL;
    size_t size;
    const void *bytes = ov_touch_map_bytes(map, &size);
    unsigned char *copy = malloc(size + 16);
    memcpy(copy, bytes, size);
    ov_touch_owner owner = {count_release, NULL};
    ov_fault fault;
    CHECK_OK(ov_touch_map_view(copy, size, &owner, NULL, &view, &fault));
    check_random random = check_random_make(4);
    for (int i = 0; i < 200; i++) {
        ov_vec3 p = touch_point(&random, &mesh, 2.0);
        ov_touch_distance a, b;
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), p, OV_TOUCH_LEVEL_DECIDED, &a));
        CHECK_OK(ov_touch_map_point(view, ov_pose_identity(), p, OV_TOUCH_LEVEL_DECIDED, &b));
        CHECK(a.distance == b.distance && a.distance_lower == b.distance_lower &&
              a.distance_upper == b.distance_upper && a.triangle == b.triangle &&
              memcmp(&a.nearest, &b.nearest, sizeof a.nearest) == 0 &&
              memcmp(&a.normal, &b.normal, sizeof a.normal) == 0);
    }
    ov_touch_map_destroy(view);
    CHECK(releases == 1);
    // every byte changed once, by one bit or by all of them
    size_t accepted = 0, step = (size_t)check_every();
    for (size_t i = 0; i < size; i += step) {
        unsigned char kept = copy[i];
        copy[i] = (unsigned char)(kept ^ (i % 2 ? 0xff : 1u << i % 8));
        accepted +=
            ov_touch_map_view(copy, size, NULL, NULL, &view, &fault) != OV_ERROR_FILE_FORMAT;
        accepted += view != NULL || fault.text[0] == '\0';
        copy[i] = kept;
    }
    CHECK(accepted == 0);
    for (size_t i = 0; i < size; i += i < 400 ? 1 : 97 * step) {
        accepted += ov_touch_map_view(copy, i, NULL, NULL, &view, &fault) != OV_ERROR_FILE_FORMAT;
    }
    accepted +=
        ov_touch_map_view(copy, size + 8, NULL, NULL, &view, &fault) != OV_ERROR_FILE_FORMAT;
    CHECK(accepted == 0);
    copy[8]++; // the version, which is told before the checksum
    CHECK_STATUS(ov_touch_map_view(copy, size, NULL, NULL, &view, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(strstr(fault.text, "another version") != NULL);
    copy[8]--;
    memmove(copy + 1, copy, size);
    CHECK_STATUS(ov_touch_map_view(copy + 1, size, NULL, NULL, &view, NULL), OV_ERROR_FILE_FORMAT);
    CHECK_STATUS(ov_touch_map_view(NULL, size, NULL, NULL, &view, NULL), OV_ERROR_NULL);
    free(copy);
    ov_touch_map_destroy(map);
}

/* ---- bad input */

static void test_bad_input(void) {
    touch_mesh_make(1, &mesh);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])mesh.triangles;
    ov_touch_map *map = NULL;
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 12, NULL, NULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_create(NULL, 8, triangles, 12, NULL, NULL, &map), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 0, NULL, NULL, &map),
                 OV_ERROR_COUNT);
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 7, triangles, 12, NULL, NULL, &map),
                 OV_ERROR_INDEX);
    static const ov_touch_map_options bad[] = {
        {.error = -1.0}, {.error = NAN},  {.error = 0.5},
        {.band = 2.0},   {.band = -1e-3}, {.threads = {.count = OV_THREADS_MAX + 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 12, &bad[i], NULL, &map),
                     OV_ERROR_OPTION);
    }
    ov_touch_map_options parts = {.part_count = 1};
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 12, &parts, NULL, &map),
                 OV_ERROR_NULL);
    parts.part_count = OV_TOUCH_PARTS_MAX + 1;
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 12, &parts, NULL, &map),
                 OV_ERROR_COUNT);
    ov_vec3 point = {1.0, 2.0, 3.0};
    const ov_vec3 same[3] = {point, point, point};
    const uint32_t one[1][3] = {{0, 1, 2}};
    ov_touch_map_options surface = {.surface = true};
    CHECK_STATUS(ov_touch_map_create(same, 3, one, 1, &surface, NULL, &map), OV_ERROR_DEGENERATE);
    mesh.vertices[3].x = NAN;
    CHECK_STATUS(ov_touch_map_create(mesh.vertices, 8, triangles, 12, NULL, NULL, &map),
                 OV_ERROR_NOT_FINITE);
    CHECK(map == NULL);
}

static ov_status map_of_size(double size, ov_touch_map **map) {
    touch_mesh_make(0, &mesh);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        mesh.vertices[i] = ov_vec3_scale(mesh.vertices[i], size);
    }
    const ov_touch_map_options options = {.error = 0.01, .memory = 200000};
    return ov_touch_map_create(mesh.vertices, mesh.vertex_count,
                               (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count, &options,
                               NULL, map);
}

/** A map has numbers in single precision: up to the ends of the range they do, and not beyond. */
static void test_sizes(void) {
    check_random random = check_random_make(41);
    const double good[] = {1e-25, 1e-6, 1e6, 1e24};
    ov_touch_map *map;
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        CHECK_OK(map_of_size(good[k], &map));
        double diagonal = touch_diagonal(&mesh);
        tally t = {0};
        for (int i = 0; i < check_share(300) && map != NULL; i++) {
            ov_vec3 p = touch_point(&random, &mesh, diagonal);
            check_point(map, &mesh, random_pose(&random, diagonal), p, diagonal, &t);
        }
        CHECK(t.wrong_signs == 0 && t.off_surface == 0 && t.worst_exact <= 1e-12 * diagonal);
        ov_touch_map_destroy(map);
    }
    const double bad[] = {1e-50, 1e-27, 1e25, 1e40};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_STATUS(map_of_size(bad[k], &map), OV_ERROR_SIZE_RANGE);
        CHECK(map == NULL);
    }
}

static void test_bad_points(void) {
    touch_mesh_make(1, &mesh);
    ov_touch_map *map = make_map(&mesh, 0.02, 0);
    ov_touch_distance d;
    const ov_pose at = ov_pose_identity();
    const ov_vec3 p = {0.1, 0.2, 0.3}, nan = {NAN, 0.0, 0.0}, far = {1e61, 0.0, 0.0};
    ov_pose zero = at;
    zero.rotation.w = 0.0;
    CHECK_STATUS(ov_touch_map_point(map, at, p, OV_TOUCH_LEVEL_FIELD, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_point(NULL, at, p, OV_TOUCH_LEVEL_FIELD, &d), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_point(map, at, nan, OV_TOUCH_LEVEL_FIELD, &d), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_map_point(map, at, far, OV_TOUCH_LEVEL_FIELD, &d), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_touch_map_point(map, zero, p, OV_TOUCH_LEVEL_FIELD, &d),
                 OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_touch_map_point(map, at, p, (ov_touch_level)9, &d), OV_ERROR_OPTION);
    CHECK(isnan(d.distance) && isnan(d.normal.x) && d.triangle == OV_NO_TRIANGLE);
    CHECK(ov_touch_map_describe(NULL).bytes == 0 && ov_touch_map_mesh(NULL) == NULL);
    ov_touch_map_destroy(map);
    ov_touch_map_destroy(NULL);
}

/* ---- memory */

typedef struct failing {
    long calls, fail_at, alive;
} failing;

static void *resize_or_fail(void *user, void *block, size_t old_size, size_t size) {
    failing *f = user;
    (void)old_size;
    if (size == 0) {
        f->alive -= block != NULL;
        free(block);
        return NULL;
    }
    if (++f->calls == f->fail_at) {
        return NULL;
    }
    f->alive += block == NULL;
    return realloc(block, size);
}

/** Each allocation in turn fails: OV_ERROR_MEMORY, and nothing stays behind. */
static void test_memory(void) {
    touch_mesh_make(1, &mesh);
    failing f = {0, 0, 0};
    ov_allocator allocator = {resize_or_fail, &f};
    ov_touch_map_options options = {.error = 0.1, .band = 1e-4, .threads = {.count = 1}};
    for (long at = 1; at < 200; at++) {
        f = (failing){.fail_at = at};
        ov_touch_map *map = NULL;
        ov_status status = ov_touch_map_create(
            mesh.vertices, 8, (const uint32_t(*)[3])mesh.triangles, 12, &options, &allocator, &map);
        bool through = f.calls < at;
        CHECK(through ? status == OV_OK : status == OV_OK || status == OV_ERROR_MEMORY);
        ov_touch_map_destroy(map);
        CHECK(f.alive == 0);
        if (through) {
            return;
        }
    }
    CHECK(false);
}

/** A proxy whose ball is about as large as the field's error: it rests where the triangles are, and
 *  goes where the device leads it. The force at the surface does not jump. */
static void test_surface(void) {
    touch_mesh_make(0, &mesh);
    ov_touch_map *map = make_map(&mesh, 0.02, 1);
    ov_touch_map_report report = ov_touch_map_describe(map);
    ov_touch_placed_map placed = {.map = map};
    ov_touch_surface surface = ov_touch_map_surface(&placed);
    ov_touch_material material = {.stiffness = 1.0};
    ov_touch_proxy_options o = {.radius = 1.2 * report.bound_mean, .slip_time = 1e-9};
    ov_touch_proxy proxy = {0};
    ov_touch_force force, last = {0};
    double off = 0.0, behind = 0.0, jump = 0.0;
    // over the ring of the torus, about 1, -2, .5, a little below the crests of its waves
    for (int i = 0; i < 4000; i++) {
        double a = M_PI * i / 2000.0, z = 0.5 + 0.3 * (1.0 + 0.3 * cos(5.0 * a)) - 0.02;
        ov_vec3 device = {1.0 + cos(a), -2.0 + sin(a), z + (i == 0 ? 0.1 : 0.0)};
        CHECK(ov_touch_proxy_step(&surface, &material, &o, device, 1e-3, &proxy, &force) >= 0);
        ov_vec3 back = ov_vec3_sub(proxy.position, device);
        behind = fmax(behind, ov_vec3_length(back));
        if (force.contact && i % 50 == 0) {
            off = fmax(off, fabs(touch_oracle(&mesh, proxy.position) - o.radius));
        }
    }
    for (int i = 0; i < 40 * 300; i++) { // points that sink through the surface
        double a = M_PI * (i / 300) / 20.0, z = 1.0 - 1e-3 * (i % 300);
        ov_vec3 device = {1.0 + cos(a), -2.0 + sin(a), z};
        CHECK_OK(ov_touch_penalty(&surface, &material, device, ov_vec3_make(0.0, 0.0, 0.0), 0.0,
                                  &force));
        double change = ov_vec3_length(force.force) - ov_vec3_length(last.force);
        jump = i % 300 > 0 ? fmax(jump, fabs(change)) : jump;
        last = force;
    }
    CHECK(off < 0.02 * o.radius); // the normals are not quite the gradient
    CHECK(behind < 0.05 + o.radius);
    CHECK(jump < 1.001e-3); // the distance changes by no more than the point moves
    printf("%s: ball of %.2g, field within %.2g: off by %.2g, behind %.2g; jump %.2g\n",
           check_suite, o.radius, report.bound_mean, off, behind, jump);
    ov_touch_map_destroy(map);
}

int main(void) {
    check_suite = "touch_map";
    RUN(test_bounds);
    RUN(test_needles);
    RUN(test_surface_points);
    RUN(test_continuity);
    RUN(test_threads_and_memory);
    RUN(test_open);
    RUN(test_views);
    RUN(test_bad_input);
    RUN(test_sizes);
    RUN(test_bad_points);
    RUN(test_memory);
    RUN(test_surface);
    return check_finish();
}
