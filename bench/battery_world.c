/**
 * @file battery_world.c
 * @brief Measures worlds of growing size, beside the dynamic trees of other libraries.
 *
 * Every frame is timed in three parts, and frames with one and with two threads take turns, so that
 * both see the same packing on the same machine. The other libraries' trees get the tight boxes of
 * the same bodies in the same frames, for the same limit, made outside of the timing; Ovoid's own
 * boxes are in its times.
 */
#include "battery_world.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "peers/broad.h"

#define LIMIT 0.05          // contacts up to this part of the mean radius
#define CLOSE_PACKING 0.70  // of such bodies at random
#define PART_OF_PACKING 0.6 // of that
#define STEP 0.01           // motion a frame, in sizes and radians

enum { RELAX_FRAMES = 12, FRAMES = 10, FRAMES_LARGE = 4, LARGE = 300000, BRUTE = 10000 };

/* ---- figures */

static double median(double *values, size_t count) {
    if (count == 0) {
        return NAN;
    }
    battery_sort(values, count);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

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
    double start = battery_now_ns();
    ov_status status = ov_world_move_all(p->world, p->bodies, p->poses, p->count, NULL);
    double moved = battery_now_ns();
    status = status == OV_OK ? ov_world_update(p->world, limit) : status;
    double found = battery_now_ns();
    f->moved = ov_world_last_counts(p->world).moved;
    status = status == OV_OK ? ov_world_contacts(p->world, limit, &f->contacts, &f->count) : status;
    double end = battery_now_ns();
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

static void find_rivals(const battery_peers *peers, rivals *r) {
    *r = (rivals){.count = 0};
    ovoid_peers_broad_function list =
        (ovoid_peers_broad_function)battery_peers_entry(peers, OVOID_BROAD_ENTRY);
    if (list != NULL) {
        r->count = list(r->broads, WORLD_PEERS_MAX);
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
        double start = battery_now_ns();
        size_t pairs = r->broads[i]->step(r->trees[i], r->boxes);
        r->times[i][r->frames] = (battery_now_ns() - start) / (double)p->count;
        row->peers[i].pairs = (double)pairs / (double)p->count;
    }
    r->frames++;
    return true;
}

static void end_rivals(rivals *r, world_row *row) {
    for (size_t i = 0; i < r->count; i++) {
        row->peers[i].broad = median(r->times[i], r->frames);
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
static bool relax(world_packing *p, double limit, const battery_progress *progress) {
    frame f;
    for (int i = 0; i < RELAX_FRAMES; i++) {
        battery_show(progress, "bodies", (size_t)i * p->count, 2 * RELAX_FRAMES * p->count);
        if (!run_frame(p, limit, 0, &f)) {
            return false;
        }
        (void)packing_part(p, f.contacts, f.count);
    }
    return true;
}

static bool measure_frames(world_packing *p, double limit, rivals *r,
                           const battery_progress *progress, world_row *row) {
    size_t frames = p->count > LARGE ? FRAMES_LARGE : FRAMES;
    double move[WORLD_THREADS][FRAMES], broad[WORLD_THREADS][FRAMES];
    double narrow[WORLD_THREADS][FRAMES], n = (double)p->count;
    for (size_t i = 0; i < WORLD_THREADS * frames; i++) {
        battery_show(progress, "bodies", (WORLD_THREADS * frames + i) * p->count,
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
        row->times[t] = (world_times){median(move[t], frames), median(broad[t], frames),
                                      median(narrow[t], frames)};
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

static bool compare_all(world_packing *p, double limit, const battery_progress *progress,
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
            battery_show(progress, "bodies", i, p->count);
            compare_body(p, limit, i, f.contacts, first, next, brute);
        }
    }
    free(first);
    free(next);
    return good;
}

/* ---- the study */

static bool measure_size(size_t count, rivals *r, const battery_progress *progress,
                         world_study *study) {
    world_row *row = &study->rows[study->row_count++];
    world_packing p;
    *row = (world_row){.bodies = count};
    double before = peak_bytes();
    double start = battery_now_ns();
    bool good = packing_make(count, study->density, study->step, study->seed, &p);
    double limit = study->limit * p.size;
    frame f;
    good = good && run_frame(&p, limit, 1, &f);
    row->first = (battery_now_ns() - start) / (double)count;
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

bool world_measure(size_t most, uint64_t seed, const battery_peers *peers,
                   const battery_progress *progress, world_study *study) {
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
