/**
 * @file verb_bench.c
 * @brief `ovoid bench`: the studies of bench/, as tables, CSV and pictures.
 */
#include <stdlib.h>
#include <string.h>

#include "battery.h"
#include "battery_dental.h"
#include "battery_icub.h"
#include "battery_motion.h"
#include "battery_world.h"
#include "cli.h"
#include "progress.h"

#ifdef OVOID_SCHEMES
#include "battery_portal.h"
#include "battery_schemes.h"
#endif

enum {
    OPTION_PAIRS,
    OPTION_SEED,
    OPTION_CSV,
    OPTION_SVG,
    OPTION_FRAMES,
    OPTION_DATA,
    OPTION_BODIES,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    {"--pairs", 0, 1, "N", "so many pairs, where the study draws them (see above)", NULL},
    {"--seed", 0, 1, "S", "seed of the random numbers (1)", NULL},
    {"--csv", 0, 1, "FILE", "the figures as CSV too", "FILE"},
    {"--svg", 0, 1, "FILE", "a picture of them too", "FILE"},
    {"--frames", 0, 1, "N", "icub: so many frames of the movement (as many as it has)", NULL},
    {"--data", 0, 1, "FOLDER", "icub: the folder of the bundled data (data)", "FILE"},
    {"--bodies", 0, 1, "N", "world: up to so many bodies (1000000)", NULL},
};

enum { PAIRS_MAX = 1000000, FRAMES_MAX = 10000, BODIES_MIN = 1000, BODIES_MAX = 1000000 };

typedef struct request {
    size_t pairs, seed;
    size_t frames; /**< 0: as many as there are */
    size_t bodies;
    const char *data;      /**< folder, ... */
    bool reads_data;       /**< ... where the study has its files there */
    const char *csv, *svg; /**< null: not asked for */
} request;

/* ---- progress */

static void show(void *user, const char *what, size_t done, size_t all) {
    progress *p = user;
    p->what = what;
    progress_update(p, (double)done, all > 0 ? (double)done / (double)all : 1.0);
}

/* ---- files */

/** The files that are asked for; a null stream: not. */
typedef struct outputs {
    cli_output csv, svg;
} outputs;

/** Opens them before the long work begins. */
static int open_files(cli *c, const request *r, outputs *o) {
    *o = (outputs){.csv = {.stream = NULL}};
    int status = CLI_OK;
    for (int i = 0; i <= ICUB_VERSIONS && r->reads_data && status == CLI_OK; i++) {
        char path[ICUB_PATH_BYTES];
        icub_file(r->data, i, path);
        status = cli_note_input(c, path);
    }
    status =
        status == CLI_OK && r->csv != NULL ? cli_open_output(c, r->csv, NULL, &o->csv) : status;
    return status == CLI_OK && r->svg != NULL ? cli_open_output(c, r->svg, NULL, &o->svg) : status;
}

static int close_files(cli *c, outputs *o, int status) {
    status = cli_finish_output(c, &o->csv, status);
    status = cli_finish_output(c, &o->svg, status);
    status = cli_close_output(c, &o->csv, status);
    return cli_close_output(c, &o->svg, status);
}

/* ---- the studies */

/** What a study works with. */
typedef struct job {
    const request *request;
    const battery_peers *peers;
    const battery_progress *watch;
    FILE *csv, *svg; /**< null: not asked for */
} job;

static int run_battery(cli *c, const job *j) {
    const request *r = j->request;
    battery_cases cases[BATTERY_SETS] = {{0}};
    battery_table tables[BATTERY_SETS] = {{0}};
    const battery_table *const both[BATTERY_SETS] = {&tables[0], &tables[1]};
    bool good = true;
    for (int set = 0; set < BATTERY_SETS && good; set++) {
        good = battery_draw((battery_set)set, r->pairs, r->seed, j->watch, &cases[set]) &&
               battery_measure(&cases[set], j->peers, j->watch, &tables[set]);
    }
    progress_end(j->watch->user);
    if (good) {
        for (int set = 0; set < BATTERY_SETS; set++) {
            fputs(set > 0 ? "\n" : "", c->out);
            battery_print(c->out, &tables[set]);
        }
        battery_print_goals(c->out, both);
        if (j->csv != NULL) {
            battery_csv_head(j->csv);
            battery_csv(j->csv, &tables[0]);
            battery_csv(j->csv, &tables[1]);
        }
        if (j->svg != NULL) {
            battery_svg(j->svg, both);
        }
    }
    for (int set = 0; set < BATTERY_SETS; set++) {
        battery_table_free(&tables[set]);
        battery_cases_free(&cases[set]);
    }
    return good ? CLI_OK : cli_error(c, "battery", "not enough memory for %zu pairs", r->pairs);
}

static int run_accuracy(cli *c, const job *j) {
    accuracy_study study;
    bool good = accuracy_measure(j->request->pairs, j->request->seed, j->peers, j->watch, &study);
    progress_end(j->watch->user);
    if (!good) {
        return cli_error(c, "accuracy", "a mesh could not be made or measured");
    }
    accuracy_print(c->out, &study);
    if (j->csv != NULL) {
        accuracy_csv(j->csv, &study);
    }
    if (j->svg != NULL) {
        accuracy_svg(j->svg, &study);
    }
    return CLI_OK;
}

static int run_icub(cli *c, const job *j) {
    const request *r = j->request;
    icub_hands hands[ICUB_VERSIONS] = {{0}};
    icub_table tables[ICUB_VERSIONS] = {{0}};
    const icub_table *const both[ICUB_VERSIONS] = {&tables[0], &tables[1]};
    icub_error error = {.what = ""};
    bool good = true;
    for (int v = 0; v < ICUB_VERSIONS && good; v++) {
        good = icub_read(r->data, (icub_version)v, r->frames, &hands[v], &error);
    }
    for (int v = 0; v < ICUB_VERSIONS && good; v++) {
        good = icub_measure(&hands[v], j->peers, j->watch, &tables[v]);
    }
    progress_end(j->watch->user);
    if (good) {
        icub_print(c->out, &tables[0]);
        fputs("\n", c->out);
        icub_print(c->out, &tables[1]);
        icub_print_goals(c->out, both);
        if (j->csv != NULL) {
            icub_csv_head(j->csv);
            icub_csv(j->csv, &tables[0]);
            icub_csv(j->csv, &tables[1]);
        }
        if (j->svg != NULL) {
            icub_svg(j->svg, both);
        }
    }
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        icub_table_free(&tables[v]);
        icub_free(&hands[v]);
    }
    if (good) {
        return CLI_OK;
    }
    return error.what[0] != '\0' ? cli_error(c, error.where, "%s", error.what)
                                 : cli_error(c, "icub", "%s", ov_status_message(OV_ERROR_MEMORY));
}

static int run_dental(cli *c, const job *j) {
    dental_study *study = malloc(sizeof *study);
    bool good = study != NULL && dental_measure(j->peers, j->watch, study);
    progress_end(j->watch->user);
    if (good) {
        dental_print(c->out, study);
        if (j->csv != NULL) {
            dental_csv(j->csv, study);
        }
        if (j->svg != NULL) {
            dental_svg(j->svg, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "dental", "%s", ov_status_message(OV_ERROR_MEMORY));
}

static int run_world(cli *c, const job *j) {
    world_study study;
    bool good = world_measure(j->request->bodies, j->request->seed, j->peers, j->watch, &study);
    progress_end(j->watch->user);
    if (!good) {
        return cli_error(c, "world", "not enough memory for %zu bodies", j->request->bodies);
    }
    world_print(c->out, &study);
    if (j->csv != NULL) {
        world_csv(j->csv, &study);
    }
    if (j->svg != NULL) {
        world_svg(j->svg, &study);
    }
    return CLI_OK;
}

/* ---- the studies of the published schemes */

static int run_motion(cli *c, const job *j) {
    motion_study *study = calloc(1, sizeof *study);
    if (study == NULL) {
        return cli_error(c, "motion", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    bool good = motion_measure(j->request->pairs, j->request->seed, j->peers, j->watch, study);
    progress_end(j->watch->user);
    if (good) {
        motion_print(c->out, study);
        if (j->csv != NULL) {
            motion_csv(j->csv, study);
        }
        if (j->svg != NULL) {
            motion_svg(j->svg, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "motion", "a motion could not be made or measured");
}

#ifdef OVOID_SCHEMES

static int run_schemes(cli *c, const job *j) {
    const request *r = j->request;
    battery_cases cases = {0};
    schemes_table *table = calloc(1, sizeof *table);
    bool good = table != NULL &&
                battery_draw(BATTERY_SUPEROVOIDS, r->pairs, r->seed, j->watch, &cases) &&
                schemes_measure(&cases, j->peers, j->watch, table);
    progress_end(j->watch->user);
    if (good) {
        schemes_print(c->out, table);
        schemes_print_goals(c->out, table);
        if (j->csv != NULL) {
            schemes_csv(j->csv, table);
        }
        if (j->svg != NULL) {
            schemes_svg(j->svg, table);
        }
        schemes_free(table);
    }
    battery_cases_free(&cases);
    free(table);
    return good ? CLI_OK
                : cli_error(c, "battery-schemes", "not enough memory for %zu pairs", r->pairs);
}

static int run_convergence(cli *c, const job *j) {
    convergence_study *study = malloc(sizeof *study);
    if (study == NULL) {
        return cli_error(c, "convergence", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    bool good = convergence_measure(j->request->pairs, j->request->seed, j->watch, study);
    progress_end(j->watch->user);
    if (good) {
        convergence_print(c->out, study);
        if (j->csv != NULL) {
            convergence_csv(j->csv, study);
        }
        if (j->svg != NULL) {
            convergence_svg(j->svg, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "convergence", "a pair could not be drawn");
}

static int run_portal(cli *c, const job *j) {
    portal_study *study = malloc(sizeof *study);
    if (study == NULL) {
        return cli_error(c, "portal", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    bool good = portal_measure(j->watch, study);
    progress_end(j->watch->user);
    if (good) {
        portal_print(c->out, study);
        if (j->csv != NULL) {
            portal_csv(j->csv, study);
        }
        if (j->svg != NULL) {
            portal_svg(j->svg, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "portal", "a case could not be measured");
}

#else

static int run_schemes(cli *c, const job *j) {
    (void)j;
    return cli_no_schemes(c, "bench");
}

#define run_convergence run_schemes
#define run_portal run_schemes

#endif

/* ---- arguments */

/** Options that only some studies take. */
enum {
    TAKES_PAIRS = 1u << OPTION_PAIRS,
    TAKES_SEED = 1u << OPTION_SEED,
    TAKES_FRAMES = 1u << OPTION_FRAMES,
    TAKES_DATA = 1u << OPTION_DATA,
    TAKES_BODIES = 1u << OPTION_BODIES,
    TAKES_SOME = TAKES_PAIRS | TAKES_SEED | TAKES_FRAMES | TAKES_DATA | TAKES_BODIES
};

typedef struct study {
    const char *name;
    int (*run)(cli *c, const job *j);
    unsigned takes;
    size_t pairs; /**< where --pairs is not given */
    bool peers;   /**< measures the other libraries too */
    bool schemes; /**< needs the published schemes */
} study;

static const study studies[] = {
    {"battery", run_battery, TAKES_PAIRS | TAKES_SEED, 10000, true, false},
    {"accuracy", run_accuracy, TAKES_PAIRS | TAKES_SEED, 20, true, false},
    {"battery-schemes", run_schemes, TAKES_PAIRS | TAKES_SEED, 10000, true, true},
    {"portal", run_portal, 0, 0, false, true},
    {"convergence", run_convergence, TAKES_PAIRS | TAKES_SEED, 20, false, true},
    {"icub", run_icub, TAKES_FRAMES | TAKES_DATA, 0, true, false},
    {"dental", run_dental, 0, 0, true, false},
    {"world", run_world, TAKES_BODIES | TAKES_SEED, 0, true, false},
    {"motion", run_motion, TAKES_PAIRS | TAKES_SEED, 200, true, false},
};
enum { STUDIES = sizeof studies / sizeof studies[0] };
#define STUDY_NAMES "battery accuracy battery-schemes portal convergence icub dental world motion"

static int read_name(cli *c, const args *a, const study **found) {
    const char *names[STUDIES];
    if (a->word_count != 1) {
        return cli_error(c, a->verb, "say which: " STUDY_NAMES);
    }
    for (int i = 0; i < STUDIES; i++) {
        names[i] = studies[i].name;
        if (strcmp(a->words[0], names[i]) == 0) {
            *found = &studies[i];
            return CLI_OK;
        }
    }
    const char *near = cli_nearest(a->words[0], names, STUDIES);
    if (near != NULL) {
        return cli_error(c, a->words[0], "no such benchmark; did you mean '%s'?", near);
    }
    return cli_error(c, a->words[0], "no such benchmark: there are " STUDY_NAMES);
}

/** A number within limits, where the option is given. */
static int read_number(cli *c, const args *a, size_t option, size_t least, size_t most,
                       size_t *number) {
    if (!a->values[option].given) {
        return CLI_OK;
    }
    int status = args_count(c, a, option, number);
    if (status == CLI_OK && (*number < least || *number > most)) {
        status = cli_error(c, a->verb, "%s = %s: must be %zu to %zu", options[option].name,
                           a->values[option].text[0], least, most);
    }
    return status;
}

static int read_request(cli *c, const args *a, const study *which, request *r) {
    *r = (request){.pairs = which->pairs, .seed = 1, .data = "data", .bodies = BODIES_MAX};
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (a->values[i].given && (TAKES_SOME & ~which->takes & 1u << i) != 0) {
            return cli_error(c, a->words[0], "takes no %s", options[i].name);
        }
    }
    int status = read_number(c, a, OPTION_FRAMES, 2, FRAMES_MAX, &r->frames);
    status = status == CLI_OK ? read_number(c, a, OPTION_PAIRS, 1, PAIRS_MAX, &r->pairs) : status;
    status = status == CLI_OK ? read_number(c, a, OPTION_BODIES, BODIES_MIN, BODIES_MAX, &r->bodies)
                              : status;
    if (status == CLI_OK && a->values[OPTION_SEED].given) {
        status = args_count(c, a, OPTION_SEED, &r->seed);
    }
    r->reads_data = (which->takes & TAKES_DATA) != 0;
    r->data = a->values[OPTION_DATA].given ? a->values[OPTION_DATA].text[0] : r->data;
    r->csv = a->values[OPTION_CSV].given ? a->values[OPTION_CSV].text[0] : NULL;
    r->svg = a->values[OPTION_SVG].given ? a->values[OPTION_SVG].text[0] : NULL;
    const char *const files[] = {r->csv, r->svg};
    for (size_t i = 0; i < 2 && status == CLI_OK; i++) {
        if (files[i] != NULL && strcmp(files[i], "-") == 0) {
            status = cli_error(c, a->verb, "%s = -: the table goes to standard output",
                               options[i == 0 ? OPTION_CSV : OPTION_SVG].name);
        }
    }
    return status;
}

static bool has_schemes(void) {
#ifdef OVOID_SCHEMES
    return true;
#else
    return false;
#endif
}

static int run(cli *c, int argc, char **argv) {
    args a;
    request r;
    const study *which = NULL;
    outputs files;
    int status = args_parse(c, cli_verb_bench.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_name(c, &a, &which)) != CLI_OK ||
        (status = read_request(c, &a, which, &r)) != CLI_OK) {
        return status;
    }
    if (which->schemes && !has_schemes()) {
        return cli_no_schemes(c, which->name);
    }
    status = open_files(c, &r, &files);
    if (status != CLI_OK) {
        return close_files(c, &files, status);
    }
    progress bar = progress_make(c->err, "pairs");
    const battery_progress watch = {show, &bar};
    battery_peers peers = {0};
    if (which->peers) {
        battery_peers_open(&peers);
    }
    status = which->run(c, &(job){&r, &peers, &watch, files.csv.stream, files.svg.stream});
    if (which->peers) {
        // bad input is told in one line, and nothing else
        if (peers.count == 0 && status != CLI_BAD_INPUT) {
            fprintf(c->err, "%s\n", peers.missing);
        }
        battery_peers_close(&peers);
    }
    return close_files(c, &files, status);
}

const cli_verb cli_verb_bench = {
    .name = "bench",
    .summary = "time and error of pair queries, beside other libraries and published schemes",
    .usage = "STUDY [options]",
    .details =
        "battery          random pairs of superovoids [Benchmark, 5.1] and of ellipsoids (10000\n"
        "                 of each); Ovoid cold, warm and in batches beside FCL, libccd, Bullet\n"
        "accuracy         the error of meshes against their number of vertices, beside the\n"
        "                 schemes and Ovoid [Benchmark, 6.2, Fig. 9] (20 pairs)\n"
        "battery-schemes  the published schemes on the battery [Benchmark, Tables 1 to 3]:\n"
        "                 time, iterations, failures, error; Ovoid last (10000 pairs)\n"
        "portal           the cases of [Portal, Tables 2 to 5], all constraint sets\n"
        "convergence      iterations of the schemes over exponents and distance, as maps (20\n"
        "                 pairs a cell)\n"
        "icub             two robot hands moving through each other [Benchmark, Table 4]: FCL\n"
        "                 on meshes, the schemes, Ovoid cold and with coherence\n"
        "dental           two molars in a bite of 181 frames [Benchmark, Figs 13 and 14]: time\n"
        "                 and gap of a frame, FCL on meshes, quadImplicit, Ovoid\n"
        "world            packings of 1000 to 1000000 superovoids in motion: time and memory a\n"
        "                 body, broad and narrow phase, threads; FCL's and Bullet's trees\n"
        "motion           proofs that motions are free, and first contacts [Toleranced, 7]:\n"
        "                 squares, FCL's continuous collision, superovoids, an arm (200 motions\n"
        "                 of a kind)\n"
        "\n"
        "Errors are against a long-double reference. The other libraries are optional: they\n"
        "take part where libfcl-dev, libccd-dev and libbullet-dev were there at build time; so\n"
        "are those of the schemes, which 'ovoid schemes' tells. The batteries take minutes.\n",
    .examples = "  ovoid bench battery --pairs 500 --csv battery.csv --svg battery.svg\n"
                "  ovoid bench accuracy --svg accuracy.svg\n"
                "  ovoid bench battery-schemes --pairs 300 --svg schemes.svg\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_shape = false,
    .words = STUDY_NAMES,
    .run = run,
};
