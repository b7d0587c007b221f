/**
 * @file robot_surfaces.c
 * @brief The triangles that a picture of a robot is made of.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <stdlib.h>
#include <string.h>

#include "robot_write.h"

static const double grey[4] = {0.7, 0.7, 0.7, 1.0};

static bool can_be_drawn(const ov_robot_shape *s) {
    return s->mesh != NULL || s->shape.kind != OV_SHAPE_KIND_NONE;
}

/** A smooth or round body, with normals. */
static ov_status tessellate(const ov_shape *shape, ovi_surface *s) {
    ov_mesh_options options = ov_default_mesh_options();
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(shape, &options, &plan);
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 *vertices = malloc(plan.vertex_count * sizeof *vertices);
    ov_vec3 *normals = malloc(plan.vertex_count * sizeof *normals);
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    s->owned[0] = vertices;
    s->owned[1] = normals;
    s->owned[2] = triangles;
    if (vertices == NULL || normals == NULL || triangles == NULL) {
        return OV_ERROR_MEMORY;
    }
    s->vertices = vertices;
    s->normals = normals;
    s->triangles = (const uint32_t(*)[3])triangles;
    s->vertex_count = plan.vertex_count;
    s->triangle_count = plan.triangle_count;
    return ov_shape_mesh_fill(shape, &plan, vertices, normals, triangles);
}

static ov_status take_polyhedron(const ov_shape *shape, ovi_surface *s) {
    ov_shape whole = *shape;
    if (shape->u.polyhedron.triangle_count == 0) {
        ov_status status = ov_hull_create(shape->u.polyhedron.vertices,
                                          shape->u.polyhedron.vertex_count, &s->hull);
        status = status == OV_OK ? ov_hull_shape(s->hull, &whole) : status;
        if (status != OV_OK) {
            return status;
        }
    }
    s->vertices = whole.u.polyhedron.vertices;
    s->triangles = whole.u.polyhedron.triangles;
    s->vertex_count = whole.u.polyhedron.vertex_count;
    s->triangle_count = whole.u.polyhedron.triangle_count;
    return OV_OK;
}

static ov_status make_surface(const ov_robot_shape *shape, uint32_t link, ovi_surface *s) {
    *s = (ovi_surface){.link = link, .pose = shape->pose};
    memcpy(s->colour, shape->has_colour ? shape->colour : grey, sizeof s->colour);
    if (shape->mesh != NULL) {
        s->vertices = ov_trimesh_vertices(shape->mesh);
        s->triangles = ov_trimesh_triangles(shape->mesh);
        s->vertex_count = ov_trimesh_vertex_count(shape->mesh);
        s->triangle_count = ov_trimesh_triangle_count(shape->mesh);
        return OV_OK;
    }
    if ((OVI_FLAT_SHAPES >> shape->shape.kind & 1u) != 0) {
        return OV_ERROR_UNSUPPORTED;
    }
    return shape->shape.kind == OV_SHAPE_KIND_POLYHEDRON ? take_polyhedron(&shape->shape, s)
                                                         : tessellate(&shape->shape, s);
}

void ovi_surfaces_free(ovi_surface *surfaces, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            free(surfaces[i].owned[k]);
        }
        ov_hull_destroy(surfaces[i].hull);
    }
    free(surfaces);
}

static ov_status explain(ov_status status, const ov_robot_link *link, const ov_robot_shape *shape,
                         const char *format, ov_fault *fault) {
    const char *kind = ov_shape_kind_name(shape->shape.kind);
    return status == OV_ERROR_UNSUPPORTED
               ? ovi_file_fault(fault, status, 0, "link \"%.60s\": %s has no %s", link->name,
                                format, kind)
               : ovi_file_fault(fault, status, 0, "link \"%.60s\": a %s: %s", link->name, kind,
                                ov_status_message(status));
}

ov_status ovi_surfaces_make(const ov_robot *robot, const char *format, ovi_surface **surfaces,
                            size_t *count, ov_fault *fault) {
    ovi_surface *list = calloc(robot->shape_count + 1, sizeof *list);
    ov_status status = list != NULL ? OV_OK : OV_ERROR_MEMORY;
    size_t made = 0;
    if (status != OV_OK) {
        (void)ovi_file_fault(fault, status, 0, "out of memory");
    }
    for (size_t i = 0; i < robot->link_count && status == OV_OK; i++) {
        const ov_robot_link *link = &robot->links[i];
        bool visuals = false;
        for (size_t k = 0; k < link->visual_count; k++) {
            visuals = visuals || can_be_drawn(&link->visuals[k]);
        }
        const ov_robot_shape *shapes = visuals ? link->visuals : link->collisions;
        size_t shape_count = visuals ? link->visual_count : link->collision_count;
        for (size_t k = 0; k < shape_count && status == OV_OK; k++) {
            if (!can_be_drawn(&shapes[k])) {
                continue;
            }
            // counted first, so that half a surface is freed too
            status = make_surface(&shapes[k], (uint32_t)i, &list[made++]);
            if (status != OV_OK) {
                (void)explain(status, link, &shapes[k], format, fault);
            }
        }
    }
    if (status != OV_OK) {
        ovi_surfaces_free(list, made);
        return status;
    }
    *surfaces = list;
    *count = made;
    return OV_OK;
}
