/**
 * @file world_zoo.h
 * @brief Random worlds of all kinds of bodies, with a mirror of what is in them.
 */
#ifndef OVOID_TESTS_WORLD_ZOO_H
#define OVOID_TESTS_WORLD_ZOO_H

#include <float.h>
#include <string.h>

#include "check.h"

#include <ovoid/world.h>

/* ---- geometries of all kinds */

typedef enum wc_kind {
    WC_SPHERE,
    WC_ELLIPSOID,
    WC_SUPERELLIPSOID,
    WC_SUPEROVOID,
    WC_BOX,
    WC_CAPSULE,
    WC_CYLINDER,
    WC_CONE,
    WC_POLYHEDRON,
    WC_TRIANGLE,
    WC_SEGMENT,
    WC_POINT,
    WC_CUSTOM,
    WC_COMPOUND, /**< two to four of the kinds before */
    WC_MESH,
    WC_MESH_AND_SHAPE,
    WC_HALFSPACE,
    WC_KINDS
} wc_kind;

/** Kinds up to here have a bounded convex shape. */
enum { WC_CONVEX = WC_COMPOUND, WC_ZOO_MAX = 40, WC_CORNERS = 12 };

/** Geometries, and what they refer to. It must not move. */
typedef struct wc_zoo {
    ov_geometry *geometries[WC_ZOO_MAX];
    wc_kind kinds[WC_ZOO_MAX];
    size_t count;
    ov_vec3 corners[WC_CORNERS]; /**< of the polyhedra */
    ov_vec3 custom;              /**< semi-axes of the custom body, an ellipsoid */
    ov_trimesh *mesh;
    double size;
} wc_zoo;

static inline ov_vec3 wc_custom_support(const void *user, ov_vec3 n) {
    const ov_vec3 *a = user;
    ov_vec3 m = ov_vec3_mul(*a, n);
    return ov_vec3_scale(ov_vec3_mul(*a, m), 1.0 / ov_vec3_length(m));
}

static inline double wc_length(check_random *r, double size) {
    return size * check_uniform(r, 0.3, 1.0);
}

static inline ov_vec3 wc_lengths(check_random *r, double size) {
    return ov_vec3_make(wc_length(r, size), wc_length(r, size), wc_length(r, size));
}

static inline ov_vec3 wc_point(check_random *r, double size) {
    return ov_vec3_scale(check_unit_vector(r), size * cbrt(check_uniform(r, 0.0, 1.0)));
}

static inline ov_shape wc_shape(const wc_zoo *zoo, check_random *r, wc_kind kind) {
    ov_shape s;
    double z = zoo->size, e1 = check_uniform(r, 0.2, 1.8), e2 = check_uniform(r, 0.2, 1.6);
    ov_vec3 a = wc_lengths(r, z), p = wc_point(r, z), q = wc_point(r, z), t = wc_point(r, z);
    memset(&s, 0, sizeof s);
    switch (kind) {
    case WC_SPHERE:
        CHECK_OK(ov_shape_make_sphere(a.x, &s));
        break;
    case WC_ELLIPSOID:
        CHECK_OK(ov_shape_make_ellipsoid(a, &s));
        break;
    case WC_SUPERELLIPSOID:
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
        break;
    case WC_SUPEROVOID:
        e2 = check_uniform(r, 0.3, 1.2);
        CHECK_OK(ov_shape_make_superovoid(a, e1, e2, 0.2, 0.2, NULL, &s));
        break;
    case WC_BOX:
        CHECK_OK(ov_shape_make_box(a, &s));
        break;
    case WC_CAPSULE:
        CHECK_OK(ov_shape_make_capsule(0.5 * a.x, a.y, &s));
        break;
    case WC_CYLINDER:
        CHECK_OK(ov_shape_make_cylinder(a.x, a.y, &s));
        break;
    case WC_CONE:
        CHECK_OK(ov_shape_make_cone(a.x, a.y, &s));
        break;
    case WC_POLYHEDRON:
        CHECK_OK(ov_shape_make_polyhedron(zoo->corners, WC_CORNERS, NULL, 0, &s));
        break;
    case WC_TRIANGLE:
        CHECK_OK(ov_shape_make_triangle(p, q, t, &s));
        break;
    case WC_SEGMENT:
        CHECK_OK(ov_shape_make_segment(p, q, &s));
        break;
    case WC_POINT:
        CHECK_OK(ov_shape_make_point(p, &s));
        break;
    case WC_CUSTOM: {
        double radius = fmax(zoo->custom.x, fmax(zoo->custom.y, zoo->custom.z)) * (1.0 + 1e-12);
        ov_ball ball = {{0.0, 0.0, 0.0}, radius};
        CHECK_OK(ov_shape_make_custom(wc_custom_support, &zoo->custom, ball, &s));
        break;
    }
    default:
        CHECK_OK(ov_shape_make_halfspace(check_unit_vector(r), z * check_uniform(r, -1, 1), &s));
    }
    return s;
}

static inline ov_part wc_part_of(ov_shape shape, ov_pose pose) {
    return (ov_part){.shape = shape, .pose = pose};
}

static inline void wc_add_kind(wc_zoo *zoo, check_random *r, wc_kind kind) {
    ov_part parts[4];
    size_t count = 1;
    parts[0] = wc_part_of(wc_shape(zoo, r, kind), ov_pose_identity());
    if (kind == WC_COMPOUND || kind == WC_MESH_AND_SHAPE) {
        count = 2 + (size_t)(check_random_bits(r) >> 8) % 3;
        for (size_t i = 0; i < count; i++) {
            wc_kind of = (wc_kind)((check_random_bits(r) >> 8) % WC_CONVEX);
            parts[i] = wc_part_of(wc_shape(zoo, r, of),
                                  (ov_pose){wc_point(r, zoo->size), check_rotation(r)});
        }
    }
    if (kind == WC_MESH || kind == WC_MESH_AND_SHAPE) {
        parts[0] = (ov_part){.mesh = zoo->mesh, .pose = parts[0].pose};
    }
    CHECK_OK(ov_geometry_create(parts, count, NULL, &zoo->geometries[zoo->count]));
    zoo->kinds[zoo->count++] = kind;
}

/** A closed bumpy surface of twenty triangles, and corners of a convex body. */
static inline void wc_make_corners(wc_zoo *zoo, check_random *r, ov_vec3 bumpy[WC_CORNERS]) {
    const double g = 0.5 * (1.0 + sqrt(5.0));
    for (int i = 0; i < WC_CORNERS; i++) {
        double one = (i & 1) != 0 ? 1.0 : -1.0, golden = (i & 2) != 0 ? g : -g;
        double v[3] = {0.0, one, golden};
        int k = i / 4;
        ov_vec3 c = {v[k], v[(k + 1) % 3], v[(k + 2) % 3]};
        zoo->corners[i] = ov_vec3_scale(c, 0.4 * zoo->size * check_uniform(r, 0.9, 1.0));
        bumpy[i] = ov_vec3_scale(c, 0.4 * zoo->size * check_uniform(r, 0.5, 1.5));
    }
}

/** Triangles of the corners that are 2 apart: those of an icosahedron. */
static inline size_t wc_make_triangles(uint32_t triangles[20][3]) {
    ov_vec3 c[WC_CORNERS];
    const double g = 0.5 * (1.0 + sqrt(5.0));
    for (int i = 0; i < WC_CORNERS; i++) {
        double v[3] = {0.0, (i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? g : -g};
        c[i] = ov_vec3_make(v[i / 4], v[(i / 4 + 1) % 3], v[(i / 4 + 2) % 3]);
    }
    size_t count = 0;
    for (uint32_t i = 0; i < WC_CORNERS; i++) {
        for (uint32_t j = i + 1; j < WC_CORNERS; j++) {
            for (uint32_t k = j + 1; k < WC_CORNERS && count < 20; k++) {
                if (ov_vec3_length(ov_vec3_sub(c[i], c[j])) < 2.1 &&
                    ov_vec3_length(ov_vec3_sub(c[j], c[k])) < 2.1 &&
                    ov_vec3_length(ov_vec3_sub(c[k], c[i])) < 2.1) {
                    const uint32_t t[3] = {i, j, k};
                    memcpy(triangles[count++], t, sizeof t);
                }
            }
        }
    }
    return count;
}

/** `each` geometries of every kind. */
static inline void wc_zoo_make(wc_zoo *zoo, check_random *r, double size, size_t each) {
    memset(zoo, 0, sizeof *zoo);
    zoo->size = size;
    zoo->custom = wc_lengths(r, size);
    ov_vec3 bumpy[WC_CORNERS];
    uint32_t triangles[20][3];
    wc_make_corners(zoo, r, bumpy);
    CHECK(wc_make_triangles(triangles) == 20);
    CHECK_OK(ov_trimesh_create(bumpy, WC_CORNERS, (const uint32_t(*)[3])triangles, 20, NULL,
                               &zoo->mesh));
    for (int kind = 0; kind < WC_KINDS; kind++) {
        for (size_t i = 0; i < each; i++) {
            wc_add_kind(zoo, r, (wc_kind)kind);
        }
    }
}

static inline void wc_zoo_free(wc_zoo *zoo) {
    for (size_t i = 0; i < zoo->count; i++) {
        ov_geometry_destroy(zoo->geometries[i]);
    }
    ov_trimesh_destroy(zoo->mesh);
}

/* ---- a world and its mirror */

enum { WC_BODIES_MAX = 400, WC_PARTS_MAX = 1200 };

typedef struct wc_body {
    ov_body id;
    ov_body_def def; /**< with the pose now */
} wc_body;

typedef struct wc_scene {
    ov_world *world;
    wc_body bodies[WC_BODIES_MAX];
    size_t count;
    double size;     /**< of the bodies */
    double spread;   /**< of their positions */
    ov_vec3 origin;  /**< where the world is */
    double rounding; /**< of coordinates there */
} wc_scene;

static inline ov_pose wc_random_pose(const wc_scene *s, check_random *r) {
    ov_pose pose = {ov_vec3_add(s->origin, wc_point(r, s->spread)), check_rotation(r)};
    // the mirror holds what the world holds: units
    CHECK_OK(ov_quat_normalize(pose.rotation, &pose.rotation));
    return pose;
}

static inline void wc_scene_make(wc_scene *s, const ov_world_options *options, double size,
                                 double spread, ov_vec3 origin) {
    s->count = 0;
    s->size = size;
    s->spread = spread;
    s->origin = origin;
    s->rounding = 256.0 * DBL_EPSILON * (ov_vec3_length(origin) + spread + 4.0 * size);
    CHECK_OK(ov_world_create(options, &s->world));
}

static inline wc_body *wc_add(wc_scene *s, const ov_geometry *geometry, ov_pose pose) {
    wc_body *b = &s->bodies[s->count];
    b->def = ov_default_body_def();
    b->def.geometry = geometry;
    b->def.pose = pose;
    CHECK_OK(ov_world_add(s->world, &b->def, &b->id));
    s->count++;
    return b;
}

/** A body of the zoo; one in eight has filters, one in eight is fixed. */
static inline void wc_add_random(wc_scene *s, const wc_zoo *zoo, check_random *r) {
    uint64_t bits = check_random_bits(r) >> 8;
    const ov_geometry *g = zoo->geometries[bits % zoo->count];
    wc_body *b = &s->bodies[s->count];
    b->def = ov_default_body_def();
    b->def.geometry = g;
    b->def.pose = wc_random_pose(s, r);
    b->def.fixed = bits / 64 % 8 == 0;
    if (bits / 512 % 8 == 0) {
        b->def.group = (uint32_t)(bits / 4096 % 8);
        b->def.mask = (uint32_t)(bits / 32768 % 8);
        b->def.no_pairs = bits / 262144 % 8 == 0;
    }
    b->def.user = b;
    CHECK_OK(ov_world_add(s->world, &b->def, &b->id));
    s->count++;
}

static inline void wc_move(wc_scene *s, size_t i, ov_pose pose) {
    CHECK_OK(ov_quat_normalize(pose.rotation, &pose.rotation));
    CHECK_OK(ov_world_move(s->world, s->bodies[i].id, pose));
    s->bodies[i].def.pose = pose;
}

static inline void wc_remove(wc_scene *s, size_t i) {
    CHECK_OK(ov_world_remove(s->world, s->bodies[i].id));
    s->bodies[i] = s->bodies[--s->count];
}

/** A small motion: a step of up to `step`, and a turn of as much at the distance of the size. */
static inline void wc_nudge(wc_scene *s, check_random *r, size_t i, double step) {
    ov_pose pose = s->bodies[i].def.pose;
    pose.position = ov_vec3_add(pose.position, wc_point(r, step));
    double angle = check_uniform(r, 0.0, 1.0) * step / s->size;
    pose.rotation =
        ov_quat_mul(ov_quat_from_axis_angle(check_unit_vector(r), angle), pose.rotation);
    wc_move(s, i, pose);
}

/* ---- single bodies */

static inline ov_geometry *wc_geometry_of(const ov_shape *shape) {
    ov_geometry *g = NULL;
    ov_part part = {.shape = *shape, .pose = ov_pose_identity()};
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

static inline ov_geometry *wc_sphere_of(double radius) {
    ov_shape s;
    CHECK_OK(ov_shape_make_sphere(radius, &s));
    return wc_geometry_of(&s);
}

static inline ov_pose wc_pose_at(double x, double y, double z) {
    return (ov_pose){{x, y, z}, ov_quat_identity()};
}

/* ---- scenes in several places */

typedef struct wc_place {
    double margin, size, spread, away; /**< spread and away in sizes */
    size_t bodies;
} wc_place;

static const wc_place wc_places[] = {{0.1, 1.0, 6.0, 0.0, 40},
                                     {OV_ZERO, 1.0, 5.0, 1e8, 30},
                                     {2.0, 1e-30, 6.0, 0.0, 30},
                                     {0.1, 1e30, 6.0, 1e3, 30}};
enum { WC_PLACES = 4 };

static inline void wc_place_make(wc_scene *s, wc_zoo *zoo, const wc_place *p, check_random *r) {
    ov_world_options options = ov_default_world_options();
    options.margin = p->margin;
    wc_zoo_make(zoo, r, p->size, 2);
    wc_scene_make(s, &options, p->size, p->spread * p->size,
                  ov_vec3_scale(check_unit_vector(r), p->away * p->size));
    for (size_t i = 0; i < p->bodies; i++) {
        wc_add_random(s, zoo, r);
    }
}

static inline void wc_place_free(wc_scene *s, wc_zoo *zoo) {
    ov_world_destroy(s->world);
    wc_zoo_free(zoo);
}

/** Moves some bodies; now and then a search comes between, which must change no answer. */
static inline void wc_stir(wc_scene *s, const wc_zoo *zoo, check_random *r, int round) {
    for (size_t i = 0; i < s->count; i += 3) {
        wc_nudge(s, r, i, s->size * check_log_uniform(r, 1e-3, 2.0));
    }
    wc_remove(s, (size_t)(check_random_bits(r) >> 8) % s->count);
    wc_add_random(s, zoo, r);
    const ov_world_contact *contacts;
    size_t count;
    if (round % 2 == 0) {
        CHECK_OK(ov_world_contacts(s->world, 0.1 * s->size, &contacts, &count));
    }
}

static inline const ov_part *wc_part(const wc_body *b, uint32_t i) {
    return ov_geometry_part(b->def.geometry, i);
}

static inline uint32_t wc_parts(const wc_body *b) {
    return (uint32_t)ov_geometry_count(b->def.geometry);
}

#endif
