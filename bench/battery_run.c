/**
 * @file battery_run.c
 * @brief The measuring: all rows in turns over blocks of pairs.
 *
 * A block of pairs at a time, so that the meshes of a block fit in memory: first the objects of all
 * rows are made; then each row in turn answers all pairs of the block, the separated ones and the
 * overlapping ones apart, one after the other and three times over. So code and branches of a row
 * are warm, as in a loop over many pairs, alike for Ovoid and its peers, and of each query the best
 * of the three times counts. The batch call is timed over 256 pairs of a part at once, three times
 * as well.
 */
#include "battery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 3, BATCH = 256 };

/* ---- what an answer is worth */

battery_verdict battery_judge(const battery_pair *pair, const ov_contact *c) {
    if (c->status < 0 || !isfinite(c->gap)) {
        return VERDICT_NONE;
    }
    // the reference is a bit uncertain itself, and was rounded when it was noted
    long double slack = pair->gap_error + 1e-16L;
    bool bounds_hold = c->gap_lower <= pair->gap + slack && c->gap_upper >= pair->gap - slack &&
                       c->gap >= c->gap_lower && c->gap <= c->gap_upper;
    bool separated = pair->part == BATTERY_SEPARATED;
    bool contradicts = c->relation == (separated ? OV_RELATION_OVERLAPPING : OV_RELATION_SEPARATED);
    if (!bounds_hold || contradicts) {
        return VERDICT_WRONG;
    }
    return c->status > 0 || c->relation == OV_RELATION_UNDECIDED ? VERDICT_UNDECIDED
                                                                 : VERDICT_RIGHT;
}

static battery_verdict judge_peer(const battery_pair *pair, peer_answer answer) {
    if (answer.verdict == PEER_FAILED) {
        return VERDICT_NONE;
    }
    bool separated = pair->part == BATTERY_SEPARATED;
    return separated == (answer.verdict == PEER_SEPARATED) ? VERDICT_RIGHT : VERDICT_WRONG;
}

/* ---- the rows */

static bool add_row(battery_table *t, battery_way way, const peer_method *method, size_t vertices,
                    const char *name, const char *id) {
    if (t->row_count == BATTERY_ROWS_MAX) {
        return false;
    }
    battery_row *row = &t->rows[t->row_count];
    *row = (battery_row){.way = way, .method = method, .vertices = vertices};
    if (vertices > 0) {
        snprintf(row->name, sizeof row->name, "%s, %zu vertices", name, vertices);
        snprintf(row->id, sizeof row->id, "%s_%zu", id, vertices);
    } else {
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->id, sizeof row->id, "%s", id);
    }
    row->results = calloc(t->cases->count, sizeof *row->results);
    if (row->results == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->cases->count; i++) {
        row->results[i] = (battery_result){INFINITY, NAN, VERDICT_NONE};
    }
    t->row_count++;
    return true;
}

static bool add_method(battery_table *t, const peer_method *m) {
    static const size_t sizes[] = {290, 786, 3000};
    bool ellipsoids = t->cases->set == BATTERY_ELLIPSOIDS, good = true;
    switch (m->input) {
    case PEER_MESH:
        // yes or no from the coarsest mesh, distances from all
        for (size_t k = 0; k < (m->gives_distance ? 3u : 1u) && !ellipsoids; k++) {
            good = good && add_row(t, BATTERY_PEER, m, sizes[k], m->name, m->id);
        }
        return good;
    case PEER_HULL:
        return ellipsoids || add_row(t, BATTERY_PEER, m, sizes[0], m->name, m->id);
    case PEER_ELLIPSOID:
        return !ellipsoids || add_row(t, BATTERY_PEER, m, 0, m->name, m->id);
    default:
        return add_row(t, BATTERY_PEER, m, 0, m->name, m->id);
    }
}

static bool add_rows(battery_table *t, const battery_peers *peers,
                     const battery_progress *progress) {
    bool good = add_row(t, BATTERY_COLD, NULL, 0, "Ovoid, cold", "ovoid_cold") &&
                add_row(t, BATTERY_WARM, NULL, 0, "Ovoid, warm", "ovoid_warm") &&
                add_row(t, BATTERY_BATCH, NULL, 0, "Ovoid, batch, one core", "ovoid_batch");
    for (size_t i = 0; i < peers->count && good; i++) {
        good = add_method(t, peers->methods[i]);
    }
    for (size_t i = 0; i < t->row_count && good; i++) {
        battery_row *row = &t->rows[i];
        battery_show(progress, "rows tried", i, t->row_count);
        for (int part = 0; part < BATTERY_PARTS && row->way == BATTERY_PEER; part++) {
            row->tolerance[part] =
                battery_choose_tolerance(row->method, t->cases, (battery_part)part);
        }
    }
    return good;
}

/* ---- one block */

typedef struct block {
    battery_table *table;
    size_t first, count;
    void *objects[BATTERY_ROWS_MAX][BLOCK][2];
    unsigned char fates[BATTERY_ROWS_MAX * BLOCK];
    ov_warm_start warm[BLOCK];
} block;

static const battery_pair *pair_of(const block *b, size_t index) {
    return &b->table->cases->pairs[b->first + index];
}

static peer_answer ask(const block *b, size_t r, size_t index) {
    const battery_row *row = &b->table->rows[r];
    return row->method->ask(b->objects[r][index][0], b->objects[r][index][1],
                            row->tolerance[pair_of(b, index)->part]);
}

static bool can_ask(const block *b, size_t r, size_t index) {
    return b->objects[r][index][0] != NULL && b->objects[r][index][1] != NULL;
}

/** One call in the child process, of those rows that may end it. */
static bool ask_first(size_t index, void *context) {
    const block *b = context;
    size_t r = index / BLOCK, i = index % BLOCK;
    const battery_row *row = &b->table->rows[r];
    if (row->way == BATTERY_PEER && row->method->may_abort && i < b->count && can_ask(b, r, i)) {
        ask(b, r, i);
    }
    return true;
}

static void make_objects(block *b) {
    memset(b->objects, 0, sizeof b->objects);
    for (size_t r = 0; r < b->table->row_count; r++) {
        const battery_row *row = &b->table->rows[r];
        for (size_t i = 0; i < b->count && row->way == BATTERY_PEER; i++) {
            const battery_pair *p = pair_of(b, i);
            b->objects[r][i][0] = battery_object_make(row->method, &p->a, p->pose_a, row->vertices);
            b->objects[r][i][1] = battery_object_make(row->method, &p->b, p->pose_b, row->vertices);
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        const battery_pair *p = pair_of(b, i);
        ov_contact before;
        b->warm[i] = (ov_warm_start){0};
        ov_pair_contact(&p->a, p->before_a, &p->b, p->before_b, NULL, &b->warm[i], &before);
    }
    bool any = false;
    for (size_t r = 0; r < b->table->row_count; r++) {
        any = any || (b->table->rows[r].way == BATTERY_PEER && b->table->rows[r].method->may_abort);
    }
    memset(b->fates, CALL_GOOD, sizeof b->fates);
    if (any) {
        battery_guard(b->table->row_count * BLOCK, ask_first, b, false, b->fates);
    }
}

static void destroy_objects(block *b) {
    for (size_t r = 0; r < b->table->row_count; r++) {
        for (size_t i = 0; i < b->count; i++) {
            for (int k = 0; k < 2; k++) {
                if (b->objects[r][i][k] != NULL) {
                    b->table->rows[r].method->destroy(b->objects[r][i][k]);
                }
            }
        }
    }
}

static void note(battery_result *result, double ns, double clock_ns) {
    result->ns = fmin(result->ns, fmax(0.0, ns - clock_ns));
}

static void query_ovoid(block *b, size_t r, size_t i) {
    const battery_pair *p = pair_of(b, i);
    battery_result *result = &b->table->rows[r].results[b->first + i];
    ov_warm_start warm = b->warm[i];
    bool is_warm = b->table->rows[r].way == BATTERY_WARM;
    ov_contact contact;
    double start = battery_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, is_warm ? &warm : NULL, &contact);
    note(result, battery_now_ns() - start, b->table->clock_ns);
    result->gap = contact.status >= 0 ? contact.gap : NAN;
    result->verdict = battery_judge(p, &contact);
}

static void query_peer(block *b, size_t r, size_t i) {
    const battery_pair *p = pair_of(b, i);
    battery_result *result = &b->table->rows[r].results[b->first + i];
    if (!can_ask(b, r, i) || b->fates[r * BLOCK + i] == CALL_DIED) {
        return;
    }
    double start = battery_now_ns();
    peer_answer answer = ask(b, r, i);
    note(result, battery_now_ns() - start, b->table->clock_ns);
    result->gap = answer.gap;
    result->verdict = judge_peer(p, answer);
}

/** The pairs of one part after each other: a query is timed among its like. */
static void query_part(block *b, size_t r, battery_part part) {
    battery_way way = b->table->rows[r].way;
    for (size_t i = 0; i < b->count && way != BATTERY_BATCH; i++) {
        if (pair_of(b, i)->part != part) {
            continue;
        }
        if (way == BATTERY_PEER) {
            query_peer(b, r, i);
        } else {
            query_ovoid(b, r, i);
        }
    }
}

static void measure_block(block *b) {
    make_objects(b);
    for (size_t r = 0; r < b->table->row_count; r++) {
        for (int part = 0; part < BATTERY_PARTS; part++) {
            for (int round = 0; round < ROUNDS; round++) {
                query_part(b, r, (battery_part)part);
            }
        }
    }
    destroy_objects(b);
}

/* ---- the batch call */

static bool measure_batch(battery_table *t, size_t r, battery_part part) {
    const battery_cases *cases = t->cases;
    size_t count = cases->part_count[part], at = 0;
    ov_pair *pairs = calloc(count + 1, sizeof *pairs);
    ov_contact *contacts = calloc(count + 1, sizeof *contacts);
    double *ns = calloc(count + 1, sizeof *ns);
    bool good = pairs != NULL && contacts != NULL && ns != NULL;
    for (size_t i = 0; i < cases->count && good; i++) {
        const battery_pair *p = &cases->pairs[i];
        if (p->part == part) {
            pairs[at++] = (ov_pair){&p->a, &p->b, p->pose_a, p->pose_b};
        }
    }
    for (size_t first = 0; first < count && good; first += BATCH) {
        size_t some = count - first < BATCH ? count - first : BATCH;
        double best = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            double start = battery_now_ns();
            ov_pair_contact_batch(pairs + first, some, NULL, &(ov_threads){.count = 1}, NULL,
                                  contacts + first);
            best = fmin(best, (battery_now_ns() - start) / (double)some);
        }
        for (size_t k = 0; k < some; k++) {
            ns[first + k] = best;
        }
    }
    at = 0;
    for (size_t i = 0; i < cases->count && good; i++) {
        if (cases->pairs[i].part == part) {
            const ov_contact *c = &contacts[at];
            t->rows[r].results[i] = (battery_result){ns[at++], c->status >= 0 ? c->gap : NAN,
                                                     battery_judge(&cases->pairs[i], c)};
        }
    }
    free(ns);
    free(pairs);
    free(contacts);
    return good;
}

bool battery_measure(const battery_cases *cases, const battery_peers *peers,
                     const battery_progress *progress, battery_table *table) {
    *table = (battery_table){.cases = cases, .clock_ns = battery_clock_ns()};
    block *b = calloc(1, sizeof *b);
    bool good = b != NULL && add_rows(table, peers, progress);
    for (size_t first = 0; first < cases->count && good; first += BLOCK) {
        size_t left = cases->count - first;
        b->table = table;
        b->first = first;
        b->count = left < BLOCK ? left : BLOCK;
        measure_block(b);
        battery_show(progress, "pairs measured", first + b->count, cases->count);
    }
    for (size_t r = 0; r < table->row_count && good; r++) {
        if (table->rows[r].way == BATTERY_BATCH) {
            good = measure_batch(table, r, BATTERY_SEPARATED) &&
                   measure_batch(table, r, BATTERY_OVERLAPPING);
        }
    }
    free(b);
    if (!good) {
        battery_table_free(table);
    }
    return good;
}

void battery_table_free(battery_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r].results);
    }
    table->row_count = 0;
}
