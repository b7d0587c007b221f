/**
 * @file check_run.h
 * @brief The contacts that `ovoid check` finds: of a scene, or of a robot pose after pose.
 */
#ifndef OVOID_CLI_CHECK_RUN_H
#define OVOID_CLI_CHECK_RUN_H

#include <ovoid/io.h>
#include <ovoid/world.h>

#include "check_joints.h"

/** What is checked: a scene, or a robot with its poses and perhaps obstacles. */
typedef struct check_subject {
    ov_scene *scene; /**< null for a robot */
    ov_robot *robot;
    ov_scene *obstacles; /**< null: none */
    trajectory poses;    /**< of the robot */
    /** Pairs of things that may overlap, besides those of the model: two numbers each. */
    uint32_t (*allowed)[2];
    size_t allowed_count;
    double limit;
    unsigned threads;
} check_subject;

/* Things have numbers: the bodies of a scene; or the links of a robot, then the obstacles. */

size_t check_thing_count(const check_subject *s);
const char *check_thing_name(const check_subject *s, size_t thing);
/** Number of poses: 1 for a scene. */
size_t check_pose_count(const check_subject *s);

/** A contact of two things in a pose, a < b. */
typedef struct check_contact {
    size_t pose;
    uint32_t a, b, part_a, part_b;
    ov_contact contact;
} check_contact;

/** Takes all contacts of a pose, by things and parts in ascending order; poses come in order. */
typedef void (*check_taker)(void *user, size_t pose, const check_contact *contacts, size_t count);

/**
 * Finds all contacts within the limit. What is found does not depend on the number of threads.
 * CLI_BAD_INPUT after a message.
 */
int check_run(cli *c, const char *path, const check_subject *s, check_taker take, void *user);

#endif
