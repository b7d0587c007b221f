/**
 * @file sweep_subject.h
 * @brief What `ovoid sweep` looks at: a scene in motion, or a robot along a trajectory.
 */
#ifndef OVOID_CLI_SWEEP_SUBJECT_H
#define OVOID_CLI_SWEEP_SUBJECT_H

#include <ovoid/io.h>
#include <ovoid/motion.h>

#include "check_joints.h"

/** All zero: nothing. */
typedef struct sweep_subject {
    const char *path;       /**< of the scene or robot, as told to people */
    ov_motion_scene *scene; /**< null for a robot */
    ov_robot *robot;
    const char *trajectory_path;
    trajectory poses;
    ov_trajectory *trajectory;
    ov_scene *obstacles;      /**< null: none */
    ov_geometry **geometries; /**< of the obstacles */
    ov_sweep_body *at_rest;   /**< the obstacles as bodies */
    double start, end;
} sweep_subject;

/** Which files; null where there is none. */
typedef struct sweep_files {
    const char *scene, *robot, *trajectory, *obstacles, *packages;
    bool hulls;
    ov_spline spline;
} sweep_files;

/** Reads all. CLI_BAD_INPUT after a message; what was read is to be freed all the same. */
int sweep_subject_read(cli *c, const sweep_files *files, sweep_subject *s);
void sweep_subject_free(sweep_subject *s);

/** Runs the sweep. CLI_BAD_INPUT after a message. */
int sweep_subject_run(cli *c, const sweep_subject *s, const ov_sweep_options *options,
                      ov_sweep **sweep);

/** Digits with which a time is told: more where the times are far from zero and near each other. */
int sweep_time_digits(const sweep_subject *s, int digits);

/* Things have numbers, as in the intervals: bodies; or the links of a robot, then obstacles. */

size_t sweep_thing_count(const sweep_subject *s);
const char *sweep_thing_name(const sweep_subject *s, size_t thing);
/** What a thing is made of; both null for a link without parts. */
const ov_geometry *sweep_thing_geometry(const sweep_subject *s, size_t thing);
const ov_polygons *sweep_thing_polygons(const sweep_subject *s, size_t thing);
/** A pose within a displaced frame. */
ov_affine sweep_placed(const ov_affine *frame, ov_pose pose);
/** Where all things are at a time. */
ov_status sweep_thing_places(const sweep_subject *s, double time, ov_affine *places);

#endif
