/**
 * @file fit_segments.h
 * @brief The decomposition of [SQMap, 3]: a mesh cut where parts that stick out meet the body, and
 * where it is saddle-shaped; every intermediate field can be had.
 *
 * Part of `libovoid_fit`. Kept for comparison and teaching; the decomposition of Ovoid's own is in
 * ovoid/fit_parts.h. The dual graph has a dual vertex for every triangle of the mesh, its centroid,
 * and a dual edge between the centroids of triangles that share an edge. Geodesic distances g are
 * lengths of shortest paths along dual edges. All arrays are per triangle, in the order of the
 * mesh.
 *
 * The paper gives no values for the window of (5), the width of locales, the significant increase,
 * k_h, t_h and the least size. They are options here; the defaults were chosen so that a hand and
 * an elephant get about as many parts as in its Table 1. Lengths are in square roots of the area of
 * the mesh, areas in shares of it, so that size and number of triangles do not matter.
 */
#ifndef OVOID_FIT_SEGMENTS_H
#define OVOID_FIT_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/fit_mesh.h>
#include <ovoid/math.h>
#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ov_fit_segments_options {
    /** Triangles that the protrusion (4) is summed over, each for the area that is nearest to it;
     *  as many as there are triangles, or more: the sum itself. Default 200. */
    size_t bases;
    /** epsilon of the geodesic window (5). Default 0.2. */
    double window;
    /** A salient triangle stands out by more than this share of the range of the protrusion: so far
     *  it falls on the way to any higher one. Default 0.03. */
    double prominence;
    /** Width of a locale; never less than two mean dual edges. Default 0.025. */
    double locale;
    /** Increase of the boundary strength, over its mean so far, that cuts: as a share of the
     *  boundary strength of a flat disc, which is 2 pi width^2 everywhere. Default 0.25. */
    double boundary;
    /** k_h: share of a locale's area that is hyperbolic. Default 0.3. */
    double hyperbolic;
    /** t_h: mean Gaussian curvature of the hyperbolic triangles of a locale, times the area of the
     *  mesh. Default 25. */
    double curvature;
    /** Window of the curvature of a triangle, in square roots of its own area. Default 2, as in the
     *  paper. */
    double curvature_window;
    /** Least area of a part. Default 0.025. */
    double least;
} ov_fit_segments_options;

ov_fit_segments_options ov_default_fit_segments_options(void);

/** Why the mesh was cut after a locale. */
typedef enum ov_fit_cut {
    OV_FIT_CUT_NONE = 0,  /**< it was not */
    OV_FIT_CUT_BOUNDARY,  /**< boundary strength: here a part that sticks out meets the body */
    OV_FIT_CUT_CURVATURE, /**< saddle-shaped: the tests of 3.2 */
    OV_FIT_CUT_COUNT
} ov_fit_cut;

/** Triangles that are equally far from a salient one, and not in a part yet. */
typedef struct ov_fit_locale {
    double area;
    double strength;   /**< boundary strength: area of the next locale less this one */
    double hyperbolic; /**< share of its area with negative Gaussian curvature */
    double curvature;  /**< mean Gaussian curvature there; 0 where nothing is hyperbolic */
    ov_fit_cut cut;
} ov_fit_locale;

/** Opaque; owns its memory. */
typedef struct ov_fit_segments ov_fit_segments;

/**
 * Decomposes a mesh; it is not needed any more afterwards. Shells are decomposed each by itself.
 * OV_ERROR_NULL, OV_ERROR_OPTION (not finite, or not positive), OV_ERROR_MEMORY; `*segments` is
 * then null. `options` may be null.
 */
ov_status ov_fit_segments_create(const ov_fit_mesh *mesh, const ov_fit_segments_options *options,
                                 ov_fit_segments **segments);
/** Null is allowed. */
void ov_fit_segments_destroy(ov_fit_segments *segments);

/* Arrays live as long as the segments; for null they are null, and numbers 0. */

/** Number of parts. */
size_t ov_fit_segments_count(const ov_fit_segments *segments);
/** Of each triangle its part, from 0. */
const uint32_t *ov_fit_segments_labels(const ov_fit_segments *segments);

/** Of each triangle its area, and its protrusion (4): infinitely far triangles do not count. */
const double *ov_fit_segments_areas(const ov_fit_segments *segments);
const double *ov_fit_segments_protrusion(const ov_fit_segments *segments);
/** No protrusion is off by more than this: with fewer bases than triangles, by the triangle
 *  inequality. */
double ov_fit_segments_protrusion_error(const ov_fit_segments *segments);

/** The salient triangles, by falling protrusion. */
size_t ov_fit_segments_salient_count(const ov_fit_segments *segments);
const uint32_t *ov_fit_segments_salient(const ov_fit_segments *segments);

/** Of each triangle its Gaussian curvature (6): total curvature of its window, by the angles that
 *  are missing at vertices, over the area of the window. */
const double *ov_fit_segments_curvature(const ov_fit_segments *segments);

/** The locales of a salient triangle, from it on as far as they were looked at; null and 0 beyond
 *  the last one. */
const ov_fit_locale *ov_fit_segments_locales(const ov_fit_segments *segments, size_t salient,
                                             size_t *count);
/** Width of a locale, as a length. */
double ov_fit_segments_locale_width(const ov_fit_segments *segments);
/** Of each triangle which salient triangle's walk it was cut off by, and in which of its locales;
 *  UINT32_MAX for what is left as body. */
const uint32_t *ov_fit_segments_walks(const ov_fit_segments *segments);
const uint32_t *ov_fit_segments_locale_numbers(const ov_fit_segments *segments);

/**
 * Geodesic distances of all triangles from one, along dual edges; infinite where there is no path.
 * `distances` has room for one per triangle. OV_ERROR_NULL, OV_ERROR_INDEX, OV_ERROR_MEMORY.
 */
ov_status ov_fit_segments_distances(const ov_fit_segments *segments, uint32_t triangle,
                                    double *distances);

#ifdef __cplusplus
}
#endif

#endif
