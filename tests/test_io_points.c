/**
 * @file test_io_points.c
 * @brief Point clouds read from good, odd and broken text.
 */
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

/** Something that is not null, to see it overwritten. */
static ov_vec3 elsewhere;

/** Reads a text, with zero bytes if need be. */
static ov_status read_text(const char *text, size_t length, ov_vec3 **points, size_t *count,
                           ov_fault *fault) {
    FILE *f = fopen("points.txt", "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, length, f) == length && fclose(f) == 0)) {
        exit(1);
    }
    return ov_points_read("points.txt", points, count, fault);
}

static void good_points(void) {
    static const char *const texts[] = {
        "1 2 3\n4 5 6\n",
        "1 2 3\n4 5 6",
        "\n  # a comment\n1\t2   3 # and more\n\n4,5,6\r\n\r\n",
        "1, 2, 3\n4 ,5 , 6\n",
        "\xef\xbb\xbf+1 2 3\n+4.0 5e0 0.6E+1\n",
        "# obj\no thing\nv 1 2 3\nvn 0 0 1\nv 4 5 6 1.0\nf 1 2 1\n",
        "mtllib a.mtl\nv 1 2 3 0.1 0.2 0.3\nv 4 5 6 1 0.1 0.2 0.3\ns off\nusemtl none\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ov_vec3 *p = NULL;
        size_t count = 0;
        ov_fault fault = {.index = 99};
        if (CHECK_OK(read_text(texts[i], strlen(texts[i]), &p, &count, &fault)) &&
            CHECK(count == 2)) {
            CHECK(p[0].x == 1.0 && p[0].y == 2.0 && p[0].z == 3.0);
            CHECK(p[1].x == 4.0 && p[1].y == 5.0 && p[1].z == 6.0);
        }
        CHECK(fault.index == 0);
        ov_points_free(p);
    }
    ov_points_free(NULL);
}

static void bad_points(void) {
    static const struct {
        const char *text;
        ov_status status;
        size_t line;
    } bad[] = {
        {"", OV_ERROR_COUNT, 0},
        {"\n\n# nothing\n", OV_ERROR_COUNT, 0},
        {"o empty\n", OV_ERROR_COUNT, 0},
        {"1 2\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 3\n4 5 6\n7 8", OV_ERROR_FILE_FORMAT, 3},
        {"1 2 3\n4 5 6 7\n", OV_ERROR_FILE_FORMAT, 2},
        {"1 2 3\nhello\n", OV_ERROR_FILE_FORMAT, 2},
        {"x,y,z\n1,2,3\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 3x\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 0x10\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 1e\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 --3\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 .\n", OV_ERROR_FILE_FORMAT, 1},
        {"1,,2,3\n", OV_ERROR_FILE_FORMAT, 1},
        {",1,2,3\n", OV_ERROR_FILE_FORMAT, 1},
        {"1,2,3,\n", OV_ERROR_FILE_FORMAT, 1},
        {"1;2;3\n", OV_ERROR_FILE_FORMAT, 1},
        {"# c\n1 nan 3\n", OV_ERROR_NOT_FINITE, 2},
        {"1 2 -NaN\n", OV_ERROR_NOT_FINITE, 1},
        {"1 2 inf\n", OV_ERROR_NOT_FINITE, 1},
        {"1 2 -Infinity\n", OV_ERROR_NOT_FINITE, 1},
        {"1 2 infin\n", OV_ERROR_FILE_FORMAT, 1},
        {"1 2 1e61\n", OV_ERROR_SIZE_RANGE, 1},
        {"1 2 -1e999\n", OV_ERROR_SIZE_RANGE, 1},
        {"v 1 2\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 1 2 3 4 5\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 1 2 3 4 5 6 7 8\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 1 2 3\n4 5 6\n", OV_ERROR_FILE_FORMAT, 2},
        {"1 2 3\nv 4 5 6\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 1 2 3\nwhat 4 5 6\n", OV_ERROR_FILE_FORMAT, 2},
        {"ply\nformat ascii 1.0\n", OV_ERROR_FILE_FORMAT, 1},
        {"solid x\nfacet normal 0 0 1\n", OV_ERROR_FILE_FORMAT, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ov_vec3 *p = &elsewhere;
        size_t count = 7;
        ov_fault fault = {.index = 99};
        ov_status status = read_text(bad[i].text, strlen(bad[i].text), &p, &count, &fault);
        if (!CHECK_STATUS(status, bad[i].status) || !CHECK(fault.index == bad[i].line)) {
            fprintf(stderr, "the text was: %s\n", bad[i].text);
        }
        CHECK(p == NULL && count == 0);
        CHECK_STATUS(read_text(bad[i].text, strlen(bad[i].text), &p, &count, NULL), bad[i].status);
    }
    ov_vec3 *p = &elsewhere;
    size_t count = 7;
    ov_fault fault = {.index = 99};
    CHECK_STATUS(read_text("1 2\0 3\n", 8, &p, &count, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(p == NULL && fault.index == 1);
    CHECK_STATUS(ov_points_read("no/such/file", &p, &count, &fault), OV_ERROR_FILE_OPEN);
    CHECK(p == NULL && count == 0 && fault.index == 0);
    CHECK_STATUS(ov_points_read(".", &p, &count, &fault), OV_ERROR_FILE_READ);
    CHECK_STATUS(ov_points_read(NULL, &p, &count, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_points_read("points.txt", NULL, &count, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_points_read("points.txt", &p, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_points_read_stream(NULL, &p, &count, &fault), OV_ERROR_NULL);
    if (access("/dev/zero", R_OK) == 0) {
        CHECK_STATUS(ov_points_read("/dev/zero", &p, &count, &fault), OV_ERROR_FILE_FORMAT);
    }
}

/** Lines at and beyond the limit, and comments of any length. */
static void long_lines(void) {
    static char text[3 * OV_POINTS_LINE_MAX];
    ov_vec3 *p = NULL;
    size_t count = 0;
    ov_fault fault = {.index = 0};
    for (int extra = 0; extra < 2; extra++) {
        size_t length = OV_POINTS_LINE_MAX + (size_t)extra;
        memset(text, ' ', sizeof text);
        memcpy(text, "1 2 3", 5);
        memcpy(text + length, "\n4 5 6\n", 7);
        ov_status status = read_text(text, length + 7, &p, &count, &fault);
        CHECK_STATUS(status, extra == 0 ? OV_OK : OV_ERROR_FILE_FORMAT);
        CHECK(fault.index == (extra == 0 ? 0 : 1) && count == (extra == 0 ? 2 : 0));
        ov_points_free(p);
    }
    memset(text, '#', sizeof text);
    memcpy(text, "1 2 3 #", 7);
    CHECK_OK(read_text(text, sizeof text, &p, &count, &fault));
    CHECK(count == 1);
    ov_points_free(p);
    // digits without end
    memset(text, '7', sizeof text);
    CHECK_STATUS(read_text(text, sizeof text, &p, &count, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(fault.index == 1);
    // long, but a number: 1000 digits
    memcpy(text, "0.", 2);
    memcpy(text + 1000, " 0 0\n", 5);
    CHECK_OK(read_text(text, 1005, &p, &count, &fault));
    if (CHECK(count == 1)) {
        CHECK(p[0].x == 7.0 / 9.0);
    }
    ov_points_free(p);
}

/** More points than one block of memory, from a stream that stays open. */
static void many_points(void) {
    FILE *f = tmpfile();
    if (!CHECK(f != NULL)) {
        return;
    }
    enum { COUNT = 30000 };
    for (int i = 0; i < COUNT; i++) {
        (void)fprintf(f, "%d %d.5 -%d\n", i, i, i);
    }
    rewind(f);
    ov_vec3 *p = NULL;
    size_t count = 0;
    ov_fault fault = {.index = 0};
    CHECK_OK(ov_points_read_stream(f, &p, &count, &fault));
    bool good = count == COUNT;
    for (size_t i = 0; i < count; i++) {
        double x = (double)i;
        good = good && p[i].x == x && p[i].y == x + 0.5 && p[i].z == -x;
    }
    CHECK(good);
    CHECK(fseek(f, 0, SEEK_SET) == 0);
    ov_points_free(p);
    (void)fclose(f);
}

/** Any bytes at all: an answer or a status, and a line that exists. */
static void garbage(void) {
    check_random r = check_random_make(8);
    static const char letters[] = "0123456789+-.eE ,\t\r\n#vnf/xinaN\\\"\xff";
    for (int i = 0; i < 3000; i++) {
        char text[200];
        size_t length = check_random_bits(&r) % sizeof text, lines = 1;
        for (size_t k = 0; k < length; k++) {
            text[k] = i % 4 == 0 ? (char)check_random_bits(&r)
                                 : letters[check_random_bits(&r) % (sizeof letters - 1)];
            lines += text[k] == '\n';
        }
        FILE *f = fmemopen(text, length == 0 ? 1 : length, "rb");
        ov_vec3 *p = &elsewhere;
        size_t count = 0;
        ov_fault fault = {.index = 0};
        if (!CHECK(f != NULL)) {
            continue;
        }
        ov_status status = ov_points_read_stream(f, &p, &count, &fault);
        CHECK(fault.index <= lines);
        CHECK(status == OV_OK ? p != NULL && count > 0 && fault.index == 0
                              : p == NULL && count == 0);
        for (size_t k = 0; status == OV_OK && k < count; k++) {
            CHECK(ov_vec3_is_finite(p[k]));
        }
        ov_points_free(p);
        (void)fclose(f);
    }
}

int main(void) {
    check_suite = "io_points";
    char folder[] = "test_io_points_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    RUN(good_points);
    RUN(bad_points);
    RUN(long_lines);
    RUN(many_points);
    RUN(garbage);
    CHECK(unlink("points.txt") == 0 && chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
