/**
 * @file polyhedron_bodies.h
 * @brief Bodies for the suites of the convex polyhedron: boxes, meshes of ellipsoids and prisms,
 * moved anywhere.
 */
#ifndef OVOID_TESTS_POLYHEDRON_BODIES_H
#define OVOID_TESTS_POLYHEDRON_BODIES_H

#include <string.h>

#include "check.h"

enum { MAX_VERTICES = 8000, MAX_TRIANGLES = 16000 };

/** Arrays of a polyhedron; static, since a shape only refers to them. */
typedef struct body {
    ov_vec3 v[MAX_VERTICES];
    uint32_t t[MAX_TRIANGLES][3];
    size_t nv, nt;
} body;

static body work;

static inline ov_status make(const body *b, ov_shape *s) {
    return ov_shape_make_polyhedron(b->v, b->nv, b->t, b->nt, s);
}

static inline void add_triangle(body *b, uint32_t i, uint32_t j, uint32_t k) {
    const uint32_t t[3] = {i, j, k};
    memcpy(b->t[b->nt++], t, sizeof t);
}

/** Corner k of a box: bit 0 is the side in x, bit 1 in y, bit 2 in z. */
static inline void make_box(body *b, ov_vec3 h) {
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    b->nv = 8;
    b->nt = 0;
    for (unsigned k = 0; k < 8; k++) {
        b->v[k] = ov_vec3_make(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
    }
    for (int q = 0; q < 6; q++) {
        add_triangle(b, quads[q][0], quads[q][1], quads[q][2]);
        add_triangle(b, quads[q][0], quads[q][2], quads[q][3]);
    }
}

/** Rings about z between two poles: an ellipsoid's mesh. All its quadrilaterals are flat. */
static inline void make_ellipsoid(body *b, uint32_t around, uint32_t rings, ov_vec3 a) {
    b->nv = 0;
    b->nt = 0;
    b->v[b->nv++] = ov_vec3_make(0.0, 0.0, -a.z);
    for (uint32_t j = 1; j <= rings; j++) {
        double theta = M_PI * j / (rings + 1);
        for (uint32_t i = 0; i < around; i++) {
            double phi = 2.0 * M_PI * i / around;
            b->v[b->nv++] = ov_vec3_make(a.x * sin(theta) * cos(phi), a.y * sin(theta) * sin(phi),
                                         -a.z * cos(theta));
        }
    }
    b->v[b->nv++] = ov_vec3_make(0.0, 0.0, a.z);
    uint32_t top = (uint32_t)b->nv - 1;
    for (uint32_t i = 0; i < around; i++) {
        uint32_t next = (i + 1) % around, last = 1 + (rings - 1) * around;
        add_triangle(b, 0, 1 + next, 1 + i);
        add_triangle(b, top, last + i, last + next);
        for (uint32_t j = 0; j + 1 < rings; j++) {
            uint32_t low = 1 + j * around, high = low + around;
            add_triangle(b, low + i, low + next, high + next);
            add_triangle(b, low + i, high + next, high + i);
        }
    }
}

/** Prism over a regular polygon, its caps cut into a fan of slivers. */
static inline void make_prism(body *b, uint32_t n, double radius, double half) {
    b->nv = 0;
    b->nt = 0;
    for (uint32_t i = 0; i < 2 * n; i++) {
        double phi = 2.0 * M_PI * (i % n) / n;
        b->v[b->nv++] = ov_vec3_make(radius * cos(phi), radius * sin(phi), i < n ? -half : half);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (i + 1) % n;
        add_triangle(b, i, j, n + j);
        add_triangle(b, i, n + j, n + i);
        if (i > 0 && i + 1 < n) {
            add_triangle(b, 0, j, i);
            add_triangle(b, n, n + i, n + j);
        }
    }
}

static inline void move(body *b, ov_pose pose, double scale) {
    for (size_t i = 0; i < b->nv; i++) {
        b->v[i] = ov_vec3_scale(ov_pose_apply(pose, b->v[i]), scale);
    }
}

static inline ov_pose random_pose(check_random *r, double reach) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, reach)),
                     check_rotation(r)};
}

#endif
