/**
 * @file schedulers.h
 * @brief Callbacks for ov_threads as engines may have them: tasks backwards on one thread, in an
 * odd order on one thread, and on threads of their own that round upwards, each of which takes
 * several tasks one after the other.
 */
#ifndef TEST_SCHEDULERS_H
#define TEST_SCHEDULERS_H

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ovoid/system.h>

/** What a callback was asked for, in all. */
typedef struct scheduler_calls {
    size_t calls, tasks;
} scheduler_calls;

static inline void scheduler_note(void *user, unsigned count) {
    scheduler_calls *c = user;
    c->calls++;
    c->tasks += count;
}

static inline void scheduler_backwards(void *user, void (*work)(void *context, unsigned index),
                                       void *context, unsigned count) {
    scheduler_note(user, count);
    for (unsigned i = count; i-- > 0;) {
        work(context, i);
    }
}

/** The odd ones first, then the even ones from the last on. */
static inline void scheduler_odd_first(void *user, void (*work)(void *context, unsigned index),
                                       void *context, unsigned count) {
    scheduler_note(user, count);
    for (unsigned i = 1; i < count; i += 2) {
        work(context, i);
    }
    for (unsigned i = count; i-- > 0;) {
        if (i % 2 == 0) {
            work(context, i);
        }
    }
}

typedef struct scheduler_job {
    void (*work)(void *context, unsigned index);
    void *context;
    atomic_uint left;
} scheduler_job;

static inline void *scheduler_thread(void *argument) {
    scheduler_job *job = argument;
    fesetround(FE_UPWARD);
    for (;;) {
        unsigned left = atomic_load(&job->left);
        while (left > 0 && !atomic_compare_exchange_weak(&job->left, &left, left - 1)) {
        }
        if (left == 0) {
            return NULL;
        }
        job->work(job->context, left - 1);
    }
}

/** Two other threads; the calling one works on nothing. */
static inline void scheduler_elsewhere(void *user, void (*work)(void *context, unsigned index),
                                       void *context, unsigned count) {
    scheduler_note(user, count);
    scheduler_job job = {work, context, count};
    pthread_t threads[2];
    int started = 0;
    while (started < 2 && pthread_create(&threads[started], NULL, scheduler_thread, &job) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    for (unsigned i = atomic_load(&job.left); i-- > 0;) {
        work(context, i); // no thread could be made
    }
}

enum { SCHEDULERS = 3 };

static inline ov_threads scheduler_at(int index, unsigned count, scheduler_calls *calls) {
    return (ov_threads){count,
                        index == 0   ? scheduler_backwards
                        : index == 1 ? scheduler_odd_first
                                     : scheduler_elsewhere,
                        calls};
}

#endif
