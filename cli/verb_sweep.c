/**
 * @file verb_sweep.c
 * @brief `ovoid sweep`: is a motion free of collision at every time? With a proof, or with the
 * times where it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "allow_args.h"
#include "cli.h"
#include "draw/pictures.h"
#include "pair_args.h"
#include "sweep_report.h"

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

static int run_and_write(cli *c, const args *a, const sweep_subject *subject,
                         const ov_sweep_options *how) {
    ov_sweep *sweep = NULL;
    outputs o = {.csv = {.stream = NULL}};
    int status = open_outputs(c, a, &o);
    if (status == CLI_OK) {
        status = sweep_subject_run(c, subject, how, &sweep);
    }
    sweep_report report = {.count = 0};
    if (status == CLI_OK) {
        report = sweep_report_make(subject, how, sweep);
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
    sweep_subject subject = {.scene = NULL};
    int status = args_parse(c, cli_verb_sweep.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && a.values[OPTION_EXAMPLE].given) {
        fputs(example, c->out);
        return CLI_OK;
    }
    if (status != CLI_OK || (status = read_files(c, &a, &files)) != CLI_OK ||
        (status = read_options(c, &a, &how)) != CLI_OK) {
        return status;
    }
    status = sweep_subject_read(c, &files, &subject);
    if (status == CLI_OK && subject.robot != NULL) {
        status = allow_robot(c, &a, OPTION_ALLOW, subject.robot);
    }
    if (status == CLI_OK) {
        status = run_and_write(c, &a, &subject, &how);
    }
    sweep_subject_free(&subject);
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
