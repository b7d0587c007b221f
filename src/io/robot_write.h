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

ov_status ovi_mjcf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_sdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault);
ov_status ovi_collada_write(const ovi_robot_out *out, const ov_robot *robot,
                            const double *positions, ov_fault *fault);
/** `binary`: .glb, not .gltf. */
ov_status ovi_gltf_write(const ovi_robot_out *out, bool binary, const ov_robot *robot,
                         const double *positions, ov_fault *fault);

#endif
