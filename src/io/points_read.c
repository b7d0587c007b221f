/**
 * @file points_read.c
 * @brief Point clouds from text: lines of three numbers, or the vertices of an OBJ file.
 *
 * Strict on purpose: what is not understood is an error with a line number, and never a point that
 * was not meant. Memory grows with the number of points read; a line has a fixed largest length.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

/** Which of the two kinds of file it is; the first line that says something settles it. */
typedef enum dialect { DIALECT_OPEN, DIALECT_NUMBERS, DIALECT_OBJ } dialect;

typedef struct reader {
    FILE *stream;
    dialect dialect;
    ov_vec3 *points;
    size_t count, room, line;
    char text[OV_POINTS_LINE_MAX + 1];
} reader;

/** Statements of OBJ that have no vertex in them. */
static const char *const obj_statements[] = {
    "vt",   "vn",   "vp",         "f",         "l",        "p",       "o",     "g",
    "s",    "mg",   "usemtl",     "mtllib",    "usemap",   "deg",     "bmat",  "step",
    "curv", "surf", "cstype",     "maplib",    "parm",     "trim",    "hole",  "scrv",
    "sp",   "end",  "con",        "lod",       "curv2",    "bevel",   "ctech", "stech",
    "call", "csh",  "shadow_obj", "trace_obj", "c_interp", "d_interp"};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *skip_blanks(const char *s) {
    while (is_blank(*s)) {
        s++;
    }
    return s;
}

/** Length of the word at s: up to a blank, a comma or the end. */
static size_t word_length(const char *s) {
    size_t n = 0;
    while (s[n] != '\0' && s[n] != ',' && !is_blank(s[n])) {
        n++;
    }
    return n;
}

static bool word_is(const char *s, size_t length, const char *word) {
    return strlen(word) == length && memcmp(s, word, length) == 0;
}

/**
 * Reads the next line without its comment and line end. False at the end of the stream. A line that
 * is too long is an error, told as soon as that is known; in a comment length does not matter.
 */
static bool read_line(reader *r, ov_status *status) {
    size_t length = 0;
    bool comment = false;
    int c = getc(r->stream);
    if (c == EOF) {
        return false;
    }
    r->line++;
    for (; c != EOF && c != '\n'; c = getc(r->stream)) {
        comment = comment || c == '#';
        if (comment) {
            continue;
        }
        // a zero byte would hide the rest of the line from the string functions
        if (c == '\0' || length == OV_POINTS_LINE_MAX) {
            *status = OV_ERROR_FILE_FORMAT;
            return false;
        }
        r->text[length++] = (char)c;
    }
    r->text[length] = '\0';
    return true;
}

/** NaN and infinity in the spellings that strtod knows, with or without a sign. */
static bool is_not_finite_word(const char *s, size_t length) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    if (length > 0 && (*s == '+' || *s == '-')) {
        s++;
        length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t k = 0;
        while (k < length && words[i][k] != '\0' && (s[k] | 0x20) == words[i][k]) {
            k++;
        }
        if (k == length && words[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

static ov_status read_number(const char *s, size_t length, double *value) {
    if (is_not_finite_word(s, length)) {
        return OV_ERROR_NOT_FINITE;
    }
    // decimal only: strtod would also take hexadecimal numbers and words
    if (length == 0 || strspn(s, "0123456789+-.eE") < length) {
        return OV_ERROR_FILE_FORMAT;
    }
    char *end;
    *value = strtod(s, &end);
    if (end != s + length) {
        return OV_ERROR_FILE_FORMAT;
    }
    return fabs(*value) <= OV_SIZE_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

/** Reads numbers up to the end of the line; `count` may be up to `room`. */
static ov_status read_numbers(const char *s, double *values, int room, int *count) {
    *count = 0;
    s = skip_blanks(s);
    while (*s != '\0') {
        size_t length = word_length(s);
        double value;
        ov_status status = read_number(s, length, &value);
        if (status != OV_OK) {
            return status;
        }
        if (*count == room) {
            return OV_ERROR_FILE_FORMAT;
        }
        values[(*count)++] = value;
        s = skip_blanks(s + length);
        if (*s == ',') {
            // after a comma a number has to follow
            s = skip_blanks(s + 1);
            if (*s == '\0') {
                return OV_ERROR_FILE_FORMAT;
            }
        }
    }
    return OV_OK;
}

static ov_status append(reader *r, const double xyz[3]) {
    if (r->count == OV_POINTS_MAX) {
        return OV_ERROR_COUNT;
    }
    if (r->count == r->room) {
        size_t room = r->room == 0 ? 256 : 2 * r->room;
        ov_vec3 *points = realloc(r->points, room * sizeof *points);
        if (points == NULL) {
            return OV_ERROR_MEMORY;
        }
        r->points = points;
        r->room = room;
    }
    r->points[r->count++] = ov_vec3_make(xyz[0], xyz[1], xyz[2]);
    return OV_OK;
}

static bool is_obj_statement(const char *s, size_t length) {
    for (size_t i = 0; i < sizeof obj_statements / sizeof obj_statements[0]; i++) {
        if (word_is(s, length, obj_statements[i])) {
            return true;
        }
    }
    return false;
}

static ov_status read_point(reader *r) {
    const char *s = skip_blanks(r->text);
    size_t length = word_length(s);
    if (*s == '\0') {
        return OV_OK;
    }
    bool vertex = word_is(s, length, "v");
    dialect spoken = vertex || is_obj_statement(s, length) ? DIALECT_OBJ : DIALECT_NUMBERS;
    if (r->dialect != DIALECT_OPEN && r->dialect != spoken) {
        return OV_ERROR_FILE_FORMAT;
    }
    if (spoken == DIALECT_OBJ && !vertex) {
        r->dialect = spoken;
        return OV_OK;
    }
    double values[7];
    int count = 0;
    ov_status status = read_numbers(vertex ? s + length : s, values, vertex ? 7 : 3, &count);
    if (status != OV_OK) {
        return status;
    }
    // x y z; in OBJ also with a weight, a colour, or both
    if (count < 3 || count == 5) {
        return OV_ERROR_FILE_FORMAT;
    }
    r->dialect = spoken;
    return append(r, values);
}

static ov_status read_all(reader *r) {
    ov_status status = OV_OK;
    while (status == OV_OK && read_line(r, &status)) {
        // a byte order mark may stand before the first line
        if (r->line == 1 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0) {
            memmove(r->text, r->text + 3, strlen(r->text + 3) + 1);
        }
        status = read_point(r);
    }
    return status;
}

ov_status ov_points_read_stream(FILE *stream, ov_vec3 **points, size_t *count, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (points != NULL) {
        *points = NULL;
    }
    if (count != NULL) {
        *count = 0;
    }
    if (stream == NULL || points == NULL || count == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    ovi_locale locale;
    reader *r = calloc(1, sizeof *r);
    if (r == NULL || !ovi_locale_enter(&locale)) {
        free(r);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    r->stream = stream;
    ov_status status = read_all(r);
    ovi_locale_leave(&locale);
    if (status != OV_OK) {
        (void)ovi_file_fault(fault, status, r->line, "%s", ov_status_message(status));
    } else if (ferror(stream)) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    } else if (r->count == 0) {
        status = ovi_file_fault(fault, OV_ERROR_COUNT, 0, "holds no points");
    }
    if (status != OV_OK) {
        free(r->points);
    } else {
        *points = r->points;
        *count = r->count;
    }
    free(r);
    return status;
}

ov_status ov_points_read(const char *path, ov_vec3 **points, size_t *count, ov_fault *fault) {
    FILE *stream = path == NULL ? NULL : fopen(path, "rb");
    int cause = errno;
    ov_status status = ov_points_read_stream(stream, points, count, fault);
    if (stream == NULL) {
        // the call above has set the outputs
        return path == NULL || points == NULL || count == NULL
                   ? status
                   : ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened: %s",
                                    strerror(cause));
    }
    (void)fclose(stream);
    return status;
}

void ov_points_free(ov_vec3 *points) { free(points); }
