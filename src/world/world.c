/**
 * @file world.c
 * @brief A world and its bodies: adding, moving and removing them, and their boxes in the tree.
 *
 * A body that moves adds up its path, and gets new boxes in the tree only when it may have left the
 * old ones. Where many bodies move at once, on several threads, the input is checked first, so that
 * the first error is known before anything moves. Then each thread goes through all of it and moves
 * the bodies that are its own, by the slots of their ids: one that is named twice is moved twice,
 * in the order of the input, by one thread. New boxes are made when all have moved, leaf by leaf,
 * which is the order of the tree: what the next leaf needs of it is then in the cache.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>

#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "../query/query_internal.h"
#include "world_internal.h"

/** Leaves of removed bodies wait for the next step, as long as they are no more than those in use
 *  and so many besides. */
enum { DEAD_MAX = 256 };

ov_world_options ov_default_world_options(void) {
    return (ov_world_options){.margin = 0.1, .pair = ov_default_pair_options()};
}

ov_body_def ov_default_body_def(void) {
    return (ov_body_def){.pose = ov_pose_identity(), .group = 1, .mask = UINT32_MAX};
}

/** With the number of the machine's processors, which is not asked for in every step. */
static ov_threads threads_of(const ov_threads *given) {
    ov_threads threads = given != NULL ? *given : (ov_threads){0};
    threads.count = threads.count > 0 ? threads.count : ovi_thread_count();
    return threads;
}

ov_status ov_world_create(const ov_world_options *options, ov_world **world) {
    if (world == NULL) {
        return OV_ERROR_NULL;
    }
    *world = NULL;
    ov_world_options used = options != NULL ? *options : ov_default_world_options();
    if (used.pair.depth == OV_DEPTH_DEFAULT) {
        used.pair.depth =
            OV_DEPTH_LOCAL; // a world follows its bodies, so a depth nearby is at hand
    }
    used.pair = ovi_pair_options_of(&used.pair);
    if (used.margin == 0.0) {
        used.margin = ov_default_world_options().margin;
    }
    ov_status status = ovi_check_pair_options(&used.pair);
    if (status != OV_OK || !(used.margin >= 0.0 && used.margin <= 10.0) ||
        !ovi_threads_are_good(&used.threads)) {
        return OV_ERROR_OPTION;
    }
    used.allocator = ovi_allocator_of(&used.allocator);
    used.threads = threads_of(&used.threads);
    ov_world *w = ovi_resize(&used.allocator, NULL, 0, 1, sizeof *w);
    if (w == NULL) {
        return OV_ERROR_MEMORY;
    }
    *w = (ov_world){.options = used,
                    .free_id_slot = OVI_NONE,
                    .free_leaf = OVI_NONE,
                    .dead_leaf = OVI_NONE,
                    .tree = ovi_bvh_empty(),
                    .pair_limit = -1.0};
    *world = w;
    return OV_OK;
}

void ov_world_destroy(ov_world *world) {
    if (world == NULL) {
        return;
    }
    ov_allocator used = world->options.allocator;
    ovi_release(&used, world->bodies, world->room, sizeof(ovi_body));
    ovi_release(&used, world->id_slots, world->id_slot_room, sizeof(ovi_id_slot));
    ovi_release(&used, world->leaves, world->leaf_room, sizeof(ovi_leaf));
    ovi_release(&used, world->to_search.items, world->to_search.room, sizeof(uint32_t));
    ovi_release(&used, world->halfspaces.items, world->halfspaces.room, sizeof(uint32_t));
    ovi_release(&used, world->contacts, world->contact_room, sizeof(ov_world_contact));
    ovi_release(&used, world->findings, world->finding_room, sizeof(ovi_finding));
    ovi_release(&used, world->points, world->point_room, sizeof(ov_manifold_point));
    ovi_release(&used, world->normals, world->normal_room, sizeof(ov_vec3));
    ovi_release(&used, world->first_points, world->first_point_room, sizeof(size_t));
    ovi_bvh_free(&world->tree, &used);
    ovi_pairs_free(&world->pairs, &used);
    ovi_release(&used, world, 1, sizeof *world);
}

/** A copy of an array with all its room, or null; an array that is not there has none. */
static void *copy_of(const ov_allocator *by, const void *block, size_t room, size_t size,
                     bool *good) {
    void *copy = block != NULL && room > 0 ? ovi_resize(by, NULL, 0, room, size) : NULL;
    if (copy != NULL) {
        memcpy(copy, block, room * size);
    }
    *good = *good && (copy != NULL || block == NULL || room == 0);
    return copy;
}

ov_status ov_world_copy(const ov_world *world, ov_world **copy) {
    if (copy != NULL) {
        *copy = NULL;
    }
    if (world == NULL || copy == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_allocator *by = &world->options.allocator;
    ov_world *w = ovi_resize(by, NULL, 0, 1, sizeof *w);
    if (w == NULL) {
        return OV_ERROR_MEMORY;
    }
    bool good = true;
    *w = *world;
    w->bodies = copy_of(by, world->bodies, w->room, sizeof *w->bodies, &good);
    w->id_slots = copy_of(by, world->id_slots, w->id_slot_room, sizeof *w->id_slots, &good);
    w->leaves = copy_of(by, world->leaves, w->leaf_room, sizeof *w->leaves, &good);
    w->to_search.items =
        copy_of(by, world->to_search.items, w->to_search.room, sizeof(uint32_t), &good);
    w->halfspaces.items =
        copy_of(by, world->halfspaces.items, w->halfspaces.room, sizeof(uint32_t), &good);
    w->tree.nodes = copy_of(by, world->tree.nodes, w->tree.room, sizeof *w->tree.nodes, &good);
    w->pairs.items = copy_of(by, world->pairs.items, w->pairs.room, sizeof *w->pairs.items, &good);
    w->pairs.table = copy_of(by, world->pairs.table, w->pairs.table_room, sizeof(uint32_t), &good);
    // results of the last step are the world's own
    w->contacts = NULL, w->points = NULL, w->normals = NULL, w->first_points = NULL,
    w->findings = NULL;
    w->contact_count = w->contact_room = w->point_room = w->first_point_room = 0;
    w->normal_room = 0;
    w->finding_count = w->finding_room = 0;
    if (!good) {
        ov_world_destroy(w);
        return OV_ERROR_MEMORY;
    }
    *copy = w;
    return OV_OK;
}

ov_status ov_world_set_threads(ov_world *world, const ov_threads *threads) {
    if (world == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_threads_are_good(threads)) {
        return OV_ERROR_OPTION;
    }
    world->options.threads = threads_of(threads);
    return OV_OK;
}

size_t ovi_world_memory(const ov_world *w) {
    return sizeof *w + w->room * sizeof(ovi_body) + w->id_slot_room * sizeof(ovi_id_slot) +
           w->leaf_room * sizeof(ovi_leaf) +
           (w->to_search.room + w->halfspaces.room) * sizeof(uint32_t) +
           w->contact_room * sizeof(ov_world_contact) + w->finding_room * sizeof(ovi_finding) +
           w->tree.room * sizeof(ovi_bvh_node) + w->point_room * sizeof(ov_manifold_point) +
           w->normal_room * sizeof(ov_vec3) + w->first_point_room * sizeof(size_t) +
           w->pairs.room * sizeof(ovi_kept_pair) + w->pairs.table_room * sizeof(uint32_t);
}

/* ---- boxes in the tree */

/** The box that a bounded part gets in the tree: its own, with the margin around it. */
static ov_aabb leaf_box(const ov_world *w, const ovi_leaf *leaf) {
    const ovi_body *b = &w->bodies[leaf->body];
    return ovi_box_grow(ovi_part_aabb(&b->geometry->parts[leaf->part], b->pose),
                        w->options.margin * b->geometry->radius);
}

/* ---- room */

static bool numbers_reserve(ovi_numbers *numbers, const ov_allocator *allocator, size_t count) {
    if (count <= numbers->room) {
        return true;
    }
    uint32_t *items =
        ovi_more_room(allocator, numbers->items, &numbers->room, count, sizeof(uint32_t));
    if (items == NULL) {
        return false;
    }
    numbers->items = items;
    return true;
}

static bool reserve_bodies(ov_world *w) {
    const ov_allocator *by = &w->options.allocator;
    if (w->count == w->room) {
        ovi_body *bodies = ovi_more_room(by, w->bodies, &w->room, w->count + 1, sizeof(ovi_body));
        if (bodies == NULL) {
            return false;
        }
        w->bodies = bodies;
    }
    if (w->free_id_slot == OVI_NONE && w->id_slot_count == w->id_slot_room) {
        ovi_id_slot *id_slots = ovi_more_room(by, w->id_slots, &w->id_slot_room,
                                              w->id_slot_count + 1, sizeof(ovi_id_slot));
        if (id_slots == NULL) {
            return false;
        }
        w->id_slots = id_slots;
    }
    return true;
}

/** Room for the leaves of a body, in all lists that they may be in one day: removing and moving
 *  bodies then never fails for want of memory. */
static bool reserve_leaves(ov_world *w, size_t parts) {
    const ov_allocator *by = &w->options.allocator;
    size_t needed = w->leaf_count + parts; // as if no free ones were used again
    if (needed > w->leaf_room) {
        ovi_leaf *leaves = ovi_more_room(by, w->leaves, &w->leaf_room, needed, sizeof(ovi_leaf));
        if (leaves == NULL) {
            return false;
        }
        w->leaves = leaves;
    }
    return ovi_bvh_reserve(&w->tree, by, w->tree.leaves + parts) &&
           numbers_reserve(&w->to_search, by, needed) &&
           numbers_reserve(&w->halfspaces, by, w->halfspaces.count + parts);
}

/* ---- adding */

static uint32_t take_id_slot(ov_world *w) {
    uint32_t id_slot = w->free_id_slot;
    if (id_slot != OVI_NONE) {
        uint32_t next = w->id_slots[id_slot].body;
        w->free_id_slot = next != OVI_NONE ? next & ~OVI_FREE : OVI_NONE;
        return id_slot;
    }
    id_slot = (uint32_t)w->id_slot_count++;
    w->id_slots[id_slot].generation = 0;
    return id_slot;
}

static uint32_t take_leaf(ov_world *w) {
    uint32_t leaf = w->free_leaf;
    if (leaf != OVI_NONE) {
        w->free_leaf = w->leaves[leaf].next;
        return leaf;
    }
    return (uint32_t)w->leaf_count++;
}

/** Its neighbours are to be found in the next step. `to_search` has room for every leaf. */
static void mark_to_search(ov_world *w, uint32_t leaf) {
    if (!(w->leaves[leaf].flags & OVI_LEAF_TO_SEARCH)) {
        w->leaves[leaf].flags |= (unsigned char)OVI_LEAF_TO_SEARCH;
        w->to_search.items[w->to_search.count++] = leaf;
    }
}

static void add_leaf(ov_world *w, uint32_t body, uint32_t part) {
    uint32_t leaf = take_leaf(w);
    ovi_body *b = &w->bodies[body];
    w->leaves[leaf] =
        (ovi_leaf){.body = body, .node = OVI_NO_NODE, .next = b->leaf, .part = part & 0xffffffu};
    b->leaf = leaf;
    const ovi_part *p = &b->geometry->parts[part];
    if (!p->bounded) {
        w->halfspaces.items[w->halfspaces.count++] = leaf;
        return;
    }
    ov_aabb box = leaf_box(w, &w->leaves[leaf]);
    w->leaves[leaf].node = ovi_bvh_insert(&w->tree, &box, leaf);
    mark_to_search(w, leaf);
}

ov_status ov_world_add(ov_world *world, const ov_body_def *def, ov_body *body) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_add(world, def, body));
    if (world == NULL || def == NULL || def->geometry == NULL || body == NULL) {
        return OV_ERROR_NULL;
    }
    *body = 0;
    ov_pose pose = ov_pose_default(def->pose);
    ov_status status = ovi_pose_normalize(&pose);
    if (status != OV_OK) {
        return status;
    }
    size_t parts = def->geometry->count;
    // for a caller who adds and removes without a step the leaves of removed bodies would pile up
    if (world->dead_count > world->parts + DEAD_MAX) {
        ovi_world_forget_dead(world);
    }
    if (world->parts + world->dead_count + parts > OV_WORLD_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    if (!reserve_bodies(world) || !reserve_leaves(world, parts)) {
        return OV_ERROR_MEMORY;
    }
    uint32_t index = (uint32_t)world->count++;
    uint32_t id_slot = take_id_slot(world);
    world->id_slots[id_slot].body = index;
    world->id_slots[id_slot].generation++;
    world->bodies[index] = (ovi_body){.pose = pose,
                                      .geometry = def->geometry,
                                      .user = def->user,
                                      .id_slot = id_slot & ~OVI_FREE,
                                      .leaf = OVI_NONE,
                                      .group = ovi_group_of(def->group),
                                      .mask = ovi_mask_of(def->mask),
                                      .fixed = def->fixed,
                                      .no_pairs = def->no_pairs};
    for (size_t i = parts; i-- > 0;) {
        add_leaf(world, index, (uint32_t)i);
    }
    world->parts += parts;
    world->contact_count = 0;
    *body = ovi_body_id(world, &world->bodies[index]);
    return OV_OK;
}

/* ---- finding and removing */

/** The slot of an id; for the id 0 one that no world has. */
static uint32_t id_slot_of(ov_body id) { return (uint32_t)(id >> 32) - 1u; }

ovi_body *ovi_body_of(const ov_world *world, ov_body id) {
    uint32_t id_slot = id_slot_of(id);
    if (world == NULL || id == 0 || id_slot >= world->id_slot_count ||
        world->id_slots[id_slot].generation != (uint32_t)id) {
        return NULL;
    }
    uint32_t index = world->id_slots[id_slot].body;
    return (index & OVI_FREE) == 0 ? &world->bodies[index] : NULL;
}

static void remove_halfspace(ov_world *w, uint32_t leaf) {
    for (size_t i = 0; i < w->halfspaces.count; i++) {
        if (w->halfspaces.items[i] == leaf) {
            w->halfspaces.items[i] = w->halfspaces.items[--w->halfspaces.count];
            return;
        }
    }
}

/** A leaf's number is used again only when no pair has it any more: after the next step. */
static void bury_leaf(ov_world *w, uint32_t leaf) {
    ovi_leaf *l = &w->leaves[leaf];
    if (l->node != OVI_NO_NODE) {
        ovi_bvh_remove(&w->tree, l->node);
    } else {
        remove_halfspace(w, leaf);
    }
    l->node = OVI_NO_NODE;
    l->flags |= OVI_LEAF_DEAD;
    l->next = w->dead_leaf;
    w->dead_leaf = leaf;
    w->dead_count++;
}

ov_status ov_world_remove(ov_world *world, ov_body body) {
    if (world == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_body *b = ovi_body_of(world, body);
    if (b == NULL) {
        return OV_ERROR_INDEX;
    }
    size_t parts = b->geometry->count;
    for (uint32_t leaf = b->leaf, next; leaf != OVI_NONE; leaf = next) {
        next = world->leaves[leaf].next;
        bury_leaf(world, leaf);
    }
    // a slot that has had all its generations is not used again
    uint32_t id_slot = b->id_slot;
    if (world->id_slots[id_slot].generation < UINT32_MAX) {
        world->id_slots[id_slot].body = world->free_id_slot | OVI_FREE;
        world->free_id_slot = id_slot;
    } else {
        world->id_slots[id_slot].body = OVI_NONE;
    }
    uint32_t index = (uint32_t)(b - world->bodies), last = (uint32_t)--world->count;
    if (index != last) {
        *b = world->bodies[last];
        world->id_slots[b->id_slot].body = index;
        for (uint32_t leaf = b->leaf; leaf != OVI_NONE; leaf = world->leaves[leaf].next) {
            world->leaves[leaf].body = index;
        }
    }
    world->parts -= parts;
    world->contact_count = 0;
    return OV_OK;
}

/* ---- moving */

/** So many bodies, or leaves, are worth a thread. */
enum { BODIES_PER_THREAD = 2048, LEAVES_PER_THREAD = 4096 };

typedef struct moves {
    ov_world *world;
    const ov_body *bodies;
    const ov_pose *poses;
    size_t count;
    bool boxes_later;   /**< leaves are marked as stale; their boxes are made when all have moved */
    ov_threads threads; /**< with the number that is used */
    atomic_size_t bad;  /**< the first that cannot be moved, or `count` */
} moves;

/** No point within `reach` of the origin moves further from one pose to the other
 *  (docs/theory/world.md, 1). */
static double path_bound(ov_pose from, ov_pose to, double reach) {
    ov_vec3 d = ov_vec3_sub(to.position, from.position);
    ov_quat q = ov_quat_mul(to.rotation, ov_quat_conjugate(from.rotation));
    // the chord of a rotation by an angle is 2 sin(angle/2) times the radius
    double sine2 = q.x * q.x + q.y * q.y + q.z * q.z;
    double chord = 2.0 * (sqrt(sine2) + 4.0 * DBL_EPSILON) * reach;
    double length2 = ov_vec3_dot(d, d);
    double length = length2 > 1e-200 && length2 < 1e200 ? sqrt(length2) : ov_vec3_length(d);
    return (length + chord) * (1.0 + 16.0 * DBL_EPSILON);
}

/** Takes a new pose; true where the boxes of the body no longer hold it. */
static bool take_pose(const ov_world *w, ovi_body *b, ov_pose pose) {
    double by = path_bound(b->pose, pose, b->geometry->reach);
    b->step_path = ovi_float_above(((double)b->step_path + by) * (1.0 + DBL_EPSILON));
    b->drift = ovi_float_above(((double)b->drift + by) * (1.0 + DBL_EPSILON));
    b->pose = pose;
    return (double)b->drift > w->options.margin * b->geometry->radius;
}

/** Makes new boxes for a body, or marks its leaves so that they get them later. */
static void renew_boxes(ov_world *w, ovi_body *b, bool later) {
    b->drift = 0.0f;
    for (uint32_t leaf = b->leaf; leaf != OVI_NONE; leaf = w->leaves[leaf].next) {
        ovi_leaf *l = &w->leaves[leaf];
        if (l->node == OVI_NO_NODE) {
            continue;
        }
        if (later) {
            l->flags |= (unsigned char)OVI_LEAF_STALE;
        } else {
            ov_aabb box = leaf_box(w, l);
            ovi_bvh_change(&w->tree, l->node, &box);
            mark_to_search(w, leaf);
        }
    }
}

/** Can bodies[i] be moved, and to which pose, with a unit quaternion? */
static ov_status check_move(const moves *m, size_t i, ovi_body **body, ov_pose *pose) {
    *body = ovi_body_of(m->world, m->bodies[i]);
    *pose = m->poses[i];
    return *body != NULL ? ovi_pose_normalize(pose) : OV_ERROR_INDEX;
}

static ov_status move_one(const moves *m, size_t i) {
    ovi_body *b;
    ov_pose pose;
    ov_status status = check_move(m, i, &b, &pose);
    if (status == OV_OK && !ovi_is_same_pose(&b->pose, &pose) && take_pose(m->world, b, pose)) {
        renew_boxes(m->world, b, m->boxes_later);
    }
    return status;
}

/** Fetches the slots of bodies far ahead, and those bodies whose slots are there by now. */
static void look_ahead(const moves *m, size_t i) {
    enum { FAR = 16, NEAR = 8 };
    const ov_world *w = m->world;
    uint32_t far = i + FAR < m->count ? id_slot_of(m->bodies[i + FAR]) : OVI_NONE;
    uint32_t near = i + NEAR < m->count ? id_slot_of(m->bodies[i + NEAR]) : OVI_NONE;
    if (far < w->id_slot_count) {
        ovi_fetch(&w->id_slots[far]);
    }
    if (near < w->id_slot_count && w->id_slots[near].body < w->count) {
        ovi_fetch_body(w, w->id_slots[near].body);
    }
}

/** Moves all until one cannot be moved; returns how many have been moved. */
static size_t move_one_by_one(const moves *m, ov_status *status) {
    for (size_t i = 0; i < m->count; i++) {
        look_ahead(m, i);
        *status = move_one(m, i);
        if (*status != OV_OK) {
            return i;
        }
    }
    return m->count;
}

/** Finds the first of a range that cannot be moved. */
static void find_bad(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    moves *m = context;
    for (size_t i = begin; i < end; i++) {
        ovi_body *body;
        ov_pose pose;
        if (check_move(m, i, &body, &pose) != OV_OK) {
            size_t first = atomic_load(&m->bad);
            while (i < first && !atomic_compare_exchange_weak(&m->bad, &first, i)) {
            }
            return;
        }
    }
}

/** The thread that a body belongs to. 64 slots in a row have the same one, as their bodies are
 *  often near in memory; rows are mixed, so that bodies that were added together are shared out. */
static unsigned owner_of(uint32_t id_slot, unsigned threads) {
    uint32_t mixed = (id_slot >> 6) * 0x9e3779b1u;
    return (unsigned)((uint64_t)mixed * threads >> 32);
}

static void move_own(void *context, unsigned index) {
    const moves *m = context;
    for (size_t i = 0; i < m->count; i++) {
        if (owner_of(id_slot_of(m->bodies[i]), m->threads.count) == index) {
            look_ahead(m, i);
            (void)move_one(m, i); // was checked
        }
    }
}

static size_t move_by_owners(moves *m, ov_status *status) {
    atomic_store(&m->bad, m->count);
    ovi_ranges_run(find_bad, m, m->count, BODIES_PER_THREAD, &m->threads);
    size_t good = atomic_load(&m->bad);
    if (good < m->count) {
        ovi_body *body;
        ov_pose pose;
        *status = check_move(m, good, &body, &pose);
        m->count = good;
    }
    ovi_threads_run(&m->threads, move_own, m, m->threads.count);
    return good;
}

static void set_boxes(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    ov_world *w = context;
    for (size_t i = begin; i < end; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->flags & OVI_LEAF_STALE) {
            ov_aabb box = leaf_box(w, l);
            bool near = ovi_bvh_set_box(&w->tree, l->node, &box);
            l->flags |= (unsigned char)(near ? 0 : OVI_LEAF_FAR);
        }
    }
}

/** Leaves whose new boxes do not meet the old ones go elsewhere in the tree, which needs all its
 *  boxes to be right by then. */
static void reattach_far(ov_world *w) {
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->flags & OVI_LEAF_FAR) {
            ov_aabb box = leaf_box(w, l);
            ovi_bvh_change(&w->tree, l->node, &box);
            l->flags &= (unsigned char)~OVI_LEAF_FAR;
        }
    }
}

/** Boxes on several threads, then what is above them in the tree on this one. */
static void renew_stale_boxes(ov_world *w, const ov_threads *threads) {
    ovi_ranges_run(set_boxes, w, w->leaf_count, LEAVES_PER_THREAD, threads);
    bool away = false;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (!(l->flags & OVI_LEAF_STALE)) {
            continue;
        }
        l->flags &= (unsigned char)~OVI_LEAF_STALE;
        mark_to_search(w, i);
        if (l->flags & OVI_LEAF_FAR) {
            away = true;
        } else {
            ovi_bvh_fit(&w->tree, l->node);
        }
    }
    if (away) {
        reattach_far(w);
    }
}

ov_status ov_world_move(ov_world *world, ov_body body, ov_pose pose) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_move(world, body, pose));
    return ov_world_move_all(world, &body, &pose, 1, NULL);
}

ov_status ov_world_move_all(ov_world *world, const ov_body *bodies, const ov_pose *poses,
                            size_t count, size_t *done) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_move_all(world, bodies, poses, count, done));
    size_t unused;
    done = done != NULL ? done : &unused;
    *done = 0;
    if (world == NULL || ((bodies == NULL || poses == NULL) && count > 0)) {
        return OV_ERROR_NULL;
    }
    world->contact_count = 0;
    // boxes of many at the end, in one go through all leaves; of a few at once
    moves m = {.world = world,
               .bodies = bodies,
               .poses = poses,
               .count = count,
               .boxes_later = count > world->leaf_count / 16,
               .threads = world->options.threads};
    m.threads.count = m.boxes_later ? ovi_threads_for(count, BODIES_PER_THREAD, &m.threads) : 1;
    ov_status status = OV_OK;
    *done = m.threads.count > 1 ? move_by_owners(&m, &status) : move_one_by_one(&m, &status);
    if (m.boxes_later) {
        renew_stale_boxes(world, &m.threads);
    }
    return status;
}

/* ---- asking */

size_t ov_world_count(const ov_world *world) { return world != NULL ? world->count : 0; }

bool ov_world_has(const ov_world *world, ov_body body) { return ovi_body_of(world, body) != NULL; }

ov_status ov_world_get(const ov_world *world, ov_body body, ov_body_def *def) {
    if (world == NULL || def == NULL) {
        return OV_ERROR_NULL;
    }
    const ovi_body *b = ovi_body_of(world, body);
    if (b == NULL) {
        return OV_ERROR_INDEX;
    }
    *def = (ov_body_def){.geometry = b->geometry,
                         .pose = b->pose,
                         .group = b->group,
                         .mask = b->mask,
                         .fixed = b->fixed,
                         .user = b->user,
                         .no_pairs = b->no_pairs};
    return OV_OK;
}

ov_world_counts ov_world_last_counts(const ov_world *world) {
    return world != NULL ? world->counts : (ov_world_counts){0};
}
