/**
 * @file test_custom.c
 * @brief Shapes by the caller's own support function, and the ball that every convex shape carries.
 *
 * A custom shape that computes what a built-in kind is must have its bounds, and in pair queries
 * its gap: the two go different ways (closed form or smooth solver there, the support-based solver
 * here), so each is an oracle for the other. Everything that a support function cannot tell is
 * refused by name.
 */
#include <string.h>

#include "check.h"

/* ---- bodies */

/** Ellipsoid with semi-axes as user data: the point is a_i^2 d_i over the length of (a_i d_i). */
static ov_vec3 own_ellipsoid(const void *user, ov_vec3 d) {
    const ov_vec3 *a = user;
    ov_vec3 ad = ov_vec3_mul(*a, d);
    return ov_vec3_scale(ov_vec3_mul(*a, ad), 1.0 / ov_vec3_length(ad));
}

/** Any built-in shape, seen through a callback. */
static ov_vec3 own_copy(const void *user, ov_vec3 d) {
    ov_support h;
    return ov_shape_support(user, d, &h) == OV_OK ? h.point : ov_vec3_make(NAN, NAN, NAN);
}

/** Not a number in every direction that points up. */
static ov_vec3 own_broken(const void *user, ov_vec3 d) {
    (void)user;
    return ov_vec3_make(0.0, d.z > 0.0 ? NAN : 0.0, 0.0);
}

/** Remembers the direction that it was asked for. */
static ov_vec3 own_listener(const void *user, ov_vec3 d) {
    ov_vec3 *last = *(ov_vec3 *const *)user;
    *last = d;
    return d;
}

static const ov_ball unit_ball = {{0.0, 0.0, 0.0}, 1.0};

/* ---- the constructor */

static void test_make(void) {
    const ov_vec3 a = {1.0, 1.0, 1.0};
    ov_shape s;
    memset(&s, 0x5a, sizeof s);
    const ov_shape before = s;
    CHECK_STATUS(ov_shape_make_custom(NULL, &a, unit_ball, &s), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_custom(own_ellipsoid, &a, unit_ball, NULL), OV_ERROR_NULL);
    static const struct {
        ov_ball ball;
        ov_status status;
    } bad[] = {{{{0.0, 0.0, 0.0}, 0.0}, OV_ERROR_SIZE_NOT_POSITIVE},
               {{{0.0, 0.0, 0.0}, -1.0}, OV_ERROR_SIZE_NOT_POSITIVE},
               {{{0.0, 0.0, 0.0}, NAN}, OV_ERROR_NOT_FINITE},
               {{{0.0, 0.0, 0.0}, INFINITY}, OV_ERROR_NOT_FINITE},
               {{{0.0, 0.0, 0.0}, 1e-61}, OV_ERROR_SIZE_RANGE},
               {{{0.0, 0.0, 0.0}, 1e61}, OV_ERROR_SIZE_RANGE},
               {{{NAN, 0.0, 0.0}, 1.0}, OV_ERROR_NOT_FINITE},
               {{{0.0, -INFINITY, 0.0}, 1.0}, OV_ERROR_NOT_FINITE},
               {{{0.0, 0.0, 1e61}, 1.0}, OV_ERROR_SIZE_RANGE}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_shape_make_custom(own_ellipsoid, &a, bad[i].ball, &s), bad[i].status);
    }
    CHECK(memcmp(&s, &before, sizeof s) == 0);
    // user data is the caller's business, null included
    CHECK_OK(ov_shape_make_custom(own_broken, NULL, unit_ball, &s));
    CHECK(s.kind == OV_SHAPE_KIND_CUSTOM && ov_shape_is_convex(s.kind));
    CHECK(strcmp(ov_shape_kind_name(s.kind), "custom") == 0);
}

/** The callback gets a unit vector, whatever length was asked for, and its value is scaled back. */
static void test_direction(void) {
    ov_vec3 last, *to_last = &last;
    ov_shape s;
    CHECK_OK(ov_shape_make_custom(own_listener, &to_last, unit_ball, &s));
    check_random r = check_random_make(81);
    for (int i = 0; i < 200; i++) {
        ov_vec3 n = check_unit_vector(&r);
        double length = check_log_uniform(&r, 1e-300, 1e300);
        ov_support h;
        CHECK_OK(ov_shape_support(&s, ov_vec3_scale(n, length), &h));
        CHECK_NEAR(ov_vec3_length(last), 1.0, 1e-15);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(last, n)), 0.0, 1e-15);
        CHECK_NEAR(h.value, length, 4e-15 * length);
    }
}

/* ---- what it can do, against the built-in kind */

static void check_same_box(const ov_aabb *x, const ov_aabb *y, double tolerance) {
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(x->min, y->min)), 0.0, tolerance);
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(x->max, y->max)), 0.0, tolerance);
}

static void test_bounds(void) {
    check_random r = check_random_make(82);
    for (int i = 0; i < 200; i++) {
        ov_vec3 a = ov_vec3_make(check_log_uniform(&r, 0.1, 10.0), check_log_uniform(&r, 0.1, 10.0),
                                 check_log_uniform(&r, 0.1, 10.0));
        double reach = ov_vec3_length(a);
        ov_shape own, built;
        ov_ball ball;
        CHECK_OK(ov_shape_make_ellipsoid(a, &built));
        CHECK_OK(ov_shape_make_custom(own_ellipsoid, &a, (ov_ball){{0.1, 0.0, 0.0}, 11.0}, &own));
        ov_vec3 n = check_unit_vector(&r);
        ov_support h, expected;
        CHECK_OK(ov_shape_support(&own, n, &h));
        CHECK_OK(ov_shape_support(&built, n, &expected));
        CHECK_NEAR(h.value, expected.value, 1e-14 * reach);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(h.point, expected.point)), 0.0, 1e-14 * reach);
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), 3.0), check_rotation(&r)};
        ov_aabb box, box_expected;
        CHECK_OK(ov_shape_aabb(&own, pose, &box));
        CHECK_OK(ov_shape_aabb(&built, pose, &box_expected));
        check_same_box(&box, &box_expected, 1e-13 * (reach + 3.0));
        ov_obb obb;
        CHECK_OK(ov_shape_obb(&own, &obb));
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(obb.half, a)), 0.0, 1e-13 * reach);
        CHECK(obb.half.x >= a.x && obb.half.y >= a.y && obb.half.z >= a.z);
        CHECK_OK(ov_shape_bounding_ball(&own, &ball));
        CHECK(ball.centre.x == 0.1 && ball.radius == 11.0);
    }
}

/** What is not a number is said, by everything that asks the callback in that direction. */
static void test_broken(void) {
    ov_shape s;
    CHECK_OK(ov_shape_make_custom(own_broken, NULL, unit_ball, &s));
    ov_support h;
    ov_aabb box;
    ov_obb obb;
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, 1.0), &h), OV_ERROR_NOT_FINITE);
    CHECK_OK(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, -1.0), &h));
    CHECK_STATUS(ov_shape_aabb(&s, ov_pose_identity(), &box), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_obb(&s, &obb), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, 0.0), &h), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_shape_support(&s, ov_vec3_make(NAN, 0.0, 0.0), &h), OV_ERROR_NOT_FINITE);
}

static void test_unsupported(void) {
    const ov_vec3 a = {1.0, 2.0, 3.0}, p = {0.1, 0.2, 0.3};
    ov_shape s;
    CHECK_OK(ov_shape_make_custom(own_ellipsoid, &a, (ov_ball){{0.0, 0.0, 0.0}, 3.5}, &s));
    ov_field field;
    ov_surface_point at;
    ov_curvature k;
    ov_ball ball;
    ov_mass mass;
    ov_mesh_plan plan = {.vertex_count = 8, .triangle_count = 12};
    ov_vec3 vertices[8], normals[8];
    uint32_t triangles[12][3];
    ov_mesh_options by_error = {.chord_error = 0.1};
    double x, y;
    bool inside;
    CHECK_STATUS(ov_shape_gauge(&s, p, &field), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_gauge_value(&s, p, &x), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_implicit(&s, p, &field), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_contains(&s, p, &inside), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_surface(&s, OV_SPACING_EQUAL, 0.1, 0.2, &at), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_angles(&s, p, &x, &y), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_curvature(&s, p, &k), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_curvature_range(&s, &x, &y), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_inscribed_ball(&s, &ball), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mass(&s, 1.0, &mass), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mesh_plan(&s, NULL, &plan), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mesh_plan(&s, &by_error, &plan), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_mesh_fill(&s, &plan, vertices, normals, triangles), OV_ERROR_UNSUPPORTED);
}

/* ---- the ball of every convex kind */

static ov_vec3 cloud[20];

static ov_status random_flat(check_random *r, ov_shape_kind kind, double size, ov_shape *s) {
    // far from their own origin now and then, but not at size 1, where pairs are made of them
    double away = size * (size == 1.0 ? 1.0 : check_log_uniform(r, 1.0, 1e6));
    ov_vec3 at = ov_vec3_scale(check_unit_vector(r), away);
    ov_vec3 a = ov_vec3_add_scaled(at, check_unit_vector(r), size);
    ov_vec3 b = ov_vec3_add_scaled(at, check_unit_vector(r), size);
    ov_vec3 c = ov_vec3_add_scaled(at, check_unit_vector(r), size);
    return kind == OV_SHAPE_KIND_TRIANGLE  ? ov_shape_make_triangle(a, b, c, s)
           : kind == OV_SHAPE_KIND_SEGMENT ? ov_shape_make_segment(a, b, s)
                                           : ov_shape_make_point(a, s);
}

static ov_status draw_shape(check_random *r, ov_shape_kind kind, double size, ov_shape *s) {
    ov_vec3 a =
        ov_vec3_make(size * check_log_uniform(r, 0.01, 1.0), size * check_log_uniform(r, 0.01, 1.0),
                     size * check_log_uniform(r, 0.01, 1.0));
    double e1 = check_uniform(r, 0.01, 2.0), e2 = check_uniform(r, 0.01, 2.0);
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a.x, s);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, s);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, e1, e2, s);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, e1, e2, check_uniform(r, -0.95, 0.95),
                                        check_uniform(r, -0.95, 0.95), &(ov_shape_options){1.0}, s);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, s);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a.x, a.z, s);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a.x, a.z, s);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(a.x, a.z, s);
    case OV_SHAPE_KIND_POLYHEDRON:
        for (int i = 0; i < 20; i++) {
            cloud[i] = ov_vec3_mul(a, check_unit_vector(r));
        }
        return ov_shape_make_polyhedron(cloud, 20, NULL, 0, s);
    default:
        return random_flat(r, kind, size, s);
    }
}

/** Tapers that bend the surface in too deep are drawn again. */
static ov_status random_shape(check_random *r, ov_shape_kind kind, double size, ov_shape *s) {
    ov_status status = OV_ERROR_DENT;
    for (int i = 0; i < 100 && status == OV_ERROR_DENT; i++) {
        status = draw_shape(r, kind, size, s);
    }
    return status;
}

/**
 * Every support point lies in the ball, and no support plane beyond it: in random directions, and
 * those towards the corners, where a ball is tight. Measured in long double.
 */
static double outside_ball(const ov_shape *s, ov_vec3 n) {
    ov_support h;
    CHECK_OK(ov_shape_support(s, n, &h));
    long double x = (long double)h.point.x - s->ball.centre.x;
    long double y = (long double)h.point.y - s->ball.centre.y;
    long double z = (long double)h.point.z - s->ball.centre.z;
    long double radius = s->ball.radius, far = sqrtl(x * x + y * y + z * z);
    return (double)((far - radius) / (radius > 0.0L ? radius : 1.0L));
}

static void test_balls(void) {
    check_random r = check_random_make(83);
    double worst = -1.0, tightest[OV_SHAPE_KIND_COUNT];
    for (int kind = OV_SHAPE_KIND_SPHERE; kind <= OV_SHAPE_KIND_POINT; kind++) {
        tightest[kind] = -1.0;
        for (int i = 0; i < 60 && kind != OV_SHAPE_KIND_HALFSPACE; i++) {
            static const double sizes[] = {1.0, 1e-6, 1e6, 1e-50, 1e50};
            ov_shape s;
            CHECK_OK(random_shape(&r, (ov_shape_kind)kind, sizes[i % 5], &s));
            CHECK(isfinite(s.ball.radius) && ov_vec3_is_finite(s.ball.centre));
            for (int k = 0; k < 150; k++) {
                ov_vec3 n = check_unit_vector(&r);
                if (k < 27) {
                    n = ov_vec3_make(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
                    n = k == 13 ? ov_vec3_make(0.3, 0.2, 0.1) : n;
                } else if (k % 2 == 0 && s.a.x > 0.0) {
                    // across the body's proportions: corners of boxes, rims of cylinders
                    n = ov_vec3_make(n.x / s.a.x, n.y / s.a.y, s.a.z > 0.0 ? n.z / s.a.z : n.z);
                    n = ov_vec3_normalize(n);
                }
                double out = outside_ball(&s, n);
                CHECK(out <= 0.0);
                worst = fmax(worst, out);
                tightest[kind] = fmax(tightest[kind], out);
            }
        }
    }
    check_worst("support points beyond the ball, in radii", worst, 0.0);
    // a ball that held the body by being huge would say nothing
    CHECK(tightest[OV_SHAPE_KIND_SPHERE] > -1e-12 && tightest[OV_SHAPE_KIND_BOX] > -1e-12);
    CHECK(tightest[OV_SHAPE_KIND_SUPERELLIPSOID] > -0.01 &&
          tightest[OV_SHAPE_KIND_SUPEROVOID] > -0.2);
    ov_shape s;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 1.0, 0.0), 2.0, &s));
    CHECK(isinf(s.ball.radius) && s.ball.radius > 0.0);
}

/** At the end of the range of coordinates, where squares are near 1e120. */
static void test_ball_of_huge_polyhedron(void) {
    static const ov_vec3 v[4] = {{-OV_SIZE_MAX, -OV_SIZE_MAX, -OV_SIZE_MAX},
                                 {OV_SIZE_MAX, OV_SIZE_MAX, -OV_SIZE_MAX},
                                 {OV_SIZE_MAX, -OV_SIZE_MAX, OV_SIZE_MAX},
                                 {-OV_SIZE_MAX, OV_SIZE_MAX, OV_SIZE_MAX}};
    ov_shape s;
    CHECK_OK(ov_shape_make_polyhedron(v, 4, NULL, 0, &s));
    CHECK_NEAR(s.ball.radius, sqrt(3.0) * OV_SIZE_MAX, 1e-12 * OV_SIZE_MAX);
    for (int i = 0; i < 4; i++) {
        CHECK(outside_ball(&s, v[i]) <= 0.0);
    }
}

/* ---- pairs */

/**
 * The bounds of both must have room for one gap. A normal whose lower bound is short of the gap d
 * by w is off by an angle of up to acos(1 - w/d).
 */
static void check_same_contact(const ov_contact *own, const ov_contact *built, double size) {
    CHECK(own->gap_lower <= built->gap_upper && built->gap_lower <= own->gap_upper);
    CHECK(own->gap_lower <= own->gap && own->gap <= own->gap_upper);
    double width = own->gap_upper - own->gap_lower, other = built->gap_upper - built->gap_lower;
    if (own->relation == OV_RELATION_SEPARATED && built->relation == OV_RELATION_SEPARATED) {
        double angle = sqrt(2.0 * width / own->gap) + sqrt(2.0 * other / built->gap);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(own->normal, built->normal)), 0.0, 1.1 * angle);
        if (own->status == OV_OK) {
            CHECK_NEAR(width, 0.0, 1.01e-9 * size);
        }
    }
    bool contrary =
        (own->relation == OV_RELATION_SEPARATED && built->relation == OV_RELATION_OVERLAPPING) ||
        (own->relation == OV_RELATION_OVERLAPPING && built->relation == OV_RELATION_SEPARATED);
    CHECK(!contrary);
}

/** Kinds with all sorts of surfaces; for an ellipsoid the callback is a formula of its own. */
static const ov_shape_kind copied[] = {OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
                                       OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CYLINDER,
                                       OV_SHAPE_KIND_SUPEROVOID};
static const ov_shape_kind partners[] = {OV_SHAPE_KIND_SPHERE, OV_SHAPE_KIND_SUPERELLIPSOID,
                                         OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CAPSULE,
                                         OV_SHAPE_KIND_TRIANGLE};

static ov_shape custom_copy(const ov_shape *built) {
    ov_shape own;
    bool formula = built->kind == OV_SHAPE_KIND_ELLIPSOID;
    const void *user = formula ? (const void *)&built->a : built;
    CHECK_OK(ov_shape_make_custom(formula ? own_ellipsoid : own_copy, user, built->ball, &own));
    return own;
}

static void test_pairs(void) {
    check_random r = check_random_make(84);
    int solved = 0, asked = 0, separated = 0;
    for (int i = 0; i < 1000; i++) {
        ov_shape a, b;
        CHECK_OK(random_shape(&r, copied[i % 5], 1.0, &a));
        CHECK_OK(random_shape(&r, partners[i / 5 % 5], 1.0, &b));
        ov_shape own_a = custom_copy(&a), own_b;
        bool both = i % 3 == 0 && b.kind == OV_SHAPE_KIND_SUPERELLIPSOID;
        own_b = both ? custom_copy(&b) : b;
        ov_pose pose_a = {check_unit_vector(&r), check_rotation(&r)},
                pose_b = {.rotation = check_rotation(&r)};
        // the bodies' balls apart, or partly in each other
        double away = (a.ball.radius + b.ball.radius) * check_uniform(&r, 0.3, 2.0);
        ov_vec3 middle_b = ov_quat_rotate(pose_b.rotation, b.ball.centre);
        pose_b.position = ov_vec3_sub(
            ov_vec3_add_scaled(ov_pose_apply(pose_a, a.ball.centre), check_unit_vector(&r), away),
            middle_b);
        double size = fmax(a.ball.radius, b.ball.radius);
        ov_contact built, own;
        CHECK(ov_pair_contact(&a, pose_a, &b, pose_b, NULL, NULL, &built) >= 0);
        CHECK(ov_pair_contact(&own_a, pose_a, &own_b, pose_b, NULL, NULL, &own) >= 0);
        check_same_contact(&own, &built, size);
        CHECK(ov_pair_contact(&own_b, pose_b, &own_a, pose_a, NULL, NULL, &own) >= 0);
        own.normal = ov_vec3_neg(own.normal);
        check_same_contact(&own, &built, size);
        if (built.relation == OV_RELATION_SEPARATED) {
            asked++;
            solved += own.status == OV_OK;
        }
        separated += built.relation == OV_RELATION_SEPARATED;
    }
    printf("custom: %d of %d separated pairs solved\n", solved, asked);
    CHECK(separated > 300 && separated < 950);
    CHECK(solved >= asked - asked / 100);
}

static void test_halfspace_pairs(void) {
    check_random r = check_random_make(85);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        ov_shape a, plane;
        CHECK_OK(random_shape(&r, copied[i % 5], 1.0, &a));
        CHECK_OK(
            ov_shape_make_halfspace(check_unit_vector(&r), check_uniform(&r, -1.0, 1.0), &plane));
        ov_shape own = custom_copy(&a);
        ov_pose pose_a = {check_unit_vector(&r), check_rotation(&r)};
        ov_pose pose_b = {check_unit_vector(&r), check_rotation(&r)};
        ov_contact x, y;
        CHECK_OK(ov_pair_contact(&a, pose_a, &plane, pose_b, NULL, NULL, &x));
        CHECK_OK(ov_pair_contact(&own, pose_a, &plane, pose_b, NULL, NULL, &y));
        worst = fmax(worst, fabs(x.gap - y.gap));
        CHECK_NEAR(y.gap, x.gap, 1e-13);
        CHECK(x.relation == y.relation);
    }
    check_worst("half-space, gap against the built-in kind", worst, 1e-13);
}

/** A query that meets a broken callback says so, and its numbers are none. */
static void test_broken_pairs(void) {
    ov_shape s, plane, ball;
    ov_contact c;
    ov_pose above = ov_pose_identity();
    above.position = ov_vec3_make(0.0, 0.0, 5.0);
    CHECK_OK(ov_shape_make_custom(own_broken, NULL, unit_ball, &s));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, -1.0), -5.0, &plane));
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    CHECK_STATUS(
        ov_pair_contact(&s, ov_pose_identity(), &plane, ov_pose_identity(), NULL, NULL, &c),
        OV_ERROR_NOT_FINITE);
    CHECK(isnan(c.gap) && isnan(c.gap_lower) && isnan(c.gap_upper) && isnan(c.normal.x));
    CHECK_STATUS(
        ov_pair_contact(&plane, ov_pose_identity(), &s, ov_pose_identity(), NULL, NULL, &c),
        OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_pair_contact(&s, ov_pose_identity(), &ball, above, NULL, NULL, &c),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_pair_contact(&ball, above, &s, ov_pose_identity(), NULL, NULL, &c),
                 OV_ERROR_NOT_FINITE);
}

int main(void) {
    check_suite = "custom";
    RUN(test_make);
    RUN(test_direction);
    RUN(test_bounds);
    RUN(test_broken);
    RUN(test_unsupported);
    RUN(test_balls);
    RUN(test_ball_of_huge_polyhedron);
    RUN(test_pairs);
    RUN(test_halfspace_pairs);
    RUN(test_broken_pairs);
    return check_finish();
}
