/**
 * @file json.c
 * @brief JSON: lines of values in a text, and values as numbers.
 *
 * The JSON library tells the line of a mistake in the grammar, but not where a value stood that it
 * read. A message about a wrong value is of little use without its line, so the text is gone
 * through again, on the way to the value only, and only once something is wrong.
 */
#include <string.h>

#include <jansson.h>

#include "json.h"

/* ---- lines of values ------------------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
    size_t line;
} cursor;

static bool is_done(const cursor *c) { return c->at >= c->end; }

static void step(cursor *c) {
    c->line += *c->at == '\n';
    c->at++;
}

static void skip_blanks(cursor *c) {
    while (!is_done(c) && strchr(" \t\r\n", *c->at) != NULL && *c->at != '\0') {
        step(c);
    }
}

/** Passes over a string; the cursor is on its first quote, and then behind its last. */
static void skip_string(cursor *c) {
    step(c);
    while (!is_done(c) && *c->at != '"') {
        if (*c->at == '\\' && c->at + 1 < c->end) {
            step(c);
        }
        step(c);
    }
    if (!is_done(c)) {
        step(c);
    }
}

/** Passes over one value: up to a comma or a closing bracket that is not its own. */
static void skip_value(cursor *c) {
    size_t depth = 0;
    while (!is_done(c)) {
        char now = *c->at;
        if (now == '"') {
            skip_string(c);
            continue;
        }
        if (depth == 0 && (now == ',' || now == ']' || now == '}')) {
            return;
        }
        depth += now == '[' || now == '{';
        depth -= now == ']' || now == '}';
        step(c);
    }
}

/** Goes from a list or an object to one of its values; false where it is not there. */
static bool enter(cursor *c, const ovi_json_step *to) {
    char open = to->key != NULL ? '{' : '[';
    if (is_done(c) || *c->at != open) {
        return false;
    }
    step(c);
    skip_blanks(c);
    for (size_t i = 0; !is_done(c) && *c->at != ']' && *c->at != '}'; i++) {
        bool found = to->key == NULL && i == to->index;
        if (to->key != NULL) {
            const char *name = c->at + 1;
            size_t length = strlen(to->key);
            skip_string(c);
            found = (size_t)(c->at - name) == length + 1 && memcmp(name, to->key, length) == 0;
            skip_blanks(c);
            if (!is_done(c)) {
                step(c); // the colon
            }
            skip_blanks(c);
        }
        if (found) {
            return true;
        }
        skip_value(c);
        if (!is_done(c) && *c->at == ',') {
            step(c);
            skip_blanks(c);
        }
    }
    return false;
}

size_t ovi_json_line(const char *text, size_t length, const ovi_json_step *steps, size_t count) {
    cursor c = {text, text + length, 1};
    skip_blanks(&c);
    size_t line = c.line;
    for (size_t i = 0; i < count && enter(&c, &steps[i]); i++) {
        line = c.line;
    }
    return line;
}

size_t ovi_json_too_deep(const char *text, size_t length, int limit) {
    cursor c = {text, text + length, 1};
    int depth = 0;
    while (!is_done(&c)) {
        char now = *c.at;
        if (now == '"') {
            skip_string(&c);
            continue;
        }
        depth += now == '[' || now == '{';
        depth -= (now == ']' || now == '}') && depth > 0;
        if (depth > limit) {
            return c.line;
        }
        step(&c);
    }
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *ovi_json_unknown_key(json_t *object, const char *const *known, size_t count) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (i < count && strcmp(key, known[i]) != 0) {
            i++;
        }
        if (i == count) {
            return key;
        }
    }
    return NULL;
}

bool ovi_json_get_numbers(const json_t *value, double *out, int count) {
    if (count == 1 && json_is_number(value)) {
        out[0] = json_number_value(value);
        return true;
    }
    if (count == 1 || !json_is_array(value) || json_array_size(value) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const json_t *number = json_array_get(value, (size_t)i);
        if (!json_is_number(number)) {
            return false;
        }
        out[i] = json_number_value(number);
    }
    return true;
}
