/**
 * @file metric.h
 * @brief Bounds by a metric, rounded so that proofs may use them.
 *
 * The struct is the metric. With b the centre, a_i the axes and m_i the moments, all of them the
 * doubles that are stored, the length of a difference of displacements d(x) = D x + t is defined by
 *
 *     |d|^2 = mass |d(b)|^2 + sum of m_i |D a_i|^2
 *
 * so what a constructor rounds is no error of a proof. With x - b = sum of y_i a_i, and hence
 * d(x) = d(b) + sum of y_i D a_i, the inequality of Cauchy and Schwarz gives the distortion rate
 *
 *     |d(x)| <= rho(x) |d|,   rho(x)^2 = 1/mass + sum of y_i^2 / m_i
 *
 * which is reached by d(b) = e/mass, D a_i = e y_i/m_i for every unit vector e. The axes are not a
 * unit frame to the last digit: y differs from (x - b).a_i by up to OVI_METRIC_ROUNDING |x - b|.
 * Divided by the root of the smallest moment that is more than a few last digits of rho where the
 * moments are far apart, and this is what the bounds here add.
 */
#ifndef OVI_METRIC_H
#define OVI_METRIC_H

#include "motion_internal.h"

/**
 * Of the frame and of products with it: axes whose products are off by 8 epsilon make 24 epsilon in
 * the largest singular value, and a difference and a scalar product less than 4.
 */
#define OVI_METRIC_ROUNDING (32.0 * DBL_EPSILON)
/** Products of the axes may be off by this; the constructors keep to 6 epsilon. */
#define OVI_METRIC_FRAME (8.0 * DBL_EPSILON)
/** Largest ratio of the roots of two moments; the constructors keep to 1e7. */
#define OVI_METRIC_RATIO 1e10

/**
 * OV_OK for a metric that bounds hold for. OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_NOT_POSITIVE (mass or a moment), OV_ERROR_OPTION (axes that are no unit frame),
 * OV_ERROR_DEGENERATE (moments too far apart).
 */
ov_status ovi_metric_check(const ov_metric *metric);

/** (v.a_i) / sqrt(m_i): by these, v adds their squared length to the squared distortion rate. */
ov_vec3 ovi_metric_whiten(const ov_metric *metric, ov_vec3 v);

/** Length of a difference of displacements; the true one differs from it by `*error` or less. */
double ovi_metric_length(const ov_metric *metric, const ov_affine *difference, double *error);

/** Numbers of a displacement. */
enum { OVI_DISPLACEMENT = 12 };

/**
 * The difference as a vector whose plain length is its length by the metric; the vector is off by
 * no more than what is returned, and so are differences of such vectors by the sum of both.
 */
double ovi_metric_flatten(const ov_metric *metric, const ov_affine *difference,
                          double numbers[OVI_DISPLACEMENT]);

/** No less than the length of what moves the frame's origin by no more than `translation` and has
 *  no singular value above `linear`. Also for speeds and accelerations: it is linear. */
double ovi_metric_length_upper(const ov_metric *metric, double translation, double linear);

/** No displacement of the piece is further from its centre than this. */
double ovi_piece_radius(const ovi_piece *piece, const ov_metric *metric);

#endif
