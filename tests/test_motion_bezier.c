/**
 * @file test_motion_bezier.c
 * @brief Rational Bézier motions against their definition in long double: points, pieces that hold
 * the curve, how tight these are, and bad input.
 */
#include <string.h>

#include "curve_oracle.h"
#include "motion/motion_internal.h"

enum { MOST = OV_MOTION_DEGREE_MAX + 1 };

typedef struct curve {
    ov_affine controls[MOST];
    double weights[MOST];
    size_t count;
    double start, end;
    double reach, stretch; /**< lengths of the largest components */
} curve;

static double *numbers_of(ov_affine *a) { return &a->linear.cx.x; }

static curve random_curve(check_random *r, size_t count, double spread) {
    curve c = {.count = count};
    double size = check_log_uniform(r, 1e-3, 1e3), away = check_log_uniform(r, 1e-3, 1e3);
    double largest[12] = {0.0};
    for (size_t i = 0; i < count; i++) {
        double *n = numbers_of(&c.controls[i]);
        for (size_t j = 0; j < 12; j++) {
            n[j] = check_uniform(r, -1.0, 1.0) + (j < 9 ? 0.0 : away);
            n[j] *= j < 9 ? 1.0 : size;
            largest[j] = fmax(largest[j], fabs(n[j]));
        }
        c.weights[i] = check_log_uniform(r, 1.0 / spread, spread);
    }
    for (size_t j = 0; j < 12; j++) {
        double *length = j < 9 ? &c.stretch : &c.reach;
        *length = hypot(*length, largest[j]);
    }
    c.start = check_uniform(r, -3.0, 3.0);
    c.start *= check_log_uniform(r, 1e-3, 1e6);
    c.end = c.start + check_log_uniform(r, 1e-3, 1e3);
    return c;
}

static void true_point(const curve *c, double time, curve_real point[12]) {
    curve_real u = curve_parameter(c->start, c->end, time), weight = 0.0L;
    memset(point, 0, 12 * sizeof *point);
    for (size_t i = 0; i < c->count; i++) {
        ov_affine control = c->controls[i];
        curve_real b = curve_bernstein(c->count - 1, i, u) * c->weights[i];
        for (size_t j = 0; j < 12; j++) {
            point[j] += b * numbers_of(&control)[j];
        }
        weight += b;
    }
    for (size_t j = 0; j < 12; j++) {
        point[j] /= weight;
    }
}

static ov_motion *motion_of(const curve *c) {
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_bezier(c->controls, c->weights, c->count, c->start, c->end, NULL,
                                     &motion));
    return motion;
}

/* ---- points */

static void test_points(void) {
    check_random r = check_random_make(6101);
    double worst = 0.0;
    for (int n = 0; n < 2000; n++) {
        size_t count = 2 + check_random_bits(&r) % 32;
        curve c = random_curve(&r, count, 1e3);
        ov_motion *motion = motion_of(&c);
        CHECK(!ov_motion_is_rigid(motion));
        for (int i = 0; i < 5; i++) {
            double time = check_uniform(&r, c.start, c.end);
            time = i == 3 ? c.start : i == 4 ? c.end : time;
            curve_real point[12];
            true_point(&c, time, point);
            ov_affine got;
            CHECK_OK(ov_motion_at(motion, time, &got));
            for (size_t j = 0; j < 12; j++) {
                double off = fabs((double)(numbers_of(&got)[j] - point[j]));
                worst = fmax(worst, off / (j < 9 ? c.stretch : c.reach) / (double)count);
            }
        }
        ov_affine ends[2];
        CHECK_OK(ov_motion_at(motion, c.start - 1.0, &ends[0]));
        CHECK_OK(ov_motion_at(motion, c.end + 1.0, &ends[1]));
        CHECK_NEAR(ends[0].translation.y, c.controls[0].translation.y, 4e-16 * c.reach);
        CHECK_NEAR(ends[1].linear.cz.y, c.controls[count - 1].linear.cz.y, 4e-16);
        ov_pose pose;
        CHECK_STATUS(ov_motion_pose(motion, c.start, &pose), OV_ERROR_UNSUPPORTED);
        ov_motion_destroy(motion);
    }
    // the time is rounded too, and the curve may be as steep as its weights are apart
    CHECK(worst <= 1e-14);
    check_worst("point, of the size and a control point", worst, 1e-14);
}

/** A circle by a rational quadratic has radius 1 everywhere. */
static void test_circle(void) {
    ov_affine controls[3] = {{.translation = {1.0, 0.0, 0.0}},
                             {.translation = {1.0, 1.0, 0.0}},
                             {.translation = {0.0, 1.0, 0.0}}};
    double weights[3] = {1.0, sqrt(0.5), 1.0}, worst = 0.0;
    ov_motion *motion;
    CHECK_OK(ov_motion_create_bezier(controls, weights, 3, 0.0, 1.0, NULL, &motion));
    for (int i = 0; i <= 100; i++) {
        ov_affine at;
        CHECK_OK(ov_motion_at(motion, 0.01 * i, &at));
        worst = fmax(worst, fabs(ov_vec3_length(at.translation) - 1.0));
    }
    CHECK(worst < 1e-15);
    check_worst("circle", worst, 1e-15);
    ov_motion_destroy(motion);
}

/* ---- pieces */

/**
 * How far a displacement is outside of a piece along g, as a part of what rounding is allowed: 1 is
 * the limit. The allowance is taken by the Frobenius norm, which is less than the piece may have.
 */
static double outside(ovi_piece *piece, const curve_real point[12], const double g[12]) {
    curve_real farthest = -HUGE_VALL, along = 0.0L;
    double turn = 0.0, move = 0.0;
    for (size_t j = 0; j < 12; j++) {
        along += g[j] * (point[j] - numbers_of(&piece->centre)[j]);
        *(j < 9 ? &turn : &move) += g[j] * g[j];
    }
    for (size_t l = 0; l < piece->count; l++) {
        curve_real sum = 0.0L;
        for (size_t j = 0; j < 12; j++) {
            sum += (curve_real)g[j] * numbers_of(&piece->offsets[l])[j];
        }
        farthest = sum > farthest ? sum : farthest;
    }
    double allowed = piece->translation_error * sqrt(move) + piece->linear_error * sqrt(turn);
    return (double)(along - farthest) / allowed;
}

/** Along random directions, one coordinate, and the way to the point itself. */
static double worst_outside(check_random *r, ovi_piece *piece, const curve *c,
                            const curve_real point[12]) {
    double worst = -1.0, g[12];
    for (int n = 0; n < 8; n++) {
        size_t only = check_random_bits(r) % 12;
        for (size_t j = 0; j < 12; j++) {
            double unit = j < 9 ? 1.0 / c->stretch : 1.0 / c->reach;
            double way = (double)(point[j] - numbers_of(&piece->centre)[j]);
            g[j] = n == 0   ? way * unit * unit
                   : n == 1 ? (j < 9 ? 0.0 : way)
                   : n < 5  ? (j == only ? (n == 2 ? 1.0 : -1.0) : 0.0)
                            : check_uniform(r, -1.0, 1.0) * unit;
        }
        double off = outside(piece, point, g);
        worst = isfinite(off) ? fmax(worst, off) : worst;
    }
    return worst;
}

/** Part of the motion from one time to another: long, short, tiny, a point, at the ends. */
static void random_interval(check_random *r, double start, double end, double *from, double *to) {
    double length = (end - start) * check_log_uniform(r, 1e-12, 1.0);
    int kind = (int)(check_random_bits(r) % 8);
    length = kind == 0 ? 0.0 : kind == 1 ? end - start : length;
    *from = start + check_uniform(r, 0.0, 1.0) * (end - start - length);
    *from = kind == 2 || kind == 1 ? start : kind == 3 ? fmax(end - length, start) : *from;
    *to = kind == 3 ? end : fmin(*from + length, end);
}

static void test_pieces_hold(void) {
    check_random r = check_random_make(6102);
    double worst = -1.0, largest_rounding = 0.0;
    for (int n = 0; n < 4000; n++) {
        curve c =
            random_curve(&r, 2 + check_random_bits(&r) % (n % 2 ? 8 : 32), n % 3 == 0 ? 1.0 : 1e3);
        ov_motion *motion = motion_of(&c);
        for (int k = 0; k < 3; k++) {
            double from, to;
            random_interval(&r, c.start, c.end, &from, &to);
            ovi_piece piece;
            ovi_motion_piece(motion, from, to, &piece);
            CHECK(piece.count == c.count && !piece.rigid);
            largest_rounding = fmax(largest_rounding, piece.translation_error / c.reach);
            for (int i = 0; i < 5; i++) {
                double time = i == 0 ? from : i == 1 ? to : check_uniform(&r, from, to);
                curve_real point[12];
                true_point(&c, time, point);
                worst = fmax(worst, worst_outside(&r, &piece, &c, point));
            }
        }
        ov_motion_destroy(motion);
    }
    CHECK(worst <= 1.0);
    check_worst("point outside of its piece, of the rounding allowed", worst, 1.0);
    CHECK(largest_rounding < 1e-13);
    check_worst("rounding allowed, of the size", largest_rounding, 1e-13);
}

/** The same bound is caught when it is too small: a piece without its rounding does not hold. */
static void test_rounding_is_needed(void) {
    check_random r = check_random_make(6103);
    long outside_count = 0;
    for (int n = 0; n < 500; n++) {
        curve c = random_curve(&r, 9, 10.0);
        ov_motion *motion = motion_of(&c);
        double time = check_uniform(&r, c.start, c.end);
        ovi_piece piece;
        ovi_motion_piece(motion, time, time, &piece);
        piece.translation_error *= 1e-3;
        piece.linear_error *= 1e-3;
        curve_real point[12];
        true_point(&c, time, point);
        outside_count += worst_outside(&r, &piece, &c, point) > 1.0;
        ov_motion_destroy(motion);
    }
    CHECK(outside_count > 100);
}

/** Hulls of short pieces are hardly larger than the curve, and begin and end on it. */
static void test_pieces_are_tight(void) {
    check_random r = check_random_make(6104);
    double worst_ratio = 0.0, worst_end = 0.0, worst_middle = 0.0;
    for (int n = 0; n < 500; n++) {
        curve c = random_curve(&r, 3 + check_random_bits(&r) % 7, 3.0);
        c.start = 0.0;
        c.end = 1.0;
        ov_motion *motion = motion_of(&c);
        double from = check_uniform(&r, 0.0, 1.0 - 1.0 / 128.0), to = from + 1.0 / 128.0;
        ovi_piece piece;
        ovi_motion_piece(motion, from, to, &piece);
        double hull = 0.0, way = 0.0;
        for (size_t l = 0; l < piece.count; l++) {
            hull = fmax(hull, ov_vec3_length(piece.offsets[l].translation));
        }
        for (int i = 0; i <= 32; i++) {
            curve_real p[12];
            true_point(&c, from + (to - from) * i / 32.0, p);
            ov_vec3 offset = ov_vec3_sub(ov_vec3_make((double)p[9], (double)p[10], (double)p[11]),
                                         piece.centre.translation);
            way = fmax(way, ov_vec3_length(offset));
            const ov_affine *end = &piece.offsets[i == 0 ? 0 : piece.count - 1];
            if (i == 0 || i == 32) {
                worst_end = fmax(worst_end,
                                 ov_vec3_length(ov_vec3_sub(offset, end->translation)) / c.reach);
            }
            worst_middle =
                i == 16 ? fmax(worst_middle, ov_vec3_length(offset) / c.reach) : worst_middle;
        }
        worst_ratio = fmax(worst_ratio, hull / way);
        ov_motion_destroy(motion);
    }
    CHECK(worst_ratio < 1.2);
    check_worst("hull by the curve's own reach, 1/128 of the time", worst_ratio, 1.2);
    CHECK(worst_end < 1e-13 && worst_middle < 1e-13);
    check_worst("ends and middle of a piece, of the size", fmax(worst_end, worst_middle), 1e-13);
}

/** Weights count by their ratios only, also where their products would overflow. */
static void test_scaled_weights(void) {
    check_random r = check_random_make(6105);
    curve c = random_curve(&r, 9, 100.0), d = c;
    for (size_t i = 0; i < d.count; i++) {
        d.weights[i] = c.weights[i] * 0x1p1000;
    }
    ov_motion *a = motion_of(&c), *b = motion_of(&d);
    for (int i = 0; i <= 10; i++) {
        ov_affine at_a, at_b;
        double time = c.start + (c.end - c.start) * 0.1 * i;
        CHECK_OK(ov_motion_at(a, time, &at_a));
        CHECK_OK(ov_motion_at(b, time, &at_b));
        CHECK(memcmp(&at_a, &at_b, sizeof at_a) == 0);
    }
    ov_motion_destroy(a);
    ov_motion_destroy(b);
    // null weights are ones
    for (size_t i = 0; i < d.count; i++) {
        d.weights[i] = 7.0;
    }
    b = motion_of(&d);
    CHECK_OK(ov_motion_create_bezier(c.controls, NULL, c.count, c.start, c.end, NULL, &a));
    ov_affine at_a, at_b;
    CHECK_OK(ov_motion_at(a, c.start + 0.3 * (c.end - c.start), &at_a));
    CHECK_OK(ov_motion_at(b, c.start + 0.3 * (c.end - c.start), &at_b));
    CHECK_NEAR(at_a.translation.x, at_b.translation.x, 1e-14 * c.reach);
    ov_motion_destroy(a);
    ov_motion_destroy(b);
}

/* ---- bad input */

static void *no_memory(void *user, void *block, size_t old_size, size_t size) {
    (void)user, (void)block, (void)old_size, (void)size;
    return NULL;
}

static ov_status create(const curve *c, size_t count, double start, double end) {
    ov_motion *motion = (ov_motion *)(uintptr_t)8;
    ov_status status =
        ov_motion_create_bezier(c->controls, c->weights, count, start, end, NULL, &motion);
    CHECK(status == OV_OK || motion == NULL);
    if (status == OV_OK) {
        ov_motion_destroy(motion);
    }
    return status;
}

static void test_errors(void) {
    check_random r = check_random_make(6106);
    curve good = random_curve(&r, 5, 10.0), c;
    CHECK_OK(create(&good, 5, 0.0, 1.0));
    double bad_weights[] = {0.0, -0.0, -1.0, NAN, INFINITY, -INFINITY, 5e-324};
    for (size_t i = 0; i < sizeof bad_weights / sizeof *bad_weights; i++) {
        c = good;
        c.weights[i % 5] = bad_weights[i];
        CHECK_STATUS(create(&c, 5, 0.0, 1.0), OV_ERROR_WEIGHT);
    }
    for (size_t j = 0; j < 12; j++) {
        c = good;
        numbers_of(&c.controls[4])[j] = j % 2 ? NAN : -INFINITY;
        CHECK_STATUS(create(&c, 5, 0.0, 1.0), OV_ERROR_NOT_FINITE);
        CHECK_OK(create(&c, 4, 0.0, 1.0));
        numbers_of(&c.controls[4])[j] = -1.1 * OV_POSITION_MAX;
        CHECK_STATUS(create(&c, 5, 0.0, 1.0), OV_ERROR_SIZE_RANGE);
    }
    CHECK_STATUS(create(&good, 0, 0.0, 1.0), OV_ERROR_COUNT);
    CHECK_STATUS(create(&good, 1, 0.0, 1.0), OV_ERROR_COUNT);
    CHECK_STATUS(create(&good, MOST + 1, 0.0, 1.0), OV_ERROR_COUNT);
    CHECK_STATUS(create(&good, SIZE_MAX, 0.0, 1.0), OV_ERROR_COUNT);
    CHECK_STATUS(create(&good, 5, 1.0, 1.0), OV_ERROR_TIME);
    CHECK_STATUS(create(&good, 5, 1.0, 0.0), OV_ERROR_TIME);
    CHECK_STATUS(create(&good, 5, NAN, 0.0), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(create(&good, 5, 0.0, INFINITY), OV_ERROR_NOT_FINITE);
    ov_motion *motion = NULL;
    CHECK_STATUS(ov_motion_create_bezier(NULL, NULL, 5, 0.0, 1.0, NULL, &motion), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_create_bezier(good.controls, NULL, 5, 0.0, 1.0, NULL, NULL),
                 OV_ERROR_NULL);
    ov_allocator none = {no_memory, NULL};
    CHECK_STATUS(ov_motion_create_bezier(good.controls, NULL, 5, 0.0, 1.0, &none, &motion),
                 OV_ERROR_MEMORY);
    CHECK(motion == NULL);
}

int main(void) {
    check_suite = "motion_bezier";
    RUN(test_points);
    RUN(test_circle);
    RUN(test_pieces_hold);
    RUN(test_rounding_is_needed);
    RUN(test_pieces_are_tight);
    RUN(test_scaled_weights);
    RUN(test_errors);
    return check_finish();
}
