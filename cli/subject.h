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

#include "cli.h"

/* ---- scenes ---- */

/** Reads a scene; "-" is standard input. */
int scene_read(cli *c, const char *path, ov_scene **scene);
/** The same for a scene in motion. */
int motion_scene_read(cli *c, const char *path, ov_motion_scene **scene);

/** A geometry for each body; null for want of a scene. To be freed even where it fails. */
int scene_geometries_make(cli *c, const char *path, const ov_scene *scene,
                          ov_geometry ***geometries);
void scene_geometries_free(ov_geometry **geometries, const ov_scene *scene);

/** Is a body one shape in the body's own frame? Then its query is the pair query itself. */
bool scene_body_is_shape(const ov_scene_body *body);
/** Pose of a part in the world; the body's own, to the bit, for a part at its origin. */
ov_pose scene_part_pose(const ov_scene_body *body, size_t part);

/* ---- robots ---- */

/** Is this XML, or what '-' stands for? Looks at the beginning only; no file is none. */
bool robot_is_xml(const char *path);
/** Reads a robot. `packages` is DIR[:DIR], or null; `how` has the other options. */
int robot_read(cli *c, const char *path, const char *packages, ov_robot_options how,
               ov_robot **robot);

/** Reads a file of joints, "-" from standard input. Prints a line for each column of no use. */
int joints_read(cli *c, const char *path, const ov_model *model, ov_joints *joints);
/** One pose: that at rest. */
int joints_rest(cli *c, const char *path, const ov_model *model, ov_joints *joints);

/* ---- pairs that may touch: --allow A,B[:C,D] ---- */

/** The names that can be given. */
typedef struct allow_names {
    const char *(*name_of)(const void *subject, size_t thing);
    const void *subject;
    size_t count;
} allow_names;

/**
 * The pairs of an option, as numbers of things; none where it is not given. `*pairs` is to be freed
 * in any case. A misspelt name is told with the nearest one.
 */
int allow_read(cli *c, const args *a, size_t option, const allow_names *names,
               uint32_t (**pairs)[2], size_t *count);
/** Tells a robot's model of those pairs that are links of it; a null robot has none. */
int allow_links(cli *c, const args *a, const ov_robot *robot, const uint32_t (*pairs)[2],
                size_t count);
/** Both: the pairs of links of a robot that an option names, if it is given. */
int allow_robot(cli *c, const args *a, size_t option, const ov_robot *robot);

/* ---- all of it ---- */

/** One of three, and what belongs to a robot. All zero: nothing. */
typedef struct subject {
    const char *path; /**< of the file, as told to people */
    ov_scene *scene;
    ov_motion_scene *motion;
    ov_robot *robot;
    ov_joints joints;        /**< the robot's poses */
    const char *joints_path; /**< null: it is at rest */
    ov_scene *obstacles;     /**< null: none */
    const char *obstacles_path;
    ov_geometry **obstacle_geometries; /**< one per obstacle */
} subject;

/** Reads the obstacles of a robot. */
int subject_read_obstacles(cli *c, const char *path, subject *s);
void subject_free(subject *s);

/* Things have numbers: the bodies of a scene; or the links of a robot, then the obstacles. */

size_t subject_count(const subject *s);
const char *subject_name(const subject *s, size_t thing);
/** What a thing is made of; null for a link without parts, for polygons, for a scene at rest. */
const ov_geometry *subject_geometry(const subject *s, size_t thing);
/** The polygons of a body in motion, or null. */
const ov_polygons *subject_polygons(const subject *s, size_t thing);

/** Tells of meshes without an inside, in one line for each file. */
void subject_tell_open_meshes(cli *c, const subject *s);

#endif
