/**
 * @file verb_simulate.c
 * @brief `ovoid simulate`: bodies, joints and cloth of a scene, moving by themselves.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#include "draw/pictures.h"
#include "options.h"
#include "table.h"
#include "timing.h"

static const args_option options[] = {
    {"--seconds", 0, 1, "T", "how long (as the scene says, or 5)", NULL},
    {"--rate", 0, 1, "HZ", "frames per second (60)", NULL},
    {"--mode", 0, 1, "MODE", "fast or accurate (fast)", "fast accurate"},
    {"--substeps", 0, 1, "N", "of each frame (by the mode)", NULL},
    {"--record", 0, 1, "FILE", "an animation, .glb; or a mesh per frame, .obj, .stl, .ply", "FILE"},
    {"--every", 0, 1, "N", "record, and print, every Nth frame (as fits)", NULL},
    SHARED_THREADS,
    SHARED_CSV,
    {"--output", 'o', 1, "FILE", "write the last places of all bodies as a scene, .json", "FILE"},
    SHARED_SVG("the last state, as SVG"),
    {"--example", 0, 0, "", "print a scene to start from", NULL},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0], FRAMES_MAX = 10000000 };

static const char example[] =
    "{\n"
    "  \"title\": \"eggs under a cloth\",\n"
    "  \"time\": [0, 3],\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"floor\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0},\n"
    "    {\"name\": \"egg\", \"kind\": \"superovoid\", \"semi_axes\": [0.3, 0.3, 0.4],\n"
    "     \"exponents\": [1, 0.9], \"taper\": [-0.2, -0.2], \"position\": [0.3, 0, 0.7],\n"
    "     \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": 50}},\n"
    "    {\"name\": \"brick\", \"kind\": \"superellipsoid\", \"semi_axes\": [0.5, 0.3, 0.2],\n"
    "     \"exponents\": [0.2, 0.2], \"position\": [-0.6, 0, 0.5], \"density\": 2000},\n"
    "    {\"name\": \"pendulum\", \"kind\": \"sphere\", \"radius\": 0.15,\n"
    "     \"position\": [0, 1.2, 1.5]}\n"
    "  ],\n"
    "  \"joints\": [\n"
    "    {\"kind\": \"spherical\", \"b\": \"pendulum\", \"point\": [0, 0.4, 1.5]}\n"
    "  ],\n"
    "  \"cloths\": [\n"
    "    {\"corner\": [-1, -1, 1.2], \"side_u\": [2, 0, 0], \"side_v\": [0, 2, 0],\n"
    "     \"columns\": 30, \"rows\": 30, \"thickness\": 0.01}\n"
    "  ]\n"
    "}\n";

/** A frame as it is told. */
typedef struct row {
    double time;
    ov_sim_summary bodies;
    double cloth_kinetic, strain;
    double cloth_depth; /**< of the cloths' deepest triangle in a body, proven from above */
    double step_ms;
} row;

typedef struct job {
    // what is asked for
    double time, rate;
    size_t every;
    ov_sim_options how;
    const char *record_path;
    // what moves
    const char *path;
    ov_sim_scene *scene;
    ov_sim *sim;
    ov_sim_body *handles;
    ov_cloth **cloths;
    size_t cloth_count;
    ov_cloth_collider *colliders; /**< the bodies, where they are at a frame that is told */
    ov_sim_record *record;
    // what came of it
    row *rows;
    size_t row_count, frames;
    double work_ms, worst_ms, deepest;
} job;

static void job_free(job *j) {
    ov_sim_record_destroy(j->record);
    for (size_t i = 0; i < j->cloth_count; i++) {
        ov_cloth_destroy(j->cloths[i]);
    }
    free(j->cloths);
    free(j->colliders);
    ov_sim_destroy(j->sim);
    free(j->handles);
    free(j->rows);
    ov_sim_scene_destroy(j->scene);
}

/* ---- options --------------------------------------------------------------------------------- */

static int read_options(cli *c, const args *a, job *j) {
    size_t choice = 0, substeps = 0;
    unsigned threads;
    j->rate = 60.0;
    if ((args_given(a, "--seconds") && args_length(c, a, "--seconds", &j->time) != CLI_OK) ||
        (args_given(a, "--rate") && args_length(c, a, "--rate", &j->rate) != CLI_OK) ||
        (args_given(a, "--every") && args_count(c, a, "--every", &j->every) != CLI_OK) ||
        (args_given(a, "--substeps") && args_count(c, a, "--substeps", &substeps) != CLI_OK) ||
        (args_given(a, "--mode") && args_choice(c, a, "--mode", &choice) != CLI_OK) ||
        options_read_threads(c, a, &threads) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (!(j->rate >= 1e-3 && j->rate <= 1e6)) {
        return cli_error(c, a->verb, "--rate = %s: must be 0.001 to 1000000",
                         args_text(a, "--rate"));
    }
    if (args_given(a, "--seconds") && !(j->time > 0.0)) {
        return cli_error(c, a->verb, "--seconds = %s: must be above 0", args_text(a, "--seconds"));
    }
    if (substeps > OV_SIM_SUBSTEPS_MAX) {
        return cli_error(c, a->verb, "--substeps = %s: must be 0 to %d", args_text(a, "--substeps"),
                         OV_SIM_SUBSTEPS_MAX);
    }
    if (args_given(a, "--every") && j->every == 0) {
        return cli_error(c, a->verb, "--every = 0: must be at least 1");
    }
    j->how.mode = (ov_sim_mode)choice;
    j->how.substeps = (int)substeps;
    j->how.threads.count = threads;
    j->record_path = args_text(a, "--record");
    return CLI_OK;
}

static bool ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static bool is_frames(const char *path) {
    ov_mesh_format format = ov_mesh_format_from_path(path);
    return format == OV_MESH_FORMAT_OBJ || format == OV_MESH_FORMAT_STL ||
           format == OV_MESH_FORMAT_PLY;
}

/** Room for the name of a frame's file, to be freed; null without memory. */
static char *frame_path(const job *j) { return malloc(strlen(j->record_path) + 32); }

/** NAME-00001.obj and so on. */
static const char *name_frame(const job *j, size_t frame, char *path) {
    const char *dot = strrchr(j->record_path, '.');
    (void)snprintf(path, strlen(j->record_path) + 32, "%.*s-%05zu%s", (int)(dot - j->record_path),
                   j->record_path, frame, dot);
    return path;
}

static int check_outputs(cli *c, const args *a, const job *j) {
    if (j->record_path != NULL && !ends_in(j->record_path, ".glb") && !is_frames(j->record_path)) {
        return cli_error(c, j->record_path, "the name must end in .glb, .obj, .stl or .ply");
    }
    const char *target = args_text(a, "--output");
    if (target != NULL && strcmp(target, "-") != 0 && !ends_in(target, ".json")) {
        return cli_error(c, target, "the name of a scene must end in .json");
    }
    return CLI_OK;
}

/* ---- the simulation -------------------------------------------------------------------------- */

static int read_scene(cli *c, job *j) {
    ov_fault fault;
    const char *path = j->path;
    FILE *stream = cli_open_input(c, &path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    ov_status status;
    if (stream == stdin) {
        status = ov_sim_scene_read_stream(stream, NULL, &j->scene, &fault);
    } else {
        (void)fclose(stream);
        status = ov_sim_scene_read(path, &j->scene, &fault);
    }
    j->path = path;
    if (status < 0) {
        return cli_file_error(c, path, &fault);
    }
    const ov_scene *bodies = ov_sim_scene_bodies(j->scene);
    for (size_t i = 0; i < ov_scene_file_count(bodies); i++) {
        if (cli_note_input(c, ov_scene_file(bodies, i)) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
    }
    return CLI_OK;
}

static ov_status make_cloth(const job *j, size_t index, ov_cloth **cloth) {
    const ov_sim_scene_cloth *s = ov_sim_scene_get_cloth(j->scene, index);
    ov_cloth_options how = s->options;
    how.threads = j->how.threads;
    ov_status status =
        ov_cloth_create(s->positions, s->vertex_count, (const uint32_t(*)[3])s->triangles,
                        s->triangle_count, &how, cloth);
    for (size_t i = 0; i < s->pin_count && status >= 0; i++) {
        status = ov_cloth_pin(*cloth, s->pins[i], s->positions[s->pins[i]]);
    }
    return status;
}

static int begin(cli *c, job *j) {
    size_t bodies = ov_scene_count(ov_sim_scene_bodies(j->scene));
    size_t cloths = ov_sim_scene_cloth_count(j->scene);
    j->handles = calloc(bodies + 1, sizeof *j->handles);
    j->cloths = calloc(cloths + 1, sizeof *j->cloths);
    j->colliders = calloc(bodies + 1, sizeof *j->colliders);
    bool there = j->handles != NULL && j->cloths != NULL && j->colliders != NULL;
    ov_status status = there ? OV_OK : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        status = ov_sim_scene_begin(j->scene, &j->how, &j->sim, j->handles);
    }
    for (size_t i = 0; i < cloths && status >= 0; i++) {
        status = make_cloth(j, i, &j->cloths[i]);
        j->cloth_count += status >= 0;
    }
    if (status >= 0 && j->record_path != NULL) {
        status = ov_sim_record_create(j->scene, &j->record);
    }
    return status >= 0 ? CLI_OK : cli_error(c, j->path, "%s", ov_status_message(status));
}

/** Deepest point of the cloths in the bodies, by the certified query. */
static ov_status find_depth(job *j, double *depth) {
    size_t bodies = ov_scene_count(ov_sim_scene_bodies(j->scene));
    ov_status status = OV_OK;
    for (size_t i = 0; i < bodies && status >= 0; i++) {
        ov_sim_body_state state;
        status = ov_sim_body_get(j->sim, j->handles[i], &state);
        j->colliders[i] = (ov_cloth_collider){.geometry = ov_sim_scene_body(j->scene, i)->geometry,
                                              .end = state.pose};
    }
    for (size_t i = 0; i < j->cloth_count && status >= 0; i++) {
        ov_cloth_depth found;
        status = ov_cloth_deepest(j->cloths[i], j->colliders, bodies, &found);
        *depth = fmax(*depth, found.depth_upper);
    }
    return status;
}

/** What is told of this moment. */
static ov_status look(job *j, double step_ms) {
    row *r = &j->rows[j->row_count++];
    *r = (row){.step_ms = step_ms};
    ov_status status = ov_sim_summarize(j->sim, &r->bodies);
    r->time = r->bodies.time;
    for (size_t i = 0; i < j->cloth_count && status >= 0; i++) {
        ov_cloth_state state;
        status = ov_cloth_measure(j->cloths[i], &state);
        if (status >= 0) {
            r->cloth_kinetic += state.kinetic;
            r->strain = fmax(r->strain, state.strain);
        }
    }
    return status >= 0 && j->cloth_count > 0 ? find_depth(j, &r->cloth_depth) : status;
}

/** Looks at a frame and records it, where it is one of every so many. */
static ov_status keep(job *j, size_t frame, double step_ms) {
    if (frame % j->every != 0 && frame != j->frames) {
        return OV_OK;
    }
    ov_status status = look(j, step_ms);
    return status >= 0 && j->record != NULL
               ? ov_sim_record_add(j->record, j->sim, j->handles, j->cloths)
               : status;
}

static int run_frames(cli *c, job *j) {
    progress bar = progress_make(c->err, "frames");
    ov_status status = keep(j, 0, 0.0);
    size_t frame = 0;
    while (frame < j->frames && status >= 0) {
        double start = timing_clock_ns();
        status = ov_sim_step_cloths(j->sim, j->cloths, j->cloth_count, 1.0 / j->rate);
        double ms = 1e-6 * (timing_clock_ns() - start);
        if (status < 0) {
            break;
        }
        frame++;
        ov_sim_summary now;
        (void)ov_sim_summarize(j->sim, &now);
        j->work_ms += ms;
        j->worst_ms = fmax(j->worst_ms, ms);
        j->deepest = fmax(j->deepest, now.deepest);
        status = keep(j, frame, ms);
        progress_update(&bar, (double)frame, (double)frame / (double)j->frames);
    }
    progress_end(&bar);
    return status >= 0
               ? CLI_OK
               : cli_error(c, j->path, "frame %zu: %s", frame + 1, ov_status_message(status));
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void print_csv(FILE *out, const job *j) {
    fputs("time,kinetic,potential,px,py,pz,lx,ly,lz,deepest,contacts,awake,joint_error,"
          "cloth_kinetic,cloth_strain,cloth_depth,step_ms\n",
          out);
    for (size_t i = 0; i < j->row_count; i++) {
        const row *r = &j->rows[i];
        const ov_sim_summary *s = &r->bodies;
        const double v[] = {s->kinetic,
                            s->potential,
                            s->momentum.x,
                            s->momentum.y,
                            s->momentum.z,
                            s->angular_momentum.x,
                            s->angular_momentum.y,
                            s->angular_momentum.z,
                            s->deepest,
                            (double)s->contacts,
                            (double)s->awake,
                            s->joint_error,
                            r->cloth_kinetic,
                            r->strain,
                            r->cloth_depth,
                            r->step_ms};
        char text[OV_NUMBER_TEXT_MAX];
        fputs(ov_number_text(r->time, text), out);
        for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
            csv_number(out, v[k]);
        }
        fputc('\n', out);
    }
}

static void print_rows(FILE *out, const job *j) {
    fprintf(out, "%9s %11s %11s %11s %11s %8s %6s %9s\n", "time", "kinetic", "potential",
            "momentum", "deepest", "contacts", "awake", "ms");
    for (size_t i = 0; i < j->row_count; i++) {
        const ov_sim_summary *s = &j->rows[i].bodies;
        fprintf(out, "%9.4g %11.4g %11.4g %11.4g %11.3g %8zu %6zu %9.3g\n", j->rows[i].time,
                s->kinetic + j->rows[i].cloth_kinetic, s->potential, ov_vec3_length(s->momentum),
                s->deepest, s->contacts, s->awake, j->rows[i].step_ms);
    }
}

/** The cloths at the end, and over all frames that were told. */
static void print_cloths(FILE *out, const job *j) {
    double depth = 0.0, strain = 0.0;
    for (size_t i = 0; i < j->row_count; i++) {
        depth = fmax(depth, j->rows[i].cloth_depth);
        strain = fmax(strain, j->rows[i].strain);
    }
    for (size_t i = 0; i < j->cloth_count; i++) {
        ov_cloth_state state;
        ov_cloth_depth found;
        size_t bodies = ov_scene_count(ov_sim_scene_bodies(j->scene));
        if (ov_cloth_deepest(j->cloths[i], j->colliders, bodies, &found) >= 0 &&
            ov_cloth_measure(j->cloths[i], &state) >= 0) {
            fprintf(out,
                    "%s: %zu vertices; at the end no triangle is deeper than %.3g m in a body; "
                    "strain %.2g %%\n",
                    ov_sim_scene_get_cloth(j->scene, i)->name, ov_cloth_vertex_count(j->cloths[i]),
                    found.depth_upper, 100.0 * state.strain);
        }
    }
    if (j->cloth_count > 0) {
        fprintf(out, "cloth at the times above: no triangle deeper than %.3g m; strain %.2g %%\n",
                depth, 100.0 * strain);
    }
}

static void print_summary(FILE *out, const job *j) {
    fprintf(out, "%zu frames of %.4g s: %.3g ms each, worst %.3g ms; deepest overlap %.3g\n",
            j->frames, 1.0 / j->rate, j->frames > 0 ? j->work_ms / (double)j->frames : 0.0,
            j->worst_ms, j->deepest);
}

/* ---- what is written ------------------------------------------------------------------------- */

/** The bodies where they are, and the cloths as meshes. */
static ov_status last_scene(const job *j, ov_scene **scene) {
    const ov_scene *from = ov_sim_scene_bodies(j->scene);
    ov_status status = ov_scene_create(ov_scene_title(from), scene);
    for (size_t i = 0; i < ov_scene_count(from) && status >= 0; i++) {
        const ov_scene_body *b = ov_scene_get(from, i);
        ov_sim_body_state state;
        status = ov_sim_body_get(j->sim, j->handles[i], &state);
        if (status >= 0) {
            status = ov_scene_add_body(*scene, b->name, b->parts, b->part_count, state.pose);
        }
    }
    for (size_t i = 0; i < j->cloth_count && status >= 0; i++) {
        size_t count = ov_cloth_vertex_count(j->cloths[i]);
        ov_vec3 *places = malloc((count + 1) * sizeof *places);
        ov_trimesh *mesh = NULL;
        status = places != NULL ? ov_cloth_positions(j->cloths[i], places) : OV_ERROR_MEMORY;
        if (status >= 0) {
            status = ov_trimesh_create_surface(places, count, ov_cloth_triangles(j->cloths[i]),
                                               ov_cloth_triangle_count(j->cloths[i]), NULL, &mesh);
        }
        if (status >= 0) {
            ov_part part = {.mesh = mesh};
            status = ov_scene_add_body(*scene, ov_sim_scene_get_cloth(j->scene, i)->name, &part, 1,
                                       ov_pose_identity());
        }
        ov_trimesh_destroy(mesh);
        free(places);
    }
    return status;
}

static int write_last(cli *c, const job *j, const cli_output *json, const cli_output *svg) {
    ov_scene *scene = NULL;
    ov_status status = last_scene(j, &scene);
    if (status >= 0 && json->stream != NULL) {
        status = ov_scene_write_stream(json->stream, scene);
    }
    if (status >= 0 && svg->stream != NULL) {
        bool fits = ov_scene_count(scene) <= SCENE_PICTURE_BODIES_MAX &&
                    scene_picture_pieces(scene) <= SCENE_PICTURE_PIECES_MAX;
        status = fits ? scene_picture_draw(svg->stream, scene, NULL, 0, false) : OV_ERROR_COUNT;
    }
    ov_scene_destroy(scene);
    return status >= 0 ? CLI_OK
                       : cli_error(c, j->path, "the last state: %s", ov_status_message(status));
}

static ov_status write_frames(const job *j) {
    char *path = frame_path(j);
    ov_status status = path != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (size_t i = 0; i < ov_sim_record_count(j->record) && status >= 0; i++) {
        status = ov_sim_record_write_frame(j->record, i, name_frame(j, i, path));
    }
    free(path);
    return status;
}

static int write_record(cli *c, const job *j) {
    if (j->record == NULL) {
        return CLI_OK;
    }
    errno = 0;
    ov_status status = is_frames(j->record_path)
                           ? write_frames(j)
                           : ov_sim_record_write_gltf(j->record, j->record_path);
    int cause = errno;
    if (status >= 0) {
        return CLI_OK;
    }
    bool file_trouble = status == OV_ERROR_FILE_OPEN || status == OV_ERROR_FILE_WRITE;
    return file_trouble && cause != 0
               ? cli_error(c, j->record_path, "%s: %s", ov_status_message(status), strerror(cause))
               : cli_error(c, j->record_path, "%s", ov_status_message(status));
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** Refuses a record that would take the place of an input or of another output. */
static int check_record(cli *c, const job *j) {
    if (j->record_path == NULL || !is_frames(j->record_path)) {
        return j->record_path != NULL ? cli_check_output(c, j->record_path, NULL) : CLI_OK;
    }
    char *path = frame_path(j);
    int status = path != NULL ? CLI_OK : cli_error(c, j->record_path, "out of memory");
    // the first one, every so many, and the last one
    for (size_t i = 0; i < j->frames / j->every + 2 && status == CLI_OK; i++) {
        status = cli_check_output(c, name_frame(j, i, path), NULL);
    }
    free(path);
    return status;
}

static int plan_frames(cli *c, const args *a, job *j) {
    double time =
        j->time > 0.0 ? j->time : ov_sim_scene_end(j->scene) - ov_sim_scene_start(j->scene);
    double frames = ceil(time * j->rate - 1e-9);
    if (!(frames <= FRAMES_MAX)) {
        return cli_error(c, a->verb, "%.3g frames are too many: at most %d", frames, FRAMES_MAX);
    }
    j->frames = (size_t)fmax(frames, 1.0);
    size_t rows = args_given(a, "--csv") ? j->frames : 20;
    if (j->every == 0) {
        // an animation wants more frames than a table has lines
        j->every = j->record_path != NULL && !args_given(a, "--csv")
                       ? (size_t)fmax(1.0, j->rate / 30.0)
                       : (j->frames + rows - 1) / rows;
    }
    j->rows = calloc(j->frames / j->every + 3, sizeof *j->rows);
    return j->rows != NULL ? CLI_OK : cli_error(c, a->verb, "out of memory");
}

static int work(cli *c, const args *a, job *j, const cli_output *json, const cli_output *svg) {
    int status = read_scene(c, j);
    status = status == CLI_OK ? plan_frames(c, a, j) : status;
    status = status == CLI_OK ? check_record(c, j) : status;
    status = status == CLI_OK ? begin(c, j) : status;
    status = status == CLI_OK ? run_frames(c, j) : status;
    if (status != CLI_OK) {
        return status;
    }
    bool out_taken = json->stream == c->out;
    if (args_given(a, "--csv") && !out_taken) {
        print_csv(c->out, j);
    } else if (!out_taken) {
        print_rows(c->out, j);
        print_summary(c->out, j);
        print_cloths(c->out, j);
    }
    status = write_last(c, j, json, svg);
    return status == CLI_OK ? write_record(c, j) : status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    job j = {0};
    int status = args_parse(c, cli_verb_simulate.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && args_given(&a, "--example")) {
        return cli_print(c, &a, example);
    }
    if (status != CLI_OK || (status = read_options(c, &a, &j)) != CLI_OK) {
        return status;
    }
    if (a.word_count != 1) {
        return cli_error(c, a.verb, "needs one scene, got %d", a.word_count);
    }
    j.path = a.words[0];
    if (check_outputs(c, &a, &j) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    cli_output json = {.stream = NULL}, svg = {.stream = NULL};
    if (args_given(&a, "--output")) {
        status = cli_open_output(c, args_text(&a, "--output"), NULL, &json);
    }
    if (status == CLI_OK && args_given(&a, "--svg")) {
        status = cli_open_output(c, args_text(&a, "--svg"), NULL, &svg);
    }
    if (status == CLI_OK) {
        status = work(c, &a, &j, &json, &svg);
    }
    job_free(&j);
    status = cli_finish_output(c, &svg, status);
    status = cli_close_output(c, &json, status);
    return cli_close_output(c, &svg, status);
}

const cli_verb cli_verb_simulate = {
    .name = "simulate",
    .summary = "bodies, joints and cloth of a scene, moving by themselves",
    .usage = "SCENE.json [options]",
    .details =
        "Simulates a scene: bodies fall, touch, stack and roll, joints hold them, cloth drapes "
        "over\n"
        "them, and robots (URDF) move among them. What a scene may hold is in\n"
        "'ovoid help simulation'. The same scene gives the same result on any number of threads.\n"
        "\n"
        "Prints energies, momentum, deepest overlap and contacts in the end of a frame, and the\n"
        "milliseconds it took; with --csv all that is known. Energies are in joules, for a scene "
        "in\n"
        "metres, kilograms and seconds. With -o all bodies and cloths are written in their last\n"
        "places, as a scene for 'ovoid contact', without joints and speeds.\n",
    .examples = "  ovoid simulate --example > eggs.json\n"
                "  ovoid simulate eggs.json --svg eggs.svg --record eggs.glb\n"
                "  ovoid simulate eggs.json --seconds 1 --mode accurate --csv > eggs.csv\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
