/**
 * @file trimesh_tree.c
 * @brief The tree of boxes over the triangles of a mesh, built from the top by the surface-area
 * heuristic over a few bins a level.
 *
 * A node's triangles are put into bins by the middles of their boxes along each axis; of all cuts
 * between two bins the one with the least sum of area times number is taken [Wald 2007]. Triangles
 * that no cut tells apart, however many, are halved as they come. So are those of a node that could
 * otherwise end deeper than OVI_TRIMESH_DEPTH: at level d, m triangles take log2(m) more levels by
 * halving, and the heuristic is free only as long as that fits. So every way down is bounded, and
 * with it the stacks of all queries and the time of the build: no triangle is looked at more often
 * than there are levels.
 *
 * The build has a stack of its own; nodes are written in the order in which a descent that goes
 * left first meets them.
 */
#include "trimesh_internal.h"

enum { BINS = 16, NO_PARENT = -1 };

typedef struct bin {
    ov_aabb box;
    uint32_t count;
} bin;

typedef struct builder {
    ov_trimesh *mesh;
    ov_aabb *boxes; // of the triangles
} builder;

/** Part of `order` that becomes a subtree. */
typedef struct span {
    uint32_t first, count;
    int depth;
    int64_t parent; // whose right child it is
} span;

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

/** Half the surface, in units of a length: the squares of tiny and huge boxes stay in range. */
static double area(const ov_aabb *b, double unit) {
    double x = (b->max.x - b->min.x) / unit, y = (b->max.y - b->min.y) / unit;
    double z = (b->max.z - b->min.z) / unit;
    return x * y + y * z + z * x;
}

/** A way to cut a span in two: what is in a bin below `bin` goes left. */
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
static void try_axis(const builder *w, const span *s, double unit, cut c, cut *best) {
    bin bins[BINS];
    for (int i = 0; i < BINS; i++) {
        bins[i] = (bin){no_box(), 0};
    }
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        const ov_aabb *box = &w->boxes[w->mesh->order[i]];
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
        right[i] = area(&box, unit) * count;
    }
    box = no_box();
    count = 0;
    for (int i = 1; i < BINS; i++) {
        box_add(&box, &bins[i - 1].box);
        count += bins[i - 1].count;
        c.cost = area(&box, unit) * count + right[i];
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
static uint32_t part(const builder *w, const span *s, const cut *c) {
    uint32_t *order = w->mesh->order, lo = s->first, hi = s->first + s->count;
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

/** Divides a span of more than a leaf's triangles; how many go left. */
static uint32_t divide(const builder *w, const span *s, const ov_aabb *box) {
    uint32_t half = s->count / 2;
    if (s->depth + 1 + levels_to_halve(s->count - 1) > OVI_TRIMESH_DEPTH) {
        return half;
    }
    ov_vec3 extent = ov_vec3_sub(box->max, box->min);
    double unit = fmax(extent.x, fmax(extent.y, extent.z));
    cut best = {.cost = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = s->first; i < s->first + s->count; i++) {
            double m = middle(&w->boxes[w->mesh->order[i]], axis);
            lo = m < lo ? m : lo;
            hi = m > hi ? m : hi;
        }
        if (hi > lo) {
            try_axis(w, s, unit, (cut){.axis = axis, .lo = lo, .width = hi - lo}, &best);
        }
    }
    return isinf(best.cost) ? half : part(w, s, &best);
}

/** The slab of a node: across the mean normal, whichever way round each triangle is. */
static void set_slab(const builder *w, const span *s, ovi_trimesh_node *node) {
    const ov_trimesh *mesh = w->mesh;
    ov_vec3 sum = {0.0, 0.0, 0.0}, c[3];
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        ovi_trimesh_corners(mesh, mesh->order[i], c);
        ov_vec3 n = ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]));
        sum = ov_vec3_add_scaled(sum, n, ov_vec3_dot(n, sum) < 0.0 ? -1.0 : 1.0);
    }
    node->axis = ov_vec3_normalize(sum);
    if (!(ov_vec3_dot(node->axis, node->axis) > 0.5)) {
        node->axis = ov_vec3_make(1.0, 0.0, 0.0); // no area: as good as any
    }
    node->lo = INFINITY;
    node->hi = -INFINITY;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        ovi_trimesh_corners(mesh, mesh->order[i], c);
        double hi = ovi_corners_top(c, node->axis);
        double lo = -ovi_corners_top(c, ov_vec3_neg(node->axis));
        node->lo = lo < node->lo ? lo : node->lo;
        node->hi = hi > node->hi ? hi : node->hi;
    }
    double middle_along = ov_vec3_dot(node->axis, ovi_box_centre(&node->box));
    node->lo -= middle_along;
    node->hi -= middle_along;
}

static void build_nodes(const builder *w) {
    ov_trimesh *mesh = w->mesh;
    span stack[OVI_TRIMESH_DEPTH + 2];
    int top = 0;
    stack[top++] = (span){0, (uint32_t)mesh->triangle_count, 0, NO_PARENT};
    while (top > 0) {
        span s = stack[--top];
        uint32_t index = (uint32_t)mesh->node_count++;
        ovi_trimesh_node *node = &mesh->nodes[index];
        *node = (ovi_trimesh_node){.box = no_box(), .first = s.first, .count = s.count};
        for (uint32_t i = s.first; i < s.first + s.count; i++) {
            box_add(&node->box, &w->boxes[mesh->order[i]]);
        }
        set_slab(w, &s, node);
        if (s.parent != NO_PARENT) {
            mesh->nodes[s.parent].first = index;
        }
        if (s.count <= OVI_TRIMESH_LEAF) {
            continue;
        }
        uint32_t left = divide(w, &s, &node->box);
        node->count = 0;
        stack[top++] = (span){s.first + left, s.count - left, s.depth + 1, index};
        stack[top++] = (span){s.first, left, s.depth + 1, NO_PARENT};
    }
}

bool ovi_trimesh_build(ov_trimesh *mesh) {
    const ov_allocator *memory = &mesh->allocator;
    size_t count = mesh->triangle_count, most = 2 * count - 1;
    builder w = {mesh, ovi_resize(memory, NULL, 0, count, sizeof *w.boxes)};
    mesh->order = ovi_resize(memory, NULL, 0, count, sizeof *mesh->order);
    mesh->nodes = ovi_resize(memory, NULL, 0, most, sizeof *mesh->nodes);
    bool good = w.boxes != NULL && mesh->order != NULL && mesh->nodes != NULL;
    mesh->node_count = 0;
    if (good) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t *t = mesh->triangles[i];
            const ov_vec3 corners[3] = {mesh->vertices[t[0]], mesh->vertices[t[1]],
                                        mesh->vertices[t[2]]};
            w.boxes[i] = ovi_corners_box(corners);
            mesh->order[i] = (uint32_t)i;
        }
        build_nodes(&w);
    }
    ovi_release(memory, w.boxes, count, sizeof *w.boxes);
    // what is too much goes back; it is the allocator's own affair whether it can
    ovi_trimesh_node *fit =
        good ? ovi_resize(memory, mesh->nodes, most, mesh->node_count, sizeof *fit) : NULL;
    if (fit == NULL) {
        ovi_release(memory, mesh->nodes, most, sizeof *mesh->nodes);
        mesh->nodes = NULL;
        return false;
    }
    mesh->nodes = fit;
    return true;
}
