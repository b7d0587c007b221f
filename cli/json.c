/**
 * @file json.c
 * @brief A JSON writer of the size that this command needs.
 */
#include "json.h"

#include <math.h>

#include "../src/io/utf8.h"
#include "table.h"

json json_make(FILE *out) { return (json){out, 0, true}; }

static void write_text(json *j, const char *text);

/** Comma, new line, indent and key: all that stands before a value. */
static void lead(json *j, const char *key) {
    if (j->depth > 0) {
        fprintf(j->out, "%s\n%*s", j->empty ? "" : ",", 2 * j->depth, "");
    }
    j->empty = false;
    if (key != NULL) {
        write_text(j, key);
        fputs(": ", j->out);
    }
}

static void begin(json *j, const char *key, char bracket) {
    lead(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->empty = true;
}

static void end(json *j, char bracket) {
    j->depth--;
    if (!j->empty) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
    j->empty = false;
    if (j->depth == 0) {
        fputc('\n', j->out);
    }
}

void json_open_document(json *j) {
    json_open_object(j, NULL);
    json_count(j, "ovoid", JSON_VERSION);
}

void json_open_object(json *j, const char *key) { begin(j, key, '{'); }
void json_close_object(json *j) { end(j, '}'); }
void json_open_list(json *j, const char *key) { begin(j, key, '['); }
void json_close_list(json *j) { end(j, ']'); }

void json_null(json *j, const char *key) {
    lead(j, key);
    fputs("null", j->out);
}

void json_bool(json *j, const char *key, bool value) {
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_count(json *j, const char *key, size_t value) {
    lead(j, key);
    fprintf(j->out, "%zu", value);
}

static void write_number(json *j, double value) {
    if (isnan(value)) {
        fputs("null", j->out);
    } else if (isinf(value)) {
        fputs(value > 0.0 ? "\"infinite\"" : "\"-infinite\"", j->out);
    } else {
        char text[OV_NUMBER_TEXT_MAX];
        fputs(ov_number_text(value, text), j->out);
    }
}

void json_number(json *j, const char *key, double value) {
    lead(j, key);
    write_number(j, value);
}

void json_numbers(json *j, const char *key, const double *values, size_t count) {
    lead(j, key);
    fputc('[', j->out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", j->out);
        write_number(j, values[i]);
    }
    fputc(']', j->out);
}

void json_vec3(json *j, const char *key, ov_vec3 value) {
    double values[3] = {value.x, value.y, value.z};
    json_numbers(j, key, values, 3);
}

static void write_text(json *j, const char *text) {
    fputc('"', j->out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t length = ovi_utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", j->out);
            s++;
        } else if (*s == '"' || *s == '\\') {
            fprintf(j->out, "\\%c", *s++);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(j->out, "\\u%04x", *s++);
        } else {
            fwrite(s, 1, length, j->out);
            s += length;
        }
    }
    fputc('"', j->out);
}

void json_string(json *j, const char *key, const char *text) {
    lead(j, key);
    write_text(j, text);
}

void json_contact(json *j, const ov_contact *contact) {
    json_string(j, "status", ov_status_name(contact->status));
    json_string(j, "relation", ov_relation_name(contact->relation));
    json_number(j, "gap", contact->gap);
    json_number(j, "gap_lower", contact->gap_lower);
    json_number(j, "gap_upper", contact->gap_upper);
    json_vec3(j, "point_a", contact->point_a);
    json_vec3(j, "point_b", contact->point_b);
    json_vec3(j, "normal", contact->normal);
    json_count(j, "iterations", contact->iterations > 0 ? (size_t)contact->iterations : 0);
}
