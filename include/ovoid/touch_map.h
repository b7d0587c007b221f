/**
 * @file touch_map.h
 * @brief Distance maps: the signed distance of points to a mesh, at haptic rates and with bounds.
 *
 * A map has the mesh, a field of samples of its distance in bricks that are finer where the mesh
 * asks for it, and a bound of the field's error for every part of a brick. A query looks the
 * distance up, and goes to the triangles only where the bound does not decide, or always, if asked
 * to. It allocates nothing and has bounded loops, so any number of threads may share a map.
 *
 * The *distance* of a point is that to the nearest triangle, with a minus where the point is inside
 * the solid (ov_trimesh says what that is). Where shells of a mesh cross each other it is zero on
 * all of their triangles, also on those within the solid. It changes by no more than a point moves.
 * Bounds hold for the mesh as given, rounding included.
 */
#ifndef OVOID_TOUCH_MAP_H
#define OVOID_TOUCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/trimesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque; never changes. */
typedef struct ov_touch_map ov_touch_map;

/** A smooth body that a fit put around a part of the mesh, in the mesh's frame. */
typedef struct ov_touch_part {
    ov_shape shape; /**< of a bounded convex kind */
    ov_pose pose;   /**< a rotation of zeros: none */
} ov_touch_part;

/** Largest number of parts of a map. */
#define OV_TOUCH_PARTS_MAX 256
/** A map keeps lengths in single precision: the diagonal of the mesh's box has to be this at least,
 *  and everything within OV_TOUCH_SIZE_MAX of the origin. */
#define OV_TOUCH_SIZE_MIN 1e-25
#define OV_TOUCH_SIZE_MAX 1e25
/** Stands for "none" as a part. */
#define OV_NO_PART UINT32_MAX

typedef struct ov_touch_map_options {
    /** Bricks are divided until samples between theirs are met to this, in units of the diagonal of
     *  the mesh's box; 0: 3e-4. In [1e-5, 0.1]. */
    double error;
    /** Within this distance of the surface, in the same units; further out the error may grow with
     *  the distance; 0: 0.01. In [1e-4, 1]. */
    double band;
    /** Bytes of the map, mesh included, at most; where that is too little for the error, the
     * largest errors are taken care of first; 0: 2400000. What is needed in any case is taken. */
    size_t memory;
    /** Takes a mesh that is not closed as a surface without an inside; distances are not negative.
     */
    bool surface;
    const ov_touch_part *parts; /**< of a fit; null: none. They are copied. */
    size_t part_count;
    ov_threads threads;
} ov_touch_map_options;

/**
 * Computes the map of a mesh. `options` and `allocator` may be null. Takes seconds.
 *
 * OV_ERROR_NULL; OV_ERROR_OPTION; OV_ERROR_NOT_CLOSED for a mesh with triangles that are no part of
 * a closed shell, unless `surface` is set; OV_ERROR_DEGENERATE where the mesh is a point, or so far
 * from the origin that rounding leaves nothing of its shape; OV_ERROR_SIZE_RANGE (see above);
 * OV_ERROR_COUNT (parts); OV_ERROR_SHAPE, OV_ERROR_UNSUPPORTED, OV_ERROR_UNBOUNDED (a part);
 * OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION (a pose); those of ov_trimesh_create;
 * OV_ERROR_MEMORY. `*map` is then null.
 */
ov_status ov_touch_map_create(const ov_vec3 *vertices, size_t vertex_count,
                              const uint32_t (*triangles)[3], size_t triangle_count,
                              const ov_touch_map_options *options, const ov_allocator *allocator,
                              ov_touch_map **map);
/** Null is allowed. */
void ov_touch_map_destroy(ov_touch_map *map);

/** The map as bytes, little-endian on every machine that makes maps: what its file contains. They
 *  live as long as the map. */
const void *ov_touch_map_bytes(const ov_touch_map *map, size_t *size);

/** What to do with the bytes of a view when its map is destroyed; `release` may be null. */
typedef struct ov_touch_owner {
    void (*release)(void *user, const void *bytes, size_t size);
    void *user;
} ov_touch_owner;

/**
 * A map on bytes that stay where they are, such as those of a file in memory. They must be aligned
 * to eight bytes, and stay as they are as long as the map lives. All of them are checked; only the
 * tree of the triangles is made anew. `owner` and `allocator` may be null; the bytes are released
 * by ov_touch_map_destroy, and not where the call fails.
 *
 * OV_ERROR_NULL; OV_ERROR_FILE_FORMAT for what is no map, or one of another version, cut off or
 * changed: `fault` (may be null) says which; OV_ERROR_UNSUPPORTED on a big-endian machine;
 * OV_ERROR_MEMORY.
 */
ov_status ov_touch_map_view(const void *bytes, size_t size, const ov_touch_owner *owner,
                            const ov_allocator *allocator, ov_touch_map **map, ov_fault *fault);

/** The triangles of the map. */
const ov_trimesh *ov_touch_map_mesh(const ov_touch_map *map);

typedef struct ov_touch_map_report {
    size_t bytes;       /**< of the map, mesh included */
    size_t field_bytes; /**< of these, the field's */
    size_t bricks, nodes, parts;
    double diagonal; /**< of the mesh's box */
    double cell_min; /**< edge of the smallest and of the largest cells */
    double cell_max;
    double bound_mean; /**< of the error, over the parts of bricks within the band */
    double bound_worst;
    bool solid;
} ov_touch_map_report;

/** All zero for null. */
ov_touch_map_report ov_touch_map_describe(const ov_touch_map *map);

/** How much is asked of an answer. */
typedef enum ov_touch_level {
    OV_TOUCH_LEVEL_DEFAULT = 0, /**< OV_TOUCH_LEVEL_DECIDED */
    OV_TOUCH_LEVEL_FIELD,       /**< the field alone: the sign may be open within the bounds */
    OV_TOUCH_LEVEL_DECIDED,     /**< the triangles, where the field does not tell the sign */
    OV_TOUCH_LEVEL_EXACT        /**< the triangles, always */
} ov_touch_level;

/** Where a point is. */
typedef struct ov_touch_distance {
    double distance;                       /**< negative inside */
    double distance_lower, distance_upper; /**< proven */
    ov_vec3 nearest; /**< on the surface; from the field it is near it, as the bounds are wide */
    /**
     * Unit, outwards: the gradient of the distance, averaged over some cells, so that it turns
     * steadily over edges; of the field, or at the exact level of the triangles where the field is
     * not good enough for it. Zero where the average has none, as in the middle of a thin wall.
     */
    ov_vec3 normal;
    uint32_t triangle; /**< the nearest; OV_NO_TRIANGLE where the answer is the field's */
} ov_touch_distance;

/**
 * Distance of a point to a placed map. OV_NOT_CONVERGED where a sign was to be told and is not: the
 * point is on the surface, to rounding; the bounds then include zero. OV_ERROR_NULL,
 * OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_OPTION (no such level),
 * OV_ERROR_SIZE_RANGE (further away than OV_SIZE_MAX): all numbers are then NaN.
 */
ov_status ov_touch_map_point(const ov_touch_map *map, ov_pose pose, ov_vec3 point,
                             ov_touch_level level, ov_touch_distance *out);

#ifdef __cplusplus
}
#endif

#endif
