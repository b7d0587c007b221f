/**
 * @file test_point.c
 * @brief Signed and radial distance of points, against oracles in long double.
 *
 * Outside, the answer is its own witness: the long-double support function along the normal says
 * how far at least the point is from the body, the long-double gauge that the witness point is one
 * of its points. Both bounds have to agree with that, so no search is needed to know the truth.
 * Inside, the oracle is a dense scan of the surface, refined by a pattern search around every dip.
 */
#include <string.h>

#include "check.h"
#include "oracle.h"
#include "support_oracle.h"

static so_grid grid;

static so_real oracle_support(const ov_shape *s, ov_vec3 n) {
    if (s->kind != OV_SHAPE_KIND_SUPEROVOID) {
        return so_support_straight(s, so_from(n));
    }
    return so_support(s, &grid, so_from(n)).value;
}

/** A shape of moderate aspect ratio, tapered in two cases of three; dents up to the default. */
static ov_shape random_shape(check_random *r, int i) {
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    for (int attempt = 0; attempt < 1000 && s.kind == OV_SHAPE_KIND_NONE; attempt++) {
        double size = check_log_uniform(r, 1e-3, 1e3);
        ov_vec3 a = ov_vec3_make(size * check_log_uniform(r, 0.05, 1.0),
                                 size * check_log_uniform(r, 0.05, 1.0),
                                 size * check_log_uniform(r, 0.05, 1.0));
        double tx = i % 3 == 0 ? 0.0 : check_uniform(r, -0.6, 0.6);
        double ty = i % 3 == 1 ? tx : i % 3 == 0 ? 0.0 : check_uniform(r, -0.6, 0.6);
        (void)ov_shape_make_superovoid(a, oracle_random_exponent(r), oracle_random_exponent(r), tx,
                                       ty, NULL, &s);
    }
    CHECK(s.kind != OV_SHAPE_KIND_NONE);
    so_make_grid(&s, &grid);
    return s;
}

static double size_of(const ov_shape *s) { return s->ball.radius; }

/** A point around the body: anywhere, near it, on an axis or plane of symmetry, on the surface. */
static ov_vec3 random_point(check_random *r, const ov_shape *s, int kind) {
    double reach = size_of(s) * check_log_uniform(r, 0.05, kind == 0 ? 1e6 : 3.0);
    ov_vec3 p = ov_vec3_scale(check_unit_vector(r), reach);
    if (kind == 2) {
        p.x = 0.0;
    } else if (kind == 3) {
        p.x = p.y = 0.0;
    } else if (kind == 4) {
        p.y = p.z = 0.0;
    } else if (kind >= 5) {
        ov_surface_point on;
        CHECK_OK(ov_shape_surface(s, OV_SPACING_EQUAL, check_uniform(r, -M_PI, M_PI),
                                  check_uniform(r, -0.5 * M_PI, 0.5 * M_PI), &on));
        double off = kind == 5 ? 0.0 : check_log_uniform(r, 1e-13, 1e-1) * size_of(s);
        p = ov_vec3_add_scaled(on.point, on.normal, kind == 7 ? -off : off);
    }
    return p;
}

/** Least distance from the surface, by a scan and pattern searches; for bodies without dent. */
static so_real scan_depth(const ov_shape *s, so_vec p) {
    enum { AROUND = 24, UP = 48 };
    static so_real d[AROUND + 1][UP + 1];
    so_real best = INFINITY;
    p.x = fabsl(p.x);
    p.y = fabsl(p.y);
    for (int i = 0; i <= AROUND; i++) {
        for (int j = 0; j <= UP; j++) {
            so_vec x = so_surface(s, (so_real)i / AROUND, 2.0L * j / UP - 1.0L);
            d[i][j] = so_length((so_vec){x.x - p.x, x.y - p.y, x.z - p.z});
        }
    }
    for (int i = 0; i <= AROUND; i++) {
        for (int j = 0; j <= UP; j++) {
            so_real around = (so_real)i / AROUND, up = 2.0L * j / UP - 1.0L, here = d[i][j];
            bool dip = (i == 0 || here <= d[i - 1][j]) && (i == AROUND || here <= d[i + 1][j]) &&
                       (j == 0 || here <= d[i][j - 1]) && (j == UP || here <= d[i][j + 1]);
            so_real step = 1.0L / AROUND;
            for (int pass = 0; dip && step > 1e-9L && pass < 400; pass++) {
                so_real from = here;
                for (int k = 0; k < 8; k++) {
                    static const int move[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                                   {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
                    so_real a = fminl(1.0L, fmaxl(0.0L, around + step * move[k][0]));
                    so_real b = fminl(1.0L, fmaxl(-1.0L, up + step * move[k][1]));
                    so_vec x = so_surface(s, a, b);
                    so_real there = so_length((so_vec){x.x - p.x, x.y - p.y, x.z - p.z});
                    if (there < here) {
                        here = there;
                        around = a;
                        up = b;
                    }
                }
                step *= here < from ? 1.4L : 0.4L;
            }
            best = fminl(best, here);
        }
    }
    return best;
}

typedef struct tally {
    long asked, unsolved, separated, overlapping, touching;
    double outside, inside;
} tally;

static void check_outside(const ov_shape *s, ov_vec3 p, const ov_contact *c, tally *t) {
    double size = fmax(size_of(s), ov_vec3_length(p)), slack = 1e-15 * size;
    so_real by_plane = so_dot(so_from(c->normal), so_from(p)) - oracle_support(s, c->normal);
    CHECK(c->gap_lower <= (double)by_plane + slack);
    so_vec a = so_from(c->point_a);
    so_real distance = so_length((so_vec){p.x - a.x, p.y - a.y, p.z - a.z});
    CHECK(c->gap_upper >= (double)distance - slack);
    // in a dent the witness is a point of the hull, which the gauge does not know
    if (s->dent == 0.0) {
        // bodies with faces may be left to the pair query, which meets the tolerance of the gap
        CHECK_NEAR((double)so_gauge(s, a), 1.0, fmax(s->e1, s->e2) > 1.98 ? 2e-8 : 1e-12);
        t->outside = fmax(t->outside, (double)(distance - by_plane) / size);
    }
    CHECK(c->relation == OV_RELATION_SEPARATED || c->relation == OV_RELATION_TOUCHING);
}

static void check_inside(const ov_shape *s, ov_vec3 p, const ov_contact *c, tally *t) {
    double size = size_of(s);
    so_real by_plane = oracle_support(s, c->normal) - so_dot(so_from(c->normal), so_from(p));
    CHECK(c->gap_lower <= (double)-by_plane + 1e-15 * size);
    if (s->dent == 0.0) {
        // both are depths that are reached; the search over all directions may not miss the scan's
        double depth = (double)fminl(scan_depth(s, so_from(p)), by_plane);
        CHECK(c->gap_upper >= -depth - 1e-15 * size);
        CHECK_NEAR(c->gap, -depth, 1e-8 * size);
        t->inside = fmax(t->inside, fabs(c->gap + depth) / size);
        CHECK_NEAR((double)so_gauge(s, so_from(c->point_a)), 1.0, 1e-9);
    }
}

static void check_point(const ov_shape *s, ov_vec3 p, tally *t) {
    ov_contact c;
    ov_status status = ov_point_contact(s, ov_pose_identity(), p, NULL, &c);
    CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    CHECK(c.gap_lower <= c.gap && c.gap <= c.gap_upper);
    CHECK_NEAR(ov_vec3_length(c.normal), 1.0, 1e-14);
    t->asked++;
    t->unsolved += status != OV_OK;
    t->separated += c.relation == OV_RELATION_SEPARATED;
    t->overlapping += c.relation == OV_RELATION_OVERLAPPING;
    t->touching += c.relation == OV_RELATION_TOUCHING;
    if (status != OV_OK) {
        return;
    }
    bool inside = fabs(p.z) <= s->a.z && so_gauge(s, so_from(p)) < 1.0L;
    if (inside) {
        CHECK(c.relation == OV_RELATION_OVERLAPPING || c.relation == OV_RELATION_TOUCHING);
        check_inside(s, p, &c, t);
    } else if (s->dent == 0.0 || c.relation == OV_RELATION_SEPARATED) {
        check_outside(s, p, &c, t);
    }
}

static void random_points(void) {
    check_random r = check_random_make(401);
    tally t = {0};
    for (int i = 0; i < 180; i += check_every()) {
        ov_shape s = random_shape(&r, i);
        for (int kind = 0; kind < 8; kind++) {
            check_point(&s, random_point(&r, &s, kind), &t);
        }
    }
    printf("test_point: %ld asked, %ld apart, %ld overlapping, %ld touching, %ld not solved\n",
           t.asked, t.separated, t.overlapping, t.touching, t.unsolved);
    CHECK(t.unsolved <= t.asked / 1000);
    CHECK(t.separated > t.asked / 3 && t.overlapping > t.asked / 10);
    check_worst("distance less its proof, in sizes", t.outside, 1e-9);
    check_worst("depth against the scan, in sizes", t.inside, 1e-8);
}

/** How far the witness is beyond the hull, as directions around the normal tell. */
static double beyond_hull(check_random *r, const ov_shape *s, const ov_contact *c) {
    double most = -INFINITY;
    for (int k = 0; k < 120; k++) {
        ov_vec3 m = check_unit_vector(r);
        if (k % 4 != 0) {
            m = ov_vec3_add_scaled(c->normal, m, check_log_uniform(r, 1e-4, 1.0));
            m = ov_vec3_normalize(m);
        }
        so_real over = so_dot(so_from(m), so_from(c->point_a)) - oracle_support(s, m);
        most = fmax(most, (double)over);
    }
    return most;
}

/**
 * Inside a body with a dent the nearest point of the hull may be on the bridge. It is on the
 * supporting plane, below all others, and opposite the point.
 */
static void dented_inside(void) {
    check_random r = check_random_make(405);
    int bridges = 0, asked = 0;
    double aside = 0.0, below = 0.0, beyond = 0.0;
    for (int i = 0; i < 900; i += check_every()) {
        ov_shape s = random_shape(&r, 1 + i % 2);
        ov_vec3 p = random_point(&r, &s, i % 4 == 0 ? 7 : 1);
        ov_contact c;
        if (s.dent == 0.0 || ov_point_contact(&s, ov_pose_identity(), p, NULL, &c) != OV_OK ||
            c.relation != OV_RELATION_OVERLAPPING) {
            continue;
        }
        asked++;
        double size = size_of(&s);
        ov_vec3 to_point = ov_vec3_sub(p, c.point_a);
        ov_vec3 off = ov_vec3_add_scaled(to_point, c.normal, -c.gap);
        CHECK_NEAR(ov_vec3_length(off), 0.0, 1e-6 * size);
        aside = fmax(aside, ov_vec3_length(off) / size);
        so_real plane = oracle_support(&s, c.normal);
        below = fmax(below, (double)(plane - so_dot(so_from(c.normal), so_from(c.point_a))) / size);
        beyond = fmax(beyond, beyond_hull(&r, &s, &c) / size);
        CHECK(below <= 1e-8 && beyond <= 1e-8);
        bridges += fabs(c.point_a.z) < s.a.z && so_gauge(&s, so_from(c.point_a)) > 1.0L + 1e-4L;
    }
    printf("test_point: %d inside bodies with a dent, %d below a bridge\n", asked, bridges);
    CHECK(asked > check_share(100) && bridges > check_share(10));
    check_worst("witness aside of the point, in sizes", aside, 1e-6);
    check_worst("witness below the supporting plane, in sizes", below, 1e-8);
    check_worst("witness beyond the hull, in sizes", beyond, 1e-8);
}

/** Poses, also far from the origin, change the answer by no more than rounding. */
static void moved_bodies(void) {
    check_random r = check_random_make(402);
    int unsolved = 0;
    for (int i = 0; i < 150; i += check_every()) {
        ov_shape s = random_shape(&r, i);
        ov_vec3 p = random_point(&r, &s, 1 + i % 7);
        double size = size_of(&s), away = size * (i % 2 == 0 ? 10.0 : 1e5);
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), away), check_rotation(&r)};
        ov_quat q = pose.rotation;
        pose.rotation = (ov_quat){3.0 * q.w, 3.0 * q.x, 3.0 * q.y, 3.0 * q.z};
        ov_vec3 world = ov_vec3_add(ov_quat_rotate(q, p), pose.position);
        ov_contact here, there;
        ov_status at_home = ov_point_contact(&s, ov_pose_identity(), p, NULL, &here);
        ov_status abroad = ov_point_contact(&s, pose, world, NULL, &there);
        CHECK(at_home >= 0 && abroad >= 0);
        double slack = 1e-15 * away + 1e-9 * size;
        if (at_home == OV_OK && abroad == OV_OK) {
            CHECK_NEAR(there.gap, here.gap, slack);
        } else {
            // what is proven in one place may not contradict the other
            CHECK(there.gap_lower <= here.gap_upper && here.gap_lower <= there.gap_upper);
            unsolved++;
        }
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(there.point_b, world)), 0.0, 1e-15 * away);
        double along = ov_vec3_dot(there.normal, ov_vec3_sub(there.point_b, there.point_a));
        CHECK(abroad != OV_OK || fabs(along - there.gap) <= slack + 1e-14 * away);
    }
    CHECK(unsolved <= 2);
}

/** Radial distance: on the line from the centre, on the surface, and never less than the gap. */
static void radial(void) {
    check_random r = check_random_make(403);
    double worst = 0.0;
    for (int i = 0; i < 400; i += check_every()) {
        ov_shape s = random_shape(&r, i);
        ov_vec3 p = random_point(&r, &s, i % 8), on;
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), 3.0 * size_of(&s)),
                        check_rotation(&r)};
        double distance;
        ov_vec3 world = ov_vec3_add(ov_quat_rotate(pose.rotation, p), pose.position);
        CHECK_OK(ov_point_radial(&s, pose, world, &distance, &on));
        ov_vec3 local = ov_pose_apply_inverse(pose, on);
        // close to the centre the way out turns with the rounding of the world's coordinates
        double size = (size_of(&s) + ov_vec3_length(p)) * (1.0 + size_of(&s) / ov_vec3_length(p));
        // the oracle halves the line from the centre
        so_vec way = so_from(p);
        so_real length = so_length(way), lo = 0.0L, hi = 4.0L * size_of(&s) / length;
        for (int k = 0; k < 100; k++) {
            so_real t = 0.5L * (lo + hi);
            so_vec x = {t * way.x, t * way.y, t * way.z};
            if (fabsl(x.z) <= s.a.z && so_gauge(&s, x) < 1.0L) {
                lo = t;
            } else {
                hi = t;
            }
        }
        CHECK_NEAR(distance, (double)((1.0L - lo) * length), 1e-13 * size);
        CHECK_NEAR(ov_vec3_length(ov_vec3_add_scaled(local, p, -(double)lo)), 0.0, 1e-13 * size);
        worst = fmax(worst, fabs(distance - (double)((1.0L - lo) * length)) / size);
        ov_contact c;
        CHECK(ov_point_contact(&s, pose, world, NULL, &c) >= 0);
        CHECK(fabs(distance) >= fabs(c.gap) - 2e-9 * size || s.dent > 0.0);
    }
    check_worst("radial distance, in sizes", worst, 1e-13);
    ov_shape s;
    double distance;
    ov_vec3 on;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(2.0, 1.0, 3.0), 0.7, 1.2, &s));
    const ov_vec3 centre = {0.0, 0.0, 0.0};
    CHECK_STATUS(ov_point_radial(&s, ov_pose_identity(), centre, &distance, &on), OV_NOT_SMOOTH);
    CHECK(distance == -1.0 && on.y == 1.0);
}

/** The other kinds go through the pair query: signs, sides and known values. */
static void other_kinds(void) {
    ov_shape s;
    ov_contact c;
    const ov_pose id = ov_pose_identity();
    CHECK_OK(ov_shape_make_sphere(2.0, &s));
    CHECK_OK(ov_point_contact(&s, id, ov_vec3_make(0.0, 5.0, 0.0), NULL, &c));
    CHECK_NEAR(c.gap, 3.0, 1e-11);
    CHECK_NEAR(c.normal.y, 1.0, 1e-14);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 2.0, 3.0), &s));
    CHECK_OK(ov_point_contact(&s, id, ov_vec3_make(4.0, 6.0, 0.0), NULL, &c));
    CHECK_NEAR(c.gap, 5.0, 1e-9);
    CHECK_OK(ov_point_contact(&s, id, ov_vec3_make(0.9, 0.0, 0.0), NULL, &c));
    CHECK_NEAR(c.gap, -0.1, 1e-9);
    CHECK(c.relation == OV_RELATION_OVERLAPPING);
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 1.0, &s));
    CHECK_OK(ov_point_contact(&s, id, ov_vec3_make(7.0, 8.0, -1.0), NULL, &c));
    CHECK_NEAR(c.gap, -2.0, 1e-9);
    CHECK_NEAR(c.normal.z, 1.0, 1e-15);
}

/** Least distance of a segment from a body: it is convex along it, so sections find it. */
static double segment_by_points(const ov_shape *s, ov_vec3 p, ov_vec3 q) {
    const double golden = 0.6180339887498949;
    double lo = 0.0, hi = 1.0, best = INFINITY;
    for (int k = 0; k < 60; k++) {
        double at[2] = {hi - golden * (hi - lo), lo + golden * (hi - lo)}, gap[2];
        for (int i = 0; i < 2; i++) {
            ov_contact c;
            ov_vec3 x = ov_vec3_add_scaled(p, ov_vec3_sub(q, p), at[i]);
            CHECK(ov_point_contact(s, ov_pose_identity(), x, NULL, &c) >= 0);
            gap[i] = c.gap;
            best = fmin(best, c.gap);
        }
        if (gap[0] < gap[1]) {
            hi = at[1];
        } else {
            lo = at[0];
        }
    }
    return best;
}

static void segments_and_triangles(void) {
    check_random r = check_random_make(404);
    int apart = 0;
    for (int i = 0; i < 60; i += check_every()) {
        ov_shape s = random_shape(&r, i);
        double size = size_of(&s);
        ov_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = ov_vec3_scale(check_unit_vector(&r), size * check_uniform(&r, 1.0, 3.0));
        }
        ov_contact segment, triangle, thin, dot;
        const ov_pose id = ov_pose_identity();
        CHECK(ov_segment_contact(&s, id, corner[0], corner[1], NULL, &segment) >= 0);
        CHECK(ov_triangle_contact(&s, id, corner[0], corner[1], corner[2], NULL, &triangle) >= 0);
        // a triangle without width is the segment, and one without length the point
        ov_vec3 middle = ov_vec3_scale(ov_vec3_add(corner[0], corner[1]), 0.5);
        CHECK(ov_triangle_contact(&s, id, corner[0], middle, corner[1], NULL, &thin) >= 0);
        CHECK(ov_triangle_contact(&s, id, middle, middle, middle, NULL, &dot) >= 0);
        ov_contact point, ends;
        CHECK(ov_point_contact(&s, id, middle, NULL, &point) >= 0);
        CHECK(ov_segment_contact(&s, id, middle, middle, NULL, &ends) >= 0);
        if (segment.relation == OV_RELATION_SEPARATED) {
            apart++;
            double by_points = segment_by_points(&s, corner[0], corner[1]);
            CHECK_NEAR(segment.gap, by_points, 4e-9 * size);
            CHECK(segment.gap_lower <= by_points + 1e-9 * size);
            CHECK_NEAR(thin.gap, segment.gap, 4e-9 * size);
            CHECK(triangle.gap_lower <= segment.gap_upper);
        }
        if (point.relation == OV_RELATION_SEPARATED) {
            CHECK_NEAR(dot.gap, point.gap, 4e-9 * size);
            CHECK_NEAR(ends.gap, point.gap, 4e-9 * size);
        }
        if (triangle.relation == OV_RELATION_SEPARATED) {
            // no point of it is nearer
            for (int k = 0; k < 20; k++) {
                double u = check_uniform(&r, 0.0, 1.0), v = check_uniform(&r, 0.0, 1.0 - u);
                ov_vec3 x = ov_vec3_add_scaled(corner[0], ov_vec3_sub(corner[1], corner[0]), u);
                x = ov_vec3_add_scaled(x, ov_vec3_sub(corner[2], corner[0]), v);
                CHECK(ov_point_contact(&s, id, x, NULL, &point) >= 0);
                CHECK(point.gap_upper >= triangle.gap_lower);
            }
        }
    }
    CHECK(apart > check_share(15));
}

static void bad_input(void) {
    ov_shape s, box, model, none = {.kind = OV_SHAPE_KIND_NONE};
    ov_contact c;
    double d;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 2.0, 3.0), 0.5, 0.5, &s));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 2.0, 3.0), &box));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 2.0, &model));
    const ov_pose id = ov_pose_identity();
    ov_vec3 p = {3.0, 0.0, 0.0}, bad = {0.0, NAN, 0.0}, endless = {INFINITY, 0.0, 0.0}, on;
    CHECK_STATUS(ov_point_contact(NULL, id, p, NULL, &c), OV_ERROR_NULL);
    CHECK(isnan(c.gap) && isnan(c.point_a.x));
    CHECK_STATUS(ov_point_contact(&s, id, p, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_point_contact(&none, id, p, NULL, &c), OV_ERROR_SHAPE);
    CHECK_STATUS(ov_point_contact(&model, id, p, NULL, &c), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_point_contact(&s, id, bad, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_point_contact(&s, id, endless, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK(isnan(c.gap_lower) && isnan(c.normal.x));
    ov_pose flat = {p, {0.0, 0.0, 0.0, 0.0}};
    CHECK_STATUS(ov_point_contact(&s, flat, p, NULL, &c), OV_ERROR_ZERO_DIRECTION);
    ov_pair_options options = {0.5, OV_DEPTH_GLOBAL};
    CHECK_STATUS(ov_point_contact(&s, id, p, &options, &c), OV_ERROR_OPTION);
    CHECK_STATUS(ov_point_radial(&s, id, bad, &d, &on), OV_ERROR_NOT_FINITE);
    CHECK(isnan(d) && isnan(on.x));
    CHECK_STATUS(ov_point_radial(&s, id, p, NULL, &on), OV_ERROR_NULL);
    CHECK_STATUS(ov_point_radial(NULL, id, p, &d, &on), OV_ERROR_NULL);
    CHECK_STATUS(ov_point_radial(&box, id, p, &d, &on), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_segment_contact(&s, id, p, bad, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_segment_contact(&s, id, endless, endless, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_segment_contact(NULL, id, p, p, NULL, &c), OV_ERROR_NULL);
    CHECK_STATUS(ov_segment_contact(&s, id, p, p, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_triangle_contact(&s, id, p, p, bad, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_triangle_contact(NULL, id, p, p, p, NULL, &c), OV_ERROR_NULL);
    CHECK(isnan(c.gap));
    CHECK_STATUS(ov_triangle_contact(&s, id, p, p, ov_vec3_make(1e90, 0.0, 0.0), NULL, &c),
                 OV_ERROR_SIZE_RANGE);
}

int main(void) {
    check_suite = "test_point";
    RUN(random_points);
    RUN(dented_inside);
    RUN(moved_bodies);
    RUN(radial);
    RUN(other_kinds);
    RUN(segments_and_triangles);
    RUN(bad_input);
    return check_finish();
}
