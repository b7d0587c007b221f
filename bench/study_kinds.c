/**
 * @file study_kinds.c
 * @brief Every kind of pair, measured beside the other libraries: part of `ovoid-bench battery`.
 *
 * The answers are compared with proven bounds of the gap (OV_DEPTH_PROVEN), which Ovoid itself
 * makes: an answer's error is how far it lies outside of them. *failed* counts answers that never
 * came, that contradict the bounds' sign, and gaps that are off by more than KINDS_OFF; of Ovoid
 * itself bounds that do not meet the proven ones. Libraries with a tolerance get PEER_TOLERANCE.
 *
 * Times: all rows in turn, ROUNDS times over all pairs of a part, so that a disturbance hits one
 * round of a row and not the row. The mean is that of groups of GROUP queries between two readings
 * of the clock, median and p99 those of single ones, both less the clock's own time; the best round
 * of each group and each query counts. A row that is slow gets fewer rounds.
 *
 * A row that answers no pair of a kind is left out there: its library does not have the kind.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "battery.h"
#include "kinds.h"

enum { PAIRS_MAX = 1024, ROUNDS = 9, ROUNDS_MIN = 2, GROUP = 16, BATCH = 256, ROWS_MAX = 32 };

static const double own_budget_ns = 1e9, peer_budget_ns = 2e8, peer_tolerance = 1e-6;

/** Gaps that are off the proven bounds by more than this length count as failed. */
#define KINDS_OFF 1e-3

/* ==== the rows ================================================================================ */

typedef enum row_way { COLD, WARM, BATCHED, YES_NO, CAST, PEER } row_way;

typedef struct kinds_row {
    row_way way;
    const peer_method *method; /**< PEER */
    const char *name, *id;
} kinds_row;

typedef struct kinds_table {
    size_t pairs, row_count;
    kinds_row rows[ROWS_MAX];
    double clock_ns;
    battery_figures (*figures)[ROWS_MAX][KINDS_PARTS]; /**< of each kind; count 0: none */
    size_t unproven; /**< pairs whose bounds are further apart than they should be */
} kinds_table;

static void add_rows(kinds_table *t, const bench_peers *peers) {
    static const kinds_row own[] = {
        {COLD, NULL, "Ovoid, cold", "ovoid_cold"},
        {WARM, NULL, "Ovoid, warm", "ovoid_warm"},
        {BATCHED, NULL, "Ovoid, batch, one core", "ovoid_batch"},
        {YES_NO, NULL, "Ovoid, yes or no", "ovoid_yes_no"},
        {CAST, NULL, "Ovoid, cast", "ovoid_cast"},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        t->rows[t->row_count++] = own[i];
    }
    for (size_t i = 0; i < peers->count && t->row_count < ROWS_MAX; i++) {
        const peer_method *m = peers->methods[i];
        if (m->input == PEER_EXACT || m->input == PEER_NATIVE) {
            t->rows[t->row_count++] = (kinds_row){PEER, m, m->name, m->id};
        }
    }
}

/* ==== one kind and part ======================================================================= */

/** One row over the pairs of a part. */
typedef struct run {
    const kinds_table *table;
    const kinds_row *row;
    const kinds_pairs *pairs;
    void *(*objects)[2]; /**< of a peer */
    size_t *asked;       /**< the pairs that it answers */
    size_t asked_count;
    battery_result *results;
    double *groups; /**< best ns of each group */
    double spent;
} run;

/* ---- one query */

/** What it was answered; of a peer the answer, of Ovoid the contact. */
typedef struct answer {
    ov_contact contact;
    ov_answer exceeds;
    ov_status status;
    ov_cast_hit hit;
    peer_answer peer;
} answer;

static void query(const run *r, size_t i, ov_warm_start *warm, answer *out) {
    const ov_pair *p = &r->pairs->pairs[i];
    switch (r->row->way) {
    case COLD:
    case BATCHED:
        ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, NULL, NULL, &out->contact);
        return;
    case WARM:
        ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, NULL, warm, &out->contact);
        return;
    case YES_NO:
        out->status =
            ov_pair_exceeds(p->a, p->pose_a, p->b, p->pose_b, 0.0, NULL, NULL, &out->exceeds);
        return;
    case CAST:
        out->status = ov_shape_cast(p->a, p->pose_a, r->pairs->translations[i], p->b, p->pose_b,
                                    NULL, &out->hit);
        return;
    default:
        out->peer = r->row->method->ask(r->objects[i][0], r->objects[i][1], peer_tolerance);
        return;
    }
}

/* ---- what an answer is worth */

static battery_verdict judge_relation(const run *r, size_t i, bool separated) {
    bool contradicts = separated ? r->pairs->upper[i] < 0.0 : r->pairs->lower[i] > 0.0;
    return contradicts ? VERDICT_WRONG : VERDICT_RIGHT;
}

static double gap_error(const run *r, size_t i, double gap) {
    return fmax(0.0, fmax(r->pairs->lower[i] - gap, gap - r->pairs->upper[i]));
}

static battery_result judge_contact(const run *r, size_t i, const ov_contact *c) {
    if (c->status < 0) {
        return (battery_result){INFINITY, NAN, VERDICT_NONE};
    }
    // both are proven, so that they have a number in common
    bool meets = c->gap_lower <= r->pairs->upper[i] && c->gap_upper >= r->pairs->lower[i];
    battery_verdict verdict = meets ? VERDICT_RIGHT : VERDICT_WRONG;
    if (meets && (c->status > 0 || c->relation == OV_RELATION_UNDECIDED)) {
        verdict = VERDICT_UNDECIDED;
    } else if (meets && c->relation != OV_RELATION_TOUCHING) {
        verdict = judge_relation(r, i, c->relation == OV_RELATION_SEPARATED);
    }
    return (battery_result){INFINITY, c->gap, verdict};
}

static battery_result judge_peer(const run *r, size_t i, peer_answer a) {
    if (a.verdict == PEER_FAILED) {
        return (battery_result){INFINITY, NAN, VERDICT_NONE};
    }
    bool separated = a.verdict == PEER_SEPARATED;
    bool offers = separated ? r->row->method->gives_distance : r->row->method->gives_depth;
    battery_result result = {INFINITY, offers ? a.gap : NAN, judge_relation(r, i, separated)};
    if (isfinite(result.gap) && gap_error(r, i, result.gap) > KINDS_OFF) {
        result.verdict = VERDICT_WRONG;
    }
    return result;
}

/** Free up to the lower fraction, and not beyond the first contact. */
static battery_result judge_cast(const run *r, size_t i, const answer *a) {
    if (a->status < 0) {
        return (battery_result){INFINITY, NAN, VERDICT_NONE};
    }
    const ov_pair *p = &r->pairs->pairs[i];
    double free_to = fmin(a->hit.fraction_lower, 1.0);
    ov_pose there = p->pose_a;
    there.position = ov_vec3_add(there.position, ov_vec3_scale(r->pairs->translations[i], free_to));
    ov_contact c;
    ov_pair_contact(p->a, there, p->b, p->pose_b, NULL, NULL, &c);
    // the place itself is rounded
    bool wrong = c.relation == OV_RELATION_OVERLAPPING && c.gap_upper < -1e-12;
    battery_verdict verdict = wrong           ? VERDICT_WRONG
                              : a->status > 0 ? VERDICT_UNDECIDED
                                              : VERDICT_RIGHT;
    return (battery_result){INFINITY, a->hit.hit ? a->hit.fraction : NAN, verdict};
}

static battery_result judge(const run *r, size_t i, const answer *a) {
    switch (r->row->way) {
    case YES_NO:
        if (a->status < 0) {
            return (battery_result){INFINITY, NAN, VERDICT_NONE};
        }
        return (battery_result){INFINITY, NAN,
                                a->exceeds == OV_ANSWER_UNKNOWN
                                    ? VERDICT_UNDECIDED
                                    : judge_relation(r, i, a->exceeds == OV_ANSWER_YES)};
    case CAST:
        return judge_cast(r, i, a);
    case PEER:
        return judge_peer(r, i, a->peer);
    default:
        return judge_contact(r, i, &a->contact);
    }
}

/* ---- setting up */

static void make_objects(run *r) {
    for (size_t i = 0; i < r->pairs->count; i++) {
        const ov_pair *p = &r->pairs->pairs[i];
        if (p->a->kind == OV_SHAPE_KIND_HALFSPACE) {
            return; // it has no support function
        }
        r->objects[i][0] = bench_object_make(r->row->method, p->a, p->pose_a, 0);
        r->objects[i][1] = bench_object_make(r->row->method, p->b, p->pose_b, 0);
        if (r->objects[i][0] == NULL || r->objects[i][1] == NULL) {
            return; // the library does not have the kind
        }
    }
}

/** One call in the child process. */
static bool try_query(size_t i, void *context) {
    const run *r = context;
    if (r->objects[i][0] != NULL && r->objects[i][1] != NULL) {
        answer a;
        query(r, i, NULL, &a);
    }
    return true;
}

static void ask_batch(const run *r, size_t first, size_t count, ov_contact *contacts) {
    ov_pair_contact_batch(r->pairs->pairs + first, count, NULL, &(ov_threads){.count = 1}, NULL,
                          contacts);
}

/** All answers once, with what they are worth; also notes which pairs are worth asking about. */
static void answer_all(run *r) {
    size_t count = r->pairs->count;
    bool peer = r->row->way == PEER, batch = r->row->way == BATCHED;
    unsigned char *fates = calloc(count + 1, 1);
    ov_contact *contacts = calloc(count + 1, sizeof *contacts);
    if (peer) {
        make_objects(r);
    }
    if (peer && r->row->method->may_abort && fates != NULL) {
        bench_guard(count, try_query, r, false, fates);
    }
    if (batch && contacts != NULL) {
        ask_batch(r, 0, count, contacts);
    }
    for (size_t i = 0; i < count && fates != NULL && contacts != NULL; i++) {
        r->results[i] = (battery_result){INFINITY, NAN, VERDICT_NONE};
        bool there = !peer || (r->objects[i][0] != NULL && r->objects[i][1] != NULL);
        if (!there || fates[i] == CALL_DIED) {
            continue;
        }
        answer a = {.contact = contacts[i]};
        ov_warm_start warm = r->pairs->warm[i];
        if (!batch) {
            query(r, i, &warm, &a);
        }
        r->results[i] = judge(r, i, &a);
        if (r->results[i].verdict != VERDICT_NONE) {
            r->asked[r->asked_count++] = i;
        }
    }
    free(fates);
    free(contacts);
}

static void run_free(run *r) {
    for (size_t i = 0; r->objects != NULL && i < r->pairs->count; i++) {
        for (int k = 0; k < 2; k++) {
            if (r->objects[i][k] != NULL) {
                r->row->method->destroy(r->objects[i][k]);
            }
        }
    }
    free(r->objects);
    free(r->asked);
    free(r->results);
    free(r->groups);
}

static bool run_make(const kinds_table *t, const kinds_row *row, const kinds_pairs *pairs, run *r) {
    *r = (run){.table = t, .row = row, .pairs = pairs};
    r->objects = calloc(pairs->count + 1, sizeof *r->objects);
    r->asked = calloc(pairs->count + 1, sizeof *r->asked);
    r->results = calloc(pairs->count + 1, sizeof *r->results);
    r->groups = calloc(pairs->count + 1, sizeof *r->groups);
    bool good = r->objects != NULL && r->asked != NULL && r->results != NULL && r->groups != NULL;
    for (size_t i = 0; good && i < pairs->count; i++) {
        r->groups[i] = INFINITY;
    }
    return good;
}

/* ---- the clock */

/** Code, bodies and branches as in a loop over many pairs, whatever the other rows did. */
static void warm_up(run *r) {
    for (size_t k = 0; k < r->asked_count; k++) {
        ov_warm_start warm = r->pairs->warm[r->asked[k]];
        answer a;
        query(r, r->asked[k], &warm, &a);
    }
}

static void time_singles(run *r) {
    for (size_t k = 0; k < r->asked_count; k++) {
        size_t i = r->asked[k];
        ov_warm_start warm = r->pairs->warm[i];
        answer a;
        double start = bench_now_ns();
        query(r, i, &warm, &a);
        double ns = bench_now_ns() - start - r->table->clock_ns;
        r->results[i].ns = fmin(r->results[i].ns, fmax(0.0, ns));
    }
}

static void time_groups(run *r) {
    for (size_t first = 0; first < r->asked_count; first += GROUP) {
        size_t left = r->asked_count - first, some = left < GROUP ? left : GROUP;
        ov_warm_start warm[GROUP];
        answer a;
        for (size_t k = 0; k < some; k++) {
            warm[k] = r->pairs->warm[r->asked[first + k]];
        }
        double start = bench_now_ns();
        for (size_t k = 0; k < some; k++) {
            query(r, r->asked[first + k], &warm[k], &a);
        }
        double ns = bench_now_ns() - start - r->table->clock_ns;
        r->groups[first / GROUP] = fmin(r->groups[first / GROUP], fmax(0.0, ns));
    }
}

static void time_batches(run *r) {
    static ov_contact contacts[BATCH];
    for (size_t first = 0; first < r->pairs->count; first += BATCH) {
        size_t left = r->pairs->count - first, some = left < BATCH ? left : BATCH;
        double start = bench_now_ns();
        ask_batch(r, first, some, contacts);
        double ns = bench_now_ns() - start - r->table->clock_ns;
        r->groups[first / BATCH] = fmin(r->groups[first / BATCH], fmax(0.0, ns));
    }
}

static void time_round(run *r) {
    double start = bench_cpu_ns();
    if (r->row->way == BATCHED) {
        time_batches(r);
    } else {
        warm_up(r);
        time_groups(r);
        time_singles(r);
    }
    r->spent += bench_cpu_ns() - start;
}

/* ---- figures */

static battery_figures figure(const run *r) {
    battery_figures f = {.count = r->asked_count > 0 ? r->pairs->count : 0,
                         .hash = BENCH_HASH_START};
    double *ns = calloc(r->pairs->count + 1, sizeof *ns), sum = 0.0;
    size_t timed = 0;
    for (size_t i = 0; i < r->pairs->count && f.count > 0; i++) {
        const battery_result *result = &r->results[i];
        f.failed += result->verdict <= VERDICT_WRONG;
        f.undecided += result->verdict == VERDICT_UNDECIDED;
        bench_hash_gap(&f.hash, result->gap);
        if (ns != NULL && isfinite(result->ns)) {
            ns[timed++] = result->ns;
        }
        if (isfinite(result->gap) && r->row->way != CAST) {
            double error = gap_error(r, i, result->gap);
            f.gaps++;
            f.mean_error += error;
            f.worst_error = fmax(f.worst_error, error);
        }
    }
    for (size_t g = 0; g < r->pairs->count && isfinite(r->groups[g]); g++) {
        sum += r->groups[g];
    }
    f.mean = f.count > 0 ? sum / (double)r->asked_count : NAN;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    bench_figures times = bench_figure(ns, timed);
    f.median = times.median;
    f.p99 = times.p99;
    free(ns);
    return f;
}

static bool measure_part(kinds_table *t, size_t kind, kinds_part part, uint64_t seed) {
    kinds_pairs pairs;
    run runs[ROWS_MAX] = {{0}};
    bool good = kinds_draw(&kinds_list[kind], part, t->pairs, seed, &pairs);
    t->unproven += good ? pairs.unproven : 0;
    for (size_t i = 0; i < t->row_count && good; i++) {
        good = run_make(t, &t->rows[i], &pairs, &runs[i]);
        bool cast = kinds_list[kind].cast && part == KINDS_SEPARATED;
        if (good && (t->rows[i].way != CAST || cast)) {
            answer_all(&runs[i]);
        }
    }
    for (int round = 0; round < ROUNDS && good; round++) {
        for (size_t i = 0; i < t->row_count; i++) {
            double budget = t->rows[i].way == PEER ? peer_budget_ns : own_budget_ns;
            if (round < ROUNDS_MIN || runs[i].spent < budget) {
                time_round(&runs[i]);
            }
        }
    }
    for (size_t i = 0; i < t->row_count; i++) {
        if (good) {
            t->figures[kind][i][part] = figure(&runs[i]);
        }
        run_free(&runs[i]);
    }
    kinds_free(&pairs);
    return good;
}

/* ==== the report ============================================================================== */

/* ---- all rows of a kind */

static void print_kind(FILE *out, const kinds_table *t, size_t kind) {
    fprintf(out, "\n%-40s", kinds_list[kind].name);
    for (int part = 0; part < KINDS_PARTS; part++) {
        fprintf(out, " | %-33s", kinds_part_names[part]);
    }
    fprintf(out, "\n%-40s", "");
    for (int part = 0; part < KINDS_PARTS; part++) {
        fprintf(out, " | %8s %8s %6s %8s", "mean us", "p99", "failed", "error");
    }
    fputc('\n', out);
    for (size_t i = 0; i < t->row_count; i++) {
        const battery_figures *f = t->figures[kind][i];
        if (f[0].count + f[1].count + f[2].count == 0) {
            continue;
        }
        fprintf(out, "%-40s", t->rows[i].name);
        for (int part = 0; part < KINDS_PARTS; part++) {
            fputs(" |", out);
            bench_cell(out, 8, "%.3f", f[part].count > 0 ? f[part].mean * 1e-3 : NAN);
            bench_cell(out, 8, "%.3f", f[part].count > 0 ? f[part].p99 * 1e-3 : NAN);
            bench_cell(out, 6, "%.0f", f[part].count > 0 ? (double)f[part].failed : NAN);
            bench_cell(out, 8, "%.0e", f[part].count > 0 ? f[part].worst_error : NAN);
        }
        fputc('\n', out);
    }
}

/* ---- Ovoid beside the best of the others */

/** Does the row give the answer that Ovoid gives, to nearly all of the pairs? */
static bool is_rival(const kinds_table *t, size_t kind, size_t i, int part, bool yes_no) {
    const kinds_row *row = &t->rows[i];
    const battery_figures *f = &t->figures[kind][i][part];
    if (row->way != PEER || f->count == 0 || f->failed * 100 > f->count) {
        return false;
    }
    return yes_no ||
           (part == KINDS_OVERLAPPING ? row->method->gives_depth : row->method->gives_distance);
}

static size_t best_rival(const kinds_table *t, size_t kind, int part, bool yes_no) {
    size_t best = t->row_count;
    for (size_t i = 0; i < t->row_count; i++) {
        if (is_rival(t, kind, i, part, yes_no) &&
            (best == t->row_count ||
             t->figures[kind][i][part].mean < t->figures[kind][best][part].mean)) {
            best = i;
        }
    }
    return best;
}

static void print_summary(FILE *out, const kinds_table *t, bool yes_no) {
    size_t own = yes_no ? YES_NO : COLD;
    fprintf(out,
            "\n%s: mean us, share solved, and the quickest of the others that fails at most "
            "1 %%\n%-26s",
            yes_no ? "Yes or no" : "Gap, depth and witness points", "");
    for (int part = 0; part < KINDS_PARTS; part++) {
        fprintf(out, " | %-44s", kinds_part_names[part]);
    }
    fputc('\n', out);
    for (size_t kind = 0; kind < kinds_count; kind++) {
        fprintf(out, "%-26s", kinds_list[kind].name);
        for (int part = 0; part < KINDS_PARTS; part++) {
            const battery_figures *f = &t->figures[kind][own][part];
            size_t rival = best_rival(t, kind, part, yes_no), n = f->count > 0 ? f->count : 1;
            double solved = 100.0 - 100.0 * (double)(f->failed + f->undecided) / (double)n;
            fprintf(out, " | %7.3f %5.1f%%", f->mean * 1e-3, solved);
            if (rival < t->row_count) {
                fprintf(out, " %7.2f %-21s", t->figures[kind][rival][part].mean * 1e-3,
                        t->rows[rival].id);
            } else {
                fprintf(out, " %7s %-21s", "-", "");
            }
        }
        fputc('\n', out);
    }
}

static void print_casts(FILE *out, const kinds_table *t) {
    fprintf(out, "\n%-26s %9s %9s %9s %9s %9s\n", "Casts", "mean us", "median", "p99", "failed",
            "undecided");
    for (size_t kind = 0; kind < kinds_count; kind++) {
        const battery_figures *f = &t->figures[kind][CAST][KINDS_SEPARATED];
        if (f->count > 0) {
            fprintf(out, "%-26s %9.3f %9.3f %9.3f %9zu %9zu\n", kinds_list[kind].name,
                    f->mean * 1e-3, f->median * 1e-3, f->p99 * 1e-3, f->failed, f->undecided);
        }
    }
}

/* ---- goals */

typedef enum goal_figure { MEAN_US, P99_US, UNSOLVED } goal_figure;

/** At most so much of a figure. */
typedef struct kinds_goal {
    const char *kind;
    kinds_part part;
    row_way way;
    goal_figure figure;
    double limit;
} kinds_goal;

#define SEP KINDS_SEPARATED
#define OVER KINDS_OVERLAPPING
#define NEAR KINDS_NEAR

static const kinds_goal goals[] = {
    {"capsules", SEP, COLD, MEAN_US, 0.09},
    {"capsules", OVER, COLD, MEAN_US, 0.09},
    {"boxes", SEP, COLD, MEAN_US, 0.35},
    {"boxes", OVER, COLD, MEAN_US, 1.2},
    {"boxes", NEAR, COLD, MEAN_US, 0.5},
    {"cylinders", SEP, COLD, MEAN_US, 1.2},
    {"cylinders", OVER, COLD, MEAN_US, 5.0},
    {"cylinders", NEAR, COLD, MEAN_US, 1.8},
    {"cylinders", OVER, COLD, UNSOLVED, 0.0},
    {"cones", SEP, COLD, MEAN_US, 1.2},
    {"cones", OVER, COLD, MEAN_US, 5.0},
    {"cones", NEAR, COLD, MEAN_US, 1.8},
    {"cones", OVER, COLD, UNSOLVED, 0.0},
    {"polyhedra of 100", SEP, COLD, MEAN_US, 1.2},
    {"polyhedra of 100", SEP, WARM, MEAN_US, 0.5},
    {"polyhedra of 100", OVER, COLD, MEAN_US, 8.0},
    {"polyhedra of 1000", SEP, COLD, MEAN_US, 2.5},
    {"polyhedra of 1000", SEP, WARM, MEAN_US, 0.8},
    {"polyhedra of 1000", OVER, COLD, MEAN_US, 25.0},
    {"ellipsoid and box", SEP, COLD, MEAN_US, 1.2},
    {"ellipsoid and box", OVER, COLD, MEAN_US, 5.0},
    {"ellipsoid and box", NEAR, COLD, MEAN_US, 1.8},
    {"capsule and box", SEP, COLD, MEAN_US, 0.4},
    {"capsule and box", OVER, COLD, MEAN_US, 1.5},
    {"ellipsoids", SEP, COLD, MEAN_US, 0.5},
    {"ellipsoids", SEP, BATCHED, MEAN_US, 0.2},
    {"boxes", SEP, YES_NO, MEAN_US, 0.08},
    {"boxes", OVER, YES_NO, MEAN_US, 0.2},
    {"capsules", SEP, YES_NO, MEAN_US, 0.06},
    {"capsules", OVER, YES_NO, MEAN_US, 0.06},
    {"ellipsoids", SEP, YES_NO, MEAN_US, 0.15},
    {"superovoids", SEP, COLD, MEAN_US, 1.4},
    {"superovoids", SEP, COLD, P99_US, 6.0},
    {"superovoids", SEP, WARM, MEAN_US, 0.7},
    {"superovoids", SEP, BATCHED, MEAN_US, 0.5},
    {"superovoids", OVER, BATCHED, MEAN_US, 2.0},
    {"deep superovoids", OVER, COLD, MEAN_US, 8.0},
    {"deep superovoids", OVER, COLD, P99_US, 40.0},
    {"superovoids", SEP, CAST, MEAN_US, 6.0},
    {"ellipsoid and box", SEP, CAST, MEAN_US, 8.0},
};

#undef SEP
#undef OVER
#undef NEAR

static const battery_figures *figures_of(const kinds_table *t, const kinds_goal *g) {
    for (size_t kind = 0; kind < kinds_count; kind++) {
        if (strcmp(kinds_list[kind].name, g->kind) == 0) {
            return &t->figures[kind][g->way][g->part];
        }
    }
    return NULL;
}

static double measured_of(const kinds_goal *g, const battery_figures *f) {
    switch (g->figure) {
    case MEAN_US:
        return f->mean * 1e-3;
    case P99_US:
        return f->p99 * 1e-3;
    default:
        return (double)(f->failed + f->undecided);
    }
}

static void print_goals(FILE *out, const kinds_table *t) {
    static const char *const words[] = {"mean us", "p99 us", "not solved"};
    enum { WIDTH = 58 };
    fprintf(out, "\nGoals of the kinds%57s\n", "goal    measured");
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        const kinds_goal *g = &goals[i];
        const battery_figures *f = figures_of(t, g);
        char what[80];
        // the name of a row is that of Ovoid and the way
        snprintf(what, sizeof what, "%s, %s, %s: %s", g->kind,
                 g->way == CAST ? "apart" : kinds_part_names[g->part],
                 t->rows[g->way].name + strlen("Ovoid, "), words[g->figure]);
        if (f != NULL) {
            bench_goal(out, WIDTH, what, g->limit, true, measured_of(g, f));
        }
    }
}

/* ---- CSV */

static void write_name(FILE *out, const char *name) {
    fputs("kind:", out);
    for (const char *c = name; *c != '\0'; c++) {
        fputc(*c == ' ' ? '-' : *c, out);
    }
}

static void write_csv(FILE *out, const kinds_table *t) {
    for (size_t kind = 0; kind < kinds_count; kind++) {
        for (int part = 0; part < KINDS_PARTS; part++) {
            for (size_t i = 0; i < t->row_count; i++) {
                const battery_figures *f = &t->figures[kind][i][part];
                if (f->count > 0) {
                    write_name(out, kinds_list[kind].name);
                    battery_write_row(out, kinds_part_names[part], t->rows[i].id, 0,
                                      t->rows[i].way == PEER ? peer_tolerance : NAN, f,
                                      t->figures[kind][COLD][part].mean);
                }
            }
        }
    }
}

/* ==== the table */

int kinds_measure(cli *c, const bench_job *job) {
    kinds_table *t = calloc(1, sizeof *t);
    bool good = t != NULL;
    if (good) {
        t->pairs = job->pairs < PAIRS_MAX ? job->pairs : PAIRS_MAX;
        t->clock_ns = bench_clock_ns();
        t->figures = calloc(kinds_count, sizeof *t->figures);
        add_rows(t, job->peers);
        good = t->figures != NULL;
    }
    for (size_t k = 0; good && k < kinds_count * KINDS_PARTS; k++) {
        bench_show(job->progress, "parts of kinds", k, kinds_count * KINDS_PARTS);
        good = measure_part(t, k / KINDS_PARTS, (kinds_part)(k % KINDS_PARTS), job->seed);
    }
    if (good) {
        progress_end(job->progress->user);
        fprintf(c->out,
                "Kinds of pairs: %zu of each kind and part, seed %zu; near: up to 1e-3 apart.\n"
                "Errors are against proven bounds, which of %zu pairs are further "
                "apart than 1e-6. Times: best of up to %d\nrounds, less %.0f ns of the clock; "
                "tolerance of Ovoid 1e-9, global depth; of the others 1e-6.\n",
                t->pairs, job->seed, t->unproven, ROUNDS, t->clock_ns);
        for (size_t kind = 0; kind < kinds_count; kind++) {
            print_kind(c->out, t, kind);
        }
        print_summary(c->out, t, false);
        print_summary(c->out, t, true);
        print_casts(c->out, t);
        print_goals(c->out, t);
    }
    if (good && job->csv != NULL) {
        write_csv(job->csv, t);
    }
    if (t != NULL) {
        free(t->figures);
    }
    free(t);
    return good ? CLI_OK : bench_no_memory(c, "battery");
}
