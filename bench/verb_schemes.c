/**
 * @file verb_schemes.c
 * @brief `ovoid-bench schemes` and `ovoid-bench pairs`: the published schemes, their papers and
 * whether they were built; and the contacts that one of them finds.
 *
 * `pairs` reads and writes the files of `ovoid pairs`: same columns, but nothing about the answers
 * is proven, and each pair is asked once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "json.h"
#include "timing.h"

#ifdef OVOID_SCHEMES
#include <ovoid/io.h>
#include <ovoid/schemes.h>
#endif

int bench_no_schemes(cli *c, const char *what) {
    return cli_error(c, what,
                     "this program was built without the published schemes: build it again with "
                     "-DOVOID_SCHEMES=ON (apt-get install liblapacke-dev coinor-libipopt-dev "
                     "libnlopt-dev libfcl-dev)");
}

/* ---- the list -------------------------------------------------------------------------------- */

enum { LIST_OPTION_JSON, LIST_OPTION_COUNT };

static const args_option list_options[LIST_OPTION_COUNT] = {
    {"--json", 0, 0, "", "print JSON instead of a table", NULL},
};

#ifdef OVOID_SCHEMES

static void print_table(FILE *out) {
    enum { STATE = 64 };
    char states[OV_SCHEME_COUNT][STATE];
    int name_width = 0, state_width = 0;
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        const char *missing = ov_scheme_missing((ov_scheme)i);
        int name = (int)strlen(ov_scheme_name((ov_scheme)i));
        int state = missing == NULL
                        ? snprintf(states[i], STATE, "available")
                        : snprintf(states[i], STATE, "missing: apt-get install %s", missing);
        name_width = name > name_width ? name : name_width;
        state_width = state > state_width ? state : state_width;
    }
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        fprintf(out, "%-*s  %-*s  %s\n", name_width, ov_scheme_name((ov_scheme)i), state_width,
                states[i], ov_scheme_source((ov_scheme)i));
    }
}

static void print_json(FILE *out) {
    json j = json_make(out);
    json_open_document(&j);
    json_open_list(&j, "schemes");
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        const char *missing = ov_scheme_missing((ov_scheme)i);
        json_open_object(&j, NULL);
        json_string(&j, "name", ov_scheme_name((ov_scheme)i));
        json_string(&j, "source", ov_scheme_source((ov_scheme)i));
        json_bool(&j, "available", missing == NULL);
        if (missing != NULL) {
            json_string(&j, "package", missing);
        } else {
            json_null(&j, "package");
        }
        json_close_object(&j);
    }
    json_close_list(&j);
    json_close_object(&j);
}

#endif

static int run_list(cli *c, int argc, char **argv) {
    args a;
    int status =
        args_parse(c, bench_verb_schemes.name, list_options, LIST_OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
    if (a.word_count > 0) {
        return cli_error(c, a.verb, "%s: takes no words, only options", a.words[0]);
    }
#ifdef OVOID_SCHEMES
    if (a.values[LIST_OPTION_JSON].given) {
        print_json(c->out);
    } else {
        print_table(c->out);
    }
    return CLI_OK;
#else
    return bench_no_schemes(c, a.verb);
#endif
}

const cli_verb bench_verb_schemes = {
    .name = "schemes",
    .summary = "the published schemes to compare with, and whether they were built",
    .usage = "[options]",
    .details = "Lists the published ways to find the contact of two superovoids: name, paper with\n"
               "section and equations, and whether the library that a scheme needs was there when\n"
               "this program was built, or else which Debian package has it.\n"
               "\n"
               "'ovoid-bench pairs --scheme NAME' answers by a scheme; 'ovoid-bench\n"
               "battery-schemes' measures all of them. None of their answers is certified.\n",
    .examples = "  ovoid-bench schemes\n"
                "  ovoid-bench schemes --json\n",
    .options = list_options,
    .option_count = LIST_OPTION_COUNT,
    .run = run_list,
};

/* ---- pairs by a scheme ----------------------------------------------------------------------- */

enum {
    OPTION_SCHEME,
    OPTION_TOLERANCE,
    OPTION_JACOBIAN,
    OPTION_RESCUE,
    OPTION_CONSTRAINTS,
    OPTION_VERTICES,
    OPTION_MENDED,
    OPTION_TIMING,
    OPTION_OUTPUT,
    OPTION_COUNT
};

#define RESCUES "bisection regula-falsi deeper"

static const args_option options[OPTION_COUNT] = {
    {"--scheme", 0, 1, "NAME", "which; 'ovoid-bench schemes' lists them",
     "octImplicit quadImplicit quadParametric ntbParametric interiorPoint sqp discrete mesh"},
    {"--tolerance", 0, 1, "T", "of the scheme's last step, 1e-12 to 1e-3 (1e-6)", NULL},
    {"--jacobian", 0, 1, "WHICH", "of a Newton scheme: differences (default) or analytic",
     "differences analytic"},
    {"--rescue", 0, 1, "LIST", "where Newton fails: bisection,regula-falsi,deeper, or some",
     RESCUES},
    {"--constraints", 0, 1, "SET", "of interiorPoint and sqp: a to h (a)", "a b c d e f g h"},
    {"--vertices", 0, 1, "N", "of the meshes or nodes of mesh and discrete (290)", NULL},
    {"--mended", 0, 0, "", "the scheme without the defects of its paper", NULL},
    {"--timing", 0, 0, "", "times of the queries, as one JSON line on standard error", NULL},
    {"--output", 'o', 1, "FILE", "where to ('-', the default: standard output)", "FILE"},
};

#ifdef OVOID_SCHEMES

enum { CHUNK = 256, VERTICES_MIN = 8, VERTICES_MAX = 1 << 22 };

typedef struct work {
    ov_scheme scheme;
    ov_scheme_options options;
    timing *times; /**< null: not asked for */
    ov_pairs_row rows[CHUNK];
    ov_contact contacts[CHUNK];
} work;

/** The sign of the gap is all that a scheme knows of the relation. */
static ov_relation relation_of(const ov_scheme_result *r) {
    if (r->status != OV_OK || isnan(r->gap)) {
        return OV_RELATION_UNDECIDED;
    }
    return r->gap > 0.0   ? OV_RELATION_SEPARATED
           : r->gap < 0.0 ? OV_RELATION_OVERLAPPING
                          : OV_RELATION_TOUCHING;
}

static ov_contact scheme_contact(const work *w, const ov_pairs_row *row) {
    double nan = (double)NAN;
    ov_vec3 none = ov_vec3_make(nan, nan, nan);
    ov_scheme_result r = {.gap = nan, .point_a = none, .point_b = none, .normal = none};
    ov_status status = row->status;
    if (status == OV_OK) {
        status = ov_scheme_contact(w->scheme, &row->a, row->pose_a, &row->b, row->pose_b,
                                   &w->options, &r);
    }
    if (status >= 0 && w->times != NULL) {
        // the scheme's own time, which leaves out the making of meshes and nodes
        timing_add(w->times, r.total_seconds * 1e9);
    }
    return (ov_contact){.gap = r.gap,
                        .gap_lower = nan,
                        .gap_upper = nan,
                        .point_a = r.point_a,
                        .point_b = r.point_b,
                        .normal = r.normal,
                        .relation = status >= 0 ? relation_of(&r) : OV_RELATION_UNDECIDED,
                        .status = status,
                        .iterations = r.iterations};
}

static int read_rescue(cli *c, const args *a, unsigned *rescue) {
    static const char *const names[] = {"bisection", "regula-falsi", "deeper"};
    static const unsigned bits[] = {OV_RESCUE_BISECTION, OV_RESCUE_REGULA_FALSI, OV_RESCUE_DEEPER};
    const char *text = a->values[OPTION_RESCUE].text[0];
    *rescue = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ","), k = 0;
        while (k < 3 && !(strlen(names[k]) == length && strncmp(at, names[k], length) == 0)) {
            k++;
        }
        if (k == 3) {
            return cli_error(c, a->verb, "--rescue = %s: not a list of: " RESCUES, text);
        }
        *rescue |= bits[k];
        at += length;
        if (*at == '\0') {
            return CLI_OK;
        }
    }
}

static int read_scheme(cli *c, const args *a, ov_scheme *scheme) {
    if (!a->values[OPTION_SCHEME].given) {
        return cli_error(c, a->verb, "say by which: --scheme NAME, one of: %s",
                         options[OPTION_SCHEME].words);
    }
    const char *name = a->values[OPTION_SCHEME].text[0];
    *scheme = ov_scheme_of_name(name);
    if (*scheme == OV_SCHEME_COUNT) {
        return cli_error(c, a->verb, "--scheme = %s: not one of: %s", name,
                         options[OPTION_SCHEME].words);
    }
    if (ov_scheme_missing(*scheme) != NULL) {
        return cli_error(c, a->verb, "--scheme = %s: built without it: apt-get install %s", name,
                         ov_scheme_missing(*scheme));
    }
    return CLI_OK;
}

static int read_numbers(cli *c, const args *a, ov_scheme_options *o) {
    int status = CLI_OK;
    if (a->values[OPTION_TOLERANCE].given) {
        status = args_number(c, a, "--tolerance", &o->tolerance);
        if (status == CLI_OK && !(o->tolerance >= 1e-12 && o->tolerance <= 1e-3)) {
            return cli_error(c, a->verb, "--tolerance = %s: must be 1e-12 to 1e-3",
                             a->values[OPTION_TOLERANCE].text[0]);
        }
    }
    if (status == CLI_OK && a->values[OPTION_VERTICES].given) {
        status = args_count(c, a, "--vertices", &o->mesh_vertices);
        if (status == CLI_OK &&
            (o->mesh_vertices < VERTICES_MIN || o->mesh_vertices > VERTICES_MAX)) {
            return cli_error(c, a->verb, "--vertices = %s: must be %d to %d",
                             a->values[OPTION_VERTICES].text[0], VERTICES_MIN, VERTICES_MAX);
        }
    }
    return status;
}

static int read_options(cli *c, const args *a, work *w) {
    ov_scheme_options *o = &w->options;
    size_t choice = 0;
    *o = ov_default_scheme_options();
    o->mended = a->values[OPTION_MENDED].given;
    int status = read_scheme(c, a, &w->scheme);
    status = status == CLI_OK ? read_numbers(c, a, o) : status;
    if (status == CLI_OK && a->values[OPTION_JACOBIAN].given) {
        status = args_choice(c, a, "--jacobian", &choice);
        o->jacobian = choice == 0 ? OV_JACOBIAN_DIFFERENCES : OV_JACOBIAN_ANALYTIC;
    }
    if (status == CLI_OK && a->values[OPTION_RESCUE].given) {
        status = read_rescue(c, a, &o->rescue);
    }
    if (status == CLI_OK && a->values[OPTION_CONSTRAINTS].given) {
        status = args_choice(c, a, "--constraints", &choice);
        o->constraint_set = (char)('a' + (int)choice);
    }
    return status;
}

static int solve_rows(cli *c, work *w, ov_pairs_reader *reader, const char *path, FILE *out) {
    if (ov_contacts_write_header(out) < 0) {
        return CLI_OK; // told by who closes the stream
    }
    progress bar = progress_make(c->err, "pairs");
    size_t count = 0, done = 0;
    int status = CLI_OK;
    do {
        ov_status read = ov_pairs_read(reader, w->rows, CHUNK, &count);
        for (size_t i = 0; i < count; i++) {
            w->contacts[i] = scheme_contact(w, &w->rows[i]);
            progress_update(&bar, (double)++done, -1.0);
        }
        bool written = ov_contacts_write(out, w->contacts, count) >= 0;
        if (read < 0) {
            progress_end(&bar);
            status = cli_error(c, path, "%s", ov_status_message(read));
        }
        count = written && read >= 0 ? count : 0;
    } while (count > 0);
    progress_end(&bar);
    return status;
}

static int solve_file(cli *c, const args *a, work *w, const char *path, FILE *in) {
    ov_fault wrong;
    ov_pairs_reader *reader;
    if (ov_pairs_reader_create(in, &reader, &wrong) < 0) {
        return cli_file_error(c, path, &wrong);
    }
    const char *out_path = a->values[OPTION_OUTPUT].given ? a->values[OPTION_OUTPUT].text[0] : "-";
    cli_output out = {.stream = NULL};
    int status = cli_open_output(c, out_path, path, &out);
    if (status == CLI_OK) {
        status = solve_rows(c, w, reader, path, out.stream);
    }
    ov_pairs_reader_destroy(reader);
    status = cli_close_output(c, &out, status);
    if (status == CLI_OK && w->times != NULL) {
        timing_print_json(c->err, w->times, (double)NAN);
    }
    return status;
}

static int solve(cli *c, const args *a, work *w) {
    int status = read_options(c, a, w);
    if (status != CLI_OK) {
        return status;
    }
    if (a->word_count != 1) {
        return cli_error(c, a->verb, "needs one FILE.csv, or '-', got %d", a->word_count);
    }
    const char *path = a->words[0];
    FILE *in = cli_open_input(c, &path);
    if (in == NULL) {
        return CLI_BAD_INPUT;
    }
    if (w->times != NULL) {
        timing_begin(w->times);
    }
    status = solve_file(c, a, w, path, in);
    if (in != stdin) {
        fclose(in);
    }
    return status;
}

#endif

static int run_pairs(cli *c, int argc, char **argv) {
    args a;
    int status = args_parse(c, bench_verb_pairs.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
#ifdef OVOID_SCHEMES
    bool timed = a.values[OPTION_TIMING].given;
    work *w = malloc(sizeof *w);
    timing *times = timed ? malloc(sizeof *times) : NULL;
    if (w != NULL && (!timed || times != NULL)) {
        w->times = times;
        status = solve(c, &a, w);
    } else {
        status = cli_error(c, a.verb, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    free(times);
    free(w);
    return status;
#else
    return bench_no_schemes(c, a.verb);
#endif
}

const cli_verb bench_verb_pairs = {
    .name = "pairs",
    .summary = "contacts of pairs of superovoids by a published scheme, CSV to CSV",
    .usage = "FILE.csv --scheme NAME [options]",
    .details =
        "Reads pairs and writes contacts as 'ovoid pairs' does, with the same columns, but as a\n"
        "published scheme finds them. The bounds are nan: nothing is proven, the relation is the\n"
        "sign of the gap, and 'solved' says that the scheme stopped by its own rule.\n",
    .examples = "  ovoid pairs --example > pairs.csv\n"
                "  ovoid-bench pairs pairs.csv --scheme octImplicit -o contacts.csv\n"
                "  ovoid-bench pairs - --scheme sqp --constraints f --timing < pairs.csv\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run_pairs,
};
