/**
 * @file pairs_csv.c
 * @brief Pairs of superovoids in, contacts out, both as comma-separated values.
 *
 * A file of pairs may be larger than the memory, so it is read a few rows at a time. A bad row is
 * the row's own fault and not the file's: it gets a status, and the reading goes on behind it. Only
 * the header must be right, since a file with other columns would give wrong answers throughout.
 */
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

enum { SHAPE_NUMBERS = 7, BODY_NUMBERS = 14, COLUMNS = 2 * BODY_NUMBERS };

/** The shape made last, since rows often repeat it and making one takes longer than a query. */
typedef struct memory {
    bool valid;
    double numbers[SHAPE_NUMBERS];
    ov_status status;
    ov_shape shape;
} memory;

struct ov_pairs_reader {
    FILE *stream;
    size_t line;
    memory last[2];
    char text[OV_PAIRS_LINE_MAX + 1];
};

/* ---- lines ----------------------------------------------------------------------------------- */

typedef enum line_state { LINE_GOOD, LINE_BAD, LINE_END } line_state;

/** Reads one line, without its end; one that is too long or holds a zero byte is bad, and passed
 *  over as a whole. */
static line_state read_line(ov_pairs_reader *r) {
    size_t length = 0;
    line_state state = LINE_GOOD;
    int c = getc(r->stream);
    if (c == EOF) {
        return LINE_END;
    }
    r->line++;
    for (; c != EOF && c != '\n'; c = getc(r->stream)) {
        if (c == '\0' || length == OV_PAIRS_LINE_MAX) {
            state = LINE_BAD;
        } else {
            r->text[length++] = (char)c;
        }
    }
    r->text[length] = '\0';
    return state;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_blank_line(const char *s) {
    while (is_blank(*s)) {
        s++;
    }
    return *s == '\0';
}

/** The field at s, without the blanks around it; returns where the next one begins, or null. */
static const char *take_field(const char *s, const char **field, size_t *length) {
    size_t end = strcspn(s, ",");
    const char *next = s[end] == ',' ? s + end + 1 : NULL;
    while (end > 0 && is_blank(*s)) {
        s++;
        end--;
    }
    while (end > 0 && is_blank(s[end - 1])) {
        end--;
    }
    *field = s;
    *length = end;
    return next;
}

/* ---- header ---------------------------------------------------------------------------------- */

static ov_status check_header(const ov_pairs_reader *r, const char *text, ov_fault *fault) {
    const char *expected = OV_PAIRS_HEADER;
    int column = 1;
    while (text != NULL || expected != NULL) {
        const char *got = "", *want = "";
        size_t got_length = 0, want_length = 0;
        if (text == NULL || expected == NULL) {
            return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->line,
                                  "the header has %s than %d columns: it must be A_a1,...,B_qz",
                                  text == NULL ? "fewer" : "more", COLUMNS);
        }
        text = take_field(text, &got, &got_length);
        expected = take_field(expected, &want, &want_length);
        if (got_length != want_length || memcmp(got, want, got_length) != 0) {
            return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->line,
                                  "column %d of the header is '%.*s', must be '%.*s'", column,
                                  (int)(got_length < 40 ? got_length : 40), got, (int)want_length,
                                  want);
        }
        column++;
    }
    return OV_OK;
}

static ov_status read_header(ov_pairs_reader *r, ov_fault *fault) {
    line_state state = LINE_GOOD;
    do {
        state = read_line(r);
    } while (state == LINE_GOOD && is_blank_line(r->text));
    if (ferror(r->stream)) {
        return ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    }
    if (state == LINE_END) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0,
                              "empty, where a header A_a1,...,B_qz should be");
    }
    if (state == LINE_BAD) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->line,
                              "not a header: a zero byte, or more than %d bytes",
                              OV_PAIRS_LINE_MAX);
    }
    // a byte order mark may stand before the first line
    bool mark = strncmp(r->text, "\xef\xbb\xbf", 3) == 0;
    return check_header(r, mark ? r->text + 3 : r->text, fault);
}

ov_status ov_pairs_reader_create(FILE *stream, ov_pairs_reader **reader, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (reader != NULL) {
        *reader = NULL;
    }
    if (stream == NULL || reader == NULL) {
        return OV_ERROR_NULL;
    }
    ov_pairs_reader *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    r->stream = stream;
    ov_status status = read_header(r, fault);
    if (status != OV_OK) {
        free(r);
        return status;
    }
    *reader = r;
    return OV_OK;
}

void ov_pairs_reader_destroy(ov_pairs_reader *reader) { free(reader); }

/* ---- rows ------------------------------------------------------------------------------------ */

/** The numbers of a row. What is no number counts before what is not finite. */
static ov_status read_numbers(const char *text, double *numbers) {
    ov_status status = OV_OK;
    for (int i = 0; i < COLUMNS; i++) {
        const char *field;
        char *end;
        size_t length;
        if (text == NULL) {
            return OV_ERROR_FILE_FORMAT;
        }
        text = take_field(text, &field, &length);
        numbers[i] = length > 0 ? strtod(field, &end) : 0.0;
        if (length == 0 || end != field + length) {
            return OV_ERROR_FILE_FORMAT;
        }
        if (!isfinite(numbers[i])) {
            status = OV_ERROR_NOT_FINITE;
        }
    }
    return text == NULL ? status : OV_ERROR_FILE_FORMAT;
}

static ov_status make_shape(memory *last, const double *v, ov_shape *shape) {
    if (!last->valid || memcmp(last->numbers, v, sizeof last->numbers) != 0) {
        memcpy(last->numbers, v, sizeof last->numbers);
        last->valid = true;
        last->status = ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5],
                                                v[6], NULL, &last->shape);
    }
    if (last->status == OV_OK) {
        *shape = last->shape;
    }
    return last->status;
}

static ov_status make_body(memory *last, const double *v, ov_shape *shape, ov_pose *pose) {
    ov_quat q = {v[10], v[11], v[12], v[13]};
    ov_status status = make_shape(last, v, shape);
    if (status == OV_OK) {
        status = ovi_rotation(q, &pose->rotation);
    }
    pose->position = ov_vec3_make(v[7], v[8], v[9]);
    return status;
}

static void read_row(ov_pairs_reader *r, line_state state, ov_pairs_row *row) {
    double v[COLUMNS];
    row->line = r->line;
    row->status = state == LINE_GOOD ? read_numbers(r->text, v) : OV_ERROR_FILE_FORMAT;
    if (row->status == OV_OK) {
        row->status = make_body(&r->last[0], v, &row->a, &row->pose_a);
    }
    if (row->status == OV_OK) {
        row->status = make_body(&r->last[1], v + BODY_NUMBERS, &row->b, &row->pose_b);
    }
}

ov_status ov_pairs_read(ov_pairs_reader *reader, ov_pairs_row *rows, size_t room, size_t *count) {
    if (count != NULL) {
        *count = 0;
    }
    if (reader == NULL || rows == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_locale locale;
    if (!ovi_locale_enter(&locale)) {
        return OV_ERROR_MEMORY;
    }
    while (*count < room) {
        line_state state = read_line(reader);
        if (state == LINE_END) {
            break;
        }
        if (state == LINE_BAD || !is_blank_line(reader->text)) {
            read_row(reader, state, &rows[(*count)++]);
        }
    }
    ovi_locale_leave(&locale);
    return ferror(reader->stream) ? OV_ERROR_FILE_READ : OV_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

ov_status ov_contacts_write_header(FILE *stream) {
    if (stream == NULL) {
        return OV_ERROR_NULL;
    }
    return fputs(OV_CONTACTS_HEADER "\n", stream) >= 0 ? OV_OK : OV_ERROR_FILE_WRITE;
}

static void write_contact(FILE *f, const ov_contact *c) {
    const double v[] = {c->gap,       c->gap_lower, c->gap_upper, c->point_a.x,
                        c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y,
                        c->point_b.z, c->normal.x,  c->normal.y,  c->normal.z};
    (void)fprintf(f, "%s,%s", ov_status_name(c->status), ov_relation_name(c->relation));
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        if (isnan(v[i])) {
            (void)fputs(",nan", f); // printf may write a sign before it
        } else {
            (void)fprintf(f, ",%.17g", v[i]);
        }
    }
    (void)fprintf(f, ",%d\n", c->iterations);
}

ov_status ov_contacts_write(FILE *stream, const ov_contact *contacts, size_t count) {
    if (stream == NULL || (contacts == NULL && count > 0)) {
        return OV_ERROR_NULL;
    }
    ovi_locale locale;
    if (!ovi_locale_enter(&locale)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && !ferror(stream); i++) {
        write_contact(stream, &contacts[i]);
    }
    ovi_locale_leave(&locale);
    return ferror(stream) ? OV_ERROR_FILE_WRITE : OV_OK;
}
