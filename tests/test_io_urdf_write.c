/**
 * @file test_io_urdf_write.c
 * @brief Robots made from parts, and URDF that is written: what is read back is the same, to the
 * bit but for rotations, whatever was in the robot.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static double worst_turn;

/* ---- sameness -------------------------------------------------------------------------------- */

/** To the bit, but for the sign of zero, which is not written. */
static bool same_number(double a, double b) { return a == b; }

static bool same_vec3(ov_vec3 a, ov_vec3 b) {
    return same_number(a.x, b.x) && same_number(a.y, b.y) && same_number(a.z, b.z);
}

/** A quaternion and its negative are the same rotation. */
static bool same_pose(ov_pose a, ov_pose b) {
    double less = 0.0, more = 0.0;
    const double p[4] = {a.rotation.w, a.rotation.x, a.rotation.y, a.rotation.z};
    const double q[4] = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
    for (int i = 0; i < 4; i++) {
        less = fmax(less, fabs(p[i] - q[i]));
        more = fmax(more, fabs(p[i] + q[i]));
    }
    worst_turn = fmax(worst_turn, fmin(less, more));
    return same_vec3(a.position, b.position) && fmin(less, more) <= 1e-15;
}

static bool same_polyhedron(const ov_shape *a, const ov_shape *b) {
    size_t count = a->u.polyhedron.vertex_count;
    bool same = count == b->u.polyhedron.vertex_count;
    for (size_t i = 0; i < count && same; i++) {
        same = same_vec3(a->u.polyhedron.vertices[i], b->u.polyhedron.vertices[i]);
    }
    return same;
}

static bool same_mesh(const ov_trimesh *a, const ov_trimesh *b) {
    size_t vertices = ov_trimesh_vertex_count(a), triangles = ov_trimesh_triangle_count(a);
    return vertices == ov_trimesh_vertex_count(b) && triangles == ov_trimesh_triangle_count(b) &&
           memcmp(ov_trimesh_vertices(a), ov_trimesh_vertices(b), vertices * sizeof(ov_vec3)) ==
               0 &&
           memcmp(ov_trimesh_triangles(a), ov_trimesh_triangles(b),
                  triangles * sizeof(uint32_t[3])) == 0;
}

static bool same_shape(const ov_robot_shape *a, const ov_robot_shape *b) {
    const ov_shape *s = &a->shape, *t = &b->shape;
    bool same = strcmp(a->name, b->name) == 0 && same_pose(a->pose, b->pose) &&
                s->kind == t->kind && (a->mesh == NULL) == (b->mesh == NULL);
    if (!same || a->mesh != NULL) {
        return same && same_mesh(a->mesh, b->mesh);
    }
    if (s->kind == OV_SHAPE_KIND_POLYHEDRON) {
        return same_polyhedron(s, t);
    }
    return same_vec3(s->a, t->a) && same_number(s->e1, t->e1) && same_number(s->e2, t->e2) &&
           same_number(s->tx, t->tx) && same_number(s->ty, t->ty);
}

static bool same_colour(const ov_robot_shape *a, const ov_robot_shape *b) {
    return a->has_colour == b->has_colour &&
           (!a->has_colour || memcmp(a->colour, b->colour, sizeof a->colour) == 0);
}

static bool same_link(const ov_robot_link *a, const ov_robot_link *b) {
    bool same = strcmp(a->name, b->name) == 0 && a->collision_count == b->collision_count &&
                a->visual_count == b->visual_count && a->has_inertial == b->has_inertial;
    for (size_t i = 0; same && i < a->collision_count; i++) {
        same = same_shape(&a->collisions[i], &b->collisions[i]);
    }
    for (size_t i = 0; same && i < a->visual_count; i++) {
        same = same_shape(&a->visuals[i], &b->visuals[i]) &&
               same_colour(&a->visuals[i], &b->visuals[i]);
    }
    return same && (!a->has_inertial || (same_pose(a->inertial_pose, b->inertial_pose) &&
                                         same_number(a->mass, b->mass) &&
                                         memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0));
}

static bool has_axis(ov_joint_kind kind) {
    return kind == OV_JOINT_KIND_REVOLUTE || kind == OV_JOINT_KIND_CONTINUOUS ||
           kind == OV_JOINT_KIND_PRISMATIC || kind == OV_JOINT_KIND_PLANAR;
}

static bool same_joint(const ov_robot_joint *x, const ov_robot_joint *y) {
    const ov_joint_def *a = &x->def, *b = &y->def;
    bool limits = a->kind == OV_JOINT_KIND_REVOLUTE || a->kind == OV_JOINT_KIND_PRISMATIC;
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->parent == b->parent &&
           a->child == b->child && same_pose(a->origin, b->origin) && a->mimic == b->mimic &&
           same_number(a->multiplier, b->multiplier) && same_number(a->offset, b->offset) &&
           (!has_axis(a->kind) || same_vec3(a->axis, b->axis)) &&
           (!limits || (same_number(a->lower, b->lower) && same_number(a->upper, b->upper))) &&
           same_number(x->velocity, y->velocity) && same_number(x->effort, y->effort) &&
           same_number(x->damping, y->damping) && same_number(x->friction, y->friction);
}

static bool same_robot(const ov_robot *a, const ov_robot *b) {
    bool same = strcmp(ov_robot_name(a), ov_robot_name(b)) == 0 &&
                ov_robot_link_count(a) == ov_robot_link_count(b) &&
                ov_robot_joint_count(a) == ov_robot_joint_count(b);
    for (size_t i = 0; same && i < ov_robot_link_count(a); i++) {
        same = same_link(ov_robot_get_link(a, i), ov_robot_get_link(b, i));
    }
    for (size_t i = 0; same && i < ov_robot_joint_count(a); i++) {
        same = same_joint(ov_robot_get_joint(a, i), ov_robot_get_joint(b, i));
    }
    return same;
}

static bool same_file(const ov_robot_shape *a, const ov_robot_shape *b) {
    return (a->mesh_file == NULL) == (b->mesh_file == NULL) &&
           (a->mesh_file == NULL || strcmp(a->mesh_file, b->mesh_file) == 0);
}

/** Do the shapes have meshes of the same names? */
static bool same_files(const ov_robot *a, const ov_robot *b) {
    bool same = true;
    for (size_t i = 0; i < ov_robot_link_count(a); i++) {
        const ov_robot_link *x = ov_robot_get_link(a, i), *y = ov_robot_get_link(b, i);
        for (size_t k = 0; k < x->collision_count; k++) {
            same = same && same_file(&x->collisions[k], &y->collisions[k]);
        }
        for (size_t k = 0; k < x->visual_count; k++) {
            same = same && same_file(&x->visuals[k], &y->visuals[k]);
        }
    }
    return same;
}

static ov_robot *write_and_read(const ov_robot *robot, const char *path) {
    ov_robot *back = NULL;
    ov_fault fault = {0};
    if (!CHECK_OK(ov_robot_write(path, OV_ROBOT_FORMAT_URDF, robot, NULL, &fault)) ||
        !CHECK_OK(ov_robot_read(path, NULL, &back, &fault))) {
        fprintf(stderr, "%s: %zu: %s\n", path, fault.index, fault.text);
    }
    return back;
}

/* ---- random robots --------------------------------------------------------------------------- */

enum { LINKS = 12, SHAPES = 3 };

static const ov_vec3 corners[] = {{0, 0, 0}, {1.1, 0, 0}, {0, 1.3, 0}, {0, 0, 1.7}, {1, 1, 1}};
static const uint32_t faces[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {1, 2, 4}};

/** All that a random robot is made of; it is copied when the robot is made. */
typedef struct parts {
    ov_robot_link links[LINKS];
    ov_robot_joint joints[LINKS - 1];
    ov_robot_shape shapes[LINKS][2 * SHAPES];
    char names[2 * LINKS][32];
    ov_hull *hull;
    ov_trimesh *mesh;
} parts;

/** Rotations of all sorts, also near and at the poles of roll, pitch and yaw. */
static ov_pose random_pose(check_random *r) {
    ov_pose pose = ov_pose_identity();
    pose.position =
        ov_vec3_make(check_uniform(r, -1.0, 1.0), check_log_uniform(r, 1e-9, 1e9), -0.0);
    switch (check_random_bits(r) % 4) {
    case 0:
        return pose;
    case 1:
        pose.rotation = check_rotation(r);
        return pose;
    case 2: {
        double near = check_random_bits(r) % 3 == 0 ? 0.0 : check_log_uniform(r, 1e-17, 1e-2);
        double side = check_random_bits(r) % 2 == 0 ? 1.0 : -1.0;
        ov_quat roll = ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), check_uniform(r, -4.0, 4.0));
        ov_quat pitch = ov_quat_from_axis_angle(ov_vec3_make(0, 1, 0), side * (M_PI_2 - near));
        ov_quat yaw = ov_quat_from_axis_angle(ov_vec3_make(0, 0, 1), check_uniform(r, -4.0, 4.0));
        pose.rotation = ov_quat_mul(yaw, ov_quat_mul(pitch, roll));
        return pose;
    }
    default: {
        ov_vec3 axis = {0, 0, 0};
        ((double *)&axis)[check_random_bits(r) % 3] = 1.0;
        double turns = floor(check_uniform(r, -4.0, 5.0));
        pose.rotation = ov_quat_from_axis_angle(axis, turns * M_PI_2);
        return pose;
    }
    }
}

static ov_shape random_solid(check_random *r, const parts *p) {
    ov_shape shape = {0};
    double a = check_log_uniform(r, 1e-4, 1e3), b = check_log_uniform(r, 1e-4, 1e3);
    ov_vec3 axes = {a, b, check_log_uniform(r, 0.1, 10.0) * a};
    double e1 = check_uniform(r, 0.05, 1.95), e2 = check_uniform(r, 0.05, 0.9);
    switch (check_random_bits(r) % 9) {
    case 0:
        CHECK_OK(ov_shape_make_sphere(a, &shape));
        break;
    case 1:
        CHECK_OK(ov_shape_make_ellipsoid(axes, &shape));
        break;
    case 2:
        CHECK_OK(ov_shape_make_superellipsoid(axes, e1, e2, &shape));
        break;
    case 3: {
        // dents that only a large tolerance lets pass, too
        ov_shape_options options = {1.0};
        axes = ov_vec3_make(a, a, 1.5 * a);
        CHECK_OK(ov_shape_make_superovoid(axes, e1, 2.0 * e2, check_uniform(r, -0.4, 0.4), 0.3,
                                          &options, &shape));
        break;
    }
    case 4:
        CHECK_OK(ov_shape_make_box(axes, &shape));
        break;
    case 5:
        CHECK_OK(ov_shape_make_capsule(a, b, &shape));
        break;
    case 6:
        CHECK_OK(ov_shape_make_cylinder(a, b, &shape));
        break;
    case 7:
        CHECK_OK(ov_shape_make_cone(a, b, &shape));
        break;
    default:
        CHECK_OK(ov_hull_shape(p->hull, &shape));
    }
    return shape;
}

static void random_link(check_random *r, parts *p, size_t i) {
    ov_robot_link *link = &p->links[i];
    size_t collisions = check_random_bits(r) % (SHAPES + 1);
    size_t visuals = check_random_bits(r) % (SHAPES + 1);
    (void)snprintf(p->names[i], sizeof p->names[i], "l%zu <&\"'>\xc3\xa4", i);
    *link = (ov_robot_link){
        p->names[i], p->shapes[i],   p->shapes[i] + SHAPES,           collisions, visuals,
        i % 2 == 0,  random_pose(r), check_log_uniform(r, 1e-6, 1e6), {0}};
    for (int k = 0; k < 6; k++) {
        link->inertia[k] = check_uniform(r, -1.0, 1.0);
    }
    for (size_t k = 0; k < 2 * SHAPES; k++) {
        ov_robot_shape *s = &p->shapes[i][k];
        bool mesh = check_random_bits(r) % 8 == 0;
        *s = (ov_robot_shape){.name = k % 2 == 0 ? "shape & co" : "",
                              .pose = random_pose(r),
                              .mesh_scale = {1, 1, 1},
                              .mesh = mesh && k < SHAPES ? p->mesh : NULL,
                              .has_colour = k >= SHAPES && k % 2 == 0,
                              .colour = {check_uniform(r, 0, 1), 1.0, 0.0, 0.5}};
        if (s->mesh == NULL) {
            s->shape = random_solid(r, p);
        }
    }
}

static double random_limit(check_random *r) {
    return check_random_bits(r) % 4 == 0 ? INFINITY : check_log_uniform(r, 1e-3, 1e3);
}

static void random_joint(check_random *r, parts *p, uint32_t i) {
    ov_robot_joint *joint = &p->joints[i];
    (void)snprintf(p->names[LINKS + i], sizeof p->names[0], "joint %u", i);
    *joint = (ov_robot_joint){.velocity = random_limit(r),
                              .effort = random_limit(r),
                              .damping = i % 3 == 0 ? 0.1 : 0.0,
                              .friction = i % 3 == 1 ? 0.3 : 0.0};
    joint->def = (ov_joint_def){.name = p->names[LINKS + i],
                                .kind = (ov_joint_kind)(check_random_bits(r) % OV_JOINT_KIND_COUNT),
                                .parent = (uint32_t)(check_random_bits(r) % (i + 1)),
                                .child = i + 1,
                                .origin = random_pose(r),
                                .axis = ov_vec3_scale(check_unit_vector(r), 3.0),
                                .lower = -random_limit(r),
                                .upper = random_limit(r),
                                .mimic = OV_NO_LINK,
                                .multiplier = 1.0};
    // the last one may follow the first one
    if (i == LINKS - 2 && ov_joint_position_count(p->joints[0].def.kind) == 1) {
        joint->def.kind = OV_JOINT_KIND_PRISMATIC;
        joint->def.mimic = 0;
        joint->def.multiplier = check_uniform(r, -2.0, 2.0);
        joint->def.offset = 0.1;
    }
}

static ov_robot *random_robot(check_random *r) {
    static parts p;
    ov_robot *robot = NULL;
    ov_fault fault = {0};
    CHECK_OK(ov_hull_create(corners, 5, &p.hull));
    CHECK_OK(ov_trimesh_create(corners, 5, faces, 5, NULL, &p.mesh));
    for (size_t i = 0; i < LINKS; i++) {
        random_link(r, &p, i);
    }
    for (uint32_t i = 0; i < LINKS - 1; i++) {
        random_joint(r, &p, i);
    }
    if (!CHECK_OK(ov_robot_create("robot \"<1>\"", p.links, LINKS, p.joints, LINKS - 1, &robot,
                                  &fault))) {
        fprintf(stderr, "%s\n", fault.text);
    }
    // everything has been copied
    ov_trimesh_destroy(p.mesh);
    ov_hull_destroy(p.hull);
    memset(&p, 0x55, sizeof p);
    return robot;
}

static void round_trips(void) {
    check_random r = check_random_make(72);
    for (int i = 0; i < 20; i++) {
        ov_robot *robot = random_robot(&r);
        if (robot == NULL) {
            return;
        }
        ov_robot *back = write_and_read(robot, "one.urdf");
        CHECK(back != NULL && same_robot(robot, back));
        // over the files that it was read from, and once more elsewhere
        ov_robot *again = back != NULL ? write_and_read(back, "one.urdf") : NULL;
        CHECK(again != NULL && same_robot(back, again));
        CHECK(again != NULL && same_files(back, again));
        ov_robot *third = again != NULL ? write_and_read(again, "two.urdf") : NULL;
        CHECK(third != NULL && same_robot(robot, third));
        ov_robot_destroy(third);
        ov_robot_destroy(again);
        ov_robot_destroy(back);
        ov_robot_destroy(robot);
    }
    check_worst("rotations read back", worst_turn, 1e-15);
}

/* ---- files ----------------------------------------------------------------------------------- */

static size_t count_files(const char *folder) {
    DIR *d = opendir(folder);
    size_t count = 0;
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        count += e->d_name[0] != '.';
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return count;
}

/** Meshes of a robot that was read come along, each once, with their scale. */
static void meshes_come_along(void) {
    static const char text[] =
        "<robot><link name='a'>"
        "<collision><geometry><mesh filename='in.obj' scale='0.1 -1 3'/></geometry></collision>"
        "<collision><geometry><mesh filename='in.obj'/></geometry></collision>"
        "<visual><geometry><mesh filename='in.obj'/></geometry></visual>"
        "<visual><geometry><mesh filename='gone.dae' scale='1 1 2'/></geometry></visual>"
        "<visual><geometry><mesh filename='in.urdf'/></geometry></visual>"
        "</link></robot>";
    FILE *f = fopen("in.obj", "wb");
    CHECK(f != NULL &&
          fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
                "f 2 3 4\n",
                f) >= 0 &&
          fclose(f) == 0);
    f = fopen("in.urdf", "wb");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    (void)mkdir("away", 0777);
    for (int hulls = 0; hulls < 2; hulls++) {
        ov_robot_options options = {NULL, 0, hulls == 1, false};
        ov_robot *robot = NULL, *back;
        ov_fault fault;
        CHECK_OK(ov_robot_read("in.urdf", &options, &robot, &fault));
        back = write_and_read(robot, "away/out.urdf");
        CHECK(back != NULL && same_robot(robot, back));
        const ov_robot_link *link = ov_robot_get_link(back, 0);
        CHECK(link != NULL && count_files("away/out_meshes") == 1);
        CHECK(link->collisions[0].mesh_scale.y == -1.0);
        CHECK(strncmp(link->collisions[0].mesh_file, "out_meshes/in-", 14) == 0);
        CHECK(strcmp(link->visuals[0].mesh_file, link->collisions[1].mesh_file) == 0);
        // what was not there, or is no mesh, is named as before
        CHECK(strcmp(link->visuals[2].mesh_file, "in.urdf") == 0);
        CHECK(strcmp(link->visuals[1].mesh_file, "gone.dae") == 0);
        CHECK(link->visuals[1].mesh_scale.z == 2.0);
        ov_robot_destroy(back);
        ov_robot_destroy(robot);
    }
}

/** Tiny and huge bodies have stand-ins too, though STL has no such numbers. */
static void extreme_sizes(void) {
    const double sizes[] = {1e-55, 1e-30, 1e30, 1e55};
    for (size_t i = 0; i < 4; i++) {
        ov_robot_shape shape = {.name = "", .pose = ov_pose_identity(), .mesh_scale = {1, 1, 1}};
        ov_vec3 axes = {sizes[i], 2.0 * sizes[i], sizes[i]};
        CHECK_OK(ov_shape_make_superellipsoid(axes, 0.5, 0.7, &shape.shape));
        ov_robot_link link = {.name = "a", .collisions = &shape, .collision_count = 1};
        ov_robot *robot = NULL;
        CHECK_OK(ov_robot_create(NULL, &link, 1, NULL, 0, &robot, NULL));
        ov_robot *back = write_and_read(robot, "size.urdf");
        CHECK(back != NULL && same_robot(robot, back));
        ov_robot_destroy(back);
        ov_robot_destroy(robot);
    }
}

static void refusals(void) {
    ov_robot_shape shape = {.name = "", .pose = ov_pose_identity(), .mesh_scale = {1, 1, 1}};
    ov_robot_link link = {.name = "table", .collisions = &shape, .collision_count = 1};
    ov_robot *robot = NULL;
    ov_fault fault;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0, 0, 1), 0.0, &shape.shape));
    CHECK_OK(ov_robot_create("r", &link, 1, NULL, 0, &robot, &fault));
    CHECK_STATUS(ov_robot_write("flat.urdf", OV_ROBOT_FORMAT_URDF, robot, NULL, &fault),
                 OV_ERROR_UNSUPPORTED);
    CHECK(strcmp(fault.text, "link \"table\": URDF has no halfspace") == 0);
    CHECK(access("flat.urdf", F_OK) != 0);
    ov_robot_destroy(robot);
    CHECK_OK(ov_shape_make_cone(1.0, 1.0, &shape.shape));
    CHECK_OK(ov_robot_create("r", &link, 1, NULL, 0, &robot, &fault));
    CHECK_STATUS(ov_robot_write("no/such/folder.urdf", OV_ROBOT_FORMAT_URDF, robot, NULL, &fault),
                 OV_ERROR_FILE_OPEN);
    CHECK(fault.text[0] != '\0');
    // where the folder of the meshes should be is a file
    FILE *f = fopen("cone_meshes", "wb");
    CHECK(f != NULL && fclose(f) == 0);
    CHECK_STATUS(ov_robot_write("cone.urdf", OV_ROBOT_FORMAT_URDF, robot, NULL, &fault),
                 OV_ERROR_FILE_OPEN);
    CHECK(access("cone.urdf", F_OK) != 0);
    ov_robot_destroy(robot);
}

/* ---- robots from parts ----------------------------------------------------------------------- */

/** Makes a robot of one link with one collision, and perhaps a joint to a second link. */
static ov_status make(const char *name, const ov_robot_shape *shape, const ov_robot_joint *joint,
                      ov_fault *fault) {
    ov_robot_link links[2] = {{.name = name, .collisions = shape, .collision_count = 1},
                              {.name = "second"}};
    ov_robot *robot = NULL;
    ov_status status =
        ov_robot_create("r", links, joint != NULL ? 2 : 1, joint, joint != NULL, &robot, fault);
    CHECK((status == OV_OK) == (robot != NULL));
    CHECK((status == OV_OK) == (fault->text[0] == '\0'));
    ov_robot_destroy(robot);
    return status;
}

static ov_vec3 no_support(const void *user, ov_vec3 direction) {
    (void)user;
    return direction;
}

static void bad_parts(void) {
    ov_robot_shape good = {.name = "", .pose = ov_pose_identity(), .mesh_scale = {1, 1, 1}};
    ov_robot_shape shape;
    ov_fault fault;
    CHECK_OK(ov_shape_make_sphere(1.0, &good.shape));
    CHECK_OK(make("a", &good, NULL, &fault));
    CHECK_STATUS(make("", &good, NULL, &fault), OV_ERROR_NAME);
    CHECK_STATUS(make("a\nb", &good, NULL, &fault), OV_ERROR_NAME);
    CHECK_STATUS(make("a\xff", &good, NULL, &fault), OV_ERROR_NAME);
    CHECK_STATUS(make("a\xef\xbf\xbf", &good, NULL, &fault), OV_ERROR_NAME);
    char long_name[500];
    for (size_t shift = 0; shift < 4; shift++) {
        // characters of two bytes across every cut of the check
        memset(long_name, 'x', shift);
        for (size_t i = shift; i + 2 < sizeof long_name; i += 2) {
            memcpy(long_name + i, "\xc3\xa4", 3);
        }
        CHECK_OK(make(long_name, &good, NULL, &fault));
        long_name[451] = '\x01';
        CHECK_STATUS(make(long_name, &good, NULL, &fault), OV_ERROR_NAME);
    }
    shape = good;
    shape.shape.kind = OV_SHAPE_KIND_NONE;
    CHECK_STATUS(make("a", &shape, NULL, &fault), OV_ERROR_UNSUPPORTED);
    shape = good;
    CHECK_OK(ov_shape_make_custom(no_support, NULL, (ov_ball){{0, 0, 0}, 1.0}, &shape.shape));
    CHECK_STATUS(make("a", &shape, NULL, &fault), OV_ERROR_UNSUPPORTED);
    shape = good;
    shape.pose.position.x = NAN;
    CHECK_STATUS(make("a", &shape, NULL, &fault), OV_ERROR_NOT_FINITE);
    shape = good;
    shape.pose.rotation.w = INFINITY;
    CHECK_STATUS(make("a", &shape, NULL, &fault), OV_ERROR_NOT_FINITE);
    ov_robot_joint joint = {.def = {.name = "j",
                                    .kind = OV_JOINT_KIND_CONTINUOUS,
                                    .parent = 0,
                                    .child = 1,
                                    .origin = ov_pose_identity(),
                                    .axis = {0, 0, 1},
                                    .mimic = OV_NO_LINK}};
    CHECK_OK(make("a", &good, &joint, &fault));
    CHECK_STATUS(make("second", &good, &joint, &fault), OV_ERROR_NAME);
    ov_robot_joint bad = joint;
    bad.def.child = 7;
    CHECK_STATUS(make("a", &good, &bad, &fault), OV_ERROR_INDEX);
    bad = joint;
    bad.velocity = NAN;
    CHECK_STATUS(make("a", &good, &bad, &fault), OV_ERROR_NOT_FINITE);
    bad = joint;
    bad.def.name = NULL;
    CHECK_STATUS(make("a", &good, &bad, &fault), OV_ERROR_NAME);
    ov_robot *robot;
    CHECK_STATUS(ov_robot_create("r", NULL, 1, NULL, 0, &robot, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_create("r", NULL, 0, NULL, 0, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_create("r", NULL, 0, NULL, 0, &robot, &fault), OV_ERROR_COUNT);
    CHECK(robot == NULL);
}

/* ---- elements for other programs --------------------------------------------------------------
 */

static const char extra_text[] =
    "<robot name='r' xmlns:g='urn:g' version='1.0'>\n"
    "<transmission name='t'><joint name='j'>\n <!-- a & b --> <x>1 &lt; 2</x></joint>"
    "<![CDATA[ <raw> ]]></transmission>\n"
    "<link name='a'><sensor  type=\"s\" /></link>\n"
    "<joint name='j' type='revolute' xmlns:q='urn:q'><parent link='a'/><child link='b'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
    "<calibration rising='0.1'/><safety_controller q:k='3'/></joint>\n"
    "<joint name='k' type='fixed'><parent link='b'/><child link='c'/>"
    "<mimic joint='j'   offset='1'/></joint>\n"
    "<link name='b'/><link name='c'><sensor/></link>\n"
    "<gazebo reference='a'><g:k>\xc3\xa4</g:k></gazebo>\n"
    "</robot>\n";

/** What must be there, and be the same after any number of times. */
static const struct {
    const char *name, *text;
    uint32_t link, joint;
} extras[] = {
    {"transmission",
     "<transmission name='t'><joint name='j'>\n <!-- a & b --> <x>1 &lt; 2</x></joint>"
     "<![CDATA[ <raw> ]]></transmission>",
     OV_NO_LINK, OV_NO_LINK},
    {"sensor", "<sensor  type=\"s\" />", 0, OV_NO_LINK},
    {"calibration", "<calibration xmlns:q=\"urn:q\" rising='0.1'/>", OV_NO_LINK, 0},
    {"safety_controller", "<safety_controller xmlns:q=\"urn:q\" q:k='3'/>", OV_NO_LINK, 0},
    {"mimic", "<mimic joint='j'   offset='1'/>", OV_NO_LINK, 1},
    {"sensor", "<sensor/>", 2, OV_NO_LINK},
    {"gazebo", "<gazebo reference='a'><g:k>\xc3\xa4</g:k></gazebo>", OV_NO_LINK, OV_NO_LINK},
};
enum { EXTRAS = sizeof extras / sizeof extras[0] };

static bool has_extra(const ov_robot *robot, size_t wanted) {
    for (size_t i = 0; i < ov_robot_extra_count(robot); i++) {
        const ov_robot_extra *e = ov_robot_get_extra(robot, i);
        if (strcmp(e->name, extras[wanted].name) == 0 &&
            strcmp(e->text, extras[wanted].text) == 0 && e->link == extras[wanted].link &&
            e->joint == extras[wanted].joint) {
            return true;
        }
    }
    return false;
}

static void extras_stay(void) {
    FILE *f = fopen("extras.urdf", "wb");
    CHECK(f != NULL && fputs(extra_text, f) >= 0 && fclose(f) == 0);
    const char *from = "extras.urdf", *to = "extras_1.urdf";
    for (int turn = 0; turn < 3; turn++) {
        ov_robot *robot = NULL;
        ov_fault fault = {0};
        if (!CHECK_OK(ov_robot_read(from, NULL, &robot, &fault))) {
            fprintf(stderr, "%s: %zu: %s\n", from, fault.index, fault.text);
            return;
        }
        // a copy has all of it, and outlives what it was made from
        ov_robot *copy = NULL;
        if (!CHECK_OK(ov_robot_copy(robot, NULL, &copy, &fault))) {
            ov_robot_destroy(robot);
            return;
        }
        ov_robot_destroy(robot);
        robot = copy;
        CHECK(ov_robot_extra_count(robot) == EXTRAS);
        CHECK(ov_robot_get_extra(robot, EXTRAS) == NULL);
        for (size_t i = 0; i < EXTRAS; i++) {
            if (!CHECK(has_extra(robot, i))) {
                fprintf(stderr, "turn %d: no %s\n", turn, extras[i].text);
            }
        }
        CHECK(ov_robot_get_joint(robot, 1)->def.mimic == OV_NO_LINK);
        CHECK_OK(ov_robot_write(to, OV_ROBOT_FORMAT_URDF, robot, NULL, &fault));
        ov_robot_destroy(robot);
        from = to;
        to = turn == 0 ? "extras_2.urdf" : "extras_3.urdf";
    }
}

/** Links that take the place of others, in a copy; the original stays as it is. */
static void copies(void) {
    ov_robot_shape ball = {.name = "ball"}, brick = {.name = "brick"};
    CHECK_OK(ov_shape_make_sphere(0.5, &ball.shape));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 2.0, 3.0), &brick.shape));
    ov_robot_link links[2] = {{.name = "a", .collisions = &ball, .collision_count = 1},
                              {.name = "b", .collisions = &ball, .collision_count = 1}};
    ov_robot_joint joint = {.def = {.name = "j", .parent = 0, .child = 1}};
    ov_robot *robot = NULL, *copy = NULL;
    ov_fault fault;
    CHECK_OK(ov_robot_create("r", links, 2, &joint, 1, &robot, &fault));
    links[1].collisions = &brick;
    CHECK_OK(ov_robot_copy(robot, links, &copy, &fault));
    CHECK(ov_robot_get_link(copy, 1)->collisions[0].shape.kind == OV_SHAPE_KIND_BOX);
    CHECK(ov_robot_get_link(robot, 1)->collisions[0].shape.kind == OV_SHAPE_KIND_SPHERE);
    const ov_geometry *geometry = ov_model_link_geometry(ov_robot_model(copy), 1);
    CHECK(geometry != NULL && ov_geometry_part(geometry, 0)->shape.kind == OV_SHAPE_KIND_BOX);
    ov_robot_destroy(copy);
    links[1].name = "a";
    CHECK_STATUS(ov_robot_copy(robot, links, &copy, &fault), OV_ERROR_NAME);
    CHECK(copy == NULL);
    CHECK_STATUS(ov_robot_copy(NULL, NULL, &copy, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_copy(robot, NULL, NULL, &fault), OV_ERROR_NULL);
    ov_robot_destroy(robot);
}

int main(void) {
    check_suite = "test_io_urdf_write";
    RUN(round_trips);
    RUN(meshes_come_along);
    RUN(extreme_sizes);
    RUN(refusals);
    RUN(bad_parts);
    RUN(extras_stay);
    RUN(copies);
    return check_finish();
}
