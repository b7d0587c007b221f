/**
 * @file test_touch_map_objects.c
 * @brief Objects against maps: contacts of vertices against all of them one by one, of faces
 * against dense samples, zones, threads, objects that deform, bones, bad input.
 */
#include <float.h>
#include <string.h>

#include "touch_cases.h"

enum { CONTACTS_MAX = TOUCH_VERTICES_MAX + TOUCH_TRIANGLES_MAX };

static touch_mesh mesh_a, mesh_b;
static ov_touch_contact contacts[CONTACTS_MAX];

static ov_touch_map *make_map(const touch_mesh *m, const ov_touch_map_options *options) {
    ov_touch_map *map = NULL;
    CHECK_OK(ov_touch_map_create(m->vertices, m->vertex_count, (const uint32_t(*)[3])m->triangles,
                                 m->triangle_count, options, NULL, &map));
    return map;
}

static ov_touch_object *make_object(const touch_mesh *m, const uint16_t *zones) {
    ov_touch_object *object = NULL;
    CHECK_OK(ov_touch_object_create(m->vertices, m->vertex_count,
                                    (const uint32_t(*)[3])m->triangles, m->triangle_count, zones,
                                    NULL, &object));
    return object;
}

static ov_pose random_pose(check_random *r, double size) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, size)),
                     check_rotation(r)};
}

/** A point of B in A's frame. */
static ov_vec3 in_a(const ov_touch_query *q, ov_vec3 b) {
    return ov_pose_apply_inverse(q->map_pose, ov_pose_apply(q->object_pose, b));
}

/* ---- vertices */

/** Every vertex within the limit is a contact once, and no other; bounds hold for each. */
static void check_vertices(ov_touch_query *q, const touch_mesh *a, const touch_mesh *b) {
    static double truth[TOUCH_VERTICES_MAX];
    static int found[TOUCH_VERTICES_MAX];
    double least = INFINITY, slack = 1e-12;
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < b->vertex_count; i++) {
        truth[i] = touch_oracle(a, in_a(q, b->vertices[i]));
        least = fmin(least, truth[i]);
    }
    for (size_t i = 0; i < q->contact_count; i++) {
        const ov_touch_contact *c = &q->contacts[i];
        if (c->vertex == UINT32_MAX) {
            continue;
        }
        double d = truth[c->vertex];
        found[c->vertex]++;
        CHECK(c->distance_lower <= d + slack && c->distance_upper >= d - slack);
        CHECK(c->distance <= q->limit);
        ov_vec3 p = ov_pose_apply(q->object_pose, b->vertices[c->vertex]);
        CHECK(ov_vec3_length(ov_vec3_sub(p, c->point)) < 1e-12);
        CHECK(c->triangle == OV_NO_TRIANGLE && c->zone == c->vertex % 3);
    }
    for (size_t i = 0; i < b->vertex_count; i++) {
        // with the triangles asked, what is within the limit is known but for rounding
        bool sure = fabs(truth[i] - q->limit) > slack;
        CHECK(found[i] <= 1 && (!sure || q->level != OV_TOUCH_LEVEL_EXACT ||
                                (found[i] == 1) == (truth[i] <= q->limit)));
        CHECK(q->limit > 0.0 || !sure || (found[i] == 1) == (truth[i] <= 0.0) ||
              q->level == OV_TOUCH_LEVEL_FIELD);
    }
    CHECK(q->distance_lower <= least + slack || q->distance_lower > q->limit);
    CHECK(q->distance_upper >= least - slack || q->level == OV_TOUCH_LEVEL_EXACT);
}

static void check_zones(const ov_touch_query *q) {
    size_t count = 0;
    for (size_t z = 0; z < 3; z++) {
        const ov_touch_zone *zone = &q->zones[z];
        ov_vec3 normals = {0.0, 0.0, 0.0}, points = normals;
        double depth = 0.0, deepest = INFINITY;
        size_t own = 0;
        for (size_t i = 0; i < q->contact_count; i++) {
            const ov_touch_contact *c = &q->contacts[i];
            if (c->zone == z) {
                double d = q->limit - c->distance;
                own++;
                depth += d;
                deepest = fmin(deepest, c->distance);
                normals = ov_vec3_add_scaled(normals, c->normal, d);
                points = ov_vec3_add_scaled(points, c->point, d);
            }
        }
        count += zone->count;
        CHECK(zone->count == own);
        CHECK_NEAR(zone->depth_sum, depth, 1e-12 * (1.0 + depth));
        CHECK(ov_vec3_length(ov_vec3_sub(zone->normal_sum, normals)) < 1e-12 * (1.0 + depth));
        CHECK(own == 0 || zone->deepest.distance == deepest);
        CHECK(zone->depth == (own == 0 ? 0.0 : q->limit - deepest));
        ov_touch_force f =
            ov_touch_zone_response(&(ov_touch_material){.stiffness = 3.0}, zone, zone->point);
        double size = depth > 0.0 ? 3.0 * (q->limit - deepest) / depth : 0.0;
        CHECK(ov_vec3_length(ov_vec3_sub(f.force, ov_vec3_scale(normals, size))) <
              1e-12 + 1e-9 * size);
        if (depth > 1e-6) {
            points = ov_vec3_scale(points, 1.0 / depth);
            CHECK(ov_vec3_length(ov_vec3_sub(zone->point, points)) < 1e-9);
        }
    }
    CHECK(count == q->contact_count);
}

static void test_vertices(void) {
    static uint16_t zones[TOUCH_VERTICES_MAX];
    static ov_touch_zone out[3];
    for (size_t i = 0; i < TOUCH_VERTICES_MAX; i++) {
        zones[i] = (uint16_t)(i % 3);
    }
    check_random random = check_random_make(5);
    touch_mesh_make(0, &mesh_b);
    ov_touch_object *object = make_object(&mesh_b, zones);
    CHECK(ov_touch_object_zone_count(object) == 3);
    CHECK(ov_touch_object_vertex_count(object) == mesh_b.vertex_count);
    const int cases[] = {1, 3};
    size_t touching = 0;
    for (size_t k = 0; k < 2; k++) {
        touch_mesh_make(cases[k], &mesh_a);
        ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 4e-3});
        for (int i = 0; i < (check_every() > 1 ? 10 : 30); i++) {
            ov_touch_query q = {.map = map,
                                .map_pose = random_pose(&random, 2.0),
                                .object = object,
                                .limit = i % 3 == 0 ? 0.05 : 0.0,
                                .level = (ov_touch_level)(1 + i % 3),
                                .contacts = contacts,
                                .contact_room = CONTACTS_MAX,
                                .zones = out};
            q.object_pose = q.map_pose;
            q.object_pose.rotation = check_rotation(&random);
            ov_status status = ov_touch_object_contacts(&q);
            CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
            touching += q.contact_count > 0;
            check_vertices(&q, &mesh_a, &mesh_b);
            check_zones(&q);
        }
        ov_touch_map_destroy(map);
    }
    CHECK(touching > 0);
    ov_touch_object_destroy(object);
}

/* ---- edges and faces */

/** The least distance over the faces of B, from samples on each: an upper bound. */
static double sampled(const ov_touch_query *q, const touch_mesh *a, const touch_mesh *b) {
    enum { N = 24 };
    double least = INFINITY;
    for (size_t t = 0; t < b->triangle_count; t++) {
        const uint32_t *c = b->triangles[t];
        for (int i = 0; i <= N; i++) {
            for (int j = 0; i + j <= N; j++) {
                ov_vec3 p = ov_vec3_scale(b->vertices[c[0]], (N - i - j) / (double)N);
                p = ov_vec3_add_scaled(p, b->vertices[c[1]], i / (double)N);
                p = ov_vec3_add_scaled(p, b->vertices[c[2]], j / (double)N);
                least = fmin(least, touch_oracle(a, in_a(q, p)));
            }
        }
    }
    return least;
}

/** Boxes that cross each other with their edges and faces alone. */
static void test_faces(void) {
    check_random random = check_random_make(9);
    touch_mesh_make(1, &mesh_a);
    mesh_b.vertex_count = mesh_b.triangle_count = 0;
    touch_add_box(&mesh_b, ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(3.0, 0.2, 0.1));
    ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 4e-3});
    ov_touch_object *object = make_object(&mesh_b, NULL);
    int crossing = 0;
    for (int i = 0; i < check_share(40); i++) {
        ov_touch_query q = {.map = map,
                            .map_pose = random_pose(&random, 1.0),
                            .object = object,
                            .object_pose = random_pose(&random, 1.6),
                            .level = OV_TOUCH_LEVEL_EXACT,
                            .contacts = contacts,
                            .contact_room = CONTACTS_MAX};
        ov_status status = ov_touch_object_contacts(&q);
        CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
        double least = sampled(&q, &mesh_a, &mesh_b);
        CHECK(q.distance_lower <= least + 1e-12);
        for (size_t k = 0; k < q.contact_count; k++) {
            const ov_touch_contact *c = &contacts[k];
            ov_vec3 p = ov_pose_apply_inverse(q.map_pose, c->point);
            double truth = touch_oracle(&mesh_a, p);
            CHECK(c->distance_lower <= truth + 1e-12 && c->distance_upper >= truth - 1e-12);
            crossing += c->triangle != OV_NO_TRIANGLE;
        }
        // what samples find inside by more than the tolerance of the search is found
        CHECK(!(least < -2e-4) || q.contact_count > 0 || status == OV_NOT_CONVERGED);
        CHECK(!(q.distance_lower > 0.0) || least > 0.0);
    }
    CHECK(crossing > 0);
    ov_touch_object_destroy(object);
    ov_touch_map_destroy(map);
}

/* ---- threads, deformation, bones */

static void test_batch(void) {
    enum { QUERIES = 24 };
    static ov_touch_query queries[2][QUERIES];
    check_random random = check_random_make(6);
    touch_mesh_make(0, &mesh_b);
    touch_mesh_make(3, &mesh_a);
    ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 8e-3});
    ov_touch_object *object = make_object(&mesh_b, NULL);
    for (int i = 0; i < QUERIES; i++) {
        queries[0][i] = queries[1][i] = (ov_touch_query){
            .map = map, .object = object, .object_pose = random_pose(&random, 2.0)};
    }
    for (unsigned t = 0; t < 2; t++) {
        ov_threads threads = {.count = 1 + 3 * t};
        CHECK(ov_touch_object_contacts_batch(queries[t], QUERIES, &threads) >= OV_OK);
    }
    for (int i = 0; i < QUERIES; i++) {
        const ov_touch_query *a = &queries[0][i], *b = &queries[1][i];
        CHECK(a->contact_count == b->contact_count && a->distance == b->distance &&
              a->distance_lower == b->distance_lower && a->status == b->status);
    }
    CHECK_STATUS(ov_touch_object_contacts_batch(NULL, 1, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_touch_object_contacts_batch(NULL, 0, NULL));
    ov_touch_object_destroy(object);
    ov_touch_map_destroy(map);
}

/** An object that was deformed answers as one that was made so. */
static void test_deform(void) {
    check_random random = check_random_make(8);
    touch_mesh_make(0, &mesh_b);
    touch_mesh_make(1, &mesh_a);
    ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 8e-3});
    ov_touch_object *moved = make_object(&mesh_b, NULL);
    for (size_t i = 0; i < mesh_b.vertex_count; i++) {
        ov_vec3 *v = &mesh_b.vertices[i];
        *v = ov_vec3_make(1.3 * v->x, v->y + 0.3 * v->x * v->x, v->z + 0.2 * sin(4.0 * v->y));
    }
    CHECK_OK(ov_touch_object_deform(moved, mesh_b.vertices));
    ov_touch_object *fresh = make_object(&mesh_b, NULL);
    for (int i = 0; i < 20; i++) {
        ov_touch_query a = {.map = map, .object = moved, .object_pose = random_pose(&random, 2.0)};
        ov_touch_query b = a;
        b.object = fresh;
        CHECK(ov_touch_object_contacts(&a) >= OV_OK && ov_touch_object_contacts(&b) >= OV_OK);
        CHECK(a.contact_count == b.contact_count);
        CHECK(a.contact_count == 0 || a.distance == b.distance);
    }
    mesh_b.vertices[0].y = INFINITY;
    CHECK_STATUS(ov_touch_object_deform(moved, mesh_b.vertices), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_object_deform(NULL, mesh_b.vertices), OV_ERROR_NULL);
    ov_touch_object_destroy(moved);
    ov_touch_object_destroy(fresh);
    ov_touch_map_destroy(map);
}

/* ---- warm queries */

enum { WARM_ROOM = 4 * TOUCH_VERTICES_MAX };
static float warm_room[WARM_ROOM];
static ov_touch_contact warm_contacts[CONTACTS_MAX];

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/** A warm query finds what a cold one does, to the bit, and no bound of it is false. */
static void check_warm(ov_touch_query *cold, ov_touch_warm *warm, const touch_mesh *a,
                       const touch_mesh *b) {
    ov_touch_zone zones[2][3];
    memset(zones, 0, sizeof zones);
    ov_touch_query q = *cold;
    cold->zones = zones[0];
    cold->contacts = contacts;
    q.zones = zones[1];
    q.contacts = warm_contacts;
    q.warm = warm;
    cold->contact_room = q.contact_room = CONTACTS_MAX;
    ov_status status = ov_touch_object_contacts(cold);
    CHECK_STATUS(ov_touch_object_contacts(&q), status);
    CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    CHECK(q.contact_count == cold->contact_count);
    CHECK(same_bits(contacts, warm_contacts, q.contact_count * sizeof *contacts));
    CHECK(same_bits(zones[0], zones[1], sizeof zones[0]));
    CHECK(same_bits(&q.distance, &cold->distance, sizeof q.distance));
    CHECK(same_bits(&q.distance_upper, &cold->distance_upper, sizeof q.distance));
    if (a != NULL) {
        double least = INFINITY;
        for (size_t i = 0; i < b->vertex_count; i++) {
            least = fmin(least, touch_oracle(a, in_a(&q, b->vertices[i])));
        }
        CHECK(q.distance_lower <= least + 1e-12);
    }
}

/** How many vertices are within the limit, by the map's own answers for single points. */
static size_t count_by_points(const ov_touch_query *q, const touch_mesh *b) {
    size_t count = 0;
    for (size_t i = 0; i < b->vertex_count; i++) {
        ov_touch_distance d;
        ov_vec3 p = ov_pose_apply(q->object_pose, b->vertices[i]);
        CHECK(ov_touch_map_point(q->map, q->map_pose, p, q->level, &d) >= OV_OK);
        count += d.distance <= q->limit;
    }
    return count;
}

/** A walk with steps of all sizes, from far below rounding to jumps across the map; level and limit
 *  change on the way, A moves too, and at last B deforms. */
static void test_warm(void) {
    static uint16_t zones[TOUCH_VERTICES_MAX];
    for (size_t i = 0; i < TOUCH_VERTICES_MAX; i++) {
        zones[i] = (uint16_t)(i % 3);
    }
    check_random random = check_random_make(21);
    touch_mesh_make(0, &mesh_b);
    ov_touch_object *object = make_object(&mesh_b, zones);
    CHECK(ov_touch_object_warm_room(NULL) == 0);
    CHECK(ov_touch_object_warm_room(object) >= mesh_b.vertex_count);
    CHECK(ov_touch_object_warm_room(object) <= WARM_ROOM);
    size_t touching = 0, by_points = 0;
    const int cases[] = {1, 3};
    for (int k = 0; k < 2; k++) {
        touch_mesh_make(cases[k], &mesh_a);
        ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 4e-3});
        ov_touch_warm warm = {.room = warm_room, .room_count = WARM_ROOM};
        ov_pose pose = {ov_vec3_make(0.0, 0.0, 1.5), check_rotation(&random)};
        ov_pose map_pose = ov_pose_identity();
        for (int i = 0; i < check_share(4000); i++) {
            double step = pow(10.0, check_uniform(&random, -9.0, i % 50 == 49 ? 0.3 : -1.5));
            ov_vec3 home = ov_vec3_scale(pose.position, i % 3 == 0 ? -0.5 * step : 0.0);
            pose.position = ov_vec3_add(ov_vec3_add(pose.position, home),
                                        ov_vec3_scale(check_unit_vector(&random), step));
            ov_quat turn = ov_quat_from_axis_angle(check_unit_vector(&random),
                                                   step * check_uniform(&random, 0.0, 2.0));
            CHECK_OK(ov_quat_normalize(ov_quat_mul(turn, pose.rotation), &pose.rotation));
            if (i % 7 == 0) {
                map_pose.position.x += 0.1 * step;
            }
            ov_touch_query q = {.map = map,
                                .map_pose = map_pose,
                                .object = object,
                                .object_pose = pose,
                                .limit = i % 5 == 0    ? 0.03
                                         : i % 11 == 0 ? 3.0
                                                       : 0.0,
                                .level = (ov_touch_level)(i % 17 == 0 ? 3 : 1 + i % 2)};
            check_warm(&q, &warm, i % 40 == 0 ? &mesh_a : NULL, &mesh_b);
            touching += q.contact_count > 0;
            if (i % 40 == 0 && q.limit < 0.1) {
                CHECK(q.contact_count == count_by_points(&q, &mesh_b) || q.level == 3);
                by_points += q.contact_count;
            }
        }
        ov_touch_map_destroy(map);
    }
    CHECK(touching > 100 || check_every() > 1);
    CHECK(by_points > 0 || check_every() > 1);
    ov_touch_object_destroy(object);
}

/** What was kept is of no use for another map or object, or for one that has deformed. */
static void test_warm_anew(void) {
    check_random random = check_random_make(22);
    touch_mesh_make(0, &mesh_b);
    ov_touch_map *maps[2];
    for (int k = 0; k < 2; k++) {
        touch_mesh_make(k == 0 ? 1 : 3, &mesh_a);
        maps[k] = make_map(&mesh_a, &(ov_touch_map_options){.error = 8e-3});
    }
    ov_touch_object *object = make_object(&mesh_b, NULL);
    ov_touch_warm warm = {.room = warm_room, .room_count = WARM_ROOM};
    size_t touching = 0;
    for (int i = 0; i < check_share(200); i++) {
        double grown = 1.0 + 0.2 * (i / 10 % 5);
        ov_touch_query q = {.map = maps[i / 20 % 2], .object = object};
        q.object_pose = (ov_pose){ov_vec3_make(-1.0, 2.0, 0.8 - 0.007 * i), ov_quat_identity()};
        if (i % 10 == 0) {
            touch_mesh other = mesh_b;
            for (size_t v = 0; v < other.vertex_count; v++) {
                other.vertices[v] = ov_vec3_scale(other.vertices[v], grown);
            }
            CHECK_OK(ov_touch_object_deform(object, other.vertices));
        }
        if (i % 60 == 59) { // at the same address, it may be
            ov_touch_object_destroy(object);
            object = make_object(&mesh_b, NULL);
        }
        q.object = object;
        check_warm(&q, &warm, NULL, NULL);
        touching += q.contact_count > 0;
        if (check_uniform(&random, 0.0, 1.0) < 0.05) {
            warm = (ov_touch_warm){.room = warm_room, .room_count = WARM_ROOM};
        }
    }
    CHECK(touching > 0 || check_every() > 1);
    ov_touch_query q = {.map = maps[0], .object = object, .warm = &warm};
    warm.room_count = ov_touch_object_warm_room(object) - 1;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_COUNT);
    CHECK(isnan(q.distance));
    warm.room = NULL;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_NULL);
    ov_touch_object_destroy(object);
    ov_touch_map_destroy(maps[0]);
    ov_touch_map_destroy(maps[1]);
}

static double box_distance(ov_vec3 p, ov_vec3 h) {
    ov_vec3 q = {fabs(p.x) - h.x, fabs(p.y) - h.y, fabs(p.z) - h.z};
    double out = ov_vec3_length(ov_vec3_make(fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)));
    return out > 0.0 ? out : fmax(q.x, fmax(q.y, q.z));
}

/** A rod of two parts, one of which turns: never further than the two boxes, each at its place, and
 *  by the formula that the header has. */
static void test_bones(void) {
    touch_mesh halves[2];
    ov_touch_part parts[2];
    const ov_vec3 half = {0.5, 0.2, 0.2}, boxes = {0.5, 0.21, 0.21};
    mesh_a.vertex_count = mesh_a.triangle_count = 0;
    touch_add_box(&mesh_a, ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1.0, 0.2, 0.2));
    for (int i = 0; i < 2; i++) {
        ov_vec3 centre = {i == 0 ? -0.5 : 0.5, 0.0, 0.0};
        halves[i].vertex_count = halves[i].triangle_count = 0;
        touch_add_box(&halves[i], centre, half);
        parts[i] = (ov_touch_part){.pose = {centre, ov_quat_identity()}};
        CHECK_OK(ov_shape_make_box(boxes, &parts[i].shape));
    }
    // triangles across the middle would widen both boxes: cut them there
    mesh_a = halves[0];
    size_t first = mesh_a.vertex_count;
    for (size_t i = 0; i < 8; i++) {
        mesh_a.vertices[first + i] = halves[1].vertices[i];
    }
    for (size_t i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            mesh_a.triangles[12 + i][k] = halves[1].triangles[i][k] + (uint32_t)first;
        }
    }
    mesh_a.vertex_count = 16;
    mesh_a.triangle_count = 24;
    ov_touch_map *map =
        make_map(&mesh_a, &(ov_touch_map_options){.error = 4e-3, .parts = parts, .part_count = 2});
    CHECK(ov_touch_map_describe(map).parts == 2);
    check_random random = check_random_make(10);
    for (int i = 0; i < check_share(300); i++) {
        ov_pose bones[2] = {ov_pose_identity(), random_pose(&random, 0.5)};
        ov_vec3 p =
            ov_vec3_make(check_uniform(&random, -1.5, 1.5), check_uniform(&random, -1.0, 1.0),
                         check_uniform(&random, -1.0, 1.0));
        ov_touch_object *object = NULL;
        CHECK_OK(ov_touch_object_create(&p, 1, NULL, 0, NULL, NULL, &object));
        ov_touch_query q = {.map = map,
                            .bones = bones,
                            .object = object,
                            .limit = 4.0,
                            .contacts = contacts,
                            .contact_room = CONTACTS_MAX};
        CHECK(ov_touch_object_contacts(&q) >= OV_OK && q.contact_count == 1);
        double d[2], own[2];
        for (int k = 0; k < 2; k++) {
            ov_vec3 x = ov_pose_apply_inverse(bones[k], p);
            ov_vec3 in_box = ov_vec3_sub(x, parts[k].pose.position);
            own[k] = touch_oracle(&halves[k], x);
            d[k] = fmax(touch_oracle(&mesh_a, x), box_distance(in_box, boxes));
        }
        double truth = fmin(d[0], d[1]);
        CHECK(contacts[0].distance_lower <= truth + 1e-11);
        CHECK(contacts[0].distance_upper >= truth - 1e-11);
        CHECK(contacts[0].distance_lower <= fmin(own[0], own[1]) + 1e-11);
        CHECK(fabs(d[0] - d[1]) < 0.05 || contacts[0].part == (d[0] < d[1] ? 0u : 1u));
        // which part is nearest, and whether where it ends is, only the triangles tell
        q.level = OV_TOUCH_LEVEL_EXACT;
        CHECK(ov_touch_object_contacts(&q) >= OV_OK && q.contact_count == 1);
        CHECK_NEAR(contacts[0].distance, truth, 1e-9);
        CHECK(contacts[0].distance_lower <= truth + 1e-11);
        CHECK(contacts[0].distance_upper >= truth - 1e-11);
        ov_touch_object_destroy(object);
    }
    ov_touch_map_destroy(map);
}

/* ---- bad input */

static void test_bad_input(void) {
    touch_mesh_make(1, &mesh_a);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])mesh_a.triangles;
    ov_touch_object *object = NULL;
    const uint16_t zones[8] = {0, 0, OV_TOUCH_ZONES_MAX, 0, 0, 0, 0, 0};
    CHECK_STATUS(ov_touch_object_create(NULL, 8, triangles, 12, NULL, NULL, &object),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_object_create(mesh_a.vertices, 8, NULL, 12, NULL, NULL, &object),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_object_create(mesh_a.vertices, 8, triangles, 12, NULL, NULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_object_create(mesh_a.vertices, 0, triangles, 12, NULL, NULL, &object),
                 OV_ERROR_COUNT);
    CHECK_STATUS(ov_touch_object_create(mesh_a.vertices, 7, triangles, 12, NULL, NULL, &object),
                 OV_ERROR_INDEX);
    CHECK_STATUS(ov_touch_object_create(mesh_a.vertices, 8, triangles, 12, zones, NULL, &object),
                 OV_ERROR_INDEX);
    CHECK(object == NULL);
    object = make_object(&mesh_a, NULL);
    ov_touch_map *map = make_map(&mesh_a, &(ov_touch_map_options){.error = 0.02});
    const ov_touch_query good = {.map = map, .object = object};
    ov_touch_query q = good;
    CHECK(ov_touch_object_contacts(&q) >= OV_OK);
    q.map = NULL;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_NULL);
    CHECK(isnan(q.distance) && q.contact_count == 0 && q.status == OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_object_contacts(NULL), OV_ERROR_NULL);
    q = good;
    q.limit = -1.0;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_OPTION);
    q.limit = NAN;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_OPTION);
    q = good;
    q.level = (ov_touch_level)-1;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_OPTION);
    q = good;
    q.object_pose.position.x = NAN;
    CHECK_STATUS(ov_touch_object_contacts(&q), OV_ERROR_NOT_FINITE);
    ov_touch_object_destroy(object);
    ov_touch_object_destroy(NULL);
    ov_touch_map_destroy(map);
}

int main(void) {
    check_suite = "touch_map_objects";
    RUN(test_vertices);
    RUN(test_faces);
    RUN(test_batch);
    RUN(test_deform);
    RUN(test_warm);
    RUN(test_warm_anew);
    RUN(test_bones);
    RUN(test_bad_input);
    return check_finish();
}
