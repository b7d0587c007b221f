/**
 * @file sweep.c
 * @brief Sweeps of many bodies, and of a robot: what they are made of, and what they found. The run
 * is in sweep_run.c, that of one pair in sweep_pair.c.
 *
 * Two links of a robot are seen from their lowest common ancestor: what is above it moves both
 * alike.
 */
#include "sweep.h"
#include "../math/fault.h"
#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "polygons/polygons.h"
#include "trajectory.h"

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

double ovi_sweep_epsilon(const ov_sweep_options *options, const ovi_moving_part *a,
                         const ovi_moving_part *b) {
    double ra = a->part.ball.radius, rb = b->part.ball.radius;
    double size = fmin(ra, rb) > 0.0 ? fmin(ra, rb) : fmax(ra, rb); // a point has none
    return options->epsilon > 0.0 ? options->epsilon : isfinite(size) ? 1e-4 * size : 0.0;
}

/* ---- parts */

/** Adds a part that is yet to be filled in: OV_ERROR_COUNT, OV_ERROR_MEMORY. */
static ov_status add_part(ovi_sweep_plan *plan, ovi_sweep_part **part) {
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

static void free_plan(ovi_sweep_plan *plan) {
    ovi_release(&plan->allocator, plan->parts, plan->room, sizeof(ovi_sweep_part));
}

/** Adds all parts of body `index` of the call. */
static ov_status add_body(ovi_sweep_plan *plan, const ov_sweep_body *body, size_t index) {
    if ((body->geometry == NULL) == (body->polygons == NULL)) {
        return OV_ERROR_NULL;
    }
    if (!ovi_motion_covers(body->motion, plan->start, plan->end)) {
        return OV_ERROR_TIME;
    }
    bool affine = body->motion != NULL && !ov_motion_is_rigid(body->motion);
    const ov_geometry *geometry =
        body->polygons != NULL ? body->polygons->geometry : body->geometry;
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
        ov_status status = add_part(plan, &part);
        if (status != OV_OK) {
            return status;
        }
        *part = (ovi_sweep_part){.body = plan->first_body + (uint32_t)index,
                                 .part = (uint32_t)i,
                                 .group = ovi_group_of(body->group),
                                 .mask = body->no_pairs ? 0 : ovi_mask_of(body->mask),
                                 .polygons = body->polygons,
                                 .pose = pose};
        status = ovi_moving_part_make(&own->part, pose, &part->moving);
        if (status != OV_OK) {
            return status;
        }
        status = ovi_pose_normalize(&part->pose);
        part->moving.motion = body->motion;
        if (body->polygons != NULL) {
            part->moving.position_error += body->polygons->deviation;
            part->moving.still.position_error = part->moving.position_error;
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

/* ---- all bodies */

ov_status ov_sweep_bodies(const ov_sweep_body *bodies, size_t count, double start, double end,
                          const ov_sweep_options *options, ov_sweep **sweep, ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_sweep_bodies(bodies, count, start, end, options, sweep, fault));
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
        status = add_body(&plan, &bodies[i], i);
        if (status != OV_OK) {
            (void)ovi_plan_blame(fault, status, i);
        }
    }
    status = status == OV_OK ? ovi_plan_run(&plan, sweep, fault) : status;
    free_plan(&plan);
    return status;
}

/* ---- a robot */

static bool is_link(const ovi_sweep_part *part) { return part->moving.link != OV_NO_LINK; }

/** The lowest common ancestor of two links. */
static uint32_t common_ancestor(const ov_model *model, uint32_t a, uint32_t b) {
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

/** A link and an obstacle are a pair, two links by the model's table, two obstacles never. */
static bool is_robot_pair(const void *user, const ovi_sweep_part *a, const ovi_sweep_part *b,
                          uint32_t *base) {
    const ov_model *model = user;
    *base = OV_NO_LINK;
    if (!a->moving.part.bounded && !b->moving.part.bounded) {
        return false; // half-spaces do not move
    }
    if (!is_link(a) || !is_link(b)) {
        return is_link(a) || is_link(b);
    }
    uint32_t la = a->moving.link, lb = b->moving.link;
    if (model->links[la].body == model->links[lb].body || ov_model_is_allowed(model, la, lb)) {
        return false;
    }
    *base = common_ancestor(model, la, lb);
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
        ov_status status = add_part(plan, &part);
        if (status != OV_OK) {
            return status;
        }
        *part = (ovi_sweep_part){
            .body = link, .part = (uint32_t)i, .group = UINT32_MAX, .mask = UINT32_MAX};
        status = ovi_moving_part_make(&own->part, ov_pose_identity(), &part->moving);
        if (status != OV_OK) {
            return status;
        }
        part->moving.trajectory = trajectory;
        part->moving.root = root;
        part->moving.link = link;
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
        ov_status status = add_body(plan, &obstacles[i], i);
        if (status != OV_OK) {
            return ovi_plan_blame(fault, status, i);
        }
    }
    return OV_OK;
}

static ov_status check_model_call(const ov_model *model, const ov_trajectory *trajectory,
                                  const ov_sweep_body *obstacles, size_t count, double start,
                                  double end) {
    if (model == NULL || trajectory == NULL || (obstacles == NULL && count > 0)) {
        return OV_ERROR_NULL;
    }
    if (trajectory->model != model) {
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
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_sweep_model(model, root, trajectory, obstacles, obstacle_count, start,
                                        end, options, sweep, fault));
    if (sweep == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *sweep = NULL;
    ovi_sweep_plan plan = {0};
    ov_status status = check_model_call(model, trajectory, obstacles, obstacle_count, start, end);
    status = status == OV_OK ? ovi_pose_normalize(&root) : status;
    status = status == OV_OK ? ovi_plan_make(start, end, options, &plan) : status;
    if (status != OV_OK) {
        return ovi_fault_none(fault, status); // nothing was made yet
    }
    plan.is_pair = is_robot_pair;
    plan.user = model;
    plan.first_body = (uint32_t)model->link_count;
    status = add_all(&plan, model, root, trajectory, obstacles, obstacle_count, fault);
    status = status == OV_OK ? ovi_plan_run(&plan, sweep, fault) : status;
    free_plan(&plan);
    return status;
}

/* ---- what was found */

void ov_sweep_destroy(ov_sweep *sweep) {
    if (sweep != NULL) {
        ov_allocator used = sweep->allocator;
        ovi_release(&used, sweep->intervals, sweep->room, sizeof(ov_sweep_interval));
        ovi_release(&used, sweep, 1, sizeof(ov_sweep));
    }
}

ov_sweep_summary ov_sweep_summary_of(const ov_sweep *sweep) {
    const ov_sweep_summary none = {.answer = OV_SWEEP_ANSWER_UNDECIDED, .lower = NAN, .upper = NAN};
    return sweep != NULL ? sweep->summary : none;
}

const ov_sweep_interval *ov_sweep_intervals(const ov_sweep *sweep, size_t *count) {
    if (count != NULL) {
        *count = sweep != NULL ? sweep->count : 0;
    }
    return sweep != NULL ? sweep->intervals : NULL;
}

const char *ov_sweep_answer_name(ov_sweep_answer answer) {
    static const char *const words[] = {"free", "contact", "undecided"};
    return (unsigned)answer <= OV_SWEEP_ANSWER_UNDECIDED ? words[answer] : "unknown";
}

const char *ov_sweep_element_name(ov_sweep_element element) {
    static const char *const names[] = {"parts", "vertex-face", "edge-edge", "face-vertex",
                                        "edge-face"};
    return (unsigned)element < OV_SWEEP_ELEMENT_COUNT ? names[element] : "unknown";
}
