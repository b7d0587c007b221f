/**
 * @file mesh.c
 * @brief Triangle meshes of shapes: the public plan and fill, and the kinds that bring their own
 * triangles, box and polyhedron.
 *
 * A box has eight vertices and a polyhedron its own, in the caller's order, whatever the options:
 * they are exact, and more would not make them better. All other kinds are grids (mesh_grid.c),
 * planned in mesh_plan.c. The normals of a sharp vertex are the mean of its faces' normals,
 * weighted by their angles there.
 */
#include "mesh_internal.h"

ov_mesh_options ov_default_mesh_options(void) {
    return (ov_mesh_options){.vertices = 1000, .chord_error = 0.0};
}

static const uint32_t box_triangles[12][3] = {
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, // z = -a3, +a3
    {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, // y
    {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, // x
};

/** Corner i: its bits choose the sides of x, y, z. */
static ov_vec3 box_corner(const ov_shape *s, uint32_t i) {
    return ov_vec3_make((i & 1) != 0 ? s->a.x : -s->a.x, (i & 2) != 0 ? s->a.y : -s->a.y,
                        (i & 4) != 0 ? s->a.z : -s->a.z);
}

/* ---- plan */

static ov_status check_meshable(const ov_shape *shape) {
    if (shape->kind <= OV_SHAPE_KIND_NONE || shape->kind >= OV_SHAPE_KIND_COUNT) {
        return OV_ERROR_SHAPE;
    }
    bool own = shape->kind == OV_SHAPE_KIND_BOX ||
               (shape->kind == OV_SHAPE_KIND_POLYHEDRON && shape->u.polyhedron.triangles != NULL);
    return own || ovi_has_grid(shape->kind) ? OV_OK : OV_ERROR_UNSUPPORTED;
}

/** Plan of a box or polyhedron. */
static ov_mesh_plan own_plan(const ov_shape *shape) {
    ov_mesh_plan plan = {.vertex_count = 8, .triangle_count = 12, .spacing = OV_SPACING_EQUAL};
    if (shape->kind == OV_SHAPE_KIND_POLYHEDRON) {
        plan.vertex_count = shape->u.polyhedron.vertex_count;
        plan.triangle_count = shape->u.polyhedron.triangle_count;
    }
    return plan;
}

ov_status ov_shape_mesh_plan(const ov_shape *shape, const ov_mesh_options *options,
                             ov_mesh_plan *plan) {
    if (shape == NULL || plan == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_meshable(shape);
    if (status != OV_OK) {
        return status;
    }
    ov_mesh_options o = options != NULL ? *options : ov_default_mesh_options();
    o.vertices = o.vertices != 0 ? o.vertices : ov_default_mesh_options().vertices;
    bool by_error = o.chord_error > 0.0;
    if (!isfinite(o.chord_error) || o.chord_error < 0.0 ||
        (!by_error && o.vertices > OVI_MESH_MAX_VERTICES)) {
        return OV_ERROR_OPTION;
    }
    if (!ovi_has_grid(shape->kind)) {
        ov_mesh_plan own = own_plan(shape);
        size_t most = by_error ? OVI_MESH_MAX_VERTICES : o.vertices;
        if (own.vertex_count > most) {
            return OV_ERROR_OPTION;
        }
        *plan = own;
        return OV_OK;
    }
    ovi_grid g;
    status = by_error ? ovi_grid_plan_chord(shape, o.chord_error, &g)
                      : ovi_grid_plan_vertices(shape, o.vertices, &g);
    if (status == OV_OK) {
        *plan = (ov_mesh_plan){ovi_grid_vertices(&g), ovi_grid_triangles(&g), (uint32_t)g.around,
                               (uint32_t)g.along, g.spacing};
    }
    return status;
}

/* ---- fill */

/** Angle at corner a of the triangle a, b, c. */
static double corner_angle(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    ov_vec3 ab = ov_vec3_normalize(ov_vec3_sub(b, a)), ac = ov_vec3_normalize(ov_vec3_sub(c, a));
    return atan2(ov_vec3_length(ov_vec3_cross(ab, ac)), ov_vec3_dot(ab, ac));
}

static void weigh_normals(const ov_vec3 *vertices, size_t vertex_count, uint32_t (*triangles)[3],
                          size_t triangle_count, ov_vec3 *normals) {
    for (size_t i = 0; i < vertex_count; i++) {
        normals[i] = ov_vec3_make(0.0, 0.0, 0.0);
    }
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles[t];
        ov_vec3 p[3] = {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
        // unit edges first: their product is in range for every size
        ov_vec3 ab = ov_vec3_normalize(ov_vec3_sub(p[1], p[0]));
        ov_vec3 ac = ov_vec3_normalize(ov_vec3_sub(p[2], p[0]));
        ov_vec3 face = ov_vec3_normalize(ov_vec3_cross(ab, ac));
        for (int i = 0; i < 3; i++) {
            double angle_rad = corner_angle(p[i], p[(i + 1) % 3], p[(i + 2) % 3]);
            normals[v[i]] = ov_vec3_add_scaled(normals[v[i]], face, angle_rad);
        }
    }
    for (size_t i = 0; i < vertex_count; i++) {
        normals[i] = ov_vec3_normalize(normals[i]);
        // a vertex that no triangle names: the polyhedron may have points inside
        if (ov_vec3_dot(normals[i], normals[i]) == 0.0) {
            normals[i] = ov_vec3_make(0.0, 0.0, 1.0);
        }
    }
}

static void own_fill(const ov_shape *shape, const ov_mesh_plan *plan, ov_vec3 *vertices,
                     ov_vec3 *normals, uint32_t (*triangles)[3]) {
    bool box = shape->kind == OV_SHAPE_KIND_BOX;
    for (size_t i = 0; i < plan->vertex_count; i++) {
        vertices[i] = box ? box_corner(shape, (uint32_t)i) : shape->u.polyhedron.vertices[i];
    }
    const uint32_t(*own)[3] = box ? box_triangles : shape->u.polyhedron.triangles;
    for (size_t t = 0; t < plan->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            triangles[t][i] = own[t][i];
        }
    }
    if (normals != NULL) {
        weigh_normals(vertices, plan->vertex_count, triangles, plan->triangle_count, normals);
    }
}

static bool same_counts(const ov_mesh_plan *plan, size_t vertices, size_t triangles) {
    return plan->vertex_count == vertices && plan->triangle_count == triangles;
}

ov_status ov_shape_mesh_fill(const ov_shape *shape, const ov_mesh_plan *plan, ov_vec3 *vertices,
                             ov_vec3 *normals, uint32_t (*triangles)[3]) {
    if (shape == NULL || plan == NULL || vertices == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_meshable(shape);
    if (status != OV_OK) {
        return status;
    }
    // the buffers were made for the plan's counts: a plan of another shape must not write past them
    if (!ovi_has_grid(shape->kind)) {
        ov_mesh_plan own = own_plan(shape);
        if (!same_counts(plan, own.vertex_count, own.triangle_count)) {
            return OV_ERROR_OPTION;
        }
        own_fill(shape, plan, vertices, normals, triangles);
        return OV_OK;
    }
    if (plan->spacing != OV_SPACING_EQUAL && plan->spacing != OV_SPACING_ANGLE_CENTRE) {
        return OV_ERROR_OPTION;
    }
    ovi_grid g = ovi_grid_make(shape, plan->spacing, plan->around, plan->along);
    if (!ovi_grid_is_valid(&g) ||
        !same_counts(plan, ovi_grid_vertices(&g), ovi_grid_triangles(&g))) {
        return OV_ERROR_OPTION;
    }
    ovi_grid_fill(&g, vertices, normals, triangles);
    return OV_OK;
}
