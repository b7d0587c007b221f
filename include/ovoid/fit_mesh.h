/**
 * @file fit_mesh.h
 * @brief Meshes as they come, made ready for a fit: joined, oriented, thinned, and what was wrong
 * with them in a line each.
 *
 * Part of `libovoid_fit`. A mesh is never refused for its defects. What is handed on covers the
 * input: every point of every input triangle is within ov_fit_mesh_added() of it, and every point
 * of it within the same distance of the input; with nothing joined or thinned that is 0.
 */
#ifndef OVOID_FIT_MESH_H
#define OVOID_FIT_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/fit_input.h>
#include <ovoid/math.h>
#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** So many pairs of triangles are tested for crossing each other: some seconds. */
#define OV_FIT_CROSSING_PAIRS ((size_t)20000000)

typedef struct ov_fit_mesh_options {
    /** Vertices nearer to each other than this become one; in diagonals of the mesh's box, up to
     *  0.1. Default 1e-6; OV_ZERO joins equal ones only. */
    double weld;
    /** Most triangles; meshes with more are thinned. Default 250,000. */
    size_t triangles;
    /** Most pairs of triangles that are tested for crossing each other. Default
     *  OV_FIT_CROSSING_PAIRS. */
    size_t crossing_pairs;
} ov_fit_mesh_options;

ov_fit_mesh_options ov_default_fit_mesh_options(void);

/** What can be wrong with a mesh. */
typedef enum ov_fit_defect {
    OV_FIT_DEFECT_UNUSED = 0,      /**< vertices that no triangle uses; left out */
    OV_FIT_DEFECT_EQUAL,           /**< vertices equal to an earlier one; joined */
    OV_FIT_DEFECT_NEAR,            /**< vertices near an earlier one; joined */
    OV_FIT_DEFECT_DEGENERATE,      /**< triangles without area */
    OV_FIT_DEFECT_DUPLICATE,       /**< triangles with the corners of an earlier one */
    OV_FIT_DEFECT_OPEN_EDGE,       /**< edges of one triangle */
    OV_FIT_DEFECT_BRANCHED_EDGE,   /**< edges of more than two: non-manifold edges */
    OV_FIT_DEFECT_BRANCHED_VERTEX, /**< non-manifold: surfaces that meet in a vertex only */
    OV_FIT_DEFECT_ORIENTATION,     /**< edges that both triangles run along the same way */
    OV_FIT_DEFECT_ONE_SIDED,       /**< surfaces that cannot be oriented: as a Moebius strip */
    OV_FIT_DEFECT_INVERTED,        /**< closed shells that were inside out; turned over */
    OV_FIT_DEFECT_SHELLS,          /**< shells beyond the first */
    OV_FIT_DEFECT_CROSSING,        /**< pairs of triangles that cross each other, for certain */
    OV_FIT_DEFECT_FLAT, /**< 1: all is in one plane, 2: on a line, 3: in a point, to rounding */
    OV_FIT_DEFECT_COUNT
} ov_fit_defect;

/** A word or two for tables: "open edges" ...; never null. */
const char *ov_fit_defect_name(ov_fit_defect defect);

/** Opaque; owns its memory. */
typedef struct ov_fit_mesh ov_fit_mesh;

/**
 * Makes a mesh ready, in this order:
 *
 *  - Vertices that are equal or near become one, the earlier. Triangles that occur again with the
 *    same orientation are dropped, and triangles whose corners are no longer distinct, unless they
 *    are a segment or point that no other triangle covers.
 *  - Where neighbours disagree the smaller part of the surface is turned over, so that orientations
 *    agree, and so is a closed shell with a negative volume, with all that is inside it. A shell
 *    within another one that runs the other way is a cavity, and stays.
 *  - Pairs of triangles that cross each other are counted, never changed.
 *  - A mesh with more triangles than the option allows is thinned: the vertices within a cell of a
 *    grid become one, their mean.
 *
 * OV_ERROR_NULL, OV_ERROR_OPTION, the errors of ov_fit_input_check, OV_ERROR_COUNT (also for a
 * cloud), OV_ERROR_MEMORY; `*mesh` is then null and `*fault` (may be null) says why. `options` may
 * be null.
 */
ov_status ov_fit_mesh_create(const ov_fit_input *input, const ov_fit_mesh_options *options,
                             ov_fit_mesh **mesh, ov_fault *fault);
/** Null is allowed. */
void ov_fit_mesh_destroy(ov_fit_mesh *mesh);

/** The mesh itself, to be fitted to; it lives as long as the mesh. Empty for null. */
ov_fit_input ov_fit_mesh_input(const ov_fit_mesh *mesh);

/* Arrays live as long as the mesh; for null they are null, and numbers 0. */

/** Of each triangle, the input triangle that it comes from. */
const uint32_t *ov_fit_mesh_sources(const ov_fit_mesh *mesh);
/** Of each input triangle, the triangle that stands for it: it, an equal one, or, where it shrank
 *  to a segment or a point, one that has that. */
const uint32_t *ov_fit_mesh_targets(const ov_fit_mesh *mesh);
/** Of each input vertex, the vertex that it became; UINT32_MAX for unused ones. */
const uint32_t *ov_fit_mesh_vertex_targets(const ov_fit_mesh *mesh);
/**
 * Of each triangle, the triangle across each of its edges, from the first to the second corner and
 * so on; OV_FIT_NO_NEIGHBOUR where there is none. About an edge of more than two triangles each has
 * the next one, and the last the first.
 */
const uint32_t (*ov_fit_mesh_neighbours(const ov_fit_mesh *mesh))[3];
#define OV_FIT_NO_NEIGHBOUR UINT32_MAX

/** Bound of the Hausdorff distance between the input's triangles and these, rounding included. */
double ov_fit_mesh_added(const ov_fit_mesh *mesh);
/** Length of the diagonal of the box of the used vertices. */
double ov_fit_mesh_diagonal(const ov_fit_mesh *mesh);
/** Shells: triangles that are connected by edges; `closed` (may be null): those whose edges all run
 *  equally often in both directions. Before thinning. */
size_t ov_fit_mesh_shell_count(const ov_fit_mesh *mesh, size_t *closed);
/** How often a defect was found, in the input, before thinning; 0 for null. */
size_t ov_fit_mesh_defects(const ov_fit_mesh *mesh, ov_fit_defect defect);

/** Lines of the report: one for each defect that was found, and one for thinning. */
size_t ov_fit_mesh_line_count(const ov_fit_mesh *mesh);
/** A line, without a line end; null beyond the last one. */
const char *ov_fit_mesh_line(const ov_fit_mesh *mesh, size_t index);

/**
 * Counts pairs of triangles of a mesh that cross each other, for certain: an edge of one goes
 * through the inside of the other. Pairs with a common edge are neighbours, and pairs that touch or
 * lie in the same plane do not count. The search ends after about `limit` tests (0:
 * OV_FIT_CROSSING_PAIRS), and `*all` (may be null) is false then. The errors of ov_fit_input_check,
 * OV_ERROR_COUNT for a cloud, OV_ERROR_MEMORY; `*pairs` is then 0.
 */
ov_status ov_fit_crossings(const ov_fit_input *mesh, size_t limit, size_t *pairs, bool *all);

#ifdef __cplusplus
}
#endif

#endif
