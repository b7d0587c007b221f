/**
 * @file test_motion_polygons.c
 * @brief Surfaces of polygons: what is refused and why, what is copied, the plane of each polygon
 * and its deviation, the tree, the geometry, and memory that runs out.
 */
#include <string.h>

#include "ledger.h"
#include "polygon_cases.h"

/** No polygon in particular is to blame. */
#define NONE SIZE_MAX

static ov_status create(const ov_vec3 *v, size_t vertices, const uint32_t *c, const uint32_t *sizes,
                        size_t count, size_t polygon) {
    ov_polygons *made = (ov_polygons *)&check_passed;
    ov_fault fault = {OV_FAULT_PLACE_BODY, 77, ""};
    ov_status status = ov_polygons_create(v, vertices, c, sizes, count, NULL, &made, &fault);
    CHECK((made != NULL) == (status == OV_OK));
    CHECK((status == OV_OK) == (fault.text[0] == '\0'));
    CHECK(polygon == NONE ? fault.place == OV_FAULT_PLACE_NONE && fault.index == 0
                          : fault.place == OV_FAULT_PLACE_POLYGON && fault.index == polygon);
    ov_polygons_destroy(made);
    return status;
}

static void refuses_bad_input(void) {
    const ov_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.2, 0.2, 0}, {1, 1, 1e-3}};
    const uint32_t c[] = {0, 1, 2, 3, 0, 1, 2, 0}, sizes[] = {4, 3};
    const size_t none = NONE;
    CHECK_OK(create(v, 6, c, sizes, 2, none));
    CHECK_STATUS(create(NULL, 6, c, sizes, 2, none), OV_ERROR_NULL);
    CHECK_STATUS(create(v, 6, NULL, sizes, 2, none), OV_ERROR_NULL);
    CHECK_STATUS(create(v, 6, c, NULL, 2, none), OV_ERROR_NULL);
    CHECK_STATUS(ov_polygons_create(v, 6, c, sizes, 2, NULL, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(create(v, 6, c, sizes, 0, none), OV_ERROR_COUNT);
    CHECK_STATUS(create(v, 0, c, sizes, 2, none), OV_ERROR_COUNT);
    CHECK_STATUS(create(v, 6, c, sizes, OV_POLYGONS_MAX + 1, none), OV_ERROR_COUNT);
    CHECK_STATUS(create(v, 6, c, (const uint32_t[]){4, 2}, 2, 1), OV_ERROR_COUNT);
    CHECK_STATUS(create(v, 6, c, (const uint32_t[]){OV_POLYGON_CORNERS_MAX + 1}, 1, 0),
                 OV_ERROR_COUNT);
    CHECK_STATUS(create(v, 2, c, sizes, 2, 0), OV_ERROR_INDEX);
    CHECK_STATUS(create(v, 3, c + 4, sizes + 1, 1, none), OV_OK);
    const uint32_t same[] = {0, 1, 1, 2}, line[] = {0, 2, 0, 2}, dent[] = {0, 1, 4, 3};
    const uint32_t bow[] = {0, 1, 3, 2}, bent[] = {0, 1, 5, 3}, twice[] = {0, 1, 2, 0, 1, 2};
    CHECK_STATUS(create(v, 6, same, sizes, 1, 0), OV_ERROR_DEGENERATE);
    CHECK_STATUS(create(v, 6, line, sizes, 1, 0), OV_ERROR_DEGENERATE);
    CHECK_STATUS(create(v, 6, bow, sizes, 1, 0), OV_ERROR_DEGENERATE);
    CHECK_STATUS(create(v, 6, dent, sizes, 1, 0), OV_ERROR_NOT_CONVEX);
    CHECK_STATUS(create(v, 6, bent, sizes, 1, 0), OV_ERROR_NOT_FLAT);
    CHECK_STATUS(create(v, 6, twice, (const uint32_t[]){6}, 1, 0), OV_ERROR_NOT_CONVEX);
    ov_vec3 bad[6];
    const double wrong[] = {NAN, INFINITY, 1e61};
    for (int i = 0; i < 3; i++) {
        memcpy(bad, v, sizeof bad);
        bad[5].y = wrong[i]; // no corner, but a vertex
        CHECK_STATUS(create(bad, 6, c, sizes, 2, none),
                     i < 2 ? OV_ERROR_NOT_FINITE : OV_ERROR_SIZE_RANGE);
    }
    ov_vec3 small[3] = {{0, 0, 0}, {1e-61, 0, 0}, {0, 1e-61, 0}};
    CHECK_STATUS(create(small, 3, c, sizes + 1, 1, 0), OV_ERROR_SIZE_RANGE);
}

/** A star of five: all turns to the left, but twice around. */
static void refuses_stars(void) {
    ov_vec3 v[5];
    const uint32_t c[] = {0, 1, 2, 3, 4}, size = 5;
    for (int i = 0; i < 5; i++) {
        v[i] = ov_vec3_make(cos(0.8 * M_PI * i), sin(0.8 * M_PI * i), 3.0);
    }
    CHECK_STATUS(create(v, 5, c, &size, 1, 0), OV_ERROR_NOT_CONVEX);
}

/** What is given comes back; sizes and places of all magnitudes. */
static void keeps_what_is_given(void) {
    check_random r = check_random_make(1);
    for (int round = 0; round < 40; round++) {
        double size = round < 20 ? 1.0 : check_log_uniform(&r, 1e-30, 1e30);
        ov_polygons *s = polygons_random(&r, 9, size);
        size_t total = 0, n;
        CHECK(ov_polygons_count(s) == 9);
        for (size_t i = 0; i < 9; i++) {
            const uint32_t *c = ov_polygons_corners(s, i, &n);
            for (size_t k = 0; k < n; k++) {
                CHECK(c[k] == total++);
            }
        }
        CHECK(ov_polygons_vertex_count(s) == total && ov_polygons_vertices(s) != NULL);
        CHECK(ov_polygons_corners(s, 9, &n) == NULL && n == 0);
        ov_polygons_destroy(s);
    }
    CHECK(ov_polygons_count(NULL) == 0 && ov_polygons_vertex_count(NULL) == 0);
    CHECK(ov_polygons_vertices(NULL) == NULL && ov_polygons_corners(NULL, 0, NULL) == NULL);
    ov_polygons_destroy(NULL);
}

/** Planes hold their corners to the deviation, which is no more than what the corners were moved
 * by. */
static void planes_and_deviations(void) {
    check_random r = check_random_make(2);
    double worst = 0.0;
    for (int round = 0; round < 2000; round++) {
        uint32_t n = 3 + (uint32_t)(check_random_bits(&r) % 6), c[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        double off = round % 2 ? check_log_uniform(&r, 1e-14, 1e-8) : 0.0;
        ov_vec3 v[8], at = ov_vec3_scale(check_unit_vector(&r), round % 3 ? 0.0 : 100.0);
        random_corners(&r, n, at, 1.0, v);
        for (uint32_t i = 0; i < n; i++) {
            v[i] = ov_vec3_add_scaled(v[i], check_unit_vector(&r), off);
        }
        ov_polygons *s = polygons_of(v, n, c, &n, 1);
        const ovi_polygon *p = &s->polygons[0];
        CHECK_NEAR(ov_vec3_length(p->normal), 1.0, 1e-15);
        CHECK_NEAR(ov_vec3_dot(p->normal, p->p), 0.0, 1e-15);
        ov_vec3 q = ov_vec3_sub(ov_vec3_cross(p->normal, p->p), p->q);
        CHECK_NEAR(ov_vec3_length(q), 0.0, 1e-15);
        // near the origin nothing else makes corners uneven; slim ones show it more
        double allowed = 100.0 * off + (round % 3 ? 1e-13 : 1e-11);
        CHECK(p->deviation <= allowed);
        worst = fmax(worst, p->deviation / allowed);
        for (uint32_t i = 0; i < n; i++) {
            ov_vec3 d = ov_vec3_sub(v[i], p->centre);
            CHECK(ov_vec3_length(d) <= p->radius);
            CHECK(fabs(ov_vec3_dot(d, p->normal)) <= p->deviation);
            CHECK(ov_vec3_length(v[i]) <= s->reach);
        }
        CHECK(s->deviation == p->deviation);
        ov_polygons_destroy(s);
    }
    check_worst("deviation, of what corners were moved by", worst, 1.0);
}

/** The limit of a millionth, from both sides. */
static void tolerances(void) {
    const uint32_t c[] = {0, 1, 2, 3, 4}, size = 4, sizes = 5;
    for (int i = 0; i < 2; i++) {
        // a square of radius 1, one corner lifted: all are then out of the mean plane by a quarter
        double lift = i ? 4.4e-6 : 3.6e-6;
        ov_vec3 v[4] = {{1, 0, lift}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
        CHECK_STATUS(create(v, 4, c, &size, 1, i ? 0 : NONE), i ? OV_ERROR_NOT_FLAT : OV_OK);
        // a corner in the middle of a side, pushed in: others are beyond the lines of both halves
        double push = i ? 2e-6 : 4e-7;
        ov_vec3 h[5] = {{1, 1, 0}, {-1, 1, 0}, {-1 + push, 0, 0}, {-1, -1, 0}, {1, -1, 0}};
        CHECK_STATUS(create(h, 5, c, &sizes, 1, i ? 0 : NONE), i ? OV_ERROR_NOT_CONVEX : OV_OK);
    }
    // corners on a straight side are no fault
    ov_vec3 straight[5] = {{1, 1, 0}, {-1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}, {1, -1, 0}};
    CHECK_OK(create(straight, 5, c, &sizes, 1, NONE));
}

/** Every polygon in one leaf, every box holds what is below it. */
static void tree_holds_all(void) {
    check_random r = check_random_make(3);
    for (int round = 0; round < 6; round++) {
        size_t count = round < 3 ? (size_t)round + 1 : 150;
        ov_polygons *s = round == 5 ? polygons_square(9) : polygons_random(&r, count, 1.0);
        size_t leaves = 0;
        for (uint32_t i = 0; i < s->tree.used; i++) {
            const ovi_bvh_node *n = &s->tree.nodes[i];
            ov_aabb sum = n->box;
            if (ovi_bvh_is_leaf(n)) {
                leaves++;
                const ovi_polygon *p = &s->polygons[ovi_bvh_item(n)];
                for (size_t k = 0; k < p->count; k++) {
                    ov_vec3 v = ovi_polygon_corner(s, p, k);
                    sum = ovi_box_union(&sum, &(ov_aabb){v, v});
                }
            } else {
                for (int k = 0; k < 2; k++) {
                    sum = ovi_box_union(&sum, &s->tree.nodes[n->child[k]].box);
                }
            }
            CHECK(memcmp(&sum, &n->box, sizeof sum) == 0);
        }
        CHECK(leaves == s->count && s->tree.used == 2 * s->count - 1);
        ov_polygons_destroy(s);
    }
}

/** Its area and its distance from a point, against the polygons. */
static void geometry_is_the_surface(void) {
    check_random r = check_random_make(4);
    double worst = 0.0;
    ov_shape dot;
    CHECK_OK(ov_shape_make_sphere(0.01, &dot));
    for (int round = 0; round < 20; round++) {
        ov_polygons *s = polygons_random(&r, 5, 1.0);
        const ov_geometry *g = s->geometry;
        const ov_part *part = ov_geometry_part(g, 0);
        CHECK(ov_geometry_count(g) == 1 && part->mesh != NULL);
        CHECK(ov_trimesh_triangle_count(part->mesh) == s->corner_count - 2 * s->count);
        for (int k = 0; k < 20; k++) {
            ov_pose at = random_pose(&r, check_uniform(&r, 0.0, 3.0)), here = ov_pose_identity();
            long double expected = INFINITY;
            for (size_t i = 0; i < s->count; i++) {
                lvec c[CASE_CORNERS];
                ov_affine still = ov_affine_from_pose(here);
                size_t n = lv_polygon(s, i, here, &still, c);
                expected = fminl(expected, point_polygon(lv_of(at.position), c, n));
            }
            if (expected < 0.02L) {
                continue;
            }
            ov_trimesh_contact contact;
            CHECK(ov_trimesh_shape_contact(part->mesh, here, &dot, at, INFINITY, NULL, &contact) >=
                  0);
            double error = fabs(contact.contact.gap + 0.01 - (double)expected);
            CHECK_NEAR(error, 0.0, 1e-9);
            worst = fmax(worst, error);
        }
        ov_polygons_destroy(s);
    }
    check_worst("distance of the geometry", worst, 1e-9);
}

static void memory_runs_out(void) {
    const ov_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const uint32_t c[] = {0, 1, 2, 3, 0, 1, 2}, sizes[] = {4, 3};
    static ledger t;
    ov_allocator allocator = ledger_allocator(&t);
    ov_status status = OV_ERROR_MEMORY;
    for (long i = 1; i < 50 && status != OV_OK; i++) {
        ov_polygons *made = NULL;
        ov_fault fault;
        ledger_start(&t, i);
        status = ov_polygons_create(v, 4, c, sizes, 2, &allocator, &made, &fault);
        CHECK(status == OV_OK ? t.calls < i : status == OV_ERROR_MEMORY && made == NULL);
        ov_polygons_destroy(made);
        CHECK(t.count == 0);
    }
    CHECK_OK(status);
}

int main(void) {
    check_suite = "motion_polygons";
    RUN(refuses_bad_input);
    RUN(refuses_stars);
    RUN(keeps_what_is_given);
    RUN(planes_and_deviations);
    RUN(tolerances);
    RUN(tree_holds_all);
    RUN(geometry_is_the_surface);
    RUN(memory_runs_out);
    return check_finish();
}
