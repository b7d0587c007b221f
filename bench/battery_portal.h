/**
 * @file battery_portal.h
 * @brief The cases of [Portal, 5], Tables 2 to 5, done again: `ovoid-bench portal`.
 */
#ifndef OVOID_BENCH_BATTERY_PORTAL_H
#define OVOID_BENCH_BATTERY_PORTAL_H

#include <ovoid/schemes.h>

#include "battery.h"

enum { PORTAL_CASES = 8, PORTAL_METHODS = 2, PORTAL_FORMS = 2, PORTAL_READINGS = 13 };
enum { PORTAL_PRINTED = 28 }; // rows of Tables 3, 4 and 5

/** A row of Tables 3 to 5. */
typedef struct portal_printed {
    int number;        /**< of the case, from 1 */
    char set;          /**< 'a' to 'h'; 0: Table 3, which does not say */
    int method;        /**< 0: interior point, 1: SQP */
    double a[3], b[3]; /**< the two points */
    double distance;   /**< without a sign, as printed */
    int digits;        /**< behind its point */
    bool contact;      /**< printed, or meant, as a penetration */
    int ms, start_ms;  /**< time, and that of the start; -1: not printed */
    int iterations, evaluations;
} portal_printed;

/** What a printed row is worth. */
typedef struct portal_verdict {
    double off;       /**< printed signed distance less the certified gap */
    double surface_a; /**< gauge of its point less 1: zero on the surface */
    double surface_b;
    bool right; /**< within the rounding of its digits */
} portal_verdict;

typedef struct portal_case {
    ov_shape a, b;
    ov_pose pose_a, pose_b;
    double delta[2];         /**< of (32) to (34) */
    double printed_delta[2]; /**< NaN: not printed */
    ov_contact certified;
    /** By set, method and form: as published, mended. */
    ov_scheme_result results[OV_PORTAL_SETS][PORTAL_METHODS][PORTAL_FORMS];
} portal_case;

/** A way to read Table 2, and how far off it is. */
typedef struct portal_reading {
    const char *words;
    double delta_off; /**< worst over the factors of Table 3 */
    double point_off; /**< worst over the printed points: gauge less 1 */
} portal_reading;

typedef struct portal_study {
    const char *missing[PORTAL_METHODS]; /**< the package that is missing, else null */
    int iterations;                      /**< the limit */
    double tolerance;
    portal_case cases[PORTAL_CASES];
    portal_reading readings[PORTAL_READINGS];
    portal_verdict verdicts[PORTAL_PRINTED];
} portal_study;

extern const portal_printed portal_printed_rows[PORTAL_PRINTED];

/** Right: solved, and within 1e-5 of the certified gap. */
bool portal_is_right(const portal_case *c, const ov_scheme_result *r);

bool portal_measure(const battery_progress *progress, portal_study *study);
void portal_print(FILE *out, const portal_study *study);
void portal_csv(FILE *out, const portal_study *study);
void portal_svg(FILE *out, const portal_study *study);

#endif
