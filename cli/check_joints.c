/**
 * @file check_joints.c
 * @brief Reads a joint trajectory, strictly: a number that is missing or misnamed would be a pose
 * that nobody meant.
 */
#include "check_joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pair_args.h"

enum { LINE_MAX_BYTES = 1 << 20, HINT_MAX = 200 };
/** Most numbers of a trajectory: half a gigabyte. */
#define NUMBERS_MAX ((size_t)1 << 26)

/** What a column holds. */
enum { COLUMN_TIME = -1, COLUMN_UNUSED = -2 };

/** A name that a column may have. */
typedef struct known {
    char *name;
    ptrdiff_t position; /**< of the model, or COLUMN_UNUSED */
    uint32_t joint;
} known;

typedef struct reader {
    cli *c;
    const char *path;
    const ov_model *model;
    FILE *stream;
    size_t line;
    char *text; /**< the line */
    known *names;
    size_t name_count;
    ptrdiff_t *columns; /**< positions, or COLUMN_TIME, COLUMN_UNUSED */
    const char **titles;
    char *header; /**< the titles are in it */
    size_t column_count;
    size_t room; /**< poses that there is memory for */
} reader;

static int refuse(const reader *r, const char *text, const char *what) {
    char place[1024];
    snprintf(place, sizeof place, "%s:%zu", r->path, r->line);
    return what == NULL ? cli_error(r->c, place, "%s", text)
                        : cli_error(r->c, place, "%s: %s", what, text);
}

static int no_memory(const reader *r) {
    return cli_error(r->c, r->path, "%s", ov_status_string(OV_ERROR_MEMORY));
}

/* ---- lines ----------------------------------------------------------------------------------- */

/** The next line that is not blank; `*end` at the end of the file. */
static int next_line(reader *r, bool *end) {
    for (;;) {
        size_t length = 0;
        bool blank = true;
        int byte;
        *end = false;
        r->line++;
        while ((byte = getc(r->stream)) != EOF && byte != '\n') {
            if (length == LINE_MAX_BYTES || byte == '\0') {
                return refuse(r, byte == '\0' ? "not a text" : "longer than a line may be", NULL);
            }
            blank = blank && (byte == ' ' || byte == '\t' || byte == '\r');
            r->text[length++] = (char)byte;
        }
        r->text[length] = '\0';
        if (byte == EOF && ferror(r->stream)) {
            return cli_error(r->c, r->path, "cannot be read");
        }
        if (!blank || byte == EOF) {
            *end = blank;
            return CLI_OK;
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

/* ---- names ----------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
    return strcmp(((const known *)a)->name, ((const known *)b)->name);
}

/** Endings of the columns of a joint, null for a joint of one position or none. */
static const char *const *endings_of(ov_joint_kind kind) {
    static const char *const planar[] = {".x", ".y", ".angle"};
    static const char *const spherical[] = {".qw", ".qx", ".qy", ".qz"};
    static const char *const floating[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    return kind == OV_JOINT_PLANAR      ? planar
           : kind == OV_JOINT_SPHERICAL ? spherical
           : kind == OV_JOINT_FLOATING  ? floating
                                        : NULL;
}

/** Adds the names of a joint's columns. */
static bool add_joint(reader *r, uint32_t joint) {
    const ov_joint_def *def = ov_model_joint(r->model, joint);
    const char *const *endings = endings_of(def->kind);
    size_t count = ov_joint_positions(def->kind);
    bool unused = count == 0 || def->mimic != OV_NO_LINK;
    for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
        const char *ending = endings != NULL ? endings[i] : "";
        size_t size = strlen(def->name) + strlen(ending) + 1;
        known *k = &r->names[r->name_count];
        k->name = malloc(size);
        if (k->name == NULL) {
            return false;
        }
        snprintf(k->name, size, "%s%s", def->name, ending);
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
        size_t positions = ov_joint_positions(ov_model_joint(r->model, i)->kind);
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
    const char *near = cli_nearest(title, all, r->name_count);
    if (near != NULL) {
        snprintf(hint, HINT_MAX, "; did you mean '%s'?", near);
    }
    for (size_t i = 0; i < r->name_count && near == NULL && used + 1 < HINT_MAX; i++) {
        used += (size_t)snprintf(hint + used, HINT_MAX - used, "%s %s",
                                 i == 0 ? "; known are:" : "", all[i]);
    }
    free(all);
}

static known *find_name(const reader *r, const char *title) {
    return bsearch(&(known){.name = (char *)(uintptr_t)title}, r->names, r->name_count,
                   sizeof *r->names, compare_names);
}

static int find_column(const reader *r, const char *title, ptrdiff_t *column) {
    double number;
    char hint[HINT_MAX], place[1024];
    if (strcmp(title, "time") == 0) {
        *column = COLUMN_TIME;
        return CLI_OK;
    }
    if (args_read_number(title, &number)) {
        return refuse(r, "a number, where the names of joints should be", title);
    }
    const known *k = find_name(r, title);
    if (k == NULL) {
        suggest(r, title, hint);
        snprintf(place, sizeof place, "%s:%zu", r->path, r->line);
        return cli_error(r->c, place, "no joint '%s'%s", title, hint);
    }
    *column = k->position;
    return CLI_OK;
}

/** Says why a column is passed over. */
static void tell_unused(const reader *r, const char *title) {
    const ov_joint_def *def = ov_model_joint(r->model, find_name(r, title)->joint);
    bool follows = def->mimic != OV_NO_LINK;
    cli_error(r->c, r->path, "column '%s' is not used: the joint %s%s", title,
              follows ? "follows " : "is fixed",
              follows ? ov_model_joint(r->model, def->mimic)->name : "");
}

static int read_header(reader *r) {
    bool end;
    int status = next_line(r, &end);
    if (status != CLI_OK) {
        return status;
    }
    if (end) {
        return cli_error(r->c, r->path, "empty, where the names of joints should be");
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
    if (r->header == NULL || r->columns == NULL || r->titles == NULL) {
        return no_memory(r);
    }
    strcpy(r->header, text);
    char *rest = r->header, *title;
    while ((title = next_cell(&rest)) != NULL && status == CLI_OK) {
        for (size_t i = 0; i < r->column_count; i++) {
            if (strcmp(r->titles[i], title) == 0) {
                return refuse(r, "this column is there twice", title);
            }
        }
        r->titles[r->column_count] = title;
        status = find_column(r, title, &r->columns[r->column_count++]);
    }
    return status;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static int read_number(const reader *r, size_t column, const char *cell, double *value) {
    if (cell[0] == '\0') {
        return refuse(r, "the number is missing", r->titles[column]);
    }
    if (!args_read_number(cell, value)) {
        char place[1024];
        snprintf(place, sizeof place, "%s:%zu", r->path, r->line);
        return cli_error(r->c, place, "%s: '%.40s' is not a number", r->titles[column], cell);
    }
    return isfinite(*value) ? CLI_OK : refuse(r, "the number must be finite", r->titles[column]);
}

/** Room for one more pose. */
static int grow(reader *r, trajectory *t) {
    if (t->count < r->room) {
        return CLI_OK;
    }
    size_t room = r->room == 0 ? 64 : 2 * r->room, width = t->width > 0 ? t->width : 1;
    if (t->count >= NUMBERS_MAX / width) {
        return refuse(r, "more poses than a trajectory may have", NULL);
    }
    double *positions = realloc(t->positions, room * width * sizeof *positions);
    t->positions = positions != NULL ? positions : t->positions;
    double *times = realloc(t->times, room * sizeof *times);
    t->times = times != NULL ? times : t->times;
    if (positions == NULL || times == NULL) {
        return no_memory(r);
    }
    r->room = room;
    return CLI_OK;
}

/** Is it a pose at all, and within the limits? */
static int judge_pose(const reader *r, trajectory *t, const double *positions) {
    uint32_t joint = OV_NO_LINK;
    ov_status status = ov_model_check(r->model, positions, &joint);
    if (status == OV_ERROR_OPTION) {
        if (t->beyond++ == 0) {
            t->beyond_row = t->count;
            t->beyond_joint = joint;
        }
        return CLI_OK;
    }
    return status == OV_OK
               ? CLI_OK
               : refuse(r, ov_status_string(status),
                        joint != OV_NO_LINK ? ov_model_joint(r->model, joint)->name : "the model");
}

static int read_pose(reader *r, trajectory *t) {
    int status = grow(r, t);
    if (status != CLI_OK) {
        return status;
    }
    double *positions = t->positions + t->count * t->width;
    ov_model_rest(r->model, positions);
    char *rest = r->text, *cell;
    size_t column = 0;
    for (; (cell = next_cell(&rest)) != NULL; column++) {
        double value;
        if (column == r->column_count) {
            return refuse(r, "more numbers than the header has names", NULL);
        }
        status = read_number(r, column, cell, &value);
        if (status != CLI_OK) {
            return status;
        }
        if (r->columns[column] == COLUMN_TIME) {
            t->times[t->count] = value;
        } else if (r->columns[column] != COLUMN_UNUSED) {
            positions[r->columns[column]] = value;
        }
    }
    if (column < r->column_count) {
        return refuse(r, "the number is missing", r->titles[column]);
    }
    status = judge_pose(r, t, positions);
    t->count += status == CLI_OK;
    return status;
}

static int read_all(reader *r, trajectory *t) {
    bool end = false, timed = false;
    int status = read_header(r);
    while (status == CLI_OK && (status = next_line(r, &end)) == CLI_OK && !end) {
        status = read_pose(r, t);
    }
    if (status == CLI_OK && t->count == 0) {
        return cli_error(r->c, r->path, "no poses after the names of joints");
    }
    for (size_t i = 0; i < r->column_count; i++) {
        timed = timed || r->columns[i] == COLUMN_TIME;
        // after an error this does not matter any more
        if (status == CLI_OK && r->columns[i] == COLUMN_UNUSED) {
            tell_unused(r, r->titles[i]);
        }
    }
    if (!timed) {
        free(t->times);
        t->times = NULL;
    }
    return status;
}

int trajectory_read(cli *c, const char *path, const ov_model *model, trajectory *t) {
    reader r = {.c = c, .path = path, .model = model};
    *t = (trajectory){.width = ov_model_position_count(model)};
    r.stream = cli_open_input(c, &r.path);
    if (r.stream == NULL) {
        return CLI_BAD_INPUT;
    }
    r.text = malloc(LINE_MAX_BYTES + 1);
    int status = r.text != NULL && list_names(&r) ? read_all(&r, t) : no_memory(&r);
    for (size_t i = 0; i < r.name_count; i++) {
        free(r.names[i].name);
    }
    free(r.names);
    free(r.columns);
    free(r.titles);
    free(r.header);
    free(r.text);
    if (r.stream != stdin) {
        fclose(r.stream);
    }
    return status;
}

int trajectory_rest(cli *c, const ov_model *model, trajectory *t) {
    *t = (trajectory){.count = 1, .width = ov_model_position_count(model)};
    t->positions = calloc(t->width + 1, sizeof *t->positions);
    if (t->positions == NULL) {
        return cli_error(c, "check", "%s", ov_status_string(OV_ERROR_MEMORY));
    }
    ov_model_rest(model, t->positions);
    return CLI_OK;
}

void trajectory_free(trajectory *t) {
    free(t->positions);
    free(t->times);
    *t = (trajectory){.count = 0};
}
