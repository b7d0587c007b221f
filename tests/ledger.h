/**
 * @file ledger.h
 * @brief An allocator for tests: it keeps a list of its blocks, moves a block whenever it changes
 * size, fills with rubbish what is new or gone, fails when told to, and notices when two threads
 * ask it at once.
 */
#ifndef OVOID_TESTS_LEDGER_H
#define OVOID_TESTS_LEDGER_H

#include <stdatomic.h>
#include <string.h>

#include "check.h"

enum { LEDGER_BLOCKS = 4096 };

typedef struct ledger {
    void *blocks[LEDGER_BLOCKS];
    size_t sizes[LEDGER_BLOCKS];
    size_t count, bytes;
    long calls;      /**< that asked for memory */
    long fails_from; /**< the first call that fails; 0: none */
    long fails_to;   /**< the last one */
    long failures;
    atomic_int busy; /**< calls at this moment: never more than one */
} ledger;

static inline size_t ledger_find(const ledger *l, const void *block) {
    size_t i = 0;
    while (i < l->count && l->blocks[i] != block) {
        i++;
    }
    return i;
}

static inline void *ledger_resize(void *user, void *block, size_t old_size, size_t size) {
    ledger *l = user;
    CHECK(atomic_fetch_add(&l->busy, 1) == 0);
    size_t at = block != NULL ? ledger_find(l, block) : l->count;
    void *made = NULL;
    bool known = block == NULL ? CHECK(old_size == 0 && size > 0)
                               : CHECK(at < l->count) && CHECK(l->sizes[at] == old_size);
    if (known && size > 0) {
        l->calls++;
        if (l->fails_from > 0 && l->calls >= l->fails_from && l->calls <= l->fails_to) {
            l->failures++;
            atomic_fetch_sub(&l->busy, 1);
            return NULL;
        }
        made = malloc(size);
        memset(made, 0xa5, size);
        if (block != NULL) {
            memcpy(made, block, old_size < size ? old_size : size);
        }
        CHECK(l->count < LEDGER_BLOCKS);
        l->blocks[l->count] = made;
        l->sizes[l->count++] = size;
        l->bytes += size;
    }
    if (known && block != NULL) {
        memset(block, 0x5a, old_size);
        free(block);
        l->bytes -= old_size;
        l->count--;
        l->blocks[at] = l->blocks[l->count];
        l->sizes[at] = l->sizes[l->count];
    }
    atomic_fetch_sub(&l->busy, 1);
    return made;
}

/** Forgets everything; call `fails_at` fails, none if 0. */
static inline void ledger_start(ledger *l, long fails_at) {
    memset(l, 0, sizeof *l);
    l->fails_from = l->fails_to = fails_at;
}

static inline ov_allocator ledger_allocator(ledger *l) { return (ov_allocator){ledger_resize, l}; }

#endif
