/**
 * @file battery.c
 * @brief The battery: random pairs of superovoids [Benchmark, 5.1] and of ellipsoids, their
 * references, and Ovoid beside its peers on them. Then every other kind (study_kinds.c).
 *
 * Superovoids: semi-axes 1, centres (0,0,0) and (0,2.21,0), uniformly random orientations,
 * exponents in [0.3, 1.1], taper in [-0.4, 0.4]. The paper takes all of these as convex; a shape
 * whose dent is above the default tolerance (5 % of the semi-axis) has no convex body to speak of,
 * and is drawn again. Ellipsoids: semi-axes in [0.3, 1.5], and exactly half of the pairs
 * overlapping. Along a random direction u from A to B, centres further apart than the supports of
 * both reach are separated; centres nearer than the two radii along u together overlap.
 *
 * All rows of a table are measured in one run, in turns, by the same rules. A block of pairs at a
 * time, so that the meshes of a block fit in memory: first the objects of all rows are made; then
 * each row in turn answers all pairs of the block, the separated ones and the overlapping ones
 * apart, one after the other and three times over. So code and branches of a row are warm, as in a
 * loop over many pairs, alike for Ovoid and its peers. One query is timed between two readings of
 * the clock, whose own time is taken off, and of each query the best of the three times counts. The
 * batch call is timed over 256 pairs of a part at once, three times as well.
 *
 * *failed* counts answers that are wrong (the other relation, bounds that the reference lies
 * outside of) and answers that never came (NaN, exception, end of the process); *undecided* those
 * of Ovoid that say so themselves. Errors are of the gap, over all pairs for which a row offers
 * one. Times are over all pairs that were answered at all. The ratio is to Ovoid's cold mean.
 * Nothing fails here for being slow: the goals are printed beside what was measured.
 */
#include "battery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "reference.h"

/* ==== the pairs =============================================================================== */

/* ---- drawing */

size_t battery_draw_superovoid(bench_random *r, ov_shape *shape) {
    enum { TRIES = 1000 };
    size_t redrawn = 0;
    for (;; redrawn++) {
        double e1 = bench_uniform(r, 0.3, 1.1), e2 = bench_uniform(r, 0.3, 1.1);
        double tx = bench_uniform(r, -0.4, 0.4), ty = bench_uniform(r, -0.4, 0.4);
        ov_vec3 a = {1.0, 1.0, 1.0};
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, shape) == OV_OK || redrawn > TRIES) {
            return redrawn;
        }
    }
}

static size_t draw_superovoids(bench_random *r, battery_pair *p) {
    size_t redrawn = battery_draw_superovoid(r, &p->a);
    redrawn += battery_draw_superovoid(r, &p->b);
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, bench_rotation(r)};
    p->pose_b = (ov_pose){{0.0, BATTERY_APART, 0.0}, bench_rotation(r)};
    return redrawn;
}

ov_vec3 battery_draw_axes(bench_random *r) {
    double x = bench_uniform(r, 0.3, 1.5), y = bench_uniform(r, 0.3, 1.5);
    return ov_vec3_make(x, y, bench_uniform(r, 0.3, 1.5));
}

/** Support and radius of a turned ellipsoid along u. */
static void reaches(const ov_shape *shape, ov_quat rotation, ov_vec3 u, double *support,
                    double *radius) {
    ov_vec3 n = ov_quat_rotate(ov_quat_conjugate(rotation), u), a = shape->a;
    *support = ov_vec3_length(ov_vec3_mul(a, n));
    *radius = 1.0 / ov_vec3_length(ov_vec3_make(n.x / a.x, n.y / a.y, n.z / a.z));
}

static void draw_ellipsoids(bench_random *r, bool overlapping, battery_pair *p) {
    ov_shape_make_ellipsoid(battery_draw_axes(r), &p->a);
    ov_shape_make_ellipsoid(battery_draw_axes(r), &p->b);
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, bench_rotation(r)};
    p->pose_b.rotation = bench_rotation(r);
    ov_vec3 u = bench_direction(r);
    double support_a, support_b, radius_a, radius_b;
    reaches(&p->a, p->pose_a.rotation, u, &support_a, &radius_a);
    reaches(&p->b, p->pose_b.rotation, u, &support_b, &radius_b);
    double share = bench_uniform(r, 0.0, 1.0);
    double apart = overlapping ? (0.5 + 0.5 * share) * (radius_a + radius_b)
                               : support_a + support_b + 0.5 * share;
    p->pose_b.position = ov_vec3_scale(u, apart);
}

ov_pose battery_move(bench_random *r, ov_pose pose, double size) {
    ov_vec3 step = ov_vec3_scale(bench_direction(r), 0.01 * size);
    ov_quat turn = ov_quat_from_axis_angle(bench_direction(r), 0.01);
    return (ov_pose){ov_vec3_add(pose.position, step), ov_quat_mul(turn, pose.rotation)};
}

/** As far from the origin of its frame as a bounded shape reaches; 0 for a half-space. */
static double farthest(const ov_shape *shape) {
    double radius = shape->ball.radius;
    return isfinite(radius) ? ov_vec3_length(shape->ball.centre) + radius : 0.0;
}

bool battery_place_at_gap(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose *pose_b,
                          ov_vec3 u, double gap) {
    enum { STEPS = 60 };
    // the gap grows with the distance; secants by Illinois' rule
    double near = 0.0, far = farthest(a) + farthest(b) + fmax(gap, 0.0) + 1.0;
    double at_near = -far, at_far = far, last = 0.0, off = 1.0;
    for (int i = 0; i < STEPS && fabs(off) > 1e-10; i++) {
        double apart = near + (far - near) * at_near / (at_near - at_far);
        ov_contact c;
        pose_b->position = ov_vec3_scale(u, apart);
        if (ov_pair_contact(a, pose_a, b, *pose_b, NULL, NULL, &c) < 0) {
            return false;
        }
        off = c.gap - gap;
        double halved = off * last > 0.0 ? 0.5 : 1.0; // twice on one side: the other one's is less
        if (off > 0.0) {
            far = apart;
            at_far = off;
            at_near *= halved;
        } else {
            near = apart;
            at_near = off;
            at_far *= halved;
        }
        last = off;
    }
    return true;
}

/* ---- references */

bool battery_refer(battery_pair *p) {
    oracle_body a, b;
    oracle_place(&p->a, p->pose_a, &a);
    oracle_place(&p->b, p->pose_b, &b);
    // a good first direction saves half the time; the bounds do not depend on it
    ov_contact guess;
    ov_vec3 start = {0.0, 0.0, 0.0};
    if (ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &guess) >= 0) {
        start = guess.normal;
    }
    oracle_gap gap = oracle_measure(&a, &b, start);
    p->gap = 0.5L * (gap.lower + gap.upper);
    // the bounds are but for the rounding of long double
    p->gap_error = 0.5L * fmaxl(0.0L, gap.upper - gap.lower) + 1e-18L;
    p->part = gap.lower > 0.0L ? BATTERY_SEPARATED : BATTERY_OVERLAPPING;
    return gap.lower > 0.0L || gap.upper < 0.0L;
}

bool battery_draw(battery_set set, size_t count, uint64_t seed, const bench_progress *progress,
                  battery_cases *cases) {
    bench_random r = {seed * 2u + (set == BATTERY_ELLIPSOIDS)};
    *cases = (battery_cases){.set = set, .seed = seed, .count = count};
    cases->pairs = calloc(count, sizeof *cases->pairs);
    if (cases->pairs == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        battery_pair *p = &cases->pairs[i];
        if (set == BATTERY_SUPEROVOIDS) {
            cases->redrawn += draw_superovoids(&r, p);
        } else {
            draw_ellipsoids(&r, i % 2 == 1, p);
        }
        double size = fmax(p->a.ball.radius, p->b.ball.radius);
        p->before_a = battery_move(&r, p->pose_a, size);
        p->before_b = battery_move(&r, p->pose_b, size);
        cases->unsure += !battery_refer(p);
        cases->part_count[p->part]++;
        cases->reference_error[p->part] =
            fmax(cases->reference_error[p->part], (double)p->gap_error);
        bench_show(progress, "references", i + 1, count);
    }
    return true;
}

void battery_cases_free(battery_cases *cases) {
    free(cases->pairs);
    *cases = (battery_cases){0};
}

/* ==== the measuring =========================================================================== */

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

/* The schemes work on the surfaces, Ovoid and the reference on their convex hulls. A tapered
 * surface is nowhere further inside its hull than its dent, so that the gap of the surfaces is at
 * least the reference, and at most by both dents more. */
battery_worth battery_judge_gap(const battery_pair *p, double gap) {
    long double off = gap - p->gap, slack = BATTERY_RIGHT + p->gap_error;
    if (fabsl(off) <= slack) {
        return GAP_RIGHT;
    }
    bool dent = off > 0.0L && off <= slack + p->a.dent + p->b.dent;
    return dent ? GAP_DENT : GAP_OFF;
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

static bool has_ellipsoids(const peer_method *m) {
    ov_shape shape;
    ov_shape_make_ellipsoid(ov_vec3_make(1.0, 2.0, 3.0), &shape);
    void *object = bench_object_make(m, &shape, ov_pose_identity(), 0);
    if (object != NULL) {
        m->destroy(object);
    }
    return object != NULL;
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
    case PEER_NATIVE:
        return !ellipsoids || !has_ellipsoids(m) || add_row(t, BATTERY_PEER, m, 0, m->name, m->id);
    default:
        return add_row(t, BATTERY_PEER, m, 0, m->name, m->id);
    }
}

/* ---- tolerances */

typedef struct trial {
    const peer_method *method;
    const battery_cases *cases;
    const size_t *indices;
    double tolerance;
} trial;

static bool try_pair(size_t index, void *context) {
    const trial *t = context;
    const battery_pair *p = &t->cases->pairs[t->indices[index]];
    void *a = bench_object_make(t->method, &p->a, p->pose_a, 0);
    void *b = bench_object_make(t->method, &p->b, p->pose_b, 0);
    bool good = a != NULL && b != NULL && t->method->ask(a, b, t->tolerance).verdict != PEER_FAILED;
    if (a != NULL) {
        t->method->destroy(a);
    }
    if (b != NULL) {
        t->method->destroy(b);
    }
    return good;
}

/** No end of the process, and at most one failure in a thousand. */
static bool gets_through(const trial *t, size_t count, unsigned char *fates) {
    bench_guard(count, try_pair, (void *)(uintptr_t)t, true, fates);
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (fates[i] == CALL_DIED) {
            return false;
        }
        failed += fates[i] == CALL_FAILED;
    }
    return failed * 1000 <= count;
}

static double choose_tolerance(const peer_method *method, const battery_cases *cases,
                               battery_part part) {
    enum { MOST = 1000 };
    size_t indices[MOST], count = 0;
    unsigned char fates[MOST];
    for (size_t i = 0; i < cases->count && count < MOST; i++) {
        if (cases->pairs[i].part == part) {
            indices[count++] = i;
        }
    }
    trial t = {method, cases, indices, 0.0};
    double loosest = 0.0;
    for (int k = 0; k < 8 && method->tolerances[k] > 0.0; k++) {
        loosest = t.tolerance = method->tolerances[k];
        bool only_one = k == 0 && method->tolerances[1] == 0.0;
        if (only_one || gets_through(&t, count, fates)) {
            break;
        }
    }
    return loosest;
}

static bool add_rows(battery_table *t, const bench_peers *peers, const bench_progress *progress) {
    bool good = add_row(t, BATTERY_COLD, NULL, 0, "Ovoid, cold", "ovoid_cold") &&
                add_row(t, BATTERY_WARM, NULL, 0, "Ovoid, warm", "ovoid_warm") &&
                add_row(t, BATTERY_BATCH, NULL, 0, "Ovoid, batch, one core", "ovoid_batch");
    for (size_t i = 0; i < peers->count && good; i++) {
        good = add_method(t, peers->methods[i]);
    }
    for (size_t i = 0; i < t->row_count && good; i++) {
        battery_row *row = &t->rows[i];
        bench_show(progress, "rows tried", i, t->row_count);
        for (int part = 0; part < BATTERY_PARTS && row->way == BATTERY_PEER; part++) {
            row->tolerance[part] = choose_tolerance(row->method, t->cases, (battery_part)part);
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
            b->objects[r][i][0] = bench_object_make(row->method, &p->a, p->pose_a, row->vertices);
            b->objects[r][i][1] = bench_object_make(row->method, &p->b, p->pose_b, row->vertices);
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
        bench_guard(b->table->row_count * BLOCK, ask_first, b, false, b->fates);
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
    double start = bench_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, is_warm ? &warm : NULL, &contact);
    note(result, bench_now_ns() - start, b->table->clock_ns);
    result->gap = contact.status >= 0 ? contact.gap : NAN;
    result->verdict = battery_judge(p, &contact);
}

static void query_peer(block *b, size_t r, size_t i) {
    const battery_pair *p = pair_of(b, i);
    battery_result *result = &b->table->rows[r].results[b->first + i];
    if (!can_ask(b, r, i) || b->fates[r * BLOCK + i] == CALL_DIED) {
        return;
    }
    double start = bench_now_ns();
    peer_answer answer = ask(b, r, i);
    note(result, bench_now_ns() - start, b->table->clock_ns);
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
            double start = bench_now_ns();
            ov_pair_contact_batch(pairs + first, some, NULL, &(ov_threads){.count = 1}, NULL,
                                  contacts + first);
            best = fmin(best, (bench_now_ns() - start) / (double)some);
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

static void free_table(battery_table *table) {
    for (size_t r = 0; r < table->row_count; r++) {
        free(table->rows[r].results);
    }
    table->row_count = 0;
}

static bool measure(const battery_cases *cases, const bench_peers *peers,
                    const bench_progress *progress, battery_table *table) {
    *table = (battery_table){.cases = cases, .clock_ns = bench_clock_ns()};
    block *b = calloc(1, sizeof *b);
    bool good = b != NULL && add_rows(table, peers, progress);
    for (size_t first = 0; first < cases->count && good; first += BLOCK) {
        size_t left = cases->count - first;
        b->table = table;
        b->first = first;
        b->count = left < BLOCK ? left : BLOCK;
        measure_block(b);
        bench_show(progress, "pairs measured", first + b->count, cases->count);
    }
    for (size_t r = 0; r < table->row_count && good; r++) {
        if (table->rows[r].way == BATTERY_BATCH) {
            good = measure_batch(table, r, BATTERY_SEPARATED) &&
                   measure_batch(table, r, BATTERY_OVERLAPPING);
        }
    }
    free(b);
    if (!good) {
        free_table(table);
    }
    return good;
}

/* ==== the report ============================================================================== */

static const char *const set_names[BATTERY_SETS] = {"superovoids", "ellipsoids"};
static const char *const part_names[BATTERY_PARTS] = {"separated", "overlapping"};

/* ---- figures */

battery_figures battery_figure(const battery_table *t, size_t r, battery_part part) {
    const battery_row *row = &t->rows[r];
    battery_figures f = {.hash = BENCH_HASH_START};
    double *ns = calloc(t->cases->count + 1, sizeof *ns);
    size_t timed = 0;
    for (size_t i = 0; i < t->cases->count; i++) {
        const battery_pair *p = &t->cases->pairs[i];
        const battery_result *result = &row->results[i];
        if (p->part != part) {
            continue;
        }
        f.count++;
        f.failed += result->verdict <= VERDICT_WRONG;
        f.undecided += result->verdict == VERDICT_UNDECIDED;
        bench_hash_gap(&f.hash, result->gap);
        if (ns != NULL && isfinite(result->ns)) {
            ns[timed++] = result->ns;
        }
        if (isfinite(result->gap)) {
            double error = (double)fabsl(result->gap - p->gap);
            f.gaps++;
            f.mean_error += error;
            f.worst_error = fmax(f.worst_error, error);
        }
    }
    bool peer = row->way == BATTERY_PEER;
    bool offers = !peer || (part == BATTERY_SEPARATED ? row->method->gives_distance
                                                      : row->method->gives_depth);
    f.gaps = offers ? f.gaps : 0;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    bench_figures times = bench_figure(ns, timed);
    f.mean = times.mean;
    // a batch is timed as a whole
    f.median = row->way == BATTERY_BATCH ? NAN : times.median;
    f.p99 = row->way == BATTERY_BATCH ? NAN : times.p99;
    free(ns);
    return f;
}

/* ---- tables */

static void print_part(FILE *out, const battery_table *t, battery_part part) {
    double unit = battery_figure(t, 0, part).mean;
    fprintf(out, "\n%s, %s: %zu pairs\n", set_names[t->cases->set], part_names[part],
            t->cases->part_count[part]);
    fprintf(out, "%-44s %9s %9s %9s %7s %9s %10s %11s %8s\n", "", "mean us", "median", "p99",
            "failed", "undecided", "mean error", "worst error", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        const battery_row *row = &t->rows[r];
        battery_figures f = battery_figure(t, r, part);
        char name[120];
        snprintf(name, sizeof name, "%s", row->name);
        if (row->tolerance[part] > 0.0) {
            snprintf(name, sizeof name, "%s, tol %.0e", row->name, row->tolerance[part]);
        }
        fprintf(out, "%-44s", name);
        bench_cell(out, 9, "%.3f", f.mean * 1e-3);
        bench_cell(out, 9, "%.3f", f.median * 1e-3);
        bench_cell(out, 9, "%.3f", f.p99 * 1e-3);
        fprintf(out, " %7zu", f.failed);
        if (row->way == BATTERY_PEER) {
            fprintf(out, " %9s", "-"); // it has no way to say so
        } else {
            fprintf(out, " %9zu", f.undecided);
        }
        bench_cell(out, 10, "%.1e", f.mean_error);
        bench_cell(out, 11, "%.1e", f.worst_error);
        bench_cell(out, 8, "%.1f", f.mean / unit);
        fputc('\n', out);
    }
}

/** Mean number of vertices that a mesh of "at most so many" has, over the first shapes. */
static double mesh_vertices(const battery_cases *c, size_t most) {
    enum { SHAPES = 100 };
    size_t count = c->count < SHAPES ? c->count : SHAPES;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        ov_mesh_options options = {.vertices = most};
        ov_mesh_plan plan = {0};
        ov_shape_mesh_plan(&c->pairs[i].a, &options, &plan);
        sum += (double)plan.vertex_count;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static void print_meshes(FILE *out, const battery_table *t) {
    size_t last = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        size_t vertices = t->rows[r].vertices;
        if (vertices > last) {
            fprintf(out, "%s%zu vertices (on average %.0f)", last == 0 ? "Meshes: at most " : ", ",
                    vertices, mesh_vertices(t->cases, vertices));
            last = vertices;
        }
    }
    fputs(last > 0 ? "; whole rings only.\n" : "", out);
}

static void print_table(FILE *out, const battery_table *t) {
    const battery_cases *c = t->cases;
    fprintf(out, "Battery of %s: %zu pairs, seed %llu.\n", set_names[c->set], c->count,
            (unsigned long long)c->seed);
    if (c->set == BATTERY_SUPEROVOIDS) {
        fprintf(out,
                "a = 1, centres 2.21 apart, e in [0.3, 1.1], T in [-0.4, 0.4] [Benchmark, 5.1]; "
                "%zu shapes\nwith a dent above 5 %% of the semi-axis were drawn again.\n",
                c->redrawn);
    } else {
        fputs("Semi-axes in [0.3, 1.5], every other pair overlapping.\n", out);
    }
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e (separated), +-%.0e "
            "(overlapping)%s.\n",
            c->reference_error[BATTERY_SEPARATED], c->reference_error[BATTERY_OVERLAPPING],
            c->unsure > 0 ? "; some pairs could not be told apart" : "");
    fprintf(out,
            "Times: best of 3 of each query, less %.0f ns of the clock; tolerance of Ovoid "
            "1e-9, global depth.\n",
            t->clock_ns);
    print_meshes(out, t);
    print_part(out, t, BATTERY_SEPARATED);
    print_part(out, t, BATTERY_OVERLAPPING);
}

/* ---- CSV */

static void csv_head(FILE *out) {
    fputs("battery,part,method,vertices,tolerance,pairs,failed,undecided,mean_us,median_us,p99_us,"
          "gaps,mean_error,worst_error,ratio,hash\n",
          out);
}

void battery_write_row(FILE *out, const char *part, const char *id, size_t vertices,
                       double tolerance, const battery_figures *f, double unit) {
    fprintf(out, ",%s,%s,%zu", part, id, vertices);
    bench_csv_number(out, tolerance);
    fprintf(out, ",%zu,%zu,%zu", f->count, f->failed, f->undecided);
    bench_csv_number(out, f->mean * 1e-3);
    bench_csv_number(out, f->median * 1e-3);
    bench_csv_number(out, f->p99 * 1e-3);
    fprintf(out, ",%zu", f->gaps);
    bench_csv_number(out, f->mean_error);
    bench_csv_number(out, f->worst_error);
    bench_csv_number(out, f->mean / unit);
    fprintf(out, ",%016llx\n", (unsigned long long)f->hash);
}

static void write_csv(FILE *out, const battery_table *t) {
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double unit = battery_figure(t, 0, (battery_part)part).mean;
        for (size_t r = 0; r < t->row_count; r++) {
            const battery_row *row = &t->rows[r];
            battery_figures f = battery_figure(t, r, (battery_part)part);
            fputs(set_names[t->cases->set], out);
            battery_write_row(out, part_names[part], row->id, row->vertices,
                              row->tolerance[part] > 0.0 ? row->tolerance[part] : NAN, &f, unit);
        }
    }
}

/* ---- goals */

static void goal(FILE *out, const char *what, const char *sign, double limit, double measured,
                 const char *unit) {
    const char *word = "not measured";
    if (isfinite(measured)) {
        bool met = sign[0] == '<' ? measured <= limit : measured >= limit;
        word = met ? "met" : "missed";
    }
    fprintf(out, "  %-83s %s %5g %-6s", what, sign, limit, unit);
    bench_cell(out, 10, measured >= 100.0 ? "%.0f" : "%.2f", measured);
    fprintf(out, "  %s\n", word);
}

static size_t find_row(const battery_table *t, const char *id) {
    for (size_t r = 0; r < t->row_count; r++) {
        if (strcmp(t->rows[r].id, id) == 0) {
            return r;
        }
    }
    return t->row_count;
}

static void goals_against(FILE *out, const battery_table *t, battery_part part, double times) {
    battery_figures cold = battery_figure(t, 0, part);
    for (size_t r = 0; r < t->row_count; r++) {
        const battery_row *row = &t->rows[r];
        bool rival = row->way == BATTERY_PEER && row->method->input != PEER_MESH &&
                     row->method->input != PEER_HULL;
        battery_figures f = battery_figure(t, r, part);
        if (!rival || f.gaps == 0) {
            continue;
        }
        char what[160];
        snprintf(what, sizeof what, "%s, %s: times slower: %s", set_names[t->cases->set],
                 part_names[part], row->name);
        goal(out, what, ">=", times, f.mean / cold.mean, "");
        snprintf(what, sizeof what, "%s, %s: orders less accurate: %s", set_names[t->cases->set],
                 part_names[part], row->name);
        // an error below what the reference can tell counts as that
        double least = fmax(cold.mean_error, 1e-17);
        goal(out, what, ">=", 5.0, log10(f.mean_error / least), "");
    }
}

static void goals_superovoids(FILE *out, const battery_table *t) {
    battery_figures cold = battery_figure(t, 0, BATTERY_SEPARATED);
    size_t mesh = find_row(t, "fcl_mesh_distance_290");
    double ratio = NAN, orders = NAN;
    if (mesh < t->row_count) {
        battery_figures f = battery_figure(t, mesh, BATTERY_SEPARATED);
        ratio = f.mean / cold.mean;
        orders = log10(f.mean_error / fmax(cold.mean_error, 1e-17));
    }
    goal(out, "superovoids, separated: times slower: FCL mesh distance, 290 vertices", ">=", 100.0,
         ratio, "");
    goal(out, "superovoids, separated: orders less accurate: FCL mesh distance, 290 vertices",
         ">=", 5.0, orders, "");
    goals_against(out, t, BATTERY_SEPARATED, 20.0);
    goals_against(out, t, BATTERY_OVERLAPPING, 20.0);
}

static void goals_ellipsoids(FILE *out, const battery_table *t) {
    goals_against(out, t, BATTERY_SEPARATED, 3.0);
    goals_against(out, t, BATTERY_OVERLAPPING, 3.0);
}

/* ==== the study */

static void print_goals(FILE *out, const battery_table tables[BATTERY_SETS]) {
    fputs("\nGoals, and what was measured (orders: of the mean error):\n", out);
    if (tables[BATTERY_SUPEROVOIDS].row_count > 0) {
        goals_superovoids(out, &tables[BATTERY_SUPEROVOIDS]);
    }
    if (tables[BATTERY_ELLIPSOIDS].row_count > 0) {
        goals_ellipsoids(out, &tables[BATTERY_ELLIPSOIDS]);
    }
}

/** Superovoids and ellipsoids, as far as they are asked for. */
static int measure_smooth(cli *c, const bench_job *job) {
    battery_cases cases[BATTERY_SETS] = {{0}};
    battery_table tables[BATTERY_SETS] = {{0}};
    bool good = true;
    for (int set = 0; set < BATTERY_SETS && good; set++) {
        if (job->only == NULL || strcmp(job->only, set_names[set]) == 0) {
            good =
                battery_draw((battery_set)set, job->pairs, job->seed, job->progress, &cases[set]) &&
                measure(&cases[set], job->peers, job->progress, &tables[set]);
        }
    }
    if (good) {
        progress_end(job->progress->user);
        for (int set = 0; set < BATTERY_SETS; set++) {
            if (tables[set].row_count > 0) {
                print_table(c->out, &tables[set]);
                fputc('\n', c->out);
            }
        }
        print_goals(c->out, tables);
    }
    for (int set = 0; set < BATTERY_SETS; set++) {
        if (good && job->csv != NULL && tables[set].row_count > 0) {
            write_csv(job->csv, &tables[set]);
        }
        free_table(&tables[set]);
        battery_cases_free(&cases[set]);
    }
    return good ? CLI_OK : cli_error(c, "battery", "not enough memory for %zu pairs", job->pairs);
}

int study_battery(cli *c, const bench_job *job) {
    bool kinds = job->only == NULL || strcmp(job->only, "kinds") == 0;
    bool smooth = job->only == NULL || !kinds;
    if (job->csv != NULL) {
        csv_head(job->csv);
    }
    int status = smooth ? measure_smooth(c, job) : CLI_OK;
    if (smooth && kinds && status == CLI_OK) {
        fputc('\n', c->out);
    }
    return kinds && status == CLI_OK ? kinds_measure(c, job) : status;
}
