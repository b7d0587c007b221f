/**
 * @file test_derivatives_limits.c
 * @brief ov_pair_derivatives where the answer is known in closed form: spheres, an ellipsoid over a
 * half-space, flat, sharp and round places of the smooth family, crossing edges; where it says that
 * there are none, or some only; at random special places against differences to both sides of a
 * nearest point that is found by bisection; the same at every scale; and bad input.
 *
 * OVOID_TEST_PAIRS sets the number of special places (200).
 */
#include <string.h>

#include "derivative_oracle.h"

/* ---- closed forms */

/** Two spheres: the normal turns by the tangential motion over the distance of the centres. */
static void test_two_spheres(void) {
    const ov_vec3 n = {0.6, 0.0, 0.8}, across = {0.8, 0.0, -0.6}, up = {0.0, 1.0, 0.0};
    for (int i = 0; i < 6; i++) {
        const double ra = 0.7, rb[6] = {1.3, 1.3, 1e6, 1e-6, 1.3, 1.3};
        const double gap[6] = {0.5, -0.4, 0.5, 0.5, 1e9, 0.0};
        double between = ra + rb[i] + gap[i];
        ov_shape a, b;
        CHECK_OK(ov_shape_make_sphere(ra, &a));
        CHECK_OK(ov_shape_make_sphere(rb[i], &b));
        ov_pose pose_a = ov_pose_identity(), pose_b = ov_pose_identity();
        pose_b.position = ov_vec3_scale(n, between);
        ov_contact c = solved(gap[i], ov_vec3_scale(n, ra), ov_vec3_scale(n, ra + gap[i]), n);
        ov_contact_derivatives d;
        CHECK_OK(ov_pair_derivatives(&a, pose_a, &b, pose_b, &c, &d));
        // B along y, and along `across`
        CHECK_NEAR(off_by(d.normal[1][1], ov_vec3_scale(up, 1.0 / between)), 0.0, 1e-14 / between);
        CHECK_NEAR(off_by(d.point_a[1][1], ov_vec3_scale(up, ra / between)), 0.0, 1e-14);
        CHECK_NEAR(off_by(d.point_b[1][1], ov_vec3_scale(up, 1.0 - rb[i] / between)), 0.0, 1e-13);
        ov_vec3 turned =
            ov_vec3_add_scaled(ov_vec3_scale(d.normal[1][0], across.x), d.normal[1][2], across.z);
        CHECK_NEAR(off_by(turned, ov_vec3_scale(across, 1.0 / between)), 0.0, 1e-14 / between);
        CHECK_NEAR(d.gap[0][0], -n.x, 1e-15);
        CHECK_NEAR(d.gap[1][2], n.z, 1e-15);
        // a sphere that turns changes nothing
        for (int k = 3; k < OV_DOF_COUNT; k++) {
            CHECK_NEAR(d.gap[1][k], 0.0, 1e-14 * between);
            CHECK_NEAR(largest_of(d.point_a[0][k]), 0.0, 1e-14 * between);
            CHECK_NEAR(largest_of(d.normal[0][k]), 0.0, 1e-14);
        }
        double radius = d.gap_shape[0][OV_PARAMETER_A1] + d.gap_shape[0][OV_PARAMETER_A2] +
                        d.gap_shape[0][OV_PARAMETER_A3];
        CHECK_NEAR(radius, -1.0, 1e-14);
    }
}

/**
 * Ellipsoid (B) over a half-space (A): with S = R diag(a^2) R^T the support point along -n is
 * -S n/h, h^2 = n.S n; both turns change it by the product rule.
 */
typedef struct plane_oracle {
    ov_mat3 s;
    ov_vec3 n;
    double h;
} plane_oracle;

static ov_vec3 spread(const plane_oracle *o, ov_vec3 v) { return ov_mat3_mul_vec3(&o->s, v); }

/** Rate of S n/h where S turns by `body` and n by `plane`. */
static ov_vec3 support_rate(const plane_oracle *o, ov_vec3 body, ov_vec3 plane) {
    ov_vec3 sn = spread(o, o->n), dn = ov_vec3_cross(plane, o->n);
    // (w x S - S w x) n + S n'
    ov_vec3 dsn = ov_vec3_sub(ov_vec3_cross(body, sn), spread(o, ov_vec3_cross(body, o->n)));
    double dh2 = ov_vec3_dot(o->n, dsn);
    dsn = ov_vec3_add(dsn, spread(o, dn));
    dh2 += 2.0 * ov_vec3_dot(dn, sn);
    return ov_vec3_sub(ov_vec3_scale(dsn, 1.0 / o->h),
                       ov_vec3_scale(sn, 0.5 * dh2 / (o->h * o->h * o->h)));
}

static void check_plane_and_ellipsoid(check_random *r, double *worst) {
    ov_vec3 semi = draw_sizes(r, 0.1, 2.0);
    ov_shape a, b;
    ov_vec3 local = check_unit_vector(r);
    double offset = check_uniform(r, -1.0, 1.0);
    CHECK_OK(ov_shape_make_halfspace(local, offset, &a));
    CHECK_OK(ov_shape_make_ellipsoid(semi, &b));
    ov_pose pose_a = draw_pose(r, 1.0), pose_b = draw_pose(r, 1.0);
    plane_oracle o = {.n = ov_quat_rotate(pose_a.rotation, local)};
    ov_mat3 turn = ov_mat3_from_quat(pose_b.rotation), rows;
    for (int i = 0; i < 3; i++) {
        // columns of diag(a^2) R^T, then turned
        ov_vec3 e = ov_vec3_make(i == 0, i == 1, i == 2);
        ov_vec3 c = ov_vec3_mul(ov_vec3_mul(semi, semi), ov_mat3_tmul_vec3(&turn, e));
        *(i == 0 ? &rows.cx : i == 1 ? &rows.cy : &rows.cz) = ov_mat3_mul_vec3(&turn, c);
    }
    o.s = rows;
    o.h = sqrt(ov_vec3_dot(o.n, spread(&o, o.n)));
    ov_vec3 point_b = ov_vec3_add_scaled(pose_b.position, spread(&o, o.n), -1.0 / o.h);
    double gap = ov_vec3_dot(o.n, ov_vec3_sub(point_b, pose_a.position)) - offset;
    ov_vec3 point_a = ov_vec3_add_scaled(point_b, o.n, -gap);
    ov_contact c = solved(gap, point_a, point_b, o.n);
    ov_contact_derivatives d;
    CHECK_OK(ov_pair_derivatives(&a, pose_a, &b, pose_b, &c, &d));
    const ov_vec3 none = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        ov_vec3 axis = ov_vec3_make(k == 0, k == 1, k == 2);
        double error = off_by(d.point_b[1][k], axis);
        error = fmax(error, largest_of(d.point_b[0][k]));
        error = fmax(error, off_by(d.normal[0][k + 3], ov_vec3_cross(axis, o.n)));
        error = fmax(error, largest_of(d.normal[1][k + 3]));
        error = fmax(error, off_by(d.point_b[1][k + 3], ov_vec3_neg(support_rate(&o, axis, none))));
        error = fmax(error, off_by(d.point_b[0][k + 3], ov_vec3_neg(support_rate(&o, none, axis))));
        *worst = fmax(*worst, error);
    }
}

static void test_plane_and_ellipsoid(void) {
    check_random r = check_random_make(2112);
    const double tolerance = 1e-10;
    double worst = 0.0;
    for (int i = 0; i < 500; i++) {
        check_plane_and_ellipsoid(&r, &worst);
    }
    CHECK_NEAR(worst, 0.0, tolerance);
    check_worst("ellipsoid over a half-space", worst, tolerance);
}

/* ---- flat, sharp and round places of the smooth family */

/** A sphere above the upper pole of a shape. */
static ov_status over_pole(double e1, double e2, double gap, ov_contact_derivatives *d) {
    ov_shape a, ball;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 2.0, 0.5), e1, e2, &a));
    CHECK_OK(ov_shape_make_sphere(0.25, &ball));
    ov_pose pose_b = ov_pose_identity();
    pose_b.position.z = 0.75 + gap;
    ov_vec3 up = {0.0, 0.0, 1.0};
    ov_contact c = solved(gap, ov_vec3_make(0.0, 0.0, 0.5), ov_vec3_make(0.0, 0.0, 0.5 + gap), up);
    return ov_pair_derivatives(&a, ov_pose_identity(), &ball, pose_b, &c, d);
}

static void test_poles(void) {
    ov_contact_derivatives d;
    const ov_vec3 x = {1.0, 0.0, 0.0}, none = {0.0, 0.0, 0.0};
    // flat: the point follows, the normal stays
    CHECK_OK(over_pole(0.4, 0.5, 1.0, &d));
    CHECK_NEAR(off_by(d.point_a[1][0], x), 0.0, 1e-15);
    CHECK_NEAR(off_by(d.normal[1][0], none), 0.0, 1e-15);
    CHECK_OK(over_pole(1.6, 0.5, -0.1, &d));
    CHECK_NEAR(off_by(d.point_a[1][0], x), 0.0, 1e-15);
    // sharp: the point stays, the normal follows
    CHECK_OK(over_pole(0.4, 1.5, 1.0, &d));
    CHECK_NEAR(off_by(d.point_a[1][0], none), 0.0, 1e-15);
    CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_scale(x, 1.0 / 1.25)), 0.0, 1e-15);
    CHECK_OK(over_pole(1.5, 1.5, 1.0, &d));
    CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_scale(x, 1.0 / 1.25)), 0.0, 1e-15);
    // round: radius of curvature a1^2/a3 = 2 along x
    CHECK_OK(over_pole(1.0, 1.0, 1.0, &d));
    CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_scale(x, 1.0 / 3.25)), 0.0, 1e-15);
    CHECK_NEAR(off_by(d.point_a[1][0], ov_vec3_scale(x, 2.0 / 3.25)), 0.0, 1e-15);
    // of no curvature that would hold in all directions; the gap's own derivatives stand
    CHECK_STATUS(over_pole(0.5, 1.0, 1.0, &d), OV_NOT_SMOOTH);
    CHECK_NEAR(d.gap[1][2], 1.0, 1e-15);
    CHECK(largest_of(d.point_a[1][0]) == 0.0 && largest_of(d.normal[1][0]) == 0.0);
    CHECK_NEAR(d.gap_shape[0][OV_PARAMETER_A3], -1.0, 1e-15);
    CHECK(d.gap_shape[0][OV_PARAMETER_E1] == 0.0 && d.gap_shape[0][OV_PARAMETER_E2] == 0.0);
}

/** Points on the edge x = 0 (e1 > 1): sharp across it, bent along it as the superellipse there. */
static void test_edge_of_superellipsoid(void) {
    for (double e2 = 0.6; e2 < 1.9; e2 += 0.3) {
        ov_shape a, ball;
        ov_superellipse side;
        ov_vec2 at, n;
        double curvature;
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.5, 0.8), 1.5, e2, &a));
        CHECK_OK(ov_shape_make_sphere(0.3, &ball));
        CHECK_OK(ov_superellipse_make(1.5, 0.8, e2, &side));
        CHECK_OK(ov_superellipse_curve(&side, OV_SPACING_EQUAL, 0.6, &at, &n, &curvature));
        ov_vec3 normal = {0.0, n.x, n.y}, along = {0.0, -n.y, n.x}, x = {1.0, 0.0, 0.0};
        const double gap = 0.4;
        ov_vec3 point = {0.0, at.x, at.y}, other = ov_vec3_add_scaled(point, normal, gap);
        ov_pose pose_b = ov_pose_identity();
        pose_b.position = ov_vec3_add_scaled(other, normal, 0.3);
        ov_contact c = solved(gap, point, other, normal);
        ov_contact_derivatives d;
        CHECK_OK(ov_pair_derivatives(&a, ov_pose_identity(), &ball, pose_b, &c, &d));
        CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_scale(x, 1.0 / (gap + 0.3))), 0.0, 1e-13);
        CHECK_NEAR(largest_of(d.point_a[1][0]), 0.0, 1e-13);
        // along the edge, from the rates by y and z
        ov_vec3 turned =
            ov_vec3_add_scaled(ov_vec3_scale(d.normal[1][1], along.y), d.normal[1][2], along.z);
        double rate = 1.0 / (gap + 0.3 + 1.0 / curvature);
        CHECK_NEAR(off_by(turned, ov_vec3_scale(along, rate)), 0.0, 1e-12);
    }
}

/* ---- where there are none */

/** Two segments, crossing at an angle, one above the other. */
static ov_status over_segment(double angle_rad, double gap, ov_contact_derivatives *d) {
    ov_shape a, b;
    CHECK_OK(ov_shape_make_segment(ov_vec3_make(-1.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0), &a));
    CHECK_OK(ov_shape_make_segment(ov_vec3_make(-1.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0), &b));
    const ov_vec3 up = {0.0, 0.0, 1.0}, none = {0.0, 0.0, 0.0}, at = {0.0, 0.0, gap};
    ov_pose pose_b = {at, ov_quat_from_axis_angle(up, angle_rad)};
    ov_contact c = solved(gap, none, at, up);
    return ov_pair_derivatives(&a, ov_pose_identity(), &b, pose_b, &c, d);
}

static void test_crossing_edges(void) {
    ov_contact_derivatives d;
    const double angle = 0.7, gap = 0.5;
    CHECK_OK(over_segment(angle, gap, &d));
    // B along y: the crossing runs along A by y/tan(angle), backwards, and the normal stays
    CHECK_NEAR(off_by(d.point_a[1][1], ov_vec3_make(-1.0 / tan(angle), 0.0, 0.0)), 0.0, 1e-14);
    CHECK_NEAR(off_by(d.point_b[1][1], d.point_a[1][1]), 0.0, 1e-14);
    CHECK_NEAR(largest_of(d.normal[1][1]), 0.0, 1e-15);
    // A about its own line: nothing; B about x: the normal stays across both
    CHECK_NEAR(largest_of(d.normal[0][3]), 0.0, 1e-14);
    ov_vec3 b = {cos(angle), sin(angle), 0.0},
            turned = ov_vec3_cross(ov_vec3_make(1.0, 0.0, 0.0), b);
    ov_vec3 n = ov_vec3_scale(ov_vec3_cross(ov_vec3_make(1.0, 0.0, 0.0), turned), 1.0 / sin(angle));
    CHECK_NEAR(off_by(d.normal[1][3], n), 0.0, 1e-14);
    // nearly parallel: fast, but there, with the square of 1/angle lost by conditioning
    CHECK_OK(over_segment(1e-3, gap, &d));
    CHECK_NEAR(d.point_a[1][1].x * tan(1e-3), -1.0, 1e-16 * 1e6);
    CHECK_STATUS(over_segment(0.0, gap, &d), OV_NOT_SMOOTH);
    CHECK_STATUS(over_segment(1e-12, gap, &d), OV_NOT_SMOOTH);
    CHECK(largest_of(d.point_a[1][1]) == 0.0 && d.gap[1][2] == 1.0);
}

/** B, resting on its lowest point, above the half-space z <= 0. */
static ov_status over_plane(const ov_shape *b, ov_vec3 lowest, double gap,
                            ov_contact_derivatives *d) {
    ov_shape plane;
    const ov_vec3 up = {0.0, 0.0, 1.0};
    CHECK_OK(ov_shape_make_halfspace(up, 0.0, &plane));
    ov_pose pose_b = ov_pose_identity();
    pose_b.position.z = gap - lowest.z;
    ov_contact c = solved(gap, ov_vec3_make(lowest.x, lowest.y, 0.0),
                          ov_vec3_make(lowest.x, lowest.y, gap), up);
    return ov_pair_derivatives(&plane, ov_pose_identity(), b, pose_b, &c, d);
}

static void test_none(void) {
    ov_contact_derivatives d;
    ov_shape s;
    // face, edge and border on a plane; a corner is fine
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &s));
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.2, 0.1, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_STATUS(over_plane(&s, ov_vec3_make(1.0, 0.1, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_STATUS(over_plane(&s, ov_vec3_make(1.0, 1.0, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.2, 0.1, -0.9), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_STATUS(over_plane(&s, ov_vec3_make(2.0, 0.1, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK(d.gap[1][2] == 1.0 && d.gap[0][2] == -1.0);
    CHECK_OK(ov_shape_make_cone(1.0, 1.0, &s));
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.2, 0.1, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_OK(ov_shape_make_cylinder(1.0, 1.0, &s));
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.6, 0.8, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 0.5, 0.5, &s));
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.0, 0.0, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK_NEAR(d.gap_shape[1][OV_PARAMETER_A3], -1.0, 1e-15);
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 0.5, 1.5, &s));
    CHECK_OK(over_plane(&s, ov_vec3_make(0.0, 0.0, -1.0), 0.3, &d));
    CHECK_OK(ov_shape_make_point(ov_vec3_make(0.1, 0.2, 0.3), &s));
    CHECK_OK(over_plane(&s, s.u.vertices[0], 0.0, &d));
    // the two points of a pair that has no size, apart and not
    ov_contact c = solved(2.0, ov_vec3_make(0.1, 0.2, 0.3), ov_vec3_make(0.1, 0.2, 2.3),
                          ov_vec3_make(0.0, 0.0, 1.0));
    ov_pose above = {ov_vec3_make(0.0, 0.0, 2.0), ov_quat_identity()};
    CHECK_OK(ov_pair_derivatives(&s, ov_pose_identity(), &s, above, &c, &d));
    CHECK_NEAR(d.normal[1][0].x, 0.5, 1e-15);
    c.gap = 0.0;
    c.point_b = c.point_a;
    CHECK_STATUS(ov_pair_derivatives(&s, ov_pose_identity(), &s, ov_pose_identity(), &c, &d),
                 OV_NOT_SMOOTH);
}

/** A sphere beside a dented body, which it meets at `point` with the outward `normal`. */
static ov_status beside(const ov_shape *dented, ov_vec3 point, ov_vec3 normal,
                        ov_contact_derivatives *d) {
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(0.5, &ball));
    const double gap = 0.25;
    ov_pose pose_b = {ov_vec3_add_scaled(point, normal, gap + 0.5), ov_quat_identity()};
    ov_contact c = solved(gap, point, ov_vec3_add_scaled(point, normal, gap), normal);
    return ov_pair_derivatives(dented, ov_pose_identity(), &ball, pose_b, &c, d);
}

/** Opposite tapers: seen along x = y the body has two maxima, and the hull a bridge between them.
 */
static void test_bridge(void) {
    ov_shape s;
    ov_shape_options any = {.dent_tolerance = 1.0};
    ov_contact_derivatives d;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 0.5, 0.4, -0.4, &any, &s));
    CHECK(s.dent > 1e-3);
    const ov_vec3 n = ov_vec3_normalize(ov_vec3_make(1.0, 1.0, 0.0));
    ov_support upper, lower;
    CHECK_OK(ov_shape_support(&s, ov_vec3_add(n, ov_vec3_make(0.0, 0.0, 1e-12)), &upper));
    CHECK_OK(ov_shape_support(&s, ov_vec3_sub(n, ov_vec3_make(0.0, 0.0, 1e-12)), &lower));
    CHECK(upper.point.z > 0.1 && lower.point.z < -0.1);
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(upper.point, lower.point), 0.5);
    CHECK_STATUS(beside(&s, middle, n, &d), OV_NOT_SMOOTH);
    CHECK_NEAR(d.gap[1][0], n.x, 1e-15);
    CHECK(d.gap_shape[0][OV_PARAMETER_A1] == 0.0 && d.gap_shape[0][OV_PARAMETER_TX] == 0.0);
    CHECK_NEAR(d.gap_shape[1][OV_PARAMETER_A1], -0.5, 1e-14);
    // the surface under the bridge is no part of the body
    ov_surface_point under;
    CHECK_OK(ov_shape_surface(&s, OV_SPACING_EQUAL, 0.25 * M_PI, 0.0, &under));
    CHECK_STATUS(beside(&s, under.point, under.normal, &d), OV_NOT_SMOOTH);
    // beyond its ends all is well
    ov_vec3 up = ov_vec3_normalize(ov_vec3_make(1.0, 1.0, 0.5));
    CHECK_OK(ov_shape_support(&s, up, &upper));
    CHECK_OK(beside(&s, upper.point, up, &d));
}

/* ---- special places of the smooth family */

/** A flat pole stays flat where edges run into it: the normal of a sphere beside it does not turn.
 */
static void test_pole_of_edges(void) {
    ov_shape ball, s;
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    for (int i = 0; i < 4; i++) {
        const double e1[4] = {1.5, 1.9, 2.0, 1.0 + 1e-9};
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.7, 0.4, 0.1), e1[i], 0.5, &s));
        for (int k = 0; k < 6; k++) {
            // at the pole, beside it by less than a contact can tell, and turned
            const double x[6] = {0.0, 1e-300, 1e-20, 1e-12, 0.0, 0.0};
            const double y[6] = {0.0, 0.0, 1e-30, 0.0, 1e-16, 0.0};
            ov_pose above = {ov_vec3_make(x[k], y[k], 1.4), ov_quat_identity()};
            above.rotation =
                ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), k == 5 ? 0.3 : 0.0);
            ov_contact c;
            ov_contact_derivatives d;
            CHECK_OK(ov_pair_contact(&ball, ov_pose_identity(), &s, above, NULL, NULL, &c));
            CHECK_OK(ov_pair_derivatives(&ball, ov_pose_identity(), &s, above, &c, &d));
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(largest_of(d.normal[1][j]), 0.0, 1e-9);
            }
        }
    }
}

/** A sphere of radius 0.5, its centre at `centre`, beside a shape that it meets at `point`. */
static ov_status beside_point(const ov_shape *shape, ov_vec3 point, ov_vec3 centre,
                              ov_contact_derivatives *d) {
    ov_shape ball;
    const double radius = 0.5;
    CHECK_OK(ov_shape_make_sphere(radius, &ball));
    ov_pose pose_b = {centre, ov_quat_identity()};
    ov_vec3 apart = ov_vec3_sub(centre, point), n = ov_vec3_normalize(apart);
    ov_contact c =
        solved(ov_vec3_length(apart) - radius, point, ov_vec3_add_scaled(centre, n, -radius), n);
    return ov_pair_derivatives(shape, ov_pose_identity(), &ball, pose_b, &c, d);
}

/** The corners of a tapered prism: as those of a polyhedron, and at their borders as nothing. */
static void test_tapered_corner(void) {
    ov_shape s;
    ov_contact_derivatives d;
    const double t = 0.3;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), 2.0, 1e-15, t, t, NULL, &s));
    const ov_vec3 corner = {1.0 + t, 0.0, 1.0};
    for (int i = 0; i < 3; i++) {
        // normals of the corner: between the lid's, (0, 0, 1), and those of the two sides
        const ov_vec3 n[3] = {{0.8, 0.3, 0.5}, {0.5, -0.2, 0.9}, {0.9, 0.0, 0.1}};
        ov_vec3 centre = ov_vec3_add(corner, n[i]);
        (void)beside_point(&s, corner, centre, &d);
        double length = ov_vec3_length(n[i]);
        ov_vec3 unit = ov_vec3_normalize(n[i]);
        CHECK(d.contact_smooth && d.gap_smooth);
        CHECK_NEAR(largest_of(d.point_a[1][0]), 0.0, 1e-12);
        ov_vec3 turned = ov_vec3_make(1.0 - unit.x * unit.x, -unit.x * unit.y, -unit.x * unit.z);
        CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_scale(turned, 1.0 / length)), 0.0, 1e-12);
    }
    // the border to the side x + y = 1 + t z, in the corner and on the lid's edge
    ov_vec3 side = ov_vec3_make(1.0, 1.0, -t);
    CHECK_STATUS(beside_point(&s, corner, ov_vec3_add(corner, side), &d), OV_NOT_SMOOTH);
    CHECK(!d.contact_smooth && d.gap_smooth);
    // inside of the side all is known but the tapers, which would twist it
    ov_vec3 middle = {0.4, 0.6, 0.0};
    CHECK_STATUS(beside_point(&s, middle, ov_vec3_add(middle, side), &d), OV_NOT_SMOOTH);
    CHECK(d.contact_smooth && !d.shape_smooth[0][OV_PARAMETER_TX]);
    CHECK(d.shape_smooth[0][OV_PARAMETER_A1] && d.shape_smooth[0][OV_PARAMETER_E1]);
    CHECK_NEAR(off_by(d.normal[1][0], ov_vec3_make(0.0, 0.0, 0.0)), 0.0, 1e-12);
}

/** The gap of a tapered shape and a sphere of radius 0.5. */
static double tapered_gap(double e1, double e2, double ty, ov_vec3 centre) {
    ov_shape s, ball;
    ov_shape_options any = {.dent_tolerance = 1.0};
    ov_pair_options fine = {.tolerance = 1e-12};
    ov_contact c;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, 0.0, ty, &any, &s));
    CHECK_OK(ov_shape_make_sphere(0.5, &ball));
    ov_pose pose_b = {centre, ov_quat_identity()};
    CHECK_OK(ov_pair_contact(&s, ov_pose_identity(), &ball, pose_b, &fine, NULL, &c));
    return c.gap;
}

/** Straight ridges: a taper of one sign swells them, one of the other leaves the hull as it is. */
static void test_ridges_and_tapers(void) {
    const ov_vec3 ridge = {0.0, 0.5, 0.5}, centre = {0.0, 1.5, 1.5};
    for (int i = 0; i < 5; i++) {
        const double e1[5] = {0.5, 1.0, 1.5, 2.0, 1.5}, e2[5] = {2.0, 2.0, 2.0, 2.0, 1.9};
        ov_shape s;
        ov_contact_derivatives d;
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), e1[i], e2[i], &s));
        ov_support top;
        CHECK_OK(ov_shape_support(&s, centre, &top));
        bool straight = e2[i] == 2.0;
        ov_status status = beside_point(&s, straight ? ridge : top.point, centre, &d);
        CHECK_STATUS(status, straight ? OV_NOT_SMOOTH : OV_OK);
        CHECK(d.contact_smooth && d.gap_smooth && d.shape_smooth[0][OV_PARAMETER_TX]);
        CHECK(d.shape_smooth[0][OV_PARAMETER_TY] == !straight);
        const double step = 1e-6;
        double at = tapered_gap(e1[i], e2[i], 0.0, centre);
        double up = (tapered_gap(e1[i], e2[i], step, centre) - at) / step;
        double down = (at - tapered_gap(e1[i], e2[i], -step, centre)) / step;
        CHECK_NEAR(d.gap_shape[0][OV_PARAMETER_TY], up, 1e-4);
        CHECK_NEAR(straight ? 0.0 : up, down, 1e-4);
    }
}

/** Which of the answers stand where some do not. */
static void test_marks(void) {
    ov_shape box, ball;
    ov_contact_derivatives d;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &box));
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    // the border of a face and an edge under a sphere: one contact, a kink in where it goes
    CHECK_STATUS(beside_point(&box, ov_vec3_make(1.0, 0.2, 1.0), ov_vec3_make(1.0, 0.2, 2.0), &d),
                 OV_NOT_SMOOTH);
    CHECK(d.gap_smooth && !d.contact_smooth && d.shape_smooth[1][OV_PARAMETER_A1]);
    CHECK(largest_of(d.point_a[1][0]) == 0.0 && d.gap[1][2] == 1.0);
    CHECK(!d.shape_smooth[0][OV_PARAMETER_A1]);
    // face on face: no telling where it is
    CHECK_STATUS(over_plane(&box, ov_vec3_make(0.2, 0.1, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK(!d.gap_smooth && !d.contact_smooth);
    // the same with nothing between: corners that touch have many normals
    ov_contact c = solved(0.0, ov_vec3_make(1.0, 1.0, 1.0), ov_vec3_make(1.0, 1.0, 1.0),
                          ov_vec3_normalize(ov_vec3_make(1.0, 1.0, 1.0)));
    ov_pose beyond = {ov_vec3_make(2.0, 2.0, 2.0), ov_quat_identity()};
    CHECK_STATUS(ov_pair_derivatives(&box, ov_pose_identity(), &box, beyond, &c, &d),
                 OV_NOT_SMOOTH);
    CHECK(!d.gap_smooth && !d.contact_smooth);
    CHECK_OK(beside_point(&box, ov_vec3_make(0.1, 0.2, 1.0), ov_vec3_make(0.1, 0.2, 2.0), &d));
    CHECK(d.gap_smooth && d.contact_smooth);
}

/** A place on a unit curve: anywhere, on an axis, or near one by its point or by its covector. */
static do_curve draw_place(check_random *r, double e) {
    int kind = (int)(check_random_bits(r) % 4);
    bool is_v = check_uniform(r, 0.0, 1.0) < 0.5;
    double share = check_uniform(r, -3.0, 3.0);
    bool tiny = check_uniform(r, 0.0, 1.0) < 0.5;
    do_real small = powl(10.0L, -(do_real)check_uniform(r, 3.0, tiny ? 300.0 : 16.0));
    // in a corner of e = 2 the covector may be any
    do_real g = e == 2.0 ? (do_real)check_uniform(r, 0.0, 1.0) : 0.0L;
    switch (kind) {
    case 0:
        return do_curve_at((do_real)share, (do_real)e);
    case 1:
        return is_v ? (do_curve){1.0L, 0.0L, 1.0L, g} : (do_curve){0.0L, 1.0L, g, 1.0L};
    default:
        return do_curve_near(small, (do_real)e, kind == 2, is_v);
    }
}

static double draw_exponent(check_random *r) {
    static const double special[] = {1e-15, 0.001,      0.3, 0.5, 0.8,        1.0 - 1e-9, 1.0,
                                     1.2,   1.0 + 1e-9, 1.5, 1.9, 2.0 - 1e-9, 2.0};
    const size_t count = sizeof special / sizeof *special;
    size_t i = check_random_bits(r) % count;
    double any = check_uniform(r, 0.05, 1.95);
    return check_uniform(r, 0.0, 1.0) < 0.8 ? special[i] : any;
}

/** A shape, a special place on it, and a sphere over that. */
typedef struct place_case {
    ov_shape shape, ball;
    do_real parameter[OV_PARAMETER_COUNT];
    do_vec centre, nearest; // in the shape's frame
    double beyond;          // from the nearest point to the centre
} place_case;

/** False where the surface is not convex, and the oracle not one of the hull. */
static bool draw_place_case(check_random *r, place_case *p) {
    double e1 = draw_exponent(r), e2 = draw_exponent(r), t[2] = {0.0, 0.0};
    ov_vec3 a = draw_sizes(r, check_uniform(r, 0.0, 1.0) < 0.2 ? 0.01 : 0.3, 1.0);
    if (check_uniform(r, 0.0, 1.0) < 0.4) {
        t[0] = check_uniform(r, -0.99, 0.99);
        t[1] = check_uniform(r, 0.0, 1.0) < 0.5 ? t[0] : check_uniform(r, -0.99, 0.99);
    }
    do_curve section = draw_place(r, e1), profile = draw_place(r, e2);
    do_real sign[3];
    for (int i = 0; i < 3; i++) {
        sign[i] = check_uniform(r, -1.0, 1.0) < 0.0 ? -1.0L : 1.0L;
    }
    double beyond = check_log_uniform(r, 0.05, 3.0), radius = check_uniform(r, 0.1, 1.4);
    if (ov_shape_make_superovoid(a, e1, e2, t[0], t[1], NULL, &p->shape) != OV_OK ||
        p->shape.dent > 0.0) {
        return false;
    }
    const do_real parameter[OV_PARAMETER_COUNT] = {a.x, a.y, a.z, e1, e2, t[0], t[1]};
    memcpy(p->parameter, parameter, sizeof parameter);
    do_point x = do_surface(parameter, sign, section, profile);
    p->beyond = beyond * p->shape.ball.radius;
    CHECK_OK(ov_shape_make_sphere(radius * p->beyond, &p->ball));
    p->centre = do_from(do_to(do_add(x.point, x.normal, (do_real)p->beyond)));
    p->nearest = do_nearest(parameter, p->centre);
    return CHECK(do_length(do_add(p->nearest, x.point, -1.0L)) <= 1e-9L * p->shape.ball.radius);
}

/** Rates of nearest point and normal by a step of the centre, less those that are given. */
static double rate_error(const place_case *p, do_vec axis, do_real step, ov_vec3 point,
                         ov_vec3 normal) {
    do_vec centre = do_add(p->centre, axis, step), x = do_nearest(p->parameter, centre);
    do_vec n = do_unit(do_add(centre, x, -1.0L)),
           before = do_unit(do_add(p->centre, p->nearest, -1));
    const do_vec none = {{0.0L, 0.0L, 0.0L}};
    ov_vec3 moved = do_to(do_add(none, do_add(x, p->nearest, -1.0L), 1.0L / step));
    ov_vec3 turned = do_to(do_add(none, do_add(n, before, -1.0L), 1.0L / step));
    return fmax(off_by(moved, point), p->beyond * off_by(turned, normal));
}

/** The worst of both sides of an axis that is none of the body's own. */
static double place_error(const place_case *p, const ov_contact_derivatives *d, do_vec axis) {
    ov_vec3 point = {0.0, 0.0, 0.0}, normal = point;
    for (int k = 0; k < 3; k++) {
        point = ov_vec3_add_scaled(point, d->point_a[1][k], (double)axis.v[k]);
        normal = ov_vec3_add_scaled(normal, d->normal[1][k], (double)axis.v[k]);
    }
    do_real step = 1e-8L * fminl(p->shape.ball.radius, p->beyond);
    return fmax(rate_error(p, axis, step, point, normal),
                rate_error(p, axis, -step, point, normal));
}

/**
 * At special places of all exponents: what is called a derivative is one to both sides, over steps
 * that a contact can see. 3e-3: a roll holds to 1e-4 and its curvature to 1e-2, over ten steps.
 */
static void test_special_places(void) {
    check_random r = check_random_make(2114);
    const long count = check_count(200);
    const double tolerance = 3e-3;
    double worst = 0.0;
    long compared = 0, none = 0;
    for (long i = 0; i < count; i++) {
        place_case p;
        if (!draw_place_case(&r, &p)) {
            continue;
        }
        do_vec apart = do_add(p.centre, p.nearest, -1.0L), n = do_unit(apart);
        do_vec other = do_add(p.centre, n, -(do_real)p.ball.a.x);
        ov_pose pose_b = {do_to(p.centre), ov_quat_identity()};
        ov_contact c =
            solved((double)do_length(apart) - p.ball.a.x, do_to(p.nearest), do_to(other), do_to(n));
        ov_contact_derivatives d;
        ov_status status =
            ov_pair_derivatives(&p.shape, ov_pose_identity(), &p.ball, pose_b, &c, &d);
        CHECK(status == OV_OK || status == OV_NOT_SMOOTH);
        CHECK(d.gap_smooth); // a sphere's contact is unique
        do_vec axis = do_from(check_unit_vector(&r));
        none += !d.contact_smooth;
        if (d.contact_smooth) {
            double error = place_error(&p, &d, axis);
            worst = fmax(worst, error);
            compared++;
            if (!CHECK(error <= tolerance) && check_may_print()) {
                fprintf(stderr, "  case %ld: e %.17g %.17g, error %.3g\n", i, p.shape.e1,
                        p.shape.e2, error);
            }
        }
    }
    check_worst("special places", worst, tolerance);
    printf("%s: %ld special places compared, %ld without derivatives\n", check_suite, compared,
           none);
    CHECK(compared > count / 3);
}

/** Dual norm of (a, b): exponent 2/(2-e). */
static do_real dual_norm(do_real a, do_real b, do_real e) {
    do_real most = fmaxl(fabsl(a), fabsl(b)), ratio = fminl(fabsl(a), fabsl(b)) / most;
    do_real power = e == 2.0L ? (do_real)(ratio == 1.0L) : powl(ratio, 2.0L / (2.0L - e));
    return most == 0.0L ? 0.0L : most * expl((1.0L - 0.5L * e) * log1pl(power));
}

static do_real support_value(const do_real p[OV_PARAMETER_COUNT], do_vec n) {
    do_real across = dual_norm(p[0] * n.v[0], p[1] * n.v[1], p[OV_PARAMETER_E1]);
    return dual_norm(across, p[2] * n.v[2], p[OV_PARAMETER_E2]);
}

/**
 * Special places over a half-space that turns: by how much the gap's derivatives differ from those
 * to both sides, less what a motion by the step changes them; -1 where they are not called smooth.
 */
static double turning_error(check_random *r) {
    double e1 = draw_exponent(r), e2 = draw_exponent(r);
    ov_vec3 a = draw_sizes(r, 0.3, 1.0);
    do_curve section = draw_place(r, e1), profile = draw_place(r, e2);
    const do_real p[OV_PARAMETER_COUNT] = {a.x, a.y, a.z, e1, e2}, sign[3] = {1.0L, -1.0L, 1.0L};
    do_point x = do_surface(p, sign, section, profile);
    ov_shape s, plane;
    ov_vec3 n = do_to(x.normal), at = do_to(x.point);
    double gap = check_uniform(r, -0.1, 1.0);
    ov_vec3 other = ov_vec3_add_scaled(at, n, gap);
    CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_neg(n), -ov_vec3_dot(n, other), &plane));
    ov_contact c = solved(gap, at, other, n);
    ov_contact_derivatives d;
    (void)ov_pair_derivatives(&s, ov_pose_identity(), &plane, ov_pose_identity(), &c, &d);
    if (!d.gap_smooth) {
        return -1.0;
    }
    double worst = 0.0;
    for (int i = 0; i < 6; i++) {
        int k = i / 2;
        do_real step = i % 2 == 0 ? 1e-8L : -1e-8L;
        do_vec turned = do_turn_about(do_unit(do_from(n)), k, step);
        do_real more = support_value(p, turned) - support_value(p, do_unit(do_from(n)));
        double fast = largest_of(d.point_a[1][k + 3]);
        worst = fmax(worst, fabs(d.gap[1][k + 3] + (double)(more / step)) - 1e-8 * fast);
    }
    return worst;
}

/** What is called a derivative of the gap is one also where flats and straight lines meet a flat.
 */
static void test_special_places_on_planes(void) {
    check_random r = check_random_make(2116);
    const double tolerance = 3e-3; // as above
    double worst = 0.0;
    long smooth = 0;
    for (int i = 0; i < 5000; i++) {
        double error = turning_error(&r);
        smooth += error >= 0.0;
        worst = fmax(worst, error);
    }
    CHECK_NEAR(worst, 0.0, tolerance);
    CHECK(smooth > 1000);
    check_worst("special places on planes", worst, tolerance);
}

static ov_vec3 ball_support(const void *user, ov_vec3 direction) {
    return ov_vec3_scale(direction, *(const double *)user);
}

/** A caller's own shape has no curvature, but the gap has its derivatives. */
static void test_custom(void) {
    const double radius = 1.0;
    ov_shape s;
    ov_contact_derivatives d;
    CHECK_OK(ov_shape_make_custom(ball_support, &radius, (ov_ball){{0.0, 0.0, 0.0}, 1.0}, &s));
    CHECK_STATUS(over_plane(&s, ov_vec3_make(0.0, 0.0, -1.0), 0.3, &d), OV_NOT_SMOOTH);
    CHECK(d.gap[1][2] == 1.0 && d.gap_shape[1][0] == 0.0 && d.point_b[1][0].x == 0.0);
    // against a plane it might be flat; against a sphere the contact is unique
    CHECK(!d.gap_smooth && !d.contact_smooth);
    CHECK_STATUS(beside_point(&s, ov_vec3_make(0.0, 0.0, 1.0), ov_vec3_make(0.0, 0.0, 2.0), &d),
                 OV_NOT_SMOOTH);
    CHECK(d.gap_smooth && !d.contact_smooth);
}

/** The same pair at any scale: rates by translations do not know it. */
static void test_scale(void) {
    ov_contact_derivatives d, base;
    memset(&base, 0, sizeof base);
    for (int i = 0; i < 3; i++) {
        const double scale[3] = {1.0, 0x1p-190, 0x1p190};
        double f = scale[i];
        ov_shape s;
        CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(f, 2.0 * f, 0.5 * f), &s));
        const ov_vec3 up = {0.0, 0.0, 1.0};
        ov_pose above = {ov_vec3_make(0.0, 0.0, 1.5 * f),
                         ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), 0.3)};
        ov_contact c = solved(0.5 * f, ov_vec3_scale(up, 0.5 * f), ov_vec3_scale(up, f), up);
        CHECK_OK(ov_pair_derivatives(&s, ov_pose_identity(), &s, above, &c, &d));
        base = i == 0 ? d : base;
        CHECK_NEAR(off_by(d.point_a[1][0], base.point_a[1][0]), 0.0, 1e-15);
        CHECK_NEAR(off_by(ov_vec3_scale(d.normal[1][1], f), base.normal[1][1]), 0.0, 1e-15);
        CHECK_NEAR(off_by(ov_vec3_scale(d.point_b[0][4], 1.0 / f), base.point_b[0][4]), 0.0, 1e-14);
    }
}

/* ---- bad input */

static void test_bad_input(void) {
    ov_shape s, plane, bent, none;
    memset(&none, 0, sizeof none);
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &plane));
    CHECK_OK(ov_shape_make_bent(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 0.0, 0.0, 0.1, 0.0, &bent));
    ov_pose at = ov_pose_identity(), above = {ov_vec3_make(0.0, 0.0, 3.0), ov_quat_identity()};
    const ov_contact c = solved(1.0, ov_vec3_make(0.0, 0.0, 1.0), ov_vec3_make(0.0, 0.0, 2.0),
                                ov_vec3_make(0.0, 0.0, 1.0));
    ov_contact_derivatives d;
    CHECK_STATUS(ov_pair_derivatives(NULL, at, &s, above, &c, &d), OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_derivatives(&s, at, NULL, above, &c, &d), OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, NULL, &d), OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &c, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_derivatives(&none, at, &s, above, &c, &d), OV_ERROR_SHAPE);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &bent, above, &c, &d), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_pair_derivatives(&plane, at, &plane, above, &c, &d), OV_ERROR_UNBOUNDED);
    ov_pose bad = above;
    bad.position.x = NAN;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, bad, &c, &d), OV_ERROR_NOT_FINITE);
    bad = above;
    memset(&bad.rotation, 0, sizeof bad.rotation);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, bad, &c, &d), OV_ERROR_ZERO_DIRECTION);
    ov_contact e = c;
    e.status = OV_ERROR_TAPER;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_ERROR_TAPER);
    e = c;
    e.gap = INFINITY;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_ERROR_NOT_FINITE);
    e = c;
    e.normal.y = NAN;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_ERROR_NOT_FINITE);
    e = c;
    e.point_b.y = NAN;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_ERROR_NOT_FINITE);
    e = c;
    e.normal = ov_vec3_make(0.0, 0.0, 0.0);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_ERROR_ZERO_DIRECTION);
    // a contact of other bodies: the points are not on these
    e = c;
    e.point_a = ov_vec3_make(0.0, 0.0, 0.5);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_NOT_SMOOTH);
    e = c;
    e.point_a = ov_vec3_make(0.0, 0.0, 0.0);
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_NOT_SMOOTH);
    // bounds that are wider than asked for are told on; quaternions of any length will do
    e = c;
    e.status = OV_NOT_CONVERGED;
    CHECK_STATUS(ov_pair_derivatives(&s, at, &s, above, &e, &d), OV_NOT_CONVERGED);
    above.rotation.w = 7.0;
    CHECK_OK(ov_pair_derivatives(&s, at, &s, above, &c, &d));
}

int main(void) {
    check_suite = "derivatives_limits";
    RUN(test_two_spheres);
    RUN(test_plane_and_ellipsoid);
    RUN(test_poles);
    RUN(test_edge_of_superellipsoid);
    RUN(test_crossing_edges);
    RUN(test_none);
    RUN(test_bridge);
    RUN(test_pole_of_edges);
    RUN(test_tapered_corner);
    RUN(test_ridges_and_tapers);
    RUN(test_marks);
    RUN(test_special_places);
    RUN(test_special_places_on_planes);
    RUN(test_custom);
    RUN(test_scale);
    RUN(test_bad_input);
    return check_finish();
}
