/**
 * @file study_icub.c
 * @brief Both hands of an iCub moving through each other [Thesis, 5, 6.2; Benchmark, 5.2, 6.3,
 * Table 4, Fig. 11]: `ovoid-bench icub`.
 *
 * The bundled hands are one robot (URDF), and their movement a table of joint positions; scripts/
 * make-icub makes the files, and tells how. A surface is a link whose name begins with left_ or
 * right_ and that has one shape. The movement has a column for each joint, named in its first line;
 * joints that it does not name rest.
 *
 * Which queries: the paper timed a query only where the two surfaces intersect. Those are one part
 * here; the other is the pairs of a left with a right surface that are nearer than 5 mm, since a
 * distance is asked for before the contact. A pair's coherence begins when it comes that near, and
 * is lost when it leaves: its first query is a cold one for every row, and counts.
 *
 * How they are timed: as in battery.c. Within a frame the rows take turns; a row goes through the
 * near pairs of the frame three times, from the same state, and the best time of each query counts.
 * A scheme is timed by its own readings of the clock, which leave out the making of octrees, as the
 * paper does. Meshes are made once and moved outside the timing. The schemes are as published,
 * Jacobians by differences. The paper has two implementations of each, for superellipsoids and for
 * superovoids; here one does both.
 *
 * In the tables, times are over all queries that were answered at all, solved or not, as those of
 * the paper. The printed ones are of the paper's machine and of its own hands; it tells of no
 * failures. *failed* counts queries without an answer, or that the method itself calls unsolved;
 * *wrong* answers with the other relation, or with bounds that the reference lies outside of; *off*
 * gaps that differ from the reference by more than 0.01 mm.
 */
#include "icub.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/world.h>

/* ==== the hands =============================================================================== */

enum { PATH_BYTES = 240 };

/** "superellipsoids", "mixed". */
static const char *version_name(icub_version version) {
    return version == ICUB_SUPERELLIPSOIDS ? "superellipsoids" : "mixed";
}

static bool fail(icub_error *error, const char *path, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Says what is wrong; false, for the caller to return. */
static bool fail(icub_error *error, const char *path, size_t line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->what, sizeof error->what, format, values);
    va_end(values);
    if (line > 0) {
        snprintf(error->where, sizeof error->where, "%.*s:%zu", PATH_BYTES, path, line);
    } else {
        snprintf(error->where, sizeof error->where, "%.*s", PATH_BYTES, path);
    }
    return false;
}

/* ---- the movement */

/** Says what is wrong with the movement. */
static bool fail_movement(icub_error *error, const char *path, ov_status status,
                          const ov_joints *joints, const ov_fault *told) {
    if (told->index > 1 && (status == OV_ERROR_FILE_FORMAT || status == OV_ERROR_NOT_FINITE)) {
        return fail(error, path, told->index, "not a row of %zu finite numbers",
                    joints->column_count);
    }
    return fail(error, path, told->index, "%.200s", told->text);
}

static bool read_movement(const char *path, const ov_model *model, ov_joints *joints,
                          icub_error *error) {
    ov_fault told;
    ov_status status = ov_joints_read(path, model, true, joints, &told);
    if ((status == OV_ERROR_COUNT && told.index == 0) || (status == OV_OK && joints->count < 2)) {
        return fail(error, path, 0, "no movement: it needs two rows of positions");
    }
    if (status != OV_OK) {
        return fail_movement(error, path, status, joints, &told);
    }
    return joints->count <= ICUB_FRAMES_MAX ||
           fail(error, path, 0, "more than %d rows", ICUB_FRAMES_MAX);
}

/* ---- the hands */

static bool find_surfaces(const char *path, const ov_model *model, icub_hands *hands,
                          uint32_t links[ICUB_HANDS][ICUB_SURFACES], icub_error *error) {
    static const char *const prefixes[ICUB_HANDS] = {"left_", "right_"};
    size_t counts[ICUB_HANDS] = {0};
    for (size_t link = 0; link < ov_model_link_count(model); link++) {
        const ov_geometry *geometry = ov_model_link_geometry(model, link);
        const char *name = ov_model_link_name(model, link);
        for (int h = 0; h < ICUB_HANDS && geometry != NULL; h++) {
            if (strncmp(name, prefixes[h], strlen(prefixes[h])) != 0) {
                continue;
            }
            const ov_part *part = ov_geometry_part(geometry, 0);
            if (counts[h] == ICUB_SURFACES || ov_geometry_count(geometry) != 1 ||
                part->mesh != NULL || part->shape.kind > OV_SHAPE_KIND_SUPEROVOID) {
                return fail(error, path, 0, "link '%.60s' is not one of %d smooth surfaces", name,
                            ICUB_SURFACES);
            }
            icub_surface *surface = &hands->surfaces[h][counts[h]];
            snprintf(surface->name, sizeof surface->name, "%s", name);
            surface->shape = part->shape;
            links[h][counts[h]++] = (uint32_t)link;
        }
    }
    return (counts[0] == ICUB_SURFACES && counts[1] == ICUB_SURFACES) ||
           fail(error, path, 0, "has %zu and %zu surfaces, not %d for each hand", counts[0],
                counts[1], ICUB_SURFACES);
}

/** Positions at a time from 0 to 1 of the movement, between the rows linearly. */
static void positions_at(const ov_joints *m, double time, double *positions) {
    double at = time * (double)(m->count - 1);
    size_t row = (size_t)fmin(floor(at), (double)(m->count - 2));
    const double *from = m->positions + row * m->width, *to = from + m->width;
    double share = at - (double)row;
    for (size_t i = 0; i < m->width; i++) {
        // a share of 1 must give the row itself
        positions[i] = share < 1.0 ? from[i] + share * (to[i] - from[i]) : to[i];
    }
}

static bool make_frames(const ov_model *model, const ov_joints *m, icub_hands *hands,
                        uint32_t links[ICUB_HANDS][ICUB_SURFACES]) {
    ov_pose *poses = calloc(ov_model_link_count(model), sizeof *poses);
    double *positions = calloc(m->width + 1, sizeof *positions);
    hands->frames = calloc(hands->frame_count, sizeof *hands->frames);
    bool good = poses != NULL && positions != NULL && hands->frames != NULL;
    for (size_t f = 0; f < hands->frame_count && good; f++) {
        positions_at(m, (double)f / (double)(hands->frame_count - 1), positions);
        good = ov_model_poses(model, ov_pose_identity(), positions, poses) >= 0;
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES && good; k++) {
            int h = k / ICUB_SURFACES, s = k % ICUB_SURFACES;
            ov_pose link = poses[links[h][s]];
            ov_pose own = ov_geometry_part(ov_model_link_geometry(model, links[h][s]), 0)->pose;
            hands->frames[f].poses[h][s] =
                (ov_pose){.position = ov_pose_apply(link, own.position),
                          .rotation = ov_quat_mul(link.rotation, own.rotation)};
        }
    }
    free(positions);
    free(poses);
    return good;
}

enum { ICUB_PATH_BYTES = 320 };

/** The name of a file of the study: the hands of a version, or with ICUB_VERSIONS the movement. */
static void file_of(const char *data, int which, char path[ICUB_PATH_BYTES]) {
    int most = ICUB_PATH_BYTES - 80;
    if (which < ICUB_VERSIONS) {
        snprintf(path, ICUB_PATH_BYTES, "%.*s/icub/hands_%s.urdf", most, data,
                 version_name((icub_version)which));
    } else {
        snprintf(path, ICUB_PATH_BYTES, "%.*s/icub/movement.csv", most, data);
    }
}

bool icub_read(const char *data, icub_version version, size_t frames, icub_hands *hands,
               icub_error *error) {
    char path[ICUB_PATH_BYTES], table[ICUB_PATH_BYTES];
    uint32_t links[ICUB_HANDS][ICUB_SURFACES] = {{0}};
    ov_fault told = {0};
    ov_robot *robot = NULL;
    *hands = (icub_hands){.version = version};
    *error = (icub_error){.where = ""};
    file_of(data, (int)version, path);
    file_of(data, ICUB_VERSIONS, table);
    if (ov_robot_read(path, NULL, &robot, &told) < 0) {
        return fail(error, path, told.index, "%.200s", told.text);
    }
    ov_joints joints = {.count = 0};
    const ov_model *model = ov_robot_model(robot);
    bool good = find_surfaces(path, model, hands, links, error) &&
                read_movement(table, model, &joints, error);
    if (good) {
        hands->frame_count = frames >= 2 ? frames : joints.count;
        good = make_frames(model, &joints, hands, links) ||
               fail(error, table, 0, "no memory for the movement");
    }
    if (!good) {
        icub_free(hands);
    }
    ov_joints_free(&joints);
    ov_robot_destroy(robot);
    return good;
}

void icub_free(icub_hands *hands) {
    free(hands->frames);
    *hands = (icub_hands){.version = hands->version};
}

/* ==== the measuring =========================================================================== */

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

static bool add_peer(icub_table *t, const bench_peers *peers, bool distance, const char *name,
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

static bool add_rows(icub_table *t, const bench_peers *peers) {
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

static bool find_queries(icub_table *t, const bench_progress *progress) {
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
        bench_show(progress, "frames referred", f + 1, h->frame_count);
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
    double start = bench_now_ns();
    peer_answer answer = m->ask(a, b, 0.0);
    note(r, bench_now_ns() - start - u->table->clock_ns);
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
    double start = bench_now_ns();
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, &options, warm, &contact);
    note(r, bench_now_ns() - start - u->table->clock_ns);
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
                bench_object_make(at->method, &h->surfaces[hand][surface].shape,
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

static void measure_frames(run *u, const bench_progress *progress) {
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
        bench_show(progress, "frames measured", frame + 1, t->hands->frame_count);
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

bool icub_measure(const icub_hands *hands, const bench_peers *peers, const bench_progress *progress,
                  icub_table *table) {
    *table = (icub_table){.hands = hands, .clock_ns = bench_clock_ns()};
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

/* ==== the report ============================================================================== */

#define MILLI 1e3 // metres to millimetres

static const char *const part_names[BATTERY_PARTS] = {"near", "intersecting"};

/* ---- figures */

static void figure_gap(const icub_query *q, double gap, icub_figures *f) {
    if (isfinite(gap)) {
        double error = (double)fabsl(gap - q->pair.gap);
        f->gaps++;
        f->off += error > ICUB_RIGHT;
        f->mean_error += error;
        f->worst_error = fmax(f->worst_error, error);
    }
    bench_hash_gap(&f->hash, isfinite(gap) ? gap : NAN);
}

icub_figures icub_figure(const icub_table *t, size_t row, battery_part part) {
    icub_figures f = {.hash = BENCH_HASH_START};
    double *ns = calloc(t->query_count + 1, sizeof *ns);
    size_t timed = 0;
    for (size_t i = 0; i < t->query_count; i++) {
        const icub_query *q = &t->queries[i];
        const icub_result *r = &t->rows[row].results[i];
        if (q->pair.part != part) {
            continue;
        }
        f.count++;
        f.failed += r->verdict == VERDICT_NONE || r->verdict == VERDICT_UNDECIDED;
        f.wrong += r->verdict == VERDICT_WRONG;
        f.iterations += r->iterations;
        figure_gap(q, r->gap, &f);
        if (ns != NULL && isfinite(r->ns)) {
            ns[timed++] = r->ns;
        }
    }
    f.iterations = f.iterations > 0.0 ? f.iterations / (double)f.count : NAN;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    bench_figures times = bench_figure(ns, timed);
    f.mean = times.mean;
    f.sd = times.sd;
    f.median = times.median;
    f.p99 = times.p99;
    f.worst = times.worst;
    free(ns);
    return f;
}

size_t icub_find_row(const icub_table *t, const char *id) {
    size_t r = 0;
    while (r < t->row_count && strcmp(t->rows[r].id, id) != 0) {
        r++;
    }
    return r;
}

static double mean_of(const icub_table *t, const char *id, battery_part part) {
    size_t r = icub_find_row(t, id);
    return r < t->row_count ? icub_figure(t, r, part).mean : NAN;
}

/* ---- the tables */

static void print_paper(FILE *out, const icub_printed *p, const char *words) {
    if (isfinite(p->mean)) {
        fprintf(out, "%-38s", words);
        bench_cell(out, 9, "%.2f", p->mean);
        bench_cell(out, 8, "%.2f", p->sd);
        fprintf(out, " %8s %8s", "", "");
        bench_cell(out, 6, "%.1f", p->iterations);
        fputc('\n', out);
    }
}

static void print_row(FILE *out, const icub_table *t, size_t r, battery_part part, double unit) {
    const icub_row *row = &t->rows[r];
    icub_figures f = icub_figure(t, r, part);
    fprintf(out, "%-38s", row->name);
    bench_cell(out, 9, "%.2f", f.mean * 1e-3);
    bench_cell(out, 8, "%.2f", f.sd * 1e-3);
    bench_cell(out, 8, "%.2f", f.median * 1e-3);
    bench_cell(out, 8, "%.2f", f.p99 * 1e-3);
    bench_cell(out, 6, "%.1f", f.iterations);
    fprintf(out, " %6zu %6zu %6zu %6zu", f.failed, f.wrong, f.gaps, f.off);
    bench_cell(out, 8, "%.1e", f.mean_error * MILLI);
    bench_cell(out, 8, "%.1e", f.worst_error * MILLI);
    bench_cell(out, 7, "%.1f", f.mean / unit);
    fputc('\n', out);
    if (part == BATTERY_OVERLAPPING) {
        bool both = isfinite(row->paper[1].mean);
        print_paper(out, &row->paper[0],
                    both ? "  as printed, for superellipsoids" : "  as printed");
        print_paper(out, &row->paper[1], "  as printed, for superovoids");
    }
}

static void print_part(FILE *out, const icub_table *t, battery_part part) {
    double unit = mean_of(t, "ovoid_coherent", part);
    if (part == BATTERY_OVERLAPPING) {
        fprintf(out, "\n[Benchmark, Table 4], %s: %zu queries of intersecting pairs\n",
                version_name(t->hands->version), t->part_count[part]);
    } else {
        fprintf(out, "\n%s: %zu queries of separated pairs nearer than %g mm\n",
                version_name(t->hands->version), t->part_count[part], ICUB_NEAR * MILLI);
    }
    fprintf(out, "%-38s %9s %8s %8s %8s %6s %6s %6s %6s %6s %8s %8s %7s\n", "", "mean us", "sd",
            "median", "p99", "iter", "failed", "wrong",
            part == BATTERY_OVERLAPPING ? "depths" : "gaps", "off", "mean", "worst mm", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        print_row(out, t, r, part, unit);
    }
}

static void print_deepest(FILE *out, const icub_table *t) {
    const icub_query *deepest = NULL;
    for (size_t i = 0; i < t->query_count; i++) {
        if (deepest == NULL || t->queries[i].pair.gap < deepest->pair.gap) {
            deepest = &t->queries[i];
        }
    }
    if (deepest != NULL) {
        fprintf(out, "Least gap: %.3f mm in frame %zu, %s and %s.\n",
                (double)deepest->pair.gap * MILLI, deepest->frame,
                t->hands->surfaces[0][deepest->left].name,
                t->hands->surfaces[1][deepest->right].name);
    }
}

static void print_table(FILE *out, const icub_table *t) {
    fprintf(out,
            "Hands of the iCub, %s: %d surfaces each, %zu frames of %d pairs.\n"
            "The right hand comes towards the left one until the thumb tips touch, then turns "
            "inwards [Thesis, 6.2].\n",
            version_name(t->hands->version), ICUB_SURFACES, t->hands->frame_count, ICUB_PAIRS);
    print_deepest(out, t);
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e mm (near), +-%.0e mm "
            "(intersecting)%s.\n",
            t->reference_error[BATTERY_SEPARATED] * MILLI,
            t->reference_error[BATTERY_OVERLAPPING] * MILLI,
            t->unsure > 0 ? "; a touch could not be told" : "");
    fprintf(out,
            "Times: best of 3 of each query, less %.0f ns of the clock. Meshes: %.0f vertices on "
            "average.\nCoherent: from where the pair's query ended in the frame before; Ovoid then "
            "follows a depth, and\nlooks for the least of all only where it says so. Ratio: to "
            "Ovoid, coherent.\n",
            t->clock_ns, t->vertices);
    if (t->missing[0] != '\0') {
        fprintf(out, "Not built: %s.\n", t->missing);
    }
    print_part(out, t, BATTERY_OVERLAPPING);
    print_part(out, t, BATTERY_SEPARATED);
}

/* ---- the goals */

/** Mean time over the queries of both parts. */
static double mean_of_all(const icub_table *t, const char *id) {
    double sum = 0.0, count = 0.0;
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double n = (double)t->part_count[part];
        sum += n > 0.0 ? n * mean_of(t, id, (battery_part)part) : 0.0;
        count += n;
    }
    return sum / count;
}

static void goal(FILE *out, const char *what, double ratio) {
    static const double times = 30.0;
    fprintf(out, "  %-62s >= %.0f", what, times);
    bench_cell(out, 8, "%.1f", ratio);
    fprintf(out, "  %s\n", !isfinite(ratio) ? "not measured" : ratio >= times ? "met" : "missed");
}

static void print_depths(FILE *out, const icub_table *t) {
    size_t fcl = icub_find_row(t, "fcl_mesh_distance");
    icub_figures f = icub_figure(t, icub_find_row(t, "ovoid_coherent"), BATTERY_OVERLAPPING);
    fprintf(out, "  depths of intersecting pairs: Ovoid, coherent %zu of %zu", f.gaps, f.count);
    if (fcl < t->row_count) {
        // a mesh that stays inside its body may miss the body's contact, and give a distance
        icub_figures mesh = icub_figure(t, fcl, BATTERY_OVERLAPPING);
        fprintf(out, "; FCL mesh distance %zu", mesh.gaps - mesh.wrong);
    }
    fputs("\n", out);
}

/** Every row of Ovoid that is coherent, over every part: none is left out for being slow. */
static void print_ratios(FILE *out, const icub_table *t, const icub_row *row) {
    static const char *const fcl = "fcl_mesh_distance";
    char what[120];
    for (int part = BATTERY_PARTS - 1; part >= 0; part--) {
        battery_part p = (battery_part)part;
        snprintf(what, sizeof what, "%s: %s pairs", row->name, part_names[part]);
        goal(out, what, mean_of(t, fcl, p) / mean_of(t, row->id, p));
    }
    snprintf(what, sizeof what, "%s: all queries", row->name);
    goal(out, what, mean_of_all(t, fcl) / mean_of_all(t, row->id));
}

static void print_goals(FILE *out, const icub_table *const tables[ICUB_VERSIONS]) {
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        const icub_table *t = tables[v];
        fprintf(out, "\nGoals, %s: mean time of FCL mesh distance over that of\n",
                version_name(t->hands->version));
        for (size_t r = t->row_count; r-- > 0;) {
            if (t->rows[r].way == ICUB_OVOID && t->rows[r].coherent) {
                print_ratios(out, t, &t->rows[r]);
            }
        }
        print_depths(out, t);
    }
}

/* ---- CSV */

static void csv_head(FILE *out) {
    fputs("version,part,method,queries,failed,wrong,gaps,off,mean_us,sd_us,median_us,p99_us,"
          "worst_us,iterations,mean_error_mm,worst_error_mm,ratio,paper_mean_us,paper_sd_us,"
          "paper_iterations,hash\n",
          out);
}

static void write_csv(FILE *out, const icub_table *t) {
    for (int p = BATTERY_PARTS - 1; p >= 0; p--) {
        battery_part part = (battery_part)p;
        double unit = mean_of(t, "ovoid_coherent", part);
        for (size_t r = 0; r < t->row_count; r++) {
            const icub_row *row = &t->rows[r];
            icub_figures f = icub_figure(t, r, part);
            bool printed = part == BATTERY_OVERLAPPING;
            fprintf(out, "%s,%s,%s,%zu,%zu,%zu,%zu,%zu", version_name(t->hands->version),
                    part_names[part], row->id, f.count, f.failed, f.wrong, f.gaps, f.off);
            const double numbers[] = {f.mean * 1e-3,
                                      f.sd * 1e-3,
                                      f.median * 1e-3,
                                      f.p99 * 1e-3,
                                      f.worst * 1e-3,
                                      f.iterations,
                                      f.mean_error * MILLI,
                                      f.worst_error * MILLI,
                                      f.mean / unit,
                                      printed ? row->paper[0].mean : NAN,
                                      printed ? row->paper[0].sd : NAN,
                                      printed ? row->paper[0].iterations : NAN};
            bench_csv_numbers(out, numbers, sizeof numbers / sizeof numbers[0]);
            fprintf(out, ",%016llx\n", (unsigned long long)f.hash);
        }
    }
}

/** Every query of every row: for plots of the distributions, and of the gaps over the frames. */
static void write_queries(FILE *out, const icub_table *t) {
    for (size_t r = 0; r < t->row_count; r++) {
        for (size_t i = 0; i < t->query_count; i++) {
            const icub_query *q = &t->queries[i];
            const icub_result *result = &t->rows[r].results[i];
            if (result->verdict == VERDICT_NONE) {
                continue;
            }
            fprintf(out, "%s,%s,%zu,%s,%s,%s", version_name(t->hands->version),
                    part_names[q->pair.part], q->frame, t->hands->surfaces[0][q->left].name,
                    t->hands->surfaces[1][q->right].name, t->rows[r].id);
            bench_csv_numbers(out, (const double[]){result->ns * 1e-3, result->gap * MILLI}, 2);
            fputc('\n', out);
        }
    }
}

/* ==== the study */

static int note_files(cli *c, const char *data) {
    int status = CLI_OK;
    for (int i = 0; i <= ICUB_VERSIONS && status == CLI_OK; i++) {
        char path[ICUB_PATH_BYTES];
        file_of(data, i, path);
        status = cli_note_input(c, path);
    }
    return status;
}

static void report(cli *c, const bench_job *job, const icub_table tables[ICUB_VERSIONS]) {
    const icub_table *const both[ICUB_VERSIONS] = {&tables[0], &tables[1]};
    print_table(c->out, both[0]);
    fputs("\n", c->out);
    print_table(c->out, both[1]);
    print_goals(c->out, both);
    if (job->csv != NULL) {
        csv_head(job->csv);
        write_csv(job->csv, both[0]);
        write_csv(job->csv, both[1]);
    }
    if (job->queries != NULL) {
        fputs("version,part,frame,left,right,method,us,gap_mm\n", job->queries);
        write_queries(job->queries, both[0]);
        write_queries(job->queries, both[1]);
    }
}

int study_icub(cli *c, const bench_job *job) {
    icub_hands hands[ICUB_VERSIONS] = {{0}};
    icub_table tables[ICUB_VERSIONS] = {{0}};
    icub_error error = {.what = ""};
    int status = note_files(c, job->data);
    if (status != CLI_OK) {
        return status;
    }
    bool good = true;
    for (int v = 0; v < ICUB_VERSIONS && good; v++) {
        good = icub_read(job->data, (icub_version)v, job->frames, &hands[v], &error);
    }
    for (int v = 0; v < ICUB_VERSIONS && good; v++) {
        good = icub_measure(&hands[v], job->peers, job->progress, &tables[v]);
    }
    if (good) {
        progress_end(job->progress->user);
        report(c, job, tables);
    }
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        icub_table_free(&tables[v]);
        icub_free(&hands[v]);
    }
    if (good) {
        return CLI_OK;
    }
    return error.what[0] != '\0' ? cli_error(c, error.where, "%s", error.what)
                                 : bench_no_memory(c, "icub");
}
