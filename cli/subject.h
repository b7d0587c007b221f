/**
 * @file subject.h
 * @brief What verbs look at: a scene, a scene in motion, or a robot with its joints and obstacles.
 *
 * All of it comes from files, with the messages of a command: what cannot be read is CLI_BAD_INPUT
 * after a message, what is odd but usable a note.
 */
#ifndef OVOID_CLI_SUBJECT_H
#define OVOID_CLI_SUBJECT_H

#include <ovoid/io.h>
#include <ovoid/motion.h>
#include <ovoid/world.h>

#include "options.h"

/* ---- scenes ---------------------------------------------------------------------------------- */

/** A geometry for each body; null for want of a scene. To be freed even where it fails. */
int scene_geometries_make(cli *c, const char *path, const ov_scene *scene,
                          ov_geometry ***geometries);
void scene_geometries_free(ov_geometry **geometries, const ov_scene *scene);

/** Pose of a part in the world; the body's own, to the bit, for a part at its origin. */
ov_pose scene_part_pose(const ov_scene_body *body, size_t part);

/* ---- robots at random ------------------------------------------------------------------------ */

/** A random number from `lower` to `upper`; `state` is the generator's. */
typedef double (*subject_uniform)(void *state, double lower, double upper);

/** Random positions up to a share of the way from rest to the limits of the joints. Joints without
 *  limits turn by half a turn each way; those of several positions stay at rest. */
void subject_draw_positions(const ov_model *model, double share, subject_uniform uniform,
                            void *state, double *positions);

/* ---- all of it ------------------------------------------------------------------------------- */

/** What a verb takes; whether its --allow is for the bodies of a scene too; and whether it has a
 *  second word, which is not read here. */
enum {
    SUBJECT_SCENE = 1u,
    SUBJECT_MOTION = 2u,
    SUBJECT_ROBOT = 4u,
    SUBJECT_ALLOW = 8u,
    SUBJECT_TARGET = 16u
};

/** One of three, and what belongs to a robot. All zero: nothing. */
typedef struct subject {
    const char *path; /**< of the file, as told to people */
    ov_scene *scene;
    ov_motion_scene *motion;
    ov_robot *robot;
    ov_joints joints;        /**< the robot's poses; one at rest where none are given */
    const char *joints_path; /**< the value of --joints, as told to people; null: it is at rest */
    ov_scene *obstacles;     /**< null: none */
    const char *obstacles_path;
    ov_geometry **obstacle_geometries; /**< one per obstacle */
    /** Pairs of things of --allow, two numbers each; the model of a robot knows those of links. */
    uint32_t (*allowed)[2];
    size_t allowed_count;
} subject;

/**
 * Reads what the first word of a verb names, one of `takes` by its contents, and the files of
 * --joints, --obstacles, --hulls, --package and --allow as far as the verb has these options: all
 * but --allow need a robot. To be freed even where it fails.
 */
int subject_read(cli *c, const args *a, unsigned takes, ov_robot_options how, subject *s);
void subject_free(subject *s);

/* Things have numbers: the bodies of a scene; or the links of a robot, then the obstacles. */

size_t subject_count(const subject *s);
const char *subject_name(const subject *s, size_t thing);
/** What a thing is made of; null for a link without parts, for polygons, for a scene at rest. */
const ov_geometry *subject_geometry(const subject *s, size_t thing);
/** The polygons of a body in motion, or null. */
const ov_polygons *subject_polygons(const subject *s, size_t thing);

/** Notes on the poses beyond the limits of a joint. */
void subject_tell_limits(cli *c, const subject *s);
/** Notes on meshes without an inside, one for each file. */
void subject_tell_open_meshes(cli *c, const subject *s);

#endif
