/**
 * @file scene.c
 * @brief Scenes: named bodies with poses, and all that these refer to, kept; and as JSON text.
 *
 * A body's parts stand in an array of their own, which never moves: callers keep pointers to them.
 *
 * The writer is not the JSON library's: a scene is a text that people edit, so it has a line for
 * each body and part, and numbers with the digits that they need to read back exactly.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_internal.h"

typedef struct owned {
    char name[OV_SCENE_NAME_MAX + 1];
    ovi_parts parts;
} owned;

struct ov_scene {
    char title[OV_SCENE_NAME_MAX + 1];
    ov_scene_body *bodies;
    owned **owned;   /**< one per body; does not move when the arrays grow */
    uint32_t *names; /**< table of bodies by the hash of their names, from 1; 0: free */
    size_t count, room, name_room;
    char **files; /**< that it was read from */
    size_t file_count;
};

/* ---- parts ----------------------------------------------------------------------------------- */

/** Room for one more part. */
static ov_status make_room(ovi_parts *list) {
    if (list->count == OVI_SCENE_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    if (list->count < list->room) {
        return OV_OK;
    }
    // most bodies have one part
    size_t room = list->room == 0 ? 1 : 2 * list->room;
    ov_part *parts = realloc(list->parts, room * sizeof *parts);
    list->parts = parts != NULL ? parts : list->parts;
    ovi_arrays *arrays = realloc(list->arrays, room * sizeof *arrays);
    list->arrays = arrays != NULL ? arrays : list->arrays;
    if (parts == NULL || arrays == NULL) {
        return OV_ERROR_MEMORY;
    }
    list->room = room;
    return OV_OK;
}

ov_status ovi_parts_add(ovi_parts *list, const ov_shape *shape, ov_pose pose) {
    if (ovi_form_of(shape->kind) == NULL) {
        return OV_ERROR_UNSUPPORTED;
    }
    ov_status status = make_room(list);
    if (status != OV_OK) {
        return status;
    }
    ov_part *part = &list->parts[list->count];
    part->mesh = NULL;
    part->pose = pose;
    if (!ovi_shape_copy(shape, &part->shape, &list->arrays[list->count])) {
        return OV_ERROR_MEMORY;
    }
    list->count++;
    return OV_OK;
}

ov_status ovi_parts_take(ovi_parts *list, ov_trimesh *mesh, ov_pose pose) {
    ov_status status = make_room(list);
    if (status != OV_OK) {
        ov_trimesh_destroy(mesh);
        return status;
    }
    ov_part *part = &list->parts[list->count];
    memset(part, 0, sizeof *part);
    part->mesh = mesh;
    part->pose = pose;
    list->arrays[list->count++] = (ovi_arrays){NULL, NULL, NULL};
    return OV_OK;
}

void ovi_parts_free(ovi_parts *list) {
    for (size_t i = 0; i < list->count; i++) {
        ovi_arrays_free(&list->arrays[i]);
        // the list's own: only its users see it as constant
        ov_trimesh_destroy((ov_trimesh *)(uintptr_t)list->parts[i].mesh);
    }
    free(list->parts);
    free(list->arrays);
    *list = (ovi_parts){NULL, NULL, 0, 0};
}

/* ---- keeping --------------------------------------------------------------------------------- */

ov_status ov_scene_create(const char *title, ov_scene **scene) {
    if (scene == NULL) {
        return OV_ERROR_NULL;
    }
    *scene = NULL;
    if (title != NULL && title[0] != '\0' && !ovi_is_name(title)) {
        return OV_ERROR_NAME;
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

void ov_scene_destroy(ov_scene *scene) {
    if (scene == NULL) {
        return;
    }
    for (size_t i = 0; i < scene->count; i++) {
        ovi_parts_free(&scene->owned[i]->parts);
        free(scene->owned[i]);
    }
    free(scene->bodies);
    free(scene->owned);
    free(scene->names);
    for (size_t i = 0; i < scene->file_count; i++) {
        free(scene->files[i]);
    }
    free(scene->files);
    free(scene);
}

bool ovi_scene_take_file(ov_scene *scene, char *path) {
    char **files = ovi_grow(scene->files, scene->file_count, sizeof *files);
    if (files == NULL) {
        free(path);
        return false;
    }
    scene->files = files;
    files[scene->file_count++] = path;
    return true;
}

size_t ov_scene_file_count(const ov_scene *scene) { return scene != NULL ? scene->file_count : 0; }

const char *ov_scene_file(const ov_scene *scene, size_t index) {
    return index < ov_scene_file_count(scene) ? scene->files[index] : NULL;
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

ov_status ovi_scene_take(ov_scene *scene, const char *name, ovi_parts *list, ov_pose pose) {
    if (!ovi_is_name(name)) {
        return OV_ERROR_NAME;
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
        return OV_ERROR_NAME;
    }
    owned *o = calloc(1, sizeof *o);
    if (o == NULL) {
        return OV_ERROR_MEMORY;
    }
    memcpy(o->name, name, strlen(name) + 1);
    o->parts = *list;
    *list = (ovi_parts){NULL, NULL, 0, 0};
    scene->bodies[scene->count] = (ov_scene_body){o->name, pose, o->parts.parts, o->parts.count};
    scene->owned[scene->count] = o;
    scene->names[slot] = (uint32_t)++scene->count;
    return OV_OK;
}

/** Adds a copy of a part, with its pose checked and made a unit. */
static ov_status copy_part(ovi_parts *list, const ov_part *part) {
    ov_pose pose = ov_pose_default(part->pose);
    if (!ov_vec3_is_finite(pose.position)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_status status = ovi_rotation(pose.rotation, &pose.rotation);
    if (status != OV_OK || part->mesh == NULL) {
        return status == OV_OK ? ovi_parts_add(list, &part->shape, pose) : status;
    }
    ov_trimesh *mesh = NULL;
    bool surface = ov_trimesh_is_surface(part->mesh);
    status = (surface ? ov_trimesh_create_surface : ov_trimesh_create)(
        ov_trimesh_vertices(part->mesh), ov_trimesh_vertex_count(part->mesh),
        ov_trimesh_triangles(part->mesh), ov_trimesh_triangle_count(part->mesh), NULL, &mesh);
    return status == OV_OK ? ovi_parts_take(list, mesh, pose) : status;
}

ov_status ov_scene_add_body(ov_scene *scene, const char *name, const ov_part *parts, size_t count,
                            ov_pose pose) {
    ovi_parts list = {NULL, NULL, 0, 0};
    ov_status status = OV_OK;
    if (scene == NULL || name == NULL || parts == NULL) {
        return OV_ERROR_NULL;
    }
    if (count == 0 || count > OVI_SCENE_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        status = copy_part(&list, &parts[i]);
    }
    if (status == OV_OK) {
        status = ovi_scene_take(scene, name, &list, pose);
    }
    ovi_parts_free(&list);
    return status;
}

ov_status ov_scene_add(ov_scene *scene, const char *name, const ov_shape *shape, ov_pose pose) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_part part = {*shape, NULL, ov_pose_identity()};
    return ov_scene_add_body(scene, name, &part, 1, pose);
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

static void write_point(FILE *f, ov_vec3 p) {
    double v[3] = {p.x, p.y, p.z};
    ovi_json_numbers(f, v, 3);
}

static void write_surface(FILE *f, const ov_vec3 *vertices, size_t vertex_count,
                          const uint32_t (*triangles)[3], size_t triangle_count) {
    (void)fputs(",\n     \"vertices\": [", f);
    for (size_t i = 0; i < vertex_count; i++) {
        (void)fputs(i > 0 ? ", " : "", f);
        write_point(f, vertices[i]);
    }
    (void)fputs("],\n     \"triangles\": [", f);
    for (size_t i = 0; i < triangle_count; i++) {
        const uint32_t *t = triangles[i];
        (void)fprintf(f, "%s[%lu, %lu, %lu]", i > 0 ? ", " : "", (unsigned long)t[0],
                      (unsigned long)t[1], (unsigned long)t[2]);
    }
    (void)fputc(']', f);
}

static void write_shape(FILE *f, const ov_shape *s) {
    const ovi_form *form = ovi_form_of(s->kind);
    double v[OVI_NUMBERS_MAX];
    ovi_shape_numbers(s, v);
    for (int i = 0; i < form->group_count; i++) {
        const ovi_group *g = &form->groups[i];
        (void)fprintf(f, ", \"%s\": ", g->key);
        if (g->points) {
            (void)fputc('[', f);
            for (int k = 0; k < g->count; k += 3) {
                (void)fputs(k > 0 ? ", " : "", f);
                ovi_json_numbers(f, v + g->first + k, 3);
            }
            (void)fputc(']', f);
        } else if (g->count == 1) {
            ovi_number_write(f, v[g->first]);
        } else {
            ovi_json_numbers(f, v + g->first, g->count);
        }
    }
    // the reader's own tolerance may be too small; the dent itself is known to a few per cent
    double least = fmin(s->a.x, fmin(s->a.y, s->a.z));
    if (s->kind == OV_SHAPE_KIND_SUPEROVOID &&
        s->dent > 0.8 * ov_default_shape_options().dent_tolerance * least) {
        (void)fputs(", \"dent_tolerance\": 1", f);
    }
}

/** Kind and keys of a shape or mesh, without its pose. */
static void write_part(FILE *f, const ov_part *part) {
    const ov_shape *s = &part->shape;
    (void)fprintf(f, "\"kind\": \"%s\"",
                  part->mesh != NULL ? OVI_KIND_MESH : ov_shape_kind_name(s->kind));
    if (part->mesh != NULL) {
        write_surface(f, ov_trimesh_vertices(part->mesh), ov_trimesh_vertex_count(part->mesh),
                      ov_trimesh_triangles(part->mesh), ov_trimesh_triangle_count(part->mesh));
        (void)fputs(ov_trimesh_is_surface(part->mesh) ? ", \"surface\": true" : "", f);
    } else if (s->kind == OV_SHAPE_KIND_POLYHEDRON) {
        write_surface(f, s->u.polyhedron.vertices, s->u.polyhedron.vertex_count,
                      s->u.polyhedron.triangles, s->u.polyhedron.triangle_count);
    } else {
        write_shape(f, s);
    }
}

static void write_pose(FILE *f, ov_pose pose) {
    double rotation[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    (void)fputs(",\n     \"position\": ", f);
    write_point(f, pose.position);
    (void)fputs(", \"rotation\": ", f);
    ovi_json_numbers(f, rotation, 4);
}

static bool is_identity(ov_pose pose) {
    ov_vec3 p = pose.position;
    ov_quat q = pose.rotation;
    return p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.w == 1.0 && q.x == 0.0 && q.y == 0.0 &&
           q.z == 0.0;
}

static void write_body(FILE *f, const ov_scene_body *b) {
    (void)fputs("    {\"name\": ", f);
    ovi_json_text(f, b->name);
    (void)fputs(", ", f);
    if (b->part_count == 1 && is_identity(b->parts[0].pose)) {
        write_part(f, &b->parts[0]);
    } else {
        (void)fputs("\"kind\": \"" OVI_KIND_COMPOUND "\", \"parts\": [", f);
        for (size_t i = 0; i < b->part_count && !ferror(f); i++) {
            (void)fputs(i > 0 ? ",\n      {" : "\n      {", f);
            write_part(f, &b->parts[i]);
            write_pose(f, b->parts[i].pose);
            (void)fputc('}', f);
        }
        (void)fputc(']', f);
    }
    write_pose(f, b->pose);
    (void)fputc('}', f);
}

static bool write_scene(FILE *f, const void *what) {
    const ov_scene *s = what;
    (void)fprintf(f, "{\n  \"ovoid\": %d,\n", OV_SCENE_VERSION);
    if (ov_scene_title(s)[0] != '\0') {
        (void)fputs("  \"title\": ", f);
        ovi_json_text(f, ov_scene_title(s));
        (void)fputs(",\n", f);
    }
    (void)fputs("  \"bodies\": [", f);
    for (size_t i = 0; i < ov_scene_count(s) && !ferror(f); i++) {
        (void)fputs(i > 0 ? ",\n" : "\n", f);
        write_body(f, ov_scene_get(s, i));
    }
    (void)fputs("\n  ]\n}\n", f);
    return !ferror(f);
}

ov_status ov_scene_write(const char *path, const ov_scene *scene) {
    if (path == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_file_write(path, NULL, write_scene, scene);
}

ov_status ov_scene_write_stream(FILE *stream, const ov_scene *scene) {
    if (stream == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_stream_write(stream, write_scene, scene);
}
