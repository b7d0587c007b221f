/**
 * @file support.c
 * @brief A superovoid, its support point in a direction, its bounding box and its mass: a first
 * program with Ovoid.
 */
#include <stdio.h>

#include <ovoid/ovoid.h>

int main(void) {
    // an egg: semi-axes 2, 2, 3 cm, slightly square along z, narrower at the top
    ov_shape egg;
    ov_status status =
        ov_shape_make_superovoid(ov_vec3_make(0.02, 0.02, 0.03), 1.0, 0.9, -0.2, -0.2, NULL, &egg);
    if (status != OV_OK) {
        fprintf(stderr, "no egg: %s\n", ov_status_message(status));
        return 1;
    }
    ov_support tip;
    ov_aabb box;
    ov_mass mass;
    if (ov_shape_support(&egg, ov_vec3_make(0.0, 1.0, 1.0), &tip) != OV_OK ||
        ov_shape_aabb(&egg, ov_pose_identity(), &box) != OV_OK ||
        ov_shape_mass(&egg, 1030.0, &mass) != OV_OK) {
        return 1;
    }
    printf("support point %.6f %.6f %.6f m\n", tip.point.x, tip.point.y, tip.point.z);
    printf("box %.6f .. %.6f m along z, mass %.4f kg\n", box.min.z, box.max.z, mass.mass);
    return 0;
}
