/**
 * @file test_cli_args.c
 * @brief The command's own small modules, where its golden tests do not reach: the argument reader,
 * numbers and tables, and the JSON writer.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "check.h"
#include "cli.h"
#include "json.h"
#include "table.h"

static const args_option options[] = {{"--at", 0, 3, "X Y Z", "", NULL},
                                      {"--output", 'o', 1, "FILE", "", "FILE"},
                                      {"--fast", 0, 0, "", "", NULL},
                                      {"--kind", 0, 1, "NAME", "", "one two three"}};
enum { AT, OUTPUT, FAST, KIND, OPTION_COUNT };

/** Reads the words up to a null; the messages are kept in `message`. */
static char message[256];

static int parse(args *a, cli *c, char **words) {
    int count = 0;
    while (words[count] != NULL) {
        count++;
    }
    rewind(c->err);
    int status = args_parse(c, "verb", options, OPTION_COUNT, count, words, a);
    fputc('\0', c->err);
    fflush(c->err);
    return status;
}

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

static void test_parse(cli *c) {
    args a;
    CHECK(parse(&a, c, WORDS("x", "--at", "1", "-2", "-.5e1", "-3", "-", "-o", "-", "y")) == 0);
    CHECK(a.word_count == 4);
    CHECK(strcmp(a.words[0], "x") == 0 && strcmp(a.words[1], "-3") == 0);
    CHECK(strcmp(a.words[2], "-") == 0 && strcmp(a.words[3], "y") == 0);
    CHECK(a.values[AT].given && strcmp(a.values[AT].text[2], "-.5e1") == 0);
    CHECK(a.values[OUTPUT].given && strcmp(a.values[OUTPUT].text[0], "-") == 0);
    CHECK(!a.values[FAST].given && !a.values[KIND].given);

    CHECK(parse(&a, c, WORDS("--output=--fast", "--fast", "--", "--at", "-o")) == 0);
    CHECK(a.word_count == 2 && strcmp(a.words[0], "--at") == 0);
    CHECK(a.values[FAST].given && strcmp(a.values[OUTPUT].text[0], "--fast") == 0);

    // infinities and NaN with a sign are numbers, so they are words
    CHECK(parse(&a, c, WORDS("-inf", "-nan", "-0x1p3")) == 0 && a.word_count == 3);
}

static void test_parse_errors(cli *c) {
    static const struct {
        char *words[5];
        const char *says;
    } cases[] = {
        {{"--nothing"}, "ovoid: verb: unknown option --nothing; see 'ovoid verb --help'\n"},
        {{"--fats"}, "ovoid: verb: unknown option --fats; did you mean --fast?\n"},
        {{"--outputs=1"}, "ovoid: verb: unknown option --outputs=1; did you mean --output?\n"},
        {{"-q"}, "ovoid: verb: unknown option -q; see 'ovoid verb --help'\n"},
        {{"-ox"}, "ovoid: verb: unknown option -ox; see 'ovoid verb --help'\n"},
        {{"--fast=1"}, "ovoid: verb: --fast takes no value\n"},
        {{"--at=1"}, "ovoid: verb: --at takes its values as separate words\n"},
        {{"--at", "1", "2"}, "ovoid: verb: --at needs X Y Z\n"},
        {{"-o", "--fast"}, "ovoid: verb: --output needs FILE\n"},
        {{"-o", "a", "--output=b"}, "ovoid: verb: --output is given twice\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        args a;
        char *words[5];
        memcpy(words, cases[i].words, sizeof words);
        CHECK(parse(&a, c, words) == CLI_BAD_INPUT);
        if (!CHECK(strcmp(message, cases[i].says) == 0)) {
            fprintf(stderr, "case %zu says: %s", i, message);
        }
    }
}

static void test_values(cli *c) {
    args a;
    double v[3];
    size_t n;
    CHECK(parse(&a, c, WORDS("--at", "1", "2e-3", "x", "--output", "18446744073709551615")) == 0);
    CHECK(args_numbers(c, &a, "--at", v) == CLI_BAD_INPUT);
    CHECK(args_count(c, &a, "--output", &n) == CLI_OK && n == SIZE_MAX);
    CHECK(parse(&a, c, WORDS("--at", "1", "2e-3", "-7", "--output", "18446744073709551616")) == 0);
    CHECK(args_numbers(c, &a, "--at", v) == CLI_OK && v[0] == 1.0 && v[1] == 2e-3 && v[2] == -7.0);
    CHECK(args_count(c, &a, "--output", &n) == CLI_BAD_INPUT);
    CHECK(parse(&a, c, WORDS("--kind=two")) == 0);
    CHECK(args_choice(c, &a, "--kind", &n) == CLI_OK && n == 1);
    static char *const wrong[] = {"--kind=tw", "--kind=one two", "--kind=", "--kind= "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(parse(&a, c, WORDS(wrong[i])) == 0);
        CHECK(args_choice(c, &a, "--kind", &n) == CLI_BAD_INPUT);
    }
}

static void test_read_number(void) {
    static const char *const good[] = {"0", "-1", ".5", "5.", "1e-320", "0x1p-3", "inf", "nan"};
    static const char *const wrong[] = {"",    " 1", "1 ", "1,2", "one",
                                        "--1", "1e", "0x", "\t1", "-"};
    double v;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(args_read_number(good[i], &v));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!args_read_number(wrong[i], &v));
    }
}

/* ---- numbers and tables */

static void test_numbers(void) {
    char text[OV_NUMBER_TEXT_MAX];
    CHECK(strcmp(number_rounded(-0.0, 6, text), "0") == 0);
    CHECK(strcmp(number_rounded(-1.23456789, 3, text), "-1.23") == 0);
    CHECK(strcmp(number_rounded(-(double)NAN, 3, text), "nan") == 0);
    CHECK(table_decimals(4.2) == 3 && table_decimals(420.0) == 1 && table_decimals(0.0) == 3);
    CHECK(table_decimals(1e9) == 0 && table_decimals(1e-20) == -1);
}

static void fill_row(const void *user, size_t row, table_cells *cells) {
    const char *const *names = user;
    cells->texts[0] = names[row];
    table_number(cells, 1, row == 0 ? 1.0 / 3.0 : -0.0, 3);
    table_fixed(cells, 2, row == 0 ? -1e-9 : 2.0, 2);
    cells->texts[3] = row == 0 ? "end" : NULL;
}

static void test_table(void) {
    static const table_column columns[] = {{"name", TABLE_NAME, TABLE_ALWAYS},
                                           {"n", TABLE_NUMBER, TABLE_ALWAYS},
                                           {"m", TABLE_COMPONENT, TABLE_ALWAYS},
                                           {"", TABLE_WORD, TABLE_NARROW}};
    const char *names[2] = {"egg\xc3\xa9", "a"};
    char *text, longest[300];
    size_t size;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (int i = 0; i < 3; i++) {
        FILE *out = open_memstream(&text, &size);
        names[1] = i == 1 ? longest : "a";
        table t = {columns, 4, 2, i == 2, fill_row, names};
        table_print(out, &t);
        fclose(out);
        if (i == 0) {
            CHECK(strcmp(text, "name      n    m\n"
                               "egg\xc3\xa9  0.333 0.00  end\n"
                               "a         0 2.00\n") == 0);
        } else if (i == 1) {
            // names are cut so that a line has no more columns than a screen
            CHECK(strstr(text, "x\xe2\x80\xa6 ") != NULL);
            CHECK(strcspn(text, "\n") <= TABLE_WIDTH);
        } else {
            CHECK(strstr(text, "0.3333333333333333") != NULL && strstr(text, "end") == NULL);
        }
        free(text);
    }
}

/* ---- JSON */

static void test_json_numbers(void) {
    // what is written reads back as the same number, over all exponents
    check_random r = check_random_make(7);
    for (int i = 0; i < 2000; i++) {
        char *text;
        size_t size;
        uint64_t bits = check_random_bits(&r);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        FILE *out = open_memstream(&text, &size);
        json j = json_make(out);
        json_number(&j, NULL, value);
        fclose(out);
        CHECK(args_read_number(text, &back) && back == value && !signbit(back) == !signbit(value));
        free(text);
    }
}

static void test_json_text(void) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json j = json_make(out);
    const double list[] = {1.0, INFINITY, -INFINITY, (double)NAN, 0.1};
    json_open_object(&j, NULL);
    json_string(&j, "a\"b\\",
                "\x01\n\x7f \xc3\xa9 \xff \xc0\x80 \xed\xa0\x80 \xf0\x9f\xa5\x9a \xe2\x82");
    json_numbers(&j, "list", list, 5);
    json_open_list(&j, "empty");
    json_close_list(&j);
    json_open_list(&j, "nested");
    json_null(&j, NULL);
    json_bool(&j, NULL, true);
    json_open_object(&j, NULL);
    json_count(&j, "n", 3);
    json_close_object(&j);
    json_close_list(&j);
    json_vec3(&j, "v", ov_vec3_make(1.0, -0.0, DBL_MAX));
    json_close_object(&j);
    fclose(out);
    const char *expected =
        "{\n"
        "  \"a\\\"b\\\\\": \"\\u0001\\u000a\\u007f \xc3\xa9 \\ufffd \\ufffd\\ufffd "
        "\\ufffd\\ufffd\\ufffd \xf0\x9f\xa5\x9a \\ufffd\\ufffd\",\n"
        "  \"list\": [1, \"infinite\", \"-infinite\", null, 0.1],\n"
        "  \"empty\": [],\n"
        "  \"nested\": [\n    null,\n    true,\n    {\n      \"n\": 3\n    }\n  ],\n"
        "  \"v\": [1, 0, 1.7976931348623157e308]\n"
        "}\n";
    if (!CHECK(strcmp(text, expected) == 0)) {
        fprintf(stderr, "%s\nexpected\n%s", text, expected);
    }
    free(text);
}

static void test_nearest(void) {
    static const char *const words[] = {"shape", "mesh", "gallery"};
    CHECK(strcmp(cli_nearest("shap", words, 3), "shape") == 0);
    CHECK(strcmp(cli_nearest("mehs", words, 3), "mesh") == 0);
    CHECK(cli_nearest("xyzzy", words, 3) == NULL);
    CHECK(cli_nearest("a word that is far longer than any that the command has", words, 3) == NULL);
}

int main(void) {
    check_suite = "cli_args";
    FILE *err = fmemopen(message, sizeof message, "w");
    if (!CHECK(err != NULL)) {
        return check_finish();
    }
    const cli_program program = {.name = "ovoid"};
    cli c = {.program = &program, .out = stdout, .err = err};
    test_parse(&c);
    test_parse_errors(&c);
    test_values(&c);
    RUN(test_read_number);
    RUN(test_numbers);
    RUN(test_table);
    RUN(test_json_numbers);
    RUN(test_json_text);
    RUN(test_nearest);
    fclose(err);
    return check_finish();
}
