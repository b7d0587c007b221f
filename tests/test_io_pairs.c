/**
 * @file test_io_pairs.c
 * @brief Pairs from CSV, contacts to CSV: good, odd and broken files.
 */
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

#define HEADER OV_PAIRS_HEADER "\n"
#define BODY "1,2,3,0.5,1.5,0,0,4,5,6,2,0,0,0"
#define SPHERE "1,1,1,1,1,0,0,0,0,3,1,0,0,0"

enum { ROOM = 64 };

/** Reads up to ROOM rows of a text, in portions of `portion`. */
static ov_status read_text(const char *text, size_t length, size_t portion, ov_pairs_row *rows,
                           size_t *count, ov_fault *fault) {
    ov_pairs_reader *reader = NULL;
    FILE *f = fmemopen((void *)(uintptr_t)text, length == 0 ? 1 : length, "rb");
    *count = 0;
    if (!CHECK(f != NULL)) {
        return OV_ERROR_MEMORY;
    }
    if (length == 0) {
        (void)getc(f);
    }
    ov_status status = ov_pairs_reader_create(f, &reader, fault);
    CHECK(status == OV_OK ? reader != NULL : reader == NULL);
    while (status == OV_OK && *count + portion <= ROOM) {
        size_t read = 0;
        status = ov_pairs_read(reader, rows + *count, portion, &read);
        *count += read;
        if (read == 0) {
            break;
        }
    }
    ov_pairs_reader_destroy(reader);
    (void)fclose(f);
    return status;
}

static ov_pairs_row rows[ROOM];

static void good_rows(void) {
    static const char *const texts[] = {
        HEADER BODY "," SPHERE "\n" SPHERE "," BODY "\n",
        HEADER BODY "," SPHERE "\n" SPHERE "," BODY,
        "\xef\xbb\xbf" OV_PAIRS_HEADER "\r\n" BODY "," SPHERE "\r\n" SPHERE "," BODY "\r\n\r\n\n",
        "\n\n" HEADER "\n" BODY "," SPHERE "\n  \t \n" SPHERE "," BODY "\n\n\n",
        HEADER "0x1p0 , 2e0,\t3.0 ,.5,15e-1,0,-0, +4,5,6,2,0,0,0," SPHERE "\n" SPHERE "," BODY,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t portion = 1; portion <= 3; portion++) {
            size_t count;
            ov_fault fault = {OV_FAULT_PLACE_ROW, 7, "left over"};
            CHECK_OK(read_text(texts[i], strlen(texts[i]), portion, rows, &count, &fault));
            CHECK(fault.index == 0 && fault.text[0] == '\0');
            if (!CHECK(count == 2) || !CHECK_OK(rows[0].status) || !CHECK_OK(rows[1].status)) {
                continue;
            }
            const ov_pairs_row *r = &rows[0];
            CHECK(r->a.kind == OV_SHAPE_KIND_SUPERELLIPSOID && r->b.kind == OV_SHAPE_KIND_SPHERE);
            CHECK(r->a.a.x == 1.0 && r->a.a.y == 2.0 && r->a.a.z == 3.0);
            CHECK(r->a.e1 == 0.5 && r->a.e2 == 1.5);
            CHECK(r->pose_a.position.x == 4.0 && r->pose_a.position.z == 6.0);
            CHECK(r->pose_a.rotation.w == 1.0 && r->pose_b.position.z == 3.0);
            CHECK(rows[1].b.kind == OV_SHAPE_KIND_SUPERELLIPSOID &&
                  rows[1].pose_b.position.y == 5.0);
            CHECK(rows[1].line > rows[0].line && rows[0].line >= 2);
        }
    }
}

static void bad_rows(void) {
    static const struct {
        const char *row;
        ov_status status;
    } bad[] = {
        {BODY, OV_ERROR_FILE_FORMAT},
        {BODY "," SPHERE ",1", OV_ERROR_FILE_FORMAT},
        {BODY "," SPHERE ",", OV_ERROR_FILE_FORMAT},
        {"," BODY "," SPHERE, OV_ERROR_FILE_FORMAT},
        {"x", OV_ERROR_FILE_FORMAT},
        {",", OV_ERROR_FILE_FORMAT},
        {"one,1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"1 1,1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"1;1;1;1;1;0;0;0;0;0;1;0;0;0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"\"1\",1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"1.,,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"1e,1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"nan,x,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_FILE_FORMAT},
        {"nan,1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_NOT_FINITE},
        {"1,1,1,1,1,0,0,-inf,0,0,1,0,0,0," SPHERE, OV_ERROR_NOT_FINITE},
        {"1,1,1,1,1,0,0,1e999,0,0,1,0,0,0," SPHERE, OV_ERROR_NOT_FINITE},
        {SPHERE ",1,1,1,1,1,0,0,0,0,0,1,0,0,NaN", OV_ERROR_NOT_FINITE},
        {"0,1,1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_SIZE_NOT_POSITIVE},
        {"1,1,-1,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_SIZE_NOT_POSITIVE},
        {"1,1,1e90,1,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_SIZE_RANGE},
        {"1,1,1,3,1,0,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_EXPONENT},
        {SPHERE ",1,1,1,1,0,0,0,0,0,0,1,0,0,0", OV_ERROR_EXPONENT},
        {"1,1,1,1,1,1,0,0,0,0,1,0,0,0," SPHERE, OV_ERROR_TAPER},
        {"1,1,1,1,0.5,0.9,-0.9,0,0,0,1,0,0,0," SPHERE, OV_ERROR_DENT},
        {SPHERE ",1,1,1,1,0.5,0.9,-0.9,0,0,0,1,0,0,0", OV_ERROR_DENT},
        {"1,1,1,1,1,0,0,0,0,0,0,0,0,0," SPHERE, OV_ERROR_ZERO_DIRECTION},
        {SPHERE ",1,1,1,1,1,0,0,0,0,0,0,0,-0,0", OV_ERROR_ZERO_DIRECTION},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[2048];
        size_t count;
        // good rows around it stay good, also those with the same shapes as the bad one
        int length = snprintf(text, sizeof text, HEADER "%s\n%s,%s\n%s\n%s,%s\n", bad[i].row,
                              SPHERE, BODY, bad[i].row, SPHERE, BODY);
        CHECK_OK(read_text(text, (size_t)length, 8, rows, &count, NULL));
        if (!CHECK(count == 4)) {
            continue;
        }
        if (!CHECK_STATUS(rows[0].status, bad[i].status) ||
            !CHECK_STATUS(rows[2].status, bad[i].status)) {
            fprintf(stderr, "  %s\n", bad[i].row);
        }
        CHECK_OK(rows[1].status);
        CHECK_OK(rows[3].status);
        CHECK(rows[2].line == 4 && rows[3].line == 5);
        CHECK(rows[3].b.a.z == 3.0 && rows[1].b.a.z == 3.0);
    }
}

static void bad_headers(void) {
    static const struct {
        const char *text;
        size_t line;
        const char *says;
    } bad[] = {
        {"", 0, "empty"},
        {"\n \n", 0, "empty"},
        {SPHERE "," BODY "\n", 1, "column 1 of the header is '1', must be 'A_a1'"},
        {"\nA_a1,A_a2,A_a3,A_e2\n", 2, "column 4 of the header is 'A_e2', must be 'A_e1'"},
        {"A_a1,A_a2", 1, "fewer than 28 columns"},
        {"{\"bodies\":[]}\n", 1, "this is a scene; a file of pairs is expected"},
        {"<robot/>\n", 1, "this is a URDF; a file of pairs is expected"},
        {OV_PAIRS_HEADER ",more", 1, "more than 28 columns"},
        {OV_PAIRS_HEADER ",", 1, "more than 28 columns"},
        {"a_a1,A_a2", 1, "column 1"},
        {"A_a1;A_a2;A_a3", 1, "column 1 of the header is 'A_a1;A_a2;A_a3'"},
        {"\x01\x02,", 1,
         "'?"
         "?', must be"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t count;
        ov_fault fault;
        CHECK_STATUS(read_text(bad[i].text, strlen(bad[i].text), 1, rows, &count, &fault),
                     OV_ERROR_FILE_FORMAT);
        if (!CHECK(fault.index == bad[i].line && strstr(fault.text, bad[i].says) != NULL)) {
            fprintf(stderr, "  line %zu: %s\n", fault.index, fault.text);
        }
    }
    ov_pairs_reader *reader;
    size_t count;
    CHECK_STATUS(ov_pairs_reader_create(NULL, &reader, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_pairs_reader_create(stdin, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_pairs_read(NULL, rows, 1, &count), OV_ERROR_NULL);
    ov_pairs_reader_destroy(NULL);
    FILE *folder = fopen(".", "rb");
    if (folder != NULL) {
        ov_fault fault;
        CHECK_STATUS(ov_pairs_reader_create(folder, &reader, &fault), OV_ERROR_FILE_READ);
        (void)fclose(folder);
    }
}

/** Lines up to the limit are read, longer ones are bad rows, and so are zero bytes. */
static void long_lines(void) {
    size_t head = strlen(HEADER), room = head + 4 * OV_PAIRS_LINE_MAX + 10000, count;
    char *text = malloc(room);
    if (!CHECK(text != NULL)) {
        return;
    }
    const char *row = BODY "," SPHERE;
    for (int more = 0; more < 2; more++) {
        size_t length = OV_PAIRS_LINE_MAX + (size_t)more;
        memcpy(text, HEADER, head);
        memset(text + head, ' ', length);
        memcpy(text + head, row, strlen(row));
        (void)snprintf(text + head + length, room - head - length, "\n%s\n", row);
        CHECK_OK(read_text(text, strlen(text), 8, rows, &count, NULL));
        CHECK(count == 2);
        CHECK_STATUS(rows[0].status, more == 0 ? OV_OK : OV_ERROR_FILE_FORMAT);
        CHECK_OK(rows[1].status);
    }
    size_t length = (size_t)snprintf(text, room, HEADER "%s\n%s\n", row, row);
    text[head] = '\0';
    CHECK_OK(read_text(text, length, 8, rows, &count, NULL));
    CHECK(count == 2);
    CHECK_STATUS(rows[0].status, OV_ERROR_FILE_FORMAT);
    CHECK_OK(rows[1].status);
    // no end of line at all
    memset(text, 'x', room);
    CHECK_STATUS(read_text(text, room, 8, rows, &count, NULL), OV_ERROR_FILE_FORMAT);
    free(text);
}

/** Numbers arrive to the bit, and shapes are the ones that the constructor makes. */
static void exact_rows(void) {
    check_random r = check_random_make(3);
    for (int i = 0; i < 200; i++) {
        double v[28];
        char text[4096];
        int used = snprintf(text, sizeof text, HEADER);
        for (int k = 0; k < 28; k++) {
            int at = k % 14;
            v[k] = at < 3    ? check_log_uniform(&r, 0.5, 2.0)
                   : at < 5  ? check_uniform(&r, 0.3, 1.1)
                   : at < 7  ? check_uniform(&r, -0.1, 0.1)
                   : at < 10 ? check_uniform(&r, -3.0, 3.0)
                             : check_uniform(&r, -1.0, 1.0);
            used += snprintf(text + used, sizeof text - (size_t)used,
                             i % 2 == 0 ? "%s%.17g" : "%s%a", k > 0 ? "," : "", v[k]);
        }
        size_t count;
        CHECK_OK(read_text(text, (size_t)used, 1, rows, &count, NULL));
        if (!CHECK(count == 1) || !CHECK_OK(rows[0].status)) {
            continue;
        }
        ov_shape a;
        ov_quat q = {v[24], v[25], v[26], v[27]}, unit;
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], v[6],
                                          NULL, &a));
        CHECK_OK(ov_quat_normalize(q, &unit));
        CHECK(rows[0].a.a.x == v[0] && rows[0].a.e2 == v[4] && rows[0].a.ty == v[6]);
        CHECK(rows[0].a.dent == a.dent && rows[0].a.ball.radius == a.ball.radius);
        CHECK(rows[0].b.a.x == v[14] && rows[0].b.e1 == v[17] && rows[0].b.tx == v[19]);
        CHECK(rows[0].pose_a.position.y == v[8] && rows[0].pose_b.position.x == v[21]);
        CHECK_NEAR(rows[0].pose_b.rotation.x, unit.x, 1e-15);
    }
}

/** Any text at all: an answer for each line, and never a crash. */
static void garbage(void) {
    check_random r = check_random_make(4);
    static const char letters[] = "0123456789+-.eE, \t\r\n#nafx\"\xff";
    for (int i = 0; i < 3000; i++) {
        char text[2048];
        int head = snprintf(text, sizeof text, HEADER "%s,%s\n", SPHERE, BODY);
        size_t length = (size_t)head + check_random_bits(&r) % 800, count, lines = 1;
        for (size_t k = (size_t)head; k < length; k++) {
            text[k] = i % 4 == 0 ? (char)check_random_bits(&r)
                                 : letters[check_random_bits(&r) % (sizeof letters - 1)];
        }
        if (i % 3 == 0) {
            text[check_random_bits(&r) % length] = (char)check_random_bits(&r);
        }
        for (size_t k = 0; k < length; k++) {
            lines += text[k] == '\n';
        }
        ov_fault fault;
        ov_status status = read_text(text, length, 16, rows, &count, &fault);
        CHECK(status == OV_OK ? fault.text[0] == '\0' : fault.text[0] != '\0' && count == 0);
        CHECK(count < lines);
        for (size_t k = 0; k < count; k++) {
            CHECK(rows[k].status <= OV_OK && rows[k].line <= lines);
        }
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

static void contacts_out(void) {
    char text[4096] = "";
    check_random r = check_random_make(5);
    for (int i = 0; i < 100; i++) {
        double v[12], back[12];
        int iterations = 0;
        for (int k = 0; k < 12; k++) {
            v[k] = check_uniform(&r, -1.0, 1.0) * pow(10.0, check_uniform(&r, -12.0, 12.0));
        }
        ov_contact c = {v[0],
                        v[1],
                        v[2],
                        {v[3], v[4], v[5]},
                        {v[6], v[7], v[8]},
                        {v[9], v[10], v[11]},
                        OV_RELATION_SEPARATED,
                        OV_OK,
                        i};
        FILE *f = fmemopen(text, sizeof text, "w");
        if (!CHECK(f != NULL)) {
            return;
        }
        CHECK_OK(ov_contacts_write(f, &c, 1));
        CHECK(fclose(f) == 0);
        int read =
            sscanf(text, "solved,separated,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%d\n",
                   &back[0], &back[1], &back[2], &back[3], &back[4], &back[5], &back[6], &back[7],
                   &back[8], &back[9], &back[10], &back[11], &iterations);
        CHECK(read == 13 && iterations == i && memcmp(v, back, sizeof v) == 0);
    }
    double nan = -(double)NAN;
    ov_contact none = {nan,
                       nan,
                       nan,
                       {nan, nan, nan},
                       {nan, nan, nan},
                       {nan, nan, nan},
                       OV_RELATION_UNDECIDED,
                       OV_ERROR_DENT,
                       0};
    FILE *f = fmemopen(text, sizeof text, "w");
    if (!CHECK(f != NULL)) {
        return;
    }
    CHECK_OK(ov_contacts_write_header(f));
    CHECK_OK(ov_contacts_write(f, &none, 1));
    CHECK(fclose(f) == 0);
    CHECK(strcmp(text, "status,relation,gap,gap_lower,gap_upper,ax,ay,az,bx,by,bz,nx,ny,nz,"
                       "iterations\ndent,undecided,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,"
                       "nan,0\n") == 0);
    CHECK_STATUS(ov_contacts_write(NULL, &none, 1), OV_ERROR_NULL);
    CHECK_STATUS(ov_contacts_write(stdout, NULL, 1), OV_ERROR_NULL);
    CHECK_STATUS(ov_contacts_write_header(NULL), OV_ERROR_NULL);
    f = fopen("/dev/full", "w");
    if (f != NULL) {
        setvbuf(f, NULL, _IONBF, 0);
        CHECK_STATUS(ov_contacts_write(f, &none, 1), OV_ERROR_FILE_WRITE);
        (void)fclose(f);
    }
}

/** In a locale that writes numbers with a comma, files still have points. */
static void other_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pt_PT.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && set == NULL; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (set != NULL) {
        char text[1024] = "";
        ov_contact half = {.gap = 0.5, .gap_lower = 0.25};
        FILE *f = fmemopen(text, sizeof text, "w");
        if (CHECK(f != NULL)) {
            CHECK_OK(ov_contacts_write(f, &half, 1));
            CHECK(fclose(f) == 0);
            CHECK(strncmp(text, "solved,undecided,0.5,0.25,0,", 28) == 0);
        }
        good_rows();
        (void)setlocale(LC_ALL, "C");
    }
}

int main(void) {
    check_suite = "io_pairs";
    RUN(good_rows);
    RUN(bad_rows);
    RUN(bad_headers);
    RUN(long_lines);
    RUN(exact_rows);
    RUN(garbage);
    RUN(contacts_out);
    RUN(other_locale);
    return check_finish();
}
