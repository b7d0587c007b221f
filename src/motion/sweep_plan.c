/**
 * @file sweep_plan.c
 * @brief What a sweep is made of: its options, and the parts of its bodies.
 */
#include "sweep_plan.h"
#include "../math/fault.h"
#include "../math/threads.h"
#include "polygons.h"

/* ---- options */

ov_sweep_options ov_default_sweep_options(void) {
    return (ov_sweep_options){.depth = 60, .resolution = 1e-6, .intervals = (size_t)1 << 20};
}

ov_sweep_body ov_default_sweep_body(void) {
    return (ov_sweep_body){.pose = ov_pose_identity(), .group = 1, .mask = UINT32_MAX};
}

/** Checks options, with the defaults for null and for zeros. */
static ov_status options_of(const ov_sweep_options *given, ov_sweep_options *options) {
    const ov_sweep_options defaults = ov_default_sweep_options();
    ov_sweep_options *o = options;
    *o = given != NULL ? *given : defaults;
    o->depth = o->depth != 0 ? o->depth : defaults.depth;
    o->resolution = o->resolution != 0.0 ? o->resolution : defaults.resolution;
    o->intervals = o->intervals != 0 ? o->intervals : defaults.intervals;
    if (isnan(o->epsilon) || isnan(o->clearance) || isnan(o->resolution)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool good = o->epsilon >= 0.0 && o->epsilon <= OV_POSITION_MAX && o->clearance >= 0.0 &&
                o->clearance <= OV_POSITION_MAX && o->depth >= 1 && o->depth <= 60 &&
                ovi_threads_are_good(&o->threads) && o->resolution >= 1e-12 &&
                o->resolution <= 1.0 && (unsigned)o->mass < OV_MASS_USE_COUNT;
    return good ? OV_OK : OV_ERROR_OPTION;
}

bool ovi_motion_covers(const ov_motion *motion, double start, double end) {
    return motion == NULL || (motion->start <= start && motion->end >= end);
}

ov_status ovi_plan_make(double start, double end, const ov_sweep_options *options,
                        ovi_sweep_plan *plan) {
    *plan = (ovi_sweep_plan){.start = start, .end = end};
    if (!isfinite(start) || !isfinite(end)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!(end > start) || !isfinite(end - start)) {
        return OV_ERROR_TIME;
    }
    ov_status status = options_of(options, &plan->options);
    plan->allocator = ovi_allocator_of(&plan->options.allocator);
    return status;
}

double ovi_sweep_epsilon(const ov_sweep_options *options, const ovi_mover *a, const ovi_mover *b) {
    double ra = a->part.ball.radius, rb = b->part.ball.radius;
    double size = fmin(ra, rb) > 0.0 ? fmin(ra, rb) : fmax(ra, rb); // a point has none
    return options->epsilon > 0.0 ? options->epsilon : isfinite(size) ? 1e-4 * size : 0.0;
}

/* ---- parts */

ov_status ovi_plan_add(ovi_sweep_plan *plan, ovi_sweep_part **part) {
    if (plan->count >= OV_WORLD_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    ovi_sweep_part *parts = ovi_room_for(&plan->allocator, plan->parts, &plan->room,
                                         plan->count + 1, sizeof(ovi_sweep_part));
    if (parts == NULL) {
        return OV_ERROR_MEMORY;
    }
    plan->parts = parts;
    *part = &parts[plan->count++];
    return OV_OK;
}

ov_status ovi_plan_blame(ov_fault *fault, ov_status status, size_t index) {
    const char *text =
        status == OV_ERROR_UNSUPPORTED
            ? "a motion that need not be rigid is for polygons, and meets nothing but polygons"
        : status == OV_ERROR_UNBOUNDED ? "a half-space cannot move"
                                       : NULL;
    return ovi_fault_set(fault, status, OV_FAULT_PLACE_BODY, index, text);
}

void ovi_plan_free(ovi_sweep_plan *plan) {
    ovi_release(&plan->allocator, plan->parts, plan->room, sizeof(ovi_sweep_part));
}

ov_status ovi_plan_add_body(ovi_sweep_plan *plan, const ov_sweep_body *body, size_t index) {
    if ((body->geometry == NULL) == (body->polygons == NULL)) {
        return OV_ERROR_NULL;
    }
    if (!ovi_motion_covers(body->motion, plan->start, plan->end)) {
        return OV_ERROR_TIME;
    }
    bool affine = body->motion != NULL && !ov_motion_is_rigid(body->motion);
    const ov_geometry *geometry =
        body->polygons != NULL ? ovi_polygons_geometry(body->polygons) : body->geometry;
    if (affine && body->polygons == NULL) {
        return OV_ERROR_UNSUPPORTED;
    }
    ov_pose pose = ov_pose_default(body->pose);
    for (size_t i = 0; i < geometry->count; i++) {
        const ovi_part *own = &geometry->parts[i];
        if (!own->bounded && body->motion != NULL) {
            return OV_ERROR_UNBOUNDED;
        }
        ovi_sweep_part *part;
        ov_status status = ovi_plan_add(plan, &part);
        if (status != OV_OK) {
            return status;
        }
        *part = (ovi_sweep_part){.body = plan->first_body + (uint32_t)index,
                                 .part = (uint32_t)i,
                                 .group = ovi_group_of(body->group),
                                 .mask = body->no_pairs ? 0 : ovi_mask_of(body->mask),
                                 .polygons = body->polygons,
                                 .pose = pose};
        status = ovi_mover_make(&own->part, pose, &part->mover);
        if (status != OV_OK) {
            return status;
        }
        status = ovi_pose_check(&part->pose);
        part->mover.motion = body->motion;
        if (body->polygons != NULL) {
            part->mover.slip += ovi_polygons_deviation(body->polygons);
            part->mover.still.slip = part->mover.slip;
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}
