/**
 * @file robots.h
 * @brief What the studies of robots share: which links may overlap, and poses to check.
 */
#ifndef OVOID_BENCH_ROBOTS_H
#define OVOID_BENCH_ROBOTS_H

#include "bench.h"

/** From now on links that overlap at rest may always overlap; *allowed counts these pairs. */
bool check_allow_at_rest(ov_model *model, size_t *allowed);

/**
 * Positions of all joints for so many poses, one behind the other: at random, up to a share
 * of the way from rest to the limits, or along a smooth motion through such poses.
 */
void check_fill_positions(const ov_model *model, bench_random *r, double share, bool smooth,
                          size_t poses, double *all);

#endif
