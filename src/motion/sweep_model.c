/**
 * @file sweep_model.c
 * @brief Sweeps of a robot along a trajectory, against obstacles and itself.
 *
 * Two links of the robot are seen from the link where their ways to the root meet: what is above it
 * moves both alike.
 */
#include "../math/fault.h"
#include "../math/nearest.h"
#include "../world/articulated.h"
#include "sweep_plan.h"

static bool is_link(const ovi_sweep_part *part) { return part->mover.link != OV_NO_LINK; }

/** The link where two links' ways to the root meet. */
static uint32_t meeting_link(const ov_model *model, uint32_t a, uint32_t b) {
    while (a != b) {
        const ovi_link *la = &model->links[a], *lb = &model->links[b];
        if (la->depth >= lb->depth) {
            a = la->parent;
        } else {
            b = lb->parent;
        }
    }
    return a;
}

/** Two obstacles rest, or are pairs by groups; links of the robot by the model's table. */
static bool is_pair(const void *user, const ovi_sweep_part *a, const ovi_sweep_part *b,
                    uint32_t *base) {
    const ov_model *model = user;
    *base = OV_NO_LINK;
    if (!a->mover.part.bounded && !b->mover.part.bounded) {
        return false; // half-spaces do not move
    }
    if (!is_link(a) || !is_link(b)) {
        return is_link(a) || is_link(b);
    }
    uint32_t la = a->mover.link, lb = b->mover.link;
    if (model->links[la].body == model->links[lb].body || ov_model_is_allowed(model, la, lb)) {
        return false;
    }
    *base = meeting_link(model, la, lb);
    return true;
}

/** Does anything between a link and the root move? */
static bool is_carried(const ov_model *model, uint32_t link) {
    return model->links[link].body != model->links[model->root].body;
}

static ov_status add_link(ovi_sweep_plan *plan, const ov_model *model, ov_pose root,
                          const ov_trajectory *trajectory, uint32_t link) {
    const ov_geometry *geometry = model->links[link].geometry;
    size_t count = geometry != NULL ? geometry->count : 0;
    for (size_t i = 0; i < count; i++) {
        const ovi_part *own = &geometry->parts[i];
        if (!own->bounded && is_carried(model, link)) {
            return OV_ERROR_UNBOUNDED;
        }
        ovi_sweep_part *part;
        ov_status status = ovi_plan_add(plan, &part);
        if (status != OV_OK) {
            return status;
        }
        *part = (ovi_sweep_part){
            .body = link, .part = (uint32_t)i, .group = UINT32_MAX, .mask = UINT32_MAX};
        status = ovi_mover_make(&own->part, ov_pose_identity(), &part->mover);
        if (status != OV_OK) {
            return status;
        }
        part->mover.trajectory = trajectory;
        part->mover.root = root;
        part->mover.link = link;
    }
    return OV_OK;
}

static ov_status add_all(ovi_sweep_plan *plan, const ov_model *model, ov_pose root,
                         const ov_trajectory *trajectory, const ov_sweep_body *obstacles,
                         size_t count, ov_fault *fault) {
    for (size_t i = 0; i < model->link_count; i++) {
        ov_status status = add_link(plan, model, root, trajectory, (uint32_t)i);
        if (status != OV_OK) {
            return ovi_fault_set(fault, status, OV_FAULT_PLACE_LINK, i,
                                 status == OV_ERROR_UNBOUNDED ? "a half-space cannot move" : NULL);
        }
    }
    for (size_t i = 0; i < count; i++) {
        ov_status status = ovi_plan_add_body(plan, &obstacles[i], i);
        if (status != OV_OK) {
            return ovi_plan_blame(fault, status, i);
        }
    }
    return OV_OK;
}

static ov_status check_call(const ov_model *model, const ov_trajectory *trajectory,
                            const ov_sweep_body *obstacles, size_t count, double start,
                            double end) {
    if (model == NULL || trajectory == NULL || (obstacles == NULL && count > 0)) {
        return OV_ERROR_NULL;
    }
    if (ovi_trajectory_model(trajectory) != model) {
        return OV_ERROR_OPTION;
    }
    if (count >= OV_WORLD_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    if (!isfinite(start) || !isfinite(end)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool within = start >= ov_trajectory_start(trajectory) && end <= ov_trajectory_end(trajectory);
    return within ? OV_OK : OV_ERROR_TIME;
}

ov_status ov_sweep_model(const ov_model *model, ov_pose root, const ov_trajectory *trajectory,
                         const ov_sweep_body *obstacles, size_t obstacle_count, double start,
                         double end, const ov_sweep_options *options, ov_sweep **sweep,
                         ov_fault *fault) {
    OVI_NEAREST(ov_status, ov_sweep_model(model, root, trajectory, obstacles, obstacle_count, start,
                                          end, options, sweep, fault));
    if (sweep == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *sweep = NULL;
    ovi_sweep_plan plan = {0};
    ov_status status = check_call(model, trajectory, obstacles, obstacle_count, start, end);
    status = status == OV_OK ? ovi_pose_check(&root) : status;
    status = status == OV_OK ? ovi_plan_make(start, end, options, &plan) : status;
    if (status != OV_OK) {
        return ovi_fault_none(fault, status); // nothing was made yet
    }
    plan.is_pair = is_pair;
    plan.user = model;
    plan.first_body = (uint32_t)model->link_count;
    status = add_all(&plan, model, root, trajectory, obstacles, obstacle_count, fault);
    status = status == OV_OK ? ovi_plan_run(&plan, sweep, fault) : status;
    ovi_plan_free(&plan);
    return status;
}
