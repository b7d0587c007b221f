/**
 * @file power.h
 * @brief x^y for x in [0, 2], y >= -2: what norms need of pow(), at less than half its time.
 *
 * x^y = 2^(y log2 x), both halves from a table and a short polynomial, in plain double arithmetic:
 *
 *     1. x = 2^k z, z in [0.705, 1.411);  c near z from the table, r = (z - c)/c, |r| < 2^-7.5
 *        log2 x = k + log2 c + log2(1 + r)            relative error below 2^-51, also near x = 1
 *     2. e = y log2 x = i/64 + f, |f| <= 1/128;  2^e = 2^(i/64) 2^f
 *
 * The relative error of the result is below (2 + 1.5 |y log2 x|) 2^-52: two units in the last place
 * for results around 1, and growing only as the result itself fades. pow() spends its extra time on
 * the digits that are missing here, and on cases that norms do not have.
 */
#ifndef OVI_POWER_H
#define OVI_POWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "power_table.h"

static inline uint64_t ovi_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ovi_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** log2 of a positive, finite and normal number. */
static inline double ovi_log2_normal(double x) {
    const uint64_t offset = 0x3fe6955500000000u;
    uint64_t bits = ovi_bits(x), above = bits - offset;
    const ovi_log2_entry *t = &ovi_log2_table[(above >> 45) & 127u];
    double z = ovi_from_bits(bits - (above & (0xfffull << 52)));
    double k = (double)((int64_t)above >> 52);
    double r = (z - t->c) * t->inverse, r2 = r * r;
    // log2(1 + r) = r/ln 2 (1 - r/2 + r^2/3 - …)
    double p = 0x1.71547652b82fep+0 + r * -0x1.71547652b82fep-1;
    p += r2 * (0x1.ec709dc3a03fdp-2 + r * -0x1.71547652b82fep-2);
    p += r2 * r2 * ((0x1.2776c50ef9bfep-2 + r * -0x1.ec709dc3a03fdp-3) + r2 * 0x1.a61762a7aded9p-3);
    return (k + t->log2) + r * p;
}

/** log2 of a positive finite number; the bits of a subnormal one do not hold its exponent. */
static inline double ovi_log2(double x) {
    return x < 0x1p-1022 ? ovi_log2_normal(x * 0x1p54) - 54.0 : ovi_log2_normal(x);
}

/** 2^e for e in [-1022, 1023]. */
static inline double ovi_exp2_normal(double e) {
    // adding 1.5 2^46 leaves 64 e, rounded, in the low bits
    double shifted = e + 0x1.8p46;
    uint64_t i = ovi_bits(shifted);
    double f = e - (shifted - 0x1.8p46), f2 = f * f;
    double p = f * (0x1.62e42fefa39efp-1 + f * 0x1.ebfbdff82c58fp-3);
    p += f2 * f * (0x1.c6b08d704a0cp-5 + f * 0x1.3b2ab6fba4e77p-7);
    p += f2 * f2 * f * 0x1.5d87fe78a6731p-10;
    double t = ovi_exp2_table[i & 63u];
    // the table value's exponent takes the whole part
    double scale = ovi_from_bits(ovi_bits(t) + ((i >> 6) << 52));
    return scale + scale * p;
}

/** 2^e; results outside the normal range become zero or infinite. */
static inline double ovi_exp2(double e) {
    if (!(e > -1022.0)) {
        return 0.0;
    }
    return e < 1023.0 ? ovi_exp2_normal(e) : INFINITY;
}

/** x^y for x in [0, 2] and y >= -2, infinite y included; 0^0 = 1. */
static inline double ovi_pow(double x, double y) {
    if (x == 0.0) {
        return y == 0.0 ? 1.0 : y > 0.0 ? 0.0 : INFINITY;
    }
    if (x == 1.0 || y == 0.0) {
        return 1.0;
    }
    return ovi_exp2(y * ovi_log2(x));
}

#endif
