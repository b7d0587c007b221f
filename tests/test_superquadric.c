/**
 * @file test_superquadric.c
 * @brief Constructors of the smooth family: what they refuse and with which status, that a refusal
 * leaves the output as it was, under which kind a shape is filed, and which constants it carries.
 * Names of kinds, and the conventions in which others write exponents.
 */
#include <string.h>

#include "check.h"
#include "shape/shape_internal.h"

/** One of the four constructors, called with the part of the parameters that it takes. */
typedef enum maker { SPHERE, ELLIPSOID, SUPERELLIPSOID, SUPEROVOID, MAKERS } maker;

typedef struct parameters {
    ov_vec3 a;
    double e1, e2, tx, ty;
    const ov_shape_options *options;
} parameters;

static ov_status make(maker m, parameters p, ov_shape *shape) {
    switch (m) {
    case SPHERE:
        return ov_shape_make_sphere(p.a.x, shape);
    case ELLIPSOID:
        return ov_shape_make_ellipsoid(p.a, shape);
    case SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(p.a, p.e1, p.e2, shape);
    default:
        return ov_shape_make_superovoid(p.a, p.e1, p.e2, p.tx, p.ty, p.options, shape);
    }
}

static parameters good_parameters(void) {
    return (parameters){{1.0, 2.0, 3.0}, 0.8, 0.9, 0.1, -0.2, NULL};
}

/** A refusal with the named status that leaves every byte of the output alone. */
static void refuse(maker m, parameters p, ov_status expected, const char *what) {
    ov_shape shape, before;
    memset(&shape, 0xa5, sizeof shape);
    memcpy(&before, &shape, sizeof shape);
    ov_status status = make(m, p, &shape);
    bool good = CHECK_STATUS(status, expected);
    good = CHECK(memcmp(&shape, &before, sizeof shape) == 0) && good;
    if (!good && check_may_print()) {
        fprintf(stderr, "  constructor %d, %s\n", (int)m, what);
    }
}

typedef struct bad_number {
    double value;
    ov_status status;
    const char *what;
} bad_number;

static const bad_number bad_sizes[] = {
    {NAN, OV_ERROR_NOT_FINITE, "size NaN"},
    {INFINITY, OV_ERROR_NOT_FINITE, "size infinite"},
    {-INFINITY, OV_ERROR_NOT_FINITE, "size -infinite"},
    {0.0, OV_ERROR_SIZE_NOT_POSITIVE, "size 0"},
    {-0.0, OV_ERROR_SIZE_NOT_POSITIVE, "size -0"},
    {-1.0, OV_ERROR_SIZE_NOT_POSITIVE, "size negative"},
    {-5e-324, OV_ERROR_SIZE_NOT_POSITIVE, "size negative and tiny"},
    {5e-324, OV_ERROR_SIZE_RANGE, "size tiny"},
    {1e-61, OV_ERROR_SIZE_RANGE, "size 1e-61"},
    {1e61, OV_ERROR_SIZE_RANGE, "size 1e61"},
    {1e308, OV_ERROR_SIZE_RANGE, "size huge"},
};

static const bad_number bad_exponents[] = {
    {NAN, OV_ERROR_NOT_FINITE, "exponent NaN"},
    {INFINITY, OV_ERROR_NOT_FINITE, "exponent infinite"},
    {-INFINITY, OV_ERROR_NOT_FINITE, "exponent -infinite"},
    {0.0, OV_ERROR_EXPONENT, "exponent 0"},
    {-0.0, OV_ERROR_EXPONENT, "exponent -0"},
    {-1.0, OV_ERROR_EXPONENT, "exponent negative"},
    {-5e-324, OV_ERROR_EXPONENT, "exponent negative and tiny"},
    {2.0000001, OV_ERROR_EXPONENT, "exponent above 2"},
    {0x1.0000000000001p1, OV_ERROR_EXPONENT, "exponent next to 2"},
    {1e300, OV_ERROR_EXPONENT, "exponent huge"},
};

static const bad_number bad_tapers[] = {
    {NAN, OV_ERROR_NOT_FINITE, "taper NaN"},
    {INFINITY, OV_ERROR_NOT_FINITE, "taper infinite"},
    {-INFINITY, OV_ERROR_NOT_FINITE, "taper -infinite"},
    {1.0, OV_ERROR_TAPER, "taper 1"},
    {-1.0, OV_ERROR_TAPER, "taper -1"},
    {0x1.0000000000001p0, OV_ERROR_TAPER, "taper next to 1"},
    {2.0, OV_ERROR_TAPER, "taper 2"},
    {-1e300, OV_ERROR_TAPER, "taper huge"},
};

static const bad_number bad_tolerances[] = {
    {NAN, OV_ERROR_OPTION, "tolerance NaN"},
    {INFINITY, OV_ERROR_OPTION, "tolerance infinite"},
    {-INFINITY, OV_ERROR_OPTION, "tolerance -infinite"},
    {-1e-300, OV_ERROR_OPTION, "tolerance negative"},
    {0x1.0000000000001p0, OV_ERROR_OPTION, "tolerance above 1"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_bad_sizes(void) {
    for (size_t i = 0; i < COUNT(bad_sizes); i++) {
        for (int m = SPHERE; m < MAKERS; m++) {
            for (int axis = 0; axis < (m == SPHERE ? 1 : 3); axis++) {
                parameters p = good_parameters();
                double *const axes[3] = {&p.a.x, &p.a.y, &p.a.z};
                *axes[axis] = bad_sizes[i].value;
                refuse((maker)m, p, bad_sizes[i].status, bad_sizes[i].what);
            }
        }
    }
}

static void test_bad_exponents_and_tapers(void) {
    for (size_t i = 0; i < COUNT(bad_exponents); i++) {
        for (int m = SUPERELLIPSOID; m < MAKERS; m++) {
            parameters p1 = good_parameters(), p2 = good_parameters();
            p1.e1 = bad_exponents[i].value;
            p2.e2 = bad_exponents[i].value;
            refuse((maker)m, p1, bad_exponents[i].status, bad_exponents[i].what);
            refuse((maker)m, p2, bad_exponents[i].status, bad_exponents[i].what);
        }
    }
    for (size_t i = 0; i < COUNT(bad_tapers); i++) {
        parameters px = good_parameters(), py = good_parameters();
        px.tx = bad_tapers[i].value;
        py.ty = bad_tapers[i].value;
        refuse(SUPEROVOID, px, bad_tapers[i].status, bad_tapers[i].what);
        refuse(SUPEROVOID, py, bad_tapers[i].status, bad_tapers[i].what);
    }
}

static void test_bad_options(void) {
    for (size_t i = 0; i < COUNT(bad_tolerances); i++) {
        const ov_shape_options options = {bad_tolerances[i].value};
        parameters p = good_parameters(), straight = good_parameters();
        p.options = straight.options = &options;
        straight.tx = straight.ty = 0.0;
        refuse(SUPEROVOID, p, bad_tolerances[i].status, bad_tolerances[i].what);
        refuse(SUPEROVOID, straight, bad_tolerances[i].status, bad_tolerances[i].what);
    }
    parameters dented = good_parameters();
    dented.e1 = 1.7;
    dented.tx = 0.9;
    dented.ty = -0.9;
    refuse(SUPEROVOID, dented, OV_ERROR_DENT, "deep dent");
    const ov_shape_options none = {OV_ZERO};
    dented = good_parameters();
    dented.options = &none;
    refuse(SUPEROVOID, dented, OV_ERROR_DENT, "any dent, none allowed");
    CHECK_NEAR(ov_default_shape_options().dent_tolerance, 0.05, 0.0);
}

static void test_null(void) {
    for (int m = SPHERE; m < MAKERS; m++) {
        CHECK_STATUS(make((maker)m, good_parameters(), NULL), OV_ERROR_NULL);
        parameters p = good_parameters();
        p.a.x = NAN; // null is told first
        CHECK_STATUS(make((maker)m, p, NULL), OV_ERROR_NULL);
    }
}

/** Each kind of bad input has a text of its own. */
static void test_messages(void) {
    const ov_status seen[] = {OV_ERROR_NULL,       OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_NOT_POSITIVE,
                              OV_ERROR_SIZE_RANGE, OV_ERROR_EXPONENT,   OV_ERROR_TAPER,
                              OV_ERROR_DENT,       OV_ERROR_OPTION,     OV_OK};
    for (size_t i = 0; i < COUNT(seen); i++) {
        CHECK(strlen(ov_status_message(seen[i])) > 3);
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(ov_status_message(seen[i]), ov_status_message(seen[k])) != 0);
            CHECK(strcmp(ov_status_name(seen[i]), ov_status_name(seen[k])) != 0);
        }
    }
}

/** The ends of the domain are inside. */
static void test_domain_ends(void) {
    const double sizes[] = {OV_SIZE_MIN, OV_SIZE_MAX}, exponents[] = {5e-324, 1e-300, 1e-9, 2.0};
    const double tapers[] = {-0x1.fffffffffffffp-1, -1e-300, 5e-324, 0x1.fffffffffffffp-1};
    const ov_shape_options any_dent = {1.0};
    for (int i = 0; i < 2 * 4 * 4 * 4; i++) {
        double size = sizes[i % 2], e1 = exponents[i / 2 % 4], e2 = exponents[i / 8 % 4];
        double t = tapers[i / 32];
        ov_vec3 a = ov_vec3_make(size, size, size);
        ov_shape s;
        CHECK_OK(ov_shape_make_sphere(size, &s));
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
        ov_status status = ov_shape_make_superovoid(a, e1, e2, t, t, &any_dent, &s);
        CHECK(status == OV_OK || status == OV_ERROR_DENT);
        if (status == OV_OK) {
            CHECK(s.dent >= 0.0 && s.dent <= size);
            ov_support h;
            CHECK_OK(ov_shape_support(&s, ov_vec3_make(0.3, -0.4, 0.5), &h));
            CHECK(isfinite(h.value) && h.value >= 0.3 * size && ov_vec3_is_finite(h.point));
        }
    }
}

static void expect_kind(parameters p, ov_shape_kind kind) {
    ov_shape s;
    CHECK_OK(make(SUPEROVOID, p, &s));
    CHECK(s.kind == kind);
    CHECK(s.a.x == p.a.x && s.a.y == p.a.y && s.a.z == p.a.z && s.e1 == p.e1 && s.e2 == p.e2);
    CHECK(s.tx == p.tx && s.ty == p.ty && s.dent >= 0.0);
}

static void test_kinds(void) {
    ov_shape s;
    CHECK(ov_shape_make_sphere(2.0, &s) == OV_OK && s.kind == OV_SHAPE_KIND_SPHERE);
    CHECK(s.a.x == 2.0 && s.a.y == 2.0 && s.a.z == 2.0 && s.e1 == 1.0 && s.e2 == 1.0);
    CHECK(s.tx == 0.0 && s.ty == 0.0 && s.dent == 0.0);
    ov_vec3 axes = {1.0, 2.0, 3.0}, equal = {2.0, 2.0, 2.0};
    CHECK(ov_shape_make_ellipsoid(axes, &s) == OV_OK && s.kind == OV_SHAPE_KIND_ELLIPSOID);
    CHECK(ov_shape_make_ellipsoid(equal, &s) == OV_OK && s.kind == OV_SHAPE_KIND_SPHERE);
    CHECK(ov_shape_make_superellipsoid(equal, 1.0, 1.0, &s) == OV_OK &&
          s.kind == OV_SHAPE_KIND_SPHERE);
    CHECK(ov_shape_make_superellipsoid(axes, 1.0, 1.0, &s) == OV_OK);
    CHECK(s.kind == OV_SHAPE_KIND_ELLIPSOID);
    CHECK(ov_shape_make_superellipsoid(axes, 1.0, 0.5, &s) == OV_OK);
    CHECK(s.kind == OV_SHAPE_KIND_SUPERELLIPSOID);

    expect_kind((parameters){equal, 1.0, 1.0, 0.0, -0.0, NULL}, OV_SHAPE_KIND_SPHERE);
    expect_kind((parameters){{2.0, 2.0, 2.5}, 1.0, 1.0, 0.0, 0.0, NULL}, OV_SHAPE_KIND_ELLIPSOID);
    expect_kind((parameters){{2.0, 2.5, 2.0}, 1.0, 1.0, 0.0, 0.0, NULL}, OV_SHAPE_KIND_ELLIPSOID);
    expect_kind((parameters){{2.5, 2.0, 2.0}, 1.0, 1.0, 0.0, 0.0, NULL}, OV_SHAPE_KIND_ELLIPSOID);
    expect_kind((parameters){equal, 0.9, 1.0, 0.0, 0.0, NULL}, OV_SHAPE_KIND_SUPERELLIPSOID);
    expect_kind((parameters){equal, 1.0, 2.0, 0.0, 0.0, NULL}, OV_SHAPE_KIND_SUPERELLIPSOID);
    expect_kind((parameters){equal, 1.0, 1.0, 0.1, 0.0, NULL}, OV_SHAPE_KIND_SUPEROVOID);
    expect_kind((parameters){equal, 1.0, 1.0, 0.0, 1e-300, NULL}, OV_SHAPE_KIND_SUPEROVOID);
}

/** The exponents that the shape carries, by their definitions. */
static void test_constants(void) {
    check_random r = check_random_make(501);
    for (int i = 0; i < 2000; i++) {
        double e1 = check_uniform(&r, 1e-3, 2.0),
               e2 = i % 9 == 0 ? 2.0 : check_log_uniform(&r, 1e-6, 2.0);
        ov_shape s;
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 2.0), e1, e2, &s));
        long double p1 = 2.0L / e1, p2 = 2.0L / e2;
        CHECK_NEAR(ovi_primal1(&s).minus_1, (double)(p1 - 1.0L), 1e-15 * (double)p1);
        CHECK_NEAR(ovi_primal2(&s).minus_1, (double)(p2 - 1.0L), 1e-15 * (double)p2);
        double q1 = (double)(p1 / (p1 - 1.0L) - 1.0L), q2 = (double)(p2 / (p2 - 1.0L) - 1.0L);
        CHECK_NEAR(ovi_dual1(&s).minus_1, q1, 1e-15 * (1.0 + q1) * (1.0 + q1));
        if (e2 == 2.0) {
            CHECK(isinf(ovi_dual2(&s).minus_1));
        } else {
            CHECK_NEAR(ovi_dual2(&s).minus_1, q2, 1e-15 * (1.0 + q2) * (1.0 + q2));
        }
    }
}

static void test_kind_names(void) {
    for (int i = 0; i < OV_SHAPE_KIND_COUNT; i++) {
        const char *name = ov_shape_kind_name((ov_shape_kind)i);
        CHECK(strlen(name) > 2);
        CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name));
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(name, ov_shape_kind_name((ov_shape_kind)k)) != 0);
        }
    }
    CHECK(strcmp(ov_shape_kind_name(OV_SHAPE_KIND_SUPEROVOID), "superovoid") == 0);
    CHECK(strcmp(ov_shape_kind_name(OV_SHAPE_KIND_NONE), "none") == 0);
    CHECK(strcmp(ov_shape_kind_name(OV_SHAPE_KIND_COUNT), "none") == 0);
    CHECK(strcmp(ov_shape_kind_name((ov_shape_kind)99), "none") == 0);
    CHECK(strcmp(ov_shape_kind_name((ov_shape_kind)1000), "none") == 0);
    for (int i = 0; i < OV_SHAPE_KIND_COUNT; i++) {
        CHECK((int)ov_shape_kind_from_name(ov_shape_kind_name((ov_shape_kind)i)) == i);
    }
    const char *const none[] = {NULL, "", "none", "sphere ", "Sphere", "spher", "superellipse"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CHECK(ov_shape_kind_from_name(none[i]) == OV_SHAPE_KIND_NONE);
    }
    for (int i = OV_SHAPE_KIND_SPHERE; i <= OV_SHAPE_KIND_CUSTOM; i++) {
        CHECK(ov_shape_is_convex((ov_shape_kind)i));
    }
    for (int i = OV_SHAPE_KIND_SUPERHYPERBOLOID_1; i <= OV_SHAPE_KIND_COUNT; i++) {
        CHECK(!ov_shape_is_convex((ov_shape_kind)i));
    }
    CHECK(!ov_shape_is_convex(OV_SHAPE_KIND_NONE));
    CHECK(!ov_shape_is_convex((ov_shape_kind)99));
}

/** A struct that no constructor has filled is told apart, where it can be. */
static void test_not_a_shape(void) {
    const ov_shape none = {0};
    ov_shape wrong = {0};
    wrong.kind = (ov_shape_kind)99;
    ov_support h;
    ov_ball ball;
    ov_obb box;
    ov_aabb aabb;
    ov_mass mass;
    const ov_vec3 x = {1.0, 0.0, 0.0};
    const ov_shape *const shapes[] = {&none, &wrong};
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(ov_shape_support(shapes[i], x, &h), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_bounding_ball(shapes[i], &ball), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_inscribed_ball(shapes[i], &ball), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_obb(shapes[i], &box), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_aabb(shapes[i], ov_pose_identity(), &aabb), OV_ERROR_SHAPE);
        CHECK_STATUS(ov_shape_mass(shapes[i], 1.0, &mass), OV_ERROR_SHAPE);
    }
}

/* ---- the same by each constructor */

static ov_status try_ovoid(double a, double e1, double e2, double tx, double ty, double tolerance) {
    const ov_shape_options options = {.dent_tolerance = tolerance};
    ov_shape s;
    return ov_shape_make_superovoid(ov_vec3_make(a, 1.0, 1.0), e1, e2, tx, ty, &options, &s);
}

static void test_refused_sizes(void) {
    static const struct {
        double size;
        ov_status expected;
    } cases[] = {{NAN, OV_ERROR_NOT_FINITE},
                 {INFINITY, OV_ERROR_NOT_FINITE},
                 {-INFINITY, OV_ERROR_NOT_FINITE},
                 {0.0, OV_ERROR_SIZE_NOT_POSITIVE},
                 {-0.0, OV_ERROR_SIZE_NOT_POSITIVE},
                 {-1.0, OV_ERROR_SIZE_NOT_POSITIVE},
                 {9e-61, OV_ERROR_SIZE_RANGE},
                 {5e-324, OV_ERROR_SIZE_RANGE},
                 {1.1e60, OV_ERROR_SIZE_RANGE},
                 {1e-60, OV_OK},
                 {1e60, OV_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ov_shape s;
        double a = cases[i].size;
        ov_status expected = cases[i].expected;
        CHECK_STATUS(ov_shape_make_sphere(a, &s), expected);
        const ov_vec3 axes[3] = {{a, 1.0, 2.0}, {1.0, a, 2.0}, {1.0, 2.0, a}};
        for (int k = 0; k < 3; k++) {
            CHECK_STATUS(ov_shape_make_ellipsoid(axes[k], &s), expected);
            CHECK_STATUS(ov_shape_make_superellipsoid(axes[k], 0.5, 1.5, &s), expected);
            CHECK_STATUS(ov_shape_make_superovoid(axes[k], 1.0, 1.0, 0.0, 0.0, NULL, &s), expected);
        }
    }
}

static void test_refused_exponents(void) {
    static const struct {
        double e;
        ov_status expected;
    } cases[] = {{NAN, OV_ERROR_NOT_FINITE},
                 {INFINITY, OV_ERROR_NOT_FINITE},
                 {0.0, OV_ERROR_EXPONENT},
                 {-0.5, OV_ERROR_EXPONENT},
                 {2.0000001, OV_ERROR_EXPONENT},
                 {1e300, OV_ERROR_EXPONENT},
                 {2.0, OV_OK},
                 {5e-324, OV_OK},
                 {1e-300, OV_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ov_shape s;
        const ov_vec3 a = {1.0, 2.0, 3.0};
        double e = cases[i].e;
        ov_status expected = cases[i].expected;
        CHECK_STATUS(ov_shape_make_superellipsoid(a, e, 1.0, &s), expected);
        CHECK_STATUS(ov_shape_make_superellipsoid(a, 1.0, e, &s), expected);
        CHECK_STATUS(ov_shape_make_superovoid(a, e, 1.0, 0.0, 0.0, NULL, &s), expected);
        CHECK_STATUS(ov_shape_make_superovoid(a, 1.0, e, 0.0, 0.0, NULL, &s), expected);
    }
}

static void test_refused_tapers(void) {
    const double bad[4] = {1.0, -1.0, 1.5, -1e300};
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, bad[i], 0.0, 1.0), OV_ERROR_TAPER);
        CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, 0.0, bad[i], 1.0), OV_ERROR_TAPER);
    }
    CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, NAN, 0.0, 1.0), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, 0.0, -INFINITY, 1.0), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(try_ovoid(1.0, 1.0, 0.5, 0.9, -0.9, 0.05), OV_ERROR_DENT);
    CHECK_OK(try_ovoid(1.0, 1.0, 0.5, 0.9, -0.9, 1.0));
    // tolerances are shares of the smallest semi-axis
    CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, 0.1, 0.1, -0.01), OV_ERROR_OPTION);
    CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, 0.1, 0.1, 1.01), OV_ERROR_OPTION);
    CHECK_STATUS(try_ovoid(1.0, 1.0, 1.0, 0.1, 0.1, NAN), OV_ERROR_OPTION);
    CHECK_OK(try_ovoid(1.0, 1.0, 1.0, 0.1, 0.1, 0.0));
    CHECK(ov_default_shape_options().dent_tolerance == 0.05);
}

/** A refusal leaves the caller's shape alone; each shape is filed under its simplest kind. */
static void test_filing(void) {
    const ov_vec3 equal = {2.0, 2.0, 2.0}, axes = {1.0, 2.0, 3.0};
    ov_shape s, before;
    CHECK_OK(ov_shape_make_superovoid(equal, 1.0, 1.0, 0.0, -0.0, NULL, &s));
    CHECK(s.kind == OV_SHAPE_KIND_SPHERE);
    CHECK_OK(ov_shape_make_superovoid(axes, 1.0, 1.0, 0.0, 0.0, NULL, &s));
    CHECK(s.kind == OV_SHAPE_KIND_ELLIPSOID);
    CHECK_OK(ov_shape_make_superovoid(equal, 1.0, 0.9, 0.0, 0.0, NULL, &s));
    CHECK(s.kind == OV_SHAPE_KIND_SUPERELLIPSOID);
    CHECK_OK(ov_shape_make_superovoid(equal, 1.0, 1.0, 0.0, 1e-3, NULL, &s));
    CHECK(s.kind == OV_SHAPE_KIND_SUPEROVOID);
    CHECK(s.tx == 0.0 && s.ty == 1e-3 && s.a.x == 2.0);
    memcpy(&before, &s, sizeof s);
    CHECK_STATUS(ov_shape_make_sphere(-1.0, &s), OV_ERROR_SIZE_NOT_POSITIVE);
    CHECK_STATUS(ov_shape_make_superellipsoid(axes, 3.0, 1.0, &s), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_shape_make_superovoid(axes, 1.0, 0.5, 0.9, -0.9, NULL, &s), OV_ERROR_DENT);
    CHECK(memcmp(&before, &s, sizeof s) == 0);
    CHECK_STATUS(ov_shape_make_sphere(1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_ellipsoid(axes, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_superellipsoid(axes, 1.0, 1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_shape_make_superovoid(axes, 1.0, 1.0, 0.0, 0.0, NULL, NULL), OV_ERROR_NULL);
}

/* ---- exponent conventions: each against the implicit function as its own authors write it */

/** (|x|^(2/eb) + |y|^(2/eb))^(eb/ea) + |z|^(2/ea) of Barr: ea along z, eb in the section. */
static double barr_function(double ea, double eb, ov_vec3 p) {
    double section = pow(fabs(p.x), 2.0 / eb) + pow(fabs(p.y), 2.0 / eb);
    return pow(section, eb / ea) + pow(fabs(p.z), 2.0 / ea);
}

/** (|x|^n2 + |y|^n2)^(n1/n2) + |z|^n1 of LIGGGHTS. */
static double blocky_function(double n1, double n2, ov_vec3 p) {
    return pow(pow(fabs(p.x), n2) + pow(fabs(p.y), n2), n1 / n2) + pow(fabs(p.z), n1);
}

static void test_convention_meaning(void) {
    check_random r = check_random_make(101);
    double worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        double e1 = check_uniform(&r, 0.2, 2.0), e2 = check_uniform(&r, 0.2, 2.0);
        ov_shape shape;
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, &shape));
        ov_vec3 p = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.3, 1.2));
        ov_field f;
        CHECK(ov_shape_implicit(&shape, p, &f) >= 0);
        double first, second;
        CHECK_OK(ov_exponents_export((ov_exponents){e1, e2}, OV_CONVENTION_BARR, &first, &second));
        double error = fabs(barr_function(first, second, p) / f.value - 1.0);
        CHECK_OK(
            ov_exponents_export((ov_exponents){e1, e2}, OV_CONVENTION_BLOCKY, &first, &second));
        error = fmax(error, fabs(blocky_function(first, second, p) / f.value - 1.0));
        CHECK_NEAR(error, 0.0, 1e-12);
        worst = fmax(worst, error);
    }
    check_worst("same body as the authors' formulas", worst, 1e-12);
}

static void test_convention_round_trip(void) {
    const ov_convention all[] = {OV_CONVENTION_OVOID, OV_CONVENTION_BARR, OV_CONVENTION_BLOCKY};
    check_random r = check_random_make(102);
    for (int i = 0; i < 3000; i++) {
        ov_exponents e = {check_log_uniform(&r, 1e-6, 2.0), check_log_uniform(&r, 1e-6, 2.0)}, back;
        double first, second;
        CHECK_OK(ov_exponents_export(e, all[i % 3], &first, &second));
        CHECK_OK(ov_exponents_import(all[i % 3], first, second, &back));
        // 2/(2/e) may differ in the last bit
        double slack = all[i % 3] == OV_CONVENTION_BLOCKY ? 0x1p-52 : 0.0;
        CHECK_NEAR(back.e1, e.e1, slack * e.e1);
        CHECK_NEAR(back.e2, e.e2, slack * e.e2);
    }
    // the numbers that everybody knows: ellipsoid, octahedron
    ov_exponents e;
    CHECK_OK(ov_exponents_import(OV_CONVENTION_BLOCKY, 2.0, 1.0, &e));
    CHECK(e.e1 == 2.0 && e.e2 == 1.0);
    CHECK_OK(ov_exponents_import(OV_CONVENTION_BARR, 0.1, 0.7, &e));
    CHECK(e.e1 == 0.7 && e.e2 == 0.1);
    CHECK_OK(ov_exponents_import(OV_CONVENTION_OVOID, 0.1, 0.7, &e));
    CHECK(e.e1 == 0.1 && e.e2 == 0.7);
}

static void test_convention_bad_input(void) {
    const double inf = (double)INFINITY, nan = (double)NAN;
    ov_exponents e = {0.25, 0.75};
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_OVOID, 1.0, 1.0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_exponents_import((ov_convention)7, 1.0, 1.0, &e), OV_ERROR_OPTION);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_OVOID, 0.0, 1.0, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_OVOID, 1.0, 2.1, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BARR, -1.0, 1.0, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BARR, nan, 1.0, &e), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BLOCKY, inf, 2.0, &e), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BLOCKY, 2.0, 0.0, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BLOCKY, -2.0, 2.0, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BLOCKY, 0.999, 2.0, &e), OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_import(OV_CONVENTION_BLOCKY, 1e-320, 2.0, &e), OV_ERROR_EXPONENT);
    CHECK(e.e1 == 0.25 && e.e2 == 0.75); // untouched by failures
    double a, b;
    CHECK_STATUS(ov_exponents_export(e, OV_CONVENTION_BARR, NULL, &b), OV_ERROR_NULL);
    CHECK_STATUS(ov_exponents_export(e, OV_CONVENTION_BARR, &a, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_exponents_export(e, (ov_convention)-1, &a, &b), OV_ERROR_OPTION);
    CHECK_STATUS(ov_exponents_export((ov_exponents){nan, 1.0}, OV_CONVENTION_BARR, &a, &b),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_exponents_export((ov_exponents){1.0, 3.0}, OV_CONVENTION_BARR, &a, &b),
                 OV_ERROR_EXPONENT);
    CHECK_STATUS(ov_exponents_export((ov_exponents){1.0, 1e-320}, OV_CONVENTION_BLOCKY, &a, &b),
                 OV_ERROR_EXPONENT);
}

int main(void) {
    check_suite = "superquadric";
    RUN(test_bad_sizes);
    RUN(test_bad_exponents_and_tapers);
    RUN(test_bad_options);
    RUN(test_null);
    RUN(test_messages);
    RUN(test_domain_ends);
    RUN(test_kinds);
    RUN(test_constants);
    RUN(test_kind_names);
    RUN(test_not_a_shape);
    RUN(test_refused_sizes);
    RUN(test_refused_exponents);
    RUN(test_refused_tapers);
    RUN(test_filing);
    RUN(test_convention_meaning);
    RUN(test_convention_round_trip);
    RUN(test_convention_bad_input);
    return check_finish();
}
