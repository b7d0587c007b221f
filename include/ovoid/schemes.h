/**
 * @file schemes.h
 * @brief The published schemes for the contact of two superellipsoids or superovoids, as their
 * papers describe them, for comparison and for learning. For your own work use ov_pair_contact().
 *
 * The unknowns, the start, the tolerance and the number of iterations are those of the paper. No
 * answer here is certified, and some are wrong: OV_OK only means that the scheme stopped by its own
 * criterion. Defects of a paper are kept unless the option `mended` is set.
 *
 * The schemes are a library of their own (libovoid_schemes). The libraries that they need (LAPACKE,
 * Ipopt, NLopt, FCL) may be missing: ov_scheme_missing() tells, and the other schemes still work.
 */
#ifndef OVOID_SCHEMES_H
#define OVOID_SCHEMES_H

#include <stdbool.h>
#include <stddef.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ov_scheme {
    OV_SCHEME_OCT_IMPLICIT = 0, /**< octree start, Newton on (15) [Benchmark, 4.2, 4.4] */
    OV_SCHEME_QUAD_IMPLICIT,    /**< quadtree start, Newton on (15) [Benchmark, 4.2, 4.4] */
    OV_SCHEME_QUAD_PARAMETRIC,  /**< quadtree start, Newton on (18) [Benchmark, 4.3, 4.4] */
    OV_SCHEME_NTB_PARAMETRIC,   /**< the same with the normal and tangents of the implicit form */
    OV_SCHEME_INTERIOR_POINT,   /**< minimum of (19) by Ipopt [Portal, 4] */
    OV_SCHEME_SQP,              /**< minimum of (19) by NLopt's SLSQP [Portal, 4] */
    OV_SCHEME_DISCRETE, /**< nodes of A in the inside-outside function of B [Thesis, 1.3.3] */
    OV_SCHEME_MESH,     /**< FCL on tessellations [Benchmark, 3.4] */
    OV_SCHEME_COUNT
} ov_scheme;

/** How a Newton scheme gets its Jacobian. */
typedef enum ov_jacobian {
    OV_JACOBIAN_DIFFERENCES = 0, /**< forward differences, as published */
    OV_JACOBIAN_ANALYTIC         /**< which the papers leave to future work */
} ov_jacobian;

/** What a Newton scheme tries if it did not converge [Thesis, 1.4.1]; may be combined. */
enum {
    OV_RESCUE_BISECTION = 1,    /**< a new start by bisection of vectors */
    OV_RESCUE_REGULA_FALSI = 2, /**< a new start by regula falsi */
    OV_RESCUE_DEEPER = 4        /**< a new start from a deeper octree or quadtree */
};

/** Constraint sets of the minimum distance problem [Portal, 5]. */
enum { OV_PORTAL_SETS = 8 };

typedef struct ov_scheme_result {
    ov_status status; /**< OV_OK: stopped by its own criterion; OV_NOT_CONVERGED: it did not */
    double gap;       /**< signed distance as the scheme computes it */
    ov_vec3 point_a, point_b, normal; /**< in the world; the normal from A towards B */
    int iterations;                   /**< of Newton or of the optimiser, all attempts together */
    int restarts;                     /**< starts after the first */
    double residual;                  /**< norm of the equations, or violation of the constraints */
    /** Time of the first guess, and of the whole query, without octrees, meshes and nodes, which
     * the papers make once per shape. */
    double start_seconds, total_seconds;
} ov_scheme_result;

typedef struct ov_scheme_options {
    double tolerance;             /**< length of the last step; 0: 1e-6 */
    int iterations;               /**< largest number of steps per attempt; 0: 30 */
    int quadtree_levels;          /**< 0: 6 */
    int octree_levels;            /**< 0: the published 5 x 5 x 5 cells; else the depth of a tree */
    ov_jacobian jacobian;         /**< differences */
    unsigned rescue;              /**< OV_RESCUE_...: none */
    const ov_scheme_result *last; /**< temporal coherence: start at its points; null: none */
    char constraint_set;          /**< 'a' to 'h' [Portal, 5]; 0: 'a' */
    size_t mesh_vertices; /**< of OV_SCHEME_MESH and of the nodes of OV_SCHEME_DISCRETE; 0: 290 */
    bool mended;          /**< correct the defects of the papers, which the head of each file in
                               src/schemes lists */
} ov_scheme_options;

/** All schemes as published. */
ov_scheme_options ov_default_scheme_options(void);

/** "octImplicit", "quadImplicit", ... as in the papers; null if there is no such scheme. */
const char *ov_scheme_name(ov_scheme scheme);
/** The scheme of a name; OV_SCHEME_COUNT if there is none. */
ov_scheme ov_scheme_of_name(const char *name);
/** Paper, sections and equations, in one line. */
const char *ov_scheme_source(ov_scheme scheme);
/** Null if the scheme was built, else the Debian package that was missing. */
const char *ov_scheme_missing(ov_scheme scheme);

/**
 * The contact of two bodies of the smooth family (sphere to superovoid) by a scheme.
 * OV_ERROR_UNSUPPORTED for other kinds, OV_ERROR_OPTION for options out of range, OV_ERROR_MISSING
 * for a scheme that was not built. Returns result->status; if that is negative, all numbers are
 * NaN. `options` may be null.
 */
ov_status ov_scheme_contact(ov_scheme scheme, const ov_shape *a, ov_pose pose_a, const ov_shape *b,
                            ov_pose pose_b, const ov_scheme_options *options,
                            ov_scheme_result *result);

#ifdef __cplusplus
}
#endif

#endif
