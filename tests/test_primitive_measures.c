/**
 * @file test_primitive_measures.c
 * @brief Balls and mass of the simple kinds, of triangle, segment and point: against searches,
 * elementary geometry, quadrature over slices and Monte Carlo.
 */
#include "primitive_bodies.h"

typedef long double real;

static double size_of(const ov_shape *s) { return fmax(s->a.x, fmax(s->a.y, s->a.z)); }

/* ---- bounds */

/** Least of a convex function on [lo, hi], by thirds. */
static real least(real (*f)(const ov_shape *, real), const ov_shape *s, real lo, real hi) {
    for (int i = 0; i < 200; i++) {
        real a = lo + (hi - lo) / 3.0L, b = hi - (hi - lo) / 3.0L;
        if (f(s, a) < f(s, b)) {
            hi = b;
        } else {
            lo = a;
        }
    }
    return f(s, 0.5L * (lo + hi));
}

/** Radius that a ball about (0, 0, z) needs to hold the cone. */
static real needed(const ov_shape *s, real z) {
    real r = s->a.x, h = s->a.z;
    return fmaxl(fabsl(h - z), sqrtl(r * r + (z + h) * (z + h)));
}

/** Minus the radius that a ball about (0, 0, z) has room for in the cone. */
static real minus_room(const ov_shape *s, real z) {
    real r = s->a.x, h = s->a.z;
    return -fminl(z + h, (h - z) * r / sqrtl(r * r + 4.0L * h * h));
}

static void balls_of_simple_kinds(void) {
    check_random r = check_random_make(81);
    double worst = 0.0;
    for (int i = 0; i < 4000; i++) {
        ov_shape s = random_simple(&r, simple_kinds[i % SIMPLE_KINDS], i < 2000 ? 1e-60 : 0.1,
                                   i < 2000 ? 1e60 : 10.0);
        real a = s.a.x, b = s.a.y, c = s.a.z, outer, inner;
        if (s.kind == OV_SHAPE_KIND_BOX) {
            outer = sqrtl(a * a + b * b + c * c);
            inner = fminl(a, fminl(b, c));
        } else if (s.kind == OV_SHAPE_KIND_CAPSULE) {
            outer = a + c;
            inner = a;
        } else if (s.kind == OV_SHAPE_KIND_CYLINDER) {
            outer = sqrtl(a * a + c * c);
            inner = fminl(a, c);
        } else {
            outer = least(needed, &s, -c, c);
            inner = -least(minus_room, &s, -c, c);
        }
        ov_ball ball = {{NAN, NAN, NAN}, NAN};
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        CHECK(ball.radius >= (double)outer);
        CHECK_NEAR(ball.radius, (double)outer, 2e-14 * (double)outer);
        if (s.kind == OV_SHAPE_KIND_CONE) {
            CHECK((real)ball.radius >= needed(&s, ball.centre.z));
        }
        worst = fmax(worst, ball.radius / (double)outer - 1.0);
        CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
        CHECK(ball.radius > 0.0);
        if (s.kind == OV_SHAPE_KIND_CONE) {
            CHECK((real)ball.radius <= -minus_room(&s, ball.centre.z));
            // in a needle the centre's own rounding costs some of the radius
            double loss = 2e-14 + 2.3e-16 * (double)(c / a);
            CHECK_NEAR(ball.radius, (double)inner, fmin(loss, 1.0) * (double)inner);
        } else {
            CHECK(ball.radius <= (double)inner);
            CHECK_NEAR(ball.radius, (double)inner, 2e-14 * (double)inner);
        }
    }
    check_worst("bounding balls of simple kinds, relative excess", worst, 2e-14);
}

static void balls_of_flat_kinds(void) {
    check_random r = check_random_make(91);
    ov_shape s;
    ov_ball ball;
    for (int i = 0; i < 4000; i++) {
        double scale = check_log_uniform(&r, 1e-50, 1e50);
        ov_vec3 p[3], shift = ov_vec3_scale(check_unit_vector(&r), 3.0 * scale);
        for (int k = 0; k < 3; k++) {
            p[k] = ov_vec3_add_scaled(shift, check_unit_vector(&r), scale);
        }
        // sides by the law of cosines: an obtuse triangle is held by its longest side's ball,
        // others by the circumscribed circle, abc / (4 area)
        real side[3];
        for (int k = 0; k < 3; k++) {
            side[k] = ov_vec3_length(ov_vec3_sub(p[(k + 1) % 3], p[k]));
        }
        real a = fmaxl(side[0], fmaxl(side[1], side[2])), sum = side[0] + side[1] + side[2];
        real squares = side[0] * side[0] + side[1] * side[1] + side[2] * side[2];
        real area =
            sqrtl(sum * (sum - 2.0L * side[0]) * (sum - 2.0L * side[1]) * (sum - 2.0L * side[2])) /
            4.0L;
        real radius =
            2.0L * a * a >= squares ? 0.5L * a : side[0] * side[1] * side[2] / (4.0L * area);
        CHECK_OK(ov_shape_make_triangle(p[0], p[1], p[2], &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        CHECK_NEAR(ball.radius, (double)radius, 1e-13 * (double)radius + 3e-15 * scale);
        for (int k = 0; k < 3; k++) {
            CHECK(ov_vec3_length(ov_vec3_sub(p[k], ball.centre)) <= ball.radius);
        }
        CHECK_OK(ov_shape_make_segment(p[0], p[1], &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        CHECK_NEAR(ball.radius, (double)side[0] / 2.0, 2e-14 * (double)side[0] + 1e-15 * scale);
        CHECK_OK(ov_shape_make_point(p[0], &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        CHECK(ball.radius == 0.0 && memcmp(&ball.centre, &p[0], sizeof p[0]) == 0);
    }
}

/* ---- mass */

/** Five points of Gauss: exact for polynomials up to degree nine, and all integrands below are. */
static real slice_integral(const ov_shape *s, real (*f)(const ov_shape *, real), real lo, real hi) {
    static const real x[5] = {0.0L, 0.53846931010568309104L, -0.53846931010568309104L,
                              0.90617984593866399280L, -0.90617984593866399280L};
    static const real w[5] = {0.56888888888888888889L, 0.47862867049936646804L,
                              0.47862867049936646804L, 0.23692688505618908751L,
                              0.23692688505618908751L};
    real sum = 0.0L;
    for (int i = 0; i < 5; i++) {
        sum += w[i] * f(s, 0.5L * (lo + hi) + 0.5L * (hi - lo) * x[i]);
    }
    return 0.5L * (hi - lo) * sum;
}

/** Square of the radius of the section at height z. */
static real section(const ov_shape *s, real z) {
    real r = s->a.x, h = s->a.z;
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        real beyond = fmaxl(fabsl(z) - h, 0.0L);
        return r * r - beyond * beyond;
    }
    return s->kind == OV_SHAPE_KIND_CYLINDER ? r * r : r * r * (h - z) * (h - z) / (4.0L * h * h);
}

#define PI_L 3.14159265358979323846L
static real slice_volume(const ov_shape *s, real z) { return PI_L * section(s, z); }
static real slice_first(const ov_shape *s, real z) { return z * PI_L * section(s, z); }
static real slice_axial(const ov_shape *s, real z) {
    return PI_L * section(s, z) * section(s, z) / 2.0L;
}
static real slice_across(const ov_shape *s, real z) {
    return PI_L * section(s, z) * (section(s, z) / 4.0L + z * z);
}

/** Sum over the pieces between which the section changes its formula. */
static real body_integral(const ov_shape *s, real (*f)(const ov_shape *, real)) {
    real h = s->a.z, end = s->kind == OV_SHAPE_KIND_CAPSULE ? h + (real)s->a.x : h;
    return slice_integral(s, f, -end, -h) + slice_integral(s, f, -h, h) +
           slice_integral(s, f, h, end);
}

static double relative(double got, real expected) {
    return expected == 0.0L ? fabs(got) : (double)fabsl((got - expected) / expected);
}

static void mass_by_slices(void) {
    check_random r = check_random_make(101);
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        ov_shape_kind kind = simple_kinds[1 + i % 3];
        // the slices of a needle's caps would be lost in its length, so the sizes differ by 1e6 at
        // most
        double scale = check_log_uniform(&r, 1e-57, 1e57);
        ov_shape s = random_simple(&r, kind, 1e-3 * scale, 1e3 * scale);
        ov_mass m;
        if (!CHECK_OK(ov_shape_mass(&s, 2.0, &m))) {
            continue;
        }
        real volume = body_integral(&s, slice_volume), first = body_integral(&s, slice_first);
        real zz = 2.0L * body_integral(&s, slice_axial), z = first / volume;
        real xx = 2.0L * (body_integral(&s, slice_across) - volume * z * z);
        double error = fmax(relative(m.volume, volume), relative(m.mass, 2.0L * volume));
        error = fmax(error, fmax(relative(m.inertia.cx.x, xx), relative(m.inertia.cz.z, zz)));
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 2e-15);
        CHECK(m.inertia.cx.x == m.inertia.cy.y);
        CHECK(m.centroid.x == 0.0 && m.centroid.y == 0.0);
        CHECK_NEAR(m.centroid.z, (double)z, 1e-15 * size_of(&s));
        CHECK(m.inertia.cx.y == 0.0 && m.inertia.cy.z == 0.0 && m.inertia.cz.x == 0.0);
    }
    check_worst("mass by slices, relative", worst, 2e-15);
}

/** Random points in a box around the body; the sums' own spread gives the tolerance. */
static void mass_by_monte_carlo(void) {
    check_random r = check_random_make(111);
    enum { SAMPLES = 200000 };
    for (int k = 0; k < SIMPLE_KINDS; k++) {
        ov_shape s = make_simple(simple_kinds[k], 0.8, 1.1, 0.7);
        double reach = k == 1 ? 1.5 : 1.1, box = 8.0 * reach * reach * reach;
        ov_mass m;
        CHECK_OK(ov_shape_mass(&s, 1.0, &m));
        double sum[7] = {0.0}, square[7] = {0.0};
        for (int i = 0; i < SAMPLES; i++) {
            ov_vec3 p = {check_uniform(&r, -reach, reach), check_uniform(&r, -reach, reach),
                         check_uniform(&r, -reach, reach)};
            bool inside = false;
            (void)ov_shape_contains(&s, p, &inside);
            if (!inside) {
                continue;
            }
            double z = p.z - m.centroid.z;
            double value[7] = {
                1.0,       p.z,    p.y * p.y + z * z, p.x * p.x + z * z, p.x * p.x + p.y * p.y,
                p.x * p.y, p.y * z};
            for (int q = 0; q < 7; q++) {
                sum[q] += value[q];
                square[q] += value[q] * value[q];
            }
        }
        double expected[7] = {m.volume,       m.volume * m.centroid.z, m.inertia.cx.x,
                              m.inertia.cy.y, m.inertia.cz.z,          -m.inertia.cx.y,
                              -m.inertia.cy.z};
        for (int q = 0; q < 7; q++) {
            double mean = sum[q] / SAMPLES, spread = sqrt(square[q] / SAMPLES - mean * mean);
            CHECK_NEAR(box * mean, expected[q], 5.0 * box * spread / sqrt(SAMPLES));
        }
    }
}

/* ---- what a kind does not have */

static void unsupported(void) {
    ov_shape s;
    ov_ball ball;
    ov_mass m;
    const ov_vec3 a = {0.0, 0.0, 0.0}, b = {1.0, 0.0, 0.0}, c = {0.0, 1.0, 0.0};
    CHECK_OK(ov_shape_make_halfspace(b, 1.0, &s));
    CHECK_STATUS(ov_shape_bounding_ball(&s, &ball), OV_ERROR_UNBOUNDED);
    CHECK_STATUS(ov_shape_inscribed_ball(&s, &ball), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mass(&s, 1.0, &m), OV_ERROR_UNSUPPORTED);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(k == 0   ? ov_shape_make_point(a, &s)
                 : k == 1 ? ov_shape_make_segment(a, b, &s)
                          : ov_shape_make_triangle(a, b, c, &s));
        CHECK_STATUS(ov_shape_inscribed_ball(&s, &ball), OV_ERROR_UNSUPPORTED);
        CHECK_STATUS(ov_shape_mass(&s, 1.0, &m), OV_ERROR_UNSUPPORTED);
    }
}

int main(void) {
    check_suite = "primitive_measures";
    RUN(balls_of_simple_kinds);
    RUN(balls_of_flat_kinds);
    RUN(mass_by_slices);
    RUN(mass_by_monte_carlo);
    RUN(unsupported);
    return check_finish();
}
