/**
 * @file robot_write.h
 * @brief What the writers of robots share: which shapes a format has, and poses.
 */
#ifndef OVI_ROBOT_WRITE_H
#define OVI_ROBOT_WRITE_H

#include "robot_internal.h"

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

/** a b: b in the frame of a, seen from outside. */
ov_pose ovi_pose_after(ov_pose a, ov_pose b);
/** The least turn that brings z to a unit axis, about x where the axis is against z: in the frame
 *  so turned, x and y are the directions of a planar joint. */
ov_quat ovi_turn_from_z(ov_vec3 axis);
/** A plane at the end of a half-space: the pose whose z axis is its normal. */
ov_pose ovi_plane_pose(const ov_robot_shape *shape);

/* ---- surfaces for pictures (robot_surfaces.c) */

/** The triangles of a shape. */
typedef struct ovi_surface {
    uint32_t link;
    ov_pose pose; /**< in the link's frame */
    const ov_vec3 *vertices, *normals;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    double colour[4];
    void *owned[3]; /**< arrays that are its own, from malloc */
    ov_hull *hull;
} ovi_surface;

/**
 * What a picture of a robot shows: the visuals of each link, or where it has none the collisions.
 * `format` is for messages. From malloc, to be freed with ovi_surfaces_free.
 */
ov_status ovi_surfaces_make(const ov_robot *robot, const char *format, ovi_surface **surfaces,
                            size_t *count, ov_fault *fault);
void ovi_surfaces_free(ovi_surface *surfaces, size_t count);

/* ---- formats */

ov_status ovi_mjcf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_sdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
/** COLLADA or glTF, by the format; OV_ERROR_MISSING without assimp. */
ov_status ovi_assimp_write(const char *path, ov_robot_format format, const ov_robot *robot,
                           const double *positions, ov_fault *fault);

#endif
