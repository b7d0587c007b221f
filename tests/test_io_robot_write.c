/**
 * @file test_io_robot_write.c
 * @brief Robots written as MJCF and SDFormat, read back by a reader of the tests' own: the poses
 * that a file describes are those of the robot. And what no writer takes.
 */
#include <sys/stat.h>

#include "robot_sample.h"
#include "xml_check.h"

/* ---- MJCF ------------------------------------------------------------------------------------ */

/** The pose of a body or geom of MJCF, in what it is in. */
static ov_pose mjcf_pose(int e) {
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
    const char *pos = xml_attribute(e, "pos"), *quat = xml_attribute(e, "quat");
    CHECK(pos == NULL || xml_numbers(pos, p, 3));
    CHECK(quat == NULL || xml_numbers(quat, q, 4));
    return (ov_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static ov_pose mjcf_world_pose(int body) {
    ov_pose pose = mjcf_pose(body);
    for (int e = xml_all[body].parent; e >= 0 && strcmp(xml_all[e].name, "body") == 0;
         e = xml_all[e].parent) {
        pose = after(mjcf_pose(e), pose);
    }
    return pose;
}

static void check_attribute(int e, const char *key, const double *expected, int count) {
    double values[8];
    if (CHECK(e >= 0) && CHECK(xml_numbers(xml_attribute(e, key), values, count))) {
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(values[i], expected[i], 1e-15);
        }
    }
}

static void check_word(int e, const char *key, const char *expected) {
    const char *value = e >= 0 ? xml_attribute(e, key) : NULL;
    if (!CHECK(value != NULL && strcmp(value, expected) == 0)) {
        fprintf(stderr, "%s is %s, not %s\n", key, value != NULL ? value : "missing", expected);
    }
}

/** The vertices of a written mesh lie on the surface, to the digits of its format. */
static void check_mesh_file(const char *file, const ov_shape *shape) {
    ov_mesh_data mesh;
    if (CHECK(file != NULL) && CHECK_OK(ov_mesh_read(file, &mesh, &fault))) {
        double worst = 0.0;
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            worst = fmax(worst, off_surface(shape, mesh.vertices[i]));
        }
        CHECK_NEAR(worst, 0.0, 1e-6);
        CHECK(mesh.triangle_count > 100);
        ov_mesh_free(&mesh);
    }
}

static void mjcf_joints(void) {
    int hinge = xml_named("joint", "hinge"), flat = xml_named("joint", "flat.x");
    check_word(hinge, "type", "hinge");
    check_attribute(hinge, "range", (const double[2]){-1.25, 1.0 / 3.0}, 2);
    check_attribute(hinge, "axis", &joints[HINGE].def.axis.x, 3);
    check_attribute(hinge, "damping", (const double[1]){0.1}, 1);
    check_attribute(hinge, "frictionloss", (const double[1]){0.2}, 1);
    check_word(xml_named("joint", "turn"), "type", "hinge");
    CHECK(xml_attribute(xml_named("joint", "turn"), "range") == NULL);
    check_word(xml_named("joint", "slide"), "type", "slide");
    check_word(xml_named("joint", "ball"), "type", "ball");
    CHECK(xml_named("joint", "weld") == -1);
    // the base is no part of the world, so that a free joint is made of four
    check_word(xml_named("joint", "free.z"), "type", "slide");
    check_word(xml_named("joint", "free.ball"), "type", "ball");
    // the slides of a planar joint are across its axis, and across each other
    double x[3], y[3], axis[3];
    check_word(flat, "type", "slide");
    int turn = xml_named("joint", "flat.angle"), flat_y = xml_named("joint", "flat.y");
    if (CHECK(flat >= 0 && flat_y >= 0 && turn >= 0)) {
        CHECK(xml_numbers(xml_attribute(flat, "axis"), x, 3));
        CHECK(xml_numbers(xml_attribute(flat_y, "axis"), y, 3));
        CHECK(xml_numbers(xml_attribute(turn, "axis"), axis, 3));
        ov_vec3 z = ov_vec3_cross(ov_vec3_make(x[0], x[1], x[2]), ov_vec3_make(y[0], y[1], y[2]));
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(z, joints[FLAT].def.axis)), 0.0, 1e-15);
        CHECK_NEAR(axis[0], joints[FLAT].def.axis.x, 1e-15);
    }
    int equality = xml_find(xml_find(0, "equality", -1), "joint", -1);
    check_word(equality, "joint1", "follow");
    check_word(equality, "joint2", "hinge");
    check_attribute(equality, "polycoef", (const double[5]){0, -0.5, 0, 0, 0}, 5);
}

/** Moments about axes of the link, from the definition: u . I v with u, v seen in the inertia's. */
static double moment(const ov_robot_link *link, ov_vec3 u, ov_vec3 v) {
    ov_quat back = ov_quat_conjugate(link->inertial_pose.rotation);
    ov_vec3 a = ov_quat_rotate(back, u), b = ov_quat_rotate(back, v);
    const double *i = link->inertia;
    return a.x * (i[0] * b.x + i[1] * b.y + i[2] * b.z) +
           a.y * (i[1] * b.x + i[3] * b.y + i[4] * b.z) +
           a.z * (i[2] * b.x + i[4] * b.y + i[5] * b.z);
}

static void mjcf_inertia(void) {
    const ov_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    int e = xml_find(xml_named("body", "wrist"), "inertial", -1);
    const ov_robot_link *l = &links[2];
    const double full[6] = {moment(l, x, x), moment(l, y, y), moment(l, z, z),
                            moment(l, x, y), moment(l, x, z), moment(l, y, z)};
    check_attribute(e, "fullinertia", full, 6);
    check_attribute(e, "mass", &l->mass, 1);
    CHECK(e >= 0 && xml_attribute(e, "quat") == NULL);
    e = xml_find(xml_named("body", "rail"), "inertial", -1);
    check_attribute(e, "diaginertia", (const double[3]){0.5, 0.6, 0.7}, 3);
    CHECK(pose_difference(mjcf_pose(e), links[3].inertial_pose) < 1e-15);
}

static void mjcf(void) {
    ov_robot *robot = make_robot();
    double worst = 0.0;
    CHECK_OK(ov_robot_write("a.xml", OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault));
    if (!CHECK(xml_read("a.xml"))) {
        ov_robot_destroy(robot);
        return;
    }
    check_word(0, "model", "r & d");
    check_word(xml_find(0, "compiler", -1), "angle", "radian");
    const ov_pose *poses = rest_poses(robot);
    for (size_t i = 0; i < LINKS; i++) {
        int body = xml_named("body", links[i].name), geom = xml_find(body, "geom", -1);
        if (CHECK(body >= 0) && CHECK(geom >= 0)) {
            worst = fmax(worst, pose_difference(mjcf_world_pose(body), poses[i]));
            worst = fmax(worst, pose_difference(mjcf_pose(geom), shapes[i][0].pose));
        }
    }
    CHECK(worst <= 1e-14);
    check_worst("poses of MJCF", worst, 1e-14);
    int arm = xml_named("body", ODD_NAME), geom = xml_find(arm, "geom", -1);
    check_word(geom, "type", "capsule");
    check_attribute(geom, "size", (const double[2]){0.05, 0.25}, 2);
    geom = xml_find(arm, "geom", xml_find(arm, "geom", geom));
    check_word(geom, "class", "visual");
    check_word(geom, "type", "box");
    check_attribute(geom, "size", (const double[3]){0.1, 0.2, 0.3}, 3);
    check_attribute(geom, "rgba", shapes[1][2].colour, 4);
    geom = xml_find(xml_named("body", "cart"), "geom", -1);
    check_word(geom, "type", "mesh");
    int mesh = geom >= 0 && xml_attribute(geom, "mesh") != NULL
                   ? xml_named("mesh", xml_attribute(geom, "mesh"))
                   : -1;
    check_mesh_file(mesh >= 0 ? xml_attribute(mesh, "file") : NULL, &shapes[7][0].shape);
    mjcf_joints();
    mjcf_inertia();
    CHECK(unlink("a.xml") == 0);
    remove_meshes("a_meshes");
    ov_robot_destroy(robot);
}

/** Planes may stand in the world, and a free joint below it. */
static void mjcf_world(void) {
    fill_robot();
    links[0].name = "world";
    shapes[0][0].shape = make_shape(OV_SHAPE_KIND_HALFSPACE);
    ov_robot *robot = make_robot();
    CHECK_OK(ov_robot_write("a.xml", OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault));
    if (CHECK(xml_read("a.xml"))) {
        CHECK(xml_named("body", "world") == -1 && xml_named("freejoint", "free") >= 0);
        int geom = xml_find(xml_find(0, "worldbody", -1), "geom", -1);
        check_word(geom, "type", "plane");
        // z of the plane is the normal, and it goes through the nearest point
        ov_pose p = mjcf_pose(geom);
        ov_vec3 n = make_shape(OV_SHAPE_KIND_HALFSPACE).u.halfspace.normal;
        ov_vec3 world_n = ov_quat_rotate(shapes[0][0].pose.rotation, n);
        ov_vec3 z = ov_quat_rotate(p.rotation, ov_vec3_make(0, 0, 1));
        ov_vec3 at = ov_pose_apply(shapes[0][0].pose, ov_vec3_scale(n, -0.7));
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(z, world_n)), 0.0, 1e-15);
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(p.position, at)), 0.0, 1e-15);
        CHECK(pose_difference(mjcf_world_pose(xml_named("body", "rail")), rest_poses(robot)[3]) <
              1e-14);
    }
    CHECK(unlink("a.xml") == 0);
    remove_meshes("a_meshes");
    ov_robot_destroy(robot);
    fill_robot();
}

/* ---- SDFormat -------------------------------------------------------------------------------- */

static ov_pose sdf_pose(int e) {
    double v[6] = {0, 0, 0, 0, 0, 0};
    int pose = xml_find(e, "pose", -1);
    CHECK(pose < 0 || xml_numbers(xml_all[pose].text, v, 6));
    ov_quat roll = ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), v[3]);
    ov_quat pitch = ov_quat_from_axis_angle(ov_vec3_make(0, 1, 0), v[4]);
    ov_quat yaw = ov_quat_from_axis_angle(ov_vec3_make(0, 0, 1), v[5]);
    return (ov_pose){{v[0], v[1], v[2]}, ov_quat_mul(yaw, ov_quat_mul(pitch, roll))};
}

/** Follows relative_to up to the model. */
static ov_pose sdf_world_pose(int link) {
    ov_pose pose = sdf_pose(link);
    for (int steps = 0; link >= 0 && steps < LINKS; steps++) {
        int e = xml_find(link, "pose", -1);
        const char *frame = e >= 0 ? xml_attribute(e, "relative_to") : NULL;
        link = frame != NULL ? xml_named("link", frame) : -1;
        CHECK(frame == NULL || link >= 0);
        pose = link >= 0 ? after(sdf_pose(link), pose) : pose;
    }
    return pose;
}

static void check_text(int parent, const char *name, const double *expected, int count) {
    double values[8];
    int e = parent >= 0 ? xml_find(parent, name, -1) : -1;
    if (CHECK(e >= 0) && CHECK(xml_numbers(xml_all[e].text, values, count))) {
        for (int i = 0; i < count; i++) {
            CHECK(values[i] == expected[i]);
        }
    }
}

static void sdf_details(void) {
    int hinge = xml_named("joint", "hinge"), axis = xml_find(hinge, "axis", -1);
    int limit = xml_find(axis, "limit", -1), dynamics = xml_find(axis, "dynamics", -1);
    check_word(hinge, "type", "revolute");
    check_text(limit, "lower", (const double[1]){-1.25}, 1);
    check_text(limit, "upper", (const double[1]){1.0 / 3.0}, 1);
    check_text(limit, "effort", (const double[1]){12.5}, 1);
    check_text(limit, "velocity", (const double[1]){3.0}, 1);
    check_text(dynamics, "damping", (const double[1]){0.1}, 1);
    check_text(dynamics, "friction", (const double[1]){0.2}, 1);
    int parent = xml_find(xml_named("joint", "turn"), "parent", -1);
    CHECK(parent >= 0 && strcmp(xml_all[parent].text, ODD_NAME) == 0);
    check_word(xml_named("joint", "ball"), "type", "ball");
    check_word(xml_named("joint", "weld"), "type", "fixed");
    check_word(xml_named("joint", "slide"), "type", "prismatic");
    CHECK(xml_named("joint", "free") == -1);
    int mimic = xml_find(xml_find(xml_named("joint", "follow"), "axis", -1), "mimic", -1);
    check_word(mimic, "joint", "hinge");
    check_text(mimic, "multiplier", (const double[1]){-0.5}, 1);
    int wrist = xml_find(xml_named("link", "wrist"), "inertial", -1);
    check_text(wrist, "mass", &links[2].mass, 1);
    check_text(xml_find(wrist, "inertia", -1), "ixz", &links[2].inertia[2], 1);
    check_text(xml_find(wrist, "inertia", -1), "izz", &links[2].inertia[5], 1);
    int arm = xml_named("link", ODD_NAME), capsule = xml_find(arm, "collision", -1);
    int geometry = xml_find(capsule, "geometry", -1);
    check_text(xml_find(geometry, "capsule", -1), "radius", (const double[1]){0.05}, 1);
    check_text(xml_find(geometry, "capsule", -1), "length", (const double[1]){0.5}, 1);
    int other = xml_find(arm, "collision", capsule), visual = xml_find(arm, "visual", -1);
    CHECK(other >= 0 && strcmp(xml_attribute(other, "name"), xml_attribute(capsule, "name")) != 0);
    check_text(xml_find(visual, "material", -1), "diffuse", shapes[1][2].colour, 4);
    check_text(xml_find(xml_find(visual, "geometry", -1), "box", -1), "size",
               (const double[3]){0.2, 0.4, 0.6}, 3);
    int cart = xml_find(xml_find(xml_named("link", "cart"), "collision", -1), "geometry", -1);
    int uri = xml_find(xml_find(cart, "mesh", -1), "uri", -1);
    check_mesh_file(uri >= 0 ? xml_all[uri].text : NULL, &shapes[7][0].shape);
}

static void sdf(void) {
    fill_robot();
    joints[FLAT].def.kind = OV_JOINT_KIND_CONTINUOUS;
    ov_robot *robot = make_robot();
    double worst = 0.0;
    CHECK_OK(ov_robot_write("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, robot, NULL, &fault));
    if (CHECK(xml_read("a.sdf"))) {
        check_word(0, "version", "1.9");
        check_word(xml_find(0, "model", -1), "name", "r & d");
        const ov_pose *poses = rest_poses(robot);
        for (size_t i = 0; i < LINKS; i++) {
            int link = xml_named("link", links[i].name), body = xml_find(link, "collision", -1);
            if (CHECK(link >= 0) && CHECK(body >= 0)) {
                worst = fmax(worst, pose_difference(sdf_world_pose(link), poses[i]));
                worst = fmax(worst, pose_difference(sdf_pose(body), shapes[i][0].pose));
            }
        }
        CHECK(worst <= 1e-14);
        check_worst("poses of SDFormat", worst, 1e-14);
        sdf_details();
    }
    CHECK(unlink("a.sdf") == 0);
    remove_meshes("a_meshes");
    ov_robot_destroy(robot);
    fill_robot();
}

/* ---- what cannot be written ------------------------------------------------------------------ */

/** Fails with this status and text, and leaves nothing behind. */
static void refused(const char *path, ov_robot_format format, ov_status status, const char *text) {
    ov_robot *robot = make_robot();
    ov_status got = ov_robot_write(path, format, robot, NULL, &fault);
    if (!CHECK_STATUS(got, status) ||
        !CHECK(strstr(fault.text, text) != NULL && fault.index == 0)) {
        fprintf(stderr, "%s: %s\n", path, fault.text);
    }
    CHECK(entries(".") == 2);
    CHECK(ov_robot_write(path, format, robot, NULL, NULL) == got);
    ov_robot_destroy(robot);
}

static void failures(void) {
    static const ov_robot_format all[] = {OV_ROBOT_FORMAT_MJCF,    OV_ROBOT_FORMAT_SDFORMAT,
                                          OV_ROBOT_FORMAT_COLLADA, OV_ROBOT_FORMAT_GLTF,
                                          OV_ROBOT_FORMAT_GLB,     OV_ROBOT_FORMAT_SCENE};
    refused("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, OV_ERROR_UNSUPPORTED,
            "joint \"flat\": SDFormat has no");
    joints[FLAT].def.kind = OV_JOINT_KIND_FIXED;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        refused("no/such/a", all[i], OV_ERROR_FILE_OPEN, "");
    }
    shapes[8][0].shape = make_shape(OV_SHAPE_KIND_POINT);
    refused("a.xml", OV_ROBOT_FORMAT_MJCF, OV_ERROR_UNSUPPORTED, "link \"cap\": MJCF has no point");
    refused("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, OV_ERROR_UNSUPPORTED, "SDFormat has no point");
    refused("a.glb", OV_ROBOT_FORMAT_GLB, OV_ERROR_UNSUPPORTED, "link \"cap\": glTF has no point");
    shapes[8][0].shape = make_shape(OV_SHAPE_KIND_HALFSPACE);
    refused("a.xml", OV_ROBOT_FORMAT_MJCF, OV_ERROR_UNSUPPORTED, "no planes that move");
    refused("a.dae", OV_ROBOT_FORMAT_COLLADA, OV_ERROR_UNSUPPORTED, "COLLADA has no halfspace");
    fill_robot();
    joints[FLAT].def.kind = OV_JOINT_KIND_FIXED;
    links[8].name = "world";
    refused("a.xml", OV_ROBOT_FORMAT_MJCF, OV_ERROR_UNSUPPORTED, "world");
    refused("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, OV_ERROR_UNSUPPORTED, "world");
    fill_robot();
    refused("a", OV_ROBOT_FORMAT_NONE, OV_ERROR_OPTION, "format");
    ov_robot *robot = make_robot();
    CHECK_STATUS(ov_robot_write(NULL, OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_write("a", OV_ROBOT_FORMAT_MJCF, NULL, NULL, &fault), OV_ERROR_NULL);
    double bad[64] = {NAN};
    CHECK_STATUS(ov_robot_write("a.json", OV_ROBOT_FORMAT_SCENE, robot, bad, &fault),
                 OV_ERROR_NOT_FINITE);
    // a folder in the place of the file; the meshes are complete by then
    CHECK(mkdir("b.xml", 0777) == 0);
    CHECK(ov_robot_write("b.xml", OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault) < 0 &&
          fault.text[0] != '\0');
    CHECK(rmdir("b.xml") == 0);
    remove_meshes("b_meshes");
    ov_robot_destroy(robot);
    CHECK(entries(".") == 2);
}

/* ---- streams --------------------------------------------------------------------------------- */

/** What a stream gets is what the file of the same mesh folder gets. */
static void streams(void) {
    static const struct {
        ov_robot_format format;
        const char *name;
    } texts[] = {{OV_ROBOT_FORMAT_URDF, "URDF"}, {OV_ROBOT_FORMAT_MJCF, "MJCF"}};
    ov_robot *robot = make_robot();
    for (size_t i = 0; i < 2; i++) {
        char *text = NULL, *file = NULL, expected[64];
        size_t size = 0, file_size = 0;
        CHECK_OK(ov_robot_write("a.xml", texts[i].format, robot, NULL, &fault));
        int meshes = entries("a_meshes");
        remove_meshes("a_meshes");
        FILE *f = open_memstream(&text, &size);
        CHECK_OK(ov_robot_write_stream(f, texts[i].format, "a_meshes", robot, NULL, &fault));
        CHECK(fclose(f) == 0 && entries("a_meshes") == meshes && meshes > 2);
        f = fopen("a.xml", "rb");
        FILE *copy = open_memstream(&file, &file_size);
        for (int byte; f != NULL && (byte = getc(f)) != EOF;) {
            CHECK(putc(byte, copy) == byte);
        }
        CHECK(f != NULL && fclose(f) == 0 && fclose(copy) == 0);
        CHECK(size == file_size && memcmp(text, file, size) == 0);
        free(file);
        free(text);
        remove_meshes("a_meshes");
        CHECK(unlink("a.xml") == 0);

        // no folder: nothing is written
        f = open_memstream(&text, &size);
        CHECK_STATUS(ov_robot_write_stream(f, texts[i].format, NULL, robot, NULL, &fault),
                     OV_ERROR_UNSUPPORTED);
        (void)snprintf(expected, sizeof expected, "%s needs a mesh file here", texts[i].name);
        CHECK(strstr(fault.text, expected) != NULL && fault.place == OV_FAULT_PLACE_NONE);
        CHECK(fclose(f) == 0 && size == 0);
        free(text);
    }
    CHECK_STATUS(ov_robot_write_stream(NULL, OV_ROBOT_FORMAT_URDF, "a", robot, NULL, &fault),
                 OV_ERROR_NULL);
    FILE *f = fopen("/dev/full", "wb");
    if (f != NULL) {
        CHECK_STATUS(ov_robot_write_stream(f, OV_ROBOT_FORMAT_MJCF, "a", robot, NULL, &fault),
                     OV_ERROR_FILE_WRITE);
        (void)fclose(f);
    }
    ov_robot_destroy(robot);
    CHECK(entries(".") == 2);
}

static void endings(void) {
    CHECK(ov_robot_format_from_path("a/b.URDF") == OV_ROBOT_FORMAT_URDF);
    CHECK(ov_robot_format_from_path("b.xml") == OV_ROBOT_FORMAT_MJCF);
    CHECK(ov_robot_format_from_path("b.mjcf") == OV_ROBOT_FORMAT_MJCF);
    CHECK(ov_robot_format_from_path("b.sdf") == OV_ROBOT_FORMAT_SDFORMAT);
    CHECK(ov_robot_format_from_path("b.dae") == OV_ROBOT_FORMAT_COLLADA);
    CHECK(ov_robot_format_from_path("b.gltf") == OV_ROBOT_FORMAT_GLTF);
    CHECK(ov_robot_format_from_path("b.Glb") == OV_ROBOT_FORMAT_GLB);
    CHECK(ov_robot_format_from_path("b.json") == OV_ROBOT_FORMAT_SCENE);
    CHECK(ov_robot_format_from_path("urdf") == OV_ROBOT_FORMAT_NONE);
    CHECK(ov_robot_format_from_path("b.xml.gz") == OV_ROBOT_FORMAT_NONE);
    CHECK(ov_robot_format_from_path("") == OV_ROBOT_FORMAT_NONE);
    CHECK(ov_robot_format_from_path(NULL) == OV_ROBOT_FORMAT_NONE);
}

int main(void) {
    check_suite = "io_robot_write";
    char folder[] = "test_io_robot_write_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    fill_robot();
    RUN(endings);
    RUN(mjcf);
    RUN(mjcf_world);
    RUN(sdf);
    RUN(streams);
    RUN(failures);
    CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
