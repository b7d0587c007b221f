/**
 * @file touch_lookup.h
 * @brief The field at four places at once, to be inlined where they come from: vertices, balls, the
 * corners that a normal is averaged over.
 *
 * Four places go through the arithmetic together. What is between, the way down the tree and the
 * samples of a cell, is loaded for one after the other; nothing of one waits for another. The eight
 * samples of a cell are two words of memory, each with the ends of two rows. The result is that of
 * ovi_field_find, but for rounding.
 */
#ifndef OVI_TOUCH_LOOKUP_H
#define OVI_TOUCH_LOOKUP_H

#include "touch_internal.h"

/** Four places in the map's frame. */
typedef struct ovi_places4 {
    ovi_v4 x, y, z;
} ovi_places4;

OVI_INLINE ovi_places4 ovi_places4_moved(const ov_affine *to_a, ovi_places4 p) {
    const ov_mat3 *m = &to_a->linear;
    const ov_vec3 t = to_a->translation;
    return (ovi_places4){m->cx.x * p.x + m->cy.x * p.y + m->cz.x * p.z + t.x,
                         m->cx.y * p.x + m->cy.y * p.y + m->cz.y * p.z + t.y,
                         m->cx.z * p.x + m->cy.z * p.y + m->cz.z * p.z + t.z};
}

/** A byte of each word in the low bits of a double, which is 2^52 and that number. */
OVI_INLINE ovi_v4 ovi_byte4(ovi_u4 words, int number) {
    const ovi_u4 one = {1, 1, 1, 1};
    return (ovi_v4)((words >> (8 * number) & (255 * one)) | (0x4330000000000000u * one));
}

/** Lane by lane, which compilers know to be one instruction. */
OVI_INLINE ovi_v4 ovi_doubles4(ovi_if4 n) {
    return (ovi_v4){(double)n[0], (double)n[1], (double)n[2], (double)n[3]};
}

OVI_INLINE uint64_t ovi_word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/** The whole part of numbers that are not negative. */
OVI_INLINE ovi_if4 ovi_whole4(ovi_v4 x) { return __builtin_convertvector(x, ovi_if4); }

OVI_INLINE bool ovi_any4(ovi_i4 mask) {
    ovi_i2 two =
        __builtin_shufflevector(mask, mask, 0, 1) | __builtin_shufflevector(mask, mask, 2, 3);
    return (two[0] | two[1]) != 0;
}

/** The nodes of four places, each with its level in it: mostly what the ways have there. */
OVI_INLINE ovi_uf4 ovi_nodes4(const ovi_field *f, ovi_uf4 x, ovi_uf4 y, ovi_uf4 z) {
    const uint32_t s = f->way_shift, *w = f->ways;
    ovi_uf4 at = ((z >> s) * f->way_dims[1] + (y >> s)) * f->way_dims[0] + (x >> s);
    ovi_uf4 nodes = {w[at[0]], w[at[1]], w[at[2]], w[at[3]]};
    ovi_i2 inner = (ovi_i2)((ovi_if4)nodes >= 0);
    if ((inner[0] | inner[1]) != 0) {
        nodes = (ovi_uf4){ovi_field_descend(f, nodes[0], x[0], y[0], z[0]),
                          ovi_field_descend(f, nodes[1], x[1], y[1], z[1]),
                          ovi_field_descend(f, nodes[2], x[2], y[2], z[2]),
                          ovi_field_descend(f, nodes[3], x[3], y[3], z[3])};
    }
    return nodes;
}

/** Two to the power of small numbers. */
OVI_INLINE ovi_v4 ovi_power4(ovi_if4 n) {
    n += 1023;
    return (ovi_v4)((ovi_i4){n[0], n[1], n[2], n[3]} << 52);
}

/** What is loaded for a place. */
typedef struct ovi_loaded {
    uint64_t low, high;
    int32_t base, bound;
} ovi_loaded;

/** What is loaded for four places: samples of their cells, each word with those at bytes 0, 1, 5
 *  and 6; bases and bounds of the bricks. */
typedef struct ovi_samples4 {
    ovi_u4 low, high;
    ovi_v4 base, bound;
} ovi_samples4;

OVI_INLINE ovi_loaded ovi_load_place(const ovi_field *f, uint32_t node, uint32_t at) {
    const ovi_brick *brick = &f->bricks[node & OVI_NODE_NUMBER];
    const uint8_t *s = brick->v + (at & 255);
    return (ovi_loaded){ovi_word_at(s), ovi_word_at(s + OVI_BRICK_SIDE * OVI_BRICK_SIDE),
                        brick->base, brick->bounds[at >> 8]};
}

/** `at`: where in the brick the cell is, and from bit 8 on which octant has it. Without arrays in
 *  between: compilers keep such in a register that waits for what was in it. */
OVI_INLINE ovi_samples4 ovi_load_samples(const ovi_field *f, ovi_uf4 nodes, ovi_uf4 at) {
    const ovi_loaded a = ovi_load_place(f, nodes[0], at[0]), b = ovi_load_place(f, nodes[1], at[1]),
                     c = ovi_load_place(f, nodes[2], at[2]), d = ovi_load_place(f, nodes[3], at[3]);
    const ovi_if4 bases = {a.base, b.base, c.base, d.base},
                  bounds = {a.bound, b.bound, c.bound, d.bound};
    return (ovi_samples4){{a.low, b.low, c.low, d.low},
                          {a.high, b.high, c.high, d.high},
                          ovi_doubles4(bases),
                          ovi_doubles4(bounds)};
}

/** Interpolates between the samples of cells, in steps. */
OVI_INLINE ovi_v4 ovi_blend4(const ovi_samples4 *s, ovi_v4 u, ovi_v4 v, ovi_v4 w) {
    enum { NEXT = OVI_BRICK_SIDE };
    ovi_v4 s0 = ovi_byte4(s->low, 0), s1 = ovi_byte4(s->low, NEXT), s2 = ovi_byte4(s->high, 0),
           s3 = ovi_byte4(s->high, NEXT);
    // 2^52 goes away by itself in differences
    ovi_v4 a = (s0 - 0x1p52) + u * (ovi_byte4(s->low, 1) - s0),
           b = (s1 - 0x1p52) + u * (ovi_byte4(s->low, NEXT + 1) - s1),
           c = (s2 - 0x1p52) + u * (ovi_byte4(s->high, 1) - s2),
           d = (s3 - 0x1p52) + u * (ovi_byte4(s->high, NEXT + 1) - s3);
    a = a + v * (b - a);
    c = c + v * (d - c);
    return s->base + (a + w * (c - a));
}

/** What the field says of four places; returns bits of those that are not in it, whose values are
 *  infinite. */
OVI_INLINE unsigned ovi_look_up_four(const ovi_field *f, ovi_places4 p, ovi_v4 *value,
                                     ovi_v4 *bounds) {
    // in cells of the finest level there may be
    const double scale = f->per_width * OVI_FIELD_FINEST;
    ovi_v4 x = (p.x - f->origin.x) * scale, y = (p.y - f->origin.y) * scale,
           z = (p.z - f->origin.z) * scale;
    const ovi_v4 none = ovi_v4_of(0.0), unknown = ovi_v4_of(INFINITY);
    ovi_i4 in = (x >= none) & (y >= none) & (z >= none) & (x < f->dims[0] * OVI_FIELD_FINEST) &
                (y < f->dims[1] * OVI_FIELD_FINEST) & (z < f->dims[2] * OVI_FIELD_FINEST);
    x = ovi_v4_select(in, x, none);
    y = ovi_v4_select(in, y, none);
    z = ovi_v4_select(in, z, none);
    ovi_uf4 i = (ovi_uf4)ovi_whole4(x), j = (ovi_uf4)ovi_whole4(y), k = (ovi_uf4)ovi_whole4(z);
    // a cell is as wide as this power of two of those
    const ovi_uf4 node = ovi_nodes4(f, i, j, k);
    const ovi_if4 wider = OVI_FIELD_LEVELS - 1 - (ovi_if4)(node >> OVI_WAY_BITS & OVI_WAY_LEVELS) +
                          (ovi_if4)(node / OVI_NODE_PARENT & 1);
    i >>= (ovi_uf4)wider;
    j >>= (ovi_uf4)wider;
    k >>= (ovi_uf4)wider;
    const ovi_v4 narrow = ovi_power4(-wider),
                 step = f->steps[OVI_FIELD_LEVELS - 1] * ovi_power4(wider);
    ovi_v4 u = x * narrow - ovi_doubles4((ovi_if4)i), v = y * narrow - ovi_doubles4((ovi_if4)j),
           w = z * narrow - ovi_doubles4((ovi_if4)k);
    i &= OVI_BRICK_CELLS - 1;
    j &= OVI_BRICK_CELLS - 1;
    k &= OVI_BRICK_CELLS - 1;
    ovi_uf4 row = j + (k << 2) + k; // and five times as much
    ovi_samples4 s = ovi_load_samples(
        f, node, (i + (row << 2) + row) | ((i >> 1 | (j & 2) | (k & 2) << 1) << 8));
    *value = ovi_v4_select(in, step * ovi_blend4(&s, u, v, w), unknown);
    *bounds = ovi_v4_select(s.bound < OVI_BOUND_UNKNOWN, step * s.bound + f->slack, unknown);
    if (!ovi_any4(~in)) {
        return 0;
    }
    return (unsigned)(~in[0] & 1) | (unsigned)(~in[1] & 2) | (unsigned)(~in[2] & 4) |
           (unsigned)(~in[3] & 8);
}

/** What the field says of the corners that a normal at a point is averaged over; bits as above. */
OVI_INLINE unsigned ovi_look_up_corners(const ov_touch_map *map, ov_vec3 p, double *d) {
    const ovi_v4 x = {-1.0, 1.0, -1.0, 1.0}, y = {-1.0, -1.0, 1.0, 1.0}, z = {1.0, -1.0, -1.0, 1.0};
    double reach = ovi_touch_normal_reach(map);
    ovi_places4 corners = {p.x + x * reach, p.y + y * reach, p.z + z * reach};
    ovi_v4 value, bound;
    unsigned outside = ovi_look_up_four(&map->field, corners, &value, &bound);
    memcpy(d, &value, sizeof value);
    return outside;
}

/** Gradient of the averaged field, unit or zero, from what ovi_look_up_corners has found. */
static inline ov_vec3 ovi_corners_normal(const ov_touch_map *map, ov_vec3 p, double *d,
                                         unsigned outside) {
    for (int i = 0; i < 4 && outside != 0; i++) {
        if (outside >> i & 1) {
            ov_vec3 x = ov_vec3_add_scaled(p, ovi_touch_corner(i), ovi_touch_normal_reach(map));
            d[i] = ovi_touch_bounds_outside(map, x, 0.0).value;
        }
    }
    return ovi_touch_slope(d);
}

#endif
