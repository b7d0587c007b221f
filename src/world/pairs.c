/**
 * @file pairs.c
 * @brief The set of pairs (pairs.h): an array, and a table of open addresses over it.
 */
#include <math.h>

#include "pairs.h"

/** Normals, of length 1 or so, times this fit 16 bits. */
#define NORMAL_SCALE 20000.0

void ovi_pairs_free(ovi_pairs *pairs, const ov_allocator *allocator) {
    ovi_release(allocator, pairs->items, pairs->room, sizeof(ovi_kept_pair));
    ovi_release(allocator, pairs->table, pairs->table_room, sizeof(uint32_t));
    *pairs = (ovi_pairs){0};
}

static size_t hash(uint32_t a, uint32_t b) {
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return (size_t)(x ^ x >> 32);
}

/** Place of a pair in the table, or of the gap where it would go. */
static size_t find(const ovi_pairs *p, uint32_t a, uint32_t b) {
    size_t slot = hash(a, b) & (p->table_room - 1);
    while (p->table[slot] != 0) {
        const ovi_kept_pair *at = &p->items[p->table[slot] - 1];
        if (at->a == a && at->b == b) {
            break;
        }
        slot = (slot + 1) & (p->table_room - 1);
    }
    return slot;
}

void ovi_pairs_index(ovi_pairs *pairs) {
    for (size_t i = 0; i < pairs->table_room; i++) {
        pairs->table[i] = 0;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->table[find(pairs, pairs->items[i].a, pairs->items[i].b)] = (uint32_t)(i + 1);
    }
}

static bool reserve_table(ovi_pairs *pairs, const ov_allocator *allocator, size_t count) {
    // at most three quarters full: searches stay short
    size_t room = pairs->table_room > 0 ? pairs->table_room : 64;
    while (room - room / 4 < count) {
        room *= 2;
    }
    if (room == pairs->table_room) {
        return true;
    }
    uint32_t *table = ovi_resize(allocator, NULL, 0, room, sizeof(uint32_t));
    if (table == NULL) {
        return false;
    }
    ovi_release(allocator, pairs->table, pairs->table_room, sizeof(uint32_t));
    pairs->table = table;
    pairs->table_room = room;
    ovi_pairs_index(pairs);
    return true;
}

bool ovi_pairs_reserve(ovi_pairs *pairs, const ov_allocator *allocator, size_t count) {
    if (count >= UINT32_MAX) {
        return false;
    }
    if (count > pairs->room) {
        ovi_kept_pair *items =
            ovi_more_room(allocator, pairs->items, &pairs->room, count, sizeof(ovi_kept_pair));
        if (items == NULL) {
            return false;
        }
        pairs->items = items;
    }
    return reserve_table(pairs, allocator, count);
}

bool ovi_pairs_has(const ovi_pairs *pairs, uint32_t a, uint32_t b) {
    return pairs->table_room > 0 && pairs->table[find(pairs, a, b)] != 0;
}

bool ovi_pairs_add(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    size_t slot = find(pairs, a, b);
    if (pairs->table[slot] != 0) {
        return false;
    }
    pairs->items[pairs->count++] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->table[slot] = (uint32_t)pairs->count;
    return true;
}

void ovi_pairs_add_guest(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    pairs->items[ovi_pairs_all(pairs)] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->guests++;
}

/** Empties a place of the table; those behind it that would not be found any more move up. */
static void empty_slot(ovi_pairs *p, size_t slot) {
    size_t mask = p->table_room - 1, next = slot;
    for (;;) {
        p->table[slot] = 0;
        do {
            next = (next + 1) & mask;
            if (p->table[next] == 0) {
                return;
            }
            const ovi_kept_pair *at = &p->items[p->table[next] - 1];
            size_t home = hash(at->a, at->b) & mask;
            // it may stay where its home lies behind the gap, going round
            if (((next - home) & mask) < ((next - slot) & mask)) {
                continue;
            }
            break;
        } while (true);
        p->table[slot] = p->table[next];
        slot = next;
    }
}

void ovi_pairs_remove(ovi_pairs *pairs, size_t index) {
    empty_slot(pairs, find(pairs, pairs->items[index].a, pairs->items[index].b));
    size_t last = --pairs->count;
    if (index != last) {
        ovi_kept_pair moved = pairs->items[last];
        pairs->table[find(pairs, moved.a, moved.b)] = (uint32_t)(index + 1);
        pairs->items[index] = moved;
    }
}

static ov_vec3 from_floats(const float v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

ov_warm_start ovi_pair_warm(const ovi_kept_pair *pair) {
    const int16_t *n = pair->normal;
    return (ov_warm_start){
        from_floats(pair->place[0]), from_floats(pair->place[1]),
        ov_vec3_make(n[0] / NORMAL_SCALE, n[1] / NORMAL_SCALE, n[2] / NORMAL_SCALE)};
}

static void to_floats(ov_vec3 v, float out[3]) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static int16_t to_short(double x) { return (int16_t)(fabs(x) < 1.5 ? lrint(x * NORMAL_SCALE) : 0); }

void ovi_pair_keep_warm(ovi_kept_pair *pair, const ov_warm_start *warm) {
    to_floats(warm->a, pair->place[0]);
    to_floats(warm->b, pair->place[1]);
    pair->normal[0] = to_short(warm->normal.x);
    pair->normal[1] = to_short(warm->normal.y);
    pair->normal[2] = to_short(warm->normal.z);
}
