/**
 * @file test_cloth_layers.c
 * @brief Cloth that folds upon itself and over meshes: no two triangles cross in any frame, by a
 * test of all pairs that shares no code with the library; and what becomes of failing allocations.
 */
#include <string.h>

#include "check.h"
#include "ledger.h"

static const double frame = 1.0 / 60.0;

/* ---- crossings, all pairs, in long double */

typedef struct triangle {
    uint32_t id[3]; /**< of the vertices */
    ov_vec3 p[3];
    ov_vec3 low, high; /**< its box */
} triangle;

static bool shares(const triangle *t, uint32_t id) {
    return t->id[0] == id || t->id[1] == id || t->id[2] == id;
}

/** Solves p + s (q - p) = a + u (b - a) + v (c - a) by elimination with pivots. */
static bool segment_hits(ov_vec3 p, ov_vec3 q, const triangle *t) {
    long double m[3][4] = {
        {t->p[1].x - t->p[0].x, t->p[2].x - t->p[0].x, p.x - q.x, p.x - t->p[0].x},
        {t->p[1].y - t->p[0].y, t->p[2].y - t->p[0].y, p.y - q.y, p.y - t->p[0].y},
        {t->p[1].z - t->p[0].z, t->p[2].z - t->p[0].z, p.z - q.z, p.z - t->p[0].z}};
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++) {
            best = fabsl(m[i][k]) > fabsl(m[best][k]) ? i : best;
        }
        if (m[best][k] == 0.0L) {
            return false; // parallel
        }
        for (int j = 0; j < 4; j++) {
            long double swap = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = swap;
        }
        for (int i = 0; i < 3; i++) {
            long double factor = i == k ? 0.0L : m[i][k] / m[k][k];
            for (int j = k; j < 4; j++) {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    long double u = m[0][3] / m[0][0], v = m[1][3] / m[1][1], s = m[2][3] / m[2][2];
    return s > 0.0L && s < 1.0L && u > 0.0L && v > 0.0L && u + v < 1.0L;
}

static bool edges_hit(const triangle *a, const triangle *b) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (!shares(b, a->id[i]) && !shares(b, a->id[j]) && segment_hits(a->p[i], a->p[j], b)) {
            return true;
        }
    }
    return false;
}

static bool boxes_meet(const triangle *a, const triangle *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool cross(const triangle *a, const triangle *b) {
    return boxes_meet(a, b) && (edges_hit(a, b) || edges_hit(b, a));
}

static void find_box(triangle *t) {
    t->low = t->high = t->p[0];
    for (int i = 1; i < 3; i++) {
        t->low = ov_vec3_make(fmin(t->low.x, t->p[i].x), fmin(t->low.y, t->p[i].y),
                              fmin(t->low.z, t->p[i].z));
        t->high = ov_vec3_make(fmax(t->high.x, t->p[i].x), fmax(t->high.y, t->p[i].y),
                               fmax(t->high.z, t->p[i].z));
    }
}

/* ---- a cloth */

enum { CELLS = 15, VERTICES = (CELLS + 1) * (CELLS + 1), TRIANGLES = 2 * CELLS * CELLS };

static ov_vec3 x[VERTICES];
static uint32_t triangles[TRIANGLES][3];

static ov_status make(ov_vec3 corner, ov_vec3 u, ov_vec3 v, const ov_cloth_options *options,
                      ov_cloth **cloth) {
    CHECK_OK(ov_cloth_grid_fill(corner, u, v, CELLS, CELLS, x, triangles));
    return ov_cloth_create(x, VERTICES, (const uint32_t(*)[3])triangles, TRIANGLES, options, cloth);
}

static void take_triangles(const ov_cloth *cloth, triangle out[TRIANGLES]) {
    CHECK_OK(ov_cloth_positions(cloth, x));
    for (size_t t = 0; t < TRIANGLES; t++) {
        for (int i = 0; i < 3; i++) {
            out[t].id[i] = triangles[t][i];
            out[t].p[i] = x[triangles[t][i]];
        }
        find_box(&out[t]);
    }
}

static size_t count_crossings(const ov_cloth *cloth) {
    static triangle all[TRIANGLES];
    take_triangles(cloth, all);
    size_t found = 0;
    for (size_t i = 0; i < TRIANGLES; i++) {
        for (size_t j = i + 1; j < TRIANGLES; j++) {
            found += cross(&all[i], &all[j]);
        }
    }
    return found;
}

/** Falls on its edge over a ball and the ground, and a box then presses on the heap. */
static void test_folding(void) {
    const ov_cloth_options options = {.self_collision = true, .bending = 1e-4};
    ov_cloth *cloth;
    ov_shape ground, ball, press;
    CHECK_OK(make(ov_vec3_make(-0.5, 0.02, 0.3), ov_vec3_make(1.0, 0.0, 0.0),
                  ov_vec3_make(0.0, 0.2, 1.0), &options, &cloth));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground));
    CHECK_OK(ov_shape_make_sphere(0.15, &ball));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.3, 0.3, 0.1), &press));
    ov_cloth_collider colliders[3] = {
        {.shape = &ground, .friction = 0.5}, {.shape = &ball}, {.shape = &press}};
    colliders[1].start.position = colliders[1].end.position = ov_vec3_make(0.05, 0.0, 0.0);
    colliders[2].end.position = ov_vec3_make(0.0, 0.0, 1.5);
    size_t crossed = 0, contacts = 0, own = 0;
    int frames = check_share(1000);
    for (int i = 0; i < frames; i++) {
        colliders[2].start = colliders[2].end;
        double time = (double)i / frames;
        colliders[2].end.position.z = time > 0.5 ? 1.5 - 1.2 * sin(2.0 * M_PI * (time - 0.5)) : 1.5;
        CHECK_OK(ov_cloth_step(cloth, colliders, 3, frame));
        crossed += count_crossings(cloth) > 0;
        ov_cloth_state s;
        CHECK_OK(ov_cloth_measure(cloth, &s));
        contacts += s.self_contacts > 0;
        CHECK(isfinite(s.kinetic) && s.speed < 50.0);
        size_t by_library;
        CHECK_OK(ov_cloth_crossings(cloth, &by_library));
        own += by_library > 0;
    }
    printf("test_cloth_layers: %d frames, %zu with layers in contact, %zu with a crossing\n",
           frames, contacts, crossed);
    CHECK(crossed == 0 && own == 0);
    CHECK(check_every() > 1 || contacts > 100);
    ov_cloth_destroy(cloth);
}

/** Frames with a crossing of a cloth that is thrown about, by all pairs of triangles. */
static void throw_about(const char *what, ov_cloth *cloth, ov_cloth_collider *colliders,
                        size_t count, uint64_t seed) {
    uint64_t bits = seed;
    CHECK_OK(ov_cloth_positions(cloth, x));
    for (uint32_t i = 0; i < VERTICES; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) {
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            v[k] = (double)(bits >> 11) * 0x1p-53 - 0.5;
        }
        CHECK_OK(ov_cloth_set(cloth, i, x[i], ov_vec3_make(v[0] - 1.0, v[1] - 1.5, v[2] - 1.0)));
    }
    size_t crossed = 0, contacts = 0;
    int frames = check_share(1000);
    for (int i = 0; i < frames; i++) {
        CHECK_OK(ov_cloth_step(cloth, colliders, count, frame));
        crossed += count_crossings(cloth) > 0;
        ov_cloth_state s;
        CHECK_OK(ov_cloth_measure(cloth, &s));
        contacts += s.self_contacts > 0;
        CHECK(isfinite(s.kinetic) && s.speed < 50.0);
    }
    printf("test_cloth_layers: %s, %d frames, %zu with layers in contact, %zu with a crossing\n",
           what, frames, contacts, crossed);
    CHECK(crossed == 0);
    CHECK(check_every() > 1 || contacts > 100);
    ov_cloth_destroy(cloth);
}

/** Into the corner of a floor and two walls, where it crumples. */
static void test_crumpling(void) {
    const ov_cloth_options options = {.self_collision = true};
    ov_shape walls[3];
    ov_cloth_collider colliders[3] = {{.shape = NULL}};
    for (int i = 0; i < 3; i++) {
        ov_vec3 n = {i == 0, i == 1, i == 2};
        CHECK_OK(ov_shape_make_halfspace(n, 0.0, &walls[i]));
        colliders[i] = (ov_cloth_collider){.shape = &walls[i], .friction = 0.4};
    }
    ov_cloth *cloth;
    CHECK_OK(make(ov_vec3_make(0.1, 0.9, 0.1), ov_vec3_make(0.7, -0.6, 0.1),
                  ov_vec3_make(0.1, 0.1, 1.0), &options, &cloth));
    throw_about("crumpling in a corner", cloth, colliders, 3, 11);
}

/** Upright on its edge upon the ground and a rod, with some bending. */
static void test_on_edge(void) {
    const ov_cloth_options options = {.self_collision = true, .bending = 1e-5, .thickness = 4e-3};
    ov_shape ground, rod;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground));
    CHECK_OK(ov_shape_make_capsule(0.06, 0.4, &rod));
    ov_cloth_collider colliders[2] = {{.shape = &ground, .friction = 0.6}, {.shape = &rod}};
    colliders[1].start.position = ov_vec3_make(-0.3, -0.4, 0.1);
    colliders[1].start.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI);
    colliders[1].end = colliders[1].start;
    ov_cloth *cloth;
    CHECK_OK(make(ov_vec3_make(-0.5, 0.0, 0.4), ov_vec3_make(1.0, 0.0, 0.0),
                  ov_vec3_make(0.0, 0.0, 1.0), &options, &cloth));
    throw_about("on its edge", cloth, colliders, 2, 12);
}

/** The same without the promise does cross: the test sees what it is there to see. */
/** A cloth that is held at two sides, of which one is turned over and over: pins pull its layers
 *  together as hard as it takes. */
static void test_wringing(void) {
    enum { ROW = CELLS + 1, WRUNG = 120 };
    ov_cloth_options options = {.self_collision = true, .threads.count = 1};
    ov_cloth *cloth = NULL;
    CHECK_OK(make((ov_vec3){-1, -1, 1}, (ov_vec3){2, 0, 0}, (ov_vec3){0, 2, 0}, &options, &cloth));
    size_t crossed = 0;
    for (int frame = 0; frame < WRUNG; frame++) {
        double angle = frame * 2.0 * M_PI / 100.0;
        for (uint32_t i = 0; i < ROW; i++) {
            double along = -1.0 + 2.0 * i / CELLS;
            ov_vec3 turned = {along * cos(angle), 1.0 - 0.002 * frame, 1.0 + along * sin(angle)};
            CHECK_OK(ov_cloth_pin(cloth, i, (ov_vec3){along, -1, 1}));
            CHECK_OK(ov_cloth_pin(cloth, CELLS * ROW + i, turned));
        }
        CHECK_OK(ov_cloth_step(cloth, NULL, 0, 1.0 / 60.0));
        crossed += count_crossings(cloth) > 0;
    }
    CHECK(crossed == 0);
    ov_cloth_destroy(cloth);
}

/** A cloth that is pulled apart until it is in shreds, which cross nothing either; counted by the
 *  library, whose count is tested below. */
static void test_shreds(void) {
    enum { SIDE = 12, ROW = SIDE + 1, PULLED = 120 };
    ov_vec3 grid[ROW * ROW];
    uint32_t cells[2 * SIDE * SIDE][3];
    CHECK_OK(ov_cloth_grid_fill((ov_vec3){-1, -1, 1}, (ov_vec3){2, 0, 0}, (ov_vec3){0, 2, 0}, SIDE,
                                SIDE, grid, cells));
    ov_cloth_options options = {.self_collision = true, .tear = 10.0, .threads.count = 1};
    ov_cloth *cloth = NULL;
    CHECK_OK(ov_cloth_create(grid, ROW * ROW, (const uint32_t(*)[3])cells, 2 * SIDE * SIDE,
                             &options, &cloth));
    size_t crossed = 0, crossings;
    for (int frame = 0; frame < PULLED; frame++) {
        for (uint32_t i = 0; i < ROW; i++) {
            double along = -1.0 + i / 6.0, way = 1.0 + 0.003 * frame;
            CHECK_OK(ov_cloth_pin(cloth, i, (ov_vec3){along, -way, 1}));
            CHECK_OK(ov_cloth_pin(cloth, SIDE * ROW + i, (ov_vec3){along, way, 1}));
        }
        CHECK_OK(ov_cloth_step(cloth, NULL, 0, 1.0 / 60.0));
        CHECK_OK(ov_cloth_crossings(cloth, &crossings));
        crossed += crossings > 0;
    }
    ov_cloth_state state;
    CHECK_OK(ov_cloth_measure(cloth, &state));
    CHECK(state.tears > 60 && state.stretch < 0.1); // what is torn parts
    CHECK(crossed == 0);
    ov_cloth_destroy(cloth);
}

static void test_that_crossings_are_seen(void) {
    const ov_cloth_options options = {.bending = 1e-4};
    ov_cloth *cloth;
    ov_shape ground;
    CHECK_OK(make(ov_vec3_make(-0.5, 0.02, 0.3), ov_vec3_make(1.0, 0.0, 0.0),
                  ov_vec3_make(0.0, 0.2, 1.0), &options, &cloth));
    CHECK_OK(ov_shape_make_sphere(0.4, &ground));
    ov_cloth_collider collider = {.shape = &ground, .friction = 0.5};
    size_t crossed = 0, own = 0;
    for (int i = 0; i < 60; i++) {
        CHECK_OK(ov_cloth_step(cloth, &collider, 1, frame));
        size_t by_library;
        CHECK_OK(ov_cloth_crossings(cloth, &by_library));
        own += by_library > 0;
        crossed += count_crossings(cloth) > 0;
    }
    CHECK(crossed > 0 && own > 0);
    // and a step from there is refused where crossings are not allowed
    CHECK_OK(ov_cloth_positions(cloth, x));
    static ov_vec3 bad[VERTICES];
    memcpy(bad, x, sizeof bad);
    ov_cloth_destroy(cloth);
    if (own > 0) {
        const ov_cloth_options strict = {.self_collision = true};
        CHECK_OK(make(ov_vec3_make(-0.5, 0.0, 0.3), ov_vec3_make(1.0, 0.0, 0.0),
                      ov_vec3_make(0.0, 0.2, 1.0), &strict, &cloth));
        const ov_vec3 zero = {0.0, 0.0, 0.0};
        for (uint32_t i = 0; i < VERTICES; i++) {
            CHECK_OK(ov_cloth_set(cloth, i, bad[i], zero));
        }
        size_t crossings;
        CHECK_OK(ov_cloth_crossings(cloth, &crossings));
        CHECK_STATUS(ov_cloth_step(cloth, NULL, 0, frame),
                     crossings > 0 ? OV_ERROR_CROSSING : OV_OK);
        ov_cloth_destroy(cloth);
    }
}

/** Three sheets that lie a thickness apart fly on together: layers hold up none that move along. */
static void test_flight(void) {
    enum { CELLS_OF = 6, ONE = 49, SHEETS = 3, CORNERS = 2 * 36 };
    static ov_vec3 at[SHEETS * ONE];
    static uint32_t three[SHEETS * CORNERS][3];
    for (uint32_t k = 0; k < SHEETS; k++) {
        CHECK_OK(ov_cloth_grid_fill(ov_vec3_make(0.0, 0.0, 0.012 * k), ov_vec3_make(1.0, 0.0, 0.0),
                                    ov_vec3_make(0.0, 1.0, 0.0), CELLS_OF, CELLS_OF, at + k * ONE,
                                    three + k * CORNERS));
        for (uint32_t t = 0; t < 3 * CORNERS; t++) {
            three[k * CORNERS + t / 3][t % 3] += k * ONE;
        }
    }
    const ov_cloth_options options = {
        .self_collision = true, .thickness = 0.01, .gravity = {OV_ZERO, OV_ZERO, OV_ZERO}};
    ov_cloth *cloth;
    CHECK_OK(ov_cloth_create(at, SHEETS * ONE, (const uint32_t(*)[3])three, SHEETS * CORNERS,
                             &options, &cloth));
    for (uint32_t i = 0; i < SHEETS * ONE; i++) {
        CHECK_OK(ov_cloth_set(cloth, i, at[i], ov_vec3_make(0.0, 5.0, -10.0)));
    }
    for (int i = 0; i < 10; i++) {
        CHECK_OK(ov_cloth_step(cloth, NULL, 0, frame));
    }
    ov_cloth_state s;
    CHECK_OK(ov_cloth_measure(cloth, &s));
    CHECK_NEAR(s.momentum.y / s.mass, 5.0, 1e-9);
    CHECK_NEAR(s.momentum.z / s.mass, -10.0, 1e-9);
    ov_cloth_destroy(cloth);
}

/** A body at 100 of its sizes in a step takes the cloth along where layers must not cross, too. */
static void test_fast_body(void) {
    const ov_cloth_options options = {.self_collision = true};
    for (int k = 0; k < 2; k++) {
        ov_shape shape;
        ov_cloth *cloth;
        CHECK_OK(k == 0 ? ov_shape_make_sphere(0.05, &shape)
                        : ov_shape_make_box(ov_vec3_make(0.05, 0.04, 0.05), &shape));
        CHECK_OK(make(ov_vec3_make(-1.0, -1.0, 0.0), ov_vec3_make(2.0, 0.0, 0.0),
                      ov_vec3_make(0.0, 2.0, 0.0), &options, &cloth));
        ov_cloth_collider c = {.shape = &shape};
        c.start.position = ov_vec3_make(0.07, 0.2, 5.0);
        c.end.position = ov_vec3_make(0.07, 0.2, -5.0);
        CHECK_OK(ov_cloth_step(cloth, &c, 1, frame));
        CHECK(count_crossings(cloth) == 0);
        double low = 0.0;
        for (size_t i = 0; i < VERTICES; i++) {
            low = fmin(low, x[i].z);
        }
        CHECK(low < -5.0);
        ov_cloth_destroy(cloth);
    }
}

/* ---- meshes */

/** How often triangles of a cloth cross those of a mesh at a pose. */
static size_t mesh_crossings(const ov_cloth *cloth, const ov_vec3 *vertices,
                             const uint32_t (*faces)[3], size_t face_count, ov_pose pose) {
    static triangle all[TRIANGLES];
    size_t crossed = 0;
    take_triangles(cloth, all);
    for (size_t f = 0; f < face_count; f++) {
        triangle t;
        for (int k = 0; k < 3; k++) {
            t.id[k] = UINT32_MAX - (uint32_t)k;
            t.p[k] = ov_pose_apply(pose, vertices[faces[f][k]]);
        }
        find_box(&t);
        for (size_t k = 0; k < TRIANGLES; k++) {
            crossed += cross(&all[k], &t);
        }
    }
    return crossed;
}

/** Meshes that move take a cloth along and cross it at no frame: a plate without thickness that
 *  goes up and down under it, one at 10 m per frame, and one that the cloth lies on from the start.
 */
static void test_moving_mesh(void) {
    static const ov_vec3 corners[4] = {
        {-0.3, -0.3, 0.0}, {0.3, -0.3, 0.0}, {0.3, 0.3, 0.0}, {-0.3, 0.3, 0.0}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    ov_trimesh *mesh;
    ov_geometry *geometry;
    CHECK_OK(ov_trimesh_create(corners, 4, faces, 2, NULL, &mesh));
    const ov_part part = {.mesh = mesh};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &geometry));
    for (int kind = 0; kind < 3; kind++) {
        ov_cloth *cloth;
        CHECK_OK(make(ov_vec3_make(-0.5, -0.48, kind == 2 ? 0.0 : 0.3), ov_vec3_make(1.0, 0.0, 0.0),
                      ov_vec3_make(0.0, 1.0, 0.0), NULL, &cloth));
        ov_cloth_collider c = {.geometry = geometry};
        size_t crossed = 0;
        for (int i = 0; i < (kind == 1 ? 1 : 60); i++) {
            c.start = c.end;
            c.start.position.z = kind == 1 ? 5.0 : c.start.position.z;
            c.end.position.z = kind == 0 ? 0.2 * sin(0.3 * i) : kind == 1 ? -5.0 : 0.0;
            CHECK_OK(ov_cloth_step(cloth, &c, 1, frame));
            // edges that lie upon edges at the start may take half a second to part
            bool parted = kind < 2 || i >= 30;
            crossed += parted && mesh_crossings(cloth, corners, faces, 2, c.end) > 0;
        }
        CHECK(crossed == 0);
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < VERTICES; i++) {
            low = fmin(low, x[i].z);
            high = fmax(high, x[i].z);
        }
        CHECK(kind == 1 ? low < -5.0 : high > -0.3); // taken along, or still there
        ov_cloth_destroy(cloth);
    }
    ov_geometry_destroy(geometry);
    ov_trimesh_destroy(mesh);
}

/** Over an icosphere-like mesh, closed or a surface: no triangle of the cloth crosses one of it. */
static void test_mesh(void) {
    ov_shape ball;
    ov_mesh_plan plan;
    static ov_vec3 vertices[200];
    static uint32_t faces[400][3];
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.3, 0.25, 0.2), &ball));
    CHECK_OK(ov_shape_mesh_plan(&ball, &(ov_mesh_options){.vertices = 150}, &plan));
    CHECK_OK(ov_shape_mesh_fill(&ball, &plan, vertices, NULL, faces));
    ov_trimesh *mesh;
    CHECK_OK(ov_trimesh_create(vertices, plan.vertex_count, (const uint32_t(*)[3])faces,
                               plan.triangle_count, NULL, &mesh));
    const ov_part part = {.mesh = mesh};
    ov_geometry *geometry;
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &geometry));
    ov_cloth *cloth;
    CHECK_OK(make(ov_vec3_make(-0.5, -0.48, 0.3), ov_vec3_make(1.0, 0.0, 0.0),
                  ov_vec3_make(0.0, 1.0, 0.0), NULL, &cloth));
    ov_cloth_collider c = {.geometry = geometry};
    c.start.rotation = c.end.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, 2.0, 0.5), 0.5);
    size_t crossed = 0;
    for (int i = 0; i < check_share(120); i++) {
        CHECK_OK(ov_cloth_step(cloth, &c, 1, frame));
        crossed += mesh_crossings(cloth, vertices, (const uint32_t(*)[3])faces, plan.triangle_count,
                                  c.end);
    }
    double top = -INFINITY;
    for (size_t i = 0; i < VERTICES; i++) {
        top = fmax(top, x[i].z);
    }
    CHECK(crossed == 0);
    CHECK(top > 0.15 && c.impulse.z < 0.0); // it lies there
    ov_cloth_destroy(cloth);
    ov_geometry_destroy(geometry);
    ov_trimesh_destroy(mesh);
}

/* ---- memory */

static ledger books;

/** Makes a cloth, steps it among bodies, tears it, saves it and loads it. */
static ov_status tell(void) {
    ov_cloth_options options = {
        .self_collision = true, .bending = 1e-4, .tear = 0.5, .allocator = {ledger_resize, &books}};
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(0.2, &shape));
    ov_cloth_collider c = {.shape = &shape, .restitution = 0.1};
    ov_cloth *cloth;
    ov_status status = make(ov_vec3_make(-0.5, -0.5, 0.21), ov_vec3_make(1.0, 0.0, 0.0),
                            ov_vec3_make(0.0, 1.0, 0.0), &options, &cloth);
    if (status != OV_OK) {
        CHECK(cloth == NULL);
        return status;
    }
    status = ov_cloth_pin(cloth, 0, x[0]);
    for (int i = 0; i < 12 && status == OV_OK; i++) {
        status = ov_cloth_step(cloth, &c, 1, frame);
    }
    static unsigned char copy[1 << 22];
    CHECK(ov_cloth_snapshot_size(cloth) <= sizeof copy);
    CHECK_OK(ov_cloth_save(cloth, copy, sizeof copy));
    if (status == OV_OK) {
        status = ov_cloth_load(cloth, copy, sizeof copy);
    }
    ov_cloth_state s;
    CHECK_OK(ov_cloth_measure(cloth, &s));
    CHECK(isfinite(s.kinetic) && isfinite(s.elastic));
    ov_cloth_destroy(cloth);
    return status;
}

static void test_memory(void) {
    CHECK_OK(tell());
    CHECK(books.count == 0 && books.bytes == 0);
    long calls = books.calls;
    CHECK(calls > 40);
    for (long at = 1; at <= calls; at += check_every() > 1 ? 7 : 1) {
        books.calls = books.failures = 0;
        books.fails_from = books.fails_to = at;
        ov_status status = tell();
        CHECK_STATUS(status, books.failures > 0 ? OV_ERROR_MEMORY : OV_OK);
        CHECK(books.count == 0 && books.bytes == 0);
    }
    books.fails_from = books.fails_to = 0;
}

int main(void) {
    check_suite = "test_cloth_layers";
    RUN(test_folding);
    RUN(test_crumpling);
    RUN(test_on_edge);
    RUN(test_wringing);
    RUN(test_shreds);
    RUN(test_that_crossings_are_seen);
    RUN(test_flight);
    RUN(test_fast_body);
    RUN(test_mesh);
    RUN(test_moving_mesh);
    RUN(test_memory);
    return check_finish();
}
