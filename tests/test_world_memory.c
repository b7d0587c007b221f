/**
 * @file test_world_memory.c
 * @brief Where a world's memory comes from and goes to: every allocation in turn fails, or all from
 * some time on; the world stays right and usable, nothing leaks, and sizes are given back as taken.
 */
#include <limits.h>

#include "ledger.h"
#include "world_cases.h"

/* ---- a story that is told again and again */

static wc_zoo zoo;
static wc_scene scene;

/** Calls until memory is there again: one failure in a row at most, or `patient` ones. */
static int patient;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ov_status status = (call);                                                                 \
        for (int tries = 0; status == OV_ERROR_MEMORY && tries < patient; tries++) {               \
            status = (call);                                                                       \
        }                                                                                          \
        CHECK_OK(status);                                                                          \
    } while (false)

static void add_body(size_t kind, ov_pose pose) {
    wc_body *b = &scene.bodies[scene.count];
    b->def = ov_default_body_def();
    b->def.geometry = zoo.geometries[kind % zoo.count];
    b->def.pose = pose;
    CHECK_OK(ov_quat_normalize(pose.rotation, &b->def.pose.rotation));
    size_t before = ov_world_count(scene.world);
    ov_status status = ov_world_add(scene.world, &b->def, &b->id);
    for (int tries = 0; status == OV_ERROR_MEMORY && tries < patient; tries++) {
        CHECK(ov_world_count(scene.world) == before && b->id == 0); // as before
        status = ov_world_add(scene.world, &b->def, &b->id);
    }
    CHECK_OK(status);
    scene.count++;
}

static void ask(double limit, unsigned threads) {
    const ov_world_contact *contacts = NULL;
    size_t count = 1;
    CHECK_OK(ov_world_set_threads(scene.world, &(ov_threads){.count = threads}));
    ov_status status = ov_world_contacts(scene.world, limit, &contacts, &count);
    for (int tries = 0; status == OV_ERROR_MEMORY && tries < patient; tries++) {
        CHECK(contacts == NULL && count == 0);
        status = ov_world_contacts(scene.world, limit, &contacts, &count);
    }
    CHECK_OK(status);
}

/** Adds, searches, moves, removes, with limits that grow and shrink. Returns the last contacts. */
static size_t tell(ledger *l, bool look) {
    check_random r = check_random_make(151);
    ov_world_options options = ov_default_world_options();
    options.allocator = (ov_allocator){ledger_resize, l};
    scene.count = 0;
    TRY(ov_world_create(&options, &scene.world));
    for (size_t i = 0; i < 34; i++) {
        add_body(i, wc_random_pose(&scene, &r));
    }
    ask(0.0, 1);
    ask(0.5, 3);
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < scene.count; i++) {
            wc_nudge(&scene, &r, i, round % 2 == 0 ? 0.02 : 1.0);
        }
        for (size_t i = 0; i < 6; i++) {
            TRY(ov_world_remove(scene.world, scene.bodies[3 * i].id));
            scene.bodies[3 * i] = scene.bodies[--scene.count];
            add_body(5 * i + (size_t)round, wc_random_pose(&scene, &r));
        }
        CHECK_OK(ov_world_set_threads(scene.world, &(ov_threads){.count = 2}));
        TRY(ov_world_update(scene.world, 0.3));
        ask(round % 2 == 0 ? 0.1 : 2.0, 2);
    }
    ask(0.2, 1);
    l->fails_from = 0; // the search of the check itself has memory
    size_t count = look ? wc_check_all(&scene, 0.2, 1) : 0;
    CHECK(!look || ov_world_last_counts(scene.world).memory == l->bytes);
    ov_world_destroy(scene.world);
    CHECK(l->count == 0 && l->bytes == 0);
    return count;
}

static ledger book;

static void test_each_fails(void) {
    check_random r = check_random_make(161);
    wc_zoo_make(&zoo, &r, 1.0, 1);
    scene = (wc_scene){.size = 1.0, .spread = 4.0, .rounding = 1e-12};
    memset(&book, 0, sizeof book);
    patient = 0;
    size_t expected = tell(&book, true);
    long calls = book.calls;
    CHECK(calls > 50 && expected > 5);
    // the n-th call alone
    patient = 1;
    long fails = 0;
    for (long n = 1; n <= calls; n++) {
        memset(&book, 0, sizeof book);
        book.fails_from = book.fails_to = n;
        size_t count = tell(&book, n % 5 == 0);
        fails += book.failures;
        if (!CHECK(n % 5 != 0 || count == expected)) {
            fprintf(stderr, "call %ld of %ld failed: %zu contacts, not %zu\n", n, calls, count,
                    expected);
        }
    }
    CHECK(fails >= calls - 10); // all but those of the check
    printf("world_memory: %ld calls in a run, %ld failures met\n", calls, fails);
    // several in a row
    patient = 20;
    for (long n = 1; n <= calls; n += 7) {
        memset(&book, 0, sizeof book);
        book.fails_from = n;
        book.fails_to = n + 12;
        CHECK(tell(&book, true) == expected);
    }
    wc_zoo_free(&zoo);
}

/** All calls fail from some time on: errors, and still a world that can be asked and cleared. */
static void test_no_more(void) {
    check_random r = check_random_make(171);
    wc_zoo_make(&zoo, &r, 1.0, 1);
    scene = (wc_scene){.size = 1.0, .spread = 4.0, .rounding = 1e-12};
    for (long n = 1; n < 60; n += 3) {
        memset(&book, 0, sizeof book);
        book.fails_from = n;
        book.fails_to = LONG_MAX;
        ov_world_options options = ov_default_world_options();
        options.allocator = (ov_allocator){ledger_resize, &book};
        scene.count = 0;
        if (ov_world_create(&options, &scene.world) != OV_OK) {
            CHECK(scene.world == NULL && book.count == 0);
            continue;
        }
        for (size_t i = 0; i < 60; i++) {
            wc_body *b = &scene.bodies[scene.count];
            b->def = ov_default_body_def();
            b->def.geometry = zoo.geometries[i % zoo.count];
            b->def.pose = wc_random_pose(&scene, &r);
            ov_status status = ov_world_add(scene.world, &b->def, &b->id);
            CHECK(status == OV_OK || status == OV_ERROR_MEMORY);
            scene.count += status == OV_OK;
            const ov_world_contact *contacts;
            size_t count;
            if (i % 10 == 9) {
                CHECK_OK(ov_world_set_threads(scene.world, &(ov_threads){.count = 2}));
                status = ov_world_contacts(scene.world, 0.1, &contacts, &count);
                CHECK(status == OV_OK || status == OV_ERROR_MEMORY);
            }
        }
        CHECK(ov_world_count(scene.world) == scene.count);
        // what asks only needs no memory
        ov_world_contact nearest;
        ov_status status = ov_world_nearest(scene.world, &nearest);
        CHECK(status == OV_OK || status == OV_ERROR_COUNT);
        for (size_t i = 0; i < scene.count; i++) {
            wc_nudge(&scene, &r, i, 1.0); // neither does a move
        }
        while (scene.count > 3) {
            wc_remove(&scene, 0); // nor a removal
        }
        book.fails_from = 0;
        (void)wc_check_all(&scene, 0.2, 1);
        ov_world_destroy(scene.world);
        CHECK(book.count == 0 && book.bytes == 0);
    }
    wc_zoo_free(&zoo);
}

/** Geometries and meshes: every call fails in turn, and all is given back. */
static void test_geometry_and_mesh(void) {
    check_random r = check_random_make(181);
    wc_zoo_make(&zoo, &r, 1.0, 1);
    ov_part parts[3] = {*ov_geometry_part(zoo.geometries[WC_BOX], 0),
                        *ov_geometry_part(zoo.geometries[WC_MESH], 0),
                        *ov_geometry_part(zoo.geometries[WC_HALFSPACE], 0)};
    uint32_t triangles[20][3];
    size_t count = wc_make_triangles(triangles);
    const ov_allocator allocator = {ledger_resize, &book};
    bool done = false;
    for (long n = 1; !done && n < 100; n++) {
        memset(&book, 0, sizeof book);
        book.fails_from = book.fails_to = n;
        ov_geometry *g = (ov_geometry *)&book;
        ov_trimesh *m = (ov_trimesh *)&book;
        ov_status made = ov_geometry_create(parts, 3, &allocator, &g);
        CHECK(made == (g != NULL ? OV_OK : OV_ERROR_MEMORY));
        ov_status meshed = ov_trimesh_create(
            zoo.corners, WC_CORNERS, (const uint32_t(*)[3])triangles, count, &allocator, &m);
        CHECK(meshed == (m != NULL ? OV_OK : OV_ERROR_MEMORY));
        done = book.failures == 0;
        CHECK(!done || (made == OV_OK && meshed == OV_OK));
        ov_geometry_destroy(g);
        ov_trimesh_destroy(m);
        CHECK(book.count == 0 && book.bytes == 0);
    }
    CHECK(done);
    wc_zoo_free(&zoo);
}

/** What a world of many bodies takes. */
static void test_bytes(void) {
    ov_shape s;
    ov_geometry *g;
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.5, 0.4, 0.3), &s));
    ov_part part = {.shape = s, .pose = ov_pose_identity()};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    memset(&book, 0, sizeof book);
    ov_world_options options = ov_default_world_options();
    options.allocator = (ov_allocator){ledger_resize, &book};
    ov_world *world;
    CHECK_OK(ov_world_create(&options, &world));
    check_random r = check_random_make(191);
    enum { SIDE = 12 };
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        ov_body_def def = ov_default_body_def();
        ov_body body;
        def.geometry = g;
        def.pose = (ov_pose){{i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE}, check_rotation(&r)};
        CHECK_OK(ov_world_add(world, &def, &body));
    }
    const ov_world_contact *contacts;
    size_t count;
    CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
    ov_world_counts counts = ov_world_last_counts(world);
    CHECK(counts.memory == book.bytes);
    printf("world_memory: %.0f bytes per body, %.2f pairs per body\n",
           (double)book.bytes / (SIDE * SIDE * SIDE), (double)counts.pairs / (SIDE * SIDE * SIDE));
    ov_world_destroy(world);
    CHECK(book.count == 0 && book.bytes == 0);
    ov_geometry_destroy(g);
}

static ov_geometry *unit_sphere(void) {
    ov_part part = {.pose = ov_pose_identity()};
    ov_geometry *g = NULL;
    CHECK_OK(ov_shape_make_sphere(1.0, &part.shape));
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

static void add_at(ov_world *world, const ov_geometry *g, double x) {
    ov_body_def def = ov_default_body_def();
    ov_body body;
    def.geometry = g;
    def.pose.position.x = x;
    CHECK_OK(ov_world_add(world, &def, &body));
}

/** A search with a smaller limit drops pairs, then fails; one within the old limit finds them. */
static void test_smaller_limit_fails(void) {
    ov_geometry *g = unit_sphere();
    ov_world_options options = ov_default_world_options();
    memset(&book, 0, sizeof book);
    options.allocator = (ov_allocator){ledger_resize, &book};
    ov_world *world;
    CHECK_OK(ov_world_create(&options, &world));
    add_at(world, g, 0.0);
    add_at(world, g, 9.0);
    const ov_world_contact *contacts;
    size_t count, seen = 0;
    CHECK_OK(ov_world_contacts(world, 10.0, &contacts, &count));
    CHECK(count == 1);
    for (int i = 0; i < 200; i++) { // a crowd elsewhere, whose pairs need memory
        add_at(world, g, 1000.0 + 0.01 * i);
    }
    book.fails_from = book.calls + 1;
    book.fails_to = LONG_MAX;
    CHECK_STATUS(ov_world_update(world, 4.0), OV_ERROR_MEMORY);
    book.fails_from = 0;
    CHECK_OK(ov_world_contacts(world, 8.0, &contacts, &count));
    for (size_t i = 0; i < count; i++) {
        seen += fabs(contacts[i].contact.gap - 7.0) < 1e-9;
    }
    CHECK(seen == 1);
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

/** So many bodies that their searches are shared out: each call of these fails in turn. */
static size_t ask_many(const ov_geometry *g, long fails) {
    enum { SIDE = 8 };
    memset(&book, 0, sizeof book);
    ov_world_options options = ov_default_world_options();
    options.threads.count = 3;
    options.allocator = (ov_allocator){ledger_resize, &book};
    ov_world *world;
    CHECK_OK(ov_world_create(&options, &world));
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        ov_body_def def = ov_default_body_def();
        ov_body body;
        def.geometry = g;
        def.pose = wc_pose_at(1.9 * (i % SIDE), 1.9 * (i / SIDE % SIDE), 2.1 * (i / SIDE / SIDE));
        CHECK_OK(ov_world_add(world, &def, &body));
    }
    long before = book.calls;
    const ov_world_contact *contacts;
    size_t count = 0;
    book.fails_from = book.fails_to = fails > 0 ? before + fails : 0;
    ov_status status = ov_world_contacts(world, 0.0, &contacts, &count);
    if (status == OV_ERROR_MEMORY) {
        CHECK(fails > 0 && count == 0);
        status = ov_world_contacts(world, 0.0, &contacts, &count);
    }
    CHECK_OK(status);
    CHECK(count == 2 * SIDE * SIDE * (SIDE - 1));
    CHECK(fails == 0 || book.failures == 1);
    size_t calls = (size_t)(book.calls - before);
    ov_world_destroy(world);
    CHECK(book.count == 0 && book.bytes == 0);
    return calls;
}

static void test_many_fail(void) {
    ov_geometry *g = unit_sphere();
    size_t calls = ask_many(g, 0);
    CHECK(calls > 10);
    for (size_t n = 1; n <= calls; n++) {
        (void)ask_many(g, (long)n);
    }
    ov_geometry_destroy(g);
}

/** Bodies that come and go without a search leave nothing behind. */
static void test_come_and_go(void) {
    ov_geometry *g = unit_sphere();
    ov_world_options options = ov_default_world_options();
    memset(&book, 0, sizeof book);
    options.allocator = (ov_allocator){ledger_resize, &book};
    ov_world *world;
    CHECK_OK(ov_world_create(&options, &world));
    for (int i = 0; i < 100000; i++) {
        ov_body_def def = ov_default_body_def();
        ov_body body;
        def.geometry = g;
        CHECK_OK(ov_world_add(world, &def, &body));
        CHECK_OK(ov_world_remove(world, body));
    }
    CHECK(book.bytes < 100000);
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

int main(void) {
    check_suite = "world_memory";
    RUN(test_each_fails);
    RUN(test_no_more);
    RUN(test_geometry_and_mesh);
    RUN(test_bytes);
    RUN(test_smaller_limit_fails);
    RUN(test_many_fail);
    RUN(test_come_and_go);
    return check_finish();
}
