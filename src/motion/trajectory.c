/**
 * @file trajectory.c
 * @brief Joint trajectories: making them from rows of positions, asking where the joints are, and
 * holding a whole trajectory against limits.
 *
 * Between two rows a number is a cubic of time, so its largest and least values, and those of its
 * derivatives, are at the ends of the segment or at roots of a quadratic. Between neighbours of
 * these it is monotone, so the moment at which it first passes a limit is found by bisection.
 * Quaternions turn at a constant spin from row to row; their angular speed is held against the
 * limit of each of the joint's three rotations. Where a velocity jumps at a row (linear
 * splines and quaternions) the acceleration is infinite.
 */
#include <string.h>

#include "../math/fault.h"
#include "../math/rounding_mode.h"
#include "trajectory.h"

/** Beyond a limit by no more is rounding. */
#define LIMIT_SLACK 1e-9

/* ---- joints */

/** Plain numbers of a joint, and whether a quaternion follows them. */
static size_t scalars_of(ov_joint_kind kind) {
    return kind == OV_JOINT_KIND_FLOATING    ? 3
           : kind == OV_JOINT_KIND_SPHERICAL ? 0
                                             : ov_joint_position_count(kind);
}

static bool has_quaternion(ov_joint_kind kind) {
    return kind == OV_JOINT_KIND_SPHERICAL || kind == OV_JOINT_KIND_FLOATING;
}

static bool leads(const ovi_joint *joint) { return joint->leader == OV_NO_LINK; }

/** Has it numbers of its own? */
static bool has_own(const ovi_joint *joint) {
    return leads(joint) && joint->def.kind != OV_JOINT_KIND_FIXED;
}

static void take_joint(const ovi_joint *joint, ovi_link_joint *own) {
    const ov_joint_def *def = &joint->def;
    ov_quat origin = def->origin.rotation;
    own->kind = def->kind;
    own->parent = def->parent;
    own->led = !leads(joint);
    own->multiplier = own->led ? joint->multiplier : 1.0;
    own->offset = own->led ? joint->offset : 0.0;
    own->position = def->origin.position;
    own->length = ov_vec3_length(def->origin.position);
    own->origin = origin;
    ov_mat3 columns = ov_mat3_from_quat(origin);
    own->axes[0] = columns.cx;
    own->axes[1] = columns.cy;
    own->axes[2] = columns.cz;
    if (def->kind >= OV_JOINT_KIND_REVOLUTE && def->kind <= OV_JOINT_KIND_PLANAR) {
        ov_vec3 axis = def->axis;
        own->swung = ov_quat_mul(origin, (ov_quat){0.0, axis.x, axis.y, axis.z});
        own->axes[0] = ov_quat_rotate(origin, axis);
    }
    if (def->kind == OV_JOINT_KIND_PLANAR) {
        columns = ov_mat3_from_quat(ov_quat_mul(origin, joint->across));
        own->axes[1] = columns.cx;
        own->axes[2] = columns.cy;
    }
}

/** Numbers joints' scalars and quaternions in the order of the joints. */
static void take_joints(ov_trajectory *t, size_t *scalars) {
    const ov_model *model = t->model;
    *scalars = t->slerp_count = 0;
    memset(t->joints, 0, model->link_count * sizeof *t->joints);
    t->joints[model->root].parent = OV_NO_LINK;
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        ovi_link_joint *own = &t->joints[joint->def.child];
        take_joint(joint, own);
        if (leads(joint)) {
            own->scalar = *scalars;
            own->slerp = t->slerp_count;
            *scalars += scalars_of(joint->def.kind);
            t->slerp_count += has_quaternion(joint->def.kind);
        }
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        if (!leads(joint)) {
            uint32_t leader = model->joints[joint->leader].def.child;
            t->joints[joint->def.child].scalar = t->joints[leader].scalar;
        }
    }
}

/* ---- rows */

/** What a trajectory is made from. */
typedef struct rows {
    const double *times, *positions, *velocities;
    size_t count;
    size_t row; /**< being looked at, and the one to blame; NO_ROW: none in particular */
} rows;

static const size_t NO_ROW = SIZE_MAX;

static ov_status check_number(double x) {
    return !isfinite(x)                 ? OV_ERROR_NOT_FINITE
           : fabs(x) <= OV_POSITION_MAX ? OV_OK
                                        : OV_ERROR_SIZE_RANGE;
}

static ov_status take_scalars(ov_trajectory *t, const rows *in, const ovi_joint *joint) {
    ovi_spline *spline = &t->scalars;
    size_t from = in->row * t->model->position_count + joint->position;
    size_t to = in->row * spline->numbers + t->joints[joint->def.child].scalar;
    for (size_t k = 0; k < scalars_of(joint->def.kind); k++) {
        ov_status status = check_number(in->positions[from + k]);
        if (status == OV_OK && in->velocities != NULL) {
            status = check_number(in->velocities[from + k]);
            spline->velocities[to + k] = in->velocities[from + k];
        }
        if (status != OV_OK) {
            return status;
        }
        spline->values[to + k] = in->positions[from + k];
    }
    return OV_OK;
}

static ov_status take_quaternion(ov_trajectory *t, const rows *in, const ovi_joint *joint) {
    const double *at = in->positions + in->row * t->model->position_count + joint->position +
                       scalars_of(joint->def.kind);
    ov_quat given = {at[0], at[1], at[2], at[3]}, unit;
    t->slerps[t->joints[joint->def.child].slerp].rotations[in->row] = given;
    return ov_quat_normalize(given, &unit);
}

static ov_status take_row(ov_trajectory *t, const rows *in) {
    const ov_model *model = t->model;
    double time = in->times[in->row];
    if (!isfinite(time)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (in->row > 0 && !(time > in->times[in->row - 1] && isfinite(time - in->times[0]))) {
        return OV_ERROR_TIME;
    }
    t->scalars.times[in->row] = time;
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        ov_status status = OV_OK;
        if (has_own(joint)) {
            status = take_scalars(t, in, joint);
            if (status == OV_OK && has_quaternion(joint->def.kind)) {
                status = take_quaternion(t, in, joint);
            }
        } else if (!leads(joint)) {
            const double *row = in->positions + in->row * model->position_count;
            double q = ovi_joint_position(joint, row);
            status = check_number(row[joint->position]);
            status =
                status == OV_OK && !(fabs(q) <= OV_POSITION_MAX) ? OV_ERROR_SIZE_RANGE : status;
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

/** Spin of a quaternion after a row. */
static ov_vec3 spin_in(const ov_trajectory *t, size_t row, size_t slerp) {
    ovi_spline_interval interval =
        ovi_spline_interval_about(&t->scalars, t->scalars.times[row], 0.0);
    ovi_slerp_taylor taylor;
    ovi_slerp_taylor_of(&t->slerps[slerp], &interval, &taylor);
    return taylor.spin;
}

/** Are all derivatives of a segment in range, also of joints that follow others? */
static bool in_range(const ov_trajectory *t, size_t row, const ovi_joint *joint) {
    const ovi_link_joint *own = &t->joints[joint->def.child];
    double scale = ovi_larger(fabs(own->multiplier), 1.0);
    for (size_t k = 0; k < scalars_of(joint->def.kind); k++) {
        ovi_segment g;
        ovi_segment_of(&t->scalars, row, own->scalar + k, &g);
        double b = fabs(g.b[0]), c = fabs(g.c[0]);
        const double rates[3] = {fabs(g.v[0]) + 2.0 * b + c, 2.0 * (b + c) / g.h,
                                 2.0 * c / (g.h * g.h)};
        for (int d = 0; d < 3; d++) {
            if (!(rates[d] * scale <= OVI_JOINT_RATE_MAX)) {
                return false;
            }
        }
    }
    return !has_quaternion(joint->def.kind) ||
           ov_vec3_length(spin_in(t, row, own->slerp)) <= OVI_JOINT_RATE_MAX;
}

/** The rest of the making: velocities of cubic splines, arcs of rotations, and ranges. */
static ov_status finish_rows(ov_trajectory *t, rows *in) {
    const ov_model *model = t->model;
    bool finite = ovi_spline_finish(&t->scalars);
    for (size_t i = 0; i < t->slerp_count; i++) {
        ov_status status = ovi_slerp_finish(&t->slerps[i], &in->row);
        if (status != OV_OK) {
            return status;
        }
    }
    for (in->row = 0; in->row + 1 < in->count; in->row++) {
        for (size_t i = 0; i < model->joint_count; i++) {
            const ovi_joint *joint = &model->joints[i];
            if (joint->def.kind != OV_JOINT_KIND_FIXED && !in_range(t, in->row, joint)) {
                return OV_ERROR_SIZE_RANGE;
            }
        }
    }
    in->row = NO_ROW;
    ovi_trajectory_build_tree(t);
    return finite ? OV_OK : OV_ERROR_SIZE_RANGE;
}

/* ---- making */

/** Block of all numbers, and the arrays in it. */
static ov_status make_room(ov_trajectory *t, ovi_spline_kind kind, size_t scalars) {
    size_t own = ovi_spline_doubles(kind, t->count, 1, scalars);
    size_t slerp = ovi_slerp_doubles(t->count), many = t->slerp_count;
    size_t entries = 2 * t->count * ovi_trajectory_entries(kind); // of one number in the tree
    size_t left = PTRDIFF_MAX - own;
    if (own == 0 || slerp == 0 || many > left / slerp ||
        scalars > (left - many * slerp) / entries) {
        return OV_ERROR_MEMORY;
    }
    size_t tree = scalars * entries;
    t->doubles = own + many * slerp + tree;
    t->block = ovi_resize(&t->allocator, NULL, 0, t->doubles, sizeof *t->block);
    if (many > 0) {
        t->slerps = ovi_resize(&t->allocator, NULL, 0, many, sizeof *t->slerps);
    }
    if (t->block == NULL || (many > 0 && t->slerps == NULL)) {
        return OV_ERROR_MEMORY;
    }
    ovi_spline_place(&t->scalars, kind, t->count, 1, scalars, t->block);
    for (size_t i = 0; i < many; i++) {
        ovi_slerp_place(&t->slerps[i], t->count, t->scalars.times, t->block + own + i * slerp);
    }
    t->tree = t->block + own + many * slerp;
    return OV_OK;
}

static ov_status fill(ov_trajectory *t, rows *in, ov_spline spline) {
    ovi_spline_kind kind = in->velocities != NULL       ? OVI_SPLINE_HERMITE
                           : spline == OV_SPLINE_LINEAR ? OVI_SPLINE_LINEAR
                                                        : OVI_SPLINE_CUBIC;
    size_t scalars;
    t->joints = ovi_resize(&t->allocator, NULL, 0, t->model->link_count, sizeof *t->joints);
    if (t->joints == NULL) {
        return OV_ERROR_MEMORY;
    }
    take_joints(t, &scalars);
    ov_status status = make_room(t, kind, scalars);
    if (status != OV_OK) {
        return status;
    }
    for (in->row = 0; in->row < in->count; in->row++) {
        status = take_row(t, in);
        if (status != OV_OK) {
            return status;
        }
    }
    return finish_rows(t, in);
}

static ov_status check_call(const ov_model *model, const rows *in, ov_spline spline) {
    if (model == NULL || in->times == NULL ||
        (in->positions == NULL && model->position_count > 0)) {
        return OV_ERROR_NULL;
    }
    if (in->count < 2 || in->count > OV_MOTION_KEYS_MAX) {
        return OV_ERROR_COUNT;
    }
    return (unsigned)spline < OV_SPLINE_COUNT ? OV_OK : OV_ERROR_OPTION;
}

ov_status ov_trajectory_create(const ov_model *model, const double *times, const double *positions,
                               const double *velocities, size_t count, ov_spline spline,
                               const ov_allocator *allocator, ov_trajectory **trajectory,
                               ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trajectory_create(model, times, positions, velocities, count,
                                                         spline, allocator, trajectory, fault));
    if (trajectory == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *trajectory = NULL;
    rows in = {times, positions, velocities, count, NO_ROW};
    ov_status status = check_call(model, &in, spline);
    if (status != OV_OK) {
        return ovi_fault_none(fault, status);
    }
    ov_allocator used = ovi_allocator_of(allocator);
    ov_trajectory *t = ovi_resize(&used, NULL, 0, 1, sizeof *t);
    if (t == NULL) {
        return ovi_fault_none(fault, OV_ERROR_MEMORY);
    }
    *t = (ov_trajectory){.allocator = used, .model = model, .count = count};
    status = fill(t, &in, spline);
    if (status != OV_OK) {
        ov_trajectory_destroy(t);
        ov_fault_place place = in.row != NO_ROW ? OV_FAULT_PLACE_ROW : OV_FAULT_PLACE_NONE;
        return ovi_fault_set(fault, status, place, in.row, NULL);
    }
    *trajectory = t;
    return ovi_fault_none(fault, OV_OK);
}

void ov_trajectory_destroy(ov_trajectory *t) {
    if (t != NULL) {
        ov_allocator used = t->allocator;
        ovi_release(&used, t->joints, t->model->link_count, sizeof *t->joints);
        ovi_release(&used, t->slerps, t->slerp_count, sizeof *t->slerps);
        ovi_release(&used, t->block, t->doubles, sizeof *t->block);
        ovi_release(&used, t, 1, sizeof *t);
    }
}

/* ---- asking */

double ov_trajectory_start(const ov_trajectory *t) { return t != NULL ? t->scalars.times[0] : NAN; }

double ov_trajectory_end(const ov_trajectory *t) {
    return t != NULL ? t->scalars.times[t->count - 1] : NAN;
}

/** Moves a joint's numbers from where the spline has them to where the model has them. */
static void spread(double *numbers, size_t from, const ovi_joint *joint, const ov_quat *unit) {
    size_t count = scalars_of(joint->def.kind);
    memmove(numbers + joint->position, numbers + from, count * sizeof *numbers);
    if (unit != NULL) {
        double *at = numbers + joint->position + count;
        at[0] = unit->w;
        at[1] = unit->x;
        at[2] = unit->y;
        at[3] = unit->z;
    }
}

ov_status ov_trajectory_at(const ov_trajectory *t, double time, double *positions,
                           double *velocities, double *accelerations) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_trajectory_at(t, time, positions, velocities, accelerations));
    if (t == NULL || (positions == NULL && t->model->position_count > 0)) {
        return OV_ERROR_NULL;
    }
    const ov_model *model = t->model;
    double start = ov_trajectory_start(t);
    time = isnan(time) ? start : time;
    ptrdiff_t segment = ovi_spline_segment(&t->scalars, time);
    ovi_spline_at(&t->scalars, time, positions, velocities, accelerations);
    // From the last: no number of the model stands before its place in the spline.
    const ov_quat none = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = model->joint_count; i-- > 0;) {
        const ovi_joint *joint = &model->joints[i];
        if (!has_own(joint)) {
            continue;
        }
        const ovi_link_joint *own = &t->joints[joint->def.child];
        bool rotates = has_quaternion(joint->def.kind);
        ov_quat unit = none;
        if (rotates) {
            (void)ov_quat_normalize(ovi_slerp_at(&t->slerps[own->slerp], segment, time), &unit);
        }
        spread(positions, own->scalar, joint, rotates ? &unit : NULL);
        if (velocities != NULL) {
            spread(velocities, own->scalar, joint, rotates ? &none : NULL);
        }
        if (accelerations != NULL) {
            spread(accelerations, own->scalar, joint, rotates ? &none : NULL);
        }
    }
    return OV_OK;
}

/* ---- limits */

/** A polynomial over a segment, from 0 to 1, to be held between two limits. */
typedef struct bounded {
    double c[4];
    double low, high;
} bounded;

static double value_at(const bounded *b, double x) {
    return b->c[0] + x * (b->c[1] + x * (b->c[2] + x * b->c[3]));
}

static bool is_beyond(const bounded *b, double x) {
    double y = value_at(b, x);
    return y > b->high + LIMIT_SLACK || y < b->low - LIMIT_SLACK;
}

/** Ends of the pieces on which a cubic is monotone, in order: how many. */
static size_t turning_points(const bounded *b, double points[4]) {
    double a = 3.0 * b->c[3], half = b->c[2], c = b->c[1], inside = half * half - a * c;
    size_t count = 0;
    points[count++] = 0.0;
    if (inside >= 0.0) {
        // neither root loses digits this way; one of them may be infinite or not a number
        double sum = -(half + copysign(sqrt(inside), half));
        double x = sum / a, y = c / sum;
        double first = x < y ? x : y, second = x < y ? y : x;
        first = isnan(x) ? y : isnan(y) ? x : first;
        second = isnan(x) || isnan(y) ? first : second;
        if (first > 0.0 && first < 1.0) {
            points[count++] = first;
        }
        if (second > points[count - 1] && second < 1.0) {
            points[count++] = second;
        }
    }
    points[count++] = 1.0;
    return count;
}

/** Where it is first beyond the limits, to rounding; `value` is then what is furthest beyond. */
static bool passes(const bounded *b, double *part, double *value) {
    double points[4];
    size_t count = turning_points(b, points);
    double most = 0.0;
    *part = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!is_beyond(b, points[i])) {
            continue;
        }
        double y = value_at(b, points[i]), by = y > b->high ? y - b->high : b->low - y;
        if (*part == INFINITY) {
            double within = i > 0 ? points[i - 1] : points[0], beyond = points[i];
            for (int k = 0; k < 64; k++) {
                double half = within + 0.5 * (beyond - within);
                *(is_beyond(b, half) ? &beyond : &within) = half;
            }
            *part = beyond;
        }
        if (by > most) {
            most = by;
            *value = y;
        }
    }
    return *part != INFINITY;
}

/** Limits by degrees of freedom, and what was found so far in a segment. */
typedef struct check {
    const ov_trajectory *trajectory;
    const double *limits[3]; /**< by the derivative; none for positions */
    size_t row;
    double start, h; /**< of the segment */
    uint32_t joint;
    ov_trajectory_excess excess;
} check;

static void note(check *k, int derivative, double part, double value, double limit) {
    double time = k->start + part * k->h;
    if (k->excess.joint == OV_NO_LINK || time < k->excess.time) {
        k->excess = (ov_trajectory_excess){k->joint, derivative, time, value, limit};
    }
}

static double limit_of(const check *k, int derivative, size_t dof) {
    return k->limits[derivative] != NULL ? k->limits[derivative][dof] : INFINITY;
}

static void check_bounds(check *k, int derivative, const bounded *b) {
    double part, value = 0.0;
    if (passes(b, &part, &value)) {
        note(k, derivative, part, value, value > b->high ? b->high : b->low);
    }
}

/** Does a velocity that is constant from row to row jump at this row? */
static void check_jump(check *k, double jump, double limit) {
    if (k->row > 0 && jump > LIMIT_SLACK && limit < INFINITY) {
        note(k, 2, 0.0, INFINITY, limit);
    }
}

static void check_number_rates(check *k, size_t number, size_t dof) {
    const ovi_spline *spline = &k->trajectory->scalars;
    ovi_segment g;
    ovi_segment_of(spline, k->row, number, &g);
    double speed = limit_of(k, 1, dof), push = limit_of(k, 2, dof);
    double b = 2.0 * g.b[0], c = g.c[0], v = g.v[0];
    bounded first = {{v, b, c, 0.0}, -speed, speed};
    bounded second = {{b / g.h, 2.0 * c / g.h, 0.0, 0.0}, -push, push};
    check_bounds(k, 1, &first);
    check_bounds(k, 2, &second);
    if (k->row > 0 && spline->kind == OVI_SPLINE_LINEAR) {
        ovi_segment_of(spline, k->row - 1, number, &g);
        check_jump(k, fabs(v - g.v[0]), push);
    }
}

static void check_spin(check *k, size_t slerp, size_t dof) {
    double speed = INFINITY, push = INFINITY;
    for (size_t m = dof; m < dof + 3; m++) {
        speed = fmin(speed, limit_of(k, 1, m));
        push = fmin(push, limit_of(k, 2, m));
    }
    ov_vec3 spin = spin_in(k->trajectory, k->row, slerp);
    double size = ov_vec3_length(spin);
    if (size > speed + LIMIT_SLACK) {
        note(k, 1, 0.0, size, speed);
    }
    if (k->row > 0) {
        ov_vec3 before = spin_in(k->trajectory, k->row - 1, slerp);
        check_jump(k, ov_vec3_length(ov_vec3_sub(spin, before)), push);
    }
}

static void check_joint(check *k, const ovi_joint *joint) {
    const ovi_link_joint *own = &k->trajectory->joints[joint->def.child];
    ov_joint_kind kind = joint->def.kind;
    if (kind == OV_JOINT_KIND_REVOLUTE || kind == OV_JOINT_KIND_PRISMATIC) {
        ovi_segment g;
        ovi_segment_of(&k->trajectory->scalars, k->row, own->scalar, &g);
        double m = own->multiplier, mh = m * g.h;
        bounded position = {{m * g.p[0] + own->offset, mh * g.v[0], mh * g.b[0], mh * g.c[0] / 3.0},
                            joint->def.lower,
                            joint->def.upper};
        check_bounds(k, 0, &position);
    }
    if (!leads(joint)) {
        return; // its rates are those of the joint that it follows
    }
    size_t scalars = scalars_of(kind);
    for (size_t i = 0; i < scalars; i++) {
        check_number_rates(k, own->scalar + i, joint->dof + i);
    }
    if (has_quaternion(kind)) {
        check_spin(k, own->slerp, joint->dof + scalars);
    }
}

/** The joint of a limit that is not a number, or OV_NO_LINK. */
static uint32_t not_a_number(const ov_model *model, const double *limits) {
    for (size_t i = 0; limits != NULL && i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        size_t count = has_own(joint) ? ov_joint_dof_count(joint->def.kind) : 0;
        for (size_t m = 0; m < count; m++) {
            if (isnan(limits[joint->dof + m])) {
                return (uint32_t)i;
            }
        }
    }
    return OV_NO_LINK;
}

ov_status ov_trajectory_check(const ov_trajectory *t, const double *speed_limits,
                              const double *acceleration_limits, ov_trajectory_excess *excess,
                              ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_trajectory_check(t, speed_limits, acceleration_limits, excess, fault));
    if (t == NULL || excess == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *excess = (ov_trajectory_excess){.joint = OV_NO_LINK};
    const ov_model *model = t->model;
    check k = {.trajectory = t, .limits = {NULL, speed_limits, acceleration_limits}};
    for (int d = 1; d < 3; d++) {
        uint32_t joint = not_a_number(model, k.limits[d]);
        if (joint != OV_NO_LINK) {
            return ovi_fault_set(fault, OV_ERROR_NOT_FINITE, OV_FAULT_PLACE_JOINT, joint,
                                 d == 1 ? "the limit of a speed is not a number"
                                        : "the limit of an acceleration is not a number");
        }
    }
    k.excess.joint = OV_NO_LINK;
    for (k.row = 0; k.row + 1 < t->count && k.excess.joint == OV_NO_LINK; k.row++) {
        k.start = t->scalars.times[k.row];
        k.h = t->scalars.times[k.row + 1] - k.start;
        for (size_t i = 0; i < model->joint_count; i++) {
            k.joint = (uint32_t)i;
            if (model->joints[i].def.kind != OV_JOINT_KIND_FIXED) {
                check_joint(&k, &model->joints[i]);
            }
        }
    }
    *excess = k.excess;
    return ovi_fault_none(fault, OV_OK);
}
