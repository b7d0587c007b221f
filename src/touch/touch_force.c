/**
 * @file touch_force.c
 * @brief Forces of single points: penalty forces with a potential, those of [SQMap] as published,
 * and the mean over an impact zone.
 */
#include <math.h>

#include <ovoid/query.h>

#include "touch_force_internal.h"

/* ---- surfaces -------------------------------------------------------------------------------- */

static ov_status sample_shape(const void *object, ov_vec3 point, double limit,
                              ov_touch_distance *answer) {
    (void)limit;
    const ov_touch_shape *body = object;
    ov_contact contact;
    ov_status status =
        ov_point_contact(&body->shape, ov_pose_default(body->pose), point, NULL, &contact);
    if (status < 0) {
        return status;
    }
    answer->distance = contact.gap;
    answer->distance_lower = contact.gap_lower;
    answer->distance_upper = contact.gap_upper;
    answer->nearest = contact.point_a;
    answer->normal = contact.normal;
    answer->triangle = OV_NO_TRIANGLE;
    return OV_OK;
}

ov_touch_surface ov_touch_shape_surface(const ov_touch_shape *body) {
    return (ov_touch_surface){sample_shape, body};
}

ov_status ovi_touch_place_at(const ov_touch_surface *surface, const ov_touch_material *material,
                             ov_vec3 point, double limit, double deepest, ovi_touch_place *place) {
    ov_touch_distance sample;
    const ov_touch_texture *texture = &material->texture;
    double steepness = ov_touch_texture_steepness(texture);
    double above = steepness > 0.0 ? texture->height : 0.0;
    ov_status status = surface->sample(surface->object, point, limit + above, &sample);
    if (status < 0) {
        return status;
    }
    if (!(sample.distance_lower <= sample.distance_upper) || !isfinite(sample.distance) ||
        !ov_vec3_is_finite(sample.normal)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (ov_vec3_dot(sample.normal, sample.normal) == 0.0) {
        // in the middle of a thin wall: away from the nearest point, or into it
        ov_vec3 away = ov_vec3_normalize(ov_vec3_sub(point, sample.nearest));
        sample.normal = ov_vec3_scale(away, sample.distance < 0.0 ? -1.0 : 1.0);
    }
    ov_vec3 gradient;
    double height = ov_touch_texture_height(texture, point, &gradient);
    if (height < -deepest) {
        height = -deepest;
        gradient = ov_vec3_make(0.0, 0.0, 0.0);
    }
    place->height = sample.distance - height;
    // in a valley there is room below the surface itself, but not to the other side of a thin wall
    place->free = fmin((sample.distance_lower - height) / (1.0 + steepness), sample.distance_lower);
    place->inside = sample.distance_upper < height;
    place->rise = ov_vec3_sub(sample.normal, gradient);
    place->normal = ov_vec3_normalize(place->rise);
    return OV_OK;
}

/* ---- material -------------------------------------------------------------------------------- */

ov_status ov_touch_material_check(const ov_touch_material *material) {
    if (material == NULL) {
        return OV_ERROR_NULL;
    }
    const double numbers[] = {
        material->stiffness,        material->viscosity,     material->static_friction,
        material->dynamic_friction, material->magnet_force,  material->magnet_range,
        material->braking,          material->braking_range, material->force_max};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(numbers[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (numbers[i] < 0.0) {
            return OV_ERROR_OPTION;
        }
    }
    bool pulls_nowhere = material->magnet_force > 0.0 && !(material->magnet_range > 0.0);
    bool brakes_nowhere = material->braking > 0.0 && !(material->braking_range > 0.0);
    if (material->static_friction < material->dynamic_friction || pulls_nowhere || brakes_nowhere) {
        return OV_ERROR_OPTION;
    }
    return ov_touch_texture_check(&material->texture);
}

double ovi_touch_stiffness(const ov_touch_material *material) {
    return material->stiffness > 0.0 ? material->stiffness : 1000.0;
}

ov_status ovi_touch_finish_force(const ov_touch_material *material, ov_vec3 whole, ov_vec3 normal,
                                 ov_touch_force *force) {
    double length = ov_vec3_length(whole);
    if (!isfinite(length) || !ov_vec3_is_finite(normal)) {
        return OV_ERROR_NOT_FINITE;
    }
    force->capped = material->force_max > 0.0 && length > material->force_max;
    if (force->capped) {
        whole = ov_vec3_scale(whole, material->force_max / length);
    }
    force->force = whole;
    force->normal = ov_vec3_scale(normal, ov_vec3_dot(whole, normal));
    force->tangential = ov_vec3_sub(whole, force->normal);
    return OV_OK;
}

/* ---- penalty forces -------------------------------------------------------------------------- */

/** Friction against a velocity along the surface, fading out as the point comes to rest. */
static ov_vec3 sliding_friction(const ov_touch_material *material, double pressure, ov_vec3 normal,
                                ov_vec3 velocity, double slow) {
    ov_vec3 along = ov_vec3_add_scaled(velocity, normal, -ov_vec3_dot(velocity, normal));
    double speed = ov_vec3_length(along);
    double size = material->dynamic_friction * pressure / hypot(speed, slow);
    return ov_vec3_scale(along, -size);
}

ov_status ov_touch_penalty(const ov_touch_surface *surface, const ov_touch_material *material,
                           ov_vec3 point, ov_vec3 velocity, double slow, ov_touch_force *force) {
    if (surface == NULL || surface->sample == NULL || material == NULL || force == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_vec3_is_finite(point) || !ov_vec3_is_finite(velocity) || !isfinite(slow)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ov_touch_material_check(material);
    if (status == OV_OK && slow < 0.0) {
        status = OV_ERROR_OPTION;
    }
    ovi_touch_place place;
    double range = fmax(material->magnet_range, material->braking_range);
    if (status == OV_OK) {
        status = ovi_touch_place_at(surface, material, point, range, INFINITY, &place);
    }
    if (status < 0) {
        return status;
    }
    *force = (ov_touch_force){.depth = fmax(-place.height, 0.0), .contact = place.height < 0.0};
    ov_vec3 whole = ovi_touch_near_force(material, place.height, place.normal, velocity);
    if (force->contact) {
        double pressure = ovi_touch_stiffness(material) * force->depth;
        whole = ov_vec3_add_scaled(whole, place.rise, pressure);
        whole = ov_vec3_add_scaled(whole, velocity, -material->viscosity);
        whole = ov_vec3_add(whole, sliding_friction(material, pressure, place.normal, velocity,
                                                    slow > 0.0 ? slow : 1e-3));
    }
    return ovi_touch_finish_force(material, whole, place.normal, force);
}

/* ---- forces as published --------------------------------------------------------------------- */

/** A number of the standard normal distribution that depends on the place alone. */
static double normal_number(uint64_t seed, ov_vec3 point) {
    // The sum of twelve uniform numbers, less six, is close to normal; each is a height of noise
    // that jumps from point to point: the published texture is not continuous.
    double sum = 0.0;
    uint64_t bits = seed;
    const double numbers[3] = {point.x, point.y, point.z};
    for (int i = 0; i < 3; i++) {
        int exponent;
        double mantissa = frexp(numbers[i], &exponent);
        bits ^= (uint64_t)(int64_t)(mantissa * 0x1p40) + (uint64_t)(int64_t)exponent * 0x2545f491u;
        bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
    }
    for (int i = 0; i < 12; i++) {
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu + 0x9e3779b97f4a7c15u;
        sum += (double)(bits >> 11) * 0x1p-53;
    }
    return sum - 6.0;
}

ov_touch_force ov_touch_published_force(const ov_touch_published_constants *constants, double depth,
                                        ov_vec3 normal, ov_vec3 point, ov_vec3 motion) {
    ov_touch_force force = {.depth = depth, .contact = true};
    double texture = 0.0;
    if (constants->texture > 0.0) {
        texture = constants->texture * normal_number(constants->texture_seed, point);
    }
    ov_vec3 unit = ov_vec3_normalize(normal);
    force.normal = ov_vec3_scale(unit, constants->stiffness * fabs(depth - texture));
    double friction = constants->friction * (1.0 + constants->friction_depth * fabs(depth));
    force.tangential = ov_vec3_scale(ov_vec3_normalize(motion), -friction);
    force.force = ov_vec3_add(force.normal, force.tangential);
    return force;
}

ov_touch_force ov_touch_zone_force(const ov_touch_force *forces, const ov_vec3 *points,
                                   size_t count, ov_vec3 centre) {
    ov_touch_force mean = {0};
    for (size_t i = 0; i < count; i++) {
        ov_vec3 arm = ov_vec3_sub(points[i], centre);
        mean.force = ov_vec3_add(mean.force, forces[i].force);
        mean.normal = ov_vec3_add(mean.normal, forces[i].normal);
        mean.tangential = ov_vec3_add(mean.tangential, forces[i].tangential);
        mean.torque = ov_vec3_add(mean.torque, ov_vec3_cross(arm, forces[i].force));
        mean.depth = fmax(mean.depth, forces[i].depth);
        mean.contact = mean.contact || forces[i].contact;
        mean.capped = mean.capped || forces[i].capped;
    }
    double share = count > 0 ? 1.0 / (double)count : 0.0;
    mean.force = ov_vec3_scale(mean.force, share);
    mean.normal = ov_vec3_scale(mean.normal, share);
    mean.tangential = ov_vec3_scale(mean.tangential, share);
    mean.torque = ov_vec3_scale(mean.torque, share);
    return mean;
}

ov_touch_force ov_touch_zone_response(const ov_touch_material *material, const ov_touch_zone *zone,
                                      ov_vec3 centre) {
    ov_touch_force force = {0};
    if (zone->count > 0) {
        // all weights are depths, so that a contact comes and goes without a jump
        double depth = zone->depth_sum / (double)zone->count;
        force.depth = fmax(zone->depth, depth);
        double share = zone->depth_sum > 0.0 ? force.depth / zone->depth_sum : 0.0;
        ov_vec3 whole = ov_vec3_scale(zone->normal_sum, ovi_touch_stiffness(material) * share);
        force.contact = true;
        (void)ovi_touch_finish_force(material, whole, ov_vec3_normalize(zone->normal_sum), &force);
        force.torque = ov_vec3_cross(ov_vec3_sub(zone->point, centre), force.force);
    }
    return force;
}
