/**
 * @file spline.h
 * @brief Piecewise linear and cubic functions of time with bounds over intervals: positions of key
 * poses, and joints along a trajectory.
 *
 * A spline has groups of `width` numbers each, 1 or 3; what is said of a group's derivative is said
 * of its length, for 3 numbers as of a vector. Before the first and after the last knot a spline
 * rests at its end value. Bounds hold for the spline of the given knots as it is in exact
 * arithmetic: rounding is in them. A tree of maxima over the segments answers long intervals in
 * O(log count); what an interval covers of its first and last segment is looked at for itself.
 *
 * To make one: ovi_spline_doubles, then ovi_spline_place into a block of as many doubles, fill in
 * times and values (and velocities, for OVI_SPLINE_HERMITE), then ovi_spline_finish. Rotations are
 * in slerp.h.
 */
#ifndef OVI_SPLINE_H
#define OVI_SPLINE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <ovoid/math.h>

typedef enum ovi_spline_kind {
    OVI_SPLINE_LINEAR = 0, /**< straight from knot to knot */
    OVI_SPLINE_CUBIC,      /**< continuous second derivative, at rest at both ends */
    OVI_SPLINE_HERMITE     /**< cubic with given velocities at the knots */
} ovi_spline_kind;

typedef struct ovi_spline {
    ovi_spline_kind kind;
    size_t count;         /**< knots, at least 2 */
    size_t width, groups; /**< numbers of a group (1 or 3), and how many groups (or none) */
    size_t numbers;       /**< width * groups */
    double pace;          /**< segments per time, a first guess for the search */
    double *times;        /**< count, finite and ascending */
    double *values;       /**< number k at knot i: values[i * numbers + k] */
    double *velocities;   /**< likewise; null for linear ones; found by `finish` for cubic ones */
    double *errors;       /**< cubic: how far off velocities of a group are at a knot; else null */
    double *tree;         /**< of maxima: of the rate and bend of each group */
} ovi_spline;

/** Doubles that the block of a spline needs; 0 where that is no number of bytes of an object. */
size_t ovi_spline_doubles(ovi_spline_kind kind, size_t count, size_t width, size_t groups);
/** Lays the arrays out in a block of that size. */
void ovi_spline_place(ovi_spline *spline, ovi_spline_kind kind, size_t count, size_t width,
                      size_t groups, double *block);
/**
 * Solves for the velocities of a cubic one and builds the tree. Times must ascend, and all that was
 * filled in be finite. False where a derivative is not finite (or its square): times that are too
 * close together, or values too far apart.
 */
bool ovi_spline_finish(ovi_spline *spline);

/**
 * All numbers at a time, and unless null their derivatives. Where a derivative jumps it is that of
 * the segment after the knot; at the last knot of the one before. Beyond the ends they are zero.
 */
void ovi_spline_at(const ovi_spline *spline, double time, double *values, double *velocities,
                   double *accelerations);

/** An interval of time, looked up once for all groups. */
typedef struct ovi_spline_interval {
    double from, to;
    /** Segments of from and to: -1 is the rest before the first knot, count - 1 that after the
     *  last. Knots first + 1 to last are those inside, between from and to. */
    ptrdiff_t first, last;
    double middle, radius; /**< as given to ovi_spline_interval_about */
    ptrdiff_t segment;     /**< of the middle */
} ovi_spline_interval;

/** The segment of a time, as above: times[i] <= time < times[i + 1]; the last holds its end. */
ptrdiff_t ovi_spline_segment(const ovi_spline *spline, double time);
/** |t - middle| <= radius, radius >= 0, as it is without rounding, or larger. */
ovi_spline_interval ovi_spline_interval_about(const ovi_spline *spline, double middle,
                                              double radius);

/** Largest lengths of a group's first and second derivatives in an interval; jumps of the first
 * have no second. For 3 numbers `rate` may be larger than needed, by little for short intervals.
 * Either may be null, and is then not looked for. */
void ovi_spline_bounds(const ovi_spline *spline, const ovi_spline_interval *interval, size_t group,
                       double *rate, double *bend);

/**
 * A group during an interval about a middle; with s = t - middle
 *     |x(t) - value - s velocity| <= value_error + |s| velocity_error + s^2 acceleration / 2.
 * Jumps of the first derivative are in `velocity_error`: either as they are, weighted by how far
 * the interval reaches beyond them, or, where these are more, with velocity zero and the largest
 * rate.
 */
typedef struct ovi_spline_taylor {
    double value[3], velocity[3]; /**< as many as the group is wide */
    double value_error, velocity_error, acceleration;
} ovi_spline_taylor;
void ovi_spline_taylor_of(const ovi_spline *spline, const ovi_spline_interval *interval,
                          size_t group, ovi_spline_taylor *taylor);

/**
 * Which part of the radius of an interval is beyond a knot: 0 or more at its end, 1 at its middle.
 * What begins at a knot with a speed of v is then no further than |s| v times this.
 */
double ovi_spline_beyond(double middle, double radius, double knot);
/** By how much velocity and jumps together may be above the largest rate before that is better:
 *  velocities have a direction, which is worth something. */
#define OVI_JUMP_PATIENCE 1.25

/* ---- trees of maxima: node i, of `stride` doubles, is above 2i and 2i + 1; leaves are last */

/** Fills in the nodes above the leaves, which are nodes `leaves` to 2 leaves - 1. */
void ovi_maxima_build(double *tree, size_t leaves, size_t stride);
/** Largest of entry `entry` of leaves from..to-1; -infinity for none. */
double ovi_maxima_of(const double *tree, size_t leaves, size_t stride, size_t entry, size_t from,
                     size_t to);

/* ---- segments */

/*
 * One segment of one group of a spline: its polynomial, and bounds of it.
 *
 * On a segment of length h, with w = (t - t_i) / h, slope m = (p1 - p0) / h and velocities v0, v1,
 *
 *     x(w)   = p0 + h w (v0 + w (B + w C / 3))    B = 3 m - 2 v0 - v1
 *     x'(w)  = v0 + w (2 B + w C)                 C = 3 (v0 + v1 - 2 m)
 *     x''(w) = 2 (B + w C) / h
 *
 * and a straight segment has v0 = m, B = C = 0. x'' is linear, so the largest length of it is at an
 * end; x' of one number is largest at an end or at its vertex, and of three is held by the control
 * points of its two halves.
 *
 * Rounding. Knots are exact as given; differences, slopes and w have relative errors. With S = |m|
 * + |v0| + |v1| and u = eps / 2, counting operations and multiplying by the largest that each
 * intermediate can be gives errors below 34 eps h S + eps |p0| in x, 99 eps S in x' and 120 eps S /
 * h in x''; the constants below are larger. Velocities at the knots that are off by e change x by
 * at most h e / 4, x' by e and x'' by 6 e / h.
 */

#define OVI_VALUE_ROUNDING (64.0 * DBL_EPSILON)
#define OVI_VELOCITY_ROUNDING (256.0 * DBL_EPSILON)
/** Of lengths and quotients of what has been bounded already. */
#define OVI_SPLINE_GROWTH (1.0 + 16.0 * DBL_EPSILON)

static inline double ovi_larger(double a, double b) { return a > b ? a : b; }

typedef struct ovi_segment {
    double time, h;
    double p[3], v[3], b[3], c[3];
    double size;  /**< S: how large its velocities are, all numbers together */
    double drift; /**< how far velocities at its knots are off */
    bool straight;
} ovi_segment;

static inline void ovi_segment_of(const ovi_spline *s, size_t i, size_t group, ovi_segment *g) {
    const double *p0 = s->values + i * s->numbers + group * s->width, *p1 = p0 + s->numbers;
    g->time = s->times[i];
    g->h = s->times[i + 1] - s->times[i];
    g->size = 0.0;
    g->drift = DBL_MIN;
    g->straight = s->kind == OVI_SPLINE_LINEAR;
    if (g->straight) {
        for (size_t k = 0; k < s->width; k++) {
            g->p[k] = p0[k];
            g->v[k] = (p1[k] - p0[k]) / g->h;
            g->b[k] = g->c[k] = 0.0;
            g->size += fabs(g->v[k]);
        }
        return;
    }
    const double *v0 = s->velocities + i * s->numbers + group * s->width, *v1 = v0 + s->numbers;
    for (size_t k = 0; k < s->width; k++) {
        double m = (p1[k] - p0[k]) / g->h, middle = 3.0 * m - v0[k] - v1[k];
        g->p[k] = p0[k];
        g->v[k] = v0[k];
        g->b[k] = middle - v0[k];
        g->c[k] = (v0[k] - middle) + (v1[k] - middle);
        g->size += fabs(m) + fabs(v0[k]) + fabs(v1[k]);
    }
    if (s->errors != NULL) {
        const double *e = s->errors + i * s->groups + group;
        g->drift += ovi_larger(e[0], e[s->groups]);
    }
}

static inline double ovi_segment_value(const ovi_segment *g, size_t k, double w) {
    return g->p[k] + g->h * (w * (g->v[k] + w * (g->b[k] + w * (g->c[k] * (1.0 / 3.0)))));
}

static inline double ovi_segment_velocity(const ovi_segment *g, size_t k, double w) {
    return g->v[k] + w * (2.0 * g->b[k] + w * g->c[k]);
}

static inline double ovi_segment_acceleration(const ovi_segment *g, size_t k, double w) {
    return 2.0 * (g->b[k] + w * g->c[k]) / g->h;
}

/** How far a computed value of a group may be off. */
static inline double ovi_segment_error(const ovi_segment *g, size_t width) {
    double far = 0.0;
    for (size_t k = 0; k < width; k++) {
        far += fabs(g->p[k]);
    }
    return (OVI_VALUE_ROUNDING * g->h * g->size + 2.0 * DBL_EPSILON * far + g->h * g->drift +
            DBL_MIN) *
           OVI_SPLINE_GROWTH;
}

#endif
