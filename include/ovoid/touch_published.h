/**
 * @file touch_published.h
 * @brief The distance map of [SQMap], for comparison: a grid on each superquadric of a fit, with
 * the distance of the mesh along the normal.
 *
 * It answers as published, with no bound of its error, which `ovoid-bench touch` tells. Its use is
 * to see what the maps of ovoid/touch_map.h are better at.
 */
#ifndef OVOID_TOUCH_PUBLISHED_H
#define OVOID_TOUCH_PUBLISHED_H

#include <ovoid/touch_map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque; never changes. */
typedef struct ov_touch_published ov_touch_published;

typedef struct ov_touch_published_options {
    uint32_t eta_count;   /**< samples from pole to pole; 0: 100. In [16, 4096] */
    uint32_t omega_count; /**< samples about the axis; 0: 200. In [32, 8192] */
    uint32_t accuracy;    /**< the factor A_S: how often Layer 3 doubles both; 0: 1. At most 3 */
    bool no_offset;       /**< leaves out the offset of eq. 12 */
    bool always_fine;     /**< Layer 3 also where the grid has ten samples for each vertex */
} ov_touch_published_options;

/**
 * Computes the map of a closed mesh from the parts of a fit, which are of the smooth family.
 * `options` and `allocator` may be null. OV_ERROR_NULL, OV_ERROR_COUNT, OV_ERROR_OPTION,
 * OV_ERROR_UNSUPPORTED (another kind of part), OV_ERROR_SIZE_RANGE (as of ov_touch_map_create),
 * those of ov_trimesh_create and of poses, OV_ERROR_MEMORY. `*map` is then null.
 */
ov_status ov_touch_published_create(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_touch_part *parts, size_t part_count,
                                    const ov_touch_published_options *options,
                                    const ov_allocator *allocator, ov_touch_published **map);
/** Null is allowed. */
void ov_touch_published_destroy(ov_touch_published *map);

typedef struct ov_touch_published_report {
    size_t bytes;      /**< of all grids: points, normals and distances */
    size_t fine_bytes; /**< of these, what Layer 3 adds */
    size_t samples;    /**< of the grids of Layer 2 */
    size_t pruned;     /**< samples that see another part */
    size_t projected;  /**< vertices of the mesh with a distance of their own [SQMap, 4.1.3] */
    size_t hidden;     /**< vertices that were neglected, as the mesh is in the way */
    size_t fine_parts; /**< parts that are sampled too coarsely for their vertices: Layer 3 */
} ov_touch_published_report;

/** All zero for null. */
ov_touch_published_report ov_touch_published_describe(const ov_touch_published *map);

/** The samples of a part, from pole to pole, and for each latitude about the axis. */
typedef struct ov_touch_published_grid {
    ov_shape shape; /**< of the part, */
    ov_pose pose;   /**< in the mesh's frame */
    uint32_t eta_count, omega_count;
    /** Of the mesh below the sample, along the normal, eta_count * omega_count of them, which
     *  belong to the map; infinite where nothing is there, NaN for samples that were pruned. */
    const float *depths;
} ov_touch_published_grid;

/** The grid of a part, as Layer 2 has it; all zero beyond the last part, and for null. */
ov_touch_published_grid ov_touch_published_part(const ov_touch_published *map, size_t part);

/** What the map says of a point. */
typedef struct ov_touch_published_answer {
    bool inside;        /**< of a superquadric (Layer 1) */
    bool contact;       /**< by the layer that was asked for */
    double distance;    /**< estimate, negative in contact; NaN where the layer has none */
    uint32_t part;      /**< that it is from; OV_NO_PART: none */
    size_t evaluations; /**< of the function of eq. 19 */
} ov_touch_published_answer;

/** A point in the mesh's frame, by layer 1, 2 or 3. OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 *  OV_ERROR_OPTION (no such layer). */
ov_status ov_touch_published_point(const ov_touch_published *map, ov_vec3 point, int layer,
                                   ov_touch_published_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
