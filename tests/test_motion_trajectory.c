/**
 * @file test_motion_trajectory.c
 * @brief Joint trajectories: what makes a spline the one that is asked for (values at the rows,
 * continuity, ends, the degree between rows), quaternions against the definition of slerp, the
 * check of limits against dense samples, everything that a trajectory can be refused for, and
 * memory that runs out.
 */
#include <string.h>

#include "ledger.h"
#include "model_cases.h"

enum { ROWS_MAX = 9 };

typedef struct sample {
    tree_case tree;
    ov_model *model;
    ov_trajectory *trajectory;
    size_t rows, numbers;
    double times[ROWS_MAX];
    double positions[ROWS_MAX * TREE_POSITIONS_MAX], velocities[ROWS_MAX * TREE_POSITIONS_MAX];
} sample;

static void draw_rows(check_random *r, sample *c) {
    c->numbers = ov_model_position_count(c->model);
    double time = check_uniform(r, -5.0, 5.0);
    for (size_t i = 0; i < c->rows; i++) {
        c->times[i] = time;
        time += check_log_uniform(r, 0.05, 2.0);
        tree_positions(r, c->model, c->positions + i * c->numbers);
        for (size_t k = 0; k < c->numbers; k++) {
            c->velocities[i * c->numbers + k] = check_uniform(r, -1.0, 1.0);
        }
    }
}

static bool draw_model(check_random *r, size_t links, sample *c) {
    c->model = NULL;
    c->trajectory = NULL;
    tree_draw(r, links, 1.0, &c->tree);
    c->rows = 2 + tree_index(r, ROWS_MAX - 1);
    return CHECK_OK(
        ov_model_create(c->tree.links, links, c->tree.joints, links - 1, NULL, &c->model, NULL));
}

static bool make(sample *c, bool hermite, ov_spline spline) {
    ov_trajectory_destroy(c->trajectory);
    return CHECK_OK(ov_trajectory_create(c->model, c->times, c->positions,
                                         hermite ? c->velocities : NULL, c->rows, spline, NULL,
                                         &c->trajectory, NULL));
}

static void drop(sample *c) {
    ov_trajectory_destroy(c->trajectory);
    ov_model_destroy(c->model);
}

/** Is number k one of a quaternion, and of which does it begin? */
static size_t quaternion_of(const ov_model *model, size_t k) {
    for (size_t j = 0; j < ov_model_joint_count(model); j++) {
        const ov_joint_def *def = ov_model_joint(model, j);
        size_t count = ov_joint_position_count(def->kind), at = ov_model_joint_position(model, j);
        if (count > 3 && k >= at + count - 4 && k < at + count) {
            return at + count - 4;
        }
    }
    return SIZE_MAX;
}

/* ---- the spline */

typedef struct state {
    double x[TREE_POSITIONS_MAX], v[TREE_POSITIONS_MAX], a[TREE_POSITIONS_MAX];
} state;

static state state_at(const sample *c, double time) {
    state s;
    CHECK_OK(ov_trajectory_at(c->trajectory, time, s.x, s.v, s.a));
    return s;
}

/** Just before and after a row. */
static void check_row(const sample *c, size_t i, bool hermite, ov_spline spline, double *worst) {
    double t = c->times[i];
    state now = state_at(c, t), before = state_at(c, nextafter(t, -INFINITY));
    state after = state_at(c, nextafter(t, INFINITY));
    for (size_t k = 0; k < c->numbers; k++) {
        if (quaternion_of(c->model, k) != SIZE_MAX) {
            CHECK(now.v[k] == 0.0 && now.a[k] == 0.0);
            continue;
        }
        double x = c->positions[i * c->numbers + k];
        CHECK_NEAR(now.x[k], x, 1e-15);
        CHECK_NEAR(before.x[k], x, 1e-13);
        CHECK_NEAR(after.x[k], x, 1e-13);
        bool inside = i > 0 && i + 1 < c->rows;
        // rounding of values of size one goes through a division by the time
        double h = i == 0 ? INFINITY : t - c->times[i - 1];
        h = i + 1 < c->rows ? fmin(h, c->times[i + 1] - t) : h;
        if (hermite) {
            CHECK_NEAR(now.v[k], c->velocities[i * c->numbers + k], 1e-13);
        } else if (spline == OV_SPLINE_CUBIC && !inside) {
            CHECK_NEAR(now.v[k], 0.0, 1e-12);
        }
        if (inside && (hermite || spline == OV_SPLINE_CUBIC)) {
            CHECK_NEAR(before.v[k], after.v[k], 1e-12 / h);
            *worst = fmax(*worst, fabs(before.v[k] - after.v[k]) * h);
        }
        if (inside && !hermite && spline == OV_SPLINE_CUBIC) {
            CHECK_NEAR(before.a[k], after.a[k], 1e-12 / (h * h));
        }
        if (!inside) { // at rest beyond
            const state *beyond = i == 0 ? &before : &after;
            CHECK(beyond->x[k] == x && beyond->v[k] == 0.0 && beyond->a[k] == 0.0);
        }
    }
}

/** Between rows: derivatives by differences, and an acceleration that is linear in time. */
static void check_between(const sample *c, size_t i, double *worst) {
    double h = c->times[i + 1] - c->times[i], e = 1e-2 * h, t = c->times[i] + 0.4 * h;
    state s[5];
    for (int j = 0; j < 5; j++) {
        s[j] = state_at(c, t + (j - 2) * e);
    }
    double other = c->times[i] + 0.2 * h;
    state first = state_at(c, other), third = state_at(c, t + (t - other));
    for (size_t k = 0; k < c->numbers; k++) {
        if (quaternion_of(c->model, k) != SIZE_MAX) {
            continue;
        }
        // differences of a cubic over five points have no error but rounding
        double v = (s[0].x[k] - 8.0 * s[1].x[k] + 8.0 * s[3].x[k] - s[4].x[k]) / (12.0 * e);
        double a = (s[0].v[k] - 8.0 * s[1].v[k] + 8.0 * s[3].v[k] - s[4].v[k]) / (12.0 * e);
        double scale = 1.0 + fabs(s[2].v[k]) * h + fabs(s[2].a[k]) * h * h;
        CHECK_NEAR(s[2].v[k], v, 1e-11 * scale / h);
        CHECK_NEAR(s[2].a[k], a, 1e-11 * scale / (h * h));
        CHECK_NEAR(first.a[k] + third.a[k], 2.0 * s[2].a[k], 1e-11 * scale / (h * h));
        *worst = fmax(*worst, fabs(s[2].v[k] - v) * h / scale);
    }
}

static void test_spline(void) {
    check_random r = check_random_make(6001);
    static sample c;
    double jump = 0.0, rate = 0.0;
    for (int i = 0; i < 60; i++) {
        if (draw_model(&r, 2 + tree_index(&r, 10), &c)) {
            draw_rows(&r, &c);
            bool hermite = i % 3 == 2;
            ov_spline spline = i % 3 == 0 ? OV_SPLINE_LINEAR : OV_SPLINE_CUBIC;
            if (make(&c, hermite, spline)) {
                CHECK(ov_trajectory_start(c.trajectory) == c.times[0]);
                CHECK(ov_trajectory_end(c.trajectory) == c.times[c.rows - 1]);
                for (size_t k = 0; k < c.rows; k++) {
                    check_row(&c, k, hermite, spline, &jump);
                }
                for (size_t k = 0; k + 1 < c.rows; k++) {
                    check_between(&c, k, &rate);
                }
            }
        }
        drop(&c);
    }
    check_worst("jump of a continuous velocity", jump, 1e-12);
    check_worst("velocity against differences", rate, 1e-11);
}

/* ---- quaternions */

/** Slerp by its definition: on the arc between both, at a part of the angle. */
static void test_slerp(void) {
    check_random r = check_random_make(6002);
    static sample c;
    double worst = 0.0;
    for (int i = 0; i < 60; i++) {
        if (draw_model(&r, 8, &c)) {
            draw_rows(&r, &c);
            make(&c, false, OV_SPLINE_CUBIC);
            for (size_t k = 0; k < c.numbers; k++) {
                if (quaternion_of(c.model, k) != k) {
                    continue;
                }
                size_t row = tree_index(&r, c.rows - 1);
                double u = check_uniform(&r, 0.0, 1.0), h = c.times[row + 1] - c.times[row];
                const double *a = c.positions + row * c.numbers + k, *b = a + c.numbers;
                double na = 0.0, nb = 0.0, dot = 0.0, unit = 0.0;
                state s = state_at(&c, c.times[row] + u * h);
                for (int j = 0; j < 4; j++) {
                    na += a[j] * a[j];
                    nb += b[j] * b[j];
                    dot += a[j] * b[j];
                    unit += s.x[k + (size_t)j] * s.x[k + (size_t)j];
                }
                double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fabs(dot) / sqrt(na * nb));
                double same = 0.0;
                for (int j = 0; j < 4; j++) {
                    double q = (sin((1.0 - u) * angle) * a[j] / sqrt(na) +
                                sign * sin(u * angle) * b[j] / sqrt(nb)) /
                               sin(angle);
                    same += q * s.x[k + (size_t)j];
                }
                CHECK_NEAR(unit, 1.0, 1e-15);
                CHECK_NEAR(fabs(same), 1.0, 1e-13);
                worst = fmax(worst, fabs(fabs(same) - 1.0));
            }
        }
        drop(&c);
    }
    check_worst("slerp against its definition", worst, 1e-13);
}

/* ---- limits */

/** What is held against limits: for each joint a few values at a time. */
typedef struct limits {
    double speed[TREE_POSITIONS_MAX], push[TREE_POSITIONS_MAX];
} limits;

/** Does the trajectory leave its limits by more than `by` at a time? */
static bool leaves(const sample *c, const limits *l, double time, double by) {
    state s = state_at(c, time);
    for (size_t j = 0; j < ov_model_joint_count(c->model); j++) {
        const ov_joint_def *def = ov_model_joint(c->model, j);
        size_t at = ov_model_joint_position(c->model, j);
        size_t motion = ov_model_joint_dof(c->model, j);
        if (def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_PRISMATIC) {
            double q = s.x[at];
            const ov_joint_def *chain[TREE_LINKS_MAX], *d = def;
            size_t length = 0;
            for (; d->mimic != OV_NO_LINK; d = ov_model_joint(c->model, d->mimic)) {
                chain[length++] = d;
            }
            while (length > 0) {
                d = chain[--length];
                q = d->multiplier * q + d->offset;
            }
            if (q > def->upper + by || q < def->lower - by) {
                return true;
            }
        }
        size_t scalars =
            def->kind == OV_JOINT_KIND_FLOATING ? 3 : ov_joint_position_count(def->kind) % 4;
        for (size_t k = 0; k < scalars && def->mimic == OV_NO_LINK; k++) {
            if (fabs(s.v[at + k]) > l->speed[motion + k] + by ||
                fabs(s.a[at + k]) > l->push[motion + k] + by) {
                return true;
            }
        }
        if (def->kind == OV_JOINT_KIND_SPHERICAL || def->kind == OV_JOINT_KIND_FLOATING) {
            // angular speed, from two close quaternions
            double e = 1e-6, sine = 0.0;
            state t = state_at(c, time + e);
            const double *p = s.x + at + scalars, *q = t.x + at + scalars;
            double sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -1.0 : 1.0;
            for (int k = 0; k < 4; k++) {
                sine += (sign * q[k] - p[k]) * (sign * q[k] - p[k]);
            }
            double omega = 2.0 * sqrt(sine) / e;
            for (size_t k = 0; k < 3; k++) {
                if (omega > l->speed[motion + scalars + k] + by + 1e-8 * omega) {
                    return true;
                }
            }
        }
    }
    return false;
}

/** Positions are within limits at the rows, mostly: what is between them matters. */
static void test_limits(void) {
    check_random r = check_random_make(6003);
    static sample c;
    static limits l;
    int within = 0, beyond = 0;
    for (int i = 0; i < 150; i++) {
        if (draw_model(&r, 2 + tree_index(&r, 4), &c)) {
            draw_rows(&r, &c);
            bool hermite = i % 2 == 0;
            make(&c, hermite, OV_SPLINE_CUBIC);
            bool quaternions = false;
            for (size_t k = 0; k < c.numbers; k++) {
                quaternions = quaternions || quaternion_of(c.model, k) != SIZE_MAX;
            }
            for (size_t k = 0; k < TREE_POSITIONS_MAX; k++) {
                l.speed[k] = tree_index(&r, 3) == 0 ? INFINITY : check_log_uniform(&r, 5.0, 200.0);
                // a constant spin has jumps: the acceleration is infinite there
                l.push[k] = tree_index(&r, 3) == 0 || quaternions
                                ? INFINITY
                                : check_log_uniform(&r, 10.0, 1e4);
            }
            ov_trajectory_excess e;
            ov_status status = ov_trajectory_check(c.trajectory, l.speed, l.push, &e, NULL);
            double start = c.times[0], end = c.times[c.rows - 1];
            bool stays = e.joint == OV_NO_LINK;
            double until = stays ? end : e.time;
            CHECK_OK(status);
            // nothing before the time that is given, by more than a sample can tell
            // (the speed of a quaternion is looked at over the next 1e-6)
            double t = start, step = (end - start) / 300.0;
            for (; t < until - 2e-6; t += step) {
                CHECK(!leaves(&c, &l, t, 1e-6));
            }
            if (stays) {
                within++;
            } else {
                beyond++;
                CHECK(e.derivative >= 0 && e.derivative <= 2);
                CHECK(e.time >= start && e.time <= end);
                CHECK(leaves(&c, &l, fmin(e.time + 1e-12, end), 1e-10) ||
                      leaves(&c, &l, e.time, 1e-10) ||
                      leaves(&c, &l, nextafter(e.time, start), 1e-10));
                CHECK(e.value > e.limit || e.value < e.limit);
            }
        }
        drop(&c);
    }
    CHECK(within > 15 && beyond > 15);
    printf("%s: %d trajectories within their limits, %d beyond\n", check_suite, within, beyond);
}

/** One joint, by hand. */
static ov_model *one_joint(ov_joint_kind kind, double lower, double upper) {
    ov_link_def links[2] = {{.name = "a"}, {.name = "b"}};
    ov_joint_def joint = ov_default_joint_def();
    joint.name = "j";
    joint.kind = kind;
    joint.parent = 0;
    joint.child = 1;
    joint.lower = lower;
    joint.upper = upper;
    ov_model *model = NULL;
    CHECK_OK(ov_model_create(links, 2, &joint, 1, NULL, &model, NULL));
    return model;
}

/** From rest to rest by x = 3 u^2 - 2 u^3 over a time of 2: fastest 0.75 in the middle, pushed
 *  most, by 1.5, at the ends. */
static void test_limits_by_hand(void) {
    const double times[2] = {10.0, 12.0}, rows[2] = {0.0, 1.0};
    ov_model *model = one_joint(OV_JOINT_KIND_PRISMATIC, 0.0, 1.0);
    ov_trajectory *t = NULL;
    ov_trajectory_excess e;
    CHECK_OK(ov_trajectory_create(model, times, rows, NULL, 2, OV_SPLINE_CUBIC, NULL, &t, NULL));
    const double fast = 0.75, push = 1.5;
    CHECK_OK(ov_trajectory_check(t, &fast, &push, &e, NULL));
    CHECK(e.joint == OV_NO_LINK);
    CHECK_OK(ov_trajectory_check(t, NULL, NULL, &e, NULL));
    CHECK(e.joint == OV_NO_LINK);
    double slow = 0.5625; // reached at u (1 - u) = 3/16, u = 1/4
    CHECK_OK(ov_trajectory_check(t, &slow, NULL, &e, NULL));
    CHECK(e.joint == 0 && e.derivative == 1 && e.limit == slow);
    CHECK_NEAR(e.time, 10.5, 1e-8);
    CHECK_NEAR(e.value, 0.75, 1e-14);
    double weak = 1.4;
    CHECK_OK(ov_trajectory_check(t, NULL, &weak, &e, NULL));
    CHECK(e.derivative == 2 && e.time == 10.0);
    CHECK_NEAR(fabs(e.value), 1.5, 1e-14);
    double nothing = NAN;
    ov_fault fault;
    CHECK_STATUS(ov_trajectory_check(t, &nothing, NULL, &e, &fault), OV_ERROR_NOT_FINITE);
    CHECK(fault.place == OV_FAULT_PLACE_JOINT && fault.index == 0 && fault.text[0] != '\0');
    CHECK_STATUS(ov_trajectory_check(NULL, NULL, NULL, &e, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_trajectory_check(t, NULL, NULL, NULL, NULL), OV_ERROR_NULL);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);

    // straight, with a corner: the acceleration there is infinite
    const double three[3] = {0.0, 1.0, 2.0}, corner[3] = {0.0, 0.5, 0.2};
    model = one_joint(OV_JOINT_KIND_REVOLUTE, -1.0, 0.4);
    CHECK_OK(ov_trajectory_create(model, three, corner, NULL, 3, OV_SPLINE_LINEAR, NULL, &t, NULL));
    CHECK_OK(ov_trajectory_check(t, NULL, NULL, &e, NULL));
    CHECK(e.derivative == 0);
    CHECK_NEAR(e.time, 0.8, 1e-8);
    CHECK_NEAR(e.value, 0.5, 1e-15);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
    model = one_joint(OV_JOINT_KIND_REVOLUTE, -1.0, 1.0);
    CHECK_OK(ov_trajectory_create(model, three, corner, NULL, 3, OV_SPLINE_LINEAR, NULL, &t, NULL));
    double large = 1e9;
    CHECK_OK(ov_trajectory_check(t, NULL, &large, &e, NULL));
    CHECK(e.derivative == 2 && e.time == 1.0 && e.value == INFINITY);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
}

/* ---- what is refused */

static void test_errors(void) {
    ov_model *model = one_joint(OV_JOINT_KIND_FLOATING, 0.0, 0.0);
    ov_trajectory *t = (ov_trajectory *)&model;
    ov_fault fault;
    double times[3] = {0.0, 1.0, 2.0};
    double rows[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0};
    double speeds[21] = {0};
    const struct {
        double *place, value;
        ov_status status;
        size_t row;
    } bad[] = {
        {&times[1], NAN, OV_ERROR_NOT_FINITE, 1},
        {&times[2], INFINITY, OV_ERROR_NOT_FINITE, 2},
        {&times[1], 0.0, OV_ERROR_TIME, 1},
        {&times[2], 0.5, OV_ERROR_TIME, 2},
        {&times[0], -1.7e308, OV_OK, 0},
        {&rows[7], NAN, OV_ERROR_NOT_FINITE, 1},
        {&rows[0], 1e101, OV_ERROR_SIZE_RANGE, 0},
        {&rows[11], 0.0, OV_ERROR_ZERO_DIRECTION, 1},
        {&rows[11], INFINITY, OV_ERROR_NOT_FINITE, 1},
        {&speeds[15], NAN, OV_ERROR_NOT_FINITE, 2},
        {&speeds[17], NAN, OV_OK, 0}, // of a quaternion
        {&speeds[0], 1e60, OV_ERROR_SIZE_RANGE, 0},
        {&times[1], 1e-60, OV_ERROR_SIZE_RANGE, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double kept = *bad[i].place;
        *bad[i].place = bad[i].value;
        CHECK_STATUS(
            ov_trajectory_create(model, times, rows, speeds, 3, OV_SPLINE_CUBIC, NULL, &t, &fault),
            bad[i].status);
        CHECK((t == NULL) == (bad[i].status != OV_OK));
        CHECK(bad[i].status == OV_OK
                  ? fault.place == OV_FAULT_PLACE_NONE && fault.text[0] == '\0'
                  : fault.place == OV_FAULT_PLACE_ROW && fault.index == bad[i].row);
        ov_trajectory_destroy(t);
        *bad[i].place = kept;
    }
    times[0] = -1.7e308;
    times[2] = 1.7e308;
    CHECK_STATUS(
        ov_trajectory_create(model, times, rows, NULL, 3, OV_SPLINE_LINEAR, NULL, &t, &fault),
        OV_ERROR_TIME);
    times[0] = 0.0;
    times[2] = 2.0;
#define REFUSED(status, ...) CHECK_STATUS(ov_trajectory_create(__VA_ARGS__), status)
    REFUSED(OV_ERROR_NULL, NULL, times, rows, NULL, 3, OV_SPLINE_CUBIC, NULL, &t, &fault);
    REFUSED(OV_ERROR_NULL, model, NULL, rows, NULL, 3, OV_SPLINE_CUBIC, NULL, &t, &fault);
    REFUSED(OV_ERROR_NULL, model, times, NULL, NULL, 3, OV_SPLINE_CUBIC, NULL, &t, &fault);
    REFUSED(OV_ERROR_NULL, model, times, rows, NULL, 3, OV_SPLINE_CUBIC, NULL, NULL, &fault);
    REFUSED(OV_ERROR_COUNT, model, times, rows, NULL, 1, OV_SPLINE_CUBIC, NULL, &t, &fault);
    REFUSED(OV_ERROR_COUNT, model, times, rows, NULL, 0, OV_SPLINE_CUBIC, NULL, &t, &fault);
    REFUSED(OV_ERROR_COUNT, model, times, rows, NULL, OV_MOTION_KEYS_MAX + 1, OV_SPLINE_CUBIC, NULL,
            &t, &fault);
    REFUSED(OV_ERROR_OPTION, model, times, rows, NULL, 3, OV_SPLINE_COUNT, NULL, &t, &fault);
    REFUSED(OV_ERROR_OPTION, model, times, rows, NULL, 3, (ov_spline)-1, NULL, &t, &fault);
    CHECK(t == NULL);
    CHECK(isnan(ov_trajectory_start(NULL)) && isnan(ov_trajectory_end(NULL)));
    CHECK_STATUS(ov_trajectory_at(NULL, 0.0, rows, NULL, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_trajectory_create(model, times, rows, NULL, 3, OV_SPLINE_CUBIC, NULL, &t, NULL));
    double at[7], end[7];
    CHECK_STATUS(ov_trajectory_at(t, 0.0, NULL, NULL, NULL), OV_ERROR_NULL);
    CHECK_OK(ov_trajectory_at(t, NAN, at, NULL, NULL));
    CHECK(at[0] == 0.0 && at[3] == 1.0);
    CHECK_OK(ov_trajectory_at(t, INFINITY, at, NULL, NULL));
    CHECK_OK(ov_trajectory_at(t, 2.0, end, NULL, NULL));
    CHECK(memcmp(at, end, 3 * sizeof *at) == 0 && fabs(at[5] - end[5]) < 1e-15);
    CHECK_OK(ov_trajectory_at(t, -INFINITY, at, at, NULL));
    ov_trajectory_destroy(t);
    ov_trajectory_destroy(NULL);
    ov_model_destroy(model);
}

/** Joints that follow others beyond what is allowed, and models without a position. */
static void test_odd_models(void) {
    ov_link_def links[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    ov_joint_def joints[2];
    for (uint32_t i = 0; i < 2; i++) {
        joints[i] = ov_default_joint_def();
        joints[i].name = i == 0 ? "i" : "j";
        joints[i].parent = i;
        joints[i].child = i + 1;
    }
    ov_model *model = NULL;
    ov_trajectory *t = NULL;
    ov_fault fault;
    ov_trajectory_excess e;
    const double times[2] = {0.0, 1.0};
    double rows[2] = {0.0, 1.0};
    CHECK_OK(ov_model_create(links, 3, joints, 2, NULL, &model, NULL));
    CHECK_OK(ov_trajectory_create(model, times, NULL, NULL, 2, OV_SPLINE_CUBIC, NULL, &t, &fault));
    CHECK_OK(ov_trajectory_at(t, 0.5, NULL, NULL, NULL));
    CHECK_OK(ov_trajectory_check(t, NULL, NULL, &e, NULL));
    CHECK(e.joint == OV_NO_LINK);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
    joints[0].kind = OV_JOINT_KIND_CONTINUOUS;
    joints[1].kind = OV_JOINT_KIND_PRISMATIC;
    joints[1].lower = -3.0;
    joints[1].upper = 3.0;
    joints[1].mimic = 0;
    joints[1].multiplier = 1e101;
    CHECK_OK(ov_model_create(links, 3, joints, 2, NULL, &model, NULL));
    CHECK_STATUS(
        ov_trajectory_create(model, times, rows, NULL, 2, OV_SPLINE_LINEAR, NULL, &t, &fault),
        OV_ERROR_SIZE_RANGE);
    CHECK(fault.place == OV_FAULT_PLACE_ROW && fault.index == 1 && t == NULL);
    ov_model_destroy(model);
    // it follows to 4 q - 1 = 3 at the end, and beyond its limit if it goes on
    joints[1].multiplier = 4.0;
    joints[1].offset = -1.0;
    CHECK_OK(ov_model_create(links, 3, joints, 2, NULL, &model, NULL));
    CHECK_OK(ov_trajectory_create(model, times, rows, NULL, 2, OV_SPLINE_LINEAR, NULL, &t, &fault));
    CHECK_OK(ov_trajectory_check(t, NULL, NULL, &e, NULL));
    CHECK(e.joint == OV_NO_LINK);
    ov_trajectory_destroy(t);
    rows[1] = 1.25;
    CHECK_OK(ov_trajectory_create(model, times, rows, NULL, 2, OV_SPLINE_LINEAR, NULL, &t, &fault));
    CHECK_OK(ov_trajectory_check(t, NULL, NULL, &e, NULL));
    CHECK(e.joint == 1 && e.derivative == 0 && e.limit == 3.0);
    CHECK_NEAR(e.time, 0.8, 1e-8);
    CHECK_NEAR(e.value, 4.0, 1e-14);
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
}

static void test_memory(void) {
    check_random r = check_random_make(6004);
    static sample c;
    CHECK(draw_model(&r, 12, &c));
    draw_rows(&r, &c);
    static ledger counter;
    ledger_start(&counter, 0);
    ov_allocator allocator = ledger_allocator(&counter);
    ov_trajectory *t = NULL;
    ov_fault fault;
    long needed = 0;
    for (long fail = 1; fail < 20; fail++) {
        ledger_start(&counter, fail);
        ov_status status = ov_trajectory_create(c.model, c.times, c.positions, c.velocities, c.rows,
                                                OV_SPLINE_CUBIC, &allocator, &t, &fault);
        if (status == OV_OK) {
            needed = counter.calls;
            ov_trajectory_destroy(t);
            CHECK(counter.count == 0);
            break;
        }
        CHECK_STATUS(status, OV_ERROR_MEMORY);
        CHECK(t == NULL && counter.count == 0);
    }
    CHECK(needed >= 3);
    drop(&c);
}

int main(void) {
    check_suite = "motion_trajectory";
    RUN(test_spline);
    RUN(test_slerp);
    RUN(test_limits);
    RUN(test_limits_by_hand);
    RUN(test_errors);
    RUN(test_odd_models);
    RUN(test_memory);
    return check_finish();
}
