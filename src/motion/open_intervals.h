/**
 * @file open_intervals.h
 * @brief Intervals of pairs of polygons that may still grow, before they are handed over.
 *
 * A contact that lasts is found piece by piece, and so are those of all other pairs; without a
 * place where each can grow there would be an interval for each piece of each pair.
 */
#ifndef OVI_OPEN_INTERVALS_H
#define OVI_OPEN_INTERVALS_H

#include "sweep_polygons.h"

typedef struct ovi_open_intervals {
    const ov_allocator *memory;
    const ovi_interval_sink *sink;
    ov_sweep_interval *slots; /**< a table by the names of the parts; empty ones have no end */
    size_t room;
    bool stopped; /**< the sink wants no more */
} ovi_open_intervals;

/**
 * Makes the interval of the same parts longer if this one begins where that ends. Intervals should
 * come in the order of time. OV_ERROR_MEMORY.
 */
ov_status ovi_open_add(ovi_open_intervals *open, const ov_sweep_interval *interval);
/** Hands all over. */
void ovi_open_flush(ovi_open_intervals *open);
void ovi_open_free(ovi_open_intervals *open);

#endif
