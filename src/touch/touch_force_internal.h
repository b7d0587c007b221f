/**
 * @file touch_force_internal.h
 * @brief What the force models share: a textured surface, and how a force is put together.
 */
#ifndef OVI_TOUCH_FORCE_INTERNAL_H
#define OVI_TOUCH_FORCE_INTERNAL_H

#include <ovoid/touch_force.h>

/** A point above a textured surface. */
typedef struct ovi_touch_place {
    double height;  /**< above the textured surface: distance less the texture's height */
    double free;    /**< a ball of this radius about the point does not meet the textured surface */
    ov_vec3 rise;   /**< gradient of `height`: the normal less the texture's gradient */
    ov_vec3 normal; /**< `rise` as a unit */
    bool inside;    /**< it is proven to be below the textured surface */
} ovi_touch_place;

/** Asks the surface, and adds the texture, which is nowhere lower than -`deepest`; `limit` as for
 *  ov_touch_surface, of the height. */
ov_status ovi_touch_place_at(const ov_touch_surface *surface, const ov_touch_material *material,
                             ov_vec3 point, double limit, double deepest, ovi_touch_place *place);

/** N/m, with the default. */
double ovi_touch_stiffness(const ov_touch_material *material);

/** Magnet and braking at a height above the surface, along its normal. */
static inline ov_vec3 ovi_touch_near_force(const ov_touch_material *material, double height,
                                           ov_vec3 normal, ov_vec3 velocity) {
    double size = 0.0;
    if (height > 0.0 && height < material->magnet_range) {
        double s = height / material->magnet_range;
        size -= material->magnet_force * 16.0 * s * s * (1.0 - s) * (1.0 - s);
    }
    double approach = -ov_vec3_dot(velocity, normal);
    if (height > 0.0 && height < material->braking_range && approach > 0.0) {
        size += material->braking * (1.0 - height / material->braking_range) * approach;
    }
    return ov_vec3_scale(normal, size);
}

/** Fills force and parts from the whole force and the normal, and shortens it to the largest one.
 *  OV_ERROR_NOT_FINITE where the force is beyond all numbers. */
ov_status ovi_touch_finish_force(const ov_touch_material *material, ov_vec3 whole, ov_vec3 normal,
                                 ov_touch_force *force);

#endif
