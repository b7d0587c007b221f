/**
 * @file number.c
 * @brief Numbers as text: written with the fewest digits that read back to the same double, and
 * read quickly.
 *
 * Writing. Every double is told from all others by 17 decimal digits, and most that people write by
 * 15 or fewer. So the nearest number of 17 digits is found and shortened, in whole numbers, as long
 * as what is left is still the same double:
 *   1. Where a long double has 64 bits or more, x = value 10^k, 10^16 <= x < 10^17, is computed
 * with a few roundings, each of 2^-64 of x, which is less than 1/128. Powers of ten up to 10^27 are
 *      exact in it, so that there are three such roundings at most.
 *   2. A decimal is the same double if it is nearer to x than half the distance to the next double,
 *      which is at least 0.55 here. What is nearer to that border than 1/20 is looked at by 4.
 *   3. Powers of two, below which doubles lie denser, and numbers out of range are left to 4, too.
 *   4. Elsewhere the C library prints 17 digits and reads what is left of them.
 * Both ways find the same digits.
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

#if defined(OVI_SHORTEST_ELSEWHERE)

/** In a browser the shortest digits are the language's own. */
static decimal shortest(double value) {
    decimal d;
    d.digits = OVI_SHORTEST_ELSEWHERE(value, &d.exponent);
    return d;
}

#else

/** A number between 10^16 and 10^17 that is value 10^-exponent, to within 1/40; see above. */
typedef struct scaled {
    double value;
    bool known; /**< else the rest does not hold */
    long double x;
    long double half; /**< of the distance to the next double */
    int exponent;
} scaled;

static scaled scale(double value) {
    static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                         1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                         1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    enum { LARGEST = 27 };
    int binary;
    double mantissa = frexp(value, &binary);
    scaled s = {.value = value};
    if (LDBL_MANT_DIG < 64 || value < 1e-37 || value > 1e43 || mantissa == 0.5) {
        return s;
    }
    int k = DIGITS_ALL - 1 - (int)floor(log10(value));
    s.exponent = -k;
    s.x = (long double)value;
    if (k > LARGEST) {
        s.x *= powers[LARGEST];
        k -= LARGEST;
    }
    s.x = k >= 0 ? s.x * powers[k] : s.x / powers[-k];
    // a logarithm may be off by one next to a power of ten: such numbers are few
    s.known = s.x >= 1e16L && s.x < 1e17L - 1.0L;
    s.half = s.x * (long double)(0x1p-54 / mantissa);
    return s;
}

/** The nearest number of so many digits, by the C library. */
static decimal printed(double value, int count) {
    char text[48];
    decimal d = {0, 0};
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    const char *c = text;
    // whatever the locale has for a point is passed over
    for (; *c != 'e'; c++) {
        if (*c >= '0' && *c <= '9') {
            d.digits = 10 * d.digits + (uint64_t)(*c - '0');
        }
    }
    d.exponent = atoi(c + 1) - (count - 1);
    return d;
}

/** The nearest number of 17 digits to a positive one. */
static decimal all_digits(const scaled *s) {
    if (s->known) {
        decimal d = {(uint64_t)s->x, s->exponent};
        long double beyond = s->x - (long double)d.digits;
        if (beyond < 0.45L || beyond > 0.55L) {
            d.digits += beyond > 0.5L;
            return d;
        }
    }
    return printed(s->value, DIGITS_ALL);
}

/** Is a number of 17 digits or less the same double? */
static bool reads_as(decimal d, const scaled *s) {
    char text[48];
    if (s->known && d.exponent >= s->exponent && d.exponent <= s->exponent + 2) {
        static const uint64_t tens[] = {1, 10, 100};
        long double off =
            fabsl((long double)(d.digits * tens[d.exponent - s->exponent]) - s->x) - s->half;
        if (fabsl(off) > 0.05L) {
            return off < 0.0L;
        }
    }
    // without a point, so that it reads the same in every locale
    (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", d.digits, d.exponent);
    return strtod(text, NULL) == s->value;
}

/** One digit less than d has, rounded up or down. */
static decimal shorter(decimal d, bool up) {
    return (decimal){d.digits / 10 + (up ? 1 : 0), d.exponent + 1};
}

/** Of all 17 digits: is the nearest number of 16 above them? */
static bool rounds_up(decimal all, const scaled *s) {
    uint64_t last = all.digits % 10;
    if (last != 5) {
        return last > 5;
    }
    long double beyond = s->known ? s->x - (long double)all.digits : 0.0L;
    return fabsl(beyond) > 0.05L ? beyond > 0.0L
                                 : printed(s->value, DIGITS_ALL - 1).digits > all.digits / 10;
}

/**
 * 16 of 17 digits, if that is still the same double. Only the two neighbours can be, the nearer one
 * first: at a power of two it may be the farther one, since doubles lie denser below it than above.
 */
static decimal shorten_once(decimal all, const scaled *s) {
    bool up = rounds_up(all, s);
    decimal near = shorter(all, up), far = shorter(all, !up);
    return reads_as(near, s) ? near : reads_as(far, s) ? far : all;
}

/** Fewer digits of a number that is subnormal, and so has fewer bits than others. */
static decimal shorten_subnormal(decimal d, const scaled *s) {
    for (int count = DIGITS_SAFE; count > 0; count--) {
        decimal fewer = printed(s->value, count);
        if (!reads_as(fewer, s)) {
            break;
        }
        d = fewer;
    }
    return d;
}

static decimal shortest(double value) {
    scaled s = scale(value);
    decimal all = all_digits(&s);
    // what was written with up to 15 digits comes back with them, and needs no look at 16
    decimal safe = {(all.digits + 50) / 100, all.exponent + 2};
    bool is_safe = reads_as(safe, &s);
    decimal d = is_safe ? safe : shorten_once(all, &s);
    d = is_safe && value < DBL_MIN ? shorten_subnormal(safe, &s) : d;
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

#endif

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
    char all[24], *digits = all + sizeof all, exponent[8];
    for (; d.digits > 0; d.digits /= 10) {
        *--digits = (char)('0' + d.digits % 10);
    }
    int count = (int)(all + sizeof all - digits);
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
