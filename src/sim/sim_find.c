/**
 * @file sim_find.c
 * @brief Contacts are found: by the world, and matched with those before.
 *
 * A search costs more than a substep of a solver. In the accurate mode every substep has one. In
 * the fast mode the first substep of a frame has, with a margin for the whole frame, and the gaps
 * are followed by the motions of the points of contact; a substep has another search where that is
 * no longer good enough (ovi_contacts_go_on).
 */
#include <math.h>
#include <string.h>

#include "../world/world_internal.h"
#include "sim_internal.h"

void ovi_contacts_free(ov_sim *sim) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sim_contacts *c = &sim->contacts;
    ovi_release(by, c->items, c->room, sizeof *c->items);
    ovi_release(by, c->old, c->old_room, sizeof *c->old);
    ovi_release(by, c->pairs, c->pair_room, sizeof *c->pairs);
    ovi_release(by, c->table, c->table_room, sizeof *c->table);
    ovi_release(by, c->answers, c->answer_room, sizeof *c->answers);
    ovi_release(by, c->placings, c->placing_room, sizeof *c->placings);
    ovi_release(by, c->taken, c->taken_room, sizeof *c->taken);
}

/* ---- contacts of the last search */

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_of(uint32_t a, uint32_t part_a, uint32_t b, uint32_t part_b) {
    return mix((uint64_t)a << 32 | b) + mix((uint64_t)part_a << 32 | part_b);
}

static bool is_same_pair(const ovi_sim_contact *a, const ovi_sim_contact *b) {
    return a->a == b->a && a->b == b->b && a->part_a == b->part_a && a->part_b == b->part_b;
}

/** Puts an old contact with those of its pair before it, or into a new pair. */
static void add_old(ovi_sim_contacts *c, size_t i) {
    const ovi_sim_contact *old = &c->old[i];
    if (i > 0 && is_same_pair(old, old - 1)) {
        ovi_touching *pair = &c->pairs[c->pair_count - 1];
        pair->count++;
        pair->slid |= old->slid;
        return;
    }
    uint64_t at = hash_of(old->a, old->part_a, old->b, old->part_b) & c->table_mask;
    while (c->table[at] != 0) {
        at = (at + 1) & c->table_mask;
    }
    c->pairs[c->pair_count++] =
        (ovi_touching){old->a, old->b, old->part_a, old->part_b, (uint32_t)i, 1, old->slid};
    c->table[at] = (uint32_t)c->pair_count;
}

/** Makes the present contacts the old ones, with a table of their pairs. */
static bool keep_old(ov_sim *sim) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sim_contacts *c = &sim->contacts;
    size_t room = 16;
    while (room < 2 * c->count) {
        room *= 2;
    }
    if (!ovi_sim_room(by, &c->table, &c->table_room, room, sizeof *c->table) ||
        !ovi_sim_room(by, &c->pairs, &c->pair_room, c->count, sizeof *c->pairs)) {
        return false;
    }
    ovi_sim_contact *items = c->old;
    size_t items_room = c->old_room;
    c->old = c->items, c->old_room = c->room, c->old_count = c->count;
    c->items = items, c->room = items_room, c->count = 0;
    memset(c->first, 0, sizeof c->first);
    c->table_mask = room - 1;
    memset(c->table, 0, room * sizeof *c->table);
    c->pair_count = 0;
    for (size_t i = 0; i < c->old_count; i++) {
        add_old(c, i);
    }
    return true;
}

/** The old contacts of the pair of a contact, or null. */
static const ovi_touching *find_old(const ovi_sim_contacts *c, const ovi_sim_contact *like) {
    uint64_t at = hash_of(like->a, like->part_a, like->b, like->part_b) & c->table_mask;
    for (; c->table[at] != 0; at = (at + 1) & c->table_mask) {
        const ovi_touching *p = &c->pairs[c->table[at] - 1];
        if (p->a == like->a && p->b == like->b && p->part_a == like->part_a &&
            p->part_b == like->part_b) {
            return p;
        }
    }
    return NULL;
}

void ovi_contacts_forget(ov_sim *sim, uint32_t body) {
    ovi_sim_contacts *c = &sim->contacts;
    size_t kept = 0, i = 0;
    for (int colour = 0; colour < OVI_COLOURS; colour++) {
        c->first[colour] = kept;
        for (size_t end = c->first[colour + 1]; i < end; i++) {
            if (c->items[i].a != body && c->items[i].b != body) {
                c->items[kept++] = c->items[i];
            }
        }
    }
    c->count = c->first[OVI_COLOURS] = kept;
}

/* ---- finding contacts */

/** How far ahead contacts are looked for: what the bodies cover until the next search, within a
 * part of their size. What is faster than that is swept. */
static double search_limit(ov_sim *sim, double ahead, double *smallest) {
    double furthest = 0.0, least = INFINITY, pull = ahead * ov_vec3_length(sim->options.gravity);
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        const ovi_mover *m = &sim->movers[i];
        if (!body->used || body->in_world == 0) {
            continue;
        }
        body->margin = ahead * (ovi_sim_speed(body, m) + pull);
        furthest = fmax(furthest, body->margin);
        if (ovi_is_free(m)) {
            body->margin = fmax(body->margin, 0.01 * body->radius);
            least = fmin(least, body->radius);
        }
    }
    double limit = least < INFINITY ? fmin(fmax(2.0 * furthest, 0.02 * least), 0.5 * least) : 0.0;
    for (size_t i = 0; i < sim->body_count; i++) {
        sim->bodies[i].margin = fmin(sim->bodies[i].margin, 0.5 * limit);
    }
    *smallest = least;
    return limit;
}

/* ---- what need not be asked again
 *
 * A body is quiet while it is within a small distance of where it was when all of its contacts were
 * last asked for. Of two quiet bodies no point has come nearer to the other body, since their
 * contacts were found, than by four such distances: each was within one of its place then, and is
 * now. The gaps follow the motion of the points meanwhile, so that they are off by no more than
 * twice that, for smooth bodies by the square of it times their curvature. */

/** That distance, in units of the least extent of the smallest body. What is known of a contact
 *  reaches as far as a search does at least, more than twice as far as four of these. */
static double quiet_share(const ov_sim *sim) {
    return sim->options.mode == OV_SIM_MODE_ACCURATE ? 1e-4 : 2e-3;
}

static void find_quiet(ov_sim *sim, double least) {
    double most = least < INFINITY ? quiet_share(sim) * least : 0.0;
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        ov_quat turn = ovi_quat_product(body->q, ov_quat_conjugate(body->asked_q));
        double sine = ovi_length(ov_vec3_make(turn.x, turn.y, turn.z));
        // of half the angle; twice that sine, and a half more, are above small angles
        double way = ovi_length(ov_vec3_sub(body->x, body->asked_x)) + body->reach * 2.5 * sine;
        bool free = ovi_is_free(&sim->movers[i]);
        // what joints and limits do in one substep may be as far: their bodies are asked always
        body->quiet = !body->in_order && (free ? way <= most : way == 0.0);
        if (!body->quiet) {
            body->asked_x = body->x;
            body->asked_q = body->q;
        }
    }
}

/** A contact of which only the pair of parts is set. */
static ovi_sim_contact like_of(const ov_sim *sim, ov_body a, uint32_t part_a, ov_body b,
                               uint32_t part_b) {
    return (ovi_sim_contact){.a = sim->world_slots[(a >> 32) - 1],
                             .b = sim->world_slots[(b >> 32) - 1],
                             .part_a = part_a,
                             .part_b = part_b};
}

/** What the world does about a pair: no query where nothing that moves takes part, and where the
 *  contacts of quiet bodies are known. */
static ovi_asking choose_pair(const void *context, ov_body a, uint32_t part_a, ov_body b,
                              uint32_t part_b) {
    const ov_sim *sim = context;
    ovi_sim_contact like = like_of(sim, a, part_a, b, part_b);
    const ovi_sim_body *body_a = &sim->bodies[like.a], *body_b = &sim->bodies[like.b];
    bool live_a = ovi_is_free(&sim->movers[like.a]) && !body_a->asleep;
    bool live_b = ovi_is_free(&sim->movers[like.b]) && !body_b->asleep;
    if (!(live_a || live_b || body_a->kinematic || body_b->kinematic) ||
        ovi_sim_is_filtered(sim, like.a, like.b)) {
        return OVI_ASK_NOT;
    }
    if (!body_a->quiet || !body_b->quiet || body_a->asleep || body_b->asleep) {
        return OVI_ASK;
    }
    const ovi_touching *old = find_old(&sim->contacts, &like);
    return old != NULL && !old->slid ? OVI_ASK_KNOWN : OVI_ASK;
}

/** Is a contact of the world's one of a pair that was not asked for? */
static bool is_known(const ov_world_contact *found) { return found->contact.gap == INFINITY; }

/** Moves the bodies of the world to their poses. */
static ov_status move_world(ov_sim *sim) {
    size_t count = 0;
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        body->way = body->turn = 0.0;
        bool moves = (body->kinematic || ovi_is_free(&sim->movers[i])) && !body->asleep;
        if (body->used && body->in_world != 0 && moves) {
            sim->moved[count] = body->in_world;
            sim->moved_poses[count++] = ovi_sim_pose(body);
        }
    }
    size_t done;
    return ov_world_move_all(sim->world, sim->moved, sim->moved_poses, count, &done);
}

/** Places of a point: arms to the middle of its two points. */
static void place(const ov_sim *sim, ovi_sim_contact *c, const ov_manifold_point *found) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(found->point_a, found->point_b), 0.5);
    c->key = found->id;
    c->arm_a = ov_vec3_sub(middle, a->x);
    c->arm_b = ov_vec3_sub(middle, b->x);
    c->gap = c->now = found->gap;
    c->found_a = c->arm_a;
    c->found_b = c->arm_b;
}

/** Speed of a point of contact as seen from the centre of a body, of at most what its turning can
 *  bring about: at rest, points that change places on a flat side do not wander. */
static ov_vec3 wander_of(ov_vec3 now, ov_vec3 before, double time, double most) {
    ov_vec3 speed = ov_vec3_scale(ov_vec3_sub(now, before), 1.0 / time);
    double length = ovi_length(speed);
    return length <= most ? speed : ov_vec3_scale(speed, most / length);
}

/** An egg that rocks has its point of contact ahead of or behind its centre, not where it was: if
 *  that came late by a part of a frame, it would push the egg on, and it would rock ever more. */
static void wander(const ov_sim *sim, ovi_sim_contact *c, const ovi_sim_contact *old) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    double time = old->age;
    double turn = ovi_length(ov_vec3_sub(sim->movers[c->b].w, sim->movers[c->a].w));
    if (time > 0.0) {
        c->wander_a = wander_of(c->arm_a, old->found_a, time, turn * a->reach);
        c->wander_b = wander_of(c->arm_b, old->found_b, time, turn * b->reach);
    }
}

/** Impulses of the same contact before, along the new tangents. */
static void inherit(ovi_sim_contact *c, const ovi_sim_contact *old) {
    ov_vec3 first = ov_vec3_add(ov_vec3_scale(old->tangent1, old->first_tangent[0]),
                                ov_vec3_scale(old->tangent2, old->first_tangent[1]));
    ov_vec3 all = ov_vec3_add(ov_vec3_scale(old->tangent1, old->tangent_sum[0]),
                              ov_vec3_scale(old->tangent2, old->tangent_sum[1]));
    c->first_normal = old->first_normal;
    c->normal_sum = old->normal_sum;
    c->first_tangent[0] = ov_vec3_dot(first, c->tangent1);
    c->first_tangent[1] = ov_vec3_dot(first, c->tangent2);
    c->tangent_sum[0] = ov_vec3_dot(all, c->tangent1);
    c->tangent_sum[1] = ov_vec3_dot(all, c->tangent2);
    c->rolling_sum = old->rolling_sum;
    c->first_rolling = old->first_rolling;
}

/** Speed of the first of two bodies towards the other at a point, negative. */
static double approach_of(const ov_sim *sim, uint32_t slot_a, uint32_t slot_b, ov_vec3 point,
                          ov_vec3 normal) {
    const ovi_mover *a = &sim->movers[slot_a], *b = &sim->movers[slot_b];
    ov_vec3 arm_a = ov_vec3_sub(point, sim->bodies[slot_a].x);
    ov_vec3 arm_b = ov_vec3_sub(point, sim->bodies[slot_b].x);
    ov_vec3 va = ov_vec3_add(a->v, ov_vec3_cross(a->w, arm_a));
    return ov_vec3_dot(normal, ov_vec3_sub(ov_vec3_add(b->v, ov_vec3_cross(b->w, arm_b)), va));
}

/** Is a contact one to be solved? Where a body that sleeps is touched, it wakes. */
static bool is_wanted(ov_sim *sim, const ov_world_contact *found, uint32_t slot_a, uint32_t slot_b,
                      double h, bool *woken) {
    const ovi_sim_body *a = &sim->bodies[slot_a], *b = &sim->bodies[slot_b];
    bool live_a = ovi_is_free(&sim->movers[slot_a]) && !a->asleep;
    bool live_b = ovi_is_free(&sim->movers[slot_b]) && !b->asleep;
    bool led = a->kinematic || b->kinematic;
    // in the accurate mode what is hit may be fast before the next search
    bool far = sim->options.mode != OV_SIM_MODE_ACCURATE && !is_known(found) &&
               found->contact.gap > 2.0 * (a->margin + b->margin);
    if (!(found->contact.status >= 0) || far || !(live_a || live_b || led) ||
        ovi_sim_is_filtered(sim, slot_a, slot_b)) {
        return false;
    }
    if (a->asleep || b->asleep) {
        double speed =
            approach_of(sim, slot_a, slot_b, found->contact.point_a, found->contact.normal);
        if (found->contact.gap + h * speed <= 0.0 && (live_a || live_b || fabs(speed) > 0.0)) {
            ovi_island_wake(sim, a->asleep ? slot_a : slot_b);
            *woken = true; // all contacts are taken once more
        }
        return false;
    }
    return live_a || live_b;
}

/** The first colour that neither of two bodies has; bodies that are not free have none. */
static uint8_t colour_of(ov_sim *sim, uint32_t a, uint32_t b) {
    if (sim->bodies[a].in_order || sim->bodies[b].in_order) {
        return OVI_COLOUR_TREES;
    }
    uint32_t *taken = sim->contacts.taken;
    bool free_a = ovi_is_free(&sim->movers[a]), free_b = ovi_is_free(&sim->movers[b]);
    uint32_t used = (free_a ? taken[a] : 0) | (free_b ? taken[b] : 0);
    uint8_t colour = 0;
    while (colour < OVI_COLOUR_REST && (used >> colour & 1u) != 0) {
        colour++;
    }
    if (colour < OVI_COLOUR_REST) {
        taken[a] |= free_a ? UINT32_C(1) << colour : 0;
        taken[b] |= free_b ? UINT32_C(1) << colour : 0;
    }
    return colour;
}

/** Looks which contacts are taken over, and how many points they have; returns the number of all
 *  points. */
static size_t choose_all(ov_sim *sim, const ov_manifold_set *set, double h, bool *woken) {
    ovi_sim_contacts *c = &sim->contacts;
    size_t points = 0;
    for (size_t i = 0; i < set->count; i++) {
        const ov_world_contact *found = &set->contacts[i];
        ovi_placing *p = &c->placings[i];
        ovi_sim_contact like = like_of(sim, found->a, found->part_a, found->b, found->part_b);
        size_t count = set->first[i + 1] - set->first[i];
        *p = (ovi_placing){.colour = OVI_COLOURS};
        if (!is_wanted(sim, found, like.a, like.b, h, woken)) {
            continue;
        }
        if (is_known(found)) {
            const ovi_touching *old = find_old(c, &like);
            p->old = old->first;
            count = old->count;
        }
        p->colour = 0;
        p->count = (uint8_t)count;
        points += count;
    }
    return points;
}

/** Colours what is taken over. Few contacts are solved in their order, which is that of the bodies:
 *  stacks that were built from below converge best so. */
static void colour_all(ov_sim *sim, const ov_manifold_set *set, size_t points) {
    enum { FEW = 512 };
    ovi_sim_contacts *c = &sim->contacts;
    memset(c->taken, 0, sim->body_count * sizeof *c->taken);
    for (size_t i = 0; i < set->count; i++) {
        if (c->placings[i].colour == OVI_COLOURS) {
            continue;
        }
        uint32_t a = sim->world_slots[(set->contacts[i].a >> 32) - 1];
        uint32_t b = sim->world_slots[(set->contacts[i].b >> 32) - 1];
        bool in_trees = sim->bodies[a].in_order || sim->bodies[b].in_order;
        c->placings[i].colour = points >= FEW ? colour_of(sim, a, b)
                                : in_trees    ? OVI_COLOUR_TREES
                                              : OVI_COLOUR_REST;
    }
}

/** Places of all contacts: by colours, and in their order within one. */
static void place_all(ovi_sim_contacts *c, size_t count) {
    size_t next[OVI_COLOURS + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        next[c->placings[i].colour] += c->placings[i].count;
    }
    c->count = 0;
    for (int k = 0; k < OVI_COLOURS; k++) {
        c->first[k] = c->count;
        c->count += next[k];
        next[k] = c->first[k];
    }
    c->first[OVI_COLOURS] = c->count;
    for (size_t i = 0; i < count; i++) {
        c->placings[i].place = (uint32_t)next[c->placings[i].colour];
        next[c->placings[i].colour] += c->placings[i].count;
    }
}

typedef struct taking {
    ov_sim *sim;
    const ov_manifold_set *set;
} taking;

/** What all points of a contact of the world's have in common. */
static ovi_sim_contact first_of(const ov_sim *sim, const ov_world_contact *found) {
    ovi_sim_contact c = like_of(sim, found->a, found->part_a, found->b, found->part_b);
    const ov_sim_body_def *a = &sim->bodies[c.a].def, *b = &sim->bodies[c.b].def;
    ov_mat3 frame = ov_mat3_householder(found->contact.normal);
    c.normal = found->contact.normal;
    c.tangent1 = frame.cy;
    c.tangent2 = frame.cz;
    c.friction = sqrt(a->friction * b->friction);
    c.restitution = fmax(a->restitution, b->restitution);
    c.rolling = fmax(a->rolling, b->rolling);
    return c;
}

/** Takes over the points of a contact that the world has found. */
static void take_points(const ov_sim *sim, const ov_world_contact *found,
                        const ov_manifold_point *points, size_t count, ovi_sim_contact *items) {
    ovi_sim_contact c = first_of(sim, found);
    const ovi_touching *pair = find_old(&sim->contacts, &c);
    const ovi_sim_contact *old = pair != NULL ? &sim->contacts.old[pair->first] : NULL;
    size_t known = pair != NULL ? pair->count : 0;
    for (size_t k = 0; k < count; k++) {
        items[k] = c;
        place(sim, &items[k], &points[k]);
        for (size_t i = 0; i < known; i++) {
            if (old[i].key == items[k].key) {
                inherit(&items[k], &old[i]);
                wander(sim, &items[k], &old[i]);
                break;
            }
        }
    }
}

/** Goes on with a point of contact. */
static void go_on(ovi_sim_contact *c) {
    c->gap = c->now;
    c->applied[0] = c->applied[1] = c->applied[2] = 0.0;
    c->applied_rolling = ov_vec3_make(0.0, 0.0, 0.0);
}

static void take_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const taking *t = context;
    ovi_sim_contacts *all = &t->sim->contacts;
    for (size_t i = begin; i < end; i++) {
        const ovi_placing *p = &all->placings[i];
        const ov_world_contact *found = &t->set->contacts[i];
        ovi_sim_contact *items = &all->items[p->place];
        if (p->colour == OVI_COLOURS) {
            continue;
        }
        if (!is_known(found)) {
            take_points(t->sim, found, &t->set->points[t->set->first[i]], p->count, items);
            continue;
        }
        memcpy(items, &all->old[p->old], p->count * sizeof *items);
        for (size_t k = 0; k < p->count; k++) {
            go_on(&items[k]);
        }
    }
}

/** Contacts of the world that are to be taken over. Where one wakes an island, that has to be asked
 *  for too. */
static ov_status ask_world(ov_sim *sim, double h, ov_manifold_set *set, size_t *points) {
    const ov_allocator *by = &sim->options.allocator;
    const ovi_pair_choice choice = {choose_pair, sim};
    ovi_sim_contacts *c = &sim->contacts;
    bool woken = true;
    while (woken) {
        sim->world->choice = &choice;
        ov_status status = ov_world_manifolds(sim->world, c->limit, set);
        sim->world->choice = NULL;
        if (status < 0) {
            return status;
        }
        if (!ovi_sim_room(by, &c->placings, &c->placing_room, set->count, sizeof *c->placings)) {
            return OV_ERROR_MEMORY;
        }
        woken = false;
        *points = choose_all(sim, set, h, &woken);
    }
    return ovi_sim_room(by, &c->items, &c->room, *points, sizeof *c->items) ? OV_OK
                                                                            : OV_ERROR_MEMORY;
}

ov_status ovi_contacts_find(ov_sim *sim, double h, double ahead) {
    const ov_allocator *by = &sim->options.allocator;
    size_t n = sim->body_count, points;
    if (!ovi_sim_room(by, &sim->moved, &sim->moved_room, n, sizeof *sim->moved) ||
        !ovi_sim_room(by, &sim->moved_poses, &sim->moved_pose_room, n, sizeof *sim->moved_poses) ||
        !ovi_sim_room(by, &sim->contacts.taken, &sim->contacts.taken_room, n,
                      sizeof *sim->contacts.taken)) {
        return OV_ERROR_MEMORY;
    }
    ov_manifold_set set;
    double least;
    sim->contacts.limit = search_limit(sim, ahead, &least);
    find_quiet(sim, least);
    ov_status status = move_world(sim);
    if (status >= 0 && !keep_old(sim)) {
        status = OV_ERROR_MEMORY;
    }
    status = status < 0 ? status : ask_world(sim, h, &set, &points);
    if (status < 0) {
        return status;
    }
    colour_all(sim, &set, points);
    place_all(&sim->contacts, set.count);
    taking t = {sim, &set};
    enum { CONTACTS_PER_THREAD = 256 };
    ovi_ranges_run(take_range, &t, set.count, CONTACTS_PER_THREAD, &sim->options.threads);
    return OV_OK;
}

/* ---- following contacts */

/** Have bodies moved too far for the contacts that were found last? */
static bool are_stale(const ov_sim *sim) {
    // a body that has turned by an angle t has a gap that is off by up to its reach times t^2 / 2
    const double turned = 0.1;
    for (size_t i = 0; i < sim->body_count; i++) {
        const ovi_sim_body *body = &sim->bodies[i];
        if (body->used && body->in_world != 0 &&
            (body->way > body->margin || (body->turn > turned && !body->round))) {
            return true;
        }
    }
    return false;
}

bool ovi_contacts_go_on(ov_sim *sim) {
    ovi_sim_contacts *all = &sim->contacts;
    if (are_stale(sim)) {
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        ovi_sim_contact *c = &all->items[i];
        if (c->slid) {
            return false;
        }
        go_on(c);
    }
    return true;
}

size_t ov_sim_contacts(const ov_sim *sim, ov_sim_contact *contacts, size_t room) {
    size_t count = sim != NULL ? sim->contacts.count : 0;
    for (size_t i = 0; contacts != NULL && i < count && i < room; i++) {
        const ovi_sim_contact *c = &sim->contacts.items[i];
        const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
        ov_vec3 friction = ov_vec3_add(ov_vec3_scale(c->tangent1, c->tangent_sum[0]),
                                       ov_vec3_scale(c->tangent2, c->tangent_sum[1]));
        contacts[i] = (ov_sim_contact){.a = (ov_sim_body)(c->a + 1u) << 32 | a->generation,
                                       .b = (ov_sim_body)(c->b + 1u) << 32 | b->generation,
                                       .part_a = c->part_a,
                                       .part_b = c->part_b,
                                       .point = ov_vec3_add(a->x, c->arm_a),
                                       .normal = c->normal,
                                       .gap = c->now,
                                       .impulse = c->normal_sum,
                                       .friction = friction};
    }
    return count;
}
