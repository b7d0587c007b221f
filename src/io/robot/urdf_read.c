/**
 * @file urdf_read.c
 * @brief Robots from URDF, as ROS and others write it.
 *
 * URDF files carry much for other programs (transmissions, sensors, simulators). Elements of the
 * robot, of links and of joints that are not known are kept as they are, to be written again;
 * others, and attributes, are passed over. What is known must be right, number by number, and every
 * message has the line. Links and joints may come in any order, so names are looked up when all are
 * there.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "robot_internal.h"

/** A name that stands for something elsewhere in the file. */
typedef struct reference {
    const char *text; /**< the robot's own */
    size_t index;     /**< what it belongs to */
    size_t line;
} reference;

/** Names that a joint gives. */
typedef struct joint_ends {
    reference parent, child, mimic; /**< of the mimic the text may be null */
} joint_ends;

typedef struct material {
    const char *name;
    double colour[4];
} material;

/** A visual that has the colour of a material by name. */
typedef struct painted {
    const char *material;
    size_t link, visual;
} painted;

typedef struct reader {
    ov_robot *robot;
    ov_robot_options options;
    const char *folder;
    ov_fault *fault;
    char where[96]; /**< the link or joint at hand, as messages name it */
    size_t root_line;
    size_t *link_lines, *joint_lines;
    joint_ends *ends; /**< one per joint */
    material *materials;
    painted *painted;
    size_t material_count, painted_count;
    ovi_robot_meshes meshes;
} reader;

/* ---- messages -------------------------------------------------------------------------------- */

/** A fault at an element, with the link or joint that it is in. */
__attribute__((format(printf, 4, 5))) static ov_status
refuse(reader *u, size_t line, ov_status status, const char *format, ...) {
    char text[OV_FAULT_TEXT_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return ovi_file_fault(u->fault, status, line, "%s%s%s", u->where,
                          u->where[0] != '\0' ? ": " : "", text);
}

static ov_status no_memory(reader *u) {
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

static ov_status refuse_numbers(reader *u, const ovi_xml_node *node, const char *attribute,
                                const char *text, int count) {
    static const char *const words[] = {"a number", "a number", "two numbers", "three numbers",
                                        "four numbers"};
    bool xacro = strstr(text, "${") != NULL || strstr(text, "$(") != NULL;
    return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "%s of <%.30s> is \"%.40s\", not %s%s",
                  attribute, node->name, text, words[count],
                  xacro ? ": xacro must be expanded first" : "");
}

/** What an attribute of numbers may be. */
typedef enum need {
    NEEDED,  /**< must be there */
    OPTIONAL /**< may be missing: the values stay as they are */
} need;

/** Reads exactly `count` finite numbers from an attribute. */
static ov_status read_numbers(reader *u, const ovi_xml_node *node, const char *attribute,
                              need wanted, double *values, int count) {
    double read[4];
    const char *text = ovi_xml_attribute(node, attribute);
    if (text == NULL && wanted == OPTIONAL) {
        return OV_OK;
    }
    if (text == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%.30s> needs %s", node->name,
                      attribute);
    }
    if (!get_numbers(text, read, count)) {
        return refuse_numbers(u, node, attribute, text, count);
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(read[i])) {
            return refuse(u, node->line, OV_ERROR_NOT_FINITE,
                          "%s of <%.30s> is \"%.40s\": not finite", attribute, node->name, text);
        }
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return OV_OK;
}

/** A limit: it may be infinite, for which the largest number stands too. */
static ov_status read_limit(reader *u, const ovi_xml_node *node, const char *attribute,
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
        return refuse(u, node->line, OV_ERROR_NOT_FINITE, "%s of <%.30s> is not a number",
                      attribute, node->name);
    }
    *value = fabs(read) >= DBL_MAX ? copysign(INFINITY, read) : read;
    return OV_OK;
}

/** The <origin> of an element; without one the pose stays as it is. */
static ov_status read_origin(reader *u, const ovi_xml_node *node, ov_pose *pose) {
    const ovi_xml_node *origin = ovi_xml_child(node, "origin");
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    if (origin == NULL) {
        return OV_OK;
    }
    ov_status status = read_numbers(u, origin, "xyz", OPTIONAL, xyz, 3);
    if (status == OV_OK) {
        status = read_numbers(u, origin, "rpy", OPTIONAL, rpy, 3);
    }
    for (int i = 0; i < 3 && status == OV_OK; i++) {
        if (fabs(xyz[i]) > OV_POSITION_MAX) {
            return refuse(u, origin->line, OV_ERROR_SIZE_RANGE, "xyz of <origin>: %s",
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
static ov_status read_name(reader *u, const ovi_xml_node *node, const char *attribute,
                           const char **name) {
    const char *text = ovi_xml_attribute(node, attribute);
    if (text == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%.30s> needs %s", node->name,
                      attribute);
    }
    if (!ovi_is_xml_name(text)) {
        return refuse(u, node->line, OV_ERROR_NAME,
                      text[0] == '\0' ? "%s of <%.30s> is empty"
                                      : "%s of <%.30s> has control characters",
                      attribute, node->name);
    }
    *name = ovi_robot_text(u->robot, text);
    return *name != NULL ? OV_OK : no_memory(u);
}

/* ---- materials ------------------------------------------------------------------------------- */

/** The colour of a <material>, if it has one. */
static ov_status read_colour(reader *u, const ovi_xml_node *material, bool *has, double *colour) {
    const ovi_xml_node *node = ovi_xml_child(material, "color");
    *has = node != NULL;
    ov_status status = node != NULL ? read_numbers(u, node, "rgba", NEEDED, colour, 4) : OV_OK;
    for (int i = 0; i < 4 && *has && status == OV_OK; i++) {
        // what no screen can show does no harm
        colour[i] = fmin(fmax(colour[i], 0.0), 1.0);
    }
    return status;
}

/** A material with a colour and a name can be named elsewhere. */
static ov_status define_material(reader *u, const char *name, const double *colour) {
    material *all = ovi_grow(u->materials, u->material_count, sizeof *all);
    u->materials = all != NULL ? all : u->materials;
    const char *text = all != NULL ? ovi_robot_text(u->robot, name) : NULL;
    if (text == NULL) {
        return no_memory(u);
    }
    material *m = &all[u->material_count++];
    m->name = text;
    memcpy(m->colour, colour, sizeof m->colour);
    return OV_OK;
}

static ov_status take_material(reader *u, const ovi_xml_node *node) {
    const char *name = ovi_xml_attribute(node, "name");
    double colour[4];
    bool has;
    ov_status status = read_colour(u, node, &has, colour);
    return status == OV_OK && has && name != NULL ? define_material(u, name, colour) : status;
}

/** The material of a visual: a colour of its own, or a name. */
static ov_status read_material(reader *u, const ovi_xml_node *node, size_t link, size_t visual,
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
    painted *all = ovi_grow(u->painted, u->painted_count, sizeof *all);
    u->painted = all != NULL ? all : u->painted;
    const char *text = all != NULL ? ovi_robot_text(u->robot, name) : NULL;
    if (text == NULL) {
        return no_memory(u);
    }
    all[u->painted_count++] = (painted){text, link, visual};
    return OV_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Other programs take the first element of a <geometry>; so does this one, unless an element of
 * Ovoid's own is there: that one counts, and a <mesh> beside it is its stand-in for others. */

/** What a constructor says of the numbers of an element. */
static ov_status judge(reader *u, const ovi_xml_node *node, ov_status status) {
    return status == OV_OK ? OV_OK
                           : refuse(u, node->line, status, "<%.30s>: %s", node->name,
                                    ov_status_message(status));
}

static ov_status read_box(reader *u, const ovi_xml_node *node, ov_shape *shape) {
    double size[3];
    ov_status status = read_numbers(u, node, "size", NEEDED, size, 3);
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 half = ov_vec3_make(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]);
    return judge(u, node, ov_shape_make_box(half, shape));
}

static ov_status read_sphere(reader *u, const ovi_xml_node *node, ov_shape *shape) {
    double radius;
    ov_status status = read_numbers(u, node, "radius", NEEDED, &radius, 1);
    return status == OV_OK ? judge(u, node, ov_shape_make_sphere(radius, shape)) : status;
}

typedef ov_status (*make_round)(double radius, double half_length, ov_shape *shape);

/** Cylinder, capsule (the length is that of its cylinder) or cone. */
static ov_status read_round(reader *u, const ovi_xml_node *node, make_round make, ov_shape *shape) {
    double radius, length;
    ov_status status = read_numbers(u, node, "radius", NEEDED, &radius, 1);
    if (status == OV_OK) {
        status = read_numbers(u, node, "length", NEEDED, &length, 1);
    }
    return status == OV_OK ? judge(u, node, make(radius, 0.5 * length, shape)) : status;
}

static ov_status read_superovoid(reader *u, const ovi_xml_node *node, ov_shape *shape) {
    double a[3], e[2] = {1.0, 1.0}, t[2] = {0.0, 0.0};
    ov_shape_options options = ov_default_shape_options();
    ov_status status = read_numbers(u, node, "size", NEEDED, a, 3);
    status = status == OV_OK ? read_numbers(u, node, "exponents", OPTIONAL, e, 2) : status;
    status = status == OV_OK ? read_numbers(u, node, "taper", OPTIONAL, t, 2) : status;
    status = status == OV_OK
                 ? read_numbers(u, node, "dent_tolerance", OPTIONAL, &options.dent_tolerance, 1)
                 : status;
    if (status != OV_OK) {
        return status;
    }
    return judge(u, node,
                 ov_shape_make_superovoid(ov_vec3_make(a[0], a[1], a[2]), e[0], e[1], t[0], t[1],
                                          &options, shape));
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/** File, place and scale of a <mesh>; the place may be unknown. */
static ov_status read_mesh_names(reader *u, const ovi_xml_node *node, ov_robot_shape *shape) {
    const char *file = ovi_xml_attribute(node, "filename");
    double scale[3] = {1.0, 1.0, 1.0};
    if (file == NULL || file[0] == '\0') {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<mesh> needs filename");
    }
    ov_status status = read_numbers(u, node, "scale", OPTIONAL, scale, 3);
    if (status != OV_OK) {
        return status;
    }
    if (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "scale of <mesh> is zero");
    }
    char *path;
    shape->mesh_scale = ov_vec3_make(scale[0], scale[1], scale[2]);
    shape->mesh_file = ovi_robot_text(u->robot, file);
    if (shape->mesh_file == NULL || !ovi_mesh_find(file, u->folder, &u->options, &path)) {
        return no_memory(u);
    }
    if (path != NULL) {
        if (!ovi_robot_keep(u->robot, path, free)) {
            return no_memory(u);
        }
        shape->mesh_path = path;
    }
    return OV_OK;
}

static ov_status refuse_missing(reader *u, const ovi_xml_node *node, const char *file) {
    bool package = strncmp(file, "package://", 10) == 0 || strncmp(file, "model://", 8) == 0;
    return refuse(u, node->line, OV_ERROR_FILE_OPEN, "mesh \"%.110s\" is not there%s", file,
                  package ? ": no folder of packages holds it" : "");
}

/** Loads the mesh of a shape that has its names: as it is, or as its hull. */
static ov_status use_mesh(reader *u, const ovi_xml_node *node, bool hull, ov_robot_shape *shape) {
    if (shape->mesh_path == NULL) {
        return refuse_missing(u, node, shape->mesh_file);
    }
    ovi_robot_mesh mesh = {.hull = NULL};
    ov_fault wrong = {0};
    ov_status status = ovi_robot_mesh_load(u->robot, &u->meshes, shape, hull, &mesh, &wrong);
    if (status != OV_OK) {
        char line[40] = "";
        if (wrong.index > 0) {
            (void)snprintf(line, sizeof line, "line %zu: ", wrong.index);
        }
        return refuse(u, node->line, status, "mesh \"%.90s\": %s%s", shape->mesh_file, line,
                      wrong.text);
    }
    if (mesh.hull != NULL) {
        return judge(u, node, ov_hull_shape(mesh.hull, &shape->shape));
    }
    shape->mesh = mesh.mesh;
    return OV_OK;
}

/* ---- the geometry ---------------------------------------------------------------------------- */

/** The convex hull of the mesh beside it. */
static ov_status read_polyhedron(reader *u, const ovi_xml_node *node, const ovi_xml_node *mesh,
                                 ov_robot_shape *shape) {
    if (mesh == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%s> needs a <mesh> beside it",
                      node->name);
    }
    ov_status status = use_mesh(u, mesh, true, shape);
    if (status == OV_OK && shape->mesh != NULL) {
        return refuse(u, mesh->line, OV_ERROR_DEGENERATE, "mesh \"%.90s\" has no hull: %s",
                      shape->mesh_file, ov_status_message(OV_ERROR_DEGENERATE));
    }
    return status;
}

/** An element of Ovoid's namespace, with the stand-in beside it, if there is one. */
static ov_status read_own(reader *u, const ovi_xml_node *node, const ovi_xml_node *mesh,
                          ov_robot_shape *shape) {
    static const char *const names[] = {"superovoid", "capsule", "cone", "polyhedron"};
    const char *name = node->name + strlen("ovoid:");
    ov_status status = mesh != NULL ? read_mesh_names(u, mesh, shape) : OV_OK;
    if (status != OV_OK) {
        return status;
    }
    if (strcmp(name, "superovoid") == 0) {
        return read_superovoid(u, node, &shape->shape);
    }
    if (strcmp(name, "capsule") == 0) {
        return read_round(u, node, ov_shape_make_capsule, &shape->shape);
    }
    if (strcmp(name, "cone") == 0) {
        return read_round(u, node, ov_shape_make_cone, &shape->shape);
    }
    if (strcmp(name, "polyhedron") == 0) {
        return read_polyhedron(u, node, mesh, shape);
    }
    const char *near = ovi_nearest(name, names, sizeof names / sizeof names[0]);
    return refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                  near != NULL ? "<%.40s> is not known; did you mean <ovoid:%s>?"
                               : "<%.40s> is not known%s",
                  node->name, near != NULL ? near : "");
}

static ov_status read_mesh(reader *u, const ovi_xml_node *node, bool visual,
                           ov_robot_shape *shape) {
    ov_status status = read_mesh_names(u, node, shape);
    if (status != OV_OK || (visual && !u->options.visuals)) {
        return status;
    }
    return use_mesh(u, node, !visual && u->options.hulls, shape);
}

static ov_status read_geometry(reader *u, const ovi_xml_node *geometry, bool visual,
                               ov_robot_shape *shape) {
    static const char *const names[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    const ovi_xml_node *node = geometry->first;
    if (node == NULL) {
        return refuse(u, geometry->line, OV_ERROR_FILE_FORMAT, "<geometry> is empty");
    }
    for (const ovi_xml_node *n = node; n != NULL; n = n->next) {
        if (strncmp(n->name, "ovoid:", 6) == 0) {
            return read_own(u, n, ovi_xml_child(geometry, "mesh"), shape);
        }
    }
    if (strcmp(node->name, "box") == 0) {
        return read_box(u, node, &shape->shape);
    }
    if (strcmp(node->name, "cylinder") == 0) {
        return read_round(u, node, ov_shape_make_cylinder, &shape->shape);
    }
    if (strcmp(node->name, "sphere") == 0) {
        return read_sphere(u, node, &shape->shape);
    }
    if (strcmp(node->name, "capsule") == 0) {
        return read_round(u, node, ov_shape_make_capsule, &shape->shape);
    }
    if (strcmp(node->name, "mesh") == 0) {
        return read_mesh(u, node, visual, shape);
    }
    const char *near = ovi_nearest(node->name, names, sizeof names / sizeof names[0]);
    return refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                  near != NULL ? "shape <%.40s> is not known; did you mean <%s>?"
                               : "shape <%.40s> is not known%s",
                  node->name, near != NULL ? near : "");
}

/* ---- links ----------------------------------------------------------------------------------- */

static ov_status read_inertial(reader *u, const ovi_xml_node *node, ov_robot_link *link) {
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const ovi_xml_node *mass = ovi_xml_child(node, "mass");
    const ovi_xml_node *inertia = ovi_xml_child(node, "inertia");
    link->has_inertial = true;
    ov_status status = read_origin(u, node, &link->inertial_pose);
    if (status == OV_OK && mass != NULL) {
        status = read_numbers(u, mass, "value", NEEDED, &link->mass, 1);
    }
    if (status == OV_OK && link->mass < 0.0) {
        return refuse(u, mass->line, OV_ERROR_FILE_FORMAT, "the mass is negative");
    }
    for (int i = 0; i < 6 && status == OV_OK && inertia != NULL; i++) {
        status = read_numbers(u, inertia, names[i], OPTIONAL, &link->inertia[i], 1);
    }
    return status;
}

/** A <collision> or <visual>. */
static ov_status read_shape(reader *u, const ovi_xml_node *node, size_t link, bool visual) {
    const ovi_xml_node *geometry = ovi_xml_child(node, "geometry");
    const char *name = ovi_xml_attribute(node, "name");
    if (geometry == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%s> needs <geometry>", node->name);
    }
    if (u->robot->shape_count == OVI_ROBOT_SHAPES_MAX) {
        return refuse(u, node->line, OV_ERROR_COUNT, "more than %zu shapes", OVI_ROBOT_SHAPES_MAX);
    }
    const ov_robot_link *l = &u->robot->links[link];
    size_t index = visual ? l->visual_count : l->collision_count;
    ov_robot_shape *shape = ovi_robot_add_shape(u->robot, link, visual);
    if (shape == NULL) {
        return no_memory(u);
    }
    ov_status status = OV_OK;
    if (name != NULL && name[0] != '\0') {
        status = read_name(u, node, "name", &shape->name);
    }
    if (status == OV_OK) {
        status = read_origin(u, node, &shape->pose);
    }
    if (status == OV_OK) {
        status = read_geometry(u, geometry, visual, shape);
    }
    return status == OV_OK && visual ? read_material(u, node, link, index, shape) : status;
}

static ov_status take_link(reader *u, const ovi_xml_node *node) {
    size_t index = u->robot->link_count;
    if (index == OV_ROBOT_LINKS_MAX) {
        return refuse(u, node->line, OV_ERROR_COUNT, "more than %zu links", OV_ROBOT_LINKS_MAX);
    }
    size_t *lines = ovi_grow(u->link_lines, index, sizeof *lines);
    u->link_lines = lines != NULL ? lines : u->link_lines;
    ov_robot_link *link = lines != NULL ? ovi_robot_add_link(u->robot) : NULL;
    if (link == NULL) {
        return no_memory(u);
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

static ov_status read_kind(reader *u, const ovi_xml_node *node, ov_joint_kind *kind) {
    const char *names[OV_JOINT_KIND_COUNT];
    const char *type = ovi_xml_attribute(node, "ovoid:type");
    type = type != NULL ? type : ovi_xml_attribute(node, "type");
    if (type == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<joint> needs type");
    }
    for (int i = 0; i < OV_JOINT_KIND_COUNT; i++) {
        names[i] = ov_joint_kind_name((ov_joint_kind)i);
        if (strcmp(type, names[i]) == 0) {
            *kind = (ov_joint_kind)i;
            return OV_OK;
        }
    }
    const char *near = ovi_nearest(type, names, OV_JOINT_KIND_COUNT);
    return refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                  near != NULL ? "type \"%.40s\" is not known; did you mean \"%s\"?"
                               : "type \"%.40s\" is not known%s",
                  type, near != NULL ? near : "");
}

/** A zero that the file means as such, not as the default that it is in a joint. */
static void mean_zero(double *value) { *value = *value != 0.0 ? *value : OV_ZERO; }

/** Limits and the like; lower and upper count for two kinds only. */
static ov_status read_limits(reader *u, const ovi_xml_node *node, ov_robot_joint *joint) {
    const ovi_xml_node *limit = ovi_xml_child(node, "limit");
    const ovi_xml_node *dynamics = ovi_xml_child(node, "dynamics");
    bool bounded =
        joint->def.kind == OV_JOINT_KIND_REVOLUTE || joint->def.kind == OV_JOINT_KIND_PRISMATIC;
    if (bounded && limit == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "a %s joint needs <limit>",
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
        status = read_numbers(u, dynamics, "damping", OPTIONAL, &joint->damping, 1);
    }
    if (status == OV_OK && dynamics != NULL) {
        status = read_numbers(u, dynamics, "friction", OPTIONAL, &joint->friction, 1);
    }
    return status;
}

static ov_status read_axis(reader *u, const ovi_xml_node *node, ov_joint_def *def) {
    const ovi_xml_node *axis = ovi_xml_child(node, "axis");
    double xyz[3] = {1.0, 0.0, 0.0};
    // many files have an axis of zeros where it does not matter
    if (axis == NULL || def->kind < OV_JOINT_KIND_REVOLUTE || def->kind > OV_JOINT_KIND_PLANAR) {
        return OV_OK;
    }
    ov_status status = read_numbers(u, axis, "xyz", NEEDED, xyz, 3);
    if (status == OV_OK && xyz[0] == 0.0 && xyz[1] == 0.0 && xyz[2] == 0.0) {
        return refuse(u, axis->line, OV_ERROR_ZERO_DIRECTION, "the axis is zero");
    }
    def->axis = ov_vec3_make(xyz[0], xyz[1], xyz[2]);
    return status;
}

static ov_status read_mimic(reader *u, const ovi_xml_node *node, ov_joint_def *def,
                            reference *name) {
    const ovi_xml_node *mimic = ovi_xml_child(node, "mimic");
    if (mimic == NULL) {
        return OV_OK;
    }
    name->line = mimic->line;
    ov_status status = read_name(u, mimic, "joint", &name->text);
    if (status == OV_OK) {
        status = read_numbers(u, mimic, "multiplier", OPTIONAL, &def->multiplier, 1);
        mean_zero(&def->multiplier);
    }
    return status == OV_OK ? read_numbers(u, mimic, "offset", OPTIONAL, &def->offset, 1) : status;
}

/** The link that a <parent> or <child> names. */
static ov_status read_end(reader *u, const ovi_xml_node *node, const char *end, reference *name) {
    const ovi_xml_node *n = ovi_xml_child(node, end);
    if (n == NULL) {
        return refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<joint> needs <%s>", end);
    }
    name->line = n->line;
    return read_name(u, n, "link", &name->text);
}

static ov_status take_joint(reader *u, const ovi_xml_node *node) {
    size_t index = u->robot->joint_count;
    if (index == OV_ROBOT_LINKS_MAX) {
        return refuse(u, node->line, OV_ERROR_COUNT, "more than %zu joints", OV_ROBOT_LINKS_MAX);
    }
    size_t *lines = ovi_grow(u->joint_lines, index, sizeof *lines);
    u->joint_lines = lines != NULL ? lines : u->joint_lines;
    joint_ends *all = ovi_grow(u->ends, index, sizeof *all);
    u->ends = all != NULL ? all : u->ends;
    ov_robot_joint *joint = lines != NULL && all != NULL ? ovi_robot_add_joint(u->robot) : NULL;
    if (joint == NULL) {
        return no_memory(u);
    }
    joint_ends *ends = &all[index];
    *ends = (joint_ends){{NULL, index, 0}, {NULL, index, 0}, {NULL, index, 0}};
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

/* ---- names ----------------------------------------------------------------------------------- */

/* What is wrong with the tree as such (loops, two roots) the model says. */

/** Names in order, to be looked up. */
typedef struct index_entry {
    const char *text;
    size_t number;
} index_entry;

typedef struct name_index {
    index_entry *entries;
    size_t count;
} name_index;

/** By text, then in the order of the file. */
static int compare_entries(const void *a, const void *b) {
    const index_entry *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool make_index(name_index *index, size_t count) {
    index->count = count;
    index->entries = malloc((count + 1) * sizeof *index->entries);
    return index->entries != NULL;
}

static void sort_index(name_index *index) {
    qsort(index->entries, index->count, sizeof *index->entries, compare_entries);
}

/** The first of that name, or null. */
static const index_entry *find_entry(const name_index *index, const char *text) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle].text, text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->count && strcmp(index->entries[low].text, text) == 0 ? &index->entries[low]
                                                                             : NULL;
}

/** Refuses the second of two that have the same name. */
static ov_status check_unique(reader *u, const name_index *index, const char *what,
                              const size_t *lines) {
    for (size_t i = 1; i < index->count; i++) {
        const index_entry *a = &index->entries[i - 1], *b = &index->entries[i];
        if (strcmp(a->text, b->text) == 0) {
            return refuse(u, lines[b->number], OV_ERROR_NAME,
                          "%s \"%.60s\" is there twice, first in line %zu", what, b->text,
                          lines[a->number]);
        }
    }
    return OV_OK;
}

/** The number of what a name stands for. */
static ov_status resolve(reader *u, const name_index *index, const char *what,
                         const reference *name, uint32_t *number) {
    const index_entry *found = find_entry(index, name->text);
    if (found != NULL) {
        *number = (uint32_t)found->number;
        return OV_OK;
    }
    const char **texts = malloc((index->count + 1) * sizeof *texts);
    if (texts == NULL) {
        return no_memory(u);
    }
    for (size_t i = 0; i < index->count; i++) {
        texts[i] = index->entries[i].text;
    }
    const char *near = ovi_nearest(name->text, texts, index->count);
    free(texts);
    return refuse(u, name->line, OV_ERROR_FILE_FORMAT,
                  near != NULL ? "%s \"%.60s\" is not there; did you mean \"%.60s\"?"
                               : "%s \"%.60s\" is not there%s",
                  what, name->text, near != NULL ? near : "");
}

static ov_status join_joints(reader *u, const name_index *links, const name_index *joints) {
    ov_status status = check_unique(u, links, "link", u->link_lines);
    if (status == OV_OK) {
        status = check_unique(u, joints, "joint", u->joint_lines);
    }
    for (size_t i = 0; i < u->robot->joint_count && status == OV_OK; i++) {
        ov_joint_def *def = &u->robot->joints[i].def;
        (void)snprintf(u->where, sizeof u->where, "joint \"%.60s\"", def->name);
        status = resolve(u, links, "parent link", &u->ends[i].parent, &def->parent);
        if (status == OV_OK) {
            status = resolve(u, links, "child link", &u->ends[i].child, &def->child);
        }
        if (status == OV_OK && u->ends[i].mimic.text != NULL) {
            status = resolve(u, joints, "mimicked joint", &u->ends[i].mimic, &def->mimic);
        }
    }
    u->where[0] = '\0';
    return status;
}

/** Gives visuals the colours of the materials that they name; one that nobody defines has none. */
static ov_status paint(reader *u) {
    name_index index;
    if (!make_index(&index, u->material_count)) {
        return no_memory(u);
    }
    for (size_t i = 0; i < index.count; i++) {
        index.entries[i] = (index_entry){u->materials[i].name, i};
    }
    sort_index(&index);
    for (size_t i = 0; i < u->painted_count; i++) {
        const painted *p = &u->painted[i];
        const index_entry *found = find_entry(&index, p->material);
        if (found != NULL) {
            ov_robot_shape *visual = (ov_robot_shape *)&u->robot->links[p->link].visuals[p->visual];
            visual->has_colour = true;
            memcpy(visual->colour, u->materials[found->number].colour, sizeof visual->colour);
        }
    }
    free(index.entries);
    return OV_OK;
}

static ov_status join_names(reader *u) {
    name_index links, joints = {NULL, 0};
    if (u->robot->link_count == 0) {
        return refuse(u, u->root_line, OV_ERROR_COUNT, "the robot has no links");
    }
    bool good =
        make_index(&links, u->robot->link_count) && make_index(&joints, u->robot->joint_count);
    ov_status status = OV_ERROR_MEMORY;
    if (good) {
        for (size_t i = 0; i < links.count; i++) {
            links.entries[i] = (index_entry){u->robot->links[i].name, i};
        }
        for (size_t i = 0; i < joints.count; i++) {
            joints.entries[i] = (index_entry){u->robot->joints[i].def.name, i};
        }
        sort_index(&links);
        sort_index(&joints);
        status = join_joints(u, &links, &joints);
    } else {
        (void)no_memory(u);
    }
    free(links.entries);
    free(joints.entries);
    if (status == OV_OK) {
        status = paint(u);
    }
    return status == OV_OK ? ovi_robot_finish(u->robot, u->link_lines, u->joint_lines, u->fault)
                           : status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** Keeps the attributes of the root that are for others: prefixes that their elements need. */
static ov_status keep_attributes(reader *u, const ovi_xml_node *root) {
    size_t count = 0;
    while (root->attributes[count] != NULL) {
        count += 2;
    }
    const char **kept = calloc(count + 1, sizeof *kept);
    if (kept == NULL || !ovi_robot_keep(u->robot, (void *)kept, free)) {
        return no_memory(u);
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
                return no_memory(u);
            }
        }
    }
    u->robot->attributes = kept;
    return OV_OK;
}

static ov_status open_robot(void *user, const ovi_xml_node *root) {
    reader *u = user;
    const char *name = ovi_xml_attribute(root, "name");
    u->root_line = root->line;
    if (strcmp(root->name, "robot") != 0) {
        ov_file_kind kind = strcmp(root->name, "sdf") == 0       ? OV_FILE_KIND_SDFORMAT
                            : strcmp(root->name, "mujoco") == 0  ? OV_FILE_KIND_MJCF
                            : strcmp(root->name, "COLLADA") == 0 ? OV_FILE_KIND_COLLADA
                                                                 : OV_FILE_KIND_UNKNOWN;
        return kind != OV_FILE_KIND_UNKNOWN
                   ? ovi_wrong_file(u->fault, kind, root->line, "a URDF")
                   : refuse(u, root->line, OV_ERROR_FILE_FORMAT,
                            "<%.40s> stands where <robot> should be", root->name);
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
    reader *u = user;
    ov_robot *robot = u->robot;
    ov_robot_extra extra = {.link = OV_NO_LINK, .joint = OV_NO_LINK};
    u->where[0] = '\0';
    if (robot->extra_count == OVI_ROBOT_EXTRAS_MAX) {
        return refuse(u, 0, OV_ERROR_COUNT, "more than %zu elements for other programs",
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
        return no_memory(u);
    }
    all[robot->extra_count++] = extra;
    return OV_OK;
}

static ov_status take_element(void *user, const ovi_xml_node *element) {
    reader *u = user;
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

static ov_status read_robot(reader *u, FILE *stream) {
    static const ovi_xml_takers takers = {open_robot, is_text, take_text, take_element};
    ov_status status = ovi_xml_read(stream, &takers, u, u->fault);
    u->where[0] = '\0';
    if (status == OV_OK) {
        status = join_names(u);
    }
    free(u->link_lines);
    free(u->joint_lines);
    free(u->ends);
    free(u->materials);
    free(u->painted);
    free(u->meshes.all);
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
    reader u = {.robot = ovi_robot_new(),
                .options = options != NULL ? *options : ov_default_robot_options(),
                .folder = folder != NULL ? folder : ".",
                .fault = fault};
    ovi_locale locale;
    if (u.robot == NULL || !ovi_locale_enter(&locale)) {
        ov_robot_destroy(u.robot);
        return no_memory(&u);
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
