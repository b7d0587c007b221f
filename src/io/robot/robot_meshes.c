/**
 * @file robot_meshes.c
 * @brief Meshes of robots: where they lie, those that are read, and those beside a file that is
 * written.
 *
 * Paths are relative to the robot's file, file:// or package://. A package is a folder with the
 * package's name. ROS finds it through its environment; here the caller may name folders, and the
 * folders above the robot's file are looked into, since a robot's file usually lies within its own
 * package. Only regular files are found, so that no name in a file makes the reader wait for a pipe
 * or read a device.
 *
 * Beside a file that is written stands one folder with all its meshes. A name holds a hash of the
 * contents. So the same mesh is there once, another one never takes its place, and a robot may be
 * written over the very files that it was read from.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../mesh/mesh_internal.h"
#include "robot_internal.h"

/* ---- where they lie -------------------------------------------------------------------------- */

/** Takes `folder`/`name` if there is such a file. False for want of memory. */
static bool try_file(const char *folder, const char *name, char **path) {
    char *candidate = ovi_path_join(folder, name);
    if (candidate == NULL) {
        return false;
    }
    struct stat there;
    if (stat(candidate, &there) == 0 && S_ISREG(there.st_mode)) {
        *path = candidate;
    } else {
        free(candidate);
    }
    return true;
}

/** Length of a folder's path without slashes at its end, and its last name. */
static size_t last_name(const char *folder, const char **name) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    size_t start = length;
    while (start > 0 && folder[start - 1] != '/') {
        start--;
    }
    *name = folder + start;
    return length - start;
}

/** `package` is NAME/path. The folder is the package itself, or holds it. */
static bool try_package(const char *folder, const char *package, char **path) {
    const char *name, *slash = strchr(package, '/');
    size_t length = last_name(folder, &name);
    if (slash == NULL) {
        return true;
    }
    bool itself = length == (size_t)(slash - package) && strncmp(name, package, length) == 0;
    if (itself && !try_file(folder, slash + 1, path)) {
        return false;
    }
    return *path != NULL || try_file(folder, package, path);
}

static bool find_package(const char *package, const char *folder, const ov_robot_options *options,
                         char **path) {
    for (size_t i = 0; i < options->package_count && *path == NULL; i++) {
        if (options->packages[i] != NULL && !try_package(options->packages[i], package, path)) {
            return false;
        }
    }
    char *above = *path == NULL ? realpath(folder, NULL) : NULL;
    bool good = true;
    while (above != NULL && good && *path == NULL) {
        good = try_package(above, package, path);
        char *slash = strrchr(above, '/');
        if (slash == NULL || slash[1] == '\0') {
            break;
        }
        // the last one is the root itself
        slash[slash == above ? 1 : 0] = '\0';
    }
    free(above);
    return good;
}

/** The rest of a text after a beginning, or null where it begins otherwise. */
static const char *after(const char *text, const char *beginning) {
    size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

bool ovi_mesh_find(const char *file, const char *folder, const ov_robot_options *options,
                   char **path) {
    *path = NULL;
    const char *package = after(file, "package://");
    // what Gazebo calls a model is a folder just the same
    package = package != NULL ? package : after(file, "model://");
    if (package != NULL) {
        return find_package(package, folder, options, path);
    }
    const char *local = after(file, "file://localhost/");
    local = local != NULL ? local - 1 : after(file, "file://");
    local = local != NULL ? local : file;
    return try_file(local[0] == '/' ? "" : folder, local, path);
}

/* ---- reading --------------------------------------------------------------------------------- */

/** Triangles or a hull of what was read; the robot owns them. A flat mesh has no hull. */
static ov_status build_mesh(ov_robot *robot, const ov_mesh_data *data, ovi_robot_mesh *entry) {
    if (entry->wants_hull) {
        ov_hull *hull;
        ov_status status = ov_hull_create(data->vertices, data->vertex_count, &hull);
        if (status == OV_OK) {
            entry->hull = hull;
            return ovi_robot_keep(robot, hull, ovi_release_hull) ? OV_OK : OV_ERROR_MEMORY;
        }
        if (status != OV_ERROR_DEGENERATE && status != OV_ERROR_COUNT) {
            return status;
        }
    }
    ov_trimesh *mesh;
    ov_status status =
        ov_trimesh_create(data->vertices, data->vertex_count, (const uint32_t(*)[3])data->triangles,
                          data->triangle_count, NULL, &mesh);
    if (status != OV_OK) {
        return status;
    }
    entry->mesh = mesh;
    return ovi_robot_keep(robot, mesh, ovi_release_trimesh) ? OV_OK : OV_ERROR_MEMORY;
}

static ov_status load_mesh(ov_robot *robot, ovi_robot_meshes *meshes, ovi_robot_mesh *entry,
                           ov_fault *fault) {
    ov_mesh_data data;
    // the programs that robots are made for take the axes of a mesh as they are, whatever it says
    ov_status status = ovi_mesh_read_axes(entry->path, true, &data, fault);
    if (status != OV_OK) {
        return status;
    }
    meshes->triangle_count += data.triangle_count;
    if (meshes->triangle_count > OV_TRIMESH_MAX) {
        status = ovi_file_fault(fault, OV_ERROR_COUNT, 0, "the meshes have more than %zu triangles",
                                OV_TRIMESH_MAX);
    } else {
        ovi_mesh_scale(&data, entry->scale);
        status = build_mesh(robot, &data, entry);
        if (status != OV_OK) {
            (void)ovi_file_fault(fault, status, 0, "%s", ov_status_message(status));
        }
    }
    ov_mesh_free(&data);
    return status;
}

static bool same_scale(ov_vec3 a, ov_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

ov_status ovi_robot_mesh_load(ov_robot *robot, ovi_robot_meshes *meshes,
                              const ov_robot_shape *shape, bool hull, ovi_robot_mesh *mesh,
                              ov_fault *fault) {
    for (size_t i = 0; i < meshes->count; i++) {
        const ovi_robot_mesh *m = &meshes->all[i];
        if (m->wants_hull == hull && same_scale(m->scale, shape->mesh_scale) &&
            strcmp(m->path, shape->mesh_path) == 0) {
            *mesh = *m;
            return OV_OK;
        }
    }
    if (meshes->count == OVI_ROBOT_MESHES_MAX) {
        return ovi_file_fault(fault, OV_ERROR_COUNT, 0, "more than %zu meshes",
                              OVI_ROBOT_MESHES_MAX);
    }
    ovi_robot_mesh *all = ovi_grow(meshes->all, meshes->count, sizeof *all);
    if (all == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    meshes->all = all;
    *mesh = (ovi_robot_mesh){shape->mesh_path, shape->mesh_scale, NULL, NULL, hull};
    ov_status status = load_mesh(robot, meshes, mesh, fault);
    if (status == OV_OK) {
        all[meshes->count++] = *mesh;
    }
    return status;
}

enum { FALLBACK_VERTICES = 300, STEM_MAX = 80, HASH_DIGITS = 16 };

/** A mesh that is there already, and what it came from. */
typedef struct written {
    const ov_trimesh *mesh; /**< or null */
    const char *path;       /**< or null */
    const char *file;       /**< the name of a row */
} written;

/** The contents of a file. */
typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

typedef struct writer {
    const char *format; /**< for messages */
    const char *folder; /**< where the meshes go, and ... */
    const char *prefix; /**< ... how the file names it */
    ovi_mesh_wish wish;
    bool made; /**< the folder is there */
    ovi_undo *undo;
    written *done;
    size_t done_count;
    const char *link;
    ov_fault *fault;
} writer;

__attribute__((format(printf, 3, 4))) static ov_status refuse(writer *w, ov_status status,
                                                              const char *format, ...) {
    char text[OV_FAULT_TEXT_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return ovi_file_fault(w->fault, status, 0, "link \"%.60s\": %s", w->link, text);
}

static ov_status no_memory(writer *w) {
    return ovi_file_fault(w->fault, OV_ERROR_MEMORY, 0, "out of memory");
}

/* ---- names of files
 * ----------------------------------------------------------------------------------- */

/** FNV-1a. */
static uint64_t hash_of(const bytes *b) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < b->size; i++) {
        hash = (hash ^ b->data[i]) * 1099511628211u;
    }
    return hash;
}

/** Letters, digits and a few signs of the last name of a path, without its ending. */
static void make_stem(const char *path, bool has_ending, char *stem) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = has_ending ? strrchr(name, '.') : NULL;
    size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    length = length < STEM_MAX ? length : STEM_MAX;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || (c == '-' && i > 0);
        stem[i] = plain ? c : '_';
    }
    stem[length] = '\0';
}

/** The name of a mesh in the folder; one that has its hash already keeps its name. */
static void make_name(const char *stem, uint64_t hash, const char *ending, char *name,
                      size_t size) {
    char digits[HASH_DIGITS + 2];
    (void)snprintf(digits, sizeof digits, "-%016llx", (unsigned long long)hash);
    size_t length = strlen(stem), tail = strlen(digits);
    bool has = length > tail && strcmp(stem + length - tail, digits) == 0;
    (void)snprintf(name, size, "%s%s%s", stem, has ? "" : digits, ending);
}

/** Keeps the name of a file that was written, in its row and for the next one that wants it. */
static ov_status note(writer *w, const char *name, const ov_trimesh *mesh, const char *path,
                      ovi_mesh_name *row) {
    row->file = ovi_path_join(w->prefix, name);
    if (row->file == NULL) {
        return no_memory(w);
    }
    if (mesh == NULL && path == NULL) {
        return OV_OK;
    }
    written *done = ovi_grow(w->done, w->done_count, sizeof *done);
    if (done == NULL) {
        return no_memory(w);
    }
    w->done = done;
    done[w->done_count++] = (written){mesh, path, row->file};
    return OV_OK;
}

/** Takes the name of what was written before; false where it was not, or for want of memory. */
static bool find_written(const writer *w, const ov_trimesh *mesh, const char *path,
                         ovi_mesh_name *row) {
    for (size_t i = 0; i < w->done_count; i++) {
        const written *d = &w->done[i];
        if ((mesh != NULL && d->mesh == mesh) ||
            (path != NULL && d->path != NULL && strcmp(d->path, path) == 0)) {
            row->file = strdup(d->file);
            return row->file != NULL;
        }
    }
    return false;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static bool write_bytes(FILE *f, const void *what) {
    const bytes *b = what;
    return fwrite(b->data, 1, b->size, f) == b->size;
}

/** Writes the contents of a mesh to the folder, under their hash. */
static ov_status put_file(writer *w, const char *stem, const char *ending, const bytes *contents,
                          const ov_trimesh *mesh, const char *from, ovi_mesh_name *row) {
    char name[STEM_MAX + HASH_DIGITS + 16];
    if (w->folder == NULL) {
        return refuse(w, OV_ERROR_UNSUPPORTED,
                      "%s needs a mesh file here, and no folder for meshes is given", w->format);
    }
    ov_status made = w->made ? OV_OK : ovi_folder_make(w->folder, w->undo);
    if (made != OV_OK) {
        return ovi_file_fault(w->fault, made, 0, "folder \"%.150s\" cannot be made", w->folder);
    }
    w->made = true;
    make_name(stem, hash_of(contents), ending, name, sizeof name);
    char *path = ovi_path_join(w->folder, name);
    if (path == NULL) {
        return no_memory(w);
    }
    ov_status status = ovi_file_write(path, w->undo, write_bytes, contents);
    free(path);
    return status == OV_OK
               ? note(w, name, mesh, from, row)
               : refuse(w, status, "mesh \"%.100s\": %s", name, ov_status_message(status));
}

/** OBJ reads back to the bit, STL is shorter. */
static ov_status put_surface(writer *w, const char *stem, ov_mesh_format format,
                             const ovi_mesh_view *s, const ov_trimesh *mesh, ovi_mesh_name *row) {
    char *text = NULL;
    bytes b = {NULL, 0};
    FILE *f = open_memstream(&text, &b.size);
    if (f == NULL) {
        return no_memory(w);
    }
    ov_status status = ov_mesh_write_stream(f, format, s->vertices, NULL, s->vertex_count,
                                            s->triangles, s->triangle_count);
    // a memory stream may lose its text only when it is closed
    bool closed = fclose(f) == 0 && text != NULL;
    b.data = (unsigned char *)text;
    if (status == OV_ERROR_SIZE_RANGE && format == OV_MESH_FORMAT_STL) {
        // too large or too small for its short numbers
        status = put_surface(w, stem, OV_MESH_FORMAT_OBJ, s, mesh, row);
    } else if (status != OV_OK || !closed) {
        status = closed && status != OV_ERROR_FILE_WRITE ? status : OV_ERROR_MEMORY;
        (void)refuse(w, status, "a mesh: %s", ov_status_message(status));
    } else {
        status =
            put_file(w, stem, format == OV_MESH_FORMAT_STL ? ".stl" : ".obj", &b, mesh, NULL, row);
    }
    free(text);
    return status;
}

/** Copies the file that a mesh came from. `*row` stays without a file where it cannot be read. */
static ov_status copy_file(writer *w, const char *from, ovi_mesh_name *row) {
    if (find_written(w, NULL, from, row)) {
        return OV_OK;
    }
    bytes b = {NULL, 0};
    FILE *f = fopen(from, "rb");
    if (f == NULL) {
        return OV_OK;
    }
    b.data = ovi_bytes_read(f, OV_MESH_BYTES_MAX, &b.size);
    bool good = b.data != NULL && !ferror(f) && b.size > 0 && b.size <= OV_MESH_BYTES_MAX;
    (void)fclose(f);
    ov_status status = OV_OK;
    if (good) {
        char stem[STEM_MAX + 1], ending[12] = "";
        const char *dot = strrchr(from, '.');
        if (dot != NULL && strchr(dot, '/') == NULL) {
            (void)snprintf(ending, sizeof ending, "%s", dot);
        }
        make_stem(from, true, stem);
        status = put_file(w, stem, ending, &b, NULL, from, row);
    }
    free(b.data);
    return status;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/** A polyhedron as it is, with triangles of its own or those of its hull. */
static ov_status write_polyhedron(writer *w, const char *stem, const ov_shape *shape,
                                  ovi_mesh_name *row) {
    ov_hull *hull = NULL;
    ov_shape whole = *shape;
    if (shape->u.polyhedron.triangle_count == 0) {
        ov_status status =
            ov_hull_create(shape->u.polyhedron.vertices, shape->u.polyhedron.vertex_count, &hull);
        status = status == OV_OK ? ov_hull_shape(hull, &whole) : status;
        if (status != OV_OK) {
            ov_hull_destroy(hull);
            return refuse(w, status, "a polyhedron: %s", ov_status_message(status));
        }
    }
    ovi_mesh_view s = {whole.u.polyhedron.vertices, NULL, whole.u.polyhedron.triangles,
                       whole.u.polyhedron.vertex_count, whole.u.polyhedron.triangle_count};
    ov_status status = put_surface(w, stem, OV_MESH_FORMAT_OBJ, &s, NULL, row);
    ov_hull_destroy(hull);
    return status;
}

static ov_status write_shape(writer *w, const char *stem, const ov_shape *shape,
                             ovi_mesh_name *row) {
    ov_mesh_options options = {FALLBACK_VERTICES, 0.0};
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(shape, &options, &plan);
    if (status != OV_OK) {
        return refuse(w, status, "a %s cannot be written as a mesh",
                      ov_shape_kind_name(shape->kind));
    }
    ov_vec3 *vertices = malloc(plan.vertex_count * sizeof *vertices);
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    status = vertices == NULL || triangles == NULL
                 ? OV_ERROR_MEMORY
                 : ov_shape_mesh_fill(shape, &plan, vertices, NULL, triangles);
    ovi_mesh_view s = {vertices, NULL, (const uint32_t(*)[3])triangles, plan.vertex_count,
                       plan.triangle_count};
    status = status == OV_OK ? put_surface(w, stem, OV_MESH_FORMAT_STL, &s, NULL, row)
                             : refuse(w, status, "%s", ov_status_message(status));
    free(vertices);
    free(triangles);
    return status;
}

static ov_status write_one(writer *w, const ov_robot_shape *shape, ovi_mesh_name *row) {
    char stem[STEM_MAX + 1];
    ov_shape_kind kind = shape->shape.kind;
    if (kind != OV_SHAPE_KIND_NONE && (w->wish.native >> kind & 1u) != 0) {
        return OV_OK;
    }
    // a stranger's file may name any other: what is no mesh is not carried along
    bool copied = w->wish.as_is && shape->mesh_path != NULL &&
                  ov_mesh_format_from_path(shape->mesh_path) != OV_MESH_FORMAT_NONE;
    if (copied) {
        ov_status status = copy_file(w, shape->mesh_path, row);
        row->scale = shape->mesh_scale;
        if (status != OV_OK || row->file != NULL) {
            return status;
        }
    }
    row->scale = ov_vec3_make(1.0, 1.0, 1.0);
    make_stem(w->link, false, stem);
    if (shape->mesh != NULL) {
        ovi_mesh_view s = {ov_trimesh_vertices(shape->mesh), NULL,
                           ov_trimesh_triangles(shape->mesh), ov_trimesh_vertex_count(shape->mesh),
                           ov_trimesh_triangle_count(shape->mesh)};
        return find_written(w, shape->mesh, NULL, row)
                   ? OV_OK
                   : put_surface(w, stem, OV_MESH_FORMAT_OBJ, &s, shape->mesh, row);
    }
    if (kind == OV_SHAPE_KIND_NONE) {
        return OV_OK;
    }
    return kind == OV_SHAPE_KIND_POLYHEDRON ? write_polyhedron(w, stem, &shape->shape, row)
                                            : write_shape(w, stem, &shape->shape, row);
}

static ov_status write_all(writer *w, const ov_robot *robot, ovi_mesh_name *row) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < robot->link_count; i++) {
        const ov_robot_link *link = &robot->links[i];
        w->link = link->name;
        for (size_t k = 0; k < link->collision_count && status == OV_OK; k++) {
            status = write_one(w, &link->collisions[k], row++);
        }
        for (size_t k = 0; k < link->visual_count && status == OV_OK; k++, row++) {
            status = w->wish.visuals ? write_one(w, &link->visuals[k], row) : OV_OK;
        }
        if (status != OV_OK) {
            break;
        }
    }
    return status;
}

/* ---- all meshes -------------------------------------------------------------------------------
 */

/** "NAME_meshes" for ".../NAME.ext"; from malloc. */
static char *meshes_prefix(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
    size_t size = strlen(name) + sizeof "_meshes";
    char *prefix = malloc(size);
    if (prefix != NULL) {
        (void)snprintf(prefix, size, "%.*s_meshes", length, name);
    }
    return prefix;
}

void ovi_robot_meshes_free(const ov_robot *robot, ovi_mesh_name *names) {
    for (size_t i = 0; names != NULL && i < robot->shape_count; i++) {
        free(names[i].file);
    }
    free(names);
}

ov_status ovi_robot_meshes_write(const ovi_robot_out *out, const ov_robot *robot,
                                 ovi_mesh_wish wish, ovi_undo *undo, ovi_mesh_name **names,
                                 ov_fault *fault) {
    char *above = NULL, *prefix = NULL, *folder = NULL;
    bool memory = true;
    if (out->path != NULL) {
        above = ovi_folder_of(out->path);
        prefix = meshes_prefix(out->path);
        folder = above != NULL && prefix != NULL ? ovi_path_join(above, prefix) : NULL;
        memory = folder != NULL;
    }
    ovi_mesh_name *rows = calloc(robot->shape_count + 1, sizeof *rows);
    writer w = {.format = out->format,
                .folder = out->path != NULL ? folder : out->folder,
                .prefix = out->path != NULL ? prefix : out->folder,
                .wish = wish,
                .undo = undo,
                .link = "",
                .fault = fault};
    ov_status status = memory && rows != NULL ? write_all(&w, robot, rows) : no_memory(&w);
    free(w.done);
    free(above);
    free(prefix);
    free(folder);
    if (status != OV_OK) {
        ovi_undo_run(undo);
        ovi_robot_meshes_free(robot, rows);
        rows = NULL;
    }
    *names = rows;
    return status;
}
