/**
 * @file motion_read.c
 * @brief Scenes in motion from JSON: what they have besides a scene.
 *
 * Bodies are read by the reader of scenes, which hands each on to here: its polygons, its groups
 * and its motion. The scene is kept, for names, poses and all that shapes refer to.
 */
#include "motion_read.h"

#include <stdlib.h>
#include <string.h>

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
    owned *owned; /**< one a body */
    size_t count;
};

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
    ovi_way_enter(r, "faces", 0);
    size_t used = 0;
    for (size_t i = 0; i < f->count; i++) {
        const json_t *face = json_array_get(list, i);
        size_t size = json_array_size(face);
        // no more than a file has bytes
        f->sizes[i] = (uint32_t)size;
        bool good = json_is_array(face);
        for (size_t k = 0; k < size && good; k++) {
            double v;
            good = ovi_get_numbers(json_array_get(face, k), &v, 1) && v >= 0.0 &&
                   v <= (double)UINT32_MAX && v == floor(v);
            f->corners[used++] = good ? (uint32_t)v : 0;
        }
        if (!good) {
            ovi_way_enter(r, NULL, i);
            return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT,
                                    "a face must be a list of indices of vertices");
        }
    }
    ovi_way_leave(r);
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
    ovi_way_enter(r, "faces", 0);
    if (wrong.place == OV_FAULT_PLACE_POLYGON) {
        ovi_way_enter(r, NULL, wrong.index);
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
            ovi_way_enter(r, "vertices", 0);
            ovi_way_enter(r, NULL, i);
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

/* ---- bodies ---------------------------------------------------------------------------------- */

/** "group" or "mask": 32 bits as a number. */
static ov_status read_bits(ovi_scene_reader *r, const json_t *body, const char *key,
                           uint32_t *bits) {
    const json_t *value = json_object_get(body, key);
    double v;
    if (value == NULL) {
        return OV_OK;
    }
    if (!ovi_get_numbers(value, &v, 1) || !(v >= 0.0 && v <= (double)UINT32_MAX) || v != floor(v)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT,
                                "'%s' must be a whole number from 0 to %lu", key,
                                (unsigned long)UINT32_MAX);
    }
    *bits = (uint32_t)v;
    return OV_OK;
}

/** "no_pairs": true or false. */
static ov_status read_no_pairs(ovi_scene_reader *r, const json_t *body, bool *no_pairs) {
    const json_t *value = json_object_get(body, "no_pairs");
    if (value != NULL && !json_is_boolean(value)) {
        return ovi_scene_refuse(r, "no_pairs", OV_ERROR_FILE_FORMAT,
                                "'no_pairs' must be true or false");
    }
    *no_pairs = json_is_true(value);
    return OV_OK;
}

static ov_status take_body(ovi_scene_reader *r, json_t *body) {
    ov_motion_scene *m = r->more->user;
    const ov_scene_body *b = ov_scene_get(r->scene, r->body);
    ov_sweep_body *s = &m->bodies[r->body];
    owned *o = &m->owned[r->body];
    *s = ov_default_sweep_body();
    s->pose = b->pose;
    ov_status status = read_bits(r, body, "group", &s->group);
    if (status == OV_OK) {
        status = read_bits(r, body, "mask", &s->mask);
    }
    if (status == OV_OK) {
        status = read_no_pairs(r, body, &s->no_pairs);
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
        status = ovi_motion_read(r, json_object_get(body, "motion"), m->start, m->end, &o->motion);
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
    if (time == NULL || !ovi_get_numbers(time, v, 2)) {
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
    const ovi_scene_more more = {m, begin, take_body};
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
