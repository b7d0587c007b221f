/**
 * @file sim_contact.c
 * @brief Contacts: found by the world, matched with those before, and solved by impulses.
 *
 * A point of contact is a condition on velocities, n.(v_b - v_a) >= -gap / h: within the substep
 * the points come no closer than to touch. Overlapping bodies are parted by a soft condition, a
 * damped spring of a given frequency solved implicitly. With k = w^2 m and c = 2 z w m, the
 * effective mass m cancels: rate = w / (2 z + h w), and
 * impulse = -m mass_scale (v_n + rate gap) - impulse_scale sum. After the bodies have moved the
 * same conditions are solved once more without the push, so that it leaves no speed behind.
 *
 * Friction is Coulomb's, with the round cone: an impulse against the velocity across the normal, by
 * the same mass in all directions (with that of each, what slips would not be slowed along its
 * way), cut to mu times that of the normal. Rolling resistance is a torque of at most its arm times
 * that.
 *
 * Bounces come first, one after the other, from those that approach: in a row of balls that touch,
 * each passes its speed on to the next one, as Newton's cradle does. The response of a body held by
 * joints is that of its whole tree.
 */
#include <math.h>
#include <string.h>

#include "sim_internal.h"

void ovi_contacts_free(ov_sim *sim) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sim_contacts *c = &sim->contacts;
    ovi_release(by, c->items, c->room, sizeof *c->items);
    ovi_release(by, c->old, c->old_room, sizeof *c->old);
    ovi_release(by, c->table, c->table_room, sizeof *c->table);
    ovi_release(by, c->answers, c->answer_room, sizeof *c->answers);
}

/* ---- contacts of the last search */

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_of(const ovi_sim_contact *c) {
    return mix((uint64_t)c->a << 32 | c->b) + mix((uint64_t)c->part_a << 32 | c->part_b) + c->key;
}

static bool is_same(const ovi_sim_contact *a, const ovi_sim_contact *b) {
    return a->a == b->a && a->b == b->b && a->part_a == b->part_a && a->part_b == b->part_b &&
           a->key == b->key;
}

/** Makes the present contacts the old ones, with a table of them. */
static bool keep_old(ov_sim *sim) {
    ovi_sim_contacts *c = &sim->contacts;
    size_t room = 16;
    while (room < 2 * c->count) {
        room *= 2;
    }
    if (!ovi_sim_room(&sim->options.allocator, &c->table, &c->table_room, room, sizeof *c->table)) {
        return false;
    }
    ovi_sim_contact *items = c->old;
    size_t items_room = c->old_room;
    c->old = c->items, c->old_room = c->room, c->old_count = c->count;
    c->items = items, c->room = items_room, c->count = 0;
    c->table_mask = room - 1;
    memset(c->table, 0, room * sizeof *c->table);
    for (size_t i = 0; i < c->old_count; i++) {
        uint64_t at = hash_of(&c->old[i]) & c->table_mask;
        while (c->table[at] != 0) {
            at = (at + 1) & c->table_mask;
        }
        c->table[at] = (uint32_t)i + 1;
    }
    return true;
}

static const ovi_sim_contact *find_old(const ovi_sim_contacts *c, const ovi_sim_contact *like) {
    uint64_t at = hash_of(like) & c->table_mask;
    for (; c->table[at] != 0; at = (at + 1) & c->table_mask) {
        const ovi_sim_contact *old = &c->old[c->table[at] - 1];
        if (is_same(old, like)) {
            return old;
        }
    }
    return NULL;
}

void ovi_contacts_forget(ov_sim *sim, uint32_t body) {
    ovi_sim_contacts *c = &sim->contacts;
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].a != body && c->items[i].b != body) {
            c->items[kept++] = c->items[i];
        }
    }
    c->count = kept;
}

/* ---- finding contacts */

/** How far ahead contacts are looked for: what the bodies cover in a substep, within a part of
 * their size. What is faster than that is swept. */
static double search_limit(const ov_sim *sim, double h) {
    double fastest = 0.0, least = INFINITY;
    for (size_t i = 0; i < sim->body_count; i++) {
        const ovi_sim_body *body = &sim->bodies[i];
        const ovi_mover *m = &sim->movers[i];
        if (!body->used || body->in_world == 0) {
            continue;
        }
        double speed = ov_vec3_length(m->v) + body->reach * ov_vec3_length(m->w);
        if (ovi_is_free(m)) {
            least = fmin(least, body->radius);
        }
        fastest = fmax(fastest, speed);
    }
    if (!(least < INFINITY)) {
        return 0.0;
    }
    double pull = h * ov_vec3_length(sim->options.gravity);
    return fmin(fmax(2.0 * h * (fastest + pull), 0.02 * least), 0.5 * least);
}

/** Moves the bodies of the world to their poses. */
static ov_status move_world(ov_sim *sim) {
    size_t count = 0;
    for (size_t i = 0; i < sim->body_count; i++) {
        const ovi_sim_body *body = &sim->bodies[i];
        bool moves = body->def.kind != OV_SIM_BODY_KIND_FIXED && !body->asleep;
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
    bool led =
        a->def.kind == OV_SIM_BODY_KIND_KINEMATIC || b->def.kind == OV_SIM_BODY_KIND_KINEMATIC;
    if (!(found->contact.status >= 0) || !(live_a || live_b || led) ||
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

/** Takes over a contact that the world has found, unless nothing of it can move. */
static bool take(ov_sim *sim, const ov_manifold_set *set, size_t index, double h, bool *woken) {
    const ov_world_contact *found = &set->contacts[index];
    ovi_sim_contact c = {.part_a = found->part_a, .part_b = found->part_b};
    c.a = sim->world_slots[(found->a >> 32) - 1];
    c.b = sim->world_slots[(found->b >> 32) - 1];
    if (!is_wanted(sim, found, c.a, c.b, h, woken)) {
        return true;
    }
    const ov_sim_body_def *a = &sim->bodies[c.a].def, *b = &sim->bodies[c.b].def;
    ov_mat3 frame = ov_mat3_householder(found->contact.normal);
    c.normal = found->contact.normal;
    c.tangent1 = frame.cy;
    c.tangent2 = frame.cz;
    c.friction = sqrt(a->friction * b->friction);
    c.restitution = fmax(a->restitution, b->restitution);
    c.rolling = fmax(a->rolling, b->rolling);
    ovi_sim_contacts *all = &sim->contacts;
    size_t more = set->first[index + 1] - set->first[index];
    if (!ovi_sim_room(&sim->options.allocator, &all->items, &all->room, all->count + more,
                      sizeof c)) {
        return false;
    }
    for (size_t k = set->first[index]; k < set->first[index + 1]; k++) {
        ovi_sim_contact *item = &all->items[all->count++];
        *item = c;
        place(sim, item, &set->points[k]);
        const ovi_sim_contact *old = find_old(all, item);
        if (old != NULL) {
            inherit(item, old);
        }
    }
    return true;
}

ov_status ovi_contacts_find(ov_sim *sim, double h) {
    const ov_allocator *by = &sim->options.allocator;
    if (!ovi_sim_room(by, &sim->moved, &sim->moved_room, sim->body_count, sizeof *sim->moved) ||
        !ovi_sim_room(by, &sim->moved_poses, &sim->moved_pose_room, sim->body_count,
                      sizeof *sim->moved_poses)) {
        return OV_ERROR_MEMORY;
    }
    ov_manifold_set set;
    sim->contacts.limit = search_limit(sim, h);
    ov_status status = move_world(sim);
    status = status < 0 ? status : ov_world_manifolds(sim->world, sim->contacts.limit, &set);
    if (status < 0) {
        return status;
    }
    if (!keep_old(sim)) {
        return OV_ERROR_MEMORY;
    }
    for (bool woken = true; woken;) { // every round but the last wakes an island
        woken = false;
        sim->contacts.count = 0;
        for (size_t i = 0; i < set.count; i++) {
            if (!take(sim, &set, i, h, &woken)) {
                return OV_ERROR_MEMORY;
            }
        }
    }
    return OV_OK;
}

/* ---- what a contact needs to be solved */

/** Inverse of the effective mass of two bodies along two directions. */
static double response(const ov_sim *sim, const ovi_sim_contact *c, ov_vec3 u, ov_vec3 v) {
    const ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
    ov_vec3 ua = ov_vec3_cross(c->arm_a, u), va = ov_vec3_cross(c->arm_a, v);
    ov_vec3 ub = ov_vec3_cross(c->arm_b, u), vb = ov_vec3_cross(c->arm_b, v);
    return (a->inv_mass + b->inv_mass) * ov_vec3_dot(u, v) +
           ov_vec3_dot(ua, ovi_sym3_mul(&a->inv_inertia, va)) +
           ov_vec3_dot(ub, ovi_sym3_mul(&b->inv_inertia, vb));
}

/** Effective masses by the responses along the normal and the two tangents. Bodies that joints keep
 *  from moving along a direction do not answer an impulse along it, and get none. */
static void set_masses(ovi_sim_contact *c, double kn, double k11, double k12, double k22,
                       double least) {
    double most = 0.5 * (k11 + k22 + sqrt((k11 - k22) * (k11 - k22) + 4.0 * k12 * k12));
    c->mass_n = kn > least ? 1.0 / kn : 0.0;
    c->mass_t = most > least ? 1.0 / most : 0.0;
}

static void find_masses(const ov_sim *sim, ovi_sim_contact *c) {
    set_masses(c, response(sim, c, c->normal, c->normal),
               response(sim, c, c->tangent1, c->tangent1),
               response(sim, c, c->tangent1, c->tangent2),
               response(sim, c, c->tangent2, c->tangent2), 0.0);
}

void ovi_contacts_prepare(ov_sim *sim, double h) {
    bool accurate = sim->options.mode == OV_SIM_MODE_ACCURATE;
    sim->contacts.any_in_tree = false;
    for (size_t i = 0; i < sim->contacts.count; i++) {
        ovi_sim_contact *c = &sim->contacts.items[i];
        bool held = !ovi_is_free(&sim->movers[c->a]) || !ovi_is_free(&sim->movers[c->b]);
        // the frequency of the push: 30 Hz, twice that against what does not give way, and no more
        // than a quarter of the substeps' rate
        double most = 0.25 / h, hertz = accurate ? most : fmin(held ? 60.0 : 30.0, most);
        double w = 2.0 * OVI_PI * hertz, z = 10.0;
        double k = h * w * (2.0 * z + h * w);
        c->spring_rate = w / (2.0 * z + h * w);
        c->mass_scale = k / (1.0 + k);
        c->impulse_scale = 1.0 / (1.0 + k);
        find_masses(sim, c);
        c->in_tree = sim->bodies[c->a].in_order || sim->bodies[c->b].in_order;
        c->applied[0] = c->applied[1] = c->applied[2] = 0.0;
        c->applied_rolling = ov_vec3_make(0.0, 0.0, 0.0);
        sim->contacts.any_in_tree = sim->contacts.any_in_tree || c->in_tree;
    }
}

static ov_vec3 relative_speed(const ovi_mover *a, const ovi_mover *b, const ovi_sim_contact *c) {
    ov_vec3 va = ov_vec3_add(a->v, ov_vec3_cross(a->w, c->arm_a));
    return ov_vec3_sub(ov_vec3_add(b->v, ov_vec3_cross(b->w, c->arm_b)), va);
}

static void push(ovi_mover *a, ovi_mover *b, const ovi_sim_contact *c, ov_vec3 p) {
    ovi_mover_push(a, ov_vec3_neg(p), ov_vec3_cross(p, c->arm_a));
    ovi_mover_push(b, p, ov_vec3_cross(c->arm_b, p));
}

/* ---- bodies in trees
 *
 * While contacts are solved, an impulse on a body of a tree changes the velocities of the whole
 * tree, as its joints demand. These answers are linear and kept for each contact. They serve to
 * find the impulses; then the velocities go back, the impulses act on the bodies alone, and the
 * joints are solved, which keeps momenta to rounding. */

/** Number of bodies of the trees of a contact. */
static size_t answer_size(const ov_sim *sim, const ovi_sim_contact *c) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    size_t size = a->in_order ? a->tree_end - a->tree_first : 0;
    return size +
           (b->in_order && !(a->in_order && a->tree == b->tree) ? b->tree_end - b->tree_first : 0);
}

/** Copies the changes of a range of the order to the pool. */
static void keep_answer(const ov_sim *sim, size_t first, size_t end, double (*at)[6]) {
    for (size_t i = first; i < end; i++) {
        memcpy(at[i - first], sim->forest.nodes[sim->forest.order[i]].change, sizeof at[0]);
    }
}

/** Answers to a unit impulse along a direction; returns the response along another direction. */
static void find_answer(ov_sim *sim, const ovi_sim_contact *c, ov_vec3 u, double (*at)[6]) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    const ovi_tree_push pushes[2] = {{c->a, ov_vec3_neg(u), ov_vec3_cross(u, c->arm_a)},
                                     {c->b, u, ov_vec3_cross(c->arm_b, u)}};
    bool same = a->in_order && b->in_order && a->tree == b->tree;
    if (a->in_order) {
        ovi_forest_answer(sim, a->tree_first, a->tree_end, pushes, same ? 2 : 1);
        keep_answer(sim, a->tree_first, a->tree_end, at);
        at += a->tree_end - a->tree_first;
    }
    if (b->in_order && !same) {
        ovi_forest_answer(sim, b->tree_first, b->tree_end, pushes + 1, 1);
        keep_answer(sim, b->tree_first, b->tree_end, at);
    }
}

static void add_answer(ov_sim *sim, size_t first, size_t end, const double (*at)[6], double by) {
    for (size_t i = first; i < end; i++) {
        ovi_mover *m = &sim->movers[sim->forest.order[i]];
        const double *d = at[i - first];
        m->v = ov_vec3_add_scaled(m->v, ov_vec3_make(d[0], d[1], d[2]), by);
        m->w = ov_vec3_add_scaled(m->w, ov_vec3_make(d[3], d[4], d[5]), by);
    }
}

/** Pushes both bodies along one of the contact's directions (0: normal), and their trees. */
static void push_trees(ov_sim *sim, const ovi_sim_contact *c, int direction, double impulse) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    ov_vec3 u = direction == 0 ? c->normal : direction == 1 ? c->tangent1 : c->tangent2;
    ov_vec3 p = ov_vec3_scale(u, impulse);
    const double(*at)[6] =
        (const double(*)[6]) &
        sim->contacts.answers[c->answers + (size_t)direction * answer_size(sim, c)];
    bool same = a->in_order && b->in_order && a->tree == b->tree;
    if (a->in_order) {
        add_answer(sim, a->tree_first, a->tree_end, at, impulse);
        at += a->tree_end - a->tree_first;
    } else {
        ovi_mover_push(&sim->movers[c->a], ov_vec3_neg(p), ov_vec3_cross(p, c->arm_a));
    }
    if (!b->in_order) {
        ovi_mover_push(&sim->movers[c->b], p, ov_vec3_cross(c->arm_b, p));
    } else if (!same) {
        add_answer(sim, b->tree_first, b->tree_end, at, impulse);
    }
}

/** Change of the relative velocity at the contact by the unit impulse of a direction. */
static ov_vec3 answer_speed(const ov_sim *sim, const ovi_sim_contact *c, int direction) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    const double(*at)[6] =
        (const double(*)[6]) &
        sim->contacts.answers[c->answers + (size_t)direction * answer_size(sim, c)];
    ov_vec3 u = direction == 0 ? c->normal : direction == 1 ? c->tangent1 : c->tangent2;
    ovi_mover ma = {.inv_mass = 0.0}, mb = ma;
    const ovi_sim_body *const ends[2] = {a, b};
    ovi_mover *const moved[2] = {&ma, &mb};
    const uint32_t slots[2] = {c->a, c->b};
    size_t base[2] = {
        0, a->in_order && !(b->in_order && a->tree == b->tree) ? a->tree_end - a->tree_first : 0};
    for (int e = 0; e < 2; e++) {
        if (ends[e]->in_order) {
            const double *d = NULL;
            for (uint32_t i = ends[e]->tree_first; i < ends[e]->tree_end; i++) {
                d = sim->forest.order[i] == slots[e] ? at[base[e] + i - ends[e]->tree_first] : d;
            }
            moved[e]->v = ov_vec3_make(d[0], d[1], d[2]);
            moved[e]->w = ov_vec3_make(d[3], d[4], d[5]);
        } else {
            ov_vec3 p = e == 0 ? ov_vec3_neg(u) : u;
            *moved[e] = sim->movers[slots[e]];
            moved[e]->v = moved[e]->w = ov_vec3_make(0.0, 0.0, 0.0);
            ovi_mover_push(moved[e], p, ov_vec3_cross(e == 0 ? c->arm_a : c->arm_b, p));
        }
    }
    return relative_speed(&ma, &mb, c);
}

ov_status ovi_contacts_enter_trees(ov_sim *sim, bool renew) {
    ovi_sim_contacts *all = &sim->contacts;
    if (!all->any_in_tree) {
        return OV_OK;
    }
    for (size_t i = 0; i < sim->forest.count; i++) {
        ovi_sim_body *body = &sim->bodies[sim->forest.order[i]];
        const ovi_mover *m = &sim->movers[sim->forest.order[i]];
        body->v1 = m->v, body->w1 = m->w, body->l1 = m->l;
    }
    size_t count = 0;
    for (size_t i = 0; renew && i < all->count; i++) {
        ovi_sim_contact *c = &all->items[i];
        c->answers = count;
        count += c->in_tree ? 3 * answer_size(sim, c) : 0;
    }
    if (!ovi_sim_room(&sim->options.allocator, &all->answers, &all->answer_room, count,
                      sizeof *all->answers)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; renew && i < all->count; i++) {
        ovi_sim_contact *c = &all->items[i];
        if (!c->in_tree) {
            continue;
        }
        const ov_vec3 u[3] = {c->normal, c->tangent1, c->tangent2};
        for (size_t k = 0; k < 3; k++) {
            find_answer(sim, c, u[k], &all->answers[c->answers + k * answer_size(sim, c)]);
        }
        ov_vec3 s1 = answer_speed(sim, c, 1), s2 = answer_speed(sim, c, 2);
        double kn = ov_vec3_dot(c->normal, answer_speed(sim, c, 0));
        set_masses(c, kn, ov_vec3_dot(c->tangent1, s1), ov_vec3_dot(c->tangent1, s2),
                   ov_vec3_dot(c->tangent2, s2), 1e-6 / c->mass_n);
    }
    return OV_OK;
}

void ovi_contacts_leave_trees(ov_sim *sim) {
    ovi_sim_contacts *all = &sim->contacts;
    if (!all->any_in_tree) {
        return;
    }
    for (size_t i = 0; i < sim->forest.count; i++) {
        const ovi_sim_body *body = &sim->bodies[sim->forest.order[i]];
        ovi_mover *m = &sim->movers[sim->forest.order[i]];
        m->v = body->v1, m->w = body->w1, m->l = body->l1;
    }
    for (size_t i = 0; i < all->count; i++) {
        ovi_sim_contact *c = &all->items[i];
        if (!c->in_tree) {
            continue;
        }
        ov_vec3 p = ov_vec3_scale(c->normal, c->normal_sum - c->applied[0]);
        p = ov_vec3_add_scaled(p, c->tangent1, c->tangent_sum[0] - c->applied[1]);
        p = ov_vec3_add_scaled(p, c->tangent2, c->tangent_sum[1] - c->applied[2]);
        ov_vec3 turn = ov_vec3_sub(c->rolling_sum, c->applied_rolling);
        if (sim->bodies[c->a].in_order) {
            ovi_mover_push(&sim->movers[c->a], ov_vec3_neg(p),
                           ov_vec3_sub(ov_vec3_cross(p, c->arm_a), turn));
        }
        if (sim->bodies[c->b].in_order) {
            ovi_mover_push(&sim->movers[c->b], p, ov_vec3_add(ov_vec3_cross(c->arm_b, p), turn));
        }
        c->applied[0] = c->normal_sum;
        c->applied[1] = c->tangent_sum[0];
        c->applied[2] = c->tangent_sum[1];
        c->applied_rolling = c->rolling_sum;
    }
}

/** Pushes along a direction of the contact (0: normal), by whatever way it answers. */
static void push_along(ov_sim *sim, const ovi_sim_contact *c, int direction, double impulse) {
    if (c->in_tree) {
        push_trees(sim, c, direction, impulse);
        return;
    }
    ov_vec3 u = direction == 0 ? c->normal : direction == 1 ? c->tangent1 : c->tangent2;
    push(&sim->movers[c->a], &sim->movers[c->b], c, ov_vec3_scale(u, impulse));
}

/** Begins a solve with the impulses that the same one ended with before: of the first one in a
 *  substep, or what the second one added. */
void ovi_contacts_start(ov_sim *sim, bool second) {
    for (size_t i = 0; i < sim->contacts.count; i++) {
        ovi_sim_contact *c = &sim->contacts.items[i];
        if (second && c->slid) {
            continue;
        }
        double n, t1, t2;
        if (second) {
            n = fmax(c->add_normal, -c->normal_sum), t1 = c->add_tangent[0], t2 = c->add_tangent[1];
            c->first_normal = c->normal_sum;
            c->first_tangent[0] = c->tangent_sum[0];
            c->first_tangent[1] = c->tangent_sum[1];
            c->normal_sum += n;
            c->tangent_sum[0] += t1;
            c->tangent_sum[1] += t2;
        } else {
            c->add_normal = c->normal_sum - c->first_normal;
            c->add_tangent[0] = c->tangent_sum[0] - c->first_tangent[0];
            c->add_tangent[1] = c->tangent_sum[1] - c->first_tangent[1];
            n = c->normal_sum = c->first_normal;
            t1 = c->tangent_sum[0] = c->first_tangent[0];
            t2 = c->tangent_sum[1] = c->first_tangent[1];
            c->rolling_sum = ov_vec3_make(0.0, 0.0, 0.0);
        }
        push_along(sim, c, 0, n);
        push_along(sim, c, 1, t1);
        push_along(sim, c, 2, t2);
    }
}

/* ---- solve */

/** Adds to the normal impulse, which stays above zero. */
static void add_normal(ov_sim *sim, ovi_sim_contact *c, double add) {
    double sum = fmax(c->normal_sum + add, 0.0);
    add = sum - c->normal_sum;
    c->normal_sum = sum;
    push_along(sim, c, 0, add);
}

/** Before the bodies move: they come no closer than to touch, and overlapping ones part. */
static void solve_push(ov_sim *sim, const ovi_mover *a, const ovi_mover *b, ovi_sim_contact *c,
                       double h) {
    double speed = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    if (c->now > 0.0) {
        add_normal(sim, c, -c->mass_n * (speed + c->now / h));
        return;
    }
    double rate = fmax(c->spring_rate * c->now, -sim->options.push_speed);
    add_normal(sim, c,
               -c->mass_n * c->mass_scale * (speed + rate) - c->impulse_scale * c->normal_sum);
}

/** After they have moved: neither approach nor a speed that the push has left. */
static void solve_rest(ov_sim *sim, const ovi_mover *a, const ovi_mover *b, ovi_sim_contact *c,
                       double h) {
    double speed = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    if (c->restitution > 0.0 && speed < -sim->bounce_speed && c->normal_sum == 0.0) {
        return; // the next substep begins with its bounce
    }
    double least = -fmax(c->now, 0.0) / h;
    double excess = speed < least ? speed - least : fmax(speed, 0.0);
    add_normal(sim, c, -c->mass_n * excess);
}

static void solve_friction(ov_sim *sim, const ovi_mover *a, const ovi_mover *b,
                           ovi_sim_contact *c) {
    ov_vec3 v = relative_speed(a, b, c);
    double v1 = ov_vec3_dot(c->tangent1, v), v2 = ov_vec3_dot(c->tangent2, v);
    double s1 = c->tangent_sum[0] - c->mass_t * v1, s2 = c->tangent_sum[1] - c->mass_t * v2;
    double most = c->friction * c->normal_sum, square = s1 * s1 + s2 * s2;
    if (square > most * most) {
        double cut = most / sqrt(square);
        s1 *= cut;
        s2 *= cut;
    }
    push_along(sim, c, 1, s1 - c->tangent_sum[0]);
    push_along(sim, c, 2, s2 - c->tangent_sum[1]);
    c->tangent_sum[0] = s1;
    c->tangent_sum[1] = s2;
}

/** A torque against the relative turning, of at most the arm times the normal impulse. */
static void solve_rolling(ovi_mover *a, ovi_mover *b, ovi_sim_contact *c) {
    ov_vec3 w = ov_vec3_sub(b->w, a->w);
    double square = ov_vec3_dot(w, w);
    if (!(square > 0.0)) {
        return;
    }
    ov_vec3 u = ov_vec3_scale(w, 1.0 / sqrt(square));
    double k = ov_vec3_dot(u, ovi_sym3_mul(&a->inv_inertia, u)) +
               ov_vec3_dot(u, ovi_sym3_mul(&b->inv_inertia, u));
    ov_vec3 sum = ov_vec3_add_scaled(c->rolling_sum, w, -1.0 / k);
    double most = c->rolling * c->normal_sum, length = ov_vec3_length(sum);
    if (length > most) {
        sum = ov_vec3_scale(sum, most / length);
    }
    ov_vec3 add = ov_vec3_sub(sum, c->rolling_sum), none = {0, 0, 0};
    c->rolling_sum = sum;
    ovi_mover_push(a, none, ov_vec3_neg(add));
    ovi_mover_push(b, none, add);
}

void ovi_contacts_solve(ov_sim *sim, double h, bool soft) {
    for (size_t i = 0; i < sim->contacts.count; i++) {
        ovi_sim_contact *c = &sim->contacts.items[i];
        ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
        if (!soft && c->slid) {
            continue; // nothing is known about where it is now
        }
        if (c->rolling > 0.0) {
            solve_rolling(a, b, c);
        }
        solve_friction(sim, a, b, c);
        if (soft) {
            solve_push(sim, a, b, c, h);
        } else {
            solve_rest(sim, a, b, c, h);
        }
    }
}

/* ---- bounces */

/** An impulse that gives a contact the speed wanted, and what the joints of both bodies answer. */
static void bounce(ov_sim *sim, ovi_sim_contact *c, double wanted, bool joints) {
    ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
    double before = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    double impulse = c->mass_n * (wanted - before);
    push(a, b, c, ov_vec3_scale(c->normal, impulse));
    if (!joints) {
        return;
    }
    // the answer is linear: what the first impulse did tells how much more it takes
    ovi_forest_solve(sim, OVI_PHASE_LAST);
    double after = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    if (after - before > 1e-6 * (wanted - before) && after < wanted) {
        impulse *= (wanted - after) / (after - before);
        push(a, b, c, ov_vec3_scale(c->normal, impulse));
        ovi_forest_solve(sim, OVI_PHASE_LAST);
    }
}

void ovi_contacts_bounce(ov_sim *sim, double h) {
    enum { ROUNDS = 64 };
    double slow = sim->bounce_speed;
    bool joints = sim->forest.count > 0;
    double pull = 0.5 * h * ov_vec3_length(sim->options.gravity); // that the kick may add
    for (int round = 0; round < ROUNDS; round++) {
        bool any = false;
        for (size_t i = 0; i < sim->contacts.count; i++) {
            ovi_sim_contact *c = &sim->contacts.items[i];
            if (!(c->restitution > 0.0)) {
                continue;
            }
            const ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
            double speed = ov_vec3_dot(c->normal, relative_speed(a, b, c));
            if (speed < -slow && c->now + h * (speed - pull) < 0.0) {
                bool held = sim->bodies[c->a].in_order || sim->bodies[c->b].in_order;
                bounce(sim, c, -c->restitution * speed, joints && held);
                any = true;
            }
        }
        if (!any) {
            return;
        }
    }
}

/** Gaps and arms at the present poses. A point of contact does not turn with a body that rolls, so
 *  the arms do not either; the gap changes as the speeds of the points tell. */
void ovi_contacts_update(ov_sim *sim, double h) {
    for (size_t i = 0; i < sim->contacts.count; i++) {
        ovi_sim_contact *c = &sim->contacts.items[i];
        const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
        ov_vec3 turn_a = ov_vec3_scale(a->w_mid, h), turn_b = ov_vec3_scale(b->w_mid, h);
        ov_vec3 way_a = ov_vec3_add(ov_vec3_sub(a->x, a->x0), ov_vec3_cross(turn_a, c->arm_a));
        ov_vec3 way_b = ov_vec3_add(ov_vec3_sub(b->x, b->x0), ov_vec3_cross(turn_b, c->arm_b));
        c->now = c->gap + ov_vec3_dot(c->normal, ov_vec3_sub(way_b, way_a));
        // one common point, the nearer to that of a body the smaller it is
        ov_vec3 pa = ov_vec3_add(a->x, c->arm_a), pb = ov_vec3_add(b->x, c->arm_b);
        double ra = a->reach > 0.0 ? 1.0 / a->reach : 0.0,
               rb = b->reach > 0.0 ? 1.0 / b->reach : 0.0;
        ov_vec3 apart = ov_vec3_sub(pb, pa);
        ov_vec3 point = ov_vec3_add_scaled(pa, apart, rb / (ra + rb));
        c->arm_a = ov_vec3_sub(point, a->x);
        c->arm_b = ov_vec3_sub(point, b->x);
        c->slid = ov_vec3_length(apart) * ra * rb > 0.25 * (ra + rb) ||
                  fmax(ov_vec3_dot(turn_a, turn_a) * (a->round ? 0.0 : 1.0),
                       ov_vec3_dot(turn_b, turn_b) * (b->round ? 0.0 : 1.0)) > 1.0;
        c->now = c->slid ? c->gap : c->now;
        if (fmax(ov_vec3_dot(turn_a, turn_a), ov_vec3_dot(turn_b, turn_b)) > 0.01) {
            find_masses(sim, c); // else they are near enough
        }
    }
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
