/**
 * @file sim_sweep.c
 * @brief Fast bodies: what could pass through something within a substep is swept along its path.
 *
 * Contacts are looked for within a margin at the substep's start. A body that moves further than
 * that, and further than half of its own least extent, could pass what it did not see. Its path in
 * the substep, with the rotation, is swept against everything near it (ov_sweep_bodies), and the
 * body goes only as far as that is proven to be free. It keeps its velocity; in the next substep
 * the obstacle is within the margin, and a contact. Bodies that are connected by joints stop
 * together.
 *
 * A pair that is a contact already may slide and turn, but the fast body stays on its side of the
 * contact's plane, to a quarter of its least extent: so far its support along the normal may go.
 */
#include <math.h>

#include "../world/geometry.h"
#include "sim_internal.h"

static double displacement(const ov_sim *sim, size_t slot, double h) {
    const ovi_mover *m = &sim->movers[slot];
    return h * (ovi_length(m->v) + sim->bodies[slot].reach * ovi_length(sim->bodies[slot].w_mid));
}

static bool is_fast(const ov_sim *sim, size_t slot, double h) {
    const ovi_sim_body *body = &sim->bodies[slot];
    if (!body->used || body->asleep || body->in_world == 0 || body->def.no_contacts ||
        !ovi_is_free(&sim->movers[slot])) {
        return false;
    }
    return displacement(sim, slot, h) > 0.5 * fmax(sim->contacts.limit, body->radius);
}

/** Motion of a body's centre of mass over the substep, whose time is from 0 to 1; one that was
 *  stopped rests from then on. Null if it does not move. */
static ov_status motion_of(const ov_sim *sim, uint32_t slot, ov_motion **motion) {
    const ovi_sim_body *body = &sim->bodies[slot];
    ov_pose from = {body->x0, body->q0}, to = {body->x, body->q};
    *motion = NULL;
    if (ovi_is_same_pose(&from, &to) || body->asleep) {
        return OV_OK;
    }
    double stop = body->fraction;
    const ov_pose poses[3] = {from, to, to};
    const double times[3] = {0.0, stop, 1.0};
    if (!(stop > 1e-9)) {
        return OV_OK;
    }
    return ov_motion_create_keys(poses, times, stop < 1.0 ? 3 : 2, OV_SPLINE_LINEAR,
                                 &sim->options.allocator, motion);
}

static bool has_halfspace(const ovi_sim_body *body) {
    return body->def.geometry->bounded < body->def.geometry->count;
}

/** A body of the sweep; the geometry's frame in that of the centre of mass. */
static ov_status fill_body(ov_sim *sim, uint32_t slot, bool first, size_t at) {
    const ovi_sim_body *body = &sim->bodies[slot];
    ov_status status = OV_OK;
    sim->sweep.motions[at] = NULL;
    if (!has_halfspace(body)) {
        status = motion_of(sim, slot, &sim->sweep.motions[at]);
    }
    ov_sweep_body swept_body = {.geometry = body->def.geometry,
                                .motion = sim->sweep.motions[at],
                                .group = first ? 1 : 2,
                                .mask = first ? 2 : 1};
    if (sim->sweep.motions[at] != NULL) {
        swept_body.pose.position = ov_vec3_neg(body->def.mass.centroid);
    } else {
        ov_vec3 c = ovi_quat_turn(body->q0, body->def.mass.centroid);
        swept_body.pose = (ov_pose){ov_vec3_sub(body->x0, c), body->q0};
    }
    sim->sweep.bodies[at] = swept_body;
    return status;
}

/** Are two bodies a contact already, or none for other reasons? */
static bool is_settled(const ov_sim *sim, uint32_t fast, uint32_t other) {
    const ov_sim_body_def *a = &sim->bodies[fast].def, *b = &sim->bodies[other].def;
    if (fast == other || b->no_contacts || (a->group & b->mask) == 0 || (b->group & a->mask) == 0 ||
        ovi_sim_is_filtered(sim, fast, other)) {
        return true;
    }
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        const ovi_sim_contact *c = &sim->contacts.now.items[i];
        if ((c->a == fast && c->b == other) || (c->a == other && c->b == fast)) {
            return true;
        }
    }
    return false;
}

static bool reserve(ov_sim *sim, size_t room) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sweep_scratch *s = &sim->sweep;
    return ovi_sim_room(by, &s->found, &s->found_room, room, sizeof *s->found) &&
           ovi_sim_room(by, &s->bodies, &s->body_room, room, sizeof *s->bodies) &&
           ovi_sim_room(by, &s->motions, &s->motion_room, room, sizeof *s->motions);
}

void ovi_sweep_free(ov_sim *sim) {
    const ov_allocator *by = &sim->options.allocator;
    ovi_sweep_scratch *s = &sim->sweep;
    ovi_release(by, s->found, s->found_room, sizeof *s->found);
    ovi_release(by, s->bodies, s->body_room, sizeof *s->bodies);
    ovi_release(by, s->motions, s->motion_room, sizeof *s->motions);
}

/** Fills in the fast body and what is near its path; `*count` is 1 if there is nothing. */
static ov_status gather(ov_sim *sim, uint32_t slot, double others, size_t *count) {
    const ovi_sim_body *body = &sim->bodies[slot];
    double r = body->reach * (1.0 + 1e-9) + others;
    ov_vec3 a = body->x0, b = body->x;
    ov_aabb box = {{fmin(a.x, b.x) - r, fmin(a.y, b.y) - r, fmin(a.z, b.z) - r},
                   {fmax(a.x, b.x) + r, fmax(a.y, b.y) + r, fmax(a.z, b.z) + r}};
    size_t found = 0;
    *count = 0;
    ov_status status = fill_body(sim, slot, true, (*count)++);
    if (status == OV_OK) {
        status = ov_world_box_overlaps(sim->world, box, 0, sim->sweep.found, sim->sweep.found_room,
                                       &found);
    }
    for (size_t i = 0; status == OV_OK && i < found; i++) {
        uint32_t other = sim->world_slots[(sim->sweep.found[i] >> 32) - 1];
        if (!is_settled(sim, slot, other)) {
            status = fill_body(sim, other, false, (*count)++);
        }
    }
    return status;
}

/** How far along its path a body is free, from 0 to 1. */
static ov_status free_fraction(ov_sim *sim, uint32_t slot, double others, double *fraction) {
    size_t count;
    *fraction = 1.0;
    ov_status status = gather(sim, slot, others, &count);
    if (status == OV_OK && count > 1 && sim->sweep.motions[0] != NULL) {
        ov_sweep_options options = {.first_only = true,
                                    .resolution = 1e-4,
                                    .threads.count = 1,
                                    .allocator = sim->options.allocator};
        ov_sweep *result;
        status = ov_sweep_bodies(sim->sweep.bodies, count, 0.0, 1.0, &options, &result, NULL);
        if (status >= 0) {
            ov_sweep_summary summary = ov_sweep_summary_of(result);
            *fraction = summary.answer == OV_SWEEP_ANSWER_FREE ? 1.0 : summary.lower;
            ov_sweep_destroy(result);
            sim->swept++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ov_motion_destroy(sim->sweep.motions[i]);
    }
    return status < 0 ? status : OV_OK;
}

/** Puts a body at a fraction of its path. Its time stands still from then on: what gravity would
 *  add to its speed without a way is taken off, or a body that is stopped again and again would
 *  gain energy. */
static void go_to(ov_sim *sim, uint32_t slot, double fraction, double h) {
    ovi_sim_body *body = &sim->bodies[slot];
    ovi_mover *m = &sim->movers[slot];
    double lost = (body->fraction - fraction) * h;
    body->fraction = fraction;
    ovi_sim_drift(body, m, fraction * h);
    m->v = ov_vec3_add_scaled(m->v, sim->options.gravity, -lost);
}

/** The whole tree of a body goes no further than the body does. */
static void stop_tree(ov_sim *sim, uint32_t slot, double fraction, double h) {
    const ovi_forest *f = &sim->forest;
    if (!sim->bodies[slot].in_order) {
        go_to(sim, slot, fraction, h);
        return;
    }
    for (size_t i = 0; i < f->count; i++) {
        uint32_t other = f->order[i];
        if (sim->bodies[other].tree == sim->bodies[slot].tree &&
            sim->bodies[other].fraction > fraction) {
            go_to(sim, other, fraction, h);
        }
    }
}

/** How far a part of a body is beyond the plane of its contact at a fraction of its path. */
static double beyond(const ov_sim *sim, uint32_t slot, const ovi_sim_contact *c, double fraction,
                     double h) {
    bool is_a = c->a == slot;
    ovi_sim_body moved = sim->bodies[slot];
    const ovi_sim_body *other = &sim->bodies[is_a ? c->b : c->a];
    const ov_part *part = ov_geometry_part(moved.def.geometry, is_a ? c->part_a : c->part_b);
    ov_vec3 n = is_a ? c->normal : ov_vec3_neg(c->normal);
    ovi_sim_drift(&moved, &sim->movers[slot], fraction * h);
    ov_vec3 way = ov_vec3_scale(ov_vec3_sub(other->x, other->x0), fraction);
    ov_vec3 plane = ov_vec3_add(ov_vec3_add(other->x0, way), is_a ? c->arm_b : c->arm_a);
    ov_pose pose = ovi_pose_mul(ovi_sim_pose(&moved), part->pose);
    ov_support support;
    if (part->mesh != NULL ||
        ov_shape_support(&part->shape, ovi_quat_turn(ov_quat_conjugate(pose.rotation), n),
                         &support) < 0) {
        return -INFINITY;
    }
    ov_vec3 tip = ov_pose_apply(pose, support.point);
    return ov_vec3_dot(n, ov_vec3_sub(tip, plane));
}

/** How far along its path a body stays on its side of its contacts. */
static double sided_fraction(const ov_sim *sim, uint32_t slot, double h) {
    double fraction = 1.0;
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        const ovi_sim_contact *c = &sim->contacts.now.items[i];
        if (c->a != slot && c->b != slot) {
            continue;
        }
        // the plane is within the gap, nearer to the smaller body: the other one's surface is
        // behind it
        const ovi_sim_body *other = &sim->bodies[c->a == slot ? c->b : c->a];
        double own = ovi_inverse_reach(&sim->bodies[slot]);
        double behind = own / (own + ovi_inverse_reach(other)) * c->now;
        double radius = sim->bodies[slot].radius;
        double most = fmax(-c->now, 0.25 * radius);
        if (sim->bodies[slot].in_order) {
            // a limb that is beyond already may go on a little, or it would hold its whole tree
            most = fmax(most, beyond(sim, slot, c, 0.0, h) + 0.05 * radius);
        } else {
            most += behind;
        }
        if (!(beyond(sim, slot, c, fraction, h) > most)) {
            continue;
        }
        double good = 0.0, bad = fraction;
        for (int k = 0; k < 20; k++) {
            double mid = 0.5 * (good + bad);
            *(beyond(sim, slot, c, mid, h) > most ? &bad : &good) = mid;
        }
        fraction = good;
    }
    return fraction;
}

void ovi_sweep_look(ov_sim *sim, double h, size_t begin, size_t end) {
    double furthest = 0.0;
    bool fast = false;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        body->fraction = 1.0;
        if (body->used && !body->asleep && body->in_world != 0) {
            furthest = fmax(furthest, displacement(sim, i, h));
            fast = fast || is_fast(sim, i, h);
        }
    }
    double before = atomic_load(&sim->outcome.furthest);
    while (furthest > before &&
           !atomic_compare_exchange_weak(&sim->outcome.furthest, &before, furthest)) {
    }
    if (fast) {
        atomic_store(&sim->outcome.fast, true);
    }
}

ov_status ovi_sweep_fast(ov_sim *sim, double h) {
    double others = atomic_load(&sim->outcome.furthest);
    if (!atomic_load(&sim->outcome.fast)) {
        return OV_OK;
    }
    if (!reserve(sim, sim->body_count + 1)) {
        return OV_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < sim->body_count; i++) {
        double fraction;
        if (!is_fast(sim, i, h) || sim->bodies[i].fraction < 1.0) {
            continue;
        }
        ov_status status = free_fraction(sim, i, others, &fraction);
        if (status < 0) {
            return status;
        }
        fraction = fmin(fraction, sided_fraction(sim, i, h));
        if (fraction < 1.0) {
            stop_tree(sim, i, fraction, h);
        }
    }
    return OV_OK;
}
