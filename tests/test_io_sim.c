/**
 * @file test_io_sim.c
 * @brief Scenes of simulations: what is read, what moves, what is wrong with broken files; bodies
 * and cloth together; records.
 */
#include <math.h>
#include <string.h>

#include <ovoid/io.h>

#include "check.h"

static ov_status read_text(const char *text, ov_sim_scene **scene, ov_fault *fault) {
    FILE *f = tmpfile();
    CHECK(f != NULL && fputs(text, f) >= 0);
    rewind(f);
    ov_status status = ov_sim_scene_read_stream(f, NULL, scene, fault);
    (void)fclose(f);
    return status;
}

static ov_sim_scene *read_good(const char *text) {
    ov_sim_scene *scene;
    ov_fault fault;
    if (!CHECK_OK(read_text(text, &scene, &fault))) {
        fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
        exit(1);
    }
    return scene;
}

static const char swing[] =
    "{\"title\": \"swing\", \"gravity\": [0, 0, -10], \"time\": [1, 3], \"bodies\": [\n"
    " {\"name\": \"floor\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0},\n"
    " {\"name\": \"seat\", \"kind\": \"box\", \"half_extents\": [0.1, 0.2, 0.3],\n"
    "  \"position\": [0, 1, 2], \"rotation\": [0, 0, 0, 1], \"mass\": 3, \"friction\": 0,\n"
    "  \"velocity\": [1, 2, 3], \"angular_velocity\": [0, 0, 1], \"group\": 2},\n"
    " {\"name\": \"lid\", \"kind\": \"sphere\", \"radius\": 0.1, \"position\": [5, 0, 5],\n"
    "  \"motion\": {\"screw\": {\"axis\": [0, 0, 1], \"angle_deg\": 90}}},\n"
    " {\"name\": \"post\", \"kind\": \"sphere\", \"radius\": 0.1, \"position\": [9, 0, 5],\n"
    "  \"fixed\": true}],\n"
    " \"joints\": [{\"kind\": \"revolute\", \"b\": \"seat\", \"point\": [0, 1, 3],\n"
    "   \"axis\": [0, 2, 0], \"lower_deg\": -90, \"upper_deg\": 45, \"damping\": 0.5},\n"
    "  {\"kind\": \"spherical\", \"a\": \"seat\", \"b\": \"post\", \"swing_deg\": 180,\n"
    "   \"collide\": true}],\n"
    " \"cloths\": [{\"name\": \"sheet\", \"corner\": [-1, -1, 4], \"side_u\": [2, 0, 0],\n"
    "   \"side_v\": [0, 2, 0], \"columns\": 4, \"rows\": 3, \"pins\": [0, 4], \"bending\": 1e-4}]}";

static void test_good(void) {
    ov_sim_scene *s = read_good(swing);
    CHECK(ov_sim_scene_start(s) == 1.0 && ov_sim_scene_end(s) == 3.0);
    CHECK(ov_sim_scene_gravity(s).z == -10.0);
    CHECK(ov_scene_count(ov_sim_scene_bodies(s)) == 4);
    const ov_sim_body_def *seat = ov_sim_scene_body(s, 1);
    CHECK(ov_sim_scene_body(s, 0)->kind == OV_SIM_BODY_KIND_FIXED);
    CHECK(seat->kind == OV_SIM_BODY_KIND_DYNAMIC && seat->mass.mass == 3.0 && seat->group == 2);
    CHECK(seat->friction == OV_ZERO && seat->velocity.y == 2.0 && seat->angular_velocity.z == 1.0);
    CHECK(ov_sim_scene_body(s, 2)->kind == OV_SIM_BODY_KIND_KINEMATIC);
    CHECK(ov_sim_scene_body(s, 3)->kind == OV_SIM_BODY_KIND_FIXED);
    CHECK(ov_sim_scene_body(s, 4) == NULL);
    CHECK(ov_sim_scene_joint_count(s) == 2);
    const ov_sim_joint_def *j = ov_sim_scene_joint(s, 0);
    CHECK(j->kind == OV_JOINT_KIND_REVOLUTE && j->a == 0 && j->b == 2);
    CHECK_NEAR(j->lower, -0.5 * M_PI, 1e-15);
    // the point, in the frame of a body that is turned upside down about z
    CHECK_NEAR(j->frame_b.position.z, 1.0, 1e-15);
    CHECK(ov_sim_scene_joint(s, 1)->collide);
    const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(s, 0);
    CHECK(ov_sim_scene_cloth_count(s) == 1 && strcmp(c->name, "sheet") == 0);
    CHECK(c->vertex_count == 20 && c->triangle_count == 24 && c->pin_count == 2 && c->pins[1] == 4);
    CHECK(c->options.gravity.z == -10.0 && c->options.bending == 1e-4);
    ov_sim *sim;
    ov_sim_body handles[4];
    CHECK_OK(ov_sim_scene_begin(s, NULL, &sim, handles));
    for (int i = 0; i < 10; i++) {
        CHECK_OK(ov_sim_step(sim, 1.0 / 60.0));
    }
    ov_sim_body_state state;
    CHECK_OK(ov_sim_body_get(sim, handles[2], &state));
    CHECK(fabs(state.pose.position.y) > 0.1); // the screw has begun
    ov_sim_destroy(sim);
    ov_sim_scene_destroy(s);
    ov_sim_scene_destroy(NULL);
}

/** A file with one thing wrong: where, and what. */
typedef struct bad_file {
    const char *text;
    ov_status status;
    size_t line;
    const char *says;
} bad_file;

#define BALL "{\"name\": \"b\", \"kind\": \"sphere\", \"radius\": 1"
#define BODIES(more) "{\"bodies\": [\n" BALL more "}]}"
#define JOINT(text) "{\"bodies\": [" BALL "}],\n\"joints\": [" text "]}"
#define CLOTH(text) "{\"bodies\": [],\n\"cloths\": [{" text "}]}"
#define GRID                                                                                       \
    "\"corner\": [0,0,0], \"side_u\": [1,0,0], \"side_v\": [0,1,0], \"columns\": 2, \"rows\": 2"

static const bad_file bad_files[] = {
    {"", OV_ERROR_FILE_FORMAT, 0, ""},
    {"{\"bodies\": [], \"gravity\": 1}", OV_ERROR_FILE_FORMAT, 1, "gravity"},
    {"{\"bodies\": [], \"time\": [1, 0]}", OV_ERROR_TIME, 1, "later end"},
    {"{\"bodies\": [], \"joint\": []}", OV_ERROR_FILE_FORMAT, 1, "joint"},
    {"{\"bodies\": [], \"joints\": {}}", OV_ERROR_FILE_FORMAT, 1, "list"},
    {BODIES(", \"mass\": -1"), OV_ERROR_WEIGHT, 2, ""},
    {BODIES(", \"mass\": 1e200"), OV_ERROR_SIZE_RANGE, 2, "1e100"},
    {BODIES(", \"density\": \"heavy\""), OV_ERROR_FILE_FORMAT, 2, "number"},
    {BODIES(", \"velocity\": [1, 2]"), OV_ERROR_FILE_FORMAT, 2, "3 numbers"},
    {BODIES(", \"velocity\": [1e300, 0, 0]"), OV_ERROR_SIZE_RANGE, 2, "1e100"},
    {BODIES(", \"restitution\": 2"), OV_ERROR_OPTION, 2, ""},
    {BODIES(", \"fixed\": 1"), OV_ERROR_FILE_FORMAT, 2, "true or false"},
    {BODIES(", \"speed\": 1"), OV_ERROR_FILE_FORMAT, 2, "speed"},
    {"{\"bodies\": [{\"kind\": \"polygons\"}]}", OV_ERROR_FILE_FORMAT, 1, "kind"},
    {JOINT("1"), OV_ERROR_FILE_FORMAT, 2, "joint 1"},
    {JOINT("{\"b\": \"b\"}"), OV_ERROR_FILE_FORMAT, 2, "revolute"},
    {JOINT("{\"kind\": \"revolute\", \"b\": \"c\"}"), OV_ERROR_INDEX, 2, "no body"},
    {JOINT("{\"kind\": \"revolute\", \"a\": 3}"), OV_ERROR_FILE_FORMAT, 2, "name of a body"},
    {JOINT("{\"kind\": \"revolute\"}"), OV_ERROR_OPTION, 2, "joint 1"},
    {JOINT("{\"kind\": \"revolute\", \"a\": \"b\", \"b\": \"b\"}"), OV_ERROR_OPTION, 2, "joint 1"},
    {JOINT("{\"kind\": \"revolute\", \"b\": \"b\", \"lower\": 1, \"upper\": -1}"), OV_ERROR_OPTION,
     2, "joint 1"},
    {CLOTH(""), OV_ERROR_FILE_FORMAT, 2, "corner"},
    {CLOTH(GRID ", \"pins\": [9]"), OV_ERROR_INDEX, 2, "pins"},
    {CLOTH(GRID ", \"density\": -1"), OV_ERROR_OPTION, 2, "cloth 1"},
    {CLOTH(GRID ", \"wool\": 1"), OV_ERROR_FILE_FORMAT, 2, "wool"},
    {CLOTH("\"file\": \"not-there.obj\""), OV_ERROR_FILE_OPEN, 2, "cloth 1"},
    {CLOTH("\"corner\": [0,0,0], \"side_u\": [1,0,0], \"side_v\": [2,0,0], \"columns\": 2, "
           "\"rows\": 2"),
     OV_ERROR_DEGENERATE, 2, "cloth 1"},
    {CLOTH("\"corner\": [0,0,0], \"side_u\": [1,0,0], \"side_v\": [0,1,0], \"columns\": 1e9, "
           "\"rows\": 2"),
     OV_ERROR_FILE_FORMAT, 2, "columns"},
};

static void check_bad(const bad_file *b) {
    ov_sim_scene *scene;
    ov_fault fault;
    bool good = CHECK_STATUS(read_text(b->text, &scene, &fault), b->status);
    good = CHECK(scene == NULL) && good;
    good = CHECK(b->line == 0 || fault.index == b->line) && good;
    good = CHECK(fault.text[0] != '\0' && strstr(fault.text, b->says) != NULL) && good;
    if (!good) {
        fprintf(stderr, "  %s: line %zu: %s\n", b->text, fault.index, fault.text);
    }
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** A base, an arm with a mass of its own, a frame, and a follower. */
static const char puppet[] =
    "<robot name=\"puppet\">\n"
    "<link name=\"base\"><collision><geometry><box size=\"0.2 0.2 "
    "0.4\"/></geometry></collision></link>\n"
    "<link name=\"arm\"><inertial><origin xyz=\"0.3 0.1 0\" rpy=\"0.3 -0.7 1.1\"/><mass "
    "value=\"2\"/>"
    "<inertia ixx=\"0.02\" ixy=\"0.001\" ixz=\"-0.002\" iyy=\"0.05\" iyz=\"0.003\" "
    "izz=\"0.06\"/></inertial>"
    "<collision><origin xyz=\"0.3 0 0\"/><geometry><cylinder radius=\"0.05\" "
    "length=\"0.5\"/></geometry>"
    "</collision></link>\n"
    "<link name=\"eye\"/>\n"
    "<link name=\"finger\"><collision><geometry><sphere "
    "radius=\"0.05\"/></geometry></collision></link>\n"
    "<joint name=\"shoulder\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/>"
    "<origin xyz=\"0.15 0 0.2\"/><axis xyz=\"0 1 0\"/><limit lower=\"-2\" upper=\"2\" effort=\"1\" "
    "velocity=\"1\"/></joint>\n"
    "<joint name=\"look\" type=\"fixed\"><parent link=\"arm\"/><child link=\"eye\"/></joint>\n"
    "<joint name=\"grip\" type=\"revolute\"><parent link=\"eye\"/><child link=\"finger\"/>"
    "<origin xyz=\"0.7 0 0\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
    "velocity=\"1\"/>%s</joint>\n"
    "</robot>\n";

static void write_puppet(const char *path, const char *mimic) {
    FILE *f = fopen(path, "w");
    CHECK(f != NULL && fprintf(f, puppet, mimic) > 0 && fclose(f) == 0);
}

/** The scene's robot moves as that of ov_sim_add_model, to the last bit. */
static void test_robot(void) {
    write_puppet("puppet.urdf", "");
    ov_sim_scene *s = read_good(
        "{\"bodies\": [{\"name\": \"floor\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1],"
        " \"offset\": 0}], \"robots\": [{\"file\": \"puppet.urdf\", \"name\": \"p\","
        " \"position\": [0, 0, 1], \"positions\": {\"shoulder\": 0.7}, \"friction\": 0,"
        " \"density\": 500, \"joint_damping\": 0.25}],"
        " \"joints\": [{\"kind\": \"spherical\", \"a\": \"p/finger\", \"point\": [1, 0, 2]}]}");
    const ov_scene *bodies = ov_sim_scene_bodies(s);
    CHECK(ov_scene_count(bodies) == 4); // the eye is a frame of the arm
    static const char *const names[] = {"floor", "p/base", "p/arm", "p/finger"};
    for (size_t i = 0; i < 4; i++) {
        CHECK(strcmp(ov_scene_get(bodies, i)->name, names[i]) == 0);
    }
    CHECK(strcmp(ov_scene_file(bodies, 0), "./puppet.urdf") == 0);
    const ov_sim_body_def *arm = ov_sim_scene_body(s, 2);
    CHECK(arm->mass.mass == 2.0 && arm->friction == OV_ZERO);

    // the same by hand
    ov_robot *robot;
    CHECK_OK(ov_robot_read("puppet.urdf", NULL, &robot, NULL));
    const ov_model *model = ov_robot_model(robot);
    double positions[2] = {0.7, 0.0};
    ov_mass masses[4] = {{.mass = 0.0}};
    masses[1] = arm->mass;
    // R(z) R(y) R(x) of roll, pitch and yaw, entry by entry
    const double r = 0.3, p = -0.7, y = 1.1;
    const double turn[3][3] = {{cos(y) * cos(p), cos(y) * sin(p) * sin(r) - sin(y) * cos(r),
                                cos(y) * sin(p) * cos(r) + sin(y) * sin(r)},
                               {sin(y) * cos(p), sin(y) * sin(p) * sin(r) + cos(y) * cos(r),
                                sin(y) * sin(p) * cos(r) - cos(y) * sin(r)},
                               {-sin(p), cos(p) * sin(r), cos(p) * cos(r)}};
    const double own[3][3] = {{0.02, 0.001, -0.002}, {0.001, 0.05, 0.003}, {-0.002, 0.003, 0.06}};
    const ov_vec3 columns[3] = {arm->mass.inertia.cx, arm->mass.inertia.cy, arm->mass.inertia.cz};
    for (int i = 0; i < 9; i++) {
        double sum = 0.0;
        for (int k = 0; k < 9; k++) {
            sum += turn[i / 3][k / 3] * own[k / 3][k % 3] * turn[i % 3][k % 3];
        }
        const double column[3] = {columns[i % 3].x, columns[i % 3].y, columns[i % 3].z};
        CHECK_NEAR(column[i / 3], sum, 1e-15);
    }
    CHECK_NEAR(arm->mass.centroid.x, 0.3, 0.0);

    ov_sim *sims[2];
    ov_sim_body handles[4], links[4], finger;
    ov_sim_joint pin;
    CHECK_OK(ov_sim_scene_begin(s, NULL, &sims[0], handles));
    CHECK_OK(ov_sim_create(NULL, &sims[1]));
    CHECK_OK(ov_sim_add_body(sims[1], ov_sim_scene_body(s, 0), &links[0]));
    ov_sim_model_def def = {.root.position = {0.0, 0.0, 1.0},
                            .positions = positions,
                            .masses = masses,
                            .body = {.density = 500.0, .friction = OV_ZERO},
                            .damping = 0.25};
    CHECK_OK(ov_sim_add_model(sims[1], model, &def, links, NULL, NULL));
    finger = links[3];
    ov_sim_body_state state;
    CHECK_OK(ov_sim_body_get(sims[1], finger, &state));
    ov_vec3 point = {1.0, 0.0, 2.0};
    ov_sim_joint_def joint = {.kind = OV_JOINT_KIND_SPHERICAL, .a = finger};
    joint.frame_a =
        (ov_pose){ov_pose_apply_inverse(state.pose, point), ov_quat_conjugate(state.pose.rotation)};
    joint.frame_b = (ov_pose){point, ov_quat_identity()};
    CHECK_OK(ov_sim_add_joint(sims[1], &joint, &pin));
    for (int i = 0; i < 60; i++) {
        CHECK_OK(ov_sim_step(sims[0], 1.0 / 60.0));
        CHECK_OK(ov_sim_step(sims[1], 1.0 / 60.0));
    }
    static const size_t link_of[] = {0, 0, 1, 3};
    for (size_t i = 1; i < 4; i++) {
        ov_sim_body_state a, b;
        CHECK_OK(ov_sim_body_get(sims[0], handles[i], &a));
        CHECK_OK(ov_sim_body_get(sims[1], links[link_of[i]], &b));
        CHECK(memcmp(&a.pose, &b.pose, sizeof a.pose) == 0);
    }
    ov_sim_destroy(sims[0]);
    ov_sim_destroy(sims[1]);
    ov_robot_destroy(robot);
    ov_sim_scene_destroy(s);
}

#define ROBOT(text) "{\"bodies\": [" BALL "}],\n\"robots\": [{" text "}]}"
#define PUPPET "\"file\": \"puppet.urdf\""

static const bad_file bad_robots[] = {
    {"{\"bodies\": [], \"robots\": {}}", OV_ERROR_FILE_FORMAT, 1, "list"},
    {"{\"bodies\": [], \"robots\": [1]}", OV_ERROR_FILE_FORMAT, 1, "must be an object"},
    {ROBOT(""), OV_ERROR_FILE_FORMAT, 2, "name of a URDF file"},
    {ROBOT("\"file\": \"nowhere.urdf\""), OV_ERROR_FILE_OPEN, 2, "robot 1, 'file'"},
    {ROBOT("\"file\": \"broken.urdf\""), OV_ERROR_FILE_FORMAT, 2, "line 3: "},
    {ROBOT("\"file\": \"mimic.urdf\""), OV_ERROR_UNSUPPORTED, 2,
     "joint 'grip': a joint that follows another one"},
    {ROBOT("\"file\": \"frames.urdf\""), OV_ERROR_WEIGHT, 2, "link 'a': "},
    {ROBOT(PUPPET ", \"name\": \"\""), OV_ERROR_NAME, 2, "63 bytes"},
    {ROBOT(PUPPET ", \"name\": \"0123456789012345678901234567890123456789012345678901234567890\""),
     OV_ERROR_NAME, 2, "link 'base'"},
    {ROBOT(PUPPET "}, {" PUPPET), OV_ERROR_NAME, 2, "robot 2: link 'base'"},
    {ROBOT(PUPPET ", \"fixed\": 1"), OV_ERROR_FILE_FORMAT, 2, "true or false"},
    {ROBOT(PUPPET ", \"positions\": [1]"), OV_ERROR_FILE_FORMAT, 2, "names of joints"},
    {ROBOT(PUPPET ", \"positions\": {\"elbow\": 1}"), OV_ERROR_INDEX, 2, "no joint"},
    {ROBOT(PUPPET ", \"positions\": {\"look\": 1}"), OV_ERROR_INDEX, 2, "no joint"},
    {ROBOT(PUPPET ", \"positions\": {\"grip\": \"x\"}"), OV_ERROR_FILE_FORMAT, 2, "numbers"},
    {ROBOT(PUPPET ", \"positions\": {\"grip\": 1e300}"), OV_ERROR_FILE_FORMAT, 2, "numbers"},
    {ROBOT(PUPPET ", \"density\": -1"), OV_ERROR_WEIGHT, 2, "link 'base'"},
    {ROBOT(PUPPET ", \"mass\": 1"), OV_ERROR_FILE_FORMAT, 2, "mass"},
    {ROBOT(PUPPET "}], \"joints\": [{\"kind\": \"fixed\", \"a\": \"puppet/eye\""), OV_ERROR_INDEX,
     2, "no body"},
};

static void test_bad_robots(void) {
    write_puppet("puppet.urdf", "");
    write_puppet("mimic.urdf", "<mimic joint=\"shoulder\"/>");
    FILE *f = fopen("broken.urdf", "w");
    CHECK(f != NULL && fputs("<robot name=\"r\">\n<link>\n</robot>\n", f) >= 0 && fclose(f) == 0);
    f = fopen("frames.urdf", "w");
    CHECK(f != NULL && fputs("<robot name=\"r\"><link name=\"a\"/></robot>\n", f) >= 0 &&
          fclose(f) == 0);
    for (size_t i = 0; i < sizeof bad_robots / sizeof bad_robots[0]; i++) {
        check_bad(&bad_robots[i]);
    }
    ov_sim_scene_destroy(read_good("{\"bodies\": [], \"robots\": [{\"file\": \"mimic.urdf\","
                                   " \"free_mimics\": true}]}"));
}

static void test_bad(void) {
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        check_bad(&bad_files[i]);
    }
    ov_sim_scene *scene;
    CHECK_STATUS(ov_sim_scene_read("/nowhere.json", &scene, NULL), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_sim_scene_read(NULL, NULL, NULL), OV_ERROR_NULL);
}

/** A ball that flies into a cloth, nothing else: what one loses, the other gets. */
static void test_momentum(void) {
    ov_sim_scene *s = read_good(
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"superovoid\", \"semi_axes\": [0.2, "
        "0.2, "
        "0.3], \"exponents\": [1, 0.9], \"taper\": [-0.2, -0.2], \"density\": 10,\n"
        "\"position\": [0.1, 0.05, 1], \"velocity\": [0, 0, -3], \"angular_velocity\": [1, 0, "
        "2]}],\n"
        "\"cloths\": [{\"corner\": [-1, -1, 0], \"side_u\": [2, 0, 0], \"side_v\": [0, 2, 0],\n"
        "\"columns\": 12, \"rows\": 12}]}");
    ov_sim *sim;
    ov_sim_body handle;
    CHECK_OK(ov_sim_scene_begin(s, NULL, &sim, &handle));
    const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(s, 0);
    ov_cloth *cloth;
    CHECK_OK(ov_cloth_create(c->positions, c->vertex_count, (const uint32_t(*)[3])c->triangles,
                             c->triangle_count, &c->options, &cloth));
    ov_sim_summary first, now;
    ov_cloth_state state;
    CHECK_OK(ov_sim_summarize(sim, &first));
    double scale = ov_vec3_length(first.momentum), worst = 0.0;
    for (int i = 0; i < 40; i++) {
        CHECK(ov_sim_step_cloths(sim, &cloth, 1, 1.0 / 60.0) >= 0);
        CHECK_OK(ov_sim_summarize(sim, &now));
        CHECK_OK(ov_cloth_measure(cloth, &state));
        ov_vec3 all = ov_vec3_add(now.momentum, state.momentum);
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(all, first.momentum)) / scale);
    }
    CHECK(state.momentum.z < -0.05 * scale); // it was hit
    CHECK(worst < 1e-9);
    check_worst("momentum of a ball and a cloth", worst, 1e-9);
    ov_cloth_destroy(cloth);
    ov_sim_destroy(sim);
    ov_sim_scene_destroy(s);
    CHECK_STATUS(ov_sim_step_cloths(NULL, NULL, 0, 0.1), OV_ERROR_NULL);
}

/** Records: frames as meshes that read back, an animation with the right sizes. */
static void test_record(void) {
    ov_sim_scene *s = read_good(swing);
    ov_sim *sim;
    ov_sim_body handles[4];
    const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(s, 0);
    ov_cloth *cloth;
    ov_sim_record *record;
    CHECK_OK(ov_sim_scene_begin(s, NULL, &sim, handles));
    CHECK_OK(ov_cloth_create(c->positions, c->vertex_count, (const uint32_t(*)[3])c->triangles,
                             c->triangle_count, &c->options, &cloth));
    CHECK_OK(ov_sim_record_create(s, &record));
    CHECK_STATUS(ov_sim_record_write_gltf(record, "empty.glb"), OV_ERROR_COUNT);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ov_sim_record_add(record, sim, handles, &cloth));
        CHECK(ov_sim_step_cloths(sim, &cloth, 1, 1.0 / 60.0) >= 0);
    }
    CHECK(ov_sim_record_count(record) == 5);
    CHECK_OK(ov_sim_record_write_frame(record, 4, "frame.obj"));
    CHECK_STATUS(ov_sim_record_write_frame(record, 5, "frame.obj"), OV_ERROR_INDEX);
    ov_mesh_data mesh;
    CHECK_OK(ov_mesh_read("frame.obj", &mesh, NULL));
    // a box, two spheres and the cloth; the floor is not drawn
    CHECK(mesh.vertex_count > 8 + 2 * 100 + 20 && mesh.triangle_count > 12 + 24);
    ov_mesh_free(&mesh);
    CHECK_OK(ov_sim_record_write_gltf(record, "all.glb"));
    FILE *f = fopen("all.glb", "rb");
    unsigned char head[12] = {0};
    CHECK(f != NULL && fread(head, 1, 12, f) == 12 && memcmp(head, "glTF", 4) == 0);
    CHECK(fseek(f, 0, SEEK_END) == 0);
    long size = ftell(f);
    (void)fclose(f);
    CHECK((long)(head[8] | head[9] << 8 | head[10] << 16) == size);
    CHECK_STATUS(ov_sim_record_write_gltf(record, "/nowhere/at/all.glb"), OV_ERROR_FILE_OPEN);
    ov_sim_record_destroy(record);
    ov_sim_record_destroy(NULL);
    ov_cloth_destroy(cloth);
    ov_sim_destroy(sim);
    ov_sim_scene_destroy(s);
}

int main(void) {
    check_suite = "simulation scenes";
    RUN(test_good);
    RUN(test_bad);
    RUN(test_robot);
    RUN(test_bad_robots);
    RUN(test_momentum);
    RUN(test_record);
    return check_finish();
}
