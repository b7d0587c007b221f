/**
 * @file test_io_sim.c
 * @brief Scenes of simulations: what is read, what moves, what is wrong with broken files; bodies
 * and cloth together; records.
 */
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

static void test_bad(void) {
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        const bad_file *b = &bad_files[i];
        ov_sim_scene *scene;
        ov_fault fault;
        bool good = CHECK_STATUS(read_text(b->text, &scene, &fault), b->status);
        good = CHECK(scene == NULL) && good;
        good = CHECK(b->line == 0 || fault.index == b->line) && good;
        good = CHECK(fault.text[0] != '\0' && strstr(fault.text, b->says) != NULL) && good;
        if (!good) {
            fprintf(stderr, "  case %zu, line %zu: %s\n", i, fault.index, fault.text);
        }
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
    RUN(test_momentum);
    RUN(test_record);
    return check_finish();
}
