/**
 * @file svg_picture.h
 * @brief What the files that draw a scene share: the picture being drawn.
 */
#ifndef OVOID_CLI_SVG_PICTURE_H
#define OVOID_CLI_SVG_PICTURE_H

#include "svg_body.h"
#include "svg_marks.h"
#include "svg_scene.h"

enum {
    SVG_PICTURE_WIDTH = 1060,
    SVG_PICTURE_MOST_HEIGHT = 620,
    SVG_PICTURE_MARGIN = 50,
    SVG_PICTURE_HEAD = 70,
    SVG_PICTURE_FOOT = 66
};

typedef struct svg_range {
    double low, high;
} svg_range;

/** A half-space in the world: normal . p <= offset. */
typedef struct svg_ground {
    const ov_scene_body *body; /**< null: there is none */
    ov_vec3 normal;
    double offset;
    ov_vec3 corners[4]; /**< of the part that is drawn */
} svg_ground;

typedef struct svg_picture {
    FILE *out;
    const ov_scene *scene;
    const scene_contact *contacts;
    size_t count;
    size_t bodies;
    svg_view view;
    svg_range across, upward; /**< of the scene along the view's right and up, in the world */
    double width, height;     /**< pixels */
    svg_range *spans;         /**< of each body: across, upward, depth */
    bool *bounded;            /**< one a body: has it a part that can be drawn? */
    bool *near;               /**< [i * bodies + j]: i must be painted after j */
    size_t *order;            /**< of painting */
    bool *marked;             /**< one a contact */
    svg_places places;        /**< where texts should not go */
    svg_ground ground;        /**< the first half-space */
} svg_picture;

double svg_pixel_x(const svg_picture *p, ov_vec3 v);
double svg_pixel_y(const svg_picture *p, ov_vec3 v);

/** Reach of a placed part, not a half-space, along a world direction. */
svg_range svg_part_reach(const ov_part *part, ov_pose pose, ov_vec3 direction);
/** A half-space has no end, and is drawn as ground if at all. */
bool svg_part_is_bounded(const ov_part *part);

/* ---- svg_scene_bodies.c */

/** The ground with its grid, and the shadows on it. */
ov_status svg_draw_ground(const svg_picture *p);
/** All bounded bodies, in their order; those that overlap another are seen through it. */
ov_status svg_draw_bodies(const svg_picture *p);

/* ---- svg_scene_marks.c */

/** Witness points, names, gaps and the legend. */
void svg_draw_marks(svg_picture *p);

#endif
