/**
 * @file battery.h
 * @brief The comparative studies behind `ovoid-bench`: the battery of random pairs
 * [Benchmark, 5.1] with a second one of ellipsoids, and the accuracy of meshes [Benchmark, 6.2].
 * The studies of the published schemes are in battery_schemes.h.
 *
 * All rows of a table are measured in one run, in turns, by the same rules: one query at a time
 * between two readings of the clock, whose own time is taken off; a row goes through a block of
 * pairs three times, and the best time of each query counts. Errors are against the long-double
 * reference of battery_oracle.h. Nothing fails here for being slow: the goals are printed beside
 * what was measured.
 */
#ifndef OVOID_BENCH_BATTERY_H
#define OVOID_BENCH_BATTERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/ovoid.h>

#include "battery_oracle.h"
#include "peers/peers.h"

/* ---- figures */

/** Ascending; there are no NaN. */
void battery_sort(double *values, size_t count);

/** A hash over gaps begins with this number. */
#define BATTERY_HASH_START 1469598103934665603u
/** Takes a gap into a hash; NaN, which has many faces, always in the same way. */
void battery_hash_gap(uint64_t *hash, double gap);

/** A blank and the number in the format, to the right in so many columns; "-" if not finite. */
void battery_cell(FILE *out, int width, const char *format, double value);

/* ---- random numbers: splitmix64, the same on every machine */

typedef struct battery_random {
    uint64_t state;
} battery_random;

double battery_uniform(battery_random *r, double lo, double hi);
ov_vec3 battery_direction(battery_random *r);
/** Uniform over all rotations. */
ov_quat battery_rotation(battery_random *r);

/* ---- pairs */

typedef enum battery_set { BATTERY_SUPEROVOIDS, BATTERY_ELLIPSOIDS } battery_set;
enum { BATTERY_SETS = 2 };

typedef enum battery_part { BATTERY_SEPARATED, BATTERY_OVERLAPPING } battery_part;
enum { BATTERY_PARTS = 2 };

typedef struct battery_pair {
    ov_shape a, b;
    ov_pose pose_a, pose_b;
    ov_pose before_a, before_b; /**< moved by 1 %: where a warm start comes from */
    long double gap, gap_error; /**< reference, and half the width of its bounds */
    battery_part part;
} battery_pair;

typedef struct battery_cases {
    battery_set set;
    uint64_t seed;
    battery_pair *pairs;
    size_t count;
    size_t redrawn; /**< shapes with a dent above the tolerance of the constructor */
    size_t part_count[BATTERY_PARTS];
    size_t unsure; /**< pairs whose reference could not tell their part; counted as overlapping */
    double reference_error[BATTERY_PARTS]; /**< the worst */
} battery_cases;

/** Who wants to know how far a piece of work is. */
typedef struct battery_progress {
    void (*show)(void *user, const char *what, size_t done, size_t all);
    void *user;
} battery_progress;

void battery_show(const battery_progress *progress, const char *what, size_t done, size_t all);

/** Draws the pairs and measures their references; false without memory. */
bool battery_draw(battery_set set, size_t count, uint64_t seed, const battery_progress *progress,
                  battery_cases *cases);
void battery_cases_free(battery_cases *cases);
/** Reference of one pair: sets gap, gap_error and part; false where the part is not certain. */
bool battery_refer(battery_pair *pair);

/* ---- the clock, and calls that may end the process */

double battery_now_ns(void);
/** What two readings of the clock take, one right after the other. */
double battery_clock_ns(void);

/** What became of a guarded call. */
enum { CALL_UNTRIED = 0, CALL_STARTED, CALL_GOOD, CALL_FAILED, CALL_DIED };

/**
 * Makes `count` calls in a child process and notes what became of each; the call returns whether it
 * went well. A call that ends the child, or takes longer than ten seconds, is CALL_DIED, and the
 * next child goes on behind it. With `stop` the first such call is the last.
 */
void battery_guard(size_t count, bool (*call)(size_t index, void *context), void *context,
                   bool stop, unsigned char *fates);

/* ---- peers */

typedef struct battery_peers {
    void *module; /**< null: none */
    const peer_method *methods[PEER_METHODS_MAX];
    size_t count;
    char missing[256]; /**< why there are none */
} battery_peers;

void battery_peers_open(battery_peers *peers);
void battery_peers_close(battery_peers *peers);
/** An entry of the module by its name, to be cast to what it is; null where there is none. */
typedef void (*battery_entry)(void);
battery_entry battery_peers_entry(const battery_peers *peers, const char *name);

/** A mesh that owns its memory. */
typedef struct battery_mesh {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} battery_mesh;

/** Tessellation of a shape with at most so many vertices, or its convex hull. */
bool battery_mesh_make(const ov_shape *shape, size_t vertices, bool hull, battery_mesh *mesh);
void battery_mesh_free(battery_mesh *mesh);

/** The body's object for a method, with a mesh of at most `vertices` where it needs one. */
void *battery_object_make(const peer_method *method, const ov_shape *shape, ov_pose pose,
                          size_t vertices);

/** The tightest tolerance at which a method gets through the pairs of a part; 0: it has none. */
double battery_choose_tolerance(const peer_method *method, const battery_cases *cases,
                                battery_part part);

/* ---- the table */

typedef enum battery_way { BATTERY_COLD, BATTERY_WARM, BATTERY_BATCH, BATTERY_PEER } battery_way;

/** What a row answered about one pair. */
typedef enum battery_verdict {
    VERDICT_NONE, /**< no answer: error, exception, end of the process */
    VERDICT_WRONG,
    VERDICT_UNDECIDED,
    VERDICT_RIGHT
} battery_verdict;

typedef struct battery_result {
    double ns;
    double gap; /**< NaN where there is none */
    battery_verdict verdict;
} battery_result;

typedef struct battery_row {
    battery_way way;
    const peer_method *method; /**< BATTERY_PEER */
    size_t vertices;
    double tolerance[BATTERY_PARTS];
    char name[72];
    char id[48];
    battery_result *results; /**< one a pair */
} battery_row;

enum { BATTERY_ROWS_MAX = 32 };

typedef struct battery_table {
    const battery_cases *cases;
    battery_row rows[BATTERY_ROWS_MAX];
    size_t row_count;
    double clock_ns;
} battery_table;

/** Measures all rows; false without memory. */
bool battery_measure(const battery_cases *cases, const battery_peers *peers,
                     const battery_progress *progress, battery_table *table);
void battery_table_free(battery_table *table);

/** What a contact of Ovoid is worth against the reference, its bounds included. */
battery_verdict battery_judge(const battery_pair *pair, const ov_contact *contact);

/** Figures of one row over one part; times in ns; NaN where there is nothing to tell. */
typedef struct battery_figures {
    size_t count, failed, undecided, gaps;
    double mean, median, p99;
    double mean_error, worst_error;
    uint64_t hash; /**< of all gaps */
} battery_figures;

battery_figures battery_figure(const battery_table *table, size_t row, battery_part part);

void battery_print(FILE *out, const battery_table *table);
void battery_print_goals(FILE *out, const battery_table *const tables[BATTERY_SETS]);
/** A comma and the number, or nothing behind it where it is not finite. */
void battery_csv_number(FILE *out, double value);
void battery_csv_head(FILE *out);
void battery_csv(FILE *out, const battery_table *table);

/* ---- accuracy of meshes */

enum { ACCURACY_STEPS = 11 };

typedef struct accuracy_step {
    double vertices; /**< mean over the meshes */
    double mean_error, worst_error, mean_ns;
} accuracy_step;

/** A published scheme on the smooth bodies. */
typedef struct accuracy_scheme {
    const char *name;
    accuracy_step step;   /**< over the pairs that it gets right */
    size_t right, failed; /**< failed: not converged, or off by more than 1e-5 */
} accuracy_scheme;

enum { ACCURACY_SCHEMES_MAX = 8 };

typedef struct accuracy_study {
    bool by_fcl; /**< else the hulls of the meshes by Ovoid itself, without times */
    size_t pairs;
    uint64_t seed;
    accuracy_step meshes[ACCURACY_STEPS];
    bool by_nodes; /**< the discrete method was there: nodes in the inside-outside function */
    accuracy_step nodes[ACCURACY_STEPS];
    accuracy_scheme schemes[ACCURACY_SCHEMES_MAX];
    size_t scheme_count; /**< 0 where they were not built */
    accuracy_step ovoid;
    double reference_error;
} accuracy_study;

bool accuracy_measure(size_t pairs, uint64_t seed, const battery_peers *peers,
                      const battery_progress *progress, accuracy_study *study);
void accuracy_print(FILE *out, const accuracy_study *study);
void accuracy_csv(FILE *out, const accuracy_study *study);

/* ---- pictures (SVG) */

void battery_svg(FILE *out, const battery_table *const tables[BATTERY_SETS]);
void accuracy_svg(FILE *out, const accuracy_study *study);

#endif
