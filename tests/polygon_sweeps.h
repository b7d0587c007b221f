/**
 * @file polygon_sweeps.h
 * @brief Sweeps of polygons for tests: runs one and keeps what it finds.
 */
#ifndef POLYGON_SWEEPS_H
#define POLYGON_SWEEPS_H

#include "motion/polygons/sweep_polygons.h"
#include "polygon_cases.h"

enum { FOUND_MAX = 4096 };

typedef struct findings {
    ov_sweep_interval list[FOUND_MAX];
    size_t count, room;
} findings;

static inline bool take(void *user, const ov_sweep_interval *interval) {
    findings *f = user;
    CHECK(f->count < FOUND_MAX);
    f->list[f->count++] = *interval;
    return f->count < f->room;
}

static inline ov_sweep_options default_options(void) {
    return (ov_sweep_options){
        .depth = 40, .threads.count = 1, .resolution = 1e-6, .intervals = 1 << 20};
}

static inline ov_status sweep(const ovi_polygon_pair *pair, const ov_sweep_options *options,
                              findings *f, ov_sweep_summary *counts) {
    ovi_interval_sink sink = {take, f};
    *counts = (ov_sweep_summary){.depth = 0};
    f->count = 0;
    f->room = f->room > 0 ? f->room : FOUND_MAX;
    return ovi_sweep_polygons(pair, 0.0, 1.0, options, &sink, counts);
}

static inline void set_way(ov_sweep_options *o, int way) {
    o->every_pair = !(way & 1);
    o->mass = way & 2 ? OV_MASS_USE_GLOBAL : OV_MASS_USE_INDIVIDUAL;
}

#endif
