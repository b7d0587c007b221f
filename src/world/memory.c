/**
 * @file memory.c
 * @brief Arrays by the caller's allocator, or by that of the C library.
 */
#include <stdint.h>
#include <stdlib.h>

#include "world_internal.h"

static void *resize_by_c(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

ov_allocator ovi_allocator_of(const ov_allocator *given) {
    return given != NULL && given->resize != NULL ? *given : (ov_allocator){resize_by_c, NULL};
}

void *ovi_resize(const ov_allocator *allocator, void *block, size_t old_count, size_t count,
                 size_t size) {
    // half of the address space is the most that an object may take
    if (count == 0 || count > PTRDIFF_MAX / size) {
        return NULL;
    }
    return allocator->resize(allocator->user, block, block != NULL ? old_count * size : 0,
                             count * size);
}

void *ovi_more_room(const ov_allocator *allocator, void *block, size_t *room, size_t needed,
                    size_t size) {
    size_t more = *room + *room / 16 + 16;
    more = more > needed ? more : needed;
    void *larger = ovi_resize(allocator, block, *room, more, size);
    *room = larger != NULL ? more : *room;
    return larger;
}

void ovi_release(const ov_allocator *allocator, void *block, size_t count, size_t size) {
    if (block != NULL) {
        (void)allocator->resize(allocator->user, block, count * size, 0);
    }
}
