/**
 * @file test_ray.c
 * @brief Rays against every convex kind.
 *
 * The oracle for bodies with volume knows one thing only, whether a point is inside, by the printed
 * definitions in long double: a dense scan along the ray finds an inner point, halving the entry
 * before it. A ray without inner point on the scan has to be a miss, a graze, or a hit whose inner
 * point the oracle confirms. Kinds without such a definition (custom bodies, polyhedra without
 * faces) are compared with the same body of another kind.
 */
#include <string.h>

#include "check.h"
#include "oracle.h"
#include "support_oracle.h"

/** Below zero inside, above it outside; the scale is the body's own. */
static long double excess(const ov_shape *s, so_vec x) {
    ov_vec3 a = s->a;
    long double rho = hypotl(x.x, x.y);
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        return fmaxl(fabsl(x.x) / a.x, fmaxl(fabsl(x.y) / a.y, fabsl(x.z) / a.z)) - 1.0L;
    case OV_SHAPE_KIND_CYLINDER:
        return fmaxl(rho / a.x, fabsl(x.z) / a.z) - 1.0L;
    case OV_SHAPE_KIND_CONE:
        return fmaxl(rho / a.x - (a.z - x.z) / (2.0L * a.z), -x.z / a.z - 1.0L);
    case OV_SHAPE_KIND_CAPSULE:
        return hypotl(rho, fmaxl(fabsl(x.z) - a.z, 0.0L)) / a.x - 1.0L;
    case OV_SHAPE_KIND_HALFSPACE:
        return so_dot(so_from(s->u.halfspace.normal), x) - s->u.halfspace.offset;
    default:
        return fabsl(x.z) > s->a.z ? 1.0L : so_gauge(s, x) - 1.0L;
    }
}

typedef struct line {
    so_vec o, u;
} line;

static so_vec on_line(const line *l, long double t) {
    return (so_vec){l->o.x + t * l->u.x, l->o.y + t * l->u.y, l->o.z + t * l->u.z};
}

static line make_line(ov_vec3 origin, ov_vec3 direction) {
    line l = {so_from(origin), so_from(direction)};
    long double length = so_length(l.u);
    l.u = (so_vec){l.u.x / length, l.u.y / length, l.u.z / length};
    return l;
}

/** First t on the scan that is inside, or infinity. */
static long double scan_inside(const ov_shape *s, const line *l, long double from, long double to) {
    enum { STEPS = 3000 };
    for (int i = 0; i <= STEPS; i++) {
        long double t = from + (to - from) * i / STEPS;
        if (excess(s, on_line(l, t)) < 0.0L) {
            return t;
        }
    }
    return INFINITY;
}

static long double halve(const ov_shape *s, const line *l, long double out, long double in) {
    for (int i = 0; i < 80; i++) {
        long double t = 0.5L * (out + in);
        if (excess(s, on_line(l, t)) < 0.0L) {
            in = t;
        } else {
            out = t;
        }
    }
    return in;
}

typedef struct tally {
    long hits, misses, undecided, wide;
    double worst;
} tally;

static void check_miss(const ov_shape *s, const line *l, const ov_ray_hit *h, ov_status status,
                       double slack, tally *t) {
    if (h->hit) {
        // a graze between two steps of the scan: the proof of the hit must hold
        CHECK(excess(s, on_line(l, h->distance_upper)) < 1e-15L);
        t->hits++;
    } else {
        t->misses += status == OV_OK;
        t->undecided += status != OV_OK;
        CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    }
    (void)slack;
}

/** One ray in the body's frame against the oracle. */
static void check_ray(const ov_shape *s, ov_vec3 origin, ov_vec3 direction, double reach,
                      tally *t) {
    ov_ray_hit h;
    ov_status status = ov_ray_cast(s, ov_pose_identity(), origin, direction, reach, &h);
    CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    line l = make_line(origin, direction);
    double size = isinf(s->ball.radius) ? 1.0 : s->ball.radius;
    double scale = size + ov_vec3_length(origin), slack = 1e-15 * scale;
    so_vec c = so_from(s->ball.centre);
    long double middle =
        isinf(s->ball.radius) ? 0.0L : so_dot((so_vec){c.x - l.o.x, c.y - l.o.y, c.z - l.o.z}, l.u);
    long double half = isinf(s->ball.radius) ? 10.0L * scale : (long double)size;
    long double from = fmaxl(0.0L, middle - half), to = fminl(middle + half, reach);
    long double in = to >= from ? scan_inside(s, &l, from, to) : (long double)INFINITY;
    if (isinf(in)) {
        check_miss(s, &l, &h, status, slack, t);
        return;
    }
    long double entry = in == 0.0L ? 0.0L : halve(s, &l, fmaxl(0.0L, from - 0.01L * scale), in);
    t->hits += h.hit;
    t->undecided += !h.hit;
    t->wide += status != OV_OK;
    CHECK(h.distance_lower <= (double)entry + slack);
    if (!h.hit) {
        CHECK(status == OV_NOT_CONVERGED && h.distance_upper >= (double)entry - slack);
        return;
    }
    CHECK(h.distance_upper >= (double)entry - slack);
    CHECK(h.distance >= h.distance_lower && h.distance <= h.distance_upper);
    CHECK_NEAR(ov_vec3_length(h.normal), 1.0, 1e-13);
    if (status == OV_OK) {
        CHECK_NEAR(h.distance, (double)entry, 2e-9 * scale);
        t->worst = fmax(t->worst, fabs(h.distance - (double)entry) / scale);
        // the ray enters against the normal
        CHECK(so_dot(so_from(h.normal), l.u) <= 1e-9L);
        CHECK_NEAR(h.point.x, (double)(l.o.x + entry * l.u.x), 3e-9 * scale);
    }
}

/** A ray towards the body: into it, past it, grazing it, or from inside. */
static void random_ray(check_random *r, const ov_shape *s, int kind, ov_vec3 *o, ov_vec3 *u) {
    double size = isinf(s->ball.radius) ? 1.0 : s->ball.radius;
    *o = ov_vec3_scale(check_unit_vector(r), size * check_log_uniform(r, 0.3, 30.0));
    ov_vec3 target = ov_vec3_scale(check_unit_vector(r), size * check_uniform(r, 0.0, 1.1));
    if (kind == 1) {
        // along an axis of the body, in a plane of symmetry
        target = ov_vec3_make(0.0, 0.0, 0.0);
        *o = ov_vec3_make(0.0, kind % 2 == 0 ? o->y : 0.0, copysign(3.0 * size, o->z));
    }
    *u = ov_vec3_scale(ov_vec3_sub(target, *o), check_log_uniform(r, 1e-3, 1e3));
    if (kind == 2) {
        // tangent to the surface, off it by a little or nothing
        ov_surface_point on;
        CHECK_OK(ov_shape_surface(s, OV_SPACING_EQUAL, check_uniform(r, -M_PI, M_PI),
                                  check_uniform(r, -1.5, 1.5), &on));
        double angle = check_uniform(r, -M_PI, M_PI);
        *u = ov_vec3_add(ov_vec3_scale(on.tangent1, cos(angle)),
                         ov_vec3_scale(on.tangent2, sin(angle)));
        double off =
            check_random_bits(r) % 3 == 0 ? 0.0 : size * 1e-7 * check_uniform(r, -1.0, 1.0);
        *o = ov_vec3_add_scaled(ov_vec3_add_scaled(on.point, on.normal, off), *u, -4.0 * size);
    }
}

static void report(const char *what, const tally *t) {
    printf("test_ray: %s: %ld hits, %ld misses, %ld undecided, %ld with wide bounds\n", what,
           t->hits, t->misses, t->undecided, t->wide);
    check_worst(what, t->worst, 2e-9);
}

static void smooth_family(void) {
    check_random r = check_random_make(501);
    tally straight = {0}, tapered = {0}, graze = {0};
    for (int i = 0; i < 900; i++) {
        ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
        double size = check_log_uniform(&r, 1e-3, 1e3);
        while (s.kind == OV_SHAPE_KIND_NONE || s.dent > 0.0) {
            ov_vec3 a = ov_vec3_make(size * check_log_uniform(&r, 0.05, 1.0),
                                     size * check_log_uniform(&r, 0.05, 1.0),
                                     size * check_log_uniform(&r, 0.05, 1.0));
            double tx = i % 2 == 0 ? 0.0 : check_uniform(&r, -0.6, 0.6);
            (void)ov_shape_make_superovoid(a, oracle_random_exponent(&r),
                                           oracle_random_exponent(&r), tx, tx, NULL, &s);
        }
        ov_vec3 o, u;
        random_ray(&r, &s, i % 3, &o, &u);
        double reach = i % 7 == 0 ? 2.1 * s.ball.radius : INFINITY;
        check_ray(&s, o, u, reach, i % 3 == 2 ? &graze : i % 2 == 0 ? &straight : &tapered);
    }
    report("untapered", &straight);
    report("tapered", &tapered);
    report("grazing", &graze);
    CHECK(straight.undecided + tapered.undecided <= 2);
    CHECK(straight.wide + tapered.wide <= 6);
    CHECK(straight.hits > 100 && tapered.hits > 100 && straight.misses > 20);
}

/** Hulls over a dent: bounds by the long-double support function, and the surface inside the hull.
 */
static void dented_hulls(void) {
    check_random r = check_random_make(502);
    static so_grid grid;
    int hits = 0, undecided = 0;
    for (int i = 0; i < 150; i++) {
        ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
        while (s.kind == OV_SHAPE_KIND_NONE || s.dent == 0.0) {
            (void)ov_shape_make_superovoid(ov_vec3_make(1.0, check_uniform(&r, 0.5, 1.5), 1.2),
                                           check_uniform(&r, 0.3, 1.6), check_uniform(&r, 0.2, 0.9),
                                           check_uniform(&r, -0.5, 0.5),
                                           check_uniform(&r, -0.5, 0.5), NULL, &s);
        }
        so_make_grid(&s, &grid);
        ov_vec3 o = ov_vec3_scale(check_unit_vector(&r), 5.0);
        // towards the equator, where the dents are
        ov_vec3 target = ov_vec3_make(check_uniform(&r, -1.0, 1.0), check_uniform(&r, -1.0, 1.0),
                                      check_uniform(&r, -0.2, 0.2));
        ov_vec3 u = ov_vec3_sub(target, o);
        ov_ray_hit h;
        ov_status status = ov_ray_cast(&s, ov_pose_identity(), o, u, INFINITY, &h);
        CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
        line l = make_line(o, u);
        long double in = scan_inside(&s, &l, 2.0L, 8.0L);
        undecided += status != OV_OK;
        if (isfinite(in)) {
            long double entry = halve(&s, &l, 2.0L, in);
            CHECK(h.distance_lower <= (double)entry);
            CHECK(h.hit || status == OV_NOT_CONVERGED);
            CHECK(!h.hit || h.distance <= (double)entry + 1e-8);
        }
        if (h.hit && status == OV_OK) {
            hits++;
            // free before: the plane across the normal, moved out to the hull
            so_vec n = so_from(h.normal);
            long double height = so_dot(n, l.o) - so_support(&s, &grid, n).value;
            long double t = height / -so_dot(n, l.u);
            CHECK_NEAR(h.distance, (double)t, 1e-7);
        }
    }
    printf("test_ray: dented: %d hits, %d not solved\n", hits, undecided);
    CHECK(hits > 75 && undecided <= 3);
}

static void solids(void) {
    check_random r = check_random_make(503);
    tally t = {0};
    for (int i = 0; i < 1200; i++) {
        ov_shape s;
        double a = check_log_uniform(&r, 0.05, 5.0), b = check_log_uniform(&r, 0.05, 5.0);
        double c = check_log_uniform(&r, 0.05, 5.0);
        switch (i % 5) {
        case 0:
            CHECK_OK(ov_shape_make_box(ov_vec3_make(a, b, c), &s));
            break;
        case 1:
            CHECK_OK(ov_shape_make_capsule(a, b, &s));
            break;
        case 2:
            CHECK_OK(ov_shape_make_cylinder(a, b, &s));
            break;
        case 3:
            CHECK_OK(ov_shape_make_cone(a, b, &s));
            break;
        default:
            CHECK_OK(
                ov_shape_make_halfspace(check_unit_vector(&r), check_uniform(&r, -1.0, 1.0), &s));
            break;
        }
        ov_vec3 o, u;
        random_ray(&r, &s, (i / 5) % 2, &o, &u);
        check_ray(&s, o, u, i % 11 == 0 ? 1.0 : INFINITY, &t);
    }
    report("solids", &t);
    CHECK(t.hits > 500 && t.misses > 100 && t.undecided <= 3);
}

/* ---- kinds by comparison */

static ov_vec3 ball_support(const void *user, ov_vec3 d) {
    return ov_vec3_scale(d, *(const double *)user);
}

static void compare(const ov_shape *a, const ov_shape *b, ov_pose pose, ov_vec3 o, ov_vec3 u) {
    ov_ray_hit ha, hb;
    ov_status sa = ov_ray_cast(a, pose, o, u, INFINITY, &ha);
    ov_status sb = ov_ray_cast(b, pose, o, u, INFINITY, &hb);
    CHECK(sa >= 0 && sb >= 0);
    if (sa == OV_OK && sb == OV_OK) {
        CHECK(ha.hit == hb.hit);
        if (ha.hit && hb.hit) {
            CHECK_NEAR(ha.distance, hb.distance, 1e-8);
            CHECK(ha.distance_lower <= hb.distance_upper && hb.distance_lower <= ha.distance_upper);
        }
    }
    CHECK_STATUS(sa, OV_OK);
}

static void general_kinds(void) {
    check_random r = check_random_make(504);
    const ov_vec3 corners[8] = {{-1, -2, -3}, {1, -2, -3}, {-1, 2, -3}, {1, 2, -3},
                                {-1, -2, 3},  {1, -2, 3},  {-1, 2, 3},  {1, 2, 3}};
    const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    ov_shape box, with, without, sphere, custom;
    double radius = 1.5;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 2.0, 3.0), &box));
    CHECK_OK(ov_shape_make_polyhedron(corners, 8, faces, 12, &with));
    CHECK_OK(ov_shape_make_polyhedron(corners, 8, NULL, 0, &without));
    CHECK_OK(ov_shape_make_sphere(radius, &sphere));
    CHECK_OK(
        ov_shape_make_custom(ball_support, &radius, (ov_ball){{0.0, 0.0, 0.0}, radius}, &custom));
    for (int i = 0; i < 60; i++) {
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), 4.0), check_rotation(&r)};
        ov_vec3 o = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 20.0));
        ov_vec3 aim = ov_vec3_add_scaled(pose.position, check_unit_vector(&r), 2.0);
        compare(&with, &box, pose, o, ov_vec3_sub(aim, o));
        compare(&without, &box, pose, o, ov_vec3_sub(aim, o));
        compare(&custom, &sphere, pose, o, ov_vec3_sub(aim, o));
    }
}

static void flat_kinds(void) {
    check_random r = check_random_make(505);
    int hits = 0, misses = 0;
    for (int i = 0; i < 500; i++) {
        ov_vec3 v[3] = {check_unit_vector(&r), check_unit_vector(&r), check_unit_vector(&r)};
        ov_shape s;
        CHECK_OK(ov_shape_make_triangle(v[0], v[1], v[2], &s));
        double w1 = check_uniform(&r, -0.3, 1.3), w2 = check_uniform(&r, -0.3, 1.3);
        ov_vec3 on = v[0];
        on = ov_vec3_add_scaled(on, ov_vec3_sub(v[1], v[0]), w1);
        on = ov_vec3_add_scaled(on, ov_vec3_sub(v[2], v[0]), w2);
        ov_vec3 o = ov_vec3_scale(check_unit_vector(&r), 3.0);
        ov_ray_hit h;
        ov_status status = ov_ray_cast(&s, ov_pose_identity(), o, ov_vec3_sub(on, o), INFINITY, &h);
        double margin = fmin(fmin(w1, w2), 1.0 - w1 - w2);
        if (status == OV_OK && fabs(margin) > 1e-9) {
            CHECK(h.hit == (margin > 0.0));
            hits += h.hit;
            misses += !h.hit;
        }
        if (h.hit) {
            double far = ov_vec3_length(ov_vec3_sub(on, o));
            CHECK_NEAR(h.distance, far, 1e-9);
            CHECK(h.distance_lower <= far * (1.0 + 1e-15) &&
                  h.distance_upper >= far * (1.0 - 1e-15));
        }
        CHECK(status == OV_OK || (!h.hit || h.distance_upper - h.distance_lower > 1e-12));
        // a segment or a point is missed, or not decided, never hit
        CHECK_OK(ov_shape_make_segment(v[0], v[1], &s));
        CHECK_OK(ov_ray_cast(&s, ov_pose_identity(), o, ov_vec3_sub(v[2], o), INFINITY, &h));
        CHECK(!h.hit);
        CHECK_STATUS(ov_ray_cast(&s, ov_pose_identity(), o, ov_vec3_sub(v[1], o), INFINITY, &h),
                     OV_NOT_CONVERGED);
        CHECK(!h.hit && h.distance_lower <= ov_vec3_length(ov_vec3_sub(v[1], o)));
        CHECK_OK(ov_shape_make_point(v[0], &s));
        CHECK_OK(ov_ray_cast(&s, ov_pose_identity(), o, ov_vec3_sub(v[2], o), INFINITY, &h));
        CHECK(!h.hit);
    }
    CHECK(hits > 80 && misses > 200);
}

/** Known answers, ends of the reach, and rays from afar. */
static void closed_forms(void) {
    ov_shape s;
    ov_ray_hit h;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    const ov_pose id = ov_pose_identity();
    const ov_vec3 x = {1.0, 0.0, 0.0};
    CHECK_OK(ov_ray_cast(&s, id, ov_vec3_make(-3.0, 0.0, 0.0), x, INFINITY, &h));
    CHECK(h.hit);
    CHECK_NEAR(h.distance, 2.0, 1e-14);
    CHECK_NEAR(h.normal.x, -1.0, 1e-14);
    // begins inside
    CHECK_OK(ov_ray_cast(&s, id, ov_vec3_make(0.5, 0.0, 0.0), x, INFINITY, &h));
    CHECK(h.hit && h.distance == 0.0 && h.distance_upper == 0.0);
    CHECK_NEAR(h.normal.x, -1.0, 1e-15);
    // behind, beside, out of reach
    CHECK_OK(ov_ray_cast(&s, id, ov_vec3_make(3.0, 0.0, 0.0), x, INFINITY, &h));
    CHECK(!h.hit && isinf(h.distance));
    CHECK_OK(ov_ray_cast(&s, id, ov_vec3_make(-3.0, 1.001, 0.0), x, INFINITY, &h));
    CHECK(!h.hit);
    CHECK_OK(ov_ray_cast(&s, id, ov_vec3_make(-3.0, 0.0, 0.0), x, 1.999, &h));
    CHECK(!h.hit);
    // touching only: nobody can tell
    CHECK_STATUS(ov_ray_cast(&s, id, ov_vec3_make(-3.0, 1.0, 0.0), x, INFINITY, &h),
                 OV_NOT_CONVERGED);
    CHECK(!h.hit && h.distance_lower <= 3.0 && h.distance_upper >= 3.0);
    // from a million sizes away the bounds know what a double does not
    CHECK(ov_ray_cast(&s, id, ov_vec3_make(-1e9, 0.25, 0.0), x, INFINITY, &h) >= 0);
    double expected = 1e9 - sqrt(1.0 - 0.0625);
    CHECK(h.hit && h.distance_lower <= expected && h.distance_upper >= expected);
    CHECK_NEAR(h.distance, expected, 1e-5);
}

static void bad_input(void) {
    ov_shape s, model;
    ov_ray_hit h;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 2.0, &model));
    const ov_pose id = ov_pose_identity();
    const ov_vec3 o = {3.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, bad = {NAN, 0.0, 0.0}, zero = {0};
    CHECK_STATUS(ov_ray_cast(NULL, id, o, x, 1.0, &h), OV_ERROR_NULL);
    CHECK_STATUS(ov_ray_cast(&s, id, o, x, 1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_ray_cast(&s, id, bad, x, 1.0, &h), OV_ERROR_NOT_FINITE);
    CHECK(!h.hit && isnan(h.distance));
    CHECK_STATUS(ov_ray_cast(&s, id, o, bad, 1.0, &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_ray_cast(&s, id, o, zero, 1.0, &h), OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_ray_cast(&s, id, o, x, NAN, &h), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_ray_cast(&s, id, o, x, -1.0, &h), OV_ERROR_OPTION);
    CHECK_STATUS(ov_ray_cast(&model, id, o, x, 1.0, &h), OV_ERROR_UNSUPPORTED);
    ov_pose turned = {zero, {0.0, 0.0, 0.0, 0.0}};
    CHECK_STATUS(ov_ray_cast(&s, turned, o, x, 1.0, &h), OV_ERROR_ZERO_DIRECTION);
    // directions of every length
    CHECK_OK(ov_ray_cast(&s, id, o, ov_vec3_make(-1e-300, 0.0, 0.0), INFINITY, &h));
    CHECK_NEAR(h.distance, 2.0, 1e-14);
    CHECK_OK(ov_ray_cast(&s, id, o, ov_vec3_make(-1e300, 0.0, 0.0), INFINITY, &h));
    CHECK_NEAR(h.distance, 2.0, 1e-14);
}

int main(void) {
    check_suite = "test_ray";
    RUN(closed_forms);
    RUN(smooth_family);
    RUN(dented_hulls);
    RUN(solids);
    RUN(general_kinds);
    RUN(flat_kinds);
    RUN(bad_input);
    return check_finish();
}
