/**
 * @file threads.h
 * @brief The one place that knows about threads: run a function on several of them, and wait.
 *
 * Where there are none (WebAssembly), or a thread cannot be made, the calling thread does the work.
 */
#ifndef OVI_THREADS_H
#define OVI_THREADS_H

enum { OVI_THREADS_MAX = 256 };

/** Number of processors that this process may use; at least 1. */
unsigned ovi_thread_count(void);

/** Calls work(context, i) for i from 0 to count - 1, each on a thread of its own; count <= MAX. */
void ovi_threads_run(void (*work)(void *context, unsigned index), void *context, unsigned count);

#endif
