/**
 * @file number.c
 * @brief Numbers as text: with the fewest digits that read back to the same double.
 *
 * Every double is told from all others by 17 decimal digits, and most that people write by 15 or
 * fewer. The C library rounds to 17 digits exactly; these are shortened, in whole numbers, and what
 * is left is read back to see whether it is still the same. So there is one call that prints and at
 * most three that read, whatever the number is.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

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
