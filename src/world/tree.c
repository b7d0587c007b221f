/**
 * @file tree.c
 * @brief The dynamic tree of boxes (tree.h): leaves come, go and change.
 *
 * Insertion walks down to the sibling by the surface-area heuristic: at each node the cost of
 * pairing with it is compared with the least cost of going on into a child. Where the two sides of
 * a node differ in height by more than one, the deeper side is rotated up, so a tree that grows
 * leaf by leaf stays of logarithmic depth also for bodies in a row.
 */
#include "tree.h"

ovi_tree ovi_tree_empty(void) { return (ovi_tree){.root = OVI_NO_NODE, .free = OVI_NO_NODE}; }

void ovi_tree_free(ovi_tree *tree, const ov_allocator *allocator) {
    ovi_release(allocator, tree->nodes, tree->room, sizeof(ovi_node));
    *tree = ovi_tree_empty();
}

static double outside(double a_min, double a_max, double b_min, double b_max) {
    double d = b_min - a_max > a_min - b_max ? b_min - a_max : a_min - b_max;
    return d > 0.0 ? d : 0.0;
}

double ovi_box_distance2(const ov_aabb *a, const ov_aabb *b) {
    double x = outside(a->min.x, a->max.x, b->min.x, b->max.x);
    double y = outside(a->min.y, a->max.y, b->min.y, b->max.y);
    double z = outside(a->min.z, a->max.z, b->min.z, b->max.z);
    return x * x + y * y + z * z;
}

/** Half of a box's surface. */
static double area(const ov_aabb *b) {
    double x = b->max.x - b->min.x, y = b->max.y - b->min.y, z = b->max.z - b->min.z;
    return x * y + y * z + z * x;
}

static bool is_same_box(const ov_aabb *a, const ov_aabb *b) {
    return a->min.x == b->min.x && a->min.y == b->min.y && a->min.z == b->min.z &&
           a->max.x == b->max.x && a->max.y == b->max.y && a->max.z == b->max.z;
}

/* ---- nodes */

bool ovi_tree_reserve(ovi_tree *tree, const ov_allocator *allocator, size_t leaves) {
    size_t needed = 2 * leaves;
    if (needed <= tree->room) {
        return true;
    }
    if (needed > UINT32_MAX / 2) {
        return false;
    }
    size_t room = tree->room;
    ovi_node *nodes = ovi_more_room(allocator, tree->nodes, &room, needed, sizeof(ovi_node));
    if (nodes == NULL) {
        return false;
    }
    tree->nodes = nodes;
    tree->room = (uint32_t)room;
    return true;
}

static uint32_t take_node(ovi_tree *t) {
    if (t->free == OVI_NO_NODE) {
        return t->used++;
    }
    uint32_t node = t->free;
    t->free = t->nodes[node].parent;
    return node;
}

static void give_node(ovi_tree *t, uint32_t node) {
    t->nodes[node].parent = t->free;
    t->nodes[node].height = OVI_NO_NODE;
    t->free = node;
}

/** Box and height of an inner node from its children; false where neither changed. */
static bool fit(ovi_tree *t, uint32_t node) {
    ovi_node *n = &t->nodes[node];
    const ovi_node *a = &t->nodes[n->child[0]], *b = &t->nodes[n->child[1]];
    ov_aabb box = ovi_box_union(&a->box, &b->box);
    uint32_t height = 1 + (a->height > b->height ? a->height : b->height);
    if (height == n->height && is_same_box(&box, &n->box)) {
        return false;
    }
    n->box = box;
    n->height = height;
    return true;
}

static void put_child(ovi_tree *t, uint32_t parent, uint32_t old, uint32_t child) {
    if (parent == OVI_NO_NODE) {
        t->root = child;
    } else {
        t->nodes[parent].child[t->nodes[parent].child[1] == old] = child;
    }
    t->nodes[child].parent = parent;
}

/** Where one side of a node is deeper by two, its deeper child takes the node's place. */
static uint32_t balance(ovi_tree *t, uint32_t node) {
    ovi_node *n = &t->nodes[node];
    uint32_t h[2] = {t->nodes[n->child[0]].height, t->nodes[n->child[1]].height};
    int deep = h[1] > h[0];
    if (h[deep] <= h[1 - deep] + 1) {
        return node;
    }
    uint32_t up = n->child[deep];
    ovi_node *u = &t->nodes[up];
    int keep = t->nodes[u->child[1]].height > t->nodes[u->child[0]].height;
    uint32_t moved = u->child[1 - keep];
    put_child(t, n->parent, node, up);
    u->child[1 - keep] = node;
    n->parent = up;
    n->child[deep] = moved;
    t->nodes[moved].parent = node;
    (void)fit(t, node);
    (void)fit(t, up);
    return up;
}

/** Fits and balances from a node up to the root. */
static void mend_above(ovi_tree *t, uint32_t node) {
    while (node != OVI_NO_NODE) {
        node = balance(t, node);
        (void)fit(t, node);
        node = t->nodes[node].parent;
    }
}

/* ---- leaves */

/** The node that a new box makes the least surface with. */
static uint32_t find_sibling(const ovi_tree *t, const ov_aabb *box) {
    uint32_t node = t->root;
    while (!ovi_is_leaf(&t->nodes[node])) {
        const ovi_node *n = &t->nodes[node];
        ov_aabb both = ovi_box_union(&n->box, box);
        double together = area(&both);
        double inherited = together - area(&n->box); // what every node below would grow by here
        double best = together;
        int way = -1;
        for (int i = 0; i < 2; i++) {
            const ovi_node *c = &t->nodes[n->child[i]];
            ov_aabb with = ovi_box_union(&c->box, box);
            double cost = area(&with) + inherited - (ovi_is_leaf(c) ? 0.0 : area(&c->box));
            if (cost < best) {
                best = cost;
                way = i;
            }
        }
        if (way < 0) {
            return node;
        }
        node = n->child[way];
    }
    return node;
}

/** Hangs a node that is ready into the tree. */
static void hang(ovi_tree *t, uint32_t leaf) {
    t->changes += OVI_CHANGES_INSERT;
    if (t->root == OVI_NO_NODE) {
        t->root = leaf;
        t->nodes[leaf].parent = OVI_NO_NODE;
        return;
    }
    uint32_t sibling = find_sibling(t, &t->nodes[leaf].box);
    uint32_t above = t->nodes[sibling].parent;
    uint32_t joint = take_node(t);
    put_child(t, above, sibling, joint);
    ovi_node *j = &t->nodes[joint];
    j->child[0] = sibling;
    j->child[1] = leaf;
    j->height = 0;
    t->nodes[sibling].parent = t->nodes[leaf].parent = joint;
    mend_above(t, joint);
}

/** Takes a leaf out of the tree; its node stays the caller's. */
static void unhang(ovi_tree *t, uint32_t leaf) {
    uint32_t joint = t->nodes[leaf].parent;
    if (joint == OVI_NO_NODE) {
        t->root = OVI_NO_NODE;
        return;
    }
    uint32_t sibling = t->nodes[joint].child[t->nodes[joint].child[0] == leaf];
    uint32_t above = t->nodes[joint].parent;
    put_child(t, above, joint, sibling);
    give_node(t, joint);
    mend_above(t, above);
}

uint32_t ovi_tree_insert(ovi_tree *tree, const ov_aabb *box, uint32_t item) {
    uint32_t leaf = take_node(tree);
    tree->nodes[leaf] = (ovi_node){.box = *box, .child = {OVI_NO_NODE, item}};
    hang(tree, leaf);
    tree->leaves++;
    return leaf;
}

void ovi_tree_remove(ovi_tree *tree, uint32_t leaf) {
    unhang(tree, leaf);
    give_node(tree, leaf);
    tree->leaves--;
    tree->changes++;
}

bool ovi_tree_set_box(ovi_tree *tree, uint32_t leaf, const ov_aabb *box) {
    ovi_node *n = &tree->nodes[leaf];
    bool near = ovi_boxes_meet(&n->box, box);
    if (near) {
        n->box = *box;
    }
    return near;
}

/* Only the parents of leaves whose boxes were set can be out of date, and what a climb changes it
 * climbs beyond: where it ends, nothing above depends on this leaf any more. */
void ovi_tree_fit(ovi_tree *tree, uint32_t leaf) {
    tree->changes++;
    uint32_t node = tree->nodes[leaf].parent;
    while (node != OVI_NO_NODE && fit(tree, node)) {
        node = tree->nodes[node].parent;
    }
}

void ovi_tree_change(ovi_tree *tree, uint32_t leaf, const ov_aabb *box) {
    if (ovi_tree_set_box(tree, leaf, box)) {
        ovi_tree_fit(tree, leaf);
        return;
    }
    unhang(tree, leaf);
    tree->nodes[leaf].box = *box;
    hang(tree, leaf);
}

/* ---- walks */

/** Is the tree within the stack of a walk? */
static bool is_shallow(const ovi_tree *t) {
    return t->root == OVI_NO_NODE || t->nodes[t->root].height <= OVI_TREE_DEPTH_MAX;
}

static double key_of_meeting(void *user, const ov_aabb *box) {
    return ovi_boxes_meet(user, box) ? 0.0 : INFINITY;
}

/** The slow way, of a tree that is too deep. */
static bool scan(const ovi_tree *t, ovi_tree_key key, void *key_user, ovi_tree_visit visit,
                 void *user) {
    for (uint32_t i = 0; i < t->used; i++) {
        const ovi_node *n = &t->nodes[i];
        if (n->height == 0 && key(key_user, &n->box) < INFINITY && !visit(user, i, ovi_item(n))) {
            return false;
        }
    }
    return true;
}

bool ovi_tree_meet(const ovi_tree *tree, const ov_aabb *box, ovi_tree_visit visit, void *user) {
    uint32_t stack[OVI_TREE_DEPTH_MAX + 2];
    int top = 0;
    if (!is_shallow(tree)) {
        ov_aabb copy = *box;
        return scan(tree, key_of_meeting, &copy, visit, user);
    }
    if (tree->root != OVI_NO_NODE) {
        stack[top++] = tree->root;
    }
    while (top > 0) {
        uint32_t node = stack[--top];
        const ovi_node *n = &tree->nodes[node];
        if (!ovi_boxes_meet(&n->box, box)) {
            continue;
        }
        if (!ovi_is_leaf(n)) {
            stack[top++] = n->child[1];
            stack[top++] = n->child[0];
        } else if (!visit(user, node, ovi_item(n))) {
            return false;
        }
    }
    return true;
}

bool ovi_tree_search(const ovi_tree *tree, ovi_tree_key key, ovi_tree_visit visit, void *user) {
    uint32_t stack[OVI_TREE_DEPTH_MAX + 2];
    int top = 0;
    if (!is_shallow(tree)) {
        return scan(tree, key, user, visit, user);
    }
    if (tree->root != OVI_NO_NODE) {
        stack[top++] = tree->root;
    }
    while (top > 0) {
        uint32_t node = stack[--top];
        const ovi_node *n = &tree->nodes[node];
        if (!(key(user, &n->box) < INFINITY)) {
            continue;
        }
        if (ovi_is_leaf(n)) {
            if (!visit(user, node, ovi_item(n))) {
                return false;
            }
            continue;
        }
        double first = key(user, &tree->nodes[n->child[0]].box);
        double second = key(user, &tree->nodes[n->child[1]].box);
        int nearer = second < first; // on top of the stack
        stack[top++] = n->child[1 - nearer];
        stack[top++] = n->child[nearer];
    }
    return true;
}
