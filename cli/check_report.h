/**
 * @file check_report.h
 * @brief What `ovoid check` tells: a table of pairs with a summary, or all contacts as CSV or JSON.
 */
#ifndef OVOID_CLI_CHECK_REPORT_H
#define OVOID_CLI_CHECK_REPORT_H

#include "check_run.h"
#include "json.h"

typedef enum check_format { CHECK_TABLE, CHECK_JSON, CHECK_CSV } check_format;

/** A contact that stands for many: the first one of its sort, or the one with the least gap. */
typedef struct check_mark {
    bool is_set;
    check_contact at;
} check_mark;

/** Two things that came within the limit of each other. */
typedef struct check_pair {
    uint32_t a, b;
    size_t near;      /**< poses within the limit */
    size_t collision; /**< poses in which they touch or overlap */
    size_t possible;  /**< poses in which that is not decided */
    size_t first;     /**< pose of the first of these two */
    size_t last;      /**< pose that was counted last */
    bool last_hit, last_open;
    check_contact least; /**< the contact with the least gap */
} check_pair;

typedef struct check_report {
    cli *c;
    const check_subject *subject;
    const char *path, *joints; /**< names of the files; `joints` may be null */
    check_format format;
    json j;
    check_pair *pairs;
    uint32_t *slots; /**< table of pairs by the hash of their things, from 1; 0: free */
    size_t pair_count, pair_room, slot_room;
    size_t collisions, possible; /**< poses with a collision; others with a possible one */
    size_t contacts;
    check_mark first, first_possible, least;
    bool failed; /**< for want of memory */
} check_report;

/** Writes what stands before the contacts. */
void check_report_begin(check_report *r);
/** Takes the contacts of a pose: a check_taker. */
void check_report_take(void *report, size_t pose, const check_contact *contacts, size_t count);
/** Writes the rest. The exit status: CLI_CHECK_FAILED where there is, or may be, a collision. */
int check_report_end(check_report *r);
void check_report_free(check_report *r);

#endif
