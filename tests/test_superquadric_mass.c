/**
 * @file test_superquadric_mass.c
 * @brief Volume, centroid and inertia of the smooth family.
 *
 * Four references that share nothing with the beta functions of the library: closed forms of the
 * bodies that the family has as members or limits, quadrature in long double, Monte Carlo with its
 * own standard error, and the exact sums over the triangles of a mesh.
 */
#include "support_oracle.h"

/** Second moments about the centroid, from the inertia. */
typedef struct moments {
    so_real volume, z, xx, yy, zz;
} moments;

static moments moments_of(const ov_shape *s) {
    ov_mass m = {0};
    CHECK_OK(ov_shape_mass(s, 1.0, &m));
    CHECK(m.mass == m.volume && m.centroid.x == 0.0 && m.centroid.y == 0.0);
    CHECK(m.inertia.cx.y == 0.0 && m.inertia.cx.z == 0.0 && m.inertia.cy.x == 0.0);
    CHECK(m.inertia.cy.z == 0.0 && m.inertia.cz.x == 0.0 && m.inertia.cz.y == 0.0);
    so_real ix = m.inertia.cx.x, iy = m.inertia.cy.y, iz = m.inertia.cz.z;
    return (moments){m.volume, m.centroid.z, (iy + iz - ix) / 2, (iz + ix - iy) / 2,
                     (ix + iy - iz) / 2};
}

/** Largest error: of the volume and of the inertia relative, of the centroid in units of a3. */
static double compare(const ov_shape *s, moments expected, double tolerance) {
    ov_mass m = {0};
    CHECK_OK(ov_shape_mass(s, 1.0, &m));
    const so_real got[] = {m.inertia.cx.x, m.inertia.cy.y, m.inertia.cz.z};
    const so_real want[] = {expected.yy + expected.zz, expected.xx + expected.zz,
                            expected.xx + expected.yy};
    double worst = (double)fabsl(m.volume / expected.volume - 1.0L);
    worst = fmax(worst, (double)fabsl((m.centroid.z - expected.z) / s->a.z));
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, (double)fabsl(got[i] / want[i] - 1.0L));
    }
    if (!CHECK_NEAR(worst, 0.0, tolerance) && check_may_print()) {
        fprintf(stderr, "  a %.17g %.17g %.17g, e %.17g %.17g, taper %.17g %.17g\n", s->a.x, s->a.y,
                s->a.z, s->e1, s->e2, s->tx, s->ty);
    }
    return worst;
}

/* ---- closed forms */

static ov_vec3 random_axes(check_random *r) {
    return ov_vec3_make(check_log_uniform(r, 1e-3, 1e3), check_log_uniform(r, 1e-3, 1e3),
                        check_log_uniform(r, 1e-3, 1e3));
}

/** A body with the given share of its box, and second moments per volume in units of a_i^2. */
static moments simple_moments(ov_vec3 a, so_real share, so_real x, so_real y, so_real z) {
    so_real v = 8.0L * share * a.x * a.y * a.z;
    return (moments){v, 0.0L, v * x * a.x * a.x, v * y * a.y * a.y, v * z * a.z * a.z};
}

static void test_closed_forms(void) {
    const so_real pi = 3.14159265358979323846264338327950288L;
    const double flat = 1e-9; // box and cylinder are limits: off by this much
    const struct {
        const char *what;
        double e1, e2;
        so_real share, x, y, z;
        double tolerance;
    } known[] = {
        {"ellipsoid", 1.0, 1.0, pi / 6, 0.2L, 0.2L, 0.2L, 1e-14},
        {"octahedron", 2.0, 2.0, 1.0L / 6, 0.1L, 0.1L, 0.1L, 1e-14},
        {"double cone", 1.0, 2.0, pi / 12, 0.15L, 0.15L, 0.1L, 1e-14},
        {"box in the limit", flat, flat, 1.0L, 1.0L / 3, 1.0L / 3, 1.0L / 3, 2e-9},
        {"cylinder in the limit", 1.0, flat, pi / 4, 0.25L, 0.25L, 1.0L / 3, 2e-9},
        {"rhombic prism in the limit", 2.0, flat, 0.5L, 1.0L / 6, 1.0L / 6, 1.0L / 3, 2e-9},
        {"double pyramid in the limit", flat, 2.0, 1.0L / 3, 0.2L, 0.2L, 0.1L, 2e-9},
    };
    check_random r = check_random_make(601);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double worst = 0.0;
        for (int i = 0; i < 200; i++) {
            ov_vec3 a = random_axes(&r);
            ov_shape s;
            CHECK_OK(ov_shape_make_superellipsoid(a, known[k].e1, known[k].e2, &s));
            moments m = simple_moments(a, known[k].share, known[k].x, known[k].y, known[k].z);
            worst = fmax(worst, compare(&s, m, known[k].tolerance));
        }
        check_worst(known[k].what, worst, known[k].tolerance);
    }
}

/** The tapered box in the limit: all moments are integrals of polynomials. */
static void test_frustum(void) {
    const ov_shape_options any_dent = {1.0};
    check_random r = check_random_make(602);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        ov_vec3 a = random_axes(&r);
        so_real t = check_uniform(&r, -0.9, 0.9), u = check_uniform(&r, -0.9, 0.9);
        ov_shape s;
        CHECK_OK(ov_shape_make_superovoid(a, 1e-10, 1e-10, (double)t, (double)u, &any_dent, &s));
        so_real v = 8.0L * a.x * a.y * a.z * (1 + t * u / 3);
        so_real z = a.z * (t + u) / (3 + t * u);
        // int f1^3 f2 and int f1 f2^3 over [-1, 1], halved
        so_real fx = 1 + t * (t + u) + t * t * t * u / 5, fy = 1 + u * (t + u) + u * u * u * t / 5;
        so_real box = 8.0L * a.x * a.y * a.z;
        moments m = {v, z, box * a.x * a.x * fx / 3, box * a.y * a.y * fy / 3,
                     box * a.z * a.z * (1.0L / 3 + t * u / 5) - v * z * z};
        worst = fmax(worst, compare(&s, m, 1e-8));
    }
    check_worst("tapered box in the limit", worst, 1e-8);
}

/* ---- quadrature */

/** (1 - x^p)^(1/p) at x = 1 - c, for either of them small. */
static so_real quarter_curve(so_real x, so_real c, so_real p) {
    so_real rest = x < 0.5L ? -expm1l(p * logl(x)) : -expm1l(p * log1pl(-c));
    return powl(rest, 1.0L / p);
}

/** Integrals over [0, 1] of y^k x^j, y = (1 - x^p)^(1/p), by the double exponential rule. */
static void curve_moments(so_real p, int k, so_real out[5]) {
    const so_real half_pi = 1.57079632679489661923132169163975144L, step = 1.0L / 40;
    for (int j = 0; j < 5; j++) {
        out[j] = 0.0L;
    }
    for (int i = -180; i <= 180; i++) {
        so_real t = i * step, u = expl(-2 * half_pi * sinhl(fabsl(t)));
        so_real small = u / (1 + u), big = 1 / (1 + u);
        so_real x = t < 0 ? small : big, c = t < 0 ? big : small;
        so_real weight = 2 * half_pi * coshl(t) * small * big;
        if (weight < 1e-40L || x == 0.0L) {
            continue;
        }
        so_real y = quarter_curve(x, c, p), term = step * weight;
        for (int n = 0; n < k; n++) {
            term *= y;
        }
        for (int j = 0; j < 5; j++, term *= x) {
            out[j] += term;
        }
    }
}

/** Over both halves of the height, of w^k zeta^j times the product of lines 1 + t_i zeta. */
static so_real height_integral(const so_real half[5], int j, const so_real *lines, int count) {
    so_real c[6] = {1.0L}, sum = 0.0L;
    for (int i = 0; i < count; i++) {
        for (int n = 5; n > 0; n--) {
            c[n] += lines[i] * c[n - 1];
        }
    }
    for (int n = 0; n + j < 5; n++) {
        sum += (n + j) % 2 == 0 ? 2 * c[n] * half[n + j] : 0.0L;
    }
    return sum;
}

static moments quadrature(const ov_shape *s) {
    so_real around[5], plane[5], cubic[5];
    curve_moments(so_primal(s->e1), 1, around);
    curve_moments(so_primal(s->e2), 2, plane);
    curve_moments(so_primal(s->e2), 4, cubic);
    so_real area = 4 * around[0], square = 4 * around[2];
    const so_real t = s->tx, u = s->ty, flat[] = {t, u}, x[] = {t, t, t, u}, y[] = {u, u, u, t};
    so_real unit = (so_real)s->a.x * s->a.y * s->a.z;
    so_real v = unit * area * height_integral(plane, 0, flat, 2);
    so_real z = s->a.z * unit * area * height_integral(plane, 1, flat, 2) / v;
    return (moments){v, z, unit * s->a.x * s->a.x * square * height_integral(cubic, 0, x, 4),
                     unit * s->a.y * s->a.y * square * height_integral(cubic, 0, y, 4),
                     unit * s->a.z * s->a.z * area * height_integral(plane, 2, flat, 2) -
                         v * z * z};
}

static ov_shape random_shape(check_random *r, int i) {
    const ov_shape_options any_dent = {1.0};
    for (;;) {
        double e1 = i % 5 == 0 ? 2.0 : check_uniform(r, 0.05, 2.0);
        double e2 = i % 7 == 0 ? 2.0 : check_uniform(r, 0.05, 2.0);
        double tx = check_uniform(r, -0.99, 0.99),
               ty = i % 3 == 0 ? tx : check_uniform(r, -0.99, 0.99);
        ov_shape s;
        if (ov_shape_make_superovoid(random_axes(r), e1, e2, tx, ty, &any_dent, &s) == OV_OK) {
            return s;
        }
    }
}

static void test_quadrature(void) {
    check_random r = check_random_make(603);
    double worst = 0.0;
    for (int i = 0; i < 700; i++) {
        ov_shape s = random_shape(&r, i);
        worst = fmax(worst, compare(&s, quadrature(&s), 1e-12));
    }
    check_worst("tapered against quadrature", worst, 1e-12);
}

/* ---- Monte Carlo */

enum { SAMPLES = 60000, QUANTITIES = 5 };

/**
 * Means over the box of 1, z, x^2, y^2, z^2 inside the body, as deviations from what the library
 * says, in standard errors of the sample.
 */
static void sample(check_random *r, const ov_shape *s, double deviation[QUANTITIES]) {
    double bx = 1.0 + fabs(s->tx), by = 1.0 + fabs(s->ty);
    double sum[QUANTITIES] = {0}, sum2[QUANTITIES] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double x = check_uniform(r, -bx, bx), y = check_uniform(r, -by, by);
        double z = check_uniform(r, -1.0, 1.0);
        double u = fabs(x / (1.0 + s->tx * z)), v = fabs(y / (1.0 + s->ty * z));
        double m = pow(pow(u, 2.0 / s->e1) + pow(v, 2.0 / s->e1), s->e1 / s->e2);
        if (!(m + pow(fabs(z), 2.0 / s->e2) <= 1.0)) {
            continue;
        }
        const double q[QUANTITIES] = {1.0, z, x * x, y * y, z * z};
        for (int k = 0; k < QUANTITIES; k++) {
            sum[k] += q[k];
            sum2[k] += q[k] * q[k];
        }
    }
    moments m = moments_of(s);
    so_real box = 8.0L * bx * by * s->a.x * s->a.y * s->a.z, z = m.z / s->a.z;
    const so_real expected[QUANTITIES] = {
        m.volume / box, m.volume * z / box, m.xx / (box * s->a.x * s->a.x),
        m.yy / (box * s->a.y * s->a.y), m.zz / (box * s->a.z * s->a.z) + m.volume * z * z / box};
    for (int k = 0; k < QUANTITIES; k++) {
        double mean = sum[k] / SAMPLES, variance = sum2[k] / SAMPLES - mean * mean;
        deviation[k] = (mean - (double)expected[k]) / sqrt(variance / SAMPLES);
    }
}

/** Of 100 honest deviations about 0.3 lie beyond 3 standard errors; three or more is no accident.
 */
static void test_monte_carlo(void) {
    check_random r = check_random_make(604);
    double worst = 0.0, squares = 0.0;
    int beyond = 0;
    for (int i = 0; i < 20; i++) {
        ov_shape s = random_shape(&r, i);
        double deviation[QUANTITIES];
        sample(&r, &s, deviation);
        for (int k = 0; k < QUANTITIES; k++) {
            worst = fmax(worst, fabs(deviation[k]));
            beyond += fabs(deviation[k]) > 3.0;
            squares += deviation[k] * deviation[k];
        }
    }
    CHECK(beyond <= 2);
    CHECK_NEAR(worst, 0.0, 5.0);
    // the deviations are of size one: the errors are neither larger nor is the yardstick too long
    CHECK_NEAR(squares / (20 * QUANTITIES), 1.0, 0.75);
    check_worst("Monte Carlo, in standard errors", worst, 5.0);
}

/* ---- meshes */

/** Moments of the inside of a closed mesh: sums over tetrahedra from the origin. */
static moments mesh_moments(const ov_vec3 *v, const uint32_t (*t)[3], size_t count) {
    so_real volume = 0, z = 0, xx = 0, yy = 0, zz = 0;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 a = v[t[i][0]], b = v[t[i][1]], c = v[t[i][2]];
        so_real d = ov_vec3_dot(a, ov_vec3_cross(b, c));
        volume += d / 6;
        z += d / 24 * (a.z + b.z + c.z);
        // int x^2 over the tetrahedron 0 a b c: d/60 (sum of squares and of products)
        xx += d / 60 * (a.x * a.x + b.x * b.x + c.x * c.x + a.x * b.x + b.x * c.x + c.x * a.x);
        yy += d / 60 * (a.y * a.y + b.y * b.y + c.y * c.y + a.y * b.y + b.y * c.y + c.y * a.y);
        zz += d / 60 * (a.z * a.z + b.z * b.z + c.z * c.z + a.z * b.z + b.z * c.z + c.z * a.z);
    }
    z /= volume;
    return (moments){volume, z, xx, yy, zz - volume * z * z};
}

/** Largest relative difference between a mesh of so many vertices and the closed form. */
static double mesh_error(const ov_shape *s, size_t vertices) {
    ov_mesh_options options = {.vertices = vertices, .chord_error = 0.0};
    ov_mesh_plan plan;
    if (!CHECK_OK(ov_shape_mesh_plan(s, &options, &plan))) {
        return INFINITY;
    }
    ov_vec3 *v = malloc(plan.vertex_count * sizeof *v);
    uint32_t(*t)[3] = malloc(plan.triangle_count * sizeof *t);
    double worst = INFINITY;
    if (v != NULL && t != NULL && CHECK_OK(ov_shape_mesh_fill(s, &plan, v, NULL, t))) {
        moments mesh = mesh_moments(v, (const uint32_t(*)[3])t, plan.triangle_count);
        moments m = moments_of(s);
        worst = (double)fabsl(mesh.volume / m.volume - 1.0L);
        worst = fmax(worst, (double)fabsl((mesh.z - m.z) / s->a.z));
        worst = fmax(worst, (double)fabsl(mesh.xx / m.xx - 1.0L));
        worst = fmax(worst, (double)fabsl(mesh.yy / m.yy - 1.0L));
        worst = fmax(worst, (double)fabsl(mesh.zz / m.zz - 1.0L));
    }
    free(v);
    free(t);
    return worst;
}

/** A mesh misses a share of the body that falls as one over the number of its vertices. */
static void test_meshes(void) {
    check_random r = check_random_make(605);
    double worst_coarse = 0.0, worst_ratio = 0.0;
    for (int i = 0; i < 40; i++) {
        ov_shape s = random_shape(&r, i);
        double coarse = mesh_error(&s, 4000), fine = mesh_error(&s, 64000);
        worst_coarse = fmax(worst_coarse, coarse);
        worst_ratio = fmax(worst_ratio, fine / coarse);
        CHECK_NEAR(coarse, 0.0, 0.05);
        // sixteen times the vertices; grids of whole steps do not hit the ratio exactly
        CHECK(fine <= coarse / 8.0);
    }
    check_worst("mesh of 4,000 vertices", worst_coarse, 0.05);
    check_worst("mesh of 64,000 vertices, as a share of that", worst_ratio, 1.0 / 8.0);
}

/* ---- density, sizes, status */

static void test_density(void) {
    check_random r = check_random_make(606);
    for (int i = 0; i < 300; i++) {
        ov_shape s = random_shape(&r, i);
        double density = check_log_uniform(&r, 1e-6, 1e6);
        ov_mass one, m;
        CHECK_OK(ov_shape_mass(&s, 1.0, &one));
        CHECK_OK(ov_shape_mass(&s, density, &m));
        CHECK(m.volume == one.volume && m.centroid.z == one.centroid.z);
        CHECK_NEAR(m.mass, density * one.volume, 1e-15 * m.mass);
        CHECK_NEAR(m.inertia.cx.x, density * one.inertia.cx.x, 1e-15 * m.inertia.cx.x);
        CHECK_NEAR(m.inertia.cy.y, density * one.inertia.cy.y, 1e-15 * m.inertia.cy.y);
        CHECK_NEAR(m.inertia.cz.z, density * one.inertia.cz.z, 1e-15 * m.inertia.cz.z);
        CHECK_OK(ov_shape_mass(&s, 0.0, &m));
        CHECK(m.mass == 0.0 && m.inertia.cx.x == 0.0 && m.volume == one.volume);
    }
}

/** To the ends of the range of sizes: volume goes with the cube, inertia with the fifth power. */
static void test_sizes(void) {
    const double sizes[] = {1e-60, 1e-30, 1e30, 1e60};
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        double c = sizes[i], d = i < 2 ? 1.5 : 0.5;
        ov_shape unit, s;
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1, d, 1), 0.7, 1.2, 0.3, 0.1, NULL, &unit));
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(c, c * d, c), 0.7, 1.2, 0.3, 0.1, NULL, &s));
        moments m = moments_of(&unit);
        so_real c3 = (so_real)c * c * c, c5 = c3 * c * c;
        m = (moments){m.volume * c3, m.z * c, m.xx * c5, m.yy * c5, m.zz * c5};
        worst = fmax(worst, compare(&s, m, 1e-14));
    }
    check_worst("sizes 1e-60 to 1e60", worst, 1e-14);
}

static void test_status(void) {
    ov_shape s;
    ov_mass m;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_STATUS(ov_shape_mass(NULL, 1.0, &m), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mass(&s, 1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_mass(&s, NAN, &m), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_mass(&s, INFINITY, &m), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_shape_mass(&s, -1.0, &m), OV_ERROR_OPTION);
    CHECK_STATUS(ov_shape_mass(&s, 1e61, &m), OV_ERROR_OPTION);
    CHECK_OK(ov_shape_make_sphere(1e60, &s));
    CHECK_STATUS(ov_shape_mass(&s, 1e60, &m), OV_ERROR_SIZE_RANGE);
}

int main(void) {
    check_suite = "superquadric_mass";
    RUN(test_closed_forms);
    RUN(test_frustum);
    RUN(test_quadrature);
    RUN(test_monte_carlo);
    RUN(test_meshes);
    RUN(test_density);
    RUN(test_sizes);
    RUN(test_status);
    return check_finish();
}
