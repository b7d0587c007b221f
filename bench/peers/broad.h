/**
 * @file broad.h
 * @brief The broad phases of other libraries: their dynamic trees on boxes that are handed to them.
 *
 * Part of the module of peers.h, with an entry of its own.
 */
#ifndef OVOID_BENCH_BROAD_H
#define OVOID_BENCH_BROAD_H

#include <stddef.h>
#include <stdint.h>

#include <ovoid/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_broad {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    /** A tree of so many boxes; null where it could not be made. */
    void *(*make)(const ov_aabb *boxes, size_t count);
    void (*destroy)(void *tree);
    /** Gives all leaves their new boxes, and counts the pairs of boxes that meet. */
    size_t (*step)(void *tree, const ov_aabb *boxes);
} peer_broad;

const peer_broad *peer_fcl_broad(void);
const peer_broad *peer_bullet_broad(void);

/** The entry: all that the module was built with; at most `most`. */
size_t ovoid_peers_broad(const peer_broad **broads, size_t most);
typedef size_t (*ovoid_peers_broad_function)(const peer_broad **broads, size_t most);
#define OVOID_BROAD_ENTRY "ovoid_peers_broad"

#ifdef __cplusplus
}
#endif

#endif
