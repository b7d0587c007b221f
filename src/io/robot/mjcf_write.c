/**
 * @file mjcf_write.c
 * @brief Robots as MJCF, the format of MuJoCo.
 *
 * Bodies are nested as the links are, each with the joint that moves it. MuJoCo has spheres,
 * capsules, ellipsoids, cylinders, boxes and planes itself; all else goes as a mesh, of which it
 * takes the convex hull. Where its kinds of joints differ:
 *   - planar: two slides and a hinge; floating: a free joint, which it allows below the world only,
 *     elsewhere three slides and a ball;
 *   - a joint that mimics another one is held by an equality constraint.
 * Pairs of links that may touch (ov_model_allow) are excluded from its contacts.
 * Links without a mass get one from their shapes: MuJoCo moves nothing that has none.
 */
#include <stdlib.h>
#include <string.h>

#include "robot_internal.h"

enum { INDENT_MAX = 40 };

/** A mesh of the file's assets. */
typedef struct asset {
    const ovi_mesh_name *name;
} asset;

/** The children that are still to be written of a link on the way down. */
typedef struct range {
    size_t next, end;
} range;

typedef struct job {
    const ov_robot *robot;
    const ovi_mesh_name *names;
    size_t *rows; /**< of each link, its first row of names */
    ovi_children children;
    range *stack;     /**< room for a chain of all links */
    uint32_t *groups; /**< of each link, see group_of */
    size_t *assets;   /**< for each row, the number of its mesh */
    size_t asset_count;
    const asset *asset_list;
} job;

/** An element's beginning, indented by its depth; deep trees stop going to the right. */
static void indent(FILE *f, size_t depth, const char *text) {
    size_t width = 2 * (depth < INDENT_MAX ? depth : INDENT_MAX);
    (void)fprintf(f, "%*s%s", (int)width, "", text);
}

static void write_pose(FILE *f, ov_pose pose) {
    const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    ov_vec3 p = pose.position;
    if (p.x != 0.0 || p.y != 0.0 || p.z != 0.0) {
        ovi_xml_vec3(f, "pos", p);
    }
    if (q[0] != 1.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0) {
        ovi_xml_numbers(f, "quat", q, 4);
    }
}

/* ---- geoms ----------------------------------------------------------------------------------- */

static void write_size(FILE *f, const ov_robot_shape *s) {
    const double round[2] = {s->shape.a.x, s->shape.a.z};
    switch (s->shape.kind) {
    case OV_SHAPE_KIND_SPHERE:
        ovi_xml_string(f, "type", "sphere");
        ovi_xml_numbers(f, "size", round, 1);
        break;
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
        // its capsules are measured without their caps, as ours
        ovi_xml_string(f, "type", s->shape.kind == OV_SHAPE_KIND_CAPSULE ? "capsule" : "cylinder");
        ovi_xml_numbers(f, "size", round, 2);
        break;
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_BOX:
        ovi_xml_string(f, "type", s->shape.kind == OV_SHAPE_KIND_BOX ? "box" : "ellipsoid");
        ovi_xml_vec3(f, "size", s->shape.a);
        break;
    default: // a plane without end
        ovi_xml_string(f, "type", "plane");
        ovi_xml_vec3(f, "size", ov_vec3_make(0.0, 0.0, 1.0));
    }
}

static void write_geom(FILE *f, const job *j, size_t depth, const ov_robot_shape *s, size_t row,
                       bool visual) {
    const char *file = j->names[row].file;
    // a visual whose mesh was not loaded
    if (file == NULL && s->shape.kind == OV_SHAPE_KIND_NONE) {
        return;
    }
    indent(f, depth, visual ? "<geom class=\"visual\"" : "<geom class=\"collision\"");
    if (file != NULL) {
        (void)fprintf(f, " type=\"mesh\" mesh=\"mesh_%zu\"", j->assets[row]);
    } else {
        write_size(f, s);
    }
    write_pose(f, s->shape.kind == OV_SHAPE_KIND_HALFSPACE ? ovi_plane_pose(s) : s->pose);
    if (s->has_colour) {
        ovi_xml_numbers(f, "rgba", s->colour, 4);
    }
    (void)fputs("/>\n", f);
}

/* ---- links ----------------------------------------------------------------------------------- */

/** Inertia about the same point, but along the link's axes: R I R^T. */
static void turn_inertia(ov_quat rotation, const double in[6], double out[6]) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    ov_mat3 m = ov_mat3_from_quat(rotation);
    const double r[3][3] = {
        {m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            double sum = 0.0;
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    sum += r[i][a] * in[at[a][b]] * r[k][b];
                }
            }
            out[at[i][k]] = sum;
        }
    }
}

/** MuJoCo takes principal moments with a frame, or all six numbers without one. */
static void write_inertial(FILE *f, size_t depth, const ov_robot_link *link) {
    const double *i = link->inertia;
    if (!link->has_inertial || !(link->mass > 0.0)) {
        return;
    }
    indent(f, depth, "<inertial");
    ovi_xml_vec3(f, "pos", link->inertial_pose.position);
    ovi_xml_numbers(f, "mass", &link->mass, 1);
    if (i[1] == 0.0 && i[2] == 0.0 && i[4] == 0.0) {
        ov_pose turn = {{0.0, 0.0, 0.0}, link->inertial_pose.rotation};
        write_pose(f, turn);
        ovi_xml_vec3(f, "diaginertia", ov_vec3_make(i[0], i[3], i[5]));
    } else {
        double along[6] = {0.0};
        turn_inertia(link->inertial_pose.rotation, i, along);
        const double full[6] = {along[0], along[3], along[5], along[1], along[2], along[4]};
        ovi_xml_numbers(f, "fullinertia", full, 6);
    }
    (void)fputs("/>\n", f);
}

static void write_shapes(FILE *f, const job *j, size_t link, size_t depth) {
    const ov_robot_link *l = &j->robot->links[link];
    size_t row = j->rows[link];
    for (size_t i = 0; i < l->collision_count; i++) {
        write_geom(f, j, depth, &l->collisions[i], row++, false);
    }
    for (size_t i = 0; i < l->visual_count; i++) {
        write_geom(f, j, depth, &l->visuals[i], row++, true);
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

/** One joint of MuJoCo; `ending` tells apart those that one of ours needs. */
static void write_simple(FILE *f, size_t depth, const char *type, const ov_robot_joint *joint,
                         const char *ending, ov_vec3 axis) {
    const ov_joint_def *def = &joint->def;
    indent(f, depth, "<joint name=\"");
    ovi_xml_text(f, def->name);
    (void)fprintf(f, "%s\" type=\"%s\"", ending, type);
    if (strcmp(type, "ball") != 0) {
        ovi_xml_vec3(f, "axis", axis);
    }
    bool bounded = def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_PRISMATIC;
    if (bounded && (isfinite(def->lower) || isfinite(def->upper))) {
        const double range[2] = {ovi_joint_number(def->lower), ovi_joint_number(def->upper)};
        // one without width is no limit for MuJoCo
        if (range[0] < range[1]) {
            ovi_xml_numbers(f, "range", range, 2);
            (void)fputs(" limited=\"true\"", f);
        }
    }
    if (bounded && isfinite(joint->effort) && joint->effort > OV_ZERO) {
        const double range[2] = {-joint->effort, joint->effort};
        ovi_xml_numbers(f, "actuatorfrcrange", range, 2);
        (void)fputs(" actuatorfrclimited=\"true\"", f);
    }
    if (joint->damping > 0.0) {
        ovi_xml_numbers(f, "damping", &joint->damping, 1);
    }
    if (joint->friction > 0.0) {
        ovi_xml_numbers(f, "frictionloss", &joint->friction, 1);
    }
    (void)fputs("/>\n", f);
}

static void write_slides(FILE *f, size_t depth, const ov_robot_joint *joint, ov_quat frame,
                         int count) {
    static const char *const endings[] = {".x", ".y", ".z"};
    for (int k = 0; k < count && k < 3; k++) {
        ov_vec3 e = {k == 0, k == 1, k == 2};
        write_simple(f, depth, "slide", joint, endings[k], ov_quat_rotate(frame, e));
    }
}

static void write_joint(FILE *f, size_t depth, const ov_robot_joint *joint, bool below_world) {
    ov_vec3 axis = ov_vec3_normalize(joint->def.axis), none = {0.0, 0.0, 1.0};
    switch (joint->def.kind) {
    case OV_JOINT_KIND_REVOLUTE:
    case OV_JOINT_KIND_CONTINUOUS:
        write_simple(f, depth, "hinge", joint, "", axis);
        break;
    case OV_JOINT_KIND_PRISMATIC:
        write_simple(f, depth, "slide", joint, "", axis);
        break;
    case OV_JOINT_KIND_PLANAR:
        write_slides(f, depth, joint, ovi_turn_from_z(axis), 2);
        write_simple(f, depth, "hinge", joint, ".angle", axis);
        break;
    case OV_JOINT_KIND_SPHERICAL:
        write_simple(f, depth, "ball", joint, "", none);
        break;
    case OV_JOINT_KIND_FLOATING:
        if (below_world) {
            indent(f, depth, "<freejoint");
            ovi_xml_string(f, "name", joint->def.name);
            (void)fputs("/>\n", f);
        } else {
            write_slides(f, depth, joint, ov_quat_identity(), 3);
            write_simple(f, depth, "ball", joint, ".ball", none);
        }
        break;
    default: // no joint: fixed
        break;
    }
}

static void write_mimics(FILE *f, const ov_robot *robot) {
    bool begun = false;
    for (size_t i = 0; i < robot->joint_count; i++) {
        const ov_joint_def *def = &robot->joints[i].def;
        if (def->mimic == OV_NO_LINK || def->kind == OV_JOINT_KIND_FIXED) {
            continue;
        }
        const double polynomial[5] = {def->offset, ovi_joint_number(def->multiplier), 0.0, 0.0,
                                      0.0};
        (void)fputs(begun ? "" : "  <equality>\n", f);
        begun = true;
        (void)fputs("    <joint", f);
        ovi_xml_string(f, "joint1", def->name);
        ovi_xml_string(f, "joint2", robot->joints[def->mimic].def.name);
        ovi_xml_numbers(f, "polycoef", polynomial, 5);
        (void)fputs("/>\n", f);
    }
    (void)fputs(begun ? "  </equality>\n" : "", f);
}

/** The link at whose joint a group of links hangs that fixed joints hold together. */
static uint32_t group_of(const ov_robot *robot, uint32_t link) {
    for (size_t i = 0; i < robot->link_count; i++) {
        uint32_t joint = ov_model_link_joint(robot->model, link);
        if (joint == OV_NO_LINK || robot->joints[joint].def.kind != OV_JOINT_KIND_FIXED) {
            break;
        }
        link = robot->joints[joint].def.parent;
    }
    return link;
}

static void write_exclude(FILE *f, const ov_robot *robot, size_t a, size_t b, bool *begun) {
    (void)fputs(*begun ? "" : "  <contact>\n", f);
    *begun = true;
    (void)fputs("    <exclude", f);
    ovi_xml_string(f, "body1", robot->links[a].name);
    ovi_xml_string(f, "body2", robot->links[b].name);
    (void)fputs("/>\n", f);
}

/** Pairs that may touch. MuJoCo itself leaves out a child and its parent only where the parent can
 *  move, and bodies that are fixed to each other always. */
static void write_allowed(FILE *f, const job *j) {
    const ov_robot *robot = j->robot;
    bool begun = false;
    for (size_t a = 0; a < robot->link_count && !ferror(f); a++) {
        for (size_t b = a + 1; b < robot->link_count && robot->links[a].collision_count > 0; b++) {
            if (robot->links[b].collision_count > 0 && j->groups[a] != j->groups[b] &&
                ov_model_is_allowed(robot->model, (uint32_t)a, (uint32_t)b)) {
                write_exclude(f, robot, a, b, &begun);
            }
        }
    }
    (void)fputs(begun ? "  </contact>\n" : "", f);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/** Opens the body of a link, with all but its children. */
static void open_body(FILE *f, const job *j, uint32_t link, size_t depth, bool below_world) {
    uint32_t joint = ov_model_link_joint(j->robot->model, link);
    indent(f, depth, "<body");
    ovi_xml_string(f, "name", j->robot->links[link].name);
    if (joint != OV_NO_LINK) {
        write_pose(f, j->robot->joints[joint].def.origin);
    }
    (void)fputs(">\n", f);
    write_inertial(f, depth + 1, &j->robot->links[link]);
    if (joint != OV_NO_LINK) {
        write_joint(f, depth + 1, &j->robot->joints[joint], below_world);
    }
    write_shapes(f, j, link, depth + 1);
}

/** Bodies in bodies, without recursion: the chain may be as long as the robot. */
static void write_bodies(FILE *f, const job *j, uint32_t root, size_t depth) {
    const uint32_t *first = j->children.first;
    range *stack = j->stack;
    size_t height = 0;
    open_body(f, j, root, depth, depth == 2);
    stack[height++] = (range){first[root], first[root + 1]};
    while (height > 0 && !ferror(f)) {
        range *top = &stack[height - 1];
        if (top->next == top->end) {
            height--;
            indent(f, depth + height, "</body>\n");
            continue;
        }
        uint32_t child = j->children.list[top->next++];
        open_body(f, j, child, depth + height, false);
        stack[height++] = (range){first[child], first[child + 1]};
    }
}

static bool is_world(const job *j, uint32_t link) {
    return strcmp(j->robot->links[link].name, "world") == 0;
}

/** The world is the root itself, where that is its name. */
static void write_world(FILE *f, const job *j) {
    uint32_t root = ov_model_root(j->robot->model);
    (void)fputs("  <worldbody>\n", f);
    if (is_world(j, root)) {
        write_shapes(f, j, root, 2);
        for (size_t i = j->children.first[root]; i < j->children.first[root + 1]; i++) {
            write_bodies(f, j, j->children.list[i], 2);
        }
    } else {
        write_bodies(f, j, root, 2);
    }
    (void)fputs("  </worldbody>\n", f);
}

static bool write_robot(FILE *f, const void *what) {
    const job *j = what;
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<mujoco", f);
    if (j->robot->name[0] != '\0') {
        ovi_xml_string(f, "model", j->robot->name);
    }
    // real robots have inertias that no body can have, and links without any
    (void)fputs(">\n  <compiler angle=\"radian\" balanceinertia=\"true\" boundmass=\"1e-9\" "
                "boundinertia=\"1e-12\"/>\n"
                "  <default>\n    <default class=\"visual\">\n"
                "      <geom contype=\"0\" conaffinity=\"0\" group=\"2\" mass=\"0\"/>\n"
                "    </default>\n    <default class=\"collision\">\n      <geom group=\"3\"/>\n"
                "    </default>\n  </default>\n",
                f);
    if (j->asset_count > 0) {
        (void)fputs("  <asset>\n", f);
        for (size_t i = 0; i < j->asset_count; i++) {
            (void)fprintf(f, "    <mesh name=\"mesh_%zu\"", i);
            ovi_xml_string(f, "file", j->asset_list[i].name->file);
            (void)fputs("/>\n", f);
        }
        (void)fputs("  </asset>\n", f);
    }
    write_world(f, j);
    write_allowed(f, j);
    write_mimics(f, j->robot);
    (void)fputs("</mujoco>\n", f);
    return !ferror(f);
}

/* ---- interface ------------------------------------------------------------------------------- */

/** Does a link never move? Planes are allowed there only. */
static bool is_static(const ov_robot *robot, uint32_t link) {
    return ov_model_link_joint(robot->model, group_of(robot, link)) == OV_NO_LINK;
}

static ov_status check_robot(const ov_robot *robot, ov_fault *fault) {
    const uint32_t refused = OVI_FLAT_SHAPES & ~(1u << OV_SHAPE_KIND_HALFSPACE);
    ov_status status = ovi_robot_check_kinds(robot, refused, "MJCF", fault);
    for (size_t i = 0; i < robot->link_count && status == OV_OK; i++) {
        const ov_robot_link *link = &robot->links[i];
        bool plane = false;
        for (size_t k = 0; k < link->collision_count; k++) {
            plane = plane || link->collisions[k].shape.kind == OV_SHAPE_KIND_HALFSPACE;
        }
        for (size_t k = 0; k < link->visual_count; k++) {
            plane = plane || link->visuals[k].shape.kind == OV_SHAPE_KIND_HALFSPACE;
        }
        if (plane && !is_static(robot, (uint32_t)i)) {
            status = ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0,
                                    "link \"%.60s\": MJCF has no planes that move", link->name);
        } else if (strcmp(link->name, "world") == 0 && (uint32_t)i != ov_model_root(robot->model)) {
            status = ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0,
                                    "MJCF keeps the name \"world\" for the root");
        }
    }
    return status;
}

/** What the writer needs to know of each link. */
static bool list_links(job *j) {
    const ov_robot *robot = j->robot;
    uint32_t *parents = calloc(robot->link_count + 1, sizeof *parents);
    j->rows = calloc(robot->link_count + 1, sizeof *j->rows);
    j->stack = calloc(robot->link_count + 1, sizeof *j->stack);
    j->groups = calloc(robot->link_count + 1, sizeof *j->groups);
    bool good = parents != NULL && j->rows != NULL && j->stack != NULL && j->groups != NULL;
    for (size_t i = 0; i < robot->link_count && good; i++) {
        const ov_robot_link *l = &robot->links[i];
        uint32_t joint = ov_model_link_joint(robot->model, i);
        parents[i] = joint != OV_NO_LINK ? robot->joints[joint].def.parent : OV_NO_LINK;
        j->groups[i] = group_of(robot, (uint32_t)i);
        j->rows[i + 1] = j->rows[i] + l->collision_count + l->visual_count;
    }
    good = good && ovi_children_make(parents, robot->link_count, &j->children);
    free(parents);
    return good;
}

typedef struct asset_table {
    asset *list;
    size_t *rows;
} asset_table;

static int compare_rows(const void *a, const void *b) {
    const asset *x = a, *y = b;
    return strcmp(x->name->file, y->name->file);
}

/** Numbers the mesh files, each once. */
static bool list_assets(job *j, asset_table *t) {
    size_t count = j->robot->shape_count, files = 0;
    t->list = calloc(count + 1, sizeof *t->list);
    t->rows = calloc(count + 1, sizeof *t->rows);
    if (t->list == NULL || t->rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (j->names[i].file != NULL) {
            t->list[files++].name = &j->names[i];
        }
    }
    qsort(t->list, files, sizeof *t->list, compare_rows);
    for (size_t i = 0; i < files; i++) {
        if (j->asset_count == 0 || compare_rows(&t->list[j->asset_count - 1], &t->list[i]) != 0) {
            t->list[j->asset_count++] = t->list[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        asset key = {&j->names[i]};
        const asset *found = key.name->file == NULL
                                 ? NULL
                                 : bsearch(&key, t->list, j->asset_count, sizeof key, compare_rows);
        t->rows[i] = found != NULL ? (size_t)(found - t->list) : 0;
    }
    j->assets = t->rows;
    j->asset_list = t->list;
    return true;
}

ov_status ovi_mjcf_write(const ovi_robot_out *out, const ov_robot *robot, ov_fault *fault) {
    const uint32_t native = 1u << OV_SHAPE_KIND_SPHERE | 1u << OV_SHAPE_KIND_CAPSULE |
                            1u << OV_SHAPE_KIND_ELLIPSOID | 1u << OV_SHAPE_KIND_CYLINDER |
                            1u << OV_SHAPE_KIND_BOX | 1u << OV_SHAPE_KIND_HALFSPACE;
    ovi_mesh_name *names = NULL;
    ovi_undo undo = {NULL, 0};
    ov_status status = check_robot(robot, fault);
    if (status == OV_OK) {
        // MuJoCo reads OBJ and STL only
        status = ovi_robot_meshes_write(out, robot, (ovi_mesh_wish){native, false, true}, &undo,
                                        &names, fault);
    }
    if (status != OV_OK) {
        return status;
    }
    job j = {.robot = robot, .names = names};
    asset_table table = {NULL, NULL};
    status =
        list_links(&j) && list_assets(&j, &table)
            ? ovi_robot_out_write(out, &undo, write_robot, &j, fault)
            : ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    ovi_undo_run(&undo); // where the file was not even begun
    free(table.list);
    free(table.rows);
    ovi_children_free(&j.children);
    free(j.rows);
    free(j.stack);
    free(j.groups);
    ovi_robot_meshes_free(robot, names);
    return status;
}
