/**
 * @file icub.h
 * @brief Both hands of an iCub moving through each other [Thesis, 5, 6.2; Benchmark, 5.2, 6.3,
 * Table 4, Fig. 11]: `ovoid-bench icub`.
 */
#ifndef OVOID_BENCH_ICUB_H
#define OVOID_BENCH_ICUB_H

#include "battery.h"

#ifdef OVOID_SCHEMES
#include <ovoid/schemes.h>
#endif

enum {
    ICUB_HANDS = 2,
    ICUB_SURFACES = 21, /**< of each hand [Thesis, 5] */
    ICUB_PAIRS = ICUB_SURFACES * ICUB_SURFACES,
    ICUB_VERTICES = 605, /**< of the mesh of a link, on average [Thesis, 5] */
    ICUB_FRAMES_MAX = 100000
};

/** Pairs nearer than this are asked for as well, beside those that intersect; metres. */
#define ICUB_NEAR 5e-3
/** A gap is off where it differs from the reference by more than this; metres. */
#define ICUB_RIGHT 1e-5

typedef enum icub_version { ICUB_SUPERELLIPSOIDS, ICUB_MIXED } icub_version;
enum { ICUB_VERSIONS = 2 };

/* ---- the hands */

typedef struct icub_surface {
    char name[64];
    ov_shape shape;
} icub_surface;

/** The surfaces of the left and of the right hand in a frame of the movement. */
typedef struct icub_frame {
    ov_pose poses[ICUB_HANDS][ICUB_SURFACES];
} icub_frame;

typedef struct icub_hands {
    icub_version version;
    icub_surface surfaces[ICUB_HANDS][ICUB_SURFACES];
    icub_frame *frames;
    size_t frame_count;
} icub_hands;

/** Which file, with the line where there is one, and what is wrong with it. */
typedef struct icub_error {
    char where[288], what[288];
} icub_error;

/**
 * Reads hands_VERSION.urdf and movement.csv from the folder icub of `data`. The movement is cut
 * into `frames` of them (at least 2; else as many as the file has rows).
 */
bool icub_read(const char *data, icub_version version, size_t frames, icub_hands *hands,
               icub_error *error);
void icub_free(icub_hands *hands);

/* ---- the measuring */

typedef enum icub_way { ICUB_PEER, ICUB_SCHEME, ICUB_OVOID } icub_way;

/** Mean and standard deviation of the times (us), and mean of the iterations; NaN: none. */
typedef struct icub_printed {
    double mean, sd, iterations;
} icub_printed;

typedef struct icub_result {
    double ns;  /**< NaN: not answered */
    double gap; /**< NaN: none */
    int iterations;
    battery_verdict verdict; /**< VERDICT_UNDECIDED: by its own word not solved */
} icub_result;

typedef struct icub_row {
    icub_way way;
    const peer_method *method; /**< ICUB_PEER */
    int scheme;                /**< ICUB_SCHEME */
    ov_depth depth;            /**< ICUB_OVOID */
    bool coherent;             /**< starts where the pair's query in the frame before ended */
    char name[64], id[48];
    icub_printed paper[2]; /**< [Benchmark, Table 4]; the second for its general implementation */
    icub_result *results;  /**< one per query */
} icub_row;

enum { ICUB_ROWS_MAX = 12 };

typedef struct icub_query {
    size_t frame;
    int left, right;   /**< surfaces */
    battery_pair pair; /**< with the reference */
} icub_query;

typedef struct icub_table {
    const icub_hands *hands;
    icub_query *queries; /**< by frame */
    size_t query_count, part_count[BATTERY_PARTS];
    size_t unsure; /**< queries whose reference could not tell their part */
    double reference_error[BATTERY_PARTS];
    icub_row rows[ICUB_ROWS_MAX];
    size_t row_count;
    double vertices; /**< mean over the meshes */
    double clock_ns;
    char missing[256]; /**< schemes that were not built, or empty */
} icub_table;

/** Measures all rows on all near pairs of all frames; false without memory. */
bool icub_measure(const icub_hands *hands, const bench_peers *peers, const bench_progress *progress,
                  icub_table *table);
void icub_table_free(icub_table *table);

/** Figures of one row over one part; times in ns; NaN where there is nothing to tell. */
typedef struct icub_figures {
    size_t count;
    size_t failed; /**< no answer, or by its own word not solved */
    size_t wrong;  /**< the other relation, or bounds that the reference lies outside of */
    size_t gaps;   /**< distances or depths given */
    size_t off;    /**< ... of them off by more than ICUB_RIGHT */
    double mean, sd, median, p99, worst;
    double iterations;
    double mean_error, worst_error;
    uint64_t hash; /**< of all gaps */
} icub_figures;

icub_figures icub_figure(const icub_table *table, size_t row, battery_part part);
/** The row of an id, or row_count. */
size_t icub_find_row(const icub_table *table, const char *id);

#endif
