/**
 * @file world_contacts.c
 * @brief The narrow phase: all contacts of a world, on several threads.
 *
 * The layers of [Portal, 2], each cheaper than the next: what is known from the last search, the
 * balls of the parts, their oriented boxes, and for what is left the pair query, four smooth pairs
 * at a time. Blocks of pairs are shared out to the threads, a wave of blocks after the other, and
 * their contacts are put together in the order of the pairs, so that neither the contacts nor their
 * order depend on the number of threads.
 */
#include <math.h>
#include <stdatomic.h>

#include "../math/threads.h"
#include "world_store.h"

enum { BLOCK = 256, BLOCKS_A_THREAD = 32 };

/** What a thread works with: the pairs of a block that need a query. */
typedef struct desk {
    ov_pair pairs[BLOCK];
    ov_warm_start warm[BLOCK];
    ov_contact contacts[BLOCK];
    ovi_kept_pair *kept[BLOCK];
    ov_world_counts counts;
} desk;

/** Contacts of a block. */
typedef struct tray {
    ov_world_contact contacts[BLOCK];
    ovi_ends ends[BLOCK];
    size_t count;
} tray;

typedef struct wave {
    ov_world *world;
    double limit;
    desk *desks;
    tray *trays;
    size_t first, blocks; /**< of pairs: the first one, and how many blocks */
    atomic_size_t next;
} wave;

/** Two parts in the world, A of the body with the smaller id. */
typedef struct meeting {
    const ovi_body *body[2];
    const ovi_part *part[2];
    uint32_t leaf[2];
} meeting;

static meeting meet(const ov_world *w, const ovi_kept_pair *p) {
    const ovi_leaf *a = &w->leaves[p->a], *b = &w->leaves[p->b];
    const ovi_body *of_a = &w->bodies[a->body], *of_b = &w->bodies[b->body];
    bool swap = ovi_is_before(of_b, of_a);
    meeting m = {{swap ? of_b : of_a, swap ? of_a : of_b},
                 {NULL, NULL},
                 {swap ? p->b : p->a, swap ? p->a : p->b}};
    for (int i = 0; i < 2; i++) {
        m.part[i] = &m.body[i]->geometry->parts[w->leaves[m.leaf[i]].part];
    }
    return m;
}

/* ---- layers */

/** Takes the motion of both bodies off what was known; is it still enough? */
static bool is_known_far(ovi_kept_pair *p, const meeting *m, double limit) {
    if (!(p->lower > 0.0f)) {
        return false;
    }
    p->lower =
        ovi_float_below((double)p->lower - (double)m->body[0]->motion - (double)m->body[1]->motion);
    return (double)p->lower > limit;
}

static double rounding(const meeting *m) {
    return ovi_place_rounding(m->part[0], m->body[0]->pose) +
           ovi_place_rounding(m->part[1], m->body[1]->pose);
}

/** A bound of the gap by the balls of the parts. */
static double ball_bound(const meeting *m, double error) {
    return ovi_ball_bound(ovi_ball_centre(m->part[0], m->body[0]), m->part[0]->ball.radius + error,
                          ovi_ball_centre(m->part[1], m->body[1]), m->part[1]->ball.radius);
}

static bool are_boxes_apart(const meeting *m, double limit) {
    ovi_placed_box a = ovi_part_placed_box(m->part[0], m->body[0]->pose);
    ovi_placed_box b = ovi_part_placed_box(m->part[1], m->body[1]->pose);
    return ovi_placed_boxes_apart(&a, &b, limit, OVI_AXES_ERROR);
}

/** Is a pair further apart than the limit by one of the layers? */
static bool is_rejected(ovi_kept_pair *p, const meeting *m, double limit, ov_world_counts *counts) {
    if (is_known_far(p, m, limit)) {
        counts->rejected_kept++;
        return true;
    }
    if (p->near || !m->part[0]->bounded || !m->part[1]->bounded) {
        return false;
    }
    double error = rounding(m);
    double bound = ball_bound(m, error);
    if (bound > limit) {
        p->lower = ovi_float_below(bound);
        counts->rejected_ball++;
        return true;
    }
    if (are_boxes_apart(m, ovi_limit_up(limit) + error)) {
        p->lower = ovi_float_below(limit);
        counts->rejected_obb++;
        return true;
    }
    return false;
}

/* ---- queries */

static void put_contact(const wave *v, const meeting *m, const ov_contact *contact,
                        const uint32_t triangles[2], desk *d, tray *t, ovi_kept_pair *kept) {
    const ov_world *w = v->world;
    ov_contact c = *contact;
    double error = ovi_part_rounding(m->part[0], m->body[0]->pose) +
                   ovi_part_rounding(m->part[1], m->body[1]->pose);
    ovi_contact_widen(&c, error);
    kept->lower = ovi_float_below(c.gap_lower);
    kept->near = !(c.gap_lower > v->limit);
    if (c.status >= 0 && c.gap_lower > v->limit) {
        d->counts.rejected_query++;
        return;
    }
    d->counts.undecided += c.status >= 0 && c.relation == OV_UNDECIDED;
    d->counts.not_converged += c.status == OV_NOT_CONVERGED;
    t->ends[t->count] =
        (ovi_ends){(uint32_t)(m->body[0] - w->bodies), (uint32_t)(m->body[1] - w->bodies)};
    t->contacts[t->count++] = (ov_world_contact){.a = ovi_body_id(w, m->body[0]),
                                                 .b = ovi_body_id(w, m->body[1]),
                                                 .part_a = w->leaves[m->leaf[0]].part,
                                                 .part_b = w->leaves[m->leaf[1]].part,
                                                 .triangle_a = triangles[0],
                                                 .triangle_b = triangles[1],
                                                 .contact = c};
}

/** Queries of meshes, one by one. */
static void ask_mesh(const wave *v, ovi_kept_pair *p, const meeting *m, desk *d, tray *t) {
    ov_trimesh_contact c;
    ov_pose a = ovi_part_pose(m->part[0], m->body[0]->pose);
    ov_pose b = ovi_part_pose(m->part[1], m->body[1]->pose);
    ov_status status = ovi_parts_contact(&m->part[0]->part, a, &m->part[1]->part, b,
                                         ovi_limit_up(v->limit), &v->world->options.pair, NULL, &c);
    c.contact.status = status;
    put_contact(v, m, &c.contact, (const uint32_t[2]){c.triangle_a, c.triangle_b}, d, t, p);
}

/** Queries of shapes that were put on the desk. */
static void ask_shapes(const wave *v, desk *d, size_t count, tray *t) {
    static const uint32_t none[2] = {OV_NO_TRIANGLE, OV_NO_TRIANGLE};
    (void)ov_pair_contact_batch(d->pairs, count, &v->world->options.pair, 1, d->warm, d->contacts);
    for (size_t i = 0; i < count; i++) {
        meeting m = meet(v->world, d->kept[i]);
        ovi_pair_keep_warm(d->kept[i], &d->warm[i]);
        put_contact(v, &m, &d->contacts[i], none, d, t, d->kept[i]);
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

static void work_on_block(const wave *v, size_t block, desk *d) {
    ov_world *w = v->world;
    tray *t = &v->trays[block];
    size_t begin = v->first + block * BLOCK;
    size_t all = ovi_pairs_all(&w->pairs), end = all - begin > BLOCK ? begin + BLOCK : all;
    size_t asked = 0;
    t->count = 0;
    for (size_t i = begin; i < end; i++) {
        look_ahead(w, i, end);
        ovi_kept_pair *p = &w->pairs.items[i];
        meeting m = meet(w, p);
        if (is_rejected(p, &m, v->limit, &d->counts)) {
            continue;
        }
        d->counts.queries++;
        if (m.part[0]->part.mesh != NULL || m.part[1]->part.mesh != NULL) {
            ask_mesh(v, p, &m, d, t);
            continue;
        }
        d->pairs[asked] = (ov_pair){&m.part[0]->part.shape, &m.part[1]->part.shape,
                                    ovi_part_pose(m.part[0], m.body[0]->pose),
                                    ovi_part_pose(m.part[1], m.body[1]->pose)};
        ovi_fetch(&w->handles[m.body[0]->handle]); // for the ids, if it is a contact
        ovi_fetch(&w->handles[m.body[1]->handle]);
        d->warm[asked] = ovi_pair_warm(p);
        d->kept[asked++] = p;
    }
    ask_shapes(v, d, asked, t);
}

static void work(void *context, unsigned index) {
    wave *v = context;
    for (;;) {
        size_t block = atomic_fetch_add(&v->next, 1);
        if (block >= v->blocks) {
            return;
        }
        work_on_block(v, block, &v->desks[index]);
    }
}

/* ---- putting together */

/** An array with room for `count`, or null for want of memory. */
static void *with_room(const ov_allocator *by, void *items, size_t *room, size_t count,
                       size_t size) {
    if (count <= *room) {
        return items;
    }
    size_t more = count + count / 16 + BLOCK;
    void *moved = ovi_resize(by, items, *room, more, size);
    *room = moved != NULL ? more : *room;
    return moved;
}

static bool append(ov_world *w, const tray *t) {
    const ov_allocator *by = &w->options.allocator;
    size_t count = w->contact_count + t->count;
    if (count == 0) {
        return true;
    }
    void *contacts = with_room(by, w->contacts, &w->contact_room, count, sizeof *w->contacts);
    w->contacts = contacts != NULL ? contacts : w->contacts;
    void *ends = with_room(by, w->ends, &w->end_room, count, sizeof *w->ends);
    w->ends = ends != NULL ? ends : w->ends;
    if (contacts == NULL || ends == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->count; i++) {
        w->contacts[w->contact_count] = t->contacts[i];
        w->ends[w->contact_count++] = t->ends[i];
    }
    return true;
}

static bool run_waves(wave *v, unsigned threads) {
    ov_world *w = v->world;
    size_t most = (size_t)threads * BLOCKS_A_THREAD;
    size_t all = ovi_pairs_all(&w->pairs);
    for (v->first = 0; v->first < all; v->first += v->blocks * BLOCK) {
        size_t left = (all - v->first + BLOCK - 1) / BLOCK;
        v->blocks = left < most ? left : most;
        atomic_store(&v->next, 0);
        ovi_threads_run(work, v, v->blocks < threads ? (unsigned)v->blocks : threads);
        for (size_t i = 0; i < v->blocks; i++) {
            if (!append(w, &v->trays[i])) {
                return false;
            }
        }
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

/* ---- islands: union-find over the bodies */

static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/** Numbers the islands in the order of their first contacts; false for want of memory. */
static bool number_islands(ov_world *w) {
    const ov_allocator *by = &w->options.allocator;
    size_t count = w->count;
    uint32_t *parent = ovi_resize(by, NULL, 0, 2 * count + 1, sizeof(uint32_t));
    if (parent == NULL) {
        return false;
    }
    uint32_t *number = parent + count, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        parent[i] = i;
        number[i] = OVI_NONE;
    }
    for (size_t i = 0; i < w->contact_count; i++) {
        ovi_ends e = w->ends[i];
        if (!w->bodies[e.a].fixed && !w->bodies[e.b].fixed) {
            uint32_t r = root_of(parent, e.a), s = root_of(parent, e.b);
            parent[r > s ? r : s] = r > s ? s : r;
        }
    }
    for (size_t i = 0; i < w->contact_count; i++) {
        ovi_ends e = w->ends[i];
        uint32_t r = root_of(parent, w->bodies[e.a].fixed ? e.b : e.a);
        number[r] = number[r] != OVI_NONE ? number[r] : next++;
        w->contacts[i].island = number[r];
    }
    ovi_release(by, parent, 2 * count + 1, sizeof(uint32_t));
    return true;
}

/* ---- the search */

/** The paths of the bodies are in the bounds of all pairs now. */
static void forget_motion(ov_world *w) {
    for (size_t i = 0; i < w->count; i++) {
        w->bodies[i].motion = 0.0f;
    }
}

static ov_status search(ov_world *w, double limit, unsigned threads) {
    const ov_allocator *by = &w->options.allocator;
    size_t blocks = (ovi_pairs_all(&w->pairs) + BLOCK - 1) / BLOCK;
    threads = blocks < threads ? (unsigned)(blocks > 0 ? blocks : 1) : threads;
    size_t trays = (size_t)threads * BLOCKS_A_THREAD;
    trays = trays < blocks ? trays : blocks > 0 ? blocks : 1;
    wave v = {.world = w, .limit = limit};
    v.desks = ovi_resize(by, NULL, 0, threads, sizeof(desk));
    v.trays = ovi_resize(by, NULL, 0, trays, sizeof(tray));
    bool good = v.desks != NULL && v.trays != NULL;
    if (good) {
        for (unsigned i = 0; i < threads; i++) {
            v.desks[i].counts = (ov_world_counts){0};
        }
        good = run_waves(&v, threads);
        for (unsigned i = 0; i < threads; i++) {
            add_counts(&w->counts, &v.desks[i].counts);
        }
    }
    ovi_release(by, v.desks, threads, sizeof(desk));
    ovi_release(by, v.trays, trays, sizeof(tray));
    return good && number_islands(w) ? OV_OK : OV_ERROR_MEMORY;
}

ov_status ov_world_contacts(ov_world *world, double limit, unsigned threads,
                            const ov_world_contact **contacts, size_t *count) {
    if (contacts == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    *contacts = NULL;
    *count = 0;
    if (threads > OV_THREADS_MAX) {
        return OV_ERROR_OPTION;
    }
    ov_status status = ov_world_update(world, limit);
    if (status != OV_OK) {
        return status;
    }
    status = search(world, limit, threads > 0 ? threads : ovi_thread_count());
    if (status != OV_OK) {
        // some pairs may have been asked and others not: nothing of what was known is kept
        for (size_t i = 0; i < world->pairs.count; i++) {
            world->pairs.items[i].lower = -INFINITY;
        }
        world->contact_count = 0;
    }
    forget_motion(world);
    world->counts.contacts = world->contact_count;
    world->counts.memory = ovi_world_memory(world);
    *contacts = status == OV_OK ? world->contacts : NULL;
    *count = world->contact_count;
    return status;
}
