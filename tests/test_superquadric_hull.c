/**
 * @file test_superquadric_hull.c
 * @brief Maxima of dented bodies above and below the equator, and the proofs that are made of them:
 * src/query/superquadric_hull.c.
 *
 * Oracle: phi(zeta) = A_3 zeta + w M of the support function in long double with powl(), scanned
 * from the equator to both poles, with a golden-section search about every scanned maximum. It
 * counts the maxima of each side, on which all of that rests; points of the surface check it in
 * turn.
 *
 * Errors are in units of A_1 + A_2 + |A_3|, what a direction sees of the body, unless they are said
 * to be in units of the size, which is the radius of the body's ball.
 */
#include <float.h>

#include "query/superquadric_newton.h"

#include "check.h"
#include "support_oracle.h"

_Static_assert(LDBL_MANT_DIG > DBL_MANT_DIG, "the oracle needs a long double that is wider");

typedef long double real;

/* ---- oracle */

enum { FINE = 24, EVEN = 64, SCAN = FINE + EVEN, GOLDEN = 44 };

/** A shape with the heights at which its profiles are scanned, from the equator outwards. */
typedef struct subject {
    ov_shape shape;
    real ray[SCAN + 1];
    so_ray scan[SCAN + 1];
} subject;

static subject subject_of(const ov_shape *s) {
    subject o = {.shape = *s};
    for (int i = 0; i <= SCAN; i++) {
        // close to the equator the steps grow by a factor, then they are even
        real t = (real)(i - FINE) / EVEN * (1.0L - 1.0L / EVEN) + 1.0L / EVEN;
        if (i < FINE) {
            t = i == 0 ? 0.0L : powl(2.0L, 0.5L * (real)(i - FINE)) / EVEN;
        }
        o.ray[i] = t;
        o.scan[i] = so_on_ray(t, so_primal(s->e2));
    }
    return o;
}

/** One direction: the weights A_i. */
typedef struct weights {
    real a1, a2, a3;
} weights;

/** One side of the equator along a direction. */
typedef struct slope {
    const subject *s;
    const weights *a;
    real side;
} slope;

static real phi_at(const slope *l, const so_ray *at) {
    real zeta = l->side * at->zeta, f1 = 1.0L + (real)l->s->shape.tx * zeta;
    real f2 = 1.0L + (real)l->s->shape.ty * zeta;
    return l->a->a3 * zeta + at->w * so_norm(l->a->a1 * f1, l->a->a2 * f2, so_dual(l->s->shape.e1));
}

static real phi_on_ray(real ray, const void *context) {
    const slope *l = context;
    so_ray at = so_on_ray(ray, so_primal(l->s->shape.e2));
    return phi_at(l, &at);
}

/** What is seen there. */
typedef struct side_view {
    real most;       // of phi, from the equator to the pole
    int maxima;      // scanned ones off the equator
    so_peak highest; // of them
    real valley;     // the lowest scanned value between it and the equator
} side_view;

static side_view view_side(const subject *s, const weights *a, real side) {
    const slope l = {s, a, side};
    real value[SCAN + 1];
    for (int i = 0; i <= SCAN; i++) {
        value[i] = phi_at(&l, &s->scan[i]);
    }
    // a maximum is a rise and a fall, each more than rounding
    const real noise = 16.0L * LDBL_EPSILON * (a->a1 + a->a2 + fabsl(a->a3));
    side_view o = {.most = value[0], .highest = {.value = -INFINITY}};
    real low = value[0];
    for (int i = 0, best = 0; i <= SCAN; i++) {
        best = value[i] > value[best] ? i : best;
        if (i < SCAN && value[i] >= value[best] - noise) {
            continue;
        }
        bool maximum = value[best] > low + noise;
        if (maximum || best == 0) {
            int before = best > 0 ? best - 1 : 0, after = best < SCAN ? best + 1 : SCAN;
            so_peak peak = so_golden_max(phi_on_ray, &l, s->ray[before], s->ray[after], GOLDEN);
            o.most = fmaxl(o.most, fmaxl(peak.value, value[best]));
            o.valley = maximum && peak.value > o.highest.value ? low : o.valley;
            o.highest = maximum && peak.value > o.highest.value ? peak : o.highest;
            o.maxima += maximum;
        }
        low = value[i];
        best = i;
    }
    return o;
}

/** All that the oracle sees along a direction; side 0 is above the equator, 1 below it. */
typedef struct view {
    double scale;
    side_view side[2];
    real support;
    bool two_crests; // with a valley between them that is more than rounding
} view;

static const real sides[2] = {1.0L, -1.0L};

static view view_weights(const subject *s, const weights *a) {
    view v = {.scale = (double)(a->a1 + a->a2 + fabsl(a->a3))};
    for (int i = 0; i < 2; i++) {
        v.side[i] = view_side(s, a, sides[i]);
    }
    v.support = fmaxl(v.side[0].most, v.side[1].most);
    real lower = fminl(v.side[0].highest.value, v.side[1].highest.value);
    real valley = fminl(v.side[0].valley, v.side[1].valley);
    v.two_crests =
        v.side[0].maxima > 0 && v.side[1].maxima > 0 && lower - valley > 1e-11L * (real)v.scale;
    return v;
}

static view view_along(const subject *s, ov_vec3 n) {
    const ov_vec3 *e = &s->shape.a;
    weights a = {fabsl((real)e->x * (real)n.x), fabsl((real)e->y * (real)n.y),
                 (real)e->z * (real)n.z};
    view v = view_weights(s, &a);
    CHECK(v.side[0].maxima <= 1 && v.side[1].maxima <= 1); // what all of it rests on
    return v;
}

/* ---- shapes and directions */

static ov_vec3 random_axes(check_random *r, int i) {
    double lo = i % 5 == 0 ? 0.02 : 0.4, hi = 1.0 / lo;
    double x = check_log_uniform(r, lo, hi), y = check_log_uniform(r, lo, hi);
    return ov_vec3_make(x, y, check_log_uniform(r, lo, hi));
}

/** A shape of one of the kinds; dents of any depth. */
static ov_shape random_shape(check_random *r, int i, ovi_dent_kind kind) {
    const ov_shape_options deep = {1.0};
    for (int tries = 0; tries < 100000; tries++) {
        bool equator = kind == OVI_DENT_KIND_EQUATOR;
        double e1 = check_uniform(r, 0.03, equator ? 1.2 : 1.8);
        // for e2 < 1 unequal tapers always make a dent
        double e2 = check_uniform(r, kind == OVI_DENT_KIND_NONE ? 1.0 : 0.03, equator ? 1.0 : 1.8);
        e1 = equator && i % 7 == 1 ? check_uniform(r, 1.0, 1.2) : e1;
        e2 = equator && i % 7 == 2 ? 1.0 - check_log_uniform(r, 1e-4, 0.2) : e2;
        double reach = kind == OVI_DENT_KIND_NONE ? 0.1 : 0.6;
        double tx = check_uniform(r, -reach, reach), ty = check_uniform(r, -reach, reach);
        ov_shape s;
        ov_status made = ov_shape_make_superovoid(random_axes(r, i), e1, e2, tx, ty, &deep, &s);
        bool dented = kind != OVI_DENT_KIND_NONE;
        if (made == OV_OK && ovi_dent_kind_of(&s) == kind && (s.dent > 0.0) == dented) {
            return s;
        }
    }
    fprintf(stderr, "%s: no shape of dent kind %d was drawn\n", check_suite, (int)kind);
    exit(EXIT_FAILURE);
}

static ov_vec3 direction_from(check_random *r, const ov_shape *s, const weights *a) {
    double x = (double)a->a1 / s->a.x, y = (double)a->a2 / s->a.y, z = (double)a->a3 / s->a.z;
    uint64_t bits = check_random_bits(r);
    return ov_vec3_normalize(ov_vec3_make(bits & 1 ? x : -x, bits & 2 ? y : -y, z));
}

/**
 * A_3 for which both sides are equally high: Newton's method on their difference, whose slope is
 * the heights' distance, from where the profile is level at the equator.
 */
static void make_tie(const subject *s, weights *a) {
    const real step = 1e-5L, p = so_primal(s->shape.e2);
    const slope up = {s, a, 1.0L}, down = {s, a, -1.0L};
    const so_ray near = {.w = 1.0L, .zeta = step};
    a->a3 = 0.0L;
    a->a3 = -0.5L * (phi_at(&up, &near) - phi_at(&down, &near)) / step;
    for (int i = 0; i < 5; i++) {
        view v = view_weights(s, a);
        if (!v.two_crests) {
            return;
        }
        so_peak above = v.side[0].highest, below = v.side[1].highest;
        a->a3 -=
            (above.value - below.value) / (so_on_ray(above.x, p).zeta + so_on_ray(below.x, p).zeta);
    }
}

/** A level direction, in which both axes count. */
static weights level_weights(check_random *r) {
    real half = 0.5L * (real)check_uniform(r, -3.0, 3.0);
    return (weights){expl(half), expl(-half), 0.0L};
}

enum { PLAIN = 8, AROUND_TIE = 4, DIRECTIONS = PLAIN + 2 * AROUND_TIE };

/** Directions at random, along the axes, nearly level; ties, and what is close to a tie. */
static void draw_directions(check_random *r, const subject *s, ov_vec3 n[DIRECTIONS]) {
    for (int i = 0; i < PLAIN; i++) {
        weights a = level_weights(r);
        a.a1 = i < 2 ? 0.0L : a.a1;
        a.a2 = i < 1 ? 0.0L : a.a2;
        a.a3 = (real)check_log_uniform(r, 1e-8, 1.0) * (i & 1 ? 1.0L : -1.0L);
        n[i] = i < 5 ? direction_from(r, &s->shape, &a) : check_unit_vector(r);
    }
    for (int i = PLAIN; i < DIRECTIONS; i += AROUND_TIE) {
        weights a = level_weights(r);
        make_tie(s, &a);
        const real tie = a.a3;
        for (int k = 0; k < AROUND_TIE; k++) {
            double by = k == 0 ? 0.0 : check_log_uniform(r, 1e-15, k == 3 ? 0.3 : 1e-3);
            a.a3 = tie + (real)(check_random_bits(r) & 1 ? by : -by);
            n[i + k] = direction_from(r, &s->shape, &a);
        }
    }
}

/* ---- a body in a pair */

/** A pair with a body under test, which is A (0) or B (1). The layout refers to the pair. */
typedef struct stage {
    ovi_pair pair;
    ovi_newton newton;
    int body;
} stage;

static void set_stage(check_random *r, const ov_shape *s, const ov_shape *partner, int body,
                      stage *o) {
    const ov_shape *a = body == 0 ? s : partner, *b = body == 0 ? partner : s;
    ov_pose pose_a = {.rotation = check_rotation(r)}, pose_b = {.rotation = check_rotation(r)};
    pose_b.position =
        ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 2.0) * s->ball.radius);
    CHECK_OK(ovi_pair_make(a, pose_a, b, pose_b, NULL, &o->pair));
    o->pair.limit = NAN;
    o->newton = ovi_newton_make(&o->pair);
    o->body = body;
}

static void put_point(const stage *g, int body, ov_vec3 point, ov_vec3 normal,
                      ovi_newton_end *end) {
    if (body == 0) {
        end->point_a = point;
        end->normal_a = normal;
    } else {
        end->point_b = ovi_from_b(&g->pair, point);
        end->normal_b = ovi_turn_from_b(&g->pair, normal);
    }
}

/** The point as the library sees it again: for B, rounded twice. */
static ov_vec3 normal_seen(const stage *g, int body, const ovi_newton_end *end) {
    return body == 0 ? end->normal_a : ovi_to_b(&g->pair, end->normal_b);
}
static ov_vec3 point_seen(const stage *g, int body, const ovi_newton_end *end) {
    ov_vec3 from_b = ov_vec3_sub(end->point_b, g->pair.offset);
    return body == 0 ? end->point_a : ovi_to_b(&g->pair, from_b);
}

static real dot(ov_vec3 a, ov_vec3 b) {
    return (real)a.x * (real)b.x + (real)a.y * (real)b.y + (real)a.z * (real)b.z;
}

/* ---- bounds and maxima along directions */

typedef struct tally {
    long bounds, unbounded, tight;
    double least_bound, loosest;
    long two, two_found, found, beyond;
    double low_value, high_value, low_support, off_surface;
    long ends, ends_proven;
} tally;

static void look_at_bound(const subject *s, ov_vec3 n, const view *v, tally *t) {
    for (int i = 0; i < 2; i++) {
        double bound = ovi_hull_side_bound(&s->shape, n, (double)sides[i]);
        t->bounds++;
        if (bound == INFINITY) {
            t->unbounded++;
            continue;
        }
        double over = (double)((real)bound - v->side[i].most) / v->scale;
        t->least_bound = fmin(t->least_bound, over);
        t->loosest = fmax(t->loosest, over);
        t->tight += over < 1e-3;
        CHECK(over >= -1e-15);
    }
}

/** Ends at the maxima: of two that are nearly equal only the higher may be taken for the largest.
 */
static void look_at_ends(const stage *g, const ovi_side_maxima *c, ov_vec3 n, const view *v,
                         tally *t) {
    for (int i = 0; i < 2; i++) {
        ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
        put_point(g, g->body, c->point[i], n, &end);
        put_point(g, 1 - g->body, ov_vec3_make(0.0, 0.0, 1.0), ov_vec3_make(0.0, 0.0, 1.0), &end);
        ovi_at_maximum at = ovi_hull_at_maximum(&g->pair, &end);
        CHECK(g->body == 0 ? at.b : at.a); // a ball
        t->ends++;
        if (g->body == 0 ? at.a : at.b) {
            real value = dot(normal_seen(g, g->body, &end), point_seen(g, g->body, &end));
            t->ends_proven++;
            CHECK(v->support - value <= 1e-13L * (real)g->pair.size);
        }
    }
}

static void look_at_crests(const subject *s, const stage *g, ov_vec3 n, const view *v, tally *t) {
    ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
    put_point(g, g->body, ov_vec3_make(0.0, 0.0, 0.0), n, &end);
    ovi_side_maxima c = ovi_hull_side_maxima(&g->newton, &end, g->body);
    t->two += v->two_crests;
    t->two_found += v->two_crests && c.found;
    if (!c.found) {
        return;
    }
    t->found++;
    double size = s->shape.ball.radius;
    for (int i = 0; i < 2; i++) {
        double side = (double)sides[i];
        CHECK(side * c.place.z[i] > 0.0 && side * c.point[i].z > 0.0);
        ov_field gauge;
        CHECK(ov_shape_gauge(&s->shape, c.point[i], &gauge) >= 0);
        t->off_surface = fmax(t->off_surface, fabs(gauge.value - 1.0));
        CHECK_NEAR(gauge.value, 1.0, 1e-13);
        CHECK((real)c.value[i] - v->side[i].most <= 1e-12L * (real)size);
        if (v->side[i].maxima == 0) {
            t->beyond++; // closer to the equator than the oracle's scan
            continue;
        }
        double over = (double)((real)c.value[i] - v->side[i].highest.value);
        t->low_value = fmin(t->low_value, over / v->scale);
        t->high_value = fmax(t->high_value, over / size);
        CHECK(over >= -1e-15 * v->scale);
        CHECK(over <= 1e-12 * size);
    }
    look_at_ends(g, &c, n, v, t);
    double above = (double)((real)fmax(c.value[0], c.value[1]) - v->support) / v->scale;
    t->low_support = fmin(t->low_support, above);
    CHECK(above >= -1e-15);
}

static void print_tally(const tally *t) {
    printf("%s: side bounds: %ld, infinite %.3g %%, within 1e-3 %.3g %%\n", check_suite, t->bounds,
           100.0 * (double)t->unbounded / (double)t->bounds,
           100.0 * (double)t->tight / (double)t->bounds);
    check_worst("side bound below the side's maximum", -t->least_bound, 1e-15);
    check_worst("side bound above it", t->loosest, INFINITY);
    printf("%s: two maxima: %ld, found %.4g %%; found in all %ld, %ld closer than the scan\n",
           check_suite, t->two, 100.0 * (double)t->two_found / (double)t->two, t->found, t->beyond);
    check_worst("value below the maximum", -t->low_value, 1e-15);
    check_worst("value above the maximum, of the size", t->high_value, 1e-12);
    check_worst("higher value below the support", -t->low_support, 1e-15);
    check_worst("gauge at the maxima", t->off_surface, 1e-13);
    printf("%s: ends at maxima: %ld, proven %ld\n", check_suite, t->ends, t->ends_proven);
}

enum { SHAPES = 110 };

static void test_directions(void) {
    check_random r = check_random_make(301);
    tally t = {.least_bound = INFINITY, .low_value = INFINITY, .low_support = INFINITY};
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    for (int i = 0; i < SHAPES; i++) {
        ov_shape shape = random_shape(&r, i, OVI_DENT_KIND_EQUATOR);
        subject s = subject_of(&shape);
        stage g;
        set_stage(&r, &shape, &ball, i & 1, &g);
        ov_vec3 n[DIRECTIONS];
        draw_directions(&r, &s, n);
        for (int k = 0; k < DIRECTIONS; k++) {
            ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
            put_point(&g, g.body, ov_vec3_make(0.0, 0.0, 0.0), n[k], &end);
            ov_vec3 seen = normal_seen(&g, g.body, &end);
            view v = view_along(&s, seen);
            look_at_bound(&s, seen, &v, &t);
            look_at_crests(&s, &g, n[k], &v, &t);
        }
    }
    print_tally(&t);
    CHECK(t.two > 300 && (double)t.two_found > 0.97 * (double)t.two);
    CHECK((double)t.unbounded < 0.2 * (double)t.bounds);
    CHECK(2 * t.tight > t.bounds && t.loosest < 0.1);
    CHECK(t.ends > 500);
}

/* ---- ends at points of the surface */

/** A point of the surface with its normal; many of them in the dent. */
static ov_surface_point random_point(check_random *r, const ov_shape *s, int i) {
    double quarter = 0.5 * M_PI * (double)(check_random_bits(r) % 4);
    double phi1 = check_uniform(r, -M_PI, M_PI), phi2 = check_uniform(r, -0.5, 0.5) * M_PI;
    if (i % 4 != 0) { // where both axes count, on flats and edges as well
        phi1 = remainder(0.25 * M_PI + quarter + check_uniform(r, -0.3, 0.3), 2.0 * M_PI);
    }
    if (i % 3 != 0) {
        phi2 = copysign(check_log_uniform(r, i % 3 == 1 ? 1e-9 : 1e-2, 0.6), phi2);
    }
    ov_surface_point p;
    CHECK_OK(ov_shape_surface(s, OV_SPACING_EQUAL, phi1, phi2, &p));
    return p;
}

typedef struct end_tally {
    long ends, hidden, largest, proven;
    double outside, low, too_little, too_much;
} end_tally;

/** How far the hull stands out over the point of a body, by the oracle. */
static double true_excess(const subject *s, const stage *g, int body, const ovi_newton_end *end) {
    ov_vec3 n = normal_seen(g, body, end);
    view v = view_along(s, n);
    return (double)(v.support - dot(n, point_seen(g, body, end)));
}

static void look_at_point(double excess, double size, bool at_top, end_tally *t) {
    t->ends++;
    t->hidden += excess > 1e-9 * size;
    t->largest += excess < 1e-14 * size;
    t->proven += at_top;
    if (at_top) {
        t->low = fmax(t->low, excess / size);
        CHECK(excess <= 1e-13 * size);
    }
}

/**
 * What is taken off the lower bound of an end that was decided: no less than both hulls stand out,
 * and no more than that and what is allowed without a search.
 */
static void look_at_proof(const stage *g, const double excess[2], const ovi_newton_end *from,
                          end_tally *t) {
    ovi_newton_end end = *from;
    end.verdict = OVI_NEWTON_DECIDED;
    end.lower = 0.0;
    end.upper = INFINITY;
    ovi_hull_prove(&g->newton, &end);
    CHECK(end.verdict == OVI_NEWTON_DECIDED);
    double size = g->pair.size, need = fmax(0.0, excess[0]) + fmax(0.0, excess[1]);
    double over = (-end.lower - need) / size, allowed = 0.25 * g->pair.goal / size;
    t->too_little = fmax(t->too_little, -over);
    t->too_much = fmax(t->too_much, over - allowed);
    CHECK(over >= -1e-13);
    CHECK(over <= allowed + 1e-12);
}

enum { PAIRS = 80, ENDS = 16 };

static void test_ends(void) {
    check_random r = check_random_make(302);
    end_tally t = {0};
    for (int i = 0; i < PAIRS; i++) {
        ov_shape shape[2];
        subject s[2];
        for (int k = 0; k < 2; k++) {
            shape[k] = random_shape(&r, 2 * i + k, OVI_DENT_KIND_EQUATOR);
            s[k] = subject_of(&shape[k]);
        }
        stage g;
        set_stage(&r, &shape[0], &shape[1], 0, &g);
        for (int k = 0; k < ENDS; k++) {
            ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
            double excess[2];
            for (int body = 0; body < 2; body++) {
                ov_surface_point p = random_point(&r, &shape[body], k + body);
                put_point(&g, body, p.point, p.normal, &end);
                excess[body] = true_excess(&s[body], &g, body, &end);
            }
            ovi_at_maximum at = ovi_hull_at_maximum(&g.pair, &end);
            look_at_point(excess[0], g.pair.size, at.a, &t);
            look_at_point(excess[1], g.pair.size, at.b, &t);
            // the surface is nowhere outside of the oracle's hull; B's points have been moved about
            t.outside = fmax(t.outside, -excess[0] / shape[0].ball.radius);
            CHECK(excess[0] >= -1e-15 * shape[0].ball.radius);
            g.pair.goal = g.pair.size * check_log_uniform(&r, 1e-12, 1e-2);
            look_at_proof(&g, excess, &end, &t);
        }
    }
    printf("%s: ends on the surface: %ld, hidden in dents %ld, largest %ld, proven %ld\n",
           check_suite, t.ends, t.hidden, t.largest, t.proven);
    check_worst("surface outside of the hull, of the size", t.outside, 1e-15);
    check_worst("proven end below the support, of the size", t.low, 1e-13);
    check_worst("excess taken too small, of the size", t.too_little, 1e-13);
    check_worst("excess taken too large, of the size", t.too_much, 1e-12);
    CHECK(t.hidden > 100 && t.largest > 500 && 2 * t.proven > t.largest);
}

/* ---- points below and above a bridge */

enum { HELD = 300, AROUND = 40 };

/** How far a point is outside of the oracle's hull, at most, over directions about one. */
static double outside_of(check_random *r, const subject *s, ov_vec3 n, ov_vec3 point) {
    real out = dot(n, point) - view_along(s, n).support;
    for (int i = 0; i < AROUND; i++) {
        double angle = check_log_uniform(r, 1e-9, 1.0);
        ov_vec3 m = ov_vec3_normalize(ov_vec3_add_scaled(n, check_unit_vector(r), angle));
        out = fmaxl(out, dot(m, point) - view_along(s, m).support);
    }
    return (double)out;
}

/**
 * Points between the two maxima along directions in which these are level: what is said to be in
 * the hull is in it by the oracle, what is above the bridge is never said to be, and most of what
 * is well below it is found, though the surface itself is farther in.
 */
static void test_holds(void) {
    check_random r = check_random_make(305);
    const int bodies = check_share(HELD);
    int below = 0, held = 0, hollow = 0;
    for (int i = 0; i < bodies; i++) {
        ov_shape shape = random_shape(&r, i, OVI_DENT_KIND_EQUATOR);
        subject s = subject_of(&shape);
        weights a = level_weights(&r);
        make_tie(&s, &a);
        stage g;
        set_stage(&r, &shape, &shape, 0, &g);
        ov_vec3 n = direction_from(&r, &shape, &a);
        for (int body = 0; body < 2; body++) {
            ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
            put_point(&g, body, ov_vec3_make(0.0, 0.0, 0.0), n, &end);
            ovi_side_maxima c = ovi_hull_side_maxima(&g.newton, &end, body);
            if (!c.found) {
                continue;
            }
            ov_vec3 on = ov_vec3_add_scaled(c.point[0], ov_vec3_sub(c.point[1], c.point[0]),
                                            check_uniform(&r, 0.05, 0.95));
            double down = check_log_uniform(&r, 1e-10, 1e-3) * shape.ball.radius;
            ov_vec3 in = ov_vec3_add_scaled(on, n, -down), out = ov_vec3_add_scaled(on, n, down);
            bool holds = ovi_hull_holds(&g.newton, &end, body, in, 1.0 - 1e-13);
            CHECK(!ovi_hull_holds(&g.newton, &end, body, out, 1.0 - 1e-13));
            CHECK(!holds || outside_of(&r, &s, n, in) <= 0.0);
            below++;
            held += holds;
            hollow += holds && so_gauge(&shape, so_from(in)) > 1.0L;
        }
    }
    printf("%s: points below bridges: %d, held %d, of them over the dent %d\n", check_suite, below,
           held, hollow);
    CHECK(below > bodies / 4 && 10 * held > 9 * below && 4 * hollow > held);
}

/* ---- other bodies, and other sizes */

/** A body of each kind of dent, and one that is round: answers do not depend on the other body. */
static void test_other_kinds(void) {
    check_random r = check_random_make(303);
    for (int i = 0; i < 40; i++) {
        ov_shape s[4] = {random_shape(&r, i, OVI_DENT_KIND_EQUATOR),
                         random_shape(&r, i, OVI_DENT_KIND_NONE),
                         random_shape(&r, i, OVI_DENT_KIND_ANYWHERE)};
        CHECK_OK(ov_shape_make_ellipsoid(random_axes(&r, i), &s[3]));
        ov_surface_point point_at[4];
        bool largest[4] = {false, true, false, true};
        for (int k = 0; k < 4; k++) {
            point_at[k] = random_point(&r, &s[k], i);
        }
        for (int k = 0; k < 16; k++) {
            int of[2] = {k / 4, k % 4};
            stage g;
            set_stage(&r, &s[of[0]], &s[of[1]], 0, &g);
            g.pair.offset = ov_vec3_make(0.0, 0.0, 0.0); // no rounding: equal answers
            g.pair.turn = (ov_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
            g.newton = ovi_newton_make(&g.pair);
            ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED};
            put_point(&g, 0, point_at[of[0]].point, point_at[of[0]].normal, &end);
            put_point(&g, 1, point_at[of[1]].point, point_at[of[1]].normal, &end);
            ovi_at_maximum at = ovi_hull_at_maximum(&g.pair, &end);
            largest[0] = k == 0 ? at.a : largest[0];
            CHECK(at.a == largest[of[0]] && at.b == largest[of[1]]);
            for (int body = 0; body < 2; body++) {
                double side = k & 1 ? 1.0 : -1.0;
                double bound = ovi_hull_side_bound(&s[of[body]], point_at[of[body]].normal, side);
                ovi_side_maxima c = ovi_hull_side_maxima(&g.newton, &end, body);
                CHECK(of[body] == 0 ? !isnan(bound) : bound == INFINITY && !c.found);
            }
        }
    }
}

/** What is seen of a body along a direction and from a point. */
typedef struct answers {
    double bound[2];
    ovi_side_maxima maxima;
    ovi_at_maximum at;
} answers;

static answers ask(const stage *g, ov_vec3 n, const ov_surface_point *point_at, double unit) {
    answers o;
    ovi_newton_end end = {.verdict = OVI_NEWTON_CONVERGED, .normal_a = n};
    for (int i = 0; i < 2; i++) {
        o.bound[i] = ovi_hull_side_bound(g->pair.a, n, (double)sides[i]);
    }
    o.maxima = ovi_hull_side_maxima(&g->newton, &end, 0);
    put_point(g, 0, ov_vec3_scale(point_at->point, unit), point_at->normal, &end);
    put_point(g, 1, ov_vec3_scale(point_at->point, unit), point_at->normal, &end);
    o.at = ovi_hull_at_maximum(&g->pair, &end);
    return o;
}

enum { CASES = 200 };

/** A body a power of two larger or smaller has the same answers, to the last digit. */
static void test_sizes(void) {
    check_random r = check_random_make(304);
    const ov_shape_options deep = {1.0};
    int found = 0, largest = 0;
    for (int i = 0; i < CASES; i++) {
        ov_shape shape = random_shape(&r, i, OVI_DENT_KIND_EQUATOR), other;
        double unit = ldexp(1.0, i % 2 == 0 ? -166 : 166); // 1e-50, 1e50
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_scale(shape.a, unit), shape.e1, shape.e2,
                                          shape.tx, shape.ty, &deep, &other));
        CHECK(ovi_dent_kind_of(&other) == OVI_DENT_KIND_EQUATOR);
        subject s = subject_of(&shape);
        weights a = level_weights(&r);
        make_tie(&s, &a);
        ov_vec3 n = direction_from(&r, &shape, &a);
        ov_surface_point point_at = random_point(&r, &shape, i);
        stage g, h;
        set_stage(&r, &shape, &shape, 0, &g);
        h = g;
        h.pair.a = h.pair.b = &other;
        h.pair.offset = ov_vec3_scale(g.pair.offset, unit);
        h.pair.size = g.pair.size * unit;
        h.newton = ovi_newton_make(&h.pair);
        answers one = ask(&g, n, &point_at, 1.0), two = ask(&h, n, &point_at, unit);
        CHECK(one.maxima.found == two.maxima.found);
        for (int k = 0; k < 2; k++) {
            CHECK(two.bound[k] == one.bound[k] * unit);
            CHECK(!one.maxima.found || two.maxima.value[k] == one.maxima.value[k] * unit);
        }
        CHECK(one.at.a == two.at.a && one.at.b == two.at.b);
        found += one.maxima.found;
        largest += one.at.a;
    }
    CHECK(found > CASES / 4 && largest > CASES / 10 && largest < CASES);
}

/**
 * A slender body with bevelled sections and two tapers: along its straight side every point is
 * stationary to rounding, and the maximum is at the far end. The bound of a contact half way along
 * the side was too high by 2e-6 of the size.
 */
static void test_straight_side(void) {
    const ov_shape_options all = {.dent_tolerance = 1.0};
    ov_shape bar, ball;
    CHECK(ov_shape_make_superovoid(
              ov_vec3_make(0.036778545736492502, 0.016087746394053012, 4.6125285423948048),
              1.9999588675382445, 1e-15, -0.12809499103756683, 0.15441360775517254, &all,
              &bar) == OV_OK);
    CHECK(ov_shape_make_sphere(1.4333914223976902, &ball) == OV_OK);
    const ov_pose at = {
        {0.0, 0.0, 0.0},
        {-3.7005405709295069, 2.0093884235570827, 1.7733858131046847, -1.7345469041112382}};
    ov_pose there = ov_pose_identity();
    there.position = ov_vec3_make(-1.8100609942665544, 3.4435753156341868, -1.1821632040949928);
    ov_quat unit;
    CHECK(ov_quat_normalize(at.rotation, &unit) == OV_OK);
    for (int swapped = 0; swapped < 2; swapped++) {
        ov_contact c;
        ov_status status = swapped ? ov_pair_contact(&ball, there, &bar, at, NULL, NULL, &c)
                                   : ov_pair_contact(&bar, at, &ball, there, NULL, NULL, &c);
        CHECK(status == OV_OK && c.relation == OV_RELATION_SEPARATED);
        // from the plane of the bar to that of the ball, along the normal, by the support function
        ov_vec3 n = swapped ? ov_vec3_neg(c.normal) : c.normal;
        ov_support h;
        CHECK(ov_shape_support(&bar, ov_quat_rotate(ov_quat_conjugate(unit), n), &h) == OV_OK);
        double along = ov_vec3_dot(n, there.position) - h.value - ball.a.x;
        CHECK(c.gap_lower <= along + 1e-11);
        CHECK_NEAR(c.gap, 1.8961285825199236, 1e-8);
    }
}

/** A depth on a bridge, brought to its last digits after GJK: its own normal has to show the lower
 *  bound, not the one that GJK had. */
static void test_normal_of_bridge(void) {
    ov_shape a, b;
    const double radius = 0.12034119805062218;
    const ov_shape_options dented = {1.0};
    CHECK_OK(ov_shape_make_sphere(radius, &a));
    CHECK_OK(ov_shape_make_superovoid(
        (ov_vec3){0.33948791632830838, 0.21224342480213873, 0.17456857919169438},
        1.8519866066958788, 0.3875660869909926, 0.20910335019733395, -0.25983656881517836, &dented,
        &b));
    const ov_pose at_a = {
        {0.81122107533870014, 0.11623413718076925, -0.41242505920377798},
        {-0.27258412674625848, 0.29342022418831581, -0.9114760255734049, -0.093882483393698035}};
    const ov_pose at_b = {
        {1.0366316219369334, 0.042284063844282307, -0.30898267783931604},
        {0.40659617106566581, 0.85571184477761064, 0.31410866731394588, 0.061420985829724266}};
    const ov_pair_options options = {.tolerance = 6.345508655925795e-11};
    ov_contact c;
    ov_quat q;
    ov_support support;
    CHECK_OK(ov_pair_contact(&a, at_a, &b, at_b, &options, NULL, &c));
    CHECK_OK(ov_quat_normalize(at_b.rotation, &q));
    ov_vec3 back = ov_quat_rotate(ov_quat_conjugate(q), ov_vec3_neg(c.normal));
    CHECK_OK(ov_shape_support(&b, back, &support));
    double along = ov_vec3_dot(c.normal, ov_vec3_sub(at_b.position, at_a.position));
    CHECK(c.gap_lower <= along - radius - support.value);
}

/* ---- two bridges */

/** The rotation that takes one unit vector to another, and then turns about that. */
static ov_quat rotation_between(ov_vec3 from, ov_vec3 to, double spin) {
    ov_vec3 axis = ov_vec3_normalize(ov_vec3_cross(from, to));
    double angle = acos(fmax(-1.0, fmin(1.0, ov_vec3_dot(from, to))));
    return ov_quat_mul(ov_quat_from_axis_angle(to, spin), ov_quat_from_axis_angle(axis, angle));
}

/** A body with a direction along which its two maxima are level, and a point of the bridge. */
typedef struct bridged {
    ov_shape shape;
    subject seen;
    ov_vec3 n, on;
    bool found;
} bridged;

static void draw_bridged(check_random *r, int i, bridged *o) {
    o->shape = random_shape(r, i, OVI_DENT_KIND_EQUATOR);
    o->seen = subject_of(&o->shape);
    weights a = level_weights(r);
    make_tie(&o->seen, &a);
    o->n = direction_from(r, &o->shape, &a);
    stage g;
    set_stage(r, &o->shape, &o->shape, 0, &g);
    const ovi_newton_end end = {.normal_a = o->n, .normal_b = ov_vec3_neg(o->n)};
    ovi_side_maxima c = ovi_hull_side_maxima(&g.newton, &end, 0);
    double t = check_uniform(r, 0.2, 0.8);
    o->found = c.found && ovi_newton_applies(&o->shape, &o->shape) &&
               view_along(&o->seen, o->n).two_crests;
    o->on = ov_vec3_add_scaled(c.point[0], ov_vec3_sub(c.point[1], c.point[0]), t);
}

enum { CROSSINGS = 300 };

/**
 * Bodies that face each other with their bridges: along the common normal the oracle's supports
 * bound the gap from below, the points of the bridges from above.
 */
static void test_crossing(void) {
    check_random r = check_random_make(306);
    static bridged a, b;
    int pairs = 0, short_ways = 0;
    for (int i = 0; i < CROSSINGS; i += check_every()) {
        draw_bridged(&r, 3 + i, &a);
        draw_bridged(&r, 4 + i, &b);
        if (!a.found || !b.found) {
            continue;
        }
        double size = fmax(a.shape.ball.radius, b.shape.ball.radius);
        double gap = check_log_uniform(&r, 1e-4, 1.0) * size;
        ov_pose at = ov_pose_identity(), there = {.rotation = {0}};
        there.rotation = rotation_between(b.n, ov_vec3_neg(a.n), check_uniform(&r, 0.3, 2.8));
        ov_vec3 from_b = ov_quat_rotate(there.rotation, b.on);
        there.position = ov_vec3_sub(ov_vec3_add_scaled(a.on, a.n, gap), from_b);
        real lower = dot(a.n, there.position) - view_along(&a.seen, a.n).support -
                     view_along(&b.seen, b.n).support;
        ov_contact c;
        CHECK_OK(ov_pair_contact(&a.shape, at, &b.shape, there, NULL, NULL, &c));
        CHECK(c.relation == OV_RELATION_SEPARATED && c.gap_lower <= c.gap_upper);
        // the direction of B is rounded once more by its rotation
        double off = 1e-14 * size;
        CHECK(c.gap_lower <= gap + off && c.gap_upper >= (double)lower - off);
        CHECK_NEAR(c.gap, gap, 2e-9 * size);
        pairs++;
        short_ways += c.iterations < 30;
    }
    printf("%s: bridges that cross: %d, solved without GJK %d\n", check_suite, pairs, short_ways);
    CHECK(pairs > CROSSINGS / check_every() / 4 && 2 * short_ways > pairs);
}

int main(void) {
    check_suite = "superquadric_hull";
    RUN(test_directions);
    RUN(test_ends);
    RUN(test_holds);
    RUN(test_crossing);
    RUN(test_other_kinds);
    RUN(test_sizes);
    RUN(test_straight_side);
    RUN(test_normal_of_bridge);
    return check_finish();
}
