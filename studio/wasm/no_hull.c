/**
 * @file no_hull.c
 * @brief The module has no qhull: sketches have no polyhedra, and the writers, which could write
 * some, are told so.
 */
#include <ovoid/io_mesh.h>

ov_status ov_hull_create(const ov_vec3 *points, size_t count, ov_hull **hull) {
    (void)points;
    (void)count;
    *hull = NULL;
    return OV_ERROR_MISSING;
}

void ov_hull_destroy(ov_hull *hull) { (void)hull; }

ov_status ov_hull_shape(const ov_hull *hull, ov_shape *shape) {
    (void)hull;
    (void)shape;
    return OV_ERROR_MISSING;
}

size_t ov_hull_vertex_count(const ov_hull *hull) {
    (void)hull;
    return 0;
}

size_t ov_hull_triangle_count(const ov_hull *hull) {
    (void)hull;
    return 0;
}

const ov_vec3 *ov_hull_vertices(const ov_hull *hull) {
    (void)hull;
    return NULL;
}

const uint32_t (*ov_hull_triangles(const ov_hull *hull))[3] {
    (void)hull;
    return NULL;
}
