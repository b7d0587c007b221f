/**
 * @file obj.c
 * @brief Meshes from and to Wavefront OBJ: vertices and faces; everything else is passed over.
 *
 * Indices count from 1, or back from the last vertex where they are negative; those of textures and
 * normals are read only for their form. Free-form surfaces, lines and points have no triangles.
 */
#include <inttypes.h>
#include <string.h>

#include "mesh_internal.h"

static ov_status read_vertex(ovi_text *t, ovi_mesh_maker *m) {
    double v[3];
    for (int k = 0; k < 3; k++) {
        ovi_word word;
        if (!ovi_mesh_word(t, &word)) {
            return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                                   "a vertex needs three numbers");
        }
        ov_status status = ovi_mesh_number(m, word, t->line, &v[k]);
        if (status != OV_OK) {
            return status;
        }
    }
    // a weight or a colour may follow
    return ovi_mesh_add_vertex(m, ov_vec3_make(v[0], v[1], v[2]), t->line);
}

/** One corner of a face: v, v/vt, v//vn or v/vt/vn. */
static ov_status read_corner(ovi_word word, size_t line, const ovi_mesh_maker *m,
                             uint64_t *vertex) {
    int64_t numbers[3] = {0, 0, 0};
    ovi_word rest = word;
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        const char *slash = memchr(rest.at, '/', rest.length);
        ovi_word part = {rest.at, slash != NULL ? (size_t)(slash - rest.at) : rest.length};
        // v// is written by some programs, so that what follows the first slash may be empty
        good = ovi_word_integer(part, &numbers[k]) || (k > 0 && part.length == 0);
        if (slash == NULL) {
            rest.length = 0;
            break;
        }
        rest.at += part.length + 1;
        rest.length -= part.length + 1;
        good = good && k < 2;
    }
    int shown = word.length < 40 ? (int)word.length : 40;
    if (!good) {
        return ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, line, "'%.*s' is not a corner of a face",
                               shown, word.at);
    }
    int64_t count = (int64_t)m->vertex_count;
    if (numbers[0] == 0 || numbers[0] < -count) {
        return ovi_mesh_refuse(m, OV_ERROR_INDEX, line, "'%.*s' is not the index of a vertex",
                               shown, word.at);
    }
    *vertex = (uint64_t)(numbers[0] > 0 ? numbers[0] - 1 : count + numbers[0]);
    return OV_OK;
}

static ov_status read_face(ovi_text *t, ovi_mesh_maker *m) {
    ovi_word word;
    while (ovi_mesh_word(t, &word)) {
        uint64_t corner = 0;
        ov_status status = read_corner(word, t->line, m, &corner);
        if (status == OV_OK) {
            status = ovi_mesh_add_corner(m, corner);
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return m->corner_count >= 3 ? ovi_mesh_end_polygon(m, false, t->line)
                                : ovi_mesh_refuse(m, OV_ERROR_FILE_FORMAT, t->line,
                                                  "a face needs at least three vertices");
}

ov_status ovi_mesh_read_obj(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    // a byte order mark may stand before the text
    size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    ovi_text t = {(const char *)bytes + mark, (const char *)bytes + size, 1, true};
    do {
        ovi_word word;
        if (!ovi_mesh_word(&t, &word)) {
            continue;
        }
        ov_status status = OV_OK;
        if (word.length == 1 && *word.at == 'v') {
            status = read_vertex(&t, m);
        } else if (word.length == 1 && *word.at == 'f') {
            status = read_face(&t, m);
        }
        if (status != OV_OK) {
            return status;
        }
    } while (ovi_text_next_line(&t));
    return OV_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_points(FILE *f, const char *word, const ov_vec3 *points, size_t count) {
    for (size_t i = 0; i < count && !ferror(f); i++) {
        const double v[3] = {points[i].x, points[i].y, points[i].z};
        (void)fputs(word, f);
        for (int k = 0; k < 3; k++) {
            (void)fputc(' ', f);
            ovi_number_write(f, v[k]);
        }
        (void)fputc('\n', f);
    }
}

bool ovi_mesh_write_obj(FILE *f, const ovi_mesh_view *m) {
    if (fprintf(f, "# %zu vertices, %zu triangles\n", m->vertex_count, m->triangle_count) < 0) {
        return false;
    }
    write_points(f, "v", m->vertices, m->vertex_count);
    if (m->normals != NULL) {
        write_points(f, "vn", m->normals, m->vertex_count);
    }
    if (ferror(f)) {
        return false;
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        // indices count from 1; 64 bits, so that the last of 2^32 - 1 does not wrap
        uint64_t a = UINT64_C(1) + m->triangles[t][0], b = UINT64_C(1) + m->triangles[t][1];
        uint64_t c = UINT64_C(1) + m->triangles[t][2];
        int written = 0;
        if (m->normals != NULL) {
            written = fprintf(
                f, "f %" PRIu64 "//%" PRIu64 " %" PRIu64 "//%" PRIu64 " %" PRIu64 "//%" PRIu64 "\n",
                a, a, b, b, c, c);
        } else {
            written = fprintf(f, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", a, b, c);
        }
        if (written < 0) {
            return false;
        }
    }
    return true;
}
