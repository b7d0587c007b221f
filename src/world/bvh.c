/**
 * @file bvh.c
 * @brief Bounding-volume hierarchies (bvh.h): the builder, and the dynamic tree.
 *
 * The builder works from the top by the surface-area heuristic over a few bins per level. A node's
 * boxes are put into bins by their middles along each axis; of all cuts between two bins the one
 * with the least sum of area times number is taken [Wald 2007]. Boxes that no cut tells apart,
 * however many, are halved as they come. So are those of a node that could otherwise end deeper
 * than OVI_BVH_DEPTH: at level d, m boxes take log2(m) more levels by halving, and the heuristic is
 * free only as long as that fits. So every way down is bounded, and with it the stacks of all
 * queries and the time of the build: no box is looked at more often than there are levels.
 *
 * In a dynamic tree, insertion goes down to the sibling by the surface-area heuristic: at each node
 * the cost of pairing with it is compared with the least cost of going on into a child. Where the
 * two sides of a node differ in height by more than one, the deeper side is rotated up, so a tree
 * that grows leaf by leaf stays of logarithmic depth also for bodies in a row.
 */
#include "bvh.h"

/* ---- the builder */

enum { BINS = 16 };

typedef struct bin {
    ov_aabb box;
    uint32_t count;
} bin;

typedef struct builder {
    const ov_aabb *boxes;
    uint32_t *order;
} builder;

/** Part of `order` that becomes a subtree. */
typedef struct range {
    uint32_t first, count;
    int depth;
    uint32_t parent;
    bool second;
} range;

static ov_aabb no_box(void) {
    return (ov_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void box_add(ov_aabb *b, const ov_aabb *other) {
    b->min.x = other->min.x < b->min.x ? other->min.x : b->min.x;
    b->min.y = other->min.y < b->min.y ? other->min.y : b->min.y;
    b->min.z = other->min.z < b->min.z ? other->min.z : b->min.z;
    b->max.x = other->max.x > b->max.x ? other->max.x : b->max.x;
    b->max.y = other->max.y > b->max.y ? other->max.y : b->max.y;
    b->max.z = other->max.z > b->max.z ? other->max.z : b->max.z;
}

static double along(ov_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/** Twice the middle of a box; sums of coordinates are in range, and no digit is lost. */
static double middle(const ov_aabb *b, int axis) {
    return along(b->min, axis) + along(b->max, axis);
}

/** Half the surface in units of a length: products stay in range for tiny and for huge boxes. */
static double area_in(const ov_aabb *b, double unit) {
    double x = (b->max.x - b->min.x) / unit, y = (b->max.y - b->min.y) / unit;
    double z = (b->max.z - b->min.z) / unit;
    return x * y + y * z + z * x;
}

/** A way to cut a range in two: what is in a bin below `bin` goes left. */
typedef struct cut {
    int axis, bin;
    double lo, width; // of the middles
    double cost;
} cut;

static int bin_of(const cut *c, const ov_aabb *box) {
    int i = (int)((middle(box, c->axis) - c->lo) / c->width * BINS);
    return i < BINS ? i : BINS - 1;
}

/** Tries all cuts along an axis on which the middles differ; the outer bins are never empty. */
static void try_axis(const builder *w, const range *s, double unit, cut c, cut *best) {
    bin bins[BINS];
    for (int i = 0; i < BINS; i++) {
        bins[i] = (bin){no_box(), 0};
    }
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        const ov_aabb *box = &w->boxes[w->order[i]];
        bin *b = &bins[bin_of(&c, box)];
        box_add(&b->box, box);
        b->count++;
    }
    double right[BINS];
    ov_aabb box = no_box();
    uint32_t count = 0;
    for (int i = BINS - 1; i > 0; i--) {
        box_add(&box, &bins[i].box);
        count += bins[i].count;
        right[i] = area_in(&box, unit) * count;
    }
    box = no_box();
    count = 0;
    for (int i = 1; i < BINS; i++) {
        box_add(&box, &bins[i - 1].box);
        count += bins[i - 1].count;
        c.cost = area_in(&box, unit) * count + right[i];
        if (c.cost < best->cost) {
            *best = c;
            best->bin = i;
        }
    }
}

static int levels_to_halve(uint32_t count) {
    int levels = 0;
    while (count > 1) {
        count -= count / 2;
        levels++;
    }
    return levels;
}

/** Puts what goes left before what goes right; how many go left. */
static uint32_t partition(const builder *w, const range *s, const cut *c) {
    uint32_t *order = w->order, lo = s->first, hi = s->first + s->count;
    while (lo < hi) {
        if (bin_of(c, &w->boxes[order[lo]]) < c->bin) {
            lo++;
        } else {
            uint32_t t = order[lo];
            order[lo] = order[--hi];
            order[hi] = t;
        }
    }
    return lo - s->first;
}

/** Divides a range of two boxes or more; how many go left. */
static uint32_t divide(const builder *w, const range *s, const ov_aabb *box) {
    uint32_t half = s->count / 2;
    if (s->depth + 1 + levels_to_halve(s->count - 1) > OVI_BVH_DEPTH) {
        return half;
    }
    ov_vec3 extent = ov_vec3_sub(box->max, box->min);
    double unit = fmax(extent.x, fmax(extent.y, extent.z));
    cut best = {.cost = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = s->first; i < s->first + s->count; i++) {
            double m = middle(&w->boxes[w->order[i]], axis);
            lo = m < lo ? m : lo;
            hi = m > hi ? m : hi;
        }
        if (hi > lo) {
            try_axis(w, s, unit, (cut){.axis = axis, .lo = lo, .width = hi - lo}, &best);
        }
    }
    return isinf(best.cost) ? half : partition(w, s, &best);
}

void ovi_bvh_build(const ov_aabb *boxes, uint32_t count, uint32_t leaf, uint32_t *order,
                   ovi_bvh_take take, void *user) {
    const builder w = {boxes, order};
    range stack[OVI_BVH_DEPTH + 2];
    uint32_t made = 0;
    int top = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    stack[top++] = (range){0, count, 0, OVI_NO_NODE, false};
    while (top > 0) {
        range s = stack[--top];
        ovi_bvh_made node = {.box = no_box(),
                             .index = made++,
                             .parent = s.parent,
                             .second = s.second,
                             .leaf = s.count <= leaf,
                             .first = s.first,
                             .count = s.count};
        for (uint32_t i = s.first; i < s.first + s.count; i++) {
            box_add(&node.box, &boxes[order[i]]);
        }
        take(user, &node);
        if (node.leaf) {
            continue;
        }
        uint32_t left = divide(&w, &s, &node.box);
        stack[top++] = (range){s.first + left, s.count - left, s.depth + 1, node.index, true};
        stack[top++] = (range){s.first, left, s.depth + 1, node.index, false};
    }
}

/* ---- dynamic trees */

ovi_bvh ovi_bvh_empty(void) { return (ovi_bvh){.root = OVI_NO_NODE, .free = OVI_NO_NODE}; }

void ovi_bvh_free(ovi_bvh *tree, const ov_allocator *allocator) {
    ovi_release(allocator, tree->nodes, tree->room, sizeof(ovi_bvh_node));
    *tree = ovi_bvh_empty();
}

/** Half of a box's surface. (Boxes of a world are within OV_POSITION_MAX: no unit is needed.) */
static double area(const ov_aabb *b) {
    double x = b->max.x - b->min.x, y = b->max.y - b->min.y, z = b->max.z - b->min.z;
    return x * y + y * z + z * x;
}

static bool is_same_box(const ov_aabb *a, const ov_aabb *b) {
    return a->min.x == b->min.x && a->min.y == b->min.y && a->min.z == b->min.z &&
           a->max.x == b->max.x && a->max.y == b->max.y && a->max.z == b->max.z;
}

/* ---- nodes */

bool ovi_bvh_reserve(ovi_bvh *tree, const ov_allocator *allocator, size_t leaves) {
    size_t needed = 2 * leaves;
    if (needed <= tree->room) {
        return true;
    }
    if (needed > UINT32_MAX / 2) {
        return false;
    }
    size_t room = tree->room;
    ovi_bvh_node *nodes =
        ovi_more_room(allocator, tree->nodes, &room, needed, sizeof(ovi_bvh_node));
    if (nodes == NULL) {
        return false;
    }
    tree->nodes = nodes;
    tree->room = (uint32_t)room;
    return true;
}

static uint32_t take_node(ovi_bvh *t) {
    if (t->free == OVI_NO_NODE) {
        return t->used++;
    }
    uint32_t node = t->free;
    t->free = t->nodes[node].parent;
    return node;
}

/** A free node has a height that no leaf has: scans of all nodes pass over it. */
static void give_node(ovi_bvh *t, uint32_t node) {
    t->nodes[node].parent = t->free;
    t->nodes[node].height = OVI_NO_NODE;
    t->free = node;
}

/** Box and height of an inner node from its children; false where neither changed. */
static bool fit(ovi_bvh *t, uint32_t node) {
    ovi_bvh_node *n = &t->nodes[node];
    const ovi_bvh_node *a = &t->nodes[n->child[0]], *b = &t->nodes[n->child[1]];
    ov_aabb box = ovi_box_union(&a->box, &b->box);
    uint32_t height = 1 + (a->height > b->height ? a->height : b->height);
    if (height == n->height && is_same_box(&box, &n->box)) {
        return false;
    }
    n->box = box;
    n->height = height;
    return true;
}

static void put_child(ovi_bvh *t, uint32_t parent, uint32_t old, uint32_t child) {
    if (parent == OVI_NO_NODE) {
        t->root = child;
    } else {
        t->nodes[parent].child[t->nodes[parent].child[1] == old] = child;
    }
    t->nodes[child].parent = parent;
}

/** Where one side of a node is deeper by two, its deeper child takes the node's place. */
static uint32_t balance(ovi_bvh *t, uint32_t node) {
    ovi_bvh_node *n = &t->nodes[node];
    uint32_t h[2] = {t->nodes[n->child[0]].height, t->nodes[n->child[1]].height};
    int deep = h[1] > h[0];
    if (h[deep] <= h[1 - deep] + 1) {
        return node;
    }
    uint32_t up = n->child[deep];
    ovi_bvh_node *u = &t->nodes[up];
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
static void refit_above(ovi_bvh *t, uint32_t node) {
    while (node != OVI_NO_NODE) {
        node = balance(t, node);
        (void)fit(t, node);
        node = t->nodes[node].parent;
    }
}

/* ---- leaves */

/** The node that a new box makes the least surface with. */
static uint32_t find_sibling(const ovi_bvh *t, const ov_aabb *box) {
    uint32_t node = t->root;
    while (!ovi_bvh_is_leaf(&t->nodes[node])) {
        const ovi_bvh_node *n = &t->nodes[node];
        ov_aabb both = ovi_box_union(&n->box, box);
        double together = area(&both);
        double inherited = together - area(&n->box); // what every node below would grow by here
        double best = together;
        int way = -1;
        for (int i = 0; i < 2; i++) {
            const ovi_bvh_node *c = &t->nodes[n->child[i]];
            ov_aabb with = ovi_box_union(&c->box, box);
            double cost = area(&with) + inherited - (ovi_bvh_is_leaf(c) ? 0.0 : area(&c->box));
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

/** Attaches a node that is ready. */
static void attach(ovi_bvh *t, uint32_t leaf) {
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
    ovi_bvh_node *j = &t->nodes[joint];
    j->child[0] = sibling;
    j->child[1] = leaf;
    j->height = 0;
    t->nodes[sibling].parent = t->nodes[leaf].parent = joint;
    refit_above(t, joint);
}

/** Takes a leaf out of the tree; its node stays the caller's. */
static void detach(ovi_bvh *t, uint32_t leaf) {
    uint32_t joint = t->nodes[leaf].parent;
    if (joint == OVI_NO_NODE) {
        t->root = OVI_NO_NODE;
        return;
    }
    uint32_t sibling = t->nodes[joint].child[t->nodes[joint].child[0] == leaf];
    uint32_t above = t->nodes[joint].parent;
    put_child(t, above, joint, sibling);
    give_node(t, joint);
    refit_above(t, above);
}

uint32_t ovi_bvh_insert(ovi_bvh *tree, const ov_aabb *box, uint32_t item) {
    uint32_t leaf = take_node(tree);
    tree->nodes[leaf] = (ovi_bvh_node){.box = *box, .child = {OVI_NO_NODE, item}};
    attach(tree, leaf);
    tree->leaves++;
    return leaf;
}

void ovi_bvh_remove(ovi_bvh *tree, uint32_t leaf) {
    detach(tree, leaf);
    give_node(tree, leaf);
    tree->leaves--;
    tree->changes++;
}

bool ovi_bvh_set_box(ovi_bvh *tree, uint32_t leaf, const ov_aabb *box) {
    ovi_bvh_node *n = &tree->nodes[leaf];
    bool near = ovi_boxes_meet(&n->box, box);
    if (near) {
        n->box = *box;
    }
    return near;
}

/* Only the parents of leaves whose boxes were set can be out of date, and above a node that changes
 * the next one is fitted: where that ends, nothing further up depends on this leaf any more. */
void ovi_bvh_fit(ovi_bvh *tree, uint32_t leaf) {
    tree->changes++;
    uint32_t node = tree->nodes[leaf].parent;
    while (node != OVI_NO_NODE && fit(tree, node)) {
        node = tree->nodes[node].parent;
    }
}

void ovi_bvh_change(ovi_bvh *tree, uint32_t leaf, const ov_aabb *box) {
    if (ovi_bvh_set_box(tree, leaf, box)) {
        ovi_bvh_fit(tree, leaf);
        return;
    }
    detach(tree, leaf);
    tree->nodes[leaf].box = *box;
    attach(tree, leaf);
}

/* ---- from scratch */

/** Where the nodes of a new tree go. */
typedef struct renewal {
    ovi_bvh_node *nodes;
    const uint32_t *order, *items;
} renewal;

static void take_built(void *user, const ovi_bvh_made *made) {
    const renewal *r = user;
    ovi_bvh_node *n = &r->nodes[made->index];
    *n = (ovi_bvh_node){.box = made->box, .parent = made->parent};
    if (made->parent != OVI_NO_NODE) {
        r->nodes[made->parent].child[made->second] = made->index;
    }
    if (made->leaf) {
        n->child[0] = OVI_NO_NODE;
        n->child[1] = r->items[r->order[made->first]];
    }
}

/** Heights from the leaves up: children have larger numbers than their parents. */
static void measure_heights(ovi_bvh_node *nodes, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        ovi_bvh_node *n = &nodes[i];
        if (!ovi_bvh_is_leaf(n)) {
            uint32_t p = nodes[n->child[0]].height, q = nodes[n->child[1]].height;
            n->height = 1 + (p > q ? p : q);
        }
    }
}

bool ovi_bvh_rebuild(ovi_bvh *tree, const ov_allocator *allocator, uint32_t *order) {
    size_t leaves = tree->leaves;
    tree->changes = leaves == 0 ? 0 : tree->changes;
    if (leaves == 0) {
        return true;
    }
    ov_aabb *boxes = ovi_resize(allocator, NULL, 0, leaves, sizeof *boxes);
    uint32_t *items = ovi_resize(allocator, NULL, 0, leaves, sizeof *items);
    bool good = boxes != NULL && items != NULL;
    if (good) {
        size_t count = 0;
        for (uint32_t i = 0; i < tree->used && count < leaves; i++) {
            const ovi_bvh_node *n = &tree->nodes[i];
            if (n->height == 0) {
                boxes[count] = n->box;
                items[count++] = ovi_bvh_item(n);
            }
        }
        renewal r = {tree->nodes, order, items};
        ovi_bvh_build(boxes, (uint32_t)leaves, 1, order, take_built, &r);
        tree->used = (uint32_t)(2 * leaves - 1);
        tree->root = 0;
        tree->free = OVI_NO_NODE;
        tree->changes = 0;
        measure_heights(tree->nodes, tree->used);
        for (size_t i = 0; i < leaves; i++) {
            order[i] = items[order[i]];
        }
    }
    ovi_release(allocator, boxes, leaves, sizeof *boxes);
    ovi_release(allocator, items, leaves, sizeof *items);
    return good;
}

/* ---- searches */

/** Is the tree within the stack of a search? */
static bool is_shallow(const ovi_bvh *t) {
    return t->root == OVI_NO_NODE || t->nodes[t->root].height <= OVI_BVH_STACK;
}

static double key_of_meeting(void *user, const ov_aabb *box) {
    return ovi_boxes_meet(user, box) ? 0.0 : INFINITY;
}

/** The slow way, of a tree that is too deep. */
static bool scan(const ovi_bvh *t, ovi_bvh_key key, void *key_user, ovi_bvh_visit visit,
                 void *user) {
    for (uint32_t i = 0; i < t->used; i++) {
        const ovi_bvh_node *n = &t->nodes[i];
        if (n->height == 0 && key(key_user, &n->box) < INFINITY &&
            !visit(user, i, ovi_bvh_item(n))) {
            return false;
        }
    }
    return true;
}

bool ovi_bvh_meet(const ovi_bvh *tree, const ov_aabb *box, ovi_bvh_visit visit, void *user) {
    uint32_t stack[OVI_BVH_STACK + 2];
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
        const ovi_bvh_node *n = &tree->nodes[node];
        if (!ovi_boxes_meet(&n->box, box)) {
            continue;
        }
        if (!ovi_bvh_is_leaf(n)) {
            stack[top++] = n->child[1];
            stack[top++] = n->child[0];
        } else if (!visit(user, node, ovi_bvh_item(n))) {
            return false;
        }
    }
    return true;
}

bool ovi_bvh_search(const ovi_bvh *tree, ovi_bvh_key key, ovi_bvh_visit visit, void *user) {
    uint32_t stack[OVI_BVH_STACK + 2];
    int top = 0;
    if (!is_shallow(tree)) {
        return scan(tree, key, user, visit, user);
    }
    if (tree->root != OVI_NO_NODE) {
        stack[top++] = tree->root;
    }
    while (top > 0) {
        uint32_t node = stack[--top];
        const ovi_bvh_node *n = &tree->nodes[node];
        if (!(key(user, &n->box) < INFINITY)) {
            continue;
        }
        if (ovi_bvh_is_leaf(n)) {
            if (!visit(user, node, ovi_bvh_item(n))) {
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
