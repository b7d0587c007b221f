/**
 * @file threads.c
 * @brief Threads by POSIX, or none (threads.h).
 */
#if !defined(__wasm__)
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <unistd.h>
#endif

#include "threads.h"

#if defined(__wasm__)

unsigned ovi_thread_count(void) { return 1; }

void ovi_threads_run(void (*work)(void *context, unsigned index), void *context, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        work(context, i);
    }
}

#else

unsigned ovi_thread_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > OVI_THREADS_MAX ? OVI_THREADS_MAX : (unsigned)count;
}

typedef struct task {
    void (*work)(void *context, unsigned index);
    void *context;
    unsigned index;
} task;

static void *run_task(void *argument) {
    const task *t = argument;
    t->work(t->context, t->index);
    return 0;
}

void ovi_threads_run(void (*work)(void *context, unsigned index), void *context, unsigned count) {
    pthread_t threads[OVI_THREADS_MAX];
    task tasks[OVI_THREADS_MAX];
    unsigned started = 0;
    for (unsigned i = 1; i < count; i++) {
        tasks[i] = (task){work, context, i};
        if (pthread_create(&threads[i], 0, run_task, &tasks[i]) != 0) {
            break;
        }
        started = i;
    }
    work(context, 0);
    for (unsigned i = started + 1; i < count; i++) {
        work(context, i); // what found no thread
    }
    for (unsigned i = 1; i <= started; i++) {
        pthread_join(threads[i], 0);
    }
}

#endif
