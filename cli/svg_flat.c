/**
 * @file svg_flat.c
 * @brief Flat faces, each in one colour, with its edges.
 *
 * Interpolated shades would make a polyhedron look blown up, so each visible triangle is filled
 * with the shade of its own normal. Its stroke in the same colour closes the hairlines between
 * triangles of one face; then the edges between faces are drawn, and last the outline.
 */
#include "svg_flat.h"

#include <math.h>
#include <stdlib.h>

typedef struct flat {
    FILE *out;
    const svg_view *view;
    const svg_ramp *ramp;
    const ov_vec3 *vertices;
    const uint32_t (*triangles)[3];
    size_t count;
    bool two_sided;
} flat;

bool svg_flat_can_draw(const ov_shape *shape) {
    return shape->kind == OV_SHAPE_KIND_BOX || shape->kind == OV_SHAPE_KIND_TRIANGLE ||
           (shape->kind == OV_SHAPE_KIND_POLYHEDRON && shape->u.polyhedron.triangle_count > 0);
}

static ov_vec3 normal_of(const flat *f, size_t t) {
    const uint32_t *v = f->triangles[t];
    ov_vec3 a = f->vertices[v[0]];
    ov_vec3 e1 = ov_vec3_normalize(ov_vec3_sub(f->vertices[v[1]], a));
    ov_vec3 e2 = ov_vec3_normalize(ov_vec3_sub(f->vertices[v[2]], a));
    ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(e1, e2));
    return f->two_sided && ov_vec3_dot(n, f->view->eye) < 0.0 ? ov_vec3_neg(n) : n;
}

static bool is_visible(const flat *f, size_t t) {
    return ov_vec3_dot(normal_of(f, t), f->view->eye) > 0.0;
}

static void write_point(const flat *f, uint32_t vertex) {
    double unit = f->view->scale / SVG_BODY_UNIT;
    ov_vec3 p = f->vertices[vertex];
    fprintf(f->out, "%.0f %.0f", unit * ov_vec3_dot(p, f->view->right),
            -unit * ov_vec3_dot(p, f->view->up));
}

static void draw_faces(const flat *f) {
    for (size_t t = 0; t < f->count; t++) {
        if (!is_visible(f, t)) {
            continue;
        }
        double shade = svg_shade(f->view, normal_of(f, t));
        fputs("<path", f->out);
        svg_write_colour(f->out, f->ramp, "fill", shade);
        svg_write_colour(f->out, f->ramp, "stroke", shade);
        fputs(" d=\"M", f->out);
        for (int k = 0; k < 3; k++) {
            fputs(k > 0 ? "L" : "", f->out);
            write_point(f, f->triangles[t][k]);
        }
        fputs("z\"/>\n", f->out);
    }
}

typedef struct edge {
    uint32_t low, high;
    uint32_t triangle;
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    return p->high < q->high ? -1 : p->high > q->high;
}

/** Edges with a visible face on at least one side, where the surface bends. */
static ov_status draw_edges(const flat *f) {
    const double same_face = 0.9999;
    size_t count = 3 * f->count;
    edge *edges = malloc(count * sizeof *edges);
    if (edges == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t a = f->triangles[i / 3][i % 3], b = f->triangles[i / 3][(i + 1) % 3];
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3)};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    fputs("<path fill=\"none\"", f->out);
    svg_write_colour(f->out, f->ramp, "stroke", 0.0);
    fputs(" stroke-width=\"6\" stroke-linecap=\"round\" d=\"M0 0", f->out);
    for (size_t i = 0; i < count; i++) {
        bool shared = i + 1 < count && compare_edges(&edges[i], &edges[i + 1]) == 0;
        size_t other = shared ? edges[i + 1].triangle : edges[i].triangle;
        bool seen = is_visible(f, edges[i].triangle) || is_visible(f, other);
        double bend = ov_vec3_dot(normal_of(f, edges[i].triangle), normal_of(f, other));
        if (seen && (!shared || bend < same_face)) {
            fputc('M', f->out);
            write_point(f, edges[i].low);
            fputc('L', f->out);
            write_point(f, edges[i].high);
        }
        i += shared;
    }
    fputs("\"/>\n", f->out);
    free(edges);
    return OV_OK;
}

ov_status svg_flat_draw(FILE *out, const ov_shape *shape, const svg_view *view,
                        const svg_ramp *ramp) {
    static const uint32_t box[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                        {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                        {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const uint32_t one[1][3] = {{0, 1, 2}};
    ov_vec3 corners[8];
    flat f = {out, view, ramp, corners, box, 12, false};
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        for (int i = 0; i < 8; i++) {
            ov_vec3 sign = ov_vec3_make(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
            corners[i] = ov_vec3_mul(sign, shape->a);
        }
        break;
    case OV_SHAPE_KIND_TRIANGLE:
        f = (flat){out, view, ramp, shape->u.vertices, one, 1, true};
        break;
    case OV_SHAPE_KIND_POLYHEDRON:
        f.vertices = shape->u.polyhedron.vertices;
        f.triangles = shape->u.polyhedron.triangles;
        f.count = shape->u.polyhedron.triangle_count;
        break;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
    draw_faces(&f);
    return draw_edges(&f);
}
