/**
 * @file test_superquadric_dent.c
 * @brief How far tapered surfaces are from convex: the limits of convexity, the depth of the dent,
 * and what the constructor makes of it.
 *
 * References: the condition of equal taper solved by itself, the condition of any taper scanned in
 * long double, the depth from ties of the scanned support function (support_oracle.h), and, without
 * any support function, pairs of surface points whose chord leaves the body.
 */
#include "shape/shape_internal.h"
#include "support_cases.h"

static const ov_shape_options any_dent = {1.0};

static ov_shape make(ov_vec3 a, double e1, double e2, double tx, double ty) {
    ov_shape s = {0};
    CHECK_OK(ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s));
    return s;
}

/** Refusal above the largest tolerance counts as dented, too. */
static bool is_dented(ov_vec3 a, double e1, double e2, double tx, double ty) {
    ov_shape s = {0};
    ov_status status = ov_shape_make_superovoid(a, e1, e2, tx, ty, &any_dent, &s);
    CHECK(status == OV_OK || status == OV_ERROR_DENT);
    return status != OV_OK || s.dent > 0.0;
}

/** Largest t in [0, 1] for which the body with tapers (t, ratio t) has no dent. */
static double convex_limit(ov_vec3 a, double e1, double e2, double ratio) {
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 40; i++) {
        double t = 0.5 * (lo + hi);
        *(is_dented(a, e1, e2, t, ratio * t) ? &hi : &lo) = t;
    }
    return 0.5 * (lo + hi);
}

/* ---- limits of convexity */

static so_real taper_room(so_real s, const void *exponent) {
    so_real p = *(const so_real *)exponent;
    return s * (p + 1 - 2 * powl(s, p));
}

/**
 * Equal taper: (1 - T s)(p - 1) >= 2 T s (1 - s^p) on [0, 1] asks for T <= (p - 1)/(s (p + 1 - 2
 * s^p)), whose smallest value is searched for.
 */
static so_real equal_limit(double e2) {
    const so_real p = so_primal(e2);
    return (p - 1) / so_golden_max(taper_room, &p, 0.0L, 1.0L, 90).value;
}

static void test_equal_limits(void) {
    const double e2s[] = {0.02, 0.05, 0.1, 0.3,  0.5, 0.7,   0.9,    1.0, 1.1,
                          1.3,  1.5,  1.7, 1.89, 1.9, 1.901, 1.9999, 2.0};
    check_random r = check_random_make(401);
    double worst = 0.0;
    for (size_t i = 0; i < sizeof e2s / sizeof e2s[0]; i++) {
        // setting the derivative to zero gives s^p = 1/2, and the limit in closed form
        double closed = (1.0 - 0.5 * e2s[i]) * pow(2.0, 0.5 * e2s[i]);
        CHECK_NEAR((double)equal_limit(e2s[i]), closed, 1e-15);
        for (int k = 0; k < 2; k++) {
            double limit = convex_limit(case_axes(&r), case_exponent(&r, k), e2s[i], 1.0);
            worst = fmax(worst, fabs(limit - closed));
            CHECK_NEAR(limit, closed, 1e-6);
        }
    }
    check_worst("equal taper, limit of convexity", worst, 1e-6);
    ov_vec3 a = {1.0, 1.0, 1.0};
    CHECK_NEAR(convex_limit(a, 1.0, 0.5, 1.0), 0.892, 5e-4);
    CHECK_NEAR(convex_limit(a, 1.0, 1.0, 1.0), sqrt(0.5), 1e-6);
    CHECK_NEAR(convex_limit(a, 1.0, 1.5, 1.0), 0.420, 5e-4);
    CHECK_NEAR(convex_limit(a, 1.0, 2.0, 1.0), 0.0, 1e-6);
}

/**
 * The second derivative of w M over w M, times w^(2p), at a height and shares of the two axes, of
 * which the smaller one counts to its last digits: the papers' surface is convex iff it is nowhere
 * positive.
 */
static so_real bend(const ov_shape *s, so_real zeta, so_real share, so_real other) {
    so_real p = so_primal(s->e2), q = so_dual(s->e1), z = fabsl(zeta);
    so_real alpha = s->tx / (1.0L + s->tx * zeta), beta = s->ty / (1.0L + s->ty * zeta);
    so_real rest = 1.0L - powl(z, p);
    return -(p - 1) * powl(z, p - 2) -
           2 * copysignl(powl(z, p - 1), zeta) * rest * (share * alpha + other * beta) +
           (q - 1) * share * other * (alpha - beta) * (alpha - beta) * rest * rest;
}

static bool scan_is_dented(const ov_shape *s) {
    for (int i = -400; i <= 400; i++) {
        so_real zeta = i == 0 ? 1e-9L : so_on_ray(i / 400.5L, so_primal(s->e2)).zeta;
        for (int k = 0; k <= 40; k++) {
            if (bend(s, zeta, k / 40.0L, (40 - k) / 40.0L) > 0.0L) {
                return true;
            }
        }
    }
    return false;
}

/** Unequal taper of a body with e2 >= 1: the limit against a plain scan of the condition. */
static void test_unequal_limits(void) {
    check_random r = check_random_make(402);
    double worst = 0.0;
    for (int i = 0; i < 8; i++) {
        double e1 = check_uniform(&r, 0.1, 1.9), e2 = check_uniform(&r, 1.0, 1.8);
        double ratio = check_uniform(&r, -1.0, 1.0);
        double limit = convex_limit(case_axes(&r), e1, e2, ratio);
        // the scan is coarse: it must see the dent a little above the limit, and none just below
        double above = fmin(0.999, limit + 2e-3), below = limit - 1e-6;
        ov_shape s = {.a = {1.0, 1.0, 1.0}, .e1 = e1, .e2 = e2};
        s.tx = below;
        s.ty = ratio * below;
        CHECK(!scan_is_dented(&s));
        s.tx = above;
        s.ty = ratio * above;
        CHECK(scan_is_dented(&s));
        worst = fmax(worst, above - below);
    }
    check_worst("unequal taper, limit bracketed by a scan", worst, 2.1e-3);
}

/** Changes of the bend from inwards to outwards (up) and back (down) along a half of a profile. */
typedef struct turns {
    int up, down;
} turns;

static turns turns_of_half(const ov_shape *s, so_real log_ratio, so_real side) {
    enum { HEIGHTS = 300 };
    turns t = {0, 0};
    so_real q = so_dual(s->e1), before = 0.0L;
    for (int i = 1; i < HEIGHTS; i++) {
        // densely next to the equator, where a dent may be narrow
        so_real ray = powl(i / (so_real)HEIGHTS, 3.0L);
        so_real zeta = side * so_on_ray(ray, so_primal(s->e2)).zeta;
        so_real ratio = log_ratio + logl((1.0L + s->ty * zeta) / (1.0L + s->tx * zeta));
        so_real share = 1.0L / (1.0L + expl(q * ratio)), other = 1.0L / (1.0L + expl(-q * ratio));
        so_real here = bend(s, zeta, share, other);
        t.up += here > 0.0L && before <= 0.0L && i > 1;
        t.down += here <= 0.0L && before > 0.0L;
        before = here;
    }
    return t;
}

/** A shape that is said to be convex is; one that bends about the equator only does so once. */
static void test_kinds(void) {
    check_random r = check_random_make(412);
    const ov_shape_options any = {1.0};
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < 240; i += check_every()) {
        double most = i % 3 == 0 ? 0.3 : 0.95, t = check_uniform(&r, -most, most);
        double e1 = i % 4 == 0 ? 2.0 - check_log_uniform(&r, 1e-3, 1.0) : case_exponent(&r, i);
        ov_shape s;
        if (ov_shape_make_superovoid(case_axes(&r), e1, check_log_uniform(&r, 0.03, 1.99), t,
                                     i % 5 == 0 ? t : check_uniform(&r, -most, most), &any,
                                     &s) != OV_OK) {
            continue;
        }
        seen[ovi_dent_kind_of(&s)]++;
        if (ovi_dent_kind_of(&s) == OVI_DENT_KIND_ANYWHERE) {
            continue;
        }
        CHECK((s.dent == 0.0) == (ovi_dent_kind_of(&s) == OVI_DENT_KIND_NONE));
        for (int k = -12; k <= 12; k += 2) {
            for (int side = -1; side <= 1; side += 2) {
                turns turn = turns_of_half(&s, 0.35L * k, side);
                int bends = turn.up + turn.down;
                if (!CHECK(turn.up == 0 && bends <= (s.dent > 0.0))) {
                    fprintf(stderr, "  %d up, %d down: e %.17g %.17g, t %.17g %.17g, k %d\n",
                            turn.up, turn.down, s.e1, s.e2, s.tx, s.ty, k);
                }
            }
        }
    }
    printf("%s: %d convex, %d bent about the equator, %d anyhow\n", check_suite, seen[0], seen[1],
           seen[2]);
    CHECK(seen[0] > check_share(20) && seen[1] > check_share(40) && seen[2] > check_share(20));
}

/** With e2 < 1 the other terms vanish at the equator, and any inequality of the tapers dents. */
static void test_always_dented(void) {
    check_random r = check_random_make(403);
    for (int i = 0; i < 400; i += check_every()) {
        double e1 = check_uniform(&r, 0.05, 2.0), e2 = check_uniform(&r, 0.05, 0.97);
        double tx = check_uniform(&r, -0.4, 0.4);
        double ty = tx + check_log_uniform(&r, 1e-4, 0.3) * (i % 2 == 0 ? 1.0 : -1.0);
        CHECK(is_dented(case_axes(&r), e1, e2, tx, ty));
    }
}

/* ---- depth */

/**
 * Tapered shapes whose depth the scan can be trusted with. As e1 nears 2 the gap is a kink that
 * moves with the direction, and slips between the nodes; test_known_depth has a closed form of
 * that.
 */
static ov_shape scannable(check_random *r, int i, double tolerance) {
    for (;;) {
        ov_shape s = case_tapered(r, i, tolerance);
        if (s.e1 <= 1.8) {
            return s;
        }
    }
}

/** The horizontal normal with log(n2/n1) = x; the axes themselves far out. */
static so_vec horizontal(so_real x) {
    so_real length = sqrtl(1.0L + expl(-2.0L * fabsl(x))), small = expl(-fabsl(x)) / length;
    so_vec n = {x > 0 ? small : 1.0L / length, x > 0 ? 1.0L / length : small, 0.0L};
    return fabsl(x) > 30.0L ? (so_vec){x<0, x> 0, 0.0L} : n;
}

/** Depth below the sampled bridge in one direction, as a length along the bridging plane's normal.
 */
static so_real sampled_depth(const ov_shape *s, const so_grid *g, so_real x) {
    double phi[SO_NODES];
    so_vec n = horizontal(x);
    so_profile p = so_profile_of(s, n);
    so_phi_nodes(&p, g, phi);
    so_bridge bridge = so_find_bridge(g, phi);
    n.z = -bridge.slope / s->a.z;
    return bridge.depth * hypotl(1.0L, bridge.slope / phi[SO_NODES / 2]) / so_length(n);
}

/** Scans directions from lo to hi, then closer around the best; true where it beats what was known.
 */
static bool scan_directions(const ov_shape *s, const so_grid *g, so_real lo, so_real hi,
                            so_real *best, so_real *at) {
    so_real deepest_here = -1.0L, centre = 0.0L;
    for (int round = 0; round < 4; round++) {
        int steps = round == 0 ? 61 : 17;
        so_real step = (hi - lo) / (steps - 1);
        for (int i = 0; i < steps; i++) {
            so_real x = lo + step * i, depth = sampled_depth(s, g, x);
            if (depth > deepest_here) {
                deepest_here = depth;
                centre = x;
            }
        }
        lo = centre - step;
        hi = centre + step;
    }
    if (deepest_here <= *best) {
        return false;
    }
    *best = deepest_here;
    *at = centre;
    return true;
}

/**
 * Deepest dent over all horizontal directions, and its normal: the two axes, a scan of the
 * directions in which the axes compete at some height (a narrow range as e1 nears 2), one of those
 * in which the lengths of the axes do; at the end the bridge is laid exactly.
 */
static so_real deepest(const ov_shape *s, so_vec *n) {
    static so_grid g;
    so_make_grid(s, &g);
    so_real even = logl((so_real)s->a.x / s->a.y);
    so_real best = sampled_depth(s, &g, -40.0L), other = sampled_depth(s, &g, 40.0L);
    so_real at = other > best ? 40.0L : -40.0L;
    best = fmaxl(best, other);
    so_real top = logl((1.0L + s->tx) / (1.0L + s->ty)),
            bottom = logl((1.0L - s->tx) / (1.0L - s->ty));
    so_real spread = 4.0L / so_dual(s->e1);
    scan_directions(s, &g, even + fminl(top, bottom) - spread, even + fmaxl(top, bottom) + spread,
                    &best, &at);
    scan_directions(s, &g, fminl(0.0L, even) - 5.0L, fmaxl(0.0L, even) + 5.0L, &best, &at);
    so_real depth = 0.0L;
    *n = horizontal(at);
    bool gap = so_tie(s, &g, n->x, n->y, 1e-14L * (s->a.x * n->x + s->a.y * n->y), &n->z, &depth);
    return gap ? depth / so_length(*n) : 0.0L;
}

/** The deepest dent of a shape with e1 = 1 and equal semi-axes is a matter of one variable. */
static void test_known_depth(void) {
    // in the direction (1, 1, 0) the profile is (1 - z^4)^(1/4) sqrt(1 + 0.16 z^2), 1 at the
    // equator
    so_real top = 0.0L;
    for (int i = 0; i <= 100000; i++) {
        so_real x = i / 100000.0L;
        top = fmaxl(top, powl(1 - x * x, 0.25L) * sqrtl(1 + 0.16L * x));
    }
    double closed = (double)(top - 1.0L);
    CHECK_NEAR(closed, 6.18988e-3, 1e-8);
    ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 0.5, 0.4, -0.4);
    CHECK_NEAR(s.dent, closed, 0.01 * closed);
    so_vec n;
    CHECK_NEAR((double)deepest(&s, &n), closed, 1e-3 * closed);
    check_worst("dent of the reference shape, relative", fabs(s.dent / closed - 1.0), 0.01);
    // e1 = 2: along (1, 1, 0) the profile is w (1 + t |z|), and the normal has length sqrt 2
    const double e2s[] = {0.05, 0.5, 0.9}, tapers[] = {0.05, 0.3, 0.6};
    double worst = 0.0;
    for (int i = 0; i < 9; i++) {
        double e2 = e2s[i / 3], t = tapers[i % 3];
        so_real rim = 0.0L;
        for (int k = 0; k <= 4000; k++) {
            so_ray at = so_on_ray(k / 4000.0L, so_primal(e2));
            rim = fmaxl(rim, at.w * (1.0L + t * at.zeta));
        }
        s = make(ov_vec3_make(1.0, 1.0, 1.0), 2.0, e2, t, -t);
        double expected = (double)(rim - 1.0L) / sqrt(2.0);
        worst = fmax(worst, fabs(s.dent / expected - 1.0));
        CHECK_NEAR(s.dent, expected, 0.01 * expected);
    }
    check_worst("dent of rhombic shapes with opposite tapers, relative", worst, 0.01);
    // long prisms: heights next to a pole are the same but for rounding
    worst = 0.0;
    for (int i = 0; i < 4; i++) {
        s = make(ov_vec3_make(0.6, 1.0, i % 2 == 0 ? 1.0 : 0.1), 2.0, 0.05, i < 2 ? 0.005 : 5e-4,
                 0.0);
        double expected = (double)deepest(&s, &n);
        worst = fmax(worst, fabs(s.dent / expected - 1.0));
        CHECK_NEAR(s.dent, expected, 0.05 * expected);
    }
    check_worst("dent of prisms with a slight taper, relative", worst, 0.05);
}

/**
 * Difference of two depths, in percent as long as they are of any consequence: more than 1e-5 of
 * the smallest semi-axis. Smaller ones may differ by up to a factor of two, which counts as 5 %,
 * and what is below 1e-10 of the section is the rounding of both.
 */
static double depth_error(const ov_shape *s, double actual, double expected) {
    double small = fmin(s->a.x, fmin(s->a.y, s->a.z));
    if (fmax(actual, expected) < 1e-10 * fmax(s->a.x, s->a.y)) {
        return 0.0;
    }
    double percent = 100.0 * fabs(actual / expected - 1.0);
    return expected > 1e-5 * small ? percent : 5.0 * fabs(log2(actual / expected));
}

static void test_depth(void) {
    check_random r = check_random_make(404);
    double worst = 0.0;
    for (int i = 0; i < 64; i += check_every()) {
        ov_shape s = scannable(&r, i, i % 2 == 0 ? 1.0 : 0.05);
        so_vec n;
        double expected = (double)deepest(&s, &n), error = depth_error(&s, s.dent, expected);
        worst = fmax(worst, error);
        if (!CHECK_NEAR(error, 0.0, 5.0) && check_may_print()) {
            fprintf(stderr, "  dent %.6g, expected %.6g\n", s.dent, expected);
            case_print(&s);
        }
    }
    check_worst("dent against the scan, percent", worst, 5.0);
}

/** Distance between a point and the hull of a cloud along the closest plane, by pattern search. */
static double below_cloud(const so_vec *cloud, int count, so_vec p, so_vec n) {
    double least = INFINITY;
    for (so_real step = 0.1L; step > 1e-4L;) {
        so_vec best = n;
        double before = least;
        for (int k = 0; k < 7; k++) {
            so_real move = k == 0 ? 0.0L : k % 2 == 0 ? step : -step;
            so_vec m = {n.x + (k < 3 ? move : 0), n.y + (k == 3 || k == 4 ? move : 0),
                        n.z + (k > 4 ? move : 0)};
            so_real top = -(so_real)INFINITY, length = so_length(m);
            for (int i = 0; i < count; i++) {
                top = fmaxl(top, so_dot(m, cloud[i]));
            }
            double below = (double)((top - so_dot(m, p)) / length);
            if (below < least) {
                least = below;
                best = (so_vec){m.x / length, m.y / length, m.z / length};
            }
        }
        n = best;
        step *= least < before ? 1.0L : 0.5L;
    }
    return least;
}

/**
 * The same without support functions, profiles and bridges: how far surface points lie below the
 * hull of a cloud of surface points, that is below the closest of all planes that hold the cloud.
 */
static void test_hull_distance(void) {
    ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 0.5, 0.4, -0.4);
    enum { AROUND = 48, UP = 161 };
    static so_vec cloud[AROUND * UP];
    for (int i = 0; i < AROUND * UP; i++) {
        so_real up = 2.0L * (i / AROUND) / (UP - 1) - 1.0L;
        cloud[i] = so_surface(&s, 4.0L * (i % AROUND) / AROUND, up);
    }
    check_random r = check_random_make(405);
    double most = 0.0;
    for (int k = 0; k < 25; k++) {
        // the expected place first, then others around it; by symmetry one quarter is enough
        so_real around = k == 0 ? 0.5L : 0.5L + check_uniform(&r, -0.3, 0.3);
        so_vec p = so_surface(&s, around, k == 0 ? 0.0L : check_uniform(&r, -0.3, 0.3));
        so_vec n = so_covector(&s, p);
        double below = below_cloud(cloud, AROUND * UP, p, n);
        most = fmax(most, below);
        if (k == 0) {
            CHECK_NEAR(below, s.dent, 0.01 * s.dent);
        }
        CHECK(below <= 1.01 * s.dent);
    }
    check_worst("depth below the hull of a cloud", most, 1.01 * s.dent);
}

/* ---- what a dent means for chords */

/** Convex: no chord leaves the body. */
static void test_chords_inside(void) {
    check_random r = check_random_make(406);
    double worst = 0.0;
    int convex = 0;
    for (int i = 0; convex < 90 && i < 6000; i++) {
        ov_shape s = case_tapered(&r, i, 0.05);
        if (s.dent > 0.0) {
            continue;
        }
        convex++;
        for (int k = 0; k < 200; k++) {
            so_real around = check_uniform(&r, -2.0, 2.0), up = check_uniform(&r, -1.0, 1.0);
            // far apart, or close neighbours, where a small dent would show
            so_real far = k % 2 == 0 ? 1.0L : check_log_uniform(&r, 1e-3, 1.0);
            so_vec a = so_surface(&s, around, up);
            so_vec b = so_surface(&s, around + far * check_uniform(&r, -2.0, 2.0),
                                  up + far * (check_uniform(&r, -1.0, 1.0) - up));
            so_vec middle = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
            double out = (double)(so_gauge(&s, middle) - 1.0L);
            worst = fmax(worst, out);
            CHECK(out <= 1e-12);
        }
    }
    CHECK(convex == 90);
    check_worst("middle of a chord outside of a convex body", worst, 1e-12);
}

/** Dented: the chord over the deepest gap leaves the body. */
static void test_chord_outside(void) {
    check_random r = check_random_make(407);
    int seen = 0;
    for (int i = 0; i < 60; i += check_every()) {
        ov_shape s = scannable(&r, i, i % 2 == 0 ? 1.0 : 0.05);
        if (s.dent <= 1e-6 * fmin(s.a.x, s.a.y)) {
            continue;
        }
        seen++;
        static so_grid g;
        so_make_grid(&s, &g);
        so_vec n;
        CHECK(deepest(&s, &n) > 0.0L);
        // the two feet of the bridge, and what lies between them
        double phi[SO_NODES];
        so_profile p = so_profile_of(&s, n);
        so_phi_nodes(&p, &g, phi);
        so_bridge bridge = so_find_bridge(&g, phi);
        so_peak below = so_best_between(&p, &g, phi, 0, bridge.split);
        so_peak above = so_best_between(&p, &g, phi, bridge.split, SO_NODES - 1);
        so_vec a = case_section_support(&s, n, below.x), b = case_section_support(&s, n, above.x);
        so_real outside = 0.0L;
        for (int k = 1; k < 20; k++) {
            so_real t = k / 20.0L;
            so_vec q = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
            outside = fmaxl(outside, so_gauge(&s, q) - 1.0L);
        }
        CHECK(fabsl(so_gauge(&s, a) - 1.0L) < 1e-12L && fabsl(so_gauge(&s, b) - 1.0L) < 1e-12L);
        CHECK(outside > 0.0L);
    }
    CHECK(seen > check_share(15));
}

/* ---- symmetry, scale, tolerance, statistics */

static void test_symmetry(void) {
    check_random r = check_random_make(408);
    double worst = 0.0;
    for (int i = 0; i < 200; i += check_every()) {
        ov_shape s = scannable(&r, i, 0.5);
        ov_vec3 a = s.a;
        double c = check_log_uniform(&r, 1e-20, 1e20);
        ov_shape swapped = make(ov_vec3_make(a.y, a.x, a.z), s.e1, s.e2, s.ty, s.tx);
        ov_shape flipped = make(a, s.e1, s.e2, -s.tx, -s.ty);
        ov_shape scaled = make(ov_vec3_scale(a, c), s.e1, s.e2, s.tx, s.ty);
        CHECK((s.dent > 0.0) == (swapped.dent > 0.0) && (s.dent > 0.0) == (flipped.dent > 0.0));
        const double dents[] = {swapped.dent, flipped.dent, scaled.dent / c};
        for (int k = 0; k < 3; k++) {
            double error = s.dent == 0.0 ? dents[k] : depth_error(&s, dents[k], s.dent);
            worst = fmax(worst, error);
            if (!CHECK_NEAR(error, 0.0, 5.0)) {
                case_print(&s);
            }
        }
    }
    check_worst("dent of swapped, flipped, scaled shapes, percent", worst, 5.0);
}

/** The tolerance is in units of the smallest semi-axis, whichever it is; refusal writes nothing. */
static void test_tolerance(void) {
    check_random r = check_random_make(409);
    int seen = 0;
    for (int i = 0; i < 180; i += check_every()) {
        ov_shape s = case_tapered(&r, i, 0.5), again = {0};
        double unit = fmin(s.a.x, fmin(s.a.y, s.a.z));
        if (s.dent < 1e-9 * unit) {
            continue;
        }
        seen++;
        const ov_shape_options just_enough = {s.dent / unit * (1.0 + 1e-12)};
        const ov_shape_options too_little = {s.dent / unit * (1.0 - 1e-12)};
        CHECK_STATUS(ov_shape_make_superovoid(s.a, s.e1, s.e2, s.tx, s.ty, &too_little, &again),
                     OV_ERROR_DENT);
        CHECK(again.kind == OV_SHAPE_KIND_NONE && again.a.x == 0.0);
        CHECK_OK(ov_shape_make_superovoid(s.a, s.e1, s.e2, s.tx, s.ty, &just_enough, &again));
        CHECK(again.dent == s.dent);
        ov_status by_default = ov_shape_make_superovoid(s.a, s.e1, s.e2, s.tx, s.ty, NULL, &again);
        CHECK_STATUS(by_default, s.dent > 0.05 * unit ? OV_ERROR_DENT : OV_OK);
    }
    CHECK(seen > check_share(60));
}

/** The ranges that [Benchmark] draws its battery from, and calls convex. */
static void test_battery(void) {
    check_random r = check_random_make(410);
    enum { SHAPES = 1500 };
    int dented = 0, deep = 0, refused = 0;
    double worst = 0.0;
    for (int i = 0; i < SHAPES; i++) {
        double e1 = check_uniform(&r, 0.3, 1.1), e2 = check_uniform(&r, 0.3, 1.1);
        double tx = check_uniform(&r, -0.4, 0.4), ty = check_uniform(&r, -0.4, 0.4);
        ov_shape s = make(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, tx, ty);
        dented += s.dent > 0.0;
        deep += s.dent > 1e-4;
        worst = fmax(worst, s.dent);
        refused += s.dent > ov_default_shape_options().dent_tolerance;
    }
    printf("%s: battery: %.1f %% dented, %.1f %% deeper than 1e-4, worst %.2g, %d refused\n",
           check_suite, 100.0 * dented / SHAPES, 100.0 * deep / SHAPES, worst, refused);
    // e2 < 1 always dents, and that is 7/8 of the range
    CHECK_NEAR((double)dented / SHAPES, 0.875, 0.02);
    CHECK_NEAR((double)deep / SHAPES, 0.14, 0.03);
    // the deepest is in a corner of the range, seldom drawn
    double corner = make(ov_vec3_make(1.0, 1.0, 1.0), 1.1, 0.3, 0.4, -0.4).dent;
    printf("%s: battery: in the corner of its range %.3g\n", check_suite, corner);
    CHECK(worst <= corner && corner > 0.02 && corner < 0.04);
    CHECK(refused == 0);
}

int main(void) {
    check_suite = "superquadric_dent";
    RUN(test_equal_limits);
    RUN(test_unequal_limits);
    RUN(test_kinds);
    RUN(test_always_dented);
    RUN(test_known_depth);
    RUN(test_depth);
    RUN(test_hull_distance);
    RUN(test_chords_inside);
    RUN(test_chord_outside);
    RUN(test_symmetry);
    RUN(test_tolerance);
    RUN(test_battery);
    return check_finish();
}
