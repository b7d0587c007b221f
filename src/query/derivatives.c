/**
 * @file derivatives.c
 * @brief Derivatives of a contact by the motions of both bodies and by the shapes' parameters.
 *
 * A body moves with a velocity field v(x) = t + omega x (x - position). With the unit normal n from
 * A to B, witness points pA, pB = pA + gap n, and everything else taken in the tangent plane:
 *
 *     1. gap' = n.(vB(pB) - vA(pA)): the normal's own change does not count, for separated bodies n
 *        is where n.d - hA(n) - hB(-n) is largest, for overlapping ones a local maximum
 *     2. witness points are carried along and slide: pA' = vA(pA) + sA, pB' = vB(pB) + sB
 *     3. so do the normals: n' = wA + mA = wB - mB, with w = omega x n, and m the turn of the
 *        outward normal that belongs to the slide s (m = W s, W the shape operator)
 *     4. pB' - pA' = gap' n + gap n' in the tangent plane: u + sB - sA = gap n', with u the
 *        tangential part of vB(pB) - vA(pA)
 *
 * Each (s, m) is a combination of the two pairs of an ovi_roll, which may be flat or sharp; the
 * four factors y follow from the four equations
 *
 *     5. mA + mB = wB - wA,     sB - (sA + gap mA) = gap wA - u
 *
 * For finite curvatures that is [WA + WB + gap WB WA] sA = …, the tangent-plane system of the
 * smooth solver, and for finite radii [RA + RB + gap] n' = …. Lengths are in units of the pair's
 * size. The pairs of one body span a plane in the space of the four equations; the system is solved
 * by orthonormal bases, each vector of which carries the slides and turns that it stands for. The
 * sine of the smallest angle between the planes of A and B says whether derivatives exist.
 *
 *     6. the gap by a parameter: minus that of the support value h(n) at fixed n, for the same
 *        reason as in 1
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "derivatives_internal.h"

/** Planes closer than this are taken as touching: slides of 1e7 sizes a radian have no meaning. */
static const double least_sine = 1e-7;
/** A motion by this much, in sizes and radians, must leave a contact where its rolls hold. */
static const double least_motion = 1e-8;
/** Farther than this, in sizes, no roll is asked to hold. */
static const double most_reach = 0.01;
/** What a roll may miss, as a share of that sine: so much the rates may be off nearby. */
static const double most_miss = 0.03;
/** A gap or radius, in sizes, at which a contact is no longer a unique one. */
static const double nearly_nothing = 1e-7;
/** A body's two pairs are independent by construction; closer than this only rounding is left. */
static const double least_spread = 1e-12;

/** One body with its witness point, in the world and in its own frame. */
typedef struct touched {
    const ov_shape *shape;
    ov_vec3 position, point;
    ov_mat3 turn;
    ov_vec3 local_point, local_normal; // outward
    ovi_roll roll;
    bool rolls; // the roll is known
} touched;

/** The rows of an equation's column, and of what it carries. */
enum { EQUATIONS = 4, TURN_A = 4, SLIDE_A = 6, TURN_B = 8, SLIDE_B = 10, ROWS = 12 };

typedef struct column {
    double row[ROWS];
} column;

/** The contact as the linear system sees it. */
typedef struct contact_system {
    ov_vec3 n, t1, t2;
    double size, gap; // gap in units of size
    column basis[4];
    double sine; // between the planes of A and B
} contact_system;

/* ---- the linear system */

static double column_dot(const column *a, const column *b) {
    double sum = 0.0;
    for (int i = 0; i < EQUATIONS; i++) {
        sum += a->row[i] * b->row[i];
    }
    return sum;
}

static double normalise(column *c) {
    double length = sqrt(column_dot(c, c));
    for (int i = 0; i < ROWS && length > 0.0; i++) {
        c->row[i] /= length;
    }
    return length;
}

/** Takes the part along a unit column off another; twice, for the rounding of the first time. */
static void take_off(column *c, const column *unit) {
    for (int pass = 0; pass < 2; pass++) {
        double along = column_dot(c, unit);
        for (int i = 0; i < ROWS; i++) {
            c->row[i] -= along * unit->row[i];
        }
    }
}

static ov_vec2 tangential(const contact_system *s, ov_vec3 v) {
    return (ov_vec2){ov_vec3_dot(s->t1, v), ov_vec3_dot(s->t2, v)};
}

static ov_vec3 in_world(const contact_system *s, const double t[2]) {
    return ov_vec3_add_scaled(ov_vec3_scale(s->t1, t[0]), s->t2, t[1]);
}

/** Columns of a body: its pairs as they enter the equations of step 5. */
static bool body_columns(const contact_system *s, const touched *body, bool is_a, column out[2]) {
    const ovi_roll *roll = &body->roll;
    for (int i = 0; i < 2; i++) {
        ov_vec2 m = tangential(s, ov_mat3_mul_vec3(&body->turn, roll->normal[i]));
        ov_vec2 p = tangential(s, ov_mat3_mul_vec3(&body->turn, roll->point[i]));
        p = (ov_vec2){p.x / s->size, p.y / s->size};
        int turn = is_a ? TURN_A : TURN_B, slide = is_a ? SLIDE_A : SLIDE_B;
        double largest = fmax(fmax(fabs(m.x), fabs(m.y)), fmax(fabs(p.x), fabs(p.y)));
        if (!(largest > 0.0) || isinf(largest)) {
            return false;
        }
        // near 1 first, so that no square leaves the range
        double scale = 1.0 / largest;
        m = (ov_vec2){m.x * scale, m.y * scale};
        p = (ov_vec2){p.x * scale, p.y * scale};
        double f = is_a ? -1.0 : 1.0, g = is_a ? -s->gap : 0.0;
        column c = {{m.x, m.y, f * p.x + g * m.x, f * p.y + g * m.y}};
        c.row[turn] = m.x;
        c.row[turn + 1] = m.y;
        c.row[slide] = p.x;
        c.row[slide + 1] = p.y;
        normalise(&c);
        out[i] = c;
    }
    take_off(&out[1], &out[0]);
    return normalise(&out[1]) > least_spread;
}

/**
 * Is a body round by itself: are its radii of curvature finite, and with the gap more than nothing?
 * Then normal and points of a contact with it are unique, whatever the other body does.
 */
static bool is_round(const contact_system *s, const column c[2], bool is_a) {
    const int m = is_a ? TURN_A : TURN_B, p = is_a ? SLIDE_A : SLIDE_B;
    double det = c[0].row[m] * c[1].row[m + 1] - c[1].row[m] * c[0].row[m + 1], r[2][2];
    for (int i = 0; i < 2; i++) {
        // slides by turns, times the determinant
        r[i][0] = c[0].row[p + i] * c[1].row[m + 1] - c[1].row[p + i] * c[0].row[m + 1];
        r[i][1] = c[1].row[p + i] * c[0].row[m] - c[0].row[p + i] * c[1].row[m];
    }
    const double most = 100.0; // so that no motion to speak of leaves where the roll holds
    double half = 0.5 * (r[0][0] + r[1][1]) / det, mixed = 0.5 * (r[0][1] + r[1][0]) / det;
    double spread = hypot(0.5 * (r[0][0] - r[1][1]) / det, mixed);
    return half + spread <= most && half - spread + s->gap >= nearly_nothing;
}

/** Orthonormal basis of all four columns; false where the two planes have a line in common, as
 *  far as their bodies' rolls can tell. */
static bool join_columns(contact_system *s, double miss) {
    column *b = s->basis;
    for (int j = 2; j < 4; j++) {
        take_off(&b[j], &b[0]);
        take_off(&b[j], &b[1]);
    }
    if (column_dot(&b[3], &b[3]) > column_dot(&b[2], &b[2])) {
        column swap = b[2];
        b[2] = b[3];
        b[3] = swap;
    }
    const double least = fmax(least_sine, miss / most_miss);
    if (!(normalise(&b[2]) > least)) {
        return false;
    }
    take_off(&b[3], &b[2]);
    s->sine = normalise(&b[3]);
    return s->sine > least;
}

static void set_roll_of(touched *t, double slack, double reach) {
    t->rolls = ovi_shape_roll(t->shape, t->local_point, t->local_normal, slack, reach, &t->roll);
}

/**
 * The system, where there is one; `unique` says whether the contact is, also where not. The worse
 * its condition, the farther a motion takes the contact, and the farther the rolls must hold.
 */
static bool make_system(contact_system *s, touched *a, touched *b, double slack, bool *unique) {
    double reach = OVI_LEAST_REACH;
    *unique = false;
    for (int pass = 0; pass < 2; pass++) {
        set_roll_of(a, slack, reach);
        set_roll_of(b, slack, reach);
        bool has_a = a->rolls && body_columns(s, a, true, &s->basis[0]);
        bool has_b = b->rolls && body_columns(s, b, false, &s->basis[2]);
        *unique = *unique || (has_a && is_round(s, &s->basis[0], true)) ||
                  (has_b && is_round(s, &s->basis[2], false));
        if (!has_a || !has_b || !join_columns(s, a->roll.miss + b->roll.miss)) {
            return false;
        }
        reach = fmin(most_reach, least_motion / s->sine);
        if (reach <= OVI_LEAST_REACH) {
            break;
        }
    }
    *unique = true;
    return true;
}

/* ---- motions */

/** Velocity of the witness point and turn of a fixed normal, for one of the six motions. */
typedef struct motion {
    ov_vec3 velocity, turn;
} motion;

static motion motion_of(const touched *body, int k, ov_vec3 n) {
    ov_vec3 axis = ov_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    if (k < 3) {
        return (motion){axis, ov_vec3_make(0.0, 0.0, 0.0)};
    }
    return (motion){ov_vec3_cross(axis, ov_vec3_sub(body->point, body->position)),
                    ov_vec3_cross(axis, n)};
}

/** Steps 2 to 5: `a` and `b` are what moves them, one of the two being at rest. */
static void solve_motion(const contact_system *s, motion a, motion b, ov_vec3 *point_a,
                         ov_vec3 *point_b, ov_vec3 *normal) {
    ov_vec2 wa = tangential(s, a.turn), wb = tangential(s, b.turn);
    ov_vec2 u = tangential(s, ov_vec3_sub(b.velocity, a.velocity));
    column right = {
        {wb.x - wa.x, wb.y - wa.y, s->gap * wa.x - u.x / s->size, s->gap * wa.y - u.y / s->size}};
    double sum[ROWS] = {0.0};
    for (int j = 0; j < 4; j++) {
        double y = column_dot(&s->basis[j], &right);
        for (int i = EQUATIONS; i < ROWS; i++) {
            sum[i] += y * s->basis[j].row[i];
        }
    }
    *point_a = ov_vec3_add_scaled(a.velocity, in_world(s, &sum[SLIDE_A]), s->size);
    *point_b = ov_vec3_add_scaled(b.velocity, in_world(s, &sum[SLIDE_B]), s->size);
    // of the two ways to the normal's rate, the one by the body at rest, or that turns less
    ov_vec3 by_a = ov_vec3_add(in_world(s, &sum[TURN_A]), a.turn);
    ov_vec3 by_b = ov_vec3_sub(b.turn, in_world(s, &sum[TURN_B]));
    *normal = ov_vec3_dot(a.turn, a.turn) <= ov_vec3_dot(b.turn, b.turn) ? by_a : by_b;
}

static bool is_finite(const ov_contact_derivatives *d) {
    bool good = true;
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        good = good && ov_vec3_is_finite(d->point_a[body][k]) &&
               ov_vec3_is_finite(d->point_b[body][k]) && ov_vec3_is_finite(d->normal[body][k]);
    }
    return good;
}

static bool set_motions(const contact_system *s, const touched *a, const touched *b,
                        ov_contact_derivatives *out) {
    const motion rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    ov_contact_derivatives d = *out;
    for (int k = 0; k < OV_DOF_COUNT; k++) {
        solve_motion(s, motion_of(a, k, s->n), rest, &d.point_a[0][k], &d.point_b[0][k],
                     &d.normal[0][k]);
        solve_motion(s, rest, motion_of(b, k, s->n), &d.point_a[1][k], &d.point_b[1][k],
                     &d.normal[1][k]);
    }
    if (!is_finite(&d)) {
        return false;
    }
    *out = d;
    return true;
}

static void set_gap(const touched *a, const touched *b, ov_vec3 n, ov_contact_derivatives *out) {
    for (int k = 0; k < OV_DOF_COUNT; k++) {
        out->gap[0][k] = -ov_vec3_dot(n, motion_of(a, k, n).velocity);
        out->gap[1][k] = ov_vec3_dot(n, motion_of(b, k, n).velocity);
    }
}

/* ---- parameters */

/** Whether all of them are derivatives; nothing to set for the kinds that have no parameters. */
static bool set_parameters(const touched *body, double slack, bool unique,
                           double by[OV_PARAMETER_COUNT], bool smooth[OV_PARAMETER_COUNT]) {
    if (!ovi_is_family(body->shape->kind)) {
        return true;
    }
    double h[OV_PARAMETER_COUNT];
    if (!ovi_support_by_parameters(body->shape, body->local_point, body->local_normal, slack, h,
                                   smooth)) {
        return false;
    }
    bool all = true;
    for (int i = 0; i < OV_PARAMETER_COUNT; i++) {
        by[i] = 0.0 - h[i];
        smooth[i] = smooth[i] && unique;
        all = all && smooth[i];
    }
    return all;
}

/* ---- in and out */

static touched touch(const ov_shape *shape, ov_pose pose, ov_vec3 point, ov_vec3 outward) {
    touched t = {.shape = shape, .position = pose.position, .point = point};
    ov_quat unit = pose.rotation;
    (void)ov_quat_normalize(pose.rotation, &unit); // was checked
    t.turn = ov_mat3_from_quat(unit);
    t.local_point = ov_mat3_tmul_vec3(&t.turn, ov_vec3_sub(point, pose.position));
    t.local_normal = ov_mat3_tmul_vec3(&t.turn, outward);
    return t;
}

static ov_status check_contact(const ov_contact *c) {
    if (c->status < OV_OK) {
        return c->status;
    }
    if (!isfinite(c->gap)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ovi_check_point(c->point_a);
    status = status == OV_OK ? ovi_check_point(c->point_b) : status;
    status = status == OV_OK ? ovi_check_point(c->normal) : status;
    if (status != OV_OK) {
        return status;
    }
    return ov_vec3_dot(c->normal, c->normal) > 0.5 ? OV_OK : OV_ERROR_ZERO_DIRECTION;
}

/** A length to measure in: the pair's size, or what there is where both are points. */
static double unit_length(const ovi_pair *pair, double gap) {
    return pair->size > 0.0 ? pair->size : gap != 0.0 ? fabs(gap) : 1.0;
}

ov_status ov_pair_derivatives(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              const ov_contact *contact, ov_contact_derivatives *out) {
    OVI_NEAREST(ov_status, ov_pair_derivatives(a, pose_a, b, pose_b, contact, out));
    if (contact == NULL || out == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_pair pair;
    ov_status status = ovi_pair_make(a, pose_a, b, pose_b, NULL, &pair);
    status = status == OV_OK ? check_contact(contact) : status;
    if (status != OV_OK) {
        return status;
    }
    if (a->kind == OV_SHAPE_KIND_HALFSPACE && b->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    }
    contact_system s = {.n = ov_vec3_normalize(contact->normal)};
    ov_mat3 frame = ov_mat3_householder(s.n);
    s.t1 = frame.cy;
    s.t2 = frame.cz;
    s.size = unit_length(&pair, contact->gap);
    s.gap = contact->gap / s.size;
    double slack =
        pair.rounding +
        8.0 * DBL_EPSILON * (ov_vec3_length(contact->point_a) + ov_vec3_length(contact->point_b));
    touched ta = touch(a, pose_a, contact->point_a, s.n);
    touched tb = touch(b, pose_b, contact->point_b, ov_vec3_neg(s.n));
    *out = (ov_contact_derivatives){0};
    set_gap(&ta, &tb, s.n, out);
    out->contact_smooth =
        make_system(&s, &ta, &tb, slack, &out->gap_smooth) && set_motions(&s, &ta, &tb, out);
    bool smooth = out->contact_smooth && out->gap_smooth;
    for (int i = 0; i < 2; i++) {
        smooth = set_parameters(i == 0 ? &ta : &tb, slack, out->gap_smooth, out->gap_shape[i],
                                out->shape_smooth[i]) &&
                 smooth;
    }
    return smooth ? contact->status : OV_NOT_SMOOTH;
}
