/**
 * @file world_broad_phase.c
 * @brief The broad phase: which parts are neighbours, from one search to the next.
 *
 * A pair comes when the boxes of two leaves in the tree, and their balls, are within the limit of
 * each other, and goes when the balls no longer are. Both can happen only to leaves with new boxes
 * (or with a new limit), so only these are searched. After many changes the tree is built from
 * scratch, and bodies and leaves are put in its order, so that what is near in space is near in
 * memory too.
 *
 * Looking is shared out to threads, changing is not: what the threads find is put together in the
 * order of the leaves, so that the pairs and their order are the same for any number of threads.
 */
#include <math.h>

#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "world_internal.h"

/** A tree is built anew when it has had so many changes for each leaf; a leaf that is put in counts
 *  for OVI_CHANGES_INSERT. */
enum { CHANGES_MAX = 8 };
/** Pairs are looked through when this part of them is new. */
enum { PRUNE_PART = 8 };
/** What a thread takes at a time: pairs that may go, leaves to be searched; how many pairs these
 * may find; and how many blocks of leaves each thread does until what was found is put together.
 */
enum { PAIRS_PER_THREAD = 2048, SEARCH_BLOCK = 64, FOUND_MAX = 512, SEARCHES_PER_THREAD = 64 };

/* ---- the set of pairs: an array, and a table of open addresses over it */

void ovi_pairs_free(ovi_pairs *pairs, const ov_allocator *allocator) {
    ovi_release(allocator, pairs->items, pairs->room, sizeof(ovi_kept_pair));
    ovi_release(allocator, pairs->table, pairs->table_room, sizeof(uint32_t));
    *pairs = (ovi_pairs){0};
}

static size_t hash(uint32_t a, uint32_t b) {
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return (size_t)(x ^ x >> 32);
}

/** Place of a pair in the table, or of the gap where it would go. */
static size_t find(const ovi_pairs *p, uint32_t a, uint32_t b) {
    size_t slot = hash(a, b) & (p->table_room - 1);
    while (p->table[slot] != 0) {
        const ovi_kept_pair *at = &p->items[p->table[slot] - 1];
        if (at->a == a && at->b == b) {
            break;
        }
        slot = (slot + 1) & (p->table_room - 1);
    }
    return slot;
}

/** Makes the table anew after the items were changed. */
static void pairs_index(ovi_pairs *pairs) {
    for (size_t i = 0; i < pairs->table_room; i++) {
        pairs->table[i] = 0;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->table[find(pairs, pairs->items[i].a, pairs->items[i].b)] = (uint32_t)(i + 1);
    }
}

static bool reserve_table(ovi_pairs *pairs, const ov_allocator *allocator, size_t count) {
    // at most three quarters full: searches stay short
    size_t room = pairs->table_room > 0 ? pairs->table_room : 64;
    while (room - room / 4 < count) {
        room *= 2;
    }
    if (room == pairs->table_room) {
        return true;
    }
    uint32_t *table = ovi_resize(allocator, NULL, 0, room, sizeof(uint32_t));
    if (table == NULL) {
        return false;
    }
    ovi_release(allocator, pairs->table, pairs->table_room, sizeof(uint32_t));
    pairs->table = table;
    pairs->table_room = room;
    pairs_index(pairs);
    return true;
}

/** Room for so many pairs, unlisted ones included; false for want of memory. */
static bool pairs_reserve(ovi_pairs *pairs, const ov_allocator *allocator, size_t count) {
    if (count >= UINT32_MAX) {
        return false;
    }
    if (count > pairs->room) {
        ovi_kept_pair *items =
            ovi_more_room(allocator, pairs->items, &pairs->room, count, sizeof(ovi_kept_pair));
        if (items == NULL) {
            return false;
        }
        pairs->items = items;
    }
    return reserve_table(pairs, allocator, count);
}

static bool pairs_has(const ovi_pairs *pairs, uint32_t a, uint32_t b) {
    return pairs->table_room > 0 && pairs->table[find(pairs, a, b)] != 0;
}

/** Adds a pair, unless it is there already, while there are no unlisted ones; there must be room.
 */
static void pairs_add(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    size_t slot = find(pairs, a, b);
    if (pairs->table[slot] != 0) {
        return;
    }
    pairs->items[pairs->count++] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->table[slot] = (uint32_t)pairs->count;
}

/** Adds a pair behind all others, not in the table; there must be room. `unlisted = 0` removes
 * these. */
static void pairs_add_unlisted(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    pairs->items[ovi_pairs_all(pairs)] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->unlisted++;
}

/** Empties a place of the table; those behind it that would not be found any more move up. */
static void empty_slot(ovi_pairs *p, size_t slot) {
    size_t mask = p->table_room - 1, next = slot;
    for (;;) {
        p->table[slot] = 0;
        do {
            next = (next + 1) & mask;
            if (p->table[next] == 0) {
                return;
            }
            const ovi_kept_pair *at = &p->items[p->table[next] - 1];
            size_t home = hash(at->a, at->b) & mask;
            // it may stay where its home lies behind the gap, going round
            if (((next - home) & mask) < ((next - slot) & mask)) {
                continue;
            }
            break;
        } while (true);
        p->table[slot] = p->table[next];
        slot = next;
    }
}

/** Removes a pair by its index, while there are no unlisted ones; the last one takes its place. */
static void pairs_remove(ovi_pairs *pairs, size_t index) {
    empty_slot(pairs, find(pairs, pairs->items[index].a, pairs->items[index].b));
    size_t last = --pairs->count;
    if (index != last) {
        ovi_kept_pair moved = pairs->items[last];
        pairs->table[find(pairs, moved.a, moved.b)] = (uint32_t)(index + 1);
        pairs->items[index] = moved;
    }
}

/* ---- another order */

/** Gives leaves their numbers by the tree, those without a box behind them. */
static void number_leaves(ov_world *w, const uint32_t *order, uint32_t *number) {
    uint32_t next = 0;
    for (; next < w->tree.leaves; next++) {
        number[order[next]] = next;
    }
    for (size_t i = 0; i < w->planes.count; i++) {
        number[w->planes.items[i]] = next++;
        w->planes.items[i] = number[w->planes.items[i]];
    }
}

/** Leaves and bodies in the order of their new numbers; `bodies` takes the new order of these. */
static void order_leaves(ov_world *w, const uint32_t *number, ovi_leaf *leaves) {
    for (size_t i = 0; i < w->count; i++) {
        ovi_body *b = &w->bodies[i];
        uint32_t leaf = b->leaf, *link = &b->leaf;
        while (leaf != OVI_NONE) {
            ovi_leaf *l = &leaves[number[leaf]];
            *l = w->leaves[leaf];
            *link = number[leaf];
            link = &l->next;
            leaf = l->next;
        }
    }
}

/** Moves bodies to the places that `place` gives them, going round each cycle once. */
static void order_bodies(ov_world *w, uint32_t *place) {
    for (uint32_t i = 0; i < w->count; i++) {
        while (place[i] != i) {
            uint32_t to = place[i];
            ovi_body body = w->bodies[to];
            w->bodies[to] = w->bodies[i];
            w->bodies[i] = body;
            place[i] = place[to];
            place[to] = to;
        }
    }
    for (uint32_t i = 0; i < w->count; i++) {
        w->handles[w->bodies[i].handle].body = i;
        for (uint32_t l = w->bodies[i].leaf; l != OVI_NONE; l = w->leaves[l].next) {
            w->leaves[l].body = i;
        }
    }
}

static void place_bodies(const ov_world *w, uint32_t *place) {
    for (size_t i = 0; i < w->count; i++) {
        place[i] = OVI_NONE;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < w->parts; i++) {
        uint32_t body = w->leaves[i].body;
        if (place[body] == OVI_NONE) {
            place[body] = next++;
        }
    }
}

/** Sorts pairs by their first leaf, in place; `ends` has room for one number per leaf. */
static void sort_pairs(ovi_pairs *pairs, size_t leaves, uint32_t *starts, uint32_t *ends) {
    for (size_t i = 0; i < leaves; i++) {
        ends[i] = 0;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        ends[pairs->items[i].a]++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < leaves; i++) {
        starts[i] = sum;
        sum += ends[i];
        ends[i] = sum;
    }
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        while (starts[leaf] < ends[leaf]) {
            ovi_kept_pair *at = &pairs->items[starts[leaf]];
            if (at->a == leaf) {
                starts[leaf]++;
                continue;
            }
            ovi_kept_pair swap = pairs->items[starts[at->a]];
            pairs->items[starts[at->a]++] = *at;
            *at = swap;
        }
    }
}

static void renumber_pairs(ovi_pairs *pairs, const uint32_t *number) {
    for (size_t i = 0; i < pairs->count; i++) {
        ovi_kept_pair *p = &pairs->items[i];
        uint32_t a = number[p->a], b = number[p->b];
        p->a = a < b ? a : b;
        p->b = a < b ? b : a;
    }
}

/** The nodes of the tree and their leaves, after both have new numbers. */
static void join_nodes(ov_world *w, const uint32_t *number) {
    for (uint32_t i = 0; i < w->tree.used; i++) {
        ovi_bvh_node *n = &w->tree.nodes[i];
        if (n->height == 0) {
            n->child[1] = number[ovi_bvh_item(n)];
            w->leaves[ovi_bvh_item(n)].node = i;
        }
    }
}

/** Builds the tree and puts everything in its order; false for want of memory. No leaf is dead. */
static bool rebuild(ov_world *w) {
    const ov_allocator *by = &w->options.allocator;
    size_t most = w->leaf_count > w->count ? w->leaf_count : w->count;
    uint32_t *order = ovi_resize(by, NULL, 0, most + 1, sizeof(uint32_t));
    uint32_t *number = ovi_resize(by, NULL, 0, most + 1, sizeof(uint32_t));
    ovi_leaf *leaves = ovi_resize(by, NULL, 0, w->leaf_room + 1, sizeof(ovi_leaf));
    bool good =
        order != NULL && number != NULL && leaves != NULL && ovi_bvh_rebuild(&w->tree, by, order);
    if (good) {
        number_leaves(w, order, number);
        order_leaves(w, number, leaves);
        for (size_t i = 0; i < w->parts; i++) {
            w->leaves[i] = leaves[i];
        }
        w->leaf_count = w->parts;
        w->free_leaf = OVI_NONE;
        join_nodes(w, number);
        renumber_pairs(&w->pairs, number);
        sort_pairs(&w->pairs, w->parts, order, number);
        pairs_index(&w->pairs);
        place_bodies(w, order);
        order_bodies(w, order);
        w->moved.count = 0;
        for (uint32_t i = 0; i < w->parts; i++) {
            if (w->leaves[i].flags & OVI_LEAF_MOVED) {
                w->moved.items[w->moved.count++] = i;
            }
        }
    }
    ovi_release(by, order, most + 1, sizeof(uint32_t));
    ovi_release(by, number, most + 1, sizeof(uint32_t));
    ovi_release(by, leaves, w->leaf_room + 1, sizeof(ovi_leaf));
    return good;
}

/* ---- pairs that go */

/** How far a body may still move before its boxes are made anew. */
static double drift_left(const ov_world *w, const ovi_body *b) {
    return w->options.margin * b->geometry->radius - (double)b->drift;
}

/** A leaf, and how far its body may move before it is searched again. */
typedef struct leaf_bounds {
    const ovi_body *body;
    const ovi_part *part;
    ov_vec3 centre; /**< of the ball */
    double freedom;
} leaf_bounds;

static leaf_bounds leaf_bounds_of(const ov_world *w, const ovi_leaf *l) {
    const ovi_body *b = &w->bodies[l->body];
    const ovi_part *part = &b->geometry->parts[l->part];
    return (leaf_bounds){b, part, ovi_ball_centre(part, b),
                         drift_left(w, b) + ovi_place_rounding(part, b->pose)};
}

/** Can the balls of the parts come within the limit of each other? */
static bool are_balls_near(const leaf_bounds *a, const leaf_bounds *b, double limit) {
    double bound = ovi_ball_bound(a->centre, a->part->ball.radius, b->centre, b->part->ball.radius);
    return !(bound > limit + a->freedom + b->freedom);
}

static bool are_boxes_near(const leaf_bounds *a, const leaf_bounds *b, double limit) {
    double within = limit + a->freedom + b->freedom;
    ovi_placed_box p = ovi_part_placed_box(a->part, a->body->pose);
    ovi_placed_box q = ovi_part_placed_box(b->part, b->body->pose);
    return !ovi_placed_boxes_apart(&p, &q, ovi_limit_up(within), OVI_AXES_ERROR);
}

static bool are_near(const ov_world *w, const ovi_leaf *a, const ovi_leaf *b, double limit) {
    leaf_bounds p = leaf_bounds_of(w, a), q = leaf_bounds_of(w, b);
    return are_balls_near(&p, &q, limit) && are_boxes_near(&p, &q, limit);
}

typedef struct pruning {
    ov_world *world;
    double limit;
} pruning;

/** Marks the pairs of leaves that are dead, or too far from each other by now. */
static void mark_gone(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const pruning *p = context;
    const ov_world *w = p->world;
    for (size_t i = begin; i < end; i++) {
        ovi_kept_pair *pair = &w->pairs.items[i];
        const ovi_leaf *a = &w->leaves[pair->a], *b = &w->leaves[pair->b];
        pair->gone = ((a->flags | b->flags) & OVI_LEAF_DEAD) != 0 || !are_near(w, a, b, p->limit);
    }
}

static void prune(ov_world *w, double limit, const ov_threads *threads) {
    pruning p = {w, limit};
    ovi_ranges_run(mark_gone, &p, w->pairs.count, PAIRS_PER_THREAD, threads);
    for (size_t i = w->pairs.count; i-- > 0;) {
        if (w->pairs.items[i].gone) {
            pairs_remove(&w->pairs, i);
        }
    }
    w->pruned = w->pairs.count;
}

static void free_dead(ov_world *w) {
    for (uint32_t leaf = w->dead_leaf, next; leaf != OVI_NONE; leaf = next) {
        next = w->leaves[leaf].next;
        w->leaves[leaf] = (ovi_leaf){.body = OVI_NONE, .node = OVI_NO_NODE, .next = w->free_leaf};
        w->free_leaf = leaf;
    }
    w->dead_leaf = OVI_NONE;
    w->dead_count = 0;
}

/** Leaves that were buried with the mark of a move are no longer to be searched. */
static void forget_dead_moves(ov_world *w) {
    size_t kept = 0;
    for (size_t i = 0; i < w->moved.count; i++) {
        uint32_t leaf = w->moved.items[i];
        if (!(w->leaves[leaf].flags & OVI_LEAF_DEAD)) {
            w->moved.items[kept++] = leaf;
        }
    }
    w->moved.count = kept;
}

void ovi_world_forget_dead(ov_world *w) {
    w->pairs.unlisted = 0;
    for (size_t i = w->pairs.count; i-- > 0;) {
        const ovi_kept_pair *p = &w->pairs.items[i];
        if (((w->leaves[p->a].flags | w->leaves[p->b].flags) & OVI_LEAF_DEAD) != 0) {
            pairs_remove(&w->pairs, i);
        }
    }
    forget_dead_moves(w);
    free_dead(w);
}

/* ---- pairs that come */

/** New pairs of a block of leaves; more than these, and they are searched for again. */
typedef struct found_pairs {
    uint32_t a[FOUND_MAX], b[FOUND_MAX];
    size_t count, filtered;
    bool over; /**< there are more */
} found_pairs;

typedef struct search {
    ov_world *world;
    uint32_t leaf;
    leaf_bounds bounds;
    double limit;
    found_pairs *found; /**< what is found goes here, or if null to the pairs */
    size_t filtered;
    bool full; /**< no memory, or no room for what is found */
} search;

static bool add_pair(ov_world *w, uint32_t a, uint32_t b) {
    if (!pairs_reserve(&w->pairs, &w->options.allocator, w->pairs.count + 1)) {
        return false;
    }
    pairs_add(&w->pairs, a, b);
    return true;
}

static bool note_pair(found_pairs *f, uint32_t a, uint32_t b) {
    if (f->count == FOUND_MAX) {
        return false;
    }
    f->a[f->count] = a;
    f->b[f->count++] = b;
    return true;
}

static bool add_neighbour(void *user, uint32_t node, uint32_t other) {
    (void)node;
    search *s = user;
    ov_world *w = s->world;
    const ovi_leaf *o = &w->leaves[other];
    // of two that have moved, the one with the larger number finds the pair
    if (other == s->leaf || ((o->flags & OVI_LEAF_MOVED) != 0 && other > s->leaf)) {
        return true;
    }
    leaf_bounds there = leaf_bounds_of(w, o);
    if (!ovi_is_pair(s->bounds.body, there.body)) {
        s->filtered++;
        return true;
    }
    uint32_t a = s->leaf < other ? s->leaf : other, b = s->leaf < other ? other : s->leaf;
    if (!are_balls_near(&s->bounds, &there, s->limit) || pairs_has(&w->pairs, a, b) ||
        !are_boxes_near(&s->bounds, &there, s->limit)) {
        return true;
    }
    s->full = !(s->found != NULL ? note_pair(s->found, a, b) : add_pair(w, a, b));
    return !s->full;
}

/** Searches for the neighbours of some of the leaves that have moved; false where it got full. */
static bool search_leaves(search *s, size_t begin, size_t end) {
    const ov_world *w = s->world;
    for (size_t i = begin; i < end && !s->full; i++) {
        s->leaf = w->moved.items[i];
        const ovi_leaf *l = &w->leaves[s->leaf];
        s->bounds = leaf_bounds_of(w, l);
        ov_aabb box = ovi_box_grow(w->tree.nodes[l->node].box, s->limit);
        (void)ovi_bvh_meet(&w->tree, &box, add_neighbour, s);
    }
    return !s->full;
}

/** Many leaves are searched in the order of the tree: what one needs the next needs too. */
static void order_moved(ov_world *w) {
    if (w->moved.count < w->leaf_count / 64) {
        return;
    }
    w->moved.count = 0;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        if ((w->leaves[i].flags & (OVI_LEAF_MOVED | OVI_LEAF_DEAD)) == OVI_LEAF_MOVED) {
            w->moved.items[w->moved.count++] = i;
        }
    }
}

static bool search_alone(ov_world *w, double limit, size_t begin, size_t end) {
    search s = {.world = w, .limit = limit};
    bool good = search_leaves(&s, begin, end);
    w->counts.filtered += s.filtered;
    return good;
}

typedef struct searching {
    ov_world *world;
    double limit;
    size_t first;       /**< of the leaves */
    found_pairs *found; /**< of each block */
} searching;

static size_t end_of_block(const searching *g, size_t block) {
    size_t end = g->first + (block + 1) * SEARCH_BLOCK;
    return end < g->world->moved.count ? end : g->world->moved.count;
}

static void search_blocks(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const searching *g = context;
    for (size_t i = begin; i < end; i++) {
        found_pairs *f = &g->found[i];
        f->count = 0;
        search s = {.world = g->world, .limit = g->limit, .found = f};
        f->over = !search_leaves(&s, g->first + i * SEARCH_BLOCK, end_of_block(g, i));
        f->filtered = s.filtered;
    }
}

/** Adds what was found for a block, which is no pair yet: each is found by one of its leaves
 * only. */
static bool add_found(const searching *g, size_t block) {
    ov_world *w = g->world;
    const found_pairs *f = &g->found[block];
    if (f->over) {
        return search_alone(w, g->limit, g->first + block * SEARCH_BLOCK, end_of_block(g, block));
    }
    w->counts.filtered += f->filtered;
    for (size_t i = 0; i < f->count; i++) {
        if (!add_pair(w, f->a[i], f->b[i])) {
            return false;
        }
    }
    return true;
}

/** Blocks of leaves are searched on several threads, and what they found is added in the order of
 * the leaves: what comes out is that of search_alone. */
static bool search_together(ov_world *w, double limit, const ov_threads *threads) {
    size_t all = (w->moved.count + SEARCH_BLOCK - 1) / SEARCH_BLOCK;
    size_t most = (size_t)threads->count * SEARCHES_PER_THREAD, blocks = all < most ? all : most;
    searching g = {.world = w, .limit = limit};
    g.found = ovi_resize(&w->options.allocator, NULL, 0, blocks, sizeof(found_pairs));
    if (g.found == NULL) {
        return search_alone(w, limit, 0, w->moved.count);
    }
    bool good = true;
    for (; g.first < w->moved.count && good; g.first += blocks * SEARCH_BLOCK) {
        size_t left = (w->moved.count - g.first + SEARCH_BLOCK - 1) / SEARCH_BLOCK;
        size_t now = left < blocks ? left : blocks;
        ovi_ranges_run(search_blocks, &g, now, 1, threads);
        for (size_t i = 0; i < now && good; i++) {
            good = add_found(&g, i);
        }
    }
    ovi_release(&w->options.allocator, g.found, blocks, sizeof(found_pairs));
    return good;
}

/** Finds the pairs of all leaves that have moved; false for want of memory. */
static bool find_pairs(ov_world *w, double limit, const ov_threads *threads) {
    order_moved(w);
    ov_threads used = *threads;
    used.count = ovi_threads_for(w->moved.count, SEARCH_BLOCK, threads);
    bool good = used.count > 1 ? search_together(w, limit, &used)
                               : search_alone(w, limit, 0, w->moved.count);
    if (!good) {
        return false;
    }
    for (size_t i = 0; i < w->moved.count; i++) {
        w->leaves[w->moved.items[i]].flags &= (unsigned char)~OVI_LEAF_MOVED;
    }
    w->moved.count = 0;
    return true;
}

static void mark_all_moved(ov_world *w) {
    w->moved.count = 0;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->node != OVI_NO_NODE) {
            l->flags |= (unsigned char)OVI_LEAF_MOVED;
            w->moved.items[w->moved.count++] = i;
        }
    }
}

/* ---- half-spaces: their neighbours are looked for anew each time, and are unlisted pairs */

typedef struct plane_search {
    ov_world *world;
    uint32_t leaf;
    ov_vec3 normal; /**< in the world; the body is normal . p <= offset */
    double offset;
    bool full;
} plane_search;

/** Infinite where a box is above the plane. */
static double plane_key(void *user, const ov_aabb *box) {
    const plane_search *s = user;
    ov_vec3 n = s->normal;
    double least = (n.x > 0.0 ? box->min.x : box->max.x) * n.x +
                   (n.y > 0.0 ? box->min.y : box->max.y) * n.y +
                   (n.z > 0.0 ? box->min.z : box->max.z) * n.z;
    double size = fabs(box->min.x) + fabs(box->max.x) + fabs(box->min.y) + fabs(box->max.y) +
                  fabs(box->min.z) + fabs(box->max.z);
    return least - 16.0 * 0x1p-52 * size > s->offset ? INFINITY : 0.0;
}

static bool add_plane_pair(void *user, uint32_t node, uint32_t other) {
    (void)node;
    plane_search *s = user;
    ov_world *w = s->world;
    const ovi_leaf *p = &w->leaves[s->leaf], *o = &w->leaves[other];
    if (!ovi_is_pair(&w->bodies[p->body], &w->bodies[o->body])) {
        w->counts.filtered++;
        return true;
    }
    if (!pairs_reserve(&w->pairs, &w->options.allocator, ovi_pairs_all(&w->pairs) + 1)) {
        s->full = true;
        return false;
    }
    pairs_add_unlisted(&w->pairs, s->leaf, other);
    return true;
}

static const ovi_part *part_of(const ov_world *w, const ovi_leaf *leaf) {
    return &w->bodies[leaf->body].geometry->parts[leaf->part];
}

static bool find_plane_pairs(ov_world *w, double limit) {
    for (size_t i = 0; i < w->planes.count; i++) {
        plane_search s = {.world = w, .leaf = w->planes.items[i]};
        const ovi_leaf *l = &w->leaves[s.leaf];
        const ovi_part *part = part_of(w, l);
        ov_pose pose = ovi_part_pose(part, w->bodies[l->body].pose);
        s.normal = ov_quat_rotate(pose.rotation, part->part.shape.u.halfspace.normal);
        s.offset = part->part.shape.u.halfspace.offset + ov_vec3_dot(s.normal, pose.position);
        s.offset +=
            limit + 64.0 * 0x1p-52 *
                        (fabs(part->part.shape.u.halfspace.offset) + ov_vec3_length(pose.position) +
                         ov_vec3_length(part->part.pose.position));
        (void)ovi_bvh_search(&w->tree, plane_key, add_plane_pair, &s);
        if (s.full) {
            return false;
        }
    }
    return true;
}

/* ---- the search */

ov_status ov_world_update(ov_world *world, double limit) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_update(world, limit));
    if (world == NULL) {
        return OV_ERROR_NULL;
    }
    if (!isfinite(limit)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (limit < 0.0 || limit > OV_POSITION_MAX) {
        return OV_ERROR_OPTION;
    }
    ov_world *w = world;
    ov_threads threads = w->options.threads;
    threads.count = ovi_threads_for(w->leaf_count, SEARCH_BLOCK, &threads);
    bool less = limit<0.5 * w->searched, more = limit> w->searched;
    // pairs are kept for the limit that they were searched for, unless that is much too large
    double reach = ovi_limit_up(less || more ? limit : w->searched);
    w->pairs.unlisted = 0; // those with half-spaces are found anew
    w->counts = (ov_world_counts){.parts = w->parts};
    w->contact_count = 0;
    // pairs that have parted cost little: they go when there are many
    if (less || w->dead_leaf != OVI_NONE ||
        w->pairs.count > w->pruned + w->pruned / PRUNE_PART + 64) {
        prune(w, reach, &threads);
        forget_dead_moves(w);
        free_dead(w);
    }
    if (less) {
        w->searched = limit; // from here on the pairs beyond it are gone, whatever fails below
    }
    w->counts.moved = w->moved.count;
    if (w->tree.changes > w->tree.leaves * (size_t)CHANGES_MAX) {
        (void)rebuild(w); // without memory the old tree serves as well
    }
    if (more) {
        mark_all_moved(w);
    }
    bool good = find_pairs(w, reach, &threads);
    if (good && more) {
        w->searched = limit;
    }
    good = good && find_plane_pairs(w, reach);
    w->counts.pairs = ovi_pairs_all(&w->pairs);
    w->counts.memory = ovi_world_memory(w);
    return good ? OV_OK : OV_ERROR_MEMORY;
}
