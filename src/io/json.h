/**
 * @file json.h
 * @brief What scenes and pictures need of JSON besides the library that parses it.
 */
#ifndef OVI_JSON_H
#define OVI_JSON_H

#include "io_internal.h"

/** Of jansson; who only writes needs no more of it than the name. */
typedef struct json_t json_t;

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

/** The first key of an object that is none of the known ones, or null. */
const char *ovi_json_unknown_key(json_t *object, const char *const *known, size_t count);
/** Exactly `count` numbers; one may stand without brackets. */
bool ovi_json_get_numbers(const json_t *value, double *out, int count);

/** A text in quotes; it must be UTF-8 without control characters. */
void ovi_json_text(FILE *f, const char *text);
/** `[1, 2, 3]` */
void ovi_json_numbers(FILE *f, const double *values, int count);

#endif
