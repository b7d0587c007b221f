/**
 * @file vertices.c
 * @brief Support of bodies that are the hull of their vertices: box, polyhedron, triangle, segment,
 * point. It is a maximum over the vertices, exact up to the rounding of the scalar products.
 */
#include "shape_internal.h"

size_t ovi_primitive_vertices(const ov_shape *shape, const ov_vec3 **vertices) {
    *vertices = shape->u.vertices;
    switch (shape->kind) {
    case OV_SHAPE_KIND_POLYHEDRON:
        *vertices = shape->u.polyhedron.vertices;
        return shape->u.polyhedron.vertex_count;
    case OV_SHAPE_KIND_TRIANGLE:
        return 3;
    case OV_SHAPE_KIND_SEGMENT:
        return 2;
    case OV_SHAPE_KIND_POINT:
        return 1;
    default:
        *vertices = NULL;
        return 0;
    }
}

/* ---- box: bits 0 to 2 of a vertex are its negative sides */

static uint32_t support_box(const ov_shape *s, ov_vec3 d, ov_support *out) {
    out->value = fabs(d.x) * s->a.x + fabs(d.y) * s->a.y + fabs(d.z) * s->a.z;
    out->point = ov_vec3_make(ovi_end(d.x, s->a.x), ovi_end(d.y, s->a.y), ovi_end(d.z, s->a.z));
    bool corner = d.x != 0.0 && d.y != 0.0 && d.z != 0.0;
    uint32_t bits = (uint32_t)(d.x < 0.0) | (uint32_t)(d.y < 0.0) << 1 | (uint32_t)(d.z < 0.0) << 2;
    return (bits + 1) | (corner ? 0 : OVI_TIED);
}

static ov_vec3 box_vertex(ov_vec3 half, uint32_t bits) {
    return ov_vec3_make(bits & 1u ? -half.x : half.x, bits & 2u ? -half.y : half.y,
                        bits & 4u ? -half.z : half.z);
}

/* ---- one vertex after the other */

/** Farthest vertex; of several that are equally far, their mean. */
static uint32_t scan(const ov_vec3 *vertices, size_t count, ov_vec3 d, ov_support *out) {
    // a power of two leaves ties as they are, and coordinates of up to OV_SIZE_MAX in range
    int exponent = 0;
    double scale = ovi_max_abs(d);
    if (scale < 1e-200 || scale > 1e200) {
        (void)frexp(scale, &exponent);
        d = ov_vec3_make(ldexp(d.x, -exponent), ldexp(d.y, -exponent), ldexp(d.z, -exponent));
    }
    double best = ov_vec3_dot(d, vertices[0]);
    ovi_mean mean = ovi_mean_start(vertices[0]);
    uint32_t number = 1;
    for (size_t i = 1; i < count; i++) {
        double value = ov_vec3_dot(d, vertices[i]);
        if (value > best) {
            best = value;
            mean = ovi_mean_start(vertices[i]);
            number = (uint32_t)i + 1;
        } else if (value == best) {
            ovi_mean_add(&mean, vertices[i]);
        }
    }
    *out = (ov_support){exponent == 0 ? best : ldexp(best, exponent), ovi_mean_of(&mean)};
    return mean.count > 1.0 ? number | OVI_TIED : number;
}

uint32_t ovi_vertices_scan(const ov_shape *shape, const ov_vec3 *direction, ov_support *out) {
    if (shape->kind == OV_SHAPE_KIND_BOX) {
        return support_box(shape, *direction, out);
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(shape, &vertices);
    return scan(vertices, count, *direction, out);
}

bool ovi_vertex_of(const ov_shape *shape, double number, ov_vec3 *vertex) {
    const ov_vec3 *vertices;
    bool box = shape->kind == OV_SHAPE_KIND_BOX;
    size_t count = box ? 8 : ovi_primitive_vertices(shape, &vertices);
    if (!(number >= 1.0 && number <= (double)count)) {
        return false;
    }
    size_t index = (size_t)number - 1;
    *vertex = box ? box_vertex(shape->a, (uint32_t)index) : vertices[index];
    return true;
}
