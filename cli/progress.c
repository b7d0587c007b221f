/**
 * @file progress.c
 * @brief Draws the progress bar over and over on the same line.
 */
#include "progress.h"

#include <time.h>
#include <unistd.h>

double progress_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

progress progress_make(FILE *err, const char *what) {
    // a stream in memory has no descriptor, so it is no terminal either
    int descriptor = fileno(err);
    double now = 1e-9 * progress_clock_ns();
    return (progress){err, what, descriptor >= 0 && isatty(descriptor), false, now, now};
}

void progress_update(progress *p, double done, double fraction) {
    const double patience = 2.0, step = 0.1;
    enum { WIDTH = 40 };
    if (!p->terminal) {
        return;
    }
    double now = 1e-9 * progress_clock_ns();
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
