/**
 * @file threads.h
 * @brief The one place that knows about threads: run a function on several of them, and wait.
 *
 * Where there are none (WebAssembly), or a thread cannot be made, the calling thread does the work.
 */
#ifndef OVI_THREADS_H
#define OVI_THREADS_H

#include <stddef.h>

enum { OVI_THREADS_MAX = 256 };

/** Number of processors that this process may use; at least 1. */
unsigned ovi_thread_count(void);

/** Calls work(context, i) for i from 0 to count - 1, each on a thread of its own; count <= MAX. */
void ovi_threads_run(void (*work)(void *context, unsigned index), void *context, unsigned count);

/** How many threads, of those that are wanted (0: as many as there are processors), have at least
 *  a grain of so many items to do; at least 1. */
unsigned ovi_threads_for(size_t count, size_t grain, unsigned wanted);

/** Works on items `begin` to `end` - 1, on thread `index`. */
typedef void (*ovi_range_work)(void *context, unsigned index, size_t begin, size_t end);

/** Shares out the items 0 to count - 1 to ovi_threads_for() threads: each takes the next grain when
 *  it is done with one. A single thread gets all of them at once. */
void ovi_ranges_run(ovi_range_work work, void *context, size_t count, size_t grain,
                    unsigned threads);

#endif
