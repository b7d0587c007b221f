/**
 * @file fuzz_pairs_csv.c
 * @brief Fuzz target: the reader of pair files and the writer of contacts, from raw bytes.
 *
 * The input is the file. Where it has no header of its own, it gets one in front, so that the rows
 * are reached too. What is demanded: every answer is a known status, lines go up and stay within
 * the file, the number of rows does not depend on how many are asked for at a time, and a good row
 * reads back the same, bit by bit, when its numbers are written as a file again.
 */
#include "reading.h"

enum { INPUT_MOST = 65536, ROWS_AT_ONCE = 7, COLUMNS = 28 };

static bool is_known(ov_status s) { return s >= OV_ERROR_FILE_READ && s <= OV_NOT_CONVERGED; }

/* ---- round trip */

static void numbers_of(const ov_shape *s, ov_pose p, double *v) {
    const double all[COLUMNS / 2] = {s->a.x,       s->a.y,       s->a.z,       s->e1,
                                     s->e2,        s->tx,        s->ty,        p.position.x,
                                     p.position.y, p.position.z, p.rotation.w, p.rotation.x,
                                     p.rotation.y, p.rotation.z};
    memcpy(v, all, sizeof all);
}

static void row_numbers(const ov_pairs_row *row, double v[COLUMNS]) {
    numbers_of(&row->a, row->pose_a, v);
    numbers_of(&row->b, row->pose_b, v + COLUMNS / 2);
}

/** The row as a file, read again. */
static void try_again(const ov_pairs_row *row) {
    char text[2048];
    double v[COLUMNS], w[COLUMNS];
    row_numbers(row, v);
    int end = snprintf(text, sizeof text, "%s\n", OV_PAIRS_HEADER);
    for (int i = 0; i < COLUMNS; i++) {
        demand(isfinite(v[i]), "numbers of a good row are finite");
        end += snprintf(text + end, sizeof text - (size_t)end, "%s%.17g", i == 0 ? "" : ",", v[i]);
    }
    FILE *f = open_bytes(text, (size_t)end);
    ov_pairs_reader *reader;
    ov_pairs_row back;
    size_t count;
    demand(ov_pairs_reader_create(f, &reader, NULL) == OV_OK, "a written header is a header");
    demand(ov_pairs_read(reader, &back, 1, &count) == OV_OK && count == 1, "a written row is read");
    demand(back.status == OV_OK && back.line == 2, "a written row is good");
    row_numbers(&back, w);
    // normalising a unit quaternion again may move its last digit
    for (int i = 0; i < COLUMNS; i++) {
        double slack = i % (COLUMNS / 2) >= 10 ? 4e-16 : 0.0;
        demand(fabs(v[i] - w[i]) <= slack, "a row reads back the same");
    }
    demand(back.a.kind == row->a.kind && back.b.kind == row->b.kind, "kinds read back the same");
    ov_pairs_reader_destroy(reader);
    (void)fclose(f);
}

static void try_contacts(const ov_pairs_row *row) {
    ov_contact c;
    char *text = NULL;
    size_t length = 0;
    (void)ov_pair_contact(&row->a, row->pose_a, &row->b, row->pose_b, NULL, NULL, &c);
    FILE *f = open_memstream(&text, &length);
    demand(f != NULL && ov_contacts_write(f, &c, 1) == OV_OK && fclose(f) == 0, "contact written");
    char *at = strchr(text, ','), *end;
    at = at != NULL ? strchr(at + 1, ',') : NULL;
    demand(at != NULL, "status and relation");
    const double v[] = {c.gap,       c.gap_lower, c.gap_upper, c.point_a.x,
                        c.point_a.y, c.point_a.z, c.point_b.x, c.point_b.y,
                        c.point_b.z, c.normal.x,  c.normal.y,  c.normal.z};
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        double x = strtod(at + 1, &end);
        demand(end > at + 1 && *end == ',', "a number and a comma");
        demand(x == v[i] || (isnan(x) && isnan(v[i])), "a contact's number reads back the same");
        at = end;
    }
    demand(strtol(at + 1, &end, 10) == c.iterations && strcmp(end, "\n") == 0, "iterations");
    free(text);
}

/* ---- reading */

/** Reads all rows, so many at a time; `deep` looks at the good ones too. */
static size_t read_all(const char *bytes, size_t size, size_t room, bool deep) {
    FILE *f = open_bytes(bytes, size);
    ov_pairs_reader *reader;
    ov_fault fault;
    ov_pairs_row rows[ROWS_AT_ONCE];
    size_t all = 0, count = 0, line = 0;
    ov_status status = ov_pairs_reader_create(f, &reader, &fault);
    demand(is_known(status), "status of the header");
    demand((status == OV_OK) == (reader != NULL), "a reader only with success");
    judge_text(status, &fault);
    while (status == OV_OK) {
        demand(ov_pairs_read(reader, rows, room, &count) == OV_OK, "rows can be read");
        demand(count <= room, "no more rows than room");
        for (size_t i = 0; i < count; i++) {
            demand(is_known(rows[i].status) && rows[i].status <= 0, "status of a row");
            demand(rows[i].line > line && rows[i].line <= size + 1, "lines go up");
            line = rows[i].line;
            if (deep && rows[i].status == OV_OK && all + i < 4) {
                try_again(&rows[i]);
                try_contacts(&rows[i]);
            }
        }
        all += count;
        if (count == 0) {
            break;
        }
    }
    ov_pairs_reader_destroy(reader);
    (void)fclose(f);
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char header[] = OV_PAIRS_HEADER "\n";
    static char bytes[INPUT_MOST + sizeof header];
    size_t start = 0;
    if (size > INPUT_MOST) {
        return 0;
    }
    if (size > 0 && data[0] != 'A') {
        start = sizeof header - 1;
        memcpy(bytes, header, start);
    }
    if (size > 0) {
        memcpy(bytes + start, data, size);
    }
    size_t one = read_all(bytes, start + size, 1, true);
    size_t many = read_all(bytes, start + size, ROWS_AT_ONCE, false);
    demand(one == many, "the rows do not depend on the room");
    return 0;
}
