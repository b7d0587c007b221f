/**
 * @file fit_crossing.c
 * @brief Pairs of triangles of a mesh that cross each other.
 *
 * The boxes of a tree leave few pairs. A pair crosses where an edge of one triangle goes through
 * the inside of the other; signs of volumes tell, and count only where they are certain in spite of
 * rounding. So triangles that only touch, or lie in each other's plane, are not counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit_mesh.h>

#include "math/rounding_mode.h"
#include "segments_internal.h"

/**
 * A tree over the triangles along a space-filling curve: blocks of so many in a row, in a complete
 * binary tree, node k with the children 2k and 2k + 1.
 */
enum { BLOCK = 8 };

typedef struct box {
    ov_vec3 lo, hi;
} box;

typedef struct crossing_tree {
    const ov_fit_input *m;
    uint32_t *order;
    size_t blocks, leaves; /**< leaves: a power of two */
    box *nodes;
    size_t work, found;
} crossing_tree;

static bool boxes_meet(const box *a, const box *b) {
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

static box triangle_box(const ov_fit_input *m, uint32_t i) {
    const uint32_t *t = m->triangles[i];
    ov_vec3 a = m->points[t[0]], b = m->points[t[1]], c = m->points[t[2]];
    return (box){ovi_lower(a, ovi_lower(b, c)), ovi_upper(a, ovi_upper(b, c))};
}

/** Ten bits, each followed by two zeros. */
static uint32_t spread(uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static uint32_t curve_place(const ov_fit_input *m, uint32_t i, ov_vec3 origin, double scale) {
    box b = triangle_box(m, i);
    ov_vec3 c =
        ov_vec3_scale(ov_vec3_sub(ov_vec3_scale(ov_vec3_add(b.lo, b.hi), 0.5), origin), scale);
    return spread((uint32_t)fmin(fmax(c.x, 0.0), 1023.0)) |
           spread((uint32_t)fmin(fmax(c.y, 0.0), 1023.0)) << 1 |
           spread((uint32_t)fmin(fmax(c.z, 0.0), 1023.0)) << 2;
}

/** Sorts by keys of 30 bits: by their lower half, then by their upper half. */
static bool sort_by_key(const uint32_t *keys, uint32_t *order, size_t count) {
    enum { HALF = 15, BINS = 1 << HALF };
    uint32_t *other = ovi_allocate(count, sizeof *other);
    uint32_t *bins = ovi_allocate(BINS + 1, sizeof *bins);
    bool good = other != NULL && bins != NULL;
    for (int pass = 0; pass < 2 && good; pass++) {
        int shift = pass * HALF;
        const uint32_t *from = pass == 0 ? order : other;
        uint32_t *to = pass == 0 ? other : order;
        memset(bins, 0, (BINS + 1) * sizeof *bins);
        for (size_t i = 0; i < count; i++) {
            bins[(keys[i] >> shift & (BINS - 1)) + 1]++;
        }
        ovi_add_up(bins, BINS);
        for (size_t i = 0; i < count; i++) {
            to[bins[keys[from[i]] >> shift & (BINS - 1)]++] = from[i];
        }
    }
    free(other);
    free(bins);
    return good;
}

static size_t block_end(const crossing_tree *t, size_t block) {
    size_t end = (block + 1) * BLOCK;
    return end < t->m->triangle_count ? end : t->m->triangle_count;
}

static bool make_tree(crossing_tree *t, const ov_fit_input *m) {
    size_t count = m->triangle_count;
    *t = (crossing_tree){.m = m, .blocks = (count + BLOCK - 1) / BLOCK, .leaves = 1};
    while (t->leaves < t->blocks) {
        t->leaves *= 2;
    }
    t->order = ovi_allocate(count, sizeof *t->order);
    t->nodes = ovi_allocate(2 * t->leaves, sizeof *t->nodes);
    uint32_t *keys = ovi_allocate(count, sizeof *keys);
    bool good = t->order != NULL && t->nodes != NULL && keys != NULL;
    ov_vec3 lo = m->points[m->triangles[0][0]], hi = lo;
    for (size_t i = 0; i < 3 * count; i++) {
        lo = ovi_lower(lo, m->points[m->triangles[i / 3][i % 3]]);
        hi = ovi_upper(hi, m->points[m->triangles[i / 3][i % 3]]);
    }
    double extent = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
    double scale = extent > 0.0 ? 1023.0 / extent : 0.0;
    for (uint32_t i = 0; i < count && good; i++) {
        t->order[i] = i;
        keys[i] = curve_place(m, i, lo, scale);
    }
    good = good && sort_by_key(keys, t->order, count);
    free(keys);
    const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 2 * t->leaves; k-- > 1 && good;) {
        box b = nothing;
        if (k < t->leaves) {
            const box *x = &t->nodes[2 * k], *y = x + 1;
            b = (box){ovi_lower(x->lo, y->lo), ovi_upper(x->hi, y->hi)};
        }
        for (size_t i = (k - t->leaves) * BLOCK;
             k >= t->leaves && k - t->leaves < t->blocks && i < block_end(t, k - t->leaves); i++) {
            box x = triangle_box(m, t->order[i]);
            b = (box){ovi_lower(b.lo, x.lo), ovi_upper(b.hi, x.hi)};
        }
        t->nodes[k] = b;
    }
    return good;
}

/** Sign of the volume of a, b, c, d, or 0 where rounding leaves it open: the first filter of
 *  [Shewchuk, Adaptive precision floating-point arithmetic, 1997]. */
static int side_of_plane(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d) {
    ov_vec3 u = ov_vec3_sub(a, d), v = ov_vec3_sub(b, d), w = ov_vec3_sub(c, d);
    double x1 = v.x * w.y, x2 = w.x * v.y, y1 = w.x * u.y, y2 = u.x * w.y, z1 = u.x * v.y,
           z2 = v.x * u.y;
    double volume = u.z * (x1 - x2) + v.z * (y1 - y2) + w.z * (z1 - z2);
    double size = (fabs(x1) + fabs(x2)) * fabs(u.z) + (fabs(y1) + fabs(y2)) * fabs(v.z) +
                  (fabs(z1) + fabs(z2)) * fabs(w.z);
    // (7 + 56 u) u, and what may have been lost below the range of doubles
    double error = 8.0 * 0x1p-53 * size + 1e-290;
    return volume > error ? 1 : volume < -error ? -1 : 0;
}

/** Does the segment go through the inside of the triangle, for certain? */
static bool segment_crosses(ov_vec3 p, ov_vec3 q, const ov_vec3 t[3]) {
    int side = side_of_plane(t[0], t[1], t[2], p);
    if (side == 0 || side_of_plane(t[0], t[1], t[2], q) != -side) {
        return false;
    }
    int turn = side_of_plane(p, q, t[0], t[1]);
    return turn != 0 && side_of_plane(p, q, t[1], t[2]) == turn &&
           side_of_plane(p, q, t[2], t[0]) == turn;
}

/** Do two triangles cross? Those with a common edge are neighbours and do not; with a common vertex
 *  the edge across from it can go through the other triangle. */
static bool triangles_cross(const ov_fit_input *m, uint32_t i, uint32_t j) {
    const uint32_t *s = m->triangles[i], *t = m->triangles[j];
    if (!ovi_is_whole(s) || !ovi_is_whole(t)) {
        return false;
    }
    bool s_has[3] = {false, false, false}, t_has[3] = {false, false, false};
    int common = 0;
    for (int k = 0; k < 9; k++) {
        if (s[k / 3] == t[k % 3]) {
            s_has[k / 3] = t_has[k % 3] = true;
            common++;
        }
    }
    ov_vec3 a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = m->points[s[k]];
        b[k] = m->points[t[k]];
    }
    bool cross = false;
    for (int k = 0; k < 3 && !cross && common < 2; k++) {
        int next = (k + 1) % 3;
        cross = (!s_has[k] && !s_has[next] && segment_crosses(a[k], a[next], b)) ||
                (!t_has[k] && !t_has[next] && segment_crosses(b[k], b[next], a));
    }
    return cross;
}

/** All pairs of a triangle of one block and a later one of another, or of the same block. */
static void cross_blocks(crossing_tree *t, size_t one, size_t other) {
    for (size_t i = one * BLOCK; i < block_end(t, one); i++) {
        box b = triangle_box(t->m, t->order[i]);
        for (size_t k = one == other ? i + 1 : other * BLOCK; k < block_end(t, other); k++) {
            box c = triangle_box(t->m, t->order[k]);
            if (boxes_meet(&b, &c)) {
                t->work++;
                t->found += triangles_cross(t->m, t->order[i], t->order[k]);
            }
        }
    }
}

/** The pairs of one block with itself and later ones. */
static void cross_block(crossing_tree *t, size_t one, size_t limit) {
    // depth first: no more than one node of each level waits
    size_t stack[64], depth = 0;
    stack[depth++] = 1;
    while (depth > 0 && t->work < limit) {
        size_t node = stack[--depth], last = node;
        while (last < t->leaves) {
            last = 2 * last + 1;
        }
        if (last - t->leaves < one || !boxes_meet(&t->nodes[node], &t->nodes[t->leaves + one])) {
            continue;
        }
        if (node < t->leaves) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
        } else if (node - t->leaves < t->blocks) {
            t->work++;
            cross_blocks(t, one, node - t->leaves);
        }
    }
}

ov_status ov_fit_crossings(const ov_fit_input *mesh, size_t limit, size_t *pairs, bool *all) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_fit_crossings(mesh, limit, pairs, all));
    if (pairs == NULL) {
        return OV_ERROR_NULL;
    }
    *pairs = 0;
    if (all != NULL) {
        *all = false;
    }
    ov_status status = ov_fit_input_check(mesh, NULL);
    if (status != OV_OK) {
        return status;
    }
    if (mesh->triangle_count == 0) {
        return OV_ERROR_COUNT;
    }
    limit = limit != 0 ? limit : OV_FIT_CROSSING_PAIRS;
    crossing_tree t;
    status = make_tree(&t, mesh) ? OV_OK : OV_ERROR_MEMORY;
    for (size_t one = 0; status == OV_OK && one < t.blocks && t.work < limit; one++) {
        cross_block(&t, one, limit);
    }
    *pairs = status == OV_OK ? t.found : 0;
    if (all != NULL) {
        *all = status == OV_OK && t.work < limit;
    }
    free(t.order);
    free(t.nodes);
    return status;
}
