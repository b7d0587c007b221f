/**
 * @file main.c
 * @brief `ovoid-bench`: the studies of this folder as tables, CSV and pictures; a verb each.
 */
#include <stdlib.h>
#include <string.h>

#include "battery.h"
#include "battery_dental.h"
#include "battery_icub.h"
#include "battery_motion.h"
#include "battery_world.h"
#include "bench.h"

#ifdef OVOID_SCHEMES
#include "battery_portal.h"
#include "battery_schemes.h"
#endif

/* ---- options */

/** The first two are those of all studies; the others depend on what a study takes. */
enum { OPTION_CSV, OPTION_SVG, OPTION_SEED, OPTION_PAIRS, OPTION_BODIES = OPTION_PAIRS };
enum { OPTION_FRAMES = OPTION_SEED, OPTION_DATA = OPTION_PAIRS, OPTIONS_MAX = OPTION_PAIRS + 1 };

/** Options of all studies. */
#define FILE_OPTIONS                                                                               \
    {"--csv", 0, 1, "FILE", "the figures as CSV too", "FILE"}, {                                   \
        "--svg", 0, 1, "FILE", "a picture of them too", "FILE"                                     \
    }
#define SEED_OPTION                                                                                \
    { "--seed", 0, 1, "S", "seed of the random numbers (1)", NULL }

static const args_option no_options[] = {FILE_OPTIONS};
static const args_option pair_options[] = {
    FILE_OPTIONS, SEED_OPTION, {"--pairs", 0, 1, "N", "so many pairs or motions", NULL}};
static const args_option world_options[] = {
    FILE_OPTIONS, SEED_OPTION, {"--bodies", 0, 1, "N", "up to so many bodies (1000000)", NULL}};
static const args_option icub_options[] = {
    FILE_OPTIONS,
    {"--frames", 0, 1, "N", "so many frames of the movement (as many as it has)", NULL},
    {"--data", 0, 1, "FOLDER", "the folder of the bundled data (data)", "FILE"},
};

enum { PAIRS_MAX = 1000000, FRAMES_MAX = 10000, BODIES_MIN = 1000, BODIES_MAX = 1000000 };

typedef struct request {
    size_t pairs, seed;
    size_t frames; /**< 0: as many as there are */
    size_t bodies;
    const char *data;      /**< folder; null where the study has no files there */
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
    for (int i = 0; i <= ICUB_VERSIONS && r->data != NULL && status == CLI_OK; i++) {
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
    return bench_no_schemes(c, "schemes");
}

#define run_convergence run_schemes
#define run_portal run_schemes

#endif

/* ---- arguments */

typedef struct study {
    cli_verb verb; /**< first: where the verb is, there is the study */
    int (*run)(cli *c, const job *j);
    size_t pairs; /**< where --pairs is not given; 0: it draws none */
    bool peers;   /**< measures the other libraries too */
    bool schemes; /**< needs the published schemes */
} study;

/** A number within limits, where the option is given. */
static int read_number(cli *c, const args *a, size_t option, size_t least, size_t most,
                       size_t *number) {
    if (!a->values[option].given) {
        return CLI_OK;
    }
    int status = args_count(c, a, a->options[option].name, number);
    if (status == CLI_OK && (*number < least || *number > most)) {
        status = cli_error(c, a->verb, "%s = %s: must be %zu to %zu", a->options[option].name,
                           a->values[option].text[0], least, most);
    }
    return status;
}

static int read_request(cli *c, const args *a, const study *which, request *r) {
    *r = (request){.pairs = which->pairs, .seed = 1, .bodies = BODIES_MAX};
    int status = CLI_OK;
    if (which->verb.options == icub_options) {
        r->data = a->values[OPTION_DATA].given ? a->values[OPTION_DATA].text[0] : "data";
        status = read_number(c, a, OPTION_FRAMES, 2, FRAMES_MAX, &r->frames);
    } else if (which->verb.options != no_options) {
        status = which->verb.options == world_options
                     ? read_number(c, a, OPTION_BODIES, BODIES_MIN, BODIES_MAX, &r->bodies)
                     : read_number(c, a, OPTION_PAIRS, 1, PAIRS_MAX, &r->pairs);
        if (status == CLI_OK && a->values[OPTION_SEED].given) {
            status = args_count(c, a, "--seed", &r->seed);
        }
    }
    r->csv = a->values[OPTION_CSV].given ? a->values[OPTION_CSV].text[0] : NULL;
    r->svg = a->values[OPTION_SVG].given ? a->values[OPTION_SVG].text[0] : NULL;
    const char *const files[] = {r->csv, r->svg};
    for (size_t i = 0; i < 2 && status == CLI_OK; i++) {
        if (files[i] != NULL && strcmp(files[i], "-") == 0) {
            status = cli_error(c, a->verb, "%s = -: the table goes to standard output",
                               a->options[i].name);
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

static int run_study(cli *c, const study *which, const request *r) {
    outputs files;
    int status = open_files(c, r, &files);
    if (status != CLI_OK) {
        return close_files(c, &files, status);
    }
    progress bar = progress_make(c->err, "pairs");
    const battery_progress watch = {show, &bar};
    battery_peers peers = {0};
    if (which->peers) {
        battery_peers_open(&peers);
    }
    status = which->run(c, &(job){r, &peers, &watch, files.csv.stream, files.svg.stream});
    if (which->peers) {
        // bad input is told in one line, and nothing else
        if (peers.count == 0 && status != CLI_BAD_INPUT) {
            fprintf(c->err, "%s\n", peers.missing);
        }
        battery_peers_close(&peers);
    }
    return close_files(c, &files, status);
}

static int run(cli *c, int argc, char **argv) {
    const cli_verb *verb = c->verb;
    const study *which = (const study *)verb;
    args a;
    request r;
    int status = args_parse(c, verb->name, verb->options, verb->option_count, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
    if (a.word_count > 0) {
        return cli_error(c, verb->name, "%s: takes no words, only options", a.words[0]);
    }
    status = read_request(c, &a, which, &r);
    if (status != CLI_OK) {
        return status;
    }
    return which->schemes && !has_schemes() ? bench_no_schemes(c, verb->name)
                                            : run_study(c, which, &r);
}

/* ---- the verbs */

#define OPTIONS(table) .options = table, .option_count = sizeof table / sizeof table[0], .run = run

static const study battery = {
    .verb = {.name = "battery",
             .summary = "pair queries, beside FCL, libccd and Bullet",
             .usage = "[options]",
             .details =
                 "Random pairs of superovoids [Benchmark, 5.1] and of ellipsoids (10000 of each);\n"
                 "Ovoid cold, warm and in batches beside FCL, libccd and Bullet, which take part\n"
                 "where libfcl-dev, libccd-dev and libbullet-dev were there at build time. Errors\n"
                 "are against a long-double reference. Takes minutes.\n",
             .examples = "  ovoid-bench battery --pairs 500 --csv battery.csv --svg battery.svg\n",
             OPTIONS(pair_options)},
    .run = run_battery,
    .pairs = 10000,
    .peers = true,
};

static const study accuracy = {
    .verb = {.name = "accuracy",
             .summary = "the error of meshes against their number of vertices",
             .usage = "[options]",
             .details =
                 "The error of meshes against their number of vertices, beside the published\n"
                 "schemes and Ovoid [Benchmark, 6.2, Fig. 9] (20 pairs).\n",
             .examples = "  ovoid-bench accuracy --svg accuracy.svg\n",
             OPTIONS(pair_options)},
    .run = run_accuracy,
    .pairs = 20,
    .peers = true,
};

static const study battery_of_schemes = {
    .verb = {.name = "battery-schemes",
             .summary = "the published schemes on the battery",
             .usage = "[options]",
             .details =
                 "The published schemes on the battery [Benchmark, Tables 1 to 3]: time,\n"
                 "iterations, failures, error; Ovoid last (10000 pairs). Takes minutes. Schemes\n"
                 "whose library was missing are left out: 'ovoid-bench schemes' tells.\n",
             .examples = "  ovoid-bench battery-schemes --pairs 300 --svg schemes.svg\n",
             OPTIONS(pair_options)},
    .run = run_schemes,
    .pairs = 10000,
    .peers = true,
    .schemes = true,
};

static const study portal = {
    .verb = {.name = "portal",
             .summary = "the cases of [Portal] by all constraint sets",
             .usage = "[options]",
             .details = "The cases of [Portal, Tables 2 to 5], all constraint sets.\n",
             .examples = "  ovoid-bench portal --csv portal.csv\n",
             OPTIONS(no_options)},
    .run = run_portal,
    .schemes = true,
};

static const study convergence = {
    .verb = {.name = "convergence",
             .summary = "iterations of the schemes over exponents and distance",
             .usage = "[options]",
             .details = "Iterations of the schemes over exponents and distance, as maps (20 pairs\n"
                        "per cell).\n",
             .examples = "  ovoid-bench convergence --pairs 2 --csv convergence.csv\n",
             OPTIONS(pair_options)},
    .run = run_convergence,
    .pairs = 20,
    .schemes = true,
};

static const study icub = {
    .verb =
        {.name = "icub",
         .summary = "two robot hands that move through each other",
         .usage = "[options]",
         .details =
             "Two robot hands that move through each other [Benchmark, Table 4]: FCL on meshes,\n"
             "the published schemes, Ovoid cold and with coherence.\n",
         .examples = "  ovoid-bench icub --frames 61 --csv icub.csv --svg icub.svg\n",
         OPTIONS(icub_options)},
    .run = run_icub,
    .peers = true,
};

static const study dental = {
    .verb = {.name = "dental",
             .summary = "two molars in a bite",
             .usage = "[options]",
             .details =
                 "Two molars in a bite of 181 frames [Benchmark, Figs 13 and 14]: time and gap of\n"
                 "each frame by FCL on meshes, by quadImplicit and by Ovoid.\n",
             .examples = "  ovoid-bench dental --csv dental.csv --svg dental.svg\n",
             OPTIONS(no_options)},
    .run = run_dental,
    .peers = true,
};

static const study world = {
    .verb = {.name = "world",
             .summary = "packings of up to a million moving bodies",
             .usage = "[options]",
             .details =
                 "Packings of 1000 to 1000000 superovoids in motion: time and memory per body,\n"
                 "broad and narrow phase, threads; beside FCL's and Bullet's trees.\n",
             .examples = "  ovoid-bench world --bodies 10000 --csv world.csv\n",
             OPTIONS(world_options)},
    .run = run_world,
    .peers = true,
};

static const study motion = {
    .verb =
        {.name = "motion",
         .summary = "proofs that motions are free, and first contacts",
         .usage = "[options]",
         .details =
             "Proofs that motions are free, and first contacts [Toleranced, 7]: squares, FCL's\n"
             "continuous collision, superovoids, an arm (200 motions of a kind).\n",
         .examples = "  ovoid-bench motion --pairs 10 --csv motion.csv\n",
         OPTIONS(pair_options)},
    .run = run_motion,
    .pairs = 200,
    .peers = true,
};

static const cli_verb *const verbs[] = {
    &battery.verb,       &accuracy.verb,    &battery_of_schemes.verb,
    &portal.verb,        &convergence.verb, &icub.verb,
    &dental.verb,        &world.verb,       &motion.verb,
    &bench_verb_schemes, &bench_verb_pairs,
};

static const cli_program program = {
    .name = "ovoid-bench",
    .about =
        "Ovoid measured: time and error beside other libraries and the published schemes, and\n"
        "the studies of the papers.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof verbs[0],
    .rules = "Tables go to standard output, their figures to a file with --csv. Exit status: 0\n"
             "done, 2 bad input (told on standard error); to be slow is no failure.\n",
};

int main(int argc, char **argv) {
    cli_begin();
    return cli_run(&program, argc, argv, stdout, stderr);
}
