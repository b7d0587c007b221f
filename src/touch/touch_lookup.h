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

/** A byte of each word as a number: in the low bits of a double between 2^52 and 2^53. */
OVI_INLINE ovi_v4 ovi_byte4(ovi_u4 words, int number) {
    const ovi_u4 one = {1, 1, 1, 1};
    ovi_u4 bits = (words >> (8 * number) & (255 * one)) | (0x4330000000000000u * one);
    return (ovi_v4)bits - 0x1p52;
}

OVI_INLINE uint64_t ovi_word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/** The whole part of numbers that are not negative. */
OVI_INLINE ovi_if4 ovi_whole4(ovi_v4 x) { return __builtin_convertvector(x, ovi_if4); }

/** What is loaded for a place. */
typedef struct ovi_loaded {
    uint64_t low, high; // the samples of its cell, at bytes 0, 1, 5 and 6
    int32_t base, bound;
    double step, scale;
} ovi_loaded;

OVI_INLINE ovi_loaded ovi_load_place(const ovi_field *f, int32_t x, int32_t y, int32_t z) {
    ovi_field_spot at = ovi_field_locate(f, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    const uint8_t *s = &at.brick->v[(at.k * OVI_BRICK_SIDE + at.j) * OVI_BRICK_SIDE + at.i];
    return (ovi_loaded){
        ovi_word_at(s),     ovi_word_at(s + OVI_BRICK_SIDE * OVI_BRICK_SIDE),
        at.brick->base,     at.brick->bounds[(at.i >> 1) + 2 * (at.j >> 1) + 4 * (at.k >> 1)],
        f->steps[at.level], ovi_cells_per_root(at.level)};
}

/** What the field says of four places; returns bits of those that are not in it, of which it says
 *  nothing. */
OVI_INLINE unsigned ovi_look_up_four(const ovi_field *f, ovi_places4 p, ovi_v4 *value,
                                     ovi_v4 *bounds) {
    ovi_v4 x = p.x, y = p.y, z = p.z;
    x = (x - f->origin.x) * f->per_width;
    y = (y - f->origin.y) * f->per_width;
    z = (z - f->origin.z) * f->per_width;
    ovi_i4 in = (x >= 0.0) & (y >= 0.0) & (z >= 0.0) & (x < (double)f->dims[0]) &
                (y < (double)f->dims[1]) & (z < (double)f->dims[2]);
    const ovi_v4 none = ovi_v4_of(0.0);
    x = ovi_v4_select(in, x, none);
    y = ovi_v4_select(in, y, none);
    z = ovi_v4_select(in, z, none);
    ovi_if4 px = ovi_whole4(x * OVI_FIELD_FINEST), py = ovi_whole4(y * OVI_FIELD_FINEST),
            pz = ovi_whole4(z * OVI_FIELD_FINEST);
    const ovi_loaded q[4] = {
        ovi_load_place(f, px[0], py[0], pz[0]), ovi_load_place(f, px[1], py[1], pz[1]),
        ovi_load_place(f, px[2], py[2], pz[2]), ovi_load_place(f, px[3], py[3], pz[3])};
    const ovi_u4 low = {q[0].low, q[1].low, q[2].low, q[3].low},
                 high = {q[0].high, q[1].high, q[2].high, q[3].high};
    const ovi_if4 bases = {q[0].base, q[1].base, q[2].base, q[3].base},
                  limits = {q[0].bound, q[1].bound, q[2].bound, q[3].bound};
    const ovi_v4 base = __builtin_convertvector(bases, ovi_v4),
                 bound = __builtin_convertvector(limits, ovi_v4);
    const ovi_v4 step = {q[0].step, q[1].step, q[2].step, q[3].step},
                 scale = {q[0].scale, q[1].scale, q[2].scale, q[3].scale};
    x *= scale;
    y *= scale;
    z *= scale;
    ovi_v4 u = x - __builtin_convertvector(ovi_whole4(x), ovi_v4);
    ovi_v4 v = y - __builtin_convertvector(ovi_whole4(y), ovi_v4);
    ovi_v4 w = z - __builtin_convertvector(ovi_whole4(z), ovi_v4);
    enum { NEXT = OVI_BRICK_SIDE };
    ovi_v4 s0 = ovi_byte4(low, 0), s1 = ovi_byte4(low, NEXT), s2 = ovi_byte4(high, 0),
           s3 = ovi_byte4(high, NEXT);
    ovi_v4 a = s0 + u * (ovi_byte4(low, 1) - s0), b = s1 + u * (ovi_byte4(low, NEXT + 1) - s1);
    ovi_v4 c = s2 + u * (ovi_byte4(high, 1) - s2), d = s3 + u * (ovi_byte4(high, NEXT + 1) - s3);
    a = a + v * (b - a);
    c = c + v * (d - c);
    *value = step * (base + (a + w * (c - a)));
    const ovi_v4 unknown = ovi_v4_of(INFINITY);
    *bounds = ovi_v4_select(bound < OVI_BOUND_UNKNOWN, step * bound + f->slack, unknown);
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
