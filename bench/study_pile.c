/**
 * @file study_pile.c
 * @brief The study of piles, `ovoid-bench pile`: bodies poured into a box until they rest, beside
 * Bullet and ODE with hulls of the same bodies; and towers, an arch and an egg that must stand.
 *
 * Bodies of sixteen shapes, about a metre across, fall from a grid above the box. Everybody steps
 * by frames of 1/60 s, and nobody lets bodies fall asleep while time is measured. Depths are exact
 * in every row: the poses that a library has arrived at are taken, and the gaps of the true shapes
 * there are those of ov_world_contacts. The hulls have 80 vertices on the surface, so bodies made
 * of hulls sink into each other by what the hull leaves out.
 *
 * The others begin with the pile that Ovoid's fast mode has made, which they would take long to
 * build up, and let it settle for a second; so does the accurate mode where the pile is large.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/sim.h>
#include <ovoid/world.h>

#include "bench.h"

enum { SHAPES = 16, HULL_VERTICES = 80, PILE_ROWS = 32 };
enum { SMALL = 1000, LARGE = 10000, REST_FRAMES = 600, TIMED = 60 };
/** Of the accurate mode where the pile is large, from where the fast one ends. */
enum { ACCURATE_FRAMES = 240 };
/** Of the others. Their hulls are smaller than the bodies: in the first frames they fall until they
 *  touch, and have little to do. */
enum { PEER_FRAMES = 60 };
#define FRAME (1.0 / 60.0)
#define FRICTION 0.5
/** Arm of the rolling resistance, in units of the mean size: a stone on stones. */
#define ROLLING 0.02

/** What bodies a pile is of. */
typedef enum pile_kind {
    PILE_ELLIPSOIDS,
    PILE_SUPERELLIPSOIDS,
    PILE_SUPEROVOIDS,
    PILE_KINDS
} pile_kind;
static const char *const kind_names[PILE_KINDS] = {"ellipsoids", "superellipsoids", "superovoids"};

typedef struct pile {
    pile_kind kind;
    size_t count;
    ov_shape shapes[SHAPES];
    ov_geometry *geometries[SHAPES], *box;
    bench_mesh hulls[SHAPES];
    ov_mass masses[SHAPES];
    double half;    /**< of the box */
    ov_pose *start; /**< above it */
    ov_pose *poses; /**< at hand */
} pile;

typedef struct pile_row {
    pile_kind kind;
    size_t bodies;
    const char *name, *id;
    double ms;                  /**< of a frame: the mean over the last ones */
    double two_threads;         /**< how much faster two threads are than one; NaN: not asked */
    double mean_mm, deepest_mm; /**< of the exact overlaps */
    double speed;               /**< root of the mean square over the bodies, at the end */
    double escaped;             /**< bodies outside of the box */
    double points;              /**< of contact, per body; of Ovoid */
} pile_row;

typedef struct pile_study {
    pile_row rows[PILE_ROWS];
    size_t count;
} pile_study;

/* ==== bodies and box ========================================================================== */

static ov_status make_shape(pile_kind kind, bench_random *r, ov_shape *shape) {
    ov_vec3 a = {bench_uniform(r, 0.35, 0.65), bench_uniform(r, 0.35, 0.65),
                 bench_uniform(r, 0.35, 0.65)};
    if (kind == PILE_ELLIPSOIDS) {
        return ov_shape_make_ellipsoid(a, shape);
    }
    double e1 = bench_uniform(r, 0.1, 1.5), e2 = bench_uniform(r, 0.1, 1.5);
    if (kind == PILE_SUPERELLIPSOIDS) {
        return ov_shape_make_superellipsoid(a, e1, e2, shape);
    }
    return ov_shape_make_superovoid(a, e1, e2, bench_uniform(r, -0.3, 0.3),
                                    bench_uniform(r, -0.3, 0.3), NULL, shape);
}

static bool make_shapes(pile *p, bench_random *r) {
    for (int i = 0; i < SHAPES; i++) {
        ov_part part = {.pose = ov_pose_identity()};
        ov_status status = OV_ERROR_DENT;
        while (status == OV_ERROR_DENT) {
            status = make_shape(p->kind, r, &part.shape);
        }
        p->shapes[i] = part.shape;
        if (status < 0 || ov_shape_mass(&part.shape, 1000.0, &p->masses[i]) < 0 ||
            ov_geometry_create(&part, 1, NULL, &p->geometries[i]) < 0 ||
            !bench_mesh_make(&part.shape, HULL_VERTICES, true, &p->hulls[i])) {
            return false;
        }
    }
    return true;
}

/** Floor and walls: half-spaces of one fixed body. */
static bool make_box(double half, ov_geometry **box) {
    static const ov_vec3 normals[5] = {
        {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};
    ov_part parts[5];
    for (int i = 0; i < 5; i++) {
        parts[i] = (ov_part){.pose = ov_pose_identity()};
        if (ov_shape_make_halfspace(normals[i], i == 0 ? 0.0 : -half, &parts[i].shape) < 0) {
            return false;
        }
    }
    return ov_geometry_create(parts, 5, NULL, box) >= 0;
}

static void pile_free(pile *p) {
    for (int i = 0; i < SHAPES; i++) {
        ov_geometry_destroy(p->geometries[i]);
        bench_mesh_free(&p->hulls[i]);
    }
    ov_geometry_destroy(p->box);
    free(p->start);
    free(p->poses);
    *p = (pile){.count = 0};
}

/** A column of bodies over a box: layers of a grid, each body turned and moved at random. */
static bool pile_make(pile_kind kind, size_t count, uint64_t seed, pile *p) {
    bench_random r = {seed + (uint64_t)kind};
    *p = (pile){.kind = kind, .count = count};
    const double pitch = 1.45;
    size_t side = (size_t)ceil(cbrt((double)count));
    p->half = 0.5 * pitch * (double)side;
    p->start = calloc(count, sizeof *p->start);
    p->poses = calloc(count, sizeof *p->poses);
    if (p->start == NULL || p->poses == NULL || !make_shapes(p, &r) ||
        !make_box(p->half, &p->box)) {
        pile_free(p);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ov_vec3 at = {pitch * ((double)(i % side) + 0.5) - p->half + bench_uniform(&r, -0.1, 0.1),
                      pitch * ((double)(i / side % side) + 0.5) - p->half +
                          bench_uniform(&r, -0.1, 0.1),
                      pitch * ((double)(i / side / side) + 0.7)};
        p->start[i] = (ov_pose){at, bench_rotation(&r)};
    }
    memcpy(p->poses, p->start, count * sizeof *p->poses);
    return true;
}

/* ==== what a pile is like ===================================================================== */

/** Exact overlaps of the bodies at hand, with each other and with the box. */
static bool measure_depth(const pile *p, pile_row *row) {
    ov_world *world;
    const ov_world_contact *contacts;
    size_t count, overlaps = 0;
    double sum = 0.0, deepest = 0.0;
    if (ov_world_create(NULL, &world) < 0) {
        return false;
    }
    ov_body body;
    ov_body_def def = {.geometry = p->box, .fixed = true};
    bool good = ov_world_add(world, &def, &body) >= 0;
    for (size_t i = 0; good && i < p->count; i++) {
        def = (ov_body_def){.geometry = p->geometries[i % SHAPES], .pose = p->poses[i]};
        good = ov_world_add(world, &def, &body) >= 0;
    }
    good = good && ov_world_contacts(world, 0.0, &contacts, &count) >= 0;
    for (size_t i = 0; good && i < count; i++) {
        double gap = contacts[i].contact.gap;
        if (gap < 0.0) {
            overlaps++;
            sum -= gap;
            deepest = fmax(deepest, -gap);
        }
    }
    ov_world_destroy(world);
    row->mean_mm = overlaps > 0 ? 1e3 * sum / (double)overlaps : 0.0;
    row->deepest_mm = 1e3 * deepest;
    return good;
}

static void note_speed(pile_row *row, double squares, const pile *p) {
    row->speed = sqrt(squares / (double)p->count);
    row->escaped = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        ov_vec3 x = p->poses[i].position;
        row->escaped += !(fabs(x.x) < p->half && fabs(x.y) < p->half && x.z > 0.0);
    }
}

/* ==== Ovoid =================================================================================== */

typedef struct ovoid_run {
    ov_sim *sim;
    ov_sim_body *bodies;
} ovoid_run;

static void ovoid_free(ovoid_run *run) {
    ov_sim_destroy(run->sim);
    free(run->bodies);
}

static bool ovoid_make(const pile *p, ov_sim_mode mode, ovoid_run *run) {
    ov_sim_options options = ov_default_sim_options();
    options.mode = mode;
    options.threads.count = 1;
    options.no_sleep = true;
    *run = (ovoid_run){.bodies = calloc(p->count, sizeof *run->bodies)};
    bool good = run->bodies != NULL && ov_sim_create(&options, &run->sim) >= 0;
    ov_sim_body_def def = {
        .geometry = p->box, .kind = OV_SIM_BODY_KIND_FIXED, .friction = FRICTION};
    ov_sim_body box;
    good = good && ov_sim_add_body(run->sim, &def, &box) >= 0;
    for (size_t i = 0; good && i < p->count; i++) {
        def = (ov_sim_body_def){.geometry = p->geometries[i % SHAPES],
                                .pose = p->poses[i],
                                .friction = FRICTION,
                                .rolling = ROLLING * 0.5};
        good = ov_sim_add_body(run->sim, &def, &run->bodies[i]) >= 0;
    }
    if (!good) {
        ovoid_free(run);
    }
    return good;
}

static void ovoid_read(const ovoid_run *run, pile *p, pile_row *row) {
    double squares = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        ov_sim_body_state state;
        (void)ov_sim_body_get(run->sim, run->bodies[i], &state);
        p->poses[i] = state.pose;
        squares += ov_vec3_dot(state.velocity, state.velocity);
    }
    note_speed(row, squares, p);
    ov_sim_summary summary;
    (void)ov_sim_summarize(run->sim, &summary);
    row->points = (double)summary.contacts / (double)p->count;
}

/** Frames on one and on two threads, a few of each in turns; the least time of each, which others
 *  disturb least. */
static bool compare_threads(ovoid_run *run, double *faster) {
    enum { FRAMES = 48, TURN = 4 };
    double best[2] = {INFINITY, INFINITY};
    for (int i = 0; i < FRAMES; i++) {
        unsigned threads = 1 + (unsigned)(i / TURN % 2);
        if (ov_sim_set_threads(run->sim, &(ov_threads){.count = threads}) < 0) {
            return false;
        }
        double start = bench_now_ns();
        if (ov_sim_step(run->sim, FRAME) < 0) {
            return false;
        }
        best[threads - 1] = fmin(best[threads - 1], bench_now_ns() - start);
    }
    *faster = best[0] / best[1];
    return ov_sim_set_threads(run->sim, &(ov_threads){.count = 1}) >= 0;
}

static bool run_ovoid(pile *p, ov_sim_mode mode, int frames, const bench_progress *progress,
                      pile_row *row) {
    ovoid_run run;
    if (!ovoid_make(p, mode, &run)) {
        return false;
    }
    double ns = 0.0;
    bool good = true;
    for (int i = 0; good && i < frames; i++) {
        bench_show(progress, "frames", (size_t)i, (size_t)frames);
        double start = bench_cpu_ns();
        good = ov_sim_step(run.sim, FRAME) >= 0;
        ns += i >= frames - TIMED ? bench_cpu_ns() - start : 0.0;
    }
    row->ms = 1e-6 * ns / (frames < TIMED ? frames : TIMED);
    ovoid_read(&run, p, row);
    good = good && measure_depth(p, row);
    if (good && p->count >= LARGE && mode == OV_SIM_MODE_FAST) {
        good = compare_threads(&run, &row->two_threads);
    }
    ovoid_free(&run);
    return good;
}

/* ==== the others ============================================================================== */

static peer_stone *stones_of(const pile *p) {
    peer_stone *stones = calloc(p->count, sizeof *stones);
    for (size_t i = 0; stones != NULL && i < p->count; i++) {
        const bench_mesh *m = &p->hulls[i % SHAPES];
        stones[i] = (peer_stone){
            {m->vertices, m->vertex_count, (const uint32_t(*)[3])m->triangles, m->triangle_count},
            p->masses[i % SHAPES],
            p->poses[i]};
    }
    return stones;
}

static bool run_peer(pile *p, const peer_pile *peer, int frames, const bench_progress *progress,
                     pile_row *row) {
    peer_stone *stones = stones_of(p);
    void *made = stones != NULL ? peer->make(stones, p->count, p->half, FRICTION) : NULL;
    if (made == NULL) {
        free(stones);
        return false;
    }
    double ns = 0.0, squares = 0.0;
    int timed = frames <= TIMED ? frames - 2 : TIMED; // the first ones make their caches
    for (int i = 0; i < frames; i++) {
        bench_show(progress, "frames", (size_t)i, (size_t)frames);
        double start = bench_cpu_ns();
        peer->step(made, FRAME);
        ns += i >= frames - timed ? bench_cpu_ns() - start : 0.0;
    }
    row->ms = 1e-6 * ns / timed;
    for (size_t i = 0; i < p->count; i++) {
        peer_motion m = peer->get(made, i);
        p->poses[i] = m.pose;
        squares += ov_vec3_dot(m.velocity, m.velocity);
    }
    note_speed(row, squares, p);
    peer->destroy(made);
    free(stones);
    return measure_depth(p, row);
}

/* ==== all piles =============================================================================== */

static pile_row *new_row(pile_study *s, const pile *p, const char *name, const char *id) {
    pile_row *row = &s->rows[s->count < PILE_ROWS - 1 ? s->count++ : s->count];
    *row = (pile_row){.kind = p->kind,
                      .bodies = p->count,
                      .name = name,
                      .id = id,
                      .two_threads = NAN,
                      .points = NAN};
    return row;
}

static bool measure_pile(pile_kind kind, size_t count, const bench_job *job, pile_study *s) {
    pile p;
    if (!pile_make(kind, count, job->seed, &p)) {
        return false;
    }
    bool large = count >= LARGE;
    bool good = run_ovoid(&p, OV_SIM_MODE_FAST, REST_FRAMES, job->progress,
                          new_row(s, &p, "Ovoid, fast", "ovoid_fast"));
    ov_pose *rest = good ? malloc(count * sizeof *rest) : NULL;
    good = rest != NULL;
    if (good) {
        memcpy(rest, p.poses, count * sizeof *rest);
    }
    if (good) {
        memcpy(p.poses, large ? rest : p.start, count * sizeof *p.poses);
        good = run_ovoid(&p, OV_SIM_MODE_ACCURATE, large ? ACCURATE_FRAMES : REST_FRAMES,
                         job->progress, new_row(s, &p, "Ovoid, accurate", "ovoid_accurate"));
    }
    for (size_t i = 0; good && i < job->peers->pile_count; i++) {
        const peer_pile *peer = job->peers->piles[i];
        memcpy(p.poses, rest, count * sizeof *p.poses);
        good = run_peer(&p, peer, PEER_FRAMES, job->progress, new_row(s, &p, peer->name, peer->id));
    }
    free(rest);
    pile_free(&p);
    return good;
}

static const pile_row *row_of(const pile_study *s, pile_kind kind, size_t bodies, const char *id) {
    for (size_t i = 0; i < s->count; i++) {
        const pile_row *r = &s->rows[i];
        if (r->kind == kind && r->bodies == bodies && strcmp(r->id, id) == 0) {
            return r;
        }
    }
    return NULL;
}

static void print_rows(FILE *out, const pile_study *s) {
    fputs("Bodies of 16 shapes, 0.7 to 1.3 m across, poured into a box; 10 s in frames of 1/60 s,\n"
          "no sleep; ms per frame on one processor, mean over the last second; depths are exact.\n"
          "The others go on from where Ovoid's fast mode ends, for a second; so does its accurate\n"
          "mode with the large piles, for four seconds\n\n"
          " bodies                  solver               ms   depth mm: mean  deepest  "
          "speed m/s  out  points/body\n",
          out);
    for (size_t i = 0; i < s->count; i++) {
        const pile_row *r = &s->rows[i];
        fprintf(out, "%7zu %-15s  %-16s  %8.2f  %14.3f %8.2f  %9.4f %4.0f", r->bodies,
                kind_names[r->kind], r->name, r->ms, r->mean_mm, r->deepest_mm, r->speed,
                r->escaped);
        bench_cell(out, 10, "%.2f", r->points);
        fputc('\n', out);
    }
}

enum { GOAL_WIDTH = 58 };

static void goal(FILE *out, const char *what, pile_kind kind, size_t bodies, double limit,
                 bool at_most, double measured) {
    char text[96];
    snprintf(text, sizeof text, "%zu %s: %s", bodies, kind_names[kind], what);
    bench_goal(out, GOAL_WIDTH, text, limit, at_most, measured);
}

static void print_goals(FILE *out, const pile_study *s) {
    fprintf(out, "\nGoals%75s\n", "goal   measured");
    for (size_t i = 0; i < s->count; i++) {
        const pile_row *r = &s->rows[i];
        bool fast = strcmp(r->id, "ovoid_fast") == 0, own = strncmp(r->id, "ovoid", 5) == 0;
        const pile_row *bullet = row_of(s, r->kind, r->bodies, "bullet");
        const pile_row *ode = row_of(s, r->kind, r->bodies, "ode");
        if (!own) {
            continue;
        }
        goal(out, fast ? "mean depth, mm, fast" : "mean depth, mm, accurate", r->kind, r->bodies,
             fast ? 2.0 : 0.15, true, r->mean_mm);
        goal(out, "residual speed, m/s", r->kind, r->bodies, 0.01, true, r->speed);
        if (fast && bullet != NULL) {
            goal(out, "time, of Bullet's", r->kind, r->bodies, 0.2, true, r->ms / bullet->ms);
        }
        if (fast && ode != NULL) {
            goal(out, "time, of ODE's", r->kind, r->bodies, 0.5, true, r->ms / ode->ms);
        }
        if (isfinite(r->two_threads)) {
            goal(out, "two threads faster by", r->kind, r->bodies, 1.6, false, r->two_threads);
        }
    }
}

static void write_csv(FILE *out, const pile_study *s) {
    fputs("bodies,kind,solver,ms,mean_mm,deepest_mm,speed,escaped,points,two_threads\n", out);
    for (size_t i = 0; i < s->count; i++) {
        const pile_row *r = &s->rows[i];
        fprintf(out, "%zu,%s,%s", r->bodies, kind_names[r->kind], r->id);
        bench_csv_numbers(out,
                          (const double[]){r->ms, r->mean_mm, r->deepest_mm, r->speed, r->escaped,
                                           r->points, r->two_threads},
                          7);
        fputc('\n', out);
    }
}

int study_pile(cli *c, const bench_job *job) {
    static const size_t sizes[] = {SMALL, LARGE};
    pile_study study = {.count = 0};
    for (size_t i = 0; i < 2 && sizes[i] <= job->bodies; i++) {
        for (pile_kind kind = 0; kind < PILE_KINDS; kind++) {
            if (job->only != NULL && strcmp(job->only, kind_names[kind]) != 0) {
                continue;
            }
            if (!measure_pile(kind, sizes[i], job, &study)) {
                return bench_no_memory(c, "pile");
            }
        }
    }
    progress_end(job->progress->user);
    print_rows(c->out, &study);
    print_goals(c->out, &study);
    if (job->csv != NULL) {
        write_csv(job->csv, &study);
    }
    return CLI_OK;
}
