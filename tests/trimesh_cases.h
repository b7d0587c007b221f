/**
 * @file trimesh_cases.h
 * @brief Meshes for the suites of triangle meshes, and oracles in long double that share nothing
 * with the library: distances of points, segments and triangles by cases, rays by the formula of
 * Moeller and Trumbore.
 */
#ifndef OVOID_TESTS_TRIMESH_CASES_H
#define OVOID_TESTS_TRIMESH_CASES_H

#include <string.h>

#include <ovoid/world.h>

#include "check.h"

/* ---- meshes */

typedef struct soup {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} soup;

static inline soup soup_make(size_t vertex_count, size_t triangle_count) {
    soup s = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    s.vertices = calloc(vertex_count, sizeof *s.vertices);
    s.triangles = calloc(triangle_count, sizeof *s.triangles);
    return s;
}

static inline void soup_free(soup *s) {
    free(s->vertices);
    free(s->triangles);
}

/** Closed surface of a shape. */
static inline soup soup_of_shape(const ov_shape *shape, size_t vertices) {
    ov_mesh_options options = ov_default_mesh_options();
    ov_mesh_plan plan;
    options.vertices = vertices;
    soup s = {NULL, NULL, 0, 0};
    if (CHECK_OK(ov_shape_mesh_plan(shape, &options, &plan))) {
        s = soup_make(plan.vertex_count, plan.triangle_count);
        CHECK_OK(ov_shape_mesh_fill(shape, &plan, s.vertices, NULL, s.triangles));
    }
    return s;
}

/** Triangles anywhere in a cube, of all sizes up to its own; some are segments and points. */
static inline soup soup_random(check_random *r, size_t count, double size, bool degenerate) {
    soup s = soup_make(3 * count, count);
    for (size_t i = 0; i < count; i++) {
        double scale = check_log_uniform(r, 0.01 * size, size);
        ov_vec3 at = ov_vec3_make(check_uniform(r, -size, size), check_uniform(r, -size, size),
                                  check_uniform(r, -size, size));
        for (uint32_t k = 0; k < 3; k++) {
            s.vertices[3 * i + k] = ov_vec3_add_scaled(at, check_unit_vector(r), scale);
            s.triangles[i][k] = (uint32_t)(3 * i) + k;
        }
        if (degenerate && i % 4 == 0) {
            s.triangles[i][2] = s.triangles[i][i % 8 == 0 ? 1 : 0];
        }
        if (degenerate && i % 16 == 1) {
            s.triangles[i][1] = s.triangles[i][2] = s.triangles[i][0];
        }
        if (degenerate && i % 16 == 2) {
            // in a line, as far as doubles go
            s.vertices[3 * i + 2] =
                ov_vec3_scale(ov_vec3_add(s.vertices[3 * i], s.vertices[3 * i + 1]), 0.5);
        }
    }
    return s;
}

/** Rolling ground over a square, n by n cells. */
static inline soup soup_terrain(uint32_t n, double half, double height) {
    soup s = soup_make((size_t)(n + 1) * (n + 1), (size_t)2 * n * n);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t k = 0; k <= n; k++) {
            double x = half * (2.0 * i / n - 1.0), y = half * (2.0 * k / n - 1.0);
            s.vertices[i * (n + 1) + k] =
                ov_vec3_make(x, y, height * sin(3.0 * x) * cos(2.0 * y + 0.3));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k, b = a + n + 1, *t = s.triangles[2 * (i * n + k)];
            const uint32_t both[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(t, both, sizeof both);
        }
    }
    return s;
}

static inline ov_trimesh *soup_mesh(const soup *s) {
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(s->vertices, s->vertex_count, (const uint32_t(*)[3])s->triangles,
                               s->triangle_count, NULL, &mesh));
    return mesh;
}

/** The same as a surface, closed or not: what the triangles in turn are the oracle of. */
static inline ov_trimesh *soup_surface(const soup *s) {
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create_surface(s->vertices, s->vertex_count,
                                       (const uint32_t(*)[3])s->triangles, s->triangle_count, NULL,
                                       &mesh));
    return mesh;
}

static inline ov_pose random_pose(check_random *r, double distance) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), distance), check_rotation(r)};
}

/** A shape of one of several kinds, of about a size. */
static inline ov_shape any_shape(check_random *r, int which, double size) {
    ov_shape s;
    ov_vec3 a = ov_vec3_make(check_log_uniform(r, 0.1, 1.0), check_log_uniform(r, 0.1, 1.0),
                             check_log_uniform(r, 0.1, 1.0));
    a = ov_vec3_scale(a, size);
    double e1 = check_uniform(r, 0.2, 1.8), e2 = check_uniform(r, 0.2, 1.8);
    ov_status status = OV_OK;
    switch (which % 6) {
    case 0:
        status = ov_shape_make_box(a, &s);
        break;
    case 1:
        status = ov_shape_make_cylinder(a.x, a.z, &s);
        break;
    case 2:
        status = ov_shape_make_cone(a.x, a.z, &s);
        break;
    case 3:
        status = ov_shape_make_superellipsoid(a, e1, e2, &s);
        break;
    case 4:
        status = ov_shape_make_superovoid(a, 0.7, 0.9, 0.3, -0.2, NULL, &s);
        break;
    default:
        status = ov_shape_make_ellipsoid(a, &s);
        break;
    }
    CHECK_OK(status);
    return s;
}

/* ---- long double */

typedef struct lvec {
    long double x, y, z;
} lvec;

static inline lvec lv(long double x, long double y, long double z) { return (lvec){x, y, z}; }
static inline lvec lv_of(ov_vec3 v) { return lv(v.x, v.y, v.z); }
static inline lvec lv_sub(lvec a, lvec b) { return lv(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline lvec lv_at(lvec a, lvec d, long double t) {
    return lv(a.x + t * d.x, a.y + t * d.y, a.z + t * d.z);
}
static inline long double lv_dot(lvec a, lvec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline lvec lv_cross(lvec a, lvec b) {
    return lv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline long double lv_length(lvec a) { return sqrtl(lv_dot(a, a)); }

/** A point of a body's frame in the world, by the quaternion's own matrix. */
static inline lvec lv_place(ov_pose pose, ov_vec3 point) {
    long double w = pose.rotation.w, x = pose.rotation.x, y = pose.rotation.y, z = pose.rotation.z;
    long double n = w * w + x * x + y * y + z * z;
    lvec p = lv_of(point), u = lv(x, y, z), c = lv_cross(u, p), cc = lv_cross(u, c), out;
    // v + 2 (w u x v + u x (u x v)) / |q|^2
    out = lv_at(lv_at(p, c, 2.0L * w / n), cc, 2.0L / n);
    return lv_at(out, lv_of(pose.position), 1.0L);
}

static inline void lv_triangle(const soup *s, size_t index, ov_pose pose, lvec out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = lv_place(pose, s->vertices[s->triangles[index][k]]);
    }
}

static inline long double lv_clamp(long double t) { return t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t; }

static inline long double point_segment(lvec p, lvec a, lvec b) {
    lvec e = lv_sub(b, a);
    long double l = lv_dot(e, e);
    long double t = l > 0.0L ? lv_clamp(lv_dot(lv_sub(p, a), e) / l) : 0.0L;
    return lv_length(lv_sub(p, lv_at(a, e, t)));
}

static inline long double point_triangle(lvec p, const lvec c[3]) {
    long double best = point_segment(p, c[0], c[1]);
    best = fminl(best, fminl(point_segment(p, c[1], c[2]), point_segment(p, c[2], c[0])));
    lvec e = lv_sub(c[1], c[0]), f = lv_sub(c[2], c[0]), n = lv_cross(e, f), d = lv_sub(p, c[0]);
    long double l = lv_dot(n, n);
    if (l > 0.0L) {
        long double u = lv_dot(lv_cross(d, f), n) / l, v = lv_dot(lv_cross(e, d), n) / l;
        if (u >= 0.0L && v >= 0.0L && u + v <= 1.0L) {
            best = fminl(best, fabsl(lv_dot(d, n)) / sqrtl(l));
        }
    }
    return best;
}

/** By the four ends and, where it lies between them, the common perpendicular. */
static inline long double segment_segment(lvec a, lvec b, lvec c, lvec d) {
    long double best = fminl(fminl(point_segment(a, c, d), point_segment(b, c, d)),
                             fminl(point_segment(c, a, b), point_segment(d, a, b)));
    lvec u = lv_sub(b, a), v = lv_sub(d, c), w = lv_sub(a, c), n = lv_cross(u, v);
    long double l = lv_dot(n, n);
    if (l > 1e-30L * lv_dot(u, u) * lv_dot(v, v)) {
        long double s = lv_dot(lv_cross(v, w), n) / l, t = lv_dot(lv_cross(u, w), n) / l;
        if (s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L) {
            best = fminl(best, fabsl(lv_dot(w, n)) / sqrtl(l));
        }
    }
    return best;
}

/** Along o + t d, t >= 0; infinite where it is missed. Moeller and Trumbore, 1997. */
static inline long double ray_triangle(lvec o, lvec d, const lvec c[3]) {
    lvec e = lv_sub(c[1], c[0]), f = lv_sub(c[2], c[0]), p = lv_cross(d, f);
    long double det = lv_dot(e, p);
    if (det == 0.0L) {
        return INFINITY;
    }
    lvec s = lv_sub(o, c[0]), q = lv_cross(s, e);
    long double u = lv_dot(s, p) / det, v = lv_dot(d, q) / det, t = lv_dot(f, q) / det;
    return u >= 0.0L && v >= 0.0L && u + v <= 1.0L && t >= 0.0L ? t : (long double)INFINITY;
}

static inline bool segment_pierces(lvec a, lvec b, const lvec c[3]) {
    return ray_triangle(a, lv_sub(b, a), c) <= 1.0L;
}

/** Distance of a segment and a triangle; zero where it pierces. */
static inline long double segment_triangle(lvec a, lvec b, const lvec c[3]) {
    if (segment_pierces(a, b, c)) {
        return 0.0L;
    }
    long double best = fminl(point_triangle(a, c), point_triangle(b, c));
    for (int k = 0; k < 3; k++) {
        best = fminl(best, segment_segment(a, b, c[k], c[(k + 1) % 3]));
    }
    return best;
}

static inline long double triangle_triangle(const lvec a[3], const lvec b[3]) {
    long double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        best = fminl(best, segment_triangle(a[k], a[(k + 1) % 3], b));
        best = fminl(best, segment_triangle(b[k], b[(k + 1) % 3], a));
    }
    return best;
}

/** Depth of two triangles that cross: the least of the overlaps across faces and pairs of edges. */
static inline long double triangle_depth(const lvec a[3], const lvec b[3]) {
    long double least = INFINITY;
    for (int i = 0; i < 11; i++) {
        lvec ea = lv_sub(a[(i / 3 + 1) % 3], a[i / 3 % 3]);
        lvec eb = lv_sub(b[(i % 3 + 1) % 3], b[i % 3]);
        if (i >= 9) {
            const lvec *own = i == 9 ? a : b;
            ea = lv_sub(own[1], own[0]);
            eb = lv_sub(own[2], own[0]);
        }
        lvec n = lv_cross(ea, eb);
        long double lo_a = INFINITY, hi_a = -INFINITY, lo_b = INFINITY, hi_b = -INFINITY;
        for (int k = 0; k < 3; k++) {
            long double x = lv_dot(n, a[k]), y = lv_dot(n, b[k]);
            lo_a = fminl(lo_a, x);
            hi_a = fmaxl(hi_a, x);
            lo_b = fminl(lo_b, y);
            hi_b = fmaxl(hi_b, y);
        }
        long double length = lv_length(n);
        if (length > 1e-12L * lv_length(ea) * lv_length(eb)) {
            least = fminl(least, fminl(hi_a - lo_b, hi_b - lo_a) / length);
        }
    }
    // segments along each other have no such direction, and any across them parts them
    return isinf(least) ? 0.0L : least;
}

#endif
