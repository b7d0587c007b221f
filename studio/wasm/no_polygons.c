/**
 * @file no_polygons.c
 * @brief The module has no bodies made of polygons: the parts of a sketch are smooth. So their
 * sweep, which the sweep of any parts refers to, is left out; were it ever called, it would tell.
 */
#include <math.h>

#include "motion/polygons/sweep_polygons.h"

ov_status ovi_sweep_polygons(const ovi_polygon_pair *pair, double start, double end,
                             const ov_sweep_options *options, const ovi_interval_sink *sink,
                             ov_sweep_summary *counts) {
    (void)pair;
    (void)start;
    (void)end;
    (void)options;
    (void)sink;
    (void)counts;
    return OV_ERROR_MISSING;
}

bool ovi_polygons_inside(const ovi_polygon_pair *pair, double start, double end, double *contact) {
    (void)pair;
    (void)start;
    (void)end;
    *contact = NAN;
    return false;
}
