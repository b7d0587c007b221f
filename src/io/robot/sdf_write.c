/**
 * @file sdf_write.c
 * @brief Robots as SDFormat 1.9, which Gazebo reads.
 *
 * Poses are given relative to the parent link, so that they are the numbers of the robot. What the
 * format does not have: planar joints are refused; a floating joint is no joint at all; superovoids
 * and their like are meshes. Limits that are infinite are left out, which is what the format means
 * by that.
 */
#include <string.h>

#include "robot_internal.h"

static const char world[] = "world";

typedef struct job {
    const ov_robot *robot;
    const ovi_mesh_name *names;
    uint32_t dropped; /**< a root that is named "world" is the world itself, or OV_NO_LINK */
} job;

/* ---- elements -------------------------------------------------------------------------------- */

/** <name>1 2 3</name> */
static void write_values(FILE *f, const char *indent, const char *name, const double *v,
                         int count) {
    (void)fprintf(f, "%s<%s>", indent, name);
    for (int i = 0; i < count; i++) {
        (void)fputs(i > 0 ? " " : "", f);
        ovi_xml_number(f, v[i]);
    }
    (void)fprintf(f, "</%s>\n", name);
}

/** A number of a joint. */
static void write_joint_number(FILE *f, const char *name, double value) {
    value = ovi_joint_number(value);
    write_values(f, "          ", name, &value, 1);
}

static void write_vec3(FILE *f, const char *indent, const char *name, ov_vec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    write_values(f, indent, name, values, 3);
}

static void write_text(FILE *f, const char *indent, const char *name, const char *text) {
    (void)fprintf(f, "%s<%s>", indent, name);
    ovi_xml_text(f, text);
    (void)fprintf(f, "</%s>\n", name);
}

/** `frame` may be null: what the element is in. */
static void write_pose(FILE *f, const char *indent, const char *frame, ov_pose pose) {
    ov_vec3 p = pose.position, rpy = ovi_rpy_of(pose.rotation);
    const double v[6] = {p.x, p.y, p.z, rpy.x, rpy.y, rpy.z};
    (void)fprintf(f, "%s<pose", indent);
    if (frame != NULL) {
        ovi_xml_string(f, "relative_to", frame);
    }
    (void)fputc('>', f);
    for (int i = 0; i < 6; i++) {
        (void)fputs(i > 0 ? " " : "", f);
        ovi_xml_number(f, v[i]);
    }
    (void)fputs("</pose>\n", f);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void write_round(FILE *f, const char *name, const ov_shape *s) {
    static const char in[] = "            ";
    double length = 2.0 * s->a.z;
    (void)fprintf(f, "          <%s>\n", name);
    write_values(f, in, "radius", &s->a.x, 1);
    if (s->kind != OV_SHAPE_KIND_SPHERE) {
        write_values(f, in, "length", &length, 1);
    }
    (void)fprintf(f, "          </%s>\n", name);
}

static void write_mesh(FILE *f, const char *file, ov_vec3 scale) {
    static const char in[] = "            ";
    (void)fputs("          <mesh>\n", f);
    write_text(f, in, "uri", file);
    if (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0) {
        write_vec3(f, in, "scale", scale);
    }
    (void)fputs("          </mesh>\n", f);
}

static void write_geometry(FILE *f, const ov_robot_shape *shape, const ovi_mesh_name *name) {
    static const char in[] = "            ";
    const ov_shape *s = &shape->shape;
    if (name->file != NULL || s->kind == OV_SHAPE_KIND_NONE) {
        bool copied = name->file != NULL;
        write_mesh(f, copied ? name->file : shape->mesh_file,
                   copied ? name->scale : shape->mesh_scale);
        return;
    }
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
        write_round(f, "sphere", s);
        break;
    case OV_SHAPE_KIND_CYLINDER:
        write_round(f, "cylinder", s);
        break;
    case OV_SHAPE_KIND_CAPSULE:
        write_round(f, "capsule", s);
        break;
    case OV_SHAPE_KIND_BOX:
        (void)fputs("          <box>\n", f);
        write_vec3(f, in, "size", ov_vec3_scale(s->a, 2.0));
        (void)fputs("          </box>\n", f);
        break;
    case OV_SHAPE_KIND_ELLIPSOID:
        (void)fputs("          <ellipsoid>\n", f);
        write_vec3(f, in, "radii", s->a);
        (void)fputs("          </ellipsoid>\n", f);
        break;
    default: // a half-space; the size is of its picture only
        (void)fputs("          <plane>\n            <normal>0 0 1</normal>\n"
                    "            <size>1 1</size>\n          </plane>\n",
                    f);
    }
}

/** Names are needed, and unlike each other. */
static void write_body(FILE *f, const char *element, size_t number, const ov_robot_shape *shape,
                       const ovi_mesh_name *name) {
    (void)fprintf(f, "      <%s name=\"%s_%zu", element, element, number);
    if (shape->name[0] != '\0') {
        (void)fputc('_', f);
        ovi_xml_text(f, shape->name);
    }
    (void)fputs("\">\n", f);
    write_pose(f, "        ", NULL,
               shape->shape.kind == OV_SHAPE_KIND_HALFSPACE ? ovi_plane_pose(shape) : shape->pose);
    (void)fputs("        <geometry>\n", f);
    write_geometry(f, shape, name);
    (void)fputs("        </geometry>\n", f);
    if (shape->has_colour && element[0] == 'v') {
        (void)fputs("        <material>\n", f);
        write_values(f, "          ", "ambient", shape->colour, 4);
        write_values(f, "          ", "diffuse", shape->colour, 4);
        (void)fputs("        </material>\n", f);
    }
    (void)fprintf(f, "      </%s>\n", element);
}

/* ---- links ----------------------------------------------------------------------------------- */

static void write_inertial(FILE *f, const ov_robot_link *link) {
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    // a mass of nothing is refused by the programs that read this, and none is none
    if (!link->has_inertial || !(link->mass > 0.0)) {
        return;
    }
    (void)fputs("      <inertial>\n", f);
    write_pose(f, "        ", NULL, link->inertial_pose);
    write_values(f, "        ", "mass", &link->mass, 1);
    (void)fputs("        <inertia>\n", f);
    for (int i = 0; i < 6; i++) {
        write_values(f, "          ", names[i], &link->inertia[i], 1);
    }
    (void)fputs("        </inertia>\n      </inertial>\n", f);
}

static void write_link(FILE *f, const job *j, size_t index, const ovi_mesh_name *names) {
    const ov_robot_link *link = &j->robot->links[index];
    uint32_t joint = ov_model_link_joint(j->robot->model, index);
    (void)fputs("    <link", f);
    ovi_xml_string(f, "name", link->name);
    (void)fputs(">\n", f);
    if (joint != OV_NO_LINK) {
        const ov_joint_def *def = &j->robot->joints[joint].def;
        // the model's frame is the world's
        const char *parent = def->parent == j->dropped ? NULL : j->robot->links[def->parent].name;
        write_pose(f, "      ", parent, def->origin);
    }
    write_inertial(f, link);
    for (size_t i = 0; i < link->collision_count; i++) {
        write_body(f, "collision", i, &link->collisions[i], &names[i]);
    }
    for (size_t i = 0; i < link->visual_count; i++) {
        write_body(f, "visual", i, &link->visuals[i], &names[link->collision_count + i]);
    }
    (void)fputs("    </link>\n", f);
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void write_limits(FILE *f, const ov_robot_joint *joint) {
    bool bounded =
        joint->def.kind == OV_JOINT_KIND_REVOLUTE || joint->def.kind == OV_JOINT_KIND_PRISMATIC;
    (void)fputs("        <limit>\n", f);
    if (bounded && isfinite(joint->def.lower)) {
        write_joint_number(f, "lower", joint->def.lower);
    }
    if (bounded && isfinite(joint->def.upper)) {
        write_joint_number(f, "upper", joint->def.upper);
    }
    if (isfinite(joint->effort)) {
        write_joint_number(f, "effort", joint->effort);
    }
    if (isfinite(joint->velocity)) {
        write_joint_number(f, "velocity", joint->velocity);
    }
    (void)fputs("        </limit>\n", f);
}

static void write_axis(FILE *f, const ov_robot *robot, const ov_robot_joint *joint) {
    static const char in[] = "          ";
    (void)fputs("      <axis>\n", f);
    write_vec3(f, "        ", "xyz", ov_vec3_normalize(joint->def.axis));
    if (joint->def.mimic != OV_NO_LINK) {
        (void)fputs("        <mimic", f);
        ovi_xml_string(f, "joint", robot->joints[joint->def.mimic].def.name);
        (void)fputs(">\n", f);
        write_joint_number(f, "multiplier", joint->def.multiplier);
        write_values(f, in, "offset", &joint->def.offset, 1);
        (void)fputs("          <reference>0</reference>\n        </mimic>\n", f);
    }
    write_limits(f, joint);
    if (joint->damping != 0.0 || joint->friction != 0.0) {
        (void)fputs("        <dynamics>\n", f);
        write_values(f, in, "damping", &joint->damping, 1);
        write_values(f, in, "friction", &joint->friction, 1);
        (void)fputs("        </dynamics>\n", f);
    }
    (void)fputs("      </axis>\n", f);
}

static void write_joint(FILE *f, const job *j, const ov_robot_joint *joint) {
    const ov_joint_def *def = &joint->def;
    if (def->kind == OV_JOINT_KIND_FLOATING) {
        return;
    }
    (void)fputs("    <joint", f);
    ovi_xml_string(f, "name", def->name);
    ovi_xml_string(f, "type",
                   def->kind == OV_JOINT_KIND_SPHERICAL ? "ball" : ov_joint_kind_name(def->kind));
    (void)fputs(">\n", f);
    write_text(f, "      ", "parent",
               def->parent == j->dropped ? world : j->robot->links[def->parent].name);
    write_text(f, "      ", "child", j->robot->links[def->child].name);
    if (def->kind >= OV_JOINT_KIND_REVOLUTE && def->kind <= OV_JOINT_KIND_PRISMATIC) {
        write_axis(f, j->robot, joint);
    }
    (void)fputs("    </joint>\n", f);
}

static bool write_robot(FILE *f, const void *what) {
    const job *j = what;
    const ovi_mesh_name *names = j->names;
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sdf version=\"1.9\">\n  <model", f);
    ovi_xml_string(f, "name", j->robot->name[0] != '\0' ? j->robot->name : "robot");
    (void)fputs(">\n", f);
    for (size_t i = 0; i < j->robot->link_count && !ferror(f); i++) {
        const ov_robot_link *link = &j->robot->links[i];
        if (i != j->dropped) {
            write_link(f, j, i, names);
        }
        names += link->collision_count + link->visual_count;
    }
    for (size_t i = 0; i < j->robot->joint_count && !ferror(f); i++) {
        write_joint(f, j, &j->robot->joints[i]);
    }
    (void)fputs("  </model>\n</sdf>\n", f);
    return !ferror(f);
}

/* ---- interface ------------------------------------------------------------------------------- */

static ov_status check_robot(const ov_robot *robot, job *j, ov_fault *fault) {
    const uint32_t refused = OVI_FLAT_SHAPES & ~(1u << OV_SHAPE_KIND_HALFSPACE);
    ov_status status = ovi_robot_check_kinds(robot, refused, "SDFormat", fault);
    for (size_t i = 0; i < robot->joint_count && status == OV_OK; i++) {
        if (robot->joints[i].def.kind == OV_JOINT_KIND_PLANAR) {
            status = ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0,
                                    "joint \"%.60s\": SDFormat has no planar joints",
                                    robot->joints[i].def.name);
        }
    }
    j->dropped = OV_NO_LINK;
    for (size_t i = 0; i < robot->link_count && status == OV_OK; i++) {
        const ov_robot_link *link = &robot->links[i];
        if (strcmp(link->name, world) != 0) {
            continue;
        }
        j->dropped = (uint32_t)i;
        if (i != ov_model_root(robot->model) || link->collision_count + link->visual_count > 0 ||
            robot->link_count == 1) {
            status = ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0,
                                    "SDFormat keeps the name \"world\" for a root without shapes");
        }
    }
    return status;
}

ov_status ovi_sdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault) {
    const uint32_t native = 1u << OV_SHAPE_KIND_SPHERE | 1u << OV_SHAPE_KIND_CAPSULE |
                            1u << OV_SHAPE_KIND_ELLIPSOID | 1u << OV_SHAPE_KIND_CYLINDER |
                            1u << OV_SHAPE_KIND_BOX | 1u << OV_SHAPE_KIND_HALFSPACE;
    ovi_mesh_name *names = NULL;
    ovi_undo undo = {NULL, 0};
    job j = {.robot = robot};
    ov_status status = check_robot(robot, &j, fault);
    if (status == OV_OK) {
        status = ovi_robot_meshes_write(out, robot, (ovi_mesh_wish){native, true, true}, &undo,
                                        &names, fault);
    }
    if (status != OV_OK) {
        return status;
    }
    j.names = names;
    status = ovi_robot_out_write(out, &undo, write_robot, &j, fault);
    ovi_robot_meshes_free(robot, names);
    return status;
}
