/**
 * @file battery_schemes.h
 * @brief The studies of the published schemes behind `ovoid-bench`: [Benchmark, Tables 1 to 3] with
 * all schemes, and their iterations over exponents and distance.
 *
 * Built only where libovoid_schemes is (OVOID_SCHEMES). Every answer is held against the
 * long-double reference of battery_oracle.h.
 */
#ifndef OVOID_BENCH_BATTERY_SCHEMES_H
#define OVOID_BENCH_BATTERY_SCHEMES_H

#include <ovoid/schemes.h>

#include "battery.h"

/** A contact is right where its gap is off the reference by no more than this length. */
#define SCHEMES_RIGHT 1e-5

/** What a gap is worth against the reference. */
typedef enum schemes_worth {
    SCHEMES_GAP_RIGHT,
    /** That of the surfaces, perhaps, which have dents; the reference is that of their hulls. */
    SCHEMES_GAP_DENT,
    SCHEMES_GAP_OFF
} schemes_worth;

schemes_worth schemes_judge(const battery_pair *pair, double gap);

/* ---- the battery of the schemes */

typedef enum schemes_way {
    SCHEMES_SCHEME,
    SCHEMES_COLLIDE, /**< FCL's yes or no on meshes, of the peers */
    SCHEMES_WARM,    /**< Ovoid from the solved state of poses 1 % away */
    SCHEMES_COLD     /**< Ovoid */
} schemes_way;

/** What a row answered about one pair. */
typedef struct schemes_result {
    bool asked;
    double start_ns, total_ns; /**< NaN: not known */
    double gap;                /**< NaN where there is none */
    int iterations, restarts;
    ov_status status;
    bool right; /**< solved, and the gap is that of the reference, but for dents */
} schemes_result;

typedef struct schemes_row {
    schemes_way way;
    ov_scheme scheme;
    ov_scheme_options options;
    bool from_last;   /**< temporal coherence: from the answer to poses 1 % away */
    bool tessellated; /**< answers for a polyhedron in place of the body */
    int rounds;       /**< the best of so many counts */
    size_t sample;    /**< so many pairs of each part only; 0: all */
    char name[64], id[48];
    schemes_result *results; /**< one a pair */
} schemes_row;

enum { SCHEMES_ROWS_MAX = 32 };

typedef struct schemes_table {
    const battery_cases *cases;
    schemes_row rows[SCHEMES_ROWS_MAX]; /**< Ovoid's cold query is the last */
    size_t row_count;
    double clock_ns;
    char missing[256]; /**< schemes that were not built, with their packages; or empty */
} schemes_table;

/** Measures all rows; false without memory. */
bool schemes_measure(const battery_cases *cases, const battery_peers *peers,
                     const battery_progress *progress, schemes_table *table);
void schemes_free(schemes_table *table);

typedef struct schemes_spread {
    double mean, sd;
} schemes_spread;

/**
 * Figures of one row over one part. Times (ns) and iterations are over the pairs that the row says
 * it solved, as the paper's must be; so are the errors, the wrong ones among them included.
 */
typedef struct schemes_figures {
    size_t asked, solved;
    size_t not_converged; /**< its own word, or no answer */
    size_t off;           /**< solved, but off by more than SCHEMES_RIGHT and the dents */
    size_t dents;         /**< solved, and off by no more than the dents */
    size_t wrong_side;    /**< solved, but separated for overlapping or the other way */
    size_t alone;         /**< right where Ovoid is not */
    size_t restarts;
    schemes_spread start, total, iterations;
    double per_iteration;
    double all_mean; /**< total time over all pairs, solved or not */
    double mean_error, median_error, worst_error;
    uint64_t hash; /**< of all gaps */
} schemes_figures;

schemes_figures schemes_figure(const schemes_table *table, size_t row, battery_part part);
/** Over both parts together. */
schemes_figures schemes_figure_all(const schemes_table *table, size_t row);

void schemes_print(FILE *out, const schemes_table *table);
void schemes_print_goals(FILE *out, const schemes_table *table);
void schemes_csv(FILE *out, const schemes_table *table);
void schemes_svg(FILE *out, const schemes_table *table);

/* ---- convergence over exponents and distance */

enum { CONVERGENCE_METHODS_MAX = 8, CONVERGENCE_ACROSS_MAX = 16, CONVERGENCE_MAPS = 2 };

typedef struct convergence_cell {
    size_t asked, solved, failed; /**< failed: not converged, or off */
    double iterations;            /**< mean over the solved; NaN where none is */
} convergence_cell;

/** Iterations of one method over two quantities; both axes list their values. */
typedef struct convergence_map {
    convergence_cell cells[CONVERGENCE_ACROSS_MAX][CONVERGENCE_ACROSS_MAX]; /**< [y][x] */
} convergence_map;

typedef struct convergence_study {
    size_t pairs; /**< a cell */
    uint64_t seed;
    size_t method_count;
    ov_scheme methods[CONVERGENCE_METHODS_MAX]; /**< OV_SCHEME_COUNT: Ovoid */
    size_t x_count[CONVERGENCE_MAPS], y_count[CONVERGENCE_MAPS];
    double x[CONVERGENCE_MAPS][CONVERGENCE_ACROSS_MAX], y[CONVERGENCE_MAPS][CONVERGENCE_ACROSS_MAX];
    convergence_map maps[CONVERGENCE_MAPS][CONVERGENCE_METHODS_MAX];
} convergence_study;

bool convergence_measure(size_t pairs, uint64_t seed, const battery_progress *progress,
                         convergence_study *study);
void convergence_print(FILE *out, const convergence_study *study);
void convergence_csv(FILE *out, const convergence_study *study);
void convergence_svg(FILE *out, const convergence_study *study);
/** Name of a method of the study. */
const char *convergence_name(ov_scheme method);

#endif
