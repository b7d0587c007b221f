/**
 * @file scene_read.c
 * @brief Scenes from JSON, by jansson.
 *
 * Strict: a key that is not known is an error, with the nearest one that is, since a misspelt key
 * that is passed over gives a wrong answer without a word. Every message has the line.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "io_internal.h"

enum { NESTING_MAX = 16, KEYS_MAX = 16 };

typedef struct reader {
    const char *text; /**< the whole file */
    size_t length;
    const char *folder;
    ov_file_error *error;
    ov_scene *scene;
    size_t body;                      /**< index of the body being read */
    char name[OV_SCENE_NAME_MAX + 1]; /**< its name */
} reader;

static const double pi = 3.14159265358979323846;

/* ---- messages -------------------------------------------------------------------------------- */

/** An error in the body being read, in the value of a key (null: of the body as a whole). */
__attribute__((format(printf, 4, 5))) static ov_status
refuse(reader *r, const char *key, ov_status status, const char *format, ...) {
    const ovi_json_step steps[] = {{"bodies", 0}, {NULL, r->body}, {key, 0}};
    char text[OV_FILE_ERROR_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    size_t line = ovi_json_line(r->text, r->length, steps, key != NULL ? 3 : 2);
    return ovi_file_error(r->error, status, line, "%s: %s", r->name, text);
}

/** An error outside the bodies. */
__attribute__((format(printf, 3, 4))) static ov_status refuse_scene(reader *r, const char *key,
                                                                    const char *format, ...) {
    const ovi_json_step steps[] = {{key, 0}};
    va_list values;
    va_start(values, format);
    size_t line = ovi_json_line(r->text, r->length, steps, key != NULL ? 1 : 0);
    (void)ovi_file_error_list(r->error, OV_ERROR_FILE_FORMAT, line, format, values);
    va_end(values);
    return OV_ERROR_FILE_FORMAT;
}

/** The first key of an object that is none of the known ones, or null. */
static const char *find_unknown(json_t *object, const char *const *known, size_t count) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (i < count && strcmp(key, known[i]) != 0) {
            i++;
        }
        if (i == count) {
            return key;
        }
    }
    return NULL;
}

/** "; did you mean 'taper'?", or the list of what is known. */
static void suggest(const char *word, const char *const *known, size_t count, char *text,
                    size_t size) {
    const char *near = ovi_nearest(word, known, count);
    if (near != NULL) {
        (void)snprintf(text, size, "did you mean '%s'?", near);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "known are:");
    for (size_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, " %s", known[i]);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/** Exactly `count` numbers; one may stand without brackets. */
static bool get_numbers(const json_t *value, double *out, int count) {
    if (count == 1 && json_is_number(value)) {
        out[0] = json_number_value(value);
        return true;
    }
    if (count == 1 || !json_is_array(value) || json_array_size(value) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const json_t *number = json_array_get(value, (size_t)i);
        if (!json_is_number(number)) {
            return false;
        }
        out[i] = json_number_value(number);
    }
    return true;
}

static bool get_points(const json_t *value, double *out, int count) {
    if (!json_is_array(value) || json_array_size(value) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!get_numbers(json_array_get(value, (size_t)i), out + 3 * i, 3)) {
            return false;
        }
    }
    return true;
}

/** The numbers of a shape from the keys of its kind. */
static ov_status read_groups(reader *r, const json_t *body, const ovi_form *form, double *v) {
    const char *kind = ov_shape_kind_name(form->kind);
    for (int i = 0; i < form->group_count; i++) {
        const ovi_group *g = &form->groups[i];
        const json_t *value = json_object_get(body, g->key);
        if (value == NULL) {
            return refuse(r, "kind", OV_ERROR_FILE_FORMAT, "a %s needs '%s'", kind, g->key);
        }
        if (g->points ? !get_points(value, v + g->first, g->count / 3)
                      : !get_numbers(value, v + g->first, g->count)) {
            return refuse(r, g->key, OV_ERROR_FILE_FORMAT,
                          g->points       ? "'%s' of a %s must be a list of %d points [x, y, z]"
                          : g->count == 1 ? "'%s' of a %s must be a number"
                                          : "'%s' of a %s must be a list of %d numbers",
                          g->key, kind, g->points ? g->count / 3 : g->count);
        }
    }
    return OV_OK;
}

/** The numbers of a shape from the object that `ovoid shape` prints. */
static ov_status read_parameters(reader *r, json_t *object, const ovi_form *form, double *v) {
    static const char key[] = "parameters";
    if (!json_is_object(object)) {
        return refuse(r, key, OV_ERROR_FILE_FORMAT, "'parameters' must be an object");
    }
    const char *unknown = find_unknown(object, form->names, (size_t)form->count);
    if (unknown != NULL) {
        char hint[160];
        suggest(unknown, form->names, (size_t)form->count, hint, sizeof hint);
        return refuse(r, key, OV_ERROR_FILE_FORMAT, "unknown parameter '%.40s'; %s", unknown, hint);
    }
    for (int i = 0; i < form->count; i++) {
        if (!get_numbers(json_object_get(object, form->names[i]), &v[i], 1)) {
            return refuse(r, key, OV_ERROR_FILE_FORMAT, "parameter '%s' must be a number",
                          form->names[i]);
        }
    }
    return OV_OK;
}

/* ---- polyhedra ------------------------------------------------------------------------------- */

/** A list of points from malloc, of any number. */
static ov_status read_vertices(reader *r, const json_t *list, ov_vec3 **points, size_t *count) {
    *count = json_array_size(list);
    *points = malloc((*count + 1) * sizeof **points);
    if (*points == NULL) {
        return refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double v[3];
        if (!get_numbers(json_array_get(list, i), v, 3)) {
            return refuse(r, "vertices", OV_ERROR_FILE_FORMAT,
                          "vertex %zu must be a list of 3 numbers", i);
        }
        (*points)[i] = ov_vec3_make(v[0], v[1], v[2]);
    }
    return OV_OK;
}

static ov_status read_triangles(reader *r, const json_t *list, uint32_t (**triangles)[3],
                                size_t *count) {
    *count = json_array_size(list);
    *triangles = malloc((*count + 1) * sizeof **triangles);
    if (*triangles == NULL) {
        return refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double v[3];
        bool good = get_numbers(json_array_get(list, i), v, 3);
        for (int k = 0; k < 3 && good; k++) {
            good = v[k] >= 0.0 && v[k] <= (double)UINT32_MAX && v[k] == floor(v[k]);
            (*triangles)[i][k] = good ? (uint32_t)v[k] : 0;
        }
        if (!good) {
            return refuse(r, "triangles", OV_ERROR_FILE_FORMAT,
                          "triangle %zu must be a list of 3 indices of vertices", i);
        }
    }
    return OV_OK;
}

static ov_status add_hull(reader *r, const char *key, const ov_vec3 *points, size_t count,
                          ov_pose pose) {
    ov_hull *hull = NULL;
    ov_shape shape;
    ov_status status = ov_hull_create(points, count, &hull);
    if (status == OV_OK) {
        status = ov_hull_shape(hull, &shape);
    }
    if (status == OV_OK) {
        status = ov_scene_add(r->scene, r->name, &shape, pose);
    }
    ov_hull_destroy(hull);
    return status == OV_OK ? status
                           : refuse(r, key, status, "convex hull of %zu point%s: %s", count,
                                    count == 1 ? "" : "s", ov_status_string(status));
}

static ov_status add_from_file(reader *r, const json_t *name, ov_pose pose) {
    const char *file = json_string_value(name);
    if (file == NULL || file[0] == '\0') {
        return refuse(r, "file", OV_ERROR_FILE_FORMAT, "'file' must be the name of a file");
    }
    size_t size = strlen(r->folder) + strlen(file) + 2, count = 0, line = 0;
    char *path = malloc(size);
    ov_vec3 *points = NULL;
    if (path == NULL) {
        return refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    bool absolute = file[0] == '/';
    (void)snprintf(path, size, "%s%s%s", absolute ? "" : r->folder, absolute ? "" : "/", file);
    ov_status status = ov_points_read(path, &points, &count, &line);
    if (status == OV_OK) {
        status = add_hull(r, "file", points, count, pose);
    } else if (line > 0) {
        status = refuse(r, "file", status, "%s:%zu: %s", path, line, ov_status_string(status));
    } else {
        status = refuse(r, "file", status, "%s: %s", path, ov_status_string(status));
    }
    ov_points_free(points);
    free(path);
    return status;
}

static ov_status add_from_lists(reader *r, const json_t *vertices, const json_t *triangles,
                                ov_pose pose) {
    ov_vec3 *points = NULL;
    uint32_t(*indices)[3] = NULL;
    size_t point_count = 0, index_count = 0;
    ov_status status = read_vertices(r, vertices, &points, &point_count);
    if (status == OV_OK && triangles == NULL) {
        status = add_hull(r, "vertices", points, point_count, pose);
    } else if (status == OV_OK) {
        status = read_triangles(r, triangles, &indices, &index_count);
        if (status == OV_OK) {
            ov_shape shape;
            const uint32_t(*given)[3] = index_count > 0 ? (const uint32_t(*)[3])indices : NULL;
            status = ov_shape_make_polyhedron(points, point_count, given, index_count, &shape);
            if (status == OV_OK) {
                status = ov_scene_add(r->scene, r->name, &shape, pose);
            }
            if (status != OV_OK) {
                (void)refuse(r, "vertices", status, "%s", ov_status_string(status));
            }
        }
    }
    free(points);
    free(indices);
    return status;
}

static ov_status add_polyhedron(reader *r, const json_t *body, ov_pose pose) {
    const json_t *vertices = json_object_get(body, "vertices");
    const json_t *triangles = json_object_get(body, "triangles");
    const json_t *file = json_object_get(body, "file");
    if ((vertices != NULL) == (file != NULL) || (triangles != NULL && vertices == NULL)) {
        return refuse(r, "kind", OV_ERROR_FILE_FORMAT,
                      "a polyhedron needs 'vertices' (and may have 'triangles'), or 'file'");
    }
    if (file != NULL) {
        return add_from_file(r, file, pose);
    }
    if (!json_is_array(vertices) || (triangles != NULL && !json_is_array(triangles))) {
        return refuse(r, json_is_array(vertices) ? "triangles" : "vertices", OV_ERROR_FILE_FORMAT,
                      "'%s' of a polyhedron must be a list",
                      json_is_array(vertices) ? "triangles" : "vertices");
    }
    return add_from_lists(r, vertices, triangles, pose);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static ov_status read_rotation(reader *r, json_t *value, ov_quat *q) {
    static const char *const keys[] = {"axis", "angle_deg"};
    double v[4], angle;
    if (json_is_object(value)) {
        const char *unknown = find_unknown(value, keys, 2);
        if (unknown != NULL) {
            char hint[80];
            suggest(unknown, keys, 2, hint, sizeof hint);
            return refuse(r, "rotation", OV_ERROR_FILE_FORMAT, "unknown key '%.40s'; %s", unknown,
                          hint);
        }
        if (!get_numbers(json_object_get(value, "axis"), v, 3) ||
            !get_numbers(json_object_get(value, "angle_deg"), &angle, 1)) {
            return refuse(r, "rotation", OV_ERROR_FILE_FORMAT,
                          "'rotation' needs 'axis', three numbers, and 'angle_deg', one");
        }
        if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0) {
            return refuse(r, "rotation", OV_ERROR_ZERO_DIRECTION, "the axis has no length");
        }
        // whole turns are taken off first, so that large angles lose nothing
        *q = ov_quat_from_axis_angle(ov_vec3_make(v[0], v[1], v[2]),
                                     fmod(angle, 720.0) * (pi / 180.0));
    } else if (get_numbers(value, v, 4)) {
        *q = (ov_quat){v[0], v[1], v[2], v[3]};
    } else {
        return refuse(r, "rotation", OV_ERROR_FILE_FORMAT,
                      "'rotation' must be a quaternion [w, x, y, z], or an object with 'axis' and "
                      "'angle_deg'");
    }
    ov_status status = ovi_rotation(*q, q);
    return status == OV_OK ? status : refuse(r, "rotation", status, "%s", ov_status_string(status));
}

static ov_status read_pose(reader *r, const json_t *body, ov_pose *pose) {
    json_t *position = json_object_get(body, "position");
    json_t *rotation = json_object_get(body, "rotation");
    double v[3];
    *pose = ov_pose_identity();
    if (position != NULL) {
        if (!get_numbers(position, v, 3)) {
            return refuse(r, "position", OV_ERROR_FILE_FORMAT,
                          "'position' must be a list of 3 numbers");
        }
        pose->position = ov_vec3_make(v[0], v[1], v[2]);
    }
    return rotation != NULL ? read_rotation(r, rotation, &pose->rotation) : OV_OK;
}

/** The key that a constructor's answer is most likely about. */
static const char *key_to_blame(const json_t *body, ov_status status) {
    static const char *const keys[] = {"radius",   "semi_axes", "half_extents",
                                       "vertices", "normal",    "parameters"};
    if (status == OV_ERROR_EXPONENT) {
        return "exponents";
    }
    if (status == OV_ERROR_TAPER || status == OV_ERROR_DENT) {
        return "taper";
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_object_get(body, keys[i]) != NULL) {
            return keys[i];
        }
    }
    return NULL;
}

static ov_status add_shape(reader *r, const json_t *body, const ovi_form *form, ov_pose pose) {
    double v[OVI_NUMBERS_MAX], dent = ov_default_shape_options().dent_tolerance;
    json_t *parameters = json_object_get(body, "parameters");
    const json_t *tolerance = json_object_get(body, "dent_tolerance");
    ov_status status = parameters != NULL ? read_parameters(r, parameters, form, v)
                                          : read_groups(r, body, form, v);
    if (status != OV_OK) {
        return status;
    }
    if (tolerance != NULL && (!get_numbers(tolerance, &dent, 1) || !(dent >= 0.0 && dent <= 1.0))) {
        return refuse(r, "dent_tolerance", OV_ERROR_FILE_FORMAT,
                      "'dent_tolerance' must be a number from 0 to 1");
    }
    ov_shape shape;
    status = ovi_form_make(form->kind, v, dent, &shape);
    if (status == OV_OK) {
        status = ov_scene_add(r->scene, r->name, &shape, pose);
    }
    return status == OV_OK
               ? status
               : refuse(r, key_to_blame(body, status), status, "%s", ov_status_string(status));
}

/** All keys that a body of this kind may have. */
static size_t known_keys(const ovi_form *form, bool parameters, const char **keys) {
    static const char *const always[] = {"name", "kind", "position", "rotation"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        keys[count++] = always[i];
    }
    if (form->kind == OV_SHAPE_SUPEROVOID) {
        keys[count++] = "dent_tolerance";
    }
    if (form->kind == OV_SHAPE_POLYHEDRON) {
        keys[count++] = "vertices";
        keys[count++] = "triangles";
        keys[count++] = "file";
        return count;
    }
    if (parameters) {
        keys[count++] = "parameters";
        return count;
    }
    for (int i = 0; i < form->group_count; i++) {
        keys[count++] = form->groups[i].key;
    }
    return count;
}

static ov_status find_form(reader *r, const json_t *body, const ovi_form **form) {
    const char *kind = json_string_value(json_object_get(body, "kind"));
    if (kind == NULL) {
        return refuse(r, "kind", OV_ERROR_FILE_FORMAT, "needs a 'kind', the name of one");
    }
    *form = ovi_form_named(kind);
    if (*form != NULL) {
        return OV_OK;
    }
    for (int k = OV_SHAPE_NONE + 1; k < OV_SHAPE_KIND_COUNT; k++) {
        if (strcmp(ov_shape_kind_name((ov_shape_kind)k), kind) == 0) {
            return refuse(r, "kind", OV_ERROR_UNSUPPORTED,
                          "a %s cannot be in a scene, which takes convex bodies", kind);
        }
    }
    const char *names[OV_SHAPE_KIND_COUNT];
    char hint[OV_FILE_ERROR_MAX];
    suggest(kind, names, ovi_form_names(names), hint, sizeof hint);
    return refuse(r, "kind", OV_ERROR_FILE_FORMAT, "unknown kind '%.40s'; %s", kind, hint);
}

/** The body's name, given or made. */
static ov_status read_name(reader *r, const json_t *body) {
    (void)snprintf(r->name, sizeof r->name, "body %zu", r->body + 1);
    if (!json_is_object(body)) {
        return refuse(r, NULL, OV_ERROR_FILE_FORMAT, "must be an object");
    }
    const json_t *value = json_object_get(body, "name");
    const char *name = json_string_value(value);
    if (value != NULL && (name == NULL || !ovi_is_name(name))) {
        return refuse(r, "name", OV_ERROR_FILE_FORMAT,
                      "'name' must be a text of 1 to %d bytes without control characters",
                      OV_SCENE_NAME_MAX);
    }
    if (name != NULL) {
        (void)snprintf(r->name, sizeof r->name, "%s", name);
    }
    size_t other = ovi_scene_find(r->scene, r->name);
    if (other > 0) {
        return refuse(r, "name", OV_ERROR_FILE_FORMAT, "this is already the name of body %zu",
                      other);
    }
    return OV_OK;
}

static ov_status read_body(reader *r, json_t *body) {
    const ovi_form *form = NULL;
    ov_pose pose;
    ov_status status = read_name(r, body);
    if (status == OV_OK) {
        status = find_form(r, body, &form);
    }
    if (status != OV_OK) {
        return status;
    }
    const char *keys[KEYS_MAX];
    size_t count = known_keys(form, json_object_get(body, "parameters") != NULL, keys);
    const char *unknown = find_unknown(body, keys, count);
    if (unknown != NULL) {
        char hint[160];
        suggest(unknown, keys, count, hint, sizeof hint);
        return refuse(r, unknown, OV_ERROR_FILE_FORMAT, "unknown key '%.40s' of a %s; %s", unknown,
                      ov_shape_kind_name(form->kind), hint);
    }
    status = read_pose(r, body, &pose);
    if (status != OV_OK) {
        return status;
    }
    return form->kind == OV_SHAPE_POLYHEDRON ? add_polyhedron(r, body, pose)
                                             : add_shape(r, body, form, pose);
}

/* ---- the scene ------------------------------------------------------------------------------- */

static ov_status read_root(reader *r, json_t *root) {
    static const char *const keys[] = {"bodies", "title"};
    if (!json_is_object(root)) {
        return refuse_scene(r, NULL, "a scene must be an object with a list of 'bodies'");
    }
    const char *unknown = find_unknown(root, keys, 2);
    if (unknown != NULL) {
        char hint[80];
        suggest(unknown, keys, 2, hint, sizeof hint);
        return refuse_scene(r, unknown, "unknown key '%.40s' of a scene; %s", unknown, hint);
    }
    const json_t *title = json_object_get(root, "title");
    const json_t *bodies = json_object_get(root, "bodies");
    if (!json_is_array(bodies)) {
        return refuse_scene(r, "bodies", "a scene needs 'bodies', a list");
    }
    if (title != NULL && (!json_is_string(title) || (json_string_value(title)[0] != '\0' &&
                                                     !ovi_is_name(json_string_value(title))))) {
        return refuse_scene(r, "title",
                            "'title' must be a text of up to %d bytes without control characters",
                            OV_SCENE_NAME_MAX);
    }
    size_t count = json_array_size(bodies);
    if (count > OV_SCENE_BODIES_MAX) {
        (void)refuse_scene(r, "bodies", "%zu bodies are more than %zu", count, OV_SCENE_BODIES_MAX);
        return OV_ERROR_COUNT;
    }
    ov_status status = ov_scene_create(json_string_value(title), &r->scene);
    if (status != OV_OK) {
        return ovi_file_error(r->error, status, 0, "%s", ov_status_string(status));
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        r->body = i;
        status = read_body(r, json_array_get(bodies, i));
    }
    return status;
}

static ov_status parse(reader *r) {
    size_t deep = ovi_json_too_deep(r->text, r->length, NESTING_MAX);
    if (deep > 0) {
        return ovi_file_error(r->error, OV_ERROR_FILE_FORMAT, deep,
                              "nested deeper than %d brackets", NESTING_MAX);
    }
    json_error_t wrong;
    json_t *root =
        json_loadb(r->text, r->length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
    if (root == NULL) {
        bool memory = json_error_code(&wrong) == json_error_out_of_memory;
        size_t line = wrong.line > 0 ? (size_t)wrong.line : 0;
        return ovi_file_error(r->error, memory ? OV_ERROR_MEMORY : OV_ERROR_FILE_FORMAT, line, "%s",
                              r->length == 0 ? "empty, where a scene should be" : wrong.text);
    }
    ov_status status = read_root(r, root);
    json_decref(root);
    return status;
}

/** The whole stream, up to the limit and one byte more. */
static char *read_all(FILE *stream, size_t *length) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    *length = 0;
    while (text != NULL) {
        *length += fread(text + *length, 1, room - *length, stream);
        if (*length < room || *length > OV_SCENE_BYTES_MAX) {
            return text;
        }
        char *more = realloc(text, 2 * room);
        if (more == NULL) {
            free(text);
        }
        text = more;
        room *= 2;
    }
    return NULL;
}

ov_status ov_scene_read_stream(FILE *stream, const char *folder, ov_scene **scene,
                               ov_file_error *error) {
    if (error != NULL) {
        *error = (ov_file_error){0, ""};
    }
    if (scene != NULL) {
        *scene = NULL;
    }
    if (stream == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    reader r = {.folder = folder != NULL ? folder : ".", .error = error};
    ovi_locale locale;
    char *text = read_all(stream, &r.length);
    if (text == NULL || !ovi_locale_enter(&locale)) {
        free(text);
        return ovi_file_error(error, OV_ERROR_MEMORY, 0, "out of memory");
    }
    // a byte order mark may stand before the text
    bool mark = r.length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    r.text = mark ? text + 3 : text;
    r.length -= mark ? 3 : 0;
    ov_status status;
    if (ferror(stream)) {
        status = ovi_file_error(error, OV_ERROR_FILE_READ, 0, "cannot be read");
    } else if (r.length > OV_SCENE_BYTES_MAX) {
        status =
            ovi_file_error(error, OV_ERROR_COUNT, 0, "longer than %zu bytes", OV_SCENE_BYTES_MAX);
    } else {
        status = parse(&r);
    }
    ovi_locale_leave(&locale);
    free(text);
    if (status != OV_OK) {
        ov_scene_destroy(r.scene);
    } else {
        *scene = r.scene;
    }
    return status;
}

ov_status ov_scene_read(const char *path, ov_scene **scene, ov_file_error *error) {
    FILE *stream = path == NULL || scene == NULL ? NULL : fopen(path, "rb");
    char *folder = NULL;
    if (stream != NULL) {
        const char *slash = strrchr(path, '/');
        size_t length = slash == NULL ? 0 : (size_t)(slash - path);
        folder = malloc(length + 2);
        if (folder != NULL) {
            // "/scene.json" lies in "/", "scene.json" in "."
            (void)snprintf(folder, length + 2, "%.*s", (int)length, path);
            if (slash == NULL) {
                (void)snprintf(folder, length + 2, ".");
            }
        }
    }
    ov_status status = ov_scene_read_stream(folder != NULL ? stream : NULL, folder, scene, error);
    if (stream == NULL && path != NULL && scene != NULL) {
        status = ovi_file_error(error, OV_ERROR_FILE_OPEN, 0, "cannot be opened");
    } else if (stream != NULL && folder == NULL) {
        status = ovi_file_error(error, OV_ERROR_MEMORY, 0, "out of memory");
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    free(folder);
    return status;
}
