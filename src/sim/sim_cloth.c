/**
 * @file sim_cloth.c
 * @brief Bodies and cloth in one step: bodies move, cloth gives way and pushes back.
 *
 * A frame is divided into four parts, and into more where a body is fast. In each the bodies go
 * first; the cloths then see them move from where they were to where they are, and what a cloth
 * does to a body becomes an impulse on it. So momentum goes from one to the other without loss, and
 * what a body hits slows it down within the frame.
 */
#include <ovoid/sim_cloth.h>

#include "../math/rounding_mode.h"
#include "../world/trimesh_internal.h"
#include "cloth_internal.h"
#include "sim_internal.h"

/** Parts of a frame: at 60 Hz cloth and bodies answer each other after 4 ms. */
enum { PARTS = 4, PARTS_MAX = 4096 };

/** The inverse of a symmetric positive matrix; zero where it has none. */
static ov_mat3 inverse(const ov_mat3 *m) {
    ov_vec3 x = ov_vec3_cross(m->cy, m->cz), y = ov_vec3_cross(m->cz, m->cx),
            z = ov_vec3_cross(m->cx, m->cy);
    double det = ov_vec3_dot(m->cx, x);
    double scale = det > 0.0 ? 1.0 / det : 0.0;
    // the cofactors of a symmetric matrix are symmetric
    return (ov_mat3){ov_vec3_scale(x, scale), ov_vec3_scale(y, scale), ov_vec3_scale(z, scale)};
}

/** A tensor of a body's frame in the world's axes: R m R^T. */
static ov_mat3 turned(ov_quat rotation, const ov_mat3 *m) {
    ov_mat3 r = ov_mat3_from_quat(rotation);
    ov_vec3 rows[3] = {
        {r.cx.x, r.cy.x, r.cz.x}, {r.cx.y, r.cy.y, r.cz.y}, {r.cx.z, r.cy.z, r.cz.z}};
    ov_vec3 columns[3];
    for (int i = 0; i < 3; i++) {
        columns[i] = ov_mat3_mul_vec3(&r, ov_mat3_mul_vec3(m, rows[i]));
    }
    return (ov_mat3){columns[0], columns[1], columns[2]};
}

/** A body as the cloth meets it; one that others lead is not pushed. */
static ov_status fill_collider(const ov_sim *sim, ov_sim_body body, ov_pose before,
                               ov_cloth_collider *c) {
    ov_sim_body_def def;
    ov_sim_body_state state;
    ov_status status = ov_sim_body_def_of(sim, body, &def);
    status = status == OV_OK ? ov_sim_body_get(sim, body, &state) : status;
    if (status != OV_OK) {
        return status;
    }
    *c = (ov_cloth_collider){.geometry = def.geometry,
                             .start = before,
                             .end = state.pose,
                             .friction = def.friction,
                             .restitution = def.restitution};
    if (def.kind == OV_SIM_BODY_KIND_DYNAMIC && def.mass.mass > 0.0) {
        ov_mat3 light = inverse(&def.mass.inertia);
        c->inverse_mass = 1.0 / def.mass.mass;
        c->inverse_inertia = turned(state.pose.rotation, &light);
    }
    return OV_OK;
}

/** What the cloths did to a body becomes an impulse at its frame's origin, and a turn. */
static ov_status push_back(ov_sim *sim, ov_sim_body body, const ov_cloth_collider *c) {
    bool pushed = ov_vec3_dot(c->impulse, c->impulse) > 0.0 ||
                  ov_vec3_dot(c->angular_impulse, c->angular_impulse) > 0.0;
    return pushed && c->inverse_mass > 0.0
               ? ov_sim_apply_impulse(sim, body, c->impulse, c->end.position, c->angular_impulse)
               : OV_OK;
}

/** Room for a step. */
typedef struct room {
    ov_sim_body *bodies;
    ov_pose *poses;
    ov_cloth_collider *colliders;
    size_t count;
} room;

/** A part of a frame, of which `after` is left then. */
static ov_status step_part(ov_sim *sim, ov_cloth *const *cloths, size_t count, double dt,
                           double after, const room *r) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < r->count && status == OV_OK; i++) {
        ov_sim_body_state state;
        status = ov_sim_body_get(sim, r->bodies[i], &state);
        r->poses[i] = state.pose;
    }
    status = status == OV_OK ? ovi_sim_step_part(sim, dt, after) : status;
    size_t used = 0;
    for (size_t i = 0; i < r->count && status == OV_OK; i++) {
        status = fill_collider(sim, r->bodies[i], r->poses[i], &r->colliders[used]);
        // what has no geometry meets nothing
        used += r->colliders[used].geometry != NULL;
    }
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = ov_cloth_step(cloths[i], r->colliders, used, dt);
    }
    used = 0;
    for (size_t i = 0; i < r->count && status >= 0; i++) {
        ov_sim_body_def def;
        status = ov_sim_body_def_of(sim, r->bodies[i], &def);
        if (status == OV_OK && def.geometry != NULL) {
            status = push_back(sim, r->bodies[i], &r->colliders[used++]);
        }
    }
    return status;
}

/* ---- fast bodies */

/** Box of where the vertices of a cloth may get within a time. */
static ov_aabb box_of(const ov_cloth *cloth, double dt) {
    ov_vec3 first = ovi_cloth_at(cloth->x, 0);
    ov_aabb box = {first, first};
    for (size_t i = 1; i < cloth->vertex_count; i++) {
        ov_vec3 p = ovi_cloth_at(cloth->x, i);
        const ov_aabb point = {p, p};
        box = ovi_box_union(&box, &point);
    }
    return ovi_box_grow(box, cloth->fastest * dt + cloth->thickness);
}

/**
 * Parts of a frame. A body that the cloth can stop has to answer before it is through: in a part it
 * goes no further than its least half extent, if it may meet the cloth in this frame. (One that is
 * led takes the cloth along, however far it goes.)
 */
static int parts_of(const ov_sim *sim, ov_cloth *const *cloths, size_t count, double dt) {
    double parts = PARTS;
    for (size_t k = 0; k < count; k++) {
        ov_aabb box = box_of(cloths[k], dt);
        for (size_t i = 0; i < sim->body_count; i++) {
            const ovi_sim_body *body = &sim->bodies[i];
            const ovi_mover *m = &sim->movers[i];
            if (!body->used || body->asleep || body->in_world == 0 || !ovi_is_free(m)) {
                continue;
            }
            double pull = ov_vec3_length(sim->options.gravity) * dt;
            double way = (ov_vec3_length(m->v) + pull) * dt;
            double turn = ov_vec3_length(m->w) * dt * body->reach;
            ov_vec3 end = ov_vec3_add_scaled(body->x, m->v, dt);
            const ov_aabb from = {body->x, body->x}, to = {end, end};
            ov_aabb path = ovi_box_union(&from, &to);
            path = ovi_box_grow(path, body->reach + pull * dt);
            if (ovi_boxes_meet(&path, &box)) {
                parts = fmax(parts, (way + turn) / body->radius);
            }
        }
    }
    return parts < PARTS_MAX ? (int)ceil(parts) : PARTS_MAX;
}

ov_status ov_sim_step_cloths(ov_sim *sim, ov_cloth *const *cloths, size_t count, double dt) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_sim_step_cloths(sim, cloths, count, dt));
    if (cloths == NULL && count > 0) {
        return OV_ERROR_NULL;
    }
    ov_status good = ovi_sim_check_frame(sim, dt);
    if (good < 0 || count == 0) {
        return good < 0 ? good : ov_sim_step(sim, dt);
    }
    for (size_t i = 0; i < count; i++) {
        if (cloths[i] == NULL) {
            return OV_ERROR_NULL;
        }
    }
    ov_allocator own = sim->options.allocator;
    size_t bodies = ov_sim_bodies(sim, NULL, 0);
    room r = {.bodies = ovi_resize(&own, NULL, 0, bodies + 1, sizeof *r.bodies),
              .poses = ovi_resize(&own, NULL, 0, bodies + 1, sizeof *r.poses),
              .colliders = ovi_resize(&own, NULL, 0, bodies + 1, sizeof *r.colliders),
              .count = bodies};
    bool there = r.bodies != NULL && r.poses != NULL && r.colliders != NULL;
    ov_status status = there ? OV_OK : OV_ERROR_MEMORY;
    if (there) {
        (void)ov_sim_bodies(sim, r.bodies, bodies);
    }
    int parts = status >= 0 ? parts_of(sim, cloths, count, dt) : 0;
    for (int i = 0; i < parts && status >= 0; i++) {
        status = step_part(sim, cloths, count, dt / parts, (parts - 1 - i) * (dt / parts), &r);
    }
    ovi_release(&own, r.bodies, bodies + 1, sizeof *r.bodies);
    ovi_release(&own, r.poses, bodies + 1, sizeof *r.poses);
    ovi_release(&own, r.colliders, bodies + 1, sizeof *r.colliders);
    return status;
}
