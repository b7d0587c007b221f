/**
 * @file motion.h
 * @brief The study of motions behind `ovoid-bench motion`: proofs that a motion is free, and first
 * contacts.
 *
 * Five parts: the examples and tables of [Toleranced, 7] on motions in the spirit of its text; the
 * same motions for Ovoid and for FCL's continuous collision; superovoids over typical motions; an
 * arm among obstacles; and what a proof costs by clearance and by length. A time is the best of a
 * few runs, and what is compared takes turns. Whether a motion is free, and when it first has a
 * contact, is known from a dense search of its own (motion_refer).
 */
#ifndef OVOID_BENCH_MOTION_H
#define OVOID_BENCH_MOTION_H

#include <ovoid/motion.h>

#include "bench.h"

/* ---- figures */

/** Exponent of the line through the logarithms of y over those of x, by least squares. */
double motion_exponent(const double *x, const double *y, size_t count);

/* ---- a body passing another one (motion_pairs.c) */

typedef struct motion_case {
    ov_shape a, b;
    ov_pose pose_a; /**< at time 0 */
    ov_pose pose_b; /**< at rest */
    peer_travel travel;
    double size; /**< mean diameter of both bounding balls */
    /* by motion_refer: */
    double clearance; /**< least gap; where there is a contact, zero or less */
    double first;     /**< NaN: none */
} motion_case;

/** How A passes B: it is nearest in the middle of the time, or would be if it did not turn. */
typedef struct motion_pass {
    ov_vec3 along, aside; /**< orthogonal units */
    double offset;        /**< of the line of travel from B's centre, to the side */
    double length;        /**< of the travel */
    ov_quat middle;       /**< rotation of A at the middle of the time */
    ov_vec3 axis;
    double angle_rad;
} motion_pass;

/** Directions and rotations at random; the rest as given. */
motion_pass motion_pass_draw(bench_random *r, double offset, double length, double angle_rad);
/** Needs a, b and pose_b; sets the rest. */
void motion_case_set(const motion_pass *pass, motion_case *c);

ov_pose motion_case_pose(const motion_case *c, double time);
/** The same motion for Ovoid: key poses with straight lines and constant turns between them. */
ov_motion *motion_case_motion(const motion_case *c);
ov_sweep_pair motion_case_pair(const motion_case *c, const ov_motion *motion);

/**
 * The dense search: gaps at `samples` times evenly spread, and at as many more as it takes that no
 * contact fits between two of them, down to 1e-13 of the time.
 */
void motion_refer(motion_case *c, size_t samples);
/** Least gap alone: for the search of an offset. */
double motion_clearance(const motion_case *c, size_t samples);
/** Sets the offset of a pass so that the clearance is as wanted; false where none was found. */
bool motion_find_offset(motion_pass *pass, double clearance, size_t samples, motion_case *c);

/* ---- the examples of [Toleranced, 7] (motion_squares.c) */

typedef enum squares_motion { SQUARES_COLLISION, SQUARES_NEAR, SQUARES_FREE } squares_motion;
enum { SQUARES_MOTIONS = 3, SQUARES_MAX = 10, SQUARES_WAYS = 2, SQUARES_MORE = 4 };

/** What a sweep of polygons came to. */
typedef struct squares_run {
    double ns;
    ov_sweep_summary summary;
} squares_run;

/** Without and with hierarchy, which is the last index. */
typedef struct squares_table {
    squares_run runs[SQUARES_MOTIONS][SQUARES_MAX][SQUARES_WAYS];
} squares_table;

/** Clearances in units of epsilon, which is a hundredth of the diameter. */
typedef struct squares_study {
    size_t most; /**< n goes from 1 to this */
    double epsilon, diameter;
    double clearance[SQUARES_MOTIONS]; /**< negative: how deep the corner goes */
    squares_run octagons[2];           /**< free, and in contact */
    squares_run octagon_first;         /**< in contact, only the first of it to 2^-8 of the time */
    squares_run octagon_away;          /**< free, and half a diameter further away */
    double octagon_epsilon, octagon_clearance[2];
    squares_table tables[OV_MASS_USE_COUNT];
    double time_exponent[OV_MASS_USE_COUNT][SQUARES_MOTIONS]; /**< over n^4, without hierarchy */
    double test_exponent[OV_MASS_USE_COUNT][SQUARES_MOTIONS];
    /* larger ones than the paper has, near-collision with individual mass, to see where it goes */
    size_t more_count, more_n[SQUARES_MORE];
    squares_run more[SQUARES_MORE][SQUARES_WAYS];
    double more_time_exponent[SQUARES_WAYS], more_test_exponent[SQUARES_WAYS]; /**< from n = 10 */
} squares_study;

/** Printed seconds of the octagons, free and in contact [Toleranced, 7.1]. */
#define OCTAGON_PRINTED_FREE 0.1427
#define OCTAGON_PRINTED_CONTACT 0.0075
/** Printed seconds, [Toleranced, Tables 1 and 2]; n from 1. */
double squares_printed(ov_mass_use mass, squares_motion motion, size_t n);

/** Two surfaces of polygons, the motion of one of them, and how far it stays clear of the other. */
typedef struct squares_scene {
    ov_polygons *moving, *fixed;
    ov_motion *motion;
} squares_scene;

/** Two squares of side 1 in n^2 parts each, whose corners come as near as `clearance`; negative: a
 *  corner goes through by so much. */
bool squares_make(size_t n, double clearance, squares_scene *scene);
void squares_free(squares_scene *scene);
ov_sweep_options squares_options(double epsilon, ov_mass_use mass, bool hierarchy);
/** Sweeps a scene, a few times; false where it failed. */
bool squares_sweep(const squares_scene *scene, const ov_sweep_options *options, squares_run *run);

bool squares_measure(size_t most, const bench_progress *progress, squares_study *study);

/* ---- beside FCL (motion_pairs.c) */

typedef enum rival_class {
    RIVAL_STRAIGHT, /**< straight on, without a turn */
    RIVAL_HALF,     /**< half a turn, ten sizes of travel */
    RIVAL_SPIN,     /**< a bar that turns ten to sixty times beside an edge */
    RIVAL_PLATE,    /**< a small body through a thin plate, or past it */
    RIVAL_GRAZE     /**< half a turn, a gap or an overlap of 1e-4 to 1e-2 sizes */
} rival_class;
enum { RIVAL_CLASSES = 5, RIVAL_SETS = 2, RIVAL_ROWS_MAX = PEER_CONTINUOUS_MAX + 3 };

typedef struct rival_figures {
    size_t asked;     /**< motions that the row takes */
    size_t failed;    /**< no answer: an error, an exception, the end of the process, ten seconds */
    size_t missed;    /**< called free, and there is a contact */
    size_t alarms;    /**< called a contact, and there is none */
    size_t undecided; /**< said to be so */
    size_t outside;   /**< Ovoid: the first contact is not between the bounds */
    bench_figures times;
    double error_median, error_worst; /**< of the first contact, in parts of the time */
} rival_figures;

typedef struct rival_row {
    char name[48], id[40];
    const peer_continuous *method; /**< null: Ovoid */
    double resolution;             /**< of Ovoid's first contact, in parts of the time */
    bool polygons;                 /**< Ovoid on polygons */
    rival_figures figures[RIVAL_SETS][RIVAL_CLASSES];
} rival_row;

typedef struct rival_study {
    size_t count; /**< motions of a class and set */
    size_t contacts[RIVAL_SETS][RIVAL_CLASSES];
    size_t unsure; /**< drawn again: so close that the reference could be wrong */
    rival_row rows[RIVAL_ROWS_MAX];
    size_t row_count;
} rival_study;

bool rivals_measure(size_t count, uint64_t seed, const bench_peers *peers,
                    const bench_progress *progress, rival_study *study);
const char *rival_class_name(rival_class kind);
const char *rival_set_name(int set);
/** Draws a motion of a class; set 0: boxes, 1: ellipsoids. False: it cannot be judged. */
bool rival_draw(bench_random *r, int set, rival_class kind, bool odd, motion_case *c);

/* ---- superovoids, and what a proof costs (motion_pairs.c) */

typedef struct smooth_figures {
    bench_figures times;
    double pieces, tests, queries; /**< mean */
} smooth_figures;

typedef struct smooth_study {
    size_t count, undecided, false_promises, outside;
    smooth_figures proof;    /**< those that are free, with the default epsilon */
    smooth_figures first;    /**< those with a contact, to 1e-6 of the time */
    double clearance_median; /**< of the free ones, in sizes */
    double width_worst;      /**< upper - lower, in parts of the time */
    uint64_t hash;           /**< of all bounds */
} smooth_study;

bool smooth_measure(size_t count, uint64_t seed, const bench_progress *progress,
                    smooth_study *study);

enum { COST_STEPS_MAX = 12 };

/** A curve of costs: medians over the pairs. */
typedef struct cost_curve {
    size_t count;
    double x[COST_STEPS_MAX];
    double ns[COST_STEPS_MAX], tests[COST_STEPS_MAX], queries[COST_STEPS_MAX];
    size_t proven[COST_STEPS_MAX], asked[COST_STEPS_MAX];
    double exponent; /**< of the time, over the steep half */
} cost_curve;

typedef struct cost_study {
    size_t pairs;
    cost_curve clearance; /**< in sizes; superovoids */
    cost_curve squares;   /**< in diameters; two squares in 16 parts each, with hierarchy */
    cost_curve length;    /**< in sizes; half a turn for every ten */
    cost_curve spin;      /**< in sizes of the farthest point's way; turning in place */
} cost_study;

bool cost_measure(size_t pairs, uint64_t seed, const bench_progress *progress, cost_study *study);

/* ---- an arm among obstacles (study_motion.c) */

typedef enum arm_case { ARM_FREE, ARM_GRAZE, ARM_CONTACT } arm_case;
enum { ARM_CASES = 3, ARM_OBSTACLES = 50 };

typedef struct arm_run {
    double ns, ns_two; /**< one thread, and two */
    double clearance;  /**< by the dense search; negative: a contact */
    double first;      /**< by the dense search */
    double width;      /**< upper - lower in seconds, where there is a contact */
    ov_sweep_summary summary;
} arm_run;

typedef struct arm_study {
    arm_run runs[ARM_CASES];
    double epsilon, seconds;
    double self_clearance;
} arm_study;

bool arm_measure(uint64_t seed, const bench_progress *progress, arm_study *study);

/* ---- all together */

typedef struct motion_study {
    uint64_t seed;
    squares_study squares;
    rival_study rivals;
    smooth_study smooth;
    arm_study arm;
    cost_study cost;
} motion_study;

void motion_print(FILE *out, const motion_study *study);
void motion_csv(FILE *out, const motion_study *study);

#endif
