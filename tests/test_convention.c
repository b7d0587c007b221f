/**
 * @file test_convention.c
 * @brief Exponent conventions: each against the implicit function as its own authors write it.
 */
#include "check.h"

/** (|x|^(2/eb) + |y|^(2/eb))^(eb/ea) + |z|^(2/ea) of Barr: ea along z, eb in the section. */
static double barr_function(double ea, double eb, ov_vec3 p) {
    double section = pow(fabs(p.x), 2.0 / eb) + pow(fabs(p.y), 2.0 / eb);
    return pow(section, eb / ea) + pow(fabs(p.z), 2.0 / ea);
}

/** (|x|^n2 + |y|^n2)^(n1/n2) + |z|^n1 of LIGGGHTS. */
static double blocky_function(double n1, double n2, ov_vec3 p) {
    return pow(pow(fabs(p.x), n2) + pow(fabs(p.y), n2), n1 / n2) + pow(fabs(p.z), n1);
}

static void test_meaning(void) {
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

static void test_round_trip(void) {
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

static void test_bad_input(void) {
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
    check_suite = "convention";
    RUN(test_meaning);
    RUN(test_round_trip);
    RUN(test_bad_input);
    return check_finish();
}
