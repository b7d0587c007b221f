/**
 * @file test_fit_input.c
 * @brief What can be fitted to, and what is said of what cannot: counts, numbers, indices.
 */
#include <math.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/shape.h>

#include "check.h"

static ov_status check_one(ov_vec3 last, uint32_t index, ov_fault *fault) {
    ov_vec3 points[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, last};
    uint32_t triangles[2][3] = {{0, 1, 2}, {2, 1, index}};
    ov_fit_input input = {points, 3, triangles, 2};
    return ov_fit_input_check(&input, fault);
}

static void numbers(void) {
    ov_fault fault;
    CHECK_STATUS(check_one((ov_vec3){0.0, 1.0, 0.0}, 0, &fault), OV_OK);
    CHECK(strcmp(fault.text, "") == 0);
    CHECK_STATUS(check_one((ov_vec3){0.0, OV_SIZE_MAX, 0.0}, 0, NULL), OV_OK);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(check_one((ov_vec3){bad[i], 0.0, 0.0}, 0, &fault), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(check_one((ov_vec3){0.0, bad[i], 0.0}, 0, NULL), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(check_one((ov_vec3){0.0, 0.0, bad[i]}, 0, NULL), OV_ERROR_NOT_FINITE);
    }
    CHECK(strncmp(fault.text, "point 2: ", 9) == 0);
    CHECK_STATUS(check_one((ov_vec3){0.0, 0.0, -1.1 * OV_SIZE_MAX}, 0, NULL), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(check_one((ov_vec3){0.0, 1.0, 0.0}, 3, &fault), OV_ERROR_INDEX);
    CHECK(strncmp(fault.text, "triangle 1: ", 12) == 0);
}

static void counts(void) {
    ov_vec3 point = {1.0, 2.0, 3.0};
    ov_fit_input cloud = {.points = &point, .point_count = 1};
    CHECK_STATUS(ov_fit_input_check(NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_input_check(&cloud, NULL), OV_OK);
    cloud.triangle_count = 1;
    CHECK_STATUS(ov_fit_input_check(&cloud, NULL), OV_ERROR_NULL);
    ov_fit_input none = {.points = &point};
    CHECK_STATUS(ov_fit_input_check(&none, NULL), OV_ERROR_COUNT);
    none.points = NULL;
    CHECK_STATUS(ov_fit_input_check(&none, NULL), OV_ERROR_NULL);
    ov_fit_input many = {.points = &point, .point_count = OV_FIT_MAX + 1};
    CHECK_STATUS(ov_fit_input_check(&many, NULL), OV_ERROR_COUNT);
}

int main(void) {
    check_suite = "fit_input";
    RUN(numbers);
    RUN(counts);
    return check_finish();
}
