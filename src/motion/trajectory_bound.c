/**
 * @file trajectory_bound.c
 * @brief Courses of the links of a robot along a joint trajectory.
 *
 * During a span about its middle every joint is compared with one that moves more simply, s being
 * the time from the middle:
 *
 *     q(t) = at + s rate + s^2 bend / 2 + rest,  |rest| <= slip + |s| speed + s^2 surplus / 2.
 *
 * The first three terms are those of the spline at the middle. The surplus comes from the largest
 * third derivative j in the span, as radius j / 3, where the second is continuous; for a spline of
 * given velocities from how far the second one goes from `bend`. A linear spline has instead of
 * that a speed: how far its first derivative goes from `rate`. Where a span reaches beyond the ends
 * of the trajectory, and for long spans if it is better, the line of spline.h is taken, which has
 * no bend. Quaternions turn at a constant spin, with jumps of it in `speed`.
 *
 * 1. The simple joints make a smooth chain. It is walked from the link upwards, so that no memory
 *    is needed, with all vectors in the link's own frame, so that they need not be turned on the
 *    way. Let p, v, a, w, z be position, velocity, acceleration, spin and its derivative of the
 *    link as seen by the child of a joint, which turns with spin o and o' and shifts by d. Seen by
 *    its parent they are
 *
 *        p + d               w + o
 *        v + d' + o x p      z + o' + o x w
 *        a + d'' + o' x p + o x (o x p + 2 v).
 *
 * 2. The same with norms bounds them over the span. A joint turns about one axis and o'' is zero,
 *    so its rotation C has |C''| <= sqrt(o'^2 + o^4), |C'''| <= sqrt(o^6 + 9 o'^2 o^2). With a
 *    third derivative of the chain of at most j, Taylor's rest of second order is no more than
 *    s^2 / 2 (|a| + radius j / 3); the smaller of this and the bound of the second derivative is
 *    taken. Rotations likewise: R'' = ([z]x + [w]x^2) R.
 * 3. The rests: what is below joint k, at a distance of up to L_k, is moved by L_k |rest|. Going
 *    from the simple chain to the true one joint after joint, from the base, that is added up.
 * 4. Over long spans it can be better not to follow the velocities: where what they leave open is
 *    more than what the largest rates allow, velocity or spin is zero and the rates are used.
 *
 * Rounding: a unit quaternion of a joint is off by no more than 4 ulp of sine and cosine, one for
 * the angle's half, 4 of axis and origin not being units, 3 in putting these together and 4 in the
 * product, which makes 32 epsilon for a rotation; the matrix adds 8, a product with it 3, the sums
 * a few. Vectors are turned to the link's frame by such rotations, and back. With 96 epsilon a
 * joint, times the length of the whole chain, positions are safe, and velocities with twice and
 * accelerations with three times that, as so many factors are off.
 */
#include "trajectory.h"

#define JOINT_ROUNDING (96.0 * DBL_EPSILON)

/* ---- one number */

/** Where a span lies. */
typedef enum place {
    WITHIN_SEGMENT,
    WITHIN_ENDS, /**< over several segments, of which the middle's is one */
    BEYOND_ENDS
} place;

/** The span, and what all numbers need to know about it. */
typedef struct view {
    const ov_trajectory *trajectory;
    ovi_spline_span span;
    place place;
    size_t row;      /**< the middle's segment begins with it */
    double part;     /**< of that segment that is before the middle, 0 to 1 */
    double per_time; /**< the inverse of its length */
    double beyond;   /**< how far the span reaches out of where it is said to be, by rounding */
} view;

/** See the head of the file; and |q(t) - at| <= slip + |s| top. */
typedef struct number {
    double at, rate, bend;
    double slip, speed, surplus;
    double top;
} number;

/** How far a span reaches out of an interval. */
static double out_of(const ovi_spline_span *span, double from, double to) {
    double before = from - span->from, after = span->to - to;
    double most = before > after ? before : after;
    return most > 0.0 ? most : 0.0;
}

/**
 * Callers make spans a little wider for rounding. If that alone takes them out of a segment, or of
 * the trajectory, they count as inside, and what the true motion does beyond is added as a slip.
 */
static view look(const ov_trajectory *t, double middle, double radius) {
    view o = {.trajectory = t, .place = BEYOND_ENDS};
    o.span = ovi_spline_span_about(&t->scalars, middle, radius);
    size_t last = t->count - 1;
    if (o.span.segment < 0 || (size_t)o.span.segment >= last) {
        return o;
    }
    o.row = (size_t)o.span.segment;
    const double *times = t->scalars.times;
    double from = times[o.row], to = times[o.row + 1];
    double slack = DBL_EPSILON * (256.0 * radius + 4.0 * fabs(middle));
    o.per_time = 1.0 / (to - from);
    o.part = (middle - from) / (to - from);
    o.beyond = out_of(&o.span, from, to);
    if (o.beyond <= slack) {
        o.place = WITHIN_SEGMENT;
        return o;
    }
    o.beyond = out_of(&o.span, times[0], times[last]);
    o.place = o.beyond <= slack ? WITHIN_ENDS : BEYOND_ENDS;
    return o;
}

/** Third derivative of a segment, by the inverse of its length; and how far off the second and the
 *  third may be: the coefficient of the latter by less than 32 epsilon of the segment's size. */
static double third_of(const ovi_segment *g, double per) { return 2.0 * fabs(g->c[0]) * per * per; }

static double bend_error(const ovi_segment *g, double per) {
    return (OVI_RATE_ROUNDING * g->size + 6.0 * g->drift) * per;
}

/** Value and derivatives at the middle. */
static void number_at(const view *o, size_t k, ovi_segment *g, number *n) {
    ovi_segment_of(&o->trajectory->scalars, o->row, k, g);
    n->at = ovi_segment_value(g, 0, o->part);
    n->rate = ovi_segment_rate(g, 0, o->part);
    n->bend = ovi_segment_bend(g, 0, o->part);
    n->slip = ovi_segment_error(g, 1);
    n->speed = OVI_RATE_ROUNDING * g->size + g->drift;
}

/** Largest derivatives of number k after a row. */
static void fill_leaf(const ov_trajectory *t, size_t row, size_t k, double *leaf) {
    ovi_segment g;
    ovi_segment_of(&t->scalars, row, k, &g);
    double per = 1.0 / g.h, off = bend_error(&g, per), first = ovi_segment_bend(&g, 0, 0.0);
    double last = ovi_segment_bend(&g, 0, 1.0);
    if (t->scalars.kind == OVI_SPLINE_CUBIC) {
        leaf[0] = third_of(&g, per) + 2.0 * off * per;
        return;
    }
    if (t->scalars.kind == OVI_SPLINE_LINEAR) {
        first = last = g.v[0];
        off = OVI_RATE_ROUNDING * g.size + g.drift;
    }
    leaf[0] = ovi_larger(first, last) + off;
    leaf[1] = ovi_larger(-first, -last) + off;
}

void ovi_trajectory_build_tree(ov_trajectory *t) {
    size_t leaves = t->count - 1, entries = ovi_trajectory_entries(t->scalars.kind);
    size_t stride = entries * t->scalars.numbers;
    for (size_t i = 0; i < leaves; i++) {
        for (size_t k = 0; k < t->scalars.numbers; k++) {
            fill_leaf(t, i, k, t->tree + (leaves + i) * stride + entries * k);
        }
    }
    ovi_maxima_build(t->tree, leaves, stride);
}

/** The cubic is the motion; 2 r is no more than the segment, so the error of the third derivative
 *  is no more than that of the second. */
static void number_in_segment(const view *o, size_t k, number *n) {
    ovi_segment g;
    number_at(o, k, &g, n);
    double r = o->span.radius, size = fabs(n->bend), third = third_of(&g, o->per_time);
    double off = 2.0 * bend_error(&g, o->per_time);
    n->surplus = r * third * (1.0 / 3.0) + off;
    n->top = fabs(n->rate) + n->speed + 0.5 * r * (size + n->surplus);
    if (o->beyond > 0.0) {
        double rate, bend;
        ovi_spline_bounds(&o->trajectory->scalars, &o->span, k, &rate, &bend);
        n->slip +=
            o->beyond * (rate + fabs(n->rate) + n->speed + r * (size + 0.5 * r * third + off));
    }
}

static void number_of_line(const view *o, size_t k, number *n) {
    const ovi_spline *spline = &o->trajectory->scalars;
    ovi_spline_line line;
    double rate, bend;
    ovi_spline_line_of(spline, &o->span, k, &line);
    ovi_spline_bounds(spline, &o->span, k, &rate, &bend);
    double top = fabs(line.velocity[0]) + line.speed + 0.5 * o->span.radius * line.acceleration;
    *n = (number){.at = line.value[0],
                  .rate = line.velocity[0],
                  .slip = line.slip,
                  .speed = line.speed,
                  .surplus = line.acceleration,
                  .top = rate < top ? rate : top};
}

/** Largest of an entry of the trees over the segments of a span, which is within the ends. */
static double most_of(const view *o, size_t stride, size_t entry) {
    const ov_trajectory *t = o->trajectory;
    size_t leaves = t->count - 1;
    size_t from = o->span.first < 0 ? 0 : (size_t)o->span.first;
    size_t to = (size_t)o->span.last < leaves ? (size_t)o->span.last + 1 : leaves;
    return ovi_maxima_of(t->tree, leaves, stride, entry, from, to);
}

/** Straight from row to row: the rate goes up and down within what the tree knows. */
static void number_over_rows(const view *o, size_t k, number *n) {
    ovi_segment g;
    number_at(o, k, &g, n);
    size_t stride = 2 * o->trajectory->scalars.numbers;
    double up = most_of(o, stride, 2 * k), down = most_of(o, stride, 2 * k + 1);
    n->speed += ovi_larger(up - n->rate, down + n->rate);
    n->surplus = 0.0;
    n->top = ovi_larger(up, down);
    n->slip += o->beyond * (n->top + fabs(n->rate) + n->speed);
}

/** Over several segments of a curved one. */
static void number_over_curves(const view *o, size_t k, number *n) {
    const ovi_spline *spline = &o->trajectory->scalars;
    ovi_segment g;
    number_at(o, k, &g, n);
    double r = o->span.radius, off = bend_error(&g, o->per_time);
    if (spline->kind == OVI_SPLINE_CUBIC) {
        n->surplus = r * most_of(o, spline->numbers, k) * (1.0 / 3.0) + off;
    } else {
        double up = most_of(o, 2 * spline->numbers, 2 * k);
        double down = most_of(o, 2 * spline->numbers, 2 * k + 1);
        n->surplus = ovi_larger(up - n->bend, down + n->bend) + off;
    }
    double size = fabs(n->bend) + n->surplus;
    n->top = fabs(n->rate) + n->speed + 0.5 * r * size;
    if (r * size > fabs(n->rate) || o->beyond > 0.0) {
        double rate, bend;
        ovi_spline_bounds(spline, &o->span, k, &rate, &bend);
        n->slip += o->beyond * (rate + fabs(n->rate) + n->speed + r * size);
        n->top = rate < n->top ? rate : n->top;
        if (bend < size) {
            n->bend = 0.0;
            n->surplus = bend;
        }
    }
}

static void number_of(const view *o, const ovi_step *step, size_t k, number *n) {
    size_t i = step->scalar + k;
    bool linear = o->trajectory->scalars.kind == OVI_SPLINE_LINEAR;
    // rows next to the middle alone: the line knows where in the span they are
    bool few = o->span.last <= o->span.segment + 1 && o->span.first >= o->span.segment - 1;
    if (o->place == WITHIN_SEGMENT) {
        number_in_segment(o, i, n);
    } else if (o->place == BEYOND_ENDS || (linear && few)) {
        number_of_line(o, i, n);
    } else if (linear) {
        number_over_rows(o, i, n);
    } else {
        number_over_curves(o, i, n);
    }
    if (step->led) {
        double m = step->multiplier, size = fabs(m), scaled = m * n->at;
        n->slip *= size;
        n->slip += 16.0 * DBL_EPSILON * (fabs(scaled) + fabs(step->offset));
        n->at = scaled + step->offset;
        n->rate *= m;
        n->bend *= m;
        n->speed *= size;
        n->surplus *= size;
        n->top *= size;
    }
}

/* ---- one joint */

/** A joint that turns, seen from its parent's frame. */
typedef struct turn {
    ov_quat whole;       /**< the child's frame in the parent's */
    ov_vec3 axis;        /**< the spin is this times n.rate; a unit, or the spin itself */
    double omega, alpha; /**< largest spin and its derivative, of the simple joint */
    number n;            /**< of the angle */
} turn;

/** What shifts the joint's child, likewise. */
typedef struct shift {
    ov_vec3 glide, push; /**< first and second derivative */
    double gliding, pushing;
    double slip, speed, surplus, top;
} shift;

static ov_quat blend(ov_quat a, double wa, ov_quat b, double wb) {
    return (ov_quat){wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y,
                     wa * a.z + wb * b.z};
}

static void turn_by_angle(const view *o, const ovi_step *step, size_t k, turn *j) {
    number_of(o, step, k, &j->n);
    double half = 0.5 * j->n.at;
    j->whole = blend(step->origin, cos(half), step->swung, sin(half));
    j->axis = step->axes[0];
    j->alpha = fabs(j->n.bend);
    j->omega = fabs(j->n.rate) + o->span.radius * j->alpha;
}

static ov_vec3 combined(const ov_vec3 axes[3], ov_vec3 by) {
    ov_vec3 sum = ov_vec3_scale(axes[0], by.x);
    return ov_vec3_add_scaled(ov_vec3_add_scaled(sum, axes[1], by.y), axes[2], by.z);
}

/** The twisting of the line is left out: it is that of a constant spin, which the walk has. */
static void turn_by_quaternion(const view *o, const ovi_step *step, turn *j) {
    const ovi_turns *turns = &o->trajectory->turns[step->turn];
    ovi_turns_line line;
    ovi_turns_line_of(turns, &o->span, &line);
    j->whole = ov_quat_mul(step->origin, line.rotation);
    j->axis = combined(step->axes, line.spin);
    j->alpha = 0.0;
    j->omega = ov_vec3_length(line.spin);
    double rate = ovi_turns_rate(turns, &o->span), top = j->omega + line.turning;
    j->n = (number){
        .rate = 1.0, .slip = line.twist, .speed = line.turning, .top = rate < top ? rate : top};
}

/** Lengths along orthogonal axes; `place` is where that takes the child's origin. */
static void shift_by(const view *o, const ovi_step *step, const ov_vec3 *axes, size_t count,
                     shift *j, ov_vec3 *place) {
    double sum[6] = {0.0};
    *j = (shift){.gliding = 0.0};
    for (size_t k = 0; k < count; k++) {
        number n;
        number_of(o, step, k, &n);
        *place = ov_vec3_add_scaled(*place, axes[k], n.at);
        j->glide = ov_vec3_add_scaled(j->glide, axes[k], n.rate);
        j->push = ov_vec3_add_scaled(j->push, axes[k], n.bend);
        double bend = fabs(n.bend), rate = fabs(n.rate) + o->span.radius * bend;
        const double sizes[6] = {rate, bend, n.slip, n.speed, n.surplus, n.top};
        for (int i = 0; i < 6; i++) {
            sum[i] = count == 1 ? sizes[i] : hypot(sum[i], sizes[i]);
        }
    }
    j->gliding = sum[0];
    j->pushing = sum[1];
    j->slip = sum[2];
    j->speed = sum[3];
    j->surplus = sum[4];
    j->top = sum[5];
}

/* ---- the chain */

/** The link, seen from a frame above it, in the link's own directions; and bounds over the span. */
typedef struct walk {
    ov_quat rotation; /**< of the link in that frame */
    ov_vec3 p, v, a, w, z;
    double length;                         /**< |p| of the simple chain */
    double speed, acceleration, jerk;      /**< of p */
    double omega, alpha, gamma;            /**< of the spin and its derivatives */
    double slip, slip_speed, slip_surplus; /**< of p by the rests of the joints */
    double twist, turning, twist_surplus;  /**< of the rotation, likewise */
    double top, turn_top;                  /**< |p(t) - p|, |R(t) - R| <= ... + |s| top */
    double reach;                          /**< sum of all lengths; |p| is never more */
    double glides, pushes;                 /**< sums of the shifts' derivatives */
    double joints;
} walk;

static void climb_turn(walk *k, const turn *j, ov_vec3 axis) {
    double o = j->omega, al = j->alpha, oo = o * o, steady = 3.0 * al * o;
    double second = sqrt(al * al + oo * oo), third = sqrt(oo * oo * oo + steady * steady);
    k->jerk += 3.0 * (o * k->acceleration + second * k->speed) + third * k->length;
    k->acceleration += 2.0 * o * k->speed + second * k->length;
    k->speed += o * k->length;
    k->gamma += 2.0 * o * k->alpha + (al + oo) * k->omega;
    k->alpha += o * k->omega + al;
    k->omega += o;
    k->slip += j->n.slip * k->length;
    k->slip_speed += j->n.speed * k->length;
    k->slip_surplus += j->n.surplus * k->length;
    k->twist += j->n.slip;
    k->turning += j->n.speed;
    k->twist_surplus += j->n.surplus;
    k->top += j->n.top * k->reach;
    k->turn_top += j->n.top;
    ov_vec3 spin = ov_vec3_scale(axis, j->n.rate), across = ov_vec3_cross(axis, k->p);
    ov_vec3 sweep = ov_vec3_scale(across, j->n.rate);
    ov_vec3 inner = ov_vec3_add_scaled(sweep, k->v, 2.0);
    k->a = ov_vec3_add(k->a, ov_vec3_add_scaled(ov_vec3_cross(spin, inner), across, j->n.bend));
    k->v = ov_vec3_add(k->v, sweep);
    ov_vec3 tilt = ov_vec3_cross(spin, k->w);
    k->z = ov_vec3_add(k->z, ov_vec3_add_scaled(tilt, axis, j->n.bend));
    k->w = ov_vec3_add(k->w, spin);
}

/** `m` is the rotation of the link in the parent's frame. */
static void climb_shift(walk *k, const shift *j, const ov_mat3 *m) {
    k->v = ov_vec3_add(k->v, ov_mat3_tmul_vec3(m, j->glide));
    k->a = ov_vec3_add(k->a, ov_mat3_tmul_vec3(m, j->push));
    k->speed += j->gliding;
    k->acceleration += j->pushing;
    k->slip += j->slip;
    k->slip_speed += j->speed;
    k->slip_surplus += j->surplus;
    k->top += j->top;
    k->glides += j->gliding;
    k->pushes += j->pushing;
}

/** From the child's origin to the parent's, which is no further than `reach` at any time. */
static void climb_place(walk *k, const ov_mat3 *m, ov_vec3 place, double reach, double radius) {
    k->p = ov_vec3_add(k->p, ov_mat3_tmul_vec3(m, place));
    k->reach += reach;
    k->joints += 1.0;
    // two bounds of |p|: along the chain, and from where it is now
    double along = k->length + reach, rounding = JOINT_ROUNDING * k->joints * k->reach;
    // what is added keeps squares from vanishing
    double near = sqrt(ov_vec3_dot(k->p, k->p) + 1e-300) + radius * k->speed + rounding;
    k->length = along < near ? along : near;
}

static void climb(walk *k, const view *o, const ovi_step *step) {
    turn turning;
    shift shifting;
    ov_vec3 place = step->position;
    double reach = step->length;
    bool turns = step->kind != OV_JOINT_KIND_FIXED && step->kind != OV_JOINT_KIND_PRISMATIC;
    bool shifts = true;
    turning.whole = step->origin;
    switch (step->kind) {
    case OV_JOINT_KIND_PRISMATIC:
        shift_by(o, step, step->axes, 1, &shifting, &place);
        break;
    case OV_JOINT_KIND_PLANAR:
        shift_by(o, step, step->axes + 1, 2, &shifting, &place);
        turn_by_angle(o, step, 2, &turning);
        break;
    case OV_JOINT_KIND_FLOATING:
        shift_by(o, step, step->axes, 3, &shifting, &place);
        turn_by_quaternion(o, step, &turning);
        break;
    case OV_JOINT_KIND_SPHERICAL:
        turn_by_quaternion(o, step, &turning);
        shifts = false;
        break;
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        turn_by_angle(o, step, 0, &turning);
        shifts = false;
        break;
    default:
        shifts = false;
        break;
    }
    k->rotation = ov_quat_mul(turning.whole, k->rotation);
    ov_mat3 m = ov_mat3_from_quat(k->rotation);
    if (turns) {
        climb_turn(k, &turning, ov_mat3_tmul_vec3(&m, turning.axis));
    }
    if (shifts) {
        climb_shift(k, &shifting, &m);
        reach = ov_vec3_length(place) + shifting.slip +
                o->span.radius * ovi_larger(shifting.top, shifting.gliding);
    }
    climb_place(k, &m, place, reach, o->span.radius);
}

/** A unit again: one step of Newton's is enough for what rounding has done to it. */
static ov_quat unit_again(ov_quat q) {
    double scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ov_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

static double least(double a, double b) { return a < b ? a : b; }

/** Bound of R'' by what it is at the middle and how it changes; spins of the joints partly cancel
 *  each other, so what they are together there is of use twice. */
static double twisting_of(const walk *k, double radius, double rounding) {
    double spin = ov_vec3_length(k->w), swing = ov_vec3_length(k->z);
    double error = 3.0 * rounding * (k->alpha + k->omega * k->omega);
    double alpha = least(k->alpha, swing + radius * k->gamma + error);
    double omega = least(k->omega, spin + radius * alpha + 2.0 * rounding * k->omega);
    double third = k->gamma + 3.0 * alpha * omega + omega * omega * omega;
    return least(alpha + omega * omega, swing + spin * spin + radius * third / 3.0 + error);
}

/** Puts together what the walk found, in the directions of the frame above. */
static void conclude(const walk *k, double radius, ovi_course *c) {
    double rounding = JOINT_ROUNDING * k->joints, third = radius / 3.0, wide = 1.0 + rounding;
    double sweep = k->omega * k->reach + k->glides, whirl = k->alpha + k->omega * k->omega;
    double push = whirl * k->reach + 2.0 * k->omega * k->glides + k->pushes;
    ov_mat3 m = ov_mat3_from_quat(k->rotation);
    c->pose = (ov_pose){ov_mat3_mul_vec3(&m, k->p), unit_again(k->rotation)};
    c->velocity = ov_mat3_mul_vec3(&m, k->v);
    c->spin = ov_mat3_mul_vec3(&m, k->w);
    c->slip = wide * (k->slip + rounding * k->reach);
    c->twist = wide * (k->twist + rounding);
    c->speed = wide * (k->slip_speed + 2.0 * rounding * sweep);
    c->turning = wide * (k->turning + 2.0 * rounding * k->omega);
    double bent = ov_vec3_length(k->a) + third * k->jerk + 3.0 * rounding * push;
    c->acceleration = wide * (least(k->acceleration, bent) + k->slip_surplus);
    c->twisting = wide * (twisting_of(k, radius, rounding) + k->twist_surplus);
    if (c->speed + 0.5 * radius * c->acceleration > wide * k->top) {
        c->velocity = ov_vec3_make(0.0, 0.0, 0.0);
        c->speed = wide * k->top;
        c->acceleration = 0.0;
    }
    if (c->turning + 0.5 * radius * c->twisting > wide * k->turn_top) {
        c->spin = ov_vec3_make(0.0, 0.0, 0.0);
        c->turning = wide * k->turn_top;
        c->twisting = 0.0;
    }
}

void ovi_trajectory_course(const ov_trajectory *trajectory, ov_pose root, uint32_t base,
                           uint32_t link, double middle, double radius, ovi_course *course) {
    view o = look(trajectory, middle, radius);
    walk k = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    while (link != base) {
        const ovi_step *step = &trajectory->steps[link];
        if (step->parent == OV_NO_LINK) {
            // the root rests in the world
            k.rotation = ov_quat_mul(root.rotation, k.rotation);
            ov_mat3 m = ov_mat3_from_quat(k.rotation);
            climb_place(&k, &m, root.position, ov_vec3_length(root.position), radius);
            break;
        }
        climb(&k, &o, step);
        link = step->parent;
    }
    conclude(&k, radius, course);
}
