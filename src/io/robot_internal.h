/**
 * @file robot_internal.h
 * @brief What the readers and writers of robots share: the robot itself, paths, meshes beside a
 * file, and XML text.
 */
#ifndef OVI_ROBOT_INTERNAL_H
#define OVI_ROBOT_INTERNAL_H

#include "io_internal.h"

/** Most shapes of a robot, and most mesh files that it loads, each counted once for a scale. */
#define OVI_ROBOT_SHAPES_MAX ((size_t)100000)
#define OVI_ROBOT_MESHES_MAX ((size_t)10000)
/** Most elements that are kept as text. */
#define OVI_ROBOT_EXTRAS_MAX ((size_t)1 << 20)

/** Something that a robot frees when it goes. */
typedef struct ovi_kept {
    void *what;
    void (*release)(void *what);
} ovi_kept;

struct ov_robot {
    const char *name;
    ov_robot_link *links;
    ov_robot_joint *joints;
    size_t link_count, joint_count, shape_count;
    ov_robot_extra *extras; /**< in the order of the file: those of links by link, ... */
    size_t extra_count;
    const char *const *attributes; /**< of the root, for other programs: name, value, ..., null */
    ov_model *model;
    ovi_kept *kept;
    size_t kept_count;
};

/* ---- the robot, piece by piece (robot.c) */

/** An empty robot; null for want of memory. Freed by ov_robot_destroy, finished or not. */
ov_robot *ovi_robot_new(void);
/** The robot owns `what` from now on. For want of memory it is released at once: false. */
bool ovi_robot_keep(ov_robot *robot, void *what, void (*release)(void *what));
/** A copy of a text that the robot owns; null for want of memory. */
const char *ovi_robot_text(ov_robot *robot, const char *text);
/** What ovi_robot_keep is told for a mesh and for a hull. */
void ovi_release_trimesh(void *mesh);
void ovi_release_hull(void *hull);

/** One more, all zero, identities and infinite limits aside; null for want of memory. What was
 *  added before may move. */
ov_robot_link *ovi_robot_add_link(ov_robot *robot);
ov_robot_joint *ovi_robot_add_joint(ov_robot *robot);
ov_robot_shape *ovi_robot_add_shape(ov_robot *robot, size_t link, bool visual);

/**
 * Makes the model of a robot that has all its links and joints. The lines (may be null) are those
 * of the links and joints in their file, for messages.
 */
ov_status ovi_robot_finish(ov_robot *robot, const size_t *link_lines, const size_t *joint_lines,
                           ov_fault *fault);

/** A name of a robot, link or joint: UTF-8 of any length, but not empty and no control characters.
 */
bool ovi_is_robot_name(const char *text);

/* ---- paths (robot_paths.c) */

/**
 * Where the mesh of a robot's file lies: `*path` is from malloc, or null where there is no such
 * regular file. False for want of memory.
 */
bool ovi_mesh_find(const char *file, const char *folder, const ov_robot_options *options,
                   char **path);

/* ---- meshes beside a file that is written (robot_meshes.c) */

/** Where a robot is written to: a file of this path, or an open stream. */
typedef struct ovi_robot_out {
    const char *path;
    FILE *stream;       /**< where the path is null */
    const char *folder; /**< for the meshes, of a stream; may be null */
    const char *format; /**< for messages */
} ovi_robot_out;

/** Writes the file or stream that all of `undo` belongs to, as ovi_file_write_last does it. */
ov_status ovi_robot_out_write(const ovi_robot_out *out, ovi_undo *undo, ovi_writer writer,
                              const void *what, ov_fault *fault);

/** The mesh that a written file names for a shape. */
typedef struct ovi_mesh_name {
    char *file;    /**< relative to the written file; null where the shape needs none */
    ov_vec3 scale; /**< that the reader of the file has to apply */
} ovi_mesh_name;

/** How meshes are written. */
typedef struct ovi_mesh_wish {
    uint32_t native; /**< bits 1 << kind of the shapes that the format has itself: no mesh */
    bool as_is;      /**< a mesh that came from a file is copied as it is; else OBJ or STL */
    bool visuals;    /**< those of visuals too */
} ovi_mesh_wish;

/**
 * Writes the meshes that a file needs to the folder NAME_meshes beside it, or to the folder that is
 * given for a stream, each once, and names them: a row for each shape, link by link, collisions
 * before visuals. OV_ERROR_UNSUPPORTED for a stream without a folder. Meshes are OBJ (exact),
 * smooth bodies binary STL of about 300 vertices. A visual whose mesh is not loaded has no
 * file where it cannot be copied. What is new, the folder and its files, is noted in `undo`. On
 * failure it is gone again, the rows are null and `*fault` says why.
 */
ov_status ovi_robot_meshes_write(const ovi_robot_out *out, const ov_robot *robot,
                                 ovi_mesh_wish wish, ovi_undo *undo, ovi_mesh_name **names,
                                 ov_fault *fault);
void ovi_robot_meshes_free(const ov_robot *robot, ovi_mesh_name *names);

/* ---- XML that is written (robot_xml.c) */

/** A text between quotes or tags: what means something in XML is escaped. */
void ovi_xml_text(FILE *f, const char *text);
/** A number with the fewest digits that read back to the same one; infinite: the largest. */
void ovi_xml_number(FILE *f, double value);
/** ` name="1 2 3"` */
void ovi_xml_numbers(FILE *f, const char *name, const double *values, int count);
void ovi_xml_vec3(FILE *f, const char *name, ov_vec3 value);
/** ` name="text"` */
void ovi_xml_string(FILE *f, const char *name, const char *text);

/**
 * Roll, pitch and yaw, about the fixed axes x, y and z one after the other, of a unit quaternion.
 * The quaternion of the angles is the same, or its negative, to within 1e-15, near the poles too.
 */
ov_vec3 ovi_rpy_of(ov_quat q);
ov_quat ovi_quat_of_rpy(double roll, double pitch, double yaw);

/* ---- URDF (urdf_write.c) */

/** Writes a robot as URDF, with its meshes. OV_ERROR_UNSUPPORTED for shapes without an inside. */
ov_status ovi_urdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);

#endif
