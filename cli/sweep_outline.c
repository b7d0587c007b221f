/**
 * @file sweep_outline.c
 * @brief Outlines from support points: those of the directions within the picture's plane are the
 * outline of a convex body, in order, whatever displacement it has.
 */
#include "sweep_outline.h"

#include <math.h>
#include <stdlib.h>

#include "cli.h"

/** Directions around an outline. */
enum { DIRECTIONS = 72 };

static const double pi = 3.14159265358979323846;

ov_affine outline_placed(const ov_affine *frame, ov_pose pose) {
    ov_mat3 r = ov_mat3_from_quat(pose.rotation);
    return (ov_affine){{ov_mat3_mul_vec3(&frame->linear, r.cx),
                        ov_mat3_mul_vec3(&frame->linear, r.cy),
                        ov_mat3_mul_vec3(&frame->linear, r.cz)},
                       ov_affine_apply(frame, pose.position)};
}

static bool add_point(outline *o, const svg_view *view, ov_vec3 p) {
    if (o->count == o->room) {
        double(*points)[2] = cli_more_room(o->points, &o->room, sizeof *points);
        if (points == NULL) {
            return false;
        }
        o->points = points;
    }
    o->points[o->count][0] = ov_vec3_dot(p, view->right);
    o->points[o->count][1] = ov_vec3_dot(p, view->up);
    o->count++;
    return true;
}

/** Ends a loop, turned so that it runs around what it covers in one sense. */
static bool end_loop(outline *o) {
    size_t first = o->loops > 0 ? o->ends[o->loops - 1] : 0;
    double area = 0.0;
    for (size_t i = first; i < o->count; i++) {
        const double *p = o->points[i], *q = o->points[i + 1 < o->count ? i + 1 : first];
        area += p[0] * q[1] - p[1] * q[0];
    }
    for (size_t i = first, k = o->count; area < 0.0 && i + 1 < k; i++) {
        k--;
        for (int axis = 0; axis < 2; axis++) {
            double other = o->points[i][axis];
            o->points[i][axis] = o->points[k][axis];
            o->points[k][axis] = other;
        }
    }
    if (o->loops == o->loop_room) {
        size_t *ends = cli_more_room(o->ends, &o->loop_room, sizeof *ends);
        if (ends == NULL) {
            return false;
        }
        o->ends = ends;
    }
    o->ends[o->loops++] = o->count;
    return true;
}

static bool shape_loop(outline *o, const ov_shape *shape, const ov_affine *place,
                       const svg_view *view) {
    ov_vec3 sum = {0.0, 0.0, 0.0};
    size_t found = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        double angle = 2.0 * pi * i / DIRECTIONS;
        ov_vec3 d =
            ov_vec3_add_scaled(ov_vec3_scale(view->right, cos(angle)), view->up, sin(angle));
        ov_support s;
        if (ov_shape_support(shape, ov_mat3_tmul_vec3(&place->linear, d), &s) < 0) {
            continue;
        }
        ov_vec3 p = ov_affine_apply(place, s.point);
        sum = ov_vec3_add(sum, p);
        found++;
        if (!add_point(o, view, p)) {
            return false;
        }
    }
    o->depth = found > 0 ? ov_vec3_dot(sum, view->eye) / (double)found : 0.0;
    return found == 0 || end_loop(o);
}

/** Loops through vertices, which are somewhere in the world. */
static bool add_face(outline *o, const ov_vec3 *vertices, const uint32_t *corners, size_t count,
                     const ov_affine *place, const svg_view *view, double *depth) {
    for (size_t k = 0; k < count; k++) {
        ov_vec3 p = ov_affine_apply(place, vertices[corners[k]]);
        *depth += ov_vec3_dot(p, view->eye) / (double)count;
        if (!add_point(o, view, p)) {
            return false;
        }
    }
    return end_loop(o);
}

static bool mesh_loops(outline *o, const ov_trimesh *mesh, const ov_affine *place,
                       const svg_view *view) {
    size_t count = ov_trimesh_triangle_count(mesh);
    double depth = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!add_face(o, ov_trimesh_vertices(mesh), ov_trimesh_triangles(mesh)[i], 3, place, view,
                      &depth)) {
            return false;
        }
    }
    o->depth = depth / (double)count;
    return true;
}

bool outline_of_part(outline *o, const ov_part *part, const ov_affine *place,
                     const svg_view *view) {
    ov_affine at = outline_placed(place, part->pose);
    return part->mesh != NULL ? mesh_loops(o, part->mesh, &at, view)
                              : shape_loop(o, &part->shape, &at, view);
}

bool outline_of_polygons(outline *o, const ov_polygons *polygons, const ov_affine *place,
                         const svg_view *view) {
    size_t count = ov_polygons_count(polygons), size = 0;
    double depth = 0.0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = ov_polygons_corners(polygons, i, &size);
        if (!add_face(o, ov_polygons_vertices(polygons), corners, size, place, view, &depth)) {
            return false;
        }
    }
    o->depth = count > 0 ? depth / (double)count : 0.0;
    return true;
}

void outline_clear(outline *o) {
    o->count = 0;
    o->loops = 0;
    o->depth = 0.0;
}

void outline_free(outline *o) {
    free(o->points);
    free(o->ends);
    *o = (outline){NULL, 0, 0, NULL, 0, 0, 0.0};
}
