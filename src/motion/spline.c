/**
 * @file spline.c
 * @brief Splines: making them, where they are at a time, and how far they get during an interval of
 * time.
 *
 * Segments and their rounding are in spline.h.
 */
#include <stdint.h>

#include "spline.h"

/** Derivatives above this are refused: their squares, and a few factors more, stay finite. */
#define DERIVATIVE_MAX 1e140

/* ---- bounds of a segment */

static double length_of(const double *x, size_t width) {
    return width == 1 ? fabs(x[0]) : ov_vec3_length(ov_vec3_make(x[0], x[1], x[2]));
}

/** Largest length of the second derivative on a part of a segment. */
static double most_acceleration(const ovi_segment *g, size_t width, double wa, double wb) {
    double a[3], b[3];
    for (size_t k = 0; k < width; k++) {
        a[k] = ovi_segment_acceleration(g, k, wa);
        b[k] = ovi_segment_acceleration(g, k, wb);
    }
    double most = ovi_larger(length_of(a, width), length_of(b, width));
    return (most + (OVI_VELOCITY_ROUNDING * g->size + 6.0 * g->drift) / g->h) * OVI_SPLINE_GROWTH;
}

/** Largest length of the first derivative on a part of a segment. */
static double most_velocity(const ovi_segment *g, size_t width, double wa, double wb) {
    double most = 0.0, half = 0.5 * (wb - wa);
    if (g->straight) {
        return (length_of(g->v, width) + OVI_VELOCITY_ROUNDING * g->size + g->drift) *
               OVI_SPLINE_GROWTH;
    }
    // control points of the two halves: ends, middle, and those between
    double points[5][3];
    for (size_t k = 0; k < width; k++) {
        double first = half * (g->b[k] + wa * g->c[k]), second = half * half * g->c[k];
        points[0][k] = ovi_segment_velocity(g, k, wa);
        points[1][k] = points[0][k] + first;
        points[2][k] = points[1][k] + first + second;
        points[3][k] = points[2][k] + first + second;
        points[4][k] = ovi_segment_velocity(g, k, wb);
    }
    if (width == 1) {
        double top = g->c[0] != 0.0 ? -g->b[0] / g->c[0] : wa;
        top = top > wa && top < wb ? top : wa;
        most = ovi_larger(ovi_larger(fabs(points[0][0]), fabs(points[4][0])),
                          fabs(ovi_segment_velocity(g, 0, top)));
    } else {
        for (size_t i = 0; i < 5; i++) {
            most = ovi_larger(most, length_of(points[i], width));
        }
    }
    return (most + OVI_VELOCITY_ROUNDING * g->size + g->drift) * OVI_SPLINE_GROWTH;
}

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

size_t ovi_spline_doubles(ovi_spline_kind kind, size_t count, size_t width, size_t groups) {
    const size_t most = PTRDIFF_MAX / sizeof(double);
    if (count < 2 || width == 0 || groups > most / 64 / width) {
        return 0;
    }
    // a knot: its time, values, velocities, errors, and two nodes of the tree
    size_t numbers = width * groups, velocities = kind == OVI_SPLINE_LINEAR ? 0 : numbers;
    size_t errors = kind == OVI_SPLINE_CUBIC ? groups : 0;
    size_t tree = 2 * 2 * groups;
    size_t knot = 1 + numbers + velocities + errors + tree;
    return count <= most / knot ? count * knot : 0;
}

void ovi_spline_place(ovi_spline *s, ovi_spline_kind kind, size_t count, size_t width,
                      size_t groups, double *block) {
    *s = (ovi_spline){.kind = kind,
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

/**
 * The velocities of a cubic one solve, for the knots inside, with l + r = 1,
 *
 *     l v[i-1] + 2 v[i] + r v[i+1] = 3 (l m[i-1] + r m[i]),   l = h[i] / (h[i-1] + h[i]).
 *
 * How far the computed ones are from the true ones follows from what they leave of this equation,
 * rho: the error e obeys |2 e[i]| <= rho[i] + l |e[i-1]| + r |e[i+1]|, so it is no larger than the
 * solution of that with equality (its matrix has an inverse without negative entries), which is
 * found by the same elimination and is of positive terms only.
 */

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
    size_t leaves = s->count - 1, stride = 2 * s->groups;
    for (size_t i = 0; i < leaves; i++) {
        double *leaf = s->tree + (leaves + i) * stride;
        for (size_t group = 0; group < s->groups; group++) {
            ovi_segment g;
            ovi_segment_of(s, i, group, &g);
            leaf[2 * group] = most_velocity(&g, s->width, 0.0, 1.0);
            leaf[2 * group + 1] =
                s->kind == OVI_SPLINE_LINEAR ? 0.0 : most_acceleration(&g, s->width, 0.0, 1.0);
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
    size_t stride = 2 * s->groups;
    for (size_t i = leaves * stride; i < 2 * leaves * stride; i++) {
        if (!(fabs(s->tree[i]) <= DERIVATIVE_MAX)) {
            return false;
        }
    }
    return true;
}

/* ---- times and intervals */

ptrdiff_t ovi_spline_segment(const ovi_spline *s, double time) {
    size_t leaves = s->count - 1;
    if (!(time >= s->times[0])) {
        return -1;
    }
    if (time >= s->times[leaves]) {
        return (ptrdiff_t)(time > s->times[leaves] ? leaves : leaves - 1);
    }
    // times are often even: the guess is then right, or next to it
    double guess = (time - s->times[0]) * s->pace;
    size_t low = guess < (double)leaves ? (size_t)guess : leaves - 1, high = low + 1;
    if (time < s->times[low]) {
        high = low;
        low = high > 0 && time >= s->times[high - 1] ? high - 1 : 0;
    } else if (time >= s->times[high]) {
        low = high;
        high = time < s->times[low + 1] ? low + 1 : leaves;
    }
    while (high - low > 1) {
        size_t half = low + (high - low) / 2;
        if (time >= s->times[half]) {
            low = half;
        } else {
            high = half;
        }
    }
    return (ptrdiff_t)low;
}

static void set_ends(const ovi_spline *s, ovi_spline_interval *interval) {
    ptrdiff_t leaves = (ptrdiff_t)s->count - 1;
    interval->first =
        interval->from >= s->times[leaves] ? leaves : ovi_spline_segment(s, interval->from);
    interval->last = ovi_spline_segment(s, interval->to);
    if (interval->last >= 0 && interval->last < leaves &&
        interval->to <= s->times[interval->last]) {
        interval->last--;
    }
    interval->last = interval->last > interval->first ? interval->last : interval->first;
    ptrdiff_t i = ovi_spline_segment(s, interval->middle);
    interval->segment = i < interval->first  ? interval->first
                        : i > interval->last ? interval->last
                                             : i;
}

/** a + b, rounded towards a + b + direction. */
static double sum_towards(double a, double b, double direction) {
    double sum = a + b, b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);
    return lost * direction > 0.0 ? nextafter(sum, direction) : sum;
}

ovi_spline_interval ovi_spline_interval_about(const ovi_spline *s, double middle, double radius) {
    ovi_spline_interval interval = {.middle = middle, .radius = radius};
    interval.from = sum_towards(middle, -radius, -INFINITY);
    interval.to = sum_towards(middle, radius, INFINITY);
    set_ends(s, &interval);
    return interval;
}

/* ---- asking */

void ovi_spline_at(const ovi_spline *s, double time, double *values, double *velocities,
                   double *accelerations) {
    ptrdiff_t i = ovi_spline_segment(s, time);
    bool rests = i < 0 || i >= (ptrdiff_t)s->count - 1;
    for (size_t group = 0; group < s->groups; group++) {
        ovi_segment g = {.h = 1.0};
        if (!rests) {
            ovi_segment_of(s, (size_t)i, group, &g);
        }
        for (size_t j = 0; j < s->width; j++) {
            size_t k = group * s->width + j;
            double w = rests ? 0.0 : (time - g.time) / g.h;
            // at a knot exactly what was given
            values[k] = rests || w == 1.0
                            ? s->values[(i < 0 ? 0 : (size_t)i + (rests ? 0 : 1)) * s->numbers + k]
                            : ovi_segment_value(&g, j, w);
            if (velocities != NULL) {
                velocities[k] = rests ? 0.0 : ovi_segment_velocity(&g, j, w);
            }
            if (accelerations != NULL) {
                accelerations[k] = rests ? 0.0 : ovi_segment_acceleration(&g, j, w);
            }
        }
    }
}

/** A time as a part of a segment, or the end of it that is nearer. */
static double part_of(const ovi_segment *g, double time) {
    double w = (time - g->time) / g->h;
    return w > 0.0 ? w < 1.0 ? w : 1.0 : 0.0;
}

/** Segments that are covered in part: none, one or two of them; from..to-1 are covered whole. */
typedef struct cover {
    size_t count, parts[2];
    size_t from, to;
} cover;

static cover cover_of(const ovi_spline *s, const ovi_spline_interval *interval) {
    ptrdiff_t leaves = (ptrdiff_t)s->count - 1;
    ptrdiff_t first = interval->first < 0 ? 0 : interval->first;
    ptrdiff_t last = interval->last < leaves ? interval->last : leaves - 1;
    cover c = {0, {0, 0}, 0, 0};
    if (first > last) {
        return c;
    }
    c.from = (size_t)first;
    c.to = (size_t)last + 1;
    if (interval->from > s->times[first]) {
        c.parts[c.count++] = c.from++;
    }
    if (interval->to < s->times[last + 1] && c.to > c.from) {
        c.parts[c.count++] = --c.to;
    }
    return c;
}

void ovi_spline_bounds(const ovi_spline *s, const ovi_spline_interval *interval, size_t group,
                       double *rate, double *bend) {
    cover c = cover_of(s, interval);
    size_t leaves = s->count - 1, stride = 2 * s->groups;
    double most[2] = {0.0, 0.0};
    if (rate != NULL) {
        most[0] = ovi_larger(0.0, ovi_maxima_of(s->tree, leaves, stride, 2 * group, c.from, c.to));
    }
    if (bend != NULL) {
        most[1] =
            ovi_larger(0.0, ovi_maxima_of(s->tree, leaves, stride, 2 * group + 1, c.from, c.to));
    }
    for (size_t i = 0; i < c.count; i++) {
        ovi_segment g;
        ovi_segment_of(s, c.parts[i], group, &g);
        double wa = part_of(&g, interval->from), wb = part_of(&g, interval->to);
        if (rate != NULL) {
            most[0] = ovi_larger(most[0], most_velocity(&g, s->width, wa, wb));
        }
        if (bend != NULL && s->kind != OVI_SPLINE_LINEAR) {
            most[1] = ovi_larger(most[1], most_acceleration(&g, s->width, wa, wb));
        }
    }
    if (rate != NULL) {
        *rate = most[0];
    }
    if (bend != NULL) {
        *bend = most[1];
    }
}

/* ---- jumps of the first derivative */

/** First derivative of a group just before or after a knot; zero beyond the ends. */
static void rate_beside(const ovi_spline *s, ptrdiff_t i, size_t group, double w, double *rate) {
    ovi_segment g;
    bool rests = i < 0 || i >= (ptrdiff_t)s->count - 1;
    if (!rests) {
        ovi_segment_of(s, (size_t)i, group, &g);
    }
    for (size_t k = 0; k < s->width; k++) {
        rate[k] = rests ? 0.0 : ovi_segment_velocity(&g, k, w);
    }
}

/** How much the first derivative of a group jumps at a knot. */
static double jump_at(const ovi_spline *s, ptrdiff_t knot, size_t group) {
    double a[3], b[3], jump[3], size = 0.0;
    rate_beside(s, knot - 1, group, 1.0, a);
    rate_beside(s, knot, group, 0.0, b);
    for (size_t k = 0; k < s->width; k++) {
        jump[k] = b[k] - a[k];
        size += fabs(a[k]) + fabs(b[k]);
    }
    return (length_of(jump, s->width) + OVI_VELOCITY_ROUNDING * size + DBL_MIN) * OVI_SPLINE_GROWTH;
}

/** Knots inside the interval at which the first derivative may jump, next to the middle's
 * segment; their number, or 3 where there are more. */
static size_t jumping_knots(const ovi_spline *s, const ovi_spline_interval *interval,
                            ptrdiff_t knots[2]) {
    ptrdiff_t leaves = (ptrdiff_t)s->count - 1;
    size_t count = 0;
    if (s->kind == OVI_SPLINE_CUBIC || interval->first == interval->last) {
        return 0;
    }
    if (s->kind == OVI_SPLINE_HERMITE) {
        if (interval->first < 0) {
            knots[count++] = 0;
        }
        if (interval->last == leaves) {
            knots[count++] = leaves;
        }
        return count;
    }
    if (interval->first < interval->segment - 1 || interval->last > interval->segment + 1) {
        return 3;
    }
    if (interval->first < interval->segment) {
        knots[count++] = interval->segment;
    }
    if (interval->last > interval->segment) {
        knots[count++] = interval->segment + 1;
    }
    return count;
}

double ovi_spline_beyond(double middle, double radius, double knot) {
    if (!(radius > 0.0)) {
        return 1.0;
    }
    double part = (radius - fabs(knot - middle)) / radius + 4.0 * DBL_EPSILON;
    return part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
}

/**
 * Beyond a knot at the distance a from the middle, on either side, a jump j moves by |j| (|s| - a),
 * which is at most |s| |j| times the part of the radius that is beyond. Where that is too much,
 * velocity zero and the rate are better, and if the middle rests, the rate from the first knot on.
 */
static void add_jumps(const ovi_spline *s, const ovi_spline_interval *interval, size_t group,
                      bool rests, ovi_spline_taylor *taylor) {
    ptrdiff_t knots[2];
    size_t count = jumping_knots(s, interval, knots);
    if (count == 0) {
        return;
    }
    double rate, jump = 0.0;
    for (size_t i = 0; i < count && count < 3; i++) {
        double part = ovi_spline_beyond(interval->middle, interval->radius, s->times[knots[i]]);
        jump = ovi_larger(jump, jump_at(s, knots[i], group) * part);
    }
    ovi_spline_bounds(s, interval, group, &rate, NULL);
    double speed = taylor->velocity_error + jump;
    if (rests || count == 3 ||
        length_of(taylor->velocity, s->width) + speed > OVI_JUMP_PATIENCE * rate) {
        for (size_t k = 0; k < s->width; k++) {
            taylor->velocity[k] = 0.0;
        }
        taylor->acceleration = 0.0; // the rate bounds it all
        speed = rate;
        if (rests) {
            double nearest = s->times[interval->segment < 0 ? 0 : s->count - 1];
            speed *= ovi_spline_beyond(interval->middle, interval->radius, nearest);
        }
    }
    taylor->velocity_error = speed * OVI_SPLINE_GROWTH;
}

void ovi_spline_taylor_of(const ovi_spline *s, const ovi_spline_interval *interval, size_t group,
                          ovi_spline_taylor *taylor) {
    size_t width = s->width;
    bool rests = interval->segment < 0 || interval->segment >= (ptrdiff_t)s->count - 1;
    ovi_segment g;
    taylor->value_error = taylor->velocity_error = taylor->acceleration = 0.0;
    if (rests) {
        size_t knot = interval->segment < 0 ? 0 : s->count - 1;
        for (size_t k = 0; k < width; k++) {
            taylor->value[k] = s->values[knot * s->numbers + group * width + k];
            taylor->velocity[k] = 0.0;
        }
    } else {
        ovi_segment_of(s, (size_t)interval->segment, group, &g);
        double w = part_of(&g, interval->middle);
        for (size_t k = 0; k < width; k++) {
            taylor->value[k] = ovi_segment_value(&g, k, w);
            taylor->velocity[k] = ovi_segment_velocity(&g, k, w);
        }
        taylor->value_error = ovi_segment_error(&g, width);
        taylor->velocity_error = OVI_VELOCITY_ROUNDING * g.size + g.drift;
    }
    if (s->kind != OVI_SPLINE_LINEAR && interval->first == interval->last) {
        taylor->acceleration = rests ? 0.0
                                     : most_acceleration(&g, width, part_of(&g, interval->from),
                                                         part_of(&g, interval->to));
    } else if (s->kind != OVI_SPLINE_LINEAR) {
        ovi_spline_bounds(s, interval, group, NULL, &taylor->acceleration);
    }
    add_jumps(s, interval, group, rests, taylor);
}
