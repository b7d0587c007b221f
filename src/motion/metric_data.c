/**
 * @file metric_data.c
 * @brief Metric data of lines and planes [Toleranced, (5) and (7)].
 *
 * With W(v) the vector of (v.a_i)/sqrt(m_i), the squared distortion rate at o + t u is
 *
 *     1/mass + |W(o - b)|^2 + 2 t W(u).W(o - b) + t^2 |W(u)|^2
 *
 * 1. the mixed term vanishes where o is the foot of b on the line, as W measures it; then
 *    1/nu = |W(u)|
 * 2. in a plane b1 and b2 are turned until W(b1) and W(b2) are at right angles (a rotation of
 *    Jacobi's method on the two vectors themselves, which keeps all digits of the shorter one)
 *
 * Rounding: what is left of the mixed terms is measured, not estimated. 2 |s t| c <= c (s^2 + t^2)
 * turns each into a part of the squared terms, and rho and 1/nu are made larger by these parts and
 * by what evaluating W can lose: OVI_METRIC_ROUNDING times the ratio of the roots of the moments,
 * for each of its factors. So the formulas with the stored numbers, taken exactly, are never below
 * the true rate at the point origin + t direction, or origin + s b1 + t b2.
 */
#include "../math/rounding_mode.h"
#include "metric.h"

/** Checks a metric and a point. */
static ov_status check(const ov_metric *metric, ov_vec3 p) {
    ov_status status = ovi_metric_check(metric);
    if (status != OV_OK) {
        return status;
    }
    if (!ov_vec3_is_finite(p)) {
        return OV_ERROR_NOT_FINITE;
    }
    return ov_vec3_length(p) <= 2.0 * OV_POSITION_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

/** A direction in which the rate is looked at: itself, W of it as a unit vector, and its nu. */
typedef struct way {
    ov_vec3 direction, white;
    double nu;
} way;

static way way_along(const ov_metric *metric, ov_vec3 direction) {
    ov_vec3 white = ovi_metric_whiten(metric, direction);
    double nu = 1.0 / ov_vec3_length(white);
    return (way){direction, ov_vec3_scale(white, nu), nu};
}

/** W(direction).W(o - b) over |W(direction)|. */
static double slope(const ov_metric *metric, const way *w, ov_vec3 o) {
    return ov_vec3_dot(w->white, ovi_metric_whiten(metric, ov_vec3_sub(o, metric->centre)));
}

/** Moves a point along one or two ways to where the rate is smallest. */
static ov_vec3 foot(const ov_metric *metric, const way *ways, int count, ov_vec3 p) {
    // the second round takes away what the rounding of a long first step left
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            double step = slope(metric, &ways[i], p) * ways[i].nu;
            p = ov_vec3_add_scaled(p, ways[i].direction, -step);
        }
    }
    return p;
}

/** By how much the data of one or two ways and their foot must grow. */
static double growth(const ov_metric *metric, const way *ways, int count, ov_vec3 o, double rho) {
    double parts = 4.0 * count * OVI_METRIC_ROUNDING * ovi_metric_ratio(metric);
    for (int i = 0; i < count; i++) {
        parts += fabs(slope(metric, &ways[i], o)) / rho;
    }
    if (count == 2) {
        parts += fabs(ov_vec3_dot(ways[0].white, ways[1].white));
    }
    return 1.0 + parts;
}

ov_status ov_metric_line_of(const ov_metric *metric, ov_vec3 p, ov_vec3 q, ov_metric_line *line) {
    OVI_NEAREST(ov_status, ov_metric_line_of(metric, p, q, line));
    if (metric == NULL || line == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check(metric, p);
    status = status == OV_OK ? check(metric, q) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 d = ov_vec3_sub(q, p);
    if (!(ov_vec3_length(d) > 0.0)) {
        return OV_ERROR_DEGENERATE;
    }
    way along = way_along(metric, ov_vec3_normalize(d));
    ov_vec3 o = foot(metric, &along, 1, p);
    double rho = ov_metric_distortion(metric, o), grown = growth(metric, &along, 1, o, rho);
    *line = (ov_metric_line){o, along.direction, rho * grown, along.nu / grown};
    return OV_OK;
}

/** Turns two vectors of a plane, at right angles, until W of them are at right angles too. */
static void principal(const ov_metric *metric, ov_vec3 *u, ov_vec3 *v) {
    for (int round = 0; round < 4; round++) {
        ov_vec3 a = ovi_metric_whiten(metric, *u), b = ovi_metric_whiten(metric, *v);
        double scale = 1.0 / fmax(ov_vec3_length(a), ov_vec3_length(b));
        a = ov_vec3_scale(a, scale);
        b = ov_vec3_scale(b, scale);
        double mixed = ov_vec3_dot(a, b);
        if (mixed == 0.0) {
            return;
        }
        double theta = 0.5 * (ov_vec3_dot(b, b) - ov_vec3_dot(a, a)) / mixed;
        double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        ov_vec3 turned = ov_vec3_add_scaled(ov_vec3_scale(*u, c), *v, -s);
        *v = ov_vec3_add_scaled(ov_vec3_scale(*v, c), *u, s);
        *u = turned;
    }
}

ov_status ov_metric_plane_of(const ov_metric *metric, ov_vec3 p, ov_vec3 normal,
                             ov_metric_plane *plane) {
    OVI_NEAREST(ov_status, ov_metric_plane_of(metric, p, normal, plane));
    if (metric == NULL || plane == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check(metric, p);
    if (status != OV_OK) {
        return status;
    }
    if (!ov_vec3_is_finite(normal)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!(ov_vec3_length(normal) > 0.0)) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    ov_mat3 frame = ov_mat3_householder(normal);
    ov_vec3 u = frame.cy, v = frame.cz;
    principal(metric, &u, &v);
    way ways[2] = {way_along(metric, u), way_along(metric, v)};
    if (ways[0].nu > ways[1].nu) {
        way other = ways[0];
        ways[0] = ways[1];
        ways[1] = other;
    }
    // b1 x b2 along the normal
    if (ov_vec3_dot(ov_vec3_cross(ways[0].direction, ways[1].direction), normal) < 0.0) {
        ways[1].direction = ov_vec3_neg(ways[1].direction);
        ways[1].white = ov_vec3_neg(ways[1].white);
    }
    ov_vec3 o = foot(metric, ways, 2, p);
    double rho = ov_metric_distortion(metric, o), grown = growth(metric, ways, 2, o, rho);
    *plane = (ov_metric_plane){o,           ways[0].direction,  ways[1].direction,
                               rho * grown, ways[0].nu / grown, ways[1].nu / grown};
    return OV_OK;
}
