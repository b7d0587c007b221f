/**
 * @file fuzz_fit_mesh.c
 * @brief Fuzz target: any triangles at all, made ready for a fit and decomposed.
 *
 * The bytes are options, points (mostly on a small grid, so that much coincides, else any doubles)
 * and triangles. What is demanded: a known status; with success a mesh that can be fitted to, maps
 * within their ranges, every vertex within the bound of where it was, lines that are texts; and
 * parts that are all there, with fields that are finite.
 */
#include <math.h>
#include <stdlib.h>

#include <ovoid/fit.h>

#include "reading.h"
#include "source.h"

enum { POINTS_MAX = 40, TRIANGLES_MAX = 80 };

static void judge_maps(const ov_fit_mesh *mesh, const ov_fit_input *in) {
    ov_fit_input out = ov_fit_mesh_input(mesh);
    const uint32_t *sources = ov_fit_mesh_sources(mesh), *targets = ov_fit_mesh_targets(mesh);
    demand(ov_fit_input_check(&out, NULL) == OV_OK, "a mesh that can be fitted to");
    demand(out.triangle_count >= 1 && out.triangle_count <= in->triangle_count, "no new triangles");
    for (size_t i = 0; i < in->triangle_count; i++) {
        demand(targets[i] < out.triangle_count, "a triangle stands for each");
    }
    for (size_t i = 0; i < out.triangle_count; i++) {
        demand(sources[i] < in->triangle_count && targets[sources[i]] == i, "it has a source");
    }
    double added = ov_fit_mesh_added(mesh);
    for (size_t i = 0; i < in->point_count; i++) {
        uint32_t v = ov_fit_mesh_vertex_targets(mesh)[i];
        demand(v == UINT32_MAX || v < out.point_count, "vertices are mapped");
        if (v != UINT32_MAX) {
            ov_vec3 move = ov_vec3_sub(out.points[v], in->points[i]);
            demand(ov_vec3_length(move) <= added, "no vertex moved beyond the bound");
        }
    }
    for (size_t i = 0; i < ov_fit_mesh_line_count(mesh); i++) {
        demand(ov_fit_mesh_line(mesh, i)[0] != '\0', "lines of the report");
    }
}

static void judge_segments(const ov_fit_mesh *mesh, source *s) {
    ov_fit_segments_options o = {.bases = take_byte(s) % 100,
                                 .window = take_unit(s),
                                 .locale = 0.3 * take_unit(s),
                                 .hyperbolic = take_unit(s),
                                 .curvature = 100.0 * take_unit(s),
                                 .least = 0.5 * take_unit(s)};
    ov_fit_segments *segments;
    demand(ov_fit_segments_create(mesh, &o, &segments) == OV_OK, "any mesh has parts");
    size_t count = ov_fit_mesh_input(mesh).triangle_count;
    bool seen[TRIANGLES_MAX] = {false};
    for (size_t i = 0; i < count; i++) {
        uint32_t label = ov_fit_segments_labels(segments)[i];
        demand(label < ov_fit_segments_count(segments), "a part for each triangle");
        seen[label] = true;
        demand(isfinite(ov_fit_segments_protrusion(segments)[i]), "finite protrusion");
        demand(isfinite(ov_fit_segments_curvature(segments)[i]), "finite curvature");
    }
    for (size_t i = 0; i < ov_fit_segments_count(segments); i++) {
        demand(seen[i], "no part is empty");
    }
    ov_fit_segments_destroy(segments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source s = {.data = data, .size = size};
    ov_vec3 points[POINTS_MAX];
    uint32_t triangles[TRIANGLES_MAX][3];
    unsigned how = take_byte(&s);
    double noise = how & 1 ? 1e-8 : 0.0, *numbers = &points[0].x;
    s.wild = (how & 2) != 0;
    ov_fit_input in = {points, 1 + take_byte(&s) % POINTS_MAX, (const uint32_t(*)[3])triangles,
                       1 + take_byte(&s) % TRIANGLES_MAX};
    ov_fit_mesh_options o = {.weld = how & 4 ? OV_ZERO : 0.1 * take_unit(&s),
                             .triangles = how & 8 ? 1 + take_byte(&s) : 0,
                             .crossing_pairs = how & 16 ? 1 + take_byte(&s) : 0};
    for (size_t i = 0; i < 3 * in.point_count; i++) {
        unsigned b = take_byte(&s);
        numbers[i] = s.wild ? take_raw(&s) : (double)(b % 5) + noise * (double)(b / 5 % 3);
    }
    for (size_t i = 0; i < 3 * in.triangle_count; i++) {
        triangles[i / 3][i % 3] = (uint32_t)(take_byte(&s) % (in.point_count + (how & 32 ? 1 : 0)));
    }
    ov_fit_mesh *mesh;
    ov_fault fault;
    ov_status status = ov_fit_mesh_create(&in, &o, &mesh, &fault);
    demand(status <= OV_OK && status >= OV_ERROR_LIMIT, "status");
    demand((status == OV_OK) == (mesh != NULL), "a mesh only with success");
    judge_text(status, &fault);
    if (status == OV_OK) {
        judge_maps(mesh, &in);
        judge_segments(mesh, &s);
    }
    ov_fit_mesh_destroy(mesh);
    return 0;
}
