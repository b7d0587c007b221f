/**
 * @file test_schemes_contact.c
 * @brief The way in to the published schemes, ov_scheme_contact: bad input, options and names, the
 * promises about the result, and what the Newton schemes do between guess and answer: restarts, the
 * last answer as the start, mended defects.
 *
 * Oracles: spheres, whose gaps are known; ov_pair_contact; the same pair elsewhere or larger.
 */
#include <string.h>

#include <ovoid/schemes.h>

#include "check.h"

static bool is_there(ov_scheme scheme) { return ov_scheme_missing(scheme) == NULL; }

static ov_pose random_pose(check_random *r) {
    ov_pose pose;
    double apart = check_uniform(r, 0.0, 5.0);
    pose.position = ov_vec3_scale(check_unit_vector(r), apart);
    pose.rotation = check_rotation(r);
    return pose;
}

static ov_status contact_with(const ov_shape *a, ov_pose pose, const ov_shape *b,
                              const ov_scheme_options *options) {
    ov_scheme_result result = {.gap = 1.0};
    ov_pose other = ov_pose_identity();
    other.position.x = 3.0;
    ov_status status = ov_scheme_contact(OV_SCHEME_DISCRETE, a, pose, b, other, options, &result);
    CHECK_STATUS(result.status, status);
    if (status < 0) {
        CHECK(isnan(result.gap) && isnan(result.point_a.x) && isnan(result.point_b.y) &&
              isnan(result.normal.z) && isnan(result.residual) && isnan(result.start_seconds) &&
              isnan(result.total_seconds));
    }
    return status;
}

static void bad_input(void) {
    ov_shape sphere, box, none = {0};
    CHECK_OK(ov_shape_make_sphere(1.0, &sphere));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &box));
    ov_pose pose = ov_pose_identity(), bad = pose;
    CHECK_STATUS(contact_with(NULL, pose, &sphere, NULL), OV_ERROR_NULL);
    CHECK_STATUS(contact_with(&sphere, pose, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(contact_with(&box, pose, &sphere, NULL), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(contact_with(&sphere, pose, &box, NULL), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(contact_with(&none, pose, &sphere, NULL), OV_ERROR_SHAPE);
    bad.position.y = NAN;
    CHECK_STATUS(contact_with(&sphere, bad, &sphere, NULL), OV_ERROR_NOT_FINITE);
    bad.position.y = 1e101;
    CHECK_STATUS(contact_with(&sphere, bad, &sphere, NULL), OV_ERROR_SIZE_RANGE);
    bad = pose;
    bad.rotation.w = 0.0;
    CHECK_STATUS(contact_with(&sphere, bad, &sphere, NULL), OV_ERROR_ZERO_DIRECTION);
    bad.rotation.w = INFINITY;
    CHECK_STATUS(contact_with(&sphere, bad, &sphere, NULL), OV_ERROR_NOT_FINITE);
    CHECK(contact_with(&sphere, pose, &sphere, NULL) >= 0);
    CHECK_STATUS(ov_scheme_contact(OV_SCHEME_DISCRETE, &sphere, pose, &sphere, pose, NULL, NULL),
                 OV_ERROR_NULL);
    ov_scheme_result result;
    CHECK_STATUS(ov_scheme_contact(OV_SCHEME_COUNT, &sphere, pose, &sphere, pose, NULL, &result),
                 OV_ERROR_OPTION);
    CHECK_STATUS(ov_scheme_contact((ov_scheme)-1, &sphere, pose, &sphere, pose, NULL, &result),
                 OV_ERROR_OPTION);
    CHECK(isnan(result.gap));
}

static void bad_options(void) {
    const ov_scheme_options good = ov_default_scheme_options();
    ov_scheme_options bad[15];
    size_t count = sizeof bad / sizeof *bad, n = 0;
    for (size_t i = 0; i < count; i++) {
        bad[i] = good;
    }
    bad[n++].tolerance = -1e-6;
    bad[n++].tolerance = NAN;
    bad[n++].tolerance = INFINITY;
    bad[n++].iterations = -1;
    bad[n++].quadtree_levels = -1;
    bad[n++].quadtree_levels = 1000;
    bad[n++].octree_levels = -1;
    bad[n++].octree_levels = 30;
    bad[n++].jacobian = (ov_jacobian)2;
    bad[n++].rescue = 8u;
    bad[n++].rescue = ~0u;
    bad[n++].constraint_set = 'i';
    bad[n++].constraint_set = 'A';
    bad[n++].mesh_vertices = 1;
    bad[n++].mesh_vertices = SIZE_MAX;
    CHECK(n == count);
    ov_shape sphere;
    CHECK_OK(ov_shape_make_sphere(1.0, &sphere));
    for (size_t i = 0; i < count; i++) {
        CHECK_STATUS(contact_with(&sphere, ov_pose_identity(), &sphere, &bad[i]), OV_ERROR_OPTION);
    }
    CHECK(contact_with(&sphere, ov_pose_identity(), &sphere, &good) >= 0);
}

/** Zeros, the defaults and null are the same, to the bit, and other values are not. */
static void default_options(void) {
    const ov_scheme_options zero = {0}, named = ov_default_scheme_options();
    const ov_scheme_options some = {.tolerance = 0.1, .mesh_vertices = 1000, .iterations = 2};
    const ov_scheme_options *ways[] = {NULL, &zero, &named, &some};
    ov_shape a, b;
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){1, 0.8, 0.6}, 0.8, 1.2, &a));
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.5, 0.7, 0.6}, 1.0, 0.7, &b));
    const ov_pose at = ov_pose_identity(), there = {{1.5, 0.9, 0.4}, {0.9, 0.1, 0.2, 0.3}};
    for (int i = 0; i < (int)OV_SCHEME_COUNT; i++) {
        ov_scheme_result first, r;
        if (ov_scheme_missing((ov_scheme)i) != NULL) {
            continue;
        }
        (void)ov_scheme_contact((ov_scheme)i, &a, at, &b, there, NULL, &first);
        CHECK(first.status >= OV_OK);
        for (int k = 1; k < 4; k++) {
            (void)ov_scheme_contact((ov_scheme)i, &a, at, &b, there, ways[k], &r);
            CHECK((r.status == first.status && r.gap == first.gap && r.residual == first.residual &&
                   r.point_a.x == first.point_a.x && r.point_b.z == first.point_b.z &&
                   r.iterations == first.iterations) == (k < 3));
        }
    }
}

static void names(void) {
    for (int i = 0; i < (int)OV_SCHEME_COUNT; i++) {
        ov_scheme scheme = (ov_scheme)i;
        const char *name = ov_scheme_name(scheme), *source = ov_scheme_source(scheme);
        CHECK(name != NULL && source != NULL);
        CHECK(ov_scheme_of_name(name) == scheme);
        CHECK(source[0] == '[' && strchr(source, '\n') == NULL);
    }
    CHECK(ov_scheme_name(OV_SCHEME_COUNT) == NULL && ov_scheme_source(OV_SCHEME_COUNT) == NULL);
    CHECK(ov_scheme_missing(OV_SCHEME_COUNT) == NULL && ov_scheme_name((ov_scheme)-1) == NULL);
    CHECK(ov_scheme_of_name("quadimplicit") == OV_SCHEME_COUNT);
    CHECK(ov_scheme_of_name("") == OV_SCHEME_COUNT && ov_scheme_of_name(NULL) == OV_SCHEME_COUNT);
}

/** Every scheme that was built, on two spheres: gap, points, normal, times. */
static void two_spheres(void) {
    ov_shape a, b;
    CHECK_OK(ov_shape_make_sphere(1.0, &a));
    CHECK_OK(ov_shape_make_sphere(0.5, &b));
    check_random r = check_random_make(407);
    for (int i = 0; i < 4 * (int)OV_SCHEME_COUNT; i++) {
        ov_scheme scheme = (ov_scheme)(i % (int)OV_SCHEME_COUNT);
        double gap = check_uniform(&r, 0.1, 1.0);
        ov_pose pose_a = random_pose(&r), pose_b = random_pose(&r);
        ov_vec3 n = check_unit_vector(&r);
        pose_b.position = ov_vec3_add_scaled(pose_a.position, n, 1.5 + gap);
        ov_scheme_result result;
        ov_status status = ov_scheme_contact(scheme, &a, pose_a, &b, pose_b, NULL, &result);
        if (!is_there(scheme)) {
            CHECK_STATUS(status, OV_ERROR_MISSING);
            CHECK(isnan(result.gap));
            continue;
        }
        CHECK(status >= 0);
        CHECK(isfinite(result.gap) && ov_vec3_is_finite(result.point_a) &&
              ov_vec3_is_finite(result.point_b));
        CHECK_NEAR(ov_vec3_length(result.normal), 1.0, 1e-12);
        CHECK(result.start_seconds >= 0.0 && result.total_seconds >= result.start_seconds);
        bool newton = scheme <= OV_SCHEME_NTB_PARAMETRIC;
        // the equations of quadParametric hold at the poles as well, wherever the other body is
        if (status == OV_OK && newton && scheme != OV_SCHEME_QUAD_PARAMETRIC) {
            // Newton may end on a far side, where the gap is larger by a diameter
            double off = fabs(result.gap - gap);
            off = fmin(off, fmin(fabs(result.gap - gap - 1.0), fabs(result.gap - gap - 2.0)));
            CHECK_NEAR(fmin(off, fabs(result.gap - gap - 3.0)), 0.0, 1e-6);
        }
    }
}

/** Far from the origin of the world, where a point of it has few digits left. */
static void far_away(void) {
    if (!is_there(OV_SCHEME_QUAD_IMPLICIT)) {
        return;
    }
    ov_shape a;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 0.8, 1.2), 0.8, 0.9, &a));
    ov_pose pose_a = ov_pose_identity(), pose_b = pose_a;
    pose_b.position = ov_vec3_make(2.0, 0.75, 1.0);
    ov_scheme_result near, far;
    CHECK_OK(ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &a, pose_b, NULL, &near));
    ov_vec3 shift = ov_vec3_make(0x1p30, -0x1p31, 0x1p32);
    pose_a.position = ov_vec3_add(pose_a.position, shift);
    pose_b.position = ov_vec3_add(pose_b.position, shift);
    CHECK_OK(ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &a, pose_b, NULL, &far));
    CHECK_NEAR(far.gap, near.gap, 1e-14);
}

/** Two superovoids of [Benchmark, 5.1]. */
static void battery_pair(check_random *r, ov_shape *a, ov_shape *b, ov_pose *pose_a,
                         ov_pose *pose_b) {
    ov_shape_options options = {.dent_tolerance = 1.0};
    ov_vec3 one = ov_vec3_make(1.0, 1.0, 1.0);
    for (int k = 0; k < 2; k++) {
        double e1 = check_uniform(r, 0.3, 1.1), e2 = check_uniform(r, 0.3, 1.1);
        double tx = check_uniform(r, -0.4, 0.4), ty = check_uniform(r, -0.4, 0.4);
        CHECK_OK(ov_shape_make_superovoid(one, e1, e2, tx, ty, &options, k == 0 ? a : b));
    }
    *pose_a = *pose_b = ov_pose_identity();
    pose_a->rotation = check_rotation(r);
    pose_b->rotation = check_rotation(r);
    pose_b->position.y = 2.21;
}

/** Restarts happen where they are asked for, and solve pairs; the mended answers face each other.
 */
static void rescued_and_mended(void) {
    static const unsigned rescues[5] = {
        0, OV_RESCUE_BISECTION, OV_RESCUE_REGULA_FALSI, OV_RESCUE_DEEPER,
        OV_RESCUE_BISECTION | OV_RESCUE_REGULA_FALSI | OV_RESCUE_DEEPER};
    if (!is_there(OV_SCHEME_QUAD_IMPLICIT)) {
        return;
    }
    check_random r = check_random_make(408);
    int solved[5] = {0}, wrong = 0, mended = 0, pairs = 200;
    for (int n = 0; n < pairs; n++) {
        ov_shape a, b;
        ov_pose pose_a, pose_b;
        battery_pair(&r, &a, &b, &pose_a, &pose_b);
        ov_scheme_options options = ov_default_scheme_options();
        options.jacobian = OV_JACOBIAN_ANALYTIC;
        ov_scheme_result result;
        for (int k = 0; k < 5; k++) {
            options.rescue = rescues[k];
            ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &b, pose_b, &options, &result);
            CHECK(result.status >= 0 && (rescues[k] != 0 || result.restarts == 0));
            CHECK(result.restarts <= (k == 4 ? 5 : k == 3 ? 3 : 1));
            CHECK(result.iterations <= options.iterations * (result.restarts + 1));
            solved[k] += result.status == OV_OK;
        }
        // the answer itself as the start: one step
        options.last = &result;
        bool good = result.status == OV_OK && result.residual < 1e-10;
        ov_status again =
            ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &b, pose_b, &options, &result);
        CHECK(!good || (again == OV_OK && result.iterations == 1 && result.restarts == 0));
        options.last = NULL;
        options.mended = true;
        ov_contact contact;
        ov_pair_contact(&a, pose_a, &b, pose_b, NULL, NULL, &contact);
        ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &b, pose_b, &options, &result);
        // the hull of a dented body reaches further out than its surface
        double dents = a.dent + b.dent + 1e-6;
        if (result.status == OV_OK && contact.gap > dents) {
            mended++;
            CHECK(result.gap >= contact.gap - 1e-9);
            wrong += result.gap > contact.gap + 2.0 * dents;
        }
    }
    for (int k = 1; k < 5; k++) {
        CHECK(solved[k] >= solved[0]);
    }
    CHECK(solved[4] > solved[0]);
    CHECK(mended > pairs / 4 && wrong <= mended / 20);
    printf(
        "%s: of %d pairs %d solved; with bisection %d, regula falsi %d, deeper trees %d, all %d; "
        "mended and separated %d, not the nearest %d\n",
        check_suite, pairs, solved[0], solved[1], solved[2], solved[3], solved[4], mended, wrong);
}

/** Mended, the size of the bodies does not matter. */
static void units(void) {
    if (!is_there(OV_SCHEME_QUAD_IMPLICIT)) {
        return;
    }
    ov_shape_options shape_options = {.dent_tolerance = 1.0};
    double gaps[3];
    const double sizes[3] = {1e-12, 1.0, 1e12};
    for (int k = 0; k < 3; k++) {
        double s = sizes[k];
        ov_shape a;
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(s, 0.8 * s, 1.2 * s), 0.8, 0.9, 0.1, -0.1,
                                          &shape_options, &a));
        ov_pose pose_a = ov_pose_identity(), pose_b = pose_a;
        pose_b.position = ov_vec3_make(2.0 * s, 0.75 * s, s);
        ov_scheme_options options = ov_default_scheme_options();
        options.mended = true;
        ov_scheme_result result;
        CHECK_OK(
            ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &a, pose_a, &a, pose_b, &options, &result));
        gaps[k] = result.gap / s;
    }
    CHECK_NEAR(gaps[0], gaps[1], 1e-9);
    CHECK_NEAR(gaps[2], gaps[1], 1e-9);
}

int main(void) {
    check_suite = "schemes_contact";
    RUN(bad_input);
    RUN(bad_options);
    RUN(default_options);
    RUN(names);
    RUN(two_spheres);
    RUN(far_away);
    RUN(rescued_and_mended);
    RUN(units);
    return check_finish();
}
