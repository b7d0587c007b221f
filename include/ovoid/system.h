/**
 * @file system.h
 * @brief What the library takes from the system it runs on: memory and threads.
 *
 * The core asks for neither in a pair query. Worlds, models, meshes and sweeps own memory; batches,
 * worlds and sweeps can work on several threads.
 */
#ifndef OVOID_SYSTEM_H
#define OVOID_SYSTEM_H

#include <stddef.h>

#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory comes from. It is asked by one thread at a time only. */
typedef struct ov_allocator {
    /**
     * Makes a block larger or smaller and keeps what it held, as realloc does: `block` is null for
     * a new one, `size` is 0 to free it (the answer is then not used). `old_size` is what was asked
     * for last time. Null where there is no memory; the old block then stays as it was.
     */
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} ov_allocator;

/** Most threads that a call may use. */
#define OV_THREADS_MAX 256

/**
 * On which threads a call works: threads of its own, or an engine's by a callback. Zeros, and a
 * null pointer to it: as many threads as the machine has. What comes out never depends on it.
 */
typedef struct ov_threads {
    unsigned count; /**< threads to use, 1: the calling one only; 0: as many as the machine has */
    /**
     * Runs work(context, i) for every i below `count`, in any order and on any threads, and returns
     * when all are done. Null: the library makes threads of its own, and ends them.
     */
    void (*run)(void *user, void (*work)(void *context, unsigned index), void *context,
                unsigned count);
    void *user; /**< handed to `run` */
} ov_threads;

#ifdef __cplusplus
}
#endif

#endif
