/**
 * @file test_io_urdf.c
 * @brief Robots from URDF: what real files have is read, and what is wrong with others is said in
 * one line.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0)) {
        exit(1);
    }
}

static ov_status read_text(const char *text, const ov_robot_options *options, ov_robot **robot,
                           ov_fault *fault) {
    write_text("robot.urdf", text);
    return ov_robot_read("robot.urdf", options, robot, fault);
}

/** Reads a robot that must be good. */
static ov_robot *read_good(const char *text, const ov_robot_options *options) {
    ov_robot *robot = NULL;
    ov_fault fault = {OV_FAULT_PLACE_ROW, 9, "left over"};
    if (!CHECK_OK(read_text(text, options, &robot, &fault))) {
        fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
    }
    CHECK((robot == NULL) == (fault.text[0] != '\0'));
    return robot;
}

static const char cube_obj[] = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\n"
                               "v 0 2 3\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
                               "f 4 1 5 8\n";

/** Folders and meshes that the robots below name. */
static void make_meshes(void) {
    const char *const folders[] = {"meshes", "pack",       "pack/arm_description",
                                   "arm",    "arm/meshes", "arm/urdf"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        (void)mkdir(folders[i], 0777);
    }
    write_text("meshes/cube.obj", cube_obj);
    write_text("pack/arm_description/cube.obj", cube_obj);
    write_text("arm/meshes/cube.obj", cube_obj);
    write_text("meshes/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("meshes/broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n");
    write_text("meshes/nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

/* ---- a good robot ---------------------------------------------------------------------------- */

static const char everything[] =
    "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>\r\n"
    "<!DOCTYPE robot [<!ENTITY half '0.5'> <!ELEMENT robot ANY>]>\n"
    "<!-- a robot -->\n"
    "<robot name='all &amp; \xc3\xbc' xmlns:xacro='http://www.ros.org/wiki/xacro'\n"
    "       xmlns:o='urn:ovoid:urdf:1' xmlns='http://www.ros.org'>\n"
    "  <material name='blue'><color rgba='0 0 1 &half;'/></material>\n"
    "  <joint name='turn' type='revolute'>\n"
    "    <child link='arm'/><parent link='base'/>\n"
    "    <origin rpy='0.1 -0.2 0.3' xyz=' 1  2\t3 '/><axis xyz='0 0 2'/>\n"
    "    <limit lower='-1.5' upper='+1.5e0' velocity='2' effort='30'/>\n"
    "    <dynamics damping='0.25' friction='.5'/>\n"
    "    <safety_controller k_velocity='1'/>\n"
    "  </joint>\n"
    "  <link name='base'>\n"
    "    <inertial><origin xyz='0 0 1'/><mass value='4'/>\n"
    "      <inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='3'/></inertial>\n"
    "    <collision name='block'><geometry><box size='2 4 6'/></geometry></collision>\n"
    "    <collision><origin xyz='0 0 5'/><geometry><cylinder radius='1' length='3'/></geometry>\n"
    "    </collision>\n"
    "    <visual><geometry><mesh filename='package://nowhere/x.dae'/></geometry>\n"
    "      <material name='red'><color rgba='1 0 0 1'/></material></visual>\n"
    "    <visual><geometry><sphere radius='2'/></geometry><material name='blue'/></visual>\n"
    "    <visual><geometry><sphere radius='2'/></geometry><material name='red'/></visual>\n"
    "    <visual><geometry><sphere radius='2'/></geometry><material name='none'/></visual>\n"
    "    <gazebo><deeper><still/></deeper></gazebo>\n"
    "  </link>\n"
    "  <link name='arm'>\n"
    "    <collision><geometry><capsule radius='0.5' length='2'/></geometry></collision>\n"
    "    <collision><geometry><mesh filename='meshes/cube.obj' scale='1 -2 0.5'/></geometry>\n"
    "    </collision>\n"
    "    <collision><geometry><mesh scale='1 -2 0.5' filename='meshes/cube.obj'/></geometry>\n"
    "    </collision>\n"
    "    <collision><geometry><mesh filename='package://arm_description/cube.obj'/></geometry>\n"
    "    </collision>\n"
    "  </link>\n"
    "  <link name='egg'>\n"
    "    <collision><geometry><mesh filename='not/there.stl'/>\n"
    "      <o:superovoid size='1 1 1.5' exponents='1 0.8' taper='0.2 0.2'/></geometry>\n"
    "    </collision>\n"
    "    <collision><geometry><ovoid:superovoid size='1 2 3'/></geometry></collision>\n"
    "    <collision><geometry><mesh filename='meshes/cube.obj'/><o:polyhedron/></geometry>\n"
    "    </collision>\n"
    "    <collision><geometry><box size='1 1 1'/><o:cone radius='1' length='4'/></geometry>\n"
    "    </collision>\n"
    "    <collision xmlns:p='urn:ovoid:urdf:1'><geometry><p:capsule radius='1' length='0'/>\n"
    "    </geometry></collision>\n"
    "    <collision xmlns:ovoid='urn:other'><geometry><sphere radius='7'/>\n"
    "      <ovoid:cone radius='1' length='4'/></geometry></collision>\n"
    "  </link>\n"
    "  <link name='hand/1 &lt;l&gt;'/><link name='free'/><link name='ball'/><link name='disc'/>\n"
    "  <link name='slider'/>\n"
    "  <joint name='spin' type='continuous'><parent link='arm'/><child link='egg'/></joint>\n"
    "  <joint name='weld' type='fixed'><parent link='egg'/><child link='hand/1 &lt;l&gt;'/>\n"
    "    <axis xyz='0 0 0'/></joint>\n"
    "  <joint name='fly' type='floating'><parent link='base'/><child link='free'/></joint>\n"
    "  <joint name='socket' type='spherical'><parent link='base'/><child link='ball'/></joint>\n"
    "  <joint name='plane' type='planar'><parent link='base'/><child link='disc'/>\n"
    "    <axis xyz='0 1 0'/></joint>\n"
    "  <joint name='slide' type='prismatic'><parent link='base'/><child link='slider'/>\n"
    "    <limit upper='inf' effort='1.7976931348623157e308'/>\n"
    "    <mimic joint='turn' multiplier='-2' offset='0.125'/></joint>\n"
    "  <transmission name='t'><joint name='turn'/><link/></transmission>\n"
    "  <gazebo reference='base'><joint name='nothing'/></gazebo>\n"
    "  <sensor:camera xmlns:sensor='urn:x'/><undeclared:thing a='&amp;'/>\n"
    "</robot>\n";

static const char *const packages[] = {"pack"};
static const ov_robot_options with_packages = {packages, 1, false, false};

static void good_links(const ov_robot *robot) {
    const ov_robot_link *base = ov_robot_get_link(robot, 0), *arm = ov_robot_get_link(robot, 1);
    const ov_robot_link *egg = ov_robot_get_link(robot, 2);
    CHECK(strcmp(base->name, "base") == 0 && base->collision_count == 2);
    CHECK(strcmp(ov_robot_get_link(robot, 3)->name, "hand/1 <l>") == 0);
    CHECK(base->has_inertial && base->mass == 4.0 && base->inertial_pose.position.z == 1.0);
    CHECK(base->inertia[0] == 1.0 && base->inertia[1] == 0.1 && base->inertia[2] == 0.2);
    CHECK(base->inertia[3] == 2.0 && base->inertia[4] == 0.3 && base->inertia[5] == 3.0);
    CHECK(strcmp(base->collisions[0].name, "block") == 0 && base->collisions[1].name[0] == '\0');
    CHECK(base->collisions[0].shape.kind == OV_SHAPE_KIND_BOX &&
          base->collisions[0].shape.a.y == 2.0);
    CHECK(base->collisions[1].shape.kind == OV_SHAPE_KIND_CYLINDER);
    CHECK(base->collisions[1].shape.a.x == 1.0 && base->collisions[1].shape.a.z == 1.5);
    CHECK(base->collisions[1].pose.position.z == 5.0);
    CHECK(base->visual_count == 4 && base->visuals[0].mesh == NULL);
    CHECK(strcmp(base->visuals[0].mesh_file, "package://nowhere/x.dae") == 0);
    CHECK(base->visuals[0].mesh_path == NULL && base->visuals[0].colour[0] == 1.0);
    CHECK(base->visuals[1].has_colour && base->visuals[1].colour[2] == 1.0);
    CHECK(base->visuals[1].colour[3] == 0.5);
    CHECK(base->visuals[2].has_colour && base->visuals[2].colour[0] == 1.0);
    CHECK(!base->visuals[3].has_colour && base->visuals[3].shape.kind == OV_SHAPE_KIND_SPHERE);
    CHECK(arm->collision_count == 4 && arm->collisions[0].shape.kind == OV_SHAPE_KIND_CAPSULE);
    CHECK(arm->collisions[0].shape.a.x == 0.5 && arm->collisions[0].shape.a.z == 1.0);
    CHECK(arm->collisions[1].shape.kind == OV_SHAPE_KIND_NONE && arm->collisions[1].mesh != NULL);
    // the same file with the same scale is there once
    CHECK(arm->collisions[1].mesh == arm->collisions[2].mesh);
    CHECK(arm->collisions[3].mesh != NULL && arm->collisions[3].mesh != arm->collisions[1].mesh);
    CHECK(strcmp(arm->collisions[3].mesh_path, "pack/arm_description/cube.obj") == 0);
    CHECK(arm->collisions[1].mesh_scale.y == -2.0);
    CHECK(egg->collision_count == 6 && egg->collisions[0].shape.kind == OV_SHAPE_KIND_SUPEROVOID);
    CHECK(egg->collisions[0].shape.e2 == 0.8 && egg->collisions[0].shape.ty == 0.2);
    CHECK(strcmp(egg->collisions[0].mesh_file, "not/there.stl") == 0);
    CHECK(egg->collisions[0].mesh_path == NULL && egg->collisions[0].mesh == NULL);
    CHECK(egg->collisions[1].shape.kind == OV_SHAPE_KIND_ELLIPSOID);
    CHECK(egg->collisions[2].shape.kind == OV_SHAPE_KIND_POLYHEDRON);
    CHECK(egg->collisions[2].shape.u.polyhedron.vertex_count == 8);
    CHECK(egg->collisions[3].shape.kind == OV_SHAPE_KIND_CONE &&
          egg->collisions[3].shape.a.z == 2.0);
    CHECK(egg->collisions[4].shape.kind == OV_SHAPE_KIND_CAPSULE);
    // a prefix that stands for something else is none of ours
    CHECK(egg->collisions[5].shape.kind == OV_SHAPE_KIND_SPHERE);
}

/** A mirrored mesh keeps its outside: its volume stays positive, and is scaled. */
static void mirrored_mesh(const ov_trimesh *mesh) {
    const ov_vec3 *v = ov_trimesh_vertices(mesh);
    const uint32_t(*t)[3] = ov_trimesh_triangles(mesh);
    double volume = 0.0;
    for (size_t i = 0; i < ov_trimesh_triangle_count(mesh); i++) {
        volume += ov_vec3_dot(v[t[i][0]], ov_vec3_cross(v[t[i][1]], v[t[i][2]])) / 6.0;
    }
    CHECK_NEAR(volume, 6.0, 1e-14);
    CHECK(ov_trimesh_box(mesh).min.y <= -4.0 && ov_trimesh_box(mesh).max.z >= 1.5);
}

static void good_joints(const ov_robot *robot) {
    const ov_robot_joint *turn = ov_robot_get_joint(robot, 0);
    CHECK(turn->def.kind == OV_JOINT_KIND_REVOLUTE && turn->def.parent == 0 &&
          turn->def.child == 1);
    CHECK(turn->def.axis.z == 2.0 && turn->def.lower == -1.5 && turn->def.upper == 1.5);
    CHECK(turn->velocity == 2.0 && turn->effort == 30.0);
    CHECK(turn->damping == 0.25 && turn->friction == 0.5);
    CHECK(turn->def.origin.position.z == 3.0);
    const ov_joint_kind kinds[] = {OV_JOINT_KIND_REVOLUTE,  OV_JOINT_KIND_CONTINUOUS,
                                   OV_JOINT_KIND_FIXED,     OV_JOINT_KIND_FLOATING,
                                   OV_JOINT_KIND_SPHERICAL, OV_JOINT_KIND_PLANAR,
                                   OV_JOINT_KIND_PRISMATIC};
    for (size_t i = 0; i < 7; i++) {
        CHECK(ov_robot_get_joint(robot, i)->def.kind == kinds[i]);
    }
    const ov_robot_joint *spin = ov_robot_get_joint(robot, 1);
    CHECK(spin->def.axis.x == 1.0 && spin->def.axis.z == 0.0); // the default
    CHECK(isinf(spin->velocity) && isinf(spin->effort) && spin->damping == 0.0);
    const ov_robot_joint *slide = ov_robot_get_joint(robot, 6);
    CHECK(slide->def.mimic == 0 && slide->def.multiplier == -2.0 && slide->def.offset == 0.125);
    CHECK(slide->def.lower == 0.0 && isinf(slide->def.upper) && isinf(slide->effort));
    ov_model *model = ov_robot_model(robot);
    CHECK(ov_model_link_count(model) == 8 && ov_model_joint_count(model) == 7);
    CHECK(ov_model_dof_count(model) == 1 + 1 + 6 + 3 + 3);
    CHECK(ov_model_find_link(model, "egg") == 2 && ov_model_root(model) == 0);
    CHECK(ov_geometry_count(ov_model_link_geometry(model, 1)) == 4);
}

static void good_robot(void) {
    ov_robot *robot = read_good(everything, &with_packages);
    if (robot == NULL) {
        return;
    }
    CHECK(strcmp(ov_robot_name(robot), "all & \xc3\xbc") == 0);
    CHECK(ov_robot_link_count(robot) == 8 && ov_robot_joint_count(robot) == 7);
    CHECK(ov_robot_get_link(robot, 8) == NULL && ov_robot_get_joint(robot, 7) == NULL);
    good_links(robot);
    good_joints(robot);
    mirrored_mesh(ov_robot_get_link(robot, 1)->collisions[1].mesh);
    ov_robot_destroy(robot);
    ov_robot_destroy(NULL);
    CHECK(ov_robot_link_count(NULL) == 0 && ov_robot_get_link(NULL, 0) == NULL);
    CHECK(ov_robot_model(NULL) == NULL && ov_robot_name(NULL)[0] == '\0');
}

/** Roll, pitch and yaw against three turns about fixed axes, one after the other. */
static void rotations(void) {
    check_random r = check_random_make(71);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        double rpy[3];
        char text[400];
        for (int k = 0; k < 3; k++) {
            rpy[k] = i < 30 ? floor(check_uniform(&r, -4.0, 5.0)) * M_PI_2
                            : check_uniform(&r, -7.0, 7.0);
        }
        (void)snprintf(text, sizeof text,
                       "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'>"
                       "<parent link='a'/><child link='b'/><origin rpy='%.17g %.17g %.17g'/>"
                       "</joint></robot>",
                       rpy[0], rpy[1], rpy[2]);
        ov_robot *robot = read_good(text, NULL);
        if (robot == NULL) {
            return;
        }
        ov_quat q = ov_robot_get_joint(robot, 0)->def.origin.rotation;
        ov_vec3 v = check_unit_vector(&r), turned = ov_quat_rotate(q, v);
        double x = v.x, y = cos(rpy[0]) * v.y - sin(rpy[0]) * v.z;
        double z = sin(rpy[0]) * v.y + cos(rpy[0]) * v.z, x2 = cos(rpy[1]) * x + sin(rpy[1]) * z;
        double z2 = -sin(rpy[1]) * x + cos(rpy[1]) * z;
        ov_vec3 expected = {cos(rpy[2]) * x2 - sin(rpy[2]) * y, sin(rpy[2]) * x2 + cos(rpy[2]) * y,
                            z2};
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(turned, expected)));
        ov_robot_destroy(robot);
    }
    CHECK(worst <= 2e-15);
    check_worst("roll, pitch, yaw", worst, 2e-15);
}

/* ---- meshes and paths ------------------------------------------------------------------------ */

static void one_mesh(char *text, size_t size, const char *file) {
    (void)snprintf(text, size,
                   "<robot><link name='a'><collision><geometry>\n<mesh filename='%s'/>"
                   "</geometry></collision></link></robot>",
                   file);
}

static void mesh_paths(void) {
    char here[2000], url[2100], text[3000];
    if (!CHECK(getcwd(here, sizeof here) != NULL)) {
        return;
    }
    // within a package, which is found above the file
    one_mesh(text, sizeof text, "package://arm/meshes/cube.obj");
    write_text("arm/urdf/arm.urdf", text);
    ov_robot *robot = NULL;
    ov_fault fault;
    CHECK_OK(ov_robot_read("arm/urdf/arm.urdf", NULL, &robot, &fault));
    ov_robot_destroy(robot);
    // the same from beside the package, and by a stream
    robot = read_good(text, NULL);
    CHECK(robot != NULL);
    ov_robot_destroy(robot);
    FILE *f = fopen("arm/urdf/arm.urdf", "rb");
    CHECK_OK(ov_robot_read_stream(f, "arm/urdf", NULL, &robot, &fault));
    ov_robot_destroy(robot);
    (void)fclose(f);
    const char *const before[] = {"file://", "file://localhost", "", "model:/", "."};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        (void)snprintf(url, sizeof url, "%s%s/meshes/cube.obj", before[i], i < 3 ? here : "");
        one_mesh(text, sizeof text, url);
        robot = read_good(text, NULL);
        CHECK(robot != NULL && ov_robot_get_link(robot, 0)->collisions[0].mesh != NULL);
        ov_robot_destroy(robot);
    }
    // a folder, a pipe and a device are no meshes
    (void)mkfifo("pipe.obj", 0600);
    const char *const nothing[] = {"meshes", "pipe.obj", "/dev/zero", "package://arm",
                                   "package://"};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        one_mesh(text, sizeof text, nothing[i]);
        CHECK_STATUS(read_text(text, NULL, &robot, &fault), OV_ERROR_FILE_OPEN);
        CHECK(fault.index == 2);
    }
}

static void mesh_options(void) {
    ov_robot_options options = with_packages;
    options.hulls = true;
    ov_robot *robot = read_good(everything, &options);
    if (robot != NULL) {
        const ov_robot_shape *s = &ov_robot_get_link(robot, 1)->collisions[1];
        CHECK(s->mesh == NULL && s->shape.kind == OV_SHAPE_KIND_POLYHEDRON && s->mesh_path != NULL);
        ov_mass mass;
        CHECK_OK(ov_shape_mass(&s->shape, 1.0, &mass));
        CHECK_NEAR(mass.volume, 6.0, 1e-14);
    }
    ov_robot_destroy(robot);
    // a flat mesh has no hull, and stays what it is
    char text[400];
    one_mesh(text, sizeof text, "meshes/flat.obj");
    robot = read_good(text, &options);
    CHECK(robot != NULL && ov_robot_get_link(robot, 0)->collisions[0].mesh != NULL);
    ov_robot_destroy(robot);
    // visuals that are asked for must be there
    options.visuals = true;
    ov_fault fault;
    CHECK_STATUS(read_text(everything, &options, &robot, &fault), OV_ERROR_FILE_OPEN);
    CHECK(robot == NULL && fault.index == 20);
    CHECK(strcmp(fault.text, "link \"base\": mesh \"package://nowhere/x.dae\" is not there: no "
                             "folder of packages holds it") == 0);
    robot = read_good("<robot><link name='a'><visual><geometry><mesh filename='meshes/cube.obj'/>"
                      "</geometry></visual></link></robot>",
                      &options);
    CHECK(robot != NULL && ov_robot_get_link(robot, 0)->visuals[0].mesh != NULL);
    ov_robot_destroy(robot);
}

/** The unit of a COLLADA file counts, its up axis does not: so robots are made. */
static void mesh_axes(void) {
    write_text("meshes/y_up.dae",
               "<COLLADA><asset><unit meter='0.5'/><up_axis>Y_UP</up_axis></asset>"
               "<library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f' "
               "count='9'>0 0 0 1 0 0 0 2 0</float_array><technique_common><accessor source='#f' "
               "count='3' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>"
               "<param name='Z' type='float'/></accessor></technique_common></source>"
               "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
               "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/>"
               "<p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>");
    char text[400];
    one_mesh(text, sizeof text, "meshes/y_up.dae");
    ov_robot *robot = read_good(text, NULL);
    if (CHECK(robot != NULL)) {
        ov_aabb box = ov_trimesh_box(ov_robot_get_link(robot, 0)->collisions[0].mesh);
        CHECK(box.max.x == 0.5 && box.max.y == 1.0 && box.max.z == 0.0 && box.min.z == 0.0);
    }
    ov_robot_destroy(robot);
    ov_mesh_data mesh;
    ov_fault fault;
    CHECK_OK(ov_mesh_read("meshes/y_up.dae", &mesh, &fault)); // alone it is turned
    CHECK(mesh.vertex_count == 3 && mesh.vertices[2].z == 1.0);
    ov_mesh_free(&mesh);
}

/* ---- bad files ------------------------------------------------------------------------------- */

#define LINK(inside) "<robot>\n<link name='a'>\n" inside "\n</link>\n</robot>"
#define SHAPE(inside) LINK("<collision><geometry>" inside "</geometry></collision>")
#define JOINT(inside)                                                                              \
    "<robot>\n<link name='upperarm'/><link name='b'/>\n<joint name='elbow' " inside                \
    "</joint>\n</robot>"
#define ENDS "<parent link='upperarm'/><child link='b'/>"

static const struct {
    const char *text;
    ov_status status;
    size_t line;
    const char *message;
} bad_files[] = {
    {"", OV_ERROR_FILE_FORMAT, 1, "empty, where a robot should be"},
    {"<!-- x -->\n", OV_ERROR_FILE_FORMAT, 2, "no <robot> in the file"},
    {"<robot>\n<link name='a'>", OV_ERROR_FILE_FORMAT, 2, "the file ends within <robot>"},
    {"hello", OV_ERROR_FILE_FORMAT, 1, "not XML: syntax error"},
    {"<robot>\n<link name='a'>\n</robot>", OV_ERROR_FILE_FORMAT, 3, "not XML: mismatched tag"},
    {"<robot/>", OV_ERROR_COUNT, 1, "the robot has no links"},
    {"<sdf version='1.6'/>", OV_ERROR_FILE_FORMAT, 1, "this is SDFormat; a URDF is expected"},
    {"<?xml version='1.0'?><!-- x -->\n<mujoco/>", OV_ERROR_FILE_FORMAT, 2,
     "this is MJCF; a URDF is expected"},
    {"<COLLADA/>", OV_ERROR_FILE_FORMAT, 1, "this is COLLADA; a URDF is expected"},
    {"<world/>", OV_ERROR_FILE_FORMAT, 1, "<world> stands where <robot> should be"},
    {"\xef\xbb\xbf\n{\"bodies\": []}", OV_ERROR_FILE_FORMAT, 2,
     "this is a scene; a URDF is expected"},
    {"{\"a\": 1}", OV_ERROR_FILE_FORMAT, 1, "this is JSON; a URDF is expected"},
    {"solid cube\n", OV_ERROR_FILE_FORMAT, 1, "this is an STL mesh; a URDF is expected"},
    {"<robot>\n<xacro:include filename='x'/></robot>", OV_ERROR_FILE_FORMAT, 2,
     "<xacro:include> is xacro: the file must be expanded to URDF first (xacro FILE > NEW.urdf)"},
    {LINK("<gazebo><xacro:arm/></gazebo>"), OV_ERROR_FILE_FORMAT, 3,
     "<xacro:arm> is xacro: the file must be expanded to URDF first (xacro FILE > NEW.urdf)"},
    {SHAPE("<box size='${w} 1 1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": size of <box> is \"${w} 1 1\", not three numbers: xacro must be expanded first"},
    {"<robot><link/></robot>", OV_ERROR_FILE_FORMAT, 1, "<link> needs name"},
    {"<robot><link name=''/></robot>", OV_ERROR_NAME, 1, "name of <link> is empty"},
    {"<robot><link name='a&#10;b'/></robot>", OV_ERROR_NAME, 1,
     "name of <link> has control characters"},
    {"<robot>\n<link name='a'/>\n<link name='a'/></robot>", OV_ERROR_NAME, 3,
     "link \"a\" is there twice, first in line 2"},
    {SHAPE(""), OV_ERROR_FILE_FORMAT, 3, "link \"a\": <geometry> is empty"},
    {LINK("<collision/>"), OV_ERROR_FILE_FORMAT, 3, "link \"a\": <collision> needs <geometry>"},
    {SHAPE("<boxx size='1 1 1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": shape <boxx> is not known; did you mean <box>?"},
    {SHAPE("<pyramid/>"), OV_ERROR_FILE_FORMAT, 3, "link \"a\": shape <pyramid> is not known"},
    {SHAPE("<ovoid:superovid/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": <ovoid:superovid> is not known; did you mean <ovoid:superovoid>?"},
    {SHAPE("<box/>"), OV_ERROR_FILE_FORMAT, 3, "link \"a\": <box> needs size"},
    {SHAPE("<box size='1 1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": size of <box> is \"1 1\", not three numbers"},
    {SHAPE("<box size='1 1 1 1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": size of <box> is \"1 1 1 1\", not three numbers"},
    {SHAPE("<box size='1,1,1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": size of <box> is \"1,1,1\", not three numbers"},
    {SHAPE("<sphere radius='0x10'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": radius of <sphere> is \"0x10\", not a number"},
    {SHAPE("<sphere radius='nan'/>"), OV_ERROR_NOT_FINITE, 3,
     "link \"a\": radius of <sphere> is \"nan\": not finite"},
    {SHAPE("<sphere radius='1e999'/>"), OV_ERROR_NOT_FINITE, 3,
     "link \"a\": radius of <sphere> is \"1e999\": not finite"},
    {SHAPE("<sphere radius='-1'/>"), OV_ERROR_SIZE_NOT_POSITIVE, 3, NULL},
    {SHAPE("<ovoid:superovoid size='1 1 1' exponents='3 1'/>"), OV_ERROR_EXPONENT, 3, NULL},
    {SHAPE("<ovoid:superovoid size='1 1 1' exponents='1 1.9' taper='0.9 0.9'/>"), OV_ERROR_DENT, 3,
     NULL},
    {SHAPE("<ovoid:polyhedron/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": <ovoid:polyhedron> needs a <mesh> beside it"},
    {SHAPE("<mesh filename='meshes/flat.obj'/><ovoid:polyhedron/>"), OV_ERROR_DEGENERATE, 3, NULL},
    {SHAPE("<mesh/>"), OV_ERROR_FILE_FORMAT, 3, "link \"a\": <mesh> needs filename"},
    {SHAPE("<mesh filename='meshes/cube.obj' scale='1 0 1'/>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": scale of <mesh> is zero"},
    {SHAPE("<mesh filename='meshes/no.obj'/>"), OV_ERROR_FILE_OPEN, 3,
     "link \"a\": mesh \"meshes/no.obj\" is not there"},
    {SHAPE("<mesh filename='meshes/broken.obj'/>"), OV_ERROR_INDEX, 3, NULL},
    {SHAPE("<mesh filename='meshes/nan.obj'/>"), OV_ERROR_NOT_FINITE, 3, NULL},
    {LINK("<collision><origin xyz='0 0 1e101'/><geometry><sphere radius='1'/></geometry>"
          "</collision>"),
     OV_ERROR_SIZE_RANGE, 3, NULL},
    {LINK("<inertial><mass value='-1'/></inertial>"), OV_ERROR_FILE_FORMAT, 3,
     "link \"a\": the mass is negative"},
    {LINK("<inertial><inertia ixx='inf'/></inertial>"), OV_ERROR_NOT_FINITE, 3,
     "link \"a\": ixx of <inertia> is \"inf\": not finite"},
    {JOINT("type='fixed'><parent link='uperarm'/><child link='b'/>"), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": parent link \"uperarm\" is not there; did you mean \"upperarm\"?"},
    {JOINT("type='fixed'><parent link='upperarm'/><child link='q0'/>"), OV_ERROR_FILE_FORMAT, 3,
     NULL},
    {JOINT("type='hinge'>" ENDS), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": type \"hinge\" is not known"},
    {JOINT("type='revolut'>" ENDS), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": type \"revolut\" is not known; did you mean \"revolute\"?"},
    {JOINT(">" ENDS), OV_ERROR_FILE_FORMAT, 3, "joint \"elbow\": <joint> needs type"},
    {JOINT("type='fixed'><child link='b'/>"), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": <joint> needs <parent>"},
    {JOINT("type='revolute'>" ENDS), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": a revolute joint needs <limit>"},
    {JOINT("type='revolute'><limit lower='1' upper='0'/>" ENDS), OV_ERROR_OPTION, 3, NULL},
    {JOINT("type='revolute'><limit lower='nan'/>" ENDS), OV_ERROR_NOT_FINITE, 3,
     "joint \"elbow\": lower of <limit> is not a number"},
    {JOINT("type='continuous'>\n<axis xyz='0 0 0'/>" ENDS), OV_ERROR_ZERO_DIRECTION, 4,
     "joint \"elbow\": the axis is zero"},
    {JOINT("type='continuous'><mimic joint='elbw'/>" ENDS), OV_ERROR_FILE_FORMAT, 3,
     "joint \"elbow\": mimicked joint \"elbw\" is not there; did you mean \"elbow\"?"},
    {JOINT("type='continuous'><mimic joint='elbow'/>" ENDS), OV_ERROR_NOT_A_TREE, 3, NULL},
    {JOINT("type='fixed'><parent link='b'/><child link='b'/>"), OV_ERROR_NOT_A_TREE, 3, NULL},
    {"<robot><link name='a'/>\n<link name='b'/></robot>", OV_ERROR_NOT_A_TREE, 2, NULL},
    {"<robot><link name='a'/><link name='b'/>\n"
     "<joint name='1' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
     "<joint name='2' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     OV_ERROR_NOT_A_TREE, 0, NULL},
    {"<robot><link name='a'/><link name='b'/>\n"
     "<joint name='1' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
     "<joint name='1' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     OV_ERROR_NAME, 3, "joint \"1\" is there twice, first in line 2"},
    {"<robot><link name='a'/><link name='b'/><link name='c'/>\n"
     "<joint name='1' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
     "<joint name='2' type='fixed'><parent link='c'/><child link='b'/></joint></robot>",
     OV_ERROR_NOT_A_TREE, 3, NULL},
    {"<robot><link name='a'/>&nothing;</robot>", OV_ERROR_FILE_FORMAT, 1,
     "not XML: undefined entity"},
    {"<!DOCTYPE robot SYSTEM 'no.dtd'>\n<robot><link name='a'/>&nothing;</robot>",
     OV_ERROR_FILE_FORMAT, 2, "entity \"nothing\" is not declared in the file"},
};

static void bad_robots(void) {
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        ov_robot *robot = (ov_robot *)&bad_files; // is set to null
        ov_fault fault = {.index = 77};
        bool good =
            CHECK_STATUS(read_text(bad_files[i].text, NULL, &robot, &fault), bad_files[i].status);
        good = CHECK(robot == NULL && fault.text[0] != '\0') && good;
        // where a model is to blame, which of its joints is its own choice
        good = CHECK(bad_files[i].line == 0 || fault.index == bad_files[i].line) && good;
        good =
            CHECK(bad_files[i].message == NULL || strcmp(fault.text, bad_files[i].message) == 0) &&
            good;
        if (!good) {
            fprintf(stderr, "file %zu: %s\nsaid: %zu: %s\n", i, bad_files[i].text, fault.index,
                    fault.text);
        }
        // without an error to fill it is the same
        CHECK_STATUS(ov_robot_read("robot.urdf", NULL, &robot, NULL), bad_files[i].status);
    }
    ov_robot *robot;
    ov_fault fault;
    CHECK_STATUS(ov_robot_read("no.urdf", NULL, &robot, &fault), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_robot_read("meshes", NULL, &robot, &fault), OV_ERROR_FILE_READ);
    CHECK_STATUS(ov_robot_read(NULL, NULL, &robot, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_read("robot.urdf", NULL, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_read_stream(NULL, NULL, NULL, &robot, &fault), OV_ERROR_NULL);
    CHECK(fault.text[0] != '\0');
}

/** Cut off after a number of bytes it is not a robot, and nothing else happens. */
static void cut_off(const char *text, size_t cut) {
    ov_robot *robot;
    ov_fault fault;
    FILE *f = cut > 0 ? fmemopen((void *)(uintptr_t)text, cut, "rb") : fopen("/dev/null", "rb");
    if (!CHECK(f != NULL)) {
        return;
    }
    ov_status status = ov_robot_read_stream(f, NULL, &with_packages, &robot, &fault);
    if (!CHECK(status == OV_ERROR_FILE_FORMAT && robot == NULL && fault.index > 0 &&
               fault.text[0] != '\0')) {
        fprintf(stderr, "cut after %zu bytes: %s\n", cut, fault.text);
    }
    (void)fclose(f);
}

static void truncated(void) {
    static const char small[] =
        "<?xml version='1.0'?><!DOCTYPE robot [<!ENTITY n '1'>]>\n"
        "<robot name='r' xmlns:o='urn:ovoid:urdf:1'><material name='m'><color rgba='&n; 0 0 1'/>"
        "</material><link name='a'><collision><origin xyz='1 2 3' rpy='0 1 0'/><geometry>"
        "<mesh filename='meshes/cube.obj' scale='1 2 3'/><o:cone radius='1' length='2'/>"
        "</geometry></collision></link><link name='b'/><!-- c --><joint name='j' "
        "type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' upper='1'/>"
        "</joint></robot>";
    ov_robot_destroy(read_good(small, NULL));
    for (size_t cut = 0; cut < sizeof small - 1; cut++) {
        cut_off(small, cut);
    }
    // what follows the last tag may be missing
    for (size_t cut = 1; cut + 1 < strlen(everything); cut += 7) {
        cut_off(everything, cut);
    }
}

int main(void) {
    check_suite = "test_io_urdf";
    make_meshes();
    RUN(good_robot);
    RUN(rotations);
    RUN(mesh_paths);
    RUN(mesh_options);
    RUN(mesh_axes);
    RUN(bad_robots);
    RUN(truncated);
    return check_finish();
}
