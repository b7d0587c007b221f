/**
 * @file replay.c
 * @brief A pair query as a text file that can be run again, to the bit.
 *
 *     ovoid replay 1
 *     tolerance 0x1.12e0be826d695p-30
 *     depth global
 *     by single                          or batch
 *     warm 9 numbers                     only where the query had a warm start
 *     a superovoid 7 numbers             polyhedron: counts of vertices and triangles, then lines
 *     pose 7 numbers                     `v x y z` and `t i j k`
 *     b sphere 1 number
 *     pose 7 numbers
 *     status not_converged
 *     relation undecided
 *     iterations 57
 *     seen 12 numbers                    gap, bounds, witness points, normal
 *     end
 *
 * In this order, so that the reader is small. Numbers are hexadecimal: exact, and at once seen not
 * to have been typed in; decimal ones are read too. Lines that begin with # are passed over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../io_internal.h"

enum { LINE_MAX_BYTES = 1024, COUNT_MAX = 1 << 24 };

/* ---- writing --------------------------------------------------------------------------------- */

/** "-nan" is the same as "nan", and would only puzzle. */
static void write_numbers(FILE *f, const char *word, const double *v, int count) {
    (void)fputs(word, f);
    for (int i = 0; i < count; i++) {
        if (isnan(v[i])) {
            (void)fputs(" nan", f);
        } else {
            (void)fprintf(f, " %a", v[i]);
        }
    }
    (void)fputc('\n', f);
}

static void write_shape(FILE *f, char body, const ov_shape *s) {
    char word[64];
    (void)snprintf(word, sizeof word, "%c %s", body, ov_shape_kind_name(s->kind));
    if (s->kind != OV_SHAPE_KIND_POLYHEDRON) {
        double v[OVI_NUMBERS_MAX];
        size_t count;
        (void)ovi_number_names(s->kind, &count);
        ovi_shape_numbers(s, v);
        write_numbers(f, word, v, (int)count);
        return;
    }
    (void)fprintf(f, "%s %zu %zu\n", word, s->u.polyhedron.vertex_count,
                  s->u.polyhedron.triangle_count);
    for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
        ov_vec3 p = s->u.polyhedron.vertices[i];
        double v[3] = {p.x, p.y, p.z};
        write_numbers(f, "v", v, 3);
    }
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        const uint32_t *t = s->u.polyhedron.triangles[i];
        (void)fprintf(f, "t %lu %lu %lu\n", (unsigned long)t[0], (unsigned long)t[1],
                      (unsigned long)t[2]);
    }
}

static void write_pose(FILE *f, ov_pose pose) {
    ov_vec3 p = pose.position;
    ov_quat q = pose.rotation;
    double v[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    write_numbers(f, "pose", v, 7);
}

static bool write_replay(FILE *f, const void *what) {
    const ov_replay *r = what;
    const ov_contact *c = &r->contact;
    const ov_warm_start *w = &r->warm;
    double seen[12] = {c->gap,       c->gap_lower, c->gap_upper, c->point_a.x,
                       c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y,
                       c->point_b.z, c->normal.x,  c->normal.y,  c->normal.z};
    double warm[9] = {w->a.x, w->a.y,      w->a.z,      w->b.x,     w->b.y,
                      w->b.z, w->normal.x, w->normal.y, w->normal.z};
    ov_depth depth = r->options.depth != OV_DEPTH_DEFAULT ? r->options.depth : OV_DEPTH_GLOBAL;
    (void)fputs("ovoid replay 1\n", f);
    write_numbers(f, "tolerance", &r->options.tolerance, 1);
    (void)fprintf(f, "depth %s\n", ov_depth_name(depth));
    (void)fprintf(f, "by %s\n", r->batch ? "batch" : "single");
    if (r->has_warm) {
        write_numbers(f, "warm", warm, 9);
    }
    write_shape(f, 'a', &r->a);
    write_pose(f, r->pose_a);
    write_shape(f, 'b', &r->b);
    write_pose(f, r->pose_b);
    (void)fprintf(f, "status %s\nrelation %s\niterations %d\n", ov_status_name(c->status),
                  ov_relation_name(c->relation), c->iterations);
    write_numbers(f, "seen", seen, 12);
    (void)fputs("end\n", f);
    return !ferror(f);
}

static ov_status check(const ov_replay *r) {
    if (r == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_form_of(r->a.kind) != NULL && ovi_form_of(r->b.kind) != NULL ? OV_OK
                                                                            : OV_ERROR_UNSUPPORTED;
}

ov_status ov_replay_write(const char *path, const ov_replay *replay) {
    ov_status status = path == NULL ? OV_ERROR_NULL : check(replay);
    return status == OV_OK ? ovi_file_write(path, NULL, write_replay, replay) : status;
}

ov_status ov_replay_write_stream(FILE *stream, const ov_replay *replay) {
    ov_status status = stream == NULL ? OV_ERROR_NULL : check(replay);
    return status == OV_OK ? ovi_stream_write(stream, write_replay, replay) : status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/** What ov_replay_read allocates; the public part comes first. */
typedef struct kept {
    ov_replay replay;
    ovi_arrays arrays[2];
} kept;

typedef struct reader {
    FILE *stream;
    size_t line;
    ov_fault *fault;
    kept *out;
    char text[LINE_MAX_BYTES + 1];
    const char *at; /**< what of the line is still to be read */
} reader;

__attribute__((format(printf, 3, 4))) static ov_status refuse(reader *r, ov_status status,
                                                              const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_fault_list(r->fault, status, r->line, format, values);
    va_end(values);
    return status;
}

/** The next line that is neither blank nor a comment, without its end. */
static ov_status next_line(reader *r) {
    for (;;) {
        size_t length = 0;
        int c = getc(r->stream);
        if (c == EOF) {
            return ferror(r->stream)
                       ? refuse(r, OV_ERROR_FILE_READ, "cannot be read")
                       : refuse(r, OV_ERROR_FILE_FORMAT, "ends too early: no line 'end'");
        }
        r->line++;
        for (; c != EOF && c != '\n'; c = getc(r->stream)) {
            if (c == '\0' || length == LINE_MAX_BYTES) {
                return refuse(r, OV_ERROR_FILE_FORMAT, "a zero byte, or more than %d bytes",
                              LINE_MAX_BYTES);
            }
            r->text[length++] = (char)c;
        }
        while (length > 0 && strchr(" \t\r", r->text[length - 1]) != NULL) {
            length--;
        }
        r->text[length] = '\0';
        if (length > 0 && r->text[0] != '#') {
            r->at = r->text;
            return OV_OK;
        }
    }
}

/** The next word of the line, cut off in place; "" at its end. */
static const char *next_word(reader *r) {
    char *word = r->text + (r->at - r->text);
    word += strspn(word, " \t");
    size_t length = strcspn(word, " \t");
    r->at = word + length;
    if (word[length] != '\0') {
        word[length] = '\0';
        r->at++;
    }
    return word;
}

static ov_status expect_end(reader *r) {
    return next_word(r)[0] == '\0' ? OV_OK
                                   : refuse(r, OV_ERROR_FILE_FORMAT, "too much on this line");
}

/** A line that begins with this word. */
static ov_status begin_line(reader *r, const char *word) {
    ov_status status = next_line(r);
    if (status == OV_OK && strcmp(next_word(r), word) != 0) {
        status = refuse(r, OV_ERROR_FILE_FORMAT, "a line '%s' is expected here", word);
    }
    return status;
}

/** The rest of the line: so many numbers. */
static ov_status read_numbers(reader *r, double *v, int count, bool finite) {
    for (int i = 0; i < count; i++) {
        const char *word = next_word(r);
        char *end;
        v[i] = strtod(word, &end);
        if (end == word || *end != '\0') {
            return refuse(r, OV_ERROR_FILE_FORMAT, "%d numbers are expected, number %d is '%.40s'",
                          count, i + 1, word);
        }
        if (finite && !isfinite(v[i])) {
            return refuse(r, OV_ERROR_NOT_FINITE, "number %d is not finite", i + 1);
        }
    }
    return expect_end(r);
}

/** The rest of the line: one of the words. */
static ov_status read_choice(reader *r, const char *const *words, size_t count, size_t *choice) {
    const char *word = next_word(r);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *choice = i;
            return expect_end(r);
        }
    }
    char list[64] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(list, i > 0 ? " " : ""), words[i]);
    }
    return refuse(r, OV_ERROR_FILE_FORMAT, "not one of: %s: '%.40s'", list, word);
}

static ov_status read_depth(reader *r, ov_depth *depth) {
    static const ov_depth depths[] = {OV_DEPTH_GLOBAL, OV_DEPTH_LOCAL, OV_DEPTH_PROVEN};
    const char *const words[] = {"global", "local", "proven"};
    size_t choice = 0;
    ov_status status = read_choice(r, words, 3, &choice);
    *depth = depths[choice];
    return status;
}

static ov_status read_way(reader *r, bool *batch) {
    const char *const words[] = {"single", "batch"};
    size_t choice = 0;
    ov_status status = read_choice(r, words, 2, &choice);
    *batch = choice == 1;
    return status;
}

static bool read_count(const char *word, size_t most, size_t *count) {
    size_t length = strlen(word);
    if (length == 0 || length > 12 || strspn(word, "0123456789") != length) {
        return false;
    }
    unsigned long long value = strtoull(word, NULL, 10);
    *count = (size_t)value;
    return value <= most;
}

static ov_status read_triangle(reader *r, uint32_t *triangle) {
    ov_status status = begin_line(r, "t");
    for (int k = 0; k < 3 && status == OV_OK; k++) {
        size_t index;
        if (!read_count(next_word(r), COUNT_MAX, &index)) {
            return refuse(r, OV_ERROR_FILE_FORMAT, "three indices of vertices are expected");
        }
        triangle[k] = (uint32_t)index;
    }
    return status == OV_OK ? expect_end(r) : status;
}

static ov_status read_polyhedron(reader *r, ovi_arrays *arrays, ov_shape *shape) {
    size_t vertices, triangles, room = 0;
    if (!read_count(next_word(r), COUNT_MAX, &vertices) ||
        !read_count(next_word(r), COUNT_MAX, &triangles)) {
        return refuse(r, OV_ERROR_FILE_FORMAT,
                      "the numbers of vertices and triangles are expected");
    }
    ov_status status = expect_end(r);
    void *list = NULL;
    for (size_t i = 0; i < vertices && status == OV_OK; i++) {
        double v[3];
        status = begin_line(r, "v");
        if (status == OV_OK) {
            status = read_numbers(r, v, 3, true);
        }
        if (status == OV_OK && !ovi_room(&list, &room, i, sizeof(ov_vec3))) {
            status = refuse(r, OV_ERROR_MEMORY, "out of memory");
        }
        if (status == OV_OK) {
            ((ov_vec3 *)list)[i] = ov_vec3_make(v[0], v[1], v[2]);
        }
    }
    arrays->vertices = list;
    list = NULL;
    room = 0;
    for (size_t i = 0; i < triangles && status == OV_OK; i++) {
        uint32_t triangle[3];
        status = read_triangle(r, triangle);
        if (status == OV_OK && !ovi_room(&list, &room, i, sizeof triangle)) {
            status = refuse(r, OV_ERROR_MEMORY, "out of memory");
        }
        if (status == OV_OK) {
            memcpy((uint32_t(*)[3])list + i, triangle, sizeof triangle);
        }
    }
    arrays->triangles = list;
    if (status != OV_OK) {
        return status;
    }
    status = ov_shape_make_polyhedron(arrays->vertices, vertices,
                                      (const uint32_t(*)[3])arrays->triangles, triangles, shape);
    return status == OV_OK ? ov_support_table_create(shape, NULL, &arrays->table) : status;
}

/** A shape and its pose. */
static ov_status read_body(reader *r, const char *letter, ovi_arrays *arrays, ov_shape *shape,
                           ov_pose *pose) {
    double v[OVI_NUMBERS_MAX];
    ov_status status = begin_line(r, letter);
    if (status != OV_OK) {
        return status;
    }
    const char *word = next_word(r);
    const ovi_form *form = ovi_form_named(word);
    if (form == NULL) {
        return refuse(r, OV_ERROR_FILE_FORMAT, "unknown kind of shape '%.40s'", word);
    }
    size_t line = r->line;
    if (form->kind == OV_SHAPE_KIND_POLYHEDRON) {
        status = read_polyhedron(r, arrays, shape);
    } else {
        size_t count;
        (void)ovi_number_names(form->kind, &count);
        status = read_numbers(r, v, (int)count, true);
        if (status != OV_OK) {
            return status;
        }
        // whatever dent the shape had, it was allowed when the query was asked
        status = ovi_form_make(form->kind, v, 1.0, shape);
    }
    if (status != OV_OK) {
        if (r->fault != NULL && r->fault->text[0] == '\0') {
            (void)ovi_file_fault(r->fault, status, line, "%s", ov_status_message(status));
        }
        return status;
    }
    status = begin_line(r, "pose");
    if (status == OV_OK) {
        status = read_numbers(r, v, 7, true);
    }
    if (status == OV_OK) {
        pose->position = ov_vec3_make(v[0], v[1], v[2]);
        pose->rotation = (ov_quat){v[3], v[4], v[5], v[6]};
    }
    return status;
}

static ov_status read_head(reader *r) {
    ov_replay *out = &r->out->replay;
    double warm[9];
    ov_status status = next_line(r);
    if (status != OV_OK) {
        return status;
    }
    if (strcmp(r->text, "ovoid replay 1") != 0) {
        return refuse(r, OV_ERROR_FILE_FORMAT, "not a replay: it must begin 'ovoid replay 1'");
    }
    out->options = ov_default_pair_options();
    if ((status = begin_line(r, "tolerance")) != OV_OK ||
        (status = read_numbers(r, &out->options.tolerance, 1, true)) != OV_OK ||
        (status = begin_line(r, "depth")) != OV_OK ||
        (status = read_depth(r, &out->options.depth)) != OV_OK ||
        (status = begin_line(r, "by")) != OV_OK || (status = read_way(r, &out->batch)) != OV_OK) {
        return status;
    }
    // the one line that may be left out: a look at the first letter decides
    int c = getc(r->stream);
    if (c != EOF) {
        (void)ungetc(c, r->stream);
    }
    if (c != 'w') {
        return OV_OK;
    }
    out->has_warm = true;
    if ((status = begin_line(r, "warm")) == OV_OK &&
        (status = read_numbers(r, warm, 9, false)) == OV_OK) {
        out->warm.a = ov_vec3_make(warm[0], warm[1], warm[2]);
        out->warm.b = ov_vec3_make(warm[3], warm[4], warm[5]);
        out->warm.normal = ov_vec3_make(warm[6], warm[7], warm[8]);
    }
    return status;
}

/** Status and relation by their words. */
static ov_status read_words(reader *r, ov_contact *c) {
    ov_status status = begin_line(r, "status");
    if (status != OV_OK) {
        return status;
    }
    const char *word = next_word(r);
    int s = -64;
    while (s < 64 && (strcmp(ov_status_name((ov_status)s), word) != 0 ||
                      strcmp(ov_status_name((ov_status)s), "unknown") == 0)) {
        s++;
    }
    if (s == 64) {
        return refuse(r, OV_ERROR_FILE_FORMAT, "unknown status '%.40s'", word);
    }
    c->status = (ov_status)s;
    if ((status = expect_end(r)) != OV_OK || (status = begin_line(r, "relation")) != OV_OK) {
        return status;
    }
    static const ov_relation relations[] = {OV_RELATION_UNDECIDED, OV_RELATION_SEPARATED,
                                            OV_RELATION_TOUCHING, OV_RELATION_OVERLAPPING};
    word = next_word(r);
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        if (strcmp(ov_relation_name(relations[i]), word) == 0) {
            c->relation = relations[i];
            return expect_end(r);
        }
    }
    return refuse(r, OV_ERROR_FILE_FORMAT, "unknown relation '%.40s'", word);
}

static ov_status read_contact(reader *r, ov_contact *c) {
    size_t iterations;
    double v[12];
    ov_status status = read_words(r, c);
    if (status != OV_OK || (status = begin_line(r, "iterations")) != OV_OK) {
        return status;
    }
    if (!read_count(next_word(r), 1u << 30, &iterations)) {
        return refuse(r, OV_ERROR_FILE_FORMAT, "a whole number is expected");
    }
    c->iterations = (int)iterations;
    if ((status = expect_end(r)) != OV_OK || (status = begin_line(r, "seen")) != OV_OK ||
        (status = read_numbers(r, v, 12, false)) != OV_OK ||
        (status = begin_line(r, "end")) != OV_OK) {
        return status;
    }
    c->gap = v[0];
    c->gap_lower = v[1];
    c->gap_upper = v[2];
    c->point_a = ov_vec3_make(v[3], v[4], v[5]);
    c->point_b = ov_vec3_make(v[6], v[7], v[8]);
    c->normal = ov_vec3_make(v[9], v[10], v[11]);
    return expect_end(r);
}

ov_status ov_replay_read_stream(FILE *stream, ov_replay **replay, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (replay != NULL) {
        *replay = NULL;
    }
    if (stream == NULL || replay == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_locale locale;
    reader *r = calloc(1, sizeof *r);
    kept *out = calloc(1, sizeof *out);
    if (r == NULL || out == NULL || !ovi_locale_enter(&locale)) {
        free(r);
        free(out);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    r->stream = stream;
    r->fault = fault;
    r->out = out;
    ov_replay *o = &out->replay;
    ov_status status = read_head(r);
    if (status == OV_OK) {
        status = read_body(r, "a", &out->arrays[0], &o->a, &o->pose_a);
    }
    if (status == OV_OK) {
        status = read_body(r, "b", &out->arrays[1], &o->b, &o->pose_b);
    }
    if (status == OV_OK) {
        status = read_contact(r, &o->contact);
    }
    ovi_locale_leave(&locale);
    free(r);
    if (status != OV_OK) {
        ov_replay_destroy(o);
        return status;
    }
    *replay = o;
    return OV_OK;
}

ov_status ov_replay_read(const char *path, ov_replay **replay, ov_fault *fault) {
    FILE *stream = path == NULL || replay == NULL ? NULL : fopen(path, "rb");
    ov_status status = ov_replay_read_stream(stream, replay, fault);
    if (stream != NULL) {
        (void)fclose(stream);
    } else if (path != NULL && replay != NULL) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "cannot be opened");
    }
    return status;
}

void ov_replay_destroy(ov_replay *replay) {
    kept *k = (kept *)replay;
    if (k != NULL) {
        for (int i = 0; i < 2; i++) {
            ovi_arrays_free(&k->arrays[i]);
        }
        free(k);
    }
}

ov_status ov_replay_run(const ov_replay *replay, ov_contact *contact) {
    if (replay == NULL || contact == NULL) {
        return OV_ERROR_NULL;
    }
    ov_warm_start warm = replay->warm;
    ov_warm_start *start = replay->has_warm ? &warm : NULL;
    if (!replay->batch) {
        return ov_pair_contact(&replay->a, replay->pose_a, &replay->b, replay->pose_b,
                               &replay->options, start, contact);
    }
    ov_pair pair = {&replay->a, &replay->b, replay->pose_a, replay->pose_b};
    ov_status status = ov_pair_contact_batch(&pair, 1, &replay->options, &(ov_threads){.count = 1},
                                             start, contact);
    return status < 0 ? status : contact->status;
}
