/**
 * @file sim_island.c
 * @brief Islands: bodies connected by contacts and joints, which fall asleep and wake together.
 */
#include <math.h>

#include "sim_internal.h"

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

bool ovi_island_is_led(const ov_sim *sim, uint32_t slot) {
    const ovi_mover *m = &sim->movers[slot];
    return sim->bodies[slot].kinematic && (ovi_length(m->v) > 0.0 || ovi_length(m->w) > 0.0);
}

double ovi_island_reach(const ov_sim *sim, uint32_t asleep) {
    return 0.02 * sim->bodies[asleep].radius;
}

void ovi_island_wake_near(ov_sim *sim, uint32_t slot) {
    const ovi_sim_body *body = &sim->bodies[slot];
    if (body->in_world == 0 || body->def.no_contacts) {
        return;
    }
    for (uint32_t i = 0; i < sim->body_count; i++) {
        const ovi_sim_body *other = &sim->bodies[i];
        if (!other->used || !other->asleep || other->in_world == 0) {
            continue;
        }
        double reach = ovi_island_reach(sim, i);
        ov_part_contact found;
        ov_status status =
            ov_geometry_contact(body->def.geometry, ovi_sim_pose(body), other->def.geometry,
                                ovi_sim_pose(other), reach, &sim->options.pair, &found);
        if (!(status >= 0 && found.contact.gap > reach)) {
            ovi_island_wake(sim, i);
        }
    }
}

/** What touches a body that is led is moved by it, however slowly, and does not fall asleep. */
static void note_carried(ov_sim *sim, uint32_t slot, uint32_t by, double dt) {
    if (ovi_is_free(&sim->movers[slot]) && ovi_island_is_led(sim, by)) {
        sim->bodies[slot].slow_time = -dt;
    }
}

/** Does a motor turn its joint, neither held up by something nor at the limit that it goes to? */
static bool is_driven(const ov_sim *sim, const ovi_sim_joint *joint, double dt) {
    double wanted = joint->def.motor_speed;
    bool driven = false;
    for (int i = 0; i < joint->row_count; i++) {
        const ovi_row *row = &joint->rows[i];
        if (row->kind == OVI_ROW_LIMIT && row->side * wanted < 0.0 &&
            row->error < dt * fabs(wanted)) {
            return false;
        }
        driven = driven || (row->kind == OVI_ROW_MOTOR &&
                            fabs(ovi_row_speed(sim, joint, row)) > 0.1 * fabs(wanted));
    }
    return driven;
}

/** What a motor turns is not at rest, however slowly it does so. */
static void note_driven(ov_sim *sim, const ovi_sim_joint *joint, double dt) {
    const uint32_t ends[2] = {joint->a, joint->b};
    bool driven = joint->def.motor_speed != 0.0 && is_driven(sim, joint, dt);
    for (int e = 0; driven && e < 2; e++) {
        if (ends[e] != OVI_NO_BODY && ovi_is_free(&sim->movers[ends[e]])) {
            sim->bodies[ends[e]].slow_time = -dt;
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
            note_carried(sim, c->a, c->b, dt);
            note_carried(sim, c->b, c->a, dt);
        }
    }
    for (size_t i = 0; i < sim->joint_count; i++) {
        if (sim->joints[i].used) {
            unite(sim, sim->joints[i].a, sim->joints[i].b);
            note_driven(sim, &sim->joints[i], dt);
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
