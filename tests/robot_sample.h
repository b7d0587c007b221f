/**
 * @file robot_sample.h
 * @brief A robot with every kind of joint and most kinds of shapes, for the tests of writers; and
 * help with poses and folders.
 */
#ifndef OVOID_TESTS_ROBOT_SAMPLE_H
#define OVOID_TESTS_ROBOT_SAMPLE_H

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static ov_fault fault;

enum { LINKS = 9, JOINTS = 8 };
/** Joints in the order of their children. */
enum { HINGE, TURN, SLIDE, FOLLOW, BALL, FREE, FLAT, WELD };

static ov_robot_link links[LINKS];
static ov_robot_joint joints[JOINTS];
static ov_robot_shape shapes[LINKS][3];
#define ODD_NAME "arm <\"&'> \xc3\xa4"

static inline ov_shape make_shape(ov_shape_kind kind) {
    ov_shape s;
    ov_vec3 n = ov_vec3_normalize(ov_vec3_make(0.3, -0.2, 0.9));
    ov_status status = OV_OK;
    switch (kind) {
    case OV_SHAPE_KIND_BOX:
        status = ov_shape_make_box(ov_vec3_make(0.1, 0.2, 0.3), &s);
        break;
    case OV_SHAPE_KIND_CAPSULE:
        status = ov_shape_make_capsule(0.05, 0.25, &s);
        break;
    case OV_SHAPE_KIND_CYLINDER:
        status = ov_shape_make_cylinder(0.06, 0.35, &s);
        break;
    case OV_SHAPE_KIND_SPHERE:
        status = ov_shape_make_sphere(1.0 / 3.0, &s);
        break;
    case OV_SHAPE_KIND_ELLIPSOID:
        status = ov_shape_make_ellipsoid(ov_vec3_make(0.1, 0.2, 0.3), &s);
        break;
    case OV_SHAPE_KIND_HALFSPACE:
        status = ov_shape_make_halfspace(n, -0.7, &s);
        break;
    case OV_SHAPE_KIND_POINT:
        status = ov_shape_make_point(n, &s);
        break;
    default:
        status =
            ov_shape_make_superovoid(ov_vec3_make(0.1, 0.12, 0.2), 0.8, 0.9, 0.2, -0.1, NULL, &s);
        break;
    }
    CHECK_OK(status);
    return s;
}

static inline ov_pose random_pose(check_random *r) {
    ov_pose p = {ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 2.0)),
                 check_rotation(r)};
    return p;
}

static inline void add_shape(check_random *r, size_t link, size_t at, ov_shape_kind kind) {
    shapes[link][at] = (ov_robot_shape){.name = at == 0 ? "" : "same",
                                        .pose = random_pose(r),
                                        .shape = make_shape(kind),
                                        .mesh_scale = {1.0, 1.0, 1.0}};
}

static inline void add_joint(check_random *r, size_t at, const char *name, ov_joint_kind kind,
                             uint32_t parent) {
    joints[at] = (ov_robot_joint){.velocity = INFINITY, .effort = INFINITY};
    joints[at].def = (ov_joint_def){.name = name,
                                    .kind = kind,
                                    .parent = parent,
                                    .child = (uint32_t)at + 1,
                                    .origin = random_pose(r),
                                    .axis = check_unit_vector(r),
                                    .lower = -INFINITY,
                                    .upper = INFINITY,
                                    .mimic = OV_NO_LINK,
                                    .multiplier = 1.0};
}

static inline void fill_robot(void) {
    static const char *const names[LINKS] = {"base", ODD_NAME, "wrist", "rail", "finger",
                                             "eye",  "drone",  "cart",  "cap"};
    static const ov_shape_kind kinds[LINKS] = {
        OV_SHAPE_KIND_BOX,        OV_SHAPE_KIND_CAPSULE,    OV_SHAPE_KIND_CYLINDER,
        OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID,  OV_SHAPE_KIND_SPHERE,
        OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX};
    check_random r = check_random_make(71);
    memset(links, 0, sizeof links);
    for (size_t i = 0; i < LINKS; i++) {
        add_shape(&r, i, 0, kinds[i]);
        links[i] = (ov_robot_link){.name = names[i], .collisions = shapes[i], .collision_count = 1};
    }
    // two of a link with the same name, and a visual
    add_shape(&r, 1, 1, OV_SHAPE_KIND_BOX);
    add_shape(&r, 1, 2, OV_SHAPE_KIND_BOX);
    shapes[1][2].has_colour = true;
    memcpy(shapes[1][2].colour, (const double[4]){0.1, 0.2, 0.3, 0.5}, sizeof shapes[1][2].colour);
    links[1].collision_count = 2;
    links[1].visuals = &shapes[1][2];
    links[1].visual_count = 1;
    links[2].has_inertial = true;
    links[2].inertial_pose = random_pose(&r);
    links[2].mass = 1.0 / 7.0;
    memcpy(links[2].inertia, (const double[6]){0.5, 0.01, -0.02, 0.6, 0.03, 0.7},
           sizeof links[2].inertia);
    links[3].has_inertial = true;
    links[3].inertial_pose = random_pose(&r);
    links[3].mass = 2.0;
    memcpy(links[3].inertia, (const double[6]){0.5, 0, 0, 0.6, 0, 0.7}, sizeof links[3].inertia);
    add_joint(&r, HINGE, "hinge", OV_JOINT_KIND_REVOLUTE, 0);
    add_joint(&r, TURN, "turn", OV_JOINT_KIND_CONTINUOUS, 1);
    add_joint(&r, SLIDE, "slide", OV_JOINT_KIND_PRISMATIC, 0);
    add_joint(&r, FOLLOW, "follow", OV_JOINT_KIND_REVOLUTE, 2);
    add_joint(&r, BALL, "ball", OV_JOINT_KIND_SPHERICAL, 2);
    add_joint(&r, FREE, "free", OV_JOINT_KIND_FLOATING, 0);
    add_joint(&r, FLAT, "flat", OV_JOINT_KIND_PLANAR, 5);
    add_joint(&r, WELD, "weld", OV_JOINT_KIND_FIXED, 7);
    joints[HINGE].def.lower = -1.25;
    joints[HINGE].def.upper = 1.0 / 3.0;
    joints[HINGE].effort = 12.5;
    joints[HINGE].velocity = 3.0;
    joints[HINGE].damping = 0.1;
    joints[HINGE].friction = 0.2;
    joints[SLIDE].def.lower = -0.5;
    joints[SLIDE].def.upper = 0.5;
    joints[FOLLOW].def.lower = -2.0;
    joints[FOLLOW].def.upper = 2.0;
    joints[FOLLOW].def.mimic = HINGE;
    joints[FOLLOW].def.multiplier = -0.5;
    // at the leader's zero the follower is at zero too, so that files show the same pose
    joints[FOLLOW].def.offset = 0.0;
}

static inline ov_robot *make_robot(void) {
    ov_robot *robot = NULL;
    if (!CHECK_OK(ov_robot_create("r & d", links, LINKS, joints, JOINTS, &robot, &fault))) {
        fprintf(stderr, "%s\n", fault.text);
        exit(1);
    }
    return robot;
}

static inline ov_pose *rest_poses(const ov_robot *robot) {
    static ov_pose poses[LINKS];
    static double positions[64];
    ov_model_rest(ov_robot_model(robot), positions);
    CHECK_OK(ov_model_poses(ov_robot_model(robot), ov_pose_identity(), positions, poses));
    return poses;
}

static inline ov_pose after(ov_pose a, ov_pose b) {
    return (ov_pose){ov_pose_apply(a, b.position), ov_quat_mul(a.rotation, b.rotation)};
}

/** How far apart two poses are; a quaternion and its negative are one rotation. */
static inline double pose_difference(ov_pose a, ov_pose b) {
    ov_quat p = a.rotation, q = b.rotation;
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
    double turn = fmax(fmax(fabs(p.w - sign * q.w), fabs(p.x - sign * q.x)),
                       fmax(fabs(p.y - sign * q.y), fabs(p.z - sign * q.z)));
    return fmax(turn, ov_vec3_length(ov_vec3_sub(a.position, b.position)));
}

/** Number of entries of a folder, or -1 where there is none. */
static inline int entries(const char *path) {
    DIR *folder = opendir(path);
    int count = folder != NULL ? 0 : -1;
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

/** Removes NAME_meshes with all that is in it. */
static inline void remove_meshes(const char *path) {
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        char name[1024];
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.') {
            CHECK(unlink(name) == 0);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
        CHECK(rmdir(path) == 0);
    }
}

/** How far a point is from the surface of a superovoid, in units of its distance from the centre.
 */
static inline double off_surface(const ov_shape *shape, ov_vec3 point) {
    double value = 0.0;
    CHECK_OK(ov_shape_gauge_value(shape, point, &value));
    return fabs(value - 1.0);
}

#endif
