/**
 * @file model_cases.h
 * @brief Random kinematic trees of all kinds of joints, for the suites of models; and an allocator
 * that counts, checks what it is told, and fails when asked to.
 */
#ifndef OVOID_TESTS_MODEL_CASES_H
#define OVOID_TESTS_MODEL_CASES_H

#include <string.h>

#include "check.h"

enum { TREE_LINKS_MAX = 64, TREE_POSITIONS_MAX = 7 * TREE_LINKS_MAX };

/** What a model is made from. */
typedef struct tree_case {
    size_t link_count;
    ov_link_def links[TREE_LINKS_MAX];
    ov_joint_def joints[TREE_LINKS_MAX];
    char names[TREE_LINKS_MAX][32], joint_names[TREE_LINKS_MAX][32];
    uint32_t rank[TREE_LINKS_MAX]; // which link was drawn as the i-th
} tree_case;

static inline uint32_t tree_index(check_random *r, size_t count) {
    return (uint32_t)(check_random_bits(r) % count);
}

static inline ov_pose tree_pose(check_random *r, double reach) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, reach)),
                     check_rotation(r)};
}

static inline void tree_shuffle(check_random *r, uint32_t *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        items[i] = (uint32_t)i;
    }
    for (size_t i = count; i-- > 1;) {
        size_t j = tree_index(r, i + 1);
        uint32_t kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}

/** Quaternions and axes of any length. */
static inline ov_joint_def tree_joint(check_random *r, double reach) {
    ov_joint_def def = {.kind = (ov_joint_kind)tree_index(r, OV_JOINT_KIND_COUNT),
                        .origin = tree_pose(r, reach),
                        .axis = ov_vec3_scale(check_unit_vector(r), check_log_uniform(r, 0.1, 9.0)),
                        .lower = -check_uniform(r, 0.1, 2.0),
                        .upper = check_uniform(r, 0.1, 2.0),
                        .mimic = OV_NO_LINK};
    double scale = check_log_uniform(r, 0.3, 3.0);
    ov_quat *q = &def.origin.rotation;
    *q = (ov_quat){scale * q->w, scale * q->x, scale * q->y, scale * q->z};
    return def;
}

/** A random tree, with links and joints in any order and chains of mimics; no parts yet. */
static inline void tree_draw(check_random *r, size_t link_count, double reach, tree_case *t) {
    memset(t, 0, sizeof *t);
    t->link_count = link_count;
    uint32_t place[TREE_LINKS_MAX];
    tree_shuffle(r, t->rank, link_count);
    tree_shuffle(r, place, link_count - 1);
    for (size_t i = 0; i < link_count; i++) {
        snprintf(t->names[i], sizeof t->names[i], "link%zu", i);
        t->links[i].name = t->names[i];
    }
    for (size_t i = 1; i < link_count; i++) {
        // long chains and short ones: half of the links hang on the one before
        size_t parent = tree_index(r, 2) == 0 ? i - 1 : tree_index(r, i);
        ov_joint_def def = tree_joint(r, reach);
        def.parent = t->rank[parent];
        def.child = t->rank[i];
        size_t j = place[i - 1];
        snprintf(t->joint_names[j], sizeof t->joint_names[j], "joint%zu", j);
        def.name = t->joint_names[j];
        // joints drawn earlier only, so there is no circle
        size_t other = i > 1 ? place[tree_index(r, i - 1)] : j;
        if (other != j && ov_joint_position_count(def.kind) == 1 &&
            ov_joint_position_count(t->joints[other].kind) == 1 && tree_index(r, 2) == 0) {
            def.mimic = (uint32_t)other;
            def.multiplier = check_uniform(r, -1.5, 1.5);
            def.offset = check_uniform(r, -1.0, 1.0);
        }
        t->joints[j] = def;
    }
}

/** Positions of all joints, within the limits of those that do not follow others. */
static inline void tree_positions(check_random *r, const ov_model *model, double *positions) {
    for (size_t j = 0; j < ov_model_joint_count(model); j++) {
        const ov_joint_def *def = ov_model_joint(model, j);
        if (def->mimic != OV_NO_LINK) {
            continue;
        }
        double *at = positions + ov_model_joint_position(model, j);
        size_t count = ov_joint_position_count(def->kind);
        for (size_t k = 0; k < count; k++) {
            at[k] = check_uniform(r, -1.0, 1.0);
        }
        if (def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_PRISMATIC) {
            at[0] = check_uniform(r, def->lower, def->upper);
        }
        if (count > 3) {
            at[count - 4] += 0.5; // no quaternion without length
        }
    }
}

#endif
