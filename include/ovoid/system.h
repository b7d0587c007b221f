/**
 * @file system.h
 * @brief What the library takes from the system it runs on: memory and threads.
 *
 * Pair queries need neither. Worlds, models, meshes and sweeps own memory; batches, worlds and
 * sweeps can use several threads.
 */
#ifndef OVOID_SYSTEM_H
#define OVOID_SYSTEM_H

#include <stddef.h>

#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory comes from. It is called by one thread at a time. */
typedef struct ov_allocator {
    /**
     * Resizes a block and keeps its contents, as realloc does. `block` is null for a new block;
     * `size` is 0 to free the block (the result is then ignored). `old_size` is the previous size.
     * Returns null if there is no memory; the old block then stays as it was.
     */
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} ov_allocator;

/** Largest number of threads of a call. */
#define OV_THREADS_MAX 256

/**
 * The threads that a call uses: threads of its own, or those of your engine by a callback. All
 * zeros, or a null pointer, mean as many threads as the machine has. Results never depend on it.
 */
typedef struct ov_threads {
    unsigned count; /**< 1: the calling thread only; 0: as many as the machine has */
    /**
     * Calls work(context, i) for every i below `count`, in any order and on any threads, and
     * returns when all are done. Null: the library makes threads of its own, and ends them.
     */
    void (*run)(void *user, void (*work)(void *context, unsigned index), void *context,
                unsigned count);
    void *user; /**< passed to `run` */
} ov_threads;

#ifdef __cplusplus
}
#endif

#endif
