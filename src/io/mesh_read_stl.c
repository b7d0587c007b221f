/**
 * @file mesh_read_stl.c
 * @brief Meshes from STL, text and binary.
 *
 * Which of the two it is, is told by the size alone: binary files exist whose header begins with
 * "solid", as text does. A text cannot have the size of a binary file by chance: the characters
 * where the number of triangles stands would mean more triangles than OV_MESH_BYTES_MAX allows.
 * The normals of the file are passed over; the order of the vertices has them too.
 */
#include <string.h>

#include "mesh_read.h"

enum { HEAD = 84, RECORD = 50 };

/* ---- binary ---------------------------------------------------------------------------------- */

static ov_status read_binary(const unsigned char *bytes, size_t count, ovi_mesh_maker *m) {
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = bytes + HEAD + RECORD * i + 12;
        size_t first = m->vertex_count;
        for (int k = 0; k < 3; k++, p += 12) {
            ov_vec3 v = ov_vec3_make(ovi_bytes_float(ovi_bytes_u32(p)),
                                     ovi_bytes_float(ovi_bytes_u32(p + 4)),
                                     ovi_bytes_float(ovi_bytes_u32(p + 8)));
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

/* ---- which of the two ------------------------------------------------------------------------ */

static bool begins_as_text(ovi_text t) {
    ovi_word word;
    return ovi_text_word_anywhere(&t, &word) && ovi_word_is(word, "solid");
}

ov_status ovi_mesh_read_stl(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    size_t count = size >= HEAD ? ovi_bytes_u32(bytes + HEAD - 4) : 0;
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
    return status == OV_OK ? ovi_mesh_weld(m) : status;
}
