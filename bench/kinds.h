/**
 * @file kinds.h
 * @brief Kinds of pairs, from capsules to polyhedra of a thousand vertices, placed in three ways,
 * with bounds of their gaps that are proven.
 */
#ifndef OVOID_BENCH_KINDS_H
#define OVOID_BENCH_KINDS_H

#include "bench.h"

#include <ovoid/io.h>

/** How the pairs are placed. */
typedef enum kinds_part { KINDS_SEPARATED, KINDS_OVERLAPPING, KINDS_NEAR } kinds_part;
enum { KINDS_PARTS = 3 };

/** "separated", "overlapping", "near". */
extern const char *const kinds_part_names[KINDS_PARTS];

/** Near pairs are separated by no more than this length. */
#define KINDS_NEAR_GAP 1e-3

/** Makes a random shape; a hull that it refers to goes to *hull. */
typedef ov_status (*kinds_maker)(bench_random *r, ov_shape *shape, ov_hull **hull);

/** A kind of pair: how its two shapes are made, and how they are placed. */
typedef struct kinds_kind {
    const char *name; /**< in tables; with a dash instead of each blank, in files */
    kinds_maker a, b;
    size_t shapes; /**< so many of each differ; 0: all */
    bool paper;    /**< centres 2.21 apart [Benchmark, 5.1], unless near */
    bool cast;     /**< casts are measured too */
} kinds_kind;

extern const kinds_kind kinds_list[];
extern const size_t kinds_count;

/** The pairs of one kind and part. */
typedef struct kinds_pairs {
    const kinds_kind *kind;
    kinds_part part;
    size_t count;
    ov_pair *pairs;
    ov_warm_start *warm;   /**< from poses that are 1 % away */
    ov_vec3 *translations; /**< of A, for casts: into B */
    /** Proven bounds of the gap, and what the sign of it is known to be. */
    double *lower, *upper;
    size_t unproven; /**< pairs whose bounds are further apart than 1e-6 */
    ov_shape *shapes;
    ov_hull **hulls;
    size_t shape_count;
} kinds_pairs;

/** Draws so many pairs; false without memory. Freed by kinds_free in any case. */
bool kinds_draw(const kinds_kind *kind, kinds_part part, size_t count, uint64_t seed,
                kinds_pairs *pairs);
void kinds_free(kinds_pairs *pairs);

/** Measures all kinds beside the peers, prints the tables and the goals, writes the rows as CSV. */
int kinds_measure(cli *c, const bench_job *job);

#endif
