/**
 * @file sweep_report.h
 * @brief What a sweep found: as a table, JSON or CSV.
 */
#ifndef OVOID_CLI_SWEEP_REPORT_H
#define OVOID_CLI_SWEEP_REPORT_H

#include <stdio.h>

#include "sweep_subject.h"

/** All of it, and what was asked. */
typedef struct sweep_report {
    const sweep_subject *subject;
    ov_sweep_options options;
    ov_sweep_summary summary;
    const ov_sweep_interval *intervals;
    size_t count; /**< of those kept */
} sweep_report;

sweep_report sweep_report_make(const sweep_subject *s, const ov_sweep_options *options,
                               const ov_sweep *sweep);
void sweep_report_print(FILE *out, const sweep_report *r);
void sweep_report_json(FILE *out, const sweep_report *r);
void sweep_report_csv(FILE *out, const sweep_report *r);

#endif
