/**
 * @file scene_read.c
 * @brief Scenes from JSON, by jansson: the scene, its bodies and their parts.
 *
 * Strict: a key that is not known is an error, with the nearest one that is, since a misspelt key
 * that is passed over gives a wrong answer without a word. Every message has the line. A scene in
 * motion is read here as well: what it has besides is handed to its own reader (motion_read.c).
 */
#include <stdlib.h>
#include <string.h>

#include "scene_internal.h"

enum { NESTING_MAX = 16, KEYS_MAX = 16 };

static const double pi = 3.14159265358979323846;

/* ---- messages -------------------------------------------------------------------------------- */

/** A way inside a body as text: ": motion.keys.times[3]". */
static void write_way(const ovi_json_step *steps, size_t count, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, ": ");
    for (size_t i = 0; i < count && used < size; i++) {
        const char *key = steps[i].key;
        used +=
            (size_t)(key != NULL ? snprintf(text + used, size - used, "%s%s", i > 0 ? "." : "", key)
                                 : snprintf(text + used, size - used, "[%zu]", steps[i].index));
    }
}

ov_status ovi_scene_refuse(ovi_scene_reader *r, const char *key, ov_status status,
                           const char *format, ...) {
    ovi_json_step steps[OVI_WAY_MAX + 5] = {{"bodies", 0}, {NULL, r->body}};
    size_t count = 2;
    char text[OV_FAULT_TEXT_MAX], part[OV_FAULT_TEXT_MAX] = "";
    if (r->in_part) {
        steps[count++] = (ovi_json_step){"parts", 0};
        steps[count++] = (ovi_json_step){NULL, r->part};
        (void)snprintf(part, sizeof part, ", part %zu", r->part + 1);
    }
    for (size_t i = 0; i < r->way_count; i++) {
        steps[count++] = r->way[i];
    }
    if (key != NULL) {
        steps[count++] = (ovi_json_step){key, 0};
    }
    if (r->way_count > 0) {
        write_way(steps + 2, count - 2, part, sizeof part);
    }
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    size_t line = ovi_json_line(r->text, r->length, steps, count);
    return ovi_file_fault(r->fault, status, line, "%s%s: %s", r->name, part, text);
}

ov_status ovi_scene_refuse_file(ovi_scene_reader *r, const char *key, const char *format, ...) {
    const ovi_json_step steps[] = {{key, 0}};
    va_list values;
    va_start(values, format);
    size_t line = ovi_json_line(r->text, r->length, steps, key != NULL ? 1 : 0);
    (void)ovi_file_fault_list(r->fault, OV_ERROR_FILE_FORMAT, line, format, values);
    va_end(values);
    return OV_ERROR_FILE_FORMAT;
}

const char *ovi_find_unknown(json_t *object, const char *const *known, size_t count) {
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

void ovi_suggest(const char *word, const char *const *known, size_t count, char *text,
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

bool ovi_get_numbers(const json_t *value, double *out, int count) {
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

/* ---- bodies ---------------------------------------------------------------------------------- */

static ov_status read_rotation(ovi_scene_reader *r, json_t *value, ov_quat *q) {
    static const char *const keys[] = {"axis", "angle_deg"};
    double v[4], angle;
    if (json_is_object(value)) {
        const char *unknown = ovi_find_unknown(value, keys, 2);
        if (unknown != NULL) {
            char hint[80];
            ovi_suggest(unknown, keys, 2, hint, sizeof hint);
            return ovi_scene_refuse(r, "rotation", OV_ERROR_FILE_FORMAT, "unknown key '%.40s'; %s",
                                    unknown, hint);
        }
        if (!ovi_get_numbers(json_object_get(value, "axis"), v, 3) ||
            !ovi_get_numbers(json_object_get(value, "angle_deg"), &angle, 1)) {
            return ovi_scene_refuse(r, "rotation", OV_ERROR_FILE_FORMAT,
                                    "'rotation' needs 'axis', three numbers, and 'angle_deg', one");
        }
        if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0) {
            return ovi_scene_refuse(r, "rotation", OV_ERROR_ZERO_DIRECTION,
                                    "the axis has no length");
        }
        // whole turns are taken off first, so that large angles lose nothing
        *q = ov_quat_from_axis_angle(ov_vec3_make(v[0], v[1], v[2]),
                                     fmod(angle, 720.0) * (pi / 180.0));
    } else if (ovi_get_numbers(value, v, 4)) {
        *q = (ov_quat){v[0], v[1], v[2], v[3]};
    } else {
        return ovi_scene_refuse(
            r, "rotation", OV_ERROR_FILE_FORMAT,
            "'rotation' must be a quaternion [w, x, y, z], or an object with 'axis' and "
            "'angle_deg'");
    }
    ov_status status = ovi_rotation(*q, q);
    return status == OV_OK
               ? status
               : ovi_scene_refuse(r, "rotation", status, "%s", ov_status_message(status));
}

ov_status ovi_scene_read_pose(ovi_scene_reader *r, const json_t *object, ov_pose *pose) {
    json_t *position = json_object_get(object, "position");
    json_t *rotation = json_object_get(object, "rotation");
    double v[3];
    *pose = ov_pose_identity();
    if (position != NULL) {
        if (!ovi_get_numbers(position, v, 3)) {
            return ovi_scene_refuse(r, "position", OV_ERROR_FILE_FORMAT,
                                    "'position' must be a list of 3 numbers");
        }
        pose->position = ov_vec3_make(v[0], v[1], v[2]);
    }
    return rotation != NULL ? read_rotation(r, rotation, &pose->rotation) : OV_OK;
}

/** What a body or part is: a shape of a form, or without one a mesh, several parts or polygons. */
typedef struct kind {
    const char *name;
    const ovi_form *form;
    bool compound, polygons;
} kind;

/** All keys that an object of this kind may have. */
static size_t known_keys(const ovi_scene_reader *r, const kind *k, bool parameters,
                         const char **keys) {
    // parts have no names
    static const char *const always[] = {"name",   "kind",  "position", "rotation",
                                         "motion", "group", "mask",     "no_pairs"};
    size_t count = 0, last = r->more != NULL && !r->in_part ? 8 : 4;
    for (size_t i = r->in_part ? 1 : 0; i < last; i++) {
        keys[count++] = always[i];
    }
    if (k->polygons) {
        keys[count++] = "vertices";
        keys[count++] = "faces";
        return count;
    }
    if (k->compound) {
        keys[count++] = "parts";
        return count;
    }
    if (k->form == NULL || k->form->kind == OV_SHAPE_KIND_POLYHEDRON) {
        keys[count++] = "vertices";
        keys[count++] = "triangles";
        keys[count++] = "file";
        if (k->form == NULL) {
            keys[count++] = "scale";
            keys[count++] = "surface";
        }
        return count;
    }
    if (k->form->kind == OV_SHAPE_KIND_SUPEROVOID) {
        keys[count++] = "dent_tolerance";
    }
    if (parameters) {
        keys[count++] = "parameters";
        return count;
    }
    for (int i = 0; i < k->form->group_count; i++) {
        keys[count++] = k->form->groups[i].key;
    }
    return count;
}

static ov_status find_kind(ovi_scene_reader *r, const json_t *object, kind *k) {
    const char *name = json_string_value(json_object_get(object, "kind"));
    if (name == NULL) {
        return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT, "needs a 'kind', the name of one");
    }
    bool mesh = strcmp(name, OVI_KIND_MESH) == 0, compound = strcmp(name, OVI_KIND_COMPOUND) == 0;
    if (compound && r->in_part) {
        return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT,
                                "a part cannot be a compound itself");
    }
    bool polygons = r->more != NULL && !r->in_part && strcmp(name, OVI_KIND_POLYGONS) == 0;
    *k = (kind){name, ovi_form_named(name), compound, polygons};
    if (k->form != NULL || mesh || compound || polygons) {
        return OV_OK;
    }
    if (ov_shape_kind_from_name(name) != OV_SHAPE_KIND_NONE) {
        return ovi_scene_refuse(r, "kind", OV_ERROR_UNSUPPORTED,
                                "a %s cannot be in a scene, which takes convex bodies", name);
    }
    const char *names[OV_SHAPE_KIND_COUNT + 3];
    char hint[OV_FAULT_TEXT_MAX];
    size_t count = ovi_form_names(names);
    names[count++] = OVI_KIND_MESH;
    if (!r->in_part) {
        names[count++] = OVI_KIND_COMPOUND;
    }
    if (r->more != NULL && !r->in_part) {
        names[count++] = OVI_KIND_POLYGONS;
    }
    ovi_suggest(name, names, count, hint, sizeof hint);
    return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT, "unknown kind '%.40s'; %s", name,
                            hint);
}

/** The body's name, given or made. */
static ov_status read_name(ovi_scene_reader *r, const json_t *body) {
    (void)snprintf(r->name, sizeof r->name, "body %zu", r->body + 1);
    if (!json_is_object(body)) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT, "must be an object");
    }
    const json_t *value = json_object_get(body, "name");
    const char *name = json_string_value(value);
    if (value != NULL && (name == NULL || !ovi_is_name(name))) {
        return ovi_scene_refuse(r, "name", name != NULL ? OV_ERROR_NAME : OV_ERROR_FILE_FORMAT,
                                "'name' must be a text of 1 to %d bytes without control characters",
                                OV_SCENE_NAME_MAX);
    }
    if (name != NULL) {
        (void)snprintf(r->name, sizeof r->name, "%s", name);
    }
    size_t other = ovi_scene_find(r->scene, r->name);
    if (other > 0) {
        return ovi_scene_refuse(r, "name", OV_ERROR_NAME, "this is already the name of body %zu",
                                other);
    }
    return OV_OK;
}

/** Kind and pose of a body or part, without keys that are not known. */
static ov_status read_object(ovi_scene_reader *r, json_t *object, kind *k, ov_pose *pose) {
    ov_status status = find_kind(r, object, k);
    if (status != OV_OK) {
        return status;
    }
    const char *keys[KEYS_MAX];
    size_t count = known_keys(r, k, json_object_get(object, "parameters") != NULL, keys);
    const char *unknown = ovi_find_unknown(object, keys, count);
    if (unknown != NULL) {
        char hint[160];
        ovi_suggest(unknown, keys, count, hint, sizeof hint);
        return ovi_scene_refuse(r, unknown, OV_ERROR_FILE_FORMAT, "unknown key '%.40s' of a %s; %s",
                                unknown, k->name, hint);
    }
    return ovi_scene_read_pose(r, object, pose);
}

/** Adds a shape or mesh to the parts of the body. */
static ov_status read_part(ovi_scene_reader *r, const json_t *object, const kind *k, ov_pose pose) {
    if (k->form == NULL) {
        return ovi_scene_read_mesh(r, object, pose);
    }
    return k->form->kind == OV_SHAPE_KIND_POLYHEDRON
               ? ovi_scene_read_polyhedron(r, object, pose)
               : ovi_scene_read_shape(r, object, k->form, pose);
}

static ov_status read_compound(ovi_scene_reader *r, const json_t *body) {
    const json_t *list = json_object_get(body, "parts");
    size_t count = json_array_size(list);
    if (count == 0) {
        return ovi_scene_refuse(r, list != NULL ? "parts" : "kind", OV_ERROR_FILE_FORMAT,
                                "a compound needs 'parts', a list of at least one");
    }
    if (count > OVI_SCENE_PARTS_MAX) {
        return ovi_scene_refuse(r, "parts", OV_ERROR_COUNT, "%zu parts are more than %zu", count,
                                OVI_SCENE_PARTS_MAX);
    }
    ov_status status = OV_OK;
    r->in_part = true;
    for (r->part = 0; r->part < count && status == OV_OK; r->part++) {
        json_t *object = json_array_get(list, r->part);
        kind k;
        ov_pose pose;
        status = json_is_object(object)
                     ? read_object(r, object, &k, &pose)
                     : ovi_scene_refuse(r, NULL, OV_ERROR_FILE_FORMAT, "must be an object");
        if (status == OV_OK) {
            status = read_part(r, object, &k, pose);
        }
    }
    r->in_part = false;
    return status;
}

static ov_status read_body(ovi_scene_reader *r, json_t *body) {
    kind k;
    ov_pose pose;
    ov_status status = read_name(r, body);
    if (status == OV_OK) {
        status = read_object(r, body, &k, &pose);
    }
    if (status == OV_OK && !k.polygons) {
        status = k.compound ? read_compound(r, body) : read_part(r, body, &k, ov_pose_identity());
    }
    if (status != OV_OK) {
        return status;
    }
    status = ovi_scene_take(r->scene, r->name, &r->parts, pose);
    if (status != OV_OK) {
        return ovi_scene_refuse(r, NULL, status, "%s", ov_status_message(status));
    }
    return r->more != NULL ? r->more->body(r, body) : OV_OK;
}

/* ---- the scene ------------------------------------------------------------------------------- */

static ov_status check_version(ovi_scene_reader *r, const json_t *version) {
    if (version == NULL) {
        return OV_OK;
    }
    double number = json_number_value(version);
    if (number < 1.0 || number != floor(number)) {
        return ovi_scene_refuse_file(r, "ovoid",
                                     "'ovoid' must be the version of the format, a whole number");
    }
    if (number > OV_SCENE_VERSION) {
        return ovi_scene_refuse_file(r, "ovoid",
                                     "a scene of version %.0f; versions up to %d are known", number,
                                     OV_SCENE_VERSION);
    }
    return OV_OK;
}

static ov_status read_root(ovi_scene_reader *r, json_t *root) {
    static const char *const keys[] = {"bodies", "title", "ovoid", "time"};
    size_t key_count = r->more != NULL ? 4 : 3;
    if (!json_is_object(root)) {
        return ovi_scene_refuse_file(r, NULL, "a scene must be an object with a list of 'bodies'");
    }
    // first: a later version may have keys that this one does not know
    ov_status status = check_version(r, json_object_get(root, "ovoid"));
    if (status != OV_OK) {
        return status;
    }
    const char *unknown = ovi_find_unknown(root, keys, key_count);
    if (unknown != NULL) {
        char hint[80];
        ovi_suggest(unknown, keys, key_count, hint, sizeof hint);
        return ovi_scene_refuse_file(r, unknown, "unknown key '%.40s' of a scene; %s", unknown,
                                     hint);
    }
    const json_t *title = json_object_get(root, "title");
    const json_t *bodies = json_object_get(root, "bodies");
    if (!json_is_array(bodies)) {
        return ovi_scene_refuse_file(r, "bodies", "a scene needs 'bodies', a list");
    }
    if (title != NULL && (!json_is_string(title) || (json_string_value(title)[0] != '\0' &&
                                                     !ovi_is_name(json_string_value(title))))) {
        (void)ovi_scene_refuse_file(
            r, "title", "'title' must be a text of up to %d bytes without control characters",
            OV_SCENE_NAME_MAX);
        return json_is_string(title) ? OV_ERROR_NAME : OV_ERROR_FILE_FORMAT;
    }
    size_t count = json_array_size(bodies);
    if (count > OV_SCENE_BODIES_MAX) {
        (void)ovi_scene_refuse_file(r, "bodies", "%zu bodies are more than %zu", count,
                                    OV_SCENE_BODIES_MAX);
        return OV_ERROR_COUNT;
    }
    status = ov_scene_create(json_string_value(title), &r->scene);
    if (status != OV_OK) {
        return ovi_file_fault(r->fault, status, 0, "%s", ov_status_message(status));
    }
    if (r->more != NULL) {
        status = r->more->begin(r, root, count);
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        r->body = i;
        status = read_body(r, json_array_get(bodies, i));
    }
    return status;
}

static ov_status parse(ovi_scene_reader *r) {
    size_t deep = ovi_json_too_deep(r->text, r->length, NESTING_MAX);
    if (deep > 0) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, deep,
                              "nested deeper than %d brackets", NESTING_MAX);
    }
    json_error_t wrong;
    json_t *root =
        json_loadb(r->text, r->length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
    if (root == NULL) {
        bool memory = json_error_code(&wrong) == json_error_out_of_memory;
        size_t line = wrong.line > 0 ? (size_t)wrong.line : 0;
        return ovi_file_fault(r->fault, memory ? OV_ERROR_MEMORY : OV_ERROR_FILE_FORMAT, line, "%s",
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

ov_status ovi_scene_read_stream(FILE *stream, const char *folder, const ovi_scene_more *more,
                                ov_scene **scene, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (scene != NULL) {
        *scene = NULL;
    }
    if (stream == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_scene_reader r = {.more = more, .folder = folder != NULL ? folder : ".", .fault = fault};
    ovi_locale locale;
    char *text = read_all(stream, &r.length);
    if (text == NULL || !ovi_locale_enter(&locale)) {
        free(text);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    // a byte order mark may stand before the text
    bool mark = r.length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    r.text = mark ? text + 3 : text;
    r.length -= mark ? 3 : 0;
    ov_status status;
    if (ferror(stream)) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    } else if (r.length > OV_SCENE_BYTES_MAX) {
        status =
            ovi_file_fault(fault, OV_ERROR_COUNT, 0, "longer than %zu bytes", OV_SCENE_BYTES_MAX);
    } else {
        status = parse(&r);
    }
    ovi_locale_leave(&locale);
    free(text);
    ovi_parts_free(&r.parts);
    if (status != OV_OK) {
        ov_scene_destroy(r.scene);
    } else {
        *scene = r.scene;
    }
    return status;
}

ov_status ovi_scene_read_path(const char *path, const ovi_scene_more *more, ov_scene **scene,
                              ov_fault *fault) {
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
    ov_status status =
        ovi_scene_read_stream(folder != NULL ? stream : NULL, folder, more, scene, fault);
    if (stream == NULL && path != NULL && scene != NULL) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened");
    } else if (stream != NULL && folder == NULL) {
        status = ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    free(folder);
    return status;
}

ov_status ov_scene_read_stream(FILE *stream, const char *folder, ov_scene **scene,
                               ov_fault *fault) {
    return ovi_scene_read_stream(stream, folder, NULL, scene, fault);
}

ov_status ov_scene_read(const char *path, ov_scene **scene, ov_fault *fault) {
    return ovi_scene_read_path(path, NULL, scene, fault);
}
