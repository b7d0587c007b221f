/**
 * @file pairs.h
 * @brief The pairs of neighbours of a world, and what is known about each, from search to search.
 *
 * A pair is kept small, for there are several of them for each body: points and normal of its warm
 * start in single precision and in 16 bits, and the least that its gap can be.
 */
#ifndef OVI_PAIRS_H
#define OVI_PAIRS_H

#include "world_internal.h"

typedef struct ovi_kept_pair {
    uint32_t a, b;     /**< leaves, by their numbers in the world; a < b */
    float lower;       /**< the gap is no less, as of the last search; -infinity: nothing known */
    float place[2][3]; /**< of the warm start */
    int16_t normal[3];
    bool near; /**< was a contact in the last search: ball and box are not worth asking */
    bool gone; /**< is to be removed */
} ovi_kept_pair;

typedef struct ovi_pairs {
    ovi_kept_pair *items;
    size_t count, room;
    size_t guests;   /**< items behind the others that are not in the table */
    uint32_t *table; /**< by the hash of a and b: index + 1, or 0 */
    size_t table_room;
} ovi_pairs;

void ovi_pairs_free(ovi_pairs *pairs, const ov_allocator *allocator);
/** Room for so many pairs, guests included; false for want of memory. */
bool ovi_pairs_reserve(ovi_pairs *pairs, const ov_allocator *allocator, size_t count);
bool ovi_pairs_has(const ovi_pairs *pairs, uint32_t a, uint32_t b);
/** Adds a pair, unless it is there already, while there are no guests; there must be room. True
 *  where it is new. */
bool ovi_pairs_add(ovi_pairs *pairs, uint32_t a, uint32_t b);
/** Adds a pair behind all others, not in the table; there must be room. Gone by `guests = 0`. */
void ovi_pairs_add_guest(ovi_pairs *pairs, uint32_t a, uint32_t b);
static inline size_t ovi_pairs_all(const ovi_pairs *pairs) { return pairs->count + pairs->guests; }
/** Removes a pair by its index, while there are no guests; the last one takes its place. */
void ovi_pairs_remove(ovi_pairs *pairs, size_t index);
/** Makes the table anew after the items were changed from outside. */
void ovi_pairs_index(ovi_pairs *pairs);

ov_warm_start ovi_pair_warm(const ovi_kept_pair *pair);
void ovi_pair_keep_warm(ovi_kept_pair *pair, const ov_warm_start *warm);

#endif
