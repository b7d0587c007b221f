/**
 * @file geometry.h
 * @brief What a body is made of (geometry.c): poses, parts with their bounds, the tree over the
 * parts of a geometry, and the contact of two parts.
 */
#ifndef OVI_GEOMETRY_H
#define OVI_GEOMETRY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/world.h>

#include "../math/rotation.h"
#include "../math/system.h"
#include "obb.h"

/* ---- poses */

/** a after b: the pose in the world of something with pose b in the frame of a. */
static inline ov_pose ovi_pose_mul(ov_pose a, ov_pose b) {
    return (ov_pose){ov_vec3_add(a.position, ovi_quat_turn(a.rotation, b.position)),
                     ovi_quat_product(a.rotation, b.rotation)};
}

/** Makes the quaternion of a pose a unit. OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (beyond
 *  OV_POSITION_MAX), OV_ERROR_ZERO_DIRECTION (a quaternion without length). */
ov_status ovi_pose_normalize(ov_pose *pose);

static inline bool ovi_is_same_pose(const ov_pose *a, const ov_pose *b) {
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.w == b->rotation.w &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y &&
           a->rotation.z == b->rotation.z;
}

/** Limits of a gap: OV_ERROR_NOT_FINITE for NaN, OV_ERROR_OPTION below zero. */
static inline ov_status ovi_check_limit(double limit) {
    return isnan(limit) ? OV_ERROR_NOT_FINITE : limit < 0.0 ? OV_ERROR_OPTION : OV_OK;
}

/** Groups and masks as definitions and queries take them. */
static inline uint32_t ovi_group_of(uint32_t group) { return group != 0 ? group : 1; }
static inline uint32_t ovi_mask_of(uint32_t mask) { return mask != 0 ? mask : UINT32_MAX; }

/* ---- parts */

/** A part with its bounds, in the body's frame. */
typedef struct ovi_part {
    ov_part part;
    ov_ball ball;   /**< infinite for a half-space */
    ov_obb obb;     /**< tight along the part's own axes; infinite for a half-space */
    bool bounded;   /**< not a half-space */
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
    double radius; /**< of the largest ball of a bounded part: a world's margin is in units of it */
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

/* ---- bounds of parts in the world */

/** All bounds of a bounded part, in the world. */
typedef struct ovi_part_bounds {
    ov_aabb box;           /**< that of ovi_part_aabb */
    ovi_placed_box placed; /**< that of ovi_part_obb */
    ov_vec3 centre;        /**< of its ball */
    double rounding;       /**< of these two: ovi_bounds_rounding */
} ovi_part_bounds;

ovi_part_bounds ovi_part_bounds_of(const ovi_part *part, ov_pose body);

/**
 * Box of a bounded part along the world's axes, without margin; rounding is added to it, so that it
 * holds the part. It is that of the part's ball and oriented box, hence not tight: for a tapered
 * body a tight one takes six searches, and what it would leave out is left out by ball and oriented
 * box anyway.
 */
static inline ov_aabb ovi_part_aabb(const ovi_part *part, ov_pose body) {
    return ovi_part_bounds_of(part, body).box;
}
/** Oriented box of a bounded part in the world; ovi_bounds_rounding is not added to it. */
ovi_placed_box ovi_part_obb(const ovi_part *part, ov_pose body);
/** More than what rounding moves the ball or the oriented box of a part by when it is placed in the
 *  world. (For what it does to the part's own pose see ovi_part_pose_rounding.) */
double ovi_bounds_rounding(const ovi_part *part, ov_pose body);

/** A lower bound of the gap of two bounded parts by their balls. What rounding did to these is for
 *  the caller to add to one of the radii. */
static inline double ovi_ball_bound(ov_vec3 centre_a, double radius_a, ov_vec3 centre_b,
                                    double radius_b) {
    ov_vec3 d = ov_vec3_sub(centre_b, centre_a);
    double square = ov_vec3_dot(d, d);
    double distance = square > 1e-200 && square < 1e200 ? sqrt(square) : ov_vec3_length(d);
    return distance * (1.0 - 0x1p-50) - radius_a - radius_b;
}

/** A limit made larger by what the roundings can be that come when something is added to it. */
static inline double ovi_limit_up(double limit) { return limit * (1.0 + 0x1p-50); }

/* ---- two parts */

/**
 * Contact of two parts at poses in the world, of shapes and meshes alike; `warm` (shapes only) may
 * be null. Where the gap is proven to be more than `limit` the query may end early. Returns the
 * contact's status; half-space against half-space is OV_ERROR_UNBOUNDED.
 */
ov_status ovi_parts_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ov_warm_start *warm,
                            ov_trimesh_contact *contact);

/** The same for parts of which one at least is a mesh, where it is enough to know whether they
 * meet: of parts that do no depth is looked for, and points and normal are of no use. */
ov_status ovi_meshes_meet(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options,
                          ov_trimesh_contact *contact);

/** Bounds made wider, for what was rounded before the query; the relation may be lost. */
void ovi_contact_widen(ov_contact *contact, double by);
/** A lower bound that is lower; the relation may be lost. */
static inline void ovi_contact_lower(ov_contact *contact, double lower) {
    contact->gap_lower = fmin(contact->gap_lower, lower);
    if (contact->relation == OV_RELATION_SEPARATED && !(contact->gap_lower > 0.0)) {
        contact->relation = OV_RELATION_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
}

/** More than what rounding in ovi_part_pose moves a point of the part by; 0 where the part's frame
 * is the body's. Bounds of a query with that pose are to be widened by it. */
double ovi_part_pose_rounding(const ovi_part *part, ov_pose body);

/** Seen from the other side: A and B change places. */
static inline ov_contact ovi_contact_swap(const ov_contact *contact) {
    ov_contact c = *contact;
    c.point_a = contact->point_b;
    c.point_b = contact->point_a;
    c.normal = ov_vec3_neg(contact->normal);
    return c;
}

#endif
