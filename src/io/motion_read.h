/**
 * @file motion_read.h
 * @brief What the files that read scenes in motion share.
 */
#ifndef OVI_MOTION_READ_H
#define OVI_MOTION_READ_H

#include "scene_internal.h"

/** Goes a step further on the way inside the body being read, or back. */
static inline void ovi_way_enter(ovi_scene_reader *r, const char *key, size_t index) {
    r->way[r->way_count++] = (ovi_json_step){key, index};
}
static inline void ovi_way_leave(ovi_scene_reader *r) { r->way_count--; }

/** The motion of the body being read, from the value of its key (motion_read_curve.c). */
ov_status ovi_motion_read(ovi_scene_reader *r, json_t *value, double start, double end,
                          ov_motion **motion);

#endif
