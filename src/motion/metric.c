/**
 * @file metric.c
 * @brief The metric of displacements that a body makes [Toleranced, 2 and 3]: lengths, distortion
 * rates, and the metric data of lines and planes.
 *
 * Everything follows from the definition |d|^2 = sum of w |d(x)|^2 for a difference d(x) = D x + t:
 *
 *     1. about the barycentre b the mixed terms vanish, so with the *central* second moments
 *        J = sum of w (x - b)(x - b)':   |d|^2 = mass |d(b)|^2 + trace(D J D')
 *     2. in the axes of J: |d|^2 = mass |d(b)|^2 + sum of m_i |D a_i|^2
 *     3. the distortion rate then follows as in metric.h
 *
 * Departures from the paper, whose formulas do not fit each other: its discrete J has squared
 * weights, (4) uses moments about the origin of the frame with coordinates that are meant from the
 * barycentre, and its ellipsoid of inertia is set to 0 instead of 1. All of this is right for
 * weights of 1 and a barycentre at the origin only.
 *
 * The largest distortion rate on a polygon (11) needs no quadratic program: the rate is a norm of
 * an affine function, so it is convex, and largest at a vertex.
 *
 * Range: points up to OV_POSITION_MAX, bodies no smaller than OV_SIZE_MIN, and a mass from
 * OV_SIZE_MIN to OV_SIZE_MAX keep moments within 1e-200 and 1e262; lengths and rates are
 * formed so that only what is itself out of the range of doubles overflows or vanishes.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "metric.h"

_Static_assert(sizeof(ov_vec3) == 3 * sizeof(double), "numbers without gaps");

/** Least ratio of the roots of the smallest and the largest moment: of points, and of shapes, for
 *  which inertias are all there is and the smallest moment is a difference of these. */
static const double POINTS_THIN = 1e-7, SHAPE_THIN = 1e-6;

/** NaN where one is NaN. */
static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

/* ---- axes */

/** One rotation of Jacobi's method for the symmetric matrix a, so that a[p][q] is zero. */
static void rotate(double a[3][3], double v[3][3], int p, int q) {
    if (a[p][q] == 0.0) {
        return;
    }
    double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    int k = 3 - p - q; // the third index
    double kp = a[k][p], kq = a[k][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[k][p] = a[p][k] = c * kp - s * kq;
    a[k][q] = a[q][k] = s * kp + c * kq;
    for (int i = 0; i < 3; i++) {
        double ip = v[i][p], iq = v[i][q];
        v[i][p] = c * ip - s * iq;
        v[i][q] = s * ip + c * iq;
    }
}

/** Right-handed unit frame of eigenvectors of a symmetric matrix (xx, yy, zz, xy, xz, yz). */
static ov_mat3 eigenvectors(const double c[6]) {
    double a[3][3] = {{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}};
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    // it converges quadratically: five or six rounds are the most that is seen
    for (int round = 0; round < 16; round++) {
        if (a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0) {
            break;
        }
        rotate(a, v, 0, 1);
        rotate(a, v, 0, 2);
        rotate(a, v, 1, 2);
    }
    // products of rotations lose a few digits: a unit frame again
    ov_mat3 m;
    m.cx = ov_vec3_normalize(ov_vec3_make(v[0][0], v[1][0], v[2][0]));
    ov_vec3 y = ov_vec3_make(v[0][1], v[1][1], v[2][1]);
    m.cy = ov_vec3_normalize(ov_vec3_add_scaled(y, m.cx, -ov_vec3_dot(m.cx, y)));
    m.cz = ov_vec3_cross(m.cx, m.cy);
    return m;
}

/* ---- constructors */

/** Point masses: the caller's, and perhaps one more of weight 1. */
typedef struct cloud {
    const ov_vec3 *points;
    const double *weights; /**< null: all 1 */
    size_t count;
    bool has_apex;
    ov_vec3 apex;
    double heaviest; /**< weight */
    double reach;    /**< largest coordinate, from the first point */
    double farthest; /**< largest coordinate, from the origin */
} cloud;

static size_t cloud_size(const cloud *c) { return c->count + (c->has_apex ? 1 : 0); }

/** Point i from the first one, in units of the reach. */
static ov_vec3 cloud_point(const cloud *c, size_t i) {
    ov_vec3 d = ov_vec3_sub(i < c->count ? c->points[i] : c->apex, c->points[0]);
    return ov_vec3_make(d.x / c->reach, d.y / c->reach, d.z / c->reach);
}

/** Weight i in units of the heaviest. */
static double cloud_weight(const cloud *c, size_t i) {
    return (c->weights != NULL && i < c->count ? c->weights[i] : 1.0) / c->heaviest;
}

static double largest(ov_vec3 v) { return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z)); }

/** Checks points and weights, and measures them. */
static ov_status cloud_check(cloud *c) {
    c->heaviest = c->weights != NULL ? 0.0 : 1.0;
    c->reach = c->farthest = 0.0;
    for (size_t i = 0; i < c->count; i++) {
        if (!ov_vec3_is_finite(c->points[i]) || (c->weights != NULL && !isfinite(c->weights[i]))) {
            return OV_ERROR_NOT_FINITE;
        }
        if (c->weights != NULL && !(c->weights[i] > 0.0)) {
            return OV_ERROR_WEIGHT;
        }
        c->heaviest = c->weights != NULL ? fmax(c->heaviest, c->weights[i]) : 1.0;
        c->farthest = fmax(c->farthest, largest(c->points[i]));
        c->reach = fmax(c->reach, largest(ov_vec3_sub(c->points[i], c->points[0])));
    }
    if (c->farthest > OV_POSITION_MAX) {
        return OV_ERROR_SIZE_RANGE;
    }
    return !(c->reach > 0.0)        ? OV_ERROR_DEGENERATE
           : c->reach < OV_SIZE_MIN ? OV_ERROR_SIZE_RANGE
                                    : OV_OK;
}

/** Mean of the cloud, in its own units, and its weight, in units of the heaviest. */
static ov_vec3 cloud_mean(const cloud *c, double *weight) {
    ov_vec3 sum = {0.0, 0.0, 0.0};
    *weight = 0.0;
    for (size_t i = 0; i < cloud_size(c); i++) {
        double w = cloud_weight(c, i);
        *weight += w;
        sum = ov_vec3_add_scaled(sum, cloud_point(c, i), w);
    }
    return ov_vec3_scale(sum, 1.0 / *weight);
}

/** Enough extent in every direction? Of squares of lengths along the axes. */
static bool is_thin(ov_vec3 squares, double thin) {
    double most = fmax(fmax(squares.x, squares.y), squares.z);
    double least = fmin(fmin(squares.x, squares.y), squares.z);
    return !(least > thin * thin * most);
}

/** The metric of a checked cloud, of which all the mass is `mass` (0: the sum of the weights). */
static ov_status cloud_metric(const cloud *c, double mass, ov_metric *metric) {
    double weight, sums[6] = {0.0};
    ov_vec3 mean = cloud_mean(c, &weight);
    for (size_t i = 0; i < cloud_size(c); i++) {
        double w = cloud_weight(c, i) / weight;
        ov_vec3 d = ov_vec3_sub(cloud_point(c, i), mean);
        sums[0] += w * d.x * d.x;
        sums[1] += w * d.y * d.y;
        sums[2] += w * d.z * d.z;
        sums[3] += w * d.x * d.y;
        sums[4] += w * d.x * d.z;
        sums[5] += w * d.y * d.z;
    }
    ov_metric m = {.mass = mass > 0.0 ? mass : weight * c->heaviest, .axes = eigenvectors(sums)};
    if (!(m.mass >= OV_SIZE_MIN && m.mass <= OV_SIZE_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    // along the axes once more: an eigenvalue has the rounding of the largest one in it
    ov_vec3 squares = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < cloud_size(c); i++) {
        double w = cloud_weight(c, i) / weight;
        ov_vec3 y = ov_mat3_tmul_vec3(&m.axes, ov_vec3_sub(cloud_point(c, i), mean));
        squares = ov_vec3_add_scaled(squares, ov_vec3_mul(y, y), w);
    }
    double least = sqrt(fmin(fmin(squares.x, squares.y), squares.z)) * c->reach;
    // far from the origin the coordinates' own rounding looks like extent
    if (is_thin(squares, POINTS_THIN) || !(least > 16.0 * DBL_EPSILON * c->farthest)) {
        return OV_ERROR_DEGENERATE;
    }
    m.centre = ov_vec3_add_scaled(c->points[0], mean, c->reach);
    m.moments = ov_vec3_scale(squares, c->reach);
    m.moments = ov_vec3_scale(ov_vec3_scale(m.moments, m.mass), c->reach);
    *metric = m;
    return OV_OK;
}

ov_status ov_metric_from_points(const ov_vec3 *points, const double *weights, size_t count,
                                ov_metric *metric) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_metric_from_points(points, weights, count, metric));
    if (points == NULL || metric == NULL) {
        return OV_ERROR_NULL;
    }
    if (count < 4) {
        return OV_ERROR_COUNT;
    }
    cloud c = {.points = points, .weights = weights, .count = count};
    ov_status status = cloud_check(&c);
    return status != OV_OK ? status : cloud_metric(&c, 0.0, metric);
}

ov_status ov_metric_from_polygon(const ov_vec3 *vertices, size_t count, double height,
                                 ov_metric *metric) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_metric_from_polygon(vertices, count, height, metric));
    if (vertices == NULL || metric == NULL) {
        return OV_ERROR_NULL;
    }
    if (count < 3) {
        return OV_ERROR_COUNT;
    }
    if (!isfinite(height)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (height < 0.0) {
        return OV_ERROR_OPTION;
    }
    cloud c = {.points = vertices, .count = count};
    ov_status status = cloud_check(&c);
    if (status != OV_OK) {
        return status;
    }
    // twice the area along the normal, of triangles with the middle
    double weight, radius = 0.0;
    ov_vec3 middle = cloud_mean(&c, &weight), area = {0.0, 0.0, 0.0};
    ov_vec3 last = ov_vec3_sub(cloud_point(&c, count - 1), middle);
    for (size_t i = 0; i < count; i++) {
        ov_vec3 next = ov_vec3_sub(cloud_point(&c, i), middle);
        radius = fmax(radius, ov_vec3_length(next));
        area = ov_vec3_add(area, ov_vec3_cross(last, next));
        last = next;
    }
    if (!(ov_vec3_length(area) > 0.0)) {
        return OV_ERROR_DEGENERATE;
    }
    double over = (height > 0.0 ? height : 0.25) * radius;
    ov_vec3 apex = ov_vec3_add_scaled(middle, ov_vec3_normalize(area), over);
    c.apex = ov_vec3_add_scaled(vertices[0], apex, c.reach);
    c.has_apex = true;
    if (!(largest(c.apex) <= OV_POSITION_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    return cloud_metric(&c, 1.0, metric);
}

ov_status ov_metric_from_shape(const ov_shape *shape, ov_metric *metric) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_metric_from_shape(shape, metric));
    if (shape == NULL || metric == NULL) {
        return OV_ERROR_NULL;
    }
    ov_mass mass;
    ov_status status = ov_shape_mass(shape, 1.0, &mass);
    if (status < 0) {
        return status;
    }
    // inertia is trace(J) - J, and half its trace is trace(J)
    const ov_mat3 *i = &mass.inertia;
    double trace = 0.5 * (i->cx.x + i->cy.y + i->cz.z);
    if (!(mass.volume > 0.0) || !(trace > 0.0)) {
        return OV_ERROR_DEGENERATE;
    }
    const double sums[6] = {1.0 - i->cx.x / trace, 1.0 - i->cy.y / trace, 1.0 - i->cz.z / trace,
                            -i->cy.x / trace,      -i->cz.x / trace,      -i->cz.y / trace};
    ov_metric m = {.mass = 1.0, .centre = mass.centroid, .axes = eigenvectors(sums)};
    const ov_vec3 axes[3] = {m.axes.cx, m.axes.cy, m.axes.cz};
    double parts[3];
    for (int k = 0; k < 3; k++) {
        ov_vec3 a = axes[k];
        parts[k] = sums[0] * a.x * a.x + sums[1] * a.y * a.y + sums[2] * a.z * a.z +
                   2.0 * (sums[3] * a.x * a.y + sums[4] * a.x * a.z + sums[5] * a.y * a.z);
    }
    ov_vec3 squares = ov_vec3_make(parts[0], parts[1], parts[2]);
    if (is_thin(squares, SHAPE_THIN)) {
        return OV_ERROR_DEGENERATE;
    }
    m.moments = ov_vec3_scale(squares, trace / mass.volume);
    *metric = m;
    return OV_OK;
}

/** Roots of the largest over the smallest moment: what multiplies rounding errors. */
static double ratio_of(const ov_metric *metric) {
    ov_vec3 m = metric->moments;
    return sqrt(fmax(fmax(m.x, m.y), m.z)) / sqrt(fmin(fmin(m.x, m.y), m.z));
}

ov_status ovi_metric_check(const ov_metric *metric) {
    if (metric == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_mat3 *a = &metric->axes;
    if (!isfinite(metric->mass) || !ov_vec3_is_finite(metric->centre) ||
        !ov_vec3_is_finite(metric->moments) || !ov_vec3_is_finite(a->cx) ||
        !ov_vec3_is_finite(a->cy) || !ov_vec3_is_finite(a->cz)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!(metric->mass > 0.0 && metric->moments.x > 0.0 && metric->moments.y > 0.0 &&
          metric->moments.z > 0.0)) {
        return OV_ERROR_SIZE_NOT_POSITIVE;
    }
    double lengths =
        fmax(fmax(fabs(ov_vec3_dot(a->cx, a->cx) - 1.0), fabs(ov_vec3_dot(a->cy, a->cy) - 1.0)),
             fabs(ov_vec3_dot(a->cz, a->cz) - 1.0));
    double angles = fmax(fmax(fabs(ov_vec3_dot(a->cx, a->cy)), fabs(ov_vec3_dot(a->cx, a->cz))),
                         fabs(ov_vec3_dot(a->cy, a->cz)));
    if (!(lengths <= OVI_METRIC_FRAME && angles <= OVI_METRIC_FRAME)) {
        return OV_ERROR_OPTION;
    }
    return ratio_of(metric) <= OVI_METRIC_RATIO ? OV_OK : OV_ERROR_DEGENERATE;
}

/* ---- lengths */

/** Length of a difference by its linear part and what it does to the barycentre. */
static double length_of(const ov_metric *m, const ov_mat3 *linear, ov_vec3 middle) {
    ov_vec3 x = ov_mat3_mul_vec3(linear, m->axes.cx), y = ov_mat3_mul_vec3(linear, m->axes.cy);
    ov_vec3 z = ov_mat3_mul_vec3(linear, m->axes.cz);
    double square = m->mass * ov_vec3_dot(middle, middle) + m->moments.x * ov_vec3_dot(x, x) +
                    m->moments.y * ov_vec3_dot(y, y) + m->moments.z * ov_vec3_dot(z, z);
    // what vanished of the squares, times the masses, is then below the last digit
    double masses = m->mass + m->moments.x + m->moments.y + m->moments.z;
    if (square > 1e-280 * masses && square > 1e-200 && square < 1e200) {
        return sqrt(square);
    }
    ov_vec3 parts =
        ov_vec3_make(sqrt(m->moments.x) * ov_vec3_length(x), sqrt(m->moments.y) * ov_vec3_length(y),
                     sqrt(m->moments.z) * ov_vec3_length(z));
    return ov_vec3_length(
        ov_vec3_make(sqrt(m->mass) * ov_vec3_length(middle), ov_vec3_length(parts), 0.0));
}

static ov_vec3 middle_of(const ov_metric *m, const ov_affine *d) {
    return ov_vec3_add(ov_mat3_mul_vec3(&d->linear, m->centre), d->translation);
}

double ov_metric_dot(const ov_metric *metric, const ov_affine *a, const ov_affine *b) {
    OVI_ROUND_TO_NEAREST(double, ov_metric_dot(metric, a, b));
    if (metric == NULL || a == NULL || b == NULL) {
        return NAN;
    }
    const ov_vec3 axes[3] = {metric->axes.cx, metric->axes.cy, metric->axes.cz};
    const double moments[3] = {metric->moments.x, metric->moments.y, metric->moments.z};
    double sum = metric->mass * ov_vec3_dot(middle_of(metric, a), middle_of(metric, b));
    for (int i = 0; i < 3; i++) {
        sum += moments[i] * ov_vec3_dot(ov_mat3_mul_vec3(&a->linear, axes[i]),
                                        ov_mat3_mul_vec3(&b->linear, axes[i]));
    }
    return sum;
}

double ov_metric_distance(const ov_metric *metric, const ov_affine *a, const ov_affine *b) {
    OVI_ROUND_TO_NEAREST(double, ov_metric_distance(metric, a, b));
    if (metric == NULL || a == NULL || b == NULL) {
        return NAN;
    }
    ov_affine d = {{ov_vec3_sub(a->linear.cx, b->linear.cx),
                    ov_vec3_sub(a->linear.cy, b->linear.cy),
                    ov_vec3_sub(a->linear.cz, b->linear.cz)},
                   ov_vec3_sub(a->translation, b->translation)};
    return length_of(metric, &d.linear, middle_of(metric, &d));
}

/** No less than the length; no root, as bounds of rounding need none. */
static double sum_of(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** No less than the largest singular value. */
static double size_of(const ov_mat3 *m) { return sum_of(m->cx) + sum_of(m->cy) + sum_of(m->cz); }

double ovi_metric_length_upper(const ov_metric *metric, double translation, double linear) {
    double reach = translation + linear * ov_vec3_length(metric->centre);
    double turn =
        linear * ov_vec3_length(ov_vec3_make(sqrt(metric->moments.x), sqrt(metric->moments.y),
                                             sqrt(metric->moments.z)));
    return ov_vec3_length(ov_vec3_make(sqrt(metric->mass) * reach, turn, 0.0)) *
           (1.0 + OVI_MOTION_MARGIN);
}

double ovi_metric_length(const ov_metric *metric, const ov_affine *difference, double *error) {
    double length = length_of(metric, &difference->linear, middle_of(metric, difference));
    // D b + t and D a_i are off by less than 2 epsilon of the sizes of what is summed
    *error = ovi_metric_length_upper(metric, sum_of(difference->translation),
                                     size_of(&difference->linear)) *
                 (4.0 * DBL_EPSILON) +
             length * OVI_MOTION_MARGIN;
    return length;
}

double ovi_metric_flatten(const ov_metric *metric, const ov_affine *difference,
                          double numbers[OVI_DISPLACEMENT]) {
    const ov_mat3 *linear = &difference->linear;
    const ov_vec3 parts[4] = {
        ov_vec3_scale(middle_of(metric, difference), sqrt(metric->mass)),
        ov_vec3_scale(ov_mat3_mul_vec3(linear, metric->axes.cx), sqrt(metric->moments.x)),
        ov_vec3_scale(ov_mat3_mul_vec3(linear, metric->axes.cy), sqrt(metric->moments.y)),
        ov_vec3_scale(ov_mat3_mul_vec3(linear, metric->axes.cz), sqrt(metric->moments.z))};
    memcpy(numbers, parts, sizeof parts);
    // as in ovi_metric_length; roots, their products and a later difference add 2 epsilon
    return ovi_metric_length_upper(metric, sum_of(difference->translation), size_of(linear)) *
           (8.0 * DBL_EPSILON);
}

double ovi_piece_radius(const ovi_piece *piece, const ov_metric *metric) {
    // a norm is convex: of the hull, an offset is the farthest
    double most = 0.0, translation = 0.0, linear = 0.0;
    for (size_t i = 0; i < piece->count; i++) {
        const ov_affine *d = &piece->offsets[i];
        most = larger(most, length_of(metric, &d->linear, middle_of(metric, d)));
        translation = larger(translation, sum_of(d->translation));
        linear = larger(linear, size_of(&d->linear));
    }
    // rounding as in ovi_metric_length
    double more =
        ovi_metric_length_upper(metric, piece->translation_error + 4.0 * DBL_EPSILON * translation,
                                piece->linear_error + 4.0 * DBL_EPSILON * linear);
    return (most + more) * (1.0 + OVI_MOTION_MARGIN);
}

/* ---- distortion */

ov_vec3 ovi_metric_whiten(const ov_metric *metric, ov_vec3 v) {
    ov_vec3 y = ov_mat3_tmul_vec3(&metric->axes, v);
    return ov_vec3_make(y.x / sqrt(metric->moments.x), y.y / sqrt(metric->moments.y),
                        y.z / sqrt(metric->moments.z));
}

double ov_metric_distortion(const ov_metric *metric, ov_vec3 point) {
    OVI_ROUND_TO_NEAREST(double, ov_metric_distortion(metric, point));
    if (metric == NULL) {
        return NAN;
    }
    ov_vec3 y = ovi_metric_whiten(metric, ov_vec3_sub(point, metric->centre));
    return ov_vec3_length(ov_vec3_make(1.0 / sqrt(metric->mass), ov_vec3_length(y), 0.0));
}

/**
 * No less than the distortion rate at the point. It is larger by OVI_METRIC_ROUNDING |x - b| in
 * each coordinate, and by OVI_MOTION_MARGIN of the whole.
 */
static double distortion_upper(const ov_metric *metric, ov_vec3 point) {
    ov_vec3 d = ov_vec3_sub(point, metric->centre), m = metric->moments;
    ov_vec3 y = ov_mat3_tmul_vec3(&metric->axes, d);
    double more = OVI_METRIC_ROUNDING * ov_vec3_length(d);
    y = ov_vec3_make((fabs(y.x) + more) / sqrt(m.x), (fabs(y.y) + more) / sqrt(m.y),
                     (fabs(y.z) + more) / sqrt(m.z));
    return ov_vec3_length(ov_vec3_make(1.0 / sqrt(metric->mass), ov_vec3_length(y), 0.0)) *
           (1.0 + OVI_MOTION_MARGIN);
}

double ov_metric_distortion_max(const ov_metric *metric, const ov_vec3 *points, size_t count) {
    OVI_ROUND_TO_NEAREST(double, ov_metric_distortion_max(metric, points, count));
    if (metric == NULL || (points == NULL && count > 0)) {
        return NAN;
    }
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = larger(most, distortion_upper(metric, points[i]));
    }
    return most;
}

/* ---- lines and planes */

/*
 * [Toleranced, (5) and (7)].
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

/** Checks a metric and a point. */
static ov_status check_point(const ov_metric *metric, ov_vec3 p) {
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
typedef struct axis {
    ov_vec3 direction, white;
    double nu;
} axis;

static axis axis_along(const ov_metric *metric, ov_vec3 direction) {
    ov_vec3 white = ovi_metric_whiten(metric, direction);
    double nu = 1.0 / ov_vec3_length(white);
    return (axis){direction, ov_vec3_scale(white, nu), nu};
}

/** W(direction).W(o - b) over |W(direction)|. */
static double slope(const ov_metric *metric, const axis *w, ov_vec3 o) {
    return ov_vec3_dot(w->white, ovi_metric_whiten(metric, ov_vec3_sub(o, metric->centre)));
}

/** Moves a point along one or two axes to where the rate is smallest. */
static ov_vec3 foot(const ov_metric *metric, const axis *axes, int count, ov_vec3 p) {
    // the second round takes away what the rounding of a long first step left
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            double step = slope(metric, &axes[i], p) * axes[i].nu;
            p = ov_vec3_add_scaled(p, axes[i].direction, -step);
        }
    }
    return p;
}

/** By how much the data of one or two axes and their foot must grow. */
static double growth(const ov_metric *metric, const axis *axes, int count, ov_vec3 o, double rho) {
    double parts = 4.0 * count * OVI_METRIC_ROUNDING * ratio_of(metric);
    for (int i = 0; i < count; i++) {
        parts += fabs(slope(metric, &axes[i], o)) / rho;
    }
    if (count == 2) {
        parts += fabs(ov_vec3_dot(axes[0].white, axes[1].white));
    }
    return 1.0 + parts;
}

ov_status ov_metric_line_of(const ov_metric *metric, ov_vec3 p, ov_vec3 q, ov_metric_line *line) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_metric_line_of(metric, p, q, line));
    if (metric == NULL || line == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_point(metric, p);
    status = status == OV_OK ? check_point(metric, q) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 d = ov_vec3_sub(q, p);
    if (!(ov_vec3_length(d) > 0.0)) {
        return OV_ERROR_DEGENERATE;
    }
    axis along = axis_along(metric, ov_vec3_normalize(d));
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
    OVI_ROUND_TO_NEAREST(ov_status, ov_metric_plane_of(metric, p, normal, plane));
    if (metric == NULL || plane == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_point(metric, p);
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
    axis axes[2] = {axis_along(metric, u), axis_along(metric, v)};
    if (axes[0].nu > axes[1].nu) {
        axis other = axes[0];
        axes[0] = axes[1];
        axes[1] = other;
    }
    // b1 x b2 along the normal
    if (ov_vec3_dot(ov_vec3_cross(axes[0].direction, axes[1].direction), normal) < 0.0) {
        axes[1].direction = ov_vec3_neg(axes[1].direction);
        axes[1].white = ov_vec3_neg(axes[1].white);
    }
    ov_vec3 o = foot(metric, axes, 2, p);
    double rho = ov_metric_distortion(metric, o), grown = growth(metric, axes, 2, o, rho);
    *plane = (ov_metric_plane){o,           axes[0].direction,  axes[1].direction,
                               rho * grown, axes[0].nu / grown, axes[1].nu / grown};
    return OV_OK;
}
