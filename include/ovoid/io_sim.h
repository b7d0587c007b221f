/**
 * @file io_sim.h
 * @brief Scenes of simulations: bodies with masses, joints between them, cloth.
 *
 * Part of `libovoid_io`.
 *
 *     {"title": "a swing", "gravity": [0, 0, -9.81],
 *      "bodies": [
 *        {"name": "floor", "kind": "halfspace", "normal": [0, 0, 1], "offset": 0},
 *        {"name": "seat", "kind": "superellipsoid", "semi_axes": [0.3, 0.2, 0.05],
 *         "exponents": [0.5, 0.5], "position": [0, 0, 0.5], "density": 500}],
 *      "joints": [
 *        {"kind": "revolute", "b": "seat", "point": [0, 0, 2], "axis": [0, 1, 0]}],
 *      "cloths": [
 *        {"corner": [-1, -1, 3], "side_u": [2, 0, 0], "side_v": [0, 2, 0], "columns": 20,
 *         "rows": 20, "pins": [0, 20]}]}
 *
 * A scene (ovoid/io_scene.h) whose bodies have further optional keys: density (1000), mass,
 * velocity, angular_velocity (zero), friction (0.5), restitution, rolling, damping, angular_damping
 * (0), group and mask, fixed (true: it does not move), and motion, as in a scene in motion, of a
 * body that nothing else moves. Half-spaces, and bodies of meshes that are not closed, are fixed.
 *
 * Joints: kind, one of fixed, revolute, continuous, prismatic and spherical; a and b, names of
 * bodies, of which one may be missing: the world; point and axis, in the world as the scene begins
 * (the axis is x where there is none); lower and upper, in metres, or lower_deg and upper_deg;
 * swing_deg; stiffness, damping, rest (or rest_deg), motor_speed, motor_limit; collide (true: the
 * two bodies touch each other).
 *
 * Robots: a list "robots" of
 *
 *     {"file": "puppet.urdf", "name": "puppet", "position": [0, 0, 1], "fixed": false,
 *      "positions": {"elbow": 0.5}, "friction": 0.8, "joint_damping": 0.1}
 *
 * whose links become bodies, named puppet/LINK, and whose joints hold them. The file is beside the
 * scene; the name is that of the robot where there is none. Position and rotation are those of the
 * root, which moves unless "fixed" is true; positions, in radians and metres, those of joints with
 * one coordinate. A joint that follows another one is an error, or moves by itself where
 * "free_mimics" is true. Masses are the file's, where it has any. Density, friction, restitution,
 * rolling, damping and angular_damping are those of all its bodies.
 *
 * Cloths: a rectangle, as above, or file, the name of a mesh beside the scene, with position and
 * rotation; name; pins, indices of vertices that are held (of a rectangle: row by row); and the
 * options of ov_cloth_options by their names, but for gravity, contact and stiffness.
 *
 * "time": [start, end] says how long to simulate, and between which times motions run; without it
 * both begin at 0, and end at 5. Any other key is an error.
 */
#ifndef OVOID_IO_SIM_H
#define OVOID_IO_SIM_H

#include <stddef.h>
#include <stdio.h>

#include <ovoid/io_scene.h>
#include <ovoid/sim.h>
#include <ovoid/sim_cloth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest numbers of joints, robots and cloths of a scene, and of vertices of a cloth. */
#define OV_SIM_SCENE_JOINTS_MAX ((size_t)100000)
#define OV_SIM_SCENE_ROBOTS_MAX ((size_t)1000)
#define OV_SIM_SCENE_CLOTHS_MAX ((size_t)100)
#define OV_SIM_SCENE_VERTICES_MAX ((size_t)1000000)

/** Opaque; owns its memory. */
typedef struct ov_sim_scene ov_sim_scene;

/** A cloth as it begins. */
typedef struct ov_sim_scene_cloth {
    char name[OV_SCENE_NAME_MAX + 1];
    ov_vec3 *positions;
    size_t vertex_count;
    uint32_t (*triangles)[3];
    size_t triangle_count;
    uint32_t *pins;
    size_t pin_count;
    ov_cloth_options options;
} ov_sim_scene_cloth;

/** Errors as in ov_scene_read and ov_robot_read, and those of ov_sim_add_body, ov_sim_add_joint,
 *  ov_sim_add_model and ov_cloth_create. */
ov_status ov_sim_scene_read(const char *path, ov_sim_scene **scene, ov_fault *fault);
/** The same from an open stream, to its end. Files are searched for in `folder` (null: "."). */
ov_status ov_sim_scene_read_stream(FILE *stream, const char *folder, ov_sim_scene **scene,
                                   ov_fault *fault);
/** Null is allowed. No simulation of it may be left. */
void ov_sim_scene_destroy(ov_sim_scene *scene);

/** The bodies, with their names and shapes, as the scene begins; those of robots come last. */
const ov_scene *ov_sim_scene_bodies(const ov_sim_scene *scene);
/** How a body begins, its geometry being the scene's; null beyond the last. */
const ov_sim_body_def *ov_sim_scene_body(const ov_sim_scene *scene, size_t index);
/** Joints, but for those of robots; their bodies are the numbers of those of the scene, from 1, and
 * 0 is the world. */
size_t ov_sim_scene_joint_count(const ov_sim_scene *scene);
const ov_sim_joint_def *ov_sim_scene_joint(const ov_sim_scene *scene, size_t index);
size_t ov_sim_scene_cloth_count(const ov_sim_scene *scene);
const ov_sim_scene_cloth *ov_sim_scene_get_cloth(const ov_sim_scene *scene, size_t index);
ov_vec3 ov_sim_scene_gravity(const ov_sim_scene *scene);
double ov_sim_scene_start(const ov_sim_scene *scene);
double ov_sim_scene_end(const ov_sim_scene *scene);

/**
 * A simulation of all bodies and joints of a scene, whose gravity counts and not that of the
 * options (may be null). `handles` has room for those of the bodies. The scene must outlive it.
 */
ov_status ov_sim_scene_begin(const ov_sim_scene *scene, const ov_sim_options *options, ov_sim **sim,
                             ov_sim_body *handles);

/* ---- records ----------------------------------------------------------------------------------
 */

/** Poses of bodies and places of cloths, frame by frame. Opaque; owns its memory. */
typedef struct ov_sim_record ov_sim_record;

/** Largest number of frames of a record with cloths. */
#define OV_SIM_RECORD_CLOTH_FRAMES_MAX 1000

/** An empty record of a scene, which must outlive it. OV_ERROR_NULL, OV_ERROR_MEMORY. */
ov_status ov_sim_record_create(const ov_sim_scene *scene, ov_sim_record **record);
/** Null is allowed. */
void ov_sim_record_destroy(ov_sim_record *record);
/** Adds a frame: the simulation of the scene, by the handles of its bodies, and its cloths. Errors
 *  of ov_sim_body_get; OV_ERROR_COUNT (too many frames with cloths, or a cloth that has torn since
 *  the first frame), OV_ERROR_MEMORY. */
ov_status ov_sim_record_add(ov_sim_record *record, const ov_sim *sim, const ov_sim_body *handles,
                            ov_cloth *const *cloths);
size_t ov_sim_record_count(const ov_sim_record *record);

/**
 * Writes one frame as a mesh of all bodies and cloths in the world; half-spaces are left out. The
 * formats are those of ov_mesh_write. OV_ERROR_INDEX, OV_ERROR_COUNT (nothing to write), and its
 * errors.
 */
ov_status ov_sim_record_write_frame(const ov_sim_record *record, size_t frame, const char *path);
/**
 * Writes all frames as an animation in glTF, binary (.glb): a node per body with its translations
 * and rotations, and a mesh per cloth with a morph target per frame. OV_ERROR_COUNT (no frames),
 * OV_ERROR_SIZE_RANGE (a number too large for a float, or a file of 2 GiB), OV_ERROR_FILE_OPEN,
 * OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_sim_record_write_gltf(const ov_sim_record *record, const char *path);

#ifdef __cplusplus
}
#endif

#endif
