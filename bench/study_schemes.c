/**
 * @file study_schemes.c
 * @brief The published schemes on the battery of superovoids [Benchmark, 5.1, 6.1, Tables 1 to 3]:
 * `ovoid-bench battery-schemes`.
 *
 * The four Newton schemes as published; with the analytic Jacobian; with all rescues of [Thesis,
 * 1.4.1] beside it; and with their defects mended as well. One from its last answer (temporal
 * coherence); the discrete method, meshes of 290 vertices, and the two optimisers of [Portal].
 * Ovoid's cold query comes last. As in battery.c the rows take turns over blocks of pairs, one
 * query at a time between two readings of the clock, and the best of three rounds counts. The
 * interior point method takes tens of milliseconds per pair: it gets one round of a sample, and the
 * table says so. Times of a scheme are its own readings of the clock, which leave out the making of
 * meshes, as the paper does, and of nodes.
 *
 * In the tables, times, iterations and errors are over the pairs that a row says it solved. The
 * paper tells of no failures, so its figures can only be those; it also keeps a scheme from paying
 * for the steps that led nowhere. The printed times are those of the paper's machine. Table 3 of
 * the paper has words. Its rules here: the places by mean time; a spread is high where the standard
 * deviation exceeds the mean; memory is high from a kilobyte on, accuracy where the median error is
 * at most 1e-5.
 */
#ifdef OVOID_SCHEMES

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/schemes.h>

#include "battery.h"

/* ---- the battery of the schemes */

typedef enum schemes_way {
    SCHEMES_SCHEME,
    SCHEMES_COLLIDE, /**< FCL's yes or no on meshes, of the peers */
    SCHEMES_WARM,    /**< Ovoid from the solved state of poses 1 % away */
    SCHEMES_COLD     /**< Ovoid */
} schemes_way;

/** What a row answered about one pair. */
typedef struct schemes_result {
    bool asked;
    double start_ns, total_ns; /**< NaN: not known */
    double gap;                /**< NaN where there is none */
    int iterations, restarts;
    ov_status status;
    bool right; /**< solved, and the gap is that of the reference, but for dents */
} schemes_result;

typedef struct schemes_row {
    schemes_way way;
    ov_scheme scheme;
    ov_scheme_options options;
    bool from_last;   /**< temporal coherence: from the answer to poses 1 % away */
    bool tessellated; /**< answers for a polyhedron in place of the body */
    int rounds;       /**< the best of so many counts */
    size_t sample;    /**< so many pairs of each part only; 0: all */
    char name[64], id[48];
    schemes_result *results; /**< one per pair */
} schemes_row;

enum { SCHEMES_ROWS_MAX = 32 };

typedef struct schemes_table {
    const battery_cases *cases;
    schemes_row rows[SCHEMES_ROWS_MAX]; /**< Ovoid's cold query is the last */
    size_t row_count;
    double clock_ns;
    char missing[256]; /**< schemes that were not built, with their packages; or empty */
} schemes_table;

typedef struct schemes_spread {
    double mean, sd;
} schemes_spread;

/**
 * Figures of one row over one part. Times (ns) and iterations are over the pairs that the row says
 * it solved, as the paper's must be; so are the errors, the wrong ones among them included.
 */
typedef struct schemes_figures {
    size_t asked, solved;
    size_t not_converged; /**< its own word, or no answer */
    size_t off;           /**< solved, but off by more than BATTERY_RIGHT and the dents */
    size_t dents;         /**< solved, and off by no more than the dents */
    size_t wrong_side;    /**< solved, but separated for overlapping or the other way */
    size_t alone;         /**< right where Ovoid is not */
    size_t restarts;
    schemes_spread start, total, iterations;
    double per_iteration;
    double all_mean; /**< total time over all pairs, solved or not */
    double mean_error, median_error, worst_error;
    uint64_t hash; /**< of all gaps */
} schemes_figures;

/* ==== the measuring =========================================================================== */

enum { BLOCK = 16, ROUNDS = 3, VERTICES = 290 };

/* ---- the rows */

static schemes_row *add_row(schemes_table *t, schemes_way way, const char *name, const char *id) {
    if (t->row_count == SCHEMES_ROWS_MAX) {
        return NULL;
    }
    schemes_row *row = &t->rows[t->row_count];
    *row = (schemes_row){.way = way, .scheme = OV_SCHEME_COUNT, .rounds = ROUNDS};
    row->options = ov_default_scheme_options();
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->id, sizeof row->id, "%s", id);
    row->results = calloc(t->cases->count + 1, sizeof *row->results);
    if (row->results == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < t->cases->count; i++) {
        row->results[i] = (schemes_result){.start_ns = NAN, .total_ns = NAN, .gap = NAN};
    }
    t->row_count++;
    return row;
}

/** Names a scheme that is missing, once. */
static void note_missing(schemes_table *t, ov_scheme scheme) {
    size_t used = strlen(t->missing);
    const char *name = ov_scheme_name(scheme);
    if (strstr(t->missing, name) == NULL) {
        snprintf(t->missing + used, sizeof t->missing - used, "%s%s (%s)", used > 0 ? ", " : "",
                 name, ov_scheme_missing(scheme));
    }
}

/** The row of a scheme; a scheme that was not built is noted and left out. */
static bool add_scheme(schemes_table *t, ov_scheme scheme, const char *what, const char *id,
                       const schemes_row *like) {
    if (ov_scheme_missing(scheme) != NULL) {
        note_missing(t, scheme);
        return true;
    }
    char name[64], whole[48];
    snprintf(name, sizeof name, "%s%s", ov_scheme_name(scheme), what);
    snprintf(whole, sizeof whole, "%s%s", ov_scheme_name(scheme), id);
    schemes_row *row = add_row(t, SCHEMES_SCHEME, name, whole);
    if (row == NULL) {
        return false;
    }
    row->scheme = scheme;
    row->options = like->options;
    row->from_last = like->from_last;
    row->tessellated = like->tessellated;
    row->rounds = like->rounds;
    row->sample = like->sample;
    return true;
}

static bool add_newton(schemes_table *t) {
    schemes_row plain = {.rounds = ROUNDS, .options = ov_default_scheme_options()};
    schemes_row analytic = plain, rescued, mended;
    analytic.options.jacobian = OV_JACOBIAN_ANALYTIC;
    rescued = analytic;
    rescued.options.rescue = OV_RESCUE_BISECTION | OV_RESCUE_REGULA_FALSI | OV_RESCUE_DEEPER;
    mended = rescued;
    mended.options.mended = true;
    bool good = true;
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC && good; s++) {
        good = add_scheme(t, (ov_scheme)s, ", differences", "_differences", &plain);
    }
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC && good; s++) {
        good = add_scheme(t, (ov_scheme)s, ", analytic", "_analytic", &analytic);
    }
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC && good; s++) {
        good = add_scheme(t, (ov_scheme)s, ", analytic, rescues", "_rescues", &rescued);
    }
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC && good; s++) {
        good = add_scheme(t, (ov_scheme)s, ", analytic, rescues, mended", "_mended", &mended);
    }
    analytic.from_last = true;
    return good &&
           add_scheme(t, OV_SCHEME_QUAD_IMPLICIT, ", analytic, from the last", "_last", &analytic);
}

static const peer_method *mesh_collide(const bench_peers *peers) {
    for (size_t i = 0; i < peers->count; i++) {
        if (peers->methods[i]->input == PEER_MESH && !peers->methods[i]->gives_distance) {
            return peers->methods[i];
        }
    }
    return NULL;
}

static bool add_rows(schemes_table *t, const bench_peers *peers) {
    enum { SAMPLE = 250 };
    char words[32];
    schemes_row plain = {.rounds = ROUNDS, .options = ov_default_scheme_options()};
    plain.tessellated = true;
    plain.options.mesh_vertices = VERTICES;
    snprintf(words, sizeof words, ", %d nodes", VERTICES);
    bool good = add_newton(t) && add_scheme(t, OV_SCHEME_DISCRETE, words, "", &plain);
    snprintf(words, sizeof words, ", %d vertices", VERTICES);
    good = good && add_scheme(t, OV_SCHEME_MESH, words, "", &plain);
    schemes_row slow = {.rounds = 1, .sample = SAMPLE, .options = ov_default_scheme_options()};
    schemes_row whole = {.rounds = ROUNDS, .options = ov_default_scheme_options()};
    good = good && add_scheme(t, OV_SCHEME_INTERIOR_POINT, ", set a", "", &slow) &&
           add_scheme(t, OV_SCHEME_SQP, ", set a", "", &whole);
    whole.options.constraint_set = 'e';
    whole.options.mended = true;
    good = good && add_scheme(t, OV_SCHEME_SQP, ", set e, mended", "_mended", &whole);
    if (good && mesh_collide(peers) != NULL) {
        schemes_row *row = add_row(t, SCHEMES_COLLIDE, "FCL collide, 290 vertices", "fcl_collide");
        good = row != NULL;
        if (good) {
            row->tessellated = true;
        }
    }
    return good && add_row(t, SCHEMES_WARM, "Ovoid, warm", "ovoid_warm") != NULL &&
           add_row(t, SCHEMES_COLD, "Ovoid, cold", "ovoid_cold") != NULL;
}

/* ---- one query */

typedef struct block {
    schemes_table *table;
    size_t first, count;
    ov_warm_start warm[BLOCK];
    ov_scheme_result last[BLOCK]; /**< of the row that starts from it */
    const peer_method *collide;
    void *meshes[BLOCK][2];
} block;

static const battery_pair *pair_of(const block *b, size_t i) {
    return &b->table->cases->pairs[b->first + i];
}

static void judge(const battery_pair *p, schemes_result *r) {
    r->right = r->status == OV_OK && battery_judge_gap(p, r->gap) != GAP_OFF;
}

static void query_scheme(const block *b, const schemes_row *row, size_t i, schemes_result *r) {
    const battery_pair *p = pair_of(b, i);
    ov_scheme_options options = row->options;
    ov_scheme_result answer;
    options.last = row->from_last ? &b->last[i] : NULL;
    ov_scheme_contact(row->scheme, &p->a, p->pose_a, &p->b, p->pose_b, &options, &answer);
    // its own reading of the clock, which leaves out the making of meshes and nodes
    double ns = answer.total_seconds * 1e9 - b->table->clock_ns;
    if (isnan(r->total_ns) || ns < r->total_ns) {
        bool guesses = answer.start_seconds > 0.0;
        r->total_ns = isnan(ns) ? NAN : fmax(ns, 0.0);
        r->start_ns = guesses ? answer.start_seconds * 1e9 : NAN;
    }
    r->gap = answer.gap;
    r->iterations = answer.iterations;
    r->restarts = answer.restarts;
    r->status = answer.status;
    judge(p, r);
}

static void query_collide(const block *b, size_t i, schemes_result *r) {
    r->status = OV_ERROR_MISSING;
    if (b->meshes[i][0] == NULL || b->meshes[i][1] == NULL) {
        return;
    }
    double start = bench_now_ns();
    peer_answer answer = b->collide->ask(b->meshes[i][0], b->meshes[i][1], 0.0);
    double ns = bench_now_ns() - start - b->table->clock_ns;
    r->total_ns = isnan(r->total_ns) ? ns : fmin(ns, r->total_ns);
    bool failed = answer.verdict == PEER_FAILED;
    bool separated = answer.verdict == PEER_SEPARATED;
    r->status = failed ? OV_NOT_CONVERGED : OV_OK;
    r->right = !failed && separated == (pair_of(b, i)->part == BATTERY_SEPARATED);
}

static void query_ovoid(const block *b, bool warm, size_t i, schemes_result *r) {
    const battery_pair *p = pair_of(b, i);
    ov_warm_start state = b->warm[i];
    ov_contact c;
    double start = bench_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, warm ? &state : NULL, &c);
    double ns = bench_now_ns() - start - b->table->clock_ns;
    r->total_ns = isnan(r->total_ns) ? ns : fmin(ns, r->total_ns);
    r->gap = c.status >= 0 ? c.gap : NAN;
    r->iterations = c.iterations;
    r->status = c.status;
    // it must also be certain of it
    r->right = battery_judge(p, &c) == VERDICT_RIGHT && battery_judge_gap(p, c.gap) == GAP_RIGHT;
}

/* ---- the blocks */

/** Is the pair among the first `sample` of its part? */
static bool in_sample(const block *b, const schemes_row *row, size_t i,
                      const size_t before[BATTERY_PARTS]) {
    size_t rank = before[pair_of(b, i)->part];
    for (size_t k = 0; k < i; k++) {
        rank += pair_of(b, k)->part == pair_of(b, i)->part;
    }
    return row->sample == 0 || rank < row->sample;
}

static void begin_block(block *b) {
    for (size_t i = 0; i < b->count; i++) {
        const battery_pair *p = pair_of(b, i);
        ov_contact before;
        ov_scheme_options options = ov_default_scheme_options();
        options.jacobian = OV_JACOBIAN_ANALYTIC;
        b->warm[i] = (ov_warm_start){0};
        ov_pair_contact(&p->a, p->before_a, &p->b, p->before_b, NULL, &b->warm[i], &before);
        ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &p->a, p->before_a, &p->b, p->before_b, &options,
                          &b->last[i]);
        b->meshes[i][0] = b->meshes[i][1] = NULL;
        if (b->collide != NULL) {
            b->meshes[i][0] = bench_object_make(b->collide, &p->a, p->pose_a, VERTICES);
            b->meshes[i][1] = bench_object_make(b->collide, &p->b, p->pose_b, VERTICES);
        }
    }
}

static void end_block(block *b) {
    for (size_t i = 0; i < b->count; i++) {
        for (int k = 0; k < 2; k++) {
            if (b->meshes[i][k] != NULL) {
                b->collide->destroy(b->meshes[i][k]);
            }
        }
    }
}

static void measure_block(block *b, const size_t before[BATTERY_PARTS]) {
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t r = 0; r < b->table->row_count; r++) {
            schemes_row *row = &b->table->rows[r];
            for (size_t i = 0; i < b->count && round < row->rounds; i++) {
                schemes_result *result = &row->results[b->first + i];
                if (!in_sample(b, row, i, before)) {
                    continue;
                }
                result->asked = true;
                if (row->way == SCHEMES_SCHEME) {
                    query_scheme(b, row, i, result);
                } else if (row->way == SCHEMES_COLLIDE) {
                    query_collide(b, i, result);
                } else {
                    query_ovoid(b, row->way == SCHEMES_WARM, i, result);
                }
            }
        }
    }
}

static void free_table(schemes_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r].results);
    }
    table->row_count = 0;
}

static bool measure(const battery_cases *cases, const bench_peers *peers,
                    const bench_progress *progress, schemes_table *table) {
    *table = (schemes_table){.cases = cases, .clock_ns = bench_clock_ns()};
    size_t before[BATTERY_PARTS] = {0};
    block *b = calloc(1, sizeof *b);
    bool good = b != NULL && add_rows(table, peers);
    for (size_t first = 0; first < cases->count && good; first += BLOCK) {
        size_t left = cases->count - first;
        b->table = table;
        b->first = first;
        b->count = left < BLOCK ? left : BLOCK;
        b->collide = mesh_collide(peers);
        begin_block(b);
        measure_block(b, before);
        end_block(b);
        for (size_t i = 0; i < b->count; i++) {
            before[pair_of(b, i)->part]++;
        }
        bench_show(progress, "pairs measured", first + b->count, cases->count);
    }
    free(b);
    if (!good) {
        free_table(table);
    }
    return good;
}

/* ==== the report ============================================================================== */

static const char *const part_names[BATTERY_PARTS] = {"separated", "overlapping"};

/* ---- what the paper has */

typedef struct printed_row {
    const char *id;
    schemes_spread start, total, iterations;
    double per_iteration;
} printed_row;

enum { PRINTED_ROWS = 4 };

#define NOTHING                                                                                    \
    { NAN, NAN }

static const printed_row printed[BATTERY_PARTS][PRINTED_ROWS] = {
    {{"quadImplicit_differences", {129.28, 9.26}, {290.55, 36.35}, {5.47, 1.10}, 21.26},
     {"quadParametric_differences", {129.28, 9.26}, {396.00, 107.77}, {6.20, 2.55}, 31.72},
     {"ntbParametric_differences", {129.28, 9.26}, {326.41, 79.99}, {6.20, 2.54}, 23.05},
     {"mesh", NOTHING, {375.19, 104.74}, NOTHING, NAN}},
    {{"quadImplicit_differences", {129.28, 9.26}, {310.42, 39.50}, {6.20, 1.23}, 21.20},
     {"quadParametric_differences", {129.28, 9.26}, {424.53, 106.50}, {6.93, 2.56}, 31.59},
     {"ntbParametric_differences", {129.28, 9.26}, {347.72, 78.31}, {6.92, 2.52}, 22.99},
     {"mesh", NOTHING, {206.29, 117.63}, NOTHING, NAN}}};

static const printed_row *printed_of(battery_part part, const char *id) {
    for (int i = 0; i < PRINTED_ROWS; i++) {
        if (strcmp(printed[part][i].id, id) == 0) {
            return &printed[part][i];
        }
    }
    return NULL;
}

/* ---- figures */

/** Sums that become a mean and a standard deviation. */
typedef struct sums {
    double sum, squares;
    size_t count;
} sums;

static void add(sums *s, double value) {
    if (isfinite(value)) {
        s->sum += value;
        s->squares += value * value;
        s->count++;
    }
}

static schemes_spread spread(const sums *s) {
    if (s->count == 0) {
        return (schemes_spread)NOTHING;
    }
    double n = (double)s->count, mean = s->sum / n;
    return (schemes_spread){mean, sqrt(fmax(0.0, s->squares / n - mean * mean))};
}

static bool is_wrong_side(const battery_pair *p, const schemes_row *row, const schemes_result *r) {
    if (row->way == SCHEMES_COLLIDE) {
        return !r->right;
    }
    return (r->gap > 0.0) != (p->part == BATTERY_SEPARATED);
}

/** Over the pairs of the parts whose bit is set. */
static schemes_figures figure(const schemes_table *t, size_t index, unsigned parts) {
    const schemes_row *row = &t->rows[index], *ovoid = &t->rows[t->row_count - 1];
    schemes_figures f = {.hash = BENCH_HASH_START};
    sums start = {0}, total = {0}, all = {0}, iterations = {0}, newton = {0};
    double *errors = calloc(t->cases->count + 1, sizeof *errors);
    size_t error_count = 0;
    for (size_t i = 0; i < t->cases->count; i++) {
        const battery_pair *p = &t->cases->pairs[i];
        const schemes_result *r = &row->results[i];
        if ((parts >> p->part & 1u) == 0 || !r->asked) {
            continue;
        }
        f.asked++;
        f.restarts += (size_t)(r->restarts > 0 ? r->restarts : 0);
        f.alone += r->right && !ovoid->results[i].right;
        bench_hash_gap(&f.hash, r->gap);
        add(&all, r->total_ns);
        if (r->status != OV_OK) {
            f.not_converged++;
            continue;
        }
        f.solved++;
        battery_worth worth = battery_judge_gap(p, r->gap);
        f.off += row->way != SCHEMES_COLLIDE && worth == GAP_OFF;
        f.dents += row->way != SCHEMES_COLLIDE && worth == GAP_DENT;
        f.wrong_side += is_wrong_side(p, row, r);
        add(&start, r->start_ns);
        add(&total, r->total_ns);
        add(&iterations, r->iterations);
        add(&newton, r->total_ns - (isnan(r->start_ns) ? 0.0 : r->start_ns));
        if (errors != NULL && isfinite(r->gap)) {
            errors[error_count++] = (double)fabsl(r->gap - p->gap);
        }
    }
    f.start = spread(&start);
    f.total = spread(&total);
    f.iterations = iterations.sum > 0.0 ? spread(&iterations) : (schemes_spread)NOTHING;
    f.per_iteration = iterations.sum > 0.0 && newton.count > 0 ? newton.sum / iterations.sum : NAN;
    f.all_mean = spread(&all).mean;
    bench_figures spread_of_errors = bench_figure(errors, error_count);
    f.mean_error = spread_of_errors.mean;
    f.median_error = spread_of_errors.median;
    f.worst_error = spread_of_errors.worst;
    free(errors);
    return f;
}

static schemes_figures schemes_figure(const schemes_table *t, size_t row, battery_part part) {
    return figure(t, row, 1u << part);
}

static schemes_figures schemes_figure_all(const schemes_table *t, size_t row) {
    return figure(t, row, ~0u);
}

/* ---- Tables 1 and 2 */

static void spread_cell(FILE *out, int width, schemes_spread s, double unit) {
    char text[48] = "-";
    if (isfinite(s.mean)) {
        snprintf(text, sizeof text, "%.2f +- %.2f", s.mean * unit, s.sd * unit);
    }
    fprintf(out, " %*s", width, text);
}

static void print_row(FILE *out, const schemes_table *t, size_t r, battery_part part, double cold) {
    const schemes_row *row = &t->rows[r];
    schemes_figures f = schemes_figure(t, r, part);
    char name[80];
    snprintf(name, sizeof name, "%s%s", row->name,
             f.asked < t->cases->part_count[part] ? " *" : "");
    fprintf(out, "%-42s", name);
    spread_cell(out, 17, f.start, 1e-3);
    spread_cell(out, 19, f.total, 1e-3);
    spread_cell(out, 15, f.iterations, 1.0);
    bench_cell(out, 8, "%.2f", f.per_iteration * 1e-3);
    fprintf(out, " %7zu", f.not_converged);
    if (row->way == SCHEMES_COLLIDE) {
        fprintf(out, " %7s %5s", "-", "-");
    } else {
        fprintf(out, " %7zu %5zu", f.off, f.dents);
    }
    fprintf(out, " %6zu", f.wrong_side);
    bench_cell(out, 8, "%.1e", f.median_error);
    bench_cell(out, 8, "%.1e", f.mean_error);
    bench_cell(out, 8, "%.1e", f.worst_error);
    bench_cell(out, 8, "%.1f", f.total.mean / cold);
    fputc('\n', out);
    const printed_row *paper = printed_of(part, row->id);
    if (paper != NULL) {
        fprintf(out, "%-42s", "  as printed");
        spread_cell(out, 17, paper->start, 1.0);
        spread_cell(out, 19, paper->total, 1.0);
        spread_cell(out, 15, paper->iterations, 1.0);
        bench_cell(out, 8, "%.2f", paper->per_iteration);
        fputc('\n', out);
    }
}

static void print_part(FILE *out, const schemes_table *t, battery_part part) {
    double cold = schemes_figure(t, t->row_count - 1, part).total.mean;
    fprintf(out, "\n[Benchmark, Table %d], %s superovoids: %zu pairs\n",
            part == BATTERY_SEPARATED ? 2 : 1, part_names[part], t->cases->part_count[part]);
    fprintf(out, "%-42s %17s %19s %15s %8s %7s %7s %5s %6s %8s %8s %8s %8s\n", "", "guess us",
            "total us", "iterations", "us/iter", "failed", "off", "dent", "side", "median", "mean",
            "worst", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        print_row(out, t, r, part, cold);
    }
}

static void print_notes(FILE *out, const schemes_table *t) {
    fputs("Set a asks for the least distance between points of the bodies: where they overlap it "
          "has none to find.\nNodes and meshes are other bodies, so all of them are off.\n",
          out);
    for (size_t r = 0; r < t->row_count; r++) {
        if (t->rows[r].sample > 0) {
            fprintf(out,
                    "* %s: the first %zu pairs of the table only, in one round, for its time.\n",
                    t->rows[r].name, t->rows[r].sample);
        }
    }
}

/* ---- Table 3 */

typedef struct summary {
    const char *name, *id;
    const char *words[4]; /**< the paper's: time, its spread, memory, accuracy */
} summary;

static size_t find_row(const schemes_table *t, const char *id) {
    for (size_t r = 0; r < t->row_count; r++) {
        if (strcmp(t->rows[r].id, id) == 0) {
            return r;
        }
    }
    return t->row_count;
}

/** Bytes of one body: its parameters, or vertices and triangles of its mesh without any tree. */
static double memory_of(const schemes_table *t, const schemes_row *row) {
    enum { PARAMETERS = 7 + 6 }; // shape and place, as the paper counts them
    if (!row->tessellated || t->cases->count == 0) {
        return PARAMETERS * sizeof(double);
    }
    ov_mesh_options options = {.vertices = row->options.mesh_vertices};
    ov_mesh_plan plan = {0};
    ov_shape_mesh_plan(&t->cases->pairs[0].a, &options, &plan);
    return (double)(plan.vertex_count * sizeof(ov_vec3) + plan.triangle_count * 3 * sizeof(int));
}

static void word_cell(FILE *out, const char *now, const char *paper) {
    char both[40];
    snprintf(both, sizeof both, "%s (%s)", now, paper);
    fprintf(out, "  %-16s", both);
}

static void print_summary(FILE *out, const schemes_table *t, const summary *s, int place, int all) {
    const schemes_row *row = &t->rows[find_row(t, s->id)];
    schemes_figures f = schemes_figure_all(t, find_row(t, s->id));
    double memory = memory_of(t, row);
    char words[32];
    fprintf(out, "%-40s", s->name);
    bench_cell(out, 9, "%.2f", f.total.mean * 1e-3);
    snprintf(words, sizeof words, "%d of %d", place, all);
    word_cell(out, words, s->words[0]);
    bench_cell(out, 9, "%.2f", f.total.sd * 1e-3);
    word_cell(out, f.total.sd > f.total.mean ? "high" : "low", s->words[1]);
    bench_cell(out, 7, "%.0f", memory);
    word_cell(out, memory >= 1000.0 ? "high" : "low", s->words[2]);
    bench_cell(out, 8, "%.1e", f.median_error);
    const char *accuracy = f.median_error <= BATTERY_RIGHT ? "high" : "low";
    word_cell(out, isfinite(f.median_error) ? accuracy : "none", s->words[3]);
    fputc('\n', out);
}

static void print_table3(FILE *out, const schemes_table *t) {
    static const summary rows[] = {
        {"Meshes (BVH collision detection)", "fcl_collide", {"fastest", "low", "high", "low"}},
        {"Meshes (minimum distance)", "mesh", {"slow", "low", "high", "low"}},
        {"Superovoids implicit (quadImplicit)",
         "quadImplicit_differences",
         {"fast", "high", "low", "high"}},
        {"Superovoids parametric (quadParametric)",
         "quadParametric_differences",
         {"faster", "high", "low", "high"}},
        {"Ovoid, cold", "ovoid_cold", {"-", "-", "-", "-"}}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    double means[ROWS];
    int all = 0;
    for (int i = 0; i < ROWS; i++) {
        size_t r = find_row(t, rows[i].id);
        means[i] = r < t->row_count ? schemes_figure_all(t, r).total.mean : NAN;
        all += isfinite(means[i]);
    }
    fputs("\n[Benchmark, Table 3] from these measurements, all pairs (in brackets: its words)\n",
          out);
    fprintf(out, "%-40s %9s  %-16s %9s  %-16s %7s  %-16s %8s\n", "", "mean us", "place", "sd us",
            "spread", "bytes", "memory", "median error");
    for (int i = 0; i < ROWS; i++) {
        int place = 1;
        for (int k = 0; k < ROWS; k++) {
            place += means[k] < means[i];
        }
        if (isfinite(means[i])) {
            print_summary(out, t, &rows[i], place, all);
        }
    }
}

/* ---- the whole */

static void print_tables(FILE *out, const schemes_table *t) {
    const battery_cases *c = t->cases;
    fprintf(out, "Published schemes on the battery of superovoids: %zu pairs, seed %llu.\n",
            c->count, (unsigned long long)c->seed);
    fprintf(out,
            "a = 1, centres 2.21 apart, e in [0.3, 1.1], T in [-0.4, 0.4] [Benchmark, 5.1]; %zu "
            "shapes\nwith a dent above 5 %% of the semi-axis were drawn again.\n",
            c->redrawn);
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e (separated), +-%.0e "
            "(overlapping).\n",
            c->reference_error[BATTERY_SEPARATED], c->reference_error[BATTERY_OVERLAPPING]);
    fprintf(
        out,
        "Times: best of %d of each query, less %.0f ns of the clock, mean +- standard "
        "deviation over the\npairs that a row calls solved; meshes are made outside the "
        "timing. Printed: on the paper's machine.\n"
        "failed: did not converge. off: called solved, but off the reference gap by more than "
        "%g,\nand by more than the dents of the surfaces, which the hulls do not have (dent: no "
        "more than those).\nside: called solved, but on the wrong side of contact. median, "
        "mean, worst: error of the gap where solved.\n",
        t->rows[0].rounds, t->clock_ns, BATTERY_RIGHT);
    if (t->missing[0] != '\0') {
        fprintf(out, "Not built, for want of a package: %s.\n", t->missing);
    }
    print_part(out, t, BATTERY_OVERLAPPING);
    print_part(out, t, BATTERY_SEPARATED);
    print_notes(out, t);
    print_table3(out, t);
}

/* ---- goals */

static void goal(FILE *out, const char *what, const char *sign, double limit, double measured) {
    const char *word = "not measured";
    if (isfinite(measured)) {
        bool met = sign[0] == '<' ? measured <= limit : measured >= limit;
        word = met ? "met" : "missed";
    }
    fprintf(out, "  %-78s %s %5g", what, sign, limit);
    bench_cell(out, 10, measured >= 100.0 ? "%.0f" : "%.2f", measured);
    fprintf(out, "  %s\n", word);
}

static void goals_of_part(FILE *out, const schemes_table *t, battery_part part) {
    char what[120];
    size_t quad = find_row(t, "quadImplicit_differences");
    schemes_figures cold = schemes_figure(t, t->row_count - 1, part), f = {.total = NOTHING};
    f.iterations.mean = f.median_error = NAN;
    if (quad < t->row_count) {
        f = schemes_figure(t, quad, part);
    }
    double paper = printed_of(part, "quadImplicit_differences")->iterations.mean;
    snprintf(what, sizeof what, "%s: quadImplicit, iterations from the printed %.2f",
             part_names[part], paper);
    goal(out, what, "<=", 1.5, fabs(f.iterations.mean - paper));
    snprintf(what, sizeof what, "%s: quadImplicit, differences: times slower than Ovoid, cold",
             part_names[part]);
    goal(out, what, ">=", 50.0, f.total.mean / cold.total.mean);
    snprintf(what, sizeof what, "%s: median error of Ovoid over that of quadImplicit",
             part_names[part]);
    goal(out, what, "<=", 1.0, cold.median_error / fmax(f.median_error, 1e-18));
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC; s++) {
        char id[48];
        const char *name = ov_scheme_name((ov_scheme)s);
        snprintf(id, sizeof id, "%s_differences", name);
        size_t slow = find_row(t, id);
        snprintf(id, sizeof id, "%s_analytic", name);
        size_t fast = find_row(t, id);
        if (slow == t->row_count || fast == t->row_count) {
            continue;
        }
        schemes_figures d = schemes_figure(t, slow, part), a = schemes_figure(t, fast, part);
        snprintf(what, sizeof what, "%s: %s: analytic Jacobian: times faster, whole query",
                 part_names[part], name);
        goal(out, what, ">=", 2.0, d.total.mean / a.total.mean);
        snprintf(what, sizeof what, "%s: %s: analytic Jacobian: times faster, an iteration",
                 part_names[part], name);
        goal(out, what, ">=", 2.0, d.per_iteration / a.per_iteration);
    }
}

static void print_goals(FILE *out, const schemes_table *t) {
    fputs("\nGoals, and what was measured:\n", out);
    goals_of_part(out, t, BATTERY_OVERLAPPING);
    goals_of_part(out, t, BATTERY_SEPARATED);
    size_t alone = 0, most = 0;
    for (size_t r = 0; r + 1 < t->row_count; r++) {
        schemes_figures f = schemes_figure_all(t, r);
        if (t->rows[r].way == SCHEMES_SCHEME && f.alone > alone) {
            alone = f.alone;
            most = r;
        }
    }
    char what[120];
    snprintf(what, sizeof what, "pairs that a scheme gets right and Ovoid does not%s%s",
             alone > 0 ? ": " : "", alone > 0 ? t->rows[most].name : "");
    goal(out, what, "<=", 0.0, (double)alone);
}

/* ---- CSV */

static void write_csv(FILE *out, const schemes_table *t) {
    fputs("part,method,pairs,solved,not_converged,off,dents,wrong_side,right_where_ovoid_is_not,"
          "restarts,"
          "start_us,start_sd_us,total_us,total_sd_us,all_pairs_us,iterations,iterations_sd,"
          "iteration_us,median_error,mean_error,worst_error,ratio,hash\n",
          out);
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double cold = schemes_figure(t, t->row_count - 1, (battery_part)part).total.mean;
        for (size_t r = 0; r < t->row_count; r++) {
            schemes_figures f = schemes_figure(t, r, (battery_part)part);
            const double values[] = {
                f.start.mean * 1e-3, f.start.sd * 1e-3, f.total.mean * 1e-3, f.total.sd * 1e-3,
                f.all_mean * 1e-3,   f.iterations.mean, f.iterations.sd,     f.per_iteration * 1e-3,
                f.median_error,      f.mean_error,      f.worst_error,       f.total.mean / cold};
            fprintf(out, "%s,%s,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu", part_names[part], t->rows[r].id,
                    f.asked, f.solved, f.not_converged, f.off, f.dents, f.wrong_side, f.alone,
                    f.restarts);
            bench_csv_numbers(out, values, sizeof values / sizeof values[0]);
            fprintf(out, ",%016llx\n", (unsigned long long)f.hash);
        }
    }
}

/* ==== the study */

int study_schemes(cli *c, const bench_job *job) {
    battery_cases cases = {0};
    schemes_table *table = calloc(1, sizeof *table);
    bool good = table != NULL &&
                battery_draw(BATTERY_SUPEROVOIDS, job->pairs, job->seed, job->progress, &cases) &&
                measure(&cases, job->peers, job->progress, table);
    if (good) {
        progress_end(job->progress->user);
        print_tables(c->out, table);
        print_goals(c->out, table);
        if (job->csv != NULL) {
            write_csv(job->csv, table);
        }
        free_table(table);
    }
    battery_cases_free(&cases);
    free(table);
    return good ? CLI_OK
                : cli_error(c, "battery-schemes", "not enough memory for %zu pairs", job->pairs);
}

#else

#include "bench.h"

int study_schemes(cli *c, const bench_job *job) {
    (void)job;
    return bench_no_schemes(c, "battery-schemes");
}

#endif
