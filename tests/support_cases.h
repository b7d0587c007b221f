/**
 * @file support_cases.h
 * @brief What test_superquadric_support.c and test_superquadric_support_slow.c share: draws of
 * shapes and directions over the whole domain, the checks of one support, and directions that once
 * gave wrong answers.
 */
#ifndef OVOID_TESTS_SUPPORT_CASES_H
#define OVOID_TESTS_SUPPORT_CASES_H

#include "support_oracle.h"

/* ---- shapes and directions */

static inline ov_vec3 case_axes(check_random *r) {
    double size = check_log_uniform(r, 1e-3, 1.0);
    return ov_vec3_make(size * check_log_uniform(r, 1.0, 1e3),
                        size * check_log_uniform(r, 1.0, 1e3),
                        size * check_log_uniform(r, 1.0, 1e3));
}

/** Exponents over the whole domain, the special ones often. */
static inline double case_exponent(check_random *r, int i) {
    const double special[] = {1.0, 2.0, 0.05, 0.5, 1.5, 1e-3, 1.95, 1.999, 0.999};
    return i % 2 == 0 ? check_uniform(r, 0.05, 2.0) : special[check_random_bits(r) % 9];
}

static inline ov_shape case_straight(check_random *r, int i) {
    ov_shape s;
    double e1 = case_exponent(r, i), e2 = case_exponent(r, i / 2);
    CHECK_OK(ov_shape_make_superellipsoid(case_axes(r), e1, e2, &s));
    return s;
}

/** Tapered, with any dent up to the tolerance: unequal, equal, along one axis, opposite. */
static inline ov_shape case_tapered(check_random *r, int i, double tolerance) {
    const ov_shape_options options = {tolerance};
    for (;;) {
        double e1 = case_exponent(r, i), e2 = case_exponent(r, i / 2);
        double reach = i % 3 == 0 ? 0.5 : 0.99;
        double tx = check_uniform(r, -reach, reach), ty = check_uniform(r, -reach, reach);
        const double second[] = {ty, tx, 0.0, -tx, ty, tx * 1.01, 0.99, ty};
        ty = fmax(-0.99, fmin(0.99, second[i / 4 % 8]));
        if (i % 16 == 5) {
            e2 = check_uniform(r, 1.9, 2.0);
        }
        ov_shape s;
        ov_status status =
            i % 2 == 0 ? ov_shape_make_superovoid(case_axes(r), e1, e2, tx, ty, &options, &s)
                       : ov_shape_make_superovoid(case_axes(r), e1, e2, ty, tx, &options, &s);
        if (status == OV_OK) {
            return s;
        }
        CHECK_STATUS(status, OV_ERROR_DENT);
    }
}

enum { CASE_DIRECTIONS = 10 };

static inline ov_vec3 case_direction(check_random *r, const ov_shape *s, int kind) {
    ov_vec3 a = s->a, n = check_unit_vector(r), axis = {0.0, 0.0, 0.0};
    // all three terms of the support function matter
    ov_vec3 even = ov_vec3_make(n.x / a.x, n.y / a.y, n.z / a.z);
    double small_1 = check_log_uniform(r, 1e-300, 1e-20),
           small_2 = check_log_uniform(r, 1e-300, 1e-3);
    int i = (int)(check_random_bits(r) % 3);
    double *const part[3] = {&even.x, &even.y, &even.z}, *const one[3] = {&axis.x, &axis.y,
                                                                          &axis.z};
    switch (kind % CASE_DIRECTIONS) {
    case 0:
        return n;
    case 1: // on an axis
        *one[i] = n.x;
        return axis;
    case 2: // in a coordinate plane
        *part[i] = 0.0;
        return even;
    case 3: // close to an axis
        *part[i] *= small_1;
        *part[(i + 1) % 3] *= small_2;
        return even;
    case 4: // close to a coordinate plane
        *part[i] *= small_1;
        return even;
    case 5: // of any length
        return ov_vec3_scale(even, check_log_uniform(r, 1e-200, 1e200));
    case 6: // towards a corner of the box
        return ov_vec3_make(1.0 / a.x, -1.0 / a.y, 1.0 / a.z);
    case 7: // and nearly so: close to the ties of bevelled bodies
        return ov_vec3_make((1.0 + 1e-9 * n.x) / a.x, (1.0 + 1e-12 * n.y) / a.y, -1.0 / a.z);
    default:
        return even;
    }
}

static inline void case_print(const ov_shape *s) {
    if (check_may_print()) {
        fprintf(stderr, "  a %.17g, %.17g, %.17g, e %.17g, %.17g, taper %.17g, %.17g\n", s->a.x,
                s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty);
    }
}

/* ---- one support */

typedef struct case_errors {
    double value, reach, gauge, normal;
} case_errors;

static inline case_errors case_worst(case_errors a, case_errors b) {
    return (case_errors){fmax(a.value, b.value), fmax(a.reach, b.reach), fmax(a.gauge, b.gauge),
                         fmax(a.normal, b.normal)};
}

/**
 * Does the point tell its normal? Not on an edge (e > 1 and a coordinate too small for a double, or
 * lost beside the size of the body), nor where the powers of a nearly square or nearly bevelled
 * body take all digits.
 */
static inline bool case_tells_normal(const ov_shape *s, ov_vec3 n, ov_vec3 p) {
    if (s->e1 < 0.05 || s->e2 < 0.05 || s->e1 > 1.9 || s->e2 > 1.9) {
        return false;
    }
    const double tiny = 1e-280;
    return (n.x == 0.0 || fabs(p.x) > tiny) && (n.y == 0.0 || fabs(p.y) > tiny) &&
           (n.z == 0.0 || fabs(p.z) > tiny);
}

/** Checks value and point, to tolerances of the value and of the normal's sine (none if infinite).
 */
static inline case_errors case_check(const ov_shape *s, ov_vec3 n, so_real expected,
                                     double tolerance, double sine_tolerance) {
    ov_support h = {NAN, {NAN, NAN, NAN}};
    CHECK_OK(ov_shape_support(s, n, &h));
    so_vec p = so_from(h.point), nl = so_from(n);
    case_errors e;
    e.value = (double)fabsl(h.value / expected - 1.0L);
    e.reach = (double)fabsl(so_dot(nl, p) / expected - 1.0L);
    e.gauge = (double)fabsl(so_gauge(s, p) - 1.0L);
    e.normal = 0.0;
    if (case_tells_normal(s, n, h.point)) {
        so_vec scaled = {s->a.x * nl.x, s->a.y * nl.y, s->a.z * nl.z};
        e.normal = (double)so_sine(so_covector(s, p), scaled);
    }
    bool good = CHECK_NEAR(e.value, 0.0, tolerance);
    good = CHECK_NEAR(e.reach, 0.0, tolerance) && good;
    good = CHECK_NEAR(e.gauge, 0.0, 1e-12) && good;
    if (!isinf(sine_tolerance)) {
        good = CHECK_NEAR(e.normal, 0.0, sine_tolerance) && good;
    }
    if (!good && check_may_print()) {
        fprintf(stderr,
                "  {{%.17g, %.17g, %.17g}, %.17g, %.17g, %.17g, %.17g, {%.17g, %.17g, %.17g}}\n",
                s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty, n.x, n.y, n.z);
    }
    return e;
}

static inline void case_report(const char *what, case_errors worst, double tolerance) {
    char line[120];
    const struct {
        const char *name;
        double worst, tolerance;
    } parts[] = {{"value against the scan, relative", worst.value, tolerance},
                 {"point: n . p = h, relative", worst.reach, tolerance},
                 {"point: |G - 1|", worst.gauge, 1e-12},
                 {"point: sine between normal and n", worst.normal, 1e-9}};
    for (int i = 0; i < 4; i++) {
        snprintf(line, sizeof line, "%s %s", what, parts[i].name);
        check_worst(line, parts[i].worst, parts[i].tolerance);
    }
}

/** The point of one horizontal section that reaches furthest along n. */
static inline so_vec case_section_support(const ov_shape *s, so_vec n, so_real ray) {
    so_ray at = so_on_ray(ray, so_primal(s->e2));
    so_real f1 = s->a.x * (1.0L + s->tx * at.zeta), f2 = s->a.y * (1.0L + s->ty * at.zeta);
    so_real u = f1 * fabsl(n.x), v = f2 * fabsl(n.y), q = so_dual(s->e1), m = so_norm(u, v, q);
    so_real x = isinf(q) ? u >= v : powl(u / m, q - 1.0L),
            y = isinf(q) ? u < v : powl(v / m, q - 1.0L);
    return (so_vec){copysignl(f1 * at.w * x, n.x), copysignl(f2 * at.w * y, n.y), s->a.z * at.zeta};
}

/* ---- sweeps */

static inline void case_run_tapered(uint64_t seed, int shapes, double tolerance) {
    check_random r = check_random_make(seed);
    case_errors worst = {0};
    static so_grid grid;
    for (int i = 0; i < shapes; i += check_every()) {
        ov_shape s = case_tapered(&r, i, i % 2 == 0 ? 1.0 : 0.05);
        so_make_grid(&s, &grid);
        for (int k = 0; k < CASE_DIRECTIONS; k++) {
            ov_vec3 n = case_direction(&r, &s, k);
            so_real expected = so_support(&s, &grid, so_from(n)).value;
            worst = case_worst(worst, case_check(&s, n, expected, tolerance, 1e-9));
        }
    }
    case_report("tapered", worst, tolerance);
}

/** One horizontal direction of a dented shape: at its tie, and on both sides of it. */
static inline bool case_tie(check_random *r, const ov_shape *s, const so_grid *grid,
                            double tolerance, case_errors *worst) {
    ov_vec3 n = case_direction(r, s, (int)(check_random_bits(r) % 2) * 8);
    so_real n3, depth;
    if (!so_tie(s, grid, n.x, n.y, 1e-9L * (fabs(s->a.x * n.x) + fabs(s->a.y * n.y)), &n3,
                &depth)) {
        return false;
    }
    // relative to the whole normal: the tie may be at n.z = 0
    double scale = fabs((double)n3) + (fabs(s->a.x * n.x) + fabs(s->a.y * n.y)) / s->a.z;
    double side = check_random_bits(r) % 2 == 0 ? 1.0 : -1.0;
    for (int k = 0; k <= 10; k++, side = -side) {
        double aside = k == 0 ? 0.0 : pow(10.0, -2.0 - k);
        n.z = (double)n3 + side * aside * scale;
        so_real expected = so_support(s, grid, so_from(n)).value;
        *worst = case_worst(*worst, case_check(s, n, expected, tolerance, 1e-9));
    }
    return true;
}

static inline void case_run_ties(uint64_t seed, int shapes, double tolerance) {
    check_random r = check_random_make(seed);
    case_errors worst = {0};
    static so_grid grid;
    int ties = 0;
    for (int i = 0; i < shapes; i += check_every()) {
        ov_shape s = case_tapered(&r, i, i % 2 == 0 ? 1.0 : 0.05);
        if (s.dent == 0.0) {
            continue;
        }
        so_make_grid(&s, &grid);
        ties += case_tie(&r, &s, &grid, tolerance, &worst);
    }
    CHECK(ties > check_share(shapes) / 5);
    printf("%s: %d ties of two maxima around a dent\n", check_suite, ties);
    case_report("close to a tie", worst, tolerance);
}

/* ---- regressions */

typedef struct case_regression {
    ov_vec3 a;
    double e1, e2, tx, ty;
    ov_vec3 n;
} case_regression;

static const case_regression case_regressions[] = {
    {{1.0, 1.0, 1.0}, 1.0, 0.5, 0.4, -0.4, {1.0, 1.0, 0.0}},
    // the wrong side of a dent, though far from its tie
    {{179.102, 166.335, 219.816},
     2.0,
     1.7959365710734601,
     0.90114457299986639,
     0.86299415099285115,
     {-0.0031855480946257186, -0.003286765554290394, 0.002788074736454536}},
    {{57.0938, 34.3971, 684.207},
     1.425750655746912,
     1.8380975270050963,
     -0.97505385297825509,
     -0.97505385297825509,
     {0.015568557435651264, 0.0, -0.00043495950403833343}},
    {{2.0737609431302801, 0.012127061700060315, 0.027109259577877871},
     1.2125390398310407,
     1.8689239350047853,
     0.38333100651147012,
     0.98999999999999999,
     {0.15471360881426702, -75.201885317399402, 9.4304792520652114}},
    {{1.1834528967088784, 41.696337559245215, 2.7983488811577137},
     1.9901769238126747,
     0.001,
     -0.50433517548673856,
     0.98999999999999999,
     {-0.66596799033900989, 0.014760974796936837, -0.0015450782872970653}},
    // searches that gave up: a strong taper, and a maximum that is nearly flat
    {{1.8372473285900548, 7.3700279457727023, 76.241850948651432},
     0.001,
     0.41823606025925469,
     0.98999999999999999,
     -0.022333044457370943,
     {0.22954402529887133, -0.1099700279326831, -0.0052358758981178796}},
    {{0.017348387837592068, 0.14708711221111348, 0.022892578131765901},
     0.001,
     0.15126125837516416,
     0.98999999999999999,
     0.1091020622369312,
     {-54.956296006604717, -0.2127202944764662, -41.378598796846191}},
    {{1.0, 1.0, 1.0}, 1.54129, 0.372719, 0.999999999, -0.484108, {0.656964, -0.725141, -0.20632}},
    {{1.0, 1.0, 1.0},
     2.0,
     0.0825919,
     -0x1.fffffffffffffp-1,
     -0x1.fffffffffffffp-1,
     {0.624756, 0.373133, -0.685894}},
    // ties of directions that lie between the sampled ones
    {{9.4752897536006682, 9.9280874496213709, 2.7160150727396513},
     1.5914126388422407,
     1.0,
     -0.26575842137572592,
     0.6915283690981251,
     {0.044552920429081502, 0.047331894687915196, -0.064907853112509351}},
    {{0.124690516892362, 0.18669400719263055, 0.1232806207710892},
     1.95,
     0.05,
     0.98999999999999999,
     0.18599041074280342,
     {0.85331405333928867, 0.46042746591618638, -0.57381002772418122}},
    {{2.4093881603080085, 240.48377579941925, 1.3952382904100364},
     0.41385307347017025,
     0.52801804811726605,
     0.28169595588210927,
     -0.14311652510778661,
     {0.35359943092539431, 0.0021771706202123086, -0.11402665419393966}},
    // a second dent, away from the one at the equator, in a narrow range of directions
    {{1.3906448553110879, 0.061069871034401382, 0.50653354472208612},
     1.8335586104177088,
     0.999,
     0.67823633385935378,
     0.70841315477438793,
     {0.19365005812779068, 15.767341584520231, -1.9009806447194368}},
    {{0.28778193449691114, 0.18894314225029304, 0.62844459973034605},
     0.91225745250757795,
     0.5,
     0.89201560470645758,
     0.10445035735396613,
     {0.45841725015048029, -0.043703605476278599, -0.20764179157413068}},
    {{0.0049398827064772782, 0.28858041458075001, 0.54653616013965745},
     1.7697136767338519,
     0.999,
     0.5656081882683599,
     0.0,
     {-73.869022249327912, -0.87154811062936866, -0.49733535990446459}},
};

enum { CASE_REGRESSIONS = sizeof case_regressions / sizeof case_regressions[0] };

#endif
