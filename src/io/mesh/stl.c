/**
 * @file stl.c
 * @brief Meshes from STL, text and binary, and to binary STL.
 *
 * The size alone tells which of the two it is: binary files exist whose header begins with
 * "solid", as text does. A text cannot have the size of a binary file by chance: the characters
 * where the number of triangles stands would mean more triangles than OV_MESH_BYTES_MAX allows.
 * The normals of the file are passed over; the order of the vertices has them too.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh_internal.h"

enum { HEAD = 84, RECORD = 50 };

/* ---- binary ---------------------------------------------------------------------------------- */

/** Lowest byte first. */
static uint32_t bytes_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static ov_status read_binary(const unsigned char *bytes, size_t count, ovi_mesh_maker *m) {
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = bytes + HEAD + RECORD * i + 12;
        size_t first = m->vertex_count;
        for (int k = 0; k < 3; k++, p += 12) {
            ov_vec3 v =
                ov_vec3_make(ovi_bytes_float(bytes_u32(p)), ovi_bytes_float(bytes_u32(p + 4)),
                             ovi_bytes_float(bytes_u32(p + 8)));
            if (!ov_vec3_is_finite(v)) {
                return ovi_mesh_refuse(m, OV_ERROR_NOT_FINITE, 0,
                                       "a coordinate of triangle %zu is not a finite number",
                                       i + 1);
            }
            ov_status status = ovi_mesh_add_vertex(m, v, 0);
            if (status != OV_OK) {
                return status;
            }
        }
        ov_status status = ovi_mesh_add_triangle(m, first, first + 1, first + 2, 0);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

static ov_status expect(ovi_text *t, const ovi_mesh_maker *m, const char *wanted) {
    ovi_word word;
    if (!ovi_text_word_anywhere(t, &word)) {
        return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                               "the file ends where '%s' should be", wanted);
    }
    if (!ovi_word_is(word, wanted)) {
        int length = word.length < 40 ? (int)word.length : 40;
        return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                               "'%.*s' stands where '%s' should be", length, word.at, wanted);
    }
    return OV_OK;
}

static ov_status read_vertex(ovi_text *t, ovi_mesh_maker *m) {
    double v[3];
    ov_status status = expect(t, m, "vertex");
    for (int k = 0; k < 3 && status == OV_OK; k++) {
        ovi_word word;
        if (!ovi_text_word_anywhere(t, &word)) {
            return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                                   "the file ends within a vertex");
        }
        status = ovi_mesh_number(m, word, t->line, &v[k]);
    }
    return status == OV_OK ? ovi_mesh_add_vertex(m, ov_vec3_make(v[0], v[1], v[2]), t->line)
                           : status;
}

/** What follows the word facet. */
static ov_status read_facet(ovi_text *t, ovi_mesh_maker *m) {
    size_t first = m->vertex_count, line = t->line;
    ov_status status = expect(t, m, "normal");
    // three words of any kind: some programs write nan
    ovi_word word;
    for (int k = 0; k < 3 && status == OV_OK; k++) {
        (void)ovi_text_word_anywhere(t, &word);
    }
    if (status == OV_OK) {
        status = expect(t, m, "outer");
    }
    if (status == OV_OK) {
        status = expect(t, m, "loop");
    }
    for (int k = 0; k < 3 && status == OV_OK; k++) {
        status = read_vertex(t, m);
    }
    if (status == OV_OK) {
        status = expect(t, m, "endloop");
    }
    if (status == OV_OK) {
        status = expect(t, m, "endfacet");
    }
    return status == OV_OK ? ovi_mesh_add_triangle(m, first, first + 1, first + 2, line) : status;
}

/** The facets of a solid, whose name, any text, ends its line. */
static ov_status read_solid(ovi_text *t, ovi_mesh_maker *m) {
    (void)ovi_text_next_line(t);
    ovi_word word;
    while (ovi_text_word_anywhere(t, &word)) {
        if (ovi_word_is(word, "endsolid")) {
            (void)ovi_text_next_line(t);
            return OV_OK;
        }
        if (!ovi_word_is(word, "facet")) {
            int length = word.length < 40 ? (int)word.length : 40;
            return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                                   "'%.*s' stands where 'facet' or 'endsolid' should be", length,
                                   word.at);
        }
        ov_status status = read_facet(t, m);
        if (status != OV_OK) {
            return status;
        }
    }
    return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                           "the file ends where 'facet' or 'endsolid' should be");
}

static ov_status read_text(ovi_text *t, ovi_mesh_maker *m) {
    ov_status status = OV_OK;
    do {
        status = expect(t, m, "solid");
        if (status == OV_OK) {
            status = read_solid(t, m);
        }
        // blank lines may end the file
        ovi_text ahead = *t;
        ovi_word word;
        if (!ovi_text_word_anywhere(&ahead, &word)) {
            break;
        }
    } while (status == OV_OK);
    return status;
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

/** Makes equal vertices one: three were read for each triangle. */
static ov_status weld_vertices(ovi_mesh_maker *m) {
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
    m->highest = 0; // they were three per triangle, all there
    return OV_OK;
}

/* ---- which of the two ------------------------------------------------------------------------ */

static bool begins_as_text(ovi_text t) {
    ovi_word word;
    return ovi_text_word_anywhere(&t, &word) && ovi_word_is(word, "solid");
}

ov_status ovi_mesh_read_stl(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    size_t count = size >= HEAD ? bytes_u32(bytes + HEAD - 4) : 0;
    ovi_text text = {(const char *)bytes, (const char *)bytes + size, 1, false};
    ov_status status;
    if (size >= HEAD && (uint64_t)size == HEAD + (uint64_t)RECORD * count) {
        status = read_binary(bytes, count, m);
    } else if (begins_as_text(text)) {
        status = read_text(&text, m);
    } else if (size < HEAD) {
        status = ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, 0,
                                 "not STL: no 'solid' at the beginning, and too short for binary");
    } else {
        status = ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, 0,
                                 "not STL: %zu triangles take 84 + 50 * %zu bytes, not %zu", count,
                                 count, size);
    }
    return status == OV_OK ? weld_vertices(m) : status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/** Unit normal of a triangle; zero where it has no area, which is what STL
 * readers expect. */
static ov_vec3 triangle_normal(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    // unit edges, since the cross product of tiny ones would be lost below the
    // least double
    ov_vec3 e1 = ov_vec3_normalize(ov_vec3_sub(b, a)), e2 = ov_vec3_normalize(ov_vec3_sub(c, a));
    return ov_vec3_normalize(ov_vec3_cross(e1, e2));
}

bool ovi_mesh_write_stl(FILE *f, const ovi_mesh_view *m) {
    // 80 bytes of header, which must not begin with "solid": that is how text STL
    // begins
    unsigned char head[84] = "binary STL, triangles outward";
    if (!ovi_mesh_write_bytes(f, head, ovi_put_u32(head + 80, (uint32_t)m->triangle_count))) {
        return false;
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        ov_vec3 a = m->vertices[m->triangles[t][0]], b = m->vertices[m->triangles[t][1]];
        ov_vec3 c = m->vertices[m->triangles[t][2]];
        unsigned char record[50];
        unsigned char *out = ovi_put_floats(record, triangle_normal(a, b, c));
        out = ovi_put_floats(ovi_put_floats(ovi_put_floats(out, a), b), c);
        *out++ = 0;
        *out++ = 0;
        if (!ovi_mesh_write_bytes(f, record, out)) {
            return false;
        }
    }
    return true;
}
