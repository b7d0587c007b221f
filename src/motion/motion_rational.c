/**
 * @file motion_rational.c
 * @brief Motions that are rational Bézier curves: of affine displacements [Toleranced, 7.1], and
 * rigid ones, of a quaternion polynomial and a rational curve of positions.
 *
 * First comes what both need of Bézier curves with its rounding, then each kind with its
 * derivation.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "motion_internal.h"

/* ---- Bézier curves */

/*
 * Bézier curves with several numbers per control point, and what rounding does to them. A curve is
 * a flat array of (degree + 1) * lanes doubles; `lanes` is a constant wherever these are called, so
 * that the inner loops become a few vector instructions.
 *
 * Rounding. Everything here is a sum of control points with factors that are products of u, 1 - u
 * and binomials, none of them negative. So each term gets its own small relative error, and the sum
 * an error of at most that part of the sum of the terms' sizes. Counting roundings of
 * DBL_EPSILON / 2: 3 n + 3 for a value (a power of u or 1 - u, with the rounding of 1 - u itself, a
 * binomial that is exact, product and sum), and 3 n for each of the two cuts. The constants below
 * are larger, which leaves room for how control points were made and for a quotient.
 */

/** Parameter of a time: 0 at the start, 1 at the end. */
static double bezier_parameter(const ov_motion *motion, double time) {
    double u = (time - motion->start) / (motion->end - motion->start);
    return !(u > 0.0) ? 0.0 : u < 1.0 ? u : 1.0;
}

/** Rounding of a value of a curve, as a part of the largest control point. */
static double bezier_value_rounding(size_t degree) {
    return (2.0 * (double)degree + 12.0) * DBL_EPSILON;
}

/** Rounding of control points of a part of a curve, as a part of the largest control point. */
static double bezier_cut_rounding(size_t degree) {
    return (4.0 * (double)degree + 20.0) * DBL_EPSILON;
}

/** Lengths are found from squares; those below this are taken as this long. */
#define BEZIER_TINY 1e-150

/** What a parameter in [0, 1] may be off by, with some room: 3 roundings, and one of a cut. */
#define BEZIER_PARAMETER (4.0 * DBL_EPSILON)

/** Control points of the part from 0 to u. */
static void bezier_left(double *points, size_t degree, size_t lanes, double u) {
    double v = 1.0 - u;
    for (size_t level = 1; level <= degree; level++) {
        for (size_t i = degree; i >= level; i--) {
            double *to = points + i * lanes;
            const double *from = to - lanes;
            for (size_t c = 0; c < lanes; c++) {
                to[c] = v * from[c] + u * to[c];
            }
        }
    }
}

/** Control points of the part from u to 1. */
static void bezier_right(double *points, size_t degree, size_t lanes, double u) {
    double v = 1.0 - u;
    for (size_t level = degree; level >= 1; level--) {
        for (size_t i = 0; i < level; i++) {
            double *to = points + i * lanes;
            const double *from = to + lanes;
            for (size_t c = 0; c < lanes; c++) {
                to[c] = v * to[c] + u * from[c];
            }
        }
    }
}

/**
 * Control points of the part from u0 to u1, 0 <= u0 < u1 <= 1. That the quotient of both is rounded
 * moves the beginning by no more than DBL_EPSILON / 2: see bezier_widen.
 */
static void bezier_cut(double *points, size_t degree, size_t lanes, double u0, double u1) {
    if (u1 < 1.0) {
        bezier_left(points, degree, lanes, u1);
    }
    if (u0 > 0.0) {
        bezier_right(points, degree, lanes, u0 / u1);
    }
}

/** Makes a part of a curve so much longer that rounding cannot have made it too short. */
static void bezier_widen(double *u0, double *u1) {
    double from = *u0 - BEZIER_PARAMETER, to = *u1 + BEZIER_PARAMETER;
    *u0 = from > 0.0 ? from : 0.0;
    *u1 = to < 1.0 ? to : 1.0;
}

/** Value of the curve, by nested products. */
static void bezier_value(const double *points, size_t degree, size_t lanes, double u,
                         double *value) {
    double v = 1.0 - u, power = 1.0, binomial = 1.0;
    for (size_t c = 0; c < lanes; c++) {
        value[c] = points[c];
    }
    for (size_t i = 1; i <= degree; i++) {
        power *= u;
        // exact: both the product and the quotient are integers below 2^53
        binomial = binomial * (double)(degree - i + 1) / (double)i;
        double factor = power * binomial;
        for (size_t c = 0; c < lanes; c++) {
            value[c] = value[c] * v + factor * points[i * lanes + c];
        }
    }
}

/** Control points of the derivative, one fewer; those of a constant are one zero. */
static void bezier_derivative(const double *points, size_t degree, size_t lanes,
                              double *derivative) {
    for (size_t c = 0; degree == 0 && c < lanes; c++) {
        derivative[c] = 0.0;
    }
    for (size_t i = 0; i < degree * lanes; i++) {
        derivative[i] = (double)degree * (points[i + lanes] - points[i]);
    }
}

/** Binomials of a degree. */
static void bezier_binomials(size_t degree, double *row) {
    row[0] = 1.0;
    for (size_t i = 1; i <= degree; i++) {
        row[i] = row[i - 1] * (double)(degree - i + 1) / (double)i;
    }
}

/** A point of the middle of a curve times a number: the sum of control points by binomials. */
static void bezier_middle(const double *points, size_t degree, size_t lanes,
                          const double *binomials, double *sum) {
    for (size_t c = 0; c < lanes; c++) {
        sum[c] = 0.0;
    }
    for (size_t i = 0; i <= degree; i++) {
        for (size_t c = 0; c < lanes; c++) {
            sum[c] += binomials[i] * points[i * lanes + c];
        }
    }
}

/** Weights further apart than this are as good as zero. */
static const double least_weight = 1e-100;

/**
 * Weights (null: all 1) times a power of two, so that none is above 1. OV_ERROR_WEIGHT where one is
 * not positive, or less than 1e-100 of the largest: then it is as good as zero.
 */
static ov_status scale_weights(const double *weights, size_t count, double *scaled) {
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

/* ---- curves of affine displacements */

/*
 * Rational Bézier curves in the space of affine displacements [Toleranced, 7.1].
 *
 * The curve is kept in homogeneous coordinates: twelve numbers times the weight, and the weight. A
 * piece of it is the control polygon of that part of the curve, about the curve's point at the
 * middle: weights that are positive stay so when the curve is cut, so the curve is within the hull.
 * The paper takes the farthest control point as the radius of a ball; here the control points
 * themselves are given, for any metric to measure.
 *
 * Rounding, as above. With positive weights w_i, sizes are sums of B_i w_i |P_i|, no more than
 * the curve's weight times the largest |P_i|. Both the coordinates and the weight are then off by
 * no more than gamma of that, and the point by twice gamma times the largest |P_i|, component by
 * component.
 */

/** Twelve coordinates, the weight, and one more that keeps the count even. */
enum { COORDINATES = 12, CURVE_LANES = 14 };

_Static_assert(sizeof(ov_affine) == COORDINATES * sizeof(double), "twelve numbers, and no gaps");

typedef struct bezier_motion {
    ov_motion head;
    size_t degree;
    double reach, stretch; /**< lengths of the largest translation and linear part, by components */
    double binomials[OVI_PIECE_HULL];
    double points[OVI_PIECE_HULL * CURVE_LANES];
} bezier_motion;

static void bezier_at(const ov_motion *motion, double time, ov_affine *displacement) {
    const bezier_motion *m = (const bezier_motion *)motion;
    double value[CURVE_LANES];
    bezier_value(m->points, m->degree, CURVE_LANES, bezier_parameter(motion, time), value);
    for (size_t c = 0; c < COORDINATES; c++) {
        value[c] /= value[COORDINATES];
    }
    memcpy(displacement, value, sizeof *displacement);
}

static void bezier_piece(const ov_motion *motion, double from, double to, ovi_piece *piece) {
    const bezier_motion *m = (const bezier_motion *)motion;
    double u0 = bezier_parameter(motion, from), u1 = bezier_parameter(motion, to);
    bezier_widen(&u0, &u1);
    double points[OVI_PIECE_HULL * CURVE_LANES], middle[CURVE_LANES];
    memcpy(points, m->points, (m->degree + 1) * CURVE_LANES * sizeof *points);
    bezier_cut(points, m->degree, CURVE_LANES, u0, u1);
    bezier_middle(points, m->degree, CURVE_LANES, m->binomials, middle);
    double inverse = 1.0 / middle[COORDINATES];
    for (size_t c = 0; c < COORDINATES; c++) {
        middle[c] *= inverse;
    }
    memcpy(&piece->centre, middle, sizeof piece->centre);
    piece->rigid = false;
    piece->count = m->degree + 1;
    for (size_t i = 0; i <= m->degree; i++) {
        double *p = points + i * CURVE_LANES;
        inverse = 1.0 / p[COORDINATES];
        for (size_t c = 0; c < COORDINATES; c++) {
            p[c] = p[c] * inverse - middle[c];
        }
        memcpy(&piece->offsets[i], p, sizeof piece->offsets[i]);
    }
    double rounding = 2.0 * bezier_cut_rounding(m->degree);
    piece->translation_error = rounding * m->reach + BEZIER_TINY;
    piece->linear_error = rounding * m->stretch + BEZIER_TINY;
}

static const ovi_motion_kind bezier_kind = {bezier_at, NULL, bezier_piece, NULL};

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

static void fill_curve(bezier_motion *m, const ov_affine *controls, const double *weights) {
    double largest[COORDINATES] = {0.0};
    for (size_t i = 0; i <= m->degree; i++) {
        double *p = m->points + i * CURVE_LANES;
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
    bezier_binomials(m->degree, m->binomials);
}

ov_status ov_motion_create_bezier(const ov_affine *controls, const double *weights, size_t count,
                                  double start, double end, const ov_allocator *allocator,
                                  ov_motion **motion) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_motion_create_bezier(controls, weights, count, start, end,
                                                            allocator, motion));
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
    status = status == OV_OK ? scale_weights(weights, count, scaled) : status;
    if (status != OV_OK) {
        return status;
    }
    bezier_motion *m = ovi_motion_new(&bezier_kind, sizeof *m, start, end, allocator, &status);
    if (m != NULL) {
        m->degree = count - 1;
        fill_curve(m, controls, scaled);
        *motion = &m->head;
    }
    return status;
}

/* ---- rigid curves */

/*
 * Rigid motions: the rotation is that of a quaternion polynomial, the position a rational Bézier
 * curve.
 *
 * In the space of affine displacements such a motion is a rational curve of degree 2 m + k with the
 * common denominator |q|^2 w: q of degree m, the position N / w of degree k. [Toleranced, 7.1] has
 * one of degree eight and needs its weights to be positive. Here q, N and w are cut to a part of
 * the curve first, and multiplied then; on a part that is short enough the weights are positive
 * whenever q has no zero, and on one that is not, all rotations are taken as possible.
 *
 * The Taylor model of a frame has a bound of the second derivative over the interval. Let c be the
 * middle, r the half length of the interval (both in the parameter u), primes derivatives by u, and
 * x_c, v = x'(c), w_c ... the values at c.
 *
 * Position. (1) With y = x - x_c and M = N - x_c w, y w = M gives
 *     x'' w = M'' - 2 x' w' - y w''.
 * (2) Let A, W1, W2 be the largest |x''|, |w'|, |w''| of the interval; then |x' - v| <= r A,
 * |y| <= r |v| + r^2 A / 2, |w' - w'_c| <= r W2, and w >= w_c - r W1. (3) With
 * E = max |M'' - 2 v w'_c|, over the control points of that difference on the interval,
 *     A w <= E + 2 |v| r W2 + 2 r A W1 + (r |v| + r^2 A / 2) W2, and so
 *     A <= (E + 3 r |v| W2) / (w_c - 3 r W1 - r^2 W2 / 2)
 * where the denominator is positive. As r goes to zero this goes to |x''(c)|.
 *
 * Rotation. (1) p = q conj(q_c) / |q_c|^2 turns by what R has turned by since c: p(c) = 1, and
 * R' = [spin]x R with spin = 2 vec(p' conj(p)) / |p|^2. Since p' conj(p') is real,
 *     spin' = 2 (vec(p'' conj(p)) - spin Re(p' conj(p))) / |p|^2.
 * (2) Let p'(c) = sigma + eta, real and vector part, so spin(c) = 2 eta; P1, P2, P2r, P2v the
 * largest |p'|, |p''|, |Re p''|, |vec p''|; S and B the largest |spin| and |spin'|. Then d = p - 1
 * is no longer than r P1, and |p| >= Re p >= b with b = 1 - r |sigma| - r^2 P2r / 2. Since d is
 * p'(c) times the distance from c, but for r^2 P2 / 2, and p' is p'(c) but for r P2, and p'(c)
 * conj(p'(c)) is real, |vec(p' conj(d))| <= 3 r^2 P1 P2 / 2. (3) With E = max |vec p'' - 2 sigma
 * eta|,
 *     S <= 2 (|eta| + r P2v + 3 r^2 P1 P2 / 2) / b^2, or 2 |eta| + r B
 *     B <= 2 (E + r P1 P2 + r |sigma| B + r S (P2 + P1^2)) / b^2,
 * solved for B. (4) R'' = ([spin']x + [spin]x [spin]x) R. For unit a, b at the angle t the product
 * a.(spin' x b) is at most B sin t, and a.(spin x (spin x b)), which is the square of the spin
 * times (a.e)(b.e) - a.b for its direction e, at most S^2 ((1 + cos t) / 2 - cos t). The most of
 * the sum over all t is S^2 / 2 + sqrt(S^4 / 4 + B^2), and |R''| no more than that.
 *
 * Rounding. Control points are scaled so that neither w nor q's parts exceed 1. Values and control
 * points are off by parts of the largest control point, as above; derivatives of a control polygon
 * are no more than twice the degree times it. kappa is the largest |q| of a control point over
 * |q_c|, which is how much worse the rotation is known than the quaternion.
 */

enum {
    ROTATIONS = OV_MOTION_DEGREE_MAX / 2 + 1,
    POSITIONS = OV_MOTION_DEGREE_MAX + 1,
    LANES = 4, /**< of a quaternion, and of a position with its weight */
    PRODUCT_LANES = CURVE_LANES,
    ZERO_STEPS = 1 << 14
};

/** Quaternions shorter than this part of the largest control point are too close to zero. */
static const double least_quaternion = 1e-6;

/** Shortest part of the curve on which a quaternion is looked for that is not zero. */
static const double least_step = 0x1p-44;

/** Lengths of time within which velocities and accelerations stay in range. */
static const double least_time = 1e-100, most_time = 1e100;

/** A frame that leaves its motion by less than this part of the interval is not said to jump. */
static const double small_excess = 1e-6;

/** Quaternion w, x, y, z; position x, y, z times the weight, weight. */
typedef struct rational_motion {
    ov_motion head;
    size_t m, k; /**< degrees of quaternion and position */
    double largest_quaternion, largest_position;
    double q[ROTATIONS * LANES], q1[ROTATIONS * LANES], q2[ROTATIONS * LANES];
    double p[POSITIONS * LANES], p1[POSITIONS * LANES], p2[POSITIONS * LANES];
    double q_binomials[ROTATIONS], p_binomials[POSITIONS];
} rational_motion;

/** Degree of a derivative; a constant stays one. */
static size_t less(size_t degree, size_t by) { return degree > by ? degree - by : 0; }

static double larger(double a, double b) { return a > b ? a : b; }

static double smaller(double a, double b) { return a < b ? a : b; }

/** An upper bound, from a square. */
static double length_of(double square) {
    return sqrt(square) * (1.0 + 8.0 * DBL_EPSILON) + BEZIER_TINY;
}

static double dot4(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* ---- rigid curves: poses */

static ov_vec3 position_of(const double *p) {
    return ov_vec3_make(p[0] / p[3], p[1] / p[3], p[2] / p[3]);
}

/** The quaternion is not zero: that was seen to when the motion was made. */
static ov_quat rotation_of(const double *q) {
    double inverse = 1.0 / sqrt(dot4(q, q));
    return (ov_quat){q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse};
}

static void rational_pose(const ov_motion *motion, double time, ov_pose *pose) {
    const rational_motion *f = (const rational_motion *)motion;
    double u = bezier_parameter(motion, time), q[LANES], p[LANES];
    bezier_value(f->q, f->m, LANES, u, q);
    bezier_value(f->p, f->k, LANES, u, p);
    *pose = (ov_pose){position_of(p), rotation_of(q)};
}

static void rational_at(const ov_motion *motion, double time, ov_affine *displacement) {
    ov_pose pose;
    rational_pose(motion, time, &pose);
    *displacement = ov_affine_from_pose(pose);
}

/* ---- rigid curves: Taylor models */

/** An interval in the parameter, within the motion. */
typedef struct interval {
    double u0, u1;
    double c, r;   /**< the middle, or the end of the motion next to it; nothing is further off */
    double excess; /**< no more than this of it is beyond the motion, rounding included */
    bool jumps;    /**< more of it than that is beyond */
    bool rests;    /**< all of it is */
} interval;

static interval interval_of(const ov_motion *motion, double middle, double radius) {
    double time = motion->end - motion->start;
    double u = (middle - motion->start) / time, r = radius / time;
    interval s = {.u0 = 0.0, .u1 = 1.0, .c = bezier_parameter(motion, middle), .jumps = true};
    double off = BEZIER_PARAMETER * (1.0 + fabs(u) + r);
    // else the interval is so long or so far off that it may as well be all there is
    if (off < 1.0) {
        double beyond = larger(larger(r - u, u + r - 1.0), 0.0);
        s.rests = u + r < -off || u - r > 1.0 + off;
        s.jumps = beyond > small_excess * r + off;
        s.excess = s.jumps ? 0.0 : beyond;
        s.u0 = u - r - off;
        s.u0 = s.u0 > 0.0 ? smaller(s.u0, s.c) : 0.0;
        s.u1 = u + r + off;
        s.u1 = s.u1 < 1.0 ? larger(s.u1, s.c) : 1.0;
    }
    s.excess += BEZIER_PARAMETER;
    s.r = larger(s.u1 - s.c, s.c - s.u0) + BEZIER_PARAMETER;
    return s;
}

/** No velocity, and an error that reaches to all control points of the interval. */
static void position_by_hull(const rational_motion *f, const interval *s, ovi_taylor *taylor) {
    double p[POSITIONS * LANES], square = 0.0;
    memcpy(p, f->p, (f->k + 1) * LANES * sizeof *p);
    bezier_cut(p, f->k, LANES, s->u0, s->u1);
    for (size_t i = 0; i <= f->k; i++) {
        ov_vec3 offset = ov_vec3_sub(position_of(p + i * LANES), taylor->pose.position);
        square = larger(square, ov_vec3_dot(offset, offset));
    }
    taylor->position_error =
        length_of(square) + 4.0 * bezier_cut_rounding(f->k) * f->largest_position;
}

/** Largest length of M'' - `rest` on the interval, and largest |w''|. */
static void position_bends(const rational_motion *f, const interval *s, ov_vec3 x, ov_vec3 rest,
                           double *bend, double *weight_bend) {
    size_t degree = less(f->k, 2);
    double p[POSITIONS * LANES], square = 0.0, weight = 0.0;
    memcpy(p, f->p2, (degree + 1) * LANES * sizeof *p);
    bezier_cut(p, degree, LANES, s->u0, s->u1);
    for (size_t i = 0; i <= degree; i++) {
        const double *b = p + i * LANES;
        ov_vec3 e = ov_vec3_make(b[0] - x.x * b[3] - rest.x, b[1] - x.y * b[3] - rest.y,
                                 b[2] - x.z * b[3] - rest.z);
        square = larger(square, ov_vec3_dot(e, e));
        weight = larger(weight, fabs(b[3]));
    }
    *bend = length_of(square);
    *weight_bend = weight;
}

/** Position, velocity and what bounds them; see above. */
static void position_taylor(const rational_motion *f, const interval *s, double time,
                            ovi_taylor *taylor) {
    double p[LANES], d[LANES], bend, w2, k = (double)f->k, r = s->r;
    bezier_value(f->p, f->k, LANES, s->c, p);
    bezier_value(f->p1, less(f->k, 1), LANES, s->c, d);
    ov_vec3 x = position_of(p);
    taylor->pose.position = x;
    double gamma = bezier_value_rounding(f->k), reach = f->largest_position, w = p[3];
    double position_error = 4.0 * gamma * reach + BEZIER_TINY;
    taylor->position_error = position_error;
    if (s->rests) {
        return;
    }
    ov_vec3 v =
        ov_vec3_make((d[0] - x.x * d[3]) / w, (d[1] - x.y * d[3]) / w, (d[2] - x.z * d[3]) / w);
    double speed = length_of(ov_vec3_dot(v, v));
    double speed_off = (12.0 * gamma * k * reach) / w + 4.0 * gamma * speed;
    position_bends(f, s, x, ov_vec3_scale(v, 2.0 * d[3]), &bend, &w2);
    double off = 4.0 * k * k * bezier_cut_rounding(f->k); // of a second derivative
    w2 += off;
    double w1 = fabs(d[3]) + 4.0 * gamma * k + r * w2;
    bend += 4.0 * off * reach + 2.0 * speed_off * w1 + 8.0 * gamma * k * speed;
    double below = w * (1.0 - 16.0 * gamma) - 3.0 * r * w1 - 0.5 * r * r * w2;
    double acceleration = (bend + 3.0 * r * (speed + speed_off) * w2) / below;
    acceleration *= 1.0 + OVI_MOTION_MARGIN;
    if (!(below > 0.25 * w) || !(acceleration < 1e150) || !(time > least_time) ||
        !(time < most_time)) {
        position_by_hull(f, s, taylor);
        return;
    }
    double speed_most = speed + speed_off + r * acceleration;
    taylor->position_error = position_error + s->excess * speed_most;
    if (s->jumps) {
        taylor->velocity_error = speed_most * (1.0 + OVI_MOTION_MARGIN) / time;
        return;
    }
    taylor->velocity = ov_vec3_scale(v, 1.0 / time);
    taylor->velocity_error = (speed_off + BEZIER_PARAMETER * (acceleration + speed)) / time;
    taylor->acceleration = acceleration / time / time;
}

/** What the derivatives of a quaternion polynomial by its value at the middle are bounded by. */
typedef struct rotation_bounds {
    double sigma, eta, p1, p2, p2r, p2v, bend;
    ov_vec3 spin; /**< at the middle */
    double off;   /**< of a first derivative, by rounding */
} rotation_bounds;

static rotation_bounds rotation_bounds_of(const rational_motion *f, const interval *s,
                                          const double *q, double kappa) {
    size_t degree = less(f->m, 2);
    double b[ROTATIONS * LANES], d[LANES], m = (double)f->m, p2 = 0.0, p2r = 0.0;
    double p2v = 0.0, bend = 0.0, scale = 1.0 / dot4(q, q);
    ov_quat back = {q[0] * scale, -q[1] * scale, -q[2] * scale, -q[3] * scale};
    bezier_value(f->q1, less(f->m, 1), LANES, s->c, d);
    ov_quat first = ov_quat_mul((ov_quat){d[0], d[1], d[2], d[3]}, back);
    ov_vec3 eta = ov_vec3_make(first.x, first.y, first.z);
    memcpy(b, f->q2, (degree + 1) * LANES * sizeof *b);
    bezier_cut(b, degree, LANES, s->u0, s->u1);
    for (size_t i = 0; i <= degree; i++) {
        const double *e = b + i * LANES;
        ov_quat second = ov_quat_mul((ov_quat){e[0], e[1], e[2], e[3]}, back);
        ov_vec3 vec = ov_vec3_make(second.x, second.y, second.z);
        ov_vec3 rest = ov_vec3_add_scaled(vec, eta, -2.0 * first.w);
        double square = ov_vec3_dot(vec, vec);
        p2r = larger(p2r, fabs(second.w));
        p2v = larger(p2v, square);
        p2 = larger(p2, square + second.w * second.w);
        bend = larger(bend, ov_vec3_dot(rest, rest));
    }
    rotation_bounds t = {.sigma = fabs(first.w), .spin = ov_vec3_scale(eta, 2.0)};
    t.eta = length_of(ov_vec3_dot(eta, eta));
    double gamma = bezier_cut_rounding(f->m) * kappa, p1 = t.eta + t.sigma;
    p2 = length_of(p2);
    t.off = 4.0 * gamma * (m + p1);
    double off = 4.0 * gamma * (m * m + p2);
    t.p2 = p2 + off;
    t.p2r = p2r + off;
    t.p2v = length_of(p2v) + off;
    t.bend = length_of(bend) + off + 4.0 * p1 * t.off;
    t.sigma += t.off;
    t.eta += t.off;
    t.p1 = length_of(t.eta * t.eta + t.sigma * t.sigma) + s->r * t.p2;
    return t;
}

/** Rotation, spin and what bounds them; see above. */
static void rotation_taylor(const rational_motion *f, const interval *s, double time,
                            ovi_taylor *taylor) {
    double q[LANES], r = s->r;
    bezier_value(f->q, f->m, LANES, s->c, q);
    taylor->pose.rotation = rotation_of(q);
    double kappa = f->largest_quaternion / sqrt(dot4(q, q));
    double rotation_error = 4.0 * bezier_value_rounding(f->m) * kappa + OVI_ROTATION_ROUNDING;
    taylor->rotation_error = rotation_error;
    if (s->rests) {
        return;
    }
    rotation_bounds t = rotation_bounds_of(f, s, q, kappa);
    double rest = 1.0 - r * (t.sigma + 0.5 * r * t.p2r);
    double below = rest * rest, bound = 1.0 - 2.0 * r * t.sigma / below;
    double spin = 2.0 * (t.eta + r * (t.p2v + 1.5 * r * t.p1 * t.p2)) / below;
    double change = 2.0 * (t.bend + r * t.p1 * t.p2 + r * spin * (t.p2 + t.p1 * t.p1)) / below;
    change /= bound;
    spin = smaller(spin, 2.0 * t.eta + r * change);
    double half = 0.5 * spin * spin;
    double second = (half + sqrt(half * half + change * change)) * (1.0 + OVI_MOTION_MARGIN);
    double most = s->jumps ? r * spin : r * (2.0 * t.eta + 0.5 * r * second);
    // two rotations differ by no more than 2: what is bounded worse is not bounded at all
    if (!(rest > 0.0) || !(bound > 0.0) || !(most < 2.0) || !(time > least_time) ||
        !(time < most_time)) {
        taylor->rotation_error = 2.0 + rotation_error;
        return;
    }
    taylor->rotation_error = rotation_error + s->excess * spin;
    if (s->jumps) {
        taylor->spin_error = spin * (1.0 + OVI_MOTION_MARGIN) / time;
        return;
    }
    taylor->spin = ov_vec3_scale(t.spin, 1.0 / time);
    taylor->spin_error =
        (4.0 * t.off + 2.0 * rotation_error * spin + BEZIER_PARAMETER * (second + spin)) / time;
    taylor->rotation_acceleration = second / time / time;
}

static void rational_taylor(const ov_motion *motion, double middle, double radius,
                            ovi_taylor *taylor) {
    const rational_motion *f = (const rational_motion *)motion;
    interval s = interval_of(motion, middle, radius);
    double time = motion->end - motion->start;
    *taylor = (ovi_taylor){.velocity = {0.0, 0.0, 0.0}};
    position_taylor(f, &s, time, taylor);
    rotation_taylor(f, &s, time, taylor);
}

/* ---- rigid curves: pieces */

/**
 * Control points of (|q|^2 R, |q|^2, ...) times binomials, from those of q times binomials: nine
 * numbers by columns, then |q|^2 four times, as factors of the position and its weight.
 */
static void rotation_products(const double *q, size_t m, double *products) {
    memset(products, 0, (2 * m + 1) * PRODUCT_LANES * sizeof *products);
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= m; j++) {
            const double *a = q + i * LANES, *b = q + j * LANES;
            double *c = products + (i + j) * PRODUCT_LANES;
            double ww = a[0] * b[0], xx = a[1] * b[1], yy = a[2] * b[2], zz = a[3] * b[3];
            double plus = ww + xx, minus = ww - xx, sum = yy + zz, difference = yy - zz;
            // i and j change places later: 2 x y is x_i y_j + x_j y_i
            double xy = 2.0 * a[1] * b[2], xz = 2.0 * a[1] * b[3], yz = 2.0 * a[2] * b[3];
            double wx = 2.0 * a[0] * b[1], wy = 2.0 * a[0] * b[2], wz = 2.0 * a[0] * b[3];
            c[0] += plus - sum;
            c[1] += xy + wz;
            c[2] += xz - wy;
            c[3] += xy - wz;
            c[4] += minus + difference;
            c[5] += yz + wx;
            c[6] += xz + wy;
            c[7] += yz - wx;
            c[8] += minus - difference;
            c[9] += plus + sum;
        }
    }
    for (size_t i = 0; i <= 2 * m; i++) {
        double *c = products + i * PRODUCT_LANES;
        c[10] = c[11] = c[12] = c[9];
    }
}

/** Control points of the displacements, times their weights: products of both curves. */
static void curve_products(const double *rotations, size_t m, const double *p, size_t k,
                           double *products) {
    memset(products, 0, (2 * m + k + 1) * PRODUCT_LANES * sizeof *products);
    for (size_t j = 0; j <= k; j++) {
        const double *b = p + j * LANES;
        double w = b[3];
        double factors[PRODUCT_LANES] = {w, w, w, w, w, w, w, w, w, b[0], b[1], b[2], w, 0.0};
        for (size_t i = 0; i <= 2 * m; i++) {
            const double *a = rotations + i * PRODUCT_LANES;
            double *c = products + (i + j) * PRODUCT_LANES;
            for (size_t n = 0; n < PRODUCT_LANES; n++) {
                c[n] += a[n] * factors[n];
            }
        }
    }
}

static void scale_points(double *points, size_t degree, const double *by) {
    for (size_t i = 0; i <= degree; i++) {
        for (size_t c = 0; c < LANES; c++) {
            points[i * LANES + c] *= by[i];
        }
    }
}

/** All rotations, about the middle of the positions. */
static void piece_of_any_rotation(const rational_motion *f, const double *p, ovi_piece *piece) {
    double rounding = 4.0 * bezier_cut_rounding(f->k) * f->largest_position;
    piece->count = f->k + 1;
    for (size_t i = 0; i <= f->k; i++) {
        piece->offsets[i] = (ov_affine){
            .translation = ov_vec3_sub(position_of(p + i * LANES), piece->centre.translation)};
    }
    piece->translation_error = rounding + BEZIER_TINY;
    piece->linear_error = 2.0 + 2.0 * OVI_ROTATION_ROUNDING;
}

/**
 * Offsets from the products of both curves. False where a weight is not positive, or a control
 * point so far out that any turn at all is the better bound.
 */
static bool offsets_of(const double *products, size_t count, ovi_piece *piece) {
    double centre[COORDINATES];
    memcpy(centre, &piece->centre, sizeof centre);
    bool good = true;
    for (size_t l = 0; l < count; l++) {
        const double *c = products + l * PRODUCT_LANES;
        double offset[COORDINATES], square = 0.0, inverse = 1.0 / c[COORDINATES];
        for (size_t n = 0; n < COORDINATES; n++) {
            offset[n] = c[n] * inverse - centre[n];
        }
        for (size_t n = 0; n < 9; n++) {
            square += offset[n] * offset[n];
        }
        good = good && c[COORDINATES] > 0.0 && square < 8.0;
        memcpy(&piece->offsets[l], offset, sizeof offset);
    }
    piece->count = count;
    return good;
}

static void rational_piece(const ov_motion *motion, double from, double to, ovi_piece *piece) {
    const rational_motion *f = (const rational_motion *)motion;
    double u0 = bezier_parameter(motion, from), u1 = bezier_parameter(motion, to);
    bezier_widen(&u0, &u1);
    double q[ROTATIONS * LANES], p[POSITIONS * LANES], q_middle[LANES], p_middle[LANES];
    memcpy(q, f->q, (f->m + 1) * LANES * sizeof *q);
    memcpy(p, f->p, (f->k + 1) * LANES * sizeof *p);
    bezier_cut(q, f->m, LANES, u0, u1);
    bezier_cut(p, f->k, LANES, u0, u1);
    bezier_middle(q, f->m, LANES, f->q_binomials, q_middle);
    bezier_middle(p, f->k, LANES, f->p_binomials, p_middle);
    piece->centre = ov_affine_from_pose((ov_pose){position_of(p_middle), rotation_of(q_middle)});
    piece->rigid = true;
    // |q| on this part: no control point is longer than `most`, none goes less than `least` along
    // the middle one, and so does no point of the hull
    double most = 0.0, least = INFINITY;
    for (size_t i = 0; i <= f->m; i++) {
        most = larger(most, dot4(q + i * LANES, q + i * LANES));
        least = smaller(least, dot4(q + i * LANES, q_middle));
    }
    most = sqrt(most);
    least /= sqrt(dot4(q_middle, q_middle));
    double rotations[(2 * ROTATIONS - 1) * PRODUCT_LANES], products[OVI_PIECE_HULL * PRODUCT_LANES];
    bool good = least > 0.1 * most;
    if (good) {
        scale_points(q, f->m, f->q_binomials);
        rotation_products(q, f->m, rotations);
        double scaled[POSITIONS * LANES];
        memcpy(scaled, p, (f->k + 1) * LANES * sizeof *p);
        scale_points(scaled, f->k, f->p_binomials);
        curve_products(rotations, f->m, scaled, f->k, products);
        good = offsets_of(products, 2 * f->m + f->k + 1, piece);
    }
    if (!good) {
        piece_of_any_rotation(f, p, piece);
        return;
    }
    // rounding of q, of the products by |q|^2 of their largest, and of the position
    double ratio = most / least, cut = bezier_cut_rounding(f->m + f->k);
    double by_products = 2.0 * cut * ratio * ratio;
    piece->translation_error = f->largest_position * (4.0 * cut + by_products) + BEZIER_TINY;
    piece->linear_error = 4.0 * cut * f->largest_quaternion / least + 4.0 * by_products;
}

static const ovi_motion_kind rational_kind = {rational_at, rational_taylor, rational_piece,
                                              rational_pose};

/* ---- rigid curves: making one */

static ov_status check_input(const ov_quat *rotations, size_t rotation_count,
                             const ov_vec3 *positions, size_t position_count) {
    for (size_t i = 0; i < rotation_count; i++) {
        ov_quat q = rotations[i];
        if (!isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z)) {
            return OV_ERROR_NOT_FINITE;
        }
    }
    for (size_t i = 0; i < position_count; i++) {
        if (!ov_vec3_is_finite(positions[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (!(ov_vec3_length(positions[i]) <= OV_POSITION_MAX)) {
            return OV_ERROR_SIZE_RANGE;
        }
    }
    return OV_OK;
}

/** Control points times a power of two that makes the largest number one from 1/2 to 1. */
static void fill_rotations(rational_motion *f, const ov_quat *rotations) {
    double largest = 0.0, square = 0.0;
    for (size_t i = 0; i <= f->m; i++) {
        ov_quat q = rotations[i];
        double *to = f->q + i * LANES;
        to[0] = q.w;
        to[1] = q.x;
        to[2] = q.y;
        to[3] = q.z;
        for (size_t c = 0; c < LANES; c++) {
            largest = fmax(largest, fabs(to[c]));
        }
    }
    int exponent;
    (void)frexp(largest, &exponent);
    for (size_t i = 0; i < (f->m + 1) * LANES; i++) {
        f->q[i] = ldexp(f->q[i], -exponent);
    }
    for (size_t i = 0; i <= f->m; i++) {
        square = larger(square, dot4(f->q + i * LANES, f->q + i * LANES));
    }
    f->largest_quaternion = sqrt(square);
    bezier_derivative(f->q, f->m, LANES, f->q1);
    bezier_derivative(f->q1, less(f->m, 1), LANES, f->q2);
    bezier_binomials(f->m, f->q_binomials);
}

static void fill_positions(rational_motion *f, const ov_vec3 *positions, const double *weights) {
    for (size_t i = 0; i <= f->k; i++) {
        double *to = f->p + i * LANES, w = weights[i];
        to[0] = positions[i].x * w;
        to[1] = positions[i].y * w;
        to[2] = positions[i].z * w;
        to[3] = w;
        f->largest_position = larger(f->largest_position, ov_vec3_length(positions[i]));
    }
    bezier_derivative(f->p, f->k, LANES, f->p1);
    bezier_derivative(f->p1, less(f->k, 1), LANES, f->p2);
    bezier_binomials(f->k, f->p_binomials);
}

/** Is the quaternion away from zero from u0 to u1? All of the hull is to one side of zero. */
static bool is_clear_of_zero(const rational_motion *f, double u0, double u1) {
    double q[ROTATIONS * LANES], middle[LANES];
    bezier_value(f->q, f->m, LANES, 0.5 * (u0 + u1), middle);
    double square = dot4(middle, middle), least = least_quaternion * f->largest_quaternion;
    memcpy(q, f->q, (f->m + 1) * LANES * sizeof *q);
    bezier_cut(q, f->m, LANES, u0, u1);
    bool clear = square >= least * least && square > 0.0;
    for (size_t i = 0; i <= f->m; i++) {
        clear = clear && dot4(q + i * LANES, middle) > 0.5 * square;
    }
    return clear;
}

/** Goes along the curve in steps that are as long as can be. */
static bool is_never_zero(const rational_motion *f) {
    double u = 0.0, step = 1.0;
    for (int i = 0; i < ZERO_STEPS && step >= least_step; i++) {
        double end = fmin(u + step, 1.0);
        bool clear = is_clear_of_zero(f, u, end);
        if (clear && end >= 1.0) {
            return true;
        }
        u = clear ? end : u;
        step = clear ? 2.0 * step : 0.5 * step;
    }
    return false;
}

ov_status ov_motion_create_rational(const ov_quat *rotations, size_t rotation_count,
                                    const ov_vec3 *positions, const double *weights,
                                    size_t position_count, double start, double end,
                                    const ov_allocator *allocator, ov_motion **motion) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_motion_create_rational(rotations, rotation_count, positions, weights,
                                                   position_count, start, end, allocator, motion));
    if (motion == NULL) {
        return OV_ERROR_NULL;
    }
    *motion = NULL;
    if (rotations == NULL || positions == NULL) {
        return OV_ERROR_NULL;
    }
    if (rotation_count < 1 || rotation_count > ROTATIONS || position_count < 1 ||
        position_count > POSITIONS ||
        2 * (rotation_count - 1) + position_count - 1 > OV_MOTION_DEGREE_MAX) {
        return OV_ERROR_COUNT;
    }
    double scaled[POSITIONS];
    ov_status status = check_input(rotations, rotation_count, positions, position_count);
    status = status == OV_OK ? scale_weights(weights, position_count, scaled) : status;
    if (status != OV_OK) {
        return status;
    }
    rational_motion *f = ovi_motion_new(&rational_kind, sizeof *f, start, end, allocator, &status);
    if (f == NULL) {
        return status;
    }
    f->m = rotation_count - 1;
    f->k = position_count - 1;
    fill_rotations(f, rotations);
    fill_positions(f, positions, scaled);
    if (!is_never_zero(f)) {
        ov_motion_destroy(&f->head);
        return OV_ERROR_ZERO_DIRECTION;
    }
    *motion = &f->head;
    return OV_OK;
}
