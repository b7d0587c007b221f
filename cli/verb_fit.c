/**
 * @file verb_fit.c
 * @brief `ovoid fit`: a mesh or a point cloud as a few smooth bodies.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>

#include "draw/pictures.h"
#include "draw/svg.h"
#include "fit.h"
#include "table.h"

static const args_option options[] = {
    {"--parts", 0, 1, "N", "largest number of parts (as many as are worth it)", NULL},
    {"--error", 0, 1, "E", "or: parts until the cost is this share of the volume", NULL},
    {"--mode", 0, 1, "WHICH", "enclose, approximate or inside (enclose)",
     "enclose approximate inside"},
    {"--kind", 0, 1, "KIND", "of the bodies; see above (superovoid)",
     "sphere ellipsoid superellipsoid superovoid box capsule cylinder bent"},
    {"--one", 0, 1, "LEAST",
     "one body, with the least distance, mean, robust, enclose or published",
     "distance robust enclose published mean"},
    {"--published", 0, 0, "", "the decomposition of [SQMap], and an enclosing body per part", NULL},
    {"--symmetry", 0, 1, "E",
     "bodies symmetric where their part is, to this share of it; see above", NULL},
    {"--seed", 0, 1, "S", "seed of the random numbers (0)", NULL},
    {"--seconds", 0, 1, "T", "the best that is found within this time", NULL},
    {"--output", 'o', 1, "FILE", "write the parts: .json, .urdf, .xml, .sdf, .dae, .gltf, .glb",
     "FILE"},
    {"--visual", 0, 0, "", "for robots: also the visuals of links without collisions", NULL},
    {"--poses", 0, 1, "N", "for robots: random poses to compare at (100)", NULL},
    SHARED_PACKAGE,
    SHARED_CSV,
    SHARED_SVG("mesh and parts side by side, as SVG"),
};
enum { OPTION_COUNT = sizeof options / sizeof options[0], POSES_MAX = 1000000 };

/** What is fitted, how, and what came of it. */
typedef struct job {
    const char *path;
    char name[OV_SCENE_NAME_MAX + 1]; /**< of the file, without folder and ending */
    ov_fit_parts_options how;
    bool published;
    bool one; /**< one body, by the objective below */
    ov_fit_objective objective;
    double symmetry;
    const char *target; /**< null: nothing is written */
    ov_robot_format format;
    // the input
    fit_file file;
    ov_fit_mesh *mesh; /**< null for a cloud */
    ov_fit_input input;
    // the result
    ov_fit *fit;
    ov_fit_part *parts; /**< of the published way, or the one body */
    ov_fit_piece *pieces;
    size_t part_count;
    ov_fit_certificate certificate; /**< empty: the proof is found anew */
    ov_fit_shape_result result;     /**< of the one body */
} job;

static void job_free(job *j) {
    fit_file_free(&j->file);
    ov_fit_mesh_destroy(j->mesh);
    ov_fit_destroy(j->fit);
    free(j->parts);
    free(j->pieces);
}

static const ov_fit_part *parts_of(const job *j) {
    return j->fit != NULL ? ov_fit_parts(j->fit) : j->parts;
}

/** Are the bodies meant to hold the input? */
static bool is_enclosing(const job *j) {
    return j->one ? j->objective == OV_FIT_OBJECTIVE_ENCLOSE : j->how.mode == OV_FIT_MODE_ENCLOSE;
}

/* ---- options --------------------------------------------------------------------------------- */

static int read_counts(cli *c, const args *a, job *j) {
    int status = CLI_OK;
    if (args_given(a, "--parts")) {
        status = args_count(c, a, "--parts", &j->how.parts);
        if (status == CLI_OK && (j->how.parts < 1 || j->how.parts > OV_FIT_PARTS_MAX)) {
            return cli_error(c, a->verb, "--parts = %s: must be 1 to %d", args_text(a, "--parts"),
                             OV_FIT_PARTS_MAX);
        }
    }
    if (status == CLI_OK && args_given(a, "--error")) {
        status = args_number(c, a, "--error", &j->how.error);
        if (status == CLI_OK && !(j->how.error > 0.0 && isfinite(j->how.error))) {
            return cli_error(c, a->verb, "--error = %s: must be finite and above 0",
                             args_text(a, "--error"));
        }
    }
    if (status == CLI_OK && args_given(a, "--seconds")) {
        status = args_number(c, a, "--seconds", &j->how.seconds);
        if (status == CLI_OK && !(j->how.seconds > 0.0 && isfinite(j->how.seconds))) {
            return cli_error(c, a->verb, "--seconds = %s: must be finite and above 0",
                             args_text(a, "--seconds"));
        }
    }
    if (status == CLI_OK && args_given(a, "--seed")) {
        size_t seed = 0;
        status = args_count(c, a, "--seed", &seed);
        j->how.seed = seed;
    }
    if (status == CLI_OK && args_given(a, "--symmetry")) {
        status = args_number(c, a, "--symmetry", &j->symmetry);
        if (status == CLI_OK && !(j->symmetry > 0.0 && j->symmetry <= 0.5)) {
            return cli_error(c, a->verb, "--symmetry = %s: must be above 0, up to 0.5",
                             args_text(a, "--symmetry"));
        }
    }
    return status;
}

/** What does not go with the published decomposition, or with one body. */
static int refuse_search_options(cli *c, const args *a, const char *what) {
    static const char *const others[] = {"--parts", "--error", "--mode", "--seconds"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (args_given(a, others[i])) {
            return cli_error(c, a->verb, "%s is not for %s", others[i], what);
        }
    }
    return CLI_OK;
}

static int read_words(cli *c, const args *a, job *j) {
    static const ov_shape_kind kinds[] = {
        OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
        OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX,       OV_SHAPE_KIND_CAPSULE,
        OV_SHAPE_KIND_CYLINDER,   OV_SHAPE_KIND_BENT};
    size_t choice;
    if (args_given(a, "--mode")) {
        if (args_choice(c, a, "--mode", &choice) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        j->how.mode = (ov_fit_mode)choice;
    }
    j->how.kind = OV_SHAPE_KIND_SUPEROVOID;
    if (args_given(a, "--kind")) {
        if (args_choice(c, a, "--kind", &choice) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        j->how.kind = kinds[choice];
    }
    if (args_given(a, "--one")) {
        if (args_choice(c, a, "--one", &choice) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        j->one = true;
        j->objective = (ov_fit_objective)choice;
    }
    j->published = args_given(a, "--published");
    if (j->published && j->one) {
        return cli_error(c, a->verb, "--one and --published exclude each other");
    }
    return !j->published && !j->one ? CLI_OK
                                    : refuse_search_options(c, a, j->one ? "--one" : "--published");
}

static int read_target(cli *c, const args *a, job *j) {
    j->target = args_text(a, "--output");
    if (j->target == NULL) {
        return CLI_OK;
    }
    j->format = ov_robot_format_from_path(j->target);
    if (j->format == OV_ROBOT_FORMAT_NONE) {
        return cli_error(c, j->target,
                         "the name must end in .json, .urdf, .xml, .mjcf, .sdf, .dae, .gltf or "
                         ".glb");
    }
    return CLI_OK;
}

/* ---- the input ------------------------------------------------------------------------------- */

static void name_job(job *j) {
    const char *slash = strrchr(j->path, '/'), *name = slash != NULL ? slash + 1 : j->path;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    length = length < sizeof j->name ? length : sizeof j->name - 1;
    memcpy(j->name, name, length);
    j->name[length] = '\0';
}

/** Says what is wrong with a mesh, and how far what is fitted to is from it. */
static void tell_defects(cli *c, const job *j) {
    for (size_t i = 0; i < ov_fit_mesh_line_count(j->mesh); i++) {
        cli_note(c, j->path, "%s", ov_fit_mesh_line(j->mesh, i));
    }
    double added = ov_fit_mesh_added(j->mesh);
    // one body that encloses is made to hold the file's points as they are
    if (added > 0.0 && !(j->one && is_enclosing(j))) {
        cli_note(c, j->path, "%s fitted to a mesh that is within %.3g of the file's%s",
                 j->one ? "the body is" : "parts are", added,
                 is_enclosing(j) && !j->one ? ", and grown until they hold the file's" : "");
    }
}

static int read_input(cli *c, const args *a, job *j) {
    if (a->word_count != 1) {
        return cli_error(c, a->verb, "needs one file, a mesh or a point cloud, got %d",
                         a->word_count);
    }
    ov_fault fault;
    j->path = a->words[0];
    name_job(j);
    int status = fit_file_read(c, j->path, &j->file);
    j->path = j->file.path;
    j->input = j->file.input;
    if (status != CLI_OK || !j->file.is_mesh) {
        return status;
    }
    if (ov_fit_mesh_create(&j->file.input, NULL, &j->mesh, &fault) != OV_OK) {
        return cli_file_error(c, j->path, &fault);
    }
    j->input = ov_fit_mesh_input(j->mesh);
    tell_defects(c, j);
    return CLI_OK;
}

/** Is what is fitted to another mesh than the file's, joined or thinned? */
static bool is_changed(const job *j) { return j->mesh != NULL && ov_fit_mesh_added(j->mesh) > 0.0; }

/* ---- the fit --------------------------------------------------------------------------------- */

static bool show(void *user, const ov_fit_progress *now) {
    progress_update(user, (double)now->parts, now->done);
    return true;
}

static int fit_parts(cli *c, job *j) {
    progress bar = progress_make(c->err, "parts");
    j->how.progress = show;
    j->how.user = &bar;
    j->how.also = is_changed(j) ? &j->file.input : NULL;
    ov_status status = ov_fit_parts_create(&j->input, &j->how, &j->fit);
    progress_end(&bar);
    if (status == OV_ERROR_NOT_CLOSED) {
        return cli_error(c, j->path, "--mode %s is for closed meshes: %s",
                         j->how.mode == OV_FIT_MODE_INSIDE ? "inside" : "approximate",
                         j->mesh != NULL ? "this one has no inside"
                                         : "a point cloud has no inside");
    }
    if (status < 0) {
        return cli_error(c, j->path, "%s", ov_status_message(status));
    }
    j->part_count = ov_fit_part_count(j->fit);
    j->certificate = ov_fit_parts_certificate(j->fit);
    return CLI_OK;
}

/** An enclosing body for each part of a decomposition; `own` has room for all triangles. */
static ov_status enclose_segments(job *j, const ov_fit_segments *s, uint32_t (*own)[3]) {
    const uint32_t *labels = ov_fit_segments_labels(s);
    ov_fit_shape_options how = {
        .objective = OV_FIT_OBJECTIVE_ENCLOSE, .seed = j->how.seed, .symmetry = j->symmetry};
    ov_status status = OV_OK;
    for (uint32_t part = 0; part < j->part_count && status >= 0; part++) {
        ov_fit_input in = {j->input.points, j->input.point_count, (const uint32_t(*)[3])own, 0};
        for (size_t i = 0; i < j->input.triangle_count; i++) {
            if (labels[i] == part) {
                memcpy(own[in.triangle_count++], j->input.triangles[i], sizeof own[0]);
                j->pieces[i] = (ov_fit_piece){.triangle = (uint32_t)i, .part = part};
            }
        }
        ov_fit_shape_result r;
        status = ov_fit_shape(&in, j->how.kind, &how, &r);
        j->parts[part] = (ov_fit_part){r.shape, r.pose};
    }
    if (status >= 0 && is_changed(j)) {
        status = ov_fit_grow(j->parts, j->part_count, &j->file.input);
    }
    j->certificate =
        (ov_fit_certificate){.pieces = j->pieces, .piece_count = j->input.triangle_count};
    return status;
}

static int fit_published(cli *c, job *j) {
    if (j->mesh == NULL) {
        return cli_error(c, j->path, "a point cloud has no triangles to decompose");
    }
    ov_fit_segments *s = NULL;
    ov_status status = ov_fit_segments_create(j->mesh, NULL, &s);
    j->part_count = ov_fit_segments_count(s);
    uint32_t(*own)[3] = malloc(j->input.triangle_count * sizeof *own);
    j->parts = calloc(j->part_count + 1, sizeof *j->parts);
    j->pieces = calloc(j->input.triangle_count, sizeof *j->pieces);
    if (own == NULL || j->parts == NULL || j->pieces == NULL) {
        status = OV_ERROR_MEMORY;
    }
    status = status == OV_OK ? enclose_segments(j, s, own) : status;
    free(own);
    ov_fit_segments_destroy(s);
    return status >= 0 ? CLI_OK : cli_error(c, j->path, "%s", ov_status_message(status));
}

/** One body of any kind. An enclosing one is fitted to the points of the file as they are, so that
 *  nothing has to grow; for others the mesh was made ready. */
static int fit_one(cli *c, job *j) {
    const ov_fit_shape_options how = {
        .objective = j->objective, .seed = j->how.seed, .symmetry = j->symmetry};
    const ov_fit_input *input = is_enclosing(j) ? &j->file.input : &j->input;
    j->parts = calloc(1, sizeof *j->parts);
    ov_status status =
        j->parts != NULL ? ov_fit_shape(input, j->how.kind, &how, &j->result) : OV_ERROR_MEMORY;
    if (status < 0) {
        return cli_error(c, j->path, "%s", ov_status_message(status));
    }
    if (status == OV_NOT_CONVERGED) {
        cli_note(c, j->path, "the fit has not converged");
    }
    j->parts[0] = (ov_fit_part){j->result.shape, j->result.pose};
    j->part_count = 1;
    return CLI_OK;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void fill_row(const void *user, size_t row, table_cells *cells) {
    const ov_fit_part *p = &((const ov_fit_part *)user)[row];
    const ov_shape *s = &p->shape;
    const double numbers[] = {s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty};
    const double places[] = {p->pose.position.x, p->pose.position.y, p->pose.position.z};
    table_count(cells, 0, row + 1);
    cells->texts[1] = ov_shape_kind_name(s->kind);
    for (size_t i = 0; i < 7; i++) {
        table_number(cells, 2 + i, numbers[i], 4);
    }
    for (size_t i = 0; i < 3; i++) {
        table_number(cells, 9 + i, places[i], 4);
    }
}

static void print_parts(FILE *out, const job *j) {
    static const table_column columns[] = {
        {"part", TABLE_NUMBER, TABLE_ALWAYS},  {"kind", TABLE_WORD, TABLE_ALWAYS},
        {"a1", TABLE_COMPONENT, TABLE_ALWAYS}, {"a2", TABLE_COMPONENT, TABLE_ALWAYS},
        {"a3", TABLE_COMPONENT, TABLE_ALWAYS}, {"e1", TABLE_COMPONENT, TABLE_ALWAYS},
        {"e2", TABLE_COMPONENT, TABLE_ALWAYS}, {"tx", TABLE_COMPONENT, TABLE_ALWAYS},
        {"ty", TABLE_COMPONENT, TABLE_ALWAYS}, {"x", TABLE_COMPONENT, TABLE_ALWAYS},
        {"y", TABLE_COMPONENT, TABLE_ALWAYS},  {"z", TABLE_COMPONENT, TABLE_ALWAYS}};
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .rows = j->part_count,
               .fill = fill_row,
               .user = parts_of(j)};
    table_print(out, &t);
}

static void print_csv(FILE *out, const job *j) {
    fputs("part,kind,a1,a2,a3,e1,e2,tx,ty,px,py,pz,qw,qx,qy,qz\n", out);
    for (size_t i = 0; i < j->part_count; i++) {
        const ov_fit_part *p = &parts_of(j)[i];
        const ov_shape *s = &p->shape;
        ov_vec3 x = p->pose.position;
        ov_quat q = p->pose.rotation;
        const double numbers[] = {s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty,
                                  x.x,    x.y,    x.z,    q.w,   q.x,   q.y,   q.z};
        fprintf(out, "%zu,%s", i + 1, ov_shape_kind_name(s->kind));
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            csv_number(out, numbers[k]);
        }
        fputc('\n', out);
    }
}

/** The proof done again: by the certificate for what was fitted to, and where there is none, or
 * that is not the file's mesh, for the triangles of that. Nothing of a published fit tells of the
 * inside either: its parts cover the surface. */
static ov_status prove_again(const job *j, const ov_fit_part *parts, ov_fit_verdict *v) {
    bool certified = j->certificate.piece_count > 0;
    *v = (ov_fit_verdict){.surface = !certified, .bad_triangle = SIZE_MAX};
    ov_status status = OV_OK;
    if (certified) {
        status = ov_fit_check(parts, j->part_count, &j->certificate, &j->input, v);
    }
    if (status == OV_OK && v->surface && (is_changed(j) || j->fit == NULL)) {
        ov_fit_verdict of_file;
        status = ov_fit_prove(parts, j->part_count, &j->file.input, &of_file);
        v->surface = of_file.surface;
        v->solid = (v->solid || of_file.solid) && v->surface;
        v->bad_triangle = of_file.bad_triangle;
    }
    return status;
}

static void print_parts_figures(FILE *out, const job *j) {
    ov_fit_report r = ov_fit_parts_report(j->fit);
    fprintf(out, "%zu %s in %.2f s", r.parts, r.parts == 1 ? "part" : "parts", r.seconds);
    if (r.volume > 0.0) {
        fprintf(out, "; excess %.2f %%, missing %.2f %% of the volume; IoU %.3f", 100.0 * r.excess,
                100.0 * r.missing, r.iou);
    }
    fprintf(out, "; protrusion %.2f %% of the diagonal\n", 100.0 * r.protrusion);
    if (j->how.mode == OV_FIT_MODE_INSIDE) {
        fprintf(out, "no part stands out: %s\n", fit_proven(r.inside_proven));
    }
}

static void print_one_figures(FILE *out, const job *j) {
    const ov_fit_shape_result *r = &j->result;
    const double shares[] = {r->error_mean, r->error_rms, r->error_max};
    static const char *const names[] = {"mean", "root mean square", "largest"};
    fputs("distances:", out);
    for (int i = 0; i < 3; i++) {
        fprintf(out, "%s %s %.3g (%.3g %%)", i > 0 ? "," : "", names[i], shares[i],
                100.0 * shares[i] / r->size);
    }
    fputs(" of the diagonal\n", out);
    if (j->objective == OV_FIT_OBJECTIVE_ROBUST) {
        fprintf(out, "points that belong to the body: %.1f %%\n", 100.0 * r->inliers);
    }
    if (r->volume > 0.0) {
        fprintf(out, "volume: %.6g\n", r->volume);
    }
    if (r->shape.kind == OV_SHAPE_KIND_BENT) {
        fprintf(out, "bent: curvature %.6g, in the plane at %.6g radians from x about z\n",
                r->shape.u.bent.curvature, r->shape.u.bent.angle_rad);
    }
    if (j->symmetry > 0.0) {
        fprintf(out, "planes of symmetry: %d\n", r->planes);
    }
}

/** Has the file's mesh an inside? */
static bool has_inside(const job *j) {
    return j->fit != NULL ? ov_fit_parts_report(j->fit).volume > 0.0 : fit_file_is_closed(&j->file);
}

/** The figures of the fit, and its proof done again. */
static int print_report(cli *c, const job *j) {
    ov_fit_verdict verdict = {.surface = false};
    if (is_enclosing(j) && prove_again(j, parts_of(j), &verdict) != OV_OK) {
        return cli_error(c, j->path, "the certificate could not be checked");
    }
    if (j->fit != NULL) {
        print_parts_figures(c->out, j);
    } else if (j->one) {
        print_one_figures(c->out, j);
    } else {
        fprintf(c->out, "%zu %s, as published\n", j->part_count,
                j->part_count == 1 ? "part" : "parts");
    }
    if (is_enclosing(j)) {
        fprintf(c->out, "every %s is held: %s\n", j->mesh != NULL ? "triangle" : "point",
                fit_proven(verdict.surface));
        if (has_inside(j)) {
            fprintf(c->out, "the inside is held: %s\n", fit_proven(verdict.solid));
        }
    }
    return CLI_OK;
}

/* ---- what is written ------------------------------------------------------------------------- */

static ov_status make_robot(const job *j, ov_robot **robot, ov_fault *fault) {
    ov_robot_shape *shapes = calloc(j->part_count, sizeof *shapes);
    if (shapes == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < j->part_count; i++) {
        shapes[i] = (ov_robot_shape){.shape = parts_of(j)[i].shape, .pose = parts_of(j)[i].pose};
    }
    ov_robot_link link = {.name = j->name, .collisions = shapes, .collision_count = j->part_count};
    ov_status status = ov_robot_create(j->name, &link, 1, NULL, 0, robot, fault);
    free(shapes);
    return status;
}

static bool is_identity(ov_pose p) {
    ov_vec3 x = p.position;
    ov_quat q = ov_pose_default(p).rotation;
    return x.x == 0.0 && x.y == 0.0 && x.z == 0.0 && q.w == 1.0 && q.x == 0.0 && q.y == 0.0 &&
           q.z == 0.0;
}

/** The parts as they are in a scene or robot that was read again, in `back`. */
static bool parts_read(const job *j, ov_fit_part *back) {
    ov_scene *scene = NULL;
    ov_robot *robot = NULL;
    size_t count = 0;
    if (j->format == OV_ROBOT_FORMAT_SCENE && ov_scene_read(j->target, &scene, NULL) == OV_OK) {
        const ov_scene_body *body = ov_scene_get(scene, 0);
        count = body != NULL ? body->part_count : 0;
        for (size_t i = 0; i < count && count == j->part_count; i++) {
            // of the body and the part one has the pose, unchanged, and the other none
            bool in_body = is_identity(body->parts[i].pose);
            back[i] =
                (ov_fit_part){body->parts[i].shape, in_body ? body->pose : body->parts[i].pose};
            count = in_body || is_identity(body->pose) ? count : 0;
        }
    } else if (j->format == OV_ROBOT_FORMAT_URDF &&
               ov_robot_read(j->target, NULL, &robot, NULL) == OV_OK) {
        const ov_robot_link *link = ov_robot_get_link(robot, 0);
        count = link != NULL ? link->collision_count : 0;
        for (size_t i = 0; i < count && count == j->part_count; i++) {
            back[i] = (ov_fit_part){link->collisions[i].shape, link->collisions[i].pose};
        }
    }
    ov_scene_destroy(scene);
    ov_robot_destroy(robot);
    return count == j->part_count;
}

/** Does the file hold what the parts hold? Formats with other numbers, or meshes, need not. */
static void check_written(cli *c, const job *j) {
    if (!is_enclosing(j)) {
        return;
    }
    ov_fit_part *back = calloc(j->part_count, sizeof *back);
    ov_fit_verdict v = {.surface = false};
    bool known = back != NULL && parts_read(j, back) && prove_again(j, back, &v) == OV_OK;
    if (!known || !v.surface) {
        cli_note(c, j->target, "%s",
                 known ? "the proof does not hold for the numbers as they are in this file"
                       : "the proof is for the smooth parts, not for the meshes of this format");
    } else {
        fprintf(c->out, "%s, read back: every %s is held: proven\n", j->target,
                j->mesh != NULL ? "triangle" : "point");
    }
    free(back);
}

static int write_parts(cli *c, const job *j) {
    ov_robot *robot = NULL;
    ov_fault fault = {.text = ""};
    ov_status status = make_robot(j, &robot, &fault);
    errno = 0;
    if (status >= 0) {
        status = ov_robot_write(j->target, j->format, robot, NULL, &fault);
    }
    int cause = errno;
    ov_robot_destroy(robot);
    if (status >= 0) {
        check_written(c, j);
        return CLI_OK;
    }
    const char *text = fault.text[0] != '\0' ? fault.text : ov_status_message(status);
    bool file_trouble = status == OV_ERROR_FILE_OPEN || status == OV_ERROR_FILE_WRITE;
    return file_trouble && cause != 0 ? cli_error(c, j->target, "%s: %s", text, strerror(cause))
                                      : cli_error(c, j->target, "%s", text);
}

/* ---- the picture ----------------------------------------------------------------------------- */

/** Where the picture's bodies are: columns to the right, rows downwards as it is seen. */
typedef struct layout {
    ov_vec3 centre, right, down;
} layout;

static layout layout_of(const job *j) {
    svg_view view = svg_view_make(SCENE_PICTURE_ELEVATION, 1.0);
    ov_vec3 lo = j->input.points[0], hi = lo;
    for (size_t i = 1; i < j->input.point_count; i++) {
        ov_vec3 p = j->input.points[i];
        lo = ov_vec3_make(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = ov_vec3_make(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    ov_vec3 d = ov_vec3_sub(hi, lo), r = view.right, u = view.up;
    // a line has a width, too: its parts and names are beside it, not on it
    double least = 0.25 * ov_vec3_length(d);
    double wide = fmax(least, fabs(r.x) * d.x + fabs(r.y) * d.y);
    double high = fmax(least, fabs(u.x) * d.x + fabs(u.y) * d.y + fabs(u.z) * d.z);
    // parts stand out a little, and there are names between them
    return (layout){ov_vec3_scale(ov_vec3_add(lo, hi), 0.5), ov_vec3_scale(r, 1.15 * wide),
                    ov_vec3_make(0.0, 0.0, -1.05 * high / u.z)};
}

/** Mesh and parts, once as they are and once from behind, if there is room for that. */
static ov_status fill_scene(const job *j, ov_scene *scene, ov_part *parts, ov_trimesh **mesh) {
    static const char *const behind[] = {"", ", from behind"};
    const layout at = layout_of(j);
    int rows = 2 * (j->input.triangle_count + j->part_count) <= SCENE_PICTURE_PIECES_MAX ? 2 : 1;
    ov_status status = OV_OK;
    if (j->mesh != NULL) {
        status = ov_trimesh_create_surface(j->input.points, j->input.point_count,
                                           j->input.triangles, j->input.triangle_count, NULL, mesh);
    }
    for (size_t i = 0; i < j->part_count; i++) {
        parts[i] = (ov_part){.shape = parts_of(j)[i].shape, .pose = parts_of(j)[i].pose};
    }
    for (int row = 0; row < rows && status >= 0; row++) {
        char name[OV_SCENE_NAME_MAX + 1];
        ov_pose place = ov_pose_identity();
        if (row == 1) { // half a turn about the vertical through the middle
            place.rotation = (ov_quat){0.0, 0.0, 0.0, 1.0};
            place.position = ov_vec3_make(2.0 * at.centre.x, 2.0 * at.centre.y, 0.0);
            place.position = ov_vec3_add(place.position, at.down);
        }
        ov_part part = {.mesh = *mesh};
        (void)snprintf(name, sizeof name, "%.45s%s", j->name, behind[row]);
        status = *mesh != NULL ? ov_scene_add_body(scene, name, &part, 1, place) : OV_OK;
        (void)snprintf(name, sizeof name, "parts%s", behind[row]);
        place.position = *mesh != NULL ? ov_vec3_add(place.position, at.right) : place.position;
        status = status >= 0 ? ov_scene_add_body(scene, name, parts, j->part_count, place) : status;
    }
    return status;
}

static int draw(cli *c, const job *j, FILE *out) {
    ov_scene *scene = NULL;
    ov_trimesh *mesh = NULL;
    ov_part *parts = calloc(j->part_count, sizeof *parts);
    ov_status status = parts != NULL ? ov_scene_create(j->name, &scene) : OV_ERROR_MEMORY;
    status = status >= 0 ? fill_scene(j, scene, parts, &mesh) : status;
    if (status >= 0 && scene_picture_pieces(scene) > SCENE_PICTURE_PIECES_MAX) {
        status = OV_ERROR_COUNT;
    }
    status = status >= 0 ? scene_picture_draw(out, scene, NULL, 0, false) : status;
    ov_scene_destroy(scene);
    ov_trimesh_destroy(mesh);
    free(parts);
    return status >= 0 ? CLI_OK : cli_error(c, j->path, "picture: %s", ov_status_message(status));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int work(cli *c, const args *a, job *j, const cli_output *svg) {
    int status = read_input(c, a, j);
    if (status == CLI_OK && j->target != NULL) {
        status = cli_check_output(c, j->target, NULL);
    }
    if (status == CLI_OK) {
        status = j->published ? fit_published(c, j) : j->one ? fit_one(c, j) : fit_parts(c, j);
    }
    if (status != CLI_OK) {
        return status;
    }
    if (args_given(a, "--csv")) {
        print_csv(c->out, j);
    } else {
        print_parts(c->out, j);
        status = print_report(c, j);
    }
    if (status == CLI_OK && svg->stream != NULL) {
        status = draw(c, j, svg->stream);
    }
    return status == CLI_OK && j->target != NULL ? write_parts(c, j) : status;
}

/** Is the file a robot's? COLLADA, which is XML as well, is a mesh, and has a name. */
static bool is_robot(const char *path) {
    ov_file_kind kind = cli_kind_of(path);
    return kind == OV_FILE_KIND_URDF || kind == OV_FILE_KIND_XACRO ||
           (kind == OV_FILE_KIND_XML && strcmp(path, "-") == 0);
}

static int run_robot(cli *c, const args *a, const job *j) {
    static const char *const others[] = {"--published", "--one", "--csv", "--svg", "--mode"};
    fit_robot_job robot = {.how = j->how,
                           .any_kind = !args_given(a, "--kind") && !args_given(a, "--error"),
                           .visual = args_given(a, "--visual"),
                           .symmetry = j->symmetry,
                           .poses = 100,
                           .target = j->target,
                           .format = j->format};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (args_given(a, others[i])) {
            return cli_error(c, a->verb, "%s is not for robots", others[i]);
        }
    }
    if (j->how.kind > OV_SHAPE_KIND_SUPEROVOID &&
        (j->how.kind == OV_SHAPE_KIND_BENT || args_given(a, "--error"))) {
        return cli_error(c, a->verb, "--kind %s is not for robots%s", args_text(a, "--kind"),
                         j->how.kind == OV_SHAPE_KIND_BENT ? "" : " with --error");
    }
    if (j->symmetry > 0.0 && !robot.any_kind) {
        return cli_error(c, a->verb,
                         "--symmetry is for bodies of all kinds, without --kind and --error");
    }
    if (args_given(a, "--poses")) {
        if (args_count(c, a, "--poses", &robot.poses) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        if (robot.poses < 1 || robot.poses > POSES_MAX) {
            return cli_error(c, a->verb, "--poses = %s: must be 1 to %d", args_text(a, "--poses"),
                             POSES_MAX);
        }
    }
    return fit_robot(c, a, &robot);
}

/** What one body of a kind cannot be asked for. */
static int refuse_of_kind(cli *c, const args *a, const job *j) {
    bool bent = j->how.kind == OV_SHAPE_KIND_BENT;
    const char *kind = ov_shape_kind_name(j->how.kind);
    if (bent && is_enclosing(j)) {
        return cli_error(c, a->verb, "--one enclose is not for bent bodies, which are not convex");
    }
    if (bent && (args_given(a, "--svg") || j->target != NULL)) {
        return cli_error(c, a->verb, "%s is not for bent bodies, which no file of these holds",
                         j->target != NULL ? "--output" : "--svg");
    }
    if (bent && j->symmetry > 0.0) {
        return cli_error(c, a->verb, "--symmetry is not for bent bodies");
    }
    if (j->objective == OV_FIT_OBJECTIVE_PUBLISHED && j->how.kind > OV_SHAPE_KIND_SUPEROVOID &&
        !bent) {
        return cli_error(c, a->verb, "--one published is for smooth bodies, which a %s is not",
                         kind);
    }
    return CLI_OK;
}

/** Options that only robots have. */
static int refuse_robot_options(cli *c, const args *a) {
    static const char *const of_robots[] = {"--visual", "--poses", "--package"};
    for (size_t i = 0; i < sizeof of_robots / sizeof of_robots[0]; i++) {
        if (args_given(a, of_robots[i])) {
            return cli_error(c, a->verb, "%s needs a robot", of_robots[i]);
        }
    }
    return CLI_OK;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    job j = {.how = ov_default_fit_parts_options()};
    int status = args_parse(c, cli_verb_fit.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_counts(c, &a, &j)) != CLI_OK ||
        (status = read_words(c, &a, &j)) != CLI_OK || (status = read_target(c, &a, &j)) != CLI_OK) {
        return status;
    }
    if (a.word_count > 0 && strcmp(a.words[0], "check") == 0) {
        return fit_check(c, &a);
    }
    if (a.word_count > 0 && is_robot(a.words[0])) {
        return run_robot(c, &a, &j);
    }
    if (j.symmetry > 0.0 && !j.published && !j.one) {
        return cli_error(c, a.verb, "--symmetry is for --published, --one and robots");
    }
    if (j.how.kind > OV_SHAPE_KIND_SUPEROVOID && !j.one) {
        return cli_error(c, a.verb, "--kind %s is for --one%s", args_text(&a, "--kind"),
                         j.how.kind == OV_SHAPE_KIND_BENT ? "" : " and robots");
    }
    if (refuse_robot_options(c, &a) != CLI_OK || (j.one && refuse_of_kind(c, &a, &j) != CLI_OK)) {
        return CLI_BAD_INPUT;
    }
    cli_output svg = {.stream = NULL};
    if (args_given(&a, "--svg")) {
        status = cli_open_output(c, args_text(&a, "--svg"), NULL, &svg);
    }
    if (status == CLI_OK) {
        status = work(c, &a, &j, &svg);
    }
    job_free(&j);
    return cli_close_output(c, &svg, status);
}

const cli_verb cli_verb_fit = {
    .name = "fit",
    .summary = "a mesh or a point cloud as a few smooth bodies",
    .usage = "MESH|POINTS|ROBOT.urdf [options]\n       ovoid fit check FIT MESH|POINTS|ROBOT.urdf",
    .details =
        "Finds convex parts for a mesh (.stl, .obj, .ply, .off, .dae) or a file of points: parts\n"
        "that enclose it, with a proof (the mode enclose), whose union is as near to it as can be\n"
        "(approximate), or that do not stand out of it (inside). What is wrong with a mesh is\n"
        "told in a line each. With -o the parts are written as one link or body; .json and .urdf\n"
        "are read back and the proof is done again for them.\n"
        "\n"
        "With --one it is one body: with the least sum of squared distances (distance), or of the\n"
        "distances (mean), in spite of outliers (robust), of least volume (enclose), or by the "
        "sum\n"
        "of [SQMap, eq. 3] (published). Kinds are sphere, ellipsoid, superellipsoid, superovoid,\n"
        "box, capsule, cylinder and bent; parts are of the first four.\n"
        "\n"
        "Of a robot each mesh is enclosed by up to --parts bodies (4), boxes, capsules and\n"
        "cylinders above all, or of the --kind given; with a smooth kind or --error by parts as "
        "of\n"
        "a mesh. Other shapes stay. The table has the bodies of each link, their volume over the\n"
        "meshes', and how far they stand out. Then meshes and bodies are compared at random "
        "poses.\n"
        "\n"
        "With --symmetry each body of --published or --one is symmetric about the planes that its\n"
        "part is symmetric about. So are a robot's, and one of their axes is parallel to the axis\n"
        "of the joint that moves the link.\n"
        "\n"
        "'fit check' proves for a file that was written, .json or .urdf, that its bodies hold the\n"
        "mesh, or each link's bodies its meshes; the exit status is 1 where they do not.\n",
    .examples =
        "  ovoid mesh cylinder 1 2 -o post.stl && ovoid fit post.stl --parts 1 --seconds 2\n"
        "  ovoid mesh supertoroid 1 1 1 1 1 2.5 -o ring.obj && ovoid fit ring.obj --published\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
