/**
 * @file sweep_bodies.c
 * @brief Sweeps of bodies that move by motions of their own: all of them, and the first contact of
 * two shapes.
 */
#include "../math/fault.h"
#include "../math/nearest.h"
#include "sweep_plan.h"

/* ---- all bodies */

ov_status ov_sweep_bodies(const ov_sweep_body *bodies, size_t count, double start, double end,
                          const ov_sweep_options *options, ov_sweep **sweep, ov_fault *fault) {
    OVI_NEAREST(ov_status, ov_sweep_bodies(bodies, count, start, end, options, sweep, fault));
    if (sweep == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *sweep = NULL;
    if (bodies == NULL && count > 0) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    if (count >= OV_WORLD_PARTS_MAX) {
        return ovi_fault_none(fault, OV_ERROR_COUNT);
    }
    ovi_sweep_plan plan;
    ov_status status = ovi_fault_none(fault, ovi_plan_make(start, end, options, &plan));
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        status = ovi_plan_add_body(&plan, &bodies[i], i);
        if (status != OV_OK) {
            (void)ovi_plan_blame(fault, status, i);
        }
    }
    status = status == OV_OK ? ovi_plan_run(&plan, sweep, fault) : status;
    ovi_plan_free(&plan);
    return status;
}

/* ---- two shapes */

static ov_status make_one(const ov_shape *shape, const ov_motion *motion, ov_pose pose,
                          double start, double end, ovi_mover *mover) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_motion_covers(motion, start, end)) {
        return OV_ERROR_TIME;
    }
    if (motion != NULL && !ov_motion_is_rigid(motion)) {
        return OV_ERROR_UNSUPPORTED;
    }
    const ov_part part = {.shape = *shape, .pose = ov_pose_identity()};
    ov_status status = ovi_mover_make(&part, ov_pose_default(pose), mover);
    if (status != OV_OK) {
        return status;
    }
    mover->motion = motion;
    return motion != NULL && !mover->part.bounded ? OV_ERROR_UNBOUNDED : OV_OK;
}

/** The contact at a time, in the world. */
static ov_contact contact_at(const ovi_mover *a, const ovi_mover *b, double time) {
    const ov_pair_options options = {.tolerance = 1e-9, .depth = OV_DEPTH_LOCAL};
    ovi_course ca, cb;
    ov_contact contact;
    ovi_mover_course(a, time, 0.0, &ca);
    ovi_mover_course(b, time, 0.0, &cb);
    (void)ov_pair_contact(&a->part.part.shape, ca.pose, &b->part.part.shape, cb.pose, &options,
                          NULL, &contact);
    return contact;
}

/** The cover with lengths and times of its own. */
static ov_status cover_first(const ovi_mover *a, const ovi_mover *b, double start, double end,
                             const ov_sweep_options *options, ovi_cover_result *found) {
    ovi_cover_goal goal = {.epsilon = ovi_sweep_epsilon(options, a, b),
                           .clearance = options->clearance,
                           .shortest = ldexp(end - start, -options->depth),
                           .first_only = true,
                           .resolution = options->resolution * (end - start)};
    return ovi_cover_pair(a, b, start, end, &goal, NULL, found);
}

ov_status ov_sweep_pair_first(const ov_sweep_pair *pair, double start, double end,
                              const ov_sweep_options *options, ov_first_contact *first) {
    OVI_NEAREST(ov_status, ov_sweep_pair_first(pair, start, end, options, first));
    if (pair == NULL || first == NULL) {
        return OV_ERROR_NULL;
    }
    *first =
        (ov_first_contact){.answer = OV_SWEEP_ANSWER_UNDECIDED, .lower = start, .upper = INFINITY};
    ovi_sweep_plan plan; // for its checks only: it has no parts
    ovi_mover a, b;
    ov_status status = ovi_plan_make(start, end, options, &plan);
    status =
        status == OV_OK ? make_one(pair->a, pair->motion_a, pair->pose_a, start, end, &a) : status;
    status =
        status == OV_OK ? make_one(pair->b, pair->motion_b, pair->pose_b, start, end, &b) : status;
    if (status == OV_OK && !a.part.bounded && !b.part.bounded) {
        status = OV_ERROR_UNBOUNDED;
    }
    ovi_cover_result found;
    status = status == OV_OK ? cover_first(&a, &b, start, end, &plan.options, &found) : status;
    if (status != OV_OK) {
        return status;
    }
    bool met = isfinite(found.upper), free = !met && found.lower >= end;
    first->answer = met    ? OV_SWEEP_ANSWER_CONTACT
                    : free ? OV_SWEEP_ANSWER_FREE
                           : OV_SWEEP_ANSWER_UNDECIDED;
    first->lower = found.lower;
    first->upper = found.upper;
    // just before the contact: there the normal and the points are sharp, and cheap
    first->contact = contact_at(&a, &b, met ? found.lower : found.closest);
    first->pieces = found.pieces;
    first->tests = found.tests;
    first->queries = found.queries;
    bool close = free || found.upper - found.lower <= plan.options.resolution * (end - start);
    return close ? OV_OK : OV_NOT_CONVERGED;
}
