/**
 * @file test_world_manifolds.c
 * @brief Manifolds of a world: those of each pair by itself, on any number of threads, and when
 * memory fails.
 */
#include "ledger.h"
#include "world_cases.h"

enum { SIDE = 9, BODIES = SIDE * SIDE * SIDE };

typedef struct crowd {
    ov_world *world;
    ov_geometry *kinds[5];
    ov_geometry *floor;
    ov_body ids[BODIES + 1];
} crowd;

static ov_shape shapes[5], plane;

static void make_shapes(void) {
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.5), &shapes[0]));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.5, 0.5, 0.5), 0.2, 0.2, &shapes[1]));
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.5, 0.52, 0.5), &shapes[2]));
    CHECK_OK(ov_shape_make_cylinder(0.5, 0.5, &shapes[3]));
    CHECK_OK(ov_shape_make_capsule(0.25, 0.25, &shapes[4]));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), -0.5, &plane));
}

/** A block of bodies one on the other, a little turned, on a floor. */
static void make_crowd(crowd *c, const ov_allocator *allocator, unsigned threads) {
    check_random r = check_random_make(77);
    ov_world_options options = {.threads = {.count = threads}};
    options.allocator = allocator != NULL ? *allocator : (ov_allocator){0};
    CHECK_OK(ov_world_create(&options, &c->world));
    for (int i = 0; i < 5; i++) {
        // the part of one of them is not at the body's origin
        ov_part part = {.shape = shapes[i], .pose = wc_pose_at(i == 3 ? 0.1 : 0.0, 0.0, 0.0)};
        CHECK_OK(ov_geometry_create(&part, 1, NULL, &c->kinds[i]));
    }
    ov_part ground = {.shape = plane};
    CHECK_OK(ov_geometry_create(&ground, 1, NULL, &c->floor));
    ov_body_def def = {.geometry = c->floor, .fixed = true};
    CHECK_OK(ov_world_add(c->world, &def, &c->ids[BODIES]));
    for (int i = 0; i < BODIES; i++) {
        double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        def = (ov_body_def){.geometry = c->kinds[check_random_bits(&r) % 5]};
        def.pose = wc_pose_at(x, y, z + check_uniform(&r, -0.002, 0.002));
        def.pose.rotation =
            ov_quat_from_axis_angle(check_unit_vector(&r), check_uniform(&r, 0.0, 0.004));
        CHECK_OK(ov_world_add(c->world, &def, &c->ids[i]));
    }
}

static void free_crowd(crowd *c) {
    ov_world_destroy(c->world);
    for (int i = 0; i < 5; i++) {
        ov_geometry_destroy(c->kinds[i]);
    }
    ov_geometry_destroy(c->floor);
}

/** The manifold of one contact, asked for by itself. */
static void check_one(const crowd *c, const ov_manifold_set *set, size_t i) {
    const ov_world_contact *k = &set->contacts[i];
    ov_body_def a, b;
    ov_manifold m;
    CHECK_OK(ov_world_get(c->world, k->a, &a));
    CHECK_OK(ov_world_get(c->world, k->b, &b));
    const ov_part *pa = ov_geometry_part(a.geometry, 0), *pb = ov_geometry_part(b.geometry, 0);
    ov_pose pose_a = a.pose, pose_b = b.pose;
    pose_a.position = ov_pose_apply(a.pose, pa->pose.position);
    pose_b.position = ov_pose_apply(b.pose, pb->pose.position);
    CHECK(ov_contact_manifold(&pa->shape, pose_a, &pb->shape, pose_b, &k->contact, 0.01, &m) >= 0);
    size_t count = set->first[i + 1] - set->first[i];
    CHECK(count == (size_t)m.count);
    for (size_t j = 0; j < count && j < (size_t)m.count; j++) {
        const ov_manifold_point *p = &set->points[set->first[i] + j], *q = &m.points[j];
        CHECK(p->id == q->id);
        CHECK_NEAR(p->gap, q->gap, 1e-12);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(p->point_a, q->point_a)), 0.0, 1e-12);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(p->point_b, q->point_b)), 0.0, 1e-12);
    }
}

static void each_is_its_own(void) {
    crowd c;
    ov_manifold_set set;
    make_crowd(&c, NULL, 1);
    CHECK_OK(ov_world_manifolds(c.world, 0.01, &set));
    CHECK(set.count > 1000 && set.point_count > set.count + 1000);
    CHECK(set.first[0] == 0 && set.first[set.count] == set.point_count);
    for (size_t i = 0; i < set.count; i++) {
        check_one(&c, &set, i);
    }
    printf("%s: %zu contacts, %zu points\n", check_suite, set.count, set.point_count);
    CHECK_STATUS(ov_world_manifolds(c.world, 0.01, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_world_manifolds(NULL, 0.01, &set), OV_ERROR_NULL);
    CHECK(set.contacts == NULL && set.count == 0);
    CHECK_STATUS(ov_world_manifolds(c.world, NAN, &set), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_world_manifolds(c.world, -1.0, &set), OV_ERROR_OPTION);
    free_crowd(&c);
    // an empty world
    CHECK_OK(ov_world_create(NULL, &c.world));
    CHECK_OK(ov_world_manifolds(c.world, 0.01, &set));
    CHECK(set.count == 0 && set.point_count == 0 && set.first[0] == 0);
    ov_world_destroy(c.world);
}

static void same_on_all_threads(void) {
    crowd one, many;
    ov_manifold_set a, b;
    make_crowd(&one, NULL, 1);
    make_crowd(&many, NULL, 3);
    CHECK_OK(ov_world_manifolds(one.world, 0.01, &a));
    CHECK_OK(ov_world_manifolds(many.world, 0.01, &b));
    CHECK(a.count == b.count && a.point_count == b.point_count);
    CHECK(memcmp(a.first, b.first, (a.count + 1) * sizeof *a.first) == 0);
    CHECK(memcmp(a.points, b.points, a.point_count * sizeof *a.points) == 0);
    free_crowd(&one);
    free_crowd(&many);
}

/** Every allocation in turn fails: the call says so, and the next one has the answer. */
static void failing_memory(void) {
    static ledger l;
    crowd c;
    ov_manifold_set set;
    int failures = 0;
    for (int k = 1; k < 200; k++) {
        ledger_start(&l, 0);
        ov_allocator by = ledger_allocator(&l);
        make_crowd(&c, &by, 2);
        l.fails_from = l.fails_to = l.calls + k;
        ov_status status = ov_world_manifolds(c.world, 0.01, &set);
        l.fails_from = 0;
        if (status != OV_OK) {
            CHECK_STATUS(status, OV_ERROR_MEMORY);
            CHECK(set.count == 0 && set.points == NULL);
            failures++;
            CHECK_OK(ov_world_manifolds(c.world, 0.01, &set));
        }
        CHECK(set.count > 1000 && set.point_count > set.count);
        free_crowd(&c);
        CHECK(l.count == 0 && l.bytes == 0);
        // what is only there for speed may fail without a word
        if (l.failures == 0) {
            break;
        }
    }
    printf("%s: %d allocations failed in turn\n", check_suite, failures);
    CHECK(failures > 8);
}

int main(void) {
    check_suite = "test_world_manifolds";
    make_shapes();
    RUN(each_is_its_own);
    RUN(same_on_all_threads);
    RUN(failing_memory);
    return check_finish();
}
