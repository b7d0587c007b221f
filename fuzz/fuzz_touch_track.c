/**
 * @file fuzz_touch_track.c
 * @brief Fuzz target: the reader of recorded tracks, from raw bytes.
 *
 * What is demanded: a known status, rows with success only and a text with failure only; times that
 * ascend, poses that are finite with unit quaternions, and finite poses between them.
 */
#include "reading.h"

#include <math.h>

static void judge_track(const ov_touch_track *t) {
    for (size_t i = 0; i < t->count; i++) {
        ov_quat q = t->poses[i].rotation;
        double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        demand(isfinite(t->times[i]) && (i == 0 || t->times[i] > t->times[i - 1]), "times");
        demand(ov_vec3_is_finite(t->poses[i].position), "positions");
        demand(fabs(length - 1.0) < 1e-12, "rotations");
        ov_pose p = ov_touch_track_at(
            t, t->times[i] + (i + 1 < t->count ? 0.5 * (t->times[i + 1] - t->times[i]) : 1.0));
        demand(!isnan(p.position.x) && !isnan(p.rotation.w), "a pose between");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 65536) {
        return 0;
    }
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "rb");
    demand(stream != NULL, "a stream");
    ov_touch_track track;
    ov_fault fault;
    ov_status status = ov_touch_track_read_stream(stream, &track, &fault);
    (void)fclose(stream);
    demand(status <= OV_OK, "status of reading");
    demand(status == OV_OK ? track.count > 0 : track.count == 0 && track.times == NULL, "rows");
    judge_text(status, &fault);
    judge_track(&track);
    ov_touch_track_free(&track);
    return 0;
}
