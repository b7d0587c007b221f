/**
 * @file test_geometry.c
 * @brief The contact of two bodies of many parts against brute force: all pairs of parts, each by
 * the query of its kinds. Limits, ties, half-spaces, single shapes to the bit, bad input, memory.
 */
#include "ledger.h"
#include "world_cases.h"

enum { PARTS_MAX = 400 };

/* ---- bodies */

static wc_zoo zoo;

/** Some parts of all kinds, within `spread` of the origin; a mesh and a half-space where asked. */
static ov_geometry *body_of(check_random *r, size_t count, double spread, bool mesh, bool plane) {
    static ov_part parts[PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        wc_kind kind = (wc_kind)((check_random_bits(r) >> 8) % WC_CONVEX);
        parts[i] =
            wc_part_of(wc_shape(&zoo, r, kind), (ov_pose){wc_point(r, spread), check_rotation(r)});
    }
    if (mesh) {
        parts[count / 2] = (ov_part){.mesh = zoo.mesh, .pose = parts[count / 2].pose};
    }
    if (plane) {
        parts[count / 3] = wc_part_of(wc_shape(&zoo, r, WC_HALFSPACE), parts[count / 3].pose);
    }
    ov_geometry *g = NULL;
    CHECK_OK(ov_geometry_create(parts, count, NULL, &g));
    return g;
}

/* ---- the oracle */

static ov_part_contact parts_contact(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b,
                                     ov_pose pose_b, size_t i, size_t k,
                                     const ov_pair_options *options) {
    const ov_part *p = ov_geometry_part(a, i), *q = ov_geometry_part(b, k);
    ov_pose pp = wc_part_pose(p, pose_a), pq = wc_part_pose(q, pose_b);
    ov_trimesh_contact c = {OV_NO_TRIANGLE, OV_NO_TRIANGLE, {.status = OV_OK}};
    if (p->mesh != NULL && q->mesh != NULL) {
        (void)ov_trimesh_pair_contact(p->mesh, pp, q->mesh, pq, INFINITY, options, &c);
    } else if (p->mesh != NULL) {
        (void)ov_trimesh_shape_contact(p->mesh, pp, &q->shape, pq, INFINITY, options, &c);
    } else if (q->mesh != NULL) {
        (void)ov_trimesh_shape_contact(q->mesh, pq, &p->shape, pp, INFINITY, options, &c);
    } else {
        (void)ov_pair_contact(&p->shape, pp, &q->shape, pq, options, NULL, &c.contact);
    }
    return (ov_part_contact){(uint32_t)i, (uint32_t)k, c.triangle_a, c.triangle_b, c.contact};
}

typedef struct whole {
    ov_part_contact best;
    double lower, upper;
    bool overlap;
    double size; /**< of the largest pair of parts */
} whole;

static whole brute(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b, ov_pose pose_b,
                   const ov_pair_options *options) {
    whole w = {.best = {.contact = {.gap = INFINITY}}, .lower = INFINITY, .upper = INFINITY};
    for (size_t i = 0; i < ov_geometry_count(a); i++) {
        for (size_t k = 0; k < ov_geometry_count(b); k++) {
            ov_part_contact c = parts_contact(a, pose_a, b, pose_b, i, k, options);
            CHECK(c.contact.status >= 0);
            w.lower = fmin(w.lower, c.contact.gap_lower);
            w.upper = fmin(w.upper, c.contact.gap_upper);
            w.overlap = w.overlap || c.contact.relation == OV_RELATION_OVERLAPPING;
            w.best = c.contact.gap < w.best.contact.gap ? c : w.best;
            w.size = fmax(
                w.size, fmax(wc_radius(ov_geometry_part(a, i)), wc_radius(ov_geometry_part(b, k))));
        }
    }
    return w;
}

static bool is_same_contact(const ov_contact *a, const ov_contact *b) {
    return a->gap == b->gap && a->gap_lower == b->gap_lower && a->gap_upper == b->gap_upper &&
           memcmp(&a->point_a, &b->point_a, sizeof a->point_a) == 0 &&
           memcmp(&a->point_b, &b->point_b, sizeof a->point_b) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->relation == b->relation &&
           a->status == b->status && a->iterations == b->iterations;
}

static long seen[4], not_converged;

/** One answer, without a limit, against all pairs of parts. */
static bool check_whole(const ov_part_contact *c, const whole *w, double slack) {
    const ov_contact *k = &c->contact;
    bool good = CHECK(k->status >= 0) && CHECK(k->gap_lower <= k->gap && k->gap <= k->gap_upper);
    good = CHECK(k->gap_lower <= w->upper + slack && k->gap_upper >= w->lower - slack) && good;
    good = CHECK_NEAR(k->gap, w->best.contact.gap, slack) && good;
    good = CHECK(k->gap_lower <= w->lower + slack) && good;
    good = CHECK(!w->overlap || k->relation == OV_RELATION_OVERLAPPING || k->gap > -slack) && good;
    good = CHECK(k->relation != OV_RELATION_OVERLAPPING || w->overlap) && good;
    good = CHECK(k->relation != OV_RELATION_SEPARATED || k->gap_lower > 0.0) && good;
    good = CHECK(k->relation != OV_RELATION_SEPARATED || !w->overlap) && good;
    good = CHECK(k->relation == OV_RELATION_SEPARATED || k->gap_lower <= 0.0) && good;
    seen[k->relation]++;
    not_converged += k->status == OV_NOT_CONVERGED;
    return good;
}

/** The part that was named has that gap. */
static void check_named(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b, ov_pose pose_b,
                        const ov_part_contact *c, double slack) {
    ov_part_contact again = parts_contact(a, pose_a, b, pose_b, c->part_a, c->part_b, NULL);
    CHECK_NEAR(again.contact.gap, c->contact.gap, slack);
    CHECK((ov_geometry_part(a, c->part_a)->mesh != NULL) == (c->triangle_a != OV_NO_TRIANGLE));
    CHECK((ov_geometry_part(b, c->part_b)->mesh != NULL) == (c->triangle_b != OV_NO_TRIANGLE));
}

static void check_limits(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b, ov_pose pose_b,
                         const ov_part_contact *all, check_random *r) {
    double gap = all->contact.gap;
    for (int i = 0; i < 3; i++) {
        double limit = i == 0   ? 0.0
                       : i == 1 ? fmax(gap, 0.0) * check_uniform(r, 0.0, 1.0)
                                : fmax(gap, 0.0) * check_uniform(r, 1.0, 2.0) + 0.1;
        ov_part_contact c;
        ov_status status = ov_geometry_contact(a, pose_a, b, pose_b, limit, NULL, &c);
        const ov_contact *k = &c.contact;
        CHECK(status == k->status && status >= 0);
        CHECK(k->gap_lower <= all->contact.gap_upper && k->gap_upper >= all->contact.gap_lower);
        CHECK(k->gap_lower <= k->gap && k->gap <= k->gap_upper);
        if (all->contact.gap_upper <= limit) { // nothing was left out
            CHECK(c.part_a == all->part_a && c.part_b == all->part_b);
            CHECK_NEAR(k->gap, gap, 1e-8); // a mesh may end with another start
            CHECK(k->relation == all->contact.relation);
        } else if (all->contact.gap_lower > limit) {
            CHECK(k->gap_lower > limit && k->relation == OV_RELATION_SEPARATED);
        }
    }
}

static void test_against_all_pairs(void) {
    check_random r = check_random_make(701);
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + (check_random_bits(&r) >> 8) % 12, m = 1 + (check_random_bits(&r) >> 8) % 12;
        bool far = round % 10 == 9;
        double spread = round % 3 == 0 ? 2.0 : 6.0, away = far ? 1e6 : 1.0;
        ov_geometry *a = body_of(&r, n, spread, round % 4 == 0, round % 7 == 1);
        ov_geometry *b = body_of(&r, m, spread, round % 5 == 0, round % 7 == 2);
        ov_pose pose_a = {wc_point(&r, away), check_rotation(&r)}, pose_b = pose_a;
        pose_b.position = ov_vec3_add_scaled(pose_a.position, check_unit_vector(&r),
                                             check_uniform(&r, 0.0, 3.0 * spread));
        pose_b.rotation = check_rotation(&r);
        ov_pair_options options = {.depth = OV_DEPTH_GLOBAL};
        whole w = brute(a, pose_a, b, pose_b, &options);
        double slack = 1e-8 * w.size + 1e-13 * away;
        ov_part_contact c, swapped;
        ov_status status = ov_geometry_contact(a, pose_a, b, pose_b, INFINITY, NULL, &c);
        CHECK(status == c.contact.status);
        if (!check_whole(&c, &w, slack)) {
            fprintf(stderr, "round %d: %zu and %zu parts\n", round, n, m);
        }
        check_named(a, pose_a, b, pose_b, &c, slack);
        check_limits(a, pose_a, b, pose_b, &c, &r);
        CHECK(ov_geometry_contact(b, pose_b, a, pose_a, INFINITY, NULL, &swapped) >= 0);
        CHECK_NEAR(swapped.contact.gap, c.contact.gap, slack);
        CHECK(swapped.contact.gap_lower <= c.contact.gap_upper &&
              c.contact.gap_lower <= swapped.contact.gap_upper);
        ov_geometry_destroy(a);
        ov_geometry_destroy(b);
    }
    printf("%s: %ld undecided, %ld separated, %ld touching, %ld overlapping; %ld not converged\n",
           check_suite, seen[0], seen[1], seen[2], seen[3], not_converged);
    CHECK(seen[OV_RELATION_SEPARATED] > 60 && seen[OV_RELATION_OVERLAPPING] > 60);
    CHECK(seen[OV_RELATION_UNDECIDED] == 0 && not_converged <= 3);
}

/* ---- many parts */

static void test_many_parts(void) {
    check_random r = check_random_make(702);
    long iterations = 0;
    for (int round = 0; round < 6; round++) {
        ov_geometry *a = body_of(&r, PARTS_MAX, 20.0, round % 2 == 0, false);
        ov_geometry *b = body_of(&r, PARTS_MAX, 20.0, false, round == 3);
        ov_pose pose_a = {wc_point(&r, 1.0), check_rotation(&r)};
        ov_pose pose_b = {{round < 4 ? 42.0 + round : 30.0, 1.0, 2.0}, check_rotation(&r)};
        ov_pair_options options = {.depth = OV_DEPTH_LOCAL};
        whole w = brute(a, pose_a, b, pose_b, &options);
        ov_part_contact c;
        CHECK(ov_geometry_contact(a, pose_a, b, pose_b, INFINITY, &options, &c) >= 0);
        check_whole(&c, &w, 1e-8 * w.size);
        iterations += round < 3 ? c.contact.iterations : 0;
        ov_geometry_destroy(a);
        ov_geometry_destroy(b);
    }
    printf("%s: %ld iterations for bodies of %d parts that are apart\n", check_suite, iterations,
           PARTS_MAX);
    CHECK(iterations < 3 * 400); // of 160,000 pairs some tens were solved
}

/** Of equal gaps the first pair is told, whatever the trees look like. */
static void test_ties(void) {
    ov_part row[9];
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(0.25, &ball));
    for (int i = 0; i < 9; i++) {
        row[(i * 4) % 9] = wc_part_of(ball, wc_pose_at(i, 0.0, 0.0));
    }
    ov_geometry *a = NULL, *b = NULL;
    CHECK_OK(ov_geometry_create(row, 9, NULL, &a));
    CHECK_OK(ov_geometry_create(row, 5, NULL, &b));
    ov_part_contact c;
    for (int depth = 0; depth < 2; depth++) {
        double height = depth == 0 ? 2.0 : 0.25;
        CHECK_OK(ov_geometry_contact(a, wc_pose_at(0, 0, 0), b, wc_pose_at(0, 0, height), INFINITY,
                                     NULL, &c));
        CHECK(c.part_a == 0 && c.part_b == 0 && c.contact.gap == height - 0.5);
    }
    ov_geometry_destroy(a);
    ov_geometry_destroy(b);
}

/* ---- single shapes */

static void test_single_shapes(void) {
    check_random r = check_random_make(703);
    for (int round = 0; round < 200; round++) {
        ov_shape p = wc_shape(&zoo, &r, (wc_kind)(round % WC_CONVEX));
        ov_shape q = wc_shape(&zoo, &r, (wc_kind)((check_random_bits(&r) >> 8) % WC_CONVEX));
        ov_geometry *a = wc_geometry_of(&p), *b = wc_geometry_of(&q);
        ov_pose pose_a = {wc_point(&r, 1.0), check_rotation(&r)};
        ov_pose pose_b = {wc_point(&r, 3.0), check_rotation(&r)};
        pose_b.rotation.w *= 1.5; // not a unit, as callers have them
        ov_contact pair;
        ov_part_contact c;
        (void)ov_pair_contact(&p, pose_a, &q, pose_b, NULL, NULL, &pair);
        CHECK(ov_geometry_contact(a, pose_a, b, pose_b, INFINITY, NULL, &c) == pair.status);
        CHECK(c.part_a == 0 && c.part_b == 0 && c.triangle_a == OV_NO_TRIANGLE);
        CHECK(is_same_contact(&c.contact, &pair));
        ov_geometry_destroy(a);
        ov_geometry_destroy(b);
    }
}

/* ---- bad input */

/** A ball, until it answers rubbish. */
static ov_vec3 bad_support(const void *user, ov_vec3 n) {
    const bool *is_bad = user;
    return *is_bad ? ov_vec3_make(NAN, NAN, NAN) : n;
}

static void refuse(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b, ov_pose pose_b,
                   double limit, const ov_pair_options *options, ov_status expected) {
    ov_part_contact c = {.contact = {.gap = 1.0}};
    CHECK_STATUS(ov_geometry_contact(a, pose_a, b, pose_b, limit, options, &c), expected);
    CHECK(c.contact.status == expected && isnan(c.contact.gap) && isnan(c.contact.gap_lower) &&
          isnan(c.contact.normal.x) && c.contact.relation == OV_RELATION_UNDECIDED);
}

static void test_bad_input(void) {
    check_random r = check_random_make(704);
    ov_geometry *a = body_of(&r, 5, 2.0, false, true), *b = body_of(&r, 4, 2.0, false, false);
    ov_pose at = ov_pose_identity(), bad = at, far = at;
    bad.rotation.w = 0.0;
    far.position.y = 1e101;
    refuse(NULL, at, b, at, 1.0, NULL, OV_ERROR_NULL);
    refuse(a, at, NULL, at, 1.0, NULL, OV_ERROR_NULL);
    CHECK_STATUS(ov_geometry_contact(a, at, b, at, 1.0, NULL, NULL), OV_ERROR_NULL);
    refuse(a, bad, b, at, 1.0, NULL, OV_ERROR_ZERO_DIRECTION);
    refuse(a, at, b, far, 1.0, NULL, OV_ERROR_SIZE_RANGE);
    refuse(a, at, b, at, NAN, NULL, OV_ERROR_NOT_FINITE);
    refuse(a, at, b, at, -1e-300, NULL, OV_ERROR_OPTION);
    refuse(a, at, b, at, 1.0, &(ov_pair_options){.tolerance = 1.0}, OV_ERROR_OPTION);
    refuse(a, at, a, at, 1.0, NULL, OV_ERROR_UNBOUNDED);
    ov_shape rubbish;
    bool is_bad = false;
    CHECK_OK(ov_shape_make_custom(bad_support, &is_bad, (ov_ball){{0, 0, 0}, 1.0}, &rubbish));
    ov_geometry *c = wc_geometry_of(&rubbish);
    is_bad = true;
    refuse(b, at, c, at, INFINITY, NULL, OV_ERROR_NOT_FINITE);
    ov_geometry_destroy(a);
    ov_geometry_destroy(b);
    ov_geometry_destroy(c);
}

/** Every allocation of the making fails in turn; the query takes none. */
static void test_memory(void) {
    check_random r = check_random_make(705);
    ov_part parts[7];
    for (int i = 0; i < 7; i++) {
        parts[i] = wc_part_of(wc_shape(&zoo, &r, WC_BOX), wc_pose_at(3.0 * i, 0.0, 0.0));
    }
    bool made = false;
    for (long n = 1; !made && n < 10; n++) {
        static ledger count;
        ledger_start(&count, n);
        ov_allocator allocator = ledger_allocator(&count);
        ov_geometry *g = NULL;
        ov_status status = ov_geometry_create(parts, 7, &allocator, &g);
        made = status == OV_OK;
        CHECK(made ? g != NULL : status == OV_ERROR_MEMORY && g == NULL);
        if (made) {
            long calls = count.calls;
            ov_part_contact c;
            CHECK(ov_geometry_contact(g, wc_pose_at(0, 0, 0), g, wc_pose_at(0, 9, 0), INFINITY,
                                      NULL, &c) >= 0);
            CHECK(count.calls == calls && n > 2);
            ov_geometry_destroy(g);
        }
        CHECK(count.count == 0);
    }
    CHECK(made);
}

int main(void) {
    check_suite = "geometry";
    check_random r = check_random_make(700);
    wc_zoo_make(&zoo, &r, 1.0, 1);
    RUN(test_against_all_pairs);
    RUN(test_many_parts);
    RUN(test_ties);
    RUN(test_single_shapes);
    RUN(test_bad_input);
    RUN(test_memory);
    wc_zoo_free(&zoo);
    return check_finish();
}
