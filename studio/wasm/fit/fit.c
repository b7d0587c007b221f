/**
 * @file fit.c
 * @brief Bodies for the bones of a sketch, from a mesh that was dropped on it.
 *
 * This becomes fit.wasm (split.mjs): few sketches begin with a mesh, and the pages start without
 * it. The service worker keeps it for use without a network. A call that fails returns a negative
 * status; studio_fit_fault has a line about the last one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>

#include "../export.h"

/** A body: bone, position, rotation w x y z, a1 a2 a3, e1 e2, tx ty. */
enum { PART_ROW = 15 };

static ov_fault last_fault;

STUDIO_EXPORT(studio_fit_fault) const char *studio_fit_fault(void) { return last_fault.text; }

static ov_vec3 vec3_of(const double *v) { return ov_vec3_make(v[0], v[1], v[2]); }

static double segment_distance(ov_vec3 p, const double *segment) {
    ov_vec3 a = vec3_of(segment), ab = ov_vec3_sub(vec3_of(segment + 3), a);
    ov_vec3 ap = ov_vec3_sub(p, a);
    double square = ov_vec3_dot(ab, ab);
    double t = square > 0.0 ? ov_vec3_dot(ap, ab) / square : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    ov_vec3 off = ov_vec3_sub(ap, ov_vec3_scale(ab, t));
    return ov_vec3_dot(off, off);
}

/** The bone that is nearest to the middle of each triangle. */
static void assign(const ov_vec3 *points, const uint32_t (*triangles)[3], size_t count,
                   const double *bones, size_t bone_count, uint32_t *owner) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t *t = triangles[i];
        ov_vec3 sum = ov_vec3_add(points[t[0]], ov_vec3_add(points[t[1]], points[t[2]]));
        ov_vec3 middle = ov_vec3_scale(sum, 1.0 / 3.0);
        double least = INFINITY;
        for (size_t b = 0; b < bone_count; b++) {
            double d = segment_distance(middle, bones + 6 * b);
            if (d < least) {
                least = d;
                owner[i] = (uint32_t)b;
            }
        }
    }
}

static void part_to(const ov_fit_part *part, size_t bone, double *out) {
    const ov_shape *s = &part->shape;
    ov_vec3 at = part->pose.position;
    ov_quat turn = part->pose.rotation;
    const double row[PART_ROW] = {(double)bone, at.x,   at.y,   at.z,   turn.w,
                                  turn.x,       turn.y, turn.z, s->a.x, s->a.y,
                                  s->a.z,       s->e1,  s->e2,  s->tx,  s->ty};
    memcpy(out, row, sizeof row);
}

/** The bodies of one bone: a single one by least squares, several that enclose the triangles. */
static int fit_bone(const ov_fit_input *input, size_t bone, size_t parts, double *out) {
    if (parts <= 1) {
        ov_fit_shape_result result;
        ov_status status = ov_fit_shape(input, OV_SHAPE_KIND_SUPEROVOID, NULL, &result);
        if (status >= 0) {
            part_to(&(ov_fit_part){result.shape, result.pose}, bone, out);
        }
        return status < 0 ? (int)status : 1;
    }
    ov_fit *fit = NULL;
    ov_fit_parts_options options = ov_default_fit_parts_options();
    options.parts = parts;
    options.cells = 32; // a proposal while a person waits
    ov_status status = ov_fit_parts_create(input, &options, &fit);
    size_t count = status < 0 ? 0 : ov_fit_part_count(fit);
    for (size_t i = 0; i < count; i++) {
        part_to(&ov_fit_parts(fit)[i], bone, out + PART_ROW * i);
    }
    ov_fit_destroy(fit);
    return status < 0 ? (int)status : (int)count;
}

/**
 * Proposes bodies for bones (two end points each) from a mesh: each triangle goes to the nearest
 * bone, and each bone gets up to `parts` bodies of what is its own. Rows as those of
 * PART_ROW, in the world; `out` has room for `parts`
 * of them for each bone. Returns their number. Bones without enough triangles get none.
 */
STUDIO_EXPORT(studio_fit)
int studio_fit(const double *points, size_t point_count, const uint32_t *corners,
               size_t triangle_count, const double *bones, size_t bone_count, size_t parts,
               double *out) {
    last_fault = (ov_fault){0};
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])(const void *)corners;
    ov_fit_input all = {(const ov_vec3 *)(const void *)points, point_count, triangles,
                        triangle_count};
    ov_status status = ov_fit_input_check(&all, &last_fault);
    uint32_t *owner = calloc(triangle_count + 1, sizeof *owner);
    uint32_t(*own)[3] = calloc(triangle_count + 1, sizeof *own);
    if (status >= 0 && (owner == NULL || own == NULL || triangle_count == 0 || bone_count == 0)) {
        status = owner == NULL || own == NULL ? OV_ERROR_MEMORY : OV_ERROR_COUNT;
    }
    size_t rows = 0;
    if (status >= 0) {
        assign(all.points, triangles, triangle_count, bones, bone_count, owner);
        for (size_t b = 0; b < bone_count; b++) {
            size_t count = 0;
            for (size_t i = 0; i < triangle_count; i++) {
                if (owner[i] == b) {
                    memcpy(own[count++], triangles[i], sizeof own[0]);
                }
            }
            const ov_fit_input input = {all.points, point_count, (const uint32_t(*)[3])own, count};
            int made = count < 4 ? 0 : fit_bone(&input, b, parts, out + PART_ROW * rows);
            rows += made > 0 ? (size_t)made : 0;
        }
    }
    free(owner);
    free(own);
    if (status < 0 && last_fault.text[0] == '\0') {
        (void)snprintf(last_fault.text, sizeof last_fault.text, "%s", ov_status_message(status));
    }
    return status < 0 ? (int)status : (int)rows;
}
