/**
 * @file test_world_queries.c
 * @brief Questions to a world against brute force: the nearest pair, contacts of one body or of a
 * caller's shape, and boxes, before and after searches, and from several threads.
 */
#include "world_cases.h"

#include "math/system.h"

enum { ROOM = 4000 };
static ov_world_contact found[ROOM];

static wc_zoo zoo;
static wc_scene scene;

/* ---- the nearest pair */

static void check_nearest(void) {
    const ov_pair_options options = ov_default_pair_options();
    wc_gap best = {INFINITY, INFINITY, INFINITY, 0.0, OV_NO_TRIANGLE, false};
    for (size_t i = 0; i < scene.count; i++) {
        for (size_t j = 0; j < i; j++) {
            const wc_body *a = &scene.bodies[i], *b = &scene.bodies[j];
            for (uint32_t k = 0; k < wc_parts(a) && wc_are_pair(a, b); k++) {
                for (uint32_t l = 0; l < wc_parts(b); l++) {
                    wc_gap g = wc_parts_gap(wc_part(a, k), a->def.pose, wc_part(b, l), b->def.pose,
                                            &options);
                    best = g.gap < best.gap ? g : best;
                }
            }
        }
    }
    ov_world_contact c;
    ov_status status = ov_world_nearest(scene.world, &c);
    if (isinf(best.gap)) {
        CHECK_STATUS(status, OV_ERROR_COUNT);
        return;
    }
    CHECK_OK(status);
    const wc_body *a = wc_find(&scene, c.a), *b = wc_find(&scene, c.b);
    if (!CHECK(a != NULL && b != NULL && c.a < c.b) || !CHECK(wc_are_pair(a, b))) {
        return;
    }
    wc_gap own = wc_parts_gap(wc_part(a, c.part_a), a->def.pose, wc_part(b, c.part_b), b->def.pose,
                              &options);
    // the contact is right for its parts, and no others are nearer
    bool good = wc_check_contact(&scene, &c.contact, &own);
    double slack = wc_slack(&scene, fmax(best.size, own.size));
    bool nearest = c.contact.status == OV_OK
                       ? CHECK_NEAR(c.contact.gap, best.gap, 2.0 * slack)
                       : CHECK(c.contact.gap_lower <= best.upper + scene.rounding);
    if (!nearest || !good) {
        wc_print(a, c.part_a, b, c.part_b, &best, &c.contact, 0.0);
    }
}

static void test_nearest(void) {
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(81 + (uint64_t)n);
        wc_place p = wc_places[n];
        p.spread *= 4.0; // sparse: most of them are apart
        p.bodies = 16;
        wc_place_make(&scene, &zoo, &p, &r);
        for (int round = 0; round < 6; round++) {
            check_nearest();
            wc_stir(&scene, &zoo, &r, round);
        }
        // bodies that only get further apart, without half-spaces
        while (scene.count > 2) {
            wc_remove(&scene, 0);
            check_nearest();
        }
        wc_place_free(&scene, &zoo);
    }
    ov_world_contact c;
    CHECK_STATUS(ov_world_nearest(NULL, &c), OV_ERROR_NULL);
}

/* ---- contacts of one body */

/** Only as many as there is room for are written. */
static void check_room(size_t all, ov_status (*ask)(void *, ov_world_contact *, size_t, size_t *),
                       void *user) {
    ov_world_contact few[3];
    memset(few, 0x5a, sizeof few);
    ov_world_contact untouched = few[2];
    size_t count;
    CHECK(ask(user, few, 2, &count) >= OV_OK);
    CHECK(count == all && memcmp(&few[2], &untouched, sizeof untouched) == 0);
    for (size_t i = 0; i < 2 && i < all; i++) {
        CHECK(few[i].a == found[i].a && few[i].b == found[i].b &&
              few[i].contact.gap == found[i].contact.gap);
    }
    CHECK(ask(user, NULL, 0, &count) >= OV_OK);
    CHECK(count == all);
}

typedef struct body_asking {
    ov_body id;
    double limit;
} body_asking;

static ov_status ask_body(void *user, ov_world_contact *contacts, size_t room, size_t *count) {
    const body_asking *q = user;
    return ov_world_body_contacts(scene.world, q->id, q->limit, contacts, room, count);
}

static void check_body(size_t i, double limit) {
    const ov_pair_options options = ov_default_pair_options();
    const wc_body *a = &scene.bodies[i];
    size_t count;
    if (!CHECK_OK(ov_world_body_contacts(scene.world, a->id, limit, found, ROOM, &count)) ||
        !CHECK(count <= ROOM)) {
        return;
    }
    wc_index x = wc_index_make(&scene);
    bool good = wc_enter(&scene, &x, found, count, limit);
    for (size_t n = 0; n < count; n++) {
        CHECK(found[n].a == a->id || found[n].b == a->id);
    }
    for (size_t j = 0; j < scene.count && good; j++) {
        const wc_body *b = &scene.bodies[j];
        if (!wc_are_pair(a, b)) {
            continue;
        }
        bool first = a->id < b->id;
        for (uint32_t k = 0; k < wc_parts(a); k++) {
            for (uint32_t l = 0; l < wc_parts(b); l++) {
                (void)wc_check_parts(&scene, &x, first ? i : j, first ? k : l, first ? j : i,
                                     first ? l : k, found, limit, &options);
            }
        }
    }
    free(x.table);
    check_room(count, ask_body, &(body_asking){a->id, limit});
}

static void test_body_contacts(void) {
    static const double limits[] = {0.0, 0.1, 3.0, INFINITY};
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(91 + (uint64_t)n);
        wc_place_make(&scene, &zoo, &wc_places[n], &r);
        for (int round = 0; round < 4; round++) {
            for (size_t i = (size_t)round; i < scene.count; i += 4) {
                check_body(i, limits[(i + (size_t)round) % 4] * scene.size);
            }
            wc_stir(&scene, &zoo, &r, round);
        }
        size_t count;
        ov_body id = scene.bodies[0].id;
        CHECK_STATUS(ov_world_body_contacts(NULL, id, 1.0, NULL, 0, &count), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_body_contacts(scene.world, id, 1.0, NULL, 1, &count), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_body_contacts(scene.world, id, 1.0, NULL, 0, NULL), OV_ERROR_NULL);
        CHECK(ov_world_body_contacts(scene.world, id, NAN, NULL, 0, &count) < OV_OK);
        CHECK_STATUS(ov_world_body_contacts(scene.world, id, -1.0, NULL, 0, &count),
                     OV_ERROR_OPTION);
        wc_place_free(&scene, &zoo);
    }
}

/* ---- contacts of a caller's shape */

typedef struct shape_asking {
    ov_shape shape;
    ov_pose pose;
    double limit;
    uint32_t mask;
} shape_asking;

static ov_status ask_shape(void *user, ov_world_contact *contacts, size_t room, size_t *count) {
    const shape_asking *q = user;
    return ov_world_shape_contacts(scene.world, &q->shape, q->pose, q->limit, q->mask, contacts,
                                   room, count);
}

static void check_shape(shape_asking *q) {
    const ov_pair_options options = ov_default_pair_options();
    size_t count, expected = 0;
    if (!CHECK_OK(ask_shape(q, found, ROOM, &count)) || !CHECK(count <= ROOM)) {
        return;
    }
    ov_part probe = {.shape = q->shape, .pose = ov_pose_identity()};
    for (size_t i = 0; i < scene.count; i++) {
        const wc_body *a = &scene.bodies[i];
        for (uint32_t k = 0; k < wc_parts(a); k++) {
            const ov_world_contact *c = NULL;
            for (size_t n = 0; n < count; n++) {
                c = found[n].a == a->id && found[n].part_a == k ? &found[n] : c;
            }
            expected += c != NULL;
            wc_gap g = wc_parts_gap(wc_part(a, k), a->def.pose, &probe, q->pose, &options);
            bool seen = wc_sees(q->mask, &a->def) && !g.unlike;
            if (c == NULL) {
                CHECK(!(seen && g.upper < q->limit - scene.rounding));
                continue;
            }
            CHECK(seen && c->b == 0 && c->part_b == 0 && c->triangle_b == OV_NO_TRIANGLE);
            CHECK(c->contact.gap_lower <= q->limit && wc_is_index(wc_part(a, k), c->triangle_a));
            (void)wc_check_contact(&scene, &c->contact, &g);
        }
    }
    CHECK(expected == count); // none twice, none that is not there
    check_room(count, ask_shape, q);
}

static void test_shape_contacts(void) {
    static const double limits[] = {0.0, 0.2, 2.0, INFINITY};
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(101 + (uint64_t)n);
        wc_place_make(&scene, &zoo, &wc_places[n], &r);
        for (int i = 0; i < 40; i++) {
            int kind = i % 14;
            shape_asking q = {wc_shape(&zoo, &r, kind < 13 ? (wc_kind)kind : WC_HALFSPACE),
                              wc_random_pose(&scene, &r), limits[i % 4] * scene.size,
                              i % 5 == 0 ? 2u : UINT32_MAX};
            check_shape(&q);
            if (i % 10 == 9) {
                wc_stir(&scene, &zoo, &r, i / 10);
            }
        }
        ov_shape bad;
        memset(&bad, 0, sizeof bad);
        size_t count;
        CHECK_STATUS(ov_world_shape_contacts(scene.world, &bad, ov_pose_identity(), 1.0, 1, found,
                                             ROOM, &count),
                     OV_ERROR_SHAPE);
        CHECK_OK(ov_shape_make_sphere(scene.size, &bad));
        ov_pose pose = ov_pose_identity();
        CHECK_STATUS(ov_world_shape_contacts(scene.world, &bad, pose, -1.0, 1, found, 1, &count),
                     OV_ERROR_OPTION);
        CHECK(ov_world_shape_contacts(scene.world, &bad, pose, NAN, 1, found, 1, &count) < OV_OK);
        pose.position.x = NAN;
        CHECK_STATUS(ov_world_shape_contacts(scene.world, &bad, pose, 1.0, 1, found, 1, &count),
                     OV_ERROR_NOT_FINITE);
        pose = (ov_pose){{0, 0, 0}, {0, 0, 0, 0}};
        CHECK_STATUS(ov_world_shape_contacts(scene.world, &bad, pose, 1.0, 1, found, 1, &count),
                     OV_ERROR_ZERO_DIRECTION);
        wc_place_free(&scene, &zoo);
    }
}

/* ---- boxes */

static void check_box(ov_aabb box, uint32_t mask) {
    static ov_body bodies[WC_BODIES_MAX];
    size_t count, few_count;
    if (!CHECK_OK(ov_world_box_overlaps(scene.world, box, mask, bodies, WC_BODIES_MAX, &count)) ||
        !CHECK(count <= WC_BODIES_MAX)) {
        return;
    }
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box.max, box.min), 0.5);
    ov_vec3 centre = ov_vec3_scale(ov_vec3_add(box.max, box.min), 0.5);
    half = ov_vec3_make(fmax(half.x, OV_SIZE_MIN), fmax(half.y, OV_SIZE_MIN),
                        fmax(half.z, OV_SIZE_MIN));
    ov_part probe = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_box(half, &probe.shape));
    size_t seen = 0;
    for (size_t i = 0; i < scene.count; i++) {
        const wc_body *b = &scene.bodies[i];
        bool listed = false;
        for (size_t k = 0; k < count; k++) {
            CHECK(!(listed && bodies[k] == b->id)); // none twice
            listed = listed || bodies[k] == b->id;
        }
        seen += listed;
        double lower = INFINITY, upper = INFINITY;
        for (uint32_t k = 0; k < wc_parts(b); k++) {
            wc_gap g = wc_parts_gap(wc_part(b, k), b->def.pose, &probe,
                                    (ov_pose){centre, ov_quat_identity()}, NULL);
            lower = fmin(lower, g.lower);
            upper = fmin(upper, g.upper);
        }
        bool visible = wc_sees(mask, &b->def);
        double slack = wc_slack(&scene, fmax(scene.size, ov_vec3_length(half)));
        if (!CHECK(listed || !visible || !(upper < -scene.rounding)) ||
            !CHECK(!listed || (visible && lower <= slack))) {
            fprintf(stderr, "body %zu of %u parts, gap [%g, %g]\n", i, wc_parts(b), lower, upper);
        }
    }
    CHECK(seen == count);
    CHECK_OK(ov_world_box_overlaps(scene.world, box, mask, NULL, 0, &few_count));
    CHECK(few_count == count);
}

static void test_boxes(void) {
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(131 + (uint64_t)n);
        wc_place_make(&scene, &zoo, &wc_places[n], &r);
        for (int i = 0; i < 80; i++) {
            ov_vec3 p = ov_vec3_add(scene.origin, wc_point(&r, scene.spread));
            ov_vec3 h = wc_lengths(&r, scene.size * check_log_uniform(&r, 1e-6, 10.0));
            if (i % 5 == 0) { // flat, thin, and a point
                h.x = 0.0;
                h.y *= i % 10 == 0 ? 0.0 : 1.0;
                h.z *= i % 20 == 0 ? 0.0 : 1.0;
            }
            check_box((ov_aabb){ov_vec3_sub(p, h), ov_vec3_add(p, h)},
                      i % 4 == 0 ? 6u : UINT32_MAX);
            if (i % 20 == 19) {
                wc_stir(&scene, &zoo, &r, i / 20);
            }
        }
        size_t count;
        ov_aabb good = {{0, 0, 0}, {1, 1, 1}}, bad = good;
        CHECK_STATUS(ov_world_box_overlaps(NULL, good, 1, NULL, 0, &count), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_box_overlaps(scene.world, good, 1, NULL, 1, &count), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_box_overlaps(scene.world, good, 1, NULL, 0, NULL), OV_ERROR_NULL);
        bad.max.y = NAN;
        CHECK_STATUS(ov_world_box_overlaps(scene.world, bad, 1, NULL, 0, &count),
                     OV_ERROR_NOT_FINITE);
        bad.max.y = -1.0;
        CHECK(ov_world_box_overlaps(scene.world, bad, 1, NULL, 0, &count) < OV_OK);
        wc_place_free(&scene, &zoo);
    }
    // a point and a flat box at the origin, in a body and out of it
    check_random r = check_random_make(139);
    wc_zoo_make(&zoo, &r, 1.0, 1);
    wc_scene_make(&scene, NULL, 1.0, 1.0, (ov_vec3){0, 0, 0});
    (void)wc_add(&scene, zoo.geometries[WC_SPHERE], ov_pose_identity());
    check_box((ov_aabb){{0, 0, 0}, {0, 0, 0}}, 1);
    check_box((ov_aabb){{-1, -1, 0}, {1, 1, 0}}, 1);
    check_box((ov_aabb){{5, 5, 5}, {5, 5, 5}}, 1);
    wc_place_free(&scene, &zoo);
}

/**
 * A body of two parts, of which the first is just outside of a box, by less than its distance can
 * be told, and the second is well inside: the body must not be lost between them.
 */
static void test_box_between(void) {
    ov_part parts[2] = {{.pose = {{0, 0, 0}, {1, 0, 0, 0}}}, {.pose = {{3, 0, 0}, {1, 0, 0, 0}}}};
    ov_vec3 a = {0.7, 0.4, 0.3};
    CHECK_OK(ov_shape_make_superovoid(a, 0.7, 0.8, 0.2, 0.2, NULL, &parts[0].shape));
    CHECK_OK(ov_shape_make_sphere(0.5, &parts[1].shape));
    ov_geometry *g;
    CHECK_OK(ov_geometry_create(parts, 2, NULL, &g));
    ov_world_options options = ov_default_world_options();
    options.margin = OV_ZERO;
    ov_world *world;
    CHECK_OK(ov_world_create(&options, &world));
    ov_body_def def = ov_default_body_def();
    def.geometry = g;
    ov_body body, seen;
    CHECK_OK(ov_world_add(world, &def, &body));
    ov_support top;
    CHECK_OK(ov_shape_support(&parts[0].shape, (ov_vec3){1, 0, 0}, &top));
    for (int i = 0; i < 400; i++) {
        double x = top.value + pow(10.0, -16.0 + 0.02 * i);
        size_t count;
        ov_aabb box = {{x, -1, -1}, {x + 9.0, 1, 1}};
        CHECK_OK(ov_world_box_overlaps(world, box, 1, &seen, 1, &count));
        if (!CHECK(count == 1 && seen == body)) {
            fprintf(stderr, "first part outside by %g\n", x - top.value);
        }
    }
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

/* ---- several threads */

enum { ASKERS = 4, QUESTIONS = 60 };

typedef struct answers {
    ov_world_ray_hit rays[QUESTIONS];
    size_t contacts[QUESTIONS], boxes[QUESTIONS];
    ov_world_cast_hit casts[QUESTIONS];
    ov_world_contact nearest;
} answers;

static answers given[ASKERS + 1];

static void ask_all(void *context, unsigned index) {
    (void)context;
    check_random r = {4711};
    answers *a = &given[index];
    ov_shape ball;
    (void)ov_shape_make_sphere(0.5 * scene.size, &ball);
    for (int i = 0; i < QUESTIONS; i++) {
        ov_vec3 o = wc_point(&r, scene.spread), d = check_unit_vector(&r);
        ov_pose pose = {o, ov_quat_identity()};
        ov_aabb box = {ov_vec3_sub(o, (ov_vec3){1, 1, 1}), ov_vec3_add(o, (ov_vec3){1, 1, 1})};
        (void)ov_world_ray_cast(scene.world, o, d, INFINITY, UINT32_MAX, &a->rays[i]);
        (void)ov_world_shape_cast(scene.world, &ball, pose, d, UINT32_MAX, &a->casts[i]);
        (void)ov_world_shape_contacts(scene.world, &ball, pose, 0.5, UINT32_MAX, NULL, 0,
                                      &a->contacts[i]);
        (void)ov_world_box_overlaps(scene.world, box, UINT32_MAX, NULL, 0, &a->boxes[i]);
    }
    (void)ov_world_nearest(scene.world, &a->nearest);
}

static void test_threads(void) {
    check_random r = check_random_make(141);
    wc_place_make(&scene, &zoo, &wc_places[0], &r);
    ask_all(NULL, ASKERS);
    ovi_threads_run(NULL, ask_all, NULL, ASKERS);
    for (int k = 0; k < ASKERS; k++) {
        for (int i = 0; i < QUESTIONS; i++) {
            CHECK(given[k].rays[i].body == given[ASKERS].rays[i].body);
            CHECK(given[k].rays[i].ray.distance == given[ASKERS].rays[i].ray.distance);
            CHECK(given[k].casts[i].cast.fraction == given[ASKERS].casts[i].cast.fraction);
            CHECK(given[k].contacts[i] == given[ASKERS].contacts[i]);
            CHECK(given[k].boxes[i] == given[ASKERS].boxes[i]);
        }
        CHECK(given[k].nearest.contact.gap == given[ASKERS].nearest.contact.gap);
    }
    wc_place_free(&scene, &zoo);
}

int main(void) {
    check_suite = "world_queries";
    RUN(test_nearest);
    RUN(test_body_contacts);
    RUN(test_shape_contacts);
    RUN(test_boxes);
    RUN(test_box_between);
    RUN(test_threads);
    check_worst("gap of separated bodies, in sizes", wc_worst.gap, 4e-9);
    return check_finish();
}
