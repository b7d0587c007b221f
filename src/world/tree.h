/**
 * @file tree.h
 * @brief A dynamic tree of boxes: leaves come, go and change their boxes at any time.
 *
 * Nodes are 64 bytes, a line of the cache, with box, parent and children. A leaf whose new box
 * meets its old one stays where it is and the boxes above it are fitted anew; others are taken out
 * and put in again. Building from scratch (by the surface-area heuristic, in bins) lays the nodes
 * out in depth-first order, so that neighbours in space are neighbours in memory.
 */
#ifndef OVI_TREE_H
#define OVI_TREE_H

#include "world_internal.h"

#define OVI_NO_NODE UINT32_MAX
/** Walks keep a stack of this depth. Building keeps below 92 and insertion balances; a tree that is
 *  deeper all the same is walked by looking at all of its leaves. */
enum { OVI_TREE_DEPTH_MAX = 160 };

typedef struct ovi_node {
    ov_aabb box;
    uint32_t parent;   /**< of a free node: the next free one */
    uint32_t child[2]; /**< of a leaf: OVI_NO_NODE and its item */
    uint32_t height;   /**< 0 for a leaf */
} ovi_node;

/** What a leaf that is put in counts for among the changes: it did more to the tree than a box. */
enum { OVI_CHANGES_INSERT = 16 };

typedef struct ovi_tree {
    ovi_node *nodes;
    uint32_t room, used; /**< nodes from `used` on have never been used */
    uint32_t root, free;
    uint32_t leaves;
    size_t changes; /**< since the tree was built: boxes changed, and leaves put in, weighted */
} ovi_tree;

static inline bool ovi_is_leaf(const ovi_node *n) { return n->child[0] == OVI_NO_NODE; }
static inline uint32_t ovi_item(const ovi_node *leaf) { return leaf->child[1]; }

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

/** Square of the distance of two boxes; 0 where they meet. */
double ovi_box_distance2(const ov_aabb *a, const ov_aabb *b);

ovi_tree ovi_tree_empty(void);
void ovi_tree_free(ovi_tree *tree, const ov_allocator *allocator);

/** Room for so many leaves in all; false for want of memory, the tree is then as before. */
bool ovi_tree_reserve(ovi_tree *tree, const ov_allocator *allocator, size_t leaves);
/** A new leaf; there must be room. Returns its node. */
uint32_t ovi_tree_insert(ovi_tree *tree, const ov_aabb *box, uint32_t item);
void ovi_tree_remove(ovi_tree *tree, uint32_t leaf);
/** Another box for a leaf, which keeps its node. */
void ovi_tree_change(ovi_tree *tree, uint32_t leaf, const ov_aabb *box);

/**
 * The same in two steps, for many leaves at once: first the boxes, which several threads may set
 * for different leaves, then, leaf by leaf, the boxes above them. False where the new box does not
 * meet the old one: the leaf then stays as it was, and needs ovi_tree_change when all is fitted.
 */
bool ovi_tree_set_box(ovi_tree *tree, uint32_t leaf, const ov_aabb *box);
void ovi_tree_fit(ovi_tree *tree, uint32_t leaf);

/**
 * Builds the tree from scratch, with the leaves in depth-first order: order[i] is the item of the
 * i-th, and leaf nodes have new numbers (find them by their items). `order` has room for all
 * leaves; false for want of memory, the tree is then as before.
 */
bool ovi_tree_build(ovi_tree *tree, const ov_allocator *allocator, uint32_t *order);

/** Takes a leaf's item; false ends the walk. */
typedef bool (*ovi_tree_visit)(void *user, uint32_t leaf, uint32_t item);
/** All leaves whose box meets a box. False where the visitor ended it. */
bool ovi_tree_meet(const ovi_tree *tree, const ov_aabb *box, ovi_tree_visit visit, void *user);

/** How soon a box is to be looked at; infinite: not at all. Asked again just before. */
typedef double (*ovi_tree_key)(void *user, const ov_aabb *box);
/** Leaves by ascending keys of the boxes, as far as the tree goes. */
bool ovi_tree_search(const ovi_tree *tree, ovi_tree_key key, ovi_tree_visit visit, void *user);

#endif
