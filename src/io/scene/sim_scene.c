/**
 * @file sim_scene.c
 * @brief Scenes of simulations from JSON: what they have besides a scene.
 *
 * Bodies are read by the reader of scenes (scene_read.c), which hands each on to here: masses,
 * velocities, motions. Robots come after them: each link with parts is a further body. Joints and
 * cloths come last, as joints refer to the names of bodies. What is read is tried out in a
 * simulation, so that every error has its place in the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <ovoid/io_robot.h>
#include <ovoid/io_sim.h>

#include "scene_internal.h"

static const double pi = 3.14159265358979323846;

/** What a body has that a scene does not own. */
typedef struct owned {
    ov_geometry *geometry;
    ov_motion *motion;
} owned;

/** A robot, how it becomes bodies, and where these are. */
typedef struct placed_robot {
    ov_robot *robot;
    ov_sim_model_def def;
    ov_mass *masses;
    double *positions;
    size_t *bodies; /**< of each link the number of its body in the scene, from 1; 0: none */
} placed_robot;

struct ov_sim_scene {
    ov_scene *scene;
    ov_vec3 gravity;
    double start, end;
    ov_sim_body_def *bodies;
    owned *owned;            /**< one per body */
    size_t count, own_count; /**< with the robots' bodies, and without */
    placed_robot *robots;
    size_t robot_count;
    ov_sim_joint_def *joints;
    size_t joint_count;
    ov_sim_scene_cloth *cloths;
    size_t cloth_count;
    ov_sim *trial; /**< of the bodies read so far, to find errors where they are */
    ov_sim_body *handles;
};

/* ---- numbers --------------------------------------------------------------------------------- */

/** A key whose value is one or three numbers. */
typedef struct field {
    const char *key;
    double *to;
    int width;
    double scale; /**< of what is in the file */
} field;

/** An error in a body, or where `what` is given in a joint or cloth of that name and number. */
typedef struct spot {
    ovi_scene_reader *r;
    const char *list, *what; /**< null: the body being read */
    size_t index;
} spot;

static ov_status refuse(const spot *s, const char *key, ov_status status, const char *text) {
    if (s->what == NULL) {
        return ovi_scene_refuse(s->r, key, status, "%s", text);
    }
    if (key != NULL) {
        (void)ovi_scene_refuse_file(s->r, s->list, "%s %zu, '%s': %s", s->what, s->index + 1, key,
                                    text);
    } else {
        (void)ovi_scene_refuse_file(s->r, s->list, "%s %zu: %s", s->what, s->index + 1, text);
    }
    return status;
}

/** Fields that are there; the others stay as they are. */
static ov_status read_fields(const spot *s, const json_t *object, const field *fields,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].key);
        double v[3];
        if (value == NULL) {
            continue;
        }
        if (!ovi_json_get_numbers(value, v, fields[i].width)) {
            return refuse(s, fields[i].key, OV_ERROR_FILE_FORMAT,
                          fields[i].width == 1 ? "must be a number"
                                               : "must be a list of 3 numbers");
        }
        for (int k = 0; k < fields[i].width; k++) {
            if (!(fabs(v[k]) <= OV_POSITION_MAX)) {
                return refuse(s, fields[i].key, OV_ERROR_SIZE_RANGE, "must be within 1e100");
            }
            fields[i].to[k] = v[k] * fields[i].scale;
        }
    }
    return OV_OK;
}

static ov_status check_object(const spot *s, json_t *object, const char *const *keys,
                              size_t count) {
    if (!json_is_object(object)) {
        return refuse(s, NULL, OV_ERROR_FILE_FORMAT, "must be an object");
    }
    const char *unknown = ovi_json_unknown_key(object, keys, count);
    if (unknown != NULL) {
        char hint[160], text[256];
        ovi_suggest(unknown, keys, count, hint, sizeof hint);
        (void)snprintf(text, sizeof text, "unknown key; %s", hint);
        return refuse(s, unknown, OV_ERROR_FILE_FORMAT, text);
    }
    return OV_OK;
}

static ov_status read_flag(const spot *s, const json_t *object, const char *key, bool *flag) {
    const json_t *value = json_object_get(object, key);
    if (value != NULL && !json_is_boolean(value)) {
        return refuse(s, key, OV_ERROR_FILE_FORMAT, "must be true or false");
    }
    *flag = json_is_true(value);
    return OV_OK;
}

/** The three components of a vector are one array. */
static double *components(ov_vec3 *v) { return &v->x; }

/* ---- bodies ---------------------------------------------------------------------------------- */

static const char *const body_keys[] = {
    "density",     "mass",    "velocity", "angular_velocity", "friction",
    "restitution", "rolling", "damping",  "angular_damping",  "group",
    "mask",        "fixed",   "motion"};
enum { BODY_KEYS = sizeof body_keys / sizeof body_keys[0] };

/** Can nothing move it? A half-space has no mass, and an open mesh no volume. */
static bool has_no_mass(const ov_scene_body *b) {
    for (size_t i = 0; i < b->part_count; i++) {
        const ov_part *part = &b->parts[i];
        if (part->mesh != NULL ? !ov_trimesh_is_solid(part->mesh)
                               : part->shape.kind == OV_SHAPE_KIND_HALFSPACE) {
            return true;
        }
    }
    return false;
}

/** What bodies are made of, whether of the file or of a robot. */
static ov_status read_material(const spot *s, const json_t *object, ov_sim_body_def *def) {
    const field fields[] = {
        {"density", &def->density, 1, 1.0},
        {"friction", &def->friction, 1, 1.0},
        {"restitution", &def->restitution, 1, 1.0},
        {"rolling", &def->rolling, 1, 1.0},
        {"damping", &def->damping, 1, 1.0},
        {"angular_damping", &def->angular_damping, 1, 1.0},
    };
    ov_status status = read_fields(s, object, fields, sizeof fields / sizeof fields[0]);
    // a zero in the file is meant, and not the default of the options
    if (json_object_get(object, "friction") != NULL && def->friction == 0.0) {
        def->friction = OV_ZERO;
    }
    return status;
}

static ov_status read_body_numbers(ovi_scene_reader *r, const json_t *body, ov_sim_body_def *def) {
    const spot here = {.r = r};
    const field fields[] = {
        {"mass", &def->mass.mass, 1, 1.0},
        {"velocity", components(&def->velocity), 3, 1.0},
        {"angular_velocity", components(&def->angular_velocity), 3, 1.0},
    };
    ov_status status = read_material(&here, body, def);
    status = status == OV_OK ? read_fields(&here, body, fields, 3) : status;
    if (status == OV_OK) {
        status = ovi_scene_read_bits(r, body, "group", &def->group);
    }
    return status == OV_OK ? ovi_scene_read_bits(r, body, "mask", &def->mask) : status;
}

static ov_status take_body(ovi_scene_reader *r, json_t *body) {
    ov_sim_scene *m = r->more->user;
    const ov_scene_body *b = ov_scene_get(r->scene, r->body);
    ov_sim_body_def *def = &m->bodies[r->body];
    owned *o = &m->owned[r->body];
    m->count++;
    *def = (ov_sim_body_def){.pose = b->pose};
    ov_status status = read_body_numbers(r, body, def);
    bool fixed = false;
    if (status == OV_OK) {
        status = ovi_scene_read_truth(r, body, "fixed", &fixed);
    }
    if (status == OV_OK) {
        status =
            ovi_scene_read_motion(r, json_object_get(body, "motion"), m->start, m->end, &o->motion);
    }
    if (status != OV_OK) {
        return status;
    }
    status = ov_geometry_create(b->parts, b->part_count, NULL, &o->geometry);
    def->geometry = o->geometry;
    def->motion = o->motion;
    def->motion_time = m->start;
    def->kind = o->motion != NULL         ? OV_SIM_BODY_KIND_KINEMATIC
                : fixed || has_no_mass(b) ? OV_SIM_BODY_KIND_FIXED
                                          : OV_SIM_BODY_KIND_DYNAMIC;
    if (status == OV_OK) {
        status = ov_sim_add_body(m->trial, def, &m->handles[r->body]);
    }
    return status == OV_OK ? OV_OK
                           : ovi_scene_refuse(r, NULL, status, "%s", ov_status_message(status));
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** The path of a file that is named in the scene; null for want of memory. */
static char *path_of(const spot *s, const char *name) {
    return name[0] == '/' ? strdup(name) : ovi_path_join(s->r->folder, name);
}

/** The scene notes the path and owns it from now on. */
static ov_status note_file(const spot *s, char *path, ov_status status) {
    bool noted = path == NULL || ovi_scene_take_file(s->r->scene, path);
    return noted || status != OV_OK ? status : refuse(s, NULL, OV_ERROR_MEMORY, "out of memory");
}

static ov_status load_robot(const spot *s, const json_t *object, placed_robot *robot) {
    const char *name = json_string_value(json_object_get(object, "file"));
    if (name == NULL || name[0] == '\0') {
        return refuse(s, "file", OV_ERROR_FILE_FORMAT, "must be the name of a URDF file");
    }
    char *path = path_of(s, name);
    ov_fault fault = {.text = "out of memory"};
    ov_status status =
        path != NULL ? ov_robot_read(path, NULL, &robot->robot, &fault) : OV_ERROR_MEMORY;
    if (status != OV_OK) {
        char text[OV_FAULT_TEXT_MAX + 40] = "";
        if (fault.place == OV_FAULT_PLACE_LINE) {
            (void)snprintf(text, sizeof text, "line %zu: ", fault.index);
        }
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s", fault.text);
        status = refuse(s, "file", status, text);
    }
    return note_file(s, path, status);
}

/** A column of R M R^T. */
static ov_vec3 turn_column(ov_quat rotation, const ov_mat3 *m, int column) {
    ov_vec3 axis = {column == 0, column == 1, column == 2};
    ov_vec3 own = ov_quat_rotate(ov_quat_conjugate(rotation), axis);
    return ov_quat_rotate(rotation, ov_mat3_mul_vec3(m, own));
}

/** Masses of the file; a mass of 0 has a body have that of its geometry. */
static ov_status take_masses(const spot *s, placed_robot *robot) {
    size_t count = ov_robot_link_count(robot->robot);
    robot->masses = calloc(count + 1, sizeof *robot->masses);
    if (robot->masses == NULL) {
        return refuse(s, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const ov_robot_link *link = ov_robot_get_link(robot->robot, i);
        if (!link->has_inertial || !(link->mass > 0.0)) {
            continue;
        }
        const double *v = link->inertia; // xx, xy, xz, yy, yz, zz
        ov_pose at = ov_pose_default(link->inertial_pose);
        const ov_mat3 own = {{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}};
        robot->masses[i] = (ov_mass){.mass = link->mass,
                                     .centroid = at.position,
                                     .inertia = {turn_column(at.rotation, &own, 0),
                                                 turn_column(at.rotation, &own, 1),
                                                 turn_column(at.rotation, &own, 2)}};
    }
    robot->def.masses = robot->masses;
    return OV_OK;
}

/** Positions of joints by name, the others being at rest. */
static ov_status read_positions(const spot *s, const json_t *object, placed_robot *robot) {
    json_t *list = json_object_get(object, "positions"), *value;
    const ov_model *model = ov_robot_model(robot->robot);
    const char *name;
    robot->positions = calloc(ov_model_position_count(model) + 1, sizeof *robot->positions);
    if (robot->positions == NULL) {
        return refuse(s, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    ov_model_rest(model, robot->positions);
    robot->def.positions = robot->positions;
    if (list != NULL && !json_is_object(list)) {
        return refuse(s, "positions", OV_ERROR_FILE_FORMAT,
                      "must be an object: names of joints, and numbers");
    }
    json_object_foreach(list, name, value) {
        uint32_t joint = ov_model_find_joint(model, name);
        double v;
        if (joint == OV_NO_LINK ||
            ov_joint_position_count(ov_model_joint(model, joint)->kind) != 1) {
            return refuse(s, "positions", OV_ERROR_INDEX,
                          "there is no joint with one coordinate of such a name");
        }
        if (!ovi_json_get_numbers(value, &v, 1) || !(fabs(v) <= OV_POSITION_MAX)) {
            return refuse(s, "positions", OV_ERROR_FILE_FORMAT, "must be numbers within 1e100");
        }
        robot->positions[ov_model_joint_position(model, joint)] = v;
    }
    return OV_OK;
}

/** One more body of the scene, which has no definition yet. */
static bool more_bodies(ov_sim_scene *m) {
    size_t room = m->count + 2;
    ov_sim_body_def *bodies = realloc(m->bodies, room * sizeof *bodies);
    m->bodies = bodies != NULL ? bodies : m->bodies;
    owned *own = realloc(m->owned, room * sizeof *own);
    m->owned = own != NULL ? own : m->owned;
    ov_sim_body *handles = realloc(m->handles, room * sizeof *handles);
    m->handles = handles != NULL ? handles : m->handles;
    return bodies != NULL && own != NULL && handles != NULL;
}

/** A link with parts as a body of the scene, where the simulation that is tried has it. */
static ov_status take_link(const spot *s, ov_sim_scene *m, placed_robot *robot, size_t link,
                           const char *prefix, ov_sim_body handle) {
    const ov_model *model = ov_robot_model(robot->robot);
    const ov_geometry *geometry = ov_model_link_geometry(model, link);
    const char *own = ov_model_link_name(model, link);
    char name[OV_SCENE_NAME_MAX + 1], text[2 * OV_SCENE_NAME_MAX + 60];
    ov_sim_body_def def;
    if (geometry == NULL || handle == 0) {
        return OV_OK;
    }
    int length = snprintf(name, sizeof name, "%s/%s", prefix, own);
    ov_status status = length < (int)sizeof name ? OV_OK : OV_ERROR_NAME;
    status = status == OV_OK ? ov_sim_body_def_of(m->trial, handle, &def) : status;
    if (status == OV_OK) {
        status = more_bodies(m) ? OV_OK : OV_ERROR_MEMORY;
    }
    if (status == OV_OK) {
        status = ov_scene_add_body(s->r->scene, name, ov_geometry_part(geometry, 0),
                                   ov_geometry_count(geometry), def.pose);
    }
    if (status != OV_OK) {
        (void)snprintf(text, sizeof text, "link '%.63s': as a body '%.63s': %s", own, name,
                       ov_status_message(status));
        return refuse(s, NULL, status, text);
    }
    m->bodies[m->count] = def;
    m->owned[m->count] = (owned){.geometry = NULL};
    m->handles[m->count] = handle;
    robot->bodies[link] = ++m->count;
    return OV_OK;
}

/** The robot in the simulation that is tried, and its links as bodies. */
static ov_status place_robot(const spot *s, ov_sim_scene *m, placed_robot *robot,
                             const char *prefix) {
    const ov_model *model = ov_robot_model(robot->robot);
    size_t links = ov_model_link_count(model);
    ov_sim_body *handles = calloc(links + 1, sizeof *handles);
    robot->bodies = calloc(links + 1, sizeof *robot->bodies);
    ov_fault fault = {.text = ""};
    ov_status status = OV_ERROR_MEMORY;
    if (handles != NULL && robot->bodies != NULL) {
        status = ov_sim_add_model(m->trial, model, &robot->def, handles, NULL, &fault);
    }
    if (status < 0) {
        char text[OV_FAULT_TEXT_MAX + 100] = "";
        bool of_link = fault.place == OV_FAULT_PLACE_LINK;
        if (of_link || fault.place == OV_FAULT_PLACE_JOINT) {
            (void)snprintf(text, sizeof text, "%s '%.63s': ", of_link ? "link" : "joint",
                           of_link ? ov_model_link_name(model, fault.index)
                                   : ov_model_joint(model, fault.index)->name);
        }
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s",
                       fault.text[0] != '\0' ? fault.text : ov_status_message(status));
        status = refuse(s, NULL, status, text);
    }
    for (size_t i = 0; i < links && status >= 0; i++) {
        // a link without mass has the handle of another one, and parts of its own never
        status = take_link(s, m, robot, i, prefix, handles[i]);
    }
    free(handles);
    return status;
}

static ov_status read_robot(const spot *s, ov_sim_scene *m, json_t *object, placed_robot *robot) {
    static const char *const keys[] = {
        "file",          "name",       "position", "rotation",    "fixed",   "positions",
        "density",       "friction",   "rolling",  "restitution", "damping", "angular_damping",
        "joint_damping", "free_mimics"};
    const field damping = {"joint_damping", &robot->def.damping, 1, 1.0};
    ov_status status = check_object(s, object, keys, sizeof keys / sizeof keys[0]);
    const json_t *name = json_object_get(object, "name");
    if (status == OV_OK && name != NULL &&
        (!json_is_string(name) || !ovi_is_name(json_string_value(name)))) {
        status = refuse(s, "name", OV_ERROR_NAME, "must be a text of 1 to 63 bytes");
    }
    status = status == OV_OK ? read_flag(s, object, "fixed", &robot->def.fixed) : status;
    status =
        status == OV_OK ? read_flag(s, object, "free_mimics", &robot->def.free_mimics) : status;
    status = status == OV_OK ? load_robot(s, object, robot) : status;
    status = status == OV_OK ? ovi_scene_read_pose(s->r, object, &robot->def.root) : status;
    status = status == OV_OK ? read_material(s, object, &robot->def.body) : status;
    status = status == OV_OK ? read_fields(s, object, &damping, 1) : status;
    status = status == OV_OK ? take_masses(s, robot) : status;
    status = status == OV_OK ? read_positions(s, object, robot) : status;
    if (status != OV_OK) {
        return status;
    }
    return place_robot(s, m, robot,
                       name != NULL ? json_string_value(name) : ov_robot_name(robot->robot));
}

/* ---- joints ---------------------------------------------------------------------------------- */

/** The number of the body that a joint names, from 1; 0 without the key. */
static ov_status read_body_name(const spot *s, const json_t *object, const char *key,
                                size_t *body) {
    const json_t *value = json_object_get(object, key);
    *body = 0;
    if (value == NULL) {
        return OV_OK;
    }
    if (!json_is_string(value)) {
        return refuse(s, key, OV_ERROR_FILE_FORMAT, "must be the name of a body");
    }
    *body = ovi_scene_find(s->r->scene, json_string_value(value));
    return *body != 0 ? OV_OK : refuse(s, key, OV_ERROR_INDEX, "there is no body of this name");
}

static ov_status read_joint_kind(const spot *s, const json_t *object, ov_joint_kind *kind) {
    static const ov_joint_kind known[] = {OV_JOINT_KIND_FIXED, OV_JOINT_KIND_REVOLUTE,
                                          OV_JOINT_KIND_CONTINUOUS, OV_JOINT_KIND_PRISMATIC,
                                          OV_JOINT_KIND_SPHERICAL};
    const char *name = json_string_value(json_object_get(object, "kind"));
    for (size_t i = 0; name != NULL && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, ov_joint_kind_name(known[i])) == 0) {
            *kind = known[i];
            return OV_OK;
        }
    }
    return refuse(s, "kind", OV_ERROR_FILE_FORMAT,
                  "must be fixed, revolute, continuous, prismatic or spherical");
}

/** A frame of the world, in that of a body; of the world itself, as it is. */
static ov_pose frame_in(const ov_sim_scene *m, size_t body, ov_vec3 point) {
    ov_pose frame = {.position = point, .rotation = ov_quat_identity()};
    if (body > 0) {
        ov_pose pose = m->bodies[body - 1].pose;
        frame.position = ov_pose_apply_inverse(pose, point);
        frame.rotation = ov_quat_conjugate(pose.rotation);
    }
    return frame;
}

/** Joint as the simulation takes it; its bodies are numbers of the scene. */
static ov_status read_joint(const spot *s, ov_sim_scene *m, json_t *object, ov_sim_joint_def *def) {
    static const char *const keys[] = {
        "kind",  "a",         "b",           "point",       "axis",      "lower",
        "upper", "lower_deg", "upper_deg",   "swing_deg",   "stiffness", "damping",
        "rest",  "rest_deg",  "motor_speed", "motor_limit", "collide"};
    ov_vec3 point = {0.0, 0.0, 0.0};
    const field fields[] = {
        {"point", components(&point), 3, 1.0},
        {"axis", components(&def->axis), 3, 1.0},
        {"lower", &def->lower, 1, 1.0},
        {"upper", &def->upper, 1, 1.0},
        {"lower_deg", &def->lower, 1, pi / 180.0},
        {"upper_deg", &def->upper, 1, pi / 180.0},
        {"swing_deg", &def->swing, 1, pi / 180.0},
        {"stiffness", &def->stiffness, 1, 1.0},
        {"damping", &def->damping, 1, 1.0},
        {"rest", &def->rest, 1, 1.0},
        {"rest_deg", &def->rest, 1, pi / 180.0},
        {"motor_speed", &def->motor_speed, 1, 1.0},
        {"motor_limit", &def->motor_limit, 1, 1.0},
    };
    size_t a = 0, b = 0;
    ov_status status = check_object(s, object, keys, sizeof keys / sizeof keys[0]);
    status = status == OV_OK ? read_joint_kind(s, object, &def->kind) : status;
    status = status == OV_OK ? read_body_name(s, object, "a", &a) : status;
    status = status == OV_OK ? read_body_name(s, object, "b", &b) : status;
    status =
        status == OV_OK ? read_fields(s, object, fields, sizeof fields / sizeof fields[0]) : status;
    if (status != OV_OK) {
        return status;
    }
    status = read_flag(s, object, "collide", &def->collide);
    if (status != OV_OK) {
        return status;
    }
    def->a = a;
    def->b = b;
    def->frame_a = frame_in(m, a, point);
    def->frame_b = frame_in(m, b, point);
    ov_sim_joint_def trial = *def;
    ov_sim_joint joint;
    trial.a = a > 0 ? m->handles[a - 1] : 0;
    trial.b = b > 0 ? m->handles[b - 1] : 0;
    status = ov_sim_add_joint(m->trial, &trial, &joint);
    return status >= 0 ? OV_OK : refuse(s, NULL, status, ov_status_message(status));
}

/* ---- cloths ---------------------------------------------------------------------------------- */

static ov_status read_count(const spot *s, const json_t *object, const char *key, uint32_t *count) {
    double v;
    if (!ovi_json_get_numbers(json_object_get(object, key), &v, 1) || v != floor(v) || v < 1.0 ||
        v > 10000.0) {
        return refuse(s, key, OV_ERROR_FILE_FORMAT, "must be a whole number from 1 to 10000");
    }
    *count = (uint32_t)v;
    return OV_OK;
}

static ov_status make_grid(const spot *s, const json_t *object, ov_sim_scene_cloth *cloth) {
    static const char *const needed[] = {"corner", "side_u", "side_v"};
    ov_vec3 corner = {0}, u = {0}, v = {0};
    const field fields[] = {{"corner", components(&corner), 3, 1.0},
                            {"side_u", components(&u), 3, 1.0},
                            {"side_v", components(&v), 3, 1.0}};
    uint32_t columns = 0, rows = 0;
    for (int i = 0; i < 3; i++) {
        if (json_object_get(object, needed[i]) == NULL) {
            return refuse(s, needed[i], OV_ERROR_FILE_FORMAT,
                          "a cloth needs corner, side_u, side_v, columns and rows, or a file");
        }
    }
    ov_status status = read_fields(s, object, fields, 3);
    status = status == OV_OK ? read_count(s, object, "columns", &columns) : status;
    status = status == OV_OK ? read_count(s, object, "rows", &rows) : status;
    if (status != OV_OK) {
        return status;
    }
    cloth->vertex_count = ((size_t)columns + 1) * ((size_t)rows + 1);
    cloth->triangle_count = 2 * (size_t)columns * rows;
    if (cloth->vertex_count > OV_SIM_SCENE_VERTICES_MAX) {
        return refuse(s, "columns", OV_ERROR_COUNT, "more than a million vertices");
    }
    cloth->positions = malloc(cloth->vertex_count * sizeof *cloth->positions);
    cloth->triangles = malloc(cloth->triangle_count * sizeof *cloth->triangles);
    if (cloth->positions == NULL || cloth->triangles == NULL) {
        return refuse(s, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    status = ov_cloth_grid_fill(corner, u, v, columns, rows, cloth->positions, cloth->triangles);
    return status == OV_OK ? OV_OK : refuse(s, NULL, status, ov_status_message(status));
}

/** A mesh of a file beside the scene, placed. */
static ov_status read_cloth_file(const spot *s, const json_t *object, ov_sim_scene_cloth *cloth) {
    const char *name = json_string_value(json_object_get(object, "file"));
    if (name == NULL || name[0] == '\0') {
        return refuse(s, "file", OV_ERROR_FILE_FORMAT, "must be the name of a file");
    }
    char *path = path_of(s, name);
    ov_mesh_data data = {0};
    ov_fault fault;
    ov_pose pose = ov_pose_identity();
    ov_status status = path != NULL ? ov_mesh_read(path, &data, &fault) : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        status = ovi_scene_read_pose(s->r, object, &pose);
    } else {
        status = refuse(s, "file", status, path != NULL ? fault.text : "out of memory");
    }
    status = note_file(s, path, status);
    if (status != OV_OK) {
        ov_mesh_free(&data);
        return status;
    }
    for (size_t i = 0; i < data.vertex_count; i++) {
        data.vertices[i] = ov_pose_apply(pose, data.vertices[i]);
    }
    cloth->positions = data.vertices;
    cloth->vertex_count = data.vertex_count;
    cloth->triangles = data.triangles;
    cloth->triangle_count = data.triangle_count;
    return OV_OK;
}

static ov_status read_pins(const spot *s, const json_t *object, ov_sim_scene_cloth *cloth) {
    const json_t *list = json_object_get(object, "pins");
    if (list == NULL) {
        return OV_OK;
    }
    if (!json_is_array(list)) {
        return refuse(s, "pins", OV_ERROR_FILE_FORMAT, "must be a list of indices of vertices");
    }
    cloth->pins = malloc((json_array_size(list) + 1) * sizeof *cloth->pins);
    if (cloth->pins == NULL) {
        return refuse(s, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        double v;
        if (!ovi_json_get_numbers(json_array_get(list, i), &v, 1) || v != floor(v) || v < 0.0 ||
            v >= (double)cloth->vertex_count) {
            return refuse(s, "pins", OV_ERROR_INDEX, "each must be the index of a vertex, from 0");
        }
        cloth->pins[cloth->pin_count++] = (uint32_t)v;
    }
    return OV_OK;
}

static ov_status read_cloth_options(const spot *s, ov_sim_scene *m, const json_t *object,
                                    ov_cloth_options *o) {
    double substeps = 0.0, iterations = 0.0;
    const field fields[] = {
        {"density", &o->density, 1, 1.0},       {"stretch", &o->stretch, 1, 1.0},
        {"shear", &o->shear, 1, 1.0},           {"bending", &o->bending, 1, 1.0},
        {"thickness", &o->thickness, 1, 1.0},   {"friction", &o->friction, 1, 1.0},
        {"damping", &o->damping, 1, 1.0},       {"air", &o->air, 1, 1.0},
        {"wind", components(&o->wind), 3, 1.0}, {"tear", &o->tear, 1, 1.0},
        {"substeps", &substeps, 1, 1.0},        {"iterations", &iterations, 1, 1.0},
    };
    ov_status status = read_flag(s, object, "self_collision", &o->self_collision);
    if (status == OV_OK) {
        status = read_fields(s, object, fields, sizeof fields / sizeof fields[0]);
    }
    if (status == OV_OK &&
        !(substeps >= 0.0 && substeps <= 1000.0 && iterations >= 0.0 && iterations <= 1000.0)) {
        status = refuse(s, "substeps", OV_ERROR_OPTION, "substeps and iterations: 0 to 1000");
    }
    if (status == OV_OK) {
        o->substeps = (unsigned)substeps;
        o->iterations = (unsigned)iterations;
        o->gravity = m->gravity;
    }
    return status;
}

static ov_status read_cloth_name(const spot *s, const json_t *object, ov_sim_scene_cloth *cloth) {
    const json_t *value = json_object_get(object, "name");
    const char *name = json_string_value(value);
    (void)snprintf(cloth->name, sizeof cloth->name, "cloth %zu", s->index + 1);
    if (value != NULL && (name == NULL || !ovi_is_name(name))) {
        return refuse(s, "name", OV_ERROR_NAME, "must be a text of 1 to 63 bytes");
    }
    if (name != NULL) {
        (void)snprintf(cloth->name, sizeof cloth->name, "%s", name);
    }
    return OV_OK;
}

static ov_status read_cloth(const spot *s, ov_sim_scene *m, json_t *object,
                            ov_sim_scene_cloth *cloth) {
    static const char *const keys[] = {
        "name",  "corner",   "side_u",         "side_v",   "columns",   "rows",
        "file",  "position", "rotation",       "pins",     "density",   "stretch",
        "shear", "bending",  "thickness",      "friction", "damping",   "air",
        "wind",  "tear",     "self_collision", "substeps", "iterations"};
    ov_status status = check_object(s, object, keys, sizeof keys / sizeof keys[0]);
    status = status == OV_OK ? read_cloth_name(s, object, cloth) : status;
    if (status == OV_OK) {
        status = json_object_get(object, "file") != NULL ? read_cloth_file(s, object, cloth)
                                                         : make_grid(s, object, cloth);
    }
    status = status == OV_OK ? read_pins(s, object, cloth) : status;
    status = status == OV_OK ? read_cloth_options(s, m, object, &cloth->options) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_cloth *trial = NULL;
    status = ov_cloth_create(cloth->positions, cloth->vertex_count,
                             (const uint32_t(*)[3])cloth->triangles, cloth->triangle_count,
                             &cloth->options, &trial);
    ov_cloth_destroy(trial);
    return status >= 0 ? OV_OK : refuse(s, NULL, status, ov_status_message(status));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ov_status read_time(ovi_scene_reader *r, const json_t *root, ov_sim_scene *m) {
    const json_t *time = json_object_get(root, "time");
    double v[2] = {0.0, 5.0};
    if (time != NULL && (!ovi_json_get_numbers(time, v, 2) || !(v[0] < v[1]) ||
                         !(fabs(v[0]) <= 1e9) || !(fabs(v[1]) <= 1e9))) {
        (void)ovi_scene_refuse_file(r, "time",
                                    "'time' must be a start and a later end, within 1e9");
        return OV_ERROR_TIME;
    }
    m->start = v[0];
    m->end = v[1];
    return OV_OK;
}

static ov_status begin(ovi_scene_reader *r, const json_t *root, size_t count) {
    ov_sim_scene *m = r->more->user;
    const json_t *gravity = json_object_get(root, "gravity");
    double g[3] = {0.0, 0.0, -9.81};
    if (gravity != NULL && !ovi_json_get_numbers(gravity, g, 3)) {
        return ovi_scene_refuse_file(r, "gravity", "'gravity' must be a list of 3 numbers");
    }
    m->gravity = ov_vec3_make(g[0], g[1], g[2]);
    if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0) {
        m->gravity.z = OV_ZERO; // none is meant, not the default
    }
    ov_status status = read_time(r, root, m);
    if (status != OV_OK) {
        return status;
    }
    m->bodies = calloc(count + 1, sizeof *m->bodies);
    m->owned = calloc(count + 1, sizeof *m->owned);
    m->handles = calloc(count + 1, sizeof *m->handles);
    if (m->bodies == NULL || m->owned == NULL || m->handles == NULL) {
        return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    ov_sim_options options = {.gravity = m->gravity, .threads = {.count = 1}};
    status = ov_sim_create(&options, &m->trial);
    if (status != OV_OK) {
        (void)ovi_scene_refuse_file(r, "gravity", "%s", ov_status_message(status));
    }
    return status;
}

/** A list of the file; of no more than `most` elements. */
static ov_status get_list(ovi_scene_reader *r, const json_t *root, const char *key, size_t most,
                          const json_t **list, size_t *count) {
    *list = json_object_get(root, key);
    *count = json_array_size(*list);
    if (*list != NULL && !json_is_array(*list)) {
        return ovi_scene_refuse_file(r, key, "'%s' must be a list", key);
    }
    if (*count > most) {
        (void)ovi_scene_refuse_file(r, key, "%zu %s are more than %zu", *count, key, most);
        return OV_ERROR_COUNT;
    }
    return OV_OK;
}

static ov_status end(ovi_scene_reader *r, const json_t *root) {
    ov_sim_scene *m = r->more->user;
    const json_t *robots, *joints, *cloths;
    size_t robot_count, joint_count, cloth_count;
    ov_status status = get_list(r, root, "robots", OV_SIM_SCENE_ROBOTS_MAX, &robots, &robot_count);
    if (status == OV_OK) {
        status = get_list(r, root, "joints", OV_SIM_SCENE_JOINTS_MAX, &joints, &joint_count);
    }
    if (status == OV_OK) {
        status = get_list(r, root, "cloths", OV_SIM_SCENE_CLOTHS_MAX, &cloths, &cloth_count);
    }
    if (status != OV_OK) {
        return status;
    }
    m->own_count = m->count;
    m->robots = calloc(robot_count + 1, sizeof *m->robots);
    m->joints = calloc(joint_count + 1, sizeof *m->joints);
    m->cloths = calloc(cloth_count + 1, sizeof *m->cloths);
    if (m->robots == NULL || m->joints == NULL || m->cloths == NULL) {
        return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    for (size_t i = 0; i < robot_count && status == OV_OK; i++) {
        const spot s = {r, "robots", "robot", i};
        status = read_robot(&s, m, json_array_get(robots, i), &m->robots[m->robot_count++]);
    }
    for (size_t i = 0; i < joint_count && status == OV_OK; i++) {
        const spot s = {r, "joints", "joint", i};
        status = read_joint(&s, m, json_array_get(joints, i), &m->joints[m->joint_count++]);
    }
    for (size_t i = 0; i < cloth_count && status == OV_OK; i++) {
        const spot s = {r, "cloths", "cloth", i};
        status = read_cloth(&s, m, json_array_get(cloths, i), &m->cloths[m->cloth_count++]);
    }
    return status;
}

/** By name, or from a stream where there is none. */
static ov_status read_scene(const char *path, FILE *stream, const char *folder,
                            ov_sim_scene **scene, ov_fault *fault) {
    static const char *const root_keys[] = {"gravity", "time", "robots", "joints", "cloths"};
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (scene == NULL) {
        return OV_ERROR_NULL;
    }
    *scene = NULL;
    ov_sim_scene *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    const ovi_scene_more more = {.user = m,
                                 .root_keys = root_keys,
                                 .root_key_count = sizeof root_keys / sizeof root_keys[0],
                                 .body_keys = body_keys,
                                 .body_key_count = BODY_KEYS,
                                 .begin = begin,
                                 .body = take_body,
                                 .end = end};
    ov_status status = path != NULL
                           ? ovi_scene_read_path(path, &more, &m->scene, fault)
                           : ovi_scene_read_stream(stream, folder, &more, &m->scene, fault);
    ov_sim_destroy(m->trial);
    m->trial = NULL;
    if (status != OV_OK) {
        ov_sim_scene_destroy(m);
        return status;
    }
    *scene = m;
    return OV_OK;
}

ov_status ov_sim_scene_read(const char *path, ov_sim_scene **scene, ov_fault *fault) {
    return read_scene(path, NULL, NULL, scene, fault);
}

ov_status ov_sim_scene_read_stream(FILE *stream, const char *folder, ov_sim_scene **scene,
                                   ov_fault *fault) {
    return read_scene(NULL, stream, folder, scene, fault);
}

void ov_sim_scene_destroy(ov_sim_scene *scene) {
    if (scene == NULL) {
        return;
    }
    for (size_t i = 0; i < scene->count; i++) {
        ov_geometry_destroy(scene->owned[i].geometry);
        ov_motion_destroy(scene->owned[i].motion);
    }
    for (size_t i = 0; i < scene->robot_count; i++) {
        ov_robot_destroy(scene->robots[i].robot);
        free(scene->robots[i].masses);
        free(scene->robots[i].positions);
        free(scene->robots[i].bodies);
    }
    for (size_t i = 0; i < scene->cloth_count; i++) {
        free(scene->cloths[i].positions);
        free(scene->cloths[i].triangles);
        free(scene->cloths[i].pins);
    }
    free(scene->owned);
    free(scene->bodies);
    free(scene->handles);
    free(scene->robots);
    free(scene->joints);
    free(scene->cloths);
    ov_scene_destroy(scene->scene);
    free(scene);
}

const ov_scene *ov_sim_scene_bodies(const ov_sim_scene *scene) { return scene->scene; }

const ov_sim_body_def *ov_sim_scene_body(const ov_sim_scene *scene, size_t index) {
    return index < scene->count ? &scene->bodies[index] : NULL;
}

size_t ov_sim_scene_joint_count(const ov_sim_scene *scene) { return scene->joint_count; }

const ov_sim_joint_def *ov_sim_scene_joint(const ov_sim_scene *scene, size_t index) {
    return index < scene->joint_count ? &scene->joints[index] : NULL;
}

size_t ov_sim_scene_cloth_count(const ov_sim_scene *scene) { return scene->cloth_count; }

const ov_sim_scene_cloth *ov_sim_scene_get_cloth(const ov_sim_scene *scene, size_t index) {
    return index < scene->cloth_count ? &scene->cloths[index] : NULL;
}

ov_vec3 ov_sim_scene_gravity(const ov_sim_scene *scene) { return scene->gravity; }
double ov_sim_scene_start(const ov_sim_scene *scene) { return scene->start; }
double ov_sim_scene_end(const ov_sim_scene *scene) { return scene->end; }

/** Bodies and joints of a robot; `handles` are those of the scene's bodies. */
static ov_status begin_robot(const placed_robot *robot, ov_sim *sim, ov_sim_body *handles) {
    const ov_model *model = ov_robot_model(robot->robot);
    size_t links = ov_model_link_count(model);
    ov_sim_body *own = calloc(links + 1, sizeof *own);
    ov_status status =
        own != NULL ? ov_sim_add_model(sim, model, &robot->def, own, NULL, NULL) : OV_ERROR_MEMORY;
    for (size_t i = 0; i < links && status >= 0; i++) {
        if (robot->bodies[i] > 0) {
            handles[robot->bodies[i] - 1] = own[i];
        }
    }
    free(own);
    return status;
}

ov_status ov_sim_scene_begin(const ov_sim_scene *scene, const ov_sim_options *options, ov_sim **sim,
                             ov_sim_body *handles) {
    if (scene == NULL || sim == NULL || (handles == NULL && scene->count > 0)) {
        return OV_ERROR_NULL;
    }
    ov_sim_options o = options != NULL ? *options : (ov_sim_options){0};
    o.gravity = scene->gravity;
    ov_status status = ov_sim_create(&o, sim);
    for (size_t i = 0; i < scene->own_count && status >= 0; i++) {
        status = ov_sim_add_body(*sim, &scene->bodies[i], &handles[i]);
    }
    for (size_t i = 0; i < scene->robot_count && status >= 0; i++) {
        status = begin_robot(&scene->robots[i], *sim, handles);
    }
    for (size_t i = 0; i < scene->joint_count && status >= 0; i++) {
        ov_sim_joint_def def = scene->joints[i];
        ov_sim_joint joint;
        def.a = def.a > 0 ? handles[def.a - 1] : 0;
        def.b = def.b > 0 ? handles[def.b - 1] : 0;
        status = ov_sim_add_joint(*sim, &def, &joint);
    }
    if (status < 0 && *sim != NULL) {
        ov_sim_destroy(*sim);
        *sim = NULL;
    }
    return status;
}
