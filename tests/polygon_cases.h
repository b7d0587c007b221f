/**
 * @file polygon_cases.h
 * @brief Polygons for the suites of motions: bodies made of them, where they are under an affine
 * displacement, and their distance in long double.
 */
#ifndef OVOID_TESTS_POLYGON_CASES_H
#define OVOID_TESTS_POLYGON_CASES_H

#include "motion/polygons/polygons.h"
#include "trimesh_cases.h"

/* ---- bodies */

static inline ov_polygons *polygons_of(const ov_vec3 *vertices, size_t vertex_count,
                                       const uint32_t *corners, const uint32_t *sizes,
                                       size_t count) {
    ov_polygons *made = NULL;
    ov_fault fault;
    if (!CHECK_OK(ov_polygons_create(vertices, vertex_count, corners, sizes, count, NULL, &made,
                                     &fault))) {
        fprintf(stderr, "polygon %zu: %s\n", fault.index, fault.text);
        exit(EXIT_FAILURE);
    }
    return made;
}

/** A square of half width 1 in the plane z = 0, in n by n parts. */
static inline ov_polygons *polygons_square(uint32_t n) {
    size_t side = n + 1;
    ov_vec3 *v = calloc(side * side, sizeof *v);
    uint32_t *c = calloc(4 * (size_t)n * n, sizeof *c), *sizes = calloc((size_t)n * n, sizeof *c);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t k = 0; k <= n; k++) {
            v[i * side + k] = ov_vec3_make(2.0 * i / n - 1.0, 2.0 * k / n - 1.0, 0.0);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k, *q = c + 4 * ((size_t)i * n + k);
            const uint32_t square[4] = {a, a + n + 1, a + n + 2, a + 1};
            memcpy(q, square, sizeof square);
            sizes[i * n + k] = 4;
        }
    }
    ov_polygons *made = polygons_of(v, side * side, c, sizes, (size_t)n * n);
    free(v);
    free(c);
    free(sizes);
    return made;
}

static inline ov_polygons *polygons_box(ov_vec3 half) {
    ov_vec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ov_vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                            i & 4 ? half.z : -half.z);
    }
    static const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    return polygons_of(v, 8, corners, sizes, 6);
}

/** One convex polygon anywhere: corners on an ellipse, at angles that differ by some. */
static inline void random_corners(check_random *r, size_t count, ov_vec3 centre, double size,
                                  ov_vec3 *corners) {
    ov_quat q = check_rotation(r);
    double width = check_log_uniform(r, 0.05, 1.0), angle = check_uniform(r, 0.0, 1.0);
    for (size_t i = 0; i < count; i++) {
        double a = 2.0 * M_PI * ((double)i + check_uniform(r, 0.0, 0.7)) / (double)count + angle;
        ov_vec3 flat = ov_vec3_make(size * cos(a), width * size * sin(a), 0.0);
        corners[i] = ov_vec3_add(centre, ov_quat_rotate(q, flat));
    }
}

/** `count` polygons of 3 to 8 corners in a ball. */
static inline ov_polygons *polygons_random(check_random *r, size_t count, double size) {
    ov_vec3 *v = calloc(8 * count, sizeof *v);
    uint32_t *c = calloc(8 * count, sizeof *c), *sizes = calloc(count, sizeof *c), total = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t n = 3 + (uint32_t)(check_random_bits(r) % 6);
        random_corners(r, n, ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, size)),
                       check_uniform(r, 0.2, 0.7) * size, v + total);
        for (uint32_t k = 0; k < n; k++, total++) {
            c[total] = total;
        }
        sizes[i] = n;
    }
    ov_polygons *made = polygons_of(v, total, c, sizes, count);
    free(v);
    free(c);
    free(sizes);
    return made;
}

/* ---- in long double */

enum { CASE_CORNERS = 16 };

static inline lvec lv_map(const ov_affine *map, lvec p) {
    const ov_mat3 *m = &map->linear;
    return lv(m->cx.x * p.x + m->cy.x * p.y + m->cz.x * p.z + map->translation.x,
              m->cx.y * p.x + m->cy.y * p.y + m->cz.y * p.z + map->translation.y,
              m->cx.z * p.x + m->cy.z * p.y + m->cz.z * p.z + map->translation.z);
}

/** A polygon that has a pose in a frame that is displaced; at most CASE_CORNERS corners. */
static inline size_t lv_polygon(const ov_polygons *polygons, size_t index, ov_pose pose,
                                const ov_affine *map, lvec *out) {
    size_t count;
    const uint32_t *c = ov_polygons_corners(polygons, index, &count);
    for (size_t i = 0; i < count; i++) {
        out[i] = lv_map(map, lv_place(pose, ov_polygons_vertices(polygons)[c[i]]));
    }
    return count;
}

static inline long double point_polygon(lvec p, const lvec *c, size_t count) {
    long double best = INFINITY;
    for (size_t i = 2; i < count; i++) {
        const lvec t[3] = {c[0], c[i - 1], c[i]};
        best = fminl(best, point_triangle(p, t));
    }
    return best;
}

/** Zero where they cross. */
static inline long double polygon_polygon(const lvec *a, size_t count_a, const lvec *b,
                                          size_t count_b) {
    long double best = INFINITY;
    for (size_t i = 2; i < count_a; i++) {
        for (size_t k = 2; k < count_b; k++) {
            const lvec s[3] = {a[0], a[i - 1], a[i]}, t[3] = {b[0], b[k - 1], b[k]};
            best = fminl(best, triangle_triangle(s, t));
        }
    }
    return best;
}

#endif
