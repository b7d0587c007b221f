/**
 * @file facet.h
 * @brief Facets, which are flat convex polygons, two at a time: could they meet while one of them
 * moves, do they go through each other, and which points are nearest? The elementary tests of
 * [Toleranced, 4].
 */
#ifndef OVI_FACET_H
#define OVI_FACET_H

#include <float.h>

#include <ovoid/motion.h>

/** A flat convex polygon, where it is now. */
typedef struct ovi_facet {
    const ov_vec3 *corners; /**< turning left about the normal */
    uint32_t count;
    bool thin;        /**< no area to speak of: it is as good as its sides */
    ov_vec3 centre;   /**< a point of its plane */
    ov_vec3 p, q;     /**< images of the plane's unit vectors */
    ov_vec3 normal;   /**< unit; anything where it is thin */
    double radius;    /**< no corner is further from the centre */
    double deviation; /**< the body's polygon is not further from this one, rounding aside */
} ovi_facet;

/**
 * The squared distortion rate on a facet in the frame that moves: with x = centre + s p + t q,
 *     rho^2(x) = middle + 2 (b1 s + b2 t) + k11 s^2 + 2 k12 s t + k22 t^2,
 * and on the side from corner i to the next, which is e: rho[i]^2 + 2 (...) s + kappa[i] s^2.
 */
typedef struct ovi_distortion_form {
    const double *rho;    /**< distortion rate at the corners */
    const double *kappa;  /**< of the sides: e' J^-1 e */
    const ov_vec2 *plane; /**< corners by s and t */
    double most;          /**< largest distortion rate on the polygon, rounding included */
    double blur;          /**< no rate by the numbers here is further from the true one */
    double middle, b1, b2, k11, k12, k22;
} ovi_distortion_form;

/** Fills the arrays, of `count` elements each, and the form; p and q are orthonormal. */
void ovi_distortion_form_make(const ov_metric *metric, const ov_vec3 *corners, uint32_t count,
                              ov_vec3 centre, ov_vec3 p, ov_vec3 q, double *rho, double *kappa,
                              ov_vec2 *plane, ovi_distortion_form *form);

/** Puts a facet elsewhere; `room` takes its corners. */
void ovi_facet_place(const ovi_facet *local, const ov_affine *map, ov_vec3 *room,
                     ovi_facet *placed);

/** Which features of two facets come close: vertices, edges or faces. */
typedef struct ovi_feature_pair {
    ov_sweep_element element;
    uint32_t index_a, index_b;
} ovi_feature_pair;

/**
 * Could a point x of A, where it is displaced by anything within `radius` of where A lies now, be
 * within `extra` of B? False is a proof that it cannot; `features` is then as it was. `form` is
 * A's.
 */
bool ovi_offset_facet_meets(const ovi_facet *a, const ovi_distortion_form *form, double radius,
                            const ovi_facet *b, double extra, ovi_feature_pair *features);

/** Points of two facets, and the features that they are on. */
typedef struct ovi_nearest_points {
    double square; /**< of their distance; infinite where numbers are not finite */
    ov_vec3 on_a, on_b;
    ovi_feature_pair features;
} ovi_nearest_points;

/** The nearest points of two facets that do not go through each other. */
ovi_nearest_points ovi_facets_nearest(const ovi_facet *a, const ovi_facet *b);
/** Is their distance no more than `limit`, by two points, also if points were off by `error` in
 * all? False for a limit of zero, where only a crossing is certain. */
bool ovi_facets_within(const ovi_facet *a, const ovi_facet *b, double limit, double error,
                       ovi_feature_pair *features);

/**
 * Does a side of one go through the inside of the other, and would it still if no point of them was
 * further than `error` from where it is here? True is a proof.
 */
bool ovi_facets_cross(const ovi_facet *a, const ovi_facet *b, double error,
                      ovi_feature_pair *features);

#endif
