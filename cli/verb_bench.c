/**
 * @file verb_bench.c
 * @brief `ovoid bench`: the comparative studies of bench/, as tables, CSV and pictures.
 */
#include <string.h>

#include "battery.h"
#include "cli.h"
#include "progress.h"

enum { OPTION_PAIRS, OPTION_SEED, OPTION_CSV, OPTION_SVG, OPTION_COUNT };

static const args_option options[OPTION_COUNT] = {
    {"--pairs", 0, 1, "N", "so many pairs (battery: 10000 of each kind; accuracy: 20)", NULL},
    {"--seed", 0, 1, "S", "seed of the random numbers (1)", NULL},
    {"--csv", 0, 1, "FILE", "the figures as CSV too", "FILE"},
    {"--svg", 0, 1, "FILE", "a picture of them too", "FILE"},
};

enum { PAIRS_MAX = 1000000 };

typedef struct request {
    size_t pairs, seed;
    const char *csv, *svg; /**< null: not asked for */
} request;

/* ---- progress */

static void show(void *user, const char *what, size_t done, size_t all) {
    progress *p = user;
    p->what = what;
    progress_update(p, (double)done, all > 0 ? (double)done / (double)all : 1.0);
}

/* ---- files */

/** Opens what was asked for before the long work begins; null where nothing was. */
static int open_files(cli *c, const request *r, FILE **csv, FILE **svg) {
    *csv = *svg = NULL;
    if (r->csv != NULL && (*csv = cli_open_output(c, r->csv)) == NULL) {
        return CLI_BAD_INPUT;
    }
    if (r->svg != NULL && (*svg = cli_open_output(c, r->svg)) == NULL) {
        if (*csv != NULL) {
            cli_close_output(c, *csv, r->csv);
        }
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

static int close_files(cli *c, const request *r, FILE *csv, FILE *svg) {
    int status = csv != NULL ? cli_close_output(c, csv, r->csv) : CLI_OK;
    int other = svg != NULL ? cli_close_output(c, svg, r->svg) : CLI_OK;
    return status != CLI_OK ? status : other;
}

/* ---- the studies */

static int run_battery(cli *c, const request *r, const battery_peers *peers,
                       const battery_progress *watch, FILE *csv, FILE *svg) {
    battery_cases cases[BATTERY_SETS] = {{0}};
    battery_table tables[BATTERY_SETS] = {{0}};
    const battery_table *const both[BATTERY_SETS] = {&tables[0], &tables[1]};
    bool good = true;
    for (int set = 0; set < BATTERY_SETS && good; set++) {
        good = battery_draw((battery_set)set, r->pairs, r->seed, watch, &cases[set]) &&
               battery_measure(&cases[set], peers, watch, &tables[set]);
    }
    progress_end(watch->user);
    if (good) {
        for (int set = 0; set < BATTERY_SETS; set++) {
            fputs(set > 0 ? "\n" : "", c->out);
            battery_print(c->out, &tables[set]);
        }
        battery_print_goals(c->out, both);
        if (csv != NULL) {
            battery_csv_head(csv);
            battery_csv(csv, &tables[0]);
            battery_csv(csv, &tables[1]);
        }
        if (svg != NULL) {
            battery_svg(svg, both);
        }
    }
    for (int set = 0; set < BATTERY_SETS; set++) {
        battery_table_free(&tables[set]);
        battery_cases_free(&cases[set]);
    }
    return good ? CLI_OK : cli_error(c, "battery", "not enough memory for %zu pairs", r->pairs);
}

static int run_accuracy(cli *c, const request *r, const battery_peers *peers,
                        const battery_progress *watch, FILE *csv, FILE *svg) {
    accuracy_study study;
    bool good = accuracy_measure(r->pairs, r->seed, peers, watch, &study);
    progress_end(watch->user);
    if (!good) {
        return cli_error(c, "accuracy", "a mesh could not be made or measured");
    }
    accuracy_print(c->out, &study);
    if (csv != NULL) {
        accuracy_csv(csv, &study);
    }
    if (svg != NULL) {
        accuracy_svg(svg, &study);
    }
    return CLI_OK;
}

/* ---- arguments */

static const char *const names[] = {"battery", "accuracy"};
enum { NAME_BATTERY, NAME_ACCURACY, NAME_COUNT };

static int read_name(cli *c, const args *a, int *name) {
    if (a->word_count != 1) {
        return cli_error(c, a->verb, "say which: battery or accuracy");
    }
    for (int i = 0; i < NAME_COUNT; i++) {
        if (strcmp(a->words[0], names[i]) == 0) {
            *name = i;
            return CLI_OK;
        }
    }
    const char *near = cli_nearest(a->words[0], names, NAME_COUNT);
    if (near != NULL) {
        return cli_error(c, a->words[0], "no such benchmark; did you mean '%s'?", near);
    }
    return cli_error(c, a->words[0], "no such benchmark: there are battery and accuracy");
}

static int read_request(cli *c, const args *a, int name, request *r) {
    *r = (request){.pairs = name == NAME_BATTERY ? 10000 : 20, .seed = 1};
    int status = CLI_OK;
    if (a->values[OPTION_PAIRS].given) {
        status = args_count(c, a, OPTION_PAIRS, &r->pairs);
        if (status == CLI_OK && (r->pairs < 1 || r->pairs > PAIRS_MAX)) {
            status = cli_error(c, a->verb, "--pairs = %s: must be 1 to %d",
                               a->values[OPTION_PAIRS].text[0], PAIRS_MAX);
        }
    }
    if (status == CLI_OK && a->values[OPTION_SEED].given) {
        status = args_count(c, a, OPTION_SEED, &r->seed);
    }
    r->csv = a->values[OPTION_CSV].given ? a->values[OPTION_CSV].text[0] : NULL;
    r->svg = a->values[OPTION_SVG].given ? a->values[OPTION_SVG].text[0] : NULL;
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    request r;
    int name = NAME_BATTERY;
    FILE *csv = NULL, *svg = NULL;
    int status = args_parse(c, cli_verb_bench.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_name(c, &a, &name)) != CLI_OK ||
        (status = read_request(c, &a, name, &r)) != CLI_OK ||
        (status = open_files(c, &r, &csv, &svg)) != CLI_OK) {
        return status;
    }
    progress bar = progress_make(c->err, "pairs");
    const battery_progress watch = {show, &bar};
    battery_peers peers;
    battery_peers_open(&peers);
    if (peers.count == 0) {
        fprintf(c->err, "%s\n", peers.missing);
    }
    status = name == NAME_BATTERY ? run_battery(c, &r, &peers, &watch, csv, svg)
                                  : run_accuracy(c, &r, &peers, &watch, csv, svg);
    battery_peers_close(&peers);
    int closed = close_files(c, &r, csv, svg);
    return status != CLI_OK ? status : closed;
}

const cli_verb cli_verb_bench = {
    .name = "bench",
    .summary = "time and error of pair queries, beside other libraries",
    .usage = "battery|accuracy [options]",
    .details =
        "battery:  random pairs of superovoids [Benchmark, 5.1] and of ellipsoids; Ovoid cold,\n"
        "          warm and in batches beside FCL, libccd and Bullet, in one table.\n"
        "accuracy: the error of meshes against their number of vertices [Benchmark, 6.2].\n"
        "\n"
        "Errors are against a long-double reference. The other libraries are optional: they\n"
        "take part where libfcl-dev, libccd-dev and libbullet-dev were there at build time.\n"
        "The whole battery takes some minutes.\n",
    .examples = "  ovoid bench battery --pairs 500 --csv battery.csv --svg battery.svg\n"
                "  ovoid bench accuracy --svg accuracy.svg\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_shape = false,
    .run = run,
};
