/**
 * @file fit_hold.c
 * @brief Proofs that a placed body holds points, and the least scale at which it does.
 *
 * The exact question is whether G(R^T (P - c)) <= 1, for a body with gauge G, a pose with centre c
 * and rotation R, and a point P, all of them as the doubles that they are. Three steps, each with a
 * bound of its rounding (u = 2^-53, first-order terms; the constants in the code are larger by a
 * third at least, which covers the terms of higher order):
 *
 *     1. d = P - c is correct to u |d_i| in each entry, and q.q to 4 u, so that s = 2/q.q is to 5
 * u. An entry of R is 1 - s (y^2 + z^2) or s (xy + wz): each is off by at most 8 u times the sum of
 * its terms' absolute values, which is 2 or 1, and u more: 17 u. An entry of R^T d sums three
 * products: it is off by at most (17 + 3 + 1) u (|d_1| + |d_2| + |d_3|) =: reach.
 *     2. So the point is in the box p +- reach. In |x| and |y| the gauge is monotonic, and for
 * given x/f1 and y/f2 in |z| too: with the largest |x|, |y|, |z| of the box and the least taper
 *        factors f1, f2 it is an upper bound for the whole box.
 *     3. A norm is computed to 17.3 u (docs/theory/rounding.md) and passes relative errors of its
 *        entries on as they are. Entries are correct to 4 u: together 2 * 17.3 + 4 < 39 u.
 */
#include <math.h>

#include "../math/p_norm.h"
#include "../math/rotation.h"
#include "../math/rounding_mode.h"
#include "../shape/shape_numbers.h"
#include "fit_shape_internal.h"

static const double u = 0x1p-53;

/** A point in the body's frame: the exact one is within `reach` of it, along each axis. */
typedef struct local_point {
    ov_vec3 p;
    double reach;
} local_point;

/** The quaternion with entries about 1, by a power of two: exact but where an entry underflows,
 *  which is then far below the rounding of the others. */
static ov_quat balance(ov_quat q) {
    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    int exponent = 0;
    (void)frexp(largest, &exponent);
    return (ov_quat){ldexp(q.w, -exponent), ldexp(q.x, -exponent), ldexp(q.y, -exponent),
                     ldexp(q.z, -exponent)};
}

/** False where a number is not finite, or the quaternion zero. */
static bool to_local(ov_pose pose, ov_vec3 point, local_point *out) {
    ov_quat q = pose.rotation;
    double square = ovi_quat_square(q);
    if (!(square > 0.25 && square < 4.0)) {
        q = balance(q);
        square = ovi_quat_square(q);
    }
    ov_vec3 d = ov_vec3_sub(point, pose.position);
    if (!(square > 0.0) || !isfinite(square) || !ov_vec3_is_finite(d)) {
        return false;
    }
    ov_mat3 r = ovi_mat3_of_quat(q, 2.0 / square);
    out->p = ov_mat3_tmul_vec3(&r, d);
    // products of subnormal numbers: 1e-300 is above all that they lose
    out->reach = 32.0 * u * (fabs(d.x) + fabs(d.y) + fabs(d.z)) + 1e-300;
    return ov_vec3_is_finite(out->p) && isfinite(out->reach);
}

/* ---- gauges, as upper bounds over the box of a local point, for the body scaled by a factor */

/** What the proof needs of a shape, scaled. */
typedef struct scaled_body {
    ov_shape_kind kind;
    ov_vec3 a;
    double e1, e2, tx, ty;
} scaled_body;

/** The sizes are those that a constructor is given: scaled, then rounded. */
static scaled_body scale_body(const ov_shape *s, double scale) {
    return (scaled_body){.kind = s->kind,
                         .a = ov_vec3_scale(s->a, scale),
                         .e1 = s->e1,
                         .e2 = s->e2,
                         .tx = s->tx,
                         .ty = s->ty};
}

static double norm(double x, double y, double e) {
    ovi_p_norm_parts parts = ovi_p_norm_split(x, y, ovi_primal(e));
    return ovi_p_norm_gradient(x, y, &parts).value;
}

/** Least 1 + t zeta for zeta between the two; its own rounding, 5 u, taken off. */
static double least_factor(double t, double lo, double hi) {
    return t == 0.0 ? 1.0 : fmin(1.0 + t * lo, 1.0 + t * hi) - 8.0 * u;
}

/** Upper bound of the gauge but for 39 u of it; infinite where a taper factor may be zero. */
static double family_gauge(const scaled_body *s, const local_point *l) {
    double x = fabs(l->p.x) + l->reach, y = fabs(l->p.y) + l->reach;
    double lo = (l->p.z - l->reach) / s->a.z, hi = (l->p.z + l->reach) / s->a.z;
    double z = fmax(-lo, hi);
    // above and below the body its section is not defined; the gauge is at least |zeta| there
    if (z > 1.0) {
        return z;
    }
    double f1 = least_factor(s->tx, lo, hi), f2 = least_factor(s->ty, lo, hi);
    if (!(f1 > 0.0 && f2 > 0.0)) {
        return INFINITY;
    }
    x /= s->a.x * f1;
    y /= s->a.y * f2;
    if (s->e1 == 1.0 && s->e2 == 1.0) {
        return ov_vec3_length(ov_vec3_make(x, y, z));
    }
    return norm(norm(x, y, s->e1), z, s->e2);
}

/** Distance from the capsule's segment over its radius: six roundings. */
static double capsule_gauge(const scaled_body *s, const local_point *l) {
    double x = fabs(l->p.x) + l->reach, y = fabs(l->p.y) + l->reach;
    double z = fabs(l->p.z) + l->reach;
    // z is rounded once more before the half-length is taken off
    double beyond = fmax(z * (1.0 + 4.0 * u) - s->a.z, 0.0);
    return ov_vec3_length(ov_vec3_make(x, y, beyond)) / s->a.x;
}

static double gauge(const scaled_body *s, const local_point *l) {
    double x = fabs(l->p.x) + l->reach, y = fabs(l->p.y) + l->reach, z = fabs(l->p.z) + l->reach;
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_SUPERELLIPSOID:
    case OV_SHAPE_KIND_SUPEROVOID:
        return family_gauge(s, l);
    case OV_SHAPE_KIND_BOX:
        return fmax(x / s->a.x, fmax(y / s->a.y, z / s->a.z));
    case OV_SHAPE_KIND_CYLINDER:
        return fmax(ov_vec3_length(ov_vec3_make(x, y, 0.0)) / s->a.x, z / s->a.z);
    case OV_SHAPE_KIND_CAPSULE:
        return capsule_gauge(s, l);
    default:
        return NAN;
    }
}

static bool is_proven(double upper) { return upper <= 1.0 - 64.0 * u; }

bool ovi_fit_holds_point(const ov_shape *shape, ov_pose pose, ov_vec3 point) {
    OVI_ROUND_TO_NEAREST(bool, ovi_fit_holds_point(shape, pose, point));
    local_point l;
    if (!to_local(pose, point, &l)) {
        return false;
    }
    scaled_body s = scale_body(shape, 1.0);
    return is_proven(gauge(&s, &l));
}

/* ---- the least scale: a measure, not a proof */

double ovi_fit_scale_of_point(const ov_shape *shape, ov_pose pose, ov_vec3 point) {
    OVI_ROUND_TO_NEAREST(double, ovi_fit_scale_of_point(shape, pose, point));
    local_point l;
    scaled_body s = scale_body(shape, 1.0);
    if (!to_local(pose, point, &l) || isnan(gauge(&s, &l))) {
        return NAN;
    }
    ovi_fit_ready body = {.kind = s.kind, .a = s.a, .e1 = s.e1, .e2 = s.e2, .tx = s.tx, .ty = s.ty};
    ovi_fit_value values[3];
    int count = ovi_fit_measure_at(&body, OVI_FIT_MEASURE_SCALE, l.p, values);
    double most = values[0].value;
    for (int i = 1; i < count; i++) {
        most = fmax(most, values[i].value);
    }
    return exp(most);
}

/* ---- growth */

/** The first point, from `from` on, that the body is not proven to hold; `count` if there is none.
 */
static size_t first_missed(const scaled_body *s, ov_pose pose, const ov_vec3 *points, size_t from,
                           size_t count) {
    for (size_t i = from; i < count; i++) {
        local_point l;
        if (!to_local(pose, points[i], &l) || !is_proven(gauge(s, &l))) {
            return i;
        }
    }
    return count;
}

/** The least scale by the points' own scales; 0 where all are the centre, NaN where one is not
 *  finite or the kind is another. */
static double measured_scale(const ov_shape *shape, ov_pose pose, const ov_vec3 *points,
                             size_t count) {
    double scale = 0.0;
    for (size_t i = 0; i < count; i++) {
        double s = ovi_fit_scale_of_point(shape, pose, points[i]);
        if (isnan(s)) {
            return NAN;
        }
        scale = fmax(scale, s);
    }
    return scale;
}

/**
 * Smallest scale of a geometric series at which nothing is missed. A point that a body holds is
 * also held by a larger one, up to rounding, so that a scan need not begin anew: a last look at all
 * points is the proof.
 */
static double proven_scale(const ov_shape *shape, ov_pose pose, const ov_vec3 *points, size_t count,
                           double scale) {
    double margin = 64.0 * u;
    size_t from = 0;
    for (int i = 0; i < 120; i++) {
        scaled_body s = scale_body(shape, scale * (1.0 + margin));
        from = first_missed(&s, pose, points, from, count);
        if (from == count) {
            if (first_missed(&s, pose, points, 0, count) == count) {
                return scale * (1.0 + margin);
            }
            from = 0;
        }
        margin *= 1.5;
    }
    return NAN;
}

ov_status ovi_fit_grow_to_hold(const ov_shape *shape, ov_pose pose, const ov_vec3 *points,
                               size_t count, ov_shape *grown, double *scale) {
    OVI_ROUND_TO_NEAREST(ov_status, ovi_fit_grow_to_hold(shape, pose, points, count, grown, scale));
    if (count == 0) {
        return OV_ERROR_COUNT;
    }
    scaled_body s = scale_body(shape, 1.0);
    local_point centre = {{0.0, 0.0, 0.0}, 0.0};
    if (isnan(gauge(&s, &centre))) {
        return OV_ERROR_UNSUPPORTED;
    }
    double factor = measured_scale(shape, pose, points, count);
    if (isnan(factor)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (factor == 0.0) {
        return OV_ERROR_DEGENERATE;
    }
    factor = proven_scale(shape, pose, points, count, factor);
    if (isnan(factor)) {
        return OV_ERROR_SIZE_RANGE;
    }
    double numbers[OVI_NUMBERS_MAX];
    ovi_shape_numbers(shape, numbers);
    size_t sizes = shape->kind == OV_SHAPE_KIND_SPHERE ? 1
                   : shape->kind == OV_SHAPE_KIND_CAPSULE || shape->kind == OV_SHAPE_KIND_CYLINDER
                       ? 2
                       : 3;
    for (size_t i = 0; i < sizes; i++) {
        numbers[i] *= factor;
    }
    // what was accepted once is not refused for the rounding of its sizes
    ov_shape_options options = {.dent_tolerance = 1.0};
    ov_status status = ovi_shape_from_numbers(shape->kind, numbers, &options, grown);
    if (status == OV_OK && scale != NULL) {
        *scale = factor;
    }
    return status;
}
