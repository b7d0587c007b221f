/*
 * A world: eggs fall into a box of half-spaces and push each other apart. Every step moves all
 * bodies and computes all contacts; the world keeps what it knows about a pair from step to step.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ovoid/ovoid.h>

enum { EGGS = 27, WALLS = 5, STEPS = 120 };

static void fail(const char *what, ov_status status) {
    fprintf(stderr, "%s: %s\n", what, ov_status_message(status));
    exit(1);
}

static ov_geometry *geometry_of(const ov_shape *shape) {
    ov_part part = {.shape = *shape, .pose = ov_pose_identity()};
    ov_geometry *geometry;
    ov_status status = ov_geometry_create(&part, 1, NULL, &geometry);
    if (status < 0) {
        fail("no geometry", status);
    }
    return geometry;
}

static ov_body add(ov_world *world, ov_geometry *geometry, ov_vec3 position, bool fixed, size_t n) {
    ov_body_def def = ov_default_body_def();
    def.geometry = geometry;
    def.pose.position = position;
    def.pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, (double)(n % 5), 2.0), (double)n);
    def.fixed = fixed;
    def.user = (void *)(uintptr_t)n;
    if (fixed) {
        def.pose = ov_pose_identity();
    }
    ov_body body;
    ov_status status = ov_world_add(world, &def, &body);
    if (status < 0) {
        fail("no body", status);
    }
    return body;
}

/* Moves the two bodies of a contact apart by its depth; fixed ones stay. */
static void push_apart(ov_world *world, const ov_world_contact *c) {
    ov_body_def a, b;
    if (c->contact.gap >= 0.0 || ov_world_get(world, c->a, &a) < 0 ||
        ov_world_get(world, c->b, &b) < 0) {
        return;
    }
    double share = a.fixed || b.fixed ? 1.0 : 0.5;
    if (!a.fixed) {
        a.pose.position =
            ov_vec3_add_scaled(a.pose.position, c->contact.normal, share * c->contact.gap);
        (void)ov_world_move(world, c->a, a.pose);
    }
    if (!b.fixed) {
        b.pose.position =
            ov_vec3_add_scaled(b.pose.position, c->contact.normal, -share * c->contact.gap);
        (void)ov_world_move(world, c->b, b.pose);
    }
}

int main(void) {
    /* a floor and four walls that face each other, all half-spaces: normal . p <= offset */
    static const double walls[WALLS][4] = {
        {0, 0, 1, 0}, {1, 0, 0, -0.1}, {-1, 0, 0, -0.1}, {0, 1, 0, -0.1}, {0, -1, 0, -0.1}};
    ov_geometry *geometries[WALLS + 1];
    ov_body eggs[EGGS];
    ov_shape shape;
    ov_world *world;
    ov_status status = ov_shape_make_superovoid(ov_vec3_make(0.02, 0.02, 0.03), 1.0, 0.9, -0.2,
                                                -0.2, NULL, &shape);
    if (status < 0 || (status = ov_world_create(NULL, &world)) < 0) {
        fail("no world", status);
    }
    geometries[WALLS] = geometry_of(&shape);
    for (size_t i = 0; i < WALLS; i++) {
        const double *w = walls[i];
        if ((status = ov_shape_make_halfspace(ov_vec3_make(w[0], w[1], w[2]), w[3], &shape)) < 0) {
            fail("no wall", status);
        }
        geometries[i] = geometry_of(&shape);
        (void)add(world, geometries[i], ov_vec3_make(0, 0, 0), true, 0);
    }
    for (size_t i = 0; i < EGGS; i++) {
        ov_vec3 at = {0.05 * (double)(i % 3) - 0.05, 0.05 * (double)(i / 3 % 3) - 0.05,
                      0.05 + 0.06 * (double)(i / 9)};
        eggs[i] = add(world, geometries[WALLS], at, false, i);
    }

    const ov_world_contact *contacts;
    size_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < EGGS; i++) {
            ov_body_def egg;
            (void)ov_world_get(world, eggs[i], &egg);
            egg.pose.position.z -= 0.001;
            (void)ov_world_move(world, eggs[i], egg.pose);
        }
        if ((status = ov_world_contacts(world, 0.0, &contacts, &count)) < 0) {
            fail("no contacts", status);
        }
        if (step + 1 == STEPS) {
            break;
        }
        /* moving a body invalidates the array, so copy the contacts first */
        ov_world_contact *taken = malloc((count + 1) * sizeof *taken);
        for (size_t i = 0; taken != NULL && i < count; i++) {
            taken[i] = contacts[i];
        }
        for (size_t i = 0; taken != NULL && i < count; i++) {
            push_apart(world, &taken[i]);
        }
        free(taken);
    }
    double deepest = 0.0;
    for (size_t i = 0; i < count; i++) {
        deepest = contacts[i].contact.gap < deepest ? contacts[i].contact.gap : deepest;
    }
    ov_world_counts counts = ov_world_last_counts(world);
    printf("%zu bodies, %zu contacts, the deepest %.4f m\n", ov_world_count(world), count,
           -deepest);
    printf("%zu pairs of neighbours, %zu of them skipped by kept bounds, %zu queries\n",
           counts.pairs, counts.rejected_kept, counts.queries);
    ov_world_destroy(world);
    for (size_t i = 0; i < WALLS + 1; i++) {
        ov_geometry_destroy(geometries[i]);
    }
    return 0;
}
