/**
 * @file client_fit.c
 * @brief A program outside the project that uses the installed libovoid_fit.
 */
#include <stdio.h>

#include <ovoid/fit.h>

int main(void) {
    ov_vec3 points[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    uint32_t triangles[1][3] = {{0, 1, 3}};
    ov_fit_input input = {points, 3, triangles, 1};
    ov_fault fault;
    if (ov_fit_input_check(&input, &fault) != OV_ERROR_INDEX) {
        printf("a triangle of four points was taken\n");
        return 1;
    }
    printf("ovoid_fit: %s\n", fault.text);
    return 0;
}
