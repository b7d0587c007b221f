/**
 * @file json_check.h
 * @brief A small strict reader of JSON for the tests of what is written: independent of the library
 * that the readers use. Texts are kept as they stand, escapes and all.
 */
#ifndef OVOID_TESTS_JSON_CHECK_H
#define OVOID_TESTS_JSON_CHECK_H

#include <string.h>

#include "check.h"

enum { JSON_VALUES = 100000 };

typedef struct json_value {
    char type; /**< { [ " 0 (a number) t f n */
    const char *key, *text;
    size_t key_length, length;
    double number;
    int first, next, count; /**< children */
} json_value;

static json_value json_all[JSON_VALUES];
static int json_used;
static const char *json_at;

static inline void json_blanks(void) { json_at += strspn(json_at, " \t\r\n"); }

/** A text in quotes; null where it is none. */
static inline const char *json_string(size_t *length) {
    if (*json_at != '"') {
        return NULL;
    }
    const char *first = ++json_at;
    while (*json_at != '"') {
        if (*json_at == '\0' || (*json_at == '\\' && *++json_at == '\0')) {
            return NULL;
        }
        json_at++;
    }
    *length = (size_t)(json_at++ - first);
    return first;
}

static inline int json_value_read(int depth);

/** The elements of a list or an object, after its bracket. */
static inline bool json_elements(json_value *v, int depth) {
    char close = v->type == '{' ? '}' : ']';
    int last = -1;
    json_blanks();
    if (*json_at == close) {
        json_at++;
        return true;
    }
    for (;;) {
        size_t length = 0;
        const char *key = NULL;
        json_blanks();
        if (v->type == '{') {
            key = json_string(&length);
            json_blanks();
            if (key == NULL || *json_at++ != ':') {
                return false;
            }
        }
        int child = json_value_read(depth + 1);
        if (child < 0) {
            return false;
        }
        json_all[child].key = key;
        json_all[child].key_length = length;
        if (last < 0) {
            v->first = child;
        } else {
            json_all[last].next = child;
        }
        last = child;
        v->count++;
        json_blanks();
        if (*json_at == close) {
            json_at++;
            return true;
        }
        if (*json_at++ != ',') {
            return false;
        }
    }
}

/** Index of a value, -1 where it is not JSON. */
static inline int json_value_read(int depth) {
    static const char *const words[] = {"true", "false", "null"};
    if (json_used == JSON_VALUES || depth > 50) {
        return -1;
    }
    int index = json_used++;
    json_value *v = &json_all[index];
    memset(v, 0, sizeof *v);
    v->first = v->next = -1;
    json_blanks();
    v->type = *json_at;
    if (v->type == '{' || v->type == '[') {
        json_at++;
        return json_elements(v, depth) ? index : -1;
    }
    if (v->type == '"') {
        v->text = json_string(&v->length);
        return v->text != NULL ? index : -1;
    }
    for (int i = 0; i < 3; i++) {
        if (strncmp(json_at, words[i], strlen(words[i])) == 0) {
            json_at += strlen(words[i]);
            return index;
        }
    }
    char *end;
    v->number = strtod(json_at, &end);
    v->type = '0';
    if (end == json_at) {
        return -1;
    }
    json_at = end;
    return index;
}

/** Parses a whole text; value 0 is its root. */
static inline bool json_parse(const char *text) {
    json_used = 0;
    json_at = text;
    if (json_value_read(0) != 0) {
        return false;
    }
    json_blanks();
    return *json_at == '\0';
}

/** The value of a key, or -1. */
static inline int json_get(int object, const char *key) {
    for (int i = object >= 0 ? json_all[object].first : -1; i >= 0; i = json_all[i].next) {
        if (json_all[i].key_length == strlen(key) &&
            memcmp(json_all[i].key, key, strlen(key)) == 0) {
            return i;
        }
    }
    return -1;
}

/** An element of a list, or -1. */
static inline int json_item(int list, int index) {
    int i = list >= 0 ? json_all[list].first : -1;
    while (i >= 0 && index-- > 0) {
        i = json_all[i].next;
    }
    return i;
}

/** A number of an object, or what it is without the key. */
static inline double json_number(int object, const char *key, double otherwise) {
    int i = json_get(object, key);
    return i >= 0 && json_all[i].type == '0' ? json_all[i].number : otherwise;
}

#endif
