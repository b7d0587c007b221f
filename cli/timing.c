/**
 * @file timing.c
 * @brief Reads the clock, draws the progress bar over and over on one line, and counts times in a
 * histogram.
 */
#include "timing.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double timing_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

void timing_sleep(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    (void)nanosleep(&time, NULL);
}

/* ---- the progress bar ------------------------------------------------------------------------ */

progress progress_make(FILE *err, const char *what) {
    // a stream in memory has no descriptor, so it is no terminal either
    int descriptor = fileno(err);
    double now = 1e-9 * timing_clock_ns();
    return (progress){err, what, descriptor >= 0 && isatty(descriptor), false, now, now};
}

void progress_update(progress *p, double done, double fraction) {
    const double patience = 2.0, step = 0.1;
    enum { WIDTH = 40 };
    if (!p->terminal) {
        return;
    }
    double now = 1e-9 * timing_clock_ns();
    if (now - p->start < patience || now - p->last < step) {
        return;
    }
    p->last = now;
    p->shown = true;
    if (!(fraction >= 0.0)) {
        fprintf(p->err, "\r%.0f %s ", done, p->what);
    } else {
        int full = (int)(WIDTH * (fraction < 1.0 ? fraction : 1.0));
        fprintf(p->err, "\r[%.*s%.*s] %3.0f %% ", full, "########################################",
                WIDTH - full, "                                        ", 100.0 * fraction);
        if (p->what != NULL) {
            fprintf(p->err, " %.0f %s ", done, p->what);
        }
    }
    fflush(p->err);
}

void progress_end(progress *p) {
    if (p->shown) {
        fputs("\r\033[K", p->err);
        fflush(p->err);
        p->shown = false;
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

/** Cell of a time: 1 ns each below 1024, then 1024 cells for each doubling. */
static size_t cell_of(double ns) {
    if (!(ns >= 1.0)) {
        return 0;
    }
    if (ns < 1024.0) {
        return (size_t)ns;
    }
    int exponent;
    double fraction = frexp(ns, &exponent); // in [1/2, 1)
    double cell = 1024.0 * (exponent - 10) + (2.0 * fraction - 1.0) * 1024.0;
    return cell < TIMING_CELLS ? (size_t)cell : TIMING_CELLS - 1;
}

/** Middle of a cell. */
static double time_of(size_t cell) {
    if (cell < 1024) {
        return (double)cell + 0.5;
    }
    int doublings = (int)(cell / 1024) - 1;
    return ldexp(1024.0 + (double)(cell % 1024) + 0.5, doublings);
}

void timing_begin(timing *t) {
    memset(t, 0, sizeof *t);
    // the middle one of many readings: neither an interrupt nor a lucky one
    for (int i = 0; i < 2001; i++) {
        double start = timing_clock_ns();
        timing_add(t, timing_clock_ns() - start);
    }
    double clock_ns = floor(timing_quantile(t, 0.5));
    memset(t, 0, sizeof *t);
    t->clock_ns = clock_ns;
}

void timing_add(timing *t, double measured_ns) {
    double ns = fmax(0.0, measured_ns - t->clock_ns);
    t->count++;
    t->sum_ns += ns;
    t->max_ns = fmax(t->max_ns, ns);
    t->cells[cell_of(ns)]++;
}

double timing_mean(const timing *t) {
    return t->count > 0 ? t->sum_ns / (double)t->count : (double)NAN;
}

double timing_quantile(const timing *t, double part) {
    double below = 0.0, wanted = part * (double)t->count;
    for (size_t i = 0; i < TIMING_CELLS; i++) {
        below += (double)t->cells[i];
        if (t->cells[i] > 0 && below >= wanted) {
            return fmin(time_of(i), fmax(t->max_ns, 0.0));
        }
    }
    return (double)NAN;
}

void timing_print_json(FILE *out, const timing *t, double batch_mean_ns) {
    const struct {
        const char *key;
        double ns;
    } values[] = {
        {"mean_ns", timing_mean(t)},          {"median_ns", timing_quantile(t, 0.5)},
        {"p99_ns", timing_quantile(t, 0.99)}, {"max_ns", t->count > 0 ? t->max_ns : (double)NAN},
        {"batch_mean_ns", batch_mean_ns},
    };
    fprintf(out, "{\"ovoid\":1,\"pairs\":%zu", t->count);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (isfinite(values[i].ns)) {
            fprintf(out, ",\"%s\":%.1f", values[i].key, values[i].ns);
        } else {
            fprintf(out, ",\"%s\":null", values[i].key);
        }
    }
    fputs("}\n", out);
}
