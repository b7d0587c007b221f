/**
 * @file contact.c
 * @brief Two superovoids: one contact with its proven bounds, the contacts while one of them moves,
 * each query with a warm start from the last one, and many pairs at once.
 */
#include <stdio.h>

#include <ovoid/ovoid.h>

enum { STEPS = 8, PAIRS = 8 };

static ov_pose placed(double x, double angle_rad) {
    ov_pose pose = {{x, 0.1, 0.0}, ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), angle_rad)};
    return pose;
}

static void print_contact(const ov_contact *c) {
    printf("%-11s  gap %12.9f m, between %15.12f and %15.12f  (%s, %d iterations)\n",
           ov_relation_name(c->relation), c->gap, c->gap_lower, c->gap_upper,
           ov_status_name(c->status), c->iterations);
}

int main(void) {
    ov_shape egg, brick;
    if (ov_shape_make_superovoid(ov_vec3_make(0.02, 0.02, 0.03), 1.0, 0.9, -0.2, -0.2, NULL, &egg) <
            0 ||
        ov_shape_make_superovoid(ov_vec3_make(0.03, 0.02, 0.02), 0.4, 0.4, 0.1, 0.1, NULL, &brick) <
            0) {
        return 1;
    }
    ov_pose here = placed(0.0, 0.0);

    // one query; OV_DEPTH_PROVEN proves both bounds of an overlap
    ov_pair_options options = ov_default_pair_options();
    options.depth = OV_DEPTH_PROVEN;
    ov_contact contact;
    if (ov_pair_contact(&egg, here, &brick, placed(0.045, 0.3), &options, NULL, &contact) < 0) {
        return 1;
    }
    printf("one query, depth proven:\n");
    print_contact(&contact);

    // the brick approaches and rotates: each query starts where the last one ended
    printf("in a loop, warm:\n");
    ov_warm_start warm = {0};
    for (int i = 0; i < STEPS; i++) {
        ov_pose there = placed(0.060 - 0.002 * i, 0.3 + 0.01 * i);
        if (ov_pair_contact(&egg, here, &brick, there, NULL, &warm, &contact) < 0) {
            return 1;
        }
        print_contact(&contact);
    }

    // the same poses as a batch, on one thread; each contact has its own status
    printf("as a batch:\n");
    ov_pair pairs[PAIRS];
    ov_contact contacts[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = (ov_pair){&egg, &brick, here, placed(0.060 - 0.002 * i, 0.3 + 0.01 * i)};
    }
    if (ov_pair_contact_batch(pairs, PAIRS, NULL, &(ov_threads){.count = 1}, NULL, contacts) !=
        OV_OK) {
        return 1;
    }
    for (int i = 0; i < PAIRS; i++) {
        if (contacts[i].status < 0) {
            printf("pair %d: %s\n", i, ov_status_message(contacts[i].status));
            return 1;
        }
        print_contact(&contacts[i]);
    }
    return 0;
}
