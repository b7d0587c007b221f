/**
 * @file trajectory_bound.c
 * @brief Taylor models of the links of a robot along a joint trajectory (ovi_taylor in
 * motion_internal.h).
 *
 * During an interval about its middle every joint is compared with one that moves more simply, s
 * being the time from the middle:
 *
 *     q(t) = value + s velocity + s^2 acceleration / 2 + rest,
 *     |rest| <= value_error + |s| velocity_error + s^2 acceleration_error / 2.
 *
 * The first three terms are those of the spline at the middle. The error of the acceleration comes
 * from the largest third derivative j in the interval, as radius j / 3, where the second is
 * continuous; for a spline of given velocities from how far the second one goes from its value at
 * the middle. A linear spline has instead of that an error of the velocity: how far its first
 * derivative goes from the one at the middle. Where an interval reaches beyond the ends of the
 * trajectory, and for long intervals if it is better, the Taylor model of spline.h is taken, which
 * has no term of second order. Quaternions turn at a constant spin, with jumps of it in the error
 * of the velocity.
 *
 * 1. The simple joints make a smooth chain. It is followed from the link upwards, so that no memory
 *    is needed, with all vectors in the link's own frame, so that they need not be turned on the
 *    way. Let p, v, a, w, z be position, velocity, acceleration, spin and its derivative of the
 *    link as seen by the child of a joint, which turns with spin o and o' and shifts by d. Seen by
 *    its parent they are
 *
 *        p + d               w + o
 *        v + d' + o x p      z + o' + o x w
 *        a + d'' + o' x p + o x (o x p + 2 v).
 *
 * 2. The same with norms bounds them over the interval. A joint turns about one axis and o'' is
 *    zero, so its rotation C has |C''| <= sqrt(o'^2 + o^4), |C'''| <= sqrt(o^6 + 9 o'^2 o^2). With
 *    a third derivative of the chain of at most j, Taylor's rest of second order is no more than
 *    s^2 / 2 (|a| + radius j / 3); the smaller of this and the bound of the second derivative is
 *    taken. Rotations likewise: R'' = ([z]x + [w]x^2) R.
 * 3. The rests: what is below joint k, at a distance of up to L_k, is moved by L_k |rest|. Going
 *    from the simple chain to the true one joint after joint, from the base, that is added up.
 * 4. Over long intervals it can be better not to follow the velocities: where what they leave open
 *    is more than what the largest rates allow, velocity or spin is zero and the rates are used.
 *
 * Rounding: a unit quaternion of a joint is off by no more than 4 ulp of sine and cosine, one for
 * the angle's half, 4 of axis and origin not being units, 3 in putting these together and 4 in the
 * product, which makes 32 epsilon for a rotation; the matrix adds 8, a product with it 3, the sums
 * a few. Vectors are turned to the link's frame by such rotations, and back. With 96 epsilon per
 * joint, times the length of the whole chain, positions are safe, and velocities with twice and
 * accelerations with three times that, as so many factors are off.
 */
#include "trajectory.h"

#define JOINT_ROUNDING (96.0 * DBL_EPSILON)

/* ---- one number */

/** Where an interval lies. */
typedef enum place {
    WITHIN_SEGMENT,
    WITHIN_ENDS, /**< over several segments, of which the middle's is one */
    BEYOND_ENDS
} place;

/** The interval, and what all numbers need to know about it. */
typedef struct view {
    const ov_trajectory *trajectory;
    ovi_spline_interval interval;
    place place;
    size_t row;      /**< the middle's segment begins with it */
    double part;     /**< of that segment that is before the middle, 0 to 1 */
    double per_time; /**< the inverse of its length */
    double beyond;   /**< how far the interval reaches out of where it is said to be, by rounding */
} view;

/** See the head of the file; and |q(t) - value| <= value_error + |s| top_speed. */
typedef struct number {
    double value, velocity, acceleration;
    double value_error, velocity_error, acceleration_error;
    double top_speed;
} number;

/** How far an interval reaches out of the one from `from` to `to`. */
static double out_of(const ovi_spline_interval *interval, double from, double to) {
    double before = from - interval->from, after = interval->to - to;
    double most = before > after ? before : after;
    return most > 0.0 ? most : 0.0;
}

/**
 * Callers make intervals a little wider for rounding. If that alone takes them out of a segment, or
 * of the trajectory, they count as inside, and what the true motion does beyond is added to the
 * error of the value.
 */
static view look(const ov_trajectory *t, double middle, double radius) {
    view o = {.trajectory = t, .place = BEYOND_ENDS};
    o.interval = ovi_spline_interval_about(&t->scalars, middle, radius);
    size_t last = t->count - 1;
    if (o.interval.segment < 0 || (size_t)o.interval.segment >= last) {
        return o;
    }
    o.row = (size_t)o.interval.segment;
    const double *times = t->scalars.times;
    double from = times[o.row], to = times[o.row + 1];
    double slack = DBL_EPSILON * (256.0 * radius + 4.0 * fabs(middle));
    o.per_time = 1.0 / (to - from);
    o.part = (middle - from) / (to - from);
    o.beyond = out_of(&o.interval, from, to);
    if (o.beyond <= slack) {
        o.place = WITHIN_SEGMENT;
        return o;
    }
    o.beyond = out_of(&o.interval, times[0], times[last]);
    o.place = o.beyond <= slack ? WITHIN_ENDS : BEYOND_ENDS;
    return o;
}

/** Third derivative of a segment, by the inverse of its length; and how far off the second and the
 *  third may be: the coefficient of the latter by less than 32 epsilon of the segment's size. */
static double third_of(const ovi_segment *g, double per) { return 2.0 * fabs(g->c[0]) * per * per; }

static double acceleration_rounding(const ovi_segment *g, double per) {
    return (OVI_VELOCITY_ROUNDING * g->size + 6.0 * g->drift) * per;
}

/** Value and derivatives at the middle. */
static void number_at(const view *o, size_t k, ovi_segment *g, number *n) {
    ovi_segment_of(&o->trajectory->scalars, o->row, k, g);
    n->value = ovi_segment_value(g, 0, o->part);
    n->velocity = ovi_segment_velocity(g, 0, o->part);
    n->acceleration = ovi_segment_acceleration(g, 0, o->part);
    n->value_error = ovi_segment_error(g, 1);
    n->velocity_error = OVI_VELOCITY_ROUNDING * g->size + g->drift;
}

/** Largest derivatives of number k after a row. */
static void fill_leaf(const ov_trajectory *t, size_t row, size_t k, double *leaf) {
    ovi_segment g;
    ovi_segment_of(&t->scalars, row, k, &g);
    double per = 1.0 / g.h, off = acceleration_rounding(&g, per),
           first = ovi_segment_acceleration(&g, 0, 0.0);
    double last = ovi_segment_acceleration(&g, 0, 1.0);
    if (t->scalars.kind == OVI_SPLINE_CUBIC) {
        leaf[0] = third_of(&g, per) + 2.0 * off * per;
        return;
    }
    if (t->scalars.kind == OVI_SPLINE_LINEAR) {
        first = last = g.v[0];
        off = OVI_VELOCITY_ROUNDING * g.size + g.drift;
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
    double r = o->interval.radius, size = fabs(n->acceleration), third = third_of(&g, o->per_time);
    double off = 2.0 * acceleration_rounding(&g, o->per_time);
    n->acceleration_error = r * third * (1.0 / 3.0) + off;
    n->top_speed = fabs(n->velocity) + n->velocity_error + 0.5 * r * (size + n->acceleration_error);
    if (o->beyond > 0.0) {
        double rate, bend;
        ovi_spline_bounds(&o->trajectory->scalars, &o->interval, k, &rate, &bend);
        n->value_error += o->beyond * (rate + fabs(n->velocity) + n->velocity_error +
                                       r * (size + 0.5 * r * third + off));
    }
}

static void number_of_line(const view *o, size_t k, number *n) {
    const ovi_spline *spline = &o->trajectory->scalars;
    ovi_spline_taylor line;
    double rate, bend;
    ovi_spline_taylor_of(spline, &o->interval, k, &line);
    ovi_spline_bounds(spline, &o->interval, k, &rate, &bend);
    double top =
        fabs(line.velocity[0]) + line.velocity_error + 0.5 * o->interval.radius * line.acceleration;
    *n = (number){.value = line.value[0],
                  .velocity = line.velocity[0],
                  .value_error = line.value_error,
                  .velocity_error = line.velocity_error,
                  .acceleration_error = line.acceleration,
                  .top_speed = rate < top ? rate : top};
}

/** Largest of an entry of the trees over the segments of an interval, which is within the ends. */
static double most_of(const view *o, size_t stride, size_t entry) {
    const ov_trajectory *t = o->trajectory;
    size_t leaves = t->count - 1;
    size_t from = o->interval.first < 0 ? 0 : (size_t)o->interval.first;
    size_t to = (size_t)o->interval.last < leaves ? (size_t)o->interval.last + 1 : leaves;
    return ovi_maxima_of(t->tree, leaves, stride, entry, from, to);
}

/** Straight from row to row: the rate goes up and down within what the tree knows. */
static void number_over_rows(const view *o, size_t k, number *n) {
    ovi_segment g;
    number_at(o, k, &g, n);
    size_t stride = 2 * o->trajectory->scalars.numbers;
    double up = most_of(o, stride, 2 * k), down = most_of(o, stride, 2 * k + 1);
    n->velocity_error += ovi_larger(up - n->velocity, down + n->velocity);
    n->acceleration_error = 0.0;
    n->top_speed = ovi_larger(up, down);
    n->value_error += o->beyond * (n->top_speed + fabs(n->velocity) + n->velocity_error);
}

/** Over several segments of a curved one. */
static void number_over_curves(const view *o, size_t k, number *n) {
    const ovi_spline *spline = &o->trajectory->scalars;
    ovi_segment g;
    number_at(o, k, &g, n);
    double r = o->interval.radius, off = acceleration_rounding(&g, o->per_time);
    if (spline->kind == OVI_SPLINE_CUBIC) {
        n->acceleration_error = r * most_of(o, spline->numbers, k) * (1.0 / 3.0) + off;
    } else {
        double up = most_of(o, 2 * spline->numbers, 2 * k);
        double down = most_of(o, 2 * spline->numbers, 2 * k + 1);
        n->acceleration_error = ovi_larger(up - n->acceleration, down + n->acceleration) + off;
    }
    double size = fabs(n->acceleration) + n->acceleration_error;
    n->top_speed = fabs(n->velocity) + n->velocity_error + 0.5 * r * size;
    if (r * size > fabs(n->velocity) || o->beyond > 0.0) {
        double rate, bend;
        ovi_spline_bounds(spline, &o->interval, k, &rate, &bend);
        n->value_error += o->beyond * (rate + fabs(n->velocity) + n->velocity_error + r * size);
        n->top_speed = rate < n->top_speed ? rate : n->top_speed;
        if (bend < size) {
            n->acceleration = 0.0;
            n->acceleration_error = bend;
        }
    }
}

static void number_of(const view *o, const ovi_link_joint *own, size_t k, number *n) {
    size_t i = own->scalar + k;
    bool linear = o->trajectory->scalars.kind == OVI_SPLINE_LINEAR;
    // rows next to the middle alone: the line knows where in the interval they are
    bool few =
        o->interval.last <= o->interval.segment + 1 && o->interval.first >= o->interval.segment - 1;
    if (o->place == WITHIN_SEGMENT) {
        number_in_segment(o, i, n);
    } else if (o->place == BEYOND_ENDS || (linear && few)) {
        number_of_line(o, i, n);
    } else if (linear) {
        number_over_rows(o, i, n);
    } else {
        number_over_curves(o, i, n);
    }
    if (own->led) {
        double m = own->multiplier, size = fabs(m), scaled = m * n->value;
        n->value_error *= size;
        n->value_error += 16.0 * DBL_EPSILON * (fabs(scaled) + fabs(own->offset));
        n->value = scaled + own->offset;
        n->velocity *= m;
        n->acceleration *= m;
        n->velocity_error *= size;
        n->acceleration_error *= size;
        n->top_speed *= size;
    }
}

/* ---- one joint */

/** A joint that turns, seen from its parent's frame. */
typedef struct joint_rotation {
    ov_quat whole;       /**< the child's frame in the parent's */
    ov_vec3 axis;        /**< the spin is this times n.velocity; a unit, or the spin itself */
    double omega, alpha; /**< largest spin and its derivative, of the simple joint */
    number n;            /**< of the angle */
} joint_rotation;

/** How it shifts its child, likewise. */
typedef struct joint_translation {
    ov_vec3 velocity, acceleration;
    double speed_bound, acceleration_bound; /**< of the simple joint */
    double position_error, velocity_error, acceleration_error, top_speed;
} joint_translation;

static ov_quat blend(ov_quat a, double wa, ov_quat b, double wb) {
    return (ov_quat){wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y,
                     wa * a.z + wb * b.z};
}

static void rotate_by_angle(const view *o, const ovi_link_joint *own, size_t k, joint_rotation *j) {
    number_of(o, own, k, &j->n);
    double half = 0.5 * j->n.value;
    j->whole = blend(own->origin, cos(half), own->swung, sin(half));
    j->axis = own->axes[0];
    j->alpha = fabs(j->n.acceleration);
    j->omega = fabs(j->n.velocity) + o->interval.radius * j->alpha;
}

static ov_vec3 combined(const ov_vec3 axes[3], ov_vec3 by) {
    ov_vec3 sum = ov_vec3_scale(axes[0], by.x);
    return ov_vec3_add_scaled(ov_vec3_add_scaled(sum, axes[1], by.y), axes[2], by.z);
}

/** The second derivative of the rotation is left out: it is that of a constant spin, which the
 * chain has. */
static void rotate_by_quaternion(const view *o, const ovi_link_joint *own, joint_rotation *j) {
    const ovi_slerp *slerp = &o->trajectory->slerps[own->slerp];
    ovi_slerp_taylor taylor;
    ovi_slerp_taylor_of(slerp, &o->interval, &taylor);
    j->whole = ov_quat_mul(own->origin, taylor.rotation);
    j->axis = combined(own->axes, taylor.spin);
    j->alpha = 0.0;
    j->omega = ov_vec3_length(taylor.spin);
    double rate = ovi_slerp_rate(slerp, &o->interval), top = j->omega + taylor.spin_error;
    j->n = (number){.velocity = 1.0,
                    .value_error = taylor.rotation_error,
                    .velocity_error = taylor.spin_error,
                    .top_speed = rate < top ? rate : top};
}

/** Lengths along orthogonal axes; `place` is where that takes the child's origin. */
static void translate_by(const view *o, const ovi_link_joint *own, const ov_vec3 *axes,
                         size_t count, joint_translation *j, ov_vec3 *place) {
    double sum[6] = {0.0};
    *j = (joint_translation){.speed_bound = 0.0};
    for (size_t k = 0; k < count; k++) {
        number n;
        number_of(o, own, k, &n);
        *place = ov_vec3_add_scaled(*place, axes[k], n.value);
        j->velocity = ov_vec3_add_scaled(j->velocity, axes[k], n.velocity);
        j->acceleration = ov_vec3_add_scaled(j->acceleration, axes[k], n.acceleration);
        double second = fabs(n.acceleration), rate = fabs(n.velocity) + o->interval.radius * second;
        const double sizes[6] = {
            rate, second, n.value_error, n.velocity_error, n.acceleration_error, n.top_speed};
        for (int i = 0; i < 6; i++) {
            sum[i] = count == 1 ? sizes[i] : hypot(sum[i], sizes[i]);
        }
    }
    j->speed_bound = sum[0];
    j->acceleration_bound = sum[1];
    j->position_error = sum[2];
    j->velocity_error = sum[3];
    j->acceleration_error = sum[4];
    j->top_speed = sum[5];
}

/* ---- the chain */

/** The link, seen from a frame above it, in the link's own directions; and bounds over the
 * interval. */
typedef struct chain {
    ov_quat rotation; /**< of the link in that frame */
    ov_vec3 p, v, a, w, z;
    double length;                    /**< |p| of the simple chain */
    double speed, acceleration, jerk; /**< of p */
    double omega, alpha, gamma;       /**< of the spin and its derivatives */
    /** Of p by the rests of the joints, and of the rotation. */
    double position_error, velocity_error, acceleration_error;
    double rotation_error, spin_error, rotation_acceleration_error;
    double top_speed, top_spin; /**< |p(t) - p|, |R(t) - R| <= ... + |s| times these */
    double reach;               /**< sum of all lengths; |p| is never more */
    double shift_speeds, shift_accelerations; /**< sums of those of the translations */
    double joints;
} chain;

static void add_rotation(chain *k, const joint_rotation *j, ov_vec3 axis) {
    double o = j->omega, al = j->alpha, oo = o * o, steady = 3.0 * al * o;
    double second = sqrt(al * al + oo * oo), third = sqrt(oo * oo * oo + steady * steady);
    k->jerk += 3.0 * (o * k->acceleration + second * k->speed) + third * k->length;
    k->acceleration += 2.0 * o * k->speed + second * k->length;
    k->speed += o * k->length;
    k->gamma += 2.0 * o * k->alpha + (al + oo) * k->omega;
    k->alpha += o * k->omega + al;
    k->omega += o;
    k->position_error += j->n.value_error * k->length;
    k->velocity_error += j->n.velocity_error * k->length;
    k->acceleration_error += j->n.acceleration_error * k->length;
    k->rotation_error += j->n.value_error;
    k->spin_error += j->n.velocity_error;
    k->rotation_acceleration_error += j->n.acceleration_error;
    k->top_speed += j->n.top_speed * k->reach;
    k->top_spin += j->n.top_speed;
    ov_vec3 spin = ov_vec3_scale(axis, j->n.velocity), across = ov_vec3_cross(axis, k->p);
    ov_vec3 sweep = ov_vec3_scale(across, j->n.velocity);
    ov_vec3 inner = ov_vec3_add_scaled(sweep, k->v, 2.0);
    k->a = ov_vec3_add(k->a,
                       ov_vec3_add_scaled(ov_vec3_cross(spin, inner), across, j->n.acceleration));
    k->v = ov_vec3_add(k->v, sweep);
    ov_vec3 tilt = ov_vec3_cross(spin, k->w);
    k->z = ov_vec3_add(k->z, ov_vec3_add_scaled(tilt, axis, j->n.acceleration));
    k->w = ov_vec3_add(k->w, spin);
}

/** `m` is the rotation of the link in the parent's frame. */
static void add_translation(chain *k, const joint_translation *j, const ov_mat3 *m) {
    k->v = ov_vec3_add(k->v, ov_mat3_tmul_vec3(m, j->velocity));
    k->a = ov_vec3_add(k->a, ov_mat3_tmul_vec3(m, j->acceleration));
    k->speed += j->speed_bound;
    k->acceleration += j->acceleration_bound;
    k->position_error += j->position_error;
    k->velocity_error += j->velocity_error;
    k->acceleration_error += j->acceleration_error;
    k->top_speed += j->top_speed;
    k->shift_speeds += j->speed_bound;
    k->shift_accelerations += j->acceleration_bound;
}

/** From the child's origin to the parent's, which is no further than `reach` at any time. */
static void add_offset(chain *k, const ov_mat3 *m, ov_vec3 place, double reach, double radius) {
    k->p = ov_vec3_add(k->p, ov_mat3_tmul_vec3(m, place));
    k->reach += reach;
    k->joints += 1.0;
    // two bounds of |p|: along the chain, and from where it is now
    double along = k->length + reach, rounding = JOINT_ROUNDING * k->joints * k->reach;
    // what is added keeps squares from vanishing
    double near = sqrt(ov_vec3_dot(k->p, k->p) + 1e-300) + radius * k->speed + rounding;
    k->length = along < near ? along : near;
}

static void add_joint(chain *k, const view *o, const ovi_link_joint *own) {
    joint_rotation rotation;
    joint_translation translation;
    ov_vec3 place = own->position;
    double reach = own->length;
    bool rotates = own->kind != OV_JOINT_KIND_FIXED && own->kind != OV_JOINT_KIND_PRISMATIC;
    bool translates = true;
    rotation.whole = own->origin;
    switch (own->kind) {
    case OV_JOINT_KIND_PRISMATIC:
        translate_by(o, own, own->axes, 1, &translation, &place);
        break;
    case OV_JOINT_KIND_PLANAR:
        translate_by(o, own, own->axes + 1, 2, &translation, &place);
        rotate_by_angle(o, own, 2, &rotation);
        break;
    case OV_JOINT_KIND_FLOATING:
        translate_by(o, own, own->axes, 3, &translation, &place);
        rotate_by_quaternion(o, own, &rotation);
        break;
    case OV_JOINT_KIND_SPHERICAL:
        rotate_by_quaternion(o, own, &rotation);
        translates = false;
        break;
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        rotate_by_angle(o, own, 0, &rotation);
        translates = false;
        break;
    default:
        translates = false;
        break;
    }
    k->rotation = ov_quat_mul(rotation.whole, k->rotation);
    ov_mat3 m = ov_mat3_from_quat(k->rotation);
    if (rotates) {
        add_rotation(k, &rotation, ov_mat3_tmul_vec3(&m, rotation.axis));
    }
    if (translates) {
        add_translation(k, &translation, &m);
        reach = ov_vec3_length(place) + translation.position_error +
                o->interval.radius * ovi_larger(translation.top_speed, translation.speed_bound);
    }
    add_offset(k, &m, place, reach, o->interval.radius);
}

/** A unit again: one step of Newton's is enough for what rounding has done to it. */
static ov_quat unit_again(ov_quat q) {
    double scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ov_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

static double least(double a, double b) { return a < b ? a : b; }

/** Bound of R'' by what it is at the middle and how it changes; spins of the joints partly cancel
 *  each other, so what they are together there is of use twice. */
static double rotation_acceleration_of(const chain *k, double radius, double rounding) {
    double spin = ov_vec3_length(k->w), swing = ov_vec3_length(k->z);
    double error = 3.0 * rounding * (k->alpha + k->omega * k->omega);
    double alpha = least(k->alpha, swing + radius * k->gamma + error);
    double omega = least(k->omega, spin + radius * alpha + 2.0 * rounding * k->omega);
    double third = k->gamma + 3.0 * alpha * omega + omega * omega * omega;
    return least(alpha + omega * omega, swing + spin * spin + radius * third / 3.0 + error);
}

/** Puts together what the chain found, in the directions of the frame above. */
static void conclude(const chain *k, double radius, ovi_taylor *c) {
    double rounding = JOINT_ROUNDING * k->joints, third = radius / 3.0, wide = 1.0 + rounding;
    double speeds = k->omega * k->reach + k->shift_speeds, whirl = k->alpha + k->omega * k->omega;
    double accelerations =
        whirl * k->reach + 2.0 * k->omega * k->shift_speeds + k->shift_accelerations;
    ov_mat3 m = ov_mat3_from_quat(k->rotation);
    c->pose = (ov_pose){ov_mat3_mul_vec3(&m, k->p), unit_again(k->rotation)};
    c->velocity = ov_mat3_mul_vec3(&m, k->v);
    c->spin = ov_mat3_mul_vec3(&m, k->w);
    c->position_error = wide * (k->position_error + rounding * k->reach);
    c->rotation_error = wide * (k->rotation_error + rounding);
    c->velocity_error = wide * (k->velocity_error + 2.0 * rounding * speeds);
    c->spin_error = wide * (k->spin_error + 2.0 * rounding * k->omega);
    double bent = ov_vec3_length(k->a) + third * k->jerk + 3.0 * rounding * accelerations;
    c->acceleration = wide * (least(k->acceleration, bent) + k->acceleration_error);
    c->rotation_acceleration =
        wide * (rotation_acceleration_of(k, radius, rounding) + k->rotation_acceleration_error);
    if (c->velocity_error + 0.5 * radius * c->acceleration > wide * k->top_speed) {
        c->velocity = ov_vec3_make(0.0, 0.0, 0.0);
        c->velocity_error = wide * k->top_speed;
        c->acceleration = 0.0;
    }
    if (c->spin_error + 0.5 * radius * c->rotation_acceleration > wide * k->top_spin) {
        c->spin = ov_vec3_make(0.0, 0.0, 0.0);
        c->spin_error = wide * k->top_spin;
        c->rotation_acceleration = 0.0;
    }
}

void ovi_trajectory_taylor(const ov_trajectory *trajectory, ov_pose root, uint32_t base,
                           uint32_t link, double middle, double radius, ovi_taylor *taylor) {
    view o = look(trajectory, middle, radius);
    chain k = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    while (link != base) {
        const ovi_link_joint *own = &trajectory->joints[link];
        if (own->parent == OV_NO_LINK) {
            // the root rests in the world
            k.rotation = ov_quat_mul(root.rotation, k.rotation);
            ov_mat3 m = ov_mat3_from_quat(k.rotation);
            add_offset(&k, &m, root.position, ov_vec3_length(root.position), radius);
            break;
        }
        add_joint(&k, &o, own);
        link = own->parent;
    }
    conclude(&k, radius, taylor);
}
