/**
 * @file mesh_text.c
 * @brief Words and numbers of the text formats of meshes.
 *
 * A mesh of a million triangles is nine million numbers in text, so that reading a number must be
 * quick: most have few digits and a small exponent, where one exact product or quotient gives the
 * nearest double [Clinger, How to read floating point numbers accurately, 1990]; strtod has the
 * rest.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_read.h"

/** Longest number, in characters; the longest that printf's %f gives is about 330. */
enum { NUMBER_MAX = 1023 };

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/** Length of a backslash with the line end behind it, or 0. */
static size_t continuation(const ovi_text *t) {
    size_t left = (size_t)(t->end - t->at);
    if (!t->continues || left < 2 || *t->at != '\\') {
        return 0;
    }
    if (t->at[1] == '\n') {
        return 2;
    }
    return left >= 3 && t->at[1] == '\r' && t->at[2] == '\n' ? 3 : 0;
}

bool ovi_text_word(ovi_text *t, ovi_word *word) {
    for (;;) {
        while (t->at < t->end && is_blank(*t->at)) {
            t->at++;
        }
        size_t step = t->at < t->end ? continuation(t) : 0;
        if (step == 0) {
            break;
        }
        t->at += step;
        t->line++;
    }
    word->at = t->at;
    while (t->at < t->end && !is_blank(*t->at) && *t->at != '\n' && continuation(t) == 0) {
        t->at++;
    }
    word->length = (size_t)(t->at - word->at);
    return word->length > 0;
}

bool ovi_text_next_line(ovi_text *t) {
    bool comment = false; // a backslash at its end, as of a folder's name, joins nothing
    while (t->at < t->end && *t->at != '\n') {
        comment = comment || *t->at == '#';
        size_t step = comment ? 0 : continuation(t);
        t->line += step > 0;
        t->at += step > 0 ? step : 1;
    }
    if (t->at == t->end) {
        return false;
    }
    t->at++;
    t->line++;
    return t->at < t->end;
}

bool ovi_text_word_anywhere(ovi_text *t, ovi_word *word) {
    while (!ovi_text_word(t, word)) {
        if (!ovi_text_next_line(t)) {
            return false;
        }
    }
    return true;
}

bool ovi_word_is(ovi_word word, const char *lower) {
    for (size_t i = 0; i < word.length; i++) {
        char c =
            word.at[i] >= 'A' && word.at[i] <= 'Z' ? (char)(word.at[i] - 'A' + 'a') : word.at[i];
        // the zero at the end of `lower` is unlike any character of a longer word, but one
        if (c != lower[i] || c == '\0') {
            return false;
        }
    }
    return lower[word.length] == '\0';
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/** The parts of a decimal number: mantissa 10^exponent. */
typedef struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    bool negative, long_mantissa; /**< long: more digits than the mantissa holds */
} decimal;

/** Takes digits into the mantissa; returns how many there are. */
static size_t take_digits(const char **s, const char *end, decimal *d) {
    const char *first = *s;
    for (; *s < end && is_digit(**s); (*s)++) {
        d->long_mantissa = d->long_mantissa || d->mantissa > (UINT64_MAX - 9) / 10;
        if (!d->long_mantissa) {
            d->mantissa = 10 * d->mantissa + (uint64_t)(**s - '0');
        }
    }
    return (size_t)(*s - first);
}

/** False where it is not of the form [+-] digits [. digits] [e [+-] digits]. */
static bool split_decimal(ovi_word word, decimal *d) {
    const char *s = word.at, *end = s + word.length;
    *d = (decimal){0};
    if (s < end && (*s == '+' || *s == '-')) {
        d->negative = *s++ == '-';
    }
    size_t digits = take_digits(&s, end, d);
    if (s < end && *s == '.') {
        s++;
        size_t fraction = take_digits(&s, end, d);
        digits += fraction;
        d->exponent = -(int64_t)fraction;
    }
    if (digits == 0) {
        return false;
    }
    if (s < end && (*s == 'e' || *s == 'E')) {
        s++;
        bool negative = s < end && *s == '-';
        s += s < end && (*s == '+' || *s == '-');
        const char *first = s;
        int64_t exponent = 0;
        for (; s < end && is_digit(*s); s++) {
            exponent = exponent < 100000 ? 10 * exponent + (*s - '0') : exponent;
        }
        if (s == first) {
            return false;
        }
        d->exponent += negative ? -exponent : exponent;
    }
    return s == end;
}

/** Exact where mantissa and power of ten are doubles themselves; else false. */
static bool quick_value(const decimal *d, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { LARGEST = 22 };
    // a machine that computes with more digits would round twice
    if (FLT_EVAL_METHOD != 0 || d->long_mantissa || d->mantissa > (UINT64_C(1) << 53) ||
        d->exponent < -LARGEST || d->exponent > LARGEST) {
        return false;
    }
    double m = (double)d->mantissa;
    m = d->exponent < 0 ? m / powers[-d->exponent] : m * powers[d->exponent];
    *value = d->negative ? -m : m;
    return true;
}

ov_status ovi_word_number(ovi_word word, double *value) {
    decimal d;
    if (!split_decimal(word, &d)) {
        ovi_word bare = word;
        if (bare.length > 0 && (*bare.at == '+' || *bare.at == '-')) {
            bare.at++;
            bare.length--;
        }
        bool words =
            ovi_word_is(bare, "nan") || ovi_word_is(bare, "inf") || ovi_word_is(bare, "infinity");
        return words ? OV_ERROR_NOT_FINITE : OV_ERROR_FILE_FORMAT;
    }
    if (!quick_value(&d, value)) {
        char text[NUMBER_MAX + 1];
        if (word.length > NUMBER_MAX) {
            return OV_ERROR_FILE_FORMAT;
        }
        memcpy(text, word.at, word.length);
        text[word.length] = '\0';
        *value = strtod(text, NULL);
    }
    return fabs(*value) <= OV_SIZE_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

bool ovi_word_integer(ovi_word word, int64_t *value) {
    const char *s = word.at, *end = s + word.length;
    bool negative = s < end && *s == '-';
    s += s < end && (*s == '+' || *s == '-');
    int64_t n = 0;
    if (s == end) {
        return false;
    }
    for (; s < end; s++) {
        if (!is_digit(*s) || n >= INT64_C(100000000000000000)) {
            return false;
        }
        n = 10 * n + (*s - '0');
    }
    *value = negative ? -n : n;
    return true;
}
