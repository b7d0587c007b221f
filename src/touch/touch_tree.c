/**
 * @file touch_tree.c
 * @brief The exact side of a map: nearest points of triangles, and searches for them in the tree of
 * a mesh.
 *
 * A nearest point is on its triangle to rounding, so its distance is an upper bound whatever
 * rounding did to the choice between face, edges and corners. The lower bound is proven apart: all
 * of a triangle is behind the plane across the line to its nearest point that passes its foremost
 * corner (ovi_facet_ahead). Slivers, of which the nearest point may be off by some 1e-8 of their
 * length, have a weaker lower bound and never a false one.
 */
#include "touch_internal.h"

/* ---- one triangle */

static ovi_facet facet_of(const ov_trimesh *mesh, uint32_t triangle) {
    ov_vec3 c[3];
    ovi_trimesh_corners(mesh, triangle, c);
    ovi_facet f = {.a = c[0], .ab = ov_vec3_sub(c[1], c[0]), .ac = ov_vec3_sub(c[2], c[0])};
    f.bb = ov_vec3_dot(f.ab, f.ab);
    f.bc = ov_vec3_dot(f.ab, f.ac);
    f.cc = ov_vec3_dot(f.ac, f.ac);
    f.det = f.bb * f.cc - f.bc * f.bc;
    // what is left of a sliver is rounding: its edges are as good as its face
    f.det = f.det > 16.0 * DBL_EPSILON * f.bb * f.cc ? f.det : 0.0;
    return f;
}

/* ---- the tree */

static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float above(double x) { return -below(-x); }

bool ovi_touch_tree_make(const ov_trimesh *mesh, const ov_allocator *allocator,
                         ovi_touch_tree *tree) {
    *tree = (ovi_touch_tree){
        .order = mesh->order, .node_count = mesh->node_count, .facet_count = mesh->triangle_count};
    tree->nodes = ovi_resize(allocator, NULL, 0, tree->node_count, sizeof *tree->nodes);
    tree->facets = ovi_resize(allocator, NULL, 0, tree->facet_count, sizeof *tree->facets);
    if (tree->nodes == NULL || tree->facets == NULL) {
        ovi_touch_tree_free(allocator, tree);
        return false;
    }
    ov_vec3 size = ov_vec3_sub(mesh->nodes[0].box.max, mesh->nodes[0].box.min);
    tree->unsure =
        4e-7 * ov_vec3_length(size) + ovi_touch_rounding(ov_vec3_length(mesh->nodes[0].box.min) +
                                                         ov_vec3_length(mesh->nodes[0].box.max));
    for (size_t i = 0; i < tree->node_count; i++) {
        const ovi_trimesh_node *n = &mesh->nodes[i];
        tree->nodes[i] =
            (ovi_touch_node){.lo = {below(n->box.min.x), below(n->box.min.y), below(n->box.min.z)},
                             .hi = {above(n->box.max.x), above(n->box.max.y), above(n->box.max.z)},
                             .first = n->first,
                             .count = n->count};
    }
    for (size_t i = 0; i < tree->facet_count; i++) {
        tree->facets[i] = facet_of(mesh, mesh->order[i]);
    }
    return true;
}

void ovi_touch_tree_free(const ov_allocator *allocator, ovi_touch_tree *tree) {
    ovi_release(allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
    ovi_release(allocator, tree->facets, tree->facet_count, sizeof *tree->facets);
    tree->nodes = NULL;
    tree->facets = NULL;
}

static double box_square(const ovi_touch_node *n, ov_vec3 p) {
    double x = n->lo[0] - p.x > p.x - n->hi[0] ? n->lo[0] - p.x : p.x - n->hi[0];
    double y = n->lo[1] - p.y > p.y - n->hi[1] ? n->lo[1] - p.y : p.y - n->hi[1];
    double z = n->lo[2] - p.z > p.z - n->hi[2] ? n->lo[2] - p.z : p.z - n->hi[2];
    x = x > 0.0 ? x : 0.0;
    y = y > 0.0 ? y : 0.0;
    z = z > 0.0 ? z : 0.0;
    return x * x + y * y + z * z;
}

typedef struct waiting {
    uint32_t node;
    double square;
} waiting;

/** Lower bound of the distance to a facet whose nearest point is `length` away. Very near to a face
 *  the way there has no direction to speak of; its normal has. */
static double proven_distance(const ovi_facet *f, ov_vec3 p, ov_vec3 away, double length) {
    if (!(length > DBL_MIN)) {
        return 0.0; // no direction, no proof: it is as near as can be
    }
    double lower = ovi_facet_ahead(f, p, ov_vec3_scale(away, 1.0 / length));
    if (f->det > 0.0 && lower < length * (1.0 - 1e-12)) {
        ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(f->ab, f->ac));
        n = ov_vec3_dot(n, away) < 0.0 ? ov_vec3_neg(n) : n;
        lower = ovi_larger(lower, ovi_facet_ahead(f, p, n));
    }
    return lower;
}

/** `square` is that of the distance found, `reach` the square of what still needs a proof. */
static void look_at(const ovi_touch_tree *tree, uint32_t facet, ov_vec3 p, ovi_nearest *near,
                    double *square, double *reach) {
    const ovi_facet *f = &tree->facets[facet];
    ov_vec3 q = ovi_facet_nearest(f, p), away = ov_vec3_sub(p, q);
    double d = ov_vec3_dot(away, away);
    if (d > *reach) {
        return; // further than what was found, even if it is as far off as can be
    }
    double length = sqrt(d), lower = proven_distance(f, p, away, length);
    near->lower = lower < near->lower ? lower : near->lower;
    if (d < *square) {
        *square = d;
        *reach = (length + tree->unsure) * (length + tree->unsure);
        *near = (ovi_nearest){length, near->lower, q, tree->order[facet]};
    }
}

ovi_nearest ovi_touch_nearest(const ovi_touch_tree *tree, ov_vec3 p, double reach) {
    waiting stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    ovi_nearest near = {reach, INFINITY, p, OV_NO_TRIANGLE};
    double square = reach * reach, wide = (reach + tree->unsure) * (reach + tree->unsure);
    const ovi_touch_node *nodes = tree->nodes;
    stack[top++] = (waiting){0, box_square(&nodes[0], p)};
    while (top > 0) {
        waiting at = stack[--top];
        const ovi_touch_node *node = &nodes[at.node];
        if (at.square > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_at(tree, node->first + i, p, &near, &square, &wide);
        }
        if (node->count == 0) {
            waiting left = {at.node + 1, box_square(&nodes[at.node + 1], p)};
            waiting right = {node->first, box_square(&nodes[node->first], p)};
            bool left_first = left.square <= right.square;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
    // what was passed over is no nearer than what was found
    near.lower = near.lower < near.distance ? near.lower : near.distance;
    return near;
}

uint32_t ovi_touch_within(const ovi_touch_tree *tree, ov_vec3 p, double reach, uint32_t *list) {
    uint32_t stack[OVI_BVH_DEPTH + 2], count = 0;
    int top = 0;
    double square = reach * reach;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_touch_node *node = &tree->nodes[at];
        if (box_square(node, p) > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            list[count++] = node->first + i;
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = at + 1;
        }
    }
    return count;
}

/* ---- triangles that cross

   Two triangles are apart if they are so along the normal of one of them, or along a vector across
   an edge of each. Such a vector has rounding of its own, which counts by how far the triangles
   reach, so that slivers prove nothing. */

static double extent(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** Are two triangles apart along the product of two vectors, by more than the error? */
static bool are_apart(const ov_vec3 a[3], const ov_vec3 b[3], ov_vec3 u, ov_vec3 v, double error) {
    ov_vec3 n = ov_vec3_cross(u, v);
    double a_lo = INFINITY, a_hi = -INFINITY, b_lo = INFINITY, b_hi = -INFINITY, size = 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 to_a = ov_vec3_sub(a[i], a[0]), to_b = ov_vec3_sub(b[i], a[0]);
        double x = ov_vec3_dot(n, to_a), y = ov_vec3_dot(n, to_b);
        a_lo = x < a_lo ? x : a_lo;
        a_hi = x > a_hi ? x : a_hi;
        b_lo = y < b_lo ? y : b_lo;
        b_hi = y > b_hi ? y : b_hi;
        size += extent(to_a) + extent(to_b);
    }
    double margin = 2.0 * error * extent(n) + 16.0 * DBL_EPSILON * extent(u) * extent(v) * size;
    return a_lo > b_hi + margin || b_lo > a_hi + margin;
}

static bool facet_crosses(const ovi_facet *f, const ov_vec3 c[3], double error) {
    const ov_vec3 own[3] = {f->a, ov_vec3_add(f->a, f->ab), ov_vec3_add(f->a, f->ac)};
    if (are_apart(own, c, f->ab, f->ac, error) ||
        are_apart(own, c, ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]), error)) {
        return false;
    }
    for (int k = 0; k < 9; k++) {
        if (are_apart(own, c, ov_vec3_sub(own[(k % 3 + 1) % 3], own[k % 3]),
                      ov_vec3_sub(c[(k / 3 + 1) % 3], c[k / 3]), error)) {
            return false;
        }
    }
    return true;
}

bool ovi_touch_crosses(const ovi_touch_tree *tree, const ov_vec3 corners[3], double error) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    ov_aabb box = ovi_corners_box(corners);
    box = ovi_box_grow(box, error);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_touch_node *n = &tree->nodes[at];
        if (n->lo[0] > box.max.x || n->hi[0] < box.min.x || n->lo[1] > box.max.y ||
            n->hi[1] < box.min.y || n->lo[2] > box.max.z || n->hi[2] < box.min.z) {
            continue;
        }
        for (uint32_t i = 0; i < n->count; i++) {
            if (facet_crosses(&tree->facets[n->first + i], corners, error)) {
                return true;
            }
        }
        if (n->count == 0) {
            stack[top++] = n->first;
            stack[top++] = at + 1;
        }
    }
    return false;
}
