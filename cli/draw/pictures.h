/**
 * @file pictures.h
 * @brief The pictures that verbs draw, as SVG: a scene with its contacts, a motion with its bars of
 * time, forces of touch and what they come from, and the gallery of the family of shapes.
 */
#ifndef OVOID_CLI_DRAW_PICTURES_H
#define OVOID_CLI_DRAW_PICTURES_H

#include <stdio.h>

#include <ovoid/io.h>
#include <ovoid/query.h>
#include <ovoid/touch_force.h>
#include <ovoid/touch_published.h>

#include "subject.h"

/* ---- scenes (scene_picture.c) ---------------------------------------------------------------- */

/** Contact of two bodies of a scene, a < b. */
typedef struct scene_contact {
    size_t a, b;
    ov_contact contact;
} scene_contact;

/** More bodies than this are not drawn, nor more parts of bodies and triangles of meshes together.
 */
enum { SCENE_PICTURE_BODIES_MAX = 300, SCENE_PICTURE_PIECES_MAX = 200000 };

/** Angle of the view above the horizontal plane, in degrees. */
#define SCENE_PICTURE_ELEVATION 32.0

/** Parts of all bodies, a mesh counted by its triangles. */
size_t scene_picture_pieces(const ov_scene *scene);

/**
 * Writes the picture: bodies shaded and in the right order, their shadows on the first half-space,
 * names, witness points, gaps and normals. With `all`, every contact is marked; else those that
 * touch or overlap, and the nearest one of each body. OV_ERROR_MEMORY, OV_ERROR_COUNT.
 */
ov_status scene_picture_draw(FILE *out, const ov_scene *scene, const scene_contact *contacts,
                             size_t count, bool all);

/* ---- motions (motion_picture.c) -------------------------------------------------------------- */

/** What a sweep found of a scene in motion, or of a robot along a trajectory. */
typedef struct sweep_report {
    const subject *subject;
    const ov_trajectory *trajectory; /**< null for a scene in motion */
    double start, end;
    ov_sweep_options options;
    ov_sweep_summary summary;
    const ov_sweep_interval *intervals;
    size_t count; /**< of those kept */
} sweep_report;

/** More things than this are not drawn, nor more parts and faces of all of them together. */
enum { MOTION_PICTURE_THINGS_MAX = 300, MOTION_PICTURE_PIECES_MAX = 20000 };

/** Writes the bodies at several times, and bars of time below, to an open file. CLI_BAD_INPUT after
 *  a message. */
int motion_picture_draw(cli *c, const sweep_report *r, const cli_output *out);

/* ---- touch (touch_picture.c) ------------------------------------------------------------------
 */

/** What a hand felt at a time. */
typedef struct touch_sample {
    uint64_t index;
    double time; /**< s */
    ov_pose device;
    ov_touch_force force;
} touch_sample;

/** Writes force, depth and change of force over time. */
void touch_picture_draw(FILE *out, const char *title, const touch_sample *samples, size_t count);

/* ---- distance maps (map_picture.c) ------------------------------------------------------------
 */

/** The mesh, and three sections through the middle of its box, with the distance in steps. */
ov_status map_picture_draw(FILE *out, const char *title, const ov_touch_map *map);
/** The mesh, its parts, and the grid of depths of each part, as [SQMap, Fig. 4]. */
ov_status map_picture_draw_published(FILE *out, const char *title, const ov_trimesh *mesh,
                                     const ov_touch_published *map);

/* ---- the gallery (gallery_picture.c) --------------------------------------------------------- */

enum { GALLERY_VALUES_MAX = 12 };

typedef struct gallery_values {
    size_t count;
    double v[GALLERY_VALUES_MAX];
} gallery_values;

/** What it shows: a column for each e1, a row for each e2. */
typedef struct gallery {
    gallery_values columns, rows;
    bool has_taper; /**< one panel with this taper; else two, without and with some */
    double tx, ty;
    double cell; /**< width and height of a cell, in pixels */
} gallery;

/** Returns the number of shapes that are shown in `*shapes`. OV_ERROR_MEMORY. */
ov_status gallery_picture_draw(FILE *out, const gallery *g, size_t *shapes);

#endif
