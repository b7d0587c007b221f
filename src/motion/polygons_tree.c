/**
 * @file polygons_tree.c
 * @brief The tree of boxes over polygons: that of the worlds, with a leaf for each polygon.
 *
 * Boxes are minima and maxima of given numbers, so they are exact. Walks may go down by recursion:
 * a tree that was built and never changed is less than OVI_TREE_DEPTH_MAX deep.
 */
#include "polygons.h"

static ov_aabb box_of(const ov_polygons *s, const ovi_polygon *polygon) {
    ov_vec3 first = ovi_polygon_corner(s, polygon, 0);
    ov_aabb box = {first, first};
    for (size_t i = 1; i < polygon->count; i++) {
        ov_vec3 v = ovi_polygon_corner(s, polygon, i);
        box = ovi_box_union(&box, &(ov_aabb){v, v});
    }
    return box;
}

bool ovi_polygons_build_tree(ov_polygons *s) {
    s->tree = ovi_tree_empty();
    uint32_t *order = ovi_resize(&s->allocator, NULL, 0, s->count, sizeof *order);
    bool good = order != NULL && ovi_tree_reserve(&s->tree, &s->allocator, s->count);
    if (good) {
        // leaves without a tree above them, which the build makes
        for (size_t i = 0; i < s->count; i++) {
            s->tree.nodes[i] = (ovi_node){.box = box_of(s, &s->polygons[i]),
                                          .parent = OVI_NO_NODE,
                                          .child = {OVI_NO_NODE, (uint32_t)i}};
        }
        s->tree.used = s->tree.leaves = (uint32_t)s->count;
        good = ovi_tree_build(&s->tree, &s->allocator, order);
    }
    ovi_release(&s->allocator, order, s->count, sizeof *order);
    return good;
}
