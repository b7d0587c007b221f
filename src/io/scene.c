/**
 * @file scene.c
 * @brief Scenes: named bodies with poses, kept and written.
 *
 * The writer is not the JSON library's: a scene is a text that people edit, so it has a line for
 * each body, and numbers with the digits that they need to read back exactly.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

typedef struct owned {
    char name[OV_SCENE_NAME_MAX + 1];
    ovi_arrays arrays;
} owned;

struct ov_scene {
    char title[OV_SCENE_NAME_MAX + 1];
    ov_scene_body *bodies;
    owned **owned;   /**< one a body; does not move when the arrays grow */
    uint32_t *names; /**< table of bodies by the hash of their names, from 1; 0: free */
    size_t count, room, name_room;
};

/* ---- keeping --------------------------------------------------------------------------------- */

ov_status ov_scene_create(const char *title, ov_scene **scene) {
    if (scene == NULL) {
        return OV_ERROR_NULL;
    }
    *scene = NULL;
    if (title != NULL && title[0] != '\0' && !ovi_is_name(title)) {
        return OV_ERROR_FILE_FORMAT;
    }
    ov_scene *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return OV_ERROR_MEMORY;
    }
    if (title != NULL) {
        memcpy(s->title, title, strlen(title) + 1);
    }
    *scene = s;
    return OV_OK;
}

static void free_owned(owned *o) {
    if (o != NULL) {
        free(o->arrays.vertices);
        free(o->arrays.triangles);
        free(o);
    }
}

void ov_scene_destroy(ov_scene *scene) {
    if (scene == NULL) {
        return;
    }
    for (size_t i = 0; i < scene->count; i++) {
        free_owned(scene->owned[i]);
    }
    free(scene->bodies);
    free(scene->owned);
    free(scene->names);
    free(scene);
}

/** Place of a name in the table: where it is, or where it would go. */
static size_t name_slot(const ov_scene *s, const char *name) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    size_t slot = (size_t)(hash ^ hash >> 32) & (s->name_room - 1);
    while (s->names[slot] != 0 && strcmp(s->owned[s->names[slot] - 1]->name, name) != 0) {
        slot = (slot + 1) & (s->name_room - 1);
    }
    return slot;
}

/** Room for one more body; the table of names stays half empty. */
static bool grow(ov_scene *s) {
    if (s->count < s->room) {
        return true;
    }
    size_t room = s->room == 0 ? 16 : 2 * s->room;
    ov_scene_body *bodies = realloc(s->bodies, room * sizeof *bodies);
    s->bodies = bodies != NULL ? bodies : s->bodies;
    owned **kept = realloc(s->owned, room * sizeof *kept);
    s->owned = kept != NULL ? kept : s->owned;
    uint32_t *names = calloc(2 * room, sizeof *names);
    if (bodies == NULL || kept == NULL || names == NULL) {
        free(names);
        return false;
    }
    free(s->names);
    s->names = names;
    s->name_room = 2 * room;
    s->room = room;
    for (size_t i = 0; i < s->count; i++) {
        s->names[name_slot(s, s->owned[i]->name)] = (uint32_t)(i + 1);
    }
    return true;
}

ov_status ov_scene_add(ov_scene *scene, const char *name, const ov_shape *shape, ov_pose pose) {
    if (scene == NULL || name == NULL || shape == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_is_name(name)) {
        return OV_ERROR_FILE_FORMAT;
    }
    if (ovi_form_of(shape->kind) == NULL) {
        return OV_ERROR_UNSUPPORTED;
    }
    if (!ov_vec3_is_finite(pose.position)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ovi_rotation(pose.rotation, &pose.rotation);
    if (status != OV_OK) {
        return status;
    }
    if (scene->count == OV_SCENE_BODIES_MAX) {
        return OV_ERROR_COUNT;
    }
    if (!grow(scene)) {
        return OV_ERROR_MEMORY;
    }
    size_t slot = name_slot(scene, name);
    if (scene->names[slot] != 0) {
        return OV_ERROR_FILE_FORMAT;
    }
    ov_scene_body *body = &scene->bodies[scene->count];
    owned *o = calloc(1, sizeof *o);
    if (o == NULL || !ovi_shape_copy(shape, &body->shape, &o->arrays)) {
        free(o);
        return OV_ERROR_MEMORY;
    }
    memcpy(o->name, name, strlen(name) + 1);
    body->name = o->name;
    body->pose = pose;
    scene->owned[scene->count] = o;
    scene->names[slot] = (uint32_t)++scene->count;
    return OV_OK;
}

const char *ov_scene_title(const ov_scene *scene) { return scene != NULL ? scene->title : ""; }

size_t ov_scene_count(const ov_scene *scene) { return scene != NULL ? scene->count : 0; }

const ov_scene_body *ov_scene_get(const ov_scene *scene, size_t index) {
    return index < ov_scene_count(scene) ? &scene->bodies[index] : NULL;
}

size_t ovi_scene_find(const ov_scene *scene, const char *name) {
    return scene->count > 0 ? scene->names[name_slot(scene, name)] : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/** Errors stay in the stream and are looked at when everything is written. */
static void write_text(FILE *f, const char *text) {
    (void)fputc('"', f);
    for (const char *s = text; *s != '\0'; s++) {
        // names hold no control characters: these two are all that must be escaped
        if (*s == '"' || *s == '\\') {
            (void)fputc('\\', f);
        }
        (void)fputc(*s, f);
    }
    (void)fputc('"', f);
}

static void write_list(FILE *f, const double *v, int count) {
    for (int i = 0; i < count; i++) {
        (void)fprintf(f, "%s%.17g", i > 0 ? ", " : "[", v[i]);
    }
    (void)fputc(']', f);
}

static void write_point(FILE *f, ov_vec3 p) {
    double v[3] = {p.x, p.y, p.z};
    write_list(f, v, 3);
}

static void write_polyhedron(FILE *f, const ov_shape *s) {
    (void)fputs(",\n     \"vertices\": [", f);
    for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
        (void)fputs(i > 0 ? ", " : "", f);
        write_point(f, s->u.polyhedron.vertices[i]);
    }
    (void)fputs("],\n     \"triangles\": [", f);
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        const uint32_t *t = s->u.polyhedron.triangles[i];
        (void)fprintf(f, "%s[%lu, %lu, %lu]", i > 0 ? ", " : "", (unsigned long)t[0],
                      (unsigned long)t[1], (unsigned long)t[2]);
    }
    (void)fputc(']', f);
}

static void write_shape(FILE *f, const ov_shape *s) {
    const ovi_form *form = ovi_form_of(s->kind);
    double v[OVI_NUMBERS_MAX] = {0.0};
    ovi_form_numbers(s, v);
    for (int i = 0; i < form->group_count; i++) {
        const ovi_group *g = &form->groups[i];
        (void)fprintf(f, ", \"%s\": ", g->key);
        if (g->points) {
            (void)fputc('[', f);
            for (int k = 0; k < g->count; k += 3) {
                (void)fputs(k > 0 ? ", " : "", f);
                write_list(f, v + g->first + k, 3);
            }
            (void)fputc(']', f);
        } else if (g->count == 1) {
            (void)fprintf(f, "%.17g", v[g->first]);
        } else {
            write_list(f, v + g->first, g->count);
        }
    }
    // the reader's own tolerance may be too small; the dent itself is known to a few per cent
    double least = fmin(s->a.x, fmin(s->a.y, s->a.z));
    if (s->kind == OV_SHAPE_SUPEROVOID &&
        s->dent > 0.8 * ov_default_shape_options().dent_tolerance * least) {
        (void)fputs(", \"dent_tolerance\": 1", f);
    }
}

static void write_body(FILE *f, const ov_scene_body *b) {
    ov_quat q = b->pose.rotation;
    double rotation[4] = {q.w, q.x, q.y, q.z};
    (void)fputs("    {\"name\": ", f);
    write_text(f, b->name);
    (void)fprintf(f, ", \"kind\": \"%s\"", ov_shape_kind_name(b->shape.kind));
    if (b->shape.kind == OV_SHAPE_POLYHEDRON) {
        write_polyhedron(f, &b->shape);
    } else {
        write_shape(f, &b->shape);
    }
    (void)fputs(",\n     \"position\": ", f);
    write_point(f, b->pose.position);
    (void)fputs(", \"rotation\": ", f);
    write_list(f, rotation, 4);
    (void)fputc('}', f);
}

static bool write_scene(FILE *f, const void *what) {
    const ov_scene *s = what;
    (void)fputs("{\n", f);
    if (s->title[0] != '\0') {
        (void)fputs("  \"title\": ", f);
        write_text(f, s->title);
        (void)fputs(",\n", f);
    }
    (void)fputs("  \"bodies\": [", f);
    for (size_t i = 0; i < s->count && !ferror(f); i++) {
        (void)fputs(i > 0 ? ",\n" : "\n", f);
        write_body(f, &s->bodies[i]);
    }
    (void)fputs("\n  ]\n}\n", f);
    return !ferror(f);
}

ov_status ov_scene_write(const char *path, const ov_scene *scene) {
    if (path == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_file_write(path, write_scene, scene);
}

ov_status ov_scene_write_stream(FILE *stream, const ov_scene *scene) {
    if (stream == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_stream_write(stream, write_scene, scene);
}
