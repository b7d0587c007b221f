/**
 * @file test_motion_sweep_model.c
 * @brief Robots along trajectories, against obstacles and themselves: dense samples of the forward
 * kinematics and of the pair query show that nothing is missed and little is reported for nothing.
 */
#include <string.h>

#include "check.h"

enum { LINKS = 7, JOINTS = 6, OBSTACLES = 12, ROWS = 5, SAMPLES = 400, PAIRS = 512 };

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

/** An arm of superovoids and some bodies about it. */
typedef struct cell {
    ov_part parts[LINKS][2];
    ov_link_def links[LINKS];
    char names[LINKS + JOINTS][8];
    ov_model *model;
    ov_trajectory *trajectory;
    ov_geometry *geometries[OBSTACLES];
    ov_motion *carried; /**< of the last obstacle */
    ov_sweep_body obstacles[OBSTACLES];
    ov_shape shapes[OBSTACLES];
    ov_pose root;
} cell;

static ov_shape some_shape(check_random *r, double x, double y, double z) {
    ov_shape shape;
    double e1 = check_uniform(r, 0.3, 1.0), e2 = check_uniform(r, 0.3, 1.0);
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(x, y, z), e1, e2, check_uniform(r, -0.2, 0.2),
                                      check_uniform(r, -0.2, 0.2), NULL, &shape));
    return shape;
}

static void make_arm(check_random *r, cell *c) {
    ov_joint_def joints[JOINTS];
    for (int i = 0; i < LINKS; i++) {
        snprintf(c->names[i], sizeof c->names[i], "l%d", i);
        c->links[i] = (ov_link_def){c->names[i], c->parts[i], i == 3 ? 2 : 1};
        c->parts[i][0] = (ov_part){.shape = some_shape(r, 0.05, 0.06, 0.15),
                                   .pose = {{0.0, 0.0, 0.15}, check_rotation(r)}};
        c->parts[i][0].pose.rotation = (ov_quat){1.0, 0.0, 0.0, 0.0};
        c->parts[i][1] = (ov_part){.shape = some_shape(r, 0.08, 0.08, 0.08),
                                   .pose = {{0.1, 0.0, 0.0}, check_rotation(r)}};
    }
    for (int i = 0; i < JOINTS; i++) {
        char *name = c->names[LINKS + i];
        snprintf(name, sizeof c->names[0], "j%d", i);
        joints[i] = ov_default_joint_def();
        joints[i].name = name;
        joints[i].kind = i == 4 ? OV_JOINT_KIND_PRISMATIC : OV_JOINT_KIND_CONTINUOUS;
        joints[i].parent = (uint32_t)i;
        joints[i].child = (uint32_t)i + 1;
        joints[i].origin.position = ov_vec3_make(0.0, 0.0, 0.3);
        joints[i].axis = check_unit_vector(r);
        joints[i].lower = -INFINITY;
        joints[i].upper = INFINITY;
    }
    CHECK_OK(ov_model_create(c->links, LINKS, joints, JOINTS, NULL, &c->model, NULL));
}

static void make_cell(check_random *r, cell *c, ov_spline spline) {
    memset(c, 0, sizeof *c);
    make_arm(r, c);
    c->root = (ov_pose){ov_vec3_scale(check_unit_vector(r), 0.3), check_rotation(r)};
    double times[ROWS], rows[ROWS][JOINTS];
    for (int k = 0; k < ROWS; k++) {
        times[k] = k;
        for (int j = 0; j < JOINTS; j++) {
            rows[k][j] = check_uniform(r, -1.0, 1.0) * (j == 4 ? 0.1 : 1.2);
        }
    }
    CHECK_OK(ov_trajectory_create(c->model, times, &rows[0][0], NULL, ROWS, spline, NULL,
                                  &c->trajectory, NULL));
    for (int i = 0; i < OBSTACLES; i++) {
        c->shapes[i] = some_shape(r, check_uniform(r, 0.1, 0.3), check_uniform(r, 0.1, 0.3), 0.2);
        const ov_part part = {.shape = c->shapes[i], .pose = origin};
        CHECK_OK(ov_geometry_create(&part, 1, NULL, &c->geometries[i]));
        c->obstacles[i] = ov_default_sweep_body();
        c->obstacles[i].geometry = c->geometries[i];
        c->obstacles[i].pose.position =
            ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.8, 2.5));
        c->obstacles[i].pose.rotation = check_rotation(r);
    }
    ov_pose to = {ov_vec3_scale(check_unit_vector(r), 1.0), check_rotation(r)};
    CHECK_OK(ov_motion_create_screw(to, ov_vec3_make(0.0, 0.0, 0.0), check_unit_vector(r), 3.0, 0.5,
                                    0.0, ROWS - 1.0, NULL, &c->carried));
    c->obstacles[OBSTACLES - 1].motion = c->carried;
    c->obstacles[OBSTACLES - 1].pose = origin;
}

static void free_cell(cell *c) {
    ov_motion_destroy(c->carried);
    for (int i = 0; i < OBSTACLES; i++) {
        ov_geometry_destroy(c->geometries[i]);
    }
    ov_trajectory_destroy(c->trajectory);
    ov_model_destroy(c->model);
}

/* ---- dense samples */

typedef struct sampled {
    uint32_t body_a, body_b, part_a, part_b;
    const ov_shape *a, *b;
    ov_pose local_a, local_b;
    ov_warm_start warm;
    double gaps[SAMPLES + 1];
} sampled;

static sampled table[PAIRS];
static size_t pairs;

static ov_pose product(ov_pose a, ov_pose b) {
    return (ov_pose){ov_pose_apply(a, b.position), ov_quat_mul(a.rotation, b.rotation)};
}

static void add_pair(const cell *c, int i, size_t p, int other, size_t q) {
    sampled *s = &table[pairs++];
    CHECK(pairs <= PAIRS);
    *s = (sampled){.body_a = (uint32_t)i, .part_a = (uint32_t)p, .body_b = (uint32_t)other};
    s->part_b = (uint32_t)q;
    s->a = &c->parts[i][p].shape;
    s->local_a = c->parts[i][p].pose;
    s->b = other < LINKS ? &c->parts[other][q].shape : &c->shapes[other - LINKS];
    s->local_b = other < LINKS ? c->parts[other][q].pose : origin;
}

/** All pairs that the sweep has to look at, as the header says. */
static void list_pairs(const cell *c) {
    pairs = 0;
    for (int i = 0; i < LINKS; i++) {
        for (size_t p = 0; p < c->links[i].part_count; p++) {
            for (int j = i + 2; j < LINKS; j++) { // neighbours may overlap
                for (size_t q = 0; q < c->links[j].part_count; q++) {
                    add_pair(c, i, p, j, q);
                }
            }
            for (int k = 0; k < OBSTACLES; k++) {
                add_pair(c, i, p, LINKS + k, 0);
            }
        }
    }
}

static void sample(const cell *c) {
    list_pairs(c);
    for (int k = 0; k <= SAMPLES; k++) {
        double time = (ROWS - 1.0) * k / SAMPLES, positions[JOINTS];
        ov_pose poses[LINKS + OBSTACLES];
        CHECK_OK(ov_trajectory_at(c->trajectory, time, positions, NULL, NULL));
        CHECK_OK(ov_model_poses(c->model, c->root, positions, poses));
        for (int i = 0; i < OBSTACLES; i++) {
            poses[LINKS + i] = c->obstacles[i].pose;
        }
        CHECK_OK(ov_motion_pose(c->carried, time, &poses[LINKS + OBSTACLES - 1]));
        for (size_t i = 0; i < pairs; i++) {
            sampled *s = &table[i];
            ov_contact contact;
            const ov_pair_options options = {.tolerance = 1e-9, .depth = OV_DEPTH_LOCAL};
            (void)ov_pair_contact(s->a, product(poses[s->body_a], s->local_a), s->b,
                                  product(poses[s->body_b], s->local_b), &options, &s->warm,
                                  &contact);
            s->gaps[k] = contact.gap;
        }
    }
}

/* ---- comparison */

/** The interval of a pair at a time, or null. */
static const ov_sweep_interval *interval_at(const ov_sweep *sweep, const sampled *s, double time) {
    size_t count;
    const ov_sweep_interval *all = ov_sweep_intervals(sweep, &count);
    for (size_t i = 0; i < count; i++) {
        const ov_sweep_interval *v = &all[i];
        if (v->body_a == s->body_a && v->body_b == s->body_b && v->part_a == s->part_a &&
            v->part_b == s->part_b && v->start <= time && v->end >= time) {
            return v;
        }
    }
    return NULL;
}

static void compare(const ov_sweep *sweep, double epsilon, double clearance, long *contacts) {
    bool any = false;
    for (size_t i = 0; i < pairs; i++) {
        for (int k = 0; k <= SAMPLES; k++) {
            double time = (ROWS - 1.0) * k / SAMPLES, gap = table[i].gaps[k] - clearance;
            const ov_sweep_interval *v = interval_at(sweep, &table[i], time);
            if (gap <= 0.0) {
                any = true;
                (*contacts)++;
                CHECK(v != NULL); // no contact is missed
            }
            // lasting contacts are not looked at closely; others are, to twice epsilon
            double slack = fmax(64.0 * epsilon, 0.02 * 0.35);
            CHECK(v == NULL || gap <= slack);
            CHECK(v == NULL || !isnan(v->contact) || gap <= 2.0 * epsilon + 1e-9);
        }
    }
    ov_sweep_summary summary = ov_sweep_summary_of(sweep);
    CHECK(!any || summary.answer == OV_SWEEP_ANSWER_CONTACT);
    CHECK(summary.answer != OV_SWEEP_ANSWER_FREE || summary.lower == ROWS - 1.0);
}

static bool are_same(const ov_sweep *a, const ov_sweep *b) {
    ov_sweep_summary sa = ov_sweep_summary_of(a), sb = ov_sweep_summary_of(b);
    size_t ca, cb;
    const ov_sweep_interval *ia = ov_sweep_intervals(a, &ca), *ib = ov_sweep_intervals(b, &cb);
    bool same = ca == cb && sa.answer == sb.answer && sa.lower == sb.lower &&
                sa.upper == sb.upper && sa.pieces == sb.pieces && sa.queries == sb.queries;
    for (size_t i = 0; same && i < ca; i++) {
        same = ia[i].start == ib[i].start && ia[i].end == ib[i].end &&
               ia[i].body_a == ib[i].body_a && ia[i].body_b == ib[i].body_b;
    }
    return same;
}

static void test_arms(void) {
    check_random r = check_random_make(71);
    long contacts = 0;
    size_t most = 0;
    for (int i = 0; i < 6; i++) {
        cell c;
        make_cell(&r, &c, i % 2 == 0 ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR);
        sample(&c);
        ov_sweep_options options = ov_default_sweep_options();
        options.epsilon = 5e-4;
        options.clearance = i < 4 ? 0.0 : 0.01;
        ov_sweep *sweep = NULL, *again = NULL;
        CHECK_OK(ov_sweep_model(c.model, c.root, c.trajectory, c.obstacles, OBSTACLES, 0.0,
                                ROWS - 1.0, &options, &sweep, NULL));
        compare(sweep, options.epsilon, options.clearance, &contacts);
        size_t count;
        (void)ov_sweep_intervals(sweep, &count);
        most = count > most ? count : most;
        options.threads.count = 3;
        CHECK_OK(ov_sweep_model(c.model, c.root, c.trajectory, c.obstacles, OBSTACLES, 0.0,
                                ROWS - 1.0, &options, &again, NULL));
        CHECK(are_same(sweep, again));
        ov_sweep_destroy(again);
        options.first_only = true;
        CHECK_OK(ov_sweep_model(c.model, c.root, c.trajectory, c.obstacles, OBSTACLES, 0.0,
                                ROWS - 1.0, &options, &again, NULL));
        ov_sweep_summary all = ov_sweep_summary_of(sweep), one = ov_sweep_summary_of(again);
        CHECK(one.answer == all.answer || all.answer == OV_SWEEP_ANSWER_UNDECIDED);
        if (one.answer == OV_SWEEP_ANSWER_CONTACT) {
            CHECK(one.upper - one.lower <= 1e-6 * (ROWS - 1.0));
            CHECK(one.upper >= all.lower && one.lower <= all.upper);
        }
        ov_sweep_destroy(again);
        ov_sweep_destroy(sweep);
        free_cell(&c);
    }
    CHECK(contacts > 100);
    printf("%s: %ld samples in contact, at most %zu intervals a robot\n", check_suite, contacts,
           most);
}

static void test_errors(void) {
    check_random r = check_random_make(72);
    cell c, other;
    make_cell(&r, &c, OV_SPLINE_CUBIC);
    make_cell(&r, &other, OV_SPLINE_CUBIC);
    ov_sweep *sweep = NULL;
    ov_fault fault;
    CHECK_STATUS(ov_sweep_model(NULL, c.root, c.trajectory, NULL, 0, 0.0, 1.0, NULL, &sweep, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(
        ov_sweep_model(c.model, c.root, c.trajectory, NULL, 2, 0.0, 1.0, NULL, &sweep, NULL),
        OV_ERROR_NULL);
    CHECK_STATUS(ov_sweep_model(c.model, c.root, c.trajectory, NULL, 0, 0.0, 1.0, NULL, NULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(
        ov_sweep_model(c.model, c.root, other.trajectory, NULL, 0, 0.0, 1.0, NULL, &sweep, NULL),
        OV_ERROR_OPTION);
    CHECK_STATUS(
        ov_sweep_model(c.model, c.root, c.trajectory, NULL, 0, 0.0, 5.0, NULL, &sweep, NULL),
        OV_ERROR_TIME);
    c.obstacles[4].pose.rotation = (ov_quat){0.0, 0.0, NAN, 0.0};
    CHECK_STATUS(ov_sweep_model(c.model, c.root, c.trajectory, c.obstacles, OBSTACLES, 0.0, 1.0,
                                NULL, &sweep, &fault),
                 OV_ERROR_NOT_FINITE);
    CHECK(fault.place == OV_FAULT_PLACE_BODY && fault.index == 4);
    CHECK(sweep == NULL);
    free_cell(&c);
    free_cell(&other);
}

int main(void) {
    check_suite = "motion_sweep_model";
    RUN(test_arms);
    RUN(test_errors);
    return check_finish();
}
