/**
 * @file fit_input.c
 * @brief Checks meshes and point clouds before anything is fitted to them.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <ovoid/fit_input.h>
#include <ovoid/shape.h>

#include "math/fault.h"

static bool is_finite(ov_vec3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

static double extent(ov_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

static ov_status blame(ov_fault *fault, ov_status status, const char *what, size_t index) {
    char text[OV_FAULT_TEXT_MAX];
    snprintf(text, sizeof text, "%s %zu: %s", what, index, ov_status_message(status));
    return ovi_fault_set(fault, status, OV_FAULT_PLACE_NONE, 0, text);
}

ov_status ov_fit_input_check(const ov_fit_input *input, ov_fault *fault) {
    if (input == NULL || input->points == NULL ||
        (input->triangles == NULL && input->triangle_count > 0)) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    if (input->point_count == 0 || input->point_count > OV_FIT_MAX ||
        input->triangle_count > OV_FIT_MAX) {
        return ovi_fault_none(fault, OV_ERROR_COUNT);
    }
    for (size_t i = 0; i < input->point_count; i++) {
        if (!is_finite(input->points[i])) {
            return blame(fault, OV_ERROR_NOT_FINITE, "point", i);
        }
        if (extent(input->points[i]) > OV_SIZE_MAX) {
            return blame(fault, OV_ERROR_SIZE_RANGE, "point", i);
        }
    }
    for (size_t i = 0; i < input->triangle_count; i++) {
        const uint32_t *t = input->triangles[i];
        if (t[0] >= input->point_count || t[1] >= input->point_count ||
            t[2] >= input->point_count) {
            return blame(fault, OV_ERROR_INDEX, "triangle", i);
        }
    }
    return ovi_fault_none(fault, OV_OK);
}
