/**
 * @file sweep_outline.h
 * @brief Outlines of displaced bodies, as seen in a picture.
 */
#ifndef OVOID_CLI_SWEEP_OUTLINE_H
#define OVOID_CLI_SWEEP_OUTLINE_H

#include <ovoid/motion.h>
#include <ovoid/world.h>

#include "svg_body.h"

/** Closed loops of points in the picture's plane, in the world's unit, y up. All zero: none. */
typedef struct outline {
    double (*points)[2];
    size_t count, room;
    size_t *ends; /**< of each loop: number of points up to its last */
    size_t loops, loop_room;
    double depth; /**< towards the reader, of a middle */
} outline;

/** A pose within a displaced frame. */
ov_affine outline_placed(const ov_affine *frame, ov_pose pose);

/**
 * A shape's outline; or the triangles of a mesh, all turned the same way, so that they fill what
 * the mesh covers. False for want of memory.
 */
bool outline_of_part(outline *o, const ov_part *part, const ov_affine *place, const svg_view *view);
/** The faces of polygons, in the same way. */
bool outline_of_polygons(outline *o, const ov_polygons *polygons, const ov_affine *place,
                         const svg_view *view);
/** Empties it; the memory stays. */
void outline_clear(outline *o);
void outline_free(outline *o);

#endif
