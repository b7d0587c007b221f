/**
 * @file sim_cases.h
 * @brief What the tests of simulations share: bodies, joints and states in one line each, checked.
 */
#ifndef OVOID_TESTS_SIM_CASES_H
#define OVOID_TESTS_SIM_CASES_H

#include "check.h"

static inline ov_geometry *geometry_of(ov_shape shape) {
    ov_part part = {.shape = shape};
    ov_geometry *g = NULL;
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

static inline ov_geometry *ball_of(double radius) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(radius, &shape));
    return geometry_of(shape);
}

static inline ov_geometry *ground(ov_vec3 normal) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_halfspace(normal, 0.0, &shape));
    return geometry_of(shape);
}

/** Bodies in it fall asleep only if it says so. */
static inline ov_sim *sim_of(ov_vec3 gravity, ov_sim_mode mode, int substeps, bool sleep) {
    ov_sim_options options = {
        .gravity = gravity, .mode = mode, .substeps = substeps, .no_sleep = !sleep};
    options.threads.count = 1;
    ov_sim *sim = NULL;
    CHECK_OK(ov_sim_create(&options, &sim));
    return sim;
}

static const ov_vec3 down = {0.0, 0.0, -9.81};
static const ov_vec3 weightless = {0.0, 0.0, OV_ZERO};

static inline ov_sim_body add(ov_sim *sim, ov_sim_body_def def) {
    ov_sim_body body = 0;
    CHECK_OK(ov_sim_add_body(sim, &def, &body));
    return body;
}

static inline ov_sim_joint join(ov_sim *sim, ov_sim_joint_def def) {
    ov_sim_joint joint = 0;
    CHECK_OK(ov_sim_add_joint(sim, &def, &joint));
    return joint;
}

static inline ov_sim_body_state state_of(const ov_sim *sim, ov_sim_body body) {
    ov_sim_body_state state;
    CHECK_OK(ov_sim_body_get(sim, body, &state));
    return state;
}

static inline ov_sim_summary summary_of(const ov_sim *sim) {
    ov_sim_summary summary;
    CHECK_OK(ov_sim_summarize(sim, &summary));
    return summary;
}

static inline void run_for(ov_sim *sim, int frames, double dt) {
    for (int i = 0; i < frames; i++) {
        if (!CHECK_OK(ov_sim_step(sim, dt))) {
            return;
        }
    }
}

#endif
