/**
 * @file simulation.c
 * @brief A robot falls down stairs, twice the same way.
 *
 *     example_simulation [ROBOT.urdf]      a puppet of its own if none is named
 *
 * The robot's links become bodies and its joints joints. They fall onto three steps, a body of
 * three boxes. A snapshot from half way is gone back to: what follows has the same bits again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/ovoid.h>

enum { FRAMES = 120, STEPS = 3 };

static const char puppet[] =
    "<robot name='puppet' xmlns:ovoid='urn:ovoid:urdf:1'>"
    "<link name='trunk'><collision><geometry><sphere radius='0.1'/>"
    "<ovoid:superovoid size='0.1 0.16 0.28' exponents='0.6 0.7'/></geometry></collision></link>"
    "<link name='head'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
    "<link name='thigh'><collision><origin xyz='0 0 -0.22'/><geometry>"
    "<capsule radius='0.06' length='0.3'/></geometry></collision></link>"
    "<link name='shin'><collision><origin xyz='0 0 -0.22'/><geometry>"
    "<capsule radius='0.05' length='0.3'/></geometry></collision></link>"
    "<joint name='neck' type='revolute'><parent link='trunk'/><child link='head'/>"
    "<origin xyz='0 0 0.4'/><axis xyz='0 1 0'/>"
    "<limit lower='-0.7' upper='0.7' effort='9' velocity='9'/></joint>"
    "<joint name='hip' type='revolute'><parent link='trunk'/><child link='thigh'/>"
    "<origin xyz='0 0 -0.26'/><axis xyz='0 1 0'/>"
    "<limit lower='-1.6' upper='0.8' effort='9' velocity='9'/></joint>"
    "<joint name='knee' type='revolute'><parent link='thigh'/><child link='shin'/>"
    "<origin xyz='0 0 -0.45'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='2.4' effort='9' velocity='9'/></joint></robot>";

static void check(const char *what, ov_status status, const ov_fault *fault) {
    if (status < 0) {
        bool told = fault != NULL && fault->text[0] != '\0';
        fprintf(stderr, "%s: %s\n", what, told ? fault->text : ov_status_message(status));
        exit(1);
    }
}

/** Three steps, 25 cm high and 50 cm deep, and a floor below them. They must outlive the bodies. */
static void make_stairs(ov_sim *sim, ov_geometry *geometries[2]) {
    ov_part parts[STEPS], floor = {.pose = ov_pose_identity()};
    for (int i = 0; i < STEPS; i++) {
        parts[i] = (ov_part){.pose = ov_pose_identity()};
        parts[i].pose.position = ov_vec3_make(-0.25 - 0.5 * i, 0.0, 0.125 + 0.25 * i);
        check("a step", ov_shape_make_box(ov_vec3_make(0.25, 1.0, 0.125), &parts[i].shape), NULL);
    }
    check("floor", ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &floor.shape), NULL);
    check("stairs", ov_geometry_create(parts, STEPS, NULL, &geometries[0]), NULL);
    check("floor", ov_geometry_create(&floor, 1, NULL, &geometries[1]), NULL);
    for (int i = 0; i < 2; i++) {
        ov_sim_body_def def = {.geometry = geometries[i], .kind = OV_SIM_BODY_KIND_FIXED};
        ov_sim_body body;
        check("stairs", ov_sim_add_body(sim, &def, &body), NULL);
    }
}

static ov_robot *read_robot(const char *path) {
    ov_robot *robot = NULL;
    ov_fault fault = {.text = ""};
    if (path != NULL) {
        check(path, ov_robot_read(path, NULL, &robot, &fault), &fault);
        return robot;
    }
    FILE *text = tmpfile();
    if (text == NULL || fputs(puppet, text) == EOF) {
        check("puppet", OV_ERROR_FILE_WRITE, NULL);
    }
    rewind(text);
    check("puppet", ov_robot_read_stream(text, NULL, NULL, &robot, &fault), &fault);
    fclose(text);
    return robot;
}

/** Adds the robot above the top of the stairs, on its way down them. */
static ov_sim_body add_robot(ov_sim *sim, const ov_robot *robot) {
    const ov_model *model = ov_robot_model(robot);
    ov_sim_model_def def = {.root = ov_pose_identity(),
                            .free_mimics = true,
                            .body = {.density = 500.0, .friction = 0.6},
                            .damping = 0.1};
    def.root.position = ov_vec3_make(-1.2, 0.0, 2.0);
    ov_sim_body *bodies = malloc(ov_robot_link_count(robot) * sizeof *bodies);
    ov_fault fault = {.text = ""};
    if (bodies == NULL) {
        check("robot", OV_ERROR_MEMORY, NULL);
    }
    check("robot", ov_sim_add_model(sim, model, &def, bodies, NULL, &fault), &fault);
    ov_sim_body root = bodies[0];
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        check("push",
              ov_sim_set_velocity(sim, bodies[i], ov_vec3_make(1.5, 0.0, 0.0), (ov_vec3){0}), NULL);
    }
    free(bodies);
    return root;
}

/** A number of frames, with a line for every tenth; where the body is then. */
static ov_pose run(ov_sim *sim, ov_sim_body body, int frames) {
    ov_sim_body_state state = {0};
    for (int i = 0; i < frames; i++) {
        ov_sim_summary sum;
        check("step", ov_sim_step(sim, 1.0 / 60.0), NULL);
        check("summary", ov_sim_summarize(sim, &sum), NULL);
        check("state", ov_sim_body_get(sim, body, &state), NULL);
        if (sum.frames % 10 == 0) {
            printf(
                "%5.2f s: at %6.3f %6.3f %6.3f, %zu contacts, %.2f mm deep, joints off by %.1e\n",
                sum.time, state.pose.position.x, state.pose.position.y, state.pose.position.z,
                sum.contacts, 1e3 * sum.deepest, sum.joint_error);
        }
    }
    return state.pose;
}

int main(int argc, char **argv) {
    ov_sim *sim;
    ov_geometry *geometries[2];
    ov_sim_snapshot *half_way;
    ov_sim_options options = {.mode = OV_SIM_MODE_ACCURATE};
    check("simulation", ov_sim_create(&options, &sim), NULL);
    make_stairs(sim, geometries);
    ov_robot *robot = read_robot(argc > 1 ? argv[1] : NULL); // has the geometries of its links
    ov_sim_body root = add_robot(sim, robot);

    (void)run(sim, root, FRAMES / 2);
    check("snapshot", ov_sim_save(sim, &half_way), NULL);
    ov_pose once = run(sim, root, FRAMES / 2);
    check("going back", ov_sim_load(sim, half_way), NULL);
    ov_pose twice = run(sim, root, FRAMES / 2);
    bool same = memcmp(&once, &twice, sizeof once) == 0;
    printf("the second time %s\n", same ? "the same, bit for bit" : "something else");

    ov_sim_snapshot_destroy(half_way);
    ov_sim_destroy(sim); // before what it refers to
    ov_robot_destroy(robot);
    for (int i = 0; i < 2; i++) {
        ov_geometry_destroy(geometries[i]);
    }
    return same ? 0 : 1;
}
