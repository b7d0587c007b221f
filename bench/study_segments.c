/**
 * @file study_segments.c
 * @brief The decomposition of [SQMap, 3] on meshes beside its Table 1, and pictures of the parts
 * and of the fields that lead to them, beside its Fig. 10. `ovoid-bench segments`.
 *
 * The paper's models are not at hand, only some of the same animals; a torus, which boundary
 * strength alone does not cut, is always among them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>

#include "bench.h"
#include "draw/svg.h"

/** Parts of [SQMap, Table 1]. */
static const struct {
    const char *model;
    size_t parts;
} table_1[] = {{"hand", 16},     {"tiger", 13}, {"horse", 17},
               {"elephant", 16}, {"camel", 14}, {"rhino", 13}};

/** A mesh, its parts, and how long they took. */
typedef struct model {
    char name[64];
    ov_fit_mesh *mesh;
    ov_fit_segments *segments;
    double seconds;
    size_t cuts[OV_FIT_CUT_COUNT];
} model;

static void free_model(model *m) {
    ov_fit_mesh_destroy(m->mesh);
    ov_fit_segments_destroy(m->segments);
    *m = (model){.mesh = NULL};
}

/** The name of a file without folder and ending. */
static void name_model(model *m, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
    length = length < sizeof m->name ? length : sizeof m->name - 1;
    memcpy(m->name, name, length);
    m->name[length] = '\0';
}

static ov_status decompose(model *m, const ov_fit_input *in, ov_fault *fault) {
    ov_status status = ov_fit_mesh_create(in, NULL, &m->mesh, fault);
    double start = bench_cpu_ns();
    status = status == OV_OK ? ov_fit_segments_create(m->mesh, NULL, &m->segments) : status;
    m->seconds = 1e-9 * (bench_cpu_ns() - start);
    for (size_t i = 0; i < ov_fit_segments_salient_count(m->segments); i++) {
        size_t count;
        const ov_fit_locale *locales = ov_fit_segments_locales(m->segments, i, &count);
        for (size_t k = 0; k < count; k++) {
            m->cuts[locales[k].cut]++;
        }
    }
    return status;
}

static int read_model(cli *c, const char *path, model *m) {
    ov_mesh_data data;
    ov_fault fault;
    if (ov_mesh_read(path, &data, &fault) != OV_OK) {
        return cli_file_error(c, path, &fault);
    }
    name_model(m, path);
    ov_fit_input in = {data.vertices, data.vertex_count, (const uint32_t(*)[3])data.triangles,
                       data.triangle_count};
    ov_status status = decompose(m, &in, &fault);
    ov_mesh_free(&data);
    return status == OV_OK ? CLI_OK : cli_error(c, path, "%s", ov_status_message(status));
}

static int make_torus(cli *c, model *m) {
    enum { AROUND = 90, ACROSS = 36 };
    static ov_vec3 points[AROUND * ACROSS];
    static uint32_t triangles[2 * AROUND * ACROSS][3];
    for (uint32_t i = 0; i < AROUND; i++) {
        for (uint32_t k = 0; k < ACROSS; k++) {
            double u = 2.0 * M_PI * i / AROUND, v = 2.0 * M_PI * k / ACROSS, r = 2.5 + cos(v);
            points[i * ACROSS + k] = ov_vec3_make(r * cos(u), r * sin(u), sin(v));
            uint32_t next = (i + 1) % AROUND * ACROSS, up = (k + 1) % ACROSS;
            uint32_t(*t)[3] = &triangles[2 * (i * ACROSS + k)];
            t[0][0] = t[1][0] = i * ACROSS + k;
            t[0][1] = next + k;
            t[0][2] = t[1][1] = next + up;
            t[1][2] = i * ACROSS + up;
        }
    }
    ov_fit_input in = {points, AROUND * ACROSS, (const uint32_t(*)[3])triangles,
                       2 * AROUND * ACROSS};
    memcpy(m->name, "torus", sizeof "torus");
    ov_status status = decompose(m, &in, NULL);
    return status == OV_OK ? CLI_OK : cli_error(c, "torus", "%s", ov_status_message(status));
}

/* ---- the table ------------------------------------------------------------------------------- */

static double paper_parts(const model *m) {
    for (size_t i = 0; i < sizeof table_1 / sizeof table_1[0]; i++) {
        if (strcmp(m->name, table_1[i].model) == 0) {
            return (double)table_1[i].parts;
        }
    }
    return NAN;
}

static uint64_t hash_of(const model *m, size_t triangles) {
    uint64_t hash = BENCH_HASH_START;
    for (size_t i = 0; i < triangles; i++) {
        bench_hash_gap(&hash, ov_fit_segments_labels(m->segments)[i]);
        bench_hash_gap(&hash, ov_fit_segments_protrusion(m->segments)[i]);
    }
    return hash;
}

/** Mean relative error that the protrusions can have. */
static double protrusion_error(const model *m, size_t triangles) {
    double sum = 0.0;
    for (size_t i = 0; i < triangles; i++) {
        sum += ov_fit_segments_protrusion(m->segments)[i];
    }
    double mean = sum / (double)triangles;
    return mean > 0.0 ? ov_fit_segments_protrusion_error(m->segments) / mean : 0.0;
}

static void print_model(cli *c, const bench_job *job, const model *m) {
    size_t triangles = ov_fit_mesh_input(m->mesh).triangle_count;
    size_t parts = ov_fit_segments_count(m->segments);
    size_t salient = ov_fit_segments_salient_count(m->segments);
    double error = protrusion_error(m, triangles), paper = paper_parts(m);
    fprintf(c->out, "%-20s %9zu %7zu %8zu %9zu %6zu", m->name, triangles, salient,
            m->cuts[OV_FIT_CUT_BOUNDARY], m->cuts[OV_FIT_CUT_CURVATURE], parts);
    bench_cell(c->out, 5, "%.0f", paper);
    fprintf(c->out, " %7.3f %10.1f %%  %016llx\n", m->seconds, 100.0 * error,
            (unsigned long long)hash_of(m, triangles));
    if (job->csv != NULL) {
        fprintf(job->csv, "%s,%zu,%zu,%zu,%zu,%zu", m->name, triangles, salient,
                m->cuts[OV_FIT_CUT_BOUNDARY], m->cuts[OV_FIT_CUT_CURVATURE], parts);
        bench_csv_number(job->csv, paper);
        bench_csv_number(job->csv, m->seconds);
        bench_csv_number(job->csv, error);
        fputc('\n', job->csv);
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

enum { PANELS = 5, CELL = 300, ROW = 330, HEAD = 60, SHADES = 64 };

static const char *const panel_names[PANELS] = {"parts", "parts, from the other side",
                                                "protrusion (4)", "Gaussian curvature (6)",
                                                "locales of the walks"};

/** A colour from its hue, from 0 to 1, as a ramp from dark to bright. */
static svg_ramp ramp_of(double hue, double saturation) {
    static const double value[4] = {0.32, 0.62, 0.88, 1.0}, pale[4] = {1.0, 0.95, 0.8, 0.25};
    svg_ramp ramp;
    for (int stop = 0; stop < 4; stop++) {
        for (int k = 0; k < 3; k++) {
            double x = fmod(hue + 1.0 - k / 3.0, 1.0);
            double light = fmin(fmax(fabs(6.0 * x - 3.0) - 1.0, 0.0), 1.0);
            double s = saturation * pale[stop];
            ramp.stops[stop][k] = 255.0 * value[stop] * (1.0 - s + s * light);
        }
    }
    return ramp;
}

/** A view on the broad side: against the axis along which the mesh is narrowest. */
static svg_view view_of(const ov_fit_input *in, bool other_side, double diagonal) {
    ov_vec3 lo = in->points[0], hi = lo;
    for (size_t i = 0; i < in->point_count; i++) {
        ov_vec3 p = in->points[i];
        lo = ov_vec3_make(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = ov_vec3_make(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    ov_vec3 d = ov_vec3_sub(hi, lo);
    bool along_x = d.x < d.y && d.x < d.z, along_y = !along_x && d.y < d.z;
    ov_vec3 axis = ov_vec3_make(along_x, along_y, !along_x && !along_y);
    ov_vec3 up = along_y ? ov_vec3_make(0.0, 0.0, 1.0) : ov_vec3_make(0.0, 1.0, 0.0);
    axis = other_side ? ov_vec3_neg(axis) : axis;
    ov_vec3 side = ov_vec3_cross(up, axis);
    svg_view v;
    v.eye = ov_vec3_add_scaled(ov_vec3_add_scaled(axis, up, 0.3), side, 0.45);
    v.eye = ov_vec3_normalize(v.eye);
    v.right = ov_vec3_normalize(ov_vec3_cross(up, v.eye));
    v.up = ov_vec3_cross(v.eye, v.right);
    v.light = ov_vec3_add_scaled(ov_vec3_scale(v.right, -0.55), v.up, 0.75);
    v.light = ov_vec3_normalize(ov_vec3_add_scaled(v.light, v.eye, 0.6));
    v.scale = 0.95 * CELL / diagonal;
    return v;
}

/** A value from 0 to 1 as one of the shades. */
static uint32_t shade_of(double x) {
    return (uint32_t)lround((SHADES - 1) * fmin(fmax(x, 0.0), 1.0));
}

/** From lowest to highest. */
static void show_protrusion(const model *m, size_t count, uint32_t *which, svg_ramp *ramps) {
    const double *p = ov_fit_segments_protrusion(m->segments);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, p[i]);
        high = fmax(high, p[i]);
    }
    for (size_t i = 0; i < count; i++) {
        which[i] = shade_of(high > low ? (p[i] - low) / (high - low) : 0.5);
    }
    for (int i = 0; i < SHADES; i++) {
        ramps[i] = ramp_of(0.67 * (1.0 - (double)i / (SHADES - 1)), 0.85);
    }
}

/** Hyperbolic in blue, elliptic in red, in powers of the curvature of a ball with this area. */
static void show_curvature(const model *m, size_t count, uint32_t *which, svg_ramp *ramps) {
    const double *k = ov_fit_segments_curvature(m->segments);
    const double *areas = ov_fit_segments_areas(m->segments);
    double area = 0.0;
    for (size_t i = 0; i < count; i++) {
        area += areas[i];
    }
    for (size_t i = 0; i < count; i++) {
        double size = fabs(k[i]) * area / (4.0 * M_PI), x = 0.12 * log2(1.0 + 4.0 * size);
        which[i] = shade_of(0.5 + 0.5 * copysign(fmin(x, 1.0), k[i]));
    }
    for (int i = 0; i < SHADES; i++) {
        double x = 2.0 * i / (SHADES - 1) - 1.0;
        ramps[i] = ramp_of(x < 0.0 ? 0.6 : 0.03, fabs(x));
    }
}

static void show_locales(const model *m, size_t count, uint32_t *which, svg_ramp *ramps) {
    const uint32_t *walks = ov_fit_segments_walks(m->segments);
    const uint32_t *locales = ov_fit_segments_locale_numbers(m->segments);
    for (size_t i = 0; i < count; i++) {
        bool body = walks[i] == UINT32_MAX;
        which[i] = body ? SHADES - 1 : walks[i] % 31 * 2 + locales[i] % 2;
    }
    for (int i = 0; i < SHADES - 1; i++) {
        ramps[i] = ramp_of(fmod(0.618034 * (i / 2), 1.0), i % 2 == 0 ? 0.85 : 0.4);
    }
    ramps[SHADES - 1] = ramp_of(0.0, 0.0);
}

static void show_parts(const model *m, size_t count, uint32_t *which, svg_ramp *ramps) {
    for (size_t i = 0; i < count; i++) {
        which[i] = ov_fit_segments_labels(m->segments)[i] % SHADES;
    }
    for (int i = 0; i < SHADES; i++) {
        ramps[i] = ramp_of(fmod(0.618034 * i, 1.0), i / 5 % 2 == 0 ? 0.8 : 0.5);
    }
}

static ov_status draw_panel(FILE *out, const model *m, const ov_trimesh *mesh, int panel,
                            size_t row, uint32_t *which) {
    ov_fit_input in = ov_fit_mesh_input(m->mesh);
    svg_ramp ramps[SHADES];
    void (*const shows[PANELS])(const model *, size_t, uint32_t *, svg_ramp *) = {
        show_parts, show_parts, show_protrusion, show_curvature, show_locales};
    shows[panel](m, in.triangle_count, which, ramps);
    svg_view view = view_of(&in, panel == 1, ov_fit_mesh_diagonal(m->mesh));
    fprintf(out, "<g transform=\"translate(%.2f %.2f) scale(%g)\">\n", CELL * (panel + 0.5),
            HEAD + ROW * (double)row + 0.5 * CELL, SVG_BODY_UNIT);
    ov_status status = svg_mesh_draw(out, mesh, svg_mesh_middle(mesh), &view, ramps, which);
    fputs("</g>\n", out);
    char text[160];
    if (panel == 0) {
        (void)snprintf(text, sizeof text, "%s: %zu parts", m->name,
                       ov_fit_segments_count(m->segments));
    } else {
        (void)snprintf(text, sizeof text, "%s", panel_names[panel]);
    }
    svg_label(out, CELL * (panel + 0.5), HEAD + ROW * (double)row + CELL + 10.0, 14.0,
              "text-anchor=\"middle\" fill=\"#1b2530\"", text);
    return status;
}

static ov_status draw_model(FILE *out, const model *m, size_t row) {
    ov_fit_input in = ov_fit_mesh_input(m->mesh);
    ov_trimesh *mesh = NULL;
    uint32_t *which = malloc(in.triangle_count * sizeof *which);
    ov_status status = which != NULL
                           ? ov_trimesh_create_surface(in.points, in.point_count, in.triangles,
                                                       in.triangle_count, NULL, &mesh)
                           : OV_ERROR_MEMORY;
    for (int panel = 0; panel < PANELS && status >= 0; panel++) {
        status = draw_panel(out, m, mesh, panel, row, which);
    }
    ov_trimesh_destroy(mesh);
    free(which);
    return status;
}

static void begin_picture(FILE *out, size_t rows) {
    double width = CELL * PANELS, height = HEAD + ROW * (double)rows;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\">\n<title>Parts of meshes</title>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, height, width, height, SVG_FONT);
    svg_label(out, 0.5 * width, 36.0, 22.0,
              "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1b2530\"",
              "Meshes decomposed as in [SQMap, 3]");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int print_all(cli *c, const bench_job *job, const model *models, size_t count) {
    fprintf(c->out, "%-20s %9s %7s %8s %9s %6s %5s %7s %12s  %s\n", "model", "triangles", "salient",
            "boundary", "curvature", "parts", "paper", "s", "(4) within", "hash");
    if (job->csv != NULL) {
        fputs("model,triangles,salient,boundary_cuts,curvature_cuts,parts,paper,s,"
              "protrusion_error\n",
              job->csv);
    }
    if (job->svg != NULL) {
        begin_picture(job->svg, count);
    }
    ov_status status = OV_OK;
    for (size_t i = 0; i < count && status >= 0; i++) {
        print_model(c, job, &models[i]);
        status = job->svg != NULL ? draw_model(job->svg, &models[i], i) : OV_OK;
    }
    if (job->svg != NULL) {
        fputs("</svg>\n", job->svg);
    }
    return status >= 0 ? CLI_OK : bench_no_memory(c, "segments");
}

int study_segments(cli *c, const bench_job *job) {
    size_t count = job->file_count + 1;
    model *models = calloc(count, sizeof *models);
    int status = models != NULL ? CLI_OK : bench_no_memory(c, "segments");
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        bench_show(job->progress, "models", i, count);
        status =
            i + 1 < count ? read_model(c, job->files[i], &models[i]) : make_torus(c, &models[i]);
    }
    if (status == CLI_OK) {
        status = print_all(c, job, models, count);
    }
    for (size_t i = 0; i < count && models != NULL; i++) {
        free_model(&models[i]);
    }
    free(models);
    return status;
}
