/**
 * @file scene_read.c
 * @brief Scenes from JSON, by jansson: the scene, its bodies and their parts, which are shapes of a
 * few numbers, or lists of points in the scene or in files beside it.
 *
 * Strict: a key that is not known is an error, with the nearest one that is, since a misspelt key
 * that is passed over gives a wrong answer without a word. Every message has the line. A scene in
 * motion is read here as well: what it has besides is handed to its own reader (motion_scene.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "../mesh/mesh_internal.h"
#include "scene_internal.h"

enum { NESTING_MAX = 16, KEYS_MAX = 12 + OVI_BODY_KEYS_MAX };

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

/* ---- poses ----------------------------------------------------------------------------------- */

static ov_status read_rotation(ovi_scene_reader *r, json_t *value, ov_quat *q) {
    static const char *const keys[] = {"axis", "angle_deg"};
    double v[4], angle;
    if (json_is_object(value)) {
        const char *unknown = ovi_json_unknown_key(value, keys, 2);
        if (unknown != NULL) {
            char hint[80];
            ovi_suggest(unknown, keys, 2, hint, sizeof hint);
            return ovi_scene_refuse(r, "rotation", OV_ERROR_FILE_FORMAT, "unknown key '%.40s'; %s",
                                    unknown, hint);
        }
        if (!ovi_json_get_numbers(json_object_get(value, "axis"), v, 3) ||
            !ovi_json_get_numbers(json_object_get(value, "angle_deg"), &angle, 1)) {
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
    } else if (ovi_json_get_numbers(value, v, 4)) {
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
        if (!ovi_json_get_numbers(position, v, 3)) {
            return ovi_scene_refuse(r, "position", OV_ERROR_FILE_FORMAT,
                                    "'position' must be a list of 3 numbers");
        }
        pose->position = ov_vec3_make(v[0], v[1], v[2]);
    }
    return rotation != NULL ? read_rotation(r, rotation, &pose->rotation) : OV_OK;
}

/* ---- shapes of a few numbers ----------------------------------------------------------------- */

static bool get_points(const json_t *value, double *out, int count) {
    if (!json_is_array(value) || json_array_size(value) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!ovi_json_get_numbers(json_array_get(value, (size_t)i), out + 3 * i, 3)) {
            return false;
        }
    }
    return true;
}

/** The numbers of a shape from the keys of its kind. */
static ov_status read_groups(ovi_scene_reader *r, const json_t *body, const ovi_form *form,
                             double *v) {
    const char *kind = ov_shape_kind_name(form->kind);
    for (int i = 0; i < form->group_count; i++) {
        const ovi_group *g = &form->groups[i];
        const json_t *value = json_object_get(body, g->key);
        if (value == NULL) {
            return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT, "a %s needs '%s'", kind,
                                    g->key);
        }
        if (g->points ? !get_points(value, v + g->first, g->count / 3)
                      : !ovi_json_get_numbers(value, v + g->first, g->count)) {
            return ovi_scene_refuse(r, g->key, OV_ERROR_FILE_FORMAT,
                                    g->points ? "'%s' of a %s must be a list of %d points [x, y, z]"
                                    : g->count == 1 ? "'%s' of a %s must be a number"
                                                    : "'%s' of a %s must be a list of %d numbers",
                                    g->key, kind, g->points ? g->count / 3 : g->count);
        }
    }
    return OV_OK;
}

/** The numbers of a shape from the object that `ovoid shape` prints. */
static ov_status read_parameters(ovi_scene_reader *r, json_t *object, const ovi_form *form,
                                 double *v) {
    static const char key[] = "parameters";
    if (!json_is_object(object)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "'parameters' must be an object");
    }
    size_t count;
    const char *const *names = ovi_number_names(form->kind, &count);
    const char *unknown = ovi_json_unknown_key(object, names, count);
    if (unknown != NULL) {
        char hint[160];
        ovi_suggest(unknown, names, count, hint, sizeof hint);
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "unknown parameter '%.40s'; %s",
                                unknown, hint);
    }
    for (size_t i = 0; i < count; i++) {
        if (!ovi_json_get_numbers(json_object_get(object, names[i]), &v[i], 1)) {
            return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "parameter '%s' must be a number",
                                    names[i]);
        }
    }
    return OV_OK;
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

static ov_status read_shape(ovi_scene_reader *r, const json_t *body, const ovi_form *form,
                            ov_pose pose) {
    double v[OVI_NUMBERS_MAX], dent = ov_default_shape_options().dent_tolerance;
    json_t *parameters = json_object_get(body, "parameters");
    const json_t *tolerance = json_object_get(body, "dent_tolerance");
    ov_status status = parameters != NULL ? read_parameters(r, parameters, form, v)
                                          : read_groups(r, body, form, v);
    if (status != OV_OK) {
        return status;
    }
    if (tolerance != NULL &&
        (!ovi_json_get_numbers(tolerance, &dent, 1) || !(dent >= 0.0 && dent <= 1.0))) {
        return ovi_scene_refuse(r, "dent_tolerance", OV_ERROR_FILE_FORMAT,
                                "'dent_tolerance' must be a number from 0 to 1");
    }
    ov_shape shape;
    status = ovi_form_make(form->kind, v, dent, &shape);
    if (status == OV_OK) {
        status = ovi_parts_add(&r->parts, &shape, pose);
    }
    return status == OV_OK ? status
                           : ovi_scene_refuse(r, key_to_blame(body, status), status, "%s",
                                              ov_status_message(status));
}

/* ---- lists of points ------------------------------------------------------------------------- */

ov_status ovi_scene_read_points(ovi_scene_reader *r, const json_t *list, ov_vec3 **points,
                                size_t *count) {
    *count = json_array_size(list);
    *points = malloc((*count + 1) * sizeof **points);
    if (*points == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double v[3];
        if (!ovi_json_get_numbers(json_array_get(list, i), v, 3)) {
            return ovi_scene_refuse(r, "vertices", OV_ERROR_FILE_FORMAT,
                                    "vertex %zu must be a list of 3 numbers", i);
        }
        (*points)[i] = ov_vec3_make(v[0], v[1], v[2]);
    }
    return OV_OK;
}

static ov_status read_triangles(ovi_scene_reader *r, const json_t *list, uint32_t (**triangles)[3],
                                size_t *count) {
    *count = json_array_size(list);
    *triangles = malloc((*count + 1) * sizeof **triangles);
    if (*triangles == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double v[3];
        bool good = ovi_json_get_numbers(json_array_get(list, i), v, 3);
        for (int k = 0; k < 3 && good; k++) {
            good = v[k] >= 0.0 && v[k] <= (double)UINT32_MAX && v[k] == floor(v[k]);
            (*triangles)[i][k] = good ? (uint32_t)v[k] : 0;
        }
        if (!good) {
            return ovi_scene_refuse(r, "triangles", OV_ERROR_FILE_FORMAT,
                                    "triangle %zu must be a list of 3 indices of vertices", i);
        }
    }
    return OV_OK;
}

/** Vertices and triangles, from malloc; without a list of triangles none of these. */
static ov_status read_lists(ovi_scene_reader *r, const json_t *vertices, const json_t *triangles,
                            ov_mesh_data *mesh) {
    ov_status status = ovi_scene_read_points(r, vertices, &mesh->vertices, &mesh->vertex_count);
    if (status == OV_OK && triangles != NULL) {
        status = read_triangles(r, triangles, &mesh->triangles, &mesh->triangle_count);
    }
    return status;
}

/** The path of the file that an object names, beside the scene, from malloc. */
static ov_status read_path(ovi_scene_reader *r, const json_t *name, char **path) {
    const char *file = json_string_value(name);
    if (file == NULL || file[0] == '\0') {
        return ovi_scene_refuse(r, "file", OV_ERROR_FILE_FORMAT,
                                "'file' must be the name of a file");
    }
    size_t size = strlen(r->folder) + strlen(file) + 2;
    *path = malloc(size);
    if (*path == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    bool absolute = file[0] == '/';
    (void)snprintf(*path, size, "%s%s%s", absolute ? "" : r->folder, absolute ? "" : "/", file);
    // no name in a scene makes the reader wait for a pipe or read a device
    struct stat there;
    if (stat(*path, &there) == 0 && !S_ISREG(there.st_mode)) {
        ov_status status =
            ovi_scene_refuse(r, "file", OV_ERROR_FILE_OPEN, "%s: not a regular file", *path);
        free(*path);
        *path = NULL;
        return status;
    }
    return OV_OK;
}

/** What is wrong with a file that the scene names. */
static ov_status refuse_file(ovi_scene_reader *r, ov_status status, const char *path, size_t line,
                             const char *text) {
    return line > 0 ? ovi_scene_refuse(r, "file", status, "%s:%zu: %s", path, line, text)
                    : ovi_scene_refuse(r, "file", status, "%s: %s", path, text);
}

/** The scene keeps the path of a file that was read. */
static ov_status keep_path(ovi_scene_reader *r, ov_status status, char *path) {
    return ovi_scene_take_file(r->scene, path) || status != OV_OK
               ? status
               : ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
}

/** Both of the lists that an object has must be lists. */
static ov_status check_lists(ovi_scene_reader *r, const char *kind, const json_t *vertices,
                             const json_t *triangles) {
    if (json_is_array(vertices) && (triangles == NULL || json_is_array(triangles))) {
        return OV_OK;
    }
    const char *key = json_is_array(vertices) ? "triangles" : "vertices";
    return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "'%s' of a %s must be a list", key, kind);
}

/* ---- polyhedra ------------------------------------------------------------------------------- */

static ov_status add_hull(ovi_scene_reader *r, const char *key, const ov_vec3 *points, size_t count,
                          ov_pose pose) {
    ov_hull *hull = NULL;
    ov_shape shape;
    ov_status status = ov_hull_create(points, count, &hull);
    if (status == OV_OK) {
        status = ov_hull_shape(hull, &shape);
    }
    if (status == OV_OK) {
        status = ovi_parts_add(&r->parts, &shape, pose);
    }
    ov_hull_destroy(hull);
    return status == OV_OK
               ? status
               : ovi_scene_refuse(r, key, status, "convex hull of %zu point%s: %s", count,
                                  count == 1 ? "" : "s", ov_status_message(status));
}

static ov_status add_point_file(ovi_scene_reader *r, const json_t *name, ov_pose pose) {
    char *path = NULL;
    ov_vec3 *points = NULL;
    ov_fault fault;
    size_t count = 0;
    ov_status status = read_path(r, name, &path);
    if (status != OV_OK) {
        return status;
    }
    status = ov_points_read(path, &points, &count, &fault);
    status = status == OV_OK ? add_hull(r, "file", points, count, pose)
                             : refuse_file(r, status, path, fault.index, fault.text);
    ov_points_free(points);
    return keep_path(r, status, path);
}

static ov_status add_solid(ovi_scene_reader *r, const ov_mesh_data *m, ov_pose pose) {
    ov_shape shape;
    const uint32_t(*given)[3] = m->triangle_count > 0 ? (const uint32_t(*)[3])m->triangles : NULL;
    ov_status status =
        ov_shape_make_polyhedron(m->vertices, m->vertex_count, given, m->triangle_count, &shape);
    if (status == OV_OK) {
        status = ovi_parts_add(&r->parts, &shape, pose);
    }
    return status == OV_OK
               ? status
               : ovi_scene_refuse(r, "vertices", status, "%s", ov_status_message(status));
}

static ov_status read_polyhedron(ovi_scene_reader *r, const json_t *object, ov_pose pose) {
    const json_t *vertices = json_object_get(object, "vertices");
    const json_t *triangles = json_object_get(object, "triangles");
    const json_t *file = json_object_get(object, "file");
    if ((vertices != NULL) == (file != NULL) || (triangles != NULL && vertices == NULL)) {
        return ovi_scene_refuse(
            r, "kind", OV_ERROR_FILE_FORMAT,
            "a polyhedron needs 'vertices' (and may have 'triangles'), or 'file'");
    }
    if (file != NULL) {
        return add_point_file(r, file, pose);
    }
    ov_mesh_data lists = {NULL, NULL, 0, 0};
    ov_status status = check_lists(r, "polyhedron", vertices, triangles);
    if (status == OV_OK) {
        status = read_lists(r, vertices, triangles, &lists);
    }
    if (status == OV_OK) {
        status = triangles == NULL
                     ? add_hull(r, "vertices", lists.vertices, lists.vertex_count, pose)
                     : add_solid(r, &lists, pose);
    }
    ov_mesh_free(&lists);
    return status;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/** Applies 'scale', if there is one. */
static ov_status scale_mesh(ovi_scene_reader *r, const json_t *value, ov_mesh_data *m) {
    double v[3];
    if (value == NULL) {
        return OV_OK;
    }
    if (!ovi_json_get_numbers(value, v, 3) || v[0] == 0.0 || v[1] == 0.0 || v[2] == 0.0) {
        return ovi_scene_refuse(r, "scale", OV_ERROR_FILE_FORMAT,
                                "'scale' must be a list of 3 numbers other than zero");
    }
    ovi_mesh_scale(m, ov_vec3_make(v[0], v[1], v[2]));
    return OV_OK;
}

/** A surface where the object says so, even if it is closed. */
static ov_status make_mesh(ovi_scene_reader *r, const json_t *object, const ov_mesh_data *m,
                           ov_trimesh **mesh) {
    const json_t *surface = json_object_get(object, "surface");
    if (surface != NULL && !json_is_boolean(surface)) {
        return ovi_scene_refuse(r, "surface", OV_ERROR_FILE_FORMAT,
                                "'surface' must be true or false");
    }
    return (json_is_true(surface) ? ov_trimesh_create_surface : ov_trimesh_create)(
        m->vertices, m->vertex_count, (const uint32_t(*)[3])m->triangles, m->triangle_count, NULL,
        mesh);
}

static ov_status add_mesh(ovi_scene_reader *r, const char *key, const json_t *object,
                          ov_mesh_data *m, ov_pose pose) {
    ov_trimesh *mesh = NULL;
    ov_status status = scale_mesh(r, json_object_get(object, "scale"), m);
    if (status != OV_OK) {
        return status;
    }
    // files may be named many times: all together must fit as one must
    if (m->triangle_count > OV_TRIMESH_MAX - r->triangles) {
        return ovi_scene_refuse(r, key, OV_ERROR_COUNT,
                                "the meshes of the scene have more than %zu triangles together",
                                OV_TRIMESH_MAX);
    }
    r->triangles += m->triangle_count;
    status = make_mesh(r, object, m, &mesh);
    if (status == OV_ERROR_FILE_FORMAT) {
        return status; // told already
    }
    if (status == OV_OK) {
        status = ovi_parts_take(&r->parts, mesh, pose);
    }
    return status == OV_OK
               ? status
               : ovi_scene_refuse(r, key, status, "mesh of %zu triangle%s: %s", m->triangle_count,
                                  m->triangle_count == 1 ? "" : "s", ov_status_message(status));
}

static ov_status add_mesh_file(ovi_scene_reader *r, const json_t *object, ov_pose pose) {
    char *path = NULL;
    ov_mesh_data mesh = {NULL, NULL, 0, 0};
    ov_fault wrong;
    ov_status status = read_path(r, json_object_get(object, "file"), &path);
    if (status != OV_OK) {
        return status;
    }
    status = ov_mesh_read(path, &mesh, &wrong);
    status = status == OV_OK ? add_mesh(r, "file", object, &mesh, pose)
                             : refuse_file(r, status, path, wrong.index, wrong.text);
    ov_mesh_free(&mesh);
    return keep_path(r, status, path);
}

static ov_status read_mesh(ovi_scene_reader *r, const json_t *object, ov_pose pose) {
    const json_t *vertices = json_object_get(object, "vertices");
    const json_t *triangles = json_object_get(object, "triangles");
    const json_t *file = json_object_get(object, "file");
    if ((vertices != NULL) == (file != NULL) || (triangles != NULL) == (file != NULL)) {
        return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT,
                                "a mesh needs 'vertices' and 'triangles', or 'file'");
    }
    if (file != NULL) {
        return add_mesh_file(r, object, pose);
    }
    ov_mesh_data lists = {NULL, NULL, 0, 0};
    ov_status status = check_lists(r, "mesh", vertices, triangles);
    if (status == OV_OK) {
        status = read_lists(r, vertices, triangles, &lists);
    }
    if (status == OV_OK) {
        status = add_mesh(r, "triangles", object, &lists, pose);
    }
    ov_mesh_free(&lists);
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

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
    static const char *const always[] = {"name", "kind", "position", "rotation"};
    size_t count = 0, more = r->more != NULL && !r->in_part ? r->more->body_key_count : 0;
    for (size_t i = r->in_part ? 1 : 0; i < 4; i++) {
        keys[count++] = always[i];
    }
    for (size_t i = 0; i < more; i++) {
        keys[count++] = r->more->body_keys[i];
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
    bool polygons =
        r->more != NULL && r->more->polygons && !r->in_part && strcmp(name, OVI_KIND_POLYGONS) == 0;
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
    if (r->more != NULL && r->more->polygons && !r->in_part) {
        names[count++] = OVI_KIND_POLYGONS;
    }
    ovi_suggest(name, names, count, hint, sizeof hint);
    return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT, "unknown kind '%.40s'; %s", name,
                            hint);
}

ov_status ovi_scene_read_bits(ovi_scene_reader *r, const json_t *body, const char *key,
                              uint32_t *bits) {
    const json_t *value = json_object_get(body, key);
    double v;
    if (value == NULL) {
        return OV_OK;
    }
    if (!ovi_json_get_numbers(value, &v, 1) || !(v >= 0.0 && v <= (double)UINT32_MAX) ||
        v != floor(v)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT,
                                "'%s' must be a whole number from 0 to %lu", key,
                                (unsigned long)UINT32_MAX);
    }
    *bits = (uint32_t)v;
    return OV_OK;
}

ov_status ovi_scene_read_truth(ovi_scene_reader *r, const json_t *object, const char *key,
                               bool *truth) {
    const json_t *value = json_object_get(object, key);
    if (value != NULL && !json_is_boolean(value)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "'%s' must be true or false", key);
    }
    *truth = json_is_true(value);
    return OV_OK;
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
    const char *unknown = ovi_json_unknown_key(object, keys, count);
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
        return read_mesh(r, object, pose);
    }
    return k->form->kind == OV_SHAPE_KIND_POLYHEDRON ? read_polyhedron(r, object, pose)
                                                     : read_shape(r, object, k->form, pose);
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
    const char *keys[3 + OVI_BODY_KEYS_MAX] = {"bodies", "title", "ovoid"};
    size_t key_count = 3;
    for (size_t i = 0; r->more != NULL && i < r->more->root_key_count; i++) {
        keys[key_count++] = r->more->root_keys[i];
    }
    if (!json_is_object(root)) {
        return ovi_scene_refuse_file(r, NULL, "a scene must be an object with a list of 'bodies'");
    }
    // first: a later version may have keys that this one does not know
    ov_status status = check_version(r, json_object_get(root, "ovoid"));
    if (status != OV_OK) {
        return status;
    }
    const char *unknown = ovi_json_unknown_key(root, keys, key_count);
    if (unknown != NULL && strcmp(unknown, "time") == 0) {
        return ovi_scene_refuse_file(
            r, unknown, "this is a scene in motion, with 'time'; a scene at rest is expected");
    }
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
    if (status == OV_OK && r->more != NULL && r->more->end != NULL) {
        status = r->more->end(r, root);
    }
    return status;
}

static bool begins_json(const ovi_scene_reader *r) {
    size_t at = 0;
    while (at < r->length && strchr(" \t\r\n", r->text[at]) != NULL && r->text[at] != '\0') {
        at++;
    }
    return at < r->length && r->text[at] == '{';
}

static ov_status parse(ovi_scene_reader *r) {
    size_t deep = ovi_json_too_deep(r->text, r->length, NESTING_MAX);
    if (deep > 0) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, deep,
                              "nested deeper than %d brackets", NESTING_MAX);
    }
    ov_file_kind kind = begins_json(r) ? OV_FILE_KIND_UNKNOWN : ov_file_kind_of(r->text, r->length);
    if (kind != OV_FILE_KIND_UNKNOWN) {
        return ovi_wrong_file(r->fault, kind, 1, "a scene");
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
    char *text = (char *)ovi_bytes_read(stream, OV_SCENE_BYTES_MAX, &r.length);
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
    char *folder = stream != NULL ? ovi_folder_of(path) : NULL;
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
