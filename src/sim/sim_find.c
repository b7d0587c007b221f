/**
 * @file sim_find.c
 * @brief Contacts are found: by the world, and matched with those before.
 *
 * A search costs more than a substep of a solver. In the accurate mode every substep has one. In
 * the fast mode the first substep of a frame has, with a margin for the whole frame, and the gaps
 * are followed by the motions of the points of contact; a substep has another search where that is
 * no longer good enough (`stale` of ovi_sim_contacts).
 */
#include <math.h>
#include <string.h>

#include "../world/world_internal.h"
#include "sim_internal.h"

void ovi_contacts_free(ov_sim *sim) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sim_contacts *c = &sim->contacts;
    ovi_contact_list_free(by, &c->now);
    ovi_contact_list_free(by, &c->old);
    ovi_release(by, c->table, c->table_room, sizeof *c->table);
    ovi_release(by, c->in_trees, c->in_tree_room, sizeof *c->in_trees);
    ovi_release(by, c->answers, c->answer_room, sizeof *c->answers);
    ovi_release(by, c->placings, c->placing_room, sizeof *c->placings);
    ovi_release(by, c->taken, c->taken_room, sizeof *c->taken);
}

/** What is worth a thread: bodies, contacts. */
enum { BODIES_PER_THREAD = 256, CONTACTS_PER_THREAD = 256 };

/* ---- contacts of the last search */

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_of(uint32_t a, uint32_t part_a, uint32_t b, uint32_t part_b) {
    return mix((uint64_t)a << 32 | b) + mix((uint64_t)part_a << 32 | part_b);
}

/** Puts old contacts in the table, the first one of each pair. Where it comes to be there depends
 * on which thread was first, but not whether it is found. */
static void note_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    ovi_sim_contacts *c = &((ov_sim *)context)->contacts;
    for (size_t i = begin; i < end; i++) {
        const ovi_sim_contact *old = &c->old.items[i];
        if (i > 0 && old[-1].points > 1) {
            continue; // of the same pair
        }
        uint64_t at = hash_of(old->a, old->part_a, old->b, old->part_b) & c->table_mask;
        uint32_t none = 0;
        while (!atomic_compare_exchange_strong_explicit(
            &c->table[at], &none, (uint32_t)(i + 1), memory_order_relaxed, memory_order_relaxed)) {
            at = (at + 1) & c->table_mask;
            none = 0;
        }
    }
}

/** Makes the present contacts the old ones, with a table of their pairs. */
static bool keep_old(ov_sim *sim) {
    ovi_sim_contacts *c = &sim->contacts;
    size_t room = 16;
    while (room < 2 * c->pairs) {
        room *= 2;
    }
    if (!ovi_sim_room(&sim->options.allocator, &c->table, &c->table_room, room, sizeof *c->table)) {
        return false;
    }
    ovi_contact_list free = c->old;
    c->old = c->now;
    c->now = free;
    c->now.count = 0;
    memset(c->first, 0, sizeof c->first);
    c->table_mask = room - 1;
    memset(c->table, 0, room * sizeof *c->table);
    ovi_ranges_run(note_range, sim, c->old.count, CONTACTS_PER_THREAD, &sim->options.threads);
    return true;
}

/** The first old contact of a pair, or null. */
static const ovi_sim_contact *find_old(const ovi_sim_contacts *c, uint32_t a, uint32_t part_a,
                                       uint32_t b, uint32_t part_b) {
    uint64_t at = hash_of(a, part_a, b, part_b) & c->table_mask;
    for (;; at = (at + 1) & c->table_mask) {
        uint32_t entry = atomic_load_explicit(&c->table[at], memory_order_relaxed);
        if (entry == 0) {
            return NULL;
        }
        const ovi_sim_contact *old = &c->old.items[entry - 1];
        if (old->a == a && old->b == b && old->part_a == part_a && old->part_b == part_b) {
            return old;
        }
    }
}

void ovi_contacts_forget(ov_sim *sim, uint32_t body) {
    ovi_sim_contacts *c = &sim->contacts;
    ovi_contact_list *now = &c->now;
    size_t kept = 0, i = 0;
    for (int colour = 0; colour < OVI_COLOURS; colour++) {
        size_t end = c->first[colour + 1];
        c->first[colour] = kept;
        for (; i < end; i++) {
            if (now->items[i].a != body && now->items[i].b != body) {
                now->items[kept] = now->items[i];
                now->records[kept++] = now->records[i];
            }
        }
    }
    now->count = c->first[OVI_COLOURS] = kept;
}

/* ---- finding contacts */

/** A look at all bodies before a search. */
typedef struct body_look {
    ov_sim *sim;
    double ahead, pull;
    double limit;  /**< how far ahead contacts are looked for */
    double margin; /**< the least one of a free body */
    double most;   /**< that a quiet body has moved by */
    // of the bodies that each thread has seen
    double furthest[OV_THREADS_MAX], least[OV_THREADS_MAX];
} body_look;

/** How far bodies may go until the next search: twice what their speeds tell. In the fast mode all
 *  are looked for once more where one goes further. One that trembles may have any speed now, so it
 *  gets what it has needed lately. */
static void find_margins(void *context, unsigned index, size_t begin, size_t end) {
    body_look *look = context;
    bool fast = look->sim->options.mode == OV_SIM_MODE_FAST;
    double furthest = look->furthest[index], least = look->least[index];
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &look->sim->bodies[i];
        const ovi_mover *m = &look->sim->movers[i];
        if (!body->used || body->in_world == 0) {
            continue;
        }
        body->lately = fmax(2.0 * body->way, 0.9 * body->lately);
        double way = look->ahead * (ovi_sim_speed(body, m) + look->pull);
        body->margin = fmax(2.0 * way, fast ? body->lately : 0.0);
        furthest = fmax(furthest, fmax(way, fast ? body->lately : 0.0));
        least = ovi_is_free(m) ? fmin(least, body->radius) : least;
    }
    look->furthest[index] = furthest;
    look->least[index] = least;
}

/* ---- what need not be asked again
 *
 * A body is quiet while it is within a small distance of where it was when all of its contacts were
 * last asked for. Of two quiet bodies no point has come nearer to the other body, since their
 * contacts were found, than by four such distances: each was within one of its place then, and is
 * now. The gaps follow the motion of the points meanwhile, so that they are off by no more than
 * twice that, for smooth bodies by the square of it times their curvature. */

/** That distance, in units of the least extent of the smallest body. */
static double quiet_share(const ov_sim *sim) {
    return sim->options.mode == OV_SIM_MODE_ACCURATE ? 1e-4 : 2e-3;
}

static void find_quiet(ovi_sim_body *body, bool free, double most) {
    ov_quat turn = ovi_quat_product(body->q, ov_quat_conjugate(body->asked_q));
    double sine = ovi_length(ov_vec3_make(turn.x, turn.y, turn.z));
    // of half the angle; twice that sine, and a half more, are above small angles
    double way = ovi_length(ov_vec3_sub(body->x, body->asked_x)) + body->reach * 2.5 * sine;
    // what joints and limits do in one substep may be as far: their bodies are asked always
    body->quiet = !body->in_order && (free ? way <= most : way == 0.0);
    if (!body->quiet) {
        body->asked_x = body->x;
        body->asked_q = body->q;
    }
}

/** The bodies as the search needs them: margins, what is quiet, poses for the world. */
static void look_at_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const body_look *look = context;
    ov_sim *sim = look->sim;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        bool free = ovi_is_free(&sim->movers[i]);
        double margin = free ? fmax(body->margin, look->margin) : body->margin;
        body->margin = fmin(margin, 0.5 * look->limit); // two of them are no more than is searched
        find_quiet(body, free, look->most);
        body->way = body->turn = 0.0;
        bool moves =
            body->used && body->in_world != 0 && (body->kinematic || free) && !body->asleep;
        sim->moved[i] = moves ? body->in_world : 0;
        if (moves) {
            sim->moved_poses[i] = ovi_sim_pose(body);
        }
        uint64_t in_tree = body->in_order ? UINT64_C(1) << OVI_TAKEN_TREE : 0;
        sim->contacts.taken[i] = in_tree | (free ? 0 : UINT64_C(1) << OVI_TAKEN_HELD);
    }
}

/** How far ahead contacts are looked for, where no body goes further than `furthest` until the next
 *  search. It is not below a part of the size of the smallest body, nor above another: what is
 *  faster is swept. In the fast mode, where each pair has a limit of its own (contact_limit), a
 *  larger one than needed costs little, but if it grows, the world has to look for neighbours of
 * all bodies: so it does not follow the fastest body up and down. */
static double search_limit(const ov_sim *sim, double furthest, double least) {
    double last = sim->contacts.limit, most = 0.5 * least;
    double needed = fmin(fmax(2.0 * furthest, 0.02 * least), most);
    if (sim->options.mode == OV_SIM_MODE_ACCURATE || last == 0.0) {
        return needed;
    }
    return needed > last ? fmin(1.25 * needed, most) : fmin(fmax(needed, 0.97 * last), most);
}

/** Finds out what a search needs to know of the bodies. */
static void look_at_bodies(ov_sim *sim, double ahead) {
    body_look look = {
        .sim = sim, .ahead = ahead, .pull = ahead * ov_vec3_length(sim->options.gravity)};
    for (int i = 0; i < OV_THREADS_MAX; i++) {
        look.least[i] = INFINITY;
    }
    const ov_threads *threads = &sim->options.threads;
    ovi_ranges_run(find_margins, &look, sim->body_count, BODIES_PER_THREAD, threads);
    double furthest = 0.0, least = INFINITY;
    for (int i = 0; i < OV_THREADS_MAX; i++) {
        furthest = fmax(furthest, look.furthest[i]);
        least = fmin(least, look.least[i]);
    }
    if (least < INFINITY) {
        look.limit = search_limit(sim, furthest, least);
        look.margin = 0.02 * least;
        look.most = quiet_share(sim) * least;
    }
    sim->contacts.limit = look.limit;
    ovi_ranges_run(look_at_range, &look, sim->body_count, BODIES_PER_THREAD, threads);
}

/** Moves the bodies of the world to their poses. */
static ov_status move_world(ov_sim *sim) {
    size_t count = 0;
    for (size_t i = 0; i < sim->body_count; i++) {
        if (sim->moved[i] != 0) {
            sim->moved[count] = sim->moved[i];
            sim->moved_poses[count++] = sim->moved_poses[i];
        }
    }
    size_t done;
    return ov_world_move_all(sim->world, sim->moved, sim->moved_poses, count, &done);
}

static uint32_t slot_of(const ov_sim *sim, ov_body body) {
    return sim->world_slots[(body >> 32) - 1];
}

static bool is_live(const ov_sim *sim, uint32_t slot) {
    return ovi_is_free(&sim->movers[slot]) && !sim->bodies[slot].asleep;
}

static bool has_slid(const ovi_sim_contact *first) {
    bool slid = false;
    for (int i = 0; i < first->points; i++) {
        slid = slid || first[i].slid;
    }
    return slid;
}

/** How far apart two bodies may be for a contact: in the fast mode, as far as they may go until the
 *  next search. In the accurate mode what is hit may be fast before the next search. */
static double contact_limit(const ov_sim *sim, uint32_t a, uint32_t b) {
    return sim->options.mode == OV_SIM_MODE_ACCURATE
               ? sim->contacts.limit
               : sim->bodies[a].margin + sim->bodies[b].margin;
}

/** What the world does about a pair: no query where nothing that moves takes part, and where the
 *  contacts of quiet bodies are known. These are the old ones from the number `known` on. */
static ovi_asking choose_pair(const void *context, ov_body of_a, uint32_t part_a, ov_body of_b,
                              uint32_t part_b, double lower, uint32_t *known) {
    const ov_sim *sim = context;
    uint32_t a = slot_of(sim, of_a), b = slot_of(sim, of_b);
    const ovi_sim_body *body_a = &sim->bodies[a], *body_b = &sim->bodies[b];
    if (!(is_live(sim, a) || is_live(sim, b) || body_a->kinematic || body_b->kinematic) ||
        lower > contact_limit(sim, a, b) || ovi_sim_is_filtered(sim, a, b)) {
        return OVI_ASK_NOT;
    }
    if (!body_a->quiet || !body_b->quiet || body_a->asleep || body_b->asleep) {
        return OVI_ASK;
    }
    const ovi_sim_contact *old = find_old(&sim->contacts, a, part_a, b, part_b);
    if (old == NULL || has_slid(old)) {
        return OVI_ASK;
    }
    *known = (uint32_t)(old - sim->contacts.old.items);
    return OVI_ASK_KNOWN;
}

/** Places of a point: arms to one that divides the gap as following it does, so that they lead to
 *  where the bodies touch when they have closed the gap. */
static void place(const ov_sim *sim, ovi_sim_contact *c, ovi_contact_record *r,
                  const ov_manifold_point *found) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    double ra = ovi_inverse_reach(a), rb = ovi_inverse_reach(b);
    ov_vec3 apart = ov_vec3_sub(found->point_b, found->point_a);
    ov_vec3 common = ov_vec3_add_scaled(found->point_a, apart, rb / (ra + rb));
    c->arm_a = ov_vec3_sub(common, a->x);
    c->arm_b = ov_vec3_sub(common, b->x);
    c->now = found->gap;
    r->key = found->id;
    r->gap = found->gap;
    r->found_a = c->arm_a;
    r->found_b = c->arm_b;
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
static void wander(const ov_sim *sim, const ovi_sim_contact *c, ovi_contact_record *r,
                   const ovi_contact_record *old) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    double time = old->age;
    double turn = ovi_length(ov_vec3_sub(sim->movers[c->b].w, sim->movers[c->a].w));
    if (time > 0.0) {
        r->wander_a = wander_of(c->arm_a, old->found_a, time, turn * a->reach);
        r->wander_b = wander_of(c->arm_b, old->found_b, time, turn * b->reach);
    }
}

/** Impulses of the same contact before, along the new tangents. */
static void inherit(ovi_sim_contact *c, const ovi_sim_contact *old) {
    ov_vec3 other = ov_vec3_add(ov_vec3_scale(old->tangent1, old->other_tangent[0]),
                                ov_vec3_scale(old->tangent2, old->other_tangent[1]));
    ov_vec3 all = ov_vec3_add(ov_vec3_scale(old->tangent1, old->tangent_sum[0]),
                              ov_vec3_scale(old->tangent2, old->tangent_sum[1]));
    c->other_normal = old->other_normal;
    c->normal_sum = old->normal_sum;
    c->other_tangent[0] = ov_vec3_dot(other, c->tangent1);
    c->other_tangent[1] = ov_vec3_dot(other, c->tangent2);
    c->tangent_sum[0] = ov_vec3_dot(all, c->tangent1);
    c->tangent_sum[1] = ov_vec3_dot(all, c->tangent2);
    c->rolling_sum = old->rolling_sum;
    c->other_rolling = old->other_rolling;
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

/** What is to be done with a contact of the world's. */
typedef enum wish { WISH_NONE, WISH_SOLVE, WISH_WAKE } wish;

/** Contacts of bodies that sleep are not solved; where these are touched, they wake. */
static wish wish_of(const ov_sim *sim, const ov_world_contact *found, uint32_t slot_a,
                    uint32_t slot_b, double h) {
    const ovi_sim_body *a = &sim->bodies[slot_a], *b = &sim->bodies[slot_b];
    bool live_a = is_live(sim, slot_a), live_b = is_live(sim, slot_b);
    bool led = a->kinematic || b->kinematic;
    bool far = found->contact.gap > contact_limit(sim, slot_a, slot_b);
    if (!(found->contact.status >= 0) || far || !(live_a || live_b || led) ||
        ovi_sim_is_filtered(sim, slot_a, slot_b)) {
        return WISH_NONE;
    }
    if (a->asleep || b->asleep) {
        double speed =
            approach_of(sim, slot_a, slot_b, found->contact.point_a, found->contact.normal);
        bool hit = found->contact.gap + h * speed <= 0.0 && (live_a || live_b || fabs(speed) > 0.0);
        // what is led carries along what lies on it, and may leave it in the air
        uint32_t asleep = a->asleep ? slot_a : slot_b, other = a->asleep ? slot_b : slot_a;
        bool carried =
            ovi_island_is_led(sim, other) && found->contact.gap <= ovi_island_reach(sim, asleep);
        return hit || carried ? WISH_WAKE : WISH_NONE;
    }
    return live_a || live_b ? WISH_SOLVE : WISH_NONE;
}

/** What a search has found, and what becomes of it. */
typedef struct taking {
    ov_sim *sim;
    const ov_manifold_set *set;
    double h;
    atomic_size_t points; /**< of the contacts that are taken over */
    atomic_bool wakes;    /**< a body that sleeps is touched */
} taking;

/** Looks which findings are taken over, and how many points they have. */
static void choose_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    taking *t = context;
    const ov_sim *sim = t->sim;
    size_t points = 0;
    for (size_t i = begin; i < end; i++) {
        ovi_finding finding = sim->world->findings[i];
        uint32_t number = ovi_number_of(finding);
        ovi_placing *p = &sim->contacts.placings[i];
        if (ovi_is_known(finding)) {
            const ovi_sim_contact *old = &sim->contacts.old.items[number];
            *p = (ovi_placing){.a = old->a, .b = old->b, .count = old->points};
        } else {
            const ov_world_contact *found = &t->set->contacts[number];
            size_t count = t->set->first[number + 1] - t->set->first[number];
            *p = (ovi_placing){
                .a = slot_of(sim, found->a), .b = slot_of(sim, found->b), .count = (uint8_t)count};
            wish w = wish_of(sim, found, p->a, p->b, t->h);
            if (w == WISH_WAKE) {
                atomic_store(&t->wakes, true);
            }
            p->count = w == WISH_SOLVE ? p->count : 0;
        }
        points += p->count;
    }
    atomic_fetch_add(&t->points, points);
}

/** Wakes what is touched, in the order of the contacts. */
static void wake_touched(const taking *t) {
    ov_sim *sim = t->sim;
    for (size_t i = 0; i < t->set->count; i++) {
        const ov_world_contact *found = &t->set->contacts[i];
        uint32_t a = slot_of(sim, found->a), b = slot_of(sim, found->b);
        if (wish_of(sim, found, a, b, t->h) == WISH_WAKE) {
            ovi_island_wake(sim, sim->bodies[a].asleep ? a : b);
        }
    }
}

/** The first colour that neither of two bodies has; bodies that are not free have none. */
static uint8_t colour_of(uint64_t *a, uint64_t *b) {
    uint64_t used = *a | *b;
    if ((used >> OVI_TAKEN_TREE & 1u) != 0) {
        return OVI_COLOUR_TREES;
    }
    uint8_t colour = 0;
    while (colour < OVI_COLOUR_REST && (used >> colour & 1u) != 0) {
        colour++;
    }
    if (colour < OVI_COLOUR_REST) {
        *a |= (uint64_t)(~*a >> OVI_TAKEN_HELD & 1u) << colour;
        *b |= (uint64_t)(~*b >> OVI_TAKEN_HELD & 1u) << colour;
    }
    return colour;
}

/** Colours what is taken over. Few contacts are solved in their order, which is that of the bodies:
 *  stacks that were built from below converge best so. */
static void colour_all(ovi_sim_contacts *c, size_t count, size_t points) {
    enum { FEW = 512 };
    for (size_t i = 0; i < count; i++) {
        ovi_placing *p = &c->placings[i];
        if (p->count == 0) {
            continue;
        }
        uint64_t *a = &c->taken[p->a], *b = &c->taken[p->b];
        *a |= UINT64_C(1) << OVI_TAKEN_TOUCH;
        *b |= UINT64_C(1) << OVI_TAKEN_TOUCH;
        p->colour = points >= FEW                             ? colour_of(a, b)
                    : ((*a | *b) >> OVI_TAKEN_TREE & 1u) != 0 ? OVI_COLOUR_TREES
                                                              : OVI_COLOUR_REST;
    }
}

/** Places of all contacts: by colours, and in their order within one. */
static void place_all(ovi_sim_contacts *c, size_t count) {
    size_t next[OVI_COLOURS + 1] = {0};
    c->pairs = 0;
    for (size_t i = 0; i < count; i++) {
        next[c->placings[i].colour] += c->placings[i].count;
        c->pairs += c->placings[i].count > 0;
    }
    c->now.count = 0;
    for (int k = 0; k < OVI_COLOURS; k++) {
        c->first[k] = c->now.count;
        c->now.count += next[k];
        next[k] = c->first[k];
    }
    c->first[OVI_COLOURS] = c->now.count;
    for (size_t i = 0; i < count; i++) {
        c->placings[i].place = (uint32_t)next[c->placings[i].colour];
        next[c->placings[i].colour] += c->placings[i].count;
    }
}

/** What all points of a contact of the world's have in common. */
static ovi_sim_contact first_of(const ov_sim *sim, const ovi_placing *p,
                                const ov_world_contact *found) {
    const ov_sim_body_def *a = &sim->bodies[p->a].def, *b = &sim->bodies[p->b].def;
    ov_mat3 frame = ov_mat3_householder(found->contact.normal);
    return (ovi_sim_contact){.a = p->a,
                             .b = p->b,
                             .part_a = found->part_a,
                             .part_b = found->part_b,
                             .held = !ovi_is_free(&sim->movers[p->a]) ||
                                     !ovi_is_free(&sim->movers[p->b]),
                             .bounces = a->restitution > 0.0 || b->restitution > 0.0,
                             .in_tree = p->colour == OVI_COLOUR_TREES,
                             .normal = found->contact.normal,
                             .tangent1 = frame.cy,
                             .tangent2 = frame.cz,
                             .friction = sqrt(a->friction * b->friction),
                             .rolling = fmax(a->rolling, b->rolling)};
}

/** Takes over the points of a contact that the world has found. */
static void take_points(ov_sim *sim, const ovi_placing *p, const ov_world_contact *found,
                        const ov_manifold_point *points, const ov_vec3 *normals) {
    ovi_sim_contacts *all = &sim->contacts;
    ovi_sim_contact like = first_of(sim, p, found);
    ovi_contact_record blank = {
        .restitution = fmax(sim->bodies[p->a].def.restitution, sim->bodies[p->b].def.restitution)};
    const ovi_sim_contact *old = find_old(all, p->a, found->part_a, p->b, found->part_b);
    const ovi_contact_record *old_records =
        old != NULL ? &all->old.records[old - all->old.items] : NULL;
    int known = old != NULL ? old->points : 0;
    for (int k = 0; k < p->count; k++) {
        ovi_sim_contact *c = &all->now.items[p->place + (uint32_t)k];
        ovi_contact_record *r = &all->now.records[p->place + (uint32_t)k];
        *c = like;
        *r = blank;
        if (normals != NULL) {
            ov_mat3 frame = ov_mat3_householder(normals[k]);
            c->normal = normals[k];
            c->tangent1 = frame.cy, c->tangent2 = frame.cz;
        }
        c->points = (uint8_t)(p->count - k);
        place(sim, c, r, &points[k]);
        for (int i = 0; i < known; i++) {
            if (old_records[i].key == r->key) {
                inherit(c, &old[i]);
                wander(sim, c, r, &old_records[i]);
                break;
            }
        }
        ovi_contact_find_masses(sim, c);
    }
}

/** Goes on with the points of a pair that was not asked for. */
static void take_known(ov_sim *sim, const ovi_placing *p, uint32_t old) {
    ovi_sim_contacts *all = &sim->contacts;
    ovi_sim_contact *items = &all->now.items[p->place];
    memcpy(items, &all->old.items[old], p->count * sizeof *items);
    memcpy(&all->now.records[p->place], &all->old.records[old],
           p->count * sizeof *all->now.records);
    for (int k = 0; k < p->count; k++) {
        if (items[k].in_tree) { // until now: the masses were those of the tree
            items[k].in_tree = false;
            ovi_contact_find_masses(sim, &items[k]);
        }
    }
}

static void take_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const taking *t = context;
    ov_sim *sim = t->sim;
    ovi_sim_contacts *all = &sim->contacts;
    bool bounce = false;
    for (size_t i = begin; i < end; i++) {
        const ovi_placing *p = &all->placings[i];
        ovi_finding finding = sim->world->findings[i];
        uint32_t number = ovi_number_of(finding);
        if (p->count == 0) {
            continue;
        }
        if (ovi_is_known(finding)) {
            take_known(sim, p, number);
        } else {
            size_t first = t->set->first[number];
            const ov_vec3 *normals = t->set->normals;
            take_points(sim, p, &t->set->contacts[number], &t->set->points[first],
                        normals != NULL ? &normals[first] : NULL);
        }
        bounce = bounce || all->now.items[p->place].bounces;
    }
    if (bounce) {
        atomic_store(&all->any_bounce, true);
    }
}

/** Contacts of the world that are to be taken over. Where one wakes an island, that has to be asked
 *  for too. */
static ov_status ask_world(taking *t, ov_manifold_set *set) {
    ov_sim *sim = t->sim;
    ovi_sim_contacts *c = &sim->contacts;
    const ovi_pair_choice choice = {choose_pair, sim};
    for (;;) {
        sim->world->choice = &choice;
        ov_status status = ov_world_manifolds(sim->world, c->limit, set);
        sim->world->choice = NULL;
        if (status < 0) {
            return status;
        }
        size_t count = sim->world->finding_count;
        if (!ovi_sim_room(&sim->options.allocator, &c->placings, &c->placing_room, count,
                          sizeof *c->placings)) {
            return OV_ERROR_MEMORY;
        }
        atomic_store(&t->points, 0);
        atomic_store(&t->wakes, false);
        ovi_ranges_run(choose_range, t, count, CONTACTS_PER_THREAD, &sim->options.threads);
        if (!atomic_load(&t->wakes)) {
            return OV_OK;
        }
        wake_touched(t); // all contacts are taken once more
    }
}

static bool reserve_list(const ov_allocator *by, ovi_contact_list *list, size_t count) {
    return ovi_sim_room(by, &list->items, &list->item_room, count, sizeof *list->items) &&
           ovi_sim_room(by, &list->records, &list->record_room, count, sizeof *list->records);
}

ov_status ovi_contacts_find(ov_sim *sim, double h, double ahead) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sim_contacts *c = &sim->contacts;
    size_t n = sim->body_count;
    if (!ovi_sim_room(by, &sim->moved, &sim->moved_room, n, sizeof *sim->moved) ||
        !ovi_sim_room(by, &sim->moved_poses, &sim->moved_pose_room, n, sizeof *sim->moved_poses) ||
        !ovi_sim_room(by, &c->taken, &c->taken_room, n, sizeof *c->taken)) {
        return OV_ERROR_MEMORY;
    }
    look_at_bodies(sim, ahead);
    ov_status status = move_world(sim);
    if (status >= 0 && !keep_old(sim)) {
        status = OV_ERROR_MEMORY;
    }
    ov_manifold_set set;
    taking t = {.sim = sim, .set = &set, .h = h};
    status = status < 0 ? status : ask_world(&t, &set);
    if (status < 0) {
        return status;
    }
    size_t points = atomic_load(&t.points);
    if (!reserve_list(by, &c->now, points)) {
        return OV_ERROR_MEMORY;
    }
    size_t count = sim->world->finding_count;
    colour_all(c, count, points);
    place_all(c, count);
    atomic_store(&c->any_bounce, false);
    atomic_store(&c->stale, false);
    ovi_ranges_run(take_range, &t, count, CONTACTS_PER_THREAD, &sim->options.threads);
    return OV_OK;
}

/* ---- what a caller asks */

size_t ov_sim_contacts(const ov_sim *sim, ov_sim_contact *contacts, size_t room) {
    size_t count = sim != NULL ? sim->contacts.now.count : 0;
    for (size_t i = 0; contacts != NULL && i < count && i < room; i++) {
        const ovi_sim_contact *c = &sim->contacts.now.items[i];
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
