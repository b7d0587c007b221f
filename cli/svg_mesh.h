/**
 * @file svg_mesh.h
 * @brief Draws a triangle mesh as SVG.
 */
#ifndef OVOID_CLI_SVG_MESH_H
#define OVOID_CLI_SVG_MESH_H

#include <stdio.h>

#include <ovoid/world.h>

#include "svg_body.h"

/** As svg_body_draw. OV_ERROR_MEMORY. */
ov_status svg_mesh_draw(FILE *out, const ov_trimesh *mesh, const svg_view *view,
                        const svg_ramp *ramp);

#endif
