/**
 * @file mesh_write.c
 * @brief Triangle meshes as OBJ, STL and PLY.
 *
 * Everything is checked before the first byte is written, and every byte is accounted for before a
 * file gets its name: a full disk leaves no half a mesh behind, and an older file untouched. Binary
 * formats are put together byte by byte, so they are the same on every machine.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_internal.h"

typedef struct mesh {
    const ov_vec3 *vertices, *normals;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} mesh;

enum { NAME_TRIES = 100 };

/* ---- checks */

static ov_status check_mesh(const mesh *m, ov_mesh_format format) {
    if (m->vertices == NULL || m->triangles == NULL) {
        return OV_ERROR_NULL;
    }
    if (format != OV_MESH_OBJ && format != OV_MESH_STL && format != OV_MESH_PLY) {
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
    if (format == OV_MESH_STL && (largest > (double)FLT_MAX || largest < (double)FLT_MIN)) {
        return OV_ERROR_SIZE_RANGE;
    }
    return OV_OK;
}

/* ---- bytes, lowest first */

static unsigned char *put_u32(unsigned char *out, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        *out++ = (unsigned char)(value >> (8 * k) & 0xffu);
    }
    return out;
}

static unsigned char *put_float(unsigned char *out, double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return put_u32(out, bits);
}

static unsigned char *put_double(unsigned char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    out = put_u32(out, (uint32_t)(bits & 0xffffffffu));
    return put_u32(out, (uint32_t)(bits >> 32));
}

static unsigned char *put_doubles(unsigned char *out, ov_vec3 v) {
    return put_double(put_double(put_double(out, v.x), v.y), v.z);
}

static unsigned char *put_floats(unsigned char *out, ov_vec3 v) {
    return put_float(put_float(put_float(out, v.x), v.y), v.z);
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

/** Unit normal of a triangle; zero where it has no area, which is what STL readers expect. */
static ov_vec3 triangle_normal(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    // unit edges, since the cross product of tiny ones would be lost below the least double
    ov_vec3 e1 = ov_vec3_normalize(ov_vec3_sub(b, a)), e2 = ov_vec3_normalize(ov_vec3_sub(c, a));
    return ov_vec3_normalize(ov_vec3_cross(e1, e2));
}

static bool write_stl(FILE *f, const mesh *m) {
    // 80 bytes of header, which must not begin with "solid": that is how text STL begins
    unsigned char head[84] = "binary STL, triangles outward";
    if (!write_bytes(f, head, put_u32(head + 80, (uint32_t)m->triangle_count))) {
        return false;
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        ov_vec3 a = m->vertices[m->triangles[t][0]], b = m->vertices[m->triangles[t][1]];
        ov_vec3 c = m->vertices[m->triangles[t][2]];
        unsigned char record[50];
        unsigned char *out = put_floats(record, triangle_normal(a, b, c));
        out = put_floats(put_floats(put_floats(out, a), b), c);
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
                "ply\nformat binary_little_endian 1.0\nelement vertex %zu\nproperty double x\n"
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
            out = put_u32(out, m->triangles[t][k]);
        }
        if (!write_bytes(f, record, out)) {
            return false;
        }
    }
    return true;
}

/** Writes a checked mesh and flushes; only then is it known whether the bytes found room. */
static ov_status write_checked(FILE *f, ov_mesh_format format, const mesh *m) {
    ovi_locale locale;
    if (!ovi_locale_enter(&locale)) {
        return OV_ERROR_MEMORY;
    }
    bool good = false;
    if (format == OV_MESH_OBJ) {
        good = write_obj(f, m);
    } else if (format == OV_MESH_STL) {
        good = write_stl(f, m);
    } else {
        good = write_ply(f, m);
    }
    good = fflush(f) == 0 && good && !ferror(f);
    ovi_locale_leave(&locale);
    return good ? OV_OK : OV_ERROR_FILE_WRITE;
}

/* ---- files */

/** Writes to a device or pipe, under its own name. */
static ov_status write_direct(const char *path, ov_mesh_format format, const mesh *m) {
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        return OV_ERROR_FILE_OPEN;
    }
    ov_status status = write_checked(f, format, m);
    if (fclose(f) != 0 && status == OV_OK) {
        status = OV_ERROR_FILE_WRITE;
    }
    return status;
}

/** Makes a new file in the folder of `path`; its name is written to `name`, of the given size. */
static int create_beside(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
    for (int i = 0; i < NAME_TRIES; i++) {
        (void)snprintf(name, size, "%.*s.ovoid-%ld-%d.part", folder, path, (long)getpid(), i);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/** Writes beside `path` and moves the file there when it is complete. `mode` < 0: a new file's. */
static ov_status write_and_move(const char *path, int mode, ov_mesh_format format, const mesh *m) {
    size_t size = strlen(path) + 64;
    char *name = malloc(size);
    if (name == NULL) {
        return OV_ERROR_MEMORY;
    }
    int descriptor = create_beside(path, name, size);
    if (descriptor < 0) {
        free(name);
        return OV_ERROR_FILE_OPEN;
    }
    if (mode >= 0) {
        (void)fchmod(descriptor,
                     (mode_t)mode); // an older file's permissions, where they may be set
    }
    ov_status status = OV_OK;
    FILE *f = fdopen(descriptor, "wb");
    if (f == NULL) {
        (void)close(descriptor);
        status = OV_ERROR_MEMORY;
    } else {
        status = write_checked(f, format, m);
        if (fclose(f) != 0 && status == OV_OK) {
            status = OV_ERROR_FILE_WRITE;
        }
    }
    if (status == OV_OK && rename(name, path) != 0) {
        status = OV_ERROR_FILE_WRITE;
    }
    if (status != OV_OK) {
        (void)unlink(name);
    }
    free(name);
    return status;
}

/** Chooses between the two ways to write, by what is there under that name already. */
static ov_status write_path(const char *path, ov_mesh_format format, const mesh *m) {
    struct stat there;
    if (path[0] == '\0') {
        return OV_ERROR_FILE_OPEN;
    }
    if (stat(path, &there) != 0) {
        // nothing there: a new file; a link that leads nowhere is followed by opening it
        bool link = lstat(path, &there) == 0;
        return link ? write_direct(path, format, m) : write_and_move(path, -1, format, m);
    }
    // what is under /dev may lead to a plain file, but the name is the stream's and must stay
    if (!S_ISREG(there.st_mode) || strncmp(path, "/dev/", 5) == 0) {
        return write_direct(path, format, m);
    }
    if (access(path, W_OK) != 0) {
        return OV_ERROR_FILE_OPEN;
    }
    char *real = realpath(path, NULL); // so that a link stays a link
    if (real == NULL) {
        return errno == ENOMEM ? OV_ERROR_MEMORY : OV_ERROR_FILE_OPEN;
    }
    ov_status status = write_and_move(real, (int)(there.st_mode & 07777), format, m);
    free(real);
    return status;
}

/* ---- interface */

ov_mesh_format ov_mesh_format_from_path(const char *path) {
    static const struct {
        const char ending[5];
        ov_mesh_format format;
    } known[] = {{".obj", OV_MESH_OBJ}, {".stl", OV_MESH_STL}, {".ply", OV_MESH_PLY}};
    size_t length = path == NULL ? 0 : strlen(path);
    for (size_t i = 0; i < sizeof known / sizeof known[0] && length >= 4; i++) {
        const char *tail = path + length - 4;
        bool same = true;
        for (int k = 0; k < 4; k++) {
            // letters alone are in either case; a change of bit 5 would confuse other characters
            char c = tail[k] >= 'A' && tail[k] <= 'Z' ? (char)(tail[k] - 'A' + 'a') : tail[k];
            same = same && c == known[i].ending[k];
        }
        if (same) {
            return known[i].format;
        }
    }
    return OV_MESH_NONE;
}

ov_status ov_mesh_write(const char *path, ov_mesh_format format, const ov_vec3 *vertices,
                        const ov_vec3 *normals, size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count) {
    mesh m = {vertices, normals, triangles, vertex_count, triangle_count};
    if (path == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_mesh(&m, format);
    return status == OV_OK ? write_path(path, format, &m) : status;
}

ov_status ov_mesh_write_stream(FILE *stream, ov_mesh_format format, const ov_vec3 *vertices,
                               const ov_vec3 *normals, size_t vertex_count,
                               const uint32_t (*triangles)[3], size_t triangle_count) {
    mesh m = {vertices, normals, triangles, vertex_count, triangle_count};
    if (stream == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_mesh(&m, format);
    return status == OV_OK ? write_checked(stream, format, &m) : status;
}
