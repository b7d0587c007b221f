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
 * which follow, in a <geometry>, the element that other programs read (a <mesh>). Exponents and
 * taper are optional (1 1, 0 0), as is dent_tolerance="t" (0.05). A joint may have
 * ovoid:type="spherical". An undeclared prefix ovoid: means this namespace. The largest double
 * stands for an infinite limit. */

#define OV_URDF_NAMESPACE "urn:ovoid:urdf:1"

/** Largest robot file in bytes, deepest nesting of its elements, largest number of links. */
#define OV_ROBOT_BYTES_MAX ((size_t)1 << 26)
#define OV_ROBOT_DEPTH_MAX 64
#define OV_ROBOT_LINKS_MAX ((size_t)10000)

/** A collision shape, or a visual. */
typedef struct ov_robot_shape {
    const char *name;       /**< "" or null if there is none */
    ov_pose pose;           /**< in the link's frame; a rotation of zeros: none */
    ov_shape shape;         /**< OV_SHAPE_KIND_NONE: the mesh as it is */
    const char *mesh_file;  /**< the name in the file, or null */
    const char *mesh_path;  /**< the path where it was found, or null */
    ov_vec3 mesh_scale;     /**< all 0: 1, 1, 1 */
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
    double velocity, effort;  /**< limits; infinite or 0: none; OV_ZERO: a limit of zero */
    double damping, friction; /**< 0: none */
} ov_robot_joint;

/**
 * An element for other programs, of the robot, a link or a joint: everything that is not named
 * above, such as transmission, gazebo, safety_controller or calibration; also the mimic of a fixed
 * joint, which has no effect. It is kept as it is and written again as URDF; other formats have no
 * place for it.
 */
typedef struct ov_robot_extra {
    const char *name;     /**< of the element */
    const char *text;     /**< the whole element */
    uint32_t link, joint; /**< the link or joint that it belongs to; both OV_NO_LINK: the robot */
} ov_robot_extra;

/** A robot as described by its file, with its model. Opaque; owns its memory. */
typedef struct ov_robot ov_robot;

typedef struct ov_robot_options {
    /** Folders for package://NAME/...: either folders of that name, or folders that contain one.
     * The folders above the robot's file are searched, too. */
    const char *const *packages;
    size_t package_count;
    bool hulls;   /**< collision meshes become convex hulls: faster, and with an inside */
    bool visuals; /**< load the meshes of visuals too; a missing one is then an error */
} ov_robot_options;

/** No packages, no hulls, no visuals. */
ov_robot_options ov_default_robot_options(void);

/**
 * Reads a URDF file. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_COUNT
 * (a limit above, or that of the expansion of entities, is exceeded), OV_ERROR_MEMORY, or an error
 * of a constructor; `*robot` is then null and `*fault` (may be null) says what is wrong. No files
 * other than this one and its meshes are opened.
 */
ov_status ov_robot_read(const char *path, const ov_robot_options *options, ov_robot **robot,
                        ov_fault *fault);
/** The same from an open stream, to its end; meshes are searched for in `folder` (null: "."). */
ov_status ov_robot_read_stream(FILE *stream, const char *folder, const ov_robot_options *options,
                               ov_robot **robot, ov_fault *fault);
/** A robot from its links and joints, all of which are copied, meshes too. */
ov_status ov_robot_create(const char *name, const ov_robot_link *links, size_t link_count,
                          const ov_robot_joint *joints, size_t joint_count, ov_robot **robot,
                          ov_fault *fault);
/**
 * A copy of a robot with its elements for other programs. `links` (null: the robot's own) are as
 * many as it has, and take their place; all of them is copied. Pairs that ov_model_allow was told
 * of are not. Errors as above.
 */
ov_status ov_robot_copy(const ov_robot *robot, const ov_robot_link *links, ov_robot **copy,
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
/** Removes all visuals. Null is allowed. */
void ov_robot_drop_visuals(ov_robot *robot);
/** Its kinematic tree; links and joints have the same indices, and the collisions are the parts. */
ov_model *ov_robot_model(const ov_robot *robot);

typedef enum ov_robot_format {
    OV_ROBOT_FORMAT_NONE =
        0,                /**< no format: ov_robot_format_from_path returns it for other endings */
    OV_ROBOT_FORMAT_URDF, /**< .urdf */
    OV_ROBOT_FORMAT_MJCF, /**< .xml or .mjcf */
    OV_ROBOT_FORMAT_SDFORMAT, /**< .sdf */
    OV_ROBOT_FORMAT_COLLADA,  /**< .dae */
    OV_ROBOT_FORMAT_GLTF,     /**< .gltf: text, with embedded buffers */
    OV_ROBOT_FORMAT_GLB,      /**< .glb: the same in binary form */
    OV_ROBOT_FORMAT_SCENE     /**< .json: a scene of Ovoid, with the links as bodies */
} ov_robot_format;

ov_robot_format ov_robot_format_from_path(const char *path);

/**
 * Writes a robot. MJCF excludes contacts of links that may overlap (ov_model_allow); MuJoCo never
 * tests links that fixed joints connect. Meshes, which formats without smooth bodies need, go to
 * the folder NAME_meshes beside the file NAME.ext, and have relative paths in it. Each file gets
 * its name when it is complete; if the robot's file fails, the meshes are removed. `positions`
 * (null: at rest) are the pose for COLLADA, glTF and scenes, which have no joints.
 * OV_ERROR_UNSUPPORTED if the format cannot express the robot, as `*fault` says;
 * OV_ERROR_SIZE_RANGE if a length is too large for the 32-bit floats of COLLADA and glTF;
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_robot_write(const char *path, ov_robot_format format, const ov_robot *robot,
                         const double *positions, ov_fault *fault);

/**
 * The same to an open stream, in binary mode, which is flushed and stays open. Meshes go to
 * `folder`, which is created if it does not exist. Their paths in the robot begin with `folder` as
 * it is given, so a relative folder works if the robot is read from the current folder.
 * OV_ERROR_UNSUPPORTED if the format needs a mesh file and `folder` is null; COLLADA, glTF and
 * scenes need none.
 */
ov_status ov_robot_write_stream(FILE *stream, ov_robot_format format, const char *folder,
                                const ov_robot *robot, const double *positions, ov_fault *fault);

/** The links as bodies of a scene, placed by the positions (null: at rest). */
ov_status ov_robot_to_scene(const ov_robot *robot, const double *positions, ov_scene **scene);
/** A scene as a robot: one link per body, connected to a first link named "world" by fixed joints.
 */
ov_status ov_robot_from_scene(const ov_scene *scene, ov_robot **robot, ov_fault *fault);

/* ---- joint trajectories, as comma-separated values --------------------------------------------
 *
 * The first line names joints in any order; each line after it is a pose, in radians and lengths.
 * Joints without a column are at rest. A joint of several positions has one column per position:
 *     planar NAME.x, NAME.y, NAME.angle       spherical NAME.qw, NAME.qx, NAME.qy, NAME.qz
 *     floating NAME.x, NAME.y, NAME.z and those of a spherical joint
 * A column `time` has the times of the poses. Blanks and quotes around a name or number, a carriage
 * return at the end of a line, a byte order mark and blank lines are ignored. */

/** Longest line, in bytes, and largest number of positions of all poses together. */
#define OV_JOINTS_LINE_MAX ((size_t)1 << 20)
#define OV_JOINTS_NUMBERS_MAX ((size_t)1 << 26)

/** Poses of a model, as read from a file; the arrays are from malloc. */
typedef struct ov_joints {
    size_t count, width; /**< poses; positions of each, as many as the model has */
    double *positions;   /**< count * width, pose after pose */
    double *times;       /**< one per pose; null without a column `time` */
    size_t column_count; /**< of the file; all but this is empty after a failure */
    /** Joints whose column was ignored: they are fixed, or follow another joint. */
    uint32_t *unused;
    size_t unused_count;
    /** Poses beyond a joint's limits: their number, the first one, and the joint there. */
    size_t beyond, beyond_pose;
    uint32_t beyond_joint;
} ov_joints;

/**
 * Reads poses of a model. `strict`: every column must be one that is used, and every pose must be
 * within the limits.
 *
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ; OV_ERROR_FILE_FORMAT for a name that no joint has or that
 * occurs twice, for a missing number, an extra one or text that is none, and for a line that is too
 * long or not text; OV_ERROR_NOT_FINITE; OV_ERROR_ZERO_DIRECTION for a zero quaternion;
 * OV_ERROR_LIMIT for a pose beyond a limit, if `strict`; OV_ERROR_COUNT for no poses or too many;
 * OV_ERROR_MEMORY. `*fault` (may be null) then says what is wrong, and suggests the nearest name
 * for a misspelt one.
 */
ov_status ov_joints_read(const char *path, const ov_model *model, bool strict, ov_joints *joints,
                         ov_fault *fault);
/** The same from an open stream, to its end; the stream stays open. */
ov_status ov_joints_read_stream(FILE *stream, const ov_model *model, bool strict, ov_joints *joints,
                                ov_fault *fault);
/** Frees poses from ov_joints_read, and empties them. */
void ov_joints_free(ov_joints *joints);

#ifdef __cplusplus
}
#endif

#endif
