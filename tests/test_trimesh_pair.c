/**
 * @file test_trimesh_pair.c
 * @brief Triangle meshes against each other: the least gap, limits, all pairs, and what a large
 * mesh costs.
 *
 * Oracle: all pairs of triangles in turn, by the distances of trimesh_cases.h in long double; for
 * triangles that cross, by the overlaps across their faces and edges.
 */
#include "trimesh_cases.h"

/** Signed gap of two triangles, and whether they cross. */
static long double exact_pair(const lvec a[3], const lvec b[3]) {
    long double distance = triangle_triangle(a, b);
    return distance > 0.0L ? distance : -triangle_depth(a, b);
}

/** By balls about the first corners: what is further off than others need not be looked at. */
static long double apart_at_least(const lvec a[3], const lvec b[3]) {
    long double d = lv_length(lv_sub(a[0], b[0]));
    d -= fmaxl(lv_length(lv_sub(a[1], a[0])), lv_length(lv_sub(a[2], a[0])));
    return d - fmaxl(lv_length(lv_sub(b[1], b[0])), lv_length(lv_sub(b[2], b[0])));
}

static long double exact_least(const soup *a, ov_pose pose_a, const soup *b, ov_pose pose_b) {
    long double least = INFINITY;
    for (size_t i = 0; i < a->triangle_count; i++) {
        lvec ta[3], tb[3];
        lv_triangle(a, i, pose_a, ta);
        for (size_t k = 0; k < b->triangle_count; k++) {
            lv_triangle(b, k, pose_b, tb);
            if (apart_at_least(ta, tb) <= least) {
                least = fminl(least, exact_pair(ta, tb));
            }
        }
    }
    return least;
}

static void refuses_bad_input(void) {
    soup s = soup_terrain(2, 1.0, 0.1);
    ov_trimesh *mesh = soup_mesh(&s);
    ov_pose at = ov_pose_identity(), bad = at;
    ov_trimesh_contact c;
    bad.rotation.x = INFINITY;
    CHECK_STATUS(ov_trimesh_pair_contact(NULL, at, mesh, at, 1, NULL, &c), OV_ERROR_NULL);
    CHECK(isnan(c.contact.gap) && c.triangle_a == OV_NO_TRIANGLE && c.triangle_b == c.triangle_a);
    CHECK_STATUS(ov_trimesh_pair_contact(mesh, at, NULL, at, 1, NULL, &c), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_pair_contact(mesh, at, mesh, at, 1, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_pair_contact(mesh, at, mesh, bad, 1, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_pair_contact(mesh, at, mesh, at, NAN, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_pair_contact(mesh, at, mesh, at, -1, NULL, &c), OV_ERROR_OPTION);
    CHECK_STATUS(ov_trimesh_pair_contacts(mesh, at, mesh, at, 1, NULL, NULL, NULL), OV_ERROR_NULL);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

static soup any_soup(check_random *r, int which, double size) {
    ov_shape shape;
    if (which % 3 == 0) {
        return soup_random(r, 14, size, true);
    }
    if (which % 3 == 1) {
        soup s = soup_terrain(4, 1.0, 0.3);
        for (size_t i = 0; i < s.vertex_count; i++) {
            s.vertices[i] = ov_vec3_scale(s.vertices[i], size);
        }
        return s;
    }
    CHECK_OK(ov_shape_make_superellipsoid(
        ov_vec3_make(size * check_uniform(r, 0.3, 1.0), 0.7 * size, 0.5 * size), 0.6, 1.2, &shape));
    return soup_of_shape(&shape, 30);
}

static void finds_exact_gaps(void) {
    check_random r = check_random_make(41);
    double off = 0.0, deep_off = 0.0, outside = 0.0;
    long deep = 0, apart = 0, weak = 0;
    for (int round = 0; round < 60; round++) {
        double size = round % 10 == 8 ? 1e30 : round % 10 == 9 ? 1e-30 : 1.0;
        soup s = any_soup(&r, round, size), t = any_soup(&r, round / 3, size);
        ov_trimesh *a = soup_surface(&s), *b = soup_surface(&t);
        for (int i = 0; i < 6; i++) {
            ov_pose pa = random_pose(&r, size);
            ov_pose pb = random_pose(&r, check_uniform(&r, 0.0, 4.0 * size));
            ov_trimesh_contact c;
            weak += ov_trimesh_pair_contact(a, pa, b, pb, INFINITY, NULL, &c) != OV_OK;
            long double exact = exact_least(&s, pa, &t, pb);
            const ov_contact *k = &c.contact;
            CHECK(k->gap_lower <= k->gap && k->gap <= k->gap_upper);
            CHECK(c.triangle_a < s.triangle_count && c.triangle_b < t.triangle_count);
            // a long double has some rounding of its own, of crossing triangles above all
            double slack = exact > 0.0L ? 0.0 : 1e-15 * size;
            outside =
                fmax(outside, (double)fmaxl(k->gap_lower - exact, exact - k->gap_upper) / size);
            CHECK(k->gap_lower <= exact + slack && exact <= k->gap_upper + slack);
            double d = fabs((double)(k->gap - exact)) / size;
            off = exact > 0.0L ? fmax(off, d) : off;
            deep_off = exact > 0.0L ? deep_off : fmax(deep_off, d);
            deep += exact < 0.0L;
            apart += exact > 0.0L;
            lvec ta[3], tb[3];
            lv_triangle(&s, c.triangle_a, pa, ta);
            lv_triangle(&t, c.triangle_b, pb, tb);
            CHECK_NEAR((double)point_triangle(lv_of(k->point_a), ta), 0.0, 1e-8 * size);
            CHECK_NEAR((double)point_triangle(lv_of(k->point_b), tb), 0.0, 1e-8 * size);
        }
        ov_trimesh_destroy(a);
        ov_trimesh_destroy(b);
        soup_free(&s);
        soup_free(&t);
    }
    check_worst("gap of two meshes, in sizes", off, 3e-9);
    check_worst("... that cross", deep_off, 3e-9);
    check_worst("bounds outside of exact, in sizes", fmax(outside, 0.0), 1e-15);
    printf("%s: %ld apart, %ld cross, %ld not converged\n", check_suite, apart, deep, weak);
    CHECK(off <= 3e-9 && deep_off <= 3e-9 && deep > 50 && apart > 50 && weak == 0);
}

typedef struct table {
    uint8_t seen[64 * 64];
    ov_contact contacts[64 * 64];
    long count, most;
} table;

static bool note(void *user, const ov_trimesh_contact *c) {
    table *t = user;
    size_t at = 64 * (size_t)c->triangle_a + c->triangle_b;
    if (CHECK(c->triangle_a < 64 && c->triangle_b < 64) && CHECK(!t->seen[at])) {
        t->seen[at] = 1;
        t->contacts[at] = c->contact;
    }
    return ++t->count < t->most;
}

static void keeps_limits(void) {
    check_random r = check_random_make(42);
    static table t;
    long visited = 0, early = 0;
    for (int i = 0; i < 100; i++) {
        soup sa = any_soup(&r, i, 1.0), sb = any_soup(&r, i / 3, 1.0);
        ov_trimesh *a = soup_surface(&sa), *b = soup_surface(&sb);
        ov_pose pa = random_pose(&r, 1.0), pb = random_pose(&r, check_uniform(&r, 0.0, 4.0));
        double limit = i % 4 == 0 ? 0.0 : check_uniform(&r, 0.0, 1.0);
        t = (table){.most = 100000};
        CHECK_OK(ov_trimesh_pair_contacts(a, pa, b, pb, limit, NULL, note, &t));
        long double least = INFINITY;
        for (size_t m = 0; m < sa.triangle_count; m++) {
            lvec ta[3], tb[3];
            lv_triangle(&sa, m, pa, ta);
            for (size_t k = 0; k < sb.triangle_count; k++) {
                lv_triangle(&sb, k, pb, tb);
                long double exact = exact_pair(ta, tb);
                const ov_contact *c = &t.contacts[64 * m + k];
                bool seen = t.seen[64 * m + k] != 0;
                CHECK(seen || exact > (long double)limit);
                CHECK(!seen || (c->gap_lower <= limit && c->gap_lower <= exact + 1e-15L &&
                                exact <= c->gap_upper + 1e-15L));
                least = fminl(least, exact);
            }
        }
        visited += t.count;
        ov_trimesh_contact c;
        CHECK(ov_trimesh_pair_contact(a, pa, b, pb, limit, NULL, &c) >= 0);
        CHECK(c.contact.gap_lower <= least + 1e-15L);
        if (least > limit + 1e-6L) {
            early++;
            CHECK(c.contact.relation == OV_RELATION_SEPARATED && c.contact.gap_lower > limit);
            CHECK(c.triangle_a < sa.triangle_count && c.triangle_b < sb.triangle_count);
            CHECK(isfinite(c.contact.gap) && c.contact.gap_upper >= least);
        } else {
            CHECK_NEAR(c.contact.gap, (double)least, 3e-9);
        }
        if (t.count > 3) {
            t = (table){.most = 3};
            CHECK_OK(ov_trimesh_pair_contacts(a, pa, b, pb, limit, NULL, note, &t));
            CHECK(t.count == 3);
        }
        ov_trimesh_destroy(a);
        ov_trimesh_destroy(b);
        soup_free(&sa);
        soup_free(&sb);
    }
    printf("%s: limits: %ld beyond, %ld pairs visited\n", check_suite, early, visited);
    CHECK(early > 20 && visited > 1000);
}

/** Meshes of degenerate triangles only, of one, and of many that are equal. */
static void bears_poor_meshes(void) {
    check_random r = check_random_make(43);
    for (int round = 0; round < 4; round++) {
        soup s = soup_make(4, round == 3 ? 2000 : 1);
        for (int i = 0; i < 4; i++) {
            s.vertices[i] = check_unit_vector(&r);
        }
        for (size_t i = 0; i < s.triangle_count; i++) {
            // a point, a segment, a triangle, and many equal ones
            s.triangles[i][1] = round == 0 ? 0 : 1;
            s.triangles[i][2] = round <= 1 ? 0 : 2;
        }
        ov_trimesh *a = soup_mesh(&s);
        soup ground = soup_terrain(3, 1.0, 0.2);
        ov_trimesh *b = soup_mesh(&ground);
        for (int i = 0; i < 20; i++) {
            ov_pose pa = random_pose(&r, 2.0), pb = random_pose(&r, 1.0);
            ov_trimesh_contact c, back;
            soup first = s;
            first.triangle_count = 1;
            long double exact = exact_least(&first, pa, &ground, pb);
            CHECK_OK(ov_trimesh_pair_contact(a, pa, b, pb, INFINITY, NULL, &c));
            CHECK_OK(ov_trimesh_pair_contact(b, pb, a, pa, INFINITY, NULL, &back));
            CHECK(c.contact.gap_lower <= exact + 1e-15L && exact <= c.contact.gap_upper + 1e-15L);
            CHECK_NEAR(back.contact.gap, c.contact.gap, 1e-9);
        }
        ov_trimesh_destroy(a);
        ov_trimesh_destroy(b);
        soup_free(&s);
        soup_free(&ground);
    }
}

/** Corners on a coarse grid: coplanar, parallel, touching, equal, flat, all at once. */
static void bears_ties(void) {
    check_random r = check_random_make(45);
    double off = 0.0;
    long touching = 0, weak = 0;
    for (int round = 0; round < 300; round++) {
        soup s = soup_make(24, 8), t = soup_make(24, 8);
        for (uint32_t i = 0; i < 24; i++) {
            uint64_t bits = check_random_bits(&r);
            s.vertices[i] =
                ov_vec3_make((double)(bits & 3), (double)(bits >> 2 & 3), (double)(bits >> 4 & 3));
            t.vertices[i] = ov_vec3_make((double)(bits >> 6 & 3), (double)(bits >> 8 & 3),
                                         (double)(bits >> 10 & 3));
            s.triangles[i / 3][i % 3] = t.triangles[i / 3][i % 3] = i;
        }
        ov_trimesh *a = soup_mesh(&s), *b = soup_mesh(&t);
        ov_pose pa = ov_pose_identity(), pb = pa;
        pb.position.x = (double)(round % 6);
        pb.rotation.z = round % 3 == 1 ? 1.0 : 0.0; // a quarter turn, not normalised
        long double exact = exact_least(&s, pa, &t, pb);
        ov_trimesh_contact c;
        weak += ov_trimesh_pair_contact(a, pa, b, pb, INFINITY, NULL, &c) != OV_OK;
        CHECK(c.contact.gap_lower <= exact + 1e-15L && exact <= c.contact.gap_upper + 1e-15L);
        off = fmax(off, fabs((double)(c.contact.gap - exact)));
        touching += exact == 0.0L;
        ov_trimesh_destroy(a);
        ov_trimesh_destroy(b);
        soup_free(&s);
        soup_free(&t);
    }
    check_worst("gap of meshes on a grid", off, 1e-8);
    printf("%s: on a grid: %ld touch, %ld not converged\n", check_suite, touching, weak);
    CHECK(off <= 1e-8 && weak == 0);
}

/** Large meshes: against the gap of the bodies that they are of, and against themselves. */
static void bears_large_meshes(void) {
    check_random r = check_random_make(44);
    ov_shape body, other;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 0.7, 1.2), 0.7, 0.9, &body));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.6, 0.8, 1.0), 0.8, 1.1, &other));
    soup s = soup_of_shape(&body, 10000), t = soup_of_shape(&other, 10000);
    ov_trimesh *a = soup_mesh(&s), *b = soup_mesh(&t);
    double off = 0.0;
    for (int i = 0; i < 40; i++) {
        ov_pose pa = random_pose(&r, 1.0);
        ov_pose pb = random_pose(&r, check_uniform(&r, 3.5, 5.0));
        ov_trimesh_contact c;
        ov_contact smooth;
        CHECK_OK(ov_trimesh_pair_contact(a, pa, b, pb, INFINITY, NULL, &c));
        CHECK_OK(ov_pair_contact(&body, pa, &other, pb, NULL, NULL, &smooth));
        // corners are on the surfaces, so the meshes are inside of the bodies
        CHECK(c.contact.gap_upper >= smooth.gap_lower - 1e-12);
        off = fmax(off, c.contact.gap - smooth.gap);
        CHECK_OK(ov_trimesh_shape_contact(a, pa, &other, pb, INFINITY, NULL, &c));
        off = fmax(off, c.contact.gap - smooth.gap);
    }
    check_worst("gap of meshes of 20,000 triangles above that of the bodies", off, 3e-3);
    CHECK(off <= 3e-3);
    // a mesh upon itself crosses or touches itself everywhere
    ov_trimesh_contact c;
    CHECK(ov_trimesh_pair_contact(a, ov_pose_identity(), a, ov_pose_identity(), 0.0, NULL, &c) >=
          0);
    CHECK(c.contact.gap_lower <= 0.0);
    ov_trimesh_destroy(a);
    ov_trimesh_destroy(b);
    soup_free(&s);
    soup_free(&t);
}

int main(void) {
    check_suite = "test_trimesh_pair";
    RUN(refuses_bad_input);
    RUN(finds_exact_gaps);
    RUN(keeps_limits);
    RUN(bears_poor_meshes);
    RUN(bears_ties);
    RUN(bears_large_meshes);
    return check_finish();
}
