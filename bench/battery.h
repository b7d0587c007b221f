/**
 * @file battery.h
 * @brief Pairs with a reference, and what an answer is worth against it; the battery of them.
 */
#ifndef OVOID_BENCH_BATTERY_H
#define OVOID_BENCH_BATTERY_H

#include "bench.h"

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

/** Draws the pairs and measures their references; false without memory. */
bool battery_draw(battery_set set, size_t count, uint64_t seed, const bench_progress *progress,
                  battery_cases *cases);
void battery_cases_free(battery_cases *cases);
/** Reference of one pair: sets gap, gap_error and part; false where the part is not certain. */
bool battery_refer(battery_pair *pair);

/* ---- what pairs are drawn with */

/** Distance of the centres in [Benchmark, 5.1]. */
#define BATTERY_APART 2.21

/** A superovoid of [Benchmark, 5.1]; returns how often it was drawn again. */
size_t battery_draw_superovoid(bench_random *r, ov_shape *shape);
/** Three numbers in [0.3, 1.5]. */
ov_vec3 battery_draw_axes(bench_random *r);
/** Moved by 1 %: of the size, and by as many radians. */
ov_pose battery_move(bench_random *r, ov_pose pose, double size);
/** Puts B on the ray from the origin along u, to where its gap from A is as given, to 1e-10. */
bool battery_place_at_gap(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose *pose_b,
                          ov_vec3 u, double gap);

/* ---- answers and their worth */

typedef enum battery_verdict {
    VERDICT_NONE, /**< no answer: error, exception, end of the process */
    VERDICT_WRONG,
    VERDICT_UNDECIDED,
    VERDICT_RIGHT
} battery_verdict;

/** What a contact of Ovoid is worth against the reference, its bounds included. */
battery_verdict battery_judge(const battery_pair *pair, const ov_contact *contact);

/** A gap is right where it is off the reference by no more than this length. */
#define BATTERY_RIGHT 1e-5

/** What the gap of a published scheme is worth against the reference. */
typedef enum battery_worth {
    GAP_RIGHT,
    GAP_DENT, /**< that of the surfaces, perhaps, which have dents; the reference is of their hulls
               */
    GAP_OFF
} battery_worth;

battery_worth battery_judge_gap(const battery_pair *pair, double gap);

/* ---- the table */

typedef enum battery_way { BATTERY_COLD, BATTERY_WARM, BATTERY_BATCH, BATTERY_PEER } battery_way;

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
    battery_result *results; /**< one per pair */
} battery_row;

enum { BATTERY_ROWS_MAX = 32 };

typedef struct battery_table {
    const battery_cases *cases;
    battery_row rows[BATTERY_ROWS_MAX];
    size_t row_count;
    double clock_ns;
} battery_table;

/** Figures of one row over one part; times in ns; NaN where there is nothing to tell. */
typedef struct battery_figures {
    size_t count, failed, undecided, gaps;
    double mean, median, p99;
    double mean_error, worst_error;
    uint64_t hash; /**< of all gaps */
} battery_figures;

battery_figures battery_figure(const battery_table *table, size_t row, battery_part part);

/** The rest of a line of the CSV file, behind the name of the battery; ratios are to `unit`. */
void battery_write_row(FILE *out, const char *part, const char *id, size_t vertices,
                       double tolerance, const battery_figures *f, double unit);

#endif
