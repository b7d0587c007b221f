/**
 * @file hull_flip.c
 * @brief Repairs the triangles of a hull where rounding left them folded inwards.
 *
 * qhull merges facets that are coplanar to rounding, and then cuts the merged ones into triangles
 * without regard to what little relief they have; of points with noise near the rounding error that
 * makes edges that are folded inwards by some 1e-14 of the size. Flipping such an edge in the
 * quadrilateral of its two triangles turns it outwards and adds to the volume, so flips come to an
 * end; the result is the convex surface over those corners. What cannot be flipped is left as it
 * is: the checks of the polyhedron's constructor have the last word.
 */
#include <float.h>
#include <stdlib.h>

#include "io_internal.h"

/** Sweeps over all edges; each costs as much as one look at every edge. */
enum { SWEEPS = 100 };

/** Half-edge 3 t + k runs from corner k of triangle t to the next; `twin` is its other half. */
typedef struct surface {
    const ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t triangle_count;
    size_t *twin;
} surface;

typedef struct edge_end {
    uint32_t low, high;
    size_t half;
} edge_end;

static size_t next_half(size_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

static uint32_t origin_of(const surface *s, size_t h) { return s->triangles[h / 3][h % 3]; }

static int compare_ends(const void *left, const void *right) {
    const edge_end *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->half < b->half ? -1 : a->half > b->half;
}

/** Pairs the half-edges. False where memory is short; `*paired` tells whether the mesh is closed.
 */
static bool pair_halves(surface *s, bool *paired) {
    size_t count = 3 * s->triangle_count;
    edge_end *ends = malloc(count * sizeof *ends);
    if (ends == NULL) {
        return false;
    }
    for (size_t h = 0; h < count; h++) {
        uint32_t from = origin_of(s, h), to = origin_of(s, next_half(h));
        ends[h] = (edge_end){from < to ? from : to, from < to ? to : from, h};
    }
    qsort(ends, count, sizeof *ends, compare_ends);
    *paired = count % 2 == 0;
    for (size_t i = 0; i + 1 < count && *paired; i += 2) {
        const edge_end *a = &ends[i], *b = &ends[i + 1];
        bool same = a->low == b->low && a->high == b->high;
        bool third = i + 2 < count && ends[i + 2].low == a->low && ends[i + 2].high == a->high;
        *paired = same && !third && origin_of(s, a->half) != origin_of(s, b->half);
        s->twin[a->half] = b->half;
        s->twin[b->half] = a->half;
    }
    free(ends);
    return true;
}

typedef struct vec3l {
    long double x, y, z;
} vec3l;

static vec3l between(ov_vec3 from, ov_vec3 to) {
    return (vec3l){(long double)to.x - from.x, (long double)to.y - from.y,
                   (long double)to.z - from.z};
}

static vec3l cross(vec3l a, vec3l b) {
    return (vec3l){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(vec3l a, vec3l b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/**
 * Triangles a b c and b a d: does the edge a b fold inwards, and would c d in its place make two
 * triangles that face the same way? In extended precision where there is one, since the folds are
 * hardly larger than the rounding of a double.
 */
static bool wants_flip(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d) {
    vec3l ab = between(a, b), ac = between(a, c), ad = between(a, d), db = between(d, b),
          dc = between(d, c);
    vec3l n = cross(ab, ac), other = cross(ad, ab);
    long double error =
        16.0L * LDBL_EPSILON * sqrtl(dot(ab, ab)) * sqrtl(dot(ac, ac)) * sqrtl(dot(ad, ad));
    if (!(dot(n, ad) > error)) {
        return false;
    }
    vec3l up = {n.x + other.x, n.y + other.y, n.z + other.z};
    return dot(cross(ad, ac), up) > 0.0L && dot(cross(db, dc), up) > 0.0L;
}

/** Replaces a b c, b a d by d b c, a d c, where half-edge h is a b. */
static void flip(surface *s, size_t h) {
    size_t g = s->twin[h], bc = next_half(h), ca = next_half(bc), ad = next_half(g),
           db = next_half(ad), t = h / 3, u = g / 3;
    uint32_t a = origin_of(s, h), b = origin_of(s, g), c = origin_of(s, ca), d = origin_of(s, db);
    size_t beyond[4] = {s->twin[db], s->twin[bc], s->twin[ad], s->twin[ca]};
    const uint32_t first[3] = {d, b, c}, second[3] = {a, d, c};
    for (int k = 0; k < 3; k++) {
        s->triangles[t][k] = first[k];
        s->triangles[u][k] = second[k];
    }
    const size_t mine[4] = {3 * t, 3 * t + 1, 3 * u, 3 * u + 2};
    for (int k = 0; k < 4; k++) {
        s->twin[mine[k]] = beyond[k];
        s->twin[beyond[k]] = mine[k];
    }
    s->twin[3 * t + 2] = 3 * u + 1;
    s->twin[3 * u + 1] = 3 * t + 2;
}

bool ovi_hull_flip(const ov_vec3 *vertices, uint32_t (*triangles)[3], size_t triangle_count) {
    surface s = {vertices, triangles, triangle_count, NULL};
    bool paired = false, changed = true;
    s.twin = malloc(3 * triangle_count * sizeof *s.twin);
    if (s.twin == NULL || !pair_halves(&s, &paired)) {
        free(s.twin);
        return false;
    }
    for (int sweep = 0; sweep < SWEEPS && paired && changed; sweep++) {
        changed = false;
        for (size_t h = 0; h < 3 * triangle_count; h++) {
            size_t g = s.twin[h];
            ov_vec3 a = vertices[origin_of(&s, h)], b = vertices[origin_of(&s, g)];
            ov_vec3 c = vertices[origin_of(&s, next_half(next_half(h)))];
            ov_vec3 d = vertices[origin_of(&s, next_half(next_half(g)))];
            if (h < g && wants_flip(a, b, c, d)) {
                flip(&s, h);
                changed = true;
            }
        }
    }
    free(s.twin);
    return true;
}
