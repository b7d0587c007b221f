/**
 * @file svg_body.c
 * @brief Bodies as SVG paths: smooth ones, those of flat faces, meshes, segments and points.
 *
 * SVG has only flat fills. Filling the facets of a smooth body one by one shows them as such,
 * leaves hairlines between them and makes large files. Here the shade, a function on the visible
 * part of the surface, is drawn by its level sets: for each of some dozen levels one path encloses
 * all that is at least so bright, each painted over the one before. As the regions are nested,
 * there are no gaps to see through, and a path holds only the outline of its region.
 *
 *  1. A fine mesh is projected; triangles that turn away from the reader are dropped. For a convex
 *     body that is exactly what is hidden; where a dented surface hides a part of itself, a ray to
 *     the reader tells.
 *  2. Each vertex gets a place in the picture and a shade, from its normal.
 *  3. For a level, the shade is linear in each triangle: it is cut where the shade crosses the
 *     level, and the cuts, with the outer edges, are chained to closed paths.
 *
 * Interpolated shades would make a polyhedron look blown up, so of a body with flat faces each
 * visible triangle is filled with the shade of its own normal. Its stroke in the same colour closes
 * the hairlines between triangles of one face; then the edges between faces are drawn.
 *
 * A mesh need be neither convex nor closed, so both sides of a triangle may be seen, and what hides
 * what is told by depth: that of the middle of each triangle, which is a guess where they cross.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#include "svg.h"

/* ---- smooth bodies --------------------------------------------------------------------------- */

enum { MESH_VERTICES = 12000, OUTLINE_VERTICES = 4000, LEVELS = 64 };

typedef struct node {
    double x, y; /**< in the picture, units of SVG_BODY_UNIT */
    double shade;
} node;

/** A visible triangle. */
typedef struct facet {
    uint32_t nodes[3];
    unsigned outer; /**< bit c: beyond the edge from corner c nothing is visible */
} facet;

/** A place on a path: a node, or the crossing between two; equal keys are the same place. */
typedef struct place {
    uint64_t key;
    double x, y;
} place;

typedef struct segment {
    place from, to;
    bool used;
} segment;

typedef struct drawing {
    const svg_view *view;
    const svg_ramp *ramp;
    FILE *out;
    ov_mesh_plan plan;
    ov_vec3 *vertices, *normals;
    uint32_t (*triangles)[3];
    node *nodes; /**< one per vertex */
    facet *facets;
    size_t facet_count;
    segment *segments;
    size_t segment_count;
    place *path; /**< the path that is being chained */
} drawing;

static place project(const svg_view *v, ov_vec3 p) {
    double pixels = v->scale / SVG_BODY_UNIT;
    return (place){0, pixels * ov_vec3_dot(p, v->right), -pixels * ov_vec3_dot(p, v->up)};
}

/* ---- smooth bodies, step 1: what can be seen ------------------------------------------------- */

/** Does the ray from a surface point to the reader pass through the body again? */
static bool hidden_by_dent(const drawing *d, const ov_shape *shape, ov_vec3 point) {
    if (shape->dent == 0.0) {
        return false;
    }
    enum { STEPS = 32 };
    double reach = 2.0 * fmax(shape->a.x, fmax(shape->a.y, shape->a.z));
    for (int i = 1; i <= STEPS; i++) {
        double gauge;
        ov_vec3 p = ov_vec3_add_scaled(point, d->view->eye, reach * i / STEPS);
        if (ov_shape_gauge_value(shape, p, &gauge) >= 0 && gauge < 1.0 - 1e-6) {
            return true;
        }
    }
    return false;
}

static void find_facets(drawing *d, const ov_shape *shape) {
    for (size_t t = 0; t < d->plan.triangle_count; t++) {
        const uint32_t *v = d->triangles[t];
        place a = project(d->view, d->vertices[v[0]]), b = project(d->view, d->vertices[v[1]]),
              c = project(d->view, d->vertices[v[2]]);
        // y runs down: triangles that face the reader run clockwise in these coordinates
        if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) >= 0.0) {
            continue;
        }
        ov_vec3 middle = ov_vec3_add(d->vertices[v[0]], d->vertices[v[1]]);
        middle = ov_vec3_scale(ov_vec3_add(middle, d->vertices[v[2]]), 1.0 / 3.0);
        if (!hidden_by_dent(d, shape, middle)) {
            facet f = {{v[0], v[1], v[2]}, 0};
            d->facets[d->facet_count++] = f;
        }
    }
}

/* ---- smooth bodies, step 2: nodes ------------------------------------------------------------ */

static void make_nodes(drawing *d) {
    for (size_t v = 0; v < d->plan.vertex_count; v++) {
        place p = project(d->view, d->vertices[v]);
        d->nodes[v] = (node){p.x, p.y, svg_shade(d->view, d->normals[v])};
    }
}

typedef struct edge {
    uint64_t key; /**< both ends, the lower first */
    uint32_t facet;
    int corner;
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *p = a, *q = b;
    return p->key < q->key ? -1 : p->key > q->key;
}

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/** Finds the edges that have a visible facet on one side only. */
static bool find_outer_edges(drawing *d) {
    size_t count = 3 * d->facet_count;
    edge *edges = malloc((count + 1) * sizeof *edges);
    if (edges == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *n = d->facets[i / 3].nodes;
        edges[i] = (edge){pair_key(n[i % 3], n[(i + 1) % 3]), (uint32_t)(i / 3), (int)(i % 3)};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        bool shared = (i > 0 && edges[i - 1].key == edges[i].key) ||
                      (i + 1 < count && edges[i + 1].key == edges[i].key);
        d->facets[edges[i].facet].outer |= shared ? 0u : 1u << edges[i].corner;
    }
    free(edges);
    return true;
}

/* ---- smooth bodies, step 3: paths ------------------------------------------------------------ */

static void add_segment(drawing *d, place from, place to) {
    d->segments[d->segment_count++] = (segment){from, to, false};
}

static place node_place(const drawing *d, uint32_t n) {
    return (place){n, d->nodes[n].x, d->nodes[n].y};
}

/** Where the shade crosses the level between two nodes; the same from either side. */
static place crossing(const drawing *d, uint32_t a, uint32_t b, double level) {
    const node *p = &d->nodes[a < b ? a : b], *q = &d->nodes[a < b ? b : a];
    double t = (level - p->shade) / (q->shade - p->shade);
    // one added to each end keeps these keys apart from those of the nodes
    uint64_t key = pair_key(a, b) + (UINT64_C(1) << 32) + 1;
    return (place){key, p->x + t * (q->x - p->x), p->y + t * (q->y - p->y)};
}

/** The outline, inside one facet, of what is at least as bright as the level. */
static void cut_facet(drawing *d, const facet *f, double level) {
    place leaving = {0}, entering = {0};
    bool cut = false;
    for (int c = 0; c < 3; c++) {
        uint32_t a = f->nodes[c], b = f->nodes[(c + 1) % 3];
        bool a_in = d->nodes[a].shade >= level, b_in = d->nodes[b].shade >= level;
        bool outer = (f->outer >> c & 1u) != 0;
        place from = node_place(d, a), to = node_place(d, b);
        if (a_in && !b_in) {
            leaving = to = crossing(d, a, b, level);
            cut = true;
        } else if (!a_in && b_in) {
            entering = from = crossing(d, a, b, level);
        }
        if (outer && (a_in || b_in)) {
            add_segment(d, from, to);
        }
    }
    if (cut) {
        add_segment(d, leaving, entering);
    }
}

static int compare_segments(const void *a, const void *b) {
    const segment *p = a, *q = b;
    return p->from.key < q->from.key ? -1 : p->from.key > q->from.key;
}

/** An unused segment that begins at the key, or null. */
static segment *find_segment(drawing *d, uint64_t key) {
    size_t low = 0, high = d->segment_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->segments[middle].from.key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < d->segment_count && d->segments[low].from.key == key; low++) {
        if (!d->segments[low].used) {
            return &d->segments[low];
        }
    }
    return NULL;
}

/** Distance of p from the line through a and b, or from a where the two coincide. */
static double distance_from_line(place p, place a, place b) {
    double x = b.x - a.x, y = b.y - a.y, length = hypot(x, y);
    if (length < 1e-9) {
        return hypot(p.x - a.x, p.y - a.y);
    }
    return fabs(x * (p.y - a.y) - y * (p.x - a.x)) / length;
}

/** May the points between `from` and `to` be left out? */
static bool is_straight(const place *path, size_t from, size_t to) {
    const double tolerance = 0.5; // a twentieth of a pixel
    enum { LONGEST = 40 };
    if (to - from > LONGEST) {
        return false;
    }
    for (size_t i = from + 1; i < to; i++) {
        if (distance_from_line(path[i], path[from], path[to]) > tolerance) {
            return false;
        }
    }
    return true;
}

/** Writes a closed path by whole numbers relative to the point before. */
static void write_path(drawing *d, size_t count) {
    const place *p = d->path;
    long x = lround(p[0].x), y = lround(p[0].y);
    fprintf(d->out, "M%ld %ldl", x, y);
    bool first = true;
    for (size_t i = 0; i + 1 < count;) {
        size_t next = i + 1;
        while (next + 1 < count && is_straight(p, i, next + 1)) {
            next++;
        }
        long dx = lround(p[next].x) - x, dy = lround(p[next].y) - y;
        if (dx != 0 || dy != 0) {
            fprintf(d->out, "%s%ld%s%ld", first || dx < 0 ? "" : " ", dx, dy < 0 ? "" : " ", dy);
            first = false;
        }
        x += dx;
        y += dy;
        i = next;
    }
    fputs(first ? "0 0z" : "z", d->out);
}

/** Chains all segments to closed paths and writes those that enclose anything. */
static void write_paths(drawing *d) {
    qsort(d->segments, d->segment_count, sizeof *d->segments, compare_segments);
    for (size_t s = 0; s < d->segment_count; s++) {
        size_t count = 0;
        double area = 0.0;
        segment *at = d->segments[s].used ? NULL : &d->segments[s];
        for (; at != NULL; at = find_segment(d, at->to.key)) {
            at->used = true;
            d->path[count++] = at->from;
            area += at->from.x * at->to.y - at->from.y * at->to.x;
        }
        // below a square of a tenth of a pixel nothing shows
        if (count >= 3 && fabs(area) > 2.0) {
            write_path(d, count);
        }
    }
    d->segment_count = 0;
}

static void draw_levels(drawing *d) {
    double darkest = 1.0, brightest = 0.0;
    for (size_t i = 0; i < d->facet_count; i++) {
        for (int c = 0; c < 3; c++) {
            double shade = d->nodes[d->facets[i].nodes[c]].shade;
            darkest = fmin(darkest, shade);
            brightest = fmax(brightest, shade);
        }
    }
    for (int k = (int)(darkest * LEVELS); k <= LEVELS && k <= brightest * LEVELS; k++) {
        double level = (double)k / LEVELS;
        for (size_t i = 0; i < d->facet_count; i++) {
            cut_facet(d, &d->facets[i], level);
        }
        fputs("<path", d->out);
        svg_write_colour(d->out, d->ramp, "fill", (k + 0.5) / LEVELS);
        svg_write_colour(d->out, d->ramp, "stroke", (k + 0.5) / LEVELS);
        fputs(" d=\"", d->out);
        write_paths(d);
        fputs("\"/>\n", d->out);
    }
}

/** The segments between what is visible and what is not, as closed paths. */
static void write_outline(drawing *d) {
    for (size_t i = 0; i < d->facet_count; i++) {
        const facet *f = &d->facets[i];
        for (int c = 0; c < 3; c++) {
            if (f->outer >> c & 1u) {
                add_segment(d, node_place(d, f->nodes[c]), node_place(d, f->nodes[(c + 1) % 3]));
            }
        }
    }
    fputs(" d=\"", d->out);
    write_paths(d);
    fputs("\"/>\n", d->out);
}

static void draw_outline(drawing *d) {
    fputs("<path fill=\"none\"", d->out);
    svg_write_colour(d->out, d->ramp, "stroke", 0.0);
    fputs(" stroke-width=\"6\"", d->out);
    write_outline(d);
}

/* ---- smooth bodies, the whole ---------------------------------------------------------------- */

static bool allocate(drawing *d) {
    size_t vertices = d->plan.vertex_count, triangles = d->plan.triangle_count;
    d->vertices = malloc(vertices * sizeof *d->vertices);
    d->normals = malloc(vertices * sizeof *d->normals);
    d->triangles = malloc(triangles * sizeof *d->triangles);
    d->nodes = malloc(vertices * sizeof *d->nodes);
    d->facets = malloc(triangles * sizeof *d->facets);
    // at most three outer edges and one cut per facet
    d->segments = malloc(4 * triangles * sizeof *d->segments);
    d->path = malloc(4 * triangles * sizeof *d->path);
    return d->vertices != NULL && d->normals != NULL && d->triangles != NULL && d->nodes != NULL &&
           d->facets != NULL && d->segments != NULL && d->path != NULL;
}

static void release(drawing *d) {
    free(d->vertices);
    free(d->normals);
    free(d->triangles);
    free(d->nodes);
    free(d->facets);
    free(d->segments);
    free(d->path);
}

/** Steps 1 and 2; to be released also where it fails. */
static ov_status prepare(drawing *d, const ov_shape *shape, size_t vertices) {
    ov_mesh_options options = ov_default_mesh_options();
    options.vertices = vertices;
    ov_status status = ov_shape_mesh_plan(shape, &options, &d->plan);
    if (status < 0) {
        return status;
    }
    if (!allocate(d)) {
        return OV_ERROR_MEMORY;
    }
    status = ov_shape_mesh_fill(shape, &d->plan, d->vertices, d->normals, d->triangles);
    if (status < 0) {
        return status;
    }
    find_facets(d, shape);
    make_nodes(d);
    return find_outer_edges(d) ? OV_OK : OV_ERROR_MEMORY;
}

static ov_status draw_smooth(FILE *out, const ov_shape *shape, const svg_view *view,
                             const svg_ramp *ramp) {
    drawing d = {.view = view, .ramp = ramp, .out = out};
    ov_status status = prepare(&d, shape, MESH_VERTICES);
    if (status >= 0) {
        draw_levels(&d);
        draw_outline(&d);
    }
    release(&d);
    return status;
}

ov_status svg_shape_outline(FILE *out, const ov_shape *shape, const svg_view *view,
                            const char *attributes) {
    drawing d = {.view = view, .out = out};
    ov_status status = prepare(&d, shape, OUTLINE_VERTICES);
    if (status >= 0) {
        fprintf(out, "<path %s", attributes);
        write_outline(&d);
    }
    release(&d);
    return status;
}

/* ---- flat faces ------------------------------------------------------------------------------ */

typedef struct flat {
    FILE *out;
    const svg_view *view;
    const svg_ramp *ramp;
    const ov_vec3 *vertices;
    const uint32_t (*triangles)[3];
    size_t count;
    bool two_sided;
} flat;

static bool has_flat_faces(const ov_shape *shape) {
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

typedef struct flat_edge {
    uint32_t low, high;
    uint32_t triangle;
} flat_edge;

static int compare_flat_edges(const void *a, const void *b) {
    const flat_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    return p->high < q->high ? -1 : p->high > q->high;
}

/** Edges with a visible face on at least one side, where the surface bends. */
static ov_status draw_edges(const flat *f) {
    const double same_face = 0.9999;
    size_t count = 3 * f->count;
    flat_edge *edges = malloc(count * sizeof *edges);
    if (edges == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t a = f->triangles[i / 3][i % 3], b = f->triangles[i / 3][(i + 1) % 3];
        edges[i] = (flat_edge){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3)};
    }
    qsort(edges, count, sizeof *edges, compare_flat_edges);
    fputs("<path fill=\"none\"", f->out);
    svg_write_colour(f->out, f->ramp, "stroke", 0.0);
    fputs(" stroke-width=\"6\" stroke-linecap=\"round\" d=\"M0 0", f->out);
    for (size_t i = 0; i < count; i++) {
        bool shared = i + 1 < count && compare_flat_edges(&edges[i], &edges[i + 1]) == 0;
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

static ov_status draw_flat(FILE *out, const ov_shape *shape, const svg_view *view,
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

/* ---- thin shapes ------------------------------------------------------------------------------
 */

/** Segment and point: as thick as can be seen. */
static void draw_thin(FILE *out, const ov_shape *shape, const svg_view *v, const svg_ramp *ramp) {
    double unit = v->scale / SVG_BODY_UNIT;
    bool point = shape->kind == OV_SHAPE_KIND_POINT;
    ov_vec3 a = shape->u.vertices[0], b = point ? a : shape->u.vertices[1];
    fputs("<path fill=\"none\" stroke-linecap=\"round\"", out);
    svg_write_colour(out, ramp, "stroke", 0.35);
    fprintf(out, " stroke-width=\"%d\" d=\"M%.0f %.0fL%.0f %.0f\"/>\n", point ? 80 : 36,
            unit * ov_vec3_dot(a, v->right), -unit * ov_vec3_dot(a, v->up),
            unit * ov_vec3_dot(b, v->right), -unit * ov_vec3_dot(b, v->up));
}

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct layer {
    double depth;
    size_t triangle;
} layer;

static int compare_layers(const void *a, const void *b) {
    const layer *p = a, *q = b;
    if (p->depth < q->depth || p->depth > q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

ov_vec3 svg_mesh_middle(const ov_trimesh *mesh) {
    ov_aabb box = ov_trimesh_box(mesh);
    return ov_vec3_scale(ov_vec3_add(box.min, box.max), 0.5);
}

ov_status svg_triangle_draw(FILE *out, const ov_vec3 corners[3], const svg_view *view,
                            const svg_ramp *ramp) {
    ov_shape triangle;
    ov_status status = ov_shape_make_triangle(corners[0], corners[1], corners[2], &triangle);
    return status >= 0 ? draw_flat(out, &triangle, view, ramp) : OV_OK;
}

void svg_sliver_draw(FILE *out, const ov_vec3 corners[3], const svg_view *view,
                     const svg_ramp *ramp) {
    ov_shape edge, longest = {.kind = OV_SHAPE_KIND_NONE};
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        ov_vec3 a = corners[k], b = corners[(k + 1) % 3];
        double length = ov_vec3_length(ov_vec3_sub(b, a));
        if (length > most && ov_shape_make_segment(a, b, &edge) >= 0) {
            longest = edge;
            most = length;
        }
    }
    if (most > 0.0) {
        draw_thin(out, &longest, view, ramp);
    }
}

/** Corners of a triangle of a mesh, seen from `origin`. */
static void corners_of(const ov_trimesh *mesh, size_t number, ov_vec3 origin, ov_vec3 *corners) {
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = ov_trimesh_triangles(mesh)[number][k];
        corners[k] = ov_vec3_sub(ov_trimesh_vertices(mesh)[vertex], origin);
    }
}

bool svg_mesh_has_area(const ov_trimesh *mesh, ov_vec3 origin) {
    for (size_t i = 0; i < ov_trimesh_triangle_count(mesh); i++) {
        ov_vec3 c[3];
        ov_shape triangle;
        corners_of(mesh, i, origin, c);
        if (ov_shape_make_triangle(c[0], c[1], c[2], &triangle) >= 0) {
            return true;
        }
    }
    return false;
}

ov_status svg_mesh_draw(FILE *out, const ov_trimesh *mesh, ov_vec3 origin, const svg_view *view,
                        const svg_ramp *ramps, const uint32_t *which) {
    size_t count = ov_trimesh_triangle_count(mesh);
    layer *layers = malloc(count * sizeof *layers);
    if (layers == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_vec3 c[3];
    for (size_t i = 0; i < count; i++) {
        corners_of(mesh, i, origin, c);
        layers[i] = (layer){ov_vec3_dot(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), view->eye), i};
    }
    qsort(layers, count, sizeof *layers, compare_layers);
    ov_status status = OV_OK;
    bool area = svg_mesh_has_area(mesh, origin);
    for (size_t i = 0; i < count && status >= 0; i++) {
        size_t number = layers[i].triangle;
        const svg_ramp *ramp = &ramps[which != NULL ? which[number] : 0];
        corners_of(mesh, number, origin, c);
        if (area) {
            status = svg_triangle_draw(out, c, view, ramp);
        } else {
            svg_sliver_draw(out, c, view, ramp);
        }
    }
    free(layers);
    return status;
}

/* ---- all shapes ------------------------------------------------------------------------------ */

ov_status svg_shape_draw(FILE *out, const ov_shape *shape, const svg_view *view,
                         const svg_ramp *ramp) {
    if (shape->kind == OV_SHAPE_KIND_SEGMENT || shape->kind == OV_SHAPE_KIND_POINT) {
        draw_thin(out, shape, view, ramp);
        return OV_OK;
    }
    if (has_flat_faces(shape)) {
        return draw_flat(out, shape, view, ramp);
    }
    if (shape->kind != OV_SHAPE_KIND_POLYHEDRON) {
        return draw_smooth(out, shape, view, ramp);
    }
    // without triangles: those of its hull
    ov_hull *hull = NULL;
    ov_shape whole;
    ov_status status =
        ov_hull_create(shape->u.polyhedron.vertices, shape->u.polyhedron.vertex_count, &hull);
    if (status >= 0 && (status = ov_hull_shape(hull, &whole)) >= 0) {
        status = draw_flat(out, &whole, view, ramp);
    }
    ov_hull_destroy(hull);
    return status;
}
