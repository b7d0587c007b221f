/**
 * @file queries.c
 * @brief The smaller queries on one body: how far away is a point, where does a ray enter, when
 * does a translated body arrive, and how far away is a segment? Every answer has proven bounds.
 */
#include <stdio.h>

#include <ovoid/ovoid.h>

int main(void) {
    // a tapered pebble, rotated by 30 degrees about x
    ov_shape pebble, ball;
    ov_pose pose = {{0.0, 0.0, 0.1}, ov_quat_from_axis_angle(ov_vec3_make(1.0, 0.0, 0.0), 0.5236)};
    ov_status status =
        ov_shape_make_superovoid(ov_vec3_make(0.3, 0.2, 0.1), 0.8, 0.9, 0.1, 0.1, NULL, &pebble);
    if (status != OV_OK || ov_shape_make_sphere(0.05, &ball) != OV_OK) {
        fprintf(stderr, "no pebble: %s\n", ov_status_message(status));
        return 1;
    }

    ov_contact point;
    if (ov_point_contact(&pebble, pose, ov_vec3_make(0.5, 0.4, 0.3), NULL, &point) != OV_OK) {
        return 1;
    }
    printf("point: %.9f m away, proven between %.12f and %.12f\n", point.gap, point.gap_lower,
           point.gap_upper);

    ov_ray_hit hit;
    if (ov_ray_cast(&pebble, pose, ov_vec3_make(0.1, 0.0, 2.0), ov_vec3_make(0.0, 0.0, -1.0), 10.0,
                    &hit) != OV_OK) {
        return 1;
    }
    printf("ray: %s after %.9f m, normal %.4f %.4f %.4f\n", hit.hit ? "enters" : "misses",
           hit.distance, hit.normal.x, hit.normal.y, hit.normal.z);

    // the ball moves along x: free up to fraction_lower, in contact at fraction_upper
    ov_pose start = {{-2.0, 0.05, 0.1}, ov_quat_identity()};
    ov_cast_hit cast;
    if (ov_shape_cast(&ball, start, ov_vec3_make(4.0, 0.0, 0.0), &pebble, pose, NULL, &cast) !=
        OV_OK) {
        return 1;
    }
    printf("ball: %s at %.9f of its path\n", cast.hit ? "arrives" : "passes", cast.fraction);

    ov_contact edge;
    if (ov_segment_contact(&pebble, pose, ov_vec3_make(-1.0, 0.5, 0.0), ov_vec3_make(1.0, 0.5, 0.2),
                           NULL, &edge) != OV_OK) {
        return 1;
    }
    printf("segment: %s, %.9f m\n", ov_relation_name(edge.relation), edge.gap);
    return 0;
}
