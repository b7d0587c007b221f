/**
 * @file derivatives.c
 * @brief Derivatives of a contact: Newton's method rotates one of two eggs until the gap between
 * them has the wanted value.
 */
#include <math.h>
#include <stdio.h>

#include <ovoid/ovoid.h>

int main(void) {
    ov_shape egg;
    if (ov_shape_make_superovoid(ov_vec3_make(0.02, 0.02, 0.03), 1.0, 0.9, -0.2, -0.2, NULL,
                                 &egg) != OV_OK) {
        return 1;
    }
    const ov_pose left = ov_pose_identity();
    const ov_vec3 y = {0.0, 1.0, 0.0};
    ov_pose right = {ov_vec3_make(0.05, 0.01, 0.005),
                     ov_quat_from_axis_angle(ov_vec3_make(1.0, 1.0, 0.0), 0.8)};
    const double wanted = 0.005;
    double miss = INFINITY;
    for (int step = 0; step < 8 && fabs(miss) > 1e-9; step++) {
        ov_contact contact;
        ov_contact_derivatives d;
        if (ov_pair_contact(&egg, left, &egg, right, NULL, NULL, &contact) != OV_OK ||
            ov_pair_derivatives(&egg, left, &egg, right, &contact, &d) != OV_OK) {
            return 1;
        }
        // [1] is the right egg, [4] its rotation about the y axis of the world
        double rate = d.gap[1][4];
        miss = contact.gap - wanted;
        printf("gap %.12f m, %.6f m per radian about y\n", contact.gap, rate);
        ov_quat turn = ov_quat_from_axis_angle(y, -miss / rate);
        right.rotation = ov_quat_mul(turn, right.rotation);
    }
    return fabs(miss) <= 1e-9 ? 0 : 1;
}
