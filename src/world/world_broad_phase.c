/**
 * @file world_broad_phase.c
 * @brief The broad phase: which parts are neighbours, from one search to the next.
 *
 * A pair comes when two leaves can come within the limit of each other before one of them has a new
 * box, by their boxes in the tree, their balls and their oriented boxes. That can change only where
 * a leaf has a new box, or the limit is larger, so only such leaves are searched. Pairs that can no
 * longer come so near do no harm and cost little: they are looked for and dropped only when many
 * pairs have come, or leaves are dead, or the limit is much smaller. After many changes the tree is
 * built from scratch, and bodies and leaves are put in its order, so that what is near in space is
 * near in memory too.
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
/** Pairs are looked through when more than one in PRUNE_PART is new. */
enum { PRUNE_PART = 8 };
/** What a thread takes at a time: pairs that may go, leaves to be searched; how many pairs these
 * may find; and how many blocks of leaves each thread does until what was found is put together.
 */
enum { PAIRS_PER_THREAD = 2048, SEARCH_BLOCK = 64, FOUND_MAX = 512, SEARCHES_PER_THREAD = 64 };

/* ---- the set of pairs: an array, and a hash table with open addressing over it */

void ovi_pairs_free(ovi_pairs *pairs, const ov_allocator *allocator) {
    ovi_release(allocator, pairs->items, pairs->room, sizeof(ovi_kept_pair));
    ovi_release(allocator, pairs->table, pairs->table_room, sizeof(uint32_t));
    *pairs = (ovi_pairs){0};
}

static size_t hash(uint32_t a, uint32_t b) {
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return (size_t)(x ^ x >> 32);
}

/** Slot of a pair in the table, or the empty one where it would go. */
static size_t find_slot(const ovi_pairs *p, uint32_t a, uint32_t b) {
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
        pairs->table[find_slot(pairs, pairs->items[i].a, pairs->items[i].b)] = (uint32_t)(i + 1);
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

/** Room for so many pairs, those with half-spaces included; false for want of memory. */
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
    return pairs->table_room > 0 && pairs->table[find_slot(pairs, a, b)] != 0;
}

/** Adds a pair, unless it is there already; there must be room, and no pairs with half-spaces yet:
 *  these are behind all others. */
static void pairs_add(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    size_t slot = find_slot(pairs, a, b);
    if (pairs->table[slot] != 0) {
        return;
    }
    pairs->items[pairs->count++] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->table[slot] = (uint32_t)pairs->count;
}

/** Adds a pair with a half-space, not in the table; there must be room. Setting halfspace_count to
 * 0 removes all of these. */
static void pairs_add_halfspace(ovi_pairs *pairs, uint32_t a, uint32_t b) {
    pairs->items[ovi_pairs_all(pairs)] = (ovi_kept_pair){.a = a, .b = b, .lower = -INFINITY};
    pairs->halfspace_count++;
}

/** Empties a slot of the table; pairs in later slots that would not be found any more move up. */
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
            // it may stay where its home lies behind the empty slot, going round
            if (((next - home) & mask) < ((next - slot) & mask)) {
                continue;
            }
            break;
        } while (true);
        p->table[slot] = p->table[next];
        slot = next;
    }
}

/** Removes a pair by its index, while there are none with half-spaces; the last one goes there. */
static void pairs_remove(ovi_pairs *pairs, size_t index) {
    empty_slot(pairs, find_slot(pairs, pairs->items[index].a, pairs->items[index].b));
    size_t last = --pairs->count;
    if (index != last) {
        ovi_kept_pair moved = pairs->items[last];
        pairs->table[find_slot(pairs, moved.a, moved.b)] = (uint32_t)(index + 1);
        pairs->items[index] = moved;
    }
}

/* ---- leaves, bodies and pairs in the order of a new tree */

/** New numbers of the leaves: order[i], the i-th of the tree, gets i, and half-spaces come last. */
static void number_leaves(ov_world *w, const uint32_t *order, uint32_t *number) {
    uint32_t next = 0;
    for (; next < w->tree.leaves; next++) {
        number[order[next]] = next;
    }
    for (size_t i = 0; i < w->halfspaces.count; i++) {
        number[w->halfspaces.items[i]] = next++;
        w->halfspaces.items[i] = number[w->halfspaces.items[i]];
    }
}

/** Copies the leaves to where their new numbers are; bodies and leaves refer to each other by these
 *  from here on. */
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

/** Moves body i to new_index[i], going round each cycle once; new_index[i] is i in the end. */
static void order_bodies(ov_world *w, uint32_t *new_index) {
    for (uint32_t i = 0; i < w->count; i++) {
        while (new_index[i] != i) {
            uint32_t to = new_index[i];
            ovi_body body = w->bodies[to];
            w->bodies[to] = w->bodies[i];
            w->bodies[i] = body;
            new_index[i] = new_index[to];
            new_index[to] = to;
        }
    }
    for (uint32_t i = 0; i < w->count; i++) {
        w->id_slots[w->bodies[i].id_slot].body = i;
        for (uint32_t l = w->bodies[i].leaf; l != OVI_NONE; l = w->leaves[l].next) {
            w->leaves[l].body = i;
        }
    }
}

/** New indices of the bodies, by the first of their leaves. */
static void number_bodies(const ov_world *w, uint32_t *new_index) {
    for (size_t i = 0; i < w->count; i++) {
        new_index[i] = OVI_NONE;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < w->parts; i++) {
        uint32_t body = w->leaves[i].body;
        if (new_index[body] == OVI_NONE) {
            new_index[body] = next++;
        }
    }
}

/** Sorts pairs by their first leaf, in place, by counting; `starts` and `ends` have room for a
 * number per leaf. */
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

/** Nodes and leaves of the world refer to each other by the new numbers. */
static void join_nodes(ov_world *w, const uint32_t *number) {
    for (uint32_t i = 0; i < w->tree.used; i++) {
        ovi_bvh_node *n = &w->tree.nodes[i];
        if (n->height == 0) {
            n->child[1] = number[ovi_bvh_item(n)];
            w->leaves[ovi_bvh_item(n)].node = i;
        }
    }
}

/** Puts everything in the order of a new tree, whose leaves are order[] by their old numbers. The
 *  arrays are used up: `order` and `number` serve as room for other numbers once they are done
 * with. */
static void take_order(ov_world *w, uint32_t *order, uint32_t *number, ovi_leaf *leaves) {
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
    number_bodies(w, order);
    order_bodies(w, order);
    w->to_search.count = 0;
    for (uint32_t i = 0; i < w->parts; i++) {
        if (w->leaves[i].flags & OVI_LEAF_TO_SEARCH) {
            w->to_search.items[w->to_search.count++] = i;
        }
    }
}

/** Builds the tree anew and puts everything in its order; false for want of memory, all is then as
 *  before. No leaf may be dead, for its number would be lost; free ones are given up. */
static bool rebuild(ov_world *w) {
    const ov_allocator *by = &w->options.allocator;
    size_t most = w->leaf_count > w->count ? w->leaf_count : w->count;
    uint32_t *order = ovi_resize(by, NULL, 0, most + 1, sizeof(uint32_t));
    uint32_t *number = ovi_resize(by, NULL, 0, most + 1, sizeof(uint32_t));
    ovi_leaf *leaves = ovi_resize(by, NULL, 0, w->leaf_room + 1, sizeof(ovi_leaf));
    bool good =
        order != NULL && number != NULL && leaves != NULL && ovi_bvh_rebuild(&w->tree, by, order);
    if (good) {
        take_order(w, order, number, leaves);
    }
    ovi_release(by, order, most + 1, sizeof(uint32_t));
    ovi_release(by, number, most + 1, sizeof(uint32_t));
    ovi_release(by, leaves, w->leaf_room + 1, sizeof(ovi_leaf));
    return good;
}

/* ---- pairs that go */

/** How far a body may still move before it has new boxes. */
static double drift_left(const ov_world *w, const ovi_body *b) {
    return w->options.margin * b->geometry->radius - (double)b->drift;
}

/** A bounded leaf as it is now. */
typedef struct leaf_bounds {
    const ovi_body *body;
    const ovi_part *part;
    ov_vec3 centre; /**< of the ball */
    /** How far it can get from there before it is searched again, and what rounding did to it. */
    double freedom;
} leaf_bounds;

static leaf_bounds leaf_bounds_of(const ov_world *w, const ovi_leaf *l) {
    const ovi_body *b = &w->bodies[l->body];
    const ovi_part *part = &b->geometry->parts[l->part];
    return (leaf_bounds){b, part, ovi_ball_centre(part, b),
                         drift_left(w, b) + ovi_bounds_rounding(part, b->pose)};
}

/** Can the balls of the parts come within the limit of each other before a new search?
 *  (docs/theory/world.md, 3) */
static bool are_balls_near(const leaf_bounds *a, const leaf_bounds *b, double limit) {
    double bound = ovi_ball_bound(a->centre, a->part->ball.radius, b->centre, b->part->ball.radius);
    return !(bound > limit + a->freedom + b->freedom);
}

/** The same for their oriented boxes. */
static bool are_boxes_near(const leaf_bounds *a, const leaf_bounds *b, double limit) {
    double within = limit + a->freedom + b->freedom;
    ovi_placed_box p = ovi_part_obb(a->part, a->body->pose);
    ovi_placed_box q = ovi_part_obb(b->part, b->body->pose);
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

/** Drops the pairs that are marked so; needs no memory. */
static void prune(ov_world *w, double limit, const ov_threads *threads) {
    pruning p = {w, limit};
    ovi_ranges_run(mark_gone, &p, w->pairs.count, PAIRS_PER_THREAD, threads);
    for (size_t i = w->pairs.count; i-- > 0;) {
        if (w->pairs.items[i].gone) {
            pairs_remove(&w->pairs, i);
        }
    }
    w->pruned_count = w->pairs.count;
}

/** Numbers of dead leaves may be used again; no pair and no list may have them any more. */
static void free_dead(ov_world *w) {
    for (uint32_t leaf = w->dead_leaf, next; leaf != OVI_NONE; leaf = next) {
        next = w->leaves[leaf].next;
        w->leaves[leaf] = (ovi_leaf){.body = OVI_NONE, .node = OVI_NO_NODE, .next = w->free_leaf};
        w->free_leaf = leaf;
    }
    w->dead_leaf = OVI_NONE;
    w->dead_count = 0;
}

/** Leaves that died before they were searched are no longer to be. */
static void drop_dead_from_search(ov_world *w) {
    size_t kept = 0;
    for (size_t i = 0; i < w->to_search.count; i++) {
        uint32_t leaf = w->to_search.items[i];
        if (!(w->leaves[leaf].flags & OVI_LEAF_DEAD)) {
            w->to_search.items[kept++] = leaf;
        }
    }
    w->to_search.count = kept;
}

void ovi_world_forget_dead(ov_world *w) {
    w->pairs.halfspace_count = 0;
    for (size_t i = w->pairs.count; i-- > 0;) {
        const ovi_kept_pair *p = &w->pairs.items[i];
        if (((w->leaves[p->a].flags | w->leaves[p->b].flags) & OVI_LEAF_DEAD) != 0) {
            pairs_remove(&w->pairs, i);
        }
    }
    drop_dead_from_search(w);
    free_dead(w);
}

/* ---- pairs that come */

/** New pairs of a block of leaves, as one thread finds them. Where there are more, the block is
 *  searched again when its pairs are added. */
typedef struct found_pairs {
    uint32_t a[FOUND_MAX], b[FOUND_MAX];
    size_t count, filtered;
    bool over; /**< there are more */
} found_pairs;

/** The search for the neighbours of one leaf after the other. */
typedef struct leaf_search {
    ov_world *world;
    uint32_t leaf;
    leaf_bounds bounds;
    double limit;
    found_pairs *found; /**< what is found goes here, or if null to the pairs */
    size_t filtered;
    bool full; /**< no memory, or no room for what is found */
} leaf_search;

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
    leaf_search *s = user;
    ov_world *w = s->world;
    const ovi_leaf *o = &w->leaves[other];
    // of two leaves that are both searched, the one with the larger number finds the pair
    if (other == s->leaf || ((o->flags & OVI_LEAF_TO_SEARCH) != 0 && other > s->leaf)) {
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

/** Searches for the neighbours of some of the leaves in `to_search`; false where it got full. */
static bool search_leaves(leaf_search *s, size_t begin, size_t end) {
    const ov_world *w = s->world;
    for (size_t i = begin; i < end && !s->full; i++) {
        s->leaf = w->to_search.items[i];
        const ovi_leaf *l = &w->leaves[s->leaf];
        s->bounds = leaf_bounds_of(w, l);
        ov_aabb box = ovi_box_grow(w->tree.nodes[l->node].box, s->limit);
        (void)ovi_bvh_meet(&w->tree, &box, add_neighbour, s);
    }
    return !s->full;
}

/** Many leaves are searched in the order of the tree: what one needs the next needs too. */
static void order_to_search(ov_world *w) {
    if (w->to_search.count < w->leaf_count / 64) {
        return;
    }
    w->to_search.count = 0;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        if ((w->leaves[i].flags & (OVI_LEAF_TO_SEARCH | OVI_LEAF_DEAD)) == OVI_LEAF_TO_SEARCH) {
            w->to_search.items[w->to_search.count++] = i;
        }
    }
}

static bool search_on_this_thread(ov_world *w, double limit, size_t begin, size_t end) {
    leaf_search s = {.world = w, .limit = limit};
    bool good = search_leaves(&s, begin, end);
    w->counts.filtered += s.filtered;
    return good;
}

/** The search for the neighbours of many leaves, block by block, on several threads. */
typedef struct block_search {
    ov_world *world;
    double limit;
    size_t first;       /**< of the leaves of this round of blocks */
    found_pairs *found; /**< of each block of the round */
} block_search;

static size_t end_of_block(const block_search *g, size_t block) {
    size_t end = g->first + (block + 1) * SEARCH_BLOCK;
    return end < g->world->to_search.count ? end : g->world->to_search.count;
}

static void search_blocks(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const block_search *g = context;
    for (size_t i = begin; i < end; i++) {
        found_pairs *f = &g->found[i];
        f->count = 0;
        leaf_search s = {.world = g->world, .limit = g->limit, .found = f};
        f->over = !search_leaves(&s, g->first + i * SEARCH_BLOCK, end_of_block(g, i));
        f->filtered = s.filtered;
    }
}

/** Adds what was found for a block. None of it is a pair yet, for each pair is found by one of its
 *  leaves only. */
static bool add_found(const block_search *g, size_t block) {
    ov_world *w = g->world;
    const found_pairs *f = &g->found[block];
    if (f->over) {
        return search_on_this_thread(w, g->limit, g->first + block * SEARCH_BLOCK,
                                     end_of_block(g, block));
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
 * the leaves: what comes out is that of search_on_this_thread. */
static bool search_on_threads(ov_world *w, double limit, const ov_threads *threads) {
    size_t all = (w->to_search.count + SEARCH_BLOCK - 1) / SEARCH_BLOCK;
    size_t most = (size_t)threads->count * SEARCHES_PER_THREAD, blocks = all < most ? all : most;
    block_search g = {.world = w, .limit = limit};
    g.found = ovi_resize(&w->options.allocator, NULL, 0, blocks, sizeof(found_pairs));
    if (g.found == NULL) {
        return search_on_this_thread(w, limit, 0, w->to_search.count);
    }
    bool good = true;
    for (; g.first < w->to_search.count && good; g.first += blocks * SEARCH_BLOCK) {
        size_t left = (w->to_search.count - g.first + SEARCH_BLOCK - 1) / SEARCH_BLOCK;
        size_t now = left < blocks ? left : blocks;
        ovi_ranges_run(search_blocks, &g, now, 1, threads);
        for (size_t i = 0; i < now && good; i++) {
            good = add_found(&g, i);
        }
    }
    ovi_release(&w->options.allocator, g.found, blocks, sizeof(found_pairs));
    return good;
}

/** Finds the pairs of all leaves in `to_search`; false for want of memory: they are then still to
 * be searched, and the pairs that were found stay. */
static bool find_pairs(ov_world *w, double limit, const ov_threads *threads) {
    order_to_search(w);
    ov_threads used = *threads;
    used.count = ovi_threads_for(w->to_search.count, SEARCH_BLOCK, threads);
    bool good = used.count > 1 ? search_on_threads(w, limit, &used)
                               : search_on_this_thread(w, limit, 0, w->to_search.count);
    if (!good) {
        return false;
    }
    for (size_t i = 0; i < w->to_search.count; i++) {
        w->leaves[w->to_search.items[i]].flags &= (unsigned char)~OVI_LEAF_TO_SEARCH;
    }
    w->to_search.count = 0;
    return true;
}

static void mark_all_to_search(ov_world *w) {
    w->to_search.count = 0;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->node != OVI_NO_NODE) {
            l->flags |= (unsigned char)OVI_LEAF_TO_SEARCH;
            w->to_search.items[w->to_search.count++] = i;
        }
    }
}

/* ---- half-spaces: they have no box, so their neighbours are found anew in each step */

typedef struct halfspace_search {
    ov_world *world;
    uint32_t leaf;
    ov_vec3 normal; /**< in the world; the body is normal . p <= offset */
    double offset;
    bool full;
} halfspace_search;

/** Key of a box for the search: infinite where the box is above the plane. */
static double halfspace_key(void *user, const ov_aabb *box) {
    const halfspace_search *s = user;
    ov_vec3 n = s->normal;
    double least = (n.x > 0.0 ? box->min.x : box->max.x) * n.x +
                   (n.y > 0.0 ? box->min.y : box->max.y) * n.y +
                   (n.z > 0.0 ? box->min.z : box->max.z) * n.z;
    double size = fabs(box->min.x) + fabs(box->max.x) + fabs(box->min.y) + fabs(box->max.y) +
                  fabs(box->min.z) + fabs(box->max.z);
    return least - 16.0 * 0x1p-52 * size > s->offset ? INFINITY : 0.0;
}

static bool add_halfspace_pair(void *user, uint32_t node, uint32_t other) {
    (void)node;
    halfspace_search *s = user;
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
    pairs_add_halfspace(&w->pairs, s->leaf, other);
    return true;
}

static const ovi_part *part_of(const ov_world *w, const ovi_leaf *leaf) {
    return &w->bodies[leaf->body].geometry->parts[leaf->part];
}

static bool find_halfspace_pairs(ov_world *w, double limit) {
    for (size_t i = 0; i < w->halfspaces.count; i++) {
        halfspace_search s = {.world = w, .leaf = w->halfspaces.items[i]};
        const ovi_leaf *l = &w->leaves[s.leaf];
        const ovi_part *part = part_of(w, l);
        ov_pose pose = ovi_part_pose(part, w->bodies[l->body].pose);
        s.normal = ov_quat_rotate(pose.rotation, part->part.shape.u.halfspace.normal);
        s.offset = part->part.shape.u.halfspace.offset + ov_vec3_dot(s.normal, pose.position);
        s.offset +=
            limit + 64.0 * 0x1p-52 *
                        (fabs(part->part.shape.u.halfspace.offset) + ov_vec3_length(pose.position) +
                         ov_vec3_length(part->part.pose.position));
        (void)ovi_bvh_search(&w->tree, halfspace_key, add_halfspace_pair, &s);
        if (s.full) {
            return false;
        }
    }
    return true;
}

/* ---- the broad phase */

/** Drops the pairs of dead leaves and those that can no longer come near; dead leaves are then
 * free. */
static void drop_pairs(ov_world *w, double within, const ov_threads *threads) {
    prune(w, within, threads);
    drop_dead_from_search(w);
    free_dead(w);
}

static ov_status update(ov_world *w, double limit) {
    ov_threads threads = w->options.threads;
    threads.count = ovi_threads_for(w->leaf_count, SEARCH_BLOCK, &threads);
    // pairs are kept for the limit that they were searched for, unless that is much too large
    bool grown = limit > w->pair_limit, shrunk = 0.5 * w->pair_limit > limit;
    double within = ovi_limit_up(grown || shrunk ? limit : w->pair_limit);
    bool many_new = w->pairs.count > w->pruned_count + w->pruned_count / PRUNE_PART + 64;
    w->pairs.halfspace_count = 0;
    w->counts = (ov_world_counts){.parts = w->parts};
    w->contact_count = 0;
    if (shrunk || w->dead_leaf != OVI_NONE || many_new) {
        drop_pairs(w, within, &threads);
    }
    if (shrunk) {
        w->pair_limit = limit; // from here on the pairs beyond it are gone, whatever fails below
    }
    w->counts.moved = w->to_search.count;
    if (w->tree.changes > w->tree.leaves * (size_t)CHANGES_MAX) {
        (void)rebuild(w); // without memory the old tree serves as well
    }
    if (grown) {
        mark_all_to_search(w);
    }
    bool good = find_pairs(w, within, &threads);
    if (good && grown) {
        w->pair_limit = limit;
    }
    good = good && find_halfspace_pairs(w, within);
    w->counts.pairs = ovi_pairs_all(&w->pairs);
    w->counts.memory = ovi_world_memory(w);
    return good ? OV_OK : OV_ERROR_MEMORY;
}

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
    return update(world, limit);
}
