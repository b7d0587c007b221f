/**
 * @file mesh_read.c
 * @brief Triangle meshes from files: the way in, and what all formats share.
 *
 * The readers are the project's own, since meshes come from anywhere and the usual library for them
 * crashes on broken ones: assimp 5.2.5, as Debian 12 has it, ends with a segmentation fault on a text
 * PLY of three vertices with the face `3 0 1 4294967295`, and on a COLLADA file with a node that uses
 * itself (<instance_node>). Both are tests here. A file is read into memory as a whole; a reader makes vertices and
 * triangles from its bytes; then the indices are checked and vertices that no triangle uses are
 * dropped, so that boxes and hulls of the vertices are those of the triangles.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh_read.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

unsigned char *ovi_bytes_read(FILE *stream, size_t limit, size_t *size) {
    size_t room = 1 << 16;
    unsigned char *bytes = malloc(room);
    *size = 0;
    while (bytes != NULL) {
        *size += fread(bytes + *size, 1, room - *size, stream);
        if (*size < room || *size > limit) {
            return bytes;
        }
        // one byte more than the limit tells that there are more
        size_t wanted = room > limit / 2 ? limit + 1 : 2 * room;
        unsigned char *more = realloc(bytes, wanted);
        if (more == NULL) {
            free(bytes);
        }
        bytes = more;
        room = wanted;
    }
    return NULL;
}

uint32_t ovi_bytes_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

unsigned char *ovi_put_u32(unsigned char *out, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        *out++ = (unsigned char)(value >> (8 * k) & 0xffu);
    }
    return out;
}

unsigned char *ovi_put_floats(unsigned char *out, ov_vec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        float narrow = (float)values[k];
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        out = ovi_put_u32(out, bits);
    }
    return out;
}

double ovi_bytes_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* ---- the mesh as it grows -------------------------------------------------------------------- */

ov_status ovi_mesh_refuse(const ovi_mesh_maker *m, ov_status status, size_t line,
                          const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_fault_list(m->fault, status, line, format, values);
    va_end(values);
    return status;
}

bool ovi_mesh_grow(void *array, size_t *room, size_t count, size_t element) {
    if (count < *room) {
        return true;
    }
    size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *block;
    memcpy(&block, array, sizeof block);
    block = wanted <= SIZE_MAX / element ? realloc(block, wanted * element) : NULL;
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    *room = wanted;
    return true;
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
    if (!ovi_mesh_grow(&m->vertices, &m->vertex_room, m->vertex_count, sizeof v)) {
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
    if (!ovi_mesh_grow(&m->triangles, &m->triangle_room, m->triangle_count, sizeof *m->triangles)) {
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

/* ---- welding --------------------------------------------------------------------------------- */

/** Vertices by their bits: a table of 1 + index, 0 where it is empty, of a power of two. */
typedef struct weld_table {
    uint32_t *slots;
    size_t size;
    uint64_t seed;
} weld_table;

static uint64_t mix(uint64_t h, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static bool is_same(ov_vec3 a, ov_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static size_t slot_of(const weld_table *t, const ov_vec3 *vertices, ov_vec3 v) {
    uint64_t h = mix(mix(mix(t->seed, v.x), v.y), v.z);
    size_t i = (size_t)(h * UINT64_C(0xc4ceb9fe1a85ec53) >> 20) & (t->size - 1);
    while (t->slots[i] != 0 && !is_same(vertices[t->slots[i] - 1], v)) {
        i = (i + 1) & (t->size - 1);
    }
    return i;
}

/** Twice the room, with the first `count` vertices. */
static bool weld_table_grow(weld_table *t, const ov_vec3 *vertices, size_t count) {
    size_t size = t->size == 0 ? 1024 : 2 * t->size;
    uint32_t *slots = calloc(size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(t->slots);
    t->slots = slots;
    t->size = size;
    // the place differs from run to run: nobody can write a file whose vertices all share a slot
    t->seed = (uint64_t)(uintptr_t)slots * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < count; i++) {
        t->slots[slot_of(t, vertices, vertices[i])] = (uint32_t)i + 1;
    }
    return true;
}

ov_status ovi_mesh_weld(ovi_mesh_maker *m) {
    weld_table table = {0};
    uint32_t *target = malloc((m->vertex_count + 1) * sizeof *target);
    size_t kept = 0;
    bool good = target != NULL;
    for (size_t i = 0; i < m->vertex_count && good; i++) {
        if (2 * kept >= table.size) {
            good = weld_table_grow(&table, m->vertices, kept);
            if (!good) {
                break;
            }
        }
        // minus zero is zero
        ov_vec3 v = ov_vec3_add(m->vertices[i], ov_vec3_make(0.0, 0.0, 0.0));
        size_t slot = slot_of(&table, m->vertices, v);
        if (table.slots[slot] == 0) {
            m->vertices[kept++] = v;
            table.slots[slot] = (uint32_t)kept;
        }
        target[i] = table.slots[slot] - 1;
    }
    for (size_t t = 0; t < m->triangle_count && good; t++) {
        for (int k = 0; k < 3; k++) {
            m->triangles[t][k] = target[m->triangles[t][k]];
        }
    }
    free(table.slots);
    free(target);
    if (!good) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    m->vertex_count = kept;
    m->highest = 0; // they were three a triangle, all there
    return OV_OK;
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
    if (m->triangle_count == 0) {
        return ovi_mesh_refuse(m, OV_ERROR_COUNT, 0, "no triangles");
    }
    if (m->highest >= m->vertex_count) {
        return ovi_mesh_refuse(m, OV_ERROR_INDEX, m->highest_line,
                               "a triangle has vertex %llu (from 1), but there are %zu",
                               (unsigned long long)m->highest + 1, m->vertex_count);
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
    default:
        return ovi_mesh_read_collada(bytes, size, m);
    }
}

/** Gives back what a growing array took too much; the array itself where that fails. */
static void *trim(void *block, size_t size) {
    void *less = size > 0 ? realloc(block, size) : NULL;
    return less != NULL ? less : block;
}

static ov_status read_checked(const void *bytes, size_t size, ov_mesh_format format, bool keep_axes,
                              ov_mesh_data *mesh, ov_fault *fault) {
    ovi_mesh_maker m = {.keep_axes = keep_axes, .fault = fault};
    ovi_locale locale;
    if (size > OV_MESH_BYTES_MAX) {
        return ovi_file_fault(fault, OV_ERROR_COUNT, 0, "longer than %zu bytes", OV_MESH_BYTES_MAX);
    }
    if (size == 0) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0, "empty, where a mesh should be");
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

/* ---- interface ------------------------------------------------------------------------------- */

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
        format != OV_MESH_FORMAT_PLY && format != OV_MESH_FORMAT_COLLADA) {
        return ovi_file_fault(fault, OV_ERROR_OPTION, 0, "not a format of meshes");
    }
    return read_checked(bytes, size, format, false, mesh, fault);
}

ov_status ovi_mesh_read_axes(const char *path, bool keep_axes, ov_mesh_data *mesh,
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
                              "a mesh must be .stl, .obj, .ply or .dae");
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
        status = read_checked(bytes, size, format, keep_axes, mesh, fault);
    }
    free(bytes);
    return status;
}

ov_status ov_mesh_read(const char *path, ov_mesh_data *mesh, ov_fault *fault) {
    return ovi_mesh_read_axes(path, false, mesh, fault);
}

void ov_mesh_free(ov_mesh_data *mesh) {
    if (mesh != NULL) {
        free(mesh->vertices);
        free(mesh->triangles);
        *mesh = (ov_mesh_data){0};
    }
}
