/**
 * @file csv.c
 * @brief Rows of numbers as text: pairs in and contacts out, positions of joints in, points in,
 * tracks of a device in.
 *
 * All are read line by line, and a line has a longest length. Numbers are separated by commas,
 * those of points by blanks too.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/** Lines of a stream, one at a time. */
typedef struct lines {
    FILE *stream;
    char *text;    /**< the line without its end; room for one byte more than `room` */
    size_t room;   /**< longest line, in bytes */
    char comment;  /**< what follows this character is passed over, if it is not 0 */
    bool skip_bad; /**< a bad line is read to its end; else it is told at once */
    size_t line;   /**< number of the line that was read last, from 1 */
} lines;

typedef enum line_state {
    LINE_GOOD,
    LINE_END,  /**< there is no further line */
    LINE_LONG, /**< it is too long */
    LINE_ZERO  /**< it holds a zero byte, which would hide the rest from the string functions */
} line_state;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static line_state read_line(lines *l) {
    line_state state = LINE_GOOD;
    size_t length = 0;
    bool comment = false;
    int c = getc(l->stream);
    if (c == EOF) {
        return LINE_END;
    }
    l->line++;
    for (; c != EOF && c != '\n' && (state == LINE_GOOD || l->skip_bad); c = getc(l->stream)) {
        comment = comment || (l->comment != '\0' && c == l->comment);
        if (comment) {
            continue;
        }
        if (c == '\0' || length == l->room) {
            state = c == '\0' ? LINE_ZERO : LINE_LONG;
        } else {
            l->text[length++] = (char)c;
        }
    }
    l->text[length] = '\0';
    // a byte order mark may stand before the first line
    if (l->line == 1 && strncmp(l->text, "\xef\xbb\xbf", 3) == 0) {
        memmove(l->text, l->text + 3, length - 2);
    }
    return state;
}

/** The next line that is not blank. */
static line_state next_line(lines *l) {
    line_state state;
    const char *s;
    do {
        state = read_line(l);
        for (s = l->text; state == LINE_GOOD && is_blank(*s); s++) {
        }
    } while (state == LINE_GOOD && *s == '\0');
    return state;
}

/** Cuts the next cell off a line, without blanks around it; null after the last. */
static char *next_cell(char **rest) {
    char *cell = *rest;
    if (cell == NULL) {
        return NULL;
    }
    char *comma = strchr(cell, ',');
    *rest = comma != NULL ? comma + 1 : NULL;
    size_t length = comma != NULL ? (size_t)(comma - cell) : strlen(cell);
    while (length > 0 && is_blank(cell[length - 1])) {
        length--;
    }
    while (length > 0 && is_blank(*cell)) {
        cell++;
        length--;
    }
    cell[length] = '\0';
    return cell;
}

/** The same without quotes around it. */
static char *next_quoted_cell(char **rest) {
    char *cell = next_cell(rest);
    size_t length = cell != NULL ? strlen(cell) : 0;
    if (length > 1 && cell[0] == '"' && cell[length - 1] == '"') {
        cell[length - 1] = '\0';
        cell++;
    }
    return cell;
}

/** The whole of a cell as a number, decimal or hexadecimal, be it finite or not. */
static bool read_cell_number(const char *cell, double *value) {
    char *end;
    // strtod would pass over blanks, which may stand in quotes
    if (cell[0] == '\0' || isspace((unsigned char)cell[0])) {
        return false;
    }
    *value = strtod(cell, &end);
    return *end == '\0';
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A file of pairs may be larger than the memory, so it is read a few rows at a time. A bad row is
 * the row's own fault and not the file's: it gets a status, and the reading goes on behind it. Only
 * the header must be right, since a file with other columns would give wrong answers throughout. */

enum { SHAPE_NUMBERS = 7, BODY_NUMBERS = 14, COLUMNS = 2 * BODY_NUMBERS };

/** The shape made last, since rows often repeat it and making one takes longer than a query. */
typedef struct memory {
    bool valid;
    double numbers[SHAPE_NUMBERS];
    ov_status status;
    ov_shape shape;
} memory;

struct ov_pairs_reader {
    lines in;
    memory last[2];
    char text[OV_PAIRS_LINE_MAX + 1];
};

static ov_status check_pairs_header(const ov_pairs_reader *r, char *text, ov_fault *fault) {
    char header[] = OV_PAIRS_HEADER;
    char *expected = header, *got, *want;
    for (int column = 1;; column++) {
        got = next_cell(&text);
        want = next_cell(&expected);
        if (got == NULL && want == NULL) {
            return OV_OK;
        }
        if (got == NULL || want == NULL) {
            return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->in.line,
                                  "the header has %s than %d columns: it must be A_a1,...,B_qz",
                                  got == NULL ? "fewer" : "more", COLUMNS);
        }
        ov_file_kind kind = column == 1 && strcmp(got, want) != 0
                                ? ov_file_kind_of(got, strlen(got))
                                : OV_FILE_KIND_UNKNOWN;
        if (kind != OV_FILE_KIND_UNKNOWN) {
            return ovi_wrong_file(fault, kind, r->in.line, "a file of pairs");
        }
        if (strcmp(got, want) != 0) {
            return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->in.line,
                                  "column %d of the header is '%.40s', must be '%s'", column, got,
                                  want);
        }
    }
}

static ov_status read_pairs_header(ov_pairs_reader *r, ov_fault *fault) {
    line_state state = next_line(&r->in);
    if (ferror(r->in.stream)) {
        return ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    }
    if (state == LINE_END) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0,
                              "empty, where a header A_a1,...,B_qz should be");
    }
    if (state != LINE_GOOD) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, r->in.line,
                              "not a header: a zero byte, or more than %d bytes",
                              OV_PAIRS_LINE_MAX);
    }
    return check_pairs_header(r, r->text, fault);
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
    r->in = (lines){.stream = stream, .text = r->text, .room = OV_PAIRS_LINE_MAX, .skip_bad = true};
    ov_status status = read_pairs_header(r, fault);
    if (status != OV_OK) {
        free(r);
        return status;
    }
    *reader = r;
    return OV_OK;
}

void ov_pairs_reader_destroy(ov_pairs_reader *reader) { free(reader); }

/* ---- rows of pairs
 * ------------------------------------------------------------------------------------ */

/** The numbers of a row. What is no number counts before what is not finite. */
static ov_status read_row_numbers(char *text, double *numbers) {
    ov_status status = OV_OK;
    for (int i = 0; i < COLUMNS; i++) {
        const char *cell = next_cell(&text);
        if (cell == NULL || !read_cell_number(cell, &numbers[i])) {
            return OV_ERROR_FILE_FORMAT;
        }
        status = isfinite(numbers[i]) ? status : OV_ERROR_NOT_FINITE;
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
    row->line = r->in.line;
    row->status = state == LINE_GOOD ? read_row_numbers(r->text, v) : OV_ERROR_FILE_FORMAT;
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
        line_state state = next_line(&reader->in);
        if (state == LINE_END) {
            break;
        }
        read_row(reader, state, &rows[(*count)++]);
    }
    ovi_locale_leave(&locale);
    return ferror(reader->in.stream) ? OV_ERROR_FILE_READ : OV_OK;
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
        (void)fputc(',', f);
        ovi_number_write(f, v[i]);
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

/* ---- joint positions ------------------------------------------------------------------------- */

/* Strict: a number that is missing or a name that is misspelt would be a pose that nobody meant, so
 * it is an error with its line. A file is read as a whole, since what uses it goes through its
 * poses more than once. */

enum { HINT_MAX = 180 };

/** What a column holds, if not a position. */
enum { COLUMN_TIME = -1, COLUMN_UNUSED = -2 };

/** A name that a column may have. */
typedef struct known {
    char *name;
    ptrdiff_t position; /**< of the model, or COLUMN_UNUSED */
    uint32_t joint;
    bool seen; /**< a column has it */
} known;

typedef struct joints_reader {
    lines in;
    const ov_model *model;
    bool strict;
    ov_joints *out;
    ov_fault *fault;
    known *names;
    size_t name_count;
    ptrdiff_t *columns; /**< positions, or COLUMN_TIME, COLUMN_UNUSED */
    const char **titles;
    char *header; /**< the titles are in it */
    bool timed;
    size_t room; /**< poses that there is memory for */
} joints_reader;

static ov_status no_memory(const joints_reader *r) {
    return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
}

static ov_status bad_line(const joints_reader *r, ov_status status, const char *what) {
    return ovi_file_fault(r->fault, status, r->in.line, "%s", what);
}

static ov_status bad_column(const joints_reader *r, ov_status status, const char *title,
                            const char *what) {
    return ovi_file_fault(r->fault, status, r->in.line, "%.60s: %s", title, what);
}

/** The next line that is not blank; `*end` at the end of the file. */
static ov_status next_pose_line(joints_reader *r, bool *end) {
    line_state state = next_line(&r->in);
    *end = state == LINE_END;
    if (*end && ferror(r->in.stream)) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    }
    return state == LINE_GOOD || *end
               ? OV_OK
               : bad_line(r, OV_ERROR_FILE_FORMAT,
                          state == LINE_ZERO ? "not a text" : "longer than a line may be");
}

/* ---- names of columns
 * ----------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
    return strcmp(((const known *)a)->name, ((const known *)b)->name);
}

/** Endings of the columns of a joint, null for a joint of one position or none. */
static const char *const *endings_of(ov_joint_kind kind) {
    static const char *const planar[] = {".x", ".y", ".angle"};
    static const char *const spherical[] = {".qw", ".qx", ".qy", ".qz"};
    static const char *const floating[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    return kind == OV_JOINT_KIND_PLANAR      ? planar
           : kind == OV_JOINT_KIND_SPHERICAL ? spherical
           : kind == OV_JOINT_KIND_FLOATING  ? floating
                                             : NULL;
}

/** Adds the names of a joint's columns. */
static bool add_joint(joints_reader *r, uint32_t joint) {
    const ov_joint_def *def = ov_model_joint(r->model, joint);
    const char *const *endings = endings_of(def->kind);
    size_t count = ov_joint_position_count(def->kind);
    bool unused = count == 0 || def->mimic != OV_NO_LINK;
    for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
        const char *ending = endings != NULL ? endings[i] : "";
        size_t size = strlen(def->name) + strlen(ending) + 1;
        known *k = &r->names[r->name_count];
        k->name = malloc(size);
        if (k->name == NULL) {
            return false;
        }
        (void)snprintf(k->name, size, "%s%s", def->name, ending);
        k->joint = joint;
        k->position = unused ? (ptrdiff_t)COLUMN_UNUSED
                             : (ptrdiff_t)(ov_model_joint_position(r->model, joint) + i);
        r->name_count++;
    }
    return true;
}

static bool list_names(joints_reader *r) {
    size_t joints = ov_model_joint_count(r->model), count = 0;
    for (uint32_t i = 0; i < joints; i++) {
        size_t positions = ov_joint_position_count(ov_model_joint(r->model, i)->kind);
        count += positions > 0 ? positions : 1;
    }
    r->names = calloc(count + 1, sizeof *r->names);
    for (uint32_t i = 0; r->names != NULL && i < joints; i++) {
        if (!add_joint(r, i)) {
            return false;
        }
    }
    if (r->names != NULL) {
        qsort(r->names, r->name_count, sizeof *r->names, compare_names);
    }
    return r->names != NULL;
}

static known *find_name(const joints_reader *r, const char *title) {
    return bsearch(&(known){.name = (char *)(uintptr_t)title}, r->names, r->name_count,
                   sizeof *r->names, compare_names);
}

/** Can it be told which column is meant? Not where a joint `a.x` stands beside a planar `a`. */
static bool is_plain(const joints_reader *r, const known *k) {
    const known *last = r->names + r->name_count - 1;
    return (k == r->names || compare_names(k - 1, k) != 0) &&
           (k == last || compare_names(k, k + 1) != 0);
}

/** The nearest name, or a few of those that there are. */
static void suggest(const joints_reader *r, const char *title, char *hint) {
    const char **all = calloc(r->name_count + 1, sizeof *all);
    size_t used = 0;
    hint[0] = '\0';
    if (all == NULL) {
        return;
    }
    for (size_t i = 0; i < r->name_count; i++) {
        all[i] = r->names[i].name;
    }
    const char *near = ovi_nearest(title, all, r->name_count);
    if (near != NULL) {
        (void)snprintf(hint, HINT_MAX, "; did you mean '%s'?", near);
    }
    for (size_t i = 0; i < r->name_count && near == NULL && used + 1 < HINT_MAX; i++) {
        used += (size_t)snprintf(hint + used, HINT_MAX - used, "%s %s",
                                 i == 0 ? "; known are:" : "", all[i]);
    }
    free(all);
}

static ov_status no_joint(const joints_reader *r, const char *title) {
    double number;
    char hint[HINT_MAX];
    ov_file_kind kind = r->out->column_count == 1 ? ov_file_kind_of(r->in.text, strlen(r->in.text))
                                                  : OV_FILE_KIND_UNKNOWN;
    if (kind != OV_FILE_KIND_UNKNOWN) {
        return ovi_wrong_file(r->fault, kind, r->in.line, "a file of joint positions");
    }
    if (read_cell_number(title, &number)) {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title,
                          "a number, where the names of joints should be");
    }
    if (r->strict) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->in.line,
                              "'%.60s' is no joint with a position of its own", title);
    }
    suggest(r, title, hint);
    return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->in.line, "no joint '%.60s'%s", title,
                          hint);
}

static ov_status find_column(joints_reader *r, const char *title, ptrdiff_t *column) {
    bool time = strcmp(title, "time") == 0;
    known *k = time ? NULL : find_name(r, title);
    if (!time && (k == NULL || (r->strict && k->position == COLUMN_UNUSED))) {
        return no_joint(r, title);
    }
    bool *seen = time ? &r->timed : &k->seen;
    if (*seen) {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title, "this column is there twice");
    }
    if (!time && !is_plain(r, k)) {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title, "two joints have such a column");
    }
    *seen = true;
    *column = time ? (ptrdiff_t)COLUMN_TIME : k->position;
    if (*column == COLUMN_UNUSED) {
        r->out->unused[r->out->unused_count++] = k->joint;
    }
    return OV_OK;
}

static ov_status read_joints_header(joints_reader *r) {
    bool end;
    ov_status status = next_pose_line(r, &end);
    if (status != OV_OK) {
        return status;
    }
    if (end) {
        return ovi_file_fault(r->fault, OV_ERROR_COUNT, 0,
                              "empty, where the names of joints should be");
    }
    const char *text = r->in.text;
    size_t most = 1;
    for (const char *s = text; *s != '\0'; s++) {
        most += *s == ',';
    }
    r->header = malloc(strlen(text) + 1);
    r->columns = calloc(most, sizeof *r->columns);
    r->titles = calloc(most, sizeof *r->titles);
    r->out->unused = calloc(most, sizeof *r->out->unused);
    if (r->header == NULL || r->columns == NULL || r->titles == NULL || r->out->unused == NULL) {
        return no_memory(r);
    }
    char *rest = strcpy(r->header, text), *title;
    while ((title = next_quoted_cell(&rest)) != NULL && status == OV_OK) {
        r->titles[r->out->column_count] = title;
        status = find_column(r, title, &r->columns[r->out->column_count++]);
    }
    return status;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static ov_status read_cell(const joints_reader *r, const char *title, const char *cell,
                           double *value) {
    if (cell[0] == '\0') {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title, "the number is missing");
    }
    if (!read_cell_number(cell, value)) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->in.line,
                              "%.60s: '%.40s' is not a number", title, cell);
    }
    return isfinite(*value)
               ? OV_OK
               : bad_column(r, OV_ERROR_NOT_FINITE, title, "the number must be finite");
}

/** Room for one more pose. */
static ov_status grow_poses(joints_reader *r) {
    ov_joints *j = r->out;
    size_t room = r->room == 0 ? 64 : 2 * r->room, width = j->width > 0 ? j->width : 1;
    if (j->count >= OV_JOINTS_NUMBERS_MAX / width) {
        return bad_line(r, OV_ERROR_COUNT, "more poses than a trajectory may have");
    }
    if (j->count < r->room) {
        return OV_OK;
    }
    double *positions = realloc(j->positions, room * width * sizeof *positions);
    j->positions = positions != NULL ? positions : j->positions;
    double *times = realloc(j->times, room * sizeof *times);
    j->times = times != NULL ? times : j->times;
    if (positions == NULL || times == NULL) {
        return no_memory(r);
    }
    r->room = room;
    return OV_OK;
}

/** Is it a pose at all, and within the limits? */
static ov_status judge_pose(const joints_reader *r, const double *positions) {
    ov_joint_excess excess;
    ov_fault wrong;
    ov_status status = ov_model_check(r->model, positions, &excess, &wrong);
    if (status != OV_OK) {
        const ov_joint_def *def = ov_model_joint(r->model, wrong.index);
        return bad_column(r, status, def != NULL ? def->name : "the model", wrong.text);
    }
    if (excess.joint == OV_NO_LINK) {
        return OV_OK;
    }
    if (r->strict) {
        return ovi_file_fault(r->fault, OV_ERROR_LIMIT, r->in.line,
                              "joint '%.60s' is out of its limits",
                              ov_model_joint(r->model, excess.joint)->name);
    }
    if (r->out->beyond++ == 0) {
        r->out->beyond_pose = r->out->count;
        r->out->beyond_joint = excess.joint;
    }
    return OV_OK;
}

static ov_status read_pose(joints_reader *r) {
    ov_joints *j = r->out;
    ov_status status = grow_poses(r);
    if (status != OV_OK) {
        return status;
    }
    double *positions = j->positions + j->count * j->width;
    ov_model_rest(r->model, positions);
    char *rest = r->in.text, *cell;
    size_t column = 0;
    for (; (cell = next_quoted_cell(&rest)) != NULL; column++) {
        double value = 0.0;
        if (column == j->column_count) {
            return bad_line(r, OV_ERROR_FILE_FORMAT, "more numbers than the header has names");
        }
        status = read_cell(r, r->titles[column], cell, &value);
        if (status != OV_OK) {
            return status;
        }
        if (r->columns[column] == COLUMN_TIME) {
            j->times[j->count] = value;
        } else if (r->columns[column] != COLUMN_UNUSED) {
            positions[r->columns[column]] = value;
        }
    }
    if (column < j->column_count) {
        return bad_column(r, OV_ERROR_FILE_FORMAT, r->titles[column], "the number is missing");
    }
    status = judge_pose(r, positions);
    j->count += status == OV_OK;
    return status;
}

static ov_status read_joints(joints_reader *r) {
    bool end = false;
    ov_status status = read_joints_header(r);
    while (status == OV_OK && (status = next_pose_line(r, &end)) == OV_OK && !end) {
        status = read_pose(r);
    }
    if (status == OV_OK && r->out->count == 0) {
        return ovi_file_fault(r->fault, OV_ERROR_COUNT, 0, "no poses after the names of joints");
    }
    if (!r->timed) {
        free(r->out->times);
        r->out->times = NULL;
    }
    return status;
}

ov_status ov_joints_read_stream(FILE *stream, const ov_model *model, bool strict, ov_joints *joints,
                                ov_fault *fault) {
    ovi_locale locale;
    if (joints != NULL) {
        *joints = (ov_joints){.count = 0};
    }
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (stream == NULL || model == NULL || joints == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    joints->width = ov_model_position_count(model);
    joints_reader r = {.model = model, .strict = strict, .out = joints, .fault = fault};
    r.in = (lines){
        .stream = stream, .text = malloc(OV_JOINTS_LINE_MAX + 1), .room = OV_JOINTS_LINE_MAX};
    ov_status status = OV_ERROR_MEMORY;
    if (r.in.text == NULL || !list_names(&r) || !ovi_locale_enter(&locale)) {
        no_memory(&r);
    } else {
        status = read_joints(&r);
        ovi_locale_leave(&locale);
    }
    for (size_t i = 0; i < r.name_count; i++) {
        free(r.names[i].name);
    }
    free(r.names);
    free(r.columns);
    free(r.titles);
    free(r.header);
    free(r.in.text);
    if (status != OV_OK) {
        size_t columns = joints->column_count;
        ov_joints_free(joints);
        joints->column_count = columns;
    }
    return status;
}

ov_status ov_joints_read(const char *path, const ov_model *model, bool strict, ov_joints *joints,
                         ov_fault *fault) {
    FILE *stream = path != NULL ? fopen(path, "rb") : NULL;
    int cause = errno;
    ov_status status = ov_joints_read_stream(stream, model, strict, joints, fault);
    if (stream != NULL) {
        (void)fclose(stream);
    } else if (path != NULL && model != NULL && joints != NULL) {
        status =
            ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened: %s", strerror(cause));
    }
    return status;
}

void ov_joints_free(ov_joints *joints) {
    if (joints != NULL) {
        free(joints->positions);
        free(joints->times);
        free(joints->unused);
        *joints = (ov_joints){.count = 0};
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Lines of three numbers, or the vertices of an OBJ file. Strict on purpose: what is not understood
 * is an error with a line number, and never a point that was not meant. Memory grows with the
 * number of points read. */

/** Which of the two kinds of file it is; the first line that says something settles it. */
typedef enum dialect { DIALECT_OPEN, DIALECT_NUMBERS, DIALECT_OBJ } dialect;

typedef struct points_reader {
    lines in;
    dialect dialect;
    ov_vec3 *points;
    size_t count, room;
    char text[OV_POINTS_LINE_MAX + 1];
} points_reader;

/** Statements of OBJ that have no vertex in them. */
static const char *const obj_statements[] = {
    "vt",   "vn",   "vp",         "f",         "l",        "p",       "o",     "g",
    "s",    "mg",   "usemtl",     "mtllib",    "usemap",   "deg",     "bmat",  "step",
    "curv", "surf", "cstype",     "maplib",    "parm",     "trim",    "hole",  "scrv",
    "sp",   "end",  "con",        "lod",       "curv2",    "bevel",   "ctech", "stech",
    "call", "csh",  "shadow_obj", "trace_obj", "c_interp", "d_interp"};

static const char *skip_blanks(const char *s) {
    while (is_blank(*s)) {
        s++;
    }
    return s;
}

/** The word at s: up to a blank, a comma or the end. */
static ovi_word word_at(const char *s) {
    size_t n = 0;
    while (s[n] != '\0' && s[n] != ',' && !is_blank(s[n])) {
        n++;
    }
    return (ovi_word){s, n};
}

static bool word_is(ovi_word word, const char *text) {
    return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

/** Reads numbers up to the end of the line; `count` may be up to `room`. */
static ov_status read_point_numbers(const char *s, double *values, int room, int *count) {
    *count = 0;
    s = skip_blanks(s);
    while (*s != '\0') {
        ovi_word word = word_at(s);
        double value;
        ov_status status = ovi_word_number(word, &value);
        if (status != OV_OK) {
            return status;
        }
        if (*count == room) {
            return OV_ERROR_FILE_FORMAT;
        }
        values[(*count)++] = value;
        s = skip_blanks(s + word.length);
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

static ov_status append_point(points_reader *r, const double xyz[3]) {
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

static bool is_obj_statement(ovi_word word) {
    for (size_t i = 0; i < sizeof obj_statements / sizeof obj_statements[0]; i++) {
        if (word_is(word, obj_statements[i])) {
            return true;
        }
    }
    return false;
}

static ov_status read_point(points_reader *r) {
    const char *s = skip_blanks(r->in.text);
    ovi_word word = word_at(s);
    bool vertex = word_is(word, "v");
    dialect spoken = vertex || is_obj_statement(word) ? DIALECT_OBJ : DIALECT_NUMBERS;
    if (r->dialect != DIALECT_OPEN && r->dialect != spoken) {
        return OV_ERROR_FILE_FORMAT;
    }
    if (spoken == DIALECT_OBJ && !vertex) {
        r->dialect = spoken;
        return OV_OK;
    }
    double values[7];
    int count = 0;
    ov_status status =
        read_point_numbers(vertex ? s + word.length : s, values, vertex ? 7 : 3, &count);
    if (status != OV_OK) {
        return status;
    }
    // x y z; in OBJ also with a weight, a colour, or both
    if (count < 3 || count == 5) {
        return OV_ERROR_FILE_FORMAT;
    }
    r->dialect = spoken;
    return append_point(r, values);
}

static ov_status read_points(points_reader *r) {
    for (;;) {
        line_state state = next_line(&r->in);
        if (state != LINE_GOOD) {
            return state == LINE_END ? OV_OK : OV_ERROR_FILE_FORMAT;
        }
        ov_status status = read_point(r);
        if (status != OV_OK) {
            return status;
        }
    }
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
    points_reader *r = calloc(1, sizeof *r);
    if (r == NULL || !ovi_locale_enter(&locale)) {
        free(r);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    r->in = (lines){.stream = stream, .text = r->text, .room = OV_POINTS_LINE_MAX, .comment = '#'};
    ov_status status = read_points(r);
    ovi_locale_leave(&locale);
    if (status != OV_OK) {
        (void)ovi_file_fault(fault, status, r->in.line, "%s", ov_status_message(status));
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

/* ---- tracks ---------------------------------------------------------------------------------- */

enum { TRACK_COLUMNS_MAX = 8 };

typedef struct track_reader {
    lines in;
    int columns; /**< 4, or 8 with rotations */
    ov_touch_track *out;
    size_t room;
    ov_fault *fault;
    char text[OV_TOUCH_TRACK_LINE_MAX + 1];
} track_reader;

static ov_status bad_track(const track_reader *r, ov_status status, const char *what) {
    return ovi_file_fault(r->fault, status, r->in.line, "%s", what);
}

/** The next line; `*end` after the last. */
static ov_status next_track_line(track_reader *r, bool *end) {
    line_state state = next_line(&r->in);
    *end = state == LINE_END;
    if (ferror(r->in.stream)) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_READ, 0, "cannot be read");
    }
    if (state == LINE_LONG || state == LINE_ZERO) {
        return bad_track(r, OV_ERROR_FILE_FORMAT, "a line too long, or with a zero byte");
    }
    return OV_OK;
}

static ov_status read_track_header(track_reader *r) {
    static const char *const names[] = {"time", "x", "y", "z", "qw", "qx", "qy", "qz"};
    bool end;
    ov_status status = next_track_line(r, &end);
    if (status < 0) {
        return status;
    }
    if (end) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, 0,
                              "empty, where a header time,x,y,z should be");
    }
    char *rest = r->text;
    for (const char *cell = next_quoted_cell(&rest); cell != NULL; cell = next_quoted_cell(&rest)) {
        if (r->columns == TRACK_COLUMNS_MAX || strcmp(cell, names[r->columns]) != 0) {
            return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->in.line,
                                  "column %d of the header is '%.40s': it must be time,x,y,z or "
                                  "time,x,y,z,qw,qx,qy,qz",
                                  r->columns + 1, cell);
        }
        r->columns++;
    }
    return r->columns == 4 || r->columns == TRACK_COLUMNS_MAX
               ? OV_OK
               : bad_track(r, OV_ERROR_FILE_FORMAT,
                           "the header must be time,x,y,z or time,x,y,z,qw,qx,qy,qz");
}

/** Room for one more row. */
static ov_status grow_track(track_reader *r) {
    ov_touch_track *t = r->out;
    if (t->count < r->room) {
        return OV_OK;
    }
    if (t->count >= OV_TOUCH_TRACK_MAX) {
        return bad_track(r, OV_ERROR_COUNT, "too many rows");
    }
    size_t room = r->room == 0 ? 256 : 2 * r->room;
    double *times = realloc(t->times, room * sizeof *times);
    t->times = times != NULL ? times : t->times;
    ov_pose *poses = times != NULL ? realloc(t->poses, room * sizeof *poses) : NULL;
    t->poses = poses != NULL ? poses : t->poses;
    if (poses == NULL) {
        return bad_track(r, OV_ERROR_MEMORY, ov_status_message(OV_ERROR_MEMORY));
    }
    r->room = room;
    return OV_OK;
}

static ov_status read_track_row(track_reader *r) {
    double v[TRACK_COLUMNS_MAX] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    char *rest = r->text;
    for (int i = 0; i < r->columns; i++) {
        const char *cell = next_cell(&rest);
        if (cell == NULL || !read_cell_number(cell, &v[i])) {
            return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->in.line,
                                  "%d numbers are expected; number %d is missing or none",
                                  r->columns, i + 1);
        }
        if (!isfinite(v[i])) {
            return bad_track(r, OV_ERROR_NOT_FINITE, "a number is not finite");
        }
    }
    if (rest != NULL) {
        return bad_track(r, OV_ERROR_FILE_FORMAT, "more numbers than columns");
    }
    ov_touch_track *t = r->out;
    if (t->count > 0 && !(v[0] > t->times[t->count - 1])) {
        return bad_track(r, OV_ERROR_TIME, "the times do not ascend");
    }
    ov_pose pose = {.position = ov_vec3_make(v[1], v[2], v[3])};
    ov_quat q = {v[4], v[5], v[6], v[7]};
    ov_status status = ovi_rotation(q, &pose.rotation);
    if (status < 0) {
        return bad_track(r, status, "the quaternion is zero");
    }
    status = grow_track(r);
    if (status == OV_OK) {
        t->times[t->count] = v[0];
        t->poses[t->count++] = pose;
    }
    return status;
}

static ov_status read_track(track_reader *r) {
    bool end = false;
    ov_status status = read_track_header(r);
    while (status == OV_OK && (status = next_track_line(r, &end)) == OV_OK && !end) {
        status = read_track_row(r);
    }
    if (status == OV_OK && r->out->count == 0) {
        return ovi_file_fault(r->fault, OV_ERROR_COUNT, 0, "no rows below the header");
    }
    return status;
}

ov_status ov_touch_track_read_stream(FILE *stream, ov_touch_track *track, ov_fault *fault) {
    if (track != NULL) {
        *track = (ov_touch_track){0};
    }
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (stream == NULL || track == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    ovi_locale locale;
    track_reader *r = calloc(1, sizeof *r);
    if (r == NULL || !ovi_locale_enter(&locale)) {
        free(r);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    r->in =
        (lines){.stream = stream, .text = r->text, .room = OV_TOUCH_TRACK_LINE_MAX, .comment = '#'};
    r->out = track;
    r->fault = fault;
    ov_status status = read_track(r);
    ovi_locale_leave(&locale);
    free(r);
    if (status < 0) {
        ov_touch_track_free(track);
    }
    return status;
}

ov_status ov_touch_track_read(const char *path, ov_touch_track *track, ov_fault *fault) {
    FILE *stream = path != NULL ? fopen(path, "rb") : NULL;
    int cause = errno;
    ov_status status = ov_touch_track_read_stream(stream, track, fault);
    if (stream != NULL) {
        (void)fclose(stream);
    } else if (path != NULL && track != NULL) {
        status =
            ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened: %s", strerror(cause));
    }
    return status;
}

void ov_touch_track_free(ov_touch_track *track) {
    if (track != NULL) {
        free(track->times);
        free(track->poses);
        *track = (ov_touch_track){0};
    }
}
