/**
 * @file test_io_defaults.c
 * @brief Zero means the default: for every struct of options and every definition, {0}, its
 * ov_default_...() and null give the same to the bit, and a designated initialiser of what is
 * needed is enough. (Those of ovoid/schemes.h are in test_schemes_contact.c.)
 *
 * The cases are such that another value of a field gives another answer, which is checked as well:
 * else a default that is not taken would not be noticed.
 */
#include <string.h>

#include <ovoid/io.h>

#include "check.h"
#include "sweep_cases.h"

static const ov_pose nowhere; // all zeros, as a designated initialiser leaves it

static bool same(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

static bool same_vec3(ov_vec3 a, ov_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_contact(const ov_contact *a, const ov_contact *b) {
    return a->gap == b->gap && a->gap_lower == b->gap_lower && a->gap_upper == b->gap_upper &&
           same_vec3(a->point_a, b->point_a) && same_vec3(a->point_b, b->point_b) &&
           same_vec3(a->normal, b->normal) && a->relation == b->relation &&
           a->status == b->status && a->iterations == b->iterations;
}

static ov_shape ovoid(double size) {
    ov_shape s;
    CHECK_OK(ov_shape_make_superovoid((ov_vec3){size, 0.8 * size, 1.3 * size}, 0.7, 1.4, 0.2, 0.1,
                                      NULL, &s));
    return s;
}

static ov_shape ball(double radius) {
    ov_shape s;
    CHECK_OK(ov_shape_make_sphere(radius, &s));
    return s;
}

static ov_geometry *geometry(ov_shape shape) {
    const ov_part part = {.shape = shape};
    ov_geometry *g = NULL;
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &g));
    return g;
}

/** A pose as a designated initialiser of its position leaves it. */
static ov_pose only(double x, double y, double z) { return (ov_pose){.position = {x, y, z}}; }

/* ---- query.h and shape.h */

static void test_pair_options(void) {
    const ov_shape a = ovoid(1.0), b = ovoid(0.7);
    const ov_pose p = at(0, 0, 0), q = {{1.3, 1.1, 1.9}, {0.9, 0.1, 0.3, 0.2}};
    const ov_pair_options zero = {0}, named = ov_default_pair_options();
    const ov_pair_options loose = {.tolerance = 1e-3};
    const ov_pair_options *same_as[] = {NULL, &zero, &named, &loose};
    ov_contact c[4];
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ov_pair_contact(&a, p, &b, q, same_as[i], NULL, &c[i]));
        CHECK(same_contact(&c[0], &c[i]) == (i < 3));
        const ov_pair pair = {&a, &b, p, q};
        ov_contact batch[2];
        CHECK_OK(ov_pair_contact_batch(&pair, 1, same_as[i], NULL, NULL, &batch[0]));
        CHECK_OK(ov_pair_contact_batch(&pair, 1, NULL, &(ov_threads){.count = 1}, NULL, &batch[1]));
        CHECK(same_contact(&batch[0], &batch[1]) || i == 3);
        ov_answer answer;
        CHECK_OK(ov_pair_exceeds(&a, p, &b, q, 0.1, same_as[i], NULL, &answer));
        ov_cast_hit hit, first;
        CHECK_OK(ov_shape_cast(&a, p, q.position, &b, q, same_as[i], &hit));
        CHECK_OK(ov_shape_cast(&a, p, q.position, &b, q, NULL, &first));
        CHECK(hit.fraction == first.fraction || i == 3);
    }
    // the depth alone, or the tolerance alone
    const ov_pair_options proven = {.depth = OV_DEPTH_PROVEN};
    const ov_pair_options whole = {1e-9, OV_DEPTH_PROVEN};
    const ov_pose in = at(0.9, 0.2, 0.3);
    CHECK_OK(ov_pair_contact(&a, p, &b, in, &proven, NULL, &c[0]));
    CHECK_OK(ov_pair_contact(&a, p, &b, in, &whole, NULL, &c[1]));
    CHECK(same_contact(&c[0], &c[1]) && c[0].relation == OV_RELATION_OVERLAPPING);
    // in the plane
    ov_superellipse curve;
    CHECK_OK(ov_superellipse_make(1.0, 0.5, 0.6, &curve));
    ov_contact2 flat[3];
    for (int i = 0; i < 3; i++) {
        memset(&flat[i], 0, sizeof flat[i]);
        CHECK_OK(ov_superellipse_segment(&curve, (ov_vec2){0, 0}, 0.3, (ov_vec2){2, 1},
                                         (ov_vec2){1.5, -1}, same_as[i], &flat[i]));
        CHECK(flat[i].gap_lower == flat[0].gap_lower && flat[i].gap_upper == flat[0].gap_upper);
    }
}

/** A rotation of zeros is no turn in a pair of a batch, and refused as an argument. */
static void test_pair(void) {
    const ov_shape a = ovoid(1.0), b = ball(0.5);
    const ov_pair pairs[2] = {{.a = &a, .b = &b, .pose_b = only(2, 1, 1)},
                              {&a, &b, at(0, 0, 0), at(2, 1, 1)}};
    ov_contact c[2];
    CHECK_OK(ov_pair_contact_batch(pairs, 2, NULL, NULL, NULL, c));
    CHECK(c[0].status == OV_OK && same_contact(&c[0], &c[1]));
    CHECK_STATUS(ov_pair_contact(&a, nowhere, &b, at(2, 1, 1), NULL, NULL, c),
                 OV_ERROR_ZERO_DIRECTION);
    // a warm start of zeros knows nothing
    ov_warm_start warm = {0};
    CHECK_OK(ov_pair_contact(&a, at(0, 0, 0), &b, at(2, 1, 1), NULL, NULL, &c[0]));
    CHECK_OK(ov_pair_contact(&a, at(0, 0, 0), &b, at(2, 1, 1), NULL, &warm, &c[1]));
    CHECK(same_contact(&c[0], &c[1]));
}

static void test_shape_options(void) {
    const ov_vec3 axes = {1, 1, 1};
    const ov_shape_options zero = {0}, named = ov_default_shape_options();
    const ov_shape_options none = {.dent_tolerance = OV_ZERO};
    ov_shape s[3];
    memset(s, 0, sizeof s);
    CHECK_OK(ov_shape_make_superovoid(axes, 1.2, 0.6, 0.5, -0.3, NULL, &s[0]));
    CHECK_OK(ov_shape_make_superovoid(axes, 1.2, 0.6, 0.5, -0.3, &zero, &s[1]));
    CHECK_OK(ov_shape_make_superovoid(axes, 1.2, 0.6, 0.5, -0.3, &named, &s[2]));
    CHECK(s[0].dent > 0.0 && same(&s[0], &s[1], sizeof s[0]) && same(&s[0], &s[2], sizeof s[0]));
    CHECK_STATUS(ov_shape_make_superovoid(axes, 1.2, 0.6, 0.5, -0.3, &none, &s[1]), OV_ERROR_DENT);
    CHECK_OK(ov_shape_make_superovoid(axes, 1.0, 0.8, 0.2, 0.2, &none, &s[1])); // convex
}

static void test_mesh_options(void) {
    const ov_shape s = ovoid(1.0);
    const ov_mesh_options zero = {0}, named = ov_default_mesh_options(), few = {.vertices = 100};
    const ov_mesh_options fine = {.chord_error = 0.01}, both = {.vertices = 5, .chord_error = 0.01};
    const ov_mesh_options *asked[] = {NULL, &zero, &named, &few, &fine, &both};
    ov_mesh_plan p[6];
    for (int i = 0; i < 6; i++) {
        CHECK_OK(ov_shape_mesh_plan(&s, asked[i], &p[i]));
    }
    CHECK(p[0].around == p[1].around && p[0].along == p[1].along && p[0].spacing == p[1].spacing);
    CHECK(p[0].vertex_count == p[1].vertex_count && p[0].vertex_count == p[2].vertex_count);
    CHECK(p[3].vertex_count < p[0].vertex_count && p[4].vertex_count == p[5].vertex_count);
}

/* ---- world.h */

static void check_worlds(const ov_world_options *options, double limit, size_t expected[3]) {
    ov_geometry *g = geometry(ovoid(1.0));
    ov_world *world;
    CHECK_OK(ov_world_create(options, &world));
    for (int i = 0; i < 20; i++) {
        ov_body body;
        CHECK_OK(ov_world_add(
            world, &(ov_body_def){.geometry = g, .pose = only(2.4 * i, 0.1 * (i % 3), 0)}, &body));
    }
    const ov_world_contact *contacts;
    size_t count;
    CHECK_OK(ov_world_contacts(world, limit, &contacts, &count));
    ov_world_counts counts = ov_world_last_counts(world);
    expected[0] = count;
    expected[1] = counts.pairs;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += contacts[i].contact.gap_upper * (double)(i + 1);
    }
    memcpy(&expected[2], &sum, sizeof sum);
    ov_world_destroy(world);
    ov_geometry_destroy(g);
}

static void test_world_options(void) {
    const ov_world_options zero = {0}, named = ov_default_world_options();
    const ov_world_options wide = {.margin = 5.0}, tight = {.margin = OV_ZERO};
    size_t answers[5][3];
    check_worlds(NULL, 0.6, answers[0]);
    check_worlds(&zero, 0.6, answers[1]);
    check_worlds(&named, 0.6, answers[2]);
    check_worlds(&wide, 0.6, answers[3]);
    check_worlds(&tight, 0.6, answers[4]);
    CHECK(answers[0][0] > 0);
    CHECK(same(answers[0], answers[1], sizeof answers[0]));
    CHECK(same(answers[0], answers[2], sizeof answers[0]));
    CHECK(answers[3][1] > answers[0][1] && answers[4][1] <= answers[0][1]);
    CHECK(answers[3][2] == answers[0][2] && answers[4][2] == answers[0][2]);
}

/** The reproducer: a body of which only geometry and pose are said is not left out. */
static void test_body_def(void) {
    ov_geometry *g = geometry(ball(1.0));
    const ov_body_def plain = {.geometry = g};
    ov_body_def named = ov_default_body_def(), other;
    named.geometry = g;
    const ov_body_def ways[2] = {plain, named};
    for (int bits = 0; bits < 4; bits++) {
        ov_world *world;
        ov_body ids[2];
        CHECK_OK(ov_world_create(NULL, &world));
        CHECK_OK(ov_world_add(world, &ways[bits & 1], &ids[0]));
        other = ways[bits >> 1];
        other.pose.position.x = 1.5;
        CHECK_OK(ov_world_add(world, &other, &ids[1]));
        const ov_world_contact *contacts;
        size_t count;
        CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
        CHECK(count == 1 && contacts[0].contact.relation == OV_RELATION_OVERLAPPING);
        ov_body_def a, b;
        CHECK_OK(ov_world_get(world, ids[0], &a));
        CHECK(a.group == 1 && a.mask == UINT32_MAX && a.pose.rotation.w == 1.0 && !a.no_pairs);
        // what was read back makes the same body
        CHECK_OK(ov_world_remove(world, ids[0]));
        CHECK_OK(ov_world_add(world, &a, &ids[0]));
        CHECK_OK(ov_world_get(world, ids[0], &b));
        CHECK(b.group == a.group && b.mask == a.mask);
        // a mask of zero sees all
        ov_world_ray_hit ray;
        CHECK_OK(ov_world_ray_cast(world, (ov_vec3){0, 0, 5}, (ov_vec3){0, 0, -1}, 9, 0, &ray));
        CHECK(ray.ray.hit && ray.body == ids[0]);
        ov_world_cast_hit cast;
        ov_shape small = ball(0.1);
        CHECK_OK(ov_world_shape_cast(world, &small, at(0, 0, 5), (ov_vec3){0, 0, -9}, 0, &cast));
        CHECK(cast.cast.hit && cast.body == ids[0]);
        CHECK_OK(ov_world_shape_contacts(world, &small, at(0, 0, 1), 0.0, 0, NULL, 0, &count));
        CHECK(count == 1);
        const ov_aabb box = {{-1, -1, -1}, {0, 0, 0}};
        CHECK_OK(ov_world_box_overlaps(world, box, 0, NULL, 0, &count));
        CHECK(count == 1);
        // and who wants to meet nothing says so
        other.no_pairs = true;
        ov_body third;
        CHECK_OK(ov_world_add(world, &other, &third));
        CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
        CHECK(count == 1);
        CHECK_OK(ov_world_body_contacts(world, third, INFINITY, NULL, 0, &count));
        CHECK(count == 0);
        ov_world_destroy(world);
    }
    ov_geometry_destroy(g);
}

static void test_part(void) {
    const ov_shape s = ovoid(1.0);
    const ov_part zero = {.shape = s, .pose = only(1, 2, 3)}, whole = {s, NULL, at(1, 2, 3)};
    ov_geometry *g[2];
    CHECK_OK(ov_geometry_create(&zero, 1, NULL, &g[0]));
    CHECK_OK(ov_geometry_create(&whole, 1, &(ov_allocator){0}, &g[1]));
    CHECK(
        same(&ov_geometry_part(g[0], 0)->pose, &ov_geometry_part(g[1], 0)->pose, sizeof(ov_pose)));
    ov_scene *scene;
    CHECK_OK(ov_scene_create(NULL, &scene));
    CHECK_OK(ov_scene_add_body(scene, "zero", &zero, 1, at(0, 0, 0)));
    CHECK(same(&ov_scene_get(scene, 0)->parts[0].pose, &whole.pose, sizeof(ov_pose)));
    CHECK_STATUS(ov_scene_add_body(scene, "argument", &zero, 1, nowhere), OV_ERROR_ZERO_DIRECTION);
    ov_scene_destroy(scene);
    ov_geometry_destroy(g[0]);
    ov_geometry_destroy(g[1]);
}

/** Three links in a row; the joints have names, kinds and ends only. */
static ov_model *chain(const ov_joint_def *joints) {
    const ov_shape s = ball(0.2);
    const ov_part part = {.shape = s, .pose = only(0.5, 0.1, 0)};
    const ov_link_def links[3] = {{.name = "a", .parts = &part, .part_count = 1},
                                  {.name = "b", .parts = &part, .part_count = 1},
                                  {.name = "c"}};
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(links, 3, joints, 2, NULL, &model, NULL));
    return model;
}

static bool same_joint(const ov_model *a, const ov_model *b, size_t i) {
    ov_joint_def p = *ov_model_joint(a, i), q = *ov_model_joint(b, i);
    return p.kind == q.kind && p.parent == q.parent && p.child == q.child &&
           same(&p.origin, &q.origin, sizeof p.origin) && same(&p.axis, &q.axis, sizeof p.axis) &&
           p.lower == q.lower && p.upper == q.upper && p.mimic == q.mimic &&
           p.multiplier == q.multiplier && p.offset == q.offset;
}

static void test_joint_def(void) {
    for (int kind = 0; kind < OV_JOINT_KIND_COUNT; kind++) {
        ov_joint_def zero[2] = {
            {.name = "j", .kind = (ov_joint_kind)kind, .parent = 0, .child = 1},
            {.name = "k", .kind = (ov_joint_kind)kind, .parent = 1, .child = 2}};
        ov_joint_def named[2] = {ov_default_joint_def(), ov_default_joint_def()};
        for (int i = 0; i < 2; i++) {
            named[i].name = zero[i].name;
            named[i].kind = zero[i].kind;
            named[i].parent = zero[i].parent;
            named[i].child = zero[i].child;
        }
        ov_model *a = chain(zero), *b = chain(named);
        CHECK(same_joint(a, b, 0) && same_joint(a, b, 1));
        size_t count = ov_model_position_count(a);
        CHECK(count == 2 * ov_joint_position_count((ov_joint_kind)kind));
        double q[14], high[14];
        ov_pose p[3], r[3];
        ov_model_rest(a, q);
        for (size_t i = 0; i < count; i++) {
            high[i] = q[i] + 0.3; // beyond limits of zero, if these were meant
        }
        ov_joint_excess excess;
        CHECK_OK(ov_model_check(a, high, &excess, NULL));
        CHECK(excess.joint == OV_NO_LINK);
        CHECK_OK(ov_model_poses(a, at(0, 0, 0), high, p));
        CHECK_OK(ov_model_poses(b, at(0, 0, 0), high, r));
        CHECK(same(p, r, sizeof p));
        ov_model_destroy(a);
        ov_model_destroy(b);
    }
}

static void test_joint_zeros(void) {
    ov_joint_def j[2] = {
        {.name = "j", .kind = OV_JOINT_KIND_REVOLUTE, .child = 1},
        {.name = "k", .kind = OV_JOINT_KIND_PRISMATIC, .parent = 1, .child = 2, .upper = 2.0}};
    ov_model *m = chain(j); // one limit of zero is a limit
    double q[2] = {1.0, -0.5};
    ov_joint_excess excess;
    CHECK_OK(ov_model_check(m, q, &excess, NULL));
    CHECK(excess.joint == 1 && ov_model_position_count(m) == 2);
    ov_model_destroy(m);
    j[0].upper = OV_ZERO; // held at zero
    m = chain(j);
    q[1] = 0.5;
    CHECK_OK(ov_model_check(m, q, &excess, NULL));
    CHECK(excess.joint == 0);
    q[0] = 0.0;
    CHECK_OK(ov_model_check(m, q, &excess, NULL));
    ov_model_rest(m, q);
    CHECK(excess.joint == OV_NO_LINK && q[0] == 0.0);
    ov_model_destroy(m);
    j[0].upper = 0.0;
    j[1].mimic = 0; // follows joint 0 where a multiplier is said
    j[1].multiplier = 1.0;
    m = chain(j);
    CHECK(ov_model_position_count(m) == 1 && ov_model_joint(m, 1)->mimic == 0);
    ov_model_destroy(m);
    j[0].mimic = 1; // another joint: the multiplier may be left out
    j[1].mimic = OV_NO_LINK;
    m = chain(j);
    CHECK(ov_model_position_count(m) == 1 && ov_model_joint(m, 0)->multiplier == 1.0);
    ov_model_destroy(m);
    j[0].multiplier = OV_ZERO;
    j[0].offset = 0.25; // held there
    m = chain(j);
    ov_pose p[2][3];
    CHECK_OK(ov_model_poses(m, at(0, 0, 0), (double[]){0.5}, p[0]));
    CHECK_OK(ov_model_poses(m, at(0, 0, 0), (double[]){1.5}, p[1]));
    CHECK(same(&p[0][1], &p[1][1], sizeof(ov_pose)));
    CHECK_NEAR(p[0][1].rotation.x, sin(0.125), 1e-15);
    ov_model_destroy(m);
}

static void test_self_check(void) {
    const ov_joint_def j[2] = {{.name = "j", .kind = OV_JOINT_KIND_REVOLUTE, .child = 1},
                               {.name = "k", .parent = 1, .child = 2}};
    ov_model *m = chain(j);
    CHECK_OK(ov_model_allow(m, 0, 1, false));
    const ov_pair_options zero = {0}, named = ov_default_pair_options();
    const ov_pair_options *ways[3] = {NULL, &zero, &named};
    ov_pose poses[3];
    CHECK_OK(ov_model_poses(m, at(0, 0, 0), (double[]){0.4}, poses));
    ov_contact first = {0};
    for (int i = 0; i < 3; i++) {
        ov_checker *check;
        const ov_link_contact *contacts;
        size_t count;
        CHECK_OK(ov_checker_create(m, ways[i], NULL, &check));
        CHECK_OK(ov_checker_contacts(check, poses, NULL, 1.0, &contacts, &count));
        if (CHECK(count == 1)) {
            first = i == 0 ? contacts[0].contact : first;
            CHECK(same_contact(&first, &contacts[0].contact));
        }
        ov_checker_destroy(check);
    }
    ov_model_destroy(m);
}

/* ---- motion.h */

static ov_motion *fall(void) {
    const ov_pose poses[2] = {at(0, 0, 3), at(0.2, 0, -3)};
    const double times[2] = {0.0, 1.0};
    ov_motion *m = NULL;
    CHECK_OK(ov_motion_create_keys(poses, times, 2, OV_SPLINE_LINEAR, NULL, &m));
    return m;
}

static void test_sweep_pair(void) {
    const ov_shape a = ovoid(0.4), b = ball(0.5);
    ov_motion *m = fall();
    const ov_sweep_pair zero = {.a = &a, .b = &b, .motion_a = m};
    const ov_sweep_pair whole = {&a, &b, m, NULL, at(0, 0, 0), at(0, 0, 0)};
    const ov_sweep_options none = {0}, named = ov_default_sweep_options();
    const ov_sweep_options coarse = {.resolution = 0.1}, shallow = {.depth = 3};
    const ov_sweep_options *ways[] = {NULL, &none, &named, &coarse, &shallow};
    ov_first_contact first[2];
    for (int i = 0; i < 5; i++) {
        ov_status expected = i < 4 ? OV_OK : OV_NOT_CONVERGED;
        CHECK_STATUS(ov_sweep_pair_first(&zero, 0.0, 1.0, ways[i], &first[1]), expected);
        CHECK_STATUS(ov_sweep_pair_first(&whole, 0.0, 1.0, i < 3 ? NULL : ways[i], &first[0]),
                     expected);
        CHECK(first[0].answer == OV_SWEEP_ANSWER_CONTACT && first[0].answer == first[1].answer);
        CHECK(first[0].lower == first[1].lower && first[0].upper == first[1].upper);
        CHECK(first[0].pieces == first[1].pieces && first[0].queries == first[1].queries);
        CHECK(same_contact(&first[0].contact, &first[1].contact));
        CHECK((first[1].upper - first[1].lower <= 1e-6) == (i < 3));
    }
    ov_motion_destroy(m);
}

/** Balls and polygons, some in motion; `plain`: with nothing said that is a default. */
static ov_sweep *sweep_by(const ov_sweep_options *options, bool plain) {
    static const ov_vec3 corners[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    static const uint32_t square[4] = {0, 1, 2, 3}, sizes[1] = {4};
    ov_geometry *g = geometry(ball(0.3));
    ov_motion *m = fall();
    ov_polygons *p = NULL;
    CHECK_OK(ov_polygons_create(corners, 4, square, sizes, 1, NULL, &p, NULL));
    ov_sweep_body bodies[14];
    for (int i = 0; i < 14; i++) {
        const bool moves = i == 0 || i == 13;
        ov_sweep_body zero = {.motion = moves ? m : NULL, .pose = only(0.25 * i, 0, 0)};
        bodies[i] = plain ? zero : ov_default_sweep_body();
        bodies[i].pose.position = zero.pose.position;
        bodies[i].motion = zero.motion;
        bodies[i].geometry = i < 12 ? g : NULL;
        bodies[i].polygons = i < 12 ? NULL : p;
    }
    ov_sweep *sweep = NULL;
    CHECK_OK(ov_sweep_bodies(bodies, 14, 0.0, 1.0, options, &sweep, NULL));
    ov_polygons_destroy(p);
    ov_motion_destroy(m);
    ov_geometry_destroy(g);
    return sweep;
}

static void test_sweep_bodies(void) {
    const ov_sweep_options zero = {0}, named = ov_default_sweep_options(),
                           one = {.threads.count = 1};
    const ov_sweep_options every = {.every_pair = true}, coarse = {.epsilon = 0.1};
    const ov_sweep_options few = {.intervals = 1}, clear = {.clearance = 0.3};
    const ov_sweep_options first = {.first_only = true}, global = {.mass = OV_MASS_USE_GLOBAL};
    const ov_sweep_options *ways[] = {NULL,    &zero, &named, &one,   &every,
                                      &coarse, &few,  &clear, &first, &global};
    ov_sweep *known = sweep_by(NULL, false);
    CHECK(ov_sweep_summary_of(known).answer == OV_SWEEP_ANSWER_CONTACT);
    for (int i = 0; i < 10; i++) {
        ov_sweep *plain = sweep_by(ways[i], true), *whole = sweep_by(ways[i], false);
        CHECK(are_same(plain, whole));
        if (i < 4) {
            CHECK(are_same(plain, known));
        } else if (i < 9) { // the masses matter little here
            CHECK(!are_same(plain, known));
        }
        ov_sweep_destroy(plain);
        ov_sweep_destroy(whole);
    }
    ov_sweep_destroy(known);
}

/** The reproducer: what is in the way is not left out, for a robot neither. */
static void test_sweep_body(void) {
    ov_geometry *g = geometry(ball(0.5));
    ov_motion *m = fall();
    const ov_sweep_body b[2] = {{.geometry = g, .motion = m},
                                {.geometry = g, .pose = only(0, 0, 0)}};
    ov_sweep *sweep;
    CHECK_OK(ov_sweep_bodies(b, 2, 0.0, 1.0, NULL, &sweep, NULL));
    CHECK(ov_sweep_summary_of(sweep).answer == OV_SWEEP_ANSWER_CONTACT);
    ov_sweep_destroy(sweep);
    const ov_joint_def j[2] = {{.name = "j", .kind = OV_JOINT_KIND_REVOLUTE, .child = 1},
                               {.name = "k", .parent = 1, .child = 2}};
    ov_model *model = chain(j);
    const double times[2] = {0.0, 1.0}, rows[2] = {0.0, 1.0};
    ov_trajectory *t = NULL;
    CHECK_OK(ov_trajectory_create(model, times, rows, NULL, 2, OV_SPLINE_LINEAR, NULL, &t, NULL));
    const ov_sweep_body obstacle = {.geometry = g, .pose = only(0.5, 0.5, 0)};
    CHECK_OK(ov_sweep_model(model, at(0, 0, 0), t, &obstacle, 1, 0.0, 1.0, NULL, &sweep, NULL));
    CHECK(ov_sweep_summary_of(sweep).answer == OV_SWEEP_ANSWER_CONTACT);
    ov_sweep_destroy(sweep);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
    ov_motion_destroy(m);
    ov_geometry_destroy(g);
}

/* ---- io.h */

static void test_robot(void) {
    const ov_robot_shape zero = {.shape = ball(0.5)};
    const ov_robot_shape whole = {
        .name = "", .shape = ball(0.5), .pose = ov_pose_identity(), .mesh_scale = {1, 1, 1}};
    ov_robot_joint named = {
        .def = ov_default_joint_def(), .velocity = INFINITY, .effort = INFINITY};
    named.def.name = "j";
    named.def.kind = OV_JOINT_KIND_REVOLUTE;
    named.def.child = 1;
    const ov_robot_joint plain = {.def = {.name = "j", .kind = OV_JOINT_KIND_REVOLUTE, .child = 1}};
    char text[2][4096] = {{0}};
    for (int i = 0; i < 2; i++) {
        const ov_robot_shape *shape = i == 0 ? &zero : &whole;
        const ov_robot_link links[2] = {
            {.name = "a", .collisions = shape, .collision_count = 1},
            {.name = "b", .has_inertial = true, .mass = 1.0, .inertia = {1, 0, 0, 1, 0, 1}}};
        ov_robot *robot = NULL;
        ov_fault fault;
        CHECK_OK(ov_robot_create("r", links, 2, i == 0 ? &plain : &named, 1, &robot, &fault));
        CHECK(ov_robot_get_joint(robot, 0)->def.mimic == OV_NO_LINK);
        CHECK(isinf(ov_robot_get_joint(robot, 0)->velocity));
        CHECK(ov_robot_get_link(robot, 0)->collisions[0].mesh_scale.y == 1.0);
        CHECK(ov_robot_get_link(robot, 1)->inertial_pose.rotation.w == 1.0);
        CHECK_OK(ov_robot_write("zero.urdf", OV_ROBOT_FORMAT_URDF, robot, NULL, &fault));
        FILE *file = fopen("zero.urdf", "r");
        CHECK(file != NULL && fread(text[i], 1, sizeof text[i] - 1, file) > 100);
        if (file != NULL) {
            fclose(file);
        }
        ov_robot_destroy(robot);
        // the same from the file
        const ov_robot_options none = {0};
        CHECK_OK(ov_robot_read("zero.urdf", i == 0 ? &none : NULL, &robot, &fault));
        CHECK(isinf(ov_robot_get_joint(robot, 0)->def.upper));
        ov_robot_destroy(robot);
    }
    CHECK(strcmp(text[0], text[1]) == 0);
}

/** What a robot's file says is meant, zeros included, also when it is copied and written again. */
static void test_robot_zeros(void) {
    static const char text[] =
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
        "<limit lower='0' upper='0' velocity='0' effort='0'/></joint>\n"
        "<joint name='k' type='continuous'><parent link='b'/><child link='c'/>\n"
        "<mimic joint='j' multiplier='0' offset='0.5'/></joint></robot>\n";
    FILE *stream = tmpfile();
    CHECK(stream != NULL && fputs(text, stream) >= 0);
    rewind(stream);
    ov_robot *robot = NULL, *copy = NULL;
    ov_fault fault;
    CHECK_OK(ov_robot_read_stream(stream, NULL, NULL, &robot, &fault));
    fclose(stream);
    ov_robot_link links[3];
    ov_robot_joint joints[2];
    for (size_t i = 0; i < 3; i++) {
        links[i] = *ov_robot_get_link(robot, i);
    }
    for (size_t i = 0; i < 2; i++) {
        joints[i] = *ov_robot_get_joint(robot, i);
    }
    CHECK_OK(ov_robot_create("r", links, 3, joints, 2, &copy, &fault));
    ov_robot *both[2] = {robot, copy};
    for (int i = 0; i < 2; i++) {
        const ov_model *model = ov_robot_model(both[i]);
        const double beyond = 0.1, rest = 0.0;
        CHECK(ov_model_position_count(model) == 1);
        ov_joint_excess excess;
        CHECK_OK(ov_model_check(model, &beyond, &excess, NULL));
        CHECK(excess.joint != OV_NO_LINK);
        CHECK_OK(ov_model_check(model, &rest, &excess, NULL));
        CHECK(excess.joint == OV_NO_LINK);
        ov_pose poses[3];
        CHECK_OK(ov_model_poses(model, at(0, 0, 0), &rest, poses));
        CHECK_NEAR(poses[2].rotation.x, sin(0.25), 1e-15);
        CHECK_OK(ov_robot_write("zeros.urdf", OV_ROBOT_FORMAT_URDF, both[i], NULL, &fault));
        char out[2048] = {0};
        FILE *file = fopen("zeros.urdf", "r");
        CHECK(file != NULL && fread(out, 1, sizeof out - 1, file) > 100);
        if (file != NULL) {
            fclose(file);
        }
        CHECK(strstr(out, "lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"") != NULL);
        CHECK(strstr(out, "multiplier=\"0\" offset=\"0.5\"") != NULL);
        ov_robot_destroy(both[i]);
    }
}

/** In a file of motions, too, a group and mask of zero are the defaults. */
static void test_motion_file(void) {
    static const char *const more[] = {"", ",\"group\":0,\"mask\":0", ",\"no_pairs\":true",
                                       ",\"no_pairs\":1"};
    for (int i = 0; i < 4; i++) {
        FILE *stream = tmpfile();
        CHECK(stream != NULL);
        fprintf(stream,
                "{\"time\":[0,1],\"bodies\":["
                "{\"kind\":\"sphere\",\"radius\":1%s},"
                "{\"kind\":\"sphere\",\"radius\":1,\"position\":[0,0,5],\"motion\":"
                "{\"screw\":{\"axis\":[0,0,1],\"travel\":-10}}}]}",
                more[i]);
        rewind(stream);
        ov_motion_scene *scene = NULL;
        ov_fault fault;
        ov_status status = ov_motion_scene_read_stream(stream, NULL, &scene, &fault);
        CHECK_STATUS(status, i < 3 ? OV_OK : OV_ERROR_FILE_FORMAT);
        fclose(stream);
        if (status == OV_OK) {
            ov_sweep *sweep = NULL;
            CHECK_OK(
                ov_sweep_bodies(ov_motion_scene_bodies(scene), 2, 0.0, 1.0, NULL, &sweep, NULL));
            CHECK(ov_sweep_summary_of(sweep).answer ==
                  (i < 2 ? OV_SWEEP_ANSWER_CONTACT : OV_SWEEP_ANSWER_FREE));
            ov_sweep_destroy(sweep);
        }
        ov_motion_scene_destroy(scene);
    }
}

int main(void) {
    check_suite = "defaults";
    RUN(test_pair_options);
    RUN(test_pair);
    RUN(test_shape_options);
    RUN(test_mesh_options);
    RUN(test_world_options);
    RUN(test_body_def);
    RUN(test_part);
    RUN(test_joint_def);
    RUN(test_joint_zeros);
    RUN(test_self_check);
    RUN(test_sweep_pair);
    RUN(test_sweep_bodies);
    RUN(test_sweep_body);
    RUN(test_robot);
    RUN(test_robot_zeros);
    RUN(test_motion_file);
    return check_finish();
}
