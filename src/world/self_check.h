/**
 * @file self_check.h
 * @brief A self-collision check as it is kept: made by self_check_make.c, run by self_check.c, and
 * counted for benchmarks and tests.
 */
#ifndef OVI_SELF_CHECK_H
#define OVI_SELF_CHECK_H

#include "obb.h"
#include "world_internal.h"

/** Queries that are made ready at a time. */
enum { OVI_SELF_CHECK_CHUNK = 256 };

/** What the layers did, in pairs of parts; each is counted by the layer that is done with it. */
typedef struct ovi_self_check_counts {
    size_t pairs;          /**< of links that may not overlap */
    size_t rejected_kept;  /**< by the last known gap, less what the parts have moved since */
    size_t rejected_ball;  /**< by their balls */
    size_t rejected_obb;   /**< by their oriented boxes */
    size_t queries;        /**< the rest */
    size_t rejected_query; /**< ... proven to be further apart than the limit */
    size_t contacts;       /**< ... the others */
    size_t overlapping;    /**< contacts that are proven to overlap */
} ovi_self_check_counts;

/** A link that has parts, at the last pose. */
typedef struct ovi_carrier {
    uint32_t link;
    uint32_t first, count; /**< its parts */
    ov_pose pose;
} ovi_carrier;

/** A part at the last pose. */
typedef struct ovi_checked_part {
    const ovi_part *part;
    double reach; /**< lengths that its rounding errors scale with, but for the link's position */
    double error; /**< no point of its ball and box is further from where it should be */
    double skin;  /**< a ball of this radius rolled over a smaller box holds the part as well ... */
    ov_vec3 half; /**< ... of these half extents: closer than its box where the part is round */
    uint32_t carrier;
    bool box_along; /**< the box lies along the part's own axes */
    bool ready;     /**< pose and box are those of the last pose: made when they are needed */
    ov_pose pose;
    ovi_placed_box box;
} ovi_checked_part;

/** What is known about a pair. */
typedef struct ovi_pair_memory {
    double lower; /**< its gap was no less ... */
    double mark;  /**< ... when the odometers of both parts together showed no less */
} ovi_pair_memory;

struct ov_self_check {
    ov_allocator allocator;
    const ov_model *model;
    ov_pair_options options;
    size_t carrier_count, part_count, pair_count;
    ovi_carrier *carriers;
    ovi_checked_part *parts;
    ov_ball *balls;    /**< of the parts in the world, errors included */
    double *odometers; /**< no point of a part has moved by more than this grew by */
    uint32_t (*pairs)[2];
    ovi_pair_memory *memories;
    ov_warm_start *warm;
    uint32_t *left; /**< pairs that no layer has rejected yet */
    ov_pair *queries;
    ov_warm_start *starts;
    ov_contact *answers;
    ov_link_contact *contacts;
    size_t contact_room;
    bool has_run; /**< there are poses from before */
    ovi_self_check_counts counts;
};

/** Adds the counts of the last run. */
void ovi_self_check_add_counts(const ov_self_check *check, ovi_self_check_counts *sum);

#endif
