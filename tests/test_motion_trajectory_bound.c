/**
 * @file test_motion_trajectory_bound.c
 * @brief Taylor models of links along joint trajectories, against forward kinematics by 4x4
 * matrices in long double: both inequalities of a Taylor model on dense samples, for random trees
 * of all kinds of joints, splines of all kinds, intervals from tiny to more than the whole;
 * velocities and spins by finite differences; how tight the bounds are; and long chains.
 */
#include <string.h>

#include <motion/motion_internal.h>

#include "model_cases.h"
#include "taylor_oracle.h"

typedef long double real;

/* ---- the motion as given */

enum { ROWS_MAX = 12 };

typedef struct motion_case {
    tree_case tree;
    ov_model *model;
    ov_trajectory *trajectory;
    size_t rows, numbers;
    bool hermite;
    ov_spline spline;
    double times[ROWS_MAX];
    double positions[ROWS_MAX * TREE_POSITIONS_MAX], velocities[ROWS_MAX * TREE_POSITIONS_MAX];
    real slopes[ROWS_MAX][TREE_POSITIONS_MAX]; /* of cubic splines */
    bool straight;                             /* linear */
} motion_case;

/** Slopes of the spline with continuous second derivatives, at rest at both ends: plain
 *  elimination of the full system. */
static void solve_slopes(motion_case *c, size_t k) {
    real a[ROWS_MAX][ROWS_MAX + 1] = {{0}};
    size_t n = c->rows;
    for (size_t i = 0; i < n; i++) {
        a[i][i] = 1.0L;
        if (i == 0 || i + 1 == n) {
            continue;
        }
        // second derivatives from the left and from the right are the same
        real h0 = (real)c->times[i] - c->times[i - 1], h1 = (real)c->times[i + 1] - c->times[i];
        real x0 = c->positions[(i - 1) * c->numbers + k], x1 = c->positions[i * c->numbers + k];
        real x2 = c->positions[(i + 1) * c->numbers + k];
        a[i][i - 1] = 2.0L / h0;
        a[i][i] = 4.0L / h0 + 4.0L / h1;
        a[i][i + 1] = 2.0L / h1;
        a[i][n] = 6.0L * (x1 - x0) / (h0 * h0) + 6.0L * (x2 - x1) / (h1 * h1);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            real f = j != i ? a[j][i] / a[i][i] : 0.0L;
            for (size_t l = i; f != 0.0L && l <= n; l++) {
                a[j][l] -= f * a[i][l];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        c->slopes[i][k] = a[i][n] / a[i][i];
    }
}

static size_t segment_of(const motion_case *c, real t) {
    size_t i = 0;
    while (i + 2 < c->rows && t >= (real)c->times[i + 1]) {
        i++;
    }
    return i;
}

/** Number k of a row at a time, at rest beyond the ends. */
static real number_at(const motion_case *c, size_t k, real t) {
    t = fmaxl(fminl(t, c->times[c->rows - 1]), c->times[0]);
    size_t i = segment_of(c, t);
    real h = (real)c->times[i + 1] - c->times[i], u = (t - c->times[i]) / h, v = 1.0L - u;
    real x0 = c->positions[i * c->numbers + k], x1 = c->positions[(i + 1) * c->numbers + k];
    if (c->straight) {
        return v * x0 + u * x1;
    }
    // by the basis of Hermite
    return x0 * v * v * (1.0L + 2.0L * u) + x1 * u * u * (1.0L + 2.0L * v) +
           h * u * v * (v * c->slopes[i][k] - u * c->slopes[i + 1][k]);
}

/** The quaternion that begins at number k: both keys weighted by sines. */
static void quaternion_at(const motion_case *c, size_t k, real t, real q[4]) {
    t = fmaxl(fminl(t, c->times[c->rows - 1]), c->times[0]);
    size_t i = segment_of(c, t);
    real u = (t - c->times[i]) / ((real)c->times[i + 1] - c->times[i]);
    real a[4], b[4], na = 0.0L, nb = 0.0L, dot = 0.0L, apart = 0.0L;
    for (size_t j = 0; j < 4; j++) {
        a[j] = c->positions[i * c->numbers + k + j];
        b[j] = c->positions[(i + 1) * c->numbers + k + j];
        na += a[j] * a[j];
        nb += b[j] * b[j];
        dot += a[j] * b[j];
    }
    for (size_t j = 0; j < 4; j++) {
        a[j] /= sqrtl(na);
        b[j] /= dot < 0.0L ? -sqrtl(nb) : sqrtl(nb);
        apart += (a[j] - b[j]) * (a[j] - b[j]);
    }
    real angle = 2.0L * asinl(0.5L * sqrtl(apart)), s = sinl(angle);
    for (size_t j = 0; j < 4; j++) {
        q[j] = s > 1e-12L ? (sinl((1.0L - u) * angle) * a[j] + sinl(u * angle) * b[j]) / s
                          : (1.0L - u) * a[j] + u * b[j];
    }
}

static real followed(const motion_case *c, size_t joint, real t) {
    const ov_joint_def *def = &c->tree.joints[joint];
    if (def->mimic == OV_NO_LINK) {
        return number_at(c, ov_model_joint_position(c->model, joint), t);
    }
    return def->multiplier * followed(c, def->mimic, t) + def->offset;
}

static matrix joint_motion(const motion_case *c, size_t joint, real t) {
    const ov_joint_def *def = &c->tree.joints[joint];
    const real axis[3] = {def->axis.x, def->axis.y, def->axis.z};
    real n = sqrtl(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), q[4];
    size_t at = ov_model_joint_position(c->model, joint);
    matrix a = matrix_identity(), b;
    switch (def->kind) {
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        return matrix_turn(axis, followed(c, joint, t));
    case OV_JOINT_KIND_PRISMATIC: {
        real d = followed(c, joint, t) / n;
        return matrix_shift(d * axis[0], d * axis[1], d * axis[2]);
    }
    case OV_JOINT_KIND_PLANAR: {
        const real across[3] = {-axis[1], axis[0], 0.0L};
        b = matrix_turn(across, atan2l(hypotl(axis[0], axis[1]), axis[2]));
        real x = number_at(c, at, t), y = number_at(c, at + 1, t);
        a = matrix_shift(b.m[0][0] * x + b.m[0][1] * y, b.m[1][0] * x + b.m[1][1] * y,
                         b.m[2][0] * x + b.m[2][1] * y);
        b = matrix_turn(axis, number_at(c, at + 2, t));
        return matrix_times(&a, &b);
    }
    case OV_JOINT_KIND_FLOATING:
        a = matrix_shift(number_at(c, at, t), number_at(c, at + 1, t), number_at(c, at + 2, t));
        at += 3;
        // fall through
    case OV_JOINT_KIND_SPHERICAL:
        quaternion_at(c, at, t, q);
        b = matrix_of_quaternion(q);
        return matrix_times(&a, &b);
    default:
        return a;
    }
}

/** A link in the frame of another one above it, or in the world. */
static matrix placed(const motion_case *c, const ov_pose *root, uint32_t base, uint32_t link,
                     real t) {
    matrix o = matrix_identity();
    while (link != base) {
        uint32_t joint = ov_model_link_joint(c->model, link);
        if (joint == OV_NO_LINK) {
            matrix r = matrix_of_pose(root);
            return matrix_times(&r, &o);
        }
        matrix own = joint_motion(c, joint, t),
               origin = matrix_of_pose(&c->tree.joints[joint].origin);
        o = matrix_times(&own, &o);
        o = matrix_times(&origin, &o);
        link = c->tree.joints[joint].parent;
    }
    return o;
}

/* ---- cases */

/** Rows at random; or dense samples of a sine, of which a spline has small third derivatives. */
static void draw_rows(check_random *r, motion_case *c) {
    c->numbers = ov_model_position_count(c->model);
    double time = check_uniform(r, -5.0, 5.0), pace = check_log_uniform(r, 0.02, 5.0);
    double reach = check_log_uniform(r, 0.05, 3.0), turns = check_uniform(r, 0.02, 0.3) / pace;
    bool smooth = tree_index(r, 3) == 0;
    for (size_t i = 0; i < c->rows; i++) {
        c->times[i] = time;
        time += pace * check_log_uniform(r, 0.3, 3.0);
        double *row = c->positions + i * c->numbers, *rates = c->velocities + i * c->numbers;
        tree_positions(r, c->model, row);
        for (size_t k = 0; k < c->numbers; k++) {
            row[k] = i > 0 && tree_index(r, 6) == 0 ? row[k - c->numbers] : row[k] * reach;
            rates[k] = check_uniform(r, -1.0, 1.0) * reach / pace;
            if (smooth) {
                double phase = turns * (c->times[i] - c->times[0]) + (double)k;
                row[k] = reach * sin(phase);
                rates[k] = reach * turns * cos(phase);
            }
        }
    }
}

static void make_trajectory(check_random *r, motion_case *c) {
    c->spline = tree_index(r, 2) == 0 ? OV_SPLINE_LINEAR : OV_SPLINE_CUBIC;
    c->hermite = tree_index(r, 3) == 0;
    c->straight = !c->hermite && c->spline == OV_SPLINE_LINEAR;
    for (size_t k = 0; k < c->numbers && !c->straight; k++) {
        solve_slopes(c, k);
        for (size_t i = 0; i < c->rows && c->hermite; i++) {
            c->slopes[i][k] = c->velocities[i * c->numbers + k];
        }
    }
    CHECK_OK(ov_trajectory_create(c->model, c->times, c->positions,
                                  c->hermite ? c->velocities : NULL, c->rows, c->spline, NULL,
                                  &c->trajectory, NULL));
}

static bool draw_case(check_random *r, size_t links, motion_case *c) {
    c->model = NULL;
    c->trajectory = NULL;
    tree_draw(r, links, check_log_uniform(r, 0.1, 10.0), &c->tree);
    if (!CHECK_OK(ov_model_create(c->tree.links, links, c->tree.joints, links - 1, NULL, &c->model,
                                  NULL))) {
        return false;
    }
    c->rows = 2 + tree_index(r, ROWS_MAX - 1);
    draw_rows(r, c);
    make_trajectory(r, c);
    return c->trajectory != NULL;
}

static void drop_case(motion_case *c) {
    ov_trajectory_destroy(c->trajectory);
    ov_model_destroy(c->model);
}

/** Some link, and one above it or the world. */
static void draw_chain(check_random *r, const motion_case *c, uint32_t *base, uint32_t *link) {
    *link = tree_index(r, c->tree.link_count);
    *base = OV_NO_LINK;
    if (tree_index(r, 2) == 0) {
        return;
    }
    *base = *link;
    for (uint32_t j; (j = ov_model_link_joint(c->model, *base)) != OV_NO_LINK;) {
        *base = c->tree.joints[j].parent;
        if (tree_index(r, 4) == 0) {
            break;
        }
    }
}

/* ---- both inequalities */

typedef struct measured {
    taylor_use bounds;         /**< largest part of the bounds that was needed */
    double position, rotation; /**< likewise, at the middle */
} measured;

static ov_vec3 column(const matrix *m) {
    return ov_vec3_make((double)m->m[0][3], (double)m->m[1][3], (double)m->m[2][3]);
}

static taylor_frame frame_of(const matrix *m) {
    taylor_frame f;
    for (int i = 0; i < 3; i++) {
        f.x[i] = m->m[i][3];
        memcpy(f.r[i], m->m[i], sizeof f.r[i]);
    }
    return f;
}

static double part(double needed, double allowed) { return needed == 0.0 ? 0.0 : needed / allowed; }

static void check_taylor(check_random *r, const motion_case *c, measured *most) {
    uint32_t base, link;
    draw_chain(r, c, &base, &link);
    ov_pose root = tree_pose(r, 10.0);
    double start = c->times[0], end = c->times[c->rows - 1], whole = end - start;
    double radius = whole * check_log_uniform(r, 1e-7, 1.2);
    double middle = check_uniform(r, start - 0.1 * whole, end + 0.1 * whole);
    if (tree_index(r, 3) == 0) { // from row to row, made wider as callers do
        size_t i = tree_index(r, c->rows - 1);
        middle = c->times[i] + 0.5 * (c->times[i + 1] - c->times[i]);
        radius = 0.5 * (c->times[i + 1] - c->times[i]) * (1.0 + OVI_MOTION_MARGIN);
    }
    ovi_taylor taylor;
    ovi_trajectory_taylor(c->trajectory, root, base, link, middle, radius, &taylor);
    enum { SAMPLES = 24 };
    for (int i = 0; i <= SAMPLES; i++) {
        double x = i == 0 ? 0.0 : i == 1 ? 1.0 : i == 2 ? -1.0 : check_uniform(r, -1.0, 1.0);
        real s = (real)radius * x;
        matrix m = placed(c, &root, base, link, (real)middle + s);
        taylor_frame frame = frame_of(&m);
        taylor_use use = taylor_check(&taylor, s, &frame, &most->bounds);
        if (i == 0) {
            most->position =
                fmax(most->position, part((double)use.place_error, taylor.position_error));
            most->rotation =
                fmax(most->rotation, part((double)use.turn_error, taylor.rotation_error));
        }
    }
}

static void test_bounds(void) {
    check_random r = check_random_make(6101);
    measured most = {0};
    static motion_case c;
    for (int i = 0; i < 480; i++) {
        // single joints, too: of these, bounds are the tightest
        size_t links = i < 220 ? 2 + tree_index(&r, 12) : 2;
        if (draw_case(&r, links, &c)) {
            for (int k = 0; k < 12; k++) {
                check_taylor(&r, &c, &most);
            }
        }
        drop_case(&c);
    }
    taylor_report(&most.bounds);
    check_worst("needed of the position's error, for rounding", most.position, 1.0);
    check_worst("needed of the rotation's error, for rounding", most.rotation, 1.0);
}

/* ---- velocities, and how tight it is */

/** Differences of first and second order of a place and a rotation. */
typedef struct differences {
    ov_vec3 velocity, spin;
    double acceleration, rotation_acceleration;
} differences;

static differences differences_of(const motion_case *c, const ov_pose *root, uint32_t base,
                                  uint32_t link, real t, real h) {
    matrix before = placed(c, root, base, link, t - h), now = placed(c, root, base, link, t);
    matrix after = placed(c, root, base, link, t + h), first = now, second = now;
    real sum = 0.0L;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            first.m[i][j] = (after.m[i][j] - before.m[i][j]) / (2.0L * h);
            second.m[i][j] = (after.m[i][j] - 2.0L * now.m[i][j] + before.m[i][j]) / (h * h);
        }
        sum += second.m[i][3] * second.m[i][3];
    }
    differences d = {
        column(&first), {0, 0, 0}, (double)sqrtl(sum), (double)matrix_norm(frame_of(&second).r)};
    real w[3] = {0};
    for (int k = 0; k < 3; k++) { // R' R^T
        w[0] += first.m[2][k] * now.m[1][k];
        w[1] += first.m[0][k] * now.m[2][k];
        w[2] += first.m[1][k] * now.m[0][k];
    }
    d.spin = ov_vec3_make((double)w[0], (double)w[1], (double)w[2]);
    return d;
}

static void test_derivatives(void) {
    check_random r = check_random_make(6102);
    static motion_case c;
    double worst_v = 0.0, worst_w = 0.0, loose = 0.0, sum = 0.0, rotation_sum = 0.0;
    int count = 0, rotations = 0;
    for (int i = 0; i < 150; i++) {
        if (draw_case(&r, 2 + tree_index(&r, 12), &c)) {
            uint32_t base, link;
            draw_chain(&r, &c, &base, &link);
            ov_pose root = tree_pose(&r, 10.0);
            size_t row = tree_index(&r, c.rows - 1);
            double h = c.times[row + 1] - c.times[row];
            double middle = c.times[row] + h * check_uniform(&r, 0.1, 0.9);
            ovi_taylor a, b;
            ovi_trajectory_taylor(c.trajectory, root, base, link, middle, 1e-6 * h, &a);
            ovi_trajectory_taylor(c.trajectory, root, base, link, middle, 0.05 * h, &b);
            differences d = differences_of(&c, &root, base, link, middle, 1e-5L * h);
            // third derivatives are bounded by powers of the rates, over the segment; what is
            // added is for the rounding of rotations
            double scale = (b.acceleration + ov_vec3_length(d.velocity) / h) * h + 1e-6 / h;
            double turn_scale =
                (b.rotation_acceleration + ov_vec3_length(d.spin) / h) * h + 1e-6 / h;
            double off_v = ov_vec3_length(ov_vec3_sub(a.velocity, d.velocity));
            double off_w = ov_vec3_length(ov_vec3_sub(a.spin, d.spin));
            CHECK_NEAR(off_v, 0.0, 1e-7 * scale);
            CHECK_NEAR(off_w, 0.0, 1e-7 * turn_scale);
            worst_v = fmax(worst_v, off_v / scale);
            worst_w = fmax(worst_w, off_w / turn_scale);
            if (d.acceleration * h > 1e-3 * ov_vec3_length(d.velocity)) {
                double ratio = a.acceleration / d.acceleration;
                loose = fmax(loose, ratio);
                sum += b.acceleration / d.acceleration;
                count++;
            }
            if (d.rotation_acceleration * h > 1e-3 * ov_vec3_length(d.spin)) {
                rotation_sum += a.rotation_acceleration / d.rotation_acceleration;
                rotations++;
            }
        }
        drop_case(&c);
    }
    check_worst("velocity against differences", worst_v, 1e-7);
    check_worst("spin against differences", worst_w, 1e-7);
    check_worst("acceleration bound of a tiny interval over the true one", loose, 1.01);
    CHECK(loose < 1.01 && loose > 0.99);
    printf("%s: a tenth of a segment: acceleration bound %.3f of the true one on average (%d), "
           "tiny intervals: rotation %.3f (%d)\n",
           check_suite, sum / count, count, rotation_sum / rotations, rotations);
}

/* ---- a long chain: in a plane, so that its place is a sum of sines */

enum { LONG_LINKS = 20001 };

typedef struct long_chain {
    ov_link_def links[LONG_LINKS];
    ov_joint_def joints[LONG_LINKS];
    char names[LONG_LINKS][12];
    double rows[3 * LONG_LINKS];
} long_chain;

/** x, y and angle of the last link, with positions by the closed form of a linear spline. */
static void long_place(const long_chain *c, real u, real place[3]) {
    real part_of = u < 1.0L ? u : u - 1.0L;
    const double *from = c->rows + (u < 1.0L ? 0 : LONG_LINKS - 1), *to = from + LONG_LINKS - 1;
    place[0] = place[1] = place[2] = 0.0L;
    for (size_t i = 0; i + 1 < LONG_LINKS; i++) {
        real l = c->joints[i].origin.position.x;
        place[0] += l * cosl(place[2]);
        place[1] += l * sinl(place[2]);
        place[2] += from[i] + part_of * ((real)to[i] - from[i]);
    }
}

static void test_long(void) {
    check_random r = check_random_make(6103);
    long_chain *c = calloc(1, sizeof *c);
    ov_model *model = NULL;
    ov_trajectory *t = NULL;
    taylor_use worst = {0};
    if (!CHECK(c != NULL)) {
        return;
    }
    for (uint32_t i = 0; i < LONG_LINKS; i++) {
        snprintf(c->names[i], sizeof c->names[i], "%u", i);
        c->links[i].name = c->names[i];
        c->joints[i] = ov_default_joint_def();
        c->joints[i].name = c->names[i];
        c->joints[i].kind = OV_JOINT_KIND_CONTINUOUS;
        c->joints[i].axis = ov_vec3_make(0.0, 0.0, 1.0);
        c->joints[i].parent = i;
        c->joints[i].child = i + 1;
        c->joints[i].origin.position.x = 1e-3;
    }
    for (size_t i = 0; i < 3 * (LONG_LINKS - 1); i++) {
        c->rows[i] = check_uniform(&r, -0.02, 0.02);
    }
    const double rows_at[3] = {0.0, 1.0, 2.0};
    CHECK_OK(ov_model_create(c->links, LONG_LINKS, c->joints, LONG_LINKS - 1, NULL, &model, NULL));
    CHECK_OK(
        ov_trajectory_create(model, rows_at, c->rows, NULL, 3, OV_SPLINE_LINEAR, NULL, &t, NULL));
    for (int i = 0; i < 4 && t != NULL; i++) {
        double middle = i == 3 ? 1.0 : 0.5, radius = i == 0 ? 1e-6 : i == 1 ? 1e-3 : 0.5;
        ovi_taylor taylor;
        ovi_trajectory_taylor(t, ov_pose_identity(), OV_NO_LINK, LONG_LINKS - 1, middle, radius,
                              &taylor);
        for (int k = -1; k <= 1; k++) {
            real place[3], s = (real)radius * k;
            long_place(c, middle + s, place);
            const real z[3] = {0.0L, 0.0L, 1.0L};
            matrix at = matrix_shift(place[0], place[1], 0.0L), turned = matrix_turn(z, place[2]);
            at = matrix_times(&at, &turned);
            taylor_frame frame = frame_of(&at);
            taylor_check(&taylor, s, &frame, &worst);
        }
    }
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
    free(c);
}

/** Nothing moves: nothing is left open but rounding, also across rows and ends. */
static void test_rest(void) {
    check_random r = check_random_make(6104);
    static motion_case c;
    for (int i = 0; i < 40; i++) {
        if (draw_case(&r, 6, &c)) {
            for (size_t k = c.numbers; k < c.rows * c.numbers; k++) {
                c.positions[k] = c.positions[k - c.numbers];
            }
            ov_trajectory_destroy(c.trajectory);
            CHECK_OK(ov_trajectory_create(c.model, c.times, c.positions, NULL, c.rows, c.spline,
                                          NULL, &c.trajectory, NULL));
            uint32_t base, link;
            draw_chain(&r, &c, &base, &link);
            ovi_taylor taylor;
            double whole = c.times[c.rows - 1] - c.times[0];
            ovi_trajectory_taylor(c.trajectory, ov_pose_identity(), base, link, c.times[0],
                                  2.0 * whole, &taylor);
            double reach = 200.0;
            CHECK(ov_vec3_length(taylor.velocity) * whole <= 1e-11 * reach);
            CHECK(ov_vec3_length(taylor.spin) * whole <= 1e-11);
            CHECK(taylor.position_error <= 1e-11 * reach &&
                  taylor.velocity_error * whole <= 1e-11 * reach);
            CHECK(taylor.rotation_error <= 1e-11 && taylor.spin_error * whole <= 1e-11);
            CHECK(taylor.acceleration * whole * whole <= 1e-11 * reach);
            CHECK(taylor.rotation_acceleration * whole * whole <= 1e-11);
        }
        drop_case(&c);
    }
}

/** An interval from row to row of a straight trajectory, made wider by rounding, is still followed;
 * one that reaches a little beyond leaves open what the jump there does to that little. */
static void test_rows(void) {
    ov_link_def links[2] = {{.name = "a"}, {.name = "b"}};
    ov_joint_def joint = ov_default_joint_def();
    joint.name = "j";
    joint.kind = OV_JOINT_KIND_CONTINUOUS;
    joint.parent = 0;
    joint.child = 1;
    ov_model *model = NULL;
    ov_trajectory *t = NULL;
    const double rows_at[4] = {100.0, 101.0, 102.0, 103.0}, rows[4] = {0.0, 0.3, -0.2, -0.2};
    const double rates[3] = {0.3, -0.5, 0.0};
    CHECK_OK(ov_model_create(links, 2, &joint, 1, NULL, &model, NULL));
    CHECK_OK(ov_trajectory_create(model, rows_at, rows, NULL, 4, OV_SPLINE_LINEAR, NULL, &t, NULL));
    for (int i = 0; i < 3 && t != NULL; i++) {
        ovi_taylor c;
        double middle = rows_at[i] + 0.5;
        ovi_trajectory_taylor(t, ov_pose_identity(), OV_NO_LINK, 1, middle,
                              0.5 * (1.0 + OVI_MOTION_MARGIN), &c);
        CHECK_NEAR(c.spin.x, rates[i], 1e-13);
        CHECK(c.spin_error < 1e-12 && c.rotation_error < 1e-12 && c.position_error < 1e-12);
        CHECK_NEAR(c.rotation_acceleration, rates[i] * rates[i], 1e-12);
        ovi_trajectory_taylor(t, ov_pose_identity(), OV_NO_LINK, 1, middle, 0.51, &c);
        CHECK(c.spin_error < 0.05 && c.spin_error >= 0.0);
    }
    ov_trajectory_destroy(t);
    ov_model_destroy(model);
}

int main(void) {
    check_suite = "motion_trajectory_bound";
    RUN(test_bounds);
    RUN(test_derivatives);
    RUN(test_long);
    RUN(test_rest);
    RUN(test_rows);
    return check_finish();
}
