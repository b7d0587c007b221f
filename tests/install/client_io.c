/**
 * @file client_io.c
 * @brief A program outside the project that uses the installed libovoid_io: the hull of a cube.
 */
#include <stdio.h>

#include <ovoid/io.h>
#include <ovoid/ovoid.h>

int main(void) {
    ov_vec3 points[9];
    for (int i = 0; i < 8; i++) {
        points[i] = ov_vec3_make(i & 1, (i >> 1) & 1, (i >> 2) & 1);
    }
    points[8] = ov_vec3_make(0.5, 0.5, 0.5); // inside, so not a vertex of the hull

    ov_hull *hull = NULL;
    ov_status status = ov_hull_create(points, 9, &hull);
    if (status != OV_OK) {
        printf("no hull of a cube: %s\n", ov_status_message(status));
        return 1;
    }
    size_t vertices = ov_hull_vertex_count(hull), triangles = ov_hull_triangle_count(hull);
    ov_hull_destroy(hull);
    if (vertices != 8 || triangles != 12) {
        printf("the hull of a cube has %zu vertices, %zu triangles\n", vertices, triangles);
        return 1;
    }
    printf("ovoid_io: %zu vertices, %zu triangles\n", vertices, triangles);
    return 0;
}
