/**
 * @file tree_build.c
 * @brief The tree of boxes from scratch, by the surface-area heuristic in bins.
 *
 * Leaves are split along the axis, of three, and the plane, of fifteen between sixteen bins of
 * their centres, whose two sides have the least (surface times leaves) in sum. Where that does not
 * help (all centres in one bin), or the tree gets too deep, a half goes to each side. The nodes are
 * written in depth-first order: a node, its first side, its second side.
 */
#include "tree.h"

enum { BINS = 16, DEPTH_SPLIT_EVENLY = 64 };

/** A leaf on its way into the new tree. */
typedef struct seed {
    ov_aabb box;
    uint32_t item;
} seed;

typedef struct builder {
    seed *seeds;
    ovi_node *nodes;
    uint32_t used;
} builder;

static const ov_aabb NOTHING = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static double axis_of(ov_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/** Twice the centre of a box, along an axis. */
static double centre2(const seed *s, int axis) {
    return axis_of(s->box.min, axis) + axis_of(s->box.max, axis);
}

static double surface(const ov_aabb *b) {
    double x = b->max.x - b->min.x, y = b->max.y - b->min.y, z = b->max.z - b->min.z;
    return x >= 0.0 ? x * y + y * z + z * x : 0.0;
}

typedef struct bins {
    double first, scale; /**< bin = (centre2 - first) scale */
    size_t count[BINS];
    ov_aabb box[BINS];
} bins;

static int bin_of(const bins *b, double centre) {
    double x = (centre - b->first) * b->scale;
    return x >= BINS - 1 ? BINS - 1 : x > 0.0 ? (int)x : 0;
}

static void fill_bins(const seed *s, size_t count, int axis, double lo, double hi, bins *b) {
    b->first = lo;
    b->scale = BINS / (hi - lo);
    for (int i = 0; i < BINS; i++) {
        b->count[i] = 0;
        b->box[i] = NOTHING;
    }
    for (size_t i = 0; i < count; i++) {
        int k = bin_of(b, centre2(&s[i], axis));
        b->count[k]++;
        b->box[k] = ovi_box_union(&b->box[k], &s[i].box);
    }
}

/** Least cost over the planes between bins; the plane is behind bin *last. */
static double best_plane(const bins *b, int *last) {
    double right[BINS];
    ov_aabb box = NOTHING;
    size_t count = 0;
    for (int i = BINS - 1; i > 0; i--) {
        box = ovi_box_union(&box, &b->box[i]);
        count += b->count[i];
        right[i] = surface(&box) * (double)count;
    }
    double best = INFINITY;
    box = NOTHING;
    count = 0;
    for (int i = 0; i + 1 < BINS; i++) {
        box = ovi_box_union(&box, &b->box[i]);
        count += b->count[i];
        double cost = surface(&box) * (double)count + right[i + 1];
        if (cost < best) {
            best = cost;
            *last = i;
        }
    }
    return best;
}

/** Brings those that are in the bins up to `last` to the front; returns how many they are. */
static size_t partition(seed *s, size_t count, int axis, const bins *b, int last) {
    size_t front = 0;
    for (size_t i = 0; i < count; i++) {
        if (bin_of(b, centre2(&s[i], axis)) <= last) {
            seed swap = s[front];
            s[front++] = s[i];
            s[i] = swap;
        }
    }
    return front;
}

/** Splits seeds in two; returns how many are in front. */
static size_t split(seed *s, size_t count, int depth) {
    double best = INFINITY;
    int best_axis = -1, best_last = 0;
    bins best_bins;
    for (int axis = 0; axis < 3 && depth < DEPTH_SPLIT_EVENLY; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            double c = centre2(&s[i], axis);
            lo = c < lo ? c : lo;
            hi = c > hi ? c : hi;
        }
        if (!(hi > lo) || !isfinite(BINS / (hi - lo))) {
            continue;
        }
        bins b;
        int last = 0;
        fill_bins(s, count, axis, lo, hi, &b);
        double cost = best_plane(&b, &last);
        if (cost < best) {
            best = cost;
            best_axis = axis;
            best_last = last;
            best_bins = b;
        }
    }
    if (best_axis < 0) {
        return count / 2;
    }
    size_t front = partition(s, count, best_axis, &best_bins, best_last);
    return front == 0 || front == count ? count / 2 : front;
}

/** Recursion is as deep as the tree: at most 64 splits that may be lopsided, then halves. */
static uint32_t build(builder *b, size_t begin, size_t end, uint32_t parent, int depth) {
    uint32_t node = b->used++;
    ovi_node *n = &b->nodes[node];
    n->parent = parent;
    if (end - begin == 1) {
        n->box = b->seeds[begin].box;
        n->child[0] = OVI_NO_NODE;
        n->child[1] = b->seeds[begin].item;
        n->height = 0;
        return node;
    }
    size_t middle = begin + split(b->seeds + begin, end - begin, depth);
    uint32_t first = build(b, begin, middle, node, depth + 1);
    uint32_t second = build(b, middle, end, node, depth + 1);
    const ovi_node *p = &b->nodes[first], *q = &b->nodes[second];
    n->child[0] = first;
    n->child[1] = second;
    n->box = ovi_box_union(&p->box, &q->box);
    n->height = 1 + (p->height > q->height ? p->height : q->height);
    return node;
}

bool ovi_tree_build(ovi_tree *tree, const ov_allocator *allocator, uint32_t *order) {
    size_t leaves = tree->leaves;
    if (leaves == 0) {
        tree->changes = 0;
        return true;
    }
    seed *seeds = ovi_resize(allocator, NULL, 0, leaves, sizeof(seed));
    if (seeds == NULL) {
        return false;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < tree->used && count < leaves; i++) {
        const ovi_node *n = &tree->nodes[i];
        if (n->height == 0) {
            seeds[count++] = (seed){n->box, ovi_item(n)};
        }
    }
    builder b = {seeds, tree->nodes, 0};
    tree->root = build(&b, 0, leaves, OVI_NO_NODE, 0);
    tree->used = b.used;
    tree->free = OVI_NO_NODE;
    tree->changes = 0;
    for (size_t i = 0; i < leaves; i++) {
        order[i] = seeds[i].item;
    }
    ovi_release(allocator, seeds, leaves, sizeof(seed));
    return true;
}
