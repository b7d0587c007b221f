/**
 * @file mesh_internal.h
 * @brief What the formats of meshes share: the mesh as it grows, and one that is written.
 *
 * The readers see files of strangers. None trusts a count of the file: arrays grow with the bytes
 * that are really there.
 */
#ifndef OVI_MESH_INTERNAL_H
#define OVI_MESH_INTERNAL_H

#include "../io_internal.h"

/** A corner of a polygon that is being cut (mesh.c). */
typedef struct ovi_ear ovi_ear;

/** A mesh that is being read. */
typedef struct ovi_mesh_maker {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, vertex_room, triangle_count, triangle_room;
    /** The highest index of a triangle so far, and its line: vertices may come after triangles. */
    uint64_t highest;
    size_t highest_line;
    uint64_t *corners; /**< of the polygon that is being read, as vertices */
    size_t corner_count, corner_room;
    ovi_ear *ears;
    size_t ear_room;
    uint64_t ear_work; /**< so far */
    bool keep_axes;    /**< of COLLADA: see ovi_mesh_read_axes */
    bool is_cloud;     /**< all vertices are kept, and there need be no triangles */
    ov_fault *fault;
} ovi_mesh_maker;

/** Adds a vertex, if it is finite and in range. */
ov_status ovi_mesh_add_vertex(ovi_mesh_maker *m, ov_vec3 v, size_t line);
/** Adds a triangle; whether its vertices are there is looked at in the end. */
ov_status ovi_mesh_add_triangle(ovi_mesh_maker *m, uint64_t a, uint64_t b, uint64_t c, size_t line);

/** A polygon: corner after corner, then its triangles; `mirrored` turns them over. */
ov_status ovi_mesh_add_corner(ovi_mesh_maker *m, uint64_t vertex);
ov_status ovi_mesh_end_polygon(ovi_mesh_maker *m, bool mirrored, size_t line);

/** Fills the fault of a mesh. */
ov_status ovi_mesh_refuse(const ovi_mesh_maker *m, ov_status status, size_t line,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * ov_mesh_read; with `keep_axes` the axes of a COLLADA file stay as they are, whatever it says is
 * up. The programs that show and simulate robots (RViz, MoveIt, Gazebo, DART) read the meshes of
 * URDF and SDFormat so, and robots are made to look right there.
 */
ov_status ovi_mesh_read_axes(const char *path, bool keep_axes, ov_mesh_data *mesh, ov_fault *fault);

/** Scales the vertices where they stand; a mirrored mesh keeps its outside. */
void ovi_mesh_scale(ov_mesh_data *mesh, ov_vec3 scale);

/** The next word of this line; false where a comment, which begins with #, or the end follows. */
static inline bool ovi_mesh_word(ovi_text *t, ovi_word *word) {
    if (!ovi_text_word(t, word)) {
        return false;
    }
    if (*word->at == '#') {
        t->at = word->at;
        return false;
    }
    return true;
}

/** ovi_word_number for a coordinate, with a message. */
ov_status ovi_mesh_number(const ovi_mesh_maker *m, ovi_word word, size_t line, double *value);

/* ---- reading; the maker's fault is filled on failure */

ov_status ovi_mesh_read_stl(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_obj(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_off(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_ply(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_collada(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);

/* ---- writing; each is false where the stream failed */

/** A mesh that is written, checked already. */
typedef struct ovi_mesh_view {
    const ov_vec3 *vertices, *normals; /**< the latter may be null */
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} ovi_mesh_view;

static inline bool ovi_mesh_write_bytes(FILE *f, const unsigned char *bytes,
                                        const unsigned char *end) {
    size_t count = (size_t)(end - bytes);
    return fwrite(bytes, 1, count, f) == count;
}

bool ovi_mesh_write_stl(FILE *f, const ovi_mesh_view *m);
bool ovi_mesh_write_obj(FILE *f, const ovi_mesh_view *m);
bool ovi_mesh_write_ply(FILE *f, const ovi_mesh_view *m);

#endif
