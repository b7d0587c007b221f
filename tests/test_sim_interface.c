/**
 * @file test_sim_interface.c
 * @brief Simulations: statuses of bad input, memory that runs out, threads, snapshots, models,
 * motors, springs, drags and led bodies.
 */
#include <string.h>

#include "../bench/puppet.h"
#include <ovoid/sim_cloth.h>

#include "sim_cases.h"

/* ---- bad input */

static void test_options(void) {
    ov_sim *sim = NULL;
    CHECK_STATUS(ov_sim_create(NULL, NULL), OV_ERROR_NULL);
    const ov_sim_options bad[] = {{.substeps = -1},       {.substeps = OV_SIM_SUBSTEPS_MAX + 1},
                                  {.iterations = -1},     {.mode = OV_SIM_MODE_COUNT},
                                  {.push_speed = -1.0},   {.sleep_time = -1.0},
                                  {.bounce_speed = -1.0}, {.threads.count = OV_THREADS_MAX + 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_sim_create(&bad[i], &sim), OV_ERROR_OPTION);
        CHECK(sim == NULL);
    }
    CHECK_STATUS(ov_sim_create(&(ov_sim_options){.gravity = {NAN, 0, 0}}, &sim),
                 OV_ERROR_NOT_FINITE);
    CHECK_OK(ov_sim_create(NULL, &sim));
    CHECK_STATUS(ov_sim_step(NULL, 0.1), OV_ERROR_NULL);
    CHECK_STATUS(ov_sim_step(sim, 0.0), OV_ERROR_OPTION);
    CHECK_STATUS(ov_sim_step(sim, -0.1), OV_ERROR_OPTION);
    CHECK_STATUS(ov_sim_step(sim, NAN), OV_ERROR_NOT_FINITE);
    CHECK_OK(ov_sim_step(sim, 0.1)); // nothing in it
    CHECK(summary_of(sim).frames == 1);
    ov_sim_destroy(sim);
    ov_sim_destroy(NULL);
}

/** At the ends of all ranges momenta and energies are still numbers. */
static void test_extremes(ov_sim *sim, ov_sim_body ball) {
    const double ends[2] = {1e-99, 1e99};
    for (int i = 0; i < 2; i++) {
        const ov_mat3 rod = {{0.5 * ends[i], 0, 0}, {0, 0.5 * ends[i], 0}, {0, 0, 2e-11 * ends[i]}};
        ov_sim_body body = add(
            sim, (ov_sim_body_def){.mass = {.mass = ends[i], .inertia = rod},
                                   .pose.position = {OV_POSITION_MAX, 0, 0},
                                   .angular_velocity = {0, OV_SIM_SPEED_MAX, OV_SIM_SPEED_MAX}});
        ov_sim_body_state state = state_of(sim, body);
        CHECK(isfinite(ov_vec3_length(state.angular_momentum)));
        CHECK_NEAR(state.angular_velocity.z, OV_SIM_SPEED_MAX, 1e-9 * OV_SIM_SPEED_MAX);
        CHECK_OK(ov_sim_set_velocity(sim, body, (ov_vec3){0, OV_SIM_SPEED_MAX, 0}, state.velocity));
        CHECK(isfinite(summary_of(sim).kinetic));
        CHECK(isfinite(ov_vec3_length(summary_of(sim).angular_momentum)));
        CHECK_OK(ov_sim_remove_body(sim, body));
    }
    // a led body that would have to be too fast ends the frame, and nothing has moved
    ov_sim_body led = add(sim, (ov_sim_body_def){.kind = OV_SIM_BODY_KIND_KINEMATIC});
    ov_vec3 before = state_of(sim, ball).centre;
    CHECK_OK(ov_sim_lead(sim, led, (ov_pose){{OV_POSITION_MAX, 0, 0}, ov_quat_identity()}));
    CHECK_STATUS(ov_sim_step(sim, 1e-3), OV_ERROR_NOT_FINITE);
    CHECK(ov_vec3_length(ov_vec3_sub(state_of(sim, ball).centre, before)) == 0.0);
    CHECK(ov_vec3_length(state_of(sim, led).velocity) == 0.0);
    CHECK_OK(ov_sim_lead(sim, led, (ov_pose){{1, 0, 0}, ov_quat_identity()}));
    CHECK_OK(ov_sim_step(sim, 1e-3));
    CHECK(state_of(sim, led).centre.x == 1.0);
}

static void test_bad_bodies(void) {
    ov_geometry *g = ball_of(0.1), *floor = ground((ov_vec3){0, 0, 1});
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 0, false);
    ov_sim_body body;
    const ov_mat3 unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct {
        ov_sim_body_def def;
        ov_status status;
    } bad[] = {
        {{.geometry = NULL}, OV_ERROR_NULL},
        {{.mass.mass = 1.0}, OV_ERROR_WEIGHT},
        {{.geometry = floor}, OV_ERROR_UNBOUNDED},
        {{.geometry = g, .mass.mass = -1.0}, OV_ERROR_WEIGHT},
        {{.geometry = g, .mass.mass = INFINITY}, OV_ERROR_NOT_FINITE},
        {{.geometry = g, .mass = {.mass = 1.0, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 3}}}},
         OV_ERROR_WEIGHT},
        {{.geometry = g, .mass = {.mass = 1.0, .inertia = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
         OV_ERROR_WEIGHT},
        {{.geometry = g, .density = -5.0}, OV_ERROR_WEIGHT},
        {{.geometry = g, .friction = -0.1}, OV_ERROR_OPTION},
        {{.geometry = g, .restitution = 1.5}, OV_ERROR_OPTION},
        {{.geometry = g, .damping = -1.0}, OV_ERROR_OPTION},
        {{.geometry = g, .kind = OV_SIM_BODY_KIND_COUNT}, OV_ERROR_OPTION},
        {{.geometry = g, .velocity = {0, NAN, 0}}, OV_ERROR_NOT_FINITE},
        {{.geometry = g, .pose.position = {INFINITY, 0, 0}}, OV_ERROR_NOT_FINITE},
        {{.geometry = g, .pose.position = {1e101, 0, 0}}, OV_ERROR_SIZE_RANGE},
        {{.geometry = g, .velocity = {0, 1e60, 0}}, OV_ERROR_SIZE_RANGE},
        {{.geometry = g, .angular_velocity = {0, 0, -1e60}}, OV_ERROR_SIZE_RANGE},
        {{.geometry = g, .mass.mass = 1e150}, OV_ERROR_WEIGHT},
        {{.mass = {.mass = 1.0, .inertia = unit, .centroid = {0, 1e150, 0}}}, OV_ERROR_WEIGHT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_sim_add_body(sim, &bad[i].def, &body), bad[i].status);
        CHECK(body == 0);
    }
    CHECK(summary_of(sim).bodies == 0);
    ov_sim_body good = add(sim, (ov_sim_body_def){.mass = {.mass = 1.0, .inertia = unit}});
    CHECK_STATUS(ov_sim_apply_force(sim, good, (ov_vec3){NAN, 0, 0}, down, down),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_sim_set_velocity(sim, good, down, (ov_vec3){0, INFINITY, 0}),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_sim_lead(sim, good, ov_pose_identity()), OV_ERROR_OPTION);
    CHECK_STATUS(ov_sim_remove_body(sim, good + 1), OV_ERROR_INDEX);
    CHECK_OK(ov_sim_remove_body(sim, good));
    CHECK_STATUS(ov_sim_wake(sim, good), OV_ERROR_INDEX);
    ov_sim_body_state state;
    CHECK_STATUS(ov_sim_body_get(sim, 0, &state), OV_ERROR_INDEX);
    // a force beyond all numbers ends the frame with a status, and the body stays
    good = add(sim, (ov_sim_body_def){.geometry = g});
    CHECK_OK(ov_sim_apply_force(sim, good, (ov_vec3){1e308, 0, 0}, (ov_vec3){0, 0, 0}, down));
    ov_status status = ov_sim_step(sim, 1e3);
    CHECK(status < 0);
    CHECK(ov_vec3_is_finite(state_of(sim, good).centre));
    CHECK_OK(
        ov_sim_apply_force(sim, good, (ov_vec3){-1e308, 0, 0}, (ov_vec3){0, 0, 0}, weightless));
    CHECK_STATUS(ov_sim_set_velocity(sim, good, (ov_vec3){1e300, 0, 0}, weightless),
                 OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_sim_apply_impulse(sim, good, weightless, weightless, (ov_vec3){1e300, 0, 0}),
                 OV_ERROR_SIZE_RANGE);
    test_extremes(sim, good);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
    ov_geometry_destroy(floor);
}

static void test_bad_joints(void) {
    ov_geometry *g = ball_of(0.1);
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 0, false);
    ov_sim_body a = add(sim, (ov_sim_body_def){.geometry = g});
    ov_sim_body held = add(sim, (ov_sim_body_def){.geometry = g, .kind = OV_SIM_BODY_KIND_FIXED});
    ov_sim_joint joint;
    const struct {
        ov_sim_joint_def def;
        ov_status status;
    } bad[] = {
        {{.a = a, .b = a}, OV_ERROR_OPTION},
        {{.a = held}, OV_ERROR_OPTION},
        {{.a = 0, .b = 0}, OV_ERROR_OPTION},
        {{.a = a + 77}, OV_ERROR_INDEX},
        {{.a = a, .kind = OV_JOINT_KIND_COUNT}, OV_ERROR_OPTION},
        {{.a = a, .kind = OV_JOINT_KIND_REVOLUTE, .lower = 1.0, .upper = 0.5}, OV_ERROR_OPTION},
        {{.a = a, .kind = OV_JOINT_KIND_REVOLUTE, .lower = NAN}, OV_ERROR_NOT_FINITE},
        {{.a = a, .kind = OV_JOINT_KIND_SPHERICAL, .swing = 4.0}, OV_ERROR_OPTION},
        {{.a = a, .stiffness = -1.0}, OV_ERROR_OPTION},
        {{.a = a, .axis = {NAN, 0, 0}}, OV_ERROR_NOT_FINITE},
        {{.a = a, .frame_a.position = {1e101, 0, 0}}, OV_ERROR_SIZE_RANGE},
        {{.a = a, .motor_speed = 1e60, .motor_limit = 1.0}, OV_ERROR_SIZE_RANGE},
        {{.a = a, .kind = OV_JOINT_KIND_PRISMATIC, .upper = 1e200}, OV_ERROR_SIZE_RANGE},
        {{.a = a, .stiffness = 1.0, .rest = 1e200}, OV_ERROR_SIZE_RANGE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(ov_sim_add_joint(sim, &bad[i].def, &joint), bad[i].status);
        CHECK(joint == 0);
    }
    CHECK_STATUS(ov_sim_remove_joint(sim, 5), OV_ERROR_INDEX);
    CHECK_STATUS(ov_sim_add_drag(sim, &(ov_sim_drag_def){.body = held}, &joint), OV_ERROR_OPTION);
    joint = join(sim, (ov_sim_joint_def){.b = a});
    CHECK_STATUS(ov_sim_set_motor(sim, joint, 1.0, 1.0), OV_ERROR_OPTION);
    CHECK_STATUS(ov_sim_move_drag(sim, joint, down), OV_ERROR_OPTION);
    CHECK_OK(ov_sim_remove_body(sim, a)); // and its joint
    CHECK(summary_of(sim).joints == 0);
    ov_sim_destroy(sim);
    ov_geometry_destroy(g);
}

/* ---- masses */

static void test_mass(void) {
    // two boxes side by side are one of twice the length; a mesh of it has the same mass
    ov_shape half, whole;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.5, 0.3, 0.2}, &half));
    CHECK_OK(ov_shape_make_box((ov_vec3){1.0, 0.3, 0.2}, &whole));
    const ov_part parts[2] = {{.shape = half, .pose.position = {-0.5, 0, 0}},
                              {.shape = half, .pose.position = {0.5, 0, 0}}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    ov_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = (ov_vec3){i & 1 ? 1.0 : -1.0, i & 2 ? 0.3 : -0.3, i & 4 ? 0.2 : -0.2};
    }
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(corners, 8, faces, 12, NULL, &mesh));
    const ov_part solid = {.mesh = mesh};
    ov_geometry *pair = NULL, *box = geometry_of(whole), *skin = NULL;
    CHECK_OK(ov_geometry_create(parts, 2, NULL, &pair));
    CHECK_OK(ov_geometry_create(&solid, 1, NULL, &skin));
    ov_mass a, b, c;
    CHECK_OK(ov_geometry_mass(box, 700.0, &a));
    CHECK_OK(ov_geometry_mass(pair, 700.0, &b));
    CHECK_OK(ov_geometry_mass(skin, 700.0, &c));
    const ov_mass *others[2] = {&b, &c};
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(others[i]->mass, a.mass, 1e-12 * a.mass);
        CHECK_NEAR(others[i]->inertia.cx.x, a.inertia.cx.x, 1e-12 * a.inertia.cy.y);
        CHECK_NEAR(others[i]->inertia.cy.y, a.inertia.cy.y, 1e-12 * a.inertia.cy.y);
        CHECK_NEAR(others[i]->inertia.cz.z, a.inertia.cz.z, 1e-12 * a.inertia.cy.y);
        CHECK(ov_vec3_length(others[i]->centroid) < 1e-12);
    }
    CHECK_STATUS(ov_geometry_mass(box, 0.0, &a), OV_ERROR_WEIGHT);
    ov_geometry_destroy(pair);
    ov_geometry_destroy(box);
    ov_geometry_destroy(skin);
    ov_trimesh_destroy(mesh);
}

/* ---- a scene of all things */

typedef struct scene {
    puppet_parts parts;
    puppet puppet;
    ov_sim *sim;
} scene;

static ov_status scene_add(scene *s) {
    ov_status status = stairs_add(s->sim, &s->parts);
    ov_pose pose = {{0.0, 0.0, 2.5}, ov_quat_identity()};
    ov_vec3 v = {0.3, 2.0, 0.0}, w = {1.0, 0.5, 0.2};
    status = status < 0 ? status : puppet_add(s->sim, &s->parts, pose, v, w, &s->puppet);
    for (int i = 0; status >= 0 && i < 20; i++) {
        ov_sim_body body;
        ov_sim_body_def def = {.geometry = s->parts.limbs[i % PUPPET_BODIES],
                               .pose.position = {0.3 * (i % 4) - 0.5, 1.0 + 0.1 * i, 3.0 + 0.2 * i},
                               .restitution = 0.3};
        status = ov_sim_add_body(s->sim, &def, &body);
    }
    return status;
}

static uint64_t hash_of(const ov_sim *sim) {
    enum { MOST = 1024 };
    ov_sim_body bodies[MOST];
    size_t count = ov_sim_bodies(sim, bodies, MOST);
    uint64_t hash = 1469598103934665603u;
    CHECK(count <= MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        ov_sim_body_state s = state_of(sim, bodies[i]);
        double numbers[10] = {s.pose.position.x,   s.pose.position.y, s.pose.position.z,
                              s.pose.rotation.w,   s.pose.rotation.x, s.pose.rotation.y,
                              s.pose.rotation.z,   s.velocity.x,      s.velocity.y,
                              s.angular_velocity.z};
        for (int k = 0; k < 10; k++) {
            uint64_t bits;
            memcpy(&bits, &numbers[k], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    return hash;
}

/** The same bits on one, two and five threads, and after going back to a snapshot. */
static void test_same_bits(void) {
    uint64_t hashes[3];
    const unsigned threads[3] = {1, 2, 5};
    for (int k = 0; k < 3; k++) {
        scene s = {.parts = puppet_parts_make()};
        ov_sim_options options = {.threads.count = threads[k]};
        CHECK_OK(ov_sim_create(&options, &s.sim));
        CHECK_OK(scene_add(&s));
        run_for(s.sim, 60, 1.0 / 60.0);
        ov_sim_snapshot *snapshot = NULL;
        CHECK_OK(ov_sim_save(s.sim, &snapshot));
        uint64_t then = hash_of(s.sim);
        run_for(s.sim, 40, 1.0 / 60.0);
        hashes[k] = hash_of(s.sim);
        for (int again = 0; again < 2; again++) {
            CHECK_OK(ov_sim_load(s.sim, snapshot));
            CHECK(hash_of(s.sim) == then);
            run_for(s.sim, 40, 1.0 / 60.0);
            CHECK(hash_of(s.sim) == hashes[k]);
        }
        ov_sim *other = sim_of(down, OV_SIM_MODE_FAST, 0, false);
        CHECK_STATUS(ov_sim_load(other, snapshot), OV_ERROR_OPTION);
        ov_sim_destroy(other);
        ov_sim_destroy(s.sim);
        ov_sim_snapshot_destroy(snapshot);
        puppet_parts_free(&s.parts);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

/** A pile of so many contacts that they are solved by colours, each on all threads. */
static uint64_t hash_of_pile(ov_threads threads, ov_sim_mode mode, const ov_shape *stone,
                             size_t *contacts) {
    enum { SIDE = 9 };
    ov_geometry *geometry = geometry_of(*stone), *floor = ground((ov_vec3){0.0, 0.0, 1.0});
    ov_geometry *wall = ground((ov_vec3){1.0, 0.0, 0.0});
    ov_sim *sim = NULL;
    ov_sim_options options = {.mode = mode, .no_sleep = true, .threads = threads};
    CHECK_OK(ov_sim_create(&options, &sim));
    add(sim, (ov_sim_body_def){.geometry = floor, .kind = OV_SIM_BODY_KIND_FIXED});
    for (int i = 0; i < 4; i++) { // a box about the z axis, open above
        double angle = 0.5 * M_PI * i, half = 0.3 * SIDE;
        add(sim,
            (ov_sim_body_def){.geometry = wall,
                              .kind = OV_SIM_BODY_KIND_FIXED,
                              .pose = {{-half * cos(angle), -half * sin(angle), 0.0},
                                       ov_quat_from_axis_angle((ov_vec3){0.0, 0.0, 1.0}, angle)}});
    }
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        add(sim, (ov_sim_body_def){.geometry = geometry,
                                   .pose.position = {0.58 * (x - 4.0) + 0.03 * sin(i),
                                                     0.58 * (y - 4.0), 0.22 + 0.41 * z}});
    }
    run_for(sim, check_every() == 1 ? 30 : 10, 1.0 / 60.0);
    *contacts = summary_of(sim).contacts;
    uint64_t hash = hash_of(sim);
    ov_sim_destroy(sim);
    ov_geometry_destroy(geometry);
    ov_geometry_destroy(floor);
    ov_geometry_destroy(wall);
    return hash;
}

/** Threads whose work is done by the last one first: each range in another order than by one. */
static void run_backwards(void *user, void (*work)(void *context, unsigned index), void *context,
                          unsigned count) {
    (void)user;
    while (count-- > 0) {
        work(context, count);
    }
}

/** Of eggs, which touch in a point, and of bricks: the points of a pair are solved in their order.
 */
static void test_same_pile(void) {
    enum { WAYS = 4 };
    const ov_threads ways[WAYS] = {
        {.count = 1}, {.count = 2}, {.count = 3}, {.count = 2, .run = run_backwards}};
    ov_shape stones[2];
    CHECK_OK(ov_shape_make_ellipsoid((ov_vec3){0.3, 0.25, 0.2}, &stones[0]));
    CHECK_OK(ov_shape_make_box((ov_vec3){0.27, 0.25, 0.2}, &stones[1]));
    for (int i = 0; i < 2 * OV_SIM_MODE_COUNT; i++) {
        size_t contacts[WAYS];
        uint64_t hashes[WAYS];
        for (int k = 0; k < WAYS; k++) {
            hashes[k] = hash_of_pile(ways[k], (ov_sim_mode)(i / 2), &stones[i % 2], &contacts[k]);
            CHECK(hashes[k] == hashes[0] && contacts[k] == contacts[0]);
        }
        CHECK(contacts[0] > 1000); // several colours, more than one thread's share in each
    }
}

/* ---- memory that runs out */

typedef struct purse {
    long left, alive;
} purse;

static void *from_purse(void *user, void *block, size_t old_size, size_t size) {
    purse *p = user;
    (void)old_size;
    if (size == 0) {
        p->alive -= block != NULL;
        free(block);
        return NULL;
    }
    if (p->left-- <= 0) {
        return NULL;
    }
    void *more = realloc(block, size);
    p->alive += block == NULL && more != NULL;
    return more;
}

static void test_memory(void) {
    puppet_parts parts = puppet_parts_make();
    bool done = false;
    int failures = 0;
    for (long allowed = 0; !done && allowed < 100000; allowed += 1 + allowed * check_every() / 60) {
        purse p = {.left = allowed};
        scene s = {.parts = parts};
        ov_sim_options options = {.threads.count = 1, .allocator = {from_purse, &p}};
        ov_status status = ov_sim_create(&options, &s.sim);
        status = status < 0 ? status : scene_add(&s);
        for (int i = 0; status >= 0 && i < 3; i++) {
            status = ov_sim_step(s.sim, 1.0 / 6.0);
        }
        ov_sim_snapshot *snapshot = NULL;
        status = status < 0 ? status : ov_sim_save(s.sim, &snapshot);
        status = status < 0 ? status : ov_sim_load(s.sim, snapshot);
        done = status == OV_OK;
        failures += status == OV_ERROR_MEMORY;
        CHECK(done || status == OV_ERROR_MEMORY);
        if (!done && s.sim != NULL) { // it goes on once there is memory
            p.left = 100000;
            if (summary_of(s.sim).bodies == 1 + STAIRS + PUPPET_BODIES + 20) {
                CHECK_OK(ov_sim_step(s.sim, 1.0 / 20.0));
            }
        }
        ov_sim_snapshot_destroy(snapshot);
        ov_sim_destroy(s.sim);
        CHECK(p.alive == 0);
    }
    CHECK(done && failures > 10);
    puppet_parts_free(&parts);
}

/* ---- models, motors, springs, drags and led bodies */

static void test_model(void) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_capsule(0.05, 0.2, &shape));
    const ov_part part = {.shape = shape, .pose.position = {0, 0, -0.25}};
    const ov_link_def links[4] = {{.name = "base"},
                                  {.name = "upper", .parts = &part, .part_count = 1},
                                  {.name = "lower", .parts = &part, .part_count = 1},
                                  {.name = "tool"}};
    const ov_joint_def joints[3] = {{.name = "shoulder",
                                     .kind = OV_JOINT_KIND_REVOLUTE,
                                     .parent = 0,
                                     .child = 1,
                                     .origin.position = {0, 0, 1},
                                     .axis = {0, 1, 0},
                                     .lower = -1.0,
                                     .upper = 1.0},
                                    {.name = "elbow",
                                     .kind = OV_JOINT_KIND_SPHERICAL,
                                     .parent = 1,
                                     .child = 2,
                                     .origin.position = {0, 0, -0.5}},
                                    {.name = "grip",
                                     .kind = OV_JOINT_KIND_FIXED,
                                     .parent = 2,
                                     .child = 3,
                                     .origin.position = {0, 0, -0.5}}};
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(links, 4, joints, 3, NULL, &model, NULL));
    ov_sim *sim = sim_of(down, OV_SIM_MODE_FAST, 10, false);
    const double positions[5] = {0.8, 1.0, 0.0, 0.0, 0.0};
    ov_sim_body bodies[4];
    ov_sim_joint made[3];
    ov_fault fault;
    ov_sim_model_def def = {.positions = positions};
    CHECK_STATUS(ov_sim_add_model(sim, model, &def, bodies, made, &fault), OV_ERROR_WEIGHT);
    CHECK(fault.place == OV_FAULT_PLACE_LINK && fault.index == 0 && summary_of(sim).bodies == 0);
    def.fixed = true;
    CHECK_OK(ov_sim_add_model(sim, model, &def, bodies, made, &fault));
    CHECK(bodies[0] == 0 && bodies[1] != 0 && bodies[3] == bodies[2] && made[2] == 0);
    ov_pose poses[4];
    CHECK_OK(ov_model_poses(model, ov_pose_identity(), positions, poses));
    ov_sim_joint_state state;
    CHECK_OK(ov_sim_joint_get(sim, made[0], &state));
    CHECK_NEAR(state.position, 0.8, 1e-12);
    CHECK(state.error < 1e-12);
    CHECK(ov_vec3_length(ov_vec3_sub(state_of(sim, bodies[2]).pose.position, poses[2].position)) <
          1e-12);
    double least = 1.0;
    for (int i = 0; i < 200; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
        CHECK_OK(ov_sim_joint_get(sim, made[0], &state));
        least = fmin(least, state.position);
        CHECK(state.excess < 0.01);
    }
    CHECK(least < -0.5 && summary_of(sim).joint_error < 1e-9);
    ov_sim_destroy(sim);
    ov_model_destroy(model);
}

static void test_drives(void) {
    ov_geometry *g = ball_of(0.1);
    ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 0, false);
    ov_sim_body wheel = add(sim, (ov_sim_body_def){.geometry = g});
    ov_sim_joint motor = join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_CONTINUOUS,
                                                      .b = wheel,
                                                      .axis = {0, 0, 1},
                                                      .motor_speed = 3.0,
                                                      .motor_limit = 0.05});
    ov_sim_body cart = add(sim, (ov_sim_body_def){.geometry = g, .pose.position = {0, 5, 0}});
    ov_sim_joint spring = join(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_PRISMATIC,
                                                       .b = cart,
                                                       .frame_a.position = {0, 5, 0},
                                                       .stiffness = 50.0,
                                                       .damping = 10.0,
                                                       .rest = 0.4});
    ov_sim_body dragged = add(sim, (ov_sim_body_def){.geometry = g, .pose.position = {0, 9, 0}});
    ov_sim_joint drag;
    CHECK_OK(ov_sim_add_drag(
        sim, &(ov_sim_drag_def){.body = dragged, .point = {0, 9, 0}, .target = {1, 9, 0}}, &drag));
    ov_sim_body led = add(sim, (ov_sim_body_def){.geometry = g,
                                                 .kind = OV_SIM_BODY_KIND_KINEMATIC,
                                                 .pose.position = {0, 20, 0}});
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_screw((ov_pose){{0, 30, 0}, {1, 0, 0, 0}}, (ov_vec3){0, 30, 0},
                                    (ov_vec3){0, 0, 1}, 6.0, 3.0, 0.0, 3.0, NULL, &motion));
    ov_sim_body moved =
        add(sim,
            (ov_sim_body_def){.geometry = g, .kind = OV_SIM_BODY_KIND_KINEMATIC, .motion = motion});
    run_for(sim, 1, 1.0 / 60.0);
    // the motor's torque is the limit at first: w = torque t / I
    double inertia = 0.4 * 4.18879020478639 * 0.01;
    CHECK_NEAR(state_of(sim, wheel).angular_velocity.z, 0.05 / 60.0 / inertia, 1e-9);
    run_for(sim, 119, 1.0 / 60.0);
    CHECK_NEAR(state_of(sim, wheel).angular_velocity.z, 3.0, 1e-9);
    ov_sim_joint_state state;
    CHECK_OK(ov_sim_joint_get(sim, spring, &state));
    run_for(sim, 480, 1.0 / 60.0);
    CHECK_OK(ov_sim_joint_get(sim, spring, &state));
    CHECK_NEAR(state.position, 0.4, 1e-4);
    CHECK_NEAR(state_of(sim, dragged).centre.x, 1.0, 1e-4);
    CHECK_OK(ov_sim_lead(sim, led, (ov_pose){{0.5, 20, 0}, {1, 0, 0, 0}}));
    run_for(sim, 1, 1.0 / 60.0);
    CHECK_NEAR(state_of(sim, led).centre.x, 0.5, 1e-12);
    CHECK_NEAR(state_of(sim, moved).centre.z, 3.0, 1e-12); // at the motion's end
    CHECK_OK(ov_sim_set_motor(sim, motor, 0.0, 0.0));
    CHECK_OK(ov_sim_remove_joint(sim, drag));
    ov_sim_destroy(sim);
    ov_motion_destroy(motion);
    ov_geometry_destroy(g);
}

/** Forces and targets hold for a frame, with cloths or without. */
static void test_frame_with_cloths(void) {
    ov_vec3 corners[4];
    uint32_t triangles[2][3];
    CHECK_OK(ov_cloth_grid_fill((ov_vec3){50, 0, 0}, (ov_vec3){1, 0, 0}, (ov_vec3){0, 1, 0}, 1, 1,
                                corners, triangles));
    ov_cloth *cloth = NULL;
    CHECK_OK(ov_cloth_create(corners, 4, (const uint32_t(*)[3])triangles, 2, NULL, &cloth));
    ov_cloth *const cloths[2] = {cloth, NULL};
    ov_geometry *g = ball_of(0.1);
    const double dt = 1.0 / 60.0;
    for (size_t count = 0; count < 2; count++) {
        ov_sim *sim = sim_of(weightless, OV_SIM_MODE_FAST, 0, false);
        ov_sim_body ball = add(sim, (ov_sim_body_def){.geometry = g, .mass.mass = 2.0});
        ov_sim_body led = add(sim, (ov_sim_body_def){.geometry = g,
                                                     .pose.position = {0, 5, 0},
                                                     .kind = OV_SIM_BODY_KIND_KINEMATIC});
        CHECK_OK(
            ov_sim_apply_force(sim, ball, (ov_vec3){12, 0, 0}, (ov_vec3){0, 0, 0}, weightless));
        CHECK_OK(ov_sim_lead(sim, led, (ov_pose){{0, 6, 0}, ov_quat_identity()}));
        CHECK_OK(ov_sim_step_cloths(sim, cloths, count, dt));
        CHECK_NEAR(state_of(sim, ball).velocity.x, 6.0 * dt, 1e-12);
        CHECK_NEAR(state_of(sim, ball).centre.x, 3.0 * dt * dt, 1e-12);
        CHECK_NEAR(state_of(sim, led).velocity.y, 60.0, 1e-9);
        CHECK_NEAR(state_of(sim, led).centre.y, 6.0, 1e-12);
        CHECK(summary_of(sim).frames == 1);
        CHECK_OK(ov_sim_step_cloths(sim, cloths, count, dt)); // that was all
        CHECK_NEAR(state_of(sim, ball).velocity.x, 6.0 * dt, 1e-12);
        CHECK(state_of(sim, led).centre.y == 6.0);
        CHECK_STATUS(ov_sim_step_cloths(sim, cloths, 2, dt), OV_ERROR_NULL);
        CHECK(summary_of(sim).frames == 2);
        ov_sim_destroy(sim);
    }
    ov_cloth_destroy(cloth);
    ov_geometry_destroy(g);
}

int main(void) {
    check_suite = "test_sim_interface";
    RUN(test_options);
    RUN(test_bad_bodies);
    RUN(test_bad_joints);
    RUN(test_mass);
    RUN(test_same_bits);
    RUN(test_same_pile);
    RUN(test_memory);
    RUN(test_model);
    RUN(test_drives);
    RUN(test_frame_with_cloths);
    return check_finish();
}
