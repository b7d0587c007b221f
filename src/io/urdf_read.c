/**
 * @file urdf_read.c
 * @brief Robots from URDF, as ROS and others write it.
 *
 * URDF files carry much for other programs (transmissions, sensors, simulators). Elements of the
 * robot, of links and of joints that are not known are kept as they are, to be written again;
 * others, and attributes, are passed over. What is known must be right, number by number, and every
 * message has the line. Links and joints may come in any order, so names are looked up when
 * all are there (urdf_join.c).
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "urdf_internal.h"

/* ---- messages -------------------------------------------------------------------------------- */

ov_status ovi_urdf_refuse(ovi_urdf *u, size_t line, ov_status status, const char *format, ...) {
    char text[OV_FAULT_TEXT_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return ovi_file_fault(u->fault, status, line, "%s%s%s", u->where,
                          u->where[0] != '\0' ? ": " : "", text);
}

ov_status ovi_urdf_no_memory(ovi_urdf *u) {
    return ovi_file_fault(u->fault, OV_ERROR_MEMORY, 0, "out of memory");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/** One number of a text; `*s` goes behind it. NaN and infinity are read as what they are. */
static bool next_number(const char **s, double *value) {
    while (is_blank(**s)) {
        (*s)++;
    }
    size_t length = 0;
    while ((*s)[length] != '\0' && !is_blank((*s)[length])) {
        // strtod would also take hexadecimal numbers
        if ((*s)[length] == 'x' || (*s)[length] == 'X') {
            return false;
        }
        length++;
    }
    char *end;
    *value = strtod(*s, &end);
    bool good = length > 0 && end == *s + length;
    *s += length;
    return good;
}

/** Exactly `count` numbers. */
static bool get_numbers(const char *text, double *values, int count) {
    for (int i = 0; i < count; i++) {
        if (!next_number(&text, &values[i])) {
            return false;
        }
    }
    while (is_blank(*text)) {
        text++;
    }
    return *text == '\0';
}

static ov_status refuse_numbers(ovi_urdf *u, const ovi_xml_node *node, const char *attribute,
                                const char *text, int count) {
    static const char *const words[] = {"a number", "a number", "two numbers", "three numbers",
                                        "four numbers"};
    bool xacro = strstr(text, "${") != NULL || strstr(text, "$(") != NULL;
    return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                           "%s of <%.30s> is \"%.40s\", not %s%s", attribute, node->name, text,
                           words[count], xacro ? ": xacro must be expanded first" : "");
}

ov_status ovi_urdf_numbers(ovi_urdf *u, const ovi_xml_node *node, const char *attribute,
                           ovi_urdf_need need, double *values, int count) {
    double read[4];
    const char *text = ovi_xml_attribute(node, attribute);
    if (text == NULL && need == OVI_URDF_OPTIONAL) {
        return OV_OK;
    }
    if (text == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%.30s> needs %s", node->name,
                               attribute);
    }
    if (!get_numbers(text, read, count)) {
        return refuse_numbers(u, node, attribute, text, count);
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(read[i])) {
            return ovi_urdf_refuse(u, node->line, OV_ERROR_NOT_FINITE,
                                   "%s of <%.30s> is \"%.40s\": not finite", attribute, node->name,
                                   text);
        }
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return OV_OK;
}

/** A limit: it may be infinite, for which the largest number stands too. */
static ov_status read_limit(ovi_urdf *u, const ovi_xml_node *node, const char *attribute,
                            double *value) {
    double read;
    const char *text = ovi_xml_attribute(node, attribute);
    if (text == NULL) {
        return OV_OK;
    }
    if (!get_numbers(text, &read, 1)) {
        return refuse_numbers(u, node, attribute, text, 1);
    }
    if (isnan(read)) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_NOT_FINITE, "%s of <%.30s> is not a number",
                               attribute, node->name);
    }
    *value = fabs(read) >= DBL_MAX ? copysign(INFINITY, read) : read;
    return OV_OK;
}

/** The <origin> of an element; without one the pose stays as it is. */
static ov_status read_origin(ovi_urdf *u, const ovi_xml_node *node, ov_pose *pose) {
    const ovi_xml_node *origin = ovi_xml_child(node, "origin");
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    if (origin == NULL) {
        return OV_OK;
    }
    ov_status status = ovi_urdf_numbers(u, origin, "xyz", OVI_URDF_OPTIONAL, xyz, 3);
    if (status == OV_OK) {
        status = ovi_urdf_numbers(u, origin, "rpy", OVI_URDF_OPTIONAL, rpy, 3);
    }
    for (int i = 0; i < 3 && status == OV_OK; i++) {
        if (fabs(xyz[i]) > OV_POSITION_MAX) {
            return ovi_urdf_refuse(u, origin->line, OV_ERROR_SIZE_RANGE, "xyz of <origin>: %s",
                                   ov_status_message(OV_ERROR_SIZE_RANGE));
        }
    }
    if (status == OV_OK) {
        pose->position = ov_vec3_make(xyz[0], xyz[1], xyz[2]);
        pose->rotation = ovi_quat_of_rpy(rpy[0], rpy[1], rpy[2]);
    }
    return status;
}

/** A name that must be there, as the robot's own text. */
static ov_status read_name(ovi_urdf *u, const ovi_xml_node *node, const char *attribute,
                           const char **name) {
    const char *text = ovi_xml_attribute(node, attribute);
    if (text == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%.30s> needs %s", node->name,
                               attribute);
    }
    if (!ovi_is_robot_name(text)) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_NAME,
                               text[0] == '\0' ? "%s of <%.30s> is empty"
                                               : "%s of <%.30s> has control characters",
                               attribute, node->name);
    }
    *name = ovi_robot_text(u->robot, text);
    return *name != NULL ? OV_OK : ovi_urdf_no_memory(u);
}

/* ---- materials ------------------------------------------------------------------------------- */

/** The colour of a <material>, if it has one. */
static ov_status read_colour(ovi_urdf *u, const ovi_xml_node *material, bool *has, double *colour) {
    const ovi_xml_node *node = ovi_xml_child(material, "color");
    *has = node != NULL;
    ov_status status =
        node != NULL ? ovi_urdf_numbers(u, node, "rgba", OVI_URDF_NEEDED, colour, 4) : OV_OK;
    for (int i = 0; i < 4 && *has && status == OV_OK; i++) {
        // what no screen can show does no harm
        colour[i] = fmin(fmax(colour[i], 0.0), 1.0);
    }
    return status;
}

/** A material with a colour and a name can be named elsewhere. */
static ov_status define_material(ovi_urdf *u, const char *name, const double *colour) {
    ovi_urdf_material *all = ovi_grow(u->materials, u->material_count, sizeof *all);
    u->materials = all != NULL ? all : u->materials;
    const char *text = all != NULL ? ovi_robot_text(u->robot, name) : NULL;
    if (text == NULL) {
        return ovi_urdf_no_memory(u);
    }
    ovi_urdf_material *m = &all[u->material_count++];
    m->name = text;
    memcpy(m->colour, colour, sizeof m->colour);
    return OV_OK;
}

static ov_status take_material(ovi_urdf *u, const ovi_xml_node *node) {
    const char *name = ovi_xml_attribute(node, "name");
    double colour[4];
    bool has;
    ov_status status = read_colour(u, node, &has, colour);
    return status == OV_OK && has && name != NULL ? define_material(u, name, colour) : status;
}

/** The material of a visual: a colour of its own, or a name. */
static ov_status read_material(ovi_urdf *u, const ovi_xml_node *node, size_t link, size_t visual,
                               ov_robot_shape *shape) {
    const ovi_xml_node *material = ovi_xml_child(node, "material");
    const char *name = material != NULL ? ovi_xml_attribute(material, "name") : NULL;
    if (material == NULL) {
        return OV_OK;
    }
    ov_status status = read_colour(u, material, &shape->has_colour, shape->colour);
    if (status != OV_OK || name == NULL || name[0] == '\0') {
        return status;
    }
    if (shape->has_colour) {
        return define_material(u, name, shape->colour);
    }
    ovi_urdf_painted *all = ovi_grow(u->painted, u->painted_count, sizeof *all);
    u->painted = all != NULL ? all : u->painted;
    const char *text = all != NULL ? ovi_robot_text(u->robot, name) : NULL;
    if (text == NULL) {
        return ovi_urdf_no_memory(u);
    }
    all[u->painted_count++] = (ovi_urdf_painted){text, link, visual};
    return OV_OK;
}

/* ---- links ----------------------------------------------------------------------------------- */

static ov_status read_inertial(ovi_urdf *u, const ovi_xml_node *node, ov_robot_link *link) {
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const ovi_xml_node *mass = ovi_xml_child(node, "mass");
    const ovi_xml_node *inertia = ovi_xml_child(node, "inertia");
    link->has_inertial = true;
    ov_status status = read_origin(u, node, &link->inertial_pose);
    if (status == OV_OK && mass != NULL) {
        status = ovi_urdf_numbers(u, mass, "value", OVI_URDF_NEEDED, &link->mass, 1);
    }
    if (status == OV_OK && link->mass < 0.0) {
        return ovi_urdf_refuse(u, mass->line, OV_ERROR_FILE_FORMAT, "the mass is negative");
    }
    for (int i = 0; i < 6 && status == OV_OK && inertia != NULL; i++) {
        status = ovi_urdf_numbers(u, inertia, names[i], OVI_URDF_OPTIONAL, &link->inertia[i], 1);
    }
    return status;
}

/** A <collision> or <visual>. */
static ov_status read_shape(ovi_urdf *u, const ovi_xml_node *node, size_t link, bool visual) {
    const ovi_xml_node *geometry = ovi_xml_child(node, "geometry");
    const char *name = ovi_xml_attribute(node, "name");
    if (geometry == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%s> needs <geometry>",
                               node->name);
    }
    if (u->robot->shape_count == OVI_ROBOT_SHAPES_MAX) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_COUNT, "more than %zu shapes",
                               OVI_ROBOT_SHAPES_MAX);
    }
    const ov_robot_link *l = &u->robot->links[link];
    size_t index = visual ? l->visual_count : l->collision_count;
    ov_robot_shape *shape = ovi_robot_add_shape(u->robot, link, visual);
    if (shape == NULL) {
        return ovi_urdf_no_memory(u);
    }
    ov_status status = OV_OK;
    if (name != NULL && name[0] != '\0') {
        status = read_name(u, node, "name", &shape->name);
    }
    if (status == OV_OK) {
        status = read_origin(u, node, &shape->pose);
    }
    if (status == OV_OK) {
        status = ovi_urdf_geometry(u, geometry, visual, shape);
    }
    return status == OV_OK && visual ? read_material(u, node, link, index, shape) : status;
}

static ov_status take_link(ovi_urdf *u, const ovi_xml_node *node) {
    size_t index = u->robot->link_count;
    if (index == OV_ROBOT_LINKS_MAX) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_COUNT, "more than %zu links",
                               OV_ROBOT_LINKS_MAX);
    }
    size_t *lines = ovi_grow(u->link_lines, index, sizeof *lines);
    u->link_lines = lines != NULL ? lines : u->link_lines;
    ov_robot_link *link = lines != NULL ? ovi_robot_add_link(u->robot) : NULL;
    if (link == NULL) {
        return ovi_urdf_no_memory(u);
    }
    lines[index] = node->line;
    ov_status status = read_name(u, node, "name", &link->name);
    if (status != OV_OK) {
        return status;
    }
    (void)snprintf(u->where, sizeof u->where, "link \"%.60s\"", link->name);
    for (const ovi_xml_node *n = node->first; n != NULL && status == OV_OK; n = n->next) {
        if (strcmp(n->name, "inertial") == 0) {
            status = read_inertial(u, n, link);
        } else if (strcmp(n->name, "collision") == 0 || strcmp(n->name, "visual") == 0) {
            status = read_shape(u, n, index, n->name[0] == 'v');
        }
    }
    return status;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static ov_status read_kind(ovi_urdf *u, const ovi_xml_node *node, ov_joint_kind *kind) {
    const char *names[OV_JOINT_KIND_COUNT];
    const char *type = ovi_xml_attribute(node, "ovoid:type");
    type = type != NULL ? type : ovi_xml_attribute(node, "type");
    if (type == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<joint> needs type");
    }
    for (int i = 0; i < OV_JOINT_KIND_COUNT; i++) {
        names[i] = ov_joint_kind_name((ov_joint_kind)i);
        if (strcmp(type, names[i]) == 0) {
            *kind = (ov_joint_kind)i;
            return OV_OK;
        }
    }
    const char *near = ovi_nearest(type, names, OV_JOINT_KIND_COUNT);
    return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                           near != NULL ? "type \"%.40s\" is not known; did you mean \"%s\"?"
                                        : "type \"%.40s\" is not known%s",
                           type, near != NULL ? near : "");
}

/** A zero that the file means as such, not as the default that it is in a joint. */
static void mean_zero(double *value) { *value = *value != 0.0 ? *value : OV_ZERO; }

/** Limits and the like; lower and upper count for two kinds only. */
static ov_status read_limits(ovi_urdf *u, const ovi_xml_node *node, ov_robot_joint *joint) {
    const ovi_xml_node *limit = ovi_xml_child(node, "limit");
    const ovi_xml_node *dynamics = ovi_xml_child(node, "dynamics");
    bool bounded =
        joint->def.kind == OV_JOINT_KIND_REVOLUTE || joint->def.kind == OV_JOINT_KIND_PRISMATIC;
    if (bounded && limit == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "a %s joint needs <limit>",
                               ov_joint_kind_name(joint->def.kind));
    }
    ov_status status = OV_OK;
    if (bounded) {
        joint->def.lower = joint->def.upper = 0.0;
        status = read_limit(u, limit, "lower", &joint->def.lower);
        if (status == OV_OK) {
            status = read_limit(u, limit, "upper", &joint->def.upper);
        }
    }
    if (status == OV_OK && limit != NULL) {
        status = read_limit(u, limit, "velocity", &joint->velocity);
    }
    if (status == OV_OK && limit != NULL) {
        status = read_limit(u, limit, "effort", &joint->effort);
    }
    if (joint->def.lower == 0.0) {
        mean_zero(&joint->def.upper);
    }
    mean_zero(&joint->velocity);
    mean_zero(&joint->effort);
    if (status == OV_OK && dynamics != NULL) {
        status = ovi_urdf_numbers(u, dynamics, "damping", OVI_URDF_OPTIONAL, &joint->damping, 1);
    }
    if (status == OV_OK && dynamics != NULL) {
        status = ovi_urdf_numbers(u, dynamics, "friction", OVI_URDF_OPTIONAL, &joint->friction, 1);
    }
    return status;
}

static ov_status read_axis(ovi_urdf *u, const ovi_xml_node *node, ov_joint_def *def) {
    const ovi_xml_node *axis = ovi_xml_child(node, "axis");
    double xyz[3] = {1.0, 0.0, 0.0};
    // many files have an axis of zeros where it does not matter
    if (axis == NULL || def->kind < OV_JOINT_KIND_REVOLUTE || def->kind > OV_JOINT_KIND_PLANAR) {
        return OV_OK;
    }
    ov_status status = ovi_urdf_numbers(u, axis, "xyz", OVI_URDF_NEEDED, xyz, 3);
    if (status == OV_OK && xyz[0] == 0.0 && xyz[1] == 0.0 && xyz[2] == 0.0) {
        return ovi_urdf_refuse(u, axis->line, OV_ERROR_ZERO_DIRECTION, "the axis is zero");
    }
    def->axis = ov_vec3_make(xyz[0], xyz[1], xyz[2]);
    return status;
}

static ov_status read_mimic(ovi_urdf *u, const ovi_xml_node *node, ov_joint_def *def,
                            ovi_urdf_name *name) {
    const ovi_xml_node *mimic = ovi_xml_child(node, "mimic");
    if (mimic == NULL) {
        return OV_OK;
    }
    name->line = mimic->line;
    ov_status status = read_name(u, mimic, "joint", &name->text);
    if (status == OV_OK) {
        status = ovi_urdf_numbers(u, mimic, "multiplier", OVI_URDF_OPTIONAL, &def->multiplier, 1);
        mean_zero(&def->multiplier);
    }
    return status == OV_OK
               ? ovi_urdf_numbers(u, mimic, "offset", OVI_URDF_OPTIONAL, &def->offset, 1)
               : status;
}

/** The link that a <parent> or <child> names. */
static ov_status read_end(ovi_urdf *u, const ovi_xml_node *node, const char *end,
                          ovi_urdf_name *name) {
    const ovi_xml_node *n = ovi_xml_child(node, end);
    if (n == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<joint> needs <%s>", end);
    }
    name->line = n->line;
    return read_name(u, n, "link", &name->text);
}

static ov_status take_joint(ovi_urdf *u, const ovi_xml_node *node) {
    size_t index = u->robot->joint_count;
    if (index == OV_ROBOT_LINKS_MAX) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_COUNT, "more than %zu joints",
                               OV_ROBOT_LINKS_MAX);
    }
    size_t *lines = ovi_grow(u->joint_lines, index, sizeof *lines);
    u->joint_lines = lines != NULL ? lines : u->joint_lines;
    ovi_urdf_ends *all = ovi_grow(u->ends, index, sizeof *all);
    u->ends = all != NULL ? all : u->ends;
    ov_robot_joint *joint = lines != NULL && all != NULL ? ovi_robot_add_joint(u->robot) : NULL;
    if (joint == NULL) {
        return ovi_urdf_no_memory(u);
    }
    ovi_urdf_ends *ends = &all[index];
    *ends = (ovi_urdf_ends){{NULL, index, 0}, {NULL, index, 0}, {NULL, index, 0}};
    lines[index] = node->line;
    ov_status status = read_name(u, node, "name", &joint->def.name);
    if (status != OV_OK) {
        return status;
    }
    (void)snprintf(u->where, sizeof u->where, "joint \"%.60s\"", joint->def.name);
    status = read_kind(u, node, &joint->def.kind);
    status = status == OV_OK ? read_end(u, node, "parent", &ends->parent) : status;
    status = status == OV_OK ? read_end(u, node, "child", &ends->child) : status;
    status = status == OV_OK ? read_origin(u, node, &joint->def.origin) : status;
    status = status == OV_OK ? read_axis(u, node, &joint->def) : status;
    status = status == OV_OK ? read_limits(u, node, joint) : status;
    return status == OV_OK ? read_mimic(u, node, &joint->def, &ends->mimic) : status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** Keeps the attributes of the root that are for others: prefixes that their elements need. */
static ov_status keep_attributes(ovi_urdf *u, const ovi_xml_node *root) {
    size_t count = 0;
    while (root->attributes[count] != NULL) {
        count += 2;
    }
    const char **kept = calloc(count + 1, sizeof *kept);
    if (kept == NULL || !ovi_robot_keep(u->robot, (void *)kept, free)) {
        return ovi_urdf_no_memory(u);
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i += 2) {
        const char *name = root->attributes[i];
        // what is written anew, and what stands for Ovoid's own
        if (strcmp(name, "name") == 0 || strcmp(name, "xmlns:ovoid") == 0 || name[0] == '?' ||
            strncmp(name, "ovoid:", 6) == 0) {
            continue;
        }
        for (size_t k = i; k < i + 2; k++) {
            kept[used] = ovi_robot_text(u->robot, root->attributes[k]);
            if (kept[used++] == NULL) {
                return ovi_urdf_no_memory(u);
            }
        }
    }
    u->robot->attributes = kept;
    return OV_OK;
}

static ov_status open_robot(void *user, const ovi_xml_node *root) {
    ovi_urdf *u = user;
    const char *name = ovi_xml_attribute(root, "name");
    u->root_line = root->line;
    if (strcmp(root->name, "robot") != 0) {
        const char *what = strcmp(root->name, "sdf") == 0       ? ": this is SDFormat"
                           : strcmp(root->name, "mujoco") == 0  ? ": this is MJCF"
                           : strcmp(root->name, "COLLADA") == 0 ? ": this is COLLADA"
                                                                : "";
        return ovi_urdf_refuse(u, root->line, OV_ERROR_FILE_FORMAT,
                               "<%.40s> stands where <robot> should be%s", root->name, what);
    }
    ov_status status =
        name == NULL || name[0] == '\0' ? OV_OK : read_name(u, root, "name", &u->robot->name);
    return status == OV_OK ? keep_attributes(u, root) : status;
}

static bool is_one_of(const char *name, const char *const *words) {
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/** What is not known, and the <mimic> of a joint that is fixed: it cannot follow. */
static bool is_text(const ovi_xml_node *parent, const char *name) {
    static const char *const of_robot[] = {"link", "joint", "material", NULL};
    static const char *const of_link[] = {"inertial", "collision", "visual", NULL};
    static const char *const of_joint[] = {"parent", "child",    "origin", "axis",
                                           "limit",  "dynamics", "mimic",  NULL};
    if (parent == NULL) {
        return !is_one_of(name, of_robot);
    }
    if (strcmp(parent->name, "joint") != 0) {
        return strcmp(parent->name, "link") == 0 && !is_one_of(name, of_link);
    }
    const char *type = ovi_xml_attribute(parent, "type");
    bool fixed = type != NULL && strcmp(type, "fixed") == 0 &&
                 ovi_xml_attribute(parent, "ovoid:type") == NULL;
    return !is_one_of(name, of_joint) || (fixed && strcmp(name, "mimic") == 0);
}

/** Links and joints get their numbers when they are complete: the next one. */
static ov_status take_text(void *user, const ovi_xml_node *parent, const char *name,
                           const char *text) {
    ovi_urdf *u = user;
    ov_robot *robot = u->robot;
    ov_robot_extra extra = {.link = OV_NO_LINK, .joint = OV_NO_LINK};
    u->where[0] = '\0';
    if (robot->extra_count == OVI_ROBOT_EXTRAS_MAX) {
        return ovi_urdf_refuse(u, 0, OV_ERROR_COUNT, "more than %zu elements for other programs",
                               OVI_ROBOT_EXTRAS_MAX);
    }
    if (parent != NULL) {
        bool of_link = strcmp(parent->name, "link") == 0;
        *(of_link ? &extra.link : &extra.joint) =
            (uint32_t)(of_link ? robot->link_count : robot->joint_count);
    }
    ov_robot_extra *all = ovi_grow(robot->extras, robot->extra_count, sizeof *all);
    robot->extras = all != NULL ? all : robot->extras;
    extra.name = all != NULL ? ovi_robot_text(robot, name) : NULL;
    extra.text = extra.name != NULL ? ovi_robot_text(robot, text) : NULL;
    if (extra.text == NULL) {
        return ovi_urdf_no_memory(u);
    }
    all[robot->extra_count++] = extra;
    return OV_OK;
}

static ov_status take_element(void *user, const ovi_xml_node *element) {
    ovi_urdf *u = user;
    u->where[0] = '\0';
    switch (element->name[0]) {
    case 'l':
        return take_link(u, element);
    case 'j':
        return take_joint(u, element);
    default:
        return take_material(u, element);
    }
}

static ov_status read_robot(ovi_urdf *u, FILE *stream) {
    static const ovi_xml_takers takers = {open_robot, is_text, take_text, take_element};
    ov_status status = ovi_xml_read(stream, &takers, u, u->fault);
    u->where[0] = '\0';
    if (status == OV_OK) {
        status = ovi_urdf_join(u);
    }
    free(u->link_lines);
    free(u->joint_lines);
    free(u->ends);
    free(u->materials);
    free(u->painted);
    free(u->meshes);
    return status;
}

ov_status ov_robot_read_stream(FILE *stream, const char *folder, const ov_robot_options *options,
                               ov_robot **robot, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (robot != NULL) {
        *robot = NULL;
    }
    if (stream == NULL || robot == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    ovi_urdf u = {.robot = ovi_robot_new(),
                  .options = options != NULL ? *options : ov_default_robot_options(),
                  .folder = folder != NULL ? folder : ".",
                  .fault = fault};
    ovi_locale locale;
    if (u.robot == NULL || !ovi_locale_enter(&locale)) {
        ov_robot_destroy(u.robot);
        return ovi_urdf_no_memory(&u);
    }
    ov_status status = read_robot(&u, stream);
    ovi_locale_leave(&locale);
    if (status != OV_OK) {
        ov_robot_destroy(u.robot);
        return status;
    }
    *robot = u.robot;
    return OV_OK;
}

ov_status ov_robot_read(const char *path, const ov_robot_options *options, ov_robot **robot,
                        ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (robot != NULL) {
        *robot = NULL;
    }
    if (path == NULL || robot == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened");
    }
    char *folder = ovi_folder_of(path);
    ov_status status = folder != NULL ? ov_robot_read_stream(stream, folder, options, robot, fault)
                                      : ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    (void)fclose(stream);
    free(folder);
    return status;
}
