/**
 * @file joints_csv.c
 * @brief Joint trajectories from comma-separated values.
 *
 * Strict: a number that is missing or a name that is misspelt would be a pose that nobody meant, so
 * it is an error with its line. A file is read as a whole, since what uses it goes through its
 * poses more than once.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

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

typedef struct reader {
    FILE *stream;
    const ov_model *model;
    bool strict;
    ov_joints *out;
    ov_fault *fault;
    size_t line;
    char *text; /**< the line */
    known *names;
    size_t name_count;
    ptrdiff_t *columns; /**< positions, or COLUMN_TIME, COLUMN_UNUSED */
    const char **titles;
    char *header; /**< the titles are in it */
    bool timed;
    size_t room; /**< poses that there is memory for */
} reader;

static ov_status no_memory(const reader *r) {
    return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
}

static ov_status bad_line(const reader *r, ov_status status, const char *what) {
    return ovi_file_fault(r->fault, status, r->line, "%s", what);
}

static ov_status bad_column(const reader *r, ov_status status, const char *title,
                            const char *what) {
    return ovi_file_fault(r->fault, status, r->line, "%.60s: %s", title, what);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/** The next line that is not blank; `*end` at the end of the file. */
static ov_status next_line(reader *r, bool *end) {
    for (;;) {
        size_t length = 0;
        bool blank = true;
        int byte;
        *end = false;
        r->line++;
        while ((byte = getc(r->stream)) != EOF && byte != '\n') {
            if (length == OV_JOINTS_LINE_MAX || byte == '\0') {
                return bad_line(r, OV_ERROR_FILE_FORMAT,
                                byte == '\0' ? "not a text" : "longer than a line may be");
            }
            blank = blank && (byte == ' ' || byte == '\t' || byte == '\r');
            r->text[length++] = (char)byte;
        }
        r->text[length] = '\0';
        if (byte == EOF && ferror(r->stream)) {
            return ovi_file_fault(r->fault, OV_ERROR_FILE_READ, 0, "cannot be read");
        }
        if (!blank || byte == EOF) {
            *end = blank;
            return OV_OK;
        }
    }
}

/** Cuts the next cell off a line, without blanks and quotes around it; null after the last. */
static char *next_cell(char **rest) {
    char *cell = *rest;
    if (cell == NULL) {
        return NULL;
    }
    char *comma = strchr(cell, ',');
    *rest = comma != NULL ? comma + 1 : NULL;
    size_t length = comma != NULL ? (size_t)(comma - cell) : strlen(cell);
    while (length > 0 && strchr(" \t\r", cell[length - 1]) != NULL) {
        length--;
    }
    while (length > 0 && (cell[0] == ' ' || cell[0] == '\t')) {
        cell++;
        length--;
    }
    if (length > 1 && cell[0] == '"' && cell[length - 1] == '"') {
        cell++;
        length -= 2;
    }
    cell[length] = '\0';
    return cell;
}

/** The whole of a cell as a number, be it finite or not. */
static bool read_number(const char *cell, double *value) {
    char *end;
    // strtod would pass over blanks, which may stand in quotes
    if (cell[0] == '\0' || isspace((unsigned char)cell[0])) {
        return false;
    }
    *value = strtod(cell, &end);
    return *end == '\0';
}

/* ---- names ----------------------------------------------------------------------------------- */

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
static bool add_joint(reader *r, uint32_t joint) {
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

static bool list_names(reader *r) {
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

static known *find_name(const reader *r, const char *title) {
    return bsearch(&(known){.name = (char *)(uintptr_t)title}, r->names, r->name_count,
                   sizeof *r->names, compare_names);
}

/** Can it be told which column is meant? Not where a joint `a.x` stands beside a planar `a`. */
static bool is_plain(const reader *r, const known *k) {
    const known *last = r->names + r->name_count - 1;
    return (k == r->names || compare_names(k - 1, k) != 0) &&
           (k == last || compare_names(k, k + 1) != 0);
}

/** The nearest name, or a few of those that there are. */
static void suggest(const reader *r, const char *title, char *hint) {
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

static ov_status no_joint(const reader *r, const char *title) {
    double number;
    char hint[HINT_MAX];
    if (read_number(title, &number)) {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title,
                          "a number, where the names of joints should be");
    }
    if (r->strict) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->line,
                              "'%.60s' is no joint with a position of its own", title);
    }
    suggest(r, title, hint);
    return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->line, "no joint '%.60s'%s", title,
                          hint);
}

static ov_status find_column(reader *r, const char *title, ptrdiff_t *column) {
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

static ov_status read_header(reader *r) {
    bool end;
    ov_status status = next_line(r, &end);
    if (status != OV_OK) {
        return status;
    }
    if (end) {
        return ovi_file_fault(r->fault, OV_ERROR_COUNT, 0,
                              "empty, where the names of joints should be");
    }
    // a byte order mark may stand before the text
    const char *text = strncmp(r->text, "\xef\xbb\xbf", 3) == 0 ? r->text + 3 : r->text;
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
    while ((title = next_cell(&rest)) != NULL && status == OV_OK) {
        r->titles[r->out->column_count] = title;
        status = find_column(r, title, &r->columns[r->out->column_count++]);
    }
    return status;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static ov_status read_cell(const reader *r, const char *title, const char *cell, double *value) {
    if (cell[0] == '\0') {
        return bad_column(r, OV_ERROR_FILE_FORMAT, title, "the number is missing");
    }
    if (!read_number(cell, value)) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->line,
                              "%.60s: '%.40s' is not a number", title, cell);
    }
    return isfinite(*value)
               ? OV_OK
               : bad_column(r, OV_ERROR_NOT_FINITE, title, "the number must be finite");
}

/** Room for one more pose. */
static ov_status grow(reader *r) {
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
static ov_status judge_pose(const reader *r, const double *positions) {
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
        return ovi_file_fault(r->fault, OV_ERROR_LIMIT, r->line,
                              "joint '%.60s' is out of its limits",
                              ov_model_joint(r->model, excess.joint)->name);
    }
    if (r->out->beyond++ == 0) {
        r->out->beyond_pose = r->out->count;
        r->out->beyond_joint = excess.joint;
    }
    return OV_OK;
}

static ov_status read_pose(reader *r) {
    ov_joints *j = r->out;
    ov_status status = grow(r);
    if (status != OV_OK) {
        return status;
    }
    double *positions = j->positions + j->count * j->width;
    ov_model_rest(r->model, positions);
    char *rest = r->text, *cell;
    size_t column = 0;
    for (; (cell = next_cell(&rest)) != NULL; column++) {
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

static ov_status read_all(reader *r) {
    bool end = false;
    ov_status status = read_header(r);
    while (status == OV_OK && (status = next_line(r, &end)) == OV_OK && !end) {
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
    reader r = {.stream = stream, .model = model, .strict = strict, .out = joints, .fault = fault};
    r.text = malloc(OV_JOINTS_LINE_MAX + 1);
    ov_status status = OV_ERROR_MEMORY;
    if (r.text == NULL || !list_names(&r) || !ovi_locale_enter(&locale)) {
        no_memory(&r);
    } else {
        status = read_all(&r);
        ovi_locale_leave(&locale);
    }
    for (size_t i = 0; i < r.name_count; i++) {
        free(r.names[i].name);
    }
    free(r.names);
    free(r.columns);
    free(r.titles);
    free(r.header);
    free(r.text);
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
