/**
 * @file test_superellipse_segment.c
 * @brief Superellipse against segment: closed forms, and two oracles in long double.
 *
 * Apart: the least distance of the curve's points from the segment, by a dense scan of the curve
 * and golden sections around its minima. Overlapping: the least of h(n) - min(n.p, n.q) over a
 * dense scan of directions, refined likewise; h by the printed formula. Neither shares a line with
 * the library.
 */
#include <string.h>

#include "check.h"
#include "oracle.h"

typedef struct planar_case {
    ov_superellipse curve;
    long double p[2], q[2]; // in the curve's frame
} planar_case;

/** Distance of the curve's point at u in [0, 4) (rays (1-u, u), a unit a quarter) from the segment.
 */
static long double curve_distance(const planar_case *c, long double u) {
    int quarter = ((int)floorl(u) % 4 + 4) % 4;
    long double v = u - floorl(u), a = 1.0L - v, b = v;
    long double x[4] = {a, -b, -a, b}, y[4] = {b, a, -b, -a};
    long double m = oracle_norm(a, b, 2.0L / c->curve.e);
    if (quarter % 2 == 1) {
        // a turned quarter has the roles of the rays exchanged
        m = oracle_norm(b, a, 2.0L / c->curve.e);
    }
    long double px = c->curve.a1 * x[quarter] / m, py = c->curve.a2 * y[quarter] / m;
    long double dx = c->q[0] - c->p[0], dy = c->q[1] - c->p[1], square = dx * dx + dy * dy;
    long double s = square > 0.0L ? ((px - c->p[0]) * dx + (py - c->p[1]) * dy) / square : 0.0L;
    s = fminl(1.0L, fmaxl(0.0L, s));
    return hypotl(c->p[0] + s * dx - px, c->p[1] + s * dy - py);
}

static long double depth_along(const planar_case *c, long double angle) {
    long double nx = cosl(angle), ny = sinl(angle);
    long double u = c->curve.a1 * fabsl(nx), v = c->curve.a2 * fabsl(ny);
    long double h = c->curve.e == 2.0 ? fmaxl(u, v) : oracle_norm(u, v, 2.0L / (2.0L - c->curve.e));
    return h - fminl(nx * c->p[0] + ny * c->p[1], nx * c->q[0] + ny * c->q[1]);
}

typedef long double (*scan_function)(const planar_case *c, long double x);

/** Least value over [0, period]: scan, then golden sections around each dip that may be it. */
static long double scan_least(scan_function f, const planar_case *c, long double period) {
    enum { STEPS = 1200 };
    static long double values[STEPS];
    long double step = period / STEPS, best = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        values[i] = f(c, step * i);
        best = fminl(best, values[i]);
    }
    for (int i = 0; i < STEPS; i++) {
        long double left = values[(i + STEPS - 1) % STEPS], right = values[(i + 1) % STEPS];
        if (values[i] > left || values[i] > right) {
            continue;
        }
        const long double golden = 0.61803398874989484820L;
        long double lo = step * (i - 1), hi = step * (i + 1);
        for (int k = 0; k < 75; k++) {
            long double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
            long double fa = f(c, a), fb = f(c, b);
            best = fminl(best, fminl(fa, fb));
            if (fa < fb) {
                hi = b;
            } else {
                lo = a;
            }
        }
    }
    return best;
}

/** Least gauge on the segment, by sections. */
static long double segment_gauge(const planar_case *c) {
    const long double golden = 0.61803398874989484820L;
    long double lo = 0.0L, hi = 1.0L, least = INFINITY;
    for (int k = 0; k < 140; k++) {
        long double s[4] = {hi - golden * (hi - lo), lo + golden * (hi - lo), 0.0L, 1.0L}, g[4];
        for (int i = 0; i < 4; i++) {
            g[i] = oracle_norm((c->p[0] + s[i] * (c->q[0] - c->p[0])) / c->curve.a1,
                               (c->p[1] + s[i] * (c->q[1] - c->p[1])) / c->curve.a2,
                               2.0L / c->curve.e);
            least = fminl(least, g[i]);
        }
        if (g[0] < g[1]) {
            hi = s[1];
        } else {
            lo = s[0];
        }
    }
    return least;
}

static ov_superellipse random_curve(check_random *r) {
    ov_superellipse c;
    double size = check_log_uniform(r, 1e-3, 1e3);
    CHECK_OK(ov_superellipse_make(size * check_log_uniform(r, 0.05, 1.0),
                                  size * check_log_uniform(r, 0.05, 1.0), oracle_random_exponent(r),
                                  &c));
    return c;
}

static double size_of(const planar_case *c) {
    return (double)fmaxl(hypotl(c->curve.a1, c->curve.a2),
                         0.5L * hypotl(c->q[0] - c->p[0], c->q[1] - c->p[1]));
}

/** The world coordinates of a case under a position and angle, and the answer there. */
static ov_contact2 ask(const planar_case *c, ov_vec2 position, double angle_rad, ov_vec2 ends[2]) {
    double k = cos(angle_rad), s = sin(angle_rad);
    ends[0] = (ov_vec2){position.x + k * (double)c->p[0] - s * (double)c->p[1],
                        position.y + s * (double)c->p[0] + k * (double)c->p[1]};
    ends[1] = (ov_vec2){position.x + k * (double)c->q[0] - s * (double)c->q[1],
                        position.y + s * (double)c->q[0] + k * (double)c->q[1]};
    ov_contact2 out;
    ov_superellipse_segment(&c->curve, position, angle_rad, ends[0], ends[1], NULL, &out);
    return out;
}

typedef struct tally {
    long separated, overlapping, touching, unsolved;
    double worst_gap;
} tally;

/** A world point in the curve's frame. */
static void to_curve(ov_vec2 point, ov_vec2 position, double angle_rad, long double out[2]) {
    long double x = (long double)point.x - position.x, y = (long double)point.y - position.y;
    out[0] = cosl(angle_rad) * x + sinl(angle_rad) * y;
    out[1] = cosl(angle_rad) * y - sinl(angle_rad) * x;
}

static double segment_distance(const planar_case *c, const long double x[2]) {
    long double dx = c->q[0] - c->p[0], dy = c->q[1] - c->p[1], square = dx * dx + dy * dy;
    long double s = square > 0.0L ? ((x[0] - c->p[0]) * dx + (x[1] - c->p[1]) * dy) / square : 0.0L;
    s = fminl(1.0L, fmaxl(0.0L, s));
    return (double)hypotl(c->p[0] + s * dx - x[0], c->p[1] + s * dy - x[1]);
}

static void check_against_oracle(const planar_case *c, ov_vec2 position, double angle_rad,
                                 const ov_contact2 *k, tally *t) {
    double size = size_of(c), slack = 2e-13 * size;
    bool overlap = segment_gauge(c) < 1.0L;
    double truth = (double)(overlap ? -scan_least(depth_along, c, 2.0L * acosl(-1.0L))
                                    : scan_least(curve_distance, c, 4.0L));
    CHECK(k->status == OV_OK || k->status == OV_NOT_CONVERGED);
    CHECK(k->gap_lower <= k->gap && k->gap <= k->gap_upper);
    // the world's coordinates move the truth by their own rounding
    CHECK(k->gap_lower <= truth + slack);
    CHECK(k->gap_upper >= truth - slack);
    CHECK(!(k->relation == OV_RELATION_SEPARATED && truth < -slack));
    CHECK(!(k->relation == OV_RELATION_OVERLAPPING && truth > slack));
    t->separated += k->relation == OV_RELATION_SEPARATED;
    t->overlapping += k->relation == OV_RELATION_OVERLAPPING;
    t->touching += k->relation == OV_RELATION_TOUCHING;
    t->unsolved += k->status != OV_OK;
    CHECK_NEAR(k->gap, truth, 1.1e-9 * size);
    t->worst_gap = fmax(t->worst_gap, fabs(k->gap - truth) / size);
    CHECK_NEAR(hypot(k->normal.x, k->normal.y), 1.0, 1e-14);
    // the witness points are as far apart as the gap says, along the normal
    double along =
        (k->point_b.x - k->point_a.x) * k->normal.x + (k->point_b.y - k->point_a.y) * k->normal.y;
    CHECK_NEAR(along, k->gap, 2e-9 * size);
    // and they lie on the curve and the segment
    long double a[2], b[2];
    to_curve(k->point_a, position, angle_rad, a);
    to_curve(k->point_b, position, angle_rad, b);
    double least = fmin(c->curve.a1, c->curve.a2);
    CHECK_NEAR((double)oracle_norm(a[0] / c->curve.a1, a[1] / c->curve.a2, 2.0L / c->curve.e), 1.0,
               1e-9 * size / least);
    CHECK_NEAR(segment_distance(c, b), 0.0, 2e-9 * size);
}

static void random_segments(void) {
    check_random r = check_random_make(301);
    tally t = {0};
    const int cases = check_share(1500);
    for (int i = 0; i < cases; i++) {
        planar_case c = {.curve = random_curve(&r)};
        double size = fmax(c.curve.a1, c.curve.a2), reach = check_log_uniform(&r, 0.1, 10.0) * size;
        double length = check_log_uniform(&r, 1e-3, 10.0) * size;
        double at = check_uniform(&r, -M_PI, M_PI), along = check_uniform(&r, -M_PI, M_PI);
        if (i % 5 == 0) {
            along = 0.5 * M_PI * (double)(check_random_bits(&r) % 4);
        }
        c.p[0] = (double)(reach * cos(at));
        c.p[1] = (double)(reach * sin(at));
        c.q[0] = (double)(c.p[0] + length * cos(along));
        c.q[1] = (double)(c.p[1] + length * sin(along));
        ov_vec2 position = {size * check_uniform(&r, -5.0, 5.0),
                            size * check_uniform(&r, -5.0, 5.0)};
        ov_vec2 ends[2];
        double turned = check_uniform(&r, -M_PI, M_PI);
        ov_contact2 k = ask(&c, position, turned, ends);
        check_against_oracle(&c, position, turned, &k, &t);
        // where there is little left to search, the ends may be named in either order
        ov_contact2 swapped;
        double angle_rad = 0.3;
        k = ask(&c, position, angle_rad, ends);
        ov_superellipse_segment(&c.curve, position, angle_rad, ends[1], ends[0], NULL, &swapped);
        CHECK_NEAR(k.gap, swapped.gap, 2e-9 * size_of(&c));
    }
    printf("test_superellipse_segment: %ld apart, %ld overlapping, %ld not solved\n", t.separated,
           t.overlapping, t.unsolved);
    CHECK(t.separated > cases / 4 && t.overlapping > cases / 5);
    CHECK(t.unsolved <= cases / 500);
    check_worst("gap in units of the size", t.worst_gap, 1.1e-9);
}

/** Segments that touch the curve at a point of it, along the tangent or with an end. */
static void touching_segments(void) {
    check_random r = check_random_make(302);
    tally t = {0};
    for (int i = 0; i < 400; i++) {
        planar_case c = {.curve = random_curve(&r)};
        ov_vec2 x, n;
        double phi = check_uniform(&r, -M_PI, M_PI);
        CHECK_OK(ov_superellipse_curve(&c.curve, OV_SPACING_EQUAL, phi, &x, &n, NULL));
        double size = fmax(c.curve.a1, c.curve.a2);
        double back = i % 2 == 0 ? check_uniform(&r, -1.0, 0.0) : 0.0,
               on = check_uniform(&r, 0.1, 1.0);
        double off = i % 4 < 2 ? 0.0 : 1e-12 * size * check_uniform(&r, -1.0, 1.0);
        c.p[0] = (double)(x.x + off * n.x - back * size * n.y);
        c.p[1] = (double)(x.y + off * n.y + back * size * n.x);
        c.q[0] = (double)(x.x + off * n.x - on * size * n.y);
        c.q[1] = (double)(x.y + off * n.y + on * size * n.x);
        ov_contact2 k;
        ov_superellipse_segment(&c.curve, (ov_vec2){0.0, 0.0}, 0.0,
                                (ov_vec2){(double)c.p[0], (double)c.p[1]},
                                (ov_vec2){(double)c.q[0], (double)c.q[1]}, NULL, &k);
        CHECK_NEAR(k.gap, off, 1.1e-9 * size_of(&c));
        check_against_oracle(&c, (ov_vec2){0.0, 0.0}, 0.0, &k, &t);
    }
    printf("test_superellipse_segment: touching: %ld touching, %ld apart, %ld overlapping, %ld not "
           "solved\n",
           t.touching, t.separated, t.overlapping, t.unsolved);
}

/** Circle, square and rhombus against segments whose answers are known. */
static void closed_forms(void) {
    ov_contact2 k;
    ov_superellipse circle, square, rhombus;
    CHECK_OK(ov_superellipse_make(1.0, 1.0, 1.0, &circle));
    CHECK_OK(ov_superellipse_make(1.0, 1.0, 1e-15, &square));
    CHECK_OK(ov_superellipse_make(1.0, 1.0, 2.0, &rhombus));
    const ov_vec2 zero = {0.0, 0.0};
    CHECK_OK(ov_superellipse_segment(&circle, zero, 0.0, (ov_vec2){2.0, -1.0}, (ov_vec2){2.0, 3.0},
                                     NULL, &k));
    CHECK_NEAR(k.gap, 1.0, 1e-13);
    CHECK(k.relation == OV_RELATION_SEPARATED);
    CHECK_OK(ov_superellipse_segment(&circle, zero, 0.0, (ov_vec2){0.5, -9.0}, (ov_vec2){0.5, 9.0},
                                     NULL, &k));
    CHECK_NEAR(k.gap, -0.5, 1e-9);
    CHECK(k.relation == OV_RELATION_OVERLAPPING);
    // beyond the corner of a square, and of a rhombus turned into one
    CHECK_OK(ov_superellipse_segment(&square, zero, 0.0, (ov_vec2){4.0, 5.0}, (ov_vec2){9.0, 5.0},
                                     NULL, &k));
    CHECK_NEAR(k.gap, 5.0, 1e-12);
    CHECK_OK(ov_superellipse_segment(&rhombus, zero, 0.25 * M_PI, (ov_vec2){3.0 + sqrt(0.5), 0.1},
                                     (ov_vec2){9.0, 0.2}, NULL, &k));
    CHECK_NEAR(k.gap, 3.0, 1e-12);
    CHECK_NEAR(k.normal.x, 1.0, 1e-9);
    // a segment of no length is a point
    CHECK_OK(ov_superellipse_segment(&circle, (ov_vec2){3.0, 0.0}, 1.0, zero, zero, NULL, &k));
    CHECK_NEAR(k.gap, 2.0, 1e-13);
    CHECK_OK(ov_superellipse_segment(&circle, (ov_vec2){0.25, 0.0}, 1.0, zero, zero, NULL, &k));
    CHECK_NEAR(k.gap, -0.75, 1e-9);
    // concentric: every direction ties, so what is proven is wider, but the depth is right
    ov_status status = ov_superellipse_segment(&circle, zero, 0.0, zero, zero, NULL, &k);
    CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    CHECK_NEAR(k.gap, -1.0, 1e-12);
    CHECK(k.gap_lower <= -1.0 && k.gap_upper >= -1.0 && k.gap_upper < -0.99);
}

static void bad_input(void) {
    ov_contact2 k;
    ov_superellipse c, broken = {1.0, -1.0, 1.0};
    const ov_vec2 zero = {0.0, 0.0}, one = {1.0, 1.0}, nan = {NAN, 0.0}, far = {1e200, 0.0};
    CHECK_OK(ov_superellipse_make(1.0, 2.0, 0.5, &c));
    CHECK_STATUS(ov_superellipse_segment(NULL, zero, 0.0, zero, one, NULL, &k), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_segment(&c, zero, 0.0, zero, one, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_superellipse_segment(&broken, zero, 0.0, zero, one, NULL, &k), OV_ERROR_SHAPE);
    CHECK(isnan(k.gap) && isnan(k.point_a.x));
    CHECK_STATUS(ov_superellipse_segment(&c, nan, 0.0, zero, one, NULL, &k), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_segment(&c, zero, INFINITY, zero, one, NULL, &k),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_segment(&c, zero, 0.0, nan, one, NULL, &k), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_superellipse_segment(&c, zero, 0.0, zero, far, NULL, &k), OV_ERROR_SIZE_RANGE);
    ov_pair_options options = ov_default_pair_options();
    options.tolerance = 1e-13;
    CHECK_STATUS(ov_superellipse_segment(&c, zero, 0.0, zero, one, &options, &k), OV_ERROR_OPTION);
    options.tolerance = NAN;
    CHECK_STATUS(ov_superellipse_segment(&c, zero, 0.0, zero, one, &options, &k), OV_ERROR_OPTION);
}

int main(void) {
    check_suite = "test_superellipse_segment";
    RUN(closed_forms);
    RUN(random_segments);
    RUN(touching_segments);
    RUN(bad_input);
    return check_finish();
}
