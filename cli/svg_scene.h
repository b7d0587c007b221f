/**
 * @file svg_scene.h
 * @brief A picture of a scene with its contacts, as SVG.
 */
#ifndef OVOID_CLI_SVG_SCENE_H
#define OVOID_CLI_SVG_SCENE_H

#include <stdio.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

/** Contact of two bodies of a scene, a < b. */
typedef struct scene_contact {
    size_t a, b;
    ov_contact contact;
} scene_contact;

/** More bodies than this are not drawn. */
enum { SVG_SCENE_BODIES_MAX = 300 };
/** Nor are more parts of bodies and triangles of meshes together. */
enum { SVG_SCENE_PIECES_MAX = 200000 };

/** Parts of all bodies, a mesh counted by its triangles. */
size_t svg_scene_pieces(const ov_scene *scene);

/**
 * Writes the picture: bodies shaded and in the right order, their shadows on the first half-space,
 * names, witness points, gaps and normals. With `all`, every contact is marked; else those that
 * touch or overlap, and the nearest one of each body. OV_ERROR_MEMORY, OV_ERROR_COUNT.
 */
ov_status svg_scene_draw(FILE *out, const ov_scene *scene, const scene_contact *contacts,
                         size_t count, bool all);

#endif
