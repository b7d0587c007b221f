/**
 * @file battery_world_packing.c
 * @brief Random packings of superovoids for the study of worlds, and how they move.
 */
#include "battery_world.h"

#include <math.h>
#include <stdlib.h>

static bool make_shapes(world_packing *p, battery_random *r) {
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_part part = {.pose = ov_pose_identity()};
        ov_status status = OV_ERROR_DENT;
        while (status == OV_ERROR_DENT) {
            ov_vec3 a = {battery_uniform(r, 0.8, 1.2), battery_uniform(r, 0.8, 1.2),
                         battery_uniform(r, 0.6, 1.0)};
            double e1 = battery_uniform(r, 0.4, 1.0), e2 = battery_uniform(r, 0.4, 1.0);
            double tx = battery_uniform(r, -0.2, 0.2), ty = battery_uniform(r, -0.2, 0.2);
            status = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &part.shape);
        }
        p->shapes[i] = part.shape;
        p->size += part.shape.ball.radius / WORLD_SHAPES;
        if (status < 0 || ov_geometry_create(&part, 1, NULL, &p->geometries[i]) < 0) {
            return false;
        }
    }
    return true;
}

static double mean_volume(const world_packing *p) {
    double sum = 0.0;
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_mass mass;
        sum += ov_shape_mass(&p->shapes[i], 1.0, &mass) >= 0 ? mass.volume : 0.0;
    }
    return sum / WORLD_SHAPES;
}

/** A vector of a length up to `most`. */
static ov_vec3 random_vector(battery_random *r, double most) {
    ov_vec3 direction = battery_direction(r);
    return ov_vec3_scale(direction, battery_uniform(r, 0.0, most));
}

/** Bodies are added in an order that has nothing to do with where they are. */
static void shuffle(ov_pose *poses, size_t count, battery_random *r) {
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)battery_uniform(r, 0.0, (double)i);
        k = k < i ? k : i - 1;
        ov_pose swap = poses[k];
        poses[k] = poses[i - 1];
        poses[i - 1] = swap;
    }
}

static bool add_bodies(world_packing *p) {
    for (size_t i = 0; i < p->count; i++) {
        ov_body_def def = ov_default_body_def();
        def.geometry = p->geometries[i % WORLD_SHAPES];
        def.pose = p->poses[i];
        def.user = (void *)(uintptr_t)i;
        if (ov_world_add(p->world, &def, &p->bodies[i]) < 0) {
            return false;
        }
    }
    return true;
}

bool packing_make(size_t count, double density, double step, uint64_t seed,
                  world_packing *packing) {
    battery_random r = {seed};
    world_packing *p = packing;
    *p = (world_packing){.count = count};
    p->poses = calloc(count, sizeof *p->poses);
    p->velocities = calloc(count, sizeof *p->velocities);
    p->spins = calloc(count, sizeof *p->spins);
    p->bodies = calloc(count, sizeof *p->bodies);
    if (p->poses == NULL || p->velocities == NULL || p->spins == NULL || p->bodies == NULL ||
        !make_shapes(p, &r) || ov_world_create(NULL, &p->world) < 0) {
        return false;
    }
    double side = cbrt(mean_volume(p) / density);
    size_t row = (size_t)ceil(cbrt((double)count));
    for (size_t i = 0; i < count; i++) {
        ov_vec3 cell = {(double)(i % row), (double)(i / row % row), (double)(i / row / row)};
        p->poses[i] = (ov_pose){ov_vec3_scale(cell, side), battery_rotation(&r)};
        p->velocities[i] = random_vector(&r, step * p->size);
        p->spins[i] = random_vector(&r, step);
    }
    shuffle(p->poses, count, &r);
    return add_bodies(p);
}

void packing_free(world_packing *packing) {
    ov_world_destroy(packing->world);
    for (int i = 0; i < WORLD_SHAPES; i++) {
        ov_geometry_destroy(packing->geometries[i]);
    }
    free(packing->poses);
    free(packing->velocities);
    free(packing->spins);
    free(packing->bodies);
    *packing = (world_packing){0};
}

void packing_drift(world_packing *packing) {
    for (size_t i = 0; i < packing->count; i++) {
        ov_pose *pose = &packing->poses[i];
        ov_vec3 spin = packing->spins[i];
        ov_quat turn = ov_quat_from_axis_angle(spin, sqrt(ov_vec3_dot(spin, spin)));
        pose->position = ov_vec3_add(pose->position, packing->velocities[i]);
        (void)ov_quat_normalize(ov_quat_mul(turn, pose->rotation), &pose->rotation);
    }
}

size_t packing_index(const world_packing *packing, ov_body body) {
    ov_body_def def = {.user = NULL};
    (void)ov_world_get(packing->world, body, &def);
    return (size_t)(uintptr_t)def.user;
}

size_t packing_part(world_packing *packing, const ov_world_contact *contacts, size_t count) {
    size_t overlaps = 0;
    for (size_t i = 0; i < count; i++) {
        const ov_contact *c = &contacts[i].contact;
        if (c->status < 0 || c->relation != OV_RELATION_OVERLAPPING) {
            continue;
        }
        overlaps++;
        size_t a = packing_index(packing, contacts[i].a);
        size_t b = packing_index(packing, contacts[i].b);
        ov_vec3 *pa = &packing->poses[a].position, *pb = &packing->poses[b].position;
        *pa = ov_vec3_add_scaled(*pa, c->normal, 0.55 * c->gap);
        *pb = ov_vec3_add_scaled(*pb, c->normal, -0.55 * c->gap);
        ov_vec3 *va = &packing->velocities[a], *vb = &packing->velocities[b];
        double towards = ov_vec3_dot(c->normal, ov_vec3_sub(*vb, *va));
        if (towards < 0.0) { // as equal masses do
            *va = ov_vec3_add_scaled(*va, c->normal, towards);
            *vb = ov_vec3_add_scaled(*vb, c->normal, -towards);
        }
    }
    return overlaps;
}
