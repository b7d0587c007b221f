/**
 * @file test_superquadric_depth.c
 * @brief Balls that roll inside smooth bodies (src/query/superquadric_depth.c): that they do, by
 * the support function and by the curvature, and what they prove about the gap.
 *
 * A ball of radius rho about c = p - rho n, p the support point along n, is held by the hull of the
 * body iff h(u) >= c.u + rho for every u. For u close to n both sides differ by the radius of
 * curvature less rho, times half the square of the angle, so small angles test the radius itself.
 */
#include "check.h"

#include "query/superquadric_newton.h"
#include "query/support_solver.h"

/* ---- bodies */

static double exponent(check_random *r) {
    uint64_t draw = check_random_bits(r) % 8;
    return draw == 0   ? 1.0
           : draw == 1 ? check_log_uniform(r, 0.02, 1.0)
                       : check_uniform(r, 0.1, 1.0);
}

/** Any exponents up to 1, tapers up to `taper`, axes down to `thin`; dents as they come. */
static ov_shape body(check_random *r, double taper, double thin) {
    const ov_shape_options any = {1.0};
    for (;;) {
        ov_vec3 a = {check_log_uniform(r, thin, 1.0), check_log_uniform(r, thin, 1.0),
                     check_log_uniform(r, thin, 1.0)};
        double tx = taper * check_uniform(r, -1.0, 1.0), ty = taper * check_uniform(r, -1.0, 1.0);
        ty = check_random_bits(r) % 3 == 0 ? tx : ty;
        ov_shape s;
        if (ov_shape_make_superovoid(a, exponent(r), exponent(r), tx, ty, &any, &s) == OV_OK) {
            return s;
        }
    }
}

/* ---- the ball is inside */

/** h(u) - c.u - rho, over the radius: negative where the ball stands out. */
static double room(const ov_shape *s, double rho, ov_vec3 n, ov_vec3 u) {
    ov_vec3 centre = ov_vec3_add_scaled(ovi_family_support(s, n).point, n, -rho);
    return (ovi_family_support(s, u).value - ov_vec3_dot(centre, u) - rho) / s->ball.radius;
}

/** A direction to the middle of a face, edge or corner of a box, or close to it. */
static ov_vec3 lattice(check_random *r, ov_vec3 near) {
    int draw = 1 + (int)(check_random_bits(r) % 26);
    ov_vec3 v = {draw % 3 - 1, draw / 3 % 3 - 1, draw / 9 - 1};
    return ov_vec3_normalize(ov_vec3_add_scaled(draw == 13 ? near : v, near, 0.02));
}

static double least_room(check_random *r, const ov_shape *s, int normals) {
    const double angles[] = {1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0};
    double rho = ovi_rolling_radius(s), least = INFINITY;
    CHECK(rho > 0.0 && rho <= fmin(s->a.x, fmin(s->a.y, s->a.z)));
    for (int i = 0; i < normals; i++) {
        ov_vec3 n = check_unit_vector(r), across = check_unit_vector(r);
        // a half of them where the curvature is large: in the planes between two axes, and corners
        if (i / 6 % 2 == 0) {
            n = lattice(r, n);
            across = lattice(r, across);
        }
        n = ov_vec3_normalize(ov_vec3_make(n.x / s->a.x, n.y / s->a.y, n.z / s->a.z));
        ov_vec3 u = ov_vec3_normalize(ov_vec3_add_scaled(n, across, angles[i % 6]));
        least = fmin(least, room(s, rho, n, u));
    }
    return least;
}

static void test_balls_inside(void) {
    check_random r = check_random_make(9101);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        ov_shape s = body(&r, i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.4 : 0.9, i % 2 == 0 ? 0.3 : 0.01);
        worst = fmax(worst, -least_room(&r, &s, 240));
    }
    CHECK(worst <= 3e-13);
    check_worst("ball stands out of the hull, of the size", worst, 3e-13);
}

/** The radius for unit axes is close to the truth, and an ellipsoid's is the truth. */
static void test_radius(void) {
    double least = INFINITY, most = 0.0;
    for (int i = 1; i <= 10; i++) {
        for (int j = 1; j <= 10; j++) {
            ov_shape s;
            CHECK_OK(
                ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 0.1 * i, 0.1 * j, &s));
            double k_min, k_max;
            CHECK_OK(ov_shape_curvature_range(&s, &k_min, &k_max));
            least = fmin(least, ovi_rolling_radius(&s) * k_max);
            most = fmax(most, ovi_rolling_radius(&s) * k_max);
        }
    }
    printf("%s: unit axes: the ball's radius is %.3f to %.3f of the least radius of curvature\n",
           check_suite, least, most);
    CHECK(least > 0.8 && most <= 1.0 + 1e-9);
    ov_shape s;
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(2.0, 0.5, 1.0), &s));
    CHECK_NEAR(ovi_rolling_radius(&s), 0.125, 1e-14);
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 1.1, 0.5, &s));
    CHECK(ovi_rolling_radius(&s) == 0.0); // it has edges
}

/* ---- what the balls prove */

/** A pair with B moved so that the support points along a random n overlap by `depth`. */
static ov_pose place(check_random *r, const ov_shape *a, const ov_shape *b, double depth) {
    ov_vec3 n = check_unit_vector(r);
    ov_pose pose = {{0.0, 0.0, 0.0}, check_rotation(r)};
    ov_vec3 m = ov_vec3_neg(ov_quat_rotate(ov_quat_conjugate(pose.rotation), n));
    ov_vec3 pa = ovi_family_support(a, n).point, pb = ovi_family_support(b, m).point;
    pose.position = ov_vec3_sub(pa, ov_quat_rotate(pose.rotation, pb));
    pose.position = ov_vec3_add_scaled(pose.position, n, -depth);
    return pose;
}

static ov_shape ellipsoid(check_random *r) {
    ov_vec3 a = {check_uniform(r, 0.4, 1.0), check_uniform(r, 0.4, 1.0),
                 check_uniform(r, 0.4, 1.0)};
    ov_shape s;
    CHECK_OK(ov_shape_make_ellipsoid(a, &s));
    return s;
}

/** The least depth of a shallow pair agrees with the polytope's; of ellipsoids it is proven. */
static void test_shallow(void) {
    check_random r = check_random_make(9102);
    const ov_pose home = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    int proven = 0, pairs = 0;
    double worst = 0.0;
    for (int i = 0; i < 400; i++) {
        bool round = i % 4 == 0;
        double taper = i % 2 == 0 ? 0.0 : 0.3;
        ov_shape a = round ? ellipsoid(&r) : body(&r, taper, 0.4);
        ov_shape b = round ? ellipsoid(&r) : body(&r, taper, 0.4);
        double depth =
            check_log_uniform(&r, 1e-4, 1.0) * (ovi_rolling_radius(&a) + ovi_rolling_radius(&b));
        ov_pose pose = place(&r, &a, &b, depth);
        ov_contact c;
        CHECK_OK(ov_pair_contact(&a, home, &b, pose, NULL, NULL, &c));
        double size = fmax(a.ball.radius, b.ball.radius);
        CHECK(c.relation == OV_RELATION_OVERLAPPING && -c.gap <= depth + 1e-9 * size);
        pairs += round;
        proven += round && c.gap_upper - c.gap_lower <= 4e-9 * size;
        CHECK(round || c.gap_upper >= c.gap); // a sweep is no proof
        if (i % 7 == 0) {
            ovi_pair p;
            CHECK_OK(ovi_pair_make(&a, home, &b, pose, NULL, &p));
            ovi_result epa = ovi_result_unknown();
            epa.overlap = true;
            CHECK_OK(ovi_epa_depth(&p, NULL, &epa));
            // two pairs of bounds of the same number
            CHECK(epa.lower <= c.gap_upper && c.gap_lower <= epa.upper);
            worst = fmax(worst, fabs(epa.lower - c.gap) / size);
        }
    }
    printf("%s: %d of %d shallow depths of ellipsoids are proven by balls\n", check_suite, proven,
           pairs);
    CHECK(proven > 0.98 * pairs);
    CHECK(worst <= 1e-8);
    check_worst("shallow depth against the polytope's, of the size", worst, 1e-8);
}

/** Deep or not, no direction shows a gap above the balls' bound. */
static void test_bound(void) {
    check_random r = check_random_make(9103);
    const ov_pose home = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    for (int i = 0; i < 200; i++) {
        ov_shape a = body(&r, 0.5, 0.2), b = body(&r, 0.5, 0.2);
        ov_pose pose = place(&r, &a, &b, check_uniform(&r, 0.0, 1.0));
        ovi_pair p;
        CHECK_OK(ovi_pair_make(&a, home, &b, pose, NULL, &p));
        ov_vec3 n = check_unit_vector(&r);
        ovi_separation at;
        CHECK_OK(ovi_pair_separation(&p, n, &at));
        ovi_newton_end end = {.point_a = at.point_a,
                              .point_b = at.point_b,
                              .normal_a = n,
                              .normal_b = ov_vec3_neg(n)};
        double upper = ovi_rolling_gap(&p, &end);
        for (int k = 0; k < 100; k++) {
            CHECK_OK(ovi_pair_separation(&p, check_unit_vector(&r), &at));
            CHECK(at.gap <= upper);
        }
    }
}

int main(void) {
    check_suite = "superquadric_depth";
    RUN(test_balls_inside);
    RUN(test_radius);
    RUN(test_shallow);
    RUN(test_bound);
    return check_finish();
}
