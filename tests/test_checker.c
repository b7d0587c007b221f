/**
 * @file test_checker.c
 * @brief Robots against themselves and against obstacles, held against a plain loop over all pairs
 * of parts, along motions with tiny and huge steps, pauses and jumps; with meshes and half-spaces
 * among the parts; the question whether anything is near; repeated to the last bit; with memory
 * that runs out, and none taken in a run.
 */
#include <string.h>

#include "ledger.h"
#include "model_cases.h"
#include "world/model_internal.h"

enum { ROBOT_LINKS = 14, ROBOT_PARTS = 22 };

/** A model with parts, and its twelve-triangle brick, which is a mesh. */
typedef struct robot {
    tree_case tree;
    ov_part parts[ROBOT_PARTS];
    ov_trimesh *mesh;
    ov_model *model;
} robot;

static ov_trimesh *make_brick(ov_vec3 half) {
    ov_vec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ov_vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                            i & 4 ? half.z : -half.z);
    }
    static const uint32_t t[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(v, 8, t, 12, NULL, &mesh));
    return mesh;
}

static ov_status draw_shape(check_random *r, ov_shape *shape) {
    ov_vec3 a = {check_uniform(r, 0.05, 0.15), check_uniform(r, 0.05, 0.15),
                 check_uniform(r, 0.05, 0.3)};
    double taper = check_uniform(r, -0.2, 0.2);
    switch (tree_index(r, 6)) {
    case 0:
        return ov_shape_make_sphere(a.x, shape);
    case 1:
        return ov_shape_make_capsule(a.x, a.z, shape);
    case 2:
        return ov_shape_make_box(a, shape);
    case 3:
        return ov_shape_make_cylinder(a.x, a.z, shape);
    default:
        return ov_shape_make_superovoid(a, check_uniform(r, 0.4, 1.1), check_uniform(r, 0.4, 1.1),
                                        taper, taper, NULL, shape);
    }
}

/** What a robot has besides shapes. */
typedef enum extras { SHAPES_ONLY, WITH_MESHES, WITH_FLOOR } extras;

static bool make_robot(check_random *r, extras extra, robot *o) {
    memset(o, 0, sizeof *o);
    tree_draw(r, ROBOT_LINKS, 0.5, &o->tree);
    size_t used = 0;
    for (size_t i = 0; i < ROBOT_LINKS; i++) {
        // one link of seven has no parts, others have one to three
        size_t count = i % 7 == 3 ? 0 : 1 + tree_index(r, 3);
        count = used + count <= ROBOT_PARTS ? count : ROBOT_PARTS - used;
        o->tree.links[i].parts = &o->parts[used];
        o->tree.links[i].part_count = count;
        for (size_t k = 0; k < count; k++) {
            ov_part *part = &o->parts[used++];
            part->pose = tree_index(r, 3) == 0 ? ov_pose_identity() : tree_pose(r, 0.2);
            while (draw_shape(r, &part->shape) != OV_OK) {
            }
        }
    }
    if (extra == WITH_MESHES) {
        o->mesh = make_brick(ov_vec3_make(0.1, 0.15, 0.2));
        o->parts[2].mesh = o->parts[9].mesh = o->parts[10].mesh = o->mesh;
    }
    if (extra == WITH_FLOOR) {
        CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.1, 0.2, 1.0), -0.7, &o->parts[0].shape));
    }
    return CHECK_OK(ov_model_create(o->tree.links, ROBOT_LINKS, o->tree.joints, ROBOT_LINKS - 1,
                                    NULL, &o->model, NULL));
}

static void free_robot(robot *o) {
    ov_model_destroy(o->model);
    ov_trimesh_destroy(o->mesh);
}

/* ---- the plain loop */

static ov_pose part_pose(const robot *o, uint32_t link, size_t part, const ov_pose *poses) {
    const ov_part *p = ov_geometry_part(ov_model_link_geometry(o->model, link), part);
    return (ov_pose){ov_pose_apply(poses[link], p->pose.position),
                     ov_quat_mul(poses[link].rotation, p->pose.rotation)};
}

static ov_contact plain_contact(const robot *o, const ov_link_contact *at, const ov_pose *poses) {
    const ov_part *a = ov_geometry_part(ov_model_link_geometry(o->model, at->link_a), at->part_a);
    const ov_part *b = ov_geometry_part(ov_model_link_geometry(o->model, at->link_b), at->part_b);
    ov_pose pa = part_pose(o, at->link_a, at->part_a, poses);
    ov_pose pb = part_pose(o, at->link_b, at->part_b, poses);
    ov_trimesh_contact c;
    if (a->mesh != NULL && b->mesh != NULL) {
        (void)ov_trimesh_pair_contact(a->mesh, pa, b->mesh, pb, INFINITY, NULL, &c);
    } else if (a->mesh != NULL) {
        (void)ov_trimesh_shape_contact(a->mesh, pa, &b->shape, pb, INFINITY, NULL, &c);
    } else if (b->mesh != NULL) {
        (void)ov_trimesh_shape_contact(b->mesh, pb, &a->shape, pa, INFINITY, NULL, &c);
    } else {
        (void)ov_pair_contact(&a->shape, pa, &b->shape, pb, NULL, NULL, &c.contact);
    }
    return c.contact;
}

/** What was seen, so that a test which looks at nothing fails. */
typedef struct seen {
    long contacts, missed, overlapping;
    double worst;
} seen;

/** Goes through all pairs in the order of the answers, and through the answers beside them. */
static void compare(const robot *o, const ov_pose *poses, double limit,
                    const ov_link_contact *contacts, size_t count, seen *s) {
    // both are known to 1e-9 of a size below 1, mesh and net answers included
    const double tolerance = 4e-9;
    size_t next = 0;
    for (uint32_t a = 0; a < ROBOT_LINKS; a++) {
        for (uint32_t b = a + 1; b < ROBOT_LINKS; b++) {
            size_t parts_a = ov_geometry_count(ov_model_link_geometry(o->model, a));
            size_t parts_b = ov_geometry_count(ov_model_link_geometry(o->model, b));
            size_t all = ov_model_is_allowed(o->model, a, b) ? 0 : parts_a * parts_b;
            for (size_t k = 0; k < all; k++) {
                ov_link_contact at = {.link_a = a,
                                      .link_b = b,
                                      .part_a = (uint32_t)(k / parts_b),
                                      .part_b = (uint32_t)(k % parts_b)};
                ov_contact plain = plain_contact(o, &at, poses);
                const ov_link_contact *c = next < count ? &contacts[next] : NULL;
                bool listed = c != NULL && c->link_a == a && c->link_b == b &&
                              c->part_a == at.part_a && c->part_b == at.part_b;
                next += listed;
                if (!listed) {
                    CHECK(plain.gap_upper > limit);
                    s->missed++;
                    continue;
                }
                s->contacts++;
                s->overlapping += c->contact.relation == OV_RELATION_OVERLAPPING;
                CHECK(c->contact.gap_lower <= limit);
                CHECK(plain.gap_lower <= limit + tolerance);
                CHECK(c->contact.gap_lower <= plain.gap_upper + tolerance);
                CHECK(plain.gap_lower <= c->contact.gap_upper + tolerance);
                if (plain.relation == OV_RELATION_SEPARATED) {
                    double off = fabs(plain.gap - c->contact.gap);
                    CHECK(off <= tolerance);
                    s->worst = fmax(s->worst, off);
                }
            }
        }
    }
    CHECK(next == count); // none that is out of order, or not asked for
}

/* ---- motions */

/** Steps from nothing over a micrometre to anywhere. */
static void step(check_random *r, const ov_model *model, double *positions) {
    double to[TREE_POSITIONS_MAX];
    tree_positions(r, model, to);
    const double sizes[] = {0.0, 1e-6, 1e-4, 1e-3, 1e-3, 1e-2, 0.1, 1.0};
    double part = sizes[tree_index(r, 8)];
    bool one = tree_index(r, 2) == 0; // one joint moves, the others rest
    size_t count = ov_model_position_count(model), only = tree_index(r, count);
    for (size_t i = 0; i < count; i++) {
        if (!one || i == only) {
            positions[i] += part * (to[i] - positions[i]);
        }
    }
}

static void follow(uint64_t seed, extras extra, int robots, int steps, const char *title) {
    check_random r = check_random_make(seed);
    seen s = {0};
    ovi_checker_counts sum = {0};
    for (int n = 0; n < robots; n++) {
        robot o;
        ov_checker *check = NULL;
        if (!make_robot(&r, extra, &o) ||
            !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &check))) {
            continue;
        }
        double positions[TREE_POSITIONS_MAX], limit = 0.05;
        ov_pose root = ov_pose_identity();
        tree_positions(&r, o.model, positions);
        for (int i = 0; i < steps; i++) {
            ov_pose poses[ROBOT_LINKS];
            const ov_link_contact *contacts;
            size_t count;
            step(&r, o.model, positions);
            // now and then another limit, and a robot far away, where numbers are coarse
            limit = tree_index(&r, 6) == 0 ? check_uniform(&r, 0.0, 0.3) : limit;
            root = tree_index(&r, 20) == 0 ? tree_pose(&r, i % 2 == 0 ? 1.0 : 1e3) : root;
            CHECK_OK(ov_model_poses(o.model, root, positions, poses));
            CHECK_OK(ov_checker_contacts(check, poses, NULL, limit, &contacts, &count));
            compare(&o, poses, limit, contacts, count, &s);
            ovi_checker_add_counts(check, &sum);
        }
        ov_checker_destroy(check);
        free_robot(&o);
    }
    // every layer has had something to do, and all pairs are accounted for
    CHECK(s.contacts > 100 && s.missed > 100 && s.overlapping > 20);
    CHECK(sum.rejected_ball > 100 && sum.rejected_kept > 10 && sum.rejected_obb > 10);
    CHECK(sum.queries == sum.rejected_query + sum.contacts);
    CHECK(sum.pairs == sum.rejected_ball + sum.rejected_kept + sum.rejected_obb + sum.queries);
    CHECK(sum.contacts == (size_t)s.contacts && sum.overlapping == (size_t)s.overlapping);
    check_worst(title, s.worst, 4e-9);
}

static void test_shapes(void) { follow(701, SHAPES_ONLY, 8, 120, "gaps of shapes"); }

static void test_meshes(void) { follow(702, WITH_MESHES, 3, 60, "gaps of shapes and meshes"); }

static void test_floor(void) { follow(703, WITH_FLOOR, 3, 60, "gaps with a half-space"); }

/** A long slow motion: what is known is used, and stays true. */
static void test_slow_motion(void) {
    check_random r = check_random_make(704);
    robot o;
    ov_checker *check = NULL;
    if (!make_robot(&r, SHAPES_ONLY, &o) ||
        !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &check))) {
        return;
    }
    double from[TREE_POSITIONS_MAX], to[TREE_POSITIONS_MAX], at[TREE_POSITIONS_MAX];
    tree_positions(&r, o.model, from);
    tree_positions(&r, o.model, to);
    seen s = {0};
    ovi_checker_counts sum = {0};
    enum { STEPS = 400 };
    for (int i = 0; i < STEPS; i++) {
        for (size_t k = 0; k < ov_model_position_count(o.model); k++) {
            at[k] = from[k] + 0.1 * (to[k] - from[k]) * i / STEPS;
        }
        ov_pose poses[ROBOT_LINKS];
        const ov_link_contact *contacts;
        size_t count;
        CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), at, poses));
        CHECK_OK(ov_checker_contacts(check, poses, NULL, 0.02, &contacts, &count));
        if (i % 5 == 0) {
            compare(&o, poses, 0.02, contacts, count, &s);
        }
        ovi_checker_add_counts(check, &sum);
    }
    CHECK(sum.rejected_kept >= sum.rejected_query); // what is clear is known to be so for a while
    check_worst("gaps along a slow motion", s.worst, 4e-9);
    ov_checker_destroy(check);
    free_robot(&o);
}

/** A bar that turns about its middle past a ball: its own ball never moves, its ends do. */
static void test_spin(void) {
    const double radius = 0.05, half = 0.4, away = 0.52;
    ov_part bar = {.pose = ov_pose_identity()}, ball = bar;
    bar.pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI);
    ball.pose.position.x = away;
    CHECK_OK(ov_shape_make_capsule(radius, half, &bar.shape));
    CHECK_OK(ov_shape_make_sphere(radius, &ball.shape));
    ov_link_def links[2] = {{"stand", &ball, 1}, {"bar", &bar, 1}};
    ov_joint_def joint = {.name = "turn",
                          .kind = OV_JOINT_KIND_CONTINUOUS,
                          .parent = 0,
                          .child = 1,
                          .origin = ov_pose_identity(),
                          .axis = {0.0, 0.0, 1.0},
                          .mimic = OV_NO_LINK};
    ov_model *model = NULL;
    ov_checker *check = NULL;
    ovi_checker_counts sum = {0};
    CHECK_OK(ov_model_create(links, 2, &joint, 1, NULL, &model, NULL));
    CHECK_OK(ov_model_allow(model, 0, 1, false));
    CHECK_OK(ov_checker_create(model, NULL, NULL, &check));
    long touched = 0;
    for (int i = 0; i < 4000; i++) {
        // a wide look now and then, after which the gap is known
        double angle = 1.0 + 0.002 * i, limit = i % 50 == 0 ? 1.0 : 0.06;
        ov_pose poses[2];
        const ov_link_contact *contacts;
        size_t count;
        CHECK_OK(ov_model_poses(model, ov_pose_identity(), &angle, poses));
        CHECK_OK(ov_checker_contacts(check, poses, NULL, limit, &contacts, &count));
        // from the ball to the nearest point of the bar's axis
        double along = fmin(half, fabs(away * cos(angle))), across = away * sin(angle);
        double gap = hypot(fabs(away * cos(angle)) - along, across) - 2.0 * radius;
        if (fabs(gap - limit) > 1e-9) {
            CHECK(count == (gap < limit));
        }
        if (count == 1) {
            CHECK_NEAR(contacts[0].contact.gap, gap, 1e-12);
            touched++;
        }
        ovi_checker_add_counts(check, &sum);
    }
    CHECK(touched > 100 && sum.rejected_kept > 1000);
    ov_checker_destroy(check);
    ov_model_destroy(model);
}

/** The same motion twice gives the same contacts, to the last bit. */
static void test_repeated(void) {
    check_random r = check_random_make(705);
    robot o;
    ov_checker *first = NULL, *second = NULL;
    if (!make_robot(&r, SHAPES_ONLY, &o) ||
        !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &first)) ||
        !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &second))) {
        return;
    }
    double positions[TREE_POSITIONS_MAX];
    tree_positions(&r, o.model, positions);
    for (int i = 0; i < 100; i++) {
        ov_pose poses[ROBOT_LINKS];
        const ov_link_contact *a, *b;
        size_t count_a, count_b;
        step(&r, o.model, positions);
        CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
        CHECK_OK(ov_checker_contacts(first, poses, NULL, 0.1, &a, &count_a));
        CHECK_OK(ov_checker_contacts(second, poses, NULL, 0.1, &b, &count_b));
        CHECK(count_a == count_b);
        for (size_t k = 0; k < count_a && count_a == count_b; k++) {
            CHECK(a[k].link_a == b[k].link_a && a[k].link_b == b[k].link_b);
            CHECK(memcmp(&a[k].contact.gap, &b[k].contact.gap, 12 * sizeof(double)) == 0);
        }
    }
    ov_checker_destroy(first);
    ov_checker_destroy(second);
    free_robot(&o);
}

/* ---- bad input */

static void test_refused(void) {
    check_random r = check_random_make(706);
    robot o;
    ov_checker *check = NULL;
    const ov_link_contact *contacts;
    size_t count, before;
    ov_pair_options options = {.tolerance = 1.0, .depth = OV_DEPTH_GLOBAL};
    if (!make_robot(&r, WITH_FLOOR, &o)) {
        return;
    }
    CHECK_STATUS(ov_checker_create(NULL, NULL, NULL, &check), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_create(o.model, NULL, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_create(o.model, &options, NULL, &check), OV_ERROR_OPTION);
    CHECK(check == NULL);
    CHECK_OK(ov_checker_create(o.model, NULL, NULL, &check));
    double positions[TREE_POSITIONS_MAX];
    ov_pose poses[ROBOT_LINKS];
    tree_positions(&r, o.model, positions);
    CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
    CHECK_OK(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, &before));
    CHECK_STATUS(ov_checker_contacts(NULL, poses, NULL, 0.1, &contacts, &count), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_contacts(check, NULL, NULL, 0.1, &contacts, &count), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.1, NULL, &count), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, NAN, &contacts, &count),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, -1e-3, &contacts, &count),
                 OV_ERROR_OPTION);
    poses[0].position.z = NAN;
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, &count),
                 OV_ERROR_NOT_FINITE);
    CHECK(count == 0);
    poses[0].position.z = 2e100;
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, &count),
                 OV_ERROR_SIZE_RANGE);
    CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
    poses[0].rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, &count),
                 OV_ERROR_ZERO_DIRECTION);
    // and after all that, as before; quaternions may have any length
    CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
    ov_quat *q = &poses[0].rotation;
    *q = (ov_quat){3.0 * q->w, 3.0 * q->x, 3.0 * q->y, 3.0 * q->z};
    CHECK_OK(ov_checker_contacts(check, poses, NULL, 0.1, &contacts, &count));
    CHECK(count == before);
    // without a limit, all pairs are near
    CHECK_OK(ov_checker_contacts(check, poses, NULL, INFINITY, &contacts, &count));
    ovi_checker_counts counts = {0};
    ovi_checker_add_counts(check, &counts);
    CHECK(count == counts.pairs && count > before);
    ov_checker_destroy(check);
    ov_checker_destroy(NULL);
    free_robot(&o);
}

/** Two half-spaces have no gap; where they may overlap, nobody asks. */
static void test_two_floors(void) {
    ov_part floor = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &floor.shape));
    ov_link_def links[3] = {{"a", &floor, 1}, {"b", NULL, 0}, {"c", &floor, 1}};
    ov_joint_def joints[2];
    for (uint32_t i = 0; i < 2; i++) {
        joints[i] = (ov_joint_def){.name = i == 0 ? "ab" : "bc",
                                   .kind = OV_JOINT_KIND_SPHERICAL,
                                   .parent = i,
                                   .child = i + 1,
                                   .origin = ov_pose_identity(),
                                   .mimic = OV_NO_LINK};
    }
    ov_model *model = NULL;
    ov_checker *check = NULL;
    CHECK_OK(ov_model_create(links, 3, joints, 2, NULL, &model, NULL));
    CHECK_STATUS(ov_checker_create(model, NULL, NULL, &check), OV_ERROR_UNBOUNDED);
    CHECK_OK(ov_model_allow(model, 0, 2, true));
    CHECK_OK(ov_checker_create(model, NULL, NULL, &check));
    ov_pose poses[3] = {ov_pose_identity(), ov_pose_identity(), ov_pose_identity()};
    const ov_link_contact *contacts;
    size_t count = 7;
    CHECK_OK(ov_checker_contacts(check, poses, NULL, INFINITY, &contacts, &count));
    CHECK(count == 0);
    ov_checker_destroy(check);
    ov_model_destroy(model);
}

/* ---- many contacts, and memory */

/** A star of spheres that all overlap, in free motion about a root without parts. */
static ov_model *make_star(uint32_t count, ov_part *part) {
    ov_link_def *links = calloc(count, sizeof *links);
    ov_joint_def *joints = calloc(count, sizeof *joints);
    char(*names)[16] = calloc(count, sizeof *names);
    ov_model *model = NULL;
    part->pose = ov_pose_identity();
    CHECK_OK(ov_shape_make_sphere(1.0, &part->shape));
    if (CHECK(links != NULL && joints != NULL && names != NULL)) {
        for (uint32_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "%u", i);
            links[i] = (ov_link_def){names[i], part, i > 0};
            joints[i] = (ov_joint_def){.name = names[i],
                                       .kind = OV_JOINT_KIND_FLOATING,
                                       .child = i + 1,
                                       .origin = ov_pose_identity(),
                                       .mimic = OV_NO_LINK};
        }
        for (uint32_t i = 0; i + 1 < count; i++) {
            joints[i].name = names[i];
        }
        CHECK_OK(ov_model_create(links, count, joints, count - 1, NULL, &model, NULL));
    }
    free(links);
    free(joints);
    free(names);
    return model;
}

/** More contacts than there is room for at first; and more pairs than are taken. */
static void test_many(void) {
    enum { COUNT = 121 };
    ov_part part = {0};
    ov_model *model = make_star(COUNT, &part);
    static ledger counted;
    ledger_start(&counted, 0);
    ov_allocator allocator = ledger_allocator(&counted);
    ov_checker *check = NULL;
    CHECK_OK(ov_checker_create(model, NULL, &allocator, &check));
    static ov_pose poses[COUNT];
    for (int i = 0; i < COUNT; i++) {
        poses[i] = (ov_pose){{1e-3 * i, 0.0, 0.0}, ov_quat_identity()};
    }
    const ov_link_contact *contacts;
    size_t count;
    counted.fails_from = counted.fails_to = counted.calls + 1;
    CHECK_STATUS(ov_checker_contacts(check, poses, NULL, 0.0, &contacts, &count), OV_ERROR_MEMORY);
    CHECK(count == 0);
    CHECK_OK(ov_checker_contacts(check, poses, NULL, 0.0, &contacts, &count));
    CHECK(count == (COUNT - 1) * (COUNT - 2) / 2);
    for (size_t i = 0; i < count; i++) {
        const ov_link_contact *c = &contacts[i];
        CHECK(c->contact.relation == OV_RELATION_OVERLAPPING && c->triangle_a == OV_NO_TRIANGLE);
        CHECK_NEAR(c->contact.gap, 1e-3 * (c->link_b - c->link_a) - 2.0, 1e-12);
    }
    long asked = counted.calls;
    CHECK_OK(ov_checker_contacts(check, poses, NULL, 0.0, &contacts, &count));
    CHECK(counted.calls == asked);
    ov_checker_destroy(check);
    CHECK(counted.count == 0);
    ov_model_destroy(model);
    model = make_star(6000, &part);
    CHECK_STATUS(ov_checker_create(model, NULL, NULL, &check), OV_ERROR_COUNT);
    ov_model_destroy(model);
}

static void test_memory(void) {
    check_random r = check_random_make(707);
    robot o;
    if (!make_robot(&r, SHAPES_ONLY, &o)) {
        return;
    }
    bool made = false;
    for (long n = 1; !made && n < 100; n++) {
        static ledger counted;
        ledger_start(&counted, n);
        ov_allocator allocator = ledger_allocator(&counted);
        ov_checker *check = NULL;
        ov_status status = ov_checker_create(o.model, NULL, &allocator, &check);
        made = status == OV_OK;
        CHECK(made || (status == OV_ERROR_MEMORY && check == NULL));
        long asked = counted.calls;
        for (int i = 0; made && i < 50; i++) {
            double positions[TREE_POSITIONS_MAX];
            ov_pose poses[ROBOT_LINKS];
            const ov_link_contact *contacts;
            size_t count;
            tree_positions(&r, o.model, positions);
            CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
            CHECK_OK(ov_checker_contacts(check, poses, NULL, INFINITY, &contacts, &count));
        }
        CHECK(counted.calls == asked); // no memory is taken in a run
        CHECK(!made || asked >= 10);
        ov_checker_destroy(check);
        CHECK(counted.count == 0);
    }
    CHECK(made);
    free_robot(&o);
}

/* ---- obstacles */

enum { OBSTACLES = 12 };

/** A world around a robot, and what is in it. */
typedef struct surroundings {
    ov_world *world;
    ov_trimesh *mesh;
    ov_geometry *geometries[OBSTACLES];
    ov_body bodies[OBSTACLES];
    ov_pose poses[OBSTACLES];
} surroundings;

static ov_pose place_around(check_random *r) {
    ov_pose pose = tree_pose(r, 1.2);
    CHECK_OK(ov_quat_normalize(pose.rotation, &pose.rotation));
    return pose;
}

/** Shapes, compounds, meshes and a floor; every third one of group 2, some fixed or of no pairs. */
static void make_surroundings(check_random *r, surroundings *w) {
    w->mesh = make_brick(ov_vec3_make(0.2, 0.1, 0.3));
    CHECK_OK(ov_world_create(NULL, &w->world));
    for (int i = 0; i < OBSTACLES; i++) {
        ov_part parts[3];
        size_t count = i % 4 == 0 ? 3 : 1;
        for (size_t k = 0; k < count; k++) {
            parts[k] = (ov_part){.pose = tree_pose(r, 0.3)};
            CHECK_OK(draw_shape(r, &parts[k].shape));
        }
        parts[0].mesh = i == 5 || i == 8 ? w->mesh : NULL;
        if (i == 7) {
            CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), -1.0, &parts[0].shape));
        }
        CHECK_OK(ov_geometry_create(parts, count, NULL, &w->geometries[i]));
        w->poses[i] = place_around(r);
        ov_body_def def = {.geometry = w->geometries[i],
                           .pose = w->poses[i],
                           .group = i % 3 == 0 ? 2 : 1,
                           .mask = i % 2 == 0 ? 4 : 0,
                           .fixed = i % 5 == 0,
                           .no_pairs = i == 3,
                           .user = &w->poses[i]};
        CHECK_OK(ov_world_add(w->world, &def, &w->bodies[i]));
    }
}

static void free_surroundings(surroundings *w) {
    ov_world_destroy(w->world);
    for (int i = 0; i < OBSTACLES; i++) {
        ov_geometry_destroy(w->geometries[i]);
    }
    ov_trimesh_destroy(w->mesh);
}

static ov_contact parts_contact(const ov_part *a, ov_pose pa, const ov_part *b, ov_pose pb) {
    pa = (ov_pose){ov_pose_apply(pa, a->pose.position), ov_quat_mul(pa.rotation, a->pose.rotation)};
    pb = (ov_pose){ov_pose_apply(pb, b->pose.position), ov_quat_mul(pb.rotation, b->pose.rotation)};
    ov_trimesh_contact c = {0};
    if (a->mesh != NULL && b->mesh != NULL) {
        (void)ov_trimesh_pair_contact(a->mesh, pa, b->mesh, pb, INFINITY, NULL, &c);
    } else if (a->mesh != NULL) {
        (void)ov_trimesh_shape_contact(a->mesh, pa, &b->shape, pb, INFINITY, NULL, &c);
    } else if (b->mesh != NULL) {
        (void)ov_trimesh_shape_contact(b->mesh, pb, &a->shape, pa, INFINITY, NULL, &c);
    } else {
        (void)ov_pair_contact(&a->shape, pa, &b->shape, pb, NULL, NULL, &c.contact);
    }
    CHECK(c.contact.status >= 0);
    return c.contact;
}

typedef struct obstacles_seen {
    long contacts, beyond, yes, no;
    double worst;
} obstacles_seen;

/** The contacts with obstacles, in order and none left out, for links that ignore some groups. */
static void compare_obstacles(const robot *o, const ov_pose *poses, const surroundings *w,
                              const uint32_t *ignored, double limit,
                              const ov_link_contact *contacts, size_t count, obstacles_seen *s) {
    size_t next = 0;
    for (uint32_t link = 0; link < ROBOT_LINKS; link++) {
        const ov_geometry *g = ov_model_link_geometry(o->model, link);
        for (uint32_t i = 0; i < ov_geometry_count(g); i++) {
            for (uint32_t k = 0; k < OBSTACLES; k++) {
                ov_body_def def;
                CHECK_OK(ov_world_get(w->world, w->bodies[k], &def));
                if ((def.group & ignored[link]) != 0) {
                    continue;
                }
                for (uint32_t j = 0; j < ov_geometry_count(w->geometries[k]); j++) {
                    ov_contact c = parts_contact(ov_geometry_part(g, i), poses[link],
                                                 ov_geometry_part(w->geometries[k], j), def.pose);
                    const ov_link_contact *at = next < count ? &contacts[next] : NULL;
                    bool named = at != NULL && at->link_a == link && at->link_b == OV_NO_LINK &&
                                 at->part_a == i && at->body == w->bodies[k] && at->part_b == j &&
                                 at->user == &w->poses[k];
                    CHECK(named || c.gap_upper > limit || c.gap_lower > limit - 1e-12);
                    s->beyond += !named;
                    if (named) {
                        next++;
                        s->contacts++;
                        s->worst = fmax(s->worst, fabs(at->contact.gap - c.gap));
                        CHECK(at->contact.gap_lower <= c.gap_upper &&
                              c.gap_lower <= at->contact.gap_upper);
                        CHECK(at->contact.gap_lower <= limit);
                    }
                }
            }
        }
    }
    CHECK(next == count);
}

/** The yes or no of a pose against the contacts that it has. */
static void compare_answer(ov_checker *check, const ov_pose *poses, const ov_world *world,
                           double limit, const ov_link_contact *contacts, size_t count,
                           obstacles_seen *s) {
    bool within = false;
    for (size_t i = 0; i < count; i++) {
        within = within || contacts[i].contact.gap_upper <= limit;
    }
    ov_answer answer, again;
    ov_link_contact found;
    CHECK(ov_checker_collides(check, poses, world, limit, &answer, &found) >= 0);
    CHECK(ov_checker_collides(check, poses, world, limit, &again, NULL) >= 0);
    CHECK(answer == again && answer != OV_ANSWER_UNKNOWN);
    CHECK(answer == (within ? OV_ANSWER_YES : count == 0 ? OV_ANSWER_NO : answer));
    CHECK((found.link_a == OV_NO_LINK) == (answer == OV_ANSWER_NO));
    if (answer == OV_ANSWER_YES) {
        CHECK(found.contact.gap_lower <= limit && found.contact.status >= 0);
        CHECK(found.body != 0 ? found.link_b == OV_NO_LINK && ov_world_has(world, found.body)
                              : found.link_b > found.link_a && found.link_b < ROBOT_LINKS);
    }
    s->yes += answer == OV_ANSWER_YES;
    s->no += answer == OV_ANSWER_NO;
}

static void follow_obstacles(uint64_t seed, extras extra, int robots, int steps) {
    check_random r = check_random_make(seed);
    obstacles_seen s = {0};
    for (int n = 0; n < robots; n++) {
        robot o;
        surroundings w;
        ov_checker *check = NULL, *alone = NULL;
        if (!make_robot(&r, extra, &o) ||
            !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &check)) ||
            !CHECK_OK(ov_checker_create(o.model, NULL, NULL, &alone))) {
            continue;
        }
        make_surroundings(&r, &w);
        uint32_t ignored[ROBOT_LINKS] = {0};
        double positions[TREE_POSITIONS_MAX], limit = 0.05;
        tree_positions(&r, o.model, positions);
        for (int i = 0; i < steps; i++) {
            ov_pose poses[ROBOT_LINKS];
            const ov_link_contact *contacts, *own;
            size_t count, own_count;
            step(&r, o.model, positions);
            limit = tree_index(&r, 4) == 0 ? check_uniform(&r, 0.0, 0.3) : limit;
            limit = tree_index(&r, 6) == 0 ? 0.0 : limit;
            uint32_t link = (uint32_t)tree_index(&r, ROBOT_LINKS), k = tree_index(&r, OBSTACLES);
            ignored[link] = (uint32_t)tree_index(&r, 4);
            CHECK_OK(ov_checker_ignore(check, link, ignored[link]));
            CHECK_OK(ov_world_move(w.world, w.bodies[k], place_around(&r)));
            CHECK_OK(ov_model_poses(o.model, ov_pose_identity(), positions, poses));
            CHECK_OK(ov_checker_contacts(alone, poses, NULL, limit, &own, &own_count));
            CHECK_OK(ov_checker_contacts(check, poses, w.world, limit, &contacts, &count));
            CHECK(count >= own_count);
            for (size_t c = 0; c < own_count && c < count; c++) {
                CHECK(contacts[c].body == 0 && contacts[c].user == NULL);
                CHECK(contacts[c].link_b == own[c].link_b && contacts[c].part_b == own[c].part_b);
            }
            compare_obstacles(&o, poses, &w, ignored, limit, contacts + own_count,
                              count - own_count, &s);
            compare_answer(alone, poses, NULL, limit, own, own_count, &s);
            compare_answer(check, poses, w.world, limit, contacts, count, &s);
        }
        ov_checker_destroy(check);
        ov_checker_destroy(alone);
        free_surroundings(&w);
        free_robot(&o);
    }
    printf("%s: %ld contacts with obstacles, %ld pairs beyond; %ld poses collide, %ld do not\n",
           check_suite, s.contacts, s.beyond, s.yes, s.no);
    CHECK(s.contacts > 100 && s.beyond > 1000 && s.yes > 20);
    CHECK(s.no > 5 || extra != SHAPES_ONLY); // some robots always hit themselves
    check_worst("gaps to obstacles", s.worst, 4e-9);
}

static void test_obstacles(void) {
    follow_obstacles(711, SHAPES_ONLY, 6, 40);
    follow_obstacles(712, WITH_MESHES, 2, 30);
}

/** A finger before a wall: yes and no on either side of the limit, and no more to be ignored. */
static void test_wall(void) {
    ov_shape ball, wall;
    CHECK_OK(ov_shape_make_sphere(0.5, &ball));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(-1.0, 0.0, 0.0), -2.0, &wall)); // x >= 2
    const ov_part tip = {.shape = ball, .pose = {{0.25, 0.0, 0.0}, {0}}}, side = {.shape = wall};
    const ov_link_def links[2] = {{.name = "base"}, {.name = "finger", &tip, 1}};
    const ov_joint_def joint = {.name = "slide", .kind = OV_JOINT_KIND_PRISMATIC, .child = 1};
    ov_model *model = NULL;
    ov_geometry *g = NULL;
    ov_world *world = NULL;
    ov_checker *check = NULL;
    ov_body body;
    int mark;
    CHECK_OK(ov_model_create(links, 2, &joint, 1, NULL, &model, NULL));
    CHECK_OK(ov_geometry_create(&side, 1, NULL, &g));
    CHECK_OK(ov_world_create(NULL, &world));
    CHECK_OK(ov_world_add(world, &(ov_body_def){.geometry = g, .group = 8, .user = &mark}, &body));
    CHECK_OK(ov_checker_create(model, NULL, NULL, &check));
    for (int i = 0; i < 40; i++) {
        double at = 0.05 * i, gap = 2.0 - 0.75 - at;
        ov_pose poses[2];
        CHECK_OK(ov_model_poses(model, ov_pose_identity(), &at, poses));
        for (int k = 0; k < 3; k++) {
            double limit = 0.1 * k + 0.013;
            ov_answer answer;
            ov_link_contact found;
            CHECK_OK(ov_checker_collides(check, poses, world, limit, &answer, &found));
            CHECK(answer == (gap <= limit ? OV_ANSWER_YES : OV_ANSWER_NO));
            if (answer == OV_ANSWER_YES) {
                CHECK(found.link_a == 1 && found.body == body && found.user == &mark);
                CHECK_NEAR(found.contact.gap, gap, 1e-12);
            }
            CHECK_OK(ov_checker_ignore(check, OV_NO_LINK, 8 | 2));
            CHECK_OK(ov_checker_collides(check, poses, world, limit, &answer, &found));
            CHECK(answer == OV_ANSWER_NO && found.link_a == OV_NO_LINK);
            CHECK_OK(ov_checker_ignore(check, 1, 2));
        }
    }
    ov_pose poses[2] = {ov_pose_identity(), ov_pose_identity()};
    ov_answer answer;
    CHECK_OK(ov_checker_collides(check, poses, world, INFINITY, &answer, NULL));
    CHECK(answer == OV_ANSWER_YES);
    CHECK_STATUS(ov_checker_collides(check, poses, world, NAN, &answer, NULL), OV_ERROR_NOT_FINITE);
    CHECK(answer == OV_ANSWER_UNKNOWN);
    CHECK_STATUS(ov_checker_collides(check, poses, world, -1.0, &answer, NULL), OV_ERROR_OPTION);
    CHECK_STATUS(ov_checker_collides(check, poses, world, 0.0, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_collides(check, NULL, world, 0.0, &answer, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_collides(NULL, poses, world, 0.0, &answer, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_ignore(NULL, 0, 0), OV_ERROR_NULL);
    CHECK_STATUS(ov_checker_ignore(check, 2, 0), OV_ERROR_INDEX);
    poses[1].position.x = NAN;
    CHECK_STATUS(ov_checker_collides(check, poses, world, 0.0, &answer, NULL), OV_ERROR_NOT_FINITE);
    ov_checker_destroy(check);
    ov_world_destroy(world);
    ov_geometry_destroy(g);
    ov_model_destroy(model);
}

int main(void) {
    check_suite = "checker";
    RUN(test_shapes);
    RUN(test_meshes);
    RUN(test_floor);
    RUN(test_slow_motion);
    RUN(test_spin);
    RUN(test_repeated);
    RUN(test_refused);
    RUN(test_two_floors);
    RUN(test_many);
    RUN(test_memory);
    RUN(test_obstacles);
    RUN(test_wall);
    return check_finish();
}
