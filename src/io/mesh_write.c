/**
 * @file mesh_write.c
 * @brief Triangle meshes as OBJ, STL and PLY.
 *
 * Everything is checked before the first byte is written. Binary formats are
 * put together byte by byte, so they are the same on every machine.
 */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "io_internal.h"

typedef struct mesh {
    const ov_vec3 *vertices, *normals;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} mesh;

/* ---- checks */

static ov_status check_mesh(const mesh *m, ov_mesh_format format) {
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

/* ---- bytes, lowest first */

static unsigned char *put_double(unsigned char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    out = ovi_put_u32(out, (uint32_t)(bits & 0xffffffffu));
    return ovi_put_u32(out, (uint32_t)(bits >> 32));
}

static unsigned char *put_doubles(unsigned char *out, ov_vec3 v) {
    return put_double(put_double(put_double(out, v.x), v.y), v.z);
}

static bool write_bytes(FILE *f, const unsigned char *bytes, const unsigned char *end) {
    size_t count = (size_t)(end - bytes);
    return fwrite(bytes, 1, count, f) == count;
}

/* ---- formats; each is false where the stream failed */

static bool write_obj(FILE *f, const mesh *m) {
    if (fprintf(f, "# %zu vertices, %zu triangles\n", m->vertex_count, m->triangle_count) < 0) {
        return false;
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        ov_vec3 v = m->vertices[i];
        if (fprintf(f, "v %.17g %.17g %.17g\n", v.x, v.y, v.z) < 0) {
            return false;
        }
    }
    for (size_t i = 0; m->normals != NULL && i < m->vertex_count; i++) {
        ov_vec3 n = m->normals[i];
        if (fprintf(f, "vn %.17g %.17g %.17g\n", n.x, n.y, n.z) < 0) {
            return false;
        }
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

/** Unit normal of a triangle; zero where it has no area, which is what STL
 * readers expect. */
static ov_vec3 triangle_normal(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    // unit edges, since the cross product of tiny ones would be lost below the
    // least double
    ov_vec3 e1 = ov_vec3_normalize(ov_vec3_sub(b, a)), e2 = ov_vec3_normalize(ov_vec3_sub(c, a));
    return ov_vec3_normalize(ov_vec3_cross(e1, e2));
}

static bool write_stl(FILE *f, const mesh *m) {
    // 80 bytes of header, which must not begin with "solid": that is how text STL
    // begins
    unsigned char head[84] = "binary STL, triangles outward";
    if (!write_bytes(f, head, ovi_put_u32(head + 80, (uint32_t)m->triangle_count))) {
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
        if (!write_bytes(f, record, out)) {
            return false;
        }
    }
    return true;
}

static bool write_ply(FILE *f, const mesh *m) {
    const char *normals =
        m->normals == NULL ? "" : "property double nx\nproperty double ny\nproperty double nz\n";
    if (fprintf(f,
                "ply\nformat binary_little_endian 1.0\nelement vertex "
                "%zu\nproperty double x\n"
                "property double y\nproperty double z\n%selement face %zu\n"
                "property list uchar uint vertex_indices\nend_header\n",
                m->vertex_count, normals, m->triangle_count) < 0) {
        return false;
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        unsigned char record[48];
        unsigned char *out = put_doubles(record, m->vertices[i]);
        if (m->normals != NULL) {
            out = put_doubles(out, m->normals[i]);
        }
        if (!write_bytes(f, record, out)) {
            return false;
        }
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        unsigned char record[13] = {3}, *out = record + 1;
        for (int k = 0; k < 3; k++) {
            out = ovi_put_u32(out, m->triangles[t][k]);
        }
        if (!write_bytes(f, record, out)) {
            return false;
        }
    }
    return true;
}

/** A checked mesh and how to write it. */
typedef struct job {
    const mesh *m;
    ov_mesh_format format;
} job;

static bool write_mesh(FILE *f, const void *what) {
    const job *j = what;
    if (j->format == OV_MESH_FORMAT_OBJ) {
        return write_obj(f, j->m);
    }
    return j->format == OV_MESH_FORMAT_STL ? write_stl(f, j->m) : write_ply(f, j->m);
}

/* ---- interface */

ov_mesh_format ov_mesh_format_from_path(const char *path) {
    static const struct {
        const char ending[5];
        ov_mesh_format format;
    } known[] = {{".obj", OV_MESH_FORMAT_OBJ},
                 {".stl", OV_MESH_FORMAT_STL},
                 {".ply", OV_MESH_FORMAT_PLY},
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

ov_status ov_mesh_write(const char *path, ov_mesh_format format, const ov_vec3 *vertices,
                        const ov_vec3 *normals, size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count) {
    mesh m = {vertices, normals, triangles, vertex_count, triangle_count};
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
    mesh m = {vertices, normals, triangles, vertex_count, triangle_count};
    if (stream == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_mesh(&m, format);
    job j = {&m, format};
    return status == OV_OK ? ovi_stream_write(stream, write_mesh, &j) : status;
}
