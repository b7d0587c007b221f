/**
 * @file spline.h
 * @brief Piecewise linear and cubic functions of time with bounds over spans: positions of key
 * poses, and joints along a trajectory.
 *
 * A spline has groups of `width` numbers each, 1 or 3; what is said of a group's derivative is said
 * of its length, for 3 numbers as of a vector. Before the first and after the last knot a spline
 * rests at its end value. Bounds hold for the spline of the given knots as it is in exact
 * arithmetic: rounding is in them. A tree of maxima over the segments answers long spans in
 * O(log count); what a span covers of its first and last segment is looked at for itself.
 *
 * To make one: ovi_spline_doubles, then ovi_spline_place into a block of as many doubles, fill in
 * times and values (and velocities, for OVI_SPLINE_HERMITE), then ovi_spline_finish. Rotations are
 * in turns.h.
 */
#ifndef OVI_SPLINE_H
#define OVI_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ovi_spline_kind {
    OVI_SPLINE_LINEAR = 0, /**< straight from knot to knot */
    OVI_SPLINE_CUBIC,      /**< continuous second derivative, at rest at both ends */
    OVI_SPLINE_HERMITE     /**< cubic with given velocities at the knots */
} ovi_spline_kind;

typedef struct ovi_spline {
    ovi_spline_kind kind;
    bool ranges;          /**< is ovi_spline_range allowed? */
    size_t count;         /**< knots, at least 2 */
    size_t width, groups; /**< numbers of a group (1 or 3), and how many groups (or none) */
    size_t numbers;       /**< width * groups */
    double pace;          /**< segments per time, a first guess for the search */
    double *times;        /**< count, finite and ascending */
    double *values;       /**< number k at knot i: values[i * numbers + k] */
    double *velocities;   /**< likewise; null for linear ones; found by `finish` for cubic ones */
    double *errors;       /**< cubic: how far off velocities of a group are at a knot; else null */
    double *tree;         /**< of maxima */
} ovi_spline;

/** Doubles that the block of a spline needs; 0 where that is no number of bytes of an object. */
size_t ovi_spline_doubles(ovi_spline_kind kind, size_t count, size_t width, size_t groups,
                          bool ranges);
/** Lays the arrays out in a block of that size. */
void ovi_spline_place(ovi_spline *spline, ovi_spline_kind kind, size_t count, size_t width,
                      size_t groups, bool ranges, double *block);
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

/** A span of time, looked up once for all groups. */
typedef struct ovi_spline_span {
    double from, to;
    /** Segments of from and to: -1 is the rest before the first knot, count - 1 that after the
     *  last. Knots first + 1 to last are those inside, between from and to. */
    ptrdiff_t first, last;
    double middle, radius; /**< as given to ovi_spline_span_about */
    ptrdiff_t segment;     /**< of the middle */
} ovi_spline_span;

/** The segment of a time, as above: times[i] <= time < times[i + 1]; the last holds its end. */
ptrdiff_t ovi_spline_segment(const ovi_spline *spline, double time);
/** From one time to another, from < to; the middle is for ovi_spline_line. */
ovi_spline_span ovi_spline_span_between(const ovi_spline *spline, double from, double to);
/** |t - middle| <= radius, radius >= 0, as it is without rounding, or larger. */
ovi_spline_span ovi_spline_span_about(const ovi_spline *spline, double middle, double radius);

/** Largest lengths of a group's first and second derivatives in a span; jumps of the first have no
 *  second. For 3 numbers `rate` may be larger than needed, by little for short spans. Either may be
 *  null, and is then not looked for. */
void ovi_spline_bounds(const ovi_spline *spline, const ovi_spline_span *span, size_t group,
                       double *rate, double *bend);
/** Least and largest of one number in a span. Only where the spline was made with `ranges`. */
void ovi_spline_range(const ovi_spline *spline, const ovi_spline_span *span, size_t number,
                      double *low, double *high);
/** May the first derivative of a group jump inside of the span? */
bool ovi_spline_jumps(const ovi_spline *spline, const ovi_spline_span *span, size_t group);

/**
 * A group during a span about a middle; with s = t - middle
 *     |x(t) - value - s velocity| <= slip + |s| speed + s^2 acceleration / 2.
 * Jumps of the first derivative are in `speed`: either as they are, weighted by how far the span
 * reaches beyond them, or, where these are more, with velocity zero and the largest rate as speed.
 */
typedef struct ovi_spline_line {
    double value[3], velocity[3]; /**< as many as the group is wide */
    double slip, speed, acceleration;
} ovi_spline_line;
void ovi_spline_line_of(const ovi_spline *spline, const ovi_spline_span *span, size_t group,
                        ovi_spline_line *line);

/**
 * Which part of the radius of a span is beyond a knot: 0 or more at its end, 1 at its middle. What
 * begins at a knot with a speed of v is then no further than |s| v times this.
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

#endif
