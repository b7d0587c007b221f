/**
 * @file world_manifold.c
 * @brief The points of a world's contacts: a manifold for each, on several threads.
 *
 * Blocks of contacts are shared out to the threads, one round of blocks after the other, as in the
 * narrow phase. How many points a block has is known when it is done; then they are put behind
 * those of the blocks before it, so that their order does not depend on the number of threads.
 */
#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "world_internal.h"

/** Contacts of a block; blocks of a round, for each thread and at most. */
enum { BLOCK = 64, BLOCKS_PER_THREAD = 32, BLOCKS_MAX = 512 };
/** What is worth a thread where points are copied. */
enum { COPIES_PER_THREAD = 16 };

typedef struct block_points {
    ov_manifold_point points[BLOCK * OV_MANIFOLD_POINTS_MAX];
    ov_vec3 normals[BLOCK * OV_MANIFOLD_POINTS_MAX]; /**< if there are meshes */
    size_t count;
    size_t first; /**< where they go among all points */
} block_points;

typedef struct manifold_run {
    ov_world *world;
    double limit;
    bool meshes;          /**< a contact is with one: points have normals */
    block_points *blocks; /**< of the round */
    size_t first_contact; /**< of the round */
} manifold_run;

/** Adds the points of a contact to those of its block. */
static void add_points(const manifold_run *run, const ov_world_contact *c, block_points *out) {
    const ov_world *w = run->world;
    if (!(c->contact.status >= 0 && c->contact.gap <= run->limit)) {
        return;
    }
    const ovi_body *a = ovi_body_of(w, c->a), *b = ovi_body_of(w, c->b);
    const ovi_part *part_a = &a->geometry->parts[c->part_a];
    const ovi_part *part_b = &b->geometry->parts[c->part_b];
    if (part_a->part.mesh != NULL || part_b->part.mesh != NULL) {
        ovi_mesh_point found[OV_MANIFOLD_POINTS_MAX];
        int count = ovi_mesh_manifold(part_a, ovi_part_pose(part_a, a->pose), part_b,
                                      ovi_part_pose(part_b, b->pose), &c->contact, run->limit,
                                      &w->options.pair, found);
        for (int i = 0; i < count; i++) {
            out->normals[out->count] = found[i].normal;
            out->points[out->count++] = found[i].point;
        }
        return;
    }
    ov_manifold m;
    ov_status status = ov_contact_manifold(&part_a->part.shape, ovi_part_pose(part_a, a->pose),
                                           &part_b->part.shape, ovi_part_pose(part_b, b->pose),
                                           &c->contact, run->limit, &m);
    for (int i = 0; status >= 0 && i < m.count; i++) {
        if (run->meshes) {
            out->normals[out->count] = c->contact.normal;
        }
        out->points[out->count++] = m.points[i];
    }
}

static void work_on_blocks(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const manifold_run *run = context;
    ov_world *w = run->world;
    for (size_t block = begin; block < end; block++) {
        block_points *out = &run->blocks[block];
        size_t first = run->first_contact + block * BLOCK, left = w->contact_count - first;
        out->count = 0;
        for (size_t i = first; i < first + (left < BLOCK ? left : BLOCK); i++) {
            w->first_points[i] = out->count; // in its block; blocks are joined below
            add_points(run, &w->contacts[i], out);
        }
    }
}

static void copy_blocks(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const manifold_run *run = context;
    ov_world *w = run->world;
    for (size_t block = begin; block < end; block++) {
        const block_points *from = &run->blocks[block];
        size_t first = run->first_contact + block * BLOCK, left = w->contact_count - first;
        memcpy(&w->points[from->first], from->points, from->count * sizeof *from->points);
        if (run->meshes) {
            memcpy(&w->normals[from->first], from->normals, from->count * sizeof *from->normals);
        }
        for (size_t i = first; i < first + (left < BLOCK ? left : BLOCK); i++) {
            w->first_points[i] += from->first;
        }
    }
}

/** Room for at least `count` elements of an array. */
static bool reserve(const ov_allocator *by, void **array, size_t *room, size_t count, size_t size) {
    if (count <= *room) {
        return true;
    }
    void *moved = ovi_more_room(by, *array, room, count, size);
    *array = moved != NULL ? moved : *array;
    return moved != NULL;
}

/** All points of the contacts at hand; their number, or false for want of memory. */
static bool run_rounds(manifold_run *run, size_t most, const ov_threads *threads, size_t *total) {
    ov_world *w = run->world;
    size_t blocks;
    *total = 0;
    for (run->first_contact = 0; run->first_contact < w->contact_count;
         run->first_contact += blocks * BLOCK) {
        size_t left = (w->contact_count - run->first_contact + BLOCK - 1) / BLOCK;
        blocks = left < most ? left : most;
        ovi_ranges_run(work_on_blocks, run, blocks, 1, threads);
        for (size_t i = 0; i < blocks; i++) {
            run->blocks[i].first = *total;
            *total += run->blocks[i].count;
        }
        void *points = w->points, *normals = w->normals;
        bool good =
            reserve(&w->options.allocator, &points, &w->point_room, *total + 1, sizeof *w->points);
        w->points = points;
        good = good && (!run->meshes || reserve(&w->options.allocator, &normals, &w->normal_room,
                                                *total + 1, sizeof *w->normals));
        w->normals = normals;
        if (!good) {
            return false;
        }
        ovi_ranges_run(copy_blocks, run, blocks, COPIES_PER_THREAD, threads);
    }
    w->first_points[w->contact_count] = *total;
    return true;
}

static bool has_meshes(const ov_world *w) {
    bool meshes = false;
    for (size_t i = 0; i < w->contact_count && !meshes; i++) {
        const ov_world_contact *c = &w->contacts[i];
        const ovi_body *a = ovi_body_of(w, c->a), *b = ovi_body_of(w, c->b);
        meshes = a->geometry->parts[c->part_a].part.mesh != NULL ||
                 b->geometry->parts[c->part_b].part.mesh != NULL;
    }
    return meshes;
}

static bool find_points(ov_world *w, double limit, bool meshes, size_t *total) {
    const ov_allocator *by = &w->options.allocator;
    ov_threads threads = w->options.threads;
    size_t blocks = (w->contact_count + BLOCK - 1) / BLOCK;
    threads.count = ovi_threads_for(blocks, 1, &threads);
    size_t most = (size_t)threads.count * BLOCKS_PER_THREAD;
    most = most < BLOCKS_MAX ? most : BLOCKS_MAX;
    most = most < blocks ? most : blocks > 0 ? blocks : 1;
    manifold_run run = {.world = w, .limit = limit, .meshes = meshes};
    void *first = w->first_points;
    bool good =
        reserve(by, &first, &w->first_point_room, w->contact_count + 1, sizeof *w->first_points);
    w->first_points = first;
    run.blocks = good ? ovi_resize(by, NULL, 0, most, sizeof(block_points)) : NULL;
    good = run.blocks != NULL && run_rounds(&run, most, &threads, total);
    ovi_release(by, run.blocks, most, sizeof(block_points));
    return good;
}

ov_status ov_world_manifolds(ov_world *world, double limit, ov_manifold_set *set) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_world_manifolds(world, limit, set));
    if (set == NULL) {
        return OV_ERROR_NULL;
    }
    *set = (ov_manifold_set){.count = 0};
    const ov_world_contact *contacts;
    size_t count, points;
    ov_status status = ov_world_contacts(world, limit, &contacts, &count);
    if (status != OV_OK) {
        return status;
    }
    bool meshes = has_meshes(world);
    if (!find_points(world, limit, meshes, &points)) {
        return OV_ERROR_MEMORY;
    }
    world->counts.memory = ovi_world_memory(world);
    *set = (ov_manifold_set){.contacts = contacts,
                             .count = count,
                             .first = world->first_points,
                             .points = world->points,
                             .point_count = points,
                             .normals = meshes ? world->normals : NULL};
    return OV_OK;
}
