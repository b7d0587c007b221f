/**
 * @file svg_mesh.c
 * @brief A mesh as its triangles, painted from the back to the front.
 *
 * A mesh need be neither convex nor closed, so both sides of a triangle may be seen, and what hides
 * what is told by depth: that of the middle of each triangle, which is a guess where they cross.
 */
#include "svg_mesh.h"

#include <stdlib.h>

#include "svg_flat.h"

typedef struct layer {
    double depth;
    size_t triangle;
} layer;

static int compare_layers(const void *a, const void *b) {
    const layer *p = a, *q = b;
    if (p->depth < q->depth || p->depth > q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

ov_status svg_mesh_draw(FILE *out, const ov_trimesh *mesh, const svg_view *view,
                        const svg_ramp *ramp) {
    size_t count = ov_trimesh_triangle_count(mesh);
    const ov_vec3 *v = ov_trimesh_vertices(mesh);
    const uint32_t(*triangles)[3] = ov_trimesh_triangles(mesh);
    layer *layers = malloc(count * sizeof *layers);
    if (layers == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *t = triangles[i];
        ov_vec3 sum = ov_vec3_add(ov_vec3_add(v[t[0]], v[t[1]]), v[t[2]]);
        layers[i] = (layer){ov_vec3_dot(sum, view->eye), i};
    }
    qsort(layers, count, sizeof *layers, compare_layers);
    ov_status status = OV_OK;
    for (size_t i = 0; i < count && status >= 0; i++) {
        const uint32_t *t = triangles[layers[i].triangle];
        ov_shape triangle;
        // one without area cannot be seen
        if (ov_shape_make_triangle(v[t[0]], v[t[1]], v[t[2]], &triangle) >= 0) {
            status = svg_flat_draw(out, &triangle, view, ramp);
        }
    }
    free(layers);
    return status;
}
