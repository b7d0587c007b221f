/**
 * @file polygons.h
 * @brief What a sweep sees of a surface of polygons: each with its plane, and a tree of boxes.
 */
#ifndef OVI_POLYGONS_H
#define OVI_POLYGONS_H

#include <ovoid/motion.h>

#include "../../world/bvh.h"

/** A polygon: its corners, in order, turn left about the normal. */
typedef struct ovi_polygon {
    uint32_t first, count; /**< of its corners */
    ov_vec3 centre;        /**< the mean of the corners, put into the plane */
    ov_vec3 p, q, normal;  /**< a right-handed frame of units; p and q lie in the plane */
    double radius;         /**< no corner is further from the centre */
    double deviation;      /**< no point of the hull is further from the flat convex polygon */
} ovi_polygon;

struct ov_polygons {
    ov_allocator allocator;
    size_t vertex_count, corner_count, count;
    ov_vec3 *vertices;
    uint32_t *corners;
    ovi_polygon *polygons;
    ovi_bvh tree; /**< a leaf is a polygon */
    ov_trimesh *mesh;
    /** The surface as one mesh, each polygon a fan of triangles, in order. The triangles are no
     *  further from the polygons than `deviation`. */
    ov_geometry *geometry;
    double reach;     /**< no corner is further from the frame's origin */
    double deviation; /**< largest of a polygon */
};

static inline ov_vec3 ovi_polygon_corner(const ov_polygons *polygons, const ovi_polygon *polygon,
                                         size_t index) {
    return polygons->vertices[polygons->corners[polygon->first + index]];
}

#endif
