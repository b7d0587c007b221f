/**
 * @file test_schemes_systems.c
 * @brief The bodies and systems of equations of the published Newton schemes.
 *
 * Oracles: the formulas of the papers written down again in long double and differentiated by
 * differences; the Householder matrix multiplied out; central differences of the residuals; the
 * gap of ov_pair_contact, which shares no code with the schemes.
 */
#include <float.h>
#include <string.h>

#include "../src/schemes/systems.h"
#include "check.h"

/* ---- random bodies and pairs */

static ov_shape random_shape(check_random *r, double e_min, double e_max, double taper) {
    ov_shape_options options = {.dent_tolerance = 1.0};
    for (int i = 0; i < 1000; i++) {
        ov_vec3 a;
        a.x = check_log_uniform(r, 0.3, 3.0);
        a.y = check_log_uniform(r, 0.3, 3.0);
        a.z = check_log_uniform(r, 0.3, 3.0);
        double e1 = check_uniform(r, e_min, e_max), e2 = check_uniform(r, e_min, e_max);
        double tx = check_uniform(r, -taper, taper), ty = check_uniform(r, -taper, taper);
        switch (check_random_bits(r) % 8) { // the simpler kinds are rare among random numbers
        case 0:
            a.y = a.z = a.x;
            e1 = e2 = 1.0;
            tx = ty = 0.0;
            break;
        case 1:
            e1 = e2 = 1.0;
            tx = ty = 0.0;
            break;
        case 2:
            tx = ty = 0.0;
            break;
        default:
            break;
        }
        ov_shape shape;
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, &options, &shape) == OV_OK) {
            return shape;
        }
    }
    fprintf(stderr, "no shape could be made\n");
    exit(EXIT_FAILURE);
}

/** Angles whose sines and cosines are all above 0.1: derivatives are moderate there. */
static void random_angles(check_random *r, double phi[2]) {
    phi[0] = 0.5 * M_PI * floor(check_uniform(r, -2.0, 2.0)) + check_uniform(r, 0.1, 1.47);
    phi[1] = copysign(check_uniform(r, 0.1, 1.47), check_uniform(r, -1.0, 1.0));
}

static ov_pose random_pose(check_random *r) {
    ov_pose pose;
    double apart = check_uniform(r, 0.0, 5.0);
    pose.position = ov_vec3_scale(check_unit_vector(r), apart);
    pose.rotation = check_rotation(r);
    return pose;
}

/* ---- the field */

/** (5), written down again. */
static long double field_oracle(const ov_shape *s, const long double p[3]) {
    long double zeta = p[2] / s->a.z;
    long double x = fabsl(p[0] / (s->a.x * (s->tx * zeta + 1.0L)));
    long double y = fabsl(p[1] / (s->a.y * (s->ty * zeta + 1.0L)));
    long double e1 = s->e1, e2 = s->e2;
    return powl(powl(x, 2.0L / e1) + powl(y, 2.0L / e1), e1 / e2) + powl(fabsl(zeta), 2.0L / e2) -
           1.0L;
}

/** Sixth order central differences of F, by each coordinate of a list in turn. */
static long double difference(const ov_shape *s, const long double p[3], const int *by, int count) {
    static const long double weight[3] = {3.0L / 4.0L, -3.0L / 20.0L, 1.0L / 60.0L};
    if (count == 0) {
        return field_oracle(s, p);
    }
    long double h = 1e-3L * fabsl(p[by[0]]), sum = 0.0L;
    for (int i = 1; i <= 3; i++) {
        long double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
        up[by[0]] += (long double)i * h;
        down[by[0]] -= (long double)i * h;
        sum += weight[i - 1] *
               (difference(s, up, by + 1, count - 1) - difference(s, down, by + 1, count - 1));
    }
    return sum / h;
}

static void field_and_derivatives(void) {
    check_random r = check_random_make(401);
    double worst_f = 0.0, worst_g = 0.0, worst_h = 0.0;
    for (int n = 0; n < 600; n += check_every()) {
        ov_shape s = random_shape(&r, 0.2, 1.9, 0.5);
        double phi[2], h[3][3];
        random_angles(&r, phi);
        ov_vec3 p = ov_vec3_scale(ovi_scheme_point(&s, phi), check_uniform(&r, 0.8, 1.25));
        const long double at[3] = {p.x, p.y, p.z};
        ov_vec3 gradient = ovi_scheme_gradient(&s, p, h);
        const double g[3] = {gradient.x, gradient.y, gradient.z}, q[3] = {p.x, p.y, p.z};
        double f = ovi_scheme_inside(&s, p);
        // rounding of the coordinates alone changes F by its logarithmic derivative
        double scale = 1.0 + fabs(g[0] * q[0]) + fabs(g[1] * q[1]) + fabs(g[2] * q[2]);
        worst_f = fmax(worst_f, fabs(f - (double)field_oracle(&s, at)) / scale);
        for (int i = 0; i < 3; i++) {
            double expected = (double)difference(&s, at, &i, 1);
            double size = ov_vec3_length(gradient) + scale / fabs(q[i]);
            worst_g = fmax(worst_g, fabs(g[i] - expected) / size);
            for (int j = 0; j < 3; j++) {
                const int by[2] = {i, j};
                expected = (double)difference(&s, at, by, 2);
                size = fabs(h[i][j]) + scale / fabs(q[i] * q[j]);
                worst_h = fmax(worst_h, fabs(h[i][j] - expected) / size);
            }
        }
        CHECK(ovi_scheme_gradient(&s, p, NULL).z == gradient.z);
    }
    CHECK_NEAR(worst_f, 0.0, 1e-14);
    CHECK_NEAR(worst_g, 0.0, 1e-12);
    CHECK_NEAR(worst_h, 0.0, 1e-9);
    check_worst("F", worst_f, 1e-14);
    check_worst("gradient", worst_g, 1e-12);
    check_worst("Hessian", worst_h, 1e-9);
}

/** Zero coordinates: everything stays finite, and spheres keep their derivatives. */
static void field_on_planes(void) {
    check_random r = check_random_make(402);
    for (int n = 0; n < 4000; n += check_every()) {
        ov_shape s = random_shape(&r, 0.1, 2.0, 0.5);
        double h[3][3];
        unsigned planes = 1u + (unsigned)(check_random_bits(&r) % 7u);
        ov_vec3 p = ov_vec3_mul(check_unit_vector(&r), s.a);
        p.x = (planes & 1u) != 0 ? 0.0 : p.x;
        p.y = (planes & 2u) != 0 ? -0.0 : p.y;
        p.z = (planes & 4u) != 0 ? 0.0 : p.z;
        ov_vec3 g = ovi_scheme_gradient(&s, p, h);
        CHECK(ov_vec3_is_finite(g));
        CHECK((planes & 1u) == 0 || g.x == 0.0);
        for (int i = 0; i < 9; i++) {
            CHECK(isfinite(h[i / 3][i % 3]));
        }
        if (s.kind == OV_SHAPE_KIND_SPHERE || s.kind == OV_SHAPE_KIND_ELLIPSOID) {
            const double a[3] = {s.a.x, s.a.y, s.a.z};
            for (int i = 0; i < 9; i++) {
                double expected = i / 3 == i % 3 ? 2.0 / (a[i / 3] * a[i / 3]) : 0.0;
                CHECK_NEAR(h[i / 3][i % 3], expected, 1e-13 * (expected + 1.0));
            }
        }
    }
}

/* ---- the parametric surface */

/** Component i of (10), written down again. */
static long double surface_oracle(const ov_shape *s, const long double phi[2], int i) {
    long double c1 = cosl(phi[0]), s1 = sinl(phi[0]), c2 = cosl(phi[1]), s2 = sinl(phi[1]);
    long double z = copysignl(powl(fabsl(s2), s->e2), s2);
    long double w = copysignl(powl(fabsl(c2), s->e2), c2);
    return i == 0   ? s->a.x * (s->tx * z + 1.0L) * copysignl(powl(fabsl(c1), s->e1), c1) * w
           : i == 1 ? s->a.y * (s->ty * z + 1.0L) * copysignl(powl(fabsl(s1), s->e1), s1) * w
                    : s->a.z * z;
}

static double component(ov_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

static void surface_and_tangents(void) {
    check_random r = check_random_make(403);
    double worst_p = 0.0, worst_t = 0.0, worst_f = 0.0, worst_angle = 0.0;
    for (int n = 0; n < 4000; n += check_every()) {
        ov_shape s = random_shape(&r, 0.2, 2.0, 0.5);
        double phi[2], back[2];
        random_angles(&r, phi);
        const long double at[2] = {phi[0], phi[1]}, h = 1e-5L;
        ov_vec3 p = ovi_scheme_point(&s, phi), t[2];
        ovi_scheme_tangents(&s, phi, &t[0], &t[1]);
        for (int i = 0; i < 3; i++) {
            worst_p = fmax(worst_p, fabs(component(p, i) - (double)surface_oracle(&s, at, i)) /
                                        s.ball.radius);
            for (int k = 0; k < 2; k++) {
                long double up[2] = {at[0], at[1]}, down[2] = {at[0], at[1]};
                up[k] += h;
                down[k] -= h;
                double slope = (double)((surface_oracle(&s, up, i) - surface_oracle(&s, down, i)) /
                                        (2.0L * h));
                worst_t = fmax(worst_t, fabs(component(t[k], i) - slope) / s.ball.radius);
            }
        }
        ov_vec3 g = ovi_scheme_gradient(&s, p, NULL);
        double steep = fabs(g.x * p.x) + fabs(g.y * p.y) + fabs(g.z * p.z);
        worst_f = fmax(worst_f, fabs(ovi_scheme_inside(&s, p)) / (1.0 + steep));
        ovi_scheme_angles(&s, p, back);
        for (int k = 0; k < 2; k++) {
            worst_angle = fmax(worst_angle, fabs(back[k] - phi[k]));
        }
    }
    CHECK_NEAR(worst_p, 0.0, 1e-14);
    CHECK_NEAR(worst_t, 0.0, 1e-6);
    CHECK_NEAR(worst_f, 0.0, 1e-14);
    CHECK_NEAR(worst_angle, 0.0, 1e-12);
    check_worst("point", worst_p, 1e-14);
    check_worst("tangents", worst_t, 1e-6);
    check_worst("F on the parametric surface", worst_f, 1e-14);
    check_worst("angles and back", worst_angle, 1e-12);
    double none[2];
    ov_shape sphere;
    CHECK_OK(ov_shape_make_sphere(1.0, &sphere));
    ovi_scheme_angles(&sphere, ov_vec3_make(NAN, 0.0, 0.0), none);
    CHECK(isnan(none[0]) && isnan(none[1]));
}

/* ---- the frame */

/** Column k of (13) for h1 = n_x + sign |n|. */
static void householder_oracle(ov_vec3 n, long double sign, int k, long double column[3]) {
    long double x = n.x, y = n.y, z = n.z, length = sqrtl(x * x + y * y + z * z);
    // n_x + sign |n| loses all its digits where the two nearly cancel
    long double h1 = x * sign >= 0.0L ? x + sign * length : -(y * y + z * z) / (x - sign * length);
    long double h[3] = {h1, y, z}, square = h1 * h1 + y * y + z * z;
    for (int i = 0; i < 3; i++) {
        column[i] = (i == k ? 1.0L : 0.0L) - 2.0L * h[i] * h[k] / square;
    }
}

static double off_column(ov_vec3 v, ov_vec3 n, long double sign, int k) {
    long double column[3];
    householder_oracle(n, sign, k, column);
    return fmax(fabs(v.x - (double)column[0]),
                fmax(fabs(v.y - (double)column[1]), fabs(v.z - (double)column[2])));
}

static double off_frame(ov_vec3 n, ov_vec3 t, ov_vec3 b) {
    ov_vec3 u = ov_vec3_normalize(n);
    double off = fmax(fabs(ov_vec3_dot(u, t)), fabs(ov_vec3_dot(u, b)));
    off = fmax(off, fabs(ov_vec3_dot(t, b)));
    return fmax(off, fmax(fabs(ov_vec3_length(t) - 1.0), fabs(ov_vec3_length(b) - 1.0)));
}

static void householder(void) {
    check_random r = check_random_make(404);
    double worst_frame = 0.0, worst_plus = 0.0, worst_minus = 0.0;
    for (int n = 0; n < 20000; n += check_every()) {
        ov_vec3 normal = check_unit_vector(&r);
        if (n % 2 == 0) { // close to -x, where the sum in (14) cancels
            double angle = check_log_uniform(&r, 1e-7, 1.0), turn = check_uniform(&r, -M_PI, M_PI);
            normal = ov_vec3_make(-cos(angle), sin(angle) * cos(turn), sin(angle) * sin(turn));
        }
        normal = ov_vec3_scale(normal, check_log_uniform(&r, 1e-6, 1e6));
        ov_vec3 t, b;
        ovi_scheme_householder(normal, &t, &b);
        worst_frame = fmax(worst_frame, off_frame(normal, t, b));
        worst_plus =
            fmax(worst_plus, fmax(off_column(t, normal, 1.0L, 1), off_column(b, normal, 1.0L, 2)));
        ovi_scheme_frame mended = ovi_scheme_frame_of(normal, true);
        t = ovi_scheme_frame_tangent(&mended);
        b = ovi_scheme_frame_bitangent(&mended);
        long double sign = normal.x >= 0.0 ? 1.0L : -1.0L;
        worst_frame = fmax(worst_frame, off_frame(normal, t, b));
        worst_minus =
            fmax(worst_minus, fmax(off_column(t, normal, sign, 1), off_column(b, normal, sign, 2)));
    }
    // the sum vanishes: (14) leaves the difference
    ov_vec3 t, b, back = ov_vec3_make(-2.0, 0.0, 0.0);
    ovi_scheme_householder(back, &t, &b);
    CHECK(off_frame(back, t, b) == 0.0);
    CHECK(off_column(t, back, -1.0L, 1) == 0.0 && off_column(b, back, -1.0L, 2) == 0.0);
    CHECK_NEAR(worst_frame, 0.0, 1e-14);
    CHECK_NEAR(worst_plus, 0.0, 1e-14);
    CHECK_NEAR(worst_minus, 0.0, 1e-14);
    check_worst("Householder frame, orthonormal", worst_frame, 1e-14);
    check_worst("Householder, the sum in (14)", worst_plus, 1e-14);
    check_worst("Householder, either sign in (14)", worst_minus, 1e-14);
}

/* ---- Jacobians */

/** Sixth order central differences of the residual by unknown k, with a step that suits q. */
static void central(const ovi_scheme_system *system, const ovi_scheme_pair *pair, const double *q,
                    int k, double h, double *column) {
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    double moved[6], up[6], down[6];
    memcpy(moved, q, sizeof moved);
    for (int i = 0; i < 6; i++) {
        column[i] = 0.0;
    }
    for (int m = 1; m <= 3; m++) {
        moved[k] = q[k] + m * h;
        system->residual(pair, moved, up);
        moved[k] = q[k] - m * h;
        system->residual(pair, moved, down);
        for (int i = 0; i < system->unknowns; i++) {
            column[i] += weight[m - 1] * (up[i] - down[i]) / h;
        }
    }
}

/** Worst difference in a Jacobian, relative to the largest entry of its row. */
static double off_jacobian(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                           const double *q, double step) {
    int n = system->unknowns;
    double analytic[36], column[6], row[6] = {0.0}, off[6] = {0.0}, worst = 0.0;
    system->jacobian(pair, q, analytic);
    for (int k = 0; k < n; k++) {
        double h = step * (n == 6 ? fabs(q[k]) : 0.1);
        central(system, pair, q, k, h, column);
        for (int i = 0; i < n; i++) {
            row[i] = fmax(row[i], fabs(column[i]));
            off[i] = fmax(off[i], fabs(column[i] - analytic[k * n + i]));
        }
    }
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, off[i] / row[i]);
    }
    return worst;
}

static void jacobians(void) {
    static const struct {
        const ovi_scheme_system *system;
        const char *name;
    } systems[3] = {{&ovi_scheme_system_implicit, "Jacobian of (15)"},
                    {&ovi_scheme_system_parametric, "Jacobian of (18)"},
                    {&ovi_scheme_system_ntb, "Jacobian of (18), ntb"}};
    check_random r = check_random_make(405);
    double worst[3] = {0.0};
    for (int n = 0; n < 3000; n += check_every()) {
        ov_shape a = random_shape(&r, 0.2, 1.9, 0.5), b = random_shape(&r, 0.2, 1.9, 0.5);
        ov_scheme_options options = ov_default_scheme_options();
        options.mended = n % 2 == 1;
        ov_pose pose_a = random_pose(&r), pose_b = random_pose(&r);
        ovi_scheme_pair pair = {&a, &b, pose_a, pose_b, &options};
        ovi_scheme_guess guess;
        random_angles(&r, guess.phi_a);
        random_angles(&r, guess.phi_b);
        // the implicit form works off the surface as well
        guess.a = ov_vec3_scale(ovi_scheme_point(&a, guess.phi_a), check_uniform(&r, 0.85, 1.15));
        guess.b = ov_vec3_scale(ovi_scheme_point(&b, guess.phi_b), check_uniform(&r, 0.85, 1.15));
        // near -x the unmended frame turns so fast that differences see little of it
        ov_vec3 normal = ov_vec3_normalize(ovi_scheme_gradient(&b, guess.b, NULL));
        double turn = options.mended ? 1.0 : fmin(1.0, hypot(normal.y, normal.z));
        for (int k = 0; k < 3; k++) {
            double q[6] = {0.0};
            systems[k].system->start(&guess, q);
            worst[k] =
                fmax(worst[k], off_jacobian(systems[k].system, &pair, q, 2e-3 * fmax(turn, 0.05)));
        }
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(worst[k], 0.0, 1e-6);
        check_worst(systems[k].name, worst[k], 1e-6);
    }
}

/* ---- Newton */

static bool is_there(ov_scheme scheme) { return ov_scheme_missing(scheme) == NULL; }

/** From the true witness points, a little off, the answer must be the true one. */
static void newton_from_good_starts(void) {
    static const ov_scheme newtons[4] = {OV_SCHEME_OCT_IMPLICIT, OV_SCHEME_QUAD_IMPLICIT,
                                         OV_SCHEME_QUAD_PARAMETRIC, OV_SCHEME_NTB_PARAMETRIC};
    if (!is_there(OV_SCHEME_QUAD_IMPLICIT)) {
        printf("%s: Newton is left out: built without %s\n", check_suite,
               ov_scheme_missing(OV_SCHEME_QUAD_IMPLICIT));
        return;
    }
    check_random r = check_random_make(406);
    int tried = 0, solved[4][2] = {{0}};
    double worst = 0.0;
    while (tried < 600) {
        ov_shape a = random_shape(&r, 0.6, 1.0, 0.0), b = random_shape(&r, 0.6, 1.0, 0.0);
        ov_pose pose_a = random_pose(&r), pose_b = pose_a;
        double apart = a.ball.radius + b.ball.radius;
        pose_b.rotation = check_rotation(&r);
        pose_b.position = ov_vec3_add_scaled(pose_a.position, check_unit_vector(&r), apart * 1.1);
        ov_contact contact;
        CHECK_OK(ov_pair_contact(&a, pose_a, &b, pose_b, NULL, NULL, &contact));
        double close = apart * check_uniform(&r, -0.02, 0.2);
        pose_b.position = ov_vec3_add_scaled(pose_b.position, contact.normal, close - contact.gap);
        if (ov_pair_contact(&a, pose_a, &b, pose_b, NULL, NULL, &contact) != OV_OK) {
            continue;
        }
        tried++;
        ov_scheme_result start = {.status = OV_OK};
        start.point_a = ov_vec3_add_scaled(contact.point_a, check_unit_vector(&r), 1e-3 * apart);
        start.point_b = ov_vec3_add_scaled(contact.point_b, check_unit_vector(&r), 1e-3 * apart);
        for (int k = 0; k < 8; k++) {
            ov_scheme_options options = ov_default_scheme_options();
            options.tolerance = 1e-9;
            options.last = &start;
            options.jacobian = k % 2 == 0 ? OV_JACOBIAN_DIFFERENCES : OV_JACOBIAN_ANALYTIC;
            ov_scheme_result result;
            ov_scheme_contact(newtons[k / 2], &a, pose_a, &b, pose_b, &options, &result);
            CHECK(result.status >= 0);
            // close to where its angles are singular the parametric form may leap to another root
            double leap = ov_vec3_length(ov_vec3_sub(result.point_a, contact.point_a)) +
                          ov_vec3_length(ov_vec3_sub(result.point_b, contact.point_b));
            if (result.status != OV_OK || result.restarts > 0 || leap > 0.1 * apart) {
                continue;
            }
            solved[k / 2][k % 2]++;
            worst = fmax(worst, fabs(result.gap - contact.gap) / apart);
            CHECK_NEAR(result.gap, contact.gap, 1e-9 * apart);
            CHECK_NEAR(ov_vec3_dot(result.normal, contact.normal), 1.0, 1e-6);
        }
    }
    for (int k = 0; k < 4; k++) {
        printf("%s: %s: %d (differences) and %d (analytic) of %d solved from good starts\n",
               check_suite, ov_scheme_name(newtons[k]), solved[k][0], solved[k][1], tried);
        CHECK(solved[k][0] >= tried * 99 / 100 && solved[k][1] >= tried * 99 / 100);
    }
    check_worst("gap of Newton against ov_pair_contact", worst, 1e-9);
}

int main(void) {
    check_suite = "schemes_systems";
    RUN(field_and_derivatives);
    RUN(field_on_planes);
    RUN(surface_and_tangents);
    RUN(householder);
    RUN(jacobians);
    RUN(newton_from_good_starts);
    return check_finish();
}
