/**
 * @file client.c
 * @brief A program outside the project that uses the installed core, in C and in C++.
 *
 * It proves that headers, library and version belong together, that the names link in both
 * languages, and that the library found works: the support of an ellipsoid along an axis, and the
 * refusal of a bad size.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ovoid/ovoid.h>

int main(void) {
    char expected[64];
    ov_shape shape;
    ov_support support;

    snprintf(expected, sizeof expected, "%d.%d.%d", OV_VERSION_MAJOR, OV_VERSION_MINOR,
             OV_VERSION_PATCH);
    if (strcmp(ov_version_string(), expected) != 0) {
        printf("headers are %s, the library is %s\n", expected, ov_version_string());
        return 1;
    }
    if (ov_shape_make_ellipsoid(ov_vec3_make(1.0, 2.0, 3.0), &shape) != OV_OK ||
        ov_shape_support(&shape, ov_vec3_make(0.0, 0.0, 1.0), &support) != OV_OK ||
        fabs(support.value - 3.0) > 1e-15 || fabs(support.point.z - 3.0) > 1e-15) {
        printf("wrong support of an ellipsoid\n");
        return 1;
    }
    if (ov_shape_make_sphere(-1.0, &shape) != OV_ERROR_SIZE_NOT_POSITIVE) {
        printf("a negative radius was not refused\n");
        return 1;
    }
    printf("ovoid %s: %s\n", ov_version_string(), ov_status_message(OV_OK));
    return 0;
}
