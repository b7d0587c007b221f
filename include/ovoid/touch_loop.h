/**
 * @file touch_loop.h
 * @brief The servo loop of touch: a thread that reads a device, asks for a force and shows it, at 1
 * to 20 kHz, and hands poses and forces over to other threads without locks.
 *
 * Within the loop nothing but the clock is asked of the system: no memory, no lock, no file.
 * Devices and servo functions should keep to that, too.
 */
#ifndef OVOID_TOUCH_LOOP_H
#define OVOID_TOUCH_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/touch_force.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- hand-over ------------------------------------------------------------------------------- */

/** A queue without locks between two threads: one pushes, one pops. Opaque. */
typedef struct ov_touch_queue ov_touch_queue;

/** For `capacity` items (rounded up to a power of two) of `size` bytes. OV_ERROR_NULL,
 *  OV_ERROR_COUNT (none, or more than 2^24 items or 4096 bytes), OV_ERROR_MEMORY. */
ov_status ov_touch_queue_create(size_t size, size_t capacity, const ov_allocator *allocator,
                                ov_touch_queue **queue);
/** Null is allowed. No thread may use it any more. */
void ov_touch_queue_destroy(ov_touch_queue *queue);
/** Puts a copy of an item into the queue; false if the queue is full. No pointer may be null, here
 *  and below. */
bool ov_touch_queue_push(ov_touch_queue *queue, const void *item);
/** Takes the oldest item; false if there is none. */
bool ov_touch_queue_pop(ov_touch_queue *queue, void *item);
/** Takes all items and keeps the newest; their number, 0 if there is none. */
size_t ov_touch_queue_newest(ov_touch_queue *queue, void *item);

/* ---- devices and the loop -------------------------------------------------------------------- */

/** What the hand holds. Both functions are called by the loop's thread. */
typedef struct ov_touch_device {
    /** Where the device is now. A negative status ends the loop; a positive one (no news yet)
     * leaves the pose as it was. Before the first pose nothing is known of the device: the servo
     * function is not called, and the force is zero. */
    ov_status (*read)(void *user, double time, ov_pose *pose);
    /** Shows a force; null: nothing is shown. */
    void (*write)(void *user, const ov_touch_force *force);
    void *user;
} ov_touch_device;

/** What the loop passes to a servo function. */
typedef struct ov_touch_tick {
    uint64_t index;
    double time;   /**< s since the start */
    double period; /**< s between ticks */
    ov_pose device;
    ov_pose object; /**< the newest of ov_touch_loop_move */
} ov_touch_tick;

/** Computes the force of a tick. A negative status ends the loop, with a force of zero. */
typedef ov_status (*ov_touch_servo)(void *user, const ov_touch_tick *tick, ov_touch_force *force);

/** A tick as it happened. */
typedef struct ov_touch_record {
    ov_touch_tick tick;
    ov_touch_force force;
    double late; /**< s after its time at which the tick began */
    double work; /**< s that it took */
} ov_touch_record;

typedef struct ov_touch_loop_options {
    double rate;    /**< Hz, from 1 to 100,000; 0: 1,000 */
    uint64_t ticks; /**< ends after so many; 0: goes on until it is stopped */
    double spin;    /**< s before each tick that the thread waits awake; 0: 60e-6; OV_ZERO: none */
    size_t records; /**< that wait to be read; 0: 32,768 */
    ov_pose object; /**< at the start; a rotation of zeros: none */
} ov_touch_loop_options;

/** Opaque. */
typedef struct ov_touch_loop ov_touch_loop;

/**
 * Starts the thread. `device` and `servo` must outlive the loop. OV_ERROR_NULL, OV_ERROR_OPTION,
 * OV_ERROR_NOT_FINITE, OV_ERROR_MEMORY, OV_ERROR_UNSUPPORTED (no threads, as in WebAssembly, or
 * none to be had).
 */
ov_status ov_touch_loop_start(const ov_touch_loop_options *options, const ov_touch_device *device,
                              ov_touch_servo servo, void *user, const ov_allocator *allocator,
                              ov_touch_loop **loop);
/** Moves the object that is touched; the next tick sees it. False if 1,024 moves wait already. */
bool ov_touch_loop_move(ov_touch_loop *loop, ov_pose object);
/** Takes up to `room` records, oldest first; the number taken. One thread at a time. */
size_t ov_touch_loop_read(ov_touch_loop *loop, ov_touch_record *records, size_t room);
/** Has it ended by itself? */
bool ov_touch_loop_is_done(const ov_touch_loop *loop);
/** Ends the thread after its tick, and waits for it; records can still be read. What ended it: the
 *  status of device or servo, else OV_OK. */
ov_status ov_touch_loop_stop(ov_touch_loop *loop);
/** Stops it if need be. Null is allowed. */
void ov_touch_loop_destroy(ov_touch_loop *loop);

/** Bounds of the buckets of a histogram of times: bucket i has those below 1 us times 2^(i/4). */
#define OV_TOUCH_BUCKETS 96

typedef struct ov_touch_statistics {
    uint64_t ticks;
    uint64_t missed; /**< ticks that were not done when the next one was due */
    uint64_t lost;   /**< records that found no room */
    uint64_t moves;  /**< of ov_touch_loop_move that reached the loop */
    uint64_t late[OV_TOUCH_BUCKETS], work[OV_TOUCH_BUCKETS];
    double late_worst, work_worst; /**< s */
} ov_touch_statistics;

/** May be called at any time, by any thread. */
ov_touch_statistics ov_touch_loop_statistics(const ov_touch_loop *loop);
/** The time (s) below which a share (0 to 1) of a histogram lies: the upper bound of its bucket. */
double ov_touch_quantile(const uint64_t histogram[OV_TOUCH_BUCKETS], double share);

#ifdef __cplusplus
}
#endif

#endif
