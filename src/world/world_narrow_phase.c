/**
 * @file world_narrow_phase.c
 * @brief The narrow phase: all contacts of a world, on several threads.
 *
 * The layers of [Portal, 2], each cheaper than the next: what is known from the last step, the
 * balls of the parts, their oriented boxes, and for what is left the pair query, four smooth pairs
 * at a time. Blocks of pairs are shared out to the threads, one round of blocks after the
 * other, and their contacts are put together in the order of the blocks, so that neither the
 * contacts nor their order depend on the number of threads. Islands are found by union-find on all
 * threads at once: which body of an island ends as its root does not depend on who was first.
 */
#include <math.h>
#include <stdatomic.h>

#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "world_internal.h"

/** Pairs of a block; blocks of a round, for each thread and at most, or where there is one
 * thread, which need not wait for another and finds its contacts still in the cache. */
enum { BLOCK = 256, BLOCKS_PER_THREAD = 64, BLOCKS_MAX = 1024, BLOCKS_ALONE = 4 };
/** What is worth a thread where there is little to do: contacts, bodies, blocks to be copied. */
enum { CONTACTS_PER_THREAD = 8192, BODIES_PER_THREAD = 16384, COPIES_PER_THREAD = 16 };

/** Two parts in the world, A of the body with the smaller id. */
typedef struct part_pair {
    const ovi_body *body[2];
    const ovi_part *part[2];
    uint32_t leaf[2];
} part_pair;

/** What a thread works with: the shapes of a block of pairs that need a query, which are asked
 *  together. */
typedef struct thread_buffer {
    ov_pair pairs[BLOCK];
    ov_warm_start warm[BLOCK];
    ov_contact contacts[BLOCK];
    ovi_kept_pair *kept[BLOCK];
    part_pair parts[BLOCK];
    ov_world_counts counts;
} thread_buffer;

/** The two bodies that a contact joins to one island, by their numbers in the world. A fixed body
 *  joins nothing: in its place is the other one. */
typedef struct island_link {
    uint32_t a, b;
} island_link;

/** Contacts of a block. */
typedef struct block_contacts {
    ov_world_contact contacts[BLOCK];
    island_link links[BLOCK];
    uint32_t known[BLOCK]; /**< pairs that were not asked for */
    size_t count, known_count;
    size_t first;         /**< where the first of them goes among all contacts */
    size_t first_finding; /**< ... and the first finding among all findings */
} block_contacts;

/** A run of the narrow phase, and the round of blocks at hand. */
typedef struct narrow_phase {
    ov_world *world;
    double limit;
    thread_buffer *buffers;
    block_contacts *blocks;  /**< of the round */
    size_t first_pair;       /**< of the round */
    _Atomic uint32_t *roots; /**< of each body: itself, or one with a smaller number */
} narrow_phase;

static part_pair part_pair_of(const ov_world *w, const ovi_kept_pair *p) {
    const ovi_leaf *a = &w->leaves[p->a], *b = &w->leaves[p->b];
    const ovi_body *of_a = &w->bodies[a->body], *of_b = &w->bodies[b->body];
    bool swap = ovi_is_before(of_b, of_a);
    part_pair m = {{swap ? of_b : of_a, swap ? of_a : of_b},
                   {NULL, NULL},
                   {swap ? p->b : p->a, swap ? p->a : p->b}};
    for (int i = 0; i < 2; i++) {
        m.part[i] = &m.body[i]->geometry->parts[w->leaves[m.leaf[i]].part];
    }
    return m;
}

/* ---- warm starts: points in single precision, normals in 16 bits */

/** Normals, of length 1 or so, times this fit 16 bits. */
#define NORMAL_SCALE 20000.0

static ov_vec3 from_floats(const float v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

static ov_warm_start unpack_warm(const ovi_kept_pair *pair) {
    const int16_t *n = pair->normal;
    return (ov_warm_start){
        from_floats(pair->point[0]), from_floats(pair->point[1]),
        ov_vec3_make(n[0] / NORMAL_SCALE, n[1] / NORMAL_SCALE, n[2] / NORMAL_SCALE)};
}

static void to_floats(ov_vec3 v, float out[3]) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static int16_t to_short(double x) { return (int16_t)(fabs(x) < 1.5 ? lrint(x * NORMAL_SCALE) : 0); }

static void pack_warm(ovi_kept_pair *pair, const ov_warm_start *warm) {
    to_floats(warm->a, pair->point[0]);
    to_floats(warm->b, pair->point[1]);
    pair->normal[0] = to_short(warm->normal.x);
    pair->normal[1] = to_short(warm->normal.y);
    pair->normal[2] = to_short(warm->normal.z);
}

/* ---- layers */

/** Brings the bound that is kept up to now: less what both bodies have moved by since the last
 * step. To be done once in each step, at whose end paths begin anew. A bound that is not above zero
 * says nothing, as no limit is below it. */
static void update_kept_bound(ovi_kept_pair *kept, const part_pair *pair) {
    if (kept->lower > 0.0f) {
        kept->lower = ovi_float_below((double)kept->lower - (double)pair->body[0]->step_path -
                                      (double)pair->body[1]->step_path);
    }
}

static double rounding(const part_pair *pair) {
    return ovi_bounds_rounding(pair->part[0], pair->body[0]->pose) +
           ovi_bounds_rounding(pair->part[1], pair->body[1]->pose);
}

/** A bound of the gap by the balls of the parts. */
static double ball_bound(const part_pair *pair, double error) {
    return ovi_ball_bound(
        ovi_ball_centre(pair->part[0], pair->body[0]), pair->part[0]->ball.radius + error,
        ovi_ball_centre(pair->part[1], pair->body[1]), pair->part[1]->ball.radius);
}

static bool are_boxes_apart(const part_pair *pair, double limit) {
    ovi_placed_box a = ovi_part_obb(pair->part[0], pair->body[0]->pose);
    ovi_placed_box b = ovi_part_obb(pair->part[1], pair->body[1]->pose);
    return ovi_placed_boxes_apart(&a, &b, limit, OVI_AXES_ERROR);
}

/** Is a pair proven to be further apart than the limit by one of the layers? The proof is kept. */
static bool is_rejected(ovi_kept_pair *kept, const part_pair *pair, double limit,
                        ov_world_counts *counts) {
    update_kept_bound(kept, pair);
    if ((double)kept->lower > limit) {
        counts->rejected_kept++;
        return true;
    }
    if (kept->near || !pair->part[0]->bounded || !pair->part[1]->bounded) {
        return false;
    }
    double error = rounding(pair);
    double bound = ball_bound(pair, error);
    if (bound > limit) {
        kept->lower = ovi_float_below(bound);
        counts->rejected_ball++;
        return true;
    }
    if (are_boxes_apart(pair, ovi_limit_up(limit) + error)) {
        kept->lower = ovi_float_below(limit);
        counts->rejected_obb++;
        return true;
    }
    return false;
}

/* ---- queries */

/** Adds the contact to those of the block, and the two bodies to what joins islands. */
static void add_contact(const ov_world *w, const part_pair *pair, const ov_contact *contact,
                        const uint32_t triangles[2], block_contacts *out) {
    uint32_t a = (uint32_t)(pair->body[0] - w->bodies), b = (uint32_t)(pair->body[1] - w->bodies);
    out->links[out->count] =
        (island_link){pair->body[0]->fixed ? b : a, pair->body[1]->fixed ? a : b};
    out->contacts[out->count++] = (ov_world_contact){.a = ovi_body_id(w, pair->body[0]),
                                                     .b = ovi_body_id(w, pair->body[1]),
                                                     .user_a = pair->body[0]->user,
                                                     .user_b = pair->body[1]->user,
                                                     .part_a = w->leaves[pair->leaf[0]].part,
                                                     .part_b = w->leaves[pair->leaf[1]].part,
                                                     .triangle_a = triangles[0],
                                                     .triangle_b = triangles[1],
                                                     .contact = *contact};
}

/** Takes the answer of a query: widens it, keeps its bound, and its contact unless that is beyond
 *  the limit. */
static void take_answer(const narrow_phase *phase, ovi_kept_pair *kept, const part_pair *pair,
                        ov_contact *c, const uint32_t triangles[2], ov_world_counts *counts,
                        block_contacts *out) {
    if (!pair->part[0]->at_origin || !pair->part[1]->at_origin) {
        ovi_contact_widen(c, ovi_part_pose_rounding(pair->part[0], pair->body[0]->pose) +
                                 ovi_part_pose_rounding(pair->part[1], pair->body[1]->pose));
    }
    kept->lower = ovi_float_below(c->gap_lower);
    kept->near = !(c->gap_lower > phase->limit);
    if (c->status >= 0 && c->gap_lower > phase->limit) {
        counts->rejected_query++;
        return;
    }
    counts->undecided += c->status >= 0 && c->relation == OV_RELATION_UNDECIDED;
    counts->not_converged += c->status == OV_NOT_CONVERGED;
    add_contact(phase->world, pair, c, triangles, out);
}

/** The query of a pair with a mesh. */
static void ask_mesh(const narrow_phase *phase, ovi_kept_pair *kept, const part_pair *pair,
                     thread_buffer *buffer, block_contacts *out) {
    ov_trimesh_contact c;
    ov_pose a = ovi_part_pose(pair->part[0], pair->body[0]->pose);
    ov_pose b = ovi_part_pose(pair->part[1], pair->body[1]->pose);
    ov_status status =
        ovi_parts_contact(&pair->part[0]->part, a, &pair->part[1]->part, b,
                          ovi_limit_up(phase->limit), &phase->world->options.pair, NULL, &c);
    c.contact.status = status;
    take_answer(phase, kept, pair, &c.contact, (const uint32_t[2]){c.triangle_a, c.triangle_b},
                &buffer->counts, out);
}

/** The queries of the pairs of shapes in a buffer. */
static void ask_shapes(const narrow_phase *phase, thread_buffer *buffer, size_t count,
                       block_contacts *out) {
    static const uint32_t none[2] = {OV_NO_TRIANGLE, OV_NO_TRIANGLE};
    const ov_threads alone = {.count = 1};
    (void)ov_pair_contact_batch(buffer->pairs, count, &phase->world->options.pair, &alone,
                                buffer->warm, buffer->contacts);
    for (size_t i = 0; i < count; i++) {
        pack_warm(buffer->kept[i], &buffer->warm[i]);
        take_answer(phase, buffer->kept[i], &buffer->parts[i], &buffer->contacts[i], none,
                    &buffer->counts, out);
    }
}

/** Fetches the leaves of pairs far ahead, and the bodies of those whose leaves are there by now. */
static void look_ahead(const ov_world *w, size_t i, size_t end) {
    enum { FAR = 16, NEAR = 8 };
    if (i + FAR < end) {
        ovi_fetch(&w->leaves[w->pairs.items[i + FAR].a]);
        ovi_fetch(&w->leaves[w->pairs.items[i + FAR].b]);
    }
    if (i + NEAR < end) {
        ovi_fetch_body(w, w->leaves[w->pairs.items[i + NEAR].a].body);
        ovi_fetch_body(w, w->leaves[w->pairs.items[i + NEAR].b].body);
    }
}

/** Is a pair to be asked for? If it is known, that is noted. */
static bool is_asked(const narrow_phase *phase, const ovi_kept_pair *kept, const part_pair *pair,
                     block_contacts *out) {
    const ov_world *w = phase->world;
    if (w->choice == NULL) {
        return true;
    }
    uint32_t known;
    ovi_asking asking = w->choice->choose(
        w->choice->context, ovi_body_id(w, pair->body[0]), w->leaves[pair->leaf[0]].part,
        ovi_body_id(w, pair->body[1]), w->leaves[pair->leaf[1]].part, (double)kept->lower, &known);
    if (asking == OVI_ASK_KNOWN) {
        out->known[out->known_count++] = known | OVI_FREE;
    }
    return asking == OVI_ASK;
}

/** Contacts of a block: those with meshes as they come, then those of shapes, which are asked
 *  together. */
static void work_on_block(const narrow_phase *phase, size_t block, thread_buffer *buffer) {
    ov_world *w = phase->world;
    block_contacts *out = &phase->blocks[block];
    size_t begin = phase->first_pair + block * BLOCK;
    size_t all = ovi_pairs_all(&w->pairs), end = all - begin > BLOCK ? begin + BLOCK : all;
    size_t shapes = 0;
    out->count = out->known_count = 0;
    for (size_t i = begin; i < end; i++) {
        look_ahead(w, i, all); // also into the next block
        ovi_kept_pair *kept = &w->pairs.items[i];
        part_pair pair = part_pair_of(w, kept);
        if (is_rejected(kept, &pair, phase->limit, &buffer->counts) ||
            !is_asked(phase, kept, &pair, out)) {
            continue;
        }
        buffer->counts.queries++;
        if (pair.part[0]->part.mesh != NULL || pair.part[1]->part.mesh != NULL) {
            ask_mesh(phase, kept, &pair, buffer, out);
            continue;
        }
        buffer->pairs[shapes] = (ov_pair){&pair.part[0]->part.shape, &pair.part[1]->part.shape,
                                          ovi_part_pose(pair.part[0], pair.body[0]->pose),
                                          ovi_part_pose(pair.part[1], pair.body[1]->pose)};
        ovi_fetch(&w->id_slots[pair.body[0]->id_slot]); // for the ids, if it is a contact
        ovi_fetch(&w->id_slots[pair.body[1]->id_slot]);
        buffer->warm[shapes] = unpack_warm(kept);
        buffer->parts[shapes] = pair;
        buffer->kept[shapes++] = kept;
    }
    ask_shapes(phase, buffer, shapes, out);
}

static void work_on_blocks(void *context, unsigned index, size_t begin, size_t end) {
    const narrow_phase *phase = context;
    for (size_t block = begin; block < end; block++) {
        work_on_block(phase, block, &phase->buffers[index]);
    }
}

/* ---- islands: union-find over the bodies, whose roots are always the least of their sets */

static uint32_t load(const _Atomic uint32_t *number) {
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void store(_Atomic uint32_t *number, uint32_t value) {
    atomic_store_explicit(number, value, memory_order_relaxed);
}

/** Paths are halved on the way: also while others join roots, since what is above stays above. */
static uint32_t root_of(_Atomic uint32_t *roots, uint32_t i) {
    for (uint32_t up = load(&roots[i]); up != i; up = load(&roots[i])) {
        uint32_t top = load(&roots[up]);
        if (top != up) {
            store(&roots[i], top);
        }
        i = top;
    }
    return i;
}

/** The larger root comes below the smaller one, unless another thread has just put it elsewhere:
 *  then it is looked for again. */
static void join(_Atomic uint32_t *roots, island_link j) {
    for (;;) {
        uint32_t r = root_of(roots, j.a), s = root_of(roots, j.b);
        uint32_t low = r < s ? r : s, high = r < s ? s : r;
        if (low == high || atomic_compare_exchange_strong(&roots[high], &high, low)) {
            return;
        }
    }
}

static void start_roots(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const narrow_phase *phase = context;
    for (size_t i = begin; i < end; i++) {
        atomic_init(&phase->roots[i], (uint32_t)i);
    }
}

static void find_roots(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const narrow_phase *phase = context;
    ov_world_contact *contacts = phase->world->contacts;
    for (size_t i = begin; i < end; i++) {
        contacts[i].island = root_of(phase->roots, contacts[i].island);
    }
}

/** Numbers the islands in the order of their first contacts. Until then `island` of a contact is a
 *  body of it, and then the root of that body. */
static void number_islands(narrow_phase *phase, const ov_threads *threads) {
    const uint32_t numbered = UINT32_C(1) << 31; // there are fewer bodies
    ov_world *w = phase->world;
    ovi_ranges_run(find_roots, phase, w->contact_count, CONTACTS_PER_THREAD, threads);
    uint32_t next = 0;
    for (size_t i = 0; i < w->contact_count; i++) {
        _Atomic uint32_t *root = &phase->roots[w->contacts[i].island];
        if ((load(root) & numbered) == 0) {
            store(root, next++ | numbered);
        }
        w->contacts[i].island = load(root) & ~numbered;
    }
}

/* ---- rounds of blocks, and putting their contacts together */

/** Room for at least `count` elements of an array that is kept from step to step: little more, as
 *  there are many of them. */
static bool reserve(const ov_allocator *by, void *array, size_t *room, size_t count, size_t size) {
    if (count <= *room) {
        return true;
    }
    size_t more = count + count / 32 + BLOCK / 2;
    void *block;
    memcpy(&block, array, sizeof block);
    block = ovi_resize(by, block, *room, more, size);
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    *room = more;
    return true;
}

/** Room for what a block has found behind all others: as much for any number of threads. */
static bool reserve_contacts(ov_world *w, block_contacts *out) {
    const ov_allocator *by = &w->options.allocator;
    size_t findings = w->choice != NULL ? out->count + out->known_count : 0;
    out->first = w->contact_count;
    out->first_finding = w->finding_count;
    if (!reserve(by, &w->contacts, &w->contact_room, out->first + out->count,
                 sizeof *w->contacts) ||
        !reserve(by, &w->findings, &w->finding_room, out->first_finding + findings,
                 sizeof *w->findings)) {
        return false;
    }
    w->contact_count += out->count;
    w->finding_count += findings;
    return true;
}

static void copy_contacts(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const narrow_phase *phase = context;
    ov_world *w = phase->world;
    for (size_t k = begin; k < end; k++) {
        const block_contacts *out = &phase->blocks[k];
        for (size_t i = 0; w->choice != NULL && i < out->known_count; i++) {
            w->findings[out->first_finding + i] = out->known[i];
        }
        for (size_t i = 0; i < out->count; i++) {
            w->contacts[out->first + i] = out->contacts[i];
            if (w->choice != NULL) {
                w->findings[out->first_finding + out->known_count + i] =
                    (ovi_finding)(out->first + i);
                w->contacts[out->first + i].island = 0;
                continue;
            }
            w->contacts[out->first + i].island = out->links[i].a;
            join(phase->roots, out->links[i]);
        }
    }
}

static bool run_rounds(narrow_phase *phase, size_t most, const ov_threads *threads) {
    ov_world *w = phase->world;
    size_t all = ovi_pairs_all(&w->pairs), blocks;
    for (phase->first_pair = 0; phase->first_pair < all; phase->first_pair += blocks * BLOCK) {
        size_t left = (all - phase->first_pair + BLOCK - 1) / BLOCK;
        blocks = left < most ? left : most;
        ovi_ranges_run(work_on_blocks, phase, blocks, 1, threads);
        for (size_t i = 0; i < blocks; i++) {
            if (!reserve_contacts(w, &phase->blocks[i])) {
                return false;
            }
        }
        ovi_ranges_run(copy_contacts, phase, blocks, COPIES_PER_THREAD, threads);
    }
    return true;
}

static void add_counts(ov_world_counts *sum, const ov_world_counts *c) {
    sum->rejected_kept += c->rejected_kept;
    sum->rejected_ball += c->rejected_ball;
    sum->rejected_obb += c->rejected_obb;
    sum->queries += c->queries;
    sum->rejected_query += c->rejected_query;
    sum->undecided += c->undecided;
    sum->not_converged += c->not_converged;
}

/* ---- the whole */

/** The paths of the bodies are in the bounds of all pairs now. */
static void reset_step_paths(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    ov_world *w = context;
    for (size_t i = begin; i < end; i++) {
        w->bodies[i].step_path = 0.0f;
    }
}

static ov_status find_contacts(ov_world *w, double limit) {
    const ov_allocator *by = &w->options.allocator;
    size_t blocks = (ovi_pairs_all(&w->pairs) + BLOCK - 1) / BLOCK;
    ov_threads threads = w->options.threads;
    threads.count = ovi_threads_for(blocks, 1, &threads);
    size_t most = threads.count > 1 ? (size_t)threads.count * BLOCKS_PER_THREAD : BLOCKS_ALONE;
    most = most < BLOCKS_MAX ? most : BLOCKS_MAX;
    most = most < blocks ? most : blocks > 0 ? blocks : 1;
    narrow_phase phase = {.world = w, .limit = limit};
    phase.buffers = ovi_resize(by, NULL, 0, threads.count, sizeof(thread_buffer));
    phase.blocks = ovi_resize(by, NULL, 0, most, sizeof(block_contacts));
    bool islands = w->choice == NULL;
    w->finding_count = 0;
    phase.roots = ovi_resize(by, NULL, 0, w->count + 1, sizeof *phase.roots);
    bool good = phase.buffers != NULL && phase.blocks != NULL && phase.roots != NULL;
    if (good) {
        for (unsigned i = 0; i < threads.count; i++) {
            phase.buffers[i].counts = (ov_world_counts){0};
        }
        ovi_ranges_run(start_roots, &phase, islands ? w->count : 0, BODIES_PER_THREAD, &threads);
        good = run_rounds(&phase, most, &threads);
        for (unsigned i = 0; i < threads.count; i++) {
            add_counts(&w->counts, &phase.buffers[i].counts);
        }
    }
    if (good && islands) {
        number_islands(&phase, &threads);
    }
    ovi_release(by, phase.buffers, threads.count, sizeof(thread_buffer));
    ovi_release(by, phase.blocks, most, sizeof(block_contacts));
    ovi_release(by, phase.roots, w->count + 1, sizeof *phase.roots);
    return good ? OV_OK : OV_ERROR_MEMORY;
}

ov_status ov_world_contacts(ov_world *world, double limit, const ov_world_contact **contacts,
                            size_t *count) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_contacts(world, limit, contacts, count));
    if (contacts == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    *contacts = NULL;
    *count = 0;
    ov_status status = ov_world_update(world, limit);
    if (status != OV_OK) {
        return status;
    }
    status = find_contacts(world, limit);
    if (status != OV_OK) {
        // some pairs may have been asked and others not: nothing of what was known is kept
        for (size_t i = 0; i < world->pairs.count; i++) {
            world->pairs.items[i].lower = -INFINITY;
        }
        world->contact_count = 0;
    }
    ovi_ranges_run(reset_step_paths, world, world->count, BODIES_PER_THREAD,
                   &world->options.threads);
    world->counts.contacts = world->contact_count;
    world->counts.memory = ovi_world_memory(world);
    *contacts = status == OV_OK ? world->contacts : NULL;
    *count = world->contact_count;
    return status;
}
