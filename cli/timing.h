/**
 * @file timing.h
 * @brief Times of single queries: mean, median, 99th percentile, largest.
 *
 * The memory does not grow with the number of queries: times are counted in a histogram whose cells
 * are one nanosecond wide, and from 1024 ns on a thousandth of the time. Mean and largest are
 * exact.
 */
#ifndef OVOID_CLI_TIMING_H
#define OVOID_CLI_TIMING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
