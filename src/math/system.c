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

/* ---- teams */

/** A moment of watching a number that another thread will change soon. */
static inline void watch(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#if defined(__wasm__)

void ovi_threads_keep(const ov_threads *given,
                      void (*call)(void *context, const ov_threads *threads), void *context) {
    call(context, given);
}

#else

/** Threads that wait for work of the one that they belong to. */
typedef struct team {
    pthread_t handles[OV_THREADS_MAX];
    pthread_mutex_t mutex;
    pthread_cond_t more, done;
    unsigned started;       /**< threads besides the caller's */
    atomic_uint seats;      /**< that they have taken */
    atomic_uint generation; /**< of the work at hand */
    unsigned first_seen;    /**< the one before that of a thread's first work */
    atomic_uint busy;       /**< threads that are not done with it */
    atomic_uint sleeping;   /**< threads that have to be woken for more */
    atomic_bool awaited;    /**< the caller has to be woken when all are done */
    bool over;
    void (*work)(void *context, unsigned index);
    void *context;
    unsigned count;
} team;

/** Threads of a team watch for what comes soon, some tens of microseconds, and then sleep. */
enum { WATCHES = 2000 };

/** Waits for work of another generation than `seen`. */
static unsigned wait_for_more(team *t, unsigned seen) {
    for (int i = 0; i < WATCHES; i++) {
        unsigned now = atomic_load(&t->generation);
        if (now != seen) {
            return now;
        }
        watch();
    }
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->sleeping, 1);
    while (atomic_load(&t->generation) == seen) {
        pthread_cond_wait(&t->more, &t->mutex);
    }
    atomic_fetch_sub(&t->sleeping, 1);
    pthread_mutex_unlock(&t->mutex);
    return atomic_load(&t->generation);
}

/** Waits until all are done. */
static void wait_for_all(team *t) {
    for (int i = 0; i < WATCHES; i++) {
        if (atomic_load(&t->busy) == 0) {
            return;
        }
        watch();
    }
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->awaited, true);
    while (atomic_load(&t->busy) > 0) {
        pthread_cond_wait(&t->done, &t->mutex);
    }
    atomic_store(&t->awaited, false);
    pthread_mutex_unlock(&t->mutex);
}

/** Wakes who waits for a condition. One that goes to sleep now has said so before it looked for the
 *  last time: so it is seen here, or sees itself what there is to see. */
static void wake(team *t, pthread_cond_t *condition) {
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&t->mutex);
}

static void *run_member(void *argument) {
    team *t = argument;
    unsigned index = 1 + atomic_fetch_add(&t->seats, 1), seen = t->first_seen;
    for (;;) {
        seen = wait_for_more(t, seen);
        if (t->over) {
            return 0;
        }
        if (index < t->count) {
            t->work(t->context, index);
        }
        if (atomic_fetch_sub(&t->busy, 1) == 1 && atomic_load(&t->awaited)) {
            wake(t, &t->done);
        }
    }
}

/** Tells all members that there is something new. */
static void call_members(team *t) {
    atomic_fetch_add(&t->generation, 1);
    if (atomic_load(&t->sleeping) > 0) {
        wake(t, &t->more);
    }
}

static void run_by_team(void *user, void (*work)(void *context, unsigned index), void *context,
                        unsigned count) {
    team *t = user;
    t->first_seen = atomic_load(&t->generation); // all who are there have read it
    while (t->started + 1 < count &&
           pthread_create(&t->handles[t->started], 0, run_member, t) == 0) {
        t->started++;
    }
    t->work = work;
    t->context = context;
    t->count = count;
    atomic_store(&t->busy, t->started);
    call_members(t);
    work(context, 0);
    for (unsigned i = t->started + 1; i < count; i++) {
        work(context, i); // what found no thread
    }
    wait_for_all(t);
}

void ovi_threads_keep(const ov_threads *given,
                      void (*call)(void *context, const ov_threads *threads), void *context) {
    if (given->run != NULL) {
        call(context, given);
        return;
    }
    team t = {.started = 0};
    pthread_mutex_init(&t.mutex, 0);
    pthread_cond_init(&t.more, 0);
    pthread_cond_init(&t.done, 0);
    const ov_threads kept = {given->count, run_by_team, &t};
    call(context, &kept);
    t.over = true;
    call_members(&t);
    for (unsigned i = 0; i < t.started; i++) {
        pthread_join(t.handles[i], 0);
    }
    pthread_mutex_destroy(&t.mutex);
    pthread_cond_destroy(&t.more);
    pthread_cond_destroy(&t.done);
}

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

/** Items to be shared out. A thread first takes the grains of its own share, which is the same part
 *  of the same items every time, so that what it needs may still be in its cache; then those that
 *  are left of the other shares. */
enum { SHARES_MAX = 16 };
typedef struct sharing {
    size_t count, grain;
    unsigned threads, shares;
    atomic_size_t taken[SHARES_MAX]; /**< grains of each share */
} sharing;

static void share_out(sharing *s, size_t count, size_t grain, unsigned threads) {
    s->count = count;
    s->grain = grain;
    s->threads = threads;
    s->shares = threads < SHARES_MAX ? threads : SHARES_MAX;
    for (unsigned i = 0; i < s->shares; i++) {
        atomic_init(&s->taken[i], 0);
    }
}

/** The first item of a share. */
static size_t share_begin(const sharing *s, unsigned share) {
    size_t grains = s->count / s->grain + (s->count % s->grain != 0);
    size_t each = grains / s->shares, over = grains % s->shares;
    return (each * share + over * share / s->shares) * s->grain;
}

/** Where a thread looks for grains. */
typedef struct share_taker {
    unsigned share, left; /**< shares that it has not seen the end of */
} share_taker;

static share_taker take_shares(const sharing *s, unsigned index) {
    return (share_taker){(unsigned)((size_t)index * s->shares / s->threads), s->shares};
}

/** The next grain for a thread; false if there is none left. */
static bool take_grain(sharing *s, share_taker *taker, size_t *begin, size_t *end) {
    for (; taker->left > 0; taker->left--) {
        unsigned share = taker->share;
        size_t stop = share + 1 < s->shares ? share_begin(s, share + 1) : s->count;
        *begin = share_begin(s, share) + atomic_fetch_add(&s->taken[share], 1) * s->grain;
        if (*begin < stop) {
            *end = stop - *begin > s->grain ? *begin + s->grain : stop;
            return true;
        }
        taker->share = share + 1 < s->shares ? share + 1 : 0;
    }
    return false;
}

typedef struct ranges {
    ovi_range_work work;
    void *context;
    sharing items;
} ranges;

static void run_ranges(void *context, unsigned index) {
    ranges *r = context;
    share_taker taker = take_shares(&r->items, index);
    size_t begin, end;
    while (take_grain(&r->items, &taker, &begin, &end)) {
        r->work(r->context, index, begin, end);
    }
}

void ovi_ranges_run(ovi_range_work work, void *context, size_t count, size_t grain,
                    const ov_threads *threads) {
    unsigned used = ovi_threads_for(count, grain, threads);
    if (used > 1) {
        ranges r = {.work = work, .context = context};
        share_out(&r.items, count, grain, used);
        ovi_threads_run(threads, run_ranges, &r, used);
    } else if (count > 0) {
        work(context, 0, 0, count);
    }
}

typedef struct stages {
    const ovi_stage *list;
    size_t count;
    sharing items[OVI_STAGES_MAX];
    atomic_size_t done[OVI_STAGES_MAX];
} stages;

static void run_stages(void *context, unsigned index) {
    enum { WATCHES = 500 };
    stages *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const ovi_stage *stage = &all->list[i];
        share_taker taker = take_shares(&all->items[i], index);
        size_t begin, end;
        while (take_grain(&all->items[i], &taker, &begin, &end)) {
            stage->work(stage->context, index, begin, end);
            atomic_fetch_add(&all->done[i], end - begin);
        }
        for (int n = 0; atomic_load(&all->done[i]) < stage->count; n += n < WATCHES) {
            if (n < WATCHES) {
                watch();
            } else {
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
        stages all = {.list = list, .count = count};
        for (size_t i = 0; i < count; i++) {
            share_out(&all.items[i], list[i].count, list[i].grain, used);
            atomic_init(&all.done[i], 0);
        }
        ovi_threads_run(threads, run_stages, &all, used);
    }
}
