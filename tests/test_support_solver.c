/**
 * @file test_support_solver.c
 * @brief The support-based solver below the pair queries (src/query/gjk.c, epa.c) against
 * independent answers.
 *
 * Oracles, all in long double and without the library's code:
 *  - polytopes and what has one for a core (box, polyhedron, triangle, segment, point; sphere,
 *    capsule): brute force over axes and features (support_solver_oracle.h);
 *  - point and ellipsoid: the one-dimensional root of the nearest point, inside and outside;
 *  - the smooth family, separated: the answer's own certificate, checked with the printed formulas
 *    (so_*): the normal must prove the lower bound, the witness points the upper one;
 *  - rims, tips and ellipsoids with each other and with boxes and capsules: the certificate by the
 *    printed support functions, and the scan below;
 *  - the smooth family, overlapping: a scan of directions, the best of them refined. It can miss a
 *    deep narrow maximum of g, so it counts only as a lower bound of the gap.
 */
#include "support_solver_oracle.h"

/* ---- polytopes */

static const ov_shape_kind polytope_kinds[] = {
    OV_SHAPE_KIND_BOX,      OV_SHAPE_KIND_POLYHEDRON, OV_SHAPE_KIND_SPHERE, OV_SHAPE_KIND_CAPSULE,
    OV_SHAPE_KIND_TRIANGLE, OV_SHAPE_KIND_SEGMENT,    OV_SHAPE_KIND_POINT,  OV_SHAPE_KIND_BOX,
};
enum { POLYTOPE_KINDS = 8 };

typedef struct corners {
    ov_vec3 v[4];
    uint32_t t[4][3];
} corners;

static ov_vec3 random_in_box(check_random *r, ov_vec3 half) {
    return ov_vec3_make(check_uniform(r, -half.x, half.x), check_uniform(r, -half.y, half.y),
                        check_uniform(r, -half.z, half.z));
}

/** A tetrahedron. */
static ov_shape random_polyhedron(check_random *r, ov_vec3 half, corners *c) {
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    ov_shape s;
    do {
        for (int i = 0; i < 4; i++) {
            c->v[i] = random_in_box(r, half);
        }
        ov_vec3 e = ov_vec3_sub(c->v[1], c->v[0]), f = ov_vec3_sub(c->v[2], c->v[0]);
        ov_vec3 g = ov_vec3_sub(c->v[3], c->v[0]);
        if (ov_vec3_dot(ov_vec3_cross(e, f), g) < 0.0) {
            ov_vec3 swap = c->v[0];
            c->v[0] = c->v[1];
            c->v[1] = swap;
        }
        for (int i = 0; i < 12; i++) {
            c->t[i / 3][i % 3] = faces[i / 3][i % 3];
        }
    } while (ov_shape_make_polyhedron(c->v, 4, (const uint32_t(*)[3])c->t, 4, &s) != OV_OK);
    return s;
}

static ov_shape random_polytope(check_random *r, ov_shape_kind kind, double size, corners *c) {
    ov_shape s;
    ov_vec3 half =
        ov_vec3_make(size * check_log_uniform(r, 1e-3, 1.0), size * check_log_uniform(r, 1e-3, 1.0),
                     size * check_log_uniform(r, 1e-3, 1.0));
    switch (kind) {
    case OV_SHAPE_KIND_BOX:
        CHECK_OK(ov_shape_make_box(half, &s));
        return s;
    case OV_SHAPE_KIND_POLYHEDRON:
        return random_polyhedron(r, half, c);
    case OV_SHAPE_KIND_SPHERE:
        CHECK_OK(ov_shape_make_sphere(half.x, &s));
        return s;
    case OV_SHAPE_KIND_CAPSULE:
        CHECK_OK(ov_shape_make_capsule(half.x, half.y, &s));
        return s;
    case OV_SHAPE_KIND_POINT:
        CHECK_OK(ov_shape_make_point(random_in_box(r, half), &s));
        return s;
    case OV_SHAPE_KIND_SEGMENT:
        CHECK_OK(ov_shape_make_segment(random_in_box(r, half), random_in_box(r, half), &s));
        return s;
    default:
        while (ov_shape_make_triangle(random_in_box(r, half), random_in_box(r, half),
                                      random_in_box(r, half), &s) != OV_OK) {
        }
        return s;
    }
}

/** A gap in sizes: deep, shallow, nearly none, wide, far. */
static double random_gap(check_random *r) {
    switch (check_random_bits(r) % 6) {
    case 0:
    case 1:
        return -check_uniform(r, 0.0, 1.0);
    case 2:
        return -check_log_uniform(r, 1e-9, 1e-3);
    case 3:
        return check_log_uniform(r, 1e-9, 1e-3);
    case 4:
        return check_log_uniform(r, 1e-3, 100.0);
    default:
        return check_log_uniform(r, 100.0, 1e9);
    }
}

/** Bounds hold the truth, the goal is met, and the overlap is told where there is one. */
static void check_against(const ovi_pair *p, const ovi_result *r, so_real truth) {
    CHECK(r->lower <= truth);
    CHECK(r->upper >= truth);
    CHECK(r->solved);
    CHECK_NEAR(r->gap, (double)truth, p->goal);
    if (truth < -(so_real)p->goal) {
        CHECK(r->overlap);
    }
    if (truth >= 0.0L) {
        CHECK(!r->overlap);
    }
}

static void test_polytopes(void) {
    check_random r = check_random_make(101);
    corners ca, cb;
    double worst = 0.0, supports = 0.0;
    const int pairs = 8000;
    for (int i = 0; i < pairs; i += check_every()) {
        double ratio = i % 3 == 0 ? check_log_uniform(&r, 1.0, 1e6) : 1.0;
        ov_shape a = random_polytope(&r, polytope_kinds[i % POLYTOPE_KINDS], 1.0, &ca);
        ov_shape b =
            random_polytope(&r, polytope_kinds[i / POLYTOPE_KINDS % POLYTOPE_KINDS], ratio, &cb);
        bool straight = i % 4 == 1;
        ov_quat q = straight ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 d = check_unit_vector(&r);
        d = straight ? ov_vec3_make(0.0, 1.0, 0.0) : d;
        double size = fmax(a.ball.radius, b.ball.radius);
        ov_vec3 offset = offset_for(&a, &b, q, d, random_gap(&r) * fmax(size, 1e-3));
        ovi_pair p = make_pair(&a, &b, q, offset, i % 2 == 0 ? 1e-9 : 1e-12);
        so_real truth = polytope_gap(&p);
        ovi_result result = query(&p), turned;
        check_against(&p, &result, truth);
        check_points(&p, &result, &r);
        ovi_pair other = swapped(&p);
        turned = query(&other);
        check_against(&other, &turned, truth);
        worst = fmax(worst, (double)fabsl(result.gap - truth) / p.goal);
        supports += result.iterations;
    }
    check_worst("polytopes, error in units of the goal", worst, 1.0);
    printf("%s: polytopes: %.1f supports per pair\n", check_suite, supports / pairs);
}

/* ---- spheres, and point against ellipsoid */

static void test_spheres(void) {
    check_random r = check_random_make(102);
    for (int i = 0; i < 2000; i += check_every()) {
        ov_shape a, b;
        double ra = check_log_uniform(&r, 1e-3, 1e3), rb = check_log_uniform(&r, 1e-3, 1e3);
        CHECK_OK(ov_shape_make_sphere(ra, &a));
        CHECK_OK(ov_shape_make_sphere(rb, &b));
        double d = i % 5 == 0 ? 0.0 : check_log_uniform(&r, 1e-6, 1e9) * fmax(ra, rb);
        ov_vec3 offset = ov_vec3_scale(check_unit_vector(&r), d);
        ovi_pair p = make_pair(&a, &b, check_rotation(&r), offset, 1e-12);
        ovi_result result = query(&p);
        check_against(&p, &result, so_length(so_from(offset)) - ra - rb);
        check_points(&p, &result, &r);
    }
}

/** sum (a_i y_i / (t + a_i^2))^2 - 1: its largest root gives the nearest surface point. */
static so_real secular(const so_real a[3], const so_real y[3], so_real t) {
    so_real sum = -1.0L;
    for (int i = 0; i < 3; i++) {
        so_real x = a[i] * y[i] / (t + a[i] * a[i]);
        sum += x * x;
    }
    return sum;
}

static so_real ellipsoid_distance(ov_vec3 axes, ov_vec3 point) {
    const so_real a[3] = {axes.x, axes.y, axes.z}, y[3] = {point.x, point.y, point.z};
    so_real least = fminl(a[0], fminl(a[1], a[2]));
    so_real lo = -least * least, hi = 0.0L, distance = 0.0L;
    for (int i = 0; i < 3; i++) {
        hi += 2.0L * fabsl(a[i] * y[i]);
    }
    bool inside = secular(a, y, 0.0L) < 0.0L;
    lo = inside ? lo : 0.0L;
    hi = inside ? 0.0L : hi;
    for (int k = 0; k < 200; k++) {
        so_real t = 0.5L * (lo + hi);
        *(secular(a, y, t) > 0.0L ? &lo : &hi) = t;
    }
    for (int i = 0; i < 3; i++) {
        so_real gap = hi * y[i] / (hi + a[i] * a[i]);
        distance += gap * gap;
    }
    return inside ? -sqrtl(distance) : sqrtl(distance);
}

static void test_point_ellipsoid(void) {
    check_random r = check_random_make(103);
    int solved = 0, inside = 0;
    for (int i = 0; i < 2000; i += check_every()) {
        ov_shape a, b;
        ov_vec3 axes = {check_log_uniform(&r, 0.01, 1.0), check_log_uniform(&r, 0.01, 1.0),
                        check_log_uniform(&r, 0.01, 1.0)};
        CHECK_OK(ov_shape_make_ellipsoid(axes, &a));
        CHECK_OK(ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &b));
        double far = i % 2 == 0 ? check_uniform(&r, 0.1, 1.0) : check_log_uniform(&r, 1.0, 1e4);
        ov_vec3 point = ov_vec3_scale(ov_vec3_mul(axes, check_unit_vector(&r)), far);
        ovi_pair p = make_pair(&a, &b, ov_quat_identity(), point, 1e-9);
        ovi_result result = query(&p);
        so_real truth = ellipsoid_distance(axes, point);
        CHECK(result.lower <= truth && result.upper >= truth);
        CHECK_NEAR(result.gap, (double)truth, 2e-9);
        CHECK(truth <= 0.0L || result.solved);
        inside += truth < 0.0L;
        solved += truth < 0.0L && result.solved;
    }
    printf("%s: points inside ellipsoids: %d of %d solved\n", check_suite, solved, inside);
    CHECK(solved >= inside * 99 / 100);
}

/* ---- the smooth family, separated */

static ov_shape random_smooth(check_random *r, double aspect, double ratio) {
    for (;;) {
        ov_shape s;
        double size = check_log_uniform(r, 1.0 / ratio, ratio);
        ov_vec3 axes = {size * check_log_uniform(r, 1.0 / aspect, 1.0),
                        size * check_log_uniform(r, 1.0 / aspect, 1.0),
                        size * check_log_uniform(r, 1.0 / aspect, 1.0)};
        double e1 = check_uniform(r, 0.05, 2.0), e2 = check_uniform(r, 0.05, 2.0);
        double reach = check_random_bits(r) % 2 == 0 ? 0.0 : 0.8;
        double tx = check_uniform(r, -reach, reach);
        double ty = check_random_bits(r) % 2 == 0 ? tx : check_uniform(r, -reach, reach);
        if (ov_shape_make_superovoid(axes, e1, e2, tx, ty, NULL, &s) == OV_OK) {
            return s;
        }
    }
}

static so_real oracle_support(const ov_shape *s, so_vec n) {
    so_real round = sqrtl(n.x * n.x + n.y * n.y);
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        return s->a.x * fabsl(n.x) + s->a.y * fabsl(n.y) + s->a.z * fabsl(n.z);
    case OV_SHAPE_KIND_CYLINDER:
        return s->a.x * round + s->a.z * fabsl(n.z);
    case OV_SHAPE_KIND_CAPSULE:
        return s->a.x + s->a.z * fabsl(n.z);
    case OV_SHAPE_KIND_CONE:
        return fmaxl(s->a.z * n.z, s->a.x * round - s->a.z * n.z);
    default:
        break;
    }
    if (s->tx == 0.0 && s->ty == 0.0) {
        return so_support_straight(s, n);
    }
    static so_grid grid;
    so_make_grid(s, &grid);
    return so_support(s, &grid, n).value;
}

/** The lower bound that a direction proves, in long double. */
static so_real oracle_span(const ovi_pair *p, ov_vec3 direction) {
    so_vec n = so_from(direction);
    so_real length = so_length(n);
    n = (so_vec){n.x / length, n.y / length, n.z / length};
    so_vec m = {-so_dot(n, so_from(p->turn.cx)), -so_dot(n, so_from(p->turn.cy)),
                -so_dot(n, so_from(p->turn.cz))};
    return so_dot(n, so_from(p->offset)) - oracle_support(p->a, n) - oracle_support(p->b, m);
}

/**
 * Surfaces without a dent: combinations of their points have a gauge of one at most, but for their
 * rounding, of which a thin body sees more: a step over its inscribed ball.
 */
static void check_inside(const ov_shape *s, ov_vec3 point, double rounding) {
    if (s->dent == 0.0) {
        so_vec v = so_from(point);
        v.z = fmaxl(-(so_real)s->a.z, fminl(s->a.z, v.z));
        double thin = fmin(s->a.x * (1.0 - fabs(s->tx)), s->a.y * (1.0 - fabs(s->ty)));
        CHECK(so_gauge(s, v) <= 1.0L + 2.0L * rounding / fmin(thin, s->a.z));
    }
}

static void separated_pair(check_random *r, int i, double aspect, double ratio, double tolerance,
                           int *solved, double *supports) {
    ov_shape a = random_smooth(r, aspect, ratio), b = random_smooth(r, aspect, ratio);
    ov_quat q = i % 5 == 0 ? ov_quat_identity() : check_rotation(r);
    ov_vec3 d = i % 10 == 0 ? ov_vec3_make(0.0, 0.0, 1.0) : check_unit_vector(r);
    double size = fmax(a.ball.radius, b.ball.radius);
    double gap = size * (i % 4 == 0    ? check_log_uniform(r, 1e-9, 1e-6)
                         : i % 16 == 1 ? check_log_uniform(r, 100.0, 1e9)
                                       : check_log_uniform(r, 1e-6, 100.0));
    ovi_pair p = make_pair(&a, &b, q, offset_for(&a, &b, q, d, gap), tolerance);
    ovi_result result = query(&p);
    *solved += result.solved;
    *supports += result.iterations;
    CHECK(!result.overlap);
    CHECK(result.lower > 0.0 || gap < 4.0 * p.goal);
    CHECK(oracle_span(&p, result.normal) >= result.lower);
    so_real across = so_length(so_from(ov_vec3_sub(result.point_b, result.point_a)));
    CHECK(across <= result.upper);
    check_inside(&a, result.point_a, p.rounding);
    check_inside(&b, ovi_to_b(&p, ov_vec3_sub(result.point_b, p.offset)), p.rounding);
    if (result.solved) {
        check_points(&p, &result, r);
    }
    ovi_pair other = swapped(&p);
    ovi_result turned = query(&other);
    CHECK(turned.lower <= result.upper && result.lower <= turned.upper && turned.solved);
}

static void test_family_separated(void) {
    const struct {
        double aspect, ratio, tolerance;
        int pairs;
    } part[] = {{100.0, 1e3, 1e-9, 2000}, {100.0, 1e3, 1e-12, 1000}, {1e3, 1e3, 1e-9, 1000}};
    check_random r = check_random_make(104);
    for (int k = 0; k < 3; k++) {
        int solved = 0;
        double supports = 0.0;
        for (int i = 0; i < part[k].pairs; i++) {
            separated_pair(&r, i, part[k].aspect, part[k].ratio, part[k].tolerance, &solved,
                           &supports);
        }
        CHECK(solved == part[k].pairs);
        printf("%s: aspect 1:%g, tolerance %g: %d of %d solved, %.1f supports per pair\n",
               check_suite, part[k].aspect, part[k].tolerance, solved, part[k].pairs,
               supports / part[k].pairs);
    }
}

/* ---- the smooth family, overlapping */

enum { SCANNED = 1500, REFINED = 8 };

static so_real ascend(const ovi_pair *p, ov_vec3 n, so_real value, check_random *r) {
    double step = 0.1;
    for (int k = 0; k < 300 && step > 1e-8; k++) {
        ov_mat3 frame = ov_mat3_householder(n);
        double turn = check_uniform(r, 0.0, 1.0);
        bool higher = false;
        for (int j = 0; j < 6 && !higher; j++) {
            double t = turn + j * M_PI / 3.0;
            ov_vec3 m = ov_vec3_add_scaled(n, frame.cy, step * cos(t));
            m = ov_vec3_normalize(ov_vec3_add_scaled(m, frame.cz, step * sin(t)));
            so_real at = oracle_span(p, m);
            higher = at > value;
            n = higher ? m : n;
            value = higher ? at : value;
        }
        step *= higher ? 1.5 : 0.5;
    }
    return value;
}

static so_real scan(const ovi_pair *p, check_random *r) {
    ov_vec3 best[REFINED];
    so_real value[REFINED], top = -(so_real)INFINITY;
    for (int k = 0; k < REFINED; k++) {
        value[k] = -(so_real)INFINITY;
        best[k] = ov_vec3_make(1.0, 0.0, 0.0);
    }
    for (int i = 0; i < SCANNED; i++) {
        ov_vec3 n = check_unit_vector(r);
        so_real at = oracle_span(p, n);
        int k = REFINED;
        for (; k > 0 && at > value[k - 1]; k--) {
            if (k < REFINED) {
                value[k] = value[k - 1];
                best[k] = best[k - 1];
            }
        }
        if (k < REFINED) {
            value[k] = at;
            best[k] = n;
        }
    }
    for (int k = 0; k < REFINED; k++) {
        top = fmaxl(top, ascend(p, best[k], value[k], r));
    }
    return top;
}

static void test_family_overlapping(void) {
    check_random r = check_random_make(105);
    int solved = 0, pairs = 0;
    double worst = 0.0, supports = 0.0;
    for (int i = 0; i < 400; i += check_every()) {
        ov_shape a = random_smooth(&r, 10.0, 3.0), b = random_smooth(&r, 10.0, 3.0);
        ov_quat q = i % 5 == 0 ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 zero = {0.0, 0.0, 0.0}, d = check_unit_vector(&r);
        double share = i % 7 == 0 ? 0.0 : i % 7 == 1 ? 1.0 - 1e-7 : check_uniform(&r, 0.0, 1.0);
        ov_vec3 offset = ov_vec3_scale(offset_for(&a, &b, q, d, 0.0), share);
        ovi_pair p = make_pair(&a, &b, q, i % 7 == 0 ? zero : offset, 1e-9);
        ovi_result result = query(&p);
        if (!result.overlap) {
            CHECK(result.lower > -p.goal);
            continue;
        }
        pairs++;
        solved += result.solved;
        supports += result.iterations;
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        if (a.tx == 0.0 && b.tx == 0.0 && a.ty == 0.0 && b.ty == 0.0) {
            so_real found = scan(&p, &r);
            CHECK(result.upper >= found);
            worst = fmax(worst, (double)(found - result.gap) / p.size);
        }
        if (result.solved) {
            check_points(&p, &result, &r);
        }
    }
    check_worst("global depth, missed against the scan", worst, 1e-8);
    CHECK(worst <= 1e-8);
    CHECK(solved >= pairs * 98 / 100);
    printf("%s: overlapping: %d of %d proven to 1e-9, %.1f supports per pair\n", check_suite,
           solved, pairs, supports / pairs);
}

/** One inside the other on the same axes: up to eight equally deep directions, of which the
 * polytope may not get close to all; what it finds is still the least depth. */
static void test_many_minima(void) {
    check_random r = check_random_make(106);
    int solved = 0;
    double worst = 0.0;
    const int pairs = 60;
    for (int i = 0; i < pairs; i += check_every()) {
        ov_shape s[2];
        for (int k = 0; k < 2; k++) {
            ov_vec3 axes = {check_uniform(&r, 0.5, 1.0), check_uniform(&r, 0.5, 1.0),
                            check_uniform(&r, 0.5, 1.0)};
            double e1 = check_uniform(&r, 1.01, 2.0), e2 = check_uniform(&r, 1.01, 2.0);
            CHECK_OK(ov_shape_make_superellipsoid(axes, e1, e2, &s[k]));
        }
        ov_vec3 offset = {0.0, 0.0, i % 2 == 0 ? 0.0 : check_uniform(&r, 0.0, 0.5)};
        ovi_pair p = make_pair(&s[0], &s[1], ov_quat_identity(), offset, 1e-9);
        ovi_result result = query(&p);
        so_real found = scan(&p, &r);
        CHECK(result.overlap && result.upper >= found);
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        CHECK(result.upper - result.lower <= 1e-2);
        worst = fmax(worst, (double)(found - result.gap) / p.size);
        solved += result.solved;
    }
    check_worst("many equal minima, missed against the scan", worst, 1e-8);
    CHECK(worst <= 1e-8);
    printf("%s: many equal minima: %d of %d proven to 1e-9\n", check_suite, solved, pairs);
}

/* ---- bodies with curved pieces: Newton's method from GJK and EPA (support_pieces.c) */

static ov_shape random_round(check_random *r, ov_shape_kind kind) {
    ov_shape s;
    double x = check_uniform(r, 0.3, 1.2), y = check_uniform(r, 0.3, 1.2),
           z = check_uniform(r, 0.3, 1.2);
    ov_status status = kind == OV_SHAPE_KIND_CYLINDER  ? ov_shape_make_cylinder(x, z, &s)
                       : kind == OV_SHAPE_KIND_CONE    ? ov_shape_make_cone(x, z, &s)
                       : kind == OV_SHAPE_KIND_CAPSULE ? ov_shape_make_capsule(x, z, &s)
                       : kind == OV_SHAPE_KIND_BOX
                           ? ov_shape_make_box(ov_vec3_make(x, y, z), &s)
                           : ov_shape_make_ellipsoid(ov_vec3_make(x, y, z), &s);
    CHECK_OK(status);
    return s;
}

static const ov_shape_kind round_kinds[][2] = {
    {OV_SHAPE_KIND_CYLINDER, OV_SHAPE_KIND_CYLINDER}, {OV_SHAPE_KIND_CONE, OV_SHAPE_KIND_CONE},
    {OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_BOX},     {OV_SHAPE_KIND_CYLINDER, OV_SHAPE_KIND_BOX},
    {OV_SHAPE_KIND_CONE, OV_SHAPE_KIND_CAPSULE},      {OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_CONE},
};
enum { ROUND_KINDS = 6 };

/** Apart: proven to the goal, by few supports; GJK alone takes three times as many. */
static void test_round_separated(void) {
    check_random r = check_random_make(107);
    const int pairs = 3000;
    double supports = 0.0;
    for (int i = 0; i < pairs; i++) {
        const ov_shape_kind *kinds = round_kinds[i % ROUND_KINDS];
        ov_shape a = random_round(&r, kinds[0]), b = random_round(&r, kinds[1]);
        ov_quat q = i % 20 == 0 ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 d = i % 30 == 0 ? ov_vec3_make(0.0, 0.0, 1.0) : check_unit_vector(&r);
        double gap = i % 3 == 0 ? check_log_uniform(&r, 1e-9, 1e-3) : check_uniform(&r, 0.0, 3.0);
        ovi_pair p = make_pair(&a, &b, q, offset_for(&a, &b, q, d, gap), 1e-9);
        ovi_result result = query(&p);
        supports += result.iterations;
        CHECK(result.solved && !result.overlap);
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        CHECK(so_length(so_from(ov_vec3_sub(result.point_b, result.point_a))) <= result.upper);
        check_points(&p, &result, &r);
    }
    check_worst("curved pieces, apart: supports per pair", supports / pairs, 8.0);
    CHECK(supports / pairs <= 8.0);
}

/** Overlapping: solved, and no direction of the scan or of the polytope's proof is less deep. */
static void test_round_overlapping(void) {
    check_random r = check_random_make(108);
    double worst = 0.0;
    for (int i = 0; i < 1200; i += check_every()) {
        const ov_shape_kind *kinds = round_kinds[i % ROUND_KINDS];
        ov_shape a = random_round(&r, kinds[0]), b = random_round(&r, kinds[1]);
        ov_quat q = i % 20 == 0 ? ov_quat_identity() : check_rotation(&r);
        ov_vec3 offset = offset_for(&a, &b, q, check_unit_vector(&r), 0.0);
        double share =
            i % 5 == 0 ? 1.0 - check_log_uniform(&r, 1e-6, 1e-2) : check_uniform(&r, 0.0, 1.0);
        ovi_pair p = make_pair(&a, &b, q, ov_vec3_scale(offset, share), 1e-9);
        ovi_result proven, result;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, NULL, &proven));
        p.depth = OV_DEPTH_GLOBAL;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, NULL, &result));
        if (!result.overlap) {
            CHECK(result.lower > -p.goal);
            continue;
        }
        CHECK(result.solved);
        CHECK(result.lower <= proven.upper && proven.lower <= result.upper);
        so_real found = i % 10 == 0 ? scan(&p, &r) : proven.lower;
        worst = fmax(worst, ((double)found - result.gap) / p.size);
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        check_points(&p, &result, &r);
    }
    check_worst("curved pieces, global depth missed", worst, 1e-8);
    CHECK(worst <= 1e-8);
}

/**
 * Cones on nearly one axis: a ring of directions is all but equally deep, where Newton's matrix is
 * next to singular. Solved, and no direction of the scan is less deep by more than the part of the
 * depth that the search leaves aside.
 */
static void test_round_rings(void) {
    check_random r = check_random_make(109);
    double worst = 0.0;
    int deep = 0;
    for (int i = 0; i < 400; i += check_every()) {
        ov_shape a = random_round(&r, OV_SHAPE_KIND_CONE), b = random_round(&r, OV_SHAPE_KIND_CONE);
        double tilt = i % 10 == 0 ? 0.0 : check_log_uniform(&r, 1e-9, 1e-2);
        ov_quat q = ov_quat_from_axis_angle(check_unit_vector(&r), tilt);
        ov_vec3 offset = {0.0, 0.0, check_uniform(&r, -0.5, 0.5) * (a.a.z + b.a.z)};
        offset = ov_vec3_add_scaled(offset, check_unit_vector(&r), check_uniform(&r, 0.0, tilt));
        ovi_pair p = make_pair(&a, &b, q, offset, 1e-9);
        p.depth = OV_DEPTH_GLOBAL;
        ovi_result result;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, NULL, &result));
        if (!result.overlap) {
            continue;
        }
        deep++;
        CHECK(result.solved);
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        so_real found = scan(&p, &r);
        CHECK(found <= result.upper);
        worst = fmax(worst, (double)(found - result.gap) / -result.gap);
        check_points(&p, &result, &r);
    }
    CHECK(deep > 0);
    check_worst("cones on one axis, depth missed", worst, 1e-4);
    CHECK(worst <= 1e-4);
}

/** Two bodies, turned at random, at least 0.01 to 1 apart. */
static ovi_pair place_apart(const ov_shape *a, const ov_shape *b, check_random *r) {
    ov_quat q = check_rotation(r);
    ov_vec3 d = check_unit_vector(r);
    return make_pair(a, b, q, offset_for(a, b, q, d, check_uniform(r, 0.01, 1.0)), 1e-9);
}

/** Pairs with a curved body that has moved a little: the remembered pieces give the answer with few
 * supports, and what is no memory of this pair does no harm. */
static void test_round_warm(void) {
    check_random r = check_random_make(110);
    const int pairs = 2000;
    double supports = 0.0;
    for (int i = 0; i < pairs; i++) {
        const ov_shape_kind *kinds = round_kinds[i % ROUND_KINDS];
        ov_shape a = random_round(&r, kinds[0]), b = random_round(&r, kinds[1]);
        if (i % 7 == 0) {
            a = random_smooth(&r, 2.0, 1.0);
            b = random_round(&r, i % 2 == 0 ? OV_SHAPE_KIND_BOX : OV_SHAPE_KIND_CAPSULE);
        }
        ovi_pair p = place_apart(&a, &b, &r);
        ov_warm_start warm = {.normal = {0.0, 0.0, 0.0}};
        ovi_result result, cold;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &result));
        warm.normal = result.normal;
        p.offset = ov_vec3_add_scaled(p.offset, check_unit_vector(&r), 0.002);
        if (i % 4 == 0) {
            const double odd[] = {0.0, 1.0, 2.0, 8.0, -1.0, 1e300, NAN, INFINITY};
            warm.normal = check_unit_vector(&r);
            warm.a = ov_vec3_make(odd[i / 4 % 8], odd[i / 8 % 8], odd[i / 16 % 8]);
            warm.b = ov_vec3_make(odd[i / 32 % 8], odd[i / 8 % 8], odd[i / 4 % 8]);
        }
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &result));
        CHECK_OK(ovi_gjk_contact(&p, p.offset, NULL, &cold));
        supports += i % 4 == 0 || i % 7 == 0 ? 0.0 : result.iterations;
        CHECK(result.solved && !result.overlap);
        CHECK(result.lower <= cold.upper && cold.lower <= result.upper);
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        CHECK(so_length(so_from(ov_vec3_sub(result.point_b, result.point_a))) <= result.upper);
    }
    check_worst("curved pieces, warm: supports per pair", supports / (0.64 * pairs), 2.0);
    CHECK(supports / (0.64 * pairs) <= 2.0);
}

/** From where they are apart, one body is moved just into the other: that they overlap is found by
 * a common point, and no direction is known that separates them. */
static void test_round_common_point(void) {
    check_random r = check_random_make(111);
    const int pairs = 1500;
    int overlaps = 0;
    double supports = 0.0;
    for (int i = 0; i < pairs; i++) {
        const ov_shape_kind *kinds = round_kinds[i % ROUND_KINDS];
        ov_shape a = random_round(&r, kinds[0]), b = random_round(&r, kinds[1]);
        ovi_pair p = place_apart(&a, &b, &r);
        ov_warm_start warm = {.normal = {0.0, 0.0, 0.0}};
        ovi_result apart, result;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &apart));
        warm.normal = apart.normal;
        double depth = p.size * check_log_uniform(&r, 1e-8, 1e-6);
        p.offset = ov_vec3_add_scaled(p.offset, apart.normal, -apart.gap - depth);
        p.limit = 0.0;
        p.goal = 4.0 * p.rounding;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &result));
        supports += result.iterations;
        // two tips, or a tip and a corner, may pass each other
        CHECK(result.lower > 0.0 || (result.overlap && result.upper <= 0.0));
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        overlaps += result.overlap;
    }
    CHECK(overlaps > 0.99 * pairs);
    check_worst("curved pieces, just overlapping: supports per pair", supports / pairs, 3.0);
    CHECK(supports / pairs <= 3.0);
}

/** What some direction separates in long double is never said to overlap: where one body is moved
 * to the other to within rounding, on either side, and where they stay apart and the warm start
 * names pieces and a normal of its own. */
static void test_round_no_common_point(void) {
    check_random r = check_random_make(112);
    const int pairs = 3000;
    int separate = 0, overlaps = 0;
    for (int i = 0; i < pairs; i++) {
        const ov_shape_kind *kinds = round_kinds[i % ROUND_KINDS];
        ov_shape a = random_round(&r, kinds[0]), b = random_round(&r, kinds[1]);
        ovi_pair p = place_apart(&a, &b, &r);
        p.goal = 4.0 * p.rounding;
        ov_warm_start warm = {.normal = {0.0, 0.0, 0.0}};
        ovi_result apart, result;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &apart));
        warm.normal = apart.normal;
        int way = i / ROUND_KINDS % 3, turn = i / (3 * ROUND_KINDS);
        double gap = p.rounding *
                     (way == 0 ? check_uniform(&r, -4.0, 1.0) : check_uniform(&r, -0.002, 0.002));
        if (way == 2) {
            gap = 0.01 * apart.gap;
            warm.normal = check_unit_vector(&r);
            warm.a = ov_vec3_make(1.0 + turn % 2, turn / 2 % 3, 0.0);
            warm.b = ov_vec3_make(1.0 + turn / 6 % 2, 1.0 + turn / 12 % 2, 0.0);
        }
        p.offset = ov_vec3_add_scaled(p.offset, apart.normal, gap - apart.gap);
        p.rough = turn % 3 != 0;
        p.limit = p.rough ? NAN : 0.0;
        CHECK_OK(ovi_gjk_contact(&p, p.offset, &warm, &result));
        bool separated = oracle_span(&p, apart.normal) > 0.0;
        CHECK(!(separated && result.overlap));
        CHECK(oracle_span(&p, result.normal) >= result.lower);
        separate += separated;
        overlaps += result.overlap;
    }
    CHECK(separate > pairs / 4 && overlaps > pairs / 10);
}

int main(void) {
    check_suite = "test_support_solver";
    RUN(test_polytopes);
    RUN(test_spheres);
    RUN(test_point_ellipsoid);
    RUN(test_family_separated);
    RUN(test_family_overlapping);
    RUN(test_many_minima);
    RUN(test_round_separated);
    RUN(test_round_overlapping);
    RUN(test_round_rings);
    RUN(test_round_warm);
    RUN(test_round_common_point);
    RUN(test_round_no_common_point);
    return check_finish();
}
