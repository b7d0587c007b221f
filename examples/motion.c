/*
 * Two motions of an egg that tumbles past a post. The first is proven to be free of collision. The
 * second hits the post, and the sweep brackets the first contact.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ovoid/ovoid.h>

static void fail(const char *what, ov_status status) {
    fprintf(stderr, "%s: %s\n", what, ov_status_message(status));
    exit(1);
}

/* From x = -1 to 1 m in two seconds at y = distance from the post, with one and a half turns. */
static ov_motion *fly_past(double distance) {
    /* slerp takes the shortest arc between keys, so they are less than half a turn apart */
    enum { KEYS = 7 };
    const ov_vec3 axis = {0.3, 1.0, 0.2};
    ov_pose poses[KEYS];
    double times[KEYS];
    for (int i = 0; i < KEYS; i++) {
        double part = (double)i / (KEYS - 1);
        times[i] = 2.0 * part;
        poses[i].position = ov_vec3_make(2.0 * part - 1.0, distance, 0.0);
        poses[i].rotation = ov_quat_from_axis_angle(axis, 3.0 * 3.14159265358979 * part);
    }
    ov_motion *motion;
    ov_status status = ov_motion_create_keys(poses, times, KEYS, OV_SPLINE_CUBIC, NULL, &motion);
    if (status < 0) {
        fail("no motion", status);
    }
    return motion;
}

static void sweep(const ov_shape *egg, const ov_shape *post, double distance) {
    ov_motion *motion = fly_past(distance);
    ov_sweep_pair pair = {.a = egg,
                          .b = post,
                          .motion_a = motion,
                          .pose_a = ov_pose_identity(),
                          .pose_b = ov_pose_identity()};
    ov_first_contact first;
    ov_status status = ov_sweep_pair_first(&pair, 0.0, 2.0, NULL, &first);
    if (status < 0) {
        fail("no sweep", status);
    }
    printf("%g m aside: %s", distance, ov_sweep_answer_name(first.answer));
    if (first.answer == OV_SWEEP_ANSWER_FREE) {
        printf(", proven for every time");
    } else {
        printf(", first between %.7f and %.7f s", first.lower, first.upper);
    }
    printf("; %zu pieces of time, %zu queries\n", first.pieces, first.queries);
    ov_motion_destroy(motion);
}

int main(void) {
    ov_shape egg, post;
    ov_status status =
        ov_shape_make_superovoid(ov_vec3_make(0.1, 0.1, 0.15), 1.0, 0.9, -0.2, -0.2, NULL, &egg);
    if (status < 0 || (status = ov_shape_make_cylinder(0.05, 0.5, &post)) < 0) {
        fail("no shape", status);
    }
    sweep(&egg, &post, 0.25);
    sweep(&egg, &post, 0.1);
    return 0;
}
