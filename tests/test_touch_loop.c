/**
 * @file test_touch_loop.c
 * @brief The servo loop: nothing that is handed over is lost or torn, errors end it, its statistics
 * add up, and failing allocations leave nothing behind.
 */
#include <pthread.h>
#include <sched.h>

#include <ovoid/touch_loop.h>

#include "check.h"
#include "own_allocator.h"

/* ---- queues */

typedef struct item {
    uint64_t number, twice, thrice;
} item;

enum { item_count = 200000 };

static void *push_all(void *argument) {
    ov_touch_queue *queue = argument;
    for (uint64_t i = 1; i <= item_count; i++) {
        item it = {i, 2 * i, 3 * i};
        while (!ov_touch_queue_push(queue, &it)) {
            sched_yield();
        }
    }
    return NULL;
}

/** Every item arrives once, in order and whole; `newest`: some are passed over, and counted. */
static void check_queue(size_t capacity, bool newest) {
    ov_touch_queue *queue;
    CHECK_OK(ov_touch_queue_create(sizeof(item), capacity, NULL, &queue));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, push_all, queue) == 0);
    uint64_t seen = 0, torn = 0, out_of_order = 0;
    while (seen < item_count) {
        item it = {0};
        uint64_t taken =
            newest ? ov_touch_queue_newest(queue, &it) : (uint64_t)ov_touch_queue_pop(queue, &it);
        if (taken == 0) {
            sched_yield();
            continue;
        }
        torn += it.twice != 2 * it.number || it.thrice != 3 * it.number;
        seen += taken;
        out_of_order += it.number != seen;
    }
    CHECK(torn == 0);
    CHECK(out_of_order == 0);
    item none;
    CHECK(!ov_touch_queue_pop(queue, &none));
    pthread_join(thread, NULL);
    ov_touch_queue_destroy(queue);
}

static void test_queues(void) {
    check_queue(1, false);
    check_queue(100, false);
    check_queue(4096, true);
    ov_touch_queue *queue;
    CHECK_STATUS(ov_touch_queue_create(0, 1, NULL, &queue), OV_ERROR_COUNT);
    CHECK_STATUS(ov_touch_queue_create(8, 0, NULL, &queue), OV_ERROR_COUNT);
    CHECK_STATUS(ov_touch_queue_create(8, SIZE_MAX, NULL, &queue), OV_ERROR_COUNT);
    CHECK_STATUS(ov_touch_queue_create(8, 8, NULL, NULL), OV_ERROR_NULL);
}

/* ---- the loop */

/** A device that moves down a line, and ends after some ticks. */
typedef struct line_device {
    uint64_t reads, writes, ends_at;
    ov_touch_force shown;
} line_device;

static ov_status read_line(void *user, double time, ov_pose *pose) {
    line_device *device = user;
    device->reads++;
    *pose = ov_pose_identity();
    pose->position.z = -time;
    return device->ends_at != 0 && device->reads > device->ends_at ? OV_ERROR_FILE_READ : OV_OK;
}

static void show(void *user, const ov_touch_force *force) {
    line_device *device = user;
    device->writes++;
    device->shown = *force;
}

static ov_status spring(void *user, const ov_touch_tick *tick, ov_touch_force *force) {
    (void)user;
    force->force.z = -tick->device.position.z;
    force->depth = tick->object.position.x;
    return OV_OK;
}

static void test_loop(void) {
    line_device line = {0};
    ov_touch_device device = {read_line, show, &line};
    ov_touch_loop_options o = {.rate = 2000.0, .ticks = 600};
    ov_touch_loop *loop;
    CHECK_OK(ov_touch_loop_start(&o, &device, spring, NULL, NULL, &loop));
    uint64_t moves = 0, records = 0, wrong = 0;
    double last = 0.0;
    while (!ov_touch_loop_is_done(loop) || records < o.ticks) {
        ov_pose object = ov_pose_identity();
        object.position.x = (double)(moves + 1);
        moves += ov_touch_loop_move(loop, object);
        ov_touch_record r[64];
        size_t n = ov_touch_loop_read(loop, r, 64);
        for (size_t i = 0; i < n; i++) {
            wrong += r[i].tick.index != records;
            wrong += fabs(r[i].tick.time - (double)records / 2000.0) > 1e-6;
            wrong += r[i].force.force.z != r[i].tick.time;
            wrong += r[i].force.depth < last; // the object's poses come in order
            last = r[i].force.depth;
            records++;
        }
        if (ov_touch_loop_is_done(loop) && n == 0) {
            break;
        }
        sched_yield();
    }
    CHECK_OK(ov_touch_loop_stop(loop));
    CHECK(records == o.ticks);
    CHECK(wrong == 0);
    CHECK(line.writes == o.ticks);
    ov_touch_statistics s = ov_touch_loop_statistics(loop);
    uint64_t in_histogram = 0;
    for (size_t i = 0; i < OV_TOUCH_BUCKETS; i++) {
        in_histogram += s.late[i];
    }
    CHECK(s.ticks == o.ticks && in_histogram == o.ticks && s.lost == 0);
    CHECK(s.moves <= moves && s.moves > 0);
    CHECK(ov_touch_quantile(s.late, 1.0) >= ov_touch_quantile(s.late, 0.5));
    CHECK(ov_touch_quantile(s.late, 1.0) >= s.late_worst * 0.999);
    printf("%s: late: median %.3g, p99 %.3g, worst %.3g s; missed %llu of %llu\n", check_suite,
           ov_touch_quantile(s.late, 0.5), ov_touch_quantile(s.late, 0.99), s.late_worst,
           (unsigned long long)s.missed, (unsigned long long)s.ticks);
    ov_touch_loop_destroy(loop);
}

/** A device that fails ends the loop, and the last force shown is zero. */
static void test_device_ends(void) {
    line_device line = {.ends_at = 20};
    ov_touch_device device = {read_line, show, &line};
    ov_touch_loop_options o = {.rate = 5000.0};
    ov_touch_loop *loop;
    CHECK_OK(ov_touch_loop_start(&o, &device, spring, NULL, NULL, &loop));
    while (!ov_touch_loop_is_done(loop)) {
        sched_yield();
    }
    CHECK_STATUS(ov_touch_loop_stop(loop), OV_ERROR_FILE_READ);
    CHECK_STATUS(ov_touch_loop_stop(loop), OV_ERROR_FILE_READ);
    CHECK(line.writes == 21 && line.shown.force.z == 0.0);
    ov_touch_loop_destroy(loop);
}

static ov_status read_late(void *user, double time, ov_pose *pose) {
    return time < 0.01 ? OV_NOT_CONVERGED : read_line(user, time, pose);
}

static ov_status count_calls(void *user, const ov_touch_tick *tick, ov_touch_force *force) {
    *(uint64_t *)user += 1;
    force->force.z = tick->device.position.z;
    return OV_OK;
}

/** Before the device has told where it is nobody computes a force from a place that it is not at.
 */
static void test_no_pose_yet(void) {
    line_device line = {0};
    uint64_t calls = 0;
    ov_touch_device device = {read_late, show, &line};
    ov_touch_loop_options o = {.rate = 10000.0, .ticks = 250};
    ov_touch_loop *loop;
    CHECK_OK(ov_touch_loop_start(&o, &device, count_calls, &calls, NULL, &loop));
    while (!ov_touch_loop_is_done(loop)) {
        sched_yield();
    }
    CHECK_OK(ov_touch_loop_stop(loop));
    CHECK(calls == 150 && line.writes == 250);
    ov_touch_record r[250];
    CHECK(ov_touch_loop_read(loop, r, 250) == 250);
    for (int i = 0; i < 250; i++) {
        CHECK(i < 100 ? r[i].force.force.z == 0.0 : r[i].force.force.z != 0.0);
    }
    ov_touch_loop_destroy(loop);
}

/** Nobody reads the records: those that find no room are counted. */
static void test_unread(void) {
    line_device line = {0};
    ov_touch_device device = {read_line, NULL, &line};
    ov_touch_loop_options o = {.rate = 20000.0, .ticks = 100, .records = 16};
    ov_touch_loop *loop;
    CHECK_OK(ov_touch_loop_start(&o, &device, spring, NULL, NULL, &loop));
    while (!ov_touch_loop_is_done(loop)) {
        sched_yield();
    }
    CHECK(ov_touch_loop_statistics(loop).lost == 84);
    ov_touch_loop_destroy(loop); // without a stop
}

static void test_bad_loops(void) {
    line_device line = {0};
    ov_touch_device device = {read_line, NULL, &line}, none = {0};
    ov_touch_loop *loop;
    const ov_touch_loop_options bad[] = {
        {.rate = 0.5}, {.rate = 1e6}, {.rate = -1.0}, {.spin = -1.0}, {.records = SIZE_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_touch_loop_start(&bad[i], &device, spring, NULL, NULL, &loop),
                     OV_ERROR_OPTION);
        CHECK(loop == NULL);
    }
    ov_touch_loop_options nan_rate = {.rate = (double)NAN};
    CHECK_STATUS(ov_touch_loop_start(&nan_rate, &device, spring, NULL, NULL, &loop),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_loop_start(NULL, &none, spring, NULL, NULL, &loop), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_loop_start(NULL, &device, NULL, NULL, NULL, &loop), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_loop_start(NULL, &device, spring, NULL, NULL, NULL), OV_ERROR_NULL);
    ov_touch_loop_destroy(NULL);
    ov_touch_queue_destroy(NULL);
}

int main(void) {
    check_suite = "touch loop";
    RUN(test_queues);
    RUN(test_loop);
    RUN(test_device_ends);
    RUN(test_no_pose_yet);
    RUN(test_unread);
    RUN(test_bad_loops);
    return check_finish();
}
