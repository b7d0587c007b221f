/**
 * @file scene_write.c
 * @brief Scenes as JSON text.
 *
 * The writer is not the JSON library's: a scene is a text that people edit, so it has a line for
 * each body and part, and numbers with the digits that they need to read back exactly.
 */
#include <stdlib.h>
#include <string.h>

#include "scene_internal.h"

/** Errors stay in the stream and are looked at when everything is written. */
void ovi_json_text(FILE *f, const char *text) {
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
    write_list(f, rotation, 4);
}

/** To the bit: a negative zero must read back as one. */
static bool is_identity(ov_pose pose) {
    ov_pose identity = ov_pose_identity();
    return memcmp(&pose, &identity, sizeof pose) == 0;
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
