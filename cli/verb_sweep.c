/**
 * @file verb_sweep.c
 * @brief `ovoid sweep`: is a motion free of collision at every time? With a proof, or with the
 * times where it is not.
 *
 * Parts, faces, vertices and edges are counted from 1 in what is told.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "draw/pictures.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "subject.h"
#include "table.h"

enum {
    OPTION_URDF,
    OPTION_TRAJECTORY,
    OPTION_OBSTACLES,
    OPTION_SPLINE,
    OPTION_ALLOW,
    OPTION_HULLS,
    OPTION_PACKAGE,
    OPTION_EPSILON,
    OPTION_CLEARANCE,
    OPTION_DEPTH,
    OPTION_FIRST,
    OPTION_RESOLUTION,
    OPTION_MASS,
    OPTION_NO_HIERARCHY,
    OPTION_THREADS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_SVG,
    OPTION_EXAMPLE,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    {"--urdf", 0, 1, "ROBOT", "a robot, instead of a scene in motion", "FILE"},
    {"--trajectory", 0, 1, "FILE.csv", "its way: names of joints, then a pose a line", "FILE"},
    {"--obstacles", 0, 1, "SCENE", "bodies that the robot must not touch", "FILE"},
    {"--spline", 0, 1, "KIND", "between poses: linear (default) or cubic", "linear cubic"},
    {"--allow", 0, 1, "A,B[:C,D]", "pairs of links that may touch", NULL},
    {"--hulls", 0, 0, "", "take the convex hulls of the robot's meshes: faster", NULL},
    {"--package", 0, 1, "DIR[:DIR]", "where the packages of package:// names are", "FILE"},
    {"--epsilon", 0, 1, "E", "length below which nothing is told apart (1e-4 of a body)", NULL},
    {"--clearance", 0, 1, "C", "free means farther apart than this (0)", NULL},
    {"--depth", 0, 1, "D", "pieces are at least 2^-D of the time, 1 to 60 (60)", NULL},
    {"--first", 0, 0, "", "look for the first contact only, and print that one", NULL},
    {"--resolution", 0, 1, "R", "of the first contact, part of the time (1e-6)", NULL},
    {"--mass", 0, 1, "USE", "of polygons: individual (default) or global", "individual global"},
    {"--no-hierarchy", 0, 0, "", "polygons: look at every pair of them", NULL},
    {"--threads", 0, 1, "N", "threads; 0: as many as the machine has (1)", NULL},
    {"--json", 0, 0, "", "print what was found as JSON", NULL},
    {"--csv", 0, 1, "FILE", "write the intervals as CSV", "FILE"},
    {"--svg", 0, 1, "FILE", "draw the motion, and when things meet", "FILE"},
    {"--example", 0, 0, "", "print a scene in motion to begin with", NULL},
};

static const char example[] =
    "{\n"
    "  \"title\": \"an egg over a table\",\n"
    "  \"time\": [0, 2],\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"egg\", \"kind\": \"superovoid\", \"semi_axes\": [0.5, 0.5, 0.8],\n"
    "     \"exponents\": [1, 0.9], \"taper\": [-0.2, -0.2], \"position\": [-2, 0, 1],\n"
    "     \"motion\": {\"screw\": {\"point\": [0, 0, 1], \"axis\": [1, 0, 0],\n"
    "                          \"angle_deg\": 360, \"travel\": 4}}},\n"
    "    {\"name\": \"lid\", \"kind\": \"box\", \"half_extents\": [0.4, 0.4, 0.05],\n"
    "     \"motion\": {\"keys\": {\"times\": [0, 1, 2], \"spline\": \"cubic\", \"poses\": [\n"
    "       {\"position\": [0, -2, 1]}, {\"position\": [0, -0.8, 2.2]},\n"
    "       {\"position\": [0, 0, 2.5], \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": "
    "90}}]}}},\n"
    "    {\"name\": \"table\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0}\n"
    "  ]\n"
    "}\n";

/** What is swept. */
typedef struct sweep_job {
    subject subject;
    ov_trajectory *trajectory; /**< of a robot */
    ov_sweep_body *at_rest;    /**< its obstacles as bodies */
    double start, end;
} sweep_job;

/** Which files; null where there is none. */
typedef struct sweep_files {
    const char *scene, *robot, *trajectory, *obstacles, *packages;
    bool hulls;
    ov_spline spline;
} sweep_files;

/* ---- options --------------------------------------------------------------------------------- */

static const char *text_of(const args *a, int option) {
    return a->values[option].given ? a->values[option].text[0] : NULL;
}

static bool is_stream(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

/** A scene, or a robot with its trajectory; and no more than one of them from standard input. */
static int read_files(cli *c, const args *a, sweep_files *f) {
    static const int of_robots[] = {OPTION_TRAJECTORY, OPTION_OBSTACLES, OPTION_SPLINE,
                                    OPTION_ALLOW,      OPTION_HULLS,     OPTION_PACKAGE};
    static const int of_polygons[] = {OPTION_MASS, OPTION_NO_HIERARCHY};
    size_t spline = OV_SPLINE_LINEAR;
    *f = (sweep_files){.scene = a->word_count > 0 ? a->words[0] : NULL,
                       .robot = text_of(a, OPTION_URDF),
                       .trajectory = text_of(a, OPTION_TRAJECTORY),
                       .obstacles = text_of(a, OPTION_OBSTACLES),
                       .packages = text_of(a, OPTION_PACKAGE),
                       .hulls = a->values[OPTION_HULLS].given};
    if (f->robot != NULL ? a->word_count != 0 : a->word_count != 1) {
        return f->robot != NULL
                   ? cli_error(c, a->verb, "takes a scene in motion or --urdf, not both")
                   : cli_error(c, a->verb,
                               "needs one scene in motion (.json), or '-', got %d; or --urdf",
                               a->word_count);
    }
    if (f->robot != NULL && f->trajectory == NULL) {
        return cli_error(c, a->verb, "--urdf needs --trajectory");
    }
    for (size_t i = 0; i < sizeof of_robots / sizeof of_robots[0] && f->robot == NULL; i++) {
        if (a->values[of_robots[i]].given) {
            return cli_error(c, a->verb, "%s needs --urdf", options[of_robots[i]].name);
        }
    }
    for (size_t i = 0; i < sizeof of_polygons / sizeof of_polygons[0] && f->robot != NULL; i++) {
        if (a->values[of_polygons[i]].given) {
            return cli_error(c, a->verb, "%s is for polygons, which a robot does not have",
                             options[of_polygons[i]].name);
        }
    }
    if (is_stream(f->robot) + is_stream(f->trajectory) + is_stream(f->obstacles) > 1) {
        return cli_error(c, a->verb, "only one file can be standard input, '-'");
    }
    int status =
        a->values[OPTION_SPLINE].given ? args_choice(c, a, OPTION_SPLINE, &spline) : CLI_OK;
    f->spline = (ov_spline)spline;
    return status;
}

static int read_depth(cli *c, const args *a, int *depth) {
    size_t value = 0;
    int status = args_count(c, a, OPTION_DEPTH, &value);
    if (status == CLI_OK && (value < 1 || value > 60)) {
        return cli_error(c, a->verb, "--depth = %s: must be from 1 to 60",
                         a->values[OPTION_DEPTH].text[0]);
    }
    *depth = (int)value;
    return status;
}

static int read_resolution(cli *c, const args *a, double *resolution) {
    int status = args_number(c, a, OPTION_RESOLUTION, resolution);
    if (status == CLI_OK && !(*resolution >= 1e-12 && *resolution <= 1.0)) {
        return cli_error(c, a->verb, "--resolution = %s: must be from 1e-12 to 1",
                         a->values[OPTION_RESOLUTION].text[0]);
    }
    return status == CLI_OK && !a->values[OPTION_FIRST].given
               ? cli_error(c, a->verb, "--resolution needs --first")
               : status;
}

static int read_length(cli *c, const args *a, size_t option, double *length) {
    int status = args_length(c, a, option, length);
    return status == CLI_OK && !(*length <= OV_POSITION_MAX)
               ? cli_error(c, a->verb, "%s = %s: must be at most 1e100", options[option].name,
                           a->values[option].text[0])
               : status;
}

/** JSON goes to standard output too. */
static int check_streams(cli *c, const args *a) {
    const char *csv = text_of(a, OPTION_CSV), *svg = text_of(a, OPTION_SVG);
    return is_stream(csv) + is_stream(svg) + a->values[OPTION_JSON].given > 1
               ? cli_error(c, a->verb,
                           "only one of --json, --csv and --svg can be standard output, '-'")
               : CLI_OK;
}

static int read_options(cli *c, const args *a, ov_sweep_options *o) {
    size_t mass = OV_MASS_USE_INDIVIDUAL;
    int status = CLI_OK;
    *o = ov_default_sweep_options();
    o->threads.count = 1;
    if (a->values[OPTION_EPSILON].given) {
        status = read_length(c, a, OPTION_EPSILON, &o->epsilon);
    }
    if (status == CLI_OK && a->values[OPTION_CLEARANCE].given) {
        status = read_length(c, a, OPTION_CLEARANCE, &o->clearance);
    }
    if (status == CLI_OK && a->values[OPTION_DEPTH].given) {
        status = read_depth(c, a, &o->depth);
    }
    if (status == CLI_OK && a->values[OPTION_RESOLUTION].given) {
        status = read_resolution(c, a, &o->resolution);
    }
    if (status == CLI_OK && a->values[OPTION_MASS].given) {
        status = args_choice(c, a, OPTION_MASS, &mass);
    }
    if (status == CLI_OK && a->values[OPTION_THREADS].given) {
        status = pair_threads_read(c, a, OPTION_THREADS, &o->threads.count);
    }
    o->mass = (ov_mass_use)mass;
    o->first_only = a->values[OPTION_FIRST].given;
    o->every_pair = a->values[OPTION_NO_HIERARCHY].given;
    return status == CLI_OK ? check_streams(c, a) : status;
}

static int no_memory(cli *c, const char *path) {
    return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** Poses without times are a second apart. */
static int make_times(cli *c, sweep_job *job) {
    if (job->subject.joints.times != NULL) {
        return CLI_OK;
    }
    job->subject.joints.times =
        malloc((job->subject.joints.count + 1) * sizeof *job->subject.joints.times);
    if (job->subject.joints.times == NULL) {
        return no_memory(c, job->subject.joints_path);
    }
    for (size_t i = 0; i < job->subject.joints.count; i++) {
        job->subject.joints.times[i] = (double)i;
    }
    (void)cli_error(c, job->subject.joints_path,
                    "warning: no column 'time': poses are taken to be a second apart");
    return CLI_OK;
}

/** Speeds that the robot's file allows: one for each degree of freedom. */
static double *speed_limits(const ov_robot *robot) {
    const ov_model *model = ov_robot_model(robot);
    size_t count = ov_model_dof_count(model);
    double *limits = malloc((count + 1) * sizeof *limits);
    for (size_t i = 0; i < count && limits != NULL; i++) {
        limits[i] = INFINITY;
    }
    for (size_t j = 0; j < ov_robot_joint_count(robot) && limits != NULL; j++) {
        const ov_robot_joint *joint = ov_robot_get_joint(robot, j);
        size_t motions = ov_joint_dof_count(joint->def.kind), first = ov_model_joint_dof(model, j);
        // zero is how many files say that they do not know
        for (size_t k = 0;
             k < motions && joint->def.mimic == OV_NO_LINK && joint->velocity > OV_ZERO; k++) {
            limits[first + k] = joint->velocity;
        }
    }
    return limits;
}

/** Tells where a trajectory leaves the limits of a joint. */
static int check_limits(cli *c, const sweep_job *job) {
    static const char *const what[] = {"position", "speed", "acceleration"};
    ov_trajectory_excess e;
    double *limits = speed_limits(job->subject.robot);
    if (limits == NULL) {
        return no_memory(c, job->subject.path);
    }
    ov_status status = ov_trajectory_check(job->trajectory, limits, NULL, &e, NULL);
    if (status >= 0 && e.joint != OV_NO_LINK) {
        (void)cli_error(c, job->subject.joints_path,
                        "warning: joint '%s' leaves its limits: its %s is %.6g at time %.*g, "
                        "where %.6g is allowed",
                        ov_model_joint(ov_robot_model(job->subject.robot), e.joint)->name,
                        what[e.derivative], e.value, table_time_digits(job->start, job->end, 6),
                        e.time, e.limit);
    }
    free(limits);
    return CLI_OK;
}

static int make_trajectory(cli *c, const sweep_files *files, sweep_job *job) {
    size_t count = job->subject.joints.count;
    ov_fault fault;
    if (count < 2) {
        return cli_error(c, job->subject.joints_path,
                         "a trajectory needs at least 2 poses, got %zu", count);
    }
    ov_status status = ov_trajectory_create(
        ov_robot_model(job->subject.robot), job->subject.joints.times,
        job->subject.joints.positions, NULL, count, files->spline, NULL, &job->trajectory, &fault);
    size_t row = fault.index;
    if (status == OV_ERROR_TIME && row > 0) {
        return cli_error(c, job->subject.joints_path,
                         "pose %zu: its time, %.15g, is not after %.15g", row + 1,
                         job->subject.joints.times[row], job->subject.joints.times[row - 1]);
    }
    if (status < 0 && fault.place == OV_FAULT_PLACE_ROW) {
        return cli_error(c, job->subject.joints_path, "pose %zu: %s", row + 1, fault.text);
    }
    if (status < 0) {
        return cli_error(c, job->subject.joints_path, "%s", fault.text);
    }
    job->start = ov_trajectory_start(job->trajectory);
    job->end = ov_trajectory_end(job->trajectory);
    return check_limits(c, job);
}

static int read_obstacles(cli *c, const char *path, sweep_job *job) {
    subject *s = &job->subject;
    int result = subject_read_obstacles(c, path, s);
    if (result != CLI_OK) {
        return result;
    }
    size_t count = ov_scene_count(s->obstacles);
    job->at_rest = calloc(count + 1, sizeof *job->at_rest);
    if (job->at_rest == NULL) {
        return no_memory(c, path);
    }
    for (size_t i = 0; i < count; i++) {
        job->at_rest[i] = ov_default_sweep_body();
        job->at_rest[i].geometry = s->obstacle_geometries[i];
        job->at_rest[i].pose = ov_scene_get(s->obstacles, i)->pose;
    }
    return CLI_OK;
}

static int read_robot(cli *c, const sweep_files *files, sweep_job *job) {
    ov_robot_options how = ov_default_robot_options();
    how.hulls = files->hulls;
    job->subject.path = cli_input_name(files->robot);
    job->subject.joints_path = cli_input_name(files->trajectory);
    int status = robot_read(c, files->robot, files->packages, how, &job->subject.robot);
    if (status == CLI_OK && files->obstacles != NULL) {
        status = read_obstacles(c, files->obstacles, job);
    }
    if (status == CLI_OK) {
        status = joints_read(c, files->trajectory, ov_robot_model(job->subject.robot),
                             &job->subject.joints);
    }
    if (status == CLI_OK) {
        status = make_times(c, job);
    }
    return status == CLI_OK ? make_trajectory(c, files, job) : status;
}

static int sweep_read(cli *c, const sweep_files *files, sweep_job *job) {
    subject *s = &job->subject;
    int status;
    if (files->robot != NULL) {
        status = read_robot(c, files, job);
    } else {
        s->path = cli_input_name(files->scene);
        status = motion_scene_read(c, files->scene, &s->motion);
    }
    if (status == CLI_OK && s->motion != NULL) {
        job->start = ov_motion_scene_start(s->motion);
        job->end = ov_motion_scene_end(s->motion);
    }
    if (status == CLI_OK) {
        subject_tell_open_meshes(c, s);
    }
    return status;
}

static void sweep_free(sweep_job *job) {
    ov_trajectory_destroy(job->trajectory);
    free(job->at_rest);
    subject_free(&job->subject);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

static void show(void *bar, double done) { progress_update(bar, 0.0, done); }

static int sweep_run(cli *c, const sweep_job *job, const ov_sweep_options *options,
                     ov_sweep **sweep) {
    ov_fault fault;
    progress bar = progress_make(c->err, NULL);
    ov_sweep_options shown = *options;
    shown.progress = show;
    shown.progress_user = &bar;
    ov_status status =
        job->subject.motion != NULL
            ? ov_sweep_bodies(ov_motion_scene_bodies(job->subject.motion),
                              ov_motion_scene_count(job->subject.motion), job->start, job->end,
                              &shown, sweep, &fault)
            : ov_sweep_model(ov_robot_model(job->subject.robot), ov_pose_identity(),
                             job->trajectory, job->at_rest, ov_scene_count(job->subject.obstacles),
                             job->start, job->end, &shown, sweep, &fault);
    progress_end(&bar);
    if (status >= 0) {
        return CLI_OK;
    }
    if (fault.place == OV_FAULT_PLACE_NONE) {
        return cli_error(c, job->subject.path, "%s", fault.text);
    }
    // obstacles are named after the links
    bool obstacle = job->subject.motion == NULL && fault.place == OV_FAULT_PLACE_BODY;
    size_t thing = fault.index + (obstacle ? ov_robot_link_count(job->subject.robot) : 0);
    return cli_error(c, job->subject.path, "%s: %s", subject_name(&job->subject, thing),
                     fault.text);
}

/* ---- what is told ---------------------------------------------------------------------------- */

/** More lines than this a table does not have. */
enum { LINES_MAX = 60, PLACE_MAX = 64 };

/** Where only the first contact is asked for, pairs that meet later are no part of the answer: the
 *  interval of the contact that is proven first, or where none is, the one that begins first. */
static const ov_sweep_interval *first_of(const sweep_report *r) {
    const ov_sweep_interval *first = &r->intervals[0];
    for (size_t i = 1; i < r->count; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        bool proven = !isnan(v->contact), sooner = proven && v->contact < first->contact;
        if (isnan(first->contact) ? proven || v->start < first->start : sooner) {
            first = v;
        }
    }
    return first;
}

static sweep_report sweep_report_make(const sweep_job *job, const ov_sweep_options *options,
                                      const ov_sweep *sweep) {
    sweep_report r = {.subject = &job->subject,
                      .trajectory = job->trajectory,
                      .start = job->start,
                      .end = job->end,
                      .options = *options,
                      .summary = ov_sweep_summary_of(sweep)};
    r.intervals = ov_sweep_intervals(sweep, &r.count);
    if (options->first_only && r.count > 1) {
        r.intervals = first_of(&r);
        r.count = r.summary.intervals = 1;
    }
    return r;
}

static const char *name_of(const sweep_report *r, uint32_t thing) {
    return subject_name(r->subject, thing);
}

/** Is it about a vertex or an edge of A's polygon, or B's? Then the interval has its index. */
static bool has_index(const ov_sweep_interval *v, bool of_b) {
    return v->element == OV_SWEEP_ELEMENT_EDGE_EDGE ||
           v->element == (of_b ? OV_SWEEP_ELEMENT_FACE_VERTEX : OV_SWEEP_ELEMENT_VERTEX_FACE);
}

/** What of a body an interval is about: "part 2", "face 3", "vertex 1 of face 3". */
static void write_place(const sweep_report *r, const ov_sweep_interval *v, bool of_b,
                        char place[PLACE_MAX]) {
    uint32_t thing = of_b ? v->body_b : v->body_a, part = of_b ? v->part_b : v->part_a;
    uint32_t index = of_b ? v->index_b : v->index_a;
    if (subject_polygons(r->subject, thing) == NULL) {
        snprintf(place, PLACE_MAX, "part %" PRIu32, part + 1);
    } else if (has_index(v, of_b)) {
        snprintf(place, PLACE_MAX, "%s %" PRIu32 " of face %" PRIu32,
                 v->element == OV_SWEEP_ELEMENT_EDGE_EDGE ? "edge" : "vertex", index + 1, part + 1);
    } else {
        snprintf(place, PLACE_MAX, "face %" PRIu32, part + 1);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_head(FILE *out, const sweep_report *r) {
    const subject *s = r->subject;
    if (s->motion != NULL) {
        size_t count = ov_motion_scene_count(s->motion), moving = 0;
        for (size_t i = 0; i < count; i++) {
            moving += ov_motion_scene_bodies(s->motion)[i].motion != NULL;
        }
        fprintf(out, "%s: %zu bod%s, %zu in motion", s->path, count, count == 1 ? "y" : "ies",
                moving);
    } else {
        size_t links = ov_robot_link_count(s->robot), obstacles = ov_scene_count(s->obstacles);
        fprintf(out, "%s: %s, %zu link%s", s->path, ov_robot_name(s->robot), links,
                links == 1 ? "" : "s");
        if (s->obstacles != NULL) {
            fprintf(out, ", %zu obstacle%s", obstacles, obstacles == 1 ? "" : "s");
        }
        fprintf(out, "; %zu poses of %s", s->joints.count, s->joints_path);
    }
    int digits = table_time_digits(r->start, r->end, 6);
    fprintf(out, "; time %.*g to %.*g", digits, r->start, digits, r->end);
    if (r->options.epsilon > 0.0) {
        fprintf(out, "; epsilon %g", r->options.epsilon);
    }
    if (r->options.clearance > 0.0) {
        fprintf(out, "; clearance %g", r->options.clearance);
    }
    fputs("\n\n", out);
}

/** The four columns of texts: names and what of them. */
static void cells_of(const sweep_report *r, const ov_sweep_interval *v, const char *cells[4],
                     char places[2][PLACE_MAX]) {
    write_place(r, v, false, places[0]);
    write_place(r, v, true, places[1]);
    cells[0] = name_of(r, v->body_a);
    cells[1] = places[0];
    cells[2] = name_of(r, v->body_b);
    cells[3] = places[1];
}

static void print_intervals(FILE *out, const sweep_report *r) {
    bool robot = r->subject->robot != NULL;
    const char *heads[4] = {robot ? "link A" : "body A", "of it",
                            !robot                          ? "body B"
                            : r->subject->obstacles != NULL ? "link or obstacle B"
                                                            : "link B",
                            "of it"};
    size_t lines = r->count < LINES_MAX ? r->count : LINES_MAX;
    const char *cells[4];
    char places[2][PLACE_MAX];
    int widths[4], digits = table_time_digits(r->start, r->end, 9), wide = digits + 5;
    for (int k = 0; k < 4; k++) {
        widths[k] = table_width(heads[k]) + 2;
    }
    for (size_t i = 0; i < lines; i++) {
        cells_of(r, &r->intervals[i], cells, places);
        for (int k = 0; k < 4; k++) {
            int width = table_width(cells[k]) + 2;
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        table_cell(out, heads[k], widths[k]);
    }
    fprintf(out, "%*s %*s %*s\n", wide, "from", wide, "to", wide, "contact at");
    for (size_t i = 0; i < lines; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        cells_of(r, v, cells, places);
        for (int k = 0; k < 4; k++) {
            table_cell(out, cells[k], widths[k]);
        }
        fprintf(out, "%*.*g %*.*g", wide, digits, v->start, wide, digits, v->end);
        if (isnan(v->contact)) {
            fprintf(out, " %*s\n", wide, "not proven");
        } else {
            fprintf(out, " %*.*g\n", wide, digits, v->contact);
        }
    }
    if (lines < r->summary.intervals) {
        fprintf(out, "and %zu more: see --csv or --json\n", r->summary.intervals - lines);
    }
    fputc('\n', out);
}

/** The pair that is in contact at a time, or null. */
static const ov_sweep_interval *contact_at(const sweep_report *r, double time) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->intervals[i].contact == time) {
            return &r->intervals[i];
        }
    }
    return NULL;
}

static void print_answer(FILE *out, const sweep_report *r) {
    const ov_sweep_summary *m = &r->summary;
    int digits = table_time_digits(r->start, r->end, 12);
    fputs(ov_sweep_answer_name(m->answer), out);
    if (m->answer == OV_SWEEP_ANSWER_CONTACT) {
        const ov_sweep_interval *v = contact_at(r, m->upper);
        fprintf(out, ": proven at %.*g", digits, m->upper);
        if (v != NULL) {
            fprintf(out, ", %s and %s", name_of(r, v->body_a), name_of(r, v->body_b));
        }
    } else if (m->answer == OV_SWEEP_ANSWER_UNDECIDED) {
        fputs(": no contact is proven, and none excluded", out);
    }
    if (m->answer != OV_SWEEP_ANSWER_FREE && m->lower > r->start) {
        fprintf(out, "; free before %.*g", digits, m->lower);
    } else if (m->answer != OV_SWEEP_ANSWER_FREE) {
        fputs("; from the start", out);
    }
    fprintf(out, "\n%zu pair%s, %zu piece%s, %zu test%s, %zu quer%s, depth %d\n", m->pairs,
            m->pairs == 1 ? "" : "s", m->pieces, m->pieces == 1 ? "" : "s", m->tests,
            m->tests == 1 ? "" : "s", m->queries, m->queries == 1 ? "y" : "ies", m->depth);
}

static void sweep_report_print(FILE *out, const sweep_report *r) {
    print_head(out, r);
    if (r->count > 0) {
        print_intervals(out, r);
    }
    print_answer(out, r);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void write_time(json *j, const char *key, double time) {
    if (isfinite(time)) {
        json_number(j, key, time);
    } else {
        json_null(j, key);
    }
}

static void write_interval(json *j, const sweep_report *r, const ov_sweep_interval *v) {
    json_open_object(j, NULL);
    json_number(j, "start", v->start);
    json_number(j, "end", v->end);
    write_time(j, "contact", v->contact);
    json_string(j, "a", name_of(r, v->body_a));
    json_string(j, "b", name_of(r, v->body_b));
    json_count(j, "part_a", v->part_a + (size_t)1);
    json_count(j, "part_b", v->part_b + (size_t)1);
    json_string(j, "element", ov_sweep_element_name(v->element));
    for (int b = 0; b < 2; b++) {
        const char *key = b == 0 ? "index_a" : "index_b";
        if (has_index(v, b == 1)) {
            json_count(j, key, (b == 0 ? v->index_a : v->index_b) + (size_t)1);
        } else {
            json_null(j, key);
        }
    }
    json_close_object(j);
}

static void sweep_report_json(FILE *out, const sweep_report *r) {
    const subject *s = r->subject;
    const ov_sweep_summary *m = &r->summary;
    json j = json_make(out);
    json_open_object(&j, NULL);
    json_string(&j, "file", s->path);
    if (s->motion != NULL) {
        json_count(&j, "bodies", ov_motion_scene_count(s->motion));
    } else {
        json_string(&j, "robot", ov_robot_name(s->robot));
        json_count(&j, "links", ov_robot_link_count(s->robot));
        json_count(&j, "obstacles", ov_scene_count(s->obstacles));
        json_string(&j, "trajectory", s->joints_path);
        json_count(&j, "poses", s->joints.count);
    }
    json_number(&j, "start", r->start);
    json_number(&j, "end", r->end);
    if (r->options.epsilon > 0.0) {
        json_number(&j, "epsilon", r->options.epsilon);
    } else {
        json_null(&j, "epsilon"); // one that suits each pair
    }
    json_number(&j, "clearance", r->options.clearance);
    json_string(&j, "answer", ov_sweep_answer_name(m->answer));
    json_number(&j, "free_until", m->lower);
    write_time(&j, "contact_at", m->upper);
    json_open_list(&j, "intervals");
    for (size_t i = 0; i < r->count; i++) {
        write_interval(&j, r, &r->intervals[i]);
    }
    json_close_list(&j);
    json_count(&j, "intervals_found", m->intervals);
    json_count(&j, "pairs", m->pairs);
    json_count(&j, "pieces", m->pieces);
    json_count(&j, "tests", m->tests);
    json_count(&j, "queries", m->queries);
    json_count(&j, "depth", m->depth > 0 ? (size_t)m->depth : 0);
    json_close_object(&j);
}

static void sweep_report_csv(FILE *out, const sweep_report *r) {
    fputs("start,end,contact,a,b,part_a,part_b,element,index_a,index_b\n", out);
    for (size_t i = 0; i < r->count; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        fprintf(out, "%.17g,%.17g,", v->start, v->end);
        if (!isnan(v->contact)) {
            fprintf(out, "%.17g", v->contact);
        }
        fputc(',', out);
        table_csv(out, name_of(r, v->body_a));
        fputc(',', out);
        table_csv(out, name_of(r, v->body_b));
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%s", v->part_a + 1, v->part_b + 1,
                ov_sweep_element_name(v->element));
        for (int b = 0; b < 2; b++) {
            fputc(',', out);
            if (has_index(v, b == 1)) {
                fprintf(out, "%" PRIu32, (b == 0 ? v->index_a : v->index_b) + 1);
            }
        }
        fputc('\n', out);
    }
}

/* ---- the verb -------------------------------------------------------------------------------- */

/** The files that are asked for. */
typedef struct outputs {
    cli_output csv, svg;
} outputs;

/** Opens them before the long work begins. */
static int open_outputs(cli *c, const args *a, outputs *o) {
    const char *csv = text_of(a, OPTION_CSV), *svg = text_of(a, OPTION_SVG);
    int status = csv != NULL ? cli_open_output(c, csv, NULL, &o->csv) : CLI_OK;
    return status == CLI_OK && svg != NULL ? cli_open_output(c, svg, NULL, &o->svg) : status;
}

static int close_outputs(cli *c, outputs *o, int status) {
    status = cli_finish_output(c, &o->csv, status);
    status = cli_finish_output(c, &o->svg, status);
    status = cli_close_output(c, &o->csv, status);
    return cli_close_output(c, &o->svg, status);
}

static int write_all(cli *c, const sweep_report *r, const outputs *o) {
    if (o->csv.stream != NULL) {
        sweep_report_csv(o->csv.stream, r);
    }
    int status = o->svg.stream != NULL ? motion_picture_draw(c, r, &o->svg) : CLI_OK;
    return status != CLI_OK || r->summary.answer == OV_SWEEP_ANSWER_FREE ? status
                                                                         : CLI_CHECK_FAILED;
}

static int run_and_write(cli *c, const args *a, const sweep_job *job, const ov_sweep_options *how) {
    ov_sweep *sweep = NULL;
    outputs o = {.csv = {.stream = NULL}};
    int status = open_outputs(c, a, &o);
    if (status == CLI_OK) {
        status = sweep_run(c, job, how, &sweep);
    }
    sweep_report report = {.count = 0};
    if (status == CLI_OK) {
        report = sweep_report_make(job, how, sweep);
        status = write_all(c, &report, &o);
    }
    status = close_outputs(c, &o, status);
    if (status != CLI_BAD_INPUT && a->values[OPTION_JSON].given) {
        sweep_report_json(c->out, &report);
    } else if (status != CLI_BAD_INPUT && !c->out_taken) {
        sweep_report_print(c->out, &report);
    }
    ov_sweep_destroy(sweep);
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    sweep_files files;
    ov_sweep_options how;
    sweep_job job = {.trajectory = NULL};
    int status = args_parse(c, cli_verb_sweep.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && a.values[OPTION_EXAMPLE].given) {
        fputs(example, c->out);
        return CLI_OK;
    }
    if (status != CLI_OK || (status = read_files(c, &a, &files)) != CLI_OK ||
        (status = read_options(c, &a, &how)) != CLI_OK) {
        return status;
    }
    status = sweep_read(c, &files, &job);
    if (status == CLI_OK && job.subject.robot != NULL) {
        status = allow_robot(c, &a, OPTION_ALLOW, job.subject.robot);
    }
    if (status == CLI_OK) {
        status = run_and_write(c, &a, &job, &how);
    }
    sweep_free(&job);
    return status;
}

const cli_verb cli_verb_sweep = {
    .name = "sweep",
    .summary = "proves a motion free of collision, or finds the times where it is not",
    .usage = "MOTION.json | --urdf ROBOT --trajectory FILE.csv  [options]",
    .details =
        "Looks at a motion as a whole, not at samples of it. Prints 'free' where no two bodies\n"
        "touch at any time, which is then proven; else the times between which contact could not\n"
        "be excluded, with what of the bodies could meet, and a time at which contact is proven\n"
        "if there is one. Exit status 1 where there is a contact, or where that is undecided.\n"
        "What stays apart by more than twice epsilon is found to be free, down to rounding,\n"
        "unless that takes more than 2^20 pieces of time for a pair, or shorter ones than --depth\n"
        "and the numbers of the times allow; then it is undecided.\n"
        "\n"
        "MOTION.json is a scene with 'time', start and end, and bodies that may have a 'motion':\n"
        "a screw, keys, a rational motion or a Bezier curve of displacements; and bodies may be\n"
        "polygons. A robot's trajectory is a file as 'ovoid check' takes it, with a column\n"
        "'time'; without it poses are a second apart. Links that a joint joins may overlap.\n"
        "Parts, faces, vertices and edges are counted from 1.\n",
    .examples = "  ovoid sweep --example > motion.json\n"
                "  ovoid sweep motion.json --epsilon 1e-3 --svg motion.svg\n"
                "  ovoid sweep --example | ovoid sweep - --clearance 0.1 --json\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
