/**
 * @file test_model_gradient.c
 * @brief Velocities of points and derivatives of gaps by the motions of a model, against central
 * differences: for every kind of joint, for joints that follow others, for bodies on two links and
 * on one, apart and overlapping.
 */
#include <string.h>

#include "model_cases.h"

/** A model with its positions. */
typedef struct state {
    const ov_model *model;
    double positions[TREE_POSITIONS_MAX];
    ov_pose root;
} state;

/** Left-multiplies a quaternion by a turn about one of the axes of the joint's frame. */
static void turn_left(double *at, int axis, double angle) {
    ov_vec3 along = {axis == 0, axis == 1, axis == 2};
    ov_quat q =
        ov_quat_mul(ov_quat_from_axis_angle(along, angle), (ov_quat){at[0], at[1], at[2], at[3]});
    at[0] = q.w;
    at[1] = q.x;
    at[2] = q.y;
    at[3] = q.z;
}

/** Moves a model by one of its motions: as the header has them. */
static state moved(const state *s, size_t motion, double by) {
    state o = *s;
    for (size_t j = 0; j < ov_model_joint_count(s->model); j++) {
        const ov_joint_def *def = ov_model_joint(s->model, j);
        size_t first = ov_model_joint_dof(s->model, j);
        size_t count = ov_joint_dof_count(def->kind);
        if (def->mimic != OV_NO_LINK || motion < first || motion >= first + count) {
            continue;
        }
        double *at = o.positions + ov_model_joint_position(s->model, j);
        size_t k = motion - first;
        if (def->kind == OV_JOINT_KIND_SPHERICAL) {
            turn_left(at, (int)k, by);
        } else if (def->kind == OV_JOINT_KIND_FLOATING && k >= 3) {
            turn_left(at + 3, (int)k - 3, by);
        } else {
            at[k] += by;
        }
    }
    return o;
}

static bool draw(check_random *r, size_t links, double reach, tree_case *t, ov_model **model,
                 state *s) {
    tree_draw(r, links, reach, t);
    if (!CHECK_OK(ov_model_create(t->links, links, t->joints, links - 1, NULL, model, NULL))) {
        return false;
    }
    s->model = *model;
    s->root = tree_pose(r, 1.0);
    tree_positions(r, *model, s->positions);
    return true;
}

/* ---- velocities */

static ov_vec3 point_after(const state *s, uint32_t link, ov_vec3 local) {
    ov_pose poses[TREE_LINKS_MAX];
    CHECK_OK(ov_model_poses(s->model, s->root, s->positions, poses));
    return ov_pose_apply(poses[link], local);
}

static void test_velocities(void) {
    static tree_case t;
    static state s;
    check_random r = check_random_make(601);
    const double h = 1e-5, tolerance = 2e-9; // h^2 times lengths of some units, and 1e-15/h
    double worst = 0.0;
    long moving = 0;
    for (int round = 0; round < 400; round++) {
        ov_model *model = NULL;
        if (!draw(&r, 2 + tree_index(&r, 14), 1.0, &t, &model, &s)) {
            continue;
        }
        size_t motions = ov_model_dof_count(model);
        uint32_t link = tree_index(&r, t.link_count);
        ov_vec3 local = ov_vec3_scale(check_unit_vector(&r), 0.5), columns[TREE_POSITIONS_MAX];
        ov_pose poses[TREE_LINKS_MAX];
        CHECK_OK(ov_model_poses(model, s.root, s.positions, poses));
        CHECK_OK(ov_model_point_jacobian(model, poses, link, ov_pose_apply(poses[link], local),
                                         columns));
        for (size_t m = 0; m < motions; m++) {
            state ahead = moved(&s, m, h), back = moved(&s, m, -h);
            ov_vec3 d =
                ov_vec3_sub(point_after(&ahead, link, local), point_after(&back, link, local));
            ov_vec3 expected = ov_vec3_scale(d, 0.5 / h);
            double off = ov_vec3_length(ov_vec3_sub(columns[m], expected));
            CHECK(off <= tolerance);
            worst = fmax(worst, off);
            moving += ov_vec3_length(expected) > 0.01;
        }
        ov_model_destroy(model);
    }
    CHECK(moving > 500);
    check_worst("velocity of a point against differences", worst, tolerance);
}

/* ---- gaps */

/** Two bodies, each on a link or, for OV_NO_LINK, at a place of its own. */
typedef struct duo {
    ov_shape shape[2];
    ov_pose local[2];
    uint32_t link[2];
} duo;

static ov_contact contact_of(const state *s, const duo *d, ov_pose poses[TREE_LINKS_MAX]) {
    CHECK_OK(ov_model_poses(s->model, s->root, s->positions, poses));
    ov_pose at[2];
    for (int i = 0; i < 2; i++) {
        ov_pose body = d->link[i] != OV_NO_LINK ? poses[d->link[i]] : ov_pose_identity();
        at[i] = (ov_pose){ov_pose_apply(body, d->local[i].position),
                          ov_quat_mul(body.rotation, d->local[i].rotation)};
    }
    ov_pair_options options = {.tolerance = 1e-12, .depth = OV_DEPTH_GLOBAL};
    ov_contact c;
    (void)ov_pair_contact(&d->shape[0], at[0], &d->shape[1], at[1], &options, NULL, &c);
    return c;
}

static bool draw_duo(check_random *r, size_t links, int kind, duo *d) {
    for (int i = 0; i < 2; i++) {
        ov_vec3 a = {check_uniform(r, 0.2, 0.5), check_uniform(r, 0.2, 0.5),
                     check_uniform(r, 0.2, 0.5)};
        d->local[i] = tree_pose(r, 0.3);
        d->link[i] = tree_index(r, links);
        double taper = check_uniform(r, -0.2, 0.2);
        if (ov_shape_make_superovoid(a, check_uniform(r, 0.7, 1.0), check_uniform(r, 0.7, 1.0),
                                     taper, taper, NULL, &d->shape[i]) != OV_OK) {
            return false;
        }
    }
    if (kind < 2) {
        d->link[kind] = OV_NO_LINK;
    }
    return true;
}

/**
 * Derivative of the gap by a motion, from five points. False where there is none: the least depth
 * changes from one side of a body to another.
 */
static bool difference(const state *s, const duo *d, size_t motion, double *slope) {
    const double h = 5e-5;
    ov_pose poses[TREE_LINKS_MAX];
    ov_contact c[4];
    for (int i = 0; i < 4; i++) {
        const double steps[4] = {-2.0, -1.0, 1.0, 2.0};
        state there = moved(s, motion, steps[i] * h);
        c[i] = contact_of(&there, d, poses);
        if (c[i].status != OV_OK || ov_vec3_dot(c[i].normal, c[0].normal) < 0.999) {
            return false;
        }
    }
    *slope = (8.0 * (c[2].gap - c[1].gap) - (c[3].gap - c[0].gap)) / (12.0 * h);
    return true;
}

static void test_gaps(void) {
    static tree_case t;
    static state s;
    check_random r = check_random_make(602);
    const double tolerance = 5e-7; // gaps known to 1e-12 and rounding, over a step of 5e-5
    double worst = 0.0;
    long seen = 0, overlapping = 0, held = 0;
    for (int round = 0; round < 800; round++) {
        ov_model *model = NULL;
        duo d;
        if (!draw(&r, 2 + tree_index(&r, 8), 0.6, &t, &model, &s) ||
            !draw_duo(&r, t.link_count, round % 4, &d)) {
            ov_model_destroy(model);
            continue;
        }
        size_t motions = ov_model_dof_count(model);
        double gradient[TREE_POSITIONS_MAX];
        ov_pose poses[TREE_LINKS_MAX];
        ov_contact c = contact_of(&s, &d, poses);
        CHECK_OK(ov_model_gap_gradient(model, poses, d.link[0], d.link[1], &c, gradient));
        for (size_t m = 0; m < motions; m++) {
            double expected;
            if (c.status != OV_OK || !difference(&s, &d, m, &expected)) {
                continue;
            }
            double off = fabs(gradient[m] - expected);
            CHECK(off <= tolerance);
            worst = fmax(worst, off);
            seen++;
            overlapping += c.gap < -0.01;
            held += gradient[m] == 0.0;
        }
        ov_model_destroy(model);
    }
    CHECK(seen - held > 400 && overlapping > 100 && held > 20);
    check_worst("derivative of a gap against differences", worst, tolerance);
}

/* ---- what is refused */

static void test_refused(void) {
    static tree_case t;
    static state s;
    check_random r = check_random_make(603);
    ov_model *model = NULL;
    if (!draw(&r, 6, 1.0, &t, &model, &s)) {
        return;
    }
    ov_pose poses[TREE_LINKS_MAX];
    ov_vec3 columns[TREE_POSITIONS_MAX], point = {0.0, 0.0, 0.0};
    double gradient[TREE_POSITIONS_MAX];
    ov_contact contact = {.normal = {1.0, 0.0, 0.0}};
    CHECK_OK(ov_model_poses(model, s.root, s.positions, poses));
    CHECK_STATUS(ov_model_point_jacobian(NULL, poses, 0, point, columns), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_point_jacobian(model, NULL, 0, point, columns), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_point_jacobian(model, poses, 0, point, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_point_jacobian(model, poses, 6, point, columns), OV_ERROR_INDEX);
    point.y = NAN;
    CHECK_STATUS(ov_model_point_jacobian(model, poses, 0, point, columns), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_model_gap_gradient(model, poses, 0, 1, NULL, gradient), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_gap_gradient(model, poses, 0, 1, &contact, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_model_gap_gradient(model, poses, 0, 6, &contact, gradient), OV_ERROR_INDEX);
    CHECK_OK(ov_model_gap_gradient(model, poses, OV_NO_LINK, OV_NO_LINK, &contact, gradient));
    for (size_t m = 0; m < ov_model_dof_count(model); m++) {
        CHECK(gradient[m] == 0.0);
    }
    // a query that failed has no numbers
    contact.point_b.x = NAN;
    CHECK_STATUS(ov_model_gap_gradient(model, poses, 0, 1, &contact, gradient),
                 OV_ERROR_NOT_FINITE);
    contact.point_b.x = 0.0;
    poses[ov_model_root(model)].position.x = INFINITY;
    CHECK_STATUS(ov_model_gap_gradient(model, poses, 0, 1, &contact, gradient),
                 OV_ERROR_NOT_FINITE);
    ov_model_destroy(model);
}

int main(void) {
    check_suite = "model_gradient";
    RUN(test_velocities);
    RUN(test_gaps);
    RUN(test_refused);
    return check_finish();
}
