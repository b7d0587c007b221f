/**
 * @file study_fit.c
 * @brief Meshes as smooth parts, beside the published figures of convex decomposition and of fitted
 * primitives. `ovoid-bench fit`.
 *
 * For each mesh: parts that enclose it, 16 of them and as many as V-HACD was measured with at the
 * natural count; parts that approximate it, as many as Marching-Primitives found; and 16 spheres,
 * found in the same way as the parts. Bullet's extras
 * in Debian have HACD and ConvexDecomposition, but not V-HACD; so these figures are those of V-HACD
 * 4 (400,000 voxels, hulls of up to 64 vertices), of Marching-Primitives (a field of 72 cells) and
 * of medial sphere trees, kept in a table, for the meshes of Debian's libcgal-demo, which
 * scripts/fetch-meshes unpacks.
 *
 * As in `ovoid fit` a mesh is made ready first: equal vertices are joined, and what was joined or
 * thinned is held as it came. What encloses is checked again from its certificate, and by random
 * points of the surface that the formula of the gauge is asked for in long double. Of what
 * approximates it is told which share of the features' surface is not lost. Times are those of the
 * processor, one thread.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <ovoid/fit.h>
#include <ovoid/io.h>
#include <ovoid/trimesh.h>

/* ---- figures of others */

typedef struct rival {
    const char *name;
    double hulls_16;      // V-HACD: excess at 16 hulls, in per cent
    size_t natural;       // a natural number of parts,
    double hulls_natural; // and V-HACD's excess with as many
    size_t primitives;    // Marching-Primitives: parts
    double iou;           // and intersection over union
    double spheres_16;    // medial sphere trees: excess of 16 spheres, in per cent; NaN: not known
} rival;

static const rival rivals[] = {
    {"hand", 18.8, 27, 17.5, 20, 0.959, 57.0}, {"elephant", 51.8, 42, 44.1, 28, 0.894, 165.0},
    {"camel", 49.1, 42, 40.4, 26, 0.902, NAN}, {"bull", 49.6, 36, 39.5, 26, 0.900, NAN},
    {"cow", 38.9, 40, 32.2, 24, 0.911, NAN},
};

static const rival *find_rival(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof rivals / sizeof rivals[0]; i++) {
        size_t n = strlen(rivals[i].name);
        if (strncmp(name, rivals[i].name, n) == 0 && name[n] == '.') {
            return &rivals[i];
        }
    }
    return NULL;
}

/* ---- the independent look */

/** Is the point in the part? The formula of ovoid/shape.h, as it is printed. */
static bool holds(const ov_fit_part *part, ov_vec3 point) {
    const ov_shape *s = &part->shape;
    ov_vec3 local = ov_pose_apply_inverse(part->pose, point);
    long double z = (long double)local.z / s->a.z;
    if (fabsl(z) > 1.0L) {
        return false;
    }
    long double x = fabsl((long double)local.x / s->a.x / (1.0L + s->tx * z));
    long double y = fabsl((long double)local.y / s->a.y / (1.0L + s->ty * z));
    long double p1 = 2.0L / s->e1, p2 = 2.0L / s->e2;
    long double m = powl(powl(x, p1) + powl(y, p1), 1.0L / p1);
    return powl(m, p2) + powl(fabsl(z), p2) <= 1.0L + 1e-12L;
}

/** The point of a triangle so far towards the second and the third corner. */
static ov_vec3 point_of(const ov_mesh_data *mesh, size_t t, double u, double v) {
    ov_vec3 a = mesh->vertices[mesh->triangles[t][0]], b = mesh->vertices[mesh->triangles[t][1]];
    ov_vec3 c = mesh->vertices[mesh->triangles[t][2]];
    return ov_vec3_add_scaled(ov_vec3_add_scaled(a, ov_vec3_sub(b, a), u), ov_vec3_sub(c, a), v);
}

/** How many of so many random points of the surface are in no part. */
static size_t missed_points(const ov_fit *fit, const ov_mesh_data *mesh, bench_random *r) {
    enum { POINTS = 100000 };
    size_t missed = 0;
    for (int i = 0; i < POINTS; i++) {
        size_t t = (size_t)bench_uniform(r, 0.0, (double)mesh->triangle_count);
        t = t < mesh->triangle_count ? t : mesh->triangle_count - 1;
        double u = bench_uniform(r, 0.0, 1.0), v = bench_uniform(r, 0.0, 1.0 - u);
        ov_vec3 p = point_of(mesh, t, u, v);
        bool held = false;
        for (size_t k = 0; k < ov_fit_part_count(fit) && !held; k++) {
            held = holds(&ov_fit_parts(fit)[k], p);
        }
        missed += !held;
    }
    return missed;
}

/* ---- thin features */

/**
 * Where a ray from the surface into the solid leaves it within this share of the diagonal, the
 * surface belongs to a thin feature: horns, tails, ears, feet. A patch of it that no part is nearer
 * to than the second share is lost if it reaches farther out of all parts than the third, half of
 * what thin is. If it does not, it is the rim of an ear that is kept, or a part that is a little
 * too thin, or noise (on the hand less than one point in a hundred is thin, and all are near to a
 * part): errors, but nobody misses a feature. Patches hold together where points are as near to
 * each other as the last share.
 *
 * What is thick is not asked for, but counted as a feature, lost, where it is farther from all
 * parts than what is thin is thick: a finger that is left out is no error of the surface.
 */
static const double thin = 0.04, kept_within = 0.01, reaches_out = 0.02, patch = 0.015;

/** Points all over the surface. */
typedef struct surface_points {
    ov_vec3 *at;
    double *gap; // to the nearest part
    bool *thin;  // on thin features
    size_t *patch;
    size_t count;
    double size; // diagonal of the mesh's box
} surface_points;

static void free_points(surface_points *p) {
    free(p->at);
    free(p->gap);
    free(p->thin);
    free(p->patch);
}

/** Twice the area of a triangle, along its normal. */
static ov_vec3 area_of(const ov_mesh_data *mesh, size_t t) {
    const ov_vec3 *v = mesh->vertices;
    const uint32_t *c = mesh->triangles[t];
    return ov_vec3_cross(ov_vec3_sub(v[c[1]], v[c[0]]), ov_vec3_sub(v[c[2]], v[c[0]]));
}

/** Spreads so many points evenly over the surface, and tells which are on thin features. */
static ov_status spread_points(const ov_mesh_data *mesh, bench_random *r, surface_points *out) {
    enum { POINTS = 20000 };
    ov_trimesh *surface = NULL;
    *out = (surface_points){.at = malloc(POINTS * sizeof *out->at),
                            .gap = malloc(POINTS * sizeof *out->gap),
                            .thin = malloc(POINTS * sizeof *out->thin),
                            .patch = malloc(POINTS * sizeof *out->patch)};
    bool made = out->at != NULL && out->gap != NULL && out->thin != NULL && out->patch != NULL;
    ov_status status = !made ? OV_ERROR_MEMORY
                             : ov_trimesh_create_surface(mesh->vertices, mesh->vertex_count,
                                                         (const uint32_t(*)[3])mesh->triangles,
                                                         mesh->triangle_count, NULL, &surface);
    if (status < OV_OK) {
        return status;
    }
    ov_aabb box = ov_trimesh_box(surface);
    out->size = ov_vec3_length(ov_vec3_sub(box.max, box.min));
    double area = 0.0, volume = 0.0, done = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        area += ov_vec3_length(area_of(mesh, t));
        volume += ov_vec3_dot(area_of(mesh, t), mesh->vertices[mesh->triangles[t][0]]);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        ov_vec3 n = area_of(mesh, t);
        double length = ov_vec3_length(n);
        done += length;
        // (a mesh may be inside out)
        ov_vec3 in = ov_vec3_scale(n, (volume > 0.0 ? -1.0 : 1.0) / (length + 1e-300));
        while (out->count < POINTS && done >= area * ((double)out->count + 0.5) / POINTS) {
            double u = bench_uniform(r, 0.0, 1.0), v = bench_uniform(r, 0.0, 1.0 - u);
            ov_vec3 p = point_of(mesh, t, u, v);
            ov_ray_hit hit;
            ov_vec3 from = ov_vec3_add_scaled(p, in, 1e-6 * out->size);
            out->at[out->count] = p;
            out->thin[out->count++] = ov_trimesh_ray_cast(surface, ov_pose_identity(), from, in,
                                                          thin * out->size, &hit, NULL) >= OV_OK &&
                                      hit.hit;
        }
    }
    ov_trimesh_destroy(surface);
    return OV_OK;
}

/** No point of the part is farther than this from its centre. */
static double reach_of(const ov_shape *s) {
    return ov_vec3_length(
        ov_vec3_make(s->a.x * (1.0 + fabs(s->tx)), s->a.y * (1.0 + fabs(s->ty)), s->a.z));
}

/** How far a point is from the nearest part; 0 in one. */
static double gap_to(const ov_fit_part *parts, size_t count, ov_vec3 point) {
    double least = INFINITY;
    for (size_t k = 0; k < count; k++) {
        if (holds(&parts[k], point)) {
            return 0.0;
        }
    }
    for (size_t k = 0; k < count; k++) {
        const ov_shape *s = &parts[k].shape;
        ov_contact contact;
        if (ov_vec3_length(ov_vec3_sub(point, parts[k].pose.position)) - reach_of(s) < least &&
            ov_point_contact(s, parts[k].pose, point, NULL, &contact) >= OV_OK) {
            least = fmin(least, contact.gap);
        }
    }
    return least;
}

/** Size of the patch of points about the first that are not near to a part, if it is lost; 0 if it
 *  is not. These points then count as near. */
static size_t lost_patch(surface_points *p, size_t first) {
    size_t count = 0;
    double most = p->gap[first];
    p->patch[count++] = first;
    p->gap[first] = 0.0;
    for (size_t next = 0; next < count; next++) {
        for (size_t i = 0; i < p->count; i++) {
            if (p->gap[i] > kept_within * p->size &&
                ov_vec3_length(ov_vec3_sub(p->at[i], p->at[p->patch[next]])) < patch * p->size) {
                most = fmax(most, p->gap[i]);
                p->gap[i] = 0.0;
                p->patch[count++] = i;
            }
        }
    }
    return most > reaches_out * p->size ? count : 0;
}

static void find_gaps(const ov_fit_part *parts, size_t count, surface_points *p) {
    for (size_t i = 0; i < p->count; i++) {
        p->gap[i] = gap_to(parts, count, p->at[i]);
    }
}

/** Share of features' points that are not lost; 1 where there are none. */
static double share_kept(surface_points *p) {
    size_t features = 0, lost = 0;
    for (size_t i = 0; i < p->count; i++) {
        bool counts = p->thin[i] || p->gap[i] > thin * p->size;
        features += counts;
        // (what does not count does not link patches)
        p->gap[i] = counts ? p->gap[i] : 0.0;
    }
    for (size_t i = 0; i < p->count; i++) {
        lost += p->gap[i] > kept_within * p->size ? lost_patch(p, i) : 0;
    }
    return features > 0 ? 1.0 - (double)lost / (double)features : 1.0;
}

/* ---- one fit */

typedef struct run {
    const char *file;
    ov_fit_mode mode;
    size_t parts;
    double rival; // excess, as a share, or IoU; NaN where there is none
    ov_fit_report report;
    ov_fit_verdict verdict;
    size_t missed;
    double thin_kept; // share of the thin features' points; NaN: not asked for
    double seconds, check_seconds;
    ov_shape_kind kind;  // 0: superovoids
    double start, first; // of the fit, and until there were usable parts
} run;

/** Notes when there are usable parts, in seconds of the processor. */
static bool note_first(void *user, const ov_fit_progress *progress) {
    run *r = user;
    if (progress->usable && r->first == 0.0) {
        r->first = 1e-9 * (bench_cpu_ns() - r->start);
    }
    return true;
}

/** A mesh as it came, and made ready. */
typedef struct subject_mesh {
    ov_mesh_data data;
    ov_fit_mesh *ready;
} subject_mesh;

static int fit_mesh(cli *c, const subject_mesh *mesh, size_t seed, run *r) {
    const ov_mesh_data *data = &mesh->data;
    const ov_fit_input file = {data->vertices, data->vertex_count,
                               (const uint32_t(*)[3])data->triangles, data->triangle_count};
    const ov_fit_input input = ov_fit_mesh_input(mesh->ready);
    bool changed = ov_fit_mesh_added(mesh->ready) > 0.0;
    ov_fit_parts_options options = {.mode = r->mode,
                                    .parts = r->parts,
                                    .kind = r->kind,
                                    .seed = seed,
                                    .also = changed ? &file : NULL,
                                    .progress = note_first,
                                    .user = r};
    ov_fit *fit = NULL;
    r->start = bench_cpu_ns();
    ov_status status = ov_fit_parts_create(&input, &options, &fit);
    r->seconds = 1e-9 * (bench_cpu_ns() - r->start);
    if (status < OV_OK) {
        return cli_error(c, r->file, "%s", ov_status_message(status));
    }
    r->report = ov_fit_parts_report(fit);
    bench_random random = {seed + 1};
    if (r->mode == OV_FIT_MODE_ENCLOSE) {
        ov_fit_certificate certificate = ov_fit_parts_certificate(fit);
        double start = bench_cpu_ns();
        status =
            ov_fit_check(ov_fit_parts(fit), r->report.parts, &certificate, &input, &r->verdict);
        if (status == OV_OK && changed) {
            ov_fit_verdict of_file;
            status = ov_fit_prove(ov_fit_parts(fit), r->report.parts, &file, &of_file);
            r->verdict.surface = r->verdict.surface && of_file.surface;
        }
        r->check_seconds = 1e-9 * (bench_cpu_ns() - start);
        r->missed = missed_points(fit, data, &random);
    }
    r->thin_kept = NAN;
    if (r->mode == OV_FIT_MODE_APPROXIMATE && status >= OV_OK) {
        surface_points points;
        status = spread_points(data, &random, &points);
        if (status >= OV_OK) {
            find_gaps(ov_fit_parts(fit), ov_fit_part_count(fit), &points);
            r->thin_kept = share_kept(&points);
        }
        free_points(&points);
    }
    ov_fit_destroy(fit);
    return status < OV_OK ? cli_error(c, r->file, "%s", ov_status_message(status)) : CLI_OK;
}

static const char *const mode_names[] = {"enclose", "approximate", "inside"};

static const char *name_of(const run *r) {
    return r->kind == OV_SHAPE_KIND_SPHERE ? "spheres" : mode_names[r->mode];
}

static void print_run(const cli *c, const run *r) {
    const char *slash = strrchr(r->file, '/');
    fprintf(c->out, "%-14.14s %-11s %5zu", slash != NULL ? slash + 1 : r->file, name_of(r),
            r->report.parts);
    bench_cell(c->out, 8, "%.2f", 100.0 * r->report.excess);
    bench_cell(c->out, 6, "%.2f", 100.0 * r->report.sampling_error);
    bench_cell(c->out, 8, "%.3f", r->report.iou);
    bench_cell(c->out, 6, "%.1f", 100.0 * r->report.protrusion);
    bool encloses = r->mode == OV_FIT_MODE_ENCLOSE;
    fprintf(c->out, "  %-7s %-7s",
            !encloses            ? "-"
            : r->verdict.surface ? "proven"
                                 : "NOT",
            !encloses          ? "-"
            : r->verdict.solid ? "proven"
                               : "NOT");
    fprintf(c->out, " %6zu", r->missed);
    bench_cell(c->out, 6, "%.1f", 100.0 * r->thin_kept);
    bench_cell(c->out, 7, "%.2f", r->seconds);
    bench_cell(c->out, 6, "%.2f", r->first);
    double ours = encloses ? r->report.excess : r->report.iou;
    bench_cell(c->out, 8, "%.2f", r->rival * (encloses ? 100.0 : 1.0));
    bench_cell(c->out, 7, "%.2f", ours / r->rival);
    fputc('\n', c->out);
    fflush(c->out);
}

static void write_run(FILE *csv, const run *r) {
    if (csv == NULL) {
        return;
    }
    fprintf(csv, "%s,%s,%zu", r->file, name_of(r), r->report.parts);
    const double figures[] = {
        r->report.excess,  r->report.missing, r->report.iou,     r->report.protrusion,
        r->report.surface, r->report.solid,   (double)r->missed, r->seconds,
        r->check_seconds,  r->rival,          r->thin_kept};
    bench_csv_numbers(csv, figures, sizeof figures / sizeof figures[0]);
    fputc('\n', csv);
}

/* ---- the study */

/** Ratios to the rivals at the natural count, and the worst of all figures. */
typedef struct summary {
    double ratio_sum, ratio_worst, at_16_worst, iou_worst, slowest, first;
    double spheres_worst; // excess of 16 parts over that of 16 spheres
    double thin_worst;    // least share of thin features kept
    double medial_worst;  // and over that of 16 medial spheres, where that is known; 0: nowhere
    size_t natural, unproven;
} summary;

static void add_up(summary *s, const run *r, bool natural) {
    bool encloses = r->mode == OV_FIT_MODE_ENCLOSE;
    double ratio = (encloses ? r->report.excess : r->report.iou) / r->rival;
    s->slowest = fmax(s->slowest, r->seconds);
    s->first = fmax(s->first, r->first);
    s->unproven += encloses && (!r->verdict.surface || !r->verdict.solid || r->missed > 0);
    if (isnan(ratio)) {
        return;
    }
    if (!encloses) {
        s->iou_worst = fmin(s->iou_worst, ratio);
        s->thin_worst = fmin(s->thin_worst, r->thin_kept);
    } else if (natural) {
        s->ratio_sum += ratio;
        s->ratio_worst = fmax(s->ratio_worst, ratio);
        s->natural++;
    } else {
        s->at_16_worst = fmax(s->at_16_worst, ratio);
    }
}

static int study_file(cli *c, const bench_job *job, const char *path, summary *s) {
    subject_mesh mesh = {.ready = NULL};
    ov_fault fault = {.text = ""};
    if (ov_mesh_read(path, &mesh.data, &fault) < OV_OK) {
        return cli_error(c, path, "%s", fault.text);
    }
    const ov_fit_input file = {mesh.data.vertices, mesh.data.vertex_count,
                               (const uint32_t(*)[3])mesh.data.triangles, mesh.data.triangle_count};
    if (ov_fit_mesh_create(&file, NULL, &mesh.ready, &fault) < OV_OK) {
        ov_mesh_free(&mesh.data);
        return cli_error(c, path, "%s", fault.text);
    }
    const rival *rival = find_rival(path);
    enum { RUNS = 4 };
    run runs[RUNS] = {
        {.file = path, .parts = 16, .rival = rival != NULL ? rival->hulls_16 / 100.0 : NAN},
        {.file = path,
         .parts = rival != NULL ? rival->natural : 0,
         .rival = rival != NULL ? rival->hulls_natural / 100.0 : NAN},
        {.file = path,
         .mode = OV_FIT_MODE_APPROXIMATE,
         .parts = rival != NULL ? rival->primitives : 0,
         .rival = rival != NULL ? rival->iou : NAN},
        {.file = path, .parts = 16, .kind = OV_SHAPE_KIND_SPHERE, .rival = NAN},
    };
    int status = CLI_OK;
    for (int i = 0; i < RUNS && status == CLI_OK; i++) {
        bench_show(job->progress, path, (size_t)i, RUNS);
        status = fit_mesh(c, &mesh, job->seed, &runs[i]);
        if (status == CLI_OK) {
            print_run(c, &runs[i]);
            write_run(job->csv, &runs[i]);
            add_up(s, &runs[i], i == 1);
        }
    }
    s->spheres_worst =
        fmax(s->spheres_worst, runs[0].report.excess / fmax(1e-9, runs[3].report.excess));
    if (rival != NULL && !isnan(rival->spheres_16)) {
        double ratio = 100.0 * runs[0].report.excess / rival->spheres_16;
        s->medial_worst = fmax(s->medial_worst, ratio);
    }
    ov_fit_mesh_destroy(mesh.ready);
    ov_mesh_free(&mesh.data);
    return status;
}

int study_fit(cli *c, const bench_job *job) {
    summary s = {.iou_worst = INFINITY, .thin_worst = 1.0};
    if (job->csv != NULL) {
        fputs("file,mode,parts,excess,missing,iou,protrusion,surface,solid,missed,seconds,"
              "check_seconds,rival,thin_kept\n",
              job->csv);
    }
    fprintf(c->out, "%-14s %-11s %5s %7s %6s %7s %6s  %-7s %-7s %6s %5s %6s %6s %7s %6s\n", "mesh",
            "mode", "parts", "excess%", "+-", "IoU", "out%", "surface", "solid", "missed", "thin%",
            "s", "first", "rival", "ratio");
    int status = CLI_OK;
    for (size_t i = 0; i < job->file_count && status == CLI_OK; i++) {
        status = study_file(c, job, job->files[i], &s);
    }
    if (status != CLI_OK || s.natural == 0) {
        return status;
    }
    fputc('\n', c->out);
    const int width = 56;
    bench_goal(c->out, width, "excess at 16 parts, over V-HACD's, worst", 1.0, true, s.at_16_worst);
    bench_goal(c->out, width, "excess at the natural count, over V-HACD's, worst", 0.85, true,
               s.ratio_worst);
    bench_goal(c->out, width, "excess at the natural count, over V-HACD's, mean", 0.65, true,
               s.ratio_sum / (double)s.natural);
    if (s.medial_worst > 0.0) {
        bench_goal(c->out, width, "excess at 16 parts, over 16 medial spheres', worst", 0.35, true,
                   s.medial_worst);
    }
    bench_goal(c->out, width, "excess at 16 parts, over that of 16 spheres, worst", 0.35, true,
               s.spheres_worst);
    bench_goal(c->out, width, "IoU over Marching-Primitives', worst", 1.0, false, s.iou_worst);
    bench_goal(c->out, width, "share of thin features kept in approximations, worst", 0.97, false,
               s.thin_worst);
    bench_goal(c->out, width, "fits not proven, or with points missed", 0.0, true,
               (double)s.unproven);
    bench_goal(c->out, width, "seconds of the slowest fit", 10.0, true, s.slowest);
    bench_goal(c->out, width, "seconds to the first set of parts", 1.0, true, s.first);
    return CLI_OK;
}
