/**
 * @file fat_body.h
 * @brief A body of polygons in a sweep: its polygons in the frame that moves, each with its metric
 * when that is first asked for, and where all is during a piece of time.
 */
#ifndef OVI_FAT_BODY_H
#define OVI_FAT_BODY_H

#include "fat.h"
#include "motion_internal.h"
#include "polygons.h"

/** More than the rounding of poses and maps, as a part of all lengths that occur. */
#define OVI_FAT_ROUNDING 0x1p-44

/** A polygon in the frame that moves. */
typedef struct ovi_fat_polygon {
    ovi_flat flat;
    ov_metric metric;
    ovi_fat_form form;
    bool made;     /**< metric and form */
    size_t piece;  /**< that the radius is of */
    double radius; /**< R of that piece, by the polygon's metric */
} ovi_fat_polygon;

typedef struct ovi_fat_body {
    const ov_polygons *polygons;
    const ov_motion *motion; /**< null: at rest */
    ov_affine rest;          /**< where the frame is, at rest */
    ov_mat3 turn;            /**< from the body's frame to the one that moves */
    ov_vec3 offset;
    double reach; /**< no corner is further from that frame's origin */
    bool global;  /**< one metric for all polygons */
    ov_metric whole;
    ovi_fat_polygon *items;
    ov_vec3 *corners; /**< one more than there are */
    double *rho, *kappa;
    ov_vec2 *flat;
    double *node_rho; /**< largest distortion rate on the boxes, by the whole's metric */
    ovi_piece piece;  /**< the one at hand, if it moves */
} ovi_fat_body;

/**
 * False for want of memory; ovi_fat_body_release() is needed all the same. The body's pose is a
 * unit quaternion's.
 */
bool ovi_fat_body_make(ovi_fat_body *body, const ov_polygons *polygons, const ov_motion *motion,
                       ov_pose pose, const ov_sweep_options *options, const ov_allocator *memory);
void ovi_fat_body_release(ovi_fat_body *body, const ov_allocator *memory);

/** A polygon with its metric. */
ovi_fat_polygon *ovi_fat_body_item(ovi_fat_body *body, uint32_t index);

/** Where the frame is at a time; no point of the body is further from there than what is returned.
 */
double ovi_fat_body_at(const ovi_fat_body *body, double time, ov_affine *at);

/**
 * How low a polygon gets along n, of which no direction is longer than 1, during the piece at hand;
 * `placed` is where it is at the centre. Less what ovi_fat_body_unsure() returns this is a bound.
 */
double ovi_fat_body_lowest(const ovi_fat_body *body, uint32_t index, const ovi_flat *placed,
                           ov_vec3 n);
/** The same for a box of the tree, with the frame at `at`; less twice what is not sure. */
double ovi_fat_body_box_lowest(const ovi_fat_body *body, const ov_aabb *box, const ov_affine *at,
                               ov_vec3 n);
/** By how much any point may get further than the offsets of the piece say, rounding included. */
double ovi_fat_body_unsure(const ovi_fat_body *body);
/** What is off by the polygons' deviation at the centre can be off by this more elsewhere. */
double ovi_fat_body_uneven(const ovi_fat_body *body);

/** No direction is made longer by more than this, or 1.8 times less. */
static inline double ovi_stretch_of(const ov_mat3 *m) {
    return sqrt(ov_vec3_dot(m->cx, m->cx) + ov_vec3_dot(m->cy, m->cy) + ov_vec3_dot(m->cz, m->cz));
}

#endif
