/**
 * @file test_primitive.c
 * @brief Constructors, support and containment of half-space, box, capsule, cylinder, cone,
 * triangle, segment and point, against answers that share no formula with the library: scans with
 * refinement in long double, and the duality of support and containment. Polyhedra have their own
 * suites.
 */
#include "primitive_bodies.h"

typedef long double real;

/* ---- constructors */

/** A failed constructor must not have touched the shape. */
static void check_refused(ov_status status, ov_status expected, const ov_shape *shape, int line) {
    ov_shape untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    check_status(status, expected, "constructor", __FILE__, line);
    check_true(memcmp(shape, &untouched, sizeof untouched) == 0, "shape is untouched", __FILE__,
               line);
}

#define REFUSED(call, expected)                                                                    \
    do {                                                                                           \
        memset(&s, 0x5a, sizeof s);                                                                \
        check_refused((call), (expected), &s, __LINE__);                                           \
    } while (0)

static void bad_sizes(void) {
    ov_shape s;
    ov_status (*const round_kinds[3])(double, double, ov_shape *) = {
        ov_shape_make_capsule, ov_shape_make_cylinder, ov_shape_make_cone};
    const struct {
        double value;
        ov_status status;
    } bad[] = {{NAN, OV_ERROR_NOT_FINITE},
               {INFINITY, OV_ERROR_NOT_FINITE},
               {-INFINITY, OV_ERROR_NOT_FINITE},
               {-1.0, OV_ERROR_SIZE_NOT_POSITIVE},
               {-1e-300, OV_ERROR_SIZE_NOT_POSITIVE},
               {1e-61, OV_ERROR_SIZE_RANGE},
               {4.9e-324, OV_ERROR_SIZE_RANGE},
               {1e61, OV_ERROR_SIZE_RANGE},
               {1.7e308, OV_ERROR_SIZE_RANGE},
               {0.0, OV_ERROR_SIZE_NOT_POSITIVE}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double v = bad[i].value;
        REFUSED(ov_shape_make_box(ov_vec3_make(v, 1.0, 1.0), &s), bad[i].status);
        REFUSED(ov_shape_make_box(ov_vec3_make(1.0, v, 1.0), &s), bad[i].status);
        REFUSED(ov_shape_make_box(ov_vec3_make(1.0, 1.0, v), &s), bad[i].status);
        for (int k = 0; k < 3; k++) {
            REFUSED(round_kinds[k](v, 1.0, &s), bad[i].status);
            if (k > 0 || v != 0.0) {
                REFUSED(round_kinds[k](1.0, v, &s), bad[i].status);
            }
            CHECK_STATUS(round_kinds[k](1.0, 1.0, NULL), OV_ERROR_NULL);
        }
    }
    CHECK_STATUS(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), NULL), OV_ERROR_NULL);
    // a capsule without length is a ball, whatever the sign of its zero
    CHECK_OK(ov_shape_make_capsule(2.0, -0.0, &s));
    CHECK(s.kind == OV_SHAPE_KIND_CAPSULE && s.a.x == 2.0 && s.a.z == 0.0 && !signbit(s.a.z));
}

static void bad_positions(void) {
    ov_shape s;
    const ov_vec3 zero = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    const struct {
        double value;
        ov_status status;
    } bad[] = {{NAN, OV_ERROR_NOT_FINITE},
               {-INFINITY, OV_ERROR_NOT_FINITE},
               {-1.1e60, OV_ERROR_SIZE_RANGE},
               {1e300, OV_ERROR_SIZE_RANGE}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (int axis = 0; axis < 3; axis++) {
            ov_vec3 p = {axis == 0 ? bad[i].value : 0.5, axis == 1 ? bad[i].value : 0.5,
                         axis == 2 ? bad[i].value : 0.5};
            REFUSED(ov_shape_make_point(p, &s), bad[i].status);
            REFUSED(ov_shape_make_segment(p, x, &s), bad[i].status);
            REFUSED(ov_shape_make_segment(x, p, &s), bad[i].status);
            REFUSED(ov_shape_make_triangle(p, x, y, &s), bad[i].status);
            REFUSED(ov_shape_make_triangle(x, p, y, &s), bad[i].status);
            REFUSED(ov_shape_make_triangle(x, y, p, &s), bad[i].status);
        }
        REFUSED(ov_shape_make_halfspace(x, bad[i].value, &s), bad[i].status);
    }
    REFUSED(ov_shape_make_halfspace(ov_vec3_make(NAN, 0.0, 1.0), 0.0, &s), OV_ERROR_NOT_FINITE);
    REFUSED(ov_shape_make_halfspace(ov_vec3_make(0.0, INFINITY, 1.0), 0.0, &s),
            OV_ERROR_NOT_FINITE);
    REFUSED(ov_shape_make_halfspace(zero, 1.0, &s), OV_ERROR_ZERO_DIRECTION);
    REFUSED(ov_shape_make_segment(x, x, &s), OV_ERROR_DEGENERATE);
    REFUSED(ov_shape_make_segment(zero, ov_vec3_make(1e-70, 0.0, 0.0), &s), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_make_halfspace(x, 0.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_point(x, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_segment(x, y, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_triangle(zero, x, y, NULL), OV_ERROR_NULL);
    // the smallest and the largest that are allowed
    CHECK_OK(ov_shape_make_segment(zero, ov_vec3_make(1.1e-60, 0.0, 0.0), &s));
    CHECK_OK(ov_shape_make_segment(ov_vec3_make(-1e60, -1e60, -1e60),
                                   ov_vec3_make(1e60, 1e60, 1e60), &s));
    CHECK_OK(ov_shape_make_point(ov_vec3_make(1e60, -1e60, 0.0), &s));
}

static void flat_triangles(void) {
    ov_shape s;
    check_random r = check_random_make(11);
    const ov_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    REFUSED(ov_shape_make_triangle(x, x, y, &s), OV_ERROR_DEGENERATE);
    REFUSED(ov_shape_make_triangle(x, y, x, &s), OV_ERROR_DEGENERATE);
    REFUSED(ov_shape_make_triangle(y, x, x, &s), OV_ERROR_DEGENERATE);
    REFUSED(ov_shape_make_triangle(x, x, x, &s), OV_ERROR_DEGENERATE);
    REFUSED(ov_shape_make_triangle(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1e-61, 0.0, 0.0),
                                   ov_vec3_make(0.0, 1e-61, 0.0), &s),
            OV_ERROR_SIZE_RANGE);
    for (int i = 0; i < 2000; i++) {
        double scale = check_log_uniform(&r, 1e-45, 1e50);
        ov_vec3 a = ov_vec3_scale(check_unit_vector(&r), scale);
        ov_vec3 e = ov_vec3_scale(check_unit_vector(&r), scale);
        // collinear up to the rounding of the coordinates
        ov_vec3 b = ov_vec3_add(a, e), c = ov_vec3_add_scaled(a, e, check_uniform(&r, -3.0, 3.0));
        REFUSED(ov_shape_make_triangle(a, b, c, &s), OV_ERROR_DEGENERATE);
        // a height that is small, but well above it
        ov_mat3 frame = ov_mat3_householder(e);
        ov_vec3 off = ov_vec3_add_scaled(c, frame.cy, 1e-10 * scale);
        CHECK_OK(ov_shape_make_triangle(a, b, off, &s));
    }
}

/* ---- support */

/** Angle at which x cos + y sin is largest: a scan, then halving of the step. No arc tangent. */
static real best_on_circle(real x, real y, real *c, real *s) {
    real best = -INFINITY, at = 0.0L, step = 0.0L;
    enum { SCAN = 64 };
    step = 2.0L * 3.14159265358979323846L / SCAN;
    for (int i = 0; i < SCAN; i++) {
        real phi = step * i, value = x * cosl(phi) + y * sinl(phi);
        if (value > best) {
            best = value;
            at = phi;
        }
    }
    for (int i = 0; i < 60; i++) {
        step *= 0.5L;
        for (int k = -1; k <= 1; k += 2) {
            real phi = at + (real)k * step, value = x * cosl(phi) + y * sinl(phi);
            if (value > best) {
                best = value;
                at = phi;
            }
        }
    }
    *c = cosl(at);
    *s = sinl(at);
    return best;
}

/** Largest d . p over the body, from its corners, rims and balls. */
static real oracle_support(const ov_shape *s, ov_vec3 d) {
    real r = s->a.x, h = s->a.z, c, q, best = -INFINITY;
    if (s->kind == OV_SHAPE_KIND_BOX) {
        for (int k = 0; k < 8; k++) {
            real x = k & 1 ? s->a.x : -s->a.x, y = k & 2 ? s->a.y : -s->a.y;
            real z = k & 4 ? s->a.z : -s->a.z;
            best = fmaxl(best, x * (real)d.x + y * (real)d.y + z * (real)d.z);
        }
        return best;
    }
    real rho = best_on_circle(d.x, d.y, &c, &q);
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        // over the ball, in the plane of z and the best azimuth
        return r * best_on_circle(rho, d.z, &c, &q) + fmaxl(h * (real)d.z, -h * (real)d.z);
    }
    real bottom = r * rho - h * (real)d.z;
    real top = (s->kind == OV_SHAPE_KIND_CONE ? 0.0L : r * rho) + h * (real)d.z;
    return fmaxl(bottom, top);
}

/** By how much a point is outside of the body, in units of its own sizes; in long double. */
static real outside_by(const ov_shape *s, ov_vec3 p) {
    real x = (real)p.x, y = (real)p.y, z = (real)p.z;
    real rho = sqrtl(x * x + y * y) / (real)s->a.x, zeta = s->a.z > 0.0 ? z / (real)s->a.z : 0.0L;
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        return fmaxl(fabsl(x) / (real)s->a.x, fmaxl(fabsl(y) / (real)s->a.y, fabsl(zeta))) - 1.0L;
    case OV_SHAPE_KIND_CAPSULE: {
        // less half the spacing of doubles at z, which may be large against the radius
        real beyond = fmaxl(fabsl(z) * (1.0L - 1.2e-16L) - (real)s->a.z, 0.0L);
        return sqrtl(x * x + y * y + beyond * beyond) / (real)s->a.x - 1.0L;
    }
    case OV_SHAPE_KIND_CYLINDER:
        return fmaxl(rho, fabsl(zeta)) - 1.0L;
    default:
        return fmaxl(rho - 0.5L * (1.0L - zeta), -zeta - 1.0L);
    }
}

/** A direction, now and then with zeros, with parts of very unlike size, or of extreme length. */
static ov_vec3 random_direction(check_random *r) {
    ov_vec3 d = check_unit_vector(r);
    uint64_t bits = check_random_bits(r);
    d.x = bits % 8 == 0 ? 0.0 : d.x;
    d.y = bits / 8 % 8 == 0 ? 0.0 : d.y;
    d.z = bits / 64 % 8 == 0 && (d.x != 0.0 || d.y != 0.0) ? 0.0 : d.z;
    if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) {
        d.z = 1.0;
    }
    if (bits / 512 % 4 == 0) {
        double small = check_log_uniform(r, 1e-30, 1.0);
        d = bits / 2048 % 2 == 0 ? ov_vec3_make(d.x * small, d.y * small, d.z)
                                 : ov_vec3_make(d.x, d.y * small, d.z * small);
    }
    double length = bits / 4096 % 2 == 0 ? 1.0 : check_log_uniform(r, 1e-200, 1e200);
    return ov_vec3_scale(d, length);
}

static void support_of_simple_kinds(void) {
    check_random r = check_random_make(21);
    double worst = 0.0, worst_point = 0.0;
    for (int i = 0; i < 8000; i++) {
        ov_shape s = random_simple(&r, simple_kinds[i % SIMPLE_KINDS], 1e-60, 1e60);
        ov_vec3 d = random_direction(&r);
        ov_support out;
        if (!CHECK_OK(ov_shape_support(&s, d, &out))) {
            continue;
        }
        real expected = oracle_support(&s, d);
        real reached = (real)d.x * (real)out.point.x + (real)d.y * (real)out.point.y +
                       (real)d.z * (real)out.point.z;
        double error = (double)fabsl((out.value - expected) / expected);
        double error_point = (double)fabsl((reached - expected) / expected);
        worst = fmax(worst, error);
        worst_point = fmax(worst_point, error_point);
        CHECK_NEAR(error, 0.0, 1e-14);
        CHECK_NEAR(error_point, 0.0, 1e-14);
        // in the body, to rounding in units of each of its own sizes
        CHECK((double)outside_by(&s, out.point) <= 1e-15);
        bool inside = false;
        CHECK_OK(ov_shape_contains(&s, out.point, &inside));
        CHECK(inside);
    }
    check_worst("support value of simple kinds, relative", worst, 1e-14);
    check_worst("support point of simple kinds, relative", worst_point, 1e-14);
}

static void check_point(const ov_shape *s, ov_vec3 d, ov_vec3 expected, double value, int line) {
    ov_support out = {NAN, {NAN, NAN, NAN}};
    check_status(ov_shape_support(s, d, &out), OV_OK, "support", __FILE__, line);
    check_near(out.point.x, expected.x, 1e-15, "point.x", __FILE__, line);
    check_near(out.point.y, expected.y, 1e-15, "point.y", __FILE__, line);
    check_near(out.point.z, expected.z, 1e-15, "point.z", __FILE__, line);
    check_near(out.value, value, 1e-15 * fabs(value), "value", __FILE__, line);
}

#define POINT(d, p, value) check_point(&s, d, p, value, __LINE__)

/** Where a face or an edge is reached, its middle. */
static void middles(void) {
    ov_shape s = make_simple(OV_SHAPE_KIND_BOX, 1.0, 2.0, 3.0);
    POINT(ov_vec3_make(2.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0), 2.0);
    POINT(ov_vec3_make(0.0, -1.0, -0.0), ov_vec3_make(0.0, -2.0, 0.0), 2.0);
    POINT(ov_vec3_make(0.0, 1.0, -1.0), ov_vec3_make(0.0, 2.0, -3.0), 5.0);
    s = make_simple(OV_SHAPE_KIND_CAPSULE, 1.0, 1.0, 2.0);
    POINT(ov_vec3_make(0.0, 5.0, 0.0), ov_vec3_make(0.0, 1.0, 0.0), 5.0);
    POINT(ov_vec3_make(0.0, 0.0, -1.0), ov_vec3_make(0.0, 0.0, -3.0), 3.0);
    // however little the direction is off the middle, the end is reached
    POINT(ov_vec3_make(0.0, 1.0, 5e-324), ov_vec3_make(0.0, 1.0, 2.0), 1.0);
    s = make_simple(OV_SHAPE_KIND_CYLINDER, 1.0, 1.0, 2.0);
    POINT(ov_vec3_make(0.0, 0.0, 3.0), ov_vec3_make(0.0, 0.0, 2.0), 6.0);
    POINT(ov_vec3_make(-0.0, 0.0, -3.0), ov_vec3_make(0.0, 0.0, -2.0), 6.0);
    POINT(ov_vec3_make(3.0, 4.0, 0.0), ov_vec3_make(0.6, 0.8, 0.0), 5.0);
    POINT(ov_vec3_make(0.0, 5e-324, 1.0), ov_vec3_make(0.0, 1.0, 2.0), 2.0);
    POINT(ov_vec3_make(3e-310, 4e-310, 1.0), ov_vec3_make(0.6, 0.8, 2.0), 2.0);
    s = make_simple(OV_SHAPE_KIND_CONE, 2.0, 2.0, 1.0);
    POINT(ov_vec3_make(0.0, 0.0, -1.0), ov_vec3_make(0.0, 0.0, -1.0), 1.0);
    POINT(ov_vec3_make(0.0, 0.0, 1.0), ov_vec3_make(0.0, 0.0, 1.0), 1.0);
    POINT(ov_vec3_make(0.0, 1.0, 1.0), ov_vec3_make(0.0, 1.0, 0.0), 1.0); // the slant edge
    POINT(ov_vec3_make(3.0, 4.0, 5.0), ov_vec3_make(0.6, 0.8, 0.0), 5.0);
    POINT(ov_vec3_make(0.0, 1.0, 0.999), ov_vec3_make(0.0, 2.0, -1.0), 1.001);
    POINT(ov_vec3_make(0.0, 1.0, 1.001), ov_vec3_make(0.0, 0.0, 1.0), 1.001);
    ov_vec3 a = {1.0, 0.0, 5.0}, b = {0.0, 1.0, 5.0}, c = {-1.0, -1.0, 5.0};
    CHECK_OK(ov_shape_make_triangle(a, b, c, &s));
    POINT(ov_vec3_make(0.0, 0.0, 1.0), ov_vec3_make(0.0, 0.0, 5.0), 5.0);
    POINT(ov_vec3_make(1.0, 1.0, 0.0), ov_vec3_make(0.5, 0.5, 5.0), 1.0);
    POINT(ov_vec3_make(-1.0, 0.0, 0.0), c, 1.0);
    CHECK_OK(ov_shape_make_segment(a, b, &s));
    POINT(ov_vec3_make(0.0, 0.0, -2.0), ov_vec3_make(0.5, 0.5, 5.0), -10.0);
    POINT(ov_vec3_make(0.0, 1e308, 0.0), b, 1e308);
    CHECK_OK(ov_shape_make_point(a, &s));
    POINT(ov_vec3_make(1.0, 1.0, 1.0), a, 6.0);
}

static void support_of_halfspaces(void) {
    check_random r = check_random_make(31);
    for (int i = 0; i < 2000; i++) {
        ov_vec3 n = check_unit_vector(&r);
        double length = check_log_uniform(&r, 1e-200, 1e200), offset = check_uniform(&r, -5.0, 5.0);
        double other = check_log_uniform(&r, 1e-100, 1e100);
        ov_shape s;
        ov_support out;
        CHECK_OK(ov_shape_make_halfspace(ov_vec3_scale(n, length), offset, &s));
        CHECK_NEAR(ov_vec3_length(s.u.halfspace.normal), 1.0, 1e-15);
        if (CHECK_OK(ov_shape_support(&s, ov_vec3_scale(n, other), &out))) {
            CHECK_NEAR(out.value, offset * other, 4e-15 * fabs(offset) * other);
            CHECK_NEAR(ov_vec3_dot(n, out.point), offset, 1e-14);
        }
        // off by a small angle there is no end, and none on the other side
        ov_vec3 tilted = ov_vec3_add_scaled(n, ov_mat3_householder(n).cy, 1e-12);
        CHECK_STATUS(ov_shape_support(&s, tilted, &out), OV_ERROR_UNBOUNDED);
        CHECK_STATUS(ov_shape_support(&s, ov_vec3_neg(n), &out), OV_ERROR_UNBOUNDED);
        CHECK_STATUS(ov_shape_support(&s, check_unit_vector(&r), &out), OV_ERROR_UNBOUNDED);
        bool in = false;
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(n, offset - 1e-13), &in));
        CHECK(in);
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(n, offset), &in));
        CHECK(in);
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(n, offset + 1e-13), &in));
        CHECK(!in);
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(n, -1e99), &in));
        CHECK(in);
    }
}

/** Triangle and segment anywhere, in any size: against the maximum over the corners. */
static void support_of_flat_kinds(void) {
    check_random r = check_random_make(41);
    double worst = 0.0;
    for (int i = 0; i < 4000; i++) {
        double scale = check_log_uniform(&r, 1e-55, 1e55);
        ov_vec3 shift = ov_vec3_scale(check_unit_vector(&r), 10.0 * scale), p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = ov_vec3_add_scaled(shift, check_unit_vector(&r), scale);
        }
        ov_shape s;
        int corners = 2 + i % 2;
        ov_status made = corners == 3 ? ov_shape_make_triangle(p[0], p[1], p[2], &s)
                                      : ov_shape_make_segment(p[0], p[1], &s);
        ov_vec3 d = random_direction(&r);
        ov_support out;
        if (!CHECK_OK(made) || !CHECK_OK(ov_shape_support(&s, d, &out))) {
            continue;
        }
        real best = -INFINITY;
        for (int k = 0; k < corners; k++) {
            best = fmaxl(best, (real)d.x * (real)p[k].x + (real)d.y * (real)p[k].y +
                                   (real)d.z * (real)p[k].z);
        }
        double error =
            (double)(fabsl(out.value - best) / ((real)ov_vec3_length(d) * 11.0L * (real)scale));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-15);
    }
    check_worst("support of triangles and segments, relative to reach", worst, 1e-15);
}

/* ---- containment */

/** d . p - h(d); infinite, and so "outside", where there is no support. */
static double excess(const ov_shape *s, ov_vec3 p, ov_vec3 d) {
    ov_support out;
    ov_status status = ov_shape_support(s, d, &out);
    return status == OV_OK ? ov_vec3_dot(d, p) - out.value : INFINITY;
}

static ov_vec3 spiral(int i, int count) {
    double z = 1.0 - (2.0 * i + 1.0) / count, phi = 2.399963229728653 * i, q = sqrt(1.0 - z * z);
    return ov_vec3_make(q * cos(phi), q * sin(phi), z);
}

/** Hill climbing from a direction: sixteen ways at each step, turned from step to step, since h has
 * kinks.
 */
static double hill_climb(const ov_shape *s, ov_vec3 p, ov_vec3 at) {
    double step = 0.2, best = excess(s, p, at);
    for (int round = 0; round < 2000 && step > 1e-8; round++) {
        ov_mat3 frame = ov_mat3_householder(at);
        bool better = false;
        for (int k = 0; k < 16; k++) {
            double turn = 0.39269908169872414 * k + 0.7 * round;
            ov_vec3 d = ov_vec3_add_scaled(at, frame.cy, step * cos(turn));
            d = ov_vec3_normalize(ov_vec3_add_scaled(d, frame.cz, step * sin(turn)));
            double value = excess(s, p, d);
            better = better || value > best;
            at = value > best ? d : at;
            best = fmax(best, value);
        }
        step *= better ? 1.0 : 0.7;
    }
    return best;
}

/**
 * Largest d . p - h(d) over unit directions: positive where p is outside. It has one maximum where
 * it is positive, but may have others below zero, so that it is climbed from many directions.
 */
static double separation(const ov_shape *s, ov_vec3 p) {
    enum { STARTS = 40 };
    double best = -INFINITY;
    for (int i = 0; i < STARTS && best <= 0.0; i++) {
        best = fmax(best, hill_climb(s, p, spiral(i, STARTS)));
    }
    return best;
}

static void containment_is_dual_to_support(void) {
    check_random r = check_random_make(51);
    int inside_count = 0, outside_count = 0;
    for (int i = 0; i < 200; i++) {
        ov_shape s = random_simple(&r, simple_kinds[i % SIMPLE_KINDS], 0.5, 2.0);
        ov_vec3 p = {check_uniform(&r, -1.5, 1.5), check_uniform(&r, -1.5, 1.5),
                     check_uniform(&r, -1.5, 1.5)};
        double apart = separation(&s, p);
        bool inside = false;
        CHECK_OK(ov_shape_contains(&s, p, &inside));
        CHECK(fabs(apart) < 1e-5 || inside == (apart < 0.0));
        inside_count += inside;
        outside_count += !inside;
    }
    CHECK(inside_count > 30 && outside_count > 30);
}

/** Around every support point: a hair below the surface is in, a hair above is out. */
static void containment_is_sharp(void) {
    check_random r = check_random_make(61);
    for (int i = 0; i < 8000; i++) {
        ov_shape s = random_simple(&r, simple_kinds[i % SIMPLE_KINDS], 1e-50, 1e50);
        ov_support out;
        ov_vec3 d = check_unit_vector(&r);
        CHECK_OK(ov_shape_support(&s, d, &out));
        bool inside = false;
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(out.point, 1.0 - 1e-14), &inside));
        CHECK(inside);
        CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(out.point, 1.0 + 1e-14), &inside));
        CHECK(!inside);
        // any point, where long double sees it clearly
        ov_vec3 p = ov_vec3_mul(s.a, check_unit_vector(&r));
        p = ov_vec3_scale(p, check_uniform(&r, 0.0, 2.0));
        real off = outside_by(&s, p);
        CHECK_OK(ov_shape_contains(&s, p, &inside));
        CHECK(fabsl(off) < 1e-14L || inside == (off < 0.0L));
        CHECK_OK(ov_shape_contains(&s, ov_vec3_make(1e99, -1e99, 1e99), &inside));
        CHECK(!inside);
    }
}

static void containment_of_flat_kinds(void) {
    check_random r = check_random_make(71);
    for (int i = 0; i < 4000; i++) {
        double scale = check_log_uniform(&r, 1e-50, 1e50);
        // slivers too: the third corner comes as near to the edge as a millionth
        double thin = check_log_uniform(&r, 1e-6, 1.0);
        ov_vec3 a = ov_vec3_scale(check_unit_vector(&r), scale);
        ov_vec3 e = ov_vec3_scale(check_unit_vector(&r), scale);
        ov_mat3 frame = ov_mat3_householder(e);
        ov_vec3 b = ov_vec3_add(a, e), c = ov_vec3_add_scaled(a, e, check_uniform(&r, 0.0, 1.0));
        c = ov_vec3_add_scaled(c, frame.cy, thin * scale);
        ov_shape triangle, segment, point;
        CHECK_OK(ov_shape_make_triangle(a, b, c, &triangle));
        CHECK_OK(ov_shape_make_segment(a, b, &segment));
        CHECK_OK(ov_shape_make_point(a, &point));
        double u = check_uniform(&r, 0.0, 1.0), v = check_uniform(&r, 0.0, 1.0 - u);
        ov_vec3 in = ov_vec3_add(ov_vec3_scale(a, 1.0 - u - v), ov_vec3_scale(b, u));
        in = ov_vec3_add_scaled(in, c, v);
        ov_vec3 on = ov_vec3_add(ov_vec3_scale(a, 1.0 - u), ov_vec3_scale(b, u));
        ov_vec3 above = ov_vec3_add_scaled(in, frame.cz, 1e-13 * scale);
        ov_vec3 beside = ov_vec3_add_scaled(on, frame.cy, -1e-13 * scale);
        ov_vec3 beyond = ov_vec3_add_scaled(b, e, 1e-13);
        bool got = false;
        CHECK(ov_shape_contains(&triangle, in, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&triangle, on, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&triangle, b, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&triangle, above, &got) == OV_OK && !got);
        CHECK(ov_shape_contains(&triangle, beside, &got) == OV_OK && !got);
        CHECK(ov_shape_contains(&triangle, beyond, &got) == OV_OK && !got);
        CHECK(ov_shape_contains(&segment, on, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&segment, b, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&segment, beside, &got) == OV_OK && !got);
        CHECK(ov_shape_contains(&segment, beyond, &got) == OV_OK && !got);
        CHECK(ov_shape_contains(&point, a, &got) == OV_OK && got);
        CHECK(ov_shape_contains(&point, ov_vec3_add_scaled(a, e, 1e-13), &got) == OV_OK && !got);
    }
}

int main(void) {
    check_suite = "primitive";
    RUN(bad_sizes);
    RUN(bad_positions);
    RUN(flat_triangles);
    RUN(support_of_simple_kinds);
    RUN(middles);
    RUN(support_of_halfspaces);
    RUN(support_of_flat_kinds);
    RUN(containment_is_dual_to_support);
    RUN(containment_is_sharp);
    RUN(containment_of_flat_kinds);
    return check_finish();
}
