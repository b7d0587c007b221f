/**
 * @file mesh_read_check.h
 * @brief Meshes from texts: what was read, texts that must fail, and texts cut anywhere.
 */
#ifndef OVOID_TESTS_MESH_READ_CHECK_H
#define OVOID_TESTS_MESH_READ_CHECK_H

#include <string.h>

#include <ovoid/io.h>

#include "check.h"

static ov_mesh_data mesh;
static ov_fault fault;

/** Reads a text; the memory ends with it, so that a sanitizer sees who reads beyond. */
static inline ov_status read_bytes(const char *text, size_t size, ov_mesh_format format) {
    char *copy = malloc(size + (size == 0));
    if (copy == NULL) {
        exit(1);
    }
    memcpy(copy, text, size);
    ov_mesh_free(&mesh);
    ov_status status = ov_mesh_read_memory(copy, size, format, &mesh, &fault);
    free(copy);
    bool empty = mesh.vertices == NULL && mesh.triangles == NULL && mesh.vertex_count == 0 &&
                 mesh.triangle_count == 0;
    CHECK(status == OV_OK ? !empty && fault.text[0] == '\0' : empty && fault.text[0] != '\0');
    return status;
}

static inline ov_status read_text(const char *text, ov_mesh_format format) {
    return read_bytes(text, strlen(text), format);
}

static inline void check_vertex(size_t i, double x, double y, double z) {
    if (CHECK(i < mesh.vertex_count)) {
        CHECK_NEAR(mesh.vertices[i].x, x, 1e-15);
        CHECK_NEAR(mesh.vertices[i].y, y, 1e-15);
        CHECK_NEAR(mesh.vertices[i].z, z, 1e-15);
    }
}

static inline void check_triangle(size_t i, uint32_t a, uint32_t b, uint32_t c) {
    if (CHECK(i < mesh.triangle_count)) {
        const uint32_t *t = mesh.triangles[i];
        if (!CHECK(t[0] == a && t[1] == b && t[2] == c)) {
            fprintf(stderr, "triangle %zu is %u %u %u\n", i, t[0], t[1], t[2]);
        }
    }
}

/** A text that must fail, with status and line. */
typedef struct bad_text {
    const char *text;
    ov_status status;
    size_t line;
} bad_text;

static inline void check_bad(const bad_text *bad, size_t count, ov_mesh_format format) {
    for (size_t i = 0; i < count; i++) {
        ov_status status = read_text(bad[i].text, format);
        if (!CHECK_STATUS(status, bad[i].status) || !CHECK(fault.index == bad[i].line)) {
            fprintf(stderr, "line %zu: %s; the text was:\n%s\n", fault.index, fault.text,
                    bad[i].text);
        }
    }
}
#define CHECK_BAD(list, format) check_bad(list, sizeof(list) / sizeof(list)[0], format)

/** Cut anywhere, a file is an error or a smaller mesh, never more than that. */
static inline void cut_everywhere(const char *text, size_t size, ov_mesh_format format,
                                  bool strict) {
    CHECK_OK(read_bytes(text, size, format));
    size_t whole = mesh.triangle_count;
    for (size_t cut = 0; cut < size; cut++) {
        ov_status status = read_bytes(text, cut, format);
        if (strict) {
            CHECK(status == OV_ERROR_FILE_FORMAT);
        } else {
            CHECK(status < 0 || mesh.triangle_count <= whole);
        }
    }
}

/** Any change of a good text gives an answer or a status, with numbers that can be used. */
static inline void check_damaged(const char *good, size_t size, ov_mesh_format format,
                                 uint64_t seed) {
    check_random r = check_random_make(seed);
    static char text[4096];
    for (int i = 0; i < 4000; i++) {
        memcpy(text, good, size);
        for (uint64_t k = check_random_bits(&r) % 4; k < 4; k++) {
            text[check_random_bits(&r) % size] =
                check_random_bits(&r) % 2 == 0 ? "0123456789-.en <>/\n#"[check_random_bits(&r) % 20]
                                               : (char)check_random_bits(&r);
        }
        bool fine = read_bytes(text, size, format) == OV_OK;
        for (size_t k = 0; fine && k < mesh.vertex_count; k++) {
            CHECK(ov_vec3_is_finite(mesh.vertices[k]));
        }
        for (size_t k = 0; fine && k < mesh.triangle_count; k++) {
            const uint32_t *t = mesh.triangles[k];
            CHECK(t[0] < mesh.vertex_count && t[1] < mesh.vertex_count && t[2] < mesh.vertex_count);
        }
    }
}

#endif
