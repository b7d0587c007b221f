/**
 * @file checker.h
 * @brief What a checker did, for benchmarks and tests.
 */
#ifndef OVI_CHECKER_H
#define OVI_CHECKER_H

#include <ovoid/model.h>

/** What the layers did, in pairs of parts; each is counted by the layer that is done with it. */
typedef struct ovi_checker_counts {
    size_t pairs;          /**< of links that may not overlap */
    size_t rejected_kept;  /**< by the last known gap, less what the parts have moved since */
    size_t rejected_ball;  /**< by their balls */
    size_t rejected_obb;   /**< by their oriented boxes */
    size_t queries;        /**< the rest */
    size_t rejected_query; /**< ... proven to be further apart than the limit */
    size_t contacts;       /**< ... the others */
    size_t overlapping;    /**< contacts that are proven to overlap */
} ovi_checker_counts;

/** Adds the counts of the last run; obstacles are not counted. */
void ovi_checker_add_counts(const ov_checker *checker, ovi_checker_counts *sum);

#endif
