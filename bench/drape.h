/**
 * @file drape.h
 * @brief The experiment of [Thesis, 6.1]: bodies in a square grid, half in the ground, and a cloth
 * of 4 m by 4 m over them; for the study of cloth and for its times in WebAssembly.
 */
#ifndef OVOID_BENCH_DRAPE_H
#define OVOID_BENCH_DRAPE_H

#include <math.h>
#include <stddef.h>

#include <ovoid/ovoid.h>

static const double drape_side = 4.0, drape_mass = 3.2, drape_friction = 0.3;

/** Side of a cell of the grid that holds a number of bodies. */
static inline double drape_cell(size_t count) { return drape_side / ceil(sqrt((double)count)); }

/** Semi-axes of the bodies. */
static inline ov_vec3 drape_axes(size_t count) {
    double cell = drape_cell(count);
    return ov_vec3_make(0.3 * cell, 0.25 * cell, 0.4 * cell);
}

static inline ov_pose drape_pose(size_t i, size_t count) {
    size_t rows = (size_t)ceil(sqrt((double)count));
    double cell = drape_cell(count);
    return (ov_pose){{cell * ((double)(i % rows) + 0.5) - 0.5 * drape_side,
                      cell * ((double)(i / rows) + 0.5) - 0.5 * drape_side, 0.0},
                     ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), 0.3 * (double)i)};
}

/** The cloth, level and above the bodies: (cells + 1)^2 vertices and 2 cells^2 triangles. */
static inline ov_status drape_cloth(size_t count, uint32_t cells, ov_vec3 *vertices,
                                    uint32_t (*triangles)[3]) {
    ov_vec3 corner = {-0.5 * drape_side, -0.5 * drape_side, drape_axes(count).z + 0.15};
    return ov_cloth_grid_fill(corner, ov_vec3_make(drape_side, 0.0, 0.0),
                              ov_vec3_make(0.0, drape_side, 0.0), cells, cells, vertices,
                              triangles);
}

#endif
