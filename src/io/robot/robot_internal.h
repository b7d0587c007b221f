/**
 * @file robot_internal.h
 * @brief What the readers and writers of robots share: the robot itself, its meshes, and pictures.
 */
#ifndef OVI_ROBOT_INTERNAL_H
#define OVI_ROBOT_INTERNAL_H

#include "../xml.h"

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

/* ---- meshes that are read (robot_meshes.c) */

/** A mesh that was loaded, as triangles or as a hull. */
typedef struct ovi_robot_mesh {
    const char *path;
    ov_vec3 scale;
    const ov_trimesh *mesh;
    const ov_hull *hull; /**< not null: a hull, and no mesh */
    bool wants_hull;
} ovi_robot_mesh;

/** Meshes of a robot that is being read, each loaded once. All zero: none. */
typedef struct ovi_robot_meshes {
    ovi_robot_mesh *all;
    size_t count;
    size_t triangle_count; /**< of all */
} ovi_robot_meshes;

/**
 * Where the mesh of a robot's file lies: `*path` is from malloc, or null where there is no such
 * regular file. False for want of memory.
 */
bool ovi_mesh_find(const char *file, const char *folder, const ov_robot_options *options,
                   char **path);
/** The mesh of a shape whose path is known, as it is or as its hull: loaded at its first use. The
 *  robot owns it. `*fault` says what is wrong, with the line of the mesh's file. */
ov_status ovi_robot_mesh_load(ov_robot *robot, ovi_robot_meshes *meshes,
                              const ov_robot_shape *shape, bool hull, ovi_robot_mesh *mesh,
                              ov_fault *fault);

/* ---- where a robot is written to (robot_write.c) */

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

/* ---- meshes beside a file that is written (robot_meshes.c) */

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

/* ---- what the writers share (robot_write.c) */

/** Shapes without an end or an inside. */
#define OVI_FLAT_SHAPES                                                                            \
    (1u << OV_SHAPE_KIND_HALFSPACE | 1u << OV_SHAPE_KIND_TRIANGLE | 1u << OV_SHAPE_KIND_SEGMENT |  \
     1u << OV_SHAPE_KIND_POINT)

/** Refuses a robot with a shape of these kinds (bits 1 << kind), which `format` does not have. */
ov_status ovi_robot_check_kinds(const ov_robot *robot, uint32_t kinds, const char *format,
                                ov_fault *fault);
/** Poses of all links at these positions (null: at rest); from malloc, null with an error. */
ov_pose *ovi_robot_poses(const ov_robot *robot, const double *positions, ov_status *status,
                         ov_fault *fault);

/** A number of a joint as other programs write it (see OV_ZERO). */
static inline double ovi_joint_number(double value) { return value == OV_ZERO ? 0.0 : value; }

/** The least turn that brings z to a unit axis, about x where the axis is against z: in the frame
 *  so turned, x and y are the directions of a planar joint. */
ov_quat ovi_turn_from_z(ov_vec3 axis);
/**
 * Roll, pitch and yaw, about the fixed axes x, y and z one after the other, of a unit quaternion.
 * The quaternion of the angles is the same, or its negative, to within 1e-15, near the poles too.
 */
ov_vec3 ovi_rpy_of(ov_quat q);
ov_quat ovi_quat_of_rpy(double roll, double pitch, double yaw);
/** A plane at the end of a half-space: the pose whose z axis is its normal. */
ov_pose ovi_plane_pose(const ov_robot_shape *shape);

/* ---- trees */

/** The children of each link: those of link i stand from first[i] to first[i + 1] of the list. */
typedef struct ovi_children {
    uint32_t *first, *list;
} ovi_children;

/** From the parent of each link; one without (OV_NO_LINK) is nobody's child. False for want of
 *  memory. */
bool ovi_children_make(const uint32_t *parents, size_t count, ovi_children *children);
void ovi_children_free(ovi_children *children);

/* ---- pictures (robot_picture.c) */

/** The triangles of a shape. */
typedef struct ovi_surface {
    uint32_t link;
    ov_pose pose;                      /**< in the link's frame */
    const ov_vec3 *vertices, *normals; /**< the latter may be null */
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    double colour[4];
    size_t material; /**< the number of its colour */
    void *owned[3];  /**< arrays that are its own, from malloc */
    ov_hull *hull;
} ovi_surface;

/** What a picture of a robot shows: the visuals of each link, or where it has none the collisions,
 *  link after link. */
typedef struct ovi_picture {
    const ov_robot *robot;
    ovi_surface *surfaces;
    size_t surface_count; /**< at least one */
    double (*colours)[4];
    size_t colour_count;
    ov_pose *poses;    /**< of each link, in its parent's frame */
    uint32_t *parents; /**< of each link; OV_NO_LINK: it stands on top */
    ovi_children children;
} ovi_picture;

/** `format` is for messages. To be freed with ovi_picture_free, unless it fails. */
ov_status ovi_picture_make(const ov_robot *robot, const double *positions, const char *format,
                           ovi_picture *picture, ov_fault *fault);
void ovi_picture_free(ovi_picture *picture);
/** A name for a surface: that of its link, which is cut if it is too long, and a number. */
void ovi_surface_name(const ovi_picture *picture, size_t index, char *name, size_t size);

/* ---- formats */

/** OV_ERROR_UNSUPPORTED for shapes and joints that the format has not. */
ov_status ovi_urdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_mjcf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_sdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_collada_write(const ovi_robot_out *out, const ov_robot *robot,
                            const double *positions, ov_fault *fault);
/** `binary`: .glb, not .gltf. */
ov_status ovi_gltf_write(const ovi_robot_out *out, bool binary, const ov_robot *robot,
                         const double *positions, ov_fault *fault);

#endif
