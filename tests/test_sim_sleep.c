/**
 * @file test_sim_sleep.c
 * @brief Sleeping bodies wake when what they rest on is taken away, moved or led elsewhere, and not
 * for anything else.
 */
#include "sim_cases.h"

/** A shelf that does not give way, and two boxes on it that sleep. */
typedef struct shelf_scene {
    ov_geometry *floor, *plate, *cube;
    ov_sim *sim;
    ov_sim_body shelf, low, high;
} shelf_scene;

static shelf_scene shelf_with_sleepers(ov_sim_mode mode, ov_sim_body_kind kind) {
    ov_shape plate, cube;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.5, 0.5, 0.1}, &plate));
    CHECK_OK(ov_shape_make_box((ov_vec3){0.1, 0.1, 0.1}, &cube));
    shelf_scene s = {.floor = ground((ov_vec3){0, 0, 1}),
                     .plate = geometry_of(plate),
                     .cube = geometry_of(cube),
                     .sim = sim_of(down, mode, 0, true)};
    add(s.sim, (ov_sim_body_def){.geometry = s.floor, .kind = OV_SIM_BODY_KIND_FIXED});
    s.shelf = add(
        s.sim, (ov_sim_body_def){.geometry = s.plate, .kind = kind, .pose.position = {0, 0, 1.0}});
    s.low = add(s.sim, (ov_sim_body_def){.geometry = s.cube, .pose.position = {0, 0, 1.2}});
    s.high = add(s.sim, (ov_sim_body_def){.geometry = s.cube, .pose.position = {0, 0, 1.4}});
    run_for(s.sim, 120, 1.0 / 60.0);
    CHECK(state_of(s.sim, s.low).asleep && state_of(s.sim, s.high).asleep);
    return s;
}

static void scene_free(shelf_scene *s) {
    ov_sim_destroy(s->sim);
    ov_geometry_destroy(s->floor);
    ov_geometry_destroy(s->plate);
    ov_geometry_destroy(s->cube);
}

static ov_pose at(double x, double z) { return (ov_pose){{x, 0.0, z}, ov_quat_identity()}; }

/** Half a second later both have fallen by what gravity takes: 1.2 m, or all the way. */
static void check_falls(shelf_scene *s) {
    run_for(s->sim, 20, 1.0 / 60.0);
    const double way = 0.5 * 9.81 / 9.0; // of a third of a second
    CHECK_NEAR(state_of(s->sim, s->low).centre.z, 1.2 - way, 5e-3);
    CHECK_NEAR(state_of(s->sim, s->high).centre.z, 1.4 - way, 5e-3);
    scene_free(s);
}

static void test_support_goes(ov_sim_mode mode) {
    shelf_scene s = shelf_with_sleepers(mode, OV_SIM_BODY_KIND_FIXED);
    CHECK_OK(ov_sim_remove_body(s.sim, s.shelf));
    check_falls(&s);
    s = shelf_with_sleepers(mode, OV_SIM_BODY_KIND_FIXED);
    CHECK_OK(ov_sim_set_pose(s.sim, s.shelf, at(0.0, -5.0)));
    check_falls(&s);
    s = shelf_with_sleepers(mode, OV_SIM_BODY_KIND_KINEMATIC);
    CHECK_OK(ov_sim_set_pose(s.sim, s.shelf, at(3.0, 1.0)));
    check_falls(&s);
}

/** A support that is led down or aside, slower than what counts as awake, takes along what is on
 *  it. */
static void test_support_is_led(ov_sim_mode mode) {
    shelf_scene s = shelf_with_sleepers(mode, OV_SIM_BODY_KIND_KINEMATIC);
    for (int i = 1; i <= 120; i++) { // at 0.012 m/s
        CHECK_OK(ov_sim_lead(s.sim, s.shelf, at(2e-4 * i, 1.0 - 2e-4 * i)));
        CHECK_OK(ov_sim_step(s.sim, 1.0 / 60.0));
    }
    CHECK_NEAR(state_of(s.sim, s.low).centre.z, 1.2 - 0.024, 1e-3);
    CHECK_NEAR(state_of(s.sim, s.high).centre.z, 1.4 - 0.024, 1e-3);
    CHECK_NEAR(state_of(s.sim, s.low).centre.x, 0.024, 1e-3);
    run_for(s.sim, 60, 1.0 / 60.0); // and they sleep once it rests
    CHECK(state_of(s.sim, s.low).asleep && state_of(s.sim, s.high).asleep);
    scene_free(&s);
}

/** What is put into sleeping bodies pushes them away; what is done far from them leaves them. */
static void test_others(ov_sim_mode mode) {
    shelf_scene s = shelf_with_sleepers(mode, OV_SIM_BODY_KIND_FIXED);
    ov_sim_body far = add(s.sim, (ov_sim_body_def){.geometry = s.cube,
                                                   .kind = OV_SIM_BODY_KIND_FIXED,
                                                   .pose.position = {0.4, 0.0, 1.2}});
    CHECK_OK(ov_sim_set_pose(s.sim, far, at(0.4, 1.6)));
    CHECK_OK(ov_sim_remove_body(s.sim, far));
    CHECK(state_of(s.sim, s.low).asleep && state_of(s.sim, s.high).asleep);
    add(s.sim, (ov_sim_body_def){.geometry = s.cube,
                                 .kind = OV_SIM_BODY_KIND_FIXED,
                                 .pose.position = {0.15, 0.0, 1.2}});
    CHECK(!state_of(s.sim, s.low).asleep && !state_of(s.sim, s.high).asleep);
    run_for(s.sim, 60, 1.0 / 60.0);
    CHECK(state_of(s.sim, s.low).centre.x < -0.04);
    scene_free(&s);
}

static void test_removal(void) {
    test_support_goes(OV_SIM_MODE_FAST);
    test_support_goes(OV_SIM_MODE_ACCURATE);
}
static void test_leading(void) {
    test_support_is_led(OV_SIM_MODE_FAST);
    test_support_is_led(OV_SIM_MODE_ACCURATE);
}
static void test_neighbours(void) {
    test_others(OV_SIM_MODE_FAST);
    test_others(OV_SIM_MODE_ACCURATE);
}

/** What a motor turns slowly goes on, however slowly; what it cannot turn sleeps. */
static void test_motors(void) {
    ov_shape shape;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.1, 0.1, 0.1}, &shape));
    ov_geometry *box = geometry_of(shape);
    for (int mode = 0; mode < 2; mode++) {
        ov_sim *sim = sim_of(down, (ov_sim_mode)mode, 0, true);
        ov_sim_body hand = add(sim, (ov_sim_body_def){.geometry = box});
        ov_sim_body stalled =
            add(sim, (ov_sim_body_def){.geometry = box, .pose.position = {2, 0, 0}});
        ov_sim_joint_def motor = {.kind = OV_JOINT_KIND_REVOLUTE,
                                  .b = hand,
                                  .axis = {0, 0, 1},
                                  .motor_speed = 0.05,
                                  .motor_limit = 100.0};
        ov_sim_joint joint = join(sim, motor);
        motor.b = stalled;
        motor.frame_a.position = (ov_vec3){2, 0, 0};
        motor.lower = -1.0, motor.upper = 0.001;
        join(sim, motor);
        run_for(sim, 300, 1.0 / 60.0);
        ov_sim_joint_state state;
        CHECK_OK(ov_sim_joint_get(sim, joint, &state));
        CHECK_NEAR(state.position, 0.25, 1e-6);
        CHECK(!state_of(sim, hand).asleep && state_of(sim, stalled).asleep);
        ov_sim_destroy(sim);
    }
    ov_geometry_destroy(box);
}

int main(void) {
    check_suite = "test_sim_sleep";
    RUN(test_removal);
    RUN(test_leading);
    RUN(test_neighbours);
    RUN(test_motors);
    return check_finish();
}
