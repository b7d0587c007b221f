/**
 * @file study_single_fits.c
 * @brief One body for each part of a mesh, for clouds with outliers, and for the points of known
 * bodies, beside EMS. `ovoid-bench single-fits`.
 *
 * Meshes are cut by the published decomposition [SQMap, 3], and each part gets one body. Its error
 * is the mean distance of points of the part, others than those that were fitted to, from the
 * body's surface, over the diagonal of the part's box. Distances are those to the nearest points by
 * the library's point query; that these are on the surface is told by its formula, and nearer ones
 * are searched for, by code that shares nothing with the library.
 *
 * EMS is [Liu et al., Robust and accurate superquadric recovery: a probabilistic approach, CVPR
 * 2022]. Its figures were measured on the same meshes, cut into parts, and on such clouds; it has
 * no tapers. Times are those of the processor, one thread.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>

#include "bench.h"

enum { SAMPLES = 400, SEARCHED = 12, CLOUD = 500, CLEAN = 200 };

/** Error of EMS on the parts of meshes, and with 30 % outliers: shares of the size. */
static const struct {
    const char *mesh;
    double error;
} rivals[] = {{"hand", 0.0165}, {"elephant", 0.0217}};
static const double rival_outliers = 0.0018;

/* ---- surfaces, by their formula [ovoid/shape.h] */

/** (cos t, sin t) on the curve |u|^(2/e) + |v|^(2/e) = 1. */
static void on_superellipse(double t, double e, double out[2]) {
    double c = cos(t), s = sin(t), big = fmax(fabs(c), fabs(s)), small = fmin(fabs(c), fabs(s));
    double norm = big * pow(1.0 + pow(small / big, 2.0 / e), 0.5 * e);
    out[0] = c / norm;
    out[1] = s / norm;
}

static ov_vec3 surface_point(const ov_shape *s, double around, double up) {
    double section[2], profile[2];
    on_superellipse(around, s->e1, section);
    on_superellipse(up, s->e2, profile);
    double z = profile[1];
    return ov_vec3_make(s->a.x * (1.0 + s->tx * z) * profile[0] * section[0],
                        s->a.y * (1.0 + s->ty * z) * profile[0] * section[1], s->a.z * z);
}

/** A point of the surface, anywhere. */
static ov_vec3 random_point(const ov_shape *s, bench_random *r) {
    double around = bench_uniform(r, -M_PI, M_PI);
    return surface_point(s, around, asin(bench_uniform(r, -1.0, 1.0)));
}

static double square_to(const ov_shape *s, const double at[2], ov_vec3 p) {
    ov_vec3 d = ov_vec3_sub(surface_point(s, at[0], at[1]), p);
    return ov_vec3_dot(d, d);
}

/** The best of grids about two angles, each on the best of the one before and half as wide. */
static double narrow_down(const ov_shape *s, ov_vec3 p, double at[2], double width) {
    enum { HALF = 4, LEVELS = 26 };
    double best = square_to(s, at, p);
    for (int level = 0; level < LEVELS; level++, width *= 0.5) {
        const double from[2] = {at[0], at[1]};
        for (int i = -HALF; i <= HALF; i++) {
            for (int k = -HALF; k <= HALF; k++) {
                const double next[2] = {from[0] + width * i / HALF, from[1] + width * k / HALF};
                double square = square_to(s, next, p);
                if (square < best) {
                    best = square;
                    at[0] = next[0];
                    at[1] = next[1];
                }
            }
        }
    }
    return best;
}

/** Distance from the surface: the best of a grid over all of it, then of grids about the best. */
static double searched_distance(const ov_shape *s, ov_vec3 p) {
    enum { AROUND = 96, UP = 48, KEPT = 6 };
    double kept[KEPT], angles[KEPT][2] = {{0.0}}, least = INFINITY;
    for (int k = 0; k < KEPT; k++) {
        kept[k] = INFINITY;
    }
    for (int i = 0; i < AROUND * UP; i++) {
        double at[2] = {2.0 * M_PI * (i % AROUND) / AROUND, M_PI * ((i / AROUND + 0.5) / UP - 0.5)};
        double square = square_to(s, at, p);
        int k = KEPT;
        for (; k > 0 && square < kept[k - 1]; k--) {
            if (k < KEPT) {
                kept[k] = kept[k - 1];
                memcpy(angles[k], angles[k - 1], sizeof angles[k]);
            }
        }
        if (k < KEPT) {
            kept[k] = square;
            memcpy(angles[k], at, sizeof angles[k]);
        }
    }
    for (int k = 0; k < KEPT; k++) {
        least = fmin(least, narrow_down(s, p, angles[k], 2.0 * M_PI / UP));
    }
    return sqrt(least);
}

/* ---- the figures of some fits */

/** What some fits have in common, and their errors and times. */
typedef struct series {
    const char *name;
    ov_shape_kind kind;
    ov_fit_objective objective;
    double *error, *ms; // of each fit
    size_t count, failed;
    double unlike; // worst contradiction of a distance, over the size
} series;

static bool series_make(series *s, size_t most) {
    s->error = malloc((most + 1) * sizeof *s->error);
    s->ms = malloc((most + 1) * sizeof *s->ms);
    return s->error != NULL && s->ms != NULL;
}

static void series_free(series *s) {
    free(s->error);
    free(s->ms);
}

/** One fit, timed. False, and counted, if there is none. */
static bool timed_fit(series *s, const ov_fit_input *input, const ov_fit_shape_options *given,
                      ov_fit_shape_result *fit) {
    ov_fit_shape_options options = *given;
    options.objective = s->objective;
    double start = bench_cpu_ns();
    ov_status status = ov_fit_shape(input, s->kind, &options, fit);
    s->ms[s->count] = 1e-6 * (bench_cpu_ns() - start);
    s->failed += status < OV_OK;
    return status >= OV_OK;
}

/** How far a point of the body's frame is from the surface along the ray from the centre. */
static double off_surface(const ov_shape *s, ov_vec3 p) {
    double z = p.z / s->a.z, held = fmax(-1.0, fmin(1.0, z)), p1 = 2.0 / s->e1, p2 = 2.0 / s->e2;
    double x = fabs(p.x) / (s->a.x * (1.0 + s->tx * held));
    double y = fabs(p.y) / (s->a.y * (1.0 + s->ty * held));
    double big = fmax(x, y), small = fmin(x, y);
    double m = big > 0.0 ? big * pow(1.0 + pow(small / big, p1), 1.0 / p1) : 0.0;
    big = fmax(m, fabs(z));
    small = fmin(m, fabs(z));
    double g = big * pow(1.0 + pow(small / big, p2), 1.0 / p2);
    return ov_vec3_length(p) * fabs(1.0 - 1.0 / g);
}

/**
 * Mean distance of points from the surface: from the nearest points, which are looked at whether
 * they are on it, so that no distance is too short. For some of the points nearer places
 * are searched for. A body fills the dents of its surface, so that its own may be off by as much.
 */
static double mean_distance(const ov_fit_shape_result *fit, const ov_vec3 *points, size_t count,
                            size_t searched, double size, double *unlike) {
    double sum = 0.0, off = 0.0;
    for (size_t i = 0; i < count; i++) {
        ov_contact c;
        if (ov_point_contact(&fit->shape, fit->pose, points[i], NULL, &c) < OV_OK) {
            return NAN;
        }
        // (over a dent point_a is at an end of the segment that spans it)
        ov_vec3 nearest = ov_vec3_add_scaled(points[i], c.normal, -c.gap);
        double distance = ov_vec3_length(ov_vec3_sub(points[i], nearest));
        ov_vec3 local = ov_pose_apply_inverse(fit->pose, points[i]);
        ov_vec3 witness = ov_pose_apply_inverse(fit->pose, nearest);
        sum += distance;
        if (fit->shape.dent == 0.0) {
            off = fmax(off, off_surface(&fit->shape, witness));
        }
        if (i < searched) {
            off = fmax(off, distance - searched_distance(&fit->shape, local) - fit->shape.dent);
        }
    }
    *unlike = fmax(*unlike, off / size);
    return sum / (double)count;
}

static bench_figures print_series(cli *c, const bench_job *job, const char *of, series *s,
                                  double rival, double *mean_ms) {
    static const char *const objectives[OV_FIT_OBJECTIVE_COUNT] = {
        [OV_FIT_OBJECTIVE_DISTANCE] = "squares",
        [OV_FIT_OBJECTIVE_ROBUST] = "robust",
        [OV_FIT_OBJECTIVE_ENCLOSE] = "enclose",
        [OV_FIT_OBJECTIVE_PUBLISHED] = "published",
        [OV_FIT_OBJECTIVE_MEAN] = "mean"};
    bench_figures error = bench_figure(s->error, s->count), ms = bench_figure(s->ms, s->count);
    fprintf(c->out, "%-12s %-14s %-8s %5zu %6zu", of, ov_shape_kind_name(s->kind),
            objectives[s->objective], s->count, s->failed);
    bench_cell(c->out, 8, "%.3f", 100.0 * error.mean);
    bench_cell(c->out, 8, "%.3f", 100.0 * error.worst);
    bench_cell(c->out, 8, "%.3f", 100.0 * rival);
    bench_cell(c->out, 6, "%.2f", error.mean / rival);
    bench_cell(c->out, 7, "%.2f", ms.mean);
    bench_cell(c->out, 7, "%.2f", ms.worst);
    bench_cell(c->out, 9, "%.1e", s->unlike);
    fputc('\n', c->out);
    fflush(c->out);
    if (job->csv != NULL) {
        fprintf(job->csv, "%s,%s,%s,%zu,%zu", of, ov_shape_kind_name(s->kind),
                objectives[s->objective], s->count, s->failed);
        const double figures[] = {error.mean, error.worst, rival, ms.mean, ms.worst, s->unlike};
        bench_csv_numbers(job->csv, figures, sizeof figures / sizeof figures[0]);
        fputc('\n', job->csv);
    }
    *mean_ms = ms.mean;
    return error;
}

/** The worst over all series that count for the goals. */
typedef struct summary {
    double parts_worst;    // mean error over that of EMS
    double outliers_worst; // likewise
    double ms_worst, ms_mean_worst, unlike;
    size_t missed, failed;
    bool parts_known;
} summary;

static void add_times(summary *sum, const series *s, double mean_ms) {
    for (size_t i = 0; i < s->count; i++) {
        sum->ms_worst = fmax(sum->ms_worst, s->ms[i]);
    }
    sum->ms_mean_worst = fmax(sum->ms_mean_worst, mean_ms);
    sum->unlike = fmax(sum->unlike, s->unlike);
    sum->failed += s->failed;
}

/* ---- parts of meshes */

/** The triangles of one part. Null: no memory. */
static uint32_t (*part_triangles(const ov_fit_input *mesh, const uint32_t *labels, uint32_t part,
                                 size_t *count))[3] {
    uint32_t(*t)[3] = malloc((mesh->triangle_count + 1) * sizeof *t);
    *count = 0;
    for (size_t i = 0; i < mesh->triangle_count && t != NULL; i++) {
        if (labels[i] == part) {
            memcpy(t[(*count)++], mesh->triangles[i], sizeof t[0]);
        }
    }
    return t;
}

static double diagonal_of(const ov_fit_input *in) {
    ov_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = ov_vec3_neg(lo);
    for (size_t i = 0; i < 3 * in->triangle_count; i++) {
        ov_vec3 p = in->points[in->triangles[i / 3][i % 3]];
        lo = ov_vec3_make(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = ov_vec3_make(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    return ov_vec3_length(ov_vec3_sub(hi, lo));
}

/** Points of the triangles: of each as many as its share of the area. */
static void scatter(const ov_fit_input *in, bench_random *r, ov_vec3 *points, size_t count) {
    double area = 0.0, done = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        size_t next = 0;
        for (size_t i = 0; i < in->triangle_count && next < count; i++) {
            ov_vec3 a = in->points[in->triangles[i][0]], b = in->points[in->triangles[i][1]];
            ov_vec3 c = in->points[in->triangles[i][2]];
            b = ov_vec3_sub(b, a);
            c = ov_vec3_sub(c, a);
            double here = 0.5 * ov_vec3_length(ov_vec3_cross(b, c));
            area += pass == 0 ? here : 0.0;
            done += pass == 1 ? here : 0.0;
            bool last = i + 1 == in->triangle_count;
            while (pass == 1 && next < count &&
                   (last || ((double)next + 0.5) * area < done * (double)count)) {
                double u = sqrt(bench_uniform(r, 0.0, 1.0)), v = bench_uniform(r, 0.0, 1.0);
                ov_vec3 p = ov_vec3_add_scaled(a, b, u * (1.0 - v));
                points[next++] = ov_vec3_add_scaled(p, c, u * v);
            }
        }
    }
}

static void fit_part(series *s, const ov_fit_input *part, bench_random *r) {
    ov_vec3 points[SAMPLES];
    ov_fit_shape_options options = {.seed = 7};
    ov_fit_shape_result fit;
    double size = diagonal_of(part);
    if (timed_fit(s, part, &options, &fit)) {
        scatter(part, r, points, SAMPLES);
        s->error[s->count++] =
            mean_distance(&fit, points, SAMPLES, SEARCHED, size, &s->unlike) / size;
    }
}

static const series part_series[] = {
    {.kind = OV_SHAPE_KIND_SUPEROVOID, .objective = OV_FIT_OBJECTIVE_MEAN},
    {.kind = OV_SHAPE_KIND_SUPEROVOID, .objective = OV_FIT_OBJECTIVE_DISTANCE},
    {.kind = OV_SHAPE_KIND_SUPEROVOID, .objective = OV_FIT_OBJECTIVE_ROBUST},
    {.kind = OV_SHAPE_KIND_SUPERELLIPSOID, .objective = OV_FIT_OBJECTIVE_MEAN},
};

enum { PART_SERIES = sizeof part_series / sizeof part_series[0] };

static double rival_of(const char *name) {
    for (size_t i = 0; i < sizeof rivals / sizeof rivals[0]; i++) {
        if (strcmp(rivals[i].mesh, name) == 0) {
            return rivals[i].error;
        }
    }
    return NAN;
}

/** The name of a file without folder and ending. */
static void name_of(const char *path, char *name, size_t room) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(name, room, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
}

static int fit_parts(cli *c, const bench_job *job, const char *path, const ov_fit_mesh *mesh,
                     const ov_fit_segments *segments, summary *sum) {
    ov_fit_input in = ov_fit_mesh_input(mesh);
    size_t parts = ov_fit_segments_count(segments);
    char name[64];
    name_of(path, name, sizeof name);
    double rival = rival_of(name);
    bool good = true;
    for (int k = 0; k < PART_SERIES && good; k++) {
        series s = part_series[k];
        bench_random r = {job->seed};
        good = series_make(&s, parts);
        for (uint32_t i = 0; i < parts && good; i++) {
            bench_show(job->progress, path, i, parts);
            ov_fit_input part = in;
            uint32_t(*t)[3] =
                part_triangles(&in, ov_fit_segments_labels(segments), i, &part.triangle_count);
            part.triangles = (const uint32_t(*)[3])t;
            good = t != NULL;
            if (good) {
                fit_part(&s, &part, &r);
            }
            free(t);
        }
        if (good) {
            double ms;
            bench_figures error = print_series(c, job, name, &s, rival, &ms);
            if (k == 0) {
                // the goal is that of the body and the objective that serve best
                add_times(sum, &s, ms);
                sum->parts_known = sum->parts_known || !isnan(rival);
                sum->parts_worst = fmax(sum->parts_worst, error.mean / rival);
            }
        }
        series_free(&s);
    }
    return good ? CLI_OK : bench_no_memory(c, "single-fits");
}

static int study_file(cli *c, const bench_job *job, const char *path, summary *sum) {
    ov_mesh_data data;
    ov_fault fault = {.text = ""};
    if (ov_mesh_read(path, &data, &fault) != OV_OK) {
        return cli_file_error(c, path, &fault);
    }
    ov_fit_input in = {data.vertices, data.vertex_count, (const uint32_t(*)[3])data.triangles,
                       data.triangle_count};
    ov_fit_mesh *mesh = NULL;
    ov_fit_segments *segments = NULL;
    ov_status status = ov_fit_mesh_create(&in, NULL, &mesh, &fault);
    status = status == OV_OK ? ov_fit_segments_create(mesh, NULL, &segments) : status;
    ov_mesh_free(&data);
    int end = status == OV_OK ? fit_parts(c, job, path, mesh, segments, sum)
                              : cli_error(c, path, "%s", ov_status_message(status));
    ov_fit_segments_destroy(segments);
    ov_fit_mesh_destroy(mesh);
    return end;
}

/* ---- known bodies */

/** A body of random sizes, exponents and tapers, none where it would have too deep a dent. */
static bool random_body(bench_random *r, double least, double e_min, double e_max, bool tapered,
                        ov_shape *s, ov_pose *pose) {
    ov_vec3 a;
    double *axes[3] = {&a.x, &a.y, &a.z};
    for (int i = 0; i < 3; i++) {
        *axes[i] = exp(bench_uniform(r, log(least), 0.0));
    }
    double e1 = bench_uniform(r, e_min, e_max), e2 = bench_uniform(r, e_min, e_max);
    // up to the largest taper whose profile is convex
    double most = tapered ? fmin((1.0 - 0.5 * e2) * exp2(0.5 * e2), 0.95) : 0.0;
    double tx = most * bench_uniform(r, -1.0, 1.0), ty = most * bench_uniform(r, -1.0, 1.0);
    *pose =
        (ov_pose){ov_vec3_scale(bench_direction(r), bench_uniform(r, 0.0, 3.0)), bench_rotation(r)};
    // fits keep a little below the deepest dent that is allowed by default, a twentieth
    const ov_shape_options options = {.dent_tolerance = 0.048};
    return ov_shape_make_superovoid(a, e1, e2, tx, ty, &options, s) == OV_OK;
}

/** Noise of 0.2 % of the size, and 30 % anywhere in a cube about the body. */
static void spoil(bench_random *r, ov_pose pose, double size, ov_vec3 *points) {
    for (int i = 0; i < CLOUD; i++) {
        double noise = 0.002 * size * (bench_uniform(r, -1.0, 1.0) + bench_uniform(r, -1.0, 1.0));
        points[i] = ov_vec3_add_scaled(points[i], bench_direction(r), noise);
        if (i % 10 < 3) {
            points[i] = ov_vec3_add(pose.position, ov_vec3_make(bench_uniform(r, -1.2, 1.2),
                                                                bench_uniform(r, -1.2, 1.2),
                                                                bench_uniform(r, -1.2, 1.2)));
        }
    }
}

static bool outliers(cli *c, const bench_job *job, ov_shape_kind kind, summary *sum) {
    series s = {.kind = kind, .objective = OV_FIT_OBJECTIVE_ROBUST};
    bench_random r = {job->seed + 51};
    bool good = series_make(&s, job->pairs);
    for (size_t i = 0; i < job->pairs && good; i++) {
        bench_show(job->progress, "outliers", i, job->pairs);
        ov_shape body;
        ov_pose pose;
        ov_vec3 points[CLOUD], clean[CLEAN];
        if (!random_body(&r, 0.3, 0.2, 1.8, kind == OV_SHAPE_KIND_SUPEROVOID, &body, &pose)) {
            continue;
        }
        for (int k = 0; k < CLOUD + CLEAN; k++) {
            ov_vec3 p = ov_pose_apply(pose, random_point(&body, &r));
            *(k < CLOUD ? &points[k] : &clean[k - CLOUD]) = p;
        }
        double size = 2.0 * ov_vec3_length(body.a);
        spoil(&r, pose, size, points);
        ov_fit_input input = {.points = points, .point_count = CLOUD};
        ov_fit_shape_options options = {.samples = CLOUD};
        ov_fit_shape_result fit;
        if (timed_fit(&s, &input, &options, &fit)) {
            s.error[s.count++] =
                mean_distance(&fit, clean, CLEAN, SEARCHED, size, &s.unlike) / size;
        }
    }
    if (good) {
        double ms;
        bench_figures error = print_series(c, job, "30 % outliers", &s, rival_outliers, &ms);
        add_times(sum, &s, ms);
        sum->outliers_worst = fmax(sum->outliers_worst, error.mean / rival_outliers);
    }
    series_free(&s);
    return good;
}

/** Largest difference of the numbers, for the symmetry that fits best: z turned round, x and y
 *  exchanged. */
static double number_error(const ov_shape *a, const ov_shape *b) {
    double best = INFINITY;
    for (int i = 0; i < 4; i++) {
        double sign = i % 2 == 0 ? 1.0 : -1.0;
        bool swap = i >= 2;
        const double off[7] = {
            a->e1 - b->e1,
            a->e2 - b->e2,
            a->a.z - b->a.z,
            a->a.x - (swap ? b->a.y : b->a.x),
            a->a.y - (swap ? b->a.x : b->a.y),
            a->tx - sign * (swap ? b->ty : b->tx),
            a->ty - sign * (swap ? b->tx : b->ty),
        };
        double e = 0.0;
        for (int k = 0; k < 7; k++) {
            e = fmax(e, fabs(off[k]));
        }
        best = fmin(best, e);
    }
    return best;
}

static void print_miss(FILE *out, const ov_shape *body, const ov_fit_shape_result *fit) {
    const ov_shape *b[2] = {body, &fit->shape};
    for (int i = 0; i < 2; i++) {
        fprintf(out, "    %-6s a %.6f %.6f %.6f  e %.6f %.6f  t %.6f %.6f  dent %.4f\n",
                i == 0 ? "body" : "found", b[i]->a.x, b[i]->a.y, b[i]->a.z, b[i]->e1, b[i]->e2,
                b[i]->tx, b[i]->ty, b[i]->dent / fmin(b[i]->a.x, fmin(b[i]->a.y, b[i]->a.z)));
    }
}

/** Bodies by points of their surface alone: the numbers have to be found to 1e-8. */
static bool recover(cli *c, const bench_job *job, ov_shape_kind kind, summary *sum) {
    series s = {.kind = kind, .objective = OV_FIT_OBJECTIVE_DISTANCE};
    bench_random r = {job->seed + 77};
    bool good = series_make(&s, job->pairs);
    size_t missed = 0;
    for (size_t i = 0; i < job->pairs && good; i++) {
        bench_show(job->progress, "known bodies", i, job->pairs);
        ov_shape body;
        ov_pose pose;
        ov_vec3 points[CLOUD];
        if (!random_body(&r, 0.2, 0.01, 2.0, kind == OV_SHAPE_KIND_SUPEROVOID, &body, &pose)) {
            continue;
        }
        for (int k = 0; k < CLOUD; k++) {
            points[k] = ov_pose_apply(pose, random_point(&body, &r));
        }
        ov_fit_input input = {.points = points, .point_count = CLOUD};
        ov_fit_shape_options options = {
            .samples = CLOUD, .exponent_min = 0.005, .exponent_max = 2.0};
        ov_fit_shape_result fit;
        if (timed_fit(&s, &input, &options, &fit)) {
            double error = number_error(&body, &fit.shape);
            if (!(error < 1e-8)) {
                missed++;
                print_miss(c->out, &body, &fit);
            }
            s.error[s.count++] = error;
        }
    }
    if (good) {
        double ms;
        (void)print_series(c, job, "known bodies", &s, NAN, &ms);
        add_times(sum, &s, ms);
        sum->missed += missed;
    }
    series_free(&s);
    return good;
}

/* ---- the study */

static bool asked(const bench_job *job, const char *table) {
    return job->only == NULL || strcmp(job->only, table) == 0;
}

static void print_goals(FILE *out, const bench_job *job, const summary *sum) {
    const int width = 56;
    if (sum->parts_known) {
        bench_goal(out, width, "error on parts of meshes, over that of EMS, worst", 0.8, true,
                   sum->parts_worst);
    }
    if (asked(job, "outliers")) {
        bench_goal(out, width, "error with 30 % outliers, over that of EMS, worst", 1.2, true,
                   sum->outliers_worst);
    }
    if (asked(job, "known")) {
        bench_goal(out, width, "known bodies not found to 1e-8", 0.0, true, (double)sum->missed);
    }
    bench_goal(out, width, "fits without an answer", 0.0, true, (double)sum->failed);
    bench_goal(out, width, "milliseconds of a fit, mean of the slowest row", 15.0, true,
               sum->ms_mean_worst);
    bench_goal(out, width, "milliseconds of the slowest fit", 15.0, true, sum->ms_worst);
    bench_goal(out, width, "distances that a formula or a search contradicts, by", 1e-6, true,
               sum->unlike);
}

/** Are all files there, and meshes? Bad input is told before anything is measured. */
static int check_files(cli *c, const bench_job *job) {
    for (size_t i = 0; i < job->file_count; i++) {
        ov_mesh_data data;
        ov_fault fault = {.text = ""};
        if (ov_mesh_read(job->files[i], &data, &fault) != OV_OK) {
            return cli_file_error(c, job->files[i], &fault);
        }
        ov_mesh_free(&data);
    }
    return CLI_OK;
}

int study_single_fits(cli *c, const bench_job *job) {
    summary sum = {.unlike = 0.0};
    int status = check_files(c, job);
    if (status != CLI_OK) {
        return status;
    }
    if (job->csv != NULL) {
        fputs(
            "of,kind,objective,fits,failed,error_mean,error_worst,rival,ms_mean,ms_worst,unlike\n",
            job->csv);
    }
    fprintf(c->out, "%-12s %-14s %-8s %5s %6s %8s %8s %8s %6s %7s %7s %9s\n", "of", "kind", "least",
            "fits", "failed", "error%", "worst%", "EMS%", "ratio", "ms", "worst", "unlike");
    for (size_t i = 0; i < job->file_count && status == CLI_OK && asked(job, "parts"); i++) {
        status = study_file(c, job, job->files[i], &sum);
    }
    bool good = true;
    const ov_shape_kind kinds[2] = {OV_SHAPE_KIND_SUPERELLIPSOID, OV_SHAPE_KIND_SUPEROVOID};
    for (int k = 0; k < 2 && status == CLI_OK && good; k++) {
        good = !asked(job, "outliers") || outliers(c, job, kinds[k], &sum);
        good = good && (!asked(job, "known") || recover(c, job, kinds[k], &sum));
    }
    if (status != CLI_OK || !good) {
        return good ? status : bench_no_memory(c, "single-fits");
    }
    fputc('\n', c->out);
    print_goals(c->out, job, &sum);
    return CLI_OK;
}
