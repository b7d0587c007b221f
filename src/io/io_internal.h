/**
 * @file io_internal.h
 * @brief What the files of src/io/ share. They are compiled for POSIX.1-2008.
 */
#ifndef OVI_IO_INTERNAL_H
#define OVI_IO_INTERNAL_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#include "../shape/shape_numbers.h"

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

/* ---- arrays that grow */

/**
 * Room for one more element of an array that grows one by one: it is doubled at the powers of two,
 * so that no room needs to be kept beside the count. Null for want of memory.
 */
static inline void *ovi_grow(void *array, size_t count, size_t size) {
    if (count > 0 && (count & (count - 1)) != 0) {
        return array;
    }
    return realloc(array, (count > 0 ? 2 * count : 1) * size);
}

/** Room for one more of `count` elements; `array` is a pointer to the array's pointer. */
static inline bool ovi_room(void *array, size_t *room, size_t count, size_t element) {
    if (count < *room) {
        return true;
    }
    size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *block;
    memcpy(&block, array, sizeof block);
    block = wanted <= SIZE_MAX / element ? realloc(block, wanted * element) : NULL;
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    *room = wanted;
    return true;
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

/** "did you mean 'taper'?", or the list of what is known. */
void ovi_suggest(const char *word, const char *const *known, size_t count, char *text, size_t size);

/** A name of a scene or body: 1 to OV_SCENE_NAME_MAX bytes of UTF-8 without control characters. */
bool ovi_is_name(const char *text);
/** A name that XML can hold, of any length: UTF-8, not empty, no control characters. */
bool ovi_is_xml_name(const char *text);

/** "this is a URDF; a scene is expected": OV_ERROR_FILE_FORMAT. */
ov_status ovi_wrong_file(ov_fault *fault, ov_file_kind kind, size_t line, const char *expected);

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

/* ---- numbers (number.c) */

/** ov_number_text to a stream; errors stay in the stream. */
void ovi_number_write(FILE *f, double value);

/**
 * A decimal number: OV_ERROR_FILE_FORMAT where it is none, OV_ERROR_NOT_FINITE for the words nan
 * and inf, OV_ERROR_SIZE_RANGE beyond OV_SIZE_MAX. The thread must be in the C locale.
 */
ov_status ovi_word_number(ovi_word word, double *value);
/** A whole number up to 10^18, with or without a sign. */
bool ovi_word_integer(ovi_word word, int64_t *value);

/* ---- reading, paths and bytes (file.c) */

/** All bytes of a stream, up to `limit` and one more; from malloc, or null for want of memory. */
unsigned char *ovi_bytes_read(FILE *stream, size_t limit, size_t *size);

/** The folder of a file, "." where the path has none; from malloc, null for want of memory. */
char *ovi_folder_of(const char *path);
/** Two parts of a path with a slash between them; from malloc, null for want of memory. */
char *ovi_path_join(const char *folder, const char *name);

/** Numbers as bytes, the lowest first. */
double ovi_bytes_float(uint32_t bits);
/** Writes to `out` and returns what follows. */
unsigned char *ovi_put_u32(unsigned char *out, uint32_t value);
unsigned char *ovi_put_floats(unsigned char *out, ov_vec3 v);

/* ---- writing (file.c) */

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
/** Writes the file, or where the path is null the stream, that all of `undo` belongs to: that stays
 *  from the moment on when this file has its name, and goes where it fails. */
ov_status ovi_file_write_last(const char *path, FILE *stream, ovi_undo *undo, ovi_writer writer,
                              const void *what);

/* ---- shapes in files (shape_form.c) */

enum { OVI_GROUPS_MAX = 3 };

/** Numbers of a shape that stand under one key of a scene. */
typedef struct ovi_group {
    const char *key;
    int first, count;
    bool points; /**< a list of points, not of numbers */
} ovi_group;

/** How a kind of shape is written in a scene: which of its numbers stand under which key. */
typedef struct ovi_form {
    ov_shape_kind kind;
    int group_count; /**< 0 for a polyhedron */
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

/** Vertices and triangles of a polyhedron, both from malloc, and its table; or null. */
typedef struct ovi_arrays {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    ov_support_table *table;
} ovi_arrays;

/** A shape that refers to copies of its arrays, if it has any, and to a table of its own. False for
 *  want of memory. */
bool ovi_shape_copy(const ov_shape *shape, ov_shape *copy, ovi_arrays *arrays);
void ovi_arrays_free(ovi_arrays *arrays);

/** Unit quaternion; one that is a unit to rounding is taken to the bit. */
ov_status ovi_rotation(ov_quat q, ov_quat *unit);

/* ---- scenes (scene.c) */

/** Number of the body with this name, from 1; 0 where there is none. */
size_t ovi_scene_find(const ov_scene *scene, const char *name);

#endif
