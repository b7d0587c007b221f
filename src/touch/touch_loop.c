/**
 * @file touch_loop.c
 * @brief The servo loop, its queues and its statistics.
 *
 * A queue is a ring with two counters: the pusher owns one, the popper the other, and each
 * publishes its own with release and reads the other's with acquire. So neither ever waits, and
 * TSan agrees.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <ovoid/touch_loop.h>

#include "../math/system.h"

/* ---- queues ---------------------------------------------------------------------------------- */

struct ov_touch_queue {
    ov_allocator allocator;
    unsigned char *items;
    size_t size, room;
    char gap_before[64]; // each counter has a cache line that the other thread does not write
    atomic_size_t pushed;
    char gap_between[64];
    atomic_size_t popped;
    char gap_after[64];
};

ov_status ov_touch_queue_create(size_t size, size_t capacity, const ov_allocator *allocator,
                                ov_touch_queue **queue) {
    if (queue == NULL) {
        return OV_ERROR_NULL;
    }
    *queue = NULL;
    if (size < 1 || size > 4096 || capacity < 1 || capacity > (size_t)1 << 24) {
        return OV_ERROR_COUNT;
    }
    size_t room = 1;
    while (room < capacity) {
        room *= 2;
    }
    ov_allocator own = ovi_allocator_of(allocator);
    ov_touch_queue *made = ovi_resize(&own, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    made->allocator = own;
    made->size = size;
    made->room = room;
    made->items = ovi_resize(&own, NULL, 0, room, size);
    if (made->items == NULL) {
        ovi_release(&own, made, 1, sizeof *made);
        return OV_ERROR_MEMORY;
    }
    atomic_init(&made->pushed, 0);
    atomic_init(&made->popped, 0);
    *queue = made;
    return OV_OK;
}

void ov_touch_queue_destroy(ov_touch_queue *queue) {
    if (queue != NULL) {
        ov_allocator own = queue->allocator;
        ovi_release(&own, queue->items, queue->room, queue->size);
        ovi_release(&own, queue, 1, sizeof *queue);
    }
}

static unsigned char *queue_slot(const ov_touch_queue *queue, size_t count) {
    return queue->items + (count & (queue->room - 1)) * queue->size;
}

bool ov_touch_queue_push(ov_touch_queue *queue, const void *item) {
    size_t pushed = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    size_t popped = atomic_load_explicit(&queue->popped, memory_order_acquire);
    if (pushed - popped == queue->room) {
        return false;
    }
    memcpy(queue_slot(queue, pushed), item, queue->size);
    atomic_store_explicit(&queue->pushed, pushed + 1, memory_order_release);
    return true;
}

bool ov_touch_queue_pop(ov_touch_queue *queue, void *item) {
    size_t popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
    size_t pushed = atomic_load_explicit(&queue->pushed, memory_order_acquire);
    if (pushed == popped) {
        return false;
    }
    memcpy(item, queue_slot(queue, popped), queue->size);
    atomic_store_explicit(&queue->popped, popped + 1, memory_order_release);
    return true;
}

size_t ov_touch_queue_newest(ov_touch_queue *queue, void *item) {
    size_t popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
    size_t pushed = atomic_load_explicit(&queue->pushed, memory_order_acquire);
    if (pushed != popped) {
        memcpy(item, queue_slot(queue, pushed - 1), queue->size);
        atomic_store_explicit(&queue->popped, pushed, memory_order_release);
    }
    return pushed - popped;
}

/* ---- statistics ------------------------------------------------------------------------------ */

/** Times in buckets; written by the loop, read by anyone. */
typedef struct histogram {
    atomic_uint_fast64_t buckets[OV_TOUCH_BUCKETS];
    atomic_uint_fast64_t worst; /**< ns */
} histogram;

static void histogram_add(histogram *h, double seconds) {
    double us = fmax(seconds * 1e6, 0.0);
    double at = us < 1.0 ? 0.0 : floor(4.0 * log2(us)) + 1.0;
    size_t bucket = at < OV_TOUCH_BUCKETS ? (size_t)at : OV_TOUCH_BUCKETS - 1;
    atomic_fetch_add_explicit(&h->buckets[bucket], 1, memory_order_relaxed);
    uint_fast64_t ns = (uint_fast64_t)fmin(us * 1e3, 1e18);
    if (ns > atomic_load_explicit(&h->worst, memory_order_relaxed)) {
        atomic_store_explicit(&h->worst, ns, memory_order_relaxed);
    }
}

static double histogram_copy(const histogram *h, uint64_t out[OV_TOUCH_BUCKETS]) {
    for (size_t i = 0; i < OV_TOUCH_BUCKETS; i++) {
        out[i] = atomic_load_explicit(&h->buckets[i], memory_order_relaxed);
    }
    return 1e-9 * (double)atomic_load_explicit(&h->worst, memory_order_relaxed);
}

double ov_touch_quantile(const uint64_t buckets[OV_TOUCH_BUCKETS], double share) {
    uint64_t total = 0;
    for (size_t i = 0; i < OV_TOUCH_BUCKETS; i++) {
        total += buckets[i];
    }
    double wanted = fmin(fmax(share, 0.0), 1.0) * (double)total, sum = 0.0;
    for (size_t i = 0; i < OV_TOUCH_BUCKETS; i++) {
        sum += (double)buckets[i];
        if (sum >= wanted && sum > 0.0) {
            return 1e-6 * exp2((double)i / 4.0);
        }
    }
    return 0.0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

struct ov_touch_loop {
    ov_allocator allocator;
    ov_touch_device device;
    ov_touch_servo servo;
    void *user;
    double rate, period, spin;
    uint64_t ticks;
    ov_pose object;
    ov_touch_queue *records, *moves;
    ovi_thread thread;
    bool joined;
    bool placed;      /**< the thread's: the device has told a pose */
    ov_status status; /**< of the thread; to be read when it is joined */
    atomic_bool stop, done;
    atomic_uint_fast64_t count, missed, lost, moved;
    histogram late, work;
};

/** One tick, begun `late` seconds after its time. */
static ov_status run_tick(ov_touch_loop *loop, ov_touch_record *record) {
    ov_touch_tick *tick = &record->tick;
    size_t news = ov_touch_queue_newest(loop->moves, &tick->object);
    atomic_fetch_add_explicit(&loop->moved, news, memory_order_relaxed);
    ov_status status = loop->device.read(loop->device.user, tick->time, &tick->device);
    loop->placed = loop->placed || status == OV_OK;
    record->force = (ov_touch_force){0};
    if (status >= 0 && loop->placed) {
        status = loop->servo(loop->user, tick, &record->force);
    }
    if (status < 0) {
        record->force = (ov_touch_force){0};
    }
    if (loop->device.write != NULL) {
        loop->device.write(loop->device.user, &record->force);
    }
    return status;
}

static void count_tick(ov_touch_loop *loop, const ov_touch_record *record) {
    histogram_add(&loop->late, record->late);
    histogram_add(&loop->work, record->work);
    if (record->late + record->work > loop->period) {
        atomic_fetch_add_explicit(&loop->missed, 1, memory_order_relaxed);
    }
    if (!ov_touch_queue_push(loop->records, record)) {
        atomic_fetch_add_explicit(&loop->lost, 1, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&loop->count, 1, memory_order_release);
}

static void run_loop(void *context) {
    ov_touch_loop *loop = context;
    ov_touch_record record = {
        .tick = {.period = loop->period, .device = ov_pose_identity(), .object = loop->object}};
    double start = ovi_clock_seconds();
    while (!atomic_load_explicit(&loop->stop, memory_order_relaxed) && loop->status >= 0) {
        // from the start, not from the last tick, so that errors do not add up
        double due = start + (double)record.tick.index * loop->period;
        ovi_clock_wait(due, loop->spin);
        double began = ovi_clock_seconds();
        record.tick.time = (double)record.tick.index / loop->rate;
        record.late = began - due;
        loop->status = run_tick(loop, &record);
        record.work = ovi_clock_seconds() - began;
        count_tick(loop, &record);
        record.tick.index++;
        if (loop->ticks != 0 && record.tick.index >= loop->ticks) {
            break;
        }
    }
    atomic_store_explicit(&loop->done, true, memory_order_release);
}

static ov_status fill_loop(const ov_touch_loop_options *options, ov_touch_loop *loop) {
    ov_touch_loop_options o = options != NULL ? *options : (ov_touch_loop_options){0};
    double rate = o.rate == 0.0 ? 1000.0 : o.rate;
    if (!isfinite(rate) || !isfinite(o.spin)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (rate < 1.0 || rate > 1e5 || o.spin < 0.0 || o.spin > 1.0 || o.records > (size_t)1 << 24) {
        return OV_ERROR_OPTION;
    }
    loop->rate = rate;
    loop->period = 1.0 / rate;
    // Linux wakes ordinary threads up to 50 us late
    loop->spin = o.spin == 0.0 ? 60e-6 : o.spin;
    loop->ticks = o.ticks;
    loop->object = ov_pose_default(o.object);
    if (!ov_vec3_is_finite(loop->object.position)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ov_quat_normalize(loop->object.rotation, &loop->object.rotation);
    if (status == OV_OK) {
        status = ov_touch_queue_create(sizeof(ov_touch_record), o.records == 0 ? 32768 : o.records,
                                       &loop->allocator, &loop->records);
    }
    if (status == OV_OK) {
        status = ov_touch_queue_create(sizeof(ov_pose), 1024, &loop->allocator, &loop->moves);
    }
    return status;
}

static void free_loop(ov_touch_loop *loop) {
    ov_allocator own = loop->allocator;
    ov_touch_queue_destroy(loop->records);
    ov_touch_queue_destroy(loop->moves);
    ovi_release(&own, loop, 1, sizeof *loop);
}

ov_status ov_touch_loop_start(const ov_touch_loop_options *options, const ov_touch_device *device,
                              ov_touch_servo servo, void *user, const ov_allocator *allocator,
                              ov_touch_loop **loop) {
    if (loop == NULL) {
        return OV_ERROR_NULL;
    }
    *loop = NULL;
    if (device == NULL || device->read == NULL || servo == NULL) {
        return OV_ERROR_NULL;
    }
    ov_allocator own = ovi_allocator_of(allocator);
    ov_touch_loop *made = ovi_resize(&own, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->allocator = own;
    made->device = *device;
    made->servo = servo;
    made->user = user;
    ov_status status = fill_loop(options, made);
    if (status == OV_OK && !ovi_thread_start(&made->thread, run_loop, made)) {
        status = OV_ERROR_UNSUPPORTED;
    }
    if (status < 0) {
        free_loop(made);
        return status;
    }
    *loop = made;
    return OV_OK;
}

bool ov_touch_loop_move(ov_touch_loop *loop, ov_pose object) {
    if (!ov_vec3_is_finite(object.position) ||
        ov_quat_normalize(object.rotation, &object.rotation) < 0) {
        return false;
    }
    return ov_touch_queue_push(loop->moves, &object);
}

size_t ov_touch_loop_read(ov_touch_loop *loop, ov_touch_record *records, size_t room) {
    size_t taken = 0;
    while (taken < room && ov_touch_queue_pop(loop->records, &records[taken])) {
        taken++;
    }
    return taken;
}

bool ov_touch_loop_is_done(const ov_touch_loop *loop) {
    return atomic_load_explicit(&loop->done, memory_order_acquire);
}

ov_status ov_touch_loop_stop(ov_touch_loop *loop) {
    if (loop == NULL) {
        return OV_ERROR_NULL;
    }
    atomic_store_explicit(&loop->stop, true, memory_order_relaxed);
    if (!loop->joined) {
        ovi_thread_join(&loop->thread);
        loop->joined = true;
    }
    return loop->status < 0 ? loop->status : OV_OK;
}

void ov_touch_loop_destroy(ov_touch_loop *loop) {
    if (loop != NULL) {
        (void)ov_touch_loop_stop(loop);
        free_loop(loop);
    }
}

ov_touch_statistics ov_touch_loop_statistics(const ov_touch_loop *loop) {
    ov_touch_statistics s = {0};
    s.ticks = atomic_load_explicit(&loop->count, memory_order_acquire);
    s.missed = atomic_load_explicit(&loop->missed, memory_order_relaxed);
    s.lost = atomic_load_explicit(&loop->lost, memory_order_relaxed);
    s.moves = atomic_load_explicit(&loop->moved, memory_order_relaxed);
    s.late_worst = histogram_copy(&loop->late, s.late);
    s.work_worst = histogram_copy(&loop->work, s.work);
    return s;
}
