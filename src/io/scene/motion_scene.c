/**
 * @file motion_scene.c
 * @brief Scenes in motion from JSON: what they have besides a scene.
 *
 * Bodies are read by the reader of scenes (scene_read.c), which hands each on to here: its
 * polygons, its groups and its motion, which is a screw, keys, rational or Bézier. The scene is
 * kept, for names, poses and all that shapes refer to.
 *
 * What can be blamed on one element of a list is looked at here, so that the message has its place;
 * the constructors look at everything once more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "scene_internal.h"

/** What a body has that a scene does not own. */
typedef struct owned {
    ov_geometry *geometry;
    ov_polygons *polygons;
    ov_motion *motion;
} owned;

struct ov_motion_scene {
    ov_scene *scene;
    double start, end;
    ov_sweep_body *bodies;
    owned *owned; /**< one per body */
    size_t count;
};

/** Goes a step further on the way inside the body being read, or back. */
static void way_enter(ovi_scene_reader *r, const char *key, size_t index) {
    r->way[r->way_count++] = (ovi_json_step){key, index};
}
static void way_leave(ovi_scene_reader *r) { r->way_count--; }

/* ---- polygons -------------------------------------------------------------------------------- */

/** Faces as lists of indices; all corners follow each other. */
typedef struct faces {
    uint32_t *corners, *sizes;
    size_t count;
} faces;

static size_t count_corners(const json_t *list) {
    size_t corners = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        corners += json_array_size(json_array_get(list, i));
    }
    return corners;
}

static ov_status read_faces(ovi_scene_reader *r, const json_t *list, faces *f) {
    f->count = json_array_size(list);
    f->corners = malloc((count_corners(list) + 1) * sizeof *f->corners);
    f->sizes = malloc((f->count + 1) * sizeof *f->sizes);
    if (f->corners == NULL || f->sizes == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    way_enter(r, "faces", 0);
    size_t used = 0;
    for (size_t i = 0; i < f->count; i++) {
        const json_t *face = json_array_get(list, i);
        size_t size = json_array_size(face);
        // no more than a file has bytes
        f->sizes[i] = (uint32_t)size;
        bool good = json_is_array(face);
        for (size_t k = 0; k < size && good; k++) {
            double v;
            good = ovi_json_get_numbers(json_array_get(face, k), &v, 1) && v >= 0.0 &&
                   v <= (double)UINT32_MAX && v == floor(v);
            f->corners[used++] = good ? (uint32_t)v : 0;
        }
        if (!good) {
            way_enter(r, NULL, i);
            return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT,
                                    "a face must be a list of indices of vertices");
        }
    }
    way_leave(r);
    return OV_OK;
}

static ov_status make_polygons(ovi_scene_reader *r, const ov_vec3 *vertices, size_t count,
                               const faces *f, ov_polygons **polygons) {
    ov_fault wrong;
    ov_status status =
        ov_polygons_create(vertices, count, f->corners, f->sizes, f->count, NULL, polygons, &wrong);
    if (status == OV_OK) {
        return status;
    }
    way_enter(r, "faces", 0);
    if (wrong.place == OV_FAULT_PLACE_POLYGON) {
        way_enter(r, NULL, wrong.index);
    }
    return ovi_scene_refuse(r, NULL, status, "%s", wrong.text);
}

/** Looks at vertices here, where their place in the file is known. */
static ov_status check_vertices(ovi_scene_reader *r, const ov_vec3 *points, size_t count) {
    if (count == 0) {
        return ovi_scene_refuse(r, "vertices", OV_ERROR_COUNT, "polygons need vertices, got none");
    }
    for (size_t i = 0; i < count; i++) {
        const ov_vec3 p = points[i];
        if (!(fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) <= OV_POSITION_MAX)) {
            way_enter(r, "vertices", 0);
            way_enter(r, NULL, i);
            return ovi_scene_refuse(r, NULL, OV_ERROR_SIZE_RANGE, "must be within 1e100");
        }
    }
    return OV_OK;
}

static ov_status read_polygons(ovi_scene_reader *r, const json_t *body, ov_polygons **polygons) {
    const json_t *vertices = json_object_get(body, "vertices");
    const json_t *list = json_object_get(body, "faces");
    if (!json_is_array(vertices) || !json_is_array(list)) {
        return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT,
                                "polygons need 'vertices' and 'faces', both lists");
    }
    ov_vec3 *points = NULL;
    size_t count = 0;
    faces f = {NULL, NULL, 0};
    ov_status status = ovi_scene_read_points(r, vertices, &points, &count);
    if (status == OV_OK) {
        status = check_vertices(r, points, count);
    }
    if (status == OV_OK) {
        status = read_faces(r, list, &f);
    }
    if (status == OV_OK) {
        status = make_polygons(r, points, count, &f, polygons);
    }
    free(points);
    free(f.corners);
    free(f.sizes);
    return status;
}

static const double pi = 3.14159265358979323846;

/** Start and end of the scene. */
typedef struct interval {
    double start, end;
} interval;

/* ---- lists ----------------------------------------------------------------------------------- */

/** Refuses one element of a list. */
static ov_status refuse_element(ovi_scene_reader *r, const char *key, size_t index,
                                ov_status status, const char *text) {
    way_enter(r, key, 0);
    way_enter(r, NULL, index);
    return ovi_scene_refuse(r, NULL, status, "%s", text);
}

/** Refuses keys that the object of a kind of motion does not have. */
static ov_status check_keys(ovi_scene_reader *r, json_t *object, const char *const *keys,
                            size_t count) {
    if (!json_is_object(object)) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT, "must be an object");
    }
    const char *unknown = ovi_json_unknown_key(object, keys, count);
    if (unknown != NULL) {
        char hint[120];
        ovi_suggest(unknown, keys, count, hint, sizeof hint);
        return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT, "unknown key '%.40s'; %s", unknown,
                                hint);
    }
    return OV_OK;
}

static bool is_in_range(const double *numbers, int count) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && fabs(numbers[i]) <= OV_POSITION_MAX;
    }
    return good;
}

/**
 * A list of elements of `width` numbers each, from malloc; to be freed also on failure. Without the
 * key null, and no error, unless it is needed.
 */
static ov_status read_list(ovi_scene_reader *r, const json_t *object, const char *key, int width,
                           bool needed, double **numbers, size_t *count) {
    const json_t *list = json_object_get(object, key);
    *numbers = NULL;
    *count = 0;
    if (list == NULL && !needed) {
        return OV_OK;
    }
    if (list == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT, "needs '%s', a list", key);
    }
    if (!json_is_array(list)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "must be a list");
    }
    *count = json_array_size(list);
    *numbers = malloc((*count + 1) * (size_t)width * sizeof **numbers);
    if (*numbers == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double *v = *numbers + i * (size_t)width;
        if (!ovi_json_get_numbers(json_array_get(list, i), v, width)) {
            char text[64];
            (void)snprintf(text, sizeof text,
                           width == 1 ? "must be a number" : "must be a list of %d numbers", width);
            return refuse_element(r, key, i, OV_ERROR_FILE_FORMAT, text);
        }
        if (!is_in_range(v, width)) {
            return refuse_element(r, key, i, OV_ERROR_SIZE_RANGE, "must be within 1e100");
        }
    }
    return OV_OK;
}

/** Weights of as many control points, if there are any. */
static ov_status read_weights(ovi_scene_reader *r, const json_t *object, size_t controls,
                              double **weights) {
    size_t count;
    ov_status status = read_list(r, object, "weights", 1, false, weights, &count);
    if (status != OV_OK || *weights == NULL) {
        return status;
    }
    if (count != controls) {
        return ovi_scene_refuse(r, "weights", OV_ERROR_COUNT, "%zu weights for %zu control points",
                                count, controls);
    }
    for (size_t i = 0; i < count; i++) {
        if (!((*weights)[i] > 0.0)) {
            return refuse_element(r, "weights", i, OV_ERROR_WEIGHT, "a weight must be positive");
        }
    }
    return OV_OK;
}

/** What a constructor said of a motion as a whole. */
static ov_status answer(ovi_scene_reader *r, ov_status status) {
    switch (status) {
    case OV_OK:
        return OV_OK;
    case OV_ERROR_WEIGHT:
        return ovi_scene_refuse(r, "weights", status,
                                "a weight must be more than 1e-100 of the largest one");
    case OV_ERROR_ZERO_DIRECTION:
        // of all kinds only curves of quaternions get here with it
        return ovi_scene_refuse(r, "rotations", status,
                                "the curve of quaternions is zero at some time, or nearly so");
    default:
        return ovi_scene_refuse(r, NULL, status, "%s", ov_status_message(status));
    }
}

/* ---- kinds of motion ------------------------------------------------------------------------- */

static ov_status read_bezier(ovi_scene_reader *r, json_t *object, const interval *time,
                             ov_motion **motion) {
    static const char *const keys[] = {"controls", "weights"};
    double *v = NULL, *weights = NULL;
    size_t count = 0;
    ov_affine *controls = NULL;
    ov_status status = check_keys(r, object, keys, 2);
    if (status == OV_OK) {
        status = read_list(r, object, "controls", 12, true, &v, &count);
    }
    if (status == OV_OK && (count < 2 || count > OV_MOTION_DEGREE_MAX + 1)) {
        status = ovi_scene_refuse(r, "controls", OV_ERROR_COUNT, "must be 2 to %d, got %zu",
                                  OV_MOTION_DEGREE_MAX + 1, count);
    }
    if (status == OV_OK) {
        status = read_weights(r, object, count, &weights);
    }
    if (status == OV_OK && (controls = malloc((count + 1) * sizeof *controls)) == NULL) {
        status = ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const double *n = v + 12 * i;
        // rows in the file, columns in memory
        controls[i].linear = (ov_mat3){{n[0], n[3], n[6]}, {n[1], n[4], n[7]}, {n[2], n[5], n[8]}};
        controls[i].translation = ov_vec3_make(n[9], n[10], n[11]);
    }
    if (status == OV_OK) {
        status = answer(r, ov_motion_create_bezier(controls, weights, count, time->start, time->end,
                                                   NULL, motion));
    }
    free(controls);
    free(weights);
    free(v);
    return status;
}

/** Refuses curves without points, and those of too high a degree. */
static ov_status check_degree(ovi_scene_reader *r, size_t rotations, size_t positions) {
    if (rotations == 0 || positions == 0) {
        return ovi_scene_refuse(r, rotations == 0 ? "rotations" : "positions", OV_ERROR_COUNT,
                                "must be at least 1, got 0");
    }
    size_t degree = 2 * (rotations - 1) + positions - 1;
    return degree <= OV_MOTION_DEGREE_MAX
               ? OV_OK
               : ovi_scene_refuse(r, NULL, OV_ERROR_COUNT,
                                  "%zu rotations and %zu positions make a degree of %zu, which "
                                  "must be at most %d",
                                  rotations, positions, degree, OV_MOTION_DEGREE_MAX);
}

static ov_status read_rational(ovi_scene_reader *r, json_t *object, const interval *time,
                               ov_motion **motion) {
    static const char *const keys[] = {"rotations", "positions", "weights"};
    double *q = NULL, *p = NULL, *weights = NULL;
    size_t rotations = 0, positions = 0;
    ov_quat *quats = NULL;
    ov_vec3 *points = NULL;
    ov_status status = check_keys(r, object, keys, 3);
    if (status == OV_OK) {
        status = read_list(r, object, "rotations", 4, true, &q, &rotations);
    }
    if (status == OV_OK) {
        status = read_list(r, object, "positions", 3, true, &p, &positions);
    }
    if (status == OV_OK) {
        status = check_degree(r, rotations, positions);
    }
    if (status == OV_OK) {
        status = read_weights(r, object, positions, &weights);
    }
    if (status == OV_OK) {
        quats = malloc((rotations + 1) * sizeof *quats);
        points = malloc((positions + 1) * sizeof *points);
        status = quats != NULL && points != NULL
                     ? OV_OK
                     : ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < rotations && status == OV_OK; i++) {
        quats[i] = (ov_quat){q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]};
    }
    for (size_t i = 0; i < positions && status == OV_OK; i++) {
        points[i] = ov_vec3_make(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    }
    if (status == OV_OK) {
        status = answer(r, ov_motion_create_rational(quats, rotations, points, weights, positions,
                                                     time->start, time->end, NULL, motion));
    }
    free(quats);
    free(points);
    free(weights);
    free(q);
    free(p);
    return status;
}

static ov_status read_screw(ovi_scene_reader *r, json_t *object, const interval *time,
                            ov_motion **motion) {
    static const char *const keys[] = {"point", "axis", "angle_deg", "travel"};
    static const int widths[] = {3, 3, 1, 1};
    double v[4][3] = {{0.0}};
    ov_status status = check_keys(r, object, keys, 4);
    for (size_t i = 0; i < 4 && status == OV_OK; i++) {
        const json_t *value = json_object_get(object, keys[i]);
        if (value == NULL && i != 1) {
            continue;
        }
        if (!ovi_json_get_numbers(value, v[i], widths[i])) {
            status = ovi_scene_refuse(r, value != NULL ? keys[i] : NULL, OV_ERROR_FILE_FORMAT,
                                      value == NULL    ? "needs '%s', a list of %d numbers"
                                      : widths[i] == 1 ? "'%s' must be a number"
                                                       : "'%s' must be a list of %d numbers",
                                      keys[i], widths[i]);
        } else if (i != 1 && !is_in_range(v[i], widths[i])) { // the axis may be of any length
            status = ovi_scene_refuse(r, keys[i], OV_ERROR_SIZE_RANGE, "must be within 1e100");
        }
    }
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 point = {v[0][0], v[0][1], v[0][2]}, axis = {v[1][0], v[1][1], v[1][2]};
    status = ov_motion_create_screw(ov_pose_identity(), point, axis, v[2][0] * (pi / 180.0),
                                    v[3][0], time->start, time->end, NULL, motion);
    return status == OV_ERROR_ZERO_DIRECTION
               ? ovi_scene_refuse(r, "axis", status, "the axis has no length")
               : answer(r, status);
}

static ov_status read_times(ovi_scene_reader *r, const json_t *object, const interval *time,
                            double **times, size_t *count) {
    ov_status status = read_list(r, object, "times", 1, true, times, count);
    for (size_t i = 1; i < *count && status == OV_OK; i++) {
        if (!((*times)[i] > (*times)[i - 1])) {
            return refuse_element(r, "times", i, OV_ERROR_TIME, "times must ascend");
        }
    }
    if (status != OV_OK || *count < 2) {
        return status == OV_OK
                   ? ovi_scene_refuse(r, "times", OV_ERROR_COUNT, "needs at least 2 times")
                   : status;
    }
    double first = (*times)[0], last = (*times)[*count - 1];
    if (first > time->start || last < time->end) {
        return ovi_scene_refuse(r, "times", OV_ERROR_TIME,
                                "%g to %g does not reach from the start, %g, to the end, %g", first,
                                last, time->start, time->end);
    }
    return OV_OK;
}

static ov_status read_poses(ovi_scene_reader *r, const json_t *object, size_t count,
                            ov_pose **poses) {
    static const char *const keys[] = {"position", "rotation"};
    const json_t *list = json_object_get(object, "poses");
    *poses = NULL;
    if (!json_is_array(list)) {
        return ovi_scene_refuse(r, list != NULL ? "poses" : NULL, OV_ERROR_FILE_FORMAT,
                                "needs 'poses', a list");
    }
    if (json_array_size(list) != count) {
        return ovi_scene_refuse(r, "poses", OV_ERROR_COUNT, "%zu poses for %zu times",
                                json_array_size(list), count);
    }
    if ((*poses = malloc((count + 1) * sizeof **poses)) == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    way_enter(r, "poses", 0);
    for (size_t i = 0; i < count; i++) {
        json_t *pose = json_array_get(list, i);
        way_enter(r, NULL, i);
        ov_status status = check_keys(r, pose, keys, 2);
        if (status == OV_OK) {
            status = ovi_scene_read_pose(r, pose, &(*poses)[i]);
        }
        if (status != OV_OK) {
            return status;
        }
        const ov_vec3 p = (*poses)[i].position;
        if (!is_in_range((const double[]){p.x, p.y, p.z}, 3)) {
            return ovi_scene_refuse(r, "position", OV_ERROR_SIZE_RANGE, "must be within 1e100");
        }
        way_leave(r);
    }
    way_leave(r);
    return OV_OK;
}

static ov_status read_spline(ovi_scene_reader *r, const json_t *object, ov_spline *spline) {
    const json_t *value = json_object_get(object, "spline");
    *spline = OV_SPLINE_LINEAR;
    if (value == NULL) {
        return OV_OK;
    }
    const char *name = json_string_value(value);
    for (int i = 0; i < OV_SPLINE_COUNT && name != NULL; i++) {
        if (strcmp(name, ov_spline_name((ov_spline)i)) == 0) {
            *spline = (ov_spline)i;
            return OV_OK;
        }
    }
    return ovi_scene_refuse(r, "spline", OV_ERROR_FILE_FORMAT, "must be \"linear\" or \"cubic\"");
}

static ov_status read_keys(ovi_scene_reader *r, json_t *object, const interval *time,
                           ov_motion **motion) {
    static const char *const keys[] = {"times", "poses", "spline"};
    double *times = NULL;
    ov_pose *poses = NULL;
    size_t count = 0;
    ov_spline spline = OV_SPLINE_LINEAR;
    ov_status status = check_keys(r, object, keys, 3);
    if (status == OV_OK) {
        status = read_times(r, object, time, &times, &count);
    }
    if (status == OV_OK) {
        status = read_poses(r, object, count, &poses);
    }
    if (status == OV_OK) {
        status = read_spline(r, object, &spline);
    }
    if (status == OV_OK) {
        status = answer(r, ov_motion_create_keys(poses, times, count, spline, NULL, motion));
    }
    free(times);
    free(poses);
    return status;
}

/* ---- which motion --------------------------------------------------------------------------- */

ov_status ovi_scene_read_motion(ovi_scene_reader *r, json_t *value, double start, double end,
                                ov_motion **motion) {
    static const char *const kinds[] = {"bezier", "rational", "screw", "keys"};
    static ov_status (*const readers[])(ovi_scene_reader *, json_t *, const interval *,
                                        ov_motion **) = {read_bezier, read_rational, read_screw,
                                                         read_keys};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    const interval time = {start, end};
    *motion = NULL;
    if (value == NULL || json_is_null(value)) {
        return OV_OK;
    }
    way_enter(r, "motion", 0);
    ov_status status = check_keys(r, value, kinds, KINDS);
    if (status == OV_OK && json_object_size(value) != 1) {
        status = ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT,
                                  "must be one of: bezier rational screw keys");
    }
    for (int i = 0; i < KINDS && status == OV_OK; i++) {
        json_t *object = json_object_get(value, kinds[i]);
        if (object != NULL) {
            way_enter(r, kinds[i], 0);
            status = readers[i](r, object, &time, motion);
            r->way_count -= status == OV_OK;
        }
    }
    r->way_count -= status == OV_OK;
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static ov_status take_body(ovi_scene_reader *r, json_t *body) {
    ov_motion_scene *m = r->more->user;
    const ov_scene_body *b = ov_scene_get(r->scene, r->body);
    ov_sweep_body *s = &m->bodies[r->body];
    owned *o = &m->owned[r->body];
    *s = ov_default_sweep_body();
    s->pose = b->pose;
    ov_status status = ovi_scene_read_bits(r, body, "group", &s->group);
    if (status == OV_OK) {
        status = ovi_scene_read_bits(r, body, "mask", &s->mask);
    }
    if (status == OV_OK) {
        status = ovi_scene_read_truth(r, body, "no_pairs", &s->no_pairs);
    }
    if (status == OV_OK && b->part_count == 0) {
        status = read_polygons(r, body, &o->polygons);
    } else if (status == OV_OK) {
        status = ov_geometry_create(b->parts, b->part_count, NULL, &o->geometry);
        status = status == OV_OK
                     ? status
                     : ovi_scene_refuse(r, NULL, status, "%s", ov_status_message(status));
    }
    if (status == OV_OK) {
        status =
            ovi_scene_read_motion(r, json_object_get(body, "motion"), m->start, m->end, &o->motion);
    }
    s->geometry = o->geometry;
    s->polygons = o->polygons;
    s->motion = o->motion;
    m->count++;
    return status;
}

/** Start and end, and room for the bodies. */
static ov_status begin(ovi_scene_reader *r, const json_t *root, size_t count) {
    ov_motion_scene *m = r->more->user;
    const json_t *time = json_object_get(root, "time");
    double v[2];
    if (time == NULL || !ovi_json_get_numbers(time, v, 2)) {
        return ovi_scene_refuse_file(
            r, time != NULL ? "time" : NULL,
            "a scene in motion needs 'time', a list of 2 numbers: start and end");
    }
    m->start = v[0];
    m->end = v[1];
    if (!(m->start < m->end)) {
        (void)ovi_scene_refuse_file(r, "time", "time: the end, %g, is not after the start, %g",
                                    m->end, m->start);
        return OV_ERROR_TIME;
    }
    if (!(m->end - m->start >= 1e-100 && m->end - m->start <= 1e100)) {
        (void)ovi_scene_refuse_file(r, "time", "time: must take from 1e-100 to 1e100, not %g",
                                    m->end - m->start);
        return OV_ERROR_TIME;
    }
    m->bodies = calloc(count + 1, sizeof *m->bodies);
    m->owned = calloc(count + 1, sizeof *m->owned);
    if (m->bodies == NULL || m->owned == NULL) {
        return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    return OV_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** By name, or from a stream where there is none. */
static ov_status read_scene(const char *path, FILE *stream, const char *folder,
                            ov_motion_scene **scene, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (scene == NULL) {
        return OV_ERROR_NULL;
    }
    *scene = NULL;
    ov_motion_scene *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    static const char *const body_keys[] = {"motion", "group", "mask", "no_pairs"};
    static const char *const root_keys[] = {"time"};
    const ovi_scene_more more = {.user = m,
                                 .root_keys = root_keys,
                                 .root_key_count = 1,
                                 .body_keys = body_keys,
                                 .body_key_count = 4,
                                 .polygons = true,
                                 .begin = begin,
                                 .body = take_body};
    ov_status status = path != NULL
                           ? ovi_scene_read_path(path, &more, &m->scene, fault)
                           : ovi_scene_read_stream(stream, folder, &more, &m->scene, fault);
    if (status != OV_OK) {
        ov_motion_scene_destroy(m);
        return status;
    }
    *scene = m;
    return OV_OK;
}

ov_status ov_motion_scene_read(const char *path, ov_motion_scene **scene, ov_fault *fault) {
    return read_scene(path, NULL, NULL, scene, fault);
}

ov_status ov_motion_scene_read_stream(FILE *stream, const char *folder, ov_motion_scene **scene,
                                      ov_fault *fault) {
    return read_scene(NULL, stream, folder, scene, fault);
}

void ov_motion_scene_destroy(ov_motion_scene *scene) {
    if (scene == NULL) {
        return;
    }
    for (size_t i = 0; i < scene->count; i++) {
        ov_geometry_destroy(scene->owned[i].geometry);
        ov_polygons_destroy(scene->owned[i].polygons);
        ov_motion_destroy(scene->owned[i].motion);
    }
    free(scene->owned);
    free(scene->bodies);
    ov_scene_destroy(scene->scene);
    free(scene);
}

const char *ov_motion_scene_title(const ov_motion_scene *scene) {
    return scene != NULL ? ov_scene_title(scene->scene) : "";
}

double ov_motion_scene_start(const ov_motion_scene *scene) {
    return scene != NULL ? scene->start : 0.0;
}

double ov_motion_scene_end(const ov_motion_scene *scene) {
    return scene != NULL ? scene->end : 0.0;
}

size_t ov_motion_scene_count(const ov_motion_scene *scene) {
    return scene != NULL ? scene->count : 0;
}

const ov_sweep_body *ov_motion_scene_bodies(const ov_motion_scene *scene) {
    return ov_motion_scene_count(scene) > 0 ? scene->bodies : NULL;
}

size_t ov_motion_scene_file_count(const ov_motion_scene *scene) {
    return scene != NULL ? ov_scene_file_count(scene->scene) : 0;
}

const char *ov_motion_scene_file(const ov_motion_scene *scene, size_t index) {
    return scene != NULL ? ov_scene_file(scene->scene, index) : NULL;
}

const char *ov_motion_scene_name(const ov_motion_scene *scene, size_t index) {
    return index < ov_motion_scene_count(scene) ? ov_scene_get(scene->scene, index)->name : NULL;
}
