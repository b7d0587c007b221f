/**
 * @file spline_make.c
 * @brief Making splines: memory, the velocities of a cubic one, and the tree of maxima.
 *
 * The velocities of a cubic one solve, for the knots inside, with l + r = 1,
 *
 *     l v[i-1] + 2 v[i] + r v[i+1] = 3 (l m[i-1] + r m[i]),   l = h[i] / (h[i-1] + h[i]).
 *
 * How far the computed ones are from the true ones follows from what they leave of this equation,
 * rho: the error e obeys |2 e[i]| <= rho[i] + l |e[i-1]| + r |e[i+1]|, so it is no larger than the
 * solution of that with equality (its matrix has an inverse without negative entries), which is
 * found by the same elimination and is of positive terms only.
 */
#include <stdint.h>

#include "spline_segment.h"

/** Derivatives above this are refused: their squares, and a few factors more, stay finite. */
#define DERIVATIVE_MAX 1e140

/* ---- trees of maxima */

void ovi_maxima_build(double *tree, size_t leaves, size_t stride) {
    for (size_t node = leaves; node-- > 1;) {
        for (size_t k = 0; k < stride; k++) {
            tree[node * stride + k] =
                ovi_larger(tree[2 * node * stride + k], tree[(2 * node + 1) * stride + k]);
        }
    }
}

double ovi_maxima_of(const double *tree, size_t leaves, size_t stride, size_t entry, size_t from,
                     size_t to) {
    double most = -INFINITY;
    size_t l = from + leaves, r = to + leaves;
    for (; l < r; l /= 2, r /= 2) {
        if (l % 2 == 1) {
            most = ovi_larger(most, tree[l++ * stride + entry]);
        }
        if (r % 2 == 1) {
            most = ovi_larger(most, tree[--r * stride + entry]);
        }
    }
    return most;
}

/* ---- making */

size_t ovi_spline_doubles(ovi_spline_kind kind, size_t count, size_t width, size_t groups,
                          bool ranges) {
    const size_t most = PTRDIFF_MAX / sizeof(double);
    if (count < 2 || width == 0 || groups > most / 64 / width) {
        return 0;
    }
    // a knot: its time, values, velocities, errors, and two nodes of the tree
    size_t numbers = width * groups, velocities = kind == OVI_SPLINE_LINEAR ? 0 : numbers;
    size_t errors = kind == OVI_SPLINE_CUBIC ? groups : 0;
    size_t tree = 2 * (2 * groups + (ranges ? 2 * numbers : 0));
    size_t knot = 1 + numbers + velocities + errors + tree;
    return count <= most / knot ? count * knot : 0;
}

void ovi_spline_place(ovi_spline *s, ovi_spline_kind kind, size_t count, size_t width,
                      size_t groups, bool ranges, double *block) {
    *s = (ovi_spline){.kind = kind,
                      .ranges = ranges,
                      .count = count,
                      .width = width,
                      .groups = groups,
                      .numbers = width * groups,
                      .times = block};
    s->values = s->times + count;
    double *next = s->values + count * s->numbers;
    if (kind != OVI_SPLINE_LINEAR) {
        s->velocities = next;
        next += count * s->numbers;
    }
    if (kind == OVI_SPLINE_CUBIC) {
        s->errors = next;
        next += count * groups;
    }
    s->tree = next;
}

/** Row i of the equations of the velocities: its two factors beside the diagonal, and the lengths
 * of the segments there. */
typedef struct row {
    double l, r;
    double h0, h1;
} row;

static row row_of(const ovi_spline *s, size_t i) {
    double h0 = s->times[i] - s->times[i - 1], h1 = s->times[i + 1] - s->times[i];
    // by halves, as the sum of two lengths of time may be too large for a number
    double both = 0.5 * h0 + 0.5 * h1;
    return (row){0.5 * h1 / both, 0.5 * h0 / both, h0, h1};
}

static double right_side(const ovi_spline *s, const row *e, size_t i, size_t number, double *size) {
    const double *p = s->values + i * s->numbers + number;
    double m0 = (p[0] - *(p - s->numbers)) / e->h0, m1 = (p[s->numbers] - p[0]) / e->h1;
    *size = 3.0 * (e->l * fabs(m0) + e->r * fabs(m1));
    return 3.0 * (e->l * m0 + e->r * m1);
}

/** Velocities by elimination; `upper`, of `count` numbers, is kept for the errors. */
static void solve_velocities(ovi_spline *s, double *upper) {
    size_t n = s->numbers, last = s->count - 1;
    for (size_t k = 0; k < n; k++) {
        s->velocities[k] = s->velocities[last * n + k] = 0.0;
    }
    upper[0] = 0.0;
    for (size_t i = 1; i < last; i++) {
        row e = row_of(s, i);
        double pivot = 2.0 - e.l * upper[i - 1]; // 1.5 or more
        upper[i] = e.r / pivot;
        for (size_t k = 0; k < n; k++) {
            double size, right = right_side(s, &e, i, k, &size);
            s->velocities[i * n + k] = (right - e.l * s->velocities[(i - 1) * n + k]) / pivot;
        }
    }
    for (size_t i = last; i-- > 1;) {
        for (size_t k = 0; k < n; k++) {
            s->velocities[i * n + k] -= upper[i] * s->velocities[(i + 1) * n + k];
        }
    }
}

/** What row i leaves of the equation, rounding included, of all numbers of a group together. */
static double residual(const ovi_spline *s, const row *e, size_t i, size_t group) {
    double sum = 0.0;
    for (size_t j = 0; j < s->width; j++) {
        size_t k = group * s->width + j;
        double size, right = right_side(s, e, i, k, &size);
        const double *v = s->velocities + i * s->numbers + k;
        double before = e->l * *(v - s->numbers), here = 2.0 * *v, after = e->r * v[s->numbers];
        size += fabs(before) + fabs(here) + fabs(after);
        sum += fabs(before + here + after - right) + 16.0 * DBL_EPSILON * size + DBL_MIN;
    }
    return sum;
}

static void bound_velocity_errors(ovi_spline *s, const double *upper) {
    size_t last = s->count - 1, n = s->groups;
    for (size_t g = 0; g < n; g++) {
        s->errors[g] = s->errors[last * n + g] = 0.0;
    }
    for (size_t i = 1; i < last; i++) {
        row e = row_of(s, i);
        double pivot = 2.0 - e.l * upper[i - 1];
        for (size_t g = 0; g < n; g++) {
            s->errors[i * n + g] =
                (residual(s, &e, i, g) + e.l * s->errors[(i - 1) * n + g]) / pivot;
        }
    }
    for (size_t i = last; i-- > 1;) {
        for (size_t g = 0; g < n; g++) {
            s->errors[i * n + g] += upper[i] * s->errors[(i + 1) * n + g];
        }
    }
    // Positive terms only: each step adds a few eps, of 2^20 steps less than the hundredth here.
    for (size_t i = 0; i < s->count * n; i++) {
        s->errors[i] *= 1.01;
    }
}

static void build_tree(ovi_spline *s) {
    size_t leaves = s->count - 1, stride = ovi_spline_stride(s);
    for (size_t i = 0; i < leaves; i++) {
        double *leaf = s->tree + (leaves + i) * stride, *ranges = leaf + 2 * s->groups;
        for (size_t group = 0; group < s->groups; group++) {
            ovi_segment g;
            ovi_segment_of(s, i, group, &g);
            leaf[2 * group] = ovi_segment_most_rate(&g, s->width, 0.0, 1.0);
            leaf[2 * group + 1] =
                s->kind == OVI_SPLINE_LINEAR ? 0.0 : ovi_segment_most_bend(&g, s->width, 0.0, 1.0);
            for (size_t k = 0; s->ranges && k < s->width; k++) {
                double low, *entry = ranges + 2 * (group * s->width + k);
                ovi_segment_range(&g, s->width, k, 0.0, 1.0, &low, &entry[1]);
                entry[0] = -low;
            }
        }
    }
    ovi_maxima_build(s->tree, leaves, stride);
}

bool ovi_spline_finish(ovi_spline *s) {
    size_t leaves = s->count - 1;
    double length = s->times[leaves] - s->times[0];
    if (!isfinite(length) || !(length > 0.0)) {
        return false;
    }
    s->pace = (double)leaves / length;
    if (s->kind == OVI_SPLINE_CUBIC && s->groups > 0) {
        // the tree has room for more numbers than there are knots, and is not needed yet
        solve_velocities(s, s->tree);
        bound_velocity_errors(s, s->tree);
    }
    build_tree(s);
    // The larger of two is the second where one is not a number, so leaves are looked at.
    size_t stride = ovi_spline_stride(s);
    for (size_t i = leaves * stride; i < 2 * leaves * stride; i++) {
        if (!(fabs(s->tree[i]) <= DERIVATIVE_MAX)) {
            return false;
        }
    }
    return true;
}
