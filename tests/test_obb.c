/**
 * @file test_obb.c
 * @brief The test of fifteen axes: closed cases, each kind of axis alone, rigid motions and swaps,
 * bad input, and some thousand random pairs against the oracle without axes and the pair query.
 */
#include <float.h>

#include "obb_oracle.h"

#include "world/obb.h"

static ov_obb box_at(double x, double y, double z, ov_quat q, double hx, double hy, double hz) {
    return (ov_obb){{{x, y, z}, q}, {hx, hy, hz}};
}

/** Apart by `gap`: true up to a hair below it, false from a hair above on. Both ways round. */
static void check_gap(const ov_obb *a, const ov_obb *b, double gap) {
    double hair = 1e-13 * ob_scale(a, b);
    CHECK_NEAR((double)ob_gap(a, b), gap, hair);
    CHECK(ov_obb_apart(a, b, 0.0) && ov_obb_apart(b, a, 0.0));
    CHECK(ov_obb_apart(a, b, gap - hair) && ov_obb_apart(b, a, gap - hair));
    CHECK(!ov_obb_apart(a, b, gap + hair) && !ov_obb_apart(b, a, gap + hair));
    CHECK(!ov_obb_apart(a, b, 1e6 * gap));
}

static void test_closed(void) {
    ov_quat one = ov_quat_identity(), eighth = ov_quat_from_axis_angle((ov_vec3){0, 0, 1}, M_PI_4);
    ov_obb a = box_at(0, 0, 0, one, 1, 2, 3), b;
    // face to face along each axis and side, edge to edge, corner to corner
    for (int sign = -1; sign <= 1; sign += 2) {
        b = box_at(sign * 2.5, 0.3, 1.0, one, 1, 1, 1);
        check_gap(&a, &b, 0.5);
        b = box_at(0.1, sign * 3.5, 0.2, one, 1, 1, 1);
        check_gap(&a, &b, 0.5);
        b = box_at(0.1, 0.2, sign * 4.5, one, 1, 1, 1);
        check_gap(&a, &b, 0.5);
        b = box_at(sign * 2.3, sign * 3.4, 0.1, one, 1, 1, 1);
        check_gap(&a, &b, 0.5);
        b = box_at(sign * 3.0, -sign * 5.0, sign * 6.0, one, 1, 1, 1);
        check_gap(&a, &b, 3.0);
    }
    // an edge before a face: the face's normal
    b = box_at(1.25 + M_SQRT2, 0.1, 0.2, eighth, 1, 1, 1);
    check_gap(&a, &b, 0.25);
    // crossed edges, at right angles and along no face's normal
    ov_quat up = ov_quat_from_axis_angle((ov_vec3){1, 0, 0}, M_PI_4);
    ov_quat across = ov_quat_from_axis_angle((ov_vec3){0, 1, 0}, M_PI_4);
    a = box_at(0, 0, 0, up, 5, 1, 1);
    b = box_at(0, 0, 2.0 * M_SQRT2 + 0.125, across, 1, 5, 1);
    check_gap(&a, &b, 0.125);
    // plates and needles without thickness
    a = box_at(0, 0, 0, one, 1, 1, 0);
    b = box_at(0, 0, 0.25, one, 1, 1, 0);
    check_gap(&a, &b, 0.25);
    a = box_at(0, 0, 0, one, 1, 0, 0);
    b = box_at(0, 0, 0.25, eighth, 0, 2, 0);
    check_gap(&a, &b, 0.25);
    // points
    a = box_at(1, 2, 3, one, 0, 0, 0);
    b = box_at(4, 6, 3, eighth, 0, 0, 0);
    check_gap(&a, &b, 5.0);
}

static void test_meeting(void) {
    ov_quat one = ov_quat_identity();
    ov_obb a = box_at(0, 0, 0, one, 1, 2, 3), b = box_at(0.1, 0.2, 0.3, one, 0.1, 0.1, 0.1);
    CHECK(!ov_obb_apart(&a, &a, 0.0));
    CHECK(!ov_obb_apart(&a, &b, 0.0) && !ov_obb_apart(&b, &a, 0.0)); // one within the other
    b = box_at(2, 0, 0, one, 1, 1, 1);
    CHECK(!ov_obb_apart(&a, &b, 0.0)); // faces touch
    b = box_at(2, 3, 4, one, 1, 1, 1);
    CHECK(!ov_obb_apart(&a, &b, 0.0)); // corners touch
    // a bar through a plate: no corner of one is within the other
    a = box_at(0, 0, 0, one, 3, 3, 0.1);
    b = box_at(0, 0, 0, ov_quat_from_axis_angle((ov_vec3){1, 1, 0}, 0.3), 0.1, 0.1, 3);
    CHECK(!ov_obb_apart(&a, &b, 0.0) && !ov_obb_apart(&b, &a, 0.0));
    CHECK(ob_gap(&a, &b) == 0.0L); // and the oracle sees it
    // crossed needles that meet
    a = box_at(0, 0, 0, one, 1, 0, 0);
    b = box_at(0, 0, 0, one, 0, 1, 0);
    CHECK(!ov_obb_apart(&a, &b, 0.0));
}

/** Pairs that one kind of axis alone decides: each of the fifteen is needed. */
static void test_each_axis(void) {
    check_random r = check_random_make(11);
    int seen[15] = {0};
    for (int n = 0; n < 20000; n++) {
        ov_obb a, b;
        ob_random_pair(&r, OB_PLAIN, &a, &b);
        (void)ov_quat_normalize(a.pose.rotation, &a.pose.rotation);
        ov_mat3 ra = ov_mat3_from_quat(a.pose.rotation), rb = ov_mat3_from_quat(b.pose.rotation);
        const ov_vec3 ax[3] = {ra.cx, ra.cy, ra.cz}, bx[3] = {rb.cx, rb.cy, rb.cz};
        ov_vec3 d = ov_vec3_sub(b.pose.position, a.pose.position);
        int separating = 0, last = 0;
        for (int k = 0; k < 15; k++) {
            ov_vec3 axis = k < 3   ? ax[k]
                           : k < 6 ? bx[k - 3]
                                   : ov_vec3_cross(ax[(k - 6) / 3], bx[(k - 6) % 3]);
            if (ov_vec3_length(axis) < 1e-3) {
                continue;
            }
            axis = ov_vec3_normalize(axis);
            if (fabs(ov_vec3_dot(axis, d)) - ob_width(&a, axis) - ob_width(&b, axis) > 1e-10) {
                separating++;
                last = k;
            }
        }
        if (separating == 1) {
            seen[last]++;
            CHECK(ov_obb_apart(&a, &b, 0.0));
        }
    }
    for (int k = 0; k < 15; k++) {
        if (!CHECK(seen[k] >= 5)) {
            fprintf(stderr, "axis %d alone: %d\n", k, seen[k]);
        }
    }
}

static ov_obb moved(ov_obb box, ov_pose pose) {
    box.pose.position = ov_pose_apply(pose, box.pose.position);
    box.pose.rotation = ov_quat_mul(pose.rotation, box.pose.rotation);
    return box;
}

/**
 * What is apart by a little more than a limit is so for the limit itself after a swap, a motion,
 * and a change of names of the axes. "A little" is what nearly parallel edges may lose: 1e-6.
 */
static void test_invariance(void) {
    check_random r = check_random_make(12);
    long apart = 0;
    for (int n = 0; n < 20000; n++) {
        ov_obb a, b;
        ob_random_pair(&r, (ob_class)(n % OB_SIZES), &a, &b);
        double scale = ob_scale(&a, &b), limit = ob_random_limit(&r, ob_gap(&a, &b), scale);
        double reach = scale + fabs(a.pose.position.x) + fabs(a.pose.position.y);
        if (!ov_obb_apart(&a, &b, limit + 1e-6 * scale)) {
            continue;
        }
        apart++;
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), reach), check_rotation(&r)};
        ov_obb ma = moved(a, pose), mb = moved(b, pose);
        // the same box with its axes turned round: x to y to z
        ov_obb turned = a;
        turned.pose.rotation = ov_quat_mul(a.pose.rotation, (ov_quat){0.5, 0.5, 0.5, 0.5});
        turned.half = ov_vec3_make(a.half.y, a.half.z, a.half.x);
        if (!CHECK(ov_obb_apart(&a, &b, limit)) || !CHECK(ov_obb_apart(&b, &a, limit)) ||
            !CHECK(ov_obb_apart(&ma, &mb, limit)) || !CHECK(ov_obb_apart(&turned, &b, limit))) {
            ob_print(&a, &b, limit);
        }
    }
    CHECK(apart > 5000);
}

/** The form with axes at hand allows for more rounding, and for nothing else. */
static void test_placed(void) {
    check_random r = check_random_make(13);
    double worst = 0.0;
    for (int n = 0; n < 20000; n++) {
        ov_obb a, b;
        ob_random_pair(&r, (ob_class)(n % OB_CLASSES), &a, &b);
        ovi_placed_box pa, pb;
        CHECK(ovi_box_place(&a, &pa) && ovi_box_place(&b, &pb));
        ob_real exact[3][3];
        ob_axes(a.pose.rotation, exact);
        const ov_vec3 columns[3] = {pa.axes.cx, pa.axes.cy, pa.axes.cz};
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, (double)fabsl(exact[0][j] - columns[j].x));
            worst = fmax(worst, (double)fabsl(exact[1][j] - columns[j].y));
            worst = fmax(worst, (double)fabsl(exact[2][j] - columns[j].z));
        }
        // with axes from quaternions that are units, or nearly
        ov_quat qa, qb;
        CHECK_OK(ov_quat_normalize(a.pose.rotation, &qa));
        CHECK_OK(ov_quat_normalize(b.pose.rotation, &qb));
        pa.axes = ov_mat3_from_quat(qa);
        pb.axes = ov_mat3_from_quat(qb);
        ob_real gap = ob_gap(&a, &b);
        double scale = ob_scale(&a, &b), limit = ob_random_limit(&r, gap, scale);
        bool apart = ovi_placed_boxes_apart(&pa, &pb, limit, OVI_AXES_ERROR);
        if (!CHECK(!apart || gap > limit - OB_ERROR * scale) ||
            !CHECK(apart || !ov_obb_apart(&a, &b, limit + 1e-6 * scale))) {
            ob_print(&a, &b, limit);
        }
    }
    CHECK(worst <= 10.0 * 0x1p-53);
    check_worst("axes of a box", worst, 10.0 * 0x1p-53);
}

static void test_bad_input(void) {
    ov_quat one = ov_quat_identity();
    const ov_obb a = box_at(0, 0, 0, one, 1, 1, 1), b = box_at(9, 0, 0, one, 1, 1, 1);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    CHECK(ov_obb_apart(&a, &b, 1.0));
    CHECK(!ov_obb_apart(NULL, &b, 1.0) && !ov_obb_apart(&a, NULL, 1.0));
    CHECK(!ov_obb_apart(&a, &b, -1.0));
    for (int i = 0; i < 3; i++) {
        CHECK(!ov_obb_apart(&a, &b, bad[i]));
        for (int k = 0; k < 10; k++) {
            ov_obb c = b;
            double *const numbers[10] = {&c.pose.position.x, &c.pose.position.y, &c.pose.position.z,
                                         &c.pose.rotation.w, &c.pose.rotation.x, &c.pose.rotation.y,
                                         &c.pose.rotation.z, &c.half.x,          &c.half.y,
                                         &c.half.z};
            *numbers[k] = bad[i];
            CHECK(!ov_obb_apart(&a, &c, 1.0) && !ov_obb_apart(&c, &a, 1.0));
        }
    }
    ov_obb c = b;
    c.half.y = -1.0;
    CHECK(!ov_obb_apart(&a, &c, 0.0) && !ov_obb_apart(&c, &a, 0.0));
    c = b;
    c.pose.rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
    CHECK(!ov_obb_apart(&a, &c, 0.0));
    // any other length of a quaternion names the same rotation
    const double lengths[] = {1e-320, 1e-300, 1e-160, 0.1, 3.0, 1e160, 1e300};
    for (int i = 0; i < 7; i++) {
        c = b;
        c.pose.rotation = (ov_quat){lengths[i], 0.0, 0.0, lengths[i]};
        CHECK(ov_obb_apart(&a, &c, 6.9) && !ov_obb_apart(&a, &c, 7.1));
    }
    // what would overflow, or is lost, proves nothing
    c = box_at(DBL_MAX, 0, 0, one, 1, 1, 1);
    CHECK(!ov_obb_apart(&a, &c, 0.0));
    ov_obb d = box_at(-DBL_MAX, 0, 0, one, 1, 1, 1);
    CHECK(!ov_obb_apart(&d, &c, 0.0));
    c = box_at(0, 0, 0, one, 1e-320, 1e-320, 1e-320);
    d = box_at(3e-320, 0, 0, one, 1e-320, 1e-320, 1e-320);
    CHECK(!ov_obb_apart(&c, &d, 5e-321));
}

/** Random pairs: no pair that is nearer than the limit is called apart. */
static void test_random(void) {
    check_random r = check_random_make(14);
    long apart_count = 0;
    for (int n = 0; n < 30000; n++) {
        ov_obb a, b;
        ob_random_pair(&r, (ob_class)(n % OB_CLASSES), &a, &b);
        ob_real gap = ob_gap(&a, &b);
        double scale = ob_scale(&a, &b), limit = ob_random_limit(&r, gap, scale);
        bool apart = ov_obb_apart(&a, &b, limit);
        apart_count += apart;
        if (!CHECK(!apart || gap > limit - OB_ERROR * scale)) {
            ob_print(&a, &b, limit);
        }
        // at a limit of zero only nearly parallel edges, or rounding, hide a gap
        CHECK(gap < 1e-6 * scale || ov_obb_apart(&a, &b, 0.0));
        if (apart && a.half.x * a.half.y * a.half.z * b.half.x * b.half.y * b.half.z > 0.0) {
            ov_shape sa, sb;
            ov_contact c;
            CHECK_OK(ov_shape_make_box(a.half, &sa));
            CHECK_OK(ov_shape_make_box(b.half, &sb));
            CHECK(ov_pair_contact(&sa, a.pose, &sb, b.pose, NULL, NULL, &c) >= OV_OK);
            CHECK(c.gap_upper > limit && c.relation != OV_RELATION_OVERLAPPING);
            // the two oracles agree
            CHECK(c.gap_lower <= gap + OB_ERROR * scale && c.gap_upper >= gap - OB_ERROR * scale);
        }
    }
    CHECK(apart_count > 5000);
}

int main(void) {
    check_suite = "obb";
    RUN(test_closed);
    RUN(test_meeting);
    RUN(test_each_axis);
    RUN(test_invariance);
    RUN(test_placed);
    RUN(test_bad_input);
    RUN(test_random);
    return check_finish();
}
