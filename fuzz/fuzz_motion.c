/**
 * @file fuzz_motion.c
 * @brief Fuzz target: the reader of scenes in motion from raw bytes, and a short sweep of what was
 * read.
 *
 * What is demanded: a known status, a scene with success only and a printable text with failure
 * only; bodies of one kind each, motions that reach from the start to the end and are finite there;
 * intervals within the time and between bodies that are there; and a promise that holds: where a
 * sweep says free, no time that is tried has two shapes that are proven to overlap.
 */
#include "reading.h"

#include <ovoid/motion.h>

/** Larger scenes are read, but not swept. */
enum { BODIES_MAX = 4, PIECES_MAX = 24, TIMES = 9 };

/** Statuses of the sweep that say something about the scene. */
static bool is_refusal(ov_status status) {
    return status == OV_ERROR_UNSUPPORTED || status == OV_ERROR_UNBOUNDED ||
           status == OV_ERROR_SIZE_RANGE || status == OV_ERROR_NOT_FINITE ||
           status == OV_ERROR_DEGENERATE || status == OV_ERROR_COUNT || status == OV_ERROR_TIME;
}

static bool is_finite(const ov_affine *a) {
    return ov_vec3_is_finite(a->linear.cx) && ov_vec3_is_finite(a->linear.cy) &&
           ov_vec3_is_finite(a->linear.cz) && ov_vec3_is_finite(a->translation);
}

static size_t count_pieces(const ov_sweep_body *b) {
    size_t pieces = ov_polygons_count(b->polygons);
    for (size_t k = 0; k < ov_geometry_count(b->geometry); k++) {
        const ov_part *part = ov_geometry_part(b->geometry, k);
        pieces += part->mesh != NULL ? ov_trimesh_triangle_count(part->mesh) : 1;
    }
    return pieces;
}

static void judge_body(const ov_motion_scene *scene, size_t index) {
    const ov_sweep_body *b = &ov_motion_scene_bodies(scene)[index];
    double start = ov_motion_scene_start(scene), end = ov_motion_scene_end(scene);
    demand((b->geometry != NULL) != (b->polygons != NULL), "a geometry or polygons");
    demand(ov_motion_scene_name(scene, index) != NULL, "a name");
    if (b->motion == NULL) {
        return;
    }
    demand(ov_motion_start(b->motion) <= start && ov_motion_end(b->motion) >= end,
           "a motion for all of the time");
    for (int i = 0; i < TIMES; i++) {
        double t = (double)i / (TIMES - 1);
        ov_affine at;
        demand(ov_motion_at(b->motion, (1.0 - t) * start + t * end, &at) == OV_OK && is_finite(&at),
               "a place at every time");
    }
}

/* ---- the promise */

/** A body of one shape, and where it is at a time. */
static bool shape_at(const ov_sweep_body *b, double time, const ov_shape **shape, ov_pose *pose) {
    ov_pose frame = ov_pose_identity();
    const ov_part *part = ov_geometry_part(b->geometry, 0);
    if (ov_geometry_count(b->geometry) != 1 || part->mesh != NULL ||
        (b->motion != NULL && ov_motion_pose(b->motion, time, &frame) != OV_OK)) {
        return false;
    }
    ov_quat turn = ov_quat_mul(frame.rotation, b->pose.rotation);
    *shape = &part->shape;
    pose->position = ov_pose_apply(frame, ov_pose_apply(b->pose, part->pose.position));
    pose->rotation = ov_quat_mul(turn, part->pose.rotation);
    return true;
}

static void judge_free(const ov_sweep_body *bodies, size_t count, double time) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            const ov_sweep_body *a = &bodies[i], *b = &bodies[k];
            const ov_shape *p, *q;
            ov_pose pose_p, pose_q;
            ov_contact c;
            bool pair = (a->group & b->mask) != 0 && (b->group & a->mask) != 0 &&
                        (a->motion != NULL || b->motion != NULL);
            if (!pair || !shape_at(a, time, &p, &pose_p) || !shape_at(b, time, &q, &pose_q) ||
                ov_pair_contact(p, pose_p, q, pose_q, NULL, NULL, &c) != OV_OK) {
                continue;
            }
            // places are computed here once more, with other roundings
            double size = ov_vec3_length(pose_p.position) + ov_vec3_length(pose_q.position) +
                          p->ball.radius + q->ball.radius;
            demand(c.relation != OV_RELATION_OVERLAPPING || !(c.gap_upper < -1e-9 * size),
                   "what is free does not overlap");
        }
    }
}

static void judge_sweep(const ov_motion_scene *scene, const ov_sweep *sweep) {
    double start = ov_motion_scene_start(scene), end = ov_motion_scene_end(scene);
    size_t kept, count = ov_motion_scene_count(scene);
    const ov_sweep_interval *v = ov_sweep_intervals(sweep, &kept);
    ov_sweep_summary sum = ov_sweep_summary_of(sweep);
    demand((sum.answer == OV_SWEEP_ANSWER_FREE) == (sum.intervals == 0), "free without intervals");
    demand(sum.lower >= start && sum.lower <= end, "proven up to a time within");
    demand(kept <= sum.intervals, "no more intervals than found");
    for (size_t i = 0; i < kept; i++) {
        demand(v[i].start >= start && v[i].end <= end && v[i].start <= v[i].end, "an interval");
        demand(v[i].body_a < v[i].body_b && v[i].body_b < count, "bodies of an interval");
        demand(isnan(v[i].contact) || (v[i].contact >= v[i].start && v[i].contact <= v[i].end),
               "contact within its interval");
    }
    for (int i = 0; i < TIMES && sum.answer == OV_SWEEP_ANSWER_FREE; i++) {
        double t = (double)i / (TIMES - 1);
        judge_free(ov_motion_scene_bodies(scene), count, (1.0 - t) * start + t * end);
    }
}

static void try_sweep(const ov_motion_scene *scene) {
    const ov_sweep_body *bodies = ov_motion_scene_bodies(scene);
    size_t count = ov_motion_scene_count(scene), pieces = 0;
    for (size_t i = 0; i < count; i++) {
        pieces += count_pieces(&bodies[i]);
    }
    if (count == 0 || count > BODIES_MAX || pieces > PIECES_MAX) {
        return;
    }
    ov_sweep_options options = ov_default_sweep_options();
    options.depth = 6;
    options.intervals = 256;
    ov_sweep *sweep = NULL;
    ov_fault fault;
    ov_status status = ov_sweep_bodies(bodies, count, ov_motion_scene_start(scene),
                                       ov_motion_scene_end(scene), &options, &sweep, &fault);
    demand(status >= 0 || is_refusal(status), "status of a sweep");
    demand((status >= 0) == (sweep != NULL), "a sweep only with success");
    judge_text(status < 0 ? status : OV_OK, &fault);
    if (sweep != NULL) {
        judge_sweep(scene, sweep);
    }
    ov_sweep_destroy(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ov_motion_scene *scene = NULL;
    ov_fault fault;
    FILE *f = open_bytes(data, size);
    // no file can be beside a scene that comes from nowhere
    ov_status status = ov_motion_scene_read_stream(f, "/nowhere", &scene, &fault);
    (void)fclose(f);
    demand(status >= OV_ERROR_LIMIT && status <= OV_OK, "status of reading");
    demand((status == OV_OK) == (scene != NULL), "a scene only with success");
    judge_text(status, &fault);
    for (size_t i = 0; i < ov_motion_scene_count(scene); i++) {
        judge_body(scene, i);
    }
    if (scene != NULL) {
        try_sweep(scene);
    }
    ov_motion_scene_destroy(scene);
    return 0;
}
