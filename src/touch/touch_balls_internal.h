/**
 * @file touch_balls_internal.h
 * @brief An object that touches maps, and the trees of balls over its vertices and triangles:
 * what touch_balls.c makes and touch_objects.c searches.
 */
#ifndef OVI_TOUCH_BALLS_INTERNAL_H
#define OVI_TOUCH_BALLS_INTERNAL_H

#include <ovoid/touch_objects.h>

#include "touch_internal.h"

enum {
    OVI_LEAF = 8,    /**< vertices or triangles of a leaf, at most */
    OVI_LEAVES = 16, /**< of the tree of vertices: bounds that are looked through together */
    OVI_AT_ONCE = 8  /**< balls of a wide node, in two fours */
};

typedef struct ovi_ball_node {
    ov_vec3 centre;
    double radius;
    uint32_t right;          /**< the left child is the next node; 0: a leaf */
    uint32_t first, count;   /**< items below, in the order of the tree */
    uint32_t leaf, leaf_end; /**< leaves below, by their numbers in that order */
} ovi_ball_node;

/** Balls of the tree that a search looks at together, none within another, in the tree's order. */
typedef struct ovi_wide_node {
    double x[OVI_AT_ONCE], y[OVI_AT_ONCE], z[OVI_AT_ONCE],
        radius[OVI_AT_ONCE]; /**< after the last one: once more the first */
    uint32_t balls[OVI_AT_ONCE];
    uint32_t below[OVI_AT_ONCE]; /**< one more than the wide node of what is in the ball; 0: it is a
                                    leaf */
    int count;
} ovi_wide_node;

typedef struct ovi_ball_tree {
    ovi_ball_node *nodes;
    size_t node_count;
    ovi_wide_node *wide;
    size_t wide_count, wide_room;
    uint32_t *order;
    uint32_t *leaves; /**< their balls */
    uint32_t count, leaf_count;
} ovi_ball_tree;

/** A ball about every face, in the order of their tree, and some numbers more. */
typedef struct ovi_face_balls {
    double *x, *y, *z, *radius;
} ovi_face_balls;

struct ov_touch_object {
    ov_allocator allocator;
    size_t vertex_count, triangle_count, zone_count;
    ov_vec3 *vertices; /**< as given */
    ov_vec3 *sorted;   /**< in the order of the tree */
    uint32_t (*triangles)[3];
    uint16_t *zones;
    ovi_ball_tree points, faces;
    ovi_face_balls face_balls;
    uint64_t sum; /**< of vertices and tree */
};

/** Leaves in whole groups that are looked through together. */
static inline uint32_t ovi_padded_leaves(const ov_touch_object *object) {
    return (object->points.leaf_count + OVI_LEAVES - 1) / OVI_LEAVES * OVI_LEAVES;
}

#endif
