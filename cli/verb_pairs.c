/**
 * @file verb_pairs.c
 * @brief `ovoid pairs`: the contacts of many pairs of superovoids, CSV in and CSV out.
 *
 * Rows go through in chunks, so that the memory needed does not grow with the file. The answers are
 * those of the batch; with --timing every pair is asked a second time, alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "options.h"
#include "timing.h"

static const args_option options[] = {
    SHARED_TOLERANCE,
    SHARED_DEPTH("global"),
    SHARED_THREADS,
    SHARED_OUTPUT,
    {"--timing", 0, 0, "", "times per query, alone and in the batch, as JSON on standard error",
     NULL},
    SHARED_FAILURES,
    {"--record", 0, 1, "ROW", "with --failures: save this row too, counted from 1", NULL},
    {"--example", 0, 0, "", "print a small file of pairs to start from", NULL},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

enum { CHUNK = 1024, CHUNK_THREADS = 16384 };

static const char example[] =
    OV_PAIRS_HEADER "\n"
                    "1,1,1.5,1,0.8,0.2,0.2,0,0,0,1,0,0,0,1,1,1,0.5,0.5,0,0,0,2.5,0,1,0,0,0.3\n"
                    "1,1,1.5,1,0.8,0.2,0.2,0,0,0,1,0,0,0,1,1,1,0.5,0.5,0,0,0,1.5,0,1,0,0,0.3\n"
                    "1,1,1,1,1,0,0,0,0,0,1,0,0,0,1,1,1,1,1,0,0,0,0,2,1,0,0,0\n";

typedef struct work {
    ov_pair_options options;
    ov_threads threads;
    size_t chunk, record; /**< record: a row, or 0 */
    size_t row;           /**< rows done */
    ov_pairs_row *rows;
    ov_contact *contacts; /**< one per row */
    ov_pair *pairs;       /**< the good rows */
    ov_contact *answers;  /**< one per pair */
    timing *times;        /**< null: not asked for */
    double batch_ns;
    size_t batch_pairs;
    failures failed;
    progress bar;
    double bytes; /**< of the input; negative: not known */
} work;

/* ---- one chunk ------------------------------------------------------------------------------- */

static ov_contact no_contact(ov_status status) {
    double nan = (double)NAN;
    ov_vec3 none = ov_vec3_make(nan, nan, nan);
    return (ov_contact){nan, nan, nan, none, none, none, OV_RELATION_UNDECIDED, status, 0};
}

/** The first queries of all also load the program's pages: not what is to be measured. */
static void warm_up(work *w, size_t count) {
    const ov_pair *p = &w->pairs[0];
    ov_contact contact;
    ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, &w->options, NULL, &contact);
    ov_pair_contact_batch(w->pairs, count < 64 ? count : 64, &w->options, &w->threads, NULL,
                          w->answers);
}

/** The scalar path, pair by pair, with the clock around each query. */
static void time_pairs(work *w, size_t count) {
    ov_contact contact;
    for (size_t i = 0; i < count; i++) {
        const ov_pair *p = &w->pairs[i];
        double start = timing_clock_ns();
        ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, &w->options, NULL, &contact);
        timing_add(w->times, timing_clock_ns() - start);
    }
}

/** Contacts of `count` rows. */
static ov_status solve_chunk(work *w, size_t count) {
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        const ov_pairs_row *r = &w->rows[i];
        if (r->status == OV_OK) {
            w->pairs[good++] = (ov_pair){&r->a, &r->b, r->pose_a, r->pose_b};
        }
    }
    if (w->times != NULL && w->times->count == 0 && good > 0) {
        warm_up(w, good);
    }
    double start = timing_clock_ns();
    ov_status status =
        good > 0 ? ov_pair_contact_batch(w->pairs, good, &w->options, &w->threads, NULL, w->answers)
                 : OV_OK;
    w->batch_ns += timing_clock_ns() - start;
    w->batch_pairs += good;
    if (status < 0) {
        return status;
    }
    if (w->times != NULL) {
        time_pairs(w, good);
    }
    good = 0;
    for (size_t i = 0; i < count; i++) {
        ov_status row = w->rows[i].status;
        w->contacts[i] = row == OV_OK ? w->answers[good++] : no_contact(row);
    }
    return OV_OK;
}

static int record_chunk(cli *c, work *w, size_t count) {
    int status = CLI_OK;
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        const ov_pairs_row *r = &w->rows[i];
        bool wanted = w->contacts[i].status > 0 || w->row + i + 1 == w->record;
        if (r->status == OV_OK && wanted) {
            char name[64];
            ov_replay replay = {.a = r->a,
                                .b = r->b,
                                .pose_a = r->pose_a,
                                .pose_b = r->pose_b,
                                .options = w->options,
                                .batch = true,
                                .contact = w->contacts[i]};
            snprintf(name, sizeof name, "pair-%zu.replay", w->row + i + 1);
            status = failures_write(c, &w->failed, name, &replay);
        }
    }
    return status;
}

/* ---- the whole file -------------------------------------------------------------------------- */

static double size_of(FILE *file) {
    struct stat facts;
    bool known = fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode);
    return known ? (double)facts.st_size : -1.0;
}

static int run_rows(cli *c, work *w, ov_pairs_reader *reader, const char *path, FILE *in,
                    FILE *out) {
    if (ov_contacts_write_header(out) < 0) {
        return CLI_OK; // told by who closes the stream
    }
    for (;;) {
        size_t count = 0;
        ov_status read = ov_pairs_read(reader, w->rows, w->chunk, &count);
        ov_status solved = solve_chunk(w, count);
        if (solved < 0) {
            return cli_error(c, path, "%s", ov_status_message(solved));
        }
        int status = record_chunk(c, w, count);
        if (status != CLI_OK || ov_contacts_write(out, w->contacts, count) < 0) {
            return status;
        }
        w->row += count;
        if (read < 0) {
            progress_end(&w->bar);
            return cli_error(c, path, "%s", ov_status_message(read));
        }
        if (count == 0) {
            return CLI_OK;
        }
        progress_update(&w->bar, (double)w->row,
                        w->bytes > 0.0 ? (double)ftell(in) / w->bytes : -1.0);
    }
}

static bool allocate(work *w) {
    w->rows = malloc(w->chunk * sizeof *w->rows);
    w->contacts = malloc(w->chunk * sizeof *w->contacts);
    w->pairs = malloc(w->chunk * sizeof *w->pairs);
    w->answers = malloc(w->chunk * sizeof *w->answers);
    return w->rows != NULL && w->contacts != NULL && w->pairs != NULL && w->answers != NULL;
}

static void release(work *w) {
    free(w->rows);
    free(w->contacts);
    free(w->pairs);
    free(w->answers);
    free(w->times);
}

/** From the header of the input to the last row of the output. */
static int run_file(cli *c, const args *a, work *w, const char *path, FILE *in) {
    ov_fault wrong;
    ov_pairs_reader *reader;
    if (ov_pairs_reader_create(in, &reader, &wrong) < 0) {
        return cli_file_error(c, path, &wrong);
    }
    const char *out_path = args_given(a, "--output") ? args_text(a, "--output") : "-";
    cli_output out = {.stream = NULL};
    // contacts may take the place of the pairs: these are read to the end before
    int status = cli_open_output(c, out_path, path, &out);
    if (status == CLI_OK) {
        status = failures_begin(c, a, &w->failed);
    }
    if (status == CLI_OK) {
        w->bytes = size_of(in);
        w->bar = progress_make(c->err, "pairs");
        status = run_rows(c, w, reader, path, in, out.stream);
        progress_end(&w->bar);
    }
    ov_pairs_reader_destroy(reader);
    status = cli_close_output(c, &out, status);
    failures_end(&w->failed, status);
    if (status == CLI_OK && w->times != NULL) {
        timing_print_json(c->err, w->times, w->batch_ns / (double)w->batch_pairs);
    }
    return status;
}

static int read_options(cli *c, const args *a, work *w) {
    w->options = ov_default_pair_options();
    w->options.depth = OV_DEPTH_GLOBAL;
    int status = options_read_pair(c, a, &w->options);
    if (status == CLI_OK) {
        status = options_read_threads(c, a, &w->threads.count);
    }
    if (status == CLI_OK && args_given(a, "--record")) {
        status = args_count(c, a, "--record", &w->record);
        if (status == CLI_OK && !args_given(a, "--failures")) {
            return cli_error(c, a->verb, "--record needs --failures DIR");
        }
    }
    w->chunk = w->threads.count == 1 ? CHUNK : CHUNK_THREADS;
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    work w = {.record = 0};
    int status = args_parse(c, cli_verb_pairs.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && args_given(&a, "--example")) {
        return cli_print(c, &a, example);
    }
    if (status != CLI_OK || (status = read_options(c, &a, &w)) != CLI_OK) {
        return status;
    }
    if (a.word_count != 1) {
        return cli_error(c, a.verb, "needs one FILE.csv, or '-', got %d", a.word_count);
    }
    const char *path = a.words[0];
    status = cli_expect(c, path, 1u << OV_FILE_KIND_PAIRS, "a file of pairs");
    FILE *in = status == CLI_OK ? cli_open_input(c, &path) : NULL;
    if (in == NULL) {
        return CLI_BAD_INPUT;
    }
    bool timed = args_given(&a, "--timing");
    w.times = timed ? malloc(sizeof *w.times) : NULL;
    if (!allocate(&w) || (timed && w.times == NULL)) {
        status = cli_error(c, a.verb, "%s", ov_status_message(OV_ERROR_MEMORY));
    } else {
        if (timed) {
            timing_begin(w.times);
        }
        status = run_file(c, &a, &w, path, in);
    }
    release(&w);
    if (in != stdin) {
        fclose(in);
    }
    return status;
}

const cli_verb cli_verb_pairs = {
    .name = "pairs",
    .summary = "contacts of pairs of superovoids, CSV to CSV",
    .usage = "FILE.csv [options]",
    .details =
        "Reads two superovoids with their poses from each row, and writes a row with their\n"
        "contact: status, relation, gap with its proven bounds, witness points, normal from A to\n"
        "B, iterations. The header is that of --example: semi-axes, exponents, taper, position "
        "and\n"
        "quaternion of A, then of B. A bad row gets its status and nan, and the run goes on. The\n"
        "output may replace FILE.csv.\n",
    .examples = "  ovoid pairs --example > pairs.csv\n"
                "  ovoid pairs pairs.csv --tolerance 1e-6 --threads 2 -o contacts.csv\n"
                "  ovoid pairs - --timing < pairs.csv\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
