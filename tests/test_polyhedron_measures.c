/**
 * @file test_polyhedron_measures.c
 * @brief Mass and balls of the convex polyhedron: against boxes, a cubature rule on tetrahedra,
 * Monte Carlo, all subsets of a few points, and the inradius of a tetrahedron.
 */
#include "polyhedron_bodies.h"

typedef long double real;

/* ---- mass */

/** Largest entry of a - b, over the largest of b. */
static double tensor_error(const ov_mat3 *a, const ov_mat3 *b) {
    const double *p = &a->cx.x, *q = &b->cx.x;
    double error = 0.0, size = 0.0;
    for (int i = 0; i < 9; i++) {
        error = fmax(error, fabs(p[i] - q[i]));
        size = fmax(size, fabs(q[i]));
    }
    return error / size;
}

/** R I R^T of a diagonal tensor. */
static ov_mat3 rotate_diagonal(ov_mat3 m, const ov_mat3 *r) {
    ov_mat3 out;
    ov_vec3 *columns[3] = {&out.cx, &out.cy, &out.cz};
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        ov_vec3 local = ov_mat3_tmul_vec3(r, axes[k]);
        local = ov_vec3_make(m.cx.x * local.x, m.cy.y * local.y, m.cz.z * local.z);
        *columns[k] = ov_mat3_mul_vec3(r, local);
    }
    return out;
}

static void mass_of_moved_boxes(void) {
    check_random r = check_random_make(7);
    double worst = 0.0, worst_far = 0.0;
    for (int i = 0; i < 3000; i++) {
        ov_vec3 h = {check_log_uniform(&r, 0.3, 1.0), check_log_uniform(&r, 0.3, 1.0),
                     check_log_uniform(&r, 0.3, 1.0)};
        double scale = check_log_uniform(&r, 1e-56, 1e56);
        bool far = i % 2 == 1;
        ov_pose pose = random_pose(&r, far ? 1000.0 : 1.0);
        make_box(&work, h);
        move(&work, pose, scale);
        ov_shape s, box;
        ov_mass got, expected;
        CHECK_OK(ov_shape_make_box(ov_vec3_scale(h, scale), &box));
        CHECK_OK(ov_shape_mass(&box, 3.0, &expected));
        if (!CHECK_OK(make(&work, &s)) || !CHECK_OK(ov_shape_mass(&s, 3.0, &got))) {
            continue;
        }
        ov_mat3 rotation = ov_mat3_from_quat(pose.rotation);
        ov_mat3 turned = rotate_diagonal(expected.inertia, &rotation);
        double error = fabs(got.volume / expected.volume - 1.0);
        error = fmax(error, fabs(got.mass / expected.mass - 1.0));
        error = fmax(error, tensor_error(&got.inertia, &turned));
        ov_vec3 off = ov_vec3_sub(got.centroid, ov_vec3_scale(pose.position, scale));
        error = fmax(error, ov_vec3_length(off) / scale);
        // the rounding of coordinates of about 1000 is that much larger
        CHECK_NEAR(error, 0.0, far ? 3e-12 : 1e-14);
        *(far ? &worst_far : &worst) = fmax(*(far ? &worst_far : &worst), error);
    }
    check_worst("mass of moved boxes, relative", worst, 1e-14);
    check_worst("mass of boxes 1000 away, relative", worst_far, 3e-12);
}

static void close_tetrahedron(body *b, bool positive) {
    uint32_t i = positive ? 1 : 2, j = 3 - i;
    add_triangle(b, 0, j, i);
    add_triangle(b, 0, i, 3);
    add_triangle(b, i, j, 3);
    add_triangle(b, j, 0, 3);
}

/** Six times the signed volume of the first four vertices. */
static real six_volumes(const ov_vec3 *v) {
    real e[3][3];
    for (int k = 0; k < 3; k++) {
        e[k][0] = (real)v[k + 1].x - v[0].x;
        e[k][1] = (real)v[k + 1].y - v[0].y;
        e[k][2] = (real)v[k + 1].z - v[0].z;
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/**
 * Tetrahedra by another way: the integral of a polynomial of degree two by the rule with four
 * points at barycentric (a, b, b, b), a = (5 + 3 sqrt 5)/20, in long double.
 */
static void mass_of_tetrahedra(void) {
    check_random r = check_random_make(8);
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        work.nv = 4;
        work.nt = 0;
        for (int k = 0; k < 4; k++) {
            work.v[k] = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.5, 2.0));
        }
        real six = six_volumes(work.v);
        if (fabsl(six) < 0.05L) {
            continue; // too thin for a sharp comparison
        }
        close_tetrahedron(&work, six > 0.0);
        ov_shape s;
        ov_mass m;
        if (!CHECK_OK(make(&work, &s)) || !CHECK_OK(ov_shape_mass(&s, 1.0, &m))) {
            continue;
        }
        real volume = fabsl(six) / 6.0L, near = (5.0L + 3.0L * sqrtl(5.0L)) / 20.0L;
        real rest = (1.0L - near) / 3.0L, xx = 0.0L, yy = 0.0L, xy = 0.0L;
        for (int q = 0; q < 4; q++) {
            real x = -(real)m.centroid.x, y = -(real)m.centroid.y;
            for (int k = 0; k < 4; k++) {
                x += (k == q ? near : rest) * (real)work.v[k].x;
                y += (k == q ? near : rest) * (real)work.v[k].y;
            }
            xx += volume / 4.0L * x * x;
            yy += volume / 4.0L * y * y;
            xy += volume / 4.0L * x * y;
        }
        real trace = ((real)m.inertia.cx.x + (real)m.inertia.cy.y + (real)m.inertia.cz.z) / 2.0L;
        double size = (double)trace, error = fabs(m.volume / (double)volume - 1.0);
        error = fmax(error, fabs(m.inertia.cz.z - (double)(xx + yy)) / size);
        error = fmax(error, fabs(-m.inertia.cx.y - (double)xy) / size);
        error = fmax(error, fabs((double)(trace - (real)m.inertia.cx.x - xx)) / size);
        CHECK(m.inertia.cx.y == m.inertia.cy.x && m.inertia.cx.z == m.inertia.cz.x &&
              m.inertia.cy.z == m.inertia.cz.y);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 3e-14);
    }
    check_worst("mass of tetrahedra, relative", worst, 3e-14);
}

/** Points of a mesh by Monte Carlo, with containment as the only help. */
static void mass_by_monte_carlo(void) {
    check_random r = check_random_make(9);
    enum { SAMPLES = 8000 };
    make_ellipsoid(&work, 8, 5, ov_vec3_make(1.0, 0.8, 0.6));
    ov_pose pose = random_pose(&r, 1.0);
    move(&work, pose, 1.0);
    ov_shape s;
    ov_mass m;
    CHECK_OK(make(&work, &s));
    CHECK_OK(ov_shape_mass(&s, 1.0, &m));
    double sum[4] = {0.0}, square[4] = {0.0};
    for (int i = 0; i < SAMPLES; i++) {
        ov_vec3 q = {check_uniform(&r, -1.0, 1.0), check_uniform(&r, -1.0, 1.0),
                     check_uniform(&r, -1.0, 1.0)};
        bool inside = false;
        CHECK_OK(ov_shape_contains(&s, ov_vec3_add(q, pose.position), &inside));
        q = ov_vec3_sub(ov_vec3_add(q, pose.position), m.centroid);
        double value[4] = {1.0, q.x * q.x + q.y * q.y, -q.x * q.y, q.z};
        for (int k = 0; inside && k < 4; k++) {
            sum[k] += value[k];
            square[k] += value[k] * value[k];
        }
    }
    double expected[4] = {m.volume, m.inertia.cz.z, m.inertia.cx.y, 0.0};
    for (int k = 0; k < 4; k++) {
        double mean = sum[k] / SAMPLES, spread = sqrt(square[k] / SAMPLES - mean * mean);
        CHECK_NEAR(8.0 * mean, expected[k], 5.0 * 8.0 * spread / sqrt(SAMPLES));
    }
}

/* ---- balls */

/** Smallest ball by trying every set of two, three and four points, with Cramer's rule. */
static real brute_ball(const ov_vec3 *p, int n) {
    real best = INFINITY;
    for (int mask = 1; mask < 1 << n; mask++) {
        int set[4], size = 0;
        for (int i = 0; i < n && size <= 4; i++) {
            if (mask >> i & 1) {
                if (size < 4) {
                    set[size] = i;
                }
                size++;
            }
        }
        if (size < 2 || size > 4) {
            continue;
        }
        // centre p0 + sum of l_i q_i with q_j . (2 x - q_j) = 0; unused rows are those of l_i = 0
        real q[3][3] = {{0.0L}}, m[3][3], right[3], l[3];
        for (int i = 1; i < size; i++) {
            q[i - 1][0] = (real)p[set[i]].x - p[set[0]].x;
            q[i - 1][1] = (real)p[set[i]].y - p[set[0]].y;
            q[i - 1][2] = (real)p[set[i]].z - p[set[0]].z;
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                m[i][j] = i < size - 1 && j < size - 1
                              ? 2.0L * (q[i][0] * q[j][0] + q[i][1] * q[j][1] + q[i][2] * q[j][2])
                              : (real)(i == j);
            }
            right[i] = i < size - 1 ? m[i][i] / 2.0L : 0.0L;
        }
        real det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                   m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                   m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        for (int k = 0; k < 3; k++) {
            real c[3][3];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    c[i][j] = j == k ? right[i] : m[i][j];
                }
            }
            l[k] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                    c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                    c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
                   det;
        }
        real x[3], radius = 0.0L, worst = 0.0L;
        const double *p0 = &p[set[0]].x;
        for (int k = 0; k < 3; k++) {
            real from = l[0] * q[0][k] + l[1] * q[1][k] + l[2] * q[2][k];
            x[k] = p0[k] + from;
            radius += from * from;
        }
        for (int i = 0; i < n; i++) {
            real dx = p[i].x - x[0], dy = p[i].y - x[1], dz = p[i].z - x[2];
            worst = fmaxl(worst, dx * dx + dy * dy + dz * dz);
        }
        if (worst <= radius * (1.0L + 1e-12L)) {
            best = fminl(best, sqrtl(radius));
        }
    }
    return best;
}

static void bounding_balls(void) {
    check_random r = check_random_make(10);
    double worst = 0.0;
    ov_shape s;
    ov_ball ball;
    for (int i = 0; i < 400; i++) {
        int n = 4 + i % 8;
        double thin = i % 3 == 0 ? 1e-4 : 1.0, scale = check_log_uniform(&r, 1e-50, 1e50);
        work.nv = (size_t)n;
        for (int k = 0; k < n; k++) {
            ov_vec3 u = check_unit_vector(&r);
            // on a ball, where all are nearly as far; or anywhere
            u = i % 2 == 0 ? u : ov_vec3_scale(u, check_uniform(&r, 0.0, 1.0));
            work.v[k] = ov_vec3_make(u.x, u.y, u.z * thin);
        }
        move(&work, random_pose(&r, 2.0), 1.0);
        real expected = brute_ball(work.v, n);
        move(&work, ov_pose_identity(), scale);
        CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
        CHECK_OK(ov_shape_bounding_ball(&s, &ball));
        double excess = ball.radius / ((double)expected * scale) - 1.0;
        worst = fmax(worst, fabs(excess));
        CHECK_NEAR(excess, 0.0, 1e-11);
        for (int k = 0; k < n; k++) {
            CHECK(ov_vec3_length(ov_vec3_sub(work.v[k], ball.centre)) <= ball.radius);
        }
    }
    check_worst("bounding ball against all subsets, relative", worst, 1e-11);
    // many vertices on one ball, and a box
    make_ellipsoid(&work, 60, 50, ov_vec3_make(2.0, 2.0, 2.0));
    CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
    CHECK_OK(ov_shape_bounding_ball(&s, &ball));
    CHECK_NEAR(ball.radius, 2.0, 1e-12);
    make_box(&work, ov_vec3_make(1.0, 2.0, 2.0));
    move(&work, random_pose(&r, 100.0), 1.0);
    CHECK_OK(make(&work, &s));
    CHECK_OK(ov_shape_bounding_ball(&s, &ball));
    CHECK_NEAR(ball.radius, 3.0, 1e-12);
}

/** Is the ball inside the body? By the support in many directions, and in those of the faces. */
static bool is_inside(const ov_shape *s, const ov_ball *ball, check_random *r) {
    size_t faces = s->u.polyhedron.triangle_count;
    for (size_t i = 0; i < 200 + faces; i++) {
        ov_vec3 d = check_unit_vector(r);
        if (i < faces) {
            const uint32_t *t = s->u.polyhedron.triangles[i];
            const ov_vec3 *v = s->u.polyhedron.vertices;
            d = ov_vec3_normalize(
                ov_vec3_cross(ov_vec3_sub(v[t[1]], v[t[0]]), ov_vec3_sub(v[t[2]], v[t[0]])));
        }
        ov_support out;
        if (ov_shape_support(s, d, &out) != OV_OK) {
            return false;
        }
        // about the centre, so that a far position does not blur the comparison
        double room = ov_vec3_dot(d, ov_vec3_sub(out.point, ball->centre));
        if (room < ball->radius * (1.0 - 1e-14)) {
            return false;
        }
    }
    return true;
}

static void inscribed_balls(void) {
    check_random r = check_random_make(12);
    double worst_box = 0.0, worst_tetrahedron = 0.0;
    ov_shape s;
    ov_ball ball = {{NAN, NAN, NAN}, NAN};
    for (int i = 0; i < 600; i++) {
        double scale = check_log_uniform(&r, 1e-50, 1e50);
        ov_vec3 h = {check_log_uniform(&r, 0.01, 1.0), check_log_uniform(&r, 0.01, 1.0),
                     check_log_uniform(&r, 0.01, 1.0)};
        make_box(&work, h);
        move(&work, random_pose(&r, 2.0), scale);
        CHECK_OK(make(&work, &s));
        CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
        double expected = fmin(h.x, fmin(h.y, h.z)) * scale, error = 1.0 - ball.radius / expected;
        worst_box = fmax(worst_box, fabs(error));
        CHECK_NEAR(error, 0.0, 1e-12);
        CHECK(is_inside(&s, &ball, &r));
        // a tetrahedron: three times the volume over the surface
        work.nv = 4;
        work.nt = 0;
        for (int k = 0; k < 4; k++) {
            work.v[k] = check_unit_vector(&r);
        }
        ov_vec3 *v = work.v, e1 = ov_vec3_sub(v[1], v[0]), e2 = ov_vec3_sub(v[2], v[0]);
        ov_vec3 e3 = ov_vec3_sub(v[3], v[0]), e4 = ov_vec3_sub(v[2], v[1]);
        double six = ov_vec3_dot(e1, ov_vec3_cross(e2, e3));
        if (fabs(six) < 0.01) {
            continue;
        }
        double twice_area = ov_vec3_length(ov_vec3_cross(e1, e2)) +
                            ov_vec3_length(ov_vec3_cross(e1, e3)) +
                            ov_vec3_length(ov_vec3_cross(e2, e3)) +
                            ov_vec3_length(ov_vec3_cross(e4, ov_vec3_sub(v[3], v[1])));
        close_tetrahedron(&work, six > 0.0);
        move(&work, ov_pose_identity(), scale);
        CHECK_OK(make(&work, &s));
        CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
        error = 1.0 - ball.radius / (fabs(six) / twice_area * scale);
        worst_tetrahedron = fmax(worst_tetrahedron, fabs(error));
        CHECK_NEAR(error, 0.0, 1e-11);
        CHECK(is_inside(&s, &ball, &r));
    }
    check_worst("inscribed ball of boxes, relative", worst_box, 1e-12);
    check_worst("inscribed ball of tetrahedra, relative", worst_tetrahedron, 1e-11);
    // many faces: between the ball of the vertices and that of a finer mesh
    make_ellipsoid(&work, 40, 30, ov_vec3_make(1.0, 1.0, 1.0));
    move(&work, random_pose(&r, 2.0), 1.0);
    CHECK_OK(make(&work, &s));
    CHECK_OK(ov_shape_inscribed_ball(&s, &ball));
    CHECK(ball.radius > 0.99 && ball.radius < 1.0);
    CHECK(is_inside(&s, &ball, &r));
}

int main(void) {
    check_suite = "polyhedron_measures";
    RUN(mass_of_moved_boxes);
    RUN(mass_of_tetrahedra);
    RUN(mass_by_monte_carlo);
    RUN(bounding_balls);
    RUN(inscribed_balls);
    return check_finish();
}
