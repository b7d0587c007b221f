/**
 * @file mesh_read.h
 * @brief What the readers of mesh formats share: the mesh as it grows, words and numbers of a text.
 *
 * The readers see files of strangers. None trusts a count of the file: arrays grow with the bytes
 * that are really there.
 */
#ifndef OVI_MESH_READ_H
#define OVI_MESH_READ_H

#include "io_internal.h"

/** A corner of a polygon that is being cut (mesh_polygon.c). */
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
    ov_fault *fault;
} ovi_mesh_maker;

/** Room for one more of `count` elements; `array` is a pointer to the array's pointer. */
bool ovi_mesh_grow(void *array, size_t *room, size_t count, size_t element);

/** Adds a vertex, if it is finite and in range. */
ov_status ovi_mesh_add_vertex(ovi_mesh_maker *m, ov_vec3 v, size_t line);
/** Adds a triangle; whether its vertices are there is looked at in the end. */
ov_status ovi_mesh_add_triangle(ovi_mesh_maker *m, uint64_t a, uint64_t b, uint64_t c, size_t line);

/** A polygon: corner after corner, then its triangles; `mirrored` turns them over. */
ov_status ovi_mesh_add_corner(ovi_mesh_maker *m, uint64_t vertex);
ov_status ovi_mesh_end_polygon(ovi_mesh_maker *m, bool mirrored, size_t line);

/** Fills the error of a mesh. */
ov_status ovi_mesh_refuse(const ovi_mesh_maker *m, ov_status status, size_t line,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * ov_mesh_read; with `keep_axes` the axes of a COLLADA file stay as they are, whatever it says is
 * up. The programs that show and simulate robots (RViz, MoveIt, Gazebo, DART) read the meshes of
 * URDF and SDFormat so, and robots are made to look right there.
 */
ov_status ovi_mesh_read_axes(const char *path, bool keep_axes, ov_mesh_data *mesh, ov_fault *fault);

/* ---- bytes */

/** All bytes of a stream, up to `limit` and one more; from malloc, or null for want of memory. */
unsigned char *ovi_bytes_read(FILE *stream, size_t limit, size_t *size);

/** Lowest byte first. */
uint32_t ovi_bytes_u32(const unsigned char *p);
double ovi_bytes_float(uint32_t bits);

/* ---- text (mesh_text.c) */

/** A place in a text that need not end with a zero. */
typedef struct ovi_text {
    const char *at, *end;
    size_t line;    /**< from 1 */
    bool continues; /**< a backslash before the end of a line joins it with the next */
} ovi_text;

/** A word; it lies in the text. */
typedef struct ovi_word {
    const char *at;
    size_t length;
} ovi_word;

/** The next word of this line; false at the line's end. */
bool ovi_text_word(ovi_text *text, ovi_word *word);
/** The next word of this or a later line; false at the end of the text. */
bool ovi_text_word_anywhere(ovi_text *text, ovi_word *word);
/** To the beginning of the next line; false where there is none. */
bool ovi_text_next_line(ovi_text *text);

/** Is a word this one, in small or capital letters? `lower` has small ones. */
bool ovi_word_is(ovi_word word, const char *lower);
/**
 * A decimal number: OV_ERROR_FILE_FORMAT where it is none, OV_ERROR_NOT_FINITE for the words nan
 * and inf, OV_ERROR_SIZE_RANGE beyond OV_SIZE_MAX. The thread must be in the C locale.
 */
ov_status ovi_word_number(ovi_word word, double *value);
/** A whole number up to 10^18, with or without a sign. */
bool ovi_word_integer(ovi_word word, int64_t *value);

/** The same for a coordinate, with a message. */
ov_status ovi_mesh_number(const ovi_mesh_maker *m, ovi_word word, size_t line, double *value);

/* ---- formats; the maker's error is filled on failure */

ov_status ovi_mesh_read_stl(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_obj(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_ply(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);
ov_status ovi_mesh_read_collada(const unsigned char *bytes, size_t size, ovi_mesh_maker *m);

/** Makes equal vertices one (mesh_read_stl.c reads three for each triangle). */
ov_status ovi_mesh_weld(ovi_mesh_maker *m);

#endif
