/**
 * @file test_world.c
 * @brief All contacts of worlds against brute force: random bodies of all kinds that come, go, move
 * a little or far, with limits that grow and shrink, near and far from the origin, on any number of
 * threads.
 */
#include "world_cases.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* ---- closed cases */

/** Spheres in a row: contacts, islands, filters and fixed bodies by counting. */
static void test_row(void) {
    ov_geometry *g = wc_sphere_of(1.0);
    static wc_scene s;
    wc_scene_make(&s, NULL, 1.0, 40.0, (ov_vec3){0, 0, 0});
    for (int i = 0; i < 12; i++) { // gaps of 0.5, and of 1.5 after the sixth
        (void)wc_add(&s, g, wc_pose_at(2.5 * i + (i >= 6 ? 1.0 : 0.0), 0, 0));
    }
    CHECK(wc_check_all(&s, 0.4, 1) == 0);
    CHECK(wc_check_all(&s, 0.6, 1) == 10);
    const ov_world_contact *contacts;
    size_t count;
    CHECK_OK(ov_world_contacts(s.world, 0.6, &contacts, &count));
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR(contacts[i].contact.gap, 0.5, 1e-12);
        CHECK(contacts[i].contact.relation == OV_RELATION_SEPARATED);
        bool beyond = wc_find(&s, contacts[i].a)->def.pose.position.x > 13.0;
        bool first = wc_find(&s, contacts[0].a)->def.pose.position.x > 13.0;
        CHECK(contacts[i].island == (beyond == first ? 0u : 1u));
    }
    CHECK(wc_check_all(&s, 1.6, 1) == 11);
    // one that all touch, once fixed and once not: fixed bodies join no islands
    ov_shape plane;
    CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 0, 1}, -1.25, &plane));
    ov_geometry *floor = wc_geometry_of(&plane);
    for (int fixed = 0; fixed < 2; fixed++) {
        ov_body_def def = ov_default_body_def();
        ov_body body;
        def.geometry = floor;
        def.fixed = fixed != 0;
        CHECK_OK(ov_world_add(s.world, &def, &body));
        s.bodies[s.count++] = (wc_body){body, def};
        CHECK(wc_check_all(&s, 0.6, 1) == 22);
        CHECK_OK(ov_world_contacts(s.world, 0.6, &contacts, &count));
        uint32_t islands = 0;
        for (size_t i = 0; i < count; i++) {
            islands = contacts[i].island > islands ? contacts[i].island : islands;
        }
        CHECK(islands == (fixed != 0 ? 1u : 0u));
        wc_remove(&s, s.count - 1);
    }
    ov_world_destroy(s.world);
    ov_geometry_destroy(g);
    ov_geometry_destroy(floor);
}

/**
 * One of two small spheres comes nearer by steps that are no normal numbers in single precision,
 * from a gap that is one: how many overlaps are not told.
 */
static int missed_overlaps(void) {
    const double radius = 1e-37, step = 1e-39;
    enum { STEPS = 60, APART = 20 };
    ov_geometry *g = wc_sphere_of(radius);
    static wc_scene s;
    wc_scene_make(&s, NULL, radius, 4.0 * radius, (ov_vec3){0, 0, 0});
    (void)wc_add(&s, g, wc_pose_at(0, 0, 0));
    int missed = 0;
    for (int i = 0; i < STEPS; i++) {
        ov_pose pose = wc_pose_at(2.0 * radius + step * (APART + 0.5 - i), 0, 0);
        const ov_world_contact *contacts;
        size_t count = 0;
        if (i == 0) {
            (void)wc_add(&s, g, pose);
        } else {
            CHECK_OK(ov_world_move(s.world, s.bodies[1].id, pose));
        }
        CHECK_OK(ov_world_contacts(s.world, 0.0, &contacts, &count));
        CHECK(i > APART || count == 0);
        missed += i > APART && count == 0;
    }
    ov_world_destroy(s.world);
    ov_geometry_destroy(g);
    return missed;
}

/** Small steps add up, also where the processor flushes small numbers to zero: results of
 *  operations (FTZ), what they are given (DAZ), or both. */
static void test_flushed_steps(void) {
    CHECK(missed_overlaps() == 0);
#if defined(__SSE2__)
    const unsigned flush[] = {0x8000, 0x0040, 0x8040}, usual = _mm_getcsr();
    for (int i = 0; i < 3; i++) {
        _mm_setcsr(usual | flush[i]);
        int missed = missed_overlaps();
        _mm_setcsr(usual);
        CHECK(missed == 0);
    }
#endif
}

/** Groups and masks, both ways, and fixed bodies. */
static void test_filters(void) {
    ov_geometry *g = wc_sphere_of(1.0);
    for (int bits = 0; bits < 1024; bits++) {
        ov_world *world;
        CHECK_OK(ov_world_create(&(ov_world_options){.threads.count = 2}, &world));
        ov_body_def a = ov_default_body_def(), b = a;
        a.geometry = b.geometry = g;
        a.group = bits & 3;
        a.mask = bits >> 2 & 3;
        b.group = bits >> 4 & 3;
        b.mask = bits >> 6 & 3;
        a.no_pairs = bits >> 8 & 1;
        b.no_pairs = bits >> 9 & 1;
        b.pose = wc_pose_at(1, 0, 0);
        ov_body ids[2];
        CHECK_OK(ov_world_add(world, &a, &ids[0]));
        CHECK_OK(ov_world_add(world, &b, &ids[1]));
        const ov_world_contact *contacts;
        size_t count, expected = wc_meet(&a, &b);
        CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
        CHECK(count == expected);
        CHECK_OK(ov_world_body_contacts(world, ids[0], 0.0, NULL, 0, &count));
        CHECK(count == expected);
        ov_world_contact nearest;
        CHECK_STATUS(ov_world_nearest(world, &nearest), expected ? OV_OK : OV_ERROR_COUNT);
        ov_world_destroy(world);
    }
    ov_geometry_destroy(g);
}

/**
 * Spheres along a line, each larger than the one before by 1.3 and 2.2 radii from the origin, over
 * 34 orders of size: those that are at most three apart overlap, the others are free.
 */
static void test_sizes(void) {
    enum { BODIES = 300 };
    static ov_geometry *geometries[BODIES];
    static double radii[BODIES];
    static ov_body ids[BODIES];
    ov_world *world;
    CHECK_OK(ov_world_create(&(ov_world_options){.threads.count = 2}, &world));
    for (int i = 0; i < BODIES; i++) {
        radii[i] = 1e-20 * pow(1.3, i);
        geometries[i] = wc_sphere_of(radii[i]);
    }
    for (int n = 0; n < BODIES; n++) {
        int i = (int)((unsigned)n * 7u % BODIES); // in some order
        ov_body_def def = ov_default_body_def();
        def.geometry = geometries[i];
        def.pose.position.x = 2.2 * radii[i];
        CHECK_OK(ov_world_add(world, &def, &ids[i]));
    }
    // the same again after each was taken to the other side: all boxes of the tree are new
    for (int side = 0; side < 3; side++) {
        const ov_world_contact *contacts;
        size_t count;
        CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
        CHECK(count == 3 * BODIES - 6);
        for (size_t i = 0; i < count; i++) {
            CHECK(contacts[i].contact.relation == OV_RELATION_OVERLAPPING &&
                  contacts[i].island == 0);
        }
        for (int i = 0; i < BODIES; i++) {
            double x = (side % 2 == 0 ? -2.2 : 2.2) * radii[i];
            CHECK_OK(ov_world_move(world, ids[i], wc_pose_at(0, x, 0)));
        }
    }
    ov_world_destroy(world);
    for (int i = 0; i < BODIES; i++) {
        ov_geometry_destroy(geometries[i]);
    }
}

/** Two thousand spheres in a row that touch or not, added in order: the worst case of a tree. */
static void test_long_row(void) {
    enum { BODIES = 2000 };
    ov_geometry *g = wc_sphere_of(1.0);
    static ov_body ids[BODIES];
    ov_world *world;
    CHECK_OK(ov_world_create(&(ov_world_options){.threads.count = 2}, &world));
    const ov_world_contact *contacts;
    size_t count;
    for (int i = 0; i < BODIES; i++) {
        ov_body_def def = ov_default_body_def();
        def.geometry = g;
        def.pose =
            wc_pose_at(1.5 * i, 0, 0); // reaches the next one, and 1 short of the one after it
        CHECK_OK(ov_world_add(world, &def, &ids[i]));
    }
    CHECK_OK(ov_world_contacts(world, 0.5, &contacts, &count));
    CHECK(count == BODIES - 1);
    CHECK_OK(ov_world_contacts(world, 1.5, &contacts, &count));
    CHECK(count == 2 * BODIES - 3);
    for (int i = 1; i < BODIES; i += 2) {
        CHECK_OK(ov_world_remove(world, ids[i]));
    }
    CHECK_OK(ov_world_contacts(world, 0.5, &contacts, &count));
    CHECK(count == 0);
    CHECK_OK(ov_world_contacts(world, 1.5, &contacts, &count));
    CHECK(count == BODIES / 2 - 1);
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

/** A part that is turned by next to nothing is turned all the same. */
static void test_turned_part(void) {
    ov_part part = {.pose = {{0, 0, 0}, {1.0, 0.0, 7e-9, 0.0}}};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 0.1, 0.1), &part.shape));
    ov_geometry *g, *ball = wc_sphere_of(0.1);
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    static wc_scene s;
    wc_scene_make(&s, NULL, 0.1, 1.0, (ov_vec3){0, 0, 0});
    (void)wc_add(&s, g, wc_pose_at(0, 0, 0));
    (void)wc_add(&s, ball, wc_pose_at(0.999, 0, 0.3));
    CHECK(wc_check_all(&s, 0.5, 1) == 1);
    ov_world_destroy(s.world);
    ov_geometry_destroy(g);
    ov_geometry_destroy(ball);
}

/* ---- random worlds */

/** One random change. */
static void change(wc_scene *s, const wc_zoo *zoo, check_random *r, size_t most) {
    uint64_t bits = check_random_bits(r) >> 8;
    size_t i = s->count > 0 ? (size_t)(bits / 16 % s->count) : 0;
    if (s->count == 0 || (bits % 16 < 4 && s->count < most)) {
        wc_add_random(s, zoo, r);
    } else if (bits % 16 < 7) {
        wc_remove(s, i);
    } else if (bits % 16 < 10) {
        wc_move(s, i, wc_random_pose(s, r)); // teleports
    } else {
        wc_nudge(s, r, i, s->size * check_log_uniform(r, 1e-6, 1.0));
    }
}

static double random_limit(const wc_scene *s, check_random *r) {
    static const double limits[] = {0.0, 0.001, 0.1, 0.3, 1.0, 3.0};
    return s->size * limits[(check_random_bits(r) >> 8) % 6];
}

typedef struct case_of {
    double margin, size, spread, away; /**< lengths: spread and away in sizes */
    size_t bodies;
    int rounds;
} case_of;

static void run_case(const case_of *c, uint64_t seed) {
    check_random r = check_random_make(seed);
    static wc_zoo zoo;
    static wc_scene s;
    wc_zoo_make(&zoo, &r, c->size, 2);
    ov_world_options options = ov_default_world_options();
    options.margin = c->margin;
    ov_vec3 origin = ov_vec3_scale(check_unit_vector(&r), c->away * c->size);
    wc_scene_make(&s, &options, c->size, c->spread * c->size, origin);
    for (size_t i = 0; i < c->bodies; i++) {
        wc_add_random(&s, &zoo, &r);
    }
    size_t contacts = 0;
    for (int round = 0; round < c->rounds; round++) {
        contacts += wc_check_all(&s, random_limit(&s, &r), round % 3 == 0 ? 2 : 1);
        if (round % 4 == 1) {
            CHECK_OK(ov_world_update(s.world, random_limit(&s, &r)));
        }
        size_t changes = (size_t)(check_random_bits(&r) >> 8) % (c->bodies / 2 + 1);
        for (size_t i = 0; i < changes; i++) {
            change(&s, &zoo, &r, c->bodies + c->bodies / 2);
        }
    }
    CHECK(contacts > 0);
    ov_world_destroy(s.world);
    wc_zoo_free(&zoo);
}

static void test_random(void) {
    static const case_of cases[] = {
        {0.1, 1.0, 4.0, 0.0, 40, 12},       {OV_ZERO, 1.0, 4.0, 0.0, 40, 10},
        {10.0, 1.0, 5.0, 0.0, 30, 8},       {0.1, 1.0, 6.0, 1e8, 40, 8},
        {0.1, 1e-30, 5.0, 0.0, 40, 8},      {0.1, 1e30, 5.0, 0.0, 40, 8},
        {OV_ZERO, 1e-3, 5.0, 1e6, 40, 6},   {1.0, 1e-58, 5.0, 0.0, 20, 4},
        {0.1, 0.9e60 / 4, 5.0, 0.0, 20, 4}, {0.1, 1.0, 30.0, 0.0, 90, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        long before = check_failed;
        run_case(&cases[i], 31 + i);
        if (check_failed != before) {
            fprintf(stderr, "case %zu of test_random\n", i);
        }
    }
}

/** Tiny steps over many frames: what is kept from frame to frame must not go stale. */
static void test_frames(void) {
    check_random r = check_random_make(51);
    static wc_zoo zoo;
    static wc_scene s;
    wc_zoo_make(&zoo, &r, 1.0, 2);
    wc_scene_make(&s, NULL, 1.0, 4.0, (ov_vec3){0, 0, 0});
    for (int i = 0; i < 30; i++) {
        wc_add_random(&s, &zoo, &r);
    }
    // each body drifts its own way and turns, so that most pass each other in the end
    static ov_vec3 velocity[WC_BODIES_MAX], spin[WC_BODIES_MAX];
    for (size_t i = 0; i < s.count; i++) {
        velocity[i] = wc_point(&r, 0.01);
        spin[i] = wc_point(&r, 0.01);
    }
    size_t kept = 0, pairs = 0;
    for (int frame = 0; frame < 240; frame++) {
        for (size_t i = 0; i < s.count; i++) {
            ov_pose pose = s.bodies[i].def.pose;
            if (i % 7 == 0 && frame % 3 != 0) {
                continue; // some rest at times
            }
            pose.position = ov_vec3_add(pose.position, velocity[i]);
            if (ov_vec3_length(pose.position) > 4.0) {
                velocity[i] = ov_vec3_scale(pose.position, -0.003);
            }
            ov_quat turn = ov_quat_from_axis_angle(spin[i], ov_vec3_length(spin[i]));
            pose.rotation = ov_quat_mul(turn, pose.rotation);
            wc_move(&s, i, pose);
        }
        if (frame % 4 == 0) {
            (void)wc_check_all(&s, 0.05, 1);
        } else {
            const ov_world_contact *contacts;
            size_t count;
            CHECK_OK(ov_world_contacts(s.world, 0.05, &contacts, &count));
            (void)wc_check_counts(&s, count);
        }
        ov_world_counts counts = ov_world_last_counts(s.world);
        kept += counts.rejected_kept;
        pairs += counts.pairs;
    }
    CHECK(kept > pairs / 20); // the layer was at work
    printf("world: frames: %.0f %% of the pairs rejected by what was known before\n",
           100.0 * (double)kept / (double)pairs);
    ov_world_destroy(s.world);
    wc_zoo_free(&zoo);
}

/** A rod, a small ball far from its origin, a plate, a dot, a large ball. */
static ov_geometry *make_slender(int kind) {
    ov_part part = {.pose = kind == 1 ? wc_pose_at(1.5, 0.5, 0.0) : ov_pose_identity()};
    ov_geometry *g = NULL;
    static const double radii[5] = {0.03, 0.05, 0.0, 0.02, 0.8};
    if (kind == 2) {
        CHECK_OK(ov_shape_make_box(ov_vec3_make(0.9, 0.7, 0.02), &part.shape));
    } else if (kind == 0) {
        CHECK_OK(ov_shape_make_capsule(radii[kind], 1.0, &part.shape));
    } else {
        CHECK_OK(ov_shape_make_sphere(radii[kind], &part.shape));
    }
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

/**
 * Slender bodies that turn and drift by small steps, some of them now and then only: what keeps
 * them out of the search (margins, paths, bounds from before) is used up in all ways, and each
 * frame is checked.
 */
static void test_slender(void) {
    static const double margins[] = {OV_ZERO, 0.1, 1.0, 10.0};
    check_random r = check_random_make(55);
    ov_geometry *kinds[5];
    for (int i = 0; i < 5; i++) {
        kinds[i] = make_slender(i);
    }
    static wc_scene s;
    size_t kept = 0;
    for (int trial = 0; trial < 100; trial++) {
        ov_world_options options = ov_default_world_options();
        options.margin = margins[trial % 4];
        wc_scene_make(&s, &options, 1.0, 2.0, (ov_vec3){0, 0, 0});
        ov_vec3 velocity[10], spin[10];
        double pace[10];
        for (int i = 0; i < 10; i++) {
            (void)wc_add(&s, kinds[i % 5], wc_random_pose(&s, &r));
            // towards the middle, or turning only
            velocity[i] = ov_vec3_scale(s.bodies[i].def.pose.position,
                                        trial % 3 == 0 ? 0.0 : -check_uniform(&r, 0.0, 0.05));
            spin[i] = wc_point(&r, 0.1);
            pace[i] = check_uniform(&r, 0.0, 1.0) < 0.5 ? 0.02 : 1.0;
        }
        double limit = trial % 8 < 4 ? 0.0 : 0.02;
        for (int frame = 0; frame < 30; frame++) {
            for (size_t i = 0; i < s.count; i++) {
                ov_pose pose = s.bodies[i].def.pose;
                ov_quat turn = ov_quat_from_axis_angle(spin[i], ov_vec3_length(spin[i]));
                pose.position = ov_vec3_add(pose.position, velocity[i]);
                pose.rotation = ov_quat_mul(turn, pose.rotation);
                if (check_uniform(&r, 0.0, 1.0) < pace[i]) {
                    wc_move(&s, i, pose);
                }
            }
            (void)wc_check_all(&s, limit, 1);
            kept += ov_world_last_counts(s.world).rejected_kept;
        }
        ov_world_destroy(s.world);
    }
    CHECK(kept > 1000);
    for (int i = 0; i < 5; i++) {
        ov_geometry_destroy(kinds[i]);
    }
}

/** Half-spaces among so many bodies that all tables grow while their pairs are found. */
static void test_planes(void) {
    check_random r = check_random_make(61);
    ov_geometry *small = wc_sphere_of(0.3);
    ov_shape shapes[2];
    CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 0, 1}, 0.0, &shapes[0]));
    CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 1, 1}, -1.0, &shapes[1]));
    ov_geometry *planes[2] = {wc_geometry_of(&shapes[0]), wc_geometry_of(&shapes[1])};
    static wc_scene s;
    wc_scene_make(&s, NULL, 0.3, 3.0, (ov_vec3){0, 0, 0});
    (void)wc_add(&s, planes[0], wc_pose_at(0, 0, 0));
    (void)wc_add(&s, planes[1], wc_pose_at(0, 0, 0));
    for (int round = 0; round < 24; round++) {
        size_t wanted = round % 6 < 4 ? 20 + 12 * (size_t)(round % 6) : 10;
        while (s.count < wanted) {
            (void)wc_add(&s, small, wc_random_pose(&s, &r));
        }
        while (s.count > wanted) {
            wc_remove(&s, (size_t)(check_random_bits(&r) >> 8) % s.count);
            if (wc_find(&s, s.bodies[0].id)->def.geometry == small && round % 2 == 0) {
                (void)wc_add(&s, planes[round % 4 / 2], wc_pose_at(0, 0, 0));
                wc_remove(&s, 0);
            }
        }
        for (size_t i = 0; i < s.count; i++) {
            if (s.bodies[i].def.geometry == small) {
                wc_nudge(&s, &r, i, 0.3);
            }
        }
        (void)wc_check_all(&s, 0.1, 1);
    }
    ov_world_destroy(s.world);
    ov_geometry_destroy(small);
    ov_geometry_destroy(planes[0]);
    ov_geometry_destroy(planes[1]);
}

/* ---- depths */

/** Contacts of a world of two bodies, with a depth; false where there is none. */
static bool contact_of_two(const ov_geometry *a, const ov_geometry *b, ov_pose pose, ov_depth depth,
                           ov_contact *contact) {
    ov_world *world;
    const ov_world_contact *contacts;
    ov_body body;
    size_t count;
    CHECK_OK(ov_world_create(&(ov_world_options){.pair = {.depth = depth}}, &world));
    CHECK_OK(ov_world_add(world, &(ov_body_def){.geometry = a}, &body));
    CHECK_OK(ov_world_add(world, &(ov_body_def){.geometry = b, .pose = pose}, &body));
    CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
    *contact = count > 0 ? contacts[0].contact : (ov_contact){0};
    ov_world_destroy(world);
    return count == 1;
}

/** The default of a world is a local depth, that of two geometries a global one. */
static void test_default_depth(void) {
    check_random r = check_random_make(75);
    long overlaps = 0, deeper = 0;
    for (int i = 0; i < 200; i++) {
        ov_shape p, q;
        CHECK_OK(ov_shape_make_superellipsoid(wc_lengths(&r, 1.0), 0.3, 0.4, &p));
        CHECK_OK(ov_shape_make_superellipsoid(wc_lengths(&r, 1.0), 0.5, 0.3, &q));
        ov_geometry *a = wc_geometry_of(&p), *b = wc_geometry_of(&q);
        ov_pose pose = {wc_point(&r, 0.8), check_rotation(&r)};
        ov_contact by_default, local, global;
        ov_part_contact two;
        bool found = contact_of_two(a, b, pose, OV_DEPTH_DEFAULT, &by_default);
        CHECK(contact_of_two(a, b, pose, OV_DEPTH_LOCAL, &local) == found);
        CHECK(contact_of_two(a, b, pose, OV_DEPTH_GLOBAL, &global) == found);
        if (found && by_default.relation == OV_RELATION_OVERLAPPING) {
            overlaps++;
            deeper += by_default.gap < global.gap - 1e-6;
            CHECK(by_default.gap == local.gap && by_default.gap_lower == local.gap_lower);
            CHECK(by_default.gap <= global.gap + 1e-8 && by_default.gap_lower <= by_default.gap);
            CHECK(ov_geometry_contact(a, ov_pose_identity(), b, pose, 0.0, NULL, &two) >= 0);
            CHECK_NEAR(two.contact.gap, global.gap, 1e-8);
        }
        ov_geometry_destroy(a);
        ov_geometry_destroy(b);
    }
    printf("world: of %ld overlaps %ld have a local depth that is not the least\n", overlaps,
           deeper);
    CHECK(overlaps > 100 && deeper > 0);
}

/* ---- threads */

static bool is_same_vector(ov_vec3 a, ov_vec3 b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool is_same_contact(const ov_world_contact *x, const ov_world_contact *y) {
    const ov_contact *c = &x->contact, *d = &y->contact;
    return x->a == y->a && x->b == y->b && x->part_a == y->part_a && x->part_b == y->part_b &&
           x->triangle_a == y->triangle_a && x->triangle_b == y->triangle_b &&
           x->island == y->island && c->gap == d->gap && c->gap_lower == d->gap_lower &&
           c->gap_upper == d->gap_upper && is_same_vector(c->point_a, d->point_a) &&
           is_same_vector(c->point_b, d->point_b) && is_same_vector(c->normal, d->normal) &&
           c->relation == d->relation && c->status == d->status && c->iterations == d->iterations;
}

/** The same story five times, each on another number of threads: bit by bit the same. */
static void test_threads(void) {
    enum { BODIES = 300, FRAMES = 6 };
    static const unsigned threads[] = {1, 2, 3, 7, 0};
    static ov_world_contact *first[FRAMES];
    static size_t counts[FRAMES];
    static wc_zoo zoo;
    static wc_scene s;
    check_random z = check_random_make(71);
    wc_zoo_make(&zoo, &z, 1.0, 2);
    size_t most = 0;
    for (int t = 0; t < 5; t++) {
        check_random r = check_random_make(72);
        wc_scene_make(&s, NULL, 1.0, 7.0, (ov_vec3){0, 0, 0});
        for (int i = 0; i < BODIES; i++) {
            wc_add_random(&s, &zoo, &r);
        }
        for (int frame = 0; frame < FRAMES; frame++) {
            const ov_world_contact *contacts;
            size_t count;
            CHECK_OK(ov_world_set_threads(s.world, &(ov_threads){.count = threads[t]}));
            CHECK_OK(ov_world_contacts(s.world, 0.05, &contacts, &count));
            most = count > most ? count : most;
            if (t == 0) {
                first[frame] = malloc((count + 1) * sizeof *contacts);
                memcpy(first[frame], contacts, count * sizeof *contacts);
                counts[frame] = count;
            }
            CHECK(count == counts[frame]);
            for (size_t i = 0; i < count && i < counts[frame]; i++) {
                if (!CHECK(is_same_contact(&contacts[i], &first[frame][i]))) {
                    fprintf(stderr, "threads %u, frame %d, contact %zu\n", threads[t], frame, i);
                    break;
                }
            }
            for (size_t i = 0; i < s.count; i++) {
                wc_nudge(&s, &r, i, 0.1);
            }
            wc_remove(&s, (size_t)frame);
            wc_add_random(&s, &zoo, &r);
        }
        ov_world_destroy(s.world);
    }
    CHECK(most > 600); // more than the threads get at a time
    for (int frame = 0; frame < FRAMES; frame++) {
        free(first[frame]);
    }
    wc_zoo_free(&zoo);
}

int main(void) {
    check_suite = "world";
    RUN(test_row);
    RUN(test_flushed_steps);
    RUN(test_filters);
    RUN(test_sizes);
    RUN(test_long_row);
    RUN(test_turned_part);
    RUN(test_random);
    RUN(test_frames);
    RUN(test_slender);
    RUN(test_planes);
    RUN(test_default_depth);
    RUN(test_threads);
    printf("world: %ld contacts checked, %ld overlapping, %ld weaker than asked for\n",
           wc_worst.contacts, wc_worst.overlaps, wc_worst.weak);
    check_worst("gap of separated bodies, in sizes", wc_worst.gap, 4e-9);
    printf("world: depths differ from those of a cold query by %.3g sizes at most\n",
           wc_worst.depth);
    CHECK(wc_worst.weak * 100 <= wc_worst.contacts);
    return check_finish();
}
