/**
 * @file test_cloth.c
 * @brief Cloth against formulas: the catenary, balance of forces, energy of a bent sheet, momentum;
 * against the certified triangle query over every kind of body; what holds it, tears it and throws
 * it; the same bits again; bad input.
 */
#include <string.h>

#include "check.h"

/* ---- helpers */

static const double frame = 1.0 / 60.0;

typedef struct grid {
    ov_cloth *cloth;
    uint32_t columns, rows;
    size_t count;
    ov_vec3 x[2601];
} grid;

static grid g;

static ov_status make_grid(ov_vec3 corner, ov_vec3 u, ov_vec3 v, uint32_t columns, uint32_t rows,
                           const ov_cloth_options *options) {
    static uint32_t triangles[5000][3];
    g.columns = columns;
    g.rows = rows;
    g.count = (size_t)(columns + 1) * (rows + 1);
    CHECK_OK(ov_cloth_grid_fill(corner, u, v, columns, rows, g.x, triangles));
    return ov_cloth_create(g.x, g.count, (const uint32_t(*)[3])triangles,
                           2 * (size_t)columns * rows, options, &g.cloth);
}

/** A square in a plane of constant z. */
static void make_square(double side, double z, uint32_t cells, const ov_cloth_options *options) {
    CHECK_OK(make_grid(ov_vec3_make(-0.5 * side, -0.5 * side, z), ov_vec3_make(side, 0.0, 0.0),
                       ov_vec3_make(0.0, side, 0.0), cells, cells, options));
}

static void run(ov_cloth_collider *colliders, size_t count, int frames) {
    for (int i = 0; i < frames; i++) {
        CHECK_OK(ov_cloth_step(g.cloth, colliders, count, frame));
    }
    CHECK_OK(ov_cloth_positions(g.cloth, g.x));
}

static ov_cloth_state state(void) {
    ov_cloth_state s;
    CHECK_OK(ov_cloth_measure(g.cloth, &s));
    return s;
}

/** To rest by kinetic damping: whenever the motion becomes slower, it is stopped altogether. */
static void settle(ov_cloth_collider *colliders, size_t count, int frames) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    double before = 0.0;
    for (int i = 0; i < frames; i++) {
        run(colliders, count, 1);
        double now = state().kinetic;
        for (uint32_t k = 0; now < before && k < g.count; k++) {
            CHECK(ov_cloth_set(g.cloth, k, g.x[k], zero) == OV_OK);
        }
        before = now < before ? 0.0 : now;
    }
}

/* ---- inner forces */

/** A strip of 40 links hangs between two points: sag of the catenary of its length. */
static void test_catenary(void) {
    const double half = 0.8;
    double low = 0.1, high = 10.0; // 2 a sinh(half/a) = 2
    for (int i = 0; i < 200; i++) {
        double a = 0.5 * (low + high);
        *(2.0 * a * sinh(half / a) > 2.0 ? &low : &high) = a;
    }
    double sag = low * (cosh(half / low) - 1.0);
    const ov_cloth_options options = {.stretch = 1e5, .substeps = 20};
    CHECK_OK(make_grid(ov_vec3_make(-1.0, 0.0, 0.0), ov_vec3_make(2.0, 0.0, 0.0),
                       ov_vec3_make(0.0, 0.05, 0.0), 40, 1, &options));
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_OK(ov_cloth_pin(g.cloth, 41 * k, ov_vec3_make(-half, 0.05 * k, 0.0)));
        CHECK_OK(ov_cloth_pin(g.cloth, 41 * k + 40, ov_vec3_make(half, 0.05 * k, 0.0)));
    }
    settle(NULL, 0, 500);
    CHECK_NEAR(g.x[0].x, -half, 1e-12);
    CHECK_NEAR(-g.x[20].z / sag, 1.0, 5e-3);
    check_worst("sag of a catenary of 40 links", fabs(-g.x[20].z / sag - 1.0), 5e-3);
    ov_cloth_destroy(g.cloth);
}

/** Forces of the springs of a square grid, by the stiffness that the header promises. */
static void add_spring(ov_vec3 *force, size_t a, size_t b, double rest, double k) {
    ov_vec3 d = ov_vec3_sub(g.x[a], g.x[b]);
    double length = ov_vec3_length(d);
    ov_vec3 f = ov_vec3_scale(d, k * (length - rest) / length);
    force[a] = ov_vec3_sub(force[a], f);
    force[b] = ov_vec3_add(force[b], f);
}

enum { HUNG_CELLS = 12, HUNG = HUNG_CELLS + 1 };
static const double hung_stretch = 200.0, hung_shear = 50.0, hung_density = 0.3;

/** Hangs a square of 1 m from two corners, and lets it come to rest. */
static void hang(unsigned substeps, unsigned iterations, int frames) {
    const ov_cloth_options options = {.stretch = hung_stretch,
                                      .shear = hung_shear,
                                      .density = hung_density,
                                      .substeps = substeps,
                                      .iterations = iterations};
    make_square(1.0, 0.0, HUNG_CELLS, &options);
    CHECK_OK(ov_cloth_pin(g.cloth, 0, g.x[0]));
    CHECK_OK(ov_cloth_pin(g.cloth, HUNG_CELLS, g.x[HUNG_CELLS]));
    settle(NULL, 0, frames);
}

/** Net forces on the vertices, by weights of triangles and springs of a square grid. */
static void net_forces(ov_vec3 force[HUNG * HUNG]) {
    const double cell = 1.0 / HUNG_CELLS;
    const uint32_t(*triangles)[3] = ov_cloth_triangles(g.cloth);
    memset(force, 0, HUNG * HUNG * sizeof *force);
    for (size_t t = 0; t < ov_cloth_triangle_count(g.cloth); t++) {
        for (int k = 0; k < 3; k++) { // a third of half a cell
            force[triangles[t][k]].z -= 9.81 * hung_density * cell * cell / 6.0;
        }
    }
    for (size_t j = 0; j < HUNG; j++) {
        for (size_t i = 0; i < HUNG; i++) {
            size_t at = j * HUNG + i;
            double wide = j == 0 || j == HUNG_CELLS ? 0.5 : 1.0;
            double tall = i == 0 || i == HUNG_CELLS ? 0.5 : 1.0;
            if (i < HUNG_CELLS) {
                add_spring(force, at, at + 1, cell, hung_stretch * wide);
            }
            if (j < HUNG_CELLS) {
                add_spring(force, at, at + HUNG, cell, hung_stretch * tall);
            }
            if (i < HUNG_CELLS && j < HUNG_CELLS) {
                add_spring(force, at, at + HUNG + 1, cell * sqrt(2.0), hung_shear);
                add_spring(force, at + 1, at + HUNG, cell * sqrt(2.0), hung_shear);
            }
        }
    }
}

/**
 * Hung from two corners: a fine solution has the springs carry every vertex and the corners carry
 * all, and the usual one has its shape.
 */
static void test_hanging(void) {
    static ov_vec3 force[HUNG * HUNG], fine[HUNG * HUNG];
    const double weight = 9.81 * hung_density / (HUNG_CELLS * HUNG_CELLS);
    hang(60, 60, 200);
    net_forces(force);
    double worst = 0.0, carried = -force[0].z - force[HUNG_CELLS].z;
    for (size_t i = 0; i < g.count; i++) {
        fine[i] = g.x[i];
        bool free = i != 0 && i != HUNG_CELLS;
        worst = fmax(worst, free ? ov_vec3_length(force[i]) / weight : 0.0);
    }
    check_worst("net force on a vertex at rest, of its weight", worst, 0.05);
    CHECK(worst < 0.05); // edges turn a little while a step relaxes them: of the order of h squared
    CHECK_NEAR(carried / (9.81 * hung_density), 1.0, 0.01);
    ov_cloth_destroy(g.cloth);
    hang(0, 0, 400);
    double off = 0.0;
    for (size_t i = 0; i < g.count; i++) {
        off = fmax(off, ov_vec3_length(ov_vec3_sub(fine[i], g.x[i])));
    }
    check_worst("a cloth hung from two corners, off the fine solution, m", off, 2e-3);
    CHECK(off < 2e-3);
    ov_cloth_destroy(g.cloth);
}

/** A strip that hangs by its own weight w per width and length: w L^2/2E, where E is the stiffness
 *  of a strip with free sides, whose diagonals narrow it; by meshes of two sizes. */
static void test_strip(void) {
    const double stretch = 1000.0, shear = 100.0, weight = 9.81;
    const double stiff = stretch * (1.0 + shear / (stretch + shear));
    for (uint32_t wide = 2; wide <= 4; wide += 2) {
        const ov_cloth_options options = {.stretch = stretch, .density = 1.0};
        CHECK_OK(make_grid(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(0.2, 0.0, 0.0),
                           ov_vec3_make(0.0, 0.0, -1.0), wide, 5 * wide, &options));
        for (uint32_t i = 0; i <= wide; i++) {
            CHECK_OK(ov_cloth_pin(g.cloth, i, g.x[i]));
        }
        settle(NULL, 0, 100);
        CHECK_NEAR(-1.0 - g.x[g.count - 1].z, 0.5 * weight / stiff, 0.02 * 0.5 * weight / stiff);
        ov_cloth_destroy(g.cloth);
    }
}

/** A strip that is clamped at one end sags as a beam does, by w L^4/8B, whatever its cells. */
static void test_cantilever(void) {
    const double bending = 0.1, length = 0.5, weight = 9.81 * 0.1;
    const double sag = weight * pow(length, 4.0) / (8.0 * bending);
    for (uint32_t wide = 2; wide <= 4; wide += 2) {
        const ov_cloth_options options = {.bending = bending, .density = 0.1};
        uint32_t row = wide + 1;
        CHECK_OK(make_grid(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(0.1, 0.0, 0.0),
                           ov_vec3_make(0.0, length, 0.0), wide, 5 * wide, &options));
        for (uint32_t i = 0; i < 2 * row; i++) {
            CHECK_OK(ov_cloth_pin(g.cloth, i, g.x[i]));
        }
        settle(NULL, 0, 60);
        CHECK_NEAR(-g.x[g.count - 1].z, sag, 0.15 * sag);
        ov_cloth_destroy(g.cloth);
    }
}

/** A sheet bent to a cylinder of radius r has the bending energy B/2r^2 of its area. */
static void test_bending_energy(void) {
    double energy[2];
    for (int k = 0; k < 2; k++) {
        const ov_cloth_options options = {.bending = k == 0 ? 0.7 : 1e-12};
        CHECK_OK(make_grid(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0),
                           ov_vec3_make(0.0, 1.0, 0.0), 40, 40, &options));
        for (uint32_t i = 0; i < g.count; i++) {
            double s = g.x[i].x / 0.5;
            const ov_vec3 at = {0.5 * sin(s), g.x[i].y, 0.5 * (1.0 - cos(s))};
            CHECK_OK(ov_cloth_set(g.cloth, i, at, ov_vec3_make(0.0, 0.0, 0.0)));
        }
        energy[k] = state().elastic;
        ov_cloth_destroy(g.cloth);
    }
    // the free rim has no hinges: 39 of 40 rows of folds
    CHECK_NEAR((energy[0] - energy[1]) / (0.5 * 0.7 * 4.0), 39.0 / 40.0, 1e-3);
}

/** Without outer forces linear momentum stays to rounding, angular to the order of the step. */
static void test_momentum(void) {
    check_random r = check_random_make(11);
    const ov_cloth_options options = {.gravity = {OV_ZERO, OV_ZERO, OV_ZERO}, .bending = 1e-3};
    make_square(1.0, 0.0, 10, &options);
    for (uint32_t i = 0; i < g.count; i++) {
        ov_vec3 v = ov_vec3_scale(check_unit_vector(&r), 0.5);
        CHECK_OK(ov_cloth_set(g.cloth, i, ov_vec3_add_scaled(g.x[i], v, 0.02), v));
    }
    ov_cloth_state before = state();
    run(NULL, 0, 100);
    ov_cloth_state after = state();
    double scale = before.mass * 0.5;
    double drift = ov_vec3_length(ov_vec3_sub(before.momentum, after.momentum)) / scale;
    double turn = ov_vec3_length(ov_vec3_sub(before.angular_momentum, after.angular_momentum));
    check_worst("momentum lost in 1,000 steps, of mass times speed", drift, 1e-12);
    check_worst("angular momentum lost, of that times 1 m", turn / scale, 1e-3);
    CHECK(drift < 1e-12 && turn < 1e-3 * scale);
    CHECK(after.kinetic + after.elastic <= before.kinetic + before.elastic);
    ov_cloth_destroy(g.cloth);
}

/* ---- every kind of body */

static const ov_vec3 hull_vertices[6] = {{0.4, 0.0, 0.0},   {-0.4, 0.0, 0.0}, {0.0, 0.35, 0.0},
                                         {0.0, -0.35, 0.0}, {0.0, 0.0, 0.3},  {0.0, 0.0, -0.3}};

static ov_status make_kind(int kind, ov_shape *shape) {
    const ov_vec3 a = {0.4, 0.3, 0.35};
    switch (kind) {
    case 0:
        return ov_shape_make_sphere(0.4, shape);
    case 1:
        return ov_shape_make_ellipsoid(a, shape);
    case 2:
        return ov_shape_make_superellipsoid(a, 0.5, 0.5, shape);
    case 3:
        return ov_shape_make_superellipsoid(a, 1.3, 0.8, shape);
    case 4:
        return ov_shape_make_superovoid(a, 0.7, 0.8, 0.25, -0.2, NULL, shape);
    case 5:
        return ov_shape_make_box(a, shape);
    case 6:
        return ov_shape_make_capsule(0.25, 0.3, shape);
    case 7:
        return ov_shape_make_cylinder(0.3, 0.3, shape);
    case 8:
        return ov_shape_make_cone(0.4, 0.35, shape);
    case 9:
        return ov_shape_make_polyhedron(hull_vertices, 6, NULL, 0, shape);
    default:
        return ov_shape_make_halfspace(ov_vec3_make(0.1, 0.0, 1.0), 0.2, shape);
    }
}

/** A coarse cloth comes to rest on a body and the ground; no triangle is in either. */
static void test_kinds(void) {
    double worst = 0.0, strain = 0.0;
    for (int kind = 0; kind <= 10; kind += check_every() > 1 ? 3 : 1) {
        ov_shape shape, ground;
        CHECK_OK(make_kind(kind, &shape));
        CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), -0.1, &ground));
        ov_cloth_collider colliders[2] = {{.shape = &shape}, {.shape = &ground}};
        colliders[0].start.rotation = colliders[0].end.rotation =
            ov_quat_from_axis_angle(ov_vec3_make(1.0, 0.5, 0.2), kind < 10 ? 0.4 : 0.0);
        make_square(2.0, 0.6, 16, NULL);
        run(colliders, 2, 90);
        ov_cloth_depth deep;
        CHECK_OK(ov_cloth_deepest(g.cloth, colliders, 2, &deep));
        double depth = deep.depth_upper;
        if (!CHECK(depth <= 1e-4)) {
            fprintf(stderr, "kind %s: depth %g\n", ov_shape_kind_name(shape.kind), depth);
        }
        worst = fmax(worst, depth);
        strain = fmax(strain, state().stretch);
        CHECK(state().contacts > 0 && state().speed < 5.0);
        ov_cloth_destroy(g.cloth);
    }
    check_worst("depth of a triangle in any kind of body, m", worst, 1e-4);
    check_worst("strain there", strain, 0.1);
    CHECK(strain < 0.1);
}

/** Vertices alone leave a body through the triangles of a coarse cloth, as the published way does.
 */
static void test_contact_modes(void) {
    double depth[4];
    for (int mode = OV_CLOTH_CONTACT_TRIANGLES; mode <= OV_CLOTH_CONTACT_RADIAL; mode++) {
        ov_shape shape;
        CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.15, 0.12, 0.3), &shape));
        ov_cloth_collider collider = {.shape = &shape};
        const ov_cloth_options options = {.contact = (ov_cloth_contact)mode};
        collider.start.position = collider.end.position = ov_vec3_make(0.1, 0.07, 0.0);
        make_square(2.0, 0.35, 10, &options);
        for (int i = 0; i < 4; i++) {
            CHECK_OK(ov_cloth_pin(g.cloth, (uint32_t)(i % 2 * 10 + i / 2 * 110),
                                  ov_vec3_make(i % 2 * 2.0 - 1.0, i / 2 * 2.0 - 1.0, 0.25)));
        }
        run(&collider, 1, 90);
        ov_cloth_depth deep;
        CHECK_OK(ov_cloth_deepest(g.cloth, &collider, 1, &deep));
        depth[mode] = deep.depth;
        ov_cloth_destroy(g.cloth);
    }
    CHECK(depth[OV_CLOTH_CONTACT_TRIANGLES] < 1e-4);
    CHECK(depth[OV_CLOTH_CONTACT_VERTICES] > 1e-2 && depth[OV_CLOTH_CONTACT_RADIAL] > 1e-2);
}

/** Bodies at 100 sizes in a step take the cloth along: none of its triangles is behind them. */
static void test_fast_bodies(void) {
    for (int kind = 0; kind<9; kind += check_every()> 1 ? 4 : 1) {
        ov_shape shape;
        const double size = 0.1;
        const ov_vec3 a = {0.5 * size, 0.4 * size, 0.5 * size};
        CHECK_OK(kind % 3 == 0   ? ov_shape_make_ellipsoid(a, &shape)
                 : kind % 3 == 1 ? ov_shape_make_superellipsoid(a, 0.4, 0.6, &shape)
                                 : ov_shape_make_box(a, &shape));
        make_square(2.0, 0.0, 16, NULL);
        ov_cloth_collider c = {.shape = &shape};
        double from = kind < 6 ? 5.0 : -5.0, x = 0.07 * kind - 0.3;
        c.start.position = ov_vec3_make(x, 0.2, from);
        c.end.position = ov_vec3_make(x, 0.2, -from);
        c.end.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, 1.0, 0.0), kind < 3 ? 0.0 : 2.0);
        run(&c, 1, 1);
        double ahead = 0.0; // the cloth is where the body is, or in front of it
        for (size_t i = 0; i < g.count; i++) {
            ahead = fmax(ahead, from > 0.0 ? -g.x[i].z : g.x[i].z);
        }
        if (!CHECK(ahead > 5.0)) {
            fprintf(stderr, "kind %d: the cloth is at %g\n", kind, ahead);
        }
        CHECK(c.impulse.z * from > 0.0 && state().steps > 100);
        ov_cloth_destroy(g.cloth);
    }
}

/** Pins that are led past a ball within a frame, and a hand that pulls at a cloth on a plate as
 * hard as a hundred men: the cloth stays on its side. */
static void test_pulled(void) {
    for (int k = 0; k < 2; k++) {
        ov_shape shape;
        CHECK_OK(k == 0 ? ov_shape_make_sphere(0.2, &shape)
                        : ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.05), &shape));
        ov_cloth_collider c = {.shape = &shape};
        make_square(k == 0 ? 2.0 : 0.8, k == 0 ? 1.0 : 0.06, 16, NULL);
        for (uint32_t i = 0; k == 0 && i < 4; i++) {
            ov_vec3 corner = {i % 2 == 0 ? -1.0 : 1.0, i / 2 == 0 ? -1.0 : 1.0, -1.0};
            CHECK_OK(ov_cloth_pin(g.cloth, i % 2 * 16 + i / 2 * 272, corner));
        }
        if (k == 1) {
            CHECK_OK(ov_cloth_grab(g.cloth, 144, ov_vec3_make(0.0, 0.0, -2.0), 1e6));
        }
        run(&c, 1, 30);
        CHECK(g.x[144].z > (k == 0 ? 0.2 : 0.05) - 1e-4);
        ov_cloth_depth deep;
        CHECK_OK(ov_cloth_deepest(g.cloth, &c, 1, &deep));
        CHECK(deep.depth_upper < 1e-4);
        ov_cloth_destroy(g.cloth);
    }
}

/** Pins that are led into a table: the triangles there cannot leave it, and do not try to without
 *  end. */
static void pinned_inside(bool layers) {
    ov_shape table;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.05), &table));
    ov_cloth_collider c = {.shape = &table};
    const ov_cloth_options options = {.self_collision = layers};
    make_square(0.8, 0.06, 16, &options);
    double speed = 0.0;
    for (int k = 0; k < 40; k++) {
        for (uint32_t i = 0; k > 20 && i <= 16; i++) {
            double way = k - 20;
            CHECK_OK(
                ov_cloth_pin(g.cloth, 17 * i + 16,
                             ov_vec3_make(0.4 + 0.012 * way, -0.4 + 0.05 * i, 0.06 - 0.01 * way)));
        }
        run(&c, 1, 1);
        speed = fmax(speed, state().speed);
    }
    CHECK(speed < 60.0);
    ov_cloth_destroy(g.cloth);
}

static void test_pinned_inside(void) {
    pinned_inside(false);
    pinned_inside(true);
}

/** A ball comes down on a cloth on the ground until it stands there, and rolls on: the cloth has no
 *  room for its thickness, and is yet in neither. */
static void test_squeezed(void) {
    ov_shape ground, ball;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground));
    CHECK_OK(ov_shape_make_sphere(0.15, &ball));
    const ov_cloth_options options = {.thickness = 0.01};
    make_square(1.0, 0.005, 14, &options);
    ov_cloth_collider c[2] = {{.shape = &ground}, {.shape = &ball}};
    c[1].end.position = ov_vec3_make(0.02, 0.03, 0.2);
    double deepest = 0.0, strain = 0.0;
    for (int i = 0; i < 120; i++) {
        c[1].start = c[1].end;
        double z = fmax(0.15, 0.2 - 0.002 * i), roll = z > 0.15 ? 0.0 : 0.01;
        c[1].end.position = ov_vec3_make(c[1].start.position.x - 0.15 * roll, 0.03, z);
        c[1].end.rotation = ov_quat_mul(ov_quat_from_axis_angle(ov_vec3_make(0.0, -1.0, 0.0), roll),
                                        i == 0 ? ov_quat_identity() : c[1].start.rotation);
        run(c, 2, 1);
        ov_cloth_depth d;
        CHECK_OK(ov_cloth_deepest(g.cloth, c, 2, &d));
        deepest = fmax(deepest, d.depth_upper);
        strain = fmax(strain, state().strain);
    }
    check_worst("depth of a cloth under a ball on the ground, m", deepest, 1e-4);
    CHECK(deepest <= 1e-4 && strain < 0.05);
    ov_cloth_destroy(g.cloth);
}

/** A free ball falls on a cloth that hangs free: what one gains in momentum the other loses. */
static void test_two_ways(void) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(0.2, &shape));
    const double mass = 0.5, inertia = 0.4 * mass * 0.04;
    const ov_cloth_options options = {.gravity = {OV_ZERO, OV_ZERO, OV_ZERO}};
    make_square(1.0, 0.0, 14, &options);
    ov_cloth_collider c = {.shape = &shape, .inverse_mass = 1.0 / mass};
    c.inverse_inertia.cx.x = c.inverse_inertia.cy.y = c.inverse_inertia.cz.z = 1.0 / inertia;
    ov_vec3 at = {0.05, -0.03, 0.3}, v = {0.0, 0.0, -2.0};
    for (int i = 0; i < 30; i++) {
        c.start.position = at;
        c.end.position = ov_vec3_add_scaled(at, v, frame);
        c.impulse = c.angular_impulse = ov_vec3_make(0.0, 0.0, 0.0);
        CHECK_OK(ov_cloth_step(g.cloth, &c, 1, frame));
        v = ov_vec3_add_scaled(v, c.impulse, 1.0 / mass);
        at = ov_vec3_add_scaled(at, v, frame);
    }
    ov_vec3 sum = ov_vec3_add_scaled(state().momentum, v, mass);
    check_worst("momentum of ball and cloth, off by", fabs(sum.z + 2.0 * mass), 1e-3);
    CHECK_NEAR(sum.z, -2.0 * mass, 1e-3 * 2.0 * mass);
    CHECK(v.z > -2.0 && v.z < 0.0);
    ov_cloth_destroy(g.cloth);
}

/** A strip on an incline holds while tan(angle) is below the coefficient, and slides beyond. */
static void test_friction(void) {
    for (int k = 0; k < 2; k++) {
        const double mu = 0.4, angle = atan(mu * (k == 0 ? 0.97 : 1.03));
        ov_shape ground;
        CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(sin(angle), 0.0, cos(angle)), 0.0, &ground));
        ov_cloth_collider c = {.shape = &ground, .friction = mu};
        CHECK_OK(make_grid(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(cos(angle), 0.0, -sin(angle)),
                           ov_vec3_make(0.0, 1.0, 0.0), 8, 8, NULL));
        run(&c, 1, 60);
        double speed = state().momentum.x / state().mass / cos(angle);
        double slide = 9.81 * (sin(angle) - mu * cos(angle));
        CHECK_NEAR(speed, k == 0 ? 0.0 : slide, k == 0 ? 1e-3 : 0.05 * slide);
        ov_cloth_destroy(g.cloth);
    }
}

/** Flat on a box and on a half-space: back with a share of the speed. */
static void test_bounce(void) {
    for (int k = 0; k < 2; k++) {
        ov_shape ground;
        CHECK_OK(k == 0 ? ov_shape_make_box(ov_vec3_make(2.0, 2.0, 0.5), &ground)
                        : ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.5, &ground));
        ov_cloth_collider c = {.shape = &ground, .restitution = 0.6};
        const ov_cloth_options options = {.gravity = {OV_ZERO, OV_ZERO, OV_ZERO}};
        make_square(1.0, 0.6, 6, &options);
        for (uint32_t i = 0; i < g.count; i++) {
            CHECK_OK(ov_cloth_set(g.cloth, i, g.x[i], ov_vec3_make(0.0, 0.0, -2.0)));
        }
        run(&c, 1, 10);
        CHECK_NEAR(state().momentum.z / state().mass, 1.2, k == 0 ? 0.1 : 1e-6);
        ov_cloth_destroy(g.cloth);
    }
}

/* ---- holding, tearing, wind */

static void test_holding(void) {
    make_square(1.0, 0.0, 8, NULL);
    const ov_vec3 zero = {0.0, 0.0, 0.0}, up = {-0.5, -0.5, 0.4};
    CHECK_OK(ov_cloth_pin(g.cloth, 0, up));
    run(NULL, 0, 1);
    CHECK(memcmp(&g.x[0], &up, sizeof up) == 0 || ov_vec3_length(ov_vec3_sub(g.x[0], up)) < 1e-12);
    run(NULL, 0, 30);
    CHECK_NEAR(g.x[0].z, 0.4, 1e-12);
    CHECK_OK(ov_cloth_grab(g.cloth, 80, ov_vec3_make(0.5, 0.5, 0.5), 500.0));
    run(NULL, 0, 300);
    CHECK(fabs(g.x[80].z - 0.5) < 0.05);
    CHECK_OK(ov_cloth_release(g.cloth, 0));
    CHECK_OK(ov_cloth_release(g.cloth, 80));
    CHECK_OK(ov_cloth_release(g.cloth, 80));
    double before = g.x[0].z;
    run(NULL, 0, 30);
    CHECK(g.x[0].z < before - 0.5 && g.x[80].z < 0.0);
    // on a body that turns
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(0.1, &shape));
    ov_cloth_collider c = {.shape = &shape};
    c.end.position = c.start.position = ov_vec3_make(0.0, 0.0, 3.0);
    CHECK_OK(ov_cloth_pin_to(g.cloth, 40, 0, ov_vec3_make(0.1, 0.0, 0.0)));
    for (int i = 0; i < 20; i++) {
        c.start = c.end;
        c.end.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), 0.05 * (i + 1));
        run(&c, 1, 1);
    }
    ov_vec3 held = {0.1 * cos(1.0), 0.1 * sin(1.0), 3.0};
    CHECK(ov_vec3_length(ov_vec3_sub(g.x[40], held)) < 1e-9);
    uint32_t vertex;
    double distance;
    const uint32_t *t = ov_cloth_triangles(g.cloth)[7];
    ov_vec3 a = g.x[t[0]], u = ov_vec3_sub(g.x[t[1]], a), v = ov_vec3_sub(g.x[t[2]], a);
    ov_vec3 inside = ov_vec3_add_scaled(ov_vec3_add_scaled(a, u, 0.2), v, 0.1);
    ov_vec3 normal = ov_vec3_normalize(ov_vec3_cross(u, v));
    CHECK_OK(ov_cloth_pick(g.cloth, ov_vec3_add_scaled(inside, normal, 1e-4),
                           ov_vec3_scale(normal, -2.0), &vertex, &distance));
    CHECK(vertex == t[0] && fabs(distance - 1e-4) < 1e-9);
    CHECK_STATUS(ov_cloth_pick(g.cloth, held, zero, &vertex, NULL), OV_ERROR_ZERO_DIRECTION);
    ov_cloth_destroy(g.cloth);
}

/** A body that holds a cloth carries its weight. */
static void test_carrying(void) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_sphere(0.01, &shape));
    ov_cloth_collider c = {.shape = &shape};
    make_square(1.0, 0.0, 8, NULL);
    CHECK_OK(ov_cloth_pin_to(g.cloth, 40, 0, ov_vec3_make(0.0, 0.0, 0.0)));
    settle(&c, 1, 300);
    c.impulse = ov_vec3_make(0.0, 0.0, 0.0);
    run(&c, 1, 60);
    CHECK_NEAR(-c.impulse.z, 9.81 * state().mass, 0.02 * 9.81 * state().mass);
    ov_cloth_destroy(g.cloth);
}

/** Torn from its pins by its weight where that is too much, and only there. */
static void test_tearing(void) {
    for (int k = 0; k < 2; k++) {
        // the first row carries 1 m of cloth: about 2 N/m
        const ov_cloth_options options = {.tear = k == 0 ? 200.0 : 1.0, .air = 1.2};
        make_square(1.0, 0.0, 8, &options);
        for (uint32_t i = 0; i <= 8; i++) {
            CHECK_OK(ov_cloth_pin(g.cloth, i, g.x[i]));
        }
        for (int i = 0; i < 120; i++) {
            CHECK_OK(ov_cloth_step(g.cloth, NULL, 0, frame));
        }
        CHECK(k == 0 ? state().tears == 0 : state().tears > 0);
        CHECK(ov_cloth_vertex_count(g.cloth) == g.count + state().tears);
        CHECK(ov_cloth_triangle_count(g.cloth) == 128);
        CHECK_NEAR(state().mass, 0.2, 1e-12);
        ov_cloth_destroy(g.cloth);
    }
}

/** Terminal speed of a sheet that falls flat: its weight is the pressure of the air. */
static void test_wind(void) {
    const ov_cloth_options options = {.air = 1.2};
    make_square(1.0, 0.0, 6, &options);
    run(NULL, 0, 200);
    CHECK_NEAR(-state().momentum.z / state().mass, sqrt(2.0 * 0.2 * 9.81 / 1.2), 0.02);
    ov_cloth_destroy(g.cloth);
    const ov_cloth_options windy = {.wind = {0.0, 0.0, 5.0}};
    make_square(1.0, 0.0, 6, &windy);
    run(NULL, 0, 60);
    CHECK_NEAR(state().momentum.z / state().mass, 5.0 - sqrt(2.0 * 0.2 * 9.81 / 1.2), 0.1);
    CHECK_OK(ov_cloth_set_wind(g.cloth, ov_vec3_make(3.0, 0.0, 0.0)));
    run(NULL, 0, 60);
    CHECK(state().momentum.z < 0.0);
    ov_cloth_destroy(g.cloth);
}

/* ---- the same again */

static void scene(ov_cloth_collider colliders[3], ov_shape shapes[3]) {
    CHECK_OK(make_kind(1, &shapes[0]));
    CHECK_OK(make_kind(2, &shapes[1]));
    CHECK_OK(make_kind(10, &shapes[2]));
    for (int i = 0; i < 3; i++) {
        colliders[i] = (ov_cloth_collider){.shape = &shapes[i]};
    }
    colliders[0].start.position.x = colliders[0].end.position.x = -0.6;
    colliders[1].start.position.x = colliders[1].end.position.x = 0.6;
}

static uint64_t hash_positions(void) {
    uint64_t hash = 1469598103934665603u;
    CHECK_OK(ov_cloth_positions(g.cloth, g.x));
    const unsigned char *bytes = (const unsigned char *)g.x;
    for (size_t i = 0; i < g.count * sizeof *g.x; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

/** Moves the first body, so that steps differ. */
static void lead(ov_cloth_collider *c, int step) {
    c->start = c->end;
    c->end.position.z = 0.1 * sin(0.1 * step);
}

static void test_same_bits(void) {
    uint64_t hash[3];
    for (unsigned k = 0; k < 3; k++) {
        ov_shape shapes[3];
        ov_cloth_collider colliders[3];
        scene(colliders, shapes);
        const ov_cloth_options options = {
            .threads = {.count = k == 0 ? 1 : 2 * k}, .self_collision = true, .bending = 1e-4};
        make_square(2.0, 0.7, 12, &options);
        for (int i = 0; i < 40; i++) {
            lead(&colliders[0], i);
            CHECK_OK(ov_cloth_step(g.cloth, colliders, 3, frame));
        }
        hash[k] = hash_positions();
        ov_cloth_destroy(g.cloth);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

/** So many triangles about one body that several threads share them. */
static void test_same_bits_of_many(void) {
    uint64_t hash[2];
    ov_shape shape;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.2, 1.2, 0.4), 0.7, 0.8, &shape));
    for (unsigned k = 0; k < 2; k++) {
        const ov_cloth_options options = {.threads = {.count = 1 + 2 * k}};
        ov_cloth_collider c = {.shape = &shape};
        make_square(2.0, 0.41, 50, &options);
        run(&c, 1, check_share(12));
        CHECK(check_every() > 1 || state().contacts > 100);
        hash[k] = hash_positions();
        ov_cloth_destroy(g.cloth);
    }
    CHECK(hash[0] == hash[1]);
}

static void test_snapshot(void) {
    ov_shape shapes[3];
    ov_cloth_collider colliders[3];
    scene(colliders, shapes);
    const ov_cloth_options options = {.self_collision = true, .bending = 1e-4, .tear = 500.0};
    make_square(2.0, 0.7, 12, &options);
    CHECK_OK(ov_cloth_pin(g.cloth, 5, g.x[5]));
    for (int i = 0; i < 25; i++) {
        lead(&colliders[0], i);
        CHECK_OK(ov_cloth_step(g.cloth, colliders, 3, frame));
    }
    size_t size = ov_cloth_snapshot_size(g.cloth);
    unsigned char *copy = malloc(size);
    CHECK_OK(ov_cloth_save(g.cloth, copy, size));
    CHECK_STATUS(ov_cloth_save(g.cloth, copy, size - 1), OV_ERROR_COUNT);
    const ov_cloth_collider kept = colliders[0];
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        if (k == 2) { // another cloth of the same kind
            ov_cloth_destroy(g.cloth);
            make_square(2.0, 0.7, 12, &options);
        }
        if (k > 0) {
            CHECK_OK(ov_cloth_load(g.cloth, copy, size));
            colliders[0] = kept;
        }
        for (int i = 25; i < 40; i++) {
            lead(&colliders[0], i);
            CHECK_OK(ov_cloth_step(g.cloth, colliders, 3, frame));
        }
        hash[k] = hash_positions();
    }
    CHECK(hash[0] == hash[1]);
    CHECK(hash[0] == hash[2]);
    // cut off, damaged or none
    CHECK_STATUS(ov_cloth_load(g.cloth, copy, 10), OV_ERROR_COUNT);
    CHECK_STATUS(ov_cloth_load(g.cloth, copy, size - 1), OV_ERROR_COUNT);
    for (size_t at = 24; at < size; at += 1 + size / 50) {
        copy[at] ^= 4;
        CHECK_STATUS(ov_cloth_load(g.cloth, copy, size), OV_ERROR_FILE_FORMAT);
        copy[at] ^= 4;
    }
    memset(copy, 0, size);
    CHECK_STATUS(ov_cloth_load(g.cloth, copy, size), OV_ERROR_FILE_FORMAT);
    CHECK(hash_positions() == hash[2]);
    free(copy);
    ov_cloth_destroy(g.cloth);
}

/* ---- bad input */

static void test_bad_cloth(void) {
    ov_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t good[2][3] = {{0, 1, 2}, {1, 3, 2}};
    ov_cloth *c = (ov_cloth *)x;
    CHECK_STATUS(ov_cloth_create(NULL, 4, good, 2, NULL, &c), OV_ERROR_NULL);
    CHECK(c == NULL);
    CHECK_STATUS(ov_cloth_create(x, 4, NULL, 2, NULL, &c), OV_ERROR_NULL);
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_cloth_create(x, 2, good, 2, NULL, &c), OV_ERROR_COUNT);
    CHECK_STATUS(ov_cloth_create(x, 4, good, 0, NULL, &c), OV_ERROR_COUNT);
    CHECK_STATUS(ov_cloth_create(x, OV_CLOTH_MAX + 1, good, 2, NULL, &c), OV_ERROR_COUNT);
    CHECK_STATUS(ov_cloth_create(x, 3, good, 2, NULL, &c), OV_ERROR_INDEX);
    CHECK_STATUS(ov_cloth_create(x, 4, good, 1, NULL, &c), OV_ERROR_DEGENERATE); // a lone vertex
    const uint32_t twice[1][3] = {{0, 1, 1}};
    CHECK_STATUS(ov_cloth_create(x, 3, twice, 1, NULL, &c), OV_ERROR_DEGENERATE);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        x[1].y = bad[i];
        CHECK_STATUS(ov_cloth_create(x, 4, good, 2, NULL, &c), OV_ERROR_NOT_FINITE);
    }
    x[1].y = 1e10;
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, NULL, &c), OV_ERROR_SIZE_RANGE);
    x[1] = ov_vec3_make(0.0, 2.0, 0.0);
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, NULL, &c), OV_ERROR_DEGENERATE); // no area
    x[1] = ov_vec3_make(1e-12, 0.0, 0.0);
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, NULL, &c), OV_ERROR_SIZE_RANGE);
    x[1] = ov_vec3_make(1.0, 0.0, 0.0);
    ov_cloth_options o = {0};
    double *numbers[] = {&o.density, &o.stretch,  &o.shear, &o.bending, &o.thickness,
                         &o.damping, &o.friction, &o.air,   &o.tear,    &o.stiffness};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const double wrong[] = {-1.0, NAN, INFINITY};
        for (int k = 0; k < 3; k++) {
            *numbers[i] = wrong[k];
            CHECK_STATUS(ov_cloth_create(x, 4, good, 2, &o, &c), OV_ERROR_OPTION);
        }
        *numbers[i] = 0.0;
    }
    o.wind.x = NAN;
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, &o, &c), OV_ERROR_NOT_FINITE);
    o.wind.x = 1e300;
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, &o, &c), OV_ERROR_SIZE_RANGE);
    o.wind.x = 0.0;
    o.threads.count = OV_THREADS_MAX + 1;
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, &o, &c), OV_ERROR_OPTION);
    o = (ov_cloth_options){.self_collision = true, .thickness = 0.5};
    CHECK_STATUS(ov_cloth_create(x, 4, good, 2, &o, &c), OV_ERROR_OPTION);
    // a second sheet that stands through the first
    const ov_vec3 through[7] = {{0, 0, 0},      {1, 0, 0},     {0, 1, 0},    {1, 1, 0},
                                {0.3, 0.3, -1}, {0.4, 0.3, 1}, {0.3, 0.4, 1}};
    const uint32_t three[3][3] = {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}};
    o.thickness = 0.0;
    CHECK_STATUS(ov_cloth_create(through, 7, three, 3, &o, &c), OV_ERROR_CROSSING);
    CHECK(c == NULL);
    // two sheets with a seam that is not sewn: the edges touch
    const ov_vec3 seam[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}};
    const uint32_t two[2][3] = {{0, 1, 2}, {3, 4, 5}};
    CHECK_STATUS(ov_cloth_create(seam, 6, two, 2, &o, &c), OV_ERROR_CROSSING);
    ov_cloth_destroy(NULL);
}

static void test_bad_steps(void) {
    ov_shape shape, bent;
    CHECK_OK(ov_shape_make_sphere(0.2, &shape));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 3.0, &bent));
    make_square(1.0, 0.0, 4, NULL);
    uint64_t hash = hash_positions();
    ov_cloth_collider c = {.shape = &shape}, bad;
    CHECK_STATUS(ov_cloth_step(NULL, &c, 1, frame), OV_ERROR_NULL);
    CHECK_STATUS(ov_cloth_step(g.cloth, NULL, 1, frame), OV_ERROR_NULL);
    const double times[] = {0.0, -1.0, NAN, INFINITY, 11.0};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        CHECK_STATUS(ov_cloth_step(g.cloth, &c, 1, times[i]), OV_ERROR_OPTION);
    }
    bad = (ov_cloth_collider){0};
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_NULL);
    bad = c;
    bad.start.position.x = NAN;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_NOT_FINITE);
    bad = c;
    bad.end.rotation.w = INFINITY;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_NOT_FINITE);
    bad = c;
    bad.inverse_mass = -1.0;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_OPTION);
    bad.inverse_mass = 1.0;
    bad.inverse_inertia.cx.x = -1.0;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_OPTION);
    bad.inverse_inertia.cx = ov_vec3_make(0.0, 1.0, 0.0); // not symmetric
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_OPTION);
    bad.inverse_mass = NAN;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_NOT_FINITE);
    bad = c;
    bad.restitution = 1.5;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_OPTION);
    bad = (ov_cloth_collider){.shape = &bent};
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_UNSUPPORTED);
    CHECK_OK(
        ov_shape_make_segment(ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0), &bent));
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_UNSUPPORTED); // nothing to meet
    bad = c;
    bad.start.position.z = 1e5;
    bad.end.position.z = -1e5;
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_LIMIT);
    // a speed that is too much is forgotten when another one is set
    CHECK_OK(ov_cloth_set(g.cloth, 0, g.x[0], ov_vec3_make(1e8, 0.0, 0.0)));
    CHECK_STATUS(ov_cloth_step(g.cloth, &c, 1, frame), OV_ERROR_LIMIT);
    CHECK_OK(ov_cloth_set(g.cloth, 0, g.x[0], ov_vec3_make(0.0, 0.0, 0.0)));
    CHECK_OK(ov_cloth_step(g.cloth, &c, 1, frame));
    CHECK_OK(ov_cloth_set(g.cloth, 0, g.x[0], ov_vec3_make(0.0, 0.0, 0.0)));
    hash = hash_positions();
    CHECK_STATUS(ov_cloth_step(g.cloth, &bad, 1, frame), OV_ERROR_LIMIT);
    CHECK(hash_positions() == hash);
    const ov_vec3 p = {0.0, 0.0, 0.0}, q = {NAN, 0.0, 0.0};
    CHECK_STATUS(ov_cloth_pin(NULL, 0, p), OV_ERROR_NULL);
    CHECK_STATUS(ov_cloth_pin(g.cloth, 25, p), OV_ERROR_INDEX);
    CHECK_STATUS(ov_cloth_pin(g.cloth, 0, q), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_cloth_pin_to(g.cloth, 0, OV_NO_COLLIDER, p), OV_ERROR_INDEX);
    CHECK_STATUS(ov_cloth_grab(g.cloth, 0, p, 0.0), OV_ERROR_OPTION);
    CHECK_STATUS(ov_cloth_grab(g.cloth, 0, p, NAN), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_cloth_set(g.cloth, 0, q, p), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_cloth_set(g.cloth, 0, p, ov_vec3_make(1e10, 0.0, 0.0)), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_cloth_set(g.cloth, 99, p, p), OV_ERROR_INDEX);
    CHECK_STATUS(ov_cloth_release(g.cloth, 99), OV_ERROR_INDEX);
    CHECK_STATUS(ov_cloth_grab(g.cloth, 0, p, 1e300), OV_ERROR_OPTION);
    CHECK_STATUS(ov_cloth_set_gravity(g.cloth, q), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_cloth_set_wind(g.cloth, ov_vec3_make(0.0, 1e200, 0.0)), OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_cloth_set_wind(NULL, p), OV_ERROR_NULL);
    CHECK_STATUS(ov_cloth_measure(g.cloth, NULL), OV_ERROR_NULL);
    CHECK(ov_cloth_vertex_count(NULL) == 0 && ov_cloth_triangles(NULL) == NULL);
    ov_cloth_destroy(g.cloth);
}

int main(void) {
    check_suite = "test_cloth";
    RUN(test_catenary);
    RUN(test_hanging);
    RUN(test_strip);
    RUN(test_cantilever);
    RUN(test_bending_energy);
    RUN(test_momentum);
    RUN(test_kinds);
    RUN(test_contact_modes);
    RUN(test_fast_bodies);
    RUN(test_pulled);
    RUN(test_pinned_inside);
    RUN(test_squeezed);
    RUN(test_two_ways);
    RUN(test_friction);
    RUN(test_bounce);
    RUN(test_holding);
    RUN(test_carrying);
    RUN(test_tearing);
    RUN(test_wind);
    RUN(test_same_bits);
    RUN(test_same_bits_of_many);
    RUN(test_snapshot);
    RUN(test_bad_cloth);
    RUN(test_bad_steps);
    return check_finish();
}
