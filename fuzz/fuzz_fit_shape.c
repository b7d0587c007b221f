/**
 * @file fuzz_fit_shape.c
 * @brief Fuzz target: one body for any points and triangles at all.
 *
 * The bytes are options, which may be out of range, points (mostly on a small grid, so that much
 * coincides, is flat or in a line, else any doubles) and triangles. What is demanded: a known
 * status; with success numbers that are finite, enclosing bodies that are proven to enclose, and
 * the same bits again.
 */
#include <math.h>
#include <stdlib.h>

#include <ovoid/fit.h>

#include "reading.h"
#include "source.h"

enum { POINTS_MAX = 24, TRIANGLES_MAX = 40 };

static void judge_body(const ov_shape *shape, ov_pose pose) {
    demand(isfinite(shape->a.x) && isfinite(shape->a.y) && isfinite(shape->a.z), "finite sizes");
    demand(shape->a.x > 0.0 && isfinite(pose.position.x + pose.position.y + pose.position.z),
           "a placed body");
    demand(isfinite(pose.rotation.w + pose.rotation.x + pose.rotation.y + pose.rotation.z),
           "a finite rotation");
}

static void judge_one_body(const ov_fit_input *in, source *s) {
    ov_shape_kind kind = (ov_shape_kind)(take_byte(s) % (unsigned)(OV_SHAPE_KIND_COUNT + 1));
    unsigned which = take_byte(s);
    ov_fit_shape_options o = {.objective = (ov_fit_objective)(take_byte(s) % 6),
                              .samples = which & 1 ? take_byte(s) : 0,
                              .iterations = 1 + take_byte(s) % 20,
                              .seed = take_byte(s),
                              .exponent_min = which & 2 ? 2.0 * take_unit(s) : 0.0,
                              .exponent_max = which & 4 ? 2.1 * take_unit(s) : 0.0,
                              .taper_max = which & 8 ? 1.1 * take_unit(s) : 0.0,
                              .size_min = which & 16 ? 0.6 * take_unit(s) : 0.0};
    ov_fit_shape_result one, two;
    ov_status status = ov_fit_shape(in, kind, &o, &one);
    demand(status >= OV_ERROR_LIMIT, "status");
    if (status < OV_OK) {
        return;
    }
    judge_body(&one.shape, one.pose);
    demand(one.error_mean >= 0.0 && one.error_mean <= one.error_max, "errors in their order");
    demand(ov_fit_shape(in, kind, &o, &two) == status, "the same status again");
    demand(memcmp(&one.pose, &two.pose, sizeof one.pose) == 0 && one.volume == two.volume &&
               one.error_rms == two.error_rms,
           "the same bits again");
    if (o.objective == OV_FIT_OBJECTIVE_ENCLOSE) {
        ov_fit_part part = {one.shape, one.pose};
        ov_fit_verdict verdict;
        demand(ov_fit_prove(&part, 1, in, &verdict) == OV_OK, "it can be looked at");
        demand(verdict.surface, "every triangle is inside");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source s = {.data = data, .size = size};
    ov_vec3 points[POINTS_MAX];
    uint32_t triangles[TRIANGLES_MAX][3];
    unsigned how = take_byte(&s);
    double *numbers = &points[0].x;
    s.wild = (how & 3) == 3;
    ov_fit_input in = {points, take_byte(&s) % (POINTS_MAX + 1), (const uint32_t(*)[3])triangles,
                       how & 4 ? 0 : take_byte(&s) % (TRIANGLES_MAX + 1)};
    for (size_t i = 0; i < 3 * in.point_count; i++) {
        numbers[i] = s.wild ? take_raw(&s) : (double)(take_byte(&s) % 5);
    }
    for (size_t i = 0; i < 3 * in.triangle_count; i++) {
        size_t most = in.point_count + (how & 8 ? 1 : 0);
        triangles[i / 3][i % 3] = (uint32_t)(take_byte(&s) % (most > 0 ? most : 1));
    }
    judge_one_body(&in, &s);
    return 0;
}
