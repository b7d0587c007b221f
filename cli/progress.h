/**
 * @file progress.h
 * @brief A progress bar for work over two seconds, on a terminal only.
 */
#ifndef OVOID_CLI_PROGRESS_H
#define OVOID_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

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

/** Nanoseconds of a clock that never goes back. */
double progress_clock_ns(void);

#endif
