/**
 * @file model.c
 * @brief Articulated models for the Multibody Sketcher: made from a flat description, posed,
 * checked against themselves, swept along key frames, pulled about as puppets, and written.
 *
 * The page describes a model by one array of numbers and one text of names, so that a whole edit
 * crosses the border to WebAssembly once. A description, all doubles:
 *
 *     links, joints, parts, pairs                                  four counts
 *     a row per link    mass, inertia xx xy xz yy yz zz, centroid  a mass of 0: by its parts
 *     a row per joint   kind, parent, child, position, rotation w x y z, axis, lower, upper, swing,
 *                       largest velocity and effort
 *     a row per part    link, position, rotation, a1 a2 a3, e1 e2, tx ty
 *     a row per pair    two links that may overlap
 *
 * Lower and upper of a spherical joint are the range of its twist about the axis, and swing is the
 * largest angle between the axes (0: any); both hold for puppets only.
 *
 * The names are those of the model, its links and its joints, each ended by a zero. Every call that
 * fails returns a negative status; studio_model_fault has a line about the last one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io_robot.h>
#include <ovoid/ovoid.h>
#include <ovoid/sim.h>

#include "export.h"

enum { LINK_ROW = 10, JOINT_ROW = 18, PART_ROW = 15, PAIR_ROW = 2, CONTACT_ROW = 17 };
/** More than a person sketches; a description that claims more is refused before memory is asked
 *  for. */
enum { COUNT_MAX = 10000 };

static ov_fault last_fault;

STUDIO_EXPORT(studio_model_fault) const char *studio_model_fault(void) { return last_fault.text; }

static ov_status fail(ov_status status) {
    if (status < 0 && last_fault.text[0] == '\0') {
        (void)snprintf(last_fault.text, sizeof last_fault.text, "%s", ov_status_message(status));
    }
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct studio_model {
    ov_robot *robot;
    const ov_model *model; /**< the robot's */
    ov_checker *checker;
    ov_mass *masses;     /**< one per link */
    ov_pose *poses;      /**< of the links, of the last call */
    double (*ranges)[3]; /**< of spherical joints: lower, upper, swing; one per joint */
    size_t link_count, joint_count;
} studio_model;

/** A description cut into its tables. */
typedef struct description {
    size_t links, joints, parts, pairs;
    const double *link, *joint, *part, *pair;
} description;

static bool count_of(double value, size_t *count) {
    bool good = value >= 0.0 && value <= (double)COUNT_MAX && floor(value) == value;
    *count = good ? (size_t)value : 0;
    return good;
}

static bool describe(const double *numbers, size_t count, description *d) {
    if (numbers == NULL || count < 4 || !count_of(numbers[0], &d->links) ||
        !count_of(numbers[1], &d->joints) || !count_of(numbers[2], &d->parts) ||
        !count_of(numbers[3], &d->pairs)) {
        return false;
    }
    d->link = numbers + 4;
    d->joint = d->link + LINK_ROW * d->links;
    d->part = d->joint + JOINT_ROW * d->joints;
    d->pair = d->part + PART_ROW * d->parts;
    return count == 4 + LINK_ROW * d->links + JOINT_ROW * d->joints + PART_ROW * d->parts +
                        PAIR_ROW * d->pairs;
}

static ov_vec3 vec3_of(const double *v) { return ov_vec3_make(v[0], v[1], v[2]); }

static ov_pose pose_of(const double *v) { return (ov_pose){vec3_of(v), {v[3], v[4], v[5], v[6]}}; }

static void pose_to(ov_pose pose, double *out) {
    const double v[7] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w,
                         pose.rotation.x, pose.rotation.y, pose.rotation.z};
    memcpy(out, v, sizeof v);
}

static ov_status shape_of(const double *row, ov_shape *shape) {
    // what a person drags on a slider may be hollow: the hull is what counts, and the dent is told
    const ov_shape_options options = {.dent_tolerance = 1.0};
    return ov_shape_make_superovoid(vec3_of(row), row[3], row[4], row[5], row[6], &options, shape);
}

/** The names, one after the other; null where there are too few of them. */
static const char *next_name(const char **at, const char *end) {
    const char *name = *at;
    const char *zero = name < end ? memchr(name, 0, (size_t)(end - name)) : NULL;
    *at = zero != NULL ? zero + 1 : end;
    return zero != NULL ? name : NULL;
}

/** Shapes of all links, sorted by link; `first` has a number per link and one more. */
typedef struct shape_table {
    ov_robot_shape *shapes;
    ov_part *parts;
    size_t *first;
} shape_table;

static void shape_table_free(shape_table *t) {
    free(t->shapes);
    free(t->parts);
    free(t->first);
}

static ov_status shape_table_make(const description *d, shape_table *t) {
    t->shapes = calloc(d->parts + 1, sizeof *t->shapes);
    t->parts = calloc(d->parts + 1, sizeof *t->parts);
    t->first = calloc(d->links + 2, sizeof *t->first);
    if (t->shapes == NULL || t->parts == NULL || t->first == NULL) {
        return OV_ERROR_MEMORY;
    }
    size_t filled = 0;
    for (size_t link = 0; link < d->links; link++) {
        t->first[link] = filled;
        for (size_t i = 0; i < d->parts; i++) {
            const double *row = d->part + PART_ROW * i;
            if (row[0] != (double)link) {
                continue;
            }
            ov_robot_shape *s = &t->shapes[filled];
            s->pose = pose_of(row + 1);
            ov_status status = shape_of(row + 8, &s->shape);
            if (status < 0) {
                (void)snprintf(last_fault.text, sizeof last_fault.text, "body %zu: %s", i + 1,
                               ov_status_message(status));
                return status;
            }
            t->parts[filled++] = (ov_part){.shape = s->shape, .pose = s->pose};
        }
    }
    t->first[d->links] = filled;
    return filled == d->parts ? OV_OK : OV_ERROR_INDEX;
}

/** The mass of a link: as described, or by its parts. */
static ov_status link_mass(const double *row, const ov_part *parts, size_t count, ov_mass *mass) {
    *mass = (ov_mass){0};
    if (row[0] > 0.0) {
        mass->mass = row[0];
        mass->inertia.cx = vec3_of(row + 1);
        mass->inertia.cy = ov_vec3_make(row[2], row[4], row[5]);
        mass->inertia.cz = ov_vec3_make(row[3], row[5], row[6]);
        mass->centroid = vec3_of(row + 7);
        return OV_OK;
    }
    ov_geometry *geometry = NULL;
    ov_status status = ov_geometry_create(parts, count, NULL, &geometry);
    if (status >= 0) {
        status = ov_geometry_mass(geometry, 1000.0, mass);
    }
    ov_geometry_destroy(geometry);
    return status;
}

static void set_inertial(ov_robot_link *link, const ov_mass *mass) {
    const ov_mat3 *m = &mass->inertia;
    const double inertia[6] = {m->cx.x, m->cy.x, m->cz.x, m->cy.y, m->cz.y, m->cz.z};
    link->has_inertial = true;
    link->inertial_pose = ov_pose_identity();
    link->inertial_pose.position = mass->centroid;
    link->mass = mass->mass;
    memcpy(link->inertia, inertia, sizeof inertia);
}

static bool joint_of(const double *row, const char *name, ov_robot_joint *joint) {
    size_t kind, parent, child;
    if (!count_of(row[0], &kind) || kind >= OV_JOINT_KIND_COUNT || !count_of(row[1], &parent) ||
        !count_of(row[2], &child)) {
        return false;
    }
    joint->def = ov_default_joint_def();
    joint->def.name = name;
    joint->def.kind = (ov_joint_kind)kind;
    joint->def.parent = (uint32_t)parent;
    joint->def.child = (uint32_t)child;
    joint->def.origin = pose_of(row + 3);
    joint->def.axis = vec3_of(row + 10);
    if (kind != OV_JOINT_KIND_SPHERICAL) {
        joint->def.lower = row[13];
        joint->def.upper = row[14];
    }
    joint->velocity = row[16];
    joint->effort = row[17];
    return true;
}

static ov_status make_robot(const description *d, const shape_table *t, const char *names,
                            size_t size, studio_model *m) {
    ov_robot_link *links = calloc(d->links + 1, sizeof *links);
    ov_robot_joint *joints = calloc(d->joints + 1, sizeof *joints);
    const char *at = names, *end = names + size, *name = next_name(&at, end);
    ov_status status = links != NULL && joints != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (size_t i = 0; i < d->links && status >= 0; i++) {
        const size_t first = t->first[i], count = t->first[i + 1] - first;
        links[i].name = next_name(&at, end);
        links[i].collisions = t->shapes + first;
        links[i].collision_count = count;
        status = links[i].name == NULL
                     ? OV_ERROR_NAME
                     : link_mass(d->link + LINK_ROW * i, t->parts + first, count, &m->masses[i]);
        if (status >= 0) {
            set_inertial(&links[i], &m->masses[i]);
        }
    }
    for (size_t i = 0; i < d->joints && status >= 0; i++) {
        const char *joint_name = next_name(&at, end);
        bool good =
            joint_name != NULL && joint_of(d->joint + JOINT_ROW * i, joint_name, &joints[i]);
        status = good ? OV_OK : OV_ERROR_OPTION;
        memcpy(m->ranges[i], d->joint + JOINT_ROW * i + 13, sizeof m->ranges[i]);
    }
    if (status >= 0) {
        status = ov_robot_create(name, links, d->links, joints, d->joints, &m->robot, &last_fault);
    }
    free(links);
    free(joints);
    return status;
}

static ov_status allow_pairs(const description *d, ov_model *model) {
    for (size_t i = 0; i < d->pairs; i++) {
        size_t a, b;
        if (!count_of(d->pair[PAIR_ROW * i], &a) || !count_of(d->pair[PAIR_ROW * i + 1], &b)) {
            return OV_ERROR_INDEX;
        }
        ov_status status = ov_model_allow(model, (uint32_t)a, (uint32_t)b, true);
        if (status < 0) {
            return status;
        }
    }
    return OV_OK;
}

STUDIO_EXPORT(studio_model_destroy) void studio_model_destroy(studio_model *m) {
    if (m != NULL) {
        ov_checker_destroy(m->checker);
        ov_robot_destroy(m->robot);
        free(m->masses);
        free(m->poses);
        free(m->ranges);
        free(m);
    }
}

static ov_status fill_model(const description *d, const char *names, size_t size, studio_model *m) {
    shape_table t = {0};
    m->link_count = d->links;
    m->joint_count = d->joints;
    m->ranges = calloc(d->joints + 1, sizeof *m->ranges);
    m->masses = calloc(d->links + 1, sizeof *m->masses);
    m->poses = calloc(d->links + 1, sizeof *m->poses);
    bool memory = m->masses != NULL && m->poses != NULL && m->ranges != NULL;
    ov_status status = memory ? shape_table_make(d, &t) : OV_ERROR_MEMORY;
    if (status >= 0) {
        status = make_robot(d, &t, names, size, m);
    }
    shape_table_free(&t);
    if (status >= 0) {
        ov_model *model = ov_robot_model(m->robot);
        m->model = model;
        status = allow_pairs(d, model);
    }
    return status < 0 ? status : ov_checker_create(m->model, NULL, NULL, &m->checker);
}

/** A model of a description; 0 if it is none. */
STUDIO_EXPORT(studio_model_create)
studio_model *studio_model_create(const double *numbers, size_t count, const char *names,
                                  size_t size) {
    last_fault = (ov_fault){0};
    description d;
    studio_model *m = NULL;
    if (!describe(numbers, count, &d) || names == NULL) {
        (void)fail(OV_ERROR_COUNT);
    } else if ((m = calloc(1, sizeof *m)) == NULL) {
        (void)fail(OV_ERROR_MEMORY);
    } else if (fail(fill_model(&d, names, size, m)) < 0) {
        studio_model_destroy(m);
        m = NULL;
    }
    return m;
}

STUDIO_EXPORT(studio_model_position_count)
size_t studio_model_position_count(const studio_model *m) {
    return ov_model_position_count(m->model);
}

/** Index of a joint's first position. */
STUDIO_EXPORT(studio_model_joint_position)
size_t studio_model_joint_position(const studio_model *m, size_t joint) {
    return ov_model_joint_position(m->model, joint);
}

STUDIO_EXPORT(studio_model_rest) void studio_model_rest(const studio_model *m, double *positions) {
    ov_model_rest(m->model, positions);
}

static ov_status place(studio_model *m, const double *positions) {
    last_fault = (ov_fault){0};
    return fail(ov_model_poses(m->model, ov_pose_identity(), positions, m->poses));
}

/** Poses of all links, seven numbers each. */
STUDIO_EXPORT(studio_model_poses)
int studio_model_poses(studio_model *m, const double *positions, double *out) {
    ov_status status = place(m, positions);
    for (size_t i = 0; i < m->link_count && status >= 0; i++) {
        pose_to(m->poses[i], out + 7 * i);
    }
    return status;
}

/** A contact as a row: links and parts, gap and its bounds, relation, points and normal. */
static void contact_to(const ov_link_contact *c, double *out) {
    const ov_contact *k = &c->contact;
    const double row[CONTACT_ROW] = {
        c->link_a,    c->part_a,    c->link_b,    c->part_b,    k->gap,       k->gap_lower,
        k->gap_upper, k->relation,  k->point_a.x, k->point_a.y, k->point_a.z, k->point_b.x,
        k->point_b.y, k->point_b.z, k->normal.x,  k->normal.y,  k->normal.z};
    memcpy(out, row, sizeof row);
}

/** Self-contacts up to a gap; at most `room` rows are written. Returns their number. */
STUDIO_EXPORT(studio_model_contacts)
int studio_model_contacts(studio_model *m, const double *positions, double limit, double *out,
                          size_t room) {
    const ov_link_contact *contacts = NULL;
    size_t count = 0;
    ov_status status = place(m, positions);
    if (status >= 0) {
        status = fail(ov_checker_contacts(m->checker, m->poses, NULL, limit, &contacts, &count));
    }
    if (status < 0) {
        return status;
    }
    for (size_t i = 0; i < count && i < room; i++) {
        contact_to(&contacts[i], out + CONTACT_ROW * i);
    }
    return (int)count;
}

/* ---- key frames ------------------------------------------------------------------------------ */

static ov_status trajectory_of(const studio_model *m, const double *times, const double *rows,
                               size_t count, int spline, ov_trajectory **trajectory) {
    last_fault = (ov_fault){0};
    return fail(ov_trajectory_create(m->model, times, rows, NULL, count, (ov_spline)spline, NULL,
                                     trajectory, &last_fault));
}

/** Positions between key frames, for playing back: `samples` equal steps of time from the first to
 *  the last key, a row each. */
STUDIO_EXPORT(studio_model_play)
int studio_model_play(const studio_model *m, const double *times, const double *rows, size_t count,
                      int spline, size_t samples, double *out) {
    ov_trajectory *trajectory = NULL;
    ov_status status = trajectory_of(m, times, rows, count, spline, &trajectory);
    size_t width = ov_model_position_count(m->model);
    for (size_t i = 0; i < samples && status >= 0; i++) {
        double start = ov_trajectory_start(trajectory), end = ov_trajectory_end(trajectory);
        double share = samples > 1 ? (double)i / (double)(samples - 1) : 0.0;
        status = fail(ov_trajectory_at(trajectory, start + share * (end - start), out + width * i,
                                       NULL, NULL));
    }
    ov_trajectory_destroy(trajectory);
    return status;
}

/**
 * Is the motion through key frames free of self-collision? Six numbers: the answer (0 free, 1
 * contact, 2 undecided), the time up to which it is proven free, the time of a proven contact, the
 * two links of the first interval (-1: none), and the number of intervals.
 */
STUDIO_EXPORT(studio_model_sweep)
int studio_model_sweep(const studio_model *m, const double *times, const double *rows, size_t count,
                       int spline, double clearance, double *out) {
    ov_trajectory *trajectory = NULL;
    ov_sweep *sweep = NULL;
    ov_sweep_options options = ov_default_sweep_options();
    options.clearance = clearance;
    ov_status status = trajectory_of(m, times, rows, count, spline, &trajectory);
    if (status >= 0) {
        status = fail(ov_sweep_model(m->model, ov_pose_identity(), trajectory, NULL, 0, times[0],
                                     times[count - 1], &options, &sweep, &last_fault));
    }
    if (status >= 0) {
        ov_sweep_summary s = ov_sweep_summary_of(sweep);
        size_t intervals = 0;
        const ov_sweep_interval *first = ov_sweep_intervals(sweep, &intervals);
        const double row[6] = {s.answer,
                               s.lower,
                               s.upper,
                               intervals > 0 ? (double)first->body_a : -1.0,
                               intervals > 0 ? (double)first->body_b : -1.0,
                               (double)s.intervals};
        memcpy(out, row, sizeof row);
    }
    ov_sweep_destroy(sweep);
    ov_trajectory_destroy(trajectory);
    return status;
}

/* ---- puppets --------------------------------------------------------------------------------- */

/** A link that is twisted towards an angle about an axis of the world, by a spring. */
typedef struct twist {
    ov_sim_body body; /**< 0: none */
    ov_quat start;
    ov_vec3 axis; /**< unit */
    double angle, stiffness, damping;
} twist;

typedef struct studio_puppet {
    ov_sim *sim;
    ov_sim_body *bodies; /**< one per link */
    ov_geometry *ground;
    ov_sim_joint drag;
    twist twist;
    size_t link_count;
} studio_puppet;

STUDIO_EXPORT(studio_puppet_destroy) void studio_puppet_destroy(studio_puppet *p) {
    if (p != NULL) {
        ov_sim_destroy(p->sim);
        ov_geometry_destroy(p->ground);
        free(p->bodies);
        free(p);
    }
}

static ov_status add_ground(studio_puppet *p, double height) {
    ov_part part = {.pose = ov_pose_identity()};
    ov_sim_body_def def = ov_default_sim_body_def();
    ov_sim_body body;
    ov_status status = ov_shape_make_halfspace(ov_vec3_make(0, 0, 1), height, &part.shape);
    if (status >= 0) {
        status = ov_geometry_create(&part, 1, NULL, &p->ground);
    }
    def.geometry = p->ground;
    def.kind = OV_SIM_BODY_KIND_FIXED;
    return status < 0 ? status : ov_sim_add_body(p->sim, &def, &body);
}

/** Models have no ranges of ball joints; puppets have: each such joint is made anew with them. */
static ov_status limit_balls(studio_puppet *p, const studio_model *m, const ov_sim_joint *joints) {
    for (size_t i = 0; i < m->joint_count; i++) {
        ov_sim_joint_def def;
        ov_sim_joint made;
        if (ov_model_joint(m->model, i)->kind != OV_JOINT_KIND_SPHERICAL) {
            continue;
        }
        ov_status status = ov_sim_joint_def_of(p->sim, joints[i], &def);
        def.lower = m->ranges[i][0];
        def.upper = m->ranges[i][1];
        def.swing = m->ranges[i][2];
        if (status >= 0 && (status = ov_sim_remove_joint(p->sim, joints[i])) >= 0) {
            status = ov_sim_add_joint(p->sim, &def, &made);
        }
        if (status < 0) {
            return status;
        }
    }
    return OV_OK;
}

static ov_status fill_puppet(studio_puppet *p, const studio_model *m, const double *positions,
                             bool fixed, double gravity, double ground) {
    ov_sim_options options = ov_default_sim_options();
    options.gravity = ov_vec3_make(0, 0, gravity > 0.0 ? -gravity : OV_ZERO);
    p->link_count = m->link_count;
    p->bodies = calloc(m->link_count + 1, sizeof *p->bodies);
    ov_status status = p->bodies != NULL ? ov_sim_create(&options, &p->sim) : OV_ERROR_MEMORY;
    if (status >= 0 && isfinite(ground)) {
        status = add_ground(p, ground);
    }
    if (status < 0) {
        return status;
    }
    ov_sim_model_def def = {.root = ov_pose_identity(),
                            .positions = positions,
                            .fixed = fixed,
                            .masses = m->masses,
                            .body = ov_default_sim_body_def()};
    // a puppet in the hand comes to rest soon: some friction in joints and air
    def.body.damping = 0.3;
    def.body.angular_damping = 1.5;
    ov_sim_joint *joints = calloc(m->joint_count + 1, sizeof *joints);
    status = joints == NULL
                 ? OV_ERROR_MEMORY
                 : ov_sim_add_model(p->sim, m->model, &def, p->bodies, joints, &last_fault);
    if (status >= 0) {
        status = limit_balls(p, m, joints);
    }
    free(joints);
    return status;
}

/** A puppet of a model, at these positions: with a root that is held or not, and a floor at a
 *  height (NaN: none). The model must outlive it. */
STUDIO_EXPORT(studio_puppet_create)
studio_puppet *studio_puppet_create(const studio_model *m, const double *positions, int fixed,
                                    double gravity, double ground) {
    last_fault = (ov_fault){0};
    studio_puppet *p = calloc(1, sizeof *p);
    if (p == NULL) {
        (void)fail(OV_ERROR_MEMORY);
    } else if (fail(fill_puppet(p, m, positions, fixed != 0, gravity, ground)) < 0) {
        studio_puppet_destroy(p);
        p = NULL;
    }
    return p;
}

static double twist_angle(const twist *t, ov_quat now) {
    ov_quat q = ov_quat_mul(now, ov_quat_conjugate(t->start));
    double along = q.x * t->axis.x + q.y * t->axis.y + q.z * t->axis.z;
    return 2.0 * atan2(q.w < 0.0 ? -along : along, fabs(q.w));
}

static void apply_twist(studio_puppet *p) {
    ov_sim_body_state s;
    const twist *t = &p->twist;
    if (t->body == 0 || ov_sim_body_get(p->sim, t->body, &s) < 0) {
        return;
    }
    double speed = ov_vec3_dot(s.angular_velocity, t->axis);
    double torque =
        t->stiffness * (t->angle - twist_angle(t, s.pose.rotation)) - t->damping * speed;
    (void)ov_sim_apply_force(p->sim, t->body, ov_vec3_make(0, 0, 0), s.centre,
                             ov_vec3_scale(t->axis, torque));
}

/** A frame: writes the poses of all links, and the largest distance of a joint's anchors after
 *  them. */
STUDIO_EXPORT(studio_puppet_step)
int studio_puppet_step(studio_puppet *p, double dt, double *out) {
    last_fault = (ov_fault){0};
    apply_twist(p);
    ov_sim_summary summary = {0};
    ov_status status = fail(ov_sim_step(p->sim, dt));
    for (size_t i = 0; i < p->link_count && status >= 0; i++) {
        ov_sim_body_state s = {.pose = ov_pose_identity()};
        if (p->bodies[i] != 0) {
            status = fail(ov_sim_body_get(p->sim, p->bodies[i], &s));
        }
        pose_to(s.pose, out + 7 * i);
    }
    if (status >= 0) {
        status = fail(ov_sim_summarize(p->sim, &summary));
        out[7 * p->link_count] = summary.joint_error;
    }
    return status;
}

STUDIO_EXPORT(studio_puppet_release) void studio_puppet_release(studio_puppet *p) {
    if (p->drag != 0) {
        (void)ov_sim_remove_joint(p->sim, p->drag);
    }
    p->drag = 0;
    p->twist = (twist){0};
}

/** Pulls a point of a link, at the place `point` of the world, towards `target`: a spring. Further
 *  calls before the release move the target. */
STUDIO_EXPORT(studio_puppet_pull)
int studio_puppet_pull(studio_puppet *p, size_t link, const double *point, const double *target) {
    last_fault = (ov_fault){0};
    if (link >= p->link_count || p->bodies[link] == 0) {
        return fail(OV_ERROR_INDEX);
    }
    if (p->drag != 0) {
        return fail(ov_sim_move_drag(p->sim, p->drag, vec3_of(target)));
    }
    const ov_sim_drag_def def = {
        .body = p->bodies[link], .point = vec3_of(point), .target = vec3_of(target)};
    return fail(ov_sim_add_drag(p->sim, &def, &p->drag));
}

/** Twists a link towards an angle from where it was, about a unit axis of the world. */
STUDIO_EXPORT(studio_puppet_twist)
int studio_puppet_twist(studio_puppet *p, size_t link, const double *axis, double angle) {
    last_fault = (ov_fault){0};
    ov_sim_body_state s;
    ov_sim_body_def def;
    if (link >= p->link_count || !isfinite(angle)) {
        return fail(OV_ERROR_INDEX);
    }
    ov_sim_body body = p->bodies[link];
    ov_status status = ov_sim_body_get(p->sim, body, &s);
    if (status >= 0) {
        status = ov_sim_body_def_of(p->sim, body, &def);
    }
    if (status < 0) {
        return fail(status);
    }
    if (p->twist.body != body) {
        // as stiff as a wrist: the link alone would swing at 2 Hz, critically damped
        const ov_mat3 *m = &def.mass.inertia;
        const double inertia = (m->cx.x + m->cy.y + m->cz.z) / 3.0, omega = 12.6;
        p->twist = (twist){.body = body,
                           .start = s.pose.rotation,
                           .axis = vec3_of(axis),
                           .stiffness = inertia * omega * omega,
                           .damping = 2.0 * inertia * omega};
    }
    p->twist.angle = angle;
    return fail(ov_sim_wake(p->sim, body));
}

/* ---- files ----------------------------------------------------------------------------------- */

/** Writes a model to a path of the module's own file system; the format is one of
 *  ov_robot_format. */
STUDIO_EXPORT(studio_model_write)
int studio_model_write(const studio_model *m, const char *path, int format,
                       const double *positions) {
    last_fault = (ov_fault){0};
    return fail(ov_robot_write(path, (ov_robot_format)format, m->robot, positions, &last_fault));
}
