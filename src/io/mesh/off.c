/**
 * @file off.c
 * @brief Meshes from OFF, the object file format of Geomview: text, with any extra columns.
 *
 * A file is a keyword (which may be left out), the numbers of vertices, faces and edges, then the
 * vertices and the faces. The keyword's letters ST, C and N announce texture coordinates, colours
 * and normals behind the coordinates of a vertex, and faces may have a colour behind their indices;
 * since programs disagree about how many columns those are, a vertex and a face take one line each,
 * and what follows on it is passed over. The letters 4 and n, which change the coordinates
 * themselves, and the binary variant are refused. The numbers of the header are claims of the file:
 * nothing is allocated by them.
 */
#include <string.h>

#include "mesh_internal.h"

/** The next word of this or a later line, past comments; false at the end of the text. */
static bool word_anywhere(ovi_text *t, ovi_word *word) {
    while (!ovi_mesh_word(t, word)) {
        if (!ovi_text_next_line(t)) {
            return false;
        }
    }
    return true;
}

static ov_status refuse_format(const ovi_mesh_maker *m, const ovi_text *t, const char *what) {
    return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line, "%s", what);
}

/** Passes over the keyword, if there is one. */
static ov_status read_keyword(ovi_text *t, const ovi_mesh_maker *m) {
    ovi_text start = *t;
    ovi_word word;
    if (!word_anywhere(t, &word)) {
        return refuse_format(m, t, "no numbers of vertices and faces");
    }
    const char *at = word.at, *end = word.at + word.length;
    static const char *const letters[] = {"ST", "C", "N"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        size_t length = strlen(letters[i]);
        if ((size_t)(end - at) > length && memcmp(at, letters[i], length) == 0) {
            at += length;
        }
    }
    size_t left = (size_t)(end - at);
    if ((left >= 4 && (memcmp(at, "4OFF", 4) == 0 || memcmp(at, "nOFF", 4) == 0)) ||
        (left >= 5 && memcmp(at, "4nOFF", 5) == 0)) {
        return refuse_format(m, t, "vertices of other than three dimensions cannot be read");
    }
    if (left < 3 || memcmp(at, "OFF", 3) != 0) {
        *t = start; // the keyword may be left out
        return OV_OK;
    }
    // some files have the first number right behind the keyword
    t->at = at + 3;
    ovi_text ahead = *t;
    if (ovi_mesh_word(&ahead, &word) && ovi_word_is(word, "binary")) {
        return refuse_format(m, t, "binary OFF cannot be read");
    }
    return OV_OK;
}

static ov_status read_count(ovi_text *t, const ovi_mesh_maker *m, uint64_t *count) {
    ovi_word word;
    int64_t value;
    if (!word_anywhere(t, &word) || !ovi_word_integer(word, &value) || value < 0) {
        return refuse_format(m, t, "the numbers of vertices and faces are expected");
    }
    *count = (uint64_t)value;
    return OV_OK;
}

static ov_status read_vertex(ovi_text *t, ovi_mesh_maker *m) {
    double v[3];
    for (int k = 0; k < 3; k++) {
        ovi_word word;
        if (!(k == 0 ? word_anywhere(t, &word) : ovi_mesh_word(t, &word))) {
            return refuse_format(m, t, "a vertex needs three numbers");
        }
        ov_status status = ovi_mesh_number(m, word, t->line, &v[k]);
        if (status != OV_OK) {
            return status;
        }
    }
    ov_status status = ovi_mesh_add_vertex(m, ov_vec3_make(v[0], v[1], v[2]), t->line);
    (void)ovi_text_next_line(t);
    return status;
}

/** One or two vertices are a point or a line, which have no triangles. */
static ov_status read_face(ovi_text *t, ovi_mesh_maker *m) {
    ovi_word word;
    int64_t corners = 0;
    if (!word_anywhere(t, &word) || !ovi_word_integer(word, &corners) || corners < 1) {
        return refuse_format(m, t, "a face needs its number of vertices");
    }
    for (int64_t k = 0; k < corners; k++) {
        int64_t vertex = 0;
        if (!ovi_mesh_word(t, &word) || !ovi_word_integer(word, &vertex)) {
            return refuse_format(m, t, "a face has fewer vertices than it says");
        }
        if (vertex < 0 || (uint64_t)vertex >= m->vertex_count) {
            return ovi_mesh_refuse(m, OV_ERROR_INDEX, t->line,
                                   "a face has vertex %lld (from 0), but there are %zu",
                                   (long long)vertex, m->vertex_count);
        }
        ov_status status = corners < 3 ? OV_OK : ovi_mesh_add_corner(m, (uint64_t)vertex);
        if (status != OV_OK) {
            return status;
        }
    }
    ov_status status = corners < 3 ? OV_OK : ovi_mesh_end_polygon(m, false, t->line);
    (void)ovi_text_next_line(t);
    return status;
}

ov_status ovi_mesh_read_off(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    // a byte order mark may stand before the text
    size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    ovi_text t = {(const char *)bytes + mark, (const char *)bytes + size, 1, false};
    uint64_t vertices = 0, faces = 0;
    ov_status status = read_keyword(&t, m);
    if (status == OV_OK) {
        status = read_count(&t, m, &vertices);
    }
    if (status == OV_OK) {
        status = read_count(&t, m, &faces);
    }
    // the number of edges, which need not be right, is often left out
    (void)ovi_text_next_line(&t);
    for (uint64_t i = 0; i < vertices && status == OV_OK; i++) {
        status = read_vertex(&t, m);
    }
    for (uint64_t i = 0; i < faces && status == OV_OK; i++) {
        status = read_face(&t, m);
    }
    ovi_word word;
    if (status == OV_OK && word_anywhere(&t, &word)) {
        return refuse_format(m, &t, "the file goes on after its last face");
    }
    return status;
}
