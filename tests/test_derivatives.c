/**
 * @file test_derivatives.c
 * @brief ov_pair_derivatives of superovoids against differences of two unlike kinds, of contacts in
 * long double that are known by construction (derivative_oracle.h) and of ov_pair_contact itself;
 * and the identities of rigid motion, exchange and scaling.
 *
 * OVOID_TEST_PAIRS sets the number of random pairs that are solved (1,000); half as many are made.
 */
#include <string.h>

#include "derivative_oracle.h"

static long pair_count(void) { return check_count(1000); }

/* ---- random pairs with a contact that is known by construction */

typedef struct made_pair {
    ov_shape shape[2];
    ov_pose pose[2];
    do_pair oracle;
    ov_contact contact;
} made_pair;

/** Over the whole domain: e to the ends of (0, 2), aspect to 1:100, taper, both signs of the gap.
 */
static void draw_shape(check_random *r, double size, ov_shape *shape) {
    ov_status status;
    do {
        double lo = check_uniform(r, 0.0, 1.0) < 0.3 ? 0.01 : 0.3;
        ov_vec3 a = ov_vec3_scale(draw_sizes(r, lo, 1.0), size);
        double e1 = check_uniform(r, 0.05, 1.98), e2 = check_uniform(r, 0.05, 1.98);
        bool round = check_uniform(r, 0.0, 1.0) < 0.15;
        bool taper = check_uniform(r, 0.0, 1.0) < 0.6;
        double tx = taper ? check_uniform(r, -0.5, 0.5) : 0.0;
        double ty = check_uniform(r, 0.0, 1.0) < 0.4 ? tx : taper ? tx + 0.2 : 0.0;
        status =
            ov_shape_make_superovoid(a, round ? 1.0 : e1, round ? 1.0 : e2, tx, ty, NULL, shape);
    } while (status != OV_OK);
}

/** The turn that takes unit a to unit b. */
static ov_quat turn_between(ov_vec3 a, ov_vec3 b) {
    ov_vec3 axis = ov_vec3_cross(a, b);
    if (largest_of(axis) < 1e-12) {
        return ov_vec3_dot(a, b) > 0.0 ? ov_quat_identity()
                                       : ov_quat_from_axis_angle(ov_mat3_householder(a).cy, M_PI);
    }
    return ov_quat_from_axis_angle(axis, atan2(ov_vec3_length(axis), ov_vec3_dot(a, b)));
}

/** Bodies placed so that two drawn surface points face each other, `gap` apart. */
static bool place_pair(check_random *r, double gap, double reach, made_pair *m) {
    do_pair *o = &m->oracle;
    m->pose[0] = draw_pose(r, reach);
    m->pose[1] = (ov_pose){m->pose[0].position, check_rotation(r)};
    for (int k = 0; k < 2; k++) {
        o->body[k] = do_body_of(&m->shape[k], m->pose[k]);
        for (int i = 0; i < 3; i++) {
            o->body[k].sign[i] = check_uniform(r, -1.0, 1.0) < 0.0 ? -1.0L : 1.0L;
        }
        o->s[2 * k] = check_uniform(r, -3.0, 3.0);
        o->s[2 * k + 1] = check_uniform(r, -3.0, 3.0);
    }
    do_point a = do_in_world(&o->body[0], &o->s[0]), b = do_in_world(&o->body[1], &o->s[2]);
    ov_quat face = turn_between(do_to(b.normal), ov_vec3_neg(do_to(a.normal)));
    m->pose[1].rotation = ov_quat_mul(face, m->pose[1].rotation);
    do_turn turn = do_turn_of(m->pose[1].rotation);
    do_vec to_b = do_apply(&turn, do_local(&o->body[1], &o->s[2]).point);
    do_vec at = do_add(do_add(a.point, a.normal, (do_real)gap), to_b, -1.0L);
    m->pose[1].position = do_to(at);
    o->body[1].position = do_from(m->pose[1].position);
    o->body[1].turn = turn;
    ov_mat3 frame = ov_mat3_householder(do_to(a.normal));
    o->t1 = do_from(frame.cy);
    o->t2 = do_from(frame.cz);
    if (!do_solve(o)) {
        return false;
    }
    do_contact c = do_contact_of(o);
    m->contact = solved((double)c.gap, do_to(c.point_a), do_to(c.point_b), do_to(c.normal));
    return true;
}

static bool draw_pair(check_random *r, made_pair *m) {
    double size = check_log_uniform(r, 1e-3, 1e3), ratio = check_log_uniform(r, 0.1, 10.0);
    draw_shape(r, size, &m->shape[0]);
    draw_shape(r, size * ratio, &m->shape[1]);
    double least = fmin(m->shape[0].ball.radius, m->shape[1].ball.radius);
    m->oracle.size = (do_real)fmax(m->shape[0].ball.radius, m->shape[1].ball.radius);
    double kind = check_uniform(r, 0.0, 1.0);
    double gap = kind < 0.3   ? -least * check_log_uniform(r, 1e-6, 0.5)
                 : kind < 0.4 ? 0.0
                              : least * check_log_uniform(r, 1e-6, 100.0);
    return place_pair(r, gap, size, m);
}

/** Largest error of a derivative, in units of itself or of the motion's own size. */
static double vector_error(ov_vec3 d, do_vec expected, double unit) {
    ov_vec3 e = do_to(expected);
    return off_by(d, e) / fmax(unit, largest_of(e));
}

/** How much the normal turns and the points move, at most: the conditioning of the pair. */
static double response(const ov_contact_derivatives *d, double size) {
    double most = 0.0;
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        double unit = k < 3 ? size : 1.0; // a motion by one size or one radian
        most = fmax(most, unit * largest_of(d->normal[body][k]));
        most = fmax(most, unit / size * largest_of(d->point_a[body][k]));
        most = fmax(most, unit / size * largest_of(d->point_b[body][k]));
    }
    return most;
}

typedef struct worst_errors {
    double gap, point, normal, parameter;
} worst_errors;

static void keep_worst(worst_errors *worst, const worst_errors *w) {
    worst->gap = fmax(worst->gap, w->gap);
    worst->point = fmax(worst->point, w->point);
    worst->normal = fmax(worst->normal, w->normal);
    worst->parameter = fmax(worst->parameter, w->parameter);
}

static void report_worst(const char *what, const worst_errors *w, double tolerance) {
    char text[100];
    const char *names[4] = {"gap", "points", "normal", "parameters"};
    const double errors[4] = {w->gap, w->point, w->normal, w->parameter};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s, %s", what, names[i]);
        check_worst(text, errors[i], tolerance);
    }
}

static void compare_change(const made_pair *m, const ov_contact_derivatives *d, int body,
                           int change, worst_errors *w) {
    double size = (double)m->oracle.size;
    bool length = change < 3 || (change >= OV_DOF_COUNT && change < OV_DOF_COUNT + 3);
    double own = m->shape[body].ball.radius;
    do_contact expected;
    if (!CHECK(do_derivative(&m->oracle, body, change, length ? own : 1.0L, &expected))) {
        return;
    }
    double unit = length ? 1.0 : size; // of lengths by this change
    if (change >= OV_DOF_COUNT) {
        double value = d->gap_shape[body][change - OV_DOF_COUNT],
               error = fabs(value - (double)expected.gap);
        w->parameter = fmax(w->parameter, error / unit);
        return;
    }
    w->gap = fmax(w->gap, fabs(d->gap[body][change] - (double)expected.gap) / unit);
    double pa = vector_error(d->point_a[body][change], expected.point_a, unit);
    double pb = vector_error(d->point_b[body][change], expected.point_b, unit);
    w->point = fmax(w->point, fmax(pa, pb));
    w->normal =
        fmax(w->normal, vector_error(d->normal[body][change], expected.normal, unit / size));
}

/* ---- identities that hold for every pair */

/** Both bodies moved together: the contact moves with them. */
static void check_rigid(const made_pair *m, const ov_contact_derivatives *d, double tolerance) {
    ov_vec3 from_a = ov_vec3_sub(m->pose[1].position, m->pose[0].position);
    double size = (double)m->oracle.size + ov_vec3_length(from_a);
    for (int k = 0; k < OV_DOF_COUNT; k++) {
        ov_vec3 axis = ov_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        double gap = d->gap[0][k] + d->gap[1][k];
        ov_vec3 a = ov_vec3_add(d->point_a[0][k], d->point_a[1][k]), goal_a = axis;
        ov_vec3 b = ov_vec3_add(d->point_b[0][k], d->point_b[1][k]), goal_b = axis;
        ov_vec3 n = ov_vec3_add(d->normal[0][k], d->normal[1][k]), goal_n = {0.0, 0.0, 0.0};
        double unit = 1.0;
        if (k >= 3) {
            // about A's position: B also moves
            ov_vec3 moved = ov_vec3_cross(axis, from_a);
            const double by[3] = {moved.x, moved.y, moved.z};
            for (int j = 0; j < 3; j++) {
                gap += by[j] * d->gap[1][j];
                a = ov_vec3_add_scaled(a, d->point_a[1][j], by[j]);
                b = ov_vec3_add_scaled(b, d->point_b[1][j], by[j]);
                n = ov_vec3_add_scaled(n, d->normal[1][j], by[j]);
            }
            goal_a = ov_vec3_cross(axis, ov_vec3_sub(m->contact.point_a, m->pose[0].position));
            goal_b = ov_vec3_cross(axis, ov_vec3_sub(m->contact.point_b, m->pose[0].position));
            goal_n = ov_vec3_cross(axis, m->contact.normal);
            unit = size;
        }
        CHECK_NEAR(gap, 0.0, 1e-13 * unit);
        CHECK_NEAR(off_by(a, goal_a), 0.0, tolerance * unit);
        CHECK_NEAR(off_by(b, goal_b), 0.0, tolerance * unit);
        CHECK_NEAR(off_by(n, goal_n), 0.0, tolerance * unit / (double)m->oracle.size);
    }
}

static ov_contact swapped(const ov_contact *c) {
    ov_contact s = *c;
    s.point_a = c->point_b;
    s.point_b = c->point_a;
    s.normal = ov_vec3_neg(c->normal);
    return s;
}

/** The other body first: the same answers in the other order. */
static void check_swap(const made_pair *m, const ov_contact_derivatives *d, double tolerance) {
    ov_contact other = swapped(&m->contact);
    ov_contact_derivatives e;
    double size = (double)m->oracle.size;
    CHECK_OK(ov_pair_derivatives(&m->shape[1], m->pose[1], &m->shape[0], m->pose[0], &other, &e));
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        double unit = k < 3 ? 1.0 : size;
        CHECK_NEAR(e.gap[1 - body][k], d->gap[body][k], 1e-14 * unit);
        CHECK_NEAR(off_by(e.point_b[1 - body][k], d->point_a[body][k]), 0.0, tolerance * unit);
        CHECK_NEAR(off_by(e.point_a[1 - body][k], d->point_b[body][k]), 0.0, tolerance * unit);
        CHECK_NEAR(off_by(ov_vec3_neg(e.normal[1 - body][k]), d->normal[body][k]), 0.0,
                   tolerance * unit / size);
    }
}

/** All lengths scaled alike: by Euler the gap is the sum of each length times its derivative. */
static void check_scaling(const made_pair *m, const ov_contact_derivatives *d) {
    double sum = 0.0, reach = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *g = d->gap[k], *s = d->gap_shape[k];
        ov_vec3 at = m->pose[k].position, a = m->shape[k].a;
        sum += g[0] * at.x + g[1] * at.y + g[2] * at.z;
        sum += s[OV_PARAMETER_A1] * a.x + s[OV_PARAMETER_A2] * a.y + s[OV_PARAMETER_A3] * a.z;
        reach += ov_vec3_length(at) + m->shape[k].ball.radius;
    }
    CHECK_NEAR(sum, m->contact.gap, 1e-13 * reach);
}

/** Against differences in long double, and the identities. */
static void test_constructed_pairs(void) {
    check_random r = check_random_make(2101);
    const double tolerance = 1e-8;
    worst_errors worst = {0.0, 0.0, 0.0, 0.0};
    long compared = 0, unsolved = 0, dented = 0;
    const long count = (pair_count() + 1) / 2;
    for (long i = 0; i < count; i++) {
        made_pair m;
        if (!draw_pair(&r, &m)) {
            unsolved++;
            continue;
        }
        ov_contact_derivatives d;
        ov_status status =
            ov_pair_derivatives(&m.shape[0], m.pose[0], &m.shape[1], m.pose[1], &m.contact, &d);
        // a drawn point in a hollow is no point of the body
        if (status == OV_NOT_SMOOTH && (m.shape[0].dent > 0.0 || m.shape[1].dent > 0.0)) {
            dented++;
            continue;
        }
        if (!CHECK_OK(status)) {
            continue;
        }
        worst_errors w = {0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 2 * DO_CHANGES; k++) {
            compare_change(&m, &d, k / DO_CHANGES, k % DO_CHANGES, &w);
        }
        bool good = CHECK(w.gap <= tolerance) && CHECK(w.point <= tolerance) &&
                    CHECK(w.normal <= tolerance) && CHECK(w.parameter <= tolerance);
        if (!good && check_may_print()) {
            fprintf(stderr, "  pair %ld: gap %.3g point %.3g normal %.3g parameter %.3g\n", i,
                    w.gap, w.point, w.normal, w.parameter);
        }
        double steep = 1e-12 * (1.0 + response(&d, (double)m.oracle.size));
        check_rigid(&m, &d, steep);
        check_swap(&m, &d, steep);
        check_scaling(&m, &d);
        keep_worst(&worst, &w);
        compared++;
    }
    report_worst("constructed pairs", &worst, tolerance);
    printf("%s: %ld pairs compared, left out: %ld without a contact, %ld dented\n", check_suite,
           compared, unsolved, dented);
    CHECK(compared > count * 9 / 10);
}

/* ---- ov_pair_contact itself, differenced */

enum { SIDES = 4 };

/**
 * A gap to 1e-12 asks for a normal to 1e-6 only, too little to be differenced; contacts that are
 * more than this off, in units of the size, are not used.
 */
static const double precise = 1e-9;

/** One contact of the moved pair, from the place of the first. */
static bool moved_contact(const made_pair *m, int body, int motion, double by,
                          const ov_pair_options *options, ov_contact *contact) {
    ov_pose pose[2] = {m->pose[0], m->pose[1]};
    if (motion < 3) {
        double *at[3] = {&pose[body].position.x, &pose[body].position.y, &pose[body].position.z};
        *at[motion] += by;
    } else {
        ov_vec3 axis = ov_vec3_make(motion == 3, motion == 4, motion == 5);
        pose[body].rotation = ov_quat_mul(ov_quat_from_axis_angle(axis, by), pose[body].rotation);
    }
    return ov_pair_contact(&m->shape[0], pose[0], &m->shape[1], pose[1], options, NULL, contact) ==
           OV_OK;
}

/** (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h */
static do_vec combine_sides(const ov_vec3 side[SIDES], double step) {
    do_vec sum = {{0.0L, 0.0L, 0.0L}};
    const do_real factor[SIDES] = {8.0L, -8.0L, -1.0L, 1.0L};
    for (int i = 0; i < SIDES; i++) {
        sum = do_add(sum, do_from(side[i]), factor[i] / (12.0L * (do_real)step));
    }
    return sum;
}

/** Gap, points and normal at the four places of a step, as differences. */
typedef struct differences {
    do_vec gap, point_a, point_b, normal;
} differences;

/** How far the points are from being one gap along the normal apart, in units of the size. */
static double contact_residual(const ov_contact *c, double size) {
    ov_vec3 apart = ov_vec3_sub(c->point_b, c->point_a);
    return off_by(apart, ov_vec3_scale(c->normal, c->gap)) / size;
}

/** False where one of the contacts is not there, is imprecise, or has jumped to another place. */
static bool take_differences(const made_pair *m, int body, int k, double step,
                             const ov_pair_options *options, differences *out) {
    const double at[SIDES] = {step, -step, 2.0 * step, -2.0 * step};
    ov_vec3 a[SIDES], b[SIDES], n[SIDES], gap[SIDES];
    for (int i = 0; i < SIDES; i++) {
        ov_contact c;
        if (!moved_contact(m, body, k, at[i], options, &c) ||
            contact_residual(&c, (double)m->oracle.size) > precise ||
            ov_vec3_dot(c.normal, m->contact.normal) < 0.9) {
            return false;
        }
        a[i] = c.point_a;
        b[i] = c.point_b;
        n[i] = c.normal;
        gap[i] = ov_vec3_make(c.gap, 0.0, 0.0);
    }
    *out = (differences){combine_sides(gap, step), combine_sides(a, step), combine_sides(b, step),
                         combine_sides(n, step)};
    return true;
}

/** Errors of `d` by `expected`: of derivatives by differences, or of differences by finer ones. */
static worst_errors errors_by(const differences *d, const differences *expected, double unit,
                              double size) {
    worst_errors w = {0.0, 0.0, 0.0, 0.0};
    w.gap = vector_error(do_to(d->gap), expected->gap, unit);
    w.point = fmax(vector_error(do_to(d->point_a), expected->point_a, unit),
                   vector_error(do_to(d->point_b), expected->point_b, unit));
    w.normal = vector_error(do_to(d->normal), expected->normal, unit / size);
    return w;
}

static double largest_error(const worst_errors *w) {
    return fmax(w->gap, fmax(w->point, w->normal));
}

enum { STEPS = 5 };

/**
 * Differences with ever finer steps; those that change least from the step before are the ones to
 * believe. `rough` is that change: how far they can be believed.
 */
static bool best_differences(const made_pair *m, int body, int k, double step,
                             const ov_pair_options *options, differences *best, double *rough) {
    double size = (double)m->oracle.size, unit = k < 3 ? 1.0 : size;
    differences coarse;
    *rough = INFINITY;
    for (int i = 0; i < STEPS; i++, step *= 0.2) {
        differences fine;
        if (!take_differences(m, body, k, step, options, &fine)) {
            return false;
        }
        if (i > 0) {
            worst_errors w = errors_by(&coarse, &fine, unit, size);
            if (largest_error(&w) < *rough) {
                *rough = largest_error(&w);
                *best = fine;
            }
        }
        coarse = fine;
    }
    return true;
}

/** The gap of the pair with one parameter of one body changed; false where there is none. */
static bool changed_gap(const made_pair *m, int body, int parameter, double by,
                        const ov_pair_options *options, ov_vec3 *gap) {
    const ov_shape *s = &m->shape[body];
    double v[OV_PARAMETER_COUNT] = {s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty};
    v[parameter] += by;
    ov_shape shape[2] = {m->shape[0], m->shape[1]};
    ov_shape_options any = {.dent_tolerance = 1.0};
    ov_contact c;
    if (ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], v[6], &any,
                                 &shape[body]) != OV_OK ||
        ov_pair_contact(&shape[0], m->pose[0], &shape[1], m->pose[1], options, NULL, &c) != OV_OK ||
        ov_vec3_dot(c.normal, m->contact.normal) < 0.9) {
        return false;
    }
    *gap = ov_vec3_make(c.gap, 0.0, 0.0);
    return true;
}

/** As best_differences, of the gap by a parameter; infinitely rough where there is none. */
static double best_gap_difference(const made_pair *m, int body, int parameter, double step,
                                  const ov_pair_options *options, double *rough) {
    double coarse = NAN, best = NAN;
    *rough = INFINITY;
    for (int i = 0; i < STEPS; i++, step *= 0.2) {
        const double at[SIDES] = {step, -step, 2.0 * step, -2.0 * step};
        ov_vec3 gap[SIDES];
        for (int j = 0; j < SIDES; j++) {
            if (!changed_gap(m, body, parameter, at[j], options, &gap[j])) {
                return NAN;
            }
        }
        double fine = (double)combine_sides(gap, step).v[0];
        if (fabs(fine - coarse) < *rough) {
            *rough = fabs(fine - coarse);
            best = fine;
        }
        coarse = fine;
    }
    return best;
}

/** Largest error of the gap's derivatives by the parameters, lengths in units of the size. */
static double parameter_error(const made_pair *m, const ov_contact_derivatives *d,
                              const ov_pair_options *options, double tolerance, long *compared) {
    double size = (double)m->oracle.size, worst = 0.0;
    for (int i = 0; i < 2 * OV_PARAMETER_COUNT; i++) {
        int body = i / OV_PARAMETER_COUNT, k = i % OV_PARAMETER_COUNT;
        const ov_shape *s = &m->shape[body];
        // how far the parameter is from the end of its range
        const double room[OV_PARAMETER_COUNT] = {
            s->a.x, s->a.y, s->a.z, fmin(s->e1, 2.0 - s->e1), fmin(s->e2, 2.0 - s->e2), 0.5, 0.5};
        double rough, unit = k < 3 ? 1.0 : size;
        double expected = best_gap_difference(m, body, k, 1e-3 * room[k], options, &rough);
        if (rough <= 0.1 * tolerance * unit) {
            worst = fmax(worst, fabs(d->gap_shape[body][k] - expected) / unit);
            ++*compared;
        }
    }
    return worst;
}

/** Bodies anywhere about each other, apart by up to a few sizes or overlapping by up to a half. */
static void draw_loose_pair(check_random *r, made_pair *m) {
    draw_shape(r, check_log_uniform(r, 0.3, 3.0), &m->shape[0]);
    draw_shape(r, check_log_uniform(r, 0.3, 3.0), &m->shape[1]);
    double a = m->shape[0].ball.radius, b = m->shape[1].ball.radius;
    m->oracle.size = (do_real)fmax(a, b);
    double between = (a + b) * check_uniform(r, 0.2, 2.0);
    ov_vec3 apart = ov_vec3_scale(check_unit_vector(r), between);
    m->pose[0] = draw_pose(r, 1.0);
    m->pose[1] = (ov_pose){ov_vec3_add(m->pose[0].position, apart), check_rotation(r)};
}

typedef struct loose_counts {
    long compared, overlapping, unsolved, imprecise, not_smooth, steep, jumped, rough;
    long parameters; // 14 in every tenth pair
} loose_counts;

/**
 * One pair, left out only where (1) the contact was not solved, (2) it is not precise, (3) there
 * are no derivatives, as the status says, (4) a motion of a size or radian moves the contact by
 * more than 1,000 sizes or radians, (5) a contact two steps away is not solved, not precise or
 * elsewhere, or (6) differences of no two steps agree to a tenth of the tolerance.
 */
static void compare_loose_pair(made_pair *m, double tolerance, worst_errors *worst,
                               loose_counts *count) {
    const ov_pair_options options = {.tolerance = 1e-12, .depth = OV_DEPTH_LOCAL};
    ov_contact_derivatives d;
    if (ov_pair_contact(&m->shape[0], m->pose[0], &m->shape[1], m->pose[1], &options, NULL,
                        &m->contact) != OV_OK) {
        count->unsolved++;
        return;
    }
    double size = (double)m->oracle.size;
    if (contact_residual(&m->contact, size) > precise) {
        count->imprecise++;
        return;
    }
    ov_status status =
        ov_pair_derivatives(&m->shape[0], m->pose[0], &m->shape[1], m->pose[1], &m->contact, &d);
    double fast = response(&d, size);
    if (status != OV_OK) {
        CHECK_STATUS(status, OV_NOT_SMOOTH);
        count->not_smooth++;
        return;
    }
    if (fast > 1e3) {
        count->steep++;
        return;
    }
    worst_errors w = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        double rough, step = 2e-3 / fmax(1.0, fast) * (k < 3 ? size : 1.0);
        differences best,
            own = {do_from(ov_vec3_make(d.gap[body][k], 0.0, 0.0)), do_from(d.point_a[body][k]),
                   do_from(d.point_b[body][k]), do_from(d.normal[body][k])};
        if (!best_differences(m, body, k, step, &options, &best, &rough)) {
            count->jumped++;
            return;
        }
        if (rough > 0.1 * tolerance) {
            count->rough++;
            return;
        }
        worst_errors e = errors_by(&own, &best, k < 3 ? 1.0 : size, size);
        keep_worst(&w, &e);
    }
    // shapes are slow to make; every tenth pair will do
    if (count->compared % 10 == 0) {
        w.parameter = parameter_error(m, &d, &options, tolerance, &count->parameters);
    }
    bool good = CHECK(w.gap <= tolerance) && CHECK(w.point <= tolerance) &&
                CHECK(w.normal <= tolerance) && CHECK(w.parameter <= tolerance);
    if (!good && check_may_print()) {
        fprintf(stderr, "  gap %.17g: gap %.3g point %.3g normal %.3g parameter %.3g speed %.3g\n",
                m->contact.gap, w.gap, w.point, w.normal, w.parameter, fast);
    }
    keep_worst(worst, &w);
    count->compared++;
    count->overlapping += m->contact.relation == OV_RELATION_OVERLAPPING;
}

static void test_differences_of_contacts(void) {
    check_random r = check_random_make(2102);
    const double tolerance = 1e-5;
    worst_errors worst = {0.0, 0.0, 0.0, 0.0};
    loose_counts count = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (long i = 0; i < pair_count(); i++) {
        made_pair m;
        draw_loose_pair(&r, &m);
        compare_loose_pair(&m, tolerance, &worst, &count);
    }
    report_worst("differences of contacts", &worst, tolerance);
    printf("%s: %ld pairs compared, %ld of them overlapping, with %ld parameters; left out: "
           "%ld not solved, %ld imprecise, %ld not smooth, %ld steep, %ld jumped, %ld rough\n",
           check_suite, count.compared, count.overlapping, count.parameters, count.unsolved,
           count.imprecise, count.not_smooth, count.steep, count.jumped, count.rough);
    CHECK(10 * count.parameters > 12 * count.compared);
    CHECK(count.overlapping > pair_count() / 20);
    CHECK(count.compared > pair_count() / 2);
}

int main(void) {
    check_suite = "derivatives";
    RUN(test_constructed_pairs);
    RUN(test_differences_of_contacts);
    return check_finish();
}
