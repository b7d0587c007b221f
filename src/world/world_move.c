/**
 * @file world_move.c
 * @brief Bodies are moved: one, or many on several threads; their boxes in the tree stay right.
 *
 * A body adds up its paths, and gets new boxes only when it may have left the old ones. Of many
 * bodies the input is checked first, so that the first error is known before anything moves. Then
 * each thread goes through all of it and moves the bodies that are its own by their handles: one
 * that is named twice is moved twice, in the order of the input, by one thread. New boxes are made
 * leaf by leaf in the order of the tree, where it is near at hand.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>

#include "../math/rounding_mode.h"
#include "../math/threads.h"
#include "world_store.h"

/** So many bodies, or leaves, are worth a thread. */
enum { BODIES_A_THREAD = 2048, LEAVES_A_THREAD = 4096 };

typedef struct moves {
    ov_world *world;
    const ov_body *bodies;
    const ov_pose *poses;
    size_t count;
    bool later;         /**< boxes are made when all have moved */
    ov_threads threads; /**< with the number that is used */
    atomic_size_t bad;  /**< the first that cannot be moved, or `count` */
} moves;

/* ---- one body */

/** No point within `reach` of the origin moves further from one pose to the other. */
static double path(ov_pose from, ov_pose to, double reach) {
    ov_vec3 d = ov_vec3_sub(to.position, from.position);
    ov_quat q = ov_quat_mul(to.rotation, ov_quat_conjugate(from.rotation));
    // the chord of a turn by an angle is 2 sin(angle/2) times the radius
    double sine2 = q.x * q.x + q.y * q.y + q.z * q.z;
    double chord = 2.0 * (sqrt(sine2) + 4.0 * DBL_EPSILON) * reach;
    double length2 = ov_vec3_dot(d, d);
    double length = length2 > 1e-200 && length2 < 1e200 ? sqrt(length2) : ov_vec3_length(d);
    return (length + chord) * (1.0 + 16.0 * DBL_EPSILON);
}

/** Takes a new pose; true where the boxes of the body no longer hold it. */
static bool take_pose(const ov_world *w, ovi_body *b, ov_pose pose) {
    double by = path(b->pose, pose, b->geometry->reach);
    b->motion = ovi_float_above(((double)b->motion + by) * (1.0 + DBL_EPSILON));
    b->drift = ovi_float_above(((double)b->drift + by) * (1.0 + DBL_EPSILON));
    b->pose = pose;
    return (double)b->drift > w->options.margin * b->geometry->radius;
}

/** Makes new boxes for a body, now or later. */
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
            ov_aabb box = ovi_leaf_box(w, l);
            ovi_bvh_change(&w->tree, l->node, &box);
            ovi_mark_moved(w, leaf);
        }
    }
}

static bool is_same_pose(const ov_pose *a, const ov_pose *b) {
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.w == b->rotation.w &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y &&
           a->rotation.z == b->rotation.z;
}

/** Can bodies[i] be moved, and to which pose, with a unit quaternion? */
static ov_status check_move(const moves *m, size_t i, ovi_body **body, ov_pose *pose) {
    *body = ovi_body_of(m->world, m->bodies[i]);
    *pose = m->poses[i];
    return *body != NULL ? ovi_pose_check(pose) : OV_ERROR_INDEX;
}

static ov_status move_one(const moves *m, size_t i) {
    ovi_body *b;
    ov_pose pose;
    ov_status status = check_move(m, i, &b, &pose);
    if (status == OV_OK && !is_same_pose(&b->pose, &pose) && take_pose(m->world, b, pose)) {
        renew_boxes(m->world, b, m->later);
    }
    return status;
}

/* ---- many bodies */

/** Fetches the handles of bodies far ahead, and those bodies whose handles are there by now. */
static void look_ahead(const moves *m, size_t i) {
    enum { FAR = 16, NEAR = 8 };
    const ov_world *w = m->world;
    uint32_t far = i + FAR < m->count ? ovi_handle_of(m->bodies[i + FAR]) : OVI_NONE;
    uint32_t near = i + NEAR < m->count ? ovi_handle_of(m->bodies[i + NEAR]) : OVI_NONE;
    if (far < w->handle_count) {
        ovi_fetch(&w->handles[far]);
    }
    if (near < w->handle_count && w->handles[near].body < w->count) {
        ovi_fetch_body(w, w->handles[near].body);
    }
}

/** Moves all until one cannot be moved; returns how many have been. */
static size_t move_in_turn(const moves *m, ov_status *status) {
    for (size_t i = 0; i < m->count; i++) {
        look_ahead(m, i);
        *status = move_one(m, i);
        if (*status != OV_OK) {
            return i;
        }
    }
    return m->count;
}

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

/** The thread that a body belongs to: 64 handles in a row have the same, rows are mixed. */
static unsigned owner_of(uint32_t handle, unsigned threads) {
    uint32_t mixed = (handle >> 6) * 0x9e3779b1u;
    return (unsigned)((uint64_t)mixed * threads >> 32);
}

static void move_own(void *context, unsigned index) {
    const moves *m = context;
    for (size_t i = 0; i < m->count; i++) {
        if (owner_of(ovi_handle_of(m->bodies[i]), m->threads.count) == index) {
            look_ahead(m, i);
            (void)move_one(m, i); // was checked
        }
    }
}

static size_t move_by_owners(moves *m, ov_status *status) {
    atomic_store(&m->bad, m->count);
    ovi_ranges_run(find_bad, m, m->count, BODIES_A_THREAD, &m->threads);
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

/* ---- boxes that wait */

static void set_boxes(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    ov_world *w = context;
    for (size_t i = begin; i < end; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->flags & OVI_LEAF_STALE) {
            ov_aabb box = ovi_leaf_box(w, l);
            bool near = ovi_bvh_set_box(&w->tree, l->node, &box);
            l->flags |= (unsigned char)(near ? 0 : OVI_LEAF_AWAY);
        }
    }
}

/** Leaves that have gone far are hung elsewhere, when all the others are right. */
static void hang_away(ov_world *w) {
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (l->flags & OVI_LEAF_AWAY) {
            ov_aabb box = ovi_leaf_box(w, l);
            ovi_bvh_change(&w->tree, l->node, &box);
            l->flags &= (unsigned char)~OVI_LEAF_AWAY;
        }
    }
}

static void renew_stale_boxes(ov_world *w, const ov_threads *threads) {
    ovi_ranges_run(set_boxes, w, w->leaf_count, LEAVES_A_THREAD, threads);
    bool away = false;
    for (uint32_t i = 0; i < w->leaf_count; i++) {
        ovi_leaf *l = &w->leaves[i];
        if (!(l->flags & OVI_LEAF_STALE)) {
            continue;
        }
        l->flags &= (unsigned char)~OVI_LEAF_STALE;
        ovi_mark_moved(w, i);
        if (l->flags & OVI_LEAF_AWAY) {
            away = true;
        } else {
            ovi_bvh_fit(&w->tree, l->node);
        }
    }
    if (away) {
        hang_away(w);
    }
}

/* ---- the public calls */

ov_status ov_world_move(ov_world *world, ov_body body, ov_pose pose) {
    OVI_NEAREST(ov_status, ov_world_move(world, body, pose));
    return ov_world_move_all(world, &body, &pose, 1, NULL);
}

ov_status ov_world_move_all(ov_world *world, const ov_body *bodies, const ov_pose *poses,
                            size_t count, size_t *done) {
    OVI_NEAREST(ov_status, ov_world_move_all(world, bodies, poses, count, done));
    size_t unused;
    done = done != NULL ? done : &unused;
    *done = 0;
    if (world == NULL || ((bodies == NULL || poses == NULL) && count > 0)) {
        return OV_ERROR_NULL;
    }
    world->contact_count = 0;
    // of many bodies the boxes are made in the order of the tree: it is then near at hand
    moves m = {.world = world,
               .bodies = bodies,
               .poses = poses,
               .count = count,
               .later = count > world->leaf_count / 16,
               .threads = world->options.threads};
    m.threads.count = m.later ? ovi_threads_for(count, BODIES_A_THREAD, &m.threads) : 1;
    ov_status status = OV_OK;
    *done = m.threads.count > 1 ? move_by_owners(&m, &status) : move_in_turn(&m, &status);
    if (m.later) {
        renew_stale_boxes(world, &m.threads);
    }
    return status;
}
