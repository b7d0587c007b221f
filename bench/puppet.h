/**
 * @file puppet.h
 * @brief A puppet of 15 smooth bodies, 1.7 m high, and stairs to throw it down: for the tests and
 * the studies of simulations.
 */
#ifndef OVOID_BENCH_PUPPET_H
#define OVOID_BENCH_PUPPET_H

#include <math.h>
#include <stddef.h>

#include <ovoid/ovoid.h>

enum { PUPPET_BODIES = 15, PUPPET_JOINTS = 14, STAIRS = 12 };
static const double puppet_height = 1.7;

/** A limb: its middle in the standing puppet, and its joint to its parent. */
typedef struct puppet_limb {
    int parent; /**< -1: none */
    int kind;   /**< 0: capsule along z, 1: ellipsoid, 2: superellipsoid of e = 0.5 */
    ov_vec3 size, middle, joint;
    double swing, twist; /**< of the ball joint; half ranges, rad */
} puppet_limb;

static const puppet_limb puppet_limbs[PUPPET_BODIES] = {
    {-1, 2, {0.15, 0.10, 0.10}, {0.0, 0.0, 0.98}, {0, 0, 0}, 0, 0},           // pelvis
    {0, 2, {0.17, 0.11, 0.20}, {0.0, 0.0, 1.27}, {0.0, 0.0, 1.07}, 0.5, 0.4}, // chest
    {1, 1, {0.08, 0.09, 0.11}, {0.0, 0.0, 1.59}, {0.0, 0.0, 1.47}, 0.6, 0.8}, // head
    {1, 0, {0.045, 0, 0.10}, {0.23, 0.0, 1.27}, {0.23, 0.0, 1.41}, 1.4, 0.8}, // left arm
    {3, 0, {0.04, 0, 0.09}, {0.23, 0.0, 1.00}, {0.23, 0.0, 1.135}, 1.1, 0.3},
    {4, 1, {0.03, 0.045, 0.08}, {0.23, 0.0, 0.79}, {0.23, 0.0, 0.87}, 0.7, 0.2},
    {1, 0, {0.045, 0, 0.10}, {-0.23, 0.0, 1.27}, {-0.23, 0.0, 1.41}, 1.4, 0.8}, // right arm
    {6, 0, {0.04, 0, 0.09}, {-0.23, 0.0, 1.00}, {-0.23, 0.0, 1.135}, 1.1, 0.3},
    {7, 1, {0.03, 0.045, 0.08}, {-0.23, 0.0, 0.79}, {-0.23, 0.0, 0.87}, 0.7, 0.2},
    {0, 0, {0.07, 0, 0.14}, {0.09, 0.0, 0.70}, {0.09, 0.0, 0.90}, 1.2, 0.4}, // left leg
    {9, 0, {0.05, 0, 0.14}, {0.09, 0.0, 0.29}, {0.09, 0.0, 0.485}, 1.1, 0.2},
    {10, 2, {0.045, 0.11, 0.04}, {0.09, 0.05, 0.05}, {0.09, 0.0, 0.09}, 0.5, 0.2},
    {0, 0, {0.07, 0, 0.14}, {-0.09, 0.0, 0.70}, {-0.09, 0.0, 0.90}, 1.2, 0.4}, // right leg
    {12, 0, {0.05, 0, 0.14}, {-0.09, 0.0, 0.29}, {-0.09, 0.0, 0.485}, 1.1, 0.2},
    {13, 2, {0.045, 0.11, 0.04}, {-0.09, 0.05, 0.05}, {-0.09, 0.0, 0.09}, 0.5, 0.2},
};

/** Geometries of puppets and stairs, shared by all of them. */
typedef struct puppet_parts {
    ov_geometry *limbs[PUPPET_BODIES], *step, *floor;
} puppet_parts;

static inline ov_geometry *puppet_part(ov_status status, const ov_shape *shape) {
    ov_part part = {.shape = *shape};
    ov_geometry *geometry = NULL;
    return status == OV_OK && ov_geometry_create(&part, 1, NULL, &geometry) == OV_OK ? geometry
                                                                                     : NULL;
}

static inline puppet_parts puppet_parts_make(void) {
    puppet_parts parts;
    ov_shape shape;
    for (int i = 0; i < PUPPET_BODIES; i++) {
        const puppet_limb *limb = &puppet_limbs[i];
        ov_status status =
            limb->kind == 0   ? ov_shape_make_capsule(limb->size.x, limb->size.z, &shape)
            : limb->kind == 1 ? ov_shape_make_ellipsoid(limb->size, &shape)
                              : ov_shape_make_superellipsoid(limb->size, 0.5, 0.5, &shape);
        parts.limbs[i] = puppet_part(status, &shape);
    }
    ov_status status = ov_shape_make_box((ov_vec3){1.5, 0.15, 0.1}, &shape);
    parts.step = puppet_part(status, &shape);
    status = ov_shape_make_halfspace((ov_vec3){0, 0, 1}, 0.0, &shape);
    parts.floor = puppet_part(status, &shape);
    return parts;
}

static inline void puppet_parts_free(puppet_parts *parts) {
    for (int i = 0; i < PUPPET_BODIES; i++) {
        ov_geometry_destroy(parts->limbs[i]);
    }
    ov_geometry_destroy(parts->step);
    ov_geometry_destroy(parts->floor);
}

typedef struct puppet {
    ov_sim_body bodies[PUPPET_BODIES];
    ov_sim_joint joints[PUPPET_JOINTS];
} puppet;

/** Adds a puppet whose feet's frame is at a pose; all its limbs have the same velocities. */
static inline ov_status puppet_add(ov_sim *sim, const puppet_parts *parts, ov_pose pose,
                                   ov_vec3 velocity, ov_vec3 turning, puppet *p) {
    ov_vec3 centre = ov_pose_apply(pose, (ov_vec3){0.0, 0.0, 1.0});
    for (int i = 0; i < PUPPET_BODIES; i++) {
        const puppet_limb *limb = &puppet_limbs[i];
        ov_vec3 at = ov_pose_apply(pose, limb->middle);
        ov_vec3 swirl = ov_vec3_cross(turning, ov_vec3_sub(at, centre));
        ov_sim_body_def def = {.geometry = parts->limbs[i],
                               .pose = {at, pose.rotation},
                               .velocity = ov_vec3_add(velocity, swirl),
                               .angular_velocity = turning,
                               .rolling = 0.002};
        ov_status status = ov_sim_add_body(sim, &def, &p->bodies[i]);
        if (status == OV_OK && limb->parent >= 0) {
            const puppet_limb *parent = &puppet_limbs[limb->parent];
            ov_sim_joint_def joint = {.kind = OV_JOINT_KIND_SPHERICAL,
                                      .a = p->bodies[limb->parent],
                                      .b = p->bodies[i],
                                      .frame_a.position = ov_vec3_sub(limb->joint, parent->middle),
                                      .frame_b.position = ov_vec3_sub(limb->joint, limb->middle),
                                      .axis = {0, 0, 1},
                                      .lower = -limb->twist,
                                      .upper = limb->twist,
                                      .swing = limb->swing};
            status = ov_sim_add_joint(sim, &joint, &p->joints[i - 1]);
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

/** Stairs that go down along y from a landing, 0.3 m deep and 0.2 m high each, and the floor. */
static inline ov_status stairs_add(ov_sim *sim, const puppet_parts *parts) {
    ov_sim_body body;
    ov_sim_body_def floor = {.geometry = parts->floor, .kind = OV_SIM_BODY_KIND_FIXED};
    ov_status status = ov_sim_add_body(sim, &floor, &body);
    for (int i = 0; status == OV_OK && i < STAIRS; i++) {
        // two boxes deep, so that no edge inside is bare
        ov_sim_body_def step = {.geometry = parts->step,
                                .kind = OV_SIM_BODY_KIND_FIXED,
                                .pose.position = {0.0, 0.3 * i, 0.2 * (STAIRS - i) - 0.1}};
        status = ov_sim_add_body(sim, &step, &body);
    }
    return status;
}

/** What the worst of a throw was. */
typedef struct puppet_worst {
    double joint; /**< distance of anchors, of the height */
    double limit; /**< beyond a limit, degrees */
    double depth; /**< of the height */
    double speed;
} puppet_worst;

static inline void puppet_measure(const ov_sim *sim, const puppet *p, puppet_worst *worst) {
    ov_sim_summary summary;
    if (ov_sim_summarize(sim, &summary) != OV_OK) {
        return;
    }
    worst->depth = fmax(worst->depth, summary.deepest / puppet_height);
    for (int i = 0; i < PUPPET_JOINTS; i++) {
        ov_sim_joint_state joint;
        ov_sim_joint_get(sim, p->joints[i], &joint);
        worst->joint = fmax(worst->joint, joint.error / puppet_height);
        worst->limit = fmax(worst->limit, joint.excess * 57.29577951308232);
    }
    for (int i = 0; i < PUPPET_BODIES; i++) {
        ov_sim_body_state body;
        ov_sim_body_get(sim, p->bodies[i], &body);
        double speed = ov_vec3_length(body.velocity);
        worst->speed = speed > worst->speed || !(speed == speed) ? speed : worst->speed;
    }
}

#endif
