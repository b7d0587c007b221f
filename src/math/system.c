/**
 * @file system.c
 * @brief Arrays by the caller's allocator or that of the C library; threads by the caller's
 * callback, by POSIX, or none (system.h).
 */
#define _POSIX_C_SOURCE 200809L // the clock, also in WASI
#if !defined(__wasm__)
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#endif
#include <time.h>

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "rounding_mode.h"
#include "system.h"

/* ---- memory */

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

/* ---- threads of the system */

#if defined(__wasm__)

unsigned ovi_thread_count(void) { return 1; }

static void run_here(void (*work)(void *context, unsigned index), void *context, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        work(context, i);
    }
}

bool ovi_thread_start(ovi_thread *thread, void (*work)(void *context), void *context) {
    *thread = (ovi_thread){work, context};
    return false;
}

void ovi_thread_join(ovi_thread *thread) { (void)thread; }

/** There is no sleep. */
static void sleep_until(double until) { (void)until; }

static void let_others_run(void) {}

#else

unsigned ovi_thread_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > OV_THREADS_MAX ? OV_THREADS_MAX : (unsigned)count;
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

static void run_here(void (*work)(void *context, unsigned index), void *context, unsigned count) {
    pthread_t threads[OV_THREADS_MAX];
    task tasks[OV_THREADS_MAX];
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

static void *run_thread(void *argument) {
    const ovi_thread *thread = argument;
    thread->work(thread->context);
    return 0;
}

bool ovi_thread_start(ovi_thread *thread, void (*work)(void *context), void *context) {
    thread->work = work;
    thread->context = context;
    return pthread_create(&thread->handle, 0, run_thread, thread) == 0;
}

void ovi_thread_join(ovi_thread *thread) { pthread_join(thread->handle, 0); }

static void sleep_until(double until) {
    double whole = floor(until);
    struct timespec at = {(time_t)whole, (long)((until - whole) * 1e9)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void let_others_run(void) { (void)sched_yield(); }

#endif

/* ---- the clock */

double ovi_clock_seconds(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ovi_clock_wait(double until, double spin) {
    if (until - spin > ovi_clock_seconds()) {
        sleep_until(until - spin);
    }
    while (ovi_clock_seconds() < until) {
    }
}

/* ---- threads of the caller */

/** Work on its way through the caller's callback. */
typedef struct errand {
    void (*work)(void *context, unsigned index);
    void *context;
} errand;

/** Threads that are not ours may round in another way than to nearest. */
static void run_errand(void *context, unsigned index) {
    const errand *e = context;
    int mode;
    bool switched = !ovi_rounds_to_nearest() && ovi_round_to_nearest_begin(&mode);
    e->work(e->context, index);
    if (switched) {
        ovi_round_to_nearest_end(mode);
    }
}

void ovi_threads_run(const ov_threads *threads, void (*work)(void *context, unsigned index),
                     void *context, unsigned count) {
    if (threads != NULL && threads->run != NULL) {
        errand e = {work, context};
        threads->run(threads->user, run_errand, &e, count);
    } else {
        run_here(work, context, count);
    }
}

/* ---- how many, and what each one does */

bool ovi_threads_are_good(const ov_threads *threads) {
    return threads == NULL || threads->count <= OV_THREADS_MAX;
}

unsigned ovi_threads_for(size_t count, size_t grain, const ov_threads *threads) {
    size_t grains = count / grain;
    unsigned wanted = threads != NULL ? threads->count : 0;
    if (grains < 2 || wanted == 1) {
        return 1; // without asking the system
    }
    size_t most = wanted > 0 ? wanted : ovi_thread_count();
    most = most < OV_THREADS_MAX ? most : OV_THREADS_MAX;
    return (unsigned)(grains < most ? grains : most);
}

typedef struct ranges {
    ovi_range_work work;
    void *context;
    size_t count, grain;
    atomic_size_t next;
} ranges;

static void run_ranges(void *context, unsigned index) {
    ranges *r = context;
    for (;;) {
        size_t begin = atomic_fetch_add(&r->next, r->grain);
        if (begin >= r->count) {
            return;
        }
        size_t end = r->count - begin > r->grain ? begin + r->grain : r->count;
        r->work(r->context, index, begin, end);
    }
}

void ovi_ranges_run(ovi_range_work work, void *context, size_t count, size_t grain,
                    const ov_threads *threads) {
    unsigned used = ovi_threads_for(count, grain, threads);
    if (used > 1) {
        ranges r = {work, context, count, grain, 0};
        ovi_threads_run(threads, run_ranges, &r, used);
    } else if (count > 0) {
        work(context, 0, 0, count);
    }
}

typedef struct stage_state {
    atomic_size_t next, done;
} stage_state;

typedef struct stages {
    const ovi_stage *list;
    size_t count;
    stage_state states[OVI_STAGES_MAX];
} stages;

static void run_stages(void *context, unsigned index) {
    enum { SPINS = 200 };
    stages *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const ovi_stage *stage = &all->list[i];
        stage_state *state = &all->states[i];
        for (;;) {
            size_t begin = atomic_fetch_add(&state->next, stage->grain);
            if (begin >= stage->count) {
                break;
            }
            size_t left = stage->count - begin, size = left < stage->grain ? left : stage->grain;
            stage->work(stage->context, index, begin, begin + size);
            atomic_fetch_add(&state->done, size);
        }
        for (int spins = 0; atomic_load(&state->done) < stage->count; spins++) {
            if (spins >= SPINS) {
                let_others_run();
            }
        }
    }
}

void ovi_stages_run(const ovi_stage *list, size_t count, const ov_threads *threads) {
    unsigned used = 1;
    for (size_t i = 0; i < count; i++) {
        unsigned of_stage = ovi_threads_for(list[i].count, list[i].grain, threads);
        used = of_stage > used ? of_stage : used;
    }
    for (size_t i = 0; used == 1 && i < count; i++) {
        if (list[i].count > 0) {
            list[i].work(list[i].context, 0, 0, list[i].count);
        }
    }
    if (used > 1) {
        stages all = {list, count, {{0}}};
        ovi_threads_run(threads, run_stages, &all, used);
    }
}
