/**
 * @file sim_joint.c
 * @brief Joints: their definitions, and the conditions that they put on velocities and positions.
 *
 * A joint is a set of rows, each a scalar condition with the direction of its impulse. Impulses on
 * A and B are opposite and act at one common point of the world, so that they change neither the
 * momentum nor the angular momentum of the whole, even where the anchors are not quite together.
 *
 * Rates, with w = w_b - w_a: the angle about the axis, w.a; the angle between two axes, w.u with u
 * along a_a x a_b; the twist of the decomposition into swing and twist,
 * w.(a_a + a_b) / (1 + a_a.a_b).
 */
#include <math.h>
#include <string.h>

#include "../world/geometry.h"
#include "sim_internal.h"

/* ---- where the frames of a joint are */

typedef struct joint_frames {
    ov_vec3 point_a, point_b; /**< anchors in the world */
    ov_quat turn_a, turn_b;
    ov_vec3 axis_a, axis_b;     /**< in the world */
    ov_vec3 centre_a, centre_b; /**< of mass */
    ov_quat relative;           /**< B's frame in A's */
} joint_frames;

static ov_pose frame_of(const ov_sim *sim, uint32_t slot, const ov_pose *local, ov_vec3 *centre) {
    if (slot == OVI_NO_BODY) {
        *centre = ov_vec3_make(0.0, 0.0, 0.0);
        return *local;
    }
    *centre = sim->bodies[slot].x;
    return ovi_pose_mul(ovi_sim_pose(&sim->bodies[slot]), *local);
}

static joint_frames frames_of(const ov_sim *sim, const ovi_sim_joint *joint) {
    joint_frames f;
    ov_pose a = frame_of(sim, joint->a, &joint->def.frame_a, &f.centre_a);
    ov_pose b = frame_of(sim, joint->b, &joint->def.frame_b, &f.centre_b);
    f.point_a = a.position, f.point_b = b.position;
    f.turn_a = a.rotation, f.turn_b = b.rotation;
    f.axis_a = ovi_quat_turn(f.turn_a, joint->def.axis);
    f.axis_b = ovi_quat_turn(f.turn_b, joint->def.axis);
    f.relative = ovi_quat_product(ov_quat_conjugate(f.turn_a), f.turn_b);
    if (f.relative.w < 0.0) {
        f.relative = (ov_quat){-f.relative.w, -f.relative.x, -f.relative.y, -f.relative.z};
    }
    return f;
}

/** Angle of the twist about the axis, in (-pi, pi]. */
static double twist_of(const ov_quat *q, ov_vec3 axis) {
    double s = q->x * axis.x + q->y * axis.y + q->z * axis.z;
    return 2.0 * atan2(s, q->w);
}

static double swing_of(const joint_frames *f) {
    ov_vec3 cross = ov_vec3_cross(f->axis_a, f->axis_b);
    return atan2(ov_vec3_length(cross), ov_vec3_dot(f->axis_a, f->axis_b));
}

static bool is_hinge(ov_joint_kind kind) {
    return kind == OV_JOINT_KIND_REVOLUTE || kind == OV_JOINT_KIND_CONTINUOUS;
}
static bool has_coordinate(ov_joint_kind kind) {
    return is_hinge(kind) || kind == OV_JOINT_KIND_PRISMATIC;
}

/** The free coordinate: an angle that is followed over full turns, a length, or a twist. */
static double coordinate_of(const ovi_sim_joint *joint, const joint_frames *f) {
    if (joint->def.kind == OV_JOINT_KIND_PRISMATIC) {
        return ov_vec3_dot(f->axis_a, ov_vec3_sub(f->point_b, f->point_a));
    }
    double angle = twist_of(&f->relative, joint->def.axis);
    if (is_hinge(joint->def.kind)) {
        angle += 2.0 * OVI_PI * round((joint->angle - angle) / (2.0 * OVI_PI));
    }
    return angle;
}

/* ---- rows */

static ovi_row *new_row(ovi_sim_joint *joint, ovi_row_kind kind, ov_vec3 axis) {
    ovi_row *row = &joint->rows[joint->row_count++];
    *row = (ovi_row){.kind = kind, .axis = axis, .least = -INFINITY, .most = INFINITY};
    return row;
}

/** Both arms lead to one point: the middle of the anchors, or that of B where it slides. */
static void push_along(ovi_row *row, const joint_frames *f, ov_vec3 at, ov_vec3 direction) {
    row->force = direction;
    row->torque_a = ov_vec3_cross(ov_vec3_sub(at, f->centre_a), direction);
    row->torque_b = ov_vec3_cross(ov_vec3_sub(at, f->centre_b), direction);
}

static void turn_about(ovi_row *row, ov_vec3 direction) {
    row->force = ov_vec3_make(0.0, 0.0, 0.0);
    row->torque_a = row->torque_b = direction;
}

static const ov_vec3 unit_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void add_points(ovi_sim_joint *joint, const joint_frames *f, ovi_row_kind kind) {
    ov_vec3 at = ov_vec3_scale(ov_vec3_add(f->point_a, f->point_b), 0.5);
    for (int k = 0; k < 3; k++) {
        push_along(new_row(joint, kind, unit_axes[k]), f, at, unit_axes[k]);
    }
}

static void add_slide(ovi_sim_joint *joint, const joint_frames *f, ov_vec3 axis) {
    ovi_row *row = new_row(joint, OVI_ROW_SLIDE, axis);
    push_along(row, f, f->point_b, ovi_quat_turn(f->turn_a, axis));
}

static void add_turn(ovi_sim_joint *joint, const joint_frames *f, ovi_row_kind kind, ov_vec3 axis) {
    turn_about(new_row(joint, kind, axis), ovi_quat_turn(f->turn_a, axis));
}

/** Rows of what the joint does not leave free. */
static void add_own_rows(ovi_sim_joint *joint, const joint_frames *f) {
    ov_mat3 across = ov_mat3_householder(joint->def.axis);
    switch (joint->def.kind) {
    case OV_JOINT_KIND_FIXED:
    case OV_JOINT_KIND_SPHERICAL:
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        add_points(joint, f, OVI_ROW_POINT);
        break;
    case OV_JOINT_KIND_PRISMATIC:
        add_slide(joint, f, across.cy);
        add_slide(joint, f, across.cz);
        break;
    case OV_JOINT_KIND_PLANAR:
        add_slide(joint, f, joint->def.axis);
        break;
    default:
        break;
    }
    if (joint->def.kind == OV_JOINT_KIND_FIXED || joint->def.kind == OV_JOINT_KIND_PRISMATIC) {
        for (int k = 0; k < 3; k++) {
            add_turn(joint, f, OVI_ROW_TURN, unit_axes[k]);
        }
    } else if (is_hinge(joint->def.kind) || joint->def.kind == OV_JOINT_KIND_PLANAR) {
        add_turn(joint, f, OVI_ROW_ALIGN, across.cy);
        add_turn(joint, f, OVI_ROW_ALIGN, across.cz);
    }
}

/** A row along the free coordinate, or the twist. */
static ovi_row *add_coordinate(ovi_sim_joint *joint, const joint_frames *f, ovi_row_kind kind,
                               double sign) {
    ovi_row *row = new_row(joint, kind, ov_vec3_make(0.0, 0.0, 0.0));
    ov_vec3 axis = ov_vec3_scale(f->axis_a, sign);
    if (joint->def.kind == OV_JOINT_KIND_PRISMATIC) {
        push_along(row, f, f->point_b, axis);
    } else if (joint->def.kind == OV_JOINT_KIND_SPHERICAL) {
        double c = fmax(1.0 + ov_vec3_dot(f->axis_a, f->axis_b), 1e-3);
        turn_about(row, ov_vec3_scale(ov_vec3_add(f->axis_a, f->axis_b), sign / c));
    } else {
        turn_about(row, axis);
    }
    row->side = sign;
    return row;
}

/** Response of a body to the impulse of a row. */
static double response_to(const ov_sim *sim, uint32_t slot, ov_vec3 force, ov_vec3 torque) {
    if (slot == OVI_NO_BODY) {
        return 0.0;
    }
    const ovi_mover *m = &sim->movers[slot];
    return m->inv_mass * ov_vec3_dot(force, force) +
           ov_vec3_dot(torque, ovi_sym3_mul(&m->inv_inertia, torque));
}

/**
 * A spring and damper as a soft row. The spring's impulse is -h k (x + t h v - rest), of which the
 * part t comes before the motion, with -h c v, and the rest after it. With t = 1/2 that is the
 * implicit midpoint rule, which keeps the energy; with 1 the implicit Euler rule, which takes it.
 * The latter is for what swings too fast for the substep, by h times its frequency.
 */
static void make_soft(ovi_row *row, double stiffness, double damping, double off, double h,
                      double frequency) {
    double t = fmin(fmax(h * frequency, 0.5), 1.0);
    double rate = damping + t * t * h * stiffness;
    row->softness = 1.0 / (h * rate);
    row->target = -t * stiffness * off / rate;
    row->drag = h * damping;
    row->later = stiffness > 0.0 ? 1.0 / t - 1.0 : 0.0;
}

/** The frequency of a spring between two bodies that nothing else holds; what holds them makes them
 *  heavier, and it lower. */
static double frequency_of(const ov_sim *sim, const ovi_sim_joint *joint, const ovi_row *row) {
    return sqrt(joint->def.stiffness * (response_to(sim, joint->a, row->force, row->torque_a) +
                                        response_to(sim, joint->b, row->force, row->torque_b)));
}

static void add_limit(ovi_sim_joint *joint, const joint_frames *f, double position, double h) {
    const ov_sim_joint_def *def = &joint->def;
    if (!(def->lower > -INFINITY || def->upper < INFINITY)) {
        return;
    }
    bool low = position - def->lower <= def->upper - position;
    ovi_row *row = add_coordinate(joint, f, OVI_ROW_LIMIT, low ? 1.0 : -1.0);
    row->error = low ? position - def->lower : def->upper - position;
    row->least = 0.0;
    row->target = -fmax(row->error, 0.0) / h;
}

static void add_swing(ovi_sim_joint *joint, const joint_frames *f, double h) {
    ov_vec3 cross = ov_vec3_cross(f->axis_a, f->axis_b);
    double s = ov_vec3_length(cross);
    if (!(joint->def.swing > 0.0) || s < 1e-9) {
        return;
    }
    ovi_row *row = new_row(joint, OVI_ROW_SWING, ov_vec3_make(0.0, 0.0, 0.0));
    turn_about(row, ov_vec3_scale(cross, -1.0 / s));
    row->error = joint->def.swing - swing_of(f);
    row->least = 0.0;
    row->target = -fmax(row->error, 0.0) / h;
}

static void add_drive(const ov_sim *sim, ovi_sim_joint *joint, const joint_frames *f,
                      double position, double h) {
    const ov_sim_joint_def *def = &joint->def;
    bool sprung = def->stiffness > 0.0 || def->damping > 0.0;
    if (has_coordinate(def->kind) && def->motor_limit > 0.0) {
        ovi_row *row = add_coordinate(joint, f, OVI_ROW_MOTOR, 1.0);
        row->target = def->motor_speed;
        row->least = -0.5 * h * def->motor_limit; // half of it before and half after the motion
        row->most = 0.5 * h * def->motor_limit;
    }
    if (has_coordinate(def->kind) && sprung) {
        ovi_row *row = add_coordinate(joint, f, OVI_ROW_SPRING, 1.0);
        make_soft(row, def->stiffness, def->damping, position - def->rest, h,
                  frequency_of(sim, joint, row));
    }
    if (def->kind == OV_JOINT_KIND_SPHERICAL && sprung) {
        ov_vec3 off = ovi_angle_of(f->relative);
        const double parts[3] = {off.x, off.y, off.z};
        for (int k = 0; k < 3; k++) {
            add_turn(joint, f, OVI_ROW_TURN_SPRING, unit_axes[k]);
            ovi_row *row = &joint->rows[joint->row_count - 1];
            make_soft(row, def->stiffness, def->damping, parts[k], h,
                      frequency_of(sim, joint, row));
        }
    }
}

static void add_drag(ovi_sim_joint *joint, const joint_frames *f, double h) {
    ov_vec3 off = ov_vec3_sub(f->point_b, f->point_a);
    const double parts[3] = {off.x, off.y, off.z};
    for (int k = 0; k < 3; k++) { // at the body's own point: A is the world
        ovi_row *row = new_row(joint, OVI_ROW_DRAG, unit_axes[k]);
        push_along(row, f, f->point_b, unit_axes[k]);
        make_soft(row, joint->def.stiffness, joint->def.damping, parts[k], h, INFINITY);
    }
}

/** What its springs are to do after the motion; returns their number. */
static int springs_later(const ovi_sim_joint *joint, double later[3]) {
    int count = 0;
    for (int i = 0; i < joint->row_count && joint->def.stiffness > 0.0; i++) {
        const ovi_row *row = &joint->rows[i];
        if (row->kind == OVI_ROW_SPRING || row->kind == OVI_ROW_TURN_SPRING) {
            // the speed that the bodies moved with is the row's target but for what it is soft by
            double speed = row->target - row->softness * row->sum;
            later[count++] = row->later * (row->sum + row->drag * speed);
        }
    }
    return count;
}

/** Does it. */
static void spring_on(ov_sim *sim, ovi_sim_joint *joint, const double later[3]) {
    int count = 0;
    for (int i = 0; i < joint->row_count; i++) {
        const ovi_row *row = &joint->rows[i];
        if (row->kind == OVI_ROW_SPRING || row->kind == OVI_ROW_TURN_SPRING) {
            ovi_row_push(sim, joint, row, later[count++]);
        }
    }
}

static void make_rows(ov_sim *sim, ovi_sim_joint *joint, double h) {
    joint_frames f = frames_of(sim, joint);
    joint->row_count = 0;
    joint->arm_b = ov_vec3_sub(f.point_b, f.centre_b);
    if (joint->is_drag) {
        add_drag(joint, &f, h);
        return;
    }
    double position = coordinate_of(joint, &f);
    joint->angle = position;
    add_own_rows(joint, &f);
    if (has_coordinate(joint->def.kind) || joint->def.kind == OV_JOINT_KIND_SPHERICAL) {
        add_limit(joint, &f, position, h);
    }
    if (joint->def.kind == OV_JOINT_KIND_SPHERICAL) {
        add_swing(joint, &f, h);
    }
    add_drive(sim, joint, &f, position, h);
}

void ovi_joint_prepare(ov_sim *sim, ovi_sim_joint *joint, double h, bool arrived) {
    double later[3];
    int springs = arrived && !ovi_joint_sleeps(sim, joint) ? springs_later(joint, later) : 0;
    make_rows(sim, joint, h);
    if (springs > 0) {
        spring_on(sim, joint, later);
    }
}

static double row_error(const ovi_sim_joint *joint, const joint_frames *f, const ovi_row *row) {
    ov_vec3 d = ov_vec3_sub(f->point_b, f->point_a);
    switch (row->kind) {
    case OVI_ROW_POINT:
        return ov_vec3_dot(row->axis, d);
    case OVI_ROW_SLIDE:
        return ov_vec3_dot(ovi_quat_turn(f->turn_a, row->axis), d);
    case OVI_ROW_ALIGN:
        return ov_vec3_dot(ovi_quat_turn(f->turn_a, row->axis),
                           ov_vec3_cross(f->axis_a, f->axis_b));
    case OVI_ROW_TURN:
        return ov_vec3_dot(row->axis, ovi_angle_of(f->relative));
    case OVI_ROW_LIMIT: {
        double position = coordinate_of(joint, f);
        return row->side > 0.0 ? position - joint->def.lower : joint->def.upper - position;
    }
    case OVI_ROW_SWING:
        return joint->def.swing - swing_of(f);
    default:
        return 0.0;
    }
}

double ovi_joint_errors(ov_sim *sim, ovi_sim_joint *joint) {
    joint_frames f = frames_of(sim, joint);
    double worst = 0.0;
    for (int i = 0; i < joint->row_count; i++) {
        ovi_row *row = &joint->rows[i];
        row->error = row_error(joint, &f, row);
        bool one_sided = row->kind == OVI_ROW_LIMIT || row->kind == OVI_ROW_SWING;
        worst = fmax(worst, one_sided ? -row->error : fabs(row->error));
    }
    return worst;
}

double ovi_row_speed(const ov_sim *sim, const ovi_sim_joint *joint, const ovi_row *row) {
    double speed = 0.0;
    if (joint->b != OVI_NO_BODY) {
        const ovi_mover *b = &sim->movers[joint->b];
        speed = ov_vec3_dot(row->force, b->v) + ov_vec3_dot(row->torque_b, b->w);
    }
    if (joint->a != OVI_NO_BODY) {
        const ovi_mover *a = &sim->movers[joint->a];
        speed -= ov_vec3_dot(row->force, a->v) + ov_vec3_dot(row->torque_a, a->w);
    }
    return speed;
}

void ovi_row_push(ov_sim *sim, ovi_sim_joint *joint, const ovi_row *row, double impulse) {
    ov_vec3 force = ov_vec3_scale(row->force, impulse);
    ov_vec3 torque = ov_vec3_scale(row->torque_b, impulse);
    if (joint->b != OVI_NO_BODY) {
        ovi_mover_push(&sim->movers[joint->b], force, torque);
    }
    if (joint->a != OVI_NO_BODY) {
        ovi_mover_push(&sim->movers[joint->a], ov_vec3_neg(force),
                       ov_vec3_scale(row->torque_a, -impulse));
    }
    joint->force = ov_vec3_add(joint->force, force);
    joint->torque =
        ov_vec3_add(joint->torque, ov_vec3_sub(torque, ov_vec3_cross(joint->arm_b, force)));
}

/* ---- pairs that never touch */

static ovi_sim_filter filter_of(uint32_t a, uint32_t b) {
    return a < b ? (ovi_sim_filter){a, b} : (ovi_sim_filter){b, a};
}

/** The first filter that is not before the given one. */
static size_t filter_place(const ov_sim *sim, ovi_sim_filter f) {
    size_t low = 0, high = sim->filter_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const ovi_sim_filter *g = &sim->filters[mid];
        if (g->a < f.a || (g->a == f.a && g->b < f.b)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

bool ovi_sim_is_filtered(const ov_sim *sim, uint32_t a, uint32_t b) {
    ovi_sim_filter f = filter_of(a, b);
    size_t at = filter_place(sim, f);
    return at < sim->filter_count && sim->filters[at].a == f.a && sim->filters[at].b == f.b;
}

bool ovi_sim_reserve_filters(ov_sim *sim, size_t more) {
    if (sim->filter_count + more <= sim->filter_room) {
        return true;
    }
    ovi_sim_filter *filters =
        ovi_more_room(&sim->options.allocator, sim->filters, &sim->filter_room,
                      sim->filter_count + more, sizeof *filters);
    if (filters == NULL) {
        return false;
    }
    sim->filters = filters;
    return true;
}

void ovi_sim_filter_add(ov_sim *sim, uint32_t a, uint32_t b) {
    ovi_sim_filter f = filter_of(a, b);
    size_t at = filter_place(sim, f);
    memmove(&sim->filters[at + 1], &sim->filters[at],
            (sim->filter_count - at) * sizeof *sim->filters);
    sim->filters[at] = f; // once for every joint, so that removing one leaves the others
    sim->filter_count++;
}

static void filter_remove(ov_sim *sim, uint32_t a, uint32_t b) {
    ovi_sim_filter f = filter_of(a, b);
    size_t at = filter_place(sim, f);
    if (at < sim->filter_count && sim->filters[at].a == f.a && sim->filters[at].b == f.b) {
        sim->filter_count--;
        memmove(&sim->filters[at], &sim->filters[at + 1],
                (sim->filter_count - at) * sizeof *sim->filters);
    }
}

/* ---- definitions */

ov_sim_joint_def ov_default_sim_joint_def(void) {
    return (ov_sim_joint_def){.frame_a = ov_pose_identity(),
                              .frame_b = ov_pose_identity(),
                              .axis = {1.0, 0.0, 0.0},
                              .lower = -INFINITY,
                              .upper = INFINITY};
}

static bool is_amount(double x) { return x >= 0.0 && x <= 1e100; }

/** Limits as they are used: both 0 means none. */
static ov_status check_limits(ov_sim_joint_def *def) {
    if (isnan(def->lower) || isnan(def->upper) || !isfinite(def->swing)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool limited = def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_PRISMATIC ||
                   def->kind == OV_JOINT_KIND_SPHERICAL;
    if (!limited || (def->lower == 0.0 && def->upper == 0.0)) {
        def->lower = -INFINITY;
        def->upper = INFINITY;
    }
    if ((isfinite(def->lower) && fabs(def->lower) > OV_POSITION_MAX) ||
        (isfinite(def->upper) && fabs(def->upper) > OV_POSITION_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    if (def->lower > def->upper || def->lower == INFINITY || def->upper == -INFINITY ||
        !(def->swing >= 0.0 && def->swing <= OVI_PI)) {
        return OV_ERROR_OPTION;
    }
    return OV_OK;
}

/** Checks what does not depend on the simulation and fills in defaults. */
static ov_status check_joint(const ov_sim_joint_def *given, ov_sim_joint_def *def) {
    *def = *given;
    def->frame_a = ov_pose_default(def->frame_a);
    def->frame_b = ov_pose_default(def->frame_b);
    if (!ov_vec3_is_finite(def->axis) || !isfinite(def->stiffness + def->damping + def->rest) ||
        !isfinite(def->motor_speed + def->motor_limit)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!(fabs(def->rest) <= OV_POSITION_MAX && fabs(def->motor_speed) <= OV_SIM_SPEED_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    bool no_axis = def->axis.x == 0.0 && def->axis.y == 0.0 && def->axis.z == 0.0;
    def->axis = no_axis ? ov_vec3_make(1.0, 0.0, 0.0) : ov_vec3_normalize(def->axis);
    ov_status status = ovi_pose_normalize(&def->frame_a);
    status = status < 0 ? status : ovi_pose_normalize(&def->frame_b);
    if (status < 0) {
        return status;
    }
    if ((unsigned)def->kind >= OV_JOINT_KIND_COUNT || !is_amount(def->stiffness) ||
        !is_amount(def->damping) || !is_amount(def->motor_limit)) {
        return OV_ERROR_OPTION;
    }
    return check_limits(def);
}

/** The slots of a joint's bodies. */
static ov_status find_bodies(const ov_sim *sim, const ov_sim_joint_def *def, uint32_t *a,
                             uint32_t *b) {
    *a = def->a != 0 ? ovi_sim_body_of(sim, def->a) : OVI_NO_BODY;
    *b = def->b != 0 ? ovi_sim_body_of(sim, def->b) : OVI_NO_BODY;
    if ((def->a != 0 && *a == OVI_NO_BODY) || (def->b != 0 && *b == OVI_NO_BODY)) {
        return OV_ERROR_INDEX;
    }
    bool free_a = *a != OVI_NO_BODY && ovi_is_free(&sim->movers[*a]);
    bool free_b = *b != OVI_NO_BODY && ovi_is_free(&sim->movers[*b]);
    return *a == *b || !(free_a || free_b) ? OV_ERROR_OPTION : OV_OK;
}

/** A new joint in a free slot, or null for want of memory. */
static ovi_sim_joint *take_joint(ov_sim *sim, ov_sim_joint *id) {
    uint32_t slot = sim->free_joint;
    if (slot == OVI_NO_BODY) {
        if (sim->joint_count == sim->joint_room) {
            ovi_sim_joint *more =
                ovi_more_room(&sim->options.allocator, sim->joints, &sim->joint_room,
                              sim->joint_count + 1, sizeof *more);
            if (more == NULL) {
                return NULL;
            }
            sim->joints = more;
        }
        slot = (uint32_t)sim->joint_count++;
        sim->joints[slot].generation = 0;
    } else {
        sim->free_joint = sim->joints[slot].next_free;
    }
    ovi_sim_joint *joint = &sim->joints[slot];
    uint32_t generation = joint->generation + 1;
    *joint = (ovi_sim_joint){.used = true, .generation = generation};
    *id = (ov_sim_joint)(slot + 1u) << 32 | generation;
    sim->joints_used++;
    sim->forest.stale = true;
    return joint;
}

ov_status ov_sim_add_joint(ov_sim *sim, const ov_sim_joint_def *given, ov_sim_joint *id) {
    if (id != NULL) {
        *id = 0;
    }
    if (sim == NULL || given == NULL || id == NULL) {
        return OV_ERROR_NULL;
    }
    ov_sim_joint_def def;
    uint32_t a, b;
    ov_status status = check_joint(given, &def);
    status = status < 0 ? status : find_bodies(sim, &def, &a, &b);
    if (status < 0) {
        return status;
    }
    bool apart = a != OVI_NO_BODY && b != OVI_NO_BODY && !def.collide;
    if (apart && !ovi_sim_reserve_filters(sim, 1)) {
        return OV_ERROR_MEMORY;
    }
    ovi_sim_joint *joint = take_joint(sim, id);
    if (joint == NULL) {
        return OV_ERROR_MEMORY;
    }
    joint->def = def;
    joint->a = a, joint->b = b;
    joint_frames f = frames_of(sim, joint);
    // the turn nearest to the middle of the limits
    double middle =
        def.lower > -INFINITY && def.upper < INFINITY ? 0.5 * (def.lower + def.upper) : 0.0;
    joint->angle = middle;
    joint->angle = coordinate_of(joint, &f);
    if (apart) {
        ovi_sim_filter_add(sim, a, b);
    }
    ovi_island_wake(sim, a);
    ovi_island_wake(sim, b);
    return OV_OK;
}

ov_status ov_sim_add_drag(ov_sim *sim, const ov_sim_drag_def *given, ov_sim_joint *id) {
    if (id != NULL) {
        *id = 0;
    }
    if (sim == NULL || given == NULL || id == NULL) {
        return OV_ERROR_NULL;
    }
    uint32_t slot = ovi_sim_body_of(sim, given->body);
    if (slot == OVI_NO_BODY) {
        return OV_ERROR_INDEX;
    }
    if (!ov_vec3_is_finite(given->point) || !ov_vec3_is_finite(given->target) ||
        !isfinite(given->stiffness + given->damping + given->limit)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!ovi_is_within(given->point, OV_POSITION_MAX) ||
        !ovi_is_within(given->target, OV_POSITION_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    if (!ovi_is_free(&sim->movers[slot]) || !is_amount(given->stiffness) ||
        !is_amount(given->damping) || !is_amount(given->limit)) {
        return OV_ERROR_OPTION;
    }
    ovi_sim_joint *joint = take_joint(sim, id);
    if (joint == NULL) {
        return OV_ERROR_MEMORY;
    }
    double mass = sim->bodies[slot].def.mass.mass, rate = 10.0 * OVI_PI;
    joint->is_drag = true;
    joint->a = OVI_NO_BODY, joint->b = slot;
    joint->drag_limit = given->limit;
    joint->def = ov_default_sim_joint_def();
    joint->def.kind = OV_JOINT_KIND_FLOATING;
    joint->def.b = given->body;
    joint->def.frame_a.position = given->target;
    joint->def.frame_b.position =
        ov_pose_apply_inverse(ovi_sim_pose(&sim->bodies[slot]), given->point);
    joint->def.stiffness = given->stiffness > 0.0 ? given->stiffness : mass * rate * rate;
    joint->def.damping =
        given->damping > 0.0 ? given->damping : 2.0 * sqrt(joint->def.stiffness * mass);
    ovi_island_wake(sim, slot);
    return OV_OK;
}

/* ---- what callers ask and change */

static ovi_sim_joint *joint_of(const ov_sim *sim, ov_sim_joint id) {
    uint64_t slot = (id >> 32) - 1u;
    if (sim == NULL || id >> 32 == 0 || slot >= sim->joint_count) {
        return NULL;
    }
    ovi_sim_joint *joint = &sim->joints[slot];
    return joint->used && joint->generation == (uint32_t)id ? joint : NULL;
}

static void remove_joint(ov_sim *sim, ovi_sim_joint *joint) {
    ovi_island_wake(sim, joint->a);
    ovi_island_wake(sim, joint->b);
    if (!joint->is_drag && !joint->def.collide && joint->a != OVI_NO_BODY &&
        joint->b != OVI_NO_BODY) {
        filter_remove(sim, joint->a, joint->b);
    }
    joint->used = false;
    joint->next_free = sim->free_joint;
    sim->free_joint = (uint32_t)(joint - sim->joints);
    sim->joints_used--;
    sim->forest.stale = true;
}

void ovi_joint_remove_of(ov_sim *sim, uint32_t body) {
    for (size_t i = 0; i < sim->joint_count; i++) {
        ovi_sim_joint *joint = &sim->joints[i];
        if (joint->used && (joint->a == body || joint->b == body)) {
            remove_joint(sim, joint);
        }
    }
    // and what else keeps the body from touching others
    size_t kept = 0;
    for (size_t i = 0; i < sim->filter_count; i++) {
        if (sim->filters[i].a != body && sim->filters[i].b != body) {
            sim->filters[kept++] = sim->filters[i];
        }
    }
    sim->filter_count = kept;
}

ov_status ov_sim_remove_joint(ov_sim *sim, ov_sim_joint id) {
    ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    remove_joint(sim, joint);
    return OV_OK;
}

ov_status ov_sim_set_motor(ov_sim *sim, ov_sim_joint id, double speed, double limit) {
    ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    if (!isfinite(speed) || !isfinite(limit)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!has_coordinate(joint->def.kind) || !is_amount(limit)) {
        return OV_ERROR_OPTION;
    }
    if (!(fabs(speed) <= OV_SIM_SPEED_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    joint->def.motor_speed = speed;
    joint->def.motor_limit = limit;
    ovi_island_wake(sim, joint->a);
    ovi_island_wake(sim, joint->b);
    return OV_OK;
}

ov_status ov_sim_set_rest(ov_sim *sim, ov_sim_joint id, double rest) {
    ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    if (!isfinite(rest)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!has_coordinate(joint->def.kind)) {
        return OV_ERROR_OPTION;
    }
    if (!(fabs(rest) <= OV_POSITION_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    joint->def.rest = rest;
    ovi_island_wake(sim, joint->a);
    ovi_island_wake(sim, joint->b);
    return OV_OK;
}

ov_status ov_sim_move_drag(ov_sim *sim, ov_sim_joint id, ov_vec3 target) {
    ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    if (!ov_vec3_is_finite(target)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!joint->is_drag) {
        return OV_ERROR_OPTION;
    }
    if (!ovi_is_within(target, OV_POSITION_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    joint->def.frame_a.position = target;
    ovi_island_wake(sim, joint->b);
    return OV_OK;
}

/** How far a joint misses, along and about what it does not leave free. */
static void measure_errors(const ovi_sim_joint *joint, const joint_frames *f,
                           ov_sim_joint_state *state) {
    ovi_sim_joint rows = *joint;
    rows.row_count = 0;
    add_own_rows(&rows, f);
    double point = 0.0, angle = 0.0;
    for (int i = 0; i < rows.row_count; i++) {
        double e = row_error(joint, f, &rows.rows[i]);
        bool place = rows.rows[i].kind == OVI_ROW_POINT || rows.rows[i].kind == OVI_ROW_SLIDE;
        *(place ? &point : &angle) += e * e;
    }
    state->error = sqrt(point);
    state->angle_error = sqrt(angle);
}

ov_status ov_sim_joint_get(const ov_sim *sim, ov_sim_joint id, ov_sim_joint_state *state) {
    if (state == NULL) {
        return OV_ERROR_NULL;
    }
    memset(state, 0, sizeof *state);
    const ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    joint_frames f = frames_of(sim, joint);
    ovi_sim_joint along = *joint;
    along.row_count = 0;
    ov_joint_kind kind = joint->def.kind;
    if (has_coordinate(kind) || kind == OV_JOINT_KIND_SPHERICAL) {
        state->position = coordinate_of(joint, &f);
        state->speed = ovi_row_speed(sim, joint, add_coordinate(&along, &f, OVI_ROW_MOTOR, 1.0));
        state->excess =
            fmax(0.0, fmax(joint->def.lower - state->position, state->position - joint->def.upper));
    }
    if (kind == OV_JOINT_KIND_SPHERICAL) {
        state->swing = swing_of(&f);
        if (joint->def.swing > 0.0) {
            state->excess = fmax(state->excess, state->swing - joint->def.swing);
        }
    }
    measure_errors(joint, &f, state);
    if (sim->h > 0.0) {
        state->force = ov_vec3_scale(joint->force, 1.0 / sim->h);
        state->torque = ov_vec3_scale(joint->torque, 1.0 / sim->h);
    }
    return OV_OK;
}

ov_status ov_sim_joint_def_of(const ov_sim *sim, ov_sim_joint id, ov_sim_joint_def *def) {
    if (def == NULL) {
        return OV_ERROR_NULL;
    }
    memset(def, 0, sizeof *def);
    const ovi_sim_joint *joint = joint_of(sim, id);
    if (joint == NULL) {
        return sim == NULL ? OV_ERROR_NULL : OV_ERROR_INDEX;
    }
    *def = joint->def;
    return OV_OK;
}
