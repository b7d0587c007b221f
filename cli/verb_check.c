/**
 * @file verb_check.c
 * @brief `ovoid check`: collisions and clearances of a scene, or of a robot along a trajectory.
 */
#include <stdlib.h>
#include <string.h>

#include "allow_args.h"
#include "body_contact.h"
#include "check_report.h"
#include "cli.h"
#include "pair_args.h"
#include "robot_args.h"

/** A length that is near for a robot in metres. */
#define DEFAULT_LIMIT 0.05

enum {
    OPTION_JOINTS,
    OPTION_OBSTACLES,
    OPTION_LIMIT,
    OPTION_ALLOW,
    OPTION_HULLS,
    OPTION_PACKAGE,
    OPTION_THREADS,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    {"--joints", 0, 1, "FILE.csv", "the robot's poses: names of joints, then a pose a line",
     "FILE"},
    {"--obstacles", 0, 1, "SCENE", "bodies that the robot must not touch", "FILE"},
    {"--limit", 0, 1, "D", "report what is up to this length apart (0.05)", NULL},
    {"--allow", 0, 1, "A,B[:C,D]", "pairs of links or bodies that may touch", NULL},
    {"--hulls", 0, 0, "", "take the convex hulls of meshes: faster, and none is open", NULL},
    {"--package", 0, 1, "DIR[:DIR]", "where the packages of package:// names are", "FILE"},
    {"--threads", 0, 1, "N", "threads; 0: as many as the machine has (1)", NULL},
    {"--csv", 0, 0, "", "print all contacts as CSV instead of a table", NULL},
    {"--json", 0, 0, "", "print all contacts and the summary as JSON", NULL},
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_options(cli *c, const args *a, check_subject *s) {
    s->threads = 1;
    s->limit = DEFAULT_LIMIT;
    int status = CLI_OK;
    if (a->values[OPTION_LIMIT].given) {
        status = args_length(c, a, OPTION_LIMIT, &s->limit);
    }
    if (status == CLI_OK && a->values[OPTION_THREADS].given) {
        status = pair_threads_read(c, a, OPTION_THREADS, &s->threads);
    }
    if (status == CLI_OK && a->values[OPTION_CSV].given && a->values[OPTION_JSON].given) {
        return cli_error(c, a->verb, "--csv and --json exclude each other");
    }
    return status;
}

static const char *name_of(const void *subject, size_t thing) {
    return check_thing_name(subject, thing);
}

/** Pairs that may overlap: links are told to the model, which then leaves them out. */
static int read_allowed(cli *c, const args *a, check_subject *s) {
    allow_names names = {name_of, s, check_thing_count(s)};
    int status = allow_read(c, a, OPTION_ALLOW, &names, &s->allowed, &s->allowed_count);
    return status == CLI_OK ? allow_links(c, a, s->robot, s->allowed, s->allowed_count) : status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int read_robot(cli *c, const args *a, const char *path, ov_robot **robot) {
    ov_robot_options how = ov_default_robot_options();
    how.hulls = a->values[OPTION_HULLS].given;
    return robot_read(c, path,
                      a->values[OPTION_PACKAGE].given ? a->values[OPTION_PACKAGE].text[0] : NULL,
                      how, robot);
}

/** The scene or the robot, and what belongs to it. */
static int read_subject(cli *c, const args *a, check_subject *s) {
    const char *path = a->words[0];
    bool robot = robot_is_xml(path);
    static const int of_robots[] = {OPTION_JOINTS, OPTION_OBSTACLES, OPTION_HULLS, OPTION_PACKAGE};
    int status = robot ? read_robot(c, a, path, &s->robot) : body_scene_read(c, path, &s->scene);
    for (size_t i = 0; i < sizeof of_robots / sizeof of_robots[0] && !robot; i++) {
        if (status == CLI_OK && a->values[of_robots[i]].given) {
            status = cli_error(c, a->verb, "%s needs a robot, %s is a scene",
                               options[of_robots[i]].name, path);
        }
    }
    if (status == CLI_OK && a->values[OPTION_OBSTACLES].given) {
        status = body_scene_read(c, a->values[OPTION_OBSTACLES].text[0], &s->obstacles);
    }
    if (status == CLI_OK) {
        status = read_allowed(c, a, s);
    }
    if (status == CLI_OK && robot) {
        const ov_model *model = ov_robot_model(s->robot);
        status = a->values[OPTION_JOINTS].given
                     ? trajectory_read(c, a->values[OPTION_JOINTS].text[0], model, &s->poses)
                     : trajectory_rest(c, model, &s->poses);
    }
    return status;
}

/** Tells of meshes without an inside, once for each file. */
static void tell_open_meshes(cli *c, const args *a, const char *path, const check_subject *s) {
    open_meshes own = {.count = 0}, obstacles = own;
    open_meshes_add_scene(&own, s->scene);
    open_meshes_add_scene(&obstacles, s->obstacles);
    for (size_t i = 0; s->robot != NULL && i < ov_robot_link_count(s->robot); i++) {
        open_meshes_add_geometry(&own, check_thing_name(s, i),
                                 ov_model_link_geometry(ov_robot_model(s->robot), i));
    }
    open_meshes_tell(c, path, &own);
    if (obstacles.count > 0) {
        const char *file = a->values[OPTION_OBSTACLES].text[0];
        open_meshes_tell(c, cli_input_name(file), &obstacles);
    }
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int run(cli *c, int argc, char **argv) {
    args a;
    check_subject s = {.scene = NULL};
    int status = args_parse(c, cli_verb_check.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_options(c, &a, &s)) != CLI_OK) {
        return status;
    }
    if (a.word_count != 1) {
        return cli_error(c, a.verb, "needs one scene (.json) or robot (.urdf), or '-', got %d",
                         a.word_count);
    }
    int streams = strcmp(a.words[0], "-") == 0;
    for (int i = OPTION_JOINTS; i <= OPTION_OBSTACLES; i++) {
        streams += a.values[i].given && strcmp(a.values[i].text[0], "-") == 0;
    }
    if (streams > 1) {
        return cli_error(c, a.verb, "only one file can be standard input, '-'");
    }
    check_report report = {.c = c,
                           .subject = &s,
                           .path = cli_input_name(a.words[0]),
                           .joints = a.values[OPTION_JOINTS].given ? a.values[OPTION_JOINTS].text[0]
                                                                   : NULL,
                           .format = a.values[OPTION_JSON].given  ? CHECK_JSON
                                     : a.values[OPTION_CSV].given ? CHECK_CSV
                                                                  : CHECK_TABLE};
    status = read_subject(c, &a, &s);
    if (status == CLI_OK) {
        tell_open_meshes(c, &a, report.path, &s);
        check_report_begin(&report);
        status = check_run(c, report.path, &s, check_report_take, &report);
    }
    if (status == CLI_OK) {
        status = check_report_end(&report);
    }
    check_report_free(&report);
    trajectory_free(&s.poses);
    free(s.allowed);
    ov_scene_destroy(s.obstacles);
    ov_scene_destroy(s.scene);
    ov_robot_destroy(s.robot);
    return status;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .summary = "collisions and clearances of a scene or of a moving robot",
    .usage = "SCENE.json|ROBOT.urdf [options]",
    .details =
        "Finds all contacts up to a limit: between the bodies of a scene; or between the links of\n"
        "a robot, and with obstacles, at rest or in each pose of a trajectory. Links that a joint\n"
        "joins may overlap. Prints a line for each pair that comes near, then the first\n"
        "collision and the least gap. Exit status 1 where things touch or overlap, or where that\n"
        "could not be decided.\n"
        "\n"
        "The file of joints has names of joints in its first line, in any order, and a pose in\n"
        "each line after that: radians, or lengths. Joints that are not named are at rest, and a\n"
        "column 'time' is kept. Planar joints have columns NAME.x, NAME.y and NAME.angle,\n"
        "spherical ones NAME.qw, .qx, .qy, .qz, floating ones NAME.x, .y, .z and those.\n",
    .examples = "  ovoid contact --example | ovoid check -\n"
                "  ovoid contact --example | ovoid check - --limit 1 --csv --allow egg,table\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
