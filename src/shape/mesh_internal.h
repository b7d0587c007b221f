/**
 * @file mesh_internal.h
 * @brief The grid behind all curved meshes: `around` spokes of the section by `along` steps of the
 * profile, ends closed by a vertex each (or by the grid itself, for the ring of a supertoroid).
 */
#ifndef OVI_MESH_INTERNAL_H
#define OVI_MESH_INTERNAL_H

#include "model_internal.h"

/** Most vertices that a mesh may have. */
#define OVI_MESH_MAX_VERTICES ((size_t)1 << 26)

typedef struct ovi_grid {
    const ov_shape *shape;
    ov_spacing spacing;         /**< of the section, as in the plan */
    ov_spacing profile_spacing; /**< the same, but where that would make twisted cells too long */
    double e1, e2;              /**< of section and profile; 1 for the round solids */
    ovi_exponent p1, p2;        /**< the same as norms */
    size_t around, along;
    size_t pieces; /**< two for the two sheets of a hyperboloid */
    bool ring;     /**< closed along, without end vertices */
} ovi_grid;

/** Kinds that are meshed by a grid: all with a mesh, but for box and polyhedron. */
bool ovi_has_grid(ov_shape_kind kind);

ovi_grid ovi_grid_make(const ov_shape *shape, ov_spacing spacing, size_t around, size_t along);

/** Whether the counts fit the kind, and the number of vertices is in range. */
bool ovi_grid_is_valid(const ovi_grid *grid);

size_t ovi_grid_vertices(const ovi_grid *grid);
size_t ovi_grid_triangles(const ovi_grid *grid);

ovi_curve_point ovi_grid_section(const ovi_grid *grid, size_t i);

/** Profile at step j, of the one piece or the upper one of two. */
ovi_profile_point ovi_grid_profile(const ovi_grid *grid, size_t j);

/** First and last curved step of the profile (last exclusive): what lies between the flat caps. */
void ovi_grid_curved_steps(const ovi_grid *grid, size_t *first, size_t *last);

/** Curved steps of a hyperboloid up to where its profile turns from flat to steep. */
size_t ovi_grid_turning_step(const ovi_grid *grid);

void ovi_grid_fill(const ovi_grid *grid, ov_vec3 *vertices, ov_vec3 *normals,
                   uint32_t (*triangles)[3]);

/** Smallest grid that keeps within the chord error, or the best within the vertices. */
ov_status ovi_grid_plan_chord(const ov_shape *shape, double chord_error, ovi_grid *grid);
ov_status ovi_grid_plan_vertices(const ov_shape *shape, size_t vertices, ovi_grid *grid);

#endif
