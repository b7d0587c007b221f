/**
 * @file sim_island.c
 * @brief Islands: bodies connected by contacts and joints, which fall asleep and wake together.
 */
#include <math.h>

#include "sim_internal.h"

bool ovi_islands_reserve(ov_sim *sim) {
    return ovi_sim_room(&sim->options.allocator, &sim->roots, &sim->root_room, sim->body_count,
                        sizeof *sim->roots);
}

/** The lower slot is the root: the same one whatever the order. */
static void unite(const ov_sim *sim, uint32_t a, uint32_t b) {
    if (a == OVI_NO_BODY || b == OVI_NO_BODY || !ovi_is_free(&sim->movers[a]) ||
        !ovi_is_free(&sim->movers[b])) {
        return;
    }
    uint32_t ra = ovi_root_of(sim->roots, a), rb = ovi_root_of(sim->roots, b);
    sim->roots[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

void ovi_island_wake(ov_sim *sim, uint32_t slot) {
    if (slot == OVI_NO_BODY) {
        return;
    }
    ovi_sim_body *body = &sim->bodies[slot];
    body->slow_time = 0.0;
    if (!body->asleep) {
        return;
    }
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *other = &sim->bodies[i];
        if (other->used && other->asleep && other->island == body->island) {
            other->asleep = false;
            other->slow_time = 0.0;
        }
    }
}

static void sleep_body(ov_sim *sim, uint32_t slot) {
    ovi_sim_body *body = &sim->bodies[slot];
    ovi_mover *m = &sim->movers[slot];
    body->asleep = true;
    m->v = m->w = m->l = ov_vec3_make(0.0, 0.0, 0.0);
}

void ovi_islands_update(ov_sim *sim, double dt) {
    uint32_t *roots = sim->roots;
    sim->islands = 0;
    for (uint32_t i = 0; i < sim->body_count; i++) {
        roots[i] = i;
    }
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        const ovi_sim_contact *c = &sim->contacts.now.items[i];
        if (c->normal_sum > 0.0) {
            unite(sim, c->a, c->b);
        }
    }
    for (size_t i = 0; i < sim->joint_count; i++) {
        if (sim->joints[i].used) {
            unite(sim, sim->joints[i].a, sim->joints[i].b);
        }
    }
    // the least time that any body of an island has been slow, at its root
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        if (!body->used || body->asleep || !ovi_is_free(&sim->movers[i])) {
            continue;
        }
        bool slow = ovi_sim_speed(body, &sim->movers[i]) < sim->options.sleep_speed &&
                    !sim->options.no_sleep;
        body->slow_time = slow ? body->slow_time + dt : 0.0;
        uint32_t root = ovi_root_of(roots, (uint32_t)i);
        body->island = root;
        ovi_sim_body *first = &sim->bodies[root];
        sim->islands += root == i;
        first->island_time =
            root == i ? body->slow_time : fmin(first->island_time, body->slow_time);
    }
    for (uint32_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        if (body->used && !body->asleep && ovi_is_free(&sim->movers[i]) &&
            sim->bodies[body->island].island_time >= sim->options.sleep_time) {
            body->going = true;
        }
    }
    for (uint32_t i = 0; i < sim->body_count; i++) {
        if (sim->bodies[i].going) {
            sim->bodies[i].going = false;
            sleep_body(sim, i);
        }
    }
}
