/*
 * ovoid-hunt: looks for broken promises of the library, against an oracle that shares no code with
 * it (oracle.h). Not part of the daily run; ctest only looks that it still works.
 *
 *     cmake --build build/release --target ovoid-hunt
 *     build/release/tests/ovoid-hunt pairs   --count 10000000 -j 2
 *     build/release/tests/ovoid-hunt support --count 1000000 -j 2
 *     build/release/tests/ovoid-hunt sweeps  --count 100000 -j 2
 *     build/release/tests/ovoid-hunt casts   --count 100000 -j 2
 *
 *     --count N   pair queries, support values, sweeps or casts, all processes together
 *     --seed S    of all random numbers (1); the same seed draws the same work
 *     -j N        processes (1)
 *     --show N    reports of each kind of finding that a process prints (5)
 *     --only U    unit U alone: the one that a report names
 *     --rounding-refusal   a rounding mode other than to nearest may be refused
 *
 * Prints each finding with the C text of its shapes and poses at full precision, then the figures.
 * Exit status 0: nothing found, 1: something, 2: bad usage.
 *
 * What a finding is proven by, and what is unsure, stands at the head of each hunt's file.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hunt.h"

static const char *const finding_texts[FINDINGS] = {
    [FINDING_REFUSED] = "valid input refused",
    [FINDING_NAN] = "a number that is not finite, with a status that is no error",
    [FINDING_CROSSED] = "gap outside of its bounds, or bounds crossed",
    [FINDING_NORMAL] = "normal is no unit vector",
    [FINDING_LOWER] = "gap_lower is above the gap",
    [FINDING_LOWER_NORMAL] = "gap_lower is not reached along the normal",
    [FINDING_UPPER] = "gap_upper is below the gap",
    [FINDING_RELATION] = "relation does not follow from the bounds",
    [FINDING_WIDE] = "solved, but the bounds are wider than the tolerance",
    [FINDING_POINT_OFF] = "witness point is not on its body",
    [FINDING_POINT_BELOW] = "witness point is not on the surface",
    [FINDING_POINTS_GAP] = "gap, normal and witness points do not belong together",
    [FINDING_POINTS_FAR] = "witness points are further apart than gap_upper",
    [FINDING_DISAGREE] = "two answers about one pair exclude each other",
    [FINDING_YES] = "false YES: the gap does not exceed the limit",
    [FINDING_NO] = "false NO: the gap exceeds the limit",
    [FINDING_UNKNOWN] = "UNKNOWN far from the limit",
    [FINDING_BATCH] = "a batch ends with another status than the query alone",
    [FINDING_SUPPORT_LOW] = "a surface point is above the support value",
    [FINDING_SUPPORT_HIGH] = "the support value is not reached by its point",
    [FINDING_SUPPORT_POINT] = "the support point is not on the body",
    [FINDING_FREE] = "false FREE: bodies meet",
    [FINDING_EARLY] = "bodies meet before what is proven free",
    [FINDING_NO_CONTACT] = "a proven contact is none",
    [FINDING_PROMISE] = "clear by more than twice epsilon, not shown free",
};

static const char *const figure_texts[FIGURES] = {
    [FIGURE_CASES] = "pairs of placed shapes",
    [FIGURE_QUERIES] = "pair queries",
    [FIGURE_DIRECTED] = "  in other rounding modes",
    [FIGURE_SEPARATED] = "  separated",
    [FIGURE_OVERLAPPING] = "  overlapping",
    [FIGURE_TOUCHING] = "  touching",
    [FIGURE_UNDECIDED] = "  undecided",
    [FIGURE_NOT_CONVERGED] = "  not converged",
    [FIGURE_LIMITS] = "  limits",
    [FIGURE_UNKNOWN] = "    unknown",
    [FIGURE_BATCHED] = "  in batches",
    [FIGURE_PROVEN_BOTH] = "pairs whose gap the oracle encloses to 1e-9",
    [FIGURE_UNSURE] = "unsure: off by less than the oracle's own error",
    [FIGURE_SHAPES_REFUSED] = "shapes refused: dent, degenerate, size",
    [FIGURE_ROUNDING_REFUSED] = "rounding modes refused",
    [FIGURE_SHALLOW] = "global depths that are not the least (no claim)",
    [FIGURE_SUPPORTS] = "support values",
    [FIGURE_SWEEPS] = "sweeps",
    [FIGURE_FREE] = "  free",
    [FIGURE_CONTACT] = "  contact",
    [FIGURE_SWEEP_UNDECIDED] = "  undecided",
    [FIGURE_CASTS] = "casts of shapes and rays",
    [FIGURE_HITS] = "  hits",
    [FIGURE_MISSES] = "  misses",
    [FIGURE_CAST_UNDECIDED] = "  undecided",
};

typedef struct kind_of_hunt {
    const char *name;
    void (*unit)(hunt *h);
    figure counts;
    uint64_t count;
} kind_of_hunt;

static const kind_of_hunt hunts[] = {
    {"pairs", hunt_pairs_unit, FIGURE_QUERIES, 100000},
    {"support", hunt_support_unit, FIGURE_SUPPORTS, 20000},
    {"sweeps", hunt_sweeps_unit, FIGURE_SWEEPS, 1000},
    {"casts", hunt_casts_unit, FIGURE_CASTS, 10000},
};
enum { HUNTS = sizeof hunts / sizeof hunts[0] };

/* ---- reports --------------------------------------------------------------------------------- */

static char *report_text;
static size_t report_size;

void figure_add(hunt *h, figure what, uint64_t count) { h->tally->figures[what] += count; }

FILE *finding_begin(hunt *h, finding what, bool directed, double excess) {
    tally *t = h->tally;
    t->findings[what][directed]++;
    t->worst[what][directed] = fmax(t->worst[what][directed], excess);
    if (t->printed[what][directed] >= h->options->show) {
        return NULL;
    }
    t->printed[what][directed]++;
    FILE *f = open_memstream(&report_text, &report_size);
    if (f != NULL) {
        fprintf(f, "FOUND %s%s, by %.3g of the size (seed %" PRIu64 ", unit %" PRIu64 ")\n",
                finding_texts[what], directed ? ", rounding mode" : "", excess, h->options->seed,
                h->unit);
    }
    return f;
}

void finding_end(FILE *report) {
    if (report == NULL) {
        return;
    }
    fclose(report);
    for (size_t done = 0; done < report_size;) {
        ssize_t n = write(STDOUT_FILENO, report_text + done, report_size - done);
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    free(report_text);
    report_text = NULL;
}

/* ---- processes ------------------------------------------------------------------------------- */

/** Every n-th unit, until this process has its share. */
static void work(const kind_of_hunt *kind, const hunt_options *o, unsigned process, tally *t) {
    hunt h = {o, process, t};
    uint64_t share = (o->count + o->processes - 1) / o->processes;
    if (o->has_only) {
        h.unit = t->unit = o->only;
        kind->unit(&h);
        return;
    }
    for (; t->figures[kind->counts] < share; h.unit += o->processes) {
        t->unit = h.unit;
        kind->unit(&h);
    }
}

static void print_tally(const tally *t) {
    for (int i = 0; i < FIGURES; i++) {
        if (t->figures[i] > 0) {
            printf("%12" PRIu64 "  %s\n", t->figures[i], figure_texts[i]);
        }
    }
    for (int i = 0; i < FINDINGS; i++) {
        for (int directed = 0; directed < 2; directed++) {
            if (t->findings[i][directed] > 0) {
                printf("%12" PRIu64 "  FOUND %s%s, worst %.3g\n", t->findings[i][directed],
                       finding_texts[i], directed ? ", rounding mode" : "", t->worst[i][directed]);
            }
        }
    }
}

static uint64_t add_tally(const tally *from, tally *to) {
    uint64_t found = 0;
    for (int i = 0; i < FIGURES; i++) {
        to->figures[i] += from->figures[i];
    }
    for (int i = 0; i < FINDINGS; i++) {
        for (int k = 0; k < 2; k++) {
            found += from->findings[i][k];
            to->findings[i][k] += from->findings[i][k];
            to->worst[i][k] = fmax(to->worst[i][k], from->worst[i][k]);
        }
    }
    return found;
}

static int run(const kind_of_hunt *kind, const hunt_options *o) {
    size_t size = o->processes * sizeof(tally);
    tally *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *pids = calloc(o->processes, sizeof *pids);
    if (shared == MAP_FAILED || pids == NULL) {
        perror("ovoid-hunt");
        return 2;
    }
    memset(shared, 0, size);
    for (unsigned i = 0; i < o->processes; i++) {
        pids[i] = o->has_only ? 0 : fork();
        if (pids[i] == 0) {
            work(kind, o, i, &shared[i]);
            if (!o->has_only) {
                _exit(0);
            }
        } else if (pids[i] < 0) {
            perror("ovoid-hunt");
            return 2;
        }
    }
    tally all = {0};
    uint64_t found = 0;
    for (unsigned i = 0; i < o->processes; i++) {
        int status = 0;
        if (!o->has_only && (waitpid(pids[i], &status, 0) < 0 || status != 0)) {
            printf("FOUND a crash (wait status %d) in unit %" PRIu64 "\n", status, shared[i].unit);
            found++;
        }
        found += add_tally(&shared[i], &all);
    }
    printf("%s, seed %" PRIu64 ":\n", kind->name, o->seed);
    print_tally(&all);
    printf("%12" PRIu64 "  findings\n", found);
    free(pids);
    munmap(shared, size);
    return found > 0 ? 1 : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int usage(const char *what) {
    fprintf(stderr,
            "ovoid-hunt: %s\n"
            "usage: ovoid-hunt pairs|support|sweeps|casts [--count N] [--seed S] [-j N] [--show N] "
            "[--only UNIT] [--rounding-refusal]\n",
            what);
    return 2;
}

static bool read_number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = text != NULL ? strtoull(text, &end, 10) : 0;
    return text != NULL && errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

int main(int argc, char **argv) {
    const kind_of_hunt *kind = NULL;
    for (int i = 0; i < HUNTS && argc > 1; i++) {
        kind = strcmp(argv[1], hunts[i].name) == 0 ? &hunts[i] : kind;
    }
    if (kind == NULL) {
        return usage("which hunt?");
    }
    hunt_options o = {.seed = 1, .count = kind->count, .processes = 1, .show = 5};
    for (int i = 2; i < argc; i++) {
        uint64_t n = 0;
        if (strcmp(argv[i], "--rounding-refusal") == 0) {
            o.rounding_refusal_ok = true;
            continue;
        }
        if (i + 1 == argc || !read_number(argv[i + 1], &n)) {
            return usage("an option needs a number");
        }
        if (strcmp(argv[i], "--count") == 0) {
            o.count = n;
        } else if (strcmp(argv[i], "--seed") == 0) {
            o.seed = n;
        } else if (strcmp(argv[i], "-j") == 0 && n >= 1 && n <= 256) {
            o.processes = (unsigned)n;
        } else if (strcmp(argv[i], "--show") == 0 && n <= 1000000) {
            o.show = (unsigned)n;
        } else if (strcmp(argv[i], "--only") == 0) {
            o.only = n;
            o.has_only = true;
        } else {
            return usage("unknown option, or a number out of range");
        }
        i++;
    }
    o.processes = o.has_only ? 1 : o.processes;
    return run(kind, &o);
}
