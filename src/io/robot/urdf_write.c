/**
 * @file urdf_write.c
 * @brief Robots as URDF that other programs read.
 *
 * These take the first element of a <geometry>, and know boxes, cylinders, spheres and meshes. So
 * whatever else a body is, its mesh stands first, and behind it an element of Ovoid's namespace
 * says what it is exactly. All numbers read back to the bit, rotations to 1e-15: they are written
 * as roll, pitch and yaw.
 */
#include <stdlib.h>
#include <string.h>

#include "robot_internal.h"

typedef struct job {
    const ov_robot *robot;
    const ovi_mesh_name *names;
} job;

static void write_origin(FILE *f, const char *indent, ov_pose pose) {
    (void)fprintf(f, "%s<origin", indent);
    ovi_xml_vec3(f, "xyz", pose.position);
    ovi_xml_vec3(f, "rpy", ovi_rpy_of(pose.rotation));
    (void)fputs("/>\n", f);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void write_mesh(FILE *f, const char *file, ov_vec3 scale) {
    (void)fputs("<mesh", f);
    ovi_xml_string(f, "filename", file);
    if (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0) {
        ovi_xml_vec3(f, "scale", scale);
    }
    (void)fputs("/>", f);
}

/** Radius and length of a round body. */
static void write_round(FILE *f, const char *element, const ov_shape *s) {
    double length = 2.0 * s->a.z;
    (void)fprintf(f, "<%s", element);
    ovi_xml_numbers(f, "radius", &s->a.x, 1);
    ovi_xml_numbers(f, "length", &length, 1);
    (void)fputs("/>", f);
}

static void write_superovoid(FILE *f, const ov_shape *s) {
    const double e[2] = {s->e1, s->e2}, t[2] = {s->tx, s->ty};
    (void)fputs("<ovoid:superovoid", f);
    ovi_xml_vec3(f, "size", s->a);
    ovi_xml_numbers(f, "exponents", e, 2);
    if (t[0] != 0.0 || t[1] != 0.0) {
        ovi_xml_numbers(f, "taper", t, 2);
    }
    // the reader's own tolerance may be too small; the dent itself is known to a few per cent
    double least = fmin(s->a.x, fmin(s->a.y, s->a.z));
    if (s->dent > 0.8 * ov_default_shape_options().dent_tolerance * least) {
        (void)fputs(" dent_tolerance=\"1\"", f);
    }
    (void)fputs("/>", f);
}

static void write_shape(FILE *f, const ov_shape *s) {
    const double radius = s->a.x;
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        (void)fputs("<box", f);
        ovi_xml_vec3(f, "size", ov_vec3_scale(s->a, 2.0));
        (void)fputs("/>", f);
        break;
    case OV_SHAPE_KIND_SPHERE:
        (void)fputs("<sphere", f);
        ovi_xml_numbers(f, "radius", &radius, 1);
        (void)fputs("/>", f);
        break;
    case OV_SHAPE_KIND_CYLINDER:
        write_round(f, "cylinder", s);
        break;
    case OV_SHAPE_KIND_CAPSULE:
        write_round(f, "ovoid:capsule", s);
        break;
    case OV_SHAPE_KIND_CONE:
        write_round(f, "ovoid:cone", s);
        break;
    case OV_SHAPE_KIND_POLYHEDRON:
        (void)fputs("<ovoid:polyhedron/>", f);
        break;
    case OV_SHAPE_KIND_NONE: // a mesh, which is there already
        break;
    default:
        write_superovoid(f, s);
    }
}

static void write_colour(FILE *f, const double *colour) {
    // other programs take a name that they have seen for the same material
    (void)fputs("      <material name=\"rgba", f);
    for (int i = 0; i < 4; i++) {
        (void)fputc(' ', f);
        ovi_xml_number(f, colour[i]);
    }
    (void)fputs("\">\n        <color", f);
    ovi_xml_numbers(f, "rgba", colour, 4);
    (void)fputs("/>\n      </material>\n", f);
}

static void write_body(FILE *f, const char *element, const ov_robot_shape *shape,
                       const ovi_mesh_name *name) {
    (void)fprintf(f, "    <%s", element);
    if (shape->name[0] != '\0') {
        ovi_xml_string(f, "name", shape->name);
    }
    (void)fputs(">\n", f);
    write_origin(f, "      ", shape->pose);
    (void)fputs("      <geometry>", f);
    if (name->file != NULL) {
        write_mesh(f, name->file, name->scale);
    } else if (shape->shape.kind == OV_SHAPE_KIND_NONE) {
        write_mesh(f, shape->mesh_file, shape->mesh_scale);
    }
    write_shape(f, &shape->shape);
    (void)fputs("</geometry>\n", f);
    if (shape->has_colour && element[0] == 'v') {
        write_colour(f, shape->colour);
    }
    (void)fprintf(f, "    </%s>\n", element);
}

/* ---- links and joints ------------------------------------------------------------------------ */

static bool belongs(const ov_robot_extra *e, uint32_t link, uint32_t joint) {
    return e->link == link && e->joint == joint;
}

/** Writes what a link, a joint or the robot has for other programs. These come in the order of
 * links and joints: `*next` goes from one to the following. */
static void write_extras(FILE *f, const ov_robot *robot, const char *indent, uint32_t link,
                         uint32_t joint, size_t *next) {
    for (; *next < robot->extra_count && !ferror(f); (*next)++) {
        const ov_robot_extra *e = &robot->extras[*next];
        bool of_link = e->link != OV_NO_LINK, of_joint = e->joint != OV_NO_LINK;
        if (belongs(e, link, joint)) {
            (void)fprintf(f, "%s%s\n", indent, e->text);
        } else if ((link != OV_NO_LINK && of_link) || (joint != OV_NO_LINK && of_joint)) {
            return; // of a later one
        }
    }
}

static void write_link(FILE *f, const job *j, size_t index, const ovi_mesh_name *names,
                       size_t *extra) {
    const ov_robot_link *link = &j->robot->links[index];
    static const char *const inertia[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    (void)fputs("  <link", f);
    ovi_xml_string(f, "name", link->name);
    (void)fputs(">\n", f);
    if (link->has_inertial) {
        (void)fputs("    <inertial>\n", f);
        write_origin(f, "      ", link->inertial_pose);
        (void)fputs("      <mass", f);
        ovi_xml_numbers(f, "value", &link->mass, 1);
        (void)fputs("/>\n      <inertia", f);
        for (int i = 0; i < 6; i++) {
            ovi_xml_numbers(f, inertia[i], &link->inertia[i], 1);
        }
        (void)fputs("/>\n    </inertial>\n", f);
    }
    for (size_t i = 0; i < link->visual_count; i++) {
        write_body(f, "visual", &link->visuals[i], &names[link->collision_count + i]);
    }
    for (size_t i = 0; i < link->collision_count; i++) {
        write_body(f, "collision", &link->collisions[i], &names[i]);
    }
    write_extras(f, j->robot, "    ", (uint32_t)index, OV_NO_LINK, extra);
    (void)fputs("  </link>\n", f);
}

/** Other programs want effort and velocity wherever there is a limit. */
static void write_limits(FILE *f, const ov_robot_joint *joint) {
    ov_joint_kind kind = joint->def.kind;
    const double lower = ovi_joint_number(joint->def.lower);
    const double upper = ovi_joint_number(joint->def.upper);
    const double effort = ovi_joint_number(joint->effort);
    const double velocity = ovi_joint_number(joint->velocity);
    bool bounded = kind == OV_JOINT_KIND_REVOLUTE || kind == OV_JOINT_KIND_PRISMATIC;
    if (!bounded && isinf(joint->velocity) && isinf(joint->effort)) {
        return;
    }
    (void)fputs("    <limit", f);
    if (bounded) {
        ovi_xml_numbers(f, "lower", &lower, 1);
        ovi_xml_numbers(f, "upper", &upper, 1);
    }
    ovi_xml_numbers(f, "effort", &effort, 1);
    ovi_xml_numbers(f, "velocity", &velocity, 1);
    (void)fputs("/>\n", f);
}

static void write_joint(FILE *f, const ov_robot *robot, size_t index, size_t *extra) {
    const ov_robot_joint *joint = &robot->joints[index];
    const ov_joint_def *def = &joint->def;
    // other programs have no spherical joints, and refuse what they do not know
    bool spherical = def->kind == OV_JOINT_KIND_SPHERICAL;
    (void)fputs("  <joint", f);
    ovi_xml_string(f, "name", def->name);
    ovi_xml_string(f, "type", spherical ? "floating" : ov_joint_kind_name(def->kind));
    (void)fputs(spherical ? " ovoid:type=\"spherical\">\n    <parent" : ">\n    <parent", f);
    ovi_xml_string(f, "link", robot->links[def->parent].name);
    (void)fputs("/>\n    <child", f);
    ovi_xml_string(f, "link", robot->links[def->child].name);
    (void)fputs("/>\n", f);
    write_origin(f, "    ", def->origin);
    if (def->kind >= OV_JOINT_KIND_REVOLUTE && def->kind <= OV_JOINT_KIND_PLANAR) {
        (void)fputs("    <axis", f);
        ovi_xml_vec3(f, "xyz", def->axis);
        (void)fputs("/>\n", f);
    }
    write_limits(f, joint);
    if (def->mimic != OV_NO_LINK) {
        (void)fputs("    <mimic", f);
        ovi_xml_string(f, "joint", robot->joints[def->mimic].def.name);
        const double multiplier = ovi_joint_number(def->multiplier);
        ovi_xml_numbers(f, "multiplier", &multiplier, 1);
        ovi_xml_numbers(f, "offset", &def->offset, 1);
        (void)fputs("/>\n", f);
    }
    if (joint->damping != 0.0 || joint->friction != 0.0) {
        (void)fputs("    <dynamics", f);
        ovi_xml_numbers(f, "damping", &joint->damping, 1);
        ovi_xml_numbers(f, "friction", &joint->friction, 1);
        (void)fputs("/>\n", f);
    }
    write_extras(f, robot, "    ", OV_NO_LINK, (uint32_t)index, extra);
    (void)fputs("  </joint>\n", f);
}

static bool write_robot(FILE *f, const void *what) {
    const job *j = what;
    const ovi_mesh_name *names = j->names;
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot", f);
    ovi_xml_string(f, "name", j->robot->name);
    (void)fputs(" xmlns:ovoid=\"" OV_URDF_NAMESPACE "\"", f);
    for (const char *const *a = j->robot->attributes; a != NULL && a[0] != NULL; a += 2) {
        ovi_xml_string(f, a[0], a[1]);
    }
    (void)fputs(">\n", f);
    size_t of_links = 0, of_joints = 0, others = 0;
    for (size_t i = 0; i < j->robot->link_count && !ferror(f); i++) {
        const ov_robot_link *link = &j->robot->links[i];
        write_link(f, j, i, names, &of_links);
        names += link->collision_count + link->visual_count;
    }
    for (size_t i = 0; i < j->robot->joint_count && !ferror(f); i++) {
        write_joint(f, j->robot, i, &of_joints);
    }
    write_extras(f, j->robot, "  ", OV_NO_LINK, OV_NO_LINK, &others);
    (void)fputs("</robot>\n", f);
    return !ferror(f);
}

/* ---- interface ------------------------------------------------------------------------------- */

/** Bodies without an end or an inside cannot be in the file at all. */
static ov_status check_kinds(const ov_robot *robot, ov_fault *fault) {
    return ovi_robot_check_kinds(robot, OVI_FLAT_SHAPES, "URDF", fault);
}

ov_status ovi_urdf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault) {
    const uint32_t native =
        1u << OV_SHAPE_KIND_BOX | 1u << OV_SHAPE_KIND_SPHERE | 1u << OV_SHAPE_KIND_CYLINDER;
    ovi_mesh_name *names;
    ovi_undo undo = {NULL, 0};
    ov_status status = check_kinds(robot, fault);
    if (status == OV_OK) {
        status = ovi_robot_meshes_write(out, robot, (ovi_mesh_wish){native, true, true}, &undo,
                                        &names, fault);
    }
    if (status != OV_OK) {
        return status;
    }
    job j = {robot, names};
    status = ovi_robot_out_write(out, &undo, write_robot, &j, fault);
    ovi_robot_meshes_free(robot, names);
    return status;
}
