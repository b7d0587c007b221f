/**
 * @file timing.h
 * @brief The clock, a progress bar for long work, and the times of single queries.
 */
#ifndef OVOID_CLI_TIMING_H
#define OVOID_CLI_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Nanoseconds of a clock that never goes back. */
double timing_clock_ns(void);
/** Waits. */
void timing_sleep(double seconds);

/* ---- a progress bar: for work over two seconds, on a terminal only --------------------------- */

typedef struct progress {
    FILE *err;
    const char *what; /**< what is counted: "pairs"; null: nothing, the part of the whole tells */
    bool terminal, shown;
    double start, last; /**< seconds */
} progress;

progress progress_make(FILE *err, const char *what);
/** Tells how much is done, and which part of the whole that is (negative: not known). */
void progress_update(progress *p, double done, double fraction);
/** Takes the bar away. */
void progress_end(progress *p);

/* ---- times: mean, median, 99th percentile, largest ------------------------------------------- */

/* The memory does not grow with the number of queries: times are counted in a histogram whose cells
 * are one nanosecond wide, and from 1024 ns on a thousandth of the time. Mean and largest are
 * exact. */

enum { TIMING_CELLS = 45 * 1024 };

typedef struct timing {
    double clock_ns; /**< what the reading of the clock itself takes */
    double sum_ns, max_ns;
    size_t count;
    uint64_t cells[TIMING_CELLS];
} timing;

/** Also measures the clock. */
void timing_begin(timing *t);
/** Adds a time as measured; the clock's own is taken off. */
void timing_add(timing *t, double measured_ns);
/** Mean; NaN of nothing. */
double timing_mean(const timing *t);
/** The time that a part of all, 0 to 1, do not exceed; NaN of nothing. */
double timing_quantile(const timing *t, double part);
/** All of them as one line of JSON, with the mean of a batch (NaN: there was none). */
void timing_print_json(FILE *out, const timing *t, double batch_mean_ns);

#endif
