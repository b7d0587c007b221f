/**
 * @file mesh_check.h
 * @brief What the mesh suites share: meshes as bags of triangles with their checks, and a list of
 * shapes of every kind that has a mesh. Nothing here knows how a mesh is laid out.
 */
#ifndef OVOID_TESTS_MESH_CHECK_H
#define OVOID_TESTS_MESH_CHECK_H

#include <string.h>

#include "check.h"

typedef struct mesh {
    ov_mesh_plan plan;
    ov_vec3 *vertices, *normals;
    uint32_t (*triangles)[3];
    ov_vec3 *faces; // unit normals of the triangles
} mesh;

static inline ov_vec3 corner(const mesh *m, size_t t, int i) {
    return m->vertices[m->triangles[t][i]];
}

static inline bool mesh_make(const ov_shape *shape, size_t vertices, double chord_error, mesh *m) {
    memset(m, 0, sizeof *m);
    ov_mesh_options o = {vertices, chord_error};
    if (!CHECK_OK(ov_shape_mesh_plan(shape, &o, &m->plan))) {
        return false;
    }
    m->vertices = malloc(m->plan.vertex_count * sizeof *m->vertices);
    m->normals = malloc(m->plan.vertex_count * sizeof *m->normals);
    m->triangles = malloc(m->plan.triangle_count * sizeof *m->triangles);
    m->faces = malloc(m->plan.triangle_count * sizeof *m->faces);
    if (m->vertices == NULL || m->normals == NULL || m->triangles == NULL || m->faces == NULL) {
        abort();
    }
    bool good =
        CHECK_OK(ov_shape_mesh_fill(shape, &m->plan, m->vertices, m->normals, m->triangles));
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        ov_vec3 a = corner(m, t, 0), b = corner(m, t, 1), c = corner(m, t, 2);
        // unit edges first, so that the product is in range for every size
        ov_vec3 ab = ov_vec3_normalize(ov_vec3_sub(b, a)),
                ac = ov_vec3_normalize(ov_vec3_sub(c, a));
        m->faces[t] = ov_vec3_normalize(ov_vec3_cross(ab, ac));
    }
    return good;
}

static inline void mesh_free(mesh *m) {
    free(m->vertices);
    free(m->normals);
    free(m->triangles);
    free(m->faces);
    memset(m, 0, sizeof *m);
}

/* ---- topology */

/** Directed edge from -> to, and the third corner of its triangle. */
typedef struct edge {
    uint64_t key;
    uint32_t third;
} edge;

static inline uint64_t edge_key(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

static inline int compare_edges(const void *a, const void *b) {
    uint64_t x = ((const edge *)a)->key, y = ((const edge *)b)->key;
    return x < y ? -1 : x > y;
}

static const edge *find_edge(const edge *edges, size_t count, uint32_t from, uint32_t to) {
    edge wanted = {edge_key(from, to), 0};
    return bsearch(&wanted, edges, count, sizeof *edges, compare_edges);
}

/** The triangles about a vertex are one closed fan, and not two that touch. */
static inline bool one_fan(const edge *edges, size_t count, uint32_t vertex, uint32_t first,
                           size_t degree) {
    uint32_t at = first;
    for (size_t i = 0; i < degree; i++) {
        const edge *e = find_edge(edges, count, vertex, at);
        if (e == NULL || (i > 0 && at == first)) {
            return false;
        }
        at = e->third;
    }
    return at == first;
}

/** Every directed edge once, its opposite once, every vertex used in one fan; Euler's number. */
static inline bool check_topology(const mesh *m, long euler) {
    size_t count = 3 * m->plan.triangle_count, good = 0, fans = 0;
    edge *edges = malloc(count * sizeof *edges);
    size_t *degree = calloc(m->plan.vertex_count, sizeof *degree);
    uint32_t *next = calloc(m->plan.vertex_count, sizeof *next);
    if (edges == NULL || degree == NULL || next == NULL) {
        abort();
    }
    bool in_range = true;
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            const uint32_t *v = m->triangles[t];
            edges[3 * t + (size_t)i] = (edge){edge_key(v[i], v[(i + 1) % 3]), v[(i + 2) % 3]};
            in_range = in_range && v[i] < m->plan.vertex_count;
            if (in_range) {
                degree[v[i]]++;
                next[v[i]] = v[(i + 1) % 3];
            }
        }
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count && in_range; i++) {
        uint32_t from = (uint32_t)(edges[i].key >> 32), to = (uint32_t)edges[i].key;
        bool once = i == 0 || edges[i - 1].key != edges[i].key;
        good += once && from != to && find_edge(edges, count, to, from) != NULL;
    }
    for (uint32_t v = 0; v < m->plan.vertex_count && good == count; v++) {
        fans += degree[v] > 0 && one_fan(edges, count, v, next[v], degree[v]);
    }
    free(edges);
    free(degree);
    free(next);
    long characteristic =
        (long)m->plan.vertex_count - (long)count / 2 + (long)m->plan.triangle_count;
    bool closed = CHECK(in_range) && CHECK(good == count);
    return closed && CHECK(fans == m->plan.vertex_count) && CHECK(characteristic == euler);
}

/* ---- geometry */

/** Height over the longest edge, relative to it: zero for a triangle without area. */
static inline double flatness(const mesh *m, size_t t) {
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        longest =
            fmax(longest, ov_vec3_length(ov_vec3_sub(corner(m, t, i), corner(m, t, (i + 1) % 3))));
    }
    ov_vec3 a = corner(m, t, 0), b = corner(m, t, 1), c = corner(m, t, 2);
    ov_vec3 ab = ov_vec3_scale(ov_vec3_sub(b, a), 1.0 / longest);
    ov_vec3 ac = ov_vec3_scale(ov_vec3_sub(c, a), 1.0 / longest);
    return ov_vec3_length(ov_vec3_cross(ab, ac));
}

static inline double mesh_volume(const mesh *m) {
    long double six = 0.0L;
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        six += ov_vec3_dot(corner(m, t, 0), ov_vec3_cross(corner(m, t, 1), corner(m, t, 2)));
    }
    return (double)(six / 6.0L);
}

static inline double smallest_size(const ov_shape *s) {
    double size = fmin(s->a.x, s->a.y);
    return s->kind == OV_SHAPE_KIND_CAPSULE ? size : fmin(size, s->a.z);
}

/** How far a vertex is off the surface, relative to the size, where there is a function for it. */
static inline bool off_surface(const ov_shape *s, ov_vec3 v, double *off) {
    ov_field f;
    bool cut =
        s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 || s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2;
    if (cut && fabs(v.z) == s->u.hyperboloid.height) {
        return false;
    }
    if (ov_shape_gauge_value(s, v, off) == OV_OK) {
        *off = fabs(*off - 1.0);
        return true;
    }
    if (ov_shape_implicit(s, v, &f) < 0) {
        return false;
    }
    double size = ov_vec3_length(v) + s->a.x + s->a.y + s->a.z;
    *off = fabs(f.value - 1.0) / (1.0 + size * ov_vec3_length(f.gradient));
    return true;
}

/** The function of the surface is 1 at the vertices, or just inside of them is inside; and just
 *  outside is outside. */
static inline void check_on_surface(const ov_shape *s, const mesh *m, double *worst) {
    size_t on = 0, outer = 0, unit = 0;
    double step = 1e-8 * smallest_size(s), off;
    for (size_t i = 0; i < m->plan.vertex_count; i++) {
        ov_vec3 v = m->vertices[i], n = m->normals[i];
        bool in = false, out = true;
        CHECK_OK(ov_shape_contains(s, ov_vec3_add_scaled(v, n, -step), &in));
        CHECK_OK(ov_shape_contains(s, ov_vec3_add_scaled(v, n, step), &out));
        outer += !out;
        unit += fabs(ov_vec3_length(n) - 1.0) < 1e-14;
        if (off_surface(s, v, &off)) {
            *worst = fmax(*worst, off);
            in = off < 1e-14;
        }
        on += in;
    }
    CHECK(on == m->plan.vertex_count);
    CHECK(outer == m->plan.vertex_count);
    CHECK(unit == m->plan.vertex_count);
}

static inline bool is_convex_surface(const ov_shape *s) {
    return ov_shape_is_convex(s->kind) && s->dent == 0.0;
}

typedef struct quality {
    double flat, on_surface, lean;
} quality;

/**
 * No triangle without area, all outward, volume positive. Outward: at least one of the three vertex
 * normals agrees (over a rim that is sharper than the mesh is fine, the others may not), and where
 * all of the body can be seen from the origin, so does the origin.
 */
static inline void check_geometry(const ov_shape *s, const mesh *m, quality *q) {
    size_t with_area = 0, outward = 0;
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        double flat = flatness(m, t), agree = -1.0;
        ov_vec3 n = m->faces[t];
        for (int i = 0; i < 3; i++) {
            agree = fmax(agree, ov_vec3_dot(n, m->normals[m->triangles[t][i]]));
        }
        // a thin disc with unequal tapers is a saddle about its corners, finer than these meshes
        bool saddle = s->tx != s->ty && fmax(s->a.x, s->a.y) > 100.0 * s->a.z;
        bool seen = !is_convex_surface(s) || ov_vec3_dot(n, corner(m, t, 0)) > 0.0;
        q->flat = fmin(q->flat, flat);
        q->lean = saddle ? q->lean : fmin(q->lean, agree);
        with_area += flat > 1e-9;
        outward += (agree > 0.0 || saddle) && seen;
    }
    CHECK(with_area == m->plan.triangle_count);
    CHECK(outward == m->plan.triangle_count);
    CHECK(mesh_volume(m) > 0.0);
    check_on_surface(s, m, &q->on_surface);
}

/** All vertices below all faces. */
static inline void check_convex(const mesh *m, double *worst) {
    double size = 0.0, above = 0.0;
    for (size_t i = 0; i < m->plan.vertex_count; i++) {
        size = fmax(size, ov_vec3_length(m->vertices[i]));
    }
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        // the plane of a sliver is only known as well as its height
        ov_vec3 n = m->faces[t], a = corner(m, t, 0);
        double trust = fmin(1.0, flatness(m, t));
        for (size_t i = 0; i < m->plan.vertex_count; i++) {
            above = fmax(above, trust * ov_vec3_dot(n, ov_vec3_sub(m->vertices[i], a)) / size);
        }
    }
    *worst = fmax(*worst, above);
    CHECK_NEAR(above, 0.0, 1e-13);
}

/* ---- shapes */

static const double exponents[] = {0.05, 0.3, 1.0, 1.7, 2.0};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };
static const ov_vec3 aspects[] = {{1, 1, 1},    {1, 2, 3},    {1, 1, 1000},
                                  {1000, 1, 1}, {1, 1000, 1}, {1000, 1000, 1}};
enum { ASPECTS = sizeof aspects / sizeof aspects[0] };

static inline long euler_of(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_SUPERTOROID          ? 0
           : s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2 ? 4
                                                         : 2;
}

/** Capsules, cylinders, cones and the like. */
static inline bool make_simple(int i, ov_shape *s) {
    switch (i) {
    case 0:
        return CHECK_OK(ov_shape_make_box((ov_vec3){1, 2, 3}, s));
    case 1:
        return CHECK_OK(ov_shape_make_capsule(1.0, 2.0, s));
    case 2:
        return CHECK_OK(ov_shape_make_capsule(1.0, 0.0, s));
    case 3:
        return CHECK_OK(ov_shape_make_capsule(1.0, 1000.0, s));
    case 4:
        return CHECK_OK(ov_shape_make_capsule(1000.0, 1.0, s));
    case 5:
        return CHECK_OK(ov_shape_make_cylinder(1.0, 1.5, s));
    case 6:
        return CHECK_OK(ov_shape_make_cylinder(1.0, 1000.0, s));
    case 7:
        return CHECK_OK(ov_shape_make_cylinder(1000.0, 1.0, s));
    case 8:
        return CHECK_OK(ov_shape_make_cone(1.0, 1.5, s));
    case 9:
        return CHECK_OK(ov_shape_make_cone(1.0, 1000.0, s));
    case 10:
        return CHECK_OK(ov_shape_make_cone(1000.0, 1.0, s));
    case 11:
        return CHECK_OK(ov_shape_make_sphere(2.0, s));
    case 12:
        return CHECK_OK(ov_shape_make_ellipsoid((ov_vec3){1, 2, 3}, s));
    default:
        return false;
    }
}

/** Shape number i of all kinds that have a mesh; false past the last. */
static inline bool make_shape(int i, ov_shape *s) {
    static const double tapers[][2] = {{0.0, 0.0}, {0.3, 0.3}, {0.5, -0.2}, {-0.9, 0.6}};
    int grid = EXPONENTS * EXPONENTS * ASPECTS;
    double e1 = exponents[i % EXPONENTS], e2 = exponents[i / EXPONENTS % EXPONENTS];
    ov_vec3 a = aspects[i / EXPONENTS / EXPONENTS % ASPECTS];
    double big = fmax(a.x, a.y);
    switch (i / grid) {
    case 0:
    case 1:
    case 2:
    case 3: {
        // where a dent is deeper than the body is thick, with less taper
        double tx = tapers[i / grid][0], ty = tapers[i / grid][1];
        const ov_shape_options all = {1.0};
        ov_status status = OV_ERROR_DENT;
        for (; status == OV_ERROR_DENT; tx *= 0.5, ty *= 0.5) {
            status = ov_shape_make_superovoid(a, e1, e2, tx, ty, &all, s);
        }
        return CHECK_OK(status);
    }
    case 4:
        return CHECK_OK(ov_shape_make_superhyperboloid_1(a, e1, e2, (i % 3 ? 2.0 : 0.3) * a.z, s));
    case 5:
        return CHECK_OK(ov_shape_make_superhyperboloid_2(a, e1, e2, (i % 3 ? 2.0 : 1.1) * a.z, s));
    case 6:
        return CHECK_OK(ov_shape_make_supertoroid(a, e1, e2, i % 2 ? 1.2 : 4.0, s));
    case 7: {
        double k = fmin(0.3 / big, 2.5 / a.z);
        return CHECK_OK(ov_shape_make_bent(a, e1, e2, 0.3, -0.2, i % 2 ? k : -k, 0.1 * i, s));
    }
    default:
        break;
    }
    return make_simple(i - 8 * grid, s);
}

#endif
