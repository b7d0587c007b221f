/**
 * @file number.c
 * @brief Numbers as text: written with the fewest digits that read back to the same double, and
 * read quickly.
 *
 * Writing. Every double is told from all others by 17 decimal digits, and most that people write by
 * 15 or fewer. The C library rounds to 17 digits exactly; these are shortened, in whole numbers,
 * and what is left is read back to see whether it is still the same. So there is one call that
 * prints and at most three that read, whatever the number is.
 *
 * Reading. A mesh of a million triangles is nine million numbers in text, so that reading a number
 * must be quick: most have few digits and a small exponent, where one exact product or quotient
 * gives the nearest double [Clinger, How to read floating point numbers accurately, 1990]; strtod
 * has the rest.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

/* ---- writing --------------------------------------------------------------------------------- */

enum { DIGITS_ALL = 17, DIGITS_SAFE = 15 };

/** digits * 10^exponent; the digits are a whole number. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/** The nearest number of 17 digits to a positive one. */
static decimal all_digits(double value) {
    char text[48];
    decimal d = {0, 0};
    (void)snprintf(text, sizeof text, "%.*e", DIGITS_ALL - 1, value);
    const char *s = text;
    // whatever the locale has for a point is passed over
    for (; *s != 'e'; s++) {
        if (*s >= '0' && *s <= '9') {
            d.digits = 10 * d.digits + (uint64_t)(*s - '0');
        }
    }
    d.exponent = atoi(s + 1) - (DIGITS_ALL - 1);
    return d;
}

static bool reads_as(decimal d, double value) {
    char text[48];
    // without a point, so that it reads the same in every locale
    (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", d.digits, d.exponent);
    return strtod(text, NULL) == value;
}

/** One digit less than d has, rounded up or down. */
static decimal shorter(decimal d, bool up) {
    return (decimal){d.digits / 10 + (up ? 1 : 0), d.exponent + 1};
}

/**
 * Up to `most` digits fewer, one by one, as long as they read as the same number. Of a number with
 * n digits only its two neighbours with n - 1 can be the same double, the nearer one first: at a
 * power of two it may be the farther one, since doubles lie denser below it than above.
 */
static decimal shorten(decimal d, double value, int most) {
    for (int i = 0; i < most; i++) {
        bool up = d.digits % 10 >= 5;
        decimal near = shorter(d, up), far = shorter(d, !up);
        if (reads_as(near, value)) {
            d = near;
        } else if (reads_as(far, value)) {
            d = far;
        } else {
            break;
        }
    }
    return d;
}

static decimal shortest(double value) {
    decimal all = all_digits(value);
    // what was written with up to 15 digits comes back with them, and needs no look at 16
    decimal safe = {(all.digits + 50) / 100, all.exponent + 2};
    bool is_safe = reads_as(safe, value);
    decimal d = is_safe ? safe : shorten(all, value, DIGITS_ALL - DIGITS_SAFE - 1);
    if (is_safe && value < DBL_MIN) {
        // a number with fewer bits than others, and so with fewer digits
        d = shorten(safe, value, DIGITS_SAFE - 1);
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/** Copies `count` characters, or zeros, and returns what follows. */
static char *put(char *out, const char *from, int count) {
    memcpy(out, from, (size_t)count);
    return out + count;
}
static char *put_zeros(char *out, int count) {
    memset(out, '0', (size_t)count);
    return out + count;
}

/** With an exponent where there would be many zeros. */
static void write_decimal(decimal d, char *out) {
    enum { PLAIN_MAX = 16, PLAIN_ZEROS = 4 };
    char digits[24], exponent[8];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, d.digits);
    int point = count + d.exponent; // digits before the point
    if (point > PLAIN_MAX || point <= -PLAIN_ZEROS) {
        out = put(out, digits, 1);
        if (count > 1) {
            out = put(put(out, ".", 1), digits + 1, count - 1);
        }
        out = put(out, exponent, snprintf(exponent, sizeof exponent, "e%d", point - 1));
    } else if (point <= 0) {
        out = put(put_zeros(put(out, "0.", 2), -point), digits, count);
    } else if (point >= count) {
        out = put_zeros(put(out, digits, count), point - count);
    } else {
        out = put(put(put(out, digits, point), ".", 1), digits + point, count - point);
    }
    *out = '\0';
}

const char *ov_number_text(double value, char *text) {
    if (text == NULL) {
        return "";
    }
    if (value == 0.0 || !isfinite(value)) {
        const char *word = value == 0.0 ? "0" : isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
        return strcpy(text, word);
    }
    char *out = text;
    if (value < 0.0) {
        *out++ = '-';
    }
    write_decimal(shortest(fabs(value)), out);
    return text;
}

void ovi_number_write(FILE *f, double value) {
    char text[OV_NUMBER_TEXT_MAX];
    (void)fputs(ov_number_text(value, text), f);
}

/* ---- reading --------------------------------------------------------------------------------- */

/** Longest number, in characters; the longest that printf's %f gives is about 330. */
enum { NUMBER_MAX = 1023 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/** The parts of a decimal number: mantissa 10^exponent. */
typedef struct parts {
    uint64_t mantissa;
    int64_t exponent;
    bool negative, long_mantissa; /**< long: more digits than the mantissa holds */
} parts;

/** Takes digits into the mantissa; returns how many there are. */
static size_t take_digits(const char **s, const char *end, parts *d) {
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
static bool split_decimal(ovi_word word, parts *d) {
    const char *s = word.at, *end = s + word.length;
    *d = (parts){0};
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
static bool quick_value(const parts *d, double *value) {
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
    parts d;
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
