/**
 * @file world.c
 * @brief Bodies of a world: added, removed, told about; their bounds in the world.
 */
#include <float.h>

#include "../math/rounding_mode.h"
#include "../math/threads.h"
#include "../query/query_internal.h"
#include "world_store.h"

/** So many leaves of removed bodies may wait for the next search, and as many as are in use. */
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
                    .free_handle = OVI_NONE,
                    .free_leaf = OVI_NONE,
                    .dead_leaf = OVI_NONE,
                    .tree = ovi_bvh_empty(),
                    .searched = -1.0};
    *world = w;
    return OV_OK;
}

void ov_world_destroy(ov_world *world) {
    if (world == NULL) {
        return;
    }
    ov_allocator used = world->options.allocator;
    ovi_release(&used, world->bodies, world->room, sizeof(ovi_body));
    ovi_release(&used, world->handles, world->handle_room, sizeof(ovi_handle));
    ovi_release(&used, world->leaves, world->leaf_room, sizeof(ovi_leaf));
    ovi_release(&used, world->moved.items, world->moved.room, sizeof(uint32_t));
    ovi_release(&used, world->planes.items, world->planes.room, sizeof(uint32_t));
    ovi_release(&used, world->contacts, world->contact_room, sizeof(ov_world_contact));
    ovi_release(&used, world->members, world->member_room, sizeof(uint32_t));
    ovi_bvh_free(&world->tree, &used);
    ovi_pairs_free(&world->pairs, &used);
    ovi_release(&used, world, 1, sizeof *world);
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
    return sizeof *w + w->room * sizeof(ovi_body) + w->handle_room * sizeof(ovi_handle) +
           w->leaf_room * sizeof(ovi_leaf) + (w->moved.room + w->planes.room) * sizeof(uint32_t) +
           w->contact_room * sizeof(ov_world_contact) + w->member_room * sizeof(uint32_t) +
           w->tree.room * sizeof(ovi_bvh_node) + w->pairs.room * sizeof(ovi_kept_pair) +
           w->pairs.table_room * sizeof(uint32_t);
}

/* ---- bounds in the world */

double ovi_place_rounding(const ovi_part *part, ov_pose body) {
    ov_vec3 p = body.position, c = part->ball.centre;
    return 32.0 * DBL_EPSILON *
           (fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(c.x) + fabs(c.y) + fabs(c.z) +
            part->ball.radius);
}

ovi_placed_box ovi_part_placed_box(const ovi_part *part, ov_pose body) {
    ov_pose pose = ovi_pose_mul(body, part->box.pose);
    return (ovi_placed_box){ov_mat3_from_quat(pose.rotation), pose.position, part->box.half};
}

/** Box of an oriented box. */
static ov_aabb box_of_placed(const ovi_placed_box *b) {
    const ov_mat3 *m = &b->axes;
    ov_vec3 h = b->half, c = b->centre;
    ov_vec3 e = {fabs(m->cx.x) * h.x + fabs(m->cy.x) * h.y + fabs(m->cz.x) * h.z,
                 fabs(m->cx.y) * h.x + fabs(m->cy.y) * h.y + fabs(m->cz.y) * h.z,
                 fabs(m->cx.z) * h.x + fabs(m->cy.z) * h.y + fabs(m->cz.z) * h.z};
    return (ov_aabb){ov_vec3_sub(c, e), ov_vec3_add(c, e)};
}

static ov_aabb box_of_ball(ov_vec3 c, double r) {
    return (ov_aabb){{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
}

static ov_aabb intersection(const ov_aabb *a, const ov_aabb *b) {
    return (ov_aabb){
        {fmax(a->min.x, b->min.x), fmax(a->min.y, b->min.y), fmax(a->min.z, b->min.z)},
        {fmin(a->max.x, b->max.x), fmin(a->max.y, b->max.y), fmin(a->max.z, b->max.z)}};
}

ov_aabb ovi_part_box(const ovi_part *part, ov_pose body) {
    ovi_placed_box placed = ovi_part_placed_box(part, body);
    ov_aabb box = box_of_placed(&placed);
    ov_aabb round = box_of_ball(ov_pose_apply(body, part->ball.centre), part->ball.radius);
    return ovi_box_grow(intersection(&box, &round), ovi_place_rounding(part, body));
}

ov_aabb ovi_leaf_box(const ov_world *w, const ovi_leaf *leaf) {
    const ovi_body *b = &w->bodies[leaf->body];
    return ovi_box_grow(ovi_part_box(&b->geometry->parts[leaf->part], b->pose),
                        w->options.margin * b->geometry->radius);
}

/* ---- room */

bool ovi_numbers_reserve(ovi_numbers *numbers, const ov_allocator *allocator, size_t count) {
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
    if (w->free_handle == OVI_NONE && w->handle_count == w->handle_room) {
        ovi_handle *handles =
            ovi_more_room(by, w->handles, &w->handle_room, w->handle_count + 1, sizeof(ovi_handle));
        if (handles == NULL) {
            return false;
        }
        w->handles = handles;
    }
    return true;
}

/** Room for the leaves of a body, in all lists that they may be in one day. */
static bool reserve_leaves(ov_world *w, size_t parts) {
    const ov_allocator *by = &w->options.allocator;
    size_t needed = w->leaf_count + parts; // free ones may be there as well
    if (needed > w->leaf_room) {
        ovi_leaf *leaves = ovi_more_room(by, w->leaves, &w->leaf_room, needed, sizeof(ovi_leaf));
        if (leaves == NULL) {
            return false;
        }
        w->leaves = leaves;
    }
    return ovi_bvh_reserve(&w->tree, by, w->tree.leaves + parts) &&
           ovi_numbers_reserve(&w->moved, by, needed) &&
           ovi_numbers_reserve(&w->planes, by, w->planes.count + parts);
}

/* ---- adding */

static uint32_t take_handle(ov_world *w) {
    uint32_t handle = w->free_handle;
    if (handle != OVI_NONE) {
        uint32_t next = w->handles[handle].body;
        w->free_handle = next != OVI_NONE ? next & ~OVI_FREE : OVI_NONE;
        return handle;
    }
    handle = (uint32_t)w->handle_count++;
    w->handles[handle].generation = 0;
    return handle;
}

static uint32_t take_leaf(ov_world *w) {
    uint32_t leaf = w->free_leaf;
    if (leaf != OVI_NONE) {
        w->free_leaf = w->leaves[leaf].next;
        return leaf;
    }
    return (uint32_t)w->leaf_count++;
}

static void add_leaf(ov_world *w, uint32_t body, uint32_t part) {
    uint32_t leaf = take_leaf(w);
    ovi_body *b = &w->bodies[body];
    w->leaves[leaf] =
        (ovi_leaf){.body = body, .node = OVI_NO_NODE, .next = b->leaf, .part = part & 0xffffffu};
    b->leaf = leaf;
    const ovi_part *p = &b->geometry->parts[part];
    if (!p->bounded) {
        w->planes.items[w->planes.count++] = leaf;
        return;
    }
    ov_aabb box = ovi_leaf_box(w, &w->leaves[leaf]);
    w->leaves[leaf].node = ovi_bvh_insert(&w->tree, &box, leaf);
    ovi_mark_moved(w, leaf);
}

ov_status ov_world_add(ov_world *world, const ov_body_def *def, ov_body *body) {
    OVI_NEAREST(ov_status, ov_world_add(world, def, body));
    if (world == NULL || def == NULL || def->geometry == NULL || body == NULL) {
        return OV_ERROR_NULL;
    }
    *body = 0;
    ov_pose pose = ov_pose_default(def->pose);
    ov_status status = ovi_pose_check(&pose);
    if (status != OV_OK) {
        return status;
    }
    size_t parts = def->geometry->count;
    // a caller who never searches would else pile up the leaves of bodies that were removed
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
    uint32_t handle = take_handle(world);
    world->handles[handle].body = index;
    world->handles[handle].generation++;
    world->bodies[index] = (ovi_body){.pose = pose,
                                      .geometry = def->geometry,
                                      .user = def->user,
                                      .handle = handle & ~OVI_FREE,
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

ovi_body *ovi_body_of(const ov_world *world, ov_body id) {
    uint32_t handle = ovi_handle_of(id);
    if (world == NULL || id == 0 || handle >= world->handle_count ||
        world->handles[handle].generation != (uint32_t)id) {
        return NULL;
    }
    uint32_t index = world->handles[handle].body;
    return (index & OVI_FREE) == 0 ? &world->bodies[index] : NULL;
}

static void remove_plane(ov_world *w, uint32_t leaf) {
    for (size_t i = 0; i < w->planes.count; i++) {
        if (w->planes.items[i] == leaf) {
            w->planes.items[i] = w->planes.items[--w->planes.count];
            return;
        }
    }
}

/** A leaf's number is used again only when no pair has it any more: in the next search. */
static void bury_leaf(ov_world *w, uint32_t leaf) {
    ovi_leaf *l = &w->leaves[leaf];
    if (l->node != OVI_NO_NODE) {
        ovi_bvh_remove(&w->tree, l->node);
    } else {
        remove_plane(w, leaf);
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
    // a handle that has had all its generations is not used again
    uint32_t handle = b->handle;
    if (world->handles[handle].generation < UINT32_MAX) {
        world->handles[handle].body = world->free_handle | OVI_FREE;
        world->free_handle = handle;
    } else {
        world->handles[handle].body = OVI_NONE;
    }
    uint32_t index = (uint32_t)(b - world->bodies), last = (uint32_t)--world->count;
    if (index != last) {
        *b = world->bodies[last];
        world->handles[b->handle].body = index;
        for (uint32_t leaf = b->leaf; leaf != OVI_NONE; leaf = world->leaves[leaf].next) {
            world->leaves[leaf].body = index;
        }
    }
    world->parts -= parts;
    world->contact_count = 0;
    return OV_OK;
}

/* ---- telling */

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
