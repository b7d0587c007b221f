/**
 * @file sim_model.c
 * @brief Articulated models as bodies and joints.
 *
 * A link's body has the link's frame, so the frame of its joint in the child is the child's own,
 * and that in the parent is the joint's origin. Links without mass are frames of the link that a
 * fixed joint connects them to: their owner.
 */
#include <string.h>

#include "../math/fault.h"
#include "../world/geometry.h"
#include "sim_internal.h"

typedef struct builder {
    ov_sim *sim;
    const ov_model *model;
    const ov_sim_model_def *def;
    ov_sim_body *bodies;
    ov_sim_joint *joints;
    ov_pose *poses;
    uint32_t *owners; /**< by link: the link whose body it is of; OV_NO_LINK: the world */
    ov_fault *fault;
} builder;

static ov_status link_fault(const builder *b, ov_status status, size_t link, const char *text) {
    return ovi_fault_set(b->fault, status, OV_FAULT_PLACE_LINK, link, text);
}

static double mass_of(const builder *b, size_t link) {
    return b->def->masses != NULL ? b->def->masses[link].mass : 0.0;
}

static bool is_root(const builder *b, size_t link) { return link == ov_model_root(b->model); }

/** The link whose body a link belongs to: itself, or the nearest one above it that is solid. */
static ov_status find_owner(const builder *b, uint32_t link) {
    for (uint32_t at = link;;) {
        if (ov_model_link_geometry(b->model, at) != NULL || mass_of(b, at) != 0.0) {
            b->owners[link] = at;
            return OV_OK;
        }
        if (is_root(b, at)) {
            b->owners[link] = OV_NO_LINK;
            return b->def->fixed ? OV_OK
                                 : link_fault(b, OV_ERROR_WEIGHT, at,
                                              "the root moves, but has neither parts nor mass");
        }
        const ov_joint_def *joint = ov_model_joint(b->model, ov_model_link_joint(b->model, at));
        if (joint->kind != OV_JOINT_KIND_FIXED) {
            return link_fault(b, OV_ERROR_WEIGHT, at,
                              "the link moves, but has neither parts nor mass");
        }
        at = joint->parent;
    }
}

static ov_status add_link(const builder *b, uint32_t link) {
    bool held = b->def->fixed && is_root(b, link);
    ov_sim_body_def def = b->def->body;
    def.geometry = ov_model_link_geometry(b->model, link);
    def.pose = b->poses[link];
    def.kind = held ? OV_SIM_BODY_KIND_FIXED : OV_SIM_BODY_KIND_DYNAMIC;
    def.velocity = def.angular_velocity = ov_vec3_make(0.0, 0.0, 0.0);
    def.mass = b->def->masses != NULL ? b->def->masses[link] : (ov_mass){.mass = 0.0};
    def.motion = NULL;
    ov_status status = ov_sim_add_body(b->sim, &def, &b->bodies[link]);
    return status < 0 ? link_fault(b, status, link, NULL) : OV_OK;
}

/** A pose in the frame of another. */
static ov_pose relative(ov_pose frame, ov_pose pose) {
    return (ov_pose){ov_pose_apply_inverse(frame, pose.position),
                     ovi_quat_product(ov_quat_conjugate(frame.rotation), pose.rotation)};
}

static ov_status add_joint(const builder *b, size_t index) {
    const ov_joint_def *from = ov_model_joint(b->model, index);
    uint32_t owner_a = b->owners[from->parent], owner_b = b->owners[from->child];
    if (owner_a == owner_b || from->kind == OV_JOINT_KIND_FLOATING) {
        return OV_OK;
    }
    ov_pose origin = ovi_pose_mul(b->poses[from->parent], from->origin);
    ov_sim_joint_def def = {.kind = from->kind,
                            .a = owner_a != OV_NO_LINK ? b->bodies[owner_a] : 0,
                            .b = b->bodies[owner_b],
                            .axis = from->axis,
                            .lower = from->lower,
                            .upper = from->upper};
    def.frame_a = owner_a != OV_NO_LINK ? relative(b->poses[owner_a], origin) : origin;
    def.frame_b = relative(b->poses[owner_b], b->poses[from->child]);
    bool damped = from->kind != OV_JOINT_KIND_FIXED && from->kind != OV_JOINT_KIND_PLANAR;
    def.damping = damped ? b->def->damping : 0.0;
    ov_sim_joint joint;
    ov_status status = ov_sim_add_joint(b->sim, &def, &joint);
    if (b->joints != NULL) {
        b->joints[index] = joint;
    }
    return status < 0 ? ovi_fault_set(b->fault, status, OV_FAULT_PLACE_JOINT, index, NULL) : OV_OK;
}

/** Bodies whose links may overlap never touch. */
static ov_status add_filters(const builder *b) {
    size_t count = ov_model_link_count(b->model);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            bool solid = b->owners[i] == i && b->owners[k] == k &&
                         ov_model_link_geometry(b->model, i) != NULL &&
                         ov_model_link_geometry(b->model, k) != NULL;
            if (!solid || !ov_model_is_allowed(b->model, i, k)) {
                continue;
            }
            if (!ovi_sim_reserve_filters(b->sim, 1)) {
                return ovi_fault_none(b->fault, OV_ERROR_MEMORY);
            }
            ovi_sim_filter_add(b->sim, ovi_sim_body_of(b->sim, b->bodies[i]),
                               ovi_sim_body_of(b->sim, b->bodies[k]));
        }
    }
    return OV_OK;
}

static ov_status add_all(const builder *b) {
    size_t links = ov_model_link_count(b->model), joints = ov_model_joint_count(b->model);
    ov_status status = OV_OK;
    for (size_t i = 0; i < joints; i++) {
        const ov_joint_def *joint = ov_model_joint(b->model, i);
        if (joint->mimic != OV_NO_LINK && !b->def->free_mimics) {
            return ovi_fault_set(b->fault, OV_ERROR_UNSUPPORTED, OV_FAULT_PLACE_JOINT, i,
                                 "a joint that follows another one cannot be simulated, but by "
                                 "itself (free_mimics)");
        }
    }
    for (uint32_t i = 0; status == OV_OK && i < links; i++) {
        status = find_owner(b, i);
    }
    for (uint32_t i = 0; status == OV_OK && i < links; i++) {
        status = b->owners[i] == i ? add_link(b, i) : OV_OK;
    }
    for (size_t i = 0; status == OV_OK && i < joints; i++) {
        status = add_joint(b, i);
    }
    status = status == OV_OK ? add_filters(b) : status;
    for (uint32_t i = 0; i < links; i++) {
        if (status < 0 && b->bodies[i] != 0) {
            ov_sim_remove_body(b->sim, b->bodies[i]);
        }
        uint32_t owner = b->owners[i];
        b->bodies[i] = status < 0 || owner == OV_NO_LINK ? 0 : b->bodies[owner];
    }
    for (size_t i = 0; status < 0 && b->joints != NULL && i < joints; i++) {
        b->joints[i] = 0;
    }
    return status;
}

/** Positions as given, or those at rest in `room`. */
static ov_status find_poses(const builder *b, double *room) {
    const double *positions = b->def->positions;
    if (positions == NULL) {
        ov_model_rest(b->model, room);
        positions = room;
    }
    ov_status status = ov_model_poses(b->model, ov_pose_default(b->def->root), positions, b->poses);
    return status < 0 ? ovi_fault_none(b->fault, status) : OV_OK;
}

ov_status ov_sim_add_model(ov_sim *sim, const ov_model *model, const ov_sim_model_def *def,
                           ov_sim_body *bodies, ov_sim_joint *joints, ov_fault *fault) {
    ovi_fault_none(fault, OV_OK);
    if (sim == NULL || model == NULL || def == NULL || bodies == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    const ov_allocator *by = &sim->options.allocator;
    size_t links = ov_model_link_count(model), numbers = ov_model_position_count(model) + 1;
    memset(bodies, 0, links * sizeof *bodies);
    if (joints != NULL) {
        memset(joints, 0, ov_model_joint_count(model) * sizeof *joints);
    }
    builder b = {
        .sim = sim, .model = model, .def = def, .bodies = bodies, .joints = joints, .fault = fault};
    b.poses = ovi_resize(by, NULL, 0, links, sizeof *b.poses);
    b.owners = ovi_resize(by, NULL, 0, links, sizeof *b.owners);
    double *positions = ovi_resize(by, NULL, 0, numbers, sizeof *positions);
    ov_status status = ovi_fault_none(fault, OV_ERROR_MEMORY);
    if (b.poses != NULL && b.owners != NULL && positions != NULL) {
        for (size_t i = 0; i < links; i++) {
            b.owners[i] = OV_NO_LINK;
        }
        status = find_poses(&b, positions);
        status = status < 0 ? status : add_all(&b);
        status = status < 0 ? status : ovi_fault_none(fault, OV_OK);
    }
    ovi_release(by, b.poses, links, sizeof *b.poses);
    ovi_release(by, b.owners, links, sizeof *b.owners);
    ovi_release(by, positions, numbers, sizeof *positions);
    return status;
}
