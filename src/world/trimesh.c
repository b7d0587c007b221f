/**
 * @file trimesh.c
 * @brief Triangle meshes: made, checked, and looked into; a triangle of a mesh as a shape.
 *
 * Files hold triangles of every kind, so what a triangle spans is settled once, when the mesh is
 * made. Corners that are equal make it a segment or a point. One that is thinner than a triangle
 * shape may be (ov_shape_make_triangle) is the hull of its corners by their support function: the
 * closed forms would divide by its height, while the support-based solver needs supports alone.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "../shape/shape_internal.h"
#include "trimesh_internal.h"

/* ---- triangles as shapes */

static ov_shape_kind kind_of(const ov_vec3 c[3]) {
    bool ab = ovi_same_point(c[0], c[1]), bc = ovi_same_point(c[1], c[2]),
         ca = ovi_same_point(c[2], c[0]);
    if (ab || bc || ca) {
        return ab && bc ? OV_SHAPE_KIND_POINT : OV_SHAPE_KIND_SEGMENT;
    }
    ovi_face face = ovi_face_make(c[0], c[1], c[2]);
    double reach = fmax(ovi_max_abs(c[0]), fmax(ovi_max_abs(c[1]), ovi_max_abs(c[2])));
    bool thin = !(face.height > OVI_FLAT * face.length) ||
                face.height <= OVI_FLAT_ROUNDING * reach || face.height < OV_SIZE_MIN;
    return thin ? OV_SHAPE_KIND_CUSTOM : OV_SHAPE_KIND_TRIANGLE;
}

/** Farthest corner from a point. */
static double farthest(const ov_vec3 c[3], ov_vec3 from) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = ov_vec3_length(ov_vec3_sub(c[i], from));
        most = d > most ? d : most;
    }
    return most;
}

void ovi_trimesh_triangle_at(const ov_trimesh *mesh, uint32_t index, ovi_trimesh_triangle *out) {
    ov_vec3 *c = out->corners;
    ov_shape *s = &out->shape;
    ovi_trimesh_corners(mesh, index, c);
    memset(s, 0, sizeof *s);
    s->kind = (ov_shape_kind)mesh->kinds[index];
    ov_aabb box = ovi_corners_box(c);
    s->ball.centre = ovi_box_centre(&box);
    s->ball.radius = farthest(c, s->ball.centre) * (1.0 + OVI_BOUND_MARGIN);
    if (s->kind == OV_SHAPE_KIND_CUSTOM) {
        s->u.custom.support = ovi_corners_support;
        s->u.custom.user = c;
        return;
    }
    memcpy(s->u.vertices, c, sizeof out->corners);
    if (s->kind == OV_SHAPE_KIND_SEGMENT && ovi_same_point(c[0], c[1])) {
        s->u.vertices[1] = c[2];
    }
}

ov_shape ovi_trimesh_proxy(const ov_trimesh *mesh) {
    ov_shape proxy;
    memset(&proxy, 0, sizeof proxy);
    proxy.kind = OV_SHAPE_KIND_TRIANGLE;
    proxy.ball = mesh->ball;
    return proxy;
}

/* ---- making a mesh */

static ov_status check_input(const ov_vec3 *vertices, size_t vertex_count,
                             const uint32_t (*triangles)[3], size_t triangle_count) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < vertex_count; i++) {
        ov_status at = ovi_check_position(vertices[i]);
        if (at == OV_ERROR_NOT_FINITE) {
            return at; // said first, whichever vertex it is
        }
        status = at != OV_OK ? at : status;
    }
    for (size_t i = 0; i < triangle_count && status == OV_OK; i++) {
        for (int k = 0; k < 3; k++) {
            status = triangles[i][k] < vertex_count ? status : OV_ERROR_INDEX;
        }
    }
    return status;
}

/** About the middle of the box; the vertices that no triangle has do not count. */
static ov_ball ball_of(const ov_trimesh *mesh) {
    ov_ball ball = {ovi_box_centre(&mesh->nodes[0].box), 0.0};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        ov_vec3 c[3];
        ovi_trimesh_corners(mesh, i, c);
        ball.radius = fmax(ball.radius, farthest(c, ball.centre));
    }
    ball.radius *= 1.0 + OVI_BOUND_MARGIN;
    return ball;
}

/** Copies the input and derives the rest; false for want of memory. */
static bool fill(ov_trimesh *mesh, const ov_vec3 *vertices, const uint32_t (*triangles)[3]) {
    const ov_allocator *memory = &mesh->allocator;
    mesh->vertices = ovi_resize(memory, NULL, 0, mesh->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = ovi_resize(memory, NULL, 0, mesh->triangle_count, sizeof *mesh->triangles);
    mesh->kinds = ovi_resize(memory, NULL, 0, mesh->triangle_count, sizeof *mesh->kinds);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->kinds == NULL) {
        return false;
    }
    memcpy(mesh->vertices, vertices, mesh->vertex_count * sizeof *vertices);
    memcpy(mesh->triangles, triangles, mesh->triangle_count * sizeof *triangles);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        ov_vec3 c[3];
        ovi_trimesh_corners(mesh, i, c);
        mesh->kinds[i] = (uint8_t)kind_of(c);
    }
    if (!ovi_trimesh_build(mesh)) {
        return false;
    }
    mesh->ball = ball_of(mesh);
    return ovi_trimesh_find_shells(mesh);
}

static ov_status create(const ov_vec3 *vertices, size_t vertex_count,
                        const uint32_t (*triangles)[3], size_t triangle_count, bool surface,
                        const ov_allocator *allocator, ov_trimesh **mesh) {
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    *mesh = NULL;
    if (vertices == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    if (vertex_count == 0 || triangle_count == 0 || vertex_count > OV_TRIMESH_MAX ||
        triangle_count > OV_TRIMESH_MAX) {
        return OV_ERROR_COUNT;
    }
    ov_status status = check_input(vertices, vertex_count, triangles, triangle_count);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator memory = ovi_allocator_of(allocator);
    ov_trimesh *made = ovi_resize(&memory, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    *made = (ov_trimesh){.allocator = memory,
                         .vertex_count = vertex_count,
                         .triangle_count = triangle_count,
                         .surface = surface};
    if (!fill(made, vertices, triangles)) {
        ov_trimesh_destroy(made);
        return OV_ERROR_MEMORY;
    }
    *mesh = made;
    return OV_OK;
}

ov_status ov_trimesh_create(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count,
                            const ov_allocator *allocator, ov_trimesh **mesh) {
    OVI_NEAREST(ov_status, ov_trimesh_create(vertices, vertex_count, triangles, triangle_count,
                                             allocator, mesh));
    return create(vertices, vertex_count, triangles, triangle_count, false, allocator, mesh);
}

ov_status ov_trimesh_create_surface(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_allocator *allocator, ov_trimesh **mesh) {
    OVI_NEAREST(ov_status, ov_trimesh_create_surface(vertices, vertex_count, triangles,
                                                     triangle_count, allocator, mesh));
    return create(vertices, vertex_count, triangles, triangle_count, true, allocator, mesh);
}

void ov_trimesh_destroy(ov_trimesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    ov_allocator memory = mesh->allocator;
    ovi_release(&memory, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    ovi_release(&memory, mesh->triangles, mesh->triangle_count, sizeof *mesh->triangles);
    ovi_release(&memory, mesh->kinds, mesh->triangle_count, sizeof *mesh->kinds);
    ovi_release(&memory, mesh->order, mesh->triangle_count, sizeof *mesh->order);
    ovi_release(&memory, mesh->nodes, mesh->node_count, sizeof *mesh->nodes);
    ovi_release(&memory, mesh->walls, mesh->triangle_count, sizeof *mesh->walls);
    ovi_release(&memory, mesh->anchors, mesh->anchor_count, sizeof *mesh->anchors);
    ovi_release(&memory, mesh, 1, sizeof *mesh);
}

/* ---- what is in it */

size_t ov_trimesh_vertex_count(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->vertex_count : 0;
}

size_t ov_trimesh_triangle_count(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->triangle_count : 0;
}

const ov_vec3 *ov_trimesh_vertices(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->vertices : NULL;
}

const uint32_t (*ov_trimesh_triangles(const ov_trimesh *mesh))[3] {
    // C17 adds no const to the elements of an array by itself
    return mesh != NULL ? (const uint32_t(*)[3])mesh->triangles : NULL;
}

ov_aabb ov_trimesh_box(const ov_trimesh *mesh) {
    const ov_vec3 none = {NAN, NAN, NAN};
    return mesh != NULL ? mesh->nodes[0].box : (ov_aabb){none, none};
}

ov_ball ov_trimesh_ball(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->ball : (ov_ball){{NAN, NAN, NAN}, NAN};
}
