/**
 * @file verb_replay.c
 * @brief `ovoid replay`: runs saved queries again and compares the answers, to the bit.
 */
#include <math.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "options.h"
#include "table.h"

static const args_option options[] = {SHARED_OUTPUT};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

enum { NUMBERS = 12 };

static const char *const names[NUMBERS] = {"gap",       "gap_lower", "gap_upper", "point_a.x",
                                           "point_a.y", "point_a.z", "point_b.x", "point_b.y",
                                           "point_b.z", "normal.x",  "normal.y",  "normal.z"};

static void numbers_of(const ov_contact *c, double *v) {
    const double all[NUMBERS] = {c->gap,       c->gap_lower, c->gap_upper, c->point_a.x,
                                 c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y,
                                 c->point_b.z, c->normal.x,  c->normal.y,  c->normal.z};
    memcpy(v, all, sizeof all);
}

/** Equal bits, or both no number. */
static bool is_same(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void print_word(FILE *out, const char *name, const char *now, const char *seen) {
    fprintf(out, "  %-10s  %s", name, now);
    if (strcmp(now, seen) != 0) {
        fprintf(out, "  (was %s)", seen);
    }
    fputc('\n', out);
}

static void print_number(FILE *out, const char *name, double now, double seen) {
    // a NaN may carry a sign, which says nothing
    now = isnan(now) ? (double)NAN : now;
    char text[OV_NUMBER_TEXT_MAX];
    fprintf(out, "  %-10s  %-24a  %s", name, now, ov_number_text(now, text));
    if (!is_same(now, seen)) {
        fprintf(out, "  (was %a  %s)", seen, ov_number_text(seen, text));
    }
    fputc('\n', out);
}

static void print_contact(FILE *out, const char *path, const ov_replay *r, const ov_contact *now) {
    char count[32], seen_count[32];
    double v[NUMBERS], seen[NUMBERS];
    numbers_of(now, v);
    numbers_of(&r->contact, seen);
    fprintf(out, "%s: %s and %s, tolerance %g, depth %s%s%s\n", path, ov_shape_kind_name(r->a.kind),
            ov_shape_kind_name(r->b.kind), r->options.tolerance, ov_depth_name(r->options.depth),
            r->batch ? ", from a batch" : "", r->has_warm ? ", with a warm start" : "");
    snprintf(count, sizeof count, "%d", now->iterations);
    snprintf(seen_count, sizeof seen_count, "%d", r->contact.iterations);
    print_word(out, "status", ov_status_name(now->status), ov_status_name(r->contact.status));
    print_word(out, "relation", ov_relation_name(now->relation),
               ov_relation_name(r->contact.relation));
    print_word(out, "iterations", count, seen_count);
    bool same = now->status == r->contact.status && now->relation == r->contact.relation &&
                now->iterations == r->contact.iterations;
    for (int i = 0; i < NUMBERS; i++) {
        print_number(out, names[i], v[i], seen[i]);
        same = same && is_same(v[i], seen[i]);
    }
    fprintf(out, "  %s\n",
            same ? "the same answer as saved, to the bit"
                 : "not the same answer as saved: see what it was");
}

static int replay_file(cli *c, FILE *out, const char *path) {
    ov_fault wrong;
    ov_replay *replay;
    ov_contact now;
    int expected = cli_expect(c, path, 1u << OV_FILE_KIND_REPLAY, "a replay");
    FILE *in = expected == CLI_OK ? cli_open_input(c, &path) : NULL;
    if (in == NULL) {
        return CLI_BAD_INPUT;
    }
    ov_status status = ov_replay_read_stream(in, &replay, &wrong);
    if (in != stdin) {
        fclose(in);
    }
    if (status < 0) {
        return cli_file_error(c, path, &wrong);
    }
    status = ov_replay_run(replay, &now);
    print_contact(out, path, replay, &now);
    ov_replay_destroy(replay);
    return status == OV_OK ? CLI_OK : CLI_CHECK_FAILED;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    report r;
    int status = args_parse(c, cli_verb_replay.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = report_read(c, &a, &r)) != CLI_OK) {
        return status;
    }
    if (a.word_count == 0) {
        return cli_error(c, a.verb, "no file; see 'ovoid replay --help'");
    }
    status = report_open(c, &r);
    for (int i = 0; i < a.word_count && status != CLI_BAD_INPUT; i++) {
        int one = replay_file(c, r.out.stream, a.words[i]);
        status = one > status ? one : status;
    }
    return report_close(c, &r, status);
}

const cli_verb cli_verb_replay = {
    .name = "replay",
    .summary = "runs saved queries again",
    .usage = "FILE... [options]",
    .details =
        "Runs queries that 'ovoid pairs' or 'ovoid contact' saved with --failures, from exactly\n"
        "the same input, and prints each answer with hexadecimal numbers (which are exact) and\n"
        "decimal ones. Where an answer differs from the saved one, that is printed as well.\n"
        "Exit status 1 if a query is still not solved.\n",
    .examples = "  ovoid contact --example > scene.json\n"
                "  ovoid contact scene.json --failures saved --record egg brick > table.txt\n"
                "  ovoid replay saved/contact-1-2.replay\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
