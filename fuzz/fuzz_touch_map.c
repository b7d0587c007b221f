/**
 * @file fuzz_touch_map.c
 * @brief Fuzz target: the bytes of a distance map, as they come and with edits that fit the
 * checksum.
 *
 * The bytes are first viewed as a map themselves. Then they are edits of a small good map: places
 * and values, after which the checksum is set right, so that the checks behind it are reached. What
 * is demanded: a known status with a text; of a map that is accepted, answers whose bounds are in
 * order, or errors.
 */
#include <ovoid/touch.h>

#include "reading.h"
#include "source.h"

enum { CHECKSUM_AT = 24 };

static void judge_map(const ov_touch_map *map, source *s) {
    for (int i = 0; i < 16; i++) {
        double z = i == 15 ? take_raw(s) : 4.0 * take_unit(s) - 2.0;
        ov_vec3 p = {4.0 * take_unit(s) - 2.0, 4.0 * take_unit(s) - 2.0, z};
        for (int level = OV_TOUCH_LEVEL_FIELD; level <= OV_TOUCH_LEVEL_EXACT; level++) {
            ov_touch_distance d;
            ov_status status =
                ov_touch_map_point(map, ov_pose_identity(), p, (ov_touch_level)level, &d);
            if (!(fabs(z) <= OV_SIZE_MAX / 2.0)) {
                demand(status < OV_OK && isnan(d.distance), "no answer for what is no place");
                continue;
            }
            demand(status == OV_OK || status == OV_NOT_CONVERGED, "an answer");
            demand(d.distance_lower <= d.distance && d.distance <= d.distance_upper,
                   "bounds in order");
        }
    }
}

static void judge_view(const void *bytes, size_t size, source *s) {
    ov_touch_map *map = NULL;
    ov_fault fault;
    ov_status status = ov_touch_map_view(bytes, size, NULL, NULL, &map, &fault);
    demand(status == OV_OK || status == OV_ERROR_FILE_FORMAT, "a known status");
    demand((status == OV_OK) == (map != NULL), "a map with success only");
    judge_text(status, &fault);
    if (map != NULL) {
        judge_map(map, s);
    }
    ov_touch_map_destroy(map);
}

/** A small map, made once. */
static const ov_touch_map *small_map(void) {
    static ov_touch_map *map;
    if (map == NULL) {
        const ov_vec3 corners[4] = {
            {-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}};
        const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
        ov_touch_map_options options = {.error = 0.02, .memory = 40000};
        demand(ov_touch_map_create(corners, 4, faces, 4, &options, NULL, &map) == OV_OK,
               "a small map");
    }
    return map;
}

static uint64_t sum(uint64_t h, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        h = (h ^ bytes[i]) * 1099511628211u;
    }
    return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source s = {data, size, false};
    size_t all;
    const void *good = ov_touch_map_bytes(small_map(), &all);
    unsigned char *bytes = malloc(all > size ? all : size + 1);
    demand(bytes != NULL, "memory");
    memcpy(bytes, data, size);
    judge_view(bytes, size, &s);
    memcpy(bytes, good, all);
    source edits = {data, size, false};
    for (size_t i = 0; i + 3 < size && i < 256; i += 4) {
        size_t place =
            take_byte(&edits) + 256u * take_byte(&edits) + 65536u * (take_byte(&edits) & 1);
        // most edits to the header, where most is to be checked
        place = place % 3 == 0 ? place % all : place % 320;
        bytes[place % all] = (unsigned char)take_byte(&edits);
    }
    uint64_t h = sum(14695981039346656037u, bytes, CHECKSUM_AT);
    h = sum(h, bytes + CHECKSUM_AT + 8, all - CHECKSUM_AT - 8);
    memcpy(bytes + CHECKSUM_AT, &h, sizeof h);
    judge_view(bytes, all, &s);
    free(bytes);
    return 0;
}
