/**
 * @file battery_icub.c
 * @brief The measuring of the hands: FCL on meshes, the two published schemes of [Benchmark, 6.3]
 * and Ovoid, pair by pair and frame by frame.
 *
 * Which queries: the paper timed a query only where the two surfaces intersect. Those are one part
 * here; the other is the pairs of a left with a right surface that are nearer than 5 mm, since a
 * distance is asked for before the contact. A pair's coherence begins when it comes that near, and
 * is lost when it leaves: its first query is a cold one for every row, and counts.
 *
 * How they are timed: as in battery_run.c. Within a frame the rows take turns; a row goes through
 * the near pairs of the frame three times, from the same state, and the best time of each query
 * counts. A scheme is timed by its own readings of the clock, which leave out the making of
 * octrees, as the paper does. Meshes are made once and moved outside the timing.
 *
 * The schemes are as published, Jacobians by differences. The paper has two implementations of
 * each, for superellipsoids and for superovoids; here one does both.
 */
#include "battery_icub.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

/* ---- the rows */

static icub_row *add_row(icub_table *t, icub_way way, bool coherent, const char *name,
                         const char *id) {
    icub_row *row = &t->rows[t->row_count];
    *row = (icub_row){.way = way, .coherent = coherent};
    row->paper[0] = row->paper[1] = (icub_printed){NAN, NAN, NAN};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->id, sizeof row->id, "%s", id);
    row->results = calloc(t->query_count + 1, sizeof *row->results);
    if (row->results == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < t->query_count; i++) {
        row->results[i] = (icub_result){.ns = NAN, .gap = NAN, .verdict = VERDICT_NONE};
    }
    t->row_count++;
    return row;
}

static bool add_peer(icub_table *t, const battery_peers *peers, bool distance, const char *name,
                     icub_printed paper) {
    for (size_t i = 0; i < peers->count; i++) {
        const peer_method *m = peers->methods[i];
        if (m->input == PEER_MESH && m->gives_distance == distance && m->move != NULL) {
            icub_row *row = add_row(t, ICUB_PEER, false, name, m->id);
            if (row == NULL) {
                return false;
            }
            row->method = m;
            row->paper[0] = paper;
            return true;
        }
    }
    return true; // it was not built
}

#ifdef OVOID_SCHEMES

static bool add_scheme(icub_table *t, ov_scheme scheme, bool coherent,
                       const icub_printed paper[2]) {
    const char *name = ov_scheme_name(scheme);
    if (ov_scheme_missing(scheme) != NULL) {
        size_t used = strlen(t->missing);
        snprintf(t->missing + used, sizeof t->missing - used, "%s%s (%s)", used > 0 ? ", " : "",
                 name, ov_scheme_missing(scheme));
        return true;
    }
    char words[64], id[48];
    snprintf(words, sizeof words, "%s, %s", name, coherent ? "coherent" : "cold");
    snprintf(id, sizeof id, "%s_%s", name, coherent ? "coherent" : "cold");
    icub_row *row = add_row(t, ICUB_SCHEME, coherent, words, id);
    if (row == NULL) {
        return false;
    }
    row->scheme = (int)scheme;
    if (coherent) {
        memcpy(row->paper, paper, sizeof row->paper);
    }
    return true;
}

static bool add_schemes(icub_table *t) {
    static const icub_printed paper[ICUB_VERSIONS][2][2] = {
        {{{127.71, 299.89, 3.7}, {123.55, 309.49, 3.5}},
         {{39.01, 96.27, 2.3}, {45.67, 95.11, 2.1}}},
        {{{128.62, 277.83, 2.7}, {NAN, NAN, NAN}}, {{49.55, 116.65, 2.3}, {NAN, NAN, NAN}}}};
    const icub_printed(*printed)[2] = paper[t->hands->version];
    return add_scheme(t, OV_SCHEME_OCT_IMPLICIT, true, printed[0]) &&
           add_scheme(t, OV_SCHEME_QUAD_PARAMETRIC, true, printed[1]) &&
           add_scheme(t, OV_SCHEME_OCT_IMPLICIT, false, NULL) &&
           add_scheme(t, OV_SCHEME_QUAD_PARAMETRIC, false, NULL);
}

#else

static bool add_schemes(icub_table *t) {
    snprintf(t->missing, sizeof t->missing, "octImplicit, quadParametric (built without them)");
    return true;
}

#endif

static bool add_ovoid(icub_table *t, bool coherent, ov_depth depth, const char *name,
                      const char *id) {
    icub_row *row = add_row(t, ICUB_OVOID, coherent, name, id);
    if (row != NULL) {
        row->depth = depth;
    }
    return row != NULL;
}

static bool add_rows(icub_table *t, const battery_peers *peers) {
    return add_peer(t, peers, false, "FCL mesh collide (yes or no)",
                    (icub_printed){28.29, 21.98, NAN}) &&
           add_peer(t, peers, true, "FCL mesh distance", (icub_printed){181.03, 95.21, NAN}) &&
           add_schemes(t) && add_ovoid(t, false, OV_DEPTH_GLOBAL, "Ovoid, cold", "ovoid_cold") &&
           add_ovoid(t, true, OV_DEPTH_GLOBAL, "Ovoid, coherent, least depth of all",
                     "ovoid_coherent_global") &&
           add_ovoid(t, true, OV_DEPTH_LOCAL, "Ovoid, coherent", "ovoid_coherent");
}

/* ---- the queries */

static bool add_query(icub_table *t, size_t *room, const icub_query *query) {
    if (t->query_count == *room) {
        size_t more = *room > 0 ? 2 * *room : 1024;
        icub_query *grown = realloc(t->queries, more * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        t->queries = grown;
        *room = more;
    }
    t->queries[t->query_count++] = *query;
    return true;
}

static bool is_near(const battery_pair *p) {
    ov_vec3 a = ov_pose_apply(p->pose_a, p->a.ball.centre);
    ov_vec3 b = ov_pose_apply(p->pose_b, p->b.ball.centre);
    ov_contact contact;
    if (ov_vec3_length(ov_vec3_sub(b, a)) > p->a.ball.radius + p->b.ball.radius + 2.0 * ICUB_NEAR) {
        return false;
    }
    return ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &contact) < 0 ||
           contact.gap_lower <= ICUB_NEAR;
}

static bool find_queries(icub_table *t, const battery_progress *progress) {
    const icub_hands *h = t->hands;
    size_t room = 0;
    for (size_t f = 0; f < h->frame_count; f++) {
        for (int k = 0; k < ICUB_PAIRS; k++) {
            icub_query q = {.frame = f, .left = k / ICUB_SURFACES, .right = k % ICUB_SURFACES};
            q.pair = (battery_pair){.a = h->surfaces[0][q.left].shape,
                                    .b = h->surfaces[1][q.right].shape,
                                    .pose_a = h->frames[f].poses[0][q.left],
                                    .pose_b = h->frames[f].poses[1][q.right]};
            if (!is_near(&q.pair)) {
                continue;
            }
            t->unsure += !battery_refer(&q.pair);
            battery_part part = q.pair.part;
            t->part_count[part]++;
            t->reference_error[part] = fmax(t->reference_error[part], (double)q.pair.gap_error);
            if (!add_query(t, &room, &q)) {
                return false;
            }
        }
        battery_show(progress, "frames referred", f + 1, h->frame_count);
    }
    return true;
}

/* ---- one query */

/** What a row knows of a pair from the frame before. */
typedef struct memory {
    size_t frame; /**< when it was asked last, counted from 1; 0: never */
    ov_warm_start warm;
#ifdef OVOID_SCHEMES
    ov_scheme_result last;
#endif
} memory;

typedef struct run {
    icub_table *table;
    void *objects[ICUB_ROWS_MAX][ICUB_HANDS][ICUB_SURFACES];
    memory (*memories)[ICUB_PAIRS]; /**< a row each */
} run;

static void note(icub_result *r, double ns) {
    double left = fmax(0.0, ns);
    r->ns = isnan(r->ns) ? left : fmin(r->ns, left);
}

static void query_peer(const run *u, size_t row, const icub_query *q, icub_result *r) {
    const peer_method *m = u->table->rows[row].method;
    const void *a = u->objects[row][0][q->left], *b = u->objects[row][1][q->right];
    if (a == NULL || b == NULL) {
        return;
    }
    double start = battery_now_ns();
    peer_answer answer = m->ask(a, b, 0.0);
    note(r, battery_now_ns() - start - u->table->clock_ns);
    r->gap = answer.gap;
    bool separated = q->pair.part == BATTERY_SEPARATED;
    r->verdict = answer.verdict == PEER_FAILED                     ? VERDICT_NONE
                 : separated == (answer.verdict == PEER_SEPARATED) ? VERDICT_RIGHT
                                                                   : VERDICT_WRONG;
}

static void query_scheme(const run *u, const icub_row *row, const icub_query *q, memory *m,
                         icub_result *r) {
#ifdef OVOID_SCHEMES
    const battery_pair *p = &q->pair;
    ov_scheme_options options = ov_default_scheme_options();
    ov_scheme_result answer;
    bool starts_there = row->coherent && m->frame > 0 && m->last.status == OV_OK;
    options.last = starts_there ? &m->last : NULL;
    ov_scheme_contact((ov_scheme)row->scheme, &p->a, p->pose_a, &p->b, p->pose_b, &options,
                      &answer);
    if (isfinite(answer.total_seconds)) {
        note(r, answer.total_seconds * 1e9 - u->table->clock_ns);
    }
    r->gap = answer.status == OV_OK ? answer.gap : NAN;
    r->iterations = answer.iterations;
    bool separated = p->part == BATTERY_SEPARATED;
    r->verdict = answer.status < 0                 ? VERDICT_NONE
                 : answer.status > 0               ? VERDICT_UNDECIDED
                 : separated == (answer.gap > 0.0) ? VERDICT_RIGHT
                                                   : VERDICT_WRONG;
    m->last = answer;
#else
    (void)u, (void)row, (void)q, (void)m, (void)r;
#endif
}

static void query_ovoid(const run *u, const icub_row *row, const icub_query *q, memory *m,
                        icub_result *r) {
    const battery_pair *p = &q->pair;
    ov_pair_options options = ov_default_pair_options();
    options.depth = row->depth;
    ov_warm_start *warm = row->coherent ? &m->warm : NULL;
    ov_contact contact;
    double start = battery_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, &options, warm, &contact);
    note(r, battery_now_ns() - start - u->table->clock_ns);
    r->gap = contact.status >= 0 ? contact.gap : NAN;
    r->iterations = contact.iterations;
    r->verdict = battery_judge(p, &contact);
}

/* ---- the frames */

/** The near pairs of a frame by one row, three times over from the same state. */
static void query_frame(run *u, size_t row, size_t first, size_t count) {
    const icub_row *at = &u->table->rows[row];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = first; i < first + count; i++) {
            const icub_query *q = &u->table->queries[i];
            icub_result *r = &at->results[i];
            memory *kept = &u->memories[row][q->left * ICUB_SURFACES + q->right], now = {0};
            if (kept->frame == q->frame) { // frames are counted from 1 there: that of before
                now = *kept;
            }
            if (at->way == ICUB_PEER) {
                query_peer(u, row, q, r);
            } else if (at->way == ICUB_SCHEME) {
                query_scheme(u, at, q, &now, r);
            } else {
                query_ovoid(u, at, q, &now, r);
            }
            if (round + 1 == ROUNDS) {
                now.frame = q->frame + 1;
                *kept = now;
            }
        }
    }
}

static void place_objects(run *u, size_t row, size_t frame) {
    const icub_row *at = &u->table->rows[row];
    const icub_frame *now = &u->table->hands->frames[frame];
    for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES && at->way == ICUB_PEER; k++) {
        int hand = k / ICUB_SURFACES, surface = k % ICUB_SURFACES;
        ov_pose pose = now->poses[hand][surface];
        peer_body body = {.shape = &u->table->hands->surfaces[hand][surface].shape,
                          .position = pose.position,
                          .support = ov_shape_support};
        body.rotation = ov_mat3_from_quat(pose.rotation);
        if (u->objects[row][hand][surface] != NULL) {
            at->method->move(u->objects[row][hand][surface], &body);
        }
    }
}

static void make_objects(run *u) {
    const icub_hands *h = u->table->hands;
    for (size_t row = 0; row < u->table->row_count; row++) {
        const icub_row *at = &u->table->rows[row];
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES && at->way == ICUB_PEER; k++) {
            int hand = k / ICUB_SURFACES, surface = k % ICUB_SURFACES;
            u->objects[row][hand][surface] =
                battery_object_make(at->method, &h->surfaces[hand][surface].shape,
                                    h->frames[0].poses[hand][surface], ICUB_VERTICES);
        }
    }
}

static void destroy_objects(run *u) {
    for (size_t row = 0; row < u->table->row_count; row++) {
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES; k++) {
            void *object = u->objects[row][k / ICUB_SURFACES][k % ICUB_SURFACES];
            if (object != NULL) {
                u->table->rows[row].method->destroy(object);
            }
        }
    }
}

static void measure_frames(run *u, const battery_progress *progress) {
    icub_table *t = u->table;
    for (size_t first = 0, count; first < t->query_count; first += count) {
        size_t frame = t->queries[first].frame;
        for (count = 1; first + count < t->query_count && t->queries[first + count].frame == frame;
             count++) {
        }
        for (size_t row = 0; row < t->row_count; row++) {
            place_objects(u, row, frame);
            query_frame(u, row, first, count);
        }
        battery_show(progress, "frames measured", frame + 1, t->hands->frame_count);
    }
}

static double mean_vertices(const icub_hands *h) {
    double sum = 0.0;
    for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES; k++) {
        ov_mesh_options options = {.vertices = ICUB_VERTICES};
        ov_mesh_plan plan = {0};
        ov_shape_mesh_plan(&h->surfaces[k / ICUB_SURFACES][k % ICUB_SURFACES].shape, &options,
                           &plan);
        sum += (double)plan.vertex_count;
    }
    return sum / (ICUB_HANDS * ICUB_SURFACES);
}

bool icub_measure(const icub_hands *hands, const battery_peers *peers,
                  const battery_progress *progress, icub_table *table) {
    *table = (icub_table){.hands = hands, .clock_ns = battery_clock_ns()};
    table->vertices = mean_vertices(hands);
    run *u = calloc(1, sizeof *u);
    memory(*memories)[ICUB_PAIRS] = calloc(ICUB_ROWS_MAX, sizeof *memories);
    bool good =
        u != NULL && memories != NULL && find_queries(table, progress) && add_rows(table, peers);
    if (good) {
        u->table = table;
        u->memories = memories;
        make_objects(u);
        measure_frames(u, progress);
        destroy_objects(u);
    } else {
        icub_table_free(table);
    }
    free(memories);
    free(u);
    return good;
}

void icub_table_free(icub_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r].results);
    }
    free(table->queries);
    *table = (icub_table){0};
}
