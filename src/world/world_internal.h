/**
 * @file world_internal.h
 * @brief What the files of src/world/ share: memory, parts ready for use, and the query of two
 * parts.
 */
#ifndef OVI_WORLD_INTERNAL_H
#define OVI_WORLD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/world.h>

/* ---- memory (memory.c) */

/** The caller's allocator, or that of the C library for null or an empty one. */
ov_allocator ovi_allocator_of(const ov_allocator *given);

/**
 * An array of `count` elements of `size` bytes, resized from `old_count`; `block` may be null. Null
 * for want of memory or where the size does not fit; the old block then stays as it was.
 */
void *ovi_resize(const ov_allocator *allocator, void *block, size_t old_count, size_t count,
                 size_t size);
/**
 * An array of `*room` elements resized for at least `needed`, and by a part of its size, so that an
 * array that grows one by one is moved seldom. Null as above, with `*room` as it was.
 */
void *ovi_more_room(const ov_allocator *allocator, void *block, size_t *room, size_t needed,
                    size_t size);
/** Gives an array back; null is allowed. */
void ovi_release(const ov_allocator *allocator, void *block, size_t count, size_t size);

/* ---- poses */

/** a after b: the pose in the world of something with pose b in the frame of a. */
static inline ov_pose ovi_pose_mul(ov_pose a, ov_pose b) {
    return (ov_pose){ov_vec3_add(a.position, ov_quat_rotate(a.rotation, b.position)),
                     ov_quat_mul(a.rotation, b.rotation)};
}

/** Finite, within OV_POSITION_MAX, and with a quaternion that has a length; makes that a unit. */
ov_status ovi_pose_check(ov_pose *pose);
/** Groups and masks as definitions and queries take them. */
static inline uint32_t ovi_group_of(uint32_t group) { return group != 0 ? group : 1; }
static inline uint32_t ovi_mask_of(uint32_t mask) { return mask != 0 ? mask : UINT32_MAX; }

/* ---- geometry (geometry.c) */

/** A part with its bounds, in the body's frame. */
typedef struct ovi_part {
    ov_part part;
    ov_ball ball; /**< infinite for a half-space */
    ov_obb box;   /**< tight along the part's own axes; not set for a half-space */
    bool bounded;
    bool at_origin; /**< the part's frame is the body's */
} ovi_part;

/** A node of the tree over the parts of a geometry; the first child of an inner one is the next. */
typedef struct ovi_part_node {
    ov_aabb box;
    uint32_t second; /**< child, or OVI_NO_NODE: a leaf */
    uint32_t part;   /**< of a leaf */
} ovi_part_node;

struct ov_geometry {
    ov_allocator allocator;
    double reach;  /**< no point of a bounded part is further from the body's origin */
    double radius; /**< of the largest ball of a bounded part */
    size_t count;
    size_t bounded;       /**< parts that are; the others are half-spaces */
    ovi_part_node *nodes; /**< over the bounded parts */
    uint32_t *order;      /**< the bounded parts by the tree, then the others */
    ovi_part parts[];
};

/** Checks a part and finds its bounds. */
ov_status ovi_part_make(const ov_part *given, ovi_part *part);

/** Pose of a part of a placed body. */
static inline ov_pose ovi_part_pose(const ovi_part *part, ov_pose body) {
    return part->at_origin ? body : ovi_pose_mul(body, part->part.pose);
}

/* ---- two parts (part_contact.c) */

/**
 * Contact of two parts at poses in the world, of shapes and meshes alike; `warm` (shapes only) may
 * be null. Where the gap is proven to be more than `limit` the query may end early. Returns the
 * contact's status; half-space against half-space is OV_ERROR_UNBOUNDED.
 */
ov_status ovi_parts_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ov_warm_start *warm,
                            ov_trimesh_contact *contact);

/** The same for parts of which one at least is a mesh, where it is enough to know that they meet:
 *  no depth is looked for, and points and normal are of no use then. */
ov_status ovi_meshes_meet(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options,
                          ov_trimesh_contact *contact);

/** Bounds made wider, for what was rounded before the query; the relation may be lost. */
void ovi_contact_widen(ov_contact *contact, double by);
/** A lower bound that is lower; the relation may be lost. */
void ovi_contact_lower(ov_contact *contact, double lower);
/** Rounding error of the pose of a part, where that is not the body's own. */
double ovi_part_rounding(const ovi_part *part, ov_pose body);

/** Seen from the other side: A and B change places. */
ov_contact ovi_contact_swap(const ov_contact *contact);

#endif
