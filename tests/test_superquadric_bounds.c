/**
 * @file test_superquadric_bounds.c
 * @brief Boxes and balls of the smooth family: they hold the body (rounding included), and they are
 * tight.
 *
 * Surface points and rotations are long double, so that "holds" is meant strictly: no tolerance.
 * Tightness of boxes is against the scanned support function, of balls against a search of their
 * own: the distance to a section by Hölder's inequality, which a scan of the section confirms
 * first, then golden sections over the height and over the centre.
 */
#include "support_cases.h"

static ov_shape any_shape(check_random *r, int i) {
    ov_shape s;
    switch (i % 6) {
    case 0:
        CHECK_OK(ov_shape_make_sphere(check_log_uniform(r, 1e-3, 1e3), &s));
        return s;
    case 1:
        CHECK_OK(ov_shape_make_ellipsoid(case_axes(r), &s));
        return s;
    case 2:
        return case_straight(r, i / 6);
    default:
        return case_tapered(r, i / 6, i % 6 == 5 ? 1.0 : 0.05);
    }
}

static so_real support_of(const ov_shape *s, const so_grid *g, so_vec n) {
    return s->kind == OV_SHAPE_KIND_SUPEROVOID ? so_support(s, g, n).value
                                               : so_support_straight(s, n);
}

/* ---- boxes */

/** Rows of the rotation matrix of a quaternion of any length. */
static void rotation_rows(ov_quat q, so_vec rows[3]) {
    so_real n =
        sqrtl((so_real)q.w * q.w + (so_real)q.x * q.x + (so_real)q.y * q.y + (so_real)q.z * q.z);
    so_real w = q.w / n, x = q.x / n, y = q.y / n, z = q.z / n;
    rows[0] = (so_vec){1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)};
    rows[1] = (so_vec){2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)};
    rows[2] = (so_vec){2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

/** Turns of every kind, those that bring an axis close to another one among them. */
static ov_quat random_turn(check_random *r, int i) {
    if (i % 3 == 0) {
        ov_vec3 axis = {i % 9 == 0, i % 9 == 3, i % 9 == 6};
        return ov_quat_from_axis_angle(axis, 0.5 * M_PI * (double)(i / 9 % 4));
    }
    ov_quat q = check_rotation(r);
    if (i % 3 == 1) {
        double length = check_log_uniform(r, 1e-3, 1e3);
        q = (ov_quat){q.w * length, q.x * length, q.y * length, q.z * length};
    }
    return q;
}

/**
 * One side of a box against the support function: never short, and longer by rounding only. What
 * may be lost is a matter of the whole body's size, for the rotation itself is rounded.
 */
static double check_side(const ov_shape *s, double side, so_real exact, so_real size) {
    double excess = (double)((side - exact) / size);
    bool good = CHECK(side >= exact);
    good = CHECK(excess <= 1e-12) && good;
    if (!good && check_may_print()) {
        fprintf(stderr,
                "  side %.20Lg exact %.20Lg, off by %.3Lg of the extent, %.3Lg of the size\n",
                (so_real)side, exact, (side - exact) / fabsl(exact), (side - exact) / size);
        case_print(s);
    }
    return excess;
}

static void test_aabb(void) {
    check_random r = check_random_make(701);
    double worst = 0.0;
    static so_grid g;
    for (int i = 0; i < 360; i++) {
        ov_shape s = any_shape(&r, i);
        so_make_grid(&s, &g);
        double size = fmax(s.a.x, fmax(s.a.y, s.a.z)), far = i % 2 == 0 ? 0.0 : 10.0 * size;
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), far), random_turn(&r, i)};
        ov_aabb box;
        CHECK_OK(ov_shape_aabb(&s, pose, &box));
        so_vec rows[3];
        rotation_rows(pose.rotation, rows);
        const double lo[3] = {box.min.x, box.min.y, box.min.z};
        const double hi[3] = {box.max.x, box.max.y, box.max.z};
        const so_real p[3] = {pose.position.x, pose.position.y, pose.position.z};
        for (int k = 0; k < 3; k++) {
            so_vec down = {-rows[k].x, -rows[k].y, -rows[k].z};
            so_real reach = size + far;
            worst = fmax(worst, check_side(&s, hi[k], p[k] + support_of(&s, &g, rows[k]), reach));
            worst = fmax(worst, check_side(&s, -lo[k], -p[k] + support_of(&s, &g, down), reach));
        }
        for (int j = 0; j < 60; j++) {
            so_vec q = so_surface(&s, check_uniform(&r, -2.0, 2.0), check_uniform(&r, -1.0, 1.0));
            for (int k = 0; k < 3; k++) {
                so_real x = p[k] + so_dot(rows[k], q);
                CHECK(x >= lo[k] && x <= hi[k]);
            }
        }
    }
    check_worst("axis-aligned box, longer than the body by, of its size", worst, 1e-12);
}

/**
 * Plates with sharp edges, turned by a few units in the last place off a quarter turn: the thin
 * side of the box is a thousand times shorter than the body, and the rounding of the turn shows in
 * it.
 */
static void test_thin_plates(void) {
    check_random r = check_random_make(707);
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        double thin = check_log_uniform(&r, 1e-3, 1e-2), half = sqrt(0.5);
        ov_vec3 a = {i % 3 == 0 ? thin : 1.0, i % 3 == 1 ? thin : 1.0, i % 3 == 2 ? thin : 1.0};
        ov_shape s;
        CHECK_OK(ov_shape_make_superellipsoid(a, check_log_uniform(&r, 1e-3, 0.3), 0.01, &s));
        double off[4];
        for (int k = 0; k < 4; k++) {
            off[k] = 0x1p-53 * check_uniform(&r, -8.0, 8.0);
        }
        double turned = i / 3 % 4 == 0 ? 0.0 : half, straight = i / 3 % 4 == 0 ? 1.0 : half;
        ov_pose pose = ov_pose_identity();
        pose.rotation = (ov_quat){straight + off[0], (i / 3 % 4 == 1 ? turned : 0.0) + off[1],
                                  (i / 3 % 4 == 2 ? turned : 0.0) + off[2],
                                  (i / 3 % 4 == 3 ? turned : 0.0) + off[3]};
        ov_aabb box;
        CHECK_OK(ov_shape_aabb(&s, pose, &box));
        so_vec rows[3];
        rotation_rows(pose.rotation, rows);
        const double hi[3] = {box.max.x, box.max.y, box.max.z};
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, check_side(&s, hi[k], so_support_straight(&s, rows[k]), 1.0L));
        }
    }
    check_worst("box of a thin plate, longer than it by, of its size", worst, 1e-12);
}

static void test_obb(void) {
    check_random r = check_random_make(702);
    double worst = 0.0;
    static so_grid g;
    for (int i = 0; i < 180; i++) {
        ov_shape s = any_shape(&r, i);
        so_make_grid(&s, &g);
        ov_obb box;
        CHECK_OK(ov_shape_obb(&s, &box));
        ov_quat q = box.pose.rotation;
        CHECK(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
        const so_real centre[3] = {box.pose.position.x, box.pose.position.y, box.pose.position.z};
        const so_real half[3] = {box.half.x, box.half.y, box.half.z};
        for (int k = 0; k < 6; k++) {
            so_real sign = k % 2 == 0 ? 1.0L : -1.0L;
            so_vec n = {k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0};
            so_real exact = support_of(&s, &g, n), side = sign * centre[k / 2] + half[k / 2];
            // here the size that counts is that of the side itself
            double excess = (double)(side / exact - 1.0L);
            worst = fmax(worst, excess);
            if (!CHECK(side >= exact) || !CHECK(excess <= 1e-12)) {
                case_print(&s);
            }
        }
    }
    check_worst("oriented box, longer than the body by, relative", worst, 1e-12);
}

/* ---- distances from a point of the axis */

/** Extreme of x^2 + y^2 on the superellipse with semi-axes a, b; see Hölder's inequality. */
static so_real section_reach2(so_real a, so_real b, double e, bool largest) {
    so_real big = fmaxl(a, b) * fmaxl(a, b), small = fminl(a, b) * fminl(a, b);
    if (e == 1.0 || (largest && e > 1.0) || (!largest && e < 1.0)) {
        return largest ? big : small;
    }
    so_real k = 1.0L / (1.0L - (so_real)e); // a positive exponent for the largest, else negative
    so_real first = largest ? big : small, ratio = largest ? small / big : big / small;
    return first * powl(1.0L + powl(ratio, k), 1.0L / k);
}

/** The same by a scan: that formula is all that the searches below build on. */
static void test_section(void) {
    check_random r = check_random_make(703);
    double worst = 0.0;
    for (int i = 0; i < 150; i++) {
        double e = case_exponent(&r, i);
        so_real a = 1.0L, b = check_log_uniform(&r, 1e-3, 1e3), most = 0.0L, least = INFINITY;
        for (int k = 0; k <= 2000; k++) {
            so_ray at = so_on_ray(k / 2000.0L, so_primal(e));
            so_real d2 = a * a * at.w * at.w + b * b * at.zeta * at.zeta;
            most = fmaxl(most, d2);
            least = fminl(least, d2);
        }
        double above = (double)(section_reach2(a, b, e, true) / most - 1.0L);
        double below = (double)(1.0L - section_reach2(a, b, e, false) / least);
        worst = fmax(worst, fmax(above, below));
        CHECK(above >= -1e-15 && above <= 2e-3);
        CHECK(below >= -1e-15 && below <= 2e-3);
    }
    check_worst("reach of a section beyond its scan, relative", worst, 2e-3);
}

enum { LEVELS = 241 };

/** Squared extreme distance as a function of height and centre. */
typedef struct ball_oracle {
    const ov_shape *s;
    bool largest;
    so_real ray[LEVELS], z[LEVELS], reach2[LEVELS];
} ball_oracle;

static void level(const ball_oracle *b, so_real ray, so_real *z, so_real *reach2) {
    const ov_shape *s = b->s;
    so_ray at = so_on_ray(ray, so_primal(s->e2));
    *z = s->a.z * at.zeta;
    *reach2 = at.w * at.w *
              section_reach2(s->a.x * (1.0L + s->tx * at.zeta), s->a.y * (1.0L + s->ty * at.zeta),
                             s->e1, b->largest);
}

static void make_ball_oracle(const ov_shape *s, bool largest, ball_oracle *b) {
    b->s = s;
    b->largest = largest;
    for (int i = 0; i < LEVELS; i++) {
        // closer towards the poles and the equator
        so_real t = 2.0L * i / (LEVELS - 1) - 1.0L;
        b->ray[i] = fabsl(t) < 0.5L ? 2 * t * fabsl(t)
                                    : copysignl(1 - 2 * (1 - fabsl(t)) * (1 - fabsl(t)), t);
        level(b, b->ray[i], &b->z[i], &b->reach2[i]);
    }
}

/** Larger is more extreme. */
static so_real score(const ball_oracle *b, so_real z, so_real reach2, so_real c) {
    so_real d2 = (z - c) * (z - c) + reach2;
    return b->largest ? d2 : -d2;
}

/** A centre, to be held while the height is searched. */
typedef struct centred {
    const ball_oracle *b;
    so_real c;
} centred;

static so_real score_on_ray(so_real ray, const void *context) {
    const centred *at = context;
    so_real z, reach2;
    level(at->b, ray, &z, &reach2);
    return score(at->b, z, reach2, at->c);
}

/** Largest or smallest distance of the surface from (0, 0, c). */
static so_real extreme_distance(so_real c, const void *context) {
    const ball_oracle *b = context;
    const centred at = {b, c};
    so_real here[LEVELS], best = -(so_real)INFINITY;
    for (int i = 0; i < LEVELS; i++) {
        here[i] = score(b, b->z[i], b->reach2[i], c);
        best = fmaxl(best, here[i]);
    }
    for (int i = 0; i < LEVELS; i++) {
        int before = i > 0 ? i - 1 : 0, after = i < LEVELS - 1 ? i + 1 : i;
        if (here[i] >= here[before] && here[i] >= here[after]) {
            so_peak peak = so_golden_max(score_on_ray, &at, b->ray[before], b->ray[after], 66);
            best = fmaxl(best, peak.value);
        }
        // a slender body may have its closest point right beside c, between two levels
        if (!b->largest && b->z[i] <= c && c <= b->z[after]) {
            so_peak peak = so_golden_max(score_on_ray, &at, b->ray[i], b->ray[after], 66);
            best = fmaxl(best, peak.value);
        }
    }
    return sqrtl(fabsl(best));
}

static so_real merit(so_real c, const void *context) {
    const ball_oracle *b = context;
    return (b->largest ? -1.0L : 1.0L) * extreme_distance(c, b);
}

/** Least largest, or largest least distance over the centres of the axis. */
static so_real best_radius(const ball_oracle *b) {
    return fabsl(so_golden_max(merit, b, -b->s->a.z, b->s->a.z, 48).value);
}

/* ---- balls */

/** All surface samples on the right side of a ball, strictly. */
static void check_samples(check_random *r, const ov_shape *s, const ov_ball *ball, bool enclosing) {
    bool good = CHECK(ball->centre.x == 0.0 && ball->centre.y == 0.0 && ball->radius > 0.0);
    for (int k = 0; k < 300; k++) {
        so_vec p = so_surface(s, check_uniform(r, -2.0, 2.0), check_uniform(r, -1.0, 1.0));
        p.z -= ball->centre.z;
        so_real d = so_length(p);
        good = CHECK(enclosing ? d <= ball->radius : d >= ball->radius) && good;
    }
    if (!good) {
        case_print(s);
    }
}

static void test_bounding_ball(void) {
    check_random r = check_random_make(704);
    double worst = 0.0;
    for (int i = 0; i < 132; i++) {
        ov_shape s = any_shape(&r, i);
        ov_ball ball = {{0.0, 0.0, 0.0}, 0.0};
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        check_samples(&r, &s, &ball, true);
        static ball_oracle b;
        make_ball_oracle(&s, true, &b);
        bool good = CHECK(ball.radius >= extreme_distance(ball.centre.z, &b));
        double excess = (double)(ball.radius / best_radius(&b) - 1.0L);
        worst = fmax(worst, excess);
        good = CHECK(excess <= 1e-8) && good;
        if (!good) {
            case_print(&s);
        }
    }
    check_worst("bounding ball larger than the smallest, relative", worst, 1e-8);
}

static void test_inscribed_ball(void) {
    check_random r = check_random_make(705);
    double worst = 0.0;
    for (int i = 0; i < 132; i++) {
        ov_shape s = any_shape(&r, i);
        ov_ball ball = {{0.0, 0.0, 0.0}, 0.0};
        CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
        check_samples(&r, &s, &ball, false);
        static ball_oracle b;
        make_ball_oracle(&s, false, &b);
        bool good = CHECK(ball.radius <= extreme_distance(ball.centre.z, &b));
        if (s.dent == 0.0) {
            double lack = (double)(1.0L - ball.radius / best_radius(&b));
            worst = fmax(worst, lack);
            good = CHECK(lack <= 1e-8) && good;
        }
        if (!good) {
            case_print(&s);
        }
    }
    check_worst("inscribed ball of convex bodies smaller than the largest, relative", worst, 1e-8);
}

/** Spheres and ellipsoids, where the answer is known. */
static void test_closed_forms(void) {
    check_random r = check_random_make(706);
    for (int i = 0; i < 200; i++) {
        ov_vec3 a = case_axes(&r);
        ov_shape s;
        ov_ball outer, inner;
        CHECK_OK(ov_shape_make_ellipsoid(a, &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &outer));
        CHECK_OK(ov_shape_inscribed_ball(&s, &inner));
        double big = fmax(a.x, fmax(a.y, a.z)), small = fmin(a.x, fmin(a.y, a.z));
        CHECK(outer.radius >= big && outer.radius <= big * (1.0 + 1e-13));
        CHECK(inner.radius <= small && inner.radius >= small * (1.0 - 1e-13));
        // a box with rounded edges shorter than 1e-6 of it
        CHECK_OK(ov_shape_make_superellipsoid(a, 1e-7, 1e-7, &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &outer));
        CHECK_NEAR(outer.radius, ov_vec3_length(a), 1e-6 * outer.radius);
        // the octahedron: the ball meets its faces
        CHECK_OK(ov_shape_make_superellipsoid(a, 2.0, 2.0, &s));
        CHECK_OK(ov_shape_inscribed_ball(&s, &inner));
        double face = 1.0 / ov_vec3_length(ov_vec3_make(1.0 / a.x, 1.0 / a.y, 1.0 / a.z));
        CHECK_NEAR(inner.radius, face, 1e-13 * face);
    }
}

static void test_extreme_sizes(void) {
    const double sizes[] = {1e-60, 1e-50, 1e50, 1e60};
    for (int i = 0; i < 4; i++) {
        double c = sizes[i];
        ov_shape unit, s;
        ov_ball one, ball;
        ov_aabb box;
        ov_obb obb;
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1, 1, 1), 0.8, 1.2, 0.3, 0.3, NULL, &unit));
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(c, c, c), 0.8, 1.2, 0.3, 0.3, NULL, &s));
        CHECK_OK(ov_shape_bounding_ball(&unit, &one));
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        CHECK_NEAR(ball.radius / c, one.radius, 1e-8);
        CHECK_OK(ov_shape_inscribed_ball(&unit, &one));
        CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
        CHECK_NEAR(ball.radius / c, one.radius, 1e-8);
        CHECK_OK(ov_shape_obb(&s, &obb));
        CHECK_NEAR(obb.half.z / c, 1.0, 1e-12);
        CHECK_OK(ov_shape_aabb(&s, ov_pose_identity(), &box));
        CHECK(isfinite(box.max.x) && box.max.x >= c && box.min.z <= -c);
    }
}

static void test_status(void) {
    ov_shape s;
    ov_aabb box;
    ov_obb obb;
    ov_ball ball;
    ov_pose pose = ov_pose_identity();
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1, 2, 3), 0.8, 0.9, 0.2, 0.1, NULL, &s));
    CHECK_STATUS(ov_shape_aabb(NULL, pose, &box), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_aabb(&s, pose, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_obb(NULL, &obb), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_obb(&s, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_bounding_ball(NULL, &ball), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_bounding_ball(&s, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_inscribed_ball(NULL, &ball), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_inscribed_ball(&s, NULL), OV_ERROR_NULL);
    pose.position.y = NAN;
    CHECK_STATUS(ov_shape_aabb(&s, pose, &box), OV_ERROR_NOT_FINITE);
    pose.position.y = 1e101;
    CHECK_STATUS(ov_shape_aabb(&s, pose, &box), OV_ERROR_SIZE_RANGE);
    pose = ov_pose_identity();
    pose.rotation.x = INFINITY;
    CHECK_STATUS(ov_shape_aabb(&s, pose, &box), OV_ERROR_NOT_FINITE);
    pose.rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
    CHECK_STATUS(ov_shape_aabb(&s, pose, &box), OV_ERROR_ZERO_DIRECTION);
}

int main(void) {
    check_suite = "superquadric_bounds";
    RUN(test_aabb);
    RUN(test_thin_plates);
    RUN(test_obb);
    RUN(test_section);
    RUN(test_bounding_ball);
    RUN(test_inscribed_ball);
    RUN(test_closed_forms);
    RUN(test_extreme_sizes);
    RUN(test_status);
    return check_finish();
}
