/**
 * @file sim_snapshot.c
 * @brief Snapshots: the state of a simulation, saved and loaded.
 *
 * What a frame depends on is in flat arrays, and in the world, whose memory of earlier steps is
 * part of the state: its warm starts decide about last digits. So both are copied as they are.
 * Scratch and what follows from the rest (the forest) are not.
 */
#include <string.h>

#include "sim_internal.h"

/** Arrays of the state, each with its room. */
typedef struct state {
    ov_world *world;
    ovi_sim_body *bodies;
    ovi_mover *movers;
    ovi_sim_joint *joints;
    ovi_contact_list contacts;
    ovi_sim_filter *filters;
    uint32_t *world_slots;
    size_t body_room, mover_room, joint_room, filter_room, world_slot_room;
} state;

struct ov_sim_snapshot {
    ov_allocator allocator;
    const ov_sim *of;
    ov_sim numbers; /**< those of the simulation; its pointers are not used */
    state arrays;
};

static void free_state(const ov_allocator *by, state *s) {
    ov_world_destroy(s->world);
    ovi_release(by, s->bodies, s->body_room, sizeof *s->bodies);
    ovi_release(by, s->movers, s->mover_room, sizeof *s->movers);
    ovi_release(by, s->joints, s->joint_room, sizeof *s->joints);
    ovi_contact_list_free(by, &s->contacts);
    ovi_release(by, s->filters, s->filter_room, sizeof *s->filters);
    ovi_release(by, s->world_slots, s->world_slot_room, sizeof *s->world_slots);
    *s = (state){0};
}

/** A copy of the first `count` elements; null for none. */
static bool copy_array(const ov_allocator *by, const void *from, size_t count, size_t size,
                       void *to, size_t *room) {
    void *block = count > 0 ? ovi_resize(by, NULL, 0, count, size) : NULL;
    if (count > 0 && block == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(block, from, count * size);
    }
    memcpy(to, &block, sizeof block);
    *room = count;
    return true;
}

/** Copies a state; numbers of elements are those of the simulation `counts`. */
static ov_status copy_state(const ov_allocator *by, const ov_sim *counts, const state *from,
                            state *to) {
    *to = (state){0};
    ov_status status = ov_world_copy(from->world, &to->world);
    bool good =
        status == OV_OK &&
        copy_array(by, from->bodies, counts->body_count, sizeof *to->bodies, &to->bodies,
                   &to->body_room) &&
        copy_array(by, from->movers, counts->body_count, sizeof *to->movers, &to->movers,
                   &to->mover_room) &&
        copy_array(by, from->joints, counts->joint_count, sizeof *to->joints, &to->joints,
                   &to->joint_room) &&
        copy_array(by, from->contacts.items, from->contacts.count, sizeof *to->contacts.items,
                   &to->contacts.items, &to->contacts.item_room) &&
        copy_array(by, from->contacts.records, from->contacts.count, sizeof *to->contacts.records,
                   &to->contacts.records, &to->contacts.record_room) &&
        copy_array(by, from->filters, counts->filter_count, sizeof *to->filters, &to->filters,
                   &to->filter_room) &&
        copy_array(by, from->world_slots, from->world_slot_room, sizeof *to->world_slots,
                   &to->world_slots, &to->world_slot_room);
    to->contacts.count = from->contacts.count;
    if (!good) {
        free_state(by, to);
        return OV_ERROR_MEMORY;
    }
    return OV_OK;
}

static state state_of(const ov_sim *sim) {
    return (state){.world = sim->world,
                   .bodies = sim->bodies,
                   .movers = sim->movers,
                   .joints = sim->joints,
                   .contacts = sim->contacts.now,
                   .filters = sim->filters,
                   .world_slots = sim->world_slots,
                   .body_room = sim->body_room,
                   .mover_room = sim->mover_room,
                   .joint_room = sim->joint_room,
                   .filter_room = sim->filter_room,
                   .world_slot_room = sim->world_slot_room};
}

ov_status ov_sim_save(const ov_sim *sim, ov_sim_snapshot **snapshot) {
    if (snapshot != NULL) {
        *snapshot = NULL;
    }
    if (sim == NULL || snapshot == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_allocator *by = &sim->options.allocator;
    ov_sim_snapshot *s = ovi_resize(by, NULL, 0, 1, sizeof *s);
    if (s == NULL) {
        return OV_ERROR_MEMORY;
    }
    *s = (ov_sim_snapshot){.allocator = *by, .of = sim, .numbers = *sim};
    state now = state_of(sim);
    ov_status status = copy_state(by, sim, &now, &s->arrays);
    if (status < 0) {
        ovi_release(by, s, 1, sizeof *s);
        return status;
    }
    *snapshot = s;
    return OV_OK;
}

ov_status ov_sim_load(ov_sim *sim, const ov_sim_snapshot *snapshot) {
    if (sim == NULL || snapshot == NULL) {
        return OV_ERROR_NULL;
    }
    if (snapshot->of != sim) {
        return OV_ERROR_OPTION;
    }
    const ov_sim *then = &snapshot->numbers;
    state fresh, old = state_of(sim);
    ov_status status = copy_state(&sim->options.allocator, then, &snapshot->arrays, &fresh);
    if (status < 0) {
        return status;
    }
    free_state(&sim->options.allocator, &old);
    ov_world_set_threads(fresh.world, &sim->options.threads);
    sim->world = fresh.world;
    sim->bodies = fresh.bodies, sim->body_room = fresh.body_room;
    sim->movers = fresh.movers, sim->mover_room = fresh.mover_room;
    sim->joints = fresh.joints, sim->joint_room = fresh.joint_room;
    sim->contacts.now = fresh.contacts;
    sim->contacts.pairs = then->contacts.pairs;
    sim->filters = fresh.filters, sim->filter_room = fresh.filter_room;
    sim->world_slots = fresh.world_slots, sim->world_slot_room = fresh.world_slot_room;
    sim->body_count = then->body_count, sim->bodies_used = then->bodies_used;
    sim->joint_count = then->joint_count, sim->joints_used = then->joints_used;
    sim->filter_count = then->filter_count;
    sim->free_body = then->free_body, sim->free_joint = then->free_joint;
    sim->time = then->time, sim->frames = then->frames;
    sim->islands = then->islands, sim->swept = then->swept, sim->h = then->h;
    memcpy(sim->contacts.first, then->contacts.first, sizeof sim->contacts.first);
    sim->contacts.limit = then->contacts.limit;
    sim->forest.stale = true;
    return OV_OK;
}

void ov_sim_snapshot_destroy(ov_sim_snapshot *snapshot) {
    if (snapshot != NULL) {
        ov_allocator by = snapshot->allocator;
        free_state(&by, &snapshot->arrays);
        ovi_release(&by, snapshot, 1, sizeof *snapshot);
    }
}
