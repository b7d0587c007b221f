/**
 * @file fuzz_urdf.c
 * @brief Fuzz target: the reader and the writer of URDF, from raw bytes.
 *
 * The input is the file; the mesh "c.obj" lies beside it, and the input's length says which options
 * are set. What is demanded: a known status, a robot with success only and a printable text with
 * failure only; what was read has names, unit quaternions and a model of the same links; and what
 * is written reads back the same: to the bit, but for rotations.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "reading.h"

/* ---- a folder of its own */

static char folder[] = "/tmp/ovoid-fuzz-urdf-XXXXXX";
static char mesh_path[sizeof folder + 16], out_path[sizeof folder + 16];
static char out_folder[sizeof folder + 16];

static void clean_up(void) {
    (void)unlink(mesh_path);
    (void)unlink(out_path);
    (void)rmdir(out_folder);
    (void)rmdir(folder);
}

static void set_up(void) {
    static bool done;
    if (done) {
        return;
    }
    done = true;
    demand(mkdtemp(folder) != NULL, "a folder can be made");
    (void)snprintf(mesh_path, sizeof mesh_path, "%s/c.obj", folder);
    (void)snprintf(out_path, sizeof out_path, "%s/out.urdf", folder);
    (void)snprintf(out_folder, sizeof out_folder, "%s/out_meshes", folder);
    FILE *f = fopen(mesh_path, "wb");
    demand(f != NULL &&
               fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.1\n"
                     "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
                     f) >= 0 &&
               fclose(f) == 0,
           "a mesh can be written");
    (void)atexit(clean_up);
}

/* ---- sameness */

static bool same_pose(ov_pose a, ov_pose b) {
    double dot = a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x +
                 a.rotation.y * b.rotation.y + a.rotation.z * b.rotation.z;
    return same_vec3(a.position, b.position) && fabs(fabs(dot) - 1.0) < 1e-14;
}

static bool is_unit(ov_quat q) {
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-12;
}

static void compare_shapes(const ov_robot_shape *a, const ov_robot_shape *b) {
    demand(strcmp(a->name, b->name) == 0 && same_pose(a->pose, b->pose), "a shape's place");
    demand(a->shape.kind == b->shape.kind && (a->mesh == NULL) == (b->mesh == NULL),
           "a shape's kind");
    if (a->shape.kind != OV_SHAPE_KIND_NONE && a->shape.kind != OV_SHAPE_KIND_POLYHEDRON) {
        demand(same_vec3(a->shape.a, b->shape.a) && same_number(a->shape.e1, b->shape.e1) &&
                   same_number(a->shape.e2, b->shape.e2) && same_number(a->shape.tx, b->shape.tx) &&
                   same_number(a->shape.ty, b->shape.ty),
               "a shape's numbers");
    }
    demand(a->has_colour == b->has_colour && memcmp(a->colour, b->colour, sizeof a->colour) == 0,
           "a colour");
}

static void compare_links(const ov_robot_link *a, const ov_robot_link *b) {
    demand(strcmp(a->name, b->name) == 0 && a->collision_count == b->collision_count &&
               a->visual_count == b->visual_count && a->has_inertial == b->has_inertial,
           "a link");
    for (size_t i = 0; i < a->collision_count; i++) {
        compare_shapes(&a->collisions[i], &b->collisions[i]);
    }
    for (size_t i = 0; i < a->visual_count; i++) {
        compare_shapes(&a->visuals[i], &b->visuals[i]);
    }
    demand(same_pose(a->inertial_pose, b->inertial_pose) && same_number(a->mass, b->mass) &&
               memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0,
           "an inertia");
}

static void compare_joints(const ov_robot_joint *a, const ov_robot_joint *b) {
    demand(strcmp(a->def.name, b->def.name) == 0 && a->def.kind == b->def.kind &&
               a->def.parent == b->def.parent && a->def.child == b->def.child &&
               same_pose(a->def.origin, b->def.origin),
           "a joint");
    demand(same_vec3(a->def.axis, b->def.axis) && same_number(a->def.lower, b->def.lower) &&
               same_number(a->def.upper, b->def.upper) && same_number(a->velocity, b->velocity) &&
               same_number(a->effort, b->effort),
           "a joint's limits");
    demand(a->def.mimic == b->def.mimic && same_number(a->def.multiplier, b->def.multiplier) &&
               same_number(a->def.offset, b->def.offset),
           "a joint that follows");
    // no dynamics and dynamics of zero are the same
    demand(a->damping == b->damping && a->friction == b->friction, "a joint's dynamics");
}

static void compare_robots(const ov_robot *a, const ov_robot *b) {
    demand(strcmp(ov_robot_name(a), ov_robot_name(b)) == 0, "the robot's name");
    demand(ov_robot_link_count(a) == ov_robot_link_count(b) &&
               ov_robot_joint_count(a) == ov_robot_joint_count(b),
           "as many links and joints");
    for (size_t i = 0; i < ov_robot_link_count(a); i++) {
        compare_links(ov_robot_get_link(a, i), ov_robot_get_link(b, i));
    }
    for (size_t i = 0; i < ov_robot_joint_count(a); i++) {
        compare_joints(ov_robot_get_joint(a, i), ov_robot_get_joint(b, i));
    }
}

/* ---- what was read */

static void judge_answer(ov_status status, const ov_robot *robot, const ov_fault *fault) {
    demand(status >= OV_ERROR_LIMIT && status <= OV_OK, "status of reading");
    demand((status == OV_OK) == (robot != NULL), "a robot only with success");
    judge_text(status, fault);
}

static void judge_shapes(const ov_robot_shape *shapes, size_t count, bool visual) {
    for (size_t i = 0; i < count; i++) {
        const ov_robot_shape *s = &shapes[i];
        demand(is_unit(s->pose.rotation) && ov_vec3_is_finite(s->pose.position), "a pose");
        demand(s->shape.kind != OV_SHAPE_KIND_NONE || s->mesh != NULL ||
                   (visual && s->mesh_file != NULL),
               "a shape or a mesh");
    }
}

static void judge_robot(const ov_robot *robot) {
    const ov_model *model = ov_robot_model(robot);
    demand(model != NULL && ov_model_link_count(model) == ov_robot_link_count(robot) &&
               ov_model_joint_count(model) == ov_robot_joint_count(robot),
           "a model of the same links");
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        demand(strcmp(link->name, ov_model_link_name(model, i)) == 0, "a link's name");
        judge_shapes(link->collisions, link->collision_count, false);
        judge_shapes(link->visuals, link->visual_count, true);
    }
    for (size_t i = 0; i < ov_robot_joint_count(robot); i++) {
        demand(is_unit(ov_robot_get_joint(robot, i)->def.origin.rotation), "a joint's pose");
    }
}

/** Removes the meshes that were written. */
static void remove_meshes(const ov_robot *robot) {
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        for (size_t k = 0; k < link->collision_count + link->visual_count; k++) {
            const ov_robot_shape *s = k < link->collision_count
                                          ? &link->collisions[k]
                                          : &link->visuals[k - link->collision_count];
            if (s->mesh_path != NULL && strstr(s->mesh_path, "/out_meshes/") != NULL) {
                (void)unlink(s->mesh_path);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ov_robot *robot, *back;
    ov_fault fault;
    set_up();
    FILE *f = open_bytes(data, size);
    ov_robot_options options = {NULL, 0, size % 2 == 1, size / 2 % 2 == 1};
    judge_answer(ov_robot_read_stream(f, folder, &options, &robot, &fault), robot, &fault);
    (void)fclose(f);
    if (robot == NULL) {
        return 0;
    }
    judge_robot(robot);
    demand(ov_robot_write(out_path, OV_ROBOT_FORMAT_URDF, robot, NULL, &fault) == OV_OK,
           "a robot that was read can be written");
    judge_answer(ov_robot_read(out_path, &options, &back, &fault), back, &fault);
    demand(back != NULL, "a robot that was written can be read");
    compare_robots(robot, back);
    remove_meshes(back);
    ov_robot_destroy(back);
    ov_robot_destroy(robot);
    return 0;
}
