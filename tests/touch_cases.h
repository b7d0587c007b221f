/**
 * @file touch_cases.h
 * @brief Meshes for the suites of touch, and the distance to them by an oracle that shares no code
 * with the library: all triangles one by one in long double, the sign by solid angles.
 */
#ifndef OVOID_TESTS_TOUCH_CASES_H
#define OVOID_TESTS_TOUCH_CASES_H

#include <ovoid/touch.h>

#include "check.h"

enum { TOUCH_VERTICES_MAX = 4096, TOUCH_TRIANGLES_MAX = 8192 };

typedef struct touch_mesh {
    const char *name;
    ov_vec3 vertices[TOUCH_VERTICES_MAX];
    uint32_t triangles[TOUCH_TRIANGLES_MAX][3];
    size_t vertex_count, triangle_count;
} touch_mesh;

static inline void touch_add_triangle(touch_mesh *m, size_t a, size_t b, size_t c) {
    uint32_t *t = m->triangles[m->triangle_count++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

/** A surface over a grid that is closed both ways (a torus), with a wavy tube. */
static inline void touch_add_torus(touch_mesh *m, ov_vec3 centre, double ring, double tube,
                                   double waves, size_t rows, size_t columns) {
    size_t first = m->vertex_count;
    for (size_t i = 0; i < rows * columns; i++) {
        double a = 2.0 * M_PI * (double)(i / columns) / (double)rows;
        double b = 2.0 * M_PI * (double)(i % columns) / (double)columns;
        double r = tube * (1.0 + waves * cos(5.0 * a)), x = ring + r * cos(b);
        m->vertices[m->vertex_count++] =
            ov_vec3_make(centre.x + x * cos(a), centre.y + x * sin(a), centre.z + r * sin(b));
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            size_t k = (i + 1) % rows, l = (j + 1) % columns;
            size_t a = first + i * columns + j, b = first + k * columns + j,
                   c = first + k * columns + l, d = first + i * columns + l;
            touch_add_triangle(m, a, b, c);
            touch_add_triangle(m, a, c, d);
        }
    }
}

static inline void touch_add_box(touch_mesh *m, ov_vec3 centre, ov_vec3 half) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    size_t first = m->vertex_count;
    for (int i = 0; i < 8; i++) {
        m->vertices[m->vertex_count++] = ov_vec3_make(centre.x + (i & 1 ? half.x : -half.x),
                                                      centre.y + (i & 2 ? half.y : -half.y),
                                                      centre.z + (i & 4 ? half.z : -half.z));
    }
    for (int i = 0; i < 6; i++) {
        const int *f = faces[i];
        touch_add_triangle(m, first + (size_t)f[0], first + (size_t)f[1], first + (size_t)f[2]);
        touch_add_triangle(m, first + (size_t)f[0], first + (size_t)f[2], first + (size_t)f[3]);
    }
}

enum { TOUCH_CASES = 5 };

/** A wavy torus; a box; a thin plate with a spike; two boxes that cross; a box with a cavity. */
static inline void touch_mesh_make(int which, touch_mesh *m) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    static const char *const names[TOUCH_CASES] = {"torus", "box", "plate", "crossing", "cavity"};
    m->vertex_count = m->triangle_count = 0;
    m->name = names[which];
    if (which == 0) {
        touch_add_torus(m, ov_vec3_make(1.0, -2.0, 0.5), 1.0, 0.3, 0.3, 40, 14);
    } else if (which == 1) {
        touch_add_box(m, zero, ov_vec3_make(1.0, 0.7, 0.4));
    } else if (which == 2) {
        touch_add_box(m, zero, ov_vec3_make(1.0, 1.0, 0.004));
        m->vertices[7] = ov_vec3_make(1.5, 1.4, 0.6);
    } else if (which == 3) {
        touch_add_box(m, zero, ov_vec3_make(1.0, 0.3, 0.3));
        touch_add_box(m, ov_vec3_make(0.2, 0.1, 0.05), ov_vec3_make(0.3, 1.0, 0.2));
    } else {
        touch_add_box(m, zero, ov_vec3_make(1.0, 1.0, 1.0));
        size_t first = m->triangle_count;
        touch_add_box(m, ov_vec3_make(0.1, 0.0, 0.0), ov_vec3_make(0.5, 0.6, 0.7));
        for (size_t i = first; i < m->triangle_count; i++) {
            uint32_t swap = m->triangles[i][1];
            m->triangles[i][1] = m->triangles[i][2];
            m->triangles[i][2] = swap;
        }
    }
}

static inline double touch_diagonal(const touch_mesh *m) {
    ov_vec3 lo = m->vertices[0], hi = lo;
    for (size_t i = 0; i < m->vertex_count; i++) {
        ov_vec3 v = m->vertices[i];
        lo = ov_vec3_make(fmin(lo.x, v.x), fmin(lo.y, v.y), fmin(lo.z, v.z));
        hi = ov_vec3_make(fmax(hi.x, v.x), fmax(hi.y, v.y), fmax(hi.z, v.z));
    }
    return ov_vec3_length(ov_vec3_sub(hi, lo));
}

/* ---- the oracle */

typedef struct touch_long {
    long double x, y, z;
} touch_long;

static inline touch_long touch_minus(touch_long a, touch_long b) {
    return (touch_long){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline long double touch_dot(touch_long a, touch_long b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline touch_long touch_cross(touch_long a, touch_long b) {
    return (touch_long){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline long double touch_norm(touch_long a) { return sqrtl(touch_dot(a, a)); }

/** Distance from the origin to the segment from a to b. */
static inline long double touch_to_segment(touch_long a, touch_long b) {
    touch_long e = touch_minus(b, a);
    long double square = touch_dot(e, e), t = square > 0.0L ? -touch_dot(a, e) / square : 0.0L;
    t = fminl(fmaxl(t, 0.0L), 1.0L);
    return touch_norm((touch_long){a.x + t * e.x, a.y + t * e.y, a.z + t * e.z});
}

/** Distance from the origin to a triangle: the plane's where the foot is inside, else an edge's. */
static inline long double touch_to_triangle(const touch_long c[3]) {
    touch_long n = touch_cross(touch_minus(c[1], c[0]), touch_minus(c[2], c[0]));
    long double area = touch_norm(n), least = INFINITY;
    bool inside = area > 0.0L;
    for (int i = 0; i < 3; i++) {
        touch_long a = c[i], b = c[(i + 1) % 3];
        least = fminl(least, touch_to_segment(a, b));
        inside = inside && touch_dot(touch_cross(touch_minus(b, a), n), a) >= 0.0L;
    }
    return inside ? fminl(least, fabsl(touch_dot(c[0], n)) / area) : least;
}

/** Signed distance to a closed mesh. */
static inline double touch_oracle(const touch_mesh *m, ov_vec3 p) {
    long double least = INFINITY, angle = 0.0L;
    for (size_t i = 0; i < m->triangle_count; i++) {
        touch_long c[3];
        for (int k = 0; k < 3; k++) {
            ov_vec3 v = m->vertices[m->triangles[i][k]];
            c[k] = (touch_long){(long double)v.x - p.x, (long double)v.y - p.y,
                                (long double)v.z - p.z};
        }
        least = fminl(least, touch_to_triangle(c));
        long double a = touch_norm(c[0]), b = touch_norm(c[1]), d = touch_norm(c[2]);
        angle += 2.0L * atan2l(touch_dot(c[0], touch_cross(c[1], c[2])),
                               a * b * d + touch_dot(c[0], c[1]) * d + touch_dot(c[1], c[2]) * a +
                                   touch_dot(c[2], c[0]) * b);
    }
    return (double)(fabsl(angle) > 2.0L * (long double)M_PI ? -least : least);
}

/** A random point: in the box and around it, or near the surface. */
static inline ov_vec3 touch_point(check_random *r, const touch_mesh *m, double diagonal) {
    const uint32_t *t = m->triangles[(size_t)check_uniform(r, 0.0, (double)m->triangle_count)];
    double u = check_uniform(r, 0.0, 1.0), v = check_uniform(r, 0.0, 1.0 - u), reach = diagonal;
    ov_vec3 p = ov_vec3_scale(m->vertices[t[0]], 1.0 - u - v);
    p = ov_vec3_add_scaled(p, m->vertices[t[1]], u);
    p = ov_vec3_add_scaled(p, m->vertices[t[2]], v);
    double draw = check_uniform(r, 0.0, 1.0);
    reach *= draw < 0.5 ? 0.01 : draw < 0.8 ? 0.1 : draw < 0.95 ? 1.0 : 30.0;
    return ov_vec3_add(p, ov_vec3_make(check_uniform(r, -reach, reach),
                                       check_uniform(r, -reach, reach),
                                       check_uniform(r, -reach, reach)));
}

#endif
