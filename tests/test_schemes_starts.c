/**
 * @file test_schemes_starts.c
 * @brief The starts of the published schemes against brute force: quadtree, octree, the last
 * answer, bisection and regula falsi.
 */
#include "scheme_pairs.h"

/* ---- quadtree */

static long double signed_power(long double u, long double e) {
    return copysignl(powl(fabsl(u), e), u);
}

/** (10) as printed, in long double. The public parametrisation knows pi/2, the first level's angle,
 *  for what it is; here, as in the papers, its cosine is 6e-17. */
static ov_vec3 surface_at(const ov_shape *s, double phi1, double phi2) {
    long double w = signed_power(cosl(phi2), s->e2), zeta = signed_power(sinl(phi2), s->e2);
    long double x = s->a.x * (1.0L + s->tx * zeta) * signed_power(cosl(phi1), s->e1) * w;
    long double y = s->a.y * (1.0L + s->ty * zeta) * signed_power(sinl(phi1), s->e1) * w;
    return ov_vec3_make((double)x, (double)y, (double)(s->a.z * zeta));
}

/** Distance of two cell centres of a level, by number. */
static double grid_distance(const pair_case *c, int level, const int at[4]) {
    double width = 2.0 * M_PI / (1 << level);
    ov_vec3 a =
        surface_at(&c->a, -M_PI + (at[0] + 0.5) * width, 0.5 * (-M_PI + (at[1] + 0.5) * width));
    ov_vec3 b =
        surface_at(&c->b, -M_PI + (at[2] + 0.5) * width, 0.5 * (-M_PI + (at[3] + 0.5) * width));
    return world_distance(c, a, b);
}

/** Number of the cell of a level whose centre this is. */
static int cell_number(double angle, double range, int level) {
    double steps = (angle / range + 0.5) * (1 << level) - 0.5;
    int number = (int)lround(steps);
    CHECK_NEAR(steps, number, 1e-9);
    CHECK(number >= 0 && number < 1 << level);
    return number;
}

static void cells_of(const ovi_scheme_guess *g, int level, int at[4]) {
    at[0] = cell_number(g->phi_a[0], 2.0 * M_PI, level);
    at[1] = cell_number(g->phi_a[1], M_PI, level);
    at[2] = cell_number(g->phi_b[0], 2.0 * M_PI, level);
    at[3] = cell_number(g->phi_b[1], M_PI, level);
}

/** Each level must take the nearest of the 16 pairs below the cells of the level before. */
static void check_quadtree_levels(const pair_case *c, double *worst) {
    int parent[4] = {0, 0, 0, 0};
    for (int level = 1; level <= 6; level++) {
        ovi_scheme_guess g;
        int at[4], child[4];
        ovi_scheme_guess_quadtree(&c->pair, level, &g);
        cells_of(&g, level, at);
        double least = INFINITY;
        for (int i = 0; i < 16; i++) {
            for (int k = 0; k < 4; k++) {
                child[k] = 2 * parent[k] + (i >> k & 1);
            }
            least = fmin(least, grid_distance(c, level, child));
        }
        for (int k = 0; k < 4; k++) {
            CHECK(at[k] / 2 == parent[k]);
            parent[k] = at[k];
        }
        double size = c->a.ball.radius + c->b.ball.radius;
        double off = fabs(world_distance(c, g.a, g.b) - least) / size;
        *worst = fmax(*worst, off);
        CHECK(off <= 1e-13);
    }
}

static void test_quadtree(void) {
    check_random r = check_random_make(401);
    double worst = 0.0;
    for (int i = 0; i < 400; i += check_every()) {
        pair_case c;
        random_case(&r, &c);
        check_quadtree_levels(&c, &worst);
    }
    check_worst("quadtree: nearest of 16 pairs, relative", worst, 1e-13);
}

/** How far a greedy search of three levels is from the nearest pair of its 64 x 64 cells. */
static void test_quadtree_is_greedy(void) {
    check_random r = check_random_make(402);
    int same = 0;
    const int cases = 60;
    for (int i = 0; i < cases; i++) {
        pair_case c;
        battery_case(&r, &c);
        ovi_scheme_guess g;
        ovi_scheme_guess_quadtree(&c.pair, 3, &g);
        double least = INFINITY, mine = world_distance(&c, g.a, g.b);
        for (int k = 0; k < 4096; k++) {
            int at[4] = {k % 8, k / 8 % 8, k / 64 % 8, k / 512};
            least = fmin(least, grid_distance(&c, 3, at));
        }
        CHECK(mine >= least - 1e-13);
        same += mine <= least + 1e-13;
    }
    CHECK(same > 0 && same < cases); // the defect that the file names is there
    printf("%s: quadtree finds the nearest pair of its grid in %d of %d\n", check_suite, same,
           cases);
}

static void test_last(void) {
    check_random r = check_random_make(403);
    double worst = 0.0;
    for (int i = 0; i < 200; i += check_every()) {
        pair_case c;
        random_case(&r, &c);
        ovi_scheme_guess g, back;
        ovi_scheme_guess_quadtree(&c.pair, 5, &g);
        ov_scheme_result last = {.point_a = ov_pose_apply(c.pair.pose_a, g.a),
                                 .point_b = ov_pose_apply(c.pair.pose_b, g.b)};
        ovi_scheme_guess_last(&c.pair, &last, &back);
        double size = c.a.ball.radius + c.b.ball.radius;
        double off = fmax(distance_of(back.a, g.a), distance_of(back.b, g.b));
        off = fmax(off, distance_of(ovi_scheme_point(&c.a, back.phi_a), g.a));
        off = fmax(off, distance_of(ovi_scheme_point(&c.b, back.phi_b), g.b));
        worst = fmax(worst, off / size);
        CHECK(off <= 1e-12 * size);
    }
    check_worst("last answer: points and angles, relative", worst, 1e-12);
}

/* ---- octree */

enum { CELLS_MAX = 8 };

/** Cells of a body made here from the gauge, their centres in the world. */
typedef struct cells {
    int count;
    ov_vec3 half, local[CELLS_MAX * CELLS_MAX * CELLS_MAX];
    ov_vec3 world[CELLS_MAX * CELLS_MAX * CELLS_MAX];
    ov_shape box;
} cells;

static void make_cells(const ov_shape *s, ov_pose pose, int levels, cells *out) {
    ov_obb box;
    CHECK_OK(ov_shape_obb(s, &box));
    int n = levels == 0 ? 5 : 1 << levels;
    out->half = ov_vec3_scale(box.half, 1.0 / n);
    CHECK_OK(ov_shape_make_box(out->half, &out->box));
    out->count = 0;
    for (int i = 0; i < n * n * n; i++) {
        ov_vec3 at = ov_vec3_make((2.0 * (i % n) + 1.0 - n) / n, (2.0 * (i / n % n) + 1.0 - n) / n,
                                  (2.0 * (i / (n * n)) + 1.0 - n) / n);
        ov_vec3 p = ov_vec3_add(box.pose.position, ov_vec3_mul(box.half, at));
        double gauge = NAN;
        CHECK(ov_shape_gauge_value(s, p, &gauge) >= 0);
        if (gauge < 1.0) {
            out->local[out->count] = p;
            out->world[out->count++] = ov_pose_apply(pose, p);
        }
    }
}

static bool is_in_cells(const cells *c, ov_vec3 p, double slack) {
    for (int i = 0; i < c->count; i++) {
        ov_vec3 d = ov_vec3_sub(p, c->local[i]);
        if (fabs(d.x) <= c->half.x + slack && fabs(d.y) <= c->half.y + slack &&
            fabs(d.z) <= c->half.z + slack) {
            return true;
        }
    }
    return false;
}

static double cell_gap(const pair_case *c, const cells *a, int i, const cells *b, int j) {
    ov_pose pose_a = {a->world[i], c->pair.pose_a.rotation};
    ov_pose pose_b = {b->world[j], c->pair.pose_b.rotation};
    ov_contact contact;
    CHECK(ov_pair_contact(&a->box, pose_a, &b->box, pose_b, NULL, NULL, &contact) >= 0);
    return contact.gap;
}

/** Least distance of all pairs of filled cells, with the certified box query; 0 where some meet. */
static double nearest_cells(const pair_case *c, const cells *a, const cells *b, double hint) {
    double reach = ov_vec3_length(a->half) + ov_vec3_length(b->half), least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            double centres = distance_of(a->world[i], b->world[j]);
            // cells whose balls are farther apart than what is known already cannot be nearest
            if (centres - reach > fmin(least, hint)) {
                continue;
            }
            least = fmin(least, fmax(0.0, cell_gap(c, a, i, b, j)));
            if (least == 0.0) {
                return 0.0;
            }
        }
    }
    return least;
}

/** Is the point midway between the centres of two filled cells that meet? */
static bool is_midway(const pair_case *c, const cells *a, const cells *b, ov_vec3 p, double slack) {
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            ov_vec3 middle = ov_vec3_scale(ov_vec3_add(a->world[i], b->world[j]), 0.5);
            if (distance_of(middle, p) <= slack && cell_gap(c, a, i, b, j) <= slack) {
                return true;
            }
        }
    }
    return false;
}

static void check_octree(const pair_case *c, int levels, double *worst, int *met, int *apart) {
    static cells a, b;
    make_cells(&c->a, c->pair.pose_a, levels, &a);
    make_cells(&c->b, c->pair.pose_b, levels, &b);
    if (a.count == 0 || b.count == 0) {
        return; // the start is from a finer grid: another test
    }
    ovi_scheme_guess g;
    ovi_scheme_guess_octree(&c->pair, levels, &g);
    double size = c->a.ball.radius + c->b.ball.radius;
    double mine = world_distance(c, g.a, g.b);
    double least = nearest_cells(c, &a, &b, mine);
    CHECK(isfinite(g.phi_a[0]) && isfinite(g.phi_a[1]) && isfinite(g.phi_b[0]) &&
          isfinite(g.phi_b[1]));
    if (least <= 1e-11 * size) {
        ++*met;
        CHECK(mine <= 1e-11 * size);
        CHECK(is_midway(c, &a, &b, ov_pose_apply(c->pair.pose_a, g.a), 1e-11 * size));
        return;
    }
    ++*apart;
    *worst = fmax(*worst, fabs(mine - least) / size);
    CHECK_NEAR(mine, least, 1e-11 * size);
    CHECK(is_in_cells(&a, g.a, 1e-12 * size));
    CHECK(is_in_cells(&b, g.b, 1e-12 * size));
}

static void test_octree(void) {
    check_random r = check_random_make(404);
    double worst = 0.0;
    int met = 0, apart = 0;
    const int counts[] = {160, 300, 160, 40}; // of the papers' grid, then of 1 to 3 levels
    for (int levels = 0; levels <= 3; levels++) {
        for (int i = 0; i < counts[levels]; i++) {
            pair_case c;
            if (i % 3 == 0) {
                battery_case(&r, &c);
            } else {
                random_case(&r, &c);
            }
            check_octree(&c, levels, &worst, &met, &apart);
        }
    }
    CHECK(met > 100 && apart > 200);
    check_worst("octree: nearest cells, relative", worst, 1e-11);
    printf("%s: octrees met in %d, were apart in %d\n", check_suite, met, apart);
}

/** An octahedron has no cell centre inside with one level; spheres that are apart are found. */
static void test_octree_coarse_and_fine(void) {
    pair_case c;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 2.0, 2.0, &c.a));
    CHECK_OK(ov_shape_make_sphere(1.0, &c.b));
    c.pair.pose_a = ov_pose_identity();
    c.pair.pose_b = (ov_pose){ov_vec3_make(4.0, 0.5, 0.25), ov_quat_identity()};
    finish_case(&c);
    ovi_scheme_guess g;
    for (int levels = 0; levels <= 6; levels++) {
        ovi_scheme_guess_octree(&c.pair, levels, &g);
        ov_contact exact;
        CHECK_OK(ov_pair_contact(&c.a, c.pair.pose_a, &c.b, c.pair.pose_b, NULL, NULL, &exact));
        // a filled cell has its centre inside and its surface within half a diagonal of it
        double cell = levels == 0 ? 0.4 : levels == 1 ? 0.5 : 2.0 / (1 << levels);
        CHECK_NEAR(world_distance(&c, g.a, g.b), exact.gap, 2.0 * sqrt(3.0) * cell);
    }
    // no levels that the options refuse hang or fail
    ovi_scheme_guess_octree(&c.pair, -3, &g);
    CHECK(ov_vec3_is_finite(g.a) && ov_vec3_is_finite(g.b));
}

static bool is_scaled(ov_vec3 a, ov_vec3 b, double scale) {
    return a.x == b.x * scale && a.y == b.y * scale && a.z == b.z * scale;
}

static void test_scale(void) {
    check_random r = check_random_make(405);
    for (int i = 0; i < 60; i += check_every()) {
        pair_case c, far;
        battery_case(&r, &c);
        double scale = i % 2 == 0 ? 0x1p190 : 0x1p-190;
        scaled_case(&c, scale, &far);
        ovi_scheme_guess g, h;
        ovi_scheme_guess_quadtree(&c.pair, 6, &g);
        ovi_scheme_guess_quadtree(&far.pair, 6, &h);
        CHECK(is_scaled(h.a, g.a, scale) && is_scaled(h.b, g.b, scale));
        ovi_scheme_guess_octree(&c.pair, 0, &g);
        ovi_scheme_guess_octree(&far.pair, 0, &h);
        CHECK(is_scaled(h.a, g.a, scale) && is_scaled(h.b, g.b, scale));
    }
}

/* ---- bisection and regula falsi */

typedef bool (*rescue_function)(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                                double *q);
static const rescue_function rescues[2] = {ovi_scheme_bisection, ovi_scheme_regula_falsi};
static const char *const rescue_names[2] = {"bisection", "regula falsi"};

/** New starts are on the surfaces; none is offered where there is nothing to begin with. */
static void test_rescue_points(void) {
    const ovi_scheme_system *system = &ovi_scheme_system_implicit;
    check_random r = check_random_make(406);
    double worst = 0.0;
    for (int i = 0; i < 200; i += check_every()) {
        pair_case c;
        random_case(&r, &c);
        for (int k = 0; k < 2; k++) {
            ovi_scheme_guess g;
            double q[6], none[6] = {NAN, 0.0, 0.0, 0.0, 0.0, INFINITY}, centre[6] = {0.0};
            ovi_scheme_guess_octree(&c.pair, 0, &g);
            system->start(&g, q);
            if (!rescues[k](system, &c.pair, q)) {
                CHECK(ov_vec3_length(g.a) == 0.0 || ov_vec3_length(g.b) == 0.0);
                continue;
            }
            ov_vec3 a = ov_vec3_make(q[0], q[1], q[2]), b = ov_vec3_make(q[3], q[4], q[5]);
            double ga = NAN, gb = NAN;
            CHECK(ov_shape_gauge_value(&c.a, a, &ga) >= 0);
            CHECK(ov_shape_gauge_value(&c.b, b, &gb) >= 0);
            worst = fmax(worst, fmax(fabs(ga - 1.0), fabs(gb - 1.0)));
            CHECK(fabs(ga - 1.0) <= 1e-12 && fabs(gb - 1.0) <= 1e-12);
            CHECK(!rescues[k](system, &c.pair, none));
            CHECK(!rescues[k](system, &c.pair, centre));
        }
    }
    check_worst("rescue: starts off the surfaces", worst, 1e-12);
}

/**
 * In themselves, on ellipsoids: mostly to the width of the last box, which is 0.5 x 0.6^11 to
 * either side for bisection; regula falsi does better, its secants being nearly exact by then.
 * Mostly, for the root may be outside the first box or, by a wrong sign, outside a later one.
 */
static void test_rescue_alone(void) {
    const ovi_scheme_system *system = &ovi_scheme_system_implicit;
    check_random r = check_random_make(407);
    const double close[2] = {0.01, 1e-6};
    int good[2] = {0, 0};
    for (int i = 0; i < 100; i += check_every()) {
        pair_case c;
        CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(1.0, 0.8, 0.7), &c.a));
        CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.6, 0.9, 1.0), &c.b));
        c.pair.pose_a = (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), check_rotation(&r)};
        c.pair.pose_b = (ov_pose){ov_vec3_scale(check_unit_vector(&r), 2.5), check_rotation(&r)};
        finish_case(&c);
        ov_contact exact;
        CHECK_OK(ov_pair_contact(&c.a, c.pair.pose_a, &c.b, c.pair.pose_b, NULL, NULL, &exact));
        for (int k = 0; k < 2; k++) {
            ovi_scheme_guess g;
            double q[6];
            ovi_scheme_guess_quadtree(&c.pair, 4, &g);
            system->start(&g, q);
            CHECK(rescues[k](system, &c.pair, q));
            ov_vec3 a = ov_pose_apply(c.pair.pose_a, ov_vec3_make(q[0], q[1], q[2]));
            ov_vec3 b = ov_pose_apply(c.pair.pose_b, ov_vec3_make(q[3], q[4], q[5]));
            double off = fmax(distance_of(a, exact.point_a), distance_of(b, exact.point_b));
            good[k] += off <= close[k];
        }
    }
    for (int k = 0; k < 2; k++) {
        printf("%s: %s alone solves %d of 100 pairs of ellipsoids to %.3g\n", check_suite,
               rescue_names[k], good[k], close[k]);
        CHECK(good[k] >= check_share(90));
    }
}

/** Of the battery's pairs on which a scheme fails, how many does a rescue bring to the contact? */
static void rescue_share(ov_scheme scheme, double least_share) {
    check_random r = check_random_make(408);
    int failed = 0, saved[2] = {0, 0};
    const unsigned kinds[2] = {OV_RESCUE_BISECTION, OV_RESCUE_REGULA_FALSI};
    for (int i = 0; i < 600; i++) {
        pair_case c;
        battery_case(&r, &c);
        ov_scheme_result result;
        c.options.jacobian = OV_JACOBIAN_ANALYTIC;
        if (ov_scheme_contact(scheme, &c.a, c.pair.pose_a, &c.b, c.pair.pose_b, &c.options,
                              &result) == OV_OK) {
            continue;
        }
        failed++;
        ov_contact exact;
        CHECK(ov_pair_contact(&c.a, c.pair.pose_a, &c.b, c.pair.pose_b, NULL, NULL, &exact) >= 0);
        for (int k = 0; k < 2; k++) {
            c.options.rescue = kinds[k];
            ov_status status = ov_scheme_contact(scheme, &c.a, c.pair.pose_a, &c.b, c.pair.pose_b,
                                                 &c.options, &result);
            CHECK(status >= 0 && result.restarts == 1);
            saved[k] += status == OV_OK && fabs(result.gap - exact.gap) <= 1e-4;
        }
    }
    for (int k = 0; k < 2; k++) {
        printf("%s: %s fails on %d of 600; right after %s: %d\n", check_suite,
               ov_scheme_name(scheme), failed, rescue_names[k], saved[k]);
        CHECK(failed > 0 && saved[k] >= least_share * failed);
    }
}

static void test_rescue_shares(void) {
    if (ov_scheme_missing(OV_SCHEME_QUAD_IMPLICIT) != NULL) {
        printf("%s: no Newton schemes here, they need %s\n", check_suite,
               ov_scheme_missing(OV_SCHEME_QUAD_IMPLICIT));
        return;
    }
    rescue_share(OV_SCHEME_QUAD_IMPLICIT, 0.7);
    rescue_share(OV_SCHEME_OCT_IMPLICIT, 0.7);
    rescue_share(OV_SCHEME_QUAD_PARAMETRIC, 0.7);
    rescue_share(OV_SCHEME_NTB_PARAMETRIC, 0.7);
}

int main(void) {
    check_suite = "schemes_starts";
    RUN(test_quadtree);
    RUN(test_quadtree_is_greedy);
    RUN(test_last);
    RUN(test_octree);
    RUN(test_octree_coarse_and_fine);
    RUN(test_scale);
    RUN(test_rescue_points);
    RUN(test_rescue_alone);
    RUN(test_rescue_shares);
    return check_finish();
}
