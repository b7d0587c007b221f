/**
 * @file test_motion_metric.c
 * @brief The metric of displacements: against sums over the mass in long double, against grids of
 * points in shapes, and against what displacements do to points.
 *
 * Two references for a length: the sum over the mass itself (the definition, which the constructors
 * must meet) and the formula of the stored metric in long double (which bounds must hold for).
 */
#include "check.h"

#include "motion/metric.h"

enum { POINTS = 12 };

typedef long double real;

/** A body of point masses and its metric. */
typedef struct body {
    size_t count;
    ov_vec3 points[POINTS];
    double weights[POINTS];
    double size; /**< of the body, about */
    ov_metric metric;
} body;

static ov_vec3 random_vector(check_random *r, double size) {
    return ov_vec3_make(check_uniform(r, -size, size), check_uniform(r, -size, size),
                        check_uniform(r, -size, size));
}

/** Squeezed by `thin` along a random direction, and off the origin by some sizes. */
static body random_body(check_random *r, double size, double thin, double weight) {
    body b = {.count = 4 + check_random_bits(r) % (POINTS - 3), .size = size};
    ov_mat3 turn = ov_mat3_from_quat(check_rotation(r));
    ov_vec3 middle = random_vector(r, 3.0 * size);
    for (size_t i = 0; i < b.count; i++) {
        ov_vec3 p = random_vector(r, size);
        p.z *= thin;
        // four corners that span something, whatever the others are
        double s = i < 4 ? 0.8 * size : 0.0;
        p = i == 0   ? ov_vec3_make(s, s, s * thin)
            : i == 1 ? ov_vec3_make(s, -s, -s * thin)
            : i == 2 ? ov_vec3_make(-s, s, -s * thin)
            : i == 3 ? ov_vec3_make(-s, -s, s * thin)
                     : p;
        b.points[i] = ov_vec3_add(middle, ov_mat3_mul_vec3(&turn, p));
        b.weights[i] = weight * check_log_uniform(r, 0.1, 10.0);
    }
    CHECK_OK(ov_metric_from_points(b.points, b.weights, b.count, &b.metric));
    return b;
}

/** Linear part of size 1, translation of the body's size. */
static ov_affine random_affine(check_random *r, double size) {
    return (ov_affine){{random_vector(r, 1.0), random_vector(r, 1.0), random_vector(r, 1.0)},
                       random_vector(r, size)};
}

static void image(const ov_affine *a, ov_vec3 p, real out[3]) {
    const double *m = &a->linear.cx.x, *t = &a->translation.x;
    for (int i = 0; i < 3; i++) {
        out[i] = (real)m[i] * p.x + (real)m[3 + i] * p.y + (real)m[6 + i] * p.z + t[i];
    }
}

/** Sum of w a(x).b(x). */
static real dot_by_mass(const body *b, const ov_affine *f, const ov_affine *g) {
    real sum = 0.0L;
    for (size_t i = 0; i < b->count; i++) {
        real u[3], v[3];
        image(f, b->points[i], u);
        image(g, b->points[i], v);
        sum += b->weights[i] * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
    }
    return sum;
}

/** Length of a difference by the stored metric. */
static real length_by_metric(const ov_metric *m, const ov_affine *d) {
    real v[3];
    image(d, m->centre, v);
    real sum = (real)m->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const ov_affine linear = {d->linear, {0.0, 0.0, 0.0}};
    const ov_vec3 axes[3] = {m->axes.cx, m->axes.cy, m->axes.cz};
    const double moments[3] = {m->moments.x, m->moments.y, m->moments.z};
    for (int i = 0; i < 3; i++) {
        image(&linear, axes[i], v);
        sum += (real)moments[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sqrtl(sum);
}

/** Coordinates y of x - b in the stored axes, as they are: by Cramer's rule. */
static void coordinates(const ov_metric *m, const real x[3], real y[3]) {
    real d[3] = {x[0] - m->centre.x, x[1] - m->centre.y, x[2] - m->centre.z};
    const ov_vec3 axes[3] = {m->axes.cx, m->axes.cy, m->axes.cz};
    real a[3][3];
    for (int i = 0; i < 3; i++) {
        a[i][0] = axes[i].x;
        a[i][1] = axes[i].y;
        a[i][2] = axes[i].z;
    }
    real cross[3][3];
    for (int i = 0; i < 3; i++) {
        const real *u = a[(i + 1) % 3], *v = a[(i + 2) % 3];
        cross[i][0] = u[1] * v[2] - u[2] * v[1];
        cross[i][1] = u[2] * v[0] - u[0] * v[2];
        cross[i][2] = u[0] * v[1] - u[1] * v[0];
    }
    real whole = a[0][0] * cross[0][0] + a[0][1] * cross[0][1] + a[0][2] * cross[0][2];
    for (int i = 0; i < 3; i++) {
        y[i] = (d[0] * cross[i][0] + d[1] * cross[i][1] + d[2] * cross[i][2]) / whole;
    }
}

static real distortion_by_metric(const ov_metric *m, const real x[3]) {
    real y[3];
    coordinates(m, x, y);
    return sqrtl(1.0L / m->mass + y[0] * y[0] / m->moments.x + y[1] * y[1] / m->moments.y +
                 y[2] * y[2] / m->moments.z);
}

static real distortion_at(const ov_metric *m, ov_vec3 p) {
    const real x[3] = {p.x, p.y, p.z};
    return distortion_by_metric(m, x);
}

/* ---- products and distances */

static void test_against_mass(void) {
    check_random r = check_random_make(6101);
    double worst_dot = 0.0, worst_distance = 0.0, worst_frame = 0.0;
    for (int i = 0; i < 3000; i++) {
        double size = i % 3 == 0 ? check_log_uniform(&r, 1e-60, 1e60) : 1.0;
        double weight = i % 5 == 0 ? check_log_uniform(&r, 1e-50, 1e50) : 1.0;
        body b = random_body(&r, size, check_log_uniform(&r, 1e-3, 1.0), weight);
        ov_affine f = random_affine(&r, size), g = random_affine(&r, size);
        real ff = dot_by_mass(&b, &f, &f), gg = dot_by_mass(&b, &g, &g);
        real dot = dot_by_mass(&b, &f, &g), scale = sqrtl(ff) * sqrtl(gg);
        // the translation of the body's points is some sizes more than that of its middle
        worst_dot =
            fmax(worst_dot, (double)(fabsl(ov_metric_dot(&b.metric, &f, &g) - dot) / scale));
        real distance = sqrtl(ff - 2.0L * dot + gg);
        worst_distance =
            fmax(worst_distance, (double)(fabsl(ov_metric_distance(&b.metric, &f, &g) - distance) /
                                          sqrtl(ff + gg)));
        const ov_vec3 *a = &b.metric.axes.cx;
        for (int k = 0; k < 9; k++) {
            double product = ov_vec3_dot(a[k / 3], a[k % 3]) - (k % 4 == 0 ? 1.0 : 0.0);
            worst_frame = fmax(worst_frame, fabs(product));
        }
        CHECK(ov_vec3_dot(ov_vec3_cross(a[0], a[1]), a[2]) > 0.0);
        CHECK_OK(ovi_metric_check(&b.metric));
    }
    CHECK(worst_dot < 1e-13);
    CHECK(worst_distance < 1e-13);
    CHECK(worst_frame <= 0.75 * OVI_METRIC_FRAME);
    check_worst("scalar product against the mass", worst_dot, 1e-13);
    check_worst("distance against the mass", worst_distance, 1e-13);
    check_worst("products of the axes", worst_frame, 0.75 * OVI_METRIC_FRAME);
}

/** Small and large displacements: neither squares nor products may vanish or overflow. */
static void test_range(void) {
    check_random r = check_random_make(6102);
    double worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        double size = check_log_uniform(&r, 1e-55, 1e55), turn = check_log_uniform(&r, 1e-90, 1e40);
        body b = random_body(&r, size, 0.3, check_log_uniform(&r, 1e-50, 1e50));
        ov_affine d = random_affine(&r, size), zero = {0};
        d.linear.cx = ov_vec3_scale(d.linear.cx, turn);
        d.linear.cy = ov_vec3_scale(d.linear.cy, turn);
        d.linear.cz = ov_vec3_scale(d.linear.cz, turn);
        d.translation = ov_vec3_scale(d.translation, turn);
        real truth = sqrtl(dot_by_mass(&b, &d, &d));
        double error, length = ovi_metric_length(&b.metric, &d, &error);
        worst = fmax(worst, (double)(fabsl(ov_metric_distance(&b.metric, &d, &zero) / truth - 1)));
        CHECK(fabsl(length - length_by_metric(&b.metric, &d)) <= error);
        CHECK(error < 1e-12 * length);
    }
    CHECK(worst < 1e-13);
    check_worst("lengths of any size against the mass", worst, 1e-13);
}

/* ---- shapes */

static void check_shape(const ov_shape *shape, double *worst) {
    ov_metric m;
    ov_obb box;
    CHECK_OK(ov_metric_from_shape(shape, &m));
    CHECK_OK(ov_shape_obb(shape, &box));
    check_random r = check_random_make(6103);
    enum { DISPLACEMENTS = 6, STEPS = 48 };
    ov_affine d[DISPLACEMENTS];
    double sums[DISPLACEMENTS] = {0.0}, count = 0.0;
    for (int k = 0; k < DISPLACEMENTS; k++) {
        d[k] = random_affine(&r, 1.0);
    }
    for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
        ov_vec3 p = ov_vec3_make((2 * (i % STEPS) + 1) / (double)STEPS - 1.0,
                                 (2 * (i / STEPS % STEPS) + 1) / (double)STEPS - 1.0,
                                 (2 * (i / STEPS / STEPS) + 1) / (double)STEPS - 1.0);
        p = ov_pose_apply(box.pose, ov_vec3_mul(p, box.half));
        bool inside = false;
        CHECK_OK(ov_shape_contains(shape, p, &inside));
        for (int k = 0; inside && k < DISPLACEMENTS; k++) {
            ov_vec3 v = ov_affine_apply(&d[k], p);
            sums[k] += ov_vec3_dot(v, v);
        }
        count += inside ? 1.0 : 0.0;
    }
    for (int k = 0; k < DISPLACEMENTS; k++) {
        double square = ov_metric_dot(&m, &d[k], &d[k]);
        *worst = fmax(*worst, fabs(square - sums[k] / count) / square);
    }
    CHECK(m.mass == 1.0);
    CHECK_OK(ovi_metric_check(&m));
}

static void test_shapes(void) {
    static const ov_vec3 corners[5] = {
        {1.0, 0.2, 0.1}, {-0.3, 1.0, 0.0}, {-0.5, -0.8, 0.2}, {0.1, 0.1, 1.5}, {0.2, 0.1, -0.7}};
    static const uint32_t faces[6][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3},
                                         {1, 0, 4}, {2, 1, 4}, {0, 2, 4}};
    ov_shape s;
    double worst = 0.0;
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(1.0, 0.6, 0.3), &s));
    check_shape(&s, &worst);
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 0.6, 0.8), 0.5, 0.7, 0.2, -0.3, NULL, &s));
    check_shape(&s, &worst);
    CHECK_OK(ov_shape_make_cone(0.5, 1.0, &s));
    check_shape(&s, &worst);
    CHECK_OK(ov_shape_make_polyhedron(corners, 5, faces, 6, &s));
    check_shape(&s, &worst);
    CHECK(worst < 5e-3);
    check_worst("squared lengths against points in shapes", worst, 5e-3);

    // a box in closed form, in very small and very large units
    for (int k = 0; k < 2; k++) {
        double unit = k == 0 ? 1e-59 : 1e59;
        ov_metric m;
        CHECK_OK(ov_shape_make_box(ov_vec3_make(unit, 2.0 * unit, 3.0 * unit), &s));
        CHECK_OK(ov_metric_from_shape(&s, &m));
        CHECK_NEAR(ov_metric_distortion(&m, ov_vec3_make(unit, 2.0 * unit, -3.0 * unit)),
                   sqrt(10.0), 1e-13);
    }
}

static void test_polygon(void) {
    enum { CORNERS = 8 };
    ov_vec3 v[CORNERS + 1];
    double worst = 0.0;
    check_random r = check_random_make(6104);
    for (int i = 0; i < 300; i++) {
        double size = check_log_uniform(&r, 1e-55, 1e55), high = check_uniform(&r, 0.1, 0.6);
        double weights[CORNERS + 1], width = check_log_uniform(&r, 1e-3, 1.0);
        ov_mat3 turn = ov_mat3_from_quat(check_rotation(&r));
        ov_vec3 middle = random_vector(&r, 5.0 * size), mean = {0.0, 0.0, 0.0};
        for (int k = 0; k < CORNERS; k++) {
            double angle = 2.0 * M_PI * (k + check_uniform(&r, -0.3, 0.3)) / CORNERS;
            ov_vec3 p = ov_vec3_make(size * cos(angle), width * size * sin(angle), 0.0);
            v[k] = ov_vec3_add(middle, ov_mat3_mul_vec3(&turn, p));
            mean = ov_vec3_add_scaled(mean, v[k], 1.0 / CORNERS);
            weights[k] = 1.0 / (CORNERS + 1);
        }
        double radius = 0.0;
        for (int k = 0; k < CORNERS; k++) {
            radius = fmax(radius, ov_vec3_length(ov_vec3_sub(v[k], mean)));
        }
        weights[CORNERS] = 1.0 / (CORNERS + 1);
        v[CORNERS] = ov_vec3_add_scaled(mean, turn.cz, radius * (i % 2 == 0 ? 0.25 : high));
        ov_metric m, points;
        CHECK_OK(ov_metric_from_polygon(v, CORNERS, i % 2 == 0 ? 0.0 : high, &m));
        CHECK_OK(ov_metric_from_points(v, weights, CORNERS + 1, &points));
        CHECK(m.mass == 1.0);
        ov_affine d = random_affine(&r, size);
        double length = sqrt(ov_metric_dot(&points, &d, &d));
        worst = fmax(worst, fabs(sqrt(ov_metric_dot(&m, &d, &d)) / length - 1.0));
        ov_vec3 x = random_vector(&r, 3.0 * size);
        worst =
            fmax(worst, fabs(ov_metric_distortion(&m, x) / ov_metric_distortion(&points, x) - 1.0));
    }
    // normals of narrow octagons are not known better
    CHECK(worst < 1e-11);
    check_worst("polygons against their points", worst, 1e-11);
}

/* ---- orbits */

/** The difference of length R that takes x farthest, along e. */
static ov_affine farthest(const ov_metric *m, ov_vec3 x, ov_vec3 e, double radius) {
    ov_vec3 y = ov_mat3_tmul_vec3(&m->axes, ov_vec3_sub(x, m->centre));
    double s = radius / ov_metric_distortion(m, x);
    ov_vec3 g = ov_vec3_make(0.0, 0.0, 0.0); // D = e g'
    g = ov_vec3_add_scaled(g, m->axes.cx, s * y.x / m->moments.x);
    g = ov_vec3_add_scaled(g, m->axes.cy, s * y.y / m->moments.y);
    g = ov_vec3_add_scaled(g, m->axes.cz, s * y.z / m->moments.z);
    ov_affine d = {{ov_vec3_scale(e, g.x), ov_vec3_scale(e, g.y), ov_vec3_scale(e, g.z)}, e};
    d.translation = ov_vec3_scale(e, s / m->mass - ov_vec3_dot(g, m->centre));
    return d;
}

static real length3(const real v[3]) { return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/** |d(x)| over the length of d, by the mass. */
static real way_of(const body *b, const ov_affine *d, ov_vec3 x) {
    real v[3];
    image(d, x, v);
    return length3(v) / sqrtl(dot_by_mass(b, d, d));
}

static void test_orbits(void) {
    check_random r = check_random_make(6105);
    double over = 0.0, reached = 0.0, worst_mass = 0.0;
    for (int i = 0; i < 1000; i++) {
        body b = random_body(&r, 1.0, check_log_uniform(&r, 0.01, 1.0), 1.0);
        ov_vec3 x = random_vector(&r, 5.0);
        double rate = ov_metric_distortion(&b.metric, x);
        CHECK(rate <= ov_metric_distortion_max(&b.metric, &x, 1));
        CHECK(distortion_at(&b.metric, x) <= ov_metric_distortion_max(&b.metric, &x, 1));
        for (int k = 0; k < 20; k++) {
            ov_affine d = random_affine(&r, 1.0);
            over = fmax(over, (double)(way_of(&b, &d, x) / rate));
        }
        ov_affine d = farthest(&b.metric, x, check_unit_vector(&r), 0.1);
        worst_mass = fmax(worst_mass, fabs((double)(way_of(&b, &d, x) / rate) - 1.0));
    }
    CHECK(over <= 1.0 + 1e-12);
    CHECK(worst_mass < 1e-12);
    check_worst("random displacements: way over rate", over, 1.0);
    check_worst("the farthest displacement: way over rate - 1", worst_mass, 1e-12);

    // a search that knows nothing of the formula comes as far, and no farther
    for (int i = 0; i < 20; i++) {
        body b = random_body(&r, 1.0, 0.4, 1.0);
        ov_vec3 x = random_vector(&r, 3.0);
        ov_affine d = random_affine(&r, 1.0);
        real best = way_of(&b, &d, x);
        double step = 0.5;
        for (int k = 0; k < 20000; k++) {
            ov_affine next = d, by = random_affine(&r, 1.0);
            double *to = &next.linear.cx.x;
            const double *from = &by.linear.cx.x;
            for (int j = 0; j < 12; j++) {
                to[j] += (j < 9 ? step : 3.0 * step) * from[j];
            }
            real way = way_of(&b, &next, x);
            if (way > best) {
                best = way;
                d = next;
                step *= 1.5;
            } else {
                step = fmax(0.97 * step, 1e-6);
            }
        }
        double rate = ov_metric_distortion(&b.metric, x);
        CHECK((double)best <= rate * (1.0 + 1e-12));
        reached = fmax(reached, 1.0 - (double)best / rate);
    }
    CHECK(reached < 1e-3);
    check_worst("a blind search: 1 - way over rate", reached, 1e-3);
}

/** Roots of the largest over the smallest moment: what multiplies rounding errors. */
static double moment_ratio(const ov_metric *metric) {
    ov_vec3 m = metric->moments;
    return sqrt(fmax(fmax(m.x, m.y), m.z)) / sqrt(fmin(fmin(m.x, m.y), m.z));
}

static void test_largest_rate(void) {
    check_random r = check_random_make(6106);
    double tight = 0.0;
    for (int i = 0; i < 1000; i++) {
        double size = check_log_uniform(&r, 1e-50, 1e50), thin = check_log_uniform(&r, 1e-6, 1.0);
        body b = random_body(&r, size, thin, 1.0);
        double most = ov_metric_distortion_max(&b.metric, b.points, b.count);
        real seen = 0.0L;
        for (int k = 0; k < 20; k++) {
            // the corners, then points between them
            real x[3] = {0.0L, 0.0L, 0.0L}, sum = 0.0L;
            for (size_t j = 0; j < b.count; j++) {
                double w = k < (int)b.count ? (j == (size_t)k) : check_uniform(&r, 0.0, 1.0);
                sum += w;
                x[0] += w * (real)b.points[j].x;
                x[1] += w * (real)b.points[j].y;
                x[2] += w * (real)b.points[j].z;
            }
            x[0] /= sum;
            x[1] /= sum;
            x[2] /= sum;
            real rate = distortion_by_metric(&b.metric, x);
            CHECK(rate <= most);
            seen = fmaxl(seen, rate);
        }
        double slack = (double)(most / seen - 1.0L) / moment_ratio(&b.metric);
        tight = fmax(tight, slack);
    }
    CHECK(tight < 1e-13);
    check_worst("largest rate: too much, by the ratio of the moments", tight, 1e-13);
    CHECK(ov_metric_distortion_max(&(ov_metric){.mass = 1.0}, NULL, 0) == 0.0);
}

/* ---- metric data */

static void test_lines_and_planes(void) {
    check_random r = check_random_make(6107);
    double line_slack = 0.0, plane_slack = 0.0, off = 0.0;
    for (int i = 0; i < 2000; i++) {
        double size = i % 2 == 0 ? 1.0 : check_log_uniform(&r, 1e-50, 1e50);
        body b = random_body(&r, size, check_log_uniform(&r, 1e-6, 1.0), 1.0);
        const ov_metric *m = &b.metric;
        double ratio = moment_ratio(m);
        ov_vec3 p = random_vector(&r, 4.0 * size), q = random_vector(&r, 4.0 * size);
        ov_metric_line line;
        CHECK_OK(ov_metric_line_of(m, p, q, &line));
        // p is on the line, but for the rounding of where its origin is
        ov_vec3 away = ov_vec3_cross(ov_vec3_sub(p, line.origin), line.direction);
        double reach = ov_vec3_length(p) + ov_vec3_length(line.origin);
        off = fmax(off, ov_vec3_length(away) / reach);
        ov_vec3 normal = ov_vec3_scale(check_unit_vector(&r), check_log_uniform(&r, 1e-9, 1e9));
        ov_metric_plane plane;
        CHECK_OK(ov_metric_plane_of(m, p, normal, &plane));
        CHECK(plane.nu1 <= plane.nu2);
        CHECK(fabs(ov_vec3_dot(plane.b1, plane.b2)) < 4.0 * DBL_EPSILON);
        CHECK_NEAR(ov_vec3_dot(ov_vec3_cross(plane.b1, plane.b2), ov_vec3_normalize(normal)), 1.0,
                   1e-14);
        reach = ov_vec3_length(p) + ov_vec3_length(plane.origin);
        off = fmax(off, fabs(ov_vec3_dot(ov_vec3_sub(p, plane.origin), ov_vec3_normalize(normal))) /
                            reach);
        for (int k = 0; k < 10; k++) {
            real s = check_uniform(&r, -5.0, 5.0) * plane.nu1;
            real t = check_uniform(&r, -5.0, 5.0) * line.nu;
            real u = check_uniform(&r, -5.0, 5.0) * plane.nu2;
            if (k == 0) {
                s = t = u = 0.0L;
            }
            const real x[3] = {line.origin.x + t * line.direction.x,
                               line.origin.y + t * line.direction.y,
                               line.origin.z + t * line.direction.z};
            const real y[3] = {plane.origin.x + s * plane.b1.x + u * plane.b2.x,
                               plane.origin.y + s * plane.b1.y + u * plane.b2.y,
                               plane.origin.z + s * plane.b1.z + u * plane.b2.z};
            real by_line = hypotl(line.rho, t / line.nu);
            real by_plane = hypotl(hypotl(plane.rho, s / plane.nu1), u / plane.nu2);
            real on_line = distortion_by_metric(m, x), in_plane = distortion_by_metric(m, y);
            CHECK(by_line >= on_line);
            CHECK(by_plane >= in_plane);
            line_slack = fmax(line_slack, (double)(by_line / on_line - 1.0L) / ratio);
            plane_slack = fmax(plane_slack, (double)(by_plane / in_plane - 1.0L) / ratio);
        }
    }
    CHECK(line_slack < 2e-13);
    CHECK(plane_slack < 4e-13);
    CHECK(off < 1e-14);
    check_worst("lines: too much, by the ratio of the moments", line_slack, 2e-13);
    check_worst("planes: too much, by the ratio of the moments", plane_slack, 4e-13);
    check_worst("points off their lines and planes", off, 1e-14);
}

/* ---- pieces */

static void test_pieces(void) {
    check_random r = check_random_make(6108);
    double closest = 0.0;
    for (int i = 0; i < 600; i++) {
        double size = i % 2 == 0 ? 1.0 : check_log_uniform(&r, 1e-50, 1e50);
        body b = random_body(&r, size, check_log_uniform(&r, 1e-3, 1.0), 1.0);
        double turn = check_log_uniform(&r, 1e-9, 1.0), loose = i % 3 == 0 ? 0.0 : turn;
        ovi_piece piece = {.count = 1 + check_random_bits(&r) % OVI_PIECE_HULL,
                           .translation_error = loose * size * check_uniform(&r, 0.0, 0.3),
                           .linear_error = loose * check_uniform(&r, 0.0, 0.3)};
        for (size_t k = 0; k < piece.count; k++) {
            ov_affine d = random_affine(&r, size);
            double *to = &piece.offsets[k].linear.cx.x;
            const double *from = &d.linear.cx.x;
            for (int j = 0; j < 12; j++) {
                to[j] = turn * from[j];
            }
        }
        double radius = ovi_piece_radius(&piece, &b.metric);
        real most = 0.0L;
        for (int k = 0; k < 60; k++) {
            ov_affine d = {0};
            double *to = &d.linear.cx.x, sum = 0.0, weights[OVI_PIECE_HULL];
            for (size_t j = 0; j < piece.count; j++) {
                weights[j] = k < 40 ? (j == (size_t)k % piece.count) : check_uniform(&r, 0.0, 1.0);
                sum += weights[j];
            }
            for (size_t j = 0; j < piece.count; j++) {
                const double *from = &piece.offsets[j].linear.cx.x;
                for (int n = 0; n < 12; n++) {
                    // a little inside, so that rounding here takes nothing out
                    to[n] += from[n] * weights[j] / sum * (1.0 - 1e-15);
                }
            }
            // a turn has no singular value but 1
            ov_mat3 e = ov_mat3_from_quat(check_rotation(&r));
            double linear = piece.linear_error * (1.0 - 1e-15);
            d.linear.cx = ov_vec3_add_scaled(d.linear.cx, e.cx, linear);
            d.linear.cy = ov_vec3_add_scaled(d.linear.cy, e.cy, linear);
            d.linear.cz = ov_vec3_add_scaled(d.linear.cz, e.cz, linear);
            d.translation = ov_vec3_add_scaled(d.translation, check_unit_vector(&r),
                                               piece.translation_error * (1.0 - 1e-15));
            real length = length_by_metric(&b.metric, &d);
            CHECK(length <= radius);
            most = fmaxl(most, length);
        }
        if (loose == 0.0 && piece.count <= 40) {
            closest = fmax(closest, 1.0 - (double)most / radius);
        }
    }
    CHECK(closest < 1e-13);
    check_worst("radius of a piece without errors: too much", closest, 1e-13);
}

/* ---- bad input */

static void test_bad_bodies(void) {
    ov_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    double w[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
    ov_metric m;
    CHECK_OK(ov_metric_from_points(p, NULL, 5, &m));
    CHECK_STATUS(ov_metric_from_points(NULL, w, 5, &m), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_from_points(p, w, 5, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_from_points(p, w, 3, &m), OV_ERROR_COUNT);
    CHECK_STATUS(ov_metric_from_points(p, w, 0, &m), OV_ERROR_COUNT);
    static const double bad_weights[4] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        w[3] = bad_weights[i];
        CHECK_STATUS(ov_metric_from_points(p, w, 5, &m),
                     i < 2 ? OV_ERROR_WEIGHT : OV_ERROR_NOT_FINITE);
    }
    w[3] = 1e61;
    CHECK_STATUS(ov_metric_from_points(p, w, 5, &m), OV_ERROR_SIZE_RANGE);
    p[4].y = NAN;
    CHECK_STATUS(ov_metric_from_points(p, NULL, 5, &m), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_metric_from_polygon(p, 5, 0.0, &m), OV_ERROR_NOT_FINITE);
    p[4].y = -1e101;
    CHECK_STATUS(ov_metric_from_points(p, NULL, 5, &m), OV_ERROR_SIZE_RANGE);
    p[4] = ov_vec3_make(0.2, 0.1, 0.0);
    p[3] = ov_vec3_make(-1.0, 3.0, 1e-8); // nearly in a plane
    CHECK_STATUS(ov_metric_from_points(p, NULL, 5, &m), OV_ERROR_DEGENERATE);
    p[3] = ov_vec3_make(-1.0, 3.0, 1e-6); // thin, but not so thin
    CHECK_OK(ov_metric_from_points(p, NULL, 5, &m));
    for (int i = 0; i < 5; i++) {
        // in a plane, and so far out that rounding makes it look thick
        p[i] = ov_vec3_make(1e12 + i * i, 3e12 - i, 4e12 - 0.3 * i * i - 0.7 * i);
    }
    CHECK_STATUS(ov_metric_from_points(p, NULL, 5, &m), OV_ERROR_DEGENERATE);
    ov_vec3 same[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    CHECK_STATUS(ov_metric_from_points(same, NULL, 4, &m), OV_ERROR_DEGENERATE);
    CHECK_STATUS(ov_metric_from_polygon(same, 4, 0.0, &m), OV_ERROR_DEGENERATE);
    ov_vec3 small[4] = {{0, 0, 0}, {1e-61, 0, 0}, {0, 1e-61, 0}, {0, 0, 1e-61}};
    CHECK_STATUS(ov_metric_from_points(small, NULL, 4, &m), OV_ERROR_SIZE_RANGE);

    ov_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    ov_vec3 row[3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
    CHECK_OK(ov_metric_from_polygon(square, 4, 0.0, &m));
    CHECK_STATUS(ov_metric_from_polygon(NULL, 4, 0.0, &m), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, 0.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_from_polygon(square, 2, 0.0, &m), OV_ERROR_COUNT);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, NAN, &m), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, -0.1, &m), OV_ERROR_OPTION);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, 1e-9, &m), OV_ERROR_DEGENERATE);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, 1e9, &m), OV_ERROR_DEGENERATE);
    CHECK_STATUS(ov_metric_from_polygon(square, 4, 1e101, &m), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_metric_from_polygon(row, 3, 0.0, &m), OV_ERROR_DEGENERATE);

    ov_shape s;
    CHECK_STATUS(ov_metric_from_shape(NULL, &m), OV_ERROR_NULL);
    CHECK_OK(ov_shape_make_segment(p[0], p[1], &s));
    CHECK_STATUS(ov_metric_from_shape(&s, &m), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_metric_from_shape(&s, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_shape_make_halfspace(p[0], 1.0, &s));
    CHECK_STATUS(ov_metric_from_shape(&s, &m), OV_ERROR_UNSUPPORTED);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1e-8), &s));
    CHECK_STATUS(ov_metric_from_shape(&s, &m), OV_ERROR_DEGENERATE);
    s.kind = OV_SHAPE_KIND_NONE;
    CHECK(ov_metric_from_shape(&s, &m) < 0);
}

static void test_bad_data(void) {
    const ov_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ov_metric m, good;
    CHECK_OK(ov_metric_from_points(p, NULL, 4, &good));
    ov_metric_line line;
    ov_metric_plane plane;
    ov_vec3 a = {1, 0, 0}, b = {0, 1, 0}, nan = {0, NAN, 0}, far = {0, 1e101, 0};
    CHECK_STATUS(ov_metric_line_of(NULL, a, b, &line), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_line_of(&good, a, b, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_line_of(&good, a, a, &line), OV_ERROR_DEGENERATE);
    CHECK_STATUS(ov_metric_line_of(&good, a, nan, &line), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_metric_line_of(&good, far, a, &line), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_metric_plane_of(NULL, a, b, &plane), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_plane_of(&good, a, b, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_metric_plane_of(&good, a, ov_vec3_make(0, 0, 0), &plane),
                 OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_metric_plane_of(&good, a, nan, &plane), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_metric_plane_of(&good, nan, a, &plane), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_metric_plane_of(&good, far, a, &plane), OV_ERROR_SIZE_RANGE);

    // metrics that no constructor made
    m = good;
    m.mass = 0.0;
    CHECK_STATUS(ov_metric_line_of(&m, a, b, &line), OV_ERROR_SIZE_NOT_POSITIVE);
    m = good;
    m.moments.y = -1.0;
    CHECK_STATUS(ov_metric_plane_of(&m, a, b, &plane), OV_ERROR_SIZE_NOT_POSITIVE);
    m.moments.y = NAN;
    CHECK_STATUS(ov_metric_plane_of(&m, a, b, &plane), OV_ERROR_NOT_FINITE);
    m.moments.y = 1e30;
    CHECK_STATUS(ov_metric_plane_of(&m, a, b, &plane), OV_ERROR_DEGENERATE);
    m = good;
    m.axes.cx = ov_vec3_scale(m.axes.cx, 1.0 + 1e-12);
    CHECK_STATUS(ov_metric_plane_of(&m, a, b, &plane), OV_ERROR_OPTION);

    ov_affine zero = {0};
    CHECK(isnan(ov_metric_dot(NULL, &zero, &zero)));
    CHECK(isnan(ov_metric_distance(&good, NULL, &zero)));
    CHECK(isnan(ov_metric_distortion(NULL, a)));
    CHECK(isnan(ov_metric_distortion_max(&good, NULL, 1)));
    CHECK(isnan(ov_metric_distortion_max(&good, &nan, 1)));
    CHECK(ov_metric_distance(&good, &zero, &zero) == 0.0);
}

int main(void) {
    check_suite = "motion_metric";
    RUN(test_against_mass);
    RUN(test_range);
    RUN(test_shapes);
    RUN(test_polygon);
    RUN(test_orbits);
    RUN(test_largest_rate);
    RUN(test_lines_and_planes);
    RUN(test_pieces);
    RUN(test_bad_bodies);
    RUN(test_bad_data);
    return check_finish();
}
