/**
 * @file bvh.h
 * @brief Bounding-volume hierarchies: binary trees of boxes along the axes.
 *
 * One builder serves all trees of the library: of the triangles of a mesh, the parts of a geometry,
 * the polygons of a surface, and the bodies of a world. The last is dynamic (ovi_bvh): its leaves
 * come, go and change their boxes at any time.
 *
 * Nodes of a dynamic tree are 64 bytes, a line of the cache, with box, parent and children. A leaf
 * whose new box meets its old one stays where it is and the boxes above it are fitted anew; others
 * are taken out and put in again. Building it from scratch lays the nodes out in depth-first order,
 * so that neighbours in space are neighbours in memory.
 */
#ifndef OVI_BVH_H
#define OVI_BVH_H

#include <math.h>
#include <stdint.h>

#include <ovoid/shape.h>

#include "../math/system.h"

/* ---- boxes */

static inline ov_aabb ovi_box_union(const ov_aabb *a, const ov_aabb *b) {
    return (ov_aabb){
        {a->min.x < b->min.x ? a->min.x : b->min.x, a->min.y < b->min.y ? a->min.y : b->min.y,
         a->min.z < b->min.z ? a->min.z : b->min.z},
        {a->max.x > b->max.x ? a->max.x : b->max.x, a->max.y > b->max.y ? a->max.y : b->max.y,
         a->max.z > b->max.z ? a->max.z : b->max.z}};
}

/** Boxes that share a point. The comparisons are joined without branches. */
static inline bool ovi_boxes_meet(const ov_aabb *a, const ov_aabb *b) {
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) &
           (b->min.y <= a->max.y) & (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

/** Larger by a length on all sides. */
static inline ov_aabb ovi_box_grow(ov_aabb b, double by) {
    return (ov_aabb){{b.min.x - by, b.min.y - by, b.min.z - by},
                     {b.max.x + by, b.max.y + by, b.max.z + by}};
}

static inline ov_vec3 ovi_box_centre(const ov_aabb *b) {
    return ov_vec3_scale(ov_vec3_add(b->min, b->max), 0.5);
}
static inline ov_vec3 ovi_box_half(const ov_aabb *b) {
    return ov_vec3_scale(ov_vec3_sub(b->max, b->min), 0.5);
}

/** Half the width of a box with half extents h along n. */
static inline double ovi_box_reach(ov_vec3 h, ov_vec3 n) {
    return fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
}

/**
 * Lower bound of the signed distance of two sets, from how far they are apart along three
 * orthonormal axes: the distance of the boxes, or where they meet, minus the least way out.
 */
static inline double ovi_axes_bound(double x, double y, double z) {
    double most = x > y ? x : y;
    most = most > z ? most : z;
    if (!(most > 0.0)) {
        return most;
    }
    x = x > 0.0 ? x : 0.0;
    y = y > 0.0 ? y : 0.0;
    z = z > 0.0 ? z : 0.0;
    double bound = sqrt(x * x + y * y + z * z);
    return bound > most ? bound : most; // squares may underflow
}

#define OVI_NO_NODE UINT32_MAX

/* ---- the builder */

/** Levels below the root of a tree that was built, at most. */
enum { OVI_BVH_DEPTH = 64 };

/** A node as the builder hands it on. */
typedef struct ovi_bvh_made {
    ov_aabb box;
    uint32_t index;        /**< by the order of a descent that goes to the first child first */
    uint32_t parent;       /**< OVI_NO_NODE for the root */
    bool second;           /**< of its parent's children */
    bool leaf;             /**< the order of its items is final */
    uint32_t first, count; /**< of its items, in `order` */
} ovi_bvh_made;
/** Takes a node; its parent was handed on before. */
typedef void (*ovi_bvh_take)(void *user, const ovi_bvh_made *node);

/**
 * Builds a tree over boxes, of which there is at least one, with up to `leaf` of them in a leaf. In
 * the end `order` has the numbers of the boxes, those of each node in a row. Nothing depends on
 * more than the boxes and their order.
 */
void ovi_bvh_build(const ov_aabb *boxes, uint32_t count, uint32_t leaf, uint32_t *order,
                   ovi_bvh_take take, void *user);

/* ---- dynamic trees */

/** Depth of the stack of a descent. Building keeps below OVI_BVH_DEPTH and insertion balances; of a
 *  tree that is deeper all the same, all leaves are looked at. */
enum { OVI_BVH_STACK = 160 };

typedef struct ovi_bvh_node {
    ov_aabb box;
    uint32_t parent;   /**< of a free node: the next free one */
    uint32_t child[2]; /**< of a leaf: OVI_NO_NODE and its item */
    uint32_t height;   /**< 0 for a leaf; OVI_NO_NODE for a free node */
} ovi_bvh_node;

/** What a leaf that is put in counts for among the changes: it did more to the tree than a box. */
enum { OVI_CHANGES_INSERT = 16 };

typedef struct ovi_bvh {
    ovi_bvh_node *nodes;
    uint32_t room, used; /**< nodes from `used` on have never been used */
    uint32_t root, free;
    uint32_t leaves;
    size_t changes; /**< since the tree was built: boxes changed, and leaves put in, weighted */
} ovi_bvh;

static inline bool ovi_bvh_is_leaf(const ovi_bvh_node *n) { return n->child[0] == OVI_NO_NODE; }
static inline uint32_t ovi_bvh_item(const ovi_bvh_node *leaf) { return leaf->child[1]; }

ovi_bvh ovi_bvh_empty(void);
void ovi_bvh_free(ovi_bvh *tree, const ov_allocator *allocator);

/** Room for so many leaves in all; false for want of memory, the tree is then as before. */
bool ovi_bvh_reserve(ovi_bvh *tree, const ov_allocator *allocator, size_t leaves);
/** A new leaf; there must be room. Returns its node. */
uint32_t ovi_bvh_insert(ovi_bvh *tree, const ov_aabb *box, uint32_t item);
void ovi_bvh_remove(ovi_bvh *tree, uint32_t leaf);
/** Another box for a leaf, which keeps its node. */
void ovi_bvh_change(ovi_bvh *tree, uint32_t leaf, const ov_aabb *box);

/**
 * The same in two steps, for many leaves at once: first the boxes, which several threads may set
 * for different leaves, then, leaf by leaf, the boxes above them. False where the new box does not
 * meet the old one: the leaf then stays as it was, and needs ovi_bvh_change when all is fitted.
 */
bool ovi_bvh_set_box(ovi_bvh *tree, uint32_t leaf, const ov_aabb *box);
void ovi_bvh_fit(ovi_bvh *tree, uint32_t leaf);

/**
 * Builds the tree from scratch, with the leaves in depth-first order: order[i] is the item of the
 * i-th, and leaf nodes have new numbers (find them by their items). `order` has room for all
 * leaves; false for want of memory, the tree is then as before.
 */
bool ovi_bvh_rebuild(ovi_bvh *tree, const ov_allocator *allocator, uint32_t *order);

/** Takes a leaf's item; false ends the search. */
typedef bool (*ovi_bvh_visit)(void *user, uint32_t leaf, uint32_t item);
/** All leaves whose box meets a box. False where the visitor ended it. */
bool ovi_bvh_meet(const ovi_bvh *tree, const ov_aabb *box, ovi_bvh_visit visit, void *user);

/** How soon a box is to be looked at; infinite: not at all. Asked once to choose between two
 * children and again just before a node is looked at, as what was found meanwhile may rule it out.
 */
typedef double (*ovi_bvh_key)(void *user, const ov_aabb *box);
/** Leaves whose boxes have finite keys, of two children always the one with the lesser key first.
 *  False where the visitor ended it. */
bool ovi_bvh_search(const ovi_bvh *tree, ovi_bvh_key key, ovi_bvh_visit visit, void *user);

#endif
