/**
 * @file segments_internal.h
 * @brief What the files about meshes and their parts share: memory, boxes, triangles, disjoint
 * sets.
 */
#ifndef OVI_SEGMENTS_INTERNAL_H
#define OVI_SEGMENTS_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <ovoid/math.h>

/** malloc for `count` elements; never asks for nothing. */
static inline void *ovi_allocate(size_t count, size_t size) {
    return count <= SIZE_MAX / size ? malloc(count > 0 ? count * size : size) : NULL;
}

static inline ov_vec3 ovi_lower(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static inline ov_vec3 ovi_upper(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/** Has a triangle three different corners? */
static inline bool ovi_is_whole(const uint32_t t[3]) {
    return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

/** The set that an element is in, of disjoint sets; roots are their own parents. */
static inline uint32_t ovi_root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/** From counts in first[i + 1] to where the list of i begins. */
static inline void ovi_add_up(uint32_t *first, size_t count) {
    for (size_t i = 1; i <= count; i++) {
        first[i] += first[i - 1];
    }
}

#endif
