/**
 * @file obb.h
 * @brief The test of fifteen axes for boxes whose axes are at hand already, as a world has them.
 */
#ifndef OVI_OBB_H
#define OVI_OBB_H

#include <stdbool.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>

/** A box in the world, with its axes as columns. */
typedef struct ovi_placed_box {
    ov_mat3 axes;
    ov_vec3 centre, half;
} ovi_placed_box;

/**
 * Entries of ov_mat3_from_quat are no further than this from those of the exact rotation, for what
 * ov_quat_normalize gives, and for the product of two such: with u = 2^-53, 16 u by the roundings
 * of the product, 72 u by its length, and 5 u of the entry's own.
 */
#define OVI_AXES_ERROR 0x1p-46

/** Axes of a box, each entry to 10 roundings; false where its quaternion is not finite or zero. */
bool ovi_box_place(const ov_obb *box, ovi_placed_box *placed);

/**
 * ov_obb_apart for placed boxes: the exact axes may differ by `axes_error` (below 1e-3) in each
 * entry from those given. Centres and half extents are taken as exact: where they are not, add the
 * error to the limit.
 */
bool ovi_placed_boxes_apart(const ovi_placed_box *a, const ovi_placed_box *b, double limit,
                            double axes_error);

#endif
