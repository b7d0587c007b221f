/**
 * @file client_schemes.c
 * @brief A program outside the project that uses the installed libovoid_schemes: two spheres by
 * every scheme that was built.
 */
#include <math.h>
#include <stdio.h>

#include <ovoid/ovoid.h>
#include <ovoid/schemes.h>

int main(void) {
    ov_shape a, b;
    if (ov_shape_make_sphere(1.0, &a) != OV_OK || ov_shape_make_sphere(0.5, &b) != OV_OK) {
        printf("no spheres\n");
        return 1;
    }
    ov_pose here = ov_pose_identity(), there = ov_pose_identity();
    there.position = ov_vec3_make(0.3, 1.1, 2.3);
    double gap = ov_vec3_length(there.position) - 1.5;
    int built = 0;
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        ov_scheme scheme = (ov_scheme)i;
        ov_scheme_result result;
        ov_status status = ov_scheme_contact(scheme, &a, here, &b, there, NULL, &result);
        bool missing = ov_scheme_missing(scheme) != NULL;
        bool exact = scheme != OV_SCHEME_MESH && scheme != OV_SCHEME_DISCRETE;
        bool good = missing ? status == OV_ERROR_MISSING
                            : status >= 0 && fabs(result.gap - gap) <= (exact ? 1e-5 : 0.5);
        if (!good) {
            printf("%s: %s, gap %g, not %g\n", ov_scheme_name(scheme), ov_status_message(status),
                   result.gap, gap);
            return 1;
        }
        built += !missing;
    }
    printf("ovoid_schemes: %d of %d schemes\n", built, (int)OV_SCHEME_COUNT);
    return 0;
}
