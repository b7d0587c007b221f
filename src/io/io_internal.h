/**
 * @file io_internal.h
 * @brief What the files of src/io/ share. They are compiled for POSIX.1-2008.
 */
#ifndef OVI_IO_INTERNAL_H
#define OVI_IO_INTERNAL_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>

#include <ovoid/io.h>

/**
 * Turns the inward folds of a closed triangle mesh outwards by flipping edges (hull_flip.c). False
 * for want of memory; else the mesh is closed as before, and as convex as flips can make it.
 */
bool ovi_hull_flip(const ov_vec3 *vertices, uint32_t (*triangles)[3], size_t triangle_count);

/** The locale that a thread had before it went over to C's. */
typedef struct ovi_locale {
    locale_t before, c;
} ovi_locale;

/** From here on this thread reads and writes numbers with a point; false for want of memory. */
static inline bool ovi_locale_enter(ovi_locale *locale) {
    locale->c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (locale->c == (locale_t)0) {
        return false;
    }
    locale->before = uselocale(locale->c);
    return true;
}

static inline void ovi_locale_leave(const ovi_locale *locale) {
    (void)uselocale(locale->before);
    freelocale(locale->c);
}

/* ---- text (text.c) */

/** Fills a fault with a line (0: none is to blame), if there is one to fill; returns the status. */
ov_status ovi_file_fault(ov_fault *fault, ov_status status, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ov_status ovi_file_fault_list(ov_fault *fault, ov_status status, size_t line, const char *format,
                              va_list values);
/** The same with what is no line: a link or a joint. */
ov_status ovi_fault_at(ov_fault *fault, ov_status status, ov_fault_place place, size_t index,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/** The nearest of some words to a misspelt one, or null where none is near. */
const char *ovi_nearest(const char *word, const char *const *words, size_t count);

/** A name: 1 to OV_SCENE_NAME_MAX bytes of UTF-8 without control characters. */
bool ovi_is_name(const char *text);

/* ---- numbers (number.c) */

/** ov_number_text to a stream; errors stay in the stream. */
void ovi_number_write(FILE *f, double value);

/* ---- bytes, lowest first (mesh_read.c) */

/** Writes to `out` and returns what follows. */
unsigned char *ovi_put_u32(unsigned char *out, uint32_t value);
unsigned char *ovi_put_floats(unsigned char *out, ov_vec3 v);

/* ---- JSON that is written (scene_write.c) */

/** A text in quotes; it must be UTF-8 without control characters. */
void ovi_json_text(FILE *f, const char *text);

/* ---- arrays and paths (robot.c, robot_paths.c) */

/**
 * Room for one more element of an array that grows one by one: it is doubled at the powers of two,
 * so that no room needs to be kept beside the count. Null for want of memory.
 */
void *ovi_grow(void *array, size_t count, size_t size);

/** The folder of a file, "." where the path has none; from malloc, null for want of memory. */
char *ovi_folder_of(const char *path);
/** Two parts of a path with a slash between them; from malloc, null for want of memory. */
char *ovi_path_join(const char *folder, const char *name);

/* ---- files (file_write.c) */

/** Writes all of a file's contents to a stream; false where the stream failed. */
typedef bool (*ovi_writer)(FILE *stream, const void *what);

/** Runs a writer in the C locale and flushes. */
ov_status ovi_stream_write(FILE *stream, ovi_writer writer, const void *what);

typedef struct ovi_litter ovi_litter;

/** Files and folders that are new, and go again unless all that belongs to them succeeds. All zero:
 *  none. They also go by ov_files_abandon. */
typedef struct ovi_undo {
    ovi_litter **entries;
    size_t count;
} ovi_undo;

/** Removes what was made. errno stays as it is. */
void ovi_undo_run(ovi_undo *undo);
/** Makes a folder; one that is there already stays, whatever comes. OV_ERROR_FILE_OPEN. */
ov_status ovi_folder_make(const char *path, ovi_undo *undo);
/** Writes a file as ov_file_out_open does it, and notes it if it is new; `undo` may be null. On
 *  failure errno says why. */
ov_status ovi_file_write(const char *path, ovi_undo *undo, ovi_writer writer, const void *what);
/** Writes the file that all of `undo` belongs to: that stays from the moment on when this file has
 *  its name, and goes where it fails. */
ov_status ovi_file_write_last(const char *path, ovi_undo *undo, ovi_writer writer,
                              const void *what);
/** The same where the file is an open stream. */
ov_status ovi_stream_write_last(FILE *stream, ovi_undo *undo, ovi_writer writer, const void *what);

/* ---- shapes as numbers (shape_form.c) */

enum { OVI_NUMBERS_MAX = 9, OVI_GROUPS_MAX = 3 };

/** Numbers of a shape that stand under one key of a scene. */
typedef struct ovi_group {
    const char *key;
    int first, count;
    bool points; /**< a list of points, not of numbers */
} ovi_group;

/** How a kind of shape is written: as numbers, and how these are named and grouped. */
typedef struct ovi_form {
    ov_shape_kind kind;
    int count;                /**< of numbers; 0 for a polyhedron */
    const char *const *names; /**< one for each number, as the command prints them */
    int group_count;
    ovi_group groups[OVI_GROUPS_MAX];
} ovi_form;

/** Null for the kinds that cannot be written: custom and modelling ones. */
const ovi_form *ovi_form_of(ov_shape_kind kind);
const ovi_form *ovi_form_named(const char *name);
/** All names of kinds with a form; returns their number, at most OV_SHAPE_KIND_COUNT. */
size_t ovi_form_names(const char **names);

/** Makes a shape of any kind but the polyhedron; a unit normal is taken to the bit. */
ov_status ovi_form_make(ov_shape_kind kind, const double *numbers, double dent_tolerance,
                        ov_shape *shape);
/** The numbers that make a shape again, to the bit. */
void ovi_form_numbers(const ov_shape *shape, double *numbers);

/** Vertices and triangles of a polyhedron; both from malloc, or null. */
typedef struct ovi_arrays {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
} ovi_arrays;

/** A shape that refers to copies of its arrays, if it has any. False for want of memory. */
bool ovi_shape_copy(const ov_shape *shape, ov_shape *copy, ovi_arrays *arrays);

/** Unit quaternion; one that is a unit to rounding is taken to the bit. */
ov_status ovi_rotation(ov_quat q, ov_quat *unit);

/* ---- scenes (scene.c) */

/** Number of the body with this name, from 1; 0 where there is none. */
size_t ovi_scene_find(const ov_scene *scene, const char *name);

/* ---- places in JSON (json_place.c) */

/** A step on the way to a value: a key, or the index of an element where the key is null. */
typedef struct ovi_json_step {
    const char *key;
    size_t index;
} ovi_json_step;

/** Line, from 1, of the value at the end of the way; or of the last step that is there. The text
 *  must be JSON. */
size_t ovi_json_line(const char *text, size_t length, const ovi_json_step *steps, size_t count);

/** Line where the nesting gets deeper than `limit`, or 0. Any text. */
size_t ovi_json_too_deep(const char *text, size_t length, int limit);

#endif
