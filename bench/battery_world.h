/**
 * @file battery_world.h
 * @brief The study of worlds behind `ovoid-bench world`: random packings of superovoids in motion.
 *
 * Bodies of sixteen shapes lie at random in a cube, at 60 % of their closest random packing. In
 * each frame every body drifts and turns by about a hundredth of its size, and bodies that overlap
 * are pushed apart. What is timed is what a simulation asks of a world in a frame: new poses, the
 * broad phase, and the narrow phase with all contacts up to a limit.
 */
#ifndef OVOID_BENCH_BATTERY_WORLD_H
#define OVOID_BENCH_BATTERY_WORLD_H

#include <ovoid/world.h>

#include "battery.h"

enum { WORLD_SIZES_MAX = 4, WORLD_THREADS = 2, WORLD_PEERS_MAX = 4 };

/** Times of one part of a frame, in ns a body: the median over the frames. */
typedef struct world_times {
    double move, broad, narrow;
} world_times;

/** Another library's tree on the same boxes. */
typedef struct world_peer {
    const char *name, *id;
    double broad; /**< ns a body: new boxes and all pairs of boxes that meet */
    double pairs; /**< a body */
    double bytes; /**< a body, held from malloc */
} world_peer;

typedef struct world_row {
    size_t bodies;
    world_times times[WORLD_THREADS];
    double first;   /**< ns a body: adding all, and the first search */
    double bytes;   /**< a body, held by the world */
    double process; /**< a body, what the process grew by, at its peak */
    double moved, pairs, rejected_kept, rejected_ball, rejected_obb, queries, contacts, overlaps;
    size_t undecided, not_converged;
    uint64_t hash; /**< of all contacts */
    world_peer peers[WORLD_PEERS_MAX];
    size_t peer_count;
} world_row;

typedef struct world_brute {
    size_t bodies, contacts, lost, extra, differing; /**< against a search of all pairs */
    double worst;                                    /**< difference of gaps, in sizes */
} world_brute;

typedef struct world_study {
    uint64_t seed;
    double limit, density, step;
    world_row rows[WORLD_SIZES_MAX];
    size_t row_count;
    world_brute brute;
} world_study;

/** Measures worlds of 1,000 bodies and ten times as many until `most`; false without memory. */
bool world_measure(size_t most, uint64_t seed, const battery_peers *peers,
                   const battery_progress *progress, world_study *study);
void world_print(FILE *out, const world_study *study);
void world_csv(FILE *out, const world_study *study);
void world_svg(FILE *out, const world_study *study);

/* ---- packings (battery_world_packing.c) */

enum { WORLD_SHAPES = 16 };

typedef struct world_packing {
    ov_shape shapes[WORLD_SHAPES];
    ov_geometry *geometries[WORLD_SHAPES];
    double size; /**< mean radius of the shapes' balls */
    size_t count;
    ov_pose *poses;
    ov_vec3 *velocities, *spins; /**< a frame */
    ov_body *bodies;
    ov_world *world;
} world_packing;

/** Bodies on a grid, turned at random, in a world; false without memory. */
bool packing_make(size_t count, double density, double step, uint64_t seed, world_packing *packing);
void packing_free(world_packing *packing);
/** Which body of the packing this one of the world is. */
size_t packing_index(const world_packing *packing, ov_body body);
/** Moves all bodies by a frame; not yet in the world. */
void packing_drift(world_packing *packing);
/** Pushes bodies that overlap apart, and lets them rebound; returns how many contacts overlap. */
size_t packing_part(world_packing *packing, const ov_world_contact *contacts, size_t count);

#endif
