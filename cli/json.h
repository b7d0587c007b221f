/**
 * @file json.h
 * @brief Writes JSON, indented; numbers are the shortest texts that read back exactly.
 *
 * JSON has no infinity: it is written as the string "infinite" (or "-infinite"). What is not a
 * number is written as null. The writer keeps no error state of its own: the stream has one.
 */
#ifndef OVOID_CLI_JSON_H
#define OVOID_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ovoid/query.h>

typedef struct json {
    FILE *out;
    int depth;
    bool empty; /**< nothing yet in the innermost object or list */
} json;

/** Version of what the verbs print as JSON: under the key "ovoid", first of all. */
enum { JSON_VERSION = 1 };

json json_make(FILE *out);

/** Begins the object that is the whole output, with its version. */
void json_open_document(json *j);

/* In an object every value has a key; in a list, and at the top, the key is null. */

void json_open_object(json *j, const char *key);
void json_close_object(json *j);
void json_open_list(json *j, const char *key);
void json_close_list(json *j);

void json_null(json *j, const char *key);
void json_bool(json *j, const char *key, bool value);
void json_count(json *j, const char *key, size_t value);
void json_number(json *j, const char *key, double value);
/** On one line. */
void json_numbers(json *j, const char *key, const double *values, size_t count);
void json_vec3(json *j, const char *key, ov_vec3 value);
/** Any bytes: what is not UTF-8 becomes the replacement character. */
void json_string(json *j, const char *key, const char *text);

/** A contact as members of the object that is open: the columns of CSV. */
void json_contact(json *j, const ov_contact *contact);

#endif
