/**
 * @file map_picture.c
 * @brief A mesh with its distance map, as SVG: sections through Ovoid's map, or the parts and grids
 * of the published one, as [SQMap, Fig. 4].
 *
 * Fields of numbers are drawn in a few steps of colour, each one path of the runs of cells that
 * have it: an image, without a format of images.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures.h"
#include "svg.h"

enum { VIEW_SIZE = 430, SECTION_SIZE = 320, GAP = 24, TOP = 96, MESH_VERTICES = 250 };

static const svg_ramp clay = {{{70, 60, 58}, {150, 122, 104}, {214, 184, 158}, {250, 240, 228}}};
/** Parts next to each other in the list differ. */
static const svg_ramp part_ramps[] = {
    {{{24, 58, 92}, {56, 112, 160}, {132, 178, 214}, {230, 242, 252}}},
    {{{92, 52, 16}, {176, 108, 44}, {226, 172, 112}, {252, 240, 224}}},
    {{{28, 74, 44}, {68, 134, 84}, {146, 194, 150}, {236, 248, 236}}},
    {{{84, 36, 62}, {156, 80, 118}, {212, 150, 182}, {250, 234, 242}}},
    {{{66, 60, 22}, {134, 124, 58}, {198, 188, 120}, {248, 244, 222}}},
    {{{50, 44, 92}, {104, 96, 160}, {170, 164, 212}, {240, 238, 252}}},
};
enum { RAMPS = sizeof part_ramps / sizeof part_ramps[0] };

static void begin_page(FILE *out, const char *title, const char *below, double height) {
    svg_page_begin(out, title, height);
    svg_label(out, 0.5 * SVG_PAGE_WIDTH, 58.0, 13.0, "text-anchor=\"middle\" fill=\"#4a5561\"",
              below);
}

/* ---- solids ---------------------------------------------------------------------------------- */

/** A mesh in a square of the page, seen as scenes are, at the scale at which `frame` fills it. */
static ov_status draw_solid(FILE *out, const ov_trimesh *mesh, const svg_ramp *ramps,
                            const uint32_t *which, const ov_trimesh *frame, double left,
                            double top) {
    svg_view view = svg_view_make(SCENE_PICTURE_ELEVATION, 1.0);
    svg_range x = svg_range_empty(), y = svg_range_empty();
    ov_vec3 origin = svg_mesh_middle(frame);
    for (size_t i = 0; i < ov_trimesh_vertex_count(frame); i++) {
        ov_vec3 p = ov_vec3_sub(ov_trimesh_vertices(frame)[i], origin);
        double u = ov_vec3_dot(view.right, p), v = ov_vec3_dot(view.up, p);
        svg_range_widen(&x, u, u);
        svg_range_widen(&y, v, v);
    }
    // points on a line along the view are a dot, which has no extent
    ov_aabb box = ov_trimesh_box(frame);
    double least = 0.05 * ov_vec3_length(ov_vec3_sub(box.max, box.min));
    view.scale = VIEW_SIZE / fmax(least, fmax(x.high - x.low, y.high - y.low));
    double middle_x = left + 0.5 * VIEW_SIZE - 0.5 * view.scale * (x.low + x.high);
    double middle_y = top + 0.5 * VIEW_SIZE + 0.5 * view.scale * (y.low + y.high);
    fprintf(out, "<g transform=\"translate(%.2f %.2f) scale(%g)\">\n", middle_x, middle_y,
            SVG_BODY_UNIT);
    ov_status status = svg_mesh_draw(out, mesh, origin, &view, ramps, which);
    fputs("</g>\n", out);
    return status;
}

/* ---- fields of numbers ----------------------------------------------------------------------- */

/** Cells by the number of their colour; -1: nothing is drawn. */
typedef struct raster {
    int columns, rows;
    signed char *cells;
} raster;

static bool raster_make(raster *r, int columns, int rows) {
    *r = (raster){columns, rows, malloc((size_t)columns * (size_t)rows)};
    return r->cells != NULL;
}

/** The runs of one colour as a path. */
static void draw_colour(FILE *out, const raster *r, int number, const char *colour) {
    bool any = false;
    for (int y = 0; y < r->rows; y++) {
        const signed char *row = r->cells + (size_t)y * (size_t)r->columns;
        for (int x = 0; x < r->columns;) {
            int end = x;
            while (end < r->columns && row[end] == number) {
                end++;
            }
            if (end > x) {
                fputs(any ? "" : "<path d=\"", out);
                fprintf(out, "M%d %dh%dv1h%dz", x, y, end - x, x - end);
                any = true;
            }
            x = end > x ? end : x + 1;
        }
    }
    if (any) {
        fprintf(out, "\" fill=\"%s\"/>\n", colour);
    }
}

static void draw_raster(FILE *out, const raster *r, const char (*colours)[8], int count,
                        double left, double top, double scale) {
    fprintf(out,
            "<g transform=\"translate(%.2f %.2f) scale(%.4f)\" shape-rendering=\"crispEdges\">\n",
            left, top, scale);
    for (int i = 0; i < count; i++) {
        draw_colour(out, r, i, colours[i]);
    }
    fprintf(out,
            "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#c6ced6\" "
            "stroke-width=\"%.3f\"/>\n</g>\n",
            r->columns, r->rows, 1.0 / scale);
}

/* ---- Ovoid's map ----------------------------------------------------------------------------- */

/** Steps of colour on each side of the surface, and cells along a side of a section. */
enum { STEPS = 10, SECTION_CELLS = 240 };

static void mix(char colour[8], const double a[3], const double b[3], double share) {
    int v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = (int)lround(a[i] + share * (b[i] - a[i]));
    }
    (void)snprintf(colour, 8, "#%02x%02x%02x", v[0] & 255, v[1] & 255, v[2] & 255);
}

/** Inside from dark to light with depth, then outside from blue to white. */
static void distance_colours(char colours[2 * STEPS][8]) {
    static const double ends[4][3] = {
        {252, 226, 170}, {150, 62, 20}, {52, 104, 152}, {240, 245, 250}};
    for (int i = 0; i < STEPS; i++) {
        double share = (double)i / (STEPS - 1);
        mix(colours[STEPS - 1 - i], ends[1], ends[0], share);
        mix(colours[STEPS + i], ends[2], ends[3], share);
    }
}

static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
static const char *const axis_names[3] = {"x", "y", "z"};

/** A section at right angles to an axis; what is further than all steps has the last colour. */
static ov_status draw_section(FILE *out, const ov_touch_map *map, const ov_aabb *box, double side,
                              double step, int plane, double left) {
    raster r;
    if (!raster_make(&r, SECTION_CELLS, SECTION_CELLS)) {
        return OV_ERROR_MEMORY;
    }
    double middle[3] = {0.5 * (box->min.x + box->max.x), 0.5 * (box->min.y + box->max.y),
                        0.5 * (box->min.z + box->max.z)};
    int across = planes[plane][0], up = planes[plane][1], normal = 3 - across - up;
    ov_status status = OV_OK;
    for (int i = 0; i < SECTION_CELLS * SECTION_CELLS && status >= OV_OK; i++) {
        double p[3] = {middle[0], middle[1], middle[2]};
        p[across] += side * ((i % SECTION_CELLS + 0.5) / SECTION_CELLS - 0.5);
        p[up] -= side * ((i / SECTION_CELLS + 0.5) / SECTION_CELLS - 0.5);
        ov_touch_distance d;
        status = ov_touch_map_point(map, ov_pose_identity(), ov_vec3_make(p[0], p[1], p[2]),
                                    OV_TOUCH_LEVEL_FIELD, &d);
        double at = fmax(-(double)STEPS, fmin(STEPS - 1.0, floor(d.distance / step)));
        r.cells[i] = (signed char)(STEPS + (int)at);
    }
    if (status >= OV_OK) {
        char colours[2 * STEPS][8], text[80];
        distance_colours(colours);
        double top = TOP + VIEW_SIZE + 2 * GAP;
        draw_raster(out, &r, colours, 2 * STEPS, left, top, (double)SECTION_SIZE / SECTION_CELLS);
        (void)snprintf(text, sizeof text, "%s to the right, %s up, at %s = %.4g",
                       axis_names[across], axis_names[up], axis_names[normal], middle[normal]);
        svg_label(out, left, top + SECTION_SIZE + 18.0, 12.0, "fill=\"#4a5561\"", text);
    }
    free(r.cells);
    return status;
}

/** Which colour is which distance. */
static void draw_distances(FILE *out, double step, double left, double top) {
    char colours[2 * STEPS][8], text[60];
    distance_colours(colours);
    svg_label(out, left, top, 13.0, "fill=\"#1b2530\"", "distance");
    for (int i = 0; i < 2 * STEPS; i++) {
        double y = top + 14.0 + 15.0 * i;
        int low = STEPS - 1 - i;
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"30\" height=\"15\" fill=\"%s\"/>\n", left,
                y, colours[2 * STEPS - 1 - i]);
        if (i == 0) {
            (void)snprintf(text, sizeof text, "beyond %.3g", step * low);
        } else if (i == 2 * STEPS - 1) {
            (void)snprintf(text, sizeof text, "below %.3g", step * (low + 1));
        } else {
            (void)snprintf(text, sizeof text, "%.3g to %.3g", step * low, step * (low + 1));
        }
        svg_label(out, left + 38.0, y + 12.0, 11.0, "fill=\"#4a5561\"", text);
    }
}

ov_status map_picture_draw(FILE *out, const char *title, const ov_touch_map *map) {
    const ov_trimesh *mesh = ov_touch_map_mesh(map);
    ov_touch_map_report report = ov_touch_map_describe(map);
    ov_aabb box = ov_trimesh_box(mesh);
    ov_vec3 size = ov_vec3_sub(box.max, box.min);
    double side = 1.12 * fmax(size.x, fmax(size.y, size.z)), step = report.diagonal / 100.0;
    char below[200];
    (void)snprintf(below, sizeof below,
                   "%zu triangles; %.3g MB, %zu bricks, error within %.2g %% of the diagonal",
                   ov_trimesh_triangle_count(mesh), 1e-6 * (double)report.bytes, report.bricks,
                   report.diagonal > 0.0 ? 100.0 * report.bound_worst / report.diagonal : 0.0);
    begin_page(out, title, below, TOP + VIEW_SIZE + SECTION_SIZE + 2 * GAP + 40.0);
    double left = 0.5 * (SVG_PAGE_WIDTH - 3 * SECTION_SIZE - 2 * GAP);
    ov_status status = draw_solid(out, mesh, &clay, NULL, mesh, left + 60.0, TOP);
    draw_distances(out, step, left + 2 * (SECTION_SIZE + GAP), TOP + 30.0);
    for (int i = 0; i < 3 && status >= OV_OK; i++) {
        status = draw_section(out, map, &box, side, step, i, left + i * (SECTION_SIZE + GAP));
    }
    fputs("</svg>\n", out);
    return status;
}

/* ---- the published map ----------------------------------------------------------------------- */

/** Triangles of all parts, and which part each is of. All zero: none. */
typedef struct surfaces {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    uint32_t *which;
    size_t vertex_count, triangle_count;
} surfaces;

static void surfaces_free(surfaces *s) {
    free(s->vertices);
    free(s->triangles);
    free(s->which);
}

static ov_status add_surface(surfaces *s, const ov_touch_published_grid *part, size_t number) {
    const ov_mesh_options options = {.vertices = MESH_VERTICES};
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(&part->shape, &options, &plan);
    if (status < OV_OK) {
        return status;
    }
    size_t vertices = s->vertex_count + plan.vertex_count;
    size_t triangles = s->triangle_count + plan.triangle_count;
    ov_vec3 *v = realloc(s->vertices, vertices * sizeof *v);
    s->vertices = v != NULL ? v : s->vertices;
    uint32_t(*t)[3] = realloc(s->triangles, triangles * sizeof *t);
    s->triangles = t != NULL ? t : s->triangles;
    uint32_t *w = realloc(s->which, triangles * sizeof *w);
    s->which = w != NULL ? w : s->which;
    if (v == NULL || t == NULL || w == NULL) {
        return OV_ERROR_MEMORY;
    }
    status =
        ov_shape_mesh_fill(&part->shape, &plan, v + s->vertex_count, NULL, t + s->triangle_count);
    for (size_t i = s->vertex_count; i < vertices; i++) {
        v[i] = ov_pose_apply(part->pose, v[i]);
    }
    for (size_t i = s->triangle_count; i < triangles; i++) {
        w[i] = (uint32_t)(number % RAMPS);
        for (int k = 0; k < 3; k++) {
            t[i][k] += (uint32_t)s->vertex_count;
        }
    }
    s->vertex_count = vertices;
    s->triangle_count = triangles;
    return status;
}

static ov_status draw_parts(FILE *out, const ov_touch_published *map, const ov_trimesh *frame,
                            double left, double top) {
    surfaces s = {.vertex_count = 0};
    ov_status status = OV_OK;
    for (size_t i = 0; status >= OV_OK; i++) {
        ov_touch_published_grid part = ov_touch_published_part(map, i);
        if (part.depths == NULL) {
            break;
        }
        status = add_surface(&s, &part, i);
    }
    ov_trimesh *mesh = NULL;
    if (status >= OV_OK) {
        status =
            ov_trimesh_create_surface(s.vertices, s.vertex_count, (const uint32_t(*)[3])s.triangles,
                                      s.triangle_count, NULL, &mesh);
    }
    if (status >= OV_OK) {
        status = draw_solid(out, mesh, part_ramps, s.which, frame, left, top);
    }
    ov_trimesh_destroy(mesh);
    surfaces_free(&s);
    return status;
}

/** Greys, and two colours for samples without a depth. */
enum { GREYS = 12, COLUMNS = 4 };

static size_t count_parts(const ov_touch_published *map) {
    size_t parts = 0;
    while (ov_touch_published_part(map, parts).depths != NULL) {
        parts++;
    }
    return parts;
}

static ov_status draw_grid(FILE *out, const ov_touch_published_grid *g, size_t number, float most,
                           double left, double top, double width) {
    raster r;
    if (!raster_make(&r, (int)g->omega_count, (int)g->eta_count)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)g->eta_count * g->omega_count; i++) {
        float d = g->depths[i];
        // the upper pole on top
        size_t row = g->eta_count - 1 - i / g->omega_count;
        int grey = isnan(d)   ? GREYS
                   : isinf(d) ? GREYS + 1
                              : (int)fminf(GREYS - 1, fmaxf(0.0f, floorf(GREYS * d / most)));
        r.cells[row * g->omega_count + i % g->omega_count] = (signed char)grey;
    }
    char colours[GREYS + 2][8], text[40];
    const double black[3] = {20, 20, 20}, white[3] = {255, 255, 255};
    for (int i = 0; i < GREYS; i++) {
        mix(colours[i], black, white, (double)i / (GREYS - 1));
    }
    memcpy(colours[GREYS], "#e8c9a0", 8);
    memcpy(colours[GREYS + 1], "#9fc0dc", 8);
    draw_raster(out, &r, colours, GREYS + 2, left, top, width / g->omega_count);
    (void)snprintf(text, sizeof text, "part %zu", number + 1);
    svg_label(out, left, top - 5.0, 12.0, "fill=\"#1b2530\"", text);
    free(r.cells);
    return OV_OK;
}

ov_status map_picture_draw_published(FILE *out, const char *title, const ov_trimesh *mesh,
                                     const ov_touch_published *map) {
    // a sample may see the far side of the mesh: only what is near is told apart
    ov_aabb box = ov_trimesh_box(mesh);
    float most = (float)(0.04 * ov_vec3_length(ov_vec3_sub(box.max, box.min)));
    size_t parts = count_parts(map);
    ov_touch_published_report report = ov_touch_published_describe(map);
    double left = SVG_PAGE_MARGIN,
           width = (SVG_PAGE_WIDTH - 2.0 * left - (COLUMNS - 1) * GAP) / COLUMNS;
    ov_touch_published_grid first = ov_touch_published_part(map, 0);
    double height = first.omega_count > 0 ? width * first.eta_count / first.omega_count : 0.0;
    double rows = ceil((double)parts / COLUMNS);
    char below[240];
    (void)snprintf(below, sizeof below,
                   "%zu parts of %u x %u samples, %.3g MB; mesh at the part's surface: black, %.3g "
                   "below it or more: white; pruned: brown, nothing below: blue",
                   parts, first.eta_count, first.omega_count, 1e-6 * (double)report.bytes,
                   (double)most);
    begin_page(out, title, below, TOP + VIEW_SIZE + 2 * GAP + rows * (height + 1.5 * GAP));
    ov_status status = draw_solid(out, mesh, &clay, NULL, mesh, left, TOP);
    if (status >= OV_OK) {
        status = draw_parts(out, map, mesh, left + VIEW_SIZE + 2 * GAP, TOP);
    }
    for (size_t i = 0; i < parts && status >= OV_OK; i++) {
        ov_touch_published_grid g = ov_touch_published_part(map, i);
        double column = (double)(i % COLUMNS), row = (double)(i / COLUMNS);
        status = draw_grid(out, &g, i, most, left + column * (width + GAP),
                           TOP + VIEW_SIZE + 2 * GAP + row * (height + 1.5 * GAP), width);
    }
    fputs("</svg>\n", out);
    return status;
}
