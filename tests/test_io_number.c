/**
 * @file test_io_number.c
 * @brief Numbers as text: they read back, and no shorter text would.
 */
#include <float.h>
#include <locale.h>
#include <string.h>

#include <ovoid/io.h>

#include "check.h"

static void known_texts(void) {
    static const struct {
        double value;
        const char *text;
    } known[] = {{0.0, "0"},
                 {-0.0, "0"},
                 {1.0, "1"},
                 {-1.0, "-1"},
                 {0.1, "0.1"},
                 {-2.5e-7, "-2.5e-7"},
                 {100.0, "100"},
                 {1234.5, "1234.5"},
                 {1e15, "1000000000000000"},
                 {1e16, "1e16"},
                 {1e22, "1e22"},
                 {123456789012345678.0, "1.2345678901234568e17"},
                 {9007199254740992.0, "9007199254740992"},
                 {0.001, "0.001"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-5"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {2.0 / 3.0, "0.6666666666666666"},
                 {0x1p-44, "5.684341886080802e-14"},
                 {5e-324, "5e-324"},
                 {1e-310, "1e-310"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {-DBL_MAX, "-1.7976931348623157e308"},
                 {NAN, "nan"},
                 {-NAN, "nan"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[OV_NUMBER_TEXT_MAX];
        if (!CHECK(ov_number_text(known[i].value, text) == text &&
                   strcmp(text, known[i].text) == 0)) {
            fprintf(stderr, "%a is %s, not %s\n", known[i].value, text, known[i].text);
        }
    }
    CHECK(ov_number_text(1.0, NULL)[0] == '\0');
}

/** Digits from the first that is not zero to the last one. */
static int digits_of(const char *text) {
    int digits = 0, zeros = 0;
    for (const char *s = text; *s != '\0' && *s != 'e'; s++) {
        if (*s == '0') {
            zeros += digits > 0;
        } else if (*s >= '1' && *s <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/** Does a decimal with that many digits read as the number? The nearest one is looked at, and its
 *  two neighbours. */
static bool has_shorter(double value, int digits) {
    char text[64];
    bool found = false;
    for (int k = -1; k <= 1 && digits > 0; k++) {
        (void)snprintf(text, sizeof text, "%.*e", digits - 1, value);
        char *e = strchr(text, 'e'), *last = e - 1;
        long exponent = strtol(e + 1, NULL, 10);
        if ((*last == '0' && k < 0) || (*last == '9' && k > 0)) {
            continue;
        }
        *last = (char)(*last + k);
        (void)snprintf(e, sizeof text - (size_t)(e - text), "e%ld", exponent);
        found = found || strtod(text, NULL) == value;
    }
    return found;
}

static void random_numbers(void) {
    check_random r = check_random_make(5);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = check_random_bits(&r);
        double value;
        memcpy(&value, &bits, sizeof value);
        switch (i % 4) {
        case 0:
            value = check_uniform(&r, -1.0, 1.0);
            break;
        case 1: // a power of two, where the doubles below are denser
            value = ldexp(1.0, (int)(bits % 2098) - 1074);
            break;
        case 2: // few bits
            value = 5e-324 * (double)(bits >> (11 + bits % 52));
            break;
        default:
            break;
        }
        char text[OV_NUMBER_TEXT_MAX];
        if (!isfinite(value)) {
            continue;
        }
        (void)ov_number_text(value, text);
        bool good = CHECK(strtod(text, NULL) == value) && CHECK(strlen(text) < sizeof text);
        good = CHECK(value == 0.0 || !has_shorter(value, digits_of(text) - 1)) && good;
        if (!good) {
            fprintf(stderr, "%a: %s\n", value, text);
        }
    }
}

/** The point is a point, whatever the program's locale has. */
static void other_locale(void) {
    char text[OV_NUMBER_TEXT_MAX];
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale(LC_NUMERIC, "de_DE") == NULL) {
        printf("no locale with a comma here\n");
        return;
    }
    CHECK(strcmp(ov_number_text(-1234.5, text), "-1234.5") == 0);
    CHECK(strcmp(ov_number_text(1.0 / 3.0, text), "0.3333333333333333") == 0);
    CHECK(setlocale(LC_NUMERIC, "C") != NULL);
}

int main(void) {
    check_suite = "io_number";
    RUN(known_texts);
    RUN(random_numbers);
    RUN(other_locale);
    return check_finish();
}
