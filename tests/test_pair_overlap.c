/**
 * @file test_pair_overlap.c
 * @brief A ball in common as a proof of overlap: never where a plane lies between the bodies, by an
 * oracle that shares no code with the library, and mostly where bodies overlap well.
 */
#include "kind_cases.h"

#include "query/query_internal.h"

/** Is the kind one of those that the proof is for? */
static bool is_taken(ov_shape_kind kind) {
    return kind == OV_SHAPE_KIND_SPHERE || kind == OV_SHAPE_KIND_ELLIPSOID ||
           kind == OV_SHAPE_KIND_SUPERELLIPSOID || kind == OV_SHAPE_KIND_SUPEROVOID ||
           kind == OV_SHAPE_KIND_BOX || kind == OV_SHAPE_KIND_CYLINDER ||
           kind == OV_SHAPE_KIND_CAPSULE;
}

/** Bodies from well inside each other to just apart. */
static void place_near(check_random *r, kc_body *a, kc_body *b) {
    ov_vec3 o = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 3.0));
    double reach = a->shape.ball.radius + b->shape.ball.radius;
    ov_vec3 way = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 1.0) * reach);
    kc_place(a, (ov_pose){o, kc_rotation(r)}, b, (ov_pose){ov_vec3_add(o, way), kc_rotation(r)});
}

static void test_all_kinds(void) {
    check_random r = check_random_make(5201);
    static kc_body a, b;
    int deep = 0, found[2] = {0, 0};
    for (int i = 0; i < KC_KINDS * KC_KINDS; i++) {
        for (int k = 0; k < check_share(24); k++) {
            kc_shape(&r, kc_kinds[i / KC_KINDS], 1.0, &a);
            kc_shape(&r, kc_kinds[i % KC_KINDS], check_uniform(&r, 0.3, 1.0), &b);
            place_near(&r, &a, &b);
            bool taken = is_taken(a.shape.kind) && is_taken(b.shape.kind);
            // the least overlap over many directions: no ball in common has a larger diameter
            double depth = (double)kc_best_span(&a, &b, 12, 20).s;
            ov_contact c;
            CHECK(ov_pair_contact(&a.shape, a.pose, &b.shape, b.pose, NULL, NULL, &c) >= 0);
            for (int steps = 0; steps < 2; steps++) {
                const double margins[] = {0.0, 1e-12, 1e-4};
                for (int m = 0; m < 3; m++) {
                    bool overlap = ovi_pair_overlaps(&a.shape, a.pose, &b.shape, b.pose, margins[m],
                                                     8 * steps);
                    CHECK(!overlap || (taken && depth >= 2.0 * margins[m] && depth > 0.0));
                    CHECK(!overlap || c.relation == OV_RELATION_OVERLAPPING);
                    found[steps] += m == 0 && overlap && depth > 0.02;
                }
            }
            deep += taken && c.relation == OV_RELATION_OVERLAPPING && depth > 0.02;
        }
    }
    CHECK(deep > check_share(100));
    CHECK(found[0] > deep / 3);
    CHECK(found[1] > 8 * deep / 10);
}

/** A margin of the size of the bodies is never there; nor is an answer for what is no body. */
static void test_refusals(void) {
    ov_shape ball, plane;
    ov_pose here = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &plane));
    CHECK(ovi_pair_overlaps(&ball, here, &ball, here, 0.0, 0));
    CHECK(!ovi_pair_overlaps(&ball, here, &ball, here, 1.0, 8));
    CHECK(!ovi_pair_overlaps(&ball, here, &plane, here, 0.0, 8));
    ov_pose nowhere = {{NAN, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    CHECK(!ovi_pair_overlaps(&ball, here, &ball, nowhere, 0.0, 8));
}

int main(void) {
    check_suite = "pair_overlap";
    RUN(test_all_kinds);
    RUN(test_refusals);
    return check_finish();
}
