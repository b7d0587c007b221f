/**
 * @file system.h
 * @brief What the library takes from the system: memory by the caller's allocator, threads, the
 * clock.
 *
 * This is the one place that knows about threads: run a function on several of them, and wait. They
 * are the caller's where ov_threads has a callback, else threads of the system. Where there
 * are none (WebAssembly), or a thread cannot be made, the calling thread does the work.
 */
#ifndef OVI_SYSTEM_H
#define OVI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#if !defined(__wasm__)
#include <pthread.h>
#endif

#include <ovoid/system.h>

/* ---- memory */

/** The caller's allocator, or that of the C library for null or an empty one. */
ov_allocator ovi_allocator_of(const ov_allocator *given);

/**
 * An array of `count` elements of `size` bytes, resized from `old_count`; `block` may be null. Null
 * for want of memory or where the size does not fit; the old block then stays as it was.
 */
void *ovi_resize(const ov_allocator *allocator, void *block, size_t old_count, size_t count,
                 size_t size);
/**
 * An array of `*room` elements resized for at least `needed`, and by a part of its size, so that an
 * array that grows one by one is moved seldom. Null as above, with `*room` as it was.
 */
void *ovi_more_room(const ov_allocator *allocator, void *block, size_t *room, size_t needed,
                    size_t size);
/** Gives an array back; null is allowed. */
void ovi_release(const ov_allocator *allocator, void *block, size_t count, size_t size);

/** Fetches what will soon be needed: where there is much of it, it would be waited for. */
static inline void ovi_fetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/* ---- threads */

/** Number of processors that this process may use; at least 1. */
unsigned ovi_thread_count(void);

/** Can a call work on these threads? Null is the default; else at most OV_THREADS_MAX. */
bool ovi_threads_are_good(const ov_threads *threads);

/**
 * Calls work(context, i) for i from 0 to count - 1, count <= OV_THREADS_MAX, and returns when all
 * are done: by the caller's callback, or else each on a thread of its own. No work may wait for
 * another one, as they may run one after the other.
 */
void ovi_threads_run(const ov_threads *threads, void (*work)(void *context, unsigned index),
                     void *context, unsigned count);

/**
 * Calls call(context, threads) with threads like the given ones, but where these are of the system
 * they stay between one ovi_threads_run() and the next until the call returns: where many short
 * ones follow each other, starting threads takes as long as what they do. They watch for more to
 * do, and sleep after a while without any. To be used by one thread, and not by what it has them
 * do.
 */
void ovi_threads_keep(const ov_threads *given,
                      void (*call)(void *context, const ov_threads *threads), void *context);

/** How many threads, of those that are wanted, have at least a grain of so many items to do; at
 *  least 1. */
unsigned ovi_threads_for(size_t count, size_t grain, const ov_threads *threads);

/** Works on items `begin` to `end` - 1, on thread `index`. */
typedef void (*ovi_range_work)(void *context, unsigned index, size_t begin, size_t end);

/** Shares out the items 0 to count - 1 to ovi_threads_for() threads: each takes a grain when it is
 *  done with one, of its own part of the items as long as there are any. A single thread gets all
 * of them at once. */
void ovi_ranges_run(ovi_range_work work, void *context, size_t count, size_t grain,
                    const ov_threads *threads);

/** Ranges one after the other: none begins before those before it are done. */
typedef struct ovi_stage {
    ovi_range_work work;
    void *context;
    size_t count, grain;
} ovi_stage;

enum { OVI_STAGES_MAX = 128 };

/** Runs up to OVI_STAGES_MAX stages on as many threads as the largest of them keeps busy, which are
 *  started but once. A thread waits only for grains that another one has begun, so threads may also
 *  run one after the other. */
void ovi_stages_run(const ovi_stage *stages, size_t count, const ov_threads *threads);

/** A thread that goes on by itself. */
typedef struct ovi_thread {
    void (*work)(void *context);
    void *context;
#if !defined(__wasm__)
    pthread_t handle;
#endif
} ovi_thread;

/** Starts one; false if there are none to be had. `thread` must stay where it is. */
bool ovi_thread_start(ovi_thread *thread, void (*work)(void *context), void *context);
void ovi_thread_join(ovi_thread *thread);

/* ---- the clock */

/** Seconds since some moment; never goes back. */
double ovi_clock_seconds(void);
/** Returns at that time: sleeps until `spin` seconds before it, then watches the clock. */
void ovi_clock_wait(double until, double spin);

#endif
