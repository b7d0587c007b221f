/**
 * @file trimesh_tree.c
 * @brief The tree of boxes over the triangles of a mesh (bvh.c), with a slab for each node.
 */
#include "trimesh_internal.h"

/** The slab of a node: across the mean normal, whichever way round each triangle is. */
static void set_slab(const ov_trimesh *mesh, const ovi_bvh_made *s, ovi_trimesh_node *node) {
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

static void take_node(void *user, const ovi_bvh_made *made) {
    ov_trimesh *mesh = user;
    ovi_trimesh_node *node = &mesh->nodes[made->index];
    *node = (ovi_trimesh_node){
        .box = made->box, .first = made->first, .count = made->leaf ? made->count : 0};
    set_slab(mesh, made, node);
    if (made->second) {
        mesh->nodes[made->parent].first = made->index;
    }
    mesh->node_count++;
}

bool ovi_trimesh_build(ov_trimesh *mesh) {
    const ov_allocator *memory = &mesh->allocator;
    size_t count = mesh->triangle_count, most = 2 * count - 1;
    ov_aabb *boxes = ovi_resize(memory, NULL, 0, count, sizeof *boxes);
    mesh->order = ovi_resize(memory, NULL, 0, count, sizeof *mesh->order);
    mesh->nodes = ovi_resize(memory, NULL, 0, most, sizeof *mesh->nodes);
    bool good = boxes != NULL && mesh->order != NULL && mesh->nodes != NULL;
    mesh->node_count = 0;
    if (good) {
        for (size_t i = 0; i < count; i++) {
            ov_vec3 corners[3];
            ovi_trimesh_corners(mesh, i, corners);
            boxes[i] = ovi_corners_box(corners);
        }
        ovi_bvh_build(boxes, (uint32_t)count, OVI_TRIMESH_LEAF, mesh->order, take_node, mesh);
    }
    ovi_release(memory, boxes, count, sizeof *boxes);
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
