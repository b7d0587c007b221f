/**
 * @file test_motion_spline.c
 * @brief Splines against another formulation in long double, and their bounds against samples.
 */
#include <float.h>
#include <string.h>

#include "check.h"
#include "spline_oracle.h"

enum { MOST_NUMBERS = 6 };

typedef struct sample_spline {
    ovi_spline spline;
    double *block;
    long double bends[MOST_NUMBERS][SPLINE_ORACLE_KNOTS];
} sample_spline;

static double *block_for(ovi_spline_kind kind, size_t count, size_t width, size_t groups) {
    size_t doubles = ovi_spline_doubles(kind, count, width, groups);
    // no more than asked for, so that a sanitizer sees every step beyond
    return doubles > 0 ? malloc(doubles * sizeof(double)) : NULL;
}

/** From one time to another, without rounding. */
static ovi_spline_interval interval_between(const ovi_spline *s, double from, double to) {
    ptrdiff_t leaves = (ptrdiff_t)s->count - 1;
    ovi_spline_interval i = {.from = from, .to = to};
    i.first = from >= s->times[leaves] ? leaves : ovi_spline_segment(s, from);
    i.last = ovi_spline_segment(s, to);
    i.last -= i.last >= 0 && i.last < leaves && to <= s->times[i.last];
    i.last = i.last > i.first ? i.last : i.first;
    return i;
}

static void fill_random(check_random *r, ovi_spline *s, double spread) {
    double t = check_uniform(r, -3.0, 3.0), scale = check_log_uniform(r, 1e-3, 1e3);
    double offset = check_uniform(r, -1.0, 1.0) * check_log_uniform(r, 1e-3, 1e6);
    bool even = check_uniform(r, 0.0, 1.0) < 0.3;
    for (size_t i = 0; i < s->count; i++) {
        s->times[i] = t;
        t += even ? 0.25 : check_log_uniform(r, 1.0 / spread, spread);
        for (size_t k = 0; k < s->numbers; k++) {
            s->values[i * s->numbers + k] = offset + scale * check_uniform(r, -1.0, 1.0);
            if (s->kind == OVI_SPLINE_HERMITE) {
                s->velocities[i * s->numbers + k] = scale * check_uniform(r, -3.0, 3.0);
            }
        }
    }
}

static void make_random(check_random *r, sample_spline *m, double spread) {
    ovi_spline_kind kind = (ovi_spline_kind)(check_random_bits(r) % 3);
    size_t count = 2 + check_random_bits(r) % (SPLINE_ORACLE_KNOTS - 2);
    size_t width = check_random_bits(r) % 2 == 0 ? 1 : 3;
    size_t groups = 1 + check_random_bits(r) % 2;
    m->block = block_for(kind, count, width, groups);
    ovi_spline_place(&m->spline, kind, count, width, groups, m->block);
    fill_random(r, &m->spline, spread);
    CHECK(ovi_spline_finish(&m->spline));
    for (size_t k = 0; k < m->spline.numbers && kind == OVI_SPLINE_CUBIC; k++) {
        spline_oracle_bends(m->spline.times, m->spline.values + k, m->spline.numbers, count,
                            m->bends[k]);
    }
}

/** A middle and a radius: tiny, short or long, within or across the ends, on knots or not. */
static void random_interval(check_random *r, const ovi_spline *s, double *middle, double *radius) {
    double start = s->times[0], end = s->times[s->count - 1], length = end - start;
    size_t knot = check_random_bits(r) % s->count;
    switch (check_random_bits(r) % 5) {
    case 0: // exactly from knot to knot, as far as halves go
        knot = knot + 1 < s->count ? knot : knot - 1;
        *middle = s->times[knot] + 0.5 * (s->times[knot + 1] - s->times[knot]);
        *radius = s->times[knot + 1] - *middle;
        break;
    case 1: // about a knot
        *middle = s->times[knot];
        *radius = length * check_log_uniform(r, 1e-9, 1.0);
        break;
    case 2: // about the ends and beyond
        *middle = check_uniform(r, start - 0.3 * length, end + 0.3 * length);
        *radius = length * check_log_uniform(r, 1e-2, 3.0);
        break;
    default:
        *middle = check_uniform(r, start, end);
        *radius = length * check_log_uniform(r, 1e-9, 0.5);
        break;
    }
}

/* ---- values */

static void test_values_match_the_other_formulation(void) {
    check_random r = check_random_make(6101);
    double worst[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2000; i++) {
        sample_spline m;
        make_random(&r, &m, 30.0);
        const ovi_spline *s = &m.spline;
        double x[MOST_NUMBERS], v[MOST_NUMBERS], a[MOST_NUMBERS];
        for (int j = 0; j < 8; j++) {
            double t = check_uniform(&r, s->times[0], s->times[s->count - 1]);
            ovi_spline_at(s, t, x, v, a);
            ovi_spline_interval interval = ovi_spline_interval_about(s, t, 0.0);
            double length = s->times[interval.segment + 1] - s->times[interval.segment];
            for (size_t k = 0; k < s->numbers; k++) {
                spline_oracle_point o = spline_oracle_at(s, k, m.bends[k], t);
                ovi_spline_taylor line;
                ovi_spline_taylor_of(s, &interval, k / s->width, &line);
                // as the line says of itself; the second derivative as the first, over the length
                double off = (double)fabsl(x[k] - o.value), rate = (double)fabsl(v[k] - o.rate);
                double bend = (double)fabsl(a[k] - o.bend);
                CHECK(off <= line.value_error && rate <= line.velocity_error);
                CHECK(bend <= 8.0 * line.velocity_error / length);
                worst[0] = fmax(worst[0], off / line.value_error);
                worst[1] = fmax(worst[1], rate / line.velocity_error);
                worst[2] = fmax(worst[2], bend * length / (8.0 * line.velocity_error));
            }
        }
        free(m.block);
    }
    check_worst("value error, part of its bound", worst[0], 1.0);
    check_worst("rate error, part of its bound", worst[1], 1.0);
    check_worst("bend error, part of its bound", worst[2], 1.0);
}

static void test_knots_are_met_and_ends_rest(void) {
    check_random r = check_random_make(6102);
    for (int i = 0; i < 300; i++) {
        sample_spline m;
        make_random(&r, &m, 10.0);
        const ovi_spline *s = &m.spline;
        double x[MOST_NUMBERS], v[MOST_NUMBERS], a[MOST_NUMBERS];
        for (size_t knot = 0; knot < s->count; knot++) {
            ovi_spline_at(s, s->times[knot], x, v, a);
            CHECK(memcmp(x, s->values + knot * s->numbers, s->numbers * sizeof(double)) == 0);
            CHECK(ovi_spline_segment(s, s->times[knot]) ==
                  (ptrdiff_t)(knot + 1 < s->count ? knot : knot - 1));
        }
        size_t last = s->count - 1;
        ovi_spline_at(s, s->times[last] + 1.0, x, v, a);
        CHECK(memcmp(x, s->values + last * s->numbers, s->numbers * sizeof(double)) == 0);
        CHECK(v[0] == 0.0 && a[0] == 0.0);
        ovi_spline_at(s, s->times[0] - 1.0, x, NULL, NULL);
        CHECK(memcmp(x, s->values, s->numbers * sizeof(double)) == 0);
        for (size_t k = 0; k < s->numbers && s->kind == OVI_SPLINE_CUBIC; k++) {
            CHECK(s->velocities[k] == 0.0 && s->velocities[last * s->numbers + k] == 0.0);
        }
        free(m.block);
    }
}

static void test_search_finds_the_segment(void) {
    check_random r = check_random_make(6103);
    for (int i = 0; i < 200; i++) {
        size_t count = 2 + check_random_bits(&r) % 300;
        double *block = block_for(OVI_SPLINE_LINEAR, count, 1, 0);
        ovi_spline s;
        ovi_spline_place(&s, OVI_SPLINE_LINEAR, count, 1, 0, block);
        fill_random(&r, &s, check_log_uniform(&r, 1.0, 1e4));
        CHECK(ovi_spline_finish(&s)); // of no groups: times alone
        for (int j = 0; j < 60; j++) {
            double t = j % 3 == 0 ? s.times[check_random_bits(&r) % count]
                                  : check_uniform(&r, s.times[0] - 0.1, s.times[count - 1] + 0.1);
            ptrdiff_t expected = -1;
            for (size_t k = 0; k < count; k++) {
                expected += t >= s.times[k] ? 1 : 0;
            }
            expected -= t == s.times[count - 1] ? 1 : 0;
            CHECK(ovi_spline_segment(&s, t) == expected);
        }
        free(block);
    }
}

/* ---- bounds */

/** Samples of an interval that meet its ends and the knots inside. */
static long double sample_time(check_random *r, const ovi_spline *s, double middle, double radius,
                               int i) {
    long double t = (long double)middle + radius * (i / 20.0L - 1.0L);
    size_t knot = check_random_bits(r) % s->count;
    if (i % 4 == 1 && fabsl((long double)s->times[knot] - middle) <= radius) {
        t = s->times[knot];
    }
    return t;
}

/** What samples of a group reach in an interval, and how much of the line is used. */
typedef struct reached {
    double rate, bend, low, high, used;
} reached;

static reached sample_group(check_random *r, const sample_spline *m, size_t group, double middle,
                            double radius, const ovi_spline_taylor *line) {
    const ovi_spline *s = &m->spline;
    reached most = {0.0, 0.0, INFINITY, -INFINITY, 0.0};
    for (int i = 0; i <= 40; i++) {
        long double t = sample_time(r, s, middle, radius, i), h = t - middle;
        long double rate = 0.0L, bend = 0.0L, off = 0.0L, own = 0.0L;
        for (size_t j = 0; j < s->width; j++) {
            size_t k = group * s->width + j;
            spline_oracle_point o = spline_oracle_at(s, k, m->bends[k], t);
            rate += o.rate * o.rate;
            bend += o.bend * o.bend;
            long double away = o.value - line->value[j] - h * line->velocity[j];
            off += away * away;
            own += 4.0L * LDBL_EPSILON * fabsl(o.value); // what the oracle itself is off
            if (j == 0) {
                most.low = fmin(most.low, (double)o.value);
                most.high = fmax(most.high, (double)o.value);
            }
        }
        // at an end of the interval that is a knot the side outside may have been taken
        bool inside = fabsl(h) < radius;
        most.rate = fmax(most.rate, inside ? (double)sqrtl(rate) : 0.0);
        most.bend = fmax(most.bend, inside ? (double)sqrtl(bend) : 0.0);
        long double may = own + line->value_error + fabsl(h) * line->velocity_error +
                          0.5L * h * h * line->acceleration;
        most.used = fmax(most.used, off > 0.0L ? (double)(sqrtl(off) / may) : 0.0);
    }
    return most;
}

static void test_bounds_hold(void) {
    check_random r = check_random_make(6104);
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        sample_spline m;
        make_random(&r, &m, 30.0);
        const ovi_spline *s = &m.spline;
        for (int j = 0; j < 4; j++) {
            double middle, radius, rate, bend;
            random_interval(&r, s, &middle, &radius);
            ovi_spline_interval interval = ovi_spline_interval_about(s, middle, radius);
            size_t group = check_random_bits(&r) % s->groups;
            ovi_spline_taylor line;
            ovi_spline_taylor_of(s, &interval, group, &line);
            ovi_spline_bounds(s, &interval, group, &rate, &bend);
            reached most = sample_group(&r, &m, group, middle, radius, &line);
            CHECK(most.used <= 1.0);
            CHECK(most.rate <= rate && most.bend <= bend);
            worst = fmax(worst, most.used);
        }
        free(m.block);
    }
    check_worst("part of a line that is used", worst, 1.0);
}

/** Bounds of one number are what dense samples reach, to the distance between these. */
static void test_bounds_are_tight(void) {
    check_random r = check_random_make(6105);
    double worst = 0.0;
    for (int i = 0; i < 400; i++) {
        sample_spline m;
        make_random(&r, &m, 3.0);
        const ovi_spline *s = &m.spline;
        double start = s->times[0], end = s->times[s->count - 1];
        double from = check_uniform(&r, start, end), to = check_uniform(&r, from, end);
        if (s->kind == OVI_SPLINE_LINEAR || !(to > from)) {
            free(m.block);
            continue;
        }
        ovi_spline_interval interval = interval_between(s, from, to);
        double rate, bend;
        ovi_spline_bounds(s, &interval, 0, &rate, &bend);
        double most_rate = 0.0, most_bend = 0.0, jerk = 0.0;
        enum { SAMPLES = 2000 };
        double before[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j <= SAMPLES; j++) {
            double x[MOST_NUMBERS], v[MOST_NUMBERS], a[MOST_NUMBERS], sum = 0.0, square = 0.0;
            double t = from + (to - from) * j / SAMPLES;
            ovi_spline_at(s, t < to ? t : to, x, v, a);
            for (size_t k = 0; k < s->width; k++) {
                sum += v[k] * v[k];
                square += a[k] * a[k];
                jerk = fmax(jerk, j > 0 ? fabs(a[k] - before[k]) : 0.0);
                before[k] = a[k];
            }
            most_rate = fmax(most_rate, sqrt(sum));
            most_bend = fmax(most_bend, sqrt(square));
        }
        double step = (to - from) / SAMPLES;
        CHECK(bend <= most_bend * (1.0 + 1e-9) + 2.0 * jerk);
        if (s->width == 1) {
            CHECK(rate <= most_rate + step * bend + 1e-12 * rate);
        } else {
            worst = fmax(worst, rate / most_rate);
        }
        free(m.block);
    }
    CHECK(worst <= 1.25);
    check_worst("rate of three numbers, over what it is", worst, 1.25);
}

/** Many segments: the tree gives what all of them give one by one. */
static void test_tree_is_the_maximum_of_segments(void) {
    check_random r = check_random_make(6106);
    const size_t counts[] = {2, 3, 17, 64, 65, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (int kind = 0; kind < 3; kind++) {
            size_t count = counts[c];
            double *block = block_for((ovi_spline_kind)kind, count, 3, 2);
            ovi_spline s;
            ovi_spline_place(&s, (ovi_spline_kind)kind, count, 3, 2, block);
            fill_random(&r, &s, 5.0);
            CHECK(ovi_spline_finish(&s));
            for (int j = 0; j < 60; j++) {
                double from = check_uniform(&r, s.times[0] - 1.0, s.times[count - 1]);
                double to = check_uniform(&r, from, s.times[count - 1] + 1.0);
                if (j % 3 == 0) {
                    from = s.times[check_random_bits(&r) % (count - 1)];
                    to = fmax(to, nextafter(from, INFINITY));
                }
                ovi_spline_interval interval = interval_between(&s, from, to);
                double rate, bend, most[2] = {0.0, 0.0};
                ovi_spline_bounds(&s, &interval, 1, &rate, &bend);
                for (size_t i = 0; i + 1 < count; i++) {
                    double a = fmax(from, s.times[i]), b = fmin(to, s.times[i + 1]);
                    if (a < b) {
                        ovi_spline_interval one = interval_between(&s, a, b);
                        double f, g;
                        CHECK(one.first == (ptrdiff_t)i && one.last == (ptrdiff_t)i);
                        ovi_spline_bounds(&s, &one, 1, &f, &g);
                        most[0] = fmax(most[0], f);
                        most[1] = fmax(most[1], g);
                    }
                }
                CHECK(rate == most[0] && bend == most[1]);
            }
            free(block);
        }
    }
}

/* ---- lines and jumps */

static ovi_spline small_spline(ovi_spline_kind kind, double *block) {
    ovi_spline s;
    ovi_spline_place(&s, kind, 4, 1, 1, block);
    const double times[4] = {0.0, 1.0, 2.0, 4.0}, values[4] = {0.0, 1.0, 1.0, 3.0};
    for (size_t i = 0; i < 4; i++) {
        s.times[i] = times[i];
        s.values[i] = values[i];
        if (kind == OVI_SPLINE_HERMITE) {
            s.velocities[i] = i == 3 ? 0.0 : 0.5;
        }
    }
    CHECK(ovi_spline_finish(&s));
    return s;
}

/** Where there is no jump a line is of second order, with the second derivative in the middle. */
static void test_lines_of_short_spans_are_tight(void) {
    double *block = block_for(OVI_SPLINE_CUBIC, 4, 1, 1), x, v, a;
    ovi_spline s = small_spline(OVI_SPLINE_CUBIC, block);
    for (double middle = 0.05; middle < 4.0; middle += 0.1) {
        ovi_spline_interval interval = ovi_spline_interval_about(&s, middle, 1e-6);
        ovi_spline_taylor line;
        ovi_spline_taylor_of(&s, &interval, 0, &line);
        ovi_spline_at(&s, middle, &x, &v, &a);
        CHECK(line.value[0] == x && line.velocity[0] == v);
        CHECK_NEAR(line.acceleration, fabs(a), 1e-4);
        CHECK(line.value_error < 1e-12 && line.velocity_error < 1e-11);
    }
    // a straight segment, ended exactly, and then by a little more on both sides
    s = small_spline(OVI_SPLINE_LINEAR, block);
    for (int i = 0; i < 2; i++) {
        ovi_spline_interval interval =
            ovi_spline_interval_about(&s, 3.0, 1.0 + (i == 0 ? 0.0 : 1e-10));
        ovi_spline_taylor line;
        ovi_spline_taylor_of(&s, &interval, 0, &line);
        CHECK(line.velocity[0] == 1.0 && line.acceleration == 0.0);
        CHECK(line.velocity_error <= (i == 0 ? 1e-12 : 2e-10));
    }
    // all of it: the largest slope
    ovi_spline_interval interval = ovi_spline_interval_about(&s, 2.0, 2.0);
    ovi_spline_taylor line;
    ovi_spline_taylor_of(&s, &interval, 0, &line);
    CHECK(line.velocity[0] == 0.0 && line.acceleration == 0.0);
    CHECK_NEAR(line.velocity_error, 1.0, 1e-12);
    free(block);
}

/** Derivatives by differences, and continuity of a cubic one across knots. */
static void test_derivatives_by_differences(void) {
    check_random r = check_random_make(6107);
    for (int i = 0; i < 300; i++) {
        sample_spline m;
        make_random(&r, &m, 3.0);
        const ovi_spline *s = &m.spline;
        double t = check_uniform(&r, s->times[0], s->times[s->count - 1]), h = 1e-5;
        ptrdiff_t segment = ovi_spline_segment(s, t);
        bool within =
            ovi_spline_segment(s, t - h) == segment && ovi_spline_segment(s, t + h) == segment;
        double x[3][MOST_NUMBERS], v[3][MOST_NUMBERS], a[MOST_NUMBERS];
        ovi_spline_at(s, t - h, x[0], v[0], NULL);
        ovi_spline_at(s, t, x[1], v[1], a);
        ovi_spline_at(s, t + h, x[2], v[2], NULL);
        ovi_spline_interval interval = ovi_spline_interval_about(s, t, h);
        for (size_t k = 0; k < s->numbers && within; k++) {
            double rate, bend;
            ovi_spline_bounds(s, &interval, k / s->width, &rate, &bend);
            double size = fabs(x[1][k]) * 1e-15 / h;
            CHECK_NEAR((x[2][k] - x[0][k]) / (2.0 * h), v[1][k], 4.0 * size + 1e-7 * (rate + bend));
            CHECK_NEAR((v[2][k] - v[0][k]) / (2.0 * h), a[k], 1e-6 * (rate + bend));
        }
        free(m.block);
    }
}

/* ---- limits */

static void test_sizes_and_refusals(void) {
    CHECK(ovi_spline_doubles(OVI_SPLINE_CUBIC, SIZE_MAX / 16, 3, 1) == 0);
    CHECK(ovi_spline_doubles(OVI_SPLINE_CUBIC, 10, 3, SIZE_MAX / 4) == 0);
    CHECK(ovi_spline_doubles(OVI_SPLINE_LINEAR, 1, 1, 1) == 0);
    CHECK(ovi_spline_doubles(OVI_SPLINE_LINEAR, 10, 1, 1) == 10 * 6);
    double *block = block_for(OVI_SPLINE_CUBIC, 3, 1, 1);
    const double gaps[3] = {1e-300, 1e-90, 0.5};
    for (int i = 0; i < 3; i++) {
        ovi_spline s;
        ovi_spline_place(&s, OVI_SPLINE_CUBIC, 3, 1, 1, block);
        s.times[0] = 0.0;
        s.times[1] = gaps[i];
        s.times[2] = 1.0;
        s.values[0] = 0.0;
        s.values[1] = s.values[2] = 1.0;
        CHECK(ovi_spline_finish(&s) == (i == 2));
    }
    free(block);
}

/** Largest velocity or slope of any number of a group. */
static double largest_speed(const ovi_spline *s, size_t group) {
    double most = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = group * s->width; k < (group + 1) * s->width; k++) {
            const double *x = s->values + i * s->numbers + k;
            most = fmax(most, fabs(s->velocities[i * s->numbers + k]));
            if (i + 1 < s->count) {
                most = fmax(most, fabs(x[s->numbers] - x[0]) / (s->times[i + 1] - s->times[i]));
            }
        }
    }
    return most;
}

/** Lengths of segments up to 1e6 times each other: the bounds of the solved velocities hold. */
static void test_uneven_knots(void) {
    check_random r = check_random_make(6108);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 500; i++) {
        sample_spline m;
        make_random(&r, &m, 1e3);
        const ovi_spline *s = &m.spline;
        for (size_t k = 0; k < s->numbers && s->kind == OVI_SPLINE_CUBIC; k++) {
            double size = largest_speed(s, k / s->width);
            for (size_t j = 1; j + 1 < s->count; j++) {
                spline_oracle_point o = spline_oracle_at(s, k, m.bends[k], s->times[j]);
                double off = (double)fabsl(s->velocities[j * s->numbers + k] - o.rate);
                double may = s->errors[j * s->groups + k / s->width];
                CHECK(off <= may + 1e-17 * size); // what the other solution is off
                worst = fmax(worst, off / may);
                largest = fmax(largest, may / size);
            }
        }
        free(m.block);
    }
    // 16 eps of a row's terms, which are 3 and 4 speeds, of three numbers, over the least pivot
    CHECK(largest < 1e-13);
    check_worst("error of solved velocities, part of its bound", worst, 1.0);
    check_worst("that bound, part of the largest speed", largest, 1e-13);
}

int main(void) {
    check_suite = "motion_spline";
    RUN(test_values_match_the_other_formulation);
    RUN(test_knots_are_met_and_ends_rest);
    RUN(test_search_finds_the_segment);
    RUN(test_bounds_hold);
    RUN(test_bounds_are_tight);
    RUN(test_tree_is_the_maximum_of_segments);
    RUN(test_lines_of_short_spans_are_tight);
    RUN(test_derivatives_by_differences);
    RUN(test_sizes_and_refusals);
    RUN(test_uneven_knots);
    return check_finish();
}
