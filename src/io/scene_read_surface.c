/**
 * @file scene_read_surface.c
 * @brief The bodies of a scene that are lists of points: polyhedra and meshes, in the scene or in
 * files beside it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene_internal.h"

/* ---- lists ------------------------------------------------------------------------------- */

ov_status ovi_scene_read_points(ovi_scene_reader *r, const json_t *list, ov_vec3 **points,
                                size_t *count) {
    *count = json_array_size(list);
    *points = malloc((*count + 1) * sizeof **points);
    if (*points == NULL) {
        return ovi_scene_refuse(r, NULL, OV_ERROR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < *count; i++) {
        double v[3];
        if (!ovi_get_numbers(json_array_get(list, i), v, 3)) {
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
        bool good = ovi_get_numbers(json_array_get(list, i), v, 3);
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

ov_status ovi_scene_read_polyhedron(ovi_scene_reader *r, const json_t *object, ov_pose pose) {
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

/** Applies 'scale', if there is one; a mirrored triangle is turned, so that outside stays out. */
static ov_status scale_mesh(ovi_scene_reader *r, const json_t *value, ov_mesh_data *m) {
    double v[3];
    if (value == NULL) {
        return OV_OK;
    }
    if (!ovi_get_numbers(value, v, 3) || v[0] == 0.0 || v[1] == 0.0 || v[2] == 0.0) {
        return ovi_scene_refuse(r, "scale", OV_ERROR_FILE_FORMAT,
                                "'scale' must be a list of 3 numbers other than zero");
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        m->vertices[i] = ov_vec3_mul(m->vertices[i], ov_vec3_make(v[0], v[1], v[2]));
    }
    bool mirrored = (v[0] < 0.0) ^ (v[1] < 0.0) ^ (v[2] < 0.0);
    for (size_t i = 0; i < m->triangle_count && mirrored; i++) {
        uint32_t second = m->triangles[i][1];
        m->triangles[i][1] = m->triangles[i][2];
        m->triangles[i][2] = second;
    }
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

ov_status ovi_scene_read_mesh(ovi_scene_reader *r, const json_t *object, ov_pose pose) {
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
