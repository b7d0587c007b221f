/**
 * @file battery_schemes.c
 * @brief The measuring of the published schemes on the battery of superovoids
 * [Benchmark, 5.1, 6.1].
 *
 * The four Newton schemes as published; with the analytic Jacobian; with all rescues of [Thesis,
 * 1.4.1] beside it; and with their defects mended as well. One from its last answer (temporal
 * coherence); the discrete method, meshes of 290 vertices, and the two optimisers of [Portal].
 * Ovoid's cold query comes last. As in
 * battery_run.c the rows take turns over blocks of pairs, one query at a time between two readings
 * of the clock, and the best of three rounds counts. The interior point method takes tens of
 * milliseconds a pair: it gets one round of a sample, and the table says so.
 *
 * Most of these surfaces have a tiny dent, which the papers do not notice: see schemes_judge().
 *
 * Times of a scheme are its own readings of the clock, which leave out the making of meshes, as the
 * paper does, and of nodes.
 */
#ifdef OVOID_SCHEMES

#include "battery_schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const peer_method *mesh_collide(const battery_peers *peers) {
    for (size_t i = 0; i < peers->count; i++) {
        if (peers->methods[i]->input == PEER_MESH && !peers->methods[i]->gives_distance) {
            return peers->methods[i];
        }
    }
    return NULL;
}

static bool add_rows(schemes_table *t, const battery_peers *peers) {
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

/* The schemes work on the surfaces, Ovoid and the reference on their convex hulls. A tapered
 * surface is nowhere further inside its hull than its dent, so that the gap of the surfaces is at
 * least the reference, and at most by both dents more. */
schemes_worth schemes_judge(const battery_pair *p, double gap) {
    long double off = gap - p->gap, slack = SCHEMES_RIGHT + p->gap_error;
    if (fabsl(off) <= slack) {
        return SCHEMES_GAP_RIGHT;
    }
    bool dent = off > 0.0L && off <= slack + p->a.dent + p->b.dent;
    return dent ? SCHEMES_GAP_DENT : SCHEMES_GAP_OFF;
}

static void judge(const battery_pair *p, schemes_result *r) {
    r->right = r->status == OV_OK && schemes_judge(p, r->gap) != SCHEMES_GAP_OFF;
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
    double start = battery_now_ns();
    peer_answer answer = b->collide->ask(b->meshes[i][0], b->meshes[i][1], 0.0);
    double ns = battery_now_ns() - start - b->table->clock_ns;
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
    double start = battery_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, warm ? &state : NULL, &c);
    double ns = battery_now_ns() - start - b->table->clock_ns;
    r->total_ns = isnan(r->total_ns) ? ns : fmin(ns, r->total_ns);
    r->gap = c.status >= 0 ? c.gap : NAN;
    r->iterations = c.iterations;
    r->status = c.status;
    // it must also be certain of it
    r->right =
        battery_judge(p, &c) == VERDICT_RIGHT && schemes_judge(p, c.gap) == SCHEMES_GAP_RIGHT;
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
            b->meshes[i][0] = battery_object_make(b->collide, &p->a, p->pose_a, VERTICES);
            b->meshes[i][1] = battery_object_make(b->collide, &p->b, p->pose_b, VERTICES);
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

bool schemes_measure(const battery_cases *cases, const battery_peers *peers,
                     const battery_progress *progress, schemes_table *table) {
    *table = (schemes_table){.cases = cases, .clock_ns = battery_clock_ns()};
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
        battery_show(progress, "pairs measured", first + b->count, cases->count);
    }
    free(b);
    if (!good) {
        schemes_free(table);
    }
    return good;
}

void schemes_free(schemes_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r].results);
    }
    table->row_count = 0;
}

#else

/* Without the schemes there is nothing to measure. */
typedef int schemes_not_built;

#endif
