/**
 * @file svg_flat.h
 * @brief Draws a body of flat faces as SVG: box, polyhedron, triangle.
 */
#ifndef OVOID_CLI_SVG_FLAT_H
#define OVOID_CLI_SVG_FLAT_H

#include <stdio.h>

#include <ovoid/shape.h>

#include "svg_body.h"

/** True for the kinds that this file draws: box, polyhedron with triangles, triangle. */
bool svg_flat_can_draw(const ov_shape *shape);

/** As svg_body_draw: the body's origin at (0, 0), units of SVG_BODY_UNIT pixels, y down. */
ov_status svg_flat_draw(FILE *out, const ov_shape *shape, const svg_view *view,
                        const svg_ramp *ramp);

#endif
