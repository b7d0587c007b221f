/**
 * @file svg_body.h
 * @brief Draws a shaded body as SVG paths.
 */
#ifndef OVOID_CLI_SVG_BODY_H
#define OVOID_CLI_SVG_BODY_H

#include <stdio.h>

#include <ovoid/shape.h>

/** Coordinates in the paths are whole numbers of this part of a pixel. */
#define SVG_BODY_UNIT 0.1

/** Parallel projection; the three vectors are an orthonormal right-handed frame. */
typedef struct svg_view {
    ov_vec3 right, up, eye; /**< `eye` points from the picture to the reader */
    ov_vec3 light;          /**< unit, towards the light */
    double scale;           /**< pixels per unit of length */
} svg_view;

/** View from an azimuth about z and an elevation above the xy plane, light from the upper left. */
svg_view svg_view_make(double azimuth_rad, double elevation_rad, double scale);

/** Colours from shadow to highlight, red, green and blue from 0 to 255. */
typedef struct svg_ramp {
    double stops[4][3];
} svg_ramp;

/**
 * Writes the paths of a body, its origin at (0, 0), in units of SVG_BODY_UNIT pixels, y down.
 * OV_ERROR_MEMORY, or what the mesh functions answer.
 */
ov_status svg_body_draw(FILE *out, const ov_shape *shape, const svg_view *view,
                        const svg_ramp *ramp);

/**
 * Writes one path, the outline of a body, with the given attributes. Here the view need not be
 * orthonormal: with vectors along a slanting plane the outline is the body's shadow.
 */
ov_status svg_body_outline(FILE *out, const ov_shape *shape, const svg_view *view,
                           const char *attributes);

/** Brightness of a surface with this unit normal, 0 to 1. */
double svg_shade(const svg_view *view, ov_vec3 normal);
/** Writes an attribute, as in ` fill="#a0b0c0"`: the colour of a brightness. */
void svg_write_colour(FILE *out, const svg_ramp *ramp, const char *attribute, double shade);

#endif
