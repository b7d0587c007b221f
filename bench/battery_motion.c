/**
 * @file battery_motion.c
 * @brief All parts of the study of motions, and their figures as CSV.
 */
#include "battery_motion.h"

#include <math.h>

bool motion_measure(size_t pairs, uint64_t seed, const battery_peers *peers,
                    const battery_progress *progress, motion_study *study) {
    enum { COST_PAIRS = 20, SUPEROVOIDS_A_PAIR = 10 };
    study->seed = seed;
    // fewer motions: a quick look, without the largest squares
    size_t most = pairs < 20 ? 4 : SQUARES_MAX;
    return squares_measure(most, progress, &study->squares) &&
           rivals_measure(pairs, seed, peers, progress, &study->rivals) &&
           smooth_measure(SUPEROVOIDS_A_PAIR * pairs, seed, progress, &study->smooth) &&
           arm_measure(seed, progress, &study->arm) &&
           cost_measure(pairs < COST_PAIRS ? pairs : COST_PAIRS, seed, progress, &study->cost);
}

/* ---- CSV */

/** Columns with numbers; NaN: empty. */
enum {
    COLUMN_X,
    COLUMN_COUNT,
    COLUMN_MEAN,
    COLUMN_MEDIAN,
    COLUMN_P99,
    COLUMN_PRINTED,
    COLUMN_PIECES,
    COLUMN_TESTS,
    COLUMN_QUERIES,
    COLUMN_FREE,
    COLUMN_FAILED,
    COLUMN_MISSED,
    COLUMN_ALARMS,
    COLUMN_UNDECIDED,
    COLUMN_ERROR_MEDIAN,
    COLUMN_ERROR_WORST,
    COLUMNS
};

typedef struct csv_row {
    double values[COLUMNS];
} csv_row;

static csv_row empty_row(double x) {
    csv_row row;
    for (int i = 0; i < COLUMNS; i++) {
        row.values[i] = NAN;
    }
    row.values[COLUMN_X] = x;
    return row;
}

static void set_times(csv_row *row, const motion_times *t) {
    row->values[COLUMN_COUNT] = (double)t->count;
    row->values[COLUMN_MEAN] = t->mean;
    row->values[COLUMN_MEDIAN] = t->median;
    row->values[COLUMN_P99] = t->p99;
}

static void set_summary(csv_row *row, double ns, const ov_sweep_summary *s) {
    row->values[COLUMN_MEDIAN] = ns;
    row->values[COLUMN_PIECES] = (double)s->pieces;
    row->values[COLUMN_TESTS] = (double)s->tests;
    row->values[COLUMN_QUERIES] = (double)s->queries;
    row->values[COLUMN_FREE] = s->answer == OV_SWEEP_ANSWER_FREE ? 1.0 : 0.0;
    row->values[COLUMN_UNDECIDED] = s->answer == OV_SWEEP_ANSWER_UNDECIDED ? 1.0 : 0.0;
}

static void write_row(FILE *out, const char *part, const char *what, const char *method,
                      const csv_row *row) {
    fprintf(out, "%s,%s,%s", part, what, method);
    for (int i = 0; i < COLUMNS; i++) {
        battery_csv_number(out, row->values[i]);
    }
    fputc('\n', out);
}

static const char *const square_ways[SQUARES_WAYS] = {"all_pairs", "hierarchy"};

static void csv_squares(FILE *out, const squares_study *s) {
    static const char *const motions[SQUARES_MOTIONS] = {"collision", "near", "free"};
    static const char *const octagons[3] = {"free", "collision", "collision_first"};
    const squares_run *const runs[3] = {&s->octagons[0], &s->octagons[1], &s->octagon_first};
    for (int i = 0; i < 3; i++) {
        csv_row row = empty_row(1.0);
        set_summary(&row, runs[i]->ns, &runs[i]->summary);
        row.values[COLUMN_PRINTED] = i == 0 ? OCTAGON_PRINTED_FREE : OCTAGON_PRINTED_CONTACT;
        write_row(out, "octagons", octagons[i], square_ways[0], &row);
    }
    for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
        for (int k = 0; k < SQUARES_MOTIONS * SQUARES_WAYS; k++) {
            int m = k / SQUARES_WAYS, way = k % SQUARES_WAYS;
            for (size_t n = 1; n <= s->most; n++) {
                const squares_run *run = &s->tables[mass].runs[m][n - 1][way];
                csv_row row = empty_row((double)n);
                set_summary(&row, run->ns, &run->summary);
                row.values[COLUMN_PRINTED] =
                    squares_printed((ov_mass_use)mass, (squares_motion)m, n);
                write_row(out, mass == OV_MASS_USE_GLOBAL ? "squares_global" : "squares_individual",
                          motions[m], square_ways[way], &row);
            }
        }
    }
}

static void csv_more(FILE *out, const squares_study *s) {
    for (size_t k = 0; k < s->more_count; k++) {
        for (int way = 0; way < SQUARES_WAYS; way++) {
            csv_row row = empty_row((double)s->more_n[k]);
            set_summary(&row, s->more[k][way].ns, &s->more[k][way].summary);
            write_row(out, "squares_individual", "near", square_ways[way], &row);
        }
    }
}

static void csv_rivals(FILE *out, const rival_study *s) {
    static const char *const classes[RIVAL_CLASSES] = {"straight", "half_turn", "spin", "plate",
                                                       "graze"};
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES; k++) {
        int set = k / RIVAL_CLASSES, kind = k % RIVAL_CLASSES;
        for (size_t r = 0; r < s->row_count; r++) {
            const rival_figures *f = &s->rows[r].figures[set][kind];
            csv_row row = empty_row((double)s->contacts[set][kind]);
            if (f->asked == 0) {
                continue;
            }
            set_times(&row, &f->times);
            row.values[COLUMN_COUNT] = (double)f->asked;
            row.values[COLUMN_FAILED] = (double)f->failed;
            row.values[COLUMN_MISSED] = (double)f->missed;
            row.values[COLUMN_ALARMS] = (double)f->alarms;
            row.values[COLUMN_UNDECIDED] = (double)f->undecided;
            row.values[COLUMN_ERROR_MEDIAN] = f->error_median;
            row.values[COLUMN_ERROR_WORST] = f->error_worst;
            write_row(out, rival_set_name(set), classes[kind], s->rows[r].id, &row);
        }
    }
}

static void csv_smooth(FILE *out, const smooth_study *s) {
    const smooth_figures *const both[2] = {&s->proof, &s->first};
    for (int i = 0; i < 2; i++) {
        csv_row row = empty_row(NAN);
        set_times(&row, &both[i]->times);
        row.values[COLUMN_PIECES] = both[i]->pieces;
        row.values[COLUMN_TESTS] = both[i]->tests;
        row.values[COLUMN_QUERIES] = both[i]->queries;
        row.values[COLUMN_MISSED] = i == 0 ? (double)s->false_promises : NAN;
        row.values[COLUMN_UNDECIDED] = i == 1 ? (double)s->undecided : NAN;
        write_row(out, "superovoids", i == 0 ? "proof" : "first_contact", "ovoid", &row);
    }
}

static void csv_arm(FILE *out, const arm_study *s) {
    static const char *const cases[ARM_CASES] = {"free", "graze", "contact"};
    for (int i = 0; i < ARM_CASES; i++) {
        csv_row row = empty_row(s->runs[i].clearance);
        set_summary(&row, s->runs[i].ns, &s->runs[i].summary);
        write_row(out, "arm", cases[i], "ovoid", &row);
    }
}

static void csv_curve(FILE *out, const char *what, const cost_curve *c) {
    for (size_t k = 0; k < c->count; k++) {
        csv_row row = empty_row(c->x[k]);
        row.values[COLUMN_COUNT] = (double)c->asked[k];
        row.values[COLUMN_MEDIAN] = c->ns[k];
        row.values[COLUMN_TESTS] = c->tests[k];
        row.values[COLUMN_QUERIES] = c->queries[k];
        row.values[COLUMN_FREE] = (double)c->proven[k];
        write_row(out, "cost", what, "ovoid", &row);
    }
}

void motion_csv(FILE *out, const motion_study *s) {
    fputs("part,case,method,x,count,mean_ns,median_ns,p99_ns,printed_s,pieces,tests,queries,free,"
          "failed,missed,alarms,undecided,error_median,error_worst\n",
          out);
    csv_squares(out, &s->squares);
    csv_more(out, &s->squares);
    csv_rivals(out, &s->rivals);
    csv_smooth(out, &s->smooth);
    csv_arm(out, &s->arm);
    csv_curve(out, "clearance", &s->cost.clearance);
    csv_curve(out, "clearance_squares", &s->cost.squares);
    csv_curve(out, "length", &s->cost.length);
    csv_curve(out, "length_in_place", &s->cost.spin);
}
