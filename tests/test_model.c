/**
 * @file test_model.c
 * @brief Kinematic trees: poses against products of 4x4 matrices in long double, everything that a
 * model can be refused for, the table of allowed pairs against a plain search of the tree, large
 * models, and memory that runs out.
 */
#include <string.h>
#include <time.h>

#include "ledger.h"
#include "matrix_oracle.h"
#include "model_cases.h"

/* ---- poses against matrices */

/** Position of a joint of one, through all that it follows. */
static long double followed(const tree_case *t, size_t joint, const ov_model *model,
                            const double *positions) {
    const ov_joint_def *def = &t->joints[joint];
    if (def->mimic == OV_NO_LINK) {
        return positions[ov_model_joint_position(model, joint)];
    }
    return def->multiplier * followed(t, def->mimic, model, positions) + def->offset;
}

/** The least turn from z to an axis, by the angle between them. */
static matrix from_z(ov_vec3 axis) {
    const long double across[3] = {-axis.y, axis.x, 0.0L};
    return matrix_turn(across,
                       atan2l(sqrtl(across[0] * across[0] + across[1] * across[1]), axis.z));
}

static matrix motion(const tree_case *t, size_t joint, const ov_model *model,
                     const double *positions) {
    const ov_joint_def *def = &t->joints[joint];
    const long double axis[3] = {def->axis.x, def->axis.y, def->axis.z};
    long double n = sqrtl(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double *at = positions + ov_model_joint_position(model, joint);
    long double q =
        ov_joint_position_count(def->kind) == 1 ? followed(t, joint, model, positions) : 0.0L;
    matrix a, b;
    switch (def->kind) {
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        return matrix_turn(axis, q);
    case OV_JOINT_KIND_PRISMATIC:
        return matrix_shift(q * axis[0] / n, q * axis[1] / n, q * axis[2] / n);
    case OV_JOINT_KIND_PLANAR: {
        // across the axis first, seen along z, and then about z
        const long double z[3] = {0.0L, 0.0L, 1.0L};
        matrix place = from_z(def->axis), back = place;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                back.m[i][j] = place.m[j][i];
            }
        }
        a = matrix_shift(at[0], at[1], 0.0L);
        b = matrix_turn(z, at[2]);
        a = matrix_times(&a, &b);
        a = matrix_times(&place, &a);
        return matrix_times(&a, &back);
    }
    case OV_JOINT_KIND_SPHERICAL:
        return matrix_of_quaternion((const long double[4]){at[0], at[1], at[2], at[3]});
    case OV_JOINT_KIND_FLOATING:
        a = matrix_shift(at[0], at[1], at[2]);
        b = matrix_of_quaternion((const long double[4]){at[3], at[4], at[5], at[6]});
        return matrix_times(&a, &b);
    default:
        return matrix_identity();
    }
}

/** Pose of a link by going up to the root. */
static matrix placed(const tree_case *t, uint32_t link, const ov_model *model, const ov_pose *root,
                     const double *positions) {
    for (size_t j = 0; j + 1 < t->link_count; j++) {
        if (t->joints[j].child == link) {
            matrix above = placed(t, t->joints[j].parent, model, root, positions);
            matrix origin = matrix_of_pose(&t->joints[j].origin),
                   own = motion(t, j, model, positions);
            above = matrix_times(&above, &origin);
            return matrix_times(&above, &own);
        }
    }
    return matrix_of_pose(root);
}

static double distance(const matrix *m, const ov_pose *pose, double *turned) {
    ov_mat3 r = ov_mat3_from_quat(pose->rotation);
    const double c[3][3] = {
        {r.cx.x, r.cy.x, r.cz.x}, {r.cx.y, r.cy.y, r.cz.y}, {r.cx.z, r.cy.z, r.cz.z}};
    const double p[3] = {pose->position.x, pose->position.y, pose->position.z};
    double moved = 0.0;
    *turned = 0.0;
    for (int i = 0; i < 3; i++) {
        moved = fmax(moved, (double)fabsl(m->m[i][3] - p[i]));
        for (int j = 0; j < 3; j++) {
            *turned = fmax(*turned, (double)fabsl(m->m[i][j] - c[i][j]));
        }
    }
    return moved;
}

static void test_poses(void) {
    static tree_case t;
    check_random r = check_random_make(501);
    const double tolerance = 2e-14; // some tens of joints, a few roundings each, lengths of some 10
    double worst = 0.0, worst_turn = 0.0;
    long kinds[OV_JOINT_KIND_COUNT] = {0}, mimics = 0;
    for (int round = 0; round < 150; round++) {
        tree_draw(&r, 2 + tree_index(&r, 30), 1.0, &t);
        ov_model *model = NULL;
        ov_fault fault;
        if (!CHECK_OK(ov_model_create(t.links, t.link_count, t.joints, t.link_count - 1, NULL,
                                      &model, &fault))) {
            fprintf(stderr, "%s\n", fault.text);
            continue;
        }
        CHECK(ov_model_root(model) == t.rank[0]);
        double positions[TREE_POSITIONS_MAX];
        ov_pose poses[TREE_LINKS_MAX], root = tree_pose(&r, 2.0);
        tree_positions(&r, model, positions);
        CHECK_OK(ov_model_poses(model, root, positions, poses));
        for (uint32_t i = 0; i < t.link_count; i++) {
            matrix m = placed(&t, i, model, &root, positions);
            double turned, moved = distance(&m, &poses[i], &turned);
            ov_quat q = poses[i].rotation;
            CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15);
            CHECK(moved <= tolerance);
            CHECK(turned <= tolerance);
            worst = fmax(worst, moved);
            worst_turn = fmax(worst_turn, turned);
        }
        for (size_t j = 0; j + 1 < t.link_count; j++) {
            kinds[t.joints[j].kind]++;
            mimics += t.joints[j].mimic != OV_NO_LINK;
        }
        ov_model_destroy(model);
    }
    for (int k = 0; k < OV_JOINT_KIND_COUNT; k++) {
        CHECK(kinds[k] > 50);
    }
    CHECK(mimics > 50);
    check_worst("position against matrices", worst, tolerance);
    check_worst("rotation against matrices", worst_turn, tolerance);
}

/* ---- what can be looked up */

static void test_names(void) {
    static tree_case t;
    check_random r = check_random_make(502);
    tree_draw(&r, 40, 1.0, &t);
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(t.links, 40, t.joints, 39, NULL, &model, NULL));
    CHECK(ov_model_link_count(model) == 40 && ov_model_joint_count(model) == 39);
    size_t positions = 0, motions = 0;
    for (uint32_t i = 0; i < 40; i++) {
        CHECK(ov_model_find_link(model, t.names[i]) == i);
        CHECK(strcmp(ov_model_link_name(model, i), t.names[i]) == 0);
        CHECK(ov_model_link_name(model, i) != t.names[i]); // a copy
        CHECK(ov_model_link_geometry(model, i) == NULL);
    }
    for (uint32_t j = 0; j < 39; j++) {
        const ov_joint_def *def = ov_model_joint(model, j);
        CHECK(ov_model_find_joint(model, t.joint_names[j]) == j);
        CHECK(ov_model_link_joint(model, def->child) == j);
        CHECK(def->kind == t.joints[j].kind && def->parent == t.joints[j].parent);
        uint32_t leader = j;
        while (t.joints[leader].mimic != OV_NO_LINK) {
            leader = t.joints[leader].mimic;
        }
        CHECK(ov_model_joint_position(model, j) == ov_model_joint_position(model, leader));
        CHECK(ov_model_joint_dof(model, j) == ov_model_joint_dof(model, leader));
        if (leader == j) {
            CHECK(ov_model_joint_position(model, j) == positions);
            CHECK(ov_model_joint_dof(model, j) == motions);
            positions += ov_joint_position_count(def->kind);
            motions += ov_joint_dof_count(def->kind);
        }
    }
    CHECK(ov_model_position_count(model) == positions);
    CHECK(ov_model_dof_count(model) == motions);
    CHECK(ov_model_link_joint(model, ov_model_root(model)) == OV_NO_LINK);
    CHECK(ov_model_find_link(model, "no such link") == OV_NO_LINK);
    CHECK(ov_model_find_joint(model, "") == OV_NO_LINK);
    CHECK(ov_model_joint(model, 39) == NULL && ov_model_link_name(model, 40) == NULL);
    ov_model_destroy(model);
    ov_model_destroy(NULL);
    const char *const words[] = {"fixed",  "revolute",  "continuous", "prismatic",
                                 "planar", "spherical", "floating"};
    const size_t takes[] = {0, 1, 1, 1, 3, 4, 7}, moves[] = {0, 1, 1, 1, 3, 3, 6};
    for (int k = 0; k < OV_JOINT_KIND_COUNT; k++) {
        CHECK(strcmp(ov_joint_kind_name((ov_joint_kind)k), words[k]) == 0);
        CHECK(ov_joint_position_count((ov_joint_kind)k) == takes[k]);
        CHECK(ov_joint_dof_count((ov_joint_kind)k) == moves[k]);
    }
    CHECK(ov_joint_kind_name((ov_joint_kind)99) != NULL);
}

/* ---- what is refused */

/** Three links in a row, on revolute joints. */
typedef struct chain {
    ov_link_def links[4];
    ov_joint_def joints[4];
} chain;

static chain make_chain(void) {
    static const char *const names[] = {"a", "b", "c", "d"};
    chain c = {0};
    for (uint32_t i = 0; i < 4; i++) {
        c.links[i].name = names[i];
        c.joints[i] = (ov_joint_def){.name = names[i],
                                     .kind = OV_JOINT_KIND_REVOLUTE,
                                     .parent = i,
                                     .child = i + 1,
                                     .origin = ov_pose_identity(),
                                     .axis = {0.0, 0.0, 1.0},
                                     .lower = -1.0,
                                     .upper = 1.0,
                                     .mimic = OV_NO_LINK,
                                     .multiplier = 1.0};
    }
    return c;
}

static void refuse(const chain *c, size_t links, size_t joints, ov_status expected, uint32_t link,
                   uint32_t joint, int line) {
    static ledger count;
    ledger_start(&count, 0);
    ov_allocator allocator = ledger_allocator(&count);
    ov_model *model = (ov_model *)(uintptr_t)&count;
    ov_fault fault = {OV_FAULT_PLACE_COUNT, 7, ""};
    ov_status status =
        ov_model_create(c->links, links, c->joints, joints, &allocator, &model, &fault);
    ov_fault_place place = joint != OV_NO_LINK  ? OV_FAULT_PLACE_JOINT
                           : link != OV_NO_LINK ? OV_FAULT_PLACE_LINK
                                                : OV_FAULT_PLACE_NONE;
    size_t index = joint != OV_NO_LINK ? joint : link != OV_NO_LINK ? link : 0;
    bool good = status == expected && model == NULL && fault.place == place &&
                fault.index == index && fault.text[0] != 0 && count.count == 0;
    if (!CHECK(good)) {
        fprintf(stderr, "  line %d: %s, place %d, index %zu: %s\n", line, ov_status_name(status),
                (int)fault.place, fault.index, fault.text);
    }
}

#define NONE OV_NO_LINK
#define REFUSE(change, links, joints, status, link, joint)                                         \
    do {                                                                                           \
        chain c = make_chain();                                                                    \
        change;                                                                                    \
        refuse(&c, links, joints, status, link, joint, __LINE__);                                  \
    } while (0)

static void test_refused(void) {
    REFUSE((void)0, 0, 0, OV_ERROR_COUNT, NONE, NONE);
    REFUSE((void)0, OV_MODEL_LINKS_MAX + 1, 2, OV_ERROR_COUNT, NONE, NONE);
    REFUSE((void)0, 3, OV_MODEL_LINKS_MAX + 1, OV_ERROR_COUNT, NONE, NONE);
    // names
    REFUSE(c.links[1].name = NULL, 3, 2, OV_ERROR_NULL, 1, NONE);
    REFUSE(c.links[1].name = "", 3, 2, OV_ERROR_NAME, 1, NONE);
    REFUSE(c.links[2].name = "a", 3, 2, OV_ERROR_NAME, 2, NONE);
    REFUSE(c.joints[1].name = "", 3, 2, OV_ERROR_NAME, NONE, 1);
    REFUSE(c.joints[1].name = "a", 3, 2, OV_ERROR_NAME, NONE, 1);
    // trees
    REFUSE(c.joints[1].child = 3, 3, 2, OV_ERROR_INDEX, NONE, 1);
    REFUSE(c.joints[1].parent = NONE, 3, 2, OV_ERROR_INDEX, NONE, 1);
    REFUSE(c.joints[1].child = 1, 3, 2, OV_ERROR_NOT_A_TREE, NONE, 1);
    REFUSE((c.joints[1].parent = 0, c.joints[1].child = 1), 3, 2, OV_ERROR_NOT_A_TREE, NONE, 1);
    REFUSE((void)0, 4, 2, OV_ERROR_NOT_A_TREE, 3, NONE);
    REFUSE(c.joints[2].child = 0, 3, 3, OV_ERROR_NOT_A_TREE, NONE, NONE);
    // a root and, aside, a loop
    REFUSE((c.joints[0].parent = 2), 3, 2, OV_ERROR_NOT_A_TREE, 1, NONE);
    // joints
    REFUSE(c.joints[0].kind = OV_JOINT_KIND_COUNT, 3, 2, OV_ERROR_OPTION, NONE, 0);
    REFUSE(c.joints[0].kind = (ov_joint_kind)-1, 3, 2, OV_ERROR_OPTION, NONE, 0);
    REFUSE(c.joints[0].lower = 2.0, 3, 2, OV_ERROR_OPTION, NONE, 0);
    REFUSE(c.joints[0].lower = NAN, 3, 2, OV_ERROR_NOT_FINITE, NONE, 0);
    REFUSE((c.joints[0].lower = c.joints[0].upper = INFINITY), 3, 2, OV_ERROR_OPTION, NONE, 0);
    REFUSE(c.joints[1].axis.x = INFINITY, 3, 2, OV_ERROR_NOT_FINITE, NONE, 1);
    REFUSE(c.joints[1].origin.position.x = NAN, 3, 2, OV_ERROR_NOT_FINITE, NONE, 1);
    REFUSE(c.joints[1].origin.position.x = 1e101, 3, 2, OV_ERROR_SIZE_RANGE, NONE, 1);
    // mimics
    REFUSE(c.joints[1].mimic = 2, 3, 2, OV_ERROR_INDEX, NONE, 1);
    REFUSE(c.joints[1].mimic = 1, 3, 2, OV_ERROR_NOT_A_TREE, NONE, 1);
    REFUSE((c.joints[1].mimic = 0, c.joints[0].mimic = 1), 3, 2, OV_ERROR_NOT_A_TREE, NONE, 0);
    REFUSE((c.joints[1].mimic = 0, c.joints[0].kind = OV_JOINT_KIND_PLANAR), 3, 2, OV_ERROR_OPTION,
           NONE, 1);
    REFUSE((c.joints[1].mimic = 0, c.joints[0].kind = OV_JOINT_KIND_FIXED), 3, 2, OV_ERROR_OPTION,
           NONE, 1);
    REFUSE((c.joints[1].mimic = 0, c.joints[1].kind = OV_JOINT_KIND_FLOATING), 3, 2,
           OV_ERROR_OPTION, NONE, 1);
    REFUSE((c.joints[1].mimic = 0, c.joints[1].multiplier = NAN), 3, 2, OV_ERROR_NOT_FINITE, NONE,
           1);
    REFUSE((c.joints[1].mimic = 0, c.joints[1].multiplier = 1e200, c.joints[2].mimic = 1,
            c.joints[2].multiplier = 1e200),
           4, 3, OV_ERROR_NOT_FINITE, NONE, 2);
    // parts
    ov_part part = {.pose = ov_pose_identity()};
    REFUSE((c.links[2].parts = &part, c.links[2].part_count = 1), 3, 2, OV_ERROR_SHAPE, 2, NONE);
    REFUSE(c.links[2].part_count = 1, 3, 2, OV_ERROR_NULL, 2, NONE);
    chain c = make_chain();
    ov_model *model = NULL;
    CHECK_STATUS(ov_model_create(NULL, 3, c.joints, 2, NULL, &model, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_create(c.links, 3, NULL, 2, NULL, &model, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_create(c.links, 3, c.joints, 2, NULL, NULL, NULL), OV_ERROR_NULL);
    // what a kind does not use may be anything
    c.joints[0].kind = OV_JOINT_KIND_FIXED;
    c.joints[0].axis = ov_vec3_make(NAN, 0.0, 0.0);
    c.joints[1].kind = OV_JOINT_KIND_CONTINUOUS;
    c.joints[1].lower = NAN;
    CHECK_OK(ov_model_create(c.links, 3, c.joints, 2, NULL, &model, NULL));
    ov_model_destroy(model);
    CHECK_OK(ov_model_create(c.links, 1, NULL, 0, NULL, &model, NULL));
    ov_pose pose;
    CHECK_OK(ov_model_poses(model, ov_pose_identity(), NULL, &pose));
    ov_joint_excess excess;
    CHECK_OK(ov_model_check(model, NULL, &excess, NULL));
    CHECK(excess.joint == OV_NO_LINK);
    CHECK_STATUS(ov_model_check(model, NULL, NULL, NULL), OV_ERROR_NULL);
    ov_model_destroy(model);
}

static void test_long_name(void) {
    chain c = make_chain();
    char *name = malloc(OV_MODEL_LINKS_MAX + 2);
    if (!CHECK(name != NULL)) {
        return;
    }
    memset(name, 'x', OV_MODEL_LINKS_MAX + 1);
    name[OV_MODEL_LINKS_MAX + 1] = 0;
    c.links[1].name = name;
    refuse(&c, 3, 2, OV_ERROR_NAME, 1, NONE, __LINE__);
    name[OV_MODEL_LINKS_MAX] = 0;
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(c.links, 3, c.joints, 2, NULL, &model, NULL));
    CHECK(ov_model_find_link(model, name) == 1);
    ov_model_destroy(model);
    free(name);
}

/* ---- positions */

static void test_positions(void) {
    chain c = make_chain();
    c.joints[0].lower = 0.25;
    c.joints[1].lower = -2.0;
    c.joints[1].upper = -0.5;
    c.joints[2].kind = OV_JOINT_KIND_FLOATING;
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(c.links, 4, c.joints, 3, NULL, &model, NULL));
    double q[9], rest[9] = {0.25, -0.5, 0, 0, 0, 1, 0, 0, 0};
    ov_joint_excess excess;
    ov_fault fault;
    ov_pose poses[4];
    ov_model_rest(model, q);
    CHECK(memcmp(q, rest, sizeof q) == 0);
    CHECK_OK(ov_model_check(model, q, &excess, &fault));
    CHECK(excess.joint == OV_NO_LINK && fault.place == OV_FAULT_PLACE_NONE && fault.text[0] == 0);
    q[1] = -0.5 + 0.9e-9;
    CHECK_OK(ov_model_check(model, q, &excess, NULL));
    CHECK(excess.joint == OV_NO_LINK);
    q[1] = -0.5 + 1.1e-9;
    CHECK_OK(ov_model_check(model, q, &excess, &fault));
    CHECK(excess.joint == 1 && excess.position == q[1] && excess.limit == -0.5);
    q[0] = -7.0; // the first one is told
    CHECK_OK(ov_model_check(model, q, &excess, &fault));
    CHECK(excess.joint == 0 && excess.position == -7.0 && excess.limit == 0.25);
    q[0] = 0.25;
    CHECK_OK(ov_model_poses(model, ov_pose_identity(), q, poses)); // limits are not looked at
    q[1] = NAN;
    CHECK_STATUS(ov_model_check(model, q, &excess, &fault), OV_ERROR_NOT_FINITE);
    CHECK(excess.joint == OV_NO_LINK && fault.place == OV_FAULT_PLACE_JOINT && fault.index == 1);
    CHECK_STATUS(ov_model_poses(model, ov_pose_identity(), q, poses), OV_ERROR_NOT_FINITE);
    q[1] = -1.0;
    q[5] = 0.0;
    CHECK_STATUS(ov_model_check(model, q, &excess, &fault), OV_ERROR_ZERO_DIRECTION);
    CHECK(fault.place == OV_FAULT_PLACE_JOINT && fault.index == 2 && fault.text[0] != 0);
    CHECK_STATUS(ov_model_poses(model, ov_pose_identity(), q, poses), OV_ERROR_ZERO_DIRECTION);
    q[5] = 1e-200;
    CHECK_OK(ov_model_poses(model, ov_pose_identity(), q, poses));
    q[2] = 1e300; // a place that no query would take
    CHECK_STATUS(ov_model_poses(model, ov_pose_identity(), q, poses), OV_ERROR_SIZE_RANGE);
    ov_pose bad = ov_pose_identity();
    bad.rotation.w = NAN;
    CHECK_STATUS(ov_model_poses(model, bad, rest, poses), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_model_poses(model, ov_pose_identity(), NULL, poses), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_check(model, NULL, &excess, &fault), OV_ERROR_NULL);
    CHECK(fault.place == OV_FAULT_PLACE_NONE && fault.text[0] != 0);
    ov_model_destroy(model);
}

/** The position of a joint that follows is held against its own limits too. */
static void test_mimic_limits(void) {
    chain c = make_chain();
    c.joints[1].mimic = 0;
    c.joints[1].multiplier = 2.0;
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(c.links, 3, c.joints, 2, NULL, &model, NULL));
    ov_joint_excess excess;
    double q = 0.5;
    CHECK(ov_model_position_count(model) == 1);
    CHECK_OK(ov_model_check(model, &q, &excess, NULL));
    CHECK(excess.joint == OV_NO_LINK);
    q = 0.75;
    CHECK_OK(ov_model_check(model, &q, &excess, NULL));
    CHECK(excess.joint == 1 && excess.position == 1.5 && excess.limit == 1.0);
    ov_model_destroy(model);
}

/* ---- allowed pairs */

/** How many joints that are not fixed lie between two links, by walking up from each. */
static int joints_between(const tree_case *t, uint32_t a, uint32_t b) {
    int up_a[TREE_LINKS_MAX], seen[TREE_LINKS_MAX];
    for (size_t i = 0; i < t->link_count; i++) {
        up_a[i] = 0;
        seen[i] = 0;
    }
    for (int pass = 0, moved = 0;; moved = 0, pass = 1) {
        uint32_t at = pass == 0 ? a : b;
        for (;;) {
            if (pass == 0) {
                seen[at] = 1;
                up_a[at] = moved;
            } else if (seen[at]) {
                return up_a[at] + moved;
            }
            size_t j = 0;
            while (j + 1 < t->link_count && t->joints[j].child != at) {
                j++;
            }
            if (j + 1 == t->link_count) {
                break;
            }
            moved += t->joints[j].kind != OV_JOINT_KIND_FIXED;
            at = t->joints[j].parent;
        }
    }
}

static void test_allowed(void) {
    static tree_case t;
    static bool table[TREE_LINKS_MAX][TREE_LINKS_MAX];
    check_random r = check_random_make(503);
    for (int round = 0; round < 20; round++) {
        tree_draw(&r, 30, 1.0, &t);
        for (size_t j = 0; j < 29; j++) {
            if (tree_index(&r, 3) == 0 && t.joints[j].mimic == OV_NO_LINK) {
                t.joints[j].kind = OV_JOINT_KIND_FIXED;
            }
        }
        for (size_t j = 0; j < 29; j++) {
            if (t.joints[j].mimic != OV_NO_LINK &&
                t.joints[t.joints[j].mimic].kind == OV_JOINT_KIND_FIXED) {
                t.joints[j].mimic = OV_NO_LINK;
            }
        }
        static ledger count;
        ledger_start(&count, 0);
        ov_allocator allocator = ledger_allocator(&count);
        ov_model *model = NULL;
        CHECK_OK(ov_model_create(t.links, 30, t.joints, 29, &allocator, &model, NULL));
        for (uint32_t a = 0; a < 30; a++) {
            for (uint32_t b = 0; b < 30; b++) {
                table[a][b] = joints_between(&t, a, b) <= 1;
                CHECK(ov_model_is_allowed(model, a, b) == table[a][b]);
            }
        }
        for (int change = 0; change < 600; change++) {
            uint32_t a = tree_index(&r, 30), b = tree_index(&r, 30);
            bool allowed = tree_index(&r, 2) == 0;
            CHECK_STATUS(ov_model_allow(model, a, b, allowed),
                         a == b && !allowed ? OV_ERROR_OPTION : OV_OK);
            table[a][b] = table[b][a] = a == b ? true : allowed;
        }
        for (uint32_t a = 0; a < 30; a++) {
            for (uint32_t b = 0; b < 30; b++) {
                CHECK(ov_model_is_allowed(model, a, b) == table[a][b]);
            }
        }
        CHECK_STATUS(ov_model_allow(model, 30, 0, true), OV_ERROR_INDEX);
        CHECK_STATUS(ov_model_allow(model, 0, NONE, true), OV_ERROR_INDEX);
        CHECK_STATUS(ov_model_allow(NULL, 0, 1, true), OV_ERROR_NULL);
        ov_model_destroy(model);
        CHECK(count.count == 0);
    }
}

/* ---- large models */

/** A chain as long as a model may have, and what is not a tree at that size. */
static void test_large(void) {
    const uint32_t n = OV_MODEL_LINKS_MAX;
    ov_link_def *links = calloc(n, sizeof *links);
    ov_joint_def *joints = calloc(n, sizeof *joints);
    char(*names)[16] = calloc(n, sizeof *names);
    ov_pose *poses = calloc(n, sizeof *poses);
    double *positions = calloc(n, sizeof *positions);
    if (!CHECK(links != NULL && joints != NULL && names != NULL && poses != NULL &&
               positions != NULL)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%05u", (i * 7919u) % n);
        links[i].name = names[i];
        joints[i] = (ov_joint_def){.name = names[i],
                                   .kind = OV_JOINT_KIND_CONTINUOUS,
                                   .parent = i + 1, // the root is the last link
                                   .child = i,
                                   .origin = {{0.0, 0.0, 1.0}, ov_quat_identity()},
                                   .axis = {1.0, 0.0, 0.0},
                                   .mimic = i + 2 < n ? i + 1 : NONE,
                                   .multiplier = 1.0};
    }
    clock_t start = clock();
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(links, n, joints, n - 1, NULL, &model, NULL));
    CHECK(ov_model_root(model) == n - 1 && ov_model_position_count(model) == 1);
    // a ring: every joint turns by the same angle
    positions[0] = 2.0 * M_PI / n;
    CHECK_OK(ov_model_poses(model, ov_pose_identity(), positions, poses));
    double radius = 0.5 / sin(M_PI / n), out = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        out = fmax(out, ov_vec3_length(poses[i].position));
    }
    CHECK_NEAR(out / (2.0 * radius), 1.0, 1e-6);
    // where the last link ends, one step from the first: off by so much of the radius
    double off = fabs(ov_vec3_length(poses[0].position) - 1.0) / radius;
    check_worst("ring of 100,000 links, how well it closes", off, 1e-12);
    CHECK(off <= 1e-12);
    for (uint32_t i = 0; i + 1000 < n; i += 997) {
        CHECK(ov_model_find_link(model, names[i]) == i);
        CHECK(!ov_model_is_allowed(model, i, i + 900));
        CHECK_OK(ov_model_allow(model, i, i + 900, true));
        CHECK(ov_model_is_allowed(model, i + 900, i));
    }
    ov_model_destroy(model);
    joints[n - 2].mimic = 0; // a circle through all of them
    CHECK_STATUS(ov_model_create(links, n, joints, n - 1, NULL, &model, NULL), OV_ERROR_NOT_A_TREE);
    joints[n - 2].mimic = NONE;
    joints[n - 2].parent = 0; // a loop of all links but one
    CHECK_STATUS(ov_model_create(links, n, joints, n - 1, NULL, &model, NULL), OV_ERROR_NOT_A_TREE);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(seconds < 20.0); // a hundredth of it is enough; a square of 100,000 is not
    free(links);
    free(joints);
    free(names);
    free(poses);
    free(positions);
}

/* ---- memory that runs out */

static void test_memory(void) {
    static tree_case t;
    check_random r = check_random_make(504);
    tree_draw(&r, 8, 1.0, &t);
    ov_part parts[2] = {{.pose = ov_pose_identity()}, {.pose = ov_pose_identity()}};
    CHECK_OK(ov_shape_make_sphere(0.1, &parts[0].shape));
    parts[1].shape = parts[0].shape;
    for (int i = 0; i < 8; i += 2) {
        t.links[i].parts = parts;
        t.links[i].part_count = 2;
    }
    bool made = false;
    for (long n = 1; !made && n < 100; n++) {
        static ledger count;
        ledger_start(&count, n);
        ov_allocator allocator = ledger_allocator(&count);
        ov_model *model = NULL;
        ov_fault fault;
        ov_status status = ov_model_create(t.links, 8, t.joints, 7, &allocator, &model, &fault);
        made = status == OV_OK;
        CHECK(made || (status == OV_ERROR_MEMORY && model == NULL));
        if (made) {
            CHECK(count.calls >= 8 && n > 8);
            // the table keeps what it says when it cannot grow
            count.fails_from = count.fails_to = count.calls + 1;
            uint32_t a = t.rank[0], b = t.rank[7];
            bool before = ov_model_is_allowed(model, a, b);
            CHECK_STATUS(ov_model_allow(model, a, b, !before), OV_ERROR_MEMORY);
            CHECK(ov_model_is_allowed(model, a, b) == before);
            CHECK_OK(ov_model_allow(model, a, b, !before));
            CHECK(ov_model_is_allowed(model, a, b) != before);
            ov_model_destroy(model);
        }
        CHECK(count.count == 0);
    }
    CHECK(made);
}

int main(void) {
    check_suite = "model";
    RUN(test_poses);
    RUN(test_names);
    RUN(test_refused);
    RUN(test_long_name);
    RUN(test_positions);
    RUN(test_mimic_limits);
    RUN(test_allowed);
    RUN(test_large);
    RUN(test_memory);
    return check_finish();
}
