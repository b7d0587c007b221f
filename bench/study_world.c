/**
 * @file study_world.c
 * @brief The study of worlds, `ovoid-bench world`: random packings of superovoids in motion, beside
 * the dynamic trees of other libraries.
 *
 * Bodies of sixteen shapes lie at random in a cube, at 60 % of their closest random packing. In
 * each frame every body drifts and turns by about a hundredth of its size, and bodies that overlap
 * are pushed apart. What is timed is what a simulation asks of a world in a frame: new poses, the
 * broad phase, and the narrow phase with all contacts up to a limit. Frames with one and with two
 * threads take turns, so that both see the same packing on the same machine. The other libraries'
 * trees get the tight boxes of the same bodies in the same frames, for the same limit, made outside
 * of the timing; Ovoid's own boxes are in its times.
 */
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <ovoid/world.h>

#include "bench.h"

enum { WORLD_SIZES_MAX = 4, WORLD_THREADS = 2, WORLD_PEERS_MAX = 4 };

/** Times of one part of a frame, in ns per body: the median over the frames. */
typedef struct world_times {
    double move, broad, narrow;
} world_times;

/** Another library's tree on the same boxes. */
typedef struct world_peer {
    const char *name, *id;
    double broad; /**< ns per body: new boxes and all pairs of boxes that meet */
    double pairs; /**< per body */
    double bytes; /**< per body, held from malloc */
} world_peer;

typedef struct world_row {
    size_t bodies;
    world_times times[WORLD_THREADS];
    double first;   /**< ns per body: adding all, and the first search */
    double bytes;   /**< per body, held by the world */
    double process; /**< per body, what the process grew by, at its peak */
    double moved, pairs, rejected_kept, rejected_ball, rejected_obb, queries, contacts, overlaps;
    size_t undecided, not_converged;
    uint64_t hash; /**< of all contacts */
    world_peer peers[WORLD_PEERS_MAX];
    size_t peer_count;
} world_row;

typedef struct world_brute {
    size_t bodies, contacts, lost, extra, differing; /**< against a search of all pairs */
    double worst;                                    /**< difference of gaps, in sizes */
} world_brute;

typedef struct world_study {
    uint64_t seed;
    double limit, density, step;
    world_row rows[WORLD_SIZES_MAX];
    size_t row_count;
    world_brute brute;
} world_study;

/* ==== packings ================================================================================ */

enum { WORLD_SHAPES = 16 };

typedef struct world_packing {
    ov_shape shapes[WORLD_SHAPES];
    ov_geometry *geometries[WORLD_SHAPES];
    double size; /**< mean radius of the shapes' balls */
    size_t count;
    ov_pose *poses;
    ov_vec3 *velocities, *spins; /**< a frame */
    ov_body *bodies;
    ov_world *world;
} world_packing;

static bool make_shapes(world_packing *p, bench_random *r) {
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_part part = {.pose = ov_pose_identity()};
        ov_status status = OV_ERROR_DENT;
        while (status == OV_ERROR_DENT) {
            ov_vec3 a = {bench_uniform(r, 0.8, 1.2), bench_uniform(r, 0.8, 1.2),
                         bench_uniform(r, 0.6, 1.0)};
            double e1 = bench_uniform(r, 0.4, 1.0), e2 = bench_uniform(r, 0.4, 1.0);
            double tx = bench_uniform(r, -0.2, 0.2), ty = bench_uniform(r, -0.2, 0.2);
            status = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &part.shape);
        }
        p->shapes[i] = part.shape;
        p->size += part.shape.ball.radius / WORLD_SHAPES;
        if (status < 0 || ov_geometry_create(&part, 1, NULL, &p->geometries[i]) < 0) {
            return false;
        }
    }
    return true;
}

static double mean_volume(const world_packing *p) {
    double sum = 0.0;
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_mass mass;
        sum += ov_shape_mass(&p->shapes[i], 1.0, &mass) >= 0 ? mass.volume : 0.0;
    }
    return sum / WORLD_SHAPES;
}

/** A vector of a length up to `most`. */
static ov_vec3 random_vector(bench_random *r, double most) {
    ov_vec3 direction = bench_direction(r);
    return ov_vec3_scale(direction, bench_uniform(r, 0.0, most));
}

/** Bodies are added in an order that has nothing to do with where they are. */
static void shuffle(ov_pose *poses, size_t count, bench_random *r) {
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)bench_uniform(r, 0.0, (double)i);
        k = k < i ? k : i - 1;
        ov_pose swap = poses[k];
        poses[k] = poses[i - 1];
        poses[i - 1] = swap;
    }
}

static bool add_bodies(world_packing *p) {
    for (size_t i = 0; i < p->count; i++) {
        ov_body_def def = ov_default_body_def();
        def.geometry = p->geometries[i % WORLD_SHAPES];
        def.pose = p->poses[i];
        def.user = (void *)(uintptr_t)i;
        if (ov_world_add(p->world, &def, &p->bodies[i]) < 0) {
            return false;
        }
    }
    return true;
}

/** Bodies on a grid, turned at random, in a world; false without memory. */
static bool packing_make(size_t count, double density, double step, uint64_t seed,
                         world_packing *packing) {
    bench_random r = {seed};
    world_packing *p = packing;
    *p = (world_packing){.count = count};
    p->poses = calloc(count, sizeof *p->poses);
    p->velocities = calloc(count, sizeof *p->velocities);
    p->spins = calloc(count, sizeof *p->spins);
    p->bodies = calloc(count, sizeof *p->bodies);
    if (p->poses == NULL || p->velocities == NULL || p->spins == NULL || p->bodies == NULL ||
        !make_shapes(p, &r) || ov_world_create(NULL, &p->world) < 0) {
        return false;
    }
    double side = cbrt(mean_volume(p) / density);
    size_t row = (size_t)ceil(cbrt((double)count));
    for (size_t i = 0; i < count; i++) {
        ov_vec3 cell = {(double)(i % row), (double)(i / row % row), (double)(i / row / row)};
        p->poses[i] = (ov_pose){ov_vec3_scale(cell, side), bench_rotation(&r)};
        p->velocities[i] = random_vector(&r, step * p->size);
        p->spins[i] = random_vector(&r, step);
    }
    shuffle(p->poses, count, &r);
    return add_bodies(p);
}

static void packing_free(world_packing *packing) {
    ov_world_destroy(packing->world);
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_geometry_destroy(packing->geometries[i]);
    }
    free(packing->poses);
    free(packing->velocities);
    free(packing->spins);
    free(packing->bodies);
    *packing = (world_packing){0};
}

/** Moves all bodies by a frame; not yet in the world. */
static void packing_drift(world_packing *packing) {
    for (size_t i = 0; i < packing->count; i++) {
        ov_pose *pose = &packing->poses[i];
        ov_vec3 spin = packing->spins[i];
        ov_quat turn = ov_quat_from_axis_angle(spin, sqrt(ov_vec3_dot(spin, spin)));
        pose->position = ov_vec3_add(pose->position, packing->velocities[i]);
        (void)ov_quat_normalize(ov_quat_mul(turn, pose->rotation), &pose->rotation);
    }
}

/** Which body of the packing this one of the world is. */
static size_t packing_index(const world_packing *packing, ov_body body) {
    ov_body_def def = {.user = NULL};
    (void)ov_world_get(packing->world, body, &def);
    return (size_t)(uintptr_t)def.user;
}

/** Pushes bodies that overlap apart, and lets them rebound; returns how many contacts overlap. */
static size_t packing_part(world_packing *packing, const ov_world_contact *contacts, size_t count) {
    size_t overlaps = 0;
    for (size_t i = 0; i < count; i++) {
        const ov_contact *c = &contacts[i].contact;
        if (c->status < 0 || c->relation != OV_RELATION_OVERLAPPING) {
            continue;
        }
        overlaps++;
        size_t a = packing_index(packing, contacts[i].a);
        size_t b = packing_index(packing, contacts[i].b);
        ov_vec3 *pa = &packing->poses[a].position, *pb = &packing->poses[b].position;
        *pa = ov_vec3_add_scaled(*pa, c->normal, 0.55 * c->gap);
        *pb = ov_vec3_add_scaled(*pb, c->normal, -0.55 * c->gap);
        ov_vec3 *va = &packing->velocities[a], *vb = &packing->velocities[b];
        double towards = ov_vec3_dot(c->normal, ov_vec3_sub(*vb, *va));
        if (towards < 0.0) { // as equal masses do
            *va = ov_vec3_add_scaled(*va, c->normal, towards);
            *vb = ov_vec3_add_scaled(*vb, c->normal, -towards);
        }
    }
    return overlaps;
}

/* ==== the measuring =========================================================================== */

#define LIMIT 0.05          // contacts up to this part of the mean radius
#define CLOSE_PACKING 0.70  // of such bodies at random
#define PART_OF_PACKING 0.6 // of that
#define STEP 0.01           // motion a frame, in sizes and radians

enum { RELAX_FRAMES = 12, FRAMES = 10, FRAMES_LARGE = 4, LARGE = 300000, BRUTE = 10000 };

/* ---- figures */

static uint64_t hash_contacts(const ov_world_contact *c, size_t count) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &c[i].contact.gap, sizeof bits);
        hash = (hash ^ bits ^ c[i].a * 31 ^ c[i].b) * 1099511628211u;
    }
    return hash;
}

/** The most memory that the process has had, in bytes. */
static double peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : NAN;
}

/* ---- one frame */

typedef struct frame {
    double move, broad, narrow; /**< ns */
    const ov_world_contact *contacts;
    size_t count;
    ov_world_counts counts;
    size_t moved;
} frame;

static bool run_frame(world_packing *p, double limit, unsigned threads, frame *f) {
    if (ov_world_set_threads(p->world, &(ov_threads){.count = threads}) != OV_OK) {
        return false;
    }
    double start = bench_now_ns();
    ov_status status = ov_world_move_all(p->world, p->bodies, p->poses, p->count, NULL);
    double moved = bench_now_ns();
    status = status == OV_OK ? ov_world_update(p->world, limit) : status;
    double found = bench_now_ns();
    f->moved = ov_world_last_counts(p->world).moved;
    status = status == OV_OK ? ov_world_contacts(p->world, limit, &f->contacts, &f->count) : status;
    double end = bench_now_ns();
    f->move = moved - start;
    f->broad = found - moved;
    f->narrow = end - found;
    f->counts = ov_world_last_counts(p->world);
    return status == OV_OK;
}

/* ---- the other libraries' trees */

typedef struct rivals {
    const peer_broad *broads[WORLD_PEERS_MAX];
    void *trees[WORLD_PEERS_MAX];
    double times[WORLD_PEERS_MAX][FRAMES];
    size_t count, frames;
    ov_aabb *boxes;
} rivals;

static void find_rivals(const bench_peers *peers, rivals *r) {
    *r = (rivals){.count = 0};
    for (size_t i = 0; i < peers->broad_count && r->count < WORLD_PEERS_MAX; i++) {
        r->broads[r->count++] = peers->broads[i];
    }
}

/** Tight boxes, larger by half of the limit: those of bodies within the limit meet. */
static bool make_boxes(const world_packing *p, double limit, ov_aabb *boxes) {
    const ov_vec3 half = {0.5 * limit, 0.5 * limit, 0.5 * limit};
    for (size_t i = 0; i < p->count; i++) {
        if (ov_shape_aabb(&p->shapes[i % WORLD_SHAPES], p->poses[i], &boxes[i]) < 0) {
            return false;
        }
        boxes[i] = (ov_aabb){ov_vec3_sub(boxes[i].min, half), ov_vec3_add(boxes[i].max, half)};
    }
    return true;
}

static bool make_rivals(const world_packing *p, double limit, rivals *r, world_row *row) {
    r->boxes = calloc(p->count, sizeof *r->boxes);
    if (r->boxes == NULL || !make_boxes(p, limit, r->boxes)) {
        return false;
    }
    for (size_t i = 0; i < r->count; i++) {
        double before = (double)mallinfo2().uordblks + (double)mallinfo2().hblkhd;
        r->trees[i] = r->broads[i]->make(r->boxes, p->count);
        if (r->trees[i] == NULL) {
            return false;
        }
        (void)r->broads[i]->step(r->trees[i], r->boxes);
        double after = (double)mallinfo2().uordblks + (double)mallinfo2().hblkhd;
        row->peers[i] = (world_peer){.name = r->broads[i]->name,
                                     .id = r->broads[i]->id,
                                     .bytes = (after - before) / (double)p->count};
    }
    row->peer_count = r->count;
    return true;
}

static bool run_rivals(const world_packing *p, double limit, rivals *r, world_row *row) {
    if (r->count > 0 && !make_boxes(p, limit, r->boxes)) {
        return false;
    }
    for (size_t i = 0; i < r->count; i++) {
        double start = bench_now_ns();
        size_t pairs = r->broads[i]->step(r->trees[i], r->boxes);
        r->times[i][r->frames] = (bench_now_ns() - start) / (double)p->count;
        row->peers[i].pairs = (double)pairs / (double)p->count;
    }
    r->frames++;
    return true;
}

static void end_rivals(rivals *r, world_row *row) {
    for (size_t i = 0; i < r->count; i++) {
        row->peers[i].broad = bench_figure(r->times[i], r->frames).median;
        if (r->trees[i] != NULL) {
            r->broads[i]->destroy(r->trees[i]);
        }
    }
    free(r->boxes);
}

/* ---- one size */

static void note_counts(const frame *f, size_t overlaps, world_row *row) {
    double n = (double)row->bodies;
    row->moved = (double)f->moved / n;
    row->pairs = (double)f->counts.pairs / n;
    row->rejected_kept = (double)f->counts.rejected_kept / n;
    row->rejected_ball = (double)f->counts.rejected_ball / n;
    row->rejected_obb = (double)f->counts.rejected_obb / n;
    row->queries = (double)f->counts.queries / n;
    row->contacts = (double)f->count / n;
    row->overlaps = (double)overlaps / n;
    row->undecided = f->counts.undecided;
    row->not_converged = f->counts.not_converged;
    row->bytes = (double)f->counts.memory / n;
    row->hash = hash_contacts(f->contacts, f->count);
}

/** Frames before the measuring, until hardly anything overlaps. */
static bool relax(world_packing *p, double limit, const bench_progress *progress) {
    frame f;
    for (int i = 0; i < RELAX_FRAMES; i++) {
        bench_show(progress, "bodies", (size_t)i * p->count, 2 * RELAX_FRAMES * p->count);
        if (!run_frame(p, limit, 0, &f)) {
            return false;
        }
        (void)packing_part(p, f.contacts, f.count);
    }
    return true;
}

static bool measure_frames(world_packing *p, double limit, rivals *r,
                           const bench_progress *progress, world_row *row) {
    size_t frames = p->count > LARGE ? FRAMES_LARGE : FRAMES;
    double move[WORLD_THREADS][FRAMES], broad[WORLD_THREADS][FRAMES];
    double narrow[WORLD_THREADS][FRAMES], n = (double)p->count;
    for (size_t i = 0; i < WORLD_THREADS * frames; i++) {
        bench_show(progress, "bodies", (WORLD_THREADS * frames + i) * p->count,
                   2 * WORLD_THREADS * frames * p->count);
        size_t t = i % WORLD_THREADS, k = i / WORLD_THREADS;
        frame f;
        packing_drift(p);
        if (!run_frame(p, limit, (unsigned)t + 1, &f)) {
            return false;
        }
        move[t][k] = f.move / n;
        broad[t][k] = f.broad / n;
        narrow[t][k] = f.narrow / n;
        note_counts(&f, packing_part(p, f.contacts, f.count), row);
        if (t == 0 && r->count > 0 && !run_rivals(p, limit, r, row)) {
            return false;
        }
    }
    for (size_t t = 0; t < WORLD_THREADS; t++) {
        row->times[t] = (world_times){bench_figure(move[t], frames).median,
                                      bench_figure(broad[t], frames).median,
                                      bench_figure(narrow[t], frames).median};
    }
    return true;
}

/* ---- against a search of all pairs */

/** Is this pair among the contacts of a body, and with the same gap? */
static const ov_world_contact *find_contact(const ov_world_contact *c, const size_t *first,
                                            const size_t *next, size_t a, ov_body b) {
    for (size_t i = first[a]; i != SIZE_MAX; i = next[i]) {
        if (c[i].a == b || c[i].b == b) {
            return &c[i];
        }
    }
    return NULL;
}

/** Asks every pair of bodies whose balls are near enough, and looks it up among the contacts. */
static void compare_body(const world_packing *p, double limit, size_t i,
                         const ov_world_contact *contacts, const size_t *first, const size_t *next,
                         world_brute *brute) {
    const ov_shape *a = &p->shapes[i % WORLD_SHAPES];
    for (size_t k = 0; k < i; k++) {
        const ov_shape *b = &p->shapes[k % WORLD_SHAPES];
        ov_vec3 d = ov_vec3_sub(p->poses[k].position, p->poses[i].position);
        double reach = a->ball.radius + ov_vec3_length(a->ball.centre) + b->ball.radius +
                       ov_vec3_length(b->ball.centre) + 2.0 * limit;
        ov_contact c;
        if (ov_vec3_dot(d, d) > reach * reach ||
            ov_pair_contact(b, p->poses[k], a, p->poses[i], NULL, NULL, &c) < 0) {
            continue;
        }
        const ov_world_contact *found = find_contact(contacts, first, next, i, p->bodies[k]);
        brute->contacts += c.gap <= limit;
        brute->lost += found == NULL && c.gap_upper <= limit;
        brute->extra += found != NULL && c.gap_lower > limit;
        if (found != NULL) {
            double off = fabs(found->contact.gap - c.gap) / p->size;
            brute->worst = off > brute->worst ? off : brute->worst;
            brute->differing += off > 1e-8;
        }
    }
}

static bool compare_all(world_packing *p, double limit, const bench_progress *progress,
                        world_brute *brute) {
    frame f;
    packing_drift(p);
    if (!run_frame(p, limit, 2, &f)) {
        return false;
    }
    // contacts of each body, under the later of the two
    size_t *first = malloc(p->count * sizeof *first), *next = malloc((f.count + 1) * sizeof *next);
    bool good = first != NULL && next != NULL;
    *brute = (world_brute){.bodies = p->count};
    if (good) {
        memset(first, 0xff, p->count * sizeof *first);
        for (size_t i = 0; i < f.count; i++) {
            size_t a = packing_index(p, f.contacts[i].a), b = packing_index(p, f.contacts[i].b);
            size_t later = a > b ? a : b;
            next[i] = first[later];
            first[later] = i;
        }
        for (size_t i = 0; i < p->count; i++) {
            bench_show(progress, "bodies", i, p->count);
            compare_body(p, limit, i, f.contacts, first, next, brute);
        }
    }
    free(first);
    free(next);
    return good;
}

/* ---- the study */

static bool measure_size(size_t count, rivals *r, const bench_progress *progress,
                         world_study *study) {
    world_row *row = &study->rows[study->row_count++];
    world_packing p;
    *row = (world_row){.bodies = count};
    double before = peak_bytes();
    double start = bench_now_ns();
    bool good = packing_make(count, study->density, study->step, study->seed, &p);
    double limit = study->limit * p.size;
    frame f;
    good = good && run_frame(&p, limit, 1, &f);
    row->first = (bench_now_ns() - start) / (double)count;
    good = good && relax(&p, limit, progress);
    row->process = (peak_bytes() - before) / (double)count;
    good = good && (r->count == 0 || make_rivals(&p, limit, r, row));
    good = good && measure_frames(&p, limit, r, progress, row);
    end_rivals(r, row);
    if (good && count == BRUTE) {
        good = compare_all(&p, limit, progress, &study->brute);
    }
    packing_free(&p);
    return good;
}

static bool measure(size_t most, uint64_t seed, const bench_peers *peers,
                    const bench_progress *progress, world_study *study) {
    *study = (world_study){
        .seed = seed, .limit = LIMIT, .density = CLOSE_PACKING * PART_OF_PACKING, .step = STEP};
    bool good = true;
    for (size_t count = 1000; count <= most && good && study->row_count < WORLD_SIZES_MAX;
         count *= 10) {
        rivals r;
        find_rivals(peers, &r);
        good = measure_size(count, &r, progress, study);
    }
    return good;
}

/* ==== the report ============================================================================== */

/* ---- table */

static double frame_ns(const world_times *t) { return t->move + t->broad + t->narrow; }

static double broad_ns(const world_times *t) { return t->move + t->broad; }

static void print_row(FILE *out, const world_row *r) {
    fprintf(out, "%9zu", r->bodies);
    for (int t = 0; t < WORLD_THREADS; t++) {
        const world_times *w = &r->times[t];
        fprintf(out, " %3d %7.3f %7.3f %7.3f %7.3f", t + 1, 1e-3 * w->move, 1e-3 * w->broad,
                1e-3 * w->narrow, 1e-3 * frame_ns(w));
        fprintf(out, t == 0 ? "  %8.3f %6.0f %6.0f\n         " : "\n", 1e-3 * w->narrow / r->pairs,
                r->bytes, r->process);
    }
}

static void print_layers(FILE *out, const world_study *s) {
    fputs("\nPairs per body by layer, in the last frame: neighbours; further apart than the limit "
          "by\n"
          "what was known, by balls, by oriented boxes; queries; contacts; of these overlapping\n"
          "   bodies   moved  pairs   known   balls   boxes queries contacts overlaps  undecided  "
          "not converged  hash\n",
          out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        fprintf(out,
                "%9zu  %6.3f %6.2f  %6.2f  %6.2f  %6.2f  %6.2f   %6.2f   %6.3f  %9zu  %13zu  "
                "%016" PRIx64 "\n",
                r->bodies, r->moved, r->pairs, r->rejected_kept, r->rejected_ball, r->rejected_obb,
                r->queries, r->contacts, r->overlaps, r->undecided, r->not_converged, r->hash);
    }
}

static void print_peers(FILE *out, const world_study *s) {
    if (s->rows[0].peer_count == 0) {
        return;
    }
    fputs("\nThe broad phase beside other libraries' dynamic trees, on the same bodies and frames\n"
          "(they are given tight boxes, whose making is not in their time; Ovoid's boxes are)\n"
          "   bodies  tree                        us/body    pairs/body    bytes/body  "
          "Ovoid is faster by\n",
          out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        double ours = broad_ns(&r->times[0]);
        fprintf(out, "%9zu  %-24s  %9.3f  %12.2f\n", r->bodies, "Ovoid: moves and neighbours",
                1e-3 * ours, r->pairs);
        for (size_t k = 0; k < r->peer_count; k++) {
            const world_peer *p = &r->peers[k];
            fprintf(out, "%9s  %-24s  %9.3f  %12.2f  %12.0f  %10.2f times\n", "", p->name,
                    1e-3 * p->broad, p->pairs, p->bytes, p->broad / ours);
        }
    }
}

static const world_row *row_of(const world_study *s, size_t bodies) {
    for (size_t i = 0; i < s->row_count; i++) {
        if (s->rows[i].bodies == bodies) {
            return &s->rows[i];
        }
    }
    return NULL;
}

enum { GOAL_WIDTH = 58 };

static void print_goals(FILE *out, const world_study *s) {
    const world_row *small = row_of(s, 10000), *last = &s->rows[s->row_count - 1];
    fprintf(out, "\nGoals, at %zu bodies%61s\n", last->bodies, "goal   measured");
    bench_goal(out, GOAL_WIDTH, "bytes per body held by the world", 700.0, true, last->bytes);
    if (small != NULL && last->bodies > small->bodies) {
        bench_goal(out, GOAL_WIDTH, "time per body against 10,000 bodies, one thread", 1.5, true,
                   frame_ns(&last->times[0]) / frame_ns(&small->times[0]));
    }
    bench_goal(out, GOAL_WIDTH, "two threads faster than one by", 1.6, false,
               frame_ns(&last->times[0]) / frame_ns(&last->times[1]));
    bench_goal(out, GOAL_WIDTH, "narrow phase, us per near pair, one thread", 0.5, true,
               1e-3 * last->times[0].narrow / last->pairs);
    for (size_t k = 0; k < last->peer_count; k++) {
        char what[80];
        snprintf(what, sizeof what, "broad phase faster than %s by", last->peers[k].name);
        bench_goal(out, GOAL_WIDTH, what, 1.0, false,
                   last->peers[k].broad / broad_ns(&last->times[0]));
    }
}

static void print_study(FILE *out, const world_study *s) {
    fprintf(
        out,
        "Superovoids of 16 shapes at random, %.0f %% by volume (60 %% of random close packing), "
        "seed %" PRIu64 "\nA frame moves and turns each by up to %.2g sizes and radians; "
        "contacts up to %.2g sizes.\nus per body, medians over the frames; bytes per body: of the "
        "world, and of the whole process\n\n"
        "   bodies thr   moves   broad  narrow   frame  per pair  world process\n",
        100.0 * s->density, s->seed, s->step, s->limit);
    for (size_t i = 0; i < s->row_count; i++) {
        print_row(out, &s->rows[i]);
    }
    print_layers(out, s);
    if (s->brute.bodies > 0) {
        fprintf(out,
                "\nAgainst a search of all pairs at %zu bodies: %zu contacts, %zu lost, %zu too "
                "many,\n%zu with another gap (by more than 1e-8; worst %.2g sizes)\n",
                s->brute.bodies, s->brute.contacts, s->brute.lost, s->brute.extra,
                s->brute.differing, s->brute.worst);
    }
    print_peers(out, s);
    print_goals(out, s);
}

/* ---- CSV */

static void write_csv(FILE *out, const world_study *s) {
    fputs("bodies,what,threads,move_ns,broad_ns,narrow_ns,pairs,queries,contacts,bytes\n", out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        for (int t = 0; t < WORLD_THREADS; t++) {
            const world_times *w = &r->times[t];
            fprintf(out, "%zu,ovoid,%d", r->bodies, t + 1);
            bench_csv_numbers(out,
                              (const double[]){w->move, w->broad, w->narrow, r->pairs, r->queries,
                                               r->contacts, r->bytes},
                              7);
            fputc('\n', out);
        }
        for (size_t k = 0; k < r->peer_count; k++) {
            const world_peer *p = &r->peers[k];
            fprintf(out, "%zu,%s,1", r->bodies, p->id);
            bench_csv_numbers(
                out, (const double[]){NAN, p->broad, NAN, p->pairs, NAN, NAN, p->bytes}, 7);
            fputc('\n', out);
        }
    }
}

int study_world(cli *c, const bench_job *job) {
    world_study study;
    if (!measure(job->bodies, job->seed, job->peers, job->progress, &study)) {
        return cli_error(c, "world", "not enough memory for %zu bodies", job->bodies);
    }
    progress_end(job->progress->user);
    print_study(c->out, &study);
    if (job->csv != NULL) {
        write_csv(job->csv, &study);
    }
    return CLI_OK;
}
