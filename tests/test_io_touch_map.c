/**
 * @file test_io_touch_map.c
 * @brief Distance maps in files: written, opened again, cut off, changed, not there.
 */
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "touch_cases.h"

static touch_mesh mesh;

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void expect_refusal(const char *path, ov_status expected, const char *text) {
    ov_touch_map *map = NULL;
    ov_fault fault;
    CHECK_STATUS(ov_touch_map_open(path, &map, &fault), expected);
    CHECK(map == NULL);
    if (strstr(fault.text, text) == NULL) {
        fprintf(stderr, "'%s' where '%s' was expected\n", fault.text, text);
        CHECK(false);
    }
}

int main(void) {
    check_suite = "io_touch_map";
    mesh.vertex_count = mesh.triangle_count = 0;
    touch_add_box(&mesh, ov_vec3_make(0.0, 0.0, 0.0), ov_vec3_make(1.0, 0.1, 0.2));
    ov_touch_map *map = NULL, *read = NULL;
    ov_touch_map_options options = {.error = 0.02};
    CHECK_OK(ov_touch_map_create(mesh.vertices, mesh.vertex_count,
                                 (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count,
                                 &options, NULL, &map));
    CHECK_OK(ov_touch_map_write("box.map", map));
    ov_fault fault;
    CHECK_OK(ov_touch_map_open("box.map", &read, &fault));
    size_t size, other;
    const void *bytes = ov_touch_map_bytes(map, &size), *again = ov_touch_map_bytes(read, &other);
    CHECK(size == other && memcmp(bytes, again, size) == 0);
    CHECK(unlink("box.map") == 0); // the map does not need the name any more
    check_random random = check_random_make(1);
    for (int i = 0; i < 500; i++) {
        ov_vec3 p = touch_point(&random, &mesh, 2.0);
        ov_touch_distance a, b;
        CHECK_OK(ov_touch_map_point(map, ov_pose_identity(), p, OV_TOUCH_LEVEL_EXACT, &a));
        CHECK_OK(ov_touch_map_point(read, ov_pose_identity(), p, OV_TOUCH_LEVEL_EXACT, &b));
        CHECK(a.distance == b.distance && a.triangle == b.triangle);
    }
    ov_touch_map_destroy(read);

    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    write_bytes("cut.map", copy, size - 8);
    expect_refusal("cut.map", OV_ERROR_FILE_FORMAT, "cut off");
    copy[size / 2] ^= 4;
    write_bytes("changed.map", copy, size);
    expect_refusal("changed.map", OV_ERROR_FILE_FORMAT, "checksum");
    copy[8] ^= 0x40;
    write_bytes("version.map", copy, size);
    expect_refusal("version.map", OV_ERROR_FILE_FORMAT, "another version");
    write_bytes("text.map", "solid nothing\nendsolid of any kind\n", 34);
    expect_refusal("text.map", OV_ERROR_FILE_FORMAT, "no distance map");
    write_bytes("empty.map", "", 0);
    expect_refusal("empty.map", OV_ERROR_FILE_FORMAT, "no distance map");
    expect_refusal("not-there.map", OV_ERROR_FILE_OPEN, "No such file");
    expect_refusal(".", OV_ERROR_FILE_READ, "directory");
    CHECK_STATUS(ov_touch_map_open(NULL, &read, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_open("text.map", NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_write(NULL, map), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_write("x.map", NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_map_write("no/such/folder/x.map", map), OV_ERROR_FILE_OPEN);
    free(copy);
    ov_touch_map_destroy(map);
    return check_finish();
}
