/**
 * @file motion_bezier.c
 * @brief Motions that are rational Bézier curves in the space of affine displacements
 * [Toleranced, 7.1].
 *
 * The curve is kept in homogeneous coordinates: twelve numbers times the weight, and the weight. A
 * piece of it is the control polygon of that part of the curve, about the curve's point at the
 * middle: weights that are positive stay so when the curve is cut, so the curve is within the hull.
 * The paper takes the farthest control point as the radius of a ball; here the control points
 * themselves are given, for any metric to measure.
 *
 * Rounding: see bezier.h. With positive weights w_i, sizes are sums of B_i w_i |P_i|, no more than
 * the curve's weight times the largest |P_i|. Both the coordinates and the weight are then off by
 * no more than gamma of that, and the point by twice gamma times the largest |P_i|, component by
 * component.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "bezier.h"
#include "motion_internal.h"

/** Twelve coordinates, the weight, and one more that keeps the count even. */
enum { COORDINATES = 12, LANES = 14 };

_Static_assert(sizeof(ov_affine) == COORDINATES * sizeof(double), "twelve numbers, and no gaps");

typedef struct bezier_motion {
    ov_motion head;
    size_t degree;
    double reach, stretch; /**< lengths of the largest translation and linear part, by components */
    double binomials[OVI_PIECE_HULL];
    double points[OVI_PIECE_HULL * LANES];
} bezier_motion;

/** Weights further apart than this are as good as zero. */
static const double least_weight = 1e-100;

ov_status ovi_weights_scale(const double *weights, size_t count, double *scaled) {
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        scaled[i] = weights != NULL ? weights[i] : 1.0;
        if (!(scaled[i] > 0.0) || !isfinite(scaled[i])) {
            return OV_ERROR_WEIGHT;
        }
        largest = fmax(largest, scaled[i]);
    }
    int exponent;
    (void)frexp(largest, &exponent);
    for (size_t i = 0; i < count; i++) {
        scaled[i] = ldexp(scaled[i], -exponent);
        if (!(scaled[i] > least_weight)) {
            return OV_ERROR_WEIGHT;
        }
    }
    return OV_OK;
}

/* ---- what a motion can do */

static void bezier_at(const ov_motion *motion, double time, ov_affine *displacement) {
    const bezier_motion *m = (const bezier_motion *)motion;
    double value[LANES];
    ovi_bezier_value(m->points, m->degree, LANES, ovi_bezier_parameter(motion, time), value);
    for (size_t c = 0; c < COORDINATES; c++) {
        value[c] /= value[COORDINATES];
    }
    memcpy(displacement, value, sizeof *displacement);
}

static void bezier_piece(const ov_motion *motion, double from, double to, ovi_piece *piece) {
    const bezier_motion *m = (const bezier_motion *)motion;
    double u0 = ovi_bezier_parameter(motion, from), u1 = ovi_bezier_parameter(motion, to);
    ovi_bezier_widen(&u0, &u1);
    double points[OVI_PIECE_HULL * LANES], middle[LANES];
    memcpy(points, m->points, (m->degree + 1) * LANES * sizeof *points);
    ovi_bezier_cut(points, m->degree, LANES, u0, u1);
    ovi_bezier_middle(points, m->degree, LANES, m->binomials, middle);
    double inverse = 1.0 / middle[COORDINATES];
    for (size_t c = 0; c < COORDINATES; c++) {
        middle[c] *= inverse;
    }
    memcpy(&piece->centre, middle, sizeof piece->centre);
    piece->rigid = false;
    piece->count = m->degree + 1;
    for (size_t i = 0; i <= m->degree; i++) {
        double *p = points + i * LANES;
        inverse = 1.0 / p[COORDINATES];
        for (size_t c = 0; c < COORDINATES; c++) {
            p[c] = p[c] * inverse - middle[c];
        }
        memcpy(&piece->offsets[i], p, sizeof piece->offsets[i]);
    }
    double rounding = 2.0 * ovi_bezier_cut_rounding(m->degree);
    piece->slip = rounding * m->reach + OVI_BEZIER_TINY;
    piece->twist = rounding * m->stretch + OVI_BEZIER_TINY;
}

static const ovi_motion_kind bezier_kind = {bezier_at, NULL, bezier_piece, NULL};

/* ---- making one */

static ov_status check_controls(const ov_affine *controls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double numbers[COORDINATES], largest = 0.0;
        memcpy(numbers, &controls[i], sizeof numbers);
        for (size_t c = 0; c < COORDINATES; c++) {
            if (!isfinite(numbers[c])) {
                return OV_ERROR_NOT_FINITE;
            }
            largest = fmax(largest, fabs(numbers[c]));
        }
        // the linear part moves points too: what is too much for one is so for the other
        if (largest > OV_POSITION_MAX) {
            return OV_ERROR_SIZE_RANGE;
        }
    }
    return OV_OK;
}

static void fill(bezier_motion *m, const ov_affine *controls, const double *weights) {
    double largest[COORDINATES] = {0.0};
    for (size_t i = 0; i <= m->degree; i++) {
        double *p = m->points + i * LANES;
        memcpy(p, &controls[i], sizeof controls[i]);
        for (size_t c = 0; c < COORDINATES; c++) {
            largest[c] = fmax(largest[c], fabs(p[c]));
            p[c] *= weights[i];
        }
        p[COORDINATES] = weights[i];
    }
    for (size_t c = 0; c < COORDINATES; c++) {
        double *length = c < 9 ? &m->stretch : &m->reach;
        *length = hypot(*length, largest[c]);
    }
    ovi_bezier_binomials(m->degree, m->binomials);
}

ov_status ov_motion_create_bezier(const ov_affine *controls, const double *weights, size_t count,
                                  double start, double end, const ov_allocator *allocator,
                                  ov_motion **motion) {
    OVI_NEAREST(ov_status,
                ov_motion_create_bezier(controls, weights, count, start, end, allocator, motion));
    if (motion == NULL) {
        return OV_ERROR_NULL;
    }
    *motion = NULL;
    if (controls == NULL) {
        return OV_ERROR_NULL;
    }
    if (count < 2 || count > OVI_PIECE_HULL) {
        return OV_ERROR_COUNT;
    }
    double scaled[OVI_PIECE_HULL];
    ov_status status = check_controls(controls, count);
    status = status == OV_OK ? ovi_weights_scale(weights, count, scaled) : status;
    if (status != OV_OK) {
        return status;
    }
    bezier_motion *m = ovi_motion_new(&bezier_kind, sizeof *m, start, end, allocator, &status);
    if (m != NULL) {
        m->degree = count - 1;
        fill(m, controls, scaled);
        *motion = &m->head;
    }
    return status;
}
