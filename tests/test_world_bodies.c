/**
 * @file test_world_bodies.c
 * @brief Worlds, geometries and bodies that are made, named, moved and removed, rightly and
 * wrongly.
 */
#include "world_zoo.h"

/* ---- what is not allowed */

static void test_options(void) {
    ov_world *world = (ov_world *)&world;
    ov_world_options options = ov_default_world_options();
    CHECK_STATUS(ov_world_create(&options, NULL), OV_ERROR_NULL);
    const double bad[] = {-0.1, 10.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        options.margin = bad[i];
        CHECK_STATUS(ov_world_create(&options, &world), OV_ERROR_OPTION);
        CHECK(world == NULL);
    }
    options = ov_default_world_options();
    options.pair.tolerance = 1.0;
    CHECK_STATUS(ov_world_create(&options, &world), OV_ERROR_OPTION);
    CHECK_OK(ov_world_create(NULL, &world));
    ov_world_destroy(world);
    ov_world_destroy(NULL);
}

static void test_empty(void) {
    ov_world *world;
    CHECK_OK(ov_world_create(NULL, &world));
    const ov_world_contact *contacts;
    size_t count = 7;
    CHECK_OK(ov_world_contacts(world, 1.0, &contacts, &count));
    CHECK(count == 0 && ov_world_count(world) == 0 && !ov_world_has(world, 1));
    CHECK_STATUS(ov_world_contacts(world, NAN, &contacts, &count), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_world_contacts(world, INFINITY, &contacts, &count), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_world_contacts(world, -1.0, &contacts, &count), OV_ERROR_OPTION);
    CHECK_STATUS(ov_world_set_threads(world, &(ov_threads){.count = OV_THREADS_MAX + 1}),
                 OV_ERROR_OPTION);
    CHECK_STATUS(ov_world_set_threads(NULL, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_world_set_threads(world, NULL));
    CHECK_STATUS(ov_world_contacts(world, 1.0, NULL, &count), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_contacts(world, 1.0, &contacts, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_contacts(NULL, 1.0, &contacts, &count), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_update(NULL, 1.0), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_update(world, NAN), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_world_update(world, -1.0), OV_ERROR_OPTION);
    CHECK(ov_world_count(NULL) == 0 && !ov_world_has(NULL, 1));
    ov_world_destroy(world);
}

static void test_bad_geometry(void) {
    ov_geometry *g = (ov_geometry *)&g;
    ov_part part = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_sphere(1.0, &part.shape));
    CHECK_STATUS(ov_geometry_create(&part, 1, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_geometry_create(NULL, 1, NULL, &g), OV_ERROR_NULL);
    CHECK(g == NULL);
    CHECK_STATUS(ov_geometry_create(&part, 0, NULL, &g), OV_ERROR_COUNT);
    CHECK_STATUS(ov_geometry_create(&part, OV_PARTS_MAX + 1, NULL, &g), OV_ERROR_COUNT);
    ov_part bad = part;
    bad.pose.position.y = NAN;
    CHECK_STATUS(ov_geometry_create(&bad, 1, NULL, &g), OV_ERROR_NOT_FINITE);
    bad = part;
    bad.pose.position.z = 2e100;
    CHECK_STATUS(ov_geometry_create(&bad, 1, NULL, &g), OV_ERROR_SIZE_RANGE);
    bad = part;
    bad.shape.kind = OV_SHAPE_KIND_NONE;
    CHECK_STATUS(ov_geometry_create(&bad, 1, NULL, &g), OV_ERROR_SHAPE);
    bad = part;
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1, 1, 1), 1.0, 1.0, 2.0, &bad.shape));
    CHECK_STATUS(ov_geometry_create(&bad, 1, NULL, &g), OV_ERROR_UNSUPPORTED);
    CHECK(g == NULL);
    // a part that is good does not help one that is not
    const ov_part both[2] = {part, bad};
    CHECK_STATUS(ov_geometry_create(both, 2, NULL, &g), OV_ERROR_UNSUPPORTED);
    part.pose.rotation = (ov_quat){2.0, 0.0, 0.0, 0.0};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    CHECK(ov_geometry_count(g) == 1 && ov_geometry_part(g, 1) == NULL);
    CHECK(ov_geometry_part(g, 0)->pose.rotation.w == 1.0);
    ov_geometry_destroy(g);
    ov_geometry_destroy(NULL);
}

static void test_bad_bodies(void) {
    ov_geometry *g = wc_sphere_of(1.0);
    ov_world *world;
    CHECK_OK(ov_world_create(NULL, &world));
    ov_body_def def = ov_default_body_def();
    ov_body body = 99, other;
    CHECK_STATUS(ov_world_add(world, &def, &body), OV_ERROR_NULL); // no geometry
    def.geometry = g;
    CHECK_STATUS(ov_world_add(NULL, &def, &body), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_add(world, NULL, &body), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_add(world, &def, NULL), OV_ERROR_NULL);
    CHECK(ov_world_count(world) == 0);
    CHECK_OK(ov_world_add(world, &def, &body));
    const ov_pose good = wc_pose_at(1, 2, 3);
    CHECK_OK(ov_world_move(world, body, good));
    for (int i = 0; i < 10; i++) {
        ov_pose bad = good;
        double *numbers[] = {&bad.position.x, &bad.position.y, &bad.position.z, &bad.rotation.w,
                             &bad.rotation.x, &bad.rotation.y, &bad.rotation.z};
        ov_status expected = OV_ERROR_NOT_FINITE;
        if (i < 7) {
            *numbers[i] = i % 2 == 0 ? NAN : -INFINITY;
        } else if (i == 7) {
            bad.rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
            expected = OV_ERROR_ZERO_DIRECTION;
        } else {
            bad.position.y = i == 8 ? 1.1e100 : -DBL_MAX;
            expected = OV_ERROR_SIZE_RANGE;
        }
        def.pose = bad;
        if (i != 7) { // which is no turn, in a definition
            CHECK_STATUS(ov_world_add(world, &def, &other), expected);
        }
        CHECK_STATUS(ov_world_move(world, body, bad), expected);
        // the first error ends a move of several, and what came before has been moved
        const ov_body bodies[3] = {body, body, body};
        const ov_pose poses[3] = {good, bad, wc_pose_at(9, 9, 9)};
        size_t done = 77;
        CHECK_STATUS(ov_world_move_all(world, bodies, poses, 3, &done), expected);
        CHECK(done == 1);
    }
    CHECK(ov_world_count(world) == 1);
    ov_body_def now;
    CHECK_OK(ov_world_get(world, body, &now));
    CHECK(memcmp(&now.pose, &good, sizeof good) == 0);
    CHECK_STATUS(ov_world_get(world, body, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_move_all(world, NULL, NULL, 1, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_world_move_all(world, NULL, NULL, 0, NULL));
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

static void test_ids(void) {
    enum { BODIES = 40, ROUNDS = 30 };
    ov_geometry *g = wc_sphere_of(1.0);
    ov_world *world, *another;
    CHECK_OK(ov_world_create(NULL, &world));
    CHECK_OK(ov_world_create(NULL, &another));
    static ov_body all[BODIES * ROUNDS];
    size_t count = 0;
    check_random r = check_random_make(21);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BODIES; i++) {
            ov_body_def def = ov_default_body_def();
            def.geometry = g;
            def.user = &all[count];
            def.pose = (ov_pose){wc_point(&r, 50.0), {3.0, 0.0, 4.0, 0.0}};
            CHECK_OK(ov_world_add(world, &def, &all[count]));
            ov_body_def now;
            CHECK_OK(ov_world_get(world, all[count], &now));
            CHECK(now.geometry == g && now.user == &all[count] && now.group == 1 &&
                  now.mask == UINT32_MAX && !now.fixed);
            CHECK_NEAR(now.pose.rotation.w, 0.6, 1e-15);
            CHECK_NEAR(now.pose.rotation.y, 0.8, 1e-15);
            count++;
        }
        if (round % 3 == 0) { // numbers are used again in other places of the world's lists
            const ov_world_contact *contacts;
            size_t n;
            CHECK_OK(ov_world_contacts(world, 0.1, &contacts, &n));
        }
        for (int i = 0; i < BODIES; i++) {
            CHECK_OK(ov_world_remove(world, all[count - 1 - (size_t)i]));
            CHECK_STATUS(ov_world_remove(world, all[count - 1 - (size_t)i]), OV_ERROR_INDEX);
        }
    }
    CHECK(ov_world_count(world) == 0);
    for (size_t i = 0; i < count; i++) {
        CHECK(all[i] != 0 && !ov_world_has(world, all[i]) && !ov_world_has(another, all[i]));
        for (size_t j = 0; j < i; j++) {
            if (all[i] == all[j]) {
                CHECK(all[i] != all[j]);
            }
        }
    }
    // names that were never given
    const ov_body foreign[] = {0, 1, UINT64_MAX, UINT32_MAX, (ov_body)UINT32_MAX << 32, 1ull << 40};
    for (int i = 0; i < 6; i++) {
        ov_body_def def;
        size_t n;
        CHECK(!ov_world_has(world, foreign[i]));
        CHECK_STATUS(ov_world_get(world, foreign[i], &def), OV_ERROR_INDEX);
        CHECK_STATUS(ov_world_move(world, foreign[i], ov_pose_identity()), OV_ERROR_INDEX);
        CHECK_STATUS(ov_world_remove(world, foreign[i]), OV_ERROR_INDEX);
        CHECK_STATUS(ov_world_body_contacts(world, foreign[i], 1.0, NULL, 0, &n), OV_ERROR_INDEX);
    }
    CHECK_STATUS(ov_world_remove(NULL, 1), OV_ERROR_NULL);
    ov_world_destroy(world);
    ov_world_destroy(another);
    ov_geometry_destroy(g);
}

int main(void) {
    check_suite = "world_bodies";
    RUN(test_options);
    RUN(test_empty);
    RUN(test_bad_geometry);
    RUN(test_bad_bodies);
    RUN(test_ids);
    return check_finish();
}
