/**
 * @file test_superquadric_surface.c
 * @brief Surface points of the smooth family by angles: point, tangents, normal, and the way back.
 *
 * Against the papers' parametrisation in long double and its differences, against the gauge, and at
 * the poles and on the coordinate planes by what must hold there.
 */
#include "oracle.h"

static const ov_spacing spacings[2] = {OV_SPACING_ANGLE_CENTRE, OV_SPACING_EQUAL};

static ov_shape make(ov_vec3 a, double e1, double e2, double tx, double ty) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    CHECK_OK(ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s));
    return s;
}

static double apart(ov_vec3 a, ov_vec3 b) { return ov_vec3_length(ov_vec3_sub(a, b)); }

/** Unit vectors, the normal at right angles to both tangents, right-handed and outward. */
static double check_frame(const ov_surface_point *p) {
    CHECK(ov_vec3_is_finite(p->point));
    CHECK_NEAR(ov_vec3_length(p->normal), 1.0, 1e-15);
    CHECK_NEAR(ov_vec3_length(p->tangent1), 1.0, 1e-15);
    CHECK_NEAR(ov_vec3_length(p->tangent2), 1.0, 1e-15);
    double error =
        fmax(fabs(ov_vec3_dot(p->normal, p->tangent1)), fabs(ov_vec3_dot(p->normal, p->tangent2)));
    CHECK_NEAR(error, 0.0, 1e-13);
    CHECK(ov_vec3_dot(ov_vec3_cross(p->tangent1, p->tangent2), p->normal) > 0.0);
    return error;
}

/** An angle in a random quadrant, at least `away` from its ends. */
static double random_angle(check_random *r, double away, int quadrants) {
    int quadrant = (int)(check_random_bits(r) % (unsigned)quadrants) - quadrants / 2;
    return 0.5 * M_PI * quadrant + check_uniform(r, away, 0.5 * M_PI - away);
}

/* ---- the whole domain */

static void test_points(void) {
    check_random r = check_random_make(501);
    double worst_point = 0.0, worst_gauge = 0.0, worst_right = 0.0;
    for (int i = 0; i < 1000; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 20; k++) {
            ov_spacing spacing = spacings[k % 2];
            double phi1 = random_angle(&r, 1e-3, 4), phi2 = random_angle(&r, 1e-3, 2);
            ov_surface_point p;
            CHECK_OK(ov_shape_surface(&s, spacing, phi1, phi2, &p));
            worst_right = fmax(worst_right, check_frame(&p));
            long double exact[3], u[3];
            oracle_surface(&s, spacing, phi1, phi2, exact);
            oracle_scaled(&s, p.point, u);
            for (int m = 0; m < 3; m++) {
                double error = (double)fabsl(u[m] - exact[m]);
                worst_point = fmax(worst_point, error);
                CHECK_NEAR(error, 0.0, 1e-13);
            }
            double off = (double)fabsl(oracle_gauge(&s, u[0], u[1], u[2]) - 1.0L);
            worst_gauge = fmax(worst_gauge, off);
            CHECK_NEAR(off, 0.0, 1e-14);
        }
    }
    check_worst("point against long double, in semi-axes", worst_point, 1e-13);
    check_worst("gauge of surface points, less one", worst_gauge, 1e-14);
    check_worst("cosine between normal and tangents", worst_right, 1e-13);
}

/** Direction of the derivative of the printed formula by one angle: central, order eight. */
static ov_vec3 difference(const ov_shape *s, ov_spacing spacing, double phi1, double phi2, int by) {
    static const long double odd[4] = {672.0L / 840, -168.0L / 840, 32.0L / 840, -3.0L / 840};
    double phi = by == 0 ? phi1 : phi2, e = by == 0 ? s->e1 : s->e2;
    long double quarter = 0.5L * acosl(-1.0L), d[3] = {0.0L};
    // a hundredth of the way to the next plane; powers 1/e inside the equal spacing
    long double step = 0.01L * fabsl(phi - quarter * roundl(phi / quarter));
    step *= spacing == OV_SPACING_EQUAL ? fminl(1.0L, 2.0L * e) : 1.0L;
    for (int k = 1; k <= 4; k++) {
        long double up[3], down[3], t = k * step;
        oracle_surface(s, spacing, phi1 + (by == 0 ? t : 0.0L), phi2 + (by == 1 ? t : 0.0L), up);
        oracle_surface(s, spacing, phi1 - (by == 0 ? t : 0.0L), phi2 - (by == 1 ? t : 0.0L), down);
        for (int m = 0; m < 3; m++) {
            d[m] += odd[k - 1] * (up[m] - down[m]) / step;
        }
    }
    d[0] *= s->a.x;
    d[1] *= s->a.y;
    d[2] *= s->a.z;
    long double length = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    return ov_vec3_make((double)(d[0] / length), (double)(d[1] / length), (double)(d[2] / length));
}

static void test_tangents(void) {
    check_random r = check_random_make(502);
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < 600; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 20; k++) {
            ov_spacing spacing = spacings[k % 2];
            double phi1 = random_angle(&r, 0.02, 4), phi2 = random_angle(&r, 0.02, 2);
            ov_surface_point p;
            CHECK_OK(ov_shape_surface(&s, spacing, phi1, phi2, &p));
            double e1 = apart(p.tangent1, difference(&s, spacing, phi1, phi2, 0));
            double e2 = apart(p.tangent2, difference(&s, spacing, phi1, phi2, 1));
            worst[k % 2] = fmax(worst[k % 2], fmax(e1, e2));
            CHECK_NEAR(e1, 0.0, 1e-6);
            CHECK_NEAR(e2, 0.0, 1e-6);
        }
    }
    check_worst("tangents against differences, angle-centre", worst[0], 1e-6);
    check_worst("tangents against differences, equal spacing", worst[1], 1e-6);
}

/** The normal is the direction of the gauge's gradient, here from jets in long double. */
static void test_normals(void) {
    check_random r = check_random_make(503);
    double worst = 0.0;
    for (int i = 0; i < 1000; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 20; k++) {
            double phi1 = random_angle(&r, 1e-3, 4), phi2 = random_angle(&r, 1e-3, 2);
            ov_surface_point p;
            CHECK_OK(ov_shape_surface(&s, spacings[k % 2], phi1, phi2, &p));
            long double u[3], n[3];
            oracle_surface(&s, spacings[k % 2], phi1, phi2, u);
            oracle_jet g = oracle_gauge_jet(&s, u);
            n[0] = g.g[0] / s.a.x;
            n[1] = g.g[1] / s.a.y;
            n[2] = g.g[2] / s.a.z;
            long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            double error =
                apart(p.normal, ov_vec3_make((double)(n[0] / length), (double)(n[1] / length),
                                             (double)(n[2] / length)));
            worst = fmax(worst, error);
            CHECK_NEAR(error, 0.0, 1e-12);
        }
    }
    check_worst("normal against the gauge's gradient", worst, 1e-12);
}

/* ---- poles and coordinate planes */

static const double right_angles[5] = {-M_PI, -0.5 * M_PI, 0.0, 0.5 * M_PI, M_PI};
static const double cosines[5] = {-1.0, 0.0, 1.0, 0.0, -1.0}, sines[5] = {0.0, -1.0, 0.0, 1.0, 0.0};

/** Right angles, for every pair of exponents: zeros are exact, nothing is undefined. */
static void check_right_angles(const ov_shape *s, ov_spacing spacing) {
    for (int m = 0; m < 15; m++) {
        int i = m % 5, j = 1 + m / 5;
        ov_surface_point p;
        CHECK_OK(ov_shape_surface(s, spacing, right_angles[i], right_angles[j], &p));
        check_frame(&p);
        double zeta = sines[j], w = cosines[j];
        double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
        // zeros as zeros, ones to the last bit or two
        double x = s->a.x * f1 * w * cosines[i], y = s->a.y * f2 * w * sines[i], z = s->a.z * zeta;
        CHECK_NEAR(p.point.x, x, 1e-15 * fabs(x));
        CHECK_NEAR(p.point.y, y, 1e-15 * fabs(y));
        CHECK_NEAR(p.point.z, z, 1e-15 * fabs(z));
        // at the poles along z; on the equator in the plane of the point and z
        if (w == 0.0) {
            CHECK(p.normal.x == 0.0 && p.normal.y == 0.0 && p.normal.z == zeta);
        } else {
            CHECK(cosines[i] != 0.0 || p.normal.x == 0.0);
            CHECK(sines[i] != 0.0 || p.normal.y == 0.0);
            double lean = cosines[i] != 0.0 ? -s->tx * s->a.x / s->a.z : -s->ty * s->a.y / s->a.z;
            double side = cosines[i] + sines[i], length = hypot(1.0, lean);
            CHECK_NEAR(p.normal.x + p.normal.y, side / length, 1e-15);
            CHECK_NEAR(p.normal.z, lean / length, 1e-15);
        }
    }
}

static void test_right_angles(void) {
    const ov_vec3 a = {2.0, 0.5, 3.0};
    for (int i = 0; i < ORACLE_EXPONENTS * ORACLE_EXPONENTS; i++) {
        double e1 = oracle_exponents[i % ORACLE_EXPONENTS];
        double e2 = oracle_exponents[i / ORACLE_EXPONENTS];
        ov_shape plain = make(a, e1, e2, 0.0, 0.0), tapered = make(a, e1, e2, 0.3, -0.2);
        for (int k = 0; k < 2; k++) {
            check_right_angles(&plain, spacings[k]);
            check_right_angles(&tapered, spacings[k]);
        }
    }
}

/** One right angle only: the point lies in that plane, and the other two coordinates are right. */
static void test_planes(void) {
    check_random r = check_random_make(504);
    for (int i = 0; i < 1000; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 4; k++) {
            ov_spacing spacing = spacings[k % 2];
            bool level = k < 2;
            double phi1 = level ? random_angle(&r, 1e-3, 4) : right_angles[i % 5];
            double phi2 = level ? 0.0 : random_angle(&r, 1e-3, 2);
            ov_surface_point p;
            CHECK_OK(ov_shape_surface(&s, spacing, phi1, phi2, &p));
            check_frame(&p);
            CHECK_NEAR((double)oracle_gauge_at(&s, p.point), 1.0, 1e-14);
            CHECK(!level || p.point.z == 0.0);
            CHECK(level || p.point.x == 0.0 || p.point.y == 0.0);
            long double exact[3], u[3];
            oracle_surface(&s, spacing, phi1, phi2, exact);
            oracle_scaled(&s, p.point, u);
            for (int m = 0; m < 3; m++) {
                // the long double pi is not the double's: its powers are not zeros
                CHECK(u[m] == 0.0L || fabsl(u[m] - exact[m]) < 1e-13L);
            }
        }
    }
}

/** Angles of 1e-12 from a right angle, and exponents to 1e-300: finite, unit, on the surface. */
static void test_near_planes(void) {
    static const double tiny[] = {0.05, 1e-3, 1e-12, 1e-300, 1.0, 1.999, 2.0};
    static const double offsets[] = {1e-300, 1e-16, 1e-12, 1e-6};
    for (int i = 0; i < 7 * 7 * 4 * 4 * 2; i++) {
        ov_shape s = make(ov_vec3_make(1.0, 3.0, 2.0), tiny[i % 7], tiny[i / 7 % 7], 0.05,
                          i % 2 ? 0.05 : 0.0);
        double phi1 = right_angles[i % 5] + offsets[i / 49 % 4];
        double phi2 = right_angles[1 + i % 3] * (1.0 - 1e-15) + offsets[i / 196 % 4];
        ov_surface_point p;
        CHECK_OK(ov_shape_surface(&s, spacings[i / 784], phi1, fmin(phi2, 0.5 * M_PI), &p));
        check_frame(&p);
        CHECK_NEAR((double)oracle_gauge_at(&s, p.point), 1.0, 1e-13);
    }
}

/** Sizes at both ends of their range, and angles far outside a turn. */
static void test_range_of_numbers(void) {
    static const double sizes[] = {1e-60, 1.0, 1e60};
    check_random r = check_random_make(505);
    for (int i = 0; i < 27 * 40; i++) {
        double e1 = oracle_random_exponent(&r), e2 = oracle_random_exponent(&r);
        ov_vec3 a = {sizes[i % 3], sizes[i / 3 % 3], sizes[i / 9 % 3]};
        ov_shape s = make(a, e1, e2, 0.0, 0.0);
        double phi1 = check_uniform(&r, -M_PI, M_PI) * (i % 2 == 0 ? 1.0 : 1e6);
        ov_surface_point p, turned;
        CHECK_OK(ov_shape_surface(&s, spacings[i % 2], phi1, random_angle(&r, 0.0, 2), &p));
        CHECK(ov_vec3_is_finite(p.normal) && ov_vec3_is_finite(p.tangent1) &&
              ov_vec3_is_finite(p.tangent2));
        CHECK_NEAR(ov_vec3_length(p.normal), 1.0, 1e-15);
        CHECK_NEAR((double)oracle_gauge_at(&s, p.point), 1.0, 1e-14);
        // a whole turn, as the double nearest to two pi, is no turn
        phi1 = check_uniform(&r, -M_PI, M_PI);
        CHECK_OK(ov_shape_surface(&s, spacings[i % 2], phi1, 0.5, &p));
        CHECK_OK(ov_shape_surface(&s, spacings[i % 2], phi1 + 2.0 * M_PI, 0.5, &turned));
        CHECK_NEAR(turned.point.z, p.point.z, 0.0);
        if (fmin(fabs(cos(phi1)), fabs(sin(phi1))) > 1e-3) {
            CHECK_NEAR(turned.point.x / a.x, p.point.x / a.x, 1e-12);
            CHECK_NEAR(turned.point.y / a.y, p.point.y / a.y, 1e-12);
        }
        CHECK_OK(ov_shape_surface(&s, spacings[i % 2], 1e300, -1e300, &p));
        CHECK(ov_vec3_is_finite(p.point) && ov_vec3_is_finite(p.normal));
    }
}

/* ---- the way back */

static double angle_apart(double a, double b) { return fabs(remainder(a - b, 2.0 * M_PI)); }

static void test_angles(void) {
    check_random r = check_random_make(506);
    double worst = 0.0, worst_point = 0.0;
    for (int i = 0; i < 1000; i++) {
        ov_shape s = oracle_random_shape(&r);
        for (int k = 0; k < 20; k++) {
            double phi1 = random_angle(&r, 1e-3, 4), phi2 = random_angle(&r, 1e-3, 2);
            double back1 = NAN, back2 = NAN;
            ov_surface_point p, again;
            CHECK_OK(ov_shape_surface(&s, spacings[k % 2], phi1, phi2, &p));
            CHECK_OK(ov_shape_angles(&s, p.point, &back1, &back2));
            CHECK(fabs(back1) <= M_PI && fabs(back2) <= 0.5 * M_PI);
            if (spacings[k % 2] == OV_SPACING_ANGLE_CENTRE) {
                double error = fmax(angle_apart(back1, phi1), angle_apart(back2, phi2));
                worst = fmax(worst, error);
                CHECK_NEAR(error, 0.0, 1e-12);
            }
            // beside a right angle the next double is another point: (6e-17)^0.05 is 0.15
            if (fmin(fabs(sin(2.0 * back1)), fabs(sin(2.0 * back2))) < 1e-3) {
                continue;
            }
            CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, back1, back2, &again));
            ov_vec3 d = ov_vec3_sub(again.point, p.point);
            double off = fmax(fabs(d.x / s.a.x), fmax(fabs(d.y / s.a.y), fabs(d.z / s.a.z)));
            worst_point = fmax(worst_point, off);
            CHECK_NEAR(off, 0.0, 1e-12);
        }
    }
    check_worst("angles to point to angles", worst, 1e-12);
    check_worst("point to angles to point, in semi-axes", worst_point, 1e-12);
}

static void test_angles_on_planes(void) {
    for (int i = 0; i < ORACLE_EXPONENTS * ORACLE_EXPONENTS * 15; i++) {
        double e1 = oracle_exponents[i % ORACLE_EXPONENTS];
        double e2 = oracle_exponents[i / ORACLE_EXPONENTS % ORACLE_EXPONENTS];
        int m = i / (ORACLE_EXPONENTS * ORACLE_EXPONENTS), at1 = m % 5, at2 = 1 + m / 5;
        ov_shape s = make(ov_vec3_make(2.0, 0.5, 3.0), e1, e2, 0.0, 0.0);
        double phi1, phi2;
        ov_surface_point p;
        CHECK_OK(ov_shape_surface(&s, OV_SPACING_ANGLE_CENTRE, right_angles[at1], right_angles[at2],
                                  &p));
        CHECK_OK(ov_shape_angles(&s, p.point, &phi1, &phi2));
        CHECK_NEAR(phi2, right_angles[at2], 1e-15);
        if (at2 == 2) {
            CHECK_NEAR(angle_apart(phi1, right_angles[at1]), 0.0, 1e-15);
        } else {
            CHECK(fabs(phi1) <= M_PI); // any, at a pole
        }
    }
}

/* ---- spacing */

/** Ratio of the longest to the shortest step around the section, and up the profile. */
static double step_ratio(const ov_shape *s, ov_spacing spacing, bool profile) {
    enum { STEPS = 400 };
    double shortest = INFINITY, longest = 0.0;
    ov_surface_point last, next;
    CHECK_OK(ov_shape_surface(s, spacing, 0.0, profile ? -0.5 * M_PI : 0.0, &last));
    for (int i = 1; i <= STEPS; i++) {
        double turn = (double)i / STEPS;
        double phi1 = profile ? 0.0 : 2.0 * M_PI * turn, phi2 = profile ? M_PI * (turn - 0.5) : 0.0;
        CHECK_OK(ov_shape_surface(s, spacing, phi1, phi2, &next));
        double step = apart(next.point, last.point);
        shortest = fmin(shortest, step);
        longest = fmax(longest, step);
        last = next;
    }
    return longest / shortest;
}

/** By the ray's angle a step is between once and twice the shortest, square or bevelled. */
static void test_spacing(void) {
    double worst = 0.0;
    for (int i = 0; i < ORACLE_EXPONENTS; i++) {
        ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), oracle_exponents[i],
                          oracle_exponents[ORACLE_EXPONENTS - 1 - i], 0.0, 0.0);
        worst = fmax(worst, step_ratio(&s, OV_SPACING_EQUAL, false));
        worst = fmax(worst, step_ratio(&s, OV_SPACING_EQUAL, true));
    }
    CHECK(worst < 2.1);
    check_worst("longest over shortest step, equal spacing", worst, 2.1);
    ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), 0.1, 0.1, 0.0, 0.0);
    CHECK(step_ratio(&s, OV_SPACING_EQUAL, false) < 2.1);
    CHECK(step_ratio(&s, OV_SPACING_ANGLE_CENTRE, false) > 100.0);
    CHECK(step_ratio(&s, OV_SPACING_ANGLE_CENTRE, true) > 100.0);
}

/* ---- bad input */

static void test_bad_input(void) {
    ov_shape s = make(ov_vec3_make(1.0, 2.0, 3.0), 0.5, 1.5, 0.1, 0.1), box;
    const ov_vec3 p = {1.0, 0.5, 0.0};
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    const ov_spacing equal = OV_SPACING_EQUAL;
    ov_surface_point out;
    double phi1, phi2;
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ov_shape_surface(&s, equal, bad[i], 0.0, &out), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_shape_surface(&s, equal, 0.0, bad[i], &out), OV_ERROR_NOT_FINITE);
        for (int k = 0; k < 3; k++) {
            ov_vec3 q = {k == 0 ? bad[i] : 1.0, k == 1 ? bad[i] : 1.0, k == 2 ? bad[i] : 1.0};
            CHECK_STATUS(ov_shape_angles(&s, q, &phi1, &phi2), OV_ERROR_NOT_FINITE);
        }
    }
    // coordinates whose units of the semi-axes would overflow
    CHECK_STATUS(ov_shape_angles(&s, ov_vec3_make(1.1e100, 0.0, 0.0), &phi1, &phi2),
                 OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_shape_angles(&s, ov_vec3_make(0.0, 1e305, -1e305), &phi1, &phi2),
                 OV_ERROR_SIZE_RANGE);
    CHECK_OK(ov_shape_angles(&s, ov_vec3_make(0.0, 0.0, 0.0), &phi1, &phi2));
    CHECK(isfinite(phi1) && isfinite(phi2));
    CHECK_STATUS(ov_shape_surface(&s, (ov_spacing)7, 0.0, 0.0, &out), OV_ERROR_OPTION);
    CHECK_STATUS(ov_shape_surface(&s, equal, 0.0, 0.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_surface(NULL, equal, 0.0, 0.0, &out), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_angles(NULL, p, &phi1, &phi2), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_angles(&s, p, NULL, &phi2), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_angles(&s, p, &phi1, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &box));
    CHECK_STATUS(ov_shape_surface(&box, equal, 0.0, 0.0, &out), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_angles(&box, p, &phi1, &phi2), OV_ERROR_UNSUPPORTED);
    for (int kind = 0; kind < 100; kind += 99) {
        s.kind = (ov_shape_kind)kind;
        CHECK_STATUS(ov_shape_surface(&s, equal, 0.0, 0.0, &out), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_angles(&s, p, &phi1, &phi2), OV_ERROR_SHAPE);
    }
}

int main(void) {
    check_suite = "superquadric_surface";
    RUN(test_points);
    RUN(test_tangents);
    RUN(test_normals);
    RUN(test_right_angles);
    RUN(test_planes);
    RUN(test_near_planes);
    RUN(test_range_of_numbers);
    RUN(test_angles);
    RUN(test_angles_on_planes);
    RUN(test_spacing);
    RUN(test_bad_input);
    return check_finish();
}
