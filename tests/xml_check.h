/**
 * @file xml_check.h
 * @brief A small strict reader of XML for the tests of what is written: independent of the library
 * that the readers use.
 *
 * Knows elements, attributes in double quotes, the five entities and characters by number; anything
 * else, and tags that do not match, is a failure.
 */
#ifndef OVOID_TESTS_XML_CHECK_H
#define OVOID_TESTS_XML_CHECK_H

#include <string.h>

#include "check.h"

enum { XML_ELEMENTS = 4000, XML_ATTRIBUTES = 16, XML_BYTES = 1 << 20 };

typedef struct xml_element {
    char *name, *text; /**< the text before the first child */
    int parent;        /**< -1: the root */
    int attribute_count;
    char *keys[XML_ATTRIBUTES], *values[XML_ATTRIBUTES];
} xml_element;

static xml_element xml_all[XML_ELEMENTS];
static int xml_count;
static char xml_bytes[XML_BYTES];

/** Replaces entities in place; false where there is one that is not known. */
static inline bool xml_unescape(char *text) {
    static const struct {
        const char *name;
        char value;
    } known[] = {{"&amp;", '&'},   {"&lt;", '<'},  {"&gt;", '>'},  {"&quot;", '"'},
                 {"&apos;", '\''}, {"&#9;", '\t'}, {"&#10;", '\n'}};
    char *out = text;
    for (char *s = text; *s != '\0';) {
        if (*s != '&') {
            *out++ = *s++;
            continue;
        }
        size_t i = 0, count = sizeof known / sizeof known[0];
        while (i < count && strncmp(s, known[i].name, strlen(known[i].name)) != 0) {
            i++;
        }
        if (i == count) {
            return false;
        }
        *out++ = known[i].value;
        s += strlen(known[i].name);
    }
    *out = '\0';
    return true;
}

/** Attributes of a tag; `s` is behind its name. False where they are not well-formed. */
static inline bool xml_attributes(char *s, xml_element *e) {
    for (;;) {
        while (*s == ' ') {
            s++;
        }
        if (*s == '\0') {
            return true;
        }
        char *equals = strchr(s, '=');
        if (equals == NULL || equals[1] != '"' || e->attribute_count == XML_ATTRIBUTES) {
            return false;
        }
        char *end = strchr(equals + 2, '"');
        if (end == NULL) {
            return false;
        }
        *equals = *end = '\0';
        for (int i = 0; i < e->attribute_count; i++) {
            if (strcmp(e->keys[i], s) == 0) {
                return false;
            }
        }
        e->keys[e->attribute_count] = s;
        e->values[e->attribute_count++] = equals + 2;
        if (strchr(equals + 2, '<') != NULL || !xml_unescape(equals + 2)) {
            return false;
        }
        s = end + 1;
    }
}

/** Parses what is in xml_bytes. */
static inline bool xml_parse(void) {
    int stack[256], depth = 0;
    char *s = xml_bytes;
    xml_count = 0;
    if (strncmp(s, "<?xml", 5) == 0) {
        s = strstr(s, "?>");
        if (s == NULL) {
            return false;
        }
        s += 2;
    }
    for (;;) {
        char *open = strchr(s, '<');
        if (open == NULL) {
            return depth == 0 && xml_count > 0 && strspn(s, " \n") == strlen(s);
        }
        *open = '\0';
        if (depth > 0 && xml_all[stack[depth - 1]].text == NULL) {
            xml_all[stack[depth - 1]].text = s;
            if (!xml_unescape(s)) {
                return false;
            }
        }
        char *close = strchr(open + 1, '>');
        if (close == NULL) {
            return false;
        }
        *close = '\0';
        s = close + 1;
        if (open[1] == '/') {
            if (depth == 0 || strcmp(xml_all[stack[--depth]].name, open + 2) != 0) {
                return false;
            }
            continue;
        }
        bool empty = close[-1] == '/';
        if (empty) {
            close[-1] = '\0';
        }
        if (xml_count == XML_ELEMENTS || depth == 256 || (depth == 0 && xml_count > 0)) {
            return false;
        }
        xml_element *e = &xml_all[xml_count];
        memset(e, 0, sizeof *e);
        e->name = open + 1;
        e->parent = depth > 0 ? stack[depth - 1] : -1;
        size_t length = strcspn(e->name, " ");
        char *rest = e->name + length;
        if (*rest != '\0') {
            *rest++ = '\0';
        }
        if (length == 0 || !xml_attributes(rest, e)) {
            return false;
        }
        if (!empty) {
            stack[depth++] = xml_count;
        }
        xml_count++;
    }
}

static inline bool xml_read(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t size = f != NULL ? fread(xml_bytes, 1, XML_BYTES - 1, f) : 0;
    xml_bytes[size] = '\0';
    if (f != NULL) {
        (void)fclose(f);
    }
    return f != NULL && size < XML_BYTES - 1 && strlen(xml_bytes) == size && xml_parse();
}

static inline const char *xml_attribute(int e, const char *key) {
    for (int i = 0; e >= 0 && i < xml_all[e].attribute_count; i++) {
        if (strcmp(xml_all[e].keys[i], key) == 0) {
            return xml_all[e].values[i];
        }
    }
    return NULL;
}

/** The next element of a name below `parent` (-2: anywhere), after `after`; -1: none. */
static inline int xml_find(int parent, const char *name, int after) {
    for (int i = after + 1; i < xml_count; i++) {
        if ((parent == -2 || xml_all[i].parent == parent) && strcmp(xml_all[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/** The element of this name whose attribute "name" is this. */
static inline int xml_named(const char *element, const char *name) {
    for (int i = -1; (i = xml_find(-2, element, i)) >= 0;) {
        const char *value = xml_attribute(i, "name");
        if (value != NULL && strcmp(value, name) == 0) {
            return i;
        }
    }
    return -1;
}

/** Exactly `count` numbers of a text. */
static inline bool xml_numbers(const char *text, double *values, int count) {
    for (int i = 0; i < count; i++) {
        char *end;
        if (text == NULL) {
            return false;
        }
        values[i] = strtod(text, &end);
        if (end == text) {
            return false;
        }
        text = end;
    }
    return text != NULL && strspn(text, " \n") == strlen(text);
}

#endif
