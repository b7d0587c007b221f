/**
 * @file verb_sweep.c
 * @brief `ovoid sweep`: is a motion free of collision at every time? With a proof, or with the
 * times where it is not.
 *
 * Parts, faces, vertices and edges are counted from 1 in what is printed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/pictures.h"
#include "json.h"
#include "subject.h"
#include "table.h"
#include "timing.h"

static const args_option options[] = {
    SHARED_JOINTS,
    {"--spline", 0, 1, "KIND", "for robots: linear or cubic between poses (linear)",
     "linear cubic"},
    SHARED_OBSTACLES,
    SHARED_ALLOW,
    SHARED_HULLS,
    SHARED_PACKAGE,
    {"--clearance", 0, 1, "C", "free means farther apart than this (0)", NULL},
    {"--epsilon", 0, 1, "E", "divide time until no body moves farther than this (1e-4 of a body)",
     NULL},
    {"--levels", 0, 1, "D", "pieces are at least 2^-D of the time, 1 to 60 (60)", NULL},
    {"--first", 0, 0, "", "look for the first contact only, and print that one", NULL},
    {"--resolution", 0, 1, "R", "of the first contact, part of the time (1e-6)", NULL},
    {"--mass", 0, 1, "USE", "for polygons: individual or global (individual)", "individual global"},
    {"--no-hierarchy", 0, 0, "", "for polygons: test every pair of them", NULL},
    SHARED_THREADS,
    SHARED_CSV,
    SHARED_JSON,
    SHARED_WIDE,
    SHARED_OUTPUT,
    SHARED_SVG("the motion, with the times of contact"),
    {"--example", 0, 0, "", "print a scene in motion to start from", NULL},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

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

/* ---- options --------------------------------------------------------------------------------- */

static int read_levels(cli *c, const args *a, int *levels) {
    size_t value = 0;
    int status = args_count(c, a, "--levels", &value);
    if (status == CLI_OK && (value < 1 || value > 60)) {
        return cli_error(c, a->verb, "--levels = %s: must be from 1 to 60",
                         args_text(a, "--levels"));
    }
    *levels = (int)value;
    return status;
}

static int read_resolution(cli *c, const args *a, double *resolution) {
    int status = args_number(c, a, "--resolution", resolution);
    if (status == CLI_OK && !(*resolution >= 1e-12 && *resolution <= 1.0)) {
        return cli_error(c, a->verb, "--resolution = %s: must be from 1e-12 to 1",
                         args_text(a, "--resolution"));
    }
    return status == CLI_OK && !args_given(a, "--first")
               ? cli_error(c, a->verb, "--resolution needs --first")
               : status;
}

static int read_length(cli *c, const args *a, const char *name, double *length) {
    int status = args_given(a, name) ? args_length(c, a, name, length) : CLI_OK;
    return status == CLI_OK && !(*length <= OV_POSITION_MAX)
               ? cli_error(c, a->verb, "%s = %s: must be at most 1e100", name, args_text(a, name))
               : status;
}

static int read_options(cli *c, const args *a, ov_sweep_options *o) {
    size_t mass = OV_MASS_USE_INDIVIDUAL;
    *o = ov_default_sweep_options();
    int status = read_length(c, a, "--epsilon", &o->epsilon);
    if (status == CLI_OK) {
        status = read_length(c, a, "--clearance", &o->clearance);
    }
    if (status == CLI_OK && args_given(a, "--levels")) {
        status = read_levels(c, a, &o->depth);
    }
    if (status == CLI_OK && args_given(a, "--resolution")) {
        status = read_resolution(c, a, &o->resolution);
    }
    if (status == CLI_OK && args_given(a, "--mass")) {
        status = args_choice(c, a, "--mass", &mass);
    }
    if (status == CLI_OK) {
        status = options_read_threads(c, a, &o->threads.count);
    }
    o->mass = (ov_mass_use)mass;
    o->first_only = args_given(a, "--first");
    o->every_pair = args_given(a, "--no-hierarchy");
    return status;
}

/* ---- robots ---------------------------------------------------------------------------------- */

static int no_memory(cli *c, const char *path) {
    return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

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
    cli_note(c, job->subject.joints_path, "no column 'time': poses are taken to be a second apart");
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
        cli_note(c, job->subject.joints_path,
                 "joint '%s' leaves its limits: its %s is %.6g at time %.*g, where %.6g is allowed",
                 ov_model_joint(ov_robot_model(job->subject.robot), e.joint)->name,
                 what[e.derivative], e.value, table_time_digits(job->start, job->end, 6), e.time,
                 e.limit);
    }
    free(limits);
    return CLI_OK;
}

static int make_trajectory(cli *c, const args *a, sweep_job *job) {
    const ov_joints *joints = &job->subject.joints;
    size_t spline = OV_SPLINE_LINEAR;
    ov_fault fault;
    int result = args_given(a, "--spline") ? args_choice(c, a, "--spline", &spline) : CLI_OK;
    if (result != CLI_OK || (result = make_times(c, job)) != CLI_OK) {
        return result;
    }
    ov_status status = ov_trajectory_create(ov_robot_model(job->subject.robot), joints->times,
                                            joints->positions, NULL, joints->count,
                                            (ov_spline)spline, NULL, &job->trajectory, &fault);
    size_t row = fault.index;
    if (status == OV_ERROR_TIME && row > 0) {
        return cli_error(c, job->subject.joints_path,
                         "pose %zu: its time, %.15g, is not after %.15g", row + 1,
                         joints->times[row], joints->times[row - 1]);
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

/** The obstacles of a robot as bodies at rest. */
static int place_obstacles(cli *c, sweep_job *job) {
    const subject *s = &job->subject;
    size_t count = ov_scene_count(s->obstacles), links = ov_robot_link_count(s->robot);
    for (size_t i = 0; i < s->allowed_count; i++) {
        size_t last = s->allowed[i][s->allowed[i][0] < s->allowed[i][1]];
        if (last >= links) {
            return cli_error(c, "sweep",
                             "--allow: '%s' is an obstacle; pairs of links may be given",
                             subject_name(s, last));
        }
    }
    job->at_rest = calloc(count + 1, sizeof *job->at_rest);
    if (job->at_rest == NULL) {
        return no_memory(c, s->path);
    }
    for (size_t i = 0; i < count; i++) {
        job->at_rest[i] = ov_default_sweep_body();
        job->at_rest[i].geometry = s->obstacle_geometries[i];
        job->at_rest[i].pose = ov_scene_get(s->obstacles, i)->pose;
    }
    return CLI_OK;
}

static int prepare_robot(cli *c, const args *a, sweep_job *job) {
    static const char *const of_polygons[] = {"--mass", "--no-hierarchy"};
    const subject *s = &job->subject;
    for (size_t i = 0; i < sizeof of_polygons / sizeof of_polygons[0]; i++) {
        if (args_given(a, of_polygons[i])) {
            return cli_error(c, a->verb, "%s is for polygons, which a robot does not have",
                             of_polygons[i]);
        }
    }
    if (s->joints_path == NULL) {
        return cli_error(c, a->verb, "a robot needs --joints FILE.csv, the poses of its motion");
    }
    if (s->joints.count < 2) {
        return cli_error(c, s->joints_path, "a motion needs a file of at least 2 poses, got %zu",
                         s->joints.count);
    }
    int status = place_obstacles(c, job);
    return status == CLI_OK ? make_trajectory(c, a, job) : status;
}

static int sweep_read(cli *c, const args *a, sweep_job *job) {
    subject *s = &job->subject;
    int status = subject_read(c, a, SUBJECT_MOTION | SUBJECT_ROBOT, ov_default_robot_options(), s);
    if (status == CLI_OK && s->robot != NULL) {
        status = prepare_robot(c, a, job);
    } else if (status == CLI_OK) {
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

/* ---- what is printed ------------------------------------------------------------------------- */

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

enum {
    COLUMN_A,
    COLUMN_OF_A,
    COLUMN_B,
    COLUMN_OF_B,
    COLUMN_FROM,
    COLUMN_TO,
    COLUMN_CONTACT,
    COLUMN_COUNT
};

/** What the cells are made from. */
typedef struct interval_table {
    const sweep_report *report;
    int digits;
    char (*places)[PLACE_MAX]; /**< two: of the row that is being filled */
} interval_table;

static void fill_interval(const void *user, size_t row, table_cells *cells) {
    const interval_table *t = user;
    const ov_sweep_interval *v = &t->report->intervals[row];
    write_place(t->report, v, false, t->places[0]);
    write_place(t->report, v, true, t->places[1]);
    cells->texts[COLUMN_A] = name_of(t->report, v->body_a);
    cells->texts[COLUMN_OF_A] = t->places[0];
    cells->texts[COLUMN_B] = name_of(t->report, v->body_b);
    cells->texts[COLUMN_OF_B] = t->places[1];
    table_number(cells, COLUMN_FROM, v->start, t->digits);
    table_number(cells, COLUMN_TO, v->end, t->digits);
    if (isnan(v->contact)) {
        cells->texts[COLUMN_CONTACT] = "not proven";
    } else {
        table_number(cells, COLUMN_CONTACT, v->contact, t->digits);
    }
}

static void print_intervals(FILE *out, const sweep_report *r, bool wide) {
    bool robot = r->subject->robot != NULL;
    char places[2][PLACE_MAX];
    interval_table user = {r, table_time_digits(r->start, r->end, 9), places};
    const table_column columns[COLUMN_COUNT] = {
        {robot ? "link A" : "body A", TABLE_NAME, TABLE_ALWAYS},
        {"of it", TABLE_WORD, TABLE_ALWAYS},
        {!robot                          ? "body B"
         : r->subject->obstacles != NULL ? "link or obstacle B"
                                         : "link B",
         TABLE_NAME, TABLE_ALWAYS},
        {"of it", TABLE_WORD, TABLE_ALWAYS},
        {"from", TABLE_NUMBER, TABLE_ALWAYS},
        {"to", TABLE_NUMBER, TABLE_ALWAYS},
        {"contact at", TABLE_NUMBER, TABLE_ALWAYS},
    };
    size_t lines = r->count < LINES_MAX || wide ? r->count : LINES_MAX;
    table t = {columns, COLUMN_COUNT, lines, wide, fill_interval, &user};
    table_print(out, &t);
    if (lines < r->summary.intervals) {
        fprintf(out, "and %zu more: see --wide, --csv or --json\n", r->summary.intervals - lines);
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
    fprintf(out, "\n%zu pair%s, %zu piece%s, %zu test%s, %zu quer%s, %d levels\n", m->pairs,
            m->pairs == 1 ? "" : "s", m->pieces, m->pieces == 1 ? "" : "s", m->tests,
            m->tests == 1 ? "" : "s", m->queries, m->queries == 1 ? "y" : "ies", m->depth);
}

static void sweep_report_print(FILE *out, const sweep_report *r, bool wide) {
    print_head(out, r);
    if (r->count > 0) {
        print_intervals(out, r, wide);
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
    json_open_document(&j);
    json_string(&j, "file", s->path);
    if (s->motion != NULL) {
        json_count(&j, "bodies", ov_motion_scene_count(s->motion));
    } else {
        json_string(&j, "robot", ov_robot_name(s->robot));
        json_count(&j, "links", ov_robot_link_count(s->robot));
        json_count(&j, "obstacles", ov_scene_count(s->obstacles));
        json_string(&j, "joints_file", s->joints_path);
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
    json_count(&j, "levels", m->depth > 0 ? (size_t)m->depth : 0);
    json_close_object(&j);
}

static void sweep_report_csv(FILE *out, const sweep_report *r) {
    fputs("start,end,contact,a,b,part_a,part_b,element,index_a,index_b\n", out);
    for (size_t i = 0; i < r->count; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        char text[OV_NUMBER_TEXT_MAX];
        fputs(ov_number_text(v->start, text), out);
        csv_number(out, v->end);
        fprintf(out, ",%s,", isnan(v->contact) ? "" : ov_number_text(v->contact, text));
        csv_text(out, name_of(r, v->body_a));
        fputc(',', out);
        csv_text(out, name_of(r, v->body_b));
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

static int write_all(cli *c, const sweep_report *found, report *r) {
    int status = r->svg.stream != NULL ? motion_picture_draw(c, found, &r->svg) : CLI_OK;
    // what cannot be written is an error before anything is printed
    status = cli_finish_output(c, &r->svg, status);
    FILE *out = status == CLI_OK ? r->out.stream : NULL;
    if (out != NULL && r->format == REPORT_CSV) {
        sweep_report_csv(out, found);
    } else if (out != NULL && r->format == REPORT_JSON) {
        sweep_report_json(out, found);
    } else if (out != NULL) {
        sweep_report_print(out, found, r->wide);
    }
    return status != CLI_OK || found->summary.answer == OV_SWEEP_ANSWER_FREE ? status
                                                                             : CLI_CHECK_FAILED;
}

static int run_and_write(cli *c, const sweep_job *job, const ov_sweep_options *how, report *r) {
    ov_sweep *sweep = NULL;
    int status = report_open(c, r);
    if (status == CLI_OK) {
        status = sweep_run(c, job, how, &sweep);
    }
    if (status == CLI_OK) {
        sweep_report found = sweep_report_make(job, how, sweep);
        status = write_all(c, &found, r);
    }
    ov_sweep_destroy(sweep);
    return report_close(c, r, status);
}

static int run(cli *c, int argc, char **argv) {
    args a;
    report r;
    ov_sweep_options how;
    sweep_job job = {.trajectory = NULL};
    int status = args_parse(c, cli_verb_sweep.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && args_given(&a, "--example")) {
        return cli_print(c, &a, example);
    }
    if (status != CLI_OK || (status = read_options(c, &a, &how)) != CLI_OK ||
        (status = report_read(c, &a, &r)) != CLI_OK) {
        return status;
    }
    status = sweep_read(c, &a, &job);
    if (status == CLI_OK) {
        status = run_and_write(c, &job, &how, &r);
    }
    sweep_free(&job);
    return status;
}

const cli_verb cli_verb_sweep = {
    .name = "sweep",
    .summary = "proves a motion free of collision, or finds the times where it is not",
    .usage = "MOTION.json|ROBOT.urdf [options]",
    .details =
        "Checks a motion at all times, not at samples: a scene in motion, or a robot along its\n"
        "--joints. Prints 'free' if it is proven that no two bodies touch at any time; otherwise\n"
        "the intervals of time in which contact could not be excluded, between which bodies, and\n"
        "a time at which contact is proven, if there is one. Exit status 1 if there is a contact,\n"
        "or if that is undecided. For the formats see 'ovoid help scenes' and 'ovoid help "
        "joints'.\n",
    .examples = "  ovoid sweep data/arm.urdf --joints data/arm_reach.csv --spline cubic\n"
                "  ovoid sweep --example > motion.json\n"
                "  ovoid sweep motion.json --epsilon 1e-3 --svg motion.svg\n"
                "  ovoid sweep motion.json --clearance 0.1 --json -o motion_free.json\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
