/**
 * @file bench_tools.h
 * @brief What the benchmark programs share: random numbers that are the same on every machine, and
 * the clock.
 */
#ifndef OVOID_BENCH_BENCH_TOOLS_H
#define OVOID_BENCH_BENCH_TOOLS_H

#include <stdint.h>
#include <time.h>

static uint64_t random_state = 20260101;

static inline double uniform(double lo, double hi) {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/**
 * CLOCK_MONOTONIC; or CLOCK_PROCESS_CPUTIME_ID, the time of the processor that this program has
 * had, where others may be at work beside it.
 */
static inline double now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#endif
