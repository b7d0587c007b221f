/**
 * @file terrain.c
 * @brief Terrain Cloth [Thesis, 4.4]: a cloth over bodies that are half buried, and a walk on it.
 *
 * The page says where bodies are to be and how large; here they go there at a limited speed, as a
 * cloth cannot follow a body that jumps. Lengths are metres, z is up, the ground is z = 0.
 *
 * A walk makes the cloth a rigid mesh, with the ground below. The walker is a superovoid that goes
 * by casts: each part of its way is free as far as ov_trimesh_shape_cast proves it, and goes on
 * along what it met.
 *
 * The mannequin of the touch lab stands here too: a garment is a cloth of any cut, and the parts of
 * a figure are bodies that go where the page leads them.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/sim_cloth.h>
#include <ovoid/trimesh.h>

#include "export.h"

enum { BODIES_MAX = 128, BODY_NUMBERS = 8, GRABS_MAX = 64, OUT_WALK = 8 };

static const double MOVE_SPEED = 7.0, GROW_SPEED = 3.0, TURN_SPEED = 6.0; // of bodies
static const double LARGEST = 1e3;  // coordinates and sizes of the page
static const double SKIN = 0.004;   // the walker keeps this distance
static const double STEEPEST = 0.5; // cosine of the steepest slope to stand on
static const double WALK_HALF = 0.17;

/** Where a body is, or is to be. */
typedef struct place {
    double x, y, z;    // centre
    double a1, a2, a3; // half width, half depth, height
    double e1, e2, angle;
} place;

typedef struct body {
    bool used, leaves; // leaves: sinks, and is gone then
    place now, goal;
    bool part; // of a figure: it has a pose instead, and where that is to be
    ov_pose pose, aim;
    /** Two, in turn: a cloth knows a collider by the address of its shape. */
    ov_shape shapes[2];
    int shape;
} body;

typedef struct terrain {
    ov_cloth *cloth;
    size_t vertices, triangles;
    uint32_t columns;
    double side;
    body bodies[BODIES_MAX];
    ov_shape ground;
    ov_cloth_collider colliders[BODIES_MAX + 1];
    uint32_t collider_body[BODIES_MAX + 1];
    size_t collider_count;
    ov_vec3 *positions, *scratch;
    float *picture; // positions, then normals
    uint8_t *pinned;
    struct {
        uint32_t vertex;
        ov_vec3 offset; // from the vertex under the finger
        double stiffness;
    } grabs[GRABS_MAX];
    int grab_count;
    double grip;   // stiffness of a grab in its middle, N/m
    double hit[4]; // of the last pick: point, distance
    // the walk
    ov_trimesh *mesh;
    ov_shape walker;
    ov_vec3 at, velocity;
    bool stands;
    double walk[OUT_WALK];
} terrain;

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double towards(double x, double goal, double most) {
    return x + clamp(goal - x, -most, most);
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

static ov_pose body_pose(const place *p) {
    ov_pose pose;
    pose.position = ov_vec3_make(p->x, p->y, p->z);
    pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), p->angle);
    return pose;
}

static ov_pose pose_of(const body *b) { return b->part ? b->pose : body_pose(&b->now); }

static bool remake(body *b) {
    ov_shape shape;
    ov_vec3 a = ov_vec3_make(b->now.a1, b->now.a2, b->now.a3);
    if (ov_shape_make_superellipsoid(a, b->now.e1, b->now.e2, &shape) != OV_OK) {
        return false;
    }
    b->shape = 1 - b->shape;
    b->shapes[b->shape] = shape;
    return true;
}

/** A step of a body towards its goal; its collider's start and end. */
static void move_body(body *b, double dt, ov_cloth_collider *collider) {
    place old = b->now, *p = &b->now, goal = b->goal;
    if (b->leaves) {
        goal.z = -1.05 * p->a3;
    }
    double way = hypot(goal.x - p->x, goal.y - p->y);
    double part = way > MOVE_SPEED * dt ? MOVE_SPEED * dt / way : 1.0;
    p->x += (goal.x - p->x) * part;
    p->y += (goal.y - p->y) * part;
    p->z = towards(p->z, goal.z, GROW_SPEED * dt);
    p->a1 = towards(p->a1, goal.a1, GROW_SPEED * dt);
    p->a2 = towards(p->a2, goal.a2, GROW_SPEED * dt);
    p->a3 = towards(p->a3, goal.a3, GROW_SPEED * dt);
    p->e1 = towards(p->e1, goal.e1, GROW_SPEED * dt);
    p->e2 = towards(p->e2, goal.e2, GROW_SPEED * dt);
    p->angle = towards(p->angle, goal.angle, TURN_SPEED * dt);
    bool same =
        old.a1 == p->a1 && old.a2 == p->a2 && old.a3 == p->a3 && old.e1 == p->e1 && old.e2 == p->e2;
    if (!same && !remake(b)) { // cannot be: the numbers are between such that were good
        *p = old;
    }
    memset(collider, 0, sizeof *collider);
    collider->shape = &b->shapes[b->shape];
    collider->start = body_pose(&old);
    collider->end = body_pose(p);
    collider->friction = 0.45;
}

/** A part of a figure goes where it is led in this step: the page sees to its speed. */
static void move_part(body *b, ov_cloth_collider *collider) {
    memset(collider, 0, sizeof *collider);
    collider->shape = &b->shapes[b->shape];
    collider->start = b->pose;
    collider->end = b->pose = b->aim;
    collider->friction = 0.6;
}

static void place_colliders(terrain *t, double dt) {
    t->collider_count = 0;
    for (uint32_t i = 0; i < BODIES_MAX; i++) {
        body *b = &t->bodies[i];
        if (!b->used) {
            continue;
        }
        if (b->leaves && b->now.z <= -b->now.a3) {
            b->used = false;
            continue;
        }
        t->collider_body[t->collider_count] = i;
        ov_cloth_collider *collider = &t->colliders[t->collider_count++];
        if (b->part) {
            move_part(b, collider);
        } else {
            move_body(b, dt, collider);
        }
    }
    ov_cloth_collider *ground = &t->colliders[t->collider_count++];
    memset(ground, 0, sizeof *ground);
    ground->shape = &t->ground;
    ground->friction = 0.5;
}

/* ---- the cloth --------------------------------------------------------------------------------
 */

static const double CLOTH_START = 2.2; // height from which it falls

/** Room for the vertices of a cloth. */
static bool make_room(terrain *t, size_t vertices) {
    t->vertices = vertices;
    t->positions = malloc(vertices * sizeof *t->positions);
    t->scratch = malloc(vertices * sizeof *t->scratch);
    t->picture = malloc(vertices * 6 * sizeof *t->picture);
    t->pinned = calloc(vertices, 1);
    return t->positions && t->scratch && t->picture && t->pinned;
}

static bool make_cloth(terrain *t) {
    size_t n = (size_t)t->columns + 1;
    t->triangles = 2 * (size_t)t->columns * t->columns;
    uint32_t(*triangles)[3] = malloc(t->triangles * sizeof *triangles);
    bool made = make_room(t, n * n) && triangles;
    double half = 0.5 * t->side;
    made =
        made && ov_cloth_grid_fill(ov_vec3_make(-half, -half, CLOTH_START),
                                   ov_vec3_make(t->side, 0.0, 0.0), ov_vec3_make(0.0, t->side, 0.0),
                                   t->columns, t->columns, t->positions, triangles) == OV_OK;
    ov_cloth_options options = ov_default_cloth_options();
    options.thickness = 0.02;
    options.bending = 2e-4;
    options.damping = 4.0;
    options.stretch = 3000.0;
    options.shear = 600.0;
    options.density = 0.3;
    options.air = 1.2;
    options.substeps = 6;
    options.iterations = 5;
    options.threads.count = 1;
    made = made && ov_cloth_create(t->positions, t->vertices, triangles, t->triangles, &options,
                                   &t->cloth) == OV_OK;
    free(triangles);
    return made;
}

/** A garment, of cotton: as it is cut, so long are its edges. */
static bool sew(terrain *t, const uint32_t (*triangles)[3]) {
    const ov_cloth_options options = {.thickness = 0.008,
                                      .bending = 2e-5,
                                      .damping = 2.0,
                                      .stretch = 2000.0,
                                      .shear = 300.0,
                                      .density = 0.2,
                                      .air = 0.4,
                                      .threads = {.count = 1}};
    return ov_cloth_create(t->positions, t->vertices, triangles, t->triangles, &options,
                           &t->cloth) == OV_OK;
}

static ov_vec3 as_vec3(const float *p) { return ov_vec3_make(p[0], p[1], p[2]); }

/** Positions as floats, and smooth normals, for the page. */
static void draw(terrain *t) {
    ov_cloth_positions(t->cloth, t->positions);
    float *normals = t->picture + 3 * t->vertices;
    memset(normals, 0, 3 * t->vertices * sizeof *normals);
    for (size_t i = 0; i < t->vertices; i++) {
        t->picture[3 * i] = (float)t->positions[i].x;
        t->picture[3 * i + 1] = (float)t->positions[i].y;
        t->picture[3 * i + 2] = (float)t->positions[i].z;
    }
    const uint32_t(*triangles)[3] = ov_cloth_triangles(t->cloth);
    for (size_t i = 0; i < t->triangles; i++) {
        const uint32_t *c = triangles[i];
        ov_vec3 p = t->positions[c[0]];
        ov_vec3 n =
            ov_vec3_cross(ov_vec3_sub(t->positions[c[1]], p), ov_vec3_sub(t->positions[c[2]], p));
        for (int k = 0; k < 3; k++) {
            normals[3 * c[k]] += (float)n.x;
            normals[3 * c[k] + 1] += (float)n.y;
            normals[3 * c[k] + 2] += (float)n.z;
        }
    }
    for (size_t i = 0; i < t->vertices; i++) {
        ov_vec3 n = ov_vec3_normalize(as_vec3(normals + 3 * i));
        normals[3 * i] = (float)n.x;
        normals[3 * i + 1] = (float)n.y;
        normals[3 * i + 2] = (float)n.z;
    }
}

static void let_go(terrain *t) {
    for (int i = 0; i < t->grab_count; i++) {
        if (!t->pinned[t->grabs[i].vertex]) {
            ov_cloth_release(t->cloth, t->grabs[i].vertex);
        }
    }
    t->grab_count = 0;
}

STUDIO_EXPORT(terrain_destroy) void terrain_destroy(terrain *t) {
    if (t) {
        ov_cloth_destroy(t->cloth);
        ov_trimesh_destroy(t->mesh);
        free(t->positions);
        free(t->scratch);
        free(t->picture);
        free(t->pinned);
        free(t);
    }
}

/** A square cloth of (columns + 1)^2 vertices above an empty ground; null where that fails. */
STUDIO_EXPORT(terrain_create) terrain *terrain_create(uint32_t columns, double side) {
    if (columns < 2 || columns > 256 || !(side > 0.01 && side < LARGEST)) {
        return NULL;
    }
    terrain *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->columns = columns;
    t->side = side;
    t->grip = 60.0;
    if (ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &t->ground) != OV_OK ||
        !make_cloth(t)) {
        terrain_destroy(t);
        return NULL;
    }
    draw(t);
    return t;
}

/** A garment of so many vertices (3 doubles each) and triangles, above an empty ground; null where
 *  they make none. */
STUDIO_EXPORT(terrain_garment)
terrain *terrain_garment(uint32_t vertices, const double *positions, uint32_t triangles,
                         const uint32_t *corners) {
    if (vertices < 3 || vertices > 20000 || triangles < 1 || triangles > 40000) {
        return NULL;
    }
    terrain *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->side = 4.0;
    t->grip = 3.0; // a hand that tears a garment off tangles it
    t->triangles = triangles;
    bool made = make_room(t, vertices);
    for (size_t i = 0; made && i < vertices; i++) {
        const double *p = positions + 3 * i;
        t->positions[i] = ov_vec3_make(p[0], p[1], p[2]);
    }
    // a dressmaker's triangles: three numbers each, one after the other
    const uint32_t(*rows)[3] = (const uint32_t(*)[3])corners;
    if (!made || ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &t->ground) != OV_OK ||
        !sew(t, rows)) {
        terrain_destroy(t);
        return NULL;
    }
    draw(t);
    return t;
}

/**
 * The next pose of part i of a figure: position, rotation (w first), and, where it is new, its
 * shape: semi-axes, exponents and tapers of a superovoid. False: no such body, or numbers that make
 * none.
 */
STUDIO_EXPORT(terrain_part) int terrain_part(terrain *t, uint32_t i, const double *row) {
    if (i >= BODIES_MAX) {
        return 0;
    }
    body *b = &t->bodies[i];
    ov_pose pose = {.position = ov_vec3_make(row[0], row[1], row[2])};
    if (ov_quat_normalize((ov_quat){row[3], row[4], row[5], row[6]}, &pose.rotation) != OV_OK ||
        !(ov_vec3_length(pose.position) < LARGEST)) {
        return 0;
    }
    if (!b->used) {
        if (ov_shape_make_superovoid(ov_vec3_make(row[7], row[8], row[9]), row[10], row[11],
                                     row[12], row[13], NULL, &b->shapes[0]) < 0) {
            return 0;
        }
        b->shape = 0;
        b->used = b->part = true;
        b->pose = pose;
    }
    b->aim = pose;
    return 1;
}

STUDIO_EXPORT(terrain_vertex_count) uint32_t terrain_vertex_count(const terrain *t) {
    return (uint32_t)t->vertices;
}
STUDIO_EXPORT(terrain_triangle_count) uint32_t terrain_triangle_count(const terrain *t) {
    return (uint32_t)t->triangles;
}
STUDIO_EXPORT(terrain_triangles) const uint32_t *terrain_triangles(const terrain *t) {
    return ov_cloth_triangles(t->cloth)[0];
}
/** Positions as 32-bit floats, then normals. */
STUDIO_EXPORT(terrain_picture) const float *terrain_picture(const terrain *t) { return t->picture; }
/** Positions as they are. */
STUDIO_EXPORT(terrain_positions) const double *terrain_positions(const terrain *t) {
    return &t->positions->x;
}

/** Room for what the page hands over: 3 doubles a vertex. */
STUDIO_EXPORT(terrain_scratch) double *terrain_scratch(const terrain *t) { return &t->scratch->x; }

/**
 * Where body i is to be: x, y, half width, half depth, height, e1, e2, angle. A new one rises from
 * below; `at_once`: it is there already. False: no such body, or numbers that make none.
 */
STUDIO_EXPORT(terrain_body)
int terrain_body(terrain *t, uint32_t i, double x, double y, double a1, double a2, double a3,
                 double e1, double e2, double angle, int at_once) {
    if (i >= BODIES_MAX || !(fabs(x) < LARGEST && fabs(y) < LARGEST && fabs(angle) < LARGEST) ||
        !(a1 < LARGEST && a2 < LARGEST && a3 < LARGEST)) {
        return 0;
    }
    body *b = &t->bodies[i];
    ov_shape trial;
    if (ov_shape_make_superellipsoid(ov_vec3_make(a1, a2, a3), e1, e2, &trial) != OV_OK) {
        return 0;
    }
    b->goal = (place){x, y, 0.0, a1, a2, a3, e1, e2, angle};
    b->leaves = false;
    if (!b->used || at_once) {
        b->now = b->goal;
        b->now.z = at_once ? 0.0 : -1.02 * a3;
        b->used = remake(b);
    }
    return b->used;
}

STUDIO_EXPORT(terrain_remove_body) void terrain_remove_body(terrain *t, uint32_t i, int at_once) {
    if (i < BODIES_MAX) {
        t->bodies[i].leaves = true;
        t->bodies[i].used = t->bodies[i].used && !at_once;
    }
}

/** Where body i is now, as terrain_body takes it, and its centre's height; false: nowhere. */
STUDIO_EXPORT(terrain_body_now) int terrain_body_now(const terrain *t, uint32_t i, double *out) {
    if (i >= BODIES_MAX || !t->bodies[i].used || t->bodies[i].part) {
        return 0;
    }
    const place *p = &t->bodies[i].now;
    const double row[9] = {p->x, p->y, p->a1, p->a2, p->a3, p->e1, p->e2, p->angle, p->z};
    memcpy(out, row, sizeof row);
    return 1;
}

/** A step of `dt` seconds; the status of the cloth. */
STUDIO_EXPORT(terrain_step) int terrain_step(terrain *t, double dt) {
    place_colliders(t, dt);
    ov_status status = ov_cloth_step(t->cloth, t->colliders, t->collider_count, dt);
    draw(t);
    return status;
}

/** The cloth's fastest speed: whether it still moves. */
STUDIO_EXPORT(terrain_speed) double terrain_speed(const terrain *t) {
    ov_cloth_state state;
    return ov_cloth_measure(t->cloth, &state) == OV_OK ? state.speed : -1.0;
}

/** Upper bound of the depth of any triangle in a body, by the certified query. */
STUDIO_EXPORT(terrain_depth) double terrain_depth(const terrain *t) {
    ov_cloth_depth depth;
    ov_status status = ov_cloth_deepest(t->cloth, t->colliders, t->collider_count, &depth);
    return status < 0 ? -1.0 : depth.depth_upper;
}

/** Back to positions that were kept, at rest: 3 doubles a vertex. */
STUDIO_EXPORT(terrain_restore) void terrain_restore(terrain *t, const double *positions) {
    let_go(t);
    for (uint32_t i = 0; i < t->vertices; i++) {
        const double *p = positions + (size_t)3 * i;
        ov_cloth_set(t->cloth, i, ov_vec3_make(p[0], p[1], p[2]), ov_vec3_make(0.0, 0.0, 0.0));
    }
    draw(t);
}

/* ---- fingers ----------------------------------------------------------------------------------
 */

/** The vertex of the cloth that a ray meets first, or -1; terrain_hit has where. */
STUDIO_EXPORT(terrain_pick_cloth)
int terrain_pick_cloth(terrain *t, double ox, double oy, double oz, double dx, double dy,
                       double dz) {
    uint32_t vertex = OV_NO_TRIANGLE;
    ov_vec3 o = ov_vec3_make(ox, oy, oz), d = ov_vec3_normalize(ov_vec3_make(dx, dy, dz));
    double distance = 0.0;
    if (ov_cloth_pick(t->cloth, o, d, &vertex, &distance) < 0 || vertex == OV_NO_TRIANGLE) {
        return -1;
    }
    ov_vec3 p = ov_vec3_add_scaled(o, d, distance);
    const double hit[4] = {p.x, p.y, p.z, distance};
    memcpy(t->hit, hit, sizeof hit);
    return (int)vertex;
}

/** The first body on a ray, through the cloth, or -1. */
STUDIO_EXPORT(terrain_pick_body)
int terrain_pick_body(terrain *t, double ox, double oy, double oz, double dx, double dy,
                      double dz) {
    ov_vec3 o = ov_vec3_make(ox, oy, oz), d = ov_vec3_make(dx, dy, dz);
    int found = -1;
    double least = INFINITY;
    for (uint32_t i = 0; i < BODIES_MAX; i++) {
        const body *b = &t->bodies[i];
        ov_ray_hit hit;
        if (!b->used || b->leaves ||
            ov_ray_cast(&b->shapes[b->shape], pose_of(b), o, d, INFINITY, &hit) < 0) {
            continue;
        }
        // what is below the ground is not seen
        if (hit.hit && hit.distance < least && hit.point.z > -1e-9) {
            least = hit.distance;
            found = (int)i;
            const double point[4] = {hit.point.x, hit.point.y, hit.point.z, hit.distance};
            memcpy(t->hit, point, sizeof point);
        }
    }
    return found;
}

STUDIO_EXPORT(terrain_hit) const double *terrain_hit(const terrain *t) { return t->hit; }

/** Takes the cloth by a vertex and those near it, the farther the softer. */
STUDIO_EXPORT(terrain_grab) void terrain_grab(terrain *t, uint32_t vertex, double radius) {
    let_go(t);
    if (vertex >= t->vertices) {
        return;
    }
    ov_vec3 middle = t->positions[vertex];
    for (uint32_t i = 0; i < t->vertices && t->grab_count < GRABS_MAX; i++) {
        ov_vec3 offset = ov_vec3_sub(t->positions[i], middle);
        double away = ov_vec3_length(offset);
        if ((i == vertex || away < radius) && !t->pinned[i]) {
            t->grabs[t->grab_count].vertex = i;
            t->grabs[t->grab_count].offset = offset;
            t->grabs[t->grab_count++].stiffness = t->grip * (1.0 - 0.9 * fmin(1.0, away / radius));
        }
    }
}

/** Leads what was grabbed. */
STUDIO_EXPORT(terrain_lead) void terrain_lead(terrain *t, double x, double y, double z) {
    ov_vec3 p = ov_vec3_make(clamp(x, -LARGEST, LARGEST), clamp(y, -LARGEST, LARGEST),
                             clamp(z, 0.0, LARGEST));
    for (int i = 0; i < t->grab_count; i++) {
        ov_cloth_grab(t->cloth, t->grabs[i].vertex, ov_vec3_add(p, t->grabs[i].offset),
                      t->grabs[i].stiffness);
    }
}

STUDIO_EXPORT(terrain_let_go) void terrain_let_go(terrain *t) { let_go(t); }

/** A clothespin: holds a vertex at a point of the air. */
STUDIO_EXPORT(terrain_pin)
int terrain_pin(terrain *t, uint32_t vertex, double x, double y, double z) {
    if (vertex >= t->vertices ||
        ov_cloth_pin(t->cloth, vertex, ov_vec3_make(x, y, fmax(z, 0.0))) != OV_OK) {
        return 0;
    }
    t->pinned[vertex] = 1;
    return 1;
}

STUDIO_EXPORT(terrain_unpin) void terrain_unpin(terrain *t, uint32_t vertex) {
    if (vertex < t->vertices && t->pinned[vertex]) {
        t->pinned[vertex] = 0;
        ov_cloth_release(t->cloth, vertex);
    }
}

/* ---- the walk ---------------------------------------------------------------------------------
 */

/** The cloth as it is now, and the ground around and below it. */
static bool make_walk_mesh(terrain *t) {
    size_t vertices = t->vertices + 4, triangles = t->triangles + 2;
    ov_vec3 *points = malloc(vertices * sizeof *points);
    uint32_t(*corners)[3] = malloc(triangles * sizeof *corners);
    bool made = points && corners;
    if (made) {
        double far = 4.0 * t->side;
        uint32_t g = (uint32_t)t->vertices;
        memcpy(points, t->positions, t->vertices * sizeof *points);
        memcpy(corners, ov_cloth_triangles(t->cloth), t->triangles * sizeof *corners);
        points[g] = ov_vec3_make(-far, -far, 0.0);
        points[g + 1] = ov_vec3_make(far, -far, 0.0);
        points[g + 2] = ov_vec3_make(far, far, 0.0);
        points[g + 3] = ov_vec3_make(-far, far, 0.0);
        const uint32_t ground[2][3] = {{g, g + 1, g + 2}, {g, g + 2, g + 3}};
        memcpy(corners + t->triangles, ground, sizeof ground);
        ov_trimesh_destroy(t->mesh);
        t->mesh = NULL;
        made = ov_trimesh_create_surface(points, vertices, (const uint32_t(*)[3])corners, triangles,
                                         NULL, &t->mesh) == OV_OK;
    }
    free(points);
    free(corners);
    return made;
}

static ov_pose walker_pose(const terrain *t) {
    ov_pose pose = ov_pose_identity();
    pose.position = t->at;
    return pose;
}

/** Height of the cloth's top at x, y. */
static double top_at(const terrain *t, double x, double y) {
    ov_ray_hit hit;
    ov_status status = ov_trimesh_ray_cast(t->mesh, ov_pose_identity(), ov_vec3_make(x, y, 100.0),
                                           ov_vec3_make(0.0, 0.0, -1.0), 200.0, &hit, NULL);
    return status >= 0 && hit.hit ? hit.point.z : 0.0;
}

/** Starts a walk near x, y, on top of what is there. */
STUDIO_EXPORT(terrain_walk_start) int terrain_walk_start(terrain *t, double x, double y) {
    let_go(t);
    if (!make_walk_mesh(t) ||
        ov_shape_make_superovoid(ov_vec3_make(0.085, 0.085, WALK_HALF), 1.0, 0.9, -0.25, -0.25,
                                 NULL, &t->walker) != OV_OK) {
        return 0;
    }
    t->velocity = ov_vec3_make(0.0, 0.0, 0.0);
    t->at = ov_vec3_make(x, y, top_at(t, x, y) + 3.0 * WALK_HALF);
    t->stands = false;
    return 1;
}

/** Moves out of what is closer than the skin: a few rounds along the normals. */
static void push_out(terrain *t) {
    for (int round = 0; round < 4; round++) {
        ov_trimesh_contact c;
        ov_status status = ov_trimesh_shape_contact(t->mesh, ov_pose_identity(), &t->walker,
                                                    walker_pose(t), 2.0 * SKIN, NULL, &c);
        if (status < 0 || c.contact.gap >= 0.5 * SKIN) {
            return;
        }
        t->at = ov_vec3_add_scaled(t->at, c.contact.normal, SKIN - c.contact.gap);
    }
}

/** Goes along `way` as far as it is free, then along what is met, `falling` only as far as to
 * ground that can be stood on; true if there was such ground. */
static bool slide(terrain *t, ov_vec3 way, bool falling) {
    bool ground = false;
    for (int round = 0; round < 4; round++) {
        double length = ov_vec3_length(way);
        if (length < 1e-7) {
            break;
        }
        ov_cast_hit hit;
        ov_status status = ov_trimesh_shape_cast(&t->walker, walker_pose(t), way, t->mesh,
                                                 ov_pose_identity(), NULL, &hit, NULL);
        if (status < 0) {
            break;
        }
        if (!hit.hit && status == OV_OK) {
            t->at = ov_vec3_add(t->at, way);
            break;
        }
        double part = clamp(hit.fraction_lower - SKIN / length, 0.0, 1.0);
        t->at = ov_vec3_add_scaled(t->at, way, part);
        ov_vec3 n = hit.contact.normal; // from the walker to the terrain
        ground = ground || -n.z > STEEPEST;
        if (falling && ground) {
            t->velocity.z = fmax(t->velocity.z, 0.0);
            break;
        }
        way = ov_vec3_scale(way, 1.0 - part);
        double into = ov_vec3_dot(way, n);
        way = into > 0.0 ? ov_vec3_add_scaled(way, n, -into) : way;
        double hits = ov_vec3_dot(t->velocity, n);
        if (hits > 0.0) {
            t->velocity = ov_vec3_add_scaled(t->velocity, n, -hits);
        }
    }
    return ground;
}

/** A step of the walk: (mx, my) of length up to 1 in the world's axes, and whether it jumps. */
STUDIO_EXPORT(terrain_walk_step)
const double *terrain_walk_step(terrain *t, double mx, double my, int jump, double dt) {
    if (t->mesh && dt > 0.0 && dt <= 0.1 && isfinite(mx) && isfinite(my)) {
        double length = fmax(1.0, hypot(mx, my));
        double speed = 1.3, grip = t->stands ? 12.0 : 2.5;
        t->velocity.x += (speed * mx / length - t->velocity.x) * fmin(1.0, grip * dt);
        t->velocity.y += (speed * my / length - t->velocity.y) * fmin(1.0, grip * dt);
        if (jump && t->stands) {
            t->velocity.z = 2.4;
            t->stands = false;
        }
        t->velocity.z -= 6.0 * dt;
        push_out(t);
        ov_vec3 level = ov_vec3_make(t->velocity.x * dt, t->velocity.y * dt, 0.0);
        slide(t, level, false);
        bool was = t->stands;
        double drop = t->velocity.z * dt;
        if (was && t->velocity.z <= 0.0) { // stays on the ground downhill
            drop = fmin(drop, -0.035);
        }
        ov_vec3 before = t->at;
        t->stands = slide(t, ov_vec3_make(0.0, 0.0, drop), true);
        if (!t->stands && was && t->velocity.z <= 0.0) { // a drop, not a slope: fall from here
            t->at = before;
            slide(t, ov_vec3_make(0.0, 0.0, t->velocity.z * dt), true);
        }
        double far = 1.5 * t->side;
        t->at.x = clamp(t->at.x, -far, far);
        t->at.y = clamp(t->at.y, -far, far);
    }
    const double row[OUT_WALK] = {t->at.x,       t->at.y,       t->at.z,   t->velocity.x,
                                  t->velocity.y, t->velocity.z, t->stands, WALK_HALF};
    memcpy(t->walk, row, sizeof row);
    return t->walk;
}

/** Gap of the walker to the terrain, for the camera and for tests; NaN without a walk. */
STUDIO_EXPORT(terrain_walk_gap) double terrain_walk_gap(const terrain *t) {
    ov_trimesh_contact c;
    if (!t->mesh || ov_trimesh_shape_contact(t->mesh, ov_pose_identity(), &t->walker,
                                             walker_pose(t), INFINITY, NULL, &c) < 0) {
        return NAN;
    }
    return c.contact.gap;
}

/** How far a camera can go from the walker along a direction before the terrain is in its way. */
STUDIO_EXPORT(terrain_walk_view)
double terrain_walk_view(const terrain *t, double dx, double dy, double dz, double reach) {
    ov_ray_hit hit;
    if (!t->mesh || ov_trimesh_ray_cast(t->mesh, ov_pose_identity(), t->at,
                                        ov_vec3_make(dx, dy, dz), reach, &hit, NULL) < 0) {
        return reach;
    }
    return hit.hit ? hit.distance : reach;
}

STUDIO_EXPORT(terrain_walk_end) void terrain_walk_end(terrain *t) {
    ov_trimesh_destroy(t->mesh);
    t->mesh = NULL;
}
