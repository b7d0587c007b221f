/**
 * @file mesh.c
 * @brief Triangle meshes from files and to files: the way in and out, and what all formats share.
 *
 * The readers are the project's own, since meshes come from anywhere and the usual library for them
 * crashes on broken ones: assimp 5.2.5, as Debian 12 has it, ends with a segmentation fault on a
 * text PLY of three vertices with the face `3 0 1 4294967295`, and on a COLLADA file with a node
 * that uses itself (<instance_node>). Both are tests here.
 *
 * A file is read into memory as a whole; a reader (stl.c, obj.c, off.c, ply.c, collada_read.c)
 * makes vertices and triangles from its bytes; then the indices are checked and vertices that no
 * triangle uses are dropped, so that boxes and hulls of the vertices are those of the triangles.
 * What is written is checked before its first byte.
 *
 * Polygons are cut into triangles. A convex one is a fan about its first corner. The fan of another
 * one would cover what the polygon leaves free, so ears are cut off it one after the other
 * [Meisters, Polygons have ears, 1975]: three corners in a row whose triangle holds no other
 * corner. It is looked at along its mean normal [Newell]. A polygon that crosses itself has no
 * right answer, and gets a fan where no ear is left. Cutting takes time that grows with the square
 * of the corners, so a file has a budget for it.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_internal.h"

/* ---- the mesh as it grows -------------------------------------------------------------------- */

ov_status ovi_mesh_refuse(const ovi_mesh_maker *m, ov_status status, size_t line,
                          const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_fault_list(m->fault, status, line, format, values);
    va_end(values);
    return status;
}

ov_status ovi_mesh_add_vertex(ovi_mesh_maker *m, ov_vec3 v, size_t line) {
    if (!ov_vec3_is_finite(v)) {
        return ovi_mesh_refuse(m, OV_ERROR_NOT_FINITE, line,
                               "a coordinate of vertex %zu is not a finite number",
                               m->vertex_count + 1);
    }
    if (fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) > OV_SIZE_MAX) {
        return ovi_mesh_refuse(m, OV_ERROR_SIZE_RANGE, line,
                               "a coordinate of vertex %zu is larger than %g", m->vertex_count + 1,
                               OV_SIZE_MAX);
    }
    // three for each triangle of STL, before equal ones become one
    if (m->vertex_count >= 3 * OV_TRIMESH_MAX) {
        return ovi_mesh_refuse(m, OV_ERROR_COUNT, line, "more than %zu vertices",
                               3 * OV_TRIMESH_MAX);
    }
    if (!ovi_room(&m->vertices, &m->vertex_room, m->vertex_count, sizeof v)) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    m->vertices[m->vertex_count++] = v;
    return OV_OK;
}

ov_status ovi_mesh_add_triangle(ovi_mesh_maker *m, uint64_t a, uint64_t b, uint64_t c,
                                size_t line) {
    uint64_t top = a > b ? a : b;
    top = c > top ? c : top;
    if (top > m->highest) {
        m->highest = top;
        m->highest_line = line;
    }
    // such an index is refused in the end, whatever vertices may still come
    if (top >= 3 * OV_TRIMESH_MAX) {
        return ovi_mesh_refuse(m, OV_ERROR_INDEX, line, "a triangle has a vertex %llu",
                               (unsigned long long)top + 1);
    }
    if (m->triangle_count >= OV_TRIMESH_MAX) {
        return ovi_mesh_refuse(m, OV_ERROR_COUNT, line, "more than %zu triangles", OV_TRIMESH_MAX);
    }
    if (!ovi_room(&m->triangles, &m->triangle_room, m->triangle_count, sizeof *m->triangles)) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    uint32_t *t = m->triangles[m->triangle_count++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
    return OV_OK;
}

ov_status ovi_mesh_number(const ovi_mesh_maker *m, ovi_word word, size_t line, double *value) {
    ov_status status = ovi_word_number(word, value);
    const char *what = status == OV_ERROR_NOT_FINITE   ? "is not finite"
                       : status == OV_ERROR_SIZE_RANGE ? "is too large"
                                                       : "is not a number";
    int length = word.length < 40 ? (int)word.length : 40;
    return status == OV_OK ? status
                           : ovi_mesh_refuse(m, status, line, "'%.*s' %s", length, word.at, what);
}

void ovi_mesh_scale(ov_mesh_data *mesh, ov_vec3 scale) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i] = ov_vec3_mul(mesh->vertices[i], scale);
    }
    bool mirrored = (scale.x < 0.0) != ((scale.y < 0.0) != (scale.z < 0.0));
    for (size_t i = 0; i < mesh->triangle_count && mirrored; i++) {
        uint32_t second = mesh->triangles[i][1];
        mesh->triangles[i][1] = mesh->triangles[i][2];
        mesh->triangles[i][2] = second;
    }
}

/* ---- polygons -------------------------------------------------------------------------------- */

/** Tests of a corner against a triangle, for all polygons of a file: a few seconds. */
#define EAR_BUDGET ((uint64_t)1 << 31)

struct ovi_ear {
    double x, y; /**< along the mean normal */
    uint32_t previous, next;
    bool reflex, ear;
};

static double cross_2d(const ovi_ear *a, const ovi_ear *b, const ovi_ear *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static ov_vec3 corner_of(const ovi_mesh_maker *m, size_t i) { return m->vertices[m->corners[i]]; }

/** Twice the vector area, in units of the polygon's extent; false where it has none. */
static bool mean_normal(const ovi_mesh_maker *m, ov_vec3 *normal, double *extent) {
    ov_vec3 origin = corner_of(m, 0), sum = {0.0, 0.0, 0.0};
    *extent = 0.0;
    for (size_t i = 1; i < m->corner_count; i++) {
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), origin);
        *extent = fmax(*extent, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
    if (!(*extent > 0.0)) {
        return false;
    }
    ov_vec3 before = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < m->corner_count; i++) {
        // divided, not multiplied by the inverse, which may overflow
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), origin);
        d = ov_vec3_make(d.x / *extent, d.y / *extent, d.z / *extent);
        sum = ov_vec3_add(sum, ov_vec3_cross(before, d));
        before = d;
    }
    *normal = sum;
    return ov_vec3_length(sum) > 1e-12;
}

/** The corners in the plane that is nearest to theirs, counter-clockwise, as a ring. */
static void flatten(ovi_mesh_maker *m, ov_vec3 n, double extent) {
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    size_t count = m->corner_count;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), corner_of(m, 0));
        ovi_ear *e = &m->ears[i];
        if (az >= ax && az >= ay) {
            e->x = n.z > 0.0 ? d.x : -d.x;
            e->y = d.y;
        } else if (ay >= ax) {
            e->x = n.y > 0.0 ? d.z : -d.z;
            e->y = d.x;
        } else {
            e->x = n.x > 0.0 ? d.y : -d.y;
            e->y = d.z;
        }
        e->x /= extent;
        e->y /= extent;
        e->previous = (uint32_t)((i + count - 1) % count);
        e->next = (uint32_t)((i + 1) % count);
    }
}

/** Do all corners turn left, and the polygon go round once? */
static bool is_convex(const ovi_mesh_maker *m) {
    size_t turns = 0; // from right to left in x: one in a convex polygon
    bool leftward = false, known = false, first = false;
    for (size_t i = 0; i < m->corner_count; i++) {
        const ovi_ear *e = &m->ears[i], *next = &m->ears[e->next];
        if (cross_2d(&m->ears[e->previous], e, next) < -1e-12) {
            return false;
        }
        if (next->x != e->x) {
            bool left = next->x < e->x;
            turns += known && left && !leftward;
            first = known ? first : left;
            leftward = left;
            known = true;
        }
    }
    turns += known && first && !leftward;
    return turns <= 1;
}

static ov_status add_cut(ovi_mesh_maker *m, size_t a, size_t b, size_t c, bool mirrored,
                         size_t line) {
    uint64_t x = m->corners[b], y = m->corners[c];
    return ovi_mesh_add_triangle(m, m->corners[a], mirrored ? y : x, mirrored ? x : y, line);
}

/** A fan over the ring from `first` on. */
static ov_status add_fan(ovi_mesh_maker *m, uint32_t first, bool mirrored, size_t line) {
    uint32_t b = m->ears[first].next, c = m->ears[b].next;
    ov_status status = OV_OK;
    while (c != first && status == OV_OK) {
        status = add_cut(m, first, b, c, mirrored, line);
        b = c;
        c = m->ears[c].next;
    }
    return status;
}

/** Is p in the triangle or on its edge? Its corners themselves, and what lies on them, are not. */
static bool triangle_holds(const ovi_ear *a, const ovi_ear *b, const ovi_ear *c, const ovi_ear *p) {
    bool at_corner = (p->x == a->x && p->y == a->y) || (p->x == b->x && p->y == b->y) ||
                     (p->x == c->x && p->y == c->y);
    return !at_corner && cross_2d(a, b, p) >= 0.0 && cross_2d(b, c, p) >= 0.0 &&
           cross_2d(c, a, p) >= 0.0;
}

/** Looks anew at a corner: does the ring turn right there, and if not, is it an ear? */
static void judge_ear(ovi_mesh_maker *m, uint32_t i) {
    ovi_ear *e = &m->ears[i];
    const ovi_ear *a = &m->ears[e->previous], *c = &m->ears[e->next];
    double turn = cross_2d(a, e, c);
    e->reflex = turn <= 0.0;
    e->ear = turn > 0.0;
    for (uint32_t k = c->next; k != e->previous && e->ear; k = m->ears[k].next) {
        m->ear_work++;
        // only a corner that turns right, or not at all, can be the first one in the way
        e->ear = !(m->ears[k].reflex && triangle_holds(a, e, c, &m->ears[k]));
    }
}

static ov_status too_much_work(const ovi_mesh_maker *m, size_t line) {
    return ovi_mesh_refuse(m, OV_ERROR_COUNT, line,
                           "too many polygons that are not convex, with too many corners");
}

static ov_status cut_ears(ovi_mesh_maker *m, bool mirrored, size_t line) {
    size_t left = m->corner_count;
    for (uint32_t i = 0; i < left; i++) {
        ovi_ear *e = &m->ears[i];
        e->reflex = cross_2d(&m->ears[e->previous], e, &m->ears[e->next]) <= 0.0;
    }
    for (uint32_t i = 0; i < left; i++) {
        judge_ear(m, i);
        if (m->ear_work > EAR_BUDGET) {
            return too_much_work(m, line);
        }
    }
    uint32_t at = 0, seen = 0;
    ov_status status = OV_OK;
    while (left > 3 && seen < left && status == OV_OK) {
        ovi_ear *e = &m->ears[at];
        if (!e->ear) {
            at = e->next;
            seen++;
            m->ear_work++;
            continue;
        }
        status = add_cut(m, e->previous, at, e->next, mirrored, line);
        m->ears[e->previous].next = e->next;
        m->ears[e->next].previous = e->previous;
        judge_ear(m, e->previous);
        judge_ear(m, e->next);
        at = e->next;
        seen = 0;
        left--;
        if (m->ear_work > EAR_BUDGET) {
            return too_much_work(m, line);
        }
    }
    return status == OV_OK ? add_fan(m, at, mirrored, line) : status;
}

ov_status ovi_mesh_add_corner(ovi_mesh_maker *m, uint64_t vertex) {
    if (!ovi_room(&m->corners, &m->corner_room, m->corner_count, sizeof *m->corners)) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    m->corners[m->corner_count++] = vertex;
    return OV_OK;
}

ov_status ovi_mesh_end_polygon(ovi_mesh_maker *m, bool mirrored, size_t line) {
    size_t count = m->corner_count;
    bool known = count > 3;
    for (size_t i = 0; i < count && known; i++) {
        known = m->corners[i] < m->vertex_count;
    }
    ov_vec3 normal;
    double extent;
    ov_status status = OV_OK;
    if (known && mean_normal(m, &normal, &extent)) {
        while (m->ear_room < count) {
            if (!ovi_room(&m->ears, &m->ear_room, m->ear_room, sizeof *m->ears)) {
                return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
            }
        }
        flatten(m, normal, extent);
        status = is_convex(m) ? add_fan(m, 0, mirrored, line) : cut_ears(m, mirrored, line);
    } else {
        for (size_t i = 1; i + 1 < count && status == OV_OK; i++) {
            status = add_cut(m, 0, i, i + 1, mirrored, line);
        }
    }
    m->corner_count = 0;
    return status;
}

/* ---- the finished mesh ----------------------------------------------------------------------- */

/** Drops the vertices that no triangle uses; the others keep their order. */
static ov_status drop_unused(ovi_mesh_maker *m) {
    uint32_t *target = calloc(m->vertex_count, sizeof *target);
    if (target == NULL) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            target[m->triangles[t][k]] = 1;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        if (target[i] != 0) {
            target[i] = (uint32_t)kept;
            m->vertices[kept++] = m->vertices[i];
        }
    }
    for (size_t t = 0; t < m->triangle_count && kept < m->vertex_count; t++) {
        for (int k = 0; k < 3; k++) {
            m->triangles[t][k] = target[m->triangles[t][k]];
        }
    }
    free(target);
    m->vertex_count = kept;
    return OV_OK;
}

static ov_status finish(ovi_mesh_maker *m) {
    if (m->triangle_count == 0 && !m->is_cloud) {
        return ovi_mesh_refuse(m, OV_ERROR_COUNT, 0, "no triangles");
    }
    if (m->triangle_count > 0 && m->highest >= m->vertex_count) {
        return ovi_mesh_refuse(m, OV_ERROR_INDEX, m->highest_line,
                               "a triangle has vertex %llu (from 1), but there are %zu",
                               (unsigned long long)m->highest + 1, m->vertex_count);
    }
    if (m->is_cloud) {
        return m->vertex_count > 0 ? OV_OK
                                   : ovi_mesh_refuse(m, OV_ERROR_COUNT, 0, "holds no points");
    }
    ov_status status = drop_unused(m);
    if (status == OV_OK && m->vertex_count > OV_TRIMESH_MAX) {
        status = ovi_mesh_refuse(m, OV_ERROR_COUNT, 0, "more than %zu vertices", OV_TRIMESH_MAX);
    }
    return status;
}

static ov_status read_format(const unsigned char *bytes, size_t size, ov_mesh_format format,
                             ovi_mesh_maker *m) {
    switch (format) {
    case OV_MESH_FORMAT_STL:
        return ovi_mesh_read_stl(bytes, size, m);
    case OV_MESH_FORMAT_OBJ:
        return ovi_mesh_read_obj(bytes, size, m);
    case OV_MESH_FORMAT_PLY:
        return ovi_mesh_read_ply(bytes, size, m);
    case OV_MESH_FORMAT_OFF:
        return ovi_mesh_read_off(bytes, size, m);
    default:
        return ovi_mesh_read_collada(bytes, size, m);
    }
}

/** Gives back what a growing array took too much; the array itself where that fails. */
static void *trim(void *block, size_t size) {
    void *less = size > 0 ? realloc(block, size) : NULL;
    return less != NULL ? less : block;
}

/** Bytes at the beginning of a file that are looked at to tell what it is. */
enum { LOOKED_AT = 200 };

/** `m` is empty, but for how it is to be made. */
static ov_status read_checked(const void *bytes, size_t size, ov_mesh_format format,
                              ovi_mesh_maker m, ov_mesh_data *mesh, ov_fault *fault) {
    ovi_locale locale;
    m.fault = fault;
    if (size > OV_MESH_BYTES_MAX) {
        return ovi_file_fault(fault, OV_ERROR_COUNT, 0, "longer than %zu bytes", OV_MESH_BYTES_MAX);
    }
    if (size == 0) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0, "empty, where a mesh should be");
    }
    if (ov_file_kind_of(bytes, size < LOOKED_AT ? size : LOOKED_AT) == OV_FILE_KIND_LFS) {
        return ovi_wrong_file(fault, OV_FILE_KIND_LFS, 1, "a mesh");
    }
    if (!ovi_locale_enter(&locale)) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    ov_status status = read_format(bytes, size, format, &m);
    ovi_locale_leave(&locale);
    free(m.corners);
    free(m.ears);
    if (status == OV_OK) {
        status = finish(&m);
    }
    if (status != OV_OK) {
        free(m.vertices);
        free(m.triangles);
        return status;
    }
    mesh->vertices = trim(m.vertices, m.vertex_count * sizeof *m.vertices);
    mesh->triangles = trim(m.triangles, m.triangle_count * sizeof *m.triangles);
    mesh->vertex_count = m.vertex_count;
    mesh->triangle_count = m.triangle_count;
    return OV_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

static void clear(ov_mesh_data *mesh, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (mesh != NULL) {
        *mesh = (ov_mesh_data){0};
    }
}

ov_status ov_mesh_read_memory(const void *bytes, size_t size, ov_mesh_format format,
                              ov_mesh_data *mesh, ov_fault *fault) {
    clear(mesh, fault);
    if (mesh == NULL || (bytes == NULL && size > 0)) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    if (format != OV_MESH_FORMAT_STL && format != OV_MESH_FORMAT_OBJ &&
        format != OV_MESH_FORMAT_PLY && format != OV_MESH_FORMAT_COLLADA &&
        format != OV_MESH_FORMAT_OFF) {
        return ovi_file_fault(fault, OV_ERROR_OPTION, 0, "not a format of meshes");
    }
    return read_checked(bytes, size, format, (ovi_mesh_maker){.keep_axes = false}, mesh, fault);
}

/** `how` is an empty mesh, and how it is to be made. */
static ov_status read_file(const char *path, ovi_mesh_maker how, ov_mesh_data *mesh,
                           ov_fault *fault) {
    clear(mesh, fault);
    if (path == NULL || mesh == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened");
    }
    ov_mesh_format format = ov_mesh_format_from_path(path);
    if (format == OV_MESH_FORMAT_NONE) {
        (void)fclose(stream);
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0,
                              "a mesh must be .stl, .obj, .ply, .off or .dae");
    }
    size_t size = 0;
    unsigned char *bytes = ovi_bytes_read(stream, OV_MESH_BYTES_MAX, &size);
    bool failed = ferror(stream) != 0;
    (void)fclose(stream);
    ov_status status;
    if (bytes == NULL) {
        status = ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    } else if (failed) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    } else {
        status = read_checked(bytes, size, format, how, mesh, fault);
    }
    free(bytes);
    return status;
}

ov_status ovi_mesh_read_axes(const char *path, bool keep_axes, ov_mesh_data *mesh,
                             ov_fault *fault) {
    return read_file(path, (ovi_mesh_maker){.keep_axes = keep_axes}, mesh, fault);
}

ov_status ov_mesh_read(const char *path, ov_mesh_data *mesh, ov_fault *fault) {
    return ovi_mesh_read_axes(path, false, mesh, fault);
}

ov_status ov_mesh_read_points(const char *path, ov_vec3 **points, size_t *count, ov_fault *fault) {
    ov_mesh_data mesh;
    clear(NULL, fault);
    if (points == NULL || count == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    ov_status status = read_file(path, (ovi_mesh_maker){.is_cloud = true}, &mesh, fault);
    *points = mesh.vertices;
    *count = mesh.vertex_count;
    free(mesh.triangles);
    return status;
}

void ov_mesh_free(ov_mesh_data *mesh) {
    if (mesh != NULL) {
        free(mesh->vertices);
        free(mesh->triangles);
        *mesh = (ov_mesh_data){0};
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static ov_status check_mesh(const ovi_mesh_view *m, ov_mesh_format format) {
    if (m->vertices == NULL || m->triangles == NULL) {
        return OV_ERROR_NULL;
    }
    if (format != OV_MESH_FORMAT_OBJ && format != OV_MESH_FORMAT_STL &&
        format != OV_MESH_FORMAT_PLY) {
        return OV_ERROR_OPTION;
    }
    if (m->vertex_count == 0 || m->triangle_count == 0 || m->vertex_count > UINT32_MAX ||
        m->triangle_count > UINT32_MAX) {
        return OV_ERROR_COUNT;
    }
    double largest = 0.0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        ov_vec3 v = m->vertices[i];
        if (!ov_vec3_is_finite(v) || (m->normals != NULL && !ov_vec3_is_finite(m->normals[i]))) {
            return OV_ERROR_NOT_FINITE;
        }
        largest = fmax(largest, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            if (m->triangles[t][k] >= m->vertex_count) {
                return OV_ERROR_INDEX;
            }
        }
    }
    if (format == OV_MESH_FORMAT_STL && (largest > (double)FLT_MAX || largest < (double)FLT_MIN)) {
        return OV_ERROR_SIZE_RANGE;
    }
    return OV_OK;
}

/** A checked mesh and how to write it. */
typedef struct job {
    const ovi_mesh_view *m;
    ov_mesh_format format;
} job;

static bool write_mesh(FILE *f, const void *what) {
    const job *j = what;
    if (j->format == OV_MESH_FORMAT_OBJ) {
        return ovi_mesh_write_obj(f, j->m);
    }
    return j->format == OV_MESH_FORMAT_STL ? ovi_mesh_write_stl(f, j->m)
                                           : ovi_mesh_write_ply(f, j->m);
}

ov_status ov_mesh_write(const char *path, ov_mesh_format format, const ov_vec3 *vertices,
                        const ov_vec3 *normals, size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count) {
    ovi_mesh_view m = {vertices, normals, triangles, vertex_count, triangle_count};
    if (path == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_mesh(&m, format);
    job j = {&m, format};
    return status == OV_OK ? ovi_file_write(path, NULL, write_mesh, &j) : status;
}

ov_status ov_mesh_write_stream(FILE *stream, ov_mesh_format format, const ov_vec3 *vertices,
                               const ov_vec3 *normals, size_t vertex_count,
                               const uint32_t (*triangles)[3], size_t triangle_count) {
    ovi_mesh_view m = {vertices, normals, triangles, vertex_count, triangle_count};
    if (stream == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_mesh(&m, format);
    job j = {&m, format};
    return status == OV_OK ? ovi_stream_write(stream, write_mesh, &j) : status;
}

ov_mesh_format ov_mesh_format_from_path(const char *path) {
    static const struct {
        const char ending[5];
        ov_mesh_format format;
    } known[] = {{".obj", OV_MESH_FORMAT_OBJ},
                 {".stl", OV_MESH_FORMAT_STL},
                 {".ply", OV_MESH_FORMAT_PLY},
                 {".off", OV_MESH_FORMAT_OFF},
                 {".dae", OV_MESH_FORMAT_COLLADA}};
    size_t length = path == NULL ? 0 : strlen(path);
    for (size_t i = 0; i < sizeof known / sizeof known[0] && length >= 4; i++) {
        const char *tail = path + length - 4;
        bool same = true;
        for (int k = 0; k < 4; k++) {
            // letters alone are in either case; a change of bit 5 would confuse other
            // characters
            char c = tail[k] >= 'A' && tail[k] <= 'Z' ? (char)(tail[k] - 'A' + 'a') : tail[k];
            same = same && c == known[i].ending[k];
        }
        if (same) {
            return known[i].format;
        }
    }
    return OV_MESH_FORMAT_NONE;
}
