/**
 * @file test_motion_sweep_first.c
 * @brief First contacts of polygons: brackets that are narrow and right, and work that has an end.
 *
 * Oracle: motions whose first contact is known.
 */
#include "polygon_sweeps.h"

/** A blade that falls on a plate at constant speed: they meet when its tip is at z = 0. */
static void first_contact_of_a_fall(void) {
    check_random r = check_random_make(2);
    ov_polygons *blade = polygons_square(3), *plate = polygons_square(4);
    double worst = 0.0;
    for (int round = 0; round < 32; round++) {
        // on its edge; the tip is lower by sqrt(2) where it stands on a corner
        double lean = check_uniform(&r, 0.3, 0.7), height = check_uniform(&r, 2.0, 4.0);
        ov_pose pose = {{0.1, 0.05, height},
                        ov_quat_mul(ov_quat_from_axis_angle(ov_vec3_make(0, 1, 0), lean),
                                    ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), 0.5 * M_PI))};
        double low = INFINITY;
        for (size_t i = 0; i < ov_polygons_vertex_count(blade); i++) {
            low = fmin(low, ov_pose_apply(pose, ov_polygons_vertices(blade)[i]).z);
        }
        ov_motion *fall;
        ov_vec3 down = {0, 0, 1}, origin = {0, 0, 0};
        CHECK_OK(ov_motion_create_screw(ov_pose_identity(), origin, down, 0.0, -6.0, 0.0, 1.0, NULL,
                                        &fall));
        ovi_polygon_pair p = {.a = blade,
                              .b = plate,
                              .motion_a = fall,
                              .pose_a = pose,
                              .pose_b = ov_pose_identity(),
                              .epsilon = 1e-3};
        if (round % 2) {
            p = (ovi_polygon_pair){plate, blade, NULL, fall, ov_pose_identity(), pose, 1e-3};
        }
        double expected = low / 6.0;
        for (int way = 0; way < 4; way++) {
            static findings f;
            ov_sweep_options o = default_options();
            ov_sweep_summary counts;
            set_way(&o, way);
            o.first_only = true;
            CHECK_OK(sweep(&p, &o, &f, &counts));
            double lower = INFINITY, upper = INFINITY;
            for (size_t i = 0; i < f.count; i++) {
                lower = fmin(lower, f.list[i].start);
                upper = isnan(f.list[i].contact) ? upper : fmin(upper, f.list[i].contact);
            }
            CHECK(lower <= expected && expected <= upper);
            CHECK(upper - lower <= o.resolution);
            worst = fmax(worst, upper - lower);
        }
        ov_motion_destroy(fall);
    }
    check_worst("width of a first contact", worst, 1e-6);
    ov_polygons_destroy(blade);
    ov_polygons_destroy(plate);
}

/** Glides onto a plate, a thousand times faster along it than down: the bracket is still narrow. */
static void first_contact_of_a_glide(void) {
    ov_polygons *box = polygons_box(ov_vec3_make(0.2, 0.2, 0.2)), *plate = polygons_square(2);
    ov_vec3 down = {0, 0, -1}, origin = {0, 0, 0};
    static findings f;
    for (int i = 0; i < 4; i++) {
        // a corner of the box is lowest; it turns about an axis that is upright, far from it
        ov_pose tilted = {{0.5, 0.0, 0.0}, ov_quat_from_axis_angle(ov_vec3_make(1, 0.4, 0), 0.3)};
        double low = INFINITY;
        for (size_t k = 0; k < 8; k++) {
            low = fmin(low, ov_pose_apply(tilted, ov_polygons_vertices(box)[k]).z);
        }
        tilted.position.z = -low + 1e-3;
        ov_motion *m;
        CHECK_OK(ov_motion_create_screw(tilted, origin, down, i % 2 ? 6.0 : -6.0,
                                        i < 2 ? 3e-3 : 1.7e-3, 0.0, 1.0, NULL, &m));
        ovi_polygon_pair p = {.a = box,
                              .b = plate,
                              .motion_a = m,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = 1e-3};
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        o.first_only = true;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        double lower = INFINITY, upper = INFINITY, expected = 1e-3 / (i < 2 ? 3e-3 : 1.7e-3);
        for (size_t k = 0; k < f.count; k++) {
            lower = fmin(lower, f.list[k].start);
            upper = isnan(f.list[k].contact) ? upper : fmin(upper, f.list[k].contact);
        }
        CHECK(lower <= expected + 1e-12 && expected <= upper + 1e-12);
        CHECK(upper - lower <= o.resolution);
        CHECK(counts.pieces < 5000);
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(box);
    ov_polygons_destroy(plate);
}

/** Plates that slide on each other, in touch all the time: intervals of many pairs at once grow
 *  together, and looking for a first contact that never becomes one has an end. */
static void in_touch(void) {
    ov_polygons *a = polygons_square(4), *b = polygons_square(5);
    ov_vec3 up = {0, 0, 1}, aside = {0.3, 0.1, 0};
    static findings f;
    for (int i = 0; i < 6; i++) {
        double height = i < 4 ? 0.0 : 2e-6;
        ov_pose at = {{0, 0, height}, ov_quat_identity()};
        ov_motion *m;
        CHECK_OK(ov_motion_create_screw(at, aside, up, 1.0, 0.0, 0.0, 1.0, NULL, &m));
        ovi_polygon_pair p = {.a = a,
                              .b = b,
                              .motion_a = m,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = 0.01};
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        set_way(&o, i % 4);
        o.first_only = i >= 4;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count > 0 && f.count < 1000);
        CHECK(i < 4 || counts.pieces < 100000);
        double covered = 0.0;
        for (size_t k = 0; k < f.count; k++) {
            covered += f.list[k].end - f.list[k].start;
            CHECK(isnan(f.list[k].contact));
        }
        CHECK(i >= 4 || covered > 30.0); // each of A's 16 is over two or more of B's at all times
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(a);
    ov_polygons_destroy(b);
}

int main(void) {
    check_suite = "motion_sweep_first";
    RUN(first_contact_of_a_fall);
    RUN(first_contact_of_a_glide);
    RUN(in_touch);
    return check_finish();
}
