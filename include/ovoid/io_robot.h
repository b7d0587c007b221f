/**
 * @file io_robot.h
 * @brief Robots in and out, and files of joint positions.
 *
 * Part of `libovoid_io`.
 */
#ifndef OVOID_IO_ROBOT_H
#define OVOID_IO_ROBOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/io_file.h>
#include <ovoid/io_scene.h>
#include <ovoid/math.h>
#include <ovoid/model.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/trimesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- robots: URDF in and out, MJCF, SDFormat, COLLADA and glTF out ----------------------------
 *
 * URDF as ROS has it: boxes, cylinders, spheres, capsules and meshes, and in the namespace
 * OV_URDF_NAMESPACE
 *     <ovoid:superovoid size="a1 a2 a3" exponents="e1 e2" taper="tx ty"/>
 *     <ovoid:cone radius="r" length="2 half_length"/>
 *     <ovoid:polyhedron/>      the convex hull of the mesh beside it
 *     <ovoid:capsule radius="r" length="2 half_length"/>
 * which stand in a <geometry> behind the element that other programs read (a <mesh>). Exponents and
 * taper may be left out (1 1, 0 0); dent_tolerance="t" if not 0.05. A joint may have
 * ovoid:type="spherical". A prefix ovoid: that nobody declared is taken as this namespace; the
 * largest double stands for an infinite limit. */

#define OV_URDF_NAMESPACE "urn:ovoid:urdf:1"

/** Largest robot file in bytes, deepest nesting of its elements, most links. */
#define OV_ROBOT_BYTES_MAX ((size_t)1 << 26)
#define OV_ROBOT_DEPTH_MAX 64
#define OV_ROBOT_LINKS_MAX ((size_t)10000)

/** A collision, or a visual. */
typedef struct ov_robot_shape {
    const char *name;       /**< "" or null where there is none */
    ov_pose pose;           /**< in the link's frame; a rotation of zeros: none */
    ov_shape shape;         /**< OV_SHAPE_KIND_NONE: a mesh as it is */
    const char *mesh_file;  /**< as the file has it, or null */
    const char *mesh_path;  /**< where that was found, or null */
    ov_vec3 mesh_scale;     /**< 1, 1, 1 where it does not matter; all 0: the same */
    const ov_trimesh *mesh; /**< scaled; null for shapes, and for visuals that were not loaded */
    bool has_colour;
    double colour[4]; /**< red, green, blue, alpha, from 0 to 1 */
} ov_robot_shape;

typedef struct ov_robot_link {
    const char *name;
    const ov_robot_shape *collisions, *visuals;
    size_t collision_count, visual_count;
    bool has_inertial;
    ov_pose inertial_pose; /**< a rotation of zeros: none */
    double mass;
    double inertia[6]; /**< xx, xy, xz, yy, yz, zz, about the inertial pose */
} ov_robot_link;

typedef struct ov_robot_joint {
    ov_joint_def def;
    double velocity, effort;  /**< limits; infinite or 0 where there are none; OV_ZERO: of zero */
    double damping, friction; /**< 0 where there are none */
} ov_robot_joint;

/**
 * An element of the file that is for other programs: whatever the robot, a link or a joint has that
 * is not named above, as transmission, gazebo, safety_controller, calibration; and the mimic of a
 * fixed joint, which does not follow. It is kept as it is and written again as URDF; other formats
 * have no place for it.
 */
typedef struct ov_robot_extra {
    const char *name;     /**< of the element */
    const char *text;     /**< all of it */
    uint32_t link, joint; /**< what it stands in; both OV_NO_LINK: the robot itself */
} ov_robot_extra;

/** A robot as its file describes it, with its model. Opaque; owns its memory. */
typedef struct ov_robot ov_robot;

typedef struct ov_robot_options {
    /** Folders for package://NAME/..: of that name themselves, or holding one of that name. The
     *  folders above the robot's file are looked into as well. */
    const char *const *packages;
    size_t package_count;
    bool hulls;   /**< meshes of collisions become convex hulls: faster, and with depths */
    bool visuals; /**< load the meshes of visuals too, and take a missing one as an error */
} ov_robot_options;

/** No packages, no hulls, no visuals. */
ov_robot_options ov_default_robot_options(void);

/**
 * Reads a URDF file. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_COUNT
 * (a limit above, or the expansion of entities, is passed), OV_ERROR_MEMORY, or what a constructor
 * answers; `*robot` is then null and `*fault` (may be null) tells what is wrong. Nothing outside of
 * the file and its meshes is opened.
 */
ov_status ov_robot_read(const char *path, const ov_robot_options *options, ov_robot **robot,
                        ov_fault *fault);
/** The same from an open stream, to its end; meshes are looked for in `folder` (null: "."). */
ov_status ov_robot_read_stream(FILE *stream, const char *folder, const ov_robot_options *options,
                               ov_robot **robot, ov_fault *fault);
/** A robot from its parts, all of which are copied, meshes too. */
ov_status ov_robot_create(const char *name, const ov_robot_link *links, size_t link_count,
                          const ov_robot_joint *joints, size_t joint_count, ov_robot **robot,
                          ov_fault *fault);
/** Null is allowed. */
void ov_robot_destroy(ov_robot *robot);

const char *ov_robot_name(const ov_robot *robot);
size_t ov_robot_link_count(const ov_robot *robot);
size_t ov_robot_joint_count(const ov_robot *robot);
/** Null beyond the last. */
const ov_robot_link *ov_robot_get_link(const ov_robot *robot, size_t index);
const ov_robot_joint *ov_robot_get_joint(const ov_robot *robot, size_t index);
size_t ov_robot_extra_count(const ov_robot *robot);
const ov_robot_extra *ov_robot_get_extra(const ov_robot *robot, size_t index);
/** Takes all visuals away. Null is allowed. */
void ov_robot_drop_visuals(ov_robot *robot);
/** Its kinematic tree, with links and joints of the same numbers; the collisions are the parts. */
ov_model *ov_robot_model(const ov_robot *robot);

typedef enum ov_robot_format {
    OV_ROBOT_FORMAT_NONE =
        0, /**< not a format: what ov_robot_format_from_path gives for other endings */
    OV_ROBOT_FORMAT_URDF,     /**< .urdf */
    OV_ROBOT_FORMAT_MJCF,     /**< .xml or .mjcf */
    OV_ROBOT_FORMAT_SDFORMAT, /**< .sdf */
    OV_ROBOT_FORMAT_COLLADA,  /**< .dae */
    OV_ROBOT_FORMAT_GLTF,     /**< .gltf: text, with all numbers in it */
    OV_ROBOT_FORMAT_GLB,      /**< .glb: the same in binary form */
    OV_ROBOT_FORMAT_SCENE     /**< .json: ovoid's own scene, the links as bodies */
} ov_robot_format;

ov_robot_format ov_robot_format_from_path(const char *path);

/**
 * Writes a robot. MJCF leaves out contacts of links that may overlap (ov_model_allow); links that
 * fixed joints hold together never meet there. Meshes that a format needs (smooth bodies have none
 * of their own there) go to the folder NAME_meshes beside the file NAME.ext, and are named by a
 * relative path; each file gets its name when it is complete, and the meshes go again where the
 * file fails. `positions` (null: at rest) matter for COLLADA, glTF and scenes, which have no
 * joints. OV_ERROR_UNSUPPORTED where the format has no such thing, as `*fault` says;
 * OV_ERROR_SIZE_RANGE where a length is too large for the 32-bit floats of pictures;
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_robot_write(const char *path, ov_robot_format format, const ov_robot *robot,
                         const double *positions, ov_fault *fault);

/**
 * The same to an open stream, in binary mode, which is flushed and stays open. Meshes go to
 * `folder`, which is made if it is not there, and are named by it as it is given here: a relative
 * folder fits a text that is read from the current folder. OV_ERROR_UNSUPPORTED where the format
 * needs a mesh file and `folder` is null; COLLADA, glTF and scenes need none.
 */
ov_status ov_robot_write_stream(FILE *stream, ov_robot_format format, const char *folder,
                                const ov_robot *robot, const double *positions, ov_fault *fault);

/** The links as bodies of a scene, placed by the positions (null: at rest). */
ov_status ov_robot_to_scene(const ov_robot *robot, const double *positions, ov_scene **scene);
/** A scene as a robot: a link for each body, joined to a first link named "world" by fixed joints.
 */
ov_status ov_robot_from_scene(const ov_scene *scene, ov_robot **robot, ov_fault *fault);

/* ---- joint trajectories, as comma-separated values --------------------------------------------
 *
 * The first line names joints in any order, each line after it is a pose: radians and lengths.
 * Joints without a column are at rest. A joint of several positions has a column for each:
 *     planar NAME.x, NAME.y, NAME.angle       spherical NAME.qw, NAME.qx, NAME.qy, NAME.qz
 *     floating NAME.x, NAME.y, NAME.z and those of a spherical one
 * A column `time` is kept beside the poses. Blanks and quotes around a name or number, a carriage
 * return at the end of a line, a byte order mark and blank lines are passed over. */

/** Longest line, in bytes, and most numbers of all poses together. */
#define OV_JOINTS_LINE_MAX ((size_t)1 << 20)
#define OV_JOINTS_NUMBERS_MAX ((size_t)1 << 26)

/** Poses of a model that were read; the arrays are from malloc. */
typedef struct ov_joints {
    size_t count, width; /**< poses; positions of each, as many as the model has */
    double *positions;   /**< count * width, pose after pose */
    double *times;       /**< one per pose; null without a column `time` */
    size_t column_count; /**< of the file; all but this is empty after a failure */
    /** Joints whose column was passed over: they are fixed, or follow another. */
    uint32_t *unused;
    size_t unused_count;
    /** Poses that are beyond a joint's limits: how many, the first one, and the joint there. */
    size_t beyond, beyond_pose;
    uint32_t beyond_joint;
} ov_joints;

/**
 * Reads poses of a model. `strict`: every column must be one that matters, and every pose be within
 * the limits.
 *
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ; OV_ERROR_FILE_FORMAT for a name that no joint has or that
 * is there twice, for a number that is missing, too much or none, for a line that is too long or
 * not text; OV_ERROR_NOT_FINITE; OV_ERROR_ZERO_DIRECTION for a quaternion without length;
 * OV_ERROR_LIMIT beyond a limit where that is not allowed; OV_ERROR_COUNT without any pose, or
 * with too many; OV_ERROR_MEMORY. `*fault` (may be null) then tells what is wrong, with the nearest
 * name for a misspelt one.
 */
ov_status ov_joints_read(const char *path, const ov_model *model, bool strict, ov_joints *joints,
                         ov_fault *fault);
/** The same from an open stream, to its end; the stream stays open. */
ov_status ov_joints_read_stream(FILE *stream, const ov_model *model, bool strict, ov_joints *joints,
                                ov_fault *fault);
/** Frees what ov_joints_read gave, and empties it. */
void ov_joints_free(ov_joints *joints);

#ifdef __cplusplus
}
#endif

#endif
